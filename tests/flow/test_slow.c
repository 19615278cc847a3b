/* test_slow.c -- a softmax flow through slow times, against stepping and quadrature.
 *
 * A regular polygon stays one: its radius follows r' = r - G(r) with
 *
 *   G(r) = gamma r sum_j (1 - cos t_j) w_j / sum_j w_j,   w_j = exp(-beta r^2 (1 - cos t_j)),
 *
 * t_j = 2 pi j/kappa (claim fw-rem-polygon). Where steps cannot be counted, their number
 * between two radii is the integral of dr/G less half of [log G] (Euler and Maclaurin). */
#include "slow_support.h"

static double worst_seen; /* of a test, printed by the full run */

static void note(double error)
{
    worst_seen = fmax(worst_seen, error);
}

static void tell(const char *what)
{
    if (getenv("TROP_TEST_FULL")) {
        print_message("    %s: %.3g\n", what, worst_seen);
    }
    worst_seen = 0;
}

/* ---- polygons -------------------------------------------------------------------------------- */

static void polygon(double *x, int kappa)
{
    for (int j = 0; j < kappa; j++) {
        x[2 * j] = (double)cosl(2 * SLOW_PI * j / kappa);
        x[2 * j + 1] = (double)sinl(2 * SLOW_PI * j / kappa);
    }
}

/* log G. */
static long double log_shrinking(long double r, int kappa, long double beta, long double gamma)
{
    /* The nearest neighbours' weight is factored out. */
    long double near = 1 - cosl(2 * SLOW_PI / kappa), top = 0, sum = expl(beta * r * r * near);
    if (sum > 1e4900L) { /* alone in Z, to all digits */
        sum = 1;
    } else {
        sum = 1;
        for (int j = 1; j < kappa; j++) {
            sum += expl(-beta * r * r * (1 - cosl(2 * SLOW_PI * j / kappa)));
        }
    }
    for (int j = 1; j < kappa; j++) {
        long double far = 1 - cosl(2 * SLOW_PI * j / kappa);
        top += far * expl(-beta * r * r * (far - near));
    }
    return logl(gamma * r * top / sum) - beta * r * r * near;
}

/* log of the number of steps from r = 1 to the radius, by Simpson's rule. */
static long double log_steps(long double radius, int kappa, long double beta, long double gamma)
{
    /* 40/beta further in, all goes e^40 times as fast. */
    int panels = 10000;
    long double far = fminl(1 - radius, 80 / beta), h = far / panels, sum = 0;
    long double first = log_shrinking(1, kappa, beta, gamma);

    for (int k = 0; k <= panels; k++) {
        long double w = k == 0 || k == panels ? 1 : k % 2 ? 4 : 2;
        sum += w * expl(first - log_shrinking(1 - k * h, kappa, beta, gamma));
    }
    long double last = log_shrinking(1 - far, kappa, beta, gamma);
    return logl(sum * h / 3) - first + log1pl((last - first) / 2 / (sum * h / 3) * expl(first));
}

/* The first step after which r < radius, counted; 0: more than 10^6. */
static int64_t counted_steps(long double radius, int kappa, long double beta, long double gamma)
{
    long double r = 1;
    for (int64_t t = 1; t <= 1000000; t++) {
        r -= expl(log_shrinking(r, kappa, beta, gamma));
        if (r < radius) {
            return t;
        }
    }
    return 0;
}

/* The radius of the innermost token below the threshold in context. */
static double inside(void *context, const struct trop_slow *slow)
{
    double least = INFINITY;
    for (int64_t i = 0; i < slow->live; i++) {
        least = fmin(least, hypot(slow->x[2 * i], slow->x[2 * i + 1]));
    }
    return *(const double *)context - least;
}

static const double radii[] = { 0.99, 0.9, 0.5 };

static void polygons_shrink_as_their_recursion_says(void **state)
{
    (void)state;
    static const int64_t published[3][3] = { { 13, 85, 145 },
                                             { 249, 1327, 1728 },
                                             { 4849, 21690, 24925 } };
    for (int kappa = 3; kappa <= 6; kappa++) {
        for (int b = 0; b < 3; b++) {
            double x[12], beta = 4 + 2 * b;
            polygon(x, kappa);
            struct trop_slow_options o = slow_options(x, kappa, 2, beta);
            struct trop_slow *slow = slow_of(&o);
            for (int k = 0; k < 3; k++) {
                double radius = radii[k];
                struct trop_slow_event event = { inside, &radius, 0 };
                slow_run(slow, INFINITY, &event);
                assert_true(event.happened);
                int64_t steps = counted_steps(radii[k], kappa, beta, 0.1L);
                if (kappa == 3) {
                    assert_int_equal(steps, published[b][k]);
                }
                if (steps < 200) {
                    assert_true(slow->clock.count == (double)steps);
                } else {
                    note(fabs(ceil(slow->clock.count) / (double)steps - 1));
                    /* Exact below 10^5: the tolerance is 1e-5, and steps begin whole. */
                    assert_near(ceil(slow->clock.count), (double)steps, 1e-5 * (double)steps);
                }
            }
            trop_slow_free(slow);
        }
    }
    tell("worst relative error of a count");
}

static void polygons_shrink_as_quadrature_says_at_any_beta(void **state)
{
    (void)state;
    static const double betas[] = { 20, 40, 100, 300, 1000 };
    static const double known[] = { 2.22897e24, 3.22693e24, 3.22697e24 };

    for (int kappa = 3; kappa <= 6; kappa++) {
        for (int b = 0; b < 5; b++) {
            double x[12];
            polygon(x, kappa);
            struct trop_slow_options o = slow_options(x, kappa, 2, betas[b]);
            struct trop_slow *slow = slow_of(&o);
            /* Rounding breaks the symmetry on the way: beyond beta = 40 tokens have paired before
             * r = 1/2, of a hexagon even at 40. */
            for (int k = 0; k < (betas[b] > (kappa == 6 ? 20 : 40) ? 2 : 3); k++) {
                double radius = radii[k];
                struct trop_slow_event event = { inside, &radius, 0 };
                slow_run(slow, INFINITY, &event);
                double expected = (double)log_steps(radii[k], kappa, betas[b], 0.1L);
                assert_near(slow->clock.log, expected, 1e-3);
                note(fabs(slow->clock.log - expected));
                if (kappa == 3 && betas[b] == 40) {
                    assert_near(slow->clock.log, log(known[k]), 1e-3);
                }
            }
            trop_slow_free(slow);
        }
    }
    tell("worst relative error of a time");
}

/* ---- leaps against steps --------------------------------------------------------------------- */

/* A polygon with its corners moved, inwards or outwards too, and out of its plane. */
static void corners(double *x, int64_t n, int64_t d, double by, uint64_t seed)
{
    for (int64_t i = 0; i < n; i++) {
        uint64_t k = 4 * (uint64_t)i;
        double angle = 2 * (double)SLOW_PI * (double)i / (double)n + by * normal(seed, k);
        double size = 1 + by * (2 * uniform(seed, k) - 1);
        x[i * d] = size * cos(angle);
        x[i * d + 1] = size * sin(angle);
        if (d == 3) {
            x[i * d + 2] = 2 * by * normal(seed, k + 1);
        }
    }
}

/* Displacements of k steps from x, each summed by itself: none is lost below an ulp of x. */
static void plain_steps(long double *moved, const double *x, const double *low, const double *mass,
                        const struct trop_leap_model *m, int64_t k)
{
    int64_t size = m->n * m->d;
    long double at[SLOW_TOKENS], step[SLOW_TOKENS];

    memset(moved, 0, (size_t)size * sizeof *moved);
    for (int64_t t = 0; t < k; t++) {
        for (int64_t c = 0; c < size; c++) {
            at[c] = x[c] + (low[c] + moved[c]);
        }
        plain_step(step, at, mass, m->n, m->d, m->beta, m->gamma);
        for (int64_t c = 0; c < size; c++) {
            moved[c] += step[c];
        }
    }
}

static void a_leap_is_as_good_as_the_steps_it_leaves_out(void **state)
{
    (void)state;
    int64_t compared = 0;
    for (int64_t k = 0; k < cases(12, 24); k++) {
        int64_t n = 3 + k / 4 % 3, d = 2 + k % 2, steps = cases(10000, 1000000);
        double x[15], low[15], start[15], mass[5] = { 1, 2, 5, 1, 2 };
        static const double betas[2][4] = { { 10, 14, 20, 40 }, { 20, 24, 30, 60 } };
        double beta = betas[n > 3][k % 4];
        long double moved[15], length = 0, off = 0;
        corners(x, n, d, 0.03, (uint64_t)k + 100);
        struct trop_slow_options o = slow_options(x, n, d, beta);
        o.mass = mass;
        o.model.gamma = k % 2 ? 0.1 : 0.9;
        struct trop_slow *slow = slow_of(&o);
        slow_run(slow, log(300), NULL); /* the first steps are real ones */
        memcpy(start, slow->x, sizeof start[0] * (size_t)(n * d));
        memcpy(low, slow->low, sizeof low[0] * (size_t)(n * d));
        plain_steps(moved, start, low, mass, &o.model, steps);
        slow_run(slow, log(300 + (double)steps), NULL);
        double end = slow->live > 1 ? 300 + (double)steps : slow->clock.count;
        assert_near(slow->clock.count, end, 1e-9 * end);
        for (int64_t c = 0; c < n * d && slow->live == n; c++) {
            length = fmaxl(length, fabsl(moved[c]));
            off = fmaxl(off, fabsl((slow->x[c] - (long double)start[c]) +
                                   (slow->low[c] - (long double)low[c]) - moved[c]));
        }
        assert_true(off <= o.tolerance * length); /* from 10^-22 on */
        note(length > 0 ? (double)(off / length) : 0);
        compared += slow->live == n; /* no two have met */
        trop_slow_free(slow);
    }
    assert_true(compared > cases(12, 24) / 2);
    tell("worst error of a place, over its displacement");
}

/* How many groups there are, by chains of pairs within the distance. */
static int64_t groups(const long double *x, int64_t n, int64_t d, long double distance)
{
    int64_t label[SLOW_TOKENS], count = n;
    for (int64_t i = 0; i < n; i++) {
        label[i] = i;
    }
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < i; j++) {
            long double square = 0;
            for (int64_t c = 0; c < d; c++) {
                square += (x[i * d + c] - x[j * d + c]) * (x[i * d + c] - x[j * d + c]);
            }
            if (sqrtl(square) > distance || label[i] == label[j]) {
                continue;
            }
            int64_t old = label[i], young = label[j];
            for (int64_t l = 0; l < n; l++) {
                label[l] = label[l] == old ? young : label[l];
            }
            count--;
        }
    }
    return count;
}

static void merges_come_in_the_order_and_at_the_times_of_real_steps(void **state)
{
    (void)state;
    int64_t seen = 0;
    for (int64_t k = 0; k < cases(8, 48); k++) {
        int64_t n = 3 + k % 4, d = 2 + k % 2, most = cases(20000, 1000000), live;
        double x[18], mass[6] = { 1, 2, 5, 5, 2, 1 };
        long double at[18], step[18];
        corners(x, n, d, k % 5 ? 0.1 : 0.02, (uint64_t)k + 500);
        for (int64_t c = 0; c < n * d; c++) {
            x[c] *= 1 + 0.2 * (double)(k % 3); /* the longer ones take longer */
        }
        struct trop_slow_options o = slow_options(x, n, d, 5 + (double)(k / 4 % 4));
        o.mass = mass;
        o.model.gamma = 0.9;
        struct trop_slow *slow = slow_of(&o);
        slow_run(slow, log((double)most), NULL);
        for (int64_t c = 0; c < n * d; c++) {
            at[c] = x[c];
        }
        live = n;
        int64_t at_merge = 0;
        for (int64_t t = 1; t <= most && live > 1; t++) {
            plain_step(step, at, mass, n, d, o.model.beta, o.model.gamma);
            for (int64_t c = 0; c < n * d; c++) {
                at[c] += step[c];
            }
            int64_t now = groups(at, n, d, o.merge);
            if (now < live) {
                live = now;
                assert_true(at_merge < slow->merged);
                assert_int_equal(slow->merges[at_merge].live, live);
                assert_near(exp(slow->merges[at_merge].log) / (double)t, 1, 5e-3);
                note(fabs(exp(slow->merges[at_merge].log) / (double)t - 1));
                at_merge++;
                seen++;
            }
        }
        trop_slow_free(slow);
    }
    assert_true(seen > cases(8, 48));
    tell("worst relative error of a merge");
}

static void halving_the_tolerance_moves_times_by_less_than_it(void **state)
{
    (void)state;
    for (int64_t k = 0; k < cases(5, 40); k++) {
        double x[36], log_time[2][12];
        int64_t count[2];
        normals(x, 36, (uint64_t)k + 900);
        for (int half = 0; half < 2; half++) {
            struct trop_slow_options o = slow_options(x, 12, 3, 20 + 20 * (double)(k % 5));
            o.tolerance = half ? 5e-5 : 1e-4;
            struct trop_slow *slow = slow_of(&o);
            slow_run(slow, INFINITY, NULL);
            count[half] = slow->merged;
            for (int64_t m = 0; m < slow->merged; m++) {
                log_time[half][m] = slow->merges[m].log;
            }
            trop_slow_free(slow);
        }
        assert_int_equal(count[0], count[1]);
        for (int64_t m = 0; m < count[0]; m++) {
            /* The estimate of a time is its tolerance; steps are whole. */
            double change = fabs(log_time[0][m] - log_time[1][m]), step = exp(-log_time[0][m]);
            assert_true(change <= 1e-4 + step);
            note((change - step) / 1e-4);
        }
    }
    tell("largest change of a time, over the tolerance");
}

/* The mean of J = |x|^2/2 by mass. */
static double energy(const struct trop_slow *slow)
{
    double sum = 0, mass = 0;
    for (int64_t i = 0; i < slow->live; i++) {
        double square = 0;
        for (int64_t c = 0; c < slow->d; c++) {
            square += slow->x[i * slow->d + c] * slow->x[i * slow->d + c];
        }
        sum += slow->mass[i] * square / 2;
        mass += slow->mass[i];
    }
    return sum / mass;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* log10 of the last merge; merges come one after the other, down to one token. */
static double last_merge(const struct trop_slow *slow)
{
    const struct trop_slow_merge *merges = slow->merges;
    int64_t live = slow->n;

    for (int64_t m = 0; m < slow->merged; m++) {
        assert_true(m == 0 || merges[m].log > merges[m - 1].log);
        assert_true(merges[m].live < live);
        live = merges[m].live;
    }
    assert_int_equal(live, 1);
    assert_near(merges[slow->merged - 1].energy, energy(slow), 1e-12);
    return merges[slow->merged - 1].log / log(10);
}

static void sixty_tokens_at_beta_sixty_end_as_one(void **state)
{
    (void)state;
    double last[101];
    int64_t runs = cases(2, 101);
    for (int64_t k = 0; k < runs; k++) {
        double x[180];
        normals(x, 180, (uint64_t)k + 1);
        struct trop_slow_options o = slow_options(x, 60, 3, 60);
        struct trop_slow *slow = slow_of(&o);
        slow_run(slow, INFINITY, NULL);
        last[k] = last_merge(slow);
        trop_slow_free(slow);
    }
    qsort(last, (size_t)runs, sizeof last[0], ascending);
    note(last[runs / 2]);
    /* Claim fw-fig-staircase: 359 in the median of clouds whose number is not known. Of 101,
     * quartiles are 131 apart, so a median has an error of 12, and of 24 were those clouds 25:
     * three times both together is 80. */
    assert_true(runs < 101 || fabs(last[runs / 2] - 359) < 80);
    tell("median of log10 of the last merge");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polygons_shrink_as_their_recursion_says),
        cmocka_unit_test(polygons_shrink_as_quadrature_says_at_any_beta),
        cmocka_unit_test(a_leap_is_as_good_as_the_steps_it_leaves_out),
        cmocka_unit_test(merges_come_in_the_order_and_at_the_times_of_real_steps),
        cmocka_unit_test(halving_the_tolerance_moves_times_by_less_than_it),
        cmocka_unit_test(sixty_tokens_at_beta_sixty_end_as_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
