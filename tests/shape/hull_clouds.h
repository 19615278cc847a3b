/* hull_clouds.h -- clouds of every kind and a linear program, for the tests of the hull. */
#ifndef TROP_TESTS_HULL_CLOUDS_H
#define TROP_TESTS_HULL_CLOUDS_H

#include "support.h"

#include <coin/Clp_C_Interface.h>

#include "shape/hull/hull_internal.h"

#define MOST 20000
#define WIDEST 8
#define TURN 6.283185307179586

static double x[MOST * WIDEST];

/* ---- linear programs ----------------------------------------------------------------------- */

/* A program in columns: minimise cost . v, rows between low and high, v likewise. Returns
 * CLP's status (0: optimal, 1: infeasible) and the optimum in *value. */
static inline int solve(double *value, int rows, int columns, const double *dense,
                        const double *cost, const double *low, const double *high,
                        const double *row_low, const double *row_high)
{
    static int start[MOST + 1], index[MOST * 10];
    Clp_Simplex *model = Clp_newModel();

    for (int c = 0; c <= columns; c++) {
        start[c] = c * rows;
    }
    for (int e = 0; e < columns * rows; e++) {
        index[e] = e % rows;
    }
    Clp_setLogLevel(model, 0);
    Clp_loadProblem(model, columns, rows, start, index, dense, low, high, cost, row_low, row_high);
    Clp_dual(model, 0);
    int status = Clp_status(model);
    *value = Clp_objectiveValue(model);
    Clp_deleteModel(model);
    return status;
}

/* ---- clouds -------------------------------------------------------------------------------- */

enum cloud {
    GAUSS,
    SPHERE,
    LATTICE,
    LINE,
    PLANE,
    POINT,
    COSPHERICAL,
    AWAY,
    HUGE_CLOUD,
    TINY,
    KINDS
};

/* Lattices are small: a lattice point outside of a lattice polytope is at least 1 / |a| away
 * from it, a being a normal in whole numbers, |a| < 1e5 here, where CLP's tolerance is 1e-7. */
static inline void fill(enum cloud kind, int64_t n, int64_t d, uint64_t seed)
{
    normals(x, n * d, seed);
    for (int64_t i = 0; i < n; i++) {
        double *p = x + i * d;
        uint64_t key = (uint64_t)i;
        if (kind == SPHERE) {
            trop_rng_sphere(p, d, seed, TROP_RNG_TEST, key);
        }
        for (int64_t c = 0; c < d; c++) {
            uint64_t name = key * 16 + (uint64_t)c;
            double factor = kind == HUGE_CLOUD ? 1e150 : kind == TINY ? 1e-200 : 1;
            p[c] = kind == LATTICE ? (double)whole(seed, name, 3)
                   : kind == POINT ? 0.1
                   : kind == AWAY  ? 1e6 + p[c]
                                   : factor * p[c];
        }
        /* On a line and in a plane, in whole numbers; two coordinates on a circle of radius 25,
         * the others 0 or 7. */
        double s = (double)whole(seed, key, 1000), t = (double)whole(seed + 1, key, 1000);
        static const double ring[][2] = { { 7, 24 }, { 24, 7 },  { 15, 20 }, { 20, 15 },
                                          { 25, 0 }, { -25, 0 }, { 0, 25 },  { 0, 1 } };
        const double *r = ring[whole(seed, key, 8)];
        for (int64_t c = 0; c < d && (kind == LINE || kind == PLANE || kind == COSPHERICAL); c++) {
            double other = (double)whole(seed, key * 16 + (uint64_t)c, 2) * 7;
            p[c] = kind == LINE    ? 3 + s * (double)(c + 1)
                   : kind == PLANE ? s * (double)(c + 1) + t * (double)(c * c % 3)
                                   : (c < 2 ? (s < 500 ? 0 - r[c] : r[c]) : other);
        }
    }
}

static inline struct trop_hull *hull_of(const double *p, int64_t n, int64_t d, int facets)
{
    struct trop_hull *hull = NULL;
    assert_ok(trop_hull_make(&hull, p, n, d, 2, facets));
    return hull;
}

static inline int has_qhull(void)
{
    double p[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 };
    struct trop_hull *hull = hull_of(p, 4, 3, 1);
    int found = hull->facets != NULL;
    trop_hull_free(hull);
    return found;
}

#endif
