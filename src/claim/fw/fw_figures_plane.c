/* fw_figures_plane.c -- the random polygons of the figures, and plane geometry to check them by.
 *
 * The authors draw k angles, uniform on (0, 2 pi), and for unequal norms k radii on (.4, 1) after
 * them, with numpy's default_rng(42), whose bits are repeated, so that the polygons are those of
 * the paper. Where they ask for k vertices (bij), they draw again, from the same stream, until the
 * hull has as many.
 *
 * Polygons (count, 2) run counterclockwise. A half-plane is a x + b y >= c.
 */
#include "claim/fw/fw_figures.h"

#include "base/math/cos.h"
#include "base/math/sin.h"
#include "base/numpy.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846
#define TRIES 500

/* ---- the points of the figures ---- */

static void draw_points(double *out, int64_t k, int unequal, struct trop_numpy *g)
{
    for (int64_t i = 0; i < k; i++) {
        const double angle = 2 * PI * trop_numpy_uniform(g);
        out[2 * i] = trop_cos(angle);
        out[2 * i + 1] = trop_sin(angle);
    }
    for (int64_t i = 0; i < k && unequal; i++) {
        const double radius = .4 + (1. - .4) * trop_numpy_uniform(g);
        out[2 * i] *= radius;
        out[2 * i + 1] *= radius;
    }
}

void trop_fw_figures_points(double *out, const struct trop_case *c, int64_t k, int unequal,
                            int all_vertices)
{
    struct trop_numpy g;
    const int64_t *list = NULL;
    int64_t vertices = 0;

    trop_numpy_seed(&g, 42);
    for (int64_t try = 0; try < TRIES && vertices != k; try++) {
        draw_points(out, k, unequal, &g);
        vertices = all_vertices ? trop_hull_vertices(&list, trop_case_hull(c, out, k, 2)) : k;
    }
}

void trop_fw_figures_grid(double z[2], int64_t k, int64_t grid)
{
    z[0] = -1 + 2 * (double)(k % grid) / (double)(grid - 1);
    z[1] = -1 + 2 * (double)(k / grid) / (double)(grid - 1);
}

/* ---- polygons ---- */

void trop_fw_figures_clip(double *polygon, int64_t *count, double a, double b, double c)
{
    double kept[2 * TROP_FW_CORNERS];
    int64_t size = 0;

    for (int64_t i = 0; i < *count; i++) {
        const double *p = polygon + 2 * i, *q = polygon + 2 * ((i + 1) % *count);
        const double at_p = a * p[0] + b * p[1] - c, at_q = a * q[0] + b * q[1] - c;
        if (at_p >= 0 && size < TROP_FW_CORNERS) {
            kept[2 * size] = p[0];
            kept[2 * size++ + 1] = p[1];
        }
        if ((at_p >= 0) != (at_q >= 0) && size < TROP_FW_CORNERS) {
            const double t = at_p / (at_p - at_q);
            kept[2 * size] = p[0] + t * (q[0] - p[0]);
            kept[2 * size++ + 1] = p[1] + t * (q[1] - p[1]);
        }
    }
    memcpy(polygon, kept, (size_t)(2 * size) * sizeof *polygon);
    *count = size;
}

double trop_fw_figures_area(const double *polygon, int64_t count)
{
    double twice = 0;

    for (int64_t i = 0; i < count; i++) {
        const double *p = polygon + 2 * i, *q = polygon + 2 * ((i + 1) % count);
        twice += p[0] * q[1] - p[1] * q[0];
    }
    return twice / 2;
}

double trop_fw_figures_depth(const double *polygon, int64_t count, const double *x)
{
    double least = INFINITY;

    for (int64_t i = 0; i < count; i++) {
        const double *p = polygon + 2 * i, *q = polygon + 2 * ((i + 1) % count);
        const double dx = q[0] - p[0], dy = q[1] - p[1], length = sqrt(dx * dx + dy * dy);
        if (length > 0) {
            least = fmin(least, (dx * (x[1] - p[1]) - dy * (x[0] - p[0])) / length);
        }
    }
    return count > 2 ? least : -INFINITY;
}

/* ---- from the library ---- */

int64_t trop_fw_figures_outline(double *out, const struct trop_case *c, const double *x, int64_t n)
{
    const int64_t *index = NULL;
    const int64_t count = trop_hull_outline(&index, trop_case_hull(c, x, n, 2));

    for (int64_t i = 0; i < count; i++) {
        memcpy(out + 2 * i, x + 2 * index[i], 2 * sizeof *out);
    }
    return count;
}

int64_t trop_fw_figures_polygon(double *out, const struct trop_case *c,
                                const struct trop_cells *cells, const char *name, int64_t row)
{
    struct trop_value value;

    trop_case_try(c, trop_field_cell(&value, trop_cells_field_table(), cells, "cells", name, row));
    if (value.kind != TROP_KIND_NUMBERS || value.shape[0] > TROP_FW_CORNERS) {
        return 0;
    }
    memcpy(out, value.numbers, (size_t)(2 * value.shape[0]) * sizeof *out);
    return value.shape[0];
}
