/* test_run_memory.c -- recorded runs without memory, at every request in turn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "alloc_failing.c"
#include "scratch.h"
#include "tropism_lab.h"

static int stop_late(void *context, int64_t done, int64_t total)
{
    (void)context;
    (void)total;
    return done >= 4;
}

/* Sets, makes and runs; releases everything. */
static enum trop_status run_of(const char *verb, const char *const *pairs, trop_progress *progress)
{
    struct trop_setup *setup = NULL;
    struct trop_job *run = NULL;
    const char *json = NULL;
    enum trop_status status = trop_setup_create(&setup, verb);

    for (; *pairs && status == TROP_OK; pairs += 2) {
        status = trop_setup_set(setup, pairs[0], pairs[1]);
    }
    if (status == TROP_OK) {
        status = trop_job_create(&run, setup);
    }
    if (status == TROP_OK) {
        status = trop_job_run(run, progress, NULL);
    }
    if (status == TROP_OK) {
        status = trop_job_json(&json, run);
    }
    trop_job_free(run);
    trop_setup_free(setup);
    return status;
}

/* From files to a file, with records and checkpoints. */
static enum trop_status recorded(trop_progress *progress)
{
    char tokens[256], out[256];
    snprintf(tokens, sizeof tokens, "%s", scratch("x.csv"));
    snprintf(out, sizeof out, "%s", scratch("one.h5"));
    const char *pairs[] = { "tokens", tokens,   "key_query", tokens, "steps",      "8", "out", out,
                            "record", "tokens", "every",     "2",    "checkpoint", "3", NULL };

    scratch_fill(tokens, "1,0.5\n-1,2\n", 11);
    return run_of("flow", pairs, progress);
}

static enum trop_status whole(void)
{
    enum trop_status status = recorded(NULL);
    scratch_empty();
    return status;
}

/* From parts that are made while memory is plenty. */
static enum trop_status resumed(void)
{
    int64_t refused = alloc_refused;
    char out[256];

    alloc_refused = -1;
    assert_int_equal(recorded(stop_late), TROP_ERR_STOPPED);
    alloc_refused = refused;
    snprintf(out, sizeof out, "%s", scratch("one.h5"));
    const char *pairs[] = { "resume", out, NULL };
    enum trop_status status = run_of("flow", pairs, NULL);
    scratch_empty();
    return status;
}

/* A training from files to a file, with checkpoints. */
static enum trop_status trained(trop_progress *progress)
{
    static const char weights[] = "{\"p\": [0.5, -0.25, 1]}";
    char start[256], out[256];
    snprintf(start, sizeof start, "%s", scratch("w.json"));
    snprintf(out, sizeof out, "%s", scratch("one.h5"));
    const char *pairs[] = { "data",    "mm-fig-1a", "start", start, "optimizer",  "adam",
                            "compare", "none",      "steps", "80",  "checkpoint", "70",
                            "threads", "1",         "out",   out,   NULL };

    scratch_fill(start, weights, sizeof weights - 1);
    return run_of("train", pairs, progress);
}

static enum trop_status trained_on(void)
{
    int64_t refused = alloc_refused;
    char out[256];

    alloc_refused = -1;
    assert_int_equal(trained(stop_late), TROP_ERR_STOPPED);
    alloc_refused = refused;
    snprintf(out, sizeof out, "%s", scratch("one.h5"));
    const char *pairs[] = { "resume", out, NULL };
    enum trop_status status = run_of("train", pairs, NULL);
    scratch_empty();
    return status;
}

/* The description of a cloud: from files to a file. */
static enum trop_status study_of(const char *verb, const char *const *own)
{
    char tokens[256], out[256];
    snprintf(tokens, sizeof tokens, "%s", scratch("x.csv"));
    snprintf(out, sizeof out, "%s", scratch("one.h5"));
    const char *pairs[] = { "tokens", tokens, "key_query", tokens, own[0], own[1] ? own[1] : tokens,
                            own[2],   own[3], "out",       out,    NULL };
    struct trop_setup *setup = NULL;
    struct trop_job *study = NULL;
    const char *json = NULL;

    scratch_fill(tokens, "1,0.5\n-1,2\n", 11);
    enum trop_status status = trop_setup_create(&setup, verb);
    for (int k = 0; pairs[k] && status == TROP_OK; k += 2) {
        status = trop_setup_set(setup, pairs[k], pairs[k + 1]);
    }
    if (status == TROP_OK) {
        status = trop_job_create(&study, setup);
    }
    if (status == TROP_OK) {
        status = trop_job_run(study, NULL, NULL);
    }
    if (status == TROP_OK) {
        status = trop_job_json(&json, study);
    }
    trop_job_free(study);
    trop_setup_free(setup);
    scratch_empty();
    return status;
}

static enum trop_status celled(void)
{
    return study_of("cells", (const char *[]){ "query", NULL, "eta", "0.1" });
}

static enum trop_status searched(void)
{
    return study_of("threshold", (const char *[]){ "width", "0.5", "threads", "1" });
}

static enum trop_status doctor(void)
{
    struct trop_job *made = NULL;
    enum trop_status status = trop_job_create_from(&made, "doctor", (const char *const[]){ NULL });

    trop_job_free(made);
    return status;
}

static void a_run_says_that_there_is_no_memory(void **state)
{
    (void)state;
    alloc_refuse_each(whole);
}

static void a_resumed_run_does_not_blame_its_checkpoints(void **state)
{
    (void)state;
    alloc_refuse_each(resumed);
}

static void a_training_says_that_there_is_no_memory(void **state)
{
    (void)state;
    alloc_refuse_each(trained_on);
}

static void a_study_says_that_there_is_no_memory(void **state)
{
    (void)state;
    alloc_refuse_each(celled);
    alloc_refuse_each(searched);
}

static void the_doctor_needs_memory_too(void **state)
{
    static const int64_t refusals[] = { 0, 1, 5, 40, 41, 42, 300 }; /* each would take minutes */
    int64_t before = alloc_live;
    (void)state;
    for (size_t k = 0; k < sizeof refusals / sizeof refusals[0]; k++) {
        alloc_refused = refusals[k];
        assert_int_equal(doctor(), TROP_ERR_MEMORY);
        assert_int_equal(alloc_refused, -1);
        assert_int_equal(alloc_live, before);
    }
    assert_int_equal(doctor(), TROP_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_says_that_there_is_no_memory),
        cmocka_unit_test(a_resumed_run_does_not_blame_its_checkpoints),
        cmocka_unit_test(a_training_says_that_there_is_no_memory),
        cmocka_unit_test(a_study_says_that_there_is_no_memory),
        cmocka_unit_test(the_doctor_needs_memory_too),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_remove);
}
