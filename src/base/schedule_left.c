/* schedule_left.c -- what a schedule of steps leaves: log prod (1 - s(k)), in closed form.
 *
 * A token that moves the share s(k) of its way at step k keeps prod (1 - s(k)) of the way. The sum
 *
 *   left(from, to) = sum over whole k, from <= k < to, of log(1 - s(k))
 *
 * has terms <= 0 only, so that terms with a relative error make a sum with the same one, also
 * where it is next to 0. Every way below keeps to that; u is 2^-53, half an ulp.
 *
 * Closed: n log(1 - a) for a constant (3 u); from / to for 1 / (k + 1) and
 * from (from + 1) / (to (to + 1)) for 2 / (k + 2), whose logarithm is taken of 1 - (to - from) / to
 * when that is above 1/2 (3 u); -a n (from + to + 1) / 2 for 1 - exp(-a (k + 1)) (4 u).
 *
 * Direct: the terms one by one, added in two doubles. A term is log1p(-s), or for s > 1/2 the log
 * of 1 - s found without cancellation: cosine has s = a - |b| + 2 |b| C^2 and
 * 1 - s = (1 - a - |b|) + 2 |b| S^2 with C, S = cos(k / 2), sin(k / 2) or the other way around.
 * For s <= 1/2 log1p magnifies the error of s up to 1.45 times: 8 u for cosine, 6 u for the rest.
 * (Growing geometric and power steps take 1 - s of the rounded s.) A value counts where it lies,
 * or where it rounds to if that is 1 and it lies above.
 *
 * Geometric and power, s falling: schedule_fade.c, 12 u.
 *
 * Cosine: with A = 1 - a, R = sqrt(A^2 - b^2) and q = b / (A + R),
 *
 *   log(A - b cos k) = log((A + R) / 2) - 2 sum_m q^m cos(m k) / m,
 *   sum_k cos(m k) = sin(m n / 2) cos(m (from + to - 1) / 2) / sin(m / 2).
 *
 * With |q|^M = 2^-60 it takes M terms; more than 10^4 are not taken. The terms with sin(m / 2)
 * small (m = 44, 710, ...) are sums of cosines that are all nearly alike, at most n each, so
 * that they do not exceed the constant part. Error: 5 u in it, 8 u in the rest: 16 u for both,
 * which may differ in sign.
 *
 * Measured over tests/base/test_schedule*.c: closed 2.9 u, direct 2.9 u, geometric and power
 * 7.9 u, cosine 2.9 u. Results below 2^-1022 have the error of that number.
 *
 * What has no closed form (cosine with q near 1, linear, growing steps) is added directly up
 * to 10^5 terms and is NaN beyond.
 */
#include "base/schedule_internal.h"

#include "base/math/cos.h"
#include "base/math/exp.h"
#include "base/math/sin.h"

#include <math.h>
#include <stdint.h>

#define DIRECT_MAX 1e5 /* terms added one by one for want of a closed form */
#define FOURIER_MAX 1e4

/* ---- single terms ---------------------------------------------------------------------------- */

/* log(1 - s) for s = hi + lo. What rounds to 1 and is above it counts as 1. */
static double log_rest(double hi, double lo)
{
    if (!(hi >= 0.0 && hi <= 1.0)) {
        return NAN;
    }
    return hi > 0.5 ? trop_log(fmax((1.0 - hi) - lo, 0.0)) : trop_log1p_pair(-hi, -lo);
}

static double cosine_term(const struct trop_schedule *schedule, double k)
{
    const double size = fabs(schedule->b);
    const struct pair low = two_sum(schedule->a, -size);
    const struct pair rest = two_sum(1.0, -schedule->a);
    const double c = trop_cos(0.5 * k), s = trop_sin(0.5 * k);
    const double up = schedule->b > 0.0 ? c : s, down = schedule->b > 0.0 ? s : c;

    const double value = fma(2.0 * size * up, up, low.hi) + low.lo;
    const double gap = fma(2.0 * size * down, down, rest.hi - size) + rest.lo;
    if (!(value >= 0.0 && gap >= 0.0)) {
        return log_rest(trop_schedule_at(schedule, k), 0.0);
    }
    return value > 0.5 ? trop_log(gap) : trop_log1p(-value);
}

/* log(1 - s(k)) of the kinds without a law. */
static double term(const struct trop_schedule *schedule, double k)
{
    if (schedule->kind == TROP_SCHEDULE_COSINE) {
        return cosine_term(schedule, k);
    }
    if (schedule->kind == TROP_SCHEDULE_LINEAR) {
        const double product = schedule->b * k;
        const struct pair sum = two_sum(schedule->a, product);
        const struct pair value = two_sum(sum.hi, sum.lo + fma(schedule->b, k, -product));
        return log_rest(value.hi, value.lo);
    }
    return log_rest(trop_schedule_at(schedule, k), 0.0);
}

static double direct(const struct trop_schedule *schedule, double from, double n)
{
    struct pair sum = { 0.0, 0.0 };
    if (n > DIRECT_MAX) {
        return NAN;
    }
    for (double i = 0; i < n; i++) {
        sum = add(sum, term(schedule, from + i));
    }
    return sum.hi;
}

/* ---- closed products ------------------------------------------------------------------------- */

/* n equal terms. */
static double times(double n, double log)
{
    return n == 0.0 || log == 0.0 ? 0.0 : isfinite(n) && isfinite(log) ? clamp(n * log) : n * log;
}

/* log((from + shift) / (to + shift)). */
static double log_ratio(double from, double to, double shift)
{
    const struct pair top = two_sum(from, shift), bottom = two_sum(to, shift);
    if (top.hi == 0.0 || isinf(to)) {
        return -INFINITY;
    }
    if (top.hi <= 0.5 * bottom.hi) {
        const struct pair a = pair_log(top), b = pair_log(bottom);
        return (a.hi - b.hi) + (a.lo - b.lo);
    }
    const struct pair n = two_sum(to, -from);
    const double share = n.hi / bottom.hi;
    return trop_log1p_pair(-share, -(fma(-share, bottom.hi, n.hi) + n.lo) / bottom.hi);
}

static double superexp(double a, double from, double to)
{
    const double middle = 0.5 * from + (0.5 * to + 0.5); /* of the k + 1 */
    if (!(a >= 0.0)) {
        return NAN;
    }
    return a == 0.0 ? 0.0 : isinf(to) ? -INFINITY : clamp(-(a * (to - from)) * middle);
}

static double geometric(const struct trop_schedule *schedule, double from, double n)
{
    if (schedule->a == 0.0 || (schedule->b == 0.0 && from > 0.0)) {
        return 0.0;
    }
    if (schedule->b == 1.0) {
        return times(n, log_rest(schedule->a, 0.0));
    }
    if (schedule->b == 0.0) {
        return log_rest(schedule->a, 0.0);
    }
    if (!(schedule->a > 0.0 && schedule->b > 0.0 && schedule->b < 1.0)) {
        return direct(schedule, from, n);
    }
    return trop_schedule_fade(schedule, from, n);
}

static double power(const struct trop_schedule *schedule, double from, double n)
{
    if (schedule->a == 0.0) {
        return 0.0;
    }
    if (schedule->b == 0.0) {
        return times(n, log_rest(schedule->a, 0.0));
    }
    if (!(schedule->a > 0.0 && schedule->b > 0.0)) {
        return direct(schedule, from, n);
    }
    if (isinf(n) && schedule->b <= 1.0) { /* diverges, if it begins in [0, 1] */
        return isnan(trop_schedule_fade(schedule, from, 1.0)) ? NAN : -INFINITY;
    }
    return trop_schedule_fade(schedule, from, n);
}

/* ---- cosine ---------------------------------------------------------------------------------- */

/* sin and cos of m x / 2. */
static void half_turn(double *sin_out, double *cos_out, double m, struct pair x)
{
    const struct pair angle = pair_product((struct pair){ 0.5 * m, 0.0 }, x);
    const double s = trop_sin(angle.hi), c = trop_cos(angle.hi);
    const double s_lo = trop_sin(angle.lo), c_lo = trop_cos(angle.lo);
    *sin_out = fma(s, c_lo, c * s_lo);
    *cos_out = fma(c, c_lo, -s * s_lo);
}

/* sum_m q^m / m sum_k cos(m k). */
static double waves(double q, double terms, double from, double to)
{
    const struct pair n = two_sum(to, -from);
    const struct pair centre = pair_sum(two_sum(from, to), (struct pair){ -1.0, 0.0 });
    struct pair sum = { 0.0, 0.0 };
    double share = 1.0;

    for (double m = 1; m <= terms; m++) {
        double s, c, ignored;
        half_turn(&s, &ignored, m, n);
        half_turn(&ignored, &c, m, centre);
        share *= q;
        sum = add(sum, share / m * (s * c / trop_sin(0.5 * m)));
    }
    return sum.hi;
}

static double cosine(const struct trop_schedule *schedule, double from, double to)
{
    const double a = schedule->a, b = schedule->b, size = fabs(b);
    const struct pair rest = two_sum(1.0, -a);
    const double gap = (rest.hi - size) + rest.lo;

    if (b == 0.0) {
        return times(to - from, log_rest(a, 0.0));
    }
    if (to - from <= TROP_SCHEDULE_SHORT || !(a >= size && gap > 0.0)) {
        return direct(schedule, from, to - from);
    }
    const double root = sqrt(gap * (rest.hi + size));
    const double q = b / (rest.hi + root);
    const double terms = 2.0 + floor(42.0 / -trop_log(fabs(q)));
    if (isinf(to)) {
        return -INFINITY;
    }
    if (!(terms <= FOURIER_MAX)) {
        return direct(schedule, from, to - from);
    }
    const double lost = 0.5 * (a + fma(b, b, a * (2.0 - a)) / (root + 1.0));
    const double mean = lost > 0.5 ? trop_log(0.5 * (rest.hi + root)) : trop_log1p(-lost);
    return clamp(fma(-2.0, waves(q, terms, from, to), times(to - from, mean)));
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* The listed values from k on, before to. */
static struct pair listed(const struct trop_schedule *schedule, double from, double to)
{
    struct pair sum = { 0.0, 0.0 };
    for (double k = from; k < fmin(to, (double)schedule->count); k++) {
        sum = add(sum, log_rest(schedule->values[(int64_t)k], 0.0));
    }
    return sum;
}

/* Before the list's end and beyond, where its last value holds on. */
static double values(struct pair before, const struct trop_schedule *schedule, double from,
                     double to)
{
    const double rest = to - fmax(from, (double)schedule->count);
    const double last = schedule->values[schedule->count - 1];
    return rest > 0.0 ? add(before, times(rest, log_rest(last, 0.0))).hi : before.hi;
}

double trop_schedule_left(const struct trop_schedule *schedule, double from, double to)
{
    if (!(to > from)) {
        return to <= from ? 0.0 : NAN;
    }
    switch ((enum trop_schedule_kind)schedule->kind) {
    case TROP_SCHEDULE_UNSET:
    case TROP_SCHEDULE_CONSTANT:
        return times(to - from, log_rest(schedule->a, 0.0));
    case TROP_SCHEDULE_FW:
        return log_ratio(from, to, 0.0) + log_ratio(from, to, 1.0);
    case TROP_SCHEDULE_HARMONIC:
        return log_ratio(from, to, 0.0);
    case TROP_SCHEDULE_SUPEREXP:
        return superexp(schedule->a, from, to);
    case TROP_SCHEDULE_GEOMETRIC:
        return geometric(schedule, from, to - from);
    case TROP_SCHEDULE_POWER:
        return power(schedule, from, to - from);
    case TROP_SCHEDULE_COSINE:
        return cosine(schedule, from, to);
    case TROP_SCHEDULE_LINEAR:
        return schedule->b == 0.0 ? times(to - from, log_rest(schedule->a, 0.0))
                                  : direct(schedule, from, to - from);
    case TROP_SCHEDULE_VALUES:
        return values(listed(schedule, from, to), schedule, from, to);
    }
    return NAN;
}

/* ---- the way back ---------------------------------------------------------------------------- */

/* The next whole number that is a double. */
static double after(double t)
{
    return fmax(t + 1.0, trop_exp_value(trop_exp_bits(t) + 1));
}

/* left(from, to), the listed values known. */
static double resumed(struct pair before, const struct trop_schedule *schedule, double from,
                      double to)
{
    return schedule->kind == TROP_SCHEDULE_VALUES ? values(before, schedule, from, to)
                                                  : trop_schedule_left(schedule, from, to);
}

/* left is above the target at low; doubles are halved by their bits, which have their order, so
 * that some 75 steps do for any range; none where even infinity is too early. NaN counts as
 * reached until it is what is found. Where rounding leaves left uneven the answer is a t that
 * reaches the target after a t that does not. */
static double bisect(struct pair before, const struct trop_schedule *schedule, double from,
                     double low, double target)
{
    double high = INFINITY;
    if (resumed(before, schedule, from, high) > target) {
        return INFINITY;
    }
    while (after(low) < high) {
        const uint64_t bits = trop_exp_bits(low);
        const double half = floor(trop_exp_value(bits + (trop_exp_bits(high) - bits) / 2));
        const double middle = half > low ? half : after(low);
        if (resumed(before, schedule, from, middle) > target) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return isnan(resumed(before, schedule, from, high)) ? NAN : high;
}

double trop_schedule_reach(const struct trop_schedule *schedule, double from, double target)
{
    struct pair before = { 0.0, 0.0 };
    double low = from;

    if (!(target < 0.0)) {
        return target >= 0.0 ? from : NAN;
    }
    if (schedule->kind == TROP_SCHEDULE_VALUES) {
        for (; low < (double)schedule->count; low++) {
            before = add(before, log_rest(schedule->values[(int64_t)low], 0.0));
            if (!(before.hi > target)) {
                return isnan(before.hi) ? NAN : low + 1.0;
            }
        }
    }
    return bisect(before, schedule, from, low, target);
}
