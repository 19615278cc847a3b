/* attention_values.c -- models of attention that are trained: scores of tokens and their leads.
 *
 * lead_t = y <h'(o), x_t - x_m>, what token t would add to f per weight. With a linear head that is
 * not trained it is y (v'x_t - v'x_m), and it must be right to rounding where the two are nearly,
 * or exactly, the same: gradients are made of such differences. v'x_t are pairs, made once, each
 * off by at most d^2 u^2 S, S = sum of |v_c x_tc| and u = 2^-53 (Ogita, Rump, Oishi, "Accurate sum
 * and dot product", 2005): a difference of at least 16 d^2 u S has an error of u/8 of itself, and 2
 * u from the additions. One that is smaller is formed anew from x_t - x_m, in double-double: equal
 * scores differ by 0.
 */
#include "learn/attention/attention_internal.h"

#include "base/math/dd.h"

#include <math.h>
#include <string.h>

#define ROUNDOFF 0x1p-53 /* u */

static void make_output(struct trop_attention *a, int64_t q)
{
    const int64_t m = a->best[q], seen = trop_attention_seen(a, q);
    const double *x = a->token + q / a->places * a->T * a->d;
    double *o = a->o + q * a->d;

    memcpy(o, x + m * a->d, (size_t)a->d * sizeof *o);
    for (int64_t t = 0; t < seen; t++) {
        const double s = a->s[q * a->stride + t];
        for (int64_t c = 0; s > 0 && c < a->d; c++) {
            o[c] += s * (x[t * a->d + c] - x[m * a->d + c]);
        }
    }
}

/* y <h'(o), x_t - x_m>, what token t would add to f, per weight: plain, where h'(o) is rounded. */
static void make_leads(struct trop_attention *a, struct trop_attention_work *w, int64_t q)
{
    const int64_t m = a->best[q], seen = trop_attention_seen(a, q);
    const double *x = a->token + q / a->places * a->T * a->d;
    double *lead = a->lead + q * a->stride;

    if (!a->head->linear) {
        a->head->slope(w->slope, a->o + q * a->d, &a->parts);
    }
    const double *slope = a->head->linear ? a->v : w->slope;
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

/* Differences of two scores that are smaller are formed anew. */
static double nearness(const struct trop_attention *a, int64_t q)
{
    return 16 * (double)a->d * (double)a->d * ROUNDOFF * a->size[q];
}

/* y <v, x_t - x_m> to rounding. */
static double lead_of(const struct trop_attention *a, int64_t q, int64_t t, int64_t m)
{
    const int64_t one = q * a->stride + t, two = q * a->stride + m;

    if (a->fixed) {
        return exact_lead(a, q, t, m);
    }
    const double more = (a->value[one] - a->value[two]) + (a->value_low[one] - a->value_low[two]);
    if (t == m) {
        return a->label[q] * 0.0;
    }
    return fabs(more) >= nearness(a, q) ? a->label[q] * more : exact_lead(a, q, t, m);
}

/* y <v, x_t - x_m> to rounding, of all tokens: the few that are close are formed anew. */
static void find_leads(struct trop_attention *a, int64_t q, int64_t m)
{
    const int64_t seen = trop_attention_seen(a, q), at = q * a->stride;
    double *lead = a->lead + at;

    if (!a->fixed && a->kernel->gradient->leads(lead, a->value + at, a->value_low + at, seen, m,
                                                a->label[q], nearness(a, q)) == 1) {
        return;
    }
    for (int64_t t = 0; t < seen; t++) {
        lead[t] = lead_of(a, q, t, m);
    }
}

/* less_t: how far the score of t is below the best. */
static void make_less(struct trop_attention *a, int64_t q)
{
    const int64_t seen = trop_attention_seen(a, q);
    int64_t best = 0;

    for (int64_t t = 1; t < seen; t++) {
        best = lead_of(a, q, t, best) > 0 ? t : best;
    }
    for (int64_t t = 0; t < seen; t++) {
        a->less[q * a->stride + t] = fmax(0, -lead_of(a, q, t, best));
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
    double *score = a->score + q * a->stride;

    for (int64_t t = 0; t < a->T; t++) {
        score[t] = t >= seen  ? -INFINITY
                   : a->fixed ? a->fixed[q * a->T + t]
                              : a->label[q] * a->head->value(x + t * a->d, &a->parts);
    }
}

/* Scores and leads of ask q, anew only where they can have changed. */
void trop_attention_values(struct trop_attention *a, struct trop_attention_work *w, int64_t q)
{
    const int64_t m = a->best[q];

    if (!a->head->linear || a->options.model == TROP_TRAIN_JOINT) {
        make_output(a, q);
    }
    if (!is_fixed(a)) {
        make_scores(a, q);
        make_leads(a, w, q);
    } else if (a->led[q] < 0) {
        if (!a->fixed) { /* v'x_t of all tokens as pairs, and the largest sum of |v_c x_tc| */
            const int64_t seen = trop_attention_seen(a, q);
            const double *x = a->token + q / a->places * a->T * a->d;
            a->size[q] = a->kernel->gradient->values(
                a->value + q * a->stride, a->value_low + q * a->stride, x, a->v, seen, a->d);
        }
        make_scores(a, q);
        make_less(a, q);
    }
    if (is_fixed(a) && a->led[q] != m) {
        find_leads(a, q, m);
    }
    a->led[q] = m;
}
