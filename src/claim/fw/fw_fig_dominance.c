/* fw_fig_dominance.c -- strict dominance cones and their erosion (Frank-Wolfe paper, section 5).
 *
 *   I_i(eta) = { x in K : <v_i - v_j, x> >= eta for all j != i },   I_i(eta) - r B_1:
 *
 * where tokens of theorem 5.2 start. The figures have seven points of the circle, the third vertex,
 * eta = .05 and the radius .03; the points are those of numpy's default_rng(42). Which vertex is
 * the third depends on where a hull begins to be listed; here it is counted counterclockwise from
 * the point drawn first.
 *
 * The areas are compared with those of the polygon cut by hand: K and half-planes <v_i - v_j, x> >=
 * eta, all moved inwards by the radius for the erosion. And as the authors do it, with a grid: a
 * grid point deeper than 1e-9 in the polygon satisfies the inequalities, one farther outside fails
 * one of them.
 */
#include "claim/fw/fw_figures.h"

#include <math.h>
#include <string.h>

#define POINTS 7
#define TARGET 2
#define OFF 1e-9

static void draw(struct trop_case *c)
{
    trop_case_default(c, "eta", .05);
    trop_case_default(c, "erode", .03);
    trop_tokens_count(c, "grid", (double)trop_sample_effort(c, 41, 201, 1000), 1, 1e6);
    trop_sample_shape(c, "points", POINTS, 2, 0);
    double *points = trop_case_absent(c, "points", POINTS, 2, 0);
    if (points) {
        trop_fw_figures_points(points, c, POINTS, 0, 1);
    }
}

/* The polygon called name of a cell into an entry of that name. */
static void take(struct trop_case *c, const struct trop_cells *cells, const char *name, int64_t row)
{
    double polygon[2 * TROP_FW_CORNERS] = { 0 };
    const int64_t count = trop_fw_figures_polygon(polygon, c, cells, name, row);

    trop_case_copy_in(c, name, polygon, count > 0 ? count : 1, 2, 0);
}

/* "outline" (7, 2), the vertices in order; "polygon", "dominance" and "eroded" of the target. */
static void work(struct trop_case *c)
{
    const struct trop_view points = trop_case_view(c, "points");
    struct trop_cells *cells = trop_case_cells(c, points, NULL, "eta=@eta erode=@erode");
    const int64_t *order = NULL, *vertices = NULL;
    const int64_t count = trop_hull_outline(&order, trop_cells_hull(cells));
    double *outline = trop_case_zeros(c, "outline", count, 2, 0);
    int64_t row = 0;

    for (int64_t i = 0; i < count; i++) {
        memcpy(outline + 2 * i, trop_case_view_row(points, order[i]), 2 * sizeof *outline);
    }
    const int64_t all = trop_hull_vertices(&vertices, trop_cells_hull(cells));
    for (int64_t i = 0; i < all; i++) {
        row = vertices[i] == order[TARGET] ? i : row;
    }
    take(c, cells, "polygon", row);
    take(c, cells, "dominance", row);
    take(c, cells, "eroded", row);
}

/* ---- the conclusions ---- */

/* The set of the target with eta and radius r, as half-planes a x + b y >= c: out (2 n, 3), the
 * sides of K, then the walls of the other vertices; returns how many. */
static int64_t half_planes(double out[][3], const struct trop_case *c, double eta, double r)
{
    const struct trop_view v = trop_case_view(c, "outline");
    const double *target = v.at + 2 * TARGET;
    int64_t count = 0;

    for (int64_t k = 0; k < 2 * v.rows; k++) {
        const double *p = v.at + 2 * (k % v.rows), *q = v.at + 2 * ((k + 1) % v.rows);
        const int is_side = k < v.rows;
        /* Inwards of the side from v_i to the next vertex; of a wall from v_j to the target. */
        const double a = is_side ? p[1] - q[1] : target[0] - p[0];
        const double b = is_side ? q[0] - p[0] : target[1] - p[1];
        if (is_side || p != target) {
            out[count][0] = a;
            out[count][1] = b;
            out[count++][2] = (is_side ? a * p[0] + b * p[1] : eta) + r * sqrt(a * a + b * b);
        }
    }
    return count;
}

/* The same cut by hand: out has room for TROP_FW_CORNERS. Sides that are not moved cut nothing. */
static int64_t cut(double *out, const struct trop_case *c, double eta, double r)
{
    const struct trop_view v = trop_case_view(c, "outline");
    double planes[2 * POINTS][3];
    const int64_t all = half_planes(planes, c, eta, r);
    int64_t count = v.rows;

    memcpy(out, v.at, (size_t)(2 * v.rows) * sizeof *out);
    for (int64_t k = r > 0 ? 0 : v.rows; k < all; k++) {
        trop_fw_figures_clip(out, &count, planes[k][0], planes[k][1], planes[k][2]);
    }
    return count;
}

/* 1 when z is in all of the half-planes, with room; 0 outside; -1 near. */
static int is_member(double planes[][3], int64_t count, const double *z)
{
    double room = INFINITY;

    for (int64_t k = 0; k < count; k++) {
        const double *p = planes[k], length = sqrt(p[0] * p[0] + p[1] * p[1]);
        room = fmin(room, (p[0] * z[0] + p[1] * z[1] - p[2]) / length);
    }
    return room > OFF ? 1 : room < -OFF ? 0 : -1;
}

static void conclude_set(struct trop_judge *judge, const struct trop_case *c, const char *name,
                         double eta, double r)
{
    const struct trop_view polygon = trop_case_view(c, name);
    const int64_t grid = trop_case_integer(c, "grid");
    double by_hand[2 * TROP_FW_CORNERS], planes[2 * POINTS][3], wrong = 0, z[2];
    const int64_t count = cut(by_hand, c, eta, r), all = half_planes(planes, c, eta, r);

    /* Corners of thin angles move by a few ulp over the sine of the angle, at least .05 here. */
    trop_judge_compare(judge, trop_fw_figures_area(polygon.at, polygon.rows),
                       trop_fw_figures_area(by_hand, count), 1e-13, "%s: area", name);
    /* Every wall of the cell goes through the origin, where a cut by hand may leave two corners. */
    if (eta > 0) {
        trop_judge_compare(judge, (double)polygon.rows, (double)count, 0, "%s: corners", name);
    }
    for (int64_t k = 0; k < grid * grid; k++) {
        trop_fw_figures_grid(z, k, grid);
        const int member = is_member(planes, all, z);
        wrong += member >= 0 && (trop_fw_figures_depth(polygon.at, polygon.rows, z) > 0) != member;
    }
    trop_judge_compare(judge, wrong, 0, 0, "%s: grid points on the wrong side", name);
}

static void conclude_dominance(struct trop_judge *judge, const struct trop_case *c)
{
    conclude_set(judge, c, "polygon", 0, 0);
    conclude_set(judge, c, "dominance", .05, 0);
}

static void conclude_erosion(struct trop_judge *judge, const struct trop_case *c)
{
    conclude_set(judge, c, "dominance", .05, 0);
    conclude_set(judge, c, "eroded", .05, .03);
}

/* ---- pictures ---- */

static void draw_entry(struct trop_panel *panel, const struct trop_case *c, const char *name,
                       int64_t colour, double fade, const char *legend)
{
    const struct trop_view p = trop_case_view(c, name);

    trop_fw_figures_fill(panel, p.at, p.rows, colour, fade, .7, legend);
}

static struct trop_panel *draw_cell(struct trop_figure *figure, const struct trop_case *c)
{
    struct trop_panel *panel = trop_fw_figures_plane(figure, 0, 0, NULL);

    trop_panel_range_x(panel, -1.2, 1.2);
    trop_panel_range_y(panel, -1.2, 1.2);
    draw_entry(panel, c, "outline", TROP_COLOUR_WHITE, 0, NULL);
    draw_entry(panel, c, "polygon", TROP_COLOUR_LIGHT, .3, "cell");
    return panel;
}

/* Rays from the origin between neighbouring vertices, which bound the cells. */
static void draw_walls(struct trop_panel *panel, const struct trop_case *c)
{
    const struct trop_view v = trop_case_view(c, "outline");
    const double origin[] = { 0, 0 };

    for (int64_t i = 0; i < v.rows; i++) {
        /* With equal norms the wall of two neighbours goes through the middle of their side. */
        const double *p = v.at + 2 * i, *q = v.at + 2 * ((i + 1) % v.rows);
        const double x[] = { 0, (p[0] + q[0]) / 2 }, y[] = { 0, (p[1] + q[1]) / 2 };
        trop_panel_line(panel, x, y, 2,
                        (struct trop_pen){ .colour = TROP_COLOUR_BLACK, .width = .5 }, NULL);
        trop_fw_figures_marks(panel, p, 1, TROP_MARK_CIRCLE, 0);
    }
    trop_panel_text(panel, 1.12 * v.at[2 * TARGET], 1.12 * v.at[2 * TARGET + 1], "v₃", 0, 0,
                    TROP_COLOUR_BLACK);
    trop_fw_figures_marks(panel, origin, 1, TROP_MARK_CROSS, 0);
}

static void picture_dominance(struct trop_figure *figure, const struct trop_case *c)
{
    struct trop_panel *panel = draw_cell(figure, c);

    draw_entry(panel, c, "dominance", 2, .3, "I(η), η = .05");
    draw_walls(panel, c);
}

static void picture_erosion(struct trop_figure *figure, const struct trop_case *c)
{
    struct trop_panel *panel = draw_cell(figure, c);

    draw_entry(panel, c, "dominance", 2, .7, "I(η), η = .05");
    draw_entry(panel, c, "eroded", 3, .2, "eroded by .03");
    draw_walls(panel, c);
}

/* ---- hypotheses, and ways to be wrong ---- */

static void on_circle(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view x = trop_case_view(c, "points");

    for (int64_t i = 0; i < x.rows; i++) {
        trop_judge_truth(judge, "norms are 1", -1,
                         fabs(trop_tokens_norm(trop_case_view_row(x, i), 2) - 1) < 1e-12);
    }
}

static const struct trop_hypothesis hypotheses[] = {
    { "set-up", "eta = .05 and radius .03",
      .holds = "eta = .05 and radius .03: eta == .05 and erode == .03", .broken = "eta = .1",
      .edit = "eta = .1" },
    { "circle", "the points have norm 1", .judge = on_circle,
      .broken = "one point is half as long again", .edit = "points[0] *= 1.5" },
    { 0 },
};

#define FIGURE \
    .status = TROP_CLAIM_MEASURED, \
    .remark = "The points are those of numpy's default_rng(42). The third vertex is counted " \
              "counterclockwise from the first point.", \
    .inputs = "points eta erode grid", .hypotheses = hypotheses, .size = { 300, 270 }

const struct trop_claim trop_fw_fig_dominance = {
    .id = "fw-fig-dominance",
    .title = "a strict dominance cone",
    .statement = "Of seven random points of the circle the cone I(eta) of the third vertex, eta = "
                 ".05, is its cell with the walls moved inwards.",
    FIGURE,
    .run = { draw, work, conclude_dominance, picture_dominance },
    .spoils =
        TROP_SPOILS({ "the cone is that of eta larger by 1e-6", .edit = "work with eta += 1e-6" }),
};

const struct trop_claim trop_fw_fig_erosion = {
    .id = "fw-fig-erosion",
    .title = "an eroded dominance cone",
    .statement = "The erosion of the same cone by a disc of radius .03 is the polygon between the "
                 "lines moved inwards once more.",
    FIGURE,
    .run = { draw, work, conclude_erosion, picture_erosion },
    .spoils = TROP_SPOILS({ "the erosion is smaller by 1e-6", .edit = "work with erode -= 1e-6" }),
};
