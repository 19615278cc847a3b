/* margin_check_size.c -- norms of matrices, rounded up.
 *
 * Entrywise norms grow with the moduli of the entries, so the moduli are rounded up first and the
 * norm of those is taken. With u = 2^-53 and t the moduli:
 *
 *   l1, l2   sums of t or of the exact t^2 in double-double: n terms are off by 3 n u^2 of the sum
 *            (dd.h), less than u for n < 2^49; the root is rounded to nearest.
 *   lp       top (sum (t/top)^p)^(1/p). v = t/top rounded is off by a factor of 1 + u at most, and
 *            so is |v|_p. A power w = v^p is computed within 4 u + |log w| 2^-57 of itself
 *            (kernel_judge.h), and what is lost below 2^-1020 is n 2^-1020 against a sum S >= 1.
 * With sum w = S and w <= 1, sum w |log w| <= S log(n/S) (the entropy is largest when all are
 * equal), so that S is off by a factor of 1 + 4.1 u + 2^-57 log n. The same holds of its root, and
 * S^e grows with e, so that e = 1/p is rounded up. The last power loses 4 u + 2^-57 log S, S <= n.
 * With two products and the division, 1 + 12 u + 2^-56 log n covers all. dual     |x|_q falls as q
 * grows, so q = p/(p - 1) is rounded down: the computed one is within 2 u, and is taken 4 u
 * smaller, but not below 1.
 */
#include "margin/check/margin_check_internal.h"

#include "base/alloc.h"
#include "base/status.h"

#define UNIT TROP_MARGIN_CHECK_UNIT
#define CHUNK 64

static double largest(const double *x, int64_t n)
{
    double top = 0.0;

    for (int64_t k = 0; k < n; k++) {
        if (fabs(x[k]) > top || x[k] != x[k]) { /* NaN comes through */
            top = fabs(x[k]);
        }
    }
    return top;
}

static double sum_up(const double *x, int64_t n)
{
    struct trop_dd sum = trop_dd_of(0.0);

    for (int64_t k = 0; k < n; k++) {
        sum = trop_dd_add(sum, trop_dd_of(fabs(x[k])));
    }
    return trop_margin_check_up(trop_margin_check_up(sum.high));
}

double trop_margin_check_length(const double *x, int64_t n)
{
    const double top = largest(x, n);
    struct trop_dd sum = trop_dd_of(0.0);
    int shift;

    if (!(top > 0.0 && top < (double)INFINITY)) {
        return top == 0.0 ? 0.0 : (double)INFINITY;
    }
    (void)frexp(top, &shift);
    for (int64_t k = 0; k < n; k++) {
        const double scaled = ldexp(x[k], -shift); /* inexact only below 2^-1000 */
        sum = trop_dd_add(sum, trop_dd_product(scaled, scaled));
    }
    const double square = trop_margin_check_up(trop_margin_check_up(sum.high));
    return trop_margin_check_up(ldexp(trop_margin_check_up(sqrt(square)), shift));
}

/* |x|_p rounded up, for p >= 1. */
static double power_norm(const double *x, int64_t n, double p)
{
    const struct trop_kernel_judge *kernel = trop_kernel_choose(0)->judge;
    const double top = largest(x, n);
    struct trop_dd sum = trop_dd_of(0.0);
    double root;

    if (!(top > 0.0 && top < (double)INFINITY)) {
        return top == 0.0 ? 0.0 : (double)INFINITY;
    }
    for (int64_t from = 0; from < n; from += CHUNK) {
        const int64_t some = n - from < CHUNK ? n - from : CHUNK;
        double share[CHUNK];
        for (int64_t k = 0; k < some; k++) {
            share[k] = fabs(x[from + k]) / top;
        }
        kernel->powers(share, share, p, some);
        for (int64_t k = 0; k < some; k++) {
            sum = trop_dd_add(sum, trop_dd_of(share[k]));
        }
    }
    kernel->powers(&root, &sum.high, trop_margin_check_up(1.0 / p), 1);
    const double log_n = 1.0 + ilogb((double)n); /* to base 2, so that it is above log n */
    return trop_margin_check_up(top * root * (1.0 + (12.0 * UNIT + 0x1p-56 * log_n)));
}

static double entrywise(int64_t norm, double p, int dual, const double *moduli, int64_t n)
{
    if (norm == (dual ? TROP_MARGIN_CHECK_LINF : TROP_MARGIN_CHECK_L1)) {
        return sum_up(moduli, n);
    }
    if (norm != TROP_MARGIN_CHECK_LP) {
        return largest(moduli, n);
    }
    if (p == 2.0) {
        return trop_margin_check_length(moduli, n);
    }
    const double q = p / (p - 1.0) * (1.0 - 4.0 * UNIT);
    return power_norm(moduli, n, dual ? (q > 1.0 ? q : 1.0) : p);
}

enum trop_status trop_margin_check_size(double *out, int64_t norm, double p, int dual,
                                        const double *values, const double *errors, int64_t rows,
                                        int64_t columns)
{
    const int64_t n = rows * columns;

    if (norm == TROP_MARGIN_CHECK_NUCLEAR || norm == TROP_MARGIN_CHECK_SPECTRAL) {
        const int nuclear = (norm == TROP_MARGIN_CHECK_NUCLEAR) != dual;
        const double least = (double)(rows < columns ? rows : columns);
        const double rest = errors ? trop_margin_check_length(errors, n) : 0.0;
        const double factor = nuclear ? trop_margin_check_up(sqrt(least)) : 1.0;
        enum trop_status status = trop_margin_check_dense(out, nuclear, values, rows, columns);
        if (status == TROP_OK && rest != 0.0) {
            *out = trop_margin_check_up(*out + trop_margin_check_up(factor * rest));
        }
        return status;
    }
    double *moduli = trop_alloc(n, sizeof *moduli);
    if (!moduli) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a norm of %lld numbers", (long long)n);
    }
    for (int64_t k = 0; k < n; k++) { /* at least the modulus of every value within the errors */
        const double error = errors ? errors[k] : 0.0;
        moduli[k] = error == 0.0 ? fabs(values[k]) : trop_margin_check_up(fabs(values[k]) + error);
    }
    *out = entrywise(norm, p, dual, moduli, n);
    trop_alloc_free(moduli);
    return TROP_OK;
}
