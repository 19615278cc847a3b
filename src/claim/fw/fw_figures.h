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

/* Puts "settings" (rows, columns) from a table, and "runs" by the effort, unless the case has
 * them. */
enum trop_status trop_fw_figures_settings(struct trop_case *c, const double *table, int64_t rows,
                                          int64_t columns);
/* Works again with one setting changed, and puts it back. */
enum trop_status trop_fw_figures_mistake(struct trop_case *c, int64_t at, double value,
                                         enum trop_status (*work)(struct trop_case *c));

/* A field that is a number, a count or a truth; NaN when it is null. */
double trop_fw_figures_number(const struct trop_flow *flow, const char *name);
/* How many elements a list or array has. */
int64_t trop_fw_figures_length(const struct trop_flow *flow, const char *name);
/* A number in the results of escape for beta number row; NaN when there is none. */
enum trop_status trop_fw_figures_exit(double *out, const struct trop_escape *escape,
                                      const char *name, int64_t row);

/* Slope of a line through y at x = first, first + 1, ..., by least squares. */
double trop_fw_figures_slope(const double *y, int64_t count);
/* Both coordinates of points (count, 2), for a panel. */
void trop_fw_figures_part(double *x, double *y, const double *points, int64_t count);

/* ---- fw_figures_plane.c ---- */

#define TROP_FW_CORNERS 64 /* of a polygon, at most */

/* Numbers on [0, 1) that numpy.random.default_rng(seed).random() gives, the first count of them. */
void trop_fw_figures_numpy(double *out, int64_t count, uint32_t seed);
/* The k points of a figure: out (k, 2); on the unit circle, or unequal: with radii on (.4, 1);
 * all_vertices: drawn again until all are vertices of their hull. */
enum trop_status trop_fw_figures_points(double *out, int64_t k, int unequal, int all_vertices);

/* Cuts a convex polygon, which has room for TROP_FW_CORNERS, to a x + b y >= c. */
void trop_fw_figures_clip(double *polygon, int64_t *count, double a, double b, double c);
double trop_fw_figures_area(const double *polygon, int64_t count);
/* Distance of x to the nearest side; negative outside, -infinity for less than three corners. */
double trop_fw_figures_depth(const double *polygon, int64_t count, const double *x);
/* The vertices of the hull of x in order. */
enum trop_status trop_fw_figures_outline(double *out, int64_t *count, struct trop_hull *hull,
                                         const double *x);
/* "polygon", "dominance" or "eroded" of cell row: count corners. */
enum trop_status trop_fw_figures_polygon(double *out, int64_t *count,
                                         const struct trop_cells *cells, const char *name,
                                         int64_t row);

#endif
