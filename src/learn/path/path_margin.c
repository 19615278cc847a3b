/* path_margin.c -- max-margin solutions: where paths go, and where starts begin.
 *
 *   correlation  <W, W_mm> / (|W| |W_mm|) with the l2 solution, as 1 - |a - b|^2 / 2 of unit
 * vectors bregman      D(W_mm, W) at unit lp norms, p of the path, the solution first
 *                (claim md-rem-bregman)
 *
 * For joint the decoder is compared with the solution of the label problem of the selected tokens
 * and W with the solution that asks nothing but >= 0 of inputs that do not support it (P1, equation
 * 10), both in lp. Problems are solved anew only when the selection changes; nothing is compared
 * while an input is undecided.
 */
#include "learn/path/path.h"

#include "base/alloc.h"
#include "base/linalg.h"
#include "base/status.h"
#include "margin/compare.h"
#include "learn/solution.h"

#include <math.h>
#include <string.h>

void trop_path_solution_free(struct trop_path_solution *solution)
{
    if (solution->lp != solution->l2) {
        trop_margin_free(solution->lp);
    }
    trop_margin_free(solution->l2);
    trop_margin_free(solution->label);
    trop_margin_free(solution->relaxed);
    solution->l2 = NULL;
    solution->lp = NULL;
    solution->label = NULL;
    solution->relaxed = NULL;
}

/* ---- solving --------------------------------------------------------------------------------- */

enum trop_status trop_path_solution_make(struct trop_path_solution *out,
                                         const struct trop_path *path, const char *select,
                                         const int64_t *alpha)
{
    const struct trop_path_options *wanted = &path->options;
    const struct trop_data seen = trop_solution_data(&path->data.data, wanted->model);
    struct trop_margin_options o =
        trop_solution_options(&seen, wanted->model, wanted->mask, wanted->row, wanted->threads);
    const int other = wanted->p != 2;

    trop_path_solution_free(out);
    o.select = select;
    enum trop_status status = trop_solution_make(&out->l2, &o, alpha, 1, NULL, NULL);
    o.norm = other ? TROP_MARGIN_LP : TROP_MARGIN_L2;
    o.p = path->options.p;
    if (status == TROP_OK && out->l2 && other) {
        status = trop_solution_make(&out->lp, &o, alpha, 1, NULL, NULL);
    } else {
        out->lp = out->l2;
    }
    if (status == TROP_OK && path->options.model == TROP_TRAIN_JOINT) {
        /* The decoder's problem, and the one that it relaxes. */
        const int64_t model = o.model;
        o.model = TROP_MODEL_LABEL;
        status = trop_solution_make(&out->label, &o, alpha, 1, NULL, NULL);
        if (status == TROP_OK && out->label) {
            o.model = model;
            o.relaxed = "auto";
            status = trop_solution_make(&out->relaxed, &o, alpha, 1, NULL, NULL);
        }
    }
    if (status != TROP_OK) {
        trop_path_solution_free(out);
    }
    return status;
}

/* ---- as a start ------------------------------------------------------------------------------ */

/* x of w at unit norm. */
static void variable_of(double *x, const double *w, int64_t size,
                        const struct trop_path_powers *powers)
{
    const double norm = trop_power_norm(w, size, &powers->p);

    for (int64_t e = 0; e < size; e++) {
        x[e] = trop_power_signed(w[e] / norm, &powers->e);
    }
}

int trop_path_solution_start(double *x, const struct trop_path_solution *solution,
                             const struct trop_path *path)
{
    const int joint = path->options.model == TROP_TRAIN_JOINT;
    const int64_t d = joint ? path->data.data.d : 0, size = path->total - d;

    if (!solution->lp || (joint && !solution->label)) {
        return 0;
    }
    variable_of(x, trop_margin_weights(solution->lp), size, &path->powers);
    if (joint) {
        variable_of(x + size, trop_margin_weights(solution->label), d, &path->powers);
    }
    return 1;
}

/* ---- comparing ------------------------------------------------------------------------------- */

static double bregman(const double *solution, const double *w, int64_t n,
                      const struct trop_path_powers *powers)
{
    return trop_compare_bregman(solution, w, n, &powers->p, &powers->less);
}

/* Solves when the selection is a new one. */
static enum trop_status update(struct trop_path *path, const int64_t *alpha)
{
    const size_t bytes = (size_t)path->asks * sizeof *alpha;

    if (memcmp(path->own.alpha, alpha, bytes) == 0) {
        return TROP_OK;
    }
    path->own.alpha[0] = -2;
    enum trop_status status = trop_path_solution_make(&path->own, path, NULL, alpha);
    if (status == TROP_OK) {
        memcpy(path->own.alpha, alpha, bytes);
    }
    return status;
}

enum trop_status trop_path_compare(struct trop_path *path, struct trop_path_row *row,
                                   const int64_t *alpha)
{
    const int joint = path->options.model == TROP_TRAIN_JOINT;
    const double *w = path->worker->weights.memory;
    const int64_t size = path->total - (joint ? path->data.data.d : 0);

    if (path->options.local && row->norm > 0) {
        row->cone = bregman(trop_margin_weights(path->optimal.lp), w, size, &path->powers);
    }
    if (row->undecided > 0 || !(row->norm > 0)) {
        return TROP_OK;
    }
    enum trop_status status = update(path, alpha);
    if (status != TROP_OK || !path->own.l2) {
        return status;
    }
    row->correlation = trop_compare_cosine(w, trop_margin_weights(path->own.l2), size);
    if (path->own.lp) {
        row->bregman = bregman(trop_margin_weights(path->own.lp), w, size, &path->powers);
    }
    if (joint) {
        const struct trop_path_solution *own = &path->own;
        const double *v = w + size;
        const int64_t d = path->data.data.d;
        if (own->label && trop_linalg_norm(v, d) > 0) {
            const double *solution = trop_margin_weights(own->label);
            row->decoder_correlation = trop_compare_cosine(v, solution, d);
            row->decoder_bregman = bregman(solution, v, d, &path->powers);
        }
        if (own->relaxed && trop_linalg_norm(trop_margin_weights(own->relaxed), size) > 0) {
            const double *solution = trop_margin_weights(own->relaxed);
            row->relaxed_correlation = trop_compare_cosine(w, solution, size);
            row->relaxed_bregman = bregman(solution, w, size, &path->powers);
        }
    }
    return TROP_OK;
}
