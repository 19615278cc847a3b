/* study_support.h -- a study whose logs are made up: records are functions of their point. */
#ifndef TROP_TESTS_STUDY_SUPPORT_H
#define TROP_TESTS_STUDY_SUPPORT_H

#include "support.h"

#include "base/alloc.h"
#include "io/h5/h5.h"
#include "run/study/catalogue/study_catalogue.h"
#include "scratch.h"

#include <sys/stat.h>

#define EPSILONS 6
#define SEEDS 50
#define POINTS (3 * EPSILONS * SEEDS)

static const char study_text[] = "verb: flow\n"
                                 "rule: [localmax, softmax, hardmax]\n"
                                 "epsilon: 0:1:0.2\n"
                                 "seed: 1..50\n"
                                 "n: 8\n"
                                 "keep: [clusters, converged, diameter, certificate.kind, labels, "
                                 "record.energy]\n";

/* ---- what a point has ---- */

static inline int64_t clusters_at(int64_t point)
{
    return 1 + (point * 7919) % 11;
}

static inline double diameter_at(int64_t point)
{
    return 1e15 + uniform(5, (uint64_t)point); /* squares of which lose even double-double */
}

static inline int64_t energies_at(int64_t point)
{
    return point % 7;
}

/* ---- logs ---- */

/* Points first, first + step, ... below last. spoilt: every so many of them are of state. */
struct fake_log {
    const char *dir, *name;
    int64_t started, first, last, step, spoilt, state;
};

static const struct fake_log *fake_logs; /* ended by a name NULL */

static inline enum trop_status show_point(const struct fake_log *log, int64_t point,
                                          trop_study_visit *visit, void *context)
{
    static const char *const kinds[] = { "consensus", "theorem 4.2", "it's \"T5\", or so" };
    const struct trop_study_source source = {
        log->name, trop_version(), "tropism study run", "host", "", log->started
    };
    const int is_spoilt = log->spoilt > 0 && point % log->spoilt == 0;
    double energy[8];
    int64_t labels[8];

    for (int64_t k = 0; k < 8; k++) {
        energy[k] = uniform(6, (uint64_t)(8 * point + k));
        labels[k] = (point + k) % 5;
    }
    const struct trop_value values[] = {
        { .kind = TROP_KIND_INTEGER, .integer = clusters_at(point) },
        { .kind = TROP_KIND_BOOLEAN, .integer = point % 3 == 0 },
        { .kind = point % 10 == 9 ? TROP_KIND_NULL : TROP_KIND_NUMBER,
          .number = diameter_at(point) },
        { .kind = TROP_KIND_TEXT, .text = kinds[point % 3] },
        { .kind = TROP_KIND_INTEGERS, .integers = labels, .rank = 1, .shape = { 8 } },
        { .kind = TROP_KIND_NUMBERS,
          .numbers = energy,
          .rank = 1,
          .shape = { energies_at(point) } },
    };
    const struct trop_study_record record = {
        .point = point,
        .state = is_spoilt ? log->state : TROP_STUDY_DONE,
        .sentence = is_spoilt ? log->name : "",
        .values = is_spoilt ? NULL : values,
    };
    return visit(context, &source, &record);
}

static inline enum trop_status fake_each(const char *dir, const struct trop_study_spec *spec,
                                         int values, trop_study_visit *visit, void *context)
{
    const char *name = strrchr(dir, '/') + 1;
    enum trop_status status = TROP_OK;

    (void)spec, (void)values;
    for (const struct fake_log *log = fake_logs; log->name && status == TROP_OK; log++) {
        for (int64_t p = log->first; strcmp(log->dir, name) == 0 && p < log->last; p += log->step) {
            status = show_point(log, p, visit, context);
            if (status != TROP_OK) {
                break;
            }
        }
    }
    return status;
}

/* ---- merges ---- */

static struct trop_study_spec study;
static char dir_a[256], dir_b[256]; /* folders of the test */

static inline int read_study(void **state)
{
    (void)state;
    snprintf(dir_a, sizeof dir_a, "%s", scratch("a"));
    snprintf(dir_b, sizeof dir_b, "%s", scratch("b"));
    return trop_study_spec_read(&study, study_text, "test.yaml", NULL) == TROP_OK ? 0 : -1;
}

static inline int free_study(void **state)
{
    trop_study_spec_free(&study);
    return scratch_remove(state);
}

static inline enum trop_status merge(const char *dir, const char *const *others)
{
    mkdir(dir, 0777);
    return trop_study_merge_from(dir, others, &study, fake_each, NULL, NULL);
}

static inline void merged(const char *dir, const char *const *others)
{
    if (merge(dir, others) != TROP_OK) {
        fail_msg("%s", trop_error());
    }
}

static inline void drop(const char *dir)
{
    scratch_clear(AT_FDCWD, dir);
    rmdir(dir);
}

/* ---- what came of it ---- */

/* All rows of a statement as text. */
static inline void write_rows(FILE *out, const char *dir, const char *sql)
{
    struct trop_sqlite *db = NULL;
    struct trop_sqlite_rows *rows = NULL;
    int more = 0;

    if (trop_study_catalogue_open(&db, dir) != TROP_OK ||
        trop_sqlite_prepare(&rows, db, sql) != TROP_OK) {
        fail_msg("%s", trop_error());
    }
    while (trop_sqlite_next(&more, rows) == TROP_OK && more) {
        for (int64_t k = 0; k < trop_sqlite_columns(rows); k++) {
            const struct trop_value value = trop_sqlite_value(rows, k);
            fprintf(out, "%s%lld %.17g %s", k > 0 ? "|" : "",
                    (long long)(value.kind == TROP_KIND_INTEGER ? value.integer : -1),
                    value.kind == TROP_KIND_NUMBER ? value.number : -1,
                    value.kind == TROP_KIND_TEXT ? value.text : "");
        }
        fprintf(out, "\n");
    }
    trop_sqlite_finish(rows);
    trop_sqlite_close(db);
}

static inline char *rows_of(const char *dir, const char *sql)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    write_rows(out, dir, sql);
    fclose(out);
    return text;
}

static inline void write_numbers(FILE *out, const char *dir, const char *name)
{
    struct trop_h5 *h5 = NULL;
    struct trop_array array = { 0 };
    char path[512];

    snprintf(path, sizeof path, "%s/arrays.h5", dir);
    if (trop_h5_open(&h5, path) != TROP_OK || trop_h5_numbers(&array, h5, name) != TROP_OK) {
        fail_msg("%s", trop_error());
    }
    for (int64_t k = 0; k < trop_array_count(array.rank, array.shape); k++) {
        fprintf(out, "%.17g ", array.data[k]);
    }
    trop_array_free(&array);
    trop_h5_abandon(h5);
}

/* Everything that a merge makes, as text. */
static inline char *dump(const char *dir)
{
    static const char *const sql[] = {
        "SELECT * FROM about WHERE name <> 'log_bytes' ORDER BY name",
        "SELECT * FROM fixed ORDER BY name",
        "SELECT * FROM runs ORDER BY run",
        "SELECT * FROM points ORDER BY point",
        "SELECT * FROM results ORDER BY point",
    };
    static const char *const arrays[] = { "values/labels", "values/record/energy", "shape/labels",
                                          "shape/record/energy" };
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    for (size_t k = 0; k < sizeof sql / sizeof sql[0]; k++) {
        write_rows(out, dir, sql[k]);
    }
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) {
        write_numbers(out, dir, arrays[k]);
    }
    fclose(out);
    return text;
}

static inline void assert_same_dump(const char *dir, const char *wanted)
{
    char *text = dump(dir);

    assert_string_equal(text, wanted);
    free(text);
}

static inline void assert_rows(const char *dir, const char *sql, const char *wanted)
{
    char *text = rows_of(dir, sql);

    assert_string_equal(text, wanted);
    free(text);
}

static inline void assert_sentence(enum trop_status status, enum trop_status wanted,
                                   const char *part)
{
    if (status != wanted || !strstr(trop_error(), part)) {
        fail_msg("status %d, wanted %d; \"%s\" is to have \"%s\"", (int)status, (int)wanted,
                 trop_error(), part);
    }
}

/* ---- a catalogue for all tests of a file ---- */

/* All points but those that failed, told once. */
static const struct fake_log told_once[] = {
    { "a", "1-0", 100, 0, POINTS, 1, 16, TROP_STUDY_FAILED },
    { 0 },
};

static inline int merge_study(void **state)
{
    const int failed = read_study(state);

    fake_logs = told_once;
    merged(dir_a, NULL);
    return failed;
}

static inline int drop_study(void **state)
{
    drop(dir_a);
    return free_study(state);
}

#endif
