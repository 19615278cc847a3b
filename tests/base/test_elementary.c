/* test_elementary.c -- the elementary functions against MPFR, and bit for bit between builds.
 *
 * Arguments are random with fixed seeds, from ranges chosen to reach every exponent, every branch
 * and every cancellation. TROP_TEST_FULL=1 takes a hundred times as many and prints the worst
 * error of each function. */
#include "base/math/asinh.h"
#include "base/math/cos.h"
#include "base/math/erf.h"
#include "base/math/exp.h"
#include "base/math/log.h"
#include "base/math/pow.h"
#include "base/math/sin.h"
#include "base/math/sinh.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <mpfr.h>

#define PRECISION 160 /* bits of the reference: far beyond what 2 ulp or 2^-95 can notice */
#define COUNT 5000    /* arguments per range */
#define RANGES 8

/* The x86 builds of the vector loop; elsewhere the plain loop takes their place. gcc vectorises
 * them at -O3, clang at -O2 already. */
#if defined __x86_64__ && defined __GNUC__
#define TARGET(isa) __attribute__((target(isa)))
#define SUPPORTED(isa) __builtin_cpu_supports(isa)
#else
#define TARGET(isa)
#define SUPPORTED(isa) 1
#endif

/* ---- arguments ------------------------------------------------------------------------------ */

enum kind {
    NONE,    /* the end of a list of ranges */
    UNIFORM, /* from a to b */
    SCALE,   /* +- m 2^e, m in [1, 2), a <= e < b */
    RAISED,  /* m 2^e, the same without a sign */
    BESIDE,  /* centre +- m 2^e */
    QUARTERS /* within 3 ulp of n pi / 2, |n| about 2^e */
};

struct range {
    enum kind kind;
    double a;
    double b;
    double centre;
};

/* The splitmix64 sequence. */
static uint64_t random_bits(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static double random_unit(uint64_t *state)
{
    return (double)(random_bits(state) >> 11) * 0x1p-53;
}

static double random_raised(uint64_t *state, double a, double b)
{
    const double e = floor(a + (b - a) * random_unit(state));
    return ldexp(1.0 + random_unit(state), (int)e);
}

static double random_argument(uint64_t *state, const struct range *range)
{
    const double a = range->a;
    const double b = range->b;
    const double sign = random_bits(state) >> 63 ? -1.0 : 1.0;

    switch (range->kind) {
    case NONE:
        break;
    case UNIFORM:
        return a + (b - a) * random_unit(state);
    case SCALE:
        return sign * random_raised(state, a, b);
    case RAISED:
        return random_raised(state, a, b);
    case BESIDE:
        return range->centre + sign * random_raised(state, a, b);
    case QUARTERS: {
        double x = floor(random_raised(state, a, b)) * 0x1.921fb54442d18p+0;
        for (uint64_t step = random_bits(state) % 4; step > 0; step--) {
            x = nextafter(x, sign * INFINITY);
        }
        return sign * x;
    }
    }
    return NAN;
}

static int64_t count(void)
{
    return getenv("TROP_TEST_FULL") ? 100 * COUNT : COUNT;
}

/* ---- error ---------------------------------------------------------------------------------- */

/* |got - exact| in units of the last place of a double of exact's size. Infinity stands for 2^1024,
 * where the next double would be. */
static double ulp_error(double got, const mpfr_t exact)
{
    if (isnan(got) || mpfr_nan_p(exact)) {
        return isnan(got) && mpfr_nan_p(exact) ? 0.0 : INFINITY;
    }
    if (mpfr_zero_p(exact) || (mpfr_inf_p(exact) && isinf(got))) {
        return got == mpfr_get_d(exact, MPFR_RNDN) ? 0.0 : INFINITY;
    }
    if (isinf(got) && mpfr_get_exp(exact) > 1024) {
        return (got > 0.0) == (mpfr_sgn(exact) > 0) ? 0.0 : INFINITY;
    }

    mpfr_t error;
    mpfr_init2(error, PRECISION);
    if (isinf(got)) {
        mpfr_set_si_2exp(error, got > 0.0 ? 1 : -1, 1024, MPFR_RNDN);
    } else {
        mpfr_set_d(error, got, MPFR_RNDN);
    }
    mpfr_sub(error, error, exact, MPFR_RNDN);
    const mpfr_exp_t e = mpfr_get_exp(exact);
    const mpfr_exp_t last = (e < -1021 ? -1021 : e > 1024 ? 1024 : e) - 53;
    mpfr_mul_2si(error, error, -last, MPFR_RNDN);
    const double ulps = fabs(mpfr_get_d(error, MPFR_RNDN));
    mpfr_clear(error);
    return ulps;
}

/* ---- the functions of one argument ---------------------------------------------------------- */

struct function {
    const char *name;
    double (*ours)(double);
    int (*exact)(mpfr_t, const mpfr_t, mpfr_rnd_t);
    double bound;  /* ulp, just above the worst measured with TROP_TEST_FULL=1 */
    uint64_t hash; /* of the bits of the results, see every_build_gives_these_bits */
    struct range ranges[RANGES];
};

static const struct function functions[] = {
    { "exp",
      trop_exp,
      mpfr_exp,
      1.0, /* measured: 0.959 */
      0x6926792ff99e4a8fu,
      { { UNIFORM, -746.0, 710.0, 0.0 },
        { UNIFORM, -745.2, -708.0, 0.0 },
        { UNIFORM, -1.0, 1.0, 0.0 },
        { SCALE, -1074.0, 1024.0, 0.0 },
        { SCALE, -60.0, 10.0, 0.0 } } },
    { "expm1",
      trop_expm1,
      mpfr_expm1,
      0.7, /* measured: 0.622 */
      0xfe95924c944e5a9eu,
      { { UNIFORM, -45.0, 60.0, 0.0 },
        { UNIFORM, -1.5, 1.5, 0.0 },
        { UNIFORM, 700.0, 710.0, 0.0 },
        { SCALE, -1074.0, 1024.0, 0.0 },
        { SCALE, -60.0, 10.0, 0.0 },
        { BESIDE, -50.0, -4.0, 0.34 },
        { BESIDE, -50.0, -4.0, -0.34 } } },
    { "log",
      trop_log,
      mpfr_log,
      0.55, /* measured: 0.505 */
      0x7873090c4bab66b1u,
      { { RAISED, -1074.0, 1024.0, 0.0 },
        { RAISED, -1074.0, -1020.0, 0.0 },
        { UNIFORM, 0.5, 2.0, 0.0 },
        { UNIFORM, 0.98, 1.02, 0.0 },
        { BESIDE, -53.0, -5.0, 1.0 } } },
    { "log10",
      trop_log10,
      mpfr_log10,
      0.5001, /* rounded once */
      0xa2e42f3379910928u,
      { { RAISED, -1074.0, 1024.0, 0.0 },
        { RAISED, -1074.0, -1020.0, 0.0 },
        { UNIFORM, 0.5, 2.0, 0.0 },
        { UNIFORM, 0.98, 1.02, 0.0 },
        { BESIDE, -53.0, -5.0, 1.0 } } },
    { "log1p",
      trop_log1p,
      mpfr_log1p,
      0.55, /* measured: 0.504 */
      0x10aea7cc8811cdcbu,
      { { SCALE, -1074.0, -1.0, 0.0 },
        { SCALE, -60.0, -1.0, 0.0 },
        { RAISED, -1.0, 1024.0, 0.0 },
        { RAISED, -1.0, 60.0, 0.0 },
        { UNIFORM, -1.0, 3.0, 0.0 },
        { UNIFORM, -0.02, 0.02, 0.0 },
        { BESIDE, -53.0, -1.0, -1.0 } } },
    { "sinh",
      trop_sinh,
      mpfr_sinh,
      0.65, /* measured: 0.585 */
      0x0162f4f751172f48u,
      { { UNIFORM, -711.0, 711.0, 0.0 },
        { UNIFORM, 708.0, 711.0, 0.0 },
        { UNIFORM, -3.0, 3.0, 0.0 },
        { SCALE, -1074.0, 1024.0, 0.0 },
        { SCALE, -32.0, 6.0, 0.0 },
        { BESIDE, -50.0, -4.0, 0.35 } } },
    { "asinh",
      trop_asinh,
      mpfr_asinh,
      0.55, /* measured: 0.505 */
      0x4575da08e35a1de1u,
      { { SCALE, -1074.0, 1024.0, 0.0 },
        { SCALE, -30.0, 30.0, 0.0 },
        { UNIFORM, -4.0, 4.0, 0.0 },
        { UNIFORM, -0.01, 0.01, 0.0 } } },
    { "sin",
      trop_sin,
      mpfr_sin,
      0.8, /* measured: 0.717 */
      0xef6d00d2b3ec7a6fu,
      { { UNIFORM, -7.0, 7.0, 0.0 },
        { UNIFORM, -1e6, 1e6, 0.0 },
        { SCALE, -1074.0, 1024.0, 0.0 },
        { SCALE, -32.0, 36.0, 0.0 },
        { SCALE, 990.0, 1024.0, 0.0 },
        { QUARTERS, 0.0, 28.0, 0.0 },
        { QUARTERS, 26.0, 53.0, 0.0 } } },
    { "cos",
      trop_cos,
      mpfr_cos,
      0.8, /* measured: 0.709 */
      0xc2faeec7cf92b75eu,
      { { UNIFORM, -7.0, 7.0, 0.0 },
        { UNIFORM, -1e6, 1e6, 0.0 },
        { SCALE, -1074.0, 1024.0, 0.0 },
        { SCALE, -32.0, 36.0, 0.0 },
        { SCALE, 990.0, 1024.0, 0.0 },
        { QUARTERS, 0.0, 28.0, 0.0 },
        { QUARTERS, 26.0, 53.0, 0.0 } } },
    { "erf",
      trop_erf,
      mpfr_erf,
      1.4, /* measured: 1.354 */
      0xfa4787e26bacf35du,
      { { UNIFORM, -7.0, 7.0, 0.0 },
        { UNIFORM, -1.2, 1.2, 0.0 },
        { SCALE, -1074.0, 1024.0, 0.0 },
        { SCALE, -60.0, 3.0, 0.0 },
        { BESIDE, -50.0, -4.0, 1.0 },
        { BESIDE, -50.0, -4.0, 3.0 } } },
    { "erfc",
      trop_erfc,
      mpfr_erfc,
      4.8, /* measured: 4.458 */
      0x57561531c33f1a96u,
      { { UNIFORM, -7.0, 27.5, 0.0 },
        { UNIFORM, 26.5, 27.3, 0.0 },
        { UNIFORM, -1.2, 1.2, 0.0 },
        { SCALE, -1074.0, 1024.0, 0.0 },
        { BESIDE, -50.0, -4.0, 0.5 },
        { BESIDE, -50.0, -4.0, 1.0 },
        { BESIDE, -50.0, -4.0, 3.0 } } },
};

#define FUNCTIONS ((int)(sizeof functions / sizeof *functions))

/* The error of one value, in ulp. */
static double error_at(const struct function *f, double x)
{
    mpfr_t in;
    mpfr_t exact;
    mpfr_init2(in, 53);
    mpfr_init2(exact, PRECISION);
    mpfr_set_d(in, x, MPFR_RNDN);
    f->exact(exact, in, MPFR_RNDN);
    const double error = ulp_error(f->ours(x), exact);
    mpfr_clear(exact);
    mpfr_clear(in);
    return error;
}

static void check_error(const char *name, double error, double bound, double x, double y)
{
    if (!(error <= bound)) {
        fail_msg("%s(%a, %a) is %.3f ulp off: must be at most %.3f", name, x, y, error, bound);
    }
}

static void every_function_is_within_its_bound_of_mpfr(void **state)
{
    (void)state;
    for (const struct function *f = functions; f < functions + FUNCTIONS; f++) {
        double worst = 0.0;
        double where = 0.0;
        uint64_t random = 1;
        for (const struct range *range = f->ranges; range->kind != NONE; range++) {
            for (int64_t i = 0; i < count(); i++) {
                const double x = random_argument(&random, range);
                const double error = error_at(f, x);
                if (!(error <= worst)) {
                    worst = error;
                    where = x;
                }
            }
        }
        if (getenv("TROP_TEST_FULL")) {
            print_message("%s: worst %.4f ulp, at %a\n", f->name, worst, where);
        }
        check_error(f->name, worst, f->bound, where, 0.0);
    }
}

/* The double nearest to a multiple of pi / 2 is 6381956970095103 * 2^797, 2^-61 away. */
static void sine_and_cosine_survive_the_worst_arguments(void **state)
{
    (void)state;
    static const double hard[] = { 0x1.6ac5b262ca1ffp+849,
                                   0x1p30,
                                   0x1.fffffffffffffp29,
                                   1e22,
                                   1e300,
                                   0x1p1023,
                                   0x1.fffffffffffffp1023,
                                   0x1.921fb54442d18p+0,
                                   0x1.921fb54442d18p+1,
                                   0x1.2d97c7f3321d2p+2 };
    for (const struct function *f = functions; f < functions + FUNCTIONS; f++) {
        if (strcmp(f->name, "sin") != 0 && strcmp(f->name, "cos") != 0) {
            continue;
        }
        for (size_t i = 0; i < sizeof hard / sizeof *hard; i++) {
            check_error(f->name, error_at(f, hard[i]), f->bound, hard[i], 0.0);
            check_error(f->name, error_at(f, -hard[i]), f->bound, -hard[i], 0.0);
        }
    }
}

/* ---- powers --------------------------------------------------------------------------------- */

enum power_kind { WIDE, TINY, BESIDE_ONE, NEAR, NEGATIVE, POWER_KINDS };

/* Bases of every size, and exponents that put log2 of the result anywhere from -1080 to 1030. */
static void random_power(double *x, double *y, uint64_t *random, enum power_kind kind)
{
    static const struct range bases[POWER_KINDS] = {
        [WIDE] = { RAISED, -1022.0, 1024.0, 0.0 },   [TINY] = { RAISED, -1074.0, -1022.0, 0.0 },
        [BESIDE_ONE] = { BESIDE, -53.0, -2.0, 1.0 }, [NEAR] = { UNIFORM, 0.25, 4.0, 0.0 },
        [NEGATIVE] = { RAISED, -4.0, 4.0, 0.0 },
    };
    *x = random_argument(random, &bases[kind]);
    const double result = -1080.0 + 2110.0 * random_unit(random);
    *y = kind == NEAR ? 40.0 * random_unit(random) - 20.0
                      : result * 0x1.62e42fefa39efp-1 / trop_log(*x);
    if (kind == NEGATIVE) {
        *x = -*x;
        *y = floor(*y);
    }
}

static void pow_is_within_its_bound_of_mpfr(void **state)
{
    (void)state;
    double worst = 0.0;
    double where[2] = { 0.0, 0.0 };
    uint64_t random = 1;
    mpfr_t base;
    mpfr_t exponent;
    mpfr_t exact;
    mpfr_init2(base, 53);
    mpfr_init2(exponent, 53);
    mpfr_init2(exact, PRECISION);
    for (int kind = 0; kind < POWER_KINDS; kind++) {
        for (int64_t i = 0; i < count(); i++) {
            double x;
            double y;
            random_power(&x, &y, &random, (enum power_kind)kind);
            mpfr_set_d(base, x, MPFR_RNDN);
            mpfr_set_d(exponent, y, MPFR_RNDN);
            mpfr_pow(exact, base, exponent, MPFR_RNDN);
            const double error = ulp_error(trop_pow(x, y), exact);
            if (!(error <= worst)) {
                worst = error;
                where[0] = x;
                where[1] = y;
            }
        }
    }
    mpfr_clears(base, exponent, exact, (mpfr_ptr)NULL);
    if (getenv("TROP_TEST_FULL")) {
        print_message("pow: worst %.4f ulp, at %a, %a\n", worst, where[0], where[1]);
    }
    check_error("pow", worst, 0.8 /* measured: 0.750, subnormal */, where[0], where[1]);
}

/* ---- the logarithm as a pair ---------------------------------------------------------------- */

static void log_pair_has_ninety_five_bits(void **state)
{
    (void)state;
    static const struct range ranges[] = { { RAISED, -1074.0, 1024.0, 0.0 },
                                           { UNIFORM, 0.5, 2.0, 0.0 },
                                           { UNIFORM, 0.98, 1.02, 0.0 },
                                           { BESIDE, -53.0, -5.0, 1.0 } };
    double worst = 0.0;
    uint64_t random = 1;
    mpfr_t exact;
    mpfr_t error;
    mpfr_init2(exact, PRECISION);
    mpfr_init2(error, PRECISION);
    for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++) {
        for (int64_t i = 0; i < count(); i++) {
            const double x = random_argument(&random, &ranges[r]);
            double hi;
            double lo;
            trop_log_pair(&hi, &lo, x);
            assert_true(hi + lo == hi);
            mpfr_set_d(exact, x, MPFR_RNDN);
            mpfr_log(exact, exact, MPFR_RNDN);
            mpfr_sub_d(error, exact, hi, MPFR_RNDN);
            mpfr_sub_d(error, error, lo, MPFR_RNDN);
            if (!mpfr_zero_p(error)) {
                mpfr_div(error, error, exact, MPFR_RNDN);
                worst = fmax(worst, fabs(mpfr_get_d(error, MPFR_RNDN)));
            }
        }
    }
    mpfr_clears(exact, error, (mpfr_ptr)NULL);
    if (getenv("TROP_TEST_FULL")) {
        print_message("log_pair: worst 2^%.2f\n", log2(worst));
    }
    assert_true(worst < 0x1p-95); /* measured: 2^-101.8 */
}

/* ---- special values ------------------------------------------------------------------------- */

static int same(double a, double b)
{
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

/* ---- bits ----------------------------------------------------------------------------------- */

#define ROW 1024

static void fill_plain(double *restrict row, double beta, double top)
{
    for (int j = 0; j < ROW; j++) {
        row[j] = trop_exp_inline(beta * (row[j] - top));
    }
}

TARGET("avx2,fma") static void fill_avx2(double *restrict row, double beta, double top)
{
    for (int j = 0; j < ROW; j++) {
        row[j] = trop_exp_inline(beta * (row[j] - top));
    }
}

TARGET("avx512f,avx512dq,avx512vl,fma")
static void fill_avx512(double *restrict row, double beta, double top)
{
    for (int j = 0; j < ROW; j++) {
        row[j] = trop_exp_inline(beta * (row[j] - top));
    }
}

/* Arguments from deep underflow to overflow, and the special ones. */
static void fill_and_compare(void (*fill)(double *restrict, double, double))
{
    static const double ends[] = { INFINITY, -INFINITY, NAN, -746.0, 710.0, -0.0, 1e308, -1e308 };
    static const struct range wide = { UNIFORM, -760.0, 720.0, 0.0 };
    double row[ROW];
    double want[ROW];
    uint64_t random = 1;
    for (int j = 0; j < ROW; j++) {
        row[j] = j % 64 < 8 ? ends[j % 64] : random_argument(&random, &wide);
        want[j] = trop_exp(0.75 * (row[j] - 0.125));
    }
    fill(row, 0.75, 0.125);
    for (int j = 0; j < ROW; j++) {
        assert_true(same(row[j], want[j]));
    }
}

static void the_vector_loop_gives_the_bits_of_the_scalar_function(void **state)
{
    (void)state;
    fill_and_compare(fill_plain);
    if (SUPPORTED("avx2") && SUPPORTED("fma")) {
        fill_and_compare(fill_avx2);
    }
    if (SUPPORTED("avx512f") && SUPPORTED("avx512dq") && SUPPORTED("avx512vl")) {
        fill_and_compare(fill_avx512);
    }
}

/* FNV-1a, a double at a time; every NaN counts as one. */
static uint64_t hash_add(uint64_t hash, double x)
{
    uint64_t bits = 0;
    if (!isnan(x)) {
        memcpy(&bits, &x, sizeof bits);
    }
    for (int i = 0; i < 8; i++) {
        hash = (hash ^ (bits >> 8 * i & 0xff)) * 0x100000001b3u;
    }
    return hash;
}

static void check_hash(const char *name, uint64_t hash, uint64_t want)
{
    if (hash != want) {
        fail_msg("%s: the hash of its bits is 0x%016" PRIx64 "u, not 0x%016" PRIx64 "u", name, hash,
                 want);
    }
}

/* The hashes were taken from gcc 12 -O0 on x86-64. A change to an algorithm changes them; a
 * change of compiler, level, instruction set or machine must not. */
static void every_build_gives_these_bits(void **state)
{
    (void)state;
    for (const struct function *f = functions; f < functions + FUNCTIONS; f++) {
        uint64_t hash = 0xcbf29ce484222325u;
        uint64_t random = 2;
        for (const struct range *range = f->ranges; range->kind != NONE; range++) {
            for (int i = 0; i < COUNT; i++) {
                hash = hash_add(hash, f->ours(random_argument(&random, range)));
            }
        }
        check_hash(f->name, hash, f->hash);
    }

    uint64_t hash = 0xcbf29ce484222325u;
    uint64_t random = 2;
    for (int i = 0; i < COUNT * POWER_KINDS; i++) {
        double x;
        double y;
        random_power(&x, &y, &random, (enum power_kind)(i % POWER_KINDS));
        hash = hash_add(hash, trop_pow(x, y));
    }
    check_hash("pow", hash, 0x465b238d40d74ed9u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_function_is_within_its_bound_of_mpfr),
        cmocka_unit_test(sine_and_cosine_survive_the_worst_arguments),
        cmocka_unit_test(pow_is_within_its_bound_of_mpfr),
        cmocka_unit_test(log_pair_has_ninety_five_bits),
        cmocka_unit_test(the_vector_loop_gives_the_bits_of_the_scalar_function),
        cmocka_unit_test(every_build_gives_these_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
