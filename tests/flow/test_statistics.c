/* test_statistics.c -- localmax on random clouds: claims lm-tab-clusters, lm-tab-sizes,
 * lm-tab-alpha.
 *
 * Tokens uniform on [-1,1]^d, A = I, stopped when no coordinate moves by 1e-12 (the reference
 * statistics do not say in which norm: with Euclid's the steps come out 0.2 too many). They
 * are means over 1000 runs of an independent program (clusters, share of consensus, share of
 * certified runs, share of runs in which the Hegselmann-Krause potential rises by more than 1e-9,
 * share of arcs without their reverse, steps); other seeds, so they must agree within sampling
 * error. A mean over N runs of ours and 1000 of theirs differs by at most 4 s sqrt(1/N + 1/1000)
 * but once in 10^4 cases; s is the deviation of our own sample, for a share the binomial one (never
 * below that of one run in a thousand).
 *
 * TROP_TEST_FULL=1 takes 1000 runs as they did; every row is printed, ours beside theirs.
 */
#include "support.h"

#include "flow/flow.h"

#define PUBLISHED 1000.0
#define NONE (-1.0)
#define RANGE (-2.0) /* steps of the last row: "40-41" */

struct row {
    int64_t n, d;
    double alpha, epsilon;
    double clusters, consensus, certified, rises, one_way, steps; /* NONE: not given */
};

static const struct row rows[] = {
    { 20, 2, 1, 0, 5.411, 0, NONE, 0, 100, 39.5 },
    { 20, 2, 1, .001, 5.385, 0, 100, .8, 6.46, 38.8 },
    { 20, 2, 1, .01, 5.184, 0, 99.9, 1.5, 4.30, 39.5 },
    { 20, 2, 1, .1, 3.946, 0, 96.4, 2.6, 3.88, 43.5 },
    { 20, 2, 1, .3, 2.707, 9.1, 74.7, 15.3, 8.07, 51.9 },
    { 20, 2, 1, .5, 1.200, 85.3, 96.0, 2.1, 4.60, 55.0 },
    { 20, 2, 1, 1, 1, 100, 100, 0, NONE, RANGE },
    { 50, 3, 1, 0, 12.70, NONE, NONE, NONE, NONE, NONE },
    { 50, 3, 1, .1, 8.69, NONE, NONE, NONE, NONE, NONE },
    { 50, 3, 1, .3, 5.06, NONE, NONE, NONE, NONE, NONE },
    { 50, 3, 1, .5, 1.78, NONE, NONE, NONE, NONE, NONE },
    { 10, 1, 1, 0, 2.00, NONE, NONE, NONE, NONE, NONE },
    { 10, 1, 1, .1, 2.01, NONE, NONE, NONE, NONE, NONE },
    { 10, 1, 1, .3, 1.66, NONE, NONE, NONE, NONE, NONE },
    { 10, 1, 1, .5, 1.04, NONE, NONE, NONE, NONE, NONE },
    { 20, 2, .1, .3, 2.66, NONE, NONE, NONE, NONE, 335 },
    { 20, 2, 10, .3, 2.75, NONE, NONE, NONE, NONE, 19 },
};
#define ROWS ((int64_t)(sizeof rows / sizeof rows[0]))

struct tally {
    int64_t runs;
    double sum, squares;
};

static void add(struct tally *t, double value)
{
    t->runs++;
    t->sum += value;
    t->squares += value * value;
}

static int fits(const char *name, const struct tally *t, double published, double least)
{
    double runs = (double)t->runs, mean = t->sum / runs;
    double spread = sqrt(fmax(t->squares / runs - mean * mean, least));
    double allowed = 4 * spread * sqrt(1 / runs + 1 / PUBLISHED) + 1e-9;

    if (published == NONE) {
        return 1;
    }
    if (published == RANGE) {
        published = fmax(40, fmin(mean, 41));
    }
    print_message("   %-10s %9.3f (%.3f, +-%.3f)%s\n", name, mean, published, allowed,
                  fabs(mean - published) <= allowed ? "" : "  <-- off");
    return fabs(mean - published) <= allowed;
}

/* A share in per cent has the binomial deviation, by ours or by theirs. */
static int share_fits(const char *name, const struct tally *t, double published)
{
    return fits(name, t, published, fmax(10, published * (100 - published)));
}

/* Arcs without their reverse among all arcs of all steps of all runs: a ratio of sums, whose
 * deviation is that of o - (sum o / sum a) a, over the mean of a. */
struct ratio {
    int64_t runs;
    double o, a, oo, oa, aa;
};

static int ratio_fits(const char *name, const struct ratio *r, double published)
{
    double runs = (double)r->runs, value = r->o / r->a;
    double squares = r->oo - 2 * value * r->oa + value * value * r->aa;
    double spread = sqrt(squares / runs) / (r->a / runs);
    /* An exact 100% is 100% in both. */
    struct tally t = { r->runs, 100 * value * runs,
                       runs * (1e4 * value * value + 1e4 * spread * spread) };

    return fits(name, &t, published, 0);
}

struct outcome {
    struct tally clusters, consensus, certified, rises, steps;
    struct ratio one_way;
};

/* The largest coordinate of a step. */
static double step_size(const struct trop_flow *flow, double gamma)
{
    double largest = 0;

    for (int64_t k = 0; k < flow->n * flow->d; k++) {
        largest = fmax(largest, gamma * fabs(flow->seen.displacement[k]));
    }
    return largest;
}

/* One run, step by step, as the reference statistics were made. */
static void one_run(struct outcome *out, const struct row *row, uint64_t seed)
{
    struct trop_flow_options o = options_of(NULL, row->n, row->d, "localmax");
    double gamma = row->alpha / (1 + row->alpha), arcs = 0, one_way = 0;
    int64_t steps = 0;

    o.cloud.init = TROP_INIT_UNIFORM;
    o.cloud.seed = seed;
    o.alpha = row->alpha;
    o.epsilon = constant(row->epsilon);
    o.closed_form = TROP_CLOSED_FORM_NEVER;
    o.steps = (struct trop_count){ 20000, 4.3 };
    struct trop_flow *flow = flow_of(&o);
    assert_ok(trop_flow_watch(flow, "potential_rise"));
    for (;; steps++) {
        assert_ok(trop_flow_look(flow));
        if (row->one_way != NONE) {
            arcs += number_of(flow, "graph.arcs");
            one_way += number_of(flow, "graph.one_way");
        }
        if (step_size(flow, gamma) < 1e-12) {
            break;
        }
        assert_true(steps < 20000); /* every run comes to rest */
        assert_ok(trop_flow_step(flow, 1));
    }
    assert_ok(trop_flow_judge(flow));
    const char *kind = text_of(flow, "certificate.kind");
    int64_t clusters = (int64_t)number_of(flow, "clusters");
    add(&out->clusters, (double)clusters);
    add(&out->consensus, clusters == 1 ? 100 : 0);
    add(&out->certified,
        strcmp(kind, "quiescence") == 0 || strcmp(kind, "consensus") == 0 ? 100 : 0);
    add(&out->rises, flow->state.observed[TROP_FLOW_POTENTIAL].rise > 1e-9 ? 100 : 0);
    struct ratio *r = &out->one_way;
    *r = (struct ratio){ r->runs + 1,
                         r->o + one_way,
                         r->a + arcs,
                         r->oo + one_way * one_way,
                         r->oa + one_way * arcs,
                         r->aa + arcs * arcs };
    add(&out->steps, (double)steps);
    trop_flow_free(flow);
}

static void random_clouds_behave_as_published(void **state)
{
    (void)state;
    int wrong = 0;

    for (int64_t k = 0; k < ROWS; k++) {
        const struct row *row = rows + k;
        struct outcome out = { 0 };
        int64_t runs = cases(row->alpha < 1 || row->n > 20 ? 20 : 60, 1000);
        for (int64_t run = 0; run < runs; run++) {
            one_run(&out, row, (uint64_t)(1000 * k + run));
        }
        print_message("n = %lld, d = %lld, alpha = %g, epsilon = %g, %lld runs: ours (published)\n",
                      (long long)row->n, (long long)row->d, row->alpha, row->epsilon,
                      (long long)runs);
        wrong += !fits("clusters", &out.clusters, row->clusters, 1e-3);
        wrong += !share_fits("consensus", &out.consensus, row->consensus);
        wrong += !share_fits("certified", &out.certified, row->certified);
        wrong += !share_fits("rises", &out.rises, row->rises);
        wrong += !ratio_fits("one-way", &out.one_way, row->one_way);
        wrong += !fits("steps", &out.steps, row->steps, 1);
    }
    assert_int_equal(wrong, 0);
}

/* ---- non-vertex limits, and tolerances that vary ------------------------------------------- */

/* n = 20, d = 2, alpha = 1, to the end; clusters by mass, as the program reports them. */
static struct trop_flow *finished(struct trop_schedule epsilon, uint64_t seed)
{
    struct trop_flow_options o = options_of(NULL, 20, 2, "localmax");

    o.cloud.init = TROP_INIT_UNIFORM;
    o.cloud.seed = seed;
    o.alpha = 1;
    o.epsilon = epsilon;
    o.steps = (struct trop_count){ 400, log10(400) };
    struct trop_flow *flow = flow_of(&o);
    assert_ok(trop_flow_run(flow, NULL, NULL));
    return flow;
}

static double cell_of(const struct trop_flow *flow, const char *column, int64_t row)
{
    struct trop_value value = { 0 };

    assert_ok(trop_field_cell(&value, trop_flow_field_table(), flow, "cluster_list", column, row));
    return value.kind == TROP_KIND_NUMBER ? value.number : (double)value.integer;
}

static void limits_inside_the_hull_are_as_frequent_as_published(void **state)
{
    (void)state;
    /* Runs with a limit that is no vertex of the limit polytope, of 2000; and limit vertices
     * that coincide with an initial token (given for three tolerances). */
    const double published[][3] = {
        { 0, 0, 99.8 },     { .01, .25, 13.7 }, { .05, 2.65, NONE }, { .1, 3.7, NONE },
        { .2, 16.5, NONE }, { .3, 26.2, 5.8 },  { .4, 15.3, NONE },  { .5, 4.0, NONE },
    };
    int wrong = 0;

    for (int k = 0; k < 8; k++) {
        struct tally inner = { 0 }, kept = { 0 };
        for (int64_t run = 0; run < cases(100, 2000); run++) {
            struct trop_flow *flow =
                finished(constant(published[k][0]), (uint64_t)(5000 * k + run));
            struct trop_value list;
            int inside = 0;
            assert_ok(trop_flow_value(&list, flow, "cluster_list"));
            for (int64_t g = 0; g < list.shape[0]; g++) {
                int vertex = cell_of(flow, "vertex", g) == 1;
                inside |= !vertex;
                if (vertex) {
                    add(&kept, cell_of(flow, "moved", g) < 1e-9 ? 100 : 0);
                }
            }
            add(&inner, inside ? 100 : 0);
            trop_flow_free(flow);
        }
        print_message("epsilon = %g\n", published[k][0]);
        wrong += !share_fits("inside", &inner, published[k][1]);
        wrong += !share_fits("kept", &kept, published[k][2]);
    }
    assert_int_equal(wrong, 0);
}

static void varying_tolerances_give_the_published_counts(void **state)
{
    (void)state;
    const struct {
        const char *name;
        struct trop_schedule epsilon;
        double clusters;
    } schedules[] = {
        { "0", { TROP_SCHEDULE_CONSTANT, 0, 0, NULL, 0 }, 5.404 },
        { ".3 .3^t", { TROP_SCHEDULE_GEOMETRIC, .3, .3, NULL, 0 }, 3.908 },
        { ".3 .9^t", { TROP_SCHEDULE_GEOMETRIC, .3, .9, NULL, 0 }, 2.989 },
        { ".3/(t+1)^2", { TROP_SCHEDULE_POWER, .3, 2, NULL, 0 }, 3.896 },
        { ".3/(t+1)", { TROP_SCHEDULE_POWER, .3, 1, NULL, 0 }, 3.493 },
        { ".3", { TROP_SCHEDULE_CONSTANT, .3, 0, NULL, 0 }, 2.753 },
        { ".15+.15cos", { TROP_SCHEDULE_COSINE, .15, .15, NULL, 0 }, 3.245 },
    };
    int wrong = 0;

    for (size_t k = 0; k < sizeof schedules / sizeof schedules[0]; k++) {
        struct tally clusters = { 0 };
        for (int64_t run = 0; run < cases(100, 1000); run++) {
            struct trop_flow *flow =
                finished(schedules[k].epsilon, (uint64_t)(7000 * k + 13) + (uint64_t)run);
            add(&clusters, number_of(flow, "clusters"));
            trop_flow_free(flow);
        }
        wrong += !fits(schedules[k].name, &clusters, schedules[k].clusters, 1e-3);
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_clouds_behave_as_published),
        cmocka_unit_test(limits_inside_the_hull_are_as_frequent_as_published),
        cmocka_unit_test(varying_tolerances_give_the_published_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
