/* depth.c -- the residual stream at one depth of a model.
 *
 * With unit tokens z_i, the mean cosine of m of them is (|sum z_i|^2 - m) / (m (m - 1)), by m rows
 * instead of m^2 pairs. Singular values come from LAPACK, whose last bits depend on the machine;
 * an effective rank is good to about 1e-13 of itself. */
#include "model/head/depth.h"

#include "base/alloc.h"
#include "base/lapack.h"
#include "base/linalg.h"
#include "base/math/exp.h"
#include "base/math/log.h"
#include "base/sort.h"
#include "base/status.h"
#include "shape/cloud.h"

#include <math.h>
#include <string.h>

struct trop_depth_scratch {
    double *length;        /* (n) */
    double *mean, *sum;    /* (width) */
    double *row;           /* (width) */
    double *a, *u, *s, *v; /* of the singular values */
    int64_t *order, *parent;
};

void trop_depth_free(struct trop_depth *depth)
{
    if (!depth) {
        return;
    }
    struct trop_depth_scratch *s = depth->scratch;
    if (s) {
        TROP_FREE(s->length, s->mean, s->sum, s->row, s->a, s->u, s->s, s->v, s->order, s->parent);
    }
    TROP_FREE(s, depth->label, depth);
}

static int make(struct trop_depth *depth, int64_t n, int64_t width)
{
    const int64_t least = n < width ? n : width;
    struct trop_depth_scratch *s = trop_alloc(1, sizeof *s);

    depth->n = n;
    depth->width = width;
    depth->scratch = s;
    return s && TROP_ALLOC(TROP_PART(depth->label, n), TROP_PART(s->length, n),
                           TROP_PART(s->mean, width), TROP_PART(s->sum, width),
                           TROP_PART(s->row, width), TROP_PART(s->a, trop_alloc_product(n, width)),
                           TROP_PART(s->u, trop_alloc_product(n, least)), TROP_PART(s->s, least),
                           TROP_PART(s->v, trop_alloc_product(least, width)),
                           TROP_PART(s->order, n), TROP_PART(s->parent, n));
}

enum trop_status trop_depth_create(struct trop_depth **out, int64_t n, int64_t width)
{
    if (n < 1 || width < 1) {
        return trop_fail(TROP_ERR_ARG, "%lld tokens of width %lld: both must be at least 1",
                         (long long)n, (long long)width);
    }
    struct trop_depth *depth = trop_alloc(1, sizeof *depth);
    if (!depth || !make(depth, n, width)) {
        trop_depth_free(depth);
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld tokens of width %lld", (long long)n,
                         (long long)width);
    }
    *out = depth;
    return TROP_OK;
}

/* ---- cosines --------------------------------------------------------------------------------- */

static int is_shorter(const void *context, int64_t a, int64_t b)
{
    const double *length = context;

    return length[a] != length[b] ? length[a] < length[b] : a < b;
}

/* The median length; massive tokens get a mark in parent. */
static void weigh(struct trop_depth *depth, const double *x)
{
    struct trop_depth_scratch *s = depth->scratch;
    const int64_t n = depth->n;

    for (int64_t i = 0; i < n; i++) {
        s->length[i] = trop_linalg_norm(x + i * depth->width, depth->width);
        s->order[i] = i;
    }
    trop_sort(s->order, n, is_shorter, s->length);
    const double low = s->length[s->order[(n - 1) / 2]], high = s->length[s->order[n / 2]];
    depth->median = low + (high - low) / 2;
    depth->massive = 0;
    for (int64_t i = 0; i < n; i++) {
        s->parent[i] = s->length[i] > TROP_DEPTH_MASSIVE * depth->median;
        depth->massive += s->parent[i];
    }
}

/* The mean of the tokens, without the massive ones or with them; 0 when it is not wanted. */
static void centre(struct trop_depth *depth, const double *x, int is_wanted, int without)
{
    const struct trop_depth_scratch *s = depth->scratch;
    const double count = (double)(depth->n - (without ? depth->massive : 0));

    memset(s->mean, 0, (size_t)depth->width * sizeof *s->mean);
    for (int64_t i = 0; is_wanted && i < depth->n; i++) {
        for (int64_t c = 0; !(without && s->parent[i]) && c < depth->width; c++) {
            s->mean[c] += x[i * depth->width + c] / count;
        }
    }
}

static double cosine(struct trop_depth *depth, const double *x, int is_centred, int without)
{
    const struct trop_depth_scratch *s = depth->scratch;
    const int64_t width = depth->width;
    double count = 0, square = 0;

    centre(depth, x, is_centred, without);
    memset(s->sum, 0, (size_t)width * sizeof *s->sum);
    for (int64_t i = 0; i < depth->n; i++) {
        for (int64_t c = 0; c < width; c++) {
            s->row[c] = x[i * width + c] - s->mean[c];
        }
        const double length = trop_linalg_norm(s->row, width);
        if ((without && s->parent[i]) || !(length > 0)) {
            continue;
        }
        for (int64_t c = 0; c < width; c++) {
            s->sum[c] += s->row[c] / length;
        }
        count++;
    }
    for (int64_t c = 0; c < width; c++) {
        square = fma(s->sum[c], s->sum[c], square);
    }
    return count > 1 ? (square - count) / (count * (count - 1)) : NAN;
}

/* ---- rank ------------------------------------------------------------------------------------ */

static enum trop_status rank(struct trop_depth *depth, const double *x)
{
    const struct trop_depth_scratch *s = depth->scratch;
    const int64_t n = depth->n, width = depth->width, least = n < width ? n : width;
    double total = 0, entropy = 0;

    memcpy(s->a, x, (size_t)(n * width) * sizeof *x);
    trop_lapack_threads_one(); /* the last bits depend on their number */
    const enum trop_status status = trop_lapack_svd(s->u, s->s, s->v, s->a, n, width);
    if (status != TROP_OK) {
        return status;
    }
    const double top = s->s[0] > 0 ? s->s[0] : 1; /* squares do not overflow */
    for (int64_t k = 0; k < least; k++) {
        s->s[k] /= top;
        total = fma(s->s[k], s->s[k], total);
    }
    for (int64_t k = 0; k < least && total > 0; k++) {
        const double p = s->s[k] * s->s[k] / total;
        entropy = p > 0 ? fma(-p, trop_log(p), entropy) : entropy;
    }
    depth->effective_rank = total > 0 ? trop_exp(entropy) : NAN;
    return TROP_OK;
}

enum trop_status trop_depth_measure(struct trop_depth *depth, const double *x, double tolerance)
{
    struct trop_depth_scratch *s = depth->scratch;

    if (!(tolerance >= 0 && tolerance < INFINITY)) {
        return trop_fail(TROP_ERR_ARG, "tolerance = %g: must be finite and not negative",
                         tolerance);
    }
    for (int64_t i = 0; i < depth->n * depth->width; i++) {
        if (!isfinite(x[i])) {
            return trop_fail(TROP_ERR_ARG,
                             "residual stream: token %lld, coordinate %lld is not a finite number",
                             (long long)(i / depth->width), (long long)(i % depth->width));
        }
    }
    weigh(depth, x);
    depth->cosine = cosine(depth, x, 0, 0);
    depth->cosine_centred = cosine(depth, x, 1, 0);
    depth->cosine_ordinary = cosine(depth, x, 0, 1);
    depth->cosine_ordinary_centred = cosine(depth, x, 1, 1);
    depth->clusters = trop_cloud_clusters(depth->label, x, depth->n, depth->width,
                                          tolerance * depth->median, s->order, s->parent);
    return rank(depth, x);
}
