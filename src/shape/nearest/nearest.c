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

/* value / (s1 s2), not rounded up. */
static double unscaled_down(const struct trop_nearest *a, double value)
{
    double t = value / a->s1 / a->s2;
    return t > 0 && t < 0x1p-1000 ? nextafter(t, 0) : t;
}

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
        out->lower = unscaled_down(a, a->lower);
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

/* Every array of doubles, with its length, so that making and freeing cannot disagree. */
struct part {
    double **at;
    int64_t count;
};

#define PARTS 20
static void list_parts(struct part parts[PARTS], struct trop_nearest *a)
{
    int64_t d = a->d, square = trop_alloc_product(d, d + 1);
    struct part all[PARTS] = {
        { &a->q1, d },
        { &a->z, square },
        { &a->size, d + 1 },
        { &a->alpha, d + 1 },
        { &a->basis, square },
        { &a->r, square },
        { &a->component, d },
        { &a->p, d },
        { &a->w, d },
        { &a->score, a->most },
        { &a->reach, a->most },
        { &a->direction, d },
        { &a->point, d },
        { &a->inverse, square },
        { &a->columns, square },
        { &a->scale, d },
        { &a->work, 4 * d },
        { &a->atoms.weight, d + 1 },
        { &a->saved.weight, d + 1 },
        { &a->other.weight, d + 1 },
    };
    memcpy(parts, all, sizeof all);
}

enum trop_status trop_nearest_create(struct trop_nearest **out, int64_t d)
{
    struct trop_nearest *a = trop_alloc(1, sizeof *a);
    struct part parts[PARTS];
    int complete = a != NULL;

    if (a) {
        a->d = d;
        a->most = 2 * d + 16;
        list_parts(parts, a);
        for (int k = 0; k < PARTS; k++) {
            *parts[k].at = trop_alloc(parts[k].count, sizeof **parts[k].at);
            complete = complete && *parts[k].at;
        }
        a->shifted = trop_alloc(d, sizeof *a->shifted);
        a->shift = trop_alloc(d, sizeof *a->shift);
        a->axis = trop_alloc(d, sizeof *a->axis);
        a->candidate = trop_alloc(a->most, sizeof *a->candidate);
        a->atoms.row = trop_alloc(d + 1, sizeof *a->atoms.row);
        a->saved.row = trop_alloc(d + 1, sizeof *a->saved.row);
        a->other.row = trop_alloc(d + 1, sizeof *a->other.row);
    }
    if (!complete || !a->shifted || !a->shift || !a->axis || !a->candidate || !a->atoms.row ||
        !a->saved.row || !a->other.row) {
        trop_nearest_free(a);
        return trop_fail(TROP_ERR_MEMORY, "no memory for nearest points in dimension %lld",
                         (long long)d);
    }
    *out = a;
    return TROP_OK;
}

void trop_nearest_free(struct trop_nearest *a)
{
    struct part parts[PARTS];

    if (!a) {
        return;
    }
    list_parts(parts, a);
    for (int k = 0; k < PARTS; k++) {
        trop_alloc_free(*parts[k].at);
    }
    TROP_FREE(a->shifted, a->shift, a->axis, a->candidate, a->atoms.row, a->saved.row, a->other.row,
              a);
}
