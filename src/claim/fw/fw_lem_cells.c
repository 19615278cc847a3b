/* fw_lem_cells.c -- what cells are (Frank-Wolfe paper, section 4.1).
 *
 *   C_i = { x in K : <B x, v_i - v_j> >= 0 for all j }
 *
 * is convex, the cells cover K, and two of them have no interior point in common when B is positive
 * definite. For any B: a common interior point needs <B x, v_i - v_j> = 0 on a ball, that is
 * B'(v_i - v_j) = 0; so B'(v_i - v_j) != 0 for all i != j suffices. (It is not necessary: with
 * B = diag(1, 0) and the rhombus (-2,0), (2,0), (0,1), (0,-1) the cells of (0,1) and (0,-1) are
 * equal, and have no interior.)
 *
 * Decided on random points of K, which have a density there: none of them is on a wall (exact
 * signs), each is in the cell it is said to be in, and so is the middle of two points of one
 * cell. The score of a point is known within trop_fw_score_error, a difference of two within twice
 * that; for the middle of two the rounding of its coordinates is added.
 */
#include "claim/fw/fw.h"

#include "claim/tokens.h"

#include <math.h>
#include <string.h>

#define POINTS 60

static enum trop_status draw_cloud(struct trop_case *c)
{
    return trop_tokens_gaussian(c, 6 + trop_case_pick(c, 18, 0, 10),
                                trop_fw_draw_dimension(c, 2 + trop_case_pick(c, 18, 1, 3)));
}

/* "density" 1: the points are drawn here, from a law with a density on the hull. */
static enum trop_status draw_points(struct trop_case *c)
{
    enum trop_status status = trop_case_default(c, "density", trop_case_has(c, "points") ? 0 : 1);

    return status == TROP_OK ? trop_fw_draw_points(c, POINTS) : status;
}

static enum trop_status draw_positive(struct trop_case *c)
{
    enum trop_status status = draw_cloud(c);

    if (status == TROP_OK) {
        status = trop_fw_draw_matrix(c, .3, 2);
    }
    return status == TROP_OK ? draw_points(c) : status;
}

static enum trop_status draw_general(struct trop_case *c)
{
    enum trop_status status = draw_cloud(c);

    if (status == TROP_OK) {
        status = trop_fw_draw_any_matrix(c);
    }
    return status == TROP_OK ? draw_points(c) : status;
}

/* ---- work: labels of the points, and middles of points of one cell ---- */

/* For each point the middle with the next one that has its label; "shared" is the label, -1 where
 * there is no next one. */
static enum trop_status make_middles(struct trop_case *c)
{
    const double *points = trop_case_array(c, "points"), *labels = trop_case_array(c, "labels");
    const int64_t m = trop_case_size(c, "points", 0), d = trop_case_size(c, "points", 1);
    double *middles = NULL, *shared = NULL;
    enum trop_status status = trop_case_make(&middles, c, "middles", m, d, 0);

    if (status == TROP_OK) {
        status = trop_case_make(&shared, c, "shared", m, 0, 0);
    }
    for (int64_t i = 0; i < m && status == TROP_OK; i++) {
        int64_t j = i + 1;
        while (j < m && labels[j] != labels[i]) {
            j++;
        }
        shared[i] = j < m ? labels[i] : -1;
        for (int64_t a = 0; a < d && j < m; a++) {
            middles[i * d + a] = .5 * (points[i * d + a] + points[j * d + a]);
        }
    }
    return status;
}

static enum trop_status work(struct trop_case *c)
{
    enum trop_status status = trop_fw_work_points(c);

    return status == TROP_OK ? make_middles(c) : status;
}

/* ---- hypotheses ---- */

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

static enum trop_status no_vanishing(struct trop_judge *judge, const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens"), *b = trop_case_array(c, "B");
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const double radius = trop_tokens_radius(x, n, d);
    const double error = trop_fw_score_error(b, 1, d) * radius;
    struct trop_cells *cells = NULL;
    struct trop_value v;
    enum trop_status status = trop_fw_work_cells(&cells, c, x, n, NULL, 0);

    if (status == TROP_OK) {
        status = trop_cells_value(&v, cells, "vertices");
    }
    for (int64_t i = 0; status == TROP_OK && i < v.shape[0]; i++) {
        for (int64_t j = 0; j < i; j++) {
            trop_judge_at_least(judge, "|B'(v_i - v_j)| of two vertices", -1,
                                dual_distance(b, x + v.integers[i] * d, x + v.integers[j] * d, d),
                                1e-9 * radius, error);
        }
    }
    trop_cells_free(cells);
    return status;
}

/* ---- the conclusion ---- */

/* How far the token called label leads every other point at p. */
static double lead_of(const struct trop_case *c, const double *p, double label)
{
    const double *x = trop_case_array(c, "tokens"), *b = trop_case_array(c, "B");
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const double *v = x + (int64_t)label * d, own = trop_fw_score(b, p, v, d);
    double lead = INFINITY;

    for (int64_t j = 0; j < n; j++) {
        if (memcmp(x + j * d, v, (size_t)d * sizeof *v) != 0) {
            lead = fmin(lead, own - trop_fw_score(b, p, x + j * d, d));
        }
    }
    return lead;
}

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens"), *b = trop_case_array(c, "B");
    const double *points = trop_case_array(c, "points"), *middles = trop_case_array(c, "middles");
    const double *labels = trop_case_array(c, "labels"), *shared = trop_case_array(c, "shared");
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const int64_t m = trop_case_size(c, "points", 0);
    const double error = 2 * trop_fw_score_error(b, trop_tokens_radius(x, n, d), d);

    for (int64_t i = 0; i < m; i++) {
        if (trop_case_number(c, "density") == 1) {
            trop_judge_truth(judge, "a point is on no wall", -1, labels[i] >= 0);
        }
        if (labels[i] >= 0) {
            trop_judge_at_least(judge, "lead of the vertex of its cell at a point", -1,
                                lead_of(c, points + i * d, labels[i]), 0, error);
        }
        if (shared[i] >= 0) {
            trop_judge_at_least(judge, "lead at the middle of two points of a cell", -1,
                                lead_of(c, middles + i * d, shared[i]), 0, 2 * error);
        }
    }
    return TROP_OK;
}

/* ---- ways to be wrong ---- */

static enum trop_status no_matrix(struct trop_case *c)
{
    return trop_fw_draw_identity(c, trop_case_size(c, "B", 0), 0);
}

/* The middle of two points of one cell becomes a point of another: the first one with another
 * label. */
static enum trop_status bent_cell(struct trop_case *c)
{
    const double *points = trop_case_array(c, "points"), *labels = trop_case_array(c, "labels");
    const double *shared = trop_case_array(c, "shared");
    const int64_t m = trop_case_size(c, "points", 0), d = trop_case_size(c, "points", 1);
    int64_t i = 0, j = 0;

    while (i + 1 < m && shared[i] < 0) {
        i++;
    }
    while (j + 1 < m && labels[j] == shared[i]) {
        j++;
    }
    memcpy(trop_case_array(c, "middles") + i * d, points + j * d, (size_t)d * sizeof *points);
    return TROP_OK;
}

/* A point that two cells share. */
static enum trop_status on_wall(struct trop_case *c)
{
    trop_case_array(c, "labels")[1] = -1;
    return TROP_OK;
}

#define INSIDE \
    { \
        "points-inside", "the points are in the hull", trop_fw_assume_points, 0 \
    }

static const struct trop_hypothesis positive_hypotheses[] = {
    { "positive", "B is symmetric and positive definite", trop_fw_assume_positive, 0 },
    INSIDE,
    { 0 },
};

static const struct trop_hypothesis general_hypotheses[] = {
    { "no-vanishing", "B'(v_i - v_j) is not 0 for two vertices", no_vanishing, 0 },
    INSIDE,
    { 0 },
};

#define WRONG_LABEL \
    { \
        "a point is given to the next token's cell", NULL, trop_fw_work_wrong_label \
    }
#define WALL \
    { \
        "a point is on a wall", NULL, on_wall \
    }
#define BENT \
    { \
        "the middle of two points of a cell is in another one", NULL, bent_cell \
    }
#define OUTSIDE \
    { \
        "a point is 100 to the side", "points-inside", trop_fw_assume_not_points \
    }

static const struct trop_spoil positive_spoils[] = {
    WRONG_LABEL, WALL,
    BENT,        { "an entry on the diagonal of B is -1", "positive", trop_fw_assume_not_positive },
    OUTSIDE,     { 0 },
};

static const struct trop_spoil general_spoils[] = {
    WRONG_LABEL, WALL, BENT, { "B = 0", "no-vanishing", no_matrix }, OUTSIDE, { 0 },
};

static const struct trop_input inputs[] = {
    { "tokens", "(n, d)", "whose hull K is" },
    { "B", "(d, d)", "key-query matrix" },
    { "points", "(m, d)", "points of K; drawn when absent, and then none may be on a wall" },
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
    .old_inputs = inputs,
    .hypotheses = positive_hypotheses,
    .old_draw = draw_positive,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = positive_spoils,
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
    .old_inputs = inputs,
    .hypotheses = general_hypotheses,
    .old_draw = draw_general,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = general_spoils,
    .trials = 60,
};
