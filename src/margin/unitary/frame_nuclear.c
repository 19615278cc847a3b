/* frame_nuclear.c -- the matrix inequality of norm_nuclear.c in the frame of the constraints.
 *
 *   max r'lambda,   S = 1/2 [ I  -U ; -U'  I ] >= 0,   U = A' lambda,   lambda >= 0.
 *
 * With A = R O (frame.c), the rows B of the pivots and the rest N, the unknowns are
 * y = (mu, lambda_N), mu = R' lambda, so that
 *
 *   U = O' mu,   lambda_B = R_B^-T (mu - R_N' lambda_N),   in short lambda = G y,
 *
 * and the system is that of the operator in the frame, on mu, and G' diag(t / s) G.
 *
 * The corner of X has O W = G'(r + t) up to rounding, some u / mu of a unit, and where multipliers
 * are 1 / epsilon that is more than constraints can bear. It is moved there, by as little as that,
 * before it is looked at.
 */
#include "margin/unitary/frame.h"

#include "base/alloc.h"
#include "base/status.h"
#include "margin/dense.h"

#include <math.h>
#include <string.h>

struct task {
    struct trop_frame *frame;
    struct trop_unitary *unitary;
    struct trop_lmi_point point;
    double *g;         /* (count, count) */
    double *weighted;  /* (count, count) scratch */
    double *small;     /* (rank, rank) scratch */
    double *lambda;    /* (count) scratch */
    double *objective; /* (count) G' r */
    double *place;     /* (rank) scratch */
    double *zero;      /* (sides) */
    double *corner;    /* (height, width) scratch */
    double *memory;
};

/* ---- the maps of lmi.h ---------------------------------------------------------------------- */

static void slack(double *out, void *context, const double *y, double constant)
{
    struct task *task = context;
    const struct trop_frame *frame = task->frame;

    trop_dense_product(task->corner, y, frame->turn, 1, frame->rank, frame->size);
    trop_unitary_assemble(out, task->unitary, 0.5 * constant, task->corner, -0.5);
}

static void adjoint(double *out, void *context, const double *x)
{
    struct task *task = context;
    const struct trop_frame *frame = task->frame;

    memset(out, 0, (size_t)frame->count * sizeof *out);
    trop_unitary_corner(task->corner, task->unitary, x);
    trop_dense_product_turned(out, task->corner, frame->turn, 1, frame->size, frame->rank);
}

static void sides_of(double *out, void *context, const double *y)
{
    struct task *task = context;
    const int64_t m = task->frame->count;

    trop_dense_product_turned(task->lambda, y, task->g, 1, m, m);
    for (int64_t k = 0; k < task->unitary->sides; k++) {
        out[k] = task->lambda[task->unitary->side[k]];
    }
}

/* out += G' lambda. */
static void turn_back(double *out, const struct task *task, const double *lambda)
{
    const int64_t m = task->frame->count;

    for (int64_t j = 0; j < m; j++) {
        for (int64_t k = 0; lambda[j] != 0 && k < m; k++) {
            out[k] += lambda[j] * task->g[j * m + k];
        }
    }
}

static void sides_adjoint(double *out, void *context, const double *t)
{
    struct task *task = context;

    memset(task->lambda, 0, (size_t)task->frame->count * sizeof *task->lambda);
    for (int64_t k = 0; k < task->unitary->sides; k++) {
        task->lambda[task->unitary->side[k]] = t[k];
    }
    turn_back(out, task, task->lambda);
}

static void schur(double *out, void *context, const double *x, const double *inverse,
                  const double *weight)
{
    struct task *task = context;
    const int64_t m = task->frame->count, rank = task->frame->rank;

    trop_frame_weigh(out, task->frame, task->g, m, weight, task->weighted);
    trop_frame_operator(task->small, task->frame, x, inverse, rank);
    for (int64_t k = 0; k < rank; k++) {
        for (int64_t l = 0; l < rank; l++) {
            out[k * m + l] += 0.25 * task->small[k * rank + l];
        }
    }
}

/* Moves the corner so that the constraints have the slacks t. */
static void place(struct task *task, const double *t)
{
    struct trop_unitary *unitary = task->unitary;
    const struct trop_frame *frame = task->frame;
    double *v = task->place, *now = task->lambda;

    memcpy(unitary->values, unitary->reduce->bound, (size_t)frame->count * sizeof *v);
    for (int64_t k = 0; k < unitary->sides; k++) {
        unitary->values[unitary->side[k]] += t[k];
    }
    trop_frame_place(v, frame, unitary->values);
    trop_dense_product_turned(now, task->corner, frame->turn, 1, frame->size, frame->rank);
    for (int64_t k = 0; k < frame->rank; k++) {
        for (int64_t c = 0; c < frame->size; c++) {
            task->corner[c] += (v[k] - now[k]) * frame->turn[k * frame->size + c];
        }
    }
}

static double look(void *context, const struct trop_lmi_point *point)
{
    struct task *task = context;
    const int64_t m = task->frame->count;

    trop_unitary_corner(task->corner, task->unitary, point->x);
    place(task, point->t);
    trop_dense_product_turned(task->lambda, point->y, task->g, 1, m, m);
    return trop_unitary_look(task->unitary, task->corner, task->lambda);
}

/* ---- the start ------------------------------------------------------------------------------ */

static enum trop_status take_memory(struct task *task)
{
    const int64_t m = task->frame->count, rank = task->frame->rank;
    const int64_t n = task->unitary->height + task->unitary->width;
    double *memory =
        trop_alloc(2 * m * m + rank * rank + n * n + 7 * m + task->frame->size, sizeof *memory);

    if (!memory) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld multipliers", (long long)m);
    }
    task->memory = task->g = memory;
    task->weighted = task->g + m * m;
    task->small = task->weighted + m * m;
    task->point.x = task->small + rank * rank;
    task->point.y = task->point.x + n * n;
    task->point.s = task->point.y + m;
    task->point.t = task->point.s + m;
    task->lambda = task->point.t + m;
    task->objective = task->lambda + m;
    task->zero = task->objective + m;
    task->place = task->zero + m;
    task->corner = task->place + m;
    return TROP_OK;
}

/* G, column by column. */
static void make_map(struct task *task)
{
    const struct trop_frame *frame = task->frame;
    const int64_t m = frame->count;
    double *mu = task->weighted, *lambda = task->lambda;

    for (int64_t c = 0; c < m; c++) {
        memset(mu, 0, (size_t)m * sizeof *mu);
        memset(lambda, 0, (size_t)m * sizeof *lambda);
        if (c < frame->rank) {
            mu[c] = 1.0;
        } else {
            lambda[frame->basis[c]] = 1.0;
        }
        trop_frame_multipliers(lambda, frame, mu);
        for (int64_t j = 0; j < m; j++) {
            task->g[j * m + c] = lambda[j];
        }
    }
}

/* X around one and a half times the l2 solution, t its slacks, and lambda its multipliers, made
 * half as large as |U| <= 1 allows. */
static void begin(struct task *task)
{
    struct trop_unitary *unitary = task->unitary;
    struct trop_reduce *reduce = unitary->reduce;
    const struct trop_frame *frame = task->frame;
    struct trop_lmi_point *point = &task->point;

    turn_back(task->objective, task, reduce->bound);
    const double largest = trop_unitary_norm(unitary, unitary->start, 0);
    trop_unitary_assemble(point->x, unitary, 1.5 * largest + 0.5, unitary->start, 1.5);
    trop_reduce_combine(task->corner, reduce, unitary->first);
    const double size = trop_unitary_norm(unitary, task->corner, 0);
    for (int64_t j = 0; j < frame->count; j++) {
        task->lambda[j] = unitary->first[j] * (size > 0 ? 0.5 / size : 1.0);
        for (int64_t k = 0; k < frame->rank; k++) { /* mu = R' lambda */
            point->y[k] += task->lambda[j] * frame->row[j * frame->size + k];
        }
    }
    for (int64_t c = frame->rank; c < frame->count; c++) {
        point->y[c] = task->lambda[frame->basis[c]];
    }
    trop_reduce_values(unitary->values, reduce, unitary->start);
    for (int64_t k = 0; k < unitary->sides; k++) {
        const int64_t j = unitary->side[k];
        point->s[k] = task->lambda[j];
        point->t[k] = 1.5 * unitary->values[j] - reduce->bound[j];
        trop_frame_balance(&point->t[k], &point->s[k], 0.5);
    }
}

static enum trop_status solve(struct trop_norm_answer *answer, struct task *task,
                              const struct trop_norm_task *norm)
{
    const struct trop_frame *frame = task->frame;
    enum trop_status status = take_memory(task);

    if (status != TROP_OK) {
        return status;
    }
    const struct trop_lmi_form form = {
        .order = task->unitary->height + task->unitary->width,
        .count = frame->count,
        .sides = task->unitary->sides,
        .objective = task->objective,
        .side = task->zero,
        .context = task,
        .slack = slack,
        .adjoint = adjoint,
        .sides_of = sides_of,
        .sides_adjoint = sides_adjoint,
        .schur = schur,
        .look = look,
    };
    make_map(task);
    begin(task);
    return trop_unitary_solve(answer, norm, &form, &task->point);
}

enum trop_status trop_frame_nuclear(struct trop_norm_answer *answer, struct trop_unitary *unitary,
                                    const struct trop_norm_task *task)
{
    struct task again = { .unitary = unitary };
    enum trop_status status = trop_frame_create(&again.frame, unitary);

    if (status == TROP_OK && again.frame) {
        status = solve(answer, &again, task);
    }
    trop_frame_free(again.frame);
    trop_alloc_free(again.memory);
    return status;
}
