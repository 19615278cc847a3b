/* test_limits.c -- the program where disk, memory or cores are short. */
#include "support.h"

#include "program.h"

/* Runs line under a limit of the address space, in bytes. */
static int tropism_within(rlim_t bytes, const char *line)
{
    struct rlimit before, small;

    getrlimit(RLIMIT_AS, &before);
    small = (struct rlimit){ .rlim_cur = bytes, .rlim_max = before.rlim_max };
    setrlimit(RLIMIT_AS, &small);
    pid_t child = start(line, 0);
    setrlimit(RLIMIT_AS, &before);
    finish(child);
    return answer.code;
}

/* LLVM's OpenMP runtime, asked for the number of cores, ends the process when it cannot map 1 MB.
 */
#ifdef __clang__
#define RUNTIME_ABORTS 1
#else
#define RUNTIME_ABORTS 0
#endif

/* 195 MiB hold the program, and not the buffers of BLAS, for which it asks without end; nor the
 * stacks of 64 threads. */
static void little_address_space_ends_in_an_answer_or_a_sentence(void **state)
{
    static const struct {
        const char *line;
        int code;
        const char *out, *err;
    } cases[] = {
        { "flow --n 4 --steps 3", 0, "steps        3", "" },
        { "flow --n 2000 --steps 2 --threads 64", 0, "steps        2", "" },
        { "margin --data attsvm --n 20 --T 30 --d 60", 1, "", "(ulimit -v) is 195 MiB" },
        { "margin --data attsvm --n 20 --T 30 --d 20 --norm l1", 1, "", "linear program of" },
    };

    (void)state;
    if (RUNTIME_ABORTS || getenv("TROP_TEST_SLOW")) {
        skip(); /* a sanitizer has an address space of its own */
    }
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        if (tropism_within(200000 * 1024, cases[k].line) != cases[k].code ||
            !strstr(answer.out, cases[k].out) || !strstr(answer.err, cases[k].err)) {
            fail_with_answer(cases[k].line, "an answer or a sentence was expected");
        }
    }
}

/* A field with kinks, where an adaptive integrator would take minutes; fixed steps do not. */
static void an_integrator_that_creeps_is_told_of(void **state)
{
    (void)state;
    assert_int_equal(
        tropism("flow --dynamics sa --rule entmax --a 10 --n 33 --d 16 --key-query "
                "-1 --time 30 --accuracy 1e-12 --record time --every 10 --time-limit 3"),
        1);
    assert_non_null(strstr(answer.err, "takes tiny steps: time "));
    assert_non_null(strstr(answer.err, "(--integrator rk4 --dt 0.01, without --accuracy)"));
    assert_int_equal(tropism("flow --dynamics sa --rule entmax --a 10 --n 33 --d 16 --key-query "
                             "-1 --time .3 --integrator rk4 --dt 0.1 --time-limit 30"),
                     0);
    assert_null(strstr(answer.err, "tiny steps"));
}

/* CVODE goes a dt at once: it is stopped inside, and says why it takes long. */
static void cvode_is_stopped_and_told_of_within_a_dt(void **state)
{
    const char line[] = "flow --dynamics sa --rule entmax --a 10 --n 33 --d 16 --key-query -1 "
                        "--time 30 --dt 30 --accuracy 1e-12 --integrator cvode --time-limit 2";
    (void)state;
    if (tropism("flow --n 3 --dynamics ode --rule softmax --integrator cvode --time .1") != 0) {
        skip(); /* a build without SUNDIALS */
    }
    assert_int_equal(tropism(line), 1);
    assert_non_null(strstr(answer.err, "stopped at step 0 by the time limit"));
    assert_non_null(strstr(answer.err, "CVODE takes many steps of its own within a dt: time 0 of"));
    assert_non_null(strstr(answer.err, "(--integrator rk4 --dt 0.01, without --accuracy)"));
}

static int64_t cores_within(const char *name, const char *value)
{
    setenv(name, value, 1);
    json_t *object = object_of("doctor --json", 0);
    const int64_t cores = json_integer_value(json_object_get(object, "cores"));
    json_decref(object);
    unsetenv(name);
    return cores;
}

/* What people and schedulers set for OpenMP holds for us; it gives no core that is not there. */
static void default_threads_respect_the_limits_of_openmp(void **state)
{
    const int64_t cores = trop_parallel_cores();
    char number[32];

    (void)state;
    unsetenv("OMP_NUM_THREADS");
    unsetenv("OMP_THREAD_LIMIT");
    assert_int_equal(cores_within("OMP_NUM_THREADS", "1"), 1);
    assert_int_equal(cores_within("OMP_THREAD_LIMIT", "1"), 1);
    snprintf(number, sizeof number, "%lld", (long long)cores + 5);
    assert_true(cores_within("OMP_NUM_THREADS", number) >= cores);
    assert_true(cores_within("OMP_NUM_THREADS", number) < cores + 5);
}

/* Every checkpoint fits, the result does not; with more room it is written without the steps. */
static void a_run_whose_disk_is_full_prints_what_it_has(void **state)
{
    const char *line = "flow --n 20 --steps 400 --until steps --closed-form never --json "
                       "--record tokens --checkpoint 100 --out room.h5";
    json_error_t error;
    (void)state;

    finish(start(line, 100000));
    json_t *object = json_loads(answer.out, 0, &error);
    if (answer.code != 1 || !json_is_object(object) || !strstr(answer.err, "File too large") ||
        !strstr(answer.err, "--resume room.h5")) {
        fail_with_answer(line, "the answer on stdout, the failure on stderr");
    }
    assert_int_equal(json_integer_value(json_object_get(object, "steps")), 400);
    json_decref(object);
    assert_int_equal(tropism("flow --resume room.h5"), 0);
    assert_non_null(strstr(answer.out, "written to   room.h5"));
}

int main(void)
{
    /* A program that hangs does it busily: it dies of this. */
    const struct rlimit seconds = { 20, RLIM_INFINITY };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(default_threads_respect_the_limits_of_openmp),
        cmocka_unit_test(a_run_whose_disk_is_full_prints_what_it_has),
        cmocka_unit_test(an_integrator_that_creeps_is_told_of),
        cmocka_unit_test(cvode_is_stopped_and_told_of_within_a_dt),
        cmocka_unit_test(little_address_space_ends_in_an_answer_or_a_sentence),
    };

    setrlimit(RLIMIT_CPU, &seconds);
    return cmocka_run_group_tests(tests, NULL, remove_files);
}
