/* margin_rank.c -- the rank of a solution, where the norm says something about it: nuclear by its
 * factors and the certified multipliers, Frobenius by bounds on the one optimal W. */
#include "margin/margin.h"

#include "margin/norm.h"
#include "margin/rank.h"

#include <math.h>

static enum trop_status look_nuclear(struct trop_margin *margin, struct trop_rows *rows)
{
    const struct trop_margin_solved *solved = &margin->solved;
    struct trop_rank_upper upper;
    enum trop_status status =
        trop_rank_upper(&upper, rows, solved->lambda, solved->proof.lower, solved->proof.upper);

    if (status == TROP_OK) {
        /* No factors: a W that another solver found, whose rank is not known. */
        margin->view.rank = solved->rank > 0 ? solved->rank : -1;
        margin->view.rank_upper = upper.rank;
        margin->view.rank_tail = upper.tail;
    }
    return status;
}

static enum trop_status look_l2(struct trop_margin *margin, struct trop_rows *rows)
{
    const struct trop_margin_solved *solved = &margin->solved;
    struct trop_rank_l2 bounds;
    enum trop_status status =
        trop_rank_l2(&bounds, rows, solved->w, solved->proof.lower, solved->proof.upper);

    if (status == TROP_OK) {
        margin->view.rank = bounds.lower;
        margin->view.rank_upper = bounds.upper;
    }
    return status;
}

enum trop_status trop_margin_rank(struct trop_margin *margin,
                                  const struct trop_margin_settings *settings)
{
    const struct trop_problem *problem = &margin->solved.made.problem;
    struct trop_rows *rows = NULL;
    /* A matrix of one column has a rank; a vector has none. */
    const struct trop_norm *norm = trop_norm_of(settings->norm);
    int vector = margin->model == TROP_MODEL_PROMPT || margin->model == TROP_MODEL_LABEL ||
                 (margin->model == TROP_MODEL_AUTO && problem->columns == 1);

    if (vector || (!norm->factors && norm->exponent != 2)) {
        return TROP_OK;
    }
    if (margin->solved.proof.upper == 0) { /* W = 0, and nothing else */
        margin->view.rank = margin->view.rank_upper = 0;
        margin->view.rank_tail = norm->factors ? 0 : NAN;
        return TROP_OK;
    }
    enum trop_status status = trop_rows_create(&rows, problem, settings->threads);
    if (status == TROP_OK) {
        status = norm->factors ? look_nuclear(margin, rows) : look_l2(margin, rows);
    }
    trop_rows_free(rows);
    return status;
}
