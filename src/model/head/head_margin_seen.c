/* head_margin_seen.c -- |W|_A, what the constraints of a text see of W, with bounds.
 *
 * Row i that sees the tokens V_i asks only for <x_s - x_t, W z_i> with s, t in V_i: the span of its
 * constraints is D_i z_i', D_i the span of those differences. Let b_t be what x_t - x_0 adds to the
 * span of x_1 - x_0, ..., x_(t-1) - x_0, of length 1. Without a mask every D_i is the span of all
 * b_t, and the constraints see P_L W P_R. Under a causal mask D_i is the span of b_1, ..., b_i, so
 * that b_t meets the rows i >= t, and the constraints span the orthogonal sum
 *
 *   sum_t b_t Z_t',   Z_t = span{z_i : i >= t}.
 *
 * With y_i what z_i adds to the span of z_(i+1), ..., z_(n-1), of length 1, the projection of W has
 * the coordinates m_ti = <b_t, W y_i>, i >= t, and |W|_A is the norm of that matrix.
 *
 * Bounds. Let V be the rows that were made orthonormal, B what was made of them, L the lower
 * triangle of V B', E = V - L B and f = |B B' - I|_F. Every unit vector of the span of the first
 * rows of V is within e = |E|_F / sigma_min(V) of the span of as many rows of B; so the projection
 * on the former is within e + f of B'B of those rows, and
 *
 *   sigma_min(V) >= (1 - f) (1 - |R L - I|_F) / |R|_F - |E|_F   for any R, an inverse of L.
 *
 * With s = sum_a |key_a| |query_a| >= |W| the matrix above is off by (e_x + f_x + e_z + f_z)(1 + f)
 * s without a mask, and with one by 2 n times that, one term for every t. Rows that repeat another
 * add nothing; where others are dropped as dependent, the constraints see at least this much, and
 * at most |W|_F. Singular values are taken to be within n^2 u |m| of what is computed.
 */
#include "model/head/head_margin_internal.h"

#include "base/alloc.h"
#include "base/linalg.h"
#include "base/status.h"
#include "margin/dense.h"

#include <math.h>
#include <string.h>

#define UNIT 0x1p-53
#define UP (1 + 64 * UNIT) /* more than a few roundings */
#define WIDE (1 + 0x1p-20) /* more than the roundings of a sum of 2^32 squares */

/* One side of W: the rows that count, and what was made of them. */
struct side {
    int64_t width, rank;
    int64_t *token; /* (rank) of each row */
    double *rows;   /* (rank, width) V */
    double *basis;  /* (rank, width) B */
    double off;     /* f */
    double tilt;    /* e + f; infinity: nothing is proved */
    int whole;      /* 1: the rows span what all rows span */
};

static void side_close(struct side *side)
{
    TROP_FREE(side->token, side->rows, side->basis);
}

double trop_head_margin_error(int64_t n)
{
    return ((double)n / 8 + 8) * UNIT;
}

/* ---- bases ----------------------------------------------------------------------------------- */

/* 1 when token t equals one of first .. last - 1. */
static int is_again(const double *hat, int64_t t, int64_t first, int64_t last, int64_t width)
{
    int again = 0;

    for (int64_t k = first; k < last && !again; k++) {
        int64_t c = 0;
        while (c < width && hat[k * width + c] == hat[t * width + c]) {
            c++;
        }
        again = c == width;
    }
    return again;
}

/* Makes the basis of the rows of all tokens, the last token first where the side is that of z, and
 * leaves the rows that count. The first difference, x_0 - x_0, is 0 for good. */
static void side_make(struct side *side, const struct trop_head_input *input, int backwards)
{
    const int64_t n = input->n, w = side->width;
    const size_t bytes = (size_t)w * sizeof(double);

    memcpy(side->basis, side->rows, (size_t)(n * w) * sizeof *side->basis);
    trop_head_margin_basis(side->basis, n, w);
    side->whole = 1;
    for (int64_t i = 0; i < n; i++) {
        const int64_t t = backwards ? n - 1 - i : i;
        const double *made = side->basis + i * w;
        int64_t c = 0;
        while (c < w && made[c] == 0) {
            c++;
        }
        if (c < w) {
            memmove(side->basis + side->rank * w, made, bytes);
            memmove(side->rows + side->rank * w, side->rows + i * w, bytes);
            side->token[side->rank++] = t;
        } else if (backwards || t > 0) {
            side->whole &=
                is_again(input->hat, t, backwards ? t + 1 : 0, backwards ? n : t, input->width);
        }
    }
}

/* ---- how far they are off -------------------------------------------------------------------- */

/* |B B' - I|_F. */
static double off_of(const struct side *side)
{
    const int64_t k = side->rank, w = side->width;
    double sum = 0;

    for (int64_t e = 0; e < k * k; e++) {
        const double dot = trop_linalg_dot(side->basis + e / k * w, side->basis + e % k * w, w) -
                           (e % (k + 1) == 0);
        sum = fma(dot, dot, sum);
    }
    return (sqrt(sum) + 2 * (double)k * trop_head_margin_error(w)) * WIDE;
}

/* |V - L B|_F, with the rounding of V. l: (k, k), turned: (w, k) holds B'. */
static double rest_of(const struct side *side, const double *l, const double *turned)
{
    const int64_t k = side->rank, w = side->width;
    const double size = trop_linalg_norm(l, k * k), all = trop_linalg_norm(side->rows, k * w);
    double sum = 0;

    for (int64_t e = 0; e < k * w; e++) {
        const double rest =
            side->rows[e] - trop_linalg_dot(l + e / w * k, turned + e % w * k, e / w + 1);
        sum = fma(rest, rest, sum);
    }
    const double lost = trop_head_margin_error(k) * size * 1.1 * sqrt((double)k) + 3 * UNIT * all;
    return (sqrt(sum) + lost) * WIDE;
}

/* sigma_min(L) from below, by R, an inverse of L that is made here by columns, turned. */
static double least_of(const double *l, double *r, int64_t k)
{
    double sum = 0;

    memset(r, 0, (size_t)(k * k) * sizeof *r);
    for (int64_t c = 0; c < k; c++) { /* L x = e_c, x in row c */
        for (int64_t i = c; i < k; i++) {
            const double rest = (i == c) - trop_linalg_dot(l + i * k + c, r + c * k + c, i - c);
            r[c * k + i] = rest / l[i * k + i];
        }
    }
    for (int64_t e = 0; e < k * k; e++) { /* L R - I, whose bound is as good */
        const double rest = trop_linalg_dot(l + e / k * k, r + e % k * k, k) - (e % (k + 1) == 0);
        sum = fma(rest, rest, sum);
    }
    const double inverse = trop_linalg_norm(r, k * k) * WIDE;
    const double lost = trop_head_margin_error(k) * inverse * trop_linalg_norm(l, k * k);
    return (1 - (sqrt(sum) + lost) * WIDE) / inverse;
}

static enum trop_status side_bound(struct side *side)
{
    const int64_t k = side->rank, w = side->width;
    double *l = NULL, *r = NULL, *turned = NULL;
    enum trop_status status = TROP_OK;

    if (!TROP_ALLOC(TROP_PART(l, k * k), TROP_PART(r, k * k), TROP_PART(turned, k * w))) {
        status =
            trop_fail(TROP_ERR_MEMORY, "no memory for bounds of a basis of %lld", (long long)k);
        goto done;
    }
    trop_head_margin_coordinates(l, side->rows, side->basis, k, w, k);
    for (int64_t e = 0; e < k * k; e++) {
        l[e] = e % k > e / k ? 0 : l[e];
    }
    for (int64_t e = 0; e < k * w; e++) {
        turned[e % w * k + e / w] = side->basis[e];
    }
    side->off = off_of(side);
    const double rest = rest_of(side, l, turned);
    const double least = (1 - side->off) * least_of(l, r, k) - rest;
    side->tilt = least > 0 && side->off < 0.1 ? (rest / least + side->off) * WIDE : INFINITY;
done:
    TROP_FREE(l, r, turned);
    return status;
}

/* ---- |W|_A ----------------------------------------------------------------------------------- */

double trop_head_margin_size(const struct trop_head_margin_pair *pair)
{
    const int64_t w = pair->width;
    double sum = 0;

    for (int64_t a = 0; a < pair->d; a++) {
        sum += trop_linalg_norm(pair->key + a * w, w) *
               trop_linalg_norm(pair->query + a * (w + 1), w + 1);
    }
    return sum * WIDE;
}

/* |W| from above: |W|_F^2 = sum_ab <key_a, key_b> <query_a, query_b>, or the size. */
static double whole_of(const struct trop_head_margin_pair *pair, int64_t norm)
{
    const int64_t w = pair->width, d = pair->d;
    const double size = trop_head_margin_size(pair);
    double sum = 0;

    if (norm == TROP_MARGIN_NUCLEAR) {
        return size;
    }
    for (int64_t e = 0; e < d * d; e++) {
        const int64_t a = e / d, b = e % d;
        sum += trop_linalg_dot(pair->key + a * w, pair->key + b * w, w) *
               trop_linalg_dot(pair->query + a * (w + 1), pair->query + b * (w + 1), w + 1);
    }
    const double lost =
        (2 * trop_head_margin_error(w + 1) + (double)(d * d + 4) * UNIT) * size * size;
    return sqrt(fmax(sum, 0) + lost) * UP;
}

/* m, zero where a row does not see a token, and its norms. m: (x.rank, z.rank). */
static enum trop_status norms_of(struct trop_head_margin_seen *out, const struct side *x,
                                 const struct side *z, const struct trop_head_margin_pair *pair,
                                 int causal, int64_t norm)
{
    const int64_t k = x->rank, l = z->rank, d = pair->d, least = k < l ? k : l;
    double *left = NULL, *right = NULL, *m = NULL, *values = NULL, *work = NULL;
    enum trop_status status = TROP_OK;

    if (!TROP_ALLOC(TROP_PART(left, k * d), TROP_PART(right, l * d), TROP_PART(m, k * l),
                    TROP_PART(values, least), TROP_PART(work, least * (k + l)))) {
        status = trop_fail(TROP_ERR_MEMORY, "no memory for W of %lld tokens", (long long)l);
        goto done;
    }
    trop_head_margin_coordinates(left, x->basis, pair->key, k, x->width, d);
    trop_head_margin_coordinates(right, z->basis, pair->query, l, z->width, d);
    trop_head_margin_coordinates(m, left, right, k, d, l);
    for (int64_t e = 0; e < k * l && causal; e++) {
        m[e] = z->token[e % l] >= x->token[e / l] ? m[e] : 0;
    }
    out->value = out->l2 = trop_linalg_norm(m, k * l);
    if (norm == TROP_MARGIN_NUCLEAR) {
        if (!trop_dense_values(values, m, work, k, l)) {
            status = trop_fail(TROP_ERR_NUMERIC, "margin: W has no singular values");
            goto done;
        }
        out->value = 0;
        for (int64_t c = 0; c < least; c++) {
            out->value += values[c];
        }
    }
done:
    TROP_FREE(left, right, m, values, work);
    return status;
}

static void bounds_of(struct trop_head_margin_seen *out, const struct side *x, const struct side *z,
                      const struct trop_head_margin_pair *pair, int causal, int64_t norm)
{
    const double n = (double)(x->rank > z->rank ? x->rank : z->rank);
    const double size = trop_head_margin_size(pair), whole = whole_of(pair, norm);
    const double entry = 3 * trop_head_margin_error(x->width + pair->d + 16) * size * 1.3;
    const double tilt = (x->tilt + z->tilt) * (1 + x->off) * size * (causal ? 2 * n : 1);
    const double values =
        norm == TROP_MARGIN_NUCLEAR ? sqrt(n) * n * entry + n * n * UNIT * out->l2 : n * entry;
    const double error = (tilt + values + n * n * UNIT * out->value) * UP;
    const double lower = out->value / ((1 + x->off) * (1 + z->off)) - error;
    const double upper = out->value * (1 + x->off) * (1 + z->off) + error;

    out->lower = lower > 0 ? lower / UP : 0; /* also of NaN */
    out->upper = x->whole && z->whole && upper < whole ? upper * UP : whole;
}

enum trop_status trop_head_margin_seen(struct trop_head_margin_seen *out,
                                       const struct trop_head_margin_pair *pair,
                                       const struct trop_head_input *input, int64_t norm)
{
    const int64_t n = input->n, w = pair->width;
    struct side x = { .width = w }, z = { .width = w + 1 };
    enum trop_status status = TROP_OK;

    if (!TROP_ALLOC(TROP_PART(x.token, n), TROP_PART(x.rows, trop_alloc_product(n, w)),
                    TROP_PART(x.basis, trop_alloc_product(n, w)), TROP_PART(z.token, n),
                    TROP_PART(z.rows, trop_alloc_product(n, w + 1)),
                    TROP_PART(z.basis, trop_alloc_product(n, w + 1)))) {
        status = trop_fail(TROP_ERR_MEMORY, "no memory for bases of %lld tokens", (long long)n);
        goto done;
    }
    for (int64_t t = 0; t < n; t++) {
        const double *token = input->hat + t * w;
        double *last = z.rows + (n - 1 - t) * (w + 1); /* the last token first */
        for (int64_t c = 0; c < w; c++) {
            x.rows[t * w + c] = token[c] - input->hat[c];
        }
        memcpy(last, token, (size_t)w * sizeof *last);
        last[w] = 1;
    }
    side_make(&x, input, 0);
    side_make(&z, input, 1);
    status = side_bound(&x);
    status = status == TROP_OK ? side_bound(&z) : status;
    status = status == TROP_OK ? norms_of(out, &x, &z, pair, input->causal != 0, norm) : status;
    if (status == TROP_OK) {
        bounds_of(out, &x, &z, pair, input->causal != 0, norm);
    }
done:
    side_close(&x);
    side_close(&z);
    return status;
}
