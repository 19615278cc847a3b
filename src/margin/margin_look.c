/* margin_look.c -- what a solution tells beyond its norm: support, local optimality, the cone in
 * which gradient descent stays, the assumptions of the papers, its rank. This takes a sixth of the
 * time of a small problem in l2, and waits until one of these fields is read. */
#include "margin/margin.h"

#include "base/alloc.h"
#include "base/lapack.h"
#include "base/linalg.h"
#include "base/status.h"
#include "margin/norm.h"
#include "margin/rank.h"

#include <math.h>

int trop_margin_look_rivals(const struct trop_margin *margin)
{
    return margin->model == TROP_MODEL_PROMPT || margin->model == TROP_MODEL_CROSS ||
           margin->model == TROP_MODEL_SELF || margin->model == TROP_MODEL_SEQUENCE;
}

static struct trop_selection_view view_of(const struct trop_margin *margin)
{
    return trop_selection_view_of(&margin->data.data, margin->model, margin->options.mask,
                                  margin->options.row);
}

/* ---- support --------------------------------------------------------------------------------- */

static enum trop_status keep_support(struct trop_margin *margin,
                                     const struct trop_margin_support *support)
{
    const struct trop_problem *problem = &margin->solved.made.problem;
    struct trop_margin_view *view = &margin->view;

    view->support = trop_alloc(2 * support->counts.support, sizeof *view->support);
    if (!view->support) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for the support");
    }
    for (int64_t j = 0; j < problem->count; j++) {
        if (support->kind[j] == TROP_SELECTION_SUPPORT) {
            view->support[2 * view->supports] = problem->input[j];
            view->support[2 * view->supports + 1] = problem->token[j];
            view->supports++;
        }
    }
    view->doubtful = support->counts.either;
    view->mean_margin = support->counts.average;
    return TROP_OK;
}

/* ---- selection ------------------------------------------------------------------------------- */

/* Local optimality and assumption B.1 are defined where every right side is 1. */
static void look_at_rivals(struct trop_margin *margin, const struct trop_margin_support *support)
{
    const struct trop_problem *problem = &margin->solved.made.problem;
    struct trop_margin_view *view = &margin->view;
    struct trop_selection_local local;

    for (int64_t j = 0; j < problem->count; j++) {
        if (!problem->equal[j] && problem->right[j] == 0) {
            return;
        }
    }
    trop_selection_local(&local, problem, support->kind, margin->alpha, margin->scores,
                         margin->data.data.T, 0);
    view->local = local.answer;
    view->score_gap = local.gap;
    view->score_pair[0] = local.input;
    view->score_pair[1] = local.token;
    view->all_support = trop_selection_all_support(&support->counts);
}

static void look_at_scores(struct trop_margin *margin)
{
    const struct trop_selection_view tokens = view_of(margin);
    struct trop_selection_level level;
    struct trop_selection_mixing mixing;
    struct trop_selection_shrinkage shrinkage;

    trop_selection_level(&level, &tokens, margin->scores, 0);
    margin->view.equal_scores = level.answer;
    trop_selection_mixing(&mixing, &tokens, margin->scores, 0);
    margin->view.mixing_hurts = mixing.answer;
    if (margin->model != TROP_MODEL_SEQUENCE) { /* one token of each input meets the decoder */
        trop_selection_shrinkage(&shrinkage, &margin->data.data, margin->alpha, 2);
        margin->view.margin_shrinks = shrinkage.answer;
        margin->view.shrinkage = shrinkage.nu;
    }
}

/* The cone is a statement on gradient descent, that is on l2. */
static void look_at_cone(struct trop_margin *margin, const struct trop_margin_support *support)
{
    const struct trop_selection_view tokens = view_of(margin);
    struct trop_margin_view *view = &margin->view;
    struct trop_selection_cone cone;

    if (trop_norm_of(margin->options.norm)->exponent != 2 || view->local != TROP_SELECTION_YES) {
        return;
    }
    trop_selection_cone(&cone, &tokens, &margin->solved.made.problem, support->kind,
                        support->margins, margin->alpha, margin->scores,
                        margin->solved.proof.upper);
    view->theta = cone.theta;
    view->delta = cone.delta;
    view->mu = cone.mu;
    view->radius = cone.R;
}

int trop_margin_look_optimal(const struct trop_margin *margin)
{
    const int64_t T = margin->data.data.T;

    for (int64_t i = 0; i < margin->inputs; i++) {
        const double *score = margin->scores + i * T;
        const int64_t seen = margin->allowed ? margin->allowed[i] : T;
        for (int64_t t = 0; t < seen; t++) {
            if (score[t] > score[margin->alpha[i]]) {
                return 0;
            }
        }
    }
    return 1;
}

/* ---- rank ----------------------------------------------------------------------------------- */

/* Where the norm says something about it: nuclear by its factors and the certified multipliers,
 * Frobenius by bounds on the one optimal W. */
static enum trop_status look_at_rank(struct trop_margin *margin,
                                     const struct trop_margin_settings *settings)
{
    const struct trop_margin_solved *solved = &margin->solved;
    const struct trop_problem *problem = &solved->made.problem;
    const struct trop_norm *norm = trop_norm_of(settings->norm);
    struct trop_margin_view *view = &margin->view;
    struct trop_rows *rows = NULL;
    struct trop_rank_upper upper = { 0 };
    struct trop_rank_l2 bounds = { 0 };
    /* A matrix of one column has a rank; a vector has none. */
    const int vector = margin->model == TROP_MODEL_PROMPT || margin->model == TROP_MODEL_LABEL ||
                       (margin->model == TROP_MODEL_AUTO && problem->columns == 1);

    if (vector || (!norm->factors && norm->exponent != 2)) {
        return TROP_OK;
    }
    if (solved->proof.upper == 0) { /* W = 0 is the only solution */
        view->rank = view->rank_upper = 0;
        view->rank_tail = norm->factors ? 0 : NAN;
        return TROP_OK;
    }
    enum trop_status status = trop_rows_create(&rows, problem, settings->threads);
    if (status == TROP_OK && norm->factors) {
        status =
            trop_rank_upper(&upper, rows, solved->lambda, solved->proof.lower, solved->proof.upper);
    } else if (status == TROP_OK) {
        status = trop_rank_l2(&bounds, rows, solved->w, solved->proof.lower, solved->proof.upper);
    }
    trop_rows_free(rows);
    if (status == TROP_OK && norm->factors) {
        /* No factors: a W that another solver found, whose rank is not known. */
        view->rank = solved->rank > 0 ? solved->rank : -1;
        view->rank_upper = upper.rank;
        view->rank_tail = upper.tail;
    } else if (status == TROP_OK) {
        view->rank = bounds.lower;
        view->rank_upper = bounds.upper;
    }
    return status;
}

/* ---- all of it ------------------------------------------------------------------------------- */

void trop_margin_look_close(struct trop_margin_view *view)
{
    TROP_FREE(view->support, view->direction_alpha, view->trials, view->trial_alpha);
    *view = (struct trop_margin_view){ 0 };
}

static void forget(struct trop_margin_view *view)
{
    TROP_FREE(view->support);
    view->support = NULL;
    view->supports = 0;
}

static enum trop_status look_at_solution(struct trop_margin *margin,
                                         const struct trop_margin_settings *settings)
{
    struct trop_margin_support support = { 0 };
    enum trop_status status = trop_margin_support_open(&support, &margin->solved, settings);

    if (status == TROP_OK) {
        status = keep_support(margin, &support);
    }
    if (status == TROP_OK && margin->alpha && margin->scores && trop_margin_look_rivals(margin)) {
        look_at_rivals(margin, &support);
        look_at_scores(margin);
        look_at_cone(margin, &support);
        if (trop_margin_look_optimal(margin)) { /* assumption C */
            const struct trop_selection_view tokens = view_of(margin);
            struct trop_selection_step step;
            status = trop_selection_step(&step, &tokens, margin->scores, margin->alpha, NULL);
            margin->view.first_step = status == TROP_OK ? step.answer : margin->view.first_step;
        }
    }
    trop_margin_support_close(&support);
    return status == TROP_OK ? look_at_rank(margin, settings) : status;
}

enum trop_status trop_margin_look(struct trop_margin *margin,
                                  const struct trop_margin_settings *settings)
{
    enum trop_status status = TROP_OK;

    trop_margin_look_close(&margin->view);
    margin->view = (struct trop_margin_view){
        .rank = -1,
        .rank_upper = -1,
        .rank_tail = NAN,
        .local = TROP_SELECTION_UNDECIDABLE,
        .score_gap = NAN,
        .theta = NAN,
        .delta = NAN,
        .mu = NAN,
        .radius = NAN,
        .mean_margin = NAN,
        .equal_scores = TROP_SELECTION_UNDECIDABLE,
        .all_support = TROP_SELECTION_UNDECIDABLE,
        .first_step = TROP_SELECTION_UNDECIDABLE,
        .margin_shrinks = TROP_SELECTION_UNDECIDABLE,
        .shrinkage = NAN,
        .mixing_hurts = TROP_SELECTION_UNDECIDABLE,
        .others_blocked = TROP_SELECTION_UNDECIDABLE,
        .direction_optimal = TROP_SELECTION_UNDECIDABLE,
        .direction_cosine = NAN,
        .direction_bregman = NAN,
        .direction_norm_margin = NAN,
        .direction_ratio = NAN,
    };
    if (margin->direction || margin->options.enumerate) {
        status = trop_margin_make_scores(margin);
    }
    if (status == TROP_OK && margin->direction && trop_margin_look_rivals(margin)) {
        status = trop_margin_direction(margin, settings);
    }
    if (status == TROP_OK && margin->options.enumerate) {
        status = trop_margin_enumerate(margin, settings);
    }
    return status;
}

enum trop_status trop_margin_look_told(void *margin)
{
    struct trop_margin *m = margin;

    if (m->view.told || m->solved.outcome == TROP_OUTCOME_NONE ||
        !isfinite(m->solved.proof.upper)) {
        return TROP_OK;
    }
    const struct trop_margin_settings settings = trop_margin_settings_of(m, NULL, NULL);
    enum trop_status status = trop_margin_make_scores(m);
    trop_lapack_threads_one(); /* as in trop_margin_solve: others may have set it since */
    if (status == TROP_OK) {
        status = look_at_solution(m, &settings);
    }
    if (status != TROP_OK) { /* the next reader tries again */
        forget(&m->view);
        return status;
    }
    m->view.told = 1;
    return TROP_OK;
}
