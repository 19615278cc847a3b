/* run_support.h -- runs that are stopped, killed and resumed. TROP_BUILD is the folder of the
 * program. */
#ifndef TROP_TESTS_RUN_SUPPORT_H
#define TROP_TESTS_RUN_SUPPORT_H

#include "support.h"

#include <fcntl.h>
#include <hdf5.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "base/alloc.h"
#include "base/rng.h"
#include "io/file.h"
#include "run/parts.h"
#include "scratch.h"
#include "tropism_lab.h"

/* ---- in this process ----*/

/* Two results are the same but for one number, the seconds. */
static inline void assert_same_run(const char *a, const char *b)
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

static inline int exists(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0;
}

static inline struct trop_setup *setup_of(const char *verb, const char *const *pairs)
{
    struct trop_setup *setup = NULL;

    assert_int_equal(trop_setup_create(&setup, verb), TROP_OK);
    for (; *pairs; pairs += 2) {
        if (trop_setup_set(setup, pairs[0], pairs[1]) != TROP_OK) {
            fail_msg("%s", trop_error());
        }
    }
    return setup;
}

static inline enum trop_status make(struct trop_job **run, const char *verb,
                                    const char *const *pairs)
{
    struct trop_setup *setup = setup_of(verb, pairs);
    enum trop_status status = trop_job_create(run, setup);

    trop_setup_free(setup);
    return status;
}

static inline int stop_at(void *context, int64_t done, int64_t total)
{
    (void)total;
    return done >= *(int64_t *)context;
}

/* Runs, stopping at the first question from step on; -1: never. */
static inline enum trop_status go(const char *verb, const char *const *pairs, int64_t step)
{
    struct trop_job *run = NULL;
    enum trop_status status = make(&run, verb, pairs);

    if (status != TROP_OK) {
        fail_msg("%s", trop_error());
    }
    status = trop_job_run(run, step >= 0 ? stop_at : NULL, &step);
    trop_job_free(run);
    return status;
}

static inline void assert_refused(const char *verb, const char *const *pairs,
                                  enum trop_status expected, const char *words)
{
    struct trop_job *run = NULL;

    assert_int_equal(make(&run, verb, pairs), expected);
    if (!strstr(trop_error(), words)) {
        fail_msg("\"%s\" does not say \"%s\"", trop_error(), words);
    }
}

/* ---- damage ---- */

/* Flips a bit of a dataset. */
static inline void flip_dataset(hid_t file, const char *name)
{
    hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT), type = H5Dget_type(dataset);
    unsigned char *bytes = malloc(H5Dget_storage_size(dataset) + 8);

    assert_true(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) >= 0);
    bytes[0] ^= 1;
    assert_true(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) >= 0);
    free(bytes);
    H5Tclose(type);
    H5Dclose(dataset);
}

/* Flips a bit of an option: "4" becomes "5". */
static inline void flip_option(hid_t file, const char *name)
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

static inline void flip(const char *path, const char *name)
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

/* ---- killing ---- */

static inline pid_t start(const char *verb, const char *const *pairs)
{
    char program[512], names[32][64];
    const char *argv[64] = { program, verb };
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
static inline int kill_after(pid_t child, double milliseconds)
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
static inline int run_through_kills(const char *verb, const char *const *fresh, const char *out,
                                    int kills, uint64_t round)
{
    const char *again[] = { "resume", out, NULL };
    int64_t parts = 0;
    int killed = 0;

    for (int k = 0; k < kills; k++) {
        /* Killed before its first checkpoint, a run begins anew. */
        assert_int_equal(trop_parts_count(&parts, out), TROP_OK);
        double wait = 20 + 130 * trop_rng_uniform(5, TROP_RNG_TEST, round, (uint64_t)k);
        if (!kill_after(start(verb, parts > 0 ? again : fresh), wait)) {
            return killed;
        }
        killed++;
    }
    assert_int_equal(trop_parts_count(&parts, out), TROP_OK);
    int status = 0;
    pid_t child = start(verb, parts > 0 ? again : fresh);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return killed;
}

#endif
