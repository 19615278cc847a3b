/* lm_thm_t8.c -- how fast epsilon may vanish for groups to survive.
 *
 * A group G that is quiescent but for Q1 shrinks by 1 - gamma a step, and so do the differences of
 * its scores: D(t) <= (1-gamma)^t D, D = max <A x_i, x_j - x_j'> at step 0. With eps(t) = e
 * ratio^t:
 *
 *   ratio >= 1 - gamma and e >= D   the group stays, and the closed form of T5 holds;
 *   ratio < 1 - gamma               <A mu, x_j - x_j'> != 0 for some pair: the group breaks, since
 *                                   while it stays the spread of row i tends to
 *                                   (1-gamma)^t <A mu, x_j - x_j'>, which leaves epsilon behind.
 *
 * The break is predicted: until it happens the closed form holds, so the first step at which the
 * spread of some row exceeds epsilon follows from the first tokens, and at that step the path has
 * a token whose set is not its group. After it hardmax leads. Two tokens 1 and .9 with gamma = 1/2
 * and e = .2: for ratio = .45 the break is at step 8, and the limit is x_1(8) = .95 + .05/2^8; for
 * ratio = .3 it is at step 2, and .95 + .05/2^2; from .5 on there is none, and the limit is .95.
 */
#include "claim/lm/lm.h"

#include <math.h>

enum { USE_RATIO = 32 };

#define NUMBERS 4

/* Of the two tokens: where they end. */
static const double ratios[NUMBERS] = { .6, .5, .45, .3 };
static const double expected[NUMBERS] = { .95, .95, .95 + .05 / 256, .95 + .05 / 4 };

/* Groups whose scores differ by no more than epsilon; ratio above 1 - gamma in half of the draws,
 * and from .4 to .7 times that in the others. */
static void draw(struct trop_case *c)
{
    const double u = trop_case_uniform(c, USE_RATIO, 0);

    trop_lm_draw_groups(c);
    const double slow = 1 - trop_case_number(c, "gamma");
    trop_case_default(c, "ratio", c->trial % 2 ? slow * (.4 + .3 * u) : slow + (1 - slow) * .9 * u);
}

/* The path, and the four limits of the two tokens. */
static void work(struct trop_case *c)
{
    static const double x[] = { 1, .9 };
    struct trop_case *two = trop_case_aside(c);

    trop_lm_path(c);
    double *ends = trop_case_zeros(c, "ends", NUMBERS, 0, 0);
    trop_case_copy_in(two, "tokens", x, 2, 1, 0);
    for (int64_t k = 0; k < NUMBERS; k++) {
        trop_case_path(two, "path", 200, "rule=localmax alpha=1 epsilon=geometric:.2,%.17g",
                       ratios[k]);
        ends[k] = trop_case_view_row(trop_case_view(two, "path"), -1)[0];
    }
}

/* ---- what the closed form says ---- */

/* Q1 with e itself, and Q2 with the largest epsilon, which is e too. */
static struct trop_lm_partition groups_of(const struct trop_case *c)
{
    const double e = trop_case_number(c, "epsilon");

    return trop_lm_partition(c, e, e);
}

/* The state after (1-gamma)^t = share, (n, d). */
static const double *closed_form(const struct trop_case *c, const struct trop_lm_partition *p,
                                 double share)
{
    const double *x = trop_case_array(c, "tokens");
    double *out = trop_case_scratch(c, p->n * p->d);

    for (int64_t k = 0; k < p->n * p->d; k++) {
        const double mean = p->means[p->labels[k / p->d] * p->d + k % p->d];
        out[k] = mean + share * (x[k] - mean);
    }
    return out;
}

/* The first step of the path at which the closed form has a row wider than epsilon, while the
 * groups are not yet as narrow as rounding; -1: none, or rounding decides: at a step up to it the
 * row is as wide as epsilon within the error of scores and what t steps round. */
static int64_t predicted_break(const struct trop_case *c, const struct trop_lm_partition *p)
{
    const int64_t steps = trop_case_integer(c, "steps");
    const double moved = 4 * trop_lm_size(c) * trop_lm_radius(c) * trop_lm_step_error(c);
    double share = 1;

    for (int64_t t = 0; t < steps && share > 1e-8; t++) {
        const double over = trop_lm_spread(c, p, closed_form(c, p, share)) - trop_lm_epsilon(c, t);
        if (fabs(over) <= 4 * trop_lm_score_error(c) + (double)(t + 1) * moved) {
            return -1;
        }
        if (over > 0) {
            return t;
        }
        share *= 1 - trop_case_number(c, "gamma");
    }
    return -1;
}

/* ---- hypotheses ---- */

static void quiescent(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_lm_partition p = groups_of(c);
    const double error = 4 * trop_lm_score_error(c);

    trop_judge_at_least(judge, "epsilon less the spread of a group", 0, p.q1, 0, error);
    trop_judge_at_least(judge, "gap to the others less epsilon", 0, p.q2, 0, error);
}

static int is_slow(const struct trop_case *c)
{
    return trop_case_number(c, "ratio") > 1 - trop_case_number(c, "gamma");
}

/* When epsilon falls too fast, the predicted break must come while it can be seen. Groups whose
 * scores with their mean are all equal have no break. */
static void tilted(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_lm_partition p = groups_of(c);

    trop_judge_truth(judge, "a break is predicted within the path", -1,
                     is_slow(c) || predicted_break(c, &p) >= 0);
}

/* ---- the conclusion ---- */

/* Until the predicted break the path is the closed form, at it some row i is too wide for epsilon,
 * and afterwards it is not the closed form. Of the g tokens of the group row i keeps k < g. Their
 * scores are at least m_i - eps and one is m_i, those of the others are below m_i - eps: the mean
 * score of the kept exceeds that of the group by eps/(k g) at least, so that the mean itself is
 * eps/(n^2 |A| R) away, and the token moves by gamma times that. */
static void judge_break(struct trop_judge *judge, const struct trop_case *c,
                        const struct trop_lm_partition *p)
{
    const struct trop_view path = trop_case_view(c, "path");
    const int64_t steps = path.rows - 1, at = predicted_break(c, p);
    const double gamma = trop_case_number(c, "gamma"), error = trop_lm_step_error(c);
    double share = 1, most = 0;

    for (int64_t t = 0; t <= at + 1 && t <= steps; t++, share *= 1 - gamma) {
        const double *form = closed_form(c, p, share);
        most = 0;
        for (int64_t i = 0; i < p->n; i++) {
            most =
                fmax(most, trop_tokens_distance(trop_lm_token(path, t, i), form + i * p->d, p->d));
        }
        if (t <= at) {
            trop_judge_at_most(judge, "distance from the closed form, before the break", t, most, 0,
                               (double)(t + 2) * error);
        }
    }
    const double seen = 1e2 * (double)(at + 3) * error, n = (double)p->n;
    const double reach =
        gamma * trop_lm_epsilon(c, at) / (n * n * trop_lm_size(c) * trop_lm_radius(c));
    trop_judge_at_least(judge, "distance from the closed form, after the break", at + 1,
                        reach > 2 * seen ? most : (double)NAN, seen, 0);
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_lm_partition p = groups_of(c);

    if (is_slow(c)) {
        trop_lm_judge_closed_form(judge, c, &p);
    } else {
        judge_break(judge, c, &p);
    }
    for (int64_t k = 0; k < NUMBERS; k++) {
        trop_judge_near(judge, "limit of (1, .9), epsilon = .2 ratio^t", k,
                        trop_case_array(c, "ends")[k], expected[k], 1e-14);
    }
}

const struct trop_claim trop_lm_thm_t8 = {
    .id = "lm-thm-t8",
    .title = "critical decay of a vanishing epsilon",
    .statement = "A quiescent group whose scores differ by D survives a vanishing epsilon that "
                 "stays above (1-gamma)^t D, and breaks under one that vanishes faster than "
                 "(1-gamma)^t, unless its scores with its mean are all equal.",
    .status = TROP_CLAIM_PROVED,
    .source = TROP_CLAIM_DERIVED,
    .remark = "Read for epsilon = e ratio^t: the closed form holds along the path when ratio is "
              "above 1 - gamma, and else up to the step at which it says that a row is wider than "
              "epsilon, and no longer after it. The limits of two tokens 1 and .9 with gamma = 1/2 "
              "and e = .2 are compared with .95, .95 + .05/2^8 (ratio .45) and .9625 (ratio .3).",
    .inputs = "tokens A gamma epsilon ratio steps",
    .hypotheses = TROP_HYPOTHESES(
        TROP_LM_STEP_SIZE,
        { "quiescent", "the groups of step 0 satisfy Q1 and Q2 with epsilon(0)", .judge = quiescent,
          .broken = "epsilon = 1e-4, below the spread of the groups", .edit = "epsilon = 1e-4" },
        { "ratio", "epsilon falls as ratio^t, with ratio up to 1 and not 1 - gamma",
          .holds = "0 < ratio <= 1: ratio > 0 and ratio <= 1; "
                   "ratio is not 1 - gamma: abs(ratio - (1 - gamma)) > 1e-12", /* for rounding */
          .broken = "ratio = 1.01", .edit = "ratio = 1.01" },
        { "tilted", "with ratio < 1 - gamma a break is predicted within the path", .judge = tilted,
          .broken = "a single step, before any break",
          .edit = "ratio = .5 * (1 - gamma); steps = 1" }),
    .run = { draw, work, conclude },
    .spoils =
        TROP_SPOILS({ "the path of a ratio on the other side of 1 - gamma", NULL },
                    { "two tokens stay together at ratio .45", NULL, .edit = "ends[2] = .95" },
                    { "the path of gamma + 1e-6", NULL, .edit = "work with gamma += 1e-6" }),
    .trials = 60,
};
