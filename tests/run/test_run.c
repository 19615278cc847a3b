/* test_run.c -- recorded runs: what their files hold, and that stopping, killing and
 * resuming them changes no bit.
 *
 * Files of equal runs have equal bytes but for the 8 of /clock/seconds: the HDF5 writer
 * keeps no times and no order of its own. TROP_BUILD is the folder of the program. */
#include "support.h"

#include <fcntl.h>
#include <hdf5.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "base/alloc.h"
#include "io/file.h"
#include "io/h5/h5.h"
#include "io/npy.h"
#include "run/parts.h"
#include "scratch.h"
#include "tropism_lab.h"

/* ---- comparing ------------------------------------------------------------------------- */

/* Two results are the same but for one number, the seconds. */
static void assert_same_run(const char *a, const char *b)
{
    unsigned char *one = NULL, *two = NULL;
    int64_t size_one = 0, size_two = 0, first = -1, last = -1;

    assert_int_equal(trop_file_read(&one, &size_one, a), TROP_OK);
    assert_int_equal(trop_file_read(&two, &size_two, b), TROP_OK);
    assert_int_equal(size_one, size_two);
    for (int64_t k = 0; k < size_one; k++) {
        if (one[k] != two[k]) {
            first = first < 0 ? k : first;
            last = k;
        }
    }
    if (last - first >= 8) {
        fail_msg("%s and %s differ from byte %lld to %lld", a, b, (long long)first,
                 (long long)last);
    }
    trop_alloc_free(one);
    trop_alloc_free(two);
}

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

static int exists(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0;
}

/* ---- runs in this process ---------------------------------------------------------------- */

static struct trop_setup *setup_of(const char *const *pairs)
{
    struct trop_setup *setup = NULL;

    assert_int_equal(trop_setup_create(&setup, "flow"), TROP_OK);
    for (; *pairs; pairs += 2) {
        if (trop_setup_set(setup, pairs[0], pairs[1]) != TROP_OK) {
            fail_msg("%s", trop_error());
        }
    }
    return setup;
}

static enum trop_status make(struct trop_job **run, const char *const *pairs)
{
    struct trop_setup *setup = setup_of(pairs);
    enum trop_status status = trop_job_create(run, setup);

    trop_setup_free(setup);
    return status;
}

static int stop_at(void *context, int64_t done, int64_t total)
{
    (void)total;
    return done >= *(int64_t *)context;
}

/* Runs, stopping at the first question from step on; -1: never. */
static enum trop_status go(const char *const *pairs, int64_t step)
{
    struct trop_job *run = NULL;
    enum trop_status status = make(&run, pairs);

    if (status != TROP_OK) {
        fail_msg("%s", trop_error());
    }
    status = trop_job_run(run, step >= 0 ? stop_at : NULL, &step);
    trop_job_free(run);
    return status;
}

static enum trop_status resume(const char *out, int64_t step)
{
    const char *pairs[] = { "resume", out, NULL };
    return go(pairs, step);
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
        assert_int_equal(go(whole, -1), TROP_OK);
        assert_int_equal(go(parted, 0), TROP_ERR_STOPPED);
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

static void a_stopped_run_goes_on_in_the_same_process(void **state)
{
    struct trop_job *run = NULL;
    const char *pairs[32];
    int64_t step = 20;
    (void)state;
    fill(pairs, 0, scratch("one.h5"), "50");
    assert_int_equal(go(pairs, -1), TROP_OK);
    fill(pairs, 0, scratch("two.h5"), "50");
    assert_int_equal(make(&run, pairs), TROP_OK);
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
        assert_int_equal(go(pairs, round ? 40 : -1), round ? TROP_ERR_STOPPED : TROP_OK);
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
    assert_int_equal(go(pairs, -1), TROP_OK);
    for (int how = 0; how < 3; how++) {
        const char *again[] = { "resume", two, NULL };
        struct trop_job *run = NULL;
        int64_t parts = 0;
        fill(pairs, 0, two, "70");
        assert_int_equal(go(pairs, 200), TROP_ERR_STOPPED);
        assert_int_equal(trop_parts_count(&parts, two), TROP_OK);
        assert_true(parts >= 3);
        char *last = trop_parts_path(two, parts);
        damage(last, how);
        /* what a writer leaves that is killed before it renames */
        scratch_fill(scratch("two.h5.tmp-77"), "x", 1);
        scratch_fill(scratch("two.h5.parts/000009.h5.tmp-77"), "x", 1);
        trop_alloc_free(last);
        assert_int_equal(make(&run, again), TROP_OK);
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

/* Flips a bit of a dataset. */
static void flip_dataset(hid_t file, const char *name)
{
    unsigned char bytes[4096] = { 0 };
    hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT), type = H5Dget_type(dataset);

    assert_true(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) >= 0);
    bytes[0] ^= 1;
    assert_true(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) >= 0);
    H5Tclose(type);
    H5Dclose(dataset);
}

/* Flips a bit of an option: "4" becomes "5". */
static void flip_option(hid_t file, const char *name)
{
    unsigned char bytes[256] = { 0 };
    hid_t options = H5Gopen2(file, "/options", H5P_DEFAULT);
    hid_t attribute = H5Aopen(options, name, H5P_DEFAULT), type = H5Aget_type(attribute);
    hid_t space = H5Aget_space(attribute);

    assert_true(H5Aread(attribute, type, bytes) >= 0);
    bytes[0] ^= 1;
    H5Aclose(attribute);
    assert_true(H5Adelete(options, name) >= 0);
    attribute = H5Acreate2(options, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Awrite(attribute, type, bytes) >= 0);
    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
    H5Gclose(options);
}

static void flip(const char *path, const char *name)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);

    assert_true(file >= 0);
    if (name[0] == '/') {
        flip_dataset(file, name);
    } else {
        flip_option(file, name);
    }
    H5Fclose(file);
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
    assert_int_equal(go(pairs, 100), TROP_ERR_STOPPED);
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
        const enum trop_status status = make(&run, again);
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
    assert_int_equal(make(&run, again), TROP_OK);
    assert_non_null(strstr(trop_job_notice(run), "no seal"));
    assert_non_null(strstr(trop_job_notice(run), "options and input were not"));
    assert_int_equal(trop_job_run(run, NULL, NULL), TROP_OK);
    trop_job_free(run);
    assert_same_run(one, two);
    unlink(one);
    unlink(two);
    assert_int_equal(scratch_count(), 0);
}

static void assert_refused(const char *const *pairs, enum trop_status expected, const char *words)
{
    struct trop_job *run = NULL;

    assert_int_equal(make(&run, pairs), expected);
    if (!strstr(trop_error(), words)) {
        fail_msg("\"%s\" does not say \"%s\"", trop_error(), words);
    }
}

static void what_cannot_be_resumed_is_refused(void **state)
{
    char out[256];
    const char *fresh[32];
    (void)state;
    snprintf(out, sizeof out, "%s", scratch("one.h5"));
    const char *again[] = { "resume", out, NULL };
    const char *more[] = { "resume", out, "n", "7", NULL };
    assert_refused(again, TROP_ERR_IO, "no checkpoint");
    fill(fresh, 0, out, "50");
    assert_int_equal(go(fresh, 100), TROP_ERR_STOPPED);
    assert_refused(more, TROP_ERR_ARG, "keeps its options");
    assert_refused(fresh, TROP_ERR_IO, "--resume");
    assert_int_equal(resume(out, -1), TROP_OK);
    assert_refused(again, TROP_ERR_IO, "finished");
    unlink(out);
    assert_int_equal(scratch_count(), 0);
}

/* ---- killing -------------------------------------------------------------------------------- */

static pid_t start(const char *const *pairs)
{
    char program[512], names[32][64];
    const char *argv[64] = { program, "flow" };
    int count = 2;

    snprintf(program, sizeof program, "%s/tropism", getenv("TROP_BUILD"));
    for (int k = 0; pairs[k]; k += 2) {
        snprintf(names[k / 2], sizeof names[0], "--%s", pairs[k]);
        argv[count++] = names[k / 2];
        argv[count++] = pairs[k + 1];
    }
    pid_t child = fork();
    if (child == 0) {
        int null = open("/dev/null", O_RDWR);
        dup2(null, 1);
        dup2(null, 2);
        execv(program, (char **)argv);
        _exit(98);
    }
    return child;
}

/* Kills the child after some milliseconds; 1 when it was killed, 0 when it had ended. */
static int kill_after(pid_t child, double milliseconds)
{
    int status = 0;

    nanosleep(&(struct timespec){ .tv_nsec = (long)(1e6 * milliseconds) }, NULL);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status)) {
        assert_int_equal(WEXITSTATUS(status), 0);
    }
    return WIFSIGNALED(status);
}

/* Runs to the end through at most kills kills; returns how many there were. */
static int run_through_kills(const char *const *fresh, const char *out, int kills, uint64_t round)
{
    const char *again[] = { "resume", out, NULL };
    int64_t parts = 0;
    int killed = 0;

    for (int k = 0; k < kills; k++) {
        /* Killed before its first checkpoint, a run begins anew. */
        assert_int_equal(trop_parts_count(&parts, out), TROP_OK);
        double wait = 20 + 130 * trop_rng_uniform(5, TROP_RNG_TEST, round, (uint64_t)k);
        if (!kill_after(start(parts > 0 ? again : fresh), wait)) {
            return killed;
        }
        killed++;
    }
    assert_int_equal(trop_parts_count(&parts, out), TROP_OK);
    int status = 0;
    pid_t child = start(parts > 0 ? again : fresh);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return killed;
}

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
        pid_t child = start(fresh);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        fresh[21] = two;
        kills += run_through_kills(fresh, two, 20 - kills < 7 ? 20 - kills : 7, round);
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
