/* lm_rem_leader_drag.c -- a leader is not absorbing once epsilon is positive.
 *
 * Two tokens p > q > 0 on a line, p alone in its set at step 0: p (p - q) > eps. Under hardmax p
 * stays forever and q goes to p. Under localmax q comes nearer,
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

#include <math.h>

enum { USE_NUMBER = 32 };

#define LONGEST 2000

/* The first draw is the golden run. */
static void draw(struct trop_case *c)
{
    const double p = c->trial ? .5 + 2 * trop_case_uniform(c, USE_NUMBER, 0) : 1;
    const double q = c->trial ? p * (.1 + .5 * trop_case_uniform(c, USE_NUMBER, 1)) : .5;
    /* Below p (p - q), which is at least .4 p^2. */
    const double epsilon = p * p * (.05 + .3 * trop_case_uniform(c, USE_NUMBER, 2));
    const double gamma = .2 + .6 * trop_case_uniform(c, USE_NUMBER, 3), x[] = { p, q };

    if (!trop_case_has(c, "tokens")) {
        trop_case_copy_in(c, "tokens", x, 2, 1, 0);
    }
    trop_tokens_check(c);
    trop_case_default(c, "epsilon", c->trial ? epsilon : .3);
    trop_case_default(c, "gamma", c->trial ? gamma : .5);
    trop_tokens_count(c, "steps", 40, 1, 1e6);
}

/* The path of localmax, its limits, and how far hardmax moves the leader. */
static void work(struct trop_case *c)
{
    trop_case_path(c, "path", trop_case_integer(c, "steps"), "%s rule=hardmax", trop_lm_options(c));
    const struct trop_view path = trop_case_view(c, "path");
    trop_case_put(c, "hardmax", trop_case_view_row(path, -1)[0] - path.at[0]);
    trop_lm_limits_and_path(c);
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

static void two_tokens(struct trop_judge *judge, const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens");

    trop_judge_truth(judge, "two tokens p > q > 0", 0, fits(c) && x[0] > x[1] && x[1] > 0);
}

static void leads(struct trop_judge *judge, const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens");

    trop_judge_at_least(judge, "lead p (p - q) of the first token", 0,
                        fits(c) ? x[0] * (x[0] - x[1]) : (double)NAN,
                        trop_case_number(c, "epsilon"), 4 * trop_lm_score_error(c));
}

static void generic(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_least(judge, "least distance of a comparison from equality", -1,
                        fits(c) ? meet(c).least : (double)NAN, 0, 1e-12);
    trop_judge_truth(judge, "they meet within 2000 steps", -1,
                     fits(c) && meet(c).step < 0 ? -1 : 1);
}

/* ---- the conclusion ---- */

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view path = trop_case_view(c, "path");
    const double *limits = trop_case_array(c, "limits");
    const struct meeting met = meet(c);
    const double p = path.at[0], mean = (p + met.q) / 2, gamma = trop_case_number(c, "gamma");
    const double error = (double)(met.step + 2) * trop_lm_step_error(c);

    for (int64_t t = 0; t < path.rows && t <= met.step; t++) {
        trop_judge_near(judge, "leader before it is heard", t, *trop_lm_token(path, t, 0), p, 0);
    }
    if (met.step >= 0 && met.step < path.rows) {
        trop_judge_near(judge, "follower when it is heard", met.step,
                        *trop_lm_token(path, met.step, 1), met.q, error);
    }
    if (met.step >= 0 && met.step + 1 < path.rows) {
        trop_judge_near(judge, "leader after one step of hearing it", met.step + 1,
                        *trop_lm_token(path, met.step + 1, 0), p - gamma * (p - mean), error);
    }
    trop_judge_near(judge, "limit of the leader", -1, limits[0], mean, error);
    trop_judge_near(judge, "limit of the follower", -1, limits[1], mean, error);
    trop_judge_truth(judge, "the leader ends below where it began", -1, limits[0] < p);
    trop_judge_near(judge, "way of the leader under hardmax", -1, trop_case_number(c, "hardmax"), 0,
                    0);
}

const struct trop_claim trop_lm_rem_leader_drag = {
    .id = "lm-rem-leader-drag",
    .title = "a leader is not absorbing",
    .statement = "With eps > 0 a token that is alone in its set is not there forever: on a line, a "
                 "follower on its side comes so near that it is heard, and drags it inward to the "
                 "mean of the two.",
    .status = TROP_CLAIM_PROVED,
    .source = TROP_CLAIM_DERIVED,
    .remark = "Read for two tokens, whose meeting step and limit are predicted by a recursion of "
              "one number; the first draw is the golden test with limit .859375. Under hardmax the "
              "same leader does not move.",
    .inputs = "tokens gamma epsilon steps",
    .hypotheses = TROP_HYPOTHESES(
        TROP_LM_STEP_SIZE, TROP_LM_POSITIVE,
        { "two-tokens", "there are two tokens p > q > 0 on a line", .judge = two_tokens,
          .broken = "the second token at -.5", .edit = "tokens[1] = -.5" },
        { "leads", "the first token is alone in its set at step 0", .judge = leads,
          .broken = "the second token in the cap of the first",
          .edit = "tokens[1] = tokens[0] - .5 * epsilon / tokens[0]" },
        { "generic", "no comparison on the way is within rounding of equality", .judge = generic },
        TROP_LM_CERTIFIED),
    .run = { draw, work, conclude },
    .spoils =
        TROP_SPOILS({ "the limits of hardmax", NULL, .edit = "limits = tokens[0]" },
                    { "the path of gamma + 1e-6", NULL, .edit = "work path with gamma += 1e-6" }),
    .trials = 100,
};
