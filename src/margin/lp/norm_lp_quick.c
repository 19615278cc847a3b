/* norm_lp_quick.c -- the lp problem by a semismooth Newton method in double: cheap, and without
 * promise.
 *
 * The equations are those of norm_lp.c without smoothing,
 *
 *   A' lambda = u,    A w - v = gamma r,    u = spow(w, p - 1),    lambda_j v_j = 0,
 *
 * with the same unknowns: z = w + u of an entry, y = lambda - v of a constraint, lambda = max(y, 0)
 * and v = max(-y, 0). gamma is given. With the slopes D = dw/du of the curves and S the constraints
 * with y > 0, Newton's step is
 *
 *   A_S D A_S' dlambda = -(A_S w - gamma r + A_S D R1),   R1 = A' lambda - u,
 *   du = A_S' dlambda + R1,   dw = D du,   dz = du + dw,   dv = A dw + A w - v - gamma r off S.
 *
 * S changes as it goes (a primal-dual active set: Hintermueller, Ito, Kunisch 2003). The start is
 * the l2 solution, whose set is nearly that of lp while p is near 2. Whole steps, no search: of
 * problems whose rows are in general position 3 to 6 lead from there to rounding for p from 1.5 to
 * 3, 5 to 10 for 1.25 and 4. Each step has a system of order |S| instead of the number of
 * constraints, and nothing is summed in double-double.
 *
 * Every point gives bounds, upper = |w|_p / min_j (A w)_j / r_j and lower = r' lambda /
 * |A' lambda|_q, and the best W and the best lambda are kept. What ends this method well is their
 * gap, and nothing else: when it does not come down in STEPS steps, when S is dependent or when
 * anything is not finite, the caller takes the path of norm_lp.c, which starts at l2 again. So it
 * does for problems with other right sides than 1.
 *
 * Accuracy. The bounds are evaluated in double. With c = (rows + columns) / 8 + 16 rounding moves
 * A w by c u |A_j||w| and A' lambda by c u sum_j lambda_j |A_j|, in Euclidean lengths, hence the
 * bounds by shares of c u max_j |A_j||w| / min_j (A w)_j and c u sum_j lambda_j |A_j| /
 * |A' lambda|. Where these are not small beside the tolerance (DOUBT), as next to infeasibility or
 * with rows of very different lengths, this is not the method. */
#include "margin/lp/norm_lp.h"

#include "base/alloc.h"
#include "base/linalg.h"
#include "base/math/pow.h"
#include "base/status.h"
#include "margin/rows_gram.h"

#include <math.h>
#include <string.h>

#define LEAST_P 1.25
#define MOST_P 4.0
#define STEPS 12
/* From this step on each is to divide the gap by 64 at least: convergence is quadratic. */
#define TRIED 9
/* Of the tolerance: a gap that is looked for, one that will do, and what rounding may make. */
#define WANTED 0.01
#define ENOUGH 0.25
#define DOUBT 0.0625
/* Order of the system, at most; products of all rows are written out up to this many numbers. */
#define MOST_MEMBERS 512
#define WRITTEN 0x20000
/* du/dz is not below this; a pivot of a unit diagonal is nothing below DEPENDENT. */
#define FLAT 1e-12
#define DEPENDENT 0x1p-40

struct quick {
    const struct trop_norm_task *task;
    const struct trop_kernel_linear *linear;
    int64_t count, size, stride; /* constraints, entries, row length of the system */
    double p, q, power, gamma;
    double *arena;
    double *row;                /* (count, size) scale_j A_j, when is_written */
    double *scale;              /* (count) powers of 2; right sides are gamma scale_j */
    double *y, *lambda, *value; /* (count); value: A w */
    double *spare;              /* (count) */
    double *z, *t, *a, *b;      /* (size) */
    double *w, *u, *weight;     /* (size) curves at z; dw/du */
    double *dual, *move;        /* (size) R1; scratch, then du */
    double *x;                  /* (size, stride) rows of S times the root of the weights */
    double *gram;               /* (members, stride) */
    double *plain;              /* (members, members), when not is_written */
    double *right, *floor;      /* (stride) */
    int64_t *list, *skipped;    /* (count) */
    int64_t members;            /* of S: list */
    int is_written;
    double longest;      /* max_j 1 / scale_j: |A_j| is below twice that */
    double unit;         /* c u */
    double upper, lower; /* of the pair that is kept, in units of gamma */
    double doubt;        /* share of the bounds of the last point that may be rounding */
};

/* ---- memory ---------------------------------------------------------------------------------- */

static double *take(double **from, int64_t n)
{
    double *taken = *from;

    *from += n;
    return taken;
}

static enum trop_status quick_open(struct quick *quick, const struct trop_norm_task *task)
{
    const int64_t m = task->problem->count, size = task->problem->rows * task->problem->columns;

    *quick = (struct quick){ .task = task, .linear = task->rows->linear, .count = m, .size = size };
    quick->is_written = m <= WRITTEN / size;
    /* Constraints off the first set may join: room for half as many again. */
    int64_t members = 0;
    for (int64_t j = 0; j < quick->count; j++) {
        members += quick->task->lambda[j] > 0;
    }
    const int64_t room = members + members / 2 + TROP_LANES;
    quick->stride = trop_kernel_linear_stride(room < quick->count ? room : quick->count);
    const int64_t n = quick->stride, written = quick->is_written ? (m + n) * size : n * n;
    const int64_t total = written + 5 * m + 9 * size + n * n + 2 * n;
    if (!TROP_ALLOC(TROP_PART(quick->arena, total), TROP_PART(quick->list, 2 * m))) {
        TROP_FREE(quick->arena, quick->list);
        return trop_fail(TROP_ERR_MEMORY, "no memory for an lp problem of %lld constraints",
                         (long long)m);
    }
    double *from = quick->arena;
    double **const rows[] = { &quick->scale, &quick->y, &quick->lambda, &quick->value,
                              &quick->spare };
    double **const entries[] = { &quick->z, &quick->t,      &quick->a,    &quick->b,   &quick->w,
                                 &quick->u, &quick->weight, &quick->dual, &quick->move };
    quick->row = take(&from, quick->is_written ? m * size : 0);
    quick->x = take(&from, quick->is_written ? n * size : 0);
    quick->plain = take(&from, quick->is_written ? 0 : n * n);
    quick->gram = take(&from, n * n);
    quick->right = take(&from, n);
    quick->floor = take(&from, n);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        *rows[k] = take(&from, m);
    }
    for (size_t k = 0; k < sizeof entries / sizeof *entries; k++) {
        *entries[k] = take(&from, size);
    }
    quick->skipped = quick->list + m;
    return TROP_OK;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Scales that bring |A_j| into [1, 2), and the rows if they are written out. */
static void rows_make(struct quick *quick)
{
    const struct trop_problem *problem = quick->task->problem;
    const int64_t d = problem->rows, columns = problem->columns;

    for (int64_t j = 0; j < quick->count; j++) {
        const double *left = quick->task->rows->left + j * d;
        const double *z = problem->query + problem->asked[j] * columns;
        double *row = quick->row + j * quick->size;
        quick->scale[j] = ldexp(1.0, -ilogb(quick->task->rows->size[j]));
        quick->longest = fmax(quick->longest, 1 / quick->scale[j]);
        for (int64_t a = 0; a < d && quick->is_written; a++) {
            quick->linear->grow(row + a * columns, quick->scale[j] * left[a], z, columns);
        }
    }
    quick->unit = ((double)(d + columns) / 8 + 16) * 0x1p-53;
}

/* out = A w. */
static void values(double *out, struct quick *quick, const double *w)
{
    if (quick->is_written) {
        quick->linear->dots(out, quick->row, quick->size, quick->count, w, quick->size);
        return;
    }
    trop_rows_values(out, quick->task->rows, w);
    for (int64_t j = 0; j < quick->count; j++) {
        out[j] *= quick->scale[j];
    }
}

/* out = A' lambda. */
static void combine(double *out, struct quick *quick, const double *lambda)
{
    if (quick->is_written) {
        memset(out, 0, (size_t)quick->size * sizeof *out);
        for (int64_t j = 0; j < quick->count; j++) {
            if (lambda[j] != 0) {
                quick->linear->grow(out, lambda[j], quick->row + j * quick->size, quick->size);
            }
        }
        return;
    }
    for (int64_t j = 0; j < quick->count; j++) {
        quick->spare[j] = quick->scale[j] * lambda[j];
    }
    trop_rows_combine(out, quick->task->rows, quick->spare);
}

/* A_S D A_S', its upper triangle. */
static void gram_make(struct quick *quick)
{
    const int64_t n = quick->members, stride = quick->stride;

    if (quick->is_written) {
        for (int64_t i = 0; i < quick->size; i++) {
            const double root = sqrt(quick->weight[i]);
            for (int64_t s = 0; s < n; s++) {
                quick->x[i * stride + s] = root * quick->row[quick->list[s] * quick->size + i];
            }
        }
        quick->linear->gram(quick->gram, quick->x, stride, n, quick->size);
        return;
    }
    trop_rows_gram(quick->plain, quick->task->rows, quick->weight, quick->list, n);
    for (int64_t s = 0; s < n; s++) {
        for (int64_t t = s; t < n; t++) {
            quick->gram[s * stride + t] = quick->plain[s * n + t] * quick->scale[quick->list[s]] *
                                          quick->scale[quick->list[t]];
        }
    }
}

/* ---- a point --------------------------------------------------------------------------------- */

/* lambda, S, R1 and A w at z and y. */
static void point_make(struct quick *quick)
{
    /* w, u and dw/du from z. */
    const int is_wide = quick->p >= 2;
    const double e = quick->power;
    for (int64_t i = 0; i < quick->size; i++) {
        quick->t[i] = fabs(quick->z[i]);
    }
    quick->linear->roots(quick->a, quick->b, quick->t, e, quick->size);
    for (int64_t i = 0; i < quick->size; i++) {
        const double t = quick->t[i], less = quick->a[i] < quick->b[i] ? quick->a[i] : quick->b[i];
        const double a = quick->a[i] > quick->b[i] ? t - less : quick->a[i];
        const double b = quick->a[i] > quick->b[i] ? quick->b[i] : t - less;
        const double slope_a = t > 0 ? a : 1.0, slope_b = t > 0 ? e * b : e > 1 ? 0.0 : 1.0;
        const double dw = is_wide ? slope_a : slope_b, du = is_wide ? slope_b : slope_a;
        const double floor = FLAT * (slope_a + slope_b);
        quick->w[i] = copysign(is_wide ? a : b, quick->z[i]);
        quick->u[i] = copysign(is_wide ? b : a, quick->z[i]);
        quick->weight[i] = dw / (du > floor ? du : floor);
    }
    quick->members = 0;
    for (int64_t j = 0; j < quick->count; j++) {
        quick->lambda[j] = quick->y[j] > 0 ? quick->y[j] : 0;
        if (quick->y[j] > 0) {
            quick->list[quick->members++] = j;
        }
    }
    combine(quick->dual, quick, quick->lambda);
    values(quick->value, quick, quick->w);
}

/* |x|_2 */
static double size_of(const struct quick *quick, const double *x)
{
    return trop_kernel_linear_length(quick->linear, x, quick->size);
}

/* |x|_q of moderate numbers. */
static double length(struct quick *quick, const double *x)
{
    double sum = 0;

    for (int64_t i = 0; i < quick->size; i++) {
        quick->t[i] = fabs(x[i]);
    }
    quick->linear->powers(quick->t, quick->t, quick->q, quick->size);
    for (int64_t i = 0; i < quick->size; i++) {
        sum += quick->t[i];
    }
    return trop_pow(sum, 1 / quick->q);
}

/* The bounds of the point at hand; what is better is kept. Then dual becomes R1. */
static void bounds_try(struct quick *quick, struct trop_norm_answer *out)
{
    double least = INFINITY, total = 0, sum = 0;

    for (int64_t j = 0; j < quick->count; j++) {
        const double margin = quick->value[j] / quick->scale[j];
        least = !(margin >= least) ? margin : least;
        total += quick->scale[j] * quick->lambda[j];
        sum += quick->lambda[j];
    }
    quick->doubt =
        2 * quick->unit *
        fmax(quick->longest * size_of(quick, quick->w) / least, sum / size_of(quick, quick->dual));
    /* |w|^p = w u */
    const double norm = trop_pow(quick->linear->dot(quick->w, quick->u, quick->size), 1 / quick->p);
    const double upper = least > 0 ? norm / least : INFINITY;
    const double lower = total / length(quick, quick->dual);
    if (upper < quick->upper) {
        quick->upper = upper;
        memcpy(out->w, quick->w, (size_t)quick->size * sizeof *out->w);
    }
    if (lower > quick->lower && lower < INFINITY) {
        quick->lower = lower;
        for (int64_t j = 0; j < quick->count; j++) {
            out->lambda[j] = quick->scale[j] * quick->lambda[j];
        }
    }
    quick->linear->grow(quick->dual, -1, quick->u, quick->size);
}

/* ---- a step ---------------------------------------------------------------------------------- */

/* The factor of the system; 0: there is none. */
static int factor(struct quick *quick)
{
    const int64_t n = quick->members, stride = quick->stride;
    int is_good = n > 0 && n <= stride;

    if (!is_good) {
        return 0;
    }
    gram_make(quick);
    for (int64_t s = 0; s < n; s++) {
        quick->floor[s] = DEPENDENT * quick->gram[s * stride + s];
    }
    is_good = quick->linear->factor(quick->gram, stride, n, quick->floor, quick->skipped);
    for (int64_t s = 0; s < n && is_good; s++) {
        is_good = !quick->skipped[s];
    }
    return is_good;
}

/* Newton's step; 0: there is none. */
static int step(struct quick *quick)
{
    double *change = quick->value; /* A w, then what y changes by */

    if (!factor(quick)) {
        return 0;
    }
    for (int64_t i = 0; i < quick->size; i++) {
        quick->move[i] = quick->weight[i] * quick->dual[i];
    }
    values(quick->spare, quick, quick->move);
    for (int64_t j = 0; j < quick->count; j++) {
        const double slack = quick->y[j] < 0 ? -quick->y[j] : 0;
        change[j] -= slack + quick->gamma * quick->scale[j];
    }
    for (int64_t s = 0; s < quick->members; s++) {
        const int64_t j = quick->list[s];
        quick->right[s] = -(change[j] + quick->spare[j]);
    }
    quick->linear->factor_solve(quick->right, quick->gram, quick->stride, quick->members);
    memset(quick->lambda, 0, (size_t)quick->count * sizeof *quick->lambda);
    for (int64_t s = 0; s < quick->members; s++) {
        quick->lambda[quick->list[s]] = quick->right[s];
    }
    combine(quick->move, quick, quick->lambda);
    for (int64_t i = 0; i < quick->size; i++) {
        const double du = quick->move[i] + quick->dual[i], dw = quick->weight[i] * du;
        quick->z[i] += du + dw;
        quick->move[i] = dw;
    }
    values(quick->spare, quick, quick->move);
    for (int64_t j = 0; j < quick->count; j++) {
        quick->y[j] += quick->y[j] > 0 ? quick->lambda[j] : -(change[j] + quick->spare[j]);
    }
    return 1;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* The l2 pair in our units, w = u: gamma is such that entries of w and u come out near 1. 0 when
 * the pair proves no bounds. */
static int start(struct quick *quick)
{
    const struct trop_norm_task *task = quick->task;
    double least = INFINITY, total = 0;

    rows_make(quick);
    for (int64_t j = 0; j < quick->count; j++) {
        quick->lambda[j] = task->lambda[j] / quick->scale[j];
        total += task->lambda[j];
    }
    combine(quick->u, quick, quick->lambda);
    values(quick->value, quick, task->w);
    for (int64_t j = 0; j < quick->count; j++) {
        least = fmin(least, quick->value[j] / quick->scale[j]);
    }
    const double square = trop_linalg_dot(quick->u, quick->u, quick->size);
    const double fit = trop_linalg_dot(quick->u, task->w, quick->size) / square;
    const double lower = total / trop_norm_length(quick->u, NULL, quick->size, quick->q);
    const double upper = trop_norm_length(task->w, NULL, quick->size, quick->p) / least;
    if (!(square > 0 && square < INFINITY && lower > 0 && upper > 0 && upper < INFINITY)) {
        return 0;
    }
    quick->gamma = trop_pow((double)quick->size / 2, 1 / quick->p) / (sqrt(lower) * sqrt(upper));
    const double grow = quick->gamma / least, times = grow * fit;
    for (int64_t i = 0; i < quick->size; i++) {
        quick->z[i] = 2 * grow * task->w[i];
    }
    for (int64_t j = 0; j < quick->count; j++) {
        const double slack = grow * quick->value[j] - quick->gamma * quick->scale[j];
        quick->y[j] = times * quick->lambda[j] - (slack > 0 ? slack : 0);
    }
    return isfinite(grow) && isfinite(times);
}

static double gap_of(const struct quick *quick)
{
    return quick->lower > 0 ? quick->upper / quick->lower - 1 : INFINITY;
}

/* Steps until the gap is as wanted: how it ends. */
static int64_t run(struct quick *quick, struct trop_norm_answer *out)
{
    const struct trop_norm_task *task = quick->task;

    for (int64_t k = 0; k <= STEPS; k++) {
        const double before = gap_of(quick);
        point_make(quick);
        bounds_try(quick, out);
        const double gap = gap_of(quick);
        if ((quick->upper < INFINITY && !(quick->doubt <= DOUBT * task->tolerance)) ||
            (k >= TRIED && !(gap <= before / 64) && gap > ENOUGH * task->tolerance)) {
            break;
        }
        if (gap <= WANTED * task->tolerance ||
            (gap <= ENOUGH * task->tolerance && (k == STEPS || gap > before / 4))) {
            return TROP_NORM_DONE;
        }
        if (k < STEPS && (out->iterations >= task->iterations ||
                          (task->progress &&
                           task->progress(task->context, out->iterations, task->iterations)))) {
            return TROP_NORM_LIMIT;
        }
        if (k == STEPS || !step(quick)) {
            break;
        }
        out->iterations++;
    }
    return TROP_NORM_STALLED;
}

/* 1 when all constraints are inequalities with right side 1 and rows that are not 0. */
static int is_plain(const struct trop_norm_task *task)
{
    const struct trop_problem *problem = task->problem;
    int64_t members = 0;

    for (int64_t j = 0; j < problem->count; j++) {
        if (problem->equal[j] || problem->right[j] != 1 || !(task->rows->size[j] > 0x1p-900) ||
            !(task->rows->size[j] < 0x1p900)) {
            return 0;
        }
        members += task->lambda[j] > 0;
    }
    return task->p >= LEAST_P && task->p <= MOST_P && members > 0 && members <= MOST_MEMBERS &&
           problem->rows * problem->columns <= WRITTEN;
}

enum trop_status trop_norm_lp_quick(struct trop_norm_answer *out, const struct trop_norm_task *task)
{
    const int64_t threads = task->rows->threads;
    struct quick quick;

    out->end = TROP_NORM_STALLED;
    if (!is_plain(task)) {
        return TROP_OK;
    }
    enum trop_status status = quick_open(&quick, task);
    if (status != TROP_OK) {
        return status;
    }
    quick.p = task->p;
    quick.q = task->p / (task->p - 1);
    quick.power = task->p >= 2 ? task->p - 1 : 1 / (task->p - 1);
    quick.upper = INFINITY;
    task->rows->threads = 1; /* some milliseconds at most */
    if (start(&quick)) {
        out->end = run(&quick, out);
    }
    task->rows->threads = threads;
    TROP_FREE(quick.arena, quick.list);
    return status;
}
