/* norm_nuclear.c -- least nuclear norm, with as few columns as the gap allows.
 *
 *   min |W|_*  s.t.  <A_j, W> >= r_j      max r'lambda  s.t.  |A' lambda|_2 <= 1, lambda >= 0.
 *
 * The dual is a matrix inequality (lmi.h) in y = lambda,
 *
 *   S = 1/2 [ I  -U ; -U'  I ] >= 0,   U = sum_j lambda_j A_j,
 *
 * whose multiplier X = [ P  W ; W'  Q ] carries the solution: (tr P + tr Q) / 2 >= |W|_*. The
 * entries of the system are, with Y = S^-1 and A_j = a_j z_j' (every matrix in blocks),
 *
 *   4 M_jk = (z_j X22 z_k)(a_j Y11 a_k) + (a_j X11 a_k)(z_j Y22 z_k)
 *          + (a_k X12 z_j)(a_j Y12 z_k) + (a_j X12 z_k)(a_k Y12 z_j).
 *
 * Where constraints are nearly dependent the method may get stuck, and is begun again in the frame
 * of the constraints (frame.c): A = R O, with the rows B of the pivots and the rest N. The unknowns
 * are then y = (mu, lambda_N), mu = R' lambda, so that
 *
 *   U = O' mu,   lambda_B = R_B^-T (mu - R_N' lambda_N),   in short lambda = G y,
 *
 * and the system is that of the operator in the frame, on mu, and G' diag(t / s) G. The corner of X
 * has O W = G'(r + t) up to rounding, some u / mu of a unit, and where multipliers are 1 / epsilon
 * that is more than constraints can bear: it is moved there, by as little as that, before it is
 * looked at.
 *
 * An interior point has full rank. The rank is found by trying: the singular directions of W, the
 * largest r of them, are repaired to satisfy the constraints (repair.h), and the smallest r is
 * taken whose factors come within the tolerance (or, where rounding forbids that for all, the
 * smallest one that no other beats by half). So `rank` is the number of columns of
 * factors that are shown to be good enough, never a threshold on noise.
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

struct nuclear {
    struct trop_unitary *unitary;
    struct trop_frame *frame; /* NULL: y is lambda */
    struct trop_lmi_point point;
    double *objective; /* (count) r, or G' r */
    double *zero;      /* (sides) lambda >= 0 */
    double *corner;    /* (height, width) scratch */
    double *blocks[6]; /* X11, X12, X22, Y11, Y12, Y22 between a_j and queries */
    double *part;      /* scratch for a block and for its product with a or z */
    /* Of a frame: */
    double *g;        /* (count, count) */
    double *weighted; /* (count, count) scratch */
    double *small;    /* (rank, rank) scratch */
    double *place;    /* (rank) scratch */
    double *memory;
};

/* ---- the maps of lmi.h ---------------------------------------------------------------------- */

/* The multipliers, in a frame in unitary->multipliers. */
static const double *lambda_of(struct nuclear *task, const double *y)
{
    double *lambda = task->unitary->multipliers;
    const int64_t m = task->unitary->reduce->count;

    if (!task->frame) {
        return y;
    }
    trop_dense_product_turned(lambda, y, task->g, 1, m, m);
    return lambda;
}

static void slack(double *out, void *context, const double *y, double constant)
{
    struct nuclear *task = context;
    const struct trop_frame *frame = task->frame;

    if (frame) {
        trop_dense_product(task->corner, y, frame->turn, 1, frame->rank, frame->size);
    } else {
        trop_reduce_combine(task->corner, task->unitary->reduce, y);
    }
    trop_unitary_assemble(out, task->unitary, 0.5 * constant, task->corner, -0.5);
}

static void adjoint(double *out, void *context, const double *x)
{
    struct nuclear *task = context;
    const struct trop_frame *frame = task->frame;

    trop_unitary_corner(task->corner, task->unitary, x);
    if (frame) {
        memset(out, 0, (size_t)frame->count * sizeof *out);
        trop_dense_product_turned(out, task->corner, frame->turn, 1, frame->size, frame->rank);
    } else {
        trop_reduce_values(out, task->unitary->reduce, task->corner);
    }
}

static void sides_of(double *out, void *context, const double *y)
{
    struct nuclear *task = context;
    const double *lambda = lambda_of(task, y);

    for (int64_t k = 0; k < task->unitary->sides; k++) {
        out[k] = lambda[task->unitary->side[k]];
    }
}

/* out += G' lambda. */
static void turn_back(double *out, const struct nuclear *task, const double *lambda)
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
    struct nuclear *task = context;
    const struct trop_unitary *unitary = task->unitary;
    double *to = task->frame ? unitary->multipliers : out;

    if (task->frame) {
        memset(to, 0, (size_t)task->frame->count * sizeof *to);
    }
    for (int64_t k = 0; k < unitary->sides; k++) {
        to[unitary->side[k]] += t[k];
    }
    if (task->frame) {
        turn_back(out, task, to);
    }
}

/* out_jk = l_j B r_k with the block B of x (order n) at (from, to). */
static void block_between(double *out, struct nuclear *task, const double *x, const int64_t from[2],
                          const int64_t to[2], const double *l, const double *r,
                          const int64_t counts[2])
{
    const int64_t n = task->unitary->height + task->unitary->width;
    const int64_t height = from[1] - from[0], width = to[1] - to[0];
    double *block = task->part, *half = task->part + height * width;

    for (int64_t a = 0; a < height; a++) {
        memcpy(block + a * width, x + (from[0] + a) * n + to[0], (size_t)width * sizeof *block);
    }
    trop_dense_product(half, l, block, counts[0], height, width);
    trop_dense_product_turned(out, half, r, counts[0], width, counts[1]);
}

/* The three blocks of one matrix between the vectors a_j and the queries. */
static void blocks_of(double **out, struct nuclear *task, const double *x)
{
    const struct trop_reduce *reduce = task->unitary->reduce;
    const int64_t n = reduce->height + reduce->width;
    const int64_t first[2] = { 0, reduce->height }, second[2] = { reduce->height, n };
    const int64_t m = reduce->count, queries = reduce->rows->problem->queries;

    block_between(out[0], task, x, first, first, reduce->a, reduce->a, (int64_t[]){ m, m });
    block_between(out[1], task, x, first, second, reduce->a, reduce->z, (int64_t[]){ m, queries });
    block_between(out[2], task, x, second, second, reduce->z, reduce->z,
                  (int64_t[]){ queries, queries });
}

static void schur(double *out, void *context, const double *x, const double *inverse,
                  const double *weight)
{
    struct nuclear *task = context;
    const int64_t m = task->unitary->reduce->count, rank = task->frame ? task->frame->rank : 0;

    if (!task->frame) {
        /* 4 M of the entries above. */
        const struct trop_reduce *reduce = task->unitary->reduce;
        const int64_t queries = reduce->rows->problem->queries;
        double *const *b = task->blocks;
        blocks_of(task->blocks, task, x);
        blocks_of(task->blocks + 3, task, inverse);
        for (int64_t j = 0; j < m; j++) {
            const int64_t p = reduce->asked[j];
            for (int64_t k = 0; k < m; k++) {
                const int64_t q = reduce->asked[k];
                const double straight = b[2][p * queries + q] * b[3][j * m + k] +
                                        b[0][j * m + k] * b[5][p * queries + q];
                const double crossed = b[1][k * queries + p] * b[4][j * queries + q] +
                                       b[1][j * queries + q] * b[4][k * queries + p];
                out[j * m + k] = 0.25 * (straight + crossed);
            }
        }
        for (int64_t k = 0; k < task->unitary->sides; k++) {
            const int64_t j = task->unitary->side[k];
            out[j * m + j] += weight[k];
        }
        return;
    }
    trop_frame_weigh(out, task->frame, task->g, m, weight, task->weighted);
    trop_frame_operator(task->small, task->frame, x, inverse, rank);
    for (int64_t k = 0; k < rank; k++) {
        for (int64_t l = 0; l < rank; l++) {
            out[k * m + l] += 0.25 * task->small[k * rank + l];
        }
    }
}

/* In a frame: moves the corner so that the constraints have the slacks t. */
static void place(struct nuclear *task, const double *t)
{
    struct trop_unitary *unitary = task->unitary;
    const struct trop_frame *frame = task->frame;
    double *v = task->place, *now = unitary->multipliers;

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
    struct nuclear *task = context;

    trop_unitary_corner(task->corner, task->unitary, point->x);
    if (task->frame) {
        place(task, point->t);
    }
    return trop_unitary_look(task->unitary, task->corner, lambda_of(task, point->y));
}

/* ---- the start ------------------------------------------------------------------------------ */

static double *take(double **from, int64_t count)
{
    double *taken = *from;

    *from += count;
    return taken;
}

static enum trop_status take_memory(struct nuclear *task)
{
    const struct trop_reduce *reduce = task->unitary->reduce;
    const int64_t m = reduce->count, queries = reduce->rows->problem->queries;
    const int64_t n = reduce->height + reduce->width, most = m > queries ? m : queries;
    const int64_t sizes[] = { m * m, m * queries, queries * queries };
    const int64_t part = n * n + most * n, rank = task->frame ? task->frame->rank : 0;
    const int64_t own =
        task->frame ? 2 * m * m + rank * rank + rank : 2 * (sizes[0] + sizes[1] + sizes[2]) + part;
    double *memory =
        trop_alloc(own + n * n + 5 * m + reduce->height * reduce->width, sizeof *memory);

    if (!memory) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld multipliers", (long long)m);
    }
    task->memory = memory;
    if (task->frame) {
        task->g = take(&memory, m * m);
        task->weighted = take(&memory, m * m);
        task->small = take(&memory, rank * rank);
        task->place = take(&memory, rank);
    } else {
        for (int k = 0; k < 6; k++) {
            task->blocks[k] = take(&memory, sizes[k % 3]);
        }
        task->part = take(&memory, part);
    }
    task->point.x = take(&memory, n * n);
    task->point.y = take(&memory, m);
    task->point.s = take(&memory, m);
    task->point.t = take(&memory, m);
    task->zero = take(&memory, m);
    task->objective = take(&memory, m);
    task->corner = memory;
    return TROP_OK;
}

/* y with lambda = G y; y is 0 before. */
static void unknowns_of(double *y, const struct nuclear *task, const double *lambda)
{
    const struct trop_frame *frame = task->frame;
    const int64_t m = task->unitary->reduce->count;

    if (!frame) {
        memcpy(y, lambda, (size_t)m * sizeof *y);
        return;
    }
    for (int64_t j = 0; j < m; j++) {
        for (int64_t k = 0; k < frame->rank; k++) { /* mu = R' lambda */
            y[k] += lambda[j] * frame->row[j * frame->size + k];
        }
    }
    for (int64_t c = frame->rank; c < m; c++) {
        y[c] = lambda[frame->basis[c]];
    }
}

/* X around one and a half times the l2 solution, t its slacks, but not too near to 0; lambda equal
 * on all inequalities, in a frame the multipliers of the l2 solution, half as large as |U| <= 1
 * allows. */
static void begin(struct nuclear *task)
{
    struct trop_unitary *unitary = task->unitary;
    struct trop_reduce *reduce = unitary->reduce;
    struct trop_lmi_point *point = &task->point;
    double *lambda = unitary->multipliers;

    if (task->frame) {
        /* G, column by column. */
        const struct trop_frame *frame = task->frame;
        const int64_t m = frame->count;
        double *mu = task->weighted;
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
        turn_back(task->objective, task, reduce->bound);
    } else {
        memcpy(task->objective, reduce->bound, (size_t)reduce->count * sizeof *task->objective);
    }
    const double largest = trop_unitary_norm(unitary, unitary->start, 0);
    trop_unitary_assemble(point->x, unitary, 1.5 * largest + 0.5, unitary->start, 1.5);
    for (int64_t j = 0; j < reduce->count; j++) {
        lambda[j] = task->frame ? unitary->first[j] : reduce->equal[j] ? 0.0 : 1.0;
    }
    trop_reduce_combine(task->corner, reduce, lambda);
    const double size = trop_unitary_norm(unitary, task->corner, 0);
    for (int64_t j = 0; j < reduce->count; j++) {
        lambda[j] *= size > 0 ? 0.5 / size : 0.5;
    }
    unknowns_of(point->y, task, lambda);
    trop_reduce_values(unitary->values, reduce, unitary->start);
    for (int64_t k = 0; k < unitary->sides; k++) {
        const int64_t j = unitary->side[k];
        point->s[k] = lambda[j];
        point->t[k] = 1.5 * unitary->values[j] - reduce->bound[j];
        if (task->frame) {
            trop_frame_balance(&point->t[k], &point->s[k], 0.5);
        } else {
            point->t[k] = fmax(point->t[k], 0.1);
        }
    }
}

static enum trop_status interior(struct trop_norm_answer *answer, struct trop_unitary *unitary,
                                 const struct trop_norm_task *norm, struct trop_frame *frame)
{
    struct nuclear task = { .unitary = unitary, .frame = frame };
    enum trop_status status = take_memory(&task);

    if (status == TROP_OK) {
        const struct trop_lmi_form form = {
            .order = unitary->height + unitary->width,
            .count = unitary->reduce->count,
            .sides = unitary->sides,
            .objective = task.objective,
            .side = task.zero,
            .context = &task,
            .maps = { slack, adjoint, sides_of, sides_adjoint, schur, look },
        };
        begin(&task);
        status = trop_unitary_solve(answer, norm, &form, &task.point);
    }
    trop_alloc_free(task.memory);
    return status;
}

/* ---- the factors ---------------------------------------------------------------------------- */

struct factors {
    struct trop_repair *repair;
    double *w, *copy, *values, *work; /* (rows, columns) twice, (r), ((rows + columns) r) */
    double *left, *right;
    double *memory;
    double gap; /* of the factors in the answer; infinity: none are */
};

static enum trop_status factors_open(struct factors *f, const struct trop_norm_task *task,
                                     int64_t rank)
{
    const struct trop_problem *problem = task->problem;
    const int64_t rows = problem->rows, columns = problem->columns;
    const int64_t r = rows < columns ? rows : columns, size = rows * columns;

    *f = (struct factors){ .gap = INFINITY };
    enum trop_status status = trop_repair_create(&f->repair, task->rows, rank);
    if (status != TROP_OK) {
        return status;
    }
    f->memory = trop_alloc(2 * size + r + (rows + columns) * (r + rank), sizeof *f->memory);
    if (!f->memory) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for factors of W");
    }
    f->w = f->memory;
    f->copy = f->w + size;
    f->values = f->copy + size;
    f->work = f->values + r;
    f->left = f->work + (rows + columns) * r;
    f->right = f->left + rows * rank;
    return TROP_OK;
}

/* Repairs the factors, makes them balanced, and repairs what the rounding of that did. The upper
 * bound that they stand for; infinity when they cannot be made feasible. */
static double mend(struct factors *f, const struct trop_problem *problem, int64_t rank)
{
    const int64_t rows = problem->rows, columns = problem->columns;
    struct trop_repair_report report;

    trop_repair_factors(&report, f->repair, f->left, f->right, rank);
    trop_dense_product_turned(f->copy, f->left, f->right, rows, rank, columns);
    if (!trop_repair_balance(f->left, f->right, rank, f->values, f->copy, rows, columns, f->work)) {
        return INFINITY;
    }
    trop_repair_factors(&report, f->repair, f->left, f->right, rank);
    /* |L R'|_* <= (|L|_F^2 + |R|_F^2) / 2, and no less where factors are balanced: however far the
     * second repair went, this is above the norm. */
    const double norm = 0.5 * (trop_linalg_dot(f->left, f->left, rows * rank) +
                               trop_linalg_dot(f->right, f->right, columns * rank));
    if (!(report.margin > 0) || !(report.below <= 64 * UNIT)) {
        return INFINITY;
    }
    return report.margin < INFINITY ? norm / report.margin : norm;
}

static void try_ranks(struct trop_norm_answer *answer, struct factors *f,
                      const struct trop_unitary *unitary, const struct trop_norm_task *task,
                      int64_t most)
{
    const struct trop_problem *problem = task->problem;
    const int64_t rows = problem->rows, columns = problem->columns;
    const double lower = unitary->lower * unitary->reduce->scale;
    int64_t rank = 0;

    trop_reduce_leave(f->w, unitary->reduce, unitary->v, f->work);
    /* Half of the tolerance: the judge's own rounding has to fit in as well. */
    while (rank < most && f->gap > 0.5 * task->tolerance) {
        memcpy(f->copy, f->w, (size_t)(rows * columns) * sizeof *f->copy);
        if (rank == 0) {
            if (!trop_repair_balance(f->left, f->right, 1, f->values, f->copy, rows, columns,
                                     f->work)) {
                return;
            }
            /* The directions of W that are tried first: those above a hundredth of the largest.
             * Smaller ones can sometimes be moved into these at no cost, when the solution is not
             * unique. */
            rank = 1;
            while (rank < most && f->values[rank] > 1e-2 * f->values[0]) {
                rank++;
            }
        } else {
            rank++;
        }
        memcpy(f->copy, f->w, (size_t)(rows * columns) * sizeof *f->copy);
        trop_repair_balance(f->left, f->right, rank, f->values, f->copy, rows, columns, f->work);
        /* Kept when they are clearly better than those with fewer columns. */
        const double gap = mend(f, problem, rank) / lower - 1.0;
        if (gap < 0.5 * f->gap) {
            f->gap = gap;
            answer->rank = rank;
            memcpy(answer->left, f->left, (size_t)(rows * rank) * sizeof *f->left);
            memcpy(answer->right, f->right, (size_t)(columns * rank) * sizeof *f->right);
            trop_dense_product_turned(answer->w, f->left, f->right, rows, rank, columns);
        }
    }
}

static enum trop_status finish(struct trop_norm_answer *answer, const struct trop_unitary *unitary,
                               const struct trop_norm_task *task)
{
    const int64_t most = unitary->height < unitary->width ? unitary->height : unitary->width;
    struct factors factors;
    enum trop_status status = factors_open(&factors, task, most);

    if (status == TROP_OK) {
        const int64_t end = answer->end;
        trop_norm_fallback(answer, task, end);
        if (unitary->gap < INFINITY) {
            trop_unitary_multipliers(answer->lambda, unitary);
            try_ranks(answer, &factors, unitary, task, most);
        }
    }
    trop_repair_free(factors.repair);
    trop_alloc_free(factors.memory);
    return status;
}

static enum trop_status solve(struct trop_norm_answer *answer, const struct trop_norm_task *task)
{
    return trop_unitary_run(answer, task, 1, interior, finish);
}

const struct trop_norm trop_norm_nuclear = {
    .name = "nuclear",
    .meaning = "sum of the singular values",
    .singular = 1,
    .exponent = 1,
    .judged = TROP_MARGIN_CHECK_NUCLEAR,
    .factors = 1,
    .most = TROP_UNITARY_LARGE,
    .test = "margin, nuclear",
    .test_norm = 0.2,
    .tolerance = TROP_UNITARY_TOLERANCE,
    .solve = solve,
};
