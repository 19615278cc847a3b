/* tf_thm_7.c -- gradient descent stays in the cone of a locally optimal direction (theorem 7).
 *
 * Equation 67, with Theta = 1/|W_mm(alpha)|, delta half the least lead of support vectors over the
 * other tokens, A the largest |x| |z| over Theta, Gamma the largest spread of scores, g the least
 * gap to a support vector:
 *
 *   mu = (min(1/2, delta)/A)^2 / 8,   R = max(2, 1/delta)/Theta log(64 T Gamma A / g),
 *   C = { W : cos(W, W_mm) >= 1 - mu, |W| >= R }.
 *
 * Inside, leads of alpha over its support vectors are between 1/2 and 3/2 for W scaled to |W_mm|,
 * there is no stationary point, and the direction of gradient descent converges to W_mm(alpha). It
 * may leave this very cone on the way: near its edge the gradient belongs to the nearest support
 * vector alone, and turns W away from W_mm before the others are felt. The run starts at nine
 * tenths of mu and at R and takes normalised steps of R/100. What is checked: leads at the start;
 * at every record the selected tokens lead, and W has moved along W_mm since the last one, as no
 * stationary point demands; and in the end, with |W| more than eight times larger, 1 - cos is below
 * a quarter of its start, or below the square of the angle that one step can turn.
 */
#include "claim/tf/tf.h"

#include "claim/examples.h"
#include "claim/tokens.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define STEPS 1600

static enum trop_status draw(struct trop_case *c)
{
    enum trop_status status = trop_tf_draw(c, 2, 3, 3);

    return status == TROP_OK ? trop_tf_selections_pick(c) : status;
}

/* "W0" in the cone: R (cos W_mm/|W_mm| + sin U), U a random unit matrix across W_mm. */
static enum trop_status place(struct trop_case *c)
{
    const double *mm = trop_case_array(c, "W_mm");
    const int64_t size = trop_case_size(c, "W_mm", 0) * trop_case_size(c, "W_mm", 1);
    const double cosine = 1 - .9 * trop_case_number(c, "W_mm_mu");
    const double radius = 1.001 * trop_case_number(c, "W_mm_radius");
    double *w = NULL;

    if (trop_case_has(c, "W0")) {
        return TROP_OK;
    }
    enum trop_status status =
        trop_case_make(&w, c, "W0", trop_case_size(c, "X", 2), trop_case_size(c, "X", 2), 0);
    if (status != TROP_OK) {
        return status;
    }
    for (int64_t k = 0; k < size; k++) {
        w[k] = trop_case_normal(c, 48, k);
    }
    const double along = trop_tokens_dot(w, mm, size) / trop_tokens_dot(mm, mm, size);
    for (int64_t k = 0; k < size; k++) {
        w[k] -= along * mm[k];
    }
    const double across = trop_tokens_norm(w, size), length = trop_tokens_norm(mm, size);
    for (int64_t k = 0; k < size; k++) {
        w[k] = radius * (cosine * mm[k] / length + sqrt(1 - cosine * cosine) * w[k] / across);
    }
    return TROP_OK;
}

static enum trop_status work(struct trop_case *c)
{
    enum trop_status status = trop_tf_solve(c, NULL, TROP_MARGIN_L2, "W_mm");

    if (status == TROP_OK && trop_case_number(c, "W_mm_local") == 1) {
        status = place(c);
    }
    if (status != TROP_OK || !trop_case_has(c, "W0")) {
        return status;
    }
    struct trop_train_options o =
        trop_tf_training("ngd", trop_case_number(c, "W_mm_radius") / 100, STEPS);
    return trop_tf_train(c, &o, "path");
}

static enum trop_status local(struct trop_judge *judge, const struct trop_case *c)
{
    const double value = trop_case_number(c, "W_mm_local");

    trop_judge_truth(judge, "alpha is locally optimal", -1, value == 1 ? 1 : value == 0 ? 0 : -1);
    return TROP_OK;
}

static enum trop_status inside(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t size = trop_case_size(c, "W_mm", 0) * trop_case_size(c, "W_mm", 1);
    const double *w = trop_case_array(c, "path");

    if (!w) {
        return TROP_OK;
    }
    trop_judge_at_most(judge, "1 - cos at the start, against mu", 0,
                       trop_tf_bend(w, trop_case_array(c, "W_mm"), size),
                       trop_case_number(c, "W_mm_mu"), 0);
    trop_judge_at_least(judge, "|W| at the start, against R", 0, trop_tokens_norm(w, size),
                        trop_case_number(c, "W_mm_radius"), 0);
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    { "locally-optimal", "alpha has a solution and scores higher than its support vectors", local,
      1 },
    { "in-cone", "W(0) is in the cone of equation 67", inside, 1 },
    { 0 },
};

/* Leads over the support vectors of W scaled to |W_mm|. */
static void conclude_leads(struct trop_judge *judge, const struct trop_data *data, const double *mm,
                           const double *w, const int64_t *alpha, int64_t step)
{
    const int64_t size = data->d * data->d;
    const double scale = trop_tokens_norm(mm, size) / trop_tokens_norm(w, size);

    for (int64_t k = 0; k < data->n * data->T; k++) {
        const int64_t i = k / data->T, t = k % data->T;
        if (t != alpha[i] && trop_tf_lead(data, mm, i, alpha[i], t) <= 1 + 1e-7) {
            const double lead = scale * trop_tf_lead(data, w, i, alpha[i], t);
            trop_judge_at_least(judge, "lead over a support vector, from below", step, lead, .5,
                                trop_tf_rounding(data, mm));
            trop_judge_at_most(judge, "lead over a support vector, from above", step, lead, 1.5,
                               trop_tf_rounding(data, mm));
        }
    }
}

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const double *path = trop_case_array(c, "path"), *mm = trop_case_array(c, "W_mm");
    struct trop_data data;
    int64_t alpha[64];

    trop_examples_data(&data, c);
    trop_tf_alpha(alpha, c);
    const int64_t size = data.d * data.d, rows = trop_case_size(c, "path", 0);
    conclude_leads(judge, &data, mm, path, alpha, 0);
    for (int64_t k = 1; k < rows; k++) {
        const int64_t step = (int64_t)trop_case_array(c, "path_step")[k];
        const double *w = path + k * size;
        const double along = trop_tokens_dot(w, mm, size) - trop_tokens_dot(w - size, mm, size);
        trop_judge_at_least(judge, "<W(k) - W(k'), W_mm>, k' the record before", step, along, 0,
                            STEPS * DBL_EPSILON * trop_tokens_norm(w, size) *
                                trop_tokens_norm(mm, size));
        trop_judge_at_least(judge, "least lead of the selected tokens", step,
                            trop_tf_margin(&data, w, alpha), 0, trop_tf_rounding(&data, w));
    }
    /* One step across W turns it by the length of the step over |W|: a finer comparison would be
     * meaningless. */
    const double turn =
        trop_case_number(c, "W_mm_radius") / 100 / trop_tokens_norm(path + (rows - 1) * size, size);
    trop_judge_at_most(judge, "1 - cos at the end, against 1/4 of that at the start", STEPS,
                       trop_tf_bend(path + (rows - 1) * size, mm, size),
                       fmax(trop_tf_bend(path, mm, size) / 4, turn * turn), STEPS * DBL_EPSILON);
    trop_judge_at_least(judge, "|W| at the end, against 8 |W(0)|", STEPS,
                        trop_tokens_norm(path + (rows - 1) * size, size),
                        8 * trop_tokens_norm(path, size), 0);
    return TROP_OK;
}

/* The run goes to the solution of the best tokens. */
static enum trop_status other_limit(struct trop_case *c)
{
    const int64_t size = trop_case_size(c, "path", 1) * trop_case_size(c, "path", 2);
    double *w = trop_case_array(c, "path") + (trop_case_size(c, "path", 0) - 1) * size;
    const double radius = trop_tokens_norm(w, size);
    int64_t alpha[64];

    trop_tf_alpha(alpha, c);
    alpha[0] = alpha[0] == 0 ? 1 : 0;
    enum trop_status status = trop_tf_solve(c, alpha, TROP_MARGIN_L2, "one");
    for (int64_t k = 0; status == TROP_OK && k < size; k++) {
        w[k] = radius * trop_case_array(c, "one")[k] / trop_case_number(c, "one_upper");
    }
    return status;
}

/* The last weights are where the first ones were, but longer. */
static enum trop_status no_turn(struct trop_case *c)
{
    const int64_t size = trop_case_size(c, "path", 1) * trop_case_size(c, "path", 2);
    double *path = trop_case_array(c, "path");

    for (int64_t k = 0; k < size; k++) {
        path[(trop_case_size(c, "path", 0) - 1) * size + k] = 16 * path[k];
    }
    return TROP_OK;
}

/* Twice as far from the ray as mu allows. */
static enum trop_status outside(struct trop_case *c)
{
    const int64_t size = trop_case_size(c, "path", 1) * trop_case_size(c, "path", 2);
    const double *mm = trop_case_array(c, "W_mm");
    double *w = trop_case_array(c, "path");
    const double along = trop_tokens_dot(w, mm, size) / trop_tokens_dot(mm, mm, size);

    for (int64_t k = 0; k < size; k++) {
        w[k] = along * mm[k] + 2 * (w[k] - along * mm[k]);
    }
    return TROP_OK;
}

static enum trop_status not_local(struct trop_case *c)
{
    return trop_case_put(c, "W_mm_local", 0);
}

static const struct trop_spoil spoils[] = {
    { "the last direction is that of another selection", NULL, other_limit },
    { "the direction does not change", NULL, no_turn },
    { "the start is twice as far from the ray", "in-cone", outside },
    { "alpha is called not locally optimal", "locally-optimal", not_local },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "X", "(n, T, d)", "tokens" },
    { "y", "(n)", "labels, 1 or -1" },
    { "v", "(d)", "decoder" },
    { "z", "(n, d)", "queries" },
    { "alpha", "(n)", "a locally optimal selection" },
    { "W0", "(d, d)", "weights at the start" },
    { 0 },
};

const struct trop_claim trop_tf_thm_7 = {
    .id = "tf-thm-7",
    .title = "local convergence of gradient descent",
    .statement =
        "Around the solution of a locally optimal selection alpha there is a cone, of the "
        "width mu and from the radius R of equation 67 on, without stationary points, from "
        "which the direction of gradient descent converges to W_mm(alpha).",
    .status = TROP_CLAIM_PROVED,
    .remark =
        "Read with normalised steps of R/100: leads over support vectors are between 1/2 and 3/2 "
        "at the start, every record is further along W_mm, the selected tokens lead, and 1 - "
        "cos falls below 1/4 of its start, or what one step can turn, while |W| grows more than "
        "eightfold. Runs can leave "
        "the cone for a while before they turn to W_mm.",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 30,
};
