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

#include "base/math/log.h"

#include <float.h>
#include <math.h>

#define L 21.5
#define USE_RUNS 20
#define USE_GUMBEL 32 /* the first of n uses, one for each token */

/* ---- one step, many times ---- */

static void draw_sample(struct trop_case *c)
{
    static const double runs[] = { 1000, 4000, 100000 };

    trop_tokens_gaussian(c, 3 + trop_case_pick(c, 16, 1, 5), 1 + trop_case_pick(c, 16, 2, 3));
    trop_fw_beta_exponent(c, 2 + 3 * trop_case_uniform(c, 16, 3));
    trop_case_default(c, "gamma", .05 + .95 * trop_case_uniform(c, 16, 0));
    trop_tokens_count(c, "runs", runs[c->effort], 1, 1e6);
}

/* One Gumbel choice of token i. */
static int64_t choose(const struct trop_case *c, int64_t i, int64_t run)
{
    const struct trop_view x = trop_case_view(c, "tokens");
    const double *xi = trop_case_view_row(x, i), beta = trop_case_number(c, "beta");
    int64_t best = 0;
    double most = -INFINITY;

    for (int64_t j = 0; j < x.rows; j++) {
        const double u = trop_case_uniform(c, USE_GUMBEL + i, run * x.rows + j);
        const double score = beta * trop_tokens_dot(xi, trop_case_view_row(x, j), x.columns) -
                             trop_log(-trop_log(u));
        if (score > most) {
            most = score;
            best = j;
        }
    }
    return best;
}

/* "ends" (runs, n, d) of one step, and "gumbel" (n, n), how often each token was chosen. */
static void work_sample(struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "tokens", 0), runs = trop_case_integer(c, "runs");
    double *counts = trop_case_zeros(c, "gumbel", n, n, 0);

    trop_fw_beta_ends(c, 1, USE_RUNS);
    for (int64_t k = 0; k < n * runs; k++) {
        counts[k / runs * n + choose(c, k / runs, k % runs)]++;
    }
}

static double bernstein(double variance, double range, double runs)
{
    return sqrt(2 * variance * L / runs) + 2 * range * L / (3 * runs);
}

/* Coordinate a of token i; weights (n) are its softmax law. */
static void conclude_mean(struct trop_judge *judge, const struct trop_case *c,
                          const double *weights, int64_t i, int64_t a)
{
    const struct trop_view x = trop_case_view(c, "tokens"), ends = trop_case_view(c, "ends");
    const double gamma = trop_case_number(c, "gamma"), N = (double)ends.rows;
    double mean = 0, average = 0, variance = 0, range = 0;

    for (int64_t run = 0; run < ends.rows; run++) {
        mean += trop_case_view_row(ends, run)[i * x.columns + a] / N;
    }
    for (int64_t j = 0; j < x.rows; j++) {
        average += weights[j] * trop_case_view_row(x, j)[a];
    }
    for (int64_t j = 0; j < x.rows; j++) {
        const double off = trop_case_view_row(x, j)[a] - average;
        variance += weights[j] * off * off;
        range = fmax(range, fabs(off));
    }
    trop_judge_near(judge, "mean of a coordinate after a step", i, mean,
                    (1 - gamma) * trop_case_view_row(x, i)[a] + gamma * average,
                    gamma * bernstein(variance, range, N) +
                        (N + (double)x.rows + 8) * DBL_EPSILON * trop_tokens_radius_of(x));
}

static void conclude_sample(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view x = trop_case_view(c, "tokens"), gumbel = trop_case_view(c, "gumbel");
    const double N = (double)trop_case_size(c, "ends", 0);
    double *weights = trop_case_scratch(c, x.rows);

    for (int64_t i = 0; i < x.rows; i++) {
        trop_fw_beta_weights(weights, x, i, trop_case_number(c, "beta"));
        for (int64_t j = 0; j < x.rows; j++) {
            trop_judge_near(judge, "frequency of a Gumbel choice", i,
                            trop_case_view_row(gumbel, i)[j] / N, weights[j],
                            bernstein(weights[j] * (1 - weights[j]), 1, N));
        }
        for (int64_t a = 0; a < x.columns; a++) {
            conclude_mean(judge, c, weights, i, a);
        }
    }
}

const struct trop_claim trop_fw_rem_chain_gumbel = {
    .id = "fw-rem-gumbel",
    .title = "the chain is softmax in the mean",
    .statement = "A step of the chain has the softmax step as its mean, and choosing the largest "
                 "of beta <x_i, x_j> + G_j with independent Gumbel variables G_j has the softmax "
                 "weights for its law.",
    .status = TROP_CLAIM_PROVED,
    .remark = "Means and frequencies over runs, within Bernstein's bound for an error probability "
              "of 1e-9 a line.",
    .inputs = "tokens beta gamma runs",
    .hypotheses = TROP_HYPOTHESES(TROP_FW_BETA_STEP_SIZE,
                                  { "enough-runs", "at least 100 runs", .holds = "runs >= 100",
                                    .broken = "10 runs", .edit = "runs = 10" }),
    .run = { draw_sample, work_sample, conclude_sample },
    .spoils =
        TROP_SPOILS({ "a chain with -beta", NULL, .edit = "work ends with beta *= -1" },
                    { "Gumbel choices with .3 beta", NULL, .edit = "work gumbel with beta *= .3" }),
    .trials = 20,
};

/* ---- the hull on a path ---- */

static void draw_path(struct trop_case *c)
{
    trop_tokens_gaussian(c, 4 + trop_case_pick(c, 16, 1, 12), 1 + trop_case_pick(c, 16, 2, 4));
    trop_fw_beta_exponent(c, 8 * trop_case_uniform(c, 16, 3) - 4);
    trop_case_default(c, "gamma", .05 + .95 * trop_case_uniform(c, 16, 0));
    trop_tokens_count(c, "steps", 12, 1, 1e6);
}

static void work_path(struct trop_case *c)
{
    trop_case_path(c, "path", trop_case_integer(c, "steps"),
                   TROP_FW_BETA_FLOW " dynamics=chain seed=%llu",
                   (unsigned long long)trop_fw_beta_seed(c, USE_RUNS, 0));
}

static void conclude_path(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view path = trop_case_view(c, "path");
    /* A step of a coordinate is a difference, a product and a sum. */
    const double rounding = 4 * DBL_EPSILON * sqrt((double)path.depth) *
                            trop_tokens_radius_of(trop_case_view_part(path, 0));

    for (int64_t t = 1; t < path.rows; t++) {
        trop_fw_beta_judge_inside(judge, c, "distance of a token from the hull before", t,
                                  trop_case_view_part(path, t - 1), trop_case_view_part(path, t), 0,
                                  rounding);
    }
}

const struct trop_claim trop_fw_rem_chain_hull = {
    .id = "fw-rem-chain-hull",
    .title = "the hull shrinks on every path of the chain",
    .statement = "On every path of the chain with gamma in (0, 1] the convex hull of the tokens "
                 "after a step lies in the hull before it, at any beta.",
    .status = TROP_CLAIM_PROVED,
    .inputs = "tokens beta gamma steps",
    .hypotheses = TROP_HYPOTHESES(TROP_FW_BETA_STEP_SIZE),
    .run = { draw_path, work_path, conclude_path },
    .spoils =
        TROP_SPOILS({ "a token of the last step is 1e-6 beyond the farthest before it", NULL }),
    .trials = 100,
};
