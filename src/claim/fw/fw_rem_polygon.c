/* fw_rem_polygon.c -- regular polygons under the softmax flow (Frank-Wolfe paper, section 5).
 *
 * One token at each corner: by symmetry the polygon stays one, and its radius follows
 *
 *   r' = (1 - gamma) r + gamma r A(beta r^2),  A(b) = sum_j cos theta_j e^(b cos theta_j)
 *                                                    / sum_j e^(b cos theta_j).
 *
 * A(b) = tanh(b) for kappa = 2. For kappa = 4 the numerator is e^b - e^-b and the denominator
 * (e^(b/2) + e^(-b/2))^2, so A(b) = tanh(b/2): a square at beta has the radii of a pair at beta/2.
 *
 * The path of the flow is compared with the map, iterated from the radius at step 0. Rounding grows
 * along the path (trop_fw_beta_error); the corners of step 0 and the map have roundings of their
 * own, which grow no faster: four times that error is allowed.
 */
#include "claim/fw/fw_beta.h"

#include "base/math/cos.h"
#include "base/math/exp.h"
#include "claim/tokens.h"

#include <math.h>
#include <string.h>

#define TURN 0x1.921fb54442d18p+2 /* 2 pi */
#define STEPS 12

/* tanh b; e^(2 b) - 1 over e^(2 b) + 1. */
static double tanh_of(double b)
{
    const double e = trop_expm1(-2 * fabs(b));

    return copysign(-e / (2 + e), b);
}

static double next_radius(double r, double beta, double gamma, int64_t kappa)
{
    double sum = 0, total = 0;

    for (int64_t j = 0; j < kappa; j++) {
        const double cosine = trop_cos(TURN * (double)j / (double)kappa);
        const double weight = trop_exp(beta * r * r * cosine - fabs(beta) * r * r);
        sum += cosine * weight;
        total += weight;
    }
    return (1 - gamma) * r + gamma * r * sum / total;
}

static double radius_of(const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens");

    return sqrt(trop_tokens_dot(x, x, 2));
}

/* ---- instances ---- */

static enum trop_status draw_kappa(struct trop_case *c, int64_t kappa)
{
    enum trop_status status = trop_fw_beta_polygon(c, kappa, .5 + 2 * trop_case_uniform(c, 16, 0));

    if (status == TROP_OK) {
        status = trop_fw_beta_exponent(c, 4 * trop_case_uniform(c, 16, 1) - 1);
    }
    if (status == TROP_OK) {
        status = trop_case_default(c, "gamma", .05 + .4 * trop_case_uniform(c, 16, 2));
    }
    return status == TROP_OK ? trop_tokens_count(c, "steps", STEPS, 1, 1e6) : status;
}

static enum trop_status draw(struct trop_case *c)
{
    return draw_kappa(c, 2 + c->trial % 7);
}

static enum trop_status draw_square(struct trop_case *c)
{
    return draw_kappa(c, 4);
}

/* The radii of a pair of tokens r, -r at beta/2: "pair" (steps + 1). */
static enum trop_status find_pair(struct trop_case *c, double beta)
{
    const int64_t steps = trop_case_integer(c, "steps");
    const double r = radius_of(c);
    const struct trop_flow_options o = trop_fw_beta_options(beta, trop_case_number(c, "gamma"));
    struct trop_case *other = NULL;
    double *x = NULL, *pair = NULL;
    enum trop_status status = trop_case_create(&other, c->seed, c->trial, c->effort, c->threads);

    if (status == TROP_OK) {
        status = trop_case_make(&x, other, "tokens", 2, 2, 0);
    }
    if (status == TROP_OK) {
        x[0] = r;
        x[2] = -r;
        status = trop_fw_beta_path(other, "path", x, &o, steps);
    }
    if (status == TROP_OK) {
        status = trop_case_make(&pair, c, "pair", steps + 1, 0, 0);
    }
    for (int64_t t = 0; t <= steps && status == TROP_OK; t++) {
        pair[t] = trop_case_array(other, "path")[4 * t];
    }
    trop_case_free(other);
    return status;
}

static enum trop_status work_square(struct trop_case *c)
{
    enum trop_status status = trop_fw_beta_flow(c);

    return status == TROP_OK ? find_pair(c, trop_case_number(c, "beta") / 2) : status;
}

static enum trop_status four_corners(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_truth(judge, "four tokens", -1, trop_case_size(c, "tokens", 0) == 4);
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    { "polygon", "one token at each corner of a regular polygon", trop_fw_beta_is_polygon, 0 },
    { "step-size", "gamma is in (0, 1]", trop_fw_beta_step_size, 0 },
    { 0 },
};

static const struct trop_hypothesis square_hypotheses[] = {
    { "polygon", "one token at each corner of a regular polygon", trop_fw_beta_is_polygon, 0 },
    { "square", "the polygon has four corners", four_corners, 0 },
    { "step-size", "gamma is in (0, 1]", trop_fw_beta_step_size, 0 },
    { 0 },
};

/* ---- conclusions ---- */

static double allowance(const struct trop_case *c, int64_t t)
{
    const double *path = trop_case_array(c, "path");

    const int64_t n = trop_case_size(c, "path", 1);
    const double error = trop_fw_beta_error(path, t, n, 2, trop_case_number(c, "beta"),
                                            trop_case_number(c, "gamma"));

    return trop_fw_beta_allow(4 * error, path, n, 2);
}

/* Every token is at r/r_0 times its first place. */
static void conclude_step(struct trop_judge *judge, const struct trop_case *c, int64_t t, double r)
{
    const int64_t n = trop_case_size(c, "path", 1);
    const double *first = trop_case_array(c, "path"), *x = first + 2 * t * n;
    const double share = r / radius_of(c);

    for (int64_t i = 0; i < n; i++) {
        const double place[2] = { share * first[2 * i], share * first[2 * i + 1] };
        trop_judge_near(judge, "distance of a token from the map's corner", t,
                        trop_tokens_distance(x + 2 * i, place, 2), 0, allowance(c, t));
    }
}

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const double beta = trop_case_number(c, "beta"), gamma = trop_case_number(c, "gamma");
    const int64_t steps = trop_case_size(c, "path", 0) - 1, kappa = trop_case_size(c, "path", 1);
    const double *path = trop_case_array(c, "path");
    double r = radius_of(c), pair = r;

    for (int64_t t = 1; t <= steps; t++) {
        r = next_radius(r, beta, gamma, kappa);
        pair *= 1 - gamma + gamma * tanh_of(beta * pair * pair);
        conclude_step(judge, c, t, r);
        if (kappa == 2) {
            trop_judge_near(judge, "radius of a pair", t,
                            sqrt(trop_tokens_dot(path + 4 * t, path + 4 * t, 2)), fabs(pair),
                            allowance(c, t));
        }
    }
    return TROP_OK;
}

static enum trop_status conclude_square(struct trop_judge *judge, const struct trop_case *c)
{
    const double *path = trop_case_array(c, "path"), *pair = trop_case_array(c, "pair");
    const int64_t steps = trop_case_size(c, "path", 0) - 1;

    for (int64_t t = 1; t <= steps; t++) {
        for (int64_t i = 0; i < 4; i++) {
            const double *x = path + 8 * t + 2 * i;
            trop_judge_near(judge, "radius of the square and of the pair", t,
                            sqrt(trop_tokens_dot(x, x, 2)), fabs(pair[t]), 2 * allowance(c, t));
        }
    }
    return TROP_OK;
}

/* ---- ways to be wrong ---- */

static enum trop_status other_gamma(struct trop_case *c)
{
    const double gamma = trop_case_number(c, "gamma");
    const struct trop_flow_options o =
        trop_fw_beta_options(trop_case_number(c, "beta"), gamma + 1e-6);

    return trop_fw_beta_path(c, "path", trop_case_array(c, "tokens"), &o,
                             trop_case_integer(c, "steps"));
}

static enum trop_status same_beta(struct trop_case *c)
{
    return find_pair(c, .5001 * trop_case_number(c, "beta"));
}

static enum trop_status triangle(struct trop_case *c)
{
    const double r = radius_of(c);

    trop_case_drop(c, "tokens");
    return trop_fw_beta_polygon(c, 3, r);
}

static const struct trop_spoil spoils[] = {
    { "a flow whose gamma is larger by 1e-6", NULL, other_gamma },
    { "one coordinate of the last step moved by 1e-6", NULL, trop_fw_beta_spoil_nudge },
    { "a corner one per cent farther out", "polygon", trop_fw_beta_spoil_corner },
    { "gamma = 3/2", "step-size", trop_fw_beta_spoil_gamma },
    { 0 },
};

static const struct trop_spoil square_spoils[] = {
    { "a pair at .5001 beta", NULL, same_beta },
    { "a corner one per cent farther out", "polygon", trop_fw_beta_spoil_corner },
    { "a triangle", "square", triangle },
    { "gamma = 3/2", "step-size", trop_fw_beta_spoil_gamma },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "tokens", "(kappa, 2)", "the corners of a regular polygon, in order" },
    { "beta", "", "inverse temperature" },
    { "gamma", "", "step size" },
    { "steps", "", "of the flow" },
    { 0 },
};

const struct trop_claim trop_fw_rem_polygon = {
    .id = "fw-rem-polygon",
    .title = "polygons shrink by a map of their radius",
    .statement = "Under the softmax flow a regular polygon with one token per corner stays one, "
                 "with r' = (1 - gamma) r + gamma r sum_j cos theta_j e^(beta r^2 cos theta_j)/"
                 "sum_j e^(beta r^2 cos theta_j), which for two tokens is r (1 - gamma + gamma "
                 "tanh(beta r^2)).",
    .status = TROP_CLAIM_PROVED,
    .remark = "",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = trop_fw_beta_flow,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 70,
};

const struct trop_claim trop_fw_rem_polygon_square = {
    .id = "fw-rem-square",
    .title = "a square is a pair at half the beta",
    .statement = "Under the softmax flow a square at beta has the radii of a pair of opposite "
                 "tokens at beta/2.",
    .status = TROP_CLAIM_PROVED,
    .remark = "",
    .old_inputs = inputs,
    .hypotheses = square_hypotheses,
    .old_draw = draw_square,
    .old_work = work_square,
    .old_conclude = conclude_square,
    .spoils = square_spoils,
    .trials = 50,
};
