/* mm_lem_smooth.c -- smoothness, descent and growth (max-margin paper, the lemma on L_p, the
 * descent lemma, and the growth of the norm).
 *
 *   L_p = mean over inputs of (M0 |g_i|^2 + 3 M1 |g_i|) |K_i|^2,   M1 >= |l'|, M0 >= |l''|
 *
 * is a Lipschitz constant of the gradient of L: judged on pairs of points near and far, with the
 * gradients that the library's gradient descent takes (a step of eta = 1 is the gradient to within
 * a few u |p|). The printed form with norms of v, W and X is larger, so that it follows.
 *
 * With eta <= 1/L_p every step satisfies L(p+) - L(p) <= -(eta/2)|grad|^2: judged at every step of
 * a run, L from its formula, the gradient from the step itself. L rounds by a few u.
 *
 * The norm of gradient descent grows as log t / Xi, Xi = 1/|p_mm| of what is selected in the end:
 * the gradient is of order e^(-Xi |p|). Read as the slope over the last factor of ten of the steps,
 * times Xi / log 10: between .75 and 1.25. (Corrections are of order 1/log t.)
 */
#include "claim/mm/mm.h"

#include "base/math/exp.h"
#include "base/math/log.h"
#include "claim/tokens.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define PAIRS 8

/* ---- pairs of gradients ---- */

static enum trop_status draw_pairs(struct trop_case *c)
{
    const int64_t n = 1 + trop_case_pick(c, 16, 0, 3), T = 2 + trop_case_pick(c, 16, 1, 4);
    enum trop_status status = trop_mm_draw(c, n, T, 2 + trop_case_pick(c, 16, 2, 4), 0);

    status = status == TROP_OK ? trop_case_default(c, "M0", .25) : status;
    return status == TROP_OK ? trop_case_default(c, "M1", 1) : status;
}

/* "points" and "gradients" (2 PAIRS, dk): 2 j and 2 j + 1 are a pair. */
static enum trop_status work_pairs(struct trop_case *c)
{
    struct trop_mm m;
    double *points = NULL, *gradients = NULL;

    trop_mm_open(&m, c);
    enum trop_status status = trop_case_make(&points, c, "points", 2 * PAIRS, m.dk, 0);
    status =
        status == TROP_OK ? trop_case_make(&gradients, c, "gradients", 2 * PAIRS, m.dk, 0) : status;
    for (int64_t j = 0; j < 2 * PAIRS && status == TROP_OK; j++) {
        double *p = points + j * m.dk, *g = gradients + j * m.dk;
        const double length = j % 2 ? trop_exp(-7 * trop_case_uniform(c, 17, j)) * 2
                                    : 3 * trop_case_uniform(c, 18, j);
        trop_mm_unit(p, c, j, m.dk);
        for (int64_t k = 0; k < m.dk; k++) {
            p[k] = length * p[k] + (j % 2 ? p[k - m.dk] : 0);
        }
        status = trop_mm_move(g, c, p, "gd");
        for (int64_t k = 0; k < m.dk; k++) {
            g[k] *= -1;
        }
    }
    return status;
}

/* l' and l'' of the logistic loss at the scores: |l'| falls, l'' is largest at the score next to 0,
 * and attention reaches every number between the scores of an input. */
static enum trop_status slopes(struct trop_judge *judge, const struct trop_case *c)
{
    struct trop_mm m;
    double low = INFINITY, high = -INFINITY;

    trop_mm_open(&m, c);
    for (int64_t at = 0; at < m.n * m.T; at++) {
        low = fmin(low, trop_mm_score(&m, at / m.T, at % m.T));
        high = fmax(high, trop_mm_score(&m, at / m.T, at % m.T));
    }
    const double next = low > 0 ? low : high < 0 ? high : 0, slope = trop_mm_slope(next);
    trop_judge_at_least(judge, "M1 against the largest |l'|", -1, trop_case_number(c, "M1"),
                        trop_mm_slope(low), 0);
    trop_judge_at_least(judge, "M0 against the largest l''", -1, trop_case_number(c, "M0"),
                        slope * (1 - slope), 0);
    return TROP_OK;
}

static enum trop_status conclude_pairs(struct trop_judge *judge, const struct trop_case *c)
{
    struct trop_mm m;
    const double *points = trop_case_array(c, "points"), *g = trop_case_array(c, "gradients");

    trop_mm_open(&m, c);
    const double L = trop_mm_smoothness(&m, trop_case_number(c, "M0"), trop_case_number(c, "M1"));
    for (int64_t j = 0; j + 1 < trop_case_size(c, "points", 0); j += 2) {
        double apart = 0, change = 0;
        for (int64_t k = j * m.dk; k < (j + 1) * m.dk; k++) {
            apart += (points[k] - points[k + m.dk]) * (points[k] - points[k + m.dk]);
            change += (g[k] - g[k + m.dk]) * (g[k] - g[k + m.dk]);
        }
        const double size = 1 + trop_tokens_norm(points + j * m.dk, 2 * m.dk);
        trop_judge_at_most(judge, "change of the gradient over distance", j / 2,
                           sqrt(change / apart), L, 32 * DBL_EPSILON * size / sqrt(apart));
    }
    return TROP_OK;
}

/* ---- descent ---- */

static enum trop_status draw_descent(struct trop_case *c)
{
    struct trop_mm m;
    const int64_t n = 1 + trop_case_pick(c, 16, 0, 3), T = 2 + trop_case_pick(c, 16, 1, 3);
    enum trop_status status = trop_mm_draw(c, n, T, 2 + trop_case_pick(c, 16, 2, 3), 0);

    trop_mm_open(&m, c);
    return status == TROP_OK ? trop_case_default(c, "eta", .999 / trop_mm_smoothness(&m, .25, 1))
                             : status;
}

static enum trop_status work_descent(struct trop_case *c)
{
    struct trop_train_options o;
    enum trop_status status = trop_mm_options(&o, "gd", trop_case_number(c, "eta"), 300);

    o.records = 1000; /* every step */
    o.start = TROP_TRAIN_NORMAL;
    o.start_scale = 1;
    o.seed = c->seed + (uint64_t)c->trial;
    return status == TROP_OK ? trop_mm_train(c, &o, "p") : status;
}

static enum trop_status conclude_descent(struct trop_judge *judge, const struct trop_case *c)
{
    struct trop_mm m;
    const double *p = trop_case_array(c, "p"), eta = trop_case_number(c, "eta");

    trop_mm_open(&m, c);
    for (int64_t row = 1; row < trop_case_size(c, "p", 0); row++) {
        const double *now = p + row * m.dk, *before = now - m.dk;
        const double loss = trop_mm_loss(&m, before);
        double squares = 0;
        for (int64_t k = 0; k < m.dk; k++) {
            squares += (now[k] - before[k]) * (now[k] - before[k]);
        }
        const double rounding =
            32 * DBL_EPSILON * (loss + trop_tokens_norm(now, m.dk) / eta * sqrt(squares));
        trop_judge_at_most(judge, "loss after the step", row, trop_mm_loss(&m, now),
                           loss - squares / (2 * eta), rounding);
    }
    return TROP_OK;
}

/* ---- growth ---- */

static enum trop_status draw_growth(struct trop_case *c)
{
    static const double steps[] = { 10000, 100000, 1000000 };
    const int64_t n = 1 + trop_case_pick(c, 16, 0, 2), T = 2 + trop_case_pick(c, 16, 1, 3);
    enum trop_status status = trop_mm_draw(c, n, T, n * (T - 1) + 1, 0);

    return status == TROP_OK ? trop_tokens_count(c, "steps", steps[c->effort], 1, 1e9) : status;
}

static enum trop_status work_growth(struct trop_case *c)
{
    struct trop_mm m;
    struct trop_train_options o;
    double *alpha = NULL;
    enum trop_status status = trop_mm_options(&o, "gd", 1, trop_case_integer(c, "steps"));

    status = status == TROP_OK ? trop_mm_train(c, &o, "p") : status;
    trop_mm_open(&m, c);
    status = status == TROP_OK ? trop_case_make(&alpha, c, "alpha", m.n, 0, 0) : status;
    if (status != TROP_OK) {
        return status;
    }
    const double *last = trop_case_array(c, "p") + (trop_case_size(c, "p", 0) - 1) * m.dk;
    for (int64_t i = 0; i < m.n; i++) {
        alpha[i] = (double)trop_mm_selected(&m, i, last);
    }
    return trop_mm_solve(c, "alpha", "p_mm");
}

/* The same tokens have nearly all attention at the end and at a tenth of the steps. */
static enum trop_status settled(struct trop_judge *judge, const struct trop_case *c)
{
    struct trop_mm m;
    const double *p = trop_case_array(c, "p"), *alpha = trop_case_array(c, "alpha");
    const int64_t row = trop_mm_row(c, "p", trop_case_integer(c, "steps") / 10);

    trop_mm_open(&m, c);
    for (int64_t i = 0; i < m.n && row >= 0; i++) {
        trop_judge_at_most(judge, "attention of other tokens at a tenth of the steps", i,
                           trop_mm_rest(&m, i, (int64_t)alpha[i], p + row * m.dk), .02, 0);
    }
    return TROP_OK;
}

static enum trop_status conclude_growth(struct trop_judge *judge, const struct trop_case *c)
{
    const double *p = trop_case_array(c, "p");
    const int64_t rows = trop_case_size(c, "p", 0), dk = trop_case_size(c, "p", 1);
    const int64_t row = trop_mm_row(c, "p", trop_case_integer(c, "steps") / 10);
    const double grown =
        trop_tokens_norm(p + (rows - 1) * dk, dk) - trop_tokens_norm(p + row * dk, dk);

    trop_judge_near(judge, "growth of |p| over log 10 / margin", -1,
                    grown / (trop_log(10) * trop_case_number(c, "p_mm_upper")), 1, .25);
    return TROP_OK;
}

/* ---- spoils ---- */

static enum trop_status move_gradient(struct trop_case *c)
{
    struct trop_mm m;
    const double *points = trop_case_array(c, "points");
    double apart = 0;

    trop_mm_open(&m, c);
    for (int64_t k = 0; k < m.dk; k++) {
        apart += (points[k] - points[k + m.dk]) * (points[k] - points[k + m.dk]);
    }
    trop_case_array(c, "gradients")[0] += 2.1 * trop_mm_smoothness(&m, .25, 1) * sqrt(apart);
    return TROP_OK;
}

static enum trop_status small_bend(struct trop_case *c)
{
    return trop_case_put(c, "M0", .01);
}

static enum trop_status turn_back(struct trop_case *c)
{
    double *p = trop_case_array(c, "p");
    const int64_t dk = trop_case_size(c, "p", 1);

    for (int64_t k = 0; k < dk; k++) {
        p[dk + k] = 2 * p[k] - p[dk + k];
    }
    return TROP_OK;
}

static enum trop_status half_as_much(struct trop_case *c)
{
    const int64_t rows = trop_case_size(c, "p", 0), dk = trop_case_size(c, "p", 1);
    const int64_t row = trop_mm_row(c, "p", trop_case_integer(c, "steps") / 10);
    double *p = trop_case_array(c, "p");

    /* The weights grow as sqrt(t). */
    for (int64_t k = 0; k < dk; k++) {
        p[(rows - 1) * dk + k] = p[row * dk + k] * 3.1622776601683795;
    }
    return TROP_OK;
}

static enum trop_status unsettled(struct trop_case *c)
{
    const int64_t row = trop_mm_row(c, "p", trop_case_integer(c, "steps") / 10);
    const int64_t dk = trop_case_size(c, "p", 1);

    memset(trop_case_array(c, "p") + row * dk, 0, (size_t)dk * sizeof(double));
    return TROP_OK;
}

/* ---- the claims ---- */

static const struct trop_hypothesis pair_hypotheses[] = {
    { "slopes", "M1 and M0 bound |l'| and l'' on the scores", slopes, 0 },
    { 0 },
};
static const struct trop_hypothesis descent_hypotheses[] = {
    { "small-step", "eta <= 1/L_p", trop_mm_old_small_step, 0 },
    { 0 },
};
static const struct trop_hypothesis growth_hypotheses[] = {
    { "separable", "the max-margin problem of what is selected has a solution", trop_mm_old_separable,
      1 },
    { "settled", "98% of the attention is there after a tenth of the steps", settled, 1 },
    { 0 },
};
static const struct trop_spoil pair_spoils[] = {
    { "a gradient moved by 2.1 L_p times the distance of its pair", NULL, move_gradient },
    { "M0 = .01", "slopes", small_bend },
    { 0 },
};
static const struct trop_spoil descent_spoils[] = {
    { "the first step is taken backwards", NULL, turn_back },
    { "eta = 4/L_p", "small-step", trop_mm_spoil_step },
    { 0 },
};
static const struct trop_spoil growth_spoils[] = {
    { "|p| grows as the square root of t", NULL, half_as_much },
    { "p = 0 at a tenth of the steps", "settled", unsettled },
    { 0 },
};

static const struct trop_input pair_inputs[] = {
    { "X", "(n, T, d)", "tokens" },
    { "y", "(n)", "labels, -1 or 1" },
    { "v", "(d)", "decoder" },
    { "K", "(n, T, dk)", "keys; the tokens when absent" },
    { "M0", "", "bound on |l''|" },
    { "M1", "", "bound on |l'|" },
    { 0 },
};
static const struct trop_input run_inputs[] = {
    { "X", "(n, T, d)", "tokens" },
    { "y", "(n)", "labels, -1 or 1" },
    { "v", "(d)", "decoder" },
    { "K", "(n, T, dk)", "keys; the tokens when absent" },
    { "eta", "", "step size, of the descent lemma" },
    { "steps", "", "of gradient descent, of the growth" },
    { 0 },
};

const struct trop_claim trop_mm_lem_smooth = {
    .id = "mm-lem-smooth",
    .title = "L_p is a Lipschitz constant of the gradient",
    .statement = "Gradients of the loss at two points differ by at most L_p times their distance, "
                 "L_p the mean over inputs of (M0 |g_i|^2 + 3 M1 |g_i|) |K_i|^2, g_i the scores.",
    .status = TROP_CLAIM_PROVED,
    .remark = "The constant of the proof, which is at most the printed one. Logistic loss.",
    .old_inputs = pair_inputs,
    .hypotheses = pair_hypotheses,
    .old_draw = draw_pairs,
    .old_work = work_pairs,
    .old_conclude = conclude_pairs,
    .spoils = pair_spoils,
    .trials = 100,
};

const struct trop_claim trop_mm_rate_descent = {
    .id = "mm-rate-descent",
    .title = "every step lowers the loss",
    .statement = "A step of gradient descent with eta <= 1/L_p lowers the loss by at least (eta/2) "
                 "|grad|^2.",
    .status = TROP_CLAIM_PROVED,
    .remark = "",
    .old_inputs = run_inputs,
    .hypotheses = descent_hypotheses,
    .old_draw = draw_descent,
    .old_work = work_descent,
    .old_conclude = conclude_descent,
    .spoils = descent_spoils,
    .trials = 50,
};

const struct trop_claim trop_mm_rate_norm = {
    .id = "mm-rate-norm",
    .title = "the norm grows as log t / margin",
    .statement = "Under gradient descent that saturates |p(t)| grows by log 10 times |p_mm| for "
                 "every factor of ten of t, p_mm the max-margin solution of what is selected.",
    .status = TROP_CLAIM_CONJECTURED,
    .remark =
        "Not in the paper: what its gradient bounds suggest. Read on the last factor of ten of "
        "a run with eta = 1, to 25%; corrections are of order 1/log t.",
    .old_inputs = run_inputs,
    .hypotheses = growth_hypotheses,
    .old_draw = draw_growth,
    .old_work = work_growth,
    .old_conclude = conclude_growth,
    .spoils = growth_spoils,
    .trials = 20,
};
