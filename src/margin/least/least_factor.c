/* least_factor.c -- a Cholesky factor in double-double whose rows come and go.
 *
 * L is lower triangular, packed by rows. A new row is one forward substitution (by the caller).
 * Taking out row k leaves rows below it with one entry too many, right of the diagonal; turns of
 * the columns (i, i + 1), i = k, k + 1, ..., put it to zero and change L L' by rounding only.
 */
#include "margin/least/least.h"

#include "base/alloc.h"
#include "base/status.h"

#include <string.h>

static struct trop_dd *row(const struct trop_least_factor *factor, int64_t i)
{
    return factor->l + i * (i + 1) / 2;
}

void trop_least_factor_free(struct trop_least_factor *factor)
{
    trop_alloc_free(factor->l);
    *factor = (struct trop_least_factor){ 0 };
}

enum trop_status trop_least_factor_reserve(struct trop_least_factor *factor)
{
    if (factor->size < factor->room) {
        return TROP_OK;
    }
    const int64_t room = factor->room > 0 ? 2 * factor->room : 32;
    const int64_t held = factor->size * (factor->size + 1) / 2;
    struct trop_dd *l = trop_alloc(trop_alloc_product(room, room + 1) / 2, sizeof *l);

    if (!l) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a factor of order %lld", (long long)room);
    }
    if (held > 0) {
        memcpy(l, factor->l, (size_t)held * sizeof *l);
    }
    trop_alloc_free(factor->l);
    factor->l = l;
    factor->room = room;
    return TROP_OK;
}

void trop_least_factor_forward(const struct trop_least_factor *factor, struct trop_dd *y)
{
    for (int64_t i = 0; i < factor->size; i++) {
        const struct trop_dd *l = row(factor, i);
        struct trop_dd sum = trop_dd_minus(y[i]);
        for (int64_t k = 0; k < i; k++) {
            sum = trop_dd_fma(l[k], y[k], sum);
        }
        y[i] = trop_dd_over(trop_dd_minus(sum), l[i]);
    }
}

/* Column by column of L', which are rows of L. */
void trop_least_factor_back(const struct trop_least_factor *factor, struct trop_dd *y)
{
    for (int64_t i = factor->size - 1; i >= 0; i--) {
        const struct trop_dd *l = row(factor, i);
        y[i] = trop_dd_over(y[i], l[i]);
        const struct trop_dd minus = trop_dd_minus(y[i]);
        for (int64_t k = 0; k < i; k++) {
            y[k] = trop_dd_fma(minus, l[k], y[k]);
        }
    }
}

void trop_least_factor_append(struct trop_least_factor *factor, const struct trop_dd *y,
                              struct trop_dd root)
{
    struct trop_dd *l = row(factor, factor->size);

    memcpy(l, y, (size_t)factor->size * sizeof *l);
    l[factor->size++] = root;
}

/* Turns columns i and i + 1 of the rows from i on so that l[i + 1] of row i, which lies behind
 * its diagonal, becomes 0. Rows are those of the factor one below: row j + 1 stands for row j. */
static void turn(struct trop_least_factor *factor, int64_t i)
{
    const struct trop_dd *first = row(factor, i + 1);
    const struct trop_dd square =
        trop_dd_fma(first[i + 1], first[i + 1], trop_dd_times(first[i], first[i]));
    const struct trop_dd root = trop_dd_root(square);
    const struct trop_dd c = trop_dd_over(first[i], root), s = trop_dd_over(first[i + 1], root);

    for (int64_t j = i + 1; j < factor->size; j++) {
        struct trop_dd *l = row(factor, j);
        const struct trop_dd u = l[i], v = l[i + 1];
        l[i] = trop_dd_fma(c, u, trop_dd_times(s, v));
        l[i + 1] = trop_dd_less(trop_dd_times(c, v), trop_dd_times(s, u));
    }
}

void trop_least_factor_remove(struct trop_least_factor *factor, int64_t k)
{
    for (int64_t i = k; i + 1 < factor->size; i++) {
        turn(factor, i);
    }
    for (int64_t i = k; i + 1 < factor->size; i++) {
        memmove(row(factor, i), row(factor, i + 1), (size_t)(i + 1) * sizeof *factor->l);
    }
    factor->size--;
}
