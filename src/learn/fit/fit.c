/* fit.c -- training on sequences: epochs of mini-batches, the epoch that validation chooses, folds.
 *
 * An epoch takes every item of train once, in an order that is a function of seed, fold and epoch,
 * batch by batch: rows of E that the batch reads are brought up to date, the gradient of the mean
 * loss is computed, and every trained tensor is moved from it by its optimiser. After each epoch,
 * and before the first, loss and accuracy of every split are recorded. The chosen epoch has the
 * best accuracy of validation, of equal ones the least loss, of equal ones the first; without
 * validation it is the last. Its weights are those that everything else is told of.
 */
#include "learn/fit/fit.h"

#include "base/alloc.h"
#include "base/field.h"
#include "base/math/log.h"
#include "base/option.h"
#include "base/rng.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

/* ---- making ---------------------------------------------------------------------------------- */

void trop_fit_free(struct trop_fit *fit)
{
    if (!fit) {
        return;
    }
    trop_fit_network_free(fit->network);
    for (int k = 0; k < TROP_FIT_LETTERS; k++) {
        trop_fit_tensor_close(fit->tensor + k);
    }
    for (int k = 0; fit->split && k < TROP_FIT_SPLITS; k++) {
        TROP_FREE(fit->split[k].list, fit->split[k].loss, fit->split[k].accuracy);
    }
    TROP_FREE(fit->texts[0], fit->texts[1], fit->texts[2], fit->theory, fit->schedule, fit->part,
              fit->order, fit->outputs, fit->touched, fit->folds, fit->split, fit->classes,
              fit->sparsity, fit->pruned, fit->attention, fit->counted, fit->words, fit->shown,
              fit->shown_texts, fit);
}

enum trop_status trop_fit_create(struct trop_fit **out, const struct trop_fit_options *options)
{
    enum trop_status status = trop_fit_options_check(options);

    if (status != TROP_OK) {
        return status;
    }
    struct trop_fit *fit = trop_alloc(1, sizeof *fit);
    if (!fit) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a training run");
    }
    fit->options = *options;
    fit->sequences = options->sequences;
    status = trop_fit_make(fit);
    if (status != TROP_OK) {
        trop_fit_free(fit);
        return status;
    }
    *out = fit;
    return TROP_OK;
}

/* Options know others of their own table: each table is given its pairs at once. */
enum trop_status trop_fit_create_from(struct trop_fit **out, const struct trop_sequences *sequences,
                                      const char *const *pairs)
{
    struct trop_fit_options options = trop_fit_options_default();
    int64_t count = 0, at[2] = { 0, 0 };

    while (pairs[count]) {
        count += pairs[count + 1] ? 2 : 1;
    }
    const char **parted = trop_alloc(2 * (count + 2), sizeof *parted);
    if (!parted) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for options");
    }
    for (int64_t k = 0; k < count; k += 2) {
        const int of_train = trop_option_find(trop_train_option_table(), pairs[k]) != NULL;
        const char **to = parted + of_train * (count + 2);
        to[at[of_train]++] = pairs[k];
        to[at[of_train]++] = pairs[k + 1];
    }
    enum trop_status status =
        trop_option_pairs(&options.train, trop_train_option_table(), parted + count + 2);
    if (status == TROP_OK) {
        status = trop_option_pairs(&options, trop_fit_option_table(), parted);
    }
    trop_alloc_free(parted);
    options.sequences = sequences;
    return status == TROP_OK ? trop_fit_create(out, &options) : status;
}

/* ---- an epoch -------------------------------------------------------------------------------- */

/* The items of train in the order of this epoch. */
static void shuffle(struct trop_fit *fit)
{
    const int64_t n = fit->split[TROP_SPLIT_TRAIN].items;
    const uint64_t draw = (uint64_t)fit->fold << 32 | (uint64_t)fit->epoch;

    memcpy(fit->order, fit->split[TROP_SPLIT_TRAIN].list, (size_t)n * sizeof *fit->order);
    trop_rng_shuffle(fit->order, n, fit->options.train.seed, TROP_RNG_BATCHES, draw);
}

static const struct trop_fit_rows *rows_of(const struct trop_fit *fit, int letter)
{
    return letter == TROP_FIT_LETTER_E   ? &fit->network->words
           : letter == TROP_FIT_LETTER_P ? &fit->network->spots
                                         : NULL;
}

static enum trop_status step(struct trop_fit *fit, const int64_t *list, int64_t count)
{
    const struct trop_train_options *o = &fit->options.train;
    struct trop_fit_move move = {
        .k = fit->k,
        .eta = o->eta * trop_schedule_at(&o->eta_schedule, (double)fit->k),
        .decay = fit->options.train.decay,
    };
    enum trop_status status = TROP_OK;

    if (!(move.eta > 0) || !(move.eta * move.decay < 1)) {
        return trop_fail(TROP_ERR_ARG,
                         "the step size is %g at step %lld, must be above 0 and below 1/decay",
                         move.eta, (long long)fit->k);
    }
    trop_fit_network_index(fit->network, fit->sequences, list, count);
    for (int k = 0; k < TROP_FIT_LETTERS; k++) {
        if (fit->tensor[k].trained && fit->tensor[k].some) {
            trop_fit_tensor_fresh(fit->tensor + k, rows_of(fit, k));
        }
    }
    trop_fit_network_set(fit->network, fit->value);
    const double loss = trop_fit_network_learn(fit->network, fit->sequences, list, count);
    if (!isfinite(loss)) {
        return trop_fail(TROP_ERR_NUMERIC,
                         "the loss is %g at step %lld: take a smaller eta or a smaller start", loss,
                         (long long)fit->k);
    }
    move.log_gap = loss > 0 ? trop_log(loss) : -INFINITY;
    for (int k = 0; k < TROP_FIT_LETTERS && status == TROP_OK; k++) {
        if (fit->tensor[k].trained) {
            double *near =
                fit->tensor[k].some && k == TROP_FIT_LETTER_E ? fit->network->near : NULL;
            status = trop_fit_tensor_move(fit->tensor + k, fit->network->gradient[k], near,
                                          rows_of(fit, k), &move);
        }
    }
    fit->k += status == TROP_OK;
    return status;
}

/* ---- what an epoch is recorded as ------------------------------------------------------------ */

/* Mean loss and accuracy of a split; NaN without items. */
static void look_at(double *mean, double *accuracy, struct trop_fit *fit,
                    const struct trop_fit_split *split)
{
    const int64_t outputs = fit->shape.outputs;
    double loss = 0, right = 0;

    trop_fit_network_read(fit->outputs, NULL, fit->network, fit->sequences, split->list,
                          split->items);
    for (int64_t j = 0; j < split->items; j++) {
        const int64_t y = fit->sequences->labels[split->list[j]];
        const double *f = fit->outputs + j * outputs;
        loss += trop_fit_network_loss(NULL, fit->network, f, y);
        right += trop_fit_network_class(f, outputs) == y;
    }
    *mean = loss / (double)split->items;
    *accuracy = right / (double)split->items;
}

static void keep_best(struct trop_fit *fit)
{
    const struct trop_fit_split *v = fit->split + TROP_SPLIT_VALIDATION;
    const double accuracy = v->accuracy[fit->epoch], loss = v->loss[fit->epoch];

    if (v->items > 0 &&
        !(accuracy > fit->best[0] || (accuracy == fit->best[0] && loss < fit->best[1]))) {
        fit->since++;
        return;
    }
    for (int k = 0; k < TROP_FIT_SPLITS; k++) {
        fit->split[k].chosen_loss = fit->split[k].loss[fit->epoch];
        fit->split[k].chosen_accuracy = fit->split[k].accuracy[fit->epoch];
    }
    fit->best[0] = accuracy;
    fit->best[1] = loss;
    fit->chosen = fit->epoch;
    fit->since = 0;
    for (int k = 0; k < TROP_FIT_LETTERS && v->items > 0; k++) { /* else the last ones are kept */
        const struct trop_fit_tensor *t = fit->tensor + k;
        if (t->trained) {
            memcpy(t->best, t->values, (size_t)(t->rows * t->columns) * sizeof *t->best);
        }
    }
}

/* Everything is as it was at the end of the epoch. */
static void record(struct trop_fit *fit)
{
    for (int k = 0; k < TROP_FIT_LETTERS; k++) {
        if (fit->tensor[k].trained) {
            trop_fit_tensor_fresh(fit->tensor + k, NULL);
        }
    }
    trop_fit_network_set(fit->network, fit->value);
    for (int k = 0; k < TROP_FIT_SPLITS; k++) {
        struct trop_fit_split *split = fit->split + k;
        look_at(split->loss + fit->epoch, split->accuracy + fit->epoch, fit, split);
    }
    keep_best(fit);
}

static enum trop_status epoch(struct trop_fit *fit)
{
    const int64_t n = fit->split[TROP_SPLIT_TRAIN].items, batch = fit->shape.batch;
    enum trop_status status = TROP_OK;

    if (fit->epoch >= 0) {
        shuffle(fit);
        for (int64_t at = 0; at < n && status == TROP_OK; at += batch) {
            status = step(fit, fit->order + at, n - at < batch ? n - at : batch);
        }
    }
    if (status == TROP_OK) {
        fit->epoch++;
        fit->recorded = fit->epoch + 1;
        record(fit);
    }
    return status;
}

/* ---- runs ------------------------------------------------------------------------------------ */

static void sum_up_folds(struct trop_fit *fit)
{
    const double count = (double)fit->fold_count;
    double sum = 0, squares = 0;

    for (int64_t k = 0; k < fit->fold_count; k++) {
        sum += fit->folds[k].test;
    }
    for (int64_t k = 0; k < fit->fold_count; k++) {
        const double off = fit->folds[k].test - sum / count;
        squares += off * off;
    }
    fit->test_mean = sum / count;
    fit->test_deviation = fit->fold_count > 1 ? sqrt(squares / (count - 1)) : NAN;
}

/* The chosen weights, with hardmax in the layers. */
static void look_hard(struct trop_fit *fit)
{
    fit->network->hard = 1;
    for (int k = 0; k < TROP_FIT_SPLITS && fit->shape.layers > 0; k++) {
        look_at(&fit->split[k].hard_loss, &fit->split[k].hard_accuracy, fit, fit->split + k);
    }
    fit->network->hard = 0;
}

enum trop_status trop_fit_tell(struct trop_fit *fit)
{
    trop_fit_network_set(fit->network, fit->value);
    look_hard(fit);
    sum_up_folds(fit);
    return trop_fit_measure(fit);
}

static enum trop_status end_fold(struct trop_fit *fit)
{
    struct trop_fit_fold *fold = fit->folds + fit->fold_count++;

    for (int k = 0; k < TROP_FIT_LETTERS; k++) {
        const struct trop_fit_tensor *t = fit->tensor + k;
        if (t->trained && fit->split[TROP_SPLIT_VALIDATION].items > 0) {
            memcpy(t->values, t->best, (size_t)(t->rows * t->columns) * sizeof *t->best);
        }
    }
    *fold = (struct trop_fit_fold){
        .fold = fit->fold,
        .epochs = fit->epoch,
        .chosen = fit->chosen,
        .validation = fit->split[TROP_SPLIT_VALIDATION].chosen_accuracy,
        .test = fit->split[TROP_SPLIT_TEST].chosen_accuracy,
        .loss = fit->split[TROP_SPLIT_TEST].chosen_loss,
    };
    fit->ended = 1;
    return trop_fit_tell(fit);
}

static int is_last(const struct trop_fit *fit)
{
    return fit->options.folds == 0 || fit->options.fold >= 0 || fit->fold + 1 == fit->options.folds;
}

enum trop_status trop_fit_step(int *done, struct trop_fit *fit, int64_t epochs,
                               trop_progress *progress, void *context)
{
    const struct trop_fit_options *o = &fit->options;
    const int64_t runs = o->folds > 0 && o->fold < 0 ? o->folds : 1;
    enum trop_status status = TROP_OK;

    for (*done = 0; status == TROP_OK && epochs > 0; epochs--) {
        const int64_t past = fit->fold_count * o->epochs + (fit->epoch > 0 ? fit->epoch : 0);
        if (fit->ended && is_last(fit)) {
            *done = 1;
            return TROP_OK;
        }
        if (progress && progress(context, past, runs * o->epochs)) {
            return trop_fail(TROP_ERR_STOPPED, "stopped after epoch %lld",
                             (long long)(fit->epoch > 0 ? fit->epoch : 0));
        }
        if (fit->ended) {
            fit->fold++;
            status = trop_fit_begin(fit);
        }
        status = status == TROP_OK ? epoch(fit) : status;
        if (status == TROP_OK &&
            (fit->epoch == o->epochs || (o->patience > 0 && fit->since >= o->patience))) {
            status = end_fold(fit);
        }
    }
    *done = status == TROP_OK && fit->ended && is_last(fit);
    return status;
}

enum trop_status trop_fit_run(struct trop_fit *fit, trop_progress *progress, void *context)
{
    int done;

    return trop_fit_step(&done, fit, INT64_MAX, progress, context);
}

/* ---- what it tells --------------------------------------------------------------------------- */

const char *trop_fit_tensor(const double **values, int64_t shape[2], const struct trop_fit *fit,
                            int64_t k)
{
    for (int letter = 0; letter < TROP_FIT_LETTERS; letter++) {
        const struct trop_fit_tensor *t = fit->tensor + letter;
        if (t->name && k-- == 0) {
            *values = t->values;
            shape[0] = t->rows;
            shape[1] = t->columns;
            return t->name;
        }
    }
    return NULL;
}

enum trop_status trop_fit_value(struct trop_value *out, const struct trop_fit *fit,
                                const char *name)
{
    return trop_field_value(out, trop_fit_field_table(), fit, name);
}

enum trop_status trop_fit_number(double *out, const struct trop_fit *fit, const char *name)
{
    return trop_field_as_number(out, trop_fit_field_table(), fit, name);
}

/* Items of any length: room is made for these. */
enum trop_status trop_fit_predict(double *scores, double *attention, const struct trop_fit *fit,
                                  const struct trop_sequences *items)
{
    struct trop_fit_shape shape = fit->shape;
    struct trop_fit_network *network = NULL;

    if (!items->ids != (fit->shape.words == 0) || items->width != fit->sequences->width) {
        return trop_fail(TROP_ERR_ARG, "items: must be of the kind that was learnt from");
    }
    shape.longest = 1;
    for (int64_t i = 0; i < items->n; i++) {
        const int64_t T = items->offsets[i + 1] - items->offsets[i];
        if (T < 1 || (fit->shape.places > 0 && T > fit->shape.places)) {
            return trop_fail(TROP_ERR_ARG, "item %lld: %lld tokens, must be 1 to %lld",
                             (long long)i, (long long)T,
                             (long long)(fit->shape.places > 0 ? fit->shape.places : INT64_MAX));
        }
        shape.longest = T > shape.longest ? T : shape.longest;
        for (int64_t t = items->offsets[i]; items->ids && t < items->offsets[i + 1]; t++) {
            if (items->ids[t] < 0 || items->ids[t] >= fit->shape.words) {
                return trop_fail(TROP_ERR_ARG, "item %lld: word %ld, must be from 0 to %lld",
                                 (long long)i, (long)items->ids[t],
                                 (long long)fit->shape.words - 1);
            }
        }
    }
    shape.batch = 1;
    shape.tokens = 1;
    enum trop_status status = trop_fit_network_create(&network, &shape);
    double *outputs = trop_alloc(items->n * shape.outputs, sizeof *outputs);
    if (status == TROP_OK && !outputs) {
        status = trop_fail(TROP_ERR_MEMORY, "no memory for %lld items", (long long)items->n);
    }
    if (status == TROP_OK) {
        trop_fit_network_set(network, fit->value);
        trop_fit_network_read(outputs, attention, network, items, NULL, items->n);
    }
    for (int64_t k = 0; status == TROP_OK && scores && k < items->n * shape.outputs; k++) {
        scores[k] = outputs[k];
    }
    trop_alloc_free(outputs);
    trop_fit_network_free(network);
    return status;
}
