/* attention.c -- models of attention that are trained: the forward pass.
 *
 * With m the token of the largest logit everything is a difference to it,
 *
 *   a_m - a_t = exp(L) gap_t >= 0,   log s_t = -exp(L) gap_t - log(1 + sum_{t != m} s_t / s_m),
 *   o = x_m + sum_{t != m} s_t (x_t - x_m),
 *
 * so that nothing cancels when s_m is 1 up to rounding; L = log_scale of the weights is 0 except
 * where their norm leaves double.
 *
 * A coefficient of the gradient is the exponential of a difference of gaps, and a rounding of a
 * logit of 1e6 would be an error of 1e-10 in it. Logits are therefore pairs (split.h): with n the
 * longer of dk and d, b the bits of split.h and u = 2^-53, gap + low has an error of at most
 *
 *   8 n^3 u 2^-b |key| |W| |z|     (largest entries; n = 10: 5e-20 |key| |W| |z|),
 *
 * below the rounding of everything else as long as exp(L) times it is below u, logits of 1e3 to 1e7
 * and more; from there on it grows with them. They are pairs always: where the keys do not fit in
 * cache a step waits for them, and a pair costs nothing more than a double.
 *
 * Asks are worked on in blocks of 8, whose keys stay in the cache of a core from the logits to the
 * pulls of the gradient; what is computed of an ask depends on no other, and blocks are shared
 * among workers.
 */
#include "learn/attention/attention_internal.h"

#include "base/math/dd.h"
#include "base/math/exp.h"
#include "base/math/log.h"
#include "base/parallel.h"
#include "learn/split.h"

#include <math.h>
#include <string.h>

/* ---- logits ---------------------------------------------------------------------------------- */

/* Keys of the block after this one, span numbers: where they come from memory they are asked for
 * while this block is worked on, half of them in make_x and half with the logits, so that neither
 * waits for the memory while the other leaves it idle. Of a mini-batch nothing is known. */
struct ahead {
    const double *key;
    int64_t span;
};

static struct ahead ahead_of(const struct trop_attention *a, int64_t last)
{
    const int64_t more = last + TROP_ATTENTION_BLOCK, size = a->T * a->dk;

    if (last >= a->asks || a->counted < a->asks) {
        return (struct ahead){ NULL, 0 };
    }
    const double *from = trop_attention_key(a, last - 1) + size;
    const double *to = trop_attention_key(a, (more < a->asks ? more : a->asks) - 1) + size;
    return (struct ahead){ from, to - from };
}

/* inner = Q'z, (width), z being high + rest. */
static void project(const struct trop_attention *a, struct trop_attention_work *w, int64_t q)
{
    const struct trop_tensor *t = a->weights->tensor + 1;
    const double shift = trop_split_shift(trop_split_most(t->values, t->rows * t->columns), a->d);
    const double *high = a->parts_of_query.high + q * a->across;
    const double *rest = a->parts_of_query.rest + q * a->across;

    memset(w->inner, 0, (size_t)t->columns * sizeof *w->inner);
    memset(w->inner_low, 0, (size_t)t->columns * sizeof *w->inner_low);
    for (int64_t i = 0; i < t->rows; i++) {
        const double *row = t->values + i * t->columns;
        for (int64_t m = 0; m < t->columns; m++) {
            const double part = trop_split_high(row[m], shift);
            w->inner[m] += part * high[i];
            w->inner_low[m] += row[m] * rest[i] + (row[m] - part) * high[i];
        }
    }
}

/* x = u + u_low in two. */
static void split(const struct trop_attention *a, struct trop_kernel_gradient_split *x, double *u,
                  double *u_low, int64_t n)
{
    const double most = a->kernel->gradient->settle(u, u_low, n);

    a->kernel->gradient->split(x, u, u_low, n, trop_split_shift(most, n));
}

/* x of the asks of a list: W z or K Q'z in two. */
static void make_x(const struct trop_attention *a, struct trop_attention_work *w,
                   const int64_t *list, int64_t count, const struct ahead *ahead)
{
    const struct trop_tensor *first = a->weights->tensor;
    struct trop_kernel_gradient_split z[TROP_ATTENTION_BLOCK];

    for (int64_t k = 0; k < count; k++) {
        z[k].high = a->parts_of_query.high + list[k] * a->across;
        z[k].rest = a->parts_of_query.rest + list[k] * a->across;
        if (a->options.model == TROP_TRAIN_KQ) {
            project(a, w, list[k]);
            split(a, w->x + k, w->inner, w->inner_low, first->columns);
            z[k] = w->x[k];
        }
    }
    a->kernel->gradient->products_many(
        &(struct trop_kernel_gradient_many){ .out = w->u,
                                             .low = w->u_low,
                                             .stride = a->along,
                                             .a = first->values,
                                             .rows = first->rows,
                                             .n = first->columns,
                                             .shift = a->shift,
                                             .x = z,
                                             .count = count,
                                             .ahead = ahead->key,
                                             .span = ahead->span / 2 });
    for (int64_t k = 0; k < count; k++) {
        split(a, w->x + k, w->u + k * a->along, w->u_low + k * a->along, a->dk);
    }
}

/* The logits of ask q, as pairs, in place of gap and low; it is the k-th of its block. */
static void make_logits(struct trop_attention *a, const struct trop_kernel_gradient_split *x,
                        int64_t q, int64_t k, const struct ahead *ahead)
{
    const int64_t half = a->T * a->dk / 2, first = a->query ? ahead->span / 2 + k * half : k * half;
    const int64_t second = a->query ? ahead->span : ahead->span / 2 + k * half;
    const double *const from[2] = { first + half <= ahead->span ? ahead->key + first : NULL,
                                    second + half <= ahead->span ? ahead->key + second : NULL };

    a->kernel->gradient->products(a->gap + q * a->stride, a->low + q * a->stride,
                                  trop_attention_key(a, q), trop_attention_seen(a, q), a->dk,
                                  a->key_shift, x, from);
}

/* gap and best of ask q from its logits, and in s the logarithms of s_t / s_m, that of m left out.
 */
static void make_gaps(struct trop_attention *a, int64_t q)
{
    const struct trop_kernel_gradient *g = a->kernel->gradient;
    const int64_t seen = trop_attention_seen(a, q);
    double *gap = a->gap + q * a->stride, *low = a->low + q * a->stride, *s = a->s + q * a->stride;
    const int64_t m = g->lead(gap, low, seen, 1);

    g->gaps(gap, low, s, a->stride, (const double[]){ gap[m], low[m] }, a->half);
    for (int64_t t = seen; t < a->stride; t++) {
        gap[t] = low[t] = 0;
        s[t] = -INFINITY;
    }
    s[m] = -INFINITY;
    a->best[q] = m;
}

/* ---- one set of weights ---------------------------------------------------------------------- */

/* Asks first to last - 1 of one block: from weights to slopes of the loss. */
static void forward(struct trop_attention *a, struct trop_attention_work *w, int64_t first,
                    int64_t last)
{
    const struct ahead ahead = ahead_of(a, last);
    int64_t list[TROP_ATTENTION_BLOCK], count = 0;

    for (int64_t q = first; q < last; q++) {
        list[count] = q;
        count += a->counts[q] != 0;
    }
    if (a->query) {
        make_x(a, w, list, count, &ahead);
    }
    for (int64_t k = 0; k < count; k++) {
        make_logits(a, a->query ? w->x + k : w->x, list[k], k, &ahead);
    }
    for (int64_t k = 0; k < count; k++) {
        make_gaps(a, list[k]);
    }
    a->kernel->exponentials(a->s + first * a->stride, NULL, (last - first) * a->stride, 0, 1);
    for (int64_t q = first; q < last; q++) {
        if (a->counts[q]) {
            a->sum[q] = a->kernel->gradient->normalise(a->s + q * a->stride, a->stride);
            trop_attention_values(a, w, q);
            /* f of ask q: linear in s, it is the mean of the scores. */
            a->mean[q] =
                a->kernel->gradient->dot(a->s + q * a->stride, a->lead + q * a->stride, a->stride);
            a->f[q] = a->head->linear ? a->score[q * a->stride + a->best[q]] + a->mean[q]
                                      : a->label[q] * a->head->value(a->o + q * a->d, &a->parts);
        }
    }
    trop_loss_slopes(a->slope + first, a->rest + first, a->loss, a->f + first, last - first,
                     a->kernel);
}

struct job {
    struct trop_attention *a;
    int pull;
};

/* Blocks first to last - 1. */
static void share(void *context, int64_t first, int64_t last, int64_t worker)
{
    const struct job *job = context;
    struct trop_attention *a = job->a;

    if (!a->query) {
        /* x of a prompt: p in two, the same for all asks. */
        const struct trop_kernel_gradient *g = a->kernel->gradient;
        const double *p = a->weights->tensor->values;
        g->split(a->work[worker].x, p, NULL, a->dk, trop_split_shift(g->most(p, a->dk), a->dk));
    }
    for (int64_t block = first; block < last; block++) {
        const int64_t q = block * TROP_ATTENTION_BLOCK, more = q + TROP_ATTENTION_BLOCK;
        const int64_t end = more < a->asks ? more : a->asks;
        forward(a, a->work + worker, q, end);
        if (job->pull) {
            trop_attention_pull(a, q, end);
        }
    }
}

static void set(struct trop_attention *a, const struct trop_weights *weights, const int64_t *list,
                int64_t count, int pull)
{
    const struct trop_tensor *first = weights->tensor;
    const int64_t counted = list ? count * a->places : a->asks;

    a->weights = weights;
    a->log_scale = first->log_scale;
    if (a->options.model == TROP_TRAIN_KQ) {
        a->log_scale += weights->tensor[1].log_scale;
    }
    a->half = a->log_scale == 0 ? 1.0 : trop_exp(0.5 * a->log_scale);
    a->log_counted = counted == a->counted ? a->log_counted : trop_log((double)counted);
    a->counted = counted;
    memset(a->counts, list == NULL, (size_t)a->asks);
    for (int64_t k = 0; list && k < count; k++) {
        memset(a->counts + list[k] * a->places, 1, (size_t)a->places);
    }
    if (a->options.model == TROP_TRAIN_JOINT) {
        /* A trained decoder that leaves double is held at 1e300: f is then infinite for all that a
         * loss can tell. */
        const struct trop_tensor *last = weights->tensor + weights->count - 1;
        const double wide = last->log_scale == 0 ? 1.0 : trop_exp(last->log_scale);
        const double most = trop_split_most(last->values, a->d);
        const double scale = most > 1 ? fmin(wide, 1e300 / most) : fmin(wide, 1e300);
        for (int64_t c = 0; c < a->d; c++) {
            a->v[c] = scale * last->values[c];
        }
    }
    a->shift = trop_split_shift(
        a->kernel->gradient->most(first->values, first->rows * first->columns), first->columns);
    a->logs = 0;
    a->pulled = pull;
    trop_parallel(a->workers, (a->asks + TROP_ATTENTION_BLOCK - 1) / TROP_ATTENTION_BLOCK, share,
                  &(struct job){ a, pull });
}

void trop_attention_set(struct trop_attention *a, const struct trop_weights *weights,
                        const int64_t *list, int64_t count)
{
    set(a, weights, list, count, 0);
}

void trop_attention_learn(struct trop_weights *out, struct trop_attention *a,
                          const struct trop_weights *weights, const int64_t *list, int64_t count)
{
    set(a, weights, list, count, 1);
    trop_attention_gradient(out, a);
}

void trop_attention_logs(struct trop_attention *a)
{
    for (int64_t q = 0; !a->logs && q < a->asks; q++) {
        const int64_t seen = trop_attention_seen(a, q);
        const double log_sum = trop_log1p(a->sum[q]);
        double *log_s = a->log_s + q * a->stride;
        for (int64_t t = 0; t < a->T; t++) {
            const double gap = a->gap[q * a->stride + t];
            log_s[t] = t < seen ? -trop_attention_spread(a, gap) - log_sum : -INFINITY;
        }
    }
    a->logs = 1;
}

int64_t trop_attention_best(const struct trop_attention *a, int64_t q)
{
    return a->best[q];
}
