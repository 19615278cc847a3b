/* lm_thm_t13.c -- tokens near a vertex of the limit become one clique.
 *
 * Let v be a vertex of the limit with <A v, v - w> > eps for every other accumulation point w of a
 * token, eps constant > 0. Take eta so small that, with |A| its size,
 *
 *   2 eta |A| (|v| + eta) <= eps                                     (near v scores differ little)
 *   <A v, v - w> - |A| eta (|v - w| + 2 (|v| + eta)) > eps           (those near w are not heard)
 *
 * Once every token is within eta of its limit and stays so, the tokens near v, all of those that
 * converge to v, hear each other and no one else: C_i is the same set G for all of them, they go to
 * the mean of G by 1 - gamma a step, and no token leaves or joins. So the read claim is, on a run
 * whose limits are proved: from the first such step t1 of the path on, for every strict vertex v,
 * C_i = G for i in G, and x_i - x_j shrinks by exactly 1 - gamma inside G.
 */
#include "claim/lm/lm.h"

#include <math.h>

#define NEAR 1e-7
#define MORE 60 /* steps of the path after the sets are proved to last */

static void draw(struct trop_case *c)
{
    trop_lm_draw_cloud(c, trop_lm_draw_n(c, 6, 13), trop_lm_draw_d(c, 2, 3), .05, .3);
}

static void work(struct trop_case *c)
{
    trop_lm_limits(c);
    if (trop_case_number(c, "certified") == 1) {
        trop_case_put(c, "steps", trop_case_number(c, "since") + MORE);
    }
    trop_lm_path(c);
}

/* ---- eta, and the step from which on tokens are that near ---- */

/* eta of point k, halved until it is small enough; 0 when it is not a strict vertex. */
static double radius_of(const struct trop_case *c, const struct trop_lm_points *p, int64_t k)
{
    const double *v = p->at + k * p->d, eps = trop_case_number(c, "epsilon");
    const double size = trop_lm_size(c), length = trop_tokens_norm(v, p->d);
    double eta = p->is_vertex[k] ? 1 : 0;

    for (int64_t turn = 0; turn < 40 && eta > 0; turn++, eta /= 2) {
        int is_small = 2 * eta * size * (length + eta) <= eps;
        for (int64_t l = 0; l < p->count && is_small; l++) {
            const double *w = p->at + l * p->d, gap = trop_tokens_distance(v, w, p->d);
            const double lead = trop_lm_lead(c, v, w);
            is_small = gap <= NEAR || lead - size * eta * (gap + 2 * (length + eta)) > eps;
        }
        if (is_small) {
            return eta;
        }
    }
    return 0;
}

/* The first step from which on every token of the path is within eta of its limit; path.rows when
 * there is none. */
static int64_t arrival(const struct trop_case *c, double eta)
{
    int64_t t = trop_case_size(c, "path", 0);

    while (t > 0 && trop_lm_way(c, t - 1) <= eta) {
        t--;
    }
    return t;
}

/* ---- the conclusion ---- */

/* Step t of the clique of the vertex v. */
static void judge_clique(struct trop_judge *judge, const struct trop_case *c, const double *v,
                         int64_t t)
{
    const struct trop_view path = trop_case_view(c, "path"), limits = trop_case_view(c, "limits");
    const int64_t n = path.columns, d = path.depth, *sets = trop_lm_sets(c, t);
    const double shrink = 1 - trop_case_number(c, "gamma"), error = trop_lm_step_error(c);
    int64_t *is_mate = trop_case_scratch_integers(c, n);

    for (int64_t i = 0; i < n; i++) {
        is_mate[i] = trop_tokens_distance(trop_case_view_row(limits, i), v, d) <= NEAR;
    }
    for (int64_t i = 0; i < n; i++) {
        int64_t wrong = 0;
        for (int64_t j = 0; j < n && is_mate[i]; j++) {
            wrong += sets[i * n + j] >= 0 && sets[i * n + j] != is_mate[j];
            if (is_mate[j] && t + 1 < path.rows) {
                trop_judge_near(judge, "distance inside the clique against (1-gamma) of it", t + 1,
                                trop_lm_gap(path, t + 1, i, j), shrink * trop_lm_gap(path, t, i, j),
                                4 * error);
            }
        }
        trop_judge_at_most(judge, "tokens that the clique has wrong", t, (double)wrong, 0, 0);
    }
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t rows = trop_case_size(c, "path", 0);
    const struct trop_lm_points p = trop_lm_points(c, NEAR);

    for (int64_t k = 0; k < p.count; k++) {
        const double eta = radius_of(c, &p, k);
        for (int64_t t = eta > 0 ? arrival(c, eta) : rows; t < rows; t++) {
            void *mark = trop_case_mark(c);
            judge_clique(judge, c, p.at + k * p.d, t);
            trop_case_release(c, mark);
        }
    }
}

/* Whether the path reaches one. For a run that is not certified this holds: another hypothesis
 * already fails. */
static void strict(struct trop_judge *judge, const struct trop_case *c)
{
    struct trop_judge aside = { 0 };

    conclude(&aside, c);
    trop_judge_truth(judge, "the path reaches the neighbourhood of a strict vertex", -1,
                     aside.count > 0 || trop_case_number(c, "certified") != 1);
}

const struct trop_claim trop_lm_thm_t13 = {
    .id = "lm-thm-t13",
    .title = "cluster capture, strict case",
    .statement = "When <A v, v - w> > eps for every other accumulation point w, the tokens that "
                 "come near the vertex v form one clique that no longer changes after finitely "
                 "many arrivals, and then contracts by 1 - gamma a step.",
    .status = TROP_CLAIM_PROVED,
    .source = TROP_CLAIM_DERIVED,
    .remark =
        "Read on runs whose limits are proved: from the step on at which all tokens are "
        "within an explicit radius of their limits, the tokens of a strict vertex attend to each "
        "other and to no others, and their distances shrink by exactly 1 - gamma. Convergence "
        "of the remaining tokens is not claimed.",
    .inputs = "tokens A gamma epsilon",
    .hypotheses = TROP_HYPOTHESES(
        TROP_LM_STEP_SIZE, TROP_LM_POSITIVE, TROP_LM_CERTIFIED,
        { "strict", "a vertex of the limit is strict, and the path comes near the limit",
          .judge = strict, .late = 1, .broken = "the path is elsewhere", .edit = "path += 2" }),
    .run = { draw, work, conclude },
    .spoils =
        TROP_SPOILS(/* Which leaves them near their limits. */
                    { "the tokens of the last step are off by 1e-9 times their number", NULL },
                    { "the path of gamma + 1e-6", NULL, .edit = "work with gamma += 1e-6" }),
    .trials = 60,
};
