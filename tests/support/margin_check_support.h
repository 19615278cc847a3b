/* margin_check_support.h -- what the tests of the judge of max-margin problems share. */
#ifndef TROP_TESTS_MARGIN_CHECK_SUPPORT_H
#define TROP_TESTS_MARGIN_CHECK_SUPPORT_H

#include "margin/check/margin_check.h"

#include "margin_support.h"

#include <gmp.h>

#define UNIT 0x1p-53
#define MOST 8 /* constraints of an exact problem */
#define BITS 400

/* ---- rational solutions of l2 ------------------------------------------------------------- */

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

static inline void check_l2(struct trop_margin_proof *out, const struct trop_problem *p,
                            const double *w, const double *lambda)
{
    struct trop_margin_claim claim = {
        .norm = TROP_MARGIN_CHECK_LP, .p = 2.0, .w = w, .lambda = lambda
    };
    assert_ok(trop_margin_check(out, p, &claim));
    assert_true(out->lower >= 0.0 && out->upper >= 0.0 && out->gap >= 0.0);
}

#endif
