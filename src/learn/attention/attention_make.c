/* attention_make.c -- models of attention that are trained: how each reads the data.
 *
 *   model      keys         query             weights
 *   prompt     K, or X      -                 p (dk)
 *   cross      X            z                 W (d, d)
 *   self       X            a row of X        W
 *   sequence   X            z of each token, or X, each place   W
 *   kq         X            z, or a row of X  K, Q (d, width)
 *   joint      as prompt or cross             and v (d)
 *
 * Next-token data (Li et al., "Mechanics of next token prediction with self-attention") have the
 * last word as query, and f is the attention that the label word receives: its scores are 1 at the
 * label and 0 elsewhere, whatever the decoder.
 */
#include "learn/attention/attention_internal.h"

#include "base/alloc.h"
#include "base/pages.h"
#include "base/status.h"
#include "learn/split.h"
#include "margin/model/data.h"

#include <string.h>

#define SMALL 100000 /* numbers in the keys of all asks: microseconds of work */

void trop_attention_free(struct trop_attention *a)
{
    if (!a) {
        return;
    }
    TROP_FREE(a->memory, a->work, a->next, a->best, a->led, a->counts, a);
}

/* ---- checks -------------------------------------------------------------------------------- */

static enum trop_status check(const struct trop_data *data, const struct trop_attention_options *o)
{
    const int words = data->vocabulary != NULL && !data->x;
    const struct trop_head *head = trop_head_of(o->head);

    if (!data->v && !words && o->model != TROP_TRAIN_JOINT) {
        return trop_fail(TROP_ERR_ARG, "data: the head %s needs a decoder v", head->name);
    }
    if (data->heads > 1 && !head->many) {
        return trop_fail(TROP_ERR_ARG, "head = %s: v has %lld rows, must have one", head->name,
                         (long long)data->heads);
    }
    if (words && (!head->linear || (o->model != TROP_TRAIN_CROSS && o->model != TROP_TRAIN_KQ))) {
        return trop_fail(
            TROP_ERR_ARG,
            "data: next-token data are for the models cross and kq with a linear head");
    }
    if (o->model == TROP_TRAIN_JOINT && head->many) {
        return trop_fail(TROP_ERR_ARG, "head = %s: joint trains one decoder v", head->name);
    }
    if (o->model == TROP_TRAIN_CROSS && !words && (!data->z || data->queries != 1)) {
        return trop_fail(TROP_ERR_ARG, "model = cross: the data need a query z for each input");
    }
    if ((o->model == TROP_TRAIN_KQ || o->model == TROP_TRAIN_JOINT) && data->z &&
        data->queries != 1) {
        return trop_fail(TROP_ERR_ARG, "data: a query z for each token is for the model sequence");
    }
    if (o->model == TROP_TRAIN_KQ && o->width < 1) {
        return trop_fail(TROP_ERR_ARG, "width = %lld: must be at least 1", (long long)o->width);
    }
    if ((o->model == TROP_TRAIN_SELF || o->model == TROP_TRAIN_KQ) &&
        (o->row < 0 || o->row >= data->T)) {
        return trop_fail(TROP_ERR_ARG, "row = %lld: the inputs have %lld tokens", (long long)o->row,
                         (long long)data->T);
    }
    if (data->y && data->labels > 1 && o->model != TROP_TRAIN_SEQUENCE) {
        return trop_fail(TROP_ERR_ARG, "data: a label for each token is for the model sequence");
    }
    /* The log-loss is about the attention that the label receives, which is positive. */
    if (!trop_loss_of(o->loss)->mass) {
        return TROP_OK;
    }
    if (!words) {
        return trop_fail(TROP_ERR_ARG,
                         "loss = log: is for next-token data, y h(o) may be negative");
    }
    for (int64_t i = 0; i < data->n; i++) {
        int stands = 0;
        for (int64_t t = 0; t < data->T; t++) {
            stands = stands || data->ids[i * data->T + t] == data->next[i];
        }
        if (!stands) {
            return trop_fail(TROP_ERR_ARG,
                             "loss = log: the word that follows input %lld (from 0) does not stand "
                             "in it, so that its loss is infinite",
                             (long long)i);
        }
    }
    return TROP_OK;
}

/* ---- sizes --------------------------------------------------------------------------------- */

static int is_prompt(const struct trop_data *data, const struct trop_attention_options *o)
{
    return o->model == TROP_TRAIN_PROMPT || (o->model == TROP_TRAIN_JOINT && !data->z);
}

static void add_tensor(struct trop_weights *shape, const char *name, int64_t rows, int64_t columns)
{
    shape->tensor[shape->count++] =
        (struct trop_tensor){ .name = name, .rows = rows, .columns = columns };
}

/* ---- memory -------------------------------------------------------------------------------- */

/* All arrays of doubles in one block; without a base parts are only counted. */
struct room {
    double *base;
    int64_t used;
};

/* The next part, of count numbers, rounded up to a multiple of 8. */
static double *part(struct room *room, int64_t count)
{
    double *begin = room->base ? room->base + room->used : NULL;

    room->used += trop_kernel_gradient_width(count);
    return begin;
}

/* Rows of T, one number for each ask, what is not by asks, and the arrays of each worker. */
static void give_arrays(struct trop_attention *a, const struct trop_data *data, struct room *room)
{
    const int64_t words = data->x ? 0 : 1; /* next-token data are spelt out */
    const int64_t rows = a->asks * a->stride;
    double **const of_tokens[] = { &a->s,    &a->weight, &a->gap,   &a->low,       &a->log_s,
                                   &a->lead, &a->score,  &a->value, &a->value_low, &a->less };
    double **const of_asks[] = { &a->sum,   &a->size, &a->mean,  &a->f,
                                 &a->slope, &a->rest, &a->reach, &a->scale };

    for (size_t k = 0; k < sizeof of_tokens / sizeof *of_tokens; k++) {
        *of_tokens[k] = part(room, rows);
    }
    for (size_t k = 0; k < sizeof of_asks / sizeof *of_asks; k++) {
        *of_asks[k] = part(room, a->asks);
    }
    a->pull = part(room, a->asks * a->along);
    a->parts_of_query.high = part(room, a->asks * a->across);
    a->parts_of_query.rest = part(room, a->asks * a->across);
    a->fixed = part(room, words * a->asks * a->T);
    a->o = part(room, a->asks * a->d);
    a->query = part(room, a->asks * a->d);
    a->label = part(room, a->asks);
    a->token = part(room, words * data->n * data->T * data->d);
    a->v = part(room, a->parts.heads * a->d);
    for (int64_t k = 0; k < a->workers; k++) {
        struct trop_attention_work *work = a->work + k;
        work->u = part(room, TROP_ATTENTION_BLOCK * a->along);
        work->u_low = part(room, TROP_ATTENTION_BLOCK * a->along);
        for (int j = 0; j < TROP_ATTENTION_BLOCK; j++) {
            work->x[j].high = part(room, a->longest);
            work->x[j].rest = part(room, a->longest);
        }
        work->inner = part(room, a->options.width);
        work->inner_low = part(room, a->options.width);
        work->slope = part(room, a->parts.heads * a->d);
    }
}

static enum trop_status allocate(struct trop_attention *a, const struct trop_data *data)
{
    struct room room = { NULL, 0 };
    const int64_t most = trop_alloc_product(
        a->asks, trop_alloc_product(64, a->stride + a->across + a->along + a->T * a->d));

    a->work = trop_alloc(a->workers, sizeof *a->work);
    /* The arrays of all asks must be fewer numbers than an index can count. */
    if (a->work && most >= 0 && most <= INT64_MAX / 64 && data->n <= a->asks) {
        give_arrays(a, data, &room);
        a->memory = trop_alloc(room.used, sizeof(double));
    }
    a->best = trop_alloc(a->asks, sizeof *a->best);
    a->led = trop_alloc(a->asks, sizeof *a->led);
    a->next = trop_alloc(a->asks, sizeof *a->next);
    a->counts = trop_alloc(a->asks, 1);
    if (!a->memory || !a->best || !a->led || !a->next || !a->counts) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a model of %lld inputs",
                         (long long)data->n);
    }
    trop_pages_large(a->memory, room.used);
    room = (struct room){ a->memory, 0 };
    give_arrays(a, data, &room);
    a->parts.v = a->v;
    return TROP_OK;
}

/* ---- contents ------------------------------------------------------------------------------- */

static void read_data(struct trop_attention *a, const struct trop_data *data)
{
    double *label = (double *)a->label, *query = (double *)a->query;
    const size_t row = (size_t)a->d * sizeof(double);

    for (int64_t q = 0; q < a->asks; q++) {
        const int64_t place = data->labels > 1 ? q : q / a->places;
        label[q] = data->y ? data->y[place] : 1;
    }
    if (!data->x) {
        /* Tokens, queries and scores of next-token data. */
        double *token = (double *)a->token, *fixed = (double *)a->fixed;
        for (int64_t i = 0; i < data->n; i++) {
            const int64_t *ids = data->ids + i * a->T;
            for (int64_t t = 0; t < a->T; t++) {
                memcpy(token + (i * a->T + t) * a->d, data->vocabulary + ids[t] * a->d, row);
                fixed[i * a->T + t] = ids[t] == data->next[i];
            }
            memcpy(query + i * a->d, data->vocabulary + ids[a->T - 1] * a->d, row);
        }
        a->key = a->token;
        return;
    }
    a->token = data->x;
    a->fixed = NULL;
    if (data->v) {
        memcpy(a->v, data->v, (size_t)(a->parts.heads * a->d) * sizeof *a->v);
    }
    if (is_prompt(data, &a->options)) {
        a->key = data->k ? data->k : data->x;
        a->query = NULL;
        return;
    }
    a->key = data->x;
    /* Query of each ask: the data's, or rows of the tokens. */
    const int own = a->options.model != TROP_TRAIN_SELF && data->z &&
                    (data->queries == a->places || a->places == 1);
    for (int64_t q = 0; q < a->asks; q++) {
        const int64_t i = q / a->places;
        const int64_t k = a->options.model == TROP_TRAIN_SEQUENCE ? q % a->places : a->options.row;
        const double *from = own ? data->z + q * a->d : data->x + (i * a->T + k) * a->d;
        memcpy(query + q * a->d, from, row);
    }
}

enum trop_status trop_attention_create(struct trop_attention **out, const struct trop_data *data,
                                       const struct trop_attention_options *options)
{
    enum trop_status status = check(data, options);

    if (status != TROP_OK) {
        return status;
    }
    struct trop_attention *a = trop_alloc(1, sizeof *a);
    if (!a) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a model");
    }
    a->options = *options;
    a->head = trop_head_of(options->head);
    a->loss = trop_loss_of(options->loss);
    a->kernel = trop_kernel_choose(0);
    const int prompt = is_prompt(data, &a->options);
    a->T = data->T;
    a->d = data->d;
    a->dk = prompt && data->k ? data->dk : data->d;
    a->places = a->options.model == TROP_TRAIN_SEQUENCE ? data->T : 1;
    a->asks = data->n * a->places;
    a->stride = trop_kernel_gradient_width(a->T);
    a->across = trop_kernel_gradient_width(a->d);
    a->along = trop_kernel_gradient_width(a->dk);
    a->workers = a->asks * a->T * a->dk < SMALL ? 1 : a->options.threads;
    a->longest = a->dk > a->d ? a->dk : a->d;
    a->longest = a->options.width > a->longest ? a->options.width : a->longest;
    a->parts.heads = trop_data_heads(data);
    a->parts.d = a->d;
    a->parts.lambda = a->options.lambda;
    if (a->options.model == TROP_TRAIN_KQ) {
        add_tensor(&a->shape, "K", a->d, a->options.width);
        add_tensor(&a->shape, "Q", a->d, a->options.width);
    } else if (prompt) {
        add_tensor(&a->shape, "p", a->dk, 1);
    } else {
        add_tensor(&a->shape, "W", a->d, a->d);
    }
    if (a->options.model == TROP_TRAIN_JOINT) {
        add_tensor(&a->shape, "v", a->d, 1);
    }
    status = allocate(a, data);
    if (status != TROP_OK) {
        trop_attention_free(a);
        return status;
    }
    read_data(a, data);
    const double query_shift =
        a->query ? trop_split_shift(trop_split_most(a->query, a->asks * a->d), a->d) : 0;
    a->key_shift = trop_split_shift(trop_split_most(a->key, data->n * a->T * a->dk), a->dk);
    for (int64_t q = 0; a->query && q < a->asks; q++) {
        a->kernel->gradient->split(
            &(struct trop_kernel_gradient_split){ a->parts_of_query.high + q * a->across,
                                                  a->parts_of_query.rest + q * a->across },
            a->query + q * a->d, NULL, a->d, query_shift);
    }
    for (int64_t q = 0; q < a->asks; q++) {
        a->led[q] = -1;
    }
    *out = a;
    return TROP_OK;
}

const struct trop_weights *trop_attention_shape(const struct trop_attention *a)
{
    return &a->shape;
}

int64_t trop_attention_asks(const struct trop_attention *a)
{
    return a->asks;
}
