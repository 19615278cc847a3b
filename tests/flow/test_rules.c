/* test_rules.c -- the option table names the rules that can do what an option is for. */
#include "support.h"

#include "base/option.h"
#include "flow/flow.h"

/* The text of an option of a layer flow by the rule called context. */
static int lookup(char *out, int64_t size, const void *context, const char *name)
{
    const char *texts[][2] = { { "rule", context },
                               { "dynamics", "layer" },
                               { "form", "additive" },
                               { "method", "auto" },
                               { "record", "" } };

    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        if (strcmp(texts[k][0], name) == 0) {
            snprintf(out, (size_t)size, "%s", texts[k][1]);
            return 1;
        }
    }
    return 0;
}

static int applies(const char *name, const struct trop_rule *rule)
{
    const struct trop_option *option = trop_flow_option_table();

    while (strcmp(option->name, name) != 0) {
        option++;
    }
    return trop_option_applies(option, lookup, rule->name);
}

static void options_are_for_the_rules_that_use_them(void **state)
{
    (void)state;
    for (int64_t k = 0; trop_rule_names()[k]; k++) {
        const struct trop_rule *rule = trop_rule_at(k);
        struct {
            const char *option;
            int can;
        } known[] = {
            { "beta", rule->uses & TROP_RULE_USES_BETA },
            { "epsilon", rule->uses & TROP_RULE_USES_EPSILON },
            { "form", rule->uses & TROP_RULE_USES_EPSILON },
            { "k", rule->uses & TROP_RULE_USES_K },
            { "a", rule->uses & TROP_RULE_USES_A },
            { "confidence", rule->uses & TROP_RULE_USES_CONFIDENCE },
            { "ties", rule->uses & TROP_RULE_USES_TIES },
            { "method", rule->tile != NULL },
            { "precision", rule->tile != NULL },
            { "accuracy", rule->tree != NULL },
            { "leap", rule->exponential },
            { "closed_form", rule->neighbours != NULL },
        };
        assert_string_equal(rule->name, trop_rule_names()[k]);
        for (size_t j = 0; j < sizeof known / sizeof known[0]; j++) {
            if (applies(known[j].option, rule) != (known[j].can != 0)) {
                fail_msg("%s: rule = %s %s it, which the option's condition does not say",
                         known[j].option, rule->name, known[j].can ? "takes" : "does not take");
            }
        }
    }
}

/* The refusal of a device names the rules that have one. */
static void a_device_is_for_the_rules_that_have_one(void **state)
{
    (void)state;
    char names[200] = "";

    for (int64_t k = 0; trop_rule_names()[k]; k++) {
        struct trop_flow_options options = trop_flow_options_default();
        const int has = trop_rule_at(k)->device != 0;
        options.cloud.n = options.cloud.d = 2;
        options.rule = k;
        options.device = TROP_DEVICE_CUDA;
        assert_int_equal(trop_flow_check(&options), has ? TROP_OK : TROP_ERR_ARG);
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s",
                 has && *names ? "|" : "", has ? trop_rule_names()[k] : "");
    }
    assert_string_equal(names, TROP_RULE_IF_DEVICE);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(options_are_for_the_rules_that_use_them),
                                        cmocka_unit_test(a_device_is_for_the_rules_that_have_one) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
