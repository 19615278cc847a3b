/* mm_thm_1.c -- the regularisation path tends to the max-margin direction (max-margin paper,
 * theorem 1; with several best tokens, theorem 8 and ATT-SVM').
 *
 *   p(R) = argmin of L(p) over |p| <= R,   p(R)/R -> p_mm/|p_mm|
 *
 * A rate that can be decided. Let Xi = 1/|p_mm|, b_i the best score of input i, gap the least lead
 * of a best score over one that is not, Gamma the largest difference of scores, O_i the best
 * tokens. At R p_mm/|p_mm| the attention outside O_i is at most T e^(-R Xi), so with |l'| <= 1
 *
 *   L(p(R)) - L* <= Gamma T e^(-R Xi).
 *
 * For any p with margin m = min_i (max over O_i less max outside of the logits) >= 0 the attention
 * outside is at least e^-m / T in some input, and l is convex:
 *
 *   L(p) - L* >= (1/n) min_i |l'(b_i)| gap e^-m / T.
 *
 * So the margin of p(R) is at least R Xi - B, B = log(n T^2 Gamma / (gap min|l'(b_i)|)). Let a_i be
 * the token of O_i that p(R) prefers and p_a the max-margin solution for a, Xi_a = 1/|p_a| <= Xi.
 * It is a combination of its rows with weights >= 0 that sum to |p_a|^2, so <p, p_a> >= m |p_a|^2,
 * and
 *
 *   1 - cos(p(R), p_a) <= 1 - m/(R Xi_a),    m <= R Xi_a:    Xi_a >= Xi - B/R.
 *
 * Both are at most B/(R Xi) away. Where B/(R Xi) >= 1 the margin may be below 0, neither bound
 * follows, and nothing is compared. p(R) itself is what the library found: that it is no worse than
 * R p_mm/|p_mm| is the first line of the conclusion, in logarithms, from our own evaluation of L,
 * and then the bounds above hold for it, whether it is the minimum or not. Logits round by u R |k|,
 * T of them: 64 u (1 + R |k|) is allowed for a logarithm, and 1e-10 R |k| for the tolerance at
 * which the library calls a point stationary (1 - cos of the angle between point and gradient).
 */
#include "claim/mm/mm.h"

#include "base/math/log.h"

#include <float.h>
#include <math.h>

#define RADII "10,20,50,100,200,500"

/* ---- the instance ---- */

static void draw_size(struct trop_case *c)
{
    const int64_t n = 1 + trop_case_pick(c, 16, 0, 3), T = 3 + trop_case_pick(c, 16, 1, 2);

    trop_mm_draw(c, n, T, n * (T - 1) + trop_case_pick(c, 16, 2, 2), 0);
}

static void draw_one(struct trop_case *c)
{
    draw_size(c);
    trop_mm_alpha(c);
}

/* The second best token of each input is made as good as the best. */
static void draw_several(struct trop_case *c)
{
    const int given = trop_case_has(c, "X");

    draw_size(c);
    const struct trop_mm m = trop_mm_of(c);
    for (int64_t i = 0; i < m.n && !given; i++) {
        const int64_t a = trop_mm_optimal(&m, i);
        int64_t second = a > 0 ? 0 : 1;
        for (int64_t t = 0; t < m.T; t++) {
            const int better = trop_mm_score(&m, i, t) > trop_mm_score(&m, i, second);
            second = t != a && better ? t : second;
        }
        double *x = trop_case_array(c, "X") + i * m.T * m.d;
        x[second * m.d + m.d - 1] = x[a * m.d + m.d - 1];
    }
}

/* "path" (rows, dk) at "radius"; "own" (rows, dk) and "own_norm" of the choice of each point. */
static void work(struct trop_case *c)
{
    trop_mm_best_solve(c);
    if (trop_case_number(c, "p_mm_outcome") != TROP_OUTCOME_SOLVED) {
        return;
    }
    trop_case_radii(c, "weights=path radius", "model=prompt starts=8 radius=" RADII);
    const struct trop_view path = trop_case_view(c, "path");
    double *own = trop_case_zeros(c, "own", path.rows, path.columns, 0);
    double *norm = trop_case_zeros(c, "own_norm", path.rows, 0, 0);
    for (int64_t row = 0; row < path.rows; row++) {
        trop_mm_best_solve_choice(own + row * path.columns, norm + row, c,
                                  trop_case_view_row(path, row));
    }
}

/* ---- constants ---- */

/* The least lead of the best score of an input over one that is not the best. */
static double gap_of(const struct trop_mm *m, int64_t i)
{
    const double best = trop_mm_score(m, i, trop_mm_optimal(m, i));
    double gap = INFINITY;

    for (int64_t t = 0; t < m->T; t++) {
        gap = trop_mm_best_is(m, i, t) ? gap : fmin(gap, best - trop_mm_score(m, i, t));
    }
    return gap;
}

/* B of the file comment. */
static double constant(const struct trop_mm *m)
{
    double gap = INFINITY, slope = 1;

    for (int64_t i = 0; i < m->n; i++) {
        gap = fmin(gap, gap_of(m, i));
        slope = fmin(slope, trop_mm_slope(trop_mm_score(m, i, trop_mm_optimal(m, i))));
    }
    return trop_log((double)(m->n * m->T * m->T) * trop_mm_spread(m) / (gap * slope));
}

/* The error of a logarithm of the loss that the library computes: rounding, and its tolerance. */
static double left_over(const struct trop_mm *m, double R)
{
    return (64 * DBL_EPSILON + 1e-10) * (1 + R * trop_mm_reach(m));
}

/* The loss of every point against that of p_mm at the same norm. */
static void judge_losses(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);
    const struct trop_view path = trop_case_view(c, "path");
    double *scaled = trop_case_scratch(c, m.dk);

    for (int64_t row = 0; row < path.rows; row++) {
        const double R = trop_case_array(c, "radius")[row];
        for (int64_t k = 0; k < m.dk; k++) {
            scaled[k] = m.p_mm[k] * R / trop_tokens_norm(m.p_mm, m.dk);
        }
        trop_judge_at_most(judge, "log(L - L*) against that of R p_mm/|p_mm|", (int64_t)R,
                           trop_mm_log_gap(&m, trop_case_view_row(path, row)),
                           trop_mm_log_gap(&m, scaled), left_over(&m, R));
    }
}

/* ---- hypotheses ---- */

static void some_best(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);

    for (int64_t i = 0; i < m.n; i++) {
        trop_judge_at_least(judge, "lead of the best scores", i, gap_of(&m, i), 0, 1e-6);
        trop_judge_at_most(judge, "lead of the best scores", i, gap_of(&m, i), 1e6, 0);
    }
}

static void one_best(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);

    for (int64_t i = 0; i < m.n; i++) {
        int64_t count = 0;
        for (int64_t t = 0; t < m.T; t++) {
            count += trop_mm_best_is(&m, i, t);
        }
        trop_judge_truth(judge, "one token is the best", i, count == 1);
    }
    some_best(judge, c);
}

/* Where several tokens are best, the library does not start along p_mm: the point that it found
 * counts as a minimum only if it is no worse than p_mm. */
static void minimiser(struct trop_judge *judge, const struct trop_case *c)
{
    struct trop_judge inner = { .side = TROP_JUDGE_CONCLUSION };

    judge_losses(&inner, c);
    trop_judge_truth(judge, "no loss of the path is above that of R p_mm/|p_mm|", -1,
                     inner.failures == 0);
    trop_judge_free(&inner);
}

/* ---- the conclusion ---- */

static void conclude_several(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);
    const struct trop_view path = trop_case_view(c, "path"), own = trop_case_view(c, "own");
    const double upper = trop_case_number(c, "p_mm_upper");

    for (int64_t row = 0; row < path.rows; row++) {
        const double *p = trop_case_view_row(path, row), R = trop_case_array(c, "radius")[row];
        const double share = (constant(&m) + left_over(&m, R)) * upper / R;
        trop_judge_at_most(judge, "norm over R", (int64_t)R, trop_tokens_norm(p, m.dk) / R, 1,
                           16 * DBL_EPSILON);
        if (share < 1) {
            trop_judge_at_most(judge, "1 - cos to its max-margin solution", (int64_t)R,
                               trop_mm_turn(p, trop_case_view_row(own, row), m.dk), share,
                               64 * DBL_EPSILON);
            trop_judge_at_most(judge, "norm of that solution against the least", (int64_t)R,
                               trop_case_array(c, "own_norm")[row], upper / (1 - share),
                               1e-9 * upper);
        }
    }
}

static void conclude_one(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view path = trop_case_view(c, "path"), own = trop_case_view(c, "own");

    conclude_several(judge, c);
    trop_judge_at_most(
        judge, "1 - cos at the last radius against the first", -1,
        trop_mm_turn(trop_case_view_row(path, -1), trop_case_view_row(own, -1), path.columns),
        trop_mm_turn(path.at, own.at, path.columns) / 4, 64 * DBL_EPSILON);
    judge_losses(judge, c);
}

const struct trop_claim trop_mm_thm_1 = {
    .id = "mm-thm-1",
    .title = "the regularisation path tends to max margin",
    .statement =
        "Where every input has one best token and the tokens can be separated, the "
        "minimiser of the loss over |p| <= R tends in direction to the max-margin solution "
        "for the best tokens as R grows.",
    .status = TROP_CLAIM_PROVED,
    .remark =
        "Read with a rate that follows from the proof: 1 - cos <= B |p_mm| / R with B = "
        "log(n T^2 Gamma / (gap min|l'|)), for every point whose loss is at most that of R "
        "p_mm/|p_mm|, which is judged too; and 1 - cos falls by a factor of 4 at least from R = "
        "10 to 500. Logistic loss.",
    .inputs = "X y v K",
    .hypotheses = TROP_HYPOTHESES(
        { "unique-best", "every input has one token of the highest score", .judge = one_best,
          .broken = "two tokens are best", .edit = "X[0,0:2,-1] = 2 * y[0]" },
        TROP_MM_SEPARABLE("the max-margin problem of the best tokens has a solution")),
    .run = { draw_one, work, conclude_one },
    .spoils = TROP_SPOILS(
        { "the point of the last radius is 1e-6 beyond it", NULL, .edit = "path[-1] *= 1 + 1e-6" },
        { "the point of the last radius is turned by .02", NULL },
        { "the solution without one constraint, and the last point along it", NULL },
        TROP_MM_INSEPARABLE),
    .asymptotic = 1,
    .trials = 10,
};

const struct trop_claim trop_mm_thm_8 = {
    .id = "mm-thm-8",
    .title = "the regularisation path with several best tokens",
    .statement = "Where inputs have several best tokens, the minimiser of the loss over |p| <= R "
                 "tends in direction to the set of shortest p for which in every input some best "
                 "token leads all that are not best by 1.",
    .status = TROP_CLAIM_PROVED,
    .remark =
        "The set is found by trying every choice of best tokens, one convex problem each. Read "
        "with the rate of mm-thm-1: the point prefers a choice whose solution is longer than "
        "the least by a factor of 1 / (1 - B |p_mm| / R) at most, and is within 1 - cos <= B "
        "|p_mm| / R of it. Linear head, for which mixing hurts (mm-lem-14).",
    .inputs = "X y v K",
    .hypotheses = TROP_HYPOTHESES(
        { "some-best", "every input has tokens that score less than the best", .judge = some_best,
          .broken = "all tokens of input 0 score the same", .edit = "X[0,*,-1] = y[0]" },
        TROP_MM_SEPARABLE("the max-margin problem of the best tokens has a solution"),
        { "minimiser", "what was found is no worse than p_mm of the same norm", .judge = minimiser,
          .late = 1 }),
    .run = { draw_several, work, conclude_several },
    .spoils = TROP_SPOILS({ "the solution of the last choice is turned by 1", NULL },
                          { "the point of the last radius is turned by .02", "minimiser" }),
    .trials = 10,
};
