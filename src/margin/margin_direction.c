/* margin_direction.c -- what another direction W selects, and how far it is from the solution.
 *
 * Its neighbours are the tokens that attain its own least lead; they are not the support of a
 * solution, so that their scores say nothing of the other tokens. */
#include "margin/margin.h"

#include "base/alloc.h"
#include "base/linalg.h"
#include "base/status.h"
#include "margin/compare.h"
#include "margin/dense.h"
#include "margin/norm.h"

#include <math.h>
#include <string.h>

/* A neighbour of a direction attains its margin within this, relatively. */
#define NEIGHBOUR 1e-9
/* Singular values of larger matrices take seconds. */
#define SINGULAR 512

/* |W| in the norm of the problem; NaN: singular values of a large W. */
static enum trop_status length_of(double *out, const struct trop_margin *margin)
{
    const struct trop_problem *problem = &margin->solved.made.problem;
    const struct trop_norm *norm = trop_norm_of(margin->options.norm);
    const int64_t rows = problem->rows, columns = problem->columns, size = rows * columns;
    const int64_t r = rows < columns ? rows : columns;
    const double e = trop_norm_exponent(norm, margin->options.p);

    *out = NAN;
    if (!norm->singular) {
        *out = trop_norm_length(margin->direction, NULL, size, e);
        return TROP_OK;
    }
    if (r > SINGULAR) {
        return TROP_OK;
    }
    double *work = trop_alloc(size + r * (rows + columns + 1), sizeof *work);
    if (!work) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for singular values");
    }
    double *a = work + r, *u = a + size, *vt = u + rows * r;
    memcpy(a, margin->direction, (size_t)size * sizeof *a);
    if (trop_dense_svd(u, work, vt, a, rows, columns)) {
        *out = trop_norm_length(work, NULL, r, e);
    }
    trop_alloc_free(work);
    return TROP_OK;
}

/* How far the direction is from the solution: the cosine, the divergence of l2 and lp, and its
 * margin as a share of the best. */
static enum trop_status compare(struct trop_margin *margin, double length,
                                const struct trop_margin_settings *settings)
{
    const struct trop_problem *problem = &margin->solved.made.problem;
    const int64_t n = problem->rows * problem->columns;
    const double upper = margin->solved.proof.upper;
    const double p = trop_norm_exponent(trop_norm_of(margin->options.norm), margin->options.p);

    if (!(isfinite(upper) && upper > 0) || !(trop_linalg_norm(margin->direction, n) > 0)) {
        return TROP_OK;
    }
    margin->view.direction_cosine = trop_compare_cosine(margin->direction, margin->solved.w, n);
    if (!trop_norm_of(margin->options.norm)->singular && p > 1 && isfinite(p)) {
        const struct trop_power exponent = trop_power_of(p), less = trop_power_less_one(exponent);
        margin->view.direction_bregman =
            trop_compare_bregman(margin->solved.w, margin->direction, n, &exponent, &less);
    }
    return trop_compare_share(&margin->view.direction_ratio, problem, margin->direction,
                              length / upper, settings->threads);
}

enum trop_status trop_margin_direction(struct trop_margin *margin,
                                       const struct trop_margin_settings *settings)
{
    const struct trop_problem *problem = &margin->solved.made.problem;
    const struct trop_selection_view tokens = trop_selection_view_of(
        &margin->data.data, margin->model, margin->options.mask, margin->options.row);
    struct trop_margin_view *view = &margin->view;
    struct trop_selection_direction seen;
    double length = 0;

    view->direction_alpha = trop_alloc(margin->inputs, sizeof *view->direction_alpha);
    if (!view->direction_alpha) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a direction");
    }
    const struct trop_selection_found found = { .alpha = view->direction_alpha };
    const double norm = trop_linalg_norm(margin->direction, problem->rows * problem->columns);
    enum trop_status status = length_of(&length, margin);
    if (status == TROP_OK) {
        status = trop_selection_look(&seen, &found, &tokens, margin->direction, norm, NEIGHBOUR,
                                     margin->scores, 0);
    }
    if (status != TROP_OK) {
        return status;
    }
    view->direction_margin = seen.margin;
    view->direction_norm_margin = length > 0 ? seen.margin * (norm / length) : NAN;
    view->direction_neighbours = seen.neighbours;
    view->direction_optimal = seen.optimal;
    for (int64_t i = 0; margin->alpha && i < margin->inputs; i++) {
        view->direction_others += view->direction_alpha[i] != margin->alpha[i];
    }
    return compare(margin, length, settings);
}
