/* nearest_descend.c -- Wolfe's descent to the nearest point.
 *
 * Wolfe, "Finding the nearest point in a polytope", Mathematical Programming 11 (1976). With
 * z_j = x_j - q, keep a corral: affinely independent atoms whose affine hull's nearest point
 * q + p lies inside their simplex. As long as some row has <z_j, p> < |p|^2, add the lowest
 * one and settle: go to the new affine minimiser, dropping atoms that would get a negative
 * weight (nearest_corral.c). |p| falls with every such major step, so no corral comes twice.
 *
 * In floating point, with w = p / |p|: the distance lies between min_j <z_j, w> and |p|, so a
 * row matters when its gap |p| - <z_j, w> exceeds 4 u (|z_j| + sum_i lambda_i |z_i|), what
 * rounding does to the two. Below that the descent ends; so it does when |p| itself is below
 * 4 u sum_i lambda_i |z_i|, and when a number of steps in turn have gained nothing. The atoms
 * are then factored anew, from the nearest on, and the descent goes on from there if the
 * fresh numbers ask for it.
 *
 * Seen from a query that is 2^53 times as far as the rows are apart, all rows are equally far up
 * to rounding, and no gap counts. The row that the descent starts from is therefore decided for
 * the real numbers: it is the answer wherever the nearest point is a row.
 *
 * A look at all rows keeps the 2 d + 16 lowest as candidates; steps take the lowest of those
 * until they offer none, and only then look at all rows again. Rows number 10^5, and a look
 * at all of them costs as much as thousands of looks at the candidates.
 */
#include "shape/nearest/nearest_internal.h"

#include "attend/exact.h"

#include <float.h>
#include <math.h>

#define UNIT TROP_NEAREST_UNIT
#define NOISE (4 * UNIT) /* of a score or a length, relative to the |z| it is made of */

/* ---- the problem ------------------------------------------------------------------------- */

static int64_t row_of(const struct trop_nearest *a, int64_t j)
{
    return a->list ? a->list[j] : j;
}

/* 1 when row j is nearer to q than row k. squares: of the two distances, each with a relative error
 * of (d + 4) u; where they do not tell, the sign of |x_j - q|^2 - |x_k - q|^2 does, without error.
 */
static int is_nearer(const struct trop_nearest *a, int64_t j, int64_t k, const double squares[2])
{
    const double *xj = a->x + j * a->d, *xk = a->x + k * a->d;
    const double noise = 2 * UNIT * (double)(a->d + 4) * (squares[0] + squares[1]);
    struct trop_exact sum;

    /* Squares that overflow are looked at again, with a scale. */
    if (!(squares[0] + squares[1] < INFINITY) || fabs(squares[0] - squares[1]) > noise) {
        return squares[0] < squares[1];
    }
    trop_exact_clear(&sum);
    for (int64_t c = 0; c < a->d; c++) {
        trop_exact_add(&sum, xj[c], xj[c], 1);
        trop_exact_subtract(&sum, xk[c], xk[c], 1);
        trop_exact_subtract(&sum, a->q[c], xj[c], 2);
        trop_exact_add(&sum, a->q[c], xk[c], 2);
    }
    return trop_exact_sign(&sum) < 0;
}

/* The largest coordinate of all differences, in *largest, and the row with the least sum of
 * squares. A row that is q itself is told exactly: *largest is then -1. */
static int64_t first_look(double *largest, const struct trop_nearest *a)
{
    int64_t d = a->d, best = row_of(a, 0);
    double least = 0, top = 0;

    for (int64_t j = 0; j < a->count; j++) {
        const double *x = a->x + row_of(a, j) * d;
        double square = 0, high = 0;
        for (int64_t c = 0; c < d; c++) {
            double t = (x[c] * a->s1 - a->q1[c]) * a->s2;
            square += t * t;
            high = fabs(t) > high ? fabs(t) : high;
        }
        if (high == 0) {
            *largest = -1;
            return row_of(a, j);
        }
        top = high > top ? high : top;
        if (j == 0 || is_nearer(a, row_of(a, j), best, (double[2]){ square, least })) {
            least = square;
            best = row_of(a, j);
        }
    }
    *largest = top;
    return best;
}

void trop_nearest_query(struct trop_nearest *a, const double *q)
{
    a->q = q;
    for (int64_t c = 0; c < a->d; c++) {
        a->q1[c] = q[c] * a->s1;
    }
}

/* Where squares overflow or vanish without a scale, a second look with it finds the nearest. */
int64_t trop_nearest_prepare(double *largest, struct trop_nearest *a, const double *q)
{
    double scaled;
    int exponent = 1024;

    a->s1 = 1;
    a->s2 = 1;
    trop_nearest_query(a, q);
    int64_t row = first_look(largest, a);
    /* Powers of two that bring the largest difference to [1/2, 1), as far as a double can. */
    if (*largest <= DBL_MAX) {
        frexp(fmax(*largest, 0), &exponent);
    }
    a->s1 = exponent > 0 ? ldexp(1, exponent > 1020 ? -1020 : -exponent) : 1;
    a->s2 = exponent < 0 ? ldexp(1, exponent < -1000 ? 1000 : -exponent) : 1;
    trop_nearest_query(a, q);
    if (*largest > 0x1p400 || (*largest >= 0 && *largest < 0x1p-400)) {
        row = first_look(&scaled, a);
    }
    return row;
}

/* ---- major steps ------------------------------------------------------------------------- */

/* <z_j, w>, w already times s2. */
static double score_of(const struct trop_nearest *a, int64_t row)
{
    const double *x = a->x + row * a->d, *q = a->q1, *w = a->w;
    double s[4] = { 0 }, s1 = a->s1;
    int64_t c = 0, d = a->d;

    for (; c + 4 <= d; c += 4) {
        s[0] += (x[c] * s1 - q[c]) * w[c];
        s[1] += (x[c + 1] * s1 - q[c + 1]) * w[c + 1];
        s[2] += (x[c + 2] * s1 - q[c + 2]) * w[c + 2];
        s[3] += (x[c + 3] * s1 - q[c + 3]) * w[c + 3];
    }
    for (int l = 0; c < d; c++, l++) {
        s[l] += (x[c] * s1 - q[c]) * w[c];
    }
    return (s[0] + s[2]) + (s[1] + s[3]);
}

/* Keeps the candidates sorted by score, the earlier row first where two are equal. */
static void insert(struct trop_nearest *a, int64_t row, double score)
{
    int64_t l = a->candidates < a->most ? a->candidates++ : a->most - 1;

    for (; l > 0 && a->score[l - 1] > score; l--) {
        a->score[l] = a->score[l - 1];
        a->candidate[l] = a->candidate[l - 1];
    }
    a->score[l] = score;
    a->candidate[l] = row;
}

/* Looks at every row; returns the lowest score. */
static double look(struct trop_nearest *a)
{
    a->candidates = 0;
    for (int64_t j = 0; j < a->count; j++) {
        int64_t row = row_of(a, j);
        double score = score_of(a, row);
        if (a->candidates < a->most || score < a->score[a->most - 1]) {
            insert(a, row, score);
        }
    }
    for (int64_t l = 0; l < a->candidates; l++) {
        const double *x = a->x + a->candidate[l] * a->d;
        double sum = 0;
        for (int64_t c = 0; c < a->d; c++) {
            double t = (x[c] * a->s1 - a->q1[c]) * a->s2;
            sum += t * t;
        }
        a->reach[l] = sqrt(sum);
    }
    return a->score[0];
}

double trop_nearest_size(const struct trop_nearest *a)
{
    double sum = 0;

    for (int64_t i = 0; i < a->atoms.count; i++) {
        sum += a->atoms.weight[i] * a->size[i];
    }
    return sum;
}

/* The candidate with the largest gap that counts, in *gap; -1 when there is none. */
static int64_t pick(double *gap, const struct trop_nearest *a)
{
    double size = trop_nearest_size(a);
    int64_t best = -1;

    *gap = 0;
    for (int64_t l = 0; l < a->candidates; l++) {
        double t = a->length - score_of(a, a->candidate[l]);
        if (t > *gap && t > NOISE * (a->reach[l] + size) &&
            !trop_nearest_has(&a->atoms, a->candidate[l])) {
            *gap = t;
            best = l;
        }
    }
    return best;
}

int trop_nearest_vanished(const struct trop_nearest *a)
{
    return !(a->length > NOISE * trop_nearest_size(a));
}

/* Next candidate, after a look at all rows where the old ones are used up. -1: none. *lowest:
 * the lowest score of a look, else left alone. */
static int64_t next(double *gap, double *lowest, struct trop_nearest *a)
{
    for (int64_t c = 0; c < a->d; c++) {
        a->w[c] = a->p[c] / a->length * a->s2;
    }
    int64_t l = pick(gap, a);
    if (l < 0) {
        *lowest = look(a);
        l = pick(gap, a);
    }
    return l;
}

int trop_nearest_descend(struct trop_nearest *a, int stop)
{
    int64_t stalled = 0, polished = 0, limit = 2 * a->d + 20;
    double shortest = INFINITY, narrowest = INFINITY, gap = 0;
    /* Twice the error of a score, |z| being sqrt(d) at most: above it the proof will pass. */
    double sure = 2 * UNIT * (double)(a->d / 4 + 6) * sqrt((double)a->d);
    int fresh = 0;

    a->candidates = 0;
    for (int64_t k = 0; k < 100 * (a->d + 10); k++) {
        double lowest = -INFINITY;
        int64_t l = trop_nearest_vanished(a) || stalled > limit ? -1 : next(&gap, &lowest, a);
        if (stop && lowest > sure && trop_nearest_prove_outside(a)) {
            return 1;
        }
        if (l < 0) {
            if (fresh || polished++ > 4) {
                break;
            }
            trop_nearest_polish(a);
            fresh = 1;
            continue;
        }
        fresh = 0;
        int64_t row = a->candidate[l];
        if (trop_nearest_add(a, row)) {
            trop_nearest_settle(a);
        }
        if (!trop_nearest_has(&a->atoms, row)) {
            /* Tried in vain, it is no candidate until all rows are looked at again. */
            a->candidates--;
            for (; l < a->candidates; l++) {
                a->candidate[l] = a->candidate[l + 1];
                a->reach[l] = a->reach[l + 1];
            }
        }
        int gained = a->length < shortest || gap < 0.5 * narrowest;
        stalled = gained ? 0 : stalled + 1;
        shortest = fmin(shortest, a->length);
        narrowest = fmin(narrowest, gap);
    }
    return 0;
}
