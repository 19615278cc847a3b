/* norm_l2.c -- the Euclidean (Frobenius) norm: a least-distance problem, solved by its active set.
 *
 *   min |W|_F  subject to  <A_j, W> >= r_j, r_j = 0 or 1, or <A_j, W> = r_j.
 *
 * The solution is W = sum_j lambda_j A_j, where lambda >= 0 (free on equalities) vanishes off the
 * constraints that hold with equality; |W|^2 = r' lambda (Lawson and Hanson 1974, chapter 23). Its
 * Gram matrix has the square of the condition of the rows, which near infeasibility (margin m) is
 * 1/m^2: hence multipliers and residuals in double-double (least.h), after which W is rounded once.
 * In the terms of the judge, with kappa = max_j |A_j||W|:
 *
 *   upper: rounding W moves <A_j, W> by at most u kappa, and so does rounding x_plus - x_minus;
 *   lower: rounding lambda moves A' lambda by at most u sum_j lambda_j |A_j| <= u |W| kappa when
 *          all r_j = 1, as sum_j lambda_j = |W|^2: relative to |A' lambda| = |W| again u kappa.
 *
 * Independent constraints are first tried by block pivoting, which takes few rounds of any size,
 * fewer from a guess (least_guess.c); whatever it cannot do is done by a walk over sets that is
 * exact and slow (least_walk.c). More constraints than dimensions, on vectors, begin with that walk
 * in double (least_quick.c), whose set is a guess for one round of pivoting.
 *
 * A W inside. Constraints with r_j = 0 cannot be mended by scaling W, and rows of very different
 * lengths only at a high price, u kappa for the sake of the longest. Where there are such, a second
 * solve asks 4 u spread_j more of every inequality, spread_j = sum_ab |A_jab W_ab| <= |A_j||W|. Its
 * W holds after rounding, and is longer by about 4 u sum_j lambda_j |A_j|, that is 4 u kappa when
 * all rows are alike and next to nothing when the long ones make kappa large. lambda stays that of
 * the first solve, and so does W if nothing lies inside or it is no better.
 */
#include "margin/least/least.h"

#include "base/status.h"

#include <math.h>
#include <string.h>

#define UNIT 0x1p-53
#define INSIDE (4 * UNIT)
/* A least margin of 1 - SPARED after rounding is left as it is: 7e-12. */
#define SPARED 0x1p-37
/* Constraints for which a Gram matrix of all is soon made (2 MB), and as many as a guess is worth.
 */
#define GUESSED 512
#define FEW 32

/* A row of zeros that asks for something: its index, or -1. */
static int64_t impossible(const struct trop_least *least)
{
    const struct trop_problem *problem = least->task->problem;

    for (int64_t j = 0; j < least->count; j++) {
        if (least->scale[j] == 0 &&
            (problem->right[j] > 0 || (problem->equal[j] && problem->right[j] != 0))) {
            return j;
        }
    }
    return -1;
}

/* The first guess: what W = 0 violates, and the equalities. */
static void set_start(struct trop_least *least)
{
    least->size = 0;
    for (int64_t j = 0; j < least->count; j++) {
        const int in =
            least->scale[j] != 0 && (least->bound[j] > 0 || least->task->problem->equal[j]);
        least->member[j] = in;
        if (in) {
            least->set[least->size++] = j;
        }
    }
}

static void set_clear(struct trop_least *least)
{
    least->size = 0;
    memset(least->member, 0, (size_t)least->count * sizeof *least->member);
    memset(least->lambda, 0, (size_t)least->count * sizeof *least->lambda);
}

/* From the set at hand by pivoting, unless that has failed before; if it fails, by a walk from the
 * beginning. */
static enum trop_status solve_from(struct trop_least *least, int *walks)
{
    enum trop_status status = TROP_OK;

    if (!*walks) {
        status = trop_least_pivot(least);
        *walks = least->end == TROP_NORM_STALLED;
        if (status != TROP_OK || !*walks) {
            return status;
        }
        set_clear(least);
    }
    status = trop_rows_keep(least->task->rows);
    return status == TROP_OK ? trop_least_walk(least) : status;
}

/* 1 when a walk in double is worth a try: many inequalities on a short vector. */
static int is_quick(const struct trop_least *least)
{
    const int64_t *equal = least->task->problem->equal;

    for (int64_t j = 0; j < least->count; j++) {
        if (equal[j]) {
            return 0;
        }
    }
    return least->columns == 1 && least->rows <= GUESSED && least->count >= FEW;
}

/* Pivoting is for rows that may be independent: no more than the dimension of their span. Others
 * begin with a walk in double if that is worth a try, which may end with a set to pivot from. */
static enum trop_status solve_first(struct trop_least *least, int *walks)
{
    const int64_t few = least->queries < least->columns ? least->queries : least->columns;
    enum trop_status status = TROP_OK;

    set_start(least);
    least->end = TROP_NORM_DONE;
    *walks = least->size > few * least->rows;
    if (*walks) {
        set_clear(least);
        if (is_quick(least)) {
            status = trop_least_quick(least);
            *walks = least->end == TROP_NORM_STALLED;
        }
    } else if (least->size >= FEW && least->count <= GUESSED) {
        status = trop_rows_keep(least->task->rows);
        status = status == TROP_OK ? trop_least_guess(least) : status;
    }
    if (status != TROP_OK || least->end == TROP_NORM_LIMIT) {
        return status;
    }
    return solve_from(least, walks);
}

static void lambda_write(double *out, const struct trop_least *least)
{
    const int64_t *equal = least->task->problem->equal;

    for (int64_t j = 0; j < least->count; j++) {
        const double value = least->member[j] ? least->lambda[j].high * least->scale[j] : 0;
        out[j] = equal[j] || value > 0 ? value : 0;
    }
}

static void w_write(double *out, const struct trop_least *least)
{
    memcpy(out, least->w, (size_t)(least->rows * least->columns) * sizeof *out);
}

/* The least <A_j, W> over the inequalities with r_j = 1, or infinity, after W has been rounded and
 * with u spread_j taken off, by which left_j may be off. is_inside becomes 0 when an inequality
 * with r_j = 0 does not hold with 2 u spread_j to spare. */
static double rounded_margin(struct trop_least *least, int *is_inside)
{
    const struct trop_problem *problem = least->task->problem;
    double margin = INFINITY;

    *is_inside = 1;
    memset(least->w_low, 0, (size_t)(least->rows * least->columns) * sizeof *least->w_low);
    trop_least_lacks(least, TROP_LEAST_ALL);
    trop_least_spreads(least);
    for (int64_t j = 0; j < least->count; j++) {
        const double lack = least->lack[j];
        if (problem->equal[j] || least->scale[j] == 0) {
            continue;
        }
        if (problem->right[j] > 0) {
            margin = fmin(margin, 1 - (lack + UNIT * least->spread[j]) / least->scale[j]);
        } else if (lack > -INSIDE / 2 * least->spread[j]) {
            *is_inside = 0;
        }
    }
    return margin;
}

/* Asks the inequalities for more times spread_j beyond what the problem does. */
static void bounds_move(struct trop_least *least, double more)
{
    const struct trop_problem *problem = least->task->problem;

    for (int64_t j = 0; j < least->count; j++) {
        if (!problem->equal[j] && least->scale[j] != 0) {
            least->bound[j] = least->scale[j] * problem->right[j] + more * least->spread[j];
        }
    }
}

/* 1 when what constraints lack shows that a margin of 1 - SPARED is left, all right sides being 1:
 * after pivoting lack_j is that of W or of its rounding, computed in double, within less than
 * ((rows + columns) / 8 + 16) u |W|, rounding W included. */
static int is_spared(const struct trop_least *least)
{
    const struct trop_problem *problem = least->task->problem;
    const double doubt = ((double)(least->rows + least->columns) / 8 + 16) * UNIT * least->length;
    int spared = 1;

    for (int64_t j = 0; j < least->count; j++) {
        const double lack = fmax(least->lack[j], 0) + doubt;
        spared &= problem->equal[j] || least->scale[j] == 0 ||
                  (problem->right[j] == 1 && lack <= SPARED * least->scale[j]);
    }
    return spared;
}

/* The W that is returned, after the first solve. Without a margin at all nothing was solved: the
 * rows are nearly dependent beyond double-double. */
static enum trop_status solve_inside(struct trop_norm_answer *out, struct trop_least *least,
                                     int walks)
{
    int first, second;

    if ((!walks && is_spared(least)) ||
        trop_least_margin(least) >= 1 - SPARED) { /* as rounded_margin would say */
        return TROP_OK;
    }
    enum trop_status status = trop_rows_keep(least->task->rows);
    if (status != TROP_OK) {
        return status;
    }
    const double margin = rounded_margin(least, &first), length = least->length;

    if (first && margin >= 1 - SPARED) {
        return TROP_OK;
    }
    out->end = margin > 0 ? TROP_NORM_DONE : TROP_NORM_STALLED;
    bounds_move(least, INSIDE);
    status = solve_from(least, &walks);
    if (status != TROP_OK || least->end != TROP_NORM_DONE) {
        return status;
    }
    bounds_move(least, 0);
    const double other = rounded_margin(least, &second);
    if (second && other > 0 &&
        (!first || margin <= 0 || least->length / fmin(other, 1) < length / margin)) {
        out->end = TROP_NORM_DONE;
        w_write(out->w, least);
    }
    return status;
}

static enum trop_status solve_all(struct trop_norm_answer *out, struct trop_least *least)
{
    int walks = 0;
    const int64_t zero = impossible(least);

    if (zero >= 0) {
        out->lambda[zero] = least->task->problem->right[zero] > 0 ? 1 : -1;
        out->end = TROP_NORM_INFEASIBLE;
        return TROP_OK;
    }
    const enum trop_status status = solve_first(least, &walks);
    if (status != TROP_OK) {
        return status;
    }
    out->end = least->end;
    if (least->end == TROP_NORM_STALLED) {
        return TROP_OK;
    }
    lambda_write(out->lambda, least);
    if (least->end != TROP_NORM_INFEASIBLE) {
        w_write(out->w, least);
    }
    return least->end == TROP_NORM_DONE ? solve_inside(out, least, walks) : TROP_OK;
}

static enum trop_status solve(struct trop_norm_answer *out, const struct trop_norm_task *task)
{
    const struct trop_problem *problem = task->problem;
    struct trop_least *least = NULL;
    enum trop_status status = trop_least_create(&least, task);

    if (status != TROP_OK) {
        return status;
    }
    memset(out->w, 0, (size_t)(problem->rows * problem->columns) * sizeof *out->w);
    memset(out->lambda, 0, (size_t)problem->count * sizeof *out->lambda);
    out->rank = 0;
    status = solve_all(out, least);
    out->iterations = least->iterations;
    trop_least_free(least);
    return status;
}

const struct trop_norm trop_norm_l2 = {
    .name = "l2",
    .meaning = "Euclidean length of the entries of W (Frobenius norm)",
    .exponent = 2,
    .judged = TROP_MARGIN_CHECK_LP,
    .test = "margin, l2",
    .test_norm = 0.2,
    .tolerance = 1e-10,
    .solve = solve,
};
