/* norm_spectral.c -- least spectral norm.
 *
 *   min |W|_2  s.t.  <A_j, W> >= r_j      max r'lambda  s.t.  |A' lambda|_* <= 1, lambda >= 0.
 *
 * A matrix inequality (lmi.h) in y = (t, V), with the constraints as sides:
 *
 *   max -t,   S = [ t I  V ; V'  t I ] >= 0,   s = A V - r >= 0   (equalities are rows E).
 *
 * Its multipliers are lambda and X with tr X = 1, 2 X12 = -A' lambda. The entries of the system
 * are, with Y = S^-1, for the entries (a, b) and (c, d) of V (b and d counted in the second block)
 *
 *   X_bc Y_da + X_bd Y_ca + X_ac Y_db + X_ad Y_cb + sum_j (lambda_j / s_j) A_j,ab A_j,cd,
 *
 * and 2 sym(X Y)_ab for t with (a, b). Solutions are seldom unique: the smaller singular
 * values of W are free within limits, and the method ends near the centre of the solutions.
 *
 * Where constraints are nearly dependent it may get stuck, and is begun again in the frame of the
 * constraints (frame.c), A = R O: the unknowns are then y = (t, v), V = O' v with all of the basis
 * O, and A V = R v. The system is that of the operator in the frame, and R' diag(lambda / s) R. X
 * has -2 O X12 = R' lambda up to rounding. Where multipliers are 1 / epsilon it helps to make those
 * of the basis anew from X, so that A' lambda is as good as X; both lambda are looked at.
 */
#include "margin/norm.h"

#include "base/alloc.h"
#include "base/linalg.h"
#include "base/status.h"
#include "margin/dense.h"
#include "margin/unitary/frame.h"
#include "margin/repair.h"
#include "margin/unitary/unitary.h"

#include <math.h>
#include <string.h>

#define UNIT 0x1p-53

struct spectral {
    struct trop_unitary *unitary;
    struct trop_frame *frame; /* NULL: v is V by its entries */
    struct trop_lmi_point point;
    int64_t size, equal; /* height width; equalities */
    double *objective;   /* (1 + size) */
    double *side;        /* (sides) right sides of the inequalities */
    double *row;         /* (equal, 1 + size) */
    double *value;       /* (equal) */
    double *square;      /* (n, n) scratch */
    double *corner;      /* (height, width) scratch */
    double *weighted;    /* (queries, height, height) scratch; in a frame (size, count) */
    double *small;       /* (size, size) scratch of a frame */
    double *sums;        /* (size, size) scratch of a frame */
    double *memory;
};

/* ---- the maps of lmi.h ---------------------------------------------------------------------- */

/* V of v, in task->corner where there is a frame. */
static const double *matrix_of(struct spectral *task, const double *v)
{
    if (!task->frame) {
        return v;
    }
    trop_dense_product(task->corner, v, task->frame->turn, 1, task->size, task->size);
    return task->corner;
}

/* v of V. */
static void coordinates_of(double *v, const struct spectral *task, const double *matrix)
{
    if (task->frame) {
        trop_dense_product_turned(v, matrix, task->frame->turn, 1, task->size, task->size);
    } else {
        memcpy(v, matrix, (size_t)task->size * sizeof *v);
    }
}

static void slack(double *out, void *context, const double *y, double constant)
{
    struct spectral *task = context;

    (void)constant; /* C = 0 */
    trop_unitary_assemble(out, task->unitary, y[0], matrix_of(task, y + 1), 1.0);
}

static void adjoint(double *out, void *context, const double *x)
{
    const struct spectral *task = context;
    const int64_t n = task->unitary->height + task->unitary->width;

    out[0] = 0;
    for (int64_t i = 0; i < n; i++) {
        out[0] -= x[i * n + i];
    }
    trop_unitary_corner(task->corner, task->unitary, x);
    coordinates_of(out + 1, task, task->corner);
    for (int64_t k = 1; k <= task->size; k++) {
        out[k] *= -2.0;
    }
}

static void sides_of(double *out, void *context, const double *y)
{
    struct spectral *task = context;
    struct trop_unitary *unitary = task->unitary;
    const struct trop_frame *frame = task->frame;

    if (frame) {
        trop_dense_product_turned(unitary->values, y + 1, frame->row, 1, frame->size, frame->count);
    } else {
        trop_reduce_values(unitary->values, unitary->reduce, y + 1);
    }
    for (int64_t k = 0; k < unitary->sides; k++) {
        out[k] = unitary->values[unitary->side[k]];
    }
}

/* Multipliers of the inequalities, and those of the equalities if q is given, as lambda. */
static const double *lambda_of(struct trop_unitary *unitary, const double *t, const double *q)
{
    const struct trop_reduce *reduce = unitary->reduce;

    for (int64_t k = 0, side = 0, row = 0; k < reduce->count; k++) {
        if (!reduce->equal[k]) {
            unitary->multipliers[k] = t[side++];
        } else {
            unitary->multipliers[k] = q ? -q[row++] : 0.0;
        }
    }
    return unitary->multipliers;
}

static void sides_adjoint(double *out, void *context, const double *t)
{
    struct spectral *task = context;
    struct trop_unitary *unitary = task->unitary;

    for (int64_t k = 0; task->frame && k < unitary->sides; k++) {
        const double *row = task->frame->row + unitary->side[k] * task->size;
        for (int64_t c = 0; c < task->frame->rank; c++) {
            out[1 + c] += t[k] * row[c];
        }
    }
    if (!task->frame) {
        trop_reduce_combine(unitary->block, unitary->reduce, lambda_of(unitary, t, NULL));
        for (int64_t k = 0; k < task->size; k++) {
            out[1 + k] += unitary->block[k];
        }
    }
}

/* weighted_q = sum_{j asks q} weight_j a_j a_j'. */
static void weigh(struct spectral *task, const double *weight)
{
    const struct trop_unitary *unitary = task->unitary;
    const struct trop_reduce *reduce = unitary->reduce;
    const int64_t h = unitary->height;

    memset(task->weighted, 0,
           (size_t)(reduce->rows->problem->queries * h * h) * sizeof *task->weighted);
    for (int64_t k = 0; k < unitary->sides; k++) {
        const int64_t j = unitary->side[k];
        const double *a = reduce->a + j * h;
        double *out = task->weighted + reduce->asked[j] * h * h;
        for (int64_t c = 0; c < h; c++) {
            for (int64_t e = 0; e < h; e++) {
                out[c * h + e] += weight[k] * a[c] * a[e];
            }
        }
    }
}

/* Row (a, b) of the part of M that comes from the sides: (weighted_q)_ac z_b z_d over queries. */
static void add_sides(double *out, const struct spectral *task, int64_t a, int64_t b)
{
    const struct trop_reduce *reduce = task->unitary->reduce;
    const int64_t h = task->unitary->height, w = task->unitary->width;

    for (int64_t q = 0; q < reduce->rows->problem->queries; q++) {
        const double *z = reduce->z + q * w, *from = task->weighted + (q * h + a) * h;
        for (int64_t c = 0; z[b] != 0 && c < h; c++) {
            const double scale = from[c] * z[b];
            for (int64_t d = 0; d < w; d++) {
                out[c * w + d] += scale * z[d];
            }
        }
    }
}

static void schur(double *out, void *context, const double *x, const double *inverse,
                  const double *weight)
{
    struct spectral *task = context;
    const int64_t h = task->unitary->height, w = task->unitary->width, n = h + w;
    const int64_t size = task->size, order = 1 + size;

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
    coordinates_of(out + 1, task, task->corner);
    if (task->frame) {
        trop_frame_operator(task->small, task->frame, x, inverse, size);
        trop_frame_weigh(task->sums, task->frame, task->frame->row, size, weight, task->weighted);
    } else {
        weigh(task, weight);
    }
    for (int64_t k = 0; k < size; k++) {
        double *row = out + (1 + k) * order;
        row[0] = out[1 + k];
        for (int64_t l = 0; task->frame && l < size; l++) {
            row[1 + l] = task->small[k * size + l] + task->sums[k * size + l];
        }
        if (!task->frame) {
            trop_unitary_operator(row + 1, task->unitary, x, inverse, k);
            add_sides(row + 1, task, k / w, k % w);
        }
    }
}

static double look(void *context, const struct trop_lmi_point *point)
{
    struct spectral *task = context;
    struct trop_unitary *unitary = task->unitary;
    const double *v = point->y + 1;
    const double gap =
        trop_unitary_look(unitary, matrix_of(task, v), lambda_of(unitary, point->t, point->q));

    if (!task->frame) {
        return gap;
    }
    /* The multipliers of the basis of the frame are made anew from X, those of inequalities not
     * negative. */
    const struct trop_frame *frame = task->frame;
    const int64_t *equal = unitary->reduce->equal;
    double *lambda = unitary->multipliers;
    trop_unitary_corner(task->corner, unitary, point->x);
    for (int64_t c = 0; c < frame->size; c++) {
        task->corner[c] *= -2.0;
    }
    trop_dense_product_turned(task->small, task->corner, frame->turn, 1, frame->size, frame->rank);
    trop_frame_multipliers(lambda, frame, task->small);
    for (int64_t j = 0; j < frame->count; j++) {
        lambda[j] = equal[j] ? lambda[j] : fmax(lambda[j], 0.0);
    }
    return fmin(gap, trop_unitary_look(unitary, matrix_of(task, v), lambda));
}

/* ---- the start ------------------------------------------------------------------------------ */

static enum trop_status take_memory(struct spectral *task)
{
    const struct trop_unitary *unitary = task->unitary;
    const int64_t h = unitary->height, w = unitary->width, n = h + w, size = task->size;
    const int64_t order = 1 + size, count = unitary->reduce->count, sides = unitary->sides;
    const int64_t weighted =
        task->frame ? size * count : unitary->reduce->rows->problem->queries * h * h;
    const int64_t squares = task->frame ? 2 * size * size : 0;

    task->equal = count - sides;
    double *memory = trop_alloc(2 * order + 2 * n * n + 3 * sides + task->equal * (order + 2) +
                                    size + weighted + squares,
                                sizeof *memory);
    if (!memory) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a W of %lld x %lld", (long long)h,
                         (long long)w);
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
    task->weighted = task->corner + size;
    task->small = task->weighted + weighted;
    task->sums = task->small + squares / 2;
    return TROP_OK;
}

/* V a fifth larger than the l2 solution, t half as large again, s the slacks but not too near to 0;
 * lambda equal on all inequalities, in a frame the multipliers of the l2 solution, so that X = I /
 * n with the corner -A' lambda / 2 is positive. */
static void begin(struct spectral *task)
{
    struct trop_unitary *unitary = task->unitary;
    const struct trop_reduce *reduce = unitary->reduce;
    struct trop_lmi_point *point = &task->point;
    const double n = (double)(unitary->height + unitary->width);
    double *lambda = unitary->multipliers;

    point->y[0] = 1.8;
    coordinates_of(point->y + 1, task, unitary->start);
    for (int64_t k = 1; k <= task->size; k++) {
        point->y[k] *= 1.2;
    }
    sides_of(point->s, task, point->y);
    for (int64_t j = 0; j < reduce->count; j++) {
        lambda[j] = task->frame ? unitary->first[j] : reduce->equal[j] ? 0.0 : 1.0;
    }
    trop_reduce_combine(task->corner, unitary->reduce, lambda);
    const double norm = trop_unitary_norm(unitary, task->corner, 0);
    const double share = norm > 0 ? 0.5 / (n * norm) : 1.0;
    trop_unitary_assemble(point->x, unitary, 1.0 / n, task->corner, -0.5 * share);
    for (int64_t j = 0, side = 0, row = 0; j < reduce->count; j++) {
        if (reduce->equal[j]) {
            point->q[row++] -= share * lambda[j];
            continue;
        }
        point->t[side] = share * lambda[j];
        point->s[side] -= task->side[side];
        if (task->frame) {
            trop_frame_balance(&point->s[side], &point->t[side], 0.5 / n);
        } else {
            point->s[side] = fmax(point->s[side], 0.18);
        }
        side++;
    }
}

static enum trop_status interior(struct trop_norm_answer *answer, struct trop_unitary *unitary,
                                 const struct trop_norm_task *norm, struct trop_frame *frame)
{
    struct spectral task = { .unitary = unitary,
                             .frame = frame,
                             .size = unitary->height * unitary->width };
    enum trop_status status = take_memory(&task);

    if (status == TROP_OK) {
        const struct trop_lmi_form form = {
            .order = unitary->height + unitary->width,
            .count = 1 + task.size,
            .sides = unitary->sides,
            .equal = task.equal,
            .objective = task.objective,
            .side = task.side,
            .row = task.row,
            .value = task.value,
            .context = &task,
            .maps = { slack, adjoint, sides_of, sides_adjoint, schur, look },
        };
        /* Objective, right sides and equalities. */
        const struct trop_reduce *reduce = task.unitary->reduce;
        const int64_t h = task.unitary->height, w = task.unitary->width;
        task.objective[0] = -1.0;
        for (int64_t k = 0, side = 0, row = 0; k < reduce->count; k++) {
            if (!reduce->equal[k]) {
                task.side[side++] = reduce->bound[k];
                continue;
            }
            double *to = task.row + row * (1 + task.size) + 1;
            for (int64_t c = 0; c < task.size; c++) {
                to[c] = task.frame
                            ? task.frame->row[k * task.size + c]
                            : reduce->a[k * h + c / w] * reduce->z[reduce->asked[k] * w + c % w];
            }
            task.value[row++] = reduce->bound[k];
        }
        begin(&task);
        status = trop_unitary_solve(answer, norm, &form, &task.point);
    }
    trop_alloc_free(task.memory);
    return status;
}

/* ---- the end -------------------------------------------------------------------------------- */

static enum trop_status finish(struct trop_norm_answer *answer, const struct trop_unitary *unitary,
                               const struct trop_norm_task *task)
{
    const struct trop_problem *problem = task->problem;
    struct trop_repair_report report;
    struct trop_repair *repair = NULL;
    int is_feasible = 0;
    double *work = trop_alloc(trop_alloc_product(problem->rows, unitary->width), sizeof *work);
    enum trop_status status = trop_repair_create(&repair, task->rows, 0);

    if (!work) {
        status = trop_fail(TROP_ERR_MEMORY, "no memory for W");
    }
    if (status == TROP_OK && unitary->gap < INFINITY) {
        trop_reduce_leave(answer->w, unitary->reduce, unitary->v, work);
        trop_unitary_multipliers(answer->lambda, unitary);
        trop_repair_factors(&report, repair, answer->w, NULL, 0);
        is_feasible = report.margin > 0 && report.below <= 64 * UNIT;
    }
    if (status == TROP_OK && !is_feasible) {
        trop_norm_fallback(answer, task, answer->end);
    }
    trop_repair_free(repair);
    trop_alloc_free(work);
    return status;
}

static enum trop_status solve(struct trop_norm_answer *answer, const struct trop_norm_task *task)
{
    return trop_unitary_run(answer, task, 0, interior, finish);
}

const struct trop_norm trop_norm_spectral = {
    .name = "spectral",
    .meaning = "largest singular value",
    .singular = 1,
    .exponent = INFINITY,
    .judged = TROP_MARGIN_CHECK_SPECTRAL,
    .most = TROP_UNITARY_LARGE,
    .test = "margin, spectral",
    .test_norm = 0.2,
    .tolerance = TROP_UNITARY_TOLERANCE,
    .solve = solve,
};
