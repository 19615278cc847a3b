/* lm_thm_t6.c -- localmax does not converge in finite time.
 *
 * Two tokens with the same neighbour set have the same average, so their difference shrinks by
 * exactly 1 - gamma: distinct ones never merge. In a quiescent group with two places every token
 * keeps moving, and a vertex x_i(t) of K(t) that belongs to such a group is outside K(t+1): it
 * could be in it only as a token of step t+1, and a convex combination that gives a vertex has
 * nothing else in it.
 *
 * Half of the draws are clouds, on which the first part is read at every step; half are groups that
 * are quiescent from step 0, on which the hull is looked at too, as long as the groups are wider
 * than 1e-6 (that a vertex is outside is then proved by trop_hull_place, far above rounding).
 */
#include "claim/lm/lm.h"

#include "base/alloc.h"
#include "base/status.h"
#include "claim/tokens.h"

#include <math.h>

enum { USE_SIZE = 32 };

#define WIDE 1e-6

static enum trop_status draw(struct trop_case *c)
{
    if (c->trial % 2) {
        return trop_lm_draw_groups(c);
    }
    return trop_lm_draw_cloud(c, 6 + trop_case_pick(c, USE_SIZE, 0, 7),
                              2 + trop_case_pick(c, USE_SIZE, 1, 2), .1, .5);
}

/* ---- pairs with the same set ---- */

static int same_set(const int64_t *sets, int64_t i, int64_t j, int64_t n)
{
    int same = 1;

    for (int64_t l = 0; l < n; l++) {
        same = same && sets[i * n + l] >= 0 && sets[i * n + l] == sets[j * n + l];
    }
    return same;
}

/* The number of pairs at step t; with judge not NULL also judges a line for each. */
static int64_t pairs_of(struct trop_judge *judge, const struct trop_case *c, const int64_t *sets,
                        int64_t t)
{
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    const double *x = trop_case_array(c, "path") + t * n * d, *y = x + n * d;
    const double shrink = 1 - trop_case_number(c, "gamma"), error = 2 * trop_lm_step_error(c);
    int64_t pairs = 0;

    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < i; j++) {
            double squares = 0;
            if (!same_set(sets, i, j, n) ||
                !(trop_tokens_distance(x + i * d, x + j * d, d) * shrink > 1e3 * error)) {
                continue;
            }
            pairs++;
            for (int64_t a = 0; a < d; a++) {
                const double gap = y[i * d + a] - y[j * d + a];
                const double expected = shrink * (x[i * d + a] - x[j * d + a]);
                squares += (gap - expected) * (gap - expected);
            }
            if (judge) {
                trop_judge_at_most(judge, "difference from (1-gamma) of the one before", t + 1,
                                   sqrt(squares), 0, error);
                trop_judge_truth(judge, "tokens with one set stay apart", t + 1,
                                 trop_tokens_distance(y + i * d, y + j * d, d) > 0);
            }
        }
    }
    return pairs;
}

static enum trop_status all_pairs(int64_t *pairs, struct trop_judge *judge,
                                  const struct trop_case *c)
{
    const int64_t steps = trop_case_size(c, "path", 0) - 1;
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    int64_t *sets = trop_alloc(n * n, sizeof *sets);

    *pairs = 0;
    if (!sets) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for sets");
    }
    for (int64_t t = 0; t < steps; t++) {
        trop_lm_sets(sets, c, trop_case_array(c, "path") + t * n * d, trop_lm_epsilon(c, t));
        *pairs += pairs_of(judge, c, sets, t);
    }
    trop_alloc_free(sets);
    return TROP_OK;
}

static enum trop_status some_pair(struct trop_judge *judge, const struct trop_case *c)
{
    int64_t pairs = 0;
    enum trop_status status = all_pairs(&pairs, NULL, c);

    trop_judge_truth(judge, "two distinct tokens have one set at some step", -1, pairs > 0);
    return status;
}

static const struct trop_hypothesis hypotheses[] = {
    TROP_LM_STEP_SIZE,
    TROP_LM_POSITIVE,
    { "pair", "two distinct tokens have the same neighbour set at some step", some_pair, 1 },
    { 0 },
};

/* ---- the hull of quiescent groups ---- */

/* The largest distance of token i to another of its group. */
static double width_at(const double *x, const int64_t *labels, int64_t i, int64_t n, int64_t d)
{
    double most = 0;

    for (int64_t j = 0; j < n; j++) {
        if (labels[j] == labels[i]) {
            most = fmax(most, trop_tokens_distance(x + i * d, x + j * d, d));
        }
    }
    return most;
}

static enum trop_status judge_vertices(struct trop_judge *judge, const double *x,
                                       const int64_t *labels, int64_t t, int64_t n, int64_t d)
{
    struct trop_hull *now = NULL, *next = NULL;
    struct trop_hull_position place;
    const int64_t *list = NULL;
    enum trop_status status = trop_hull_create(&now, x, n, d, 1);

    if (status == TROP_OK) {
        status = trop_hull_create(&next, x + n * d, n, d, 1);
    }
    const int64_t count = status == TROP_OK ? trop_hull_vertices(&list, now) : 0;
    for (int64_t k = 0; k < count && status == TROP_OK; k++) {
        if (width_at(x, labels, list[k], n, d) > WIDE) {
            status = trop_hull_place(&place, NULL, NULL, NULL, next, x + list[k] * d);
            trop_judge_truth(judge, "a vertex is outside the hull of the next step", t,
                             place.lower > 0);
        }
    }
    trop_hull_free(now);
    trop_hull_free(next);
    return status;
}

static enum trop_status judge_hulls(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t steps = trop_case_size(c, "path", 0) - 1;
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    const double error = 4 * trop_lm_score_error(c);
    int64_t *labels = trop_alloc(n, sizeof *labels);
    struct trop_lm_partition partition;
    enum trop_status status = TROP_OK;

    if (!labels) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for labels");
    }
    trop_lm_groups(&partition, labels, c, trop_case_array(c, "path"), trop_lm_epsilon_low(c),
                   trop_lm_epsilon_high(c));
    const int is_quiescent = partition.q1 > error && partition.q2 > error;
    for (int64_t t = 0; t < steps && is_quiescent && status == TROP_OK; t++) {
        status = judge_vertices(judge, trop_case_array(c, "path") + t * n * d, labels, t, n, d);
    }
    trop_alloc_free(labels);
    return status;
}

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    int64_t pairs = 0;
    enum trop_status status = all_pairs(&pairs, judge, c);

    return status == TROP_OK ? judge_hulls(judge, c) : status;
}

/* ---- ways to be wrong ---- */

/* The tokens stop, as if they had arrived. */
static enum trop_status freeze(struct trop_case *c)
{
    double *path = trop_case_array(c, "path");
    const int64_t steps = trop_case_size(c, "path", 0) - 1;
    const int64_t state = trop_case_size(c, "path", 1) * trop_case_size(c, "path", 2);

    for (int64_t t = 6; t <= steps; t++) {
        for (int64_t k = 0; k < state; k++) {
            path[t * state + k] = path[5 * state + k];
        }
    }
    return TROP_OK;
}

/* All tokens are put in one place, so that there is no pair of distinct ones. */
static enum trop_status alone(struct trop_case *c)
{
    double *path = NULL;
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    enum trop_status status = trop_case_make(&path, c, "path", 2, n, d);

    for (int64_t k = 0; status == TROP_OK && k < 2 * n * d; k++) {
        path[k] = trop_case_array(c, "tokens")[k % d];
    }
    return status;
}

static const struct trop_spoil spoils[] = {
    { "the path of gamma + 1e-6", NULL, trop_lm_draw_other_gamma },
    { "the path stands still from step 5 on", NULL, freeze },
    { "gamma = 1.25", "step-size", trop_lm_draw_wrong_gamma },
    { "epsilon = -.1", "epsilon", trop_lm_draw_wrong_epsilon },
    { "all tokens in one place", "pair", alone },
    { 0 },
};

const struct trop_claim trop_lm_thm_t6 = {
    .id = "lm-thm-t6",
    .title = "no convergence in finite time",
    .statement = "Two tokens with the same neighbour set never merge, their difference shrinking "
                 "by exactly 1 - gamma, and the hull of quiescent groups with two places shrinks "
                 "strictly at every step.",
    .status = TROP_CLAIM_PROVED,
    .remark = "Read over the steps of the path while distances are far above rounding: in double "
              "arithmetic tokens do merge in the end.",
    .old_inputs = trop_lm_judge_inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = trop_lm_flow,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 60,
};
