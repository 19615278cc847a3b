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
 * Where constraints are nearly dependent the method may get stuck, and is begun again in other
 * coordinates (frame.h).
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
    struct trop_lmi_point point;
    double *blocks[6]; /* X11, X12, X22, Y11, Y12, Y22 between a_j and queries */
    double *part;      /* scratch for a block and for its product with a or z */
    double *zero;      /* (sides) lambda >= 0 */
    double *memory;
};

/* ---- the maps of lmi.h
 * ----------------------------------------------------------------------------- */

static void slack(double *out, void *context, const double *y, double constant)
{
    struct nuclear *task = context;
    struct trop_unitary *unitary = task->unitary;

    trop_reduce_combine(unitary->block, unitary->reduce, y);
    trop_unitary_assemble(out, unitary, 0.5 * constant, unitary->block, -0.5);
}

static void adjoint(double *out, void *context, const double *x)
{
    struct nuclear *task = context;
    struct trop_unitary *unitary = task->unitary;

    trop_unitary_corner(unitary->block, unitary, x);
    trop_reduce_values(out, unitary->reduce, unitary->block);
}

static void sides_of(double *out, void *context, const double *y)
{
    const struct nuclear *task = context;

    for (int64_t k = 0; k < task->unitary->sides; k++) {
        out[k] = y[task->unitary->side[k]];
    }
}

static void sides_adjoint(double *out, void *context, const double *t)
{
    const struct nuclear *task = context;

    for (int64_t k = 0; k < task->unitary->sides; k++) {
        out[task->unitary->side[k]] += t[k];
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
    const struct trop_reduce *reduce = task->unitary->reduce;
    const int64_t m = reduce->count, queries = reduce->rows->problem->queries;
    double *const *b = task->blocks;

    blocks_of(task->blocks, task, x);
    blocks_of(task->blocks + 3, task, inverse);
    for (int64_t j = 0; j < m; j++) {
        const int64_t p = reduce->asked[j];
        for (int64_t k = 0; k < m; k++) {
            const int64_t q = reduce->asked[k];
            const double straight =
                b[2][p * queries + q] * b[3][j * m + k] + b[0][j * m + k] * b[5][p * queries + q];
            const double crossed = b[1][k * queries + p] * b[4][j * queries + q] +
                                   b[1][j * queries + q] * b[4][k * queries + p];
            out[j * m + k] = 0.25 * (straight + crossed);
        }
    }
    for (int64_t k = 0; k < task->unitary->sides; k++) {
        const int64_t j = task->unitary->side[k];
        out[j * m + j] += weight[k];
    }
}

static double look(void *context, const struct trop_lmi_point *point)
{
    struct nuclear *task = context;

    /* The corner goes where trop_unitary_look does not write. */
    trop_unitary_corner(task->part, task->unitary, point->x);
    return trop_unitary_look(task->unitary, task->part, point->y);
}

/* ---- the start
 * ------------------------------------------------------------------------------------- */

static enum trop_status take_memory(struct nuclear *task)
{
    const struct trop_reduce *reduce = task->unitary->reduce;
    const int64_t m = reduce->count, queries = reduce->rows->problem->queries;
    const int64_t n = reduce->height + reduce->width, most = m > queries ? m : queries;
    const int64_t sizes[] = { m * m, m * queries, queries * queries };
    const int64_t part = n * n + most * n;
    double *memory =
        trop_alloc(2 * (sizes[0] + sizes[1] + sizes[2]) + part + n * n + 4 * m, sizeof *memory);

    if (!memory) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld multipliers", (long long)m);
    }
    task->memory = memory;
    for (int k = 0; k < 6; k++) {
        task->blocks[k] = memory;
        memory += sizes[k % 3];
    }
    task->part = memory;
    task->point.x = task->part + part;
    task->point.y = task->point.x + n * n;
    task->point.s = task->point.y + m;
    task->point.t = task->point.s + m;
    task->zero = task->point.t + m;
    return TROP_OK;
}

/* X around one and a half times the l2 solution, t its slacks, but not too near to 0; lambda equal
 * on all inequalities, half as large as |U| <= 1 allows. */
static void begin(struct nuclear *task)
{
    struct trop_unitary *unitary = task->unitary;
    struct trop_lmi_point *point = &task->point;
    struct trop_reduce *reduce = unitary->reduce;

    const double largest = trop_unitary_norm(unitary, unitary->start, 0);
    trop_unitary_assemble(point->x, unitary, 1.5 * largest + 0.5, unitary->start, 1.5);
    for (int64_t k = 0; k < reduce->count; k++) {
        point->y[k] = reduce->equal[k] ? 0.0 : 1.0;
    }
    trop_reduce_combine(task->part, reduce, point->y);
    const double size = trop_unitary_norm(unitary, task->part, 0);
    trop_reduce_values(unitary->values, reduce, unitary->start);
    for (int64_t k = 0; k < unitary->sides; k++) {
        const int64_t j = unitary->side[k];
        point->y[j] = point->s[k] = size > 0 ? 0.5 / size : 0.5;
        point->t[k] = fmax(1.5 * unitary->values[j] - reduce->bound[j], 0.1);
    }
}

static enum trop_status solve_form(struct trop_norm_answer *answer, struct nuclear *task,
                                   const struct trop_norm_task *norm)
{
    const struct trop_reduce *reduce = task->unitary->reduce;
    enum trop_status status = take_memory(task);

    if (status != TROP_OK) {
        return status;
    }
    const struct trop_lmi_form form = {
        .order = reduce->height + reduce->width,
        .count = reduce->count,
        .sides = task->unitary->sides,
        .objective = reduce->bound,
        .side = task->zero,
        .context = task,
        .slack = slack,
        .adjoint = adjoint,
        .sides_of = sides_of,
        .sides_adjoint = sides_adjoint,
        .schur = schur,
        .look = look,
    };
    begin(task);
    return trop_unitary_solve(answer, norm, &form, &task->point);
}

static enum trop_status interior(struct trop_norm_answer *answer, struct trop_unitary *unitary,
                                 const struct trop_norm_task *task)
{
    struct nuclear nuclear = { .unitary = unitary };
    enum trop_status status = solve_form(answer, &nuclear, task);

    trop_alloc_free(nuclear.memory);
    return status;
}

/* ---- the factors
 * ------------------------------------------------------------------------------------ */

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

static void factors_close(struct factors *f)
{
    trop_repair_free(f->repair);
    trop_alloc_free(f->memory);
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

/* Puts the factors into the answer when they are clearly better than those with fewer columns. */
static void keep(struct trop_norm_answer *answer, struct factors *f,
                 const struct trop_problem *problem, int64_t rank, double gap)
{
    const int64_t rows = problem->rows, columns = problem->columns;

    if (!(gap < 0.5 * f->gap)) {
        return;
    }
    f->gap = gap;
    answer->rank = rank;
    memcpy(answer->left, f->left, (size_t)(rows * rank) * sizeof *f->left);
    memcpy(answer->right, f->right, (size_t)(columns * rank) * sizeof *f->right);
    trop_dense_product_turned(answer->w, f->left, f->right, rows, rank, columns);
}

/* The directions of W that are tried first: those above a hundredth of the largest. Smaller
 * ones can sometimes be moved into these at no cost, when the solution is not unique. */
static int64_t first_rank(const double *values, int64_t most)
{
    int64_t rank = 1;

    while (rank < most && values[rank] > 1e-2 * values[0]) {
        rank++;
    }
    return rank;
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
            rank = first_rank(f->values, most);
        } else {
            rank++;
        }
        memcpy(f->copy, f->w, (size_t)(rows * columns) * sizeof *f->copy);
        trop_repair_balance(f->left, f->right, rank, f->values, f->copy, rows, columns, f->work);
        keep(answer, f, problem, rank, mend(f, problem, rank) / lower - 1.0);
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
        trop_unitary_fallback(answer, task, end);
        if (unitary->gap < INFINITY) {
            trop_unitary_multipliers(answer->lambda, unitary);
            try_ranks(answer, &factors, unitary, task, most);
        }
    }
    factors_close(&factors);
    return status;
}

static enum trop_status solve(struct trop_norm_answer *answer, const struct trop_norm_task *task)
{
    static const struct trop_unitary_steps steps = { interior, trop_frame_nuclear, finish };

    return trop_unitary_run(answer, task, 1, &steps);
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
