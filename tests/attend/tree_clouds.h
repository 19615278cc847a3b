/* tree_clouds.h -- clouds of every kind, and a step through a tree. */
#ifndef TROP_TESTS_TREE_CLOUDS_H
#define TROP_TESTS_TREE_CLOUDS_H

#include "support.h"

#include "attend/attend_internal.h"
#include "attend/tree/tree_softmax_internal.h"

#define MOST 20000

static double x[MOST * 6], out[MOST * 6], bounds[MOST];
static struct trop_attend_note notes[MOST];

/* ---- clouds ------------------------------------------------------------------------------- */

enum cloud { GAUSS, SQUARE, CIRCLE, CLUSTERS, FAR, SMALL, COPIES, COLLAPSED, CANCEL, CLOUDS };

/* FAR: a light cluster at -10, whose weights are those of the other times exp(-400 beta) for
 * queries of the other. SMALL: queries near 0, and 0. COLLAPSED: 1e-12 around a far centre.
 * CANCEL: along (1, -1, 0, ...), and 1e-6 across. */
static inline double coordinate(enum cloud cloud, int64_t i, int64_t c, int64_t d)
{
    double g = normal(90, (uint64_t)(i * d + c)), u = uniform(91, (uint64_t)(i * d + c));

    switch (cloud) {
    case GAUSS:
        return g;
    case SQUARE:
        return 2 * u - 1;
    case CIRCLE: {
        double size = 0;
        for (int64_t k = 0; k < d; k++) {
            double other_g = normal(90, (uint64_t)(i * d + k));
            size += other_g * other_g;
        }
        return g / sqrt(size);
    }
    case CLUSTERS:
        return normal(92, (uint64_t)(i % 50 * d + c)) + 0.01 * g;
    case FAR:
        return (i % 100 ? 10 : -10) * (c == 0) + 0.1 * g;
    case SMALL:
        return i % 7 == 0 ? 0 : i % 7 < 4 ? 1e-9 * g : g;
    case COPIES:
        return normal(93, (uint64_t)(i % 40 * d + c));
    case COLLAPSED:
        return (double)(3 + c) + 1e-12 * g;
    case CANCEL:
        return c == 0 ? normal(94, (uint64_t)i) : c == 1 ? 1e-6 * g - normal(94, (uint64_t)i) : 0;
    case CLOUDS:
        break;
    }
    return 0;
}

static inline void fill(enum cloud cloud, int64_t n, int64_t d)
{
    for (int64_t k = 0; k < n * d; k++) {
        x[k] = coordinate(cloud, k / d, k % d, d);
    }
}

/* ---- a case ---------------------------------------------------------------------------------- */

struct tried {
    int64_t n, d;
    enum cloud cloud;
    double beta, accuracy, scale;
    const double *b, *mass;
    int64_t threads, kernel;
};

static inline enum trop_status step(struct trop_attend **attend,
                                    struct trop_tree_softmax_work *work, const struct tried *t)
{
    struct trop_rule_numbers numbers = { .rule = &trop_rule_softmax, .beta = t->beta };
    struct trop_matrix matrix = { .scale = t->scale, .values = t->b };
    const struct trop_kernel *kernel = trop_kernel_choose(t->kernel);
    void *softmax = NULL;

    assert_ok(trop_attend_create(attend, t->n, t->d, 1, kernel, 0));
    assert_ok(trop_tree_softmax_engine.create(&softmax, t->n, t->d, t->threads, kernel));
    assert_ok(trop_attend_load(*attend, x, t->mass, t->n, &matrix, &numbers));
    enum trop_status status =
        trop_tree_softmax_engine.rows(out, notes, bounds, softmax, *attend, t->accuracy);
    *work = *trop_tree_softmax_done(softmax);
    trop_tree_softmax_engine.free(softmax);
    return status;
}

#endif
