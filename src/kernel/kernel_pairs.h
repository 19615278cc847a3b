/* kernel_pairs.h -- symmetric weights: a block of tokens meets another, each pair once.
 *
 * With w_ij = exp(fma(beta, s_ij, -shift)) = w_ji, s_ij = <x_i, x_j> one fma chain over the
 * coordinates in index order, a pair adds
 *
 *   w_ij (x_j - x_i)  to row i,   w_ij (x_i - x_j)  to row j,   w_ij  to both totals,
 *
 * and s_ij to the largest score of both. The order of every sum is written down, and is the same
 * in all builds. When rows I meet columns J:
 *
 *   row i      column j goes to lane j mod TROP_LANES, groups of columns in order, the lanes are
 *              added by the tree of kernel.h, and the sum is added to what the row has;
 *   column j   rows go by in chunks of TROP_PAIRS_ROWS. Within one, rows 0 to 2, 3 to 5, 6 and 7
 *              are chains in row order that are added in that order (for totals all eight are one
 *              chain); chunks are added in order, and their sum is added to what the column has.
 */
#ifndef TROP_KERNEL_KERNEL_PAIRS_H
#define TROP_KERNEL_KERNEL_PAIRS_H

#include "kernel/kernel.h"

#define TROP_PAIRS_BLOCK 256 /* tokens of a block at most */
#define TROP_PAIRS_ROWS 8

/* A block of tokens, and what its rows have so far. */
struct trop_pairs_side {
    int64_t count;        /* tokens, at least 1 */
    uint64_t bit;         /* that stands for this block in `near` of others */
    const double *x;      /* (count, d) */
    const double *packed; /* the same in strips: kernel_tile.h */
    double *out;          /* (d, TROP_PAIRS_BLOCK) sum_j w_ij (x_j - x_i) */
    double *total;        /* (TROP_PAIRS_BLOCK) sum_j w_ij */

    /* (TROP_PAIRS_BLOCK) the largest score so far, and the blocks with one that is less than that
     * by at most slack: every block that holds one of the row's scores within slack of the
     * largest of all has its bit in the end. slack may be INFINITY. */
    double *top;
    const double *slack;
    uint64_t *near;
};

/* One worker's numbers and scratch. */
struct trop_pairs {
    int64_t d;
    double beta, shift;
    int close;            /* 1: |beta s - shift| is at most 700 throughout */
    double *weight;       /* (TROP_PAIRS_ROWS, TROP_PAIRS_STRIDE) */
    double *column;       /* (d, TROP_PAIRS_BLOCK) a meeting's part of the columns */
    double *chunk_total;  /* (TROP_PAIRS_BLOCK) sums of weights of a chunk of rows, */
    double *column_total; /* (TROP_PAIRS_BLOCK) and of all rows */
    double *column_top;   /* (TROP_PAIRS_BLOCK) */
    double *row_top;      /* (TROP_PAIRS_BLOCK) */
};

/* Doubles of the scratch, which is one piece: a load waits for an earlier store at the same place
 * of a page of 4096 bytes, so the rows of weights and those of columns are laid out such that none
 * meets another within 16 groups. */
#define TROP_PAIRS_STRIDE (TROP_PAIRS_BLOCK + TROP_LANES)
#define TROP_PAIRS_COLUMN (8 * TROP_PAIRS_BLOCK + 24 * TROP_LANES)

static inline int64_t trop_pairs_scratch(int64_t d)
{
    return TROP_PAIRS_COLUMN + (d + 4) * TROP_PAIRS_BLOCK;
}

static inline void trop_pairs_place(struct trop_pairs *p, double *scratch, int64_t d)
{
    p->d = d;
    p->weight = scratch;
    p->column = scratch + TROP_PAIRS_COLUMN;
    p->chunk_total = p->column + d * TROP_PAIRS_BLOCK;
    p->column_top = p->chunk_total + TROP_PAIRS_BLOCK;
    p->column_total = p->column_top + TROP_PAIRS_BLOCK;
    p->row_top = p->column_total + TROP_PAIRS_BLOCK;
}

struct trop_kernel_pairs {
    /* The rows of one block, in whole chunks, and the columns of another, both served. */
    void (*meet)(const struct trop_pairs *pairs, struct trop_pairs_side *rows,
                 struct trop_pairs_side *columns);
    /* The rows of a block on its own columns. Strips meet as blocks do, in order: a strip's rows
     * and the columns of all strips behind it. */
    void (*own)(const struct trop_pairs *pairs, struct trop_pairs_side *rows);
    /* x <- e^x, a strip of numbers up to 700 in size: what weights are taken by where they are
     * close, off by less than 2 u. */
    void (*exponential)(double *x);
    /* What the machine can do of them, as in kernel_tile.h. */
    double (*rate_exp)(int64_t count, double x);
};

#endif
