/* rule.c -- the table of rules. */
#include "attend/rule.h"

static const struct trop_rule *const rules[] = {
    &trop_rule_softmax, &trop_rule_hardmax, &trop_rule_localmax,
    &trop_rule_minp,    &trop_rule_topk,    &trop_rule_sparsemax,
    &trop_rule_entmax,  &trop_rule_uniform, &trop_rule_confidence,
};
#define RULES (sizeof rules / sizeof rules[0])

const struct trop_rule *trop_rule_at(int64_t index)
{
    return rules[index];
}

/* The same names again, since a constant table cannot be made of their members; a
 * test compares the two. */
const char *const trop_rule_name[] = {
    "softmax",   "hardmax", "localmax", "minp",       "topk",
    "sparsemax", "entmax",  "uniform",  "confidence", NULL,
};
_Static_assert(sizeof trop_rule_name / sizeof trop_rule_name[0] == RULES + 1,
               "a name for every rule");

const char *const *trop_rule_names(void)
{
    return trop_rule_name;
}
