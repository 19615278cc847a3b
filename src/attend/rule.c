/* rule.c -- the table of rules. */
#include "attend/rule.h"

static const struct trop_rule *const rules[] = {
    [TROP_RULE_SOFTMAX] = &trop_rule_softmax,
    [TROP_RULE_HARDMAX] = &trop_rule_hardmax,
    [TROP_RULE_LOCALMAX] = &trop_rule_localmax,
    [TROP_RULE_MINP] = &trop_rule_minp,
    [TROP_RULE_TOPK] = &trop_rule_topk,
    [TROP_RULE_SPARSEMAX] = &trop_rule_sparsemax,
    [TROP_RULE_ENTMAX] = &trop_rule_entmax,
    [TROP_RULE_UNIFORM] = &trop_rule_uniform,
    [TROP_RULE_CONFIDENCE] = &trop_rule_confidence,
};
#define RULES (sizeof rules / sizeof rules[0])

const struct trop_rule *trop_rule_at(int64_t index)
{
    return rules[index];
}

/* The same names again, since a constant table cannot be made of their members; a
 * test compares the two. */
const char *const trop_rule_name[] = {
    [TROP_RULE_SOFTMAX] = "softmax",
    [TROP_RULE_HARDMAX] = "hardmax",
    [TROP_RULE_LOCALMAX] = "localmax",
    [TROP_RULE_MINP] = "minp",
    [TROP_RULE_TOPK] = "topk",
    [TROP_RULE_SPARSEMAX] = "sparsemax",
    [TROP_RULE_ENTMAX] = "entmax",
    [TROP_RULE_UNIFORM] = "uniform",
    [TROP_RULE_CONFIDENCE] = "confidence",
    NULL,
};
_Static_assert(sizeof trop_rule_name / sizeof trop_rule_name[0] == RULES + 1,
               "a name for every rule");

const char *const *trop_rule_names(void)
{
    return trop_rule_name;
}
