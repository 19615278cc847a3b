/* test_session.c -- trainings that are stopped, killed and resumed end with the same bits.
 *
 * Files of equal runs have equal bytes but for the 8 of /clock/seconds (test_run.c). */
#include "run_support.h"

static char one[256], two[256];

static int name_files(void **state)
{
    (void)state;
    snprintf(one, sizeof one, "%s", scratch("one.h5"));
    snprintf(two, sizeof two, "%s", scratch("two.h5"));
    return 0;
}

/* What optimisers remember in every way that there is. */
static const char *const trainings[][16] = {
    { "data", "attsvm", "optimizer", "adam", "adam_epsilon", "1e-8" },
    { "data", "attsvm", "optimizer", "nmirror", "p", "1.75", "batch", "4", "compare", "none" },
    { "data", "attsvm", "model", "kq", "width", "3", "start", "normal", "optimizer", "muon" },
    { "data", "mm-fig-3a", "model", "joint", "optimizer", "ngd", "compare", "final" },
    { "data", "attsvm", "optimizer", "signum", "batch", "5", "eta_schedule", "power:1,0.5" },
    { "data", "mm-fig-1a", "optimizer", "gd", "backtrack", "yes", "eta", "40", "records", "50" },
};

static void fill(const char **pairs, size_t which, const char *out, const char *steps)
{
    const char *rest[] = { "steps", steps, "out", out, "checkpoint", "37", NULL };
    int count = 0;

    for (int k = 0; k < 16 && trainings[which][k]; k++) {
        pairs[count++] = trainings[which][k];
    }
    memcpy(pairs + count, rest, sizeof rest);
}

static enum trop_status resume(const char *out, int64_t step)
{
    const char *pairs[] = { "resume", out, NULL };
    return go("train", pairs, step);
}

static void forget(void)
{
    unlink(one);
    unlink(two);
    assert_int_equal(scratch_count(), 0);
}

static void a_stopped_training_ends_as_if_it_had_not_been(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof trainings / sizeof trainings[0]; k++) {
        const char *whole[32], *parted[32];
        fill(whole, k, one, "400");
        fill(parted, k, two, "400");
        assert_int_equal(go("train", whole, -1), TROP_OK);
        assert_int_equal(go("train", parted, 0), TROP_ERR_STOPPED);
        assert_true(exists(two)); /* what there is so far */
        assert_int_equal(resume(two, 64), TROP_ERR_STOPPED);
        assert_int_equal(resume(two, 128), TROP_ERR_STOPPED);
        assert_int_equal(resume(two, 100), TROP_ERR_STOPPED); /* where it is */
        assert_int_equal(resume(two, -1), TROP_OK);
        assert_same_run(one, two);
        forget();
    }
}

/* As if the run had had so many steps from the start. */
static void a_training_is_resumed_with_more_steps(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof trainings / sizeof trainings[0]; k++) {
        const char *whole[32], *less[32], *more[] = { "resume", two, "steps", "400", NULL };
        fill(whole, k, one, "400");
        fill(less, k, two, "150");
        assert_int_equal(go("train", whole, -1), TROP_OK);
        assert_int_equal(go("train", less, 128), TROP_ERR_STOPPED);
        assert_int_equal(go("train", more, -1), TROP_OK);
        assert_same_run(one, two);
        forget();
    }
}

/* Its file has the state, without a checkpoint. */
static void a_training_that_is_over_goes_on_with_more_steps(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof trainings / sizeof trainings[0]; k++) {
        const char *whole[32], *less[32], *more[] = { "resume", two, "steps", "400", NULL };
        fill(whole, k, one, "400");
        fill(less, k, two, "150");
        assert_int_equal(go("train", whole, -1), TROP_OK);
        assert_int_equal(go("train", less, -1), TROP_OK);
        assert_refused("train", (const char *[]){ "resume", two, NULL }, TROP_ERR_ARG,
                       "steps = 150: the run has taken them all");
        assert_int_equal(go("train", more, 200), TROP_ERR_STOPPED); /* as any other */
        assert_int_equal(resume(two, -1), TROP_OK);
        assert_same_run(one, two);
        forget();
    }
}

static void a_stopped_training_goes_on_in_the_same_process(void **state)
{
    const char *pairs[32];
    struct trop_job *job = NULL;
    int64_t step = 64;

    (void)state;
    fill(pairs, 0, one, "300");
    assert_int_equal(go("train", pairs, -1), TROP_OK);
    fill(pairs, 0, two, "300");
    assert_int_equal(make(&job, "train", pairs), TROP_OK);
    assert_int_equal(trop_job_run(job, stop_at, &step), TROP_ERR_STOPPED);
    assert_true(trop_job_resumable(job));
    assert_int_equal(trop_job_run(job, NULL, NULL), TROP_OK);
    assert_false(trop_job_resumable(job));
    trop_job_free(job);
    assert_same_run(one, two);
    forget();
}

/* What the run was given is in its checkpoints: the files themselves are not needed again. */
static void a_resumed_training_needs_none_of_its_files(void **state)
{
    static const char *const files[] = { "d.json", "s.json", "e.csv" };
    static const char *const texts[] = {
        ("{\"X\": [[[1, 0.5], [0, 1], [-1, 0.25]], [[0.5, -1], [2, 0], [0, 1]]], "
         "\"z\": [[1, 1], [-1, 2]], \"v\": [1, 0.5], \"y\": [1, -1]}"),
        "{\"W\": [[0.1, 0.2], [-0.3, 0.4]]}",
        "1\n0.5\n0.25\n0.75\n",
    };

    (void)state;
    for (int round = 0; round < 2; round++) {
        char path[3][256], at[260];
        for (int k = 0; k < 3; k++) {
            snprintf(path[k], sizeof path[k], "%s", scratch(files[k]));
            scratch_fill(path[k], texts[k], strlen(texts[k]));
        }
        snprintf(at, sizeof at, "@%s", path[2]);
        const char *pairs[] = { "data", path[0],     "start",      path[1], "eta_schedule",
                                at,     "optimizer", "adam",       "steps", "200",
                                "out",  one,         "checkpoint", "50",    NULL };
        pairs[11] = round ? two : one;
        assert_int_equal(go("train", pairs, round ? 64 : -1), round ? TROP_ERR_STOPPED : TROP_OK);
        for (int k = 0; k < 3; k++) {
            unlink(path[k]);
        }
    }
    assert_int_equal(resume(two, -1), TROP_OK);
    assert_same_run(one, two);
    forget();
}

/* ---- damage ------------------------------------------------------------------------------- */

static void stop_with_two_parts(void)
{
    const char *pairs[32];
    int64_t parts = 0;

    fill(pairs, 1, two, "200");
    assert_int_equal(go("train", pairs, 128), TROP_ERR_STOPPED); /* 37, 74, 111, 128 */
    assert_int_equal(trop_parts_count(&parts, two), TROP_OK);
    assert_int_equal(parts, 2);
}

/* Cut, emptied, or with a bit turned: the other one is gone on from, and said to be. */
static void a_damaged_checkpoint_is_passed_over(void **state)
{
    static const char *const names[] = {
        "eta", "steps", "/input/data/X", "/checkpoint/state", "/checkpoint/step", "/clock/seconds",
        "",    NULL
    };
    const char *pairs[32];

    (void)state;
    fill(pairs, 1, one, "200");
    assert_int_equal(go("train", pairs, -1), TROP_OK);
    for (int k = 0; names[k]; k++) {
        for (int64_t which = 1; which <= 2; which++) {
            const char *again[] = { "resume", two, NULL };
            struct trop_job *job = NULL;
            char told[64];
            stop_with_two_parts();
            char *part = trop_parts_path(two, which);
            if (names[k][0]) {
                flip(part, names[k]);
            } else if (truncate(part, which * 3000) != 0) {
                fail_msg("%s: was not cut", part);
            }
            trop_alloc_free(part);
            assert_int_equal(make(&job, "train", again), TROP_OK);
            snprintf(told, sizeof told, "checkpoint %lld cannot be used", (long long)which);
            if (!strstr(trop_job_notice(job), told)) {
                fail_msg("a bit of %s went unnoticed", names[k]);
            }
            assert_int_equal(trop_job_run(job, NULL, NULL), TROP_OK);
            trop_job_free(job);
            assert_same_run(one, two);
            unlink(two);
        }
    }
    forget();
}

static void what_cannot_be_resumed_is_refused(void **state)
{
    const char *again[] = { "resume", two, NULL };
    const char *less[] = { "resume", two, "steps", "199", NULL };
    const char *other[] = { "resume", two, "eta", "3", NULL };
    const char *fresh[32];
    const char *flow[] = { "n", "5", "steps", "999", "out", two, "checkpoint", "9", NULL };
    const char *json[] = { "data", "attsvm", "out", "x.json", "checkpoint", "2", NULL };
    const char *none[] = { "data", "attsvm", "checkpoint", "2", NULL };

    (void)state;
    assert_refused("train", again, TROP_ERR_IO, "no checkpoint");
    assert_refused("train", json, TROP_ERR_ARG, "needs an out that ends in .h5");
    assert_refused("train", none, TROP_ERR_ARG, "checkpoint: applies with out");
    stop_with_two_parts();
    fill(fresh, 1, two, "200");
    assert_refused("train", fresh, TROP_ERR_IO, "--resume");
    assert_refused("train", less, TROP_ERR_ARG, "steps = 199: the run was to take 200");
    assert_refused("train", other, TROP_ERR_ARG,
                   "eta: a resumed run keeps its options; only steps");
    assert_refused("flow", again, TROP_ERR_IO, "");
    for (int64_t part = 1; part <= 2; part++) {
        char *path = trop_parts_path(two, part);
        scratch_fill(path, "x", 1);
        trop_alloc_free(path);
    }
    assert_refused("train", again, TROP_ERR_IO, "no checkpoint of a training run can be used");
    scratch_empty();
    assert_int_equal(go("flow", flow, 9), TROP_ERR_STOPPED);
    assert_refused("train", again, TROP_ERR_IO, "they are of another verb");
    scratch_empty();
}

/* ---- killing ------------------------------------------------------------------------------ */

static void ten_kills_change_no_bit(void **state)
{
    int kills = 0;

    (void)state;
    for (uint64_t round = 0; kills < 10; round++) {
        const char *fresh[] = { "data",      "attsvm", "n",          "20",
                                "T",         "30",     "d",          "20",
                                "optimizer", "adam",   "batch",      round % 2 ? "7" : "0",
                                "steps",     "4000",   "checkpoint", "40",
                                "compare",   "none",   "threads",    "1",
                                "out",       one,      NULL };
        assert_true(round < 20);
        int status = 0;
        pid_t child = start("train", fresh);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        fresh[21] = two;
        kills += run_through_kills("train", fresh, two, 10 - kills < 5 ? 10 - kills : 5, round);
        assert_same_run(one, two);
        forget(); /* nor is anything left behind */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stopped_training_ends_as_if_it_had_not_been),
        cmocka_unit_test(a_training_is_resumed_with_more_steps),
        cmocka_unit_test(a_training_that_is_over_goes_on_with_more_steps),
        cmocka_unit_test(a_stopped_training_goes_on_in_the_same_process),
        cmocka_unit_test(a_resumed_training_needs_none_of_its_files),
        cmocka_unit_test(a_damaged_checkpoint_is_passed_over),
        cmocka_unit_test(what_cannot_be_resumed_is_refused),
        cmocka_unit_test(ten_kills_change_no_bit),
    };
    return cmocka_run_group_tests(tests, name_files, scratch_remove);
}
