/* unitary_samples.h -- problems for the nuclear and the spectral norm: with closed forms, and hard.
 */
#ifndef TROP_TESTS_UNITARY_SAMPLES_H
#define TROP_TESTS_UNITARY_SAMPLES_H

#include "margin_support.h"

/* Constraints on single entries of W: W_ab >= r or = r. Points are unit vectors of R^rows, queries
 * those of R^columns. room: count of constraints at most. */
static inline void entries_make(struct sample *s, int64_t rows, int64_t columns, int64_t room)
{
    sample_make(s, 1, room + 1, 1, 1);
    free(s->point);
    free(s->query);
    s->point = calloc((size_t)(rows * rows), sizeof *s->point);
    s->query = calloc((size_t)(columns * columns), sizeof *s->query);
    for (int64_t a = 0; a < rows; a++) {
        s->point[a * rows + a] = 1.0;
    }
    for (int64_t b = 0; b < columns; b++) {
        s->query[b * columns + b] = 1.0;
    }
    s->problem.rows = s->problem.points = rows;
    s->problem.columns = s->problem.queries = columns;
    s->problem.count = 0;
    sample_tie(s);
}

static inline void entries_ask(struct sample *s, int64_t a, int64_t b, int64_t equal, double right)
{
    const int64_t j = s->problem.count++;

    s->plus[j] = a;
    s->minus[j] = -1;
    s->asked[j] = b;
    s->equal[j] = equal;
    s->right[j] = right;
}

/* x <- x - 2 v (v'x) / v'v for each row x of (count, d): an exact rotation but for rounding. */
static inline void reflect(double *x, int64_t count, int64_t d, uint64_t seed)
{
    double vv = 0;
    for (int64_t c = 0; c < d; c++) {
        vv += normal(seed, (uint64_t)c) * normal(seed, (uint64_t)c);
    }
    for (int64_t i = 0; i < count; i++) {
        double vx = 0;
        for (int64_t c = 0; c < d; c++) {
            vx += normal(seed, (uint64_t)c) * x[i * d + c];
        }
        for (int64_t c = 0; c < d; c++) {
            x[i * d + c] -= 2 * normal(seed, (uint64_t)c) * vx / vv;
        }
    }
}

/* ---- hard samples: what badly made data look like ---------------------------------------- */

enum hard {
    HARD_PLAIN,
    HARD_SCALED,     /* rows of sizes 1e-8 to 1e8 */
    HARD_RELAXED,    /* right sides 0 on a third */
    HARD_LEVEL,      /* equalities with right side 0 */
    HARD_EQUAL,      /* equalities with any right side */
    HARD_ALL_EQUAL,  /* nothing else */
    HARD_DUPLICATED, /* every constraint of the last token twice */
    HARD_DEPENDENT,  /* duplicated equalities */
    HARD_QUERIES,    /* eight queries in a plane */
    HARD_TALL,       /* 40 rows, 3 queries, fewer differences than rows */
    HARD_KINDS
};

static inline void hard_make(struct sample *s, int kind, uint64_t seed)
{
    const int64_t n = kind == HARD_QUERIES ? 8 : kind == HARD_TALL ? 3 : 5;
    const int64_t d = kind == HARD_TALL ? 40 : 10;

    sample_cross(s, n, 5, d, seed);
    for (int64_t j = 0; j < s->problem.count; j++) {
        const int level = (kind == HARD_LEVEL && j % 5 == 0);
        const int equal = (kind == HARD_EQUAL && j % 5 == 0) || kind == HARD_ALL_EQUAL;
        if (level || (kind == HARD_RELAXED && j % 3 == 0)) {
            s->right[j] = 0.0;
        }
        s->equal[j] = level || equal || (kind == HARD_DEPENDENT && j % 4 > 1);
        s->right[j] = equal ? 0.3 * (double)j - 2.0 : s->right[j];
    }
    for (int64_t i = 0; i < n; i++) {
        for (int64_t c = 0; c < d; c++) {
            double *last = s->point + (i * 5 + 4) * d + c;
            *last = kind == HARD_DUPLICATED || kind == HARD_DEPENDENT ? last[-d] : *last;
            s->query[i * d + c] *= kind == HARD_SCALED ? pow(10, 4 * (double)i - 8) : 1.0;
            if (kind == HARD_QUERIES && i > 1) {
                s->query[i * d + c] = 0.3 * (double)i * s->query[c] + s->query[d + c];
            }
        }
    }
}

/* Any mixture: sizes, right sides 0, equalities, lattice data with dependent rows, queries of
 * lengths 1e-6 to 1e6. About one in seven has no solution. */
static inline void mixture_make(struct sample *s, uint64_t seed)
{
    const int64_t n = 1 + whole(seed, 1, 7), T = 2 + whole(seed, 2, 6);
    const int64_t d = 2 + whole(seed, 3, 10), w = 1 + whole(seed, 4, 9);
    const int lattice = whole(seed, 5, 3) == 0, relaxed = whole(seed, 6, 3) == 0;
    const int equal = whole(seed, 7, 3) == 0, scaled = whole(seed, 8, 4) == 0;

    sample_make(s, n, T, d, w);
    for (int64_t k = 0; k < n * T * d; k++) {
        const double x = normal(seed, (uint64_t)k);
        s->point[k] = lattice ? floor(1.5 * x) : x;
    }
    for (int64_t k = 0; k < n * w; k++) {
        const double x = normal(seed + 77777, (uint64_t)k);
        const double length = pow(10, 12 * uniform(seed, 50 + (uint64_t)(k / w)) - 6);
        s->query[k] = (lattice ? floor(1.5 * x) : x) * (scaled ? length : 1.0);
    }
    for (int64_t j = 0; j < s->problem.count; j++) {
        const uint64_t at = (uint64_t)j;
        if (relaxed && whole(seed, 100 + at, 3) == 0) {
            s->right[j] = 0.0;
        }
        if (equal && whole(seed, 300 + at, 6) == 0) {
            s->equal[j] = 1;
            s->right[j] = whole(seed, 500 + at, 2) ? 0.0 : normal(seed, 900 + at);
        }
    }
}

/* Two constraints that nearly contradict each other: the norm is of the order 1 / (epsilon^2). */
static inline void near_make(struct sample *s, double epsilon, uint64_t seed)
{
    sample_cross(s, 3, 3, 4, seed);
    for (int64_t c = 0; c < 4; c++) {
        double *x = s->point;
        x[4 + c] = x[c] - epsilon * x[12 + c];
        x[16 + c] = x[12 + c] + (x[c] - x[4 + c]);
        s->query[4 + c] = s->query[c] + (c == 0 ? epsilon : 0.0);
    }
}

/* Token 2 of the first of n inputs stands opposite to token 1, seen from token 0, but for epsilon:
 * two antipodal rows, and a norm of the order 1 / epsilon. */
static inline void opposed_make(struct sample *s, int64_t n, int64_t T, int64_t d, double epsilon,
                                uint64_t seed)
{
    sample_cross(s, n, T, d, seed);
    for (int64_t c = 0; c < d; c++) {
        double *x = s->point + c;
        x[2 * d] = x[0] - (x[d] - x[0]) + epsilon * x[2 * d];
    }
}

#endif
