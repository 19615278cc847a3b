/* fw_rate.c -- how fast hardmax converges under theorem 4.2 of the Frank-Wolfe paper.
 *
 * What is left of a token's way to its vertex after t steps is prod (1 - gamma^r). That is
 *
 *   at most (1 - c)^t          when every gamma is at least c > 0: exponential;
 *   exp(-a t (t + 1) / 2)      for gamma^t = 1 - exp(-a (t + 1)): super-exponential;
 *   bounded away from 0        when the sum of gamma is finite: gamma^t = 2^(-t-1) leaves
 *                              .2887880950866 of the way for ever.
 *
 * So "exponentially fast for gamma in (0, 1)", the printed rate, is false, and the first line is
 * its repair. The printed claim is decided on gamma^t = gamma ratio^t, where the future is known:
 * of the distance at the last step T at least 1 - gamma ratio^T / (1 - ratio) is left for ever, and
 * an exponential rate has 0 for a limit.
 *
 * Rounding as in theorem 4.2: a distance is known within 8 u R sqrt(d) times the errors of the
 * steps, at most one for each.
 */
#include "claim/fw/fw.h"

#include "base/alloc.h"
#include "base/math/exp.h"
#include "base/math/pow.h"
#include "base/status.h"
#include "claim/tokens.h"

#include <float.h>
#include <math.h>

#define STEPS 30

/* ---- distances from the vertex of each token's cell ---- */

/* The distance of token i at step t from the vertex of its cell, and a bound of its rounding
 * error. */
static double way(const struct trop_case *c, const int64_t *labels, int64_t t, int64_t i)
{
    const double *path = trop_case_array(c, "path");
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);

    return trop_tokens_distance(path + (t * n + i) * d, path + labels[i] * d, d);
}

static double way_error(const struct trop_case *c, int64_t t)
{
    const double *path = trop_case_array(c, "path");
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);

    return 4 * (double)(t + 1) * DBL_EPSILON * sqrt((double)d) * trop_tokens_radius(path, n, d);
}

/* Runs a conclusion over every token that moves. */
static enum trop_status each_token(struct trop_judge *judge, const struct trop_case *c,
                                   void (*line)(struct trop_judge *, const struct trop_case *,
                                                const int64_t *, int64_t))
{
    const int64_t n = trop_case_size(c, "path", 1);
    int64_t *labels = trop_alloc(n, sizeof *labels);

    if (!labels) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld labels", (long long)n);
    }
    enum trop_status status = trop_fw_work_labels(labels, c);
    for (int64_t i = 0; i < n && status == TROP_OK; i++) {
        if (labels[i] != i) {
            line(judge, c, labels, i);
        }
    }
    trop_alloc_free(labels);
    return status;
}

/* ---- the printed rate ---- */

/* gamma^t = first ratio^t; half of the draws are constant. */
static enum trop_status draw_printed(struct trop_case *c)
{
    enum trop_status status = trop_fw_draw_own_cells(c);
    double *gamma = NULL;

    if (status == TROP_OK) {
        status = trop_fw_draw_steps(c, 2 * STEPS);
    }
    if (status == TROP_OK) {
        status = trop_case_default(c, "first", .2 + .4 * trop_case_uniform(c, 16, 0));
    }
    if (status == TROP_OK) {
        status = trop_case_default(
            c, "ratio", trop_case_pick(c, 16, 1, 2) ? 1 : .3 + .4 * trop_case_uniform(c, 16, 2));
    }
    if (status == TROP_OK && !trop_case_has(c, "gamma")) {
        status = trop_case_make(&gamma, c, "gamma", trop_case_integer(c, "steps"), 0, 0);
    }
    for (int64_t t = 0; gamma && t < trop_case_size(c, "gamma", 0); t++) {
        gamma[t] = trop_case_number(c, "first") * trop_pow(trop_case_number(c, "ratio"), (double)t);
    }
    return status;
}

/* With a constant gamma, judges the bound at every step; with a finite sum of gammas, the distance
 * that remains for ever. */
static void conclude_printed_token(struct trop_judge *judge, const struct trop_case *c,
                                   const int64_t *labels, int64_t i)
{
    const double first = trop_case_number(c, "first"), ratio = trop_case_number(c, "ratio");
    const int64_t steps = trop_case_size(c, "path", 0) - 1;
    const double start = way(c, labels, 0, i);

    if (ratio < 1) {
        const double rest = first * trop_pow(ratio, (double)steps) / (1 - ratio);
        trop_judge_at_most(judge, "distance from its limit that a token keeps for ever", steps,
                           way(c, labels, steps, i) * fmax(0, 1 - rest), 0, way_error(c, steps));
        return;
    }
    for (int64_t t = 0; t <= steps; t++) {
        trop_judge_at_most(judge, "distance of a token from its limit", t, way(c, labels, t, i),
                           trop_pow(1 - first, (double)t) * start, way_error(c, t));
    }
}

static enum trop_status conclude_printed(struct trop_judge *judge, const struct trop_case *c)
{
    return each_token(judge, c, conclude_printed_token);
}

static enum trop_status geometric_steps(struct trop_judge *judge, const struct trop_case *c)
{
    const double first = trop_case_number(c, "first"), ratio = trop_case_number(c, "ratio");
    const int64_t steps = trop_case_integer(c, "steps");

    trop_judge_truth(judge, "ratio is between 0 and 1", -1, ratio > 0 && ratio <= 1);
    for (int64_t t = 0; t < steps; t++) {
        const double wanted = first * trop_pow(ratio, (double)t);
        trop_judge_truth(judge, "gamma is first ratio^t", t,
                         fabs(trop_fw_gamma(c, t) - wanted) <= 8 * DBL_EPSILON * wanted);
    }
    return TROP_OK;
}

/* gamma^t = 2^(-t-1) on a triangle with one token inside. */
static enum trop_status exhibit(struct trop_case *c, int64_t k)
{
    static const double tokens[] = { 1, 0, -.5, .75, -.5, -.75, .25, .125 };
    enum trop_status status = trop_fw_draw_given(c, "tokens", tokens, 4, 2);

    (void)k;
    if (status == TROP_OK) {
        status = trop_fw_draw_identity(c, 2, 1);
    }
    if (status == TROP_OK) {
        status = trop_case_put(c, "first", .5);
    }
    return status == TROP_OK ? trop_case_put(c, "ratio", .5) : status;
}

/* ---- gamma at least c ---- */

static enum trop_status draw_bounded(struct trop_case *c)
{
    enum trop_status status = trop_fw_draw_own_cells(c);

    if (status == TROP_OK) {
        status = trop_case_default(c, "c", .02 + .3 * trop_case_uniform(c, 16, 0));
    }
    return status == TROP_OK ? trop_fw_draw_gamma(c, STEPS, trop_case_number(c, "c"), .9) : status;
}

static enum trop_status bounded_below(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t steps = trop_case_integer(c, "steps");
    const double least = trop_case_number(c, "c");

    trop_judge_truth(judge, "c is positive", -1, least > 0);
    for (int64_t t = 0; t < steps; t++) {
        trop_judge_at_least(judge, "gamma", t, trop_fw_gamma(c, t), least, 0);
    }
    return TROP_OK;
}

static void conclude_bounded_token(struct trop_judge *judge, const struct trop_case *c,
                                   const int64_t *labels, int64_t i)
{
    const int64_t steps = trop_case_size(c, "path", 0) - 1;
    const double start = way(c, labels, 0, i);

    for (int64_t t = 0; t <= steps; t++) {
        trop_judge_at_most(judge, "distance of a token from its vertex", t, way(c, labels, t, i),
                           trop_pow(1 - trop_case_number(c, "c"), (double)t) * start,
                           way_error(c, t));
    }
}

static enum trop_status conclude_bounded(struct trop_judge *judge, const struct trop_case *c)
{
    return each_token(judge, c, conclude_bounded_token);
}

/* ---- super-exponential ---- */

static enum trop_status draw_super(struct trop_case *c)
{
    enum trop_status status = trop_fw_draw_own_cells(c);
    double *gamma = NULL;

    if (status == TROP_OK) {
        status = trop_case_default(c, "a", .05 + .15 * trop_case_uniform(c, 16, 0));
    }
    if (status == TROP_OK) {
        status = trop_fw_draw_steps(c, STEPS);
    }
    if (status == TROP_OK && !trop_case_has(c, "gamma")) {
        status = trop_case_make(&gamma, c, "gamma", trop_case_integer(c, "steps"), 0, 0);
    }
    for (int64_t t = 0; gamma && t < trop_case_size(c, "gamma", 0); t++) {
        gamma[t] = -trop_expm1(-trop_case_number(c, "a") * (double)(t + 1));
    }
    return status;
}

static enum trop_status super_steps(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t steps = trop_case_integer(c, "steps");

    trop_judge_truth(judge, "a is positive", -1, trop_case_number(c, "a") > 0);
    for (int64_t t = 0; t < steps; t++) {
        const double wanted = -trop_expm1(-trop_case_number(c, "a") * (double)(t + 1));
        trop_judge_truth(judge, "gamma is 1 - exp(-a (t + 1))", t,
                         fabs(trop_fw_gamma(c, t) - wanted) <= 4 * DBL_EPSILON);
    }
    return TROP_OK;
}

static void conclude_super_token(struct trop_judge *judge, const struct trop_case *c,
                                 const int64_t *labels, int64_t i)
{
    const int64_t steps = trop_case_size(c, "path", 0) - 1;
    const double start = way(c, labels, 0, i), a = trop_case_number(c, "a");

    for (int64_t t = 0; t <= steps; t++) {
        trop_judge_near(judge, "distance of a token from its vertex", t, way(c, labels, t, i),
                        trop_exp(-a * (double)t * (double)(t + 1) / 2) * start, way_error(c, t));
    }
}

static enum trop_status conclude_super(struct trop_judge *judge, const struct trop_case *c)
{
    return each_token(judge, c, conclude_super_token);
}

/* ---- ways to be wrong ---- */

static enum trop_status crawl(struct trop_case *c)
{
    return trop_fw_work_with(c, .01);
}

/* gamma = .999 c at every step: just too slow for (1 - c)^t. */
static enum trop_status just_below(struct trop_case *c)
{
    struct trop_case *other = NULL;
    enum trop_status status = trop_case_copy(&other, c);

    if (status == TROP_OK) {
        status = trop_case_put(other, "gamma", .999 * trop_case_number(c, "c"));
    }
    if (status == TROP_OK) {
        status = trop_fw_work(other);
    }
    if (status == TROP_OK) {
        status = trop_fw_work_take(c, "path", other);
    }
    trop_case_free(other);
    return status;
}

static enum trop_status slower(struct trop_case *c)
{
    return trop_fw_work_with(c, 1 - 1e-6);
}

static enum trop_status small_gamma(struct trop_case *c)
{
    trop_case_array(c, "gamma")[1] = trop_case_number(c, "c") / 2;
    return TROP_OK;
}

static enum trop_status other_gamma(struct trop_case *c)
{
    trop_case_array(c, "gamma")[1] *= .5;
    return TROP_OK;
}

#define OWN \
    { \
        "own-cells", "every vertex is in its own cell and in no other", trop_fw_assume_own_cells, \
            0 \
    }
#define ONE \
    { \
        "one-cell-each", "every token is in exactly one cell", trop_fw_assume_one_cell, 0 \
    }
#define SIZES \
    { \
        "step-sizes", "every gamma is between 0 and 1", trop_fw_assume_steps, 0 \
    }

static const struct trop_hypothesis printed_hypotheses[] = {
    OWN, ONE, SIZES, { "geometric", "gamma is first ratio^t", geometric_steps, 0 }, { 0 },
};

static const struct trop_hypothesis bounded_hypotheses[] = {
    OWN, ONE, SIZES, { "bounded-below", "every gamma is at least c > 0", bounded_below, 0 }, { 0 },
};

static const struct trop_hypothesis super_hypotheses[] = {
    OWN, ONE, SIZES, { "fast-steps", "gamma is 1 - exp(-a (t + 1))", super_steps, 0 }, { 0 },
};

static const struct trop_spoil printed_spoils[] = {
    { "steps of a hundredth of the length", NULL, crawl },
    { "one gamma is halved", "geometric", other_gamma },
    { "a square with a token on a wall", "one-cell-each", trop_fw_assume_not_one },
    { 0 },
};

static const struct trop_spoil bounded_spoils[] = {
    { "gamma = .999 c at every step", NULL, just_below },
    { "a vertex that follows another one", "own-cells", trop_fw_assume_not_own },
    { "one gamma is c / 2", "bounded-below", small_gamma },
    { 0 },
};

static const struct trop_spoil super_spoils[] = {
    { "every gamma smaller by a millionth", NULL, slower },
    { "a vertex that follows another one", "own-cells", trop_fw_assume_not_own },
    { "one gamma is halved", "fast-steps", other_gamma },
    { 0 },
};

static const struct trop_input printed_inputs[] = {
    { "tokens", "(n, d)", "the cloud at step 0" },
    { "B", "(d, d)", "key-query matrix" },
    { "first", "", "gamma of step 0" },
    { "ratio", "", "of one gamma to the one before" },
    { "steps", "", "of the flow" },
    { 0 },
};

static const struct trop_input bounded_inputs[] = {
    { "tokens", "(n, d)", "the cloud at step 0" },
    { "B", "(d, d)", "key-query matrix" },
    { "gamma", "(steps)", "step sizes" },
    { "c", "", "what every gamma is at least" },
    { "steps", "", "of the flow" },
    { 0 },
};

static const struct trop_input super_inputs[] = {
    { "tokens", "(n, d)", "the cloud at step 0" },
    { "B", "(d, d)", "key-query matrix" },
    { "a", "", "of gamma^t = 1 - exp(-a (t + 1))" },
    { "steps", "", "of the flow" },
    { 0 },
};

const struct trop_claim trop_fw_rate_exponential = {
    .id = "fw-rate-exponential",
    .title = "exponential rate, any step sizes",
    .statement = "Under the hypotheses of theorem 4.2 tokens converge to the vertices of their "
                 "cells at least exponentially fast, whatever the step sizes in (0, 1) are.",
    .status = TROP_CLAIM_FALSE,
    .remark = "gamma^t = 2^(-t-1) stops tokens after 71 percent of their way. Decided on geometric "
              "step sizes, for which what is left for ever has a proved bound; constant ones "
              "are held to (1 - gamma)^t at every step.",
    .repaired = "fw-rate-exponential-repaired",
    .old_inputs = printed_inputs,
    .hypotheses = printed_hypotheses,
    .old_draw = draw_printed,
    .old_work = trop_fw_work,
    .old_conclude = conclude_printed,
    .old_exhibit = exhibit,
    .exhibits = 1,
    .spoils = printed_spoils,
    .trials = 100,
};

const struct trop_claim trop_fw_rate_exponential_repaired = {
    .id = "fw-rate-exponential-repaired",
    .title = "exponential rate, steps bounded below",
    .statement = "Under the hypotheses of theorem 4.2, and with every gamma at least c > 0, the "
                 "distance of a token from the vertex of its cell after t steps is at most "
                 "(1 - c)^t times what it was.",
    .status = TROP_CLAIM_PROVED,
    .remark = "",
    .old_inputs = bounded_inputs,
    .hypotheses = bounded_hypotheses,
    .old_draw = draw_bounded,
    .old_work = trop_fw_work,
    .old_conclude = conclude_bounded,
    .spoils = bounded_spoils,
    .trials = 100,
};

const struct trop_claim trop_fw_rate_superexp = {
    .id = "fw-rate-superexp",
    .title = "super-exponential rate",
    .statement = "Under the hypotheses of theorem 4.2 and with gamma^t = 1 - exp(-a (t + 1)), the "
                 "distance of a token from the vertex of its cell after t steps is "
                 "exp(-a t (t + 1) / 2) times what it was.",
    .status = TROP_CLAIM_PROVED,
    .remark = "Once that is below the rounding of the tokens only rounding is seen.",
    .old_inputs = super_inputs,
    .hypotheses = super_hypotheses,
    .old_draw = draw_super,
    .old_work = trop_fw_work,
    .old_conclude = conclude_super,
    .spoils = super_spoils,
    .trials = 100,
};
