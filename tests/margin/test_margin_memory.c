/* test_margin_memory.c -- the noun margin without memory, at every request in turn, and what a
 * handle can do after such a failure. */
#include "margin_noun.h"

#include "alloc_failing.c"

static struct set data;
static struct trop_margin_options options;

/* Makes, solves, reads; releases everything. */
static enum trop_status whole_life(void)
{
    struct trop_margin *margin = NULL;
    enum trop_status status = trop_margin_create(&margin, &options);

    if (status == TROP_OK) {
        status = trop_margin_run(margin, NULL, NULL);
    }
    trop_margin_free(margin);
    return status;
}

static void begin(int64_t n, int64_t T, int64_t d, int64_t queries, uint64_t seed)
{
    set_draw(&data, n, T, d, queries, seed);
    options = noun_options(&data);
}

/* Five inputs of five tokens in the plane, most of which have no solution. */
static void begin_infeasible(void)
{
    int found = 0;

    for (uint64_t seed = 1; !found; seed++) {
        begin(5, 5, 2, 1, seed);
        struct trop_margin *margin = noun_run(&options);
        found = strcmp(noun_text(margin, "certificate.kind"), "farkas-enclosed") == 0;
        trop_margin_free(margin);
    }
}

static void every_norm_says_that_there_is_no_memory(void **state)
{
    (void)state;
    for (int64_t norm = TROP_MARGIN_L2; norm <= TROP_MARGIN_SPECTRAL; norm++) {
        if (noun_is_missing(norm)) {
            continue;
        }
        begin(2, 3, 2, 1, 3);
        options.norm = norm;
        options.p = 3;
        alloc_refuse_each(whole_life);
    }
}

static void choices_lists_and_directions_need_memory(void **state)
{
    static const double direction[4] = { 1, 2, 3, 4 };
    (void)state;
    begin(2, 3, 2, 1, 3);
    options.select = "0|1,1|2";
    alloc_refuse_each(whole_life);
    begin(2, 2, 2, 1, 3);
    options.enumerate = 1;
    options.direction = direction;
    alloc_refuse_each(whole_life);
}

static void sets_relaxed_inputs_and_proofs_need_memory(void **state)
{
    static const double weights[6] = { .5, .5, 0, 0, 1, 0 };
    (void)state;
    begin(2, 3, 3, 1, 3);
    options.weights = weights;
    alloc_refuse_each(whole_life);
    begin(2, 3, 3, 1, 3);
    options.relaxed = "auto";
    alloc_refuse_each(whole_life);
    begin_infeasible();
    alloc_refuse_each(whole_life);
    begin(2, 3, 3, 0, 3);
    options.model = TROP_MODEL_SEQUENCE;
    options.mask = TROP_MASK_CAUSAL;
    alloc_refuse_each(whole_life);
}

/* A run that failed for want of memory tells nothing, and the next one gives the answer, wherever
 * the first one failed. */
static void a_run_can_be_made_again(void **state)
{
    (void)state;
    for (int kind = 0; kind < 6; kind++) {
        begin(2, 3, kind ? 1 : 2, !kind, 3 + (uint64_t)kind); /* on a line half have no solution */
        options.select = kind ? "0|1,1|2" : NULL;
        options.enumerate = !kind;
        struct trop_margin *good = noun_run(&options);
        int64_t before = alloc_live;
        for (int64_t k = 0;; k++) {
            struct trop_margin *margin = noun_make(&options);
            alloc_refused = k;
            enum trop_status status = trop_margin_run(margin, NULL, NULL);
            const int reached = alloc_refused < 0;
            alloc_refused = -1;
            if (!reached) {
                assert_int_equal(status, TROP_OK);
                assert_true(k > 10);
                trop_margin_free(margin);
                break;
            }
            assert_int_equal(status, TROP_ERR_MEMORY);
            assert_string_equal(noun_text(margin, "outcome"), "none");
            assert_true(noun_is_null(margin, "norm") && noun_is_null(margin, "support"));
            assert_ok(trop_margin_run(margin, NULL, NULL));
            assert_true(noun_number(margin, "lower") == noun_number(good, "lower"));
            assert_true(noun_number(margin, "upper") == noun_number(good, "upper"));
            assert_memory_equal(
                trop_margin_weights(margin), trop_margin_weights(good),
                (size_t)(trop_margin_problem(good)->rows * trop_margin_problem(good)->columns) *
                    sizeof(double));
            assert_memory_equal(noun_value(margin, "alpha").integers,
                                noun_value(good, "alpha").integers, 2 * sizeof(int64_t));
            assert_int_equal(noun_integer(margin, "feasible"), noun_integer(good, "feasible"));
            assert_int_equal(noun_value(margin, "selections").shape[0],
                             noun_value(good, "selections").shape[0]);
            trop_margin_free(margin);
            assert_int_equal(alloc_live, before);
        }
        trop_margin_free(good);
    }
}

/* What a solution tells beyond its norm is found when it is read. Where there is no memory for it
 * then, the reader is told so, the solution stays, and the next reader gets all of it. */
static void what_is_found_when_it_is_read_needs_memory_then(void **state)
{
    (void)state;
    static const char *const fields[] = { "support", "rank", "score_gap", "locally_optimal" };
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) {
        begin(3, 4, 3, 1, 5);
        struct trop_margin *good = noun_run(&options), *margin = noun_run(&options);
        const struct trop_value whole = noun_value(good, "support");
        int64_t refused = 0;
        assert_true(whole.shape[0] > 0);
        for (;; refused++) {
            struct trop_value value;
            alloc_refused = refused;
            const enum trop_status status = trop_margin_value(&value, margin, fields[f]);
            const int reached = alloc_refused < 0;
            alloc_refused = -1;
            if (!reached) {
                assert_int_equal(status, TROP_OK);
                break;
            }
            assert_int_equal(status, TROP_ERR_MEMORY);
            assert_string_equal(noun_text(margin, "outcome"), "solved");
        }
        assert_true(refused > 3);
        const struct trop_value again = noun_value(margin, "support");
        assert_int_equal(again.shape[0], whole.shape[0]);
        assert_memory_equal(again.integers, whole.integers,
                            (size_t)(2 * whole.shape[0]) * sizeof *whole.integers);
        assert_true(noun_integer(margin, "rank") == noun_integer(good, "rank"));
        assert_true(noun_number(margin, "score_gap") == noun_number(good, "score_gap"));
        trop_margin_free(margin);
        trop_margin_free(good);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_norm_says_that_there_is_no_memory),
        cmocka_unit_test(choices_lists_and_directions_need_memory),
        cmocka_unit_test(sets_relaxed_inputs_and_proofs_need_memory),
        cmocka_unit_test(a_run_can_be_made_again),
        cmocka_unit_test(what_is_found_when_it_is_read_needs_memory_then),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
