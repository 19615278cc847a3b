/* attention_tell.c -- models of attention that are trained: what the forward pass tells.
 *
 * The loss above its infimum, with the best score b_q of ask q and a linear head, is the mean of
 * l(b_q - drop_q) - l(b_q), drop_q = sum_t s_t (b_q - score_t): a sum of terms of one sign, taken
 * in logarithms. Differences of scores are right to rounding (attention_values.c), since two scores
 * may differ by rounding only.
 */
#include "learn/attention/attention_internal.h"

#include "base/math/exp.h"
#include "base/math/log.h"

#include <math.h>

/* Below this f of the log-loss is taken from logarithms. */
#define TINY 1e-290

/* The logarithm of the attention that the label of next-token data receives. */
static double log_label(const struct trop_attention *a, int64_t q)
{
    const double *log_s = a->log_s + q * a->stride, *fixed = a->fixed + q * a->T;
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
    const int tiny = a->loss->mass && a->f[q] < TINY;

    return tiny ? -log_label(a, q) : a->loss->value(a->f[q]);
}

double trop_attention_loss(struct trop_attention *a)
{
    double sum = 0;

    if (a->loss->mass) {
        trop_attention_logs(a);
    }
    for (int64_t q = 0; q < a->asks; q++) {
        sum += a->counts[q] ? value_of(a, q) : 0;
    }
    return sum / (double)a->counted;
}

static double best_score(const struct trop_attention *a, int64_t q)
{
    double best = -INFINITY;

    for (int64_t t = 0; t < a->T; t++) {
        best = fmax(best, a->score[q * a->stride + t]);
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
    const double *less = a->less + q * a->stride, *log_s = a->log_s + q * a->stride;
    double drop = -INFINITY;

    if (a->loss->mass && a->f[q] < 0.5) { /* 1 - drop would cancel */
        return trop_log(value_of(a, q));
    }
    for (int64_t t = 0; t < trop_attention_seen(a, q); t++) {
        drop = less[t] > 0 ? trop_log_add(drop, log_s[t] + trop_log(less[t])) : drop;
    }
    return drop > -INFINITY ? a->loss->log_rise(best_score(a, q), drop) : drop;
}

double trop_attention_log_gap(struct trop_attention *a)
{
    double total = -INFINITY;

    if (!knows_infimum(a)) {
        return NAN;
    }
    trop_attention_logs(a);
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
            least = t == a->best[q] ? least : fmin(least, a->gap[q * a->stride + t]);
        }
    }
    return least;
}

const double *trop_attention_log_weights(struct trop_attention *a, int64_t q)
{
    trop_attention_logs(a);
    return a->log_s + q * a->stride;
}

const double *trop_attention_scores(const struct trop_attention *a, int64_t q)
{
    return a->score + q * a->stride;
}
