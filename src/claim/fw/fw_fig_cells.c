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
 *     so an area errs by the band times a perimeter, below 8);
 *   - a grid point of K deeper than 1e-9 in a polygon has its vertex as its best one;
 *   - with equal norms every vertex owns its cell, and there are as many cells as points.
 */
#include "claim/fw/fw_figures.h"

#include <math.h>
#include <stdio.h>

#define MOST 25 /* points of a set */
#define SETS 18
#define OFF 1e-9 /* least distance of compared points from a wall */

static const struct {
    int64_t k;
    int unequal, all_vertices;
} sets[SETS] = {
    { 3, 0, 1 },  { 4, 0, 1 },  { 5, 0, 1 },  { 6, 0, 1 },  { 7, 0, 1 },  { 9, 0, 1 },
    { 10, 0, 1 }, { 16, 0, 1 }, { 25, 0, 1 }, { 5, 1, 1 },  { 9, 1, 1 },  { 5, 1, 0 },
    { 6, 1, 0 },  { 7, 1, 0 },  { 9, 1, 0 },  { 10, 1, 0 }, { 16, 1, 0 }, { 18, 1, 0 },
};

/* ---- the points, and their cells ---- */

/* "points" (SETS, MOST, 2), NaN behind the last, and "grid". */
static void draw(struct trop_case *c)
{
    trop_tokens_count(c, "grid", (double)trop_sample_effort(c, 41, 201, 1000), 1, 1e6);
    trop_sample_shape(c, "points", SETS, MOST, 2);
    double *x = trop_case_absent(c, "points", SETS, MOST, 2);
    for (int64_t s = 0; s < SETS && x; s++, x += MOST * 2) {
        for (int64_t k = 0; k < 2 * MOST; k++) {
            x[k] = NAN;
        }
        trop_fw_figures_points(x, c, sets[s].k, sets[s].unequal, sets[s].all_vertices);
    }
}

/* A set: its points (n, 2), the polygons of their cells (n, TROP_FW_CORNERS, 2) with so many
 * corners each, -1 for a point that is no vertex, and in sums the area of K, the band of the
 * corners, how many points own their cell, and whether 0 is in K (-1: on its boundary). */
struct cells {
    double *x, *polygons, *corners, *sums;
    int64_t n;
};

static struct cells cells_of(const struct trop_case *c, int64_t s)
{
    return (struct cells){ .x = trop_case_view_row(trop_case_view(c, "points"), s),
                           .polygons = trop_case_view_row(trop_case_view(c, "polygons"), s * MOST),
                           .corners = trop_case_view_row(trop_case_view(c, "corners"), s),
                           .sums = trop_case_view_row(trop_case_view(c, "sums"), s),
                           .n = sets[s].k };
}

static void work(struct trop_case *c)
{
    trop_case_zeros(c, "polygons", SETS * MOST, TROP_FW_CORNERS, 2);
    double *corners = trop_case_zeros(c, "corners", SETS, MOST, 0);
    trop_case_zeros(c, "sums", SETS, 4, 0);
    for (int64_t k = 0; k < SETS * MOST; k++) {
        corners[k] = -1;
    }
    for (int64_t s = 0; s < SETS; s++) {
        const struct cells v = cells_of(c, s);
        struct trop_cells *cells =
            trop_case_cells(c, (struct trop_view){ v.x, v.n, 2, 1 }, NULL, "threads=1");
        struct trop_value vertices = { 0 }, owns = { 0 };
        trop_case_try(c, trop_cells_value(&vertices, cells, "vertices"));
        trop_case_try(c, trop_cells_value(&owns, cells, "owns_cell"));
        for (int64_t row = 0; row < vertices.shape[0]; row++) {
            const int64_t i = vertices.integers[row];
            v.corners[i] = (double)trop_fw_figures_polygon(v.polygons + i * TROP_FW_CORNERS * 2, c,
                                                           cells, "polygon", row);
            v.sums[2] += (double)owns.integers[row];
        }
        const double origin = trop_case_told(c, trop_cells_field_table(), cells, "contains_origin");
        v.sums[0] = trop_case_told(c, trop_cells_field_table(), cells, "volume");
        v.sums[1] = trop_case_told(c, trop_cells_field_table(), cells, "band");
        v.sums[3] = isnan(origin) ? -1 : origin;
    }
}

/* ---- the checks ---- */

/* The point that scores best with z. */
static int64_t best(const struct cells *v, const double *z)
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
static double mismatches(const struct cells *v, int64_t grid)
{
    double wrong = 0, z[2];

    for (int64_t k = 0; k < grid * grid; k++) {
        trop_fw_figures_grid(z, k, grid);
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
    const struct cells v = cells_of(c, s);
    double area = 0, cells = 0, vertices = 0;
    char name[32];

    snprintf(name, sizeof name, "k %lld, %s, %s", (long long)v.n, sets[s].unequal ? "var" : "eq",
             sets[s].all_vertices ? "bij" : "free");
    for (int64_t i = 0; i < v.n; i++) {
        vertices += v.corners[i] >= 0;
        cells += v.corners[i] > 2;
        area += trop_fw_figures_area(v.polygons + i * TROP_FW_CORNERS * 2,
                                     v.corners[i] > 0 ? (int64_t)v.corners[i] : 0);
    }
    trop_judge_compare(judge, area, v.sums[0], 8 * (double)v.n * (v.sums[1] + 1e-15),
                       "%s: sum of the areas", name);
    trop_judge_compare(judge, mismatches(&v, trop_case_integer(c, "grid")), 0, 0,
                       "%s: grid points of another cell", name);
    if (sets[s].all_vertices) {
        trop_judge_compare(judge, vertices, (double)v.n, 0, "%s: vertices", name);
    }
    if (!sets[s].unequal) {
        trop_judge_compare(judge, v.sums[2], (double)v.n, 0, "%s: vertices that own their cell",
                           name);
    }
    /* Around an inner origin every vertex has a wedge. */
    if (v.sums[3] == 1) {
        trop_judge_compare(judge, cells, vertices, 0, "%s: cells", name);
    }
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    for (int64_t s = 0; s < SETS; s++) {
        conclude_set(judge, c, s);
    }
}

/* ---- the picture: six of the sets ---- */

/* "C1" in the middle of the corners of the first cell. */
static void name_cell(struct trop_panel *panel, const double *polygon, int64_t count, int64_t i)
{
    double middle[2] = { 0, 0 };
    char label[32];

    for (int64_t k = 0; k < count; k++) {
        middle[0] += polygon[2 * k] / (double)count;
        middle[1] += polygon[2 * k + 1] / (double)count;
    }
    snprintf(label, sizeof label, "C%lld", (long long)i + 1);
    trop_panel_text(panel, middle[0], middle[1], label, 0, 0, TROP_COLOUR_BLACK);
}

static void draw_set(struct trop_panel *panel, const struct trop_case *c, const struct cells *v)
{
    const double origin[] = { 0, 0 };
    const int64_t *outline = NULL;
    const int64_t count = trop_hull_outline(&outline, trop_case_hull(c, v->x, v->n, 2));
    int64_t colours[MOST] = { 0 }; /* by the order around the hull, so that neighbours differ */

    for (int64_t k = 0; k < count; k++) {
        colours[outline[k]] = k;
    }
    for (int64_t i = 0; i < v->n; i++) {
        const double *polygon = v->polygons + i * TROP_FW_CORNERS * 2;
        const int64_t corners = v->corners[i] > 2 ? (int64_t)v->corners[i] : 0;
        trop_fw_figures_fill(panel, polygon, corners, colours[i], .45, .6, NULL);
        if (corners > 0 && v->n <= 5) {
            name_cell(panel, polygon, corners, i);
        }
    }
    for (int64_t i = 0; i < v->n; i++) {
        const int is_vertex = v->corners[i] >= 0;
        trop_fw_figures_marks(panel, v->x + 2 * i, 1, is_vertex ? TROP_MARK_CIRCLE : TROP_MARK_DISC,
                              is_vertex ? 4 : 2.5);
    }
    trop_fw_figures_marks(panel, origin, 1, TROP_MARK_CROSS, 0);
}

static void picture(struct trop_figure *figure, const struct trop_case *c)
{
    static const int64_t shown[] = { 1, 2, 8, 9, 11, 17 };
    char title[48];

    trop_figure_grid(figure, 2, 3);
    for (int64_t k = 0; k < 6; k++) {
        const struct cells v = cells_of(c, shown[k]);
        snprintf(title, sizeof title, "k = %lld, %s", (long long)v.n,
                 sets[shown[k]].unequal ? "norms on (.4, 1)" : "equal norms");
        draw_set(trop_fw_figures_plane(figure, k / 3, k % 3, title), c, &v);
    }
}

/* ---- hypotheses, and ways to be wrong ---- */

static void bounded(struct trop_judge *judge, const struct trop_case *c)
{
    for (int64_t s = 0; s < SETS; s++) {
        const double *x = trop_case_view_row(trop_case_view(c, "points"), s);
        for (int64_t i = 0; i < sets[s].k; i++) {
            const double norm = trop_tokens_norm(x + 2 * i, 2);
            trop_judge_truth(judge, "norms are 1, or on (.4, 1)", -1,
                             sets[s].unequal ? norm >= .4 && norm <= 1 : fabs(norm - 1) < 1e-12);
        }
    }
}

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
    .inputs = "points grid",
    .hypotheses = TROP_HYPOTHESES({ "norms", "points have norm 1, or norms on (.4, 1)",
                                    .judge = bounded, .broken = "one point is half as long again",
                                    .edit = "points[0,0] *= 1.5" }),
    .run = { draw, work, conclude, picture },
    /* The corner of a cell that is nearest to the origin is the origin itself; the others move. */
    .spoils =
        TROP_SPOILS({ "a cell is larger by 1e-6", .edit = "polygons[0] *= 1+1e-6" },
                    { "the cells of two vertices change places",
                      .edit = "swap polygons[0] polygons[1]; swap corners[0,0] corners[0,1]" }),
    .size = { 480, 340 },
};
