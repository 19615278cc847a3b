/* transformer_attention.c -- the heads of a layer.
 *
 *   s_ij = scale <q_i, k_j> for the keys that row i sees,  o_i = sum_j softmax_j(s_ij) v_j
 *
 * A score is one chain of fma over the coordinates; a row's exponentials are summed in eight lanes
 * (kernel_sequence.h), its values in the order of the tokens. Rows go in blocks of BLOCK, of one
 * head each, which workers share; where the ranges fall changes nothing.
 */
#include "model/net/transformer_internal.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "base/status.h"

#define BLOCK 48 /* rows of a head at once: a multiple of the kernel's six */

/* One layer's attention under way. */
struct work {
    const struct trop_transformer *model;
    const struct trop_architecture_config *config;
    struct trop_transformer_attention *at;
    const struct trop_transformer_block *block;
    const double *x; /* (n, width) */
    int64_t n, columns, wide;
    int64_t window;
    double scale;
    double *fused;  /* (n, block->qkv.stride): queries, keys, values of each token */
    double *turned; /* (kv_heads, head, columns): keys by coordinate */
    double *padded; /* (kv_heads, n, wide): values, rows padded */
    double *score;  /* (workers, BLOCK, columns) */
    double *sum;    /* (workers, BLOCK, wide) */
};

enum trop_status trop_transformer_attention_create(struct trop_transformer_attention *out,
                                                   const struct trop_architecture_config *c,
                                                   int64_t n)
{
    const int64_t q = trop_alloc_product(n, c->heads * c->head);
    const int64_t kv = trop_alloc_product(n, c->kv_heads * c->head);

    if (q >= 0 && kv >= 0 &&
        TROP_ALLOC(TROP_PART(out->q, q), TROP_PART(out->k, kv), TROP_PART(out->v, kv),
                   TROP_PART(out->context, q))) {
        return TROP_OK;
    }
    trop_transformer_attention_free(out);
    return trop_fail(TROP_ERR_MEMORY, "no memory for the attention of %lld tokens", (long long)n);
}

void trop_transformer_attention_free(struct trop_transformer_attention *at)
{
    TROP_FREE(at->q, at->k, at->v, at->context, at->best);
    *at = (struct trop_transformer_attention){ 0 };
}

double trop_transformer_scale(const struct trop_architecture_config *config, int64_t layer)
{
    return config->scale_by_layer ? config->scale / (double)(layer + 1) : config->scale;
}

/* ---- queries, keys and values --------------------------------------------------------------- */

/* Vector h of token i, to its place, turned where the model turns it. */
static void place(double *to, const double *from, int64_t position, int turned,
                  const struct work *w)
{
    memcpy(to, from, (size_t)w->config->head * sizeof *to);
    if (turned && w->model->frequency) {
        trop_transformer_rotate(to, w->model->frequency, position, w->config);
    }
}

static void project(void *context, int64_t first, int64_t last, int64_t worker)
{
    const struct work *w = context;
    const struct trop_architecture_config *c = w->config;
    const int64_t stride = w->block->qkv.stride, d = c->head;

    (void)worker;
    trop_transformer_product(w->fused + first * stride, stride, w->x + first * c->width, c->width,
                             last - first, &w->block->qkv, w->model->kernel);
    for (int64_t i = first; i < last; i++) {
        const double *from = w->fused + i * stride;
        for (int64_t h = 0; h < c->heads; h++, from += d) {
            place(w->at->q + (h * w->n + i) * d, from, i, 1, w);
        }
        for (int64_t h = 0; h < c->kv_heads; h++, from += d) {
            double *k = w->at->k + (h * w->n + i) * d;
            place(k, from, i, 1, w);
            for (int64_t e = 0; e < d; e++) {
                w->turned[(h * d + e) * w->columns + i] = k[e];
            }
        }
        for (int64_t h = 0; h < c->kv_heads; h++, from += d) {
            double *v = w->at->v + (h * w->n + i) * d;
            place(v, from, i, 0, w);
            memcpy(w->padded + (h * w->n + i) * w->wide, v, (size_t)d * sizeof *v);
        }
    }
}

/* ---- rows -------------------------------------------------------------------------------------
 */

/* Scores of one row (count of them), scaled, and what it does not see masked. */
static void mask(double *row, int64_t i, int64_t count, const struct work *w)
{
    for (int64_t j = 0; j < count; j++) {
        const int64_t behind = i - j;
        const int unseen = (w->config->causal && behind < 0) ||
                           (w->window > 0 && (behind >= w->window || -behind >= w->window));
        row[j] = unseen ? -INFINITY : w->scale * row[j];
    }
}

/* The first of the largest scores of a row; there is one that is seen. */
static int64_t best_of(const double *row, int64_t count)
{
    int64_t best = 0;

    for (int64_t j = 1; j < count; j++) {
        best = row[j] > row[best] ? j : best;
    }
    return best;
}

/* Rows first to last - 1 of head h. */
static void attend_rows(const struct work *w, int64_t h, int64_t first, int64_t last,
                        int64_t worker)
{
    const struct trop_architecture_config *c = w->config;
    const int64_t d = c->head, shared = h / (c->heads / c->kv_heads);
    const int64_t count = c->causal ? last : w->n, rows = last - first;
    double *score = w->score + worker * BLOCK * w->columns,
           *sum = w->sum + worker * BLOCK * w->wide;

    w->model->kernel->product(&(struct trop_kernel_sequence_product){
        .c = score,
        .c_stride = w->columns,
        .a = w->at->q + (h * w->n + first) * d,
        .a_row = d,
        .a_column = 1,
        .b = w->turned + shared * d * w->columns,
        .b_stride = w->columns,
        .m = rows,
        .n = trop_transformer_padded(count),
        .inner = d,
    });
    for (int64_t i = 0; i < rows; i++) {
        mask(score + i * w->columns, first + i, count, w);
        if (w->at->best) {
            w->at->best[h * w->n + first + i] = best_of(score + i * w->columns, count);
        }
        w->model->kernel->softmax(score + i * w->columns, count);
    }
    w->model->kernel->product(&(struct trop_kernel_sequence_product){
        .c = sum,
        .c_stride = w->wide,
        .a = score,
        .a_row = w->columns,
        .a_column = 1,
        .b = w->padded + shared * w->n * w->wide,
        .b_stride = w->wide,
        .m = rows,
        .n = w->wide,
        .inner = count,
    });
    for (int64_t i = 0; i < rows; i++) {
        memcpy(w->at->context + ((first + i) * c->heads + h) * d, sum + i * w->wide,
               (size_t)d * sizeof *sum);
    }
}

/* Block b is rows of one head; those of long rows and of short ones come in turn. */
static void attend(void *context, int64_t first, int64_t last, int64_t worker)
{
    const struct work *w = context;

    for (int64_t b = first; b < last; b++) {
        const int64_t row = b / w->config->heads * BLOCK, h = b % w->config->heads;
        attend_rows(w, h, row, row + BLOCK < w->n ? row + BLOCK : w->n, worker);
    }
}

enum trop_status trop_transformer_attend(struct trop_transformer_attention *out,
                                         const struct trop_transformer *model, const double *x,
                                         int64_t n, int64_t layer,
                                         const struct trop_transformer_block *block)
{
    const struct trop_architecture_config *c = &model->config;
    struct work w = {
        .model = model,
        .config = c,
        .at = out,
        .block = block,
        .x = x,
        .n = n,
        .columns = trop_transformer_padded(n),
        .wide = trop_transformer_padded(c->head),
        .window = c->window[layer],
        .scale = trop_transformer_scale(c, layer),
    };
    const int64_t workers = model->threads;
    enum trop_status status = TROP_OK;

    if (TROP_ALLOC(TROP_PART(w.fused, n * block->qkv.stride),
                   TROP_PART(w.turned, c->kv_heads * c->head * w.columns),
                   TROP_PART(w.padded, c->kv_heads * n * w.wide),
                   TROP_PART(w.score, workers * BLOCK * w.columns),
                   TROP_PART(w.sum, workers * BLOCK * w.wide))) {
        trop_parallel(workers, n, project, &w);
        trop_parallel(workers, (n + BLOCK - 1) / BLOCK * c->heads, attend, &w);
    } else {
        status =
            trop_fail(TROP_ERR_MEMORY, "no memory for the attention of %lld tokens", (long long)n);
    }
    TROP_FREE(w.fused, w.turned, w.padded, w.score, w.sum);
    return status;
}
