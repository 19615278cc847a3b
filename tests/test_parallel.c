/* test_parallel.c -- rows shared among workers. The thread sanitizer runs it too. */
#include "support.h"

#include "base/parallel.h"

#define MOST 200

struct tally {
    int64_t done[MOST];   /* how often each row was worked on */
    int64_t worker[MOST]; /* by whom */
};

static void work(void *context, int64_t first, int64_t last, int64_t worker)
{
    struct tally *tally = context;

    for (int64_t i = first; i < last; i++) {
        tally->done[i]++;
        tally->worker[i] = worker;
    }
}

static void every_row_is_done_once_in_contiguous_ranges(void **state)
{
    (void)state;
    for (int64_t workers = 1; workers <= 9; workers++) {
        for (int64_t n = 0; n <= MOST; n += 1 + n / 7) {
            struct tally tally = { 0 };
            trop_parallel(workers, n, work, &tally);
            for (int64_t i = 0; i < MOST; i++) {
                assert_int_equal(tally.done[i], i < n);
                assert_in_range(tally.worker[i], i > 0 && i < n ? tally.worker[i - 1] : 0,
                                workers - 1);
            }
        }
    }
}

static void more_workers_than_rows_or_than_any_machine_has_are_fine(void **state)
{
    (void)state;
    const int64_t many[] = { 0, -1, 100, 1000, 1000000 };
    for (size_t k = 0; k < sizeof many / sizeof *many; k++) {
        struct tally tally = { 0 };
        trop_parallel(many[k], 10, work, &tally);
        for (int64_t i = 0; i < MOST; i++) {
            assert_int_equal(tally.done[i], i < 10);
        }
    }
    assert_true(trop_parallel_cores() >= 1);
}

/* A flow reads what another worker wrote a step before. */
static void threads_change_no_bit_of_a_flow(void **state)
{
    const char *rules[] = { "softmax", "hardmax", "localmax" };
    double one[40 * 3];

    (void)state;
    for (size_t r = 0; r < sizeof rules / sizeof *rules; r++) {
        for (int threads = 1; threads <= 4; threads++) {
            const char number[] = { (char)('0' + threads), 0 };
            const char *pairs[] = { "n",      "40",   "d",       "3",       "rule",
                                    rules[r], "beta", "3",       "epsilon", "0.1",
                                    "steps",  "20",   "threads", number,    NULL };
            struct trop_flow *flow = NULL;
            assert_ok(trop_flow_create_from(&flow, pairs));
            assert_ok(trop_flow_run(flow, NULL, NULL));
            if (threads == 1) {
                memcpy(one, trop_flow_tokens(flow), sizeof one);
            }
            assert_memory_equal(one, trop_flow_tokens(flow), sizeof one);
            trop_flow_free(flow);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_done_once_in_contiguous_ranges),
        cmocka_unit_test(more_workers_than_rows_or_than_any_machine_has_are_fine),
        cmocka_unit_test(threads_change_no_bit_of_a_flow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
