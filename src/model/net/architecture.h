/* architecture.h -- what kind of transformer a model is, and what its tensors are called.
 *
 * A family is a row: the values of model_type that it answers to, the names of its tensors, and a
 * function that reads its config.json. The forward pass (transformer.h) asks the description that
 * comes of it, and never which family it is.
 */
#ifndef TROP_MODEL_ARCHITECTURE_H
#define TROP_MODEL_ARCHITECTURE_H

#include "io/json/json_read.h"
#include "model/net/tensors.h"
#include "tropism.h"

/* ---- what a model is ------------------------------------------------------------------------ */

enum trop_architecture_norm {
    TROP_ARCHITECTURE_LAYERNORM, /* gain (x - mean) / sqrt(variance + eps) + bias */
    TROP_ARCHITECTURE_RMSNORM,   /* gain x / sqrt(mean square + eps) */
};

enum trop_architecture_activation {
    TROP_ARCHITECTURE_GELU,      /* x Phi(x) */
    TROP_ARCHITECTURE_GELU_TANH, /* x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2 */
    TROP_ARCHITECTURE_SILU,      /* x / (1 + e^-x) */
    TROP_ARCHITECTURE_RELU,
};

enum trop_architecture_scaling {
    TROP_ARCHITECTURE_UNSCALED,
    TROP_ARCHITECTURE_LINEAR, /* frequencies / factor */
    TROP_ARCHITECTURE_LLAMA3, /* low frequencies / factor, high ones kept, those between mixed */
};

/* The rotation of pairs p < head / 2 of q and k: by position times theta^(-2p / head), scaled. */
struct trop_architecture_rotation {
    double theta; /* 0: there is none, positions are learned */
    int64_t scaling;
    double factor, low, high, original; /* the last three of LLAMA3 */
    int64_t halves;                     /* 1: pair p is (p, p + head/2); 0: (2p, 2p + 1) */
};

#define TROP_ARCHITECTURE_LAYERS 1024

struct trop_architecture_config {
    const char *family;
    int64_t layers, heads, kv_heads, head; /* head: dimension of q, k, v */
    int64_t width, hidden, vocab;          /* of the stream, of the MLP */
    int64_t positions;                     /* tokens that a text may have */
    int64_t types;                         /* kinds of tokens; 0: none */
    int64_t pad;  /* >= 0: learned positions count tokens that are not this one, from pad + 1 on */
    int64_t norm; /* enum trop_architecture_norm */
    int64_t post; /* 1: norms stand behind the sums; 0: before attention and MLP */
    double eps;
    int64_t activation;
    int64_t gated;                        /* 1: down(act(gate x) * up x) */
    int64_t causal;                       /* 1: a decoder */
    int64_t logits;                       /* 1: with what makes its logits; set by transformer.c */
    int64_t tied;                         /* 1: logits by the table of embeddings */
    int64_t bias_qkv, bias_out, bias_mlp; /* 1: there are such vectors */
    int64_t conv;                         /* 1: matrices are stored (in, out) */
    double scale;                         /* of the scores */
    int64_t scale_by_layer;               /* 1: over layer + 1 as well */
    struct trop_architecture_rotation rotation;
    int64_t window[TROP_ARCHITECTURE_LAYERS]; /* of each layer; 0: all are seen */
};

/* ---- names ---------------------------------------------------------------------------------- */

/* What a tensor does. Those with a bias have it next. */
enum trop_architecture_role {
    TROP_ARCHITECTURE_TOKENS,
    TROP_ARCHITECTURE_POSITIONS,
    TROP_ARCHITECTURE_TYPES,
    TROP_ARCHITECTURE_FIRST_NORM, /* of the embeddings */
    TROP_ARCHITECTURE_FIRST_NORM_BIAS,
    TROP_ARCHITECTURE_ATTENTION_NORM,
    TROP_ARCHITECTURE_ATTENTION_NORM_BIAS,
    TROP_ARCHITECTURE_QKV, /* query, key and value in one */
    TROP_ARCHITECTURE_QKV_BIAS,
    TROP_ARCHITECTURE_QUERY,
    TROP_ARCHITECTURE_QUERY_BIAS,
    TROP_ARCHITECTURE_KEY,
    TROP_ARCHITECTURE_KEY_BIAS,
    TROP_ARCHITECTURE_VALUE,
    TROP_ARCHITECTURE_VALUE_BIAS,
    TROP_ARCHITECTURE_OUT,
    TROP_ARCHITECTURE_OUT_BIAS,
    TROP_ARCHITECTURE_MLP_NORM,
    TROP_ARCHITECTURE_MLP_NORM_BIAS,
    TROP_ARCHITECTURE_GATE,
    TROP_ARCHITECTURE_GATE_BIAS,
    TROP_ARCHITECTURE_UP,
    TROP_ARCHITECTURE_UP_BIAS,
    TROP_ARCHITECTURE_DOWN,
    TROP_ARCHITECTURE_DOWN_BIAS,
    TROP_ARCHITECTURE_LAST_NORM,
    TROP_ARCHITECTURE_LAST_NORM_BIAS,
    TROP_ARCHITECTURE_LOGITS,
    TROP_ARCHITECTURE_ROLES
};

/* {l} in a name is the layer; NULL: the family has no such tensor. */
struct trop_architecture_names {
    const char *name[TROP_ARCHITECTURE_ROLES];
    const char *prefix[4]; /* that may stand before all of them; NULL-ended, or full */
    /* Ends of names that some files have instead: {"LayerNorm.weight", "LayerNorm.gamma"}. */
    const char *instead[2][2];
};

/* ---- families ------------------------------------------------------------------------------- */

struct trop_architecture {
    const char *family;
    const char *const *types; /* of model_type in config.json, NULL-ended */
    struct trop_architecture_names names;
    /* Sizes and switches of this family; layers, heads and width are there already. */
    enum trop_status (*configure)(struct trop_architecture_config *out,
                                  const struct trop_json_read *doc, const char *type);
};

extern const struct trop_architecture trop_architecture_bert, trop_architecture_gpt2,
    trop_architecture_llama;

/* The family and the description of a model: by config.json beside its weights, or by the head of a
 * llama2.c file. type: in the place of its model_type; NULL: none. */
enum trop_status trop_architecture_read(const struct trop_architecture **out,
                                        struct trop_architecture_config *config,
                                        const struct trop_tensors *weights, const char *type);

/* Names of a person's own, of a JSON object: roles in words ("query", "query_bias", ...) and what
 * their tensors are called, {l} the layer; "model_type" says which family it is. The texts stay
 * doc's. type: that one, NULL when it is not there. */
enum trop_status trop_architecture_rename(struct trop_architecture_names *names, const char **type,
                                          const struct trop_json_read *doc);

/* The tensor of a role (layer: for {l}), which must have this shape (columns = 0: a vector). */
enum trop_status trop_architecture_find(const struct trop_safetensors_entry **out,
                                        const struct trop_architecture_names *names,
                                        const struct trop_tensors *weights, int64_t role,
                                        int64_t layer, int64_t rows, int64_t columns);

/* ---- for families --------------------------------------------------------------------------- */

/* A member of the config; fallback when it is absent or null. Sizes are from 1 to 2^24. */
enum trop_status trop_architecture_size(int64_t *out, const struct trop_json_read *doc,
                                        const char *key, int64_t fallback);
enum trop_status trop_architecture_number(double *out, const struct trop_json_read *doc,
                                          const char *key, double fallback);
enum trop_status trop_architecture_truth(int64_t *out, const struct trop_json_read *doc,
                                         const char *key, int64_t fallback);
enum trop_status trop_architecture_activation(int64_t *out, const struct trop_json_read *doc,
                                              const char *key, const char *fallback);
/* theta and scaling of a Llama, from rope_theta and rope_scaling or from rope_parameters. */
enum trop_status trop_architecture_rotation(struct trop_architecture_rotation *out,
                                            const struct trop_json_read *doc, double fallback);

#endif
