/* optimizer_spectral.c -- spectral descent and Muon: W <- W - eta P, P the polar factor of G or of
 * a mean of G.
 *
 *   G = U S V',  P = U V' over the singular values that are not zero: the spectral margin.
 *
 * A gradient is a sum of n rank-one terms, so that most singular values can be zero: those below
 * 8 max(rows, columns) u times the largest are rounding errors, whose vectors mean nothing.
 *
 * Muon as shipped: M <- .95 M + .05 G, the mean .05 G + .95 M (Nesterov), and instead of the polar
 * factor five steps of the quintic X <- a X + (b A + c A^2) X, A = X X', from X = mean / |mean|_F,
 * which leaves singular values between about .5 and 1.5; W moves by eta sqrt(max(1, rows /
 * columns)) X. (1e-7 is added to |mean|_F there; gradients here have any size, so it is not.) The
 * exact form takes the polar factor and no such factor.
 */
#include "learn/optimizer/optimizer.h"

#include "base/linalg.h"
#include "base/status.h"
#include "margin/dense.h"

#include <math.h>
#include <string.h>

#define UNIT 0x1p-53

static int64_t least(int64_t rows, int64_t columns)
{
    return rows < columns ? rows : columns;
}

/* Room for a copy, u, s, vt and the factor; the polynomial needs two squares and two copies. */
static int64_t room(int64_t rows, int64_t columns)
{
    const int64_t r = least(rows, columns), size = rows * columns;
    const int64_t svd = 2 * size + r * (rows + columns + 1);
    const int64_t polynomial = 3 * size + 2 * r * r;

    return svd > polynomial ? svd : polynomial;
}

/* The polar factor of from, to the front of scratch. */
static enum trop_status polar(double *scratch, const double *from, int64_t rows, int64_t columns)
{
    const int64_t r = least(rows, columns), size = rows * columns;
    double *p = scratch, *a = p + size, *u = a + size, *s = u + rows * r, *vt = s + r;

    memcpy(a, from, (size_t)size * sizeof *a);
    if (!trop_dense_svd(u, s, vt, a, rows, columns)) {
        return trop_fail(TROP_ERR_NUMERIC, "the singular values of the gradient were not found");
    }
    const int64_t longer = rows > columns ? rows : columns;
    memset(p, 0, (size_t)size * sizeof *p);
    for (int64_t k = 0; k < r && s[k] > 8 * (double)longer * UNIT * s[0]; k++) {
        for (int64_t i = 0; i < rows; i++) {
            for (int64_t j = 0; j < columns; j++) {
                p[i * columns + j] += u[i * r + k] * vt[k * columns + j];
            }
        }
    }
    return TROP_OK;
}

static void move(struct trop_optimizer_step *s, double eta)
{
    for (int64_t k = 0; k < trop_optimizer_size(s); k++) {
        s->weight->values[k] -= eta * s->scratch[k];
    }
}

static enum trop_status spectral_step(struct trop_optimizer_step *s)
{
    if (trop_optimizer_still(s)) {
        return TROP_OK;
    }
    enum trop_status status =
        polar(s->scratch, s->gradient->values, s->weight->rows, s->weight->columns);
    if (status == TROP_OK) {
        move(s, s->eta);
    }
    return status;
}

/* ---- Muon -------------------------------------------------------------------------------- */

/* X <- a X + (b A + c A^2) X, A = X X' (r, r), for X with rows <= columns. */
static void quintic(double *x, double *square, double *fourth, double *next, int64_t r, int64_t n)
{
    trop_dense_product_turned(square, x, x, r, n, r);
    trop_dense_product(fourth, square, square, r, r, r);
    for (int64_t k = 0; k < r * r; k++) {
        fourth[k] = -4.7750 * square[k] + 2.0315 * fourth[k];
    }
    trop_dense_product(next, fourth, x, r, r, n);
    for (int64_t k = 0; k < r * n; k++) {
        x[k] = 3.4445 * x[k] + next[k];
    }
}

/* The polynomial of from, to the front of scratch; a tall matrix is turned first. */
static void polynomial(double *scratch, const double *from, int64_t rows, int64_t columns)
{
    const int64_t r = least(rows, columns), size = rows * columns, n = size / r;
    double *x = scratch + size, *next = x + size, *square = next + size, *fourth = square + r * r;
    const double norm = trop_linalg_norm(from, size);

    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < columns; j++) {
            x[rows > columns ? j * rows + i : i * columns + j] =
                norm > 0 ? from[i * columns + j] / norm : 0;
        }
    }
    for (int k = 0; k < 5; k++) {
        quintic(x, square, fourth, next, r, n);
    }
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < columns; j++) {
            scratch[i * columns + j] = x[rows > columns ? j * rows + i : i * columns + j];
        }
    }
}

/* number[0]: the scale of the mean in state[0]; state[1]: what is orthogonalised. */
static void muon_start(struct trop_optimizer_step *s)
{
    s->number[0] = -INFINITY;
}

static enum trop_status muon_step(struct trop_optimizer_step *s)
{
    const double keep = s->settings->momentum;
    const int64_t rows = s->weight->rows, columns = s->weight->columns;
    enum trop_status status = TROP_OK;

    if (trop_optimizer_still(s)) {
        return TROP_OK;
    }
    trop_optimizer_average(s->state[0], s->number, s->gradient, keep, 1);
    memcpy(s->state[1], s->state[0], (size_t)(rows * columns) * sizeof(double));
    if (s->settings->polynomial) {
        double scale = s->number[0]; /* Nesterov: the mean moves once more */
        trop_optimizer_average(s->state[1], &scale, s->gradient, keep, 1);
        polynomial(s->scratch, s->state[1], rows, columns);
        move(s, s->eta * sqrt(fmax(1, (double)rows / (double)columns)));
    } else {
        status = polar(s->scratch, s->state[1], rows, columns);
        if (status == TROP_OK) {
            move(s, s->eta);
        }
    }
    return status;
}

const struct trop_optimizer trop_optimizer_spectral = {
    .name = "spectral",
    .meaning = "steps of eta along the polar factor of the gradient",
    .norm = &trop_norm_spectral,
    .normalised = 1,
    .room = room,
    .step = spectral_step,
};

const struct trop_optimizer trop_optimizer_muon = {
    .name = "muon",
    .meaning = "the same with a running mean of the gradient; exact, or the shipped polynomial",
    .norm = &trop_norm_spectral,
    .normalised = 1,
    .states = 2,
    .scaled = 1,
    .room = room,
    .start = muon_start,
    .step = muon_step,
};
