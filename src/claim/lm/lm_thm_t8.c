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

#include "base/alloc.h"
#include "base/status.h"
#include "claim/tokens.h"

#include <math.h>

enum { USE_RATIO = 32 };

#define NUMBERS 4

static const double ratios[NUMBERS] = { .6, .5, .45, .3 };

/* Groups whose scores differ by no more than epsilon; ratio above 1 - gamma in half of the draws,
 * and from .4 to .7 times that in the others. */
static enum trop_status draw(struct trop_case *c)
{
    enum trop_status status = trop_lm_draw_groups(c);
    const double slow = 1 - trop_case_number(c, "gamma");
    const double u = trop_case_uniform(c, USE_RATIO, 0);
    const double ratio = c->trial % 2 ? slow * (.4 + .3 * u) : slow + (1 - slow) * .9 * u;

    return status == TROP_OK ? trop_case_default(c, "ratio", ratio) : status;
}

/* ---- work: the path, and the four limits of the two tokens ---- */

static enum trop_status two_tokens(double *out, double ratio)
{
    static const double x[] = { 1, .9 };
    struct trop_flow_options o = trop_flow_options_default();
    struct trop_flow *flow = NULL;

    o.cloud.n = 2;
    o.cloud.d = 1;
    o.cloud.tokens = x;
    o.alpha = 1;
    o.rule = TROP_RULE_LOCALMAX;
    o.epsilon = (struct trop_schedule){ .kind = TROP_SCHEDULE_GEOMETRIC, .a = .2, .b = ratio };
    o.closed_form = TROP_CLOSED_FORM_NEVER;
    o.threads = 1;
    enum trop_status status = trop_flow_create(&flow, &o);
    if (status == TROP_OK) {
        status = trop_flow_step(flow, 200);
    }
    if (status == TROP_OK) {
        *out = trop_flow_tokens(flow)[0];
    }
    trop_flow_free(flow);
    return status;
}

static enum trop_status work(struct trop_case *c)
{
    double *ends = NULL;
    enum trop_status status = trop_lm_flow(c);

    if (status == TROP_OK) {
        status = trop_case_make(&ends, c, "ends", NUMBERS, 0, 0);
    }
    for (int64_t k = 0; k < NUMBERS && status == TROP_OK; k++) {
        status = two_tokens(ends + k, ratios[k]);
    }
    return status;
}

/* ---- what the closed form says ---- */

/* The least of the slacks eps(t) - spread over the rows, groups as labels say. */
static double slack_at(const struct trop_case *c, const double *x, const int64_t *labels,
                       double eps)
{
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const double *A = trop_case_array(c, "A");
    double least = INFINITY;

    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            for (int64_t l = 0; l < n && labels[j] == labels[i]; l++) {
                const double gap = labels[l] == labels[i]
                                       ? trop_lm_form(A, x + i * d, x + j * d, d) -
                                             trop_lm_form(A, x + i * d, x + l * d, d)
                                       : 0;
                least = fmin(least, eps - gap);
            }
        }
    }
    return least;
}

/* The state of the closed form after t steps. */
static void closed_form(double *out, const struct trop_case *c, const int64_t *labels, double *mean,
                        double share)
{
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const double *x = trop_case_array(c, "tokens");

    for (int64_t i = 0; i < n; i++) {
        trop_lm_mean(mean, x, labels, labels[i], n, d);
        for (int64_t a = 0; a < d; a++) {
            out[i * d + a] = mean[a] + share * (x[i * d + a] - mean[a]);
        }
    }
}

/* The first step of the path at which the closed form has a row wider than epsilon, while the
 * groups are not yet as narrow as rounding; -1: none. room: (n + 1, d). */
static int64_t predicted_break(const struct trop_case *c, const int64_t *labels, double *room)
{
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const int64_t steps = trop_case_integer(c, "steps");
    double share = 1;

    for (int64_t t = 0; t < steps && share > 1e-8; t++) {
        closed_form(room, c, labels, room + n * d, share);
        if (slack_at(c, room, labels, trop_lm_epsilon(c, t)) < 0) {
            return t;
        }
        share *= 1 - trop_case_number(c, "gamma");
    }
    return -1;
}

/* ---- hypotheses ---- */

/* Q1 with e itself, and Q2 with the largest epsilon, which is e too. */
static enum trop_status quiescent(struct trop_judge *judge, const struct trop_case *c)
{
    const double e = trop_case_number(c, "epsilon"), error = 4 * trop_lm_score_error(c);
    struct trop_lm_partition partition;
    int64_t *labels = trop_alloc(trop_case_size(c, "tokens", 0), sizeof *labels);

    if (!labels) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for labels");
    }
    trop_lm_groups(&partition, labels, c, trop_case_array(c, "tokens"), e, e);
    trop_judge_at_least(judge, "epsilon less the spread of a group", 0, partition.q1, 0, error);
    trop_judge_at_least(judge, "gap to the others less epsilon", 0, partition.q2, 0, error);
    trop_alloc_free(labels);
    return TROP_OK;
}

/* A ratio that equals 1 - gamma up to rounding is neither. */
static enum trop_status decided(struct trop_judge *judge, const struct trop_case *c)
{
    const double ratio = trop_case_number(c, "ratio"), slow = 1 - trop_case_number(c, "gamma");

    trop_judge_truth(judge, "0 < ratio <= 1", -1, ratio > 0 && ratio <= 1);
    trop_judge_truth(judge, "ratio is not 1 - gamma", -1, fabs(ratio - slow) > 1e-12);
    return TROP_OK;
}

/* When epsilon falls too fast, the predicted break must come while it can be seen. Groups whose
 * scores with their mean are all equal have no break. */
static enum trop_status tilted(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const double e = trop_case_number(c, "epsilon");
    const int is_slow = trop_case_number(c, "ratio") > 1 - trop_case_number(c, "gamma");
    struct trop_lm_partition partition;
    int64_t *labels = trop_alloc(n, sizeof *labels);
    double *room = trop_alloc((n + 1) * d, sizeof *room);
    const int has_room = labels && room;

    if (has_room) {
        trop_lm_groups(&partition, labels, c, trop_case_array(c, "tokens"), e, e);
        trop_judge_truth(judge, "a break is predicted within the path", -1,
                         is_slow || predicted_break(c, labels, room) >= 0);
    }
    trop_alloc_free(labels);
    trop_alloc_free(room);
    return has_room ? TROP_OK : trop_fail(TROP_ERR_MEMORY, "no memory for a state");
}

static const struct trop_hypothesis hypotheses[] = {
    TROP_LM_STEP_SIZE,
    { "quiescent", "the groups of step 0 satisfy Q1 and Q2 with epsilon(0)", quiescent, 0 },
    { "ratio", "epsilon falls as ratio^t, with ratio up to 1 and not 1 - gamma", decided, 0 },
    { "tilted", "with ratio < 1 - gamma a break is predicted within the path", tilted, 0 },
    { 0 },
};

/* ---- the conclusion ---- */

/* Until the predicted break the path is the closed form, at it some row is too wide for epsilon,
 * and afterwards it is not the closed form: that row has dropped a token, which moves its mean by
 * about the width of the group over its size, far above rounding as long as (1-gamma)^t is. */
static void judge_break(struct trop_judge *judge, const struct trop_case *c, const int64_t *labels,
                        double *room)
{
    const int64_t steps = trop_case_size(c, "path", 0) - 1;
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    const int64_t at = predicted_break(c, labels, room);
    const double *path = trop_case_array(c, "path");
    double share = 1, most = 0;

    for (int64_t t = 0; t <= at + 1 && t <= steps; t++) {
        closed_form(room, c, labels, room + n * d, share);
        most = 0;
        for (int64_t i = 0; i < n; i++) {
            most = fmax(most, trop_tokens_distance(path + (t * n + i) * d, room + i * d, d));
        }
        if (t <= at) {
            trop_judge_at_most(judge, "distance from the closed form, before the break", t, most, 0,
                               (double)(t + 2) * trop_lm_step_error(c));
        }
        share *= 1 - trop_case_number(c, "gamma");
    }
    /* A step of a small gamma does not take a token that far. */
    const double seen = 1e4 * (double)(steps + 2) * trop_lm_step_error(c);
    const double reach = trop_case_number(c, "gamma") * trop_tokens_diameter(path, n, d);
    trop_judge_at_least(judge, "distance from the closed form, after the break", at + 1,
                        reach > 1e2 * (double)n * seen ? most : (double)NAN, seen, 0);
}

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    static const double expected[NUMBERS] = { .95, .95, .95 + .05 / 256, .95 + .05 / 4 };
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const double e = trop_case_number(c, "epsilon"), *ends = trop_case_array(c, "ends");
    struct trop_lm_partition partition;
    int64_t *labels = trop_alloc(n, sizeof *labels);
    double *room = trop_alloc((n + 1) * d, sizeof *room);
    enum trop_status status = TROP_OK;

    if (!labels || !room) {
        status = trop_fail(TROP_ERR_MEMORY, "no memory for %lld tokens", (long long)n);
    } else {
        trop_lm_groups(&partition, labels, c, trop_case_array(c, "tokens"), e, e);
        if (trop_case_number(c, "ratio") > 1 - trop_case_number(c, "gamma")) {
            status = trop_lm_judge_closed_form(judge, c, labels, partition.groups);
        } else {
            judge_break(judge, c, labels, room);
        }
        for (int64_t k = 0; k < NUMBERS; k++) {
            trop_judge_near(judge, "limit of (1, .9), epsilon = .2 ratio^t", k, ends[k],
                            expected[k], 1e-14);
        }
    }
    trop_alloc_free(labels);
    trop_alloc_free(room);
    return status;
}

/* ---- ways to be wrong ---- */

static enum trop_status other_end(struct trop_case *c)
{
    trop_case_array(c, "ends")[2] = .95;
    return TROP_OK;
}

/* The path of the other kind of epsilon: one that vanishes at once, or one that does not. */
static enum trop_status other_ratio(struct trop_case *c)
{
    const double ratio = trop_case_number(c, "ratio"), slow = 1 - trop_case_number(c, "gamma");
    enum trop_status status = trop_case_put(c, "ratio", ratio > slow ? slow / 4 : 1);

    if (status == TROP_OK) {
        status = trop_lm_flow(c);
    }
    return status == TROP_OK ? trop_case_put(c, "ratio", ratio) : status;
}

static enum trop_status narrow(struct trop_case *c)
{
    return trop_case_put(c, "epsilon", 1e-4);
}

static enum trop_status growing(struct trop_case *c)
{
    return trop_case_put(c, "ratio", 1.01);
}

static enum trop_status one_step(struct trop_case *c)
{
    enum trop_status status = trop_case_put(c, "ratio", .5 * (1 - trop_case_number(c, "gamma")));

    return status == TROP_OK ? trop_case_put(c, "steps", 1) : status;
}

static const struct trop_spoil spoils[] = {
    { "the path of a ratio on the other side of 1 - gamma", NULL, other_ratio },
    { "two tokens stay together at ratio .45", NULL, other_end },
    { "the path of gamma + 1e-6", NULL, trop_lm_draw_other_gamma },
    { "gamma = 1.25", "step-size", trop_lm_draw_wrong_gamma },
    { "epsilon = 1e-4, below the spread of the groups", "quiescent", narrow },
    { "ratio = 1.01", "ratio", growing },
    { "a single step, before any break", "tilted", one_step },
    { 0 },
};

const struct trop_claim trop_lm_thm_t8 = {
    .id = "lm-thm-t8",
    .title = "critical decay of a vanishing epsilon",
    .statement = "A quiescent group whose scores differ by D survives a vanishing epsilon that "
                 "stays above (1-gamma)^t D, and breaks under one that vanishes faster than "
                 "(1-gamma)^t, unless its scores with its mean are all equal.",
    .status = TROP_CLAIM_PROVED,
    .remark = "Read for epsilon = e ratio^t: the closed form holds along the path when ratio is "
              "above 1 - gamma, and else up to the step at which it says that a row is wider than "
              "epsilon, and no longer after it. The limits of two tokens 1 and .9 with gamma = 1/2 "
              "and e = .2 are compared with .95, .95 + .05/2^8 (ratio .45) and .9625 (ratio .3).",
    .old_inputs = trop_lm_judge_inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 60,
};
