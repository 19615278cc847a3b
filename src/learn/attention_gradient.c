/* attention_gradient.c -- the gradient of the loss, exact to rounding at any norm of the weights.
 *
 * With a_t = <key_t, u> and N asks,
 *
 *   dL/du = (1/N) l'(f) sum_{t != m} s_t (lead_t - mean) (key_t - key_m),
 *   mean = sum_{t != m} s_t lead_t,
 *
 * because the coefficients s_t (lead_t - mean) over all t add up to 0. Their common size is taken
 * out before anything is exponentiated: with e_qt = log|l'| + log s_t the largest over all q and t
 * != m is M, coefficients are exp(e_qt - M) (lead_t - mean), at most of order 1, and the gradient
 * is exp(M) times what they add up to. Its direction is right when M itself is -1e6.
 *
 * Differences e_qt - M are formed from differences of gaps, which are pairs: they are right to
 * rounding where log s_t is -1e6, and where it leaves double the smallest gap decides alone.
 *
 * Error: with u = 2^-53 a coefficient is off by (8 |f| + n + 16) u of itself (log|l'| of an f that
 * is rounded; |log f| < 231 for |f| with the log-loss, the exponential, lead_t and mean), by the
 * error of the gaps (attention.c), and by |e_qt - M| u, which exp(e_qt - M) makes less than u of
 * the largest one. mean cannot spoil it: the coefficients add up to s_m mean, so that mean is no
 * larger than T times all of them.
 *
 * exp(e_qt - M) underflows where it cannot be seen, unless the tokens of the largest e_qt have
 * lead_t = mean: the same score as m, or, with the log-loss, an f that is 0 up to rounding. When
 * the largest coefficient is below 1e-100, attention_tiny.c takes lead_t - mean into the exponent.
 *
 *   dL/dp = dL/du,  dL/dW = dL/du z',  dL/dK = dL/du (Q'z)',  dL/dQ = z (K' dL/du)',
 *   dL/dv = (1/N) l'(f) y dh/dv(o), with an exponent of its own.
 */
#include "learn/attention_internal.h"

#include "base/exp.h"
#include "base/log.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Coefficients that are all below this are found again by attention_tiny.c. */
#define LOST 1e-100

/* The largest e_qt of ask q: that of the smallest gap. */
static int top_of(struct trop_attention_size *top, const struct trop_attention *a, int64_t q)
{
    const double *gap = a->gap + q * a->T, *low = a->low + q * a->T;
    int64_t next = -1;

    for (int64_t t = 0; t < trop_attention_seen(a, q); t++) {
        const int nearer =
            next < 0 || gap[t] < gap[next] || (gap[t] == gap[next] && low[t] < low[next]);
        next = nearer && !trop_attention_idle(a, q, t) ? t : next;
    }
    if (next >= 0) {
        *top = (struct trop_attention_size){ gap[next], low[next], a->rest[q] };
    }
    return next >= 0;
}

/* rest of every ask, and the largest size. */
static int find_top(struct trop_attention_size *top, struct trop_attention *a)
{
    int found = 0;

    for (int64_t q = 0; q < a->asks; q++) {
        struct trop_attention_size here;
        if (!a->counts[q]) {
            continue;
        }
        a->rest[q] = a->loss->log_slope(a->f[q]) + a->log_s[q * a->T + a->best[q]];
        if (top_of(&here, a, q) && (!found || trop_attention_below(a, &here, top) > 0)) {
            *top = here;
            found = 1;
        }
    }
    return found;
}

/* weight_t = exp(e_qt - M), all asks at once; 0 for what is idle or does not count. */
static void make_weights(struct trop_attention *a, const struct trop_attention_size *top)
{
    for (int64_t q = 0, at = 0; q < a->asks; q++) {
        const int64_t seen = a->counts[q] ? trop_attention_seen(a, q) : 0;
        for (int64_t t = 0; t < a->T; t++, at++) {
            const struct trop_attention_size size = { a->gap[at], a->low[at], a->rest[q] };
            a->weight[at] = t < seen && !trop_attention_idle(a, q, t)
                                ? trop_attention_below(a, &size, top)
                                : -INFINITY;
        }
    }
    a->kernel->exponentials(a->weight, NULL, a->asks * a->T, 0, 1);
}

/* pull = sum of coefficients times (key_t - key_m), without exp(M) / N. Returns the largest
 * coefficient. */
static double make_pull(struct trop_attention *a, int64_t q)
{
    const int64_t seen = trop_attention_seen(a, q);
    const double *key = a->key + q / a->places * a->T * a->dk, *centre = key + a->best[q] * a->dk;
    const double *lead = a->lead + q * a->T, *s = a->s + q * a->T, *size = a->weight + q * a->T;
    double *pull = a->pull, mean = 0, most = 0;

    for (int64_t t = 0; t < seen; t++) {
        mean += s[t] * lead[t];
    }
    memset(pull, 0, (size_t)a->dk * sizeof *pull);
    for (int64_t t = 0; t < seen; t++, key += a->dk) {
        if (size[t] == 0) {
            continue;
        }
        const double weight = -size[t] * (lead[t] - mean); /* l' < 0 */
        most = fabs(weight) <= most ? most : fabs(weight); /* NaN stays */
        for (int64_t c = 0; c < a->dk; c++) {
            pull[c] += weight * (key[c] - centre[c]);
        }
    }
    return most;
}

/* out += column row'. */
static void add_product(struct trop_tensor *out, const double *column, const double *row)
{
    for (int64_t i = 0; i < out->rows; i++) {
        double *to = out->values + i * out->columns;
        for (int64_t j = 0; j < out->columns; j++) {
            to[j] += column[i] * row[j];
        }
    }
}

/* inner = A'x, (columns of A). */
static void transposed(double *inner, const struct trop_tensor *matrix, const double *x)
{
    memset(inner, 0, (size_t)matrix->columns * sizeof *inner);
    for (int64_t i = 0; i < matrix->rows; i++) {
        for (int64_t j = 0; j < matrix->columns; j++) {
            inner[j] += x[i] * matrix->values[i * matrix->columns + j];
        }
    }
}

void trop_attention_add(struct trop_weights *out, struct trop_attention *a, int64_t q)
{
    const double *z = a->query ? a->query + q * a->d : NULL;
    const double one = 1;

    if (a->options.model != TROP_TRAIN_KQ) {
        add_product(out->tensor, a->pull, z ? z : &one);
        return;
    }
    transposed(a->inner, a->weights->tensor + 1, z);
    add_product(out->tensor, a->pull, a->inner);
    transposed(a->inner, a->weights->tensor, a->pull);
    add_product(out->tensor + 1, z, a->inner);
}

static void clear(struct trop_weights *out)
{
    for (int64_t k = 0; k < out->count; k++) {
        struct trop_tensor *tensor = out->tensor + k;
        memset(tensor->values, 0, (size_t)(tensor->rows * tensor->columns) * sizeof(double));
        tensor->log_scale = 0;
    }
}

static void attention_part(struct trop_weights *out, struct trop_attention *a)
{
    struct trop_attention_size top = { INFINITY, 0, 0 };
    const int found = find_top(&top, a);
    double most = 0;

    if (found) {
        make_weights(a, &top);
    }
    for (int64_t q = 0; found && q < a->asks; q++) {
        if (a->counts[q]) {
            const double here = make_pull(a, q);
            most = here <= most ? most : here;
            trop_attention_add(out, a, q);
        }
    }
    if (found && !(most >= LOST)) {
        clear(out);
        top = trop_attention_tiny(out, a);
    }
    const double size = top.rest - trop_attention_spread(a, top.gap);
    const double log_scale =
        isinf(top.gap) ? -INFINITY : fmax(size - trop_log((double)a->counted), -DBL_MAX);
    out->tensor[0].log_scale = log_scale;
    if (a->options.model == TROP_TRAIN_KQ) {
        out->tensor[0].log_scale += a->weights->tensor[1].log_scale;
        out->tensor[1].log_scale = log_scale + a->weights->tensor[0].log_scale;
    }
}

/* The decoder, when it is trained. */
static void decoder_part(struct trop_tensor *out, struct trop_attention *a)
{
    double most = -INFINITY;

    for (int64_t q = 0; q < a->asks; q++) {
        most = a->counts[q] ? fmax(most, a->loss->log_slope(a->f[q])) : most;
    }
    for (int64_t q = 0; q < a->asks; q++) {
        const double size = a->counts[q] ? trop_exp_inline(a->loss->log_slope(a->f[q]) - most) : 0;
        a->head->decoder(a->slope, a->o + q * a->d, &a->parts);
        for (int64_t c = 0; c < a->d; c++) {
            out->values[c] -= a->label[q] * size * a->slope[c];
        }
    }
    out->log_scale = most - trop_log((double)a->counted);
}

void trop_attention_gradient(struct trop_weights *out, struct trop_attention *a)
{
    clear(out);
    attention_part(out, a);
    if (a->options.model == TROP_TRAIN_JOINT) {
        decoder_part(out->tensor + out->count - 1, a);
    }
}

/* ---- as a straightforward program computes it ------------------------------------------------ */

/* pull = l'(f)/N sum_t s_t (score_t - f) key_t, summed as it stands. */
static void naive_pull(struct trop_attention *a, int64_t q, int64_t order)
{
    const double *key = a->key + q / a->places * a->T * a->dk;
    const double *lead = a->lead + q * a->T, *log_s = a->log_s + q * a->T;
    const int64_t seen = trop_attention_seen(a, q);
    const double slope = -trop_exp(a->loss->log_slope(a->f[q])) / (double)a->counted;
    const double top = a->score[q * a->T + a->best[q]]; /* leads are relative to it */
    double f = 0;

    for (int64_t k = 0; k < seen; k++) {
        const int64_t t = order ? seen - 1 - k : k;
        f += trop_exp(log_s[t]) * (top + lead[t]);
    }
    memset(a->pull, 0, (size_t)a->dk * sizeof *a->pull);
    for (int64_t k = 0; k < seen; k++) {
        const int64_t t = order ? seen - 1 - k : k;
        const double weight = slope * trop_exp(log_s[t]) * (top + lead[t] - f);
        for (int64_t c = 0; c < a->dk; c++) {
            a->pull[c] += weight * key[t * a->dk + c];
        }
    }
}

/* Its exponent multiplied in. */
static void plain(struct trop_tensor *tensor)
{
    const double scale = tensor->log_scale == 0 ? 1.0 : trop_exp(tensor->log_scale);

    for (int64_t k = 0; k < tensor->rows * tensor->columns; k++) {
        tensor->values[k] *= scale;
    }
    tensor->log_scale = 0;
}

void trop_attention_naive(struct trop_weights *out, struct trop_attention *a, int64_t order)
{
    clear(out);
    for (int64_t q = 0; q < a->asks; q++) {
        if (a->counts[q]) {
            naive_pull(a, q, order);
            trop_attention_add(out, a, q);
        }
    }
    if (a->options.model == TROP_TRAIN_KQ) {
        out->tensor[0].log_scale = a->weights->tensor[1].log_scale;
        out->tensor[1].log_scale = a->weights->tensor[0].log_scale;
    }
    if (a->options.model == TROP_TRAIN_JOINT) {
        decoder_part(out->tensor + out->count - 1, a);
    }
    for (int64_t k = 0; k < out->count; k++) {
        plain(out->tensor + k);
    }
}
