/* test_judge.c -- lines, their slack, and cases that hold what they are about. */
#include "claim/claim.h"
#include "support.h"

#include <unistd.h>

static int64_t verdict_of(int64_t side, double measured, double bound, double allowance)
{
    struct trop_judge judge = { .side = side };

    trop_judge_at_most(&judge, "line", -1, measured, bound, allowance);
    return trop_judge_verdict(&judge);
}

static void test_a_conclusion_is_violated_beyond_its_allowance_only(void **state)
{
    (void)state;
    assert_int_equal(verdict_of(TROP_JUDGE_CONCLUSION, 1, 1, 0), TROP_JUDGE_TRUE);
    assert_int_equal(verdict_of(TROP_JUDGE_CONCLUSION, 1.25, 1, .25), TROP_JUDGE_TRUE);
    assert_int_equal(verdict_of(TROP_JUDGE_CONCLUSION, 1.26, 1, .25), TROP_JUDGE_FALSE);
    assert_int_equal(verdict_of(TROP_JUDGE_CONCLUSION, NAN, 1, .25), TROP_JUDGE_OPEN);
    assert_int_equal(verdict_of(TROP_JUDGE_CONCLUSION, INFINITY, INFINITY, 0), TROP_JUDGE_TRUE);
    assert_int_equal(verdict_of(TROP_JUDGE_CONCLUSION, INFINITY, 1, 1e300), TROP_JUDGE_FALSE);
    assert_int_equal(verdict_of(TROP_JUDGE_CONCLUSION, 0, 1, INFINITY), TROP_JUDGE_OPEN);
    assert_int_equal(verdict_of(TROP_JUDGE_CONCLUSION, 0, 1, NAN), TROP_JUDGE_OPEN);
}

static void test_a_hypothesis_within_its_allowance_is_open(void **state)
{
    (void)state;
    assert_int_equal(verdict_of(TROP_JUDGE_HYPOTHESIS, 1, 1, 0), TROP_JUDGE_TRUE);
    assert_int_equal(verdict_of(TROP_JUDGE_HYPOTHESIS, .75, 1, .25), TROP_JUDGE_TRUE);
    assert_int_equal(verdict_of(TROP_JUDGE_HYPOTHESIS, .76, 1, .25), TROP_JUDGE_OPEN);
    assert_int_equal(verdict_of(TROP_JUDGE_HYPOTHESIS, 1.25, 1, .25), TROP_JUDGE_OPEN);
    assert_int_equal(verdict_of(TROP_JUDGE_HYPOTHESIS, 1.26, 1, .25), TROP_JUDGE_FALSE);
    assert_int_equal(verdict_of(TROP_JUDGE_HYPOTHESIS, 1, NAN, .25), TROP_JUDGE_OPEN);
}

static void test_no_line_decides_nothing(void **state)
{
    struct trop_judge judge = { .side = TROP_JUDGE_CONCLUSION };

    (void)state;
    assert_int_equal(trop_judge_verdict(&judge), TROP_JUDGE_OPEN);
    trop_judge_truth(&judge, "undecided", -1, -1);
    assert_int_equal(trop_judge_verdict(&judge), TROP_JUDGE_OPEN);
    trop_judge_truth(&judge, "true", -1, 1);
    assert_int_equal(trop_judge_verdict(&judge), TROP_JUDGE_OPEN);
    trop_judge_truth(&judge, "false", -1, 0);
    assert_int_equal(trop_judge_verdict(&judge), TROP_JUDGE_FALSE);
    assert_string_equal(judge.first.name, "false");
}

static void test_near_is_two_sided_and_its_allowance_is_the_bound(void **state)
{
    static const struct {
        double measured, allowance;
        int64_t verdict;
    } lines[] = { { 3, .5, TROP_JUDGE_TRUE },     { 3.5, .5, TROP_JUDGE_TRUE },
                  { 3.51, .5, TROP_JUDGE_FALSE }, { 2.49, .5, TROP_JUDGE_FALSE },
                  { 3, 0, TROP_JUDGE_TRUE },      { NAN, .5, TROP_JUDGE_OPEN } };

    (void)state;
    for (size_t k = 0; k < sizeof lines / sizeof lines[0]; k++) {
        struct trop_judge judge = { .side = TROP_JUDGE_CONCLUSION };
        trop_judge_near(&judge, "near", -1, lines[k].measured, 3, lines[k].allowance);
        assert_int_equal(trop_judge_verdict(&judge), lines[k].verdict);
    }
}

static void test_agreement_within_more_than_the_number_itself_is_weak(void **state)
{
    static const struct {
        double bound, allowance;
        int weak;
    } lines[] = { { 3, 2, 0 }, { 3, 3, 0 }, { 3, 3.1, 1 }, { -3, 3.1, 1 }, { 0, 1, 0 } };

    (void)state;
    for (size_t k = 0; k < sizeof lines / sizeof lines[0]; k++) {
        struct trop_judge judge = { .side = TROP_JUDGE_CONCLUSION };
        trop_judge_near(&judge, "near", -1, lines[k].bound, lines[k].bound, lines[k].allowance);
        assert_int_equal(trop_judge_is_weak(&judge.tightest), lines[k].weak);
        judge = (struct trop_judge){ .side = TROP_JUDGE_CONCLUSION };
        trop_judge_at_most(&judge, "bound", -1, 0, lines[k].bound, lines[k].allowance);
        assert_false(trop_judge_is_weak(&judge.tightest));
    }
}

static void test_an_estimate_is_what_its_test_says_on_either_side(void **state)
{
    static const struct {
        double measured;
        int64_t truth, verdict;
    } lines[] = { { .5, 1, TROP_JUDGE_TRUE },  { -.5, 0, TROP_JUDGE_FALSE },
                  { .5, -1, TROP_JUDGE_OPEN }, { -.5, -1, TROP_JUDGE_OPEN },
                  { NAN, 1, TROP_JUDGE_OPEN }, { .5, 0, TROP_JUDGE_FALSE } };

    (void)state;
    for (size_t k = 0; k < sizeof lines / sizeof lines[0]; k++) {
        for (int64_t side = TROP_JUDGE_HYPOTHESIS; side <= TROP_JUDGE_CONCLUSION; side++) {
            struct trop_judge judge = { .side = side };
            struct trop_value told = { 0 };
            trop_judge_above(&judge, "estimate", lines[k].measured, 0, .2, lines[k].truth);
            assert_int_equal(trop_judge_verdict(&judge), lines[k].verdict);
            assert_false(trop_judge_is_weak(&judge.tightest));
            trop_judge_told(&told, &judge.tightest.verdict);
            assert_int_equal(told.kind, lines[k].verdict == TROP_JUDGE_OPEN ? TROP_KIND_NULL
                                                                            : TROP_KIND_BOOLEAN);
        }
    }
}

/* What is only shown neither decides nor is in the way. */
static void test_a_line_beside_decides_nothing(void **state)
{
    struct trop_judge judge = { .side = TROP_JUDGE_CONCLUSION, .keep = 1 };

    (void)state;
    trop_judge_beside(&judge, "ours alone", 3, NAN);
    trop_judge_beside(&judge, "theirs alone", NAN, 4);
    assert_int_equal(trop_judge_verdict(&judge), TROP_JUDGE_OPEN);
    trop_judge_at_most(&judge, "x", -1, 1, 2, 0);
    trop_judge_beside(&judge, "both", 1e300, -1e300);
    assert_int_equal(trop_judge_verdict(&judge), TROP_JUDGE_TRUE);
    assert_string_equal(judge.tightest.name, "x");
    assert_int_equal(judge.count, 4);
    assert_true(judge.list[0].measured == 3 && isnan(judge.list[0].bound));
    trop_judge_at_most(&judge, "x", -1, 3, 2, 0);
    assert_int_equal(trop_judge_verdict(&judge), TROP_JUDGE_FALSE);
    trop_judge_free(&judge);
}

static void test_the_first_failure_and_the_tightest_line_are_remembered(void **state)
{
    struct trop_judge judge = { .side = TROP_JUDGE_CONCLUSION, .keep = 1 };

    (void)state;
    for (int64_t t = 0; t < 100; t++) {
        /* 10 - t / 10 against 5: fails from t = 51 on, and ever more. */
        trop_judge_at_least(&judge, "falls", t, 10 - (double)t / 10, 5, 0);
    }
    assert_int_equal(judge.count, 100);
    assert_int_equal(judge.failures, 49);
    assert_int_equal(judge.first.step, 51);
    assert_int_equal(judge.tightest.step, 99);
    assert_near(judge.tightest.slack, -4.9, 1e-14);
    for (int64_t t = 0; t < 100; t++) {
        assert_int_equal(judge.list[t].step, t);
        assert_int_equal(judge.list[t].verdict, t > 50 ? TROP_JUDGE_FALSE : TROP_JUDGE_TRUE);
    }
    trop_judge_free(&judge);
}

/* ---- one instance ---- */

/* A claim whose hypothesis is x <= 1, give or take .1, and whose conclusion is y <= 0. */
static void assume(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_most(judge, "x", -1, trop_case_number(c, "x"), 1, .1);
}

static void compute(struct trop_case *c)
{
    trop_case_put(c, "worked", 1);
}

static void claim_it(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_most(judge, "y", -1, trop_case_number(c, "y"), 0, 0);
}

static void test_an_instance_with_an_open_hypothesis_proves_nothing(void **state)
{
    static const struct trop_hypothesis hypotheses[] = { { "small", "x <= 1", .judge = assume },
                                                         { 0 } };
    static const struct trop_claim claim = { .id = "fw-rem-test",
                                             .hypotheses = hypotheses,
                                             .run = { .work = compute, .conclude = claim_it } };
    static const struct {
        double x, y;
        int64_t verdict;
    } cases_of[] = { { .5, -1, TROP_VERDICT_HOLDS },    { .5, 1, TROP_VERDICT_VIOLATED },
                     { .5, NAN, TROP_VERDICT_OPEN },    { .95, -1, TROP_VERDICT_OPEN },
                     { 1.05, 1, TROP_VERDICT_OPEN },    { 2, -1, TROP_VERDICT_HYPOTHESIS },
                     { 2, 1, TROP_VERDICT_HYPOTHESIS }, { NAN, -1, TROP_VERDICT_OPEN } };

    (void)state;
    for (size_t k = 0; k < sizeof cases_of / sizeof cases_of[0]; k++) {
        struct trop_case *c = NULL;
        struct trop_trial trial = { 0 };
        assert_ok(trop_case_create(&c, 1, 0, TROP_CASE_TINY, 1));
        assert_ok(trop_case_put(c, "x", cases_of[k].x));
        assert_ok(trop_case_put(c, "y", cases_of[k].y));
        assert_ok(trop_trial_run(&trial, &claim, c, 0));
        assert_int_equal(trial.verdict, cases_of[k].verdict);
        /* Work is done only where the hypothesis is true. */
        assert_int_equal(trop_case_has(c, "worked"), cases_of[k].x == .5);
        trop_trial_free(&trial);
        trop_case_free(c);
    }
}

/* ---- cases ---- */

static void fill(struct trop_case *c)
{
    double *x = NULL;

    assert_ok(trop_case_make(&x, c, "tokens", 3, 2, 0));
    for (int64_t k = 0; k < 6; k++) {
        x[k] = ldexp(1. / 3, (int)(k * 100 - 300));
    }
    assert_ok(trop_case_make(&x, c, "path", 2, 3, 4));
    x[23] = -0.0;
    assert_ok(trop_case_make(&x, c, "one", 1, 0, 0));
    x[0] = INFINITY;
    assert_ok(trop_case_put(c, "gamma", .1));
}

static void test_a_case_keeps_and_replaces_its_entries(void **state)
{
    struct trop_case *c = NULL;

    (void)state;
    assert_ok(trop_case_create(&c, 1, 0, TROP_CASE_TINY, 1));
    fill(c);
    assert_int_equal(c->count, 4);
    assert_true(trop_case_number(c, "gamma") == .1);
    assert_ok(trop_case_default(c, "gamma", .7));
    assert_true(trop_case_number(c, "gamma") == .1);
    assert_ok(trop_case_put(c, "gamma", 7));
    assert_int_equal(trop_case_integer(c, "gamma"), 7);
    assert_int_equal(trop_case_size(c, "path", 2), 4);
    assert_int_equal(trop_case_size(c, "tokens", 2), 0);
    assert_true(isnan(trop_case_number(c, "tokens")));
    assert_null(trop_case_array(c, "absent"));
    trop_case_drop(c, "tokens");
    assert_false(trop_case_has(c, "tokens"));
    assert_int_equal(trop_case_size(c, "path", 0), 2);
    trop_case_free(c);
}

static void assert_same(const struct trop_case *a, const struct trop_case *b)
{
    assert_int_equal(a->count, b->count);
    for (int64_t k = 0; k < a->count; k++) {
        const struct trop_case_entry *e = a->entries + k;
        int64_t count = 1;
        for (int64_t axis = 0; axis < e->rank; axis++) {
            assert_int_equal(trop_case_size(b, e->name, axis), e->shape[axis]);
            count *= e->shape[axis];
        }
        assert_memory_equal(trop_case_array(b, e->name), e->values, (size_t)count * sizeof(double));
    }
}

/* Another value in one place of the file: 1/3 2^-300, the first token, is there once. */
static void damage(const char *path)
{
    static unsigned char bytes[1000000];
    const double first = ldexp(1. / 3, -300), other = ldexp(1. / 3, -299);
    FILE *file = fopen(path, "r+b");

    assert_non_null(file);
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    size_t at = 0;
    while (at + 8 <= size && memcmp(bytes + at, &first, 8) != 0) {
        at++;
    }
    assert_true(at + 8 <= size);
    fseek(file, (long)at, SEEK_SET);
    assert_int_equal(fwrite(&other, 8, 1, file), 1);
    fclose(file);
}

static void test_a_case_comes_back_from_its_file_bit_for_bit(void **state)
{
    struct trop_case *c = NULL, *copy = NULL, *again = NULL;
    char path[] = "/tmp/trop_case_XXXXXX";
    const int handle = mkstemp(path);

    (void)state;
    assert_true(handle >= 0);
    close(handle);
    assert_ok(trop_case_create(&c, 1, 0, TROP_CASE_TINY, 1));
    fill(c);
    assert_ok(trop_case_copy(&copy, c));
    assert_same(c, copy);
    assert_ok(trop_case_write(c, path, "fw-thm-1"));
    assert_ok(trop_case_create(&again, 1, 0, TROP_CASE_TINY, 1));
    assert_ok(trop_case_read(again, path, "fw-thm-1"));
    assert_same(c, again);
    assert_int_equal(trop_case_read(again, path, "fw-thm-2"), TROP_ERR_IO);
    assert_non_null(strstr(trop_error(), "fw-thm-1"));
    damage(path);
    assert_int_equal(trop_case_read(again, path, "fw-thm-1"), TROP_ERR_IO);
    assert_non_null(strstr(trop_error(), "changed"));
    unlink(path);
    assert_int_equal(trop_case_read(again, path, "fw-thm-1"), TROP_ERR_IO);
    trop_case_free(again);
    trop_case_free(copy);
    trop_case_free(c);
}

static void test_draws_depend_on_seed_and_trial_and_use(void **state)
{
    struct trop_case *c = NULL;
    double sum = 0;

    (void)state;
    assert_ok(trop_case_create(&c, 5, 3, TROP_CASE_TINY, 1));
    const double first = trop_case_normal(c, 16, 0);
    assert_true(trop_case_normal(c, 16, 0) == first);
    assert_true(trop_case_normal(c, 17, 0) != first);
    assert_true(trop_case_normal(c, 16, 1) != first);
    c->trial = 4;
    assert_true(trop_case_normal(c, 16, 0) != first);
    c->trial = 3;
    c->seed = 6;
    assert_true(trop_case_normal(c, 16, 0) != first);
    for (int64_t k = 0; k < 1000; k++) {
        const int64_t pick = trop_case_pick(c, 18, k, 7);
        assert_in_range(pick, 0, 6);
        sum += (double)pick;
    }
    assert_near(sum / 1000, 3, 4 * 2 / sqrt(1000)); /* the deviation of a pick is 2 */
    trop_case_free(c);
}

/* ---- parts that are stopped ---- */

static int after_five(void *context, int64_t done, int64_t total)
{
    (void)done;
    (void)total;
    return ++*(int64_t *)context > 5;
}

static void ask_for_much(void *context, struct trop_case *c)
{
    int64_t *turns = context;

    for (; *turns < 1000; ++*turns) {
        void *mark = trop_case_mark(c);
        trop_case_scratch(c, 10);
        trop_case_release(c, mark);
    }
}

static void test_a_part_is_stopped_where_it_asks_for_memory(void **state)
{
    struct trop_case *c = NULL;
    int64_t asked = 0, turns = 0;

    (void)state;
    assert_ok(trop_case_create(&c, 1, 0, TROP_CASE_TINY, 1));
    assert_ok(trop_case_part(c, ask_for_much, &turns));
    assert_int_equal(turns, 1000);
    c->progress = after_five;
    c->context = &asked;
    turns = 0;
    assert_int_equal(trop_case_part(c, ask_for_much, &turns), TROP_ERR_STOPPED);
    assert_int_equal(turns, 5);
    trop_case_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_conclusion_is_violated_beyond_its_allowance_only),
        cmocka_unit_test(test_a_hypothesis_within_its_allowance_is_open),
        cmocka_unit_test(test_no_line_decides_nothing),
        cmocka_unit_test(test_near_is_two_sided_and_its_allowance_is_the_bound),
        cmocka_unit_test(test_agreement_within_more_than_the_number_itself_is_weak),
        cmocka_unit_test(test_an_estimate_is_what_its_test_says_on_either_side),
        cmocka_unit_test(test_a_line_beside_decides_nothing),
        cmocka_unit_test(test_the_first_failure_and_the_tightest_line_are_remembered),
        cmocka_unit_test(test_an_instance_with_an_open_hypothesis_proves_nothing),
        cmocka_unit_test(test_a_case_keeps_and_replaces_its_entries),
        cmocka_unit_test(test_a_case_comes_back_from_its_file_bit_for_bit),
        cmocka_unit_test(test_draws_depend_on_seed_and_trial_and_use),
        cmocka_unit_test(test_a_part_is_stopped_where_it_asks_for_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
