/* enumerated_hull.h -- the distance of a point to a small convex hull, by trying every simplex of
 * its rows with numbers of 512 bits (GMP). Up to 4 dimensions; enumerated_least keeps all bits of
 * the last answer. */
#ifndef TROP_TESTS_ENUMERATED_HULL_H
#define TROP_TESTS_ENUMERATED_HULL_H

#include "support.h"

#include <gmp.h>

/* Numbers of 512 bits (GMP): a Gram matrix squares the condition, clusters of 1e-9 square it
 * again, and nothing is lost. */
static mpf_t enumerated_gram[6][7], enumerated_rows[5][4], enumerated_weight[5], enumerated_least,
    enumerated_sum, enumerated_step;

static inline int enumerated_open(void **state)
{
    (void)state;
    mpf_set_default_prec(512);
    mpf_inits(enumerated_least, enumerated_sum, enumerated_step, NULL);
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 7; j++) {
            mpf_init(enumerated_gram[i][j]);
        }
        for (int c = 0; i < 5 && c < 4; c++) {
            mpf_init(enumerated_rows[i][c]);
        }
        if (i < 5) {
            mpf_init(enumerated_weight[i]);
        }
    }
    return 0;
}

static inline int enumerated_close(void **state)
{
    (void)state;
    mpf_clears(enumerated_least, enumerated_sum, enumerated_step, NULL);
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 7; j++) {
            mpf_clear(enumerated_gram[i][j]);
        }
        for (int c = 0; i < 5 && c < 4; c++) {
            mpf_clear(enumerated_rows[i][c]);
        }
        if (i < 5) {
            mpf_clear(enumerated_weight[i]);
        }
    }
    return 0;
}

/* The bordered Gram matrix of m rows: its solution is the affine minimiser. */
static inline void enumerated_fill_gram(int64_t m, int64_t d)
{
    for (int64_t i = 0; i <= m; i++) {
        for (int64_t j = 0; j <= m + 1; j++) {
            mpf_set_d(enumerated_gram[i][j], (i == m) != (j >= m) || (i == m && j == m + 1));
            for (int64_t c = 0; i < m && j < m && c < d; c++) {
                mpf_mul(enumerated_step, enumerated_rows[i][c], enumerated_rows[j][c]);
                mpf_add(enumerated_gram[i][j], enumerated_gram[i][j], enumerated_step);
            }
        }
        if (i < m) {
            mpf_set_d(enumerated_gram[i][m + 1], 0);
        }
    }
}

/* 0 when the rows are affinely dependent: a pivot is 1e-100 of nothing. */
static inline int enumerated_affine_weights(int64_t m, int64_t d)
{
    enumerated_fill_gram(m, d);
    for (int64_t k = 0; k <= m; k++) {
        int64_t top = k;
        for (int64_t i = k; i <= m; i++) {
            mpf_abs(enumerated_sum, enumerated_gram[i][k]);
            mpf_abs(enumerated_step, enumerated_gram[top][k]);
            top = mpf_cmp(enumerated_sum, enumerated_step) > 0 ? i : top;
        }
        if (fabs(mpf_get_d(enumerated_gram[top][k])) < 1e-100) {
            return 0;
        }
        for (int64_t j = 0; j <= m + 1; j++) {
            mpf_swap(enumerated_gram[k][j], enumerated_gram[top][j]);
        }
        for (int64_t i = 0; i <= m; i++) {
            mpf_div(enumerated_sum, enumerated_gram[i][k], enumerated_gram[k][k]);
            for (int64_t j = k; i != k && j <= m + 1; j++) {
                mpf_mul(enumerated_step, enumerated_sum, enumerated_gram[k][j]);
                mpf_sub(enumerated_gram[i][j], enumerated_gram[i][j], enumerated_step);
            }
        }
    }
    for (int64_t i = 0; i < m; i++) {
        mpf_div(enumerated_weight[i], enumerated_gram[i][m + 1], enumerated_gram[i][i]);
    }
    return 1;
}

/* enumerated_rows <- the rows in the set; returns how many, at most d + 2. */
static inline int64_t enumerated_take(int64_t set, const double *x, int64_t n, int64_t d,
                                      const double *q)
{
    int64_t m = 0;
    for (int64_t j = 0; j < n && m <= d + 1; j++) {
        for (int64_t c = 0; (set >> j & 1) && m <= d && c < d; c++) {
            mpf_set_d(enumerated_rows[m][c], x[j * d + c]);
            mpf_set_d(enumerated_step, q[c]);
            mpf_sub(enumerated_rows[m][c], enumerated_rows[m][c], enumerated_step);
        }
        m += set >> j & 1;
    }
    return m;
}

/* The distance of q to the hull of a few rows: the enumerated_least over all simplices of rows
 * whose own affine minimiser has no negative enumerated_weight. */
static inline double enumerated(const double *x, int64_t n, int64_t d, const double *q)
{
    mpf_set_d(enumerated_least, 1e300);
    for (int64_t set = 1; set < (int64_t)1 << n; set++) {
        int64_t m = enumerated_take(set, x, n, d, q);
        int feasible = m <= d + 1 && enumerated_affine_weights(m, d);
        for (int64_t i = 0; feasible && i < m; i++) {
            feasible = mpf_sgn(enumerated_weight[i]) >= 0;
        }
        if (!feasible) {
            continue;
        }
        mpf_set_d(enumerated_sum, 0);
        for (int64_t c = 0; c < d; c++) {
            mpf_set_d(enumerated_gram[0][0], 0);
            for (int64_t i = 0; i < m; i++) {
                mpf_mul(enumerated_step, enumerated_weight[i], enumerated_rows[i][c]);
                mpf_add(enumerated_gram[0][0], enumerated_gram[0][0], enumerated_step);
            }
            mpf_mul(enumerated_step, enumerated_gram[0][0], enumerated_gram[0][0]);
            mpf_add(enumerated_sum, enumerated_sum, enumerated_step);
        }
        if (mpf_cmp(enumerated_sum, enumerated_least) < 0) {
            mpf_set(enumerated_least, enumerated_sum);
        }
    }
    mpf_sqrt(enumerated_least, enumerated_least);
    return mpf_get_d(enumerated_least);
}

#endif
