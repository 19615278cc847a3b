/* train.c -- the weight flow: steps of an optimiser along the gradient of the loss.
 *
 *   W(k+1) = optimiser(W(k), G(k)),   G the gradient at W(k), of all inputs or of a mini-batch.
 *
 * Each tensor is moved from the same gradient evaluation and normalised by its own dual norm. A
 * mini-batch is a stretch of a random order of the inputs, a new one every epoch. With backtracking
 * a step is halved until log(L - L*), or the loss where L* is not known, falls, and grows again by
 * doubling. Where no step makes it fall the weights stay: at a limit that is local, once the loss
 * has reached it to rounding, or when a mean of gradients has come to point uphill.
 */
#include "learn/train.h"

#include "kernel/kernel_gradient.h"
#include "base/alloc.h"
#include "base/field.h"
#include "base/math/exp.h"
#include "base/math/log.h"
#include "base/option.h"
#include "base/rng.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

#define HALVINGS 60

/* ---- making ------------------------------------------------------------------------------ */

void trop_train_free(struct trop_train *train)
{
    if (!train) {
        return;
    }
    trop_train_compare_free(train);
    trop_attention_free(train->attention);
    trop_weights_free(&train->weights);
    trop_weights_free(&train->gradient);
    trop_weights_free(&train->kept);
    trop_data_free(&train->data);
    TROP_FREE(train->memory, train->list, train->order, train->alpha, train->w, train->records,
              train->shown, train->history, train->alphas, train);
}

enum trop_status trop_train_create(struct trop_train **out,
                                   const struct trop_train_options *options)
{
    enum trop_status status = trop_train_options_check(options);

    if (status != TROP_OK) {
        return status;
    }
    struct trop_train *train = trop_alloc(1, sizeof *train);
    if (!train) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a training run");
    }
    train->options = *options;
    status = trop_train_make(train);
    train->options.data = NULL;
    train->options.start_weights = NULL;
    if (status != TROP_OK) {
        trop_train_free(train);
        return status;
    }
    *out = train;
    return TROP_OK;
}

enum trop_status trop_train_create_from(struct trop_train **out, const struct trop_data *data,
                                        const char *const *pairs)
{
    struct trop_train_options options = trop_train_options_default();
    enum trop_status status = trop_option_pairs(&options, trop_train_option_table(), pairs);

    options.data = data;
    return status == TROP_OK ? trop_train_create(out, &options) : status;
}

/* ---- mini-batches ------------------------------------------------------------------------ */

/* The inputs of step k, *count of them; NULL: all. The last batch of an epoch may be smaller. */
static const int64_t *batch_of(struct trop_train *train, int64_t *count)
{
    const int64_t n = train->data.data.n, batch = train->options.batch;

    if (batch == 0 || batch == n) {
        *count = n;
        return NULL;
    }
    const int64_t batches = (n + batch - 1) / batch;
    const int64_t epoch = train->k / batches, at = train->k % batches * batch;
    /* A random order of the inputs, a function of seed and epoch. */
    for (int64_t i = 0; i < n; i++) {
        train->order[i] = i;
    }
    trop_rng_shuffle(train->order, n, train->options.seed, TROP_RNG_BATCHES, (uint64_t)epoch);
    *count = n - at < batch ? n - at : batch;
    return train->order + at;
}

/* ---- one step ---------------------------------------------------------------------------- */

/* G <- G + 2 lambda T, the gradient of loss + lambda |T|^2, in units of the larger of the two
 * scales: a gradient of e^-2000 is then nothing against 1e-16 T, as it is in exact arithmetic. */
static void add_decay(struct trop_tensor *gradient, const struct trop_tensor *weight, double lambda)
{
    const double scale = trop_log(2 * lambda) + weight->log_scale;
    const double top = fmax(scale, gradient->log_scale);
    const double of_weight = trop_exp(scale - top), of_loss = trop_exp(gradient->log_scale - top);

    for (int64_t k = 0; k < weight->rows * weight->columns; k++) {
        gradient->values[k] = fma(of_weight, weight->values[k], of_loss * gradient->values[k]);
    }
    gradient->log_scale = top;
}

static enum trop_status move(struct trop_train *train, double eta, double log_gap)
{
    enum trop_status status = TROP_OK;

    for (int64_t k = 0; k < train->weights.count && status == TROP_OK; k++) {
        train->state[k].k = train->k;
        train->state[k].eta = eta;
        train->state[k].log_gap = log_gap;
        status = train->optimizer->step(train->state + k);
    }
    return status;
}

/* What a step is to make smaller. */
static double objective(struct trop_train *train)
{
    const double log_gap = trop_attention_log_gap(train->attention);

    return isnan(log_gap) ? trop_attention_loss(train->attention) : log_gap;
}

/* Weights, states and numbers to and from their copies. */
static void swap_states(struct trop_train *train, struct trop_optimizer_step *numbers, int back)
{
    if (back) {
        trop_weights_copy(&train->weights, &train->kept);
    } else {
        trop_weights_copy(&train->kept, &train->weights);
    }
    for (int64_t k = 0; k < train->weights.count; k++) {
        const struct trop_tensor *tensor = train->weights.tensor + k;
        const size_t bytes = (size_t)(tensor->rows * tensor->columns) * sizeof(double);
        for (int64_t s = 0; s < train->optimizer->states; s++) {
            memcpy(back ? train->state[k].state[s] : train->spare[k][s],
                   back ? train->spare[k][s] : train->state[k].state[s], bytes);
        }
        memcpy(back ? train->state[k].number : numbers[k].number,
               back ? numbers[k].number : train->state[k].number, sizeof numbers[k].number);
    }
}

static enum trop_status backtracked(struct trop_train *train, double eta, double log_gap)
{
    struct trop_optimizer_step numbers[TROP_WEIGHTS_MAX];
    const double before = objective(train);

    swap_states(train, numbers, 0);
    for (int halvings = 0; halvings <= HALVINGS; halvings++) {
        enum trop_status status = move(train, eta * train->shrink, log_gap);
        if (status != TROP_OK) {
            return status;
        }
        trop_attention_set(train->attention, &train->weights, NULL, 0);
        if (objective(train) < before) {
            train->shrink = halvings == 0 ? fmin(1, 2 * train->shrink) : train->shrink;
            return TROP_OK;
        }
        swap_states(train, numbers, 1);
        train->shrink *= 0.5;
    }
    return TROP_OK; /* no step makes it smaller: the weights stay */
}

static enum trop_status step(struct trop_train *train)
{
    int64_t count = 0;
    const int64_t *list = batch_of(train, &count);
    const double eta =
        train->options.eta * trop_schedule_at(&train->options.eta_schedule, (double)train->k);

    if (!(eta > 0)) {
        return trop_fail(TROP_ERR_ARG,
                         "eta_schedule: the step size is %g at step %lld, must be above 0", eta,
                         (long long)train->k);
    }
    if (train->options.gradient == TROP_TRAIN_STABLE) {
        trop_attention_learn(&train->gradient, train->attention, &train->weights, list, count);
    } else {
        trop_attention_set(train->attention, &train->weights, list, count);
        trop_attention_naive(&train->gradient, train->attention,
                             train->options.gradient == TROP_TRAIN_NAIVE_REVERSED);
    }
    for (int64_t k = 0; train->options.decay > 0 && k < train->weights.count; k++) {
        add_decay(train->gradient.tensor + k, train->weights.tensor + k, train->options.decay);
    }
    const double log_gap =
        train->optimizer->wants_gap ? trop_attention_log_gap(train->attention) : 0;
    enum trop_status status =
        train->options.backtrack ? backtracked(train, eta, log_gap) : move(train, eta, log_gap);
    if (status == TROP_OK &&
        !trop_kernel_choose(0)->gradient->finite(train->weights.memory, train->total)) {
        status = trop_fail(TROP_ERR_NUMERIC,
                           "the weights left the range of double at step %lld: take a smaller "
                           "eta, or scale the data",
                           (long long)train->k);
    }
    train->k += status == TROP_OK;
    return status;
}

/* ---- the run ----------------------------------------------------------------------------- */

/* The record that is due at this step when it is not there: at the start, or after a stop, whose
 * own record goes, or a failure. Records are then those of a run that went through. */
static enum trop_status catch_up(struct trop_train *train)
{
    const int64_t k = train->k, steps = train->options.steps;

    trop_train_keep(train, train->count - train->passing);
    train->passing = 0;
    const int64_t last = train->count > 0 ? train->records[train->count - 1].step : -1;
    const int64_t due = last < 0 ? 0 : trop_train_next_record(last, train->options.records);
    return last < k && (k == due || k == steps) ? trop_train_look(train, k == steps) : TROP_OK;
}

enum trop_status trop_train_step(struct trop_train *train, int64_t count, trop_progress *progress,
                                 void *context)
{
    const int64_t steps = train->options.steps;
    const int64_t end = count < steps - train->k ? train->k + count : steps;
    if (count < 0) {
        return trop_fail(TROP_ERR_ARG, "steps = %lld: must be at least 0", (long long)count);
    }
    /* Short steps are many: the clock is not looked at before each. */
    const int64_t stride = train->total > 4096 ? 1 : 64;

    train->progress = progress;
    train->context = context;
    train->cut = 0;
    enum trop_status status = catch_up(train);
    int64_t next = trop_train_next_record(train->k, train->options.records);
    while (train->k < end && status == TROP_OK) {
        if (progress && train->k % stride == 0 && progress(context, train->k, steps)) {
            status = trop_fail(TROP_ERR_STOPPED, "stopped after %lld of %lld steps",
                               (long long)train->k, (long long)steps);
            break;
        }
        status = step(train);
        if (status == TROP_OK && (train->k == next || train->k == steps)) {
            status = trop_train_look(train, train->k == steps);
            next = trop_train_next_record(train->k, train->options.records);
        }
    }
    if (status == TROP_ERR_STOPPED) {
        const enum trop_status seen = train->cut ? TROP_OK : trop_train_look(train, 1);
        train->passing = seen == TROP_OK || seen == TROP_ERR_STOPPED;
        return train->passing ? trop_fail(TROP_ERR_STOPPED, "stopped after %lld of %lld steps",
                                          (long long)train->k, (long long)steps)
                              : seen;
    }
    return status;
}

enum trop_status trop_train_run(struct trop_train *train, trop_progress *progress, void *context)
{
    return trop_train_step(train, INT64_MAX, progress, context);
}

/* ---- what it tells ----------------------------------------------------------------------- */

int64_t trop_train_steps(const struct trop_train *train)
{
    return train->k;
}

const char *trop_train_tensor(const double **values, double *log_scale, int64_t shape[2],
                              const struct trop_train *train, int64_t k)
{
    if (k < 0 || k >= train->weights.count) {
        return NULL;
    }
    const struct trop_tensor *tensor = train->weights.tensor + k;
    *values = tensor->values;
    *log_scale = tensor->log_scale;
    shape[0] = tensor->rows;
    shape[1] = tensor->columns;
    return tensor->name;
}

enum trop_status trop_train_value(struct trop_value *out, const struct trop_train *train,
                                  const char *name)
{
    return trop_field_value(out, trop_train_field_table(), train, name);
}

enum trop_status trop_train_number(double *out, const struct trop_train *train, const char *name)
{
    return trop_field_as_number(out, trop_train_field_table(), train, name);
}
