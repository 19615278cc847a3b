/* dd.h -- double-double arithmetic: an unevaluated sum of two doubles, about 106 bits.
 *
 * high is the sum rounded to double, |low| <= ulp(high)/2. With u = 2^-53, and as long as
 * nothing overflows and no product loses bits below 2^-1022:
 *
 *   trop_dd_sum, trop_dd_product of two doubles   exact
 *   trop_dd_add        error <= 3 u^2 |a + b|     (the accurate form: cancellation included)
 *   trop_dd_times      error <= 5 u^2 |a b|
 *   trop_dd_over       error <= 10 u^2 |a / b|
 *   trop_dd_root       error <= 4 u^2 sqrt(a)
 *
 * Joldes, Muller, Popescu, "Tight and rigorous error bounds for basic building blocks of
 * double-word arithmetic" (2017): AccurateDWPlusDW, DWTimesDW3, DWDivDW2. */
#ifndef TROP_BASE_DD_H
#define TROP_BASE_DD_H

#include <math.h>

struct trop_dd {
    double high, low;
};

static inline struct trop_dd trop_dd_of(double a)
{
    return (struct trop_dd){ a, 0.0 };
}

/* a + b, exactly. */
static inline struct trop_dd trop_dd_sum(double a, double b)
{
    const double s = a + b;
    const double t = s - a;
    return (struct trop_dd){ s, (a - (s - t)) + (b - t) };
}

/* The same as the sum rounded to double, and in *low what rounding took from it. */
static inline double trop_dd_sum_parts(double *low, double a, double b)
{
    const struct trop_dd sum = trop_dd_sum(a, b);
    *low = sum.low;
    return sum.high;
}

/* trop_dd_sum when |a| >= |b| or a = 0. */
static inline struct trop_dd trop_dd_quick(double a, double b)
{
    const double s = a + b;
    return (struct trop_dd){ s, b - (s - a) };
}

/* a b, exactly. */
static inline struct trop_dd trop_dd_product(double a, double b)
{
    const double p = a * b;
    return (struct trop_dd){ p, fma(a, b, -p) };
}

static inline struct trop_dd trop_dd_add(struct trop_dd a, struct trop_dd b)
{
    const struct trop_dd s = trop_dd_sum(a.high, b.high);
    const struct trop_dd t = trop_dd_sum(a.low, b.low);
    const struct trop_dd v = trop_dd_quick(s.high, s.low + t.high);
    return trop_dd_quick(v.high, t.low + v.low);
}

static inline struct trop_dd trop_dd_minus(struct trop_dd a)
{
    return (struct trop_dd){ -a.high, -a.low };
}

static inline struct trop_dd trop_dd_less(struct trop_dd a, struct trop_dd b)
{
    return trop_dd_add(a, trop_dd_minus(b));
}

static inline struct trop_dd trop_dd_times(struct trop_dd a, struct trop_dd b)
{
    const struct trop_dd p = trop_dd_product(a.high, b.high);
    const double t = fma(a.high, b.low, a.low * b.low);
    return trop_dd_quick(p.high, p.low + fma(a.low, b.high, t));
}

/* sum + a b. */
static inline struct trop_dd trop_dd_fma(struct trop_dd a, struct trop_dd b, struct trop_dd sum)
{
    return trop_dd_add(sum, trop_dd_times(a, b));
}

static inline struct trop_dd trop_dd_over(struct trop_dd a, struct trop_dd b)
{
    const double first = a.high / b.high;
    const struct trop_dd rest = trop_dd_less(a, trop_dd_times(b, trop_dd_of(first)));
    return trop_dd_quick(first, rest.high / b.high);
}

/* The square root of a >= 0. */
static inline struct trop_dd trop_dd_root(struct trop_dd a)
{
    if (!(a.high > 0)) {
        return trop_dd_of(0.0);
    }
    const double root = sqrt(a.high);
    const struct trop_dd rest = trop_dd_less(a, trop_dd_product(root, root));
    return trop_dd_quick(root, rest.high / (2.0 * root));
}

#endif
