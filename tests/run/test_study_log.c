/* test_study_log.c -- logs of a study: what is written is read, and torn ends lose nothing before
 * them.
 */
#include "support.h"

#include "alloc_failing.c"
#include "run/study/study_log.h"
#include "scratch.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#define RECORDS 5
#define KEEP 6

static struct trop_study_spec spec;
static const struct trop_study_source source = {
    .version = "1.0",
    .command = "tropism study run",
    .machine = "here",
    .shard = "0/1",
    .started = 1234,
    .name = "r",
};

static const char *folder(void)
{
    static char path[256];

    snprintf(path, sizeof path, "%s", scratch("study"));
    return path;
}

static int open_folder(void **state)
{
    (void)state;
    assert_ok(trop_study_spec_read(&spec,
                                   "verb: flow\nseed: 1..100\nkeep: [clusters, diameter, "
                                   "converged, certificate.kind, tokens, labels]\n",
                                   "s", NULL));
    assert_ok(trop_study_folder_take(folder(), &spec, 0));
    return 0;
}

static int close_folder(void **state)
{
    char path[320];

    (void)state;
    trop_study_spec_free(&spec);
    snprintf(path, sizeof path, "%s/log", folder());
    scratch_clear(AT_FDCWD, path);
    scratch_empty();
    return 0;
}

/* Record k, with a value of every kind. */
static struct trop_study_record record_of(int64_t k, struct trop_value values[KEEP])
{
    static double numbers[6];
    static int64_t whole_numbers[3];
    static const char *texts[] = { "a", "", "bcd" };

    for (int64_t i = 0; i < 6; i++) {
        numbers[i] = normal(7, (uint64_t)(6 * k + i));
    }
    for (int64_t i = 0; i < 3; i++) {
        whole_numbers[i] = INT64_MIN + k + i;
    }
    values[0] = (struct trop_value){ .kind = TROP_KIND_INTEGER, .integer = -k };
    values[1] =
        (struct trop_value){ .kind = TROP_KIND_NUMBER, .number = k ? 1.0 / (double)k : NAN };
    values[2] =
        (struct trop_value){ .kind = k % 2 ? TROP_KIND_BOOLEAN : TROP_KIND_NULL, .integer = 1 };
    values[3] = k == 2 ? (struct trop_value){ .kind = TROP_KIND_TEXTS,
                                              .texts = texts,
                                              .rank = 1,
                                              .shape = { 3 } }
                       : (struct trop_value){ .kind = TROP_KIND_TEXT, .text = "consensus" };
    values[4] = (struct trop_value){
        .kind = TROP_KIND_NUMBERS, .numbers = numbers, .rank = 2, .shape = { 3, 2 }
    };
    values[5] = (struct trop_value){
        .kind = TROP_KIND_INTEGERS, .integers = whole_numbers, .rank = 1, .shape = { k % 4 }
    };
    return (struct trop_study_record){
        .point = 10 * k,
        .state = k == 3 ? TROP_STUDY_FAILED : TROP_STUDY_DONE,
        .status = k == 3 ? TROP_ERR_NUMERIC : TROP_OK,
        .sentence = k == 3 ? "beta = 9: too large" : "",
        .values = k == 3 ? NULL : values,
    };
}

static void write_records(const char *run, int64_t first, int64_t last)
{
    struct trop_study_writer *writer = NULL;
    struct trop_study_source of = source;

    of.name = run;
    assert_ok(trop_study_write_create(&writer, folder(), &spec, &of, 0));
    for (int64_t k = first; k < last; k++) {
        struct trop_value values[KEEP];
        const struct trop_study_record record = record_of(k, values);
        assert_ok(trop_study_write_put(writer, &record));
        assert_ok(trop_study_write_flush(writer, (double)k));
    }
    assert_ok(trop_study_write_close(writer, 9));
}

static void assert_value(const struct trop_value *a, const struct trop_value *b)
{
    int64_t count = 1;

    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->rank, b->rank);
    for (int64_t r = 0; r < a->rank; r++) {
        assert_int_equal(a->shape[r], b->shape[r]);
        count *= a->shape[r];
    }
    if (a->kind == TROP_KIND_NUMBER) {
        assert_memory_equal(&a->number, &b->number, 8);
    } else if (a->kind == TROP_KIND_TEXT) {
        assert_string_equal(a->text, b->text);
    } else if (a->kind == TROP_KIND_TEXTS) {
        for (int64_t k = 0; k < count; k++) {
            assert_string_equal(a->texts[k], b->texts[k]);
        }
    } else if (a->kind == TROP_KIND_NUMBERS) {
        assert_memory_equal(a->numbers, b->numbers, 8 * (size_t)count);
    } else if (a->kind == TROP_KIND_INTEGERS) {
        assert_memory_equal(a->integers, b->integers, 8 * (size_t)count);
    } else if (a->kind != TROP_KIND_NULL) {
        assert_int_equal(a->integer, b->integer);
    }
}

struct seen {
    int64_t count;
    int values;
};

static enum trop_status see(void *context, const struct trop_study_source *from,
                            const struct trop_study_record *record)
{
    struct seen *seen = context;
    struct trop_value values[KEEP];
    const struct trop_study_record expected = record_of(record->point / 10, values);

    assert_string_equal(from->command, source.command);
    assert_string_equal(from->shard, source.shard);
    assert_int_equal(from->started, 1234);
    assert_int_equal(record->state, expected.state);
    assert_int_equal(record->status, expected.status);
    assert_string_equal(record->sentence, expected.sentence);
    assert_true((record->values != NULL) == (seen->values && expected.values != NULL));
    for (int64_t k = 0; record->values && k < KEEP; k++) {
        assert_value(record->values + k, expected.values + k);
    }
    seen->count++;
    return TROP_OK;
}

static void what_is_written_is_read(void **state)
{
    struct seen seen = { .values = 1 }, quick = { 0 };
    double seconds;

    (void)state;
    write_records("a", 0, RECORDS);
    write_records("b", RECORDS, 2 * RECORDS);
    assert_ok(trop_study_log_scan(&seconds, folder(), &spec, 1, see, &seen));
    assert_int_equal(seen.count, 2 * RECORDS);
    assert_near(seconds, RECORDS - 1 + 2 * RECORDS - 1, 0);
    assert_ok(trop_study_log_each(folder(), &spec, 0, see, &quick));
    assert_int_equal(quick.count, 2 * RECORDS);
}

/* Cut at every byte, a log has the whole records before the cut; with a byte changed, those before
 * the frame that it is in. */
static void torn_ends_lose_what_is_torn(void **state)
{
    static unsigned char bytes[1 << 14];
    char path[320];
    int64_t before = 0;

    (void)state;
    write_records("a", 0, RECORDS);
    snprintf(path, sizeof path, "%s/log/a-0.log", folder());
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_true(size > 500 && size < sizeof bytes);
    for (size_t cut = 0; cut <= size; cut++) {
        struct seen seen = { .values = 1 };
        scratch_fill(path, bytes, cut);
        assert_ok(trop_study_log_each(folder(), &spec, 1, see, &seen));
        assert_true(seen.count == before || seen.count == before + 1);
        before = seen.count;
    }
    assert_int_equal(before, RECORDS);
    for (size_t at = 100; at < size; at++) {
        struct seen seen = { .values = 1 };
        bytes[at] ^= 0x10;
        scratch_fill(path, bytes, size);
        assert_ok(trop_study_log_each(folder(), &spec, 1, see, &seen));
        assert_true(seen.count < RECORDS || at > size - 24 - 1);
        bytes[at] ^= 0x10;
    }
    scratch_fill(path, "something else, of another program", 34);
    struct seen seen = { 0 };
    assert_int_equal(trop_study_log_each(folder(), &spec, 1, see, &seen), TROP_ERR_IO);
    assert_non_null(strstr(trop_error(), "not a log"));
}

/* A full disk, for which a limit on the size of files stands. */
static void a_full_disk_is_told_and_loses_nothing_before(void **state)
{
    struct trop_study_writer *writer = NULL;
    struct rlimit old, small = { 1000, RLIM_INFINITY };
    struct seen seen = { .values = 1 };
    int64_t k = 0;

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small.rlim_max = old.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    assert_ok(trop_study_write_create(&writer, folder(), &spec, &source, 0));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    enum trop_status status = TROP_OK;
    for (; status == TROP_OK; k++) {
        struct trop_value values[KEEP];
        const struct trop_study_record record = record_of(k, values);
        assert_ok(trop_study_write_put(writer, &record));
        status = trop_study_write_flush(writer, 1);
        assert_true(k < 100);
    }
    assert_int_equal(status, TROP_ERR_IO);
    assert_non_null(strstr(trop_error(), "r-0.log"));
    assert_int_equal(trop_study_write_close(writer, 1), TROP_ERR_IO);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_ok(trop_study_log_each(folder(), &spec, 1, see, &seen));
    assert_true(seen.count == k - 1 && seen.count > 2);
}

/* Who removes the folder of a study that runs is told, and not that all is done. */
static void a_removed_log_is_told(void **state)
{
    struct trop_study_writer *writer = NULL;
    struct trop_value values[KEEP];
    const struct trop_study_record record = record_of(0, values);
    char path[4200];

    (void)state;
    assert_ok(trop_study_write_create(&writer, folder(), &spec, &source, 0));
    snprintf(path, sizeof path, "%s/log/r-0.log", folder());
    assert_int_equal(unlink(path), 0);
    assert_ok(trop_study_write_put(writer, &record));
    assert_int_equal(trop_study_write_close(writer, 1), TROP_ERR_IO);
    assert_non_null(strstr(trop_error(), "r-0.log: was removed while the study ran"));
}

/* ---- extended studies -------------------------------------------------------------------------
 */

static enum trop_status note(void *context, const struct trop_study_source *from,
                             const struct trop_study_record *record)
{
    (void)from;
    ((int64_t *)context)[record->point]++;
    return TROP_OK;
}

static void records_follow_their_points(void **state)
{
    struct trop_study_spec more = { 0 }, fewer = { 0 }, found = { 0 };
    int64_t points[400] = { 0 };

    (void)state;
    write_records("a", 0, RECORDS);
    assert_ok(trop_study_spec_read(&more,
                                   "verb: flow\nbeta: [1, 2]\nseed: 0..150\nkeep: [clusters, "
                                   "diameter, converged, certificate.kind, tokens, labels]\n",
                                   "s", NULL));
    assert_int_equal(trop_study_folder_take(folder(), &more, 0), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "seed was 1:100:1 and is 0:150:1"));
    /* beta was the default, and nobody knows which of the two that was */
    assert_int_equal(trop_study_folder_take(folder(), &more, 1), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "beta"));
    trop_study_spec_free(&more);
    assert_ok(trop_study_spec_read(&more,
                                   "verb: flow\nseed: 0..150\nkeep: [clusters, "
                                   "diameter, converged, certificate.kind, tokens, labels]\n",
                                   "s", NULL));
    assert_ok(trop_study_folder_take(folder(), &more, 1));
    assert_ok(trop_study_folder_take(folder(), &more, 0));
    assert_ok(trop_study_log_each(folder(), &more, 0, note, points));
    for (int64_t k = 0; k < 151; k++) {
        assert_int_equal(points[k], k % 10 == 1 && k < 10 * RECORDS);
    }
    assert_ok(trop_study_spec_open(&found, folder(), 1));
    assert_true(found.id == spec.id);
    trop_study_spec_free(&found);
    assert_int_equal(trop_study_spec_open(&found, folder(), 2), TROP_ERR_ARG);
    assert_ok(trop_study_spec_read(&fewer,
                                   "verb: flow\nseed: 1..150\nkeep: [clusters, "
                                   "diameter, converged, certificate.kind, tokens, labels]\n",
                                   "s", NULL));
    assert_int_equal(trop_study_folder_take(folder(), &fewer, 1), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "only new points"));
    trop_study_spec_free(&more);
    trop_study_spec_free(&fewer);
}

static void memory_that_ends_is_told(void **state)
{
    const int64_t before = alloc_live;
    enum trop_status status;

    (void)state;
    write_records("a", 0, RECORDS);
    for (int64_t k = 0;; k++) {
        struct seen seen = { .values = 1 };
        alloc_refused = k;
        status = trop_study_log_each(folder(), &spec, 1, see, &seen);
        if (status == TROP_OK) {
            break;
        }
        assert_int_equal(status, TROP_ERR_MEMORY);
        assert_int_equal(alloc_live, before);
        assert_true(k < 100);
    }
    alloc_refused = -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_written_is_read, open_folder, close_folder),
        cmocka_unit_test_setup_teardown(torn_ends_lose_what_is_torn, open_folder, close_folder),
        cmocka_unit_test_setup_teardown(a_removed_log_is_told, open_folder, close_folder),
        cmocka_unit_test_setup_teardown(a_full_disk_is_told_and_loses_nothing_before, open_folder,
                                        close_folder),
        cmocka_unit_test_setup_teardown(records_follow_their_points, open_folder, close_folder),
        cmocka_unit_test_setup_teardown(memory_that_ends_is_told, open_folder, close_folder),
    };

    return cmocka_run_group_tests(tests, NULL, scratch_remove);
}
