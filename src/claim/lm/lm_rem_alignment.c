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

#include "base/alloc.h"
#include "base/status.h"
#include "claim/tokens.h"

#include <math.h>

#define APART 1e-4

/* ---- hypotheses ---- */

/* The least distance of a point of y (m, d) from the tokens at step 0. */
static double nearest(const struct trop_case *c, const double *y)
{
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    double least = INFINITY;

    for (int64_t i = 0; i < n; i++) {
        least = fmin(least, trop_tokens_distance(trop_case_array(c, "tokens") + i * d, y, d));
    }
    return least;
}

static enum trop_status apart(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    struct trop_lm_partition partition;
    int64_t *labels = trop_alloc(n, sizeof *labels);
    double *mean = trop_alloc(d, sizeof *mean);
    const int has_room = labels && mean;

    if (has_room) {
        trop_lm_groups(&partition, labels, c, trop_case_array(c, "tokens"), trop_lm_epsilon_low(c),
                       trop_lm_epsilon_high(c));
        for (int64_t k = 0; k < partition.groups; k++) {
            trop_lm_mean(mean, trop_case_array(c, "tokens"), labels, k, n, d);
            trop_judge_truth(judge, "no token is within 1e-4 of the mean of a group", 0,
                             nearest(c, mean) > APART);
        }
    }
    trop_alloc_free(labels);
    trop_alloc_free(mean);
    return has_room ? TROP_OK : trop_fail(TROP_ERR_MEMORY, "no memory for labels");
}

static const struct trop_hypothesis hypotheses[] = {
    TROP_LM_STEP_SIZE,
    { "quiescent", "the sets at step 0 are a partition with Q1 and Q2", trop_lm_judge_partition,
      0 },
    { "apart", "no token is within 1e-4 of the mean of a group", apart, 0 },
    TROP_LM_CERTIFIED,
    { 0 },
};

/* ---- the conclusion ---- */

static void judge_vertex(struct trop_judge *judge, const struct trop_case *c, const double *points,
                         int64_t k, int64_t count)
{
    const int64_t d = trop_case_size(c, "tokens", 1);
    const double *A = trop_case_array(c, "A"), *v = points + k * d;
    const double error = 8 * trop_lm_score_error(c);

    for (int64_t l = 0; l < count; l++) {
        if (l != k) {
            trop_judge_at_least(
                judge, "<A v, v> against <A v, w> + eps", -1, trop_lm_form(A, v, v, d),
                trop_lm_form(A, v, points + l * d, d) + trop_lm_epsilon_limsup(c), error);
        }
    }
    trop_judge_at_least(judge, "distance of a vertex from the initial tokens", -1, nearest(c, v),
                        APART, 2 * trop_lm_step_error(c));
}

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "limits", 0), d = trop_case_size(c, "limits", 1);
    double *points = trop_alloc(n * d, sizeof *points);
    int64_t *flags = trop_alloc(n, sizeof *flags), count = 0, vertices = 0;
    enum trop_status status = points && flags ? trop_lm_vertices(points, flags, &count, c, 1e-7)
                                              : trop_fail(TROP_ERR_MEMORY, "no memory for limits");

    for (int64_t k = 0; k < count && status == TROP_OK; k++) {
        vertices += flags[k];
        if (flags[k]) {
            judge_vertex(judge, c, points, k, count);
        }
    }
    trop_judge_at_least(judge, "vertices of the limit", -1, (double)vertices, 1, 0);
    trop_alloc_free(points);
    trop_alloc_free(flags);
    return status;
}

/* ---- ways to be wrong ---- */

/* The limits become the tokens at step 0, as they would be for leaders. */
static enum trop_status stay(struct trop_case *c)
{
    const int64_t size = trop_case_size(c, "limits", 0) * trop_case_size(c, "limits", 1);

    for (int64_t k = 0; k < size; k++) {
        trop_case_array(c, "limits")[k] = trop_case_array(c, "tokens")[k];
    }
    return TROP_OK;
}

static enum trop_status shrink(struct trop_case *c)
{
    const int64_t size = trop_case_size(c, "limits", 0) * trop_case_size(c, "limits", 1);

    for (int64_t k = 0; k < size; k++) {
        trop_case_array(c, "limits")[k] *= .25;
    }
    return TROP_OK;
}

/* A token between the origin and its group: the others of the group do not hear it. */
static enum trop_status inward(struct trop_case *c)
{
    double *x = trop_case_array(c, "tokens");

    for (int64_t a = 0; a < trop_case_size(c, "tokens", 1); a++) {
        x[a] *= .3;
    }
    return TROP_OK;
}

/* The first token goes to the mean of the others of its group. */
static enum trop_status centre(struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    double *x = trop_case_array(c, "tokens");
    double count = 0;

    for (int64_t a = 0; a < d; a++) {
        double sum = 0;
        count = 0;
        for (int64_t i = 1; i < n; i++) {
            const int is_mate = trop_tokens_distance(x, x + i * d, d) < .3;
            sum += is_mate ? x[i * d + a] : 0;
            count += is_mate;
        }
        x[a] = count > 0 ? sum / count : x[a];
    }
    return TROP_OK;
}

static const struct trop_spoil spoils[] = {
    { "limits where the tokens began", NULL, stay },
    { "limits at a quarter of their length", NULL, shrink },
    { "gamma = 1.25", "step-size", trop_lm_draw_wrong_gamma },
    { "a token at .3 of its length", "quiescent", inward },
    { "a token at the mean of its group", "apart", centre },
    { "no proof of the limits", "certified", trop_lm_draw_not_certified },
    { 0 },
};

const struct trop_claim trop_lm_rem_alignment = {
    .id = "lm-rem-alignment",
    .title = "vertices: aligned, but no initial tokens",
    .statement =
        "The vertices of the limit polytope are in the geometric maximal alignment set, by "
        "a margin eps, but need not be initial tokens: those of quiescent groups are "
        "their means.",
    .status = TROP_CLAIM_PROVED,
    .remark = "That the set no longer describes the polytope is read as: for groups that are "
              "quiescent from the start and have no token at their mean, no vertex of the limit "
              "is an initial token.",
    .old_inputs = trop_lm_judge_inputs,
    .hypotheses = hypotheses,
    .old_draw = trop_lm_draw_groups,
    .old_work = trop_lm_limits,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 100,
};
