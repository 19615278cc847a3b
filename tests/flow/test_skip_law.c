/* test_skip_law.c -- the random chain with its waiting skipped, against exact laws and plain
 * stepping.
 *
 * Random tests have fixed seeds and a level of 1e-4 each; plain() below is a chain that knows
 * nothing of places and takes every step. */
#include "skip_support.h"

/* ---- statistics ----------------------------------------------------------------------------- */

/* P(chi^2 with k degrees of freedom > x): the continued fraction of the incomplete gamma
 * function above its mean, the series below. */
static double chi_square_tail(double x, double k)
{
    double a = k / 2, z = x / 2, scale = exp(a * log(z) - z - lgamma(a));

    if (z <= 0) {
        return 1;
    }
    if (z < a + 1) {
        double term = 1 / a, sum = term;
        for (int j = 1; j < 10000 && term > 1e-17 * sum; j++) {
            term *= z / (a + j);
            sum += term;
        }
        return 1 - scale * sum;
    }
    double fraction = 0;
    for (int j = 2000; j > 0; j--) {
        fraction = j * (j - a) / (z + 2 * j + 1 - a - fraction);
    }
    return scale / (z + 1 - a - fraction);
}

/* Counts against probabilities; cells that expect fewer than 8 are put together. */
static double fit(const int64_t *count, const double *probability, int64_t cells_of, int64_t runs)
{
    double sum = 0, rest_seen = 0, rest_expected = 0;
    int64_t used = 0;

    for (int64_t k = 0; k < cells_of; k++) {
        double expected = probability[k] * (double)runs;
        if (expected < 8) {
            rest_seen += (double)count[k];
            rest_expected += expected;
        } else {
            sum += ((double)count[k] - expected) * ((double)count[k] - expected) / expected;
            used++;
        }
    }
    if (rest_expected >= 8) {
        sum += (rest_seen - rest_expected) * (rest_seen - rest_expected) / rest_expected;
        used++;
    } else {
        assert_true(rest_seen < 40); /* Poisson of mean 8: above 40 with probability 1e-15 */
    }
    return used > 1 ? chi_square_tail(sum, (double)(used - 1)) : 1;
}

/* Two samples of the same size: cells with fewer than 16 together are put together. */
static double same(const int64_t *a, const int64_t *b, int64_t cells_of)
{
    double sum = 0, rest_a = 0, rest_b = 0;
    int64_t used = 0;

    for (int64_t k = 0; k < cells_of; k++) {
        double p = (double)a[k], q = (double)b[k];
        if (p + q < 16) {
            rest_a += p;
            rest_b += q;
        } else {
            sum += (p - q) * (p - q) / (p + q);
            used++;
        }
    }
    if (rest_a + rest_b >= 16) {
        sum += (rest_a - rest_b) * (rest_a - rest_b) / (rest_a + rest_b);
        used++;
    }
    assert_true(used > 2);
    return chi_square_tail(sum, (double)(used - 1));
}

/* The two-sample distance of Kolmogorov and Smirnov, times sqrt(runs / 2). Below the point
 * 2.227 of Kolmogorov's law with probability 1 - 1e-4 for continuous laws, more for discrete. */
#define KS_POINT 2.227
static double kolmogorov(double *a, double *b, int64_t runs)
{
    double most = 0;
    int64_t i = 0, j = 0;

    qsort(a, (size_t)runs, sizeof *a, ascending);
    qsort(b, (size_t)runs, sizeof *b, ascending);
    while (i < runs && j < runs) {
        double at = fmin(a[i], b[j]);
        while (i < runs && a[i] <= at) {
            i++;
        }
        while (j < runs && b[j] <= at) {
            j++;
        }
        most = fmax(most, fabs((double)(i - j)));
    }
    return most / sqrt(2.0 * (double)runs);
}

static void the_statistics_themselves_are_right(void **state)
{
    (void)state;
    /* Tables: the 5% points, and e^(-x/2) for two degrees of freedom. */
    assert_near(chi_square_tail(3.841458820694124, 1), 0.05, 1e-12);
    assert_near(chi_square_tail(18.307038053275146, 10), 0.05, 1e-12);
    assert_near(chi_square_tail(90.53122543488065, 70), 0.05, 1e-12);
    assert_near(chi_square_tail(3, 2), exp(-1.5), 1e-14);
    assert_near(chi_square_tail(0.5, 2), exp(-0.25), 1e-14);
    double a[] = { 1, 2, 3, 4 }, b[] = { 3, 3, 4, 5 };
    assert_near(kolmogorov(a, b, 4), 0.5 * sqrt(2), 1e-15);
    /* Kolmogorov's law: 2 sum (-1)^(k+1) e^(-2 k^2 z^2). */
    assert_true(2 * exp(-2 * KS_POINT * KS_POINT) < LEVEL);
}

/* ---- chains --------------------------------------------------------------------------------- */

/* One step of every token; returns 1 when some token picked one that is not equal to it. */
static int plain(double *x, const struct trop_skip_model *m, uint64_t seed, uint64_t step)
{
    double old[MOST * 3], weight[MOST];
    int changed = 0;

    memcpy(old, x, (size_t)(m->n * m->d) * sizeof *x);
    for (int64_t i = 0; i < m->n; i++) {
        double u = uniform(seed, step * MOST + (uint64_t)i);
        int64_t j = 0;
        row_of(weight, old, i, m);
        while (j < m->n - 1 && u > weight[j]) {
            u -= weight[j++];
        }
        for (int64_t c = 0; c < m->d; c++) {
            double way = old[j * m->d + c] - old[i * m->d + c];
            changed = changed || way != 0;
            x[i * m->d + c] = old[i * m->d + c] + m->gamma * way;
        }
    }
    return changed;
}

/* ---- exact laws ----------------------------------------------------------------------------- */

/* The law of the first change by enumeration: digit i of an outcome, in base n, is the first
 * token of the place to which token i went, its own when it stayed. Returns P. */
static double outcomes(double *law, const double *x, const struct trop_skip_model *m)
{
    int64_t n = m->n, count = 1;
    double weight[MOST], q[8][8] = { { 0 } };
    double none = 1;

    for (int64_t i = 0; i < n; i++, count *= n) {
        row_of(weight, x, i, m);
        for (int64_t j = 0; j < n; j++) {
            int64_t first = 0;
            while (memcmp(x + first * m->d, x + j * m->d, (size_t)m->d * sizeof *x) != 0) {
                first++;
            }
            q[i][first] += weight[j];
        }
    }
    for (int64_t o = 0; o < count; o++) {
        int64_t rest = o;
        int moved = 0;
        law[o] = 1;
        for (int64_t i = 0; i < n; i++, rest /= n) {
            law[o] *= q[i][rest % n];
            moved |= memcmp(x + i * m->d, x + (rest % n) * m->d, (size_t)m->d * sizeof *x) != 0;
        }
        none = moved || law[o] == 0 ? none : law[o];
        law[o] = moved ? law[o] : 0;
    }
    for (int64_t o = 0; o < count; o++) {
        law[o] /= 1 - none;
    }
    return 1 - none;
}

static int64_t outcome_of(const struct trop_skip *skip, const double *x,
                          const struct trop_skip_model *m)
{
    const int64_t *token, *towards;
    int64_t crossed = trop_skip_crossed(&token, &towards, skip), outcome = 0, power = 1;

    for (int64_t i = 0, k = 0; i < m->n; i++, power *= m->n) {
        int64_t first = 0;
        while (memcmp(x + first * m->d, x + i * m->d, (size_t)m->d * sizeof *x) != 0) {
            first++;
        }
        if (k < crossed && token[k] == i) {
            first = towards[k++];
        }
        outcome += power * first;
    }
    return outcome;
}

/* Bins of a wait: 1, 2, .. 7, then by quarters of an octave. */
#define BINS 64
static int64_t bin(double wait)
{
    return wait < 8 ? (int64_t)wait : (int64_t)fmin(BINS - 1, floor(4 * log2(wait)) - 4);
}

static void first_changes_have_their_exact_law(void **state)
{
    (void)state;
    static const double base[] = { 1, 0.2, -0.7, 0.9, 1, 0.2, 0.1, -1.1 };
    static const double matrix[] = { 1, -0.4, 0.3, 0.8 };
    static const double betas[] = { 0, 1, 2.5, -0.5, 5 };
    struct trop_matrix b = { .values = matrix };
    int64_t runs = cases(20000, 2000000);

    for (size_t k = 0; k < sizeof betas / sizeof betas[0]; k++) {
        struct trop_skip_model m = model_of(4, 2, betas[k], 0.3);
        static double law[256], waits[BINS];
        static int64_t seen[256], bins[BINS];
        m.key_query = &b;
        double hazard = outcomes(law, base, &m);
        struct trop_skip *skip = skip_of(&m, base);
        memset(seen, 0, sizeof seen);
        memset(bins, 0, sizeof bins);
        memset(waits, 0, sizeof waits);
        assert_near(trop_skip_log_hazard(NULL, skip), log(hazard), 1e-14);
        for (int64_t run = 0; run < runs; run++) {
            trop_skip_restart(skip, base, (uint64_t)run);
            assert_ok(trop_skip_next(skip, INFINITY));
            seen[outcome_of(skip, base, &m)]++;
            bins[bin((double)trop_skip_steps(skip))]++;
        }
        for (int64_t w = 1; w < 1000000 && pow(1 - hazard, (double)w - 1) > 1e-18; w++) {
            waits[bin((double)w)] += pow(1 - hazard, (double)w - 1) * hazard;
        }
        assert_true(fit(seen, law, 256, runs) > LEVEL);
        assert_true(fit(bins, waits, BINS, runs) > LEVEL);
        assert_true(trop_skip_distance(skip) == 0);
        trop_skip_free(skip);
    }
}

/* log of the hazard of a token of the polygon (claim fw-prop-geometric), and of any of them. */
static long double polygon_hazard(long double *any, int64_t kappa, double beta)
{
    long double top = -INFINITY, sum = 0, e[MOST];

    for (int64_t j = 1; j < kappa; j++) {
        e[j] = -(long double)beta * (1 - cosl(2 * acosl(-1) * (long double)j / (long double)kappa));
        top = fmaxl(top, e[j]);
    }
    for (int64_t j = 1; j < kappa; j++) {
        sum += expl(e[j] - top);
    }
    /* log p = -log(1 + 1 / S), -log(1 - p) = log(1 + S). */
    long double log_s = top + logl(sum);
    long double log_h = log_s > 10000    ? logl(log_s)
                        : log_s < -10000 ? log_s
                                         : logl(log1pl(expl(log_s)));
    long double rate = logl((long double)kappa) + log_h;
    *any = rate < -10000 ? rate : logl(-expm1l(-expl(rate)));
    return log_s < -10000 ? log_s : -log1pl(expl(-log_s));
}

static void hazards_are_those_of_the_polygon(void **state)
{
    (void)state;
    static const double betas[] = { -1e4, -300, -7, -1, 0, 1e-9, 0.5, 3, 17, 60, 500, 1e4, 1e8 };
    double x[2 * MOST], log_token[MOST];

    for (int64_t kappa = 2; kappa <= 6; kappa++) {
        for (size_t k = 0; k < sizeof betas / sizeof betas[0]; k++) {
            struct trop_skip_model m = model_of(kappa, 2, betas[k], 0.1);
            long double any, one = polygon_hazard(&any, kappa, betas[k]);
            polygon(x, kappa, kappa);
            struct trop_skip *skip = skip_of(&m, x);
            double log_any = trop_skip_log_hazard(log_token, skip);
            /* The vertices are rounded to u, and scores by a few u times their size, 2 beta: an
             * absolute error of the exponent, hence of a log hazard; ten of each. */
            double tolerance = 0x1p-53 * (40 + 40 * fabs(betas[k]));
            assert_near(log_any, (double)any, tolerance);
            for (int64_t i = 0; i < kappa; i++) {
                assert_near(log_token[i], (double)one, tolerance);
            }
            trop_skip_free(skip);
        }
    }
}

/* Far from the origin, at right angles to the polygon's plane: nothing changes. */
static void hazards_far_from_the_origin_are_the_same(void **state)
{
    (void)state;
    double flat[12], x[18];

    polygon(flat, 6, 6);
    for (int64_t i = 0; i < 6; i++) {
        memcpy(x + 3 * i, flat + 2 * i, 2 * sizeof *x);
        x[3 * i + 2] = 1e8;
    }
    for (double beta = -20; beta <= 80; beta += 20) {
        struct trop_skip_model m = model_of(6, 3, beta, 0.1);
        long double any;
        polygon_hazard(&any, 6, beta);
        struct trop_skip *skip = skip_of(&m, x);
        double tolerance = 0x1p-53 * (40 + 40 * fabs(beta));
        assert_near(trop_skip_log_hazard(NULL, skip), (double)any, tolerance);
        trop_skip_free(skip);
    }
}

/* The wait between two readings of the clock, in steps. */
static double between(int64_t steps, double log_steps, const struct trop_skip *skip)
{
    if (trop_skip_steps(skip) < INT64_MAX) {
        return (double)(trop_skip_steps(skip) - steps);
    }
    return steps == 0 ? exp(trop_skip_log_steps(skip))
                      : exp(log_steps) * expm1(trop_skip_log_steps(skip) - log_steps);
}

/* Pairs of tokens leave the triangle's vertices and come back. Every long wait is exponential,
 * times its hazard; it is read off as a difference of the clock, which is whole at beta = 16,
 * leaves int64 on the way at 30 and is a logarithm from the first at 60. */
static void the_clock_adds_waits_up(void **state)
{
    (void)state;
    static const double betas[] = { 16, 30, 60 };
    int64_t stays = cases(2000, 100000), left = 0, restarts = 0;
    double x[12], *waits = malloc((size_t)stays * sizeof *waits);

    polygon(x, 6, 3);
    for (int k = 0; k < 3; k++) {
        struct trop_skip_model m = model_of(6, 2, betas[k], 0.5);
        m.delta = 1e-6;
        struct trop_skip *skip = skip_of(&m, x);
        for (int64_t stay = 0; stay < stays;) {
            int64_t steps = trop_skip_steps(skip);
            double log_steps = trop_skip_log_steps(skip);
            double log_hazard = trop_skip_log_hazard(NULL, skip);
            if (log_hazard == -INFINITY) {
                trop_skip_restart(skip, x, (uint64_t)(stays + restarts++));
                continue;
            }
            assert_ok(trop_skip_next(skip, INFINITY));
            assert_true(trop_skip_steps(skip) > steps || steps == INT64_MAX);
            assert_true(trop_skip_log_steps(skip) >= log_steps);
            left += steps < INT64_MAX && steps > 0 && trop_skip_steps(skip) == INT64_MAX;
            if (log_hazard > -18) {
                continue;
            }
            waits[stay] = exp(log_hazard) * between(steps, log_steps, skip);
            /* Ten long waits, or all at one point, and again from the start. */
            if (++stay % 10 == 0) {
                trop_skip_restart(skip, x, (uint64_t)stay);
            }
        }
        trop_skip_free(skip);
        qsort(waits, (size_t)stays, sizeof *waits, ascending);
        double most = 0;
        for (int64_t i = 0; i < stays; i++) {
            double f = -expm1(-waits[i]) * (double)stays;
            most = fmax(most, fmax(f - (double)i, (double)(i + 1) - f));
        }
        assert_true(most / sqrt((double)stays) < KS_POINT);
    }
    assert_true(left > 0);
    free(waits);
}

/* ---- against plain stepping ------------------------------------------------------------------ */

/* The tokens by their nearest vertex of the triangle: how many at each, as one number. */
static int64_t occupation(const double *x, int64_t n)
{
    int64_t count[3] = { 0 };
    double vertex[6];

    polygon(vertex, 3, 3);
    for (int64_t i = 0; i < n; i++) {
        double s[3];
        for (int v = 0; v < 3; v++) {
            s[v] = x[2 * i] * vertex[2 * v] + x[2 * i + 1] * vertex[2 * v + 1];
        }
        count[s[1] > s[0] ? (s[2] > s[1] ? 2 : 1) : (s[2] > s[0] ? 2 : 0)]++;
    }
    return count[0] * (n + 1) + count[1];
}

static void ten_changes_lead_where_plain_steps_lead(void **state)
{
    (void)state;
    static const double betas[] = { 0, 1.2, 2.5, -0.8 };
    int64_t runs = cases(2000, 200000);
    double start[12], x[12], *took = malloc((size_t)(2 * runs) * sizeof *took);

    unequal_groups(start);
    for (int k = 0; k < 4; k++) {
        struct trop_skip_model m = model_of(6, 2, betas[k], 0.6);
        static int64_t seen[2][64];
        struct trop_skip *skip = skip_of(&m, start);
        memset(seen, 0, sizeof seen);
        for (int64_t run = 0; run < runs; run++) {
            uint64_t seed = (uint64_t)(run + k * runs), step = 0;
            trop_skip_restart(skip, start, seed);
            for (int change = 0; change < 10; change++) {
                assert_ok(trop_skip_next(skip, INFINITY));
            }
            assert_int_equal(trop_skip_changes(skip), 10);
            seen[0][occupation(trop_skip_tokens(skip), 6)]++;
            took[run] = (double)trop_skip_steps(skip);

            memcpy(x, start, sizeof x);
            for (int change = 0; change < 10;) {
                change += plain(x, &m, seed, step++);
            }
            seen[1][occupation(x, 6)]++;
            took[runs + run] = (double)step;
        }
        assert_true(same(seen[0], seen[1], 64) > LEVEL);
        assert_true(kolmogorov(took, took + runs, runs) < KS_POINT);
        trop_skip_free(skip);
    }
    free(took);
}

/* 1 when some token is farther than 0.4 from where it began. */
static int escaped(const double *x, const double *start)
{
    for (int64_t i = 0; i < 6; i++) {
        if (hypot(x[2 * i] - start[2 * i], x[2 * i + 1] - start[2 * i + 1]) > 0.4) {
            return 1;
        }
    }
    return 0;
}

/* Groups with spread: when the first token is far from its start, and who is where at the
 * steps 30 and 100. delta is small enough for the bound of the distance in law to stay below
 * what so many runs could tell. */
static void groups_with_spread_escape_as_in_plain_steps(void **state)
{
    (void)state;
    int64_t runs = cases(1000, 60000), seen[2][2][64] = { { { 0 } } };
    double start[12], x[12], worst = 0, *took = malloc((size_t)(2 * runs) * sizeof *took);
    struct trop_skip_model m = model_of(6, 2, 3, 0.3);

    m.delta = 1e-9;
    spread_groups(start, 0.02);
    struct trop_skip *skip = skip_of(&m, start);
    for (int64_t run = 0; run < runs; run++) {
        double time = INFINITY;
        trop_skip_restart(skip, start, (uint64_t)run);
        for (int at = 0; at < 2; at++) {
            double most = log(at ? 100 : 30);
            while (trop_skip_log_steps(skip) < most) {
                assert_ok(trop_skip_next(skip, most));
                if (time == INFINITY && escaped(trop_skip_tokens(skip), start)) {
                    time = (double)trop_skip_steps(skip);
                }
            }
            assert_int_equal(trop_skip_steps(skip), at ? 100 : 30);
            seen[0][at][occupation(trop_skip_tokens(skip), 6)]++;
        }
        took[run] = fmin(time, 101);
        worst = fmax(worst, trop_skip_distance(skip));

        time = INFINITY;
        memcpy(x, start, sizeof x);
        for (uint64_t step = 1; step <= 100; step++) {
            plain(x, &m, (uint64_t)run, step);
            if (time == INFINITY && escaped(x, start)) {
                time = (double)step;
            }
            if (step == 30 || step == 100) {
                seen[1][step == 100][occupation(x, 6)]++;
            }
        }
        took[runs + run] = fmin(time, 101);
    }
    assert_true(worst < 1e-4);
    assert_true(kolmogorov(took, took + runs, runs) < KS_POINT);
    assert_true(took[runs / 4] < took[3 * runs / 4]);
    assert_true(same(seen[0][0], seen[1][0], 64) > LEVEL);
    assert_true(same(seen[0][1], seen[1][1], 64) > LEVEL);
    trop_skip_free(skip);
    free(took);
}

/* The chain that the library steps, beta = 2: who is where after 20 steps. */
static void the_librarys_own_steps_have_the_same_law(void **state)
{
    (void)state;
    int64_t runs = cases(2000, 100000), seen[2][64] = { { 0 } };
    double start[12], end[12];
    struct trop_skip_model m = model_of(6, 2, 2, 0.5);

    unequal_groups(start);
    struct trop_skip *skip = skip_of(&m, start);
    struct trop_flow_options o = options_of(start, 6, 2, "softmax");
    o.dynamics = TROP_DYNAMICS_CHAIN;
    o.beta = constant(2);
    o.gamma = constant(0.5);
    o.steps = (struct trop_count){ 20, log10(20) };
    for (int64_t run = 0; run < runs; run++) {
        trop_skip_restart(skip, start, (uint64_t)run);
        while (trop_skip_log_steps(skip) < log(20)) {
            assert_ok(trop_skip_next(skip, log(20)));
        }
        seen[0][occupation(trop_skip_tokens(skip), 6)]++;
        o.cloud.seed = (uint64_t)(run + runs);
        run_to(end, &o);
        seen[1][occupation(end, 6)]++;
    }
    assert_true(same(seen[0], seen[1], 64) > LEVEL);
    trop_skip_free(skip);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_statistics_themselves_are_right),
        cmocka_unit_test(first_changes_have_their_exact_law),
        cmocka_unit_test(hazards_are_those_of_the_polygon),
        cmocka_unit_test(hazards_far_from_the_origin_are_the_same),
        cmocka_unit_test(the_clock_adds_waits_up),
        cmocka_unit_test(ten_changes_lead_where_plain_steps_lead),
        cmocka_unit_test(groups_with_spread_escape_as_in_plain_steps),
        cmocka_unit_test(the_librarys_own_steps_have_the_same_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
