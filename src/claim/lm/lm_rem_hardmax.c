/* lm_rem_hardmax.c -- the two ends of localmax: hardmax and uniform averaging.
 *
 * With eps = 0 the set is that of the largest scores, with eps at least the widest row of scores it
 * is everyone. The paths of localmax at 0 and at 1e300 are compared with one that is computed here
 * step by step from the scores, and with those of the library's hardmax (ties by tokens) and
 * uniform rules. The flows agree as long as no two scores of a row are within rounding of the
 * largest, which is asked of the path; each step rounds by trop_lm_step_error, and averaging does
 * not amplify it.
 */
#include "claim/lm/lm.h"

#include <math.h>

#define STEPS 10
#define CLEAR 1e-9

static void draw(struct trop_case *c)
{
    trop_lm_draw_cloud(c, trop_lm_draw_n(c, 5, 14), trop_lm_draw_d(c, 2, 4), 0, 0);
    if (c->trial % 2) {
        trop_lm_draw_matrix(c, 1, .3);
    }
}

/* "narrow" has the epsilon of the case, which is 0. */
static void work(struct trop_case *c)
{
    const char *options = trop_lm_options(c);

    trop_case_path(c, "hardmax", STEPS, "%s rule=hardmax", options);
    trop_case_path(c, "uniform", STEPS, "%s rule=uniform", options);
    trop_case_path(c, "wide", STEPS, "%s epsilon=1e300", options);
    trop_case_path(c, "narrow", STEPS, "%s", options);
}

/* The best score of a row leads by more than CLEAR. Tokens of one place would tie. */
static void generic(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view narrow = trop_case_view(c, "narrow");
    const int64_t n = narrow.columns;

    for (int64_t t = 0; t < STEPS; t++) {
        const double *below = trop_lm_below(c, trop_case_view_row(narrow, t));
        for (int64_t i = 0; i < n; i++) {
            int64_t near = 0;
            for (int64_t j = 0; j < n; j++) {
                near += below[i * n + j] <= CLEAR;
            }
            trop_judge_truth(judge, "the best score leads by 1e-9", t, near == 1);
        }
    }
}

/* ---- the conclusion ---- */

/* A step from x by the definition, to the mean of all or the token of largest score: (n, d). */
static double *step_of(const struct trop_case *c, const double *x, int everyone)
{
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const double gamma = trop_case_number(c, "gamma"), *below = trop_lm_below(c, x);
    double *out = trop_case_scratch(c, n * d);

    for (int64_t k = 0; k < n * d; k++) {
        double mean = 0;
        for (int64_t j = 0; j < n; j++) {
            mean += everyone                    ? x[j * d + k % d] / (double)n
                    : below[k / d * n + j] == 0 ? x[j * d + k % d]
                                                : 0;
        }
        out[k] = (1 - gamma) * x[k] + gamma * mean;
    }
    return out;
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view narrow = trop_case_view(c, "narrow"), wide = trop_case_view(c, "wide");
    const struct trop_view hardmax = trop_case_view(c, "hardmax"),
                           uniform = trop_case_view(c, "uniform");

    for (int64_t t = 1; t <= STEPS; t++) {
        const double *near = trop_case_view_row(narrow, t), *far = trop_case_view_row(wide, t);
        const double allowance = 4 * (double)(t + 1) * trop_lm_step_error(c);
        trop_lm_judge_same(judge, "eps = 0 from a step to the best token", c, t,
                           step_of(c, trop_case_view_row(narrow, t - 1), 0), near, allowance);
        trop_lm_judge_same(judge, "eps = inf from a step to the mean of all", c, t,
                           step_of(c, trop_case_view_row(wide, t - 1), 1), far, allowance);
        trop_lm_judge_same(judge, "eps = 0 from hardmax", c, t, trop_case_view_row(hardmax, t),
                           near, allowance);
        trop_lm_judge_same(judge, "eps = inf from uniform averaging", c, t,
                           trop_case_view_row(uniform, t), far, allowance);
    }
}

const struct trop_claim trop_lm_rem_hardmax = {
    .id = "lm-rem-hardmax",
    .title = "hardmax and averaging as ends of localmax",
    .statement = "Localmax with eps = 0 is hardmax, and with eps beyond every difference of scores "
                 "it is uniform averaging.",
    .status = TROP_CLAIM_PROVED,
    .source = TROP_CLAIM_DERIVED,
    .remark = "eps = inf is read as 1e300. Ties of hardmax count tokens, not points.",
    .inputs = "tokens A gamma",
    .hypotheses = TROP_HYPOTHESES(
        TROP_LM_STEP_SIZE,
        { "generic", "the best score of every row leads by more than 1e-9 along the path",
          .judge = generic, .late = 1, .broken = "all tokens of the first state in one place",
          .edit = "narrow[0] = 0" }),
    .run = { draw, work, conclude },
    .spoils = TROP_SPOILS(
        { "the path of epsilon = .5", NULL, .edit = "work with epsilon = .5" },
        { "a token of uniform averaging is off by 1e-6", NULL, .edit = "wide[1,0,0] += 1e-6" }),
    .trials = 60,
};
