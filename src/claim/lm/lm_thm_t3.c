/* lm_thm_t3.c -- vertices of the limit are separated, and what follows from it (T3, T4a, T4d).
 *
 *   T3   <A v, v - w> >= limsup eps      for a vertex v of the limit polytope and any other
 *                                        accumulation point w of a token
 *   T4a  adding that of (w, v):  |v - w|_A >= sqrt(2 limsup eps), A positive definite, and so many
 *        points are no more than (1 + 2 R / s)^d, R the A-radius of the cloud, s that distance
 *        (balls of radius s/2 around them are disjoint, in a ball of radius R + s/2)
 *   T4d  v is in the geometric maximal alignment set: <A v, v> = max of <A v, y> over the polytope
 *
 * The limits are those of a run of the library that proves them, with groups that last or with
 * tokens at rest between groups; epsilon is constant, 0, or swings as a + b cos t, whose limsup is
 * a + |b|. Limits closer than 1e-7 R are one point, and a vertex is farther than that from the hull
 * of the others. A limit is off by rounding of the steps before it, at most (since + 1) of them,
 * and the form <A v, v - w> by 4 |A| R times that.
 */
#include "claim/lm/lm.h"

#include "base/alloc.h"
#include "base/math/pow.h"
#include "base/status.h"
#include "claim/tokens.h"

#include <math.h>
#include <string.h>

enum { USE_SIZE = 32, USE_KIND, USE_SWING, USE_TIGHT };

#define NEAR 1e-7

/* ---- the instance ---- */

/* Two tokens (h, s) and (h, -s): each is alone in its set for epsilon below <v, v - w> = 2 s^2, and
 * is so from .1 to 10 percent: both bounds are nearly attained. */
static enum trop_status draw_tight(struct trop_case *c)
{
    const double s = .3 + trop_case_uniform(c, USE_TIGHT, 0),
                 h = trop_case_uniform(c, USE_TIGHT, 1);
    double *x = NULL;
    enum trop_status status = trop_case_make(&x, c, "tokens", 2, 2, 0);

    if (status == TROP_OK) {
        x[0] = x[2] = h;
        x[1] = s;
        x[3] = -s;
        status = trop_case_default(
            c, "epsilon", 2 * s * s * (1 - .001 - .1 * trop_case_uniform(c, USE_TIGHT, 2)));
    }
    return status == TROP_OK ? trop_lm_draw_cloud(c, 2, 2, 0, 0) : status;
}

/* A cloud with epsilon that is constant, swings, or is 0. */
static enum trop_status draw_cloud(struct trop_case *c, int64_t kind)
{
    const int64_t n = 5 + trop_case_pick(c, USE_SIZE, 0, 8);
    const int64_t d = 2 + trop_case_pick(c, USE_SIZE, 1, 2);
    enum trop_status status = trop_lm_draw_cloud(c, n, d, kind == 3 ? 0 : .02, kind == 3 ? 0 : .4);
    const double swing = .5 * trop_case_number(c, "epsilon") * trop_case_uniform(c, USE_SWING, 0);

    if (status == TROP_OK && kind == 2 && !trop_case_has(c, "ratio")) {
        status = trop_case_default(c, "swing", swing);
    }
    return status == TROP_OK && trop_case_pick(c, USE_KIND, 0, 2) ? trop_lm_draw_definite(c)
                                                                  : status;
}

/* The kinds of clouds take turns. */
static enum trop_status draw(struct trop_case *c)
{
    const int64_t kind = c->trial % 4;

    return kind == 1 && !trop_case_has(c, "tokens") && !trop_case_has(c, "A") ? draw_tight(c)
                                                                              : draw_cloud(c, kind);
}

/* The same with a skew part in A. */
static enum trop_status draw_any(struct trop_case *c)
{
    const int has = trop_case_has(c, "A");
    enum trop_status status = draw(c);

    if (status == TROP_OK && !has && trop_case_has(c, "A")) {
        trop_case_drop(c, "A");
        status = trop_lm_draw_matrix(c, 1, .3);
    }
    return status;
}

/* ---- the conclusions ---- */

/* A pair v, w of distinct limits, v a vertex; is_vertex says whether w is one too. */
typedef void pair(struct trop_judge *judge, const struct trop_case *c, const double *v,
                  const double *w, int64_t is_vertex);

static double allowance_of(const struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const double R = trop_tokens_radius(trop_case_array(c, "tokens"), n, d);

    return 4 * trop_lm_size(c) * R * trop_lm_step_error(c) * (trop_case_number(c, "since") + 2) +
           4 * trop_lm_score_error(c);
}

static enum trop_status for_pairs(struct trop_judge *judge, const struct trop_case *c, pair *look,
                                  int64_t *vertices)
{
    const int64_t n = trop_case_size(c, "limits", 0), d = trop_case_size(c, "limits", 1);
    const double R = trop_tokens_radius(trop_case_array(c, "tokens"), n, d);
    double *points = trop_alloc(n * d, sizeof *points);
    int64_t *flags = trop_alloc(n, sizeof *flags), count = 0;
    enum trop_status status = points && flags ? trop_lm_vertices(points, flags, &count, c, NEAR * R)
                                              : trop_fail(TROP_ERR_MEMORY, "no memory for limits");

    *vertices = 0;
    for (int64_t k = 0; k < count && status == TROP_OK; k++) {
        *vertices += flags[k];
        for (int64_t l = 0; l < count && flags[k]; l++) {
            if (l != k) {
                look(judge, c, points + k * d, points + l * d, flags[l]);
            }
        }
    }
    trop_alloc_free(points);
    trop_alloc_free(flags);
    return status;
}

/* <A v, v - w> */
static double lead(const struct trop_case *c, const double *v, const double *w)
{
    const int64_t d = trop_case_size(c, "tokens", 1);
    const double *A = trop_case_array(c, "A");

    return trop_lm_form(A, v, v, d) - trop_lm_form(A, v, w, d);
}

static void separate(struct trop_judge *judge, const struct trop_case *c, const double *v,
                     const double *w, int64_t is_vertex)
{
    (void)is_vertex;
    trop_judge_at_least(judge, "<A v, v - w>", -1, lead(c, v, w), trop_lm_epsilon_limsup(c),
                        allowance_of(c));
}

static void distance(struct trop_judge *judge, const struct trop_case *c, const double *v,
                     const double *w, int64_t is_vertex)
{
    /* |v - w|_A^2 is the sum of the two leads. */
    if (is_vertex) {
        trop_judge_at_least(judge, "|v - w|_A^2", -1, lead(c, v, w) + lead(c, w, v),
                            2 * trop_lm_epsilon_limsup(c), 2 * allowance_of(c));
    }
}

static void align(struct trop_judge *judge, const struct trop_case *c, const double *v,
                  const double *w, int64_t is_vertex)
{
    const int64_t d = trop_case_size(c, "tokens", 1);
    const double *A = trop_case_array(c, "A");

    (void)is_vertex;
    trop_judge_at_least(judge, "<A v, v> against <A v, w>", -1, trop_lm_form(A, v, v, d),
                        trop_lm_form(A, v, w, d), allowance_of(c));
}

static enum trop_status conclude_separation(struct trop_judge *judge, const struct trop_case *c)
{
    int64_t vertices = 0;
    enum trop_status status = for_pairs(judge, c, separate, &vertices);

    trop_judge_at_least(judge, "vertices", -1, (double)vertices, 1, 0);
    return status;
}

static enum trop_status conclude_distance(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const double *A = trop_case_array(c, "A"), *x = trop_case_array(c, "tokens");
    const double s = sqrt(2 * trop_lm_epsilon_limsup(c));
    int64_t vertices = 0;
    double R = 0;
    enum trop_status status = for_pairs(judge, c, distance, &vertices);

    for (int64_t i = 0; i < n; i++) {
        R = fmax(R, sqrt(trop_lm_form(A, x + i * d, x + i * d, d)));
    }
    trop_judge_at_most(judge, "vertices against the packing bound", -1, (double)vertices,
                       s > 0 ? trop_pow(1 + 2 * R / s, (double)d) : INFINITY, 0);
    return status;
}

static enum trop_status conclude_alignment(struct trop_judge *judge, const struct trop_case *c)
{
    int64_t vertices = 0;
    enum trop_status status = for_pairs(judge, c, align, &vertices);

    trop_judge_at_least(judge, "vertices", -1, (double)vertices, 1, 0);
    return status;
}

/* ---- hypotheses ---- */

static enum trop_status several(struct trop_judge *judge, const struct trop_case *c)
{
    const double *limits = trop_case_array(c, "limits");
    const int64_t n = trop_case_size(c, "limits", 0), d = trop_case_size(c, "limits", 1);

    trop_judge_truth(judge, "there are two limits", -1, trop_tokens_diameter(limits, n, d) > NEAR);
    return TROP_OK;
}

static const struct trop_hypothesis any_hypotheses[] = {
    TROP_LM_STEP_SIZE,
    TROP_LM_EPSILON,
    TROP_LM_CERTIFIED,
    { "several", "the limit has several points", several, 1 },
    { 0 },
};

static const struct trop_hypothesis definite_hypotheses[] = {
    TROP_LM_STEP_SIZE,
    TROP_LM_EPSILON,
    TROP_LM_DEFINITE,
    TROP_LM_CERTIFIED,
    { "several", "the limit has several points", several, 1 },
    { 0 },
};

/* ---- ways to be wrong ---- */

/* All limits are shifted, so that the one farthest out, v, lies at 1e-3 (w - v) with another w:
 * then <A v, w - v> is 1e-3 |w - v|_A^2 > 0, and v, still a vertex, is not aligned with itself. */
static enum trop_status shift(struct trop_case *c)
{
    double *x = trop_case_array(c, "limits");
    const int64_t n = trop_case_size(c, "limits", 0), d = trop_case_size(c, "limits", 1);
    int64_t v = 0, w = 0;

    for (int64_t i = 1; i < n; i++) {
        v = trop_tokens_radius(x + i * d, 1, d) > trop_tokens_radius(x + v * d, 1, d) ? i : v;
    }
    while (trop_tokens_distance(x + w * d, x + v * d, d) <= NEAR) {
        w++;
    }
    for (int64_t a = 0; a < d; a++) {
        const double by = 1e-3 * (x[w * d + a] - x[v * d + a]) - x[v * d + a];
        for (int64_t i = 0; i < n; i++) {
            x[i * d + a] += by;
        }
    }
    return TROP_OK;
}

static enum trop_status gather(struct trop_case *c)
{
    double *limits = trop_case_array(c, "limits");
    const int64_t n = trop_case_size(c, "limits", 0), d = trop_case_size(c, "limits", 1);

    for (int64_t i = 1; i < n; i++) {
        memcpy(limits + i * d, limits, (size_t)d * sizeof *limits);
    }
    return TROP_OK;
}

/* epsilon becomes the largest |v - w|_A^2: one of the two leads is no more than half of it. */
static enum trop_status larger_epsilon(struct trop_case *c)
{
    const double *x = trop_case_array(c, "limits");
    const int64_t n = trop_case_size(c, "limits", 0), d = trop_case_size(c, "limits", 1);
    double most = 0;

    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            most = fmax(most, lead(c, x + i * d, x + j * d) + lead(c, x + j * d, x + i * d));
        }
    }
    trop_case_drop(c, "swing");
    return trop_case_put(c, "epsilon", most);
}

/* The same limsup, by swinging: epsilon is 0 again and again. */
static enum trop_status larger_swing(struct trop_case *c)
{
    enum trop_status status = larger_epsilon(c);
    const double half = .5 * trop_case_number(c, "epsilon");

    if (status == TROP_OK) {
        status = trop_case_put(c, "epsilon", half);
    }
    return status == TROP_OK ? trop_case_put(c, "swing", half) : status;
}

static const struct trop_spoil any_spoils[] = {
    { "limits shifted until a vertex is near the origin", NULL, shift },
    { "epsilon is the squared diameter of the limit", NULL, larger_epsilon },
    { "epsilon swings between 0 and that", NULL, larger_swing },
    { "gamma = 1.25", "step-size", trop_lm_draw_wrong_gamma },
    { "epsilon = -.1", "epsilon", trop_lm_draw_wrong_epsilon },
    { "no proof of the limits", "certified", trop_lm_draw_not_certified },
    { "all limits in one point", "several", gather },
    { 0 },
};

static const struct trop_spoil definite_spoils[] = {
    { "epsilon is the squared diameter of the limit", NULL, larger_epsilon },
    { "epsilon swings between 0 and that", NULL, larger_swing },
    { "gamma = 1.25", "step-size", trop_lm_draw_wrong_gamma },
    { "A = diag(1, ..., 1, -1)", "definite", trop_lm_draw_wrong_definite },
    { "no proof of the limits", "certified", trop_lm_draw_not_certified },
    { 0 },
};

static const struct trop_spoil align_spoils[] = {
    { "limits shifted until a vertex is near the origin", NULL, shift },
    { "gamma = 1.25", "step-size", trop_lm_draw_wrong_gamma },
    { "epsilon = -.1", "epsilon", trop_lm_draw_wrong_epsilon },
    { "all limits in one point", "several", gather },
    { 0 },
};

const struct trop_claim trop_lm_thm_t3 = {
    .id = "lm-thm-t3",
    .title = "vertices of the limit are epsilon-separated",
    .statement = "For a vertex v of the limit polytope and any other accumulation point w of a "
                 "token, <A v, v - w> is at least limsup eps(t), whatever A is.",
    .status = TROP_CLAIM_PROVED,
    .remark = "Read on runs whose limits are proved, with constant epsilon, epsilon = 0, and "
              "epsilon that swings as a + b cos t (limsup a + |b|).",
    .old_inputs = trop_lm_judge_inputs,
    .hypotheses = any_hypotheses,
    .old_draw = draw_any,
    .old_work = trop_lm_limits,
    .old_conclude = conclude_separation,
    .spoils = any_spoils,
    .trials = 200,
};

const struct trop_claim trop_lm_thm_t4a = {
    .id = "lm-thm-t4a",
    .title = "distance of two vertices of the limit",
    .statement = "With A positive definite two vertices of the limit polytope are at least "
                 "sqrt(2 limsup eps) apart in the norm of A, so that there are no more of them "
                 "than a packing of the cloud's ball has.",
    .status = TROP_CLAIM_PROVED,
    .remark = "Read on runs whose limits are proved. The packing bound is (1 + 2 R/s)^d.",
    .old_inputs = trop_lm_judge_inputs,
    .hypotheses = definite_hypotheses,
    .old_draw = draw,
    .old_work = trop_lm_limits,
    .old_conclude = conclude_distance,
    .spoils = definite_spoils,
    .trials = 200,
};

const struct trop_claim trop_lm_thm_t4d = {
    .id = "lm-thm-t4d",
    .title = "vertices of the limit are self-aligned",
    .statement = "Every vertex v of the limit polytope maximises <A v, y> over the polytope, for "
                 "every eps >= 0 and every A.",
    .status = TROP_CLAIM_PROVED,
    .remark = "Read on runs whose limits are proved; a linear function on the polytope is largest "
              "at a limit, so limits are all that is compared.",
    .old_inputs = trop_lm_judge_inputs,
    .hypotheses = any_hypotheses,
    .old_draw = draw_any,
    .old_work = trop_lm_limits,
    .old_conclude = conclude_alignment,
    .spoils = align_spoils,
    .trials = 200,
};
