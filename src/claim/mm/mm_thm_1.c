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
 * Both are at most B/(R Xi) away. p(R) itself is what the library found: that it is no worse than
 * R p_mm/|p_mm| is the first line of the conclusion, in logarithms, from our own evaluation of L,
 * and then the bounds above hold for it, whether it is the minimum or not. Logits round by u R |k|,
 * T of them: 64 u (1 + R |k|) is allowed for a logarithm, and 1e-10 R |k| for the tolerance at
 * which the library calls a point stationary (1 - cos of the angle between point and gradient).
 */
#include "claim/mm/mm.h"

#include "claim/tokens.h"

#include "base/alloc.h"
#include "base/math/log.h"
#include "base/status.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define RADII "10,20,50,100,200,500"

static enum trop_status draw_size(struct trop_case *c)
{
    const int64_t n = 1 + trop_case_pick(c, 16, 0, 3), T = 3 + trop_case_pick(c, 16, 1, 2);

    return trop_mm_draw(c, n, T, n * (T - 1) + trop_case_pick(c, 16, 2, 2), 0);
}

static enum trop_status draw_one(struct trop_case *c)
{
    enum trop_status status = draw_size(c);

    return status == TROP_OK ? trop_mm_alpha(c) : status;
}

/* The second best token of each input is made as good as the best. */
static enum trop_status draw_several(struct trop_case *c)
{
    const int given = trop_case_has(c, "X");
    struct trop_mm m;
    enum trop_status status = draw_size(c);

    trop_mm_open(&m, c);
    for (int64_t i = 0; i < m.n && status == TROP_OK && !given; i++) {
        const int64_t a = trop_mm_optimal(&m, i);
        int64_t second = a > 0 ? 0 : 1;
        for (int64_t t = 0; t < m.T; t++) {
            const int better = trop_mm_score(&m, i, t) > trop_mm_score(&m, i, second);
            second = t != a && better ? t : second;
        }
        double *x = trop_case_array(c, "X") + i * m.T * m.d;
        x[second * m.d + m.d - 1] = x[a * m.d + m.d - 1];
    }
    return status;
}

/* B of the file comment. */
static double constant(const struct trop_mm *m)
{
    double gap = INFINITY, slope = 1;

    for (int64_t i = 0; i < m->n; i++) {
        const double best = trop_mm_score(m, i, trop_mm_optimal(m, i));
        slope = fmin(slope, trop_mm_slope(best));
        for (int64_t t = 0; t < m->T; t++) {
            gap = trop_mm_best_is(m, i, t) ? gap : fmin(gap, best - trop_mm_score(m, i, t));
        }
    }
    return trop_log((double)(m->n * m->T * m->T) * trop_mm_spread(m) / (gap * slope));
}

/* "own" (rows, dk) and "own_norm" (rows): of the choice of each point of the path. */
static enum trop_status solve_own(struct trop_case *c)
{
    struct trop_mm m;
    const double *path = trop_case_array(c, "path");
    const int64_t rows = trop_case_size(c, "path", 0);
    double *own = NULL, *norm = NULL;

    trop_mm_open(&m, c);
    enum trop_status status = trop_case_make(&own, c, "own", rows, m.dk, 0);
    status = status == TROP_OK ? trop_case_make(&norm, c, "own_norm", rows, 0, 0) : status;
    for (int64_t row = 0; row < rows && status == TROP_OK; row++) {
        status = trop_mm_best_solve_choice(c, &m, path + row * m.dk);
        if (status == TROP_OK) {
            memcpy(own + row * m.dk, trop_case_array(c, "choice"), (size_t)m.dk * sizeof *own);
            norm[row] = trop_case_number(c, "choice_lower");
        }
    }
    return status;
}

static enum trop_status work(struct trop_case *c)
{
    struct trop_path_options o = trop_path_options_default();
    enum trop_status status = trop_mm_best_solve(c);

    if (status != TROP_OK || trop_case_number(c, "p_mm_solved") != 1) {
        return status;
    }
    o.model = TROP_TRAIN_PROMPT;
    o.radius = RADII;
    o.starts = 8;
    status = trop_mm_path(c, &o);
    return status == TROP_OK ? solve_own(c) : status;
}

/* The error of a logarithm of the loss that the library computes: rounding, and its tolerance. */
static double left_over(const struct trop_mm *m, double R)
{
    return (64 * DBL_EPSILON + 1e-10) * (1 + R * trop_mm_reach(m));
}

/* The loss of every point against that of p_mm at the same norm. */
static enum trop_status judge_losses(struct trop_judge *judge, const struct trop_case *c)
{
    struct trop_mm m;
    const double *best = trop_case_array(c, "p_mm"), *path = trop_case_array(c, "path");

    trop_mm_open(&m, c);
    double *scaled = trop_alloc(m.dk, sizeof *scaled);
    if (!scaled) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a point of the path");
    }
    for (int64_t row = 0; row < trop_case_size(c, "path", 0); row++) {
        const double R = trop_case_array(c, "radius")[row];
        for (int64_t k = 0; k < m.dk; k++) {
            scaled[k] = best[k] * R / trop_tokens_norm(best, m.dk);
        }
        trop_judge_at_most(judge, "log(L - L*) against that of R p_mm/|p_mm|", (int64_t)R,
                           trop_mm_log_gap(&m, path + row * m.dk), trop_mm_log_gap(&m, scaled),
                           left_over(&m, R));
    }
    trop_alloc_free(scaled);
    return TROP_OK;
}

/* ---- hypotheses ---- */

static enum trop_status how_many(struct trop_judge *judge, const struct trop_case *c, int one)
{
    struct trop_mm m;

    trop_mm_open(&m, c);
    for (int64_t i = 0; i < m.n; i++) {
        const double best = trop_mm_score(&m, i, trop_mm_optimal(&m, i));
        int64_t count = 0;
        double gap = INFINITY;
        for (int64_t t = 0; t < m.T; t++) {
            count += trop_mm_best_is(&m, i, t);
            gap = trop_mm_best_is(&m, i, t) ? gap : fmin(gap, best - trop_mm_score(&m, i, t));
        }
        if (one) {
            trop_judge_truth(judge, "one token is the best", i, count == 1);
        }
        trop_judge_at_least(judge, "lead of the best scores", i, gap, 0, 1e-6);
        trop_judge_at_most(judge, "lead of the best scores", i, gap, 1e6, 0);
    }
    return TROP_OK;
}

static enum trop_status one_best(struct trop_judge *judge, const struct trop_case *c)
{
    return how_many(judge, c, 1);
}

static enum trop_status some_best(struct trop_judge *judge, const struct trop_case *c)
{
    return how_many(judge, c, 0);
}

static const struct trop_hypothesis one_hypotheses[] = {
    { "unique-best", "every input has one token of the highest score", one_best, 0 },
    { "separable", "the max-margin problem of the best tokens has a solution", trop_mm_old_separable,
      1 },
    { 0 },
};

/* Where several tokens are best, the library does not start along p_mm: the point that it found
 * counts as a minimum only if it is no worse than p_mm. */
static enum trop_status minimiser(struct trop_judge *judge, const struct trop_case *c)
{
    struct trop_judge inner = { .side = TROP_JUDGE_CONCLUSION };
    enum trop_status status = judge_losses(&inner, c);

    trop_judge_truth(judge, "no loss of the path is above that of R p_mm/|p_mm|", -1,
                     inner.failures == 0);
    trop_judge_free(&inner);
    return status;
}

static const struct trop_hypothesis several_hypotheses[] = {
    { "some-best", "every input has tokens that score less than the best", some_best, 0 },
    { "separable", "the max-margin problem of the best tokens has a solution", trop_mm_old_separable,
      1 },
    { "minimiser", "what was found is no worse than p_mm of the same norm", minimiser, 1 },
    { 0 },
};

/* ---- the conclusion ---- */

static void judge_row(struct trop_judge *judge, const struct trop_case *c, const struct trop_mm *m,
                      int64_t row)
{
    const double *p = trop_case_array(c, "path") + row * m->dk;
    const double *own = trop_case_array(c, "own") + row * m->dk;
    const double R = trop_case_array(c, "radius")[row], upper = trop_case_number(c, "p_mm_upper");
    const double share = (constant(m) + left_over(m, R)) * upper / R;

    trop_judge_at_most(judge, "norm over R", (int64_t)R, trop_tokens_norm(p, m->dk) / R, 1,
                       16 * DBL_EPSILON);
    trop_judge_at_most(judge, "1 - cos to its max-margin solution", (int64_t)R,
                       trop_mm_turn(p, own, m->dk), share, 64 * DBL_EPSILON);
    if (share < 1) {
        trop_judge_at_most(judge, "norm of that solution against the least", (int64_t)R,
                           trop_case_array(c, "own_norm")[row], upper / (1 - share), 1e-9 * upper);
    }
}

static enum trop_status conclude_several(struct trop_judge *judge, const struct trop_case *c)
{
    struct trop_mm m;
    const int64_t rows = trop_case_size(c, "path", 0);

    trop_mm_open(&m, c);
    for (int64_t row = 0; row < rows; row++) {
        judge_row(judge, c, &m, row);
    }
    return TROP_OK;
}

static enum trop_status conclude_one(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t last = trop_case_size(c, "path", 0) - 1, dk = trop_case_size(c, "path", 1);
    const double *path = trop_case_array(c, "path"), *own = trop_case_array(c, "own");
    enum trop_status status = conclude_several(judge, c);

    trop_judge_at_most(judge, "1 - cos at the last radius against the first", -1,
                       trop_mm_turn(path + last * dk, own + last * dk, dk),
                       trop_mm_turn(path, own, dk) / 4, 64 * DBL_EPSILON);
    return status == TROP_OK ? judge_losses(judge, c) : status;
}

/* ---- spoils ---- */

/* Turns the last point by a right angle, in the plane of the first two coordinates that allow
 * it. */
static enum trop_status turn(struct trop_case *c)
{
    const int64_t rows = trop_case_size(c, "path", 0), dk = trop_case_size(c, "path", 1);
    double *p = trop_case_array(c, "path") + (rows - 1) * dk;
    const double size = trop_tokens_norm(p, dk);

    for (int64_t k = 0; k + 1 < dk; k += 2) {
        const double a = p[k], b = p[k + 1];
        p[k] = a - .02 * b;
        p[k + 1] = b + .02 * a;
    }
    const double now = trop_tokens_norm(p, dk);
    for (int64_t k = 0; k < dk; k++) {
        p[k] *= size / now;
    }
    return TROP_OK;
}

/* p_mm without the constraints of the first of its rows: that token's key moves out of the way. */
static enum trop_status drop_row(struct trop_case *c)
{
    struct trop_mm m;
    const int has_keys = trop_case_has(c, "K");
    double kept[64];

    trop_mm_open(&m, c);
    int64_t t = 0;
    while (t < m.T - 1 && trop_mm_best_is(&m, 0, t)) {
        t++;
    }
    double *key = trop_case_array(c, has_keys ? "K" : "X") + t * m.dk;
    const double *p = trop_case_array(c, "p_mm");
    for (int64_t k = 0; k < m.dk && k < 64; k++) {
        kept[k] = key[k];
        key[k] -= 100 * p[k];
    }
    enum trop_status status = trop_mm_best_solve(c);
    for (int64_t k = 0; k < m.dk && k < 64; k++) {
        key[k] = kept[k];
    }
    /* The path of that solution. */
    const int64_t rows = trop_case_size(c, "path", 0);
    double *last = trop_case_array(c, "path") + (rows - 1) * m.dk;
    const double R = trop_case_array(c, "radius")[rows - 1];
    const double *wrong = trop_case_array(c, "p_mm");
    for (int64_t k = 0; k < m.dk && status == TROP_OK; k++) {
        last[k] = wrong[k] * R / trop_tokens_norm(wrong, m.dk);
    }
    return status;
}

static enum trop_status second_best(struct trop_case *c)
{
    struct trop_mm m;

    trop_mm_open(&m, c);
    const int64_t a = trop_mm_optimal(&m, 0), t = a > 0 ? 0 : 1;
    double *x = trop_case_array(c, "X");
    x[t * m.d + m.d - 1] = x[a * m.d + m.d - 1];
    return TROP_OK;
}

static enum trop_status all_best(struct trop_case *c)
{
    struct trop_mm m;

    trop_mm_open(&m, c);
    for (int64_t t = 1; t < m.T; t++) {
        trop_case_array(c, "X")[t * m.d + m.d - 1] = m.x[m.d - 1];
    }
    return TROP_OK;
}

static enum trop_status longer(struct trop_case *c)
{
    const int64_t rows = trop_case_size(c, "path", 0), dk = trop_case_size(c, "path", 1);

    for (int64_t k = 0; k < dk; k++) {
        trop_case_array(c, "path")[(rows - 1) * dk + k] *= 1 + 1e-6;
    }
    return TROP_OK;
}

static const struct trop_spoil one_spoils[] = {
    { "the point of the last radius is 1e-6 beyond it", NULL, longer },
    { "the point of the last radius is turned by .02", NULL, turn },
    { "the solution without one constraint, and the last point along it", NULL, drop_row },
    { "two tokens are best", "unique-best", second_best },
    { "the best token has the key of another", "separable", trop_mm_spoil_keys },
    { 0 },
};

/* Turns the solution by an angle of 1, in every second plane of coordinates. */
static enum trop_status turn_solution(struct trop_case *c)
{
    const int64_t rows = trop_case_size(c, "own", 0), dk = trop_case_size(c, "own", 1);
    double *p = trop_case_array(c, "own") + (rows - 1) * dk;

    for (int64_t k = 0; k + 1 < dk; k += 2) {
        const double a = p[k], b = p[k + 1];
        p[k] = .5403 * a - .8415 * b;
        p[k + 1] = .5403 * b + .8415 * a;
    }
    return TROP_OK;
}

static const struct trop_spoil several_spoils[] = {
    { "the solution of the last choice is turned by 1", NULL, turn_solution },
    { "the point of the last radius is turned by .02", "minimiser", turn },
    { "all tokens of input 0 score the same", "some-best", all_best },
    { 0 },
};

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
    .old_inputs = trop_mm_inputs,
    .hypotheses = one_hypotheses,
    .old_draw = draw_one,
    .old_work = work,
    .old_conclude = conclude_one,
    .spoils = one_spoils,
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
    .old_inputs = trop_mm_inputs,
    .hypotheses = several_hypotheses,
    .old_draw = draw_several,
    .old_work = work,
    .old_conclude = conclude_several,
    .spoils = several_spoils,
    .trials = 10,
};
