/* fw_rate_escape.c -- how fast exit times grow with beta (Frank-Wolfe paper, section 5).
 *
 * Theorem 5.4 proves e^(beta c0/2). For regular polygons with one token per corner the times grow
 * as e^(beta c0), twice the proved exponent:
 *
 *   chain: log median = beta c0 + log(log 2/(2 kappa)) + o(1), by the exact law;
 *   flow:  the radius obeys r' = r - gamma r (1 - cos theta_1) 2 e^(-beta c0 (r/r_0)^2) (1 + o(1)),
 *          so that the time to leave r_0 by a fixed share is e^(beta c0)/beta times a constant.
 *
 * The slope is that of least squares over beta from 6 to 60 (of the chain) and 10 to 60 (of the
 * flow, of beta T), in units of 1/r^2. The o(1) bends the line at small beta: a relative error of
 * 2% is allowed. The median of N runs of a geometric law has a logarithm with the standard
 * deviation 1/(sqrt(N) log 2) = 1.44/sqrt(N); four of them over sqrt(sum (beta - mean)^2) are
 * added.
 */
#include "claim/fw/fw_beta.h"

#include "base/math/log.h"
#include "claim/sample.h"
#include "claim/tokens.h"

#include <math.h>

#define LN10 0x1.26bb1bbb55516p+1

/* A polygon, and betas from `from` to 60, `step` apart, in units of 1/r^2. */
static void draw(struct trop_case *c, int64_t from, int64_t step)
{
    const int64_t count = (60 - from) / step + 1;

    trop_fw_beta_polygon(c, 3 + trop_case_pick(c, 16, 0, 4), .5 + 2 * trop_case_uniform(c, 16, 1));
    trop_case_default(c, "gamma", .05 + .45 * trop_case_uniform(c, 16, 2));
    const double *x = trop_case_array(c, "tokens"), square = trop_tokens_dot(x, x, 2);
    double *betas = trop_case_absent(c, "betas", count, 0, 0);
    for (int64_t k = 0; betas && k < count; k++) {
        betas[k] = (double)(from + step * k) / square;
    }
}

static void draw_chain(struct trop_case *c)
{
    draw(c, 6, trop_sample_effort(c, 2, 1, 1));
    trop_case_default(c, "radius",
                      .5 * trop_case_number(c, "gamma") * sqrt(2 * trop_fw_beta_polygon_c0(c)));
    trop_tokens_count(c, "runs", (double)trop_sample_effort(c, 100, 400, 4000), 1, 1e6);
}

static void draw_flow(struct trop_case *c)
{
    draw(c, 10, trop_sample_effort(c, 10, 5, 1));
    trop_case_default(c, "radius", .3 * trop_fw_beta_radius(c));
}

/* "log_median" at each beta. */
static void find_medians(struct trop_case *c, const char *dynamics, int64_t runs)
{
    const struct trop_view betas = trop_case_view(c, "betas");
    double *medians = trop_case_zeros(c, "log_median", betas.rows, 0, 0);

    for (int64_t k = 0; k < betas.rows; k++) {
        void *mark = trop_case_mark(c);
        const struct trop_escape *escape = trop_case_escape(
            c, "beta=%.17g gamma=@gamma radius=@radius runs=%lld dynamics=%s seed=%llu",
            betas.at[k], (long long)runs, dynamics,
            (unsigned long long)trop_fw_beta_seed(c, 17, k));
        medians[k] = LN10 * trop_case_told_cell(c, trop_escape_field_table(), escape, "betas",
                                                "log10_median", 0);
        trop_case_release(c, mark);
    }
}

static void work_chain(struct trop_case *c)
{
    find_medians(c, "chain", trop_case_integer(c, "runs"));
}

static void work_flow(struct trop_case *c)
{
    find_medians(c, "flow", 1);
}

/* ---- hypotheses ---- */

/* For more than six corners an exponent of 60 is not yet large. */
static void large_exponents(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view betas = trop_case_view(c, "betas");

    trop_judge_at_least(judge, "c0 times the largest beta", -1,
                        betas.rows > 2 ? trop_fw_beta_polygon_c0(c) * betas.at[betas.rows - 1]
                                       : (double)NAN,
                        29, 1e-9);
}

#define LARGE \
    { \
        "large-exponents", "betas reach 29/c0", \
            .judge = large_exponents, .broken = "a tenth of the betas", .edit = "betas *= .1" \
    }

/* ---- conclusions ---- */

/* Least squares of y = log_median (+ log beta) on beta; sxx: sum of squares of beta - mean. */
static double slope(double *sxx, const struct trop_case *c, int prefactor)
{
    const double *x = trop_case_array(c, "betas"), *y = trop_case_array(c, "log_median");
    const int64_t count = trop_case_size(c, "betas", 0);
    double mean = 0, sxy = 0;

    *sxx = 0;
    for (int64_t k = 0; k < count; k++) {
        mean += x[k] / (double)count;
    }
    for (int64_t k = 0; k < count; k++) {
        *sxx += (x[k] - mean) * (x[k] - mean);
        sxy += (x[k] - mean) * (y[k] + (prefactor ? trop_log(x[k]) : 0));
    }
    return sxy / *sxx;
}

static void conclude_chain(struct trop_judge *judge, const struct trop_case *c)
{
    double sxx = 0;
    const double fit = slope(&sxx, c, 0), runs = (double)trop_case_integer(c, "runs");

    trop_judge_near(judge, "slope of log median against beta", -1, fit, trop_fw_beta_polygon_c0(c),
                    .02 * trop_fw_beta_polygon_c0(c) + 4 * 1.4427 / sqrt(runs * sxx));
}

static void conclude_flow(struct trop_judge *judge, const struct trop_case *c)
{
    double sxx = 0;

    trop_judge_near(judge, "slope of log(beta T) against beta", -1, slope(&sxx, c, 1),
                    trop_fw_beta_polygon_c0(c), .02 * trop_fw_beta_polygon_c0(c));
}

const struct trop_claim trop_fw_rate_escape = {
    .id = "fw-rate-escape",
    .title = "exit times of the chain grow as e^(c0 beta)",
    .statement = "The logarithm of the median exit time of the chain from a regular polygon grows "
                 "with beta at the rate c0, twice the proved c0/2.",
    .status = TROP_CLAIM_CONJECTURED,
    .source = TROP_CLAIM_DERIVED,
    .remark = "The slope of least squares over beta r^2 = 6 .. 60, within 2% of c0 and sampling "
              "error. For polygons it follows from the exact law; for other clouds it is a "
              "measured regularity.",
    .inputs = "tokens betas gamma radius runs",
    .hypotheses = TROP_HYPOTHESES(TROP_FW_BETA_POLYGON, TROP_FW_BETA_ONE_CROSSING, LARGE),
    .run = { draw_chain, work_chain, conclude_chain },
    .spoils = TROP_SPOILS(
        { "runs at nine tenths of beta", NULL, .edit = "work log_median with betas *= .9" }),
    .trials = 8,
};

const struct trop_claim trop_fw_rate_escape_flow = {
    .id = "fw-rate-flow",
    .title = "lifetimes of the flow grow as e^(c0 beta)/beta",
    .statement = "The time T after which the radius of a regular polygon under the softmax flow "
                 "has fallen by a fixed share grows as e^(c0 beta)/beta.",
    .status = TROP_CLAIM_CONJECTURED,
    .source = TROP_CLAIM_DERIVED,
    .remark = "The slope of log(beta T) over beta r^2 = 10 .. 60, within 2% of c0; without the "
              "factor beta the fitted slope is 2 to 5% too small.",
    .inputs = "tokens betas gamma radius runs",
    .hypotheses =
        TROP_HYPOTHESES(TROP_FW_BETA_POLYGON,
                        { "radius", "eps is between .2 and .5 of the radius",
                          .holds = "eps/r: radius / norm(tokens[0]) >= .2; "
                                   "eps/r: radius / norm(tokens[0]) <= .5",
                          .broken = "eps is three times as large", .edit = "radius *= 3" },
                        LARGE),
    .run = { draw_flow, work_flow, conclude_flow },
    .spoils =
        TROP_SPOILS({ "times of 95% of beta", NULL, .edit = "work log_median with betas *= .95" }),
    .trials = 8,
};
