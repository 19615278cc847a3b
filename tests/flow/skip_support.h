/* skip_support.h -- chains whose waiting is skipped, for tests. */
#ifndef TROP_TESTS_SKIP_SUPPORT_H
#define TROP_TESTS_SKIP_SUPPORT_H

#include "support.h"

#include "flow/slow/skip.h"

#define MOST 64
#define LEVEL 1e-4

static inline int ascending(const void *a, const void *b)
{
    double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

static const struct trop_matrix identity = { .scale = 1 };

static inline struct trop_skip_model model_of(int64_t n, int64_t d, double beta, double gamma)
{
    return (struct trop_skip_model){
        .n = n, .d = d, .beta = beta, .gamma = gamma, .key_query = &identity, .seed = 1
    };
}

static inline struct trop_skip *skip_of(const struct trop_skip_model *model, const double *x)
{
    struct trop_skip *skip = NULL;
    assert_ok(trop_skip_create(&skip, model, x));
    return skip;
}

/* n tokens, token i at vertex i mod kappa of the regular polygon. */
static inline void polygon(double *x, int64_t n, int64_t kappa)
{
    for (int64_t i = 0; i < n; i++) {
        double angle = 2 * acos(-1) * (double)(i % kappa) / (double)kappa;
        x[2 * i] = cos(angle);
        x[2 * i + 1] = sin(angle);
    }
}

/* Pick probabilities of token i over all tokens. */
static inline void row_of(double *out, const double *x, int64_t i, const struct trop_skip_model *m)
{
    long double most = -INFINITY, sum = 0, e[MOST];

    for (int64_t j = 0; j < m->n; j++) {
        e[j] = 0;
        for (int64_t c = 0; c < m->d; c++) {
            for (int64_t k = 0; k < m->d; k++) {
                long double b = m->key_query->values ? m->key_query->values[c * m->d + k]
                                : c == k             ? m->key_query->scale
                                                     : 0;
                e[j] += m->beta * b * x[i * m->d + k] * x[j * m->d + c];
            }
        }
        most = fmaxl(most, e[j]);
    }
    for (int64_t j = 0; j < m->n; j++) {
        e[j] = expl(e[j] - most);
        sum += e[j];
    }
    for (int64_t j = 0; j < m->n; j++) {
        out[j] = (double)(e[j] / sum);
    }
}

/* Six tokens: three, two and one at the vertices of the triangle. */
static inline void unequal_groups(double *x)
{
    static const int64_t vertex[] = { 0, 1, 0, 2, 1, 0 };
    double corner[6];

    polygon(corner, 3, 3);
    for (int64_t i = 0; i < 6; i++) {
        memcpy(x + 2 * i, corner + 2 * vertex[i], 2 * sizeof *x);
    }
}

/* Tokens beside the vertices, none equal to another. */
static inline void spread_groups(double *x, double spread)
{
    unequal_groups(x);
    for (int64_t k = 0; k < 12; k++) {
        x[k] += spread * normal(77, (uint64_t)k);
    }
}

#endif
