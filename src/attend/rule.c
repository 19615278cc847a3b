/* rule.c -- the table of rules. */
#include "attend/rule.h"

#define AT(upper, lower) [TROP_RULE_##upper] = &trop_rule_##lower,
static const struct trop_rule *const rules[] = { TROP_RULES(AT) };
#undef AT

const struct trop_rule *trop_rule_at(int64_t index)
{
    return rules[index];
}

#define AT(upper, lower) [TROP_RULE_##upper] = #lower,
const char *const trop_rule_name[] = { TROP_RULES(AT) NULL };
#undef AT
_Static_assert(sizeof trop_rule_name == sizeof rules + sizeof(char *), "the enumerators' order");

const char *const *trop_rule_names(void)
{
    return trop_rule_name;
}
