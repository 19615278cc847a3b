/* transformer_step.c -- one layer: attention, what follows it, and both ends of the model. */
#include "model/net/transformer_internal.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "base/status.h"

#define ROWS 96 /* tokens of the MLP at once: their inner states stay in the cache */

/* ---- behind the heads ----------------------------------------------------------------------- */

/* The rest of a layer under way. */
struct rest {
    const struct trop_transformer *model;
    const struct trop_transformer_block *block;
    const double *x, *context;
    double *y, *hat;
    /* (workers, ROWS, ...): scratch of a worker. */
    double *narrow; /* (..., out.stride): what is added to the stream */
    double *input;  /* (..., width): what the MLP reads */
    double *inner;  /* (..., up.stride) */
    double *gate;   /* (..., up.stride) */
};

/* x (count, a multiple of TROP_LANES) through the activation, in place. */
static void activate(double *x, int64_t count, const struct trop_transformer *model)
{
    switch ((enum trop_architecture_activation)model->config.activation) {
    case TROP_ARCHITECTURE_GELU:
        model->activation->gelu(x, count);
        break;
    case TROP_ARCHITECTURE_GELU_TANH:
        model->activation->gelu_tanh(x, count);
        break;
    case TROP_ARCHITECTURE_SILU:
        model->activation->silu(x, count);
        break;
    case TROP_ARCHITECTURE_RELU:
        for (int64_t k = 0; k < count; k++) {
            x[k] = x[k] > 0 ? x[k] : 0;
        }
        break;
    }
}

/* inner = the MLP's inner states of rows of input. */
static void mlp_inner(double *inner, double *gate, const double *input, int64_t rows,
                      const struct rest *r)
{
    const struct trop_architecture_config *c = &r->model->config;
    const int64_t stride = r->block->up.stride;

    trop_transformer_product(inner, stride, input, c->width, rows, &r->block->up, r->model->kernel);
    if (!c->gated) {
        activate(inner, rows * stride, r->model);
        return;
    }
    trop_transformer_product(gate, stride, input, c->width, rows, &r->block->gate,
                             r->model->kernel);
    activate(gate, rows * stride, r->model);
    for (int64_t k = 0; k < rows * stride; k++) {
        inner[k] *= gate[k];
    }
}

/* y = x + add, and behind the sum its norm where norms stand there. y may be x. */
static void add_rows(double *y, double *hat, const double *x, const double *add, int64_t rows,
                     const struct trop_transformer_gain *gain, const struct rest *r)
{
    const struct trop_architecture_config *c = &r->model->config;
    const int64_t stride = trop_transformer_padded(c->width);

    for (int64_t i = 0; i < rows; i++) {
        double *to = y + i * c->width;
        for (int64_t k = 0; k < c->width; k++) {
            to[k] = x[i * c->width + k] + add[i * stride + k];
        }
        if (c->post) {
            trop_transformer_norm(hat ? hat + i * c->width : NULL, to, to, gain, c);
        }
    }
}

static void finish_rows(const struct rest *r, int64_t first, int64_t rows, int64_t worker)
{
    const struct trop_architecture_config *c = &r->model->config;
    const struct trop_transformer_block *b = r->block;
    const int64_t width = c->width;
    double *narrow = r->narrow + worker * ROWS * b->out.stride;
    double *input = r->input + worker * ROWS * width;
    double *inner = r->inner + worker * ROWS * b->up.stride;
    double *gate = r->gate + worker * ROWS * b->up.stride;
    double *y = r->y + first * width;

    trop_transformer_product(narrow, b->out.stride, r->context + first * c->heads * c->head,
                             c->heads * c->head, rows, &b->out, r->model->kernel);
    add_rows(y, NULL, r->x + first * width, narrow, rows, &b->attention, r);
    if (c->post) {
        memcpy(input, y, (size_t)(rows * width) * sizeof *y);
    } else {
        for (int64_t i = 0; i < rows; i++) {
            trop_transformer_norm(NULL, input + i * width, y + i * width, &b->mlp, c);
        }
    }
    mlp_inner(inner, gate, input, rows, r);
    trop_transformer_product(narrow, b->down.stride, inner, b->up.stride, rows, &b->down,
                             r->model->kernel);
    add_rows(y, r->hat ? r->hat + first * width : NULL, y, narrow, rows, &b->mlp, r);
}

static void finish(void *context, int64_t first, int64_t last, int64_t worker)
{
    for (int64_t i = first; i < last; i += ROWS) {
        finish_rows(context, i, last - i < ROWS ? last - i : ROWS, worker);
    }
}

enum trop_status trop_transformer_finish(double *y, double *hat, const double *x,
                                         const double *context, int64_t n,
                                         const struct trop_transformer *model,
                                         const struct trop_transformer_block *block)
{
    const int64_t rows = model->threads * ROWS;
    struct rest r = {
        .model = model, .block = block, .x = x, .context = context, .y = y, .hat = hat
    };
    enum trop_status status = TROP_OK;

    if (TROP_ALLOC(TROP_PART(r.narrow, rows * block->out.stride),
                   TROP_PART(r.input, rows * model->config.width),
                   TROP_PART(r.inner, rows * block->up.stride),
                   TROP_PART(r.gate, rows * block->up.stride))) {
        trop_parallel(model->threads, n, finish, &r);
    } else {
        status = trop_fail(TROP_ERR_MEMORY, "no memory for the MLP of %lld tokens", (long long)n);
    }
    TROP_FREE(r.narrow, r.input, r.inner, r.gate);
    return status;
}

/* ---- a whole layer -------------------------------------------------------------------------- */

void trop_transformer_feed(double *fed, double *hat, const double *x, int64_t n,
                           const struct trop_architecture_config *c,
                           const struct trop_transformer_block *block)
{
    for (int64_t i = 0; i < n; i++) {
        trop_transformer_norm(hat ? hat + i * c->width : NULL, fed + i * c->width, x + i * c->width,
                              &block->attention, c);
    }
}

static enum trop_status check_finite(const double *x, int64_t count, int64_t layer)
{
    double sum = 0;

    for (int64_t k = 0; k < count; k++) {
        sum += 0 * x[k];
    }
    return sum == 0 ? TROP_OK
                    : trop_fail(TROP_ERR_IO, "layer %lld: its numbers leave the range of double",
                                (long long)layer);
}

enum trop_status trop_transformer_step(double *y, double *hat, const double *x, int64_t n,
                                       const struct trop_transformer *model, int64_t layer)
{
    const struct trop_architecture_config *c = &model->config;
    struct trop_transformer_attention at = { 0 };
    const struct trop_transformer_block *block;
    enum trop_status status = trop_transformer_take(&block, model, layer);

    if (status != TROP_OK) {
        return status;
    }
    double *fed = trop_alloc(n * c->width, sizeof *fed);
    status = fed ? trop_transformer_attention_create(&at, c, n)
                 : trop_fail(TROP_ERR_MEMORY, "no memory for %lld tokens", (long long)n);
    if (status == TROP_OK && !c->post) {
        trop_transformer_feed(fed, NULL, x, n, c, block);
    }
    if (status == TROP_OK) {
        status = trop_transformer_attend(&at, model, c->post ? x : fed, n, layer, block);
    }
    if (status == TROP_OK) {
        status = trop_transformer_finish(y, hat, x, at.context, n, model, block);
    }
    if (status == TROP_OK) {
        status = check_finite(y, n * c->width, layer);
    }
    trop_transformer_attention_free(&at);
    trop_transformer_give(model, layer);
    trop_alloc_free(fed);
    return status;
}

enum trop_status trop_transformer_last(double *hidden, const double *x, int64_t n,
                                       const struct trop_transformer *model)
{
    const struct trop_architecture_config *c = &model->config;
    struct trop_transformer_gain gain = { 0 };

    if (c->post) {
        memcpy(hidden, x, (size_t)(n * c->width) * sizeof *x);
        return TROP_OK;
    }
    const enum trop_status status =
        trop_transformer_gain_load(&gain, model, TROP_ARCHITECTURE_LAST_NORM, 0);
    for (int64_t i = 0; i < n && status == TROP_OK; i++) {
        trop_transformer_norm(NULL, hidden + i * c->width, x + i * c->width, &gain, c);
    }
    trop_transformer_gain_free(&gain);
    return status;
}
