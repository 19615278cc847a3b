/* head_keys.c -- how much of what a head does does not depend on the query.
 *
 *   share = sum_t n_t c_t^2 / sum_it r_it^2,
 *
 * r_it = s_it less the mean of row i, c_t the mean of r_it over the n_t rows i that see t, all over
 * visible pairs: in an analysis of variance, what the keys by themselves explain. Beside it the
 * share of the rows that select a key with the largest c_t among those that they see.
 */
#include "model/head/head_internal.h"

#include <math.h>

static void start(struct trop_head_result *head, const struct trop_head_input *input)
{
    (void)input;
    for (int64_t t = 0; t < head->n; t++) {
        head->key_mean[t] = head->scratch->seen[t] = 0;
    }
    head->scratch->square = 0;
}

static void row(struct trop_head_result *head, const struct trop_head_input *input)
{
    struct trop_head_scratch *s = head->scratch;
    const struct trop_head_row *row = &s->row;
    double mean = 0, square = 0;

    (void)input;
    for (int64_t t = 0; t < row->count; t++) {
        mean += row->drop[t];
    }
    mean /= (double)row->count;
    for (int64_t t = 0; t < row->count; t++) {
        const double r = mean - row->drop[t];
        square = fma(r, r, square);
        head->key_mean[row->first + t] += r;
        s->seen[row->first + t]++;
    }
    s->square += square;
}

static void end(struct trop_head_result *head, const struct trop_head_input *input)
{
    const struct trop_head_scratch *s = head->scratch;
    double explained = 0;
    int64_t rows = 0;

    for (int64_t t = 0; t < head->n; t++) {
        head->key_mean[t] /= s->seen[t]; /* a token sees itself */
        explained = fma(s->seen[t] * head->key_mean[t], head->key_mean[t], explained);
    }
    head->key_only = s->square > 0 ? explained / s->square : NAN;
    for (int64_t i = 0; i < head->n; i++) {
        int64_t first = 0, count = 0;
        double top = -INFINITY;
        trop_head_sees(&first, &count, input, i);
        for (int64_t t = first; t < first + count; t++) {
            top = fmax(top, head->key_mean[t]);
        }
        rows += head->key_mean[head->argmax[i]] == top;
    }
    head->key_only_rows = (double)rows / (double)head->n;
}

const struct trop_head_measurement trop_head_keys = { TROP_HEAD_MEASURE_KEYS, start, row, end };
