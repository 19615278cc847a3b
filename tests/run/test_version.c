/* test_version.c -- files that earlier versions wrote.
 *
 * tests/data/0.1.0/run.h5.parts: a flow that version 0.1.0 was stopped in,
 *   tropism flow --n 6 --d 2 --beta 3 --gamma 1e-9 --seed 3 --steps 60000 --record step,diameter
 *     --every 10000 --out run.h5 */
#include "scratch.h"
#include "support.h"
#include "tropism_lab.h"

#include <sys/stat.h>

/* Copies a part of the stopped run to the scratch folder. */
static void take_part(const char *name)
{
    static char bytes[1 << 18];
    char path[512];

    snprintf(path, sizeof path, "%s/tests/data/0.1.0/%s", getenv("TROP_SOURCE"), name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_true(size > 0 && size < sizeof bytes);
    scratch_fill(scratch(name), bytes, size);
}

static enum trop_status finish(double *diameter, const char *const *pairs)
{
    struct trop_job *job = NULL;
    enum trop_status status = trop_job_create_from(&job, "flow", pairs);

    if (status == TROP_OK) {
        status = trop_job_run(job, NULL, NULL);
    }
    if (status == TROP_OK) {
        status = trop_job_number(diameter, job, "diameter");
    }
    trop_job_free(job);
    return status;
}

static void a_run_that_0_1_0_began_ends_with_the_same_bits(void **state)
{
    const char *again[] = { "resume", scratch("run.h5"), NULL };
    const char *whole[] = { "n",    "6",    "d", "2",     "beta",  "3", "gamma",
                            "1e-9", "seed", "3", "steps", "60000", NULL };
    double resumed = 0, alone = 1;
    (void)state;

    mkdir(scratch("run.h5.parts"), 0777);
    take_part("run.h5.parts/000001.h5");
    take_part("run.h5.parts/000002.h5");
    if (finish(&resumed, again) != TROP_OK) {
        fail_msg("%s", trop_error());
    }
    assert_int_equal(finish(&alone, whole), TROP_OK);
    assert_memory_equal(&resumed, &alone, sizeof alone);
    scratch_empty();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_that_0_1_0_began_ends_with_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_remove);
}
