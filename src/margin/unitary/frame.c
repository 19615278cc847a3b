/* frame.c -- constraints that are nearly dependent, made orthonormal.
 *
 * Rows A_j with sum_j c_j A_j of length epsilon, |c| = 1, make |W| of the order 1 / epsilon, and
 * lambda too. The system of an iteration, in W or in lambda, then has entries that cancel but for
 * epsilon^2 of them, and from epsilon = 1e-4 on little is left of the direction. With A = R O, O
 * orthonormal, R lower triangular in the order of its pivots,
 *
 *   A W = R v, v = O W,        A' lambda = O' mu, mu = R' lambda,
 *
 * and epsilon stands in an entry of R. For weights D of the constraints, R' D R (of the spectral
 * norm) and R^-1 D R^-T (of the nuclear one) are graded: what is small in them is an entry, not a
 * difference of entries, and Cholesky's method with a scaled diagonal keeps it. That holds when
 * heavy constraints come first, those with large multipliers: a row that leans on a heavy one after
 * it would share its weight. So pivots are chosen by length times the multiplier of the l2
 * solution, which is large on the same constraints (LIGHT stands for the others, which come last).
 *
 * The same pair is also where the iterations start. From multipliers of 1 they would have to grow
 * to 1 / epsilon while slacks shrink to epsilon, and the steps to the boundary become tiny on the
 * way.
 *
 * R has errors of some u, as if A had them: they move the optimum by some u kappa of itself,
 * kappa = max_j |A_j| |W|, as storing W in double does. It is made by Householder reflections; what
 * is left of a row below 2^-44 is dropped (reduce.c).
 */
#include "margin/unitary/frame.h"

#include "base/alloc.h"
#include "base/linalg.h"
#include "base/status.h"
#include "margin/dense.h"

#include <math.h>
#include <string.h>

#define DROPPED 0x1p-44
#define LIGHT 1e-3

void trop_frame_free(struct trop_frame *frame)
{
    if (!frame) {
        return;
    }
    TROP_FREE(frame->memory, frame->basis, frame);
}

/* ---- reflections ---------------------------------------------------------------------------- */

/* x := x - (w . x) w, from entry k on. */
static void reflect(double *x, const double *w, int64_t k, int64_t size)
{
    const double product = trop_linalg_dot(w + k, x + k, size - k);

    for (int64_t c = k; c < size; c++) {
        x[c] -= product * w[c];
    }
}

/* The next pivot: the heaviest remainder from entry k on, of multipliers that make a U of length
 * size; -1 when all are dropped. */
static int64_t heaviest(const struct trop_frame *frame, int64_t k, double size)
{
    double most = 0;
    int64_t at = -1;

    for (int64_t j = 0; j < frame->count; j++) {
        const double length = trop_linalg_norm(frame->row + j * frame->size + k, frame->size - k);
        const double weight = length * (LIGHT + fabs(frame->unitary->first[j]) / size);
        if (length > DROPPED && weight > most) {
            most = weight;
            at = j;
        }
    }
    return at;
}

/* Reduces the rows to R, the reflections in `half`. */
static void triangulate(struct trop_frame *frame)
{
    const int64_t size = frame->size;

    trop_reduce_combine(frame->matrix, frame->unitary->reduce, frame->unitary->first);
    const double length = trop_linalg_norm(frame->matrix, size);
    while (frame->rank < size) {
        const int64_t k = frame->rank, pivot = heaviest(frame, k, length > 0 ? length : 1.0);
        double *w = frame->half + k * size;
        if (pivot < 0) {
            break;
        }
        /* w of the reflection that takes the pivot, from entry k on, to a multiple of the unit
         * vector k. */
        const double *x = frame->row + pivot * size;
        memset(w, 0, (size_t)size * sizeof *w);
        memcpy(w + k, x + k, (size_t)(size - k) * sizeof *w);
        w[k] += copysign(trop_linalg_norm(x + k, size - k), x[k]);
        const double scale = sqrt(2.0) / trop_linalg_norm(w + k, size - k);
        for (int64_t c = k; c < size; c++) {
            w[c] *= scale;
        }
        for (int64_t j = 0; j < frame->count; j++) {
            reflect(frame->row + j * size, w, k, size);
        }
        /* What is left of the pivot is rounding. */
        memset(frame->row + pivot * size + k + 1, 0, (size_t)(size - k - 1) * sizeof(double));
        /* The pivot becomes the next of the basis; the order of the rest is free. */
        int64_t at = frame->rank;
        while (frame->basis[at] != pivot) {
            at++;
        }
        frame->basis[at] = frame->basis[frame->rank];
        frame->basis[frame->rank++] = pivot;
    }
    for (int64_t j = 0; j < frame->count; j++) {
        memset(frame->row + j * size + frame->rank, 0,
               (size_t)(size - frame->rank) * sizeof(double));
    }
}

enum trop_status trop_frame_create(struct trop_frame **out, struct trop_unitary *unitary)
{
    const int64_t count = unitary->reduce->count;
    const int64_t size = trop_alloc_product(unitary->height, unitary->width);

    *out = NULL;
    if (count > TROP_FRAME_MOST || size > TROP_FRAME_MOST) {
        return TROP_OK;
    }
    struct trop_frame *frame = trop_alloc(1, sizeof *frame);
    if (!frame) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a frame");
    }
    *frame = (struct trop_frame){ .unitary = unitary, .count = count, .size = size };
    if (!TROP_ALLOC(TROP_PART(frame->basis, count),
                    TROP_PART(frame->memory, 3 * size * size + count * size))) {
        trop_frame_free(frame);
        return trop_fail(TROP_ERR_MEMORY, "no memory for a frame of %lld constraints",
                         (long long)count);
    }
    frame->turn = frame->memory;
    frame->half = frame->turn + size * size;
    frame->matrix = frame->half + size * size;
    frame->row = frame->matrix + size * size;
    /* The rows A_j as they are. */
    const struct trop_reduce *reduce = frame->unitary->reduce;
    const int64_t height = reduce->height, width = reduce->width;
    for (int64_t j = 0; j < frame->count; j++) {
        frame->basis[j] = j;
        for (int64_t c = 0; c < frame->size; c++) {
            frame->row[j * frame->size + c] =
                reduce->a[j * height + c / width] * reduce->z[reduce->asked[j] * width + c % width];
        }
    }
    triangulate(frame);
    /* The rows of the product of all reflections. */
    for (int64_t i = 0; i < size; i++) {
        double *to = frame->turn + i * size;
        memset(to, 0, (size_t)size * sizeof *to);
        to[i] = 1.0;
        for (int64_t k = frame->rank - 1; k >= 0; k--) {
            reflect(to, frame->half + k * size, k, size);
        }
    }
    *out = frame;
    return TROP_OK;
}

/* ---- parts of the system -------------------------------------------------------------------- */

void trop_frame_operator(double *out, struct trop_frame *frame, const double *x, const double *y,
                         int64_t rank)
{
    const int64_t size = frame->size;

    for (int64_t k = 0; k < size; k++) {
        trop_unitary_operator(frame->matrix + k * size, frame->unitary, x, y, k);
    }
    trop_dense_product(frame->half, frame->turn, frame->matrix, rank, size, size);
    trop_dense_product_turned(out, frame->half, frame->turn, rank, size, rank);
}

void trop_frame_weigh(double *out, const struct trop_frame *frame, const double *b, int64_t columns,
                      const double *weight, double *work)
{
    const struct trop_unitary *unitary = frame->unitary;

    memset(work, 0, (size_t)(columns * frame->count) * sizeof *work);
    for (int64_t k = 0; k < unitary->sides; k++) {
        const int64_t j = unitary->side[k];
        for (int64_t c = 0; c < columns; c++) {
            work[c * frame->count + j] = weight[k] * b[j * columns + c];
        }
    }
    trop_dense_product(out, work, b, columns, frame->count, columns);
}

/* ---- triangular systems --------------------------------------------------------------------- */

void trop_frame_multipliers(double *lambda, const struct trop_frame *frame, double *mu)
{
    for (int64_t i = 0; i < frame->rank; i++) {
        lambda[frame->basis[i]] = 0;
    }
    for (int64_t j = 0; j < frame->count; j++) {
        const double *row = frame->row + j * frame->size;
        for (int64_t k = 0; lambda[j] != 0 && k < frame->rank; k++) {
            mu[k] -= row[k] * lambda[j];
        }
    }
    for (int64_t i = frame->rank - 1; i >= 0; i--) { /* R_B' is upper triangular */
        const double *row = frame->row + frame->basis[i] * frame->size;
        const double value = mu[i] / row[i];
        lambda[frame->basis[i]] = value;
        for (int64_t k = 0; k < i; k++) {
            mu[k] -= row[k] * value;
        }
    }
}

void trop_frame_place(double *v, const struct trop_frame *frame, const double *value)
{
    for (int64_t i = 0; i < frame->rank; i++) {
        const double *row = frame->row + frame->basis[i] * frame->size;
        v[i] = (value[frame->basis[i]] - trop_linalg_dot(row, v, i)) / row[i];
    }
}

/* ---- the start ------------------------------------------------------------------------------- */

void trop_frame_balance(double *slack, double *multiplier, double product)
{
    *multiplier = fmax(*multiplier, product / fmax(*slack, 0.1));
    *slack = fmax(*slack, product / *multiplier);
}
