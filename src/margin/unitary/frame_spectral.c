/* frame_spectral.c -- the matrix inequality of norm_spectral.c in the frame of the constraints.
 *
 *   max -t,   S = [ t I  V ; V'  t I ] >= 0,   s = A V - r >= 0   (equalities are rows E).
 *
 * With A = R O (frame.c) the unknowns are y = (t, v), V = O' v with all of the basis O, and
 * A V = R v. The system is that of the operator in the frame, and R' diag(lambda / s) R.
 *
 * X has -2 O X12 = R' lambda up to rounding. Where multipliers are 1 / epsilon it helps to make
 * those of the basis anew from X, so that A' lambda is as good as X; both lambda are looked at.
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
    double *objective; /* (1 + size) */
    double *side;      /* (sides) right sides of the inequalities */
    double *row;       /* (equal, 1 + size) */
    double *value;     /* (equal) */
    double *square;    /* (n, n) scratch */
    double *corner;    /* (height, width) scratch */
    double *small;     /* (size, size) scratch */
    double *sums;      /* (size, size) scratch */
    double *weighted;  /* (size, count) scratch */
    double *values;    /* (count) scratch */
    int64_t equal;
    double *memory;
};

/* ---- the maps of lmi.h ---------------------------------------------------------------------- */

/* V = O' v. */
static const double *matrix_of(struct task *task, const double *v)
{
    const struct trop_frame *frame = task->frame;

    trop_dense_product(task->corner, v, frame->turn, 1, frame->size, frame->size);
    return task->corner;
}

static void slack(double *out, void *context, const double *y, double constant)
{
    struct task *task = context;

    (void)constant; /* C = 0 */
    trop_unitary_assemble(out, task->unitary, y[0], matrix_of(task, y + 1), 1.0);
}

static void adjoint(double *out, void *context, const double *x)
{
    struct task *task = context;
    const struct trop_frame *frame = task->frame;
    const int64_t n = task->unitary->height + task->unitary->width;

    out[0] = 0;
    for (int64_t i = 0; i < n; i++) {
        out[0] -= x[i * n + i];
    }
    trop_unitary_corner(task->corner, task->unitary, x);
    trop_dense_product_turned(out + 1, task->corner, frame->turn, 1, frame->size, frame->size);
    for (int64_t k = 1; k <= frame->size; k++) {
        out[k] *= -2.0;
    }
}

static void sides_of(double *out, void *context, const double *y)
{
    struct task *task = context;
    const struct trop_frame *frame = task->frame;

    trop_dense_product_turned(task->values, y + 1, frame->row, 1, frame->size, frame->count);
    for (int64_t k = 0; k < task->unitary->sides; k++) {
        out[k] = task->values[task->unitary->side[k]];
    }
}

static void sides_adjoint(double *out, void *context, const double *t)
{
    struct task *task = context;
    const struct trop_frame *frame = task->frame;

    for (int64_t k = 0; k < task->unitary->sides; k++) {
        const double *row = frame->row + task->unitary->side[k] * frame->size;
        for (int64_t c = 0; c < frame->rank; c++) {
            out[1 + c] += t[k] * row[c];
        }
    }
}

static void schur(double *out, void *context, const double *x, const double *inverse,
                  const double *weight)
{
    struct task *task = context;
    const struct trop_frame *frame = task->frame;
    const int64_t h = task->unitary->height, w = task->unitary->width, n = h + w;
    const int64_t size = frame->size, order = 1 + size;

    trop_dense_product(task->square, x, inverse, n, n, n);
    out[0] = 0;
    for (int64_t i = 0; i < n; i++) {
        out[0] += task->square[i * n + i];
    }
    for (int64_t a = 0; a < h; a++) {
        for (int64_t b = 0; b < w; b++) {
            task->corner[a * w + b] = task->square[a * n + h + b] + task->square[(h + b) * n + a];
        }
    }
    trop_dense_product_turned(out + 1, task->corner, frame->turn, 1, size, size);
    trop_frame_operator(task->small, task->frame, x, inverse, size);
    trop_frame_weigh(task->sums, frame, frame->row, size, weight, task->weighted);
    for (int64_t k = 0; k < size; k++) {
        double *row = out + (1 + k) * order;
        row[0] = out[1 + k];
        for (int64_t l = 0; l < size; l++) {
            row[1 + l] = task->small[k * size + l] + task->sums[k * size + l];
        }
    }
}

/* The multipliers of the basis anew from X, those of inequalities not negative. */
static void renew(struct task *task, const double *x)
{
    const struct trop_frame *frame = task->frame;
    const int64_t *equal = task->unitary->reduce->equal;

    trop_unitary_corner(task->corner, task->unitary, x);
    for (int64_t c = 0; c < frame->size; c++) {
        task->corner[c] *= -2.0;
    }
    trop_dense_product_turned(task->small, task->corner, frame->turn, 1, frame->size, frame->rank);
    trop_frame_multipliers(task->values, frame, task->small);
    for (int64_t j = 0; j < frame->count; j++) {
        task->values[j] = equal[j] ? task->values[j] : fmax(task->values[j], 0.0);
    }
}

static double look(void *context, const struct trop_lmi_point *point)
{
    struct task *task = context;
    const struct trop_reduce *reduce = task->unitary->reduce;
    const double *v = point->y + 1;

    for (int64_t k = 0, side = 0, row = 0; k < reduce->count; k++) {
        task->values[k] = reduce->equal[k] ? -point->q[row++] : point->t[side++];
    }
    const double gap = trop_unitary_look(task->unitary, matrix_of(task, v), task->values);
    renew(task, point->x);
    return fmin(gap, trop_unitary_look(task->unitary, matrix_of(task, v), task->values));
}

/* ---- the start ------------------------------------------------------------------------------ */

static enum trop_status take_memory(struct task *task)
{
    const int64_t sides = task->unitary->sides, size = task->frame->size, order = 1 + size;
    const int64_t n = task->unitary->height + task->unitary->width, m = task->frame->count;

    task->equal = m - sides;
    double *memory = trop_alloc(2 * order + 2 * n * n + 3 * sides + task->equal * (order + 2) +
                                    size * (1 + 2 * size + m) + m,
                                sizeof *memory);
    if (!memory) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a frame of order %lld", (long long)order);
    }
    task->memory = task->objective = memory;
    task->point.y = task->objective + order;
    task->point.x = task->point.y + order;
    task->square = task->point.x + n * n;
    task->side = task->square + n * n;
    task->point.s = task->side + sides;
    task->point.t = task->point.s + sides;
    task->row = task->point.t + sides;
    task->value = task->row + task->equal * order;
    task->point.q = task->value + task->equal;
    task->corner = task->point.q + task->equal;
    task->small = task->corner + size;
    task->sums = task->small + size * size;
    task->weighted = task->sums + size * size;
    task->values = task->weighted + size * m;
    return TROP_OK;
}

/* Objective, right sides and equalities. */
static void describe(struct task *task)
{
    const struct trop_reduce *reduce = task->unitary->reduce;
    const int64_t size = task->frame->size;

    task->objective[0] = -1.0;
    for (int64_t k = 0, side = 0, row = 0; k < reduce->count; k++) {
        if (!reduce->equal[k]) {
            task->side[side++] = reduce->bound[k];
            continue;
        }
        memcpy(task->row + row * (1 + size) + 1, task->frame->row + k * size,
               (size_t)size * sizeof(double));
        task->value[row++] = reduce->bound[k];
    }
}

/* V a fifth larger than the l2 solution, t half as large again, s the slacks; lambda the
 * multipliers of the l2 solution, so that X = I / n with the corner -A' lambda / 2 is positive. */
static void begin(struct task *task)
{
    struct trop_unitary *unitary = task->unitary;
    const struct trop_frame *frame = task->frame;
    struct trop_lmi_point *point = &task->point;
    const double n = (double)(unitary->height + unitary->width);

    point->y[0] = 1.8;
    trop_dense_product_turned(point->y + 1, unitary->start, frame->turn, 1, frame->size,
                              frame->size);
    for (int64_t k = 1; k <= frame->size; k++) {
        point->y[k] *= 1.2;
    }
    sides_of(point->s, task, point->y);
    trop_reduce_combine(task->corner, unitary->reduce, unitary->first);
    const double norm = trop_unitary_norm(unitary, task->corner, 0);
    const double share = norm > 0 ? 0.5 / (n * norm) : 1.0;
    trop_unitary_assemble(point->x, unitary, 1.0 / n, task->corner, -0.5 * share);
    for (int64_t j = 0, side = 0, row = 0; j < frame->count; j++) {
        if (unitary->reduce->equal[j]) {
            point->q[row++] = -share * unitary->first[j];
            continue;
        }
        point->t[side] = share * unitary->first[j];
        point->s[side] -= task->side[side];
        trop_frame_balance(&point->s[side], &point->t[side], 0.5 / n);
        side++;
    }
}

static enum trop_status solve(struct trop_norm_answer *answer, struct task *task,
                              const struct trop_norm_task *norm)
{
    enum trop_status status = take_memory(task);

    if (status != TROP_OK) {
        return status;
    }
    const struct trop_lmi_form form = {
        .order = task->unitary->height + task->unitary->width,
        .count = 1 + task->frame->size,
        .sides = task->unitary->sides,
        .equal = task->equal,
        .objective = task->objective,
        .side = task->side,
        .row = task->row,
        .value = task->value,
        .context = task,
        .slack = slack,
        .adjoint = adjoint,
        .sides_of = sides_of,
        .sides_adjoint = sides_adjoint,
        .schur = schur,
        .look = look,
    };
    describe(task);
    begin(task);
    return trop_unitary_solve(answer, norm, &form, &task->point);
}

enum trop_status trop_frame_spectral(struct trop_norm_answer *answer, struct trop_unitary *unitary,
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
