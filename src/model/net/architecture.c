/* architecture.c -- which family a model is of, and what of its config the families share. */
#include "model/net/architecture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/status.h"

#define SIZE_MOST 16777216

static const struct trop_architecture *const families[] = {
    &trop_architecture_bert,
    &trop_architecture_gpt2,
    &trop_architecture_llama,
    NULL,
};

/* Models that are known not to fit, and why. */
static const struct {
    const char *type, *reason;
} strangers[] = {
    { "gemma2", "its scores have a soft cap" },
    { "gemma3", "its queries and keys are normalised" },
    { "gemma3_text", "its queries and keys are normalised" },
    { "qwen3", "its queries and keys are normalised" },
    { "bloom", "its scores have a bias by distance (ALiBi)" },
    { "mpt", "its scores have a bias by distance (ALiBi)" },
    { "t5", "its scores have a bias by relative position" },
    { "deberta", "its scores have a bias by relative position" },
    { "deberta-v2", "its scores have a bias by relative position" },
    { "gptj", "its attention and MLP stand side by side" },
    { "gpt_neox", "its attention and MLP stand side by side" },
    { "falcon", "its attention and MLP stand side by side" },
    { "phi", "its attention and MLP stand side by side" },
    { "cohere", "its attention and MLP stand side by side" },
    { "mixtral", "its MLP is a mixture of experts" },
    { "qwen2_moe", "its MLP is a mixture of experts" },
    { "qwen3_moe", "its MLP is a mixture of experts" },
};

/* Members of a config that change the forward pass, and why they are refused when they are set. */
static const struct {
    const char *key, *reason;
} strange_keys[] = {
    { "attn_logit_softcapping", "a soft cap on scores is not supported" },
    { "final_logit_softcapping", "a soft cap on logits is not supported" },
    { "num_local_experts", "a mixture of experts is not supported" },
    { "num_experts", "a mixture of experts is not supported" },
    { "quantization_config", "quantised weights are not supported" },
    { "partial_rotary_factor", "a rotation of a part of the coordinates is not supported" },
};

/* ---- members of a config -------------------------------------------------------------------- */

enum trop_status trop_architecture_number(double *out, const struct trop_json_read *doc,
                                          const char *key, double fallback)
{
    struct trop_array array = { 0 };

    *out = fallback;
    if (!trop_json_read_has(doc, key)) {
        return TROP_OK;
    }
    enum trop_status status = trop_json_read_numbers(&array, doc, key);
    if (status == TROP_OK && (array.rank != 0 || !isfinite(array.data[0]))) {
        status = trop_fail(TROP_ERR_IO, "config.json: %s: must be one finite number", key);
    }
    if (status == TROP_OK) {
        *out = array.data[0];
    }
    trop_array_free(&array);
    return status;
}

enum trop_status trop_architecture_size(int64_t *out, const struct trop_json_read *doc,
                                        const char *key, int64_t fallback)
{
    double value;
    enum trop_status status = trop_architecture_number(&value, doc, key, (double)fallback);

    if (status != TROP_OK) {
        return status;
    }
    if (!(value >= 1 && value <= SIZE_MOST && value == floor(value))) {
        return trop_json_read_has(doc, key)
                   ? trop_fail(TROP_ERR_IO,
                               "config.json: %s = %g: must be a whole number from 1 to %d", key,
                               value, SIZE_MOST)
                   : trop_fail(TROP_ERR_IO, "config.json: %s: is missing", key);
    }
    *out = (int64_t)value;
    return TROP_OK;
}

enum trop_status trop_architecture_truth(int64_t *out, const struct trop_json_read *doc,
                                         const char *key, int64_t fallback)
{
    *out = fallback;
    return trop_json_read_has(doc, key) ? trop_json_read_truth(out, doc, key) : TROP_OK;
}

enum trop_status trop_architecture_activation(int64_t *out, const struct trop_json_read *doc,
                                              const char *key, const char *fallback)
{
    static const struct {
        const char *name;
        int64_t value;
    } known[] = {
        { "gelu", TROP_ARCHITECTURE_GELU },
        { "gelu_python", TROP_ARCHITECTURE_GELU },
        { "gelu_new", TROP_ARCHITECTURE_GELU_TANH },
        { "gelu_fast", TROP_ARCHITECTURE_GELU_TANH },
        { "gelu_pytorch_tanh", TROP_ARCHITECTURE_GELU_TANH },
        { "silu", TROP_ARCHITECTURE_SILU },
        { "swish", TROP_ARCHITECTURE_SILU },
        { "relu", TROP_ARCHITECTURE_RELU },
    };
    const char *name = fallback;
    enum trop_status status =
        trop_json_read_has(doc, key) ? trop_json_read_text(&name, doc, key) : TROP_OK;

    if (status != TROP_OK) {
        return status;
    }
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        if (strcmp(name, known[k].name) == 0) {
            *out = known[k].value;
            return TROP_OK;
        }
    }
    return trop_fail(TROP_ERR_UNSUPPORTED,
                     "config.json: %s = \"%.40s\": must be gelu, gelu_new, gelu_pytorch_tanh, silu "
                     "or relu",
                     key, name);
}

/* ---- families --------------------------------------------------------------------------------
 */

static const struct trop_architecture *family_of(const char *type)
{
    for (int k = 0; families[k]; k++) {
        for (const char *const *known = families[k]->types; *known; known++) {
            if (strcmp(*known, type) == 0) {
                return families[k];
            }
        }
    }
    return NULL;
}

static enum trop_status refuse_type(const char *type)
{
    char known[256] = "";

    for (size_t k = 0; k < sizeof strangers / sizeof *strangers; k++) {
        if (strcmp(type, strangers[k].type) == 0) {
            return trop_fail(TROP_ERR_UNSUPPORTED, "config.json: model_type \"%s\": %s", type,
                             strangers[k].reason);
        }
    }
    for (int k = 0; families[k]; k++) {
        for (const char *const *t = families[k]->types; *t; t++) {
            const size_t used = strlen(known);
            snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", *t);
        }
    }
    return trop_fail(TROP_ERR_UNSUPPORTED,
                     "config.json: model_type \"%.60s\": is not known: must be one of %s", type,
                     known);
}

static enum trop_status check_keys(const struct trop_json_read *doc)
{
    double whole = 1.0;

    for (size_t k = 0; k < sizeof strange_keys / sizeof *strange_keys; k++) {
        const char *key = strange_keys[k].key;
        if (!trop_json_read_has(doc, key)) {
            continue;
        }
        const int partial = strcmp(key, "partial_rotary_factor") == 0;
        enum trop_status status =
            partial ? trop_architecture_number(&whole, doc, key, 1.0) : TROP_OK;
        if (status != TROP_OK || (partial && whole == 1.0)) {
            return status;
        }
        return trop_fail(TROP_ERR_UNSUPPORTED, "config.json: %s: %s", key, strange_keys[k].reason);
    }
    return TROP_OK;
}

/* What every family must have. */
static enum trop_status check_config(const struct trop_architecture_config *c)
{
    if (c->layers > TROP_ARCHITECTURE_LAYERS) {
        return trop_fail(TROP_ERR_UNSUPPORTED, "config.json: %lld layers: must be at most %d",
                         (long long)c->layers, TROP_ARCHITECTURE_LAYERS);
    }
    if (c->heads % c->kv_heads != 0) {
        return trop_fail(TROP_ERR_IO, "config.json: %lld heads share %lld keys: must be a multiple",
                         (long long)c->heads, (long long)c->kv_heads);
    }
    if (!(c->eps >= 0 && c->eps < 1)) {
        return trop_fail(TROP_ERR_IO, "config.json: eps of the norms = %g: must be from 0 to 1",
                         c->eps);
    }
    if (c->rotation.theta != 0 && (!(c->rotation.theta > 0) || c->head % 2 != 0)) {
        return trop_fail(TROP_ERR_IO,
                         "config.json: rope_theta = %g, heads of %lld: must be above 0, and even",
                         c->rotation.theta, (long long)c->head);
    }
    return TROP_OK;
}

static enum trop_status read_json(const struct trop_architecture **out,
                                  struct trop_architecture_config *config,
                                  const struct trop_json_read *doc, const char *type)
{
    enum trop_status status = type ? TROP_OK : trop_json_read_text(&type, doc, "model_type");
    const struct trop_architecture *family = status == TROP_OK ? family_of(type) : NULL;

    if (status != TROP_OK) {
        return status;
    }
    if (!family) {
        return refuse_type(type);
    }
    *config = (struct trop_architecture_config){ .family = family->family, .pad = -1 };
    status = check_keys(doc);
    if (status == TROP_OK) {
        status = family->configure(config, doc, type);
    }
    if (status == TROP_OK) {
        status = check_config(config);
    }
    *out = family;
    return status;
}

/* A file of llama2.c: its rotation turns neighbours, and its norms have the eps of its program. */
static void describe_llama2(struct trop_architecture_config *out,
                            const struct trop_tensors_sizes *s)
{
    const int64_t head = s->width / s->heads;

    *out = (struct trop_architecture_config){
        .family = trop_architecture_llama.family,
        .layers = s->layers,
        .heads = s->heads,
        .kv_heads = s->kv_heads,
        .head = head,
        .width = s->width,
        .hidden = s->hidden,
        .vocab = s->vocab,
        .positions = s->positions,
        .pad = -1,
        .norm = TROP_ARCHITECTURE_RMSNORM,
        .eps = 1e-5,
        .activation = TROP_ARCHITECTURE_SILU,
        .gated = 1,
        .causal = 1,
        .tied = s->tied,
        .scale = 1 / sqrt((double)head),
        .rotation = { .theta = 10000.0 },
    };
}

enum trop_status trop_architecture_read(const struct trop_architecture **out,
                                        struct trop_architecture_config *config,
                                        const struct trop_tensors *weights, const char *type)
{
    if (trop_tensors_sizes(weights)) {
        describe_llama2(config, trop_tensors_sizes(weights));
        *out = &trop_architecture_llama;
        return check_config(config);
    }
    const char *folder = trop_tensors_folder(weights);
    const size_t room = strlen(folder) + 16;
    char *path = trop_alloc((int64_t)room, 1);
    struct trop_json_read *doc = NULL;

    if (!path) {
        return trop_fail(TROP_ERR_MEMORY, "%sconfig.json: no memory for its name", folder);
    }
    snprintf(path, room, "%sconfig.json", folder);
    enum trop_status status = trop_json_read_open(&doc, path);
    if (status == TROP_OK) {
        status = read_json(out, config, doc, type);
    }
    trop_json_read_close(doc);
    trop_alloc_free(path);
    return status;
}
