/* afz_rem_projection.c -- a token between two leaders ends at the projection of the origin.
 *
 * Leaders v_1 and v_2 of equal A-norm, and a token z with <A z, v_1> = <A z, v_2> above its other
 * scores: then C = {v_1, v_2} in every layer, and
 *
 *   z^k - s = (1 + alpha)^-k (z^0 - s),   s = (v_1 + v_2)/2 = argmin |v|_A over the edge v_1 v_2.
 *
 * The ties must be exact in every layer, so the instance is symmetric to the last bit: v_1 = (a,
 * b), v_2 = (a, -b), z = (c, 0) and A = diag(p, q); and z must not come so near to s that rounding
 * takes it there, where it scores with itself as high as with its leaders. The projection is
 * computed from its own definition, s = v_1 + t (v_2 - v_1) with t = -<A v_1, e>/<A e, e>, e = v_2
 * - v_1. Each layer rounds the token by 4 u R, contracted by 1/(1 + alpha) in the next: 4 u R (1 +
 * alpha)/alpha in all.
 */
#include "claim/afz/afz.h"

#include "claim/sample.h"

#include <float.h>
#include <math.h>

#define TOKENS 5
#define BETWEEN 4 /* the token, and its two leaders 0 and 1 */

static void draw(struct trop_case *c)
{
    const double a = .5 + trop_case_uniform(c, 19, 0), b = .5 + trop_case_uniform(c, 19, 1);
    const double inner = a * (.1 + .8 * trop_case_uniform(c, 19, 2));
    const double x[2 * TOKENS] = { a, b, a, -b, -a, -b, -a, b, inner, 0 };
    const double matrix[] = { .5 + trop_case_uniform(c, 19, 3), 0, 0,
                              .5 + trop_case_uniform(c, 19, 4) };

    trop_sample_shape(c, "tokens", TOKENS, 2, 0);
    trop_sample_shape(c, "A", 2, 2, 0);
    if (!trop_case_has(c, "tokens")) {
        trop_case_copy_in(c, "tokens", x, TOKENS, 2, 0);
    }
    if (!trop_case_has(c, "A")) {
        trop_case_copy_in(c, "A", matrix, 2, 2, 0);
    }
    trop_tokens_check(c);
    trop_case_default(c, "alpha", .2 + 2 * trop_case_uniform(c, 19, 5));
    trop_tokens_count(c, "steps", 20, 1, 1e6);
}

static void work(struct trop_case *c)
{
    trop_case_path(c, "path", trop_case_integer(c, "steps"), TROP_AFZ_FLOW);
}

/* ---- hypotheses ---- */

/* Products of equal factors are equal in double too; that is what the flow compares. */
static void balanced(struct trop_judge *judge, const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens"), *a = trop_case_array(c, "A");
    const double *z = x + 2 * BETWEEN;

    trop_judge_truth(judge, "tokens 0 and 1 are mirror images", -1, x[0] == x[2] && x[1] == -x[3]);
    trop_judge_truth(judge, "the token is on the axis between, and A is diagonal", -1,
                     z[1] == 0 && a[1] == 0 && a[2] == 0);
    trop_judge_truth(judge, "the token scores equally with tokens 0 and 1", -1,
                     trop_afz_score(a, z, x, 2) == trop_afz_score(a, z, x + 2, 2));
    trop_judge_truth(judge, "tokens 0 and 1 have equal A-norms", -1,
                     trop_afz_score(a, x, x, 2) == trop_afz_score(a, x + 2, x + 2, 2));
    for (int64_t j = 2; j < TOKENS; j++) {
        trop_judge_at_least(judge, "what it scores less with another", -1,
                            trop_afz_score(a, z, x, 2) - trop_afz_score(a, z, x + 2 * j, 2), 0,
                            trop_afz_rounding(a, x, TOKENS, 2));
    }
}

static void lead(struct trop_judge *judge, const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens"), *a = trop_case_array(c, "A");

    for (int64_t i = 0; i < 2; i++) {
        trop_judge_at_least(judge, "lead of tokens 0 and 1", -1, trop_afz_lead(a, x, i, TOKENS, 2),
                            0, trop_afz_rounding(a, x, TOKENS, 2));
    }
}

/* How far rounding takes the token in all layers. */
static double allowed(const struct trop_case *c)
{
    const double alpha = trop_case_number(c, "alpha");

    return (4 * (1 + alpha) / alpha + 8) * DBL_EPSILON *
           trop_tokens_radius(trop_case_array(c, "tokens"), TOKENS, 2);
}

/* Then s = (x_0, 0). */
static void on_the_way(struct trop_judge *judge, const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens"), alpha = trop_case_number(c, "alpha");
    double left = fabs(x[2 * BETWEEN] - x[0]);

    for (int64_t t = 0; t < trop_case_integer(c, "steps") && left > 0; t++) {
        left /= 1 + alpha;
    }
    trop_judge_at_least(judge, "distance of the token from the edge in the end", -1, left,
                        2 * allowed(c), 0);
}

static const struct trop_hypothesis hypotheses[] = {
    /* Their own spoils would break the balance too. */
    { "definite", "A is symmetric and positive definite", .judge = trop_afz_definite },
    { "distinct", "tokens are distinct and none is 0", .judge = trop_afz_distinct },
    { "positive-alpha", "alpha > 0", .holds = "alpha > 0", .broken = "alpha = -1/2",
      .edit = "alpha = -.5" },
    { "balanced", "the last token is between tokens 0 and 1, of equal norm", .judge = balanced,
      .broken = "the token begins 1e-6 beside the axis", .edit = "tokens[4,1] = 1e-6" },
    { "leaders", "tokens 0 and 1 are leaders", .judge = lead },
    { "on-the-way", "the token is apart from the edge by more than rounding to the end",
      .judge = on_the_way, .broken = "10000 layers", .edit = "steps = 10000" },
    { 0 },
};

/* ---- the conclusion ---- */

static void project(double *s, const double *a, const double *v1, const double *v2)
{
    const double e[] = { v2[0] - v1[0], v2[1] - v1[1] };
    const double t = -trop_afz_score(a, v1, e, 2) / trop_afz_score(a, e, e, 2);

    s[0] = v1[0] + t * e[0];
    s[1] = v1[1] + t * e[1];
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const double *path = trop_case_array(c, "path"), *a = trop_case_array(c, "A");
    const double alpha = trop_case_number(c, "alpha");
    const double *first = path + 2 * BETWEEN;
    const double allowance = allowed(c);
    double s[2], factor = 1;

    project(s, a, path, path + 2);
    for (int64_t t = 0; t < trop_case_size(c, "path", 0); t++) {
        const double *z = path + 2 * (t * TOKENS + BETWEEN);
        trop_judge_near(judge, "distance across the edge", t, z[0] - s[0],
                        factor * (first[0] - s[0]), allowance);
        trop_judge_near(judge, "distance along the edge", t, z[1] - s[1],
                        factor * (first[1] - s[1]), allowance);
        factor /= 1 + alpha;
    }
}

static const struct trop_spoil spoils[] = {
    { "the token of the last layer is moved along the edge by 1e-6", NULL,
      .edit = "path[-1,4,1] += 1e-6" },
    { "the layers are run with alpha larger by 1e-6", NULL, .edit = "work with alpha += 1e-6" },
    { 0 },
};

const struct trop_claim trop_afz_rem_projection = {
    .id = "afz-rem-projection",
    .title = "clusters that have no leader",
    .statement = "A token that scores equally with two leaders of equal A-norm converges to the "
                 "projection of the origin onto the edge between them, by the factor 1/(1 + alpha) "
                 "in each layer.",
    .status = TROP_CLAIM_PROVED,
    .remark = "Ties have probability 0, so the instances are symmetric to the last bit.",
    .inputs = "tokens A alpha steps",
    .hypotheses = hypotheses,
    .run = { draw, work, conclude },
    .spoils = spoils,
    .trials = 100,
};
