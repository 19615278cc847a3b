/* fw_rem_precondition.c -- the renormalised layer (Frank-Wolfe paper, section 1.1).
 *
 *   (I + V)^-1 (x + V a) = x + P (a - x),   P = (I + V)^-1 V,
 *
 * with a the attended average: a residual layer followed by (I + V)^-1 is a step towards a with the
 * preconditioner P. V = h I makes P = gamma I with gamma = h/(1 + h). The library takes the
 * residual step and the renormalised one each in its own way; (I + V) times the second is to be the
 * first.
 *
 * Rounding: P comes from a linear system whose condition is at most (1 + |V|)/g, g the least
 * singular value of I + V: its error is a small multiple of d u times that, and (I + V) times
 * it that times 1 + |V|. Both averages are computed from the same scores with the same operations.
 * Allowed: 32 d u (1 + |V|)^2 / g times the radius.
 */
#include "claim/fw.h"

#include "base/alloc.h"
#include "base/status.h"
#include "claim/tokens.h"

#include <float.h>
#include <math.h>

/* V with normal entries, or h I by turns. */
static enum trop_status draw(struct trop_case *c)
{
    enum trop_status status =
        trop_tokens_gaussian(c, 4 + trop_case_pick(c, 18, 0, 8),
                             trop_fw_draw_dimension(c, 2 + trop_case_pick(c, 18, 1, 3)));
    double *v = NULL;

    if (status == TROP_OK) {
        status = trop_fw_draw_any_matrix(c);
    }
    if (status == TROP_OK) {
        status = trop_case_default(c, "beta", 2 * trop_case_uniform(c, 16, 0));
    }
    const int64_t d = trop_case_size(c, "tokens", 1);
    if (status != TROP_OK || trop_case_has(c, "V")) {
        return status != TROP_OK ? status : trop_fw_draw_fits(c, "V", d);
    }
    status = trop_case_make(&v, c, "V", d, d, 0);
    for (int64_t k = 0; status == TROP_OK && k < d * d; k++) {
        v[k] = k % (d + 1) == 0 ? .1 + trop_case_uniform(c, 16, 1) : 0;
        v[k] += c->trial % 2 ? .3 * trop_case_normal(c, 17, k) : 0;
    }
    return status;
}

/* One layer of the given kind from the tokens, kept under name; value NULL: gamma I. */
static enum trop_status layer(struct trop_case *c, const char *name, int64_t dynamics,
                              const double *value, double gamma)
{
    struct trop_flow_options o = trop_fw_work_options(c, "softmax");

    o.dynamics = dynamics;
    if (value) {
        o.value = (struct trop_matrix){ .scale = NAN, .values = value };
    } else {
        o.gamma = (struct trop_schedule){ .kind = TROP_SCHEDULE_CONSTANT, .a = gamma };
    }
    return trop_fw_work_layer(c, name, &o);
}

/* V = h I, exactly. */
static int is_multiple(const double *v, int64_t d)
{
    for (int64_t k = 0; k < d * d; k++) {
        if (v[k] != (k % (d + 1) == 0 ? v[0] : 0)) {
            return 0;
        }
    }
    return v[0] > 0;
}

/* "residual", "layer", and for V = h I "plain", with gamma = h/(1 + h). */
static enum trop_status work(struct trop_case *c)
{
    const double *v = trop_case_array(c, "V");
    enum trop_status status = layer(c, "residual", TROP_DYNAMICS_RESIDUAL, v, 0);

    if (status == TROP_OK) {
        status = layer(c, "layer", TROP_DYNAMICS_LAYER, v, 0);
    }
    if (status == TROP_OK && is_multiple(v, trop_case_size(c, "V", 0))) {
        status = layer(c, "plain", TROP_DYNAMICS_LAYER, NULL, v[0] / (1 + v[0]));
    }
    return status;
}

/* ---- the hypothesis ---- */

/* Least singular value of I + V, and the norm of V. */
static enum trop_status sizes(double *least, double *norm, const struct trop_case *c)
{
    const double *v = trop_case_array(c, "V");
    const int64_t d = trop_case_size(c, "V", 0);
    double *sum = trop_alloc(d * d, sizeof *sum), largest = 0;

    if (!sum) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a matrix of order %lld", (long long)d);
    }
    for (int64_t k = 0; k < d * d; k++) {
        sum[k] = v[k] + (k % (d + 1) == 0);
    }
    enum trop_status status = trop_fw_singular(least, &largest, sum, d);
    *norm = trop_fw_norm(v, d);
    trop_alloc_free(sum);
    return status;
}

static enum trop_status invertible(struct trop_judge *judge, const struct trop_case *c)
{
    double least = 0, norm = 0;
    enum trop_status status = sizes(&least, &norm, c);

    if (status == TROP_OK) {
        trop_judge_at_least(judge, "least singular value of I + V", -1, least, 1e-3, 1e-6);
    }
    return status;
}

/* ---- the conclusion ---- */

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const double *v = trop_case_array(c, "V"), *residual = trop_case_array(c, "residual");
    const double *x = trop_case_array(c, "layer"), *plain = trop_case_array(c, "plain");
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    double least = 0, norm = 0;
    enum trop_status status = sizes(&least, &norm, c);
    const double allowance = 16 * (double)d * DBL_EPSILON * (1 + norm) * (1 + norm) / least *
                             trop_tokens_radius(trop_case_array(c, "tokens"), n, d);

    for (int64_t i = 0; i < n && status == TROP_OK; i++) {
        double squares = 0;
        for (int64_t a = 0; a < d; a++) {
            double sum = x[i * d + a] - residual[i * d + a];
            for (int64_t k = 0; k < d; k++) {
                sum += v[a * d + k] * x[i * d + k];
            }
            squares += sum * sum;
        }
        trop_judge_at_most(judge, "(I + V) times the layer, less the residual layer", 1,
                           sqrt(squares), 0, allowance);
        if (plain) {
            trop_judge_at_most(judge, "the layer, less that with gamma = h/(1 + h)", 1,
                               trop_fw_distance(x + i * d, plain + i * d, d), 0, allowance);
        }
    }
    return status;
}

/* ---- ways to be wrong ---- */

static enum trop_status nudge(struct trop_case *c)
{
    trop_case_array(c, "layer")[0] += 1e-6;
    return TROP_OK;
}

/* gamma = h instead of h/(1 + h). */
static enum trop_status wrong_gamma(struct trop_case *c)
{
    const double h = trop_case_array(c, "V")[0];

    return layer(c, "layer", TROP_DYNAMICS_LAYER, NULL, fmin(h, 1));
}

static enum trop_status opposite(struct trop_case *c)
{
    const int64_t d = trop_case_size(c, "V", 0);

    for (int64_t k = 0; k < d * d; k++) {
        trop_case_array(c, "V")[k] = k % (d + 1) == 0 ? -1 : 0;
    }
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    { "invertible", "I + V is invertible, by a margin", invertible, 0 },
    { 0 },
};

static const struct trop_spoil spoils[] = {
    { "one token moved by 1e-6", NULL, nudge },
    { "gamma = h in place of h/(1 + h)", NULL, wrong_gamma },
    { "V = -I", "invertible", opposite },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "tokens", "(n, d)", "the cloud" },
    { "B", "(d, d)", "key-query matrix" },
    { "V", "(d, d)", "value matrix" },
    { "beta", "", "inverse temperature" },
    { 0 },
};

const struct trop_claim trop_fw_rem_precondition = {
    .id = "fw-rem-precondition",
    .title = "the renormalised layer",
    .statement = "A residual attention layer followed by (I + V)^-1 is a step towards the attended "
                 "average with the matrix (I + V)^-1 V, which is h/(1 + h) times the identity for "
                 "V = h I.",
    .status = TROP_CLAIM_PROVED,
    .remark = "",
    .inputs = inputs,
    .hypotheses = hypotheses,
    .draw = draw,
    .work = work,
    .conclude = conclude,
    .spoils = spoils,
    .trials = 60,
};
