/* norm_lp_system.c -- the Newton system of the lp solver.
 *
 * With R1 = A' lambda - u, R2 = A w - v - gamma r, R3 = r' lambda - c and the slopes
 * dw = D du, dv = -E dlambda of the curves, the linearised equations are
 *
 *   H dlambda - r dgamma = -(R2 + A D R1),   r' dlambda = -R3,   H = A D A' + E,
 *   du = A' dlambda + R1,   dw = D du,   dv = A dw - r dgamma + R2,
 *
 * the second one only where gamma is unknown. H is scaled to a unit diagonal and factored; a
 * shift of the diagonal, 2^-50 and more until the factor exists, admits duplicated and dependent
 * rows. D has a range of 1/mu^2, and of contradicting rows H squares the small angle between
 * them, so that the factor is a preconditioner only: conjugate gradients with H applied as
 * A (D (A' x)) + E x, where small A' x survive, correct the few directions that it has lost; and
 * the equations are evaluated at the step in double-double and solved again for what is left.
 */
#include "margin/lp/norm_lp.h"

#include "base/lapack.h"
#include "base/linalg.h"
#include "margin/rows_gram.h"

#include <math.h>
#include <string.h>

#define SHIFT_FIRST 0x1p-50
#define SHIFT_MOST 0x1p-10

/* Conjugate gradients stop at this relative square of the residual, b' M^-1 b with the factor M;
 * corrections of a step when they have become that small, or no longer fall. */
#define GRADIENTS_SQUARE 1e-20
#define GRADIENTS_MOST 24
#define CORRECTIONS_SQUARE 1e-24
#define CORRECTIONS_MOST 6
#define TOTAL_LEAST 0x1p-60 /* of r' lambda, relative to c */
#define DIGITS_SQUARE 1e-12

/* The factor of gram; is_definite 0 when there is none. */
static enum trop_status factor(int *is_definite, struct trop_norm_lp *lp)
{
    const int64_t n = lp->count, stride = trop_kernel_linear_stride(n);

    if (!lp->is_small) {
        return trop_lapack_cholesky(is_definite, lp->gram, n);
    }
    for (int64_t j = 0; j < n; j++) {
        for (int64_t k = 0; k <= j; k++) {
            lp->factor[k * stride + j] = lp->gram[j * n + k];
        }
    }
    *is_definite = lp->task->rows->linear->factor(lp->factor, stride, n, lp->floor, lp->skipped);
    for (int64_t j = 0; j < n && *is_definite; j++) {
        *is_definite = !lp->skipped[j];
    }
    return TROP_OK;
}

static void precondition(double *x, struct trop_norm_lp *lp, const double *b)
{
    for (int64_t j = 0; j < lp->count; j++) {
        x[j] = lp->root[j] * b[j];
    }
    if (lp->is_small) {
        lp->task->rows->linear->factor_solve(x, lp->factor, trop_kernel_linear_stride(lp->count),
                                             lp->count);
    } else {
        (void)trop_lapack_cholesky_solve(x, lp->gram, lp->count, 1);
    }
    for (int64_t j = 0; j < lp->count; j++) {
        x[j] *= lp->root[j];
    }
}

/* out = H x, by way of A' x. */
static void apply(double *out, struct trop_norm_lp *lp, const double *x)
{
    double *entry = lp->entry[0];

    trop_norm_lp_combine(entry, lp, x);
    for (int64_t i = 0; i < lp->size; i++) {
        entry[i] *= lp->at.weight[i];
    }
    trop_norm_lp_values(out, lp, entry);
    for (int64_t j = 0; j < lp->count; j++) {
        out[j] = fma(lp->at.yield[j], x[j], out[j]);
    }
}

/* x = H^-1 b; b is destroyed. Uses rows 1 to 3. */
static void solve(double *x, struct trop_norm_lp *lp, double *b)
{
    double *near = lp->row[1], *along = lp->row[2], *image = lp->row[3];
    double before = 0.0, first = 0.0;

    memset(x, 0, (size_t)lp->count * sizeof *x);
    for (int k = 0; k < GRADIENTS_MOST; k++) {
        precondition(near, lp, b);
        const double square = trop_linalg_dot(b, near, lp->count);
        first = k == 0 ? square : first;
        if (!(square > GRADIENTS_SQUARE * first)) {
            break;
        }
        for (int64_t j = 0; j < lp->count; j++) {
            along[j] = k == 0 ? near[j] : fma(square / before, along[j], near[j]);
        }
        before = square;
        apply(image, lp, along);
        const double curved = trop_linalg_dot(along, image, lp->count);
        if (!(curved > 0) || !isfinite(square / curved)) {
            break;
        }
        const double far = square / curved;
        for (int64_t j = 0; j < lp->count; j++) {
            x[j] = fma(far, along[j], x[j]);
            b[j] = fma(-far, image[j], b[j]);
        }
    }
}

enum trop_status trop_norm_lp_factor(struct trop_norm_lp *lp)
{
    int is_definite = lp->is_hard != 0;

    if (lp->is_hard) {
        trop_norm_lp_hard(lp); /* at most 200 constraints: is_small */
        /* The factor L of norm_lp_hard.c, in gram, as kernel_linear.h has it. */
        const int64_t n = lp->count, stride = trop_kernel_linear_stride(n);
        for (int64_t j = 0; j < n; j++) {
            for (int64_t k = 0; k < j; k++) {
                lp->factor[k * stride + j] = lp->gram[j * n + k];
            }
            lp->factor[j * stride + j] = 1.0 / lp->gram[j * n + j];
        }
    }
    for (double shift = SHIFT_FIRST; !is_definite && shift <= SHIFT_MOST; shift *= 0x1p8) {
        /* H with a unit diagonal, and shift added to it. */
        const int64_t n = lp->count;
        double *gram = lp->gram;
        lp->task->rows->threads =
            trop_norm_lp_workers(lp, (double)n * (double)n * (double)lp->task->problem->rows);
        trop_rows_gram(gram, lp->task->rows, lp->at.weight, NULL, n);
        for (int64_t j = 0; j < n; j++) {
            const double own = lp->scale[j] * lp->scale[j] * gram[j * n + j] + lp->at.yield[j];
            lp->root[j] = own > 0 ? 1.0 / sqrt(own) : 1.0;
        }
        for (int64_t j = 0; j < n; j++) {
            const double here = lp->scale[j] * lp->root[j];
            for (int64_t k = 0; k < j; k++) {
                gram[j * n + k] *= here * (lp->scale[k] * lp->root[k]);
            }
            gram[j * n + j] = 1.0 + shift;
        }
        enum trop_status status = factor(&is_definite, lp);
        if (status != TROP_OK) {
            return status;
        }
    }
    if (is_definite && lp->is_wide) {
        memcpy(lp->row[4], lp->right, (size_t)lp->count * sizeof *lp->right);
        solve(lp->shape, lp, lp->row[4]);
    }
    return is_definite ? TROP_OK : TROP_ERR_NUMERIC;
}

/* How far (dlambda, dgamma), in rows 0 and 6, are from solving the equations: -F in row 4, with
 * its square, and the total. Leaves dw in entry 1, du in entry 3 and A dw - r dgamma in row 7. */
static double unsolved(double *total, struct trop_norm_lp *lp,
                       const struct trop_norm_lp_point *point, double gamma, int is_start)
{
    double *lambda = lp->row[0], *low = lp->row[6], *b = lp->row[4], *moved = lp->row[7];
    double *dw = lp->entry[1], *du = lp->entry[3];

    if (is_start) { /* lambda = 0 */
        memcpy(du, point->dual, (size_t)lp->size * sizeof *du);
    } else {
        for (int64_t i = 0; i < lp->size; i++) {
            dw[i] = -point->dual[i];
        }
        trop_norm_lp_dual(du, lp, lambda, low, dw);
    }
    for (int64_t i = 0; i < lp->size; i++) {
        dw[i] = lp->at.weight[i] * du[i];
    }
    trop_norm_lp_primal(moved, lp, dw, NULL, gamma);
    for (int64_t j = 0; j < lp->count; j++) {
        b[j] = -(fma(lp->at.yield[j], lambda[j], moved[j]) + point->primal[j]);
    }
    *total = lp->is_wide ? point->total + trop_norm_lp_total(lp, lambda, low, 0.0) : 0.0;
    precondition(lp->row[1], lp, b);
    return trop_linalg_dot(b, lp->row[1], lp->count);
}

/* The step, from what unsolved() left. */
static void step_write(struct trop_norm_lp_step *out, const struct trop_norm_lp *lp,
                       const struct trop_norm_lp_point *point)
{
    double square = 0.0;

    /* du and dw have one sign, so that dz, their sum over 1 + mu, measures both. */
    for (int64_t i = 0; i < lp->size; i++) {
        out->z[i] = (lp->entry[1][i] + lp->entry[3][i]) / (1.0 + lp->mu);
        square = fma(out->z[i], out->z[i], square);
    }
    out->length = sqrt(square / (double)lp->size);
    for (int64_t j = 0; j < lp->count; j++) {
        const double dv = lp->row[7][j] + point->primal[j];
        const struct trop_dd lambda = { lp->row[0][j], lp->row[6][j] };
        const struct trop_dd y =
            lp->kind[j] == TROP_NORM_LP_LEAST ? trop_dd_less(lambda, trop_dd_of(dv)) : lambda;
        out->y[j] = y.high;
        out->y_low[j] = y.low;
    }
}

int trop_norm_lp_newton(struct trop_norm_lp_step *out, struct trop_norm_lp *lp,
                        const struct trop_norm_lp_point *point)
{
    double total, last, first, square;

    memset(lp->row[0], 0, (size_t)lp->count * sizeof(double));
    memset(lp->row[6], 0, (size_t)lp->count * sizeof(double));
    out->gamma = 0.0;
    square = unsolved(&total, lp, point, 0.0, 1);
    first = square;
    last = INFINITY;
    for (int k = 0; k < CORRECTIONS_MOST; k++) {
        const int is_small = square <= CORRECTIONS_SQUARE * first;
        if ((is_small && fabs(total) <= TOTAL_LEAST * lp->given) ||
            !(square < 0.1 * last || is_small)) {
            break;
        }
        last = fmax(square, CORRECTIONS_SQUARE * first);
        /* Adds to dlambda and dgamma what solves for -F in row 4 and the total. */
        double *lambda = lp->row[0], *low = lp->row[6], *move = lp->row[7], more = 0.0;
        solve(move, lp, lp->row[4]);
        if (lp->is_wide) {
            const double own = trop_linalg_dot(lp->right, lp->shape, lp->count);
            more = -(total + trop_linalg_dot(lp->right, move, lp->count)) / own;
            out->gamma += more;
        }
        for (int64_t j = 0; j < lp->count; j++) {
            const double by = lp->is_wide ? fma(more, lp->shape[j], move[j]) : move[j];
            const struct trop_dd sum =
                trop_dd_add((struct trop_dd){ lambda[j], low[j] }, trop_dd_of(by));
            lambda[j] = sum.high;
            low[j] = sum.low;
        }
        square = unsolved(&total, lp, point, out->gamma, 0);
        first = fmax(first, k == 0 ? square : 0.0);
    }
    step_write(out, lp, point);
    return square <= DIGITS_SQUARE * first;
}
