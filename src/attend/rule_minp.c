/* rule_minp.c -- softmax on localmax's set, renormalised. */
#include "attend/rule.h"

static void weigh(struct trop_row *row)
{
    trop_rule_localmax_set(row);
    trop_row_soften(row);
}

const struct trop_rule trop_rule_minp = {
    .name = "minp",
    .meaning = "softmax on the tokens within epsilon of the largest score",
    .uses = TROP_RULE_USES_BETA | TROP_RULE_USES_EPSILON,
    .set = 1,
    .weigh = weigh,
};
