/* attend_load.c -- tokens taken in: queries, keys, and copies by coordinate.
 *
 * y_i = B k_i with k = x, or x / |x|_B for the cosine form. y_ic is one fma chain over the
 * columns of B in index order; for B = b I it is the product b k_ic, and for B = I it is
 * k itself. beta < 0 is beta > 0 with -B: the query is negated, exactly.
 *
 * Scores are computed on copies scaled by powers of two when the data are so large or
 * small that a product could leave double; the scaling is then exact for all but
 * negligible components, and decisions use the unscaled numbers.
 */
#include "attend/attend_internal.h"

#include "base/linalg.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

#define SAFE 400 /* |exponents| up to this need no scaling */

void trop_attend_query(double *out, const double *x, int64_t d, const struct trop_matrix *matrix)
{
    if (matrix->values) {
        trop_linalg_matvec(out, matrix->values, x, d, d);
        return;
    }
    for (int64_t c = 0; c < d; c++) {
        out[c] = matrix->scale * x[c];
    }
}

/* The power of two that brings data of this size near 1; 0 when there is no need. */
static int scale_of(double size)
{
    int exponent;
    if (size == 0) {
        return 0;
    }
    frexp(size, &exponent);
    return exponent > SAFE || exponent < -SAFE ? exponent : 0;
}

/* By eight maxima, which wait for each other no longer than a load takes. */
static double largest(const double *x, int64_t count)
{
    double sizes[8] = { 0 }, size = 0;
    int64_t k = 0;

    for (; k + 8 <= count; k += 8) {
        for (int l = 0; l < 8; l++) {
            sizes[l] = fabs(x[k + l]) > sizes[l] ? fabs(x[k + l]) : sizes[l];
        }
    }
    for (; k < count; k++) {
        sizes[k % 8] = fabs(x[k]) > sizes[k % 8] ? fabs(x[k]) : sizes[k % 8];
    }
    for (int l = 0; l < 8; l++) {
        size = sizes[l] > size ? sizes[l] : size;
    }
    return size;
}

/* By strips of eight tokens, which use a line of the copy while it is near. */
static void transpose(double *xt, const double *x, int64_t n, int64_t d, int64_t stride, int scale)
{
    double factor = ldexp(1.0, -(scale / 2)), rest = ldexp(1.0, -(scale - scale / 2));

    for (int64_t first = 0; first < stride; first += 8) {
        const int64_t last = first + 8 < stride ? first + 8 : stride, end = last < n ? last : n;
        for (int64_t c = 0; c < d; c++) {
            for (int64_t j = first; j < end; j++) {
                xt[c * stride + j] = scale ? x[j * d + c] * factor * rest : x[j * d + c];
            }
            for (int64_t j = end > first ? end : first; j < last; j++) {
                xt[c * stride + j] = 0;
            }
        }
    }
}

/* Unit vectors in the norm of B: k = x / sqrt(<Bx, x>), and 0 for x = 0. */
static enum trop_status normalise(struct trop_attend *a, const double *x, int64_t n,
                                  const struct trop_matrix *key_query)
{
    int64_t d = a->scene.d;

    for (int64_t i = 0; i < n; i++) {
        const double *xi = x + i * d;
        double *ki = a->keys + i * d, square = 0;
        /* Scaled first, so that no square overflows or vanishes. */
        double size = largest(xi, d);
        for (int64_t c = 0; c < d; c++) {
            ki[c] = size > 0 ? xi[c] / size : 0;
        }
        trop_attend_query(a->query, ki, d, key_query);
        for (int64_t c = 0; c < d; c++) {
            square = fma(a->query[c], ki[c], square);
        }
        if (size > 0 && !(square > 0)) {
            return trop_fail(TROP_ERR_NUMERIC,
                             "form = cosine: token %lld has <Bx, x> = %g times its squared size, "
                             "must be above 0",
                             (long long)i, square);
        }
        double norm = sqrt(square);
        for (int64_t c = 0; c < d; c++) {
            ki[c] = size > 0 ? ki[c] / norm : 0;
        }
    }
    return TROP_OK;
}

static enum trop_status queries(struct trop_attend *a, const struct trop_matrix *key_query,
                                int negative, int64_t n)
{
    struct trop_scene *s = &a->scene;

    s->y = s->keys;
    a->multiple = key_query->values ? 0 : negative ? -key_query->scale : key_query->scale;
    a->multiple = a->multiple > 0 ? a->multiple : 0;
    if (!key_query->values && key_query->scale == 1.0 && !negative) {
        return TROP_OK;
    }
    if (key_query->values) {
        trop_attend_apply(a->y, a, key_query->values, s->keys, n);
    }
    for (int64_t i = 0; i < n && !key_query->values; i++) {
        trop_attend_query(a->y + i * s->d, s->keys + i * s->d, s->d, key_query);
    }
    for (int64_t k = 0; k < n * s->d; k++) {
        a->y[k] = negative ? -a->y[k] : a->y[k];
        if (!isfinite(a->y[k])) {
            return trop_fail(TROP_ERR_NUMERIC, "key-query: B x overflows for token %lld",
                             (long long)(k / s->d));
        }
    }
    s->y = a->y;
    return TROP_OK;
}

enum trop_status trop_attend_load(struct trop_attend *a, const double *x, const double *mass,
                                  int64_t n, const struct trop_matrix *key_query,
                                  const struct trop_rule_numbers *numbers)
{
    struct trop_scene *s = &a->scene;
    int cosine =
        (numbers->rule->uses & TROP_RULE_USES_EPSILON) && numbers->form == TROP_FORM_COSINE;
    int negative = (numbers->rule->uses & TROP_RULE_USES_BETA) && numbers->beta < 0;
    enum trop_status status;

    s->n = n;
    s->stride = trop_attend_width(n);
    s->x = x;
    s->keys = x;
    s->numbers = *numbers;
    s->numbers.beta = fabs(numbers->beta);
    s->mass = NULL;
    if (mass) {
        memcpy(a->mass, mass, (size_t)n * sizeof *mass);
        memset(a->mass + n, 0, (size_t)(s->stride - n) * sizeof *mass);
        s->mass = a->mass;
    }
    if (cosine) {
        status = normalise(a, x, n, key_query);
        if (status != TROP_OK) {
            return status;
        }
        s->keys = a->keys;
    }
    status = queries(a, key_query, negative, n);
    if (status != TROP_OK) {
        return status;
    }
    s->scale_x = scale_of(largest(x, n * s->d));
    s->scale_k = cosine ? 0 : s->scale_x;
    s->scale_y = scale_of(largest(s->y, n * s->d));
    a->multiple = ldexp(a->multiple, s->scale_k - s->scale_y); /* of the scaled copies */
    transpose(a->xt, x, n, s->d, s->stride, s->scale_x);
    if (cosine) {
        transpose(a->keyst, a->keys, n, s->d, s->stride, 0);
    }
    s->xt = a->xt;
    s->keyst = cosine ? a->keyst : a->xt;
    s->reach = a->reach;
    for (int64_t c = 0; c < s->d; c++) {
        a->reach[c] = largest(s->keyst + c * s->stride, n);
    }
    return TROP_OK;
}
