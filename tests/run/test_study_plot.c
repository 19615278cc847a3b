/* test_study_plot.c -- what pictures of studies are drawn from, and that they are drawn. */
#include "study_support.h"

#include "draw/panel.h"
#include "run/plot/plot_study.h"

static struct trop_plot plot_of(const char *kind, const char *x, const char *y, const char *of)
{
    static struct trop_plot_kind kinds;

    kinds.name = kind;
    return (struct trop_plot){ .folder = dir_a,
                               .kind = &kinds,
                               .options = { .x = x, .y = y, .of = of } };
}

static int ascending(const void *a, const void *b)
{
    const int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;

    return (left > right) - (left < right);
}

static void cells_have_means_and_quantiles(void **state)
{
    static const char *const rules[] = { "localmax", "softmax", "hardmax" };
    struct trop_plot plot = plot_of("bands", "epsilon", "rule", "clusters");
    struct trop_plot_study s, error;

    (void)state;
    plot.options.band = TROP_PLOT_ERROR;
    assert_int_equal(trop_plot_study_read(&error, &plot), TROP_OK);
    plot.options.band = TROP_PLOT_QUANTILES;
    assert_int_equal(trop_plot_study_read(&s, &plot), TROP_OK);
    assert_int_equal(s.x.count, EPSILONS);
    assert_int_equal(s.y.count, 3);
    assert_false(s.x.is_log);
    for (int64_t at = 0; at < 3 * EPSILONS; at++) {
        const int64_t e = at % EPSILONS;
        int64_t rule = 0, sorted[SEEDS], count = 0, sum = 0;
        while (strcmp(rules[rule], s.y.names[at / EPSILONS]) != 0) {
            rule++;
        }
        for (int64_t seed = 0; seed < SEEDS; seed++) {
            const int64_t point = (rule * EPSILONS + e) * SEEDS + seed;
            if (point % 16 != 0) {
                sum += sorted[count++] = clusters_at(point);
            }
        }
        qsort(sorted, (size_t)count, sizeof *sorted, ascending);
        assert_true(fabs(s.mean[at] - (double)sum / (double)count) < 1e-14);
        /* The first value that a tenth (half, nine tenths) of the points do not exceed. */
        assert_true(s.low[at] == (double)sorted[(count + 9) / 10 - 1]);
        assert_true(s.middle[at] == (double)sorted[(count + 1) / 2 - 1]);
        assert_true(s.high[at] == (double)sorted[(9 * count + 9) / 10 - 1]);
        assert_true(s.deviation[at] > 0);
        assert_true(fabs(error.deviation[at] * sqrt((double)count) - s.deviation[at]) < 1e-12);
    }
    trop_plot_study_free(&error);
    trop_plot_study_free(&s);
}

static void what_is_absent_is_in_no_quantile(void **state)
{
    struct trop_plot plot = plot_of("bands", "epsilon", NULL, "diameter");
    struct trop_plot_study s;

    (void)state;
    plot.options.band = TROP_PLOT_QUANTILES;
    plot.options.where = "seed IN (10, 2)"; /* the former have none, and point 1 has one */
    assert_int_equal(trop_plot_study_read(&s, &plot), TROP_OK);
    double least = INFINITY;
    for (int64_t rule = 0; rule < 3; rule++) {
        least = fmin(least, diameter_at(rule * EPSILONS * SEEDS + 1));
    }
    assert_true(s.low[0] == least);
    trop_plot_study_free(&s);
}

/* Cell (rule, j): the energies of all k of its points where labels, (point + k) % 5, is j. */
static void arrays_are_drawn_over_arrays(void **state)
{
    struct trop_plot plot = plot_of("bands", "labels", "rule", "record.energy");
    struct trop_plot_study s, q, e;

    (void)state;
    assert_int_equal(trop_plot_study_read(&s, &plot), TROP_OK);
    plot.options.band = TROP_PLOT_ERROR;
    assert_int_equal(trop_plot_study_read(&e, &plot), TROP_OK);
    plot.options.band = TROP_PLOT_QUANTILES;
    assert_int_equal(trop_plot_study_read(&q, &plot), TROP_OK);
    assert_true(s.x.count == 5 && s.y.count == 3 && s.low == NULL && q.low != NULL);
    for (int64_t at = 0; at < 15; at++) {
        const char *rule = s.y.names[at / 5];
        const int64_t r = strcmp(rule, "localmax") == 0 ? 0 : strcmp(rule, "softmax") == 0 ? 1 : 2;
        double sum = 0, squares = 0, below[3] = { 0 }, upto[3] = { 0 }, count = 0;
        const double marks[3] = { q.low[at], q.middle[at], q.high[at] };
        assert_true(s.x.values[at % 5] == (double)(at % 5));
        for (int64_t p = r * EPSILONS * SEEDS; p < (r + 1) * EPSILONS * SEEDS; p++) {
            for (int64_t k = 0; p % 16 != 0 && k < energies_at(p); k++) {
                const double energy = uniform(6, (uint64_t)(8 * p + k));
                if ((p + k) % 5 != at % 5) {
                    continue;
                }
                sum += energy;
                squares += energy * energy;
                count++;
                for (int m = 0; m < 3; m++) {
                    below[m] += energy < marks[m];
                    upto[m] += energy <= marks[m];
                }
            }
        }
        const double mean = sum / count;
        assert_true(fabs(s.mean[at] - mean) < 1e-13);
        assert_true(fabs(s.deviation[at] - sqrt((squares - sum * mean) / (count - 1))) < 1e-12);
        assert_true(fabs(e.deviation[at] * sqrt(count) - s.deviation[at]) < 1e-12);
        for (int m = 0; m < 3; m++) { /* the first one that the share do not exceed */
            const double share = m == 0 ? .1 : m == 1 ? .5 : .9;
            assert_true(below[m] < share * count && upto[m] >= share * count);
        }
    }
    trop_plot_study_free(&s);
    trop_plot_study_free(&q);
    trop_plot_study_free(&e);
}

/* Options that the points of a cell differ in, of a study that was run: those of a group go with
 * x, and where a condition leaves one value nothing is pooled. */
static void what_is_pooled_is_named(void **state)
{
    static const char text[] =
        "verb: flow\ndynamics: ode\ndt: [0.1, 0.2]\nbeta: [1, 2]\nn: [4, 5]\n"
        "seed: [1, 2]\nsteps: 2\ntogether: [n, seed]\n"
        "keep: [clusters, diameter]\n";
    static const struct {
        const char *x, *y, *where, *wanted;
    } asked[] = {
        { "beta", NULL, NULL, ", over dt, n, seed" },
        { "beta", "dt", NULL, ", over n, seed" },
        { "n", "dt", NULL, ", over β" },
        { "points.n", NULL, "dt = 0.1", ", over β" },
        { "n", "dt", "beta = 1", "" },
    };
    struct trop_study *run = NULL;
    char dir[256];

    (void)state;
    snprintf(dir, sizeof dir, "%s", scratch("run"));
    assert_int_equal(trop_study_create(&run, text, NULL), TROP_OK);
    assert_int_equal(
        trop_study_run(NULL, run, dir, &(struct trop_study_run_options){ 0 }, NULL, NULL), TROP_OK);
    for (size_t k = 0; k < sizeof asked / sizeof asked[0]; k++) {
        struct trop_plot plot = plot_of("curves", asked[k].x, asked[k].y, "clusters");
        struct trop_plot_study s;
        plot.folder = dir;
        plot.options.where = asked[k].where;
        assert_int_equal(trop_plot_study_read(&s, &plot), TROP_OK);
        assert_string_equal(s.pooled, asked[k].wanted);
        trop_plot_study_free(&s);
    }
    trop_study_free(run);
    drop(dir);
}

static void geometric_values_are_logarithmic(void **state)
{
    struct trop_plot plot = plot_of("curves", "seed", NULL, "clusters");
    static const double wanted[] = { .5, 2, 8, 32 };
    struct trop_plot_study s;

    (void)state;
    plot.options.where = "seed IN (16, 1, 4)";
    assert_int_equal(trop_plot_study_read(&s, &plot), TROP_OK);
    assert_true(s.x.is_log);
    double *edges = trop_plot_study_edges(&s.x);
    for (int k = 0; k < 4; k++) {
        assert_true(edges[k] == wanted[k]);
    }
    trop_alloc_free(edges);
    trop_plot_study_free(&s);
    plot.options.where = "seed IN (1, 2, 8)"; /* neither even nor geometric */
    assert_int_equal(trop_plot_study_read(&s, &plot), TROP_OK);
    assert_false(s.x.is_log);
    edges = trop_plot_study_edges(&s.x);
    assert_true(edges[0] == .5 && edges[1] == 1.5 && edges[2] == 5 && edges[3] == 11);
    trop_alloc_free(edges);
    trop_plot_study_free(&s);
}

/* The cell (seed 4, second epsilon) has no point: no other cell's colour reaches into it. */
static void nothing_reaches_into_an_empty_cell(void **state)
{
    struct trop_plot plot = plot_of("heat", "seed", "epsilon", "clusters");
    struct trop_figure *figure = NULL;
    struct trop_plot_study s;
    char where[200];

    (void)state;
    plot.options.where = "seed IN (1, 4, 16)";
    assert_int_equal(trop_plot_study_read(&s, &plot), TROP_OK);
    double *edges = trop_plot_study_edges(&s.y);
    const double x[2] = { 2, 8 }, y[2] = { edges[1], edges[2] };
    snprintf(where, sizeof where, "seed IN (1, 4, 16) AND NOT (seed = 4 AND epsilon = %.17g)",
             s.y.values[1]);
    trop_alloc_free(edges);
    trop_plot_study_free(&s);
    plot.options.where = where;
    assert_int_equal(trop_figure_create(&figure, 300, 300), TROP_OK);
    assert_int_equal(trop_plot_study_heat(figure, &plot), TROP_OK);
    const struct trop_panel *panel = trop_figure_panel(figure, 0, 0);
    int64_t images = 0;
    for (const struct trop_panel_item *item = panel->first; item; item = item->next) {
        const int is_empty = item->kind != TROP_PANEL_IMAGE || isnan(item->z[0]);
        assert_true(is_empty || item->x1 <= x[0] || item->x0 >= x[1] || item->y1 <= y[0] ||
                    item->y0 >= y[1]);
        images += !is_empty;
    }
    assert_true(images >= 3 * EPSILONS - 1);
    trop_figure_free(figure);
}

static enum trop_status draw(const char *kind, const char *x, const char *y, const char *of,
                             const char *where)
{
    const char *pairs[20] = { "file", dir_a, "kind", kind, "out", scratch("x.svg") };
    const char *const more[][2] = { { "x", x }, { "y", y }, { "of", of }, { "where", where } };
    struct trop_job *job = NULL;
    int count = 6;

    for (int k = 0; k < 4; k++) {
        if (more[k][1]) {
            pairs[count++] = more[k][0];
            pairs[count++] = more[k][1];
        }
    }
    const enum trop_status status = trop_job_create_from(&job, "plot", pairs);
    trop_job_free(job);
    return status;
}

static void every_kind_is_drawn(void **state)
{
    static const char *const plots[][5] = {
        { "heat", "epsilon", "rule", "clusters", NULL },
        { "heat", "seed", "epsilon", "clusters", NULL },
        { "heat", "seed", "rule", "clusters", "seed IN (1, 4, 16)" },
        { "curves", "epsilon", "rule", "clusters", NULL },
        { "curves", "rule", NULL, "diameter", NULL },
        { "bands", "epsilon", "rule", "diameter", NULL },
        { "bands", "seed", NULL, "clusters", "seed = 7" },
        { "bands", "labels", NULL, "record.energy", "seed < 9" },
        { "histogram", NULL, "epsilon", "clusters", NULL },
        { "histogram", NULL, NULL, "diameter", "point = 1" },
    };

    (void)state;
    for (size_t k = 0; k < sizeof plots / sizeof plots[0]; k++) {
        const char *const *p = plots[k];
        if (draw(p[0], p[1], p[2], p[3], p[4]) != TROP_OK || unlink(scratch("x.svg")) != 0) {
            fail_msg("%s over %s: %s", p[0], p[1] ? p[1] : "-", trop_error());
        }
    }
}

static void what_cannot_be_drawn_says_why(void **state)
{
    (void)state;
    assert_sentence(draw("heat", "epsilon", NULL, "clusters", NULL), TROP_ERR_ARG,
                    "kind = heat: of a study needs --x, --y and --of");
    assert_sentence(draw("curves", "epsilon", "seed", "clusters", NULL), TROP_ERR_ARG,
                    "y = seed: has 50 values; 16 curves are drawn at most");
    assert_sentence(draw("curves", "epsilom", NULL, "clusters", NULL), TROP_ERR_ARG,
                    "did you mean epsilon?");
    assert_sentence(draw("curves", "epsilon", NULL, "certificate.kind", NULL), TROP_ERR_ARG,
                    "has texts");
    assert_sentence(draw("histogram", NULL, NULL, "certificate.kind", NULL), TROP_ERR_ARG,
                    "has texts");
    assert_sentence(draw("paths", NULL, NULL, NULL, NULL), TROP_ERR_ARG,
                    "which has heat, curves, bands and histogram");
    assert_sentence(draw("bands", "epsilon", NULL, "clusters", "epsilon > 3"), TROP_ERR_IO,
                    "there is nothing to draw: no point has clusters");
    assert_sentence(draw("bands", "epsilon", NULL, "record.energy", NULL), TROP_ERR_ARG,
                    "x = epsilon: is not an array, and record.energy is one");
    assert_sentence(draw("bands", "energy", NULL, "record.energy", NULL), TROP_ERR_ARG,
                    "did you mean record.energy?");
    assert_sentence(draw("bands", "labels", NULL, "clusters", NULL), TROP_ERR_ARG,
                    "of = clusters: is one value of a point, and labels an array");
    assert_sentence(draw("bands", "epsilon", NULL, "clusters", "1; 2"), TROP_ERR_ARG,
                    "where = 1; 2: must be one condition");
    assert_int_equal(scratch_count(), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_have_means_and_quantiles),
        cmocka_unit_test(what_is_absent_is_in_no_quantile),
        cmocka_unit_test(arrays_are_drawn_over_arrays),
        cmocka_unit_test(what_is_pooled_is_named),
        cmocka_unit_test(geometric_values_are_logarithmic),
        cmocka_unit_test(nothing_reaches_into_an_empty_cell),
        cmocka_unit_test(every_kind_is_drawn),
        cmocka_unit_test(what_cannot_be_drawn_says_why),
    };
    return cmocka_run_group_tests(tests, merge_study, drop_study);
}
