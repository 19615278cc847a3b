/* test_study_catalogue.c -- merging logs into a catalogue: any order, any kill, any folder. */
#include "study_support.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

/* Two shards in "a", a third in "b", and a run that came to nothing at every fourth point. */
static const struct fake_log logs[] = {
    { "a", "1-0", 100, 0, POINTS, 3, 0, 0 },
    { "a", "1-1", 100, 1, POINTS, 3, 4, TROP_STUDY_FAILED },
    { "b", "2-0", 200, 1, POINTS, 3, 10, TROP_STUDY_LATE },
    { "b", "2-1", 200, 2, POINTS, 3, 4, TROP_STUDY_FAILED },
    { 0 },
};
/* The same, told the other way round. */
static const struct fake_log turned[] = {
    { "b", "2-1", 200, 2, POINTS, 3, 4, TROP_STUDY_FAILED },
    { "b", "2-0", 200, 1, POINTS, 3, 10, TROP_STUDY_LATE },
    { "a", "1-1", 100, 1, POINTS, 3, 4, TROP_STUDY_FAILED },
    { "a", "1-0", 100, 0, POINTS, 3, 0, 0 },
    { 0 },
};

static char *undisturbed(const char *dir)
{
    fake_logs = logs;
    merged(dir, (const char *const[]){ dir_b, NULL });
    char *text = dump(dir);
    drop(dir);
    return text;
}

/* ---- rows ---- */

static void rows_are_those_of_the_records(void **state)
{
    const char *dir = dir_a;

    (void)state;
    fake_logs = logs;
    merged(dir, (const char *const[]){ dir_b, NULL });
    assert_rows(dir, "SELECT count(*) FROM points JOIN results USING (point)", "900 -1 \n");
    assert_rows(dir,
                "SELECT rule, epsilon, seed, typeof(epsilon), typeof(seed), clusters, converged,"
                " typeof(diameter), \"certificate.kind\", state, sentence"
                " FROM points JOIN results USING (point) WHERE point = 353",
                "-1 -1 softmax|-1 0.20000000000000001 |4 -1 |-1 -1 real|-1 -1 integer|11 -1 |0 -1 |"
                "-1 -1 real|-1 -1 it's \"T5\", or so|-1 -1 done|-1 -1 \n");
    /* Point 4 failed in 1-1 and was done in 2-0, 10 the other way round; 40 failed and was late. */
    assert_rows(dir,
                "SELECT point, state, sentence, name FROM results JOIN runs USING (run)"
                " WHERE point IN (4, 10, 40) ORDER BY point",
                "4 -1 |-1 -1 done|-1 -1 |-1 -1 2-0\n10 -1 |-1 -1 done|-1 -1 |-1 -1 1-1\n"
                "40 -1 |-1 -1 late|-1 -1 2-0|-1 -1 2-0\n");
    assert_rows(dir, "SELECT name, value FROM fixed ORDER BY name",
                "-1 -1 n|-1 -1 8\n-1 -1 record|-1 -1 energy\n");
    assert_rows(dir, "SELECT name, records FROM runs ORDER BY name",
                "-1 -1 1-0|300 -1 \n-1 -1 1-1|300 -1 \n-1 -1 2-0|300 -1 \n-1 -1 2-1|300 -1 \n");
    struct trop_study_counts counts = { 0 };
    assert_int_equal(trop_study_catalogue_count(&counts, dir), TROP_OK);
    assert_int_equal(counts.points, POINTS);
    assert_int_equal(counts.failed, counts.late + 75); /* those of 2-1 */
    assert_int_equal(counts.done, POINTS - counts.failed);
    assert_int_equal(counts.late, 15); /* multiples of 20 that 1-1 and 2-0 have */
    drop(dir);
}

static void arrays_are_rows_by_point(void **state)
{
    const char *dir = dir_a;
    struct trop_array values = { 0 }, shape = { 0 };
    struct trop_h5 *h5 = NULL;

    (void)state;
    fake_logs = logs;
    merged(dir, NULL);
    assert_int_equal(trop_h5_open(&h5, scratch("a/arrays.h5")), TROP_OK);
    assert_int_equal(trop_h5_numbers(&values, h5, "values/record/energy"), TROP_OK);
    assert_int_equal(trop_h5_numbers(&shape, h5, "shape/record/energy"), TROP_OK);
    assert_int_equal(values.shape[0], POINTS);
    for (int64_t p = 0; p < POINTS; p++) {
        /* 1-0 has every third point; 1-1 the ones behind, but for every fourth. */
        const int is_there = p % 3 == 0 || (p % 3 == 1 && p % 4 != 0);
        assert_int_equal(shape.data[p], is_there ? energies_at(p) : -1);
        for (int64_t k = 0; k < values.shape[1]; k++) {
            const double value = values.data[p * values.shape[1] + k];
            if (is_there && k < energies_at(p)) {
                assert_true(value == uniform(6, (uint64_t)(8 * p + k)));
            } else {
                assert_true(isnan(value));
            }
        }
    }
    trop_array_free(&values);
    trop_array_free(&shape);
    trop_h5_abandon(h5);
    drop(dir);
}

static void order_changes_nothing(void **state)
{
    const char *a = dir_a, *b = dir_b;
    char *wanted = undisturbed(a);

    (void)state;
    fake_logs = turned;
    merged(a, (const char *const[]){ b, NULL });
    assert_same_dump(a, wanted);
    drop(a);
    /* The other folder first, and then each as often as one likes. */
    for (int k = 0; k < 3; k++) {
        fake_logs = k % 2 ? logs : turned;
        merged(b, k == 0 ? NULL : (const char *const[]){ a, NULL });
    }
    assert_same_dump(b, wanted);
    drop(b);
    /* Logs that grow: merged by halves. */
    static const struct fake_log half[] = { { "a", "1-0", 100, 0, POINTS / 2, 3, 0, 0 },
                                            { "a", "1-1", 100, 1, 40, 3, 4, TROP_STUDY_FAILED },
                                            { 0 } };
    fake_logs = half;
    merged(a, NULL);
    fake_logs = logs;
    merged(a, (const char *const[]){ b, NULL });
    assert_same_dump(a, wanted);
    drop(a);
    free(wanted);
}

/* Two machines may call their runs the same. */
static void logs_of_one_name_are_all_taken(void **state)
{
    static const struct fake_log same[] = { { "a", "1-0", 100, 0, POINTS, 3, 0, 0 },
                                            { "b", "1-0", 100, 2, POINTS, 3, 0, 0 },
                                            { 0 } };

    (void)state;
    fake_logs = same;
    merged(dir_a, NULL);
    merged(dir_a, (const char *const[]){ dir_b, NULL });
    assert_rows(dir_a, "SELECT count(*), sum(point) FROM results", "600 -1 |269700 -1 \n");
    drop(dir_a);
}

static void another_study_begins_anew(void **state)
{
    const char *dir = dir_a;
    static const struct fake_log one[] = { { "a", "1-0", 1, 0, 1, 1, 0, 0 }, { 0 } };
    struct trop_study_spec before = study;

    (void)state;
    fake_logs = logs;
    merged(dir, NULL);
    fake_logs = one;
    study.id++;
    merged(dir, NULL);
    study = before;
    assert_rows(dir, "SELECT count(*), (SELECT count(*) FROM runs) FROM results", "1 -1 |1 -1 \n");
    /* Without its arrays the catalogue is made again as well. */
    study.id++;
    unlink(scratch("a/arrays.h5"));
    merged(dir, NULL);
    study = before;
    assert_int_equal(access(scratch("a/arrays.h5"), R_OK), 0);
    drop(dir);
}

static void a_folder_of_something_else_is_refused(void **state)
{
    (void)state;
    mkdir(dir_a, 0777);
    mkdir(dir_b, 0777);
    scratch_fill(scratch("a/study.yaml"), study_text, strlen(study_text));
    const char *others[] = { scratch("c"), NULL };
    assert_sentence(trop_study_merge(dir_a, others, NULL, NULL), TROP_ERR_IO, "c: is not a folder");
    others[0] = dir_b;
    assert_sentence(trop_study_merge(dir_a, others, NULL, NULL), TROP_ERR_IO,
                    "b: has no logs of a study");
    mkdir(scratch("b/log"), 0777);
    static const char less[] = "verb: flow\nrule: [localmax, softmax]\nkeep: clusters\n";
    scratch_fill(scratch("b/study.yaml"), less, strlen(less));
    assert_sentence(trop_study_merge(dir_a, others, NULL, NULL), TROP_ERR_IO,
                    "or keeps other fields");
    drop(dir_a);
    drop(dir_b);
}

/* ---- kills ---- */

static void nanoseconds(long count)
{
    nanosleep(&(struct timespec){ .tv_nsec = count }, NULL);
}

/* How long a merge in a process of its own takes, in nanoseconds. */
static long one_merge(const char *a, const char *b)
{
    struct timespec before, after;

    clock_gettime(CLOCK_MONOTONIC, &before);
    const pid_t child = fork();
    if (child == 0) {
        _exit(merge(a, (const char *const[]){ b, NULL }) != TROP_OK);
    }
    waitpid(child, NULL, 0);
    clock_gettime(CLOCK_MONOTONIC, &after);
    drop(a);
    return (after.tv_sec - before.tv_sec) * 1000000000L + after.tv_nsec - before.tv_nsec;
}

static void a_merge_can_be_killed_at_any_moment(void **state)
{
    const char *a = dir_a, *b = dir_b;
    char *wanted = undisturbed(a);
    const long span = one_merge(a, b);
    int killed = 0;

    (void)state;
    for (int64_t k = 0; k < cases(10, 100); k++) {
        mkdir(a, 0777);
        for (int again = 0; again < 2; again++) { /* the second one meets what the first left */
            const pid_t child = fork();
            int status;
            if (child == 0) {
                merge(a, (const char *const[]){ b, NULL });
                _exit(0);
            }
            nanoseconds((long)(uniform(9, (uint64_t)(2 * k + again)) * (double)span));
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            killed += WIFSIGNALED(status) != 0;
        }
        merged(a, (const char *const[]){ b, NULL });
        assert_same_dump(a, wanted);
        assert_int_equal(access(scratch("a/catalogue.sqlite-journal"), F_OK), -1);
        drop(a);
    }
    assert_true(killed > 0);
    free(wanted);
}

/* With more in the journal than the small merges of these tests have in memory. */
static void a_half_written_catalogue_is_restored(void **state)
{
    const struct trop_study_table_options by = { .by = "epsilon" };
    struct trop_study_table *table = NULL;
    char *wanted = undisturbed(dir_a);
    int due = 0;

    (void)state;
    merged(dir_a, (const char *const[]){ dir_b, NULL });
    const pid_t child = fork();
    if (child == 0) {
        struct trop_sqlite *db = NULL;
        _exit(trop_sqlite_open(&db, scratch("a/catalogue.sqlite"), TROP_SQLITE_WRITE) ||
              trop_sqlite_run(db, "PRAGMA cache_size = 1; BEGIN IMMEDIATE;"
                                  "UPDATE results SET sentence = hex(randomblob(2000))"));
    }
    waitpid(child, &due, 0);
    assert_int_equal(due, 0);
    assert_sentence(trop_study_table_of(&table, dir_a, &by), TROP_ERR_IO,
                    "catalogue.sqlite: a process was killed while it wrote");
    assert_int_equal(trop_study_merge_is_due(&due, dir_a), TROP_OK);
    assert_true(due);
    merged(dir_a, (const char *const[]){ dir_b, NULL });
    assert_same_dump(dir_a, wanted);
    assert_int_equal(trop_study_merge_is_due(&due, dir_a), TROP_OK);
    assert_false(due);
    drop(dir_a);
    free(wanted);
}

/* ---- files that are not what they should be ---- */

static enum trop_status merge_in(const char *name)
{
    return merge(scratch(name), NULL);
}

static void full_disk_is_a_sentence(void **state)
{
    const char *a = dir_a, *b = dir_b;
    char *wanted = undisturbed(a);
    struct rlimit before;

    (void)state;
    getrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_IGN);
    for (rlim_t size = 0; size < 60000; size += 10000) {
        const struct rlimit small = { size, before.rlim_max };
        setrlimit(RLIMIT_FSIZE, &small);
        const enum trop_status status = merge(a, (const char *const[]){ b, NULL });
        setrlimit(RLIMIT_FSIZE, &before);
        assert_sentence(status, TROP_ERR_IO, "/a/");
        int due = 0; /* what is left may be an empty file */
        assert_ok(trop_study_merge_is_due(&due, a));
        assert_true(due);
        merged(a, (const char *const[]){ b, NULL });
        assert_same_dump(a, wanted);
        assert_int_equal(scratch_count(), 1);
        drop(a);
    }
    signal(SIGXFSZ, SIG_DFL);
    free(wanted);
}

/* What a person without rights sees, whoever runs the test. */
static void read_only_folder_is_a_sentence(void **state)
{
    const char *dir = dir_a;
    char words[300] = "";
    int ends[2], got;

    (void)state;
    fake_logs = logs;
    for (int has = 0; has < 2; has++) { /* without a catalogue, and with one */
        if (has) {
            chmod(dir, 0755);
            merged(dir, NULL);
        } else {
            mkdir(dir, 0555);
        }
        chmod(dir, 0555);
        assert_int_equal(pipe(ends), 0);
        const pid_t child = fork();
        if (child == 0) {
            const struct trop_study_table_options options = { .by = "epsilon" };
            struct trop_study_table *table = NULL;
            chmod(scratch(""), 0755);
            if (geteuid() == 0 && setuid(65534) != 0) {
                _exit(1);
            }
            /* What is there can be read, the folder being what it is. */
            const enum trop_status status =
                has ? trop_study_table_of(&table, dir, &options) : TROP_OK;
            const int written = merge(dir, NULL) == TROP_ERR_IO &&
                                write(ends[1], trop_error(), strlen(trop_error())) > 0;
            _exit(status != TROP_OK || !written);
        }
        close(ends[1]);
        waitpid(child, &got, 0);
        assert_int_equal(got, 0);
        const ssize_t size = read(ends[0], words, sizeof words - 1);
        words[size > 0 ? size : 0] = '\0';
        close(ends[0]);
        if (!strstr(words, "/a/catalogue.sqlite: ")) {
            fail_msg("%s", words);
        }
    }
    drop(dir);
}

static void garbage_is_refused(void **state)
{
    struct trop_sqlite *db = NULL;
    char bytes[5000];

    (void)state;
    fake_logs = logs;
    memset(bytes, 'x', sizeof bytes);
    mkdir(dir_a, 0777);
    scratch_fill(scratch("a/catalogue.sqlite"), bytes, sizeof bytes);
    assert_sentence(merge_in("a"), TROP_ERR_IO, "a/catalogue.sqlite: is damaged, or no SQLite");
    assert_sentence(trop_study_catalogue_open(&db, dir_a), TROP_ERR_IO, "is damaged");
    unlink(scratch("a/catalogue.sqlite"));
    /* Another program's. */
    assert_int_equal(trop_sqlite_open(&db, scratch("a/catalogue.sqlite"), TROP_SQLITE_WRITE), 0);
    assert_int_equal(trop_sqlite_run(db, "CREATE TABLE mail (text)"), TROP_OK);
    trop_sqlite_close(db);
    assert_sentence(merge_in("a"), TROP_ERR_IO, "is an SQLite file of something else");
    unlink(scratch("a/catalogue.sqlite"));
    merged(dir_a, NULL);
    /* Arrays that are none. */
    scratch_fill(scratch("a/arrays.h5"), bytes, sizeof bytes);
    static const struct fake_log more[] = { { "a", "3-0", 300, 2, POINTS, 3, 0, 0 }, { 0 } };
    fake_logs = more;
    assert_sentence(merge_in("a"), TROP_ERR_IO, "arrays.h5");
    assert_rows(dir_a, "SELECT count(*) FROM runs", "2 -1 \n");
    drop(dir_a);
    assert_sentence(trop_study_catalogue_open(&db, dir_a), TROP_ERR_IO, "is not a folder");
}

static void schemas_are_known_by_number(void **state)
{
    struct trop_sqlite *db = NULL;
    char *wanted = undisturbed(dir_a);

    (void)state;
    fake_logs = logs;
    merged(dir_a, NULL);
    /* Schema 1: runs had no shard, there was no table fixed. */
    assert_int_equal(trop_sqlite_open(&db, scratch("a/catalogue.sqlite"), TROP_SQLITE_WRITE), 0);
    assert_int_equal(trop_sqlite_run(db, "ALTER TABLE runs DROP COLUMN shard; DROP TABLE fixed;"
                                         "PRAGMA user_version = 1"),
                     TROP_OK);
    trop_sqlite_close(db);
    const struct trop_study_table_options by = { .by = "epsilon", .mean = "clusters" };
    struct trop_study_table *table = NULL;
    assert_int_equal(trop_study_table_of(&table, dir_a, &by), TROP_OK);
    assert_int_equal(trop_study_table_rows(table), EPSILONS);
    trop_study_table_free(table);
    merged(dir_a, (const char *const[]){ dir_b, NULL });
    assert_same_dump(dir_a, wanted);
    assert_int_equal(trop_sqlite_open(&db, scratch("a/catalogue.sqlite"), TROP_SQLITE_WRITE), 0);
    assert_int_equal(trop_sqlite_run(db, "PRAGMA user_version = 9"), TROP_OK);
    trop_sqlite_close(db);
    assert_sentence(merge_in("a"), TROP_ERR_IO, "a later version of tropism (schema 9");
    assert_sentence(trop_study_table_of(&table, dir_a, &by), TROP_ERR_IO, "later version");
    drop(dir_a);
    free(wanted);
}

static void a_catalogue_in_use_is_a_sentence(void **state)
{
    struct trop_sqlite *db = NULL;

    (void)state;
    fake_logs = logs;
    merged(dir_a, NULL);
    assert_int_equal(trop_sqlite_open(&db, scratch("a/catalogue.sqlite"), TROP_SQLITE_WRITE), 0);
    assert_int_equal(trop_sqlite_run(db, "BEGIN IMMEDIATE"), TROP_OK);
    assert_sentence(merge_in("a"), TROP_ERR_IO, "another process is writing it");
    trop_sqlite_close(db);
    assert_int_equal(merge_in("a"), TROP_OK);
    drop(dir_a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_those_of_the_records),
        cmocka_unit_test(arrays_are_rows_by_point),
        cmocka_unit_test(order_changes_nothing),
        cmocka_unit_test(logs_of_one_name_are_all_taken),
        cmocka_unit_test(another_study_begins_anew),
        cmocka_unit_test(a_folder_of_something_else_is_refused),
        cmocka_unit_test(a_merge_can_be_killed_at_any_moment),
        cmocka_unit_test(a_half_written_catalogue_is_restored),
        cmocka_unit_test(full_disk_is_a_sentence),
        cmocka_unit_test(read_only_folder_is_a_sentence),
        cmocka_unit_test(garbage_is_refused),
        cmocka_unit_test(schemas_are_known_by_number),
        cmocka_unit_test(a_catalogue_in_use_is_a_sentence),
    };
    return cmocka_run_group_tests(tests, read_study, free_study);
}
