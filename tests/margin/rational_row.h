/* rational_row.h -- rows of a max-margin problem in rational arithmetic. */
#ifndef TROP_TESTS_RATIONAL_ROW_H
#define TROP_TESTS_RATIONAL_ROW_H

#include <gmp.h>

#include "tropism.h"

/* (x_plus - x_minus)_a of row j. */
static inline void left_of(mpq_t out, const struct trop_problem *p, int64_t j, int64_t a)
{
    mpq_t less;

    mpq_init(less);
    mpq_set_d(out, p->plus[j] < 0 ? 0.0 : p->point[p->plus[j] * p->rows + a]);
    mpq_set_d(less, p->minus[j] < 0 ? 0.0 : p->point[p->minus[j] * p->rows + a]);
    mpq_sub(out, out, less);
    mpq_clear(less);
}

/* Entry (a, b) of row j: (x_plus - x_minus)_a z_b. */
static inline void entry_of(mpq_t out, const struct trop_problem *p, int64_t j, int64_t a,
                            int64_t b)
{
    mpq_t query;

    mpq_init(query);
    left_of(out, p, j, a);
    mpq_set_d(query, p->query[p->asked[j] * p->columns + b]);
    mpq_mul(out, out, query);
    mpq_clear(query);
}

#endif
