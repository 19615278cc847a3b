/* mm_old.c -- helpers of the max-margin paper for claims that return a status. */
#include "claim/mm/mm.h"

#include "base/alloc.h"
#include "base/field.h"
#include "base/status.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const struct trop_input trop_mm_inputs[] = {
    { "X", "(n, T, d)", "tokens" },
    { "y", "(n)", "labels, -1 or 1" },
    { "v", "(d)", "decoder" },
    { "K", "(n, T, dk)", "keys; the tokens when absent" },
    { 0 },
};

/* ---- solutions ---- */

static enum trop_status put_named(struct trop_case *c, const char *name, const char *what,
                                  double value)
{
    char entry[64];

    snprintf(entry, sizeof entry, "%s_%s", name, what);
    return trop_case_put(c, entry, value);
}

static double field(const struct trop_margin *margin, const char *name)
{
    struct trop_value value = { 0 };

    if (trop_margin_value(&value, margin, name) != TROP_OK) {
        return NAN;
    }
    return value.kind == TROP_KIND_NUMBER ? value.number
           : value.kind == TROP_KIND_INTEGER || value.kind == TROP_KIND_BOOLEAN
               ? (double)value.integer
               : NAN;
}

static enum trop_status put_solution(struct trop_case *c, const struct trop_margin *margin,
                                     const char *name)
{
    static const char *const fields[] = { "lower", "upper", "cone.mu", "cone.radius" };
    static const char *const names[] = { "lower", "upper", "mu", "radius" };
    const int64_t rows = trop_margin_problem(margin)->rows;
    const double local = field(margin, "locally_optimal");
    struct trop_value outcome = { 0 };
    double *w = NULL;
    enum trop_status status = trop_case_make(&w, c, name, rows, 0, 0);

    if (status == TROP_OK) {
        memcpy(w, trop_margin_weights(margin), (size_t)rows * sizeof *w);
        status = trop_margin_value(&outcome, margin, "outcome");
    }
    if (status == TROP_OK) {
        const int is_solved = strcmp(outcome.text, "solved") == 0;
        put_named(c, name, "outcome", is_solved ? TROP_OUTCOME_SOLVED : TROP_OUTCOME_INFEASIBLE);
        status = put_named(c, name, "solved", is_solved);
    }
    for (int k = 0; k < 4 && status == TROP_OK; k++) {
        status = put_named(c, name, names[k], field(margin, fields[k]));
    }
    return status == TROP_OK ? put_named(c, name, "local", isnan(local) ? -1 : local) : status;
}

enum trop_status trop_mm_solve_with(struct trop_case *c, const struct trop_margin_options *options,
                                    const char *name)
{
    struct trop_margin_options o = *options;
    struct trop_margin *margin = NULL;
    struct trop_data data;

    trop_examples_data(&data, c);
    o.data = o.problem ? NULL : &data;
    o.threads = 1;
    enum trop_status status = trop_margin_create(&margin, &o);
    if (status == TROP_OK) {
        status = trop_margin_run(margin, NULL, NULL);
    }
    if (status == TROP_OK || status == TROP_ERR_STOPPED) {
        status = put_solution(c, margin, name);
    }
    trop_margin_free(margin);
    return status;
}

/* ---- trajectories ---- */

enum trop_status trop_mm_options(struct trop_train_options *out, const char *optimizer, double eta,
                                 int64_t steps)
{
    struct trop_train_options o = trop_train_options_default();

    o.model = TROP_TRAIN_PROMPT;
    o.eta = eta;
    o.steps = steps;
    o.threads = 1;
    o.compare = TROP_TRAIN_COMPARE_NONE;
    *out = o;
    return trop_option_set(out, trop_train_option_table(), "optimizer", optimizer);
}

static enum trop_status put_history(struct trop_case *c, const struct trop_train *train,
                                    const char *name)
{
    const struct trop_field *table = trop_train_field_table();
    struct trop_value history = { 0 }, weights = { 0 };
    double *path = NULL, *steps = NULL;
    char entry[64];
    enum trop_status status = trop_train_value(&history, train, "history");

    if (status == TROP_OK) {
        status = trop_field_cell(&weights, table, train, "history", "weights", 0);
    }
    if (status == TROP_OK && weights.kind != TROP_KIND_NUMBERS) {
        status = trop_fail(TROP_ERR_UNSUPPORTED, "the weights are too many to keep every record");
    }
    const int64_t size = weights.shape[0];
    if (status == TROP_OK) {
        status = trop_case_make(&path, c, name, history.shape[0], size, 0);
    }
    if (status == TROP_OK) {
        snprintf(entry, sizeof entry, "%s_step", name);
        status = trop_case_make(&steps, c, entry, history.shape[0], 0, 0);
    }
    for (int64_t row = 0; status == TROP_OK && row < history.shape[0]; row++) {
        status = trop_field_cell_number(steps + row, table, train, "history", "step", row);
        if (status == TROP_OK) {
            status = trop_field_cell(&weights, table, train, "history", "weights", row);
        }
        if (status == TROP_OK) {
            memcpy(path + row * size, weights.numbers, (size_t)size * sizeof *path);
        }
    }
    return status;
}

enum trop_status trop_mm_train(struct trop_case *c, const struct trop_train_options *options,
                               const char *name)
{
    struct trop_train_options o = *options;
    struct trop_train *train = NULL;
    struct trop_data data;

    trop_examples_data(&data, c);
    o.data = &data;
    enum trop_status status = trop_train_create(&train, &o);
    if (status == TROP_OK) {
        status = trop_train_run(train, NULL, NULL);
    }
    if (status == TROP_OK) {
        status = put_history(c, train, name);
    }
    trop_train_free(train);
    return status;
}

int64_t trop_mm_row(const struct trop_case *c, const char *name, int64_t step)
{
    char entry[64];

    snprintf(entry, sizeof entry, "%s_step", name);
    const double *steps = trop_case_array(c, entry);
    for (int64_t row = 0; row < trop_case_size(c, entry, 0); row++) {
        if ((int64_t)steps[row] == step) {
            return row;
        }
    }
    return -1;
}

enum trop_status trop_mm_move(double *out, const struct trop_case *c, const double *p,
                              const char *optimizer)
{
    struct trop_train_options o;
    struct trop_train *train = NULL;
    struct trop_data data;
    const double *w = NULL;
    double log_scale = 0;
    int64_t shape[2] = { 0 };
    enum trop_status status = trop_mm_options(&o, optimizer, 1, 1);

    trop_examples_data(&data, c);
    o.data = &data;
    o.start = TROP_TRAIN_GIVEN;
    o.start_weights = p;
    status = status == TROP_OK ? trop_train_create(&train, &o) : status;
    status = status == TROP_OK ? trop_train_run(train, NULL, NULL) : status;
    if (status == TROP_OK) {
        trop_train_tensor(&w, &log_scale, shape, train, 0);
        for (int64_t k = 0; k < shape[0] * shape[1]; k++) {
            out[k] = w[k] - p[k];
        }
    }
    trop_train_free(train);
    return status;
}

enum trop_status trop_mm_equal_scores(struct trop_judge *judge, const struct trop_case *c)
{
    trop_mm_equal_others(judge, c);
    return TROP_OK;
}

enum trop_status trop_mm_old_one_input(struct trop_judge *judge, const struct trop_case *c)
{
    trop_mm_one_input(judge, c);
    return TROP_OK;
}

enum trop_status trop_mm_old_separable(struct trop_judge *judge, const struct trop_case *c)
{
    trop_mm_separable(judge, c);
    return TROP_OK;
}

enum trop_status trop_mm_old_small_step(struct trop_judge *judge, const struct trop_case *c)
{
    trop_mm_small_step(judge, c);
    return TROP_OK;
}

/* ---- spoils ---- */

enum trop_status trop_mm_spoil_scores(struct trop_case *c)
{
    struct trop_mm m;

    trop_mm_open(&m, c);
    const int64_t a = trop_mm_optimal(&m, 0), t = a > 0 ? 0 : m.T - 1;
    double *x = trop_case_array(c, "X") + t * m.d;
    const double squares = trop_tokens_dot(m.v, m.v, m.d);
    for (int64_t k = 0; k < m.d; k++) {
        x[k] -= m.y[0] * .1 * m.v[k] / squares;
    }
    return TROP_OK;
}

enum trop_status trop_mm_spoil_keys(struct trop_case *c)
{
    struct trop_mm m;
    const double *alpha = trop_case_array(c, "alpha");

    trop_mm_open(&m, c);
    const int64_t a = (int64_t)alpha[0], t = a > 0 ? 0 : m.T - 1;
    double *key = trop_case_array(c, trop_case_has(c, "K") ? "K" : "X");
    memcpy(key + a * m.dk, key + t * m.dk, (size_t)m.dk * sizeof *key);
    return trop_mm_solve(c, "alpha", "p_mm");
}

enum trop_status trop_mm_spoil_step(struct trop_case *c)
{
    struct trop_mm m;

    trop_mm_open(&m, c);
    return trop_case_put(c, "eta", 4 / trop_mm_smoothness(&m, .25, 1));
}

static enum trop_status twice(struct trop_case *c, const char *name)
{
    const int64_t a = trop_case_size(c, name, 0), b = trop_case_size(c, name, 1);
    const int64_t k = trop_case_size(c, name, 2);
    const int64_t size = a * (b > 0 ? b : 1) * (k > 0 ? k : 1);
    double *old = trop_alloc(size, sizeof *old), *out = NULL;

    if (!old) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for %s", name);
    }
    memcpy(old, trop_case_array(c, name), (size_t)size * sizeof *old);
    enum trop_status status = trop_case_make(&out, c, name, 2 * a, b, k);
    for (int64_t at = 0; at < 2 * size && status == TROP_OK; at++) {
        out[at] = old[at % size];
    }
    trop_alloc_free(old);
    return status;
}

enum trop_status trop_mm_spoil_inputs(struct trop_case *c)
{
    static const char *const names[] = { "X", "y", "K", "alpha" };
    enum trop_status status = TROP_OK;

    for (int k = 0; k < 4 && status == TROP_OK; k++) {
        status = trop_case_has(c, names[k]) ? twice(c, names[k]) : TROP_OK;
    }
    return status;
}
