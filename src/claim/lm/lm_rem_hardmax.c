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

#include "base/alloc.h"
#include "base/status.h"
#include "claim/tokens.h"

#include <math.h>
#include <string.h>

enum { USE_SIZE = 32 };

#define STEPS 10
#define CLEAR 1e-9
#define EVERYONE 1e300

static enum trop_status draw(struct trop_case *c)
{
    enum trop_status status = trop_lm_draw_cloud(c, 5 + trop_case_pick(c, USE_SIZE, 0, 10),
                                                 2 + trop_case_pick(c, USE_SIZE, 1, 3), 0, 0);

    return status == TROP_OK && c->trial % 2 ? trop_lm_draw_matrix(c, 1, .3) : status;
}

/* The path of this rule, which becomes the entry name. */
static enum trop_status path_as(struct trop_case *c, const char *name, int64_t rule, double epsilon)
{
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    struct trop_flow_options o = trop_lm_options(c);
    double *to = NULL;

    o.rule = rule;
    o.epsilon = (struct trop_schedule){ .kind = TROP_SCHEDULE_CONSTANT, .a = epsilon };
    enum trop_status status = trop_tokens_flow(c, &o, STEPS);
    if (status == TROP_OK) {
        status = trop_case_make(&to, c, name, STEPS + 1, n, d);
    }
    if (status == TROP_OK) {
        memcpy(to, trop_case_array(c, "path"), (size_t)((STEPS + 1) * n * d) * sizeof *to);
    }
    return status;
}

static enum trop_status work(struct trop_case *c)
{
    enum trop_status status = path_as(c, "hardmax", TROP_RULE_HARDMAX, 0);

    if (status == TROP_OK) {
        status = path_as(c, "uniform", TROP_RULE_UNIFORM, 0);
    }
    if (status == TROP_OK) {
        status = path_as(c, "wide", TROP_RULE_LOCALMAX, EVERYONE);
    }
    return status == TROP_OK ? path_as(c, "narrow", TROP_RULE_LOCALMAX, 0) : status;
}

/* ---- hypotheses ---- */

/* The best score of a row leads by more than CLEAR. Tokens of one place would tie. */
static enum trop_status generic(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const double *A = trop_case_array(c, "A");

    for (int64_t t = 0; t < STEPS; t++) {
        const double *x = trop_case_array(c, "narrow") + t * n * d;
        for (int64_t i = 0; i < n; i++) {
            double best = -INFINITY, next = -INFINITY;
            for (int64_t j = 0; j < n; j++) {
                const double s = trop_lm_form(A, x + i * d, x + j * d, d);
                next = fmax(next, fmin(s, best));
                best = fmax(best, s);
            }
            trop_judge_truth(judge, "the best score leads by 1e-9", t, best - next > CLEAR);
        }
    }
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    TROP_LM_STEP_SIZE,
    { "generic", "the best score of every row leads by more than 1e-9 along the path", generic, 1 },
    { 0 },
};

/* ---- the conclusion ---- */

/* A step from x by the definition, everyone or the one of the largest score: out (n, d). */
static void step_of(double *out, const struct trop_case *c, const double *x, int everyone)
{
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const double *A = trop_case_array(c, "A"), gamma = trop_case_number(c, "gamma");

    for (int64_t i = 0; i < n; i++) {
        int64_t best = 0;
        for (int64_t j = 1; j < n; j++) {
            best = trop_lm_form(A, x + i * d, x + j * d, d) >
                           trop_lm_form(A, x + i * d, x + best * d, d)
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
}

static void compare(struct trop_judge *judge, const char *name, const struct trop_case *c,
                    const double *x, const double *y, int64_t t)
{
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);

    for (int64_t i = 0; i < n; i++) {
        trop_judge_at_most(judge, name, t, trop_tokens_distance(x + i * d, y + i * d, d), 0,
                           4 * (double)(t + 1) * trop_lm_step_error(c));
    }
}

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t state = trop_case_size(c, "tokens", 0) * trop_case_size(c, "tokens", 1);
    const double *narrow = trop_case_array(c, "narrow"), *wide = trop_case_array(c, "wide");
    const double *hardmax = trop_case_array(c, "hardmax"), *uniform = trop_case_array(c, "uniform");
    double *next = trop_alloc(state, sizeof *next);

    if (!next) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a state");
    }
    for (int64_t t = 0; t < STEPS; t++) {
        const double *after = narrow + (t + 1) * state, *far = wide + (t + 1) * state;
        step_of(next, c, narrow + t * state, 0);
        compare(judge, "eps = 0 from a step to the best token", c, next, after, t + 1);
        step_of(next, c, wide + t * state, 1);
        compare(judge, "eps = inf from a step to the mean of all", c, next, far, t + 1);
        compare(judge, "eps = 0 from hardmax", c, hardmax + (t + 1) * state, after, t + 1);
        compare(judge, "eps = inf from uniform averaging", c, uniform + (t + 1) * state, far,
                t + 1);
    }
    trop_alloc_free(next);
    return TROP_OK;
}

/* ---- ways to be wrong ---- */

static enum trop_status larger(struct trop_case *c)
{
    return path_as(c, "narrow", TROP_RULE_LOCALMAX, .5);
}

static enum trop_status move_wide(struct trop_case *c)
{
    trop_case_array(c, "wide")[trop_case_size(c, "tokens", 0) * trop_case_size(c, "tokens", 1)] +=
        1e-6;
    return TROP_OK;
}

/* The last token of a state of the path is where the first is: their scores tie. */
static enum trop_status tie(struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    double *x = trop_case_array(c, "narrow");

    for (int64_t i = 1; i < n; i++) {
        memcpy(x + i * d, x, (size_t)d * sizeof *x);
    }
    return TROP_OK;
}

static const struct trop_spoil spoils[] = {
    { "the path of epsilon = .5", NULL, larger },
    { "a token of uniform averaging is off by 1e-6", NULL, move_wide },
    { "gamma = 1.25", "step-size", trop_lm_draw_wrong_gamma },
    { "all tokens of the first state in one place", "generic", tie },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "tokens", "(n, d)", "the cloud at step 0" },
    { "A", "(d, d)", "matrix of the scores; the identity when absent" },
    { "gamma", "", "step size" },
    { 0 },
};

const struct trop_claim trop_lm_rem_hardmax = {
    .id = "lm-rem-hardmax",
    .title = "hardmax and averaging as ends of localmax",
    .statement = "Localmax with eps = 0 is hardmax, and with eps beyond every difference of scores "
                 "it is uniform averaging.",
    .status = TROP_CLAIM_PROVED,
    .remark = "eps = inf is read as 1e300. Ties of hardmax count tokens, not points.",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 60,
};
