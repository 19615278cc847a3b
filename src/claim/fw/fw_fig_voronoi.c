/* fw_fig_voronoi.c -- cells are Voronoi cells when the vertices have equal energy.
 *
 * Proposition 4.5 of the Frank-Wolfe paper, B symmetric: with <B v_i, v_i> the same for all
 * vertices,
 *
 *   |x - v_i|_B^2 = |x|_B^2 - 2 <B x, v_i> + |v_i|_B^2,
 *
 * so the best vertex is the nearest one in the norm of B. An independent check found 0 mismatches
 * of 5600 labels, for polygons with kappa = 3, 4, 5, 6, 7, 9 and 10 vertices and B with condition
 * numbers 1, 4, 6 and 8: 200 points each, as here. B = diag(1, cond), v = B^{-1/2} (cos a, sin a);
 * in double the energies agree to 1e-15, so points within 1e-12 of a wall would prove nothing;
 * there are none.
 */
#include "claim/fw/fw_figures.h"

#include "base/math/cos.h"
#include "base/math/log.h"
#include "base/math/sin.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PI 3.14159265358979323846
#define KAPPAS 7
#define CONDITIONS 4
#define SETS (KAPPAS * CONDITIONS)
#define POINTS 200
#define MOST 10
#define WALL 1e-12

/* A set: its vertices (kappa, 2), points (POINTS, 2), labels (POINTS), and B = diag(1, cond). */
struct set {
    double *v, *x, *labels;
    int64_t kappa;
    double cond;
};

static struct set set_of(const struct trop_case *c, int64_t s)
{
    static const int64_t kappas[KAPPAS] = { 3, 4, 5, 6, 7, 9, 10 };
    static const double conditions[CONDITIONS] = { 1, 4, 6, 8 };

    return (struct set){ .v = trop_case_view_row(trop_case_view(c, "vertices"), s),
                         .x = trop_case_view_row(trop_case_view(c, "points"), s),
                         .labels = trop_case_view_row(trop_case_view(c, "labels"), s),
                         .kappa = kappas[s / CONDITIONS],
                         .cond = conditions[s % CONDITIONS] };
}

/* Points of the hull: convex combinations with exponential weights. */
static void draw_points(const struct trop_case *c, const struct set *set, int64_t s)
{
    for (int64_t p = 0; p < POINTS; p++) {
        double sum = 0, *x = set->x + 2 * p;
        for (int64_t k = 0; k < set->kappa; k++) {
            const double w = -trop_log(trop_case_uniform(c, 32 + s, 100 + p * MOST + k));
            sum += w;
            x[0] += w * set->v[2 * k];
            x[1] += w * set->v[2 * k + 1];
        }
        x[0] /= sum;
        x[1] /= sum;
    }
}

/* "vertices" (SETS, MOST, 2) and "points" (SETS, POINTS, 2). */
static void draw(struct trop_case *c)
{
    trop_sample_shape(c, "vertices", SETS, MOST, 2);
    trop_sample_shape(c, "points", SETS, POINTS, 2);
    if (trop_case_has(c, "vertices") && trop_case_has(c, "points")) {
        return;
    }
    trop_case_zeros(c, "vertices", SETS, MOST, 2);
    trop_case_zeros(c, "points", SETS, POINTS, 2);
    for (int64_t s = 0; s < SETS; s++) {
        const struct set set = set_of(c, s);
        for (int64_t k = 0; k < set.kappa; k++) {
            const double angle = 2 * PI * trop_case_uniform(c, 32 + s, k);
            set.v[2 * k] = trop_cos(angle);
            set.v[2 * k + 1] = trop_sin(angle) / sqrt(set.cond);
        }
        draw_points(c, &set, s);
    }
}

/* Labels of the points by cells of the library: "labels" (SETS, POINTS). */
static void work(struct trop_case *c)
{
    struct trop_case *apart = trop_case_apart(c);

    trop_case_zeros(c, "labels", SETS, POINTS, 0);
    for (int64_t s = 0; s < SETS; s++) {
        const struct set set = set_of(c, s);
        const double b[] = { 1, 0, 0, set.cond };
        struct trop_value labels = { 0 };
        trop_case_copy_in(apart, "B", b, 2, 2, 0);
        trop_case_copy_in(apart, "points", set.x, POINTS, 2, 0);
        trop_case_try(
            c, trop_cells_value(&labels,
                                trop_case_cells(apart, (struct trop_view){ set.v, set.kappa, 2, 1 },
                                                "points", "key_query=@B"),
                                "query_labels"));
        for (int64_t p = 0; p < POINTS; p++) {
            set.labels[p] = (double)labels.integers[p];
        }
    }
}

/* ---- lines ---- */

/* The vertex nearest to x in the norm of diag(1, cond); lead: how much farther the next one is. */
static int64_t nearest(double *lead, const double *x, const struct set *set)
{
    double first = INFINITY, second = INFINITY;
    int64_t at = 0;

    for (int64_t k = 0; k < set->kappa; k++) {
        const double dx = x[0] - set->v[2 * k], dy = x[1] - set->v[2 * k + 1];
        const double squares = dx * dx + set->cond * dy * dy;
        if (squares < first) {
            second = first;
            first = squares;
            at = k;
        } else if (squares < second) {
            second = squares;
        }
    }
    *lead = second - first;
    return at;
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    double all = 0, wrong = 0, lead = 0;

    for (int64_t s = 0; s < SETS; s++) {
        const struct set set = set_of(c, s);
        wrong = s % CONDITIONS == 0 ? 0 : wrong;
        for (int64_t p = 0; p < POINTS; p++) {
            wrong += (double)nearest(&lead, set.x + 2 * p, &set) != set.labels[p];
        }
        if (s % CONDITIONS == CONDITIONS - 1) {
            trop_judge_compare(judge, wrong, 0, 0, "kappa %lld: mismatches of 800",
                               (long long)set.kappa);
            all += wrong;
        }
    }
    trop_judge_near(judge, "mismatches of 5600", -1, all, 0, 0);
}

/* ---- the picture: points by their cell, over Voronoi cells cut by hand ---- */

static void draw_voronoi(struct trop_panel *panel, const struct trop_case *c, const struct set *set)
{
    const double *v = set->v;
    double outline[2 * MOST];
    const int64_t corners = trop_fw_figures_outline(outline, c, v, set->kappa);

    for (int64_t i = 0; i < set->kappa; i++) {
        double cell[2 * TROP_FW_CORNERS];
        int64_t count = corners;
        memcpy(cell, outline, (size_t)(2 * corners) * sizeof *cell);
        for (int64_t j = 0; j < set->kappa; j++) {
            const double a = v[2 * i] - v[2 * j], b = set->cond * (v[2 * i + 1] - v[2 * j + 1]);
            /* The bisector goes through the middle of v_i and v_j. */
            const double middle =
                (a * (v[2 * i] + v[2 * j]) + b * (v[2 * i + 1] + v[2 * j + 1])) / 2;
            if (j != i) {
                trop_fw_figures_clip(cell, &count, a, b, middle);
            }
        }
        trop_fw_figures_fill(panel, cell, count, i, .75, .7, NULL);
    }
}

static void picture(struct trop_figure *figure, const struct trop_case *c)
{
    char title[48];

    trop_figure_grid(figure, 1, 2);
    for (int64_t at = 0; at < 2; at++) {
        const struct set set = set_of(c, 3 * CONDITIONS + at);
        snprintf(title, sizeof title, "B = diag(1, %.0f)", set.cond);
        struct trop_panel *panel = trop_fw_figures_plane(figure, 0, at, title);
        draw_voronoi(panel, c, &set);
        for (int64_t p = 0; p < POINTS; p++) {
            struct trop_dot dot = trop_figure_dot((int64_t)set.labels[p]);
            dot.size = 3.5;
            trop_panel_dots(panel, set.x + 2 * p, set.x + 2 * p + 1, 1, dot, NULL);
        }
        for (int64_t k = 0; k < set.kappa; k++) {
            trop_fw_figures_marks(panel, set.v + 2 * k, 1, TROP_MARK_CIRCLE, 6);
        }
    }
}

/* ---- hypotheses, and ways to be wrong ---- */

static void equal_energy(struct trop_judge *judge, const struct trop_case *c)
{
    double off = 0;

    for (int64_t s = 0; s < SETS; s++) {
        const struct set set = set_of(c, s);
        for (int64_t k = 0; k < set.kappa; k++) {
            const double *w = set.v + 2 * k;
            off = fmax(off, fabs(w[0] * w[0] + set.cond * w[1] * w[1] - 1));
        }
    }
    trop_judge_at_most(judge, "<B v, v> less 1", -1, off, 4e-15, 1e-15);
}

static void off_walls(struct trop_judge *judge, const struct trop_case *c)
{
    double least = INFINITY, lead = 0;

    for (int64_t s = 0; s < SETS; s++) {
        const struct set set = set_of(c, s);
        for (int64_t p = 0; p < POINTS; p++) {
            nearest(&lead, set.x + 2 * p, &set);
            least = fmin(least, lead);
        }
    }
    trop_judge_at_least(judge, "squared distance to the second vertex less the first", -1, least,
                        WALL, 0);
}

const struct trop_claim trop_fw_fig_voronoi = {
    .id = "fw-fig-voronoi",
    .title = "cells are Voronoi cells",
    .statement =
        "For vertices of equal energy the cell of each of 5600 random points is that of the "
        "nearest vertex in the norm of B.",
    .status = TROP_CLAIM_PROVED,
    .source = TROP_CLAIM_DERIVED,
    .remark = "An independent check of proposition 4.5 found 0 mismatches of 5600, for the same "
              "numbers of vertices and condition numbers; the points are our own.",
    .inputs = "vertices points",
    /* A point goes onto the wall of the first two vertices of a triangle, to the middle of their
     * side.
     */
    .hypotheses = TROP_HYPOTHESES({ "equal-energy", "vertices have equal energy",
                                    .judge = equal_energy, .broken = "one vertex is longer by 1e-6",
                                    .edit = "vertices[0,0] *= 1+1e-6" },
                                  { "off-walls", "no point is within 1e-12 of a wall",
                                    .judge = off_walls, .broken = "a point is on a wall",
                                    .edit = "points[0,0] = (vertices[0,0] + vertices[0,1])/2" }),
    .run = { draw, work, conclude, picture },
    .spoils = TROP_SPOILS({ "one label is wrong", .edit = "labels[0,0] = 1 - labels[0,0]" }),
    .size = { 420, 220 },
};
