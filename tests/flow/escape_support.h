/* escape_support.h -- runs a study of first exits and reads its results. */
#ifndef TROP_TESTS_ESCAPE_SUPPORT_H
#define TROP_TESTS_ESCAPE_SUPPORT_H

#include "support.h"

#include "flow/escape/escape.h"

static inline struct trop_escape *escape_of(const char *const *pairs)
{
    struct trop_escape *escape = NULL;

    assert_ok(trop_escape_create_from(&escape, pairs));
    return escape;
}

static inline struct trop_escape *run_of(const char *const *pairs)
{
    struct trop_escape *escape = escape_of(pairs);

    assert_ok(trop_escape_run(escape, NULL, NULL));
    return escape;
}

static inline struct trop_value cell(const struct trop_escape *escape, const char *name,
                                     int64_t row)
{
    struct trop_value value = { 0 };

    assert_ok(trop_field_cell(&value, trop_escape_field_table(), escape, "betas", name, row));
    return value;
}

/* NaN when there is none. */
static inline double cell_number(const struct trop_escape *escape, const char *name, int64_t row)
{
    struct trop_value value = cell(escape, name, row);

    return value.kind == TROP_KIND_NUMBER    ? value.number
           : value.kind == TROP_KIND_INTEGER ? (double)value.integer
                                             : (double)NAN;
}

static inline double number(const struct trop_escape *escape, const char *name)
{
    double value = NAN;

    assert_ok(trop_escape_number(&value, escape, name));
    return value;
}

static inline int is_null(const struct trop_escape *escape, const char *name)
{
    struct trop_value value;

    assert_ok(trop_escape_value(&value, escape, name));
    return value.kind == TROP_KIND_NULL;
}

/* Polygon with a second token at 0.65 of each vertex. */
static inline void doubled(double *out, int kappa)
{
    for (int i = 0; i < 2 * kappa; i++) {
        double angle = 2 * acos(-1.0) * (i % kappa) / kappa, r = i < kappa ? 1 : 0.65;
        out[2 * i] = r * cos(angle);
        out[2 * i + 1] = r * sin(angle);
    }
}

static inline struct trop_escape *run_doubled(int kappa, const char *beta, int64_t dynamics,
                                              int64_t runs)
{
    double x[24];
    struct trop_escape_options options = trop_escape_options_default();
    struct trop_escape *escape = NULL;

    doubled(x, kappa);
    options.cloud.tokens = x;
    options.cloud.n = 2 * kappa;
    options.beta = beta;
    options.dynamics = dynamics;
    options.runs = runs;
    options.near = 0.05;
    assert_ok(trop_escape_create(&escape, &options));
    assert_ok(trop_escape_run(escape, NULL, NULL));
    return escape;
}

#endif
