/* transformer.h -- a trained transformer, run in double from its stored weights.
 *
 * Layers read and write the residual stream (n, width). With norms before (GPT-2, Llama)
 *
 *   x <- x + W_O attention(norm(x)),   x <- x + MLP(norm(x)),
 *
 * and the last stream is normalised once more; with norms behind (BERT)
 *
 *   x <- norm(x + W_O attention(x)),   x <- norm(x + MLP(x)),
 *
 * the embeddings being normalised first. The results do not depend on the number of threads.
 */
#ifndef TROP_MODEL_TRANSFORMER_H
#define TROP_MODEL_TRANSFORMER_H

#include "model/net/architecture.h"
#include "model/head/head.h"
#include "tropism.h"

/* ---- the model ------------------------------------------------------------------------------ */

struct trop_transformer;

/* path: a folder, a file .safetensors with config.json beside it, or a file .bin of llama2.c
 * (tensors.h). That every tensor is there and has its shape is checked now; their numbers are read
 * when they are needed, a layer at a time. threads never changes a result. */
enum trop_status trop_transformer_open(struct trop_transformer **out, const char *path,
                                       int64_t threads);
/* The same with a file of names of tensors, .json (trop_architecture_rename); NULL: none. */
enum trop_status trop_transformer_open_named(struct trop_transformer **out, const char *path,
                                             const char *names, int64_t threads);
/* NULL is fine. */
void trop_transformer_close(struct trop_transformer *model);
/* Owned by model. */
const struct trop_architecture_config *
trop_transformer_config(const struct trop_transformer *model);
/* Tokens that a text may have. */
int64_t trop_transformer_limit(const struct trop_transformer *model);

/* ---- a text through it ---------------------------------------------------------------------- */

struct trop_transformer_pass;

/* ids (n) of the tokens; types (n) of those models that have them, NULL: all 0. Both are copied.
 * The pass is used with the model, which must outlive it. */
enum trop_status trop_transformer_run(struct trop_transformer_pass **out,
                                      const struct trop_transformer *model, const int64_t *ids,
                                      const int64_t *types, int64_t n);
void trop_transformer_free(struct trop_transformer_pass *pass);

/* (n, width): the stream that enters layer l, and for l = layers the one that leaves the last.
 * Owned by pass, as the next. */
const double *trop_transformer_stream(const struct trop_transformer_pass *pass, int64_t l);
/* (n, width): the last hidden states, behind the last norm. */
const double *trop_transformer_hidden(const struct trop_transformer_pass *pass);
/* Of models that have them (config.logits): out (rows, vocab), the logits of rows of hidden (rows,
 * width). */
enum trop_status trop_transformer_logits(double *out, const struct trop_transformer *model,
                                         const double *hidden, int64_t rows);

/* ---- one layer of it ------------------------------------------------------------------------ */

struct trop_transformer_layer;

/* What the heads of a layer were given; pass must outlive it. */
enum trop_status trop_transformer_layer(struct trop_transformer_layer **out,
                                        const struct trop_transformer_pass *pass, int64_t layer);
void trop_transformer_layer_free(struct trop_transformer_layer *layer);
/* Head h of it; the pointers are valid until trop_transformer_layer_free. */
void trop_transformer_head(struct trop_head_input *out, const struct trop_transformer_layer *layer,
                           int64_t h);

/* (n): the token that each row of head h selects, which is that of its largest score, the first of
 * those that tie. Owned by layer. */
const int64_t *trop_transformer_selected(const struct trop_transformer_layer *layer, int64_t h);

/* The last hidden states (n, width) when every row of head h took the value of the token that it
 * selects instead of the average; all else as it is. Costs the layers from
 * this one on. */
enum trop_status trop_transformer_patch(double *hidden, const struct trop_transformer_layer *layer,
                                        int64_t h);

#endif
