/* fw_fig_cells.c -- the cells of random polygons (Frank-Wolfe paper, section 4.1).
 *
 *   C_i = { x in K : <x, v_i - v_j> >= 0 for all j },   B = I:
 *
 * the points that hardmax sends to the vertex v_i. The figures show k random points, all of norm 1
 * (eq) or of norms on (.4, 1) (var), for k up to 25; those of the latter that label by v/|v| show
 * other sets and are left out. The authors colour a grid of 1000 x 1000 points by their best
 * vertex; here the cells are polygons, cut out exactly, and the grid is the check:
 *
 *   - areas of the cells add up to that of K (each corner is within the proved band of its place,
 * so an area errs by the band times a perimeter, below 8);
 *   - a grid point of K deeper than 1e-9 in a polygon has its vertex as its best one;
 *   - with equal norms every vertex owns its cell, and there are as many cells as points.
 */
#include "claim/fw/fw_figures.h"

#include "claim/tokens.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST 25 /* points of a set */
#define SETS 18
#define OFF 1e-9 /* least distance of compared points from a wall */

static const struct set {
    int64_t k;
    int unequal, all_vertices;
} sets[SETS] = {
    { 3, 0, 1 },  { 4, 0, 1 },  { 5, 0, 1 },  { 6, 0, 1 },  { 7, 0, 1 },  { 9, 0, 1 },
    { 10, 0, 1 }, { 16, 0, 1 }, { 25, 0, 1 }, { 5, 1, 1 },  { 9, 1, 1 },  { 5, 1, 0 },
    { 6, 1, 0 },  { 7, 1, 0 },  { 9, 1, 0 },  { 10, 1, 0 }, { 16, 1, 0 }, { 18, 1, 0 },
};

/* ---- the points, and their cells ---- */

/* "points" (SETS, MOST, 2), NaN behind the last, and "grid". */
static enum trop_status draw(struct trop_case *c)
{
    double *points = NULL;
    enum trop_status status =
        trop_tokens_count(c, "grid", (double)trop_sample_effort(c, 41, 201, 1000), 1, 1e6);

    if (status == TROP_OK) {
        status = trop_sample_shape(c, "points", SETS, MOST, 2);
    }
    if (status != TROP_OK || trop_case_has(c, "points")) {
        return status;
    }
    status = trop_case_make(&points, c, "points", SETS, MOST, 2);
    for (int64_t s = 0; s < SETS && status == TROP_OK; s++) {
        double *x = points + s * MOST * 2;
        for (int64_t k = 0; k < 2 * MOST; k++) {
            x[k] = NAN;
        }
        status = trop_fw_figures_points(x, sets[s].k, sets[s].unequal, sets[s].all_vertices);
    }
    return status;
}

static enum trop_status cells_of(struct trop_cells **out, const double *x, int64_t n)
{
    struct trop_cells_options o = trop_cells_options_default();

    o.cloud.n = n;
    o.cloud.d = 2;
    o.cloud.tokens = x;
    o.threads = 1;
    return trop_cells_create(out, &o);
}

/* Cells of set s into "polygons" (SETS MOST, TROP_FW_CORNERS, 2), corners in "corners" (SETS, MOST)
 * by token; -1 for a token that is no vertex. Its area, band and owners into "sums" (SETS, 4). */
static enum trop_status take(struct trop_case *c, int64_t s)
{
    const double *x = trop_case_array(c, "points") + s * MOST * 2;
    double *corners = trop_case_array(c, "corners") + s * MOST;
    double *sums = trop_case_array(c, "sums") + s * 4;
    struct trop_cells *cells = NULL;
    struct trop_value vertices = { 0 }, owns = { 0 }, origin = { 0 };
    enum trop_status status = cells_of(&cells, x, sets[s].k);

    if (status == TROP_OK) {
        status = trop_cells_value(&vertices, cells, "vertices");
    }
    if (status == TROP_OK) {
        status = trop_cells_value(&owns, cells, "owns_cell");
    }
    if (status == TROP_OK) {
        status = trop_cells_value(&origin, cells, "contains_origin");
    }
    for (int64_t i = 0; i < MOST; i++) {
        corners[i] = -1;
    }
    for (int64_t row = 0; status == TROP_OK && row < vertices.shape[0]; row++) {
        const int64_t i = vertices.integers[row];
        double *polygon = trop_case_array(c, "polygons") + (s * MOST + i) * TROP_FW_CORNERS * 2;
        int64_t count = 0;
        status = trop_fw_figures_polygon(polygon, &count, cells, "polygon", row);
        corners[i] = (double)count;
        sums[2] += (double)owns.integers[row];
    }
    if (status == TROP_OK) {
        status = trop_cells_number(sums, cells, "volume");
    }
    if (status == TROP_OK) {
        status = trop_cells_number(sums + 1, cells, "band");
    }
    sums[3] = origin.kind == TROP_KIND_BOOLEAN ? (double)origin.integer : -1;
    trop_cells_free(cells);
    return status;
}

static enum trop_status work(struct trop_case *c)
{
    double *unused = NULL;
    enum trop_status status =
        trop_case_make(&unused, c, "polygons", SETS * MOST, TROP_FW_CORNERS, 2);

    if (status == TROP_OK) {
        status = trop_case_make(&unused, c, "corners", SETS, MOST, 0);
    }
    if (status == TROP_OK) {
        status = trop_case_make(&unused, c, "sums", SETS, 4, 0);
    }
    for (int64_t s = 0; s < SETS && status == TROP_OK; s++) {
        status = take(c, s);
    }
    return status;
}

/* ---- the checks ---- */

struct view {
    const double *x, *polygons, *corners, *sums;
    int64_t n;
};

static struct view view_of(const struct trop_case *c, int64_t s)
{
    return (struct view){ .x = trop_case_array(c, "points") + s * MOST * 2,
                          .polygons =
                              trop_case_array(c, "polygons") + s * MOST * TROP_FW_CORNERS * 2,
                          .corners = trop_case_array(c, "corners") + s * MOST,
                          .sums = trop_case_array(c, "sums") + s * 4,
                          .n = sets[s].k };
}

/* The point that scores best with z. */
static int64_t best(const struct view *v, const double *z)
{
    int64_t at = 0;
    double top = -INFINITY;

    for (int64_t i = 0; i < v->n; i++) {
        const double score = v->x[2 * i] * z[0] + v->x[2 * i + 1] * z[1];
        if (score > top) {
            top = score;
            at = i;
        }
    }
    return at;
}

/* Grid points that are well inside a cell and have another best point. */
static int64_t mismatches(const struct view *v, int64_t grid)
{
    int64_t wrong = 0;

    for (int64_t k = 0; k < grid * grid; k++) {
        const double z[] = { -1 + 2 * (double)(k % grid) / (double)(grid - 1),
                             -1 + 2 * (double)(k / grid) / (double)(grid - 1) };
        for (int64_t i = 0; i < v->n; i++) {
            const double *polygon = v->polygons + i * TROP_FW_CORNERS * 2;
            if (v->corners[i] > 2 &&
                trop_fw_figures_depth(polygon, (int64_t)v->corners[i], z) > OFF) {
                wrong += best(v, z) != i;
                break;
            }
        }
    }
    return wrong;
}

static void conclude_set(struct trop_judge *judge, const struct trop_case *c, int64_t s)
{
    const struct view v = view_of(c, s);
    double area = 0, cells = 0, vertices = 0;
    char line[64], name[32];

    snprintf(name, sizeof name, "k %lld, %s, %s", (long long)v.n, sets[s].unequal ? "var" : "eq",
             sets[s].all_vertices ? "bij" : "free");
    for (int64_t i = 0; i < v.n; i++) {
        vertices += v.corners[i] >= 0;
        cells += v.corners[i] > 2;
        area += trop_fw_figures_area(v.polygons + i * TROP_FW_CORNERS * 2,
                                     v.corners[i] > 0 ? (int64_t)v.corners[i] : 0);
    }
    snprintf(line, sizeof line, "%s: sum of the areas", name);
    trop_judge_near(judge, line, -1, area, v.sums[0], 8 * (double)v.n * (v.sums[1] + 1e-15));
    snprintf(line, sizeof line, "%s: grid points of another cell", name);
    trop_judge_near(judge, line, -1, (double)mismatches(&v, trop_case_integer(c, "grid")), 0, 0);
    if (sets[s].all_vertices) {
        snprintf(line, sizeof line, "%s: vertices", name);
        trop_judge_near(judge, line, -1, vertices, (double)v.n, 0);
    }
    if (!sets[s].unequal) {
        snprintf(line, sizeof line, "%s: vertices that own their cell", name);
        trop_judge_near(judge, line, -1, v.sums[2], (double)v.n, 0);
    }
    /* Around an inner origin every vertex has a wedge. */
    snprintf(line, sizeof line, "%s: cells", name);
    if (v.sums[3] == 1) {
        trop_judge_near(judge, line, -1, cells, vertices, 0);
    }
}

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    for (int64_t s = 0; s < SETS; s++) {
        conclude_set(judge, c, s);
    }
    return TROP_OK;
}

/* ---- the picture: six of the sets ---- */

/* Colours (MOST) by the order around the hull, so that neighbours differ. */
static enum trop_status colours_of(int64_t *out, const struct view *v)
{
    struct trop_hull *hull = NULL;
    const int64_t *outline = NULL;
    enum trop_status status = trop_hull_create(&hull, v->x, v->n, 2, 1);
    const int64_t count = status == TROP_OK ? trop_hull_outline(&outline, hull) : 0;

    memset(out, 0, MOST * sizeof *out);
    for (int64_t k = 0; k < count; k++) {
        out[outline[k]] = k;
    }
    trop_hull_free(hull);
    return status;
}

static enum trop_status draw_set(struct trop_panel *panel, const struct trop_case *c, int64_t s)
{
    const struct view v = view_of(c, s);
    int64_t colours[MOST];
    const struct trop_pen outline = { .colour = TROP_COLOUR_BLACK, .width = .6 };
    double x[TROP_FW_CORNERS], y[TROP_FW_CORNERS];
    char label[32];
    enum trop_status status = colours_of(colours, &v);

    snprintf(label, sizeof label, "k = %lld, %s", (long long)v.n,
             sets[s].unequal ? "norms on (.4, 1)" : "equal norms");
    trop_panel_title(panel, label);
    trop_panel_equal(panel);
    trop_panel_bare(panel);
    for (int64_t i = 0; i < v.n; i++) {
        const int64_t count = v.corners[i] > 2 ? (int64_t)v.corners[i] : 0;
        double middle[2] = { 0, 0 };
        for (int64_t k = 0; k < count; k++) {
            x[k] = v.polygons[(i * TROP_FW_CORNERS + k) * 2];
            y[k] = v.polygons[(i * TROP_FW_CORNERS + k) * 2 + 1];
            middle[0] += x[k] / (double)count;
            middle[1] += y[k] / (double)count;
        }
        trop_panel_polygon(panel, x, y, count, colours[i], .45, outline, NULL);
        if (count > 0 && v.n <= 5) {
            snprintf(label, sizeof label, "C%lld", (long long)i + 1);
            trop_panel_text(panel, middle[0], middle[1], label, 0, 0, TROP_COLOUR_BLACK);
        }
    }
    for (int64_t i = 0; i < v.n; i++) {
        const struct trop_dot dot = { .colour = TROP_COLOUR_BLACK,
                                      .mark = v.corners[i] >= 0 ? TROP_MARK_CIRCLE : TROP_MARK_DISC,
                                      .size = v.corners[i] >= 0 ? 4 : 2.5 };
        trop_panel_dots(panel, v.x + 2 * i, v.x + 2 * i + 1, 1, dot, NULL);
    }
    const double origin = 0;
    trop_panel_dots(panel, &origin, &origin, 1,
                    (struct trop_dot){ .colour = TROP_COLOUR_BLACK, .mark = TROP_MARK_CROSS },
                    NULL);
    return status;
}

static enum trop_status picture(struct trop_figure *figure, const struct trop_case *c)
{
    static const int64_t shown[] = { 1, 2, 8, 9, 11, 17 };

    enum trop_status status = TROP_OK;

    trop_figure_grid(figure, 2, 3);
    for (int64_t k = 0; k < 6 && status == TROP_OK; k++) {
        status = draw_set(trop_figure_panel(figure, k / 3, k % 3), c, shown[k]);
    }
    return status;
}

/* ---- hypotheses, and ways to be wrong ---- */

static enum trop_status bounded(struct trop_judge *judge, const struct trop_case *c)
{
    const double *x = trop_case_array(c, "points");

    for (int64_t s = 0; s < SETS; s++) {
        for (int64_t i = 0; i < sets[s].k; i++) {
            const double *p = x + (s * MOST + i) * 2, norm = sqrt(p[0] * p[0] + p[1] * p[1]);
            trop_judge_truth(judge, "norms are 1, or on (.4, 1)", -1,
                             sets[s].unequal ? norm >= .4 && norm <= 1 : fabs(norm - 1) < 1e-12);
        }
    }
    return TROP_OK;
}

/* The corner of a cell that is nearest to the origin is the origin itself; the farthest is moved.
 */
static enum trop_status move_corner(struct trop_case *c)
{
    double *polygon = trop_case_array(c, "polygons");
    const int64_t count = (int64_t)trop_case_array(c, "corners")[0];

    for (int64_t k = 0; k < count; k++) {
        polygon[2 * k] *= 1 + 1e-6;
        polygon[2 * k + 1] *= 1 + 1e-6;
    }
    return TROP_OK;
}

/* The cells of two vertices change places. */
static enum trop_status swap_cells(struct trop_case *c)
{
    double *a = trop_case_array(c, "polygons"), *b = a + TROP_FW_CORNERS * 2;
    double *corners = trop_case_array(c, "corners");

    for (int64_t k = 0; k < TROP_FW_CORNERS * 2; k++) {
        const double kept = a[k];
        a[k] = b[k];
        b[k] = kept;
    }
    const double kept = corners[0];
    corners[0] = corners[1];
    corners[1] = kept;
    return TROP_OK;
}

static enum trop_status longer(struct trop_case *c)
{
    double *x = trop_case_array(c, "points");

    x[0] *= 1.5;
    x[1] *= 1.5;
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    { "norms", "points have norm 1, or norms on (.4, 1)", bounded, 0 },
    { 0 },
};

static const struct trop_spoil spoils[] = {
    { "a cell is larger by 1e-6", NULL, move_corner },
    { "the cells of two vertices change places", NULL, swap_cells },
    { "one point is half as long again", "norms", longer },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "points", "(18, 25, 2)", "the sets of points, NaN behind the last of each" },
    { "grid", "", "points along each side of the grid" },
    { 0 },
};

const struct trop_claim trop_fw_fig_cells = {
    .id = "fw-fig-cells",
    .title = "cells of random polygons",
    .statement = "The cells of 3 to 25 random points of the plane partition their hull; with equal "
                 "norms each point owns one.",
    .status = TROP_CLAIM_MEASURED,
    .remark =
        "The points are those of numpy's default_rng(42), drawn as in the authors' code; 18 of "
        "their 28 files, without those that label by normalised vertices. Cells are exact "
        "polygons, compared with a grid.",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .old_picture = picture,
    .spoils = spoils,
    .trials = 1,
    .width = 480,
    .height = 340,
};
