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

#include "base/math/exp.h"
#include "base/math/log.h"

#include <float.h>
#include <math.h>

#define POINTS 8

/* ---- instances ---- */

static void draw_many(struct trop_case *c)
{
    const int64_t n = 1 + trop_case_pick(c, 16, 0, 3), T = 3 + trop_case_pick(c, 16, 1, 2);

    trop_mm_draw(c, n, T, n * (T - 1) + 1, 1);
    trop_mm_alpha(c);
}

static void draw_one(struct trop_case *c)
{
    const int64_t T = 3 + trop_case_pick(c, 16, 1, 4);

    trop_mm_draw(c, 1, T, T + trop_case_pick(c, 16, 2, 3), 1);
    trop_mm_alpha(c);
    trop_case_default(c, "pi", .05 + .5 * trop_case_uniform(c, 17, 0));
}

/* Steps from points of the lengths least ratio^u, most of them in any direction, some near p_mm. */
static void take_steps(struct trop_case *c, double least, double ratio)
{
    const struct trop_mm m = trop_mm_of(c);
    const double size = trop_tokens_norm(m.p_mm, m.dk);
    double *points = trop_case_zeros(c, "points", POINTS, m.dk, 0);

    for (int64_t j = 0; j < POINTS; j++) {
        double *p = points + j * m.dk;
        trop_mm_unit(p, c, j, m.dk);
        for (int64_t k = 0; k < m.dk && size > 0 && j >= POINTS - 3; k++) {
            p[k] = .05 * p[k] + m.p_mm[k] / size;
        }
        const double now = trop_tokens_norm(p, m.dk);
        const double length = least * trop_exp(trop_log(ratio) * trop_case_uniform(c, 18, j));
        for (int64_t k = 0; k < m.dk; k++) {
            p[k] *= length / now;
        }
    }
    trop_mm_moves(c, "points", "moves", "ngd");
}

static void work_many(struct trop_case *c)
{
    trop_mm_solve(c);
    take_steps(c, .1, 300);
}

/* R of lemma 5. */
static double radius(const struct trop_case *c)
{
    return trop_case_number(c, "p_mm_upper") * trop_log((double)(trop_case_size(c, "X", 1) - 1)) /
           trop_case_number(c, "pi");
}

static void work_one(struct trop_case *c)
{
    trop_mm_solve(c);
    take_steps(c, fmax(1.001 * radius(c), .1), 10);
}

/* ---- hypotheses ---- */

static void large_norm(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view p = trop_case_view(c, "points");

    for (int64_t j = 0; j < p.rows; j++) {
        const double size = trop_tokens_norm(trop_case_view_row(p, j), p.columns);
        trop_judge_at_least(judge, "length of p against R", j, size, radius(c), 1e-9 * size);
    }
}

/* ---- conclusions ---- */

static double rounding(const double *p, int64_t dk)
{
    return 16 * DBL_EPSILON * sqrt((double)dk) * (1 + trop_tokens_norm(p, dk));
}

static void conclude_many(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);
    const double *points = trop_case_array(c, "points"), *moves = trop_case_array(c, "moves");
    const double least = trop_mm_margin(&m, m.p_mm), size = trop_tokens_norm(m.p_mm, m.dk);

    for (int64_t j = 0; j < trop_case_size(c, "points", 0); j++) {
        trop_judge_at_least(judge, "unit step along p_mm", j,
                            trop_tokens_dot(moves + j * m.dk, m.p_mm, m.dk),
                            least / trop_mm_reach(&m), rounding(points + j * m.dk, m.dk) * size);
    }
}

static void conclude_one(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);
    const double *points = trop_case_array(c, "points"), *moves = trop_case_array(c, "moves");

    for (int64_t j = 0; j < trop_case_size(c, "points", 0); j++) {
        const double *p = points + j * m.dk, *move = moves + j * m.dk;
        const double along = trop_tokens_dot(move, p, m.dk) / trop_tokens_norm(p, m.dk);
        const double best = trop_tokens_dot(move, m.p_mm, m.dk) / trop_tokens_norm(m.p_mm, m.dk);
        trop_judge_at_most(judge, "step along p, against p_mm", j, along,
                           (1 + trop_case_number(c, "pi")) * best, 2 * rounding(p, m.dk));
    }
}

const struct trop_claim trop_mm_lem_4 = {
    .id = "mm-lem-4",
    .title = "no stationary point under equal scores",
    .statement = "When all tokens but the best of an input score the same, the gradient has a "
                 "negative product with the max-margin solution at every p; the unit step along it "
                 "has at least 1 / max|k_opt - k_t|.",
    .status = TROP_CLAIM_PROVED,
    .remark = "The paper says negative; the amount follows from its proof and is what is judged, "
              "on the step that the library takes.",
    .inputs = "X y v K",
    .hypotheses = TROP_HYPOTHESES(
        TROP_MM_EQUAL_OTHERS("all tokens but the best of an input score the same (B)"),
        TROP_MM_SEPARABLE("the max-margin problem of the best tokens has a solution")),
    .run = { draw_many, work_many, conclude_many },
    .spoils = TROP_SPOILS({ "the step at one point is reversed", NULL, .edit = "moves[0] *= -1" },
                          TROP_MM_INSEPARABLE),
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
    .inputs = "X y v K pi",
    .hypotheses = TROP_HYPOTHESES(
        TROP_MM_ONE_INPUT, TROP_MM_EQUAL_OTHERS("all tokens but the best score the same (B)"),
        TROP_MM_SEPARABLE("the max-margin problem of the best token has a solution"),
        { "positive-pi", "pi is positive", .holds = "pi > 0", .broken = "pi = -1",
          .edit = "pi = -1" },
        { "large-norm", "|p| >= |p_mm| log(T - 1) / pi", .judge = large_norm, .late = 1,
          .broken = "one point is at a twentieth of its length, below R",
          .edit = "points[0] *= .05" }),
    .run = { draw_one, work_one, conclude_one },
    .spoils = TROP_SPOILS(
        { "the step at one point is along that point", NULL, .edit = "moves[0] = points[0]" }),
    .trials = 50,
};
