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

enum { USE_SIZE = 32 };

#define STEPS 10
#define CLEAR 1e-9

static void draw(struct trop_case *c)
{
    trop_lm_draw_cloud(c, 5 + trop_case_pick(c, USE_SIZE, 0, 10),
                       2 + trop_case_pick(c, USE_SIZE, 1, 3), 0, 0);
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

    for (int64_t row = 0; row < STEPS * n; row++) {
        double best = -INFINITY, next = -INFINITY;
        for (int64_t j = 0; j < n; j++) {
            const double s = trop_lm_score(c, trop_lm_token(narrow, row / n, row % n),
                                           trop_lm_token(narrow, row / n, j));
            next = fmax(next, fmin(s, best));
            best = fmax(best, s);
        }
        trop_judge_truth(judge, "the best score leads by 1e-9", row / n, best - next > CLEAR);
    }
}

static const struct trop_hypothesis hypotheses[] = {
    TROP_LM_STEP_SIZE,
    { "generic", "the best score of every row leads by more than 1e-9 along the path",
      .judge = generic, .late = 1, .broken = "all tokens of the first state in one place",
      .edit = "narrow[0] = 0" },
    { 0 },
};

/* ---- the conclusion ---- */

/* A step from x by the definition, everyone or the one of the largest score: (n, d). */
static double *step_of(const struct trop_case *c, const double *x, int everyone)
{
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const double gamma = trop_case_number(c, "gamma");
    double *out = trop_case_scratch(c, n * d);

    for (int64_t i = 0; i < n; i++) {
        int64_t best = 0;
        for (int64_t j = 1; j < n; j++) {
            best =
                trop_lm_score(c, x + i * d, x + j * d) > trop_lm_score(c, x + i * d, x + best * d)
                    ? j
                    : best;
        }
        for (int64_t a = 0; a < d; a++) {
            double mean = everyone ? 0 : x[best * d + a];
            for (int64_t j = 0; j < n && everyone; j++) {
                mean += x[j * d + a] / (double)n;
            }
            out[i * d + a] = (1 - gamma) * x[i * d + a] + gamma * mean;
        }
    }
    return out;
}

/* States x and y at step t. */
static void compare(struct trop_judge *judge, const char *name, const struct trop_case *c,
                    const double *x, const double *y, int64_t t)
{
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);

    for (int64_t i = 0; i < n; i++) {
        trop_judge_at_most(judge, name, t, trop_tokens_distance(x + i * d, y + i * d, d), 0,
                           4 * (double)(t + 1) * trop_lm_step_error(c));
    }
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view narrow = trop_case_view(c, "narrow"), wide = trop_case_view(c, "wide");
    const struct trop_view hardmax = trop_case_view(c, "hardmax"),
                           uniform = trop_case_view(c, "uniform");

    for (int64_t t = 1; t <= STEPS; t++) {
        const double *near = trop_case_view_row(narrow, t), *far = trop_case_view_row(wide, t);
        compare(judge, "eps = 0 from a step to the best token", c,
                step_of(c, trop_case_view_row(narrow, t - 1), 0), near, t);
        compare(judge, "eps = inf from a step to the mean of all", c,
                step_of(c, trop_case_view_row(wide, t - 1), 1), far, t);
        compare(judge, "eps = 0 from hardmax", c, trop_case_view_row(hardmax, t), near, t);
        compare(judge, "eps = inf from uniform averaging", c, trop_case_view_row(uniform, t), far,
                t);
    }
}

static const struct trop_spoil spoils[] = {
    { "the path of epsilon = .5", NULL, .edit = "work with epsilon = .5" },
    { "a token of uniform averaging is off by 1e-6", NULL, .edit = "wide[1,0,0] += 1e-6" },
    { 0 },
};

const struct trop_claim trop_lm_rem_hardmax = {
    .id = "lm-rem-hardmax",
    .title = "hardmax and averaging as ends of localmax",
    .statement = "Localmax with eps = 0 is hardmax, and with eps beyond every difference of scores "
                 "it is uniform averaging.",
    .status = TROP_CLAIM_PROVED,
    .remark = "eps = inf is read as 1e300. Ties of hardmax count tokens, not points.",
    .inputs = "tokens A gamma",
    .hypotheses = hypotheses,
    .draw = draw,
    .work = work,
    .conclude = conclude,
    .spoils = spoils,
    .trials = 60,
};
