/* flat.c -- the affine hull of a cloud: its effective dimension, and coordinates in it.
 *
 * A greedy frame, as in QR with column pivoting. Its first token is the farthest from token
 * 0, its second the farthest from the first, and every further one the farthest from the
 * affine span of those before: a convex function takes its largest value at a vertex, so up
 * to rounding every frame token is a vertex of the hull. With residuals
 *
 *   r_i = (x_i - o) - sum_k e_k <e_k, x_i - o>,
 *
 * the next direction e is that of the longest residual, made orthogonal to the earlier ones
 * a second time and normalised. It counts when the width of the cloud in it,
 * max_i <e, r_i> - min_i <e, r_i>, exceeds TROP_FLAT_RATIO of the diameter; when it does
 * not, every residual is at most that long, and the rest is flat.
 *
 * Only differences x_i - x_o enter, each with a relative error of u = 2^-53, so a cloud far
 * from the origin is as flat as its own bits say. A residual carries an error of about
 * (k + 1) sqrt(d) u |x_i - o| (each of k projections rounds once, along unit vectors), which
 * is 1e-15 of the diameter at d = 10 and stays below the ratio 1e-13 up to d of about 90;
 * above that, rounding alone may count a direction, and the answer errs to "not flat".
 *
 * Differences are multiplied by a power of two that brings the diameter near 1: no square
 * overflows or vanishes. Cost: O(n d k) for the frame, once more for the coordinates.
 */
#include "shape/flat.h"

#include "base/alloc.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

/* scale (a - b), neither overflowing for huge numbers nor rounding for tiny ones. */
static double scaled(double a, double b, double scale)
{
    return scale < 1 ? a * scale - b * scale : (a - b) * scale;
}

/* ---- the frame -------------------------------------------------------------------------- */

/* Plain products and four lanes: this is the inner loop, and without the instruction a fused
 * one is a call. */
static double dot(const double *a, const double *b, int64_t d)
{
    double s[4] = { 0 };
    int64_t c = 0;

    for (; c + 4 <= d; c += 4) {
        for (int l = 0; l < 4; l++) {
            s[l] += a[c + l] * b[c + l];
        }
    }
    for (int l = 0; c < d; c++, l++) {
        s[l] += a[c] * b[c];
    }
    return (s[0] + s[2]) + (s[1] + s[3]);
}

/* The longest residual, the first of several. */
static int64_t farthest(const double *r, int64_t n, int64_t d)
{
    int64_t far = 0;
    double most = -1;

    for (int64_t i = 0; i < n; i++) {
        double square = dot(r + i * d, r + i * d, d);
        if (square > most) {
            most = square;
            far = i;
        }
    }
    return far;
}

/* r <- scaled differences to token o. */
static void differences(double *r, const struct trop_flat *flat, const double *x, int64_t o)
{
    int64_t d = flat->d;

    for (int64_t i = 0; i < flat->n; i++) {
        for (int64_t c = 0; c < d; c++) {
            r[i * d + c] = scaled(x[i * d + c], x[o * d + c], flat->scale);
        }
    }
}

static void subtract(double *r, double factor, const double *e, int64_t d)
{
    for (int64_t c = 0; c < d; c++) {
        r[c] -= factor * e[c];
    }
}

/* Row k of the basis from a residual; 0 when nothing of it is left. The earlier rows are
 * taken out twice: after a residual of 1e-13 is blown up to length 1, what rounding left of
 * them is too. */
static int direction(struct trop_flat *flat, const double *residual)
{
    int64_t d = flat->d;
    double *e = flat->basis + flat->k * d;

    memcpy(e, residual, (size_t)d * sizeof *e);
    for (int pass = 0; pass < 3; pass++) {
        double size = sqrt(dot(e, e, d));
        if (!(size > 0)) {
            return 0;
        }
        for (int64_t c = 0; c < d; c++) {
            e[c] /= size;
        }
        for (int64_t l = 0; pass < 2 && l < flat->k; l++) {
            subtract(e, dot(e, flat->basis + l * d, d), flat->basis + l * d, d);
        }
    }
    return 1;
}

/* frame, basis, k and thickness; scratch: (n, d + 1). */
static void find_frame(struct trop_flat *flat, const double *x, double *scratch, double diameter)
{
    int64_t n = flat->n, d = flat->d;
    double *r = scratch, *t = scratch + n * d;
    double limit = TROP_FLAT_RATIO * (diameter * flat->scale); /* a tiny diameter is scaled first */

    differences(r, flat, x, 0);
    flat->frame[0] = farthest(r, n, d);
    memcpy(flat->origin, x + flat->frame[0] * d, (size_t)d * sizeof *x);
    differences(r, flat, x, flat->frame[0]);
    for (flat->k = 0; flat->k < d; flat->k++) {
        int64_t far = farthest(r, n, d);
        const double *e = flat->basis + flat->k * d, *longest = r + far * d;
        flat->thickness = sqrt(dot(longest, longest, d)) / flat->scale;
        if (!direction(flat, longest)) {
            return;
        }
        double low = 0, high = 0; /* of the residuals along e; the frame's first token has 0 */
        for (int64_t i = 0; i < n; i++) {
            t[i] = dot(r + i * d, e, d);
            low = t[i] < low ? t[i] : low;
            high = t[i] > high ? t[i] : high;
        }
        if (!(high - low > limit)) {
            return;
        }
        flat->frame[flat->k + 1] = far;
        for (int64_t i = 0; i < n; i++) {
            subtract(r + i * d, t[i], e, d);
        }
    }
    flat->thickness = 0;
}

/* ---- coordinates ------------------------------------------------------------------------ */

/* Coordinate c of the scaled residual of a point with scaled coordinates y / scale. */
static double residual_at(const struct trop_flat *flat, const double *y, const double *point,
                          int64_t c)
{
    double t = scaled(point[c], flat->origin[c], flat->scale);

    for (int64_t l = 0; l < flat->k; l++) {
        t -= y[l] * flat->scale * flat->basis[l * flat->d + c];
    }
    return t;
}

double trop_flat_project(double *out, const struct trop_flat *flat, const double *point)
{
    int64_t d = flat->d;
    double most = 0, sum = 0;

    if (flat->k == d) {
        memcpy(out, point, (size_t)d * sizeof *out);
        return 0;
    }
    for (int64_t l = 0; l < flat->k; l++) {
        const double *e = flat->basis + l * d;
        double t = 0;
        for (int64_t c = 0; c < d; c++) {
            t += e[c] * scaled(point[c], flat->origin[c], flat->scale);
        }
        out[l] = t / flat->scale;
    }
    /* The length of the residual in two passes, so that it needs neither memory nor luck
     * with a point far outside of the cloud's own scale. */
    for (int64_t c = 0; c < d; c++) {
        most = fmax(most, fabs(residual_at(flat, out, point, c)));
    }
    for (int64_t c = 0; most > 0 && c < d; c++) {
        double t = residual_at(flat, out, point, c) / most;
        sum += t * t;
    }
    return most * sqrt(sum) / flat->scale;
}

/* ---- making it -------------------------------------------------------------------------- */

static enum trop_status no_memory(struct trop_flat *flat, int64_t n, int64_t d)
{
    trop_flat_free(flat);
    return trop_fail(TROP_ERR_MEMORY,
                     "no memory for the affine hull of %lld tokens in dimension %lld", (long long)n,
                     (long long)d);
}

enum trop_status trop_flat_create(struct trop_flat **out, const double *x, int64_t n, int64_t d,
                                  double diameter)
{
    struct trop_flat *flat = trop_alloc(1, sizeof *flat);
    if (!flat) {
        return no_memory(NULL, n, d);
    }
    /* The power of two that brings the diameter to [1/2, 1), as far as a double can. */
    int exponent = 0;
    frexp(diameter, &exponent);
    exponent = exponent < -1000 ? -1000 : exponent > 1000 ? 1000 : exponent;
    *flat = (struct trop_flat){ .n = n, .d = d, .scale = ldexp(1, -exponent) };
    double *scratch;
    if (TROP_ALLOC(TROP_PART(flat->origin, d), TROP_PART(flat->basis, trop_alloc_product(d, d)),
                   TROP_PART(flat->frame, d + 1),
                   TROP_PART(scratch, trop_alloc_product(n, d + 1)))) {
        find_frame(flat, x, scratch, diameter);
        flat->y = trop_alloc(trop_alloc_product(n, flat->k), sizeof *flat->y);
    }
    trop_alloc_free(scratch);
    if (!flat->y) {
        return no_memory(flat, n, d);
    }
    if (flat->k == d) { /* a cloud of full dimension keeps its own coordinates */
        memset(flat->origin, 0, (size_t)d * sizeof *flat->origin);
        for (int64_t k = 0; k < d * d; k++) {
            flat->basis[k] = k / d == k % d;
        }
        memcpy(flat->y, x, (size_t)(n * d) * sizeof *x);
    }
    for (int64_t i = 0; flat->k < d && i < n; i++) {
        trop_flat_project(flat->y + i * flat->k, flat, x + i * d);
    }
    *out = flat;
    return TROP_OK;
}

void trop_flat_free(struct trop_flat *flat)
{
    if (flat) {
        TROP_FREE(flat->origin, flat->basis, flat->frame, flat->y, flat);
    }
}
