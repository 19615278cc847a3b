/* margin.c -- max-margin problems of training data: solving them, and what they tell.
 *
 * With several tokens that may win in an input the feasible set is a union of polyhedra (ATT-SVM',
 * P1 appendix D): every combination of tokens is solved, and the smallest norm is the answer. Its
 * lower bound is the least of all of them, and it is infeasible when each one is proved to be.
 */
#include "margin/margin.h"

#include "base/alloc.h"
#include "base/field.h"
#include "base/option.h"
#include "base/status.h"
#include "margin/norm.h"

#include <math.h>
#include <string.h>

/* ---- making --------------------------------------------------------------------------------- */

void trop_margin_free(struct trop_margin *margin)
{
    if (!margin) {
        return;
    }
    trop_margin_solve_close(&margin->solved);
    trop_margin_solve_close(&margin->finite);
    trop_picks_free(&margin->picks);
    trop_data_free(&margin->data);
    TROP_FREE(margin->allowed, margin->alpha, margin->relaxed, margin->weights, margin->scores,
              margin->direction);
    trop_margin_look_close(&margin->view);
    trop_alloc_free(margin);
}

enum trop_status trop_margin_create_for(struct trop_margin **out,
                                        const struct trop_margin_options *options,
                                        const int64_t *alpha, int tied)
{
    enum trop_status status = trop_margin_options_check(options);

    if (status != TROP_OK) {
        return status;
    }
    struct trop_margin *margin = trop_alloc(1, sizeof *margin);
    if (!margin) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a max-margin problem");
    }
    margin->options = *options;
    margin->given = alpha;
    margin->tied = tied;
    status = trop_margin_make(margin);
    margin->given = NULL;
    /* The caller's pointers are not kept. */
    margin->options.data = NULL;
    margin->options.problem = NULL;
    margin->options.select = margin->options.relaxed = NULL;
    margin->options.weights = margin->options.direction = NULL;
    if (status != TROP_OK) {
        trop_margin_free(margin);
        return status;
    }
    *out = margin;
    return TROP_OK;
}

enum trop_status trop_margin_create(struct trop_margin **out,
                                    const struct trop_margin_options *options)
{
    return trop_margin_create_for(out, options, NULL, 0);
}

enum trop_status trop_margin_create_from(struct trop_margin **out, const struct trop_data *data,
                                         const char *const *pairs)
{
    struct trop_margin_options options = trop_margin_options_default();
    enum trop_status status = trop_option_pairs(&options, trop_margin_option_table(), pairs);

    options.data = data;
    return status == TROP_OK ? trop_margin_create(out, &options) : status;
}

/* ---- solving --------------------------------------------------------------------------------- */

/* What is known of all combinations so far. */
struct tally {
    double lower;     /* least lower bound of those that are not infeasible */
    double tolerance; /* of the one that has it */
    int limit;        /* some were stopped, or never started */
};

static void count_in(struct tally *tally, struct trop_margin *margin,
                     const struct trop_margin_solved *one)
{
    margin->feasible += isfinite(one->proof.upper);
    tally->limit |= one->outcome == TROP_OUTCOME_ITERATION_LIMIT;
    if (one->outcome != TROP_OUTCOME_INFEASIBLE) {
        tally->tolerance = one->proof.lower < tally->lower ? one->tolerance : tally->tolerance;
        tally->lower = fmin(tally->lower, one->proof.lower);
    }
}

static enum trop_status solve_combination(struct trop_margin *margin, struct tally *tally,
                                          const struct trop_margin_settings *settings, int64_t c,
                                          int64_t *alpha)
{
    struct trop_margin_solved one = { 0 };
    struct trop_model_problem made = { 0 };

    trop_picks_combination(alpha, &margin->picks, c);
    enum trop_status status = trop_margin_problem_of(&made, margin, alpha);
    if (status == TROP_OK) {
        status = trop_margin_solve_open(&one, &made);
    }
    if (status == TROP_OK) {
        status = trop_margin_solve(&one, settings);
    }
    if (status == TROP_OK) {
        count_in(tally, margin, &one);
        one.iterations += margin->solved.iterations;
        /* Better: a smaller norm, or the first that is not infeasible. */
        if (one.proof.upper < margin->solved.proof.upper ||
            (margin->solved.outcome == TROP_OUTCOME_INFEASIBLE &&
             one.outcome != TROP_OUTCOME_INFEASIBLE)) {
            struct trop_margin_solved swap = margin->solved;
            margin->solved = one;
            one = swap;
            memcpy(margin->alpha, alpha, (size_t)margin->inputs * sizeof *alpha);
            margin->chosen = c;
        } else {
            margin->solved.iterations = one.iterations;
        }
    }
    trop_margin_solve_close(&one);
    return status;
}

/* The bounds of the union, and its outcome. A combination that is still open may have a smaller
 * norm, unless its lower bound says otherwise. */
static void settle(struct trop_margin *margin, const struct tally *tally)
{
    struct trop_margin_solved *best = &margin->solved;

    if (isinf(tally->lower)) {
        return; /* each one is infeasible */
    }
    if (best->outcome == TROP_OUTCOME_INFEASIBLE) { /* the others were never started */
        memset(best->lambda, 0, (size_t)best->made.problem.count * sizeof *best->lambda);
        best->farkas = (struct trop_margin_farkas){ 0 };
    }
    const double own = best->proof.lower;
    best->proof.lower = tally->lower;
    best->proof.gap = trop_margin_solve_gap(best->proof.lower, best->proof.upper);
    /* The gap is between the upper bound of the best and the least lower bound, which is another's
     * where two are as good as each other: then it is known as well as that one is. */
    if (best->proof.lower < own) {
        best->tolerance = fmax(best->tolerance, tally->tolerance);
    }
    best->outcome = best->proof.gap <= best->tolerance ? TROP_OUTCOME_SOLVED
                    : tally->limit                     ? TROP_OUTCOME_ITERATION_LIMIT
                                                       : TROP_OUTCOME_STALLED;
}

static enum trop_status solve_others(struct trop_margin *margin,
                                     const struct trop_margin_settings *settings)
{
    struct tally tally = { .lower = INFINITY };
    const int64_t begun = margin->chosen;
    int64_t *alpha = trop_alloc(margin->inputs, sizeof *alpha);
    enum trop_status status =
        alpha ? TROP_OK : trop_fail(TROP_ERR_MEMORY, "no memory for a selection");

    count_in(&tally, margin, &margin->solved);
    for (int64_t c = 0; c < margin->combinations && status == TROP_OK; c++) {
        if (c == begun) {
            continue;
        }
        if (settings->progress && settings->progress(settings->context, c, margin->combinations)) {
            tally.limit = 1;
            tally.lower = 0; /* nothing is known of the combinations that are left */
            break;
        }
        status = solve_combination(margin, &tally, settings, c, alpha);
    }
    trop_alloc_free(alpha);
    settle(margin, &tally);
    return status;
}

/* The status of an answer: TROP_ERR_STOPPED, with the reason, when a solver ended early. */
static enum trop_status tell(const struct trop_margin *margin)
{
    const struct trop_margin_solved *solved = &margin->solved;

    if (margin->view.stopped) {
        return trop_fail(TROP_ERR_STOPPED, "stopped after %lld selections",
                         (long long)margin->combinations);
    }
    if (solved->outcome != TROP_OUTCOME_STALLED &&
        solved->outcome != TROP_OUTCOME_ITERATION_LIMIT) {
        return TROP_OK;
    }
    const char *how = solved->outcome == TROP_OUTCOME_STALLED ? "the solver stalled"
                      : solved->large ? trop_norm_of(margin->options.norm)->most
                                      : "the solver was stopped";
    if (!isfinite(solved->proof.upper)) {
        return trop_fail(TROP_ERR_STOPPED, "with a norm of at least %.6g, no more is proved, %s",
                         solved->proof.lower, how);
    }
    return trop_fail(TROP_ERR_STOPPED, "at a gap of %.2g (requested: %.2g) %s", solved->proof.gap,
                     solved->tolerance, how);
}

enum trop_status trop_margin_run(struct trop_margin *margin, trop_progress *progress, void *context)
{
    const struct trop_margin_settings settings = trop_margin_settings_of(margin, progress, context);
    enum trop_status status = TROP_OK;

    if (margin->solved.outcome != TROP_OUTCOME_NONE) {
        return tell(margin);
    }
    margin->feasible = 0;
    status = trop_margin_solve(&margin->solved, &settings);
    if (status == TROP_OK) {
        status = solve_others(margin, &settings);
    }
    if (status == TROP_OK && margin->finite.w) { /* of least Frobenius norm, whatever that of W */
        struct trop_margin_settings l2 = settings;
        l2.norm = TROP_MARGIN_L2;
        l2.tolerance = 0;
        status = trop_margin_solve(&margin->finite, &l2);
    }
    if (status == TROP_OK) {
        status = trop_margin_look(margin, &settings);
    }
    if (status != TROP_OK) {
        margin->solved.outcome = TROP_OUTCOME_NONE; /* discard a partial answer */
        return status;
    }
    return tell(margin);
}

/* ---- what it tells --------------------------------------------------------------------------- */

const struct trop_problem *trop_margin_problem(const struct trop_margin *margin)
{
    return &margin->solved.made.problem;
}

const double *trop_margin_weights(const struct trop_margin *margin)
{
    return margin->solved.w;
}

enum trop_status trop_margin_value(struct trop_value *out, const struct trop_margin *margin,
                                   const char *name)
{
    return trop_field_value(out, trop_margin_field_table(), margin, name);
}

enum trop_status trop_margin_number(double *out, const struct trop_margin *margin, const char *name)
{
    return trop_field_as_number(out, trop_margin_field_table(), margin, name);
}
