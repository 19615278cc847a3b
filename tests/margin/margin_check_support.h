/* margin_check_support.h -- what the tests of the judge of max-margin problems share. */
#ifndef TROP_TESTS_MARGIN_CHECK_SUPPORT_H
#define TROP_TESTS_MARGIN_CHECK_SUPPORT_H

#include "margin/check/margin_check.h"

#include "margin_support.h"

#include <gmp.h>

#define UNIT 0x1p-53
#define MOST 8 /* constraints of an exact problem */
#define BITS 400

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
