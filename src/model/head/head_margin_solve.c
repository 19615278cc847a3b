/* head_margin_solve.c -- the least W of a head's constraints in l2, by their multipliers.
 *
 *   max over lambda >= 0 of  phi = sum_j lambda_j - |W|^2 / 2,   W = sum_j lambda_j A_j,
 *
 * whose gradient is what constraints lack, 1 - <A_j, W>. There are about n^2 of them, and a few n
 * hold with equality at the end: so the set of those with a multiplier grows by the FRESH most
 * violated of each row at a time, beginning with its hardest competitors under the head's own W.
 * Each round is a Newton step on the set, projected on lambda >= 0 (Bertsekas 1982),
 *
 *   p = (G + delta diag G)^-1 (1 - A W),   lambda <- max(lambda + t p, 0),
 *
 * with the first t of 1, 1/2, ... that raises phi enough. Where none does, constraints of
 * multiplier 0 that p lowers leave the set, and once there are none the step ends where the first
 * multiplier does: phi rises in every round. delta keeps dependent constraints apart (a proximal
 * step); at the end it costs rounds, not accuracy.
 *
 * A is never made. With orthonormal coordinates of the tokens, of which there are no more than
 * tokens, and kernels X = <x_s, x_t>, Z = <z_i, z_j>, entries of G are
 *
 *   <A_is, A_jt> = Z_ij (X_ab - X_at - X_sb + X_st),   a = a_i, b = a_j,
 *
 * and all values <A_j, W> are two products with W. What is returned is judged by the caller:
 * nothing here has to be exact.
 */
#include "model/head/head_margin_internal.h"

#include "base/alloc.h"
#include "base/lapack.h"
#include "base/linalg.h"
#include "base/status.h"
#include "margin/dense.h"

#include <math.h>
#include <string.h>

#define FRESH 2
#define ROUNDS 400
#define HALVINGS 6
#define ENOUGH 0.01  /* of the rise that the gradient promises */
#define BLUR 0x1p-48 /* of phi: a fall that rounding explains */
#define TOLERANCE 1e-12
#define PATIENCE 6 /* rounds without a better gap, once it is below CLOSE */
#define CLOSE 1e-6
#define DELTA 0x1p-42
#define DELTA_MOST 0x1p-12

struct solver {
    const struct trop_head_margin_task *task;
    int64_t rank, widest;          /* coordinates of a token; tokens of the longest text */
    double *x, *z;                 /* (tokens, rank), (tokens, rank + 1) */
    double *kx, *kz;               /* (tokens, tokens) */
    double *pull;                  /* (rank, tokens) sum_t lambda_it (x_a - x_t), turned */
    double *w;                     /* (rank, rank + 1) */
    double *image;                 /* (tokens, rank) W z_i */
    double *score;                 /* (widest, widest) */
    double *lambda, *trial, *kept; /* (count) kept: of the least gap */
    double *value;                 /* (count) */
    double phi, gap;
    int64_t *set; /* (count) */
    int64_t size, room;
    double *gram, *step; /* (size, size), (size) */
};

/* ---- the maps -------------------------------------------------------------------------------- */

/* W of the multipliers, and phi. */
static double combine(struct solver *s, const double *lambda)
{
    const struct trop_head_margin_task *task = s->task;
    const int64_t n = task->tokens, r = s->rank;
    double sum = 0, square = 0;

    memset(s->pull, 0, (size_t)(r * n) * sizeof *s->pull);
    for (int64_t j = 0; j < task->count; j++) {
        if (lambda[j] == 0) {
            continue;
        }
        const double *plus = s->x + task->plus[j] * r, *minus = s->x + task->minus[j] * r;
        for (int64_t c = 0; c < r; c++) {
            double *pull = s->pull + c * n + task->asked[j];
            *pull = fma(lambda[j], plus[c] - minus[c], *pull);
        }
        sum += lambda[j];
    }
    trop_dense_product(s->w, s->pull, s->z, r, n, r + 1);
    square = trop_linalg_dot(s->w, s->w, r * (r + 1));
    return sum - square / 2;
}

/* <A_j, W> of all constraints. */
static void values(struct solver *s)
{
    const struct trop_head_margin_task *task = s->task;
    const int64_t r = s->rank;

    trop_dense_product_turned(s->image, s->z, s->w, task->tokens, r + 1, r);
    for (int64_t b = 0; b < task->texts; b++) {
        const int64_t start = task->start[b], n = task->start[b + 1] - start;
        trop_dense_product_turned(s->score, s->image + start * r, s->x + start * r, n, r, n);
        for (int64_t j = task->from[start]; j < task->from[start + n]; j++) {
            const double *score = s->score + (task->asked[j] - start) * n - start;
            s->value[j] = score[task->plus[j]] - score[task->minus[j]];
        }
    }
}

/* The gap |W| / margin over (sum lambda) / |W|; the multipliers are kept if it is the least. */
static void look(struct solver *s)
{
    const int64_t r = s->rank, count = s->task->count;
    const double square = trop_linalg_dot(s->w, s->w, r * (r + 1));
    double margin = INFINITY, sum = 0;

    for (int64_t j = 0; j < count; j++) {
        margin = fmin(margin, s->value[j]);
        sum += s->lambda[j];
    }
    const double gap = margin > 0 && sum > 0 ? fmax(square / margin / sum - 1, 0) : INFINITY;
    if (gap < s->gap || !isfinite(s->gap)) {
        memcpy(s->kept, s->lambda, (size_t)count * sizeof *s->kept);
    }
    s->gap = fmin(gap, s->gap);
}

/* ---- the set --------------------------------------------------------------------------------- */

/* Constraints with multipliers, and of each row the FRESH least of value that are below 1. */
static void set_make(struct solver *s, const double *value, double below)
{
    const struct trop_head_margin_task *task = s->task;

    s->size = 0;
    for (int64_t i = 0; i < task->tokens; i++) {
        int64_t fresh[FRESH], many = 0;
        for (int64_t j = task->from[i]; j < task->from[i + 1]; j++) {
            int64_t at = many;
            if (s->lambda[j] > 0) {
                s->set[s->size++] = j;
                continue;
            }
            if (!(value[j] < below)) {
                continue;
            }
            for (; at > 0 && value[fresh[at - 1]] > value[j]; at--) {
                if (at < FRESH) {
                    fresh[at] = fresh[at - 1];
                }
            }
            if (at < FRESH) {
                fresh[at] = j;
                many += many < FRESH;
            }
        }
        for (int64_t k = 0; k < many; k++) {
            s->set[s->size++] = fresh[k];
        }
    }
}

/* Constraints of multiplier 0 that the step lowers leave; returns how many. */
static int64_t set_shrink(struct solver *s)
{
    int64_t kept = 0;

    for (int64_t k = 0; k < s->size; k++) {
        if (s->lambda[s->set[k]] > 0 || s->step[k] > 0) {
            s->set[kept++] = s->set[k];
        }
    }
    const int64_t gone = s->size - kept;
    s->size = kept;
    return gone;
}

static enum trop_status set_room(struct solver *s)
{
    if (s->size <= s->room) {
        return TROP_OK;
    }
    const int64_t room = s->size + s->size / 4;
    TROP_FREE(s->gram, s->step);
    s->room = 0;
    if (!TROP_ALLOC(TROP_PART(s->gram, trop_alloc_product(room, room)), TROP_PART(s->step, room))) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a Gram matrix of order %lld",
                         (long long)s->size);
    }
    s->room = room;
    return TROP_OK;
}

/* ---- a round --------------------------------------------------------------------------------- */

static void gram_make(struct solver *s, double delta)
{
    const struct trop_head_margin_task *task = s->task;
    const int64_t n = task->tokens;

    for (int64_t k = 0; k < s->size; k++) {
        const int64_t j = s->set[k];
        const double *plus = s->kx + task->plus[j] * n, *minus = s->kx + task->minus[j] * n;
        const double *cross = s->kz + task->asked[j] * n;
        double *row = s->gram + k * s->size;
        for (int64_t l = 0; l <= k; l++) {
            const int64_t a = task->plus[s->set[l]], b = task->minus[s->set[l]];
            row[l] = cross[task->asked[s->set[l]]] * ((plus[a] - plus[b]) - (minus[a] - minus[b]));
        }
        row[k] += delta * row[k];
    }
}

/* The Newton step of the set. */
static enum trop_status step_make(struct solver *s)
{
    double delta = DELTA;
    enum trop_status status = set_room(s);

    if (status != TROP_OK) {
        return status;
    }
    for (gram_make(s, delta); !trop_dense_cholesky(s->gram, s->size); gram_make(s, delta)) {
        delta *= 16;
        if (!(delta < DELTA_MOST)) {
            return trop_fail(TROP_ERR_NUMERIC, "margin: the constraints have no Gram matrix");
        }
    }
    for (int64_t k = 0; k < s->size; k++) {
        s->step[k] = 1 - s->value[s->set[k]];
    }
    trop_dense_cholesky_solve(s->step, s->gram, s->size, 1);
    return TROP_OK;
}

/* lambda + t step, projected, if phi rises enough, or in any case. */
static int try_step(struct solver *s, double t, int any)
{
    double promised = 0;

    memcpy(s->trial, s->lambda, (size_t)s->task->count * sizeof *s->trial);
    for (int64_t k = 0; k < s->size; k++) {
        const int64_t j = s->set[k];
        s->trial[j] = fmax(fma(t, s->step[k], s->lambda[j]), 0);
        promised += (1 - s->value[j]) * (s->trial[j] - s->lambda[j]);
    }
    const double phi = combine(s, s->trial);
    if (!any && !(phi >= s->phi + ENOUGH * promised - BLUR * fabs(s->phi))) {
        return 0;
    }
    double *swap = s->lambda;
    s->lambda = s->trial;
    s->trial = swap;
    s->phi = phi;
    return 1;
}

/* The step up to where the first multiplier ends. */
static void step_short(struct solver *s)
{
    double t = 1;

    for (int64_t k = 0; k < s->size; k++) {
        if (s->step[k] < 0) {
            t = fmin(t, s->lambda[s->set[k]] / -s->step[k]);
        }
    }
    for (int64_t k = 0; k < s->size; k++) { /* which ends there in spite of rounding */
        const int64_t j = s->set[k];
        if (s->step[k] < 0 && s->lambda[j] <= t * -s->step[k]) {
            s->step[k] = -2 * s->lambda[j] / t;
        }
    }
    try_step(s, t, 1);
}

static enum trop_status round_of(struct solver *s)
{
    for (;;) {
        enum trop_status status = step_make(s);
        if (status != TROP_OK) {
            return status;
        }
        double t = 1;
        for (int64_t k = 0; k < HALVINGS; k++, t /= 2) {
            if (try_step(s, t, 0)) {
                return TROP_OK;
            }
        }
        if (set_shrink(s) == 0) {
            step_short(s);
            return TROP_OK;
        }
    }
}

static enum trop_status rounds(struct solver *s)
{
    enum trop_status status = TROP_OK;
    int64_t patience = PATIENCE;

    s->gap = INFINITY;
    set_make(s, s->task->value, INFINITY);
    for (int64_t k = 0; k < ROUNDS && patience > 0 && status == TROP_OK; k++) {
        const double before = s->gap;
        status = round_of(s);
        combine(s, s->lambda);
        values(s);
        look(s);
        if (s->gap <= TOLERANCE) {
            break;
        }
        patience = s->gap < before / 2 || !(s->gap < CLOSE) ? PATIENCE : patience - 1;
        set_make(s, s->value, 1);
    }
    return status;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void solver_close(struct solver *s)
{
    TROP_FREE(s->x, s->z, s->kx, s->kz, s->pull, s->w, s->image, s->score, s->lambda, s->trial,
              s->kept, s->value, s->set, s->gram, s->step);
}

/* Coordinates of the tokens in an orthonormal basis of their span; the tokens themselves where that
 * is no shorter. */
static enum trop_status coordinates(struct solver *s)
{
    const struct trop_head_margin_task *task = s->task;
    const int64_t n = task->tokens, w = task->width, r = s->rank;

    if (r == w) {
        memcpy(s->x, task->x, (size_t)(n * w) * sizeof *s->x);
    } else {
        double *basis = trop_alloc(trop_alloc_product(n, w), sizeof *basis);
        if (!basis) {
            return trop_fail(TROP_ERR_MEMORY, "no memory for a basis of %lld tokens", (long long)n);
        }
        memcpy(basis, task->x, (size_t)(n * w) * sizeof *basis);
        trop_head_margin_basis(basis, n, w);
        trop_head_margin_coordinates(s->x, task->x, basis, n, w, r);
        trop_alloc_free(basis);
    }
    for (int64_t i = 0; i < n; i++) {
        memcpy(s->z + i * (r + 1), s->x + i * r, (size_t)r * sizeof *s->z);
        s->z[i * (r + 1) + r] = 1;
    }
    trop_dense_product_turned(s->kx, s->x, s->x, n, r, n);
    trop_dense_product_turned(s->kz, s->z, s->z, n, r + 1, n);
    return TROP_OK;
}

enum trop_status trop_head_margin_solve(double *lambda, const struct trop_head_margin_task *task)
{
    const int64_t n = task->tokens, m = task->count;
    struct solver s = { .task = task, .rank = n < task->width ? n : task->width };
    const int64_t r = s.rank, short_side = trop_alloc_product(n, r);
    enum trop_status status = TROP_OK;

    trop_lapack_threads_one(); /* the last bits of BLAS depend on its number of threads */
    for (int64_t b = 0; b < task->texts; b++) {
        const int64_t size = task->start[b + 1] - task->start[b];
        s.widest = size > s.widest ? size : s.widest;
    }
    if (!TROP_ALLOC(TROP_PART(s.x, short_side), TROP_PART(s.z, short_side + n),
                    TROP_PART(s.kx, n * n), TROP_PART(s.kz, n * n), TROP_PART(s.pull, short_side),
                    TROP_PART(s.w, r * (r + 1)), TROP_PART(s.image, short_side),
                    TROP_PART(s.score, s.widest * s.widest), TROP_PART(s.lambda, m),
                    TROP_PART(s.trial, m), TROP_PART(s.kept, m), TROP_PART(s.value, m),
                    TROP_PART(s.set, m))) {
        status =
            trop_fail(TROP_ERR_MEMORY, "no memory to solve for %lld constraints", (long long)m);
    }
    if (status == TROP_OK) {
        status = coordinates(&s);
    }
    if (status == TROP_OK) {
        status = rounds(&s);
    }
    if (status == TROP_OK) {
        memcpy(lambda, s.kept, (size_t)m * sizeof *lambda);
    }
    solver_close(&s);
    return status;
}

enum trop_status trop_head_margin_combine(double *w, const double *lambda,
                                          const struct trop_head_margin_task *task)
{
    const int64_t n = task->tokens, width = task->width;
    double *pull = trop_alloc(trop_alloc_product(width, n), sizeof *pull);

    if (!pull) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for W of %lld tokens", (long long)n);
    }
    for (int64_t j = 0; j < task->count; j++) {
        const double *plus = task->x + task->plus[j] * width;
        const double *minus = task->x + task->minus[j] * width;
        for (int64_t c = 0; c < width && lambda[j] != 0; c++) {
            double *at = pull + c * n + task->asked[j];
            *at = fma(lambda[j], plus[c] - minus[c], *at);
        }
    }
    trop_dense_product(w, pull, task->z, width, n, width + 1);
    trop_alloc_free(pull);
    return TROP_OK;
}
