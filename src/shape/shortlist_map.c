/* shortlist_map.c -- coordinates in which a long thin cloud is round.
 *
 * With V = L L' the second moments of p = s (x - c) over a sample, A = L^-1 gives A p about the
 * unit matrix as its moments. L is the Cholesky factor, so A is lower triangular. Any A with an
 * inverse is right for the sieve; what matters is
 *
 *   C = the largest row sum of |A| |A^-1|,
 *
 * by which A magnifies rounding. It is 1 for a diagonal A and grows with the length of a cloud
 * that lies across the axes; above 2^14, which includes flat clouds, A is made diagonal. The
 * computed A^-1 is L up to rounding that 2 C covers many times.
 */
#include "shape/shortlist_internal.h"

#include <string.h>

#define WIDE TROP_FAN_DIMENSIONS
#define FLAT 1e-28    /* of a second moment: below the rounding of coordinates near 1 */
#define WIDEST 0x1p14 /* the largest C */

/* l <- the lower triangular factor of v; a cloud that is flat along a coordinate has 1 there. */
static void factor(double l[][WIDE], double v[][WIDE], int64_t d)
{
    memset(l, 0, WIDE * sizeof *l);
    for (int64_t a = 0; a < d; a++) {
        for (int64_t c = 0; c <= a; c++) {
            double sum = v[a][c];
            for (int64_t k = 0; k < c; k++) {
                sum -= l[a][k] * l[c][k];
            }
            l[a][c] = c < a ? sum / l[c][c] : sum > FLAT ? sqrt(sum) : 1;
        }
    }
}

/* map <- the inverse of l; returns 2 C. */
static double invert(double map[][WIDE], double l[][WIDE], int64_t d)
{
    double most = 0;

    memset(map, 0, WIDE * sizeof *map);
    for (int64_t a = 0; a < d; a++) {
        double row = 0;
        for (int64_t c = 0; c <= a; c++) {
            double sum = a == c;
            for (int64_t k = c; k < a; k++) {
                sum -= l[a][k] * map[k][c];
            }
            map[a][c] = sum / l[a][a];
        }
        for (int64_t k = 0; k <= a; k++) {
            for (int64_t c = 0; c <= k; c++) {
                row += fabs(map[a][k] * l[k][c]);
            }
        }
        most = fmax(most, row);
    }
    return 2 * most;
}

double trop_shortlist_map(double map[][WIDE], const double *at, int64_t m, int64_t d,
                          const double *centre, double scale)
{
    double v[WIDE][WIDE], l[WIDE][WIDE];

    /* The second moments of p over the points at (m, d), lower part. */
    memset(v, 0, WIDE * sizeof *v);
    for (int64_t k = 0; k < m; k++) {
        double p[WIDE] = { 0 };
        for (int64_t a = 0; a < d; a++) {
            p[a] = (at[k * d + a] - centre[a]) * scale;
            for (int64_t c = 0; c <= a; c++) {
                v[a][c] += p[a] * p[c] / (double)m;
            }
        }
    }
    factor(l, v, d);
    double spread = invert(map, l, d);
    if (spread <= WIDEST) {
        return spread;
    }
    for (int64_t a = 0; a < d; a++) {
        for (int64_t c = 0; c < a; c++) {
            v[a][c] = 0;
        }
    }
    factor(l, v, d);
    return invert(map, l, d);
}
