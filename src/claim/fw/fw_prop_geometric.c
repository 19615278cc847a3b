/* fw_prop_geometric.c -- the exact law of an exit from a regular polygon (Frank-Wolfe paper,
 * section 5).
 *
 * One token at each corner of a regular polygon of radius r, and eps < gamma times a side: nothing
 * moves before some token picks another corner, and that token leaves. A token picks another corner
 * with
 *
 *   p = S/(1 + S),   S = sum_{j >= 1} e^(-beta r^2 (1 - cos theta_j)),  theta_j = 2 pi j/kappa,
 *
 * so that its exit is geometric with median ceil(log(1/2)/log1p(-p)), and the first exit of all
 * survives step t with probability (1 - p)^(kappa t). log(1 - p) is -log1p(S): for large beta, 1 -
 * p itself rounds to 1.
 *
 * Allowances. Exponents have the relative error 8 u, so S and the medians that of 8 u (beta r^2 +
 * kappa + 8); a median that close to a whole number may round either way. The curve of the runs
 * is within its band (fw_beta_exit.c).
 */
#include "claim/fw/fw_beta.h"

#include "base/math/cos.h"
#include "base/math/exp.h"
#include "base/math/log.h"
#include "claim/sample.h"
#include "claim/tokens.h"

#include <float.h>
#include <math.h>

#define TURN 0x1.921fb54442d18p+2 /* 2 pi */
#define LN2 0x1.62e42fefa39efp-1
#define LN10 0x1.26bb1bbb55516p+1

/* -log(1 - p) of one token. */
static double hazard(double beta, double radius, int64_t kappa)
{
    double sum = 0;

    for (int64_t j = 1; j < kappa; j++) {
        const double angle = TURN * (double)j / (double)kappa;
        sum += trop_exp(-beta * radius * radius * (1 - trop_cos(angle)));
    }
    return trop_log1p(sum);
}

static void draw(struct trop_case *c)
{
    const double radius = .3 + 3 * trop_case_uniform(c, 16, 0);

    trop_fw_beta_polygon(c, 3 + trop_case_pick(c, 16, 1, 6), radius);
    trop_case_default(c, "beta",
                      (3 + 27 * trop_case_uniform(c, 16, 2)) / trop_fw_beta_polygon_c0(c));
    trop_case_default(c, "gamma", .05 + .9 * trop_case_uniform(c, 16, 3));
    const double side = sqrt(2 * trop_fw_beta_polygon_c0(c)),
                 share = .1 + .8 * trop_case_uniform(c, 16, 4);
    trop_case_default(c, "radius", share * trop_case_number(c, "gamma") * side);
    trop_tokens_count(c, "runs", (double)trop_sample_effort(c, 200, 1000, 20000), 1, 1e6);
}

/* Beyond it e^(-beta c0) leaves double. */
static void in_range(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_most(judge, "beta c0", -1,
                       trop_case_number(c, "beta") * trop_fw_beta_polygon_c0(c), 600, 0);
}

/* log10 of the median of the geometric law with this h = -log(1 - p). Above 2^52 steps the rounding
 * to a whole number does not matter. */
static double log10_median(double h)
{
    const double steps = LN2 / h;

    return trop_log(steps < 0x1p52 ? ceil(steps) : steps) / LN10;
}

static void judge_median(struct trop_judge *judge, const char *name, double found, double h,
                         double error)
{
    const double blur = 16 * DBL_EPSILON * (1 + fabs(found)) + 2 * error;

    trop_judge_at_least(judge, name, -1, found, log10_median(h * (1 + error)), blur);
    trop_judge_at_most(judge, name, -1, found, log10_median(h * (1 - error)), blur);
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const double kappa = (double)trop_case_size(c, "tokens", 0), r = trop_fw_beta_radius(c);
    const double beta = trop_case_number(c, "beta"), h = hazard(beta, r, (int64_t)kappa);
    const double error = 4 * DBL_EPSILON * (beta * r * r + kappa + 8);
    const struct trop_view survival = trop_case_view(c, "survival");
    const double band = trop_fw_beta_band(trop_case_integer(c, "runs"));

    judge_median(judge, "log10 of the median of a token", trop_case_number(c, "log10_token"), h,
                 error);
    judge_median(judge, "log10 of the median of the first", trop_case_number(c, "log10_exact"),
                 h * kappa, error);
    for (int64_t p = 0; p < survival.rows; p++) {
        const double *point = trop_case_view_row(survival, p);
        trop_judge_near(judge, "fraction of runs inside", (int64_t)fmin(point[0], 0x1p62), point[1],
                        trop_exp(-h * kappa * point[0]), band);
    }
}

const struct trop_claim trop_fw_prop_geometric = {
    .id = "fw-prop-geometric",
    .title = "exits from a polygon are geometric",
    .statement = "With one token at each corner of a regular polygon and eps below gamma times a "
                 "side, the exit of a token is geometric with p = S/(1 + S), S = sum_j e^(-beta "
                 "r^2 (1 - cos theta_j)), and the first exit of all has 1 - (1 - p)^kappa for p.",
    .status = TROP_CLAIM_PROVED,
    .remark = "The medians of the library's exact law against ceil(log(1/2)/log1p(-p)), and the "
              "survival curve of its runs against the law.",
    .inputs = "tokens beta gamma radius runs",
    .hypotheses =
        TROP_HYPOTHESES(TROP_FW_BETA_POLYGON, TROP_FW_BETA_STEP_SIZE, TROP_FW_BETA_ONE_CROSSING,
                        { "range", "beta c0 <= 600", .judge = in_range }, TROP_FW_BETA_COMPLETE),
    .run = { draw, trop_fw_beta_survive, conclude },
    /* The square of a side is 2 c0. */
    .spoils =
        TROP_SPOILS({ "log10 of a median is larger by 1e-9", NULL, .edit = "log10_token += 1e-9" },
                    { "runs at beta - 2/c0", NULL,
                      .edit = "work survival with beta -= 4 / "
                              "((tokens[0,0] - tokens[1,0])^2 + (tokens[0,1] - tokens[1,1])^2)" }),
    .trials = 40,
};
