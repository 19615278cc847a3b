/* fw_prop_4_5.c -- cells and Voronoi cells (Frank-Wolfe paper, proposition 4.5).
 *
 * For a symmetric B and |z|_B^2 = <B z, z>,
 *
 *   |x - v_i|_B^2 - |x - v_j|_B^2 = 2 <B x, v_j - v_i> + |v_i|_B^2 - |v_j|_B^2,
 *
 * so the vertex with the highest score is the one with the least power |x - v_i|_B^2 - |v_i|_B^2,
 * and the nearest one in the B-norm when all vertices have the same energy. The identity holds
 * for every x, so points need not be in the hull.
 *
 * The labels that are judged come from exact signs of scores; what they are compared with is
 * computed from differences x - v, whose lengths are at most 2 R: a squared distance is known
 * within 4 trop_fw_score_error(R), the difference of two with two energies within 16. Energies that
 * differ by at most s move the comparison by 2 s.
 */
#include "claim/fw/fw.h"

#include <math.h>

#define POINTS 60

static void draw_equal(struct trop_case *c)
{
    trop_fw_draw_own_cells(c);
    trop_fw_draw_points(c, POINTS);
}

static void draw_any(struct trop_case *c)
{
    trop_fw_draw_cloud(c, 6, 10, 3);
    trop_fw_draw_matrix(c, .3, 2);
    trop_fw_draw_points(c, POINTS);
}

/* ---- vertices ---- */

static struct trop_hull *hull_of(const struct trop_case *c)
{
    const struct trop_view x = trop_case_view(c, "tokens");

    return trop_case_hull(c, x.at, x.rows, x.columns);
}

/* |x - y|_B^2; y NULL: |x|_B^2. */
static double square(const double *b, const double *x, const double *y, int64_t d)
{
    double sum = 0;

    for (int64_t a = 0; a < d; a++) {
        for (int64_t k = 0; k < d; k++) {
            sum += b[a * d + k] * (x[a] - (y ? y[a] : 0)) * (x[k] - (y ? y[k] : 0));
        }
    }
    return sum;
}

/* Largest less least |v|_B^2 of the vertices. */
static double spread(const struct trop_case *c, const struct trop_hull *hull)
{
    const struct trop_view x = trop_case_view(c, "tokens");
    const int64_t *v = NULL, count = trop_hull_vertices(&v, hull);
    double low = INFINITY, high = -INFINITY;

    for (int64_t k = 0; k < count; k++) {
        const double value =
            square(trop_case_array(c, "B"), trop_case_view_row(x, v[k]), NULL, x.columns);
        low = fmin(low, value);
        high = fmax(high, value);
    }
    return high - low;
}

static double rounding(const struct trop_case *c)
{
    return 16 * fmax(trop_fw_error(c, trop_case_view(c, "tokens")),
                     trop_fw_error(c, trop_case_view(c, "points")));
}

static void equal_energy(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_most(judge, "spread of |v|_B^2 over the vertices", -1, spread(c, hull_of(c)),
                       rounding(c), 0);
}

/* ---- conclusions ---- */

/* The power of the labelled vertex at p, or its squared distance, and the least of the others. With
 * label -1, a point on a wall, the least two. */
static void powers(double *own, double *other, const struct trop_case *c,
                   const struct trop_hull *hull, const double *p, int64_t label, int power)
{
    const struct trop_view x = trop_case_view(c, "tokens");
    const double *b = trop_case_array(c, "B");
    const int64_t *v = NULL, d = x.columns, count = trop_hull_vertices(&v, hull);

    *own = label < 0 ? INFINITY : NAN;
    *other = INFINITY;
    for (int64_t k = 0; k < count; k++) {
        const double *w = trop_case_view_row(x, v[k]);
        const double value = square(b, p, w, d) - (power ? square(b, w, NULL, d) : 0);
        if (v[k] == label) {
            *own = value;
        } else if (label < 0 && value < *own) {
            *other = *own;
            *own = value;
        } else {
            *other = fmin(*other, value);
        }
    }
}

static void judge_points(struct trop_judge *judge, const struct trop_case *c, int power)
{
    const struct trop_view points = trop_case_view(c, "points");
    const double *labels = trop_case_array(c, "labels");
    const struct trop_hull *hull = hull_of(c);
    const double error = rounding(c) + (power ? 0 : spread(c, hull));

    for (int64_t i = 0; i < points.rows; i++) {
        double own = 0, other = 0;
        powers(&own, &other, c, hull, trop_case_view_row(points, i), (int64_t)labels[i], power);
        if (labels[i] < 0) {
            trop_judge_near(judge, "least two powers or squared distances, on a wall", -1, own,
                            other, error);
        } else if (isnan(own)) {
            trop_judge_truth(judge, "a point is in the cell of a vertex", -1, 0);
        } else {
            trop_judge_at_least(judge,
                                power ? "power of the next vertex, and of the cell's"
                                      : "squared distance of the next vertex, and of the cell's",
                                -1, other, own, error);
        }
    }
}

static void conclude_voronoi(struct trop_judge *judge, const struct trop_case *c)
{
    judge_points(judge, c, 0);
}

static void conclude_power(struct trop_judge *judge, const struct trop_case *c)
{
    judge_points(judge, c, 1);
}

static const struct trop_spoil spoils[] = {
    { "a point is given to the next token's cell", NULL },
    { 0 },
};

const struct trop_claim trop_fw_prop_4_5 = {
    .id = "fw-prop-4.5",
    .title = "cells are Voronoi cells",
    .statement = "For a positive definite B and vertices of equal energy the cell of a vertex "
                 "consists of the points of the hull to which it is the nearest vertex in the "
                 "B-norm.",
    .status = TROP_CLAIM_PROVED,
    .remark = "Decided on random points of the hull; the vertices lie on an ellipsoid up to "
              "rounding, and what that moves is allowed for.",
    .inputs = "tokens B points",
    .hypotheses =
        TROP_HYPOTHESES(/* Its own spoil would change the energies too. */
                        { "positive", "B is symmetric and positive definite",
                          .judge = trop_fw_judge_positive },
                        { "equal-energy", "all vertices have the same energy, up to rounding",
                          .judge = equal_energy, .broken = "a vertex is half as long again",
                          .edit = "tokens[0] *= 1.5" }),
    .run = { draw_equal, trop_fw_work_points, conclude_voronoi },
    .spoils = spoils,
    .trials = 60,
};

const struct trop_claim trop_fw_rem_power = {
    .id = "fw-rem-power",
    .title = "cells are a power diagram",
    .statement = "For a symmetric B the cell of a vertex v consists of the points x of the hull at "
                 "which |x - v|_B^2 - |v|_B^2 is least among the vertices.",
    .status = TROP_CLAIM_PROVED,
    .source = TROP_CLAIM_DERIVED,
    .remark = "What is left of proposition 4.5 when energies differ. Decided on random points.",
    .inputs = "tokens B points",
    .hypotheses = TROP_HYPOTHESES(TROP_FW_SYMMETRIC),
    .run = { draw_any, trop_fw_work_points, conclude_power },
    .spoils = spoils,
    .trials = 60,
};
