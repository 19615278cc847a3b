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

/* s: 1 - s_1 from .001 to .5, shared at random among the others. */
static void draw(struct trop_case *c)
{
    const int64_t T =
        trop_case_has(c, "a") ? trop_case_size(c, "a", 0) : 2 + trop_case_pick(c, 16, 0, 8);
    const double rest = .001 + .5 * trop_case_uniform(c, 19, 0) * trop_case_uniform(c, 19, 1);

    trop_mm_normals(c, "a", 17, 1, T, 0, 0);
    trop_mm_normals(c, "g", 18, 1, T, 0, 0);
    double *s = trop_case_absent(c, "s", T, 0, 0), sum = 0;
    for (int64_t t = 1; s && t < T; t++) {
        s[t] = trop_case_uniform(c, 20, t);
        sum += s[t];
    }
    for (int64_t t = 0; s && t < T; t++) {
        s[t] = t > 0 ? s[t] * (rest / sum) : 1 - rest;
    }
}

static void work(struct trop_case *c)
{
    const double *a = trop_case_array(c, "a"), *g = trop_case_array(c, "g");
    const double *s = trop_case_array(c, "s");
    double first = 0, mean_a = 0, mean_g = 0, sum = 0;

    for (int64_t t = 0; t < trop_case_size(c, "a", 0); t++) {
        first += a[t] * s[t] * g[t];
        mean_a += a[t] * s[t];
        mean_g += s[t] * g[t];
        sum += (a[0] - a[t]) * s[t] * (g[0] - g[t]);
    }
    trop_case_put(c, "means", mean_a * mean_g);
    trop_case_put(c, "covariance", first - mean_a * mean_g);
    trop_case_put(c, "sum", sum);
}

static void weights(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view s = trop_case_view(c, "s");
    double sum = 0;

    for (int64_t t = 0; t < s.rows; t++) {
        trop_judge_at_least(judge, "weight", t, s.at[t], 0, 0);
        sum += s.at[t];
    }
    trop_judge_near(judge, "sum of the weights", -1, sum, 1, 4 * (double)s.rows * DBL_EPSILON);
}

static void sizes(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t T = trop_case_size(c, "s", 0);

    trop_judge_truth(judge, "a, g and s have the same length", -1,
                     T > 0 && trop_case_size(c, "a", 0) == T && trop_case_size(c, "g", 0) == T);
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
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
}

const struct trop_claim trop_mm_lem_3 = {
    .id = "mm-lem-3",
    .title = "the key bound on the softmax Jacobian",
    .statement =
        "The covariance of a and g under the weights s differs from the sum of "
        "(a_1 - a_t) s_t (g_1 - g_t) by at most 2 G A (1 - s_1)^2, A the largest |a_t| and "
        "G the largest difference of two g.",
    .status = TROP_CLAIM_PROVED,
    .remark = "The difference is the product of a_1 - a's and g_1 - s'g exactly.",
    .inputs = "a g s",
    .hypotheses = TROP_HYPOTHESES({ "sizes", "a, g and s are of one length", .judge = sizes },
                                  { "weights", "s is not negative and sums to 1", .judge = weights,
                                    .broken = "the weights sum to 1.1", .edit = "s[0] += .1" }),
    .run = { draw, work, conclude },
    .spoils = TROP_SPOILS(/* a_1 g_1 s_1 dominates what is left. */
                          { "the product of the means is left out of the covariance", NULL,
                            .edit = "covariance += means" }),
    .trials = 1000,
};
