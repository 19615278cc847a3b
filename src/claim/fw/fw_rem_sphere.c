/* fw_rem_sphere.c -- hardmax rests on a sphere.
 *
 * With B = I distinct tokens of one sphere do not move: <x, x> = R^2 > <x, y>, so that each is its
 * own leader, and a step from x towards x is none, without rounding.
 */
#include "claim/fw/fw.h"

#include "claim/tokens.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define STEPS 4

static enum trop_status draw(struct trop_case *c)
{
    enum trop_status status =
        trop_tokens_sphere(c, 4 + trop_case_pick(c, 18, 0, 12), 2 + trop_case_pick(c, 18, 1, 4));

    return status == TROP_OK ? trop_fw_draw_gamma(c, STEPS, .1, 1) : status;
}

static enum trop_status work(struct trop_case *c)
{
    const struct trop_flow_options o = trop_fw_work_options(c, TROP_RULE_HARDMAX);

    return trop_tokens_flow(c, &o, trop_case_integer(c, "steps"));
}

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const double *path = trop_case_array(c, "path");
    const int64_t rows = trop_case_size(c, "path", 0);
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);

    for (int64_t k = 0; k < rows * n; k++) {
        trop_judge_at_most(judge, "distance of a token from where it began", k / n,
                           trop_tokens_distance(path + k * d, path + k % n * d, d), 0, 0);
    }
    return TROP_OK;
}

/* Norms may differ by rounding e; then x leads y when <x, x - y> = |x - y|^2/2 + (|x|^2 -
 * |y|^2)/2 > 0, for which tokens that are sqrt(4 e) apart suffice. */
static enum trop_status one_sphere(struct trop_judge *judge, const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens");
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const double radius = trop_tokens_radius(x, n, d);

    for (int64_t i = 0; i < n; i++) {
        trop_judge_at_least(judge, "norm of a token over the largest", -1,
                            trop_tokens_radius(x + i * d, 1, d) / radius,
                            1 - 4 * (double)d * DBL_EPSILON, 0);
    }
    return TROP_OK;
}

static enum trop_status apart(struct trop_judge *judge, const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens");
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const double radius = trop_tokens_radius(x, n, d);

    for (int64_t k = 0; k < n * n; k++) {
        if (k / n != k % n) {
            trop_judge_at_least(judge, "distance of two tokens", -1,
                                trop_tokens_distance(x + k / n * d, x + k % n * d, d),
                                1e-6 * radius, 0);
        }
    }
    return TROP_OK;
}

static enum trop_status lengthen(struct trop_case *c)
{
    const int64_t d = trop_case_size(c, "tokens", 1);

    for (int64_t a = 0; a < d; a++) {
        trop_case_array(c, "tokens")[a] *= 1 + 1e-6;
    }
    return TROP_OK;
}

/* A token on the sphere, 1e-9 from the first one: along a direction at right angles. */
static enum trop_status crowd(struct trop_case *c)
{
    const int64_t d = trop_case_size(c, "tokens", 1);
    double *x = trop_case_array(c, "tokens");

    memcpy(x + d, x, (size_t)d * sizeof *x);
    x[d] -= 1e-9 * x[1];
    x[d + 1] += 1e-9 * x[0];
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    { "one-sphere", "all tokens have the same norm, up to rounding", one_sphere, 0 },
    { "apart", "no two tokens are closer than 1e-6 of it", apart, 0 },
    { 0 },
};

static const struct trop_spoil spoils[] = {
    { "one token of the last step moved by 1e-6", NULL, trop_fw_assume_nudge },
    { "a token is longer by a millionth", "one-sphere", lengthen },
    { "two tokens are 1e-9 apart", "apart", crowd },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "tokens", "(n, d)", "on a sphere around the origin" },
    { "gamma", "(steps)", "step sizes" },
    { "steps", "", "of the flow" },
    { 0 },
};

const struct trop_claim trop_fw_rem_sphere = {
    .id = "fw-rem-sphere",
    .title = "hardmax rests on a sphere",
    .statement = "Hardmax with B = I does not move distinct tokens of equal norm: each is its own "
                 "leader.",
    .status = TROP_CLAIM_PROVED,
    .remark = "",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 60,
};
