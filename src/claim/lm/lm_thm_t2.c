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

#include "base/math/log.h"

#include <math.h>

enum { USE_KIND = 33 };

#define LONGEST 4000 /* steps after the sets have settled, at most */

/* Steps in which distances to the limits fall to 1e-8. */
static double steps_of(double rate)
{
    return rate > 0 && rate < 1 ? fmin(LONGEST, floor(trop_log(1e-8) / trop_log(rate)) + 1) : 1;
}

static void draw(struct trop_case *c)
{
    trop_lm_draw_cloud(c, trop_lm_draw_n(c, 4, 12), trop_lm_draw_d(c, 2, 3), .05, .6);
    if (trop_case_pick(c, USE_KIND, 0, 2)) {
        trop_lm_draw_matrix(c, 1, 0);
    }
}

static void work(struct trop_case *c)
{
    trop_lm_limits(c);
    if (trop_case_number(c, "certified") == 1) {
        trop_case_put(c, "steps",
                      trop_case_number(c, "since") + steps_of(trop_case_number(c, "rate")));
    }
    trop_lm_path(c);
}

/* ---- the conclusion ---- */

/* The largest distance of a row of x from the hull of the rows of y. */
static double excess(const struct trop_case *c, const double *x, const double *y)
{
    const struct trop_view limits = trop_case_view(c, "limits");
    void *mark = trop_case_mark(c);
    struct trop_hull *hull = trop_case_hull(c, y, limits.rows, limits.columns);
    double most = 0;

    for (int64_t i = 0; i < limits.rows; i++) {
        most = fmax(most, trop_case_place(c, hull, x + i * limits.columns).distance);
    }
    trop_case_release(c, mark);
    return most;
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view path = trop_case_view(c, "path");
    const int64_t steps = path.rows - 1;
    const double *limits = trop_case_array(c, "limits");
    const double rate = trop_case_number(c, "rate"), since = trop_case_number(c, "since");
    const double allowance = (double)(steps + 2) * trop_lm_step_error(c);
    double before = INFINITY, settled = INFINITY;

    for (int64_t t = 0; t <= steps; t++) {
        const double *x = trop_case_view_row(path, t);
        const double outside = excess(c, x, limits);
        trop_judge_at_most(judge, "distance of a limit from the hull", t, excess(c, limits, x), 0,
                           allowance);
        trop_judge_at_most(judge, "distance of the hull from its limit", t, outside, before,
                           allowance);
        before = outside;
        if ((double)t >= since) {
            trop_judge_at_most(judge, "the same, against the proved rate", t, outside, settled,
                               allowance);
            /* Every token shrinks its distance to its own limit by rate at least. */
            settled = rate * ((double)t == since ? trop_lm_way(c, t) : settled);
        }
    }
    /* Where the rate is so near 1 that the path is too short for it, or is 1 by rounding, nothing
     * is decided. */
    trop_judge_at_most(judge, "distance at the end", steps,
                       steps_of(rate) < LONGEST && (rate < 1 || before == 0) ? before : (double)NAN,
                       1e-3 * trop_tokens_diameter_of(trop_case_view_part(path, 0)), 0);
    trop_judge_at_most(judge, "vertices of the limit", -1, (double)trop_lm_points(c, 0).vertices,
                       (double)path.columns, 0);
}

const struct trop_claim trop_lm_thm_t2 = {
    .id = "lm-thm-t2",
    .title = "the hulls converge to a polytope",
    .statement = "The hulls K(t) of a localmax flow decrease to a convex polytope with no more "
                 "vertices than there are tokens, in Hausdorff distance.",
    .status = TROP_CLAIM_PROVED,
    .source = TROP_CLAIM_DERIVED,
    .remark = "Read on runs whose limits are proved: the hull of the limits lies in every K(t), "
              "the Hausdorff distance never rises, falls at the proved rate once the sets last, "
              "and ends below 1e-3 of the first diameter.",
    .inputs = "tokens A gamma epsilon swing ratio",
    .hypotheses = TROP_HYPOTHESES(TROP_LM_STEP_SIZE, TROP_LM_EPSILON, TROP_LM_CERTIFIED),
    .run = { draw, work, conclude },
    .spoils = TROP_SPOILS(
        { "the farthest limit is 1 percent farther out", NULL },
        { "the farthest token of the last step is 1e-6 farther out than before", NULL }),
    .trials = 60,
};
