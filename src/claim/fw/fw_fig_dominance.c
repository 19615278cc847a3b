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

#include "claim/tokens.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define POINTS 7
#define TARGET 2
#define OFF 1e-9

static enum trop_status draw(struct trop_case *c)
{
    double *points = NULL;
    enum trop_status status = trop_case_default(c, "eta", .05);

    if (status == TROP_OK) {
        status = trop_case_default(c, "erode", .03);
    }
    if (status == TROP_OK) {
        status = trop_tokens_count(c, "grid", (double)trop_sample_effort(c, 41, 201, 1000), 1, 1e6);
    }
    if (status == TROP_OK) {
        status = trop_sample_shape(c, "points", POINTS, 2, 0);
    }
    if (status == TROP_OK && !trop_case_has(c, "points")) {
        status = trop_case_make(&points, c, "points", POINTS, 2, 0);
        if (status == TROP_OK) {
            status = trop_fw_figures_points(points, POINTS, 0, 1);
        }
    }
    return status;
}

/* The polygon called name of the target cell into an entry of that name, and its corners. */
static enum trop_status take(struct trop_case *c, const struct trop_cells *cells, const char *name,
                             int64_t row)
{
    double polygon[2 * TROP_FW_CORNERS], *out = NULL;
    int64_t count = 0;
    enum trop_status status = trop_fw_figures_polygon(polygon, &count, cells, name, row);

    if (status == TROP_OK) {
        status = trop_case_make(&out, c, name, count > 0 ? count : 1, 2, 0);
    }
    if (status == TROP_OK) {
        memcpy(out, polygon, (size_t)(2 * count) * sizeof *out);
    }
    return status;
}

/* "outline" (7, 2), the vertices in order, and the target's row among the vertices. */
static enum trop_status take_outline(int64_t *row, struct trop_case *c, struct trop_cells *cells)
{
    const double *x = trop_cells_tokens(cells);
    const int64_t *order = NULL, *vertices = NULL;
    double *outline = NULL;
    const int64_t count = trop_hull_outline(&order, trop_cells_hull(cells));
    enum trop_status status = trop_case_make(&outline, c, "outline", count, 2, 0);

    for (int64_t i = 0; i < count && status == TROP_OK; i++) {
        memcpy(outline + 2 * i, x + 2 * order[i], 2 * sizeof *outline);
    }
    const int64_t all = trop_hull_vertices(&vertices, trop_cells_hull(cells));
    for (int64_t i = 0; i < all; i++) {
        *row = vertices[i] == order[TARGET] ? i : *row;
    }
    return status;
}

static enum trop_status work(struct trop_case *c)
{
    struct trop_cells_options o = trop_cells_options_default();
    struct trop_cells *cells = NULL;
    int64_t row = 0;

    o.cloud.n = POINTS;
    o.cloud.d = 2;
    o.cloud.tokens = trop_case_array(c, "points");
    o.eta = trop_case_number(c, "eta");
    o.erode = trop_case_number(c, "erode");
    o.threads = 1;
    enum trop_status status = trop_cells_create(&cells, &o);
    if (status == TROP_OK) {
        status = take_outline(&row, c, cells);
    }
    if (status == TROP_OK) {
        status = take(c, cells, "polygon", row);
    }
    if (status == TROP_OK) {
        status = take(c, cells, "dominance", row);
    }
    if (status == TROP_OK) {
        status = take(c, cells, "eroded", row);
    }
    trop_cells_free(cells);
    return status;
}

/* ---- the conclusions ---- */

/* The set of the target cut by hand, with eta and radius r: out has room for TROP_FW_CORNERS. */
static int64_t cut(double *out, const struct trop_case *c, double eta, double r)
{
    const double *v = trop_case_array(c, "outline"), *target = v + 2 * TARGET;
    const int64_t n = trop_case_size(c, "outline", 0);
    int64_t count = n;

    memcpy(out, v, (size_t)(2 * n) * sizeof *out);
    for (int64_t i = 0; i < n; i++) {
        /* Inwards of the side from v_i to the next vertex. */
        const double *p = v + 2 * i, *q = v + 2 * ((i + 1) % n);
        const double a = p[1] - q[1], b = q[0] - p[0], length = sqrt(a * a + b * b);
        trop_fw_figures_clip(out, &count, a, b, a * p[0] + b * p[1] + (r > 0 ? r * length : -1));
    }
    for (int64_t j = 0; j < n; j++) {
        const double a = target[0] - v[2 * j], b = target[1] - v[2 * j + 1];
        if (j != TARGET) {
            trop_fw_figures_clip(out, &count, a, b, eta + r * sqrt(a * a + b * b));
        }
    }
    return count;
}

/* 1 when z is in the set by its inequalities, with room on either side; 0 outside; -1 near. */
static int is_member(const struct trop_case *c, const double *z, double eta, double r)
{
    const double *v = trop_case_array(c, "outline"), *target = v + 2 * TARGET;
    const int64_t n = trop_case_size(c, "outline", 0);
    double room = trop_fw_figures_depth(v, n, z) - r;

    for (int64_t j = 0; j < n; j++) {
        const double a = target[0] - v[2 * j], b = target[1] - v[2 * j + 1];
        const double length = sqrt(a * a + b * b);
        if (j != TARGET) {
            room = fmin(room, (a * z[0] + b * z[1] - eta) / length - r);
        }
    }
    return room > OFF ? 1 : room < -OFF ? 0 : -1;
}

static double mismatches(const struct trop_case *c, const char *name, double eta, double r)
{
    const double *polygon = trop_case_array(c, name);
    const int64_t corners = trop_case_size(c, name, 0), grid = trop_case_integer(c, "grid");
    int64_t wrong = 0;

    for (int64_t k = 0; k < grid * grid; k++) {
        const double z[] = { -1 + 2 * (double)(k % grid) / (double)(grid - 1),
                             -1 + 2 * (double)(k / grid) / (double)(grid - 1) };
        const int member = is_member(c, z, eta, r);
        wrong += member >= 0 && (trop_fw_figures_depth(polygon, corners, z) > 0) != member;
    }
    return (double)wrong;
}

static void conclude_set(struct trop_judge *judge, const struct trop_case *c, const char *name,
                         double eta, double r)
{
    double polygon[2 * TROP_FW_CORNERS];
    const int64_t count = cut(polygon, c, eta, r);
    const double area = trop_fw_figures_area(trop_case_array(c, name), trop_case_size(c, name, 0));
    char line[64];

    /* Corners of thin angles move by a few ulp over the sine of the angle, at least .05 here. */
    snprintf(line, sizeof line, "%s: area", name);
    trop_judge_near(judge, line, -1, area, trop_fw_figures_area(polygon, count), 1e-13);
    /* Every wall of the cell goes through the origin, where a cut by hand may leave two corners. */
    if (eta > 0) {
        snprintf(line, sizeof line, "%s: corners", name);
        trop_judge_near(judge, line, -1, (double)trop_case_size(c, name, 0), (double)count, 0);
    }
    snprintf(line, sizeof line, "%s: grid points on the wrong side", name);
    trop_judge_near(judge, line, -1, mismatches(c, name, eta, r), 0, 0);
}

static enum trop_status conclude_dominance(struct trop_judge *judge, const struct trop_case *c)
{
    conclude_set(judge, c, "polygon", 0, 0);
    conclude_set(judge, c, "dominance", .05, 0);
    return TROP_OK;
}

static enum trop_status conclude_erosion(struct trop_judge *judge, const struct trop_case *c)
{
    conclude_set(judge, c, "dominance", .05, 0);
    conclude_set(judge, c, "eroded", .05, .03);
    return TROP_OK;
}

/* ---- pictures ---- */

static void draw_entry(struct trop_panel *panel, const struct trop_case *c, const char *name,
                       int64_t colour, double fade, const char *legend)
{
    const double *p = trop_case_array(c, name);
    const int64_t count = trop_case_size(c, name, 0);
    const struct trop_pen pen = { .colour = TROP_COLOUR_BLACK, .width = .7 };
    double x[TROP_FW_CORNERS], y[TROP_FW_CORNERS];

    for (int64_t k = 0; k < count; k++) {
        x[k] = p[2 * k];
        y[k] = p[2 * k + 1];
    }
    trop_panel_polygon(panel, x, y, count, colour, fade, pen, legend);
}

/* Rays from the origin between neighbouring vertices, which bound the cells. */
static void draw_walls(struct trop_panel *panel, const struct trop_case *c)
{
    const double *v = trop_case_array(c, "outline"), origin = 0;
    const int64_t n = trop_case_size(c, "outline", 0);

    for (int64_t i = 0; i < n; i++) {
        /* With equal norms the wall of two neighbours goes through the middle of their side. */
        const double *p = v + 2 * i, *q = v + 2 * ((i + 1) % n);
        const double x[] = { 0, (p[0] + q[0]) / 2 }, y[] = { 0, (p[1] + q[1]) / 2 };
        trop_panel_line(panel, x, y, 2,
                        (struct trop_pen){ .colour = TROP_COLOUR_BLACK, .width = .5 }, NULL);
        trop_panel_dots(panel, p, p + 1, 1,
                        (struct trop_dot){ .colour = TROP_COLOUR_BLACK, .mark = TROP_MARK_CIRCLE },
                        NULL);
    }
    trop_panel_text(panel, 1.12 * v[2 * TARGET], 1.12 * v[2 * TARGET + 1], "v₃", 0, 0,
                    TROP_COLOUR_BLACK);
    trop_panel_dots(panel, &origin, &origin, 1,
                    (struct trop_dot){ .colour = TROP_COLOUR_BLACK, .mark = TROP_MARK_CROSS },
                    NULL);
}

static struct trop_panel *begin(struct trop_figure *figure, const struct trop_case *c)
{
    struct trop_panel *panel = trop_figure_panel(figure, 0, 0);

    trop_panel_equal(panel);
    trop_panel_bare(panel);
    trop_panel_range_x(panel, -1.2, 1.2);
    trop_panel_range_y(panel, -1.2, 1.2);
    draw_entry(panel, c, "outline", TROP_COLOUR_WHITE, 0, NULL);
    draw_entry(panel, c, "polygon", TROP_COLOUR_LIGHT, .3, "cell");
    return panel;
}

static enum trop_status picture_dominance(struct trop_figure *figure, const struct trop_case *c)
{
    struct trop_panel *panel = begin(figure, c);

    draw_entry(panel, c, "dominance", 2, .3, "I(η), η = .05");
    draw_walls(panel, c);
    return TROP_OK;
}

static enum trop_status picture_erosion(struct trop_figure *figure, const struct trop_case *c)
{
    struct trop_panel *panel = begin(figure, c);

    draw_entry(panel, c, "dominance", 2, .7, "I(η), η = .05");
    draw_entry(panel, c, "eroded", 3, .2, "eroded by .03");
    draw_walls(panel, c);
    return TROP_OK;
}

/* ---- hypotheses, and ways to be wrong ---- */

static enum trop_status set_up(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_truth(judge, "eta = .05 and radius .03", -1,
                     trop_case_number(c, "eta") == .05 && trop_case_number(c, "erode") == .03);
    return TROP_OK;
}

static enum trop_status on_circle(struct trop_judge *judge, const struct trop_case *c)
{
    const double *x = trop_case_array(c, "points");

    for (int64_t i = 0; i < POINTS; i++) {
        trop_judge_truth(judge, "norms are 1", -1,
                         fabs(sqrt(x[2 * i] * x[2 * i] + x[2 * i + 1] * x[2 * i + 1]) - 1) < 1e-12);
    }
    return TROP_OK;
}

static enum trop_status more_eta(struct trop_case *c)
{
    enum trop_status status = trop_case_put(c, "eta", .05 + 1e-6);

    if (status == TROP_OK) {
        status = work(c);
    }
    return status == TROP_OK ? trop_case_put(c, "eta", .05) : status;
}

static enum trop_status less_erosion(struct trop_case *c)
{
    enum trop_status status = trop_case_put(c, "erode", .03 - 1e-6);

    if (status == TROP_OK) {
        status = work(c);
    }
    return status == TROP_OK ? trop_case_put(c, "erode", .03) : status;
}

static enum trop_status other_eta(struct trop_case *c)
{
    return trop_case_put(c, "eta", .1);
}

static enum trop_status longer(struct trop_case *c)
{
    double *x = trop_case_array(c, "points");

    x[0] *= 1.5;
    x[1] *= 1.5;
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    { "set-up", "eta = .05 and radius .03", set_up, 0 },
    { "circle", "the points have norm 1", on_circle, 0 },
    { 0 },
};

static const struct trop_spoil dominance_spoils[] = {
    { "the cone is that of eta larger by 1e-6", NULL, more_eta },
    { "eta = .1", "set-up", other_eta },
    { "one point is half as long again", "circle", longer },
    { 0 },
};

static const struct trop_spoil erosion_spoils[] = {
    { "the erosion is smaller by 1e-6", NULL, less_erosion },
    { "eta = .1", "set-up", other_eta },
    { "one point is half as long again", "circle", longer },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "points", "(7, 2)", "on the unit circle" },
    { "eta", "", "of the dominance cone" },
    { "erode", "", "radius of the erosion" },
    { "grid", "", "points along each side of the grid" },
    { 0 },
};

const struct trop_claim trop_fw_fig_dominance = {
    .id = "fw-fig-dominance",
    .title = "a strict dominance cone",
    .statement = "Of seven random points of the circle the cone I(eta) of the third vertex, eta = "
                 ".05, is its cell with the walls moved inwards.",
    .status = TROP_CLAIM_MEASURED,
    .remark = "The points are those of numpy's default_rng(42). The third vertex is counted "
              "counterclockwise from the first point.",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude_dominance,
    .old_picture = picture_dominance,
    .spoils = dominance_spoils,
    .trials = 1,
    .width = 300,
    .height = 270,
};

const struct trop_claim trop_fw_fig_erosion = {
    .id = "fw-fig-erosion",
    .title = "an eroded dominance cone",
    .statement = "The erosion of the same cone by a disc of radius .03 is the polygon between the "
                 "lines moved inwards once more.",
    .status = TROP_CLAIM_MEASURED,
    .remark = "The points are those of numpy's default_rng(42). The third vertex is counted "
              "counterclockwise from the first point.",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude_erosion,
    .old_picture = picture_erosion,
    .spoils = erosion_spoils,
    .trials = 1,
    .width = 300,
    .height = 270,
};
