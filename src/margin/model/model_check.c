/* model_check.c -- whether data can be used by a model, and why not; the scores of tokens.
 *
 * The data by themselves first (data_check.c), then what the model needs.
 *
 * A score y <v, x> is summed without error (attend/exact.h) and then rounded to within an ulp
 * by a monotone map of the real number. So equal scores come out equal, whatever the order of
 * the coordinates, and scores that come out different are different, in the order shown.
 * Where there is no linear decoder to score by, scores are NaN.
 */
#include "margin/model/model_internal.h"

#include "attend/exact.h"
#include "kernel/kernel_judge.h"
#include "kernel/kernel_linear.h"
#include "base/alloc.h"
#include "base/status.h"
#include "margin/model/data.h"

#include <math.h>
#include <string.h>

const char *const trop_model_names[] = { "auto",     "prompt", "cross", "self",
                                         "sequence", "label",  "graph", NULL };

/* ---- what a model needs ------------------------------------------------------------------- */

static enum trop_status need(const void *array, const char *what, int64_t model)
{
    if (!array) {
        return trop_fail(TROP_ERR_ARG, "data: %s missing, the %s model needs them", what,
                         trop_model_names[model]);
    }
    return TROP_OK;
}

/* The word that follows is one of the input: attention can only point at what is there. */
static enum trop_status need_next(const struct trop_data *data)
{
    for (int64_t i = 0; i < data->n; i++) {
        int64_t found = 0;
        for (int64_t t = 0; t < data->T; t++) {
            found |= data->ids[i * data->T + t] == data->next[i];
        }
        if (!found) {
            return trop_fail(TROP_ERR_ARG,
                             "data: word %lld follows input %lld, must be one of its words",
                             (long long)data->next[i], (long long)i);
        }
    }
    return TROP_OK;
}

enum trop_status trop_model_check(const struct trop_data *data, int64_t model)
{
    if (!data) {
        return trop_fail(TROP_ERR_ARG, "data: missing");
    }
    const enum trop_status status = trop_data_check(data);
    return status == TROP_OK ? trop_model_check_needs(data, model) : status;
}

enum trop_status trop_model_check_needs(const struct trop_data *data, int64_t model)
{
    enum trop_status status = TROP_OK;

    if (model < TROP_MODEL_AUTO || model > TROP_MODEL_GRAPH) {
        return trop_fail(TROP_ERR_ARG, "model = %lld: must be from 0 to %d", (long long)model,
                         (int)TROP_MODEL_GRAPH);
    }
    const int64_t used = model == TROP_MODEL_AUTO ? trop_margin_auto(data) : model;
    /* A label for each token is one for each query: only sequences have so many. */
    if (data->y && data->labels != 1 && used != TROP_MODEL_SEQUENCE) {
        return trop_fail(TROP_ERR_ARG,
                         "data: %lld labels of an input, the %s model needs 1; a label for each "
                         "token is for the model sequence",
                         (long long)data->labels, trop_model_names[used]);
    }
    if (status == TROP_OK && used != TROP_MODEL_GRAPH) {
        status =
            need(used == TROP_MODEL_PROMPT && data->k ? data->k : data->x, "tokens x are", used);
    }
    if (status == TROP_OK && used == TROP_MODEL_LABEL) {
        status = need(data->y, "labels y are", used);
    }
    if (status == TROP_OK && used == TROP_MODEL_CROSS) {
        status = need(data->z, "queries z are", used);
    }
    if (status == TROP_OK &&
        (used == TROP_MODEL_CROSS || (used == TROP_MODEL_SEQUENCE && data->z))) {
        /* One for an input, or one for each token. */
        const int64_t each = used == TROP_MODEL_CROSS ? 1 : data->T;
        if (data->queries != each) {
            return trop_fail(TROP_ERR_ARG,
                             "data: %lld queries of an input, the %s model needs %lld",
                             (long long)data->queries, trop_model_names[used], (long long)each);
        }
    }
    if (status != TROP_OK || used != TROP_MODEL_GRAPH) {
        return status;
    }
    status = need(data->vocabulary, "vocabulary is", used);
    if (status == TROP_OK) {
        status = need(data->ids, "ids are", used);
    }
    if (status == TROP_OK) {
        status = need(data->next, "next words are", used);
    }
    return status == TROP_OK ? need_next(data) : status;
}

/* ---- scores ------------------------------------------------------------------------------- */

/* A sum in double-double settles nearly all: where it is farther than UNCLEAR of an ulp from the
 * middle between two doubles, its high part is the nearest double, and what trop_exact_value gives,
 * whose own roundings are below 2^-10 ulp. Returns NAN when it does not. */
#define UNCLEAR 0.001

/* The next double towards 0 of a positive number. */
static double before(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    bits -= bits > 0;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static double score_quick(struct trop_dd s, double moduli, int64_t d)
{
    const double size = fabs(s.high);
    const double ulp = size - before(size); /* the spacing towards 0, no larger than away from it */
    /* Additions of double-double, and what underflows. */
    const double error = (3.0 * (double)d + 16.0) * 0x1p-106 * moduli * 1.01 + 0x1p-1000;

    return size > 0x1p-900 && size < 0x1p900 && fabs(s.low) + error < (0.5 - UNCLEAR) * ulp ? s.high
                                                                                            : NAN;
}

/* Scores of up to 8 tokens in a row; their labels: y, each for the next T from place on. */
static void score_some(double *out, const struct trop_data *data, const double *x, int64_t tokens,
                       const double *y, int64_t place)
{
    const int64_t d = data->d;
    double high[TROP_LANES], low[TROP_LANES], moduli[TROP_LANES];

    trop_kernel_choose(0)->judge->sums(high, low, moduli, x, d, tokens, data->v, d);
    for (int64_t t = 0; t < tokens; t++) {
        const double label = y ? y[(place + t) / data->T] : 1.0;
        const double quick = label == 1 || label == -1
                                 ? score_quick((struct trop_dd){ high[t], low[t] }, moduli[t], d)
                                 : NAN;
        out[t] = label * quick;
        if (quick != quick) {
            struct trop_exact sum;
            trop_exact_clear(&sum);
            for (int64_t c = 0; c < d; c++) {
                trop_exact_add(&sum, label, data->v[c], x[t * d + c]);
            }
            out[t] = trop_exact_value(&sum);
        }
    }
}

/* Which tokens may be the best is told by sums in double. With lanes of d / 8 + 1 terms and three
 * additions of lanes, a sum is within (d / 8 + 4) u sum_c |v_c x_c| of the score, sum_c |v_c x_c|
 * <= |v|_1 max |x|, and a score is rounded within 2 u of itself: tokens that are farther than
 * 2 (d / 8 + 8) u |v|_1 max |x| below the best sum are not the best, by score or by tie. */
void trop_model_scores_best(double *out, double *about, const struct trop_data *data,
                            double largest)
{
    const struct trop_kernel_linear *linear = trop_kernel_choose(0)->linear;
    const int64_t T = data->T, d = data->d;
    double size = 0.0;

    for (int64_t c = 0; c < d; c++) {
        size += fabs(data->v[c]);
    }
    size *= largest;
    if (!(size > 0x1p-900 && size < 0x1p900)) { /* sums may leave the range of double */
        trop_model_scores(out, data);
        return;
    }
    const double doubt = 2.0 * ((double)d / 8.0 + 8.0) * 0x1p-53 * 1.01 * size;
    linear->dots(about, data->x, d, data->n * T, data->v, d);
    for (int64_t i = 0; i < data->n; i++) {
        const double label = data->y ? data->y[i] : 1.0;
        double best = -(double)INFINITY;
        int64_t close = 0;
        for (int64_t t = i * T; t < (i + 1) * T; t++) {
            about[t] *= label;
            best = about[t] > best ? about[t] : best;
        }
        for (int64_t t = i * T; t < (i + 1) * T; t++) {
            const int is_close = about[t] >= best - doubt;
            out[t] = is_close ? about[t] : -(double)INFINITY;
            close += is_close;
        }
        for (int64_t t = i * T; t < (i + 1) * T && close > 1; t++) {
            if (about[t] >= best - doubt) {
                score_some(out + t, data, data->x + t * d, 1, data->y ? data->y + i : NULL, t % T);
            }
        }
    }
}

void trop_model_scores(double *out, const struct trop_data *data)
{
    const int64_t labels = data->y ? data->labels : 1, T = data->T;
    const int64_t total = data->n * labels * T, run = labels == 1 ? total : T;

    /* Several heads are not linear: their scores are not computed here. */
    if (!data->v || !data->x || trop_data_heads(data) != 1) {
        for (int64_t k = 0; k < total; k++) {
            out[k] = NAN;
        }
        return;
    }
    for (int64_t k = 0, some = 0; k < total; k += some) { /* tokens of a run follow one another */
        const int64_t left = run - k % run, token = k / T / labels * T + k % T;
        some = left < TROP_LANES ? left : TROP_LANES;
        score_some(out + k, data, data->x + token * data->d, some, data->y ? data->y + k / T : NULL,
                   k % T);
    }
}
