/* train_support.h -- training runs on named data sets, for tests. */
#ifndef TROP_TESTS_TRAIN_SUPPORT_H
#define TROP_TESTS_TRAIN_SUPPORT_H

#include "support.h"

#include "learn/attention/head.h"
#include "learn/attention/loss.h"
#include "learn/optimizer/optimizer.h"
#include "tropism_lab.h"

static inline int64_t place_in(const char *const *names, const char *name)
{
    int64_t k = 0;
    while (strcmp(names[k], name) != 0) {
        k++;
    }
    return k;
}

static inline struct trop_dataset *dataset_of(const char *name, uint64_t seed)
{
    struct trop_dataset *dataset = NULL;
    assert_ok(trop_dataset_create(&dataset, name, 0, 0, 0, seed));
    return dataset;
}

static inline struct trop_train_options training(const struct trop_data *data,
                                                 const char *optimizer, double eta, int64_t steps)
{
    struct trop_train_options o = trop_train_options_default();
    o.data = data;
    o.optimizer = place_in(trop_optimizer_names, optimizer);
    o.eta = eta;
    o.steps = steps;
    o.threads = 1;
    return o;
}

/* A run to its end. */
static inline struct trop_train *trained(const struct trop_train_options *options)
{
    struct trop_train *train = NULL;
    assert_ok(trop_train_create(&train, options));
    assert_ok(trop_train_run(train, NULL, NULL));
    return train;
}

static inline struct trop_value value_of(const struct trop_train *train, const char *name)
{
    struct trop_value value = { 0 };
    assert_ok(trop_train_value(&value, train, name));
    return value;
}

static inline double result_of(const struct trop_train *train, const char *name)
{
    const struct trop_value value = value_of(train, name);
    return value.kind == TROP_KIND_NUMBER ? value.number : NAN;
}

/* A column of record row. */
static inline struct trop_value record_of(const struct trop_train *train, int64_t row,
                                          const char *column)
{
    struct trop_value value = { 0 };

    assert_int_equal(
        trop_field_cell(&value, trop_train_field_table(), train, "history", column, row), TROP_OK);
    return value;
}

/* The record after that many steps. */
static inline int64_t row_at(const struct trop_train *train, int64_t step)
{
    const int64_t rows = value_of(train, "history").shape[0];
    int64_t row = 0;
    while (row < rows && record_of(train, row, "step").integer != step) {
        row++;
    }
    assert_true(row < rows);
    return row;
}

static inline double number_at(const struct trop_train *train, int64_t step, const char *column)
{
    const struct trop_value value = record_of(train, row_at(train, step), column);
    return value.kind == TROP_KIND_NUMBER ? value.number : NAN;
}

static inline const double *weights_at(const struct trop_train *train, int64_t step)
{
    const struct trop_value value = record_of(train, row_at(train, step), "weights");
    assert_int_equal(value.kind, TROP_KIND_NUMBERS);
    return value.numbers;
}

static inline double cosine(const double *a, const double *b, int64_t n)
{
    double ab = 0, aa = 0, bb = 0;
    for (int64_t k = 0; k < n; k++) {
        ab += a[k] * b[k];
        aa += a[k] * a[k];
        bb += b[k] * b[k];
    }
    return ab / sqrt(aa * bb);
}

static inline double lp_norm(const double *x, int64_t n, double p)
{
    long double sum = 0;
    for (int64_t k = 0; k < n; k++) {
        sum += powl(fabsl(x[k]), p);
    }
    return (double)powl(sum, 1 / (long double)p);
}

/* 1 - sum sgn(b) |b|^(p-1) a at unit norms, summed as sum sgn(b)|b|^(p-1) (b - a): a the solution,
 * b the weights. */
static inline double divergence(const double *a, const double *b, int64_t n, double p)
{
    const double x = lp_norm(a, n, p), y = lp_norm(b, n, p);
    long double sum = 0;
    for (int64_t k = 0; k < n; k++) {
        const long double at = (long double)b[k] / y;
        sum += copysignl(powl(fabsl(at), p - 1), at) * (at - (long double)a[k] / x);
    }
    return (double)sum;
}

/* The max-margin solution for a selection, which the caller frees; p = 0: nuclear. */
static inline struct trop_margin *solution_of(const struct trop_data *data, int64_t model,
                                              const char *select, double p)
{
    struct trop_margin_options o = trop_margin_options_default();
    struct trop_margin *margin = NULL;
    struct trop_value outcome = { 0 };
    o.data = data;
    o.model = model;
    o.select = select;
    o.norm = p == 0 ? TROP_MARGIN_NUCLEAR : p == 2 ? TROP_MARGIN_L2 : TROP_MARGIN_LP;
    o.p = p > 0 ? p : 2;
    o.threads = 1;
    assert_ok(trop_margin_create(&margin, &o));
    assert_ok(trop_margin_run(margin, NULL, NULL));
    assert_ok(trop_margin_value(&outcome, margin, "outcome"));
    assert_string_equal(outcome.text, "solved");
    return margin;
}

/* "3,2,6": the selection of a run that is at its end. */
static inline void selection_of(char *out, size_t size, const struct trop_train *train)
{
    const struct trop_value alpha = value_of(train, "alpha");
    size_t at = 0;
    out[0] = 0;
    for (int64_t k = 0; k < alpha.shape[0]; k++) {
        at += (size_t)snprintf(out + at, size - at, "%s%lld", k ? "," : "",
                               (long long)alpha.integers[k]);
    }
}

#endif
