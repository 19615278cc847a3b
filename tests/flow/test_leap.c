/* test_leap.c -- speeds of a slow softmax flow against MPFR and the plain field; the sphere against
 * quadrature. */
#include "slow_support.h"

#include "flow/flow.h"

#include <mpfr.h>

#define BITS 300

/* ---- the velocity ---------------------------------------------------------------------------- */

/* log of a token's speed and its direction, from the definition, with BITS bits. */
static void exact_velocity(double *log_speed, double *direction, const struct trop_leap_model *m,
                           const double *x, const double *b, int64_t i)
{
    mpfr_t s, w, t, z, norm, pull[4];
    int64_t d = m->d;

    mpfr_inits2(BITS, s, w, t, z, norm, (mpfr_ptr)NULL);
    mpfr_set_zero(z, 1);
    mpfr_set_zero(norm, 1);
    for (int64_t c = 0; c < d; c++) {
        mpfr_init2(pull[c], BITS);
        mpfr_set_zero(pull[c], 1);
    }
    for (int64_t j = 0; j < m->n; j++) {
        /* s = <B x_i, x_j - x_i>, w = m_j exp(beta s). */
        mpfr_set_zero(s, 1);
        for (int64_t r = 0; r < d; r++) {
            for (int64_t c = 0; c < d; c++) {
                mpfr_set_d(t, x[j * d + r], MPFR_RNDN);
                mpfr_sub_d(t, t, x[i * d + r], MPFR_RNDN);
                mpfr_mul_d(t, t, b[r * d + c], MPFR_RNDN);
                mpfr_mul_d(t, t, x[i * d + c], MPFR_RNDN);
                mpfr_add(s, s, t, MPFR_RNDN);
            }
        }
        mpfr_mul_d(s, s, m->beta, MPFR_RNDN);
        mpfr_exp(w, s, MPFR_RNDN);
        mpfr_mul_d(w, w, m->mass[j], MPFR_RNDN);
        mpfr_add(z, z, w, MPFR_RNDN);
        for (int64_t c = 0; c < d; c++) {
            mpfr_set_d(t, x[j * d + c], MPFR_RNDN);
            mpfr_sub_d(t, t, x[i * d + c], MPFR_RNDN);
            mpfr_fma(pull[c], w, t, pull[c], MPFR_RNDN);
        }
    }
    for (int64_t c = 0; c < d; c++) {
        mpfr_fma(norm, pull[c], pull[c], norm, MPFR_RNDN);
    }
    mpfr_sqrt(norm, norm, MPFR_RNDN);
    for (int64_t c = 0; c < d; c++) {
        mpfr_div(t, pull[c], norm, MPFR_RNDN);
        direction[c] = mpfr_get_d(t, MPFR_RNDN);
        mpfr_clear(pull[c]);
    }
    mpfr_div(norm, norm, z, MPFR_RNDN);
    mpfr_mul_d(norm, norm, m->gamma, MPFR_RNDN);
    mpfr_log(norm, norm, MPFR_RNDN);
    *log_speed = mpfr_get_d(norm, MPFR_RNDN);
    mpfr_clears(s, w, t, z, norm, (mpfr_ptr)NULL);
}

static void velocities_are_right_where_double_underflows(void **state)
{
    (void)state;
    static const double betas[] = { -30, 0, 1, 40, 1000, 1e4 };
    double x[18], out[18], mass[6] = { 1, 2, 5, 0.5, 1, 1e-3 }, b[9], log_speed[6], direction[18];

    for (int64_t k = 0; k < cases(60, 3000); k++) {
        int64_t n = 1 + k % 6, d = 1 + k % 3;
        double top = -INFINITY, radius = 0, size = 0;
        normals(x, n * d, (uint64_t)k);
        for (int64_t c = 0; c < d * d; c++) {
            b[c] = k % 2 ? c % (d + 1) == 0 : normal((uint64_t)k, (uint64_t)(100 + c));
            size += b[c] * b[c];
        }
        for (int64_t c = 0; c < n * d; c++) {
            radius += x[c] * x[c];
        }
        struct trop_matrix key_query = { k % 2 ? 1 : NAN, k % 2 ? NULL : b };
        struct trop_leap_model m = { n, d, mass, betas[k / 2 % 6], 0.3, &key_query, 0, 0, 0, 0 };
        struct trop_leap *leap = NULL;
        assert_ok(trop_leap_create(&leap, n, d));
        struct trop_leap_speed speed = trop_leap_velocity(out, leap, &m, x);
        for (int64_t i = 0; n > 1 && i < n; i++) {
            exact_velocity(&log_speed[i], direction + i * d, &m, x, b, i);
            top = fmax(top, log_speed[i]);
        }
        /* A score has an error of 4 d u |B| R^2, and the log of it beta times as much. */
        double error = 0x1p-49 * (1 + fabs(m.beta) * sqrt(size) * radius);
        if (n > 1) {
            assert_near(speed.log, top, error);
        } else {
            assert_true(speed.log == -INFINITY && out[0] == 0);
        }
        for (int64_t c = 0; n > 1 && c < n * d; c++) {
            assert_near(out[c], exp(log_speed[c / d] - top) * direction[c], 4 * error);
        }
        trop_leap_free(leap);
    }
}

static void velocities_on_the_sphere_are_those_of_the_flow(void **state)
{
    (void)state;
    for (int64_t k = 0; k < cases(60, 2000); k++) {
        int64_t n = 2 + k % 7, d = 2 + k % 3;
        double x[32], out[32], expected[32], ones[8] = { 1, 1, 1, 1, 1, 1, 1, 1 };
        normals(x, n * d, (uint64_t)k + 7000);
        struct trop_flow_options o = options_of(x, n, d, "softmax");
        o.dynamics = k % 3 == 0 ? TROP_DYNAMICS_SA : TROP_DYNAMICS_USA;
        o.usa = k % 3 == 1 ? TROP_USA_SURVEY : TROP_USA_SHIFTED;
        o.beta = constant(k % 5 == 0 ? -1 : 0.7 * (double)(k % 5));
        struct trop_flow *flow = flow_of(&o);
        const double *at = trop_flow_tokens(flow);
        assert_ok(trop_flow_field(flow, expected, at, 0));
        struct trop_matrix identity = { 1, NULL };
        struct trop_leap_model m = { .n = n,
                                     .d = d,
                                     .mass = ones,
                                     .beta = o.beta.a,
                                     .key_query = &identity,
                                     .sphere = 1,
                                     .unnormalised = o.dynamics == TROP_DYNAMICS_USA,
                                     .shift = k % 3 == 2 ? o.beta.a : 0,
                                     .total_mass = (double)n };
        struct trop_leap *leap = NULL;
        assert_ok(trop_leap_create(&leap, n, d));
        struct trop_leap_speed speed = trop_leap_velocity(out, leap, &m, at);
        for (int64_t c = 0; c < n * d; c++) {
            /* |g| <= e^|beta| in USA of the survey, 1 otherwise; the flow's scores are rounded. */
            assert_near(exp(speed.log) * out[c], expected[c], 1e-13 * exp(fabs(o.beta.a)));
        }
        trop_leap_free(leap);
        trop_flow_free(flow);
    }
}

/* ---- two tokens, and equal angles, on the sphere --------------------------------------------- */

struct angle {
    int64_t n, d;
    double beta, shift, threshold;
    int64_t dynamics;
};

/* log dc/dt of n tokens of equal inner products c (n = 2 is any two tokens): Geshkovski, Letrouit,
 * Polyanskiy, Rigollet, "A mathematical perspective on transformers". */
static long double log_rate(const struct angle *a, long double c)
{
    long double n = a->n, common = logl(2 * (1 - c) * ((n - 1) * c + 1));
    if (a->dynamics == TROP_DYNAMICS_SA) {
        long double gap = a->beta * (1 - c);
        return common - gap - log1pl((n - 1) * expl(-gap));
    }
    return common - logl(n) + a->beta * c - a->shift;
}

/* log of the time from c = from to the threshold, by Simpson's rule. */
static long double log_duration(const struct angle *a, long double from)
{
    /* Further on all goes e^80 times as fast. */
    int panels = 10000;
    long double far = fminl(a->threshold - from, a->beta > 0 ? 80 / a->beta : INFINITY);
    long double h = far / panels, sum = 0, first = log_rate(a, from);
    for (int k = 0; k <= panels; k++) {
        long double w = k == 0 || k == panels ? 1 : k % 2 ? 4 : 2;
        sum += w * expl(first - log_rate(a, from + k * h));
    }
    return logl(sum * h / 3) - first;
}

/* The largest inner product beyond the threshold. */
static double closer(void *context, const struct trop_slow *slow)
{
    const struct angle *a = context;
    double most = -1;
    for (int64_t i = 0; i < slow->live; i++) {
        for (int64_t j = 0; j < i; j++) {
            double c = 0;
            for (int64_t l = 0; l < slow->d; l++) {
                c += slow->x[i * slow->d + l] * slow->x[j * slow->d + l];
            }
            most = fmax(most, c);
        }
    }
    return most - a->threshold;
}

/* The time to the threshold by leaps less that by quadrature, relative. */
static double off(struct angle *a, const double *x, double from)
{
    struct trop_slow_options o = slow_options(x, a->n, a->d, a->beta);
    o.model.sphere = 1;
    o.model.unnormalised = a->dynamics == TROP_DYNAMICS_USA;
    o.model.shift = a->shift;
    struct trop_slow *slow = slow_of(&o);
    struct trop_slow_event event = { closer, a, 0 };
    slow_run(slow, INFINITY, &event);
    assert_true(event.happened);
    double error = slow->clock.log - (double)log_duration(a, from);
    trop_slow_free(slow);
    return error;
}

static void two_tokens_on_the_sphere_take_the_time_of_quadrature(void **state)
{
    (void)state;
    static const double betas[] = { 0, 4, 40, 300, 1000, 10000 };

    for (int64_t k = 0; k < 6 * 6 * 2; k++) {
        /* From 0.5 on, times of USA leave double at their lower end. */
        double beta = betas[k / 12], from = k / 6 % 2 ? 0.5 : -0.5;
        double x[] = { 1, 0, from, sqrt(0.75) };
        struct angle a = { 2,
                           2,
                           beta,
                           k % 6 / 2 == 2 ? beta : 0,
                           from + (k % 2 ? 0.4 : 0.2),
                           k % 6 < 2 ? TROP_DYNAMICS_SA : TROP_DYNAMICS_USA };
        assert_near(off(&a, x, from), 0, 1e-5);
    }
}

static void equal_angles_follow_their_curve(void **state)
{
    (void)state;
    double x[64] = { 0 };
    static const double betas[] = { 1, 5, 9, 20 };

    for (int64_t n = 2; n <= 8; n += 3) {
        memset(x, 0, sizeof x);
        for (int64_t i = 0; i < n; i++) {
            x[i * n + i] = 1;
        }
        for (int b = 0; b < 4; b++) {
            for (int k = 0; k < 3; k++) {
                struct angle a = { n,        n,
                                   betas[b], k == 2 ? betas[b] : 0,
                                   0.5,      k == 0 ? TROP_DYNAMICS_SA : TROP_DYNAMICS_USA };
                assert_near(off(&a, x, 0), 0, 1e-5);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(velocities_are_right_where_double_underflows),
        cmocka_unit_test(velocities_on_the_sphere_are_those_of_the_flow),
        cmocka_unit_test(two_tokens_on_the_sphere_take_the_time_of_quadrature),
        cmocka_unit_test(equal_angles_follow_their_curve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
