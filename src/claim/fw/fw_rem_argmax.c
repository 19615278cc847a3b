/* fw_rem_argmax.c -- a linear functional is greatest at a token (Frank-Wolfe paper, section 1.2).
 *
 * One hardmax layer is written with the argmax of <B x_i, .> over the hull K; it is attained at a
 * vertex, which is a token. A layer with gamma = 1 puts every token there, so its result is
 * compared with the support of the hull in the direction B x_i, with random points of K, and with
 * the tokens.
 *
 * The Frank-Wolfe gap of a token, max over y in K of <B x_i, y - x_i>, is then a maximum over
 * tokens; it is 0 for a token that leads itself and positive for every other.
 *
 * Rounding: x + (y - x) is y within 2 u |x| + 2 u |y| in each coordinate, 4 u R sqrt(d) in all,
 * which moves a score by |B| R times that: less than the error of a score, of which two are
 * compared.
 */
#include "claim/fw/fw.h"

#include "base/alloc.h"
#include "base/status.h"
#include "claim/tokens.h"

#include <float.h>
#include <math.h>

#define POINTS 40

static enum trop_status draw(struct trop_case *c)
{
    enum trop_status status =
        trop_tokens_gaussian(c, 4 + trop_case_pick(c, 18, 0, 12),
                             trop_fw_draw_dimension(c, 2 + trop_case_pick(c, 18, 1, 4)));

    if (status == TROP_OK) {
        status = trop_fw_draw_any_matrix(c);
    }
    return status == TROP_OK ? trop_fw_draw_points(c, POINTS) : status;
}

static enum trop_status flow(struct trop_case *c, double gamma)
{
    struct trop_flow_options o = trop_fw_work_options(c, TROP_RULE_HARDMAX);

    o.gamma = (struct trop_schedule){ .kind = TROP_SCHEDULE_CONSTANT, .a = gamma };
    return trop_tokens_flow(c, &o, 1);
}

static enum trop_status work(struct trop_case *c)
{
    return flow(c, 1);
}

/* ---- the conclusion ---- */

/* The largest score for x over the hull and over the random points, and the distance of y from the
 * nearest token. */
struct reach {
    double hull, points, nearest;
};

static enum trop_status reach_of(struct reach *out, const struct trop_case *c,
                                 struct trop_hull *hull, const double *x, const double *y)
{
    const double *all = trop_case_array(c, "path"), *b = trop_case_array(c, "B");
    const double *points = trop_case_array(c, "points");
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    double *direction = trop_alloc(d, sizeof *direction);

    if (!direction) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a direction");
    }
    for (int64_t k = 0; k < d * d; k++) {
        direction[k / d] += b[k] * x[k % d];
    }
    *out = (struct reach){ trop_hull_support(NULL, hull, direction), -INFINITY, INFINITY };
    for (int64_t k = 0; k < trop_case_size(c, "points", 0); k++) {
        out->points = fmax(out->points, trop_fw_score(b, x, points + k * d, d));
    }
    for (int64_t j = 0; j < n; j++) {
        out->nearest = fmin(out->nearest, trop_tokens_distance(y, all + j * d, d));
    }
    trop_alloc_free(direction);
    return TROP_OK;
}

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const double *path = trop_case_array(c, "path"), *b = trop_case_array(c, "B");
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    const double radius = trop_tokens_radius(path, n, d),
                 error = 3 * trop_fw_score_error(b, radius, d),
                 move = 2 * DBL_EPSILON * sqrt((double)d) * radius;
    struct trop_hull *hull = NULL;
    struct reach reach = { 0 };
    enum trop_status status = trop_hull_create(&hull, path, n, d, 1);

    for (int64_t i = 0; i < n && status == TROP_OK; i++) {
        const double *x = path + i * d, *y = path + (n + i) * d;
        const double score = trop_fw_score(b, x, y, d);
        status = reach_of(&reach, c, hull, x, y);
        if (status == TROP_OK) {
            trop_judge_near(judge, "score of the leader, and largest over the hull", 1, score,
                            reach.hull, error);
            trop_judge_at_least(judge, "score of the leader, and of points of the hull", 1, score,
                                reach.points, error);
            trop_judge_at_most(judge, "distance of the leader from the tokens", 1, reach.nearest, 0,
                               move);
        }
    }
    trop_hull_free(hull);
    return status;
}

/* ---- gaps ---- */

static enum trop_status work_gaps(struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "tokens", 0);
    struct trop_cells *cells = NULL;
    struct trop_value found;
    double *gaps = NULL;
    enum trop_status status =
        trop_fw_work_cells(&cells, c, trop_case_array(c, "tokens"), n, NULL, 0);

    if (status == TROP_OK) {
        status = trop_cells_value(&found, cells, "gaps");
    }
    if (status == TROP_OK) {
        status = trop_case_make(&gaps, c, "gaps", n, 0, 0);
    }
    for (int64_t i = 0; i < n && status == TROP_OK; i++) {
        gaps[i] = found.numbers[i];
    }
    trop_cells_free(cells);
    return status;
}

/* Judges the gap against random points of the hull, which bound it from below, and against the best
 * token. */
static enum trop_status conclude_gaps(struct trop_judge *judge, const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens"), *b = trop_case_array(c, "B");
    const double *points = trop_case_array(c, "points"), *gaps = trop_case_array(c, "gaps");
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const double error = 3 * trop_fw_score_error(b, trop_tokens_radius(x, n, d), d);

    for (int64_t i = 0; i < n; i++) {
        double lead = 0, far = -INFINITY;
        const int64_t best = trop_fw_leader(&lead, b, x + i * d, x, n, d);
        const double own = trop_fw_score(b, x + i * d, x + i * d, d);
        for (int64_t k = 0; k < trop_case_size(c, "points", 0); k++) {
            far = fmax(far, trop_fw_score(b, x + i * d, points + k * d, d) - own);
        }
        trop_judge_near(judge, "gap of a token, and its leader's score less its own", -1, gaps[i],
                        trop_fw_score(b, x + i * d, x + best * d, d) - own, error);
        trop_judge_at_least(judge, "gap of a token, and points of the hull", -1, gaps[i], far,
                            error);
        trop_judge_near(judge, "a token has gap 0, and leads itself", -1, gaps[i] <= error,
                        trop_tokens_distance(x + best * d, x + i * d, d) == 0, 0);
    }
    return TROP_OK;
}

static enum trop_status wrong_gap(struct trop_case *c)
{
    trop_case_array(c, "gaps")[0] += 1e-6;
    return TROP_OK;
}

static enum trop_status two_leaders(struct trop_case *c)
{
    static const double middle[] = { 0, .5 };
    enum trop_status status = trop_fw_assume_not_one(c);

    return status == TROP_OK ? trop_fw_draw_given(c, "points", middle, 1, 2) : status;
}

static const struct trop_spoil gap_spoils[] = {
    { "one gap is larger by 1e-6", NULL, wrong_gap },
    { "a square with a token that has two leaders", "one-cell-each", two_leaders },
    { "a point is 100 to the side", "points-inside", trop_fw_assume_not_points },
    { 0 },
};

static enum trop_status shorter(struct trop_case *c)
{
    return flow(c, 1 - 1e-6);
}

static const struct trop_hypothesis hypotheses[] = {
    { "one-cell-each", "every token has one leader", trop_fw_assume_one_cell, 0 },
    { "points-inside", "the points are in the hull", trop_fw_assume_points, 0 },
    { 0 },
};

static const struct trop_spoil spoils[] = {
    { "a step of 1 - 1e-6 instead of 1", NULL, shorter },
    { "one token moved by 1e-6", NULL, trop_fw_assume_nudge },
    { "a square with a token that has two leaders", "one-cell-each", two_leaders },
    { "a point is 100 to the side", "points-inside", trop_fw_assume_not_points },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "tokens", "(n, d)", "the cloud" },
    { "B", "(d, d)", "key-query matrix" },
    { "points", "(m, d)", "points of the hull to compare with" },
    { 0 },
};

const struct trop_claim trop_fw_rem_argmax = {
    .id = "fw-rem-argmax",
    .title = "leaders maximise over the hull",
    .statement =
        "The maximum of <B x_i, y> over all points y of the hull of the tokens is attained "
        "at a token, to which a hardmax layer with gamma = 1 moves x_i when it is the "
        "only one.",
    .status = TROP_CLAIM_PROVED,
    .remark = "",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 100,
};

const struct trop_claim trop_fw_rem_gap = {
    .id = "fw-rem-gap",
    .title = "Frank-Wolfe gaps",
    .statement =
        "The Frank-Wolfe gap of a token, the maximum of <B x_i, y - x_i> over the hull, is "
        "its leader's score less its own: 0 for a token that is its own leader, positive "
        "for every other, with B of either sign.",
    .status = TROP_CLAIM_PROVED,
    .remark = "",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work_gaps,
    .old_conclude = conclude_gaps,
    .spoils = gap_spoils,
    .trials = 100,
};
