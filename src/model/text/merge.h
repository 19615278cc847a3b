/* merge.h -- a row of symbols whose neighbours grow together, best pair first. */
#ifndef TROP_MODEL_MERGE_H
#define TROP_MODEL_MERGE_H

#include "tropism.h"

struct trop_merge_symbol {
    int32_t word;          /* of a vocabulary; -1: it was taken into the one before it */
    int32_t before, after; /* its neighbours; -1: none */
    int64_t first, last;   /* the bytes of the text that it stands for */
};

/* A pair that may merge. */
struct trop_merge_candidate {
    double rank;
    int32_t at;   /* its left symbol */
    int32_t word; /* what would stand there */
};

/* The row, and the heap of its pairs; zeros are an empty one, which grows. */
struct trop_merge {
    struct trop_merge_symbol *symbol; /* (count) the first is symbol[0] as long as there is one */
    int64_t count, room;
    struct trop_merge_candidate *heap; /* (waiting) */
    int64_t waiting, room_heap;
};

/* What two words become, and its rank, least first; -1: they do not merge. */
typedef int32_t trop_merge_rule(double *rank, const void *context, int32_t left, int32_t right);

/* A symbol behind the last. */
enum trop_status trop_merge_push(struct trop_merge *row, int32_t word, int64_t first, int64_t last);
/* Merges until nothing merges: always the pair of least rank, of equal ones the leftmost. What is
 * left is symbol[0] and, by `after`, those behind it. */
enum trop_status trop_merge_run(struct trop_merge *row, trop_merge_rule *rule, const void *context);
void trop_merge_release(struct trop_merge *row);

/* ---- pairs by a list --------------------------------------------------------------------------
 */

/* Pairs of words, what they become, and their ranks; zeros are none. */
struct trop_merge_table {
    int64_t count;
    int64_t slots; /* a power of 2, or 0 */
    struct trop_merge_pair {
        int32_t left, right; /* left = -1: free */
        int32_t word;
        int32_t rank;
    } * pair; /* (slots) */
};

/* Room for so many pairs. */
enum trop_status trop_merge_table_create(struct trop_merge_table *out, int64_t pairs);
/* A pair that is there already gets the new rank. */
void trop_merge_table_add(struct trop_merge_table *table, const struct trop_merge_pair *pair);
/* A rule; the context is the table. */
int32_t trop_merge_table_rule(double *rank, const void *table, int32_t left, int32_t right);
void trop_merge_table_free(struct trop_merge_table *table);

#endif
