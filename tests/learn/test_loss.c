/* test_loss.c -- losses against MPFR, and heads against differences. */
#include "support.h"

#include "learn/attention/head.h"
#include "learn/attention/loss.h"

#include <mpfr.h>

#define U 0x1p-53
#define BITS 3000 /* l(f - e^-1000) - l(f) has 1500 bits of cancellation and f another 1000 */

static const struct trop_loss *loss_named(const char *name)
{
    for (int64_t k = 0; trop_loss_names[k]; k++) {
        if (strcmp(trop_loss_names[k], name) == 0) {
            assert_string_equal(trop_loss_of(k)->name, name);
            return trop_loss_of(k);
        }
    }
    fail_msg("no loss %s", name);
    return NULL;
}

/* l(f) from its definition. */
static void exact_value(mpfr_t out, const mpfr_t f, const char *name)
{
    mpfr_neg(out, f, MPFR_RNDN);
    if (strcmp(name, "logistic") == 0) {
        mpfr_exp(out, out, MPFR_RNDN);
        mpfr_log1p(out, out, MPFR_RNDN);
    } else if (strcmp(name, "exponential") == 0) {
        mpfr_exp(out, out, MPFR_RNDN);
    } else if (strcmp(name, "log") == 0) {
        mpfr_log(out, f, MPFR_RNDN);
        mpfr_neg(out, out, MPFR_RNDN);
    }
}

/* log(l(f - drop) - l(f)) - less, drop = e^log_drop. */
static double exact_less(double f, double log_drop, const char *name, double less)
{
    mpfr_t a, b, x;

    mpfr_inits2(BITS, a, b, x, NULL);
    mpfr_set_d(x, f, MPFR_RNDN);
    exact_value(a, x, name);
    mpfr_set_d(b, log_drop, MPFR_RNDN);
    mpfr_exp(b, b, MPFR_RNDN);
    mpfr_sub(x, x, b, MPFR_RNDN);
    exact_value(b, x, name);
    mpfr_sub(a, b, a, MPFR_RNDN);
    mpfr_log(a, a, MPFR_RNDN);
    mpfr_sub_d(a, a, less, MPFR_RNDN);
    const double result = mpfr_get_d(a, MPFR_RNDN);
    mpfr_clears(a, b, x, NULL);
    return result;
}

static double exact_rise(double f, double log_drop, const char *name)
{
    return exact_less(f, log_drop, name, 0);
}

/* log|l'(f)|, as log of the slope over a drop so small that curvature is below 2^-700. */
static double exact_slope(double f, const char *name)
{
    const double log_drop = strcmp(name, "log") == 0 ? nearbyint(log(f)) - 500 : -500;
    return exact_less(f, log_drop, name, log_drop);
}

/* f from -700 to 700, or for the log-loss from 1e-300 to 1. */
static double f_of(int64_t k, const char *name)
{
    const double x = 1400 * uniform(3, (uint64_t)k) - 700;
    const double near = 8 * normal(4, (uint64_t)k);

    if (strcmp(name, "log") == 0) {
        return k % 2 ? uniform(5, (uint64_t)k) : exp(x - 700 > -690 ? -1 : 0.49 * (x - 700));
    }
    return k % 2 ? x : near;
}

static void values_and_slopes(void **state)
{
    mpfr_t x, value;

    (void)state;
    mpfr_inits2(BITS, x, value, NULL);
    for (int64_t l = 0; trop_loss_names[l]; l++) {
        const char *name = trop_loss_names[l];
        const struct trop_loss *loss = loss_named(name);
        for (int64_t k = 0; k < cases(100, 3000); k++) {
            const double f = f_of(k, name);
            mpfr_set_d(x, f, MPFR_RNDN);
            exact_value(value, x, name);
            const double expected = mpfr_get_d(value, MPFR_RNDN);
            /* exp and log have at most 1.1 ulps, an ulp being 2 u; a sum adds one. */
            assert_near(loss->value(f), expected, 8 * U * fabs(expected) + 0x1p-1074);
            const double slope = exact_slope(f, name);
            assert_near(loss->log_slope(f), slope, 8 * U * (1 + fabs(slope)));
            assert_true(exp(loss->log_slope(f)) <= loss->slope * (1 + 8 * U));
        }
    }
    mpfr_clears(x, value, NULL);
    assert_true(isinf(loss_named("log")->value(0)) && isinf(loss_named("log")->value(-1)));
}

/* The logarithm of a rise moves by |l'(f - r)| r / rise times a relative change of r, and by |f| u
 * through log|l'(f)|: with r = e^log_drop known to (1 + |log_drop|) u. */
static double tolerance_of(double f, double log_drop, double rise, const char *name)
{
    const double drop = exp(log_drop), moved = exact_slope(f - drop, name) + log_drop - rise;
    const double size = strcmp(name, "log") == 0 ? fabs(log(f)) : fabs(f);

    return 16 * U *
           (1 + fabs(rise) + size + (1 + fabs(log_drop)) * exp(moved) + fabs(log_drop) + drop);
}

static void rises_do_not_cancel(void **state)
{
    (void)state;
    for (int64_t l = 0; trop_loss_names[l]; l++) {
        const char *name = trop_loss_names[l];
        const struct trop_loss *loss = loss_named(name);
        for (int64_t k = 0; k < cases(200, 5000); k++) {
            const double f = f_of(k, name);
            double log_drop = k % 3 == 0   ? 5 - 40 * uniform(6, (uint64_t)k)
                              : k % 3 == 1 ? -400 * uniform(7, (uint64_t)k)
                                           : 5 - 8 * uniform(8, (uint64_t)k);
            if (strcmp(name, "log") == 0) { /* a drop below f: to f (1 - 1e-3) */
                log_drop = fmin(log_drop, log(f) - 1e-3);
            }
            const double rise = exact_rise(f, log_drop, name);
            if (rise < 700) {
                assert_near(loss->log_rise(f, log_drop), rise,
                            tolerance_of(f, log_drop, rise, name));
            }
        }
    }
}

/* At drops of e^-1000 and less the rise is |l'(f)| r to all digits. */
static void rises_of_tiny_drops(void **state)
{
    static const double drops[] = { -1e3, -1e4, -1e6, -1e300 };

    (void)state;
    for (int64_t l = 0; trop_loss_names[l]; l++) {
        const struct trop_loss *loss = loss_named(trop_loss_names[l]);
        for (int64_t k = 0; k < 50; k++) {
            const double f = f_of(k, trop_loss_names[l]);
            for (size_t d = 0; d < sizeof drops / sizeof *drops; d++) {
                const double expected = exact_slope(f, trop_loss_names[l]) + drops[d];
                assert_near(loss->log_rise(f, drops[d]), expected,
                            8 * U * (1 + fabs(expected) + fabs(drops[d])));
            }
            assert_true(loss->log_rise(f, -INFINITY) == -INFINITY);
        }
    }
}

/* ---- heads --------------------------------------------------------------------------------- */

#define D 3
#define ROWS 2

static const double o[D] = { 0.5, -1.25, 2 }, v[ROWS * D] = { 1, 2, 0.25, -3, 0.5, 0.125 };

static double head_at(const struct trop_head *head, const double *token, const double *decoder)
{
    const struct trop_head_parts parts = { decoder, head->many ? ROWS : 1, D, 0.75 };
    return head->value(token, &parts);
}

/* By hand: v_1'o = -1.5, v_2'o = -1.875, |o|^2 = 5.8125; -v_2'o for a ReLU that is on. */
static void heads_by_hand(void **state)
{
    const double minus[D] = { -0.5, 1.25, -2 };

    (void)state;
    assert_true(head_at(&trop_head_linear, o, v) == -1.5);
    assert_true(head_at(&trop_head_quadratic, o, v) == -1.5 - 0.75 * 5.8125);
    assert_true(head_at(&trop_head_relu, o, v) == 0);
    assert_true(head_at(&trop_head_relu, minus, v) == 1.5 + 1.875);
    for (int64_t k = 0; trop_head_names[k]; k++) {
        assert_string_equal(trop_head_of(k)->name, trop_head_names[k]);
    }
}

/* Central differences with h = 2^-20 are exact for quadratics and pieces of lines: numbers of 3
 * digits and squares of h fit a double. */
static void slopes_of_heads(void **state)
{
    (void)state;
    for (int64_t k = 0; trop_head_names[k]; k++) {
        const struct trop_head *head = trop_head_of(k);
        const struct trop_head_parts parts = { v, head->many ? ROWS : 1, D, 0.75 };
        for (int sign = -1; sign <= 1; sign += 2) {
            double at[D], slope[D], decoder[ROWS * D], moved[ROWS * D];
            const double h = 0x1p-20;
            for (int c = 0; c < D; c++) {
                at[c] = sign * o[c];
            }
            head->slope(slope, at, &parts);
            head->decoder(decoder, at, &parts);
            for (int c = 0; c < D; c++) {
                double up[D], down[D];
                memcpy(up, at, sizeof up);
                memcpy(down, at, sizeof down);
                up[c] += h;
                down[c] -= h;
                assert_true(slope[c] == (head_at(head, up, v) - head_at(head, down, v)) / (2 * h));
            }
            for (int64_t e = 0; e < parts.heads * D; e++) {
                memcpy(moved, v, sizeof moved);
                moved[e] += h;
                const double more = head_at(head, at, moved);
                moved[e] -= 2 * h;
                assert_true(decoder[e] == (more - head_at(head, at, moved)) / (2 * h));
            }
        }
    }
}

/* PyTorch's choice: no slope at a kink. */
static void a_kink_has_no_slope(void **state)
{
    const double zero[D] = { 0 };
    const struct trop_head_parts parts = { v, ROWS, D, 0 };
    double slope[D] = { 1, 1, 1 }, decoder[ROWS * D] = { 1, 1, 1, 1, 1, 1 };

    (void)state;
    trop_head_relu.slope(slope, zero, &parts);
    trop_head_relu.decoder(decoder, zero, &parts);
    for (int e = 0; e < ROWS * D; e++) {
        assert_true(slope[e % D] == 0 && decoder[e] == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_and_slopes),   cmocka_unit_test(rises_do_not_cancel),
        cmocka_unit_test(rises_of_tiny_drops), cmocka_unit_test(heads_by_hand),
        cmocka_unit_test(slopes_of_heads),     cmocka_unit_test(a_kink_has_no_slope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
