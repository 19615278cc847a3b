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

static const int64_t kappas[KAPPAS] = { 3, 4, 5, 6, 7, 9, 10 };
static const double conditions[CONDITIONS] = { 1, 4, 6, 8 };

/* Points of the hull: convex combinations with exponential weights. */
static void draw_points(double *out, const struct trop_case *c, const double *v, int64_t set,
                        int64_t kappa)
{
    for (int64_t p = 0; p < POINTS; p++) {
        double sum = 0, *x = out + 2 * p;
        for (int64_t k = 0; k < kappa; k++) {
            const double w = -trop_log(trop_case_uniform(c, 32 + set, 100 + p * MOST + k));
            sum += w;
            x[0] += w * v[2 * k];
            x[1] += w * v[2 * k + 1];
        }
        x[0] /= sum;
        x[1] /= sum;
    }
}

/* "vertices" (SETS, MOST, 2) and "points" (SETS, POINTS, 2). */
static enum trop_status draw(struct trop_case *c)
{
    double *v = NULL, *x = NULL;

    enum trop_status status = trop_sample_shape(c, "vertices", SETS, MOST, 2);
    if (status == TROP_OK) {
        status = trop_sample_shape(c, "points", SETS, POINTS, 2);
    }
    if (status != TROP_OK || (trop_case_has(c, "vertices") && trop_case_has(c, "points"))) {
        return status;
    }
    status = trop_case_make(&v, c, "vertices", SETS, MOST, 2);
    if (status == TROP_OK) {
        status = trop_case_make(&x, c, "points", SETS, POINTS, 2);
    }
    for (int64_t s = 0; s < SETS && status == TROP_OK; s++) {
        const int64_t kappa = kappas[s / CONDITIONS];
        for (int64_t k = 0; k < kappa; k++) {
            const double angle = 2 * PI * trop_case_uniform(c, 32 + s, k);
            v[(s * MOST + k) * 2] = trop_cos(angle);
            v[(s * MOST + k) * 2 + 1] = trop_sin(angle) / sqrt(conditions[s % CONDITIONS]);
        }
        draw_points(x + s * POINTS * 2, c, v + s * MOST * 2, s, kappa);
    }
    return status;
}

/* Labels of the points by cells of the library: "labels" (SETS, POINTS). */
static enum trop_status label(struct trop_case *c, int64_t s)
{
    const double b[] = { 1, 0, 0, conditions[s % CONDITIONS] };
    struct trop_cells_options o = trop_cells_options_default();
    struct trop_cells *cells = NULL;
    struct trop_value labels = { 0 };

    o.cloud.n = kappas[s / CONDITIONS];
    o.cloud.d = 2;
    o.cloud.tokens = trop_case_array(c, "vertices") + s * MOST * 2;
    o.cloud.key_query = (struct trop_matrix){ .scale = NAN, .values = b };
    o.query = trop_case_array(c, "points") + s * POINTS * 2;
    o.queries = POINTS;
    o.threads = 1;
    enum trop_status status = trop_cells_create(&cells, &o);
    if (status == TROP_OK) {
        status = trop_cells_value(&labels, cells, "query_labels");
    }
    for (int64_t p = 0; p < POINTS && status == TROP_OK; p++) {
        trop_case_array(c, "labels")[s * POINTS + p] = (double)labels.integers[p];
    }
    trop_cells_free(cells);
    return status;
}

static enum trop_status work(struct trop_case *c)
{
    double *labels = NULL;
    enum trop_status status = trop_case_make(&labels, c, "labels", SETS, POINTS, 0);

    for (int64_t s = 0; s < SETS && status == TROP_OK; s++) {
        status = label(c, s);
    }
    return status;
}

/* ---- lines ---- */

/* The vertex nearest to x in the norm of diag(1, cond); lead: how much farther the next one is. */
static int64_t nearest(double *lead, const double *x, const double *v, int64_t kappa, double cond)
{
    double first = INFINITY, second = INFINITY;
    int64_t at = 0;

    for (int64_t k = 0; k < kappa; k++) {
        const double dx = x[0] - v[2 * k], dy = x[1] - v[2 * k + 1];
        const double squares = dx * dx + cond * dy * dy;
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

static double mismatches(const struct trop_case *c, int64_t s)
{
    const double *x = trop_case_array(c, "points") + s * POINTS * 2;
    const double *v = trop_case_array(c, "vertices") + s * MOST * 2;
    const double *labels = trop_case_array(c, "labels") + s * POINTS;
    double wrong = 0, lead = 0;

    for (int64_t p = 0; p < POINTS; p++) {
        wrong += (double)nearest(&lead, x + 2 * p, v, kappas[s / CONDITIONS],
                                 conditions[s % CONDITIONS]) != labels[p];
    }
    return wrong;
}

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    double all = 0;
    char line[64];

    for (int64_t k = 0; k < KAPPAS; k++) {
        double wrong = 0;
        for (int64_t b = 0; b < CONDITIONS; b++) {
            wrong += mismatches(c, k * CONDITIONS + b);
        }
        snprintf(line, sizeof line, "kappa %lld: mismatches of 800", (long long)kappas[k]);
        trop_judge_near(judge, line, -1, wrong, 0, 0);
        all += wrong;
    }
    trop_judge_near(judge, "mismatches of 5600", -1, all, 0, 0);
    return TROP_OK;
}

/* ---- the picture: points by their cell, over Voronoi cells cut by hand ---- */

static enum trop_status outline_of(double *out, int64_t *count, const double *v, int64_t kappa)
{
    struct trop_hull *hull = NULL;
    enum trop_status status = trop_hull_create(&hull, v, kappa, 2, 1);

    *count = 0;
    if (status == TROP_OK) {
        status = trop_fw_figures_outline(out, count, hull, v);
    }
    trop_hull_free(hull);
    return status;
}

static enum trop_status draw_voronoi(struct trop_panel *panel, const double *v, int64_t kappa,
                                     double cond)
{
    double outline[2 * MOST], x[TROP_FW_CORNERS], y[TROP_FW_CORNERS];
    int64_t corners = 0;
    enum trop_status status = outline_of(outline, &corners, v, kappa);

    for (int64_t i = 0; i < kappa && status == TROP_OK; i++) {
        double cell[2 * TROP_FW_CORNERS];
        int64_t count = corners;
        memcpy(cell, outline, (size_t)(2 * corners) * sizeof *cell);
        for (int64_t j = 0; j < kappa; j++) {
            const double a = v[2 * i] - v[2 * j], b = cond * (v[2 * i + 1] - v[2 * j + 1]);
            /* The bisector goes through the middle of v_i and v_j. */
            const double middle =
                (a * (v[2 * i] + v[2 * j]) + b * (v[2 * i + 1] + v[2 * j + 1])) / 2;
            if (j != i) {
                trop_fw_figures_clip(cell, &count, a, b, middle);
            }
        }
        for (int64_t k = 0; k < count; k++) {
            x[k] = cell[2 * k];
            y[k] = cell[2 * k + 1];
        }
        trop_panel_polygon(panel, x, y, count, i, .75,
                           (struct trop_pen){ .colour = TROP_COLOUR_BLACK, .width = .7 }, NULL);
    }
    return status;
}

static enum trop_status draw_set(struct trop_panel *panel, const struct trop_case *c, int64_t s)
{
    const double *v = trop_case_array(c, "vertices") + s * MOST * 2;
    const double *x = trop_case_array(c, "points") + s * POINTS * 2;
    const int64_t kappa = kappas[s / CONDITIONS];
    char title[48];
    enum trop_status status = draw_voronoi(panel, v, kappa, conditions[s % CONDITIONS]);

    snprintf(title, sizeof title, "B = diag(1, %.0f)", conditions[s % CONDITIONS]);
    trop_panel_title(panel, title);
    trop_panel_equal(panel);
    trop_panel_bare(panel);
    for (int64_t p = 0; p < POINTS; p++) {
        struct trop_dot dot =
            trop_figure_dot((int64_t)trop_case_array(c, "labels")[s * POINTS + p]);
        dot.size = 3.5;
        trop_panel_dots(panel, x + 2 * p, x + 2 * p + 1, 1, dot, NULL);
    }
    for (int64_t k = 0; k < kappa; k++) {
        trop_panel_dots(
            panel, v + 2 * k, v + 2 * k + 1, 1,
            (struct trop_dot){ .colour = TROP_COLOUR_BLACK, .mark = TROP_MARK_CIRCLE, .size = 6 },
            NULL);
    }
    return status;
}

static enum trop_status picture(struct trop_figure *figure, const struct trop_case *c)
{
    trop_figure_grid(figure, 1, 2);
    enum trop_status status = draw_set(trop_figure_panel(figure, 0, 0), c, 3 * CONDITIONS);
    return status == TROP_OK ? draw_set(trop_figure_panel(figure, 0, 1), c, 3 * CONDITIONS + 1)
                             : status;
}

/* ---- hypotheses, and ways to be wrong ---- */

static enum trop_status equal_energy(struct trop_judge *judge, const struct trop_case *c)
{
    const double *v = trop_case_array(c, "vertices");
    double off = 0;

    for (int64_t s = 0; s < SETS; s++) {
        for (int64_t k = 0; k < kappas[s / CONDITIONS]; k++) {
            const double *w = v + (s * MOST + k) * 2;
            const double energy = w[0] * w[0] + conditions[s % CONDITIONS] * w[1] * w[1];
            off = fmax(off, fabs(energy - 1));
        }
    }
    trop_judge_at_most(judge, "<B v, v> less 1", -1, off, 4e-15, 1e-15);
    return TROP_OK;
}

static enum trop_status off_walls(struct trop_judge *judge, const struct trop_case *c)
{
    double least = INFINITY, lead = 0;

    for (int64_t s = 0; s < SETS; s++) {
        for (int64_t p = 0; p < POINTS; p++) {
            nearest(&lead, trop_case_array(c, "points") + (s * POINTS + p) * 2,
                    trop_case_array(c, "vertices") + s * MOST * 2, kappas[s / CONDITIONS],
                    conditions[s % CONDITIONS]);
            least = fmin(least, lead);
        }
    }
    trop_judge_at_least(judge, "squared distance to the second vertex less the first", -1, least,
                        WALL, 0);
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    { "equal-energy", "vertices have equal energy", equal_energy, 0 },
    { "off-walls", "no point is within 1e-12 of a wall", off_walls, 0 },
    { 0 },
};

static enum trop_status wrong_label(struct trop_case *c)
{
    double *labels = trop_case_array(c, "labels");

    labels[0] = labels[0] == 0;
    return TROP_OK;
}

static enum trop_status longer(struct trop_case *c)
{
    trop_case_array(c, "vertices")[0] *= 1 + 1e-6;
    trop_case_array(c, "vertices")[1] *= 1 + 1e-6;
    return TROP_OK;
}

/* Onto the wall of the first two vertices of a triangle, by moving to the middle of their side. */
static enum trop_status on_wall(struct trop_case *c)
{
    const double *v = trop_case_array(c, "vertices");

    trop_case_array(c, "points")[0] = (v[0] + v[2]) / 2;
    trop_case_array(c, "points")[1] = (v[1] + v[3]) / 2;
    return TROP_OK;
}

static const struct trop_spoil spoils[] = {
    { "one label is wrong", NULL, wrong_label },
    { "one vertex is longer by 1e-6", "equal-energy", longer },
    { "a point is on a wall", "off-walls", on_wall },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "vertices", "(28, 10, 2)", "of the polygons, those behind the last are not read" },
    { "points", "(28, 200, 2)", "to label" },
    { 0 },
};

const struct trop_claim trop_fw_fig_voronoi = {
    .id = "fw-fig-voronoi",
    .title = "cells are Voronoi cells",
    .statement =
        "For vertices of equal energy the cell of each of 5600 random points is that of the "
        "nearest vertex in the norm of B.",
    .status = TROP_CLAIM_PROVED,
    .remark = "0 mismatches of 5600, for the same numbers of vertices and condition numbers; the "
              "points are our own.",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .old_picture = picture,
    .spoils = spoils,
    .trials = 1,
    .width = 420,
    .height = 220,
};
