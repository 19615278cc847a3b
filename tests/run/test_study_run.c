/* test_study_run.c -- studies computed: the same bits however points are shared, nothing lost, and
 * rows that say why there is not a result.
 */
#include "support.h"

#include "program.h"
#include "run/study/study_log.h"
#include "scratch.h"
#include "tropism_lab.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#define POINTS_MAX 4096
#define WORDS_MAX 64

/* What is known of every point: the words of its record. */
static uint64_t rows[2][POINTS_MAX][WORDS_MAX];
static int64_t seen[2][POINTS_MAX];

static uint64_t bits(const struct trop_value *value)
{
    uint64_t word = 0;

    if (value->kind == TROP_KIND_NUMBER) {
        memcpy(&word, &value->number, 8);
    } else if (value->kind == TROP_KIND_TEXT) {
        for (const char *c = value->text; *c; c++) {
            word = 31 * word + (unsigned char)*c;
        }
    } else if (value->kind == TROP_KIND_NUMBERS) {
        int64_t count = 1;
        for (int64_t k = 0; k < value->rank; k++) {
            count *= value->shape[k];
        }
        for (int64_t k = 0; k < count; k++) {
            uint64_t number;
            memcpy(&number, value->numbers + k, 8);
            word = 31 * word + number;
        }
    } else {
        word = (uint64_t)value->integer;
    }
    return 16 * word + (uint64_t)value->kind;
}

struct look {
    int which;
    int64_t keep;
};

static enum trop_status see(void *context, const struct trop_study_source *source,
                            const struct trop_study_record *record)
{
    const struct look *look = context;
    uint64_t *row = rows[look->which][record->point];

    (void)source;
    row[0] = (uint64_t)record->state;
    for (const char *c = record->sentence; *c; c++) {
        row[0] = 31 * row[0] + (unsigned char)*c;
    }
    for (int64_t k = 0; k < look->keep; k++) {
        row[k + 1] = record->values ? bits(record->values + k) : 0;
    }
    seen[look->which][record->point]++;
    return TROP_OK;
}

/* The rows of a folder, of which every point must have one. */
static int64_t read_rows(int which, const char *dir, int64_t points)
{
    struct trop_study_spec spec = { 0 };
    int64_t twice = 0;

    memset(rows[which], 0, sizeof rows[which]);
    memset(seen[which], 0, sizeof seen[which]);
    assert_ok(trop_study_spec_open(&spec, dir, 0));
    assert_int_equal(spec.count, points);
    struct look look = { which, spec.keep_count };
    assert_true(spec.keep_count < WORDS_MAX);
    assert_ok(trop_study_log_each(dir, &spec, 1, see, &look));
    trop_study_spec_free(&spec);
    for (int64_t k = 0; k < points; k++) {
        assert_true(seen[which][k] > 0);
        twice += seen[which][k] - 1;
    }
    return twice;
}

static void assert_same_rows(int64_t points)
{
    for (int64_t k = 0; k < points; k++) {
        if (memcmp(rows[0][k], rows[1][k], sizeof rows[0][k]) != 0) {
            fail_msg("point %lld has other bits", (long long)k);
        }
    }
}

static const char *folder(const char *name)
{
    static char path[4][256];
    static int next;
    char *out = path[next++ % 4];

    snprintf(out, sizeof path[0], "%s", scratch(name));
    return out;
}

static int clear(void **state)
{
    (void)state;
    DIR *open = opendir(scratch_folder);
    for (struct dirent *entry; open && (entry = readdir(open));) {
        char log[600];
        snprintf(log, sizeof log, "%s/%s/log", scratch_folder, entry->d_name);
        DIR *inner = opendir(log);
        if (inner) {
            closedir(inner);
            scratch_clear(AT_FDCWD, log);
        }
    }
    if (open) {
        closedir(open);
    }
    scratch_empty();
    return 0;
}

static struct trop_study_counts run_with(const char *text, const char *dir,
                                         struct trop_study_run_options options)
{
    struct trop_study *study = NULL;
    struct trop_study_counts counts;

    assert_ok(trop_study_create(&study, text, NULL));
    assert_ok(trop_study_run(&counts, study, dir, &options, NULL, NULL));
    trop_study_free(study);
    assert_int_equal(counts.points, counts.done + counts.failed + counts.left);
    return counts;
}

/* Points that lanes take, in groups of several sizes, and points that they do not. */
static const char mixed[] =
    "verb: flow\nrule: localmax\ninit: [gaussian, sphere]\nn: [5, 9]\nsteps: 20\nalpha: [1, 3]\n"
    "epsilon: 0:0.2:0.1\nseed: 1..7\n"
    "keep: [clusters, diameter, converged, certificate.kind, tokens, steps, residual]\n";
#define MIXED (2 * 2 * 2 * 3 * 7)

static void threads_and_shards_change_no_bit(void **state)
{
    const char *one = folder("one"), *other = folder("other");

    (void)state;
    struct trop_study_counts counts =
        run_with(mixed, one, (struct trop_study_run_options){ .threads = 1 });
    assert_int_equal(counts.points, MIXED);
    assert_int_equal(counts.done, MIXED);
    assert_int_equal(read_rows(0, one, MIXED), 0);
    counts = run_with(mixed, other, (struct trop_study_run_options){ .threads = 4 });
    assert_int_equal(counts.left, 0);
    assert_int_equal(read_rows(1, other, MIXED), 0);
    assert_same_rows(MIXED);
    clear(NULL);
    int64_t parts = 0;
    for (int64_t shard = 0; shard < 4; shard++) {
        counts = run_with(
            mixed, other,
            (struct trop_study_run_options){ .threads = 2, .shard = (shard + 2) % 4, .shards = 4 });
        parts += counts.points;
        assert_int_equal(counts.left, 0);
    }
    assert_int_equal(parts, MIXED);
    assert_int_equal(read_rows(1, other, MIXED), 0);
    assert_same_rows(MIXED);
}

/* Points in groups are what they are one at a time, where no lanes are used. */
static void lanes_change_no_bit(void **state)
{
    const char *dir = folder("lanes");
    struct trop_study *study = NULL;
    struct trop_study_run_options options = { .threads = 1 };

    (void)state;
    run_with(mixed, dir, options);
    read_rows(0, dir, MIXED);
    assert_ok(trop_study_create(&study, mixed, NULL));
    for (int64_t point = 0; point < MIXED; point += 3) {
        struct trop_study_block *one = NULL;
        options.first = point;
        options.last = point + 1;
        assert_ok(trop_study_block_create(&one, study, &options, NULL, NULL));
        for (int64_t k = 0; k < 7; k++) {
            struct trop_value value;
            assert_ok(trop_study_block_value(&value, one, 0, k));
            assert_true(rows[0][point][k + 1] == bits(&value));
        }
        trop_study_block_free(one);
    }
    trop_study_free(study);
}

/* A value that its option refuses is a row with its sentence, and lanes do not read it as another
 * number: seed -1 is not 2^64 - 1, 1.5 is not 1. */
static void a_refused_value_is_a_row(void **state)
{
    const char *text = "verb: flow\nrule: softmax\nsteps: 5\nn: [4, 0]\nbeta: [1, x, 2]\n"
                       "seed: [1, -1, 1.5, 2]\nkeep: [diameter, clusters]\n";
    struct trop_study *study = NULL;
    struct trop_study_block *block = NULL;
    struct trop_study_run_options options = { .threads = 1 };

    (void)state;
    assert_ok(trop_study_create(&study, text, NULL));
    assert_non_null(strstr(trop_study_refused(study), "20 of 24 points"));
    assert_ok(trop_study_block_create(&block, study, &options, NULL, NULL));
    for (int64_t point = 0; point < 24; point++) {
        const int64_t n = point / 12, beta = point / 4 % 3, seed = point % 4;
        const char *culprit = n == 1      ? "n = 0: must be"
                              : beta == 1 ? "beta = x: "
                              : seed == 1 ? "seed = -1: must be"
                              : seed == 2 ? "seed = 1.5: must be"
                                          : NULL;
        assert_int_equal(trop_study_block_state(block, point),
                         culprit ? TROP_STUDY_FAILED : TROP_STUDY_DONE);
        if (culprit) {
            assert_non_null(strstr(trop_study_block_sentence(block, point), culprit));
        }
    }
    trop_study_block_free(block);
    trop_study_free(study);
}

/* What is recorded in lanes is what a flow records by itself: one point at a time no lanes are
 * used. */
static void lanes_record_what_flows_record(void **state)
{
    const char *text = "verb: flow\nrule: softmax\nn: 6\nsteps: 12\nevery: 3\nbeta: [1, 2]\n"
                       "seed: 1..9\nkeep: [diameter, record.step, record.diameter, steps]\n";
    struct trop_study *study = NULL;
    struct trop_study_block *all = NULL, *one = NULL;
    struct trop_study_run_options options = { .threads = 1 };

    (void)state;
    assert_ok(trop_study_create(&study, text, NULL));
    assert_string_equal(trop_study_notice(study), "");
    assert_ok(trop_study_block_create(&all, study, &options, NULL, NULL));
    for (int64_t point = 0; point < 18; point++) {
        options.first = point;
        options.last = point + 1;
        assert_ok(trop_study_block_create(&one, study, &options, NULL, NULL));
        for (int64_t k = 0; k < 4; k++) {
            struct trop_value a, b;
            assert_ok(trop_study_block_value(&a, all, point, k));
            assert_ok(trop_study_block_value(&b, one, 0, k));
            assert_int_equal(a.kind, b.kind);
            assert_int_equal(a.rank, b.rank);
            assert_int_equal(a.rank, k == 1 || k == 2);
            if (a.rank == 1) {
                assert_int_equal(a.shape[0], 5);
                assert_int_equal(b.shape[0], 5);
            }
            if (a.kind == TROP_KIND_NUMBERS) {
                assert_memory_equal(a.numbers, b.numbers, 5 * sizeof *a.numbers);
            } else if (a.kind == TROP_KIND_INTEGERS) {
                assert_memory_equal(a.integers, b.integers, 5 * sizeof *a.integers);
                assert_int_equal(a.integers[4], 12);
            } else {
                assert_memory_equal(&a.number, &b.number, 8);
                assert_int_equal(a.integer, b.integer);
            }
        }
        trop_study_block_free(one);
    }
    trop_study_block_free(all);
    trop_study_free(study);
}

/* A point has the bits of the verb with its options. */
static void a_point_is_the_verb_with_its_options(void **state)
{
    const char *text = "verb: flow\nrule: localmax\nn: 7\nsteps: 30\nepsilon: [0.05, 0.3]\n"
                       "seed: 3..5\nkeep: [diameter, clusters]\n";
    struct trop_study *study = NULL;
    struct trop_study_block *block = NULL;
    const struct trop_study_run_options options = { .threads = 2 };

    (void)state;
    assert_ok(trop_study_create(&study, text, NULL));
    assert_ok(trop_study_block_create(&block, study, &options, NULL, NULL));
    assert_int_equal(trop_study_block_rows(block), 6);
    for (int64_t k = 0; k < 6; k++) {
        char seed[8];
        snprintf(seed, sizeof seed, "%d", (int)(3 + k % 3));
        const char *const pairs[] = { "rule",  "localmax", "n",       "7",
                                      "steps", "30",       "epsilon", k < 3 ? "0.05" : "0.3",
                                      "seed",  seed,       NULL };
        struct trop_job *job = NULL;
        struct trop_value value;
        double diameter;
        assert_ok(trop_job_create_from(&job, "flow", pairs));
        assert_ok(trop_job_run(job, NULL, NULL));
        assert_ok(trop_job_number(&diameter, job, "diameter"));
        assert_int_equal(trop_study_block_point(block, k), k);
        assert_int_equal(trop_study_block_state(block, k), TROP_STUDY_DONE);
        assert_ok(trop_study_block_value(&value, block, k, 0));
        assert_memory_equal(&value.number, &diameter, 8);
        trop_job_free(job);
    }
    trop_study_block_free(block);
    trop_study_free(study);
}

static void every_verb_that_computes_has_studies(void **state)
{
    static const char *const studies[] = {
        "verb: cells\nn: 8\nseed: 1..2\nkeep: [dimension, vertices, cells/area]\n",
        "verb: threshold\nn: 6\nseed: 1..2\nkeep: [low, high]\n",
        "verb: escape\nn: 6\nseed: 1..2\nbeta: [2, 3]\nradius: 0.1\nruns: 4\n",
        "verb: margin\ndata: mm-fig-1a\nnorm: [l2, l1]\nkeep: [outcome, norm, margin, support]\n",
        "verb: train\ndata: mm-fig-1a\nsteps: [5, 10]\nkeep: [loss, history/loss]\n",
        "verb: path\ndata: mm-fig-1a\nradius: [\"1,2\"]\nseed: 1..2\n",
        "verb: check\nclaim: fw-thm-3.1\ntrials: 2\nseed: 1..2\nkeep: [verdict]\n",
        "verb: flow\nn: 5\nsteps: 8\nevery: 2\nseed: 1..2\nkeep: [record.diameter, record.step]\n",
    };

    (void)state;
    for (size_t k = 0; k < sizeof studies / sizeof studies[0]; k++) {
        struct trop_study *study = NULL;
        struct trop_study_block *block = NULL;
        const struct trop_study_run_options options = { .threads = 2 };
        assert_ok(trop_study_create(&study, studies[k], NULL));
        assert_ok(trop_study_block_create(&block, study, &options, NULL, NULL));
        assert_int_equal(trop_study_block_rows(block), trop_study_points(study));
        for (int64_t row = 0; row < trop_study_block_rows(block); row++) {
            struct trop_value value;
            if (trop_study_block_state(block, row) != TROP_STUDY_DONE) {
                fail_msg("%s: %s", studies[k], trop_study_block_sentence(block, row));
            }
            assert_ok(trop_study_block_value(&value, block, row, 0));
            assert_int_not_equal(value.kind, TROP_KIND_NULL);
        }
        trop_study_block_free(block);
        trop_study_free(study);
    }
}

static void a_point_that_fails_is_a_row(void **state)
{
    const char *dir = folder("failing");
    const char *text = "verb: flow\nrule: [softmax, topk]\nk: [2, 9]\nn: 4\nsteps: 3\nseed: 1..3\n"
                       "keep: clusters\n";

    (void)state;
    struct trop_study_counts counts =
        run_with(text, dir, (struct trop_study_run_options){ .threads = 2 });
    assert_int_equal(counts.points, 12);
    assert_int_equal(counts.left, 0);
    assert_true(counts.failed >= 6 && counts.done >= 3);
    /* refused again is the same row: nothing is computed */
    counts = run_with(text, dir, (struct trop_study_run_options){ .threads = 2 });
    assert_int_equal(counts.left, 0);
    assert_int_equal(read_rows(0, dir, 12), 0);
}

static void late_points_are_rows_until_they_have_time(void **state)
{
    const char *dir = folder("late");
    const char *text = "verb: flow\nrule: softmax\nn: 40\nsteps: 20000\nseed: 1..2\nkeep: steps\n";

    (void)state;
    struct trop_study_counts counts =
        run_with(text, dir, (struct trop_study_run_options){ .threads = 2, .point_limit = 1e-6 });
    assert_int_equal(counts.late, 2);
    assert_int_equal(counts.failed, 2);
    counts =
        run_with(text, dir, (struct trop_study_run_options){ .threads = 2, .point_limit = 1e-6 });
    assert_int_equal(counts.late, 2);
    assert_int_equal(read_rows(0, dir, 2), 0);
    counts = run_with(text, dir, (struct trop_study_run_options){ .threads = 2 });
    assert_int_equal(counts.done, 2);
    assert_int_equal(counts.late, 0);
    assert_ok(trop_study_count(&counts, dir));
    assert_int_equal(counts.done, 2);
}

/* Long enough to be stopped in. */
static const char killed[] =
    "verb: flow\nrule: localmax\nn: 24\nsteps: 400\nuntil: converged\nepsilon: 0:0.2:0.01\n"
    "seed: 1..60\nkeep: [clusters, diameter, steps]\n";
#define KILLED (21 * 60)

static int stop_at_once(void *context, int64_t done, int64_t total)
{
    (void)total;
    ++*(int64_t *)context;
    return done > 0;
}

static void a_run_that_is_stopped_goes_on(void **state)
{
    const char *dir = folder("stopped"), *other = folder("whole");
    const struct trop_study_run_options options = { .threads = 1 };
    struct trop_study *study = NULL;
    struct trop_study_counts counts;
    int64_t asked = 0;

    (void)state;
    assert_ok(trop_study_create(&study, killed, NULL));
    assert_int_equal(trop_study_run(&counts, study, dir, &options, stop_at_once, &asked),
                     TROP_ERR_STOPPED);
    assert_non_null(strstr(trop_error(), "stopped after "));
    assert_null(strstr(trop_error(), " by ")); /* a verb says by what */
    assert_true(asked > 0);
    assert_ok(trop_study_run(&counts, study, dir, &options, NULL, NULL));
    assert_int_equal(counts.done, KILLED);
    trop_study_free(study);
    run_with(killed, other, options);
    read_rows(0, dir, KILLED);
    read_rows(1, other, KILLED);
    assert_same_rows(KILLED);
}

static void a_study_grows(void **state)
{
    const char *dir = folder("grows"), *other = folder("whole");
    const struct trop_study_run_options plain = { .threads = 1 }, more = { .extend = 1 };
    static const char was[] = "verb: flow\nn: 6\nsteps: 9\nbeta: [1, 2]\nkeep: [diameter]\n"
                              "seed: 2..4\n";
    static const char is[] = "verb: flow\nn: 6\nsteps: 9\nbeta: [1, 2]\nkeep: [diameter]\n"
                             "seed: 1..6\n";
    struct trop_study *study = NULL;

    (void)state;
    run_with(was, dir, plain);
    assert_ok(trop_study_create(&study, is, NULL));
    assert_int_equal(trop_study_run(NULL, study, dir, &plain, NULL, NULL), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "seed was 2:4:1 and is 1:6:1"));
    trop_study_free(study);
    run_with(is, dir, more);
    run_with(is, other, plain);
    assert_int_equal(read_rows(0, dir, 12), 0); /* nothing was computed twice */
    read_rows(1, other, 12);
    assert_same_rows(12);
}

static void folders_that_cannot_be_written_are_told(void **state)
{
    struct trop_study *study = NULL;
    const struct trop_study_run_options options = { 0 };
    struct trop_study_counts counts;
    const char *file = scratch("file");

    (void)state;
    scratch_fill(file, "x", 1);
    assert_ok(trop_study_create(&study, mixed, NULL));
    assert_int_equal(trop_study_run(&counts, study, "/proc/study", &options, NULL, NULL),
                     TROP_ERR_IO);
    assert_int_equal(trop_study_run(&counts, study, file, &options, NULL, NULL), TROP_ERR_IO);
    assert_non_null(strstr(trop_error(), file));
    assert_int_equal(trop_study_count(&counts, "/nowhere"), TROP_ERR_IO);
    trop_study_free(study);
}

/* Two studies that come to a new folder at once: the one that made it puts its file there, the
 * other waits for that and is refused. */
static void of_two_studies_one_takes_a_folder(void **state)
{
    struct trop_study_run_options options = { .threads = 1 };
    struct trop_study *study = NULL;
    const char *dir = scratch("two"), *log = scratch("two/log"), *file = scratch("two/study.yaml");
    const char *other = "verb: flow\nn: 7\nkeep: clusters\n";
    const struct timespec wait = { .tv_nsec = 50000000 };
    int status;

    (void)state;
    assert_int_equal(mkdir(dir, 0777), 0);
    assert_int_equal(mkdir(log, 0777), 0);
    const pid_t child = fork();
    if (child == 0) {
        nanosleep(&wait, NULL);
        const char *beside = scratch("other.yaml");
        scratch_fill(beside, other, strlen(other));
        _exit(rename(beside, file) != 0);
    }
    assert_ok(trop_study_create(&study, mixed, NULL));
    assert_int_equal(trop_study_run(NULL, study, dir, &options, NULL, NULL), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "has another study"));
    waitpid(child, &status, 0);
    trop_study_free(study);
    unlink(file);
    rmdir(log);
    rmdir(dir);
}

/* ---- the program, killed -----------------------------------------------------------------------
 */

/* So many kills, each of a run that goes on where the one before was killed; then one in peace. */
static int64_t kill_and_finish(const char *dir, int64_t first, int64_t last)
{
    static const char *const shards[] = { "0/1", "0/2", "1/2" };
    int64_t in_time = 0; /* before they had ended */
    int status;

    for (int64_t k = first; k < last; k++) {
        char line[200];
        const struct timespec wait = { .tv_nsec = whole(11, (uint64_t)k, 60000000) };
        snprintf(line, sizeof line, "study run killed.yaml --out %s --threads 2 --shard %s",
                 strrchr(dir, '/') + 1, shards[k % 3]);
        const pid_t child = start(line, 0);
        nanosleep(&wait, NULL);
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        in_time += WIFSIGNALED(status);
    }
    char line[200];
    snprintf(line, sizeof line, "study run killed.yaml --out %s", strrchr(dir, '/') + 1);
    waitpid(start(line, 0), &status, 0);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    read_rows(0, dir, KILLED);
    assert_same_rows(KILLED);
    return in_time;
}

/* Killed at any moment, a study goes on and ends with the rows of one that was left in peace. A new
 * one is begun every few kills, so that there is something left to kill. */
static void a_killed_study_loses_nothing(void **state)
{
    const char *other = folder("whole");
    const int64_t kills = cases(8, 100);
    int64_t in_time = 0;

    (void)state;
    scratch_fill(scratch("killed.yaml"), killed, strlen(killed));
    run_with(killed, other, (struct trop_study_run_options){ .threads = 2 });
    read_rows(1, other, KILLED);
    for (int64_t k = 0; k < kills; k += 4) {
        char name[32];
        snprintf(name, sizeof name, "killed-%d", (int)k);
        in_time += kill_and_finish(folder(name), k, k + 4);
    }
    assert_true(in_time > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(threads_and_shards_change_no_bit, clear),
        cmocka_unit_test_teardown(lanes_change_no_bit, clear),
        cmocka_unit_test(a_refused_value_is_a_row),
        cmocka_unit_test(lanes_record_what_flows_record),
        cmocka_unit_test(a_point_is_the_verb_with_its_options),
        cmocka_unit_test(every_verb_that_computes_has_studies),
        cmocka_unit_test_teardown(a_point_that_fails_is_a_row, clear),
        cmocka_unit_test_teardown(late_points_are_rows_until_they_have_time, clear),
        cmocka_unit_test_teardown(a_run_that_is_stopped_goes_on, clear),
        cmocka_unit_test_teardown(a_study_grows, clear),
        cmocka_unit_test_teardown(folders_that_cannot_be_written_are_told, clear),
        cmocka_unit_test_teardown(of_two_studies_one_takes_a_folder, clear),
        cmocka_unit_test_teardown(a_killed_study_loses_nothing, clear),
    };

    return cmocka_run_group_tests(tests, NULL, scratch_remove);
}
