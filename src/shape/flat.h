/* flat.h -- the affine hull of a cloud: its effective dimension, and coordinates in it. */
#ifndef TROP_SHAPE_FLAT_H
#define TROP_SHAPE_FLAT_H

#include "tropism.h"

/* A direction in which the cloud is thinner than this part of its diameter is flat. */
#define TROP_FLAT_RATIO 1e-13

struct trop_flat {
    int64_t n, d;
    int64_t k;        /* effective dimension, 0 .. d */
    double *origin;   /* (d) a token, k < d; zero when k = d */
    double *basis;    /* (k, d) orthonormal rows; the identity when k = d */
    double *y;        /* (n, k) tokens in that basis, from origin; x itself when k = d */
    int64_t *frame;   /* (k + 1) tokens that span the affine hull, vertices up to rounding */
    double thickness; /* largest distance of a token to the affine hull; 0 when k = d */
    double scale;     /* a power of two that brings the diameter near 1 */
};

/* x: (n, d), copied where it is needed. diameter: of the cloud, to a few per cent. When
 * the cloud is not flat, coordinates are the tokens' own, bit for bit. */
enum trop_status trop_flat_create(struct trop_flat **out, const double *x, int64_t n, int64_t d,
                                  double diameter);
void trop_flat_free(struct trop_flat *flat);

/* A point of R^d in the flat's coordinates, out (k); returns its distance to the affine hull. */
double trop_flat_project(double *out, const struct trop_flat *flat, const double *point);

#endif
