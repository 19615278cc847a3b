/* path_support.h -- what the tests of regularisation paths share. */
#ifndef TROP_TESTS_PATH_SUPPORT_H
#define TROP_TESTS_PATH_SUPPORT_H

#include "support.h"

#include "tropism_lab.h"

static inline struct trop_value cell(const struct trop_path *path, int64_t row, const char *name)
{
    struct trop_value value = { 0 };

    assert_ok(trop_field_cell(&value, trop_path_field_table(), path, "radii", name, row));
    return value;
}

static inline double at(const struct trop_path *path, int64_t row, const char *name)
{
    const struct trop_value value = cell(path, row, name);

    return value.kind == TROP_KIND_NUMBER ? value.number
           : value.kind == TROP_KIND_INTEGER || value.kind == TROP_KIND_BOOLEAN
               ? (double)value.integer
               : NAN;
}

static inline struct trop_path *run(const struct trop_path_options *options)
{
    struct trop_path *path = NULL;

    assert_ok(trop_path_create(&path, options));
    /* Radii that are not finished are told by their kind too, which tests look at. */
    const enum trop_status ended = trop_path_run(path, NULL, NULL);
    assert_true(ended == TROP_OK || ended == TROP_ERR_STOPPED);
    return path;
}

static inline struct trop_path_options options_for(const struct trop_data *data, double p,
                                                   const char *radius)
{
    struct trop_path_options o = trop_path_options_default();

    o.data = data;
    o.p = p;
    o.radius = radius;
    o.threads = 1;
    return o;
}

static inline struct trop_dataset *named(const char *name)
{
    struct trop_dataset *dataset = NULL;

    assert_ok(trop_dataset_create(&dataset, name, 0, 0, 0, TROP_DATASET_SEED));
    return dataset;
}

#define assert_kind(path, row, expected) assert_string_equal(cell(path, row, "kind").text, expected)

#define ROOM 64 /* numbers of x and z, at most */

struct sample {
    double x[ROOM], y[ROOM], z[ROOM], v[ROOM];
    struct trop_data data;
};

/* n inputs of t tokens in d dimensions; queries: of each input. */
static inline void draw(struct sample *s, int64_t n, int64_t t, int64_t d, int64_t queries,
                        uint64_t seed)
{
    normals(s->x, n * t * d, seed);
    normals(s->z, n * t * d, seed + 1000000);
    normals(s->v, d, seed + 2000000);
    for (int64_t i = 0; i < n * t; i++) {
        s->y[i] = uniform(seed, 100 + (uint64_t)i) < 0.5 ? -1 : 1;
    }
    s->data = (struct trop_data){ .n = n,
                                  .T = t,
                                  .d = d,
                                  .x = s->x,
                                  .y = s->y,
                                  .labels = 1,
                                  .v = s->v,
                                  .z = queries ? s->z : NULL,
                                  .queries = queries };
}

/* Mean logistic loss, as it is written down, of the prompt p or the matrix W. */
static inline double plain_loss(const struct trop_data *data, const double *w, const double *v)
{
    const int64_t d = data->d;
    double sum = 0;

    for (int64_t i = 0; i < data->n; i++) {
        double total = 0, f = 0;
        for (int64_t t = 0; t < data->T; t++) {
            const double *x = data->x + (i * data->T + t) * d;
            double logit = 0, score = 0;
            for (int64_t a = 0; a < d; a++) {
                double u = data->z ? 0 : w[a];
                for (int64_t b = 0; data->z && b < d; b++) {
                    u += w[a * d + b] * data->z[i * d + b];
                }
                logit += x[a] * u;
                score += x[a] * v[a];
            }
            total += exp(logit);
            f += exp(logit) * score;
        }
        sum += log1p(exp(-data->y[i] * f / total));
    }
    return sum / (double)data->n;
}

#endif
