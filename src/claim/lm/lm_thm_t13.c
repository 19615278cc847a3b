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

#include "base/alloc.h"
#include "base/status.h"
#include "claim/tokens.h"

#include <math.h>

enum { USE_SIZE = 32 };

#define NEAR 1e-7
#define MORE 60 /* steps of the path after the sets are proved to last */

static enum trop_status draw(struct trop_case *c)
{
    return trop_lm_draw_cloud(c, 6 + trop_case_pick(c, USE_SIZE, 0, 8),
                              2 + trop_case_pick(c, USE_SIZE, 1, 2), .05, .3);
}

static enum trop_status work(struct trop_case *c)
{
    enum trop_status status = trop_lm_limits(c);

    if (status == TROP_OK && trop_case_number(c, "certified") == 1) {
        status = trop_case_put(c, "steps", trop_case_number(c, "since") + MORE);
    }
    return status == TROP_OK ? trop_lm_flow(c) : status;
}

/* ---- eta, and the step from which on tokens are that near ---- */

/* eta of the point v, halved until it is small enough; 0 when v is not strict. */
static double radius_of(const struct trop_case *c, const double *v, const double *points,
                        int64_t count)
{
    const int64_t d = trop_case_size(c, "tokens", 1);
    const double *A = trop_case_array(c, "A"), eps = trop_case_number(c, "epsilon");
    const double size = trop_lm_size(c), length = trop_tokens_radius(v, 1, d);
    double eta = 1;

    for (int64_t turn = 0; turn < 40; turn++, eta /= 2) {
        int is_small = 2 * eta * size * (length + eta) <= eps;
        for (int64_t k = 0; k < count && is_small; k++) {
            const double *w = points + k * d, gap = trop_tokens_distance(v, w, d);
            const double lead = trop_lm_form(A, v, v, d) - trop_lm_form(A, v, w, d);
            is_small = gap <= NEAR || lead - size * eta * (gap + 2 * (length + eta)) > eps;
        }
        if (is_small) {
            return eta;
        }
    }
    return 0;
}

/* The first step from which on every token of the path is within eta of its limit; steps + 1 when
 * there is none. */
static int64_t arrival(const struct trop_case *c, double eta)
{
    const int64_t steps = trop_case_size(c, "path", 0) - 1;
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    const double *path = trop_case_array(c, "path"), *limits = trop_case_array(c, "limits");

    for (int64_t t = steps; t >= 0; t--) {
        for (int64_t i = 0; i < n; i++) {
            if (trop_tokens_distance(path + (t * n + i) * d, limits + i * d, d) > eta) {
                return t + 1;
            }
        }
    }
    return 0;
}

/* ---- the conclusion ---- */

static void judge_clique(struct trop_judge *judge, const struct trop_case *c, const double *v,
                         const int64_t *sets, int64_t t)
{
    const int64_t steps = trop_case_size(c, "path", 0) - 1;
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    const double *limits = trop_case_array(c, "limits");
    const double *x = trop_case_array(c, "path") + t * n * d, *y = x + n * d;
    const double shrink = 1 - trop_case_number(c, "gamma"), error = trop_lm_step_error(c);

    for (int64_t i = 0; i < n; i++) {
        int64_t wrong = 0;
        for (int64_t j = 0; j < n && trop_tokens_distance(limits + i * d, v, d) <= NEAR; j++) {
            const int is_mate = trop_tokens_distance(limits + j * d, v, d) <= NEAR;
            wrong += sets[i * n + j] >= 0 && sets[i * n + j] != is_mate;
            if (is_mate && t < steps) {
                trop_judge_near(judge, "distance inside the clique against (1-gamma) of it", t + 1,
                                trop_tokens_distance(y + i * d, y + j * d, d),
                                shrink * trop_tokens_distance(x + i * d, x + j * d, d), 4 * error);
            }
        }
        trop_judge_at_most(judge, "tokens that the clique has wrong", t, (double)wrong, 0, 0);
    }
}

/* Judges the strict vertices of the limit; *shown is how many of them the path reaches. With judge
 * NULL they are only counted. */
static enum trop_status for_vertices(int64_t *shown, struct trop_judge *judge,
                                     const struct trop_case *c)
{
    const int64_t steps = trop_case_size(c, "path", 0) - 1;
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    double *points = trop_alloc(n * d, sizeof *points);
    int64_t *room = trop_alloc(n + n * n, sizeof *room), count = 0;
    enum trop_status status = points && room ? trop_lm_vertices(points, room, &count, c, NEAR)
                                             : trop_fail(TROP_ERR_MEMORY, "no memory for sets");

    *shown = 0;
    for (int64_t k = 0; k < count && status == TROP_OK; k++) {
        const double eta = room[k] ? radius_of(c, points + k * d, points, count) : 0;
        const int64_t from = eta > 0 ? arrival(c, eta) : steps + 1;
        *shown += from <= steps;
        for (int64_t t = from; t <= steps && judge; t++) {
            trop_lm_sets(room + n, c, trop_case_array(c, "path") + t * n * d,
                         trop_lm_epsilon(c, t));
            judge_clique(judge, c, points + k * d, room + n, t);
        }
    }
    trop_alloc_free(points);
    trop_alloc_free(room);
    return status;
}

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    int64_t shown = 0;

    return for_vertices(&shown, judge, c);
}

static enum trop_status strict(struct trop_judge *judge, const struct trop_case *c)
{
    int64_t shown = 0;
    enum trop_status status =
        trop_case_number(c, "certified") == 1 ? for_vertices(&shown, NULL, c) : TROP_OK;

    /* For a run that is not certified this holds: another hypothesis already fails. */
    trop_judge_truth(judge, "the path reaches the neighbourhood of a strict vertex", -1,
                     shown > 0 || trop_case_number(c, "certified") != 1);
    return status;
}

static const struct trop_hypothesis hypotheses[] = {
    TROP_LM_STEP_SIZE,
    TROP_LM_POSITIVE,
    TROP_LM_CERTIFIED,
    { "strict", "a vertex of the limit is strict, and the path comes near the limit", strict, 1 },
    { 0 },
};

/* ---- ways to be wrong ---- */

/* A token of the clique is late in the last step: by 1e-9, which leaves it near its limit. */
static enum trop_status late_token(struct trop_case *c)
{
    double *path = trop_case_array(c, "path");
    const int64_t steps = trop_case_size(c, "path", 0) - 1;
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);

    for (int64_t i = 0; i < n; i++) {
        path[(steps * n + i) * d] += 1e-9 * (double)(i + 1);
    }
    return TROP_OK;
}

/* The path stops before it has come near its limit. */
static enum trop_status short_path(struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    double *path = NULL;
    enum trop_status status = trop_case_make(&path, c, "path", 1, n, d);

    for (int64_t k = 0; status == TROP_OK && k < n * d; k++) {
        path[k] = 2 + trop_case_array(c, "tokens")[k];
    }
    return status;
}

static const struct trop_spoil spoils[] = {
    { "the tokens of the last step are off by 1e-9 times their number", NULL, late_token },
    { "the path of gamma + 1e-6", NULL, trop_lm_draw_other_gamma },
    { "gamma = 1.25", "step-size", trop_lm_draw_wrong_gamma },
    { "epsilon = -.1", "epsilon", trop_lm_draw_wrong_epsilon },
    { "no proof of the limits", "certified", trop_lm_draw_not_certified },
    { "the path is elsewhere", "strict", short_path },
    { 0 },
};

const struct trop_claim trop_lm_thm_t13 = {
    .id = "lm-thm-t13",
    .title = "cluster capture, strict case",
    .statement = "When <A v, v - w> > eps for every other accumulation point w, the tokens that "
                 "come near the vertex v form one clique that no longer changes after finitely "
                 "many arrivals, and then contracts by 1 - gamma a step.",
    .status = TROP_CLAIM_PROVED,
    .remark = "Read on runs whose limits are proved: from the step on at which all tokens are "
              "within an explicit radius of their limits, the tokens of a strict vertex hear each "
              "other and no one else, and their distances shrink by exactly 1 - gamma. Convergence "
              "of the remaining tokens is not claimed.",
    .old_inputs = trop_lm_judge_inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 60,
};
