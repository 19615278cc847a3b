/* fw_figures.h -- figures and tables of the Frank-Wolfe paper, and what they share. */
#ifndef TROP_CLAIM_FW_FIGURES_H
#define TROP_CLAIM_FW_FIGURES_H

#include "claim/claim.h"
#include "claim/case_work.h"
#include "claim/table.h"
#include "claim/tokens.h"

extern const struct trop_claim trop_fw_tab_collapse, trop_fw_tab_constant, trop_fw_tab_clusters,
    trop_fw_tab_leaders, trop_fw_tab_wendel, trop_fw_tab_slopes, trop_fw_fig_cells,
    trop_fw_fig_dominance, trop_fw_fig_erosion, trop_fw_fig_quadratic, trop_fw_fig_voronoi,
    trop_fw_fig_staircase;

/* ---- fw_figures.c: panels of the plane ---- */

/* A panel without axes at that place of the grid, where both units are equally long. */
struct trop_panel *trop_fw_figures_plane(struct trop_figure *figure, int64_t row, int64_t column,
                                         const char *title);
/* A polygon (count, 2) with a black outline of this width; colour TROP_COLOUR_NONE: that alone. */
void trop_fw_figures_fill(struct trop_panel *panel, const double *polygon, int64_t count,
                          int64_t colour, double fade, double width, const char *legend);
/* Black marks, enum trop_mark, at points (count, 2). */
void trop_fw_figures_marks(struct trop_panel *panel, const double *points, int64_t count,
                           int64_t mark, double size);
/* Both coordinates of points (count, 2), for what else is drawn. */
void trop_fw_figures_part(double *x, double *y, const double *points, int64_t count);

/* ---- fw_figures_plane.c ---- */

#define TROP_FW_CORNERS 64 /* of a polygon, at most */

/* The k points of a figure: out (k, 2); on the unit circle, or unequal: with radii on (.4, 1);
 * all_vertices: drawn again until all are vertices of their hull. */
void trop_fw_figures_points(double *out, const struct trop_case *c, int64_t k, int unequal,
                            int all_vertices);
/* Point k of a grid over [-1, 1]^2 with so many along each side, its first on the edge. */
void trop_fw_figures_grid(double z[2], int64_t k, int64_t grid);

/* Cuts a convex polygon, which has room for TROP_FW_CORNERS, to a x + b y >= c. */
void trop_fw_figures_clip(double *polygon, int64_t *count, double a, double b, double c);
double trop_fw_figures_area(const double *polygon, int64_t count);
/* Distance of x to the nearest side; negative outside, -infinity for less than three corners. */
double trop_fw_figures_depth(const double *polygon, int64_t count, const double *x);
/* The vertices of the hull of x (n, 2) in order; returns how many. */
int64_t trop_fw_figures_outline(double *out, const struct trop_case *c, const double *x, int64_t n);
/* "polygon", "dominance" or "eroded" of cell row; returns how many corners, 0 when there is none.
 */
int64_t trop_fw_figures_polygon(double *out, const struct trop_case *c,
                                const struct trop_cells *cells, const char *name, int64_t row);

#endif
