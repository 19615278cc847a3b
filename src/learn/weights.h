/* weights.h -- the parameters of an attention model, and their gradients: tensors with an exponent.
 *
 * A tensor stands for exp(log_scale) values. For parameters log_scale is 0 unless the norm leaves
 * double (mirror descent with p near 1); a gradient always carries one, so that its direction is
 * exact however small it is. log_scale = -infinity: zero. */
#ifndef TROP_LEARN_WEIGHTS_H
#define TROP_LEARN_WEIGHTS_H

#include "tropism.h"

#define TROP_WEIGHTS_MAX 3

struct trop_tensor {
    const char *name; /* "p", "W", "K", "Q", "v" */
    int64_t rows, columns;
    double *values; /* (rows, columns) */
    double log_scale;
};

/* Owns its values: one block of memory. */
struct trop_weights {
    int64_t count;
    struct trop_tensor tensor[TROP_WEIGHTS_MAX];
    double *memory;
};

/* Tensors of the names and shapes of like, all zero. */
enum trop_status trop_weights_create(struct trop_weights *out, const struct trop_weights *like);
void trop_weights_free(struct trop_weights *weights);
void trop_weights_copy(struct trop_weights *to, const struct trop_weights *from);

#endif
