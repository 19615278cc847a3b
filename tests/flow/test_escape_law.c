/* test_escape_law.c -- first exits: the exact law of polygons, the one-variable recursion of the
 * flow, plain stepping of the chain, the numbers of claims fw-tab-exit, fw-tab-arrival and
 * fw-tab-radius. */
#include "escape_support.h"

/* ---- the exact law ------------------------------------------------------------------------- */

/* 1 - cos(2 pi j/kappa). */
static double gap(int j, int kappa)
{
    return 1 - cos(2 * acos(-1.0) * j / kappa);
}

/* Probability that a token of a regular polygon picks another (claim fw-prop-geometric). */
static double crossing(int kappa, double beta)
{
    double sum = 0;

    for (int j = 1; j < kappa; j++) {
        sum += exp(-beta * gap(j, kappa));
    }
    return sum / (1 + sum);
}

/* Median of the first of `tokens` independent geometric times. */
static double geometric_median(double p, int tokens)
{
    return ceil(log(0.5) / (tokens * log1p(-p)));
}

static void medians_of_the_triangle_are_the_known_ones(void **state)
{
    const double published[] = { 3, 11, 47, 209, 937 };
    struct trop_escape *escape =
        escape_of((const char *[]){ "init", "polygon", "n", "3", "beta", "2:6,40", NULL });
    (void)state;

    for (int64_t row = 0; row < 5; row++) {
        assert_true(cell(escape, "bound.exact", row).kind == TROP_KIND_INTEGER);
        assert_true(cell_number(escape, "bound.exact", row) == published[row]);
    }
    /* Five digits are printed. */
    assert_near(cell_number(escape, "bound.exact", 5) / 1.3193e25, 1, 5e-5);
    assert_near(cell_number(escape, "bound.exact_token", 5) / 3.9579e25, 1, 5e-5);
    trop_escape_free(escape);
}

static void exact_medians_follow_the_geometric_law(void **state)
{
    (void)state;
    for (int kappa = 3; kappa <= 6; kappa++) {
        char n[8];
        snprintf(n, sizeof n, "%d", kappa);
        /* chord > .05/.1 for all of them: one crossing is an exit. */
        struct trop_escape *escape =
            escape_of((const char *[]){ "init", "polygon", "n", n, "beta", "0:60", NULL });
        for (int64_t row = 0; row <= 60; row++) {
            double p = crossing(kappa, (double)row), any = geometric_median(p, kappa);
            /* Logarithms up to 128 have an ulp of 1.4e-14, and a dozen of them add up here. */
            assert_near(cell_number(escape, "bound.exact", row) / any, 1, 5e-13);
            assert_near(cell_number(escape, "bound.exact_token", row) / geometric_median(p, 1), 1,
                        5e-13);
            assert_near(cell_number(escape, "bound.log10_exact", row), log10(any), 5e-13);
        }
        trop_escape_free(escape);
    }
}

static void the_law_is_exact_only_when_one_crossing_is_an_exit(void **state)
{
    /* A crossing moves a token by gamma sqrt(3) = 0.1732. */
    struct trop_escape *within = escape_of(
        (const char *[]){ "init", "polygon", "n", "3", "beta", "5", "radius", "0.17", NULL });
    struct trop_escape *beyond = escape_of(
        (const char *[]){ "init", "polygon", "n", "3", "beta", "5", "radius", "0.175", NULL });
    struct trop_escape *flow = escape_of(
        (const char *[]){ "init", "polygon", "n", "3", "beta", "5", "dynamics", "flow", NULL });
    (void)state;

    assert_true(cell_number(within, "bound.exact", 0) == 209);
    assert_true(isnan(cell_number(beyond, "bound.exact", 0)));
    assert_true(isnan(cell_number(flow, "bound.exact", 0)));
    trop_escape_free(within);
    trop_escape_free(beyond);
    trop_escape_free(flow);
}

/* P[Bin(n, p) >= k]. */
static double binomial_tail(int64_t n, double p, int64_t k)
{
    double sum = 0;

    for (int64_t j = k; j <= n; j++) {
        sum += exp(lgamma((double)n + 1) - lgamma((double)j + 1) - lgamma((double)(n - j) + 1) +
                   (double)j * log(p) + (double)(n - j) * log1p(-p));
    }
    return sum;
}

/* The sample median M of N runs has P[M <= t] = P[Bin(N, F(t)) >= k], k = (N + 1)/2. */
static void simulated_medians_lie_where_the_binomial_law_puts_them(void **state)
{
    const int64_t runs = cases(400, 4000);
    char count[16];
    (void)state;

    snprintf(count, sizeof count, "%lld", (long long)runs);
    struct trop_escape *escape =
        run_of((const char *[]){ "init", "polygon", "n", "3", "beta", "2:6", "runs", count, NULL });
    for (int64_t row = 0; row < 5; row++) {
        double log_inside = 3 * log1p(-crossing(3, (double)row + 2));
        double median = cell_number(escape, "median", row);
        double at = -expm1(median * log_inside), before = -expm1((median - 1) * log_inside);
        int64_t k = (runs + 1) / 2;
        /* Neither tail of 0.05%. */
        assert_true(binomial_tail(runs, at, k) > 0.0005);
        assert_true(before <= 0 || binomial_tail(runs, before, k) < 0.9995);
        struct trop_value interval = cell(escape, "interval", row);
        assert_int_equal(interval.kind, TROP_KIND_NUMBERS);
        assert_true(interval.numbers[0] <= median && median <= interval.numbers[1]);
    }
    trop_escape_free(escape);
}

/* S(t) = (1 - P)^t, within the band at every step: it fails in one study of a hundred. At beta =
 * 38.8 half of the runs end between 2^51 and 2^54 steps, where numbers of steps give way to their
 * logarithms. */
static void survival_is_that_of_the_exact_law(void **state)
{
    struct trop_escape *escape = run_of(
        (const char *[]){ "init", "polygon", "n", "4", "beta", "5,30,38.8", "runs", "2000", NULL });
    const double betas[] = { 5, 30, 38.8 };
    (void)state;

    for (int64_t row = 0; row < 3; row++) {
        struct trop_value curve = cell(escape, "survival", row);
        struct trop_value band = cell(escape, "survival_band", row);
        double log_inside = 4 * log1p(-crossing(4, betas[row]));
        assert_true(curve.shape[0] > 20 && curve.shape[0] <= 50);
        for (int64_t p = 0; p < curve.shape[0]; p++) {
            double s = exp(curve.numbers[2 * p] * log_inside);
            double f = curve.numbers[2 * p + 1], width = sqrt(log(2 / 0.01) / (2 * 2000));
            assert_true(band.numbers[2 * p] <= s && s <= band.numbers[2 * p + 1]);
            assert_near(f, s, width);
            assert_near(band.numbers[2 * p], fmax(f - width, 0), 1e-15);
            assert_near(band.numbers[2 * p + 1], fmin(f + width, 1), 1e-15);
            assert_true(p == 0 || curve.numbers[2 * p] > curve.numbers[2 * p - 2]);
            assert_true(p == 0 || curve.numbers[2 * p + 1] <= curve.numbers[2 * p - 1]);
            assert_near(cell(escape, "survival_log10_steps", row).numbers[p],
                        log10(curve.numbers[2 * p]), 1e-12);
        }
        assert_true(curve.numbers[2 * curve.shape[0] - 1] == 0);
    }
    trop_escape_free(escape);
}

/* 100 runs that leave at the steps 1, ..., 100, as if each had a law that is off by D. Of l the
 * largest with P[Bin(100, 1/2 - D) <= l - 1] <= 1/200, by sums of fractions. */
static void what_freezing_may_have_changed_widens_intervals_until_there_is_none(void **state)
{
    static const struct {
        double distance;
        int64_t rank; /* 0: none */
    } cases[] = { { 0, 37 }, { 0.1, 28 }, { 0.25, 14 }, { 0.4, 3 }, { 0.45, 0 }, { 1, 0 } };
    struct trop_escape *escape =
        run_of((const char *[]){ "init", "polygon", "n", "3", "beta", "4", "runs", "100", NULL });
    (void)state;

    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const double l = (double)cases[k].rank, d = cases[k].distance;
        for (int64_t run = 0; run < 100; run++) {
            escape->runs[run].exit =
                (struct trop_escape_time){ (double)(run + 1), log((double)(run + 1)) };
            escape->runs[run].distance = run == 57 ? d : 0;
        }
        trop_escape_summarise(escape, escape->rows);
        trop_escape_regress(escape);
        struct trop_value interval = cell(escape, "interval", 0), advice;
        assert_int_equal(interval.kind == TROP_KIND_NUMBERS, l > 0);
        assert_true(l == 0 || (interval.numbers[0] == l && interval.numbers[1] == 101 - l));
        assert_ok(trop_escape_value(&advice, escape, "advice"));
        assert_int_equal(advice.kind == TROP_KIND_TEXT, l == 0);
        assert_true(l > 0 || strstr(advice.text, "a smaller tolerance") != NULL);
        struct trop_value band = cell(escape, "survival_band", 0);
        assert_near(band.numbers[0], fmax(0.99 - sqrt(log(200) / 200) - d, 0), 1e-15);
    }
    trop_escape_free(escape);
}

/* Three medians on no line: an error, until the runs of one beta are too far from the chain. */
static void a_slope_through_medians_without_intervals_has_no_error(void **state)
{
    struct trop_escape *escape = run_of(
        (const char *[]){ "init", "polygon", "n", "3", "beta", "2,3,4", "runs", "100", NULL });
    (void)state;

    assert_true(number(escape, "exponent.standard_error") > 0);
    const double slope_before = number(escape, "exponent.fit");
    escape->runs[0].distance = 0.5;
    trop_escape_summarise(escape, escape->rows + 2); /* its runs are the ones in store */
    trop_escape_regress(escape);
    assert_true(is_null(escape, "exponent.standard_error"));
    assert_true(number(escape, "exponent.fit") == slope_before);
    trop_escape_free(escape);
}

/* ---- exponents ----------------------------------------------------------------------------- */

/* Least-squares slope of y at x = first, first + 1, ... */
static double slope(const double *y, int64_t count)
{
    double middle = 0.5 * (double)(count - 1), xy = 0, xx = 0;

    for (int64_t k = 0; k < count; k++) {
        xy += ((double)k - middle) * y[k];
        xx += ((double)k - middle) * ((double)k - middle);
    }
    return xy / xx;
}

static void exponents_of_the_chain_are_c0(void **state)
{
    const double published[] = { .9998, .9994, .998, .995 }; /* of c0, medians of one token */
    const double half[] = { 5e-5, 5e-5, 5e-4, 5e-4 };        /* of their last digit */
    (void)state;

    for (int kappa = 3; kappa <= 6; kappa++) {
        char n[8];
        double exact[59], token[59];
        snprintf(n, sizeof n, "%d", kappa);
        struct trop_escape *escape = run_of(
            (const char *[]){ "init", "polygon", "n", n, "beta", "2:60", "runs", "200", NULL });
        double c0 = gap(1, kappa);
        assert_near(number(escape, "constants.c0"), c0, 1e-15);
        for (int64_t row = 0; row < 59; row++) {
            exact[row] = log(10) * cell_number(escape, "bound.log10_exact", row);
            token[row] = log(10) * cell_number(escape, "bound.log10_exact_token", row);
        }
        assert_near(slope(token, 59) / c0, published[kappa - 3], half[kappa - 3]);
        assert_near(number(escape, "exponent.fit") / c0, 1, 0.02);
        /* The median of 200 exponential times has a relative spread of 1/(log 2 sqrt(200)) =
         * 0.102, so the slope one of 0.102/sqrt(Sxx), Sxx = 59 (59^2 - 1)/12 = 17110. */
        assert_near(number(escape, "exponent.fit"), slope(exact, 59), 4 * 0.102 / sqrt(17110));
        assert_true(number(escape, "exponent.standard_error") < 0.01);
        assert_int_equal(number(escape, "exponent.betas"), 59);
        trop_escape_free(escape);
    }
}

static void a_line_through_two_betas_has_no_error_and_one_has_no_slope(void **state)
{
    struct trop_escape *one = run_of(
        (const char *[]){ "init", "polygon", "n", "3", "beta", "5", "dynamics", "flow", NULL });
    struct trop_escape *two = run_of(
        (const char *[]){ "init", "polygon", "n", "3", "beta", "5,7", "dynamics", "flow", NULL });
    (void)state;

    assert_true(is_null(one, "exponent.fit"));
    double rise =
        log(10) * (cell_number(two, "log10_median", 1) - cell_number(two, "log10_median", 0));
    assert_near(number(two, "exponent.fit"), rise / 2, 1e-12);
    assert_true(is_null(two, "exponent.standard_error"));
    trop_escape_free(one);
    trop_escape_free(two);
}

/* ---- the flow: a recursion in one variable ------------------------------------------------- */

/* Regular polygon of radius r under softmax (claim fw-rem-polygon), r' = r + g(r):
 *   -g = gamma r sum_j c_j e^(-beta r^2 c_j) / Z,  c_j = 1 - cos theta_j,
 * divided by e^(-beta r^2 c_1). */
static double pull(int kappa, double beta, double gamma, double r)
{
    double sum = 0, z = 1;

    for (int j = 1; j < kappa; j++) {
        sum += gap(j, kappa) * exp(-beta * r * r * (gap(j, kappa) - gap(1, kappa)));
        z += exp(-beta * r * r * gap(j, kappa));
    }
    return gamma * r * sum / z;
}

static double change(int kappa, double beta, double gamma, double r)
{
    return -pull(kappa, beta, gamma, r) * exp(-beta * r * r * gap(1, kappa));
}

/* log of the steps from r = 1 to r = 1 - radius: the time of the modified field g - g'g/2, by
 * Simpson's rule, relative to e^(beta c_1). */
static double log_quadrature(int kappa, double beta, double gamma, double radius)
{
    const int cells = 20000; /* at beta = 1e4 the integrand falls by 0.075 in one: off by 2e-7 */
    double h = radius / cells, sum = 0;

    for (int k = 0; k <= cells; k++) {
        double r = 1 - k * h, e = 1e-6;
        double steep =
            (change(kappa, beta, gamma, r + e) - change(kappa, beta, gamma, r - e)) / (2 * e);
        double f = exp(beta * gap(1, kappa) * (r * r - 1)) / pull(kappa, beta, gamma, r) /
                   (1 - 0.5 * steep);
        sum += (k == 0 || k == cells ? 1 : k % 2 ? 4 : 2) * f;
    }
    return log(sum * h / 3) + beta * gap(1, kappa);
}

static double stepped(int kappa, double beta, double gamma, double radius)
{
    double r = 1;
    int64_t t = 0;

    while (1 - r <= radius) {
        r += change(kappa, beta, gamma, r);
        t++;
    }
    return (double)t;
}

static void the_flow_of_a_polygon_leaves_when_the_recursion_does(void **state)
{
    (void)state;
    for (int kappa = 3; kappa <= 6; kappa++) {
        char n[8];
        snprintf(n, sizeof n, "%d", kappa);
        struct trop_escape *escape = run_of(
            (const char *[]){ "init", "polygon", "n", n, "beta", "2:8", "dynamics", "flow", NULL });
        for (int64_t row = 0; row < 7; row++) {
            double t = stepped(kappa, (double)row + 2, 0.1, 0.05);
            /* Below 200 steps exactly; above, to the tolerance of leaps and one for rounding up. */
            double most = t < 200 ? 0 : 1 + 1e-5 * t;
            assert_near(cell_number(escape, "median", row), t, most);
        }
        trop_escape_free(escape);
    }
}

static void the_flow_of_a_polygon_follows_the_quadrature_at_any_beta(void **state)
{
    const int64_t step = cases(8, 1);
    char betas[32];
    (void)state;

    snprintf(betas, sizeof betas, "12:60:%lld,10000", (long long)step);
    for (int kappa = 3; kappa <= 6; kappa++) {
        char n[8];
        double ours[64], theirs[64];
        int64_t count = 48 / step + 1;
        snprintf(n, sizeof n, "%d", kappa);
        struct trop_escape *escape = run_of(
            (const char *[]){ "init", "polygon", "n", n, "beta", betas, "dynamics", "flow", NULL });
        for (int64_t row = 0; row <= count; row++) {
            double beta = cell_number(escape, "beta", row);
            ours[row] = log(10) * cell_number(escape, "log10_median", row);
            theirs[row] = log_quadrature(kappa, beta, 0.1, 0.05);
            /* The issue asks for 0.1%; leaps keep to 2e-5, and an exit is rounded up to a step. */
            assert_near(ours[row], theirs[row], 2e-5 + exp(-theirs[row]));
        }
        assert_near(slope(ours, count) / slope(theirs, count), 1, 1e-3);
        trop_escape_free(escape);
    }
}

/* ---- arrivals ------------------------------------------------------------------------------ */

/* Claim fw-tab-arrival: deterministic, n = 2 kappa, gamma = .1, displaced .35, tolerance .05. */
static void arrivals_are_the_known_ones(void **state)
{
    const double published[] = { 31, 20, 19, 19 };
    (void)state;

    for (int kappa = 3; kappa <= 5; kappa++) {
        struct trop_escape *escape = run_doubled(kappa, "4,8,16,32,64,128", TROP_ESCAPE_FLOW, 1);
        for (int64_t row = 0; row < 2; row++) {
            assert_true(cell(escape, "arrival", row).kind == TROP_KIND_NULL);
        }
        for (int64_t row = 0; row < 4; row++) {
            assert_true(cell_number(escape, "arrival", row + 2) == published[row]);
            /* Going to the vertex is no exit, though it is a way of .35. */
            assert_true(cell_number(escape, "log10_median", row + 2) > 4);
        }
        assert_near(number(escape, "constants.rho"), 0.35, 1e-15);
        assert_near(number(escape, "constants.m"), 0.35, 1e-15);
        assert_int_equal(number(escape, "constants.groups"), kappa);
        trop_escape_free(escape);
    }
}

/* At large beta the chain does what hardmax does: (1 - gamma)^t .35 <= .05 from t = 19 on. */
static void the_chain_arrives_as_hardmax_does_at_large_beta(void **state)
{
    struct trop_escape *escape = run_doubled(3, "300", TROP_ESCAPE_CHAIN, 20);
    (void)state;

    assert_true(cell_number(escape, "arrival", 0) == 19);
    assert_near(cell_number(escape, "log10_arrival", 0), log10(19), 1e-15);
    trop_escape_free(escape);
}

/* ---- groups with spread -------------------------------------------------------------------- */

/* Distance from q to the segment a b. */
static double to_segment(const double *q, const double *a, const double *b)
{
    double ab[2] = { b[0] - a[0], b[1] - a[1] }, aq[2] = { q[0] - a[0], q[1] - a[1] };
    double t = (ab[0] * aq[0] + ab[1] * aq[1]) / (ab[0] * ab[0] + ab[1] * ab[1]);

    t = fmin(fmax(t, 0), 1);
    return hypot(aq[0] - t * ab[0], aq[1] - t * ab[1]);
}

/* Plain steps of the chain from the doubled polygon to its exit. */
static double step_to_exit(int kappa, double beta, uint64_t seed)
{
    double x[24], y[24], start[24];
    int n = 2 * kappa;

    doubled(x, kappa);
    memcpy(start, x, sizeof x);
    for (uint64_t t = 1;; t++) {
        for (int i = 0; i < n; i++) {
            double weight[12], z = 0;
            for (int j = 0; j < n; j++) {
                weight[j] = exp(beta * (x[2 * i] * (x[2 * j] - x[2 * i]) +
                                        x[2 * i + 1] * (x[2 * j + 1] - x[2 * i + 1])));
                z += weight[j];
            }
            double u = z * uniform(seed, t * 16 + (uint64_t)i);
            int j = 0;
            while (j < n - 1 && (u -= weight[j]) >= 0) {
                j++;
            }
            y[2 * i] = x[2 * i] + 0.1 * (x[2 * j] - x[2 * i]);
            y[2 * i + 1] = x[2 * i + 1] + 0.1 * (x[2 * j + 1] - x[2 * i + 1]);
        }
        memcpy(x, y, sizeof x);
        for (int i = 0; i < n; i++) {
            int g = i % kappa;
            if (to_segment(x + 2 * i, start + 2 * g, start + 2 * (g + kappa)) > 0.05) {
                return (double)t;
            }
        }
    }
}

/* Two samples of one law: their survival curves differ by more than 1.95 sqrt(1/N + 1/M) in one
 * case of a thousand (Kolmogorov and Smirnov). */
static void groups_with_spread_leave_as_plain_stepping_says(void **state)
{
    enum { PLAIN = 4000 };
    static double exits[PLAIN];
    const int64_t runs = cases(500, 4000), plain = cases(500, PLAIN);
    (void)state;

    for (int64_t k = 0; k < plain; k++) {
        exits[k] = step_to_exit(3, 6, 1000 + (uint64_t)k);
    }
    struct trop_escape *escape = run_doubled(3, "6", TROP_ESCAPE_CHAIN, runs);
    struct trop_value curve = cell(escape, "survival", 0);
    assert_true(curve.shape[0] > 20);
    for (int64_t p = 0; p < curve.shape[0]; p++) {
        double inside = 0;
        for (int64_t k = 0; k < plain; k++) {
            inside += exits[k] > curve.numbers[2 * p];
        }
        assert_near(curve.numbers[2 * p + 1], inside / (double)plain,
                    1.95 * sqrt(1 / (double)runs + 1 / (double)plain));
    }
    trop_escape_free(escape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(medians_of_the_triangle_are_the_known_ones),
        cmocka_unit_test(exact_medians_follow_the_geometric_law),
        cmocka_unit_test(the_law_is_exact_only_when_one_crossing_is_an_exit),
        cmocka_unit_test(simulated_medians_lie_where_the_binomial_law_puts_them),
        cmocka_unit_test(survival_is_that_of_the_exact_law),
        cmocka_unit_test(what_freezing_may_have_changed_widens_intervals_until_there_is_none),
        cmocka_unit_test(a_slope_through_medians_without_intervals_has_no_error),
        cmocka_unit_test(exponents_of_the_chain_are_c0),
        cmocka_unit_test(a_line_through_two_betas_has_no_error_and_one_has_no_slope),
        cmocka_unit_test(the_flow_of_a_polygon_leaves_when_the_recursion_does),
        cmocka_unit_test(the_flow_of_a_polygon_follows_the_quadrature_at_any_beta),
        cmocka_unit_test(arrivals_are_the_known_ones),
        cmocka_unit_test(the_chain_arrives_as_hardmax_does_at_large_beta),
        cmocka_unit_test(groups_with_spread_leave_as_plain_stepping_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
