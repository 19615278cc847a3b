/* tf_thm_3.c -- no stationary point under assumption B (theorem 3), and the smoothness of the loss.
 *
 * With a_t = x_t' W_mm z and S' = diag(s) - s s', -<grad L(W), W_mm> = (1/n) sum |l'_i| a_i' S'_i
 * gamma_i. If all tokens are support vectors (B.1), a_i is constant but for a_opt, which is larger
 * by 1; if the scores of the others are equal (B.2), gamma_i is, and a_opt - a_t >= 1. In both
 * cases
 *
 *   -<grad L(W), W_mm> >= (1/n) sum_i |l'_i| s_i,opt (1 - s_i,opt) min_t (gamma_i,opt - gamma_it)
 *
 * > 0: no W is stationary. The right side is evaluated from the data, the left from the library's
 * gradients. These come from one step of length 1, so they carry u |W| of rounding, and W_mm has
 * the leads 1 up to its gap.
 *
 *   |grad L(W) - grad L(W')| <= L_W |W - W'|,
 *   L_W = (1/n) sum_i |v| |z_i|^2 |X_i|^3 (M0 |v| |X_i| + 3 M1),
 *
 * spectral norms, M0 = 1/4 and M1 = 1 of the logistic loss.
 */
#include "claim/tf/tf.h"

#include "base/alloc.h"
#include "claim/examples.h"
#include "claim/tokens.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define POINTS 6

/* ---- the instance: B.2 by construction, or B.1 by many dimensions ---- */

static enum trop_status draw_points(struct trop_case *c)
{
    const int64_t d = trop_case_size(c, "X", 2);
    double *w = NULL;

    if (trop_case_has(c, "W")) {
        return TROP_OK;
    }
    enum trop_status status = trop_case_make(&w, c, "W", POINTS, d, d);
    for (int64_t k = 0; status == TROP_OK && k < POINTS * d * d; k++) {
        w[k] = (double)(1 << k / (d * d)) / 8 * trop_case_normal(c, 46, k);
    }
    return status;
}

static enum trop_status draw(struct trop_case *c)
{
    const int by_scores = c->trial % 2 == 0, is_new = !trop_case_has(c, "X");
    const int64_t n = 1 + trop_case_pick(c, 41, 0, 3), T = 3 + trop_case_pick(c, 41, 1, 2);
    enum trop_status status = trop_tf_draw(c, n, T, by_scores ? n + T : 30);

    if (status == TROP_OK && is_new && by_scores) {
        trop_tf_equal_scores(c);
    }
    return status == TROP_OK ? draw_points(c) : status;
}

static enum trop_status draw_any(struct trop_case *c)
{
    const int64_t n = 1 + trop_case_pick(c, 41, 0, 3), T = 2 + trop_case_pick(c, 41, 1, 3);
    enum trop_status status = trop_tf_draw(c, n, T, 2 + trop_case_pick(c, 41, 2, 4));

    return status == TROP_OK ? draw_points(c) : status;
}

static enum trop_status work(struct trop_case *c)
{
    enum trop_status status = trop_tf_solve(c, NULL, TROP_MARGIN_L2, "W_mm");

    return status == TROP_OK ? trop_tf_gradients(c, "W", "G") : status;
}

static enum trop_status work_gradients(struct trop_case *c)
{
    return trop_tf_gradients(c, "W", "G");
}

/* ---- hypotheses ---- */

/* B.1: every lead of W_mm is 1, up to the accuracy of W_mm. */
static enum trop_status assumption(struct trop_judge *judge, const struct trop_case *c)
{
    const double *mm = trop_case_array(c, "W_mm");
    struct trop_judge scores = { .side = TROP_JUDGE_HYPOTHESIS };
    struct trop_data data;
    int64_t alpha[64];
    double widest = 0;

    trop_examples_data(&data, c);
    trop_tf_alpha(alpha, c);
    enum trop_status status = trop_tf_equal(&scores, c);
    const int has_equal = trop_judge_verdict(&scores) == TROP_JUDGE_TRUE;
    trop_judge_free(&scores);
    for (int64_t k = 0; k < data.n * data.T; k++) {
        const int64_t i = k / data.T, t = k % data.T;
        widest = t == alpha[i] ? widest : fmax(widest, trop_tf_lead(&data, mm, i, alpha[i], t));
    }
    trop_judge_truth(judge, "all leads of W_mm are 1, or the other scores of an input equal", -1,
                     has_equal || widest <= 1 + 1e-7);
    return status;
}

static const struct trop_hypothesis hypotheses[] = {
    { "unique", "one token of every input scores highest", trop_tf_unique, 0 },
    { "feasible", "some W selects the best tokens", trop_tf_solved, 1 },
    { "assumption-B", "all tokens are support vectors, or scores other than the best are equal",
      assumption, 1 },
    { 0 },
};

static enum trop_status measurable(struct trop_judge *judge, const struct trop_case *c)
{
    const double *w = trop_case_array(c, "W");
    const int64_t size = trop_case_size(c, "W", 1) * trop_case_size(c, "W", 2);

    /* Beyond this the gradient is lost beside W in a step of length 1. */
    for (int64_t k = 0; k < trop_case_size(c, "W", 0); k++) {
        trop_judge_at_most(judge, "|W|", k, trop_tokens_norm(w + k * size, size), 1e6, 0);
    }
    return TROP_OK;
}

static const struct trop_hypothesis smooth_hypotheses[] = {
    { "measurable", "|W| <= 1e6, so that gradients can be told from W", measurable, 0 },
    { 0 },
};

/* ---- conclusions ---- */

static double bound(const struct trop_data *data, const double *w, const int64_t *alpha)
{
    double s[64], sum = 0;

    for (int64_t i = 0; i < data->n; i++) {
        trop_tf_softmax(s, data, w, i);
        const double less = trop_tf_loss_of_score(data, w, i, alpha[i]);
        const double others = less / trop_tf_score_gap(data, i, alpha[i]);
        double rest = 0;
        for (int64_t t = 0; t < data->T; t++) {
            rest += t == alpha[i] ? 0 : s[t];
        }
        sum += trop_tf_slope(trop_tf_score(data, i, alpha[i]) - less) * s[alpha[i]] *
               fmin(rest, others) * trop_tf_score_gap(data, i, alpha[i]);
    }
    return sum / (double)data->n;
}

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const double *mm = trop_case_array(c, "W_mm");
    struct trop_data data;
    int64_t alpha[64];

    trop_examples_data(&data, c);
    trop_tf_alpha(alpha, c);
    const int64_t size = data.d * data.d;
    const double gap = trop_case_number(c, "W_mm_upper") / trop_case_number(c, "W_mm_lower") - 1;
    for (int64_t k = 0; k < trop_case_size(c, "W", 0); k++) {
        const double *w = trop_case_array(c, "W") + k * size;
        const double least = bound(&data, w, alpha);
        trop_judge_at_least(judge, "-<grad L(W), W_mm>", k,
                            -trop_tokens_dot(trop_case_array(c, "G") + k * size, mm, size), least,
                            16 * (double)data.d * DBL_EPSILON * (trop_tokens_norm(w, size) + 1) *
                                    trop_tokens_norm(mm, size) +
                                (2 * gap + 1e-12 + 1e-7) * least);
    }
    return TROP_OK;
}

static enum trop_status smoothness(double *out, const struct trop_data *data)
{
    const int64_t size = data->T * data->d;
    double *room = trop_alloc(size + data->d, sizeof *room);
    const double v = trop_tokens_norm(data->v, data->d);

    if (!room) {
        return TROP_ERR_MEMORY;
    }
    *out = 0;
    for (int64_t i = 0; i < data->n; i++) {
        memcpy(room + data->d, data->x + i * size, (size_t)size * sizeof *room);
        memset(room, 0, (size_t)data->d * sizeof *room);
        trop_tf_singular(room, room + data->d, data->T, data->d);
        const double x = room[0], z = trop_tokens_norm(data->z + i * data->d, data->d);
        *out += v * z * z * x * x * x * (v * x / 4 + 3) / (double)data->n;
    }
    trop_alloc_free(room);
    return TROP_OK;
}

static enum trop_status conclude_smooth(struct trop_judge *judge, const struct trop_case *c)
{
    const double *w = trop_case_array(c, "W"), *g = trop_case_array(c, "G");
    struct trop_data data;
    double constant = 0;

    trop_examples_data(&data, c);
    const int64_t size = data.d * data.d, rows = trop_case_size(c, "W", 0);
    enum trop_status status = smoothness(&constant, &data);
    double *dw = trop_alloc(2 * size, sizeof *dw);
    for (int64_t k = 0; status == TROP_OK && dw && k < rows * rows; k++) {
        const int64_t a = k / rows, b = k % rows;
        for (int64_t e = 0; b > a && e < size; e++) {
            dw[e] = w[a * size + e] - w[b * size + e];
            dw[size + e] = g[a * size + e] - g[b * size + e];
        }
        if (b > a) {
            trop_judge_at_most(judge, "|grad L(W) - grad L(W')| against L_W |W - W'|", k,
                               trop_tokens_norm(dw + size, size),
                               constant * trop_tokens_norm(dw, size),
                               16 * DBL_EPSILON * (double)data.d *
                                   (trop_tokens_norm(w + a * size, size) +
                                    trop_tokens_norm(w + b * size, size) + 1));
        }
    }
    trop_alloc_free(dw);
    return dw ? status : TROP_ERR_MEMORY;
}

/* ---- ways to be wrong ---- */

static enum trop_status reverse(struct trop_case *c)
{
    for (int64_t k = 0; k < trop_case_size(c, "G", 1) * trop_case_size(c, "G", 2); k++) {
        trop_case_array(c, "G")[k] *= -1;
    }
    return TROP_OK;
}

static enum trop_status vanish(struct trop_case *c)
{
    for (int64_t k = 0; k < trop_case_size(c, "G", 1) * trop_case_size(c, "G", 2); k++) {
        trop_case_array(c, "G")[k] = 0;
    }
    return TROP_OK;
}

/* W_mm grows by a tenth in input 0's query: leads are no longer 1, and one score is not equal. */
static enum trop_status leave_assumption(struct trop_case *c)
{
    struct trop_data data;
    int64_t alpha[64];

    trop_examples_data(&data, c);
    trop_tf_alpha(alpha, c);
    double *x = trop_case_array(c, "X"), *mm = trop_case_array(c, "W_mm");
    double *token = x + (alpha[0] == 0 ? 1 : 0) * data.d;
    for (int64_t k = 0; k < data.d; k++) {
        token[k] -= .1 * data.y[0] * data.v[k];
    }
    for (int64_t k = 0; k < data.d * data.d; k++) {
        mm[k] *= 1.1;
    }
    return TROP_OK;
}

/* The same point twice, with two gradients. */
static enum trop_status same_point(struct trop_case *c)
{
    const int64_t size = trop_case_size(c, "W", 1) * trop_case_size(c, "W", 2);
    double *w = trop_case_array(c, "W");

    memcpy(w + size, w, (size_t)size * sizeof *w);
    return TROP_OK;
}

static enum trop_status far_away(struct trop_case *c)
{
    trop_case_array(c, "W")[0] = 1e9;
    return TROP_OK;
}

static const struct trop_spoil spoils[] = {
    { "one gradient is reversed", NULL, reverse },
    { "one gradient is 0", NULL, vanish },
    { "scores differ by .1 and leads are 1.1", "assumption-B", leave_assumption },
    { "two tokens of an input are equal and best", "unique", trop_tf_double_best },
    { 0 },
};

static const struct trop_spoil smooth_spoils[] = {
    { "the gradients of two points at one point", NULL, same_point },
    { "a weight of 1e9", "measurable", far_away },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "X", "(n, T, d)", "tokens" },
    { "y", "(n)", "labels, 1 or -1" },
    { "v", "(d)", "decoder" },
    { "z", "(n, d)", "queries" },
    { "W", "(points, d, d)", "where the gradient is taken" },
    { 0 },
};

const struct trop_claim trop_tf_thm_3 = {
    .id = "tf-thm-3",
    .title = "no stationary point under assumption B",
    .statement = "If every token is a support vector of W_mm, or the tokens of an input other than "
                 "the best have equal scores, then <grad L(W), W_mm> < 0 at every W, so that no "
                 "finite W is stationary.",
    .status = TROP_CLAIM_PROVED,
    .remark =
        "Against the lower bound of -<grad L(W), W_mm> that the proof gives, at six random W of "
        "growing norm; half of the draws have B.1, half B.2.",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 50,
};

const struct trop_claim trop_tf_rem_smooth = {
    .id = "tf-rem-smooth",
    .title = "the gradient is Lipschitz",
    .statement = "The gradient of the logistic loss in W is Lipschitz in the Frobenius norm with "
                 "constant L_W = (1/n) sum_i |v| |z_i|^2 |X_i|^3 (M0 |v| |X_i| + 3 M1), M0 = 1/4, "
                 "M1 = 1.",
    .status = TROP_CLAIM_PROVED,
    .remark = "",
    .old_inputs = inputs,
    .hypotheses = smooth_hypotheses,
    .old_draw = draw_any,
    .old_work = work_gradients,
    .old_conclude = conclude_smooth,
    .spoils = smooth_spoils,
    .trials = 50,
};
