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

#include "base/math/cos.h"
#include "base/math/log.h"
#include "claim/tokens.h"

#include <float.h>
#include <math.h>

#define TURN 0x1.921fb54442d18p+2 /* 2 pi */
#define LN10 0x1.26bb1bbb55516p+1

static double gap(const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens");
    const double n = (double)trop_case_size(c, "tokens", 0);

    return trop_tokens_dot(x, x, 2) * (1 - trop_cos(TURN / n));
}

/* Betas from `from` to 60, `step` apart, in units of 1/r^2. */
static enum trop_status draw_betas(struct trop_case *c, double from, double step)
{
    const double *x = trop_case_array(c, "tokens"), square = trop_tokens_dot(x, x, 2);
    const int64_t count = (int64_t)((60 - from) / step) + 1;
    double *betas = NULL;

    if (trop_case_has(c, "betas")) {
        return TROP_OK;
    }
    enum trop_status status = trop_case_make(&betas, c, "betas", count, 0, 0);
    for (int64_t k = 0; k < count && status == TROP_OK; k++) {
        betas[k] = (from + step * (double)k) / square;
    }
    return status;
}

static enum trop_status draw_polygon(struct trop_case *c)
{
    enum trop_status status = trop_fw_beta_polygon(c, 3 + trop_case_pick(c, 16, 0, 4),
                                                   .5 + 2 * trop_case_uniform(c, 16, 1));

    return status == TROP_OK
               ? trop_case_default(c, "gamma", .05 + .45 * trop_case_uniform(c, 16, 2))
               : status;
}

static enum trop_status draw_chain(struct trop_case *c)
{
    static const double runs[] = { 100, 400, 4000 }, steps[] = { 2, 1, 1 };
    enum trop_status status = draw_polygon(c);

    if (status == TROP_OK) {
        status = draw_betas(c, 6, steps[c->effort]);
    }
    if (status == TROP_OK) {
        status =
            trop_case_default(c, "radius", .5 * trop_case_number(c, "gamma") * sqrt(2 * gap(c)));
    }
    return status == TROP_OK ? trop_tokens_count(c, "runs", runs[c->effort], 1, 1e6) : status;
}

static enum trop_status draw_flow(struct trop_case *c)
{
    static const double steps[] = { 10, 5, 1 };
    enum trop_status status = draw_polygon(c);

    if (status == TROP_OK) {
        status = draw_betas(c, 10, steps[c->effort]);
    }
    const double *x = trop_case_array(c, "tokens");
    return status == TROP_OK ? trop_case_default(c, "radius", .3 * sqrt(trop_tokens_dot(x, x, 2)))
                             : status;
}

/* "log_median" at each beta. share is a factor of the betas that are really run: 1, or another one
 * for spoils. */
static enum trop_status find_medians(struct trop_case *c, int64_t dynamics, double share)
{
    const int64_t count = trop_case_size(c, "betas", 0);
    double *medians = NULL;
    enum trop_status status = trop_case_make(&medians, c, "log_median", count, 0, 0);

    for (int64_t k = 0; k < count && status == TROP_OK; k++) {
        const struct trop_fw_beta_escape how = { .beta = share * trop_case_array(c, "betas")[k],
                                                 .gamma = trop_case_number(c, "gamma"),
                                                 .radius = trop_case_number(c, "radius"),
                                                 .runs = dynamics == TROP_ESCAPE_CHAIN
                                                             ? trop_case_integer(c, "runs")
                                                             : 1,
                                                 .dynamics = dynamics,
                                                 .seed = trop_fw_beta_seed(c, 17, k) };
        struct trop_fw_beta_exit exit = { 0 };
        status = trop_fw_beta_escape(&exit, c, &how);
        medians[k] = LN10 * exit.log10_median;
    }
    return status;
}

static enum trop_status work_chain(struct trop_case *c)
{
    return find_medians(c, TROP_ESCAPE_CHAIN, 1);
}

static enum trop_status work_flow(struct trop_case *c)
{
    return find_medians(c, TROP_ESCAPE_FLOW, 1);
}

/* ---- hypotheses ---- */

static enum trop_status one_crossing(struct trop_judge *judge, const struct trop_case *c)
{
    const double way = trop_case_number(c, "gamma") * sqrt(2 * gap(c));

    trop_judge_truth(judge, "eps > 0", -1, trop_case_number(c, "radius") > 0);
    trop_judge_at_most(judge, "eps", -1, trop_case_number(c, "radius"), way,
                       64 * DBL_EPSILON * way);
    return TROP_OK;
}

static enum trop_status inside_radius(struct trop_judge *judge, const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens"), r = sqrt(trop_tokens_dot(x, x, 2));

    trop_judge_at_least(judge, "eps/r", -1, trop_case_number(c, "radius") / r, .2, 0);
    trop_judge_at_most(judge, "eps/r", -1, trop_case_number(c, "radius") / r, .5, 0);
    return TROP_OK;
}

/* For more than six corners an exponent of 60 is not yet large. */
static enum trop_status large_exponents(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t count = trop_case_size(c, "betas", 0);

    trop_judge_at_least(judge, "c0 times the largest beta", -1,
                        count > 2 ? gap(c) * trop_case_array(c, "betas")[count - 1] : (double)NAN,
                        29, 1e-9);
    return TROP_OK;
}

static const struct trop_hypothesis chain_hypotheses[] = {
    { "polygon", "one token at each corner of a regular polygon", trop_fw_beta_is_polygon, 0 },
    { "one-crossing", "0 < eps < gamma times a side", one_crossing, 0 },
    { "large-exponents", "betas reach 29/c0", large_exponents, 0 },
    { 0 },
};

static const struct trop_hypothesis flow_hypotheses[] = {
    { "polygon", "one token at each corner of a regular polygon", trop_fw_beta_is_polygon, 0 },
    { "radius", "eps is between .2 and .5 of the radius", inside_radius, 0 },
    { "large-exponents", "betas reach 29/c0", large_exponents, 0 },
    { 0 },
};

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

static enum trop_status conclude_chain(struct trop_judge *judge, const struct trop_case *c)
{
    double sxx = 0;
    const double fit = slope(&sxx, c, 0), runs = (double)trop_case_integer(c, "runs");

    trop_judge_near(judge, "slope of log median against beta", -1, fit, gap(c),
                    .02 * gap(c) + 4 * 1.4427 / sqrt(runs * sxx));
    return TROP_OK;
}

static enum trop_status conclude_flow(struct trop_judge *judge, const struct trop_case *c)
{
    double sxx = 0;

    trop_judge_near(judge, "slope of log(beta T) against beta", -1, slope(&sxx, c, 1), gap(c),
                    .02 * gap(c));
    return TROP_OK;
}

/* ---- ways to be wrong ---- */

static enum trop_status cooler_chain(struct trop_case *c)
{
    return find_medians(c, TROP_ESCAPE_CHAIN, .9);
}

static enum trop_status cooler_flow(struct trop_case *c)
{
    return find_medians(c, TROP_ESCAPE_FLOW, .95);
}

static enum trop_status wide(struct trop_case *c)
{
    return trop_case_put(c, "radius", 3 * trop_case_number(c, "radius"));
}

static enum trop_status few_betas(struct trop_case *c)
{
    double *betas = trop_case_array(c, "betas");

    for (int64_t k = 0; k < trop_case_size(c, "betas", 0); k++) {
        betas[k] *= .1;
    }
    return TROP_OK;
}

static const struct trop_spoil chain_spoils[] = {
    { "runs at nine tenths of beta", NULL, cooler_chain },
    { "a corner one per cent farther out", "polygon", trop_fw_beta_spoil_corner },
    { "eps is three times as large", "one-crossing", wide },
    { "a tenth of the betas", "large-exponents", few_betas },
    { 0 },
};

static const struct trop_spoil flow_spoils[] = {
    { "times of 95% of beta", NULL, cooler_flow },
    { "a corner one per cent farther out", "polygon", trop_fw_beta_spoil_corner },
    { "eps is three times as large", "radius", wide },
    { "a tenth of the betas", "large-exponents", few_betas },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "tokens", "(kappa, 2)", "the corners of a regular polygon, in order" },
    { "betas", "(k)", "inverse temperatures, ascending" },
    { "gamma", "", "step size" },
    { "radius", "", "eps" },
    { "runs", "", "of the chain" },
    { 0 },
};

const struct trop_claim trop_fw_rate_escape = {
    .id = "fw-rate-escape",
    .title = "exit times of the chain grow as e^(c0 beta)",
    .statement = "The logarithm of the median exit time of the chain from a regular polygon grows "
                 "with beta at the rate c0, twice the proved c0/2.",
    .status = TROP_CLAIM_CONJECTURED,
    .remark = "The slope of least squares over beta r^2 = 6 .. 60, within 2% of c0 and sampling "
              "error. For polygons it follows from the exact law; for other clouds it is a "
              "measured regularity.",
    .old_inputs = inputs,
    .hypotheses = chain_hypotheses,
    .old_draw = draw_chain,
    .old_work = work_chain,
    .old_conclude = conclude_chain,
    .spoils = chain_spoils,
    .trials = 8,
};

const struct trop_claim trop_fw_rate_escape_flow = {
    .id = "fw-rate-flow",
    .title = "lifetimes of the flow grow as e^(c0 beta)/beta",
    .statement = "The time T after which the radius of a regular polygon under the softmax flow "
                 "has fallen by a fixed share grows as e^(c0 beta)/beta.",
    .status = TROP_CLAIM_CONJECTURED,
    .remark = "The slope of log(beta T) over beta r^2 = 10 .. 60, within 2% of c0; without the "
              "factor beta the fitted slope is 2 to 5% too small.",
    .old_inputs = inputs,
    .hypotheses = flow_hypotheses,
    .old_draw = draw_flow,
    .old_work = work_flow,
    .old_conclude = conclude_flow,
    .spoils = flow_spoils,
    .trials = 8,
};
