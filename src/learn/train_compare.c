/* train_compare.c -- weights against the max-margin solutions of what they select.
 *
 *   correlation  <W, W_mm> / (|W| |W_mm|) with the l2 solution, as 1 - |a - b|^2 / 2 of unit
 *                vectors
 *   bregman      D(W_mm, W) at unit norms = 1 - sum sgn(w) |w|^(p-1) w_mm, w and w_mm of lp norm 1,
 *                the solution first (claim md-rem-bregman)
 *   near, far    for K Q': bounds of the distance of W / |W|_* to the solutions of the nuclear
 *                problem, of norm 1. These have margins >= 1/C, C the optimal norm, so that a
 *                margin m < 1/C puts W at least (1/C - m) / max |A_j| away; the solution that was
 *                found bounds it above
 *
 * Problems are solved anew only when the selection changes. Nothing is compared while an input is
 * undecided. Next-token data have one problem, that of their graph.
 */
#include "learn/train.h"

#include "base/alloc.h"
#include "base/math/exp.h"
#include "base/linalg.h"
#include "base/status.h"
#include "margin/compare.h"
#include "learn/solution.h"
#include "margin/model/selection.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void trop_train_compare_free(struct trop_train *train)
{
    trop_margin_free(train->solutions.l2);
    trop_margin_free(train->solutions.lp);
    trop_margin_free(train->solutions.nuclear);
    trop_alloc_free(train->solutions.alpha);
    train->solutions = (struct trop_train_solutions){ 0 };
}

/* ---- solving ----------------------------------------------------------------------------- */

static int is_graph(const struct trop_train *train)
{
    return train->data.data.x == NULL;
}

static struct trop_margin_options margin_options(const struct trop_train *train)
{
    const struct trop_train_options *o = &train->options;

    return trop_solution_options(&train->seen, o->model, o->mask, o->row, o->threads);
}

/* What a run may be stopped by stops a solver too. */
static int ask(void *context, int64_t done, int64_t total)
{
    struct trop_train *train = context;

    (void)done;
    (void)total;
    train->cut = train->progress(train->context, train->k, train->options.steps) != 0;
    return train->cut != 0;
}

/* What was stopped is compared when the run goes on. */
static enum trop_status ask_again(const struct trop_train *train, enum trop_status status)
{
    return status == TROP_OK && train->cut
               ? trop_fail(TROP_ERR_STOPPED, "stopped while step %lld was compared",
                           (long long)train->k)
               : status;
}

/* 1 when the optimiser has an exponent of its own. */
static int has_exponent(const struct trop_train *train)
{
    const double p = train->options.p;

    return train->optimizer->norm->exponent == TROP_NORM_P && p > 1 && p <= 1000 && p != 2;
}

static enum trop_status solve_all(struct trop_train *train)
{
    struct trop_train_solutions *solutions = &train->solutions;
    struct trop_margin_options o = margin_options(train);
    trop_progress *const asked = train->progress ? ask : NULL;
    const int64_t *alpha = is_graph(train) ? NULL : train->alpha;
    const int tied = train->options.head != TROP_HEAD_QUADRATIC; /* scores are those of v'o */
    enum trop_status status = trop_solution_make(&solutions->l2, &o, alpha, tied, asked, train);
    if (status == TROP_OK && solutions->l2 && has_exponent(train)) {
        o.norm = trop_norm_id(train->optimizer->norm);
        o.p = train->options.p;
        status = trop_solution_make(&solutions->lp, &o, alpha, tied, asked, train);
    }
    if (status == TROP_OK && solutions->l2 && train->options.model == TROP_TRAIN_KQ) {
        o.norm = TROP_MARGIN_NUCLEAR;
        status = trop_solution_make(&solutions->nuclear, &o, alpha, tied, asked, train);
    }
    return status;
}

/* Solves when the selection is a new one. */
static enum trop_status update(struct trop_train *train)
{
    const size_t bytes = (size_t)trop_attention_asks(train->attention) * sizeof *train->alpha;
    int64_t *known = train->solutions.alpha;

    /* With a decoder that is trained, scores move under the same selection. */
    const int same = is_graph(train) ? known[0] != -2 : memcmp(known, train->alpha, bytes) == 0;
    if (same && train->options.model != TROP_TRAIN_JOINT) {
        return TROP_OK;
    }
    memcpy(known, train->alpha, bytes);
    enum trop_status status = ask_again(train, solve_all(train));
    if (status != TROP_OK) {
        known[0] = -2; /* to be tried again */
    }
    return status;
}

enum trop_status trop_train_compare_again(struct trop_train *train)
{
    /* Those that nobody can read are solved when they are asked for. */
    train->solutions.alpha[0] = -2;
    if (train->options.model == TROP_TRAIN_JOINT) {
        train->seen.v = train->shown + train->total - train->data.data.d;
    }
    train->share = NAN;
    if (!train->last || isnan(train->last->correlation)) {
        return TROP_OK;
    }
    enum trop_status status = update(train);
    if (status == TROP_OK && train->last->step == train->k && train->k == train->options.steps &&
        !train->passing) {
        trop_train_matrix(train);
        status = trop_train_compare_share(train, train->last);
    }
    return status;
}

/* ---- comparing --------------------------------------------------------------------------- */

/* The divergence with the exponent p of the run, or 2 for optimisers that have none. */
static double bregman(const struct trop_train *train, const double *solution)
{
    const struct trop_power two = { 2, 1, 2 }, one = { 1, 1, 1 };
    const int own = train->optimizer->norm->exponent == TROP_NORM_P && isfinite(train->options.p) &&
                    train->options.p > 1;

    return trop_compare_bregman(solution, train->w, train->rows * train->columns,
                                own ? &train->settings.powers[3] : &two,
                                own ? &train->settings.powers[0] : &one);
}

static void compare_nuclear(struct trop_train_record *record, const struct trop_train *train)
{
    const struct trop_margin *nuclear = train->solutions.nuclear;
    const struct trop_problem *problem = trop_margin_problem(nuclear);
    const double *solution = trop_margin_weights(nuclear);
    const double margin = record->margins[TROP_MARGIN_NUCLEAR];
    struct trop_value norm = { 0 };
    double longest = 0, sum = 0;

    trop_margin_value(&norm, nuclear, "norm");
    const double size = trop_attention_margin(train->attention) / margin; /* |W|_* */
    for (int64_t k = 0; k < train->rows * train->columns; k++) {
        const double off = train->w[k] / size - solution[k] / norm.number;
        sum += off * off;
    }
    for (int64_t j = 0; j < problem->count; j++) {
        const int64_t d = problem->rows;
        double left = 0;
        for (int64_t a = 0; a < d; a++) {
            const double off = problem->point[problem->plus[j] * d + a] -
                               problem->point[problem->minus[j] * d + a];
            left += off * off;
        }
        const double *z = problem->query + problem->asked[j] * problem->columns;
        longest = fmax(longest, sqrt(left) * trop_linalg_norm(z, problem->columns));
    }
    record->near = fmax(0, (1 / norm.number - margin) / longest);
    record->far = sqrt(sum);
}

enum trop_status trop_train_compare(struct trop_train *train, struct trop_train_record *record)
{
    const int64_t n = train->rows * train->columns;

    if ((record->undecided > 0 && !is_graph(train)) || !(trop_linalg_norm(train->w, n) > 0)) {
        return TROP_OK;
    }
    enum trop_status status = update(train);
    if (status != TROP_OK || !train->solutions.l2) {
        return status;
    }
    struct trop_value local = { 0 };
    const struct trop_margin *own = train->solutions.lp ? train->solutions.lp : train->solutions.l2;
    record->correlation =
        trop_compare_cosine(train->w, trop_margin_weights(train->solutions.l2), n);
    if (train->solutions.lp || !has_exponent(train)) {
        record->bregman = bregman(train, trop_margin_weights(own));
    }
    status = trop_margin_value(&local, own, "locally_optimal");
    record->local = local.kind == TROP_KIND_BOOLEAN ? local.integer
                    : local.kind == TROP_KIND_TEXT  ? TROP_SELECTION_AMBIGUOUS
                                                    : TROP_SELECTION_UNDECIDABLE;
    if (train->solutions.nuclear && isfinite(record->margins[TROP_MARGIN_NUCLEAR])) {
        compare_nuclear(record, train);
    }
    return status;
}

const struct trop_margin *trop_train_compare_solution(const struct trop_norm **norm,
                                                      const struct trop_train *train)
{
    const struct trop_train_solutions *solutions = &train->solutions;

    /* Without a correlation the solutions are those of an earlier selection. */
    if (train->count == 0 || isnan(train->records[train->count - 1].correlation)) {
        return NULL;
    }
    *norm = solutions->nuclear ? &trop_norm_nuclear
            : solutions->lp    ? train->optimizer->norm
                               : &trop_norm_l2;
    return solutions->nuclear ? solutions->nuclear : solutions->lp ? solutions->lp : solutions->l2;
}

/* ---- several selected tokens ------------------------------------------------------------- */

/* Weights above 1e-3 are selected and those below 1e-6 masked (P2, figure 8); the rest is
 * undecided. */
static int64_t split(double *weights, struct trop_train *train)
{
    const int64_t asks = trop_attention_asks(train->attention), T = train->data.data.T;
    int64_t several = 0, masked = 0;

    train->several.undecided = 0;
    for (int64_t q = 0; q < asks; q++) {
        const double *log_s = trop_attention_log_weights(train->attention, q);
        int64_t selected = 0;
        for (int64_t t = 0; t < T; t++) {
            const int chosen = log_s[t] > -6.907755278982137;
            weights[q * T + t] = chosen ? trop_exp(log_s[t]) : 0;
            train->several.undecided += !chosen && log_s[t] > -13.815510557964274;
            selected += chosen;
            masked += !chosen;
        }
        several += selected > 1;
    }
    return masked > 0 ? several : 0; /* where nothing is masked W_fin is all there is */
}

enum trop_status trop_train_compare_several(struct trop_train *train)
{
    const int64_t asks = trop_attention_asks(train->attention), T = train->data.data.T;
    const int64_t n = train->rows * train->columns;
    struct trop_margin *margin = NULL;
    struct trop_value finite = { 0 };
    double *weights = trop_alloc(asks * T + n, sizeof *weights);

    if (!weights) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for the selected tokens");
    }
    train->several = (struct trop_train_several){ 0 };
    if (is_graph(train) || train->options.model == TROP_TRAIN_SEQUENCE ||
        split(weights, train) == 0) {
        trop_alloc_free(weights);
        return TROP_OK;
    }
    train->several.asked = 1;
    train->several.direction = NAN;
    train->several.both = NAN;
    train->several.radius = NAN;
    struct trop_margin_options o = margin_options(train);
    o.weights = weights;
    enum trop_status status =
        trop_solution_make(&margin, &o, NULL, 0, train->progress ? ask : NULL, train);
    if (status == TROP_OK && margin) {
        trop_margin_value(&finite, margin, "finite.W");
    }
    if (finite.kind == TROP_KIND_NUMBERS) {
        /* R that brings W_fin + R W_mm nearest to W, and the two correlations. */
        const double scale = train->log_scale == 0 ? 1 : trop_exp(train->log_scale);
        const double *mm = trop_margin_weights(margin);
        double *both = weights + asks * T, up = 0, down = 0;
        for (int64_t k = 0; k < n; k++) {
            up += (scale * train->w[k] - finite.numbers[k]) * mm[k];
            down += mm[k] * mm[k];
        }
        train->several.radius = down > 0 ? up / down : 0;
        for (int64_t k = 0; k < n; k++) {
            both[k] = finite.numbers[k] + train->several.radius * mm[k];
        }
        train->several.direction = trop_compare_cosine(train->w, mm, n);
        train->several.both = trop_compare_cosine(train->w, both, n);
    }
    trop_margin_free(margin);
    trop_alloc_free(weights);
    return ask_again(train, status);
}

/* ---- the norm of the optimiser ----------------------------------------------------------- */

/* Constraints times entries of W: linf takes 0.3 s on attsvm --n 20 --T 10 --d 20 (72,000) and 2 s
 * on --n 40 --T 20 --d 30 (684,000). */
#define AFFORDABLE 200000

const struct trop_norm *trop_train_compare_norm(const struct trop_train *train)
{
    return train->options.model == TROP_TRAIN_KQ ? &trop_norm_nuclear : train->optimizer->norm;
}

/* Solves in that norm; p = 1 and infinity are the limits of lp. */
static enum trop_status solve_own(struct trop_margin **out, struct trop_train *train)
{
    const struct trop_norm *norm = trop_train_compare_norm(train);
    const double p = trop_norm_exponent(norm, train->options.p);
    struct trop_margin_options o = margin_options(train);

    o.norm = norm->singular ? trop_norm_id(norm)
             : p == 1       ? TROP_MARGIN_L1
             : isinf(p)     ? TROP_MARGIN_LINF
                            : TROP_MARGIN_LP;
    o.p = o.norm == TROP_MARGIN_LP ? p : o.p;
    return trop_solution_make(out, &o, is_graph(train) ? NULL : train->alpha,
                              train->options.head != TROP_HEAD_QUADRATIC,
                              train->progress ? ask : NULL, train);
}

/* share = min_j <A_j, W> |W_mm| / |W| over the constraints for what is selected. */
enum trop_status trop_train_compare_share(struct trop_train *train,
                                          const struct trop_train_record *record)
{
    const struct trop_norm *norm = trop_train_compare_norm(train);
    const struct trop_train_solutions *solutions = &train->solutions;
    const struct trop_margin *solution = train->options.model == TROP_TRAIN_KQ ? solutions->nuclear
                                         : has_exponent(train)                 ? solutions->lp
                                         : trop_norm_exponent(norm, train->options.p) == 2
                                             ? solutions->l2
                                             : NULL;
    struct trop_margin *own = NULL;
    struct trop_value best = { 0 };
    double norms[TROP_NORM_COUNT];

    train->share = NAN;
    if (isnan(record->correlation) || !solutions->l2) {
        return TROP_OK;
    }
    const struct trop_problem *problem = trop_margin_problem(solutions->l2);
    enum trop_status status = trop_train_measure(norms, train);
    if (status == TROP_OK && !solution &&
        problem->count <= AFFORDABLE / (train->rows * train->columns)) {
        status = solve_own(&own, train);
        solution = own;
    }
    if (status == TROP_OK && solution) {
        status = trop_margin_value(&best, solution, "norm");
    }
    if (status == TROP_OK && solution && best.number > 0) {
        status = trop_compare_share(&train->share, problem, train->w,
                                    norms[trop_norm_id(norm)] / best.number, 1);
    }
    trop_margin_free(own);
    return ask_again(train, status);
}
