/* schedule_support.h -- what a schedule of steps leaves, in MPFR.
 *
 * The reference adds log(1 - s(k)) in 200 bits, term by term, from the formula of the schedule.
 * Errors are counted in u = 2^-53 of the result; the bounds are those that schedule_left.c
 * derives, one each for its ways to add. TROP_TEST_FULL=1 goes to a million terms and prints the
 * worst error of each way. */
#ifndef TROP_TESTS_SCHEDULE_SUPPORT_H
#define TROP_TESTS_SCHEDULE_SUPPORT_H

#include "base/schedule.h"

#include "support.h"

#include <float.h>
#include <mpfr.h>

#define BITS 200        /* of the reference: a million terms cost it 20 */
#define GAMMA_BITS 2400 /* log Gamma(1e300) is 7e302; the ratios need 200 bits beyond the point */
#define SHORT 64        /* where schedule_left.c turns from terms to closed forms */
#define ROUND MPFR_RNDN

/* Bounds, in u. */
#define CLOSED 4.0
#define DIRECT 8.0
#define LAW 12.0
#define COSINE 16.0

static double worst[4];

static inline struct trop_schedule made(int64_t kind, double a, double b)
{
    return (struct trop_schedule){ .kind = kind, .a = a, .b = b };
}

/* got is expected within the bound; the worst of each bound is kept. */
static inline void near_mpfr(const struct trop_schedule *s, double from, double to, double bound,
                             mpfr_t expected)
{
    double got = trop_schedule_left(s, from, to);
    double size = fmax(fabs(mpfr_get_d(expected, ROUND)), DBL_MIN); /* below it digits are lost */
    mpfr_t off;
    mpfr_init2(off, BITS);
    mpfr_sub_d(off, expected, got, ROUND);
    double error = isinf(size) && got == -size ? 0 : fabs(mpfr_get_d(off, ROUND)) / size * 0x1p53;
    mpfr_clear(off);
    int way = bound == CLOSED ? 0 : bound == DIRECT ? 1 : bound == LAW ? 2 : 3;
    worst[way] = fmax(worst[way], error);
    if (!(error <= bound)) {
        fail_msg("kind %d a %.17g b %.17g from %.17g to %.17g: %.17g is off by %.3g u of %.17g",
                 (int)s->kind, s->a, s->b, from, to, got, error, mpfr_get_d(expected, ROUND));
    }
}

/* log(1 - s(k)) by the formula. t: scratch. */
static inline void term_of(mpfr_t out, mpfr_t t, const struct trop_schedule *s, double k)
{
    mpfr_set_d(t, k, ROUND);
    switch ((enum trop_schedule_kind)s->kind) {
    case TROP_SCHEDULE_UNSET:
    case TROP_SCHEDULE_CONSTANT:
        mpfr_set_d(out, s->a, ROUND);
        break;
    case TROP_SCHEDULE_FW:
        mpfr_add_ui(t, t, 2, ROUND);
        mpfr_ui_div(out, 2, t, ROUND);
        break;
    case TROP_SCHEDULE_HARMONIC:
        mpfr_add_ui(t, t, 1, ROUND);
        mpfr_ui_div(out, 1, t, ROUND);
        break;
    case TROP_SCHEDULE_SUPEREXP:
        mpfr_add_ui(t, t, 1, ROUND);
        mpfr_mul_d(t, t, -s->a, ROUND);
        mpfr_expm1(out, t, ROUND);
        mpfr_neg(out, out, ROUND);
        break;
    case TROP_SCHEDULE_GEOMETRIC:
        mpfr_set_d(out, s->b, ROUND);
        mpfr_pow(out, out, t, ROUND);
        mpfr_mul_d(out, out, s->a, ROUND);
        break;
    case TROP_SCHEDULE_POWER:
        mpfr_add_ui(t, t, 1, ROUND);
        mpfr_set_d(out, -s->b, ROUND);
        mpfr_pow(out, t, out, ROUND);
        mpfr_mul_d(out, out, s->a, ROUND);
        break;
    case TROP_SCHEDULE_COSINE:
        mpfr_cos(out, t, ROUND);
        mpfr_mul_d(out, out, s->b, ROUND);
        mpfr_add_d(out, out, s->a, ROUND);
        break;
    case TROP_SCHEDULE_LINEAR:
        mpfr_mul_d(out, t, s->b, ROUND);
        mpfr_add_d(out, out, s->a, ROUND);
        break;
    case TROP_SCHEDULE_VALUES:
        mpfr_set_d(out, s->values[(int64_t)fmin(k, (double)(s->count - 1))], ROUND);
        break;
    }
    mpfr_neg(out, out, ROUND);
    mpfr_log1p(out, out, ROUND);
}

static const double starts[] = { 0, 1, 2, 7, 63, 1000, 123456789, 0x1p52 };
#define STARTS ((int)(sizeof starts / sizeof starts[0]))

static inline int print_worst(void **state)
{
    (void)state;
    if (getenv("TROP_TEST_FULL")) {
        printf("worst errors in u: closed %.2f, direct %.2f, law %.2f, cosine %.2f\n", worst[0],
               worst[1], worst[2], worst[3]);
    }
    mpfr_free_cache();
    return 0;
}

#endif
