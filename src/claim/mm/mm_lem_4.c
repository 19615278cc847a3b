/* mm_lem_4.c -- where the gradient points under equal scores (max-margin paper, lemmas 4 and 5).
 *
 * Assumption B: all tokens of an input but the best have the same score. Then
 *
 *   -grad L(p) = sum_i w_i sum_t s_it (k_i,opt - k_it),   w_i > 0,
 *
 * a positive combination of the rows of the max-margin problem, each of which has a product of at
 * least 1 with its solution p_mm. So <-grad, p_mm> is positive everywhere (lemma 4), and a unit
 * step has at least <-grad/|grad|, p_mm> >= 1 / (largest |k_opt - k_t|).
 *
 * Lemma 5, for one input: given pi > 0 there is R such that |p| >= R implies
 *
 *   <grad, p/|p|> >= (1 + pi) <grad, p_mm/|p_mm|>.
 *
 * The weights of the combination are those of Gibbs at energies <k_opt - k_t, p>: their mean is
 * above the least energy by log(T - 1) at most. With m(q) <= 1/|p_mm| the margin of q = p/|p|, the
 * left side is at most (in modulus) m(q) + log(T - 1)/|p|, the other at least 1/|p_mm|: R = |p_mm|
 * log(T - 1) / pi will do.
 *
 * What is judged is the unit step that the library takes; its rounding is that of p, a few u |p|.
 */
#include "claim/mm/mm.h"

#include "claim/tokens.h"

#include "base/math/exp.h"
#include "base/math/log.h"

#include <float.h>
#include <math.h>

#define POINTS 8

/* ---- instances ---- */

static enum trop_status draw_many(struct trop_case *c)
{
    const int64_t n = 1 + trop_case_pick(c, 16, 0, 3), T = 3 + trop_case_pick(c, 16, 1, 2);
    enum trop_status status = trop_mm_draw(c, n, T, n * (T - 1) + 1, 1);

    return status == TROP_OK ? trop_mm_alpha(c) : status;
}

static enum trop_status draw_one(struct trop_case *c)
{
    const int64_t T = 3 + trop_case_pick(c, 16, 1, 4);
    enum trop_status status = trop_mm_draw(c, 1, T, T + trop_case_pick(c, 16, 2, 3), 1);

    status = status == TROP_OK ? trop_mm_alpha(c) : status;
    return status == TROP_OK ? trop_case_default(c, "pi", .05 + .5 * trop_case_uniform(c, 17, 0))
                             : status;
}

/* Steps from points of the lengths least ratio^u, most of them in any direction, some near p_mm. */
static enum trop_status take_steps(struct trop_case *c, double least, double ratio)
{
    struct trop_mm m;
    double *points = NULL, *moves = NULL;

    trop_mm_open(&m, c);
    const double *solution = trop_case_array(c, "p_mm");
    const double size = trop_tokens_norm(solution, m.dk);
    enum trop_status status = trop_case_make(&points, c, "points", POINTS, m.dk, 0);
    status = status == TROP_OK ? trop_case_make(&moves, c, "moves", POINTS, m.dk, 0) : status;
    for (int64_t j = 0; j < POINTS && status == TROP_OK; j++) {
        double *p = points + j * m.dk;
        trop_mm_unit(p, c, j, m.dk);
        for (int64_t k = 0; k < m.dk && size > 0 && j >= POINTS - 3; k++) {
            p[k] = .05 * p[k] + solution[k] / size;
        }
        const double now = trop_tokens_norm(p, m.dk);
        const double length = least * trop_exp(trop_log(ratio) * trop_case_uniform(c, 18, j));
        for (int64_t k = 0; k < m.dk; k++) {
            p[k] *= length / now;
        }
        status = trop_mm_move(moves + j * m.dk, c, p, "ngd");
    }
    return status;
}

static enum trop_status work_many(struct trop_case *c)
{
    enum trop_status status = trop_mm_solve(c, "alpha", "p_mm");

    return status == TROP_OK ? take_steps(c, .1, 300) : status;
}

/* R of lemma 5. */
static double radius(const struct trop_case *c)
{
    return trop_case_number(c, "p_mm_upper") * trop_log((double)(trop_case_size(c, "X", 1) - 1)) /
           trop_case_number(c, "pi");
}

static enum trop_status work_one(struct trop_case *c)
{
    enum trop_status status = trop_mm_solve(c, "alpha", "p_mm");

    return status == TROP_OK ? take_steps(c, fmax(1.001 * radius(c), .1), 10) : status;
}

/* ---- hypotheses ---- */

static enum trop_status large_norm(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t dk = trop_case_size(c, "points", 1);

    for (int64_t j = 0; j < trop_case_size(c, "points", 0); j++) {
        const double size = trop_tokens_norm(trop_case_array(c, "points") + j * dk, dk);
        trop_judge_at_least(judge, "length of p against R", j, size, radius(c), 1e-9 * size);
    }
    return TROP_OK;
}

static const struct trop_hypothesis many_hypotheses[] = {
    { "equal-scores", "all tokens but the best of an input score the same (B)",
      trop_mm_equal_scores, 0 },
    { "separable", "the max-margin problem of the best tokens has a solution", trop_mm_old_separable,
      1 },
    { 0 },
};

static const struct trop_hypothesis one_hypotheses[] = {
    { "one-input", "n = 1", trop_mm_old_one_input, 0 },
    { "equal-scores", "all tokens but the best score the same (B)", trop_mm_equal_scores, 0 },
    { "separable", "the max-margin problem of the best token has a solution", trop_mm_old_separable,
      1 },
    { "large-norm", "|p| >= |p_mm| log(T - 1) / pi", large_norm, 1 },
    { 0 },
};

/* ---- conclusions ---- */

static double rounding(const double *p, int64_t dk)
{
    return 16 * DBL_EPSILON * sqrt((double)dk) * (1 + trop_tokens_norm(p, dk));
}

static enum trop_status conclude_many(struct trop_judge *judge, const struct trop_case *c)
{
    struct trop_mm m;
    const double *points = trop_case_array(c, "points"), *moves = trop_case_array(c, "moves");
    const double *solution = trop_case_array(c, "p_mm");

    trop_mm_open(&m, c);
    const double least = trop_mm_margin(&m, trop_case_array(c, "alpha"), solution);
    const double size = trop_tokens_norm(solution, m.dk);
    for (int64_t j = 0; j < trop_case_size(c, "points", 0); j++) {
        trop_judge_at_least(judge, "unit step along p_mm", j,
                            trop_tokens_dot(moves + j * m.dk, solution, m.dk),
                            least / trop_mm_reach(&m), rounding(points + j * m.dk, m.dk) * size);
    }
    return TROP_OK;
}

static enum trop_status conclude_one(struct trop_judge *judge, const struct trop_case *c)
{
    struct trop_mm m;
    const double *points = trop_case_array(c, "points"), *moves = trop_case_array(c, "moves");
    const double *solution = trop_case_array(c, "p_mm");

    trop_mm_open(&m, c);
    for (int64_t j = 0; j < trop_case_size(c, "points", 0); j++) {
        const double *p = points + j * m.dk, *move = moves + j * m.dk;
        const double along = trop_tokens_dot(move, p, m.dk) / trop_tokens_norm(p, m.dk);
        const double best =
            trop_tokens_dot(move, solution, m.dk) / trop_tokens_norm(solution, m.dk);
        trop_judge_at_most(judge, "step along p, against p_mm", j, along,
                           (1 + trop_case_number(c, "pi")) * best, 2 * rounding(p, m.dk));
    }
    return TROP_OK;
}

/* ---- spoils ---- */

static enum trop_status reverse(struct trop_case *c)
{
    for (int64_t k = 0; k < trop_case_size(c, "moves", 1); k++) {
        trop_case_array(c, "moves")[k] *= -1;
    }
    return TROP_OK;
}

/* The first move becomes nearly orthogonal to p_mm. */
static enum trop_status sideways(struct trop_case *c)
{
    const int64_t dk = trop_case_size(c, "moves", 1);
    const double *solution = trop_case_array(c, "p_mm");
    double *p = trop_case_array(c, "points"), *move = trop_case_array(c, "moves");
    const double squares = trop_tokens_dot(solution, solution, dk), size = trop_tokens_norm(p, dk);
    const double share = trop_tokens_dot(p, solution, dk) / squares;

    for (int64_t k = 0; k < dk; k++) {
        p[k] -= .9 * share * solution[k];
    }
    const double now = trop_tokens_norm(p, dk);
    for (int64_t k = 0; k < dk; k++) {
        p[k] *= size / now;
        move[k] = p[k] / size;
    }
    return TROP_OK;
}

static enum trop_status shorten(struct trop_case *c)
{
    const int64_t dk = trop_case_size(c, "points", 1);
    double *p = trop_case_array(c, "points");
    const double size = trop_tokens_norm(p, dk);

    for (int64_t k = 0; k < dk; k++) {
        p[k] *= radius(c) / 2 / size;
    }
    return TROP_OK;
}

static const struct trop_spoil many_spoils[] = {
    { "the step at one point is reversed", NULL, reverse },
    { "one score is lower by .1", "equal-scores", trop_mm_spoil_scores },
    { "the best token has the key of another", "separable", trop_mm_spoil_keys },
    { 0 },
};

static const struct trop_spoil one_spoils[] = {
    { "one point is nearly at right angles to p_mm, and steps along itself", NULL, sideways },
    { "the input is there twice", "one-input", trop_mm_spoil_inputs },
    { "one score is lower by .1", "equal-scores", trop_mm_spoil_scores },
    { "one point is at half of R", "large-norm", shorten },
    { 0 },
};

const struct trop_claim trop_mm_lem_4 = {
    .id = "mm-lem-4",
    .title = "no stationary point under equal scores",
    .statement = "When all tokens but the best of an input score the same, the gradient has a "
                 "negative product with the max-margin solution at every p; the unit step along it "
                 "has at least 1 / max|k_opt - k_t|.",
    .status = TROP_CLAIM_PROVED,
    .remark = "The paper says negative; the amount follows from its proof and is what is judged, "
              "on the step that the library takes.",
    .old_inputs = trop_mm_inputs,
    .hypotheses = many_hypotheses,
    .old_draw = draw_many,
    .old_work = work_many,
    .old_conclude = conclude_many,
    .spoils = many_spoils,
    .trials = 50,
};

const struct trop_claim trop_mm_lem_5 = {
    .id = "mm-lem-5",
    .title = "far out the gradient is steepest along p_mm",
    .statement = "For one input with equal scores and any pi > 0, |p| >= |p_mm| log(T - 1) / pi "
                 "implies <-grad, p/|p|> <= (1 + pi) <-grad, p_mm/|p_mm|>.",
    .status = TROP_CLAIM_PROVED,
    .remark =
        "The paper says that some R exists; this R is ours, from the entropy bound of a Gibbs "
        "mean, and makes the lemma decidable.",
    .old_inputs = trop_mm_inputs,
    .hypotheses = one_hypotheses,
    .old_draw = draw_one,
    .old_work = work_one,
    .old_conclude = conclude_one,
    .spoils = one_spoils,
    .trials = 50,
};
