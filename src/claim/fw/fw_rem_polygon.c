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
 * along the path (trop_fw_beta_error); the corners of step 0, within 16 u r of their places, and
 * the map have roundings of their own, which grow no faster: with 16 u r (2 + 4 |beta| r^2) after
 * the first step they are below three times its error, and four times it is allowed.
 */
#include "claim/fw/fw_beta.h"

#include "base/math/cos.h"
#include "base/math/exp.h"

#include <math.h>

#define TURN 0x1.921fb54442d18p+2 /* 2 pi */

/* tanh b; e^(2 b) - 1 over e^(2 b) + 1. */
static double tanh_of(double b)
{
    const double e = trop_expm1(-2 * fabs(b));

    return copysign(-e / (2 + e), b);
}

static double next_radius(double r, double beta, double gamma, int64_t kappa)
{
    double sum = 0, total = 0, most = beta * r * r; /* of a negative beta: of the farthest corner */

    if (beta < 0) {
        most *= trop_cos(TURN * (double)(kappa / 2) / (double)kappa);
    }
    for (int64_t j = 0; j < kappa; j++) {
        const double cosine = trop_cos(TURN * (double)j / (double)kappa);
        const double weight = trop_exp(beta * r * r * cosine - most);
        sum += cosine * weight;
        total += weight;
    }
    return (1 - gamma) * r + gamma * r * sum / total;
}

/* What is allowed at each step of the path. */
static const double *allowed(const struct trop_case *c)
{
    const struct trop_view path = trop_case_view(c, "path"), first = trop_case_view_part(path, 0);
    const double beta = trop_case_number(c, "beta"), gamma = trop_case_number(c, "gamma");
    double *out = trop_case_scratch(c, path.rows), error = 0;

    for (int64_t t = 1; t < path.rows; t++) {
        error = trop_fw_beta_error_after(error, trop_case_view_part(path, t - 1), beta, gamma);
        out[t] = trop_fw_beta_allow(4 * error, first);
    }
    return out;
}

/* ---- polygons ---- */

static void draw_kappa(struct trop_case *c, int64_t kappa)
{
    trop_fw_beta_polygon(c, kappa, .5 + 2 * trop_case_uniform(c, 16, 0));
    trop_fw_beta_exponent(c, 4 * trop_case_uniform(c, 16, 1) - 1);
    trop_case_default(c, "gamma", .05 + .4 * trop_case_uniform(c, 16, 2));
    trop_tokens_count(c, "steps", 12, 1, 1e6);
}

static void draw(struct trop_case *c)
{
    draw_kappa(c, 2 + c->trial % 7);
}

static void work(struct trop_case *c)
{
    trop_case_path(c, "path", trop_case_integer(c, "steps"), TROP_FW_BETA_FLOW);
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const double beta = trop_case_number(c, "beta"), gamma = trop_case_number(c, "gamma");
    const struct trop_view path = trop_case_view(c, "path");
    const int64_t kappa = path.columns;
    const double first = trop_tokens_norm(path.at, 2);
    const double *allowance = allowed(c);
    double r = first, pair = first;

    for (int64_t t = 1; t < path.rows; t++) {
        const double *x = trop_case_view_row(path, t);
        r = next_radius(r, beta, gamma, kappa);
        pair *= 1 - gamma + gamma * tanh_of(beta * pair * pair);
        for (int64_t i = 0; i < kappa; i++) {
            const double share = r / first;
            const double place[2] = { share * path.at[2 * i], share * path.at[2 * i + 1] };
            trop_judge_near(judge, "distance of a token from the map's corner", t,
                            trop_tokens_distance(x + 2 * i, place, 2), 0, allowance[t]);
        }
        if (kappa == 2) {
            trop_judge_near(judge, "radius of a pair", t, trop_tokens_norm(x, 2), fabs(pair),
                            allowance[t]);
        }
    }
}

const struct trop_claim trop_fw_rem_polygon = {
    .id = "fw-rem-polygon",
    .title = "polygons shrink by a map of their radius",
    .statement = "Under the softmax flow a regular polygon with one token per corner stays one, "
                 "with r' = (1 - gamma) r + gamma r sum_j cos theta_j e^(beta r^2 cos theta_j)/"
                 "sum_j e^(beta r^2 cos theta_j), which for two tokens is r (1 - gamma + gamma "
                 "tanh(beta r^2)).",
    .status = TROP_CLAIM_PROVED,
    .inputs = "tokens beta gamma steps",
    .hypotheses = TROP_HYPOTHESES(TROP_FW_BETA_POLYGON, TROP_FW_BETA_STEP_SIZE),
    .run = { draw, work, conclude },
    .spoils = TROP_SPOILS(
        { "a flow whose gamma is larger by 1e-6", NULL, .edit = "work with gamma += 1e-6" },
        TROP_FW_NUDGE),
    .trials = 70,
};

/* ---- the square ---- */

static void draw_square(struct trop_case *c)
{
    draw_kappa(c, 4);
}

/* "path", and the radii of a pair of tokens r, -r at beta/2, "pair" (steps + 1). */
static void work_square(struct trop_case *c)
{
    const int64_t steps = trop_case_integer(c, "steps");
    const double r = trop_tokens_norm(trop_case_array(c, "tokens"), 2);
    struct trop_case *other = trop_case_aside(c);
    double *pair = trop_case_zeros(c, "pair", steps + 1, 0, 0);

    work(c);
    trop_case_copy_in(other, "tokens", (const double[]){ r, 0, -r, 0 }, 2, 2, 0);
    trop_case_put(other, "beta", trop_case_number(c, "beta") / 2);
    work(other);
    for (int64_t t = 0; t <= steps; t++) {
        pair[t] = trop_case_array(other, "path")[4 * t];
    }
}

static void four_corners(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_truth(judge, "four tokens", -1, trop_case_size(c, "tokens", 0) == 4);
}

static void conclude_square(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view path = trop_case_view(c, "path");
    const double *allowance = allowed(c);

    for (int64_t t = 1; t < path.rows; t++) {
        for (int64_t i = 0; i < 4; i++) {
            trop_judge_near(judge, "radius of the square and of the pair", t,
                            trop_tokens_norm(trop_case_view_row(path, t) + 2 * i, 2),
                            fabs(trop_case_array(c, "pair")[t]), 2 * allowance[t]);
        }
    }
}

const struct trop_claim trop_fw_rem_polygon_square = {
    .id = "fw-rem-square",
    .title = "a square is a pair at half the beta",
    .statement = "Under the softmax flow a square at beta has the radii of a pair of opposite "
                 "tokens at beta/2.",
    .status = TROP_CLAIM_PROVED,
    .inputs = "tokens beta gamma steps",
    .hypotheses = TROP_HYPOTHESES(
        TROP_FW_BETA_POLYGON,
        { "square", "the polygon has four corners", .judge = four_corners, .broken = "a triangle",
          .edit = "tokens = {1 0; -.5 .86602540378443865; -.5 -.86602540378443865}" },
        TROP_FW_BETA_STEP_SIZE),
    .run = { draw_square, work_square, conclude_square },
    .spoils =
        TROP_SPOILS({ "a pair at .5001 beta", NULL, .edit = "work pair with beta *= 1.0002" }),
    .trials = 50,
};
