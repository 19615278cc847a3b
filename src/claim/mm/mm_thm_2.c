/* mm_thm_2.c -- gradient descent under equal scores, and why one input (max-margin paper, theorem 2
 * and appendix E).
 *
 * Theorem 2: under assumption B, with eta <= 1/L_p, |p(t)| -> infinity, and for n = 1 the direction
 * tends to p_mm. A rate that can be decided, for n = 1: with a_t = k_opt - k_t and the convex
 * function
 *
 *   F(p) = log sum_(t != opt) e^(-<a_t, p>),
 *
 * the gradient of L is a positive multiple of that of F, so a step is one of gradient descent on F,
 * of some size w: F falls by w |F'|^2 - (H/2) w^2 |F'|^2, H = D^2/4, D the largest distance of two
 * keys. |F'| >= Xi = 1/|p_mm|, and the squares of all steps sum to 2 eta (L(p(0)) - L*) at most
 * (descent lemma). The margin is at least -F, so that after any number of steps
 *
 *   margin(p) >= Xi |p - p(0)| - F(p(0)) - H eta (L(p(0)) - L*),
 *   1 - cos(p, p_mm) <= ( |p(0)| + |p_mm| (F(p(0)) + H eta (L(p(0)) - L*)) ) / |p|.
 *
 * <p, p_mm> rises at every step (lemma 4).
 *
 * Tightness: two inputs, a and b the differences best less other token. While the lead -<b, p> of
 * the wrong token of input 1 exceeds the lead <a, p> of the right one of input 0 by D with
 *
 *   q = (slope(best_0) gap_0 / slope(low_1) gap_1) (1 + e^-<a, p>)^-2 e^D  >  max(|b|^2/g, (|b|^2 -
 * g)/(g - |a|^2)),
 *
 * g = -<a, b> > |a|^2, all three grow at every step, q with them: the wrong token stays forever,
 * and no p(t) comes nearer to the direction of p_mm than 1 - cos = Xi^2 / (2 |b|^2), because <b, p>
 * < 0.
 *
 * A step of eta <= 1/L_p is shorter than 1/|K|, and right to 64 u |p| |K| of that; then it rounds
 * p. From record to record a lead is right to 128 u (1 + |p| (|a| + |b|)) a step: a step that is so
 * short that it is lost in the rounding of p says nothing.
 */
#include "claim/mm/mm.h"

#include "base/math/exp.h"
#include "base/math/log.h"
#include "tropism_lab.h"

#include <float.h>
#include <math.h>

/* ---- instances ---- */

/* The best tokens, a start within .2 or so of (x, 0), a step and how many. */
static void draw_run(struct trop_case *c, double x)
{
    static const double steps[] = { 20000, 50000, 1000000 };

    trop_mm_alpha(c);
    const struct trop_mm m = trop_mm_of(c);
    double *p = trop_case_absent(c, "p0", m.dk, 0, 0);
    for (int64_t k = 0; p && k < m.dk; k++) {
        p[k] = (k == 0 ? x : 0) + .2 * trop_case_normal(c, 17, k);
    }
    trop_case_default(c, "eta", .999 / trop_mm_smoothness(&m, .25, 1));
    trop_tokens_count(c, "steps", steps[c->effort], 1, 1e9);
}

static void draw_one(struct trop_case *c)
{
    const int64_t T = 3 + trop_case_pick(c, 16, 0, 2);

    trop_mm_draw(c, 1, T, T - 1 + trop_case_pick(c, 16, 1, 3), 1);
    draw_run(c, 0);
}

/* The keys of the counterexample, each coordinate moved by .05 or so. */
static void draw_two(struct trop_case *c)
{
    const int given = trop_case_has(c, "X");

    trop_case_try(c, trop_examples_named(c, "mm-fig-8", 0, 0, 0, TROP_DATASET_SEED));
    trop_examples_sphere(c, 0, 0, 0, 0); /* what a person did not give beside X */
    for (int64_t k = 0; k < 8 && !given; k++) {
        trop_case_array(c, "K")[k] += .05 * trop_case_normal(c, 16, k);
    }
    draw_run(c, 3.5);
}

static void work(struct trop_case *c)
{
    trop_mm_solve(c);
    trop_case_records(c,
                      trop_case_train(c, "model=prompt optimizer=gd eta=@eta steps=@steps "
                                         "start_weights=@p0"),
                      "weights=p step=p_step");
}

/* ---- n = 1 ---- */

static double log_sum(const struct trop_mm *m, const double *p)
{
    const int64_t a = (int64_t)m->alpha[0];
    double sum = -INFINITY;

    for (int64_t t = 0; t < m->T; t++) {
        sum = t == a ? sum : trop_log_add(sum, -trop_mm_lead(m, 0, a, t, p));
    }
    return sum;
}

static void conclude_one(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);
    const double *p = trop_case_array(c, "p"),
                 *step = trop_case_array(c, "p_step"); /* row 0: p(0) */
    const double reach = trop_mm_reach(&m), upper = trop_case_number(c, "p_mm_upper");
    const double extra =
        reach * reach / 4 * trop_case_number(c, "eta") * trop_exp(trop_mm_log_gap(&m, p));
    const double room = log_sum(&m, p) + extra;

    for (int64_t row = 1; row < trop_case_size(c, "p", 0); row++) {
        const double *now = p + row * m.dk, *before = now - m.dk;
        const double size = trop_tokens_norm(now, m.dk);
        const double rounding = 64 * DBL_EPSILON * step[row] * size * upper;
        trop_judge_at_least(judge, "<p, p_mm> against the record before", (int64_t)step[row],
                            trop_tokens_dot(now, m.p_mm, m.dk),
                            trop_tokens_dot(before, m.p_mm, m.dk), 0);
        trop_judge_at_least(judge, "margin", (int64_t)step[row], trop_mm_margin(&m, now),
                            (size - trop_tokens_norm(p, m.dk)) / upper - room, rounding);
        trop_judge_at_most(judge, "1 - cos to p_mm", (int64_t)step[row],
                           trop_mm_turn(now, m.p_mm, m.dk),
                           (trop_tokens_norm(p, m.dk) + upper * fmax(0, room)) / size, rounding);
    }
}

/* ---- two inputs ---- */

struct pull {
    double a[16], b[16]; /* best less other key, of input 0 and 1 */
    double aa, bb, ab;
    double right_low, wrong_low; /* scores of the tokens that are not best */
    double right_best, wrong_best;
};

static int open_pull(struct pull *out, const struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);

    if (m.n != 2 || m.T != 2 || m.dk > 16) {
        return 0;
    }
    const int64_t first = trop_mm_optimal(&m, 0), second = trop_mm_optimal(&m, 1);
    for (int64_t k = 0; k < m.dk; k++) {
        out->a[k] = m.key[first * m.dk + k] - m.key[(1 - first) * m.dk + k];
        out->b[k] = m.key[(2 + second) * m.dk + k] - m.key[(3 - second) * m.dk + k];
    }
    out->aa = trop_tokens_dot(out->a, out->a, m.dk);
    out->bb = trop_tokens_dot(out->b, out->b, m.dk);
    out->ab = trop_tokens_dot(out->a, out->b, m.dk);
    out->right_best = trop_mm_score(&m, 0, first);
    out->right_low = trop_mm_score(&m, 0, 1 - first);
    out->wrong_best = trop_mm_score(&m, 1, second);
    out->wrong_low = trop_mm_score(&m, 1, 1 - second);
    return 1;
}

static void captured(struct trop_judge *judge, const struct trop_case *c)
{
    const double *p = trop_case_array(c, "p0");
    const int64_t dk = trop_case_size(c, "p0", 0);
    struct pull f;

    if (!open_pull(&f, c)) {
        trop_judge_truth(judge, "two inputs of two tokens", -1, 0);
        return;
    }
    const double gaps = (f.right_best - f.right_low) / (f.wrong_best - f.wrong_low);
    const double slopes = trop_mm_slope(f.right_best) / trop_mm_slope(f.wrong_low);
    const double right = trop_tokens_dot(f.a, p, dk), wrong = -trop_tokens_dot(f.b, p, dk);
    const double share = 1 / (1 + trop_exp(-right)), g = -f.ab;
    trop_judge_at_least(judge, "-<a, b> against |a|^2", -1, g, f.aa, 1e-9);
    trop_judge_at_least(judge, "lead of the right token of input 0", -1, right, 0, 1e-9);
    trop_judge_at_least(judge, "q against its bounds", -1,
                        slopes * gaps * share * share * trop_exp(wrong - right),
                        fmax(f.bb / g, (f.bb - g) / (g - f.aa)), 1e-9);
}

static void conclude_two(struct trop_judge *judge, const struct trop_case *c)
{
    const double *p = trop_case_array(c, "p"), *step = trop_case_array(c, "p_step");
    const int64_t dk = trop_case_size(c, "p", 1);
    const double upper = trop_case_number(c, "p_mm_upper");
    struct pull f;

    open_pull(&f, c);
    for (int64_t row = 1; row < trop_case_size(c, "p", 0); row++) {
        const double *now = p + row * dk, *before = now - dk;
        const double right = trop_tokens_dot(f.a, now, dk), wrong = -trop_tokens_dot(f.b, now, dk);
        const double wrong_before = -trop_tokens_dot(f.b, before, dk);
        const double rounding = 128 * DBL_EPSILON * (step[row] - step[row - 1]) *
                                (1 + trop_tokens_norm(now, dk) * (sqrt(f.aa) + sqrt(f.bb)));
        trop_judge_at_least(judge, "lead of the wrong token of input 1", (int64_t)step[row], wrong,
                            wrong_before, rounding);
        trop_judge_at_least(judge, "its excess over the other lead", (int64_t)step[row],
                            wrong - right, wrong_before - trop_tokens_dot(f.a, before, dk),
                            rounding);
        trop_judge_at_least(judge, "1 - cos to p_mm", (int64_t)step[row],
                            trop_mm_turn(now, trop_case_array(c, "p_mm"), dk),
                            1 / (2 * upper * upper * f.bb), 0);
    }
}

/* ---- the claims ---- */

const struct trop_claim trop_mm_thm_2 = {
    .id = "mm-thm-2",
    .title = "gradient descent on one input",
    .statement =
        "For one input whose other tokens score the same, gradient descent with eta <= "
        "1/L_p from any start grows without bound and tends in direction to the max-margin "
        "solution.",
    .status = TROP_CLAIM_PROVED,
    .remark = "Read with a rate of ours: 1 - cos <= (|p(0)| + |p_mm| (F(p(0)) + D^2 eta (L(p(0)) - "
              "L*)/4)) / |p|, F the logarithm of the sum of e^(-lead), D the largest distance of "
              "keys; <p, p_mm> rises from record to record.",
    .inputs = "X y v K p0 eta steps",
    .hypotheses = TROP_HYPOTHESES(
        TROP_MM_ONE_INPUT, TROP_MM_EQUAL_OTHERS("all tokens but the best score the same (B)"),
        TROP_MM_SMALL_STEP,
        TROP_MM_SEPARABLE("the max-margin problem of the best token has a solution")),
    .run = { draw_one, work, conclude_one },
    .spoils = TROP_SPOILS({ "the last two records are swapped", NULL, .edit = "swap p[-1] p[-2]" },
                          { "the last record is shorter by a tenth", NULL,
                            .edit = "p[-1] *= .9; p[-2] *= 1 - 1e-3" }),
    .trials = 20,
};

const struct trop_claim trop_mm_rem_tight = {
    .id = "mm-rem-tight",
    .title = "two inputs are too many for theorem 2",
    .statement =
        "There are two inputs of two tokens with equal other scores, and starts, from which "
        "gradient descent with eta <= 1/L_p selects a token that is not the best forever "
        "and never comes near the max-margin direction.",
    .status = TROP_CLAIM_PROVED,
    .remark =
        "The paper prints no numbers. Ours: keys (1, 0), (0, 0) and (0, 0), (2, 1), the first "
        "of each input better, start (3.5, 0), all moved at random a little; the condition "
        "'captured' is kept by every step, which proves it for all times.",
    .inputs = "X y v K p0 eta steps",
    .hypotheses = TROP_HYPOTHESES(
        { "equal-scores", "all tokens but the best of an input score the same (B)",
          .judge = trop_mm_equal_others },
        TROP_MM_SMALL_STEP,
        { "captured", "the wrong token of input 1 leads by enough at the start", .judge = captured,
          .broken = "the start is (0, y)", .edit = "p0[0] = 0" },
        TROP_MM_SEPARABLE("the max-margin problem of the best tokens has a solution")),
    .run = { draw_two, work, conclude_two },
    .spoils = TROP_SPOILS(/* As the theorem would say for one input. */
                          { "the last record is p_mm", NULL, .edit = "p[-1] = p_mm" },
                          { "the last two records are swapped", NULL, .edit = "swap p[-1] p[-2]" }),
    .trials = 20,
};
