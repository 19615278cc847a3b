/* small_models.h -- small transformers with weights from a formula, as files in the scratch folder.
 *
 * Element k of tensor NAME is (z mod 128 - 64) / 128, z the k-th number of splitmix64 from the
 * FNV-1a hash of NAME, shifted by 33 bits; norms have 1 added to their gains.
 * tests/model/forward.py has the same formula and the same models. */
#ifndef TROP_TESTS_SMALL_MODELS_H
#define TROP_TESTS_SMALL_MODELS_H

#include "scratch.h"
#include "support.h"

#include <sys/stat.h>

#define WIDTH 12
#define HIDDEN 20
#define VOCAB 11
#define POSITIONS 9

/* ---- numbers -------------------------------------------------------------------------------- */

static const char *small_zero; /* tensors whose weights are 0 have this in their names; or NULL */

static inline double small_number(const char *name, int64_t k)
{
    uint64_t z = 0xcbf29ce484222325u;

    if (small_zero && strstr(name, small_zero)) {
        return 0;
    }
    for (const char *c = name; *c; c++) {
        z = (z ^ (unsigned char)*c) * 0x100000001b3u;
    }
    z += (uint64_t)(k + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    const int norm = strstr(name, "norm") || strstr(name, "Norm") || strstr(name, "ln_");
    const int bias = strstr(name, "bias") || strstr(name, "beta");
    return ((double)(z >> 33 & 127) - 64) / 128 + (norm && !bias);
}

/* Its bytes as F64, F32, F16 or BF16, exact in each; returns how many. */
static inline int64_t small_bytes(unsigned char *out, double value, const char *type)
{
    const float single = (float)value;
    uint64_t bits = 0;
    uint32_t half;

    memcpy(&half, &single, sizeof half);
    if (strcmp(type, "F64") == 0) {
        memcpy(&bits, &value, sizeof bits);
    } else if (strcmp(type, "F32") == 0) {
        bits = half;
    } else if (strcmp(type, "BF16") == 0) {
        bits = half >> 16;
    } else if (value != 0) { /* normal: from 2^-7 to below 2 */
        bits = (half >> 31 << 15) | ((half >> 23 & 255) - 112) << 10 | (half >> 13 & 1023);
    }
    const int64_t size = type[1] == '6' ? 8 : type[1] == '3' ? 4 : 2;
    for (int64_t k = 0; k < size; k++) {
        out[k] = (unsigned char)(bits >> 8 * k & 255);
    }
    return size;
}

/* ---- a file of tensors ---------------------------------------------------------------------- */

struct small_file {
    char header[16000];
    unsigned char data[80000];
    int64_t used;
    const char *type, *prefix;
    const char *without; /* a tensor that is left out; or NULL */
    const char *poison;  /* a tensor whose last element is NaN; or NULL */
    int64_t skipped;     /* only tensors with index mod 2 = half are written, when parts = 2 */
    int parts, half;
    char map[16000]; /* of the index */
};

static inline void small_add(struct small_file *f, const char *name, int64_t rows, int64_t columns)
{
    char full[200], shape[64];
    const int64_t first = f->used, count = rows * (columns ? columns : 1);

    snprintf(full, sizeof full, "%s%s", strcmp(name, "lm_head.weight") ? f->prefix : "", name);
    if (f->without && strcmp(full, f->without) == 0) {
        return;
    }
    if (f->parts == 2 && f->skipped++ % 2 != f->half) {
        return;
    }
    for (int64_t k = 0; k < count; k++) {
        const int nan = f->poison && strcmp(full, f->poison) == 0 && k == count - 1;
        f->used += small_bytes(f->data + f->used, nan ? NAN : small_number(full, k), f->type);
    }
    snprintf(shape, sizeof shape, columns ? "%d,%d" : "%d", (int)rows, (int)columns);
    const size_t used = strlen(f->header), mapped = strlen(f->map);
    snprintf(f->header + used, sizeof f->header - used,
             "%s\"%s\":{\"dtype\":\"%s\",\"shape\":[%s],\"data_offsets\":[%d,%d]}",
             used ? "," : "{", full, f->type, shape, (int)first, (int)f->used);
    snprintf(f->map + mapped, sizeof f->map - mapped, "%s\"%s\":\"part-%d.safetensors\"",
             mapped ? "," : "{\"weight_map\":{", full, f->half);
}

/* `name` with its weight (rows, columns) and, if it has one, its bias. */
static inline void small_dense(struct small_file *f, int64_t layer, const char *name, int64_t rows,
                               int64_t columns, int64_t bias)
{
    char full[200];

    snprintf(full, sizeof full, name, (int)layer);
    strcat(full, ".weight");
    small_add(f, full, rows, columns);
    if (bias) {
        strcpy(full + strlen(full) - 6, "bias");
        small_add(f, full, bias, 0);
    }
}

static inline void small_write(struct small_file *f, const char *path)
{
    static unsigned char whole[120000];
    FILE *file = fopen(path, "wb");

    strcat(f->header, "}");
    const size_t length = strlen(f->header);
    for (int k = 0; k < 8; k++) {
        whole[k] = (unsigned char)(length >> 8 * k & 255);
    }
    memcpy(whole + 8, f->header, length);
    memcpy(whole + 8 + length, f->data, (size_t)f->used);
    if (!file || fwrite(whole, 1, 8 + length + (size_t)f->used, file) == 0 || fclose(file) != 0) {
        abort();
    }
    f->header[0] = 0;
    f->used = 0;
}

/* ---- families ------------------------------------------------------------------------------- */

static inline void small_bert(struct small_file *f, int old)
{
    static const char *const dense[] = {
        "encoder.layer.%d.attention.self.query", "encoder.layer.%d.attention.self.key",
        "encoder.layer.%d.attention.self.value", "encoder.layer.%d.attention.output.dense",
        "encoder.layer.%d.intermediate.dense",   "encoder.layer.%d.output.dense"
    };
    static const char *const norm[] = { "embeddings.LayerNorm.",
                                        "encoder.layer.0.attention.output.LayerNorm.",
                                        "encoder.layer.0.output.LayerNorm.",
                                        "encoder.layer.1.attention.output.LayerNorm.",
                                        "encoder.layer.1.output.LayerNorm." };
    char full[200];

    small_add(f, "embeddings.word_embeddings.weight", VOCAB, WIDTH);
    small_add(f, "embeddings.position_embeddings.weight", POSITIONS, WIDTH);
    small_add(f, "embeddings.token_type_embeddings.weight", 2, WIDTH);
    for (int k = 0; k < 12; k++) {
        const int64_t rows = k % 6 == 4 ? HIDDEN : WIDTH, columns = k % 6 == 5 ? HIDDEN : WIDTH;
        small_dense(f, k / 6, dense[k % 6], rows, columns, rows);
    }
    for (int k = 0; k < 5; k++) {
        snprintf(full, sizeof full, "%s%s", norm[k], old ? "gamma" : "weight");
        small_add(f, full, WIDTH, 0);
        snprintf(full, sizeof full, "%s%s", norm[k], old ? "beta" : "bias");
        small_add(f, full, WIDTH, 0);
    }
}

static inline void small_gpt2(struct small_file *f)
{
    small_add(f, "wte.weight", VOCAB, WIDTH);
    small_add(f, "wpe.weight", POSITIONS, WIDTH);
    for (int l = 0; l < 2; l++) {
        small_dense(f, l, "h.%d.ln_1", WIDTH, 0, WIDTH);
        small_dense(f, l, "h.%d.attn.c_attn", WIDTH, 3 * WIDTH, 3 * WIDTH);
        small_dense(f, l, "h.%d.attn.c_proj", WIDTH, WIDTH, WIDTH);
        small_dense(f, l, "h.%d.ln_2", WIDTH, 0, WIDTH);
        small_dense(f, l, "h.%d.mlp.c_fc", WIDTH, HIDDEN, HIDDEN);
        small_dense(f, l, "h.%d.mlp.c_proj", HIDDEN, WIDTH, WIDTH);
    }
    small_dense(f, 0, "ln_f", WIDTH, 0, WIDTH);
}

/* biased: 0 none, 1 queries, keys and values, 2 all. */
static inline void small_llama(struct small_file *f, int64_t q, int64_t kv, int biased, int tied)
{
    small_add(f, "embed_tokens.weight", VOCAB, WIDTH);
    for (int l = 0; l < 2; l++) {
        small_dense(f, l, "layers.%d.input_layernorm", WIDTH, 0, 0);
        small_dense(f, l, "layers.%d.self_attn.q_proj", q, WIDTH, biased ? q : 0);
        small_dense(f, l, "layers.%d.self_attn.k_proj", kv, WIDTH, biased ? kv : 0);
        small_dense(f, l, "layers.%d.self_attn.v_proj", kv, WIDTH, biased ? kv : 0);
        small_dense(f, l, "layers.%d.self_attn.o_proj", WIDTH, q, biased == 2 ? WIDTH : 0);
        small_dense(f, l, "layers.%d.post_attention_layernorm", WIDTH, 0, 0);
        small_dense(f, l, "layers.%d.mlp.gate_proj", HIDDEN, WIDTH, biased == 2 ? HIDDEN : 0);
        small_dense(f, l, "layers.%d.mlp.up_proj", HIDDEN, WIDTH, biased == 2 ? HIDDEN : 0);
        small_dense(f, l, "layers.%d.mlp.down_proj", WIDTH, HIDDEN, biased == 2 ? WIDTH : 0);
    }
    small_add(f, "norm.weight", WIDTH, 0);
    if (!tied) {
        small_add(f, "lm_head.weight", VOCAB, WIDTH);
    }
}

/* A file of llama2.c: 2 heads that share one key. */
static inline int64_t small_llama2(unsigned char *out)
{
    static const int32_t sizes[7] = { WIDTH, HIDDEN, 2, 2, 1, -VOCAB, POSITIONS };
    static const struct {
        const char *name;
        int64_t layers, size;
    } stacks[] = {
        { "model.embed_tokens.weight", 1, VOCAB * WIDTH },
        { "model.layers.%d.input_layernorm.weight", 2, WIDTH },
        { "model.layers.%d.self_attn.q_proj.weight", 2, WIDTH * WIDTH },
        { "model.layers.%d.self_attn.k_proj.weight", 2, WIDTH * WIDTH / 2 },
        { "model.layers.%d.self_attn.v_proj.weight", 2, WIDTH * WIDTH / 2 },
        { "model.layers.%d.self_attn.o_proj.weight", 2, WIDTH * WIDTH },
        { "model.layers.%d.post_attention_layernorm.weight", 2, WIDTH },
        { "model.layers.%d.mlp.gate_proj.weight", 2, WIDTH * HIDDEN },
        { "model.layers.%d.mlp.down_proj.weight", 2, WIDTH * HIDDEN },
        { "model.layers.%d.mlp.up_proj.weight", 2, WIDTH * HIDDEN },
        { "model.norm.weight", 1, WIDTH },
        { "tables", 1, 2 * POSITIONS * 3 },
        { "lm_head.weight", 1, VOCAB * WIDTH },
    };
    int64_t used = sizeof sizes;
    char name[100];

    memcpy(out, sizes, sizeof sizes);
    for (size_t k = 0; k < sizeof stacks / sizeof *stacks; k++) {
        for (int l = 0; l < stacks[k].layers; l++) {
            snprintf(name, sizeof name, stacks[k].name, l);
            for (int64_t e = 0; e < stacks[k].size; e++) {
                used += small_bytes(out + used, small_number(name, e), "F32");
            }
        }
    }
    return used;
}

/* ---- the seven models of forward.py --------------------------------------------------------- */

#define BERT_SIZES \
    "\"hidden_size\":12,\"intermediate_size\":20,\"num_hidden_layers\":2,\"num_attention_heads\":" \
    "3," \
    "\"vocab_size\":11,\"max_position_embeddings\":9,\"type_vocab_size\":2,\"hidden_act\":" \
    "\"gelu\""
#define LLAMA_SIZES \
    "\"hidden_size\":12,\"intermediate_size\":20,\"num_hidden_layers\":2,\"vocab_size\":11," \
    "\"max_position_embeddings\":9,\"hidden_act\":\"silu\",\"rms_norm_eps\":1e-5"
#define SMALL_MODELS 7

static const char *const small_config[SMALL_MODELS] = {
    "{\"model_type\":\"bert\",\"layer_norm_eps\":1e-12," BERT_SIZES "}",
    "{\"model_type\":\"roberta\",\"layer_norm_eps\":1e-5,\"pad_token_id\":1," BERT_SIZES "}",
    "{\"model_type\":\"gpt2\",\"n_embd\":12,\"n_head\":2,\"n_layer\":2,\"n_inner\":20,"
    "\"vocab_size\":11,\"n_positions\":9,\"layer_norm_epsilon\":1e-5,"
    "\"activation_function\":\"gelu_new\",\"scale_attn_by_inverse_layer_idx\":true}",
    "{\"model_type\":\"llama\",\"num_attention_heads\":4,\"num_key_value_heads\":2,\"head_dim\":6,"
    "\"attention_bias\":true,\"mlp_bias\":true,\"tie_word_embeddings\":false,\"rope_theta\":100.0,"
    "\"rope_scaling\":{\"rope_type\":\"llama3\",\"factor\":4.0,\"low_freq_factor\":1.0,"
    "\"high_freq_factor\":4.0,\"original_max_position_embeddings\":24}," LLAMA_SIZES "}",
    "{\"model_type\":\"mistral\",\"num_attention_heads\":2,\"num_key_value_heads\":1,"
    "\"sliding_window\":3,\"tie_word_embeddings\":true,"
    "\"rope_scaling\":{\"type\":\"linear\",\"factor\":2.0}," LLAMA_SIZES "}",
    "{\"model_type\":\"qwen2\",\"num_attention_heads\":3,\"num_key_value_heads\":3,"
    "\"sliding_window\":2,\"use_sliding_window\":true,\"max_window_layers\":1,"
    "\"tie_word_embeddings\":false,\"rope_parameters\":{\"rope_theta\":500.0,\"rope_type\":"
    "\"default\"}," LLAMA_SIZES "}",
    NULL,
};

static inline void small_fill(struct small_file *f, int model)
{
    static const char *const types[] = { "F32", "F16", "BF16", "F32", "F64", "F32" };
    static const char *const prefixes[] = {
        "", "roberta.", "transformer.", "model.", "", "model."
    };

    f->type = types[model];
    f->prefix = prefixes[model];
    f->skipped = 0;
    if (model < 2) {
        small_bert(f, model == 1);
    } else if (model == 2) {
        small_gpt2(f);
    } else {
        small_llama(f, model == 3 ? 24 : 12, model == 4 ? 6 : 12, model == 3 ? 2 : model == 5,
                    model == 4);
    }
}

/* Writes model k, in two parts when it is the fifth, and gives its path. */
static inline const char *small_model(int k, const char *config, const char *without,
                                      const char *poison)
{
    static struct small_file f;
    static unsigned char bytes[40000];

    if (k == SMALL_MODELS - 1) {
        const int64_t size = small_llama2(bytes);
        scratch_fill(scratch("small.bin"), bytes, (size_t)size);
        return scratch("small.bin");
    }
    memset(&f, 0, sizeof f);
    f.without = without;
    f.poison = poison;
    f.parts = k == 4 ? 2 : 1;
    mkdir(scratch("small"), 0700);
    if (f.parts == 1) {
        small_fill(&f, k);
        small_write(&f, scratch("small/model.safetensors"));
    }
    for (f.half = 0; f.parts == 2 && f.half < 2; f.half++) {
        small_fill(&f, k);
        small_write(&f, scratch(f.half ? "small/part-1.safetensors" : "small/part-0.safetensors"));
    }
    if (f.parts == 2) {
        strcat(f.map, "}}");
        scratch_fill(scratch("small/model.safetensors.index.json"), f.map, strlen(f.map));
    }
    const char *text = config ? config : small_config[k];
    scratch_fill(scratch("small/config.json"), text, strlen(text));
    return scratch("small");
}

static inline void small_clear(void)
{
    scratch_empty();
    rmdir(scratch("small"));
}

#endif
