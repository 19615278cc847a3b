/* architecture_llama.c -- Llama, Mistral and Qwen2: decoders with RMSNorm before attention and MLP,
 * a gated MLP and rotated queries and keys; several heads may share keys and values.
 *
 * Touvron et al., "LLaMA" (2023); Jiang et al., "Mistral 7B" (2023), with a window; Yang et al.,
 * "Qwen2" (2024), whose queries, keys and values have biases. The rotation: Su et al., "RoFormer"
 * (2021).
 */
#include "model/net/architecture.h"

#include <math.h>
#include <string.h>

#include "base/status.h"

/* ---- the rotation --------------------------------------------------------------------------- */

static enum trop_status read_llama3(struct trop_architecture_rotation *out,
                                    const struct trop_json_read *doc)
{
    enum trop_status status = trop_architecture_number(&out->low, doc, "low_freq_factor", NAN);

    if (status == TROP_OK) {
        status = trop_architecture_number(&out->high, doc, "high_freq_factor", NAN);
    }
    if (status == TROP_OK) {
        status =
            trop_architecture_number(&out->original, doc, "original_max_position_embeddings", NAN);
    }
    if (status == TROP_OK && !(out->low > 0 && out->high > out->low && out->original >= 1)) {
        status =
            trop_fail(TROP_ERR_IO, "config.json: rope scaling llama3 needs 0 < low_freq_factor < "
                                   "high_freq_factor and original_max_position_embeddings");
    }
    out->scaling = TROP_ARCHITECTURE_LLAMA3;
    return status;
}

/* The object of a scaling; "dynamic" changes nothing up to the model's own length, and a text may
 * not be longer than that. */
static enum trop_status read_scaling(struct trop_architecture_rotation *out,
                                     const struct trop_json_read *doc)
{
    const char *kind = "default";
    const char *key = trop_json_read_has(doc, "rope_type") ? "rope_type" : "type";
    enum trop_status status =
        trop_json_read_has(doc, key) ? trop_json_read_text(&kind, doc, key) : TROP_OK;

    if (status == TROP_OK) {
        status = trop_architecture_number(&out->theta, doc, "rope_theta", out->theta);
    }
    if (status != TROP_OK || strcmp(kind, "default") == 0 || strcmp(kind, "dynamic") == 0) {
        return status;
    }
    if (strcmp(kind, "linear") != 0 && strcmp(kind, "llama3") != 0) {
        return trop_fail(TROP_ERR_UNSUPPORTED,
                         "config.json: rope scaling \"%.40s\": must be default, linear, dynamic or "
                         "llama3",
                         kind);
    }
    status = trop_architecture_number(&out->factor, doc, "factor", NAN);
    if (status == TROP_OK && !(out->factor >= 1)) {
        status = trop_fail(TROP_ERR_IO, "config.json: rope scaling: factor must be 1 or more");
    }
    out->scaling = TROP_ARCHITECTURE_LINEAR;
    return status == TROP_OK && strcmp(kind, "llama3") == 0 ? read_llama3(out, doc) : status;
}

enum trop_status trop_architecture_rotation(struct trop_architecture_rotation *out,
                                            const struct trop_json_read *doc, double fallback)
{
    const char *key =
        trop_json_read_has(doc, "rope_parameters") ? "rope_parameters" : "rope_scaling";
    struct trop_json_read *inside = NULL;
    enum trop_status status = trop_architecture_number(&out->theta, doc, "rope_theta", fallback);

    out->halves = 1;
    if (status != TROP_OK || !trop_json_read_has(doc, key)) {
        return status;
    }
    status = trop_json_read_inside(&inside, doc, key);
    if (status == TROP_OK) {
        status = read_scaling(out, inside);
    }
    trop_json_read_close(inside);
    return status;
}

/* ---- the window ----------------------------------------------------------------------------- */

/* Layers whose entry of layer_types is sliding_attention have the window; without that list, all
 * from layer `first` on. */
static enum trop_status read_window(struct trop_architecture_config *c,
                                    const struct trop_json_read *doc, int64_t first)
{
    int64_t window = 0;
    const int listed = trop_json_read_has(doc, "layer_types");
    enum trop_status status = trop_json_read_has(doc, "sliding_window")
                                  ? trop_architecture_size(&window, doc, "sliding_window", 0)
                                  : TROP_OK;

    for (int64_t l = 0; l < c->layers && l < TROP_ARCHITECTURE_LAYERS && status == TROP_OK; l++) {
        const char *kind = l >= first && window ? "sliding_attention" : "full_attention";
        int64_t count = c->layers;
        if (listed) {
            status = trop_json_read_listed(&kind, &count, doc, "layer_types", l);
        }
        const int slides = strcmp(kind, "sliding_attention") == 0;
        if (status == TROP_OK && (count != c->layers || (slides && window == 0) ||
                                  (!slides && strcmp(kind, "full_attention") != 0))) {
            status = trop_fail(TROP_ERR_UNSUPPORTED,
                               "config.json: layer_types: must be full_attention or, with "
                               "sliding_window, sliding_attention for each of %lld layers",
                               (long long)c->layers);
        }
        c->window[l] = slides ? window : 0;
    }
    return status;
}

/* What the three differ in. */
static enum trop_status read_kind(struct trop_architecture_config *c,
                                  const struct trop_json_read *doc, const char *type)
{
    int64_t slides = 1, first = 0;
    enum trop_status status = TROP_OK;

    if (strcmp(type, "llama") == 0) {
        status = trop_architecture_truth(&c->bias_qkv, doc, "attention_bias", 0);
        c->bias_out = c->bias_qkv;
        if (status == TROP_OK) {
            status = trop_architecture_truth(&c->bias_mlp, doc, "mlp_bias", 0);
        }
        return status; /* no window, whatever the config says */
    }
    if (strcmp(type, "qwen2") == 0) {
        double from = 0;
        c->bias_qkv = 1;
        status = trop_architecture_truth(&slides, doc, "use_sliding_window", 0);
        if (status == TROP_OK) {
            status = trop_architecture_number(&from, doc, "max_window_layers", 28);
        }
        first =
            from >= 0 && from < TROP_ARCHITECTURE_LAYERS ? (int64_t)from : TROP_ARCHITECTURE_LAYERS;
    }
    return status == TROP_OK && slides ? read_window(c, doc, first) : status;
}

static enum trop_status configure(struct trop_architecture_config *c,
                                  const struct trop_json_read *doc, const char *type)
{
    const struct {
        int64_t *at;
        const char *key;
    } sizes[] = {
        { &c->layers, "num_hidden_layers" }, { &c->heads, "num_attention_heads" },
        { &c->width, "hidden_size" },        { &c->hidden, "intermediate_size" },
        { &c->vocab, "vocab_size" },         { &c->positions, "max_position_embeddings" },
    };
    enum trop_status status = TROP_OK;

    for (size_t k = 0; k < sizeof sizes / sizeof *sizes && status == TROP_OK; k++) {
        status = trop_architecture_size(sizes[k].at, doc, sizes[k].key, 0);
    }
    if (status == TROP_OK) {
        status = trop_architecture_size(&c->kv_heads, doc, "num_key_value_heads", c->heads);
    }
    if (status == TROP_OK && c->width % c->heads != 0 && !trop_json_read_has(doc, "head_dim")) {
        status = trop_fail(TROP_ERR_IO,
                           "config.json: hidden_size %lld: must be a multiple of %lld "
                           "heads, or head_dim be there",
                           (long long)c->width, (long long)c->heads);
    }
    if (status == TROP_OK) {
        status = trop_architecture_size(&c->head, doc, "head_dim", c->width / c->heads);
    }
    if (status == TROP_OK) {
        status = trop_architecture_number(&c->eps, doc, "rms_norm_eps", 1e-6);
    }
    if (status == TROP_OK) {
        status = trop_architecture_activation(&c->activation, doc, "hidden_act", "silu");
    }
    if (status == TROP_OK) {
        status = trop_architecture_truth(&c->tied, doc, "tie_word_embeddings", 0);
    }
    if (status == TROP_OK) {
        status = trop_architecture_rotation(&c->rotation, doc, 10000.0);
    }
    if (status != TROP_OK) {
        return status;
    }
    c->scale = 1 / sqrt((double)c->head);
    c->norm = TROP_ARCHITECTURE_RMSNORM;
    c->gated = c->causal = 1;
    return read_kind(c, doc, type);
}

#define LAYER "layers.{l}."
const struct trop_architecture trop_architecture_llama = {
    .family = "llama",
    .types = (const char *const[]){ "llama", "mistral", "qwen2", NULL },
    .names = {
        .prefix = { "model.", "", NULL },
        .name = {
            [TROP_ARCHITECTURE_TOKENS] = "embed_tokens.weight",
            [TROP_ARCHITECTURE_ATTENTION_NORM] = LAYER "input_layernorm.weight",
            [TROP_ARCHITECTURE_QUERY] = LAYER "self_attn.q_proj.weight",
            [TROP_ARCHITECTURE_QUERY_BIAS] = LAYER "self_attn.q_proj.bias",
            [TROP_ARCHITECTURE_KEY] = LAYER "self_attn.k_proj.weight",
            [TROP_ARCHITECTURE_KEY_BIAS] = LAYER "self_attn.k_proj.bias",
            [TROP_ARCHITECTURE_VALUE] = LAYER "self_attn.v_proj.weight",
            [TROP_ARCHITECTURE_VALUE_BIAS] = LAYER "self_attn.v_proj.bias",
            [TROP_ARCHITECTURE_OUT] = LAYER "self_attn.o_proj.weight",
            [TROP_ARCHITECTURE_OUT_BIAS] = LAYER "self_attn.o_proj.bias",
            [TROP_ARCHITECTURE_MLP_NORM] = LAYER "post_attention_layernorm.weight",
            [TROP_ARCHITECTURE_GATE] = LAYER "mlp.gate_proj.weight",
            [TROP_ARCHITECTURE_GATE_BIAS] = LAYER "mlp.gate_proj.bias",
            [TROP_ARCHITECTURE_UP] = LAYER "mlp.up_proj.weight",
            [TROP_ARCHITECTURE_UP_BIAS] = LAYER "mlp.up_proj.bias",
            [TROP_ARCHITECTURE_DOWN] = LAYER "mlp.down_proj.weight",
            [TROP_ARCHITECTURE_DOWN_BIAS] = LAYER "mlp.down_proj.bias",
            [TROP_ARCHITECTURE_LAST_NORM] = "norm.weight",
            [TROP_ARCHITECTURE_LOGITS] = "lm_head.weight",
        },
    },
    .configure = configure,
};
