/* tf_lem_2.c -- the infimum of the loss is not attained (lemma 2).
 *
 *   L* = (1/n) sum_i l(gamma_i,opt) < L(W)  for every W,   L(R W) -> L*  for W that separates.
 *
 * With e_i = gamma_i,opt - gamma_i' s_i = sum_t s_it (gamma_i,opt - gamma_it) > 0 and l convex,
 *
 *   (1/n) sum |l'(gamma_i,opt)| e_i <= L(W) - L* <= (1/n) sum |l'(gamma_i,opt - e_i)| e_i,
 *
 * which proves the first part, and for R W_mm, where e_i <= max gap (T - 1) e^-R, the second. The
 * library's log(L - L*) is held between the two, and along R W_mm below log(max gap (T - 1)) - R.
 * Logits round by trop_tf_rounding, and so does the logarithm of e_i, twice.
 */
#include "claim/tf/tf.h"

#include "base/math/log.h"
#include "claim/examples.h"

#include <math.h>

#define RANDOM 4
#define ALONG 5

static const double radii[ALONG] = { 1, 4, 16, 64, 256 };

static enum trop_status draw(struct trop_case *c)
{
    const int64_t n = 1 + trop_case_pick(c, 41, 0, 3), T = 2 + trop_case_pick(c, 41, 1, 3);

    return trop_tf_draw(c, n, T, (n > T - 1 ? n : T - 1) + 1);
}

/* log(L - L*) of one W, by a run of no steps. */
static enum trop_status measure(double *out, const struct trop_case *c, const double *w)
{
    struct trop_train_options o = trop_tf_training("ngd", 1, 0);
    struct trop_train *train = NULL;
    struct trop_data data;

    trop_examples_data(&data, c);
    o.data = &data;
    o.threads = 1;
    o.start = TROP_TRAIN_GIVEN;
    o.start_weights = w;
    enum trop_status status = trop_train_create(&train, &o);
    if (status == TROP_OK) {
        status = trop_train_run(train, NULL, NULL);
    }
    if (status == TROP_OK) {
        status = trop_train_number(out, train, "log_gap");
    }
    trop_train_free(train);
    return status;
}

static enum trop_status work(struct trop_case *c)
{
    const int64_t d = trop_case_size(c, "X", 2);
    double *w = NULL, *gap = NULL;
    enum trop_status status = trop_tf_solve(c, NULL, TROP_MARGIN_L2, "W_mm");

    if (status == TROP_OK) {
        status = trop_case_make(&w, c, "W", RANDOM + ALONG, d, d);
    }
    if (status == TROP_OK) {
        status = trop_case_make(&gap, c, "log_gap", RANDOM + ALONG, 0, 0);
    }
    for (int64_t row = 0; status == TROP_OK && row < RANDOM + ALONG; row++) {
        const double *mm = trop_case_array(c, "W_mm");
        for (int64_t k = 0; k < d * d; k++) {
            w[row * d * d + k] = row < RANDOM ? radii[row] / 4 * trop_case_normal(c, 43 + row, k)
                                              : radii[row - RANDOM] * mm[k];
        }
        status = measure(gap + row, c, w + row * d * d);
    }
    return status;
}

static const struct trop_hypothesis hypotheses[] = {
    { "unique", "one token of every input scores highest", trop_tf_unique, 0 },
    { "feasible", "some W selects the best tokens", trop_tf_solved, 1 },
    { 0 },
};

/* The two sides of L - L*, by convexity. */
static void sides(double out[2], const struct trop_data *data, const double *w,
                  const int64_t *alpha)
{
    out[0] = out[1] = 0;
    for (int64_t i = 0; i < data->n; i++) {
        const double top = trop_tf_score(data, i, alpha[i]);
        const double less = trop_tf_loss_of_score(data, w, i, alpha[i]);
        out[0] += trop_tf_slope(top) * less / (double)data->n;
        out[1] += trop_tf_slope(top - less) * less / (double)data->n;
    }
}

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const double *gap = trop_case_array(c, "log_gap");
    struct trop_data data;
    int64_t alpha[64];
    double largest = 0;

    trop_examples_data(&data, c);
    trop_examples_optimal(alpha, c);
    for (int64_t k = 0; k < data.n * data.T; k++) {
        largest = fmax(largest, trop_tf_score(&data, k / data.T, alpha[k / data.T]) -
                                    trop_tf_score(&data, k / data.T, k % data.T));
    }
    for (int64_t row = 0; row < RANDOM + ALONG; row++) {
        const double *w = trop_case_array(c, "W") + row * data.d * data.d;
        const double rounding = 1e-13 + 2 * trop_tf_rounding(&data, w);
        double side[2];
        sides(side, &data, w, alpha);
        trop_judge_at_least(judge, "log(L - L*), from below", row, gap[row], trop_log(side[0]),
                            rounding);
        trop_judge_at_most(judge, "log(L - L*), from above", row, gap[row], trop_log(side[1]),
                           rounding);
        if (row >= RANDOM) {
            trop_judge_at_most(judge, "log(L(R W_mm) - L*) against log C - R", row, gap[row],
                               trop_log(largest * (double)(data.T - 1)) - radii[row - RANDOM],
                               rounding);
        }
    }
    return TROP_OK;
}

static enum trop_status lower(struct trop_case *c)
{
    trop_case_array(c, "log_gap")[RANDOM + ALONG - 1] -= 1e-6;
    return TROP_OK;
}

static enum trop_status attain(struct trop_case *c)
{
    trop_case_array(c, "log_gap")[0] = -INFINITY;
    return TROP_OK;
}

static enum trop_status infeasible(struct trop_case *c)
{
    return trop_case_put(c, "W_mm_outcome", TROP_OUTCOME_INFEASIBLE);
}

static const struct trop_spoil spoils[] = {
    { "log(L - L*) at R = 256 is lower by 1e-6", NULL, lower },
    { "L = L* at a random W", NULL, attain },
    { "two tokens of an input are equal and best", "unique", trop_tf_double_best },
    { "the problem is said to have no solution", "feasible", infeasible },
    { 0 },
};

const struct trop_claim trop_tf_lem_2 = {
    .id = "tf-lem-2",
    .title = "the infimum of the loss is not attained",
    .statement = "With a unique best token in every input, L(W) > L* = (1/n) sum_i l(gamma_i,opt) "
                 "for every finite W, and L(R W) -> L* as R grows for every W that separates the "
                 "best tokens.",
    .status = TROP_CLAIM_PROVED,
    .remark =
        "The limit is read as the bound log(L(R W_mm) - L*) <= log C - R with its constant, at "
        "R = 1 to 256.",
    .old_inputs = trop_tf_inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 50,
};
