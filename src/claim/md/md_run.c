/* md_run.c -- what the claims of the mirror-descent paper draw, solve and train. */
#include "claim/md/md.h"

#include "base/alloc.h"
#include "base/field.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define USE_EXPONENT 40 /* of the random numbers of a case */

/* ---- what a person gave ---- */

static enum trop_status check_size(const struct trop_case *c, const char *name, int64_t first,
                                   int64_t second)
{
    if (trop_case_size(c, name, 0) != first || trop_case_size(c, name, 1) != second ||
        trop_case_size(c, name, 2) != 0) {
        return trop_fail(TROP_ERR_ARG, "%s: does not fit X, or is missing", name);
    }
    return TROP_OK;
}

static enum trop_status check_tokens(const struct trop_case *c, int64_t n, int64_t T)
{
    const double *alpha = trop_case_array(c, "alpha");
    enum trop_status status = check_size(c, "alpha", n, 0);

    for (int64_t i = 0; status == TROP_OK && i < n; i++) {
        if (!(alpha[i] >= 0 && alpha[i] < (double)T)) {
            status = trop_fail(TROP_ERR_ARG, "alpha: %g is no token, they count from 0 to %lld",
                               alpha[i], (long long)T - 1);
        }
    }
    return status;
}

enum trop_status trop_md_check(const struct trop_case *c, int decoder)
{
    const int64_t n = trop_case_size(c, "X", 0), T = trop_case_size(c, "X", 1);
    const int64_t d = trop_case_size(c, "X", 2);

    if (n < 1 || n > 64 || T < 2 || d < 1) {
        return trop_fail(TROP_ERR_ARG,
                         "X: must be (n, T, d) with up to 64 inputs of two tokens or more");
    }
    if (trop_case_has(c, "K")) {
        return trop_fail(TROP_ERR_ARG, "data: have keys apart from their tokens; this claim is "
                                       "about logits x' W z");
    }
    enum trop_status status = check_size(c, "y", n, 0);
    if (status == TROP_OK) {
        status = check_size(c, "z", n, d);
    }
    if (status == TROP_OK && decoder) {
        status = check_size(c, "v", d, 0);
    }
    return status == TROP_OK && trop_case_has(c, "alpha") ? check_tokens(c, n, T) : status;
}

enum trop_status trop_md_check_matrix(const struct trop_case *c, const char *name, int64_t rows,
                                      int64_t columns)
{
    const int64_t a = trop_case_size(c, name, 0), b = trop_case_size(c, name, 1);

    if (trop_case_has(c, name) && (a < 1 || b < 1 || trop_case_size(c, name, 2) > 0 ||
                                   (rows > 0 && (a != rows || b != columns)))) {
        return trop_fail(TROP_ERR_ARG, "%s: must be a matrix of the size of the others", name);
    }
    return TROP_OK;
}

/* ---- drawing ---- */

enum trop_status trop_md_optimal(struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "X", 0);
    double *alpha = NULL;

    if (trop_case_has(c, "alpha")) {
        return TROP_OK;
    }
    int64_t *best = trop_alloc(n, sizeof *best);
    if (!best) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for the tokens of %lld inputs", (long long)n);
    }
    enum trop_status status = trop_case_make(&alpha, c, "alpha", n, 0, 0);
    if (status == TROP_OK) {
        trop_examples_optimal(best, c);
        for (int64_t i = 0; i < n; i++) {
            alpha[i] = (double)best[i];
        }
    }
    trop_alloc_free(best);
    return status;
}

enum trop_status trop_md_draw(struct trop_case *c, int64_t n, int64_t T, int64_t d)
{
    static const double exponents[] = { 1.75, 3, 2, 1.5 };
    enum trop_status status = trop_case_default(c, "p", exponents[c->trial % 4]);

    if (status == TROP_OK) {
        status = trop_examples_sphere(c, n, T, d, 1);
    }
    if (status == TROP_OK) {
        status = trop_md_check(c, 1);
    }
    return status == TROP_OK ? trop_md_optimal(c) : status;
}

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

/* ---- hypotheses, and ways to leave them ---- */

enum trop_status trop_md_is_exponent(struct trop_judge *judge, const struct trop_case *c)
{
    const double p = trop_case_number(c, "p");

    trop_judge_truth(judge, "p is above 1", -1, p > 1);
    trop_judge_truth(judge, "p is finite", -1, p < INFINITY);
    return TROP_OK;
}

enum trop_status trop_md_is_unique(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "X", 0), T = trop_case_size(c, "X", 1);

    for (int64_t i = 0; i < n; i++) {
        double first = -INFINITY, second = -INFINITY;
        for (int64_t t = 0; t < T; t++) {
            const double score = trop_md_score(c, i, t);
            second = fmax(second, fmin(first, score));
            first = fmax(first, score);
        }
        trop_judge_at_least(judge, "lead of the best token of an input", -1, first - second, 1e-9,
                            0);
    }
    return TROP_OK;
}

enum trop_status trop_md_is_long(struct trop_judge *judge, const struct trop_case *c)
{
    const double steps = trop_case_number(c, "steps");
    double power = 1e4;

    while (power < steps && power < 1e15) {
        power *= 10;
    }
    trop_judge_at_least(judge, "steps", -1, steps, 1e4, 0);
    trop_judge_truth(judge, "they are a power of ten", -1, !(steps >= 1e4) || steps == power);
    return TROP_OK;
}

enum trop_status trop_md_spoil_long(struct trop_case *c)
{
    return trop_case_put(c, "steps", 1000);
}

enum trop_status trop_md_is_solved(struct trop_judge *judge, const struct trop_case *c)
{
    const double lower = trop_case_number(c, "W_mm_lower");
    const double upper = trop_case_number(c, "W_mm_upper");

    trop_judge_truth(judge, "the problem is feasible and solved", -1,
                     trop_case_integer(c, "W_mm_outcome") == TROP_OUTCOME_SOLVED);
    trop_judge_at_most(judge, "proved gap of the norm", -1, upper / lower - 1, 1e-6, 0);
    return TROP_OK;
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
