/* test_slow.c -- a softmax flow through slow times, against stepping and quadrature.
 *
 * A regular polygon stays one: its radius follows r' = r - G(r) with
 *
 *   G(r) = gamma r sum_j (1 - cos t_j) w_j / sum_j w_j,   w_j = exp(-beta r^2 (1 - cos t_j)),
 *
 * t_j = 2 pi j/kappa (Frank-Wolfe digest, 2.11). Where steps cannot be counted, their number
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
    int panels = 20000;
    long double first = log_shrinking(1, kappa, beta, gamma), sum = 0, h = (1 - radius) / panels;

    for (int k = 0; k <= panels; k++) {
        long double w = k == 0 || k == panels ? 1 : k % 2 ? 4 : 2;
        sum += w * expl(first - log_shrinking(1 - k * h, kappa, beta, gamma));
    }
    long double last = log_shrinking(radius, kappa, beta, gamma);
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
                    printf("%d %g %g: %ld %.6g\n", kappa, beta, radius, steps, slow->clock.count);
                    assert_near(ceil(slow->clock.count) / (double)steps, 1, 5e-3);
                }
            }
            trop_slow_free(slow);
        }
    }
}

static void polygons_shrink_as_quadrature_says_at_any_beta(void **state)
{
    (void)state;
    static const double betas[] = { 10, 20, 40, 100, 300, 1000 };
    static const double known[] = { 2.22897e24, 3.22693e24, 3.22697e24 };

    for (int kappa = 3; kappa <= 6; kappa++) {
        for (int b = 0; b < 6; b++) {
            double x[12];
            polygon(x, kappa);
            struct trop_slow_options o = slow_options(x, kappa, 2, betas[b]);
            struct trop_slow *slow = slow_of(&o);
            for (int k = 0; k < 3; k++) {
                double radius = radii[k];
                struct trop_slow_event event = { inside, &radius, 0 };
                slow_run(slow, INFINITY, &event);
                double expected = (double)log_steps(radii[k], kappa, betas[b], 0.1L);
                printf("%d %g %g: %.10g %.10g %g (%ld leaps %ld steps)\n", kappa, betas[b], radius, expected, slow->clock.log, slow->clock.log - expected, slow->leaps, slow->steps);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polygons_shrink_as_their_recursion_says),
        cmocka_unit_test(polygons_shrink_as_quadrature_says_at_any_beta),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
