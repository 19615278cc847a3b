/* test_margin_study.c -- studies of the verbs margin and train without memory, at every request in
 * turn: files read, a problem dumped, a result written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "alloc_failing.c"
#include "scratch.h"
#include "tropism_lab.h"

static void fill(const char *name, const char *text)
{
    scratch_fill(scratch(name), text, strlen(text));
}

static int make_files(void **state)
{
    (void)state;
    fill("data.json", "{\"X\": [[[1, 0], [0, 0]]], \"z\": [[0, 1]], \"y\": [1], \"v\": [1, 0]}");
    fill("sets.json", "{\"sets\": [[0]]}");
    fill("w.json", "{\"W\": [[1, 0], [2, 0]]}");
    fill("kq.json", "{\"K\": [[1], [0.5]], \"Q\": [[0.25], [2]]}");
    return 0;
}

static int remove_files(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", scratch_folder);
    return system(command);
}

/* Sets, makes, runs and writes; releases everything. A value with a dot is a file of the folder. */
static enum trop_status study_of(const char *verb, const char *const *pairs)
{
    struct trop_setup *setup = NULL;
    struct trop_job *study = NULL;
    const char *json = NULL;
    enum trop_status status = trop_setup_create(&setup, verb);

    for (; *pairs && status == TROP_OK; pairs += 2) {
        status =
            trop_setup_set(setup, pairs[0], strchr(pairs[1], '.') ? scratch(pairs[1]) : pairs[1]);
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
    return status;
}

static enum trop_status dumped(void)
{
    return study_of("margin", (const char *[]){ "data", "data.json", "direction", "w.json", "dump",
                                                "dump.json", "out", "one.h5", NULL });
}

static enum trop_status read_again(void)
{
    return study_of("margin", (const char *[]){ "problem", "dump.json", "out", "one.json", NULL });
}

static enum trop_status equal(void)
{
    return study_of("margin",
                    (const char *[]){ "data", "data.json", "equal", "sets.json", "p", "3", NULL });
}

static enum trop_status trained(void)
{
    return study_of("train", (const char *[]){ "data", "data.json", "start", "kq.json", "model",
                                               "kq", "steps", "2", "out", "one.h5", NULL });
}

static void a_margin_study_says_that_there_is_no_memory(void **state)
{
    (void)state;
    alloc_refuse_each(dumped);
    alloc_refuse_each(read_again);
    alloc_refuse_each(equal);
}

static void a_training_study_says_that_there_is_no_memory(void **state)
{
    (void)state;
    alloc_refuse_each(trained);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_margin_study_says_that_there_is_no_memory),
        cmocka_unit_test(a_training_study_says_that_there_is_no_memory),
    };

    return cmocka_run_group_tests(tests, make_files, remove_files);
}
