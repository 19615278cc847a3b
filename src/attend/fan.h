/* fan.h -- which few of many points can be on top in a direction: cells of directions.
 *
 * fan.c has the mathematics. A cell answers for all directions in it, so that finding the
 * maximisers of <y, p> takes a look into a table and the comparison of a few points.
 */
#ifndef TROP_ATTEND_FAN_H
#define TROP_ATTEND_FAN_H

#include "tropism.h"

#include <float.h>
#include <math.h>

#define TROP_FAN_DIMENSIONS 6 /* at most */

/* Points pool[start .. start + count) of the face; -1: not known, any point may be on top. */
struct trop_fan_cell {
    int32_t start, count;
};

struct trop_fan {
    int64_t d;
    int64_t grid;               /* cells along an axis of a face */
    int64_t cells;              /* of one face */
    int64_t faces;              /* 2 d */
    int64_t room;               /* of one face in the pool */
    struct trop_fan_cell *cell; /* (faces, cells) */
    int32_t *pool;              /* (faces, room) */
    int64_t used[2 * TROP_FAN_DIMENSIONS];
    /* what building needs */
    int64_t capacity, most_cells, workers;
    int32_t *list; /* (workers, capacity) */
};

/* Memory for that many points of dimension d <= TROP_FAN_DIMENSIONS and up to `grid` cells
 * along an axis. */
enum trop_status trop_fan_create(struct trop_fan **out, int64_t points, int64_t d, int64_t grid,
                                 int64_t workers);
void trop_fan_free(struct trop_fan *fan);

/* Cells of the points p (m, d), m >= 1, with grid cells along an axis, a power of two, at most
 * that of create. Cells with more than `most` points are not known. effort: comparisons that
 * a face may take; those who come after have more points in their cells. The first point of a
 * known cell is on top, up to rounding, in the middle of the cell or of a box around it. */
void trop_fan_build(struct trop_fan *fan, const double *p, int64_t m, int64_t grid, int64_t most,
                    int64_t effort);

/* The largest grid, a power of two from 1 to most, with at most that many cells in all. */
int64_t trop_fan_grid(int64_t d, int64_t most, int64_t cells);

/* The points that may be on top in direction y (d): all that are, exactly, are among them.
 * -1 when not known, as for y = 0. d is fan->d, a constant where the caller has one. */
static inline int64_t trop_fan_find(const int32_t **out, const struct trop_fan *fan,
                                    const double *y, int64_t d)
{
    double size = fabs(y[0]), half = 0.5 * (double)fan->grid;
    int64_t axis = 0, place = 0;

    for (int64_t c = 1; c < d; c++) {
        double a = fabs(y[c]);
        axis = a > size ? c : axis;
        size = a > size ? a : size;
    }
    if (!(size > 0 && size <= DBL_MAX)) {
        return -1;
    }
    for (int64_t c = 0; c < d; c++) {
        int64_t k = (int64_t)((y[c] / size + 1) * half);
        k = k < fan->grid ? k : fan->grid - 1;
        place = c == axis ? place : place * fan->grid + k;
    }
    int64_t face = 2 * axis + (y[axis] < 0);
    const struct trop_fan_cell *cell = fan->cell + face * fan->cells + place;
    *out = fan->pool + face * fan->room + cell->start;
    return cell->count;
}

#endif
