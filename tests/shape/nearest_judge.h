/* nearest_judge.h -- what the tests of nearest points share: clouds, and a judge that looks at an
 * answer and the raw data only. */
#ifndef TROP_TESTS_NEAREST_JUDGE_H
#define TROP_TESTS_NEAREST_JUDGE_H

#include "support.h"

#include "shape/nearest/nearest.h"

#define MOST 2000 /* rows */
#define WIDE 64   /* dimensions */
#define UNIT 0x1p-53

static double x[MOST * WIDE], q[WIDE];

/* 0: Gaussian; 1: on a sphere; 2: nearly flat (1e-6); 3: needles, coordinates 1, 1e-4, ...; 4: two
 * tight clusters; 5: small whole numbers; 6: Gaussian, far from the origin; 7: negative
 * coordinates set to 0, so that faces are full of points. */
#define FAMILIES 8
static inline void cloud(int family, int64_t n, int64_t d, uint64_t seed)
{
    normals(x, n * d, seed);
    normals(q, d, seed + 500000);
    double factor_q = seed % 3 == 0 ? 0.2 : seed % 3 == 1 ? 0.8 : 2;
    for (int64_t c = 0; c < d; c++) {
        q[c] *= factor_q;
    }
    for (int64_t j = 0; j <= n; j++) {
        double *row = j < n ? x + j * d : q, size = 0;
        for (int64_t c = 0; c < d; c++) {
            size += row[c] * row[c];
        }
        for (int64_t c = 0; c < d; c++) {
            double t = row[c];
            row[c] = family == 1 && j < n ? t / sqrt(size)
                     : family == 2        ? (c == 0 ? 1e-6 * t : t)
                     : family == 3        ? t * pow(0.01, (double)c)
                     : family == 4        ? (double)(j % 2) + 1e-9 * t
                     : family == 5        ? floor(2 * t)
                     : family == 6        ? 1000 + t
                     : family == 7        ? fmax(t, 0)
                                          : t;
        }
    }
}

static inline double reach(int64_t n, int64_t d)
{
    double most = 0;
    for (int64_t j = 0; j < n; j++) {
        long double sum = 0;
        for (int64_t c = 0; c < d; c++) {
            sum += ((long double)x[j * d + c] - q[c]) * ((long double)x[j * d + c] - q[c]);
        }
        most = fmax(most, (double)sqrtl(sum));
    }
    return most;
}

static inline struct trop_nearest *nearest_of(int64_t d)
{
    struct trop_nearest *nearest = NULL;
    assert_ok(trop_nearest_create(&nearest, d));
    return nearest;
}

/* From the raw data: weights, the point they make, and the conditions of Kuhn and Tucker
 * <x_j - p, q - p> <= 0. Errors of (d + 16) u times the sizes multiplied: p is within a few u
 * of |x_j - q| of its combination, and rows stop counting below 8 u. */
static inline void judge(const struct trop_nearest_answer *answer,
                         const struct trop_nearest *nearest, int64_t n, int64_t d)
{
    const double *p = trop_nearest_point(nearest), *weight = trop_nearest_weights(nearest);
    const int64_t *row = trop_nearest_rows(nearest);
    double size = reach(n, d), most = 0, tolerance = (double)(d + 16) * UNIT * size;
    long double sum = 0;

    assert_true(answer->atoms >= 1 && answer->atoms <= d + 1);
    for (int64_t c = 0; c < d; c++) {
        long double t = 0;
        for (int64_t i = 0; i < answer->atoms; i++) {
            t += (long double)weight[i] * ((long double)x[row[i] * d + c] - q[c]);
        }
        assert_near((double)(t + q[c] - p[c]), 0, tolerance + UNIT * fabs(p[c]));
        most = fmax(most, fabs(p[c]));
    }
    for (int64_t i = 0; i < answer->atoms; i++) {
        assert_true(weight[i] > 0 && row[i] >= 0 && row[i] < n);
        sum += weight[i];
    }
    assert_near((double)sum, 1, (double)(d + 4) * UNIT);
    for (int64_t j = 0; j < n; j++) {
        long double t = 0;
        for (int64_t c = 0; c < d; c++) {
            t += ((long double)x[j * d + c] - p[c]) * ((long double)q[c] - p[c]);
        }
        /* p itself is rounded, by u |p| where the cloud is far from the origin. */
        assert_true(t <= (tolerance + 2 * UNIT * most * (double)d) * (size + tolerance));
    }
    assert_true(answer->lower >= 0 && answer->lower <= answer->distance);
    double length = 0;
    for (int64_t c = 0; c < d; c++) {
        length += trop_nearest_direction(nearest)[c] * trop_nearest_direction(nearest)[c];
    }
    if (answer->side != TROP_SIDE_TOUCHING) { /* a unit vector, tilted by 1e-6 at most */
        assert_near(length, answer->side == TROP_SIDE_OUTSIDE, 3e-6);
    }
}

#endif
