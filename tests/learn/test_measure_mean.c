/* test_measure_mean.c -- what means show: intervals and p-values against closed forms, tables of
 * Student's distribution and a bootstrap small enough to enumerate. */
#include "support.h"

#include "learn/measure.h"

enum { DRAWS = 19999 };

static double drawn[DRAWS];
static int64_t order[DRAWS];

static struct trop_measure_mean bootstrap(const double *table, int64_t rows, int64_t columns,
                                          double level, uint64_t seed)
{
    struct trop_measure_mean out;

    trop_measure_bootstrap(&out, drawn, order, table, rows, columns, level, DRAWS, seed);
    return out;
}

/* ---- bootstrap ------------------------------------------------------------------------------ */

/* Rows 0, 4 and columns 0, 1: the mean of a draw is 4 i/2 + j/2 with i and j from 0 to 2, of
 * probabilities 1/4, 1/2, 1/4: 0, .5, 1, 2, 2.5, 3, 4, 4.5, 5 have 1, 2, 1, 2, 4, 2, 1, 2, 1
 * sixteenths. Quantiles that are 4 deviations of 19999 draws away from a jump are certain. */
static void a_bootstrap_of_two_rows_and_columns_is_enumerated(void **state)
{
    static const double table[] = { 0, 1, 4, 5 };
    static const struct {
        double part, low, high; /* in sixteenths: between which jumps, and the quantiles */
    } ends[] = { { .5, 0, 5 }, { 2, .5, 4.5 }, { 3.5, 1, 4 }, { 5, 2, 3 }, { 7.5, 2.5, 2.5 } };
    (void)state;

    for (size_t k = 0; k < sizeof ends / sizeof ends[0]; k++) {
        const struct trop_measure_mean m = bootstrap(table, 2, 2, 1 - 2 * ends[k].part / 16, 3);
        assert_true(m.mean == 2.5 && m.low == ends[k].low && m.high == ends[k].high);
        assert_near(m.p, 2. / 16, 2 * 4 * sqrt(1. / 16 * 15 / 16 / DRAWS));
    }
    for (int64_t k = 0; k < DRAWS; k++) {
        assert_true(fmod(2 * drawn[k], 1) == 0 && drawn[k] >= 0 && drawn[k] <= 5);
    }
}

/* a_r + b_c: the variance of a draw is var(a)/R + var(b)/C, and draws are nearly normal. What is
 * neither of items nor of runs counts three times. */
static void rows_and_columns_each_have_their_part_of_the_variance(void **state)
{
    enum { R = 100, C = 20 };
    static double table[R * C], noise[R * C];
    static const double sizes[][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 1, .5, 0 }, { 0, 0, 1 } };
    (void)state;

    for (uint64_t k = 0; k < 4; k++) {
        double a[R], b[C], vary_a = 0, vary_b = 0, mean_a = 0, mean_b = 0, vary = 0, mean = 0;
        normals(a, R, 10 + k);
        normals(b, C, 20 + k);
        normals(noise, R * C, 30 + k);
        for (int64_t r = 0; r < R; r++) {
            mean_a += a[r] / R;
            vary_a += a[r] * a[r] / R;
        }
        for (int64_t c = 0; c < C; c++) {
            mean_b += b[c] / C;
            vary_b += b[c] * b[c] / C;
        }
        vary_a -= mean_a * mean_a;
        vary_b -= mean_b * mean_b;
        for (int64_t at = 0; at < R * C; at++) {
            table[at] = sizes[k][0] * a[at / C] + sizes[k][1] * b[at % C] + sizes[k][2] * noise[at];
        }
        const struct trop_measure_mean m = bootstrap(table, R, C, .95, k);
        for (int64_t at = 0; at < DRAWS; at++) {
            mean += drawn[at] / DRAWS;
            vary += drawn[at] * drawn[at] / DRAWS;
        }
        vary -= mean * mean;
        const double expected = sizes[k][0] * sizes[k][0] * vary_a / R +
                                sizes[k][1] * sizes[k][1] * vary_b / C +
                                3 * sizes[k][2] * sizes[k][2] / (R * C);
        /* A variance of 19999 draws has a deviation of 1%; the last one is of a random table, with
         * some 20% more (its row and column sums). */
        assert_near(vary / expected, 1, sizes[k][2] > 0 ? .4 : .04);
        assert_near((m.high - m.low) / (2 * 1.95996 * sqrt(expected)), 1,
                    sizes[k][2] > 0 ? .2 : .06);
        assert_near(m.mean, mean, 4 * sqrt(expected / DRAWS));
    }
}

static void an_interval_leaves_out_0_exactly_when_p_is_small(void **state)
{
    double table[12];
    int64_t out = 0, both = 0;
    (void)state;

    for (uint64_t seed = 1; seed <= 60; seed++) {
        static const double levels[] = { .5, .9, .95, 1 - .05 / 3 };
        struct trop_measure_mean m;
        normals(table, 12, seed);
        for (int64_t k = 0; k < 12; k++) {
            table[k] += seed % 2 ? .5 : -.5;
        }
        for (size_t k = 0; k < 4; k++) {
            trop_measure_bootstrap(&m, drawn, order, table, 4, 3, levels[k], 599, seed);
            const int is_out = m.low > 0 || m.high < 0;
            assert_int_equal(is_out, m.p <= 1 - levels[k] + 1e-12);
            out += is_out;
            both++;
        }
    }
    assert_true(out > 20 && out < both - 20); /* both happen */
}

static void a_bootstrap_is_a_function_of_seed_and_leaves_out_what_is_missing(void **state)
{
    double table[30], gaps[60];
    (void)state;

    normals(table, 30, 5);
    struct trop_measure_mean a = bootstrap(table, 10, 3, .95, 7);
    struct trop_measure_mean b = bootstrap(table, 10, 3, .95, 7);
    assert_memory_equal(&a, &b, sizeof a);
    for (int64_t k = 0; k < 30; k++) {
        gaps[k] = -table[k];
    }
    b = bootstrap(gaps, 10, 3, .95, 7);
    assert_true(b.mean == -a.mean && b.low == -a.high && b.high == -a.low && b.p == a.p);
    b = bootstrap(table, 10, 3, .95, 8);
    assert_true(b.mean == a.mean && b.low != a.low);
    assert_near(a.low, b.low, .05 * fabs(a.high - a.low)); /* of 19999 draws, 500 beyond each end */

    for (int64_t k = 0; k < 60; k++) {
        gaps[k] = k / 3 % 2 ? table[k / 6 * 3 + k % 3] : NAN;
    }
    b = bootstrap(gaps, 20, 3, .95, 7);
    assert_near(b.mean, a.mean, 1e-15);
    assert_true(b.high - b.low > .8 * (a.high - a.low) && b.high - b.low < 1.4 * (a.high - a.low));

    for (int64_t k = 0; k < 30; k++) {
        table[k] = -.25;
    }
    a = bootstrap(table, 10, 3, .95, 7);
    assert_true(a.mean == -.25 && a.low == -.25 && a.high == -.25 && a.p == 2. / (DRAWS + 1));
    table[0] = NAN;
    a = bootstrap(table, 1, 1, .95, 7);
    assert_true(isnan(a.mean) && isnan(a.low) && isnan(a.high) && isnan(a.p));
    trop_measure_bootstrap(&a, drawn, order, gaps, 20, 3, .95, 20, 7);
    assert_true(isnan(a.low) && isnan(a.high)); /* 2.5% of 21 is no draw */
}

/* ---- Student's interval --------------------------------------------------------------------- */

/* Quantiles of tables (97.5%), nu = 1, 2, 3, 4, 10, 24; values -1 and 1, or -1, 0.., 1: mean 0. */
static void an_interval_of_folds_has_students_quantile(void **state)
{
    static const struct {
        int64_t nu;
        double t;
    } table[] = { { 1, 12.7062047364 }, { 2, 4.30265272991 },  { 3, 3.18244630528 },
                  { 4, 2.77644510520 }, { 10, 2.22813885196 }, { 24, 2.06389856163 } };
    (void)state;

    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++) {
        const int64_t n = table[k].nu + 1;
        double values[25] = { 3, 5 }; /* mean 4, sum of squares 2 */
        struct trop_measure_mean m;
        for (int64_t i = 2; i < n; i++) {
            values[i] = 4;
        }
        trop_measure_folds(&m, values, n, .25, .95);
        const double half = table[k].t * sqrt((1. / (double)n + .25) * 2 / (double)(n - 1));
        assert_near(m.mean, 4, 1e-15);
        assert_near(m.high - 4, half, 1e-9 * half);
        assert_near(4 - m.low, half, 1e-9 * half);
    }
}

/* nu = 1: P(|T| > t) = 1 - 2 atan(t)/pi; nu = 2: 1 - t/sqrt(2 + t^2); nu = 4: 1 - s (3 - s^2)/2
 * with s = t/sqrt(4 + t^2). Independent results, ratio 0, give the usual t. */
static void p_of_folds_is_students(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct trop_measure_mean m;
        double x[5];
        normals(x, 5, seed);
        trop_measure_folds(&m, x, 2, 0, .95);
        double t = fabs(x[0] + x[1]) / fabs(x[0] - x[1]);
        assert_near(m.p, 1 - atan(t) / asin(1), 1e-12);
        trop_measure_folds(&m, x, 3, .5, .95);
        const double mean = (x[0] + x[1] + x[2]) / 3;
        const double vary = (pow(x[0] - mean, 2) + pow(x[1] - mean, 2) + pow(x[2] - mean, 2)) / 2;
        t = fabs(mean) / sqrt(vary * (1. / 3 + .5));
        assert_near(m.p, 1 - t / sqrt(2 + t * t), 1e-12);
        trop_measure_folds(&m, x, 5, 0, .9);
        double sum = 0, squares = 0;
        for (int k = 0; k < 5; k++) {
            sum += x[k];
            squares += x[k] * x[k];
        }
        t = fabs(sum / 5) / sqrt((squares - sum * sum / 5) / 20);
        const double s = t / sqrt(4 + t * t);
        assert_near(m.p, 1 - s * (3 - s * s) / 2, 1e-12);
        assert_int_equal(m.low > 0 || m.high < 0, m.p < .1);
    }
}

static void folds_without_spread_and_without_values(void **state)
{
    static const double same[] = { 2, 2, 2 }, zero[] = { 0, 0, 0 }, gap[] = { 1, NAN, 2 };
    struct trop_measure_mean m;
    (void)state;

    trop_measure_folds(&m, same, 3, .25, .95);
    assert_true(m.mean == 2 && m.low == 2 && m.high == 2);
    assert_near(m.p, 0, 1e-15);
    trop_measure_folds(&m, zero, 3, .25, .95);
    assert_true(m.low == 0 && m.high == 0 && m.p == 1);
    trop_measure_folds(&m, same, 1, .25, .95);
    assert_true(isnan(m.mean) && isnan(m.low) && isnan(m.p));
    trop_measure_folds(&m, gap, 3, .25, .95);
    assert_true(isnan(m.mean) && isnan(m.high) && isnan(m.p));
}

/* ---- several tests -------------------------------------------------------------------------- */

static void holm_multiplies_by_how_many_are_left(void **state)
{
    static const struct {
        double p[3], adjusted[3];
    } table[] = {
        { { .01, .02, .04 }, { .03, .04, .04 } }, { { .04, .01, .02 }, { .04, .03, .04 } },
        { { .02, .03, .5 }, { .06, .06, .5 } },   /* 2 x .03 */
        { { .02, .025, .5 }, { .06, .06, .5 } },  /* 2 x .025 = .05 is below .06 */
        { { .02, .02, .02 }, { .06, .06, .06 } }, /* equal ones stay equal */
        { { .5, .4, .6 }, { 1, 1, 1 } },          { { 0, 1, .03 }, { 0, 1, .06 } },
        { { .01, NAN, .04 }, { .03, NAN, .08 } }, /* what was not tested is still a test */
    };
    double adjusted[3];
    (void)state;

    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++) {
        trop_measure_holm(adjusted, table[k].p, 3);
        for (int i = 0; i < 3; i++) {
            if (isnan(table[k].adjusted[i])) {
                assert_true(isnan(adjusted[i]));
            } else {
                assert_near(adjusted[i], table[k].adjusted[i], 1e-15);
            }
        }
    }
    trop_measure_holm(adjusted, (const double[]){ .04 }, 1);
    assert_true(adjusted[0] == .04);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bootstrap_of_two_rows_and_columns_is_enumerated),
        cmocka_unit_test(rows_and_columns_each_have_their_part_of_the_variance),
        cmocka_unit_test(an_interval_leaves_out_0_exactly_when_p_is_small),
        cmocka_unit_test(a_bootstrap_is_a_function_of_seed_and_leaves_out_what_is_missing),
        cmocka_unit_test(an_interval_of_folds_has_students_quantile),
        cmocka_unit_test(p_of_folds_is_students),
        cmocka_unit_test(folds_without_spread_and_without_values),
        cmocka_unit_test(holm_multiplies_by_how_many_are_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
