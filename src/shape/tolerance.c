/* tolerance.c -- tolerances epsilon at which localmax changes its mind on a given cloud.
 *
 * T4, T5, T12: claims lm-thm-t4a to t4c, lm-thm-t5, lm-thm-t12; form = additive, full mask.
 *
 * complete   max_i (max_j s_ij - min_j s_ij): from here on every set is everything, and
 *            T5 holds at once. The least double that is not below the exact number, so
 *            that it does what it says and the double before it does not.
 * first      min_i (max_j s_ij - the largest s_il below it): the first epsilon that adds a
 *            token to a set, as the least double that is not below the exact number.
 *            Below it localmax's sets are hardmax's.
 * consensus  T4: two vertices v, w of the limit hull have (v - w)' A (v - w) >= 2 epsilon,
 *            A = (B + B')/2. Tokens meet in one point when
 *
 *              epsilon > sup { (v - w)' A (v - w) / 2 : v, w in K }.
 *
 *            With A + mu I positive semidefinite the form of A + mu I is convex, largest at
 *            tokens, and above that of A. So two bounds hold, and the smaller one is given:
 *
 *              max_ij (x_i - x_j)' (A + mu I) (x_i - x_j) / 2,   lambda_max(A)^+ diam^2 / 2.
 *
 *            For A positive semidefinite mu is the rounding of its eigenvalues: the first
 *            is T4 itself. For A negative definite the second is 0.
 *
 * Rounding of consensus, u = 2^-53, all upwards. Eigenvalues of base/linalg.h, and of
 * LAPACK above 64 dimensions, are off by a small multiple of d u |A|_F; 64 d u |A|_F, with
 * |A|_F from B itself, covers that and the rounding of A. A diagonal A needs no solver and
 * has no such error. Tokens are taken from the first, z_i = x_i - x_1, so that errors are
 * relative to the cloud and not to its place. With w_i = B z_i, N the largest sum of
 * magnitudes in a row of B and Z = max |z_ic|, a component of z_i - z_j is at most 2 Z and
 * off by 4 u Z, one of w_i - w_j at most 2 N Z and off by (2 d + 4) u N Z, and d products
 * are added, so that
 *
 *   (z_i - z_j)' (w_i - w_j)  is off by at most  (8 d + 20) u d N Z^2;
 *
 * twice that is added once, and (d + 4) u of themselves four times to distances. Above 64
 * dimensions the last bits depend on the BLAS in use, as all of LAPACK.
 *
 * Cost: n rows of scores and a few exact sums for the first two, n^2 d / 2 products for the
 * third, and d^3 for eigenvalues of a full B. The exact sums run only for rows that beat
 * the ones before, which are about log n of them on a random cloud.
 */
#include "shape/tolerance.h"

#include "attend/decide.h"
#include "attend/exact.h"
#include "base/alloc.h"
#include "base/lapack.h"
#include "base/linalg.h"
#include "base/status.h"

#include <math.h>

#define UNIT 0x1p-53

/* ---- gaps of scores, exactly ---------------------------------------------------------------- */

/* The least double >= <y, best - j>, which is at least 0. */
static double gap_above(const struct trop_row *row, int64_t j)
{
    int64_t d = row->scene->d;
    const double *at = row->scene->keys + j * d, *best = row->scene->keys + row->best * d;
    struct trop_exact sum;

    trop_exact_clear(&sum);
    for (int64_t c = 0; c < d; c++) {
        trop_exact_add(&sum, row->y[c], best[c], 1.0);
        trop_exact_subtract(&sum, row->y[c], at[c], 1.0);
    }
    double gap = trop_exact_value(&sum); /* within an ulp: one or two steps are left */
    while (gap < INFINITY && trop_decide_score(row->y, at, best, d, gap, 0) < 0) {
        gap = nextafter(gap, INFINITY);
    }
    while (gap > 0 && gap < INFINITY &&
           trop_decide_score(row->y, at, best, d, nextafter(gap, 0), 0) >= 0) {
        gap = nextafter(gap, 0);
    }
    return gap;
}

/* 1 when <y, best - j> <= gap. */
static int within(const struct trop_row *row, int64_t j, double gap)
{
    int64_t d = row->scene->d;
    const double *keys = row->scene->keys;
    return !(gap < INFINITY) ||
           trop_decide_score(row->y, keys + j * d, keys + row->best * d, d, gap, 0) >= 0;
}

/* The token of least exact score, or the one of largest score below the best (-1: none). */
static int64_t extreme(const struct trop_row *row, int sign)
{
    int64_t at = -1, t = 0, d = row->scene->d;
    const double *keys = row->scene->keys;

    for (int64_t j = 0; j < row->n; j++) {
        if (sign > 0 && t < row->ties && row->tied[t] == j) {
            t++;
            continue;
        }
        double ahead = at < 0 ? INFINITY : sign * (row->weight[j] - row->weight[at]);
        if (ahead > 2 * row->bound ||
            (ahead >= -2 * row->bound &&
             sign * trop_decide_score(row->y, keys + j * d, keys + at * d, d, 0, 0) > 0)) {
            at = j;
        }
    }
    return at;
}

/* ---- consensus ------------------------------------------------------------------------------- */

/* All eigenvalues of A lie in [low, high]. */
struct range {
    double low, high;
};

/* 1, with the range, when A is diagonal. */
static int diagonal(struct range *out, const struct trop_matrix *b, int64_t d)
{
    *out = (struct range){ b->scale, b->scale };
    if (!b->values) {
        return 1;
    }
    out->low = out->high = b->values[0];
    for (int64_t i = 0; i < d; i++) {
        out->low = fmin(out->low, b->values[i * d + i]);
        out->high = fmax(out->high, b->values[i * d + i]);
        for (int64_t j = 0; j < i; j++) {
            if (b->values[i * d + j] != -b->values[j * d + i]) {
                return 0;
            }
        }
    }
    return 1;
}

static enum trop_status eigen_range(struct range *out, const struct trop_matrix *b, int64_t d)
{
    if (diagonal(out, b, d)) {
        return TROP_OK;
    }
    double *a, *values, size = trop_linalg_norm(b->values, d * d);
    enum trop_status status = TROP_OK;

    if (!TROP_ALLOC(TROP_PART(a, trop_alloc_product(d, d)), TROP_PART(values, d))) {
        status =
            trop_fail(TROP_ERR_MEMORY, "no memory for eigenvalues of order %lld", (long long)d);
        goto done;
    }
    for (int64_t k = 0; k < d * d; k++) {
        a[k] = 0.5 * b->values[k] + 0.5 * b->values[k % d * d + k / d];
    }
    if (d > TROP_LINALG_SMALL) {
        status = trop_lapack_eigen(values, a, d);
    } else if (!trop_linalg_eigen(values, NULL, a, d)) {
        status = trop_fail(TROP_ERR_NUMERIC, "key-query: no eigenvalues of (B + B')/2");
    }
    if (status == TROP_OK) {
        double error = 64 * UNIT * (double)d * size;
        *out = (struct range){ values[0] - error, values[d - 1] + error };
    }
done:
    TROP_FREE(a, values);
    return status;
}

struct pairs {
    double form;   /* max (z_i - z_j)' (w_i - w_j) + mu |z_i - z_j|^2, as computed */
    double square; /* max |z_i - z_j|^2, as computed */
    double size;   /* max |z_ic| */
};

/* The smaller of the two bounds, rounded upwards, and its M. */
static void take_consensus(struct trop_tolerance *out, const struct pairs *p,
                           const struct range *range, double norm, double mu, int64_t d)
{
    double order = (double)d, up = 1 + 4 * UNIT * (order + 4);
    double error = 16 * UNIT * (order + 4) * order * (norm + mu) * p->size * p->size + 0x1p-1060;

    out->share = 0;
    out->shift = fmax(range->high, 0);
    out->consensus = 0;
    if (range->high <= 0 || p->size == 0) {
        return;
    }
    double by_form = 0.5 * (p->form * up + error) * up;
    double by_diameter = 0.5 * range->high * (p->square * up + 0x1p-1060) * up;
    out->share = by_form < by_diameter;
    out->shift = out->share ? mu : range->high;
    out->consensus = out->share ? by_form : by_diameter;
}

static enum trop_status find_consensus(struct trop_tolerance *out, const struct trop_scene *scene,
                                       const struct trop_matrix *b)
{
    int64_t n = scene->n, d = scene->d;
    struct range range;
    struct pairs pairs;
    enum trop_status status = eigen_range(&range, b, d);

    if (status != TROP_OK) {
        return status;
    }
    double *z, *w;
    if (!TROP_ALLOC(TROP_PART(z, trop_alloc_product(n, d)),
                    TROP_PART(w, trop_alloc_product(n, d)))) {
        status = trop_fail(TROP_ERR_MEMORY, "no memory for the differences of %lld tokens",
                           (long long)n);
        goto done;
    }
    for (int64_t k = 0; k < n * d; k++) {
        z[k] = scene->x[k] - scene->x[k % d];
    }
    for (int64_t i = 0; i < n; i++) {
        trop_attend_query(w + i * d, z + i * d, d, b);
    }
    double norm = b->values ? 0 : fabs(b->scale); /* the largest sum of magnitudes in a row of B */
    for (int64_t i = 0; b->values && i < d; i++) {
        double sum = 0;
        for (int64_t j = 0; j < d; j++) {
            sum += fabs(b->values[i * d + j]);
        }
        norm = fmax(norm, sum);
    }
    double mu = range.low < 0 ? -range.low : 0;
    pairs = (struct pairs){ 0 };
    for (int64_t k = 0; k < n * d; k++) {
        pairs.size = fmax(pairs.size, fabs(z[k]));
    }
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < i; j++) {
            double form = 0, square = 0;
            for (int64_t c = 0; c < d; c++) {
                double t = z[i * d + c] - z[j * d + c];
                form += t * (w[i * d + c] - w[j * d + c]);
                square += t * t;
            }
            form += mu * square;
            /* A form that is no number is taken as infinite: a bound, if no good one. */
            pairs.form = form <= pairs.form ? pairs.form : isnan(form) ? INFINITY : form;
            pairs.square = square > pairs.square ? square : pairs.square;
        }
    }
    take_consensus(out, &pairs, &range, norm, mu, d);
done:
    TROP_FREE(z, w);
    return status;
}

enum trop_status trop_tolerance_find(struct trop_tolerance *out, struct trop_attend *attend,
                                     const struct trop_matrix *key_query)
{
    const struct trop_scene *scene = trop_attend_scene(attend);
    struct trop_tolerance found;

    if (scene->numbers.mask == TROP_MASK_CAUSAL) {
        return trop_fail(TROP_ERR_UNSUPPORTED, "mask = causal: thresholds need the full mask");
    }
    if (scene->keys != scene->x) {
        return trop_fail(TROP_ERR_UNSUPPORTED, "form = cosine: thresholds are those of additive");
    }
    enum trop_status status = find_consensus(&found, scene, key_query);
    if (status != TROP_OK) {
        return status;
    }
    found.complete = 0;
    found.first = INFINITY;
    for (int64_t i = 0; i < scene->n; i++) {
        struct trop_row *row = trop_attend_look(attend, scene->y + i * scene->d, scene->n);
        int64_t low = extreme(row, -1), next = extreme(row, 1);
        if (!within(row, low, found.complete)) {
            found.complete = gap_above(row, low);
        }
        if (next >= 0 && within(row, next, nextafter(found.first, 0))) {
            found.first = gap_above(row, next);
        }
    }
    *out = found;
    return TROP_OK;
}
