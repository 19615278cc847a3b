/* rational_hull.h -- inside a convex hull or not, for any doubles, by rational arithmetic: the
 * simplex method on fractions (GMP). For small clouds; what the tests of hulls ask for the
 * truth. */
#ifndef TROP_TESTS_RATIONAL_HULL_H
#define TROP_TESTS_RATIONAL_HULL_H

#include "support.h"

#include <gmp.h>

#define RATIONAL_ROWS 10    /* d + 2 at most */
#define RATIONAL_COLUMNS 66 /* n + 1 at most */

static mpq_t rational_tableau[RATIONAL_ROWS][RATIONAL_COLUMNS], rational_factor, rational_term;

static inline int rational_open(void **state)
{
    (void)state;
    mpq_inits(rational_factor, rational_term, NULL);
    for (int i = 0; i < RATIONAL_ROWS; i++) {
        for (int j = 0; j < RATIONAL_COLUMNS; j++) {
            mpq_init(rational_tableau[i][j]);
        }
    }
    return 0;
}

static inline int rational_close(void **state)
{
    (void)state;
    for (int i = 0; i < RATIONAL_ROWS; i++) {
        for (int j = 0; j < RATIONAL_COLUMNS; j++) {
            mpq_clear(rational_tableau[i][j]);
        }
    }
    mpq_clears(rational_factor, rational_term, NULL);
    return 0;
}

/* Rows 0 .. d - 1: coordinates of x_j - q; row d: ones; row d + 1: minus their sum, the
 * reduced costs of phase one. Column n: the right side. */
static inline void rational_fill(const double *x, int64_t n, int64_t d, const double *q)
{
    for (int64_t j = 0; j <= n; j++) {
        mpq_set_ui(rational_tableau[d + 1][j], 0, 1);
        for (int64_t c = 0; c <= d; c++) {
            mpq_set_d(rational_tableau[c][j], c == d ? 1 : j == n ? 0 : x[j * d + c]);
            if (c < d && j < n) {
                mpq_set_d(rational_term, q[c]);
                mpq_sub(rational_tableau[c][j], rational_tableau[c][j], rational_term);
            }
            mpq_sub(rational_tableau[d + 1][j], rational_tableau[d + 1][j], rational_tableau[c][j]);
        }
    }
}

static inline void rational_pivot(int64_t row, int64_t column, int64_t n, int64_t d)
{
    mpq_inv(rational_factor, rational_tableau[row][column]);
    for (int64_t j = 0; j <= n; j++) {
        mpq_mul(rational_tableau[row][j], rational_tableau[row][j], rational_factor);
    }
    for (int64_t i = 0; i <= d + 1; i++) {
        if (i == row || mpq_sgn(rational_tableau[i][column]) == 0) {
            continue;
        }
        mpq_set(rational_factor, rational_tableau[i][column]);
        for (int64_t j = 0; j <= n; j++) {
            mpq_mul(rational_term, rational_factor, rational_tableau[row][j]);
            mpq_sub(rational_tableau[i][j], rational_tableau[i][j], rational_term);
        }
    }
}

/* The row of the least ratio, the lowest variable first where two are equal; the artificial
 * ones count as highest. */
static inline int64_t rational_leaving(const int64_t *base, int64_t column, int64_t n, int64_t d)
{
    int64_t row = -1;
    for (int64_t i = 0; i <= d; i++) {
        if (mpq_sgn(rational_tableau[i][column]) <= 0) {
            continue;
        }
        int sign = -1;
        if (row >= 0) {
            mpq_mul(rational_factor, rational_tableau[i][n], rational_tableau[row][column]);
            mpq_mul(rational_term, rational_tableau[row][n], rational_tableau[i][column]);
            sign = mpq_cmp(rational_factor, rational_term);
        }
        if (sign < 0 || (sign == 0 && base[i] < base[row])) {
            row = i;
        }
    }
    return row;
}

/* 1 when q is in the hull of the n rows of x: the simplex method, phase one, by Bland's rule. */
static inline int rational_inside(const double *x, int64_t n, int64_t d, const double *q)
{
    int64_t base[RATIONAL_ROWS];

    assert_true(d + 2 <= RATIONAL_ROWS && n + 1 <= RATIONAL_COLUMNS);
    rational_fill(x, n, d, q);
    for (int64_t i = 0; i <= d; i++) {
        base[i] = n + i;
    }
    for (;;) {
        int64_t column = 0;
        while (column < n && mpq_sgn(rational_tableau[d + 1][column]) >= 0) {
            column++;
        }
        if (column == n) {
            return mpq_sgn(rational_tableau[d + 1][n]) == 0;
        }
        int64_t row = rational_leaving(base, column, n, d);
        rational_pivot(row, column, n, d);
        base[row] = column;
    }
}

/* 1 when <u, q - xj> > 0. */
static inline int rational_separates(const double *u, const double *xj, const double *q, int64_t d)
{
    mpq_t sum;
    mpq_init(sum);
    for (int64_t c = 0; c < d; c++) {
        mpq_set_d(rational_factor, q[c]);
        mpq_set_d(rational_term, xj[c]);
        mpq_sub(rational_factor, rational_factor, rational_term);
        mpq_set_d(rational_term, u[c]);
        mpq_mul(rational_factor, rational_factor, rational_term);
        mpq_add(sum, sum, rational_factor);
    }
    int sign = mpq_sgn(sum);
    mpq_clear(sum);
    return sign > 0;
}

#endif
