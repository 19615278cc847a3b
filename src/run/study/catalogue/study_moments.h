/* study_moments.h -- mean and standard deviation of numbers that come one by one. */
#ifndef TROP_RUN_STUDY_MOMENTS_H
#define TROP_RUN_STUDY_MOMENTS_H

#include "base/math/dd.h"

#include <stdint.h>

/* Zeros are of no numbers. The sums are of differences from the first number and carried in
 * double-double: a mean of 1e9 takes nothing from a deviation of 1e-9. */
struct trop_study_moments {
    int64_t count;
    double first;
    double endless;              /* sum of the infinite ones */
    struct trop_dd sum, squares; /* of x - first */
};

static inline void trop_study_moments_add(struct trop_study_moments *m, double x)
{
    if (isinf(x)) {
        m->endless += x;
    } else {
        m->first = m->count == 0 ? x : m->first;
        const struct trop_dd away = trop_dd_sum(x, -m->first);
        m->sum = trop_dd_add(m->sum, away);
        m->squares = trop_dd_fma(away, away, m->squares);
    }
    m->count++;
}

/* NaN of no numbers; infinite where one is, NaN where both infinities are. */
static inline double trop_study_moments_mean(const struct trop_study_moments *m)
{
    if (m->count == 0 || m->endless != 0) {
        return m->count == 0 ? NAN : m->endless;
    }
    const struct trop_dd away = trop_dd_over(m->sum, trop_dd_of((double)m->count));
    return trop_dd_add(trop_dd_of(m->first), away).high;
}

/* Of a sample (divided by count - 1); NaN below two numbers, or where one is infinite. */
static inline double trop_study_moments_deviation(const struct trop_study_moments *m)
{
    if (m->count < 2 || m->endless != 0) {
        return NAN;
    }
    const struct trop_dd n = trop_dd_of((double)m->count);
    const struct trop_dd between = trop_dd_over(trop_dd_times(m->sum, m->sum), n);
    const struct trop_dd rest = trop_dd_less(m->squares, between);
    return trop_dd_root(trop_dd_over(rest, trop_dd_of((double)(m->count - 1)))).high;
}

#endif
