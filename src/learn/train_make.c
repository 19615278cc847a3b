/* train_make.c -- everything before the first step: model, weights, states. */
#include "learn/train.h"

#include "base/alloc.h"
#include "base/pages.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "base/status.h"
#include "learn/solution.h"
#include "margin/model/selection.h"

#include <math.h>
#include <string.h>

/* Weights of all records that are kept, at most. */
#define HISTORY 4000000

static enum trop_status no_memory(void)
{
    return trop_fail(TROP_ERR_MEMORY, "no memory for a training run");
}

int64_t trop_train_auto(const struct trop_data *data)
{
    return data->z && data->queries > 1                ? TROP_TRAIN_SEQUENCE
           : data->z || (data->vocabulary && !data->x) ? TROP_TRAIN_CROSS
                                                       : TROP_TRAIN_PROMPT;
}

static enum trop_status make_attention(struct trop_train *train)
{
    const struct trop_train_options *o = &train->options;
    const struct trop_attention_options options = {
        .model = o->model,
        .mask = o->mask,
        .row = o->row,
        .width = o->width,
        .head = o->head,
        .lambda = o->lambda,
        .loss = o->loss,
        .threads = o->threads > 0 ? o->threads : trop_parallel_cores(),
    };

    return trop_attention_create(&train->attention, &train->data.data, &options);
}

/* ---- weights ----------------------------------------------------------------------------- */

static int is_zero(const struct trop_tensor *tensor)
{
    for (int64_t k = 0; k < tensor->rows * tensor->columns; k++) {
        if (tensor->values[k] != 0) {
            return 0;
        }
    }
    return 1;
}

static enum trop_status make_weights(struct trop_train *train)
{
    const struct trop_train_options *o = &train->options;
    const struct trop_weights *shape = trop_attention_shape(train->attention);
    enum trop_status status = trop_weights_create(&train->weights, shape);

    if (status == TROP_OK) {
        status = trop_weights_create(&train->gradient, shape);
    }
    if (status == TROP_OK && o->backtrack) {
        status = trop_weights_create(&train->kept, shape);
    }
    if (status != TROP_OK) {
        return status;
    }
    for (int64_t k = 0; k < shape->count; k++) {
        train->total += shape->tensor[k].rows * shape->tensor[k].columns;
    }
    if (o->start == TROP_TRAIN_GIVEN) {
        for (int64_t e = 0; e < train->total; e++) {
            if (!isfinite(o->start_weights[e])) {
                return trop_fail(TROP_ERR_ARG, "start: entry %lld (from 0) is %g, must be finite",
                                 (long long)e, o->start_weights[e]);
            }
        }
        memcpy(train->weights.memory, o->start_weights, (size_t)train->total * sizeof(double));
    } else if (o->start != TROP_TRAIN_ZEROS) {
        for (int64_t e = 0; e < train->total; e++) {
            const uint64_t at = (uint64_t)e;
            const double u = o->start == TROP_TRAIN_NORMAL
                                 ? trop_rng_normal(o->seed, TROP_RNG_WEIGHTS, at, 0)
                                 : 2 * trop_rng_uniform(o->seed, TROP_RNG_WEIGHTS, at, 0) - 1;
            train->weights.memory[e] = o->start_scale * u;
        }
    }
    if (o->model == TROP_TRAIN_KQ && is_zero(train->weights.tensor) &&
        is_zero(train->weights.tensor + 1)) {
        return trop_fail(TROP_ERR_ARG, "start: K and Q that are both zero never move, since the "
                                       "gradient of each is a multiple of the other: start from "
                                       "normal, uniform or a file");
    }
    return TROP_OK;
}

/* ---- states ------------------------------------------------------------------------------ */

static enum trop_status make_states(struct trop_train *train)
{
    const int64_t states = train->optimizer->states;
    int64_t scratch = 0;

    for (int64_t k = 0; train->optimizer->room && k < train->weights.count; k++) {
        const struct trop_tensor *tensor = train->weights.tensor + k;
        const int64_t here = train->optimizer->room(tensor->rows, tensor->columns);
        scratch = here > scratch ? here : scratch;
    }
    train->memory = trop_alloc(2 * states * train->total + scratch, sizeof *train->memory);
    if (!train->memory) {
        return no_memory();
    }
    double *at = train->memory + scratch;
    for (int64_t k = 0; k < train->weights.count; k++) {
        struct trop_optimizer_step *step = train->state + k;
        struct trop_tensor *tensor = train->weights.tensor + k;
        const int64_t size = tensor->rows * tensor->columns;
        *step = (struct trop_optimizer_step){
            .settings = train->options.model == TROP_TRAIN_JOINT && k == train->weights.count - 1
                            ? &train->decoder_settings
                            : &train->settings,
            .weight = tensor,
            .gradient = train->gradient.tensor + k,
            .scratch = train->memory,
        };
        for (int64_t s = 0; s < states; s++, at += 2 * size) {
            step->state[s] = at;
            train->spare[k][s] = at + size;
        }
        if (train->optimizer->start) {
            train->optimizer->start(step);
        }
    }
    return TROP_OK;
}

/* Duals of large weights can leave double, and Polyak's step needs an infimum. */
static enum trop_status check_start(struct trop_train *train)
{
    for (int64_t k = 0; k < train->weights.count; k++) {
        const struct trop_tensor *tensor = train->weights.tensor + k;
        for (int64_t e = 0; train->optimizer->states > 0 && e < tensor->rows * tensor->columns;
             e++) {
            if (!isfinite(train->state[k].state[0][e])) {
                return trop_fail(TROP_ERR_ARG,
                                 "start: entry %lld of %s (from 0) is %g, whose dual in %s leaves "
                                 "the range of double",
                                 (long long)e, tensor->name, tensor->values[e],
                                 train->optimizer->name);
            }
        }
    }
    if (train->optimizer->wants_gap) {
        trop_attention_set(train->attention, &train->weights, NULL, 0);
        if (isnan(trop_attention_infimum(train->attention))) {
            return trop_fail(TROP_ERR_ARG,
                             "optimizer = %s: the infimum of the loss is not known for this model "
                             "and head",
                             train->optimizer->name);
        }
    }
    return TROP_OK;
}

/* ---- records ----------------------------------------------------------------------------- */

static enum trop_status make_records(struct trop_train *train)
{
    const struct trop_tensor *first = train->weights.tensor;
    const int64_t asks = trop_attention_asks(train->attention);
    int64_t capacity = 2;

    for (int64_t k = 0; k < train->options.steps;
         k = trop_train_next_record(k, train->options.records)) {
        capacity++;
    }
    train->asks = asks;
    train->capacity = capacity;
    train->rows = first->rows;
    train->columns = train->options.model == TROP_TRAIN_KQ ? first->rows : first->columns;
    train->records = trop_alloc(capacity, sizeof *train->records);
    train->alpha = trop_alloc(asks, sizeof *train->alpha);
    train->solutions.alpha = trop_alloc(asks, sizeof *train->solutions.alpha);
    train->w = trop_alloc(trop_alloc_product(train->rows, train->columns), sizeof *train->w);
    train->order = trop_alloc(train->data.data.n, sizeof *train->order);
    train->shown = trop_alloc(train->total, sizeof *train->shown);
    train->seen = trop_solution_data(&train->data.data, train->options.model);
    if (!train->records || !train->alpha || !train->shown || !train->solutions.alpha || !train->w ||
        !train->order) {
        return no_memory();
    }
    train->solutions.alpha[0] = -2;
    /* The tensors of the model in what is printed, by their letters. */
    static const char letters[] = { [TROP_TRAIN_TOLD_P] = 'p',
                                    [TROP_TRAIN_TOLD_W] = 'W',
                                    [TROP_TRAIN_TOLD_K] = 'K',
                                    [TROP_TRAIN_TOLD_Q] = 'Q',
                                    [TROP_TRAIN_TOLD_V] = 'v' };
    double *values = train->shown;
    for (int64_t k = 0; k < train->weights.count; k++) {
        const struct trop_tensor *tensor = train->weights.tensor + k;
        for (int64_t letter = 0; letter < TROP_TRAIN_LETTERS; letter++) {
            if (tensor->name[0] == letters[letter]) {
                train->told[letter] = *tensor;
                train->told[letter].values = values;
            }
        }
        values += tensor->rows * tensor->columns;
    }
    const int64_t numbers = trop_alloc_product(capacity, train->total);
    if (numbers >= 0 && numbers <= HISTORY) {
        train->history = trop_alloc(numbers, sizeof *train->history);
        if (!train->history) {
            return no_memory();
        }
    }
    const int64_t tokens = trop_alloc_product(capacity, asks);
    if (tokens >= 0 && tokens <= HISTORY) {
        train->alphas = trop_alloc(tokens, sizeof *train->alphas);
        return train->alphas ? TROP_OK : no_memory();
    }
    return TROP_OK;
}

enum trop_status trop_train_make(struct trop_train *train)
{
    struct trop_train_options *o = &train->options;
    enum trop_status status = trop_data_copy(&train->data, o->data);

    if (status != TROP_OK) {
        return status;
    }
    /* Tokens and keys are read from end to end in every step. */
    const struct trop_data *data = &train->data.data;
    trop_pages_large(data->x, data->x ? data->n * data->T * data->d : 0);
    trop_pages_large(data->k, data->k ? data->n * data->T * data->dk : 0);
    o->model = o->model == TROP_TRAIN_AUTO ? trop_train_auto(&train->data.data) : o->model;
    o->width = o->width > 0 ? o->width : train->data.data.d;
    if (o->batch > train->data.data.n) {
        return trop_fail(TROP_ERR_ARG, "batch = %lld: the data have %lld inputs",
                         (long long)o->batch, (long long)train->data.data.n);
    }
    train->shrink = 1;
    train->share = NAN;
    train->optimizer = trop_optimizer_of(o->optimizer);
    train->settings = train->decoder_settings = trop_optimizer_settings_of(o);
    if (o->decoder_epsilon >= 0) {
        train->decoder_settings.epsilon = o->decoder_epsilon;
    }
    /* The values of a schedule are the caller's, who may free them: they are copied. */
    struct trop_schedule *schedule = &o->eta_schedule;
    if (schedule->kind == TROP_SCHEDULE_VALUES) {
        train->list = trop_alloc(schedule->count, sizeof *train->list);
        if (!train->list) {
            return no_memory();
        }
        memcpy(train->list, schedule->values, (size_t)schedule->count * sizeof *train->list);
    }
    schedule->values = train->list;
    status = make_attention(train);
    if (status == TROP_OK) {
        status = make_weights(train);
    }
    if (status == TROP_OK) {
        status = make_states(train);
    }
    if (status == TROP_OK) {
        status = check_start(train);
    }
    if (status == TROP_OK) {
        trop_train_state_begin(train);
        status = make_records(train);
    }
    return status;
}
