/* compare.c -- how far weights are from a max-margin solution in direction. */
#include "margin/compare.h"

#include "base/alloc.h"
#include "base/linalg.h"
#include "base/status.h"
#include "margin/rows.h"

#include <math.h>

double trop_compare_cosine(const double *a, const double *b, int64_t n)
{
    const double x = trop_linalg_norm(a, n), y = trop_linalg_norm(b, n);
    double sum = 0;

    for (int64_t k = 0; k < n; k++) {
        const double off = a[k] / x - b[k] / y;
        sum += off * off;
    }
    return 1 - 0.5 * sum;
}

/* sum_k sgn(w) |w|^(p-1) (w - a) at unit norms: the terms of 1 - sum_k sgn(w) |w|^(p-1) a, which
 * cancel less. */
double trop_compare_bregman(const double *a, const double *w, int64_t n, const struct trop_power *p,
                            const struct trop_power *less)
{
    const double x = trop_power_norm(w, n, p), y = trop_power_norm(a, n, p);
    double sum = 0;

    for (int64_t k = 0; k < n; k++) {
        const double here = w[k] / x;
        sum += trop_power_signed(here, less) * (here - a[k] / y);
    }
    return fmax(0, sum);
}

enum trop_status trop_compare_share(double *out, const struct trop_problem *problem,
                                    const double *w, double length, int64_t threads)
{
    struct trop_rows *rows = NULL;
    double least = INFINITY;

    *out = NAN;
    for (int64_t j = 0; j < problem->count; j++) {
        if (problem->equal[j] || problem->right[j] != 1) {
            return TROP_OK;
        }
    }
    double *values = trop_alloc(problem->count, sizeof *values);
    if (!values) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for the margins of a direction");
    }
    enum trop_status status = trop_rows_create(&rows, problem, threads);
    if (status == TROP_OK) {
        trop_rows_values(values, rows, w);
        for (int64_t j = 0; j < problem->count; j++) {
            least = fmin(least, values[j]);
        }
        *out = isfinite(least) && length > 0 ? least / length : NAN;
    }
    trop_rows_free(rows);
    trop_alloc_free(values);
    return status;
}
