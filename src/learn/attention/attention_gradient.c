/* attention_gradient.c -- the gradient of the loss, exact to rounding at any norm of the weights.
 *
 * With a_t = <key_t, u> and N asks,
 *
 *   dL/du = (1/N) l'(f) sum_{t != m} s_t (lead_t - mean) (key_t - key_m),
 *   mean = sum_{t != m} s_t lead_t,
 *
 * because the coefficients s_t (lead_t - mean) over all t add up to 0. Their size is taken out
 * before anything is exponentiated, in two steps. Of an ask, with t' the token of the smallest gap,
 *
 *   pull = sum_{t != m} exp(-exp(L) (gap_t - gap_t')) (lead_t - mean) (key_t - key_m),
 *
 * which needs the keys of this ask and nothing of the others. With l' = -slope exp(rest), slope in
 * [1/2, 1], the size of an ask is e_q = rest_q - exp(L) gap_qt', and M the largest of them:
 *
 *   dL/du = -(exp(M) / N) sum_q exp(e_q - M) slope_q s_qm pull_q.
 *
 * Factors are at most 1, the largest at least 1/(2 T), and the direction is right when M itself is
 * -1e6. Differences of gaps are formed from pairs: they are right to rounding where log s_t is
 * -1e6, and where it leaves double the smallest gap decides alone.
 *
 * Error: with u = 2^-53 a coefficient is off by (8 |f| + T + 16) u of itself (f, which is rounded
 * and exponentiated in l', or |log f| < 231 with the log-loss; two exponentials, lead_t and mean,
 * four products), by the error of the gaps (attention.c), and by |e_qt - M| u, which exp(e_qt - M)
 * makes less than u of the largest one. mean cannot spoil it: the coefficients add up to s_m mean,
 * so that mean is no larger than T times all of them.
 *
 * exp(e_q - M) underflows where it cannot be seen, unless the tokens of the smallest gaps have
 * lead_t = mean: the same score as m, or, with the log-loss, an f that is 0 up to rounding. When
 * the largest coefficient is below 1e-100, attention_tiny.c takes lead_t - mean into the exponent.
 *
 * Asks are shared among workers for their pulls, rows of dL/dW for the sum over asks, which runs in
 * their order: no sum depends on the number of workers.
 *
 *   dL/dp = dL/du,  dL/dW = dL/du z',  dL/dK = dL/du (Q'z)',  dL/dQ = z (K' dL/du)',
 *   dL/dv = (1/N) l'(f) y dh/dv(o), with an exponent of its own.
 */
#include "learn/attention/attention_internal.h"

#include "base/math/exp.h"
#include "base/math/log.h"
#include "base/parallel.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Coefficients that are all below this are found again by attention_tiny.c. */
#define LOST 1e-100

#define ROWS 4 /* of a gradient that a worker takes at once */

struct job {
    const struct trop_kernel_gradient *kernel;
    int64_t rows;
    struct trop_kernel_gradient_outer outer;
    double *pull; /* (asks, along) whose columns are the rows of dL/dW */
    const double *scale;
};

/* The tokens that pull, and the size of their coefficients but for lead_t - mean, beside that of
 * the nearest one: -exp(L) (gap_t - gap_next), -infinity for the others. */
static void make_sizes(struct trop_attention *a, int64_t q)
{
    const struct trop_kernel_gradient *g = a->kernel->gradient;
    const int64_t seen = trop_attention_pulls(a, q) ? trop_attention_seen(a, q) : 0;
    const int64_t at = q * a->stride;
    double *size = a->weight + at;
    const int64_t zeros = g->near(size, a->gap + at, seen, a->stride);

    for (int64_t t = 0; zeros > 1 && t < seen; t++) {
        size[t] = a->gap[at + t] == 0 && !trop_attention_idle(a, q, t) ? 0 : size[t];
    }
    const int64_t next = g->lead(size, a->low + at, seen, -1);
    a->next[q] = next >= 0 && size[next] < INFINITY ? next : -1;
    if (a->next[q] >= 0) {
        g->sizes(size, a->gap + at, a->low + at, a->stride,
                 (const double[]){ a->gap[at + next], a->low[at + next] }, a->half);
        return;
    }
    for (int64_t t = 0; t < a->stride; t++) {
        size[t] = -INFINITY;
    }
}

void trop_attention_pull(struct trop_attention *a, int64_t first, int64_t last)
{
    const struct trop_kernel_gradient *g = a->kernel->gradient;

    for (int64_t q = first; q < last; q++) {
        make_sizes(a, q);
    }
    a->kernel->exponentials(a->weight + first * a->stride, NULL, (last - first) * a->stride, 0, 1);
    for (int64_t q = first; q < last; q++) {
        const double *key = trop_attention_key(a, q);
        double *weight = a->weight + q * a->stride;
        if (a->next[q] >= 0) {
            a->reach[q] = g->coefficients(weight, a->lead + q * a->stride, a->stride, a->mean[q]);
            g->pull(a->pull + q * a->along, weight, key, key + a->best[q] * a->dk,
                    trop_attention_seen(a, q), a->dk);
        }
    }
}

/* Blocks first to last - 1. */
static void share_pulls(void *context, int64_t first, int64_t last, int64_t worker)
{
    struct trop_attention *a = context;

    (void)worker;
    for (int64_t block = first; block < last; block++) {
        const int64_t q = block * TROP_ATTENTION_BLOCK, more = q + TROP_ATTENTION_BLOCK;
        trop_attention_pull(a, q, more < a->asks ? more : a->asks);
    }
}

static struct trop_attention_size size_of(const struct trop_attention *a, int64_t q)
{
    const int64_t at = q * a->stride + a->next[q];

    return (struct trop_attention_size){ a->gap[at], a->low[at], a->rest[q] };
}

/* The largest size of an ask; 0: there is none. */
static int find_top(struct trop_attention_size *top, const struct trop_attention *a)
{
    int found = 0;

    for (int64_t q = 0; q < a->asks; q++) {
        if (a->next[q] >= 0) {
            const struct trop_attention_size here = size_of(a, q);
            *top = !found || trop_attention_below(a, &here, top) > 0 ? here : *top;
            found = 1;
        }
    }
    return found;
}

/* scale_q = slope_q exp(size_q - M), 0 for what pulls nowhere; returns the largest coefficient. */
static double make_scales(struct trop_attention *a, const struct trop_attention_size *top)
{
    double most = 0;

    for (int64_t q = 0; q < a->asks; q++) {
        a->scale[q] = -INFINITY;
        if (a->next[q] >= 0) {
            const struct trop_attention_size here = size_of(a, q);
            a->scale[q] = trop_attention_below(a, &here, top);
        }
    }
    a->kernel->exponentials(a->scale, NULL, a->asks, 0, 1);
    for (int64_t q = 0; q < a->asks; q++) {
        if (a->next[q] >= 0) {
            a->scale[q] *= a->slope[q] / (1 + a->sum[q]);
            const double here = a->scale[q] * a->reach[q];
            most = here <= most ? most : here;
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
    const double *z = a->query ? a->query + q * a->d : NULL, *pull = a->pull + q * a->along;
    double *inner = a->work->inner;
    const double one = 1;

    if (a->options.model != TROP_TRAIN_KQ) {
        add_product(out->tensor, pull, z ? z : &one);
        return;
    }
    transposed(inner, a->weights->tensor + 1, z);
    add_product(out->tensor, pull, inner);
    transposed(inner, a->weights->tensor, pull);
    add_product(out->tensor + 1, z, inner);
}

/* Rows first to last - 1 of dL/dW, in fours; the columns of the pulls that they are made of get
 * their scale first. */
static void share_rows(void *context, int64_t first, int64_t last, int64_t worker)
{
    const struct job *job = context;
    const int64_t end = ROWS * last < job->rows ? ROWS * last : job->rows;

    (void)worker;
    if (job->outer.left) {
        job->kernel->scale(job->pull, job->scale, job->outer.asks, job->outer.left_stride,
                           ROWS * first, end);
    }
    job->kernel->outer(&job->outer, ROWS * first, end);
}

/* out = sum of the pulls, each times its scale and its query. */
static void add_pulls(struct trop_weights *out, struct trop_attention *a)
{
    const struct trop_kernel_gradient *g = a->kernel->gradient;
    struct trop_tensor *to = out->tensor;
    const int kq = a->options.model == TROP_TRAIN_KQ;
    struct job job = { .kernel = g, .rows = a->query ? to->rows : 1, .scale = a->scale };

    a->pulled = 0; /* they carry their scale from here on */
    if (kq || !a->query) {
        g->scale(a->pull, a->scale, a->asks, a->along, 0, a->along);
    }
    for (int64_t q = 0; kq && q < a->asks; q++) {
        if (a->scale[q] > 0) {
            trop_attention_add(out, a, q);
        }
    }
    if (kq) {
        return;
    }
    job.pull = a->pull;
    job.outer = (struct trop_kernel_gradient_outer){ .out = to->values,
                                                     .columns = a->query ? to->columns : to->rows,
                                                     .asks = a->asks,
                                                     .left = a->query ? a->pull : NULL,
                                                     .left_stride = a->along,
                                                     .right = a->query ? a->query : a->pull,
                                                     .right_stride = a->query ? a->d : a->along };
    trop_parallel(a->workers, (job.rows + ROWS - 1) / ROWS, share_rows, &job);
}

static void clear(struct trop_weights *out)
{
    for (int64_t k = 0; k < out->count; k++) {
        struct trop_tensor *tensor = out->tensor + k;
        memset(tensor->values, 0, (size_t)(tensor->rows * tensor->columns) * sizeof(double));
        tensor->log_scale = 0;
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
        double *slope = a->work->slope;
        if (!a->counts[q]) {
            continue;
        }
        const double size = trop_exp_inline(a->loss->log_slope(a->f[q]) - most);
        a->head->decoder(slope, a->o + q * a->d, &a->parts);
        for (int64_t c = 0; c < a->d; c++) {
            out->values[c] -= a->label[q] * size * slope[c];
        }
    }
    out->log_scale = most - a->log_counted;
}

void trop_attention_gradient(struct trop_weights *out, struct trop_attention *a)
{
    struct trop_attention_size top = { INFINITY, 0, 0 };

    clear(out);
    if (!a->pulled) {
        trop_parallel(a->workers, (a->asks + TROP_ATTENTION_BLOCK - 1) / TROP_ATTENTION_BLOCK,
                      share_pulls, a);
        a->pulled = 1;
    }
    if (find_top(&top, a)) {
        if (make_scales(a, &top) >= LOST) {
            add_pulls(out, a);
        } else {
            top = trop_attention_tiny(out, a);
        }
    }
    const double size = top.rest - trop_attention_spread(a, top.gap);
    const double log_scale = isinf(top.gap) ? -INFINITY : fmax(size - a->log_counted, -DBL_MAX);
    out->tensor[0].log_scale = log_scale;
    if (a->options.model == TROP_TRAIN_KQ) {
        out->tensor[0].log_scale += a->weights->tensor[1].log_scale;
        out->tensor[1].log_scale = log_scale + a->weights->tensor[0].log_scale;
    }
    if (a->options.model == TROP_TRAIN_JOINT) {
        decoder_part(out->tensor + out->count - 1, a);
    }
}

/* ---- as a straightforward program computes it ------------------------------------------------ */

/* pull = l'(f)/N sum_t s_t (score_t - f) key_t, summed as it stands. */
static void naive_pull(struct trop_attention *a, int64_t q, int64_t order)
{
    const double *key = trop_attention_key(a, q);
    const double *lead = a->lead + q * a->stride, *log_s = a->log_s + q * a->stride;
    const int64_t seen = trop_attention_seen(a, q);
    double *pull = a->pull + q * a->along;
    const double slope = -trop_exp(a->loss->log_slope(a->f[q])) / (double)a->counted;
    const double top = a->score[q * a->stride + a->best[q]]; /* leads are relative to it */
    double f = 0;

    for (int64_t k = 0; k < seen; k++) {
        const int64_t t = order ? seen - 1 - k : k;
        f += trop_exp(log_s[t]) * (top + lead[t]);
    }
    memset(pull, 0, (size_t)a->dk * sizeof *pull);
    for (int64_t k = 0; k < seen; k++) {
        const int64_t t = order ? seen - 1 - k : k;
        const double weight = slope * trop_exp(log_s[t]) * (top + lead[t] - f);
        for (int64_t c = 0; c < a->dk; c++) {
            pull[c] += weight * key[t * a->dk + c];
        }
    }
}

void trop_attention_naive(struct trop_weights *out, struct trop_attention *a, int64_t order)
{
    clear(out);
    trop_attention_logs(a);
    a->pulled = 0;
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
        struct trop_tensor *tensor = out->tensor + k;
        const double scale = tensor->log_scale == 0 ? 1.0 : trop_exp(tensor->log_scale);
        for (int64_t e = 0; e < tensor->rows * tensor->columns; e++) {
            tensor->values[e] *= scale;
        }
        tensor->log_scale = 0;
    }
}
