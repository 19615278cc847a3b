/* fw.c -- scores, spectra and step sizes for the claims of the Frank-Wolfe paper.
 *
 * A score <B x, y> is d dot products of length d and one more; its rounding error is at most
 * (2 d + 2) u |B|_F |x| |y| with u = 2^-53, to first order, and the bound here takes twice that.
 */
#include "claim/fw/fw.h"

#include "attend/decide.h"
#include "base/linalg.h"
#include "base/status.h"

#include <float.h>
#include <math.h>
#include <string.h>

double trop_fw_score(const struct trop_case *c, const double *x, const double *y)
{
    const struct trop_view b = trop_case_view(c, "B");
    double sum = 0;

    for (int64_t a = 0; a < b.rows; a++) {
        double row = 0;
        for (int64_t k = 0; k < b.columns; k++) {
            row += b.at[a * b.columns + k] * x[k];
        }
        sum += row * y[a];
    }
    return sum;
}

double trop_fw_norm(const struct trop_case *c)
{
    const struct trop_view b = trop_case_view(c, "B");
    double squares = 0;

    for (int64_t k = 0; k < b.rows * b.columns; k++) {
        squares += b.at[k] * b.at[k];
    }
    return sqrt(squares);
}

double trop_fw_score_error(const struct trop_case *c, double radius)
{
    const int64_t d = trop_case_size(c, "B", 0);

    return (double)(2 * d + 2) * DBL_EPSILON * trop_fw_norm(c) * radius * radius;
}

double trop_fw_error(const struct trop_case *c, struct trop_view x)
{
    return trop_fw_score_error(c, trop_tokens_radius_of(x));
}

double trop_fw_shift(const struct trop_case *c, struct trop_view x)
{
    const double r = trop_case_number(c, "radius");

    return 2 * trop_fw_norm(c) * (2 * trop_tokens_radius_of(x) * r + r * r);
}

int64_t trop_fw_leader(double *lead, const struct trop_case *c, const double *x,
                       struct trop_view points)
{
    int64_t best = 0;
    double first = -INFINITY, second = -INFINITY;

    for (int64_t j = 0; j < points.rows; j++) {
        const double score = trop_fw_score(c, x, trop_case_view_row(points, j));
        if (score > first) {
            first = score;
            best = j;
        }
    }
    for (int64_t j = 0; lead && j < points.rows; j++) {
        const double *other = trop_case_view_row(points, j);
        if (memcmp(other, trop_case_view_row(points, best),
                   (size_t)points.columns * sizeof *other) != 0) {
            second = fmax(second, trop_fw_score(c, x, other));
        }
    }
    if (lead) {
        *lead = first - second;
    }
    return best;
}

double trop_fw_lead(const struct trop_case *c, struct trop_view x, int64_t i)
{
    double lead = 0;

    trop_fw_leader(&lead, c, trop_case_view_row(x, i), x);
    return lead;
}

int64_t trop_fw_leaders(int64_t *list, const struct trop_case *c, const double *x,
                        struct trop_view points, int distinct)
{
    const struct trop_matrix b = { .values = trop_case_array(c, "B") };
    const int64_t d = points.columns;
    int64_t count = 0;

    for (int64_t j = 0; j < points.rows; j++) {
        const double *at = trop_case_view_row(points, j);
        const int sign =
            count == 0 ? 1
                       : trop_decide_bilinear(&b, x, at, trop_case_view_row(points, list[0]), d);
        int is_new = 1;
        for (int64_t k = 0; k < count && distinct && sign == 0; k++) {
            is_new = is_new && !trop_decide_equal(at, trop_case_view_row(points, list[k]), d);
        }
        count = sign > 0 ? 0 : count;
        if (sign >= 0 && is_new) {
            list[count++] = j;
        }
    }
    return count;
}

double *trop_fw_mean(const struct trop_case *c, struct trop_view points, const int64_t *list,
                     int64_t count)
{
    double *mean = trop_case_scratch(c, points.columns);

    for (int64_t k = 0; k < count * points.columns; k++) {
        const double *at = trop_case_view_row(points, list[k / points.columns]);
        mean[k % points.columns] += at[k % points.columns] / (double)count;
    }
    return mean;
}

/* ---- step sizes ---- */

double trop_fw_gamma(const struct trop_case *c, int64_t t)
{
    const int64_t count = trop_case_size(c, "gamma", 0);

    return count == 0 ? trop_case_number(c, "gamma")
                      : trop_case_array(c, "gamma")[t < count ? t : count - 1];
}

double trop_fw_errors(const struct trop_case *c, int64_t t)
{
    double sum = 0;

    for (int64_t s = 0; s < t; s++) {
        sum = (1 - trop_fw_gamma(c, s)) * sum + 1;
    }
    return sum;
}

double trop_fw_left(const struct trop_case *c, int64_t t)
{
    double product = 1;

    for (int64_t s = 0; s < t; s++) {
        product *= 1 - trop_fw_gamma(c, s);
    }
    return product;
}

/* ---- symmetric matrices ---- */

/* Eigenvalues (d), ascending, and unit eigenvectors in the rows of vectors (d, d), of the symmetric
 * part of b; vectors may be NULL. */
static double *eigen(const struct trop_case *c, double *vectors, const double *b, int64_t d)
{
    double *values = trop_case_scratch(c, d), *half = trop_case_scratch(c, d * d);

    for (int64_t k = 0; k < d * d; k++) {
        half[k] = .5 * (b[k] + b[k % d * d + k / d]);
    }
    if (!trop_linalg_eigen(values, vectors, half, d)) {
        trop_case_try(c, trop_fail(TROP_ERR_NUMERIC, "B: its eigenvalues were not found"));
    }
    return values;
}

struct trop_fw_range trop_fw_eigenvalues(const struct trop_case *c, const double *b, int64_t d)
{
    const double *values = eigen(c, NULL, b, d);

    return (struct trop_fw_range){ values[0], values[d - 1] };
}

struct trop_fw_range trop_fw_singular_values(const struct trop_case *c, const double *b, int64_t d)
{
    double *square = trop_case_scratch(c, d * d);

    for (int64_t k = 0; k < d * d; k++) {
        for (int64_t a = 0; a < d; a++) {
            square[k] += b[a * d + k / d] * b[a * d + k % d];
        }
    }
    const struct trop_fw_range range = trop_fw_eigenvalues(c, square, d);
    return (struct trop_fw_range){ sqrt(fmax(0, range.low)), sqrt(fmax(0, range.high)) };
}

/* With b = sum_k l_k v_k v_k': row k of the root is sqrt(l_k) v_k, column k of its inverse is
 * v_k / sqrt(l_k). */
void trop_fw_square_root(double *out, const struct trop_case *c, const double *b, int64_t d,
                         int inverse)
{
    double *vectors = trop_case_scratch(c, d * d), *values = eigen(c, vectors, b, d);

    if (!(values[0] > 0)) {
        trop_case_refuse(c, "B: must be positive definite");
    }
    for (int64_t k = 0; k < d; k++) {
        const double root = sqrt(values[k]);
        for (int64_t a = 0; a < d; a++) {
            const double v = vectors[k * d + a];
            if (inverse) {
                out[a * d + k] = v / root;
            } else {
                out[k * d + a] = v * root;
            }
        }
    }
}
