/* basis.h -- a basis of the linear programs of max-margin problems, solved in double-double.
 *
 *   minimise cost' x   subject to   lower_j <= M_j x <= upper_j,   lower_k <= x_k <= upper_k,
 *
 * every bound finite. Column k < coordinates of M is coordinate at[k] of W:
 * M_jk = scale_j (A_j)_at[k]. Then follow either the same columns with the other sign (mirrored:
 * W = x - x', both parts not negative), or one more column, extra.
 *
 * A basis is a state for each variable: column k has index k, row j, whose activity M_j x is a
 * variable too, has index columns + j. As many columns are basic as rows are not. */
#ifndef TROP_MARGIN_BASIS_H
#define TROP_MARGIN_BASIS_H

#include "base/math/dd.h"
#include "margin/rows.h"
#include "tropism.h"

struct trop_basis {
    struct trop_rows *rows; /* of the problem; owned by the caller */
    int64_t count;          /* rows of M */
    int64_t coordinates;    /* of W that some constraint sees */
    int64_t columns;        /* of M */
    int64_t most;           /* no basis has more basic columns */
    int64_t mirrored;       /* 1: 2 coordinates columns; 0: coordinates + 1 */
    int64_t *at;            /* (coordinates) their places in W, ascending */
    double *scale;          /* (count) powers of 2 */
    double *extra;          /* (count) the last column, when not mirrored */
    struct trop_dd *left;   /* (count, rows of W) x_plus - x_minus, exactly */
    double *cost;           /* (columns) */
    double *lower, *upper;  /* (columns + count) */

    /* The basis. */
    int64_t *state;          /* (columns + count) enum trop_clp_state */
    int64_t rank;            /* basic columns, and rows that are not basic */
    int64_t *basic, *active; /* (most) these, in the order of the factors */
    struct trop_dd *factor;  /* (most, most) L U of M[active, basic] */
    struct trop_dd *x;       /* (columns) */
    struct trop_dd *value;   /* (count) M x */
    struct trop_dd *y;       /* (count) multipliers of the rows */
    struct trop_dd *reduced; /* (columns) cost - M' y */
    double *value_size;      /* (count) sum_k |M_jk x_k| */
    double *reduced_size;    /* (columns) |cost_k| + sum_j |M_jk y_j| */

    /* Scratch. */
    struct trop_dd *w;      /* (rows, columns of W) */
    double *w_size;         /* (rows, columns of W) */
    struct trop_dd *part;   /* (rows of W) */
    double *part_size;      /* (rows of W) */
    struct trop_dd *solved; /* (most) */
    struct trop_dd *row;    /* (count) a combination of rows */
    struct trop_dd *slope;  /* (columns) */
    double *slope_size;     /* (columns) */
};

/* Makes the columns; costs, bounds, scale, extra and state are for the caller to fill in. */
enum trop_status trop_basis_create(struct trop_basis **out, struct trop_rows *rows,
                                   int64_t mirrored);
void trop_basis_free(struct trop_basis *basis);

/* M_jk. */
struct trop_dd trop_basis_entry(const struct trop_basis *basis, int64_t j, int64_t k);
/* value = M x and value_size. */
void trop_basis_values(struct trop_basis *basis);
/* out = M' y, out_size_k = sum_j |M_jk y_j|. out, out_size: (columns), y: (count). */
void trop_basis_combine(struct trop_dd *out, double *out_size, struct trop_basis *basis,
                        const struct trop_dd *y);

/* ---- factors (basis_factor.c) ------------------------------------------------------------ */

/* Factors the basis of state. Columns that depend on others leave it, and as many rows. */
void trop_basis_factor(struct trop_basis *basis);
/* M[active, basic] x = b, or its transpose; b overwritten by x. b: (rank). */
void trop_basis_factor_solve(struct trop_dd *b, const struct trop_basis *basis);
void trop_basis_factor_transposed(struct trop_dd *b, const struct trop_basis *basis);

/* ---- the dual simplex method (basis_pivot.c) ---------------------------------------------- */

enum trop_basis_end {
    TROP_BASIS_OPTIMAL, /* up to a fraction of the rounding of x and y to double */
    TROP_BASIS_LIMIT,   /* of pivots */
    TROP_BASIS_STOPPED, /* by the caller */
    TROP_BASIS_EMPTY    /* no x fulfils the constraints, up to rounding */
};

/* Solves the basis and makes pivots until it is optimal. pivots: at most, and receives how many
 * were made. progress: called before each, may be NULL. Returns enum trop_basis_end. */
int64_t trop_basis_pivot(struct trop_basis *basis, int64_t *pivots, trop_progress *progress,
                         void *context);

#endif
