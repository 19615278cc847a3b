/* basis.c -- the linear programs of max-margin problems: columns, products with M.
 *
 * W and its multipliers are to be right to the last bits, and the points and queries are exact
 * doubles; so everything here is in double-double: x_plus - x_minus is an exact sum of two
 * doubles, and a product M x or M' y over s terms errs by at most 8 (s + 2) u^2 sum |M_jk x_k|,
 * u = 2^-53. These sums of absolute values are formed as well, in double: they are the scale on
 * which the pivoting rules decide what zero is.
 *
 * M is never stored. As in rows.c, constraints that ask the same query share a product:
 * queries rows columns + count rows multiplications for M x, and for M' y.
 */
#include "margin/linear/basis.h"

#include "base/alloc.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

void trop_basis_free(struct trop_basis *basis)
{
    if (!basis) {
        return;
    }
    TROP_FREE(basis->at, basis->scale, basis->extra, basis->left, basis->cost, basis->lower,
              basis->upper, basis->state, basis->basic, basis->active, basis->factor, basis->x,
              basis->value, basis->y, basis->reduced, basis->w, basis->value_size,
              basis->reduced_size, basis->w_size, basis->part, basis->solved, basis->part_size,
              basis->row, basis->slope, basis->slope_size);
    trop_alloc_free(basis);
}

/* ---- the columns -------------------------------------------------------------------------- */

static int make(struct trop_basis *basis, struct trop_rows *rows, int64_t mirrored)
{
    const struct trop_problem *problem = rows->problem;
    const int64_t size = trop_alloc_product(problem->rows, problem->columns), d = problem->rows;

    basis->rows = rows;
    basis->count = problem->count;
    basis->mirrored = mirrored;
    basis->w_size = trop_alloc(size, sizeof *basis->w_size);
    if (!basis->w_size) {
        return 0;
    }
    /* Marks in w_size the coordinates of W that a constraint sees, and counts them. The others are
     * 0 in every solution. */
    const int64_t columns = problem->columns;
    for (int64_t j = 0; j < problem->count; j++) {
        const double *z = problem->query + problem->asked[j] * columns;
        for (int64_t a = 0; a < d; a++) {
            const double left = rows->left[j * d + a];
            for (int64_t b = 0; left != 0 && b < columns; b++) {
                basis->w_size[a * columns + b] = z[b] != 0 ? 1.0 : basis->w_size[a * columns + b];
            }
        }
    }
    for (int64_t c = 0; c < size; c++) {
        basis->coordinates += basis->w_size[c] != 0;
    }
    basis->columns = mirrored ? 2 * basis->coordinates : basis->coordinates + 1;
    const int64_t widest = basis->coordinates + !mirrored;
    basis->most = basis->count < widest ? basis->count : widest;
    const int64_t n = basis->columns, m = basis->count, all = n + m, k = basis->most;
    if (!TROP_ALLOC(
            TROP_PART(basis->at, basis->coordinates), TROP_PART(basis->scale, m),
            TROP_PART(basis->extra, m), TROP_PART(basis->left, trop_alloc_product(m, d)),
            TROP_PART(basis->cost, n), TROP_PART(basis->lower, all), TROP_PART(basis->upper, all),
            TROP_PART(basis->state, all), TROP_PART(basis->basic, k), TROP_PART(basis->active, k),
            TROP_PART(basis->factor, trop_alloc_product(k, k)), TROP_PART(basis->x, n),
            TROP_PART(basis->value, m), TROP_PART(basis->y, m), TROP_PART(basis->reduced, n),
            TROP_PART(basis->value_size, m), TROP_PART(basis->reduced_size, n),
            TROP_PART(basis->w, size), TROP_PART(basis->part, d), TROP_PART(basis->part_size, d),
            TROP_PART(basis->solved, k), TROP_PART(basis->row, m), TROP_PART(basis->slope, n),
            TROP_PART(basis->slope_size, n))) {
        return 0;
    }
    for (int64_t c = 0, place = 0; c < size; c++) {
        if (basis->w_size[c] != 0) {
            basis->at[place++] = c;
        }
    }
    for (int64_t j = 0; j < m; j++) { /* x_plus - x_minus */
        const int64_t plus = problem->plus[j], minus = problem->minus[j];
        for (int64_t a = 0; a < d; a++) {
            const double from = plus >= 0 ? problem->point[plus * d + a] : 0.0;
            const double to = minus >= 0 ? problem->point[minus * d + a] : 0.0;
            basis->left[j * d + a] = trop_dd_sum(from, -to);
        }
    }
    return 1;
}

enum trop_status trop_basis_create(struct trop_basis **out, struct trop_rows *rows,
                                   int64_t mirrored)
{
    struct trop_basis *basis = trop_alloc(1, sizeof *basis);

    if (!basis || !make(basis, rows, mirrored)) {
        trop_basis_free(basis);
        return trop_fail(TROP_ERR_MEMORY, "no memory for a linear program of %lld constraints",
                         (long long)rows->problem->count);
    }
    *out = basis;
    return TROP_OK;
}

/* ---- products ----------------------------------------------------------------------------- */

/* a b and a sum of such products: 2 instead of 3 multiplications. */
static struct trop_dd times(struct trop_dd a, double b)
{
    const struct trop_dd p = trop_dd_product(a.high, b);
    return trop_dd_quick(p.high, fma(a.low, b, p.low));
}

static struct trop_dd scaled(struct trop_dd a, double power)
{
    return (struct trop_dd){ a.high * power, a.low * power };
}

struct trop_dd trop_basis_entry(const struct trop_basis *basis, int64_t j, int64_t k)
{
    const struct trop_problem *problem = basis->rows->problem;

    if (!basis->mirrored && k == basis->coordinates) {
        return trop_dd_of(basis->extra[j]);
    }
    const int64_t place = basis->at[k % basis->coordinates];
    const double z =
        problem->query[problem->asked[j] * problem->columns + place % problem->columns];
    const struct trop_dd left = basis->left[j * problem->rows + place / problem->columns];
    const double sign = k < basis->coordinates ? 1.0 : -1.0;
    return scaled(times(left, z), sign * basis->scale[j]);
}

/* part = W z for the query z, part_size = |W| |z|. */
static void ask(struct trop_basis *basis, const double *z)
{
    const struct trop_problem *problem = basis->rows->problem;

    for (int64_t a = 0; a < problem->rows; a++) {
        struct trop_dd sum = { 0 };
        double size = 0;
        for (int64_t b = 0; b < problem->columns; b++) {
            const struct trop_dd w = basis->w[a * problem->columns + b];
            if (w.high != 0) {
                sum = trop_dd_add(sum, times(w, z[b]));
                size += fabs(w.high * z[b]);
            }
        }
        basis->part[a] = sum;
        basis->part_size[a] = size;
    }
}

void trop_basis_values(struct trop_basis *basis)
{
    const struct trop_rows *rows = basis->rows;
    const int64_t d = rows->problem->rows;

    memset(basis->w, 0, (size_t)(d * rows->problem->columns) * sizeof *basis->w);
    for (int64_t k = 0; k < basis->coordinates; k++) { /* w = the matrix that x stands for */
        struct trop_dd value = basis->x[k];
        if (basis->mirrored) {
            value = trop_dd_less(value, basis->x[k + basis->coordinates]);
        }
        basis->w[basis->at[k]] = value;
    }
    for (int64_t q = 0; q < rows->problem->queries; q++) {
        if (rows->first[q] == rows->first[q + 1]) {
            continue;
        }
        ask(basis, rows->problem->query + q * rows->problem->columns);
        for (int64_t i = rows->first[q]; i < rows->first[q + 1]; i++) {
            const int64_t j = rows->list[i];
            struct trop_dd sum = { 0 };
            double size = 0;
            for (int64_t a = 0; a < d; a++) {
                sum = trop_dd_fma(basis->left[j * d + a], basis->part[a], sum);
                size += fabs(basis->left[j * d + a].high) * basis->part_size[a];
            }
            basis->value[j] = scaled(sum, basis->scale[j]);
            basis->value_size[j] = size * basis->scale[j];
        }
    }
    for (int64_t j = 0; !basis->mirrored && j < basis->count; j++) {
        const struct trop_dd more = times(basis->x[basis->coordinates], basis->extra[j]);
        basis->value[j] = trop_dd_add(basis->value[j], more);
        basis->value_size[j] += fabs(more.high);
    }
}

void trop_basis_combine(struct trop_dd *out, double *out_size, struct trop_basis *basis,
                        const struct trop_dd *y)
{
    const struct trop_problem *problem = basis->rows->problem;
    const int64_t columns = problem->columns;

    memset(basis->w, 0, (size_t)(problem->rows * columns) * sizeof *basis->w);
    memset(basis->w_size, 0, (size_t)(problem->rows * columns) * sizeof *basis->w_size);
    for (int64_t q = 0; q < problem->queries; q++) {
        const double *z = problem->query + q * columns;
        /* part = sum of y_j scale_j left_j over the constraints of query q. any = 0 when all of
         * these y are 0. */
        const struct trop_rows *rows = basis->rows;
        const int64_t d = rows->problem->rows;
        int any = 0;
        memset(basis->part, 0, (size_t)d * sizeof *basis->part);
        memset(basis->part_size, 0, (size_t)d * sizeof *basis->part_size);
        for (int64_t i = rows->first[q]; i < rows->first[q + 1]; i++) {
            const int64_t j = rows->list[i];
            const struct trop_dd weight = scaled(y[j], basis->scale[j]);
            if (weight.high == 0) {
                continue;
            }
            any = 1;
            for (int64_t a = 0; a < d; a++) {
                const struct trop_dd left = basis->left[j * d + a];
                basis->part[a] = trop_dd_fma(weight, left, basis->part[a]);
                basis->part_size[a] += fabs(weight.high * left.high);
            }
        }
        for (int64_t c = 0; any && c < problem->rows * columns; c++) {
            const int64_t a = c / columns, b = c % columns;
            basis->w[c] = trop_dd_add(basis->w[c], times(basis->part[a], z[b]));
            basis->w_size[c] += fabs(basis->part_size[a] * z[b]);
        }
    }
    for (int64_t k = 0; k < basis->coordinates; k++) {
        out[k] = basis->w[basis->at[k]];
        out_size[k] = basis->w_size[basis->at[k]];
        if (basis->mirrored) {
            out[k + basis->coordinates] = trop_dd_minus(out[k]);
            out_size[k + basis->coordinates] = out_size[k];
        }
    }
    if (!basis->mirrored) {
        struct trop_dd sum = { 0 };
        double size = 0;
        for (int64_t j = 0; j < basis->count; j++) {
            sum = trop_dd_add(sum, times(y[j], basis->extra[j]));
            size += fabs(y[j].high * basis->extra[j]);
        }
        out[basis->coordinates] = sum;
        out_size[basis->coordinates] = size;
    }
}
