/* data.h -- training data: checks, and a copy that owns its arrays. */
#ifndef TROP_MARGIN_DATA_H
#define TROP_MARGIN_DATA_H

#include "tropism.h"

#define TROP_DATA_ARRAYS 8

struct trop_data_copy {
    struct trop_data data; /* its arrays are those below, or NULL */
    void *memory[TROP_DATA_ARRAYS];
    double largest; /* max |x|, where there are x and v */
};

/* Rows of v. */
static inline int64_t trop_data_heads(const struct trop_data *data)
{
    return data->heads > 1 ? data->heads : 1;
}

/* Refuses sizes that do not fit together, labels, ids and numbers that cannot be, by name and place
 * (data_check.c). */
enum trop_status trop_data_check(const struct trop_data *data);
/* Checks sizes, labels, ids and that every number is finite; then copies. On failure nothing is
 * held. */
enum trop_status trop_data_copy(struct trop_data_copy *out, const struct trop_data *data);
void trop_data_free(struct trop_data_copy *copy);

#endif
