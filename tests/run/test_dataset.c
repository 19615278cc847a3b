/* test_dataset.c -- training data: the papers' sets by name, their margins and their laws.
 *
 * The published margins are found by methods that have nothing in common with src/margin: dual
 * coordinate ascent (Hildreth), and the enumeration of active pairs in the plane. */
#include "dataset_support.h"

/* ---- margins ------------------------------------------------------------------------------ */

#define WIDE 128
#define MANY 64

struct margin {
    double rows[MANY][WIDE]; /* a_j: a_j' w >= 1 */
    int64_t count, width;
    double w[WIDE];
};

/* min |w| by dual coordinate ascent: each step makes one constraint hold with equality, or its
 * multiplier 0. It converges linearly; the sweeps end when no multiplier moves. */
static double solve(struct margin *m)
{
    double lambda[MANY] = { 0 };

    memset(m->w, 0, sizeof m->w);
    for (int64_t sweep = 0; sweep < 200000; sweep++) {
        double moved = 0.0;
        for (int64_t j = 0; j < m->count; j++) {
            double product = 0.0, square = 0.0;
            for (int64_t c = 0; c < m->width; c++) {
                product += m->rows[j][c] * m->w[c];
                square += m->rows[j][c] * m->rows[j][c];
            }
            double step = (1.0 - product) / square;
            step = step < -lambda[j] ? -lambda[j] : step;
            lambda[j] += step;
            moved = fabs(step) > moved ? fabs(step) : moved;
            for (int64_t c = 0; c < m->width; c++) {
                m->w[c] += step * m->rows[j][c];
            }
        }
        if (moved < 1e-15) {
            break;
        }
    }
    double norm = 0.0;
    for (int64_t c = 0; c < m->width; c++) {
        norm += m->w[c] * m->w[c];
    }
    return sqrt(norm);
}

/* The prompt problem, on the keys. */
static void prompt(struct margin *m, const struct trop_data *data, const int64_t *alpha)
{
    const double *keys = data->k ? data->k : data->x;

    m->count = 0;
    m->width = data->k ? data->dk : data->d;
    for (int64_t i = 0; i < data->n; i++) {
        for (int64_t t = 0; t < data->T; t++) {
            for (int64_t c = 0; c < m->width; c++) {
                m->rows[m->count][c] = keys[(i * data->T + alpha[i]) * m->width + c] -
                                       keys[(i * data->T + t) * m->width + c];
            }
            m->count += t != alpha[i];
        }
    }
}

/* The cross-attention problem: a_j = (x_alpha - x_t) z'. */
static void cross(struct margin *m, const struct trop_data *data, const int64_t *alpha)
{
    int64_t d = data->d;

    m->count = 0;
    m->width = d * d;
    for (int64_t i = 0; i < data->n; i++) {
        const double *x = data->x + i * data->T * d;
        for (int64_t t = 0; t < data->T; t++) {
            for (int64_t c = 0; c < d * d; c++) {
                m->rows[m->count][c] =
                    (x[alpha[i] * d + c / d] - x[t * d + c / d]) * data->z[i * d + c % d];
            }
            m->count += t != alpha[i];
        }
    }
}

/* The tokens of highest score. */
static void optimal(int64_t *alpha, const struct trop_data *data)
{
    for (int64_t i = 0; i < data->n; i++) {
        double best = -INFINITY;
        for (int64_t t = 0; t < data->T; t++) {
            double score = 0.0;
            for (int64_t c = 0; c < data->d; c++) {
                score += data->y[i] * data->v[c] * data->x[(i * data->T + t) * data->d + c];
            }
            if (score > best) {
                best = score;
                alpha[i] = t;
            }
        }
    }
}

/* The digits that are published, of which the last may be rounded. */
static void prompt_figures_have_their_published_margins(void **state)
{
    static const struct {
        const char *name;
        int64_t alpha[3], chosen; /* chosen 0: the optimal ones, which must be these */
        double half_square, tolerance;
    } figures[] = {
        { "mm-fig-1a", { 0 }, 0, 0.49505, 5e-6 },
        { "mm-fig-1b", { 0 }, 0, 0.49505, 5e-6 },
        { "mm-fig-1b", { 1 }, 1, 0.5, 1e-12 },
        { "mm-fig-1c", { 0, 0, 0 }, 0, 0.371338, 5e-7 },
        { "mm-fig-1c-tokens", { 0, 0, 0 }, 0, 0.313189, 5e-7 },
        { "mm-fig-3a", { 1, 1, 1 }, 0, 0.94444, 5e-6 },
        { "mm-fig-5", { 1, 1 }, 0, 0.5, 1e-12 },
        { "mm-fig-8", { 0, 0 }, 0, 5.0, 1e-12 },
        { "mm-fig-8", { 0, 1 }, 1, 0.5, 1e-12 },
    };
    static struct margin m;

    (void)state;
    for (size_t k = 0; k < sizeof figures / sizeof *figures; k++) {
        struct trop_dataset *dataset = made(figures[k].name);
        const struct trop_data *data = trop_dataset_data(dataset);
        int64_t alpha[3];
        optimal(alpha, data);
        if (figures[k].chosen) {
            memcpy(alpha, figures[k].alpha, sizeof alpha);
        }
        assert_memory_equal(alpha, figures[k].alpha, (size_t)data->n * sizeof *alpha);
        prompt(&m, data, alpha);
        double norm = solve(&m);
        assert_near(0.5 * norm * norm, figures[k].half_square, figures[k].tolerance);
        trop_dataset_free(dataset);
    }
}

/* P1's counterexample: (1, -3) for the optimal tokens, (1, 0) for another locally optimal choice.
 */
static void the_counterexample_has_its_two_directions(void **state)
{
    static struct margin m;
    struct trop_dataset *dataset = made("mm-fig-8");
    const struct trop_data *data = trop_dataset_data(dataset);

    (void)state;
    assert_int_equal(data->dk, 2);
    prompt(&m, data, (const int64_t[]){ 0, 0 });
    solve(&m);
    assert_near(m.w[0], 1.0, 1e-12);
    assert_near(m.w[1], -3.0, 1e-12);
    prompt(&m, data, (const int64_t[]){ 0, 1 });
    solve(&m);
    assert_near(m.w[0], 1.0, 1e-12);
    assert_near(m.w[1], 0.0, 1e-12);
    trop_dataset_free(dataset);
}

/* In the plane the solution lies on two constraints, or is the nearest point of one. The published
 * slope of mm-fig-1c is 0.2026, and p = (0.844626, 0.171122). */
static void the_slope_of_figure_1c_comes_out_of_its_pairs(void **state)
{
    static struct margin m;
    struct trop_dataset *dataset = made("mm-fig-1c");
    double best = INFINITY, p[2] = { 0 };

    (void)state;
    prompt(&m, trop_dataset_data(dataset), (const int64_t[]){ 0, 0, 0 });
    assert_int_equal(m.count, 18);
    for (int64_t a = 0; a < m.count; a++) {
        for (int64_t b = 0; b < m.count; b++) {
            const double *r = m.rows[a], *s = m.rows[b];
            double det = r[0] * s[1] - r[1] * s[0];
            double square = r[0] * r[0] + r[1] * r[1];
            double x = a == b ? r[0] / square : (s[1] - r[1]) / det;
            double y = a == b ? r[1] / square : (r[0] - s[0]) / det;
            int holds = 1;
            for (int64_t j = 0; j < m.count; j++) {
                holds &= m.rows[j][0] * x + m.rows[j][1] * y >= 1.0 - 1e-12;
            }
            if (holds && x * x + y * y < best) {
                best = x * x + y * y;
                p[0] = x;
                p[1] = y;
            }
        }
    }
    assert_near(p[1] / p[0], 0.2026, 5e-5);
    assert_near(p[0], 0.844626, 5e-7);
    assert_near(p[1], 0.171122, 5e-7);
    trop_dataset_free(dataset);
}

/* P2: W_mm, its norm and the slopes of W_mm z_i, as in the authors' second picture. */
static void the_second_picture_has_its_published_solution(void **state)
{
    static const double w[] = { 0.79255, -1.08647, -0.63303, -0.34711 };
    static const double slopes[] = { 1.2991, -1.6703 };
    static struct margin m;
    struct trop_dataset *dataset = made("tf-fig-1b");
    const struct trop_data *data = trop_dataset_data(dataset);
    int64_t alpha[2];

    (void)state;
    optimal(alpha, data);
    assert_true(alpha[0] == 0 && alpha[1] == 0);
    cross(&m, data, alpha);
    assert_near(solve(&m), 1.526360, 5e-7);
    for (int c = 0; c < 4; c++) {
        assert_near(m.w[c], w[c], 5e-6);
    }
    for (int i = 0; i < 2; i++) {
        const double *z = data->z + 2 * i;
        double slope = (m.w[2] * z[0] + m.w[3] * z[1]) / (m.w[0] * z[0] + m.w[1] * z[1]);
        assert_near(slope, slopes[i], 5e-5);
    }
    trop_dataset_free(dataset);
}

/* P2's figure 1 publishes no numbers. Of seed 1 the first five normals are known: two are v, and X
 * begins with 0.3 times the others, its first input moved by (-1, 0) and the second by (1, 0). */
static void the_first_picture_is_drawn_in_the_order_of_the_authors(void **state)
{
    struct trop_dataset *dataset = made("tf-fig-1");
    const struct trop_data *data = trop_dataset_data(dataset);

    (void)state;
    assert_near(data->v[0], 0.6614 / hypot(0.6614, 0.2669), 1e-4);
    assert_near(data->v[1], 0.2669 / hypot(0.6614, 0.2669), 1e-4);
    assert_near(data->x[0], 0.3 * 0.0617 - 1.0, 5e-5);
    assert_near(data->x[1], 0.3 * 0.6213, 5e-5);
    assert_near(data->x[2], 0.3 * -0.4519 - 1.0, 5e-5);
    for (int t = 0; t < 6; t++) {
        assert_true(t < 3 ? data->x[2 * t] < 0.0 : data->x[2 * t] > 0.0);
    }
    for (int i = 0; i < 2; i++) {
        assert_near(hypot(data->z[2 * i], data->z[2 * i + 1]), 1.0, 4 * 0x1p-24);
    }
    trop_dataset_free(dataset);
}

/* MD, seed 1: labels, optimal tokens and W_mm as published. The norm is printed as 2.66015692 and
 * was found from draws of libm's functions; those of AVX2, which are ours, move it by 4e-9. */
static void attsvm_gives_the_published_selection_and_margin(void **state)
{
    static const double y[] = { -1, -1, -1, -1, 1, 1 };
    static const int64_t expected[] = { 3, 2, 6, 2, 6, 2 };
    static struct margin m;
    struct trop_dataset *dataset = made("attsvm");
    const struct trop_data *data = trop_dataset_data(dataset);
    int64_t alpha[6];

    (void)state;
    assert_true(data->n == 6 && data->T == 8 && data->d == 10 && data->queries == 1);
    assert_memory_equal(data->y, y, sizeof y);
    optimal(alpha, data);
    assert_memory_equal(alpha, expected, sizeof expected);
    cross(&m, data, alpha);
    assert_near(solve(&m), 2.66015692, 1e-8);
    assert_near(m.w[12], -0.22038, 5e-6);
    assert_near(m.w[34], -0.03963, 5e-6);
    trop_dataset_free(dataset);
}

/* The first five normals of seed 1 are .6614 .2669 .0617 .6213 -.4519: v is their direction. The
 * rows have unit length but for the rounding of float: a sum of 10 squares, a root and a quotient
 * are off by less than 8 units of 2^-24. */
static void attsvm_draws_what_torch_draws(void **state)
{
    static const double first[] = { 0.6614, 0.2669, 0.0617, 0.6213, -0.4519 };
    struct trop_dataset *dataset = made("attsvm");
    const struct trop_data *data = trop_dataset_data(dataset);
    const struct {
        const double *rows;
        int64_t count;
    } parts[] = { { data->v, 1 }, { data->x, 48 }, { data->z, 6 } };

    (void)state;
    for (int c = 1; c < 5; c++) {
        /* Four digits of each: an error of 5e-5 in the divisor and in the dividend. */
        assert_near(data->v[c] / data->v[0], first[c] / first[0], 2e-4);
    }
    for (int p = 0; p < 3; p++) {
        for (int64_t i = 0; i < parts[p].count; i++) {
            double square = 0.0;
            for (int c = 0; c < 10; c++) {
                double value = parts[p].rows[i * 10 + c];
                assert_true(value == (double)(float)value);
                square += value * value;
            }
            assert_near(sqrt(square), 1.0, 8 * 0x1p-24);
        }
    }
    trop_dataset_free(dataset);
}

/* MD's table: W_mm for p = 2 and the label solution, for the tokens (1, 0). */
static void the_joint_experiment_has_its_published_solutions(void **state)
{
    static const double w[] = { -0.0839, -0.0675, -0.0794, 0.1945 };
    static struct margin m;
    struct trop_dataset *dataset = made("md-joint");
    const struct trop_data *data = trop_dataset_data(dataset);
    static const int64_t alpha[] = { 1, 0 };

    (void)state;
    assert_null(data->v);
    assert_memory_equal(data->z, data->x, 2 * sizeof(double));
    assert_memory_equal(data->z + 2, data->x + 6, 2 * sizeof(double));
    assert_true(data->x[0] == (double)-2.7f && data->x[0] != -2.7);
    cross(&m, data, alpha);
    solve(&m);
    for (int c = 0; c < 4; c++) {
        assert_near(m.w[c], w[c], 5e-5);
    }
    m.count = 2;
    m.width = 2;
    for (int i = 0; i < 2; i++) {
        for (int c = 0; c < 2; c++) {
            m.rows[i][c] = data->y[i] * data->x[(i * 3 + alpha[i]) * 2 + c];
        }
    }
    solve(&m);
    assert_near(m.w[0], 0.0255, 5e-5);
    assert_near(m.w[1], 0.4592, 5e-5);
    trop_dataset_free(dataset);
}

/* ---- laws of what is drawn ------------------------------------------------------------------ */

static void every_set_is_made_and_described(void **state)
{
    int64_t count = 0;

    (void)state;
    for (const char *const *name = trop_dataset_names(); *name; name++, count++) {
        struct trop_dataset *dataset = made(*name);
        const struct trop_data *data = trop_dataset_data(dataset);
        assert_non_null(trop_dataset_meaning(*name));
        assert_true(strlen(trop_dataset_meaning(*name)) > 10);
        assert_true(data->n > 0 && data->T > 0 && data->d > 0);
        assert_true((data->x != NULL) == (data->vocabulary == NULL));
        assert_true((data->x != NULL) == (data->y != NULL));
        assert_true((data->k != NULL) == (data->dk > 0));
        assert_true((data->z != NULL) == (data->queries > 0));
        trop_dataset_free(dataset);
    }
    assert_int_equal(count, 16);
    assert_null(trop_dataset_meaning("mm-fig-2"));
    assert_null(trop_dataset_meaning(NULL));
    trop_dataset_free(NULL);
}

/* docs/data.md tells of every set and no other. */
static void the_manual_lists_every_set(void **state)
{
    static char text[1 << 16];
    const char *source_folder = getenv("TROP_SOURCE");
    char path[1024];

    (void)state;
    if (!source_folder) {
        skip(); /* started by hand, not by CTest */
    }
    snprintf(path, sizeof path, "%s/docs/data.md", source_folder);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    assert_true(size < sizeof text - 1);
    for (const char *const *name = trop_dataset_names(); *name; name++) {
        char quoted[64];
        snprintf(quoted, sizeof quoted, "`%s`", *name);
        if (!strstr(text, quoted)) {
            fail_msg("docs/data.md does not tell of %s", *name);
        }
    }
}

static void figure_9_is_uniform_on_the_sphere(void **state)
{
    struct trop_dataset *dataset = drawn("mm-fig-9", 0, 0, 37, 5);
    const struct trop_data *data = trop_dataset_data(dataset);

    (void)state;
    assert_true(data->n == 4 && data->T == 6 && data->d == 37);
    for (int64_t i = 0; i <= 24; i++) {
        const double *row = i < 24 ? data->x + i * 37 : data->v;
        double square = 0.0;
        for (int64_t c = 0; c < 37; c++) {
            square += row[c] * row[c];
        }
        assert_near(square, 1.0, 40 * 0x1p-53);
        for (int64_t j = 0; j < i; j++) { /* no draw is used twice */
            assert_true(row[0] != data->x[j * 37]);
        }
    }
    trop_dataset_free(dataset);
    /* Signs of labels and first coordinates over 400 seeds: means of 1600 and 9600 fair signs. */
    double labels = 0.0, signs = 0.0;
    for (uint64_t seed = 0; seed < 400; seed++) {
        dataset = drawn("mm-fig-9", 0, 0, 2, seed);
        data = trop_dataset_data(dataset);
        for (int64_t i = 0; i < 4; i++) {
            labels += data->y[i];
        }
        for (int64_t t = 0; t < 24; t++) {
            signs += data->x[2 * t] > 0.0 ? 1.0 : -1.0;
        }
        trop_dataset_free(dataset);
    }
    assert_near(labels / 1600, 0.0, 5 / sqrt(1600.0)); /* five standard deviations */
    assert_near(signs / 9600, 0.0, 5 / sqrt(9600.0));
}

static void the_word_that_follows_occurs_in_the_input(void **state)
{
    struct trop_dataset *dataset = drawn("ntp", 3000, 5, 3, 2), *smaller = drawn("ntp", 7, 4, 3, 2);
    const struct trop_data *data = trop_dataset_data(dataset), *few = trop_dataset_data(smaller);
    int64_t words[6] = { 0 }, places[5] = { 0 };

    (void)state;
    assert_true(data->words == 6 && !data->x && !data->y);
    for (int64_t i = 0; i < data->n; i++) {
        int64_t found = 0;
        for (int64_t t = 0; t < 5; t++) {
            words[data->ids[i * 5 + t]]++;
            if (data->ids[i * 5 + t] == data->next[i]) {
                found++;
                places[t]++;
            }
        }
        assert_true(found > 0);
    }
    for (int w = 0; w < 6; w++) { /* binomial: 15000 draws of 1/6 */
        assert_near((double)words[w], 2500.0, 5 * sqrt(15000.0 / 6 * 5 / 6));
    }
    /* The place is chosen with 1/5, and else its word agrees with 1/6: 1/3 in all. */
    for (int t = 0; t < 5; t++) {
        assert_near((double)places[t], 1000.0, 5 * sqrt(3000.0 / 3 * 2 / 3));
    }
    /* Fewer inputs of fewer tokens are a part of the larger set. */
    for (int64_t i = 0; i < 7; i++) {
        assert_memory_equal(few->ids + i * 4, data->ids + i * 5, 4 * sizeof(int64_t));
    }
    assert_memory_equal(few->vocabulary, data->vocabulary, 18 * sizeof(double));
    trop_dataset_free(dataset);
    trop_dataset_free(smaller);
}

/* Means of 4000 standard normals lie within 5 / sqrt(4000) = 0.08 of theirs, the fraction of flips
 * within 5 sqrt(0.16 / 4000) = 0.032 of 0.2. */
static void benign_tokens_carry_their_signal(void **state)
{
    enum { N = 4000 };
    struct trop_dataset *dataset = drawn("benign", N, 4, 3, 9);
    const struct trop_data *data = trop_dataset_data(dataset);
    double own[4] = { 0 }, other[4] = { 0 }, flips = 0.0, squares = 0.0;

    (void)state;
    for (int64_t i = 0; i < N; i++) {
        const double *x = data->x + i * 12;
        int truth = x[0] > 10.0 ? 1 : -1;
        flips += (int)data->y[i] != truth;
        for (int64_t t = 0; t < 4; t++) {
            own[t] += x[t * 3 + (truth > 0 ? 0 : 1)] / N;
            other[t] += x[t * 3 + (truth > 0 ? 1 : 0)] / N;
            squares += x[t * 3 + 2] * x[t * 3 + 2] / (4 * N);
        }
    }
    static const double owned[] = { 20, 2, 0, 0 }, others[] = { 0, 0, 2, 0 };
    for (int t = 0; t < 4; t++) {
        assert_near(own[t], owned[t], 0.08);
        assert_near(other[t], others[t], 0.08);
    }
    assert_near(flips / N, 0.2, 0.032);
    assert_near(squares, 1.0, 5 * sqrt(2.0 / (4 * N)));
    /* v has unit length but for the strength of the signal. */
    assert_near(hypot(data->v[0], data->v[1]), 1.0 / 20, 1e-16);
    assert_true(data->v[0] == -data->v[1] && data->v[2] == 0.0);
    trop_dataset_free(dataset);
}

static void benign2_parts_signal_and_noise(void **state)
{
    enum { N = 4000 };
    struct trop_dataset *dataset = drawn("benign2", N, 2, 4, 9);
    const struct trop_data *data = trop_dataset_data(dataset);
    double flips = 0.0, mean = 0.0, squares = 0.0;

    (void)state;
    for (int64_t i = 0; i < N; i++) {
        const double *x = data->x + i * 8;
        assert_true((x[0] == 20.0 && x[1] == 0.0) || (x[0] == 0.0 && x[1] == 20.0));
        assert_true(x[2] == 0.0 && x[3] == 0.0 && x[4] == 0.0 && x[5] == 0.0);
        flips += data->y[i] != (x[0] > 0.0 ? 1.0 : -1.0);
        mean += (x[6] + x[7]) / (2 * N);
        squares += (x[6] * x[6] + x[7] * x[7]) / (2 * N);
    }
    assert_near(flips / N, 0.1, 5 * sqrt(0.09 / N));
    assert_near(mean, 0.0, 5 / sqrt(2.0 * N));
    assert_near(squares, 1.0, 5 * sqrt(2.0 / (2 * N)));
    trop_dataset_free(dataset);
}

static void seeds_change_what_is_drawn_and_nothing_else(void **state)
{
    static const char *const names[] = { "mm-fig-1c", "mm-fig-9", "tf-fig-1",
                                         "tf-fig-1b", "attsvm",   "benign2" };
    static const uint64_t own[] = { 0, 1, 1, 3, 1, 1 };

    (void)state;
    for (int k = 0; k < 6; k++) {
        struct trop_dataset *a = made(names[k]), *b = drawn(names[k], 0, 0, 0, own[k]);
        struct trop_dataset *c = drawn(names[k], 0, 0, 0, 77);
        const struct trop_data *data = trop_dataset_data(a);
        size_t size = (size_t)(data->n * data->T * data->d) * sizeof(double);
        assert_memory_equal(data->x, trop_dataset_data(b)->x, size);
        assert_memory_not_equal(data->x, trop_dataset_data(c)->x, size);
        trop_dataset_free(a);
        trop_dataset_free(b);
        trop_dataset_free(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prompt_figures_have_their_published_margins),
        cmocka_unit_test(the_counterexample_has_its_two_directions),
        cmocka_unit_test(the_slope_of_figure_1c_comes_out_of_its_pairs),
        cmocka_unit_test(the_second_picture_has_its_published_solution),
        cmocka_unit_test(the_first_picture_is_drawn_in_the_order_of_the_authors),
        cmocka_unit_test(attsvm_gives_the_published_selection_and_margin),
        cmocka_unit_test(attsvm_draws_what_torch_draws),
        cmocka_unit_test(the_joint_experiment_has_its_published_solutions),
        cmocka_unit_test(every_set_is_made_and_described),
        cmocka_unit_test(the_manual_lists_every_set),
        cmocka_unit_test(figure_9_is_uniform_on_the_sphere),
        cmocka_unit_test(the_word_that_follows_occurs_in_the_input),
        cmocka_unit_test(benign_tokens_carry_their_signal),
        cmocka_unit_test(benign2_parts_signal_and_noise),
        cmocka_unit_test(seeds_change_what_is_drawn_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
