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

#include "base/alloc.h"
#include "base/status.h"
#include "claim/tokens.h"

#include <math.h>

#define POINTS 60

static enum trop_status draw_equal(struct trop_case *c)
{
    enum trop_status status = trop_fw_draw_own_cells(c);

    return status == TROP_OK ? trop_fw_draw_points(c, POINTS) : status;
}

static enum trop_status draw_any(struct trop_case *c)
{
    enum trop_status status =
        trop_tokens_gaussian(c, 6 + trop_case_pick(c, 18, 0, 10),
                             trop_fw_draw_dimension(c, 2 + trop_case_pick(c, 18, 1, 3)));

    if (status == TROP_OK) {
        status = trop_fw_draw_matrix(c, .3, 2);
    }
    return status == TROP_OK ? trop_fw_draw_points(c, POINTS) : status;
}

/* ---- vertices ---- */

/* The vertices of the hull as tokens in order: the first *count of v (n) are used. */
static enum trop_status vertices(int64_t *v, int64_t *count, const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens");
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    struct trop_hull *hull = NULL;
    const int64_t *list = NULL;
    enum trop_status status = trop_hull_create(&hull, x, n, d, 1);

    if (status == TROP_OK) {
        *count = trop_hull_vertices(&list, hull);
        for (int64_t k = 0; k < *count; k++) {
            v[k] = list[k];
        }
    }
    trop_hull_free(hull);
    return status;
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

/* Largest less least |v|_B^2. */
static double spread(const struct trop_case *c, const int64_t *v, int64_t count)
{
    const double *x = trop_case_array(c, "tokens"), *b = trop_case_array(c, "B");
    const int64_t d = trop_case_size(c, "tokens", 1);
    double low = INFINITY, high = -INFINITY;

    for (int64_t k = 0; k < count; k++) {
        const double value = square(b, x + v[k] * d, NULL, d);
        low = fmin(low, value);
        high = fmax(high, value);
    }
    return high - low;
}

static double rounding(const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens"), *points = trop_case_array(c, "points");
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const double radius = fmax(trop_tokens_radius(x, n, d),
                               trop_tokens_radius(points, trop_case_size(c, "points", 0), d));

    return 16 * trop_fw_score_error(trop_case_array(c, "B"), radius, d);
}

/* Calls judge_one with the vertices of the case. */
static enum trop_status with_vertices(struct trop_judge *judge, const struct trop_case *c,
                                      void (*judge_one)(struct trop_judge *,
                                                        const struct trop_case *, const int64_t *,
                                                        int64_t))
{
    const int64_t n = trop_case_size(c, "tokens", 0);
    int64_t *v = trop_alloc(n, sizeof *v), count = 0;

    if (!v) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld vertices", (long long)n);
    }
    enum trop_status status = vertices(v, &count, c);
    if (status == TROP_OK) {
        judge_one(judge, c, v, count);
    }
    trop_alloc_free(v);
    return status;
}

/* ---- hypotheses ---- */

static void judge_energy(struct trop_judge *judge, const struct trop_case *c, const int64_t *v,
                         int64_t count)
{
    trop_judge_at_most(judge, "spread of |v|_B^2 over the vertices", -1, spread(c, v, count),
                       rounding(c), 0);
}

static enum trop_status equal_energy(struct trop_judge *judge, const struct trop_case *c)
{
    return with_vertices(judge, c, judge_energy);
}

/* ---- conclusions ---- */

/* The power of the labelled vertex at p, or its squared distance, and the least of the others. With
 * label -1, a point on a wall, the least two. */
static void powers(double *own, double *other, const struct trop_case *c, const double *p,
                   int64_t label, const int64_t *v, int64_t count, int power)
{
    const double *x = trop_case_array(c, "tokens"), *b = trop_case_array(c, "B");
    const int64_t d = trop_case_size(c, "tokens", 1);

    *own = label < 0 ? INFINITY : NAN;
    *other = INFINITY;
    for (int64_t k = 0; k < count; k++) {
        const double *w = x + v[k] * d;
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

static void judge_points(struct trop_judge *judge, const struct trop_case *c, const int64_t *v,
                         int64_t count, int power)
{
    const double *points = trop_case_array(c, "points"), *labels = trop_case_array(c, "labels");
    const int64_t m = trop_case_size(c, "points", 0), d = trop_case_size(c, "points", 1);
    const double error = rounding(c) + (power ? 0 : spread(c, v, count));

    for (int64_t i = 0; i < m; i++) {
        double own = 0, other = 0;
        powers(&own, &other, c, points + i * d, (int64_t)labels[i], v, count, power);
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

static void judge_voronoi(struct trop_judge *judge, const struct trop_case *c, const int64_t *v,
                          int64_t count)
{
    judge_points(judge, c, v, count, 0);
}

static void judge_power(struct trop_judge *judge, const struct trop_case *c, const int64_t *v,
                        int64_t count)
{
    judge_points(judge, c, v, count, 1);
}

static enum trop_status conclude_voronoi(struct trop_judge *judge, const struct trop_case *c)
{
    return with_vertices(judge, c, judge_voronoi);
}

static enum trop_status conclude_power(struct trop_judge *judge, const struct trop_case *c)
{
    return with_vertices(judge, c, judge_power);
}

/* ---- ways to be wrong ---- */

static enum trop_status long_vertex(struct trop_case *c)
{
    const int64_t d = trop_case_size(c, "tokens", 1);

    for (int64_t a = 0; a < d; a++) {
        trop_case_array(c, "tokens")[a] *= 1.5;
    }
    return TROP_OK;
}

static const struct trop_hypothesis equal_hypotheses[] = {
    { "positive", "B is symmetric and positive definite", trop_fw_assume_positive, 0 },
    { "equal-energy", "all vertices have the same energy, up to rounding", equal_energy, 0 },
    { 0 },
};

static const struct trop_hypothesis power_hypotheses[] = {
    { "symmetric", "B is symmetric", trop_fw_assume_symmetric, 0 },
    { 0 },
};

static const struct trop_spoil equal_spoils[] = {
    { "a point is given to the next token's cell", NULL, trop_fw_work_wrong_label },
    { "a vertex is half as long again", "equal-energy", long_vertex },
    { 0 },
};

static const struct trop_spoil power_spoils[] = {
    { "a point is given to the next token's cell", NULL, trop_fw_work_wrong_label },
    { "an entry off the diagonal of B is larger by 1", "symmetric", trop_fw_assume_not_symmetric },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "tokens", "(n, d)", "whose hull K is" },
    { "B", "(d, d)", "key-query matrix" },
    { "points", "(m, d)", "to be labelled" },
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
    .old_inputs = inputs,
    .hypotheses = equal_hypotheses,
    .old_draw = draw_equal,
    .old_work = trop_fw_work_points,
    .old_conclude = conclude_voronoi,
    .spoils = equal_spoils,
    .trials = 60,
};

const struct trop_claim trop_fw_rem_power = {
    .id = "fw-rem-power",
    .title = "cells are a power diagram",
    .statement = "For a symmetric B the cell of a vertex v consists of the points x of the hull at "
                 "which |x - v|_B^2 - |v|_B^2 is least among the vertices.",
    .status = TROP_CLAIM_PROVED,
    .remark = "What is left of proposition 4.5 when energies differ. Decided on random points.",
    .old_inputs = inputs,
    .hypotheses = power_hypotheses,
    .old_draw = draw_any,
    .old_work = trop_fw_work_points,
    .old_conclude = conclude_power,
    .spoils = power_spoils,
    .trials = 60,
};
