/* rule.h -- from scores to weights: one file and one line of the table per rule.
 *
 * Definitions: the table in docs/rules.md;
 * m is the exact maximum of the visible scores.
 */
#ifndef TROP_ATTEND_RULE_H
#define TROP_ATTEND_RULE_H

#include "attend/row.h"

enum trop_rule_uses {
    TROP_RULE_USES_BETA = 1,
    TROP_RULE_USES_EPSILON = 2,
    TROP_RULE_USES_K = 4,
    TROP_RULE_USES_A = 8,
    TROP_RULE_USES_CONFIDENCE = 16,
    TROP_RULE_USES_TIES = 32
};

struct trop_rule {
    const char *name;
    const char *meaning;
    int uses;       /* enum trop_rule_uses, or-ed */
    int set;        /* 1: weights live on a set that comparisons decide */
    int continuous; /* 1: weights are continuous in the scores, so an ODE is well posed */
    int hard;       /* 1: invariant under positive scaling of the scores */
    void (*weigh)(struct trop_row *row);
};

extern const struct trop_rule trop_rule_softmax, trop_rule_hardmax, trop_rule_localmax,
    trop_rule_minp, trop_rule_topk, trop_rule_sparsemax, trop_rule_entmax, trop_rule_uniform,
    trop_rule_confidence;

/* What is wrong with a row whose set is empty. */
extern const char trop_rule_localmax_empty[];

/* support <- localmax's set, which min-p shares. */
void trop_rule_localmax_set(struct trop_row *row);

extern const char *const trop_rule_name[]; /* NULL-ended */

/* By the index that trop_rule_names() gives it. */
const struct trop_rule *trop_rule_at(int64_t index);

#endif
