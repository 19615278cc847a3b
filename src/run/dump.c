/* dump.c -- exact max-margin problems in files.
 *
 *   min |W|   subject to   <A_j, W> >= right_j   (= right_j where equal_j is 1),
 *   A_j = (point[plus_j] - point[minus_j]) query[asked_j]',
 *
 * as the arrays of struct trop_problem under the names of its members, with rows, columns, the norm
 * by name and its exponent p. Members of a JSON object or datasets at the root of an HDF5 file;
 * doubles are written so that they read back to the same bits, so that solving a dump is solving
 * the problem.
 */
#include "run/dump.h"

#include "base/alloc.h"
#include "base/status.h"
#include "io/h5/h5.h"
#include "io/json/json.h"
#include "io/json/json_read.h"
#include "io/known.h"
#include "margin/model/model.h"
#include "margin/norm.h"
#include "run/layout.h"
#include "run/out.h"
#include "run/setup/setup.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define FORMAT "tropism problem"
#define LAYOUT 1

struct trop_dump {
    struct trop_model_problem made;
    int64_t norm;
    double p;
};

/* The arrays of a problem. */
enum { POINT, QUERY, RIGHT, PLUS, MINUS, ASKED, EQUAL, INPUT, TOKEN, ARRAYS };

static const struct {
    const char *key;
    size_t offset; /* of the pointer in struct trop_problem */
} arrays[ARRAYS] = {
    [POINT] = { "point", offsetof(struct trop_problem, point) },
    [QUERY] = { "query", offsetof(struct trop_problem, query) },
    [RIGHT] = { "right", offsetof(struct trop_problem, right) },
    [PLUS] = { "plus", offsetof(struct trop_problem, plus) },
    [MINUS] = { "minus", offsetof(struct trop_problem, minus) },
    [ASKED] = { "asked", offsetof(struct trop_problem, asked) },
    [EQUAL] = { "equal", offsetof(struct trop_problem, equal) },
    [INPUT] = { "input", offsetof(struct trop_problem, input) },
    [TOKEN] = { "token", offsetof(struct trop_problem, token) },
};

/* The names of a file: format, layout and version are attributes in HDF5. */
static const char *const known[] = { "norm",  "p",      "rows",   "columns", "point", "query",
                                     "right", "plus",   "minus",  "asked",   "equal", "input",
                                     "token", "format", "layout", "version", NULL };

/* Doubles come first. */
static int is_integer(int64_t array)
{
    return array >= PLUS;
}

static const char *const *norm_names(void)
{
    return trop_option_find(trop_margin_option_table(), "norm")->names;
}

/* ---- writing --------------------------------------------------------------------------------- */

static struct trop_value array_value(const struct trop_problem *problem, int64_t array)
{
    const void *const *place = (const void *const *)((const char *)problem + arrays[array].offset);
    struct trop_value value = { .rank = 1, .shape = { problem->count } };

    if (array == POINT || array == QUERY) {
        value.rank = 2;
        value.shape[0] = array == POINT ? problem->points : problem->queries;
        value.shape[1] = array == POINT ? problem->rows : problem->columns;
    }
    if (is_integer(array)) {
        value.kind = TROP_KIND_INTEGERS;
        value.integers = *place;
    } else {
        value.kind = TROP_KIND_NUMBERS;
        value.numbers = *place;
    }
    return value;
}

/* What stands beside the arrays. */
#define HEADS 4
struct head {
    const char *key;
    struct trop_value value;
};

enum trop_status trop_dump_put(struct trop_h5 *h5, const char *group,
                               const struct trop_problem *problem)
{
    enum trop_status status = TROP_OK;

    for (int64_t k = 0; k < ARRAYS && status == TROP_OK; k++) {
        struct trop_value value = array_value(problem, k);
        char name[64];
        snprintf(name, sizeof name, "%s%s", group, arrays[k].key);
        status = trop_h5_put(h5, name, &value);
    }
    return status;
}

static enum trop_status write_h5(const char *path, const struct trop_problem *problem,
                                 const struct head heads[HEADS])
{
    struct trop_h5 *h5;
    enum trop_status status = trop_out_open(&h5, path, FORMAT);

    if (status != TROP_OK) {
        return status;
    }
    for (int k = 0; k < HEADS && status == TROP_OK; k++) {
        status = trop_h5_put(h5, heads[k].key, &heads[k].value);
    }
    return trop_out_close(h5, status == TROP_OK ? trop_dump_put(h5, "", problem) : status);
}

static enum trop_status refuse_ending(const char *path)
{
    return trop_fail(TROP_ERR_ARG, "%s: a problem is a file that ends in .json or .h5", path);
}

enum trop_status trop_dump_write(const char *path, const struct trop_problem *problem, int64_t norm,
                                 double p)
{
    struct head heads[HEADS];

    if (norm < 0 || norm >= TROP_NORM_COUNT) {
        return trop_fail(TROP_ERR_ARG, "norm = %lld: is none of enum trop_margin_norm",
                         (long long)norm);
    }
    heads[0] = (struct head){ "norm", { .kind = TROP_KIND_TEXT, .text = norm_names()[norm] } };
    heads[1] = (struct head){ "p", { .kind = TROP_KIND_NUMBER, .number = p } };
    heads[2] = (struct head){ "rows", { .kind = TROP_KIND_INTEGER, .integer = problem->rows } };
    heads[3] =
        (struct head){ "columns", { .kind = TROP_KIND_INTEGER, .integer = problem->columns } };
    if (trop_setup_ends(path, ".json")) {
        const struct trop_value format = { .kind = TROP_KIND_TEXT, .text = FORMAT };
        const struct trop_value layout = { .kind = TROP_KIND_INTEGER, .integer = LAYOUT };
        const struct trop_value version = { .kind = TROP_KIND_TEXT, .text = trop_version() };
        struct trop_json json = { 0 };
        trop_json_open(&json, NULL, '{');
        trop_json_value(&json, "format", &format);
        trop_json_value(&json, "layout", &layout);
        trop_json_value(&json, "version", &version);
        for (int k = 0; k < HEADS; k++) {
            trop_json_value(&json, heads[k].key, &heads[k].value);
        }
        for (int64_t k = 0; k < ARRAYS; k++) {
            struct trop_value value = array_value(problem, k);
            trop_json_value(&json, arrays[k].key, &value);
        }
        return trop_out_object(path, &json);
    }
    return trop_out_is_h5(path) ? write_h5(path, problem, heads) : refuse_ending(path);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* What a file holds, before it is a problem. */
struct raw {
    const char *path;
    char *norm;    /* owned */
    double *p;     /* one number */
    int64_t *rows; /* one number, as columns */
    int64_t *columns;
    void *data[ARRAYS];     /* 8 bytes an element */
    int64_t counts[ARRAYS]; /* elements */
    int64_t widths[ARRAYS]; /* of the rows, for doubles: the last axis of a table, else 0 */
};

/* The two kinds of files behind one look: numbers and integers, flat, by key. */
struct source {
    struct trop_json_read *json;
    struct trop_h5 *h5; /* one of the two */
};

static enum trop_status read_numbers(double **out, int64_t *count, int64_t *width,
                                     const struct source *source, const char *key)
{
    struct trop_array array = { 0 };
    enum trop_status status = source->json ? trop_json_read_numbers(&array, source->json, key)
                                           : trop_h5_numbers(&array, source->h5, key);

    if (status == TROP_OK) {
        *out = array.data;
        *count = trop_array_count(array.rank, array.shape);
        *width = array.rank == 2 ? array.shape[1] : 0;
    }
    return status;
}

static enum trop_status read_integers(int64_t **out, int64_t *count, const struct source *source,
                                      const char *key)
{
    struct trop_array shape = { 0 };

    if (source->h5) {
        return trop_h5_integers(out, count, source->h5, key);
    }
    enum trop_status status = trop_json_read_integers(out, &shape, source->json, key);
    if (status == TROP_OK) {
        *count = trop_array_count(shape.rank, shape.shape);
    }
    return status;
}

static enum trop_status read_text(char **out, const struct source *source, const char *key)
{
    const char *text;

    if (source->h5) {
        return trop_h5_text(out, source->h5, key, NULL);
    }
    enum trop_status status = trop_json_read_text(&text, source->json, key);
    return status == TROP_OK ? trop_out_copy(out, text) : status;
}

static enum trop_status one(const struct raw *raw, const char *key, int64_t count)
{
    return count == 1 ? TROP_OK
                      : trop_fail(TROP_ERR_IO, "%s: %s: %lld numbers, must be one", raw->path, key,
                                  (long long)count);
}

static enum trop_status read_raw(struct raw *raw, const struct source *source)
{
    int64_t count = 0, width = 0;
    enum trop_status status = read_text(&raw->norm, source, "norm");
    if (status == TROP_OK) {
        status = read_numbers(&raw->p, &count, &width, source, "p");
    }
    if (status == TROP_OK) {
        status = one(raw, "p", count);
    }
    if (status == TROP_OK) {
        status = read_integers(&raw->rows, &count, source, "rows");
    }
    if (status == TROP_OK) {
        status = one(raw, "rows", count);
    }
    if (status == TROP_OK) {
        status = read_integers(&raw->columns, &count, source, "columns");
    }
    if (status == TROP_OK) {
        status = one(raw, "columns", count);
    }

    for (int64_t k = 0; k < ARRAYS && status == TROP_OK; k++) {
        double *numbers = NULL;
        int64_t *integers = NULL;
        if (is_integer(k)) {
            status = read_integers(&integers, raw->counts + k, source, arrays[k].key);
            raw->data[k] = integers;
        } else {
            status =
                read_numbers(&numbers, raw->counts + k, raw->widths + k, source, arrays[k].key);
            raw->data[k] = numbers;
        }
    }
    return status;
}

static enum trop_status check_layout(const char *path, int64_t layout)
{
    return layout == LAYOUT ? TROP_OK
                            : trop_fail(TROP_ERR_IO, "%s: layout is %lld: must be %d", path,
                                        (long long)layout, LAYOUT);
}

static enum trop_status open_json(struct source *source, const char *path)
{
    const char *format = "";
    enum trop_status status = trop_json_read_open(&source->json, path);

    if (status == TROP_OK) {
        status = trop_json_read_keys(source->json, known);
    }
    if (status == TROP_OK) {
        status = trop_json_read_text(&format, source->json, "format");
    }
    if (status == TROP_OK && strcmp(format, FORMAT) != 0) {
        status =
            trop_fail(TROP_ERR_IO, "%s: format is \"%.64s\": must be \"%s\"", path, format, FORMAT);
    }
    if (status != TROP_OK) {
        return status;
    }
    int64_t *layout = NULL, count = 0;
    status = read_integers(&layout, &count, source, "layout");
    if (status == TROP_OK) {
        status = count == 1 ? check_layout(path, *layout)
                            : trop_fail(TROP_ERR_IO, "%s: layout: %lld numbers, must be one", path,
                                        (long long)count);
    }
    trop_alloc_free(layout);
    return status;
}

static enum trop_status known_dataset(void *context, const char *name)
{
    return trop_known_check(context, "dataset", name, known);
}

static enum trop_status open_h5(struct source *source, const char *path)
{
    char *format = NULL;
    int64_t layout = 0;
    enum trop_status status = trop_h5_open(&source->h5, path);

    if (status == TROP_OK) {
        status = trop_h5_list(source->h5, known_dataset, (void *)path);
    }
    if (status == TROP_OK) {
        status = trop_h5_text(&format, source->h5, "/", "format");
    }
    if (status == TROP_OK && strcmp(format, FORMAT) != 0) {
        status =
            trop_fail(TROP_ERR_IO, "%s: format is \"%.64s\": must be \"%s\"", path, format, FORMAT);
    }
    trop_alloc_free(format);
    if (status == TROP_OK) {
        status = trop_h5_attribute_integer(&layout, source->h5, "/", "layout");
    }
    if (status == TROP_OK) {
        status = check_layout(path, layout);
    }
    return status == TROP_OK ? trop_layout_check(source->h5, path) : status;
}

/* Points and queries are whole rows, and every other array has an entry for each constraint. */
static enum trop_status check_counts(const struct raw *raw)
{
    const int64_t widths[] = { [POINT] = *raw->rows, [QUERY] = *raw->columns };

    for (int k = POINT; k <= QUERY; k++) {
        int table = raw->counts[k] == 0 || raw->widths[k] == widths[k];
        if (widths[k] < 1 || !table) {
            return trop_fail(TROP_ERR_IO, "%s: %s: must be a table with rows of %lld", raw->path,
                             arrays[k].key, (long long)widths[k]);
        }
    }
    for (int k = RIGHT; k < ARRAYS; k++) {
        if (raw->counts[k] != raw->counts[PLUS]) {
            return trop_fail(TROP_ERR_IO, "%s: %s: %lld numbers: must be %lld, as plus has",
                             raw->path, arrays[k].key, (long long)raw->counts[k],
                             (long long)raw->counts[PLUS]);
        }
    }
    return TROP_OK;
}

static enum trop_status check_norm(int64_t *out, const struct raw *raw)
{
    const char *const *names = norm_names();
    enum trop_status status = trop_known_check(raw->path, "norm", raw->norm, names);

    for (int64_t k = 0; names[k] && status == TROP_OK; k++) {
        if (strcmp(names[k], raw->norm) == 0) {
            *out = k;
        }
    }
    return status;
}

/* The problem that the arrays are, judged by the model. */
static enum trop_status build(struct trop_dump *dump, const struct raw *raw)
{
    struct trop_problem problem = { .rows = *raw->rows, .columns = *raw->columns };
    enum trop_status status = check_counts(raw);

    if (status == TROP_OK) {
        status = check_norm(&dump->norm, raw);
    }
    if (status != TROP_OK) {
        return status;
    }
    problem.points = raw->counts[POINT] / problem.rows;
    problem.queries = raw->counts[QUERY] / problem.columns;
    problem.count = raw->counts[PLUS];
    for (int k = 0; k < ARRAYS; k++) {
        memcpy((char *)&problem + arrays[k].offset, raw->data + k, sizeof raw->data[k]);
    }
    dump->p = *raw->p;
    status = trop_model_copy(&dump->made, &problem);
    if (status == TROP_ERR_ARG) { /* a wrong argument there is a wrong file here */
        return trop_fail(TROP_ERR_IO, "%s: %s", raw->path, trop_error());
    }
    return status;
}

enum trop_status trop_dump_read(struct trop_dump **out, const char *path)
{
    struct source source = { 0 };
    struct raw raw = { .path = path };
    int json = trop_setup_ends(path, ".json");

    if (!json && !trop_out_is_h5(path)) {
        return refuse_ending(path);
    }
    struct trop_dump *dump = trop_alloc(1, sizeof *dump);
    if (!dump) {
        return trop_fail(TROP_ERR_MEMORY, "%s: no memory", path);
    }
    enum trop_status status = json ? open_json(&source, path) : open_h5(&source, path);
    if (status == TROP_OK) {
        status = read_raw(&raw, &source);
    }
    if (status == TROP_OK) {
        status = build(dump, &raw);
    }
    for (int k = 0; k < ARRAYS; k++) {
        trop_alloc_free(raw.data[k]);
    }
    TROP_FREE(raw.norm, raw.p, raw.rows, raw.columns);
    trop_json_read_close(source.json);
    trop_h5_abandon(source.h5);
    if (status != TROP_OK) {
        trop_dump_free(dump);
        return status;
    }
    *out = dump;
    return TROP_OK;
}

void trop_dump_free(struct trop_dump *dump)
{
    if (dump) {
        trop_model_free(&dump->made);
        trop_alloc_free(dump);
    }
}

const struct trop_problem *trop_dump_problem(const struct trop_dump *dump)
{
    return &dump->made.problem;
}

int64_t trop_dump_norm(const struct trop_dump *dump)
{
    return dump->norm;
}

double trop_dump_p(const struct trop_dump *dump)
{
    return dump->p;
}
