/* examples.c -- training data in a case. */
#include "claim/examples.h"

#include "base/status.h"
#include "tropism_lab.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define USE_DATA 4 /* and the three after it, of the random numbers of a case */

/* ---- drawing ---- */

/* Draws unit vectors (a, b, d), or (a, d) with b = 0, unless the case has them. */
static enum trop_status draw_vectors(struct trop_case *c, const char *name, int64_t use, int64_t a,
                                     int64_t b, int64_t d)
{
    double *x = NULL;
    const int64_t count = b > 0 ? a * b : a;

    if (trop_case_has(c, name)) {
        return TROP_OK;
    }
    enum trop_status status = trop_case_make(&x, c, name, a, b > 0 ? b : d, b > 0 ? d : 0);
    for (int64_t i = 0; status == TROP_OK && i < count; i++) {
        double squares = 0;
        for (int64_t k = 0; k < d; k++) {
            x[i * d + k] = trop_case_normal(c, use, i * d + k);
            squares += x[i * d + k] * x[i * d + k];
        }
        for (int64_t k = 0; k < d; k++) {
            x[i * d + k] /= sqrt(squares);
        }
    }
    return status;
}

/* Draws v (d), one row with a single axis. */
static enum trop_status draw_decoder(struct trop_case *c, int64_t d)
{
    double *v = NULL;

    if (trop_case_has(c, "v")) {
        return TROP_OK;
    }
    enum trop_status status = trop_case_make(&v, c, "v", d, 0, 0);
    double squares = 0;
    for (int64_t k = 0; status == TROP_OK && k < d; k++) {
        v[k] = trop_case_normal(c, USE_DATA, k);
        squares += v[k] * v[k];
    }
    for (int64_t k = 0; status == TROP_OK && k < d; k++) {
        v[k] /= sqrt(squares);
    }
    return status;
}

static enum trop_status draw_labels(struct trop_case *c, int64_t n)
{
    double *y = NULL;

    if (trop_case_has(c, "y")) {
        return TROP_OK;
    }
    enum trop_status status = trop_case_make(&y, c, "y", n, 0, 0);
    for (int64_t i = 0; status == TROP_OK && i < n; i++) {
        y[i] = trop_case_uniform(c, USE_DATA + 1, i) < .5 ? -1 : 1;
    }
    return status;
}

enum trop_status trop_examples_sphere(struct trop_case *c, int64_t n, int64_t T, int64_t d,
                                      int with_queries)
{
    enum trop_status status = draw_vectors(c, "X", USE_DATA + 2, n, T, d);

    n = trop_case_size(c, "X", 0);
    d = trop_case_size(c, "X", 2);
    if (status == TROP_OK) {
        status = draw_decoder(c, d);
    }
    if (status == TROP_OK) {
        status = draw_labels(c, n);
    }
    if (status == TROP_OK && with_queries) {
        status = draw_vectors(c, "z", USE_DATA + 3, n, 0, d);
    }
    return status;
}

/* ---- data and entries ---- */

static enum trop_status take(struct trop_case *c, const char *name, const double *values, int64_t a,
                             int64_t b, int64_t k)
{
    const int64_t count = a * (b > 0 ? b : 1) * (k > 0 ? k : 1);
    double *out = NULL;

    if (!values) {
        return TROP_OK;
    }
    enum trop_status status = trop_case_make(&out, c, name, a, b, k);
    if (status == TROP_OK) {
        memcpy(out, values, (size_t)count * sizeof *out);
    }
    return status;
}

enum trop_status trop_examples_take(struct trop_case *c, const struct trop_data *data)
{
    const int64_t n = data->n, T = data->T, d = data->d;

    if (!data->x || data->heads > 1 || data->labels > 1 || data->queries > 1) {
        return trop_case_settle(
            c, trop_fail(TROP_ERR_UNSUPPORTED,
                         "data: claims are about tokens with a label, a decoder and at most one "
                         "query for each input"));
    }
    enum trop_status status = take(c, "X", data->x, n, T, d);
    if (status == TROP_OK) {
        status = take(c, "y", data->y, n, 0, 0);
    }
    if (status == TROP_OK) {
        status = take(c, "v", data->v, d, 0, 0);
    }
    if (status == TROP_OK) {
        status = take(c, "z", data->z, n, d, 0);
    }
    return status == TROP_OK ? take(c, "K", data->k, n, T, data->dk) : status;
}

struct named {
    const char *name;
    int64_t n, T, d;
    uint64_t seed;
};

static void free_dataset(void *set)
{
    trop_dataset_free(set);
}

static void take_named(void *context, struct trop_case *c)
{
    const struct named *s = context;
    struct trop_dataset *set = NULL;

    trop_case_try(c, trop_dataset_create(&set, s->name, s->n, s->T, s->d, s->seed));
    trop_case_keep(c, set, free_dataset);
    trop_examples_take(c, trop_dataset_data(set));
}

enum trop_status trop_examples_named(struct trop_case *c, const char *name, int64_t n, int64_t T,
                                     int64_t d, uint64_t seed)
{
    if (trop_case_has(c, "X")) {
        return TROP_OK;
    }
    return trop_case_settle(c,
                            trop_case_part(c, take_named, &(struct named){ name, n, T, d, seed }));
}

void trop_examples_data(struct trop_data *out, const struct trop_case *c)
{
    *out = (struct trop_data){
        .n = trop_case_size(c, "X", 0),
        .T = trop_case_size(c, "X", 1),
        .d = trop_case_size(c, "X", 2),
        .x = trop_case_array(c, "X"),
        .y = trop_case_array(c, "y"),
        .labels = trop_case_has(c, "y"),
        .z = trop_case_array(c, "z"),
        .queries = trop_case_has(c, "z"),
        .v = trop_case_array(c, "v"),
        .heads = trop_case_size(c, "v", 1) > 0 ? trop_case_size(c, "v", 0) : 0,
        .k = trop_case_array(c, "K"),
        .dk = trop_case_size(c, "K", 2),
    };
}

void trop_examples_optimal(int64_t *out, const struct trop_case *c)
{
    struct trop_data data;

    trop_examples_data(&data, c);
    for (int64_t i = 0; i < data.n; i++) {
        double best = -INFINITY;
        for (int64_t t = 0; t < data.T; t++) {
            const double *x = data.x + (i * data.T + t) * data.d;
            double score = 0;
            for (int64_t k = 0; k < data.d; k++) {
                score += data.v[k] * x[k];
            }
            if (data.y[i] * score > best) {
                best = data.y[i] * score;
                out[i] = t;
            }
        }
    }
}

void trop_examples_select(char *out, const int64_t *tokens, int64_t n)
{
    int64_t used = 0;

    out[0] = '\0';
    for (int64_t i = 0; i < n; i++) {
        used += snprintf(out + used, (size_t)(8 * n - used), "%s%lld", i ? "," : "",
                         (long long)tokens[i]);
    }
}
