/* transformer_block.c -- the weights of one layer, as doubles and (in, out).
 *
 * Files keep a matrix (out, in), or (in, out) in GPT-2. Rows are converted by several workers, each
 * to its own columns.
 */
#include "model/net/transformer_internal.h"

#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "base/status.h"

static enum trop_status no_memory(const struct trop_safetensors_entry *entry)
{
    return trop_fail(TROP_ERR_MEMORY, "%s: tensor %.200s: no memory for its numbers", entry->file,
                     entry->name);
}

/* ---- one tensor ----------------------------------------------------------------------------- */

#define ROWS 8 /* of the file at a time: a line of the cache for each row of w */

/* A tensor on its way into columns first, first + 1, ... of a matrix. */
struct filling {
    struct trop_transformer_matrix *m;
    const struct trop_safetensors_entry *entry;
    int64_t first, count; /* columns of m */
    int conv;             /* the file has rows of m */
    double *row;          /* (workers, ROWS, in), scratch */
    int64_t workers;
};

static void fill_columns(void *context, int64_t first, int64_t last, int64_t worker)
{
    const struct filling *f = context;
    const struct trop_transformer_matrix *m = f->m;
    double *rows = f->row + worker * ROWS * m->in;

    for (int64_t i = first; i < last; i++) {
        const int64_t c = i * ROWS, some = f->count - c < ROWS ? f->count - c : ROWS;
        trop_number_copy(rows, f->entry->bytes + c * m->in * trop_number_width[f->entry->type],
                         f->entry->type, some * m->in);
        for (int64_t r = 0; r < some; r++) {
            int64_t wide;
            const int64_t column = f->first + c + r;
            double *to = trop_transformer_panel(&wide, m, column) + column % TROP_TRANSFORMER_PANEL;
            for (int64_t k = 0; k < m->in; k++) {
                to[k * wide] = rows[r * m->in + k];
            }
        }
    }
}

static void fill_rows(void *context, int64_t first, int64_t last, int64_t worker)
{
    const struct filling *f = context;
    const int64_t size = trop_number_width[f->entry->type];

    (void)worker;
    for (int64_t k = first; k < last; k++) {
        for (int64_t c = 0; c < f->count; c += TROP_TRANSFORMER_PANEL) {
            const int64_t left = f->count - c;
            trop_number_copy(trop_transformer_at(f->m, k, c),
                             f->entry->bytes + (k * f->count + c) * size, f->entry->type,
                             left < TROP_TRANSFORMER_PANEL ? left : TROP_TRANSFORMER_PANEL);
        }
    }
}

/* Sums of products with 0 find what is not finite; where, is then asked element by element. */
static enum trop_status check_finite(const struct filling *f)
{
    double sum = 0;

    for (int64_t k = 0; k < f->m->in * f->m->stride; k++) {
        sum += 0 * f->m->w[k];
    }
    if (sum == 0) {
        return TROP_OK;
    }
    double one;
    enum trop_status status = TROP_OK;
    for (int64_t k = 0; k < f->entry->count && status == TROP_OK; k++) {
        status = trop_tensors_copy(&one, f->entry, k, 1);
    }
    return status;
}

/* Columns first to first + count - 1 of m from the tensor of a role, and its bias from the next. */
static enum trop_status fill(struct trop_transformer_matrix *m,
                             const struct trop_transformer *model, int64_t role, int64_t layer,
                             int64_t first, int64_t count, int64_t biased)
{
    const int conv = model->config.conv != 0;
    struct filling f = { .m = m, .first = first, .count = count, .conv = conv };
    const struct trop_safetensors_entry *bias = NULL;
    enum trop_status status = trop_transformer_find(&f.entry, model, role, layer,
                                                    conv ? m->in : count, conv ? count : m->in);

    if (status == TROP_OK && biased) {
        status = trop_transformer_find(&bias, model, role + 1, layer, count, 0);
    }
    if (status == TROP_OK && bias) {
        status = trop_tensors_copy(m->b + first, bias, 0, count);
    }
    if (status != TROP_OK) {
        return status;
    }
    f.row = trop_alloc(model->threads * ROWS * (conv ? 0 : m->in), sizeof *f.row);
    if (!f.row) {
        return no_memory(f.entry);
    }
    if (conv) {
        trop_parallel(model->threads, m->in, fill_rows, &f);
    } else {
        trop_parallel(model->threads, (count + ROWS - 1) / ROWS, fill_columns, &f);
    }
    trop_alloc_free(f.row);
    return check_finite(&f);
}

/* ---- matrices ------------------------------------------------------------------------------- */

static enum trop_status matrix_create(struct trop_transformer_matrix *m, int64_t in, int64_t out)
{
    m->in = in;
    m->out = out;
    m->stride = trop_transformer_padded(out);
    const int64_t size = trop_alloc_product(in, m->stride);
    return size >= 0 && TROP_ALLOC(TROP_PART(m->w, size), TROP_PART(m->b, m->stride))
               ? TROP_OK
               : trop_fail(TROP_ERR_MEMORY, "no memory for a matrix of %lld x %lld", (long long)in,
                           (long long)out);
}

/* A matrix that is one tensor. */
static enum trop_status matrix_load(struct trop_transformer_matrix *m,
                                    const struct trop_transformer *model, int64_t role,
                                    int64_t layer, int64_t in, int64_t out, int64_t biased)
{
    const enum trop_status status = matrix_create(m, in, out);

    return status == TROP_OK ? fill(m, model, role, layer, 0, out, biased) : status;
}

/* Queries, keys and values: one tensor, or three. */
static enum trop_status qkv_load(struct trop_transformer_matrix *m,
                                 const struct trop_transformer *model, int64_t layer)
{
    static const int64_t roles[3] = { TROP_ARCHITECTURE_QUERY, TROP_ARCHITECTURE_KEY,
                                      TROP_ARCHITECTURE_VALUE };
    const struct trop_architecture_config *c = &model->config;
    const int64_t count[3] = { c->heads * c->head, c->kv_heads * c->head, c->kv_heads * c->head };
    const int64_t all = count[0] + count[1] + count[2];

    if (model->names.name[TROP_ARCHITECTURE_QKV]) {
        return matrix_load(m, model, TROP_ARCHITECTURE_QKV, layer, c->width, all, c->bias_qkv);
    }
    enum trop_status status = matrix_create(m, c->width, all);
    int64_t first = 0;
    for (int k = 0; k < 3 && status == TROP_OK; k++) {
        status = fill(m, model, roles[k], layer, first, count[k], c->bias_qkv);
        first += count[k];
    }
    return status;
}

enum trop_status trop_transformer_gain_load(struct trop_transformer_gain *out,
                                            const struct trop_transformer *model, int64_t role,
                                            int64_t layer)
{
    const struct trop_architecture_config *c = &model->config;
    const struct trop_safetensors_entry *entry;

    if (!TROP_ALLOC(TROP_PART(out->gain, c->width), TROP_PART(out->bias, c->width))) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a norm of width %lld",
                         (long long)c->width);
    }
    enum trop_status status = trop_transformer_find(&entry, model, role, layer, c->width, 0);
    if (status == TROP_OK) {
        status = trop_tensors_copy(out->gain, entry, 0, c->width);
    }
    if (status == TROP_OK && model->names.name[role + 1]) {
        status = trop_transformer_find(&entry, model, role + 1, layer, c->width, 0);
        if (status == TROP_OK) {
            status = trop_tensors_copy(out->bias, entry, 0, c->width);
        }
    }
    return status;
}

void trop_transformer_gain_free(struct trop_transformer_gain *gain)
{
    TROP_FREE(gain->gain, gain->bias);
}

static enum trop_status load(struct trop_transformer_block *b, const struct trop_transformer *model,
                             int64_t layer)
{
    const struct trop_architecture_config *c = &model->config;
    const struct {
        struct trop_transformer_matrix *m;
        int64_t role, in, out, biased;
    } matrices[] = {
        { &b->out, TROP_ARCHITECTURE_OUT, c->heads * c->head, c->width, c->bias_out },
        { &b->up, TROP_ARCHITECTURE_UP, c->width, c->hidden, c->bias_mlp },
        { &b->down, TROP_ARCHITECTURE_DOWN, c->hidden, c->width, c->bias_mlp },
        { &b->gate, TROP_ARCHITECTURE_GATE, c->width, c->hidden, c->bias_mlp },
    };
    enum trop_status status = qkv_load(&b->qkv, model, layer);

    for (int k = 0; k < (c->gated ? 4 : 3) && status == TROP_OK; k++) {
        status = matrix_load(matrices[k].m, model, matrices[k].role, layer, matrices[k].in,
                             matrices[k].out, matrices[k].biased);
    }
    if (status == TROP_OK) {
        status = trop_transformer_gain_load(&b->attention, model, TROP_ARCHITECTURE_ATTENTION_NORM,
                                            layer);
    }
    if (status == TROP_OK) {
        status = trop_transformer_gain_load(&b->mlp, model, TROP_ARCHITECTURE_MLP_NORM, layer);
    }
    return status;
}

/* Whether the weights of all layers may stay. */
static int kept(const struct trop_transformer *model)
{
    const struct trop_architecture_config *c = &model->config;
    const double q = (double)(c->heads * c->head), kv = (double)(c->kv_heads * c->head);
    const double mlp = (c->gated ? 3.0 : 2.0) * (double)c->hidden;

    return 8.0 * (double)c->layers * (double)c->width * (2 * q + 2 * kv + mlp) <=
           (double)TROP_TRANSFORMER_KEPT;
}

enum trop_status trop_transformer_take(const struct trop_transformer_block **out,
                                       const struct trop_transformer *model, int64_t layer)
{
    struct trop_transformer_slot *slot = &model->slot[layer];

    if (!slot->loaded) {
        const enum trop_status status = load(&slot->block, model, layer);
        if (status != TROP_OK) {
            trop_transformer_block_free(&slot->block);
            return status;
        }
        slot->loaded = 1;
    }
    slot->users++;
    *out = &slot->block;
    return TROP_OK;
}

void trop_transformer_give(const struct trop_transformer *model, int64_t layer)
{
    struct trop_transformer_slot *slot = &model->slot[layer];

    slot->users--;
    if (slot->users == 0 && !kept(model)) {
        trop_transformer_block_free(&slot->block);
        slot->loaded = 0;
    }
}

void trop_transformer_block_free(struct trop_transformer_block *b)
{
    struct trop_transformer_matrix *m[] = { &b->qkv, &b->out, &b->gate, &b->up, &b->down };

    for (int k = 0; k < 5; k++) {
        TROP_FREE(m[k]->w, m[k]->b);
    }
    trop_transformer_gain_free(&b->attention);
    trop_transformer_gain_free(&b->mlp);
    *b = (struct trop_transformer_block){ 0 };
}

void trop_transformer_product(double *c, int64_t c_stride, const double *a, int64_t a_stride,
                              int64_t rows, const struct trop_transformer_matrix *m,
                              const struct trop_kernel_sequence *kernel)
{
    for (int64_t i = 0; i < rows; i++) {
        memcpy(c + i * c_stride, m->b, (size_t)m->stride * sizeof *c);
    }
    for (int64_t j = 0; j < m->stride; j += TROP_TRANSFORMER_PANEL) {
        int64_t wide;
        const double *panel = trop_transformer_panel(&wide, m, j);
        kernel->product(&(struct trop_kernel_sequence_product){
            .c = c + j,
            .c_stride = c_stride,
            .a = a,
            .a_row = a_stride,
            .a_column = 1,
            .b = panel,
            .b_stride = wide,
            .m = rows,
            .n = wide,
            .inner = m->in,
            .add = 1,
        });
    }
}

/* ---- whether all is there ------------------------------------------------------------------- */

static enum trop_status check_role(const struct trop_transformer *model, int64_t role,
                                   int64_t layer, int64_t in, int64_t out, int64_t biased)
{
    const int turned = model->config.conv && in > 0;
    const struct trop_safetensors_entry *entry;
    enum trop_status status =
        trop_transformer_find(&entry, model, role, layer, turned ? in : out, turned ? out : in);

    return status == TROP_OK && biased
               ? trop_transformer_find(&entry, model, role + 1, layer, out, 0)
               : status;
}

static enum trop_status check_layer(const struct trop_transformer *model, int64_t layer)
{
    const struct trop_architecture_config *c = &model->config;
    const int64_t q = c->heads * c->head, kv = c->kv_heads * c->head;
    const int one = model->names.name[TROP_ARCHITECTURE_QKV] != NULL;
    const int64_t normed = model->names.name[TROP_ARCHITECTURE_MLP_NORM_BIAS] != NULL;
    const struct {
        int asked;
        int64_t role, in, out, biased; /* in = 0: a vector */
    } needed[] = {
        { one, TROP_ARCHITECTURE_QKV, c->width, q + 2 * kv, c->bias_qkv },
        { !one, TROP_ARCHITECTURE_QUERY, c->width, q, c->bias_qkv },
        { !one, TROP_ARCHITECTURE_KEY, c->width, kv, c->bias_qkv },
        { !one, TROP_ARCHITECTURE_VALUE, c->width, kv, c->bias_qkv },
        { 1, TROP_ARCHITECTURE_OUT, q, c->width, c->bias_out },
        { 1, TROP_ARCHITECTURE_UP, c->width, c->hidden, c->bias_mlp },
        { c->gated != 0, TROP_ARCHITECTURE_GATE, c->width, c->hidden, c->bias_mlp },
        { 1, TROP_ARCHITECTURE_DOWN, c->hidden, c->width, c->bias_mlp },
        { 1, TROP_ARCHITECTURE_ATTENTION_NORM, 0, c->width, normed },
        { 1, TROP_ARCHITECTURE_MLP_NORM, 0, c->width, normed },
    };
    enum trop_status status = TROP_OK;

    for (size_t k = 0; k < sizeof needed / sizeof *needed && status == TROP_OK; k++) {
        if (needed[k].asked) {
            status = check_role(model, needed[k].role, layer, needed[k].in, needed[k].out,
                                needed[k].biased);
        }
    }
    return status;
}

enum trop_status trop_transformer_check(const struct trop_transformer *model)
{
    const struct trop_architecture_config *c = &model->config;
    const struct {
        int asked;
        int64_t role, rows, columns;
    } needed[] = {
        { 1, TROP_ARCHITECTURE_TOKENS, c->vocab, c->width },
        { c->rotation.theta == 0, TROP_ARCHITECTURE_POSITIONS, c->positions, c->width },
        { c->types > 0, TROP_ARCHITECTURE_TYPES, c->types, c->width },
        { c->post != 0, TROP_ARCHITECTURE_FIRST_NORM, c->width, 0 },
        { c->post != 0, TROP_ARCHITECTURE_FIRST_NORM_BIAS, c->width, 0 },
        { !c->post, TROP_ARCHITECTURE_LAST_NORM, c->width, 0 },
        { c->logits && !c->tied, TROP_ARCHITECTURE_LOGITS, c->vocab, c->width },
    };
    const struct trop_safetensors_entry *entry;
    enum trop_status status = TROP_OK;

    for (size_t k = 0; k < sizeof needed / sizeof *needed && status == TROP_OK; k++) {
        if (needed[k].asked) {
            status = trop_transformer_find(&entry, model, needed[k].role, 0, needed[k].rows,
                                           needed[k].columns);
        }
    }
    for (int64_t l = 0; l < c->layers && status == TROP_OK; l++) {
        status = check_layer(model, l);
    }
    return status;
}
