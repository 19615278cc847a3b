/* clp.h -- the seam to CLP, for linear programs
 *
 *   minimise cost' x   subject to   row_lower <= M x <= row_upper,   lower <= x <= upper.
 *
 * What comes back is a basis, no numbers: whoever asks solves that basis again (basis.h), because
 * CLP is content with infeasibilities of 1e-9 and more. clp.c is the seam itself, clp_none.c the
 * build without it. */
#ifndef TROP_MARGIN_CLP_H
#define TROP_MARGIN_CLP_H

#include "tropism.h"

/* Where a column or a row activity is. */
enum trop_clp_state { TROP_CLP_BASIC, TROP_CLP_LOWER, TROP_CLP_UPPER };

/* M by columns: entries start[k] .. start[k + 1] - 1 belong to column k. All owned by the
 * caller. */
struct trop_clp {
    int64_t rows, columns;
    const int *start;            /* (columns + 1) */
    const int *index;            /* row of each entry */
    const double *value;         /* of each entry */
    const double *lower, *upper; /* (columns), infinite ones allowed; then (rows) */
    const double *cost;          /* (columns) */
    int64_t iterations;          /* at most; also at most INT_MAX */
    trop_progress *progress;     /* may be NULL; called every so many iterations */
    void *context;
};

/* Runs the dual simplex method. state: (columns + rows) receives a basis, that of an optimum
 * when CLP found one, else the one it came to. iterations: how many were made. A progress
 * function that asks to stop makes it TROP_ERR_STOPPED. */
enum trop_status trop_clp_solve(int64_t *state, int64_t *iterations, const struct trop_clp *task);

#endif
