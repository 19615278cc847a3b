/* tensors.h -- the tensors of a model by name, whatever its files are. */
#ifndef TROP_MODEL_TENSORS_H
#define TROP_MODEL_TENSORS_H

#include "io/safetensors.h"
#include "tropism.h"

struct trop_tensors;

/* What the head of a llama2.c file says. */
struct trop_tensors_sizes {
    int64_t width, hidden, layers, heads, kv_heads, vocab, positions;
    int64_t tied; /* 1: the classifier is the table of embeddings */
};

/* path: a folder with model.safetensors or model.safetensors.index.json; one such file; or a file
 * of llama2.c, .bin, whose tensors get the names that Llama has elsewhere. Files are mapped. */
enum trop_status trop_tensors_open(struct trop_tensors **out, const char *path);
/* NULL is fine. */
void trop_tensors_close(struct trop_tensors *weights);

/* NULL: there is none of this name. Owned by weights. */
const struct trop_safetensors_entry *trop_tensors_find(const struct trop_tensors *weights,
                                                       const char *name);
/* Of a llama2.c file; NULL for others. */
const struct trop_tensors_sizes *trop_tensors_sizes(const struct trop_tensors *weights);
/* The folder of the files, with its slash; "" for this one. */
const char *trop_tensors_folder(const struct trop_tensors *weights);

/* Elements first, first + 1, ... as doubles; what is not finite is refused. */
enum trop_status trop_tensors_copy(double *out, const struct trop_safetensors_entry *entry,
                                   int64_t first, int64_t count);

#endif
