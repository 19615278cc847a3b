/* test_margin_refusal.c -- the noun margin: what it refuses. */
#include "margin_noun.h"

/* ---- refusals -------------------------------------------------------------------------------- */

enum { PLAIN, NONE, BOTH, PROBLEM, BARE, WORDS, EQUAL, DIRECTION, ENDLESS, PLACES };

static const struct {
    int kind; /* of what is given */
    struct trop_margin_options o;
    const char *sentence;
} refused[] = {
    { NONE, { 0 }, "data and problem: give one of them" },
    { BOTH, { 0 }, "data and problem: give one of them" },
    { PROBLEM, { .select = "0" }, "select: is for data; a problem has its constraints already" },
    { PROBLEM, { .relaxed = "0" }, "relaxed: is for data; a problem has its constraints already" },
    { PROBLEM, { .enumerate = 1 }, "enumerate: is for data; a problem has" },
    { PLAIN, { .select = "" }, "select = : input 0: must be a token from 0 to 2" },
    { PLAIN, { .select = "1" }, "select = 1: has tokens for 1 inputs, and the data have 2" },
    { PLAIN,
      { .select = "0,1,2" },
      "select = 0,1,2: has tokens for 3 inputs, and the data have 2" },
    { PLAIN, { .select = "0,1," }, "select = 0,1,: has tokens for 3 inputs, and the data have 2" },
    { PLAIN, { .select = "0,3" }, "select = 0,3: input 1: must be a token from 0 to 2" },
    { PLAIN, { .select = "0,-1" }, "select = 0,-1: input 1: must be" },
    { PLAIN, { .select = "best" }, "select = best: input 0: must be" },
    { PLAIN, { .select = "0|,1" }, "select = 0|,1: input 0: must be" },
    { PLAIN, { .select = "0|1|0,1" }, "select = 0|1|0,1: input 0: has token 0 twice" },
    { PLAIN, { .select = "99999999999999999999,1" }, "input 0: must be a token from 0 to 2" },
    { PLAIN,
      { .select = "0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1,0" },
      "select = 0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1,...: has tokens for 23 inputs" },
    { BARE, { 0 }, "select: the data have no decoder v to score tokens by: name the tokens" },
    { BARE, { .enumerate = 1, .select = "0,0" }, "enumerate: the data have no decoder v" },
    { BARE, { .model = TROP_MODEL_LABEL, .select = "0,0" }, "labels y are missing, the label" },
    { BARE, { .select = "0,0", .relaxed = "auto" }, "relaxed = auto: data: labels y are missing" },
    { BARE, { .model = TROP_MODEL_CROSS }, "queries z are missing, the cross model needs them" },
    { PLAIN, { .relaxed = "" }, "relaxed = : must be auto, or inputs from 0 to 1 separated by" },
    { PLAIN, { .relaxed = "2" }, "relaxed = 2: must be auto, or inputs from 0 to 1" },
    { PLAIN, { .relaxed = "0," }, "relaxed = 0,: must be auto" },
    { PLAIN, { .relaxed = "0,0" }, "relaxed = 0,0: has input 0 twice" },
    { PLAIN, { .relaxed = "0;1" }, "relaxed = 0;1: must be auto" },
    { PLAIN,
      { .relaxed = "auto", .select = "0|1,0" },
      "relaxed = auto: needs one token for each input" },
    { PLAIN,
      { .relaxed = "auto", .model = TROP_MODEL_SEQUENCE },
      "relaxed = auto: needs one token for each input" },
    { PLAIN, { .relaxed = "0", .enumerate = 1 }, "enumerate and relaxed: selections with" },
    { PLAIN,
      { .relaxed = "0", .model = TROP_MODEL_LABEL },
      "relaxed: is for prompt, cross, self and sequence" },
    { EQUAL, { .relaxed = "auto" }, "relaxed = auto: needs one token for each input" },
    { EQUAL, { .select = "0,0" }, "equal and select: give one of them" },
    { EQUAL, { .enumerate = 1 }, "equal and enumerate: give one of them" },
    { EQUAL, { .model = TROP_MODEL_LABEL }, "equal: is for prompt, cross and self, not for label" },
    { EQUAL,
      { .model = TROP_MODEL_SEQUENCE },
      "equal: is for prompt, cross and self, not for seq" },
    { PLAIN,
      { .enumerate = 1, .model = TROP_MODEL_LABEL },
      "enumerate: is for prompt, cross, self and sequence" },
    { PLAIN, { .enumerate = 1, .select = "0|1,0" }, "enumerate: several tokens of an input" },
    { PLACES, { .enumerate = 1 }, "enumerate: more than 100000 selections" },
    { PLACES,
      { .select = "0|1|2|3|4|5|6|7|8|9,0|1|2|3|4|5|6|7|8|9,0|1|2|3|4|5|6|7|8|9,0|1|2|3|4|5|6|"
                  "7|8|9,0|1|2|3|4|5|6|7|8|9,0|1" },
      "select: more than 100000 combinations" },
    { WORDS, { .select = "0" }, "select: the data of the model graph say which words" },
    { WORDS, { .relaxed = "0" }, "relaxed: is for prompt, cross, self and sequence" },
    { WORDS, { .enumerate = 1 }, "enumerate: is for prompt, cross, self and sequence" },
    { PLAIN,
      { .mask = TROP_MASK_CAUSAL },
      "mask = causal: is for the model sequence, not for prom" },
    { PLAIN, { .row = 1 }, "row = 1: is for the model self, not for prompt" },
    { PLAIN, { .row = 3, .model = TROP_MODEL_SELF }, "row = 3: must be from 0 to 2" },
    { PLAIN,
      { .model = TROP_MODEL_SEQUENCE, .mask = TROP_MASK_CAUSAL, .select = "0,2,0,0,0,0" },
      "query 1 of input 0 has token 2, must be from 0 to 1 (causal mask)" },
    { PLAIN, { .norm = TROP_MARGIN_LP, .p = 1 }, "p = 1: must be above 1 and at most 1000" },
    { PLAIN, { .p = 0.5 }, "p = 0.5: must be above 1" },
    { PLAIN, { .p = INFINITY }, "p = inf: must be" },
    { PLAIN, { .p = NAN }, "p = nan: must be" },
    { PLAIN, { .norm = 6 }, "norm = 6" },
    { PLAIN, { .model = -1 }, "model = -1" },
    { PLAIN, { .tolerance = -1 }, "tolerance = -1: must be from 0 to 1" },
    { PLAIN, { .tolerance = 2 }, "tolerance = 2: must be from 0 to 1" },
    { PLAIN, { .iterations = -1 }, "iterations = -1: must be" },
    { PLAIN, { .threads = 2000 }, "threads = 2000: must be from 0 to 1024" },
    { DIRECTION, { .model = TROP_MODEL_LABEL }, "direction: is for data and prompt, cross, self" },
    { ENDLESS, { 0 }, "direction: entry 1 (from 0) is inf, must be finite" },
};

static void every_refusal_names_the_option_and_the_rule(void **state)
{
    static const double weights[6] = { 1, 1, 0, 0, 1, 0 }, direction[2] = { 1, 1 },
                        endless[2] = { 1, INFINITY };
    static const int64_t ids[3] = { 0, 1, 2 }, next[1] = { 1 };
    static struct set plain, bare, words, places;
    (void)state;

    set_draw(&plain, 2, 3, 2, 0, 1);
    set_hand(&bare, 2, 3, 2, plain.x);
    set_draw(&places, 6, 10, 2, 0, 2);
    set_draw(&words, 1, 3, 3, 0, 3);
    words.data.vocabulary = words.x;
    words.data.x = NULL;
    words.data.v = NULL;
    words.data.words = 3;
    words.data.ids = ids;
    words.data.next = next;
    struct trop_margin_options good = noun_options(&plain);
    struct trop_margin *one = noun_make(&good);
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        struct trop_margin_options o = refused[k].o;
        struct trop_margin *margin = NULL;
        const int kind = refused[k].kind;
        o.data = kind == NONE || kind == PROBLEM ? NULL
                 : kind == BARE                  ? &bare.data
                 : kind == WORDS                 ? &words.data
                 : kind == PLACES                ? &places.data
                                                 : &plain.data;
        o.problem = kind == BOTH || kind == PROBLEM ? trop_margin_problem(one) : NULL;
        o.weights = kind == EQUAL ? weights : NULL;
        o.direction = kind == DIRECTION ? direction : kind == ENDLESS ? endless : NULL;
        o.p = o.p == 0 ? 2 : o.p;
        o.iterations = o.iterations == 0 ? 1000 : o.iterations;
        if (trop_margin_create(&margin, &o) != TROP_ERR_ARG || margin ||
            !strstr(trop_error(), refused[k].sentence)) {
            fail_msg("case %d: \"%s\" is not in \"%s\"", (int)k, refused[k].sentence, trop_error());
        }
    }
    trop_margin_free(one);
    trop_margin_free(NULL);
}

/* A problem as it stands, with a direction or weights beside it. */
static void a_problem_has_no_tokens_to_look_at(void **state)
{
    static const double numbers[6] = { 1, 1, 1, 1, 1, 1 };
    static struct set s;
    struct trop_margin *margin = NULL;
    (void)state;

    set_draw(&s, 2, 3, 2, 0, 1);
    struct trop_margin_options o = noun_options(&s);
    struct trop_margin *one = noun_make(&o);
    o.data = NULL;
    o.problem = trop_margin_problem(one);
    o.direction = numbers;
    assert_int_equal(trop_margin_create(&margin, &o), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "direction: is for data"));
    o.direction = NULL;
    o.weights = numbers;
    assert_int_equal(trop_margin_create(&margin, &o), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "equal: is for data"));
    trop_margin_free(one);
}

static void nothing_is_told_before_it_is_solved(void **state)
{
    static const char *const unknown[] = { "norm",      "margin",        "lower",
                                           "upper",     "gap",           "support",
                                           "weights.p", "multipliers",   "feasible",
                                           "kappa",     "rank",          "certificate.kind",
                                           "cone.mu",   "finite.outcome" };
    static struct set s;
    (void)state;

    set_draw(&s, 2, 3, 2, 0, 1);
    const struct trop_margin_options o = noun_options(&s);
    struct trop_margin *margin = noun_make(&o);
    assert_string_equal(noun_text(margin, "outcome"), "none");
    for (size_t k = 0; k < sizeof unknown / sizeof *unknown; k++) {
        assert_true(noun_is_null(margin, unknown[k]));
    }
    assert_int_equal(noun_value(margin, "alpha").shape[0], 2);
    assert_int_equal(noun_integer(margin, "constraints"), 4);
    trop_margin_free(margin);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_refusal_names_the_option_and_the_rule),
        cmocka_unit_test(a_problem_has_no_tokens_to_look_at),
        cmocka_unit_test(nothing_is_told_before_it_is_solved),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
