/* mm_lem_smooth.c -- smoothness, descent and growth (max-margin paper, the lemma on L_p, the
 * descent lemma, and the growth of the norm).
 *
 *   L_p = mean over inputs of (M0 |g_i|^2 + 3 M1 |g_i|) |K_i|^2,   M1 >= |l'|, M0 >= |l''|
 *
 * is a Lipschitz constant of the gradient of L: judged on pairs of points near and far, with the
 * gradients that the library's gradient descent takes (a step of eta = 1 is the gradient to within
 * a few u |p|). The printed form with norms of v, W and X is larger, so that it follows. How much
 * larger it is than what gradients do depends on the data: for keys k and -k with scores a and -a,
 * the Hessian at p = 0 is (a |k|)^2/4 and L_p is (a |k|)^2 + 6 sqrt(2) a |k|^2, four times that for
 * large a. Every fourth draw is of this kind.
 *
 * With eta <= 1/L_p every step satisfies L(p+) - L(p) <= -(eta/2)|grad|^2: judged at every step of
 * a run, L from its formula, the gradient from the step itself. L is l of f = g_a - sum s_t (g_a -
 * g_t), |l'| <= 1: a score is off by (d + 1) u |v| |x|, a logit's difference by (dk + 2) u |k_a -
 * k_t| |p|, which moves f by twice that part of the spread of the scores, and the sums by (T + 6) u
 * of the spread.
 *
 * The norm of gradient descent grows as log t / Xi, Xi = 1/|p_mm| of what is selected in the end:
 * the gradient is of order e^(-Xi |p|). Read as the slope over the last factor of ten of the steps,
 * times Xi / log 10: between .75 and 1.25. (Corrections are of order 1/log t.) Keys of size 9 are
 * far from that after 1e5 steps: one step of length 1 may leave gradients of e^-51, and the growth
 * comes after e^51 steps; or one neighbour is behind by 20 and another by 10, and p turns until t
 * is e^10 times as large. So it is supposed that |p| has grown so in the factor of ten before.
 */
#include "claim/mm/mm.h"

#include "base/math/exp.h"
#include "base/math/log.h"

#include <float.h>
#include <math.h>

#define PAIRS 8

/* ---- pairs of gradients ---- */

/* Keys k and -k with scores a and -a, a from 10 to 1000. */
static void draw_opposite(struct trop_case *c, int64_t dk)
{
    const double a = trop_exp(trop_log(10) * (1 + 2 * trop_case_uniform(c, 19, 0)));

    trop_mm_draw(c, 1, 2, dk, 0);
    double *key = trop_case_array(c, "K"), *x = trop_case_array(c, "X");
    for (int64_t k = 0; k < dk; k++) {
        key[dk + k] = -key[k];
    }
    x[dk] = a;
    x[2 * dk + 1] = -a;
}

static void draw_pairs(struct trop_case *c)
{
    const int64_t n = 1 + trop_case_pick(c, 16, 0, 3), T = 2 + trop_case_pick(c, 16, 1, 4);
    const int64_t dk = 2 + trop_case_pick(c, 16, 2, 4);

    if (c->trial % 4 == 3 && !trop_case_has(c, "X")) {
        draw_opposite(c, dk);
    }
    trop_mm_draw(c, n, T, dk, 0);
    trop_case_default(c, "M0", .25);
    trop_case_default(c, "M1", 1);
}

/* "points" and "gradients" (2 PAIRS, dk): 2 j and 2 j + 1 are a pair, the first 0 and a short way
 * along the difference of two keys. */
static void work_pairs(struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);
    const double reach = trop_mm_reach(&m), steep = trop_mm_spread(&m) * reach * reach;
    double *points = trop_case_zeros(c, "points", 2 * PAIRS, m.dk, 0);

    for (int64_t k = 0; k < m.dk && steep > 0; k++) {
        points[m.dk + k] = .1 / steep * (m.key[k] - m.key[m.dk + k]);
    }
    for (int64_t j = steep > 0 ? 2 : 0; j < 2 * PAIRS; j++) {
        double *p = points + j * m.dk;
        const double length = j % 2 ? trop_exp(-7 * trop_case_uniform(c, 17, j)) * 2
                                    : 3 * trop_case_uniform(c, 18, j);
        trop_mm_unit(p, c, j, m.dk);
        for (int64_t k = 0; k < m.dk; k++) {
            p[k] = length * p[k] + (j % 2 ? p[k - m.dk] : 0);
        }
    }
    trop_mm_moves(c, "points", "gradients", "gd");
    for (int64_t k = 0; k < 2 * PAIRS * m.dk; k++) {
        trop_case_array(c, "gradients")[k] *= -1;
    }
}

/* l' and l'' of the logistic loss at the scores: |l'| falls, l'' is largest at the score next to 0,
 * and attention reaches every number between the scores of an input. */
static void slopes(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);
    double low = INFINITY, high = -INFINITY;

    for (int64_t at = 0; at < m.n * m.T; at++) {
        low = fmin(low, trop_mm_score(&m, at / m.T, at % m.T));
        high = fmax(high, trop_mm_score(&m, at / m.T, at % m.T));
    }
    const double next = low > 0 ? low : high < 0 ? high : 0, slope = trop_mm_slope(next);
    trop_judge_at_least(judge, "M1 against the largest |l'|", -1, trop_case_number(c, "M1"),
                        trop_mm_slope(low), 0);
    trop_judge_at_least(judge, "M0 against the largest l''", -1, trop_case_number(c, "M0"),
                        slope * (1 - slope), 0);
}

static void conclude_pairs(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);
    const double *points = trop_case_array(c, "points"), *g = trop_case_array(c, "gradients");
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
}

/* ---- descent ---- */

static void draw_descent(struct trop_case *c)
{
    const int64_t n = 1 + trop_case_pick(c, 16, 0, 3), T = 2 + trop_case_pick(c, 16, 1, 3);

    trop_mm_draw(c, n, T, 2 + trop_case_pick(c, 16, 2, 3), 0);
    const struct trop_mm m = trop_mm_of(c);
    trop_case_default(c, "eta", .999 / trop_mm_smoothness(&m, .25, 1));
}

/* Every step is recorded. */
static void work_descent(struct trop_case *c)
{
    trop_case_records(c,
                      trop_case_train(c,
                                      "model=prompt optimizer=gd eta=@eta steps=300 records=1000 "
                                      "start=normal start_scale=1 seed=%llu",
                                      (unsigned long long)c->seed + (uint64_t)c->trial),
                      "weights=p");
}

/* Of L at a point of that norm, as above. */
static double loss_rounding(const struct trop_mm *m, double norm)
{
    const double scores =
        trop_tokens_norm(m->v, m->d) * trop_tokens_radius(m->x, m->n * m->T, m->d);
    const double logits = (double)(m->dk + 2) * trop_mm_reach(m) * norm;

    return DBL_EPSILON / 2 *
           (3 * (double)(m->d + 1) * scores +
            trop_mm_spread(m) * (2 * logits + (double)(m->T + 6)));
}

static void conclude_descent(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);
    const double *p = trop_case_array(c, "p"), eta = trop_case_number(c, "eta");

    for (int64_t row = 1; row < trop_case_size(c, "p", 0); row++) {
        const double *now = p + row * m.dk, *before = now - m.dk;
        const double loss = trop_mm_loss(&m, before);
        double squares = 0;
        for (int64_t k = 0; k < m.dk; k++) {
            squares += (now[k] - before[k]) * (now[k] - before[k]);
        }
        const double norm = trop_tokens_norm(now, m.dk);
        const double rounding = 32 * DBL_EPSILON * (loss + norm / eta * sqrt(squares)) +
                                loss_rounding(&m, norm) +
                                loss_rounding(&m, trop_tokens_norm(before, m.dk));
        trop_judge_at_most(judge, "loss after the step", row, trop_mm_loss(&m, now),
                           loss - squares / (2 * eta), rounding);
    }
}

/* ---- growth ---- */

static void draw_growth(struct trop_case *c)
{
    static const double steps[] = { 10000, 100000, 1000000 };
    const int64_t n = 1 + trop_case_pick(c, 16, 0, 2), T = 2 + trop_case_pick(c, 16, 1, 3);

    trop_mm_draw(c, n, T, n * (T - 1) + 1, 0);
    trop_tokens_count(c, "steps", steps[c->effort], 1, 1e9);
}

/* Growth of |p| over the factor of ten up to these steps, over log 10 / margin. */
static double gain(const struct trop_case *c, int64_t steps)
{
    const struct trop_view p = trop_case_view(c, "p");
    const int64_t to = trop_case_row(c, "p_step", steps);
    const int64_t from = trop_case_row(c, "p_step", steps / 10);

    return to < 0 || from < 0 ? NAN
                              : (trop_tokens_norm(trop_case_view_row(p, to), p.columns) -
                                 trop_tokens_norm(trop_case_view_row(p, from), p.columns)) /
                                    (trop_log(10) * trop_case_number(c, "p_mm_upper"));
}

/* "p", and of it "tenth": at a tenth of the steps; "gain" up to there. */
static void work_growth(struct trop_case *c)
{
    trop_case_records(c, trop_case_train(c, "model=prompt optimizer=gd eta=1 steps=@steps"),
                      "weights=p step=p_step");
    const struct trop_view p = trop_case_view(c, "p");
    const int64_t row = trop_case_row(c, "p_step", trop_case_integer(c, "steps") / 10);
    if (row >= 0) {
        trop_case_copy_in(c, "tenth", trop_case_view_row(p, row), p.columns, 0, 0);
    }
    trop_mm_select(c, trop_case_view_row(p, -1));
    trop_mm_solve(c);
    trop_case_put(c, "gain", gain(c, trop_case_integer(c, "steps") / 10));
}

/* The same tokens have nearly all attention at the end and at a tenth of the steps. */
static void settled(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);
    const double *tenth = trop_case_array(c, "tenth");

    for (int64_t i = 0; i < m.n && tenth; i++) {
        trop_judge_at_most(judge, "attention of other tokens at a tenth of the steps", i,
                           trop_mm_rest(&m, i, (int64_t)m.alpha[i], tenth), .02, 0);
    }
}

static void conclude_growth(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view p = trop_case_view(c, "p");
    const double grown = trop_tokens_norm(trop_case_view_row(p, -1), p.columns) -
                         trop_tokens_norm(trop_case_array(c, "tenth"), p.columns);

    trop_judge_near(judge, "growth of |p| over log 10 / margin", -1,
                    grown / (trop_log(10) * trop_case_number(c, "p_mm_upper")), 1, .25);
}

/* ---- the claims ---- */

const struct trop_claim trop_mm_lem_smooth = {
    .id = "mm-lem-smooth",
    .title = "L_p is a Lipschitz constant of the gradient",
    .statement = "Gradients of the loss at two points differ by at most L_p times their distance, "
                 "L_p the mean over inputs of (M0 |g_i|^2 + 3 M1 |g_i|) |K_i|^2, g_i the scores.",
    .status = TROP_CLAIM_PROVED,
    .remark = "The constant of the proof, which is at most the printed one. Logistic loss.",
    .inputs = "X y v K M0 M1",
    .hypotheses = TROP_HYPOTHESES({ "slopes", "M1 and M0 bound |l'| and l'' on the scores",
                                    .judge = slopes, .broken = "M0 = .01", .edit = "M0 = .01" }),
    .run = { draw_pairs, work_pairs, conclude_pairs },
    .spoils = TROP_SPOILS({ "a gradient moved by 2.1 L_p times the distance of its pair", NULL }),
    .trials = 100,
};

const struct trop_claim trop_mm_rate_descent = {
    .id = "mm-rate-descent",
    .title = "every step lowers the loss",
    .statement = "A step of gradient descent with eta <= 1/L_p lowers the loss by at least (eta/2) "
                 "|grad|^2.",
    .status = TROP_CLAIM_PROVED,
    .inputs = "X y v K eta",
    .hypotheses = TROP_HYPOTHESES(TROP_MM_SMALL_STEP),
    .run = { draw_descent, work_descent, conclude_descent },
    .spoils = TROP_SPOILS(
        { "the first step is taken backwards", NULL, .edit = "p[1] = 2 * p[0] - p[1]" }),
    .trials = 50,
};

const struct trop_claim trop_mm_rate_norm = {
    .id = "mm-rate-norm",
    .title = "the norm grows as log t / margin",
    .statement = "Under gradient descent that saturates at a locally optimal selection |p(t)| "
                 "grows by log 10 times |p_mm| for every factor of ten of t, p_mm the max-margin "
                 "solution of what is selected.",
    .status = TROP_CLAIM_CONJECTURED,
    .remark =
        "Not in the paper: what its gradient bounds suggest. Read on the last factor of ten of "
        "a run with eta = 1, to 25%, where it did so to 25% in the one before; corrections are of "
        "order "
        "1/log t.",
    .inputs = "X y v K steps",
    .hypotheses = TROP_HYPOTHESES(
        TROP_MM_SEPARABLE("the max-margin problem of what is selected has a solution"),
        { "settled", "98% of the attention is there after a tenth of the steps", .judge = settled,
          .late = 1, .broken = "p = 0 at a tenth of the steps", .edit = "tenth = 0" },
        /* Else a neighbour with a higher score takes over in the end (mm-thm-4). */
        { "locally-optimal", "selected tokens score above their neighbours",
          .holds = "they do: p_mm_local == 1", .late = 1, .broken = "they do not",
          .edit = "p_mm_local = 0" },
        { "logarithmic", "|p| grew as log t in the factor of ten before the last",
          .holds = "growth over log 10 / margin: gain >= .75; "
                   "growth over log 10 / margin: gain <= 1.25",
          .late = 1, .broken = "a |p| that stood still", .edit = "gain = 0" }),
    .run = { draw_growth, work_growth, conclude_growth },
    .spoils = TROP_SPOILS({ "|p| grows as the square root of t", NULL,
                            .edit = "p[-1] = 3.1622776601683795 * tenth" }),
    .asymptotic = 1,
    .trials = 20,
};
