/* fw_lem_cells.c -- what cells are (Frank-Wolfe paper, section 4.1).
 *
 *   C_i = { x in K : <B x, v_i - v_j> >= 0 for all j }
 *
 * is convex, the cells cover K, and two of them have no interior point in common when B is positive
 * definite. For any B: a common interior point needs <B x, v_i - v_j> = 0 on a ball, that is
 * B'(v_i - v_j) = 0; so B'(v_i - v_j) != 0 for all i != j suffices. (It is not necessary: with
 * B = diag(1, 0) and the rhombus (-2,0), (2,0), (0,1), (0,-1) the cells of (0,1) and (0,-1) are
 * equal, and have no interior.) Where the hull is flat nothing has an interior, and all of a hull
 * may be a wall: tokens on the line of v with <B v, v> = 0.
 *
 * Decided on random points of K, which have a density there: none of them is on a wall (exact
 * signs), each is in the cell it is said to be in, and so is the middle of two points of one
 * cell. The score of a point is known within trop_fw_score_error, a difference of two within twice
 * that; for the middle of two the rounding of its coordinates is added.
 */
#include "claim/fw/fw.h"

#include "claim/pivots.h"

#include <math.h>
#include <string.h>

#define POINTS 60

/* "density" 1: the points are drawn here, from a law with a density on the hull. */
static void draw_points(struct trop_case *c)
{
    trop_case_default(c, "density", trop_case_has(c, "points") ? 0 : 1);
    trop_fw_draw_points(c, POINTS);
}

static void draw_positive(struct trop_case *c)
{
    trop_fw_draw_cloud(c, 6, 10, 3);
    trop_fw_draw_matrix(c, .3, 2);
    draw_points(c);
}

static void draw_general(struct trop_case *c)
{
    trop_fw_draw_cloud(c, 6, 10, 3);
    trop_fw_draw_any_matrix(c);
    draw_points(c);
}

/* Labels of the points, and for each point the middle with the next one that has its label:
 * "shared" is the label, -1 where there is no next one. */
static void work(struct trop_case *c)
{
    trop_fw_work_points(c);

    const struct trop_view points = trop_case_view(c, "points");
    const double *labels = trop_case_array(c, "labels");
    const int64_t m = points.rows, d = points.columns;
    double *middles = trop_case_zeros(c, "middles", m, d, 0);
    double *shared = trop_case_zeros(c, "shared", m, 0, 0);

    for (int64_t i = 0; i < m; i++) {
        int64_t j = i + 1;
        while (j < m && labels[j] != labels[i]) {
            j++;
        }
        shared[i] = j < m ? labels[i] : -1;
        for (int64_t a = 0; a < d && j < m; a++) {
            middles[i * d + a] = .5 * (points.at[i * d + a] + points.at[j * d + a]);
        }
    }
}

/* |B'(x - y)|. */
static double dual_distance(const double *b, const double *x, const double *y, int64_t d)
{
    double squares = 0;

    for (int64_t k = 0; k < d; k++) {
        double sum = 0;
        for (int64_t a = 0; a < d; a++) {
            sum += b[a * d + k] * (x[a] - y[a]);
        }
        squares += sum * sum;
    }
    return sqrt(squares);
}

static void no_vanishing(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view x = trop_case_view(c, "tokens");
    const double *b = trop_case_array(c, "B");
    const double radius = trop_tokens_radius_of(x);
    const double error = trop_fw_score_error(c, 1) * radius;
    const struct trop_value v = trop_fw_work_cells_of(c, x, NULL, "vertices");

    for (int64_t i = 0; i < v.shape[0]; i++) {
        for (int64_t j = 0; j < i; j++) {
            trop_judge_at_least(judge, "|B'(v_i - v_j)| of two vertices", -1,
                                dual_distance(b, trop_case_view_row(x, v.integers[i]),
                                              trop_case_view_row(x, v.integers[j]), x.columns),
                                1e-9 * radius, error);
        }
    }
}

/* Pivots of sum (x_i - x_0)(x_i - x_0)': the squares of how far the hull extends. */
static void solid(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view x = trop_case_view(c, "tokens");
    const int64_t d = x.columns;
    const double radius = trop_tokens_radius_of(x);
    double *sum = trop_case_scratch(c, d * d);

    for (int64_t i = 1; i < x.rows; i++) {
        const double *xi = trop_case_view_row(x, i);
        for (int64_t k = 0; k < d * d; k++) {
            sum[k] += (xi[k / d] - x.at[k / d]) * (xi[k % d] - x.at[k % d]);
        }
    }
    trop_judge_at_least(judge, "square of the hull's extent", -1,
                        trop_pivots_eliminate(sum, d, d).least, 1e-12 * radius * radius, 0);
}

/* How far the token called label leads every other point at p. */
static double lead_of(const struct trop_case *c, const double *p, double label)
{
    const struct trop_view x = trop_case_view(c, "tokens");
    const double *v = trop_case_view_row(x, (int64_t)label);
    double lead = 0;
    const double *leader = trop_case_view_row(x, trop_fw_leader(&lead, c, p, x));

    return memcmp(leader, v, (size_t)x.columns * sizeof *v) == 0
               ? lead
               : trop_fw_score(c, p, v) - trop_fw_score(c, p, leader);
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view points = trop_case_view(c, "points");
    const double *middles = trop_case_array(c, "middles"), *shared = trop_case_array(c, "shared");
    const double *labels = trop_case_array(c, "labels");
    const double error = 2 * trop_fw_error(c, trop_case_view(c, "tokens"));

    for (int64_t i = 0; i < points.rows; i++) {
        const double *p = trop_case_view_row(points, i), *middle = middles + i * points.columns;
        if (trop_case_number(c, "density") == 1) {
            trop_judge_truth(judge, "a point is on no wall", -1, labels[i] >= 0);
        }
        if (labels[i] >= 0) {
            trop_judge_at_least(judge, "lead of the vertex of its cell at a point", -1,
                                lead_of(c, p, labels[i]), 0, error);
        }
        if (shared[i] >= 0) {
            trop_judge_at_least(judge, "lead at the middle of two points of a cell", -1,
                                lead_of(c, middle, shared[i]), 0, 2 * error);
        }
    }
}

static const struct trop_spoil spoils[] = {
    { "a point is given to the next token's cell", NULL },
    { "a point is on a wall", NULL, .edit = "labels[1] = -1" },
    { "the middle of two points of a cell is in another one", NULL },
    { 0 },
};

const struct trop_claim trop_fw_lem_cells = {
    .id = "fw-lem-cells",
    .title = "cells are convex and part the hull",
    .statement = "For a positive definite B every cell is convex, cells have no interior point in "
                 "common, and together they are the hull.",
    .status = TROP_CLAIM_PROVED,
    .remark = "Decided on random points of the hull: each is in one cell and on no wall, and the "
              "middle of two points of a cell is in that cell.",
    .inputs = "tokens B points",
    .hypotheses = TROP_HYPOTHESES(TROP_FW_POSITIVE, TROP_FW_INSIDE),
    .run = { draw_positive, work, conclude },
    .spoils = spoils,
    .trials = 60,
};

const struct trop_claim trop_fw_lem_cells_general = {
    .id = "fw-lem-cells-general",
    .title = "cells part the hull, any B",
    .statement = "For any B with B'(v_i - v_j) != 0 for all pairs of vertices the cells are "
                 "convex, have no interior point in common, and together are the hull.",
    .status = TROP_CLAIM_PROVED,
    .remark = "Decided as fw-lem-cells. The condition suffices and is not necessary: with "
              "B = diag(1, 0) and the rhombus (2,0), (0,1), (-2,0), (0,-1) two cells are equal but "
              "have no interior.",
    .inputs = "tokens B points",
    .hypotheses = TROP_HYPOTHESES({ "no-vanishing", "B'(v_i - v_j) is not 0 for two vertices",
                                    .judge = no_vanishing, .broken = "B = 0", .edit = "B = 0" },
                                  { "solid", "the hull of the tokens has an interior",
                                    .judge = solid, .broken = "tokens on a line",
                                    .edit = "tokens = {0 0; 1 0; 2 0}; B = {1 2; 3 4};"
                                            "points = {1 0}" },
                                  TROP_FW_INSIDE),
    .run = { draw_general, work, conclude },
    .spoils = spoils,
    .trials = 60,
};
