/* tf_thm_4.c -- gradient descent under equal scores goes to W_mm (theorems 4 and 5).
 *
 * As printed it is for any n, and false: with one query z for all inputs the model is that of a
 * prompt p = W z, and of n = T = d = 2
 *
 *   input 0: (1, 0) best, (0, 0);   input 1: (0, 0) best, (2, 1);   v = (1, -1), y = (1, -1),
 *
 * every input has one token besides the best, whose score is then trivially equal to all others.
 * W_mm = (1, -3) z', but from W(0) = (3, 0) z' descent goes to (1, 0) z', the solution for the
 * tokens (1, 0) and (2, 1), which is locally optimal.
 *
 * It holds for n = 1, with a rate. Then -grad L is a positive number times sum_t q_t A_t, A_t =
 * (x_opt - x_t) z', q the softmax over the other tokens: minus the gradient of the convex f(W) =
 * log sum_t e^-<A_t, W>, whose Hessian is at most B^2 = max |A_t|^2 and whose gradient is at least
 * Theta = 1/|W_mm|. Normalised steps eta_k give f(W(k)) <= f(W(0)) - Theta S + B^2 Q / 2, with S =
 * sum eta_k, Q = sum eta_k^2; the least lead is at least -f, |W(k)| <= |W(0)| + S, and so
 *
 *   cos(W(k), W_mm) >= (Theta S - f(W(0)) - B^2 Q / 2) / (Theta (|W(0)| + S)).
 *
 * With eta_k = eta / sqrt(k + 1) the right side goes to 1. It is what is checked at the end of the
 * run, for any n. Scores that differ by delta turn a step by 2 delta B / (g s_opt) at most, g the
 * gap of the best, which is added up with S. Over 1e5 steps rounding adds 1e5 u, relative.
 */
#include "claim/tf/tf.h"

#include "base/math/exp.h"
#include "base/math/log.h"
#include "claim/examples.h"
#include "claim/tokens.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define ETA 2.

/* ---- the instance ---- */

static enum trop_status draw_inputs(struct trop_case *c, int64_t n, double spread)
{
    const int64_t T = 2 + trop_case_pick(c, 41, 1, 3);
    const int is_new = !trop_case_has(c, "X");
    enum trop_status status = trop_tf_draw(c, n, T, n + T);

    if (status == TROP_OK && is_new) {
        trop_tf_equal_scores(c);
        struct trop_data data;
        trop_examples_data(&data, c);
        for (int64_t k = 0; k < data.n * data.T * data.d; k++) {
            const double by = spread * trop_case_uniform(c, 47, k / data.d);
            trop_case_array(c, "X")[k] += k / data.d % data.T == 0 ? 0 : by * data.v[k % data.d];
        }
    }
    if (status == TROP_OK) {
        status = trop_tf_draw_start(c, .3);
    }
    if (status == TROP_OK) {
        status = trop_case_default(c, "delta", spread);
    }
    return status == TROP_OK
               ? trop_tokens_count(c, "steps", c->effort == TROP_CASE_TINY ? 20000 : 40000, 1, 1e9)
               : status;
}

static enum trop_status draw_any(struct trop_case *c)
{
    return draw_inputs(c, 1 + trop_case_pick(c, 41, 0, 3), 0);
}

static enum trop_status draw_one(struct trop_case *c)
{
    return draw_inputs(c, 1, 0);
}

static enum trop_status draw_any_near(struct trop_case *c)
{
    return draw_inputs(c, 1 + trop_case_pick(c, 41, 0, 3), 1e-7);
}

static enum trop_status draw_one_near(struct trop_case *c)
{
    return draw_inputs(c, 1, 1e-7);
}

static enum trop_status work(struct trop_case *c)
{
    struct trop_train_options o = trop_tf_training("ngd", ETA, trop_case_integer(c, "steps"));
    enum trop_status status = trop_tf_solve(c, NULL, TROP_MARGIN_L2, "W_mm");

    o.eta_schedule = (struct trop_schedule){ .kind = TROP_SCHEDULE_POWER, .a = 1, .b = .5 };
    o.records = 1;
    return status == TROP_OK ? trop_tf_train(c, &o, "path") : status;
}

/* ---- hypotheses ---- */

static enum trop_status near_equal(struct trop_judge *judge, const struct trop_case *c)
{
    struct trop_data data;
    int64_t alpha[64];

    trop_examples_data(&data, c);
    trop_examples_optimal(alpha, c);
    for (int64_t i = 0; i < data.n; i++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t t = 0; t < data.T; t++) {
            low = t == alpha[i] ? low : fmin(low, trop_tf_score(&data, i, t));
            high = t == alpha[i] ? high : fmax(high, trop_tf_score(&data, i, t));
        }
        trop_judge_truth(judge, "other scores of an input differ by delta at most", i,
                         high - low <= trop_case_number(c, "delta") + 1e-13);
    }
    trop_judge_truth(judge, "delta is small", -1, trop_case_number(c, "delta") <= 1e-6);
    return TROP_OK;
}

static enum trop_status one_input(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_truth(judge, "n = 1", -1, trop_case_size(c, "X", 0) == 1);
    return TROP_OK;
}

#define COMMON \
    { "unique", "one token of every input scores highest", trop_tf_unique, 0 }, \
    { \
        "feasible", "some W selects the best tokens", trop_tf_solved, 1 \
    }

static const struct trop_hypothesis equal_any[] = {
    COMMON,
    { "equal-scores", "tokens of an input other than the best score the same", trop_tf_equal, 0 },
    { 0 },
};

static const struct trop_hypothesis equal_one[] = {
    COMMON,
    { "equal-scores", "tokens of an input other than the best score the same", trop_tf_equal, 0 },
    { "one-input", "n = 1", one_input, 0 },
    { 0 },
};

static const struct trop_hypothesis near_any[] = {
    COMMON,
    { "near-scores", "scores of an input other than the best differ by delta <= 1e-6 at most",
      near_equal, 0 },
    { 0 },
};

static const struct trop_hypothesis near_one[] = {
    COMMON,
    { "near-scores", "scores of an input other than the best differ by delta <= 1e-6 at most",
      near_equal, 0 },
    { "one-input", "n = 1", one_input, 0 },
    { 0 },
};

/* ---- the conclusion ---- */

struct sums {
    double start, square, turn; /* f(W(0)), B^2, 2 delta B / (g s_opt) */
};

/* The sums over all constraints together; with n = 1 they are those of the proof. */
static struct sums sums_of(const struct trop_data *data, const double *w, double delta)
{
    struct sums out = { 0 };
    double parts = 0;

    for (int64_t i = 0; i < data->n; i++) {
        const double z = trop_tokens_norm(data->z + i * data->d, data->d);
        double s[64], gap = 0;
        int64_t best = 0;
        for (int64_t t = 1; t < data->T; t++) {
            best = trop_tf_score(data, i, t) > trop_tf_score(data, i, best) ? t : best;
        }
        gap = trop_tf_score_gap(data, i, best);
        trop_tf_softmax(s, data, w, i);
        for (int64_t t = 0; t < data->T; t++) {
            double length = 0;
            for (int64_t k = 0; k < data->d; k++) {
                const double by = data->x[(i * data->T + best) * data->d + k] -
                                  data->x[(i * data->T + t) * data->d + k];
                length += by * by;
            }
            out.square = fmax(out.square, length * z * z);
            parts += t == best ? 0 : trop_exp(-trop_tf_lead(data, w, i, best, t));
        }
        /* s_opt grows from its first value on when the others are pushed back. */
        out.turn = fmax(out.turn, 2 * delta * sqrt(out.square) / (gap * s[best]));
    }
    out.start = trop_log(parts);
    return out;
}

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t last = trop_case_size(c, "path", 0) - 1;
    const double *path = trop_case_array(c, "path"), *mm = trop_case_array(c, "W_mm");
    struct trop_data data;
    double s = 0, q = 0;

    trop_examples_data(&data, c);
    const int64_t size = data.d * data.d;
    for (int64_t k = 0; k < trop_case_integer(c, "steps"); k++) {
        s += ETA / sqrt((double)k + 1);
        q += ETA * ETA / ((double)k + 1);
    }
    const struct sums of = sums_of(&data, path, trop_case_number(c, "delta"));
    const double theta = 1 / trop_case_number(c, "W_mm_upper");
    const double far = trop_tokens_norm(path, size) + s;
    const double least = (theta * s - of.start - of.square * q / 2 - of.turn * s) / (theta * far);
    /* The cosine is compared as 1 - cos, which does not cancel. */
    trop_judge_at_most(judge, "1 - cos(W, W_mm) at the end",
                       (int64_t)trop_case_array(c, "path_step")[last],
                       trop_tf_bend(path + last * size, mm, size), 1 - least, 1e5 * DBL_EPSILON);
    return TROP_OK;
}

/* ---- the counterexample, and ways to be wrong ---- */

static enum trop_status put(struct trop_case *c, const char *name, const double *values, int64_t a,
                            int64_t b, int64_t k)
{
    double *out = NULL;
    enum trop_status status = trop_case_make(&out, c, name, a, b, k);

    if (status == TROP_OK) {
        memcpy(out, values, (size_t)(a * (b ? b : 1) * (k ? k : 1)) * sizeof *out);
    }
    return status;
}

static enum trop_status exhibit(struct trop_case *c, int64_t k)
{
    static const double x[] = { 1, 0, 0, 0, 0, 0, 2, 1 }, y[] = { 1, -1 }, v[] = { 1, -1 };
    static const double z[] = { 1, 0, 1, 0 }, start[] = { 3, 0, 0, 0 };
    enum trop_status status = put(c, "X", x, 2, 2, 2);

    (void)k;
    if (status == TROP_OK) {
        status = put(c, "y", y, 2, 0, 0);
    }
    if (status == TROP_OK) {
        status = put(c, "v", v, 2, 0, 0);
    }
    if (status == TROP_OK) {
        status = put(c, "z", z, 2, 2, 0);
    }
    if (status == TROP_OK) {
        status = put(c, "W0", start, 2, 2, 0);
    }
    if (status == TROP_OK) {
        status = trop_case_put(c, "delta", 0);
    }
    /* Enough for the bound to be well below the 1 - 1/sqrt(10) that separates the two limits. */
    return status == TROP_OK ? trop_case_put(c, "steps", 400000) : status;
}

/* The run ends where it would with the labels exchanged: at minus the weights. */
static enum trop_status turn_back(struct trop_case *c)
{
    const int64_t size = trop_case_size(c, "path", 1) * trop_case_size(c, "path", 2);
    double *w = trop_case_array(c, "path") + (trop_case_size(c, "path", 0) - 1) * size;

    for (int64_t k = 0; k < size; k++) {
        w[k] = -w[k];
    }
    return TROP_OK;
}

/* The run is made again on other data: the best token of input 0 changes places with another one,
 * so that it goes to the solution of another selection. */
static enum trop_status other_token(struct trop_case *c)
{
    struct trop_case *copy = NULL;
    enum trop_status status = trop_case_copy(&copy, c);

    if (status == TROP_OK) {
        for (int64_t i = 0; i < trop_case_size(copy, "y", 0); i++) {
            trop_case_array(copy, "y")[i] *= -1;
        }
        status = work(copy);
    }
    if (status == TROP_OK) {
        memcpy(trop_case_array(c, "path"), trop_case_array(copy, "path"),
               (size_t)(trop_case_size(c, "path", 0) * trop_case_size(c, "path", 1) *
                        trop_case_size(c, "path", 2)) *
                   sizeof(double));
    }
    trop_case_free(copy);
    return status;
}

static enum trop_status uneven(struct trop_case *c)
{
    const int64_t T = trop_case_size(c, "X", 1), d = trop_case_size(c, "X", 2);
    double *x = NULL, *copy = NULL;
    struct trop_case *old = NULL;
    enum trop_status status = trop_case_copy(&old, c);

    /* One token more for every input, which is the last one moved along v against the label: its
     * score is lower by .01. */
    const int64_t n = trop_case_size(c, "X", 0);
    if (status == TROP_OK) {
        copy = trop_case_array(old, "X");
        status = trop_case_make(&x, c, "X", n, T + 1, d);
    }
    for (int64_t k = 0; status == TROP_OK && k < n * (T + 1) * d; k++) {
        const int64_t i = k / ((T + 1) * d), t = k / d % (T + 1), a = k % d;
        const double *y = trop_case_array(c, "y"), *v = trop_case_array(c, "v");
        x[k] =
            t < T ? copy[(i * T + t) * d + a] : copy[(i * T + T - 1) * d + a] - .01 * y[i] * v[a];
    }
    trop_case_free(old);
    return status;
}

/* Input 0 twice. */
static enum trop_status two_inputs(struct trop_case *c)
{
    static const char *const names[] = { "X", "y", "z" };
    enum trop_status status = TROP_OK;

    for (int64_t k = 0; k < 3 && status == TROP_OK; k++) {
        const int64_t b = trop_case_size(c, names[k], 1), d = trop_case_size(c, names[k], 2);
        const int64_t size = (b ? b : 1) * (d ? d : 1);
        struct trop_case *old = NULL;
        double *out = NULL;
        status = trop_case_copy(&old, c);
        if (status == TROP_OK) {
            status = trop_case_make(&out, c, names[k], 2, b, d);
        }
        for (int64_t at = 0; status == TROP_OK && at < 2 * size; at++) {
            out[at] = trop_case_array(old, names[k])[at % size];
        }
        trop_case_free(old);
    }
    return status;
}

#define ENDS \
    { "the last weights are reversed", NULL, turn_back }, \
    { \
        "the path of training with the labels exchanged", NULL, other_token \
    }

static const struct trop_spoil any_spoils[] = {
    ENDS,
    { "a further token whose score is lower by .01", "equal-scores", uneven },
    { 0 },
};

static const struct trop_spoil one_spoils[] = {
    ENDS,
    { "a further token whose score is lower by .01", "equal-scores", uneven },
    { "the input twice", "one-input", two_inputs },
    { 0 },
};

static const struct trop_spoil near_any_spoils[] = {
    ENDS,
    { "a further token whose score is lower by .01", "near-scores", uneven },
    { 0 },
};

static const struct trop_spoil near_one_spoils[] = {
    ENDS,
    { "a further token whose score is lower by .01", "near-scores", uneven },
    { "the input twice", "one-input", two_inputs },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "X", "(n, T, d)", "tokens" },
    { "y", "(n)", "labels, 1 or -1" },
    { "v", "(d)", "decoder" },
    { "z", "(n, d)", "queries" },
    { "W0", "(d, d)", "weights at the start" },
    { "steps", "", "of the run" },
    { "delta", "", "of theorem 5: largest difference of scores other than the best" },
    { 0 },
};

#define READING \
    "Read with normalised steps 2/sqrt(k + 1), for which the proof with one input bounds 1 - cos " \
    "at every step."

const struct trop_claim trop_tf_thm_4 = {
    .id = "tf-thm-4",
    .title = "equal scores: descent goes to W_mm, any n",
    .statement =
        "If the tokens of every input other than its best have equal scores, gradient "
        "descent goes to the direction of W_mm from every start, for any number of inputs.",
    .status = TROP_CLAIM_FALSE,
    .remark =
        "Two inputs of two tokens with one query, (1, 0) | (0, 0) and (0, 0) | (2, 1), best "
        "first: from W(0) = (3, 0) z' descent goes to (1, 0) z', which is locally optimal, and "
        "not to (1, -3) z'. It holds for n = 1. " READING,
    .repaired = "tf-thm-4-repaired",
    .old_inputs = inputs,
    .hypotheses = equal_any,
    .old_draw = draw_any,
    .old_work = work,
    .old_conclude = conclude,
    .old_exhibit = exhibit,
    .exhibits = 1,
    .spoils = any_spoils,
    .trials = 20,
};

const struct trop_claim trop_tf_thm_4_repaired = {
    .id = "tf-thm-4-repaired",
    .title = "equal scores: descent goes to W_mm, n = 1",
    .statement =
        "If the tokens of one input other than its best have equal scores, gradient descent "
        "on this input alone goes to the direction of W_mm from every start.",
    .status = TROP_CLAIM_PROVED,
    .remark = READING,
    .old_inputs = inputs,
    .hypotheses = equal_one,
    .old_draw = draw_one,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = one_spoils,
    .trials = 20,
};

const struct trop_claim trop_tf_thm_5 = {
    .id = "tf-thm-5",
    .title = "nearly equal scores: descent goes to W_mm, any n",
    .statement = "For every start there is a delta > 0 such that gradient descent goes to the "
                 "direction of W_mm when the scores of an input other than its best differ by at "
                 "most delta, for any number of inputs.",
    .status = TROP_CLAIM_FALSE,
    .remark = "The counterexample to theorem 4 has equal scores, which are within every delta. "
              "Read with delta <= 1e-6. " READING,
    .repaired = "tf-thm-5-repaired",
    .old_inputs = inputs,
    .hypotheses = near_any,
    .old_draw = draw_any_near,
    .old_work = work,
    .old_conclude = conclude,
    .old_exhibit = exhibit,
    .exhibits = 1,
    .spoils = near_any_spoils,
    .trials = 20,
};

const struct trop_claim trop_tf_thm_5_repaired = {
    .id = "tf-thm-5-repaired",
    .title = "nearly equal scores: descent goes to W_mm, n = 1",
    .statement =
        "For every start there is a delta > 0 such that gradient descent on one input goes "
        "to the direction of W_mm when its scores other than the best differ by at most "
        "delta.",
    .status = TROP_CLAIM_PROVED,
    .remark = "Read with delta <= 1e-6, whose effect on the directions of the steps is part of the "
              "bound. " READING,
    .old_inputs = inputs,
    .hypotheses = near_one,
    .old_draw = draw_one_near,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = near_one_spoils,
    .trials = 20,
};
