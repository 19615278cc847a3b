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
#include "learn/attention_internal.h"

#include "base/alloc.h"
#include "base/status.h"
#include "learn/split.h"
#include "margin/data.h"

#include <string.h>

void trop_attention_free(struct trop_attention *a)
{
    if (!a) {
        return;
    }
    trop_alloc_free(a->memory);
    trop_alloc_free(a->best);
    trop_alloc_free(a->led);
    trop_alloc_free(a->counts);
    trop_alloc_free(a);
}

/* ---- checks -------------------------------------------------------------------------------- */

/* The log-loss is about the attention that the label receives, which is positive. */
static enum trop_status check_log(const struct trop_data *data,
                                  const struct trop_attention_options *o, int words)
{
    if (trop_loss_of(o->loss) != &trop_loss_log) {
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
    return check_log(data, o, words);
}

/* ---- sizes --------------------------------------------------------------------------------- */

static int is_prompt(const struct trop_data *data, const struct trop_attention_options *o)
{
    return o->model == TROP_TRAIN_PROMPT || (o->model == TROP_TRAIN_JOINT && !data->z);
}

static void measure(struct trop_attention *a, const struct trop_data *data)
{
    const int prompt = is_prompt(data, &a->options);

    a->T = data->T;
    a->d = data->d;
    a->dk = prompt && data->k ? data->dk : data->d;
    a->places = a->options.model == TROP_TRAIN_SEQUENCE ? data->T : 1;
    a->asks = data->n * a->places;
    a->longest = a->dk > a->d ? a->dk : a->d;
    a->longest = a->options.width > a->longest ? a->options.width : a->longest;
    a->parts.heads = trop_data_heads(data);
    a->parts.d = a->d;
    a->parts.lambda = a->options.lambda;
}

static void add_tensor(struct trop_weights *shape, const char *name, int64_t rows, int64_t columns)
{
    shape->tensor[shape->count++] =
        (struct trop_tensor){ .name = name, .rows = rows, .columns = columns };
}

static void make_shape(struct trop_attention *a, const struct trop_data *data)
{
    if (a->options.model == TROP_TRAIN_KQ) {
        add_tensor(&a->shape, "K", a->d, a->options.width);
        add_tensor(&a->shape, "Q", a->d, a->options.width);
    } else if (is_prompt(data, &a->options)) {
        add_tensor(&a->shape, "p", a->dk, 1);
    } else {
        add_tensor(&a->shape, "W", a->d, a->d);
    }
    if (a->options.model == TROP_TRAIN_JOINT) {
        add_tensor(&a->shape, "v", a->d, 1);
    }
}

/* ---- memory -------------------------------------------------------------------------------- */

/* All arrays of doubles in one block: *at moves on. */
static double *part(double **at, int64_t count)
{
    double *begin = *at;

    *at += count;
    return begin;
}

static enum trop_status allocate(struct trop_attention *a, const struct trop_data *data)
{
    const int64_t words = data->x ? 0 : 1; /* next-token data are spelt out */
    const int64_t per_ask = (8 + words) * a->T + 2 * a->d + 3;
    const int64_t tokens = words * data->n * data->T * data->d;
    const int64_t decoder = a->parts.heads * a->d;
    const int64_t total = trop_alloc_product(a->asks, per_ask);
    const int64_t rest =
        tokens + 2 * decoder + 3 * a->dk + 2 * a->options.width + 2 * a->longest + 2 * TROP_LANES;

    a->memory =
        total < 0 || total > INT64_MAX - rest ? NULL : trop_alloc(total + rest, sizeof(double));
    a->best = trop_alloc(a->asks, sizeof *a->best);
    a->led = trop_alloc(a->asks, sizeof *a->led);
    a->counts = trop_alloc(a->asks, 1);
    if (!a->memory || !a->best || !a->led || !a->counts) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a model of %lld inputs",
                         (long long)data->n);
    }
    const int64_t padded = (a->asks * a->T + TROP_LANES - 1) / TROP_LANES * TROP_LANES;
    double *at = a->memory;
    a->s = part(&at, padded);
    a->weight = part(&at, padded);
    a->gap = part(&at, a->asks * a->T);
    a->low = part(&at, a->asks * a->T);
    a->log_s = part(&at, a->asks * a->T);
    a->lead = part(&at, a->asks * a->T);
    a->score = part(&at, a->asks * a->T);
    a->less = part(&at, a->asks * a->T);
    a->fixed = part(&at, words * a->asks * a->T);
    a->o = part(&at, a->asks * a->d);
    a->query = part(&at, a->asks * a->d);
    a->f = part(&at, a->asks);
    a->rest = part(&at, a->asks);
    a->label = part(&at, a->asks);
    a->token = part(&at, tokens);
    a->v = part(&at, decoder);
    a->slope = part(&at, decoder);
    a->u = part(&at, a->dk);
    a->u_low = part(&at, a->dk);
    a->pull = part(&at, a->dk);
    a->inner = part(&at, a->options.width);
    a->inner_low = part(&at, a->options.width);
    a->high = part(&at, 2 * a->longest);
    a->parts.v = a->v;
    return TROP_OK;
}

/* ---- contents ------------------------------------------------------------------------------- */

/* Tokens, queries and scores of next-token data. */
static void read_words(struct trop_attention *a, const struct trop_data *data)
{
    double *token = (double *)a->token, *query = (double *)a->query, *fixed = (double *)a->fixed;
    const size_t row = (size_t)a->d * sizeof(double);

    for (int64_t i = 0; i < data->n; i++) {
        const int64_t *ids = data->ids + i * a->T;
        for (int64_t t = 0; t < a->T; t++) {
            memcpy(token + (i * a->T + t) * a->d, data->vocabulary + ids[t] * a->d, row);
            fixed[i * a->T + t] = ids[t] == data->next[i];
        }
        memcpy(query + i * a->d, data->vocabulary + ids[a->T - 1] * a->d, row);
    }
    a->key = a->token;
}

/* Query of each ask: the data's, or rows of the tokens. */
static void read_queries(struct trop_attention *a, const struct trop_data *data)
{
    const int own = a->options.model != TROP_TRAIN_SELF && data->z &&
                    (data->queries == a->places || a->places == 1);
    double *query = (double *)a->query;

    for (int64_t q = 0; q < a->asks; q++) {
        const int64_t i = q / a->places, k = a->places > 1 ? q % a->places : a->options.row;
        const double *from = own ? data->z + q * a->d : data->x + (i * a->T + k) * a->d;
        memcpy(query + q * a->d, from, (size_t)a->d * sizeof *query);
    }
}

static void read_data(struct trop_attention *a, const struct trop_data *data)
{
    double *label = (double *)a->label;

    for (int64_t q = 0; q < a->asks; q++) {
        const int64_t place = data->labels > 1 ? q : q / a->places;
        label[q] = data->y ? data->y[place] : 1;
    }
    if (!data->x) {
        read_words(a, data);
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
    read_queries(a, data);
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
    measure(a, data);
    make_shape(a, data);
    status = allocate(a, data);
    if (status != TROP_OK) {
        trop_attention_free(a);
        return status;
    }
    read_data(a, data);
    a->key_shift = trop_split_shift(trop_split_most(a->key, data->n * a->T * a->dk), a->dk);
    a->query_shift =
        a->query ? trop_split_shift(trop_split_most(a->query, a->asks * a->d), a->d) : 0;
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
