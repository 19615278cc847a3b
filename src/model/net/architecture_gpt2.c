/* architecture_gpt2.c -- GPT-2: a decoder with LayerNorm before attention and MLP, learned
 * positions, and matrices stored (in, out), query, key and value in one.
 *
 * Radford, Wu, Child, Luan, Amodei, Sutskever, "Language models are unsupervised multitask
 * learners" (2019).
 */
#include "model/net/architecture.h"

#include <math.h>

#include "base/status.h"

static enum trop_status read_scale(struct trop_architecture_config *c,
                                   const struct trop_json_read *doc)
{
    int64_t scaled = 1, crossed = 0;
    enum trop_status status = trop_architecture_truth(&scaled, doc, "scale_attn_weights", 1);

    if (status == TROP_OK) {
        status =
            trop_architecture_truth(&c->scale_by_layer, doc, "scale_attn_by_inverse_layer_idx", 0);
    }
    if (status == TROP_OK) {
        status = trop_architecture_truth(&crossed, doc, "add_cross_attention", 0);
    }
    if (status == TROP_OK && crossed) {
        status =
            trop_fail(TROP_ERR_UNSUPPORTED, "config.json: add_cross_attention: is not supported");
    }
    c->scale = scaled ? 1 / sqrt((double)c->head) : 1.0;
    return status;
}

static enum trop_status configure(struct trop_architecture_config *c,
                                  const struct trop_json_read *doc, const char *type)
{
    const struct {
        int64_t *at;
        const char *key;
    } sizes[] = {
        { &c->layers, "n_layer" },   { &c->heads, "n_head" },          { &c->width, "n_embd" },
        { &c->vocab, "vocab_size" }, { &c->positions, "n_positions" },
    };
    enum trop_status status = TROP_OK;

    (void)type;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes && status == TROP_OK; k++) {
        status = trop_architecture_size(sizes[k].at, doc, sizes[k].key, 0);
    }
    if (status == TROP_OK && c->width % c->heads != 0) {
        status =
            trop_fail(TROP_ERR_IO, "config.json: n_embd %lld: must be a multiple of %lld heads",
                      (long long)c->width, (long long)c->heads);
    }
    if (status != TROP_OK) {
        return status;
    }
    c->head = c->width / c->heads;
    status = trop_architecture_size(&c->hidden, doc, "n_inner", 4 * c->width);
    if (status == TROP_OK) {
        status = trop_architecture_number(&c->eps, doc, "layer_norm_epsilon", 1e-5);
    }
    if (status == TROP_OK) {
        status =
            trop_architecture_activation(&c->activation, doc, "activation_function", "gelu_new");
    }
    if (status == TROP_OK) {
        status = trop_architecture_truth(&c->tied, doc, "tie_word_embeddings", 1);
    }
    if (status == TROP_OK) {
        status = read_scale(c, doc);
    }
    c->kv_heads = c->heads;
    c->norm = TROP_ARCHITECTURE_LAYERNORM;
    c->causal = c->conv = 1;
    c->bias_qkv = c->bias_out = c->bias_mlp = 1;
    return status;
}

#define LAYER "h.{l}."
const struct trop_architecture trop_architecture_gpt2 = {
    .family = "gpt2",
    .types = (const char *const[]){ "gpt2", NULL },
    .names = {
        .prefix = { "", "transformer.", NULL },
        .name = {
            [TROP_ARCHITECTURE_TOKENS] = "wte.weight",
            [TROP_ARCHITECTURE_POSITIONS] = "wpe.weight",
            [TROP_ARCHITECTURE_ATTENTION_NORM] = LAYER "ln_1.weight",
            [TROP_ARCHITECTURE_ATTENTION_NORM_BIAS] = LAYER "ln_1.bias",
            [TROP_ARCHITECTURE_QKV] = LAYER "attn.c_attn.weight",
            [TROP_ARCHITECTURE_QKV_BIAS] = LAYER "attn.c_attn.bias",
            [TROP_ARCHITECTURE_OUT] = LAYER "attn.c_proj.weight",
            [TROP_ARCHITECTURE_OUT_BIAS] = LAYER "attn.c_proj.bias",
            [TROP_ARCHITECTURE_MLP_NORM] = LAYER "ln_2.weight",
            [TROP_ARCHITECTURE_MLP_NORM_BIAS] = LAYER "ln_2.bias",
            [TROP_ARCHITECTURE_UP] = LAYER "mlp.c_fc.weight",
            [TROP_ARCHITECTURE_UP_BIAS] = LAYER "mlp.c_fc.bias",
            [TROP_ARCHITECTURE_DOWN] = LAYER "mlp.c_proj.weight",
            [TROP_ARCHITECTURE_DOWN_BIAS] = LAYER "mlp.c_proj.bias",
            [TROP_ARCHITECTURE_LAST_NORM] = "ln_f.weight",
            [TROP_ARCHITECTURE_LAST_NORM_BIAS] = "ln_f.bias",
            [TROP_ARCHITECTURE_LOGITS] = "lm_head.weight",
        },
    },
    .configure = configure,
};
