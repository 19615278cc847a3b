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
 * and more; from there on it grows with them.
 *
 * The loss above its infimum, with the best score b_q of ask q and a linear head, is the mean of
 * l(b_q - drop_q) - l(b_q), drop_q = sum_t s_t (b_q - score_t): a sum of terms of one sign, taken
 * in logarithms. Differences of scores are formed in double-double, since two scores may differ by
 * rounding only.
 */
#include "learn/attention_internal.h"

#include "base/dd.h"
#include "base/exp.h"
#include "base/log.h"
#include "learn/split.h"

#include <math.h>
#include <string.h>

/* Below this f of the log-loss is taken from logarithms. */
#define TINY 1e-290

/* ---- logits ---------------------------------------------------------------------------------- */

/* inner = Q'z, (width), z being high + rest. */
static void project(struct trop_attention *a, const struct trop_tensor *q)
{
    const double shift = trop_split_shift(trop_split_most(q->values, q->rows * q->columns), a->d);
    const double *high = a->high, *rest = a->high + a->longest;

    memset(a->inner, 0, (size_t)q->columns * sizeof *a->inner);
    memset(a->inner_low, 0, (size_t)q->columns * sizeof *a->inner_low);
    for (int64_t i = 0; i < q->rows; i++) {
        const double *row = q->values + i * q->columns;
        for (int64_t m = 0; m < q->columns; m++) {
            const double part = trop_split_high(row[m], shift);
            a->inner[m] += part * high[i];
            a->inner_low[m] += row[m] * rest[i] + (row[m] - part) * high[i];
        }
    }
    for (int64_t m = 0; m < q->columns; m++) {
        const struct trop_dd sum = trop_dd_sum(a->inner[m], a->inner_low[m]);
        a->inner[m] = sum.high;
        a->inner_low[m] = sum.low;
    }
}

/* u of ask q: p, W z or K Q'z. shift is that of W or K. */
static void make_u(struct trop_attention *a, int64_t q, double shift)
{
    const struct trop_tensor *first = a->weights->tensor;
    double *high = a->high, *rest = a->high + a->longest;

    if (!a->query) {
        memcpy(a->u, first->values, (size_t)a->dk * sizeof *a->u);
        return;
    }
    const double *z = a->query + q * a->d;
    for (int64_t c = 0; c < a->d; c++) {
        high[c] = trop_split_high(z[c], a->query_shift);
        rest[c] = z[c] - high[c];
    }
    if (a->options.model == TROP_TRAIN_KQ) {
        project(a, first + 1);
        trop_split(high, rest, a->inner, a->inner_low, first->columns);
    }
    for (int64_t c = 0; c < a->dk; c++) {
        double low = 0;
        const double part = trop_split_dot(&low, first->values + c * first->columns, shift, high,
                                           rest, first->columns);
        const struct trop_dd sum = trop_dd_sum(part, low);
        a->u[c] = sum.high;
        a->u_low[c] = sum.low;
    }
}

/* Logits of ask q as pairs, in gap and low; returns the largest one's token, the first of them. */
static int64_t make_logits(struct trop_attention *a, int64_t q)
{
    const int64_t seen = trop_attention_seen(a, q);
    const double *key = a->key + q / a->places * a->T * a->dk;
    double *gap = a->gap + q * a->T, *low = a->low + q * a->T;
    double *high = a->high, *rest = a->high + a->longest;
    int64_t m = 0;

    trop_split(high, rest, a->u, a->u_low, a->dk);
    for (int64_t t = 0; t < seen; t++) {
        gap[t] = trop_split_dot(low + t, key + t * a->dk, a->key_shift, high, rest, a->dk);
        m = (gap[t] - gap[m]) + (low[t] - low[m]) > 0 ? t : m;
    }
    return m;
}

/* gap and best of ask q, and the logarithms of s_t / s_m; in s that of m is left out. */
static void make_gaps(struct trop_attention *a, int64_t q)
{
    const int64_t seen = trop_attention_seen(a, q), m = make_logits(a, q);
    double *gap = a->gap + q * a->T, *low = a->low + q * a->T;
    double *log_s = a->log_s + q * a->T, *s = a->s + q * a->T;
    const double top = gap[m], top_low = low[m];

    for (int64_t t = 0; t < seen; t++) {
        const struct trop_dd more = trop_dd_sum(top - gap[t], top_low - low[t]);
        gap[t] = more.high > 0 ? more.high : 0;
        low[t] = more.high > 0 ? more.low : 0;
        log_s[t] = -trop_attention_spread(a, gap[t]);
        s[t] = log_s[t];
    }
    for (int64_t t = seen; t < a->T; t++) {
        log_s[t] = s[t] = -INFINITY;
    }
    s[m] = -INFINITY;
    a->best[q] = m;
}

/* s and log_s of ask q, from what stands in them. */
static void normalise(struct trop_attention *a, int64_t q)
{
    double *log_s = a->log_s + q * a->T, *s = a->s + q * a->T;
    double sum = 0;

    for (int64_t t = 0; t < a->T; t++) {
        sum += s[t];
    }
    const double log_sum = trop_log1p(sum), share = 1 / (1 + sum);
    for (int64_t t = 0; t < a->T; t++) {
        log_s[t] -= log_sum;
        s[t] *= share;
    }
}

/* ---- output ------------------------------------------------------------------------------------
 */

static void make_output(struct trop_attention *a, int64_t q)
{
    const int64_t m = a->best[q], seen = trop_attention_seen(a, q);
    const double *x = a->token + q / a->places * a->T * a->d;
    double *o = a->o + q * a->d;

    memcpy(o, x + m * a->d, (size_t)a->d * sizeof *o);
    for (int64_t t = 0; t < seen; t++) {
        const double s = a->s[q * a->T + t];
        for (int64_t c = 0; s > 0 && c < a->d; c++) {
            o[c] += s * (x[t * a->d + c] - x[m * a->d + c]);
        }
    }
}

/* y <h'(o), x_t - x_m>, what token t would add to f, per weight: plain, where h'(o) is rounded. */
static void make_leads(struct trop_attention *a, int64_t q)
{
    const int64_t m = a->best[q], seen = trop_attention_seen(a, q);
    const double *x = a->token + q / a->places * a->T * a->d;
    double *lead = a->lead + q * a->T;

    if (!a->head->linear) {
        a->head->slope(a->slope, a->o + q * a->d, &a->parts);
    }
    const double *slope = a->head->linear ? a->v : a->slope;
    for (int64_t t = 0; t < seen; t++) {
        double sum = 0;
        for (int64_t c = 0; c < a->d; c++) {
            sum += slope[c] * (x[t * a->d + c] - x[m * a->d + c]);
        }
        lead[t] = a->label[q] * sum;
    }
}

/* y <v, x_t - x_m> to 100 bits: two scores that are nearly, or exactly, the same. */
static double exact_lead(const struct trop_attention *a, int64_t q, int64_t t, int64_t m)
{
    const double *x = a->token + q / a->places * a->T * a->d;
    struct trop_dd sum = { 0, 0 };

    if (a->fixed) {
        return a->fixed[q * a->T + t] - a->fixed[q * a->T + m];
    }
    for (int64_t c = 0; c < a->d; c++) {
        const struct trop_dd step = trop_dd_sum(x[t * a->d + c], -x[m * a->d + c]);
        sum = trop_dd_fma(step, trop_dd_of(a->v[c]), sum);
    }
    return a->label[q] * (sum.high + sum.low);
}

/* less_t: how far the score of t is below the best. */
static void make_less(struct trop_attention *a, int64_t q)
{
    const int64_t seen = trop_attention_seen(a, q);
    int64_t best = 0;

    for (int64_t t = 1; t < seen; t++) {
        best = exact_lead(a, q, t, best) > 0 ? t : best;
    }
    for (int64_t t = 0; t < seen; t++) {
        a->less[q * a->T + t] = fmax(0, -exact_lead(a, q, t, best));
    }
}

/* 1 when scores and leads do not depend on the weights but through m. */
static int is_fixed(const struct trop_attention *a)
{
    return a->fixed || (a->head->linear && a->options.model != TROP_TRAIN_JOINT);
}

static void make_scores(struct trop_attention *a, int64_t q)
{
    const int64_t seen = trop_attention_seen(a, q);
    const double *x = a->token + q / a->places * a->T * a->d;
    double *score = a->score + q * a->T;

    for (int64_t t = 0; t < a->T; t++) {
        score[t] = t >= seen  ? -INFINITY
                   : a->fixed ? a->fixed[q * a->T + t]
                              : a->label[q] * a->head->value(x + t * a->d, &a->parts);
    }
}

/* Scores and leads of ask q, anew only where they can have changed. */
static void make_values(struct trop_attention *a, int64_t q)
{
    const int64_t m = a->best[q], seen = trop_attention_seen(a, q);
    const int first = a->led[q] < 0;

    if (!is_fixed(a)) {
        make_scores(a, q);
        make_leads(a, q);
    } else if (a->led[q] != m) {
        for (int64_t t = 0; t < seen; t++) {
            a->lead[q * a->T + t] = exact_lead(a, q, t, m);
        }
    }
    if (is_fixed(a) && first) {
        make_scores(a, q);
        make_less(a, q);
    }
    a->led[q] = m;
}

/* f of ask q: linear in s, it is the mean of the scores. */
static void make_margin(struct trop_attention *a, int64_t q)
{
    const int64_t seen = trop_attention_seen(a, q);
    const double *s = a->s + q * a->T, *lead = a->lead + q * a->T;
    double f = a->score[q * a->T + a->best[q]];

    if (!a->head->linear) {
        a->f[q] = a->label[q] * a->head->value(a->o + q * a->d, &a->parts);
        return;
    }
    for (int64_t t = 0; t < seen; t++) {
        f += s[t] * lead[t];
    }
    a->f[q] = f;
}

/* ---- one set of weights ------------------------------------------------------------------------
 */

/* The decoder as it is now: the data's, or the one that is trained. One that leaves double is held
 * at 1e300: f is then infinite for all that a loss can tell. */
static void make_decoder(struct trop_attention *a, const struct trop_weights *weights)
{
    const struct trop_tensor *last = weights->tensor + weights->count - 1;

    if (a->options.model == TROP_TRAIN_JOINT) {
        const double wide = last->log_scale == 0 ? 1.0 : trop_exp(last->log_scale);
        const double most = trop_split_most(last->values, a->d);
        const double scale = most > 1 ? fmin(wide, 1e300 / most) : fmin(wide, 1e300);
        for (int64_t c = 0; c < a->d; c++) {
            a->v[c] = scale * last->values[c];
        }
    }
}

void trop_attention_set(struct trop_attention *a, const struct trop_weights *weights,
                        const int64_t *list, int64_t count)
{
    const struct trop_tensor *first = weights->tensor;

    a->weights = weights;
    a->log_scale = first->log_scale;
    if (a->options.model == TROP_TRAIN_KQ) {
        a->log_scale += weights->tensor[1].log_scale;
    }
    a->half = a->log_scale == 0 ? 1.0 : trop_exp(0.5 * a->log_scale);
    a->counted = list ? count * a->places : a->asks;
    memset(a->counts, list == NULL, (size_t)a->asks);
    for (int64_t k = 0; list && k < count; k++) {
        memset(a->counts + list[k] * a->places, 1, (size_t)a->places);
    }
    make_decoder(a, weights);
    const double shift = trop_split_shift(
        trop_split_most(first->values, first->rows * first->columns), first->columns);
    for (int64_t q = 0; q < a->asks; q++) {
        make_u(a, q, shift);
        make_gaps(a, q);
    }
    a->kernel->exponentials(a->s, NULL, a->asks * a->T, 0, 1);
    for (int64_t q = 0; q < a->asks; q++) {
        normalise(a, q);
        if (!a->head->linear || a->options.model == TROP_TRAIN_JOINT) {
            make_output(a, q);
        }
        make_values(a, q);
        make_margin(a, q);
    }
}

/* ---- what it tells -----------------------------------------------------------------------------
 */

/* The logarithm of the attention that the label of next-token data receives. */
static double log_label(const struct trop_attention *a, int64_t q)
{
    const double *log_s = a->log_s + q * a->T, *fixed = a->fixed + q * a->T;
    double most = -INFINITY, sum = 0;

    for (int64_t t = 0; t < a->T; t++) {
        most = fixed[t] > 0 ? fmax(most, log_s[t]) : most;
    }
    for (int64_t t = 0; t < a->T; t++) {
        sum += fixed[t] > 0 && log_s[t] > -INFINITY ? trop_exp(log_s[t] - most) : 0;
    }
    return most + trop_log(sum);
}

/* l(f); the log-loss of an f that underflows is still a number. */
static double value_of(const struct trop_attention *a, int64_t q)
{
    const int tiny = a->loss == &trop_loss_log && a->f[q] < TINY;

    return tiny ? -log_label(a, q) : a->loss->value(a->f[q]);
}

double trop_attention_loss(const struct trop_attention *a)
{
    double sum = 0;

    for (int64_t q = 0; q < a->asks; q++) {
        sum += a->counts[q] ? value_of(a, q) : 0;
    }
    return sum / (double)a->counted;
}

static double best_score(const struct trop_attention *a, int64_t q)
{
    double best = -INFINITY;

    for (int64_t t = 0; t < a->T; t++) {
        best = fmax(best, a->score[q * a->T + t]);
    }
    return best;
}

static int knows_infimum(const struct trop_attention *a)
{
    return a->head->linear && a->options.model != TROP_TRAIN_JOINT;
}

double trop_attention_infimum(const struct trop_attention *a)
{
    double sum = 0;

    if (!knows_infimum(a)) {
        return NAN;
    }
    for (int64_t q = 0; q < a->asks; q++) {
        sum += a->counts[q] ? a->loss->value(best_score(a, q)) : 0;
    }
    return sum / (double)a->counted;
}

/* log(l(b - drop) - l(b)) of ask q, b the best score. */
static double log_rise(const struct trop_attention *a, int64_t q)
{
    const double *less = a->less + q * a->T, *log_s = a->log_s + q * a->T;
    double drop = -INFINITY;

    if (a->loss == &trop_loss_log && a->f[q] < 0.5) { /* 1 - drop would cancel */
        return trop_log(value_of(a, q));
    }
    for (int64_t t = 0; t < trop_attention_seen(a, q); t++) {
        drop = less[t] > 0 ? trop_log_add(drop, log_s[t] + trop_log(less[t])) : drop;
    }
    return drop > -INFINITY ? a->loss->log_rise(best_score(a, q), drop) : drop;
}

double trop_attention_log_gap(const struct trop_attention *a)
{
    double total = -INFINITY;

    if (!knows_infimum(a)) {
        return NAN;
    }
    for (int64_t q = 0; q < a->asks; q++) {
        total = a->counts[q] ? trop_log_add(total, log_rise(a, q)) : total;
    }
    return total - trop_log((double)a->counted);
}

double trop_attention_margin(const struct trop_attention *a)
{
    double least = INFINITY;

    for (int64_t q = 0; q < a->asks; q++) {
        for (int64_t t = 0; t < trop_attention_seen(a, q); t++) {
            least = t == a->best[q] ? least : fmin(least, a->gap[q * a->T + t]);
        }
    }
    return least;
}

int64_t trop_attention_best(const struct trop_attention *a, int64_t q)
{
    return a->best[q];
}

const double *trop_attention_log_weights(const struct trop_attention *a, int64_t q)
{
    return a->log_s + q * a->T;
}

const double *trop_attention_scores(const struct trop_attention *a, int64_t q)
{
    return a->score + q * a->T;
}
