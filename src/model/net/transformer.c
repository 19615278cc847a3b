/* transformer.c -- opening a transformer: its description, and that all its tensors are there. */
#include "model/net/transformer_internal.h"

#include "base/alloc.h"
#include "base/status.h"

enum trop_status trop_transformer_find(const struct trop_safetensors_entry **out,
                                       const struct trop_transformer *model, int64_t role,
                                       int64_t layer, int64_t rows, int64_t columns)
{
    return trop_architecture_find(out, &model->names, model->weights, role, layer, rows, columns);
}

/* Family, description and names. */
static enum trop_status describe(struct trop_transformer *model, const char *names)
{
    const struct trop_architecture *family = NULL;
    const char *type = NULL;
    enum trop_status status = names ? trop_json_read_open(&model->own, names) : TROP_OK;

    if (status == TROP_OK && model->own) {
        status = trop_architecture_rename(&model->names, &type, model->own);
    }
    if (status == TROP_OK) {
        status = trop_architecture_read(&family, &model->config, model->weights, type);
    }
    if (status == TROP_OK) {
        model->names = family->names;
        status = model->own ? trop_architecture_rename(&model->names, &type, model->own) : TROP_OK;
    }
    return status;
}

/* 1: a decoder that was saved without its table of words, as models that make vectors of texts are;
 * its tensors then have no prefix. */
static int is_bare(const struct trop_transformer *model)
{
    const struct trop_architecture_config *c = &model->config;
    const char *const *name = model->names.name;

    return !c->tied && !model->own &&
           trop_tensors_find(model->weights, name[TROP_ARCHITECTURE_TOKENS]) &&
           !trop_tensors_find(model->weights, name[TROP_ARCHITECTURE_LOGITS]);
}

static enum trop_status create(struct trop_transformer *model, const char *path, const char *names)
{
    enum trop_status status = trop_tensors_open(&model->weights, path);

    if (status == TROP_OK) {
        status = describe(model, names);
    }
    if (status != TROP_OK) {
        return status;
    }
    model->config.logits = model->config.causal && !is_bare(model);
    model->slot = trop_alloc(model->config.layers, sizeof *model->slot);
    if (!model->slot) {
        return trop_fail(TROP_ERR_MEMORY, "%s: no memory for its layers", path);
    }
    model->kernel = trop_kernel_choose(0)->sequence;
    model->activation = trop_kernel_choose(0)->activation;
    if (model->config.rotation.theta != 0) {
        model->frequency = trop_alloc(model->config.head / 2, sizeof *model->frequency);
        if (!model->frequency) {
            return trop_fail(TROP_ERR_MEMORY, "%s: no memory for its rotation", path);
        }
        trop_transformer_frequencies(model->frequency, &model->config);
    }
    return trop_transformer_check(model);
}

enum trop_status trop_transformer_open(struct trop_transformer **out, const char *path,
                                       int64_t threads)
{
    return trop_transformer_open_named(out, path, NULL, threads);
}

enum trop_status trop_transformer_open_named(struct trop_transformer **out, const char *path,
                                             const char *names, int64_t threads)
{
    if (threads < 1) {
        return trop_fail(TROP_ERR_ARG, "threads = %lld: must be 1 or more", (long long)threads);
    }
    struct trop_transformer *model = trop_alloc(1, sizeof *model);
    if (!model) {
        return trop_fail(TROP_ERR_MEMORY, "%s: no memory for its description", path);
    }
    model->threads = threads;
    const enum trop_status status = create(model, path, names);
    if (status != TROP_OK) {
        trop_transformer_close(model);
        return status;
    }
    *out = model;
    return TROP_OK;
}

void trop_transformer_close(struct trop_transformer *model)
{
    if (model) {
        for (int64_t l = 0; model->slot && l < model->config.layers; l++) {
            trop_transformer_block_free(&model->slot[l].block);
        }
        trop_tensors_close(model->weights);
        trop_json_read_close(model->own);
        TROP_FREE(model->frequency, model->slot, model);
    }
}

const struct trop_architecture_config *trop_transformer_config(const struct trop_transformer *model)
{
    return &model->config;
}

int64_t trop_transformer_limit(const struct trop_transformer *model)
{
    return model->config.positions - (model->config.pad + 1);
}
