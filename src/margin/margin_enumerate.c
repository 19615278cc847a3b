/* margin_enumerate.c -- every selection of tokens: which have a solution, and which of those are
 * locally optimal.
 *
 * Local optimality depends on the norm, since the support does. Assumption D of P2 comes with it:
 * every other selection with a solution has an input where it is not optimal and the optimal token
 * is support.
 */
#include "margin/margin.h"

#include "base/alloc.h"
#include "base/sort.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

/* Selections that are listed, with room that grows. */
struct list {
    struct trop_margin_trial *trials;
    int64_t *alpha; /* (capacity, inputs) */
    int64_t count, capacity;
};

static void list_free(struct list *list)
{
    TROP_FREE(list->trials, list->alpha);
    *list = (struct list){ 0 };
}

static enum trop_status list_add(struct list *list, const struct trop_margin_trial *trial,
                                 const int64_t *alpha, int64_t inputs)
{
    if (list->count == list->capacity) {
        struct list more = { .count = list->count, .capacity = 2 * list->capacity + 16 };
        if (!TROP_ALLOC(TROP_PART(more.trials, more.capacity),
                        TROP_PART(more.alpha, trop_alloc_product(more.capacity, inputs)))) {
            list_free(&more);
            return trop_fail(TROP_ERR_MEMORY, "no memory for %lld selections",
                             (long long)list->count);
        }
        if (list->count > 0) {
            memcpy(more.trials, list->trials, (size_t)list->count * sizeof *more.trials);
            memcpy(more.alpha, list->alpha, (size_t)(list->count * inputs) * sizeof *more.alpha);
        }
        list_free(list);
        *list = more;
    }
    list->trials[list->count] = *trial;
    memcpy(list->alpha + list->count * inputs, alpha, (size_t)inputs * sizeof *alpha);
    list->count++;
    return TROP_OK;
}

/* ---- one selection -------------------------------------------------------------------------- */

struct tally {
    struct list list;
    int64_t tried, feasible;
    int64_t blocked; /* assumption D so far */
};

static enum trop_status judge(struct tally *tally, const struct trop_margin *margin,
                              const struct trop_margin_solved *solved,
                              const struct trop_margin_settings *settings, const int64_t *alpha)
{
    const struct trop_problem *problem = &solved->made.problem;
    struct trop_margin_trial trial = { .outcome = solved->outcome, .norm = solved->proof.upper };
    struct trop_margin_support support = { 0 };
    struct trop_selection_local local;
    enum trop_status status = trop_margin_support_open(&support, solved, settings);

    if (status != TROP_OK) {
        return status;
    }
    trop_selection_local(&local, problem, support.kind, alpha, margin->scores, margin->data.data.T,
                         0);
    trial.local = local.answer;
    trial.gap = local.gap;
    if (memcmp(alpha, margin->alpha, (size_t)margin->inputs * sizeof *alpha) != 0) {
        const int64_t answer = trop_selection_blocked(problem, support.kind, alpha, margin->alpha);
        tally->blocked = trop_selection_both(tally->blocked, answer);
    }
    if (local.answer != TROP_SELECTION_NO) {
        status = list_add(&tally->list, &trial, alpha, margin->inputs);
    }
    trop_margin_support_close(&support);
    return status;
}

static enum trop_status try_selection(struct tally *tally, const struct trop_margin *margin,
                                      const struct trop_margin_settings *settings,
                                      const int64_t *alpha)
{
    struct trop_margin_solved solved = { 0 };
    struct trop_model_problem made = { 0 };
    enum trop_status status = trop_margin_problem_of(&made, margin, alpha);

    if (status == TROP_OK) {
        status = trop_margin_solve_open(&solved, &made);
    }
    if (status == TROP_OK) {
        status = trop_margin_solve(&solved, settings);
    }
    tally->tried++;
    if (status == TROP_OK && isfinite(solved.proof.upper)) {
        tally->feasible++;
        status = judge(tally, margin, &solved, settings, alpha);
    } else if (status == TROP_OK && solved.outcome != TROP_OUTCOME_INFEASIBLE) {
        tally->blocked = trop_selection_both(tally->blocked, TROP_SELECTION_AMBIGUOUS);
    }
    trop_margin_solve_close(&solved);
    return status;
}

/* ---- all of them ---------------------------------------------------------------------------- */

static int goes_before(const void *context, int64_t a, int64_t b)
{
    const struct trop_margin_trial *trials = context;

    return trials[a].norm < trials[b].norm || (trials[a].norm == trials[b].norm && a < b);
}

/* Moves the list to the view, sorted by norm. */
static enum trop_status hand_over(struct trop_margin *margin, struct tally *tally)
{
    struct trop_margin_view *view = &margin->view;
    const int64_t count = tally->list.count, inputs = margin->inputs;
    int64_t *order = trop_alloc(count, sizeof *order);

    if (!TROP_ALLOC(TROP_PART(view->trials, count),
                    TROP_PART(view->trial_alpha, trop_alloc_product(count, inputs))) ||
        !order) {
        trop_alloc_free(order);
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld selections", (long long)count);
    }
    for (int64_t k = 0; k < count; k++) {
        order[k] = k;
    }
    trop_sort(order, count, goes_before, tally->list.trials);
    for (int64_t k = 0; k < count; k++) {
        view->trials[k] = tally->list.trials[order[k]];
        memcpy(view->trial_alpha + k * inputs, tally->list.alpha + order[k] * inputs,
               (size_t)inputs * sizeof *view->trial_alpha);
    }
    trop_alloc_free(order);
    view->listed = count;
    if (trop_margin_look_optimal(margin)) { /* the assumption is about the optimal tokens */
        view->others_blocked = tally->blocked;
    }
    margin->combinations = tally->tried;
    margin->feasible = tally->feasible;
    return TROP_OK;
}

enum trop_status trop_margin_enumerate(struct trop_margin *margin,
                                       const struct trop_margin_settings *settings)
{
    const struct trop_selection_view view = trop_selection_view_of(
        &margin->data.data, margin->model, margin->options.mask, margin->options.row);
    const int64_t total = trop_selection_count(&view, TROP_MARGIN_COMBINATIONS);
    struct tally tally = { .blocked = TROP_SELECTION_YES };
    int64_t *alpha = trop_alloc(margin->inputs, sizeof *alpha);
    enum trop_status status =
        alpha ? TROP_OK : trop_fail(TROP_ERR_MEMORY, "no memory for a selection");
    int more = status == TROP_OK;

    while (more && status == TROP_OK) {
        if (settings->progress && settings->progress(settings->context, tally.tried, total)) {
            margin->view.stopped = 1;
            tally.blocked = trop_selection_both(tally.blocked, TROP_SELECTION_AMBIGUOUS);
            break;
        }
        status = try_selection(&tally, margin, settings, alpha);
        more = trop_selection_next(alpha, &view);
    }
    if (status == TROP_OK) {
        status = hand_over(margin, &tally);
    }
    trop_alloc_free(alpha);
    list_free(&tally.list);
    return status;
}
