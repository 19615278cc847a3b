/* selection_support.c -- support tokens of a solution, and what follows from them.
 *
 * A constraint (A W*)_j >= r_j, r_j 1 or 0, of the optimum W* supports it when (A W*)_j = r_j. Of
 * W* we know a feasible W with |W| <= upper and multipliers lambda (scaled to |A' lambda|_dual <=
 * 1) with r' lambda >= lower. Two things are proved from that.
 *
 *   1. W is near: |(A W)_j - (A W*)_j| <= |A_j|_dual |W - W*|, and |W - W*| <= far. In the lp norm,
 *      1 < p <= 2, half the squared norm is p - 1 strongly convex (Ball, Carlen, Lieb 1994); the
 *      segment from W* to W is feasible and W* the least point of it, so that
 *        (p - 1) |W - W*|^2 <= |W|^2 - |W*|^2.
 *      For p >= 2 Clarkson's inequality at the midpoint gives |W - W*|^p <= 2^(p-1) (|W|^p -
 * |W*|^p).
 *   2. Multipliers bind: |W*| >= <A' lambda, W*> = r' lambda + sum_j lambda_j ((A W*)_j - r_j),
 * with no term negative, so that (A W*)_j - r_j <= (upper - lower) / lambda_j.
 *
 * The first goes with the root of the gap, the second with the gap itself; but a constraint can
 * be tight with a multiplier of 0, and only the first sees it, hardly ever within 1e-11. So the
 * caller may take a computed margin within `near` of its right side for an equality. With a right
 * side of 0 that asks for a positive multiplier too: a W that is returned a little inside of r = 0
 * has small values also where no constraint holds it. The bounds below are inflated by a few ulp; A
 * W is computed in double with a bound of its own rounding.
 *
 * Cone constants: P1 equation 32, P2 equation 67 (where |x z'|_F = |x| |z| stands for |k|).
 */
#include "margin/model/selection.h"

#include "kernel/kernel_judge.h"
#include "kernel/kernel_linear.h"
#include "base/alloc.h"
#include "base/math/exp.h"
#include "base/linalg.h"
#include "base/math/log.h"
#include "base/math/pow.h"
#include "base/status.h"

#include <math.h>

#define UNIT 0x1p-53
#define SLACK 1.01
#define TINY 0x1p-1073
/* Covers the rounding of a few operations and elementary functions. */
#define WIDER (1 + 0x1p-48)

double trop_selection_far(double p, double lower, double upper)
{
    if (!(p > 1 && p < INFINITY && upper < INFINITY)) {
        return INFINITY;
    }
    double far = 2 * upper; /* |W| + |W*| */
    if (p <= 2) {
        far = fmin(far, sqrt(fmax(0, upper - lower) * (upper + lower) / (p - 1)));
    } else if (lower > 0) {
        /* (upper/lower)^p - 1 = e^s - 1 <= s e^s. */
        const double s = p * trop_log1p((upper - lower) / lower);
        if (s < 700) {
            far = fmin(far, 2 * lower * trop_pow(fmax(0, s) * trop_exp(s) / 2, 1 / p));
        }
    }
    return far * WIDER;
}

/* ---- A W with its error ---------------------------------------------------------------------- */

/* W z of the query asked last, with the sizes that bound its error: constraints of one query come
 * together, and share it. */
struct product {
    const struct trop_problem *problem;
    const double *w;
    double *y, *size;        /* (rows) W z, sum_b |W_ab z_b| */
    double *left, *left_low; /* (rows) x_plus - x_minus */
    double *zeros;           /* (rows) */
    int64_t asked;           /* -1: none yet */
    const struct trop_kernel_judge *kernel;
};

/* x_plus and x_minus of a constraint. */
static void points_of(const double **plus, const double **minus, const struct product *product,
                      int64_t j)
{
    const struct trop_problem *problem = product->problem;
    const int64_t rows = problem->rows;

    *plus = problem->plus[j] >= 0 ? problem->point + problem->plus[j] * rows : product->zeros;
    *minus = problem->minus[j] >= 0 ? problem->point + problem->minus[j] * rows : product->zeros;
}

/* (A W)_j and bounds of their errors from j on, for up to 8 constraints of one query: how many is
 * returned. */
static int64_t values_of(double *out, double *bound, struct product *product, int64_t j)
{
    const struct trop_problem *problem = product->problem;
    const double *plus[TROP_LANES] = { 0 }, *minus[TROP_LANES] = { 0 };
    double size[TROP_LANES];
    int64_t some = 0;

    if (product->asked != problem->asked[j]) {
        const struct trop_kernel_linear *linear = trop_kernel_choose(0)->linear;
        const int64_t columns = problem->columns;
        product->asked = problem->asked[j];
        const double *z = problem->query + product->asked * columns;
        linear->dots(product->y, product->w, columns, problem->rows, z, columns);
        for (int64_t a = 0; a < problem->rows; a++) {
            product->size[a] = linear->dot_size(product->w + a * columns, z, columns) + TINY;
        }
    }
    for (; some < TROP_LANES && j + some < problem->count &&
           problem->asked[j + some] == product->asked;
         some++) {
        points_of(plus + some, minus + some, product, j + some);
    }
    product->kernel->dots_of_differences(out, size, plus, minus, some, product->y, product->size,
                                         problem->rows);
    for (int64_t k = 0; k < some; k++) {
        bound[k] = SLACK * UNIT * (double)(problem->rows + problem->columns + 8) * size[k] +
                   TINY * (double)(problem->rows + 2);
    }
    return some;
}

/* |A_j|_F of a constraint of the query asked last, inflated. */
static double size_of(const struct product *product, int64_t j)
{
    const struct trop_kernel_linear *linear = trop_kernel_choose(0)->linear;
    const struct trop_problem *problem = product->problem;
    const double *z = problem->query + product->asked * problem->columns, *plus, *minus;

    points_of(&plus, &minus, product, j);
    product->kernel->differences(product->left, product->left_low, plus, minus, problem->rows);
    return trop_kernel_linear_length(linear, product->left, problem->rows) *
           trop_kernel_linear_length(linear, z, problem->columns) *
           (1 + 4 * UNIT * (double)(problem->rows + problem->columns + 8));
}

static void product_close(struct product *product)
{
    TROP_FREE(product->y, product->size, product->left, product->left_low, product->zeros);
}

static enum trop_status product_open(struct product *product, const struct trop_problem *problem,
                                     const double *w)
{
    const int64_t rows = problem->rows;

    *product = (struct product){
        .problem = problem, .w = w, .asked = -1, .kernel = trop_kernel_choose(0)->judge
    };
    if (!TROP_ALLOC(TROP_PART(product->y, rows), TROP_PART(product->size, rows),
                    TROP_PART(product->left, rows), TROP_PART(product->left_low, rows),
                    TROP_PART(product->zeros, rows))) {
        product_close(product);
        return trop_fail(TROP_ERR_MEMORY, "no memory for support tokens");
    }
    return TROP_OK;
}

/* ---- support --------------------------------------------------------------------------------- */

/* Constraint j asks for a lead of 1. */
static int leads(const struct trop_problem *problem, int64_t j)
{
    return !problem->equal[j] && problem->right[j] == 1.0;
}

/* Where the excess of the computed margin alone decides: of a W of its own, or next to 0. pull:
 * lambda_j |A_j|, its share of an A' lambda of size 1; interior points leave traces of multipliers
 * everywhere. */
static int64_t judge_near(double excess, double right, double pull,
                          const struct trop_selection_proof *proof, double tolerance)
{
    const double near = proof->own ? fmax(proof->near, tolerance) : proof->near;

    if (near > 0 && excess <= near) {
        return right == 1 || pull > tolerance ? TROP_SELECTION_SUPPORT : TROP_SELECTION_EITHER;
    }
    return proof->own && excess > fmax(near, proof->clear) ? TROP_SELECTION_NOT
                                                           : TROP_SELECTION_EITHER;
}

/* Whether inequality j is support: its margin is off by bound, and |A_j|_dual <= size. */
static int64_t decide(const struct trop_problem *problem, const struct trop_selection_proof *proof,
                      int64_t j, double margin, double bound, double size, double tolerance)
{
    const double excess = margin - problem->right[j];
    const double lambda = proof->lambda ? proof->lambda[j] * proof->scale : 0.0;
    const double pull = proof->lambda ? lambda * size : 0.0;
    int64_t answer = TROP_SELECTION_EITHER;

    if (proof->open) {
        return answer;
    }
    if (!proof->own) {
        /* A row of zeros has size 0, and far may be infinite: 0 times infinity is NaN. */
        bound += size > 0 ? size * proof->far * WIDER : 0.0;
        const double high = excess + bound; /* or (upper - lower) / lambda_j, rounded up */
        const double other =
            lambda > 0 ? fmax(0, proof->upper - proof->lower) / lambda * WIDER : INFINITY;
        if (excess - bound > 0) {
            answer = TROP_SELECTION_NOT;
        } else if ((other < high ? other : high) <= tolerance) {
            answer = TROP_SELECTION_SUPPORT;
        }
    }
    return answer == TROP_SELECTION_EITHER
               ? judge_near(excess, problem->right[j], pull, proof, tolerance)
               : answer;
}

enum trop_status trop_selection_support(struct trop_selection_counts *out, int64_t *support,
                                        double *margins, const struct trop_problem *problem,
                                        const struct trop_selection_proof *proof, double tolerance)
{
    struct trop_selection_counts counts = { 0 };
    struct product product;
    double bound[TROP_LANES] = { 0 }, sum = 0;
    int64_t leading = 0;
    enum trop_status status = product_open(&product, problem, proof->w);

    if (status != TROP_OK) {
        return status;
    }
    for (int64_t j = 0, from = 0, to = 0; j < problem->count; j++) {
        if (j == to) {
            from = j;
            to = j + values_of(margins + j, bound, &product, j);
        }
        support[j] = TROP_SELECTION_NOT;
        if (problem->equal[j]) {
            continue;
        }
        support[j] = decide(problem, proof, j, margins[j], bound[j - from],
                            proof->size ? proof->size[j] : size_of(&product, j), tolerance);
        counts.support += support[j] == TROP_SELECTION_SUPPORT;
        counts.either += support[j] == TROP_SELECTION_EITHER;
        counts.others += support[j] == TROP_SELECTION_NOT;
        if (leads(problem, j)) {
            sum += margins[j];
            leading++;
        }
    }
    counts.average = leading > 0 ? sum / (double)leading : NAN;
    product_close(&product);
    *out = counts;
    return TROP_OK;
}

int64_t trop_selection_all_support(const struct trop_selection_counts *counts)
{
    if (counts->others > 0) {
        return TROP_SELECTION_NO;
    }
    return counts->either > 0 ? TROP_SELECTION_AMBIGUOUS : TROP_SELECTION_YES;
}

/* ---- local optimality ------------------------------------------------------------------------ */

void trop_selection_local(struct trop_selection_local *out, const struct trop_problem *problem,
                          const int64_t *support, const int64_t *alpha, const double *scores,
                          int64_t T, double doubt)
{
    struct trop_selection_local made = {
        .answer = TROP_SELECTION_YES, .gap = INFINITY, .input = -1, .token = -1
    };

    for (int64_t j = 0; j < problem->count; j++) {
        const int64_t i = problem->input[j], t = problem->token[j];
        if (support[j] == TROP_SELECTION_NOT) {
            continue;
        }
        const double gap = scores[i * T + alpha[i]] - scores[i * T + t];
        int64_t answer = trop_selection_passes(gap, doubt);
        if (support[j] == TROP_SELECTION_EITHER && answer != TROP_SELECTION_YES) {
            answer = TROP_SELECTION_AMBIGUOUS;
            made.doubtful++;
        }
        made.answer = trop_selection_both(made.answer, answer);
        if (gap < made.gap) {
            made.gap = gap;
            made.input = i;
            made.token = t;
        }
    }
    *out = made;
}

int64_t trop_selection_blocked(const struct trop_problem *problem, const int64_t *support,
                               const int64_t *alpha, const int64_t *opt)
{
    int64_t answer = TROP_SELECTION_NO;

    for (int64_t j = 0; j < problem->count; j++) {
        const int64_t i = problem->input[j];
        if (alpha[i] == opt[i] || problem->token[j] != opt[i]) {
            continue;
        }
        if (support[j] == TROP_SELECTION_SUPPORT) {
            return TROP_SELECTION_YES;
        }
        if (support[j] == TROP_SELECTION_EITHER) {
            answer = TROP_SELECTION_AMBIGUOUS;
        }
    }
    return answer;
}

/* ---- the cone -------------------------------------------------------------------------------- */

/* Largest |k_it| |z_i| of a token that is seen. */
static double largest(const struct trop_selection_view *view)
{
    const struct trop_kernel_linear *linear = trop_kernel_choose(0)->linear;
    double most = 0;

    for (int64_t i = 0; i < view->inputs; i++) {
        const double *key = view->key + i / view->places * view->T * view->rows;
        const double z =
            view->query
                ? trop_kernel_linear_length(linear, view->query + i * view->step, view->columns)
                : 1.0;
        for (int64_t t = 0; t < trop_selection_seen(view, i); t++) {
            const double size =
                z * trop_kernel_linear_length(linear, key + t * view->rows, view->rows);
            most = size > most ? size : most;
        }
    }
    return most;
}

/* Largest difference of two scores of an input. */
static double spread_of(const struct trop_selection_view *view, const double *scores)
{
    double spread = 0;

    for (int64_t i = 0; i < view->inputs; i++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t t = 0; t < trop_selection_seen(view, i); t++) {
            const double score = scores[i * view->T + t];
            low = score < low ? score : low;
            high = score > high ? score : high;
        }
        spread = fmax(spread, high - low);
    }
    return spread;
}

void trop_selection_cone(struct trop_selection_cone *out, const struct trop_selection_view *view,
                         const struct trop_problem *problem, const int64_t *support,
                         const double *margins, const int64_t *alpha, const double *scores,
                         double norm)
{
    struct trop_selection_local local;

    trop_selection_local(&local, problem, support, alpha, scores, view->T, 0.0);
    struct trop_selection_cone cone = {
        .theta = 1 / norm,
        .delta = INFINITY,
        .A = largest(view) * norm,
        .gamma = spread_of(view, scores),
        .gap = local.gap,
        .R = NAN,
    };
    /* delta: half the least lead of a support token over a token that is none. Margins are measured
     * from the selected token, and support tokens are at 1. An input without support tokens, of
     * which the equation says nothing, counts as if one were at 1: only so the others stay behind
     * in the cone. A token that may be support or not may be as near behind as one likes. */
    for (int64_t j = 0; j < problem->count; j++) {
        if (leads(problem, j) && support[j] == TROP_SELECTION_NOT) {
            const double half = (margins[j] - 1) / 2;
            cone.delta = half < cone.delta ? half : cone.delta;
        } else if (leads(problem, j) && support[j] == TROP_SELECTION_EITHER) {
            cone.delta = NAN; /* and stays so */
        }
    }
    const double ratio = fmin(0.5, cone.delta) / cone.A;
    cone.mu = cone.A > 0 && !isnan(cone.delta) ? ratio * ratio / 8 : NAN;
    if (cone.gap > 0 && isfinite(cone.gap) && !isnan(cone.delta)) {
        cone.R = fmax(2, 1 / cone.delta) / cone.theta *
                 trop_log(64 * (double)view->T * cone.gamma * cone.A / cone.gap);
    }
    *out = cone;
}
