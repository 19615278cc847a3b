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

#include <float.h>
#include <math.h>

static void draw(struct trop_case *c)
{
    trop_fw_draw_cloud(c, 4, 12, 4);
    trop_fw_draw_any_matrix(c);
    trop_fw_draw_points(c, 40);
}

static const struct trop_hypothesis hypotheses[] = {
    { "one-cell-each", "every token has one leader", .judge = trop_fw_judge_one_cell,
      .broken = "a square with a token that has two leaders",
      .edit = "tokens = {1 0; 0 1; -1 0; 0 -1; .25 .25}; B = {1 0; 0 1}; points = {0 .5; .5 0}" },
    TROP_FW_INSIDE,
    { 0 },
};

/* The largest score for x of the random points of the hull. */
static double largest_score(const struct trop_case *c, const double *x)
{
    const struct trop_view points = trop_case_view(c, "points");

    return trop_fw_score(c, x, trop_case_view_row(points, trop_fw_leader(NULL, c, x, points)));
}

/* ---- leaders ---- */

static void work(struct trop_case *c)
{
    trop_case_path(c, "path", 1, "rule=hardmax key_query=@B gamma=1");
}

/* The largest <B x, .> over the hull. */
static double support(const struct trop_case *c, struct trop_hull *hull, const double *x)
{
    const struct trop_view b = trop_case_view(c, "B");
    double *direction = trop_case_scratch(c, b.rows);

    for (int64_t k = 0; k < b.rows * b.rows; k++) {
        direction[k / b.rows] += b.at[k] * x[k % b.rows];
    }
    return trop_hull_support(NULL, hull, direction);
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view path = trop_case_view(c, "path"), all = trop_case_view_part(path, 0);
    const int64_t n = all.rows, d = all.columns;
    const double error = 3 * trop_fw_error(c, all),
                 move = 2 * DBL_EPSILON * sqrt((double)d) * trop_tokens_radius_of(all);
    struct trop_hull *hull = trop_case_hull(c, all.at, n, d);

    for (int64_t i = 0; i < n; i++) {
        const double *x = all.at + i * d, *y = x + n * d;
        const double score = trop_fw_score(c, x, y);
        double nearest = INFINITY;
        for (int64_t j = 0; j < n; j++) {
            nearest = fmin(nearest, trop_tokens_distance(y, all.at + j * d, d));
        }
        trop_judge_near(judge, "score of the leader, and largest over the hull", 1, score,
                        support(c, hull, x), error);
        trop_judge_at_least(judge, "score of the leader, and of points of the hull", 1, score,
                            largest_score(c, x), error);
        trop_judge_at_most(judge, "distance of the leader from the tokens", 1, nearest, 0, move);
    }
}

const struct trop_claim trop_fw_rem_argmax = {
    .id = "fw-rem-argmax",
    .title = "leaders maximise over the hull",
    .statement =
        "The maximum of <B x_i, y> over all points y of the hull of the tokens is attained "
        "at a token, to which a hardmax layer with gamma = 1 moves x_i when it is the "
        "only one.",
    .status = TROP_CLAIM_PROVED,
    .inputs = "tokens B points",
    .hypotheses = hypotheses,
    .run = { draw, work, conclude },
    .spoils = TROP_SPOILS({ "a step of 1 - 1e-6 instead of 1", NULL,
                            .edit = "path[1] += 1e-6 * (path[0] - path[1])" },
                          TROP_FW_NUDGE),
    .trials = 100,
};

/* ---- gaps ---- */

static void work_gaps(struct trop_case *c)
{
    trop_case_take(c, "gaps", trop_cells_field_table(),
                   trop_case_cells(c, trop_case_view(c, "tokens"), NULL, "key_query=@B"), "gaps");
}

/* Judges the gap against random points of the hull, which bound it from below, and against the best
 * token. */
static void conclude_gaps(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view all = trop_case_view(c, "tokens");
    const double error = 3 * trop_fw_error(c, all), *gaps = trop_case_array(c, "gaps");

    for (int64_t i = 0; i < all.rows; i++) {
        const double *x = trop_case_view_row(all, i), own = trop_fw_score(c, x, x);
        const double *leader = trop_case_view_row(all, trop_fw_leader(NULL, c, x, all));
        trop_judge_near(judge, "gap of a token, and its leader's score less its own", -1, gaps[i],
                        trop_fw_score(c, x, leader) - own, error);
        trop_judge_at_least(judge, "gap of a token, and points of the hull", -1, gaps[i],
                            largest_score(c, x) - own, error);
        trop_judge_near(judge, "a token has gap 0, and leads itself", -1, gaps[i] <= error,
                        trop_tokens_distance(leader, x, all.columns) == 0, 0);
    }
}

const struct trop_claim trop_fw_rem_gap = {
    .id = "fw-rem-gap",
    .title = "Frank-Wolfe gaps",
    .statement =
        "The Frank-Wolfe gap of a token, the maximum of <B x_i, y - x_i> over the hull, is "
        "its leader's score less its own: 0 for a token that is its own leader, positive "
        "for every other, with B of either sign.",
    .status = TROP_CLAIM_PROVED,
    .inputs = "tokens B points",
    .hypotheses = hypotheses,
    .run = { draw, work_gaps, conclude_gaps },
    .spoils = TROP_SPOILS({ "one gap is larger by 1e-6", NULL, .edit = "gaps[0] += 1e-6" }),
    .trials = 100,
};
