/* fw_rem_softmax.c -- what the softmax flow commutes with (Frank-Wolfe paper, section 5).
 *
 * Scores enter as beta <x_i, x_j>: from s x at beta/s^2 the flow is s times the flow from x at
 * beta, and the chain too, for the picks have the same law (the same picks, with the same random
 * numbers). An orthogonal Q changes no score, -1 included, and the numbering of the tokens is no
 * matter: the flow from Q x_order(i) is Q times token order(i) of the flow from x.
 *
 * Either path may be off by its rounding (trop_fw_beta_error), and the scaled or turned tokens of
 * step 0 by a rounding that grows likewise: four times that. A chain with given picks takes convex
 * combinations and adds one rounding a step. A pick differs when a random number falls between the
 * two roundings of a sum of weights, for a step of n tokens with a probability below 1e-13 n.
 */
#include "claim/fw_beta.h"

#include "base/alloc.h"
#include "base/status.h"
#include "claim/tokens.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define STEPS 12
#define USE_SEED 20

/* ---- instances ---- */

static enum trop_status draw_cloud(struct trop_case *c)
{
    enum trop_status status =
        trop_tokens_gaussian(c, 3 + trop_case_pick(c, 16, 0, 8), 1 + trop_case_pick(c, 16, 1, 4));

    if (status == TROP_OK) {
        status = trop_fw_beta_exponent(c, .5 + 2 * trop_case_uniform(c, 16, 2));
    }
    if (status == TROP_OK) {
        status = trop_case_default(c, "gamma", .05 + .4 * trop_case_uniform(c, 16, 3));
    }
    return status == TROP_OK ? trop_case_default(c, "steps", STEPS) : status;
}

static enum trop_status draw_scale(struct trop_case *c)
{
    enum trop_status status = draw_cloud(c);
    const double s = .1 + 10 * trop_case_uniform(c, 16, 4);

    return status == TROP_OK ? trop_case_default(c, "s", s) : status;
}

/* Q = I - 2 v v'/|v|^2, times -1 for odd trials; order: a random permutation. */
static enum trop_status draw_motion(struct trop_case *c)
{
    enum trop_status status = draw_cloud(c);
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    double *Q = NULL, *order = NULL, squares = 0;

    if (status == TROP_OK && !trop_case_has(c, "Q")) {
        status = trop_case_make(&Q, c, "Q", d, d, 0);
    }
    for (int64_t a = 0; a < d; a++) {
        squares += trop_case_normal(c, 17, a) * trop_case_normal(c, 17, a);
    }
    for (int64_t k = 0; Q && k < d * d; k++) {
        const double part = trop_case_normal(c, 17, k / d) * trop_case_normal(c, 17, k % d);
        Q[k] = ((k % (d + 1) == 0) - 2 * part / squares) * (c->trial % 2 ? -1 : 1);
    }
    if (status == TROP_OK && !trop_case_has(c, "order")) {
        status = trop_case_make(&order, c, "order", n, 0, 0);
    }
    for (int64_t i = 0; order && i < n; i++) {
        const int64_t j = trop_case_pick(c, 18, i, i + 1);
        order[i] = order[j];
        order[j] = (double)i;
    }
    if (status == TROP_OK) {
        status = trop_fw_beta_shape(c, "Q", d, d);
    }
    return status == TROP_OK ? trop_fw_beta_shape(c, "order", n, 0) : status;
}

/* ---- work ---- */

/* "scaled" and "chain_scaled" from s x at this beta. */
static enum trop_status find_scaled(struct trop_case *c, double beta)
{
    const int64_t size = trop_case_size(c, "tokens", 0) * trop_case_size(c, "tokens", 1);
    const int64_t steps = trop_case_integer(c, "steps");
    struct trop_flow_options o = trop_fw_beta_options(beta, trop_case_number(c, "gamma"));
    double *x = trop_alloc(size, sizeof *x);

    if (!x) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for the scaled tokens");
    }
    for (int64_t k = 0; k < size; k++) {
        x[k] = trop_case_number(c, "s") * trop_case_array(c, "tokens")[k];
    }
    enum trop_status status = trop_fw_beta_path(c, "scaled", x, &o, steps);
    if (status == TROP_OK) {
        o.dynamics = TROP_DYNAMICS_CHAIN;
        o.seed = trop_fw_beta_seed(c, USE_SEED, 0);
        status = trop_fw_beta_path(c, "chain_scaled", x, &o, steps);
    }
    trop_alloc_free(x);
    return status;
}

static enum trop_status work_scale(struct trop_case *c)
{
    const double beta = trop_case_number(c, "beta"), s = trop_case_number(c, "s");
    struct trop_flow_options o = trop_fw_beta_options(beta, trop_case_number(c, "gamma"));
    enum trop_status status = trop_fw_beta_flow(c);

    o.dynamics = TROP_DYNAMICS_CHAIN;
    o.seed = trop_fw_beta_seed(c, USE_SEED, 0);
    if (status == TROP_OK) {
        status = trop_fw_beta_path(c, "chain", trop_case_array(c, "tokens"), &o,
                                   trop_case_integer(c, "steps"));
    }
    return status == TROP_OK ? find_scaled(c, beta / (s * s)) : status;
}

/* out (n, d): token i is Q times token order(i) of x. */
static void move(double *out, const struct trop_case *c, const double *x)
{
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);

    for (int64_t i = 0; i < n; i++) {
        const int64_t from = (int64_t)trop_case_array(c, "order")[i];
        for (int64_t a = 0; a < d; a++) {
            out[i * d + a] = trop_fw_beta_dot(trop_case_array(c, "Q") + a * d, x + from * d, d);
        }
    }
}

static enum trop_status work_motion(struct trop_case *c)
{
    const int64_t size = trop_case_size(c, "tokens", 0) * trop_case_size(c, "tokens", 1);
    const struct trop_flow_options o =
        trop_fw_beta_options(trop_case_number(c, "beta"), trop_case_number(c, "gamma"));
    double *x = trop_alloc(size, sizeof *x);
    enum trop_status status =
        x ? trop_fw_beta_flow(c) : trop_fail(TROP_ERR_MEMORY, "no memory for the moved tokens");

    if (status == TROP_OK) {
        move(x, c, trop_case_array(c, "tokens"));
        status = trop_fw_beta_path(c, "moved", x, &o, trop_case_integer(c, "steps"));
    }
    trop_alloc_free(x);
    return status;
}

/* ---- hypotheses ---- */

static enum trop_status positive_scale(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_truth(judge, "s > 0", -1, trop_case_number(c, "s") > 0);
    return TROP_OK;
}

static enum trop_status orthogonal(struct trop_judge *judge, const struct trop_case *c)
{
    const double *Q = trop_case_array(c, "Q");
    const int64_t d = trop_case_size(c, "Q", 0);

    for (int64_t k = 0; k < d * d; k++) {
        trop_judge_near(judge, "entry of Q Q'", -1,
                        trop_fw_beta_dot(Q + k / d * d, Q + k % d * d, d), k % (d + 1) == 0,
                        16 * (double)d * DBL_EPSILON);
    }
    return TROP_OK;
}

static enum trop_status permutation(struct trop_judge *judge, const struct trop_case *c)
{
    const double *order = trop_case_array(c, "order");
    const int64_t n = trop_case_size(c, "tokens", 0);

    for (int64_t i = 0; i < n; i++) {
        int64_t found = 0;
        for (int64_t j = 0; j < n; j++) {
            found += order[j] == (double)i;
        }
        trop_judge_truth(judge, "order has every token once", i, found == 1);
    }
    return TROP_OK;
}

static const struct trop_hypothesis scale_hypotheses[] = {
    { "scale", "s > 0", positive_scale, 0 },
    { "step-size", "gamma is in (0, 1]", trop_fw_beta_step_size, 0 },
    { 0 },
};

static const struct trop_hypothesis motion_hypotheses[] = {
    { "orthogonal", "Q is orthogonal", orthogonal, 0 },
    { "permutation", "order is a permutation", permutation, 0 },
    { "step-size", "gamma is in (0, 1]", trop_fw_beta_step_size, 0 },
    { 0 },
};

/* ---- conclusions ---- */

static void judge_paths(struct trop_judge *judge, const char *name, const struct trop_case *c,
                        const char *first, const char *second, double allowance)
{
    const int64_t steps = trop_case_size(c, first, 0) - 1;
    const int64_t n = trop_case_size(c, first, 1), d = trop_case_size(c, first, 2);
    const double s = trop_case_number(c, "s");

    for (int64_t t = 1; t <= steps; t++) {
        double far = 0;
        for (int64_t k = t * n * d; k < (t + 1) * n * d; k++) {
            far = fmax(far, fabs(trop_case_array(c, second)[k] / s - trop_case_array(c, first)[k]));
        }
        trop_judge_near(judge, name, t, far, 0, allowance);
    }
}

static double path_error(const struct trop_case *c)
{
    return 4 * trop_fw_beta_error(trop_case_array(c, "path"), trop_case_integer(c, "steps"),
                                  trop_case_size(c, "path", 1), trop_case_size(c, "path", 2),
                                  trop_case_number(c, "beta"), trop_case_number(c, "gamma"));
}

static enum trop_status conclude_scale(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    const double radius = trop_tokens_radius(trop_case_array(c, "path"), n, d);
    const double steps = (double)trop_case_integer(c, "steps");

    judge_paths(judge, "scaled flow over s less the flow", c, "path", "scaled", path_error(c));
    judge_paths(judge, "scaled chain over s less the chain", c, "chain", "chain_scaled",
                8 * DBL_EPSILON * (steps + 1) * radius);
    return TROP_OK;
}

static enum trop_status conclude_motion(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t steps = trop_case_size(c, "path", 0) - 1;
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    double *x = trop_alloc(n * d, sizeof *x);

    if (!x) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for the moved tokens");
    }
    for (int64_t t = 1; t <= steps; t++) {
        const double *moved = trop_case_array(c, "moved") + t * n * d;
        move(x, c, trop_case_array(c, "path") + t * n * d);
        for (int64_t i = 0; i < n; i++) {
            trop_judge_near(judge, "distance of a token of the moved flow", t,
                            trop_fw_beta_distance(x + i * d, moved + i * d, d), 0, path_error(c));
        }
    }
    trop_alloc_free(x);
    return TROP_OK;
}

/* ---- ways to be wrong ---- */

static enum trop_status other_beta(struct trop_case *c)
{
    const double s = trop_case_number(c, "s");

    return find_scaled(c, trop_case_number(c, "beta") / (s * s) * (1 + 1e-6));
}

static enum trop_status other_pick(struct trop_case *c)
{
    double *chain = trop_case_array(c, "chain");
    const int64_t n = trop_case_size(c, "chain", 1), d = trop_case_size(c, "chain", 2);

    chain[n * d] += 1e-6;
    return TROP_OK;
}

static enum trop_status no_scale(struct trop_case *c)
{
    return trop_case_put(c, "s", 0);
}

static enum trop_status stretch(struct trop_case *c)
{
    trop_case_array(c, "Q")[0] += 1e-6;
    return TROP_OK;
}

static enum trop_status twice(struct trop_case *c)
{
    double *order = trop_case_array(c, "order");

    order[0] = order[1];
    return TROP_OK;
}

static const struct trop_spoil scale_spoils[] = {
    { "a scaled flow whose beta is larger by 1e-6 of it", NULL, other_beta },
    { "one coordinate of the chain moved by 1e-6", NULL, other_pick },
    { "s = 0", "scale", no_scale },
    { "gamma = 3/2", "step-size", trop_fw_beta_spoil_gamma },
    { 0 },
};

static const struct trop_spoil motion_spoils[] = {
    { "one coordinate of the last step moved by 1e-6", NULL, trop_fw_beta_spoil_nudge },
    { "an entry of Q is larger by 1e-6", "orthogonal", stretch },
    { "a token stands twice in the order", "permutation", twice },
    { "gamma = 3/2", "step-size", trop_fw_beta_spoil_gamma },
    { 0 },
};

static const struct trop_input scale_inputs[] = {
    { "tokens", "(n, d)", "the cloud at step 0" },
    { "beta", "", "inverse temperature" },
    { "gamma", "", "step size" },
    { "s", "", "scale" },
    { "steps", "", "of the flows" },
    { 0 },
};

static const struct trop_input motion_inputs[] = {
    { "tokens", "(n, d)", "the cloud at step 0" },
    { "beta", "", "inverse temperature" },
    { "gamma", "", "step size" },
    { "Q", "(d, d)", "orthogonal" },
    { "order", "(n)", "permutation of the tokens" },
    { "steps", "", "of the flows" },
    { 0 },
};

const struct trop_claim trop_fw_rem_softmax_scaling = {
    .id = "fw-rem-softmax-scaling",
    .title = "scaling tokens is scaling beta",
    .statement = "From s x at beta/s^2 the softmax flow is s times the flow from x at beta, and so "
                 "is the chain with the same random numbers.",
    .status = TROP_CLAIM_PROVED,
    .remark = "",
    .inputs = scale_inputs,
    .hypotheses = scale_hypotheses,
    .draw = draw_scale,
    .work = work_scale,
    .conclude = conclude_scale,
    .spoils = scale_spoils,
    .trials = 100,
};

const struct trop_claim trop_fw_rem_softmax_symmetry = {
    .id = "fw-rem-softmax-symmetry",
    .title = "softmax commutes with rotations and renumbering",
    .statement = "The softmax flow with B = I commutes with every orthogonal map of the tokens, x "
                 "-> -x among them, and with every permutation of them.",
    .status = TROP_CLAIM_PROVED,
    .remark = "",
    .inputs = motion_inputs,
    .hypotheses = motion_hypotheses,
    .draw = draw_motion,
    .work = work_motion,
    .conclude = conclude_motion,
    .spoils = motion_spoils,
    .trials = 100,
};
