/* head_hardmax.c -- how far the output of a row is from the value that it selects.
 *
 *   |o_i - v_a| <= (1 - a_ia) max_j |v_j - v_a|,   o_i - v_a = sum_j a_ij (v_j - v_a),
 *
 * lengths being those of W_O (...), in the residual stream, since |v| itself depends on a gauge;
 * without W_O they are of v.
 *
 * The right side is returned as a proved upper bound. With u = 2^-53, y_j = fl(W_O v_j) is off by
 * (d + 4) u |W_O|_F |v_j|; the length of y_j - y_a by (width + 8) u; and 1 - a_ia = f / (1 + f),
 * f = sum_{j != a} e^{-x_j}, by 1.1 u (6.1 (log n + min x_j) + 50 + n / 256) as of head_kappa.c,
 * -log f <= min x_j.
 */
#include "model/head/head_internal.h"

#include "base/math/log.h"

#include <math.h>

#define UNIT TROP_HEAD_UNIT

static int64_t wide(const struct trop_head_input *input)
{
    return input->wo ? input->width : input->d;
}

static double norm(const struct trop_head_scratch *s, const double *x, int64_t n)
{
    return trop_kernel_linear_length(s->kernel->linear, x, n);
}

/* What v becomes in the residual stream. */
static void carry(double *out, const struct trop_head_scratch *s,
                  const struct trop_head_input *input, const double *v)
{
    const int64_t d = input->d;

    if (input->wo) {
        s->kernel->linear->dots(out, input->wo, d, input->width, v, d);
    }
    for (int64_t c = 0; !input->wo && c < d; c++) {
        out[c] = v[c];
    }
}

static void start(struct trop_head_result *head, const struct trop_head_input *input)
{
    struct trop_head_scratch *s = head->scratch;
    const int64_t d = input->d, size = wide(input);
    /* Of v itself there is no product to err. */
    const double frobenius = input->wo ? trop_head_up(norm(s, input->wo, d * size), d * size) : 0;

    for (int64_t t = 0; t < input->n; t++) {
        const double *v = input->v + t * d;
        carry(s->value + t * size, s, input, v);
        s->value_size[t] =
            1.1 * (double)(d + 4) * UNIT * frobenius * trop_head_up(norm(s, v, d), d);
    }
}

/* o_i - v_a to out, 1 - a_ia to spread and its bound to distance_bound, for the end. */
static void row(struct trop_head_result *head, const struct trop_head_input *input)
{
    struct trop_head_scratch *s = head->scratch;
    const struct trop_head_row *row = &s->row;
    const int64_t d = input->d, i = row->i;
    const double *values = input->v + row->first * d;
    double *out = s->out + i * d, least = INFINITY;

    for (int64_t c = 0; c < d; c++) {
        out[c] = 0;
    }
    for (int64_t t = 0; t < row->count; t++) {
        if (t != row->best) {
            s->kernel->linear->subtract(s->part, values + t * d, values + row->best * d, d);
            s->kernel->linear->grow(out, row->weight[t] / row->total, s->part, d);
            least = fmin(least, row->drop[t]);
        }
    }
    const double n = (double)row->count;
    const double error = 1.1 * UNIT * (6.1 * (trop_log(n) + least) + 50 + n / 256);
    head->distance_bound[i] =
        row->count > 1 ? row->rest / row->total * (1 + error) + n * 0x1p-1022 : 0;
}

/* Distances of the values of all tokens from that of a, to column, and what they may err to high.
 */
static void distances(struct trop_head_scratch *s, const struct trop_head_input *input, int64_t a)
{
    const int64_t size = wide(input);

    for (int64_t t = 0; t < input->n; t++) {
        s->kernel->linear->subtract(s->wide, s->value + t * size, s->value + a * size, size);
        s->column[t] = norm(s, s->wide, size);
        s->row.high[t] = trop_head_up(s->column[t], size) + s->value_size[t] + s->value_size[a];
    }
}

static void judge(struct trop_head_result *head, const struct trop_head_input *input, int64_t i)
{
    const struct trop_head_scratch *s = head->scratch;
    double farthest = 0, bound = 0;
    int64_t first = 0, count = 0;

    trop_head_sees(&first, &count, input, i);
    for (int64_t t = first; t < first + count; t++) {
        farthest = fmax(farthest, s->column[t]);
        bound = fmax(bound, s->row.high[t]);
    }
    carry(s->wide, s, input, s->out + i * input->d);
    head->distance[i] = norm(s, s->wide, wide(input));
    head->spread[i] = farthest;
    head->distance_bound[i] = head->distance_bound[i] * bound * (1 + 4 * UNIT);
}

/* Rows by what they select, so that the distances from a token are taken once. */
static void end(struct trop_head_result *head, const struct trop_head_input *input)
{
    struct trop_head_scratch *s = head->scratch;
    const int64_t n = head->n;
    double sum = 0;

    for (int64_t a = 0; a < n; a++) {
        if (s->mark[a] == 0) {
            continue;
        }
        distances(s, input, a);
        for (int64_t i = 0; i < n; i++) {
            if (head->argmax[i] == a) {
                judge(head, input, i);
            }
        }
    }
    for (int64_t i = 0; i < n; i++) {
        sum += head->spread[i] > 0 ? head->distance[i] / head->spread[i] : 0;
    }
    head->hardmax_distance = sum / (double)n;
}

const struct trop_head_measurement trop_head_hardmax = { TROP_HEAD_MEASURE_HARDMAX, start, row,
                                                         end };
