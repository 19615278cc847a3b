/* lm_rem_alignment.c -- what the maximal alignment set still says of the limit, and what not.
 *
 * The vertices of the limit polytope are self-aligned: <A v, v> >= <A v, w> + eps for every other
 * limit w, so they are in the geometric maximal alignment set { v : <A v, v> = max over the
 * polytope }. Under hardmax they are places of leaders, which have stopped. With eps > 0 they are
 * means of groups, and no initial token need be there: for groups that are quiescent from step 0
 * the vertices are the means mu_k, and none is an initial token when no token is at the mean of a
 * group.
 *
 * Limits and certificate are the library's; means are computed here for the hypothesis only.
 */
#include "claim/lm/lm.h"

#include <math.h>

#define APART 1e-4

/* The least distance of a point from the tokens at step 0. */
static double nearest(const struct trop_case *c, const double *point)
{
    const struct trop_view x = trop_case_view(c, "tokens");
    double least = INFINITY;

    for (int64_t i = 0; i < x.rows; i++) {
        least = fmin(least, trop_tokens_distance(trop_case_view_row(x, i), point, x.columns));
    }
    return least;
}

static void apart(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_lm_partition p = trop_lm_groups(c);

    for (int64_t k = 0; k < p.groups; k++) {
        trop_judge_truth(judge, "no token is within 1e-4 of the mean of a group", 0,
                         nearest(c, p.means + k * p.d) > APART);
    }
}

/* ---- the conclusion ---- */

static void judge_vertex(struct trop_judge *judge, const struct trop_case *c,
                         const struct trop_lm_points *p, int64_t k)
{
    const double *v = p->at + k * p->d;

    for (int64_t l = 0; l < p->count; l++) {
        if (l != k) {
            trop_judge_at_least(judge, "<A v, v> against <A v, w> + eps", -1,
                                trop_lm_score(c, v, v),
                                trop_lm_score(c, v, p->at + l * p->d) + trop_lm_epsilon_limsup(c),
                                8 * trop_lm_score_error(c));
        }
    }
    trop_judge_at_least(judge, "distance of a vertex from the initial tokens", -1, nearest(c, v),
                        APART, 2 * trop_lm_step_error(c));
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_lm_points p = trop_lm_points(c, 1e-7);

    for (int64_t k = 0; k < p.count; k++) {
        if (p.is_vertex[k]) {
            judge_vertex(judge, c, &p, k);
        }
    }
    trop_judge_at_least(judge, "vertices of the limit", -1, (double)p.vertices, 1, 0);
}

const struct trop_claim trop_lm_rem_alignment = {
    .id = "lm-rem-alignment",
    .title = "vertices: aligned, but no initial tokens",
    .statement =
        "The vertices of the limit polytope are in the geometric maximal alignment set, by "
        "a margin eps, but need not be initial tokens: those of quiescent groups are "
        "their means.",
    .status = TROP_CLAIM_PROVED,
    .source = TROP_CLAIM_DERIVED,
    .remark = "That the set no longer describes the polytope is read as: for groups that are "
              "quiescent from the start and have no token at their mean, no vertex of the limit "
              "is an initial token.",
    .inputs = "tokens A gamma epsilon swing ratio",
    .hypotheses = TROP_HYPOTHESES(TROP_LM_STEP_SIZE, TROP_LM_QUIESCENT,
                                  { "apart", "no token is within 1e-4 of the mean of a group",
                                    .judge = apart, .broken = "a token at the mean of its group" },
                                  TROP_LM_CERTIFIED),
    .run = { trop_lm_draw_groups, trop_lm_limits, conclude },
    .spoils =
        TROP_SPOILS(/* As they would be for leaders. */
                    { "limits where the tokens began", NULL, .edit = "limits = tokens" },
                    { "limits at a quarter of their length", NULL, .edit = "limits *= .25" },
                    /* The others of its group do not hear it. */
                    { "a token at .3 of its length", "quiescent", .edit = "tokens[0] *= .3" }),
    .trials = 100,
};
