/* array.h -- an array read from a file. */
#ifndef TROP_IO_ARRAY_H
#define TROP_IO_ARRAY_H

#include "base/alloc.h"
#include "tropism.h"

#define TROP_ARRAY_RANK 4

/* Row-major. data is owned by the struct; trop_array_free releases it. */
struct trop_array {
    double *data;
    int64_t rank; /* 0 (one number) to TROP_ARRAY_RANK */
    int64_t shape[TROP_ARRAY_RANK];
    int64_t header; /* line of a text, from 1, that was passed over as the names of the columns */
};

/* Elements of a shape; -1 when it is negative or leaves int64_t, also when only
 * the other dimensions of an empty array do. */
static inline int64_t trop_array_count(int64_t rank, const int64_t *shape)
{
    int64_t count = 1;
    int empty = 0;

    for (int64_t k = 0; k < rank; k++) {
        empty |= shape[k] == 0;
        count = trop_alloc_product(count, shape[k] == 0 ? 1 : shape[k]);
        if (count < 0) {
            return -1;
        }
    }
    return empty ? 0 : count;
}

/* FILE.npy, FILE.csv, FILE.tsv, FILE.txt, FILE.h5:/path/to/dataset, FILE.npz:NAME or
 * FILE.safetensors:NAME; "-" is standard input, text or an .npy. */
enum trop_status trop_array_read(struct trop_array *out, const char *path);
void trop_array_free(struct trop_array *array);
/* A copy of numbers in memory; name is for the sentence. */
enum trop_status trop_array_copy(struct trop_array *out, const char *name, const double *values,
                                 int64_t rank, const int64_t *shape);

/* Its shape for a sentence: "3 x 4", "7", "one number". */
void trop_array_words(char out[96], const struct trop_array *array);
/* 1 when a value is an array of numbers, integers or truths. */
int trop_array_holds(const struct trop_value *value);
/* Refuses NaN and infinity, naming row and column; path is for the sentence. */
enum trop_status trop_array_finite(const struct trop_array *array, const char *path);

#endif
