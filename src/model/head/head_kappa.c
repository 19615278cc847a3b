/* head_kappa.c -- by how much beta must grow until the selected token has 99% of the weight.
 *
 * kappa is the root of f(kappa) = sum_{t != a} e^{-kappa x_t} = 1/99, x_t = s_a - s_t >= 0. One
 * visible key: 0. A tie, x_t = 0: infinite. Else log f is convex and falls, so that Newton's
 * method for log f = -log 99 goes up to the root from log 99 / min x_t, where the largest term
 * alone is 1/99.
 *
 * The bounds are proved by f itself at both ends. With u = 2^-53: x_t is good to 5 u, a product
 * adds u, exp 1.1 ulp, so a term is good to 6.1 u kappa x_t + 3 u, relatively, and a sum of n terms
 * in blocks adds (40 + n / 256) u. The terms with p_t = e^{-kappa x_t} / f have
 * sum_t p_t kappa x_t = H(p) - log f <= log n - log f, so that f itself is good to
 *
 *   e = 1.1 u (6.1 (log n - log f) + 44 + n / 256),
 *
 * and a term that underflows is below 2^-1022. So f(lo) (1 - e) > 1/99 and f(hi) (1 + e) < 1/99
 * prove lo < kappa < hi. Since kappa x_t >= log 99, a relative step of w moves log f by at least
 * w log 99: w = e is enough, and is doubled until it is.
 */
#include "model/head/head_internal.h"

#include "base/math/log.h"
#include "base/sort.h"

#include <math.h>
#include <string.h>

#define STEPS 60
#define HARD 99.0

/* f at kappa; *slope, when wanted: sum x e^{-kappa x}. Scratch: column. */
static double sum_at(const struct trop_head_scratch *s, double kappa, double *slope)
{
    const struct trop_head_row *row = &s->row;

    memcpy(s->column, row->drop, (size_t)row->count * sizeof *s->column);
    s->column[row->best] = INFINITY;
    const double sum = s->kernel->exponentials(s->column, NULL, row->count, 0.0, -kappa);
    if (slope) {
        *slope = s->kernel->linear->dot(s->column, row->drop, row->count);
    }
    return sum;
}

/* The relative error of f. */
static double error_of(double f, int64_t n)
{
    return 1.1 * TROP_HEAD_UNIT *
           (6.1 * (trop_log((double)n) - trop_log(f)) + 44 + (double)n / 256);
}

static double root(const struct trop_head_scratch *s, double least)
{
    const double goal = trop_log(HARD);
    double kappa = goal / least;

    for (int k = 0; k < STEPS; k++) {
        double slope = 0;
        const double f = sum_at(s, kappa, &slope);
        const double step = (trop_log(f) + goal) * f / slope;
        if (!(step > 0x1p-50 * kappa)) {
            break;
        }
        kappa += step;
    }
    return kappa;
}

static void bracket(double *low, double *high, const struct trop_head_scratch *s, double kappa)
{
    const int64_t n = s->row.count;
    const double target = 1 / HARD;
    double width = error_of(target, n);

    *low = 0;
    *high = INFINITY;
    for (; width < 0.5 && *low == 0; width *= 2) {
        const double at = kappa * (1 - width), f = sum_at(s, at, NULL);
        *low = f * (1 - error_of(f, n)) > target * (1 + 4 * TROP_HEAD_UNIT) ? at : 0;
    }
    for (width = error_of(target, n); width < 0.5 && isinf(*high); width *= 2) {
        const double at = kappa * (1 + width), f = sum_at(s, at, NULL) + (double)n * 0x1p-1022;
        *high = f * (1 + error_of(f, n)) < target * (1 - 4 * TROP_HEAD_UNIT) ? at : INFINITY;
    }
}

static void row(struct trop_head_result *head, const struct trop_head_input *input)
{
    const struct trop_head_scratch *s = head->scratch;
    const int64_t i = s->row.i;
    double least = INFINITY;

    (void)input;
    for (int64_t t = 0; t < s->row.count; t++) {
        least = t == s->row.best ? least : fmin(least, s->row.drop[t]);
    }
    /* Without another key no time is needed; with a tie, or where kappa leaves double, none is
     * enough. */
    const double kappa = isinf(least) ? 0 : trop_log(HARD) / least < 0x1p1000 ? 1 : INFINITY;
    head->kappa[i] = head->kappa_low[i] = head->kappa_high[i] = kappa;
    if (kappa == 1) {
        head->kappa[i] = root(s, least);
        bracket(&head->kappa_low[i], &head->kappa_high[i], s, head->kappa[i]);
    }
}

static int is_less(const void *context, int64_t a, int64_t b)
{
    const double *x = context;

    return x[a] != x[b] ? x[a] < x[b] : a < b;
}

static void end(struct trop_head_result *head, const struct trop_head_input *input)
{
    int64_t *order = head->scratch->order, hard = 0;
    const int64_t n = head->n;

    (void)input;
    for (int64_t i = 0; i < n; i++) {
        order[i] = i;
        hard += head->kappa_high[i] <= 1;
    }
    trop_sort(order, n, is_less, head->kappa);
    const double low = head->kappa[order[(n - 1) / 2]], high = head->kappa[order[n / 2]];
    head->kappa_median = isinf(high) ? (isinf(low) ? low : high) : low + (high - low) / 2;
    head->hard_rows = (double)hard / (double)n;
}

const struct trop_head_measurement trop_head_kappa = { TROP_HEAD_MEASURE_HARDMAX, NULL, row, end };
