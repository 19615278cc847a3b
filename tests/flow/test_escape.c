/* test_escape.c -- first exits: the exact law of polygons, the one-variable recursion of the flow,
 * plain stepping of the chain, the numbers of claims fw-tab-exit, fw-tab-arrival and
 * fw-tab-radius. */
#include "support.h"

#include "alloc_failing.c"
#include "flow/escape/escape.h"

/* ---- reading results ----------------------------------------------------------------------- */

static struct trop_escape *escape_of(const char *const *pairs)
{
    struct trop_escape *escape = NULL;

    assert_ok(trop_escape_create_from(&escape, pairs));
    return escape;
}

static struct trop_escape *run_of(const char *const *pairs)
{
    struct trop_escape *escape = escape_of(pairs);

    assert_ok(trop_escape_run(escape, NULL, NULL));
    return escape;
}

static struct trop_value cell(const struct trop_escape *escape, const char *name, int64_t row)
{
    struct trop_value value = { 0 };

    assert_ok(trop_field_cell(&value, trop_escape_field_table(), escape, "betas", name, row));
    return value;
}

/* NaN when there is none. */
static double cell_number(const struct trop_escape *escape, const char *name, int64_t row)
{
    struct trop_value value = cell(escape, name, row);

    return value.kind == TROP_KIND_NUMBER    ? value.number
           : value.kind == TROP_KIND_INTEGER ? (double)value.integer
                                             : (double)NAN;
}

static double number(const struct trop_escape *escape, const char *name)
{
    double value = NAN;

    assert_ok(trop_escape_number(&value, escape, name));
    return value;
}

static int is_null(const struct trop_escape *escape, const char *name)
{
    struct trop_value value;

    assert_ok(trop_escape_value(&value, escape, name));
    return value.kind == TROP_KIND_NULL;
}

static const char *text(const struct trop_escape *escape, const char *name)
{
    struct trop_value value;

    assert_ok(trop_escape_value(&value, escape, name));
    assert_int_equal(value.kind, TROP_KIND_TEXT);
    return value.text;
}

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

/* S(t) = (1 - P)^t, within the band at every step: it fails in one study of a hundred. */
static void survival_is_that_of_the_exact_law(void **state)
{
    struct trop_escape *escape = run_of(
        (const char *[]){ "init", "polygon", "n", "4", "beta", "5,30", "runs", "2000", NULL });
    (void)state;

    for (int64_t row = 0; row < 2; row++) {
        struct trop_value curve = cell(escape, "survival", row);
        struct trop_value band = cell(escape, "survival_band", row);
        double log_inside = 4 * log1p(-crossing(4, row ? 30 : 5));
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

/* Polygon with a second token at 0.65 of each vertex. */
static void doubled(double *out, int kappa)
{
    for (int i = 0; i < 2 * kappa; i++) {
        double angle = 2 * acos(-1.0) * (i % kappa) / kappa, r = i < kappa ? 1 : 0.65;
        out[2 * i] = r * cos(angle);
        out[2 * i + 1] = r * sin(angle);
    }
}

static struct trop_escape *run_doubled(int kappa, const char *beta, int64_t dynamics, int64_t runs)
{
    double x[24];
    struct trop_escape_options options = trop_escape_options_default();
    struct trop_escape *escape = NULL;

    doubled(x, kappa);
    options.cloud.tokens = x;
    options.cloud.n = 2 * kappa;
    options.beta = beta;
    options.dynamics = dynamics;
    options.runs = runs;
    options.near = 0.05;
    assert_ok(trop_escape_create(&escape, &options));
    assert_ok(trop_escape_run(escape, NULL, NULL));
    return escape;
}

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

/* ---- hypotheses, constants, bounds --------------------------------------------------------- */

static void hypotheses_that_fail_are_named(void **state)
{
    const double lopsided[] = { 1, 0, -0.5, 0.9, -0.6, -0.8 };
    struct trop_escape_options options = trop_escape_options_default();
    struct trop_escape *escape = NULL;
    (void)state;

    escape = escape_of((const char *[]){ "init", "polygon", "n", "4", "beta", "5", NULL });
    assert_true(number(escape, "hypotheses.acute") == 0); /* right angles */
    assert_true(number(escape, "hypotheses.equal_norm") == 1);
    assert_true(number(escape, "hypotheses.c0_positive") == 1);
    assert_true(number(escape, "hypotheses.small_radius") == 1);
    assert_string_equal(text(escape, "hypotheses.failed"), "acute, radius_over_gamma");
    trop_escape_free(escape);

    /* 4 (0.1) + 2 (0.01) = .42 <= .75, and 4 (.2) + 2 (.04) = .88 is not. */
    escape = escape_of((const char *[]){ "init", "polygon", "n", "3", "beta", "5", "radius", "0.2",
                                         "gamma", "0.05", NULL });
    assert_true(number(escape, "hypotheses.acute") == 1);
    assert_string_equal(text(escape, "hypotheses.failed"), "small_radius");
    assert_true(isnan(cell_number(escape, "bound.repaired", 0)));
    assert_true(!isnan(cell_number(escape, "bound.printed", 0)));
    trop_escape_free(escape);

    escape = escape_of((const char *[]){ "init", "polygon", "n", "3", "beta", "5", "key_query", "2",
                                         "gamma", "0.01", NULL });
    assert_string_equal(text(escape, "hypotheses.failed"), "identity");
    assert_true(isnan(cell_number(escape, "bound.printed", 0)));
    assert_true(isnan(cell_number(escape, "bound.repaired", 0)));
    trop_escape_free(escape);

    options.cloud.tokens = lopsided;
    options.cloud.n = 3;
    options.beta = "5";
    options.gamma = 0.01;
    assert_ok(trop_escape_create(&escape, &options));
    assert_string_equal(text(escape, "hypotheses.failed"), "equal_norm");
    trop_escape_free(escape);
}

static void bounds_are_where_the_survival_bound_is_one_half(void **state)
{
    const double gamma[] = { 0.1, 0.01 };
    (void)state;

    for (int k = 0; k < 2; k++) {
        double n = 3, c0 = 1.5, eps = 0.05, a = eps / gamma[k];
        double m = ceil(eps / (gamma[k] * sqrt(3)));
        char text_of[16];
        snprintf(text_of, sizeof text_of, "%g", gamma[k]);
        struct trop_escape *escape = escape_of((const char *[]){
            "init", "polygon", "n", "3", "beta", "1,20,100", "gamma", text_of, NULL });
        assert_true(number(escape, "constants.M") == m);
        for (int64_t row = 0; row < 3; row++) {
            double beta = cell_number(escape, "beta", row);
            double t = cell_number(escape, "bound.repaired", row);
            double survival = 1 - exp(m * (1 + log(t * n * n / m) - beta * c0 / 2));
            assert_true(t >= 1);
            if (t > 1) {
                assert_near(survival, 0.5, 1e-12);
            } else {
                assert_true(survival <= 0.5);
            }
            t = cell_number(escape, "bound.printed", row);
            assert_int_equal(isnan(t), a < 2 * sqrt(3));
            if (t > 1) {
                survival = 1 - exp((1 + a) * (log(t / a) + log(n)) - beta * c0 * a / 2);
                assert_near(survival, 0.5, 1e-11);
            }
            /* What is proved is not above what is true. */
            double exact = cell_number(escape, "bound.exact", row);
            assert_true(isnan(exact) || cell_number(escape, "bound.repaired", row) <= exact);
        }
        trop_escape_free(escape);
    }
}

static void constants_of_the_doubled_triangle_are_known(void **state)
{
    struct trop_escape *escape = run_doubled(3, "300", TROP_ESCAPE_FLOW, 1);
    double r = 0.35 + 0.05, tau = fmin(1.5 / (2 * sqrt(3)), 0.9 * 0.35);
    (void)state;

    assert_near(number(escape, "constants.R"), 1, 1e-15);
    assert_near(number(escape, "constants.diameter"), sqrt(3), 1e-15);
    assert_near(number(escape, "constants.lambda"), 1.5 - 4 * r - r * r, 1e-14);
    assert_near(number(escape, "constants.tau"), tau, 1e-15);
    assert_true(number(escape, "constants.T1") == 1); /* tau = .9 m */
    assert_true(number(escape, "constants.near") == 0.05);
    assert_int_equal(number(escape, "constants.kappa"), 3);
    assert_int_equal(number(escape, "constants.n"), 6);
    trop_escape_free(escape);
}

/* ---- corners ------------------------------------------------------------------------------- */

static void one_group_never_leaves(void **state)
{
    /* The cone of the far vertex holds the whole cloud. */
    const double x[] = { 10, 0, 9, 1, 9, -1, 9.5, 0 };
    struct trop_escape_options options = trop_escape_options_default();
    (void)state;

    for (int64_t dynamics = 0; dynamics < 2; dynamics++) {
        struct trop_escape *escape = NULL;
        options.cloud.tokens = x;
        options.cloud.n = 4;
        options.beta = "0,5";
        options.dynamics = dynamics;
        assert_ok(trop_escape_create(&escape, &options));
        assert_int_equal(number(escape, "constants.groups"), 1);
        assert_ok(trop_escape_run(escape, NULL, NULL));
        assert_true(cell_number(escape, "median", 1) == INFINITY);
        assert_true(cell_number(escape, "log10_median", 1) == INFINITY);
        assert_true(is_null(escape, "exponent.fit"));
        trop_escape_free(escape);
    }
}

/* beta = 0: each of three tokens picks another with probability 2/3. Below, nobody stays. */
static void beta_of_zero_and_below_leaves_at_once(void **state)
{
    struct trop_escape *escape = run_of(
        (const char *[]){ "init", "polygon", "n", "3", "beta", "0,-5,-1e4", "runs", "50", NULL });
    struct trop_escape *flow = run_of((const char *[]){ "init", "polygon", "n", "3", "beta",
                                                        "0,-5,-1e4", "dynamics", "flow", NULL });
    (void)state;

    for (int64_t row = 0; row < 3; row++) {
        assert_true(cell_number(escape, "median", row) == 1);
        assert_true(cell_number(escape, "bound.exact", row) == 1);
        assert_true(isnan(cell_number(escape, "bound.repaired", row)) == (row > 0));
        assert_true(cell_number(flow, "median", row) == 1);
    }
    trop_escape_free(escape);
    trop_escape_free(flow);
}

static void nothing_overflows_at_large_beta(void **state)
{
    struct trop_escape *escape =
        run_of((const char *[]){ "init", "polygon", "n", "3", "beta", "1e4", "runs", "100", NULL });
    (void)state;

    /* log 2 over 6 e^(-15000). */
    double exact = (15000 + log(log(2) / 6)) / log(10);
    assert_near(cell_number(escape, "bound.log10_exact", 0), exact, 1e-8);
    assert_near(cell_number(escape, "log10_median", 0), exact, 0.3);
    assert_true(cell(escape, "median", 0).kind == TROP_KIND_NULL);
    struct trop_value curve = cell(escape, "survival_log10_steps", 0);
    assert_true(curve.shape[0] == 50 && curve.numbers[0] > 6500);
    trop_escape_free(escape);
}

static void runs_without_exit_leave_the_median_open(void **state)
{
    /* An exit takes three crossings. */
    struct trop_escape *two =
        run_of((const char *[]){ "init", "polygon", "n", "3", "beta", "20", "radius", "0.4", "runs",
                                 "20", "moves", "2", NULL });
    struct trop_escape *many = run_of((const char *[]){ "init", "polygon", "n", "3", "beta", "20",
                                                        "radius", "0.4", "runs", "20", NULL });
    (void)state;

    assert_true(number(two, "constants.M") == 3);
    assert_true(cell_number(two, "open", 0) == 20);
    assert_true(isnan(cell_number(two, "median", 0)));
    assert_true(isfinite(cell(two, "interval", 0).numbers[0]));
    assert_true(cell(two, "interval", 0).numbers[1] == INFINITY);
    assert_true(cell(two, "survival", 0).shape[0] == 0);
    assert_true(cell_number(many, "open", 0) == 0);
    assert_true(!isnan(cell_number(many, "median", 0)));
    trop_escape_free(two);
    trop_escape_free(many);
}

static void lists_of_betas_are_read_in_order(void **state)
{
    const double expected[] = { 2, 4, 6, -1, 0, 1, 0.5, 0.75, 1, 1e4 };
    struct trop_escape *escape = escape_of(
        (const char *[]){ "init", "polygon", "n", "3", "beta", "2,4,6,-1:1,0.5:1:0.25,1e4", NULL });
    struct trop_value betas;
    (void)state;

    assert_ok(trop_escape_value(&betas, escape, "betas"));
    assert_int_equal(betas.shape[0], 10);
    for (int64_t row = 0; row < 10; row++) {
        assert_true(cell_number(escape, "beta", row) == expected[row]);
    }
    trop_escape_free(escape);
    /* 0.3/0.1 is below 3: the end of the range is there all the same. */
    escape = escape_of((const char *[]){ "init", "polygon", "n", "3", "beta", "0:0.3:0.1", NULL });
    assert_ok(trop_escape_value(&betas, escape, "betas"));
    assert_int_equal(betas.shape[0], 4);
    trop_escape_free(escape);
}

static void what_cannot_work_is_refused_by_name(void **state)
{
    static const struct {
        const char *name, *value, *words;
    } refused[] = {
        { "beta", "", "beta = : must be numbers" },
        { "beta", "2,,3", "beta = 2,,3: must be numbers" },
        { "beta", "nan", "beta = nan: must be finite" },
        { "beta", "1,inf", "must be finite" },
        { "beta", "6:2", "a range must go upwards" },
        { "beta", "2:6:0", "a range must go upwards" },
        { "beta", "2;6", "must be numbers" },
        { "beta", "0:1e9", "at most 100000" },
        { "radius", "0", "radius = 0: must be above 0" },
        { "radius", "-1", "radius = -1" },
        { "runs", "0", "runs = 0: must be" },
        { "gamma", "0", "gamma = 0: must be above 0" },
        { "gamma", "1.5", "gamma = 1.5" },
        { "near", "-2", "near = -2" },
        { "tolerance", "0", "tolerance = 0" },
        { "moves", "0", "moves = 0" },
    };
    struct trop_escape *escape = NULL;
    (void)state;

    for (size_t k = 0; k < sizeof refused / sizeof refused[0]; k++) {
        const char *pairs[] = { "init", "polygon", refused[k].name, refused[k].value, NULL };
        assert_int_equal(trop_escape_create_from(&escape, pairs), TROP_ERR_ARG);
        if (!strstr(trop_error(), refused[k].words)) {
            fail_msg("%s = %s: says '%s', not '%s'", refused[k].name, refused[k].value,
                     trop_error(), refused[k].words);
        }
    }
    assert_null(escape);
}

static void a_token_on_a_wall_is_refused_by_its_index(void **state)
{
    const double x[] = { 1, 0, -1, 0, 0.5, 0, 0, 0 };
    struct trop_escape_options options = trop_escape_options_default();
    struct trop_escape *escape = NULL;
    (void)state;

    options.cloud.tokens = x;
    options.cloud.n = 4;
    assert_int_equal(trop_escape_create(&escape, &options), TROP_ERR_UNSUPPORTED);
    assert_non_null(strstr(trop_error(), "token 3"));
    assert_non_null(strstr(trop_error(), "wall"));
    options.cloud.n = 3;
    assert_ok(trop_escape_create(&escape, &options));
    trop_escape_free(escape);
}

/* x -> s x, beta -> beta/s^2, radius -> s radius changes nothing (claim fw-rem-scaling-beta). */
static void scaling_changes_no_step(void **state)
{
    const double unit[] = { 1, 0, -1, 0, 0, 1, 0.8, 0 };
    const double scale[] = { 1, 0x1p-400, 0x1p-3, 0x1p400 };
    double x[8], first = NAN;
    (void)state;

    for (int k = 0; k < 4; k++) {
        struct trop_escape_options options = trop_escape_options_default();
        struct trop_escape *escape = NULL;
        char beta[32];
        snprintf(beta, sizeof beta, "%.17g", 6 / scale[k] / scale[k]);
        for (int i = 0; i < 8; i++) {
            x[i] = scale[k] * unit[i];
        }
        options.cloud.tokens = x;
        options.cloud.n = 4;
        options.beta = beta;
        options.radius *= scale[k];
        options.dynamics = TROP_ESCAPE_FLOW;
        assert_ok(trop_escape_create(&escape, &options));
        assert_ok(trop_escape_run(escape, NULL, NULL));
        first = k == 0 ? cell_number(escape, "median", 0) : first;
        assert_true(first > 10 && cell_number(escape, "median", 0) == first);
        trop_escape_free(escape);
    }
}

static void a_cloud_too_small_for_the_flow_is_refused(void **state)
{
    const double x[] = { 1e-200, 0, -1e-200, 0 };
    struct trop_escape_options options = trop_escape_options_default();
    struct trop_escape *escape = NULL;
    (void)state;

    options.cloud.tokens = x;
    options.cloud.n = 2;
    assert_ok(trop_escape_create(&escape, &options));
    trop_escape_free(escape);
    options.dynamics = TROP_ESCAPE_FLOW;
    assert_int_equal(trop_escape_create(&escape, &options), TROP_ERR_NUMERIC);
    assert_non_null(strstr(trop_error(), "1e-150"));
}

/* ---- determinism, stopping, memory --------------------------------------------------------- */

/* Everything that a row says is equal to the last bit. */
static void assert_same_rows(const struct trop_escape *a, const struct trop_escape *b, int64_t rows)
{
    const struct trop_field *columns = trop_escape_field_table()->columns;

    for (int64_t row = 0; row < rows; row++) {
        for (const struct trop_field *field = columns; field->name; field++) {
            struct trop_value va = { 0 }, vb = { 0 };
            assert_ok(trop_field_read(&va, field, a, row));
            assert_ok(trop_field_read(&vb, field, b, row));
            assert_int_equal(va.kind, vb.kind);
            assert_memory_equal(&va.number, &vb.number, sizeof va.number);
            assert_true(va.integer == vb.integer && va.shape[0] == vb.shape[0]);
            if (va.kind == TROP_KIND_NUMBERS && va.shape[0] > 0) {
                int64_t count = va.shape[0] * (va.rank == 2 ? va.shape[1] : 1);
                assert_memory_equal(va.numbers, vb.numbers, (size_t)count * sizeof(double));
            }
        }
    }
}

static struct trop_escape *study_with(int64_t threads, const char *beta)
{
    static double x[16];
    struct trop_escape_options options = trop_escape_options_default();
    struct trop_escape *escape = NULL;

    doubled(x, 4);
    options.cloud.tokens = x;
    options.cloud.n = 8;
    options.beta = beta;
    options.runs = 60;
    options.threads = threads;
    assert_ok(trop_escape_create(&escape, &options));
    return escape;
}

static void threads_change_no_bit(void **state)
{
    struct trop_escape *one = study_with(1, "5,20"), *many = study_with(5, "5,20");
    struct trop_escape *alone = study_with(2, "20"), *both = study_with(3, "5,20");
    (void)state;

    assert_ok(trop_escape_run(one, NULL, NULL));
    assert_ok(trop_escape_run(many, NULL, NULL));
    assert_ok(trop_escape_run(both, NULL, NULL));
    assert_same_rows(one, many, 2);
    assert_same_rows(one, both, 2);
    /* Nor do the other betas of the list. */
    assert_ok(trop_escape_run(alone, NULL, NULL));
    assert_true(cell_number(alone, "log10_median", 0) == cell_number(one, "log10_median", 1));
    trop_escape_free(one);
    trop_escape_free(many);
    trop_escape_free(both);
    trop_escape_free(alone);
}

/* Times near e^30: two that agree come from one seed. */
static void no_two_runs_share_their_numbers(void **state)
{
    struct trop_escape *escape = run_of(
        (const char *[]){ "init", "polygon", "n", "3", "beta", "20,20.5", "runs", "300", NULL });
    (void)state;

    for (int64_t a = 0; a < 300; a++) {
        for (int64_t b = 0; b < a; b++) {
            assert_true(escape->runs[a].exit.log != escape->runs[b].exit.log);
        }
    }
    /* Nor do two betas: the same numbers would shift the median by 1.5 times .5 exactly. */
    double shift =
        log(10) * (cell_number(escape, "log10_median", 1) - cell_number(escape, "log10_median", 0));
    assert_true(fabs(shift - 0.75) > 1e-6);
    trop_escape_free(escape);
}

static int stop_at_third(void *context, int64_t done, int64_t total)
{
    int *calls = context;

    assert_true(done >= 0 && done <= total && total == 120);
    return ++*calls == 3;
}

static void a_stopped_study_says_what_it_knows_and_can_go_on(void **state)
{
    struct trop_escape *whole = study_with(1, "5,20"), *parts = study_with(1, "5,20");
    int calls = 0;
    (void)state;

    assert_ok(trop_escape_run(whole, NULL, NULL));
    assert_int_equal(trop_escape_run(parts, stop_at_third, &calls), TROP_ERR_STOPPED);
    double done = cell_number(parts, "runs", 0) + cell_number(parts, "runs", 1);
    assert_true(done > 0 && done < 120);
    assert_true(!isnan(cell_number(parts, "median", 0)));
    assert_ok(trop_escape_run(parts, NULL, NULL));
    assert_same_rows(whole, parts, 2);
    trop_escape_free(whole);
    trop_escape_free(parts);
}

static enum trop_status attempt_with(const char *dynamics)
{
    struct trop_escape *escape = NULL;
    enum trop_status status = trop_escape_create_from(
        &escape,
        (const char *[]){ "init", "polygon", "n", "3", "beta", "3,4", "threads", "1", "dynamics",
                          dynamics, strcmp(dynamics, "chain") == 0 ? "runs" : "seed", "4", NULL });

    if (status == TROP_OK) {
        status = trop_escape_run(escape, NULL, NULL);
    }
    trop_escape_free(escape);
    return status;
}

static enum trop_status attempt_chain(void)
{
    return attempt_with("chain");
}

static enum trop_status attempt_flow(void)
{
    return attempt_with("flow");
}

static void refused_memory_is_reported_and_nothing_leaks(void **state)
{
    (void)state;
    alloc_refuse_each(attempt_chain);
    alloc_refuse_each(attempt_flow);
}

/* Near its vertex at the step at which it leaves is not before. */
static void an_arrival_at_the_exit_is_none(void **state)
{
    static const double x[] = { 0, -1, -1.0625, -2.578125, 0.8828125, -0.84375 };
    struct trop_escape_options options = trop_escape_options_default();
    struct trop_escape *escape = NULL;
    struct trop_value value;

    (void)state;
    options.cloud.n = 3;
    options.cloud.tokens = x;
    options.beta = "20";
    options.dynamics = TROP_ESCAPE_FLOW;
    options.gamma = 0.5;
    options.near = 0.2;
    assert_ok(trop_escape_create(&escape, &options));
    assert_ok(trop_escape_run(escape, NULL, NULL));
    const struct trop_field *table = trop_escape_field_table();
    assert_ok(trop_field_cell(&value, table, escape, "betas", "median", 0));
    assert_int_equal(value.integer, 4);
    assert_ok(trop_field_cell(&value, table, escape, "betas", "arrival", 0));
    assert_int_equal(value.kind, TROP_KIND_NULL);
    trop_escape_free(escape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_arrival_at_the_exit_is_none),
        cmocka_unit_test(medians_of_the_triangle_are_the_known_ones),
        cmocka_unit_test(exact_medians_follow_the_geometric_law),
        cmocka_unit_test(the_law_is_exact_only_when_one_crossing_is_an_exit),
        cmocka_unit_test(simulated_medians_lie_where_the_binomial_law_puts_them),
        cmocka_unit_test(survival_is_that_of_the_exact_law),
        cmocka_unit_test(exponents_of_the_chain_are_c0),
        cmocka_unit_test(a_line_through_two_betas_has_no_error_and_one_has_no_slope),
        cmocka_unit_test(the_flow_of_a_polygon_leaves_when_the_recursion_does),
        cmocka_unit_test(the_flow_of_a_polygon_follows_the_quadrature_at_any_beta),
        cmocka_unit_test(arrivals_are_the_known_ones),
        cmocka_unit_test(the_chain_arrives_as_hardmax_does_at_large_beta),
        cmocka_unit_test(groups_with_spread_leave_as_plain_stepping_says),
        cmocka_unit_test(hypotheses_that_fail_are_named),
        cmocka_unit_test(bounds_are_where_the_survival_bound_is_one_half),
        cmocka_unit_test(constants_of_the_doubled_triangle_are_known),
        cmocka_unit_test(one_group_never_leaves),
        cmocka_unit_test(beta_of_zero_and_below_leaves_at_once),
        cmocka_unit_test(nothing_overflows_at_large_beta),
        cmocka_unit_test(runs_without_exit_leave_the_median_open),
        cmocka_unit_test(lists_of_betas_are_read_in_order),
        cmocka_unit_test(what_cannot_work_is_refused_by_name),
        cmocka_unit_test(a_token_on_a_wall_is_refused_by_its_index),
        cmocka_unit_test(scaling_changes_no_step),
        cmocka_unit_test(a_cloud_too_small_for_the_flow_is_refused),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(no_two_runs_share_their_numbers),
        cmocka_unit_test(a_stopped_study_says_what_it_knows_and_can_go_on),
        cmocka_unit_test(refused_memory_is_reported_and_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
