/* margin_solve.h -- one max-margin problem in one norm: solver, judge, outcome. */
#ifndef TROP_MARGIN_SOLVE_H
#define TROP_MARGIN_SOLVE_H

#include "margin/check/margin_check.h"
#include "margin/model/model.h"
#include "tropism.h"

struct trop_margin_settings {
    int64_t norm; /* enum trop_margin_norm */
    double p, tolerance;
    int64_t iterations, threads;
    trop_progress *progress; /* may be NULL */
    void *context;
};

/* A problem and what is known of it. Zero-initialised by the caller. */
struct trop_margin_solved {
    struct trop_model_problem made;
    double *w;            /* (rows, columns) scaled to its margins where right sides allow */
    double *left, *right; /* (rows, rank), (columns, rank) of the nuclear norm, else rank 0 */
    double *lambda;       /* (count) scaled to r' lambda = lower; of an infeasible problem the
                             multipliers that show it */
    double *judged;       /* (count) what lower was proved with: lambda is this, scaled and rounded;
                             0 where a proof by farkas took its place */
    double *size;         /* (count) |A_j|_F within (rows + columns + 16) u, once it was solved */
    int64_t *shown;       /* (farkas.count) constraints that contradict each other */
    int64_t rank;
    int64_t iterations;
    int64_t outcome;  /* enum trop_outcome */
    int64_t large;    /* 1: too large for the solver of the norm, which did not begin */
    double tolerance; /* that was asked for, or what rounding allows when that is more */
    struct trop_margin_proof proof;
    struct trop_margin_farkas farkas;
};

/* Takes over made, whatever it returns. */
enum trop_status trop_margin_solve_open(struct trop_margin_solved *out,
                                        struct trop_model_problem *made);
/* TROP_OK whatever the outcome is. */
enum trop_status trop_margin_solve(struct trop_margin_solved *solved,
                                   const struct trop_margin_settings *settings);
/* upper / lower - 1, rounded up; 0 when both are 0, infinity when that is all that is known. */
double trop_margin_solve_gap(double lower, double upper);
void trop_margin_solve_close(struct trop_margin_solved *solved);

#endif
