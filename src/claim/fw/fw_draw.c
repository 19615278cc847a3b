/* fw_draw.c -- matrices, step sizes and points for the claims of the Frank-Wolfe paper. */
#include "claim/fw/fw.h"

#include "base/linalg.h"
#include "base/math/log.h"
#include "base/status.h"

#include <string.h>

/* Uses of the random numbers of a case; claims count theirs from 16 to 63. */
#define USE_MATRIX 64
#define USE_EIGENVALUES 65
#define USE_GAMMA 66
#define USE_POINTS 67
#define USE_SIZES 68

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

void trop_fw_draw_cloud(struct trop_case *c, int64_t least, int64_t few, int64_t dimensions)
{
    trop_tokens_gaussian(c, least + trop_case_pick(c, 18, 0, few),
                         trop_fw_draw_dimension(c, 2 + trop_case_pick(c, 18, 1, dimensions)));
}

/* ---- B ---- */

void trop_fw_draw_any_matrix(struct trop_case *c)
{
    const int64_t d = trop_case_size(c, "tokens", 1);
    double *b = trop_case_absent(c, "B", d, d, 0);

    for (int64_t k = 0; b && k < d * d; k++) {
        b[k] = trop_case_normal(c, USE_MATRIX, k);
    }
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
void trop_fw_draw_matrix(struct trop_case *c, double low, double high)
{
    const int64_t d = trop_case_size(c, "tokens", 1);
    double *b = trop_case_absent(c, "B", d, d, 0);

    if (!b) {
        return;
    }
    double *values = trop_case_scratch(c, d), *normal = trop_case_scratch(c, d * d),
           *vectors = trop_case_scratch(c, d * d);
    for (int64_t a = 0; a < d; a++) {
        for (int64_t k = 0; k <= a; k++) {
            normal[a * d + k] = normal[k * d + a] = trop_case_normal(c, USE_MATRIX, a * d + k);
        }
    }
    if (!trop_linalg_eigen(values, vectors, normal, d)) {
        trop_case_try(c, trop_fail(TROP_ERR_NUMERIC, "B: no directions were found"));
    }
    compose(b, c, vectors, d, low, high);
}

/* x <- M^-1 x for every row, where B = M'M: then <B x, y> is what the inner product was. */
static void pull_back(struct trop_case *c)
{
    const struct trop_view x = trop_case_view(c, "tokens");
    const int64_t d = x.columns;
    double *m = trop_case_scratch(c, d * d), *row = trop_case_scratch(c, d);

    trop_fw_square_root(m, c, trop_case_array(c, "B"), d, 1);
    for (int64_t i = 0; i < x.rows; i++) {
        double *at = trop_case_view_row(x, i);
        memcpy(row, at, (size_t)d * sizeof *row);
        for (int64_t a = 0; a < d; a++) {
            at[a] = 0;
            for (int64_t k = 0; k < d; k++) {
                at[a] += m[a * d + k] * row[k];
            }
        }
    }
}

void trop_fw_draw_own_cells(struct trop_case *c)
{
    const int given = trop_case_has(c, "tokens");
    const int64_t d = trop_fw_draw_dimension(c, 2 + trop_case_pick(c, USE_SIZES, 0, 3));
    const int64_t kappa = d + 1 + trop_case_pick(c, USE_SIZES, 1, 3);

    trop_tokens_own_cells(c, kappa, kappa + 4 + trop_case_pick(c, USE_SIZES, 2, 6), d);
    trop_fw_draw_matrix(c, .5, 2);
    if (!given) {
        pull_back(c);
    }
}

/* ---- step sizes and points ---- */

void trop_fw_draw_steps(struct trop_case *c, int64_t steps)
{
    trop_tokens_count(c, "steps", (double)steps, 1, 1e6);
}

void trop_fw_draw_schedule(struct trop_case *c, double (*of)(const struct trop_case *c, int64_t t))
{
    const int64_t steps = trop_case_integer(c, "steps");
    double *gamma = trop_case_absent(c, "gamma", steps, 0, 0);

    for (int64_t t = 0; gamma && t < steps; t++) {
        gamma[t] = of(c, t);
    }
}

void trop_fw_draw_gamma(struct trop_case *c, int64_t steps, double low, double high)
{
    trop_fw_draw_steps(c, steps);
    double *gamma = trop_case_absent(c, "gamma", trop_case_integer(c, "steps"), 0, 0);

    for (int64_t t = 0; gamma && t < trop_case_integer(c, "steps"); t++) {
        gamma[t] = low + (high - low) * trop_case_uniform(c, USE_GAMMA, t);
    }
}

static double classic(const struct trop_case *c, int64_t t)
{
    (void)c;
    return 2. / (double)(t + 2);
}

void trop_fw_draw_classic(struct trop_case *c, int64_t steps)
{
    trop_fw_draw_steps(c, steps);
    trop_fw_draw_schedule(c, classic);
}

/* Exponential weights are uniform on the simplex; their squares favour the neighbourhoods of the
 * tokens over the middle, so that far cells are met too. */
static void combine(double *out, const struct trop_case *c, struct trop_view x, int64_t i)
{
    double sum = 0;

    for (int64_t j = 0; j < x.rows; j++) {
        const double w = trop_log(trop_case_uniform(c, USE_POINTS, i * x.rows + j));
        sum += w * w;
        for (int64_t a = 0; a < x.columns; a++) {
            out[a] += w * w * x.at[j * x.columns + a];
        }
    }
    for (int64_t a = 0; a < x.columns; a++) {
        out[a] /= sum;
    }
}

void trop_fw_draw_points(struct trop_case *c, int64_t m)
{
    const struct trop_view x = trop_case_view(c, "tokens");
    double *points = trop_case_absent(c, "points", m, x.columns, 0);
    const struct trop_view given = trop_case_view(c, "points");

    if (given.columns != x.columns) {
        trop_case_refuse(c, "points is %lld x %lld: must have %lld columns, as tokens has",
                         (long long)given.rows, (long long)given.columns, (long long)x.columns);
    }
    for (int64_t i = 0; points && i < m; i++) {
        combine(points + i * x.columns, c, x, i);
    }
}
