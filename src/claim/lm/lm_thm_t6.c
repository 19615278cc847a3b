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

#include <math.h>

#define WIDE 1e-6

static void draw(struct trop_case *c)
{
    if (c->trial % 2) {
        trop_lm_draw_groups(c);
    } else {
        trop_lm_draw_cloud(c, trop_lm_draw_n(c, 6, 12), trop_lm_draw_d(c, 2, 3), .1, .5);
    }
}

/* ---- pairs with the same set ---- */

/* Whether two rows of sets agree, with no pair in doubt. */
static int is_same_set(const int64_t *one, const int64_t *other, int64_t n)
{
    int64_t same = 0;

    for (int64_t l = 0; l < n; l++) {
        same += one[l] >= 0 && one[l] == other[l];
    }
    return same == n;
}

/* Judges the pairs of all steps whose distance is far above rounding. */
static void judge_pairs(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view path = trop_case_view(c, "path");
    const int64_t n = path.columns;
    const double shrink = 1 - trop_case_number(c, "gamma"), error = 2 * trop_lm_step_error(c);

    for (int64_t t = 0; t + 1 < path.rows; t++) {
        const int64_t *sets = trop_lm_sets(c, t);
        for (int64_t k = 0; k < n * n; k++) {
            const int64_t i = k / n, j = k % n;
            if (j >= i || !is_same_set(sets + i * n, sets + j * n, n) ||
                !(trop_lm_gap(path, t, i, j) * shrink > 1e3 * error)) {
                continue;
            }
            trop_judge_at_most(
                judge, "difference from (1-gamma) of the one before", t + 1,
                trop_lm_miss(trop_lm_token(path, t + 1, i), trop_lm_token(path, t + 1, j), shrink,
                             trop_lm_token(path, t, i), trop_lm_token(path, t, j), path.depth),
                0, error);
            trop_judge_truth(judge, "tokens with one set stay apart", t + 1,
                             trop_lm_gap(path, t + 1, i, j) > 0);
        }
    }
}

static void some_pair(struct trop_judge *judge, const struct trop_case *c)
{
    struct trop_judge aside = { 0 };

    judge_pairs(&aside, c);
    trop_judge_truth(judge, "two distinct tokens have one set at some step", -1, aside.count > 0);
}

/* ---- the hull of quiescent groups ---- */

/* The largest distance of token i to another of its group. */
static double width_at(const double *x, const struct trop_lm_partition *p, int64_t i)
{
    double most = 0;

    for (int64_t j = 0; j < p->n; j++) {
        if (p->labels[j] == p->labels[i]) {
            most = fmax(most, trop_tokens_distance(x + i * p->d, x + j * p->d, p->d));
        }
    }
    return most;
}

static void judge_hulls(struct trop_judge *judge, const struct trop_case *c,
                        const struct trop_lm_partition *p)
{
    const struct trop_view path = trop_case_view(c, "path");

    for (int64_t t = 0; t + 1 < path.rows; t++) {
        const double *x = trop_case_view_row(path, t);
        const int64_t *list = NULL;
        void *mark = trop_case_mark(c);
        struct trop_hull *next = trop_case_hull(c, trop_case_view_row(path, t + 1), p->n, p->d);
        const int64_t count = trop_hull_vertices(&list, trop_case_hull(c, x, p->n, p->d));
        for (int64_t k = 0; k < count; k++) {
            if (width_at(x, p, list[k]) > WIDE) {
                trop_judge_truth(judge, "a vertex is outside the hull of the next step", t,
                                 trop_case_place(c, next, x + list[k] * p->d).lower > 0);
            }
        }
        trop_case_release(c, mark);
    }
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_lm_partition p = trop_lm_groups(c);
    const double error = 4 * trop_lm_score_error(c);

    judge_pairs(judge, c);
    if (p.q1 > error && p.q2 > error) {
        judge_hulls(judge, c, &p);
    }
}

const struct trop_claim trop_lm_thm_t6 = {
    .id = "lm-thm-t6",
    .title = "no convergence in finite time",
    .statement = "Two tokens with the same neighbour set never merge, their difference shrinking "
                 "by exactly 1 - gamma, and the hull of quiescent groups with two places shrinks "
                 "strictly at every step.",
    .status = TROP_CLAIM_PROVED,
    .source = TROP_CLAIM_DERIVED,
    .remark = "Read over the steps of the path while distances are far above rounding: in double "
              "arithmetic tokens do merge in the end.",
    .inputs = "tokens A gamma epsilon swing ratio steps",
    .hypotheses = TROP_HYPOTHESES(
        TROP_LM_STEP_SIZE, TROP_LM_POSITIVE,
        { "pair", "two distinct tokens have the same neighbour set at some step",
          .judge = some_pair, .late = 1, .broken = "all tokens in one place", .edit = "path = 0" }),
    .run = { draw, trop_lm_path, conclude },
    .spoils = TROP_SPOILS({ "the path of gamma + 1e-6", NULL, .edit = "work with gamma += 1e-6" },
                          { "the path stands still from step 5 on", NULL }),
    .trials = 60,
};
