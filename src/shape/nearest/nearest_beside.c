/* nearest_beside.c -- proof that a query is inside, by two queries beside it.
 *
 * When p vanishes, and neither an exact combination nor the atoms with room prove it (fewer
 * than d + 1 of them, as on a chord, or q on a face of their simplex), the queries q + t and
 * q - t, t in a general direction, have corrals of d + 1 atoms: the mean of the two
 * combinations is one for q, with every weight well away from 0. Where no simplex of rows has
 * room around q (the centre of a square), this has. The atoms of one query then serve as the
 * basis whose weights are solved for, the others keep theirs (nearest_room.c).
 */
#include "shape/nearest/nearest_internal.h"

#include <math.h>
#include <string.h>

/* Leaves out the atoms of weight below 2^-40: of a query on a face, rounding may have called in
 * one from beside it. */
static void trim(struct trop_nearest *a)
{
    struct trop_nearest_mix *atoms = &a->atoms;
    int64_t kept = 0;

    for (int64_t i = 0; i < atoms->count; i++) {
        if (atoms->weight[i] >= 0x1p-40) {
            atoms->row[kept] = atoms->row[i];
            atoms->weight[kept++] = atoms->weight[i];
        }
    }
    if (kept < atoms->count) {
        atoms->count = kept;
        trop_nearest_restore(a, atoms);
    }
}

/* The corral of q + step shift; 0 when it is not inside with one atom more than axes. */
static int ask_beside(struct trop_nearest *a, const double *q, double step, int64_t axes)
{
    for (int64_t c = 0; c < a->d; c++) {
        a->shifted[c] = q[c] + step * a->shift[c];
    }
    trop_nearest_query(a, a->shifted);
    trop_nearest_start(a, a->saved.row[0]);
    if (trop_nearest_descend(a, 1) || !trop_nearest_vanished(a)) {
        return 0;
    }
    trim(a);
    return a->atoms.count == axes + 1;
}

/* Halves both mixes, and moves what they share from `other` to the atoms. */
static void mean_of_both(struct trop_nearest_mix *atoms, struct trop_nearest_mix *other)
{
    int64_t kept = 0;

    for (int64_t i = 0; i < atoms->count; i++) {
        atoms->weight[i] *= 0.5;
    }
    for (int64_t l = 0; l < other->count; l++) {
        double weight = 0.5 * other->weight[l];
        int64_t i = 0;
        while (i < atoms->count && atoms->row[i] != other->row[l]) {
            i++;
        }
        if (i < atoms->count) {
            atoms->weight[i] += weight;
        } else {
            other->row[kept] = other->row[l];
            other->weight[kept++] = weight;
        }
    }
    other->count = kept;
}

/* Steps of 2^-8, 2^-20 and 2^-32 of the size of the atoms, until one fits. Each of the two corrals
 * may hold q by itself: of a query on a facet but for rounding, one of them does or none. */
static int prove_beside(struct trop_nearest *a)
{
    const double *q = a->q;
    double size = trop_nearest_size(a) / a->s1 / a->s2;
    int64_t axes = trop_nearest_axes(a, q, &a->atoms, NULL);
    int proved = 0, other = 0;

    /* A direction that no lattice knows, in the coordinates where q is not held to the bit. */
    memset(a->shift, 0, (size_t)a->d * sizeof *a->shift);
    for (int64_t l = 0; l < axes; l++) {
        double t = (double)(l + 1) * 0.6180339887498949;
        a->shift[a->axis[l]] = t - floor(t) - 0.4142135623730950;
    }
    for (int k = 8; k <= 32 && !proved; k += 12) {
        for (int side = 0; side < 2 && !proved; side++) {
            int found = ask_beside(a, q, ldexp(side ? -size : size, -k), axes);
            proved = found && trop_nearest_prove_room(a, q, NULL);
            if (side == 0) {
                other = found;
                trop_nearest_copy(&a->other, &a->atoms);
            } else if (found && other && !proved) {
                mean_of_both(&a->atoms, &a->other);
                proved = trop_nearest_prove_room(a, q, &a->other);
            }
        }
    }
    trop_nearest_query(a, q);
    return proved;
}

int trop_nearest_prove_inside(struct trop_nearest *a)
{
    if (trop_nearest_prove_exact(a) || trop_nearest_prove_room(a, a->q, NULL)) {
        return 1;
    }
    int64_t iterations = a->iterations;
    trop_nearest_copy(&a->saved, &a->atoms);
    trim(a);
    int proved = trop_nearest_prove_room(a, a->q, NULL) || prove_beside(a);
    trop_nearest_restore(a, &a->saved);
    a->iterations = iterations;
    return proved;
}
