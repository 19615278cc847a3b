/* mm_lem_3.c -- the key bound on the softmax Jacobian (max-margin paper, lemma 3).
 *
 * For weights s on T tokens, numbers a and g,
 *
 *   | a'diag(s) g - a's s'g - sum_(t > 1) (a_1 - a_t) s_t (g_1 - g_t) | <= 2 G A (1 - s_1)^2,
 *
 * A the largest |a_t|, G the largest difference of two g. In fact the left side is (a_1 - a's)
 * (g_1 - s'g) exactly, and each factor is a sum of s_t over t > 1.
 *
 * Rounding: every term of the covariance is at most A max|g|, and there are T^2 products: 8 T^2 u A
 * max|g| is allowed. The draw has 1 - s_1 between .001 and .5, so that the bound is far above it.
 */
#include "claim/mm/mm.h"

#include <float.h>
#include <math.h>

static enum trop_status fill(struct trop_case *c, const char *name, int64_t use, int64_t T)
{
    double *x = NULL;
    enum trop_status status =
        trop_case_has(c, name) ? TROP_OK : trop_case_make(&x, c, name, T, 0, 0);

    for (int64_t t = 0; x && t < T; t++) {
        x[t] = trop_case_normal(c, use, t);
    }
    return status;
}

/* s: 1 - s_1 from .001 to .5, shared at random among the others. */
static enum trop_status draw(struct trop_case *c)
{
    const int64_t T =
        trop_case_has(c, "a") ? trop_case_size(c, "a", 0) : 2 + trop_case_pick(c, 16, 0, 8);
    double *s = NULL, sum = 0;
    enum trop_status status = fill(c, "a", 17, T);

    status = status == TROP_OK ? fill(c, "g", 18, T) : status;
    if (status != TROP_OK || trop_case_has(c, "s")) {
        return status;
    }
    status = trop_case_make(&s, c, "s", T, 0, 0);
    const double rest = .001 + .5 * trop_case_uniform(c, 19, 0) * trop_case_uniform(c, 19, 1);
    for (int64_t t = 1; t < T && status == TROP_OK; t++) {
        s[t] = trop_case_uniform(c, 20, t);
        sum += s[t];
    }
    for (int64_t t = 1; t < T && status == TROP_OK; t++) {
        s[t] *= rest / sum;
    }
    if (status == TROP_OK) {
        s[0] = 1 - rest;
    }
    return status;
}

static enum trop_status work(struct trop_case *c)
{
    const double *a = trop_case_array(c, "a"), *g = trop_case_array(c, "g");
    const double *s = trop_case_array(c, "s");
    const int64_t T = trop_case_size(c, "a", 0);
    double first = 0, mean_a = 0, mean_g = 0, sum = 0;

    for (int64_t t = 0; t < T; t++) {
        first += a[t] * s[t] * g[t];
        mean_a += a[t] * s[t];
        mean_g += s[t] * g[t];
        sum += (a[0] - a[t]) * s[t] * (g[0] - g[t]);
    }
    enum trop_status status = trop_case_put(c, "covariance", first - mean_a * mean_g);
    return status == TROP_OK ? trop_case_put(c, "sum", sum) : status;
}

static enum trop_status weights(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t T = trop_case_size(c, "s", 0);
    const double *s = trop_case_array(c, "s");
    double sum = 0;

    for (int64_t t = 0; t < T; t++) {
        trop_judge_at_least(judge, "weight", t, s[t], 0, 0);
        sum += s[t];
    }
    trop_judge_near(judge, "sum of the weights", -1, sum, 1, 4 * (double)T * DBL_EPSILON);
    return TROP_OK;
}

static enum trop_status sizes(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t T = trop_case_size(c, "s", 0);

    trop_judge_truth(judge, "a, g and s have the same length", -1,
                     T > 0 && trop_case_size(c, "a", 0) == T && trop_case_size(c, "g", 0) == T);
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    { "sizes", "a, g and s are of one length", sizes, 0 },
    { "weights", "s is not negative and sums to 1", weights, 0 },
    { 0 },
};

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const double *a = trop_case_array(c, "a"), *g = trop_case_array(c, "g");
    const double *s = trop_case_array(c, "s");
    const int64_t T = trop_case_size(c, "a", 0);
    double A = 0, low = INFINITY, high = -INFINITY, largest = 0, rest = 0;

    for (int64_t t = 0; t < T; t++) {
        A = fmax(A, fabs(a[t]));
        largest = fmax(largest, fabs(g[t]));
        low = fmin(low, g[t]);
        high = fmax(high, g[t]);
        rest += t > 0 ? s[t] : 0;
    }
    trop_judge_at_most(judge, "difference", -1,
                       fabs(trop_case_number(c, "covariance") - trop_case_number(c, "sum")),
                       2 * (high - low) * A * rest * rest,
                       8 * (double)(T * T) * DBL_EPSILON * A * largest);
    return TROP_OK;
}

/* a_1 g_1 s_1 dominates what is left. */
static enum trop_status drop_term(struct trop_case *c)
{
    const double *a = trop_case_array(c, "a"), *g = trop_case_array(c, "g");
    const double *s = trop_case_array(c, "s");
    double first = 0;

    for (int64_t t = 0; t < trop_case_size(c, "a", 0); t++) {
        first += a[t] * s[t] * g[t];
    }
    return trop_case_put(c, "covariance", first);
}

static enum trop_status heavy(struct trop_case *c)
{
    trop_case_array(c, "s")[0] += .1;
    return TROP_OK;
}

static const struct trop_spoil spoils[] = {
    { "the product of the means is left out of the covariance", NULL, drop_term },
    { "the weights sum to 1.1", "weights", heavy },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "a", "(T)", "logits of a direction" },
    { "g", "(T)", "scores" },
    { "s", "(T)", "attention weights, the selected token first" },
    { 0 },
};

const struct trop_claim trop_mm_lem_3 = {
    .id = "mm-lem-3",
    .title = "the key bound on the softmax Jacobian",
    .statement =
        "The covariance of a and g under the weights s differs from the sum of "
        "(a_1 - a_t) s_t (g_1 - g_t) by at most 2 G A (1 - s_1)^2, A the largest |a_t| and "
        "G the largest difference of two g.",
    .status = TROP_CLAIM_PROVED,
    .remark = "The difference is the product of a_1 - a's and g_1 - s'g exactly.",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 1000,
};
