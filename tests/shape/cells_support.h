/* cells_support.h -- what the tests of the cells share. */
#ifndef TROP_TESTS_CELLS_SUPPORT_H
#define TROP_TESTS_CELLS_SUPPORT_H

#include "cells_value.h"

#include <gmp.h>

#include "shape/cells/cells_internal.h"

#define UNIT 0x1p-53
#define MOST 96 /* tokens of a random instance */
#define WIDE 6  /* dimensions */

static inline struct trop_cells_options setup(const double *x, int64_t n, int64_t d,
                                              const double *b)
{
    struct trop_cells_options o = trop_cells_options_default();

    o.cloud.tokens = x;
    o.cloud.n = n;
    o.cloud.d = d;
    o.cloud.key_query.values = b;
    o.threads = 1;
    return o;
}

static inline struct trop_cells *cells_of(const double *x, int64_t n, int64_t d, const double *b)
{
    struct trop_cells_options o = setup(x, n, d, b);
    struct trop_cells *cells = NULL;

    assert_ok(trop_cells_create(&cells, &o));
    return cells;
}

/* <B x, v - w> as a rational; b NULL: the identity. */
static inline void rational_lead(mpq_t out, const double *b, const double *x, const double *v,
                                 const double *w, int64_t d)
{
    mpq_t term, factor;

    mpq_inits(term, factor, NULL);
    mpq_set_ui(out, 0, 1);
    for (int64_t a = 0; a < d; a++) {
        for (int64_t c = 0; c < d; c++) {
            mpq_set_d(term, v[a]);
            mpq_set_d(factor, w[a]);
            mpq_sub(term, term, factor);
            mpq_set_d(factor, x[c]);
            mpq_mul(term, term, factor);
            mpq_set_d(factor, b ? b[a * d + c] : a == c);
            mpq_mul(term, term, factor);
            mpq_add(out, out, term);
        }
    }
    mpq_clears(term, factor, NULL);
}

static inline int rational_sign(const double *b, const double *x, const double *v, const double *w,
                                int64_t d)
{
    mpq_t sum;

    mpq_init(sum);
    rational_lead(sum, b, x, v, w, d);
    int sign = mpq_sgn(sum);
    mpq_clear(sum);
    return (sign > 0) - (sign < 0);
}

/* 0 identity, 1 -identity, 2 diagonal, 3 indefinite, 4 singular, 5 any, 6 quarter turns,
 * 7 zero, 8 symmetric of any signature. */
#define KINDS 9
static inline void fill_matrix(double *b, int kind, int64_t d, uint64_t seed)
{
    for (int64_t a = 0; a < d; a++) {
        for (int64_t c = 0; c < d; c++) {
            double g = normal(seed, (uint64_t)(1000 + a * d + c));
            double h = normal(seed, (uint64_t)(1000 + c * d + a));
            double one = a == c;
            double sheet = fabs(g) * (a % 2 ? -1 : 1) * one;
            double turn = (a == c + 1 && a % 2 ? 1 : 0) - (c == a + 1 && c % 2 ? 1 : 0);
            double rank1 = floor(4 * normal(seed, (uint64_t)(2000 + a))) *
                           floor(4 * normal(seed, (uint64_t)(3000 + c)));
            double all[KINDS] = { one, -one, fabs(g) * one, sheet, rank1, g, turn, 0, g + h };
            b[a * d + c] = all[kind];
        }
    }
}

/* 0 Gaussian, 1 on a sphere, 2 lattice with duplicates, 3 a small cloud far away. */
static inline void fill_tokens(double *x, int kind, int64_t n, int64_t d, uint64_t seed)
{
    normals(x, n * d, seed);
    for (int64_t k = 0; k < n * d; k++) {
        x[k] = kind == 2 ? floor(x[k] * 2) : kind == 3 ? 1 + 1e-7 * x[k] : x[k];
    }
    for (int64_t i = 0; kind == 1 && i < n; i++) {
        trop_rng_sphere(x + i * d, d, seed, TROP_RNG_TEST, (uint64_t)i);
    }
}

#endif
