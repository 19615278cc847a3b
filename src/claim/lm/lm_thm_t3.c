/* lm_thm_t3.c -- vertices of the limit are separated, and what follows from it (T3, T4a, T4d).
 *
 *   T3   <A v, v - w> >= limsup eps      for a vertex v of the limit polytope K and any other point
 *                                        w that is a vertex of K or the limit of a token
 *   T4a  adding that of (w, v):  |v - w|_A >= sqrt(2 limsup eps), A positive definite, and so many
 *        points are no more than (1 + 2 R / s)^d, R the A-radius of the cloud, s that distance
 *        (balls of radius s/2 around them are disjoint, in a ball of radius R + s/2)
 *   T4d  v is in the geometric maximal alignment set: <A v, v> = max of <A v, y> over the polytope
 *
 * Proof of T3. Let f be linear with its only maximum over K at v, and M(t) = max_i f(x_i(t)), which
 * falls to f(v) since the hulls fall to K (T1, T2). Let i attain M(t+1). In
 *
 *   M(t) - M(t+1) = (1-gamma) (M(t) - f(x_i)) + gamma mean over C_i of (M(t) - f(x_j))
 *
 * no term is negative, and the left side tends to 0: so f(x_i(t)) and f(x_j(t)) for all j in C_i(t)
 * tend to f(v), and x_i and all its neighbours to v. The largest score of i is with a neighbour,
 * and tends to <A v, v>. A token that is away from v is no neighbour: its score with i is below the
 * largest by more than eps(t). Near a vertex w of K there is a token at all late steps, since the
 * hulls contain w, and w is not in the hull of the points of K that are away from it; near the
 * limit of a token there is that token. Its score tends to <A v, w>; take the steps along which
 * eps(t) tends to its limsup.
 *
 * For any other accumulation point w this gives limsup eps(t_k), along the steps t_k at which a
 * token is near w. That may be less when epsilon varies; whether it can be is open, with the
 * convergence of all tokens.
 *
 * The limits are those of a run of the library that proves them, with groups that last or with
 * tokens at rest between groups; epsilon is constant, 0, or swings as a + b cos t, whose limsup is
 * a + |b|. Limits closer than 1e-7 R are one point, and a vertex is farther than that from the hull
 * of the others. A limit is off by rounding of the steps before it, at most (since + 1) of them,
 * and the form <A v, v - w> by 4 |A| R times that.
 */
#include "claim/lm/lm.h"

#include "base/math/pow.h"

#include <math.h>

enum { USE_KIND = 33, USE_SWING, USE_TIGHT };

#define NEAR 1e-7

/* ---- the instance ---- */

/* Two tokens (h, s) and (h, -s): each is alone in its set for epsilon below <v, v - w> = 2 s^2, and
 * is so from .1 to 10 percent: both bounds are nearly attained. */
static void draw_tight(struct trop_case *c)
{
    const double s = .3 + trop_case_uniform(c, USE_TIGHT, 0),
                 h = trop_case_uniform(c, USE_TIGHT, 1), x[] = { h, s, h, -s };

    trop_case_copy_in(c, "tokens", x, 2, 2, 0);
    trop_case_default(c, "epsilon",
                      2 * s * s * (1 - .001 - .1 * trop_case_uniform(c, USE_TIGHT, 2)));
    trop_lm_draw_cloud(c, 2, 2, 0, 0);
}

/* A cloud with epsilon that is constant, swings, or is 0; skew is that of a drawn A. */
static void draw_cloud(struct trop_case *c, int64_t kind, double skew)
{
    trop_lm_draw_cloud(c, trop_lm_draw_n(c, 5, 12), trop_lm_draw_d(c, 2, 3), kind == 3 ? 0 : .02,
                       kind == 3 ? 0 : .4);
    if (kind == 2 && !trop_case_has(c, "ratio")) {
        trop_case_default(c, "swing",
                          .5 * trop_case_number(c, "epsilon") * trop_case_uniform(c, USE_SWING, 0));
    }
    if (trop_case_pick(c, USE_KIND, 0, 2)) {
        trop_lm_draw_matrix(c, 1, skew);
    }
}

/* The kinds of clouds take turns. */
static void draw_kind(struct trop_case *c, double skew)
{
    const int64_t kind = c->trial % 4;

    if (kind == 1 && !trop_case_has(c, "tokens") && !trop_case_has(c, "A")) {
        draw_tight(c);
    } else {
        draw_cloud(c, kind, skew);
    }
}

static void draw(struct trop_case *c)
{
    draw_kind(c, 0);
}

static void draw_any(struct trop_case *c)
{
    draw_kind(c, .3);
}

/* ---- the conclusions ---- */

enum about { SEPARATION, DISTANCE, ALIGNMENT };

/* A pair v, w of distinct limits, v a vertex; is_vertex says whether w is one too. */
static void judge_pair(struct trop_judge *judge, const struct trop_case *c, enum about about,
                       const double *v, const double *w, int64_t is_vertex)
{
    const double allowance = 4 * trop_lm_size(c) * trop_lm_radius(c) * trop_lm_step_error(c) *
                                 (trop_case_number(c, "since") + 2) +
                             4 * trop_lm_score_error(c);
    const double eps = trop_lm_epsilon_limsup(c);

    switch (about) {
    case SEPARATION:
        trop_judge_at_least(judge,
                            is_vertex ? "<A v, v - w> of two vertices"
                                      : "<A v, v - w>, w a limit that is no vertex",
                            -1, trop_lm_lead(c, v, w), eps, allowance);
        break;
    case DISTANCE: /* |v - w|_A^2 is the sum of the two leads */
        trop_judge_at_least(judge, "|v - w|_A^2", -1, trop_lm_lead(c, v, w) + trop_lm_lead(c, w, v),
                            2 * eps, 2 * allowance);
        break;
    case ALIGNMENT:
        trop_judge_at_least(judge, "<A v, v> against <A v, w>", -1, trop_lm_score(c, v, v),
                            trop_lm_score(c, v, w), allowance);
        break;
    }
}

/* Judges all pairs; returns how many vertices there are. */
static double judge_pairs(struct trop_judge *judge, const struct trop_case *c, enum about about)
{
    const struct trop_lm_points p = trop_lm_points(c, NEAR * trop_lm_radius(c));

    for (int64_t k = 0; k < p.count; k++) {
        for (int64_t l = 0; l < p.count; l++) {
            if (l != k && p.is_vertex[k] && (about != DISTANCE || p.is_vertex[l])) {
                judge_pair(judge, c, about, p.at + k * p.d, p.at + l * p.d, p.is_vertex[l]);
            }
        }
    }
    return (double)p.vertices;
}

static void conclude_separation(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_least(judge, "vertices", -1, judge_pairs(judge, c, SEPARATION), 1, 0);
}

static void conclude_alignment(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_least(judge, "vertices", -1, judge_pairs(judge, c, ALIGNMENT), 1, 0);
}

static void conclude_distance(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view x = trop_case_view(c, "tokens");
    const double s = sqrt(2 * trop_lm_epsilon_limsup(c));
    double R = 0;

    for (int64_t i = 0; i < x.rows; i++) {
        const double *point = trop_case_view_row(x, i);
        R = fmax(R, sqrt(trop_lm_score(c, point, point)));
    }
    trop_judge_at_most(judge, "vertices against the packing bound", -1,
                       judge_pairs(judge, c, DISTANCE),
                       s > 0 ? trop_pow(1 + 2 * R / s, (double)x.columns) : INFINITY, 0);
}

/* ---- hypotheses, and ways to be wrong ---- */

static void several(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_truth(judge, "there are two limits", -1,
                     trop_tokens_diameter_of(trop_case_view(c, "limits")) > NEAR);
}

/* clang-format off */
#define SEVERAL \
    { "several", "the limit has several points", .judge = several, .late = 1, \
      .broken = "all limits in one point", .edit = "limits = 0" }
#define SHIFTED { "limits shifted until a vertex is near the origin", NULL }
#define LARGER { "epsilon is the squared diameter of the limit", NULL }
#define SWINGING { "epsilon swings between 0 and that", NULL }
/* clang-format on */

static const struct trop_hypothesis any_hypotheses[] = {
    TROP_LM_STEP_SIZE, TROP_LM_EPSILON, TROP_LM_CERTIFIED, SEVERAL, { 0 },
};

const struct trop_claim trop_lm_thm_t3 = {
    .id = "lm-thm-t3",
    .title = "vertices of the limit are epsilon-separated",
    .statement =
        "For a vertex v of the limit polytope and any other point w that is a vertex of it "
        "or the limit of a token, <A v, v - w> is at least limsup eps(t), whatever A is.",
    .status = TROP_CLAIM_PROVED,
    .source = TROP_CLAIM_DERIVED,
    .remark =
        "Read on runs whose limits are proved, with constant epsilon, epsilon = 0, and "
        "epsilon that swings as a + b cos t (limsup a + |b|). For an accumulation point w of a "
        "token that does not converge, the proof gives limsup eps(t_k) along the steps at "
        "which the token is near w; whether limsup eps(t) holds there is open.",
    .inputs = "tokens A gamma epsilon swing ratio",
    .hypotheses = any_hypotheses,
    .run = { draw_any, trop_lm_limits, conclude_separation },
    .spoils =
        TROP_SPOILS(SHIFTED, LARGER, SWINGING,
                    { "a token ends so near a vertex that only half of epsilon parts them", NULL }),
    .trials = 200,
};

const struct trop_claim trop_lm_thm_t4a = {
    .id = "lm-thm-t4a",
    .title = "distance of two vertices of the limit",
    .statement = "With A positive definite two vertices of the limit polytope are at least "
                 "sqrt(2 limsup eps) apart in the norm of A, so that there are no more of them "
                 "than a packing of the cloud's ball has.",
    .status = TROP_CLAIM_PROVED,
    .source = TROP_CLAIM_DERIVED,
    .remark = "Read on runs whose limits are proved. The packing bound is (1 + 2 R/s)^d.",
    .inputs = "tokens A gamma epsilon swing ratio",
    .hypotheses = TROP_HYPOTHESES(TROP_LM_STEP_SIZE, TROP_LM_EPSILON, TROP_LM_DEFINITE,
                                  TROP_LM_CERTIFIED, SEVERAL),
    .run = { draw, trop_lm_limits, conclude_distance },
    .spoils = TROP_SPOILS(LARGER, SWINGING),
    .trials = 200,
};

const struct trop_claim trop_lm_thm_t4d = {
    .id = "lm-thm-t4d",
    .title = "vertices of the limit are self-aligned",
    .statement = "Every vertex v of the limit polytope maximises <A v, y> over the polytope, for "
                 "every eps >= 0 and every A.",
    .status = TROP_CLAIM_PROVED,
    .source = TROP_CLAIM_DERIVED,
    .remark = "Read on runs whose limits are proved; a linear function on the polytope is largest "
              "at a limit, so limits are all that is compared.",
    .inputs = "tokens A gamma epsilon swing ratio",
    .hypotheses = any_hypotheses,
    .run = { draw_any, trop_lm_limits, conclude_alignment },
    .spoils = TROP_SPOILS(SHIFTED),
    .trials = 200,
};
