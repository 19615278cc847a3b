/* weights.c -- tensors of one model in one block of memory. */
#include "learn/weights.h"

#include "base/alloc.h"
#include "base/status.h"

#include <string.h>

static int64_t size_of(const struct trop_tensor *tensor)
{
    return trop_alloc_product(tensor->rows, tensor->columns);
}

enum trop_status trop_weights_create(struct trop_weights *out, const struct trop_weights *like)
{
    struct trop_weights made = *like;
    int64_t total = 0;

    for (int64_t k = 0; k < like->count; k++) {
        const int64_t size = size_of(like->tensor + k);
        total = size < 0 || total > INT64_MAX - size ? -1 : total + size;
        if (total < 0) {
            break;
        }
    }
    made.memory = trop_alloc(total, sizeof *made.memory);
    if (!made.memory) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for the weights of a model");
    }
    for (int64_t k = 0, at = 0; k < made.count; k++) {
        made.tensor[k].values = made.memory + at;
        made.tensor[k].log_scale = 0;
        at += size_of(made.tensor + k);
    }
    *out = made;
    return TROP_OK;
}

void trop_weights_free(struct trop_weights *weights)
{
    trop_alloc_free(weights->memory);
    *weights = (struct trop_weights){ 0 };
}

void trop_weights_copy(struct trop_weights *to, const struct trop_weights *from)
{
    for (int64_t k = 0; k < from->count; k++) {
        memcpy(to->tensor[k].values, from->tensor[k].values,
               (size_t)size_of(from->tensor + k) * sizeof(double));
        to->tensor[k].log_scale = from->tensor[k].log_scale;
    }
}
