/* test_elementary_special.c -- the elementary functions at their special values. */
#include "base/math/asinh.h"
#include "base/math/cos.h"
#include "base/math/erf.h"
#include "base/math/exp.h"
#include "base/math/log.h"
#include "base/math/pow.h"
#include "base/math/sin.h"
#include "base/math/sinh.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- special values ------------------------------------------------------------------------- */

struct special {
    double (*f)(double);
    double x;
    double want; /* to the bit, but any NaN for NaN */
};

static int same(double a, double b)
{
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

static void special_values_follow_annex_f(void **state)
{
    (void)state;
    static const struct special specials[] = {
        { trop_exp, 0.0, 1.0 },
        { trop_exp, -0.0, 1.0 },
        { trop_exp, INFINITY, INFINITY },
        { trop_exp, -INFINITY, 0.0 },
        { trop_exp, 1e308, INFINITY },
        { trop_exp, -1e308, 0.0 },
        { trop_exp, 710.0, INFINITY },
        { trop_exp, -746.0, 0.0 },
        { trop_exp, 0x1.62e42fefa39efp+9, 0x1.fffffffffff2ap+1023 },
        { trop_exp, 0x1.62e42fefa39f0p+9, INFINITY },
        { trop_exp, -0x1.74910d52d3051p+9, 0x1p-1074 },
        { trop_exp, -0x1.74910d52d3053p+9, 0.0 },
        { trop_exp, NAN, NAN },
        { trop_exp, -NAN, NAN },
        { trop_expm1, 0.0, 0.0 },
        { trop_expm1, -0.0, -0.0 },
        { trop_expm1, 0x1p-1074, 0x1p-1074 },
        { trop_expm1, INFINITY, INFINITY },
        { trop_expm1, -INFINITY, -1.0 },
        { trop_expm1, 711.0, INFINITY },
        { trop_expm1, NAN, NAN },
        { trop_log, 1.0, 0.0 },
        { trop_log, 0.0, -INFINITY },
        { trop_log, -0.0, -INFINITY },
        { trop_log, -1.0, NAN },
        { trop_log, -INFINITY, NAN },
        { trop_log, INFINITY, INFINITY },
        { trop_log, NAN, NAN },
        { trop_log10, 1.0, 0.0 },
        { trop_log10, 1e15, 15.0 },
        { trop_log10, 1e22, 22.0 },
        { trop_log10, 0.0, -INFINITY },
        { trop_log10, -1.0, NAN },
        { trop_log10, INFINITY, INFINITY },
        { trop_log1p, 0.0, 0.0 },
        { trop_log1p, -0.0, -0.0 },
        { trop_log1p, -0x1p-1074, -0x1p-1074 },
        { trop_log1p, -1.0, -INFINITY },
        { trop_log1p, -0x1.0000000000001p0, NAN },
        { trop_log1p, -INFINITY, NAN },
        { trop_log1p, INFINITY, INFINITY },
        { trop_log1p, NAN, NAN },
        { trop_sinh, 0.0, 0.0 },
        { trop_sinh, -0.0, -0.0 },
        { trop_sinh, INFINITY, INFINITY },
        { trop_sinh, -INFINITY, -INFINITY },
        { trop_sinh, -800.0, -INFINITY },
        { trop_sinh, NAN, NAN },
        { trop_asinh, 0.0, 0.0 },
        { trop_asinh, -0.0, -0.0 },
        { trop_asinh, INFINITY, INFINITY },
        { trop_asinh, -INFINITY, -INFINITY },
        { trop_asinh, NAN, NAN },
        { trop_sin, 0.0, 0.0 },
        { trop_sin, -0.0, -0.0 },
        { trop_sin, -0x1p-1074, -0x1p-1074 },
        { trop_sin, INFINITY, NAN },
        { trop_sin, -INFINITY, NAN },
        { trop_sin, NAN, NAN },
        { trop_cos, 0.0, 1.0 },
        { trop_cos, -0.0, 1.0 },
        { trop_cos, INFINITY, NAN },
        { trop_cos, -INFINITY, NAN },
        { trop_cos, NAN, NAN },
        { trop_erf, 0.0, 0.0 },
        { trop_erf, -0.0, -0.0 },
        { trop_erf, INFINITY, 1.0 },
        { trop_erf, -INFINITY, -1.0 },
        { trop_erf, -6.0, -1.0 },
        { trop_erf, NAN, NAN },
        { trop_erfc, 0.0, 1.0 },
        { trop_erfc, INFINITY, 0.0 },
        { trop_erfc, -INFINITY, 2.0 },
        { trop_erfc, 27.3, 0.0 },
        { trop_erfc, NAN, NAN },
    };
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++) {
        const struct special *s = &specials[i];
        const double got = s->f(s->x);
        if (!same(got, s->want)) {
            fail_msg("special value %d: f(%a) = %a, not %a", (int)i, s->x, got, s->want);
        }
    }
}

static void special_powers_follow_annex_f(void **state)
{
    (void)state;
    static const double specials[][3] = {
        { NAN, 0.0, 1.0 },
        { NAN, -0.0, 1.0 },
        { 1.0, NAN, 1.0 },
        { 1.0, INFINITY, 1.0 },
        { NAN, 1.0, NAN },
        { 2.0, NAN, NAN },
        { 0.0, NAN, NAN },
        { -1.0, INFINITY, 1.0 },
        { -1.0, -INFINITY, 1.0 },
        { 0.5, INFINITY, 0.0 },
        { -0.5, INFINITY, 0.0 },
        { 0.0, INFINITY, 0.0 },
        { 0.5, -INFINITY, INFINITY },
        { 0.0, -INFINITY, INFINITY },
        { -2.0, INFINITY, INFINITY },
        { INFINITY, INFINITY, INFINITY },
        { -2.0, -INFINITY, 0.0 },
        { -INFINITY, -INFINITY, 0.0 },
        { 0.0, 0.0, 1.0 },
        { INFINITY, 0.0, 1.0 },
        { 0.0, 3.0, 0.0 },
        { -0.0, 3.0, -0.0 },
        { -0.0, 2.0, 0.0 },
        { -0.0, 2.5, 0.0 },
        { 0.0, -3.0, INFINITY },
        { -0.0, -3.0, -INFINITY },
        { -0.0, -2.0, INFINITY },
        { -0.0, -0.5, INFINITY },
        { -INFINITY, 3.0, -INFINITY },
        { -INFINITY, 2.0, INFINITY },
        { -INFINITY, 2.5, INFINITY },
        { -INFINITY, -3.0, -0.0 },
        { -INFINITY, -2.0, 0.0 },
        { INFINITY, 1e-300, INFINITY },
        { INFINITY, -1e-300, 0.0 },
        { -2.0, 0.5, NAN },
        { -2.0, 3.0, -8.0 },
        { -2.0, -2.0, 0.25 },
        { -2.0, 1025.0, -INFINITY },
        { -2.0, -1077.0, -0.0 },
        { -2.0, -1073.0, -0x1p-1073 },
        { -1.0, 0x1.fffffffffffffp52, -1.0 },
        { -1.0, 0x1p53, 1.0 },
        { 0x1.0000000000001p0, 1e308, INFINITY },
        { 2.0, 1e308, INFINITY },
        { 2.0, -1e308, 0.0 },
        { 2.0, 1e-320, 1.0 },
        { 0x1p-1074, 1.0, 0x1p-1074 },
        { 0x1p-1074, -0.5, 0x1p537 },
        { 3.0, 2.0, 9.0 },
        { 10.0, 22.0, 1e22 },
    };
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++) {
        const double *s = specials[i];
        const double got = trop_pow(s[0], s[1]);
        if (!same(got, s[2])) {
            fail_msg("pow(%a, %a) = %a, not %a", s[0], s[1], got, s[2]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(special_values_follow_annex_f),
        cmocka_unit_test(special_powers_follow_annex_f),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
