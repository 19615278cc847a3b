/* fw_rem_sphere.c -- hardmax rests on a sphere.
 *
 * With B = I distinct tokens of one sphere do not move: <x, x> = R^2 > <x, y>, so that each is its
 * own leader, and a step from x towards x is none, without rounding.
 */
#include "claim/fw/fw.h"

#include <float.h>
#include <math.h>

static void draw(struct trop_case *c)
{
    trop_tokens_sphere(c, 4 + trop_case_pick(c, 18, 0, 12), 2 + trop_case_pick(c, 18, 1, 4));
    trop_fw_draw_gamma(c, 4, .1, 1);
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view path = trop_case_view(c, "path");
    const int64_t n = path.columns, d = path.depth;

    for (int64_t k = 0; k < path.rows * n; k++) {
        trop_judge_at_most(judge, "distance of a token from where it began", k / n,
                           trop_tokens_distance(path.at + k * d, path.at + k % n * d, d), 0, 0);
    }
}

/* Norms may differ by rounding e; then x leads y when <x, x - y> = |x - y|^2/2 + (|x|^2 -
 * |y|^2)/2 > 0, for which tokens that are sqrt(4 e) apart suffice. */
static void one_sphere(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view x = trop_case_view(c, "tokens");
    const double radius = trop_tokens_radius_of(x);

    for (int64_t i = 0; i < x.rows; i++) {
        trop_judge_at_least(judge, "norm of a token over the largest", -1,
                            trop_tokens_norm(trop_case_view_row(x, i), x.columns) / radius,
                            1 - 4 * (double)x.columns * DBL_EPSILON, 0);
    }
}

static void apart(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view x = trop_case_view(c, "tokens");
    const double radius = trop_tokens_radius_of(x);

    for (int64_t k = 0; k < x.rows * x.rows; k++) {
        if (k / x.rows != k % x.rows) {
            trop_judge_at_least(judge, "distance of two tokens", -1,
                                trop_tokens_distance(trop_case_view_row(x, k / x.rows),
                                                     trop_case_view_row(x, k % x.rows), x.columns),
                                1e-6 * radius, 0);
        }
    }
}

const struct trop_claim trop_fw_rem_sphere = {
    .id = "fw-rem-sphere",
    .title = "hardmax rests on a sphere",
    .statement = "Hardmax with B = I does not move distinct tokens of equal norm: each is its own "
                 "leader.",
    .status = TROP_CLAIM_PROVED,
    .inputs = "tokens gamma steps",
    .hypotheses = TROP_HYPOTHESES(
        { "one-sphere", "all tokens have the same norm, up to rounding", .judge = one_sphere,
          .broken = "a token is longer by a millionth", .edit = "tokens[0] *= 1 + 1e-6" },
        /* Along a direction at right angles, on the sphere. */
        { "apart", "no two tokens are closer than 1e-6 of it", .judge = apart,
          .broken = "two tokens are 1e-9 apart",
          .edit = "tokens[1] = tokens[0]; tokens[1,0] -= 1e-9 * tokens[0,1];"
                  "tokens[1,1] += 1e-9 * tokens[0,0]" }),
    .run = { draw, trop_fw_work_path, conclude },
    .spoils = TROP_SPOILS(TROP_FW_NUDGE),
    .trials = 60,
};
