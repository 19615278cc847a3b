/* rational_linear.h -- the least l1 and linf norms of small max-margin problems, in rational
 * arithmetic, by listing all bases. Shares nothing with the solvers. */
#ifndef TROP_TESTS_RATIONAL_LINEAR_H
#define TROP_TESTS_RATIONAL_LINEAR_H

#include "rational_row.h"

#define SIDE 6 /* most constraints, and most coordinates of W */

struct rational {
    int64_t m, n;
    mpq_t a[SIDE][SIDE], r[SIDE]; /* A and its right sides */
    mpq_t system[SIDE][SIDE + 1], x[SIDE], sum, term, best;
    int found;
};

static inline void rational_each(struct rational *q, void (*f)(mpq_t))
{
    for (int i = 0; i < SIDE; i++) {
        for (int k = 0; k < SIDE; k++) {
            f(q->a[i][k]);
        }
        for (int k = 0; k <= SIDE; k++) {
            f(q->system[i][k]);
        }
        f(q->r[i]);
        f(q->x[i]);
    }
    f(q->sum);
    f(q->term);
    f(q->best);
}

static inline void rational_init(mpq_t x)
{
    mpq_init(x);
}

static inline void rational_clear(mpq_t x)
{
    mpq_clear(x);
}

static inline void rational_open(struct rational *q, const struct trop_problem *p)
{
    rational_each(q, rational_init);
    q->m = p->count;
    q->n = p->rows * p->columns;
    q->found = 0;
    for (int64_t j = 0; j < q->m; j++) {
        for (int64_t c = 0; c < q->n; c++) {
            entry_of(q->a[j][c], p, j, c / p->columns, c % p->columns);
        }
        mpq_set_d(q->r[j], p->right[j]);
    }
}

/* Gauss and Jordan on system (k, k + 1); 0: singular. The solution is left in the last column. */
static inline int eliminate(struct rational *q, int64_t k)
{
    for (int64_t c = 0; c < k; c++) {
        int64_t at = c;
        while (at < k && mpq_sgn(q->system[at][c]) == 0) {
            at++;
        }
        if (at == k) {
            return 0;
        }
        for (int64_t e = 0; e <= k; e++) {
            mpq_swap(q->system[at][e], q->system[c][e]);
        }
        for (int64_t e = k; e >= c; e--) {
            mpq_div(q->system[c][e], q->system[c][e], q->system[c][c]);
        }
        for (int64_t i = 0; i < k; i++) {
            for (int64_t e = k; i != c && e >= c; e--) {
                mpq_mul(q->term, q->system[i][c], q->system[c][e]);
                mpq_sub(q->system[i][e], q->system[i][e], q->term);
            }
        }
    }
    return 1;
}

static inline void members(int64_t *out, int64_t set)
{
    for (int64_t i = 0, k = 0; set >> i; i++) {
        if (set >> i & 1) {
            out[k++] = i;
        }
    }
}

/* |sum of absolute values of x| into sum. */
static inline void absolute_sum(struct rational *q, int64_t n)
{
    mpq_set_ui(q->sum, 0, 1);
    for (int64_t c = 0; c < n; c++) {
        mpq_abs(q->term, q->x[c]);
        mpq_add(q->sum, q->sum, q->term);
    }
}

static inline void improve(struct rational *q)
{
    if (!q->found || mpq_cmp(q->sum, q->best) < 0) {
        mpq_set(q->best, q->sum);
        q->found = 1;
    }
}

/* l1: a solution with nonzero entries C that meets constraints R with equality, |R| = |C|. */
static inline void try_l1(struct rational *q, const struct trop_problem *p, int64_t R, int64_t C,
                          int64_t k)
{
    int64_t rows[SIDE], columns[SIDE];

    members(rows, R);
    members(columns, C);
    for (int64_t i = 0; i < k; i++) {
        for (int64_t e = 0; e < k; e++) {
            mpq_set(q->system[i][e], q->a[rows[i]][columns[e]]);
        }
        mpq_set(q->system[i][k], q->r[rows[i]]);
    }
    if (!eliminate(q, k)) {
        return;
    }
    for (int64_t c = 0; c < q->n; c++) {
        mpq_set_ui(q->x[c], 0, 1);
    }
    for (int64_t e = 0; e < k; e++) {
        mpq_set(q->x[columns[e]], q->system[e][k]);
    }
    for (int64_t j = 0; j < q->m; j++) {
        mpq_neg(q->sum, q->r[j]);
        for (int64_t c = 0; c < q->n; c++) {
            mpq_mul(q->term, q->a[j][c], q->x[c]);
            mpq_add(q->sum, q->sum, q->term);
        }
        if (mpq_sgn(q->sum) < 0 || (p->equal[j] && mpq_sgn(q->sum) != 0)) {
            return;
        }
    }
    absolute_sum(q, q->n);
    improve(q);
}

/* linf, by its dual: lambda on the constraints R, A' lambda zero on the coordinates C,
 * r' lambda = 1, |R| = |C| + 1; the optimum is 1 over the least |A' lambda|_1. */
static inline void try_linf(struct rational *q, const struct trop_problem *p, int64_t R, int64_t C,
                            int64_t k)
{
    int64_t rows[SIDE], columns[SIDE];

    members(rows, R);
    members(columns, C);
    for (int64_t e = 0; e < k; e++) {
        for (int64_t i = 0; i + 1 < k; i++) {
            mpq_set(q->system[i][e], q->a[rows[e]][columns[i]]);
        }
        mpq_set(q->system[k - 1][e], q->r[rows[e]]);
        mpq_set_ui(q->system[e][k], e == k - 1, 1);
    }
    if (!eliminate(q, k)) {
        return;
    }
    for (int64_t e = 0; e < k; e++) {
        if (!p->equal[rows[e]] && mpq_sgn(q->system[e][k]) < 0) {
            return;
        }
    }
    for (int64_t c = 0; c < q->n; c++) {
        mpq_set_ui(q->x[c], 0, 1);
        for (int64_t e = 0; e < k; e++) {
            mpq_mul(q->term, q->a[rows[e]][c], q->system[e][k]);
            mpq_add(q->x[c], q->x[c], q->term);
        }
    }
    absolute_sum(q, q->n);
    improve(q);
}

/* best = the optimal norm. Returns 0 when there is none, or when it is 0. */
static inline int rational_solve(struct rational *q, const struct trop_problem *p, int64_t k)
{
    for (int64_t R = 1; R < 1 << q->m; R++) {
        const int size = __builtin_popcountll((unsigned long long)R);
        for (int64_t C = 0; C < 1 << q->n; C++) {
            const int width = __builtin_popcountll((unsigned long long)C);
            if (k == 0 && size == width) {
                try_l1(q, p, R, C, size);
            } else if (k == 1 && size == width + 1) {
                try_linf(q, p, R, C, size);
            }
        }
    }
    if (!q->found || mpq_sgn(q->best) == 0) {
        return 0;
    }
    if (k == 1) {
        mpq_inv(q->best, q->best);
    }
    return 1;
}

#endif
