/* weights.h -- the tensors of a model by name, whatever its files are. */
#ifndef TROP_MODEL_WEIGHTS_H
#define TROP_MODEL_WEIGHTS_H

#include "io/safetensors.h"
#include "tropism.h"

struct trop_weights;

/* What the head of a llama2.c file says. */
struct trop_weights_sizes {
    int64_t width, hidden, layers, heads, kv_heads, vocab, positions;
    int64_t tied; /* 1: the classifier is the table of embeddings */
};

/* path: a folder with model.safetensors or model.safetensors.index.json; one such file; or a file
 * of llama2.c, .bin, whose tensors get the names that Llama has elsewhere. Files are mapped. */
enum trop_status trop_weights_open(struct trop_weights **out, const char *path);
/* NULL is fine. */
void trop_weights_close(struct trop_weights *weights);

/* NULL: there is none of this name. Owned by weights. */
const struct trop_safetensors_entry *trop_weights_find(const struct trop_weights *weights,
                                                       const char *name);
/* Of a llama2.c file; NULL for others. */
const struct trop_weights_sizes *trop_weights_sizes(const struct trop_weights *weights);
/* The folder of the files, with its slash; "" for this one. */
const char *trop_weights_folder(const struct trop_weights *weights);

/* Elements first, first + 1, ... as doubles; what is not finite is refused. */
enum trop_status trop_weights_copy(double *out, const struct trop_safetensors_entry *entry,
                                   int64_t first, int64_t count);

#endif
