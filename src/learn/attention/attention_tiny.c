/* attention_tiny.c -- the gradient of the attention when lead_t - mean is as small as a weight.
 *
 * A token of the same score as m has lead_t = 0 and the coefficient -s_t mean, a product of two
 * weights; next to s_t it is nothing, but when all others are as small it is what there is. With
 * the log-loss of next-token data, far from the label, 1/f = 1/mean multiplies everything, f
 * being a weight itself. Here a coefficient is sign exp(size), its size a sum of logarithms
 *
 *   log|l'| + log s_t + log|lead_t - mean|,
 *
 * kept as -exp(L) gap + rest (attention_internal.h), gaps being added as pairs. */
#include "learn/attention/attention_internal.h"

#include "base/math/dd.h"
#include "base/math/exp.h"
#include "base/math/log.h"

#include <math.h>
#include <string.h>

/* Numbers from here on are taken as they are. */
#define NORMAL 1e-290

/* What belongs to an ask: l' s_m, and mean = sign exp(size). */
struct ask {
    struct trop_attention_size slope, mean;
    double sign;  /* of mean; 0: it is 0 */
    double value; /* of mean, 0 when it underflows */
};

/* a + sign b */
static struct trop_attention_size add(struct trop_attention_size a, struct trop_attention_size b,
                                      double sign)
{
    const struct trop_dd gap = trop_dd_add((struct trop_dd){ a.gap, a.low },
                                           (struct trop_dd){ sign * b.gap, sign * b.low });

    return (struct trop_attention_size){ gap.high, gap.low, a.rest + sign * b.rest };
}

/* s_t lead_t of token t. */
static struct trop_attention_size term(const struct trop_attention *a, int64_t q, int64_t t)
{
    const int64_t at = q * a->stride + t;
    const double rest = a->log_s[q * a->stride + a->best[q]] + trop_log(fabs(a->lead[at]));

    return (struct trop_attention_size){ a->gap[at], a->low[at], rest };
}

static struct ask ask_of(const struct trop_attention *a, int64_t q)
{
    const int64_t m = a->best[q], seen = trop_attention_seen(a, q);
    const double *lead = a->lead + q * a->stride;
    struct ask ask = { .slope = { 0, 0, a->log_s[q * a->stride + m] } };
    double sum = 0;
    int found = 0;

    for (int64_t t = 0; t < seen; t++) {
        if (t != m && lead[t] != 0) {
            const struct trop_attention_size here = term(a, q, t);
            ask.mean = !found || trop_attention_below(a, &here, &ask.mean) > 0 ? here : ask.mean;
            found = 1;
        }
    }
    for (int64_t t = 0; t < seen; t++) {
        if (t != m && lead[t] != 0) {
            const struct trop_attention_size here = term(a, q, t);
            sum += copysign(trop_exp(trop_attention_below(a, &here, &ask.mean)), lead[t]);
        }
    }
    ask.sign = sum > 0 ? 1 : sum < 0 ? -1 : 0;
    if (ask.sign != 0) {
        ask.mean.rest += trop_log(fabs(sum));
        ask.value = ask.sign * trop_exp(ask.mean.rest - trop_attention_spread(a, ask.mean.gap));
    }
    if (a->loss->mass && a->fixed[q * a->T + m] == 0) {
        /* l' = -1/f, and f = mean, since m is not the label. */
        ask.slope = add(ask.slope, ask.mean, -1);
    } else {
        ask.slope.rest += a->loss->log_slope(a->f[q]);
    }
    return ask;
}

/* The coefficient of token t: its sign, or 0, and its size. */
static double coefficient(struct trop_attention_size *size, const struct trop_attention *a,
                          const struct ask *ask, int64_t q, int64_t t)
{
    const int64_t at = q * a->stride + t;
    const double more = a->lead[at] - ask->value;

    *size = add(ask->slope, (struct trop_attention_size){ a->gap[at], a->low[at], 0 }, 1);
    if (fabs(more) >= NORMAL) {
        size->rest += trop_log(fabs(more));
        return more > 0 ? 1 : -1;
    }
    *size = add(*size, ask->mean, 1);
    return -ask->sign;
}

static void find_top(struct trop_attention_size *top, const struct trop_attention *a, int64_t q)
{
    const struct ask ask = ask_of(a, q);

    for (int64_t t = 0; t < trop_attention_seen(a, q); t++) {
        struct trop_attention_size here;
        if (!trop_attention_idle(a, q, t) && coefficient(&here, a, &ask, q, t) != 0 &&
            (isinf(top->gap) || trop_attention_below(a, &here, top) > 0)) {
            *top = here;
        }
    }
}

static void make_pull(struct trop_attention *a, const struct trop_attention_size *top, int64_t q)
{
    const double *key = trop_attention_key(a, q);
    const double *centre = key + a->best[q] * a->dk;
    const struct ask ask = ask_of(a, q);
    double *pull = a->pull + q * a->along;

    memset(pull, 0, (size_t)a->dk * sizeof *pull);
    for (int64_t t = 0; t < trop_attention_seen(a, q); t++, key += a->dk) {
        struct trop_attention_size here;
        const double sign = trop_attention_idle(a, q, t) ? 0 : coefficient(&here, a, &ask, q, t);
        if (sign != 0) {
            const double weight = -sign * trop_exp(trop_attention_below(a, &here, top));
            for (int64_t c = 0; c < a->dk; c++) {
                pull[c] += weight * (key[c] - centre[c]); /* l' < 0 */
            }
        }
    }
}

struct trop_attention_size trop_attention_tiny(struct trop_weights *out, struct trop_attention *a)
{
    struct trop_attention_size top = { INFINITY, 0, 0 };

    trop_attention_logs(a);
    a->pulled = 0;
    for (int64_t q = 0; q < a->asks; q++) {
        if (trop_attention_pulls(a, q)) {
            find_top(&top, a, q);
        }
    }
    for (int64_t q = 0; !isinf(top.gap) && q < a->asks; q++) {
        if (trop_attention_pulls(a, q)) {
            make_pull(a, &top, q);
            trop_attention_add(out, a, q);
        }
    }
    return top;
}
