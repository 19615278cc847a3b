/* test_when.c -- options that know when they apply: conditions, their words, and every table. */
#include "support.h"

#include "base/option.h"
#include "tropism_lab.h"

/* ---- the grammar ---- */

static const char *const state[][2] = { { "rule", "softmax" }, { "form", "additive" },
                                        { "leap", "no" },      { "record", "tokens" },
                                        { "n", "100" },        { "out", "a.gif" },
                                        { "tokens", "" } };

static int look_up(char *out, int64_t size, const void *context, const char *name)
{
    (void)context;
    for (size_t k = 0; k < sizeof state / sizeof state[0]; k++) {
        if (strcmp(state[k][0], name) == 0) {
            snprintf(out, (size_t)size, "%s", state[k][1]);
            return 1;
        }
    }
    return 0;
}

static void conditions_are_judged_and_told(void **context)
{
    static const struct {
        const char *when, *words;
        int holds;
    } rows[] = {
        { NULL, "", 1 },
        { "rule=softmax", "with rule softmax", 1 },
        { "rule=soft", "with rule soft", 0 },
        { "rule=softmaxx|hardmax", "with rule softmaxx or hardmax", 0 },
        { "rule=hardmax|softmax|topk", "with rule hardmax, softmax or topk", 1 },
        { "rule!=softmax", "with rule other than softmax", 0 },
        { "rule!=hardmax|topk", "with rule other than hardmax or topk", 1 },
        { "leap", "with leap", 0 },
        { "!leap", "without leap", 1 },
        { "record", "with record", 1 },
        { "!tokens", "without tokens", 1 },
        { "n>=100", "with n at least 100", 1 },
        { "n>=101", "with n at least 101", 0 },
        { "out=*.gif", "with out *.gif", 1 },
        { "out=*.png", "with out *.png", 0 },
        { "rule=softmax & leap", "with rule softmax and with leap", 0 },
        { "rule=hardmax ; record & !leap", "with rule hardmax; or with record and without leap",
          1 },
        { "rule=hardmax ; leap", "with rule hardmax; or with leap", 0 },
        { "elsewhere=x", "with elsewhere x", 1 }, /* not of this table: it decides nothing */
    };
    (void)context;

    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        const struct trop_option option = { .name = "x", .when = rows[k].when };
        char words[128];
        assert_int_equal(trop_option_when(words, sizeof words, &option), strlen(rows[k].words));
        assert_string_equal(words, rows[k].words);
        if (trop_option_applies(&option, look_up, NULL) != rows[k].holds) {
            fail_msg("%s: must be %d", rows[k].when, rows[k].holds);
        }
    }
}

static void a_refusal_says_what_would_make_it_apply(void **context)
{
    const struct trop_option option = { .name = "epsilon", .when = "rule=localmax & form=cosine" };
    (void)context;

    assert_int_equal(trop_option_refuse(&option, look_up, NULL), TROP_ERR_ARG);
    assert_string_equal(trop_error(), "epsilon: applies with rule localmax and with form cosine; "
                                      "here rule is softmax, form is additive");
}

/* ---- every table ---- */

static const struct trop_option *option_of(const char *verb, const char *name)
{
    const struct trop_option *table = NULL;

    for (int64_t part = 0; (table = trop_setup_table(verb, part)); part++) {
        const struct trop_option *found = trop_option_find(table, name);
        if (found && found->type != TROP_TYPE_ARRAY) {
            return found;
        }
    }
    return NULL;
}

/* Files shadow a choice of the numbers: start. */
static const struct trop_option *choice_of(const char *verb, const char *name)
{
    const struct trop_option *table = NULL, *best = option_of(verb, name);

    for (int64_t part = 0; (table = trop_setup_table(verb, part)); part++) {
        const struct trop_option *found = trop_option_find(table, name);
        best = found && found->type == TROP_TYPE_CHOICE ? found : best;
    }
    return best;
}

/* A name or a value that is misspelt would make an option apply always, or never. */
static void check_condition(const char *verb, const struct trop_option *option)
{
    char text[512], *rest = text, *term;

    snprintf(text, sizeof text, "%s", option->when);
    while ((term = strtok_r(rest, " &;", &rest))) {
        char *name = term + (*term == '!'), *values = strpbrk(name, "=!>");
        char *value = values ? values + (*values == '=' ? 1 : 2) : NULL;
        if (values) {
            *values = '\0';
        }
        const struct trop_option *other = choice_of(verb, name);
        if (!other) {
            fail_msg("%s --%s: \"%s\" asks for %s, which is not an option", verb, option->name,
                     option->when, name);
        }
        for (char *one;
             value && other->type == TROP_TYPE_CHOICE && (one = strtok_r(value, "|", &value));) {
            int known = 0;
            for (int k = 0; other->names[k]; k++) {
                known |= strcmp(other->names[k], one) == 0;
            }
            if (!known) {
                fail_msg("%s --%s: \"%s\": %s is never %s", verb, option->name, option->when, name,
                         one);
            }
        }
    }
}

static void conditions_name_options_and_values_that_exist(void **context)
{
    int64_t conditions = 0;
    (void)context;

    for (int64_t v = 0; trop_verb_name(v); v++) {
        const struct trop_option *table = NULL;
        for (int64_t part = 0; (table = trop_setup_table(trop_verb_name(v), part)); part++) {
            for (; table->name; table++) {
                if (table->when) {
                    check_condition(trop_verb_name(v), table);
                    conditions++;
                }
            }
        }
    }
    assert_true(conditions > 60);
}

/* ---- setups ---- */

static void refused(const char *verb, const char *const *pairs, const char *sentence)
{
    struct trop_job *job = NULL;

    assert_int_equal(trop_job_create_from(&job, verb, pairs), TROP_ERR_ARG);
    if (!strstr(trop_error(), sentence)) {
        fail_msg("\"%s\" does not say \"%s\"", trop_error(), sentence);
    }
}

static void idle_options_are_refused_with_what_they_need(void **context)
{
    (void)context;
    refused("flow", (const char *[]){ "epsilon", "0.5", NULL },
            "epsilon: applies with rule localmax or minp; here rule is softmax");
    refused("flow", (const char *[]){ "epsilon", "0", NULL }, "epsilon: applies with rule");
    refused("flow", (const char *[]){ "time", "3", NULL }, "time: applies with dynamics ode, sa");
    refused("flow", (const char *[]){ "dt", "0.1", NULL }, "dt: applies with dynamics ode, sa");
    refused("flow", (const char *[]){ "usa", "shifted", NULL }, "usa: applies with dynamics usa");
    refused("flow", (const char *[]){ "accuracy", "1e-3", NULL }, "with n at least 16384");
    refused("flow", (const char *[]){ "every", "5", NULL }, "every: applies with record");
    refused("train", (const char *[]){ "data", "attsvm", "p", "1.75", NULL },
            "p: applies with optimizer mirror, nmirror, square or steepest; here optimizer is ngd");
    refused("train", (const char *[]){ "data", "attsvm", "momentum", "0.5", NULL }, "momentum");
    refused("train", (const char *[]){ "data", "attsvm", "lambda", "0.5", NULL }, "lambda");
    refused("train", (const char *[]){ "data", "attsvm", "start_scale", "2", NULL }, "start_scale");
    refused("train", (const char *[]){ "data", "attsvm", "width", "2", NULL },
            "width: applies with model kq; here model is cross");
    refused("train", (const char *[]){ "data", "attsvm", "mask", "full", NULL },
            "mask: applies with model sequence; here model is cross");
    refused("path", (const char *[]){ "data", "attsvm", "radius", "3", "cone", "0.1", NULL },
            "cone: applies with local");
}

static void options_that_say_off_are_fine_anywhere(void **context)
{
    struct trop_job *job = NULL;
    (void)context;

    assert_ok(trop_job_create_from(&job, "flow",
                                   (const char *[]){ "n", "3", "closed_form", "never", "merge",
                                                     "off", "leap", "no", "copies", "0", NULL }));
    trop_job_free(job);
}

/* What had a part is told, auto as what it stands for. */
static void results_tell_their_options(void **context)
{
    struct trop_job *job = NULL;
    const char *name, *text, *json = NULL;
    (void)context;

    assert_ok(trop_job_create_from(&job, "margin",
                                   (const char *[]){ "data", "mm-fig-1a", "threads", "2", NULL }));
    int model = 0;
    for (int64_t k = 0; (name = trop_job_option(&text, job, k)); k++) {
        model |= strcmp(name, "model") == 0 && strcmp(text, "prompt") == 0;
        assert_string_not_equal(name, "threads");
        assert_string_not_equal(name, "p"); /* of lp alone */
    }
    assert_true(model);
    assert_ok(trop_job_json(&json, job));
    assert_non_null(strstr(json, "\"options\": {\"model\": \"prompt\", \"norm\": \"l2\""));
    trop_job_free(job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conditions_are_judged_and_told),
        cmocka_unit_test(a_refusal_says_what_would_make_it_apply),
        cmocka_unit_test(conditions_name_options_and_values_that_exist),
        cmocka_unit_test(idle_options_are_refused_with_what_they_need),
        cmocka_unit_test(options_that_say_off_are_fine_anywhere),
        cmocka_unit_test(results_tell_their_options),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
