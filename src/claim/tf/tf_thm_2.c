/* tf_thm_2.c -- the regularisation path turns to W_mm (theorem 2).
 *
 * Let W(R) minimise L over |W|_F <= R, Theta = 1/|W_mm|, m(W) the least lead of the best tokens.
 * From the convexity of l and e_i = sum_t s_it (gamma_i,opt - gamma_it),
 *
 *   L(W) - L* >= (1/n) min_i |l'(gamma_i,opt)| g e^-m(W) / T      when m(W) >= 0,
 *   L(R Theta W_mm) - L* <= Gamma (T - 1) e^(-R Theta),
 *
 * g the least and Gamma the largest gap of scores and |l'| <= 1. As L(W(R)) is the least, m(W(R))
 * >= R Theta - log C with C = n T (T - 1) Gamma / (g min |l'|), and since W(R)/m satisfies the
 * constraints, <W(R)/m, W_mm> >= |W_mm|^2. Together
 *
 *   1 - cos(W(R), W_mm) <= log C / (R Theta):
 *
 * a bound with its constant, which is what is checked at radii of R Theta = 2, 4, ..., 32 log C.
 * Rounding of the cosine is 1e-12 at most. The lower bound of |W_mm| takes the place of its norm.
 */
#include "claim/tf/tf.h"

#include "base/math/log.h"
#include "claim/tokens.h"

#include <math.h>

#define RADII 5

static void draw(struct trop_case *c)
{
    const int64_t n = 1 + trop_case_pick(c, 41, 0, 2), T = 2 + trop_case_pick(c, 41, 1, 2);

    trop_tf_draw(c, n, T, (n > T - 1 ? n : T - 1) + 1);
}

/* log C of the bound above. */
static double log_constant(const struct trop_tf *m)
{
    return trop_tf_log_constant(m, m->n * m->T * (m->T - 1));
}

static void work(struct trop_case *c)
{
    const struct trop_tf m = trop_tf_of(c);
    double *radius = trop_case_zeros(c, "radius", RADII, 0, 0);

    trop_tf_solution(c, "W_mm", NULL, "l2");
    for (int64_t k = 0; k < RADII; k++) {
        radius[k] =
            (double)(2 << k) * log_constant(&m) * fmin(trop_case_number(c, "W_mm_upper"), 1e6);
    }
    if (trop_case_number(c, "W_mm_outcome") == TROP_OUTCOME_SOLVED) {
        trop_case_radii(c, "weights=W", "model=cross radius=@radius");
        trop_case_reshape(c, "W", RADII, m.d, m.d);
    }
}

/* The point that was found is no worse than R W_mm / |W_mm|, and inside the ball. */
static void minimal(struct trop_judge *judge, const struct trop_case *c)
{
    const double *radius = trop_case_array(c, "radius");
    const struct trop_view found = trop_case_view(c, "W");
    const struct trop_tf m = trop_tf_of(c);

    for (int64_t k = 0; k < found.rows; k++) {
        const double *w = trop_case_view_row(found, k),
                     *ray = trop_tf_scaled(c, trop_case_array(c, "W_mm"), m.size, radius[k]);
        /* Losses are e^(-logit): the rounding of a logit is relative to them. */
        trop_judge_truth(judge, "L(W(R)) is at most L(R W_mm/|W_mm|)", k,
                         trop_log(trop_tf_gap(&m, w)) <=
                             trop_log(trop_tf_gap(&m, ray)) + 8 * trop_tf_rounding(&m, ray));
        trop_judge_truth(judge, "|W(R)| is at most R", k,
                         trop_tokens_norm(w, m.size) <= radius[k] * (1 + 1e-12));
    }
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const double *mm = trop_case_array(c, "W_mm"), *radius = trop_case_array(c, "radius");
    const struct trop_view found = trop_case_view(c, "W");
    const struct trop_tf m = trop_tf_of(c);
    const double theta = 1 / trop_case_number(c, "W_mm_upper");

    for (int64_t k = 0; k < found.rows; k++) {
        trop_judge_at_most(judge, "1 - cos(W(R), W_mm)", k,
                           trop_tf_bend(trop_case_view_row(found, k), mm, m.size),
                           log_constant(&m) / (radius[k] * theta), 1e-12);
    }
}

const struct trop_claim trop_tf_thm_2 = {
    .id = "tf-thm-2",
    .title = "the regularisation path turns to W_mm",
    .statement =
        "With a unique best token in every input that some W separates, the minimisers W(R) "
        "of the loss over |W|_F <= R have directions that converge to that of W_mm.",
    .status = TROP_CLAIM_PROVED,
    .remark =
        "Read as 1 - cos(W(R), W_mm) <= |W_mm| log C / R, which the proof gives with its "
        "constant C, at five radii. The path of (K, Q), which by lemma 15 is the one over the "
        "nuclear ball, is not computed.",
    .inputs = "X y v z",
    .hypotheses = TROP_HYPOTHESES(
        TROP_TF_UNIQUE, TROP_TF_FEASIBLE,
        { "minimal", "W(R) is in the ball, its loss at most that of the max-margin direction",
          .judge = minimal, .late = 1,
          .broken = "the point of the first radius is outside the ball by 1e-3",
          .edit = "W[0] *= 1.001" }),
    .run = { draw, work, conclude },
    .spoils = TROP_SPOILS(/* The points that were found are still no worse than it, so only the
                             conclusion sees it. */
                          { "the direction of W_mm is reversed", NULL, .edit = "W_mm *= -1" },
                          { "the solution for another token of input 0 stands for W_mm", NULL }),
    .trials = 20,
};
