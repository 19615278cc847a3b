/* schedule_internal.h -- numbers in two doubles, for the sums of a schedule's logarithms. */
#ifndef TROP_BASE_SCHEDULE_INTERNAL_H
#define TROP_BASE_SCHEDULE_INTERNAL_H

#include "base/math/log.h"
#include "base/schedule.h"

#include <float.h>
#include <math.h>

#define TROP_SCHEDULE_SHORT 64 /* terms that are always added one by one */

struct pair {
    double hi;
    double lo; /* at most about an ulp of hi */
};

/* a + b exactly (Knuth: any a and b). */
static inline struct pair two_sum(double a, double b)
{
    const double sum = a + b;
    const double part = sum - a;
    return (struct pair){ sum, (a - (sum - part)) + (b - part) };
}

static inline struct pair pair_sum(struct pair a, struct pair b)
{
    const struct pair hi = two_sum(a.hi, b.hi);
    const struct pair lo = two_sum(a.lo, b.lo);
    const struct pair sum = two_sum(hi.hi, hi.lo + lo.hi);
    return two_sum(sum.hi, sum.lo + lo.lo);
}

static inline struct pair pair_product(struct pair a, struct pair b)
{
    const double hi = a.hi * b.hi;
    const double lo = fma(a.hi, b.hi, -hi) + fma(a.hi, b.lo, a.lo * b.hi);
    return isfinite(hi) ? two_sum(hi, lo) : (struct pair){ hi, 0.0 };
}

static inline struct pair pair_log(struct pair x)
{
    struct pair log;
    trop_log_pair(&log.hi, &log.lo, x.hi);
    return pair_sum(log, (struct pair){ x.lo / x.hi, 0.0 });
}

/* A finite sum of logarithms may be too large for a double, but only a step of 1 leaves nothing:
 * -infinity is kept for that. */
static inline double clamp(double sum)
{
    return sum < -DBL_MAX ? -DBL_MAX : sum;
}

/* sum + term, where either may be -infinity. */
static inline struct pair add(struct pair sum, double term)
{
    if (isinf(sum.hi) || isinf(term)) {
        return (struct pair){ sum.hi + term, 0.0 };
    }
    const struct pair hi = two_sum(sum.hi, term);
    return isinf(hi.hi) ? (struct pair){ clamp(hi.hi), 0.0 } : two_sum(hi.hi, hi.lo + sum.lo);
}

/* The sum of log(1 - s(k)) over the n >= 1 whole k from `from` on, of a geometric or power
 * schedule that falls: a > 0, and 0 < b < 1 (geometric) or b > 0 (power). n may be infinity where
 * the sum is finite. */
double trop_schedule_fade(const struct trop_schedule *schedule, double from, double n);

#endif
