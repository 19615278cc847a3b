/* transformer_pass.c -- a text through the model: embeddings, layers, logits. */
#include "model/net/transformer_internal.h"

#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "base/status.h"

#define VOCAB 1024 /* columns of logits at once */

/* ---- what goes in --------------------------------------------------------------------------- */

static enum trop_status check_ids(const struct trop_transformer *model, const int64_t *ids,
                                  const int64_t *types, int64_t n)
{
    const struct trop_architecture_config *c = &model->config;
    const int64_t limit = trop_transformer_limit(model);

    if (n < 1) {
        return trop_fail(TROP_ERR_ARG, "the text has no tokens: must have at least one");
    }
    if (n > limit) {
        return trop_fail(TROP_ERR_ARG, "the text has %lld tokens: the model has positions for %lld",
                         (long long)n, (long long)limit);
    }
    for (int64_t i = 0; i < n; i++) {
        if (ids[i] < 0 || ids[i] >= c->vocab) {
            return trop_fail(TROP_ERR_ARG, "token %lld: id %lld: must be from 0 to %lld",
                             (long long)i, (long long)ids[i], (long long)c->vocab - 1);
        }
        if (types && (types[i] < 0 || types[i] >= (c->types > 0 ? c->types : 1))) {
            return trop_fail(TROP_ERR_ARG, "token %lld: type %lld: must be from 0 to %lld",
                             (long long)i, (long long)types[i],
                             (long long)(c->types > 0 ? c->types - 1 : 0));
        }
    }
    return TROP_OK;
}

/* Row k of a table, added to x; scratch (width). */
static enum trop_status add_row(double *x, double *scratch,
                                const struct trop_safetensors_entry *table, int64_t k,
                                int64_t width)
{
    const enum trop_status status = trop_tensors_copy(scratch, table, k * width, width);

    for (int64_t c = 0; c < width && status == TROP_OK; c++) {
        x[c] += scratch[c];
    }
    return status;
}

/* The sums of the tables' rows. */
static enum trop_status add_tables(double *x, double *scratch,
                                   const struct trop_transformer_pass *pass)
{
    const struct trop_architecture_config *c = &pass->model->config;
    const struct trop_safetensors_entry *tokens, *positions = NULL, *types = NULL;
    enum trop_status status = trop_transformer_find(&tokens, pass->model, TROP_ARCHITECTURE_TOKENS,
                                                    0, c->vocab, c->width);

    if (status == TROP_OK && !pass->model->frequency) {
        status = trop_transformer_find(&positions, pass->model, TROP_ARCHITECTURE_POSITIONS, 0,
                                       c->positions, c->width);
    }
    if (status == TROP_OK && c->types > 0) {
        status = trop_transformer_find(&types, pass->model, TROP_ARCHITECTURE_TYPES, 0, c->types,
                                       c->width);
    }
    int64_t next = c->pad + 1;
    for (int64_t i = 0; i < pass->n && status == TROP_OK; i++) {
        double *row = x + i * c->width;
        const int64_t position = pass->ids[i] == c->pad ? c->pad : next++;
        status = add_row(row, scratch, tokens, pass->ids[i], c->width);
        if (status == TROP_OK && types) {
            status = add_row(row, scratch, types, pass->types[i], c->width);
        }
        if (status == TROP_OK && positions) {
            status = add_row(row, scratch, positions, position, c->width);
        }
    }
    return status;
}

enum trop_status trop_transformer_embed(double *x, double *hat,
                                        const struct trop_transformer_pass *pass)
{
    const struct trop_architecture_config *c = &pass->model->config;
    struct trop_transformer_gain gain = { 0 };
    double *scratch = trop_alloc(c->width, sizeof *scratch);
    enum trop_status status =
        scratch
            ? add_tables(x, scratch, pass)
            : trop_fail(TROP_ERR_MEMORY, "no memory for a row of width %lld", (long long)c->width);

    if (status == TROP_OK && c->post) {
        status = trop_transformer_gain_load(&gain, pass->model, TROP_ARCHITECTURE_FIRST_NORM, 0);
        for (int64_t i = 0; i < pass->n && status == TROP_OK; i++) {
            trop_transformer_norm(hat + i * c->width, x + i * c->width, x + i * c->width, &gain, c);
        }
        trop_transformer_gain_free(&gain);
    }
    trop_alloc_free(scratch);
    return status;
}

/* ---- the pass ------------------------------------------------------------------------------- */

static enum trop_status run(struct trop_transformer_pass *pass)
{
    const struct trop_architecture_config *c = &pass->model->config;
    const int64_t size = pass->n * c->width;
    enum trop_status status = trop_transformer_embed(pass->stream, pass->hat, pass);

    for (int64_t l = 0; l < c->layers && status == TROP_OK; l++) {
        double *next = pass->hat && l + 1 < c->layers ? pass->hat + (l + 1) * size : NULL;
        status = trop_transformer_step(pass->stream + (l + 1) * size, next, pass->stream + l * size,
                                       pass->n, pass->model, l);
    }
    return status == TROP_OK ? trop_transformer_last(pass->hidden, pass->stream + c->layers * size,
                                                     pass->n, pass->model)
                             : status;
}

enum trop_status trop_transformer_run(struct trop_transformer_pass **out,
                                      const struct trop_transformer *model, const int64_t *ids,
                                      const int64_t *types, int64_t n)
{
    const struct trop_architecture_config *c = &model->config;
    enum trop_status status = check_ids(model, ids, types, n);

    if (status != TROP_OK) {
        return status;
    }
    const int64_t size = n * c->width; /* below 2^48 */
    struct trop_transformer_pass *pass = trop_alloc(1, sizeof *pass);
    if (!pass ||
        !TROP_ALLOC(TROP_PART(pass->ids, n), TROP_PART(pass->types, n),
                    TROP_PART(pass->stream, size * (c->layers + 1)), TROP_PART(pass->hidden, size),
                    TROP_PART(pass->hat, c->post ? size * c->layers : 0))) {
        trop_transformer_free(pass);
        return trop_fail(TROP_ERR_MEMORY, "no memory for the streams of %lld tokens", (long long)n);
    }
    pass->model = model;
    pass->n = n;
    memcpy(pass->ids, ids, (size_t)n * sizeof *ids);
    if (types) {
        memcpy(pass->types, types, (size_t)n * sizeof *types);
    }
    if (!c->post) {
        trop_alloc_free(pass->hat);
        pass->hat = NULL;
    }
    status = run(pass);
    if (status != TROP_OK) {
        trop_transformer_free(pass);
        return status;
    }
    *out = pass;
    return TROP_OK;
}

void trop_transformer_free(struct trop_transformer_pass *pass)
{
    if (pass) {
        TROP_FREE(pass->ids, pass->types, pass->stream, pass->hidden, pass->hat, pass);
    }
}

const double *trop_transformer_stream(const struct trop_transformer_pass *pass, int64_t l)
{
    return pass->stream + l * pass->n * pass->model->config.width;
}

const double *trop_transformer_hidden(const struct trop_transformer_pass *pass)
{
    return pass->hidden;
}

/* ---- logits --------------------------------------------------------------------------------- */

/* Blocks of columns under way. */
struct logits {
    const struct trop_transformer *model;
    const struct trop_safetensors_entry *table;
    double *out;
    const double *hidden;
    int64_t rows;
    double *row;     /* (workers, width) */
    double *w;       /* (workers, VOCAB / PANEL, width, PANEL): words as columns */
    double *b;       /* (VOCAB) zeros */
    double *sum;     /* (workers, rows, VOCAB) */
    int *not_finite; /* (workers) */
};

static void logits_blocks(void *context, int64_t first, int64_t last, int64_t worker)
{
    const struct logits *g = context;
    const int64_t width = g->model->config.width, vocab = g->model->config.vocab;
    double *row = g->row + worker * width, *sum = g->sum + worker * g->rows * VOCAB;
    struct trop_transformer_matrix m = { .in = width,
                                         .b = g->b,
                                         .w = g->w + worker * width * VOCAB };

    for (int64_t block = first; block < last; block++) {
        const int64_t at = block * VOCAB, some = vocab - at < VOCAB ? vocab - at : VOCAB;
        m.stride = VOCAB;
        for (int64_t t = 0; t < some; t++) {
            trop_number_copy(row,
                             g->table->bytes + (at + t) * width * trop_number_width[g->table->type],
                             g->table->type, width);
            for (int64_t k = 0; k < width; k++) {
                *trop_transformer_at(&m, k, t) = row[k];
                g->not_finite[worker] |= !(row[k] - row[k] == 0);
            }
        }
        trop_transformer_product(sum, VOCAB, g->hidden, width, g->rows, &m, g->model->kernel);
        for (int64_t i = 0; i < g->rows; i++) {
            memcpy(g->out + i * vocab + at, sum + i * VOCAB, (size_t)some * sizeof *sum);
        }
    }
}

static enum trop_status logits_run(struct logits *g)
{
    const int64_t workers = g->model->threads, vocab = g->model->config.vocab;
    enum trop_status status = TROP_OK;
    double one;

    trop_parallel(workers, (vocab + VOCAB - 1) / VOCAB, logits_blocks, g);
    for (int64_t k = 0; k < workers; k++) {
        for (int64_t e = 0; g->not_finite[k] && e < g->table->count && status == TROP_OK; e++) {
            status = trop_tensors_copy(&one, g->table, e, 1);
        }
    }
    return status;
}

enum trop_status trop_transformer_logits(double *out, const struct trop_transformer *model,
                                         const double *hidden, int64_t rows)
{
    const struct trop_architecture_config *c = &model->config;
    const int64_t workers = model->threads;
    struct logits g = { .model = model, .out = out, .hidden = hidden, .rows = rows };

    if (!c->logits) {
        return trop_fail(TROP_ERR_UNSUPPORTED, "this model of the family %s has no logits",
                         c->family);
    }
    enum trop_status status = trop_transformer_find(
        &g.table, model, c->tied ? TROP_ARCHITECTURE_TOKENS : TROP_ARCHITECTURE_LOGITS, 0, c->vocab,
        c->width);
    if (status != TROP_OK) {
        return status;
    }
    if (TROP_ALLOC(TROP_PART(g.row, workers * c->width), TROP_PART(g.w, workers * c->width * VOCAB),
                   TROP_PART(g.b, VOCAB), TROP_PART(g.sum, workers * rows * VOCAB),
                   TROP_PART(g.not_finite, workers))) {
        status = logits_run(&g);
    } else {
        status =
            trop_fail(TROP_ERR_MEMORY, "no memory for the logits of %lld tokens", (long long)rows);
    }
    TROP_FREE(g.row, g.w, g.b, g.sum, g.not_finite);
    return status;
}
