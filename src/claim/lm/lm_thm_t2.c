/* lm_thm_t2.c -- the hulls converge to a polytope.
 *
 * K(t) decreases, so it converges in Hausdorff distance to the intersection of all K(t), which is
 * the hull of the limits of the tokens along a subsequence: at most n vertices. On a run whose
 * limits are proved the intersection is known: conv(limits). What is looked at, at every step t:
 *
 *   - every limit is in K(t), so conv(limits) is in K(t);
 *   - the Hausdorff distance, max_i dist(x_i(t), conv(limits)), does not rise;
 *   - once the sets last, it falls as rate^(t - since), and at the end it is below 1e-3 of the
 *     diameter at step 0;
 *   - the vertices of the limit are no more than the tokens.
 *
 * Limits of the library are within (t + 1) steps' rounding of exact ones, t = since.
 */
#include "claim/lm/lm.h"

#include "base/alloc.h"
#include "base/math/log.h"
#include "base/status.h"
#include "claim/tokens.h"

#include <math.h>

enum { USE_SIZE = 32, USE_KIND };

#define LONGEST 4000 /* steps after the sets have settled, at most */

/* Steps in which distances to the limits fall to 1e-8. */
static double steps_of(double rate)
{
    return rate > 0 && rate < 1 ? fmin(LONGEST, floor(trop_log(1e-8) / trop_log(rate)) + 1) : 1;
}

static enum trop_status draw(struct trop_case *c)
{
    enum trop_status status = trop_lm_draw_cloud(c, 4 + trop_case_pick(c, USE_SIZE, 0, 9),
                                                 2 + trop_case_pick(c, USE_SIZE, 1, 2), .05, .6);

    if (status == TROP_OK && trop_case_pick(c, USE_KIND, 0, 2)) {
        status = trop_lm_draw_definite(c);
    }
    return status;
}

static enum trop_status work(struct trop_case *c)
{
    enum trop_status status = trop_lm_limits(c);

    if (status == TROP_OK && trop_case_number(c, "certified") == 1) {
        status = trop_case_put(
            c, "steps", trop_case_number(c, "since") + steps_of(trop_case_number(c, "rate")));
    }
    return status == TROP_OK ? trop_lm_flow(c) : status;
}

static const struct trop_hypothesis hypotheses[] = {
    TROP_LM_STEP_SIZE,
    TROP_LM_EPSILON,
    TROP_LM_CERTIFIED,
    { 0 },
};

/* ---- the conclusion ---- */

/* The largest distance of a row of x from the hull of the rows of y. */
static enum trop_status excess(double *out, const double *x, const double *y, int64_t n, int64_t d)
{
    struct trop_hull *hull = NULL;
    struct trop_hull_position place = { 0 };
    enum trop_status status = trop_hull_create(&hull, y, n, d, 1);

    *out = 0;
    for (int64_t i = 0; i < n && status == TROP_OK; i++) {
        status = trop_hull_place(&place, NULL, NULL, NULL, hull, x + i * d);
        *out = fmax(*out, place.distance);
    }
    trop_hull_free(hull);
    return status;
}

static enum trop_status count_vertices(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "limits", 0), d = trop_case_size(c, "limits", 1);
    double *points = trop_alloc(n * d, sizeof *points);
    int64_t *flags = trop_alloc(n, sizeof *flags), count = 0, vertices = 0;
    enum trop_status status = TROP_OK;

    if (!points || !flags) {
        status = trop_fail(TROP_ERR_MEMORY, "no memory for %lld limits", (long long)n);
    } else {
        status = trop_lm_vertices(points, flags, &count, c, 0);
    }
    for (int64_t k = 0; k < count && status == TROP_OK; k++) {
        vertices += flags[k];
    }
    if (status == TROP_OK) {
        trop_judge_at_most(judge, "vertices of the limit", -1, (double)vertices, (double)n, 0);
    }
    trop_alloc_free(points);
    trop_alloc_free(flags);
    return status;
}

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t steps = trop_case_size(c, "path", 0) - 1;
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    const double *path = trop_case_array(c, "path"), *limits = trop_case_array(c, "limits");
    const double rate = trop_case_number(c, "rate"), since = trop_case_number(c, "since");
    double before = INFINITY, settled = INFINITY, inside = 0, outside = 0;
    enum trop_status status = TROP_OK;

    for (int64_t t = 0; t <= steps && status == TROP_OK; t++) {
        const double allowance = (double)(steps + 2) * trop_lm_step_error(c);
        status = excess(&inside, limits, path + t * n * d, n, d);
        if (status == TROP_OK) {
            status = excess(&outside, path + t * n * d, limits, n, d);
        }
        trop_judge_at_most(judge, "distance of a limit from the hull", t, inside, 0, allowance);
        trop_judge_at_most(judge, "distance of the hull from its limit", t, outside, before,
                           allowance);
        before = outside;
        if ((double)t >= since) {
            trop_judge_at_most(judge, "the same, against the proved rate", t, outside, settled,
                               allowance);
            /* Every token shrinks its distance to its own limit by rate at least. */
            double farthest = 0;
            for (int64_t i = 0; i < n && (double)t == since; i++) {
                farthest =
                    fmax(farthest, trop_tokens_distance(path + (t * n + i) * d, limits + i * d, d));
            }
            settled = rate * ((double)t == since ? farthest : settled);
        }
    }
    /* Where the rate is so near 1 that the path is too short for it, nothing is decided. */
    trop_judge_at_most(judge, "distance at the end", steps,
                       steps_of(rate) < LONGEST ? before : (double)NAN,
                       1e-3 * trop_tokens_diameter(path, n, d), 0);
    return status == TROP_OK ? count_vertices(judge, c) : status;
}

/* ---- ways to be wrong ---- */

static enum trop_status move_limit(struct trop_case *c)
{
    double *limits = trop_case_array(c, "limits");
    const int64_t n = trop_case_size(c, "limits", 0), d = trop_case_size(c, "limits", 1);
    int64_t far = 0;

    for (int64_t i = 1; i < n; i++) {
        far = trop_tokens_radius(limits + i * d, 1, d) > trop_tokens_radius(limits + far * d, 1, d)
                  ? i
                  : far;
    }
    for (int64_t a = 0; a < d; a++) {
        limits[far * d + a] *= 1 + 1e-2;
    }
    return TROP_OK;
}

static const struct trop_spoil spoils[] = {
    { "the farthest limit is 1 percent farther out", NULL, move_limit },
    { "the farthest token of the last step is 1e-6 farther out than before", NULL,
      trop_lm_draw_move_token },
    { "gamma = 1.25", "step-size", trop_lm_draw_wrong_gamma },
    { "epsilon = -.1", "epsilon", trop_lm_draw_wrong_epsilon },
    { "no proof of the limits", "certified", trop_lm_draw_not_certified },
    { 0 },
};

const struct trop_claim trop_lm_thm_t2 = {
    .id = "lm-thm-t2",
    .title = "the hulls converge to a polytope",
    .statement = "The hulls K(t) of a localmax flow decrease to a convex polytope with no more "
                 "vertices than there are tokens, in Hausdorff distance.",
    .status = TROP_CLAIM_PROVED,
    .remark = "Read on runs whose limits are proved: the hull of the limits lies in every K(t), "
              "the Hausdorff distance never rises, falls at the proved rate once the sets last, "
              "and ends below 1e-3 of the first diameter.",
    .old_inputs = trop_lm_judge_inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 60,
};
