/* head_scores.c -- the scores of a row: who has the largest, and by how much it leads.
 *
 * The largest is found among scores in double by their proved error; those that it leaves in doubt
 * are compared exactly (attend/decide.h). Leads are differences of scores as pairs of doubles,
 *
 *   |pair - <q, k_t>| <= 4 (d + 8) u^2 sum_c |q_c k_tc|,   u = 2^-53,
 *
 * (kernel_judge.h says 3 u^2 an addition) plus what products lose to underflow. A difference of
 * two pairs that is 2^54 times the two errors together is good to 2 u, and as a double to 3 u; any
 * other is computed exactly. So a lead is good to 4 u, and 0 exactly on a tie.
 */
#include "model/head/head_internal.h"

#include "attend/decide.h"
#include "attend/exact.h"
#include "base/math/cos.h"
#include "base/math/dd.h"
#include "base/math/sin.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

#define TINY 0x1p-1070

void trop_head_sees(int64_t *first, int64_t *count, const struct trop_head_input *input, int64_t i)
{
    const int64_t n = input->n, window = input->window > 0 ? input->window : n;
    const int64_t from = window > i ? 0 : i - window + 1;
    const int64_t end = input->causal ? i + 1 : window > n - i ? n : i + window;

    *first = from;
    *count = end - from;
}

int64_t trop_head_argmax(const struct trop_kernel *kernel, double *dots, const double *q,
                         const double *keys, int64_t count, int64_t d, const double *reach)
{
    const double bound = trop_decide_bound(q, reach, d);
    double top = -INFINITY;
    int64_t best = -1;

    kernel->linear->dots(dots, keys, d, count, q, d);
    if (!kernel->linear->is_finite(dots, count) || !(bound < INFINITY)) {
        return -1;
    }
    for (int64_t t = 0; t < count; t++) {
        top = fmax(top, dots[t]);
    }
    for (int64_t t = 0; t < count; t++) {
        if (dots[t] >= top - 2 * bound &&
            (best < 0 || trop_decide_score(q, keys + t * d, keys + best * d, d, 0, 0) > 0)) {
            best = t;
        }
    }
    return best;
}

static double exact_lead(const double *q, const double *a, const double *t, int64_t d)
{
    struct trop_exact sum;

    trop_exact_clear(&sum);
    for (int64_t c = 0; c < d; c++) {
        trop_exact_add(&sum, q[c], a[c], 1.0);
        trop_exact_subtract(&sum, q[c], t[c], 1.0);
    }
    return trop_exact_value(&sum);
}

static void leads(struct trop_head_row *row, const double *keys, int64_t d)
{
    const struct trop_dd top = { row->high[row->best], row->low[row->best] };
    const double *a = keys + row->best * d, unit = TROP_HEAD_UNIT * TROP_HEAD_UNIT;

    for (int64_t t = 0; t < row->count; t++) {
        const struct trop_dd lead =
            trop_dd_less(top, (struct trop_dd){ row->high[t], row->low[t] });
        const double slack = 4.1 * (double)(d + 8) * unit * (row->size[row->best] + row->size[t]) +
                             TINY * (double)(d + 8);
        if (t == row->best) {
            row->lead[t] = 0;
        } else if (lead.high > 0x1p54 * slack) {
            row->lead[t] = lead.high;
        } else {
            row->lead[t] = exact_lead(row->q, a, keys + t * d, d);
        }
    }
}

/* e^-drop; without a's own 1 the sum keeps its digits when a has nearly all of the weight. */
static void weights(struct trop_head_row *row, const struct trop_kernel *kernel)
{
    memcpy(row->weight, row->drop, (size_t)row->count * sizeof *row->weight);
    row->weight[row->best] = INFINITY;
    row->rest = kernel->exponentials(row->weight, NULL, row->count, 0.0, -1.0);
    row->weight[row->best] = 1.0;
    row->total = 1.0 + row->rest;
}

enum trop_status trop_head_row(struct trop_head_scratch *scratch,
                               const struct trop_head_input *input, int64_t i)
{
    struct trop_head_row *row = &scratch->row;
    const struct trop_kernel *kernel = scratch->kernel;
    const int64_t d = input->d;

    row->i = i;
    row->q = input->q + i * d;
    trop_head_sees(&row->first, &row->count, input, i);
    const double *keys = input->k + row->first * d;
    row->best =
        trop_head_argmax(kernel, scratch->dots, row->q, keys, row->count, d, scratch->reach);
    if (row->best >= 0) {
        kernel->judge->sums(row->high, row->low, row->size, keys, d, row->count, row->q, d);
    }
    if (row->best < 0 || !kernel->linear->is_finite(row->high, row->count) ||
        !kernel->linear->is_finite(row->low, row->count)) {
        return trop_fail(TROP_ERR_NUMERIC, "row %lld (from 0): a score is too large for a double",
                         (long long)i);
    }
    leads(row, keys, d);
    for (int64_t t = 0; t < row->count; t++) {
        row->drop[t] = input->scale * row->lead[t];
    }
    row->top = input->scale * row->high[row->best];
    if (!isfinite(row->top) || !kernel->linear->is_finite(row->drop, row->count)) {
        return trop_fail(TROP_ERR_NUMERIC, "row %lld (from 0): a score is too large for a double",
                         (long long)i);
    }
    weights(row, kernel);
    return TROP_OK;
}

void trop_head_angles(double *cosines, double *sines, const struct trop_head_input *input,
                      int64_t i)
{
    const int64_t half = input->d / 2;

    for (int64_t p = 0; p < half; p++) {
        cosines[p] = trop_cos(input->angle[i * half + p]);
        sines[p] = trop_sin(input->angle[i * half + p]);
    }
}

void trop_head_turn(double *x, const double *cosines, const double *sines, double sign, int64_t d,
                    int64_t halves)
{
    for (int64_t p = 0; p < d / 2; p++) {
        const int64_t a = halves ? p : 2 * p, b = halves ? p + d / 2 : 2 * p + 1;
        const double c = cosines[p], s = sign * sines[p], u = x[a], v = x[b];
        x[a] = fma(c, u, -(s * v));
        x[b] = fma(s, u, c * v);
    }
}
