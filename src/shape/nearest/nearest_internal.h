/* nearest_internal.h -- the state of nearest.c, shared by its files: nearest_corral.c (the atoms
 * and their factors), nearest_descend.c (from corral to corral), nearest_prove.c,
 * nearest_room.c and nearest_beside.c (which side, for the exact real numbers). */
#ifndef TROP_SHAPE_NEAREST_INTERNAL_H
#define TROP_SHAPE_NEAREST_INTERNAL_H

#include "shape/nearest/nearest.h"

#define TROP_NEAREST_UNIT 0x1p-53

/* A set of rows with weights that add up to 1. */
struct trop_nearest_mix {
    int64_t count;
    int64_t *row;   /* (d + 1) */
    double *weight; /* (d + 1) */
};

struct trop_nearest {
    int64_t d;

    /* The problem. z_j = (x_j s1 - q s1) s2 is about 1 at most; s1 and s2 are powers of two,
     * s1 <= 1 <= s2 and one of them is 1, so that neither huge nor tiny numbers are lost. */
    const double *x;
    const int64_t *list; /* NULL: rows 0 .. count */
    int64_t count;
    const double *q;
    double s1, s2;
    double *q1; /* (d) s1 q */

    /* The corral: atoms, affinely independent, with D = [x_i - x_0] = Q R, i = 1 .. */
    struct trop_nearest_mix atoms; /* weights lambda: the point p of the hull */
    double *z;                     /* (d + 1, d) atoms less q */
    double *size;                  /* (d + 1) |z_i| */
    double *alpha;                 /* (d + 1) weights of the affine minimiser */
    double *basis;                 /* (d, d) row k is column k of Q */
    double *r;                     /* (d, d) row k is column k of R */
    double *component;             /* (d) Q' z_0 */
    double *p;                     /* (d) the affine minimiser, less q */
    double length;                 /* |p| */
    double *w;                     /* (d) p / |p|, times s2 */
    int64_t iterations;

    /* Candidates: rows of the lowest <z_j, w> in the last look at all rows. */
    int64_t most; /* 2 d + 16 */
    int64_t candidates;
    int64_t *candidate; /* (most) */
    double *score;      /* (most) ascending when they were found */
    double *reach;      /* (most) |z_j| */

    /* The answer. */
    double *direction; /* (d) */
    double *point;     /* (d) */
    double lower;      /* proved lower bound, in scaled units */

    /* Scratch of the proofs. */
    double *inverse;               /* (d, d) */
    double *columns;               /* (d, d) D, each column scaled to about 1 */
    double *scale;                 /* (d) those scales */
    double *work;                  /* (4, d) */
    int64_t *axis;                 /* (d) coordinates that count */
    double *shift;                 /* (d) where to look beside q */
    double *shifted;               /* (d) a query beside q */
    struct trop_nearest_mix saved; /* the answer's atoms */
    struct trop_nearest_mix other; /* the corral of the other shifted query */
};

/* sum_c a_c b_c, term c to lane c mod 4. */
static inline double trop_nearest_dot(const double *a, const double *b, int64_t d)
{
    double s[4] = { 0 };
    int64_t c = 0;

    for (; c + 4 <= d; c += 4) {
        s[0] += a[c] * b[c];
        s[1] += a[c + 1] * b[c + 1];
        s[2] += a[c + 2] * b[c + 2];
        s[3] += a[c + 3] * b[c + 3];
    }
    for (int l = 0; c < d; c++, l++) {
        s[l] += a[c] * b[c];
    }
    return (s[0] + s[2]) + (s[1] + s[3]);
}

/* (a - b) in scaled units. */
static inline double trop_nearest_difference(const struct trop_nearest *nearest, double a, double b)
{
    return (a * nearest->s1 - b * nearest->s1) * nearest->s2;
}

/* ---- nearest_corral.c -------------------------------------------------------------------- */

/* The corral of one row, and of the rows and weights of a mix. */
void trop_nearest_start(struct trop_nearest *nearest, int64_t row);
void trop_nearest_restore(struct trop_nearest *nearest, const struct trop_nearest_mix *mix);
/* Adds a row with weight 0; 0 when it lies in the span of the others. */
int trop_nearest_add(struct trop_nearest *nearest, int64_t row);
/* Goes to the nearest point of the corral's hull, dropping atoms on the way. */
void trop_nearest_settle(struct trop_nearest *nearest);
/* Factors anew, the atom nearest to q first, and settles. */
void trop_nearest_polish(struct trop_nearest *nearest);
int trop_nearest_has(const struct trop_nearest_mix *mix, int64_t row);
void trop_nearest_copy(struct trop_nearest_mix *out, const struct trop_nearest_mix *mix);

/* ---- nearest_descend.c ------------------------------------------------------------------- */

/* Asks for q, at the scale at hand. */
void trop_nearest_query(struct trop_nearest *nearest, const double *q);
/* Chooses the scale and asks for q. Returns the row nearest to it; *largest is the largest
 * coordinate of a difference, -1 when that row is q itself. */
int64_t trop_nearest_prepare(double *largest, struct trop_nearest *nearest, const double *q);
/* From the corral at hand to the nearest point. Returns 1 when stop is set and the query is
 * already proved to be outside. */
int trop_nearest_descend(struct trop_nearest *nearest, int stop);
/* 1 when p is rounding, and q in the hull as far as rounding tells. */
int trop_nearest_vanished(const struct trop_nearest *nearest);
/* sum_i lambda_i |z_i|, the size of what p is made of. */
double trop_nearest_size(const struct trop_nearest *nearest);

/* ---- nearest_prove.c --------------------------------------------------------------------- */

/* 1 when direction, or one tilted a little, separates q from every row; sets lower. */
int trop_nearest_prove_outside(struct trop_nearest *nearest);
/* 1 when a small rational combination of the atoms is q. */
int trop_nearest_prove_exact(const struct trop_nearest *nearest);

/* ---- nearest_room.c ---------------------------------------------------------------------- */

/* The coordinates in which query and the rows of the mixes (fixed: NULL for none) do not all agree,
 * in axis; returns how many. */
int64_t trop_nearest_axes(struct trop_nearest *nearest, const double *query,
                          const struct trop_nearest_mix *mix, const struct trop_nearest_mix *fixed);
/* 1 when the atoms, one more than there are axes, with the weights of fixed rows beside them (NULL:
 * none), combine to query with weights that are surely positive. */
int trop_nearest_prove_room(struct trop_nearest *nearest, const double *query,
                            const struct trop_nearest_mix *fixed);

/* ---- nearest_beside.c -------------------------------------------------------------------- */

/* 1 when q is inside: exactly, with room, or by two queries beside it. */
int trop_nearest_prove_inside(struct trop_nearest *nearest);

#endif
