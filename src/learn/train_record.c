/* train_record.c -- what is known of the weights after a step. */
#include "learn/train.h"

#include "base/alloc.h"
#include "base/math/exp.h"
#include "base/linalg.h"
#include "base/math/log.h"
#include "base/math/pow.h"
#include "base/status.h"
#include "margin/dense.h"
#include "margin/model/selection.h"

#include <math.h>
#include <string.h>

/* Singular values of larger matrices take seconds: only optimisers whose norm is one of singular
 * values record them. */
#define SINGULAR 512

/* The least whole number above step of the form 10^(j / records), rounded up. */
int64_t trop_train_next_record(int64_t step, int64_t records)
{
    if (step < 1) {
        return 1;
    }
    const double place = floor((double)records * trop_log((double)step) / trop_log(10.0));

    for (double j = fmax(0, place - 1);; j += 1) {
        /* A power that is a whole number but for rounding is that number. */
        const double power = trop_pow(10.0, j / (double)records), whole = nearbyint(power);
        const double next = fabs(power - whole) <= 1e-13 * power ? whole : ceil(power);
        if (next > (double)step) {
            return next < 9e15 ? (int64_t)next : INT64_MAX;
        }
    }
}

enum trop_status trop_train_measure(double norms[TROP_NORM_COUNT], const struct trop_train *train)
{
    const int64_t rows = train->rows, columns = train->columns, size = rows * columns;
    const int64_t r = rows < columns ? rows : columns;
    const int wanted = r <= SINGULAR || train->optimizer->norm->singular;
    double *work = wanted ? trop_alloc(size + r * (rows + columns + 1), sizeof *work) : NULL;

    if (wanted && !work) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for singular values");
    }
    int known = 0; /* 1: the singular values are at the front of work */
    if (wanted) {
        double *a = work + r, *u = a + size, *vt = u + rows * r;
        memcpy(a, train->w, (size_t)size * sizeof *a);
        known = trop_dense_svd(u, work, vt, a, rows, columns);
    }
    for (int64_t k = 0; k < TROP_NORM_COUNT; k++) {
        const struct trop_norm *norm = trop_norm_of(k);
        norms[k] = norm->singular ? (known ? trop_norm_length(work, NULL, r, norm->exponent) : NAN)
                   : norm->exponent == TROP_NORM_P
                       ? trop_power_norm(train->w, size, &train->settings.powers[3])
                       : trop_norm_length(train->w, NULL, size, norm->exponent);
    }
    trop_alloc_free(work);
    return TROP_OK;
}

void trop_train_keep(struct trop_train *train, int64_t count)
{
    train->count = count;
    train->last = count > 0 ? train->records + count - 1 : NULL;
}

void trop_train_matrix(struct trop_train *train)
{
    const struct trop_tensor *first = train->weights.tensor, *second = first + 1;

    /* w = p, W or K Q', with its scale apart; K and Q may be in range when K Q' is not. */
    train->log_scale = first->log_scale;
    if (train->options.model == TROP_TRAIN_KQ) {
        trop_dense_product_turned(train->w, first->values, second->values, first->rows,
                                  first->columns, second->rows);
        train->log_scale += second->log_scale;
    } else {
        memcpy(train->w, first->values, (size_t)(first->rows * first->columns) * sizeof(double));
    }
}

/* Loss, attention and norms of the weights as they are. */
static enum trop_status look_at_weights(struct trop_train_record *record, struct trop_train *train)
{
    int finite = 1;

    trop_attention_set(train->attention, &train->weights, NULL, 0);
    record->loss = trop_attention_loss(train->attention);
    record->log_gap = trop_attention_log_gap(train->attention);
    record->infimum = trop_attention_infimum(train->attention);
    trop_train_matrix(train);
    for (int64_t k = 0; finite && k < train->rows * train->columns; k++) {
        finite = isfinite(train->w[k]);
    }
    if (isnan(record->loss) || !finite) {
        return trop_fail(TROP_ERR_NUMERIC,
                         "the logits left the range of double at step %lld: take a smaller eta "
                         "or a smaller start, or scale the data",
                         (long long)train->k);
    }
    /* Weights as they are printed. */
    for (int64_t k = 0, at = 0; k < train->weights.count; k++) {
        const struct trop_tensor *tensor = train->weights.tensor + k;
        const int64_t size = tensor->rows * tensor->columns;
        const double norm = trop_linalg_norm(tensor->values, size);
        const int wide = norm > 0 && trop_log(norm) + tensor->log_scale > 690; /* 1e300 */
        const double factor = wide ? 1 / norm : trop_exp(tensor->log_scale);
        for (int64_t e = 0; e < size; e++) {
            train->shown[at++] = factor * tensor->values[e];
        }
    }
    if (train->options.model == TROP_TRAIN_JOINT) {
        train->seen.v = train->shown + train->total - train->data.data.d;
    }
    /* Selected are tokens that outweigh all others together. */
    double sum = 0;
    record->undecided = 0;
    for (int64_t q = 0; q < train->asks; q++) {
        const int64_t best = trop_attention_best(train->attention, q);
        const double weight = trop_exp(trop_attention_log_weights(train->attention, q)[best]);
        train->alpha[q] = weight > 0.5 ? best : -1;
        record->undecided += !(weight > 0.5);
        sum += weight;
    }
    record->saturation = sum / (double)train->asks;
    double norms[TROP_NORM_COUNT];
    enum trop_status status = trop_train_measure(norms, train);
    const double margin = trop_attention_margin(train->attention);
    const int decided = record->undecided == 0;
    if (status != TROP_OK) {
        return status;
    }
    for (int k = 0; k < TROP_NORM_COUNT; k++) {
        record->margins[k] = decided && norms[k] > 0 && isfinite(margin) ? margin / norms[k] : NAN;
    }
    const double own = norms[trop_norm_id(train->optimizer->norm)];
    record->log_norm = own > 0 ? trop_log(own) + train->log_scale : -INFINITY;
    record->norm = train->log_scale == 0 ? own : own * trop_exp(train->log_scale);
    return TROP_OK;
}

enum trop_status trop_train_look(struct trop_train *train, int last)
{
    /* The place of a record of this step: a new one, or the last when it is of the same step. */
    const int same = train->count > 0 && train->records[train->count - 1].step == train->k;
    if (!same && train->count < train->capacity) {
        train->count++;
    }
    struct trop_train_record *record = train->records + train->count - 1;
    const int compare = train->options.compare == TROP_TRAIN_COMPARE_ALL ||
                        (last && train->options.compare == TROP_TRAIN_COMPARE_FINAL);

    *record = (struct trop_train_record){ .step = train->k,
                                          .correlation = NAN,
                                          .bregman = NAN,
                                          .near = NAN,
                                          .far = NAN,
                                          .local = TROP_SELECTION_UNDECIDABLE };
    enum trop_status status = look_at_weights(record, train);
    if (status == TROP_OK && train->history) {
        memcpy(train->history + (train->count - 1) * train->total, train->shown,
               (size_t)train->total * sizeof(double));
    }
    if (status == TROP_OK && train->alphas) {
        memcpy(train->alphas + (train->count - 1) * train->asks, train->alpha,
               (size_t)train->asks * sizeof *train->alpha);
    }
    if (status == TROP_OK && compare) {
        status = trop_train_compare(train, record);
    }
    train->share = NAN;
    if (status == TROP_OK && last && train->options.compare != TROP_TRAIN_COMPARE_NONE) {
        status = trop_train_compare_several(train);
        if (status == TROP_OK && train->k == train->options.steps) { /* not of a stop */
            status = trop_train_compare_share(train, record);
        }
    }
    /* Half a record is none; one that is not compared is what a stop leaves. */
    trop_train_keep(train, train->count - (status != TROP_OK && status != TROP_ERR_STOPPED));
    return status;
}
