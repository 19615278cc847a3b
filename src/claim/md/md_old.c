/* md_old.c -- what claims that still return a status solve and train with. */
#include "claim/md/md.h"

#include "base/alloc.h"
#include "base/field.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- solving ---- */

enum trop_status trop_md_solve(struct trop_case *c, double p, int64_t model, const char *name)
{
    static const char *const members[] = { "lower", "upper", "outcome" };
    const double *alpha = trop_case_array(c, "alpha");
    const int64_t n = trop_case_size(c, "alpha", 0);
    struct trop_margin_options o = trop_margin_options_default();
    struct trop_examples_solution solution = { 0 };
    int64_t tokens[64];
    char select[512], entry[32];

    if (n < 1 || n > 64) {
        return trop_fail(TROP_ERR_ARG, "alpha: a token for each of up to 64 inputs");
    }
    for (int64_t i = 0; i < n; i++) {
        tokens[i] = (int64_t)alpha[i];
    }
    trop_examples_select(select, tokens, n);
    o.select = select;
    o.model = model;
    o.norm = TROP_MARGIN_LP;
    o.p = p;
    enum trop_status status = trop_examples_margin(&solution, c, &o, name);
    const double numbers[] = { solution.lower, solution.upper, (double)solution.outcome };
    for (int64_t k = 0; k < 3 && status == TROP_OK; k++) {
        snprintf(entry, sizeof entry, "%s_%s", name, members[k]);
        status = trop_case_put(c, entry, numbers[k]);
    }
    return status;
}

/* ---- training ---- */

struct trop_train_options trop_md_options(double p, const char *optimizer, double eta,
                                          int64_t steps)
{
    struct trop_train_options o = trop_train_options_default();

    /* Cannot fail: callers pass only names that are in the table. */
    (void)trop_option_set(&o, trop_train_option_table(), "optimizer", optimizer);
    o.p = p;
    o.eta = eta;
    o.steps = steps;
    o.compare = TROP_TRAIN_COMPARE_NONE;
    return o;
}

enum trop_status trop_md_trained(struct trop_train **out, const struct trop_case *c,
                                 const struct trop_train_options *options)
{
    struct trop_train_options o = *options;
    struct trop_train *train = NULL;
    struct trop_data data;

    trop_examples_data(&data, c);
    o.data = &data;
    o.threads = 1;
    enum trop_status status = trop_train_create(&train, &o);
    if (status == TROP_OK) {
        status = trop_train_run(train, NULL, NULL);
    }
    if (status != TROP_OK) {
        trop_train_free(train);
        return status;
    }
    *out = train;
    return TROP_OK;
}

enum trop_status trop_md_record(double *out, const struct trop_train *train, int64_t row,
                                const char *column)
{
    return trop_field_cell_number(out, trop_train_field_table(), train, "history", column, row);
}

int64_t trop_md_row(const struct trop_case *c, const char *prefix, int64_t step)
{
    char entry[32];

    snprintf(entry, sizeof entry, "%s_step", prefix);
    const double *steps = trop_case_array(c, entry);
    for (int64_t row = 0; row < trop_case_size(c, entry, 0); row++) {
        if ((int64_t)steps[row] == step) {
            return row;
        }
    }
    return -1;
}

/* Integers of a field as an entry (count). */
static enum trop_status put_integers(struct trop_case *c, const char *name,
                                     const struct trop_value *value)
{
    double *out = NULL;

    if (value->kind != TROP_KIND_INTEGERS) {
        return TROP_OK;
    }
    enum trop_status status = trop_case_make(&out, c, name, value->shape[0], 0, 0);
    for (int64_t k = 0; status == TROP_OK && k < value->shape[0]; k++) {
        out[k] = (double)value->integers[k];
    }
    return status;
}

static enum trop_status put_column(struct trop_case *c, const struct trop_train *train,
                                   int64_t rows, const char *prefix, const char *column)
{
    char entry[32];
    double *out = NULL;

    snprintf(entry, sizeof entry, "%s_%s", prefix, column);
    enum trop_status status = trop_case_make(&out, c, entry, rows, 0, 0);
    for (int64_t row = 0; status == TROP_OK && row < rows; row++) {
        status = trop_md_record(out + row, train, row, column);
    }
    return status;
}

static enum trop_status put_weights(struct trop_case *c, const char *entry,
                                    const struct trop_field *table, const char *list,
                                    const void *handle, int64_t rows)
{
    struct trop_value value = { 0 };
    double *out = NULL;

    enum trop_status status = trop_field_cell(&value, table, handle, list, "weights", 0);
    if (status == TROP_OK && value.kind != TROP_KIND_NUMBERS) {
        status = trop_fail(TROP_ERR_UNSUPPORTED, "weights: too many to keep at every record");
    }
    const int64_t size = value.shape[0];
    status = status == TROP_OK ? trop_case_make(&out, c, entry, rows, size, 0) : status;
    for (int64_t row = 0; status == TROP_OK && row < rows; row++) {
        status = trop_field_cell(&value, table, handle, list, "weights", row);
        if (status == TROP_OK) {
            memcpy(out + row * size, value.numbers, (size_t)size * sizeof *out);
        }
    }
    return status;
}

enum trop_status trop_md_history(struct trop_case *c, const struct trop_train *train,
                                 const char *prefix)
{
    struct trop_value list = { 0 }, alpha = { 0 };
    char entry[32];

    enum trop_status status = trop_train_value(&list, train, "history");
    const int64_t rows = list.shape[0];
    if (status == TROP_OK) {
        status = put_column(c, train, rows, prefix, "step");
    }
    if (status == TROP_OK) {
        status = put_column(c, train, rows, prefix, "norm");
    }
    if (status == TROP_OK) {
        snprintf(entry, sizeof entry, "%s_weights", prefix);
        status = put_weights(c, entry, trop_train_field_table(), "history", train, rows);
    }
    if (status == TROP_OK) {
        status = trop_train_value(&alpha, train, "alpha");
    }
    snprintf(entry, sizeof entry, "%s_alpha", prefix);
    return status == TROP_OK ? put_integers(c, entry, &alpha) : status;
}

enum trop_status trop_md_train(struct trop_case *c, const struct trop_train_options *options,
                               const char *prefix)
{
    struct trop_train *train = NULL;
    enum trop_status status = trop_md_trained(&train, c, options);

    if (status == TROP_OK) {
        status = trop_md_history(c, train, prefix);
    }
    trop_train_free(train);
    return status;
}

/* ---- paths ---- */

static enum trop_status take_path(struct trop_case *c, const struct trop_path *path)
{
    static const char *const columns[] = { "radius", "misalignment" };
    const struct trop_field *table = trop_path_field_table();
    struct trop_value list = { 0 }, alpha = { 0 };
    double *out = NULL;
    enum trop_status status = trop_path_value(&list, path, "radii");
    const int64_t rows = list.shape[0];

    for (int64_t k = 0; k < 2 && status == TROP_OK; k++) {
        status = trop_case_make(&out, c, columns[k], rows, 0, 0);
        for (int64_t row = 0; status == TROP_OK && row < rows; row++) {
            status = trop_field_cell_number(out + row, table, path, "radii", columns[k], row);
        }
    }
    if (status == TROP_OK) {
        status = put_weights(c, "path", table, "radii", path, rows);
    }
    if (status == TROP_OK) {
        status = trop_field_cell(&alpha, table, path, "radii", "alpha", rows - 1);
    }
    return status == TROP_OK ? put_integers(c, "path_alpha", &alpha) : status;
}

enum trop_status trop_md_path(struct trop_case *c, const struct trop_path_options *options)
{
    struct trop_path_options o = *options;
    struct trop_path *path = NULL;
    struct trop_data data;

    trop_examples_data(&data, c);
    o.data = &data;
    o.threads = c->threads;
    enum trop_status status = trop_path_create(&path, &o);
    if (status == TROP_OK) {
        status = trop_path_run(path, NULL, NULL);
    }
    /* A radius whose iteration was stopped early shows in its misalignment. */
    if (status == TROP_OK || status == TROP_ERR_STOPPED) {
        status = take_path(c, path);
    }
    trop_path_free(path);
    return status;
}

enum trop_status trop_md_spoil_long(struct trop_case *c)
{
    return trop_case_put(c, "steps", 1000);
}

enum trop_status trop_md_spoil_exponent(struct trop_case *c)
{
    return trop_case_put(c, "p", 1);
}

enum trop_status trop_md_spoil_scores(struct trop_case *c)
{
    memset(trop_case_array(c, "v"), 0, (size_t)trop_case_size(c, "v", 0) * sizeof(double));
    return TROP_OK;
}

enum trop_status trop_md_spoil_solved(struct trop_case *c)
{
    return trop_case_put(c, "W_mm_outcome", TROP_OUTCOME_STALLED);
}
