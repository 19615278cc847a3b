/* fw_prop_origin.c -- the softmax flow ends in one point (Frank-Wolfe paper, proposition "origin").
 *
 * With R >= |x_i| every score is between -|beta| R^2 and |beta| R^2, so that every weight is at
 * least c = e^(-2 |beta| R^2)/n. Two averages have at least the mass n c in common, hence
 *
 *   diam' <= (1 - gamma) diam + gamma (1 - n c) diam <= (1 - gamma c) diam,
 *
 * for every real beta and gamma in (0, 1]: the tokens tend to one point of the initial hull. The
 * scores of one token differ by at most |beta| R D, D the diameter, which gives the sharper form
 * diam' <= (1 - gamma e^(-|beta| R D)) diam; near the end it is nearly 1 - gamma.
 *
 * That point is not the origin, as the first version of the paper says: the hull shrinks, so it
 * would have to keep the origin for ever. In one dimension (1, -1/4) with beta = 1 goes
 * to .4756.
 *
 * Certificates at the last step: the contraction of every step, and every token in the initial
 * hull; of the printed form, that the origin is in the hull still. Allowances: two tokens move by
 * one step's rounding each, and what the path as a whole may be off (fw_beta.c).
 */
#include "claim/fw/fw_beta.h"

#include "base/math/exp.h"
#include "base/status.h"
#include "claim/tokens.h"

#include <math.h>
#include <string.h>

#define STEPS 30
#define LONG 150    /* steps of the printed form */
#define SHRUNK 1e-2 /* a path of the printed form ends below this share of its first diameter */

/* ---- instances ---- */

static enum trop_status draw_numbers(struct trop_case *c, double exponent, double gamma,
                                     int64_t steps)
{
    enum trop_status status = trop_fw_beta_exponent(c, exponent);

    if (status == TROP_OK) {
        status = trop_case_default(c, "gamma", gamma);
    }
    return status == TROP_OK ? trop_tokens_count(c, "steps", (double)steps, 1, 1e6) : status;
}

static enum trop_status draw(struct trop_case *c)
{
    const double exponent = 3 * trop_case_uniform(c, 16, 0) - 1.5;
    enum trop_status status =
        trop_tokens_gaussian(c, 2 + trop_case_pick(c, 16, 1, 9), 1 + trop_case_pick(c, 16, 2, 4));

    return status == TROP_OK
               ? draw_numbers(c, exponent, .1 + .9 * trop_case_uniform(c, 16, 3), STEPS)
               : status;
}

/* Every other cloud is centrally symmetric: for those the claim is true. */
static enum trop_status draw_around(struct trop_case *c)
{
    enum trop_status status =
        c->trial % 2 == 0 ? trop_tokens_symmetric(c, 4, 2) : trop_tokens_gaussian(c, 8, 2);

    return status == TROP_OK ? draw_numbers(c, .5 + trop_case_uniform(c, 16, 0),
                                            .05 + .05 * trop_case_uniform(c, 16, 3), LONG)
                             : status;
}

static enum trop_status origin_inside(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const double *x = trop_case_array(c, "tokens");
    const double radius = trop_tokens_radius(x, n, d);
    struct trop_hull *hull = NULL;
    struct trop_hull_position place;
    double origin[64] = { 0 };
    enum trop_status status =
        d <= 64 ? trop_hull_create(&hull, x, n, d, 1)
                : trop_fail(TROP_ERR_ARG, "d = %lld: must be at most 64", (long long)d);

    if (status == TROP_OK) {
        status = trop_hull_place(&place, NULL, NULL, NULL, hull, origin);
    }
    if (status == TROP_OK) {
        trop_judge_at_most(judge, "distance of the origin from the hull", -1, place.lower, 0,
                           place.side == TROP_SIDE_INSIDE ? 0 : 1e-14 * radius);
    }
    trop_hull_free(hull);
    return status;
}

/* The path must be long enough for the hull to become small: as long as it is large, it contains
 * the origin of a cloud around it whatever happens. */
static enum trop_status long_run(struct trop_judge *judge, const struct trop_case *c)
{
    const double *path = trop_case_array(c, "path");
    const int64_t steps = trop_case_size(c, "path", 0) - 1;
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);

    trop_judge_at_most(judge, "last diameter", steps,
                       trop_tokens_diameter(path + steps * n * d, n, d),
                       SHRUNK * trop_tokens_diameter(path, n, d), 0);
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    { "step-size", "gamma is in (0, 1]", trop_fw_beta_step_size, 0 },
    { 0 },
};

static const struct trop_hypothesis printed_hypotheses[] = {
    { "step-size", "gamma is in (0, 1]", trop_fw_beta_step_size, 0 },
    { "positive-beta", "beta > 0", trop_fw_beta_positive, 0 },
    { "origin-inside", "the origin is in the initial hull", origin_inside, 0 },
    { "long-run", "the diameter falls to a hundredth", long_run, 1 },
    { 0 },
};

/* ---- conclusions ---- */

static void conclude_step(struct trop_judge *judge, const struct trop_case *c, int64_t t, int sharp)
{
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    const double *path = trop_case_array(c, "path"), *x = path + t * n * d;
    const double beta = trop_case_number(c, "beta"), gamma = trop_case_number(c, "gamma");
    const double radius = trop_tokens_radius(path, n, d), D = trop_tokens_diameter(x, n, d);
    const double least = sharp ? trop_exp(-fabs(beta) * trop_tokens_radius(x, n, d) * D)
                               : trop_exp(-2 * fabs(beta) * radius * radius) / (double)n;
    const double allowance =
        trop_fw_beta_allow(2 * trop_fw_beta_rounding(n, d, beta, radius), path, n, d);

    trop_judge_at_most(judge, "diameter after a step", t + 1, trop_tokens_diameter(x + n * d, n, d),
                       (1 - gamma * least) * D, allowance);
}

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const double *path = trop_case_array(c, "path");
    const int64_t steps = trop_case_size(c, "path", 0) - 1;
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    const double beta = trop_case_number(c, "beta");
    const double rounding =
        trop_fw_beta_rounding(n, d, beta, trop_tokens_radius(path, n, d)) * (double)steps;

    for (int64_t t = 0; t < steps; t++) {
        conclude_step(judge, c, t, 0);
    }
    return trop_fw_beta_inside(judge, "distance of a token from the initial hull", steps, path, n,
                               path + steps * n * d, n, d, 0,
                               trop_fw_beta_allow(rounding, path, n, d));
}

static enum trop_status conclude_sharp(struct trop_judge *judge, const struct trop_case *c)
{
    for (int64_t t = 0; t < trop_case_size(c, "path", 0) - 1; t++) {
        conclude_step(judge, c, t, 1);
    }
    return TROP_OK;
}

static enum trop_status conclude_origin(struct trop_judge *judge, const struct trop_case *c)
{
    const double *path = trop_case_array(c, "path");
    const int64_t steps = trop_case_size(c, "path", 0) - 1;
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    const double error = trop_fw_beta_error(path, steps, n, d, trop_case_number(c, "beta"),
                                            trop_case_number(c, "gamma"));
    const double origin[64] = { 0 };

    return trop_fw_beta_inside(judge, "distance of the origin from the hull", steps,
                               path + steps * n * d, n, origin, 1, d, 0,
                               trop_fw_beta_allow(error, path, n, d));
}

/* ---- counterexamples, and ways to be wrong ---- */

static enum trop_status exhibit(struct trop_case *c, int64_t k)
{
    static const double line[] = { 1, -.25 }, plane[] = { 2, 0, -1, .5, -1, -.5 };
    double *x = NULL;
    enum trop_status status = k == 0 ? trop_case_make(&x, c, "tokens", 2, 1, 0)
                                     : trop_case_make(&x, c, "tokens", 3, 2, 0);

    if (status == TROP_OK) {
        memcpy(x, k == 0 ? line : plane, k == 0 ? sizeof line : sizeof plane);
        status = trop_case_put(c, "beta", k == 0 ? 1 : .25);
    }
    return status == TROP_OK ? trop_case_put(c, "gamma", .1) : status;
}

static enum trop_status stand_still(struct trop_case *c)
{
    double *path = trop_case_array(c, "path");
    const int64_t size = trop_case_size(c, "path", 1) * trop_case_size(c, "path", 2);

    memcpy(path + size, path, (size_t)size * sizeof *path);
    return TROP_OK;
}

/* The whole path moves by twice its last distance from the origin. */
static enum trop_status move_all(struct trop_case *c)
{
    double *path = trop_case_array(c, "path");
    const int64_t steps = trop_case_size(c, "path", 0) - 1;
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    double *last = path + steps * n * d;
    const double shift = 1e-6 + 2 * trop_tokens_radius(last, n, d);

    for (int64_t i = 0; i < n; i++) {
        last[i * d] += shift;
    }
    return TROP_OK;
}

static enum trop_status far_cloud(struct trop_case *c)
{
    double *x = trop_case_array(c, "tokens");
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const double shift = 1.5 * trop_tokens_radius(x, n, d);

    for (int64_t i = 0; i < n; i++) {
        x[i * d] += shift;
    }
    return TROP_OK;
}

static enum trop_status beyond_all(struct trop_case *c)
{
    double *path = trop_case_array(c, "path");
    const int64_t steps = trop_case_size(c, "path", 0) - 1;
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);

    path[steps * n * d] = trop_tokens_radius(path, n, d) * (1 + 1e-6);
    return TROP_OK;
}

/* Cuts the path after its second step. */
static enum trop_status cut_short(struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    struct trop_case *kept = NULL;
    double *path = NULL;
    enum trop_status status = trop_case_copy(&kept, c);

    if (status == TROP_OK) {
        status = trop_case_make(&path, c, "path", 3, n, d);
    }
    if (status == TROP_OK) {
        memcpy(path, trop_case_array(kept, "path"), (size_t)(3 * n * d) * sizeof *path);
    }
    trop_case_free(kept);
    return status;
}

static const struct trop_spoil spoils[] = {
    { "the tokens stand still in the first step", NULL, stand_still },
    { "a token of the last step is 1e-6 beyond the initial ball", NULL, beyond_all },
    { "gamma = 3/2", "step-size", trop_fw_beta_spoil_gamma },
    { 0 },
};

static const struct trop_spoil sharp_spoils[] = {
    { "the tokens stand still in the first step", NULL, stand_still },
    { "gamma = 3/2", "step-size", trop_fw_beta_spoil_gamma },
    { 0 },
};

static const struct trop_spoil printed_spoils[] = {
    { "the last step is moved by 1e-6 and twice its radius", NULL, move_all },
    { "gamma = 3/2", "step-size", trop_fw_beta_spoil_gamma },
    { "beta is negative", "positive-beta", trop_fw_beta_spoil_beta },
    { "the cloud is moved by 3/2 of its radius", "origin-inside", far_cloud },
    { "two steps", "long-run", cut_short },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "tokens", "(n, d)", "the cloud at step 0" },
    { "beta", "", "inverse temperature" },
    { "gamma", "", "step size" },
    { "steps", "", "of the flow" },
    { 0 },
};

const struct trop_claim trop_fw_prop_origin = {
    .id = "fw-prop-origin",
    .title = "softmax ends in one point",
    .statement = "At every real beta and gamma in (0, 1] each softmax step multiplies the diameter "
                 "by at most 1 - gamma e^(-2 |beta| R^2)/n, R the largest initial norm, so that "
                 "the tokens tend to one point of the initial hull.",
    .status = TROP_CLAIM_PROVED,
    .remark = "Read at a last step: every step contracts as stated, and the tokens are in the "
              "initial hull. The paper asks for small gamma and positive beta, which are not "
              "needed.",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = trop_fw_beta_flow,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 100,
};

const struct trop_claim trop_fw_prop_origin_printed = {
    .id = "fw-prop-collapse-origin",
    .title = "softmax ends at the origin",
    .statement = "For beta > 0 the softmax flow of a cloud around the origin brings all tokens to "
                 "the origin.",
    .status = TROP_CLAIM_FALSE,
    .remark = "The tokens 1 and -1/4 on a line with beta = 1, gamma = .1 leave the origin outside "
              "their hull, which only shrinks; so do most clouds that are not symmetric. The "
              "tokens tend to some point of the initial hull. Read where the diameter has fallen "
              "to a hundredth.",
    .repaired = "fw-prop-origin",
    .old_inputs = inputs,
    .hypotheses = printed_hypotheses,
    .old_draw = draw_around,
    .old_work = trop_fw_beta_flow,
    .old_conclude = conclude_origin,
    .old_exhibit = exhibit,
    .exhibits = 2,
    .spoils = printed_spoils,
    .trials = 100,
};

const struct trop_claim trop_fw_prop_origin_sharp = {
    .id = "fw-rem-contraction",
    .title = "the contraction improves as the cloud shrinks",
    .statement = "A softmax step multiplies the diameter D by at most 1 - gamma e^(-|beta| R D), R "
                 "the largest norm, for every real beta and gamma in (0, 1].",
    .status = TROP_CLAIM_PROVED,
    .remark = "Not in the paper: its constant e^(-2 |beta| R^2)/n counts one common token where "
              "the rows share n, and the whole range of scores where those of one token differ by "
              "|beta| R D.",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = trop_fw_beta_flow,
    .old_conclude = conclude_sharp,
    .spoils = sharp_spoils,
    .trials = 100,
};
