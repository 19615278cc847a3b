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

#include "base/alloc.h"
#include "base/math/log.h"
#include "claim/examples.h"
#include "claim/tokens.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define RADII 5

static enum trop_status draw(struct trop_case *c)
{
    const int64_t n = 1 + trop_case_pick(c, 41, 0, 2), T = 2 + trop_case_pick(c, 41, 1, 2);

    return trop_tf_draw(c, n, T, (n > T - 1 ? n : T - 1) + 1);
}

/* log C of the bound above. */
static double log_constant(const struct trop_data *data, const int64_t *alpha)
{
    double least = INFINITY, largest = 0, slope = 1;

    for (int64_t i = 0; i < data->n; i++) {
        least = fmin(least, trop_tf_score_gap(data, i, alpha[i]));
        slope = fmin(slope, trop_tf_slope(trop_tf_score(data, i, alpha[i])));
        for (int64_t t = 0; t < data->T; t++) {
            largest = fmax(largest, trop_tf_score(data, i, alpha[i]) - trop_tf_score(data, i, t));
        }
    }
    return trop_log((double)(data->n * data->T * (data->T - 1)) * largest / (least * slope));
}

static enum trop_status keep_path(struct trop_case *c, const struct trop_path *path)
{
    const int64_t d = trop_case_size(c, "X", 2);
    double *w = NULL;
    enum trop_status status = trop_case_make(&w, c, "W", RADII, d, d);

    for (int64_t row = 0; status == TROP_OK && row < RADII; row++) {
        struct trop_value weights;
        status = trop_field_cell(&weights, trop_path_field_table(), path, "radii", "weights", row);
        if (status == TROP_OK && weights.kind == TROP_KIND_NUMBERS) {
            memcpy(w + row * d * d, weights.numbers, (size_t)(d * d) * sizeof *w);
        }
    }
    return status;
}

static enum trop_status run_path(struct trop_case *c)
{
    const double *radius = trop_case_array(c, "radius");
    struct trop_path_options o = trop_path_options_default();
    struct trop_path *path = NULL;
    struct trop_data data;
    char text[32 * RADII];
    int64_t used = 0;

    trop_examples_data(&data, c);
    for (int64_t k = 0; k < RADII; k++) {
        used +=
            snprintf(text + used, sizeof text - (size_t)used, "%s%.17g", k ? "," : "", radius[k]);
    }
    o.data = &data;
    o.model = TROP_TRAIN_CROSS;
    o.radius = text;
    o.threads = c->threads;
    enum trop_status status = trop_path_create(&path, &o);
    if (status == TROP_OK) {
        status = trop_path_run(path, NULL, NULL);
    }
    if (status == TROP_OK || status == TROP_ERR_STOPPED) {
        status = keep_path(c, path);
    }
    trop_path_free(path);
    return status;
}

static enum trop_status work(struct trop_case *c)
{
    struct trop_data data;
    int64_t alpha[64];
    double *radius = NULL;
    enum trop_status status = trop_tf_solve(c, NULL, TROP_MARGIN_L2, "W_mm");

    trop_examples_data(&data, c);
    trop_examples_optimal(alpha, c);
    if (status == TROP_OK) {
        status = trop_case_make(&radius, c, "radius", RADII, 0, 0);
    }
    for (int64_t k = 0; status == TROP_OK && k < RADII; k++) {
        radius[k] = (double)(2 << k) * log_constant(&data, alpha) *
                    fmin(trop_case_number(c, "W_mm_upper"), 1e6);
    }
    return status == TROP_OK && trop_case_number(c, "W_mm_outcome") == TROP_OUTCOME_SOLVED
               ? run_path(c)
               : status;
}

/* ---- hypotheses ---- */

/* The point that was found is no worse than R W_mm / |W_mm|, and inside the ball. */
static enum trop_status minimal(struct trop_judge *judge, const struct trop_case *c)
{
    const double *mm = trop_case_array(c, "W_mm"), *radius = trop_case_array(c, "radius");
    struct trop_data data;
    int64_t alpha[64];

    trop_examples_data(&data, c);
    trop_examples_optimal(alpha, c);
    const int64_t size = data.d * data.d;
    double *ray = trop_alloc(size, sizeof *ray);
    if (!ray) {
        return TROP_ERR_MEMORY;
    }
    for (int64_t k = 0; k < trop_case_size(c, "W", 0); k++) {
        const double *w = trop_case_array(c, "W") + k * size;
        for (int64_t a = 0; a < size; a++) {
            ray[a] = mm[a] * radius[k] / trop_tokens_norm(mm, size);
        }
        /* Losses are e^(-logit): the rounding of a logit is relative to them. */
        const double one = trop_log(trop_tf_gap(&data, w, alpha));
        const double two = trop_log(trop_tf_gap(&data, ray, alpha));
        trop_judge_truth(judge, "L(W(R)) is at most L(R W_mm/|W_mm|)", k,
                         one <= two + 8 * trop_tf_rounding(&data, ray));
        trop_judge_truth(judge, "|W(R)| is at most R", k,
                         trop_tokens_norm(w, size) <= radius[k] * (1 + 1e-12));
    }
    trop_alloc_free(ray);
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    { "unique", "one token of every input scores highest", trop_tf_unique, 0 },
    { "feasible", "some W selects the best tokens", trop_tf_solved, 1 },
    { "minimal", "W(R) is in the ball, its loss at most that of the max-margin direction", minimal,
      1 },
    { 0 },
};

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const double *mm = trop_case_array(c, "W_mm"), *radius = trop_case_array(c, "radius");
    struct trop_data data;
    int64_t alpha[64];

    trop_examples_data(&data, c);
    trop_examples_optimal(alpha, c);
    const double theta = 1 / trop_case_number(c, "W_mm_upper");
    for (int64_t k = 0; k < trop_case_size(c, "W", 0); k++) {
        trop_judge_at_most(
            judge, "1 - cos(W(R), W_mm)", k,
            trop_tf_bend(trop_case_array(c, "W") + k * data.d * data.d, mm, data.d * data.d),
            log_constant(&data, alpha) / (radius[k] * theta), 1e-12);
    }
    return TROP_OK;
}

/* ---- ways to be wrong ---- */

/* The comparison is with a solution that has forgotten the constraints of one token: the last
 * token of input 0 that is not best is moved far behind. */
static enum trop_status drop_constraint(struct trop_case *c)
{
    struct trop_data data;
    int64_t alpha[64];

    trop_examples_data(&data, c);
    trop_examples_optimal(alpha, c);
    alpha[0] = alpha[0] == 0 ? 1 : 0;
    enum trop_status status = trop_tf_solve(c, alpha, TROP_MARGIN_L2, "W_other");
    if (status == TROP_OK) {
        double *w = trop_case_array(c, "W_mm");
        memcpy(w, trop_case_array(c, "W_other"), (size_t)(data.d * data.d) * sizeof *w);
    }
    return status;
}

static enum trop_status leave_ball(struct trop_case *c)
{
    double *w = trop_case_array(c, "W");

    for (int64_t k = 0; k < trop_case_size(c, "W", 1) * trop_case_size(c, "W", 2); k++) {
        w[k] *= 1.001;
    }
    return TROP_OK;
}

/* Reverses W_mm. The points that were found are still no worse than it, so only the conclusion sees
 * the direction. */
static enum trop_status turn(struct trop_case *c)
{
    const int64_t size = trop_case_size(c, "W", 1) * trop_case_size(c, "W", 2);
    double *mm = trop_case_array(c, "W_mm");

    for (int64_t k = 0; k < size; k++) {
        mm[k] = -mm[k];
    }
    return TROP_OK;
}

static const struct trop_spoil spoils[] = {
    { "the direction of W_mm is reversed", NULL, turn },
    { "the solution for another token of input 0 stands for W_mm", NULL, drop_constraint },
    { "the point of the first radius is outside the ball by 1e-3", "minimal", leave_ball },
    { "two tokens of an input are equal and best", "unique", trop_tf_double_best },
    { 0 },
};

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
    .old_inputs = trop_tf_inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 20,
};
