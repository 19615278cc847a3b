/* head_heat.c -- the effective temperature of a row: how its scores spread and its weights gather.
 *
 *   entropy       H = -sum_j a_j log a_j,   perplexity e^H
 *   min-entropy   H_inf = -log max_j a_j
 *   gap           max_j s_j - sum_j a_j s_j = sum_j a_j x_j,   x_j = max s - s_j,
 *
 * the Frank-Wolfe gap of the linear problem that softmax smooths. Since log a_j = -x_j - log Z,
 * gap = H - H_inf; each is computed by its own formula.
 */
#include "model/head/head_internal.h"

#include "base/math/exp.h"
#include "base/math/log.h"

#include <math.h>

static void row(struct trop_head_result *head, const struct trop_head_input *input)
{
    const struct trop_head_row *row = &head->scratch->row;
    const int64_t i = row->i;
    double mean = 0, square = 0, gap = 0, entropy = 0;

    (void)input;
    for (int64_t t = 0; t < row->count; t++) {
        mean += row->drop[t];
    }
    mean /= (double)row->count;
    for (int64_t t = 0; t < row->count; t++) {
        const double off = row->drop[t] - mean, a = row->weight[t] / row->total;
        square = fma(off, off, square);
        gap = fma(a, row->drop[t], gap);
        entropy = a > 0 ? fma(-a, trop_log(a), entropy) : entropy;
    }
    head->score_deviation[i] = sqrt(square / (double)row->count);
    head->gap[i] = gap;
    head->entropy[i] = entropy;
    head->perplexity[i] = trop_exp(entropy);
    head->top_weight[i] = 1 / row->total;
    head->min_entropy[i] = trop_log1p(row->rest);
    head->row_logit[i] = row->top;
}

static double mean_of(const double *x, int64_t n)
{
    double sum = 0;

    for (int64_t i = 0; i < n; i++) {
        sum += x[i];
    }
    return sum / (double)n;
}

static void end(struct trop_head_result *head, const struct trop_head_input *input)
{
    const int64_t n = head->n;

    (void)input;
    head->score_deviation_mean = mean_of(head->score_deviation, n);
    head->perplexity_mean = mean_of(head->perplexity, n);
    head->top_weight_mean = mean_of(head->top_weight, n);
    head->gap_mean = mean_of(head->gap, n);
    head->max_logit = head->row_logit[0];
    for (int64_t i = 1; i < n; i++) {
        head->max_logit = fmax(head->max_logit, head->row_logit[i]);
    }
}

const struct trop_head_measurement trop_head_heat = { TROP_HEAD_MEASURE_HEAT, NULL, row, end };
