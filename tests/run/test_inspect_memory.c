/* test_inspect_memory.c -- the verb inspect without memory, at every request in turn; by one
 * worker, since the count of requests is no thread's own. */
#include "small_models.h"
#include "tropism_lab.h"

#include "alloc_failing.c"

static enum trop_status arrays(void)
{
    static const double numbers[] = { 3, 0, 0, 3, 1, 0, 3, 0, 0, 3, 1, 0 };
    static const char *const names[] = { "q", "k", "v" };
    const int64_t shape[] = { 2, 1, 3, 2 };
    struct trop_setup *setup = NULL;
    struct trop_job *job = NULL;
    const char *json = NULL;
    enum trop_status status = trop_setup_create(&setup, "inspect");

    for (int k = 0; k < 3 && status == TROP_OK; k++) {
        status = trop_setup_array(setup, names[k], numbers, 4, shape);
    }
    if (status == TROP_OK) {
        status = trop_setup_set(setup, "threads", "1");
    }
    if (status == TROP_OK) {
        status = trop_setup_set(setup, "measure", "all");
    }
    status = status == TROP_OK ? trop_job_create(&job, setup) : status;
    trop_setup_free(setup);
    if (status == TROP_OK) {
        status = trop_job_run(job, NULL, NULL);
    }
    if (status == TROP_OK) {
        status = trop_job_json(&json, job);
    }
    trop_job_free(job);
    return status;
}

/* A model, opened and read, with all that is kept of one text. */
static const char *path;

static enum trop_status inputs(void)
{
    const char *pairs[] = { "model", path,      "ids",   "3,7,1",  "threads", "1", "rows",
                            "yes",   "measure", "reach", "inputs", "yes",     NULL };
    struct trop_job *job = NULL;
    const char *json = NULL;
    enum trop_status status = trop_job_create_from(&job, "inspect", pairs);

    if (status == TROP_OK) {
        status = trop_job_run(job, NULL, NULL);
    }
    if (status == TROP_OK) {
        status = trop_job_json(&json, job);
    }
    trop_job_free(job);
    return status;
}

/* Several texts in the place of one, twice. */
static enum trop_status texts(void)
{
    static const char *const some[] = { "a b c", "d", "e f" };
    struct trop_setup *setup = NULL;
    enum trop_status status = trop_setup_create(&setup, "inspect");

    for (int64_t k = 3; k > 1 && status == TROP_OK; k--) {
        status = trop_setup_texts(setup, "text", some, k);
    }
    trop_setup_free(setup);
    return status;
}

static void texts_survive_every_refusal(void **state)
{
    (void)state;
    alloc_refuse_each(texts);
}

static void arrays_survive_every_refusal(void **state)
{
    (void)state;
    alloc_refuse_each(arrays);
}

static void inputs_survive_every_refusal(void **state)
{
    char folder[256];

    (void)state;
    snprintf(folder, sizeof folder, "%s", small_model(0, NULL, NULL, NULL));
    path = folder;
    alloc_refuse_each(inputs);
    small_clear();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_survive_every_refusal),
        cmocka_unit_test(inputs_survive_every_refusal),
        cmocka_unit_test(texts_survive_every_refusal),
    };

    return cmocka_run_group_tests(tests, NULL, scratch_remove);
}
