/* fw_rem_chain.c -- the chain SA_P: its mean, its draws, its hull (Frank-Wolfe paper, section 5).
 *
 *   E[x_i' | x] = (1 - gamma) x_i + gamma sum_j a_ij x_j,    j* = argmax_j (beta <x_i, x_j> + G_j)
 *
 * has the law a_i when the G_j are independent Gumbel variables, -log(-log U); and every x_i' is a
 * point of the segment from x_i to x_j, so that hulls shrink on every path.
 *
 * Sampling. A mean of N independent variables of variance v within a range w is within sqrt(2 v
 * L/N) + 2 w L/(3 N) of its expectation, but for a probability 2 e^-L (Bernstein); L = 21.5 makes
 * that 1e-9. Variances are those of the softmax law, not of the sample.
 */
#include "claim/fw/fw_beta.h"

#include "base/alloc.h"
#include "base/math/log.h"
#include "base/status.h"
#include "claim/tokens.h"

#include <float.h>
#include <math.h>

#define L 21.5
#define STEPS 12
#define USE_RUNS 20
#define USE_GUMBEL 32 /* the first of n uses, one for each token */

/* ---- instances ---- */

static enum trop_status draw_numbers(struct trop_case *c, double exponent)
{
    enum trop_status status = trop_fw_beta_exponent(c, exponent);

    return status == TROP_OK
               ? trop_case_default(c, "gamma", .05 + .95 * trop_case_uniform(c, 16, 0))
               : status;
}

static enum trop_status draw_sample(struct trop_case *c)
{
    static const double runs[] = { 1000, 4000, 100000 };
    enum trop_status status =
        trop_tokens_gaussian(c, 3 + trop_case_pick(c, 16, 1, 5), 1 + trop_case_pick(c, 16, 2, 3));

    if (status == TROP_OK) {
        status = draw_numbers(c, 2 + 3 * trop_case_uniform(c, 16, 3));
    }
    return status == TROP_OK ? trop_tokens_count(c, "runs", runs[c->effort], 1, 1e6) : status;
}

static enum trop_status draw_path(struct trop_case *c)
{
    enum trop_status status =
        trop_tokens_gaussian(c, 4 + trop_case_pick(c, 16, 1, 12), 1 + trop_case_pick(c, 16, 2, 4));

    if (status == TROP_OK) {
        status = draw_numbers(c, 8 * trop_case_uniform(c, 16, 3) - 4);
    }
    return status == TROP_OK ? trop_tokens_count(c, "steps", STEPS, 1, 1e6) : status;
}

/* One Gumbel choice of token i, with this beta. */
static int64_t choose(const struct trop_case *c, double beta, int64_t i, int64_t run)
{
    const double *x = trop_case_array(c, "tokens");
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    int64_t best = 0;
    double most = -INFINITY;

    for (int64_t j = 0; j < n; j++) {
        const double u = trop_case_uniform(c, USE_GUMBEL + i, run * n + j);
        const double score =
            beta * trop_tokens_dot(x + i * d, x + j * d, d) - trop_log(-trop_log(u));
        if (score > most) {
            most = score;
            best = j;
        }
    }
    return best;
}

/* "ends" (runs, n, d) of one step, and "gumbel" (n, n), how often each token was chosen. */
static enum trop_status sample(struct trop_case *c, double chain_beta, double gumbel_beta)
{
    const int64_t n = trop_case_size(c, "tokens", 0), runs = trop_case_integer(c, "runs");
    double *counts = NULL;
    enum trop_status status =
        trop_fw_beta_ends(c, chain_beta, trop_case_number(c, "gamma"), 1, runs, USE_RUNS);

    if (status == TROP_OK) {
        status = trop_case_make(&counts, c, "gumbel", n, n, 0);
    }
    for (int64_t i = 0; i < n && status == TROP_OK; i++) {
        for (int64_t run = 0; run < runs; run++) {
            counts[i * n + choose(c, gumbel_beta, i, run)]++;
        }
    }
    return status;
}

static enum trop_status work_sample(struct trop_case *c)
{
    return sample(c, trop_case_number(c, "beta"), trop_case_number(c, "beta"));
}

static enum trop_status work_path(struct trop_case *c)
{
    struct trop_flow_options o =
        trop_fw_beta_options(trop_case_number(c, "beta"), trop_case_number(c, "gamma"));

    o.dynamics = TROP_DYNAMICS_CHAIN;
    o.cloud.seed = trop_fw_beta_seed(c, USE_RUNS, 0);
    return trop_tokens_flow(c, &o, trop_case_integer(c, "steps"));
}

static enum trop_status enough_runs(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_least(judge, "runs", -1, trop_case_number(c, "runs"), 100, 0);
    return TROP_OK;
}

static const struct trop_hypothesis sample_hypotheses[] = {
    { "step-size", "gamma is in (0, 1]", trop_fw_beta_step_size, 0 },
    { "enough-runs", "at least 100 runs", enough_runs, 0 },
    { 0 },
};

static const struct trop_hypothesis path_hypotheses[] = {
    { "step-size", "gamma is in (0, 1]", trop_fw_beta_step_size, 0 },
    { 0 },
};

/* ---- conclusions ---- */

static double bernstein(double variance, double range, double runs)
{
    return sqrt(2 * variance * L / runs) + 2 * range * L / (3 * runs);
}

/* Mean and choices of token i; weights (n) are its softmax law. */
static void conclude_token(struct trop_judge *judge, const struct trop_case *c,
                           const double *weights, int64_t i)
{
    const double *x = trop_case_array(c, "tokens"), *ends = trop_case_array(c, "ends");
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const int64_t runs = trop_case_size(c, "ends", 0);
    const double gamma = trop_case_number(c, "gamma"), N = (double)runs;

    for (int64_t j = 0; j < n; j++) {
        trop_judge_near(judge, "frequency of a Gumbel choice", i,
                        trop_case_array(c, "gumbel")[i * n + j] / N, weights[j],
                        bernstein(weights[j] * (1 - weights[j]), 1, N));
    }
    for (int64_t a = 0; a < d; a++) {
        double mean = 0, average = 0, variance = 0, range = 0;
        for (int64_t run = 0; run < runs; run++) {
            mean += ends[(run * n + i) * d + a] / N;
        }
        for (int64_t j = 0; j < n; j++) {
            average += weights[j] * x[j * d + a];
        }
        for (int64_t j = 0; j < n; j++) {
            const double off = x[j * d + a] - average;
            variance += weights[j] * off * off;
            range = fmax(range, fabs(off));
        }
        trop_judge_near(judge, "mean of a coordinate after a step", i, mean,
                        (1 - gamma) * x[i * d + a] + gamma * average,
                        gamma * bernstein(variance, range, N) + 1e-13 * fabs(average));
    }
}

static enum trop_status conclude_sample(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    double *weights = trop_alloc(n, sizeof *weights);

    if (!weights) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld weights", (long long)n);
    }
    for (int64_t i = 0; i < n; i++) {
        trop_fw_beta_weights(weights, trop_case_array(c, "tokens"), NULL, i, n, d,
                             trop_case_number(c, "beta"));
        conclude_token(judge, c, weights, i);
    }
    trop_alloc_free(weights);
    return TROP_OK;
}

static enum trop_status conclude_path(struct trop_judge *judge, const struct trop_case *c)
{
    const double *path = trop_case_array(c, "path");
    const int64_t steps = trop_case_size(c, "path", 0) - 1;
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    /* A step of a coordinate is a difference, a product and a sum. */
    const double rounding = 4 * DBL_EPSILON * sqrt((double)d) * trop_tokens_radius(path, n, d);
    enum trop_status status = TROP_OK;

    for (int64_t t = 0; t < steps && status == TROP_OK; t++) {
        status =
            trop_fw_beta_inside(judge, "distance of a token from the hull before", t + 1,
                                path + t * n * d, n, path + (t + 1) * n * d, n, d, 0, rounding);
    }
    return status;
}

/* ---- ways to be wrong ---- */

static enum trop_status other_chain(struct trop_case *c)
{
    return sample(c, -trop_case_number(c, "beta"), trop_case_number(c, "beta"));
}

static enum trop_status other_gumbel(struct trop_case *c)
{
    return sample(c, trop_case_number(c, "beta"), .3 * trop_case_number(c, "beta"));
}

static enum trop_status one_run(struct trop_case *c)
{
    return trop_case_put(c, "runs", 10);
}

static const struct trop_spoil sample_spoils[] = {
    { "a chain with -beta", NULL, other_chain },
    { "Gumbel choices with .3 beta", NULL, other_gumbel },
    { "gamma = 3/2", "step-size", trop_fw_beta_spoil_gamma },
    { "10 runs", "enough-runs", one_run },
    { 0 },
};

static const struct trop_spoil path_spoils[] = {
    { "a token of the last step is 1e-6 beyond the farthest before it", NULL,
      trop_fw_beta_spoil_outside },
    { "gamma = 3/2", "step-size", trop_fw_beta_spoil_gamma },
    { 0 },
};

static const struct trop_input sample_inputs[] = {
    { "tokens", "(n, d)", "the cloud" },
    { "beta", "", "inverse temperature" },
    { "gamma", "", "step size" },
    { "runs", "", "of one step" },
    { 0 },
};

static const struct trop_input path_inputs[] = {
    { "tokens", "(n, d)", "the cloud at step 0" },
    { "beta", "", "inverse temperature" },
    { "gamma", "", "step size" },
    { "steps", "", "of the chain" },
    { 0 },
};

const struct trop_claim trop_fw_rem_chain_gumbel = {
    .id = "fw-rem-gumbel",
    .title = "the chain is softmax in the mean",
    .statement = "A step of the chain has the softmax step as its mean, and choosing the largest "
                 "of beta <x_i, x_j> + G_j with independent Gumbel variables G_j has the softmax "
                 "weights for its law.",
    .status = TROP_CLAIM_PROVED,
    .remark = "Means and frequencies over runs, within Bernstein's bound for an error probability "
              "of 1e-9 a line.",
    .old_inputs = sample_inputs,
    .hypotheses = sample_hypotheses,
    .old_draw = draw_sample,
    .old_work = work_sample,
    .old_conclude = conclude_sample,
    .spoils = sample_spoils,
    .trials = 20,
};

const struct trop_claim trop_fw_rem_chain_hull = {
    .id = "fw-rem-chain-hull",
    .title = "the hull shrinks on every path of the chain",
    .statement = "On every path of the chain with gamma in (0, 1] the convex hull of the tokens "
                 "after a step lies in the hull before it, at any beta.",
    .status = TROP_CLAIM_PROVED,
    .remark = "",
    .old_inputs = path_inputs,
    .hypotheses = path_hypotheses,
    .old_draw = draw_path,
    .old_work = work_path,
    .old_conclude = conclude_path,
    .spoils = path_spoils,
    .trials = 100,
};
