/* test_parallel.c -- rows shared among workers. The thread sanitizer runs it too. */
#include "support.h"

#include "base/parallel.h"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* 1 when each of n rows is done once. */
static int all_done(int64_t workers, int64_t n)
{
    struct tally tally = { 0 };
    int64_t wrong = 0;

    trop_parallel(workers, n, work, &tally);
    for (int64_t i = 0; i < MOST; i++) {
        wrong += tally.done[i] != (i < n);
    }
    return wrong == 0;
}

/* A callback of the caller's, such as Python's, is called there. */
static void note_thread(void *context, int64_t first, int64_t last, int64_t worker)
{
    pthread_t *thread = context;

    (void)first;
    (void)last;
    thread[worker] = pthread_self();
}

static void worker_0_is_the_caller(void **state)
{
    (void)state;
    for (int k = 0; k < 1000; k++) {
        pthread_t thread[3];
        trop_parallel(3, 3, note_thread, thread);
        assert_true(pthread_equal(thread[0], pthread_self()));
    }
}

static void work_inside(void *context, int64_t first, int64_t last, int64_t worker)
{
    int64_t *good = context;

    (void)worker;
    for (int64_t i = first; i < last; i++) {
        good[i] = all_done(4, 50 + i);
    }
}

static void work_may_share_out_work(void **state)
{
    (void)state;
    for (int k = 0; k < 100; k++) {
        int64_t good[7] = { 0 };
        trop_parallel(3, 7, work_inside, good);
        for (int i = 0; i < 7; i++) {
            assert_int_equal(good[i], 1);
        }
    }
}

static void *call_often(void *good)
{
    for (int k = 0; k < 300; k++) {
        *(int *)good += all_done(4, 1 + k % MOST);
    }
    return NULL;
}

static void several_threads_may_call_at_once(void **state)
{
    pthread_t thread[5];
    int good[5] = { 0 };

    (void)state;
    for (int k = 0; k < 5; k++) {
        assert_int_equal(pthread_create(&thread[k], NULL, call_often, &good[k]), 0);
    }
    for (int k = 0; k < 5; k++) {
        pthread_join(thread[k], NULL);
        assert_int_equal(good[k], 300);
    }
}

/* In a child that dies of an alarm when it hangs: 0 when every row is done once. */
static int child_status(int without_room)
{
    const struct rlimit little = { 1 << 20, RLIM_INFINITY };
    int status = -1;

    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        if (without_room && setrlimit(RLIMIT_AS, &little) != 0) {
            _exit(2);
        }
        _exit(!all_done(4, MOST) || !all_done(2, 5));
    }
    waitpid(child, &status, 0);
    return status;
}

/* The threads stay behind in the parent. */
static void a_forked_child_has_workers_of_its_own(void **state)
{
    (void)state;
    if (getenv("TROP_TEST_SLOW")) {
        skip(); /* the thread sanitizer allows no thread after a fork */
    }
    assert_true(all_done(4, MOST));
    assert_int_equal(child_status(0), 0);
    assert_true(all_done(4, MOST));
}

static void a_system_that_gives_no_thread_is_enough(void **state)
{
    (void)state;
    if (getenv("TROP_TEST_SLOW")) {
        skip(); /* a sanitizer has an address space of its own */
    }
    assert_int_equal(child_status(1), 0);
}

/* A flow reads what another worker wrote a step before. */
static void threads_change_no_bit_of_a_flow(void **state)
{
    const char *rules[][3] = { { "softmax", "beta", "3" },
                               { "hardmax", "ties", "points" },
                               { "localmax", "epsilon", "0.1" } };
    double one[40 * 3];

    (void)state;
    for (size_t r = 0; r < sizeof rules / sizeof *rules; r++) {
        for (int threads = 1; threads <= 4; threads++) {
            const char number[] = { (char)('0' + threads), 0 };
            const char *pairs[] = { "n",         "40",        "d",         "3",     "rule",
                                    rules[r][0], rules[r][1], rules[r][2], "steps", "20",
                                    "threads",   number,      NULL };
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
        cmocka_unit_test(worker_0_is_the_caller),
        cmocka_unit_test(work_may_share_out_work),
        cmocka_unit_test(several_threads_may_call_at_once),
        cmocka_unit_test(a_forked_child_has_workers_of_its_own),
        cmocka_unit_test(a_system_that_gives_no_thread_is_enough),
        cmocka_unit_test(threads_change_no_bit_of_a_flow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
