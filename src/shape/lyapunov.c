/* lyapunov.c -- candidates for a quantity that does not rise.
 *
 *   V    = sum_ij m_i m_j min(|x_i - x_j|^2, r^2)      Hegselmann-Krause
 *   E    = sum_i m_i sum_{j in C_i} m_j |x_i - x_j|^2  directed Dirichlet energy
 *   max_i |x_i - c|, max_i <+-e_c, x_i>                never rise (lm-thm-t1)
 *
 * V falls for symmetric neighbourhoods (claim lm-thm-hk) and can rise for localmax (claim
 * lm-rem-lyapunov-localmax); a rise is one when it is larger than the errors of both values.
 *
 * Errors, u = 2^-53. A difference t_c = fl(x_ic - x_jc) has one rounding, its square two of
 * those and one more, and the sum of d squares d - 1: q = fl(|x_i - x_j|^2) is
 * |x_i - x_j|^2 (1 + e), |e| <= (d + 2) u to first order. min(., r^2) of two numbers whose
 * ratio is 1 + e has a ratio as near to 1, so the terms of V and E keep that bound. All
 * terms are at least 0, so errors of sums are relative too: a factor costs u each (two
 * masses), the lanes of a tile 8 + 3 additions, and the sum of N tiles (or terms) in
 * twice the precision
 *
 *   hi + lo <- (hi + lo) + a,   with the exact error of hi + a added to lo,
 *
 * u for the last rounding and (N u)^2 for those of lo. Together, with second-order terms,
 *
 *   |V^ - V| <= 1.01 (d + 17) u V^ + (N u)^2 V^,   |E^ - E| <= 1.01 (d + 7) u E^ + (N u)^2 E^,
 *
 * plus, where squares underflow, 2^-1074 for each of the d products of a pair, times its
 * masses. The code counts three units more. A value past the largest double is infinite,
 * and so is its error.
 */
#include "shape/lyapunov.h"

#include "base/math/dd.h"
#include "shape/cloud.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define UNIT 0x1p-53
#define TILE 64  /* tokens by tokens: distances of a tile take 32 KiB */
#define CHUNK 16 /* coordinates turned at a time */

/* ---- sums of terms >= 0 in twice the precision --------------------------------------------- */

struct sum {
    double hi, lo;
    double terms;
};

static void add(struct sum *s, double a)
{
    struct trop_dd hi = trop_dd_sum(s->hi, a);

    s->lo += hi.low;
    s->hi = hi.high;
    s->terms++;
}

/* The value and its bound: units of u to first order, and what underflow can lose. */
static struct trop_lyapunov conclude(const struct sum *s, int64_t units, double lost)
{
    double value = s->hi + s->lo, second = s->terms * UNIT;

    if (!(s->hi <= DBL_MAX)) {
        return (struct trop_lyapunov){ INFINITY, INFINITY };
    }
    return (struct trop_lyapunov){
        value, value * (1.01 * UNIT * (double)(units + 3) + second * second) + lost
    };
}

/* ---- Hegselmann-Krause ----------------------------------------------------------------------- */

struct tile {
    double square[TILE][TILE]; /* |x_i - x_j|^2 */
    double turned[CHUNK][TILE];
};

/* Squares of rows (at x) against columns (at z), coordinate by coordinate in index order. */
static void measure(struct tile *t, const double *x, int64_t rows, const double *z, int64_t columns,
                    int64_t d)
{
    memset(t->square, 0, sizeof t->square);
    for (int64_t first = 0; first < d; first += CHUNK) {
        int64_t coordinates = d - first < CHUNK ? d - first : CHUNK;
        for (int64_t l = 0; l < TILE; l++) { /* 0 for columns that are none */
            for (int64_t c = 0; c < coordinates; c++) {
                t->turned[c][l] = l < columns ? z[l * d + first + c] : 0;
            }
        }
        for (int64_t i = 0; i < rows; i++) {
            double *restrict square = t->square[i];
            for (int64_t c = 0; c < coordinates; c++) {
                const double *restrict turned = t->turned[c];
                double at = x[i * d + first + c];
                for (int l = 0; l < TILE; l++) {
                    double difference = at - turned[l];
                    square[l] += difference * difference;
                }
            }
        }
    }
}

/* sum_l mass_l min(square_l, r2) in 8 lanes. */
static double weigh(const double *square, const double *mass, int64_t columns, double r2)
{
    double s[TROP_LANES] = { 0 };

    for (int64_t l = 0; l < columns; l++) {
        double term = square[l] < r2 ? square[l] : r2;
        s[l % TROP_LANES] += mass ? mass[l] * term : term;
    }
    return trop_kernel_tree(s);
}

static double largest(const double *mass, int64_t n)
{
    double most = mass ? 0 : 1;
    for (int64_t i = 0; mass && i < n; i++) {
        most = mass[i] > most ? mass[i] : most;
    }
    return most;
}

/* Tiles on the diagonal have both orders of their pairs; each other tile stands for two. */
struct trop_lyapunov trop_lyapunov_potential(const double *x, const double *mass, int64_t n,
                                             int64_t d, double r2)
{
    struct tile tile;
    struct sum sum = { 0 };
    double most = largest(mass, n), pairs = (double)n * (double)n;

    for (int64_t i = 0; i < n; i += TILE) {
        int64_t rows = n - i < TILE ? n - i : TILE;
        for (int64_t j = i; j < n; j += TILE) {
            int64_t columns = n - j < TILE ? n - j : TILE;
            measure(&tile, x + i * d, rows, x + j * d, columns, d);
            for (int64_t k = 0; k < rows; k++) {
                double row = weigh(tile.square[k], mass ? mass + j : NULL, columns, r2);
                double whole = mass ? mass[i + k] * row : row;
                add(&sum, i == j ? whole : 2 * whole);
            }
        }
    }
    return conclude(&sum, d + 17, 0x1p-1074 * (double)(d + 2) * pairs * (most * most + 1));
}

/* ---- directed Dirichlet energy --------------------------------------------------------------- */

/* The set of token i; its size, -1 when the rule has none. */
static int64_t set_of(const int64_t **out, struct trop_attend *attend, int64_t i)
{
    const struct trop_scene *scene = trop_attend_scene(attend);
    const struct trop_rule_numbers *numbers = &scene->numbers;
    int64_t visible = numbers->mask == TROP_MASK_CAUSAL ? i + 1 : scene->n;
    struct trop_row *row = trop_attend_look(attend, scene->y + i * scene->d, visible);

    int64_t count = numbers->rule->neighbours(out, row);
    return row->trouble ? -1 : count;
}

struct trop_lyapunov trop_lyapunov_dirichlet(struct trop_attend *attend)
{
    const struct trop_scene *scene = trop_attend_scene(attend);
    const struct trop_rule *rule = scene->numbers.rule;
    const double *mass = scene->mass;
    int64_t d = scene->d;
    struct sum sum = { 0 };

    for (int64_t i = 0; i < scene->n; i++) {
        const int64_t *set = NULL;
        int64_t count = rule->neighbours ? set_of(&set, attend, i) : -1;
        if (count < 0) {
            return (struct trop_lyapunov){ NAN, NAN };
        }
        for (int64_t k = 0; k < count; k++) {
            double square = 0;
            for (int64_t c = 0; c < d; c++) {
                double t = scene->x[i * d + c] - scene->x[set[k] * d + c];
                square += t * t;
            }
            add(&sum, mass ? mass[i] * (mass[set[k]] * square) : square);
        }
    }
    double most = largest(mass, scene->n);
    return conclude(&sum, d + 7, 0x1p-1074 * (double)(d + 2) * sum.terms * (most * most + 1));
}

/* ---- what never rises ------------------------------------------------------------ */

/* trop_cloud_distance: a difference u, its square in an fma chain d + 2, half of that for
 * the root and u more, three u where it scales: below (d + 8) u for every d. */
struct trop_lyapunov trop_lyapunov_spread(const double *x, int64_t n, int64_t d,
                                          const double *centre)
{
    struct trop_lyapunov out = { 0, 0 };

    for (int64_t i = 0; i < n; i++) {
        out.value = fmax(out.value, trop_cloud_distance(x + i * d, centre, d));
    }
    out.error = out.value * (1.01 * UNIT * (double)(d + 8)) + 0x1p-1070 * (double)d;
    return out;
}

void trop_lyapunov_support(double *out, const double *x, int64_t n, int64_t d)
{
    for (int64_t c = 0; c < d; c++) {
        double low = x[c], high = x[c];
        for (int64_t i = 1; i < n; i++) {
            low = x[i * d + c] < low ? x[i * d + c] : low;
            high = x[i * d + c] > high ? x[i * d + c] : high;
        }
        out[2 * c] = high;
        out[2 * c + 1] = -low;
    }
}
