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
 * would have to keep the origin forever. In one dimension (1, -1/4) with beta = 1 goes
 * to .4756.
 *
 * Certificates at the last step: the contraction of every step, and every token in the initial
 * hull; of the printed form, that the origin is in the hull still. Allowances: two tokens move by
 * one step's rounding each, and what the path as a whole may be off (fw_beta.c).
 */
#include "claim/fw/fw_beta.h"

#include "base/math/exp.h"
#include "claim/shown.h"
#include "claim/tokens.h"

#include <math.h>

#define STEPS 30
#define LONG 150    /* steps of the printed form */
#define SHRUNK 1e-2 /* a path of the printed form ends below this share of its first diameter */

/* ---- instances ---- */

static void draw_numbers(struct trop_case *c, double exponent, double gamma, int64_t steps)
{
    trop_fw_beta_exponent(c, exponent);
    trop_case_default(c, "gamma", gamma);
    trop_tokens_count(c, "steps", (double)steps, 1, 1e6);
}

static void draw(struct trop_case *c)
{
    trop_tokens_gaussian(c, 2 + trop_case_pick(c, 16, 1, 9), 1 + trop_case_pick(c, 16, 2, 4));
    draw_numbers(c, 3 * trop_case_uniform(c, 16, 0) - 1.5, .1 + .9 * trop_case_uniform(c, 16, 3),
                 STEPS);
}

/* Every other cloud is centrally symmetric: for those the claim is true. */
static void draw_around(struct trop_case *c)
{
    if (c->trial % 2 == 0) {
        trop_tokens_symmetric(c, 4, 2);
    } else {
        trop_tokens_gaussian(c, 8, 2);
    }
    draw_numbers(c, .5 + trop_case_uniform(c, 16, 0), .05 + .05 * trop_case_uniform(c, 16, 3),
                 LONG);
}

static void work(struct trop_case *c)
{
    trop_case_path(c, "path", trop_case_integer(c, "steps"), TROP_FW_BETA_FLOW);
}

static void origin_inside(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view x = trop_case_view(c, "tokens");
    const struct trop_hull_position place = trop_case_place(
        c, trop_case_hull(c, x.at, x.rows, x.columns), trop_case_scratch(c, x.columns));

    trop_judge_at_most(judge, "distance of the origin from the hull", -1, place.lower, 0,
                       place.side == TROP_SIDE_INSIDE ? 0 : 1e-14 * trop_tokens_radius_of(x));
}

/* The path must be long enough for the hull to become small: as long as it is large, it contains
 * the origin of a cloud around it whatever happens. */
static void long_run(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view path = trop_case_view(c, "path");

    trop_judge_at_most(judge, "last diameter", path.rows - 1,
                       trop_tokens_diameter_of(trop_case_view_part(path, -1)),
                       SHRUNK * trop_tokens_diameter_of(trop_case_view_part(path, 0)), 0);
}

static const struct trop_hypothesis hypotheses[] = { TROP_FW_BETA_STEP_SIZE, { 0 } };

/* ---- conclusions ---- */

static void conclude_step(struct trop_judge *judge, const struct trop_case *c, int64_t t, int sharp)
{
    const struct trop_view path = trop_case_view(c, "path"), x = trop_case_view_part(path, t);
    const struct trop_view first = trop_case_view_part(path, 0);
    const double beta = trop_case_number(c, "beta"), gamma = trop_case_number(c, "gamma");
    const double radius = trop_tokens_radius_of(first), D = trop_tokens_diameter_of(x);
    const double least = sharp ? trop_exp(-fabs(beta) * trop_tokens_radius_of(x) * D)
                               : trop_exp(-2 * fabs(beta) * radius * radius) / (double)x.rows;

    trop_judge_at_most(judge, "diameter after a step", t + 1,
                       trop_tokens_diameter_of(trop_case_view_part(path, t + 1)),
                       (1 - gamma * least) * D,
                       trop_fw_beta_allow(2 * trop_fw_beta_rounding(first, beta), first));
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view path = trop_case_view(c, "path"), first = trop_case_view_part(path, 0);
    const int64_t steps = path.rows - 1;
    const double rounding =
        trop_fw_beta_rounding(first, trop_case_number(c, "beta")) * (double)steps;

    for (int64_t t = 0; t < steps; t++) {
        conclude_step(judge, c, t, 0);
    }
    trop_fw_beta_judge_inside(judge, c, "distance of a token from the initial hull", steps, first,
                              trop_case_view_part(path, -1), 0,
                              trop_fw_beta_allow(rounding, first));
}

static void conclude_sharp(struct trop_judge *judge, const struct trop_case *c)
{
    for (int64_t t = 0; t + 1 < trop_case_size(c, "path", 0); t++) {
        conclude_step(judge, c, t, 1);
    }
}

static void conclude_origin(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view path = trop_case_view(c, "path");
    const int64_t steps = path.rows - 1;
    const double error =
        trop_fw_beta_error(path, steps, trop_case_number(c, "beta"), trop_case_number(c, "gamma"));
    const struct trop_view origin = { trop_case_scratch(c, path.depth), 1, path.depth, 1 };

    trop_fw_beta_judge_inside(judge, c, "distance of the origin from the hull", steps,
                              trop_case_view_part(path, -1), origin, 0,
                              trop_fw_beta_allow(error, trop_case_view_part(path, 0)));
}

/* ---- a proof file: after T steps all tokens are above the origin in a direction "w" ---- */

/* clang-format off */
static const char *const shown[] = {
    "beta > 0 and 0 < gamma <= 1",
    "all(0 <= a for a in solve([tokens[i] for i in atoms if i != atoms[0]], -tokens[atoms[0]]))",
    "x = tokens",
    "for t in range(T): K = [[exp(beta * dot(a, b)) for b in x] for a in x]; "
        "x = [x[i] + gamma * (sum(K[i][j] * x[j] for j in range(len(x))) / sum(K[i]) - x[i]) "
        "for i in range(len(x))]",
    "all(dot(w, a) > 0 for a in x)",
    NULL,
};
/* clang-format on */

/* The first step at which they are, by more than the error of the path: then the hull, which only
 * shrinks, never comes back to the origin. */
static int show(struct trop_case *c, int64_t step)
{
    const struct trop_view path = trop_case_view(c, "path"), first = trop_case_view_part(path, 0);
    const double beta = trop_case_number(c, "beta"), gamma = trop_case_number(c, "gamma");
    const int64_t d = path.depth;
    double *w = trop_case_zeros(c, "w", d, 0, 0), *origin = trop_case_scratch(c, d), error = 0;
    int64_t t = 0;
    int found = 0;

    for (; t <= step && !found; t++) {
        const struct trop_view x = trop_case_view_part(path, t);
        found = trop_shown_outside(w, c, x, NULL, x.rows, origin, error);
        error = trop_fw_beta_error_after(error, x, beta, gamma);
    }
    for (int64_t a = 0; a < d; a++) {
        w[a] *= -1;
    }
    trop_case_put(c, "T", (double)(t - 1));
    return found && trop_shown_inside(trop_case_zeros(c, "atoms", d + 1, 0, 0), c, first, NULL,
                                      first.rows, origin);
}

#define STILL \
    { \
        "the tokens stand still in the first step", NULL, .edit = "path[1] = path[0]" \
    }

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
    .inputs = "tokens beta gamma steps",
    .hypotheses = hypotheses,
    .run = { draw, work, conclude },
    .spoils =
        TROP_SPOILS(STILL, { "a token of the last step is 1e-6 beyond the initial ball", NULL }),
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
    .inputs = "tokens beta gamma steps",
    .hypotheses = TROP_HYPOTHESES(
        TROP_FW_BETA_STEP_SIZE,
        { "positive-beta", "beta > 0", .holds = "beta > 0", .broken = "beta is negative",
          .edit = "beta *= -1" },
        { "origin-inside", "the origin is in the initial hull", .judge = origin_inside,
          .broken = "the cloud is 6 to the side", .edit = "tokens[*,0] += 6" },
        { "long-run", "the diameter falls to a hundredth", .judge = long_run, .late = 1,
          .broken = "two steps", .edit = "work path with steps = 2" }),
    .run = { draw_around, work, conclude_origin },
    .exhibited = (const char *const[]){ "tokens = {1; -.25}; beta = 1; gamma = .1",
                                        "tokens = {2 0; -1 .5; -1 -.5}; beta = .25; gamma = .1" },
    .exhibits = 2,
    .shown = shown,
    .show = show,
    .spoils = TROP_SPOILS({ "the last step is moved by 1e-6 and twice its radius", NULL }),
    .trials = 100,
};

const struct trop_claim trop_fw_prop_origin_sharp = {
    .id = "fw-rem-contraction",
    .title = "the contraction improves as the cloud shrinks",
    .statement = "A softmax step multiplies the diameter D by at most 1 - gamma e^(-|beta| R D), R "
                 "the largest norm, for every real beta and gamma in (0, 1].",
    .status = TROP_CLAIM_PROVED,
    .source = TROP_CLAIM_DERIVED,
    .remark = "Not in the paper: its constant e^(-2 |beta| R^2)/n counts one common token where "
              "the rows share n, and the whole range of scores where those of one token differ by "
              "|beta| R D.",
    .inputs = "tokens beta gamma steps",
    .hypotheses = hypotheses,
    .run = { draw, work, conclude_sharp },
    .spoils = TROP_SPOILS(STILL),
    .trials = 100,
};
