/* basis_factor.c -- L U factors of a basis, in double-double.
 *
 * Gaussian elimination with row exchanges. With growth g the solution of a system with condition
 * number kappa has a relative error of about 10 rank g kappa u^2, u = 2^-53: below u for every
 * basis with kappa < 1e13, and CLP accepts no worse ones.
 *
 * A basis may come in singular at working precision: duplicated rows, or a basis that CLP gave up
 * on. A column whose remaining entries are all below DEPENDENT of its largest entry depends on
 * those before it. It leaves the basis, and at the end as many rows do.
 */
#include "margin/linear/basis.h"

#include "margin/linear/clp.h"

#include <math.h>

/* Well above what 2^-106 grows to in a few hundred steps, well below any pivot of a basis that
 * CLP would have accepted. */
#define DEPENDENT 0x1p-80

/* Lists basic columns and active rows, each at most `most`; any beyond that are taken out. */
static void list(int64_t *columns, int64_t *rows, struct trop_basis *basis)
{
    *columns = *rows = 0;
    for (int64_t k = 0; k < basis->columns; k++) {
        if (basis->state[k] == TROP_CLP_BASIC && *columns < basis->most) {
            basis->basic[(*columns)++] = k;
        } else if (basis->state[k] == TROP_CLP_BASIC) {
            basis->state[k] = TROP_CLP_LOWER;
        }
    }
    for (int64_t j = 0; j < basis->count; j++) {
        int64_t *state = basis->state + basis->columns + j;
        if (*state != TROP_CLP_BASIC && *rows < basis->most) {
            basis->active[(*rows)++] = j;
        } else {
            *state = TROP_CLP_BASIC;
        }
    }
}

static void exchange(int64_t *ids, int64_t a, int64_t b)
{
    const int64_t kept = ids[a];
    ids[a] = ids[b];
    ids[b] = kept;
}

static void exchange_rows(struct trop_basis *basis, int64_t a, int64_t b)
{
    exchange(basis->active, a, b);
    for (int64_t p = 0; a != b && p < basis->most; p++) {
        struct trop_dd *const one = basis->factor + a * basis->most + p;
        struct trop_dd *const other = basis->factor + b * basis->most + p;
        const struct trop_dd kept = *one;
        *one = *other;
        *other = kept;
    }
}

static void exchange_columns(struct trop_basis *basis, int64_t a, int64_t b, int64_t rows)
{
    exchange(basis->basic, a, b);
    for (int64_t i = 0; a != b && i < rows; i++) {
        struct trop_dd *const row = basis->factor + i * basis->most;
        const struct trop_dd kept = row[a];
        row[a] = row[b];
        row[b] = kept;
    }
}

/* Clears column r below the pivot (r, r): the multipliers take the place of the zeros. */
static void eliminate(struct trop_basis *basis, int64_t r, int64_t rows, int64_t columns)
{
    const struct trop_dd *const top = basis->factor + r * basis->most;

    for (int64_t i = r + 1; i < rows; i++) {
        struct trop_dd *const row = basis->factor + i * basis->most;
        if (row[r].high == 0) {
            continue;
        }
        row[r] = trop_dd_over(row[r], top[r]);
        const struct trop_dd factor = trop_dd_minus(row[r]);
        for (int64_t p = r + 1; p < columns; p++) {
            row[p] = trop_dd_fma(factor, top[p], row[p]);
        }
    }
}

void trop_basis_factor(struct trop_basis *basis)
{
    int64_t columns, rows, r = 0;

    list(&columns, &rows, basis);
    /* M[active, basic], the largest of a column in solved. */
    for (int64_t p = 0; p < columns; p++) {
        double most = 0;
        for (int64_t i = 0; i < rows; i++) {
            const struct trop_dd entry = trop_basis_entry(basis, basis->active[i], basis->basic[p]);
            basis->factor[i * basis->most + p] = entry;
            most = fmax(most, fabs(entry.high));
        }
        basis->solved[p] = trop_dd_of(most);
    }
    while (r < columns && r < rows) {
        int64_t best = r; /* the row with the largest entry in column r */
        for (int64_t i = r + 1; i < rows; i++) {
            if (fabs(basis->factor[i * basis->most + r].high) >
                fabs(basis->factor[best * basis->most + r].high)) {
                best = i;
            }
        }
        const double pivot = fabs(basis->factor[best * basis->most + r].high);
        if (!(pivot > DEPENDENT * basis->solved[r].high)) {
            columns--;
            exchange_columns(basis, r, columns, rows);
            basis->solved[r] = basis->solved[columns];
            basis->state[basis->basic[columns]] = TROP_CLP_LOWER;
            continue;
        }
        exchange_rows(basis, r, best);
        eliminate(basis, r, rows, columns);
        r++;
    }
    for (int64_t p = r; p < columns; p++) {
        basis->state[basis->basic[p]] = TROP_CLP_LOWER;
    }
    for (int64_t i = r; i < rows; i++) {
        basis->state[basis->columns + basis->active[i]] = TROP_CLP_BASIC;
    }
    basis->rank = r;
}

/* ---- systems ------------------------------------------------------------------------------ */

void trop_basis_factor_solve(struct trop_dd *b, const struct trop_basis *basis)
{
    for (int64_t i = 0; i < basis->rank; i++) {
        const struct trop_dd *row = basis->factor + i * basis->most;
        for (int64_t p = 0; p < i; p++) {
            b[i] = trop_dd_fma(trop_dd_minus(row[p]), b[p], b[i]);
        }
    }
    for (int64_t i = basis->rank - 1; i >= 0; i--) {
        const struct trop_dd *row = basis->factor + i * basis->most;
        for (int64_t p = i + 1; p < basis->rank; p++) {
            b[i] = trop_dd_fma(trop_dd_minus(row[p]), b[p], b[i]);
        }
        b[i] = trop_dd_over(b[i], row[i]);
    }
}

void trop_basis_factor_transposed(struct trop_dd *b, const struct trop_basis *basis)
{
    for (int64_t i = 0; i < basis->rank; i++) {
        const struct trop_dd *row = basis->factor + i * basis->most;
        b[i] = trop_dd_over(b[i], row[i]);
        for (int64_t p = i + 1; p < basis->rank; p++) {
            b[p] = trop_dd_fma(trop_dd_minus(row[p]), b[i], b[p]);
        }
    }
    for (int64_t i = basis->rank - 1; i > 0; i--) {
        const struct trop_dd *row = basis->factor + i * basis->most;
        for (int64_t p = 0; p < i; p++) {
            b[p] = trop_dd_fma(trop_dd_minus(row[p]), b[i], b[p]);
        }
    }
}
