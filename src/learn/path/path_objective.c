/* path_objective.c -- what steps make small: log(L - L*), or log L of a decoder.
 *
 * Nothing is lost where losses underflow or differ by less than their rounding: sums of terms of
 * one sign are taken in logarithms. With b_q the score of the token that ask q is compared with and
 * drop = sum_t s_t (b_q - score_t), its loss is above that of the token by l(b - drop) - l(b).
 */
#include "learn/path/path.h"

#include "base/math/exp.h"
#include "base/math/log.h"

#include <math.h>

static double log_mean_loss(const struct trop_path_worker *worker)
{
    const int64_t asks = trop_attention_asks(worker->attention);
    double total = -INFINITY;

    for (int64_t q = 0; q < asks; q++) {
        /* f = y v'o of ask q, as a sum of differences to the largest token. */
        const double *score = trop_attention_scores(worker->attention, q);
        const double *log_s = trop_attention_log_weights(worker->attention, q);
        const int64_t m = trop_attention_best(worker->attention, q);
        double f = score[m];
        for (int64_t t = 0; t < worker->T; t++) {
            f += t == m || log_s[t] == -INFINITY ? 0 : trop_exp(log_s[t]) * (score[t] - score[m]);
        }
        total = trop_log_add(total, worker->loss->log_value(f));
    }
    return total - trop_log((double)asks);
}

/* The token whose loss is the reference for ask q. */
static int64_t reference(const struct trop_path_worker *worker, int64_t q)
{
    const double *score = trop_attention_scores(worker->attention, q);
    int64_t best = 0;

    if (worker->refers) {
        return worker->chosen[q];
    }
    for (int64_t t = 1; t < worker->T; t++) {
        best = score[t] > score[best] ? t : best;
    }
    return best;
}

/* log(L - L') with L' the loss of the reference tokens, without cancellation: losses above and
 * below those of their tokens are added up apart. NaN: L <= L'. */
static double log_excess(const struct trop_path_worker *worker)
{
    const int64_t asks = trop_attention_asks(worker->attention);
    double more = -INFINITY, less = -INFINITY;

    for (int64_t q = 0; q < asks; q++) {
        const double *score = trop_attention_scores(worker->attention, q);
        const double *log_s = trop_attention_log_weights(worker->attention, q);
        const double b = score[reference(worker, q)];
        double down = -INFINITY, up = -INFINITY; /* log of what others take from b, and add */
        for (int64_t t = 0; t < worker->T; t++) {
            const double off = log_s[t] > -INFINITY ? b - score[t] : 0;
            down = off > 0 ? trop_log_add(down, log_s[t] + trop_log(off)) : down;
            up = off < 0 ? trop_log_add(up, log_s[t] + trop_log(-off)) : up;
        }
        if (down > up) {
            down += trop_log1p(-trop_exp(up - down));
            more = trop_log_add(more, worker->loss->log_rise(b, down));
        } else if (up > down) {
            up += trop_log1p(-trop_exp(down - up));
            less = trop_log_add(less, worker->loss->log_rise(b + trop_exp(up), up));
        }
    }
    const double high = fmax(more, less), low = fmin(more, less);
    const double size = low == -INFINITY ? high : high + trop_log1p(-trop_exp(low - high));
    const int below = less > more;
    return below != (worker->refers == TROP_PATH_BELOW) ? NAN
           : below                                      ? trop_log((double)asks) - size
                                                        : size - trop_log((double)asks);
}

double trop_path_objective(struct trop_path_worker *worker, const double *x,
                           const struct trop_path_task *task, int64_t block)
{
    for (int64_t k = 0; k < worker->weights.count; k++) {
        const struct trop_tensor *tensor = worker->weights.tensor + k;
        for (int64_t e = 0; e < tensor->rows * tensor->columns; e++) {
            tensor->values[e] = task->radius[k] * trop_power_signed(*x++, &task->powers->up);
        }
    }
    trop_attention_set(worker->attention, &worker->weights, NULL, 0);
    return block > 0                         ? log_mean_loss(worker)
           : worker->joint || worker->refers ? log_excess(worker)
                                             : trop_attention_log_gap(worker->attention);
}
