/* test_file.c -- whole files in, whole files out, and nothing left behind. */
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "alloc_failing.c"
#include "io/file.h"
#include "scratch.h"

static void expect(const char *path, const char *text)
{
    unsigned char *bytes;
    int64_t size;

    assert_int_equal(trop_file_read(&bytes, &size, path), TROP_OK);
    assert_int_equal(size, strlen(text));
    assert_string_equal((char *)bytes, text);
    trop_alloc_free(bytes);
}

static void refuse_read(const char *path, const char *reason)
{
    unsigned char *bytes = NULL;
    int64_t size = -7;

    assert_int_equal(trop_file_read(&bytes, &size, path), TROP_ERR_IO);
    assert_non_null(strstr(trop_error(), path));
    assert_non_null(strstr(trop_error(), reason));
    assert_true(bytes == NULL && size == -7);
    assert_int_equal(alloc_live, 0);
}

static void refuse_write(const char *path, const char *reason)
{
    assert_int_equal(trop_file_write(path, "new", 3), TROP_ERR_IO);
    assert_non_null(strstr(trop_error(), path));
    assert_non_null(strstr(trop_error(), reason));
    assert_int_equal(alloc_live, 0);
}

static void what_was_written_is_read(void **state)
{
    (void)state;
    const char *path = scratch("a");

    assert_int_equal(trop_file_write(path, "hello", 5), TROP_OK);
    expect(path, "hello");
    assert_int_equal(trop_file_write(path, "", 0), TROP_OK);
    expect(path, "");
    assert_int_equal(scratch_count(), 1);
    unlink(path);
}

/* The path of a pipe that holds size bytes and has no writer; the caller closes
 * *end. A pipe does not say how long it is, so a reader has to grow. */
static const char *pipe_of(int *end, size_t size)
{
    static char path[64];
    int ends[2];
    char *bytes = malloc(size);

    memset(bytes, 'p', size);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], bytes, size), size);
    free(bytes);
    close(ends[1]);
    *end = ends[0];
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
    return path;
}

static void files_without_a_size_are_read_to_their_end(void **state)
{
    (void)state;
    unsigned char *bytes;
    int64_t size;
    int end;
    if (access("/proc/self/fd", F_OK) != 0) {
        skip();
    }
    const char *path = pipe_of(&end, 10000);
    assert_int_equal(trop_file_read(&bytes, &size, path), TROP_OK);
    assert_int_equal(size, 10000);
    assert_int_equal(strspn((char *)bytes, "p"), 10000);
    trop_alloc_free(bytes);
    close(end);
    expect("/dev/null", "");
}

static void a_limit_is_kept_before_and_while_reading(void **state)
{
    (void)state;
    unsigned char *bytes;
    int64_t size;
    const char *path = scratch("limit");

    scratch_fill(path, "12345", 5);
    alloc_refused = 0; /* it is refused before memory is asked for */
    assert_int_equal(trop_file_read_limit(&bytes, &size, path, 4), TROP_ERR_IO);
    alloc_refused = -1;
    assert_non_null(strstr(trop_error(), "larger than 4 bytes"));
    assert_int_equal(trop_file_read_limit(&bytes, &size, path, 5), TROP_OK);
    trop_alloc_free(bytes);
    assert_int_equal(trop_file_read_limit(&bytes, &size, "/dev/zero", 100000), TROP_ERR_IO);
    assert_non_null(strstr(trop_error(), "larger than 100000 bytes"));
    assert_int_equal(alloc_live, 0);
    unlink(path);
}

static void what_cannot_be_read_says_why(void **state)
{
    (void)state;
    refuse_read(scratch("absent"), "No such file");
    scratch("");
    refuse_read(scratch_folder, "Is a directory");
    const char *path = scratch("locked");
    scratch_fill(path, "x", 1);
    chmod(path, 0);
    if (access(path, R_OK) != 0) { /* root reads everything */
        refuse_read(path, "Permission denied");
    }
    unlink(path);
}

static void what_cannot_be_written_leaves_nothing(void **state)
{
    (void)state;
    refuse_write("/no/such/folder/x", "No such file");
    scratch("");
    refuse_write(scratch_folder, "Is a directory");
    refuse_write("/proc/tropism", "/proc/tropism");
    char name[300];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = 0;
    refuse_write(name, "too long");
    assert_int_equal(scratch_count(), 0);
}

/* A limit on the size of files is a full disk that a test may have: the write
 * stops half-way with EFBIG, where a full disk says ENOSPC. */
static void a_full_disk_keeps_the_old_file_and_leaves_no_other(void **state)
{
    (void)state;
    const char *path = scratch("full");
    static char bytes[100000];
    struct rlimit before, small;
    assert_int_equal(trop_file_write(path, "old", 3), TROP_OK);
    getrlimit(RLIMIT_FSIZE, &before);
    small = (struct rlimit){ .rlim_cur = 5000, .rlim_max = before.rlim_max };
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    enum trop_status status = trop_file_write(path, bytes, sizeof bytes);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(status, TROP_ERR_IO);
    assert_non_null(strstr(trop_error(), "File too large"));
    assert_int_equal(scratch_count(), 1);
    expect(path, "old");
    unlink(path);
}

/* Through links of our own: a writer that is broken then replaces the link, and
 * not the machine's device when root runs the tests. */
static void devices_are_written_straight(void **state)
{
    (void)state;
    const char *null = scratch("null");
    const char *full = scratch("full");
    struct stat about;
    if (access("/dev/full", W_OK) != 0) {
        skip();
    }
    assert_int_equal(symlink("/dev/null", null), 0);
    assert_int_equal(symlink("/dev/full", full), 0);
    assert_int_equal(trop_file_write(null, "x", 1), TROP_OK);
    refuse_write(full, "No space left");
    assert_int_equal(trop_file_check(full), TROP_OK);
    assert_int_equal(scratch_count(), 2);
    assert_true(stat(null, &about) == 0 && S_ISCHR(about.st_mode));
    assert_true(stat(full, &about) == 0 && S_ISCHR(about.st_mode));
    unlink(null);
    unlink(full);
}

static void a_link_stays_and_its_file_is_written(void **state)
{
    (void)state;
    const char *link = scratch("link.json"), *file = scratch("file.json");
    struct stat about;

    assert_int_equal(trop_file_write(file, "old", 3), TROP_OK);
    assert_int_equal(symlink("file.json", link), 0);
    assert_int_equal(trop_file_write(link, "new", 3), TROP_OK);
    assert_int_equal(lstat(link, &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    expect(file, "new");
    assert_int_equal(scratch_count(), 2);
    unlink(file); /* a link to nothing is replaced */
    assert_int_equal(trop_file_write(link, "own", 3), TROP_OK);
    assert_int_equal(lstat(link, &about), 0);
    assert_true(S_ISREG(about.st_mode));
    expect(link, "own");
    unlink(link);
    assert_int_equal(alloc_live, 0);
}

static void a_protected_file_is_not_replaced(void **state)
{
    (void)state;
    const char *path = scratch("protected");

    scratch_fill(path, "old", 3);
    chmod(path, 0444);
    if (access(path, W_OK) != 0) { /* root writes everything */
        refuse_write(path, "Permission denied");
        expect(path, "old");
    }
    unlink(path);
}

static void the_two_halves_rename_or_discard(void **state)
{
    (void)state;
    char *beside;
    const char *path = scratch("halves");

    assert_int_equal(trop_file_beside(&beside, path), TROP_OK);
    assert_string_not_equal(beside, path);
    assert_int_equal(access(path, F_OK), -1);
    scratch_fill(beside, "two", 3);
    assert_int_equal(trop_file_settle(beside, path), TROP_OK);
    trop_alloc_free(beside);
    expect(path, "two");
    assert_int_equal(trop_file_beside(&beside, path), TROP_OK);
    trop_file_discard(beside, path);
    assert_int_equal(scratch_count(), 1);
    assert_int_equal(trop_file_settle(beside, path), TROP_ERR_IO); /* it is gone */
    trop_alloc_free(beside);
    unlink(path);
    /* The name is taken by a folder meanwhile: the temporary file goes. */
    assert_int_equal(trop_file_beside(&beside, path), TROP_OK);
    assert_int_equal(mkdir(path, 0777), 0);
    assert_int_equal(trop_file_settle(beside, path), TROP_ERR_IO);
    assert_int_equal(scratch_count(), 1);
    trop_alloc_free(beside);
    assert_int_equal(alloc_live, 0);
    rmdir(path);
}

static void a_check_tells_and_leaves_nothing(void **state)
{
    (void)state;
    assert_int_equal(trop_file_check(scratch("c")), TROP_OK);
    assert_int_equal(scratch_count(), 0);
    assert_int_equal(trop_file_check("/no/such/folder/x"), TROP_ERR_IO);
    assert_int_equal(alloc_live, 0);
}

static enum trop_status write_and_read(void)
{
    static char text[10000];
    const char *path = scratch("memory");
    unsigned char *bytes;
    int64_t size;
    enum trop_status status = trop_file_write(path, text, sizeof text);

    if (status == TROP_OK) {
        status = trop_file_read(&bytes, &size, path);
    }
    if (status == TROP_OK) {
        int end;
        trop_alloc_free(bytes);
        status = trop_file_read(&bytes, &size, pipe_of(&end, 10000));
        close(end);
    }
    if (status == TROP_OK) {
        trop_alloc_free(bytes);
    }
    unlink(path);
    return status;
}

static void every_refused_allocation_is_survived(void **state)
{
    (void)state;
    alloc_refuse_each(write_and_read);
    assert_int_equal(scratch_count(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written_is_read),
        cmocka_unit_test(files_without_a_size_are_read_to_their_end),
        cmocka_unit_test(a_limit_is_kept_before_and_while_reading),
        cmocka_unit_test(what_cannot_be_read_says_why),
        cmocka_unit_test(what_cannot_be_written_leaves_nothing),
        cmocka_unit_test(a_full_disk_keeps_the_old_file_and_leaves_no_other),
        cmocka_unit_test(devices_are_written_straight),
        cmocka_unit_test(a_link_stays_and_its_file_is_written),
        cmocka_unit_test(a_protected_file_is_not_replaced),
        cmocka_unit_test(the_two_halves_rename_or_discard),
        cmocka_unit_test(a_check_tells_and_leaves_nothing),
        cmocka_unit_test(every_refused_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_remove);
}
