/* transformer_internal.h -- what the transformer files share; nobody else includes it.
 *
 * Matrices of weights are kept (in, out), the right factor of trop_kernel_sequence's product, in
 * panels of TROP_TRANSFORMER_PANEL columns that lie together, as the product reads them; out is
 * padded to a multiple of TROP_LANES with zeros. Everything about tokens is kept token by token,
 * padded likewise. A sum of a product starts with the bias and goes on in the order of the inner
 * index, one fma each.
 */
#ifndef TROP_MODEL_TRANSFORMER_INTERNAL_H
#define TROP_MODEL_TRANSFORMER_INTERNAL_H

#include "kernel/kernel.h"
#include "kernel/kernel_activation.h"
#include "kernel/kernel_sequence.h"
#include "model/net/transformer.h"

static inline int64_t trop_transformer_padded(int64_t n)
{
    return (n + TROP_LANES - 1) / TROP_LANES * TROP_LANES;
}

/* ---- weights -------------------------------------------------------------------------------- */

#define TROP_TRANSFORMER_PANEL 32

/* y = x w + b. */
struct trop_transformer_matrix {
    int64_t in, out, stride; /* stride: out, padded */
    double *w;               /* (stride / PANEL, in, PANEL), the last panel perhaps narrower */
    double *b;               /* (stride); zeros where there is no bias */
};

/* Where the panel of column c begins, and how wide it is. */
static inline double *trop_transformer_panel(int64_t *wide, const struct trop_transformer_matrix *m,
                                             int64_t c)
{
    const int64_t first = c - c % TROP_TRANSFORMER_PANEL, left = m->stride - first;

    *wide = left < TROP_TRANSFORMER_PANEL ? left : TROP_TRANSFORMER_PANEL;
    return m->w + first * m->in;
}

/* w_kc. */
static inline double *trop_transformer_at(const struct trop_transformer_matrix *m, int64_t k,
                                          int64_t c)
{
    int64_t wide;
    double *panel = trop_transformer_panel(&wide, m, c);

    return panel + k * wide + c % TROP_TRANSFORMER_PANEL;
}

struct trop_transformer_gain {
    double *gain, *bias; /* (width) each; no bias: zeros */
};

/* The weights of one layer. */
struct trop_transformer_block {
    struct trop_transformer_matrix qkv; /* out: queries of all heads, keys, values */
    struct trop_transformer_matrix out, gate, up, down;
    struct trop_transformer_gain attention, mlp; /* norms */
};

/* A layer's weights while somebody uses them, or for good where those of all layers take no more
 * than TROP_TRANSFORMER_KEPT bytes. */
struct trop_transformer_slot {
    struct trop_transformer_block block;
    int64_t users, loaded;
};
#define TROP_TRANSFORMER_KEPT ((int64_t)1 << 30)

struct trop_transformer {
    struct trop_tensors *weights;
    struct trop_architecture_config config;
    struct trop_architecture_names names;
    struct trop_json_read *own; /* names of a person's own; NULL: none */
    const struct trop_kernel_sequence *kernel;
    const struct trop_kernel_activation *activation;
    int64_t threads;
    double *frequency;                  /* (head / 2) of the rotation; NULL: none */
    struct trop_transformer_slot *slot; /* (layers) */
};

/* A tensor of the model by role, or a sentence. */
enum trop_status trop_transformer_find(const struct trop_safetensors_entry **out,
                                       const struct trop_transformer *model, int64_t role,
                                       int64_t layer, int64_t rows, int64_t columns);
enum trop_status trop_transformer_check(const struct trop_transformer *model);
/* The weights of a layer, until they are given back. */
enum trop_status trop_transformer_take(const struct trop_transformer_block **out,
                                       const struct trop_transformer *model, int64_t layer);
void trop_transformer_give(const struct trop_transformer *model, int64_t layer);
void trop_transformer_block_free(struct trop_transformer_block *block);
/* The gain and bias of the norm of this role. */
enum trop_status trop_transformer_gain_load(struct trop_transformer_gain *out,
                                            const struct trop_transformer *model, int64_t role,
                                            int64_t layer);
void trop_transformer_gain_free(struct trop_transformer_gain *gain);

/* c (rows, c_stride) = a (rows, a_stride) w + b. */
void trop_transformer_product(double *c, int64_t c_stride, const double *a, int64_t a_stride,
                              int64_t rows, const struct trop_transformer_matrix *m,
                              const struct trop_kernel_sequence *kernel);

/* ---- norms, the rotation -------------------------------------------------------------------- */

/* One row: hat (width) = x normalised, y = gain hat + bias. hat or y may be NULL, or x itself. */
void trop_transformer_norm(double *hat, double *y, const double *x,
                           const struct trop_transformer_gain *gain,
                           const struct trop_architecture_config *config);

/* frequency (head / 2): radians that each pair turns from one token to the next. */
void trop_transformer_frequencies(double *frequency, const struct trop_architecture_config *config);
/* One vector (head) at this position, in place. */
void trop_transformer_rotate(double *x, const double *frequency, int64_t position,
                             const struct trop_architecture_config *config);

/* ---- the pass ------------------------------------------------------------------------------- */

struct trop_transformer_pass {
    const struct trop_transformer *model;
    int64_t n;
    int64_t *ids, *types; /* (n) */
    double *stream;       /* (layers + 1, n, width) */
    double *hat;          /* (layers, n, width) x^ of each layer; NULL: norms stand before */
    double *hidden;       /* (n, width) */
};

/* The attention of a layer: queries (heads, n, head), keys and values (kv_heads, n, head). */
struct trop_transformer_attention {
    double *q, *k, *v;
    double *context; /* (n, heads, head): what the heads give */
    int64_t *best;   /* (heads, n) the token of each row's largest score; NULL: nobody asks */
};

enum trop_status trop_transformer_attention_create(struct trop_transformer_attention *out,
                                                   const struct trop_architecture_config *config,
                                                   int64_t n);
void trop_transformer_attention_free(struct trop_transformer_attention *attention);
/* Queries, keys, values and context from x (n, width), what the layer's attention reads. */
enum trop_status trop_transformer_attend(struct trop_transformer_attention *out,
                                         const struct trop_transformer *model, const double *x,
                                         int64_t n, int64_t layer,
                                         const struct trop_transformer_block *block);
/* fed (n, width): what attention reads of the stream x where norms stand before it; hat: its x^, or
 * NULL. */
void trop_transformer_feed(double *fed, double *hat, const double *x, int64_t n,
                           const struct trop_architecture_config *config,
                           const struct trop_transformer_block *block);
/* The scale of a layer's scores. */
double trop_transformer_scale(const struct trop_architecture_config *config, int64_t layer);

/* The rest of a layer: y (n, width), and its x^ where norms stand behind, from the stream x and the
 * context (n, heads head). */
enum trop_status trop_transformer_finish(double *y, double *hat, const double *x,
                                         const double *context, int64_t n,
                                         const struct trop_transformer *model,
                                         const struct trop_transformer_block *block);
/* A whole layer: y and its x^ from the stream x. */
enum trop_status trop_transformer_step(double *y, double *hat, const double *x, int64_t n,
                                       const struct trop_transformer *model, int64_t layer);
/* hidden from the last stream x. */
enum trop_status trop_transformer_last(double *hidden, const double *x, int64_t n,
                                       const struct trop_transformer *model);
/* The stream and x^ that enter layer 0. */
enum trop_status trop_transformer_embed(double *x, double *hat,
                                        const struct trop_transformer_pass *pass);

#endif
