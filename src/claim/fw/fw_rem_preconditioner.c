/* fw_rem_preconditioner.c -- the renormalised layer (Frank-Wolfe paper, section 1.1).
 *
 *   x + P (avg - x),  P = (I + V)^-1 V,   is   (I + V)^-1 (x + V avg):
 *
 * the residual layer followed by a linear stand-in for normalisation, for (I + V)^-1 = I - P. For
 * V = h I it is gamma = h/(1 + h).
 *
 * The layer and the residual layer are steps of the library from the same tokens; (I + V) times the
 * first is compared with the second. P solves (I + V + E) P = V with |E| <= 8 d^3 u |I + V| (LU
 * with partial pivoting, growth included), which moves (I + V) x' by |E| |x' - x|; the average is
 * off by a step's rounding and enters by |V|; products with I + V round by (d + 2) u (1 + |V|)
 * |x'|. In all: (1 + |V|) (8 d^3 u (|x| + |x'|) + 2 rounding), with the Frobenius norm of V.
 */
#include "claim/fw/fw_beta.h"

#include "base/alloc.h"
#include "base/status.h"
#include "claim/tokens.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define STEPS 8
#define PIVOT 1e-8 /* least pivot of I + V; below it rounding takes over */

/* ---- instances ---- */

static enum trop_status draw_cloud(struct trop_case *c)
{
    enum trop_status status =
        trop_tokens_gaussian(c, 3 + trop_case_pick(c, 16, 0, 8), 1 + trop_case_pick(c, 16, 1, 4));

    if (status == TROP_OK) {
        status = trop_fw_beta_exponent(c, 4 * trop_case_uniform(c, 16, 2) - 1);
    }
    return status;
}

/* V = I/2 + a random matrix of norm below 1: I + V is far from singular. */
static enum trop_status draw(struct trop_case *c)
{
    enum trop_status status = draw_cloud(c);
    const int64_t d = trop_case_size(c, "tokens", 1);
    double *v = NULL;

    if (status == TROP_OK && !trop_case_has(c, "V")) {
        status = trop_case_make(&v, c, "V", d, d, 0);
    }
    if (status == TROP_OK) {
        status = trop_fw_beta_shape(c, "V", d, d);
    }
    for (int64_t k = 0; v && k < d * d; k++) {
        v[k] = .5 * (k % (d + 1) == 0) + (2 * trop_case_uniform(c, 17, k) - 1) / (double)d;
    }
    return status;
}

static enum trop_status draw_scalar(struct trop_case *c)
{
    enum trop_status status = draw_cloud(c);

    if (status == TROP_OK) {
        status = trop_case_default(c, "h", .05 + 4 * trop_case_uniform(c, 16, 3));
    }
    return status == TROP_OK ? trop_tokens_count(c, "steps", STEPS, 1, 1e6) : status;
}

/* ---- work ---- */

/* A step of layers with this V, or of residual layers, under the name. */
static enum trop_status step_by(struct trop_case *c, const char *name, int64_t dynamics,
                                const double *V)
{
    struct trop_flow_options o = trop_fw_beta_options(trop_case_number(c, "beta"), .5);

    o.gamma = (struct trop_schedule){ .kind = TROP_SCHEDULE_UNSET };
    o.dynamics = dynamics;
    o.value = (struct trop_matrix){ .scale = NAN, .values = V };
    return trop_fw_beta_path(c, name, trop_case_array(c, "tokens"), &o, 1);
}

static enum trop_status work(struct trop_case *c)
{
    const double *V = trop_case_array(c, "V");
    enum trop_status status = step_by(c, "layer", TROP_DYNAMICS_LAYER, V);

    return status == TROP_OK ? step_by(c, "residual", TROP_DYNAMICS_RESIDUAL, V) : status;
}

/* "path" with gamma, "layers" with V = h I. */
static enum trop_status work_scalar(struct trop_case *c)
{
    const double h = trop_case_number(c, "h"), beta = trop_case_number(c, "beta");
    struct trop_flow_options o = trop_fw_beta_options(beta, h / (1 + h));
    enum trop_status status = trop_tokens_flow(c, &o, trop_case_integer(c, "steps"));

    o.gamma = (struct trop_schedule){ .kind = TROP_SCHEDULE_UNSET };
    o.value = (struct trop_matrix){ .scale = h };
    return status == TROP_OK ? trop_fw_beta_path(c, "layers", trop_case_array(c, "tokens"), &o,
                                                 trop_case_integer(c, "steps"))
                             : status;
}

/* ---- hypotheses ---- */

/* The least pivot of I + V by elimination with partial pivoting; a: (d, d), destroyed. */
static double least_pivot(double *a, int64_t d)
{
    double least = INFINITY;

    for (int64_t k = 0; k < d; k++) {
        int64_t best = k;
        for (int64_t r = k + 1; r < d; r++) {
            best = fabs(a[r * d + k]) > fabs(a[best * d + k]) ? r : best;
        }
        for (int64_t e = 0; e < d; e++) {
            const double swap = a[k * d + e];
            a[k * d + e] = a[best * d + e];
            a[best * d + e] = swap;
        }
        least = fmin(least, fabs(a[k * d + k]));
        for (int64_t r = k + 1; r < d && a[k * d + k] != 0; r++) {
            const double factor = a[r * d + k] / a[k * d + k];
            for (int64_t e = k; e < d; e++) {
                a[r * d + e] -= factor * a[k * d + e];
            }
        }
    }
    return least;
}

static enum trop_status invertible(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t d = trop_case_size(c, "V", 0);
    double *a = trop_alloc(d * d, sizeof *a);

    if (!a) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for I + V");
    }
    for (int64_t k = 0; k < d * d; k++) {
        a[k] = trop_case_array(c, "V")[k] + (k % (d + 1) == 0);
    }
    trop_judge_at_least(judge, "least pivot of I + V", -1, least_pivot(a, d), PIVOT, 0);
    trop_alloc_free(a);
    return TROP_OK;
}

static enum trop_status positive(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_truth(judge, "h > 0", -1, trop_case_number(c, "h") > 0);
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    { "invertible", "I + V is invertible, with pivots of 1e-8 at least", invertible, 0 },
    { 0 },
};

static const struct trop_hypothesis scalar_hypotheses[] = {
    { "positive", "h > 0", positive, 0 },
    { 0 },
};

/* ---- conclusions ---- */

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens"), *V = trop_case_array(c, "V");
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const double *layer = trop_case_array(c, "layer") + n * d;
    const double *residual = trop_case_array(c, "residual") + n * d;
    const double norm = 1 + sqrt(trop_tokens_dot(V, V, d * d));
    const double radius = trop_tokens_radius(x, n, d);
    const double reach = radius + trop_tokens_radius(layer, n, d);
    const double error =
        norm * (4 * (double)(d * d * d) * DBL_EPSILON * reach +
                2 * trop_fw_beta_rounding(n, d, trop_case_number(c, "beta"), radius));
    const double allowance = trop_tokens_allow(error, norm * radius);

    for (int64_t i = 0; i < n; i++) {
        double squares = 0;
        for (int64_t a = 0; a < d; a++) {
            const double off = layer[i * d + a] + trop_tokens_dot(V + a * d, layer + i * d, d) -
                               residual[i * d + a];
            squares += off * off;
        }
        trop_judge_near(judge, "|(I + V) x' - (x + V avg)|", i, sqrt(squares), 0, allowance);
    }
    return TROP_OK;
}

static enum trop_status conclude_scalar(struct trop_judge *judge, const struct trop_case *c)
{
    const double h = trop_case_number(c, "h");
    const double *path = trop_case_array(c, "path"), *layers = trop_case_array(c, "layers");
    const int64_t steps = trop_case_size(c, "path", 0) - 1;
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    const double error =
        2 * trop_fw_beta_error(path, steps, n, d, trop_case_number(c, "beta"), h / (1 + h));
    const double allowance = trop_fw_beta_allow(error, path, n, d);

    for (int64_t k = n; k < (steps + 1) * n; k++) {
        trop_judge_near(judge, "distance of layers with V = h I from gamma", k / n,
                        trop_tokens_distance(path + k * d, layers + k * d, d), 0, allowance);
    }
    return TROP_OK;
}

/* ---- ways to be wrong ---- */

static enum trop_status other_value(struct trop_case *c)
{
    double *V = trop_case_array(c, "V"), kept = V[0];

    V[0] += 1e-6;
    enum trop_status status = step_by(c, "layer", TROP_DYNAMICS_LAYER, V);
    V[0] = kept;
    return status;
}

static enum trop_status singular(struct trop_case *c)
{
    double *V = trop_case_array(c, "V");
    const int64_t d = trop_case_size(c, "V", 0);

    for (int64_t k = 0; k < d * d; k++) {
        V[k] = -(double)(k % (d + 1) == 0);
    }
    return TROP_OK;
}

/* gamma = h, as if the layer were not renormalised. */
static enum trop_status not_rescaled(struct trop_case *c)
{
    const double h = trop_case_number(c, "h");
    const struct trop_flow_options o =
        trop_fw_beta_options(trop_case_number(c, "beta"), fmin(h, 1));

    return trop_tokens_flow(c, &o, trop_case_integer(c, "steps"));
}

static enum trop_status negative(struct trop_case *c)
{
    return trop_case_put(c, "h", -.25);
}

static const struct trop_spoil spoils[] = {
    { "a layer with one entry of V larger by 1e-6", NULL, other_value },
    { "V = -I", "invertible", singular },
    { 0 },
};

static const struct trop_spoil scalar_spoils[] = {
    { "gamma = min(h, 1)", NULL, not_rescaled },
    { "one coordinate of the last step moved by 1e-6", NULL, trop_fw_beta_spoil_nudge },
    { "h = -1/4", "positive", negative },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "tokens", "(n, d)", "the cloud" },
    { "V", "(d, d)", "value matrix" },
    { "beta", "", "inverse temperature" },
    { 0 },
};

static const struct trop_input scalar_inputs[] = {
    { "tokens", "(n, d)", "the cloud at step 0" },
    { "h", "", "V = h I" },
    { "beta", "", "inverse temperature" },
    { "steps", "", "of the flow" },
    { 0 },
};

const struct trop_claim trop_fw_rem_preconditioner = {
    .id = "fw-rem-preconditioner",
    .title = "the renormalised layer is a preconditioned step",
    .statement = "The layer x + (I + V)^-1 V (avg - x) is the residual layer x + V avg followed by "
                 "(I + V)^-1, for every V with I + V invertible.",
    .status = TROP_CLAIM_PROVED,
    .remark = "",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 100,
};

const struct trop_claim trop_fw_rem_preconditioner_scalar = {
    .id = "fw-rem-step-size",
    .title = "V = h I is the step size h/(1 + h)",
    .statement = "Softmax layers with V = h I, h > 0, are the softmax flow with gamma = h/(1 + h).",
    .status = TROP_CLAIM_PROVED,
    .remark = "The paper writes V = gamma I where it means the effective step gamma; with V = "
              "gamma I the step is gamma/(1 + gamma).",
    .old_inputs = scalar_inputs,
    .hypotheses = scalar_hypotheses,
    .old_draw = draw_scalar,
    .old_work = work_scalar,
    .old_conclude = conclude_scalar,
    .spoils = scalar_spoils,
    .trials = 100,
};
