/* nearest.c -- the point of a convex hull nearest to a given point, with its proof.
 *
 * The point is found by Wolfe's algorithm: nearest_descend.c goes from corral to corral,
 * nearest_corral.c holds a corral and its factors. The side is then proved for the exact
 * real numbers: nearest_prove.c, nearest_room.c, and nearest_beside.c for points inside whose
 * corral is degenerate. Here are the answer and the memory.
 *
 * Cost, for n rows: O(n d) for every look at all rows, of which there are about as many as a
 * quarter of the steps at most; O(d m) for a step with m atoms; O(d m^2) once for fresh factors,
 * O(m^3) for the proof of a point inside.
 */
#include "shape/nearest/nearest_internal.h"

#include "base/alloc.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

/* Atoms are nearer to 0 than the query by this factor or more: their mix is rounded by u times
 * their size, and q + p by more than u times that of the query. */
#define FAR 1024

/* The combination in a->point, where it is known better than q + p; 1 then. A point that is a row
 * is that row. */
static int mix_point(struct trop_nearest *a)
{
    const struct trop_nearest_mix *atoms = &a->atoms;
    double largest = 0, far = 0;

    for (int64_t c = 0; c < a->d; c++) {
        far = fmax(far, fabs(a->q[c]));
        for (int64_t i = 0; i < atoms->count; i++) {
            largest = fmax(largest, fabs(a->x[atoms->row[i] * a->d + c]));
        }
    }
    if (atoms->count > 1 && !(far / FAR > largest)) {
        return 0;
    }
    for (int64_t c = 0; c < a->d; c++) {
        double sum = 0;
        for (int64_t i = 0; i < atoms->count; i++) {
            const double x = a->x[atoms->row[i] * a->d + c];
            sum += atoms->count == 1 ? x : atoms->weight[i] * x;
        }
        a->point[c] = sum;
    }
    return 1;
}

static void conclude(struct trop_nearest_answer *out, struct trop_nearest *a, int64_t side)
{
    size_t bytes = (size_t)a->d * sizeof(double);

    *out = (struct trop_nearest_answer){ .side = side,
                                         .atoms = a->atoms.count,
                                         .iterations = a->iterations };
    memcpy(a->point, a->q, bytes);
    if (side == TROP_SIDE_INSIDE) {
        memset(a->direction, 0, bytes);
        return;
    }
    out->distance = a->length / a->s1 / a->s2;
    if (side == TROP_SIDE_OUTSIDE) {
        double lower = a->lower / a->s1 / a->s2; /* a tiny one may be rounded up */
        out->lower = lower > 0 && lower < 0x1p-1000 ? nextafter(lower, 0) : lower;
        out->distance = fmax(out->distance, out->lower);
    }
    const int mixed = mix_point(a);
    for (int64_t c = 0; c < a->d; c++) {
        a->point[c] += mixed ? 0 : a->p[c] / a->s1 / a->s2;
        if (side == TROP_SIDE_TOUCHING) {
            a->direction[c] = a->length > 0 ? -a->p[c] / a->length : 0;
        }
    }
}

void trop_nearest_find(struct trop_nearest_answer *out, struct trop_nearest *a, const double *x,
                       const int64_t *list, int64_t count, const double *q, int stop)
{
    double largest;

    a->x = x;
    a->list = list;
    a->count = count;
    a->iterations = 0;
    int64_t row = trop_nearest_prepare(&largest, a, q);
    trop_nearest_start(a, row);
    if (largest < 0) {
        conclude(out, a, TROP_SIDE_INSIDE);
        return;
    }
    int outside = trop_nearest_descend(a, stop) || trop_nearest_prove_outside(a);
    conclude(out, a,
             outside                        ? TROP_SIDE_OUTSIDE
             : trop_nearest_prove_inside(a) ? TROP_SIDE_INSIDE
                                            : TROP_SIDE_TOUCHING);
}

const double *trop_nearest_point(const struct trop_nearest *nearest)
{
    return nearest->point;
}

const double *trop_nearest_direction(const struct trop_nearest *nearest)
{
    return nearest->direction;
}

const int64_t *trop_nearest_rows(const struct trop_nearest *nearest)
{
    return nearest->atoms.row;
}

const double *trop_nearest_weights(const struct trop_nearest *nearest)
{
    return nearest->atoms.weight;
}

/* ---- making it --------------------------------------------------------------------------- */

enum trop_status trop_nearest_create(struct trop_nearest **out, int64_t d)
{
    struct trop_nearest *a = trop_alloc(1, sizeof *a);
    int64_t square = trop_alloc_product(d, d + 1), most = 2 * d + 16;

    if (!a ||
        !TROP_ALLOC(TROP_PART(a->q1, d), TROP_PART(a->z, square), TROP_PART(a->size, d + 1),
                    TROP_PART(a->alpha, d + 1), TROP_PART(a->basis, square),
                    TROP_PART(a->r, square), TROP_PART(a->component, d), TROP_PART(a->p, d),
                    TROP_PART(a->w, d), TROP_PART(a->candidate, most), TROP_PART(a->score, most),
                    TROP_PART(a->reach, most), TROP_PART(a->direction, d), TROP_PART(a->point, d),
                    TROP_PART(a->inverse, square), TROP_PART(a->columns, square),
                    TROP_PART(a->scale, d), TROP_PART(a->work, 4 * d), TROP_PART(a->axis, d),
                    TROP_PART(a->shift, d), TROP_PART(a->shifted, d),
                    TROP_PART(a->atoms.row, d + 1), TROP_PART(a->atoms.weight, d + 1),
                    TROP_PART(a->saved.row, d + 1), TROP_PART(a->saved.weight, d + 1),
                    TROP_PART(a->other.row, d + 1), TROP_PART(a->other.weight, d + 1))) {
        trop_nearest_free(a);
        return trop_fail(TROP_ERR_MEMORY, "no memory for nearest points in dimension %lld",
                         (long long)d);
    }
    a->d = d;
    a->most = most;
    *out = a;
    return TROP_OK;
}

void trop_nearest_free(struct trop_nearest *a)
{
    if (a) {
        TROP_FREE(a->q1, a->z, a->size, a->alpha, a->basis, a->r, a->component, a->p, a->w,
                  a->candidate, a->score, a->reach, a->direction, a->point, a->inverse, a->columns,
                  a->scale, a->work, a->axis, a->shift, a->shifted, a->atoms.row, a->atoms.weight,
                  a->saved.row, a->saved.weight, a->other.row, a->other.weight, a);
    }
}
