/* transformer_layer.c -- what the heads of a layer were given, and a head made hard.
 *
 * The norm that feeds the heads of layer l stands in layer l where norms stand before, and where
 * they stand behind at the end of layer l - 1, or of the embeddings. With its gain g and bias b,
 * the query of a row x^ is W_Q (g x^ + b) + b_Q = (W_Q diag g) x^ + (W_Q b + b_Q): gain and bias go
 * into the matrices that head.h has.
 */
#include "model/net/transformer_internal.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/status.h"

struct trop_transformer_layer {
    const struct trop_transformer_pass *pass;
    int64_t layer;
    const struct trop_transformer_block *block;
    struct trop_transformer_attention at;
    double *hat;   /* (n, width) */
    double *wq;    /* (heads, head, width) */
    double *bq;    /* (heads, head) */
    double *wk;    /* (kv_heads, head, width) */
    double *wo;    /* (heads, width, head) */
    double *angle; /* (n, head / 2) */
};

/* Columns of qkv from `first` on, as rows, times the gain. */
static void fold(double *out, double *bias, const struct trop_transformer_matrix *m, int64_t first,
                 int64_t count, const struct trop_transformer_gain *gain)
{
    for (int64_t c = 0; c < count; c++) {
        double sum = m->b[first + c];
        for (int64_t k = 0; k < m->in; k++) {
            const double w = *trop_transformer_at(m, k, first + c);
            out[c * m->in + k] = w * gain->gain[k];
            sum = fma(w, gain->bias[k], sum);
        }
        if (bias) {
            bias[c] = sum;
        }
    }
}

static void fill_heads(struct trop_transformer_layer *l, const struct trop_transformer_gain *gain)
{
    const struct trop_transformer *model = l->pass->model;
    const struct trop_architecture_config *c = &model->config;
    const struct trop_transformer_matrix *out = &l->block->out;
    const int64_t q = c->heads * c->head, kv = c->kv_heads * c->head, d = c->head;

    fold(l->wq, l->bq, &l->block->qkv, 0, q, gain);
    fold(l->wk, NULL, &l->block->qkv, q, kv, gain);
    for (int64_t h = 0; h < c->heads; h++) {
        for (int64_t r = 0; r < c->width; r++) {
            for (int64_t e = 0; e < d; e++) {
                l->wo[(h * c->width + r) * d + e] = *trop_transformer_at(out, h * d + e, r);
            }
        }
    }
    for (int64_t i = 0; model->frequency && i < l->pass->n; i++) {
        for (int64_t p = 0; p < d / 2; p++) {
            l->angle[i * (d / 2) + p] = (double)i * model->frequency[p];
        }
    }
}

/* The norm that feeds the heads where norms stand behind: of the layer before, or the first. */
static enum trop_status gain_before(struct trop_transformer_gain *out,
                                    const struct trop_transformer *model, int64_t layer)
{
    return layer == 0
               ? trop_transformer_gain_load(out, model, TROP_ARCHITECTURE_FIRST_NORM, 0)
               : trop_transformer_gain_load(out, model, TROP_ARCHITECTURE_MLP_NORM, layer - 1);
}

/* Everything but memory, which is there. */
static enum trop_status fill(struct trop_transformer_layer *l)
{
    const struct trop_transformer_pass *pass = l->pass;
    const struct trop_architecture_config *c = &pass->model->config;
    const int64_t size = pass->n * c->width;
    const double *x = pass->stream + l->layer * size;
    struct trop_transformer_gain gain = { 0 };
    double *fed = NULL;
    enum trop_status status = TROP_OK;

    if (c->post) {
        status = gain_before(&gain, pass->model, l->layer);
        memcpy(l->hat, pass->hat + l->layer * size, (size_t)size * sizeof *x);
    } else {
        fed = trop_alloc(size, sizeof *fed);
        if (!fed) {
            return trop_fail(TROP_ERR_MEMORY, "no memory for %lld tokens", (long long)pass->n);
        }
        trop_transformer_feed(fed, l->hat, x, pass->n, c, l->block);
    }
    if (status == TROP_OK) {
        status = trop_transformer_attend(&l->at, pass->model, c->post ? x : fed, pass->n, l->layer,
                                         l->block);
    }
    if (status == TROP_OK) {
        fill_heads(l, c->post ? &gain : &l->block->attention);
    }
    trop_transformer_gain_free(&gain);
    trop_alloc_free(fed);
    return status;
}

static enum trop_status create(struct trop_transformer_layer *l)
{
    const struct trop_architecture_config *c = &l->pass->model->config;
    const int64_t n = l->pass->n, q = c->heads * c->head, kv = c->kv_heads * c->head;
    enum trop_status status = trop_transformer_take(&l->block, l->pass->model, l->layer);

    if (status == TROP_OK) {
        status = trop_transformer_attention_create(&l->at, c, n);
    }
    if (status == TROP_OK &&
        !TROP_ALLOC(TROP_PART(l->hat, n * c->width), TROP_PART(l->wq, q * c->width),
                    TROP_PART(l->bq, q), TROP_PART(l->wk, kv * c->width),
                    TROP_PART(l->wo, q * c->width), TROP_PART(l->at.best, c->heads * n),
                    TROP_PART(l->angle, n * (c->head / 2)))) {
        status = trop_fail(TROP_ERR_MEMORY, "no memory for the heads of layer %lld",
                           (long long)l->layer);
    }
    return status == TROP_OK ? fill(l) : status;
}

enum trop_status trop_transformer_layer(struct trop_transformer_layer **out,
                                        const struct trop_transformer_pass *pass, int64_t layer)
{
    if (layer < 0 || layer >= pass->model->config.layers) {
        return trop_fail(TROP_ERR_ARG, "layer %lld: must be from 0 to %lld", (long long)layer,
                         (long long)pass->model->config.layers - 1);
    }
    struct trop_transformer_layer *l = trop_alloc(1, sizeof *l);
    if (!l) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for layer %lld", (long long)layer);
    }
    l->pass = pass;
    l->layer = layer;
    const enum trop_status status = create(l);
    if (status != TROP_OK) {
        trop_transformer_layer_free(l);
        return status;
    }
    *out = l;
    return TROP_OK;
}

void trop_transformer_layer_free(struct trop_transformer_layer *l)
{
    if (l) {
        if (l->block) {
            trop_transformer_give(l->pass->model, l->layer);
        }
        trop_transformer_attention_free(&l->at);
        TROP_FREE(l->hat, l->wq, l->bq, l->wk, l->wo, l->angle, l);
    }
}

void trop_transformer_head(struct trop_head_input *out, const struct trop_transformer_layer *l,
                           int64_t h)
{
    const struct trop_transformer *model = l->pass->model;
    const struct trop_architecture_config *c = &model->config;
    const int64_t n = l->pass->n, d = c->head, shared = h / (c->heads / c->kv_heads);

    *out = (struct trop_head_input){
        .n = n,
        .d = d,
        .q = l->at.q + h * n * d,
        .k = l->at.k + shared * n * d,
        .v = l->at.v + shared * n * d,
        .scale = trop_transformer_scale(c, l->layer),
        .causal = c->causal,
        .window = c->window[l->layer],
        .width = c->width,
        .hat = l->hat,
        .wq = l->wq + h * d * c->width,
        .bq = l->bq + h * d,
        .wk = l->wk + shared * d * c->width,
        .wo = l->wo + h * c->width * d,
        .angle = model->frequency ? l->angle : NULL,
        .halves = c->rotation.halves,
    };
}

/* ---- a head made hard ------------------------------------------------------------------------ */

const int64_t *trop_transformer_selected(const struct trop_transformer_layer *l, int64_t h)
{
    return l->at.best + h * l->pass->n;
}

/* The context of the layer with that of head h replaced by the values that its rows select. */
static void replace(double *context, const struct trop_transformer_layer *l, int64_t h)
{
    const struct trop_architecture_config *c = &l->pass->model->config;
    const int64_t q = c->heads * c->head, n = l->pass->n;
    const int64_t *best = trop_transformer_selected(l, h);
    const double *v = l->at.v + h / (c->heads / c->kv_heads) * n * c->head;

    memcpy(context, l->at.context, (size_t)(n * q) * sizeof *context);
    for (int64_t i = 0; i < n; i++) {
        memcpy(context + i * q + h * c->head, v + best[i] * c->head, (size_t)c->head * sizeof *v);
    }
}

enum trop_status trop_transformer_patch(double *hidden, const struct trop_transformer_layer *l,
                                        int64_t h)
{
    const struct trop_transformer *model = l->pass->model;
    const struct trop_architecture_config *c = &model->config;
    const int64_t n = l->pass->n, size = n * c->width;
    double *x[2] = { NULL, NULL }, *context = NULL;
    enum trop_status status = TROP_OK;

    if (h < 0 || h >= c->heads) {
        return trop_fail(TROP_ERR_ARG, "head %lld: must be from 0 to %lld", (long long)h,
                         (long long)c->heads - 1);
    }
    if (TROP_ALLOC(TROP_PART(x[0], size), TROP_PART(x[1], size),
                   TROP_PART(context, n * c->heads * c->head))) {
        replace(context, l, h);
        status = trop_transformer_finish(x[0], NULL, l->pass->stream + l->layer * size, context, n,
                                         model, l->block);
    } else {
        status = trop_fail(TROP_ERR_MEMORY, "no memory for %lld tokens", (long long)n);
    }
    int64_t from = 0;
    for (int64_t k = l->layer + 1; k < c->layers && status == TROP_OK; k++, from = 1 - from) {
        status = trop_transformer_step(x[1 - from], NULL, x[from], n, model, k);
    }
    if (status == TROP_OK) {
        status = trop_transformer_last(hidden, x[from], n, model);
    }
    TROP_FREE(x[0], x[1], context);
    return status;
}
