/* md_rem_certificate.c -- bounds on the least norm from any multipliers and any weights
 * (mirror-descent paper, lp-AttSVM and its dual).
 *
 *   1'lambda / |A'lambda|_q <= min {|W|_p : A W >= 1} <= |W|_p / min_j (A W)_j,
 *
 * for every lambda >= 0 that is not 0 and every W with a positive least margin: 1'lambda <= lambda'
 * A W <= |A'lambda|_q |W|_p for feasible W. What is judged is the solver: its proved interval
 * [lower, upper] must meet both sides for multipliers and weights that it did not choose. Trial 0
 * takes the solver's own multipliers, scaled, for which the left side is the norm itself, so that
 * a norm that is wrong by 1e-6 is seen.
 *
 * Rounding: (N + m + 16) u of either side. A margin of W is a difference of logits, right to 4 d u
 * |x| |W| |z| only: that of |W| / min A W is the share of this in the least margin besides.
 */
#include "claim/md/md.h"

#include <float.h>
#include <math.h>

#define USE 68

static void draw(struct trop_case *c)
{
    trop_md_draw(c, 3, 4, 4);
    const struct trop_view x = trop_case_view(c, "X");
    const int64_t m = x.rows * (x.columns - 1);

    trop_md_check_matrix(c, "W", x.depth, x.depth);
    if (trop_case_has(c, "lambda") && trop_case_size(c, "lambda", 0) != m) {
        trop_case_refuse(c, "lambda: must have a number for each of %lld constraints",
                         (long long)m);
    }
}

static double entry(const struct trop_case *c, int64_t k)
{
    return trop_case_array(c, "W_mm")[k] * (1 + .05 * trop_case_normal(c, USE + 1, k));
}

/* Unless the case has some: multipliers (m) from those of the solver, and weights near its own. */
static void work(struct trop_case *c)
{
    const struct trop_margin *margin = trop_md_solution(c, "W_mm", trop_case_number(c, "p"));

    if (!trop_case_has(c, "lambda")) {
        trop_case_take(c, "lambda", trop_margin_field_table(), margin, "multipliers");
        const struct trop_view lambda = trop_case_view(c, "lambda");
        for (int64_t j = 0; j < lambda.rows; j++) {
            lambda.at[j] = c->trial == 0 ? 2.5 * lambda.at[j]
                                         : lambda.at[j] + .1 * (double)(c->trial % 3) *
                                                              trop_case_uniform(c, USE, j);
        }
    }
    trop_md_draw_matrix(c, "W", trop_case_size(c, "X", 2), entry);
}

static void is_nonnegative(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view lambda = trop_case_view(c, "lambda");
    double sum = 0;

    for (int64_t j = 0; j < lambda.rows; j++) {
        trop_judge_at_least(judge, "a multiplier", -1, lambda.at[j], 0, 0);
        sum += lambda.at[j];
    }
    trop_judge_truth(judge, "they are not all 0", -1, !(sum <= 0));
}

static void is_separating(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_least(judge, "least margin of W", -1,
                        trop_md_least(c, trop_case_array(c, "W"), trop_case_array(c, "alpha")), 0,
                        1e-9);
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view lambda = trop_case_view(c, "lambda");
    const double *alpha = trop_case_array(c, "alpha"), *w = trop_case_array(c, "W");
    const double p = trop_case_number(c, "p");
    const int64_t n = trop_case_size(c, "X", 2) * trop_case_size(c, "X", 2);
    const double rounding = (double)(n + lambda.rows + 16) * DBL_EPSILON;
    double *pull = trop_case_scratch(c, n), sum = 0;

    for (int64_t j = 0; j < lambda.rows; j++) {
        sum += lambda.at[j];
    }
    trop_md_pull(pull, c, alpha, lambda.at);
    const double below = sum / trop_md_norm(pull, n, trop_md_dual(p));
    const double least = trop_md_least(c, w, alpha), above = trop_md_norm(w, n, p) / least;
    const double logits = 4 * DBL_EPSILON * (double)trop_case_size(c, "X", 2) * trop_md_size(c, w);
    trop_judge_at_most(judge, "1'lambda / |A'lambda|_q against the norm", -1, below,
                       trop_case_number(c, "W_mm_upper"), rounding * below);
    trop_judge_at_least(judge, "|W|_p / min A W against the norm", -1, above,
                        trop_case_number(c, "W_mm_lower"), (rounding + logits / least) * above);
}

const struct trop_claim trop_md_rem_certificate = {
    .id = "md-rem-certificate",
    .title = "any multipliers and any weights bound the least norm",
    .statement = "For lambda >= 0 and W with positive margins, 1'lambda / |A'lambda|_q <= "
                 "|W_mm|_p <= |W|_p / min A W.",
    .status = TROP_CLAIM_PROVED,
    .remark = "The solver's proved interval is judged by multipliers and weights that it did not "
              "choose, and in trial 0 by its own multipliers.",
    .inputs = "X y v z p lambda W",
    .hypotheses =
        TROP_HYPOTHESES(TROP_MD_EXPONENT, TROP_MD_UNIQUE, TROP_MD_SOLVED,
                        { "nonnegative", "lambda >= 0, and not 0", .judge = is_nonnegative,
                          .late = 1, .broken = "a multiplier -1/10", .edit = "lambda[0] = -.1" },
                        { "separates", "W has a positive least margin", .judge = is_separating,
                          .late = 1, .broken = "-W in the place of W", .edit = "W *= -1" }),
    .run = { draw, work, conclude },
    .spoils =
        TROP_SPOILS({ "the problem solved without the constraint of the largest multiplier", NULL },
                    { "the norm smaller by 1e-6 of it", NULL,
                      .edit = "W_mm_lower *= 1 - 1e-6; W_mm_upper *= 1 - 1e-6" }),
    .trials = 40,
};
