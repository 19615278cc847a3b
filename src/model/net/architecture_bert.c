/* architecture_bert.c -- BERT and RoBERTa: encoders with LayerNorm behind each sum.
 *
 * Devlin, Chang, Lee, Toutanova, "BERT" (2018); Liu et al., "RoBERTa" (2019), which counts learned
 * positions from the padding token's number + 1 on, over the tokens that are not padding. The
 * pooler and the heads of tasks are not read.
 */
#include "model/net/architecture.h"

#include <math.h>
#include <string.h>

#include "base/status.h"

static enum trop_status check_plain(const struct trop_json_read *doc)
{
    const char *kind = "absolute";
    int64_t decoder = 0;
    enum trop_status status = trop_json_read_has(doc, "position_embedding_type")
                                  ? trop_json_read_text(&kind, doc, "position_embedding_type")
                                  : TROP_OK;

    if (status == TROP_OK && strcmp(kind, "absolute") != 0) {
        return trop_fail(TROP_ERR_UNSUPPORTED,
                         "config.json: position_embedding_type = \"%.40s\": must be absolute",
                         kind);
    }
    if (status == TROP_OK) {
        status = trop_architecture_truth(&decoder, doc, "is_decoder", 0);
    }
    if (status == TROP_OK && decoder) {
        status = trop_fail(TROP_ERR_UNSUPPORTED,
                           "config.json: is_decoder: a BERT that is a decoder is not supported");
    }
    return status;
}

/* The padding token of RoBERTa, which the positions depend on. */
static enum trop_status read_pad(struct trop_architecture_config *c,
                                 const struct trop_json_read *doc)
{
    double pad;
    enum trop_status status = trop_architecture_number(&pad, doc, "pad_token_id", 1);

    if (status == TROP_OK && !(pad >= 0 && pad < (double)c->positions && pad == floor(pad))) {
        status = trop_fail(TROP_ERR_IO, "config.json: pad_token_id = %g: must be a position", pad);
    }
    if (status == TROP_OK) {
        c->pad = (int64_t)pad;
    }
    return status;
}

static enum trop_status configure(struct trop_architecture_config *c,
                                  const struct trop_json_read *doc, const char *type)
{
    const struct {
        int64_t *at;
        const char *key;
        int64_t fallback;
    } sizes[] = {
        { &c->layers, "num_hidden_layers", 0 }, { &c->heads, "num_attention_heads", 0 },
        { &c->width, "hidden_size", 0 },        { &c->hidden, "intermediate_size", 0 },
        { &c->vocab, "vocab_size", 0 },         { &c->positions, "max_position_embeddings", 0 },
        { &c->types, "type_vocab_size", 2 },
    };
    enum trop_status status = check_plain(doc);

    for (size_t k = 0; k < sizeof sizes / sizeof *sizes && status == TROP_OK; k++) {
        status = trop_architecture_size(sizes[k].at, doc, sizes[k].key, sizes[k].fallback);
    }
    if (status == TROP_OK && c->width % c->heads != 0) {
        status = trop_fail(TROP_ERR_IO,
                           "config.json: hidden_size %lld: must be a multiple of %lld "
                           "heads",
                           (long long)c->width, (long long)c->heads);
    }
    if (status == TROP_OK) {
        status = trop_architecture_number(&c->eps, doc, "layer_norm_eps", 1e-12);
    }
    if (status == TROP_OK) {
        status = trop_architecture_activation(&c->activation, doc, "hidden_act", "gelu");
    }
    if (status == TROP_OK && strcmp(type, "bert") != 0) {
        status = read_pad(c, doc);
    }
    if (status != TROP_OK) {
        return status;
    }
    c->kv_heads = c->heads;
    c->head = c->width / c->heads;
    c->scale = 1 / sqrt((double)c->head);
    c->norm = TROP_ARCHITECTURE_LAYERNORM;
    c->post = 1;
    c->bias_qkv = c->bias_out = c->bias_mlp = 1;
    return TROP_OK;
}

#define LAYER "encoder.layer.{l}."
const struct trop_architecture trop_architecture_bert = {
    .family = "bert",
    .types = (const char *const[]){ "bert", "roberta", "xlm-roberta", "camembert", NULL },
    .names = {
        .prefix = { "", "bert.", "roberta.", NULL },
        .instead = { { "LayerNorm.weight", "LayerNorm.gamma" }, { "LayerNorm.bias", "LayerNorm.beta" } },
        .name = {
            [TROP_ARCHITECTURE_TOKENS] = "embeddings.word_embeddings.weight",
            [TROP_ARCHITECTURE_POSITIONS] = "embeddings.position_embeddings.weight",
            [TROP_ARCHITECTURE_TYPES] = "embeddings.token_type_embeddings.weight",
            [TROP_ARCHITECTURE_FIRST_NORM] = "embeddings.LayerNorm.weight",
            [TROP_ARCHITECTURE_FIRST_NORM_BIAS] = "embeddings.LayerNorm.bias",
            [TROP_ARCHITECTURE_QUERY] = LAYER "attention.self.query.weight",
            [TROP_ARCHITECTURE_QUERY_BIAS] = LAYER "attention.self.query.bias",
            [TROP_ARCHITECTURE_KEY] = LAYER "attention.self.key.weight",
            [TROP_ARCHITECTURE_KEY_BIAS] = LAYER "attention.self.key.bias",
            [TROP_ARCHITECTURE_VALUE] = LAYER "attention.self.value.weight",
            [TROP_ARCHITECTURE_VALUE_BIAS] = LAYER "attention.self.value.bias",
            [TROP_ARCHITECTURE_OUT] = LAYER "attention.output.dense.weight",
            [TROP_ARCHITECTURE_OUT_BIAS] = LAYER "attention.output.dense.bias",
            [TROP_ARCHITECTURE_ATTENTION_NORM] = LAYER "attention.output.LayerNorm.weight",
            [TROP_ARCHITECTURE_ATTENTION_NORM_BIAS] = LAYER "attention.output.LayerNorm.bias",
            [TROP_ARCHITECTURE_UP] = LAYER "intermediate.dense.weight",
            [TROP_ARCHITECTURE_UP_BIAS] = LAYER "intermediate.dense.bias",
            [TROP_ARCHITECTURE_DOWN] = LAYER "output.dense.weight",
            [TROP_ARCHITECTURE_DOWN_BIAS] = LAYER "output.dense.bias",
            [TROP_ARCHITECTURE_MLP_NORM] = LAYER "output.LayerNorm.weight",
            [TROP_ARCHITECTURE_MLP_NORM_BIAS] = LAYER "output.LayerNorm.bias",
        },
    },
    .configure = configure,
};
