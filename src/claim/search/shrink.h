/* shrink.h -- a counterexample made small: fewer numbers, then fewer digits, while it stays one.
 *
 * The instance is what a claim takes: its inputs. The rest is drawn around them and worked out
 * again after every change. A change stays when the instance is smaller (below), every hypothesis
 * is true, the conclusion still fails by 1000 allowances (or by what it failed before, if that is
 * less; where the allowance is 0 exactly), and no hypothesis that asks for an equality is further
 * from it than before, but for rounding: a small instance must not live off a tolerance. Nor off a
 * tie: a counterexample that is firm in an array, so that it remains one when its numbers move by a
 * millionth, is replaced by firm ones alone.
 *
 * Smaller is: fewer numbers in arrays; then fewer decimal digits in all; then smaller counts such
 * as steps; then numbers nearer to 1, and fewer minus signs. Every change that stays makes it
 * smaller in this order, so that it ends, and nothing is random but the few small instances that
 * are tried in the end, which are functions of nothing.
 */
#ifndef TROP_CLAIM_SHRINK_H
#define TROP_CLAIM_SHRINK_H

#include "claim/claim.h"

struct trop_shrink_limits {
    int64_t evaluations; /* instances that are judged at most */
    trop_progress *progress;
    void *context;
};

struct trop_shrink_told {
    int64_t evaluations;   /* instances that were judged */
    int64_t before, after; /* numbers in the arrays of the instance */
    int64_t stopped;       /* 1: by evaluations or progress, so that more may be possible */
    double excess;         /* allowances by which the worst line of the conclusion fails; inf: it
                              has none */
    struct trop_line line; /* the first that fails */
};

/* *out: the instance worked out, a case of its own; that of violating itself, worked out again,
 * when nothing smaller was found. Refuses one that is not violated when it is worked out again. */
enum trop_status trop_shrink(struct trop_case **out, struct trop_shrink_told *told,
                             const struct trop_claim *claim, const struct trop_case *violating,
                             const struct trop_shrink_limits *limits);

/* 1 when a claim has instances that can be shrunk: not those of figures, outside data and
 * experiments. */
int trop_shrink_applies(const struct trop_claim *claim);

#endif
