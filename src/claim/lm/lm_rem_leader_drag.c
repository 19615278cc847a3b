/* lm_rem_leader_drag.c -- a leader is not absorbing once epsilon is positive.
 *
 * Two tokens p > q > 0 on a line, p alone in its set at step 0: p (p - q) > eps. Under hardmax p
 * stays for ever and q goes to p. Under localmax q comes nearer,
 *
 *   q' = q + gamma (p - q)       while q (p - q) > eps: q hears p alone
 *   q' = q + gamma (p - q)/2     afterwards: q hears both
 *
 * until p (p - q) <= eps at a step s: from then on p hears q too, both keep their mean, and both
 * tend to (p + q(s))/2 < p. The recursion and its end are computed here, and compared with the path
 * and the limits of the library. (q, s) = (.71875, 2) and the limit .859375 for p = 1, q = .5,
 * eps = .3, gamma = 1/2.
 *
 * A draw in which a comparison of the recursion is within rounding of equality is left out.
 */
#include "claim/lm/lm.h"

#include "claim/tokens.h"

#include <float.h>
#include <math.h>

enum { USE_NUMBER = 32 };

#define LONGEST 2000

static enum trop_status draw(struct trop_case *c)
{
    const double p = .5 + 2 * trop_case_uniform(c, USE_NUMBER, 0);
    const double q = p * (.1 + .5 * trop_case_uniform(c, USE_NUMBER, 1));
    double *x = NULL;
    enum trop_status status = TROP_OK;

    if (!trop_case_has(c, "tokens")) {
        status = trop_case_make(&x, c, "tokens", 2, 1, 0);
    }
    if (status == TROP_OK && x) {
        x[0] = c->trial ? p : 1;
        x[1] = c->trial ? q : .5;
    }
    if (status == TROP_OK) {
        status = trop_tokens_check(c);
    }
    if (status == TROP_OK) {
        /* Below p (p - q), which is at least .4 p^2. */
        const double epsilon = p * p * (.05 + .3 * trop_case_uniform(c, USE_NUMBER, 2));
        status = trop_case_default(c, "epsilon", c->trial ? epsilon : .3);
    }
    if (status == TROP_OK) {
        const double gamma = .2 + .6 * trop_case_uniform(c, USE_NUMBER, 3);
        status = trop_case_default(c, "gamma", c->trial ? gamma : .5);
    }
    return status == TROP_OK ? trop_tokens_count(c, "steps", 40, 1, 1e6) : status;
}

/* The path of localmax, its limits, and how far hardmax moves the leader. */
static enum trop_status work(struct trop_case *c)
{
    struct trop_flow_options o = trop_lm_options(c);
    enum trop_status status = TROP_OK;

    o.rule = TROP_RULE_HARDMAX;
    status = trop_tokens_flow(c, &o, trop_case_integer(c, "steps"));
    if (status == TROP_OK) {
        const double *path = trop_case_array(c, "path");
        status = trop_case_put(c, "hardmax", path[2 * trop_case_integer(c, "steps")] - path[0]);
    }
    if (status == TROP_OK) {
        status = trop_lm_limits(c);
    }
    return status == TROP_OK ? trop_lm_flow(c) : status;
}

/* ---- the recursion ---- */

static int fits(const struct trop_case *c)
{
    return trop_case_size(c, "tokens", 0) == 2 && trop_case_size(c, "tokens", 1) == 1;
}

struct meeting {
    int64_t step; /* s; -1: not within LONGEST steps */
    double q;     /* q(s) */
    double least; /* how near the closest comparison came to equality */
};

static struct meeting meet(const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens"), p = x[0];
    const double gamma = trop_case_number(c, "gamma"), eps = trop_case_number(c, "epsilon");
    struct meeting out = { .step = -1, .q = x[1], .least = INFINITY };

    for (int64_t t = 0; t < LONGEST && out.step < 0; t++) {
        const double q = out.q;
        out.least = fmin(out.least, fmin(fabs(p * (p - q) - eps), fabs(q * (p - q) - eps)));
        if (p * (p - q) <= eps) {
            out.step = t;
        } else {
            out.q = q + gamma * (p - q) * (q * (p - q) <= eps ? .5 : 1);
        }
    }
    return out;
}

/* ---- hypotheses ---- */

static enum trop_status two_tokens(struct trop_judge *judge, const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens");

    trop_judge_truth(judge, "two tokens p > q > 0", 0, fits(c) && x[0] > x[1] && x[1] > 0);
    return TROP_OK;
}

static enum trop_status leads(struct trop_judge *judge, const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens");

    trop_judge_at_least(judge, "lead p (p - q) of the first token", 0,
                        fits(c) ? x[0] * (x[0] - x[1]) : (double)NAN,
                        trop_case_number(c, "epsilon"), 4 * trop_lm_score_error(c));
    return TROP_OK;
}

static enum trop_status generic(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_least(judge, "least distance of a comparison from equality", -1,
                        fits(c) ? meet(c).least : (double)NAN, 0, 1e-12);
    trop_judge_truth(judge, "they meet within 2000 steps", -1,
                     fits(c) && meet(c).step < 0 ? -1 : 1);
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    TROP_LM_STEP_SIZE,
    TROP_LM_POSITIVE,
    { "two-tokens", "there are two tokens p > q > 0 on a line", two_tokens, 0 },
    { "leads", "the first token is alone in its set at step 0", leads, 0 },
    { "generic", "no comparison on the way is within rounding of equality", generic, 0 },
    TROP_LM_CERTIFIED,
    { 0 },
};

/* ---- the conclusion ---- */

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t steps = trop_case_size(c, "path", 0) - 1;
    const double *path = trop_case_array(c, "path"), *limits = trop_case_array(c, "limits");
    const struct meeting met = meet(c);
    const double p = path[0], mean = (p + met.q) / 2;
    const double error = (double)(met.step + 2) * trop_lm_step_error(c);

    for (int64_t t = 0; t <= steps && t <= met.step; t++) {
        trop_judge_near(judge, "leader before it is heard", t, path[2 * t], p, 0);
    }
    if (met.step >= 0 && met.step <= steps) {
        trop_judge_near(judge, "follower when it is heard", met.step, path[2 * met.step + 1], met.q,
                        error);
    }
    if (met.step >= 0 && met.step < steps) {
        trop_judge_near(judge, "leader after one step of hearing it", met.step + 1,
                        path[2 * (met.step + 1)], p - trop_case_number(c, "gamma") * (p - mean),
                        error);
    }
    trop_judge_near(judge, "limit of the leader", -1, limits[0], mean, error);
    trop_judge_near(judge, "limit of the follower", -1, limits[1], mean, error);
    trop_judge_truth(judge, "the leader ends below where it began", -1, limits[0] < p);
    trop_judge_near(judge, "way of the leader under hardmax", -1, trop_case_number(c, "hardmax"), 0,
                    0);
    return TROP_OK;
}

/* ---- ways to be wrong ---- */

/* The limits of hardmax. */
static enum trop_status absorbing(struct trop_case *c)
{
    double *limits = trop_case_array(c, "limits");

    limits[0] = limits[1] = trop_case_array(c, "tokens")[0];
    return TROP_OK;
}

static enum trop_status behind(struct trop_case *c)
{
    trop_case_array(c, "tokens")[1] = -.5;
    return TROP_OK;
}

static enum trop_status near_leader(struct trop_case *c)
{
    double *x = trop_case_array(c, "tokens");

    x[1] = x[0] - .5 * trop_case_number(c, "epsilon") / x[0];
    return TROP_OK;
}

static const struct trop_spoil spoils[] = {
    { "the limits of hardmax", NULL, absorbing },
    { "the path of gamma + 1e-6", NULL, trop_lm_draw_other_gamma },
    { "gamma = 1.25", "step-size", trop_lm_draw_wrong_gamma },
    { "the second token at -.5", "two-tokens", behind },
    { "no proof of the limits", "certified", trop_lm_draw_not_certified },
    { "the second token in the cap of the first", "leads", near_leader },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "tokens", "(2, 1)", "p and q at step 0" },
    { "gamma", "", "step size" },
    { "epsilon", "", "alignment sensitivity, constant" },
    { "steps", "", "of the flow" },
    { 0 },
};

const struct trop_claim trop_lm_rem_leader_drag = {
    .id = "lm-rem-leader-drag",
    .title = "a leader is not absorbing",
    .statement =
        "With eps > 0 a token that is alone in its set is not there for ever: on a line, a "
        "follower on its side comes so near that it is heard, and drags it inward to the "
        "mean of the two.",
    .status = TROP_CLAIM_PROVED,
    .remark = "Read for two tokens, whose meeting step and limit are predicted by a recursion of "
              "one number; the first draw is the golden test with limit .859375. Under hardmax the "
              "same leader does not move.",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 100,
};
