/* afz.c -- what the claims of the hardmax paper share. */
#include "claim/afz/afz.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MOST 16 /* dimensions of a cloud that a person gives */

/* ---- instances ---- */

/* G G'/d + 3/10 I, symmetric to the last bit. */
static void draw_matrix(struct trop_case *c, int64_t d)
{
    double *a = trop_case_zeros(c, "A", d, d, 0);

    for (int64_t p = 0; p < d; p++) {
        for (int64_t q = 0; q <= p; q++) {
            double sum = p == q ? .3 : 0;
            for (int64_t k = 0; k < d; k++) {
                sum += trop_case_normal(c, 16, p * d + k) * trop_case_normal(c, 16, q * d + k) /
                       (double)d;
            }
            a[p * d + q] = a[q * d + p] = sum;
        }
    }
}

void trop_afz_draw(struct trop_case *c)
{
    trop_tokens_gaussian(c, 6 + trop_case_pick(c, 17, 0, 10), 2 + trop_case_pick(c, 17, 1, 2));
    if (!trop_case_has(c, "A")) {
        draw_matrix(c, trop_case_size(c, "tokens", 1));
    }
    trop_case_default(c, "alpha", .2 + 2 * trop_case_uniform(c, 17, 2));
}

void trop_afz_take_leaders(struct trop_case *c, const struct trop_flow *flow)
{
    double *flags = trop_case_zeros(c, "leaders", trop_case_size(c, "tokens", 0), 0, 0);
    struct trop_value leaders = { 0 };

    trop_case_try(c, trop_flow_value(&leaders, flow, "leaders"));
    for (int64_t k = 0; k < leaders.shape[0]; k++) {
        flags[leaders.integers[k]] = 1;
    }
}

/* ---- scores ---- */

double trop_afz_score(const double *a, const double *x, const double *y, int64_t d)
{
    double sum = 0;

    for (int64_t p = 0; p < d; p++) {
        for (int64_t q = 0; q < d; q++) {
            sum += a[p * d + q] * x[q] * y[p];
        }
    }
    return sum;
}

double trop_afz_lead(const double *a, const double *x, int64_t i, int64_t n, int64_t d)
{
    double best = -INFINITY;

    for (int64_t j = 0; j < n; j++) {
        if (j != i) {
            best = fmax(best, trop_afz_score(a, x + i * d, x + j * d, d));
        }
    }
    return trop_afz_score(a, x + i * d, x + i * d, d) - best;
}

double trop_afz_rounding(const double *a, const double *x, int64_t n, int64_t d)
{
    const double radius = trop_tokens_radius(x, n, d);
    double sum = 0;

    for (int64_t k = 0; k < d * d; k++) {
        sum += fabs(a[k]);
    }
    /* The rounding of two scores, each of d^2 additions with two products, and of their
     * difference. */
    return 2 * (double)(d * d + 3) * DBL_EPSILON * sum * radius * radius;
}

int64_t trop_afz_longest(const double *a, const double *x, int64_t n, int64_t d)
{
    int64_t at = 0;

    for (int64_t i = 1; i < n; i++) {
        if (trop_afz_score(a, x + i * d, x + i * d, d) >
            trop_afz_score(a, x + at * d, x + at * d, d)) {
            at = i;
        }
    }
    return at;
}

/* ---- hypotheses ---- */

/* Pivots of Gauss's elimination are positive exactly for a positive definite matrix. They round by
 * about d u times the trace, far below the allowance. */
void trop_afz_definite(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t d = trop_case_size(c, "A", 0);
    const double *given = trop_case_array(c, "A");
    double a[MOST * MOST], trace = 0;

    if (!given || d > MOST || d != trop_case_size(c, "A", 1) ||
        d != trop_case_size(c, "tokens", 1)) {
        trop_judge_truth(judge, "A is square as the tokens are long, at most 16", -1, 0);
        return;
    }
    memcpy(a, given, (size_t)(d * d) * sizeof *a);
    for (int64_t p = 0; p < d; p++) {
        trace += fabs(a[p * d + p]);
        for (int64_t q = 0; q < p; q++) {
            trop_judge_truth(judge, "A is symmetric", -1, a[p * d + q] == a[q * d + p]);
        }
    }
    for (int64_t k = 0; k < d; k++) {
        trop_judge_at_least(judge, "pivot of A", -1, a[k * d + k], DBL_MIN, 1e-9 * trace);
        for (int64_t p = k + 1; p < d; p++) {
            for (int64_t q = k + 1; q < d; q++) {
                a[p * d + q] -= a[p * d + k] * a[k * d + q] / a[k * d + k];
            }
        }
    }
}

void trop_afz_distinct(struct trop_judge *judge, const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens");
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    double least = d > MOST ? NAN : INFINITY;

    for (int64_t i = 0; i < n && d <= MOST; i++) {
        least = fmin(least, trop_tokens_radius(x + i * d, 1, d));
        for (int64_t j = 0; j < i; j++) {
            double pair[2 * MOST];
            memcpy(pair, x + i * d, (size_t)d * sizeof *pair);
            memcpy(pair + d, x + j * d, (size_t)d * sizeof *pair);
            least = fmin(least, trop_tokens_diameter(pair, 2, d));
        }
    }
    trop_judge_truth(judge, "tokens are distinct and none is 0", -1, least > 0);
}
