/* test_run.c -- recorded runs: what their files hold, and that stopping, killing and
 * resuming them changes no bit.
 *
 * Files of equal runs have equal bytes but for the 8 of /clock/seconds: the HDF5 writer
 * keeps no times and no order of its own. TROP_BUILD is the folder of the program. */
#include "run_support.h"

#include "io/h5/h5.h"
#include "io/npy.h"

/* ---- comparing ------------------------------------------------------------------------- */

/* The bits of a dataset, and that the two files agree where it counts. */
static void assert_same_numbers(const char *a, const char *b, const char *name)
{
    struct trop_h5 *one = NULL, *two = NULL;
    struct trop_array x = { 0 }, y = { 0 };

    assert_int_equal(trop_h5_open(&one, a), TROP_OK);
    assert_int_equal(trop_h5_open(&two, b), TROP_OK);
    assert_int_equal(trop_h5_numbers(&x, one, name), TROP_OK);
    assert_int_equal(trop_h5_numbers(&y, two, name), TROP_OK);
    assert_int_equal(x.rank, y.rank);
    assert_memory_equal(x.shape, y.shape, (size_t)x.rank * sizeof *x.shape);
    int64_t count = trop_array_count(x.rank, x.shape);
    assert_true(count > 0);
    assert_memory_equal(x.data, y.data, (size_t)count * 8);
    trop_array_free(&x);
    trop_array_free(&y);
    trop_h5_abandon(one);
    trop_h5_abandon(two);
}

/* ---- runs in this process ---------------------------------------------------------------- */

static enum trop_status resume(const char *out, int64_t step)
{
    const char *pairs[] = { "resume", out, NULL };
    return go("flow", pairs, step);
}

/* Every dynamics, with what each has of its own: random draws, an adaptive step size,
 * merged tokens, the try for a certificate. */
static const char *const flows[][12] = {
    { "rule", "softmax", "beta", "4", "gamma", "fw", "steps", "400" },
    { "dynamics", "chain", "rule", "softmax", "beta", "3", "steps", "400" },
    { "dynamics", "sa", "init", "sphere", "rule", "softmax", "beta", "4", "time", "40" },
    { "rule", "localmax", "epsilon", "0.02", "merge", "auto", "until", "converged" },
    { "rule", "hardmax", "mask", "causal", "alpha", "0.1", "steps", "300" },
    { "dynamics", "ode", "rule", "hardmax", "time", "20" },
};

static void fill(const char **pairs, size_t which, const char *out, const char *checkpoint)
{
    const char *rest[] = { "n",     "24", "d",          "3",
                           "out",   out,  "record",     "residual,clusters,tokens",
                           "every", "7",  "checkpoint", checkpoint,
                           NULL };
    int count = 0;

    for (int k = 0; k < 12 && flows[which][k]; k++) {
        pairs[count++] = flows[which][k];
    }
    memcpy(pairs + count, rest, sizeof rest);
}

static void a_stopped_run_ends_as_if_it_had_not_been(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof flows / sizeof flows[0]; k++) {
        const char *whole[32], *parted[32];
        char one[256], two[256];
        snprintf(one, sizeof one, "%s", scratch("one.h5"));
        snprintf(two, sizeof two, "%s", scratch("two.h5"));
        fill(whole, k, one, "5");
        fill(parted, k, two, "5");
        assert_int_equal(go("flow", whole, -1), TROP_OK);
        assert_int_equal(go("flow", parted, 0), TROP_ERR_STOPPED);
        assert_true(exists(two)); /* what there is so far */
        /* A run in few pieces may end before the later stops. */
        const int64_t stops[] = { 1, 3, 10, -1 };
        enum trop_status status = TROP_ERR_STOPPED;
        for (int stop = 0; stop < 4 && status == TROP_ERR_STOPPED; stop++) {
            status = resume(two, stops[stop]);
        }
        assert_int_equal(status, TROP_OK);
        assert_same_numbers(one, two, "/record/tokens");
        assert_same_numbers(one, two, "/record/step");
        assert_same_numbers(one, two, "/result/tokens");
        assert_same_run(one, two);
        unlink(one);
        unlink(two);
        assert_int_equal(scratch_count(), 0);
    }
}

/* Options that were left alone are not told as if they had been given. */
static void a_resumed_run_tells_the_options_of_the_whole(void **state)
{
    struct trop_job *whole = NULL, *rest = NULL;
    const char *pairs[32], *text[2], *name = "";
    char two[256];

    (void)state;
    snprintf(two, sizeof two, "%s", scratch("two.h5"));
    fill(pairs, 0, scratch("one.h5"), "5");
    assert_int_equal(make(&whole, "flow", pairs), TROP_OK);
    fill(pairs, 0, two, "5");
    assert_int_equal(go("flow", pairs, 0), TROP_ERR_STOPPED);
    const char *again[] = { "resume", two, NULL };
    assert_int_equal(make(&rest, "flow", again), TROP_OK);
    for (int64_t k = 0; name; k++) {
        name = trop_job_option(text, whole, k);
        const char *other = trop_job_option(text + 1, rest, k);
        assert_string_equal(name ? name : "the end", other ? other : "the end");
        if (name) {
            assert_string_equal(text[0], text[1]);
        }
    }
    trop_job_free(whole);
    assert_int_equal(trop_job_run(rest, NULL, NULL), TROP_OK);
    trop_job_free(rest);
    unlink(two);
    assert_int_equal(scratch_count(), 0);
}

static void a_stopped_run_goes_on_in_the_same_process(void **state)
{
    struct trop_job *run = NULL;
    const char *pairs[32];
    int64_t step = 20;
    (void)state;
    fill(pairs, 0, scratch("one.h5"), "50");
    assert_int_equal(go("flow", pairs, -1), TROP_OK);
    fill(pairs, 0, scratch("two.h5"), "50");
    assert_int_equal(make(&run, "flow", pairs), TROP_OK);
    assert_int_equal(trop_job_run(run, stop_at, &step), TROP_ERR_STOPPED);
    assert_true(trop_job_resumable(run));
    assert_int_equal(trop_job_run(run, NULL, NULL), TROP_OK);
    assert_false(trop_job_resumable(run));
    trop_job_free(run);
    assert_same_run(scratch("one.h5"), scratch("two.h5"));
    unlink(scratch("one.h5"));
    unlink(scratch("two.h5"));
    assert_int_equal(scratch_count(), 0);
}

/* What the run was given is in the parts: the files themselves are not needed again. */
static void a_resumed_run_needs_none_of_its_input_files(void **state)
{
    const double tokens[] = { 1, .2, -.5, .8, .3, -1, .9, .9 }, masses[] = { 1, 2, 3, 1 };
    const double b[] = { 1, .5, -.25, 2 }, gamma[] = { .5, .25, .125, .1 };
    const char *files[] = { "x.npy", "m.npy", "b.npy", "g.npy" };
    (void)state;
    for (int round = 0; round < 2; round++) {
        char x[256], m[256], kq[256], g[256], at[260];
        snprintf(x, sizeof x, "%s", scratch(files[0]));
        snprintf(m, sizeof m, "%s", scratch(files[1]));
        snprintf(kq, sizeof kq, "%s", scratch(files[2]));
        snprintf(g, sizeof g, "%s", scratch(files[3]));
        snprintf(at, sizeof at, "@%s", g);
        assert_int_equal(trop_npy_write(x, tokens, 2, (int64_t[]){ 4, 2 }), TROP_OK);
        assert_int_equal(trop_npy_write(m, masses, 1, (int64_t[]){ 4 }), TROP_OK);
        assert_int_equal(trop_npy_write(kq, b, 2, (int64_t[]){ 2, 2 }), TROP_OK);
        assert_int_equal(trop_npy_write(g, gamma, 1, (int64_t[]){ 4 }), TROP_OK);
        const char *out = round ? scratch("two.h5") : scratch("one.h5");
        const char *pairs[] = { "tokens", x,     "masses", m,   "key_query",  kq,   "gamma", at,
                                "steps",  "100", "out",    out, "checkpoint", "10", NULL };
        assert_int_equal(go("flow", pairs, round ? 40 : -1), round ? TROP_ERR_STOPPED : TROP_OK);
        for (int k = 0; k < 4; k++) {
            unlink(scratch(files[k]));
        }
    }
    assert_int_equal(resume(scratch("two.h5"), -1), TROP_OK);
    assert_same_run(scratch("one.h5"), scratch("two.h5"));
    assert_same_numbers(scratch("one.h5"), scratch("two.h5"), "/input/gamma");
    unlink(scratch("one.h5"));
    unlink(scratch("two.h5"));
}

/* ---- damage --------------------------------------------------------------------------------- */

static void damage(const char *path, int how)
{
    unsigned char *bytes = NULL;
    int64_t size = 0;

    assert_int_equal(trop_file_read(&bytes, &size, path), TROP_OK);
    if (how == 0) {
        size /= 8; /* cut; the end of a small file is padding */
    } else if (how == 1) {
        size = 0;
    } else {
        /* One bit of a token: HDF5 itself would not notice. */
        double token = 0;
        struct trop_h5 *h5 = NULL;
        struct trop_array array = { 0 };
        assert_int_equal(trop_h5_open(&h5, path), TROP_OK);
        assert_int_equal(trop_h5_numbers(&array, h5, "/record/tokens"), TROP_OK);
        token = array.data[0];
        trop_array_free(&array);
        trop_h5_abandon(h5);
        for (int64_t k = 0; k + 8 <= size; k++) {
            if (memcmp(bytes + k, &token, 8) == 0) {
                bytes[k] ^= 1;
            }
        }
    }
    scratch_fill(path, bytes, (size_t)size);
    trop_alloc_free(bytes);
}

static void a_damaged_part_is_passed_over(void **state)
{
    const char *pairs[32];
    char one[256], two[256];
    (void)state;
    snprintf(one, sizeof one, "%s", scratch("one.h5"));
    snprintf(two, sizeof two, "%s", scratch("two.h5"));
    fill(pairs, 0, one, "70");
    assert_int_equal(go("flow", pairs, -1), TROP_OK);
    for (int how = 0; how < 3; how++) {
        const char *again[] = { "resume", two, NULL };
        struct trop_job *run = NULL;
        int64_t parts = 0;
        fill(pairs, 0, two, "70");
        assert_int_equal(go("flow", pairs, 200), TROP_ERR_STOPPED);
        assert_int_equal(trop_parts_count(&parts, two), TROP_OK);
        assert_true(parts >= 3);
        char *last = trop_parts_path(two, parts);
        damage(last, how);
        /* what a writer leaves that is killed before it renames */
        scratch_fill(scratch("two.h5.tmp-77"), "x", 1);
        scratch_fill(scratch("two.h5.parts/000009.h5.tmp-77"), "x", 1);
        trop_alloc_free(last);
        assert_int_equal(make(&run, "flow", again), TROP_OK);
        if (!strstr(trop_job_notice(run), "cannot be used")) {
            fail_msg("damage %d to part %lld went unnoticed", how, (long long)parts);
        }
        assert_int_equal(trop_job_run(run, NULL, NULL), TROP_OK);
        trop_job_free(run);
        assert_same_run(one, two);
        unlink(two);
    }
    unlink(one);
    assert_int_equal(scratch_count(), 0);
}

static void remove_seal(const char *path)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);

    assert_true(file >= 0 && H5Adelete(file, "seal") >= 0);
    H5Fclose(file);
}

/* A run with everything that can come from a file, stopped with three parts or more. */
static void stop_given_run(const char *out)
{
    static const double x[] = { 1, .3, -.1, .1, -1, -1, 0, .25 }, b[] = { 1, .2, .1, .9 };
    static const double list[] = { 1, 2, 3 }, masses[] = { 1, 2, 1, .5 };
    const char *const files_of[] = { "x.npy", "b.npy", "l.npy", "m.npy" };
    char names[5][300];

    assert_int_equal(trop_npy_write(scratch("x.npy"), x, 2, (int64_t[]){ 4, 2 }), TROP_OK);
    assert_int_equal(trop_npy_write(scratch("b.npy"), b, 2, (int64_t[]){ 2, 2 }), TROP_OK);
    assert_int_equal(trop_npy_write(scratch("l.npy"), list, 1, (int64_t[]){ 3 }), TROP_OK);
    assert_int_equal(trop_npy_write(scratch("m.npy"), masses, 1, (int64_t[]){ 4 }), TROP_OK);
    for (int k = 0; k < 4; k++) {
        snprintf(names[k], sizeof names[k], "%s", scratch(files_of[k]));
    }
    snprintf(names[4], sizeof names[4], "@%.255s", names[2]);
    const char *pairs[] = { "tokens", names[0], "key_query", names[1],  "beta",       names[4],
                            "masses", names[3], "rule",      "softmax", "gamma",      "0.4",
                            "steps",  "300",    "out",       out,       "checkpoint", "50",
                            "record", "tokens", NULL };
    assert_int_equal(go("flow", pairs, 100), TROP_ERR_STOPPED);
    for (int k = 0; k < 4; k++) {
        unlink(names[k]);
    }
}

static void clear_parts(const char *out)
{
    char command[600];

    snprintf(command, sizeof command, "rm -r %s %s.parts", out, out);
    assert_int_equal(system(command), 0);
}

/* Nothing that a run depends on may change unnoticed: in the last part it is passed over, in the
 * first one there is nothing to go on from. */
static void one_bit_of_what_a_run_depends_on_is_noticed(void **state)
{
    static const char *const names[] = { "gamma",          "rule",          "/input/tokens",
                                         "/input/masses",  "/input/beta",   "/input/key_query",
                                         "/record/tokens", "/record/step",  "/checkpoint/state",
                                         "steps",          "/clock/seconds" };
    char out[256];

    (void)state;
    snprintf(out, sizeof out, "%s", scratch("one.h5"));
    const char *again[] = { "resume", out, NULL };
    for (size_t k = 0; k < 2 * sizeof names / sizeof names[0]; k++) {
        struct trop_job *run = NULL;
        int64_t parts = 0;
        stop_given_run(out);
        assert_int_equal(trop_parts_count(&parts, out), TROP_OK);
        assert_true(parts >= 3);
        char *path = trop_parts_path(out, k % 2 ? parts : 1);
        flip(path, names[k / 2]);
        trop_alloc_free(path);
        const enum trop_status status = make(&run, "flow", again);
        if (status != (k % 2 ? TROP_OK : TROP_ERR_IO) ||
            !strstr(k % 2 ? trop_job_notice(run) : trop_error(), "seal is broken")) {
            fail_msg("a bit of %s in part %lld: status %d, %s", names[k / 2],
                     (long long)(k % 2 ? parts : 1), (int)status,
                     run ? trop_job_notice(run) : trop_error());
        }
        trop_job_free(run);
        clear_parts(out);
    }
    assert_int_equal(scratch_count(), 0);
}

/* Checkpoints of before there were seals. */
static void parts_without_a_seal_are_gone_on_with_and_told(void **state)
{
    char one[256], two[256];

    (void)state;
    snprintf(one, sizeof one, "%s", scratch("one.h5"));
    snprintf(two, sizeof two, "%s", scratch("two.h5"));
    const char *again[] = { "resume", two, NULL };
    struct trop_job *run = NULL;
    int64_t parts = 0;
    stop_given_run(one);
    assert_int_equal(resume(one, -1), TROP_OK);
    stop_given_run(two);
    assert_int_equal(trop_parts_count(&parts, two), TROP_OK);
    for (int64_t k = 1; k <= parts; k++) {
        char *path = trop_parts_path(two, k);
        remove_seal(path);
        trop_alloc_free(path);
    }
    assert_int_equal(make(&run, "flow", again), TROP_OK);
    assert_non_null(strstr(trop_job_notice(run), "no seal"));
    assert_non_null(strstr(trop_job_notice(run), "options and input were not"));
    assert_int_equal(trop_job_run(run, NULL, NULL), TROP_OK);
    trop_job_free(run);
    assert_same_run(one, two);
    unlink(one);
    unlink(two);
    assert_int_equal(scratch_count(), 0);
}

static void what_cannot_be_resumed_is_refused(void **state)
{
    char out[256];
    const char *fresh[32];
    (void)state;
    snprintf(out, sizeof out, "%s", scratch("one.h5"));
    const char *again[] = { "resume", out, NULL };
    const char *more[] = { "resume", out, "n", "7", NULL };
    assert_refused("flow", again, TROP_ERR_IO, "no checkpoint");
    fill(fresh, 0, out, "50");
    assert_int_equal(go("flow", fresh, 100), TROP_ERR_STOPPED);
    assert_refused("flow", more, TROP_ERR_ARG, "keeps its options");
    assert_refused("flow", fresh, TROP_ERR_IO, "--resume");
    assert_int_equal(resume(out, -1), TROP_OK);
    assert_refused("flow", again, TROP_ERR_IO, "finished");
    unlink(out);
    assert_int_equal(scratch_count(), 0);
}

/* ---- killing -------------------------------------------------------------------------------- */

static void twenty_kills_change_no_bit(void **state)
{
    static const char *const lengths[] = { "12000", "6000" };
    int kills = 0;
    (void)state;
    for (uint64_t round = 0; kills < 20; round++) {
        char one[256], two[256];
        const char *fresh[40] = { "steps",      lengths[round % 2],
                                  "rule",       "softmax",
                                  "beta",       "4",
                                  "dynamics",   round % 2 ? "chain" : "layer",
                                  "n",          "40",
                                  "d",          "3",
                                  "record",     "residual,tokens",
                                  "every",      "10",
                                  "checkpoint", "60",
                                  "threads",    "1",
                                  "out",        NULL,
                                  NULL };
        assert_true(round < 20);
        snprintf(one, sizeof one, "%s", scratch("one.h5"));
        snprintf(two, sizeof two, "%s", scratch("two.h5"));
        fresh[21] = one;
        int status = 0;
        pid_t child = start("flow", fresh);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        fresh[21] = two;
        kills += run_through_kills("flow", fresh, two, 20 - kills < 7 ? 20 - kills : 7, round);
        assert_same_run(one, two);
        assert_same_numbers(one, two, "/record/tokens");
        unlink(one);
        unlink(two);
        assert_int_equal(scratch_count(), 0); /* nor is anything left behind */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stopped_run_ends_as_if_it_had_not_been),
        cmocka_unit_test(a_resumed_run_tells_the_options_of_the_whole),
        cmocka_unit_test(a_stopped_run_goes_on_in_the_same_process),
        cmocka_unit_test(a_resumed_run_needs_none_of_its_input_files),
        cmocka_unit_test(a_damaged_part_is_passed_over),
        cmocka_unit_test(one_bit_of_what_a_run_depends_on_is_noticed),
        cmocka_unit_test(parts_without_a_seal_are_gone_on_with_and_told),
        cmocka_unit_test(what_cannot_be_resumed_is_refused),
        cmocka_unit_test(twenty_kills_change_no_bit),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_remove);
}
