/* fw_draw.c -- matrices, step sizes and points for the claims of the Frank-Wolfe paper. */
#include "claim/fw/fw.h"

#include "base/alloc.h"
#include "base/linalg.h"
#include "base/math/log.h"
#include "base/status.h"
#include "claim/tokens.h"

#include <string.h>

/* Uses of the random numbers of a case; claims count theirs from 16 to 63. */
#define USE_MATRIX 64
#define USE_EIGENVALUES 65
#define USE_GAMMA 66
#define USE_POINTS 67
#define USE_SIZES 68

enum trop_status trop_fw_draw_given(struct trop_case *c, const char *name, const double *values,
                                    int64_t rows, int64_t columns)
{
    double *out = NULL;
    enum trop_status status = trop_case_make(&out, c, name, rows, columns, 0);

    if (status == TROP_OK) {
        memcpy(out, values, (size_t)(rows * (columns > 0 ? columns : 1)) * sizeof *out);
    }
    return status;
}

enum trop_status trop_fw_draw_identity(struct trop_case *c, int64_t d, double scale)
{
    double *b = NULL;
    enum trop_status status = trop_case_make(&b, c, "B", d, d, 0);

    for (int64_t a = 0; status == TROP_OK && a < d; a++) {
        b[a * d + a] = scale;
    }
    return status;
}

int64_t trop_fw_draw_dimension(const struct trop_case *c, int64_t d)
{
    static const char *const names[] = { "B", "V", "Q" };

    for (int64_t k = 0; k < 3; k++) {
        if (trop_case_size(c, names[k], 0) > 0) {
            return trop_case_size(c, names[k], 0);
        }
    }
    return d;
}

/* ---- B ---- */

enum trop_status trop_fw_draw_fits(const struct trop_case *c, const char *name, int64_t rows)
{
    const int64_t d = trop_case_size(c, "tokens", 1);
    const int64_t a = trop_case_size(c, name, 0), b = trop_case_size(c, name, 1);

    if (b != d || (rows >= 0 && a != rows)) {
        return trop_fail(TROP_ERR_ARG, "%s is %lld x %lld: must have %lld columns, as tokens has%s",
                         name, (long long)a, (long long)b, (long long)d,
                         rows >= 0 ? ", and as many rows" : "");
    }
    return TROP_OK;
}

enum trop_status trop_fw_draw_any_matrix(struct trop_case *c)
{
    const int64_t d = trop_case_size(c, "tokens", 1);
    double *b = NULL;

    if (trop_case_has(c, "B")) {
        return trop_fw_draw_fits(c, "B", d);
    }
    enum trop_status status = trop_case_make(&b, c, "B", d, d, 0);
    for (int64_t k = 0; status == TROP_OK && k < d * d; k++) {
        b[k] = trop_case_normal(c, USE_MATRIX, k);
    }
    return status;
}

/* sum_k l_k v_k v_k' with random l_k; the upper triangle is copied, so that it is symmetric to the
 * last bit. */
static void compose(double *b, const struct trop_case *c, const double *vectors, int64_t d,
                    double low, double high)
{
    for (int64_t k = 0; k < d; k++) {
        const double l = low + (high - low) * trop_case_uniform(c, USE_EIGENVALUES, k);
        for (int64_t a = 0; a < d; a++) {
            for (int64_t e = a; e < d; e++) {
                b[a * d + e] += l * vectors[k * d + a] * vectors[k * d + e];
                b[e * d + a] = b[a * d + e];
            }
        }
    }
}

/* Random directions are the eigenvectors of a symmetric matrix of normal entries. */
enum trop_status trop_fw_draw_matrix(struct trop_case *c, double low, double high)
{
    const int64_t d = trop_case_size(c, "tokens", 1);
    double *b = NULL;

    if (trop_case_has(c, "B")) {
        return trop_fw_draw_fits(c, "B", d);
    }
    enum trop_status status = trop_case_make(&b, c, "B", d, d, 0);
    if (status != TROP_OK) {
        return status;
    }
    double *scratch = trop_alloc(d * (2 * d + 1), sizeof *scratch);
    if (!scratch) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a matrix of order %lld", (long long)d);
    }
    double *normal = scratch + d, *vectors = normal + d * d;
    for (int64_t a = 0; a < d; a++) {
        for (int64_t k = 0; k <= a; k++) {
            normal[a * d + k] = normal[k * d + a] = trop_case_normal(c, USE_MATRIX, a * d + k);
        }
    }
    if (trop_linalg_eigen(scratch, vectors, normal, d)) {
        compose(b, c, vectors, d, low, high);
    } else {
        status = trop_fail(TROP_ERR_NUMERIC, "B: no directions were found");
    }
    trop_alloc_free(scratch);
    return status;
}

/* x <- M^-1 x for every row, where B = M'M: then <B x, y> is what the inner product was. */
static enum trop_status pull_back(double *x, int64_t n, int64_t d, const double *b)
{
    double *m = trop_alloc(d * (d + 1), sizeof *m);

    if (!m) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a matrix of order %lld", (long long)d);
    }
    double *row = m + d * d;
    enum trop_status status = trop_fw_root(m, b, d, 1);
    for (int64_t i = 0; i < n && status == TROP_OK; i++) {
        memcpy(row, x + i * d, (size_t)d * sizeof *row);
        for (int64_t a = 0; a < d; a++) {
            x[i * d + a] = 0;
            for (int64_t k = 0; k < d; k++) {
                x[i * d + a] += m[a * d + k] * row[k];
            }
        }
    }
    trop_alloc_free(m);
    return status;
}

enum trop_status trop_fw_draw_own_cells(struct trop_case *c)
{
    const int given = trop_case_has(c, "tokens");
    const int64_t d = trop_fw_draw_dimension(c, 2 + trop_case_pick(c, USE_SIZES, 0, 3));
    const int64_t kappa = d + 1 + trop_case_pick(c, USE_SIZES, 1, 3);
    enum trop_status status =
        trop_tokens_own_cells(c, kappa, kappa + 4 + trop_case_pick(c, USE_SIZES, 2, 6), d);

    if (status == TROP_OK) {
        status = trop_fw_draw_matrix(c, .5, 2);
    }
    if (status == TROP_OK && !given) {
        status = pull_back(trop_case_array(c, "tokens"), trop_case_size(c, "tokens", 0), d,
                           trop_case_array(c, "B"));
    }
    return status;
}

/* ---- step sizes and points ---- */

enum trop_status trop_fw_draw_steps(struct trop_case *c, int64_t steps)
{
    return trop_tokens_count(c, "steps", (double)steps, 1, 1e6);
}

static enum trop_status begin_gamma(double **out, struct trop_case *c, int64_t steps)
{
    enum trop_status status = trop_fw_draw_steps(c, steps);

    *out = NULL;
    return status != TROP_OK || trop_case_has(c, "gamma")
               ? status
               : trop_case_make(out, c, "gamma", trop_case_integer(c, "steps"), 0, 0);
}

enum trop_status trop_fw_draw_gamma(struct trop_case *c, int64_t steps, double low, double high)
{
    double *gamma = NULL;
    enum trop_status status = begin_gamma(&gamma, c, steps);

    for (int64_t t = 0; gamma && t < trop_case_size(c, "gamma", 0); t++) {
        gamma[t] = low + (high - low) * trop_case_uniform(c, USE_GAMMA, t);
    }
    return status;
}

enum trop_status trop_fw_draw_classic(struct trop_case *c, int64_t steps)
{
    double *gamma = NULL;
    enum trop_status status = begin_gamma(&gamma, c, steps);

    for (int64_t t = 0; gamma && t < trop_case_size(c, "gamma", 0); t++) {
        gamma[t] = 2. / (double)(t + 2);
    }
    return status;
}

/* Exponential weights are uniform on the simplex; their squares favour the neighbourhoods of the
 * tokens over the middle, so that far cells are met too. */
enum trop_status trop_fw_draw_points(struct trop_case *c, int64_t m)
{
    const double *x = trop_case_array(c, "tokens");
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    double *points = NULL;

    if (trop_case_has(c, "points")) {
        return trop_fw_draw_fits(c, "points", -1);
    }
    enum trop_status status = trop_case_make(&points, c, "points", m, d, 0);
    for (int64_t i = 0; status == TROP_OK && i < m; i++) {
        double sum = 0;
        for (int64_t j = 0; j < n; j++) {
            const double w = trop_log(trop_case_uniform(c, USE_POINTS, i * n + j));
            sum += w * w;
            for (int64_t a = 0; a < d; a++) {
                points[i * d + a] += w * w * x[j * d + a];
            }
        }
        for (int64_t a = 0; a < d; a++) {
            points[i * d + a] /= sum;
        }
    }
    return status;
}
