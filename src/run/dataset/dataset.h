/* dataset.h -- what the files of a data set share. */
#ifndef TROP_RUN_DATASET_H
#define TROP_RUN_DATASET_H

#include "io/array.h"
#include "io/h5/h5.h"
#include "tropism_lab.h"

/* The arrays of a data set, in the order in which they are checked: those that come first say how
 * large the others have to be. */
enum trop_dataset_part {
    TROP_DATASET_X,
    TROP_DATASET_Y,
    TROP_DATASET_Z,
    TROP_DATASET_V,
    TROP_DATASET_K,
    TROP_DATASET_E,
    TROP_DATASET_IDS,
    TROP_DATASET_NEXT,
    TROP_DATASET_PARTS
};

/* As read from a file or filled by a named set, whole numbers as doubles too. data NULL: absent. */
struct trop_dataset_arrays {
    struct trop_array part[TROP_DATASET_PARTS];
};

struct trop_dataset {
    struct trop_data data; /* points into what follows */
    struct trop_dataset_arrays arrays;
    int64_t *ids, *next;
};

/* dataset.c */

/* Checks the arrays and points the data to them; sizes that are not 0 must be the data's. */
enum trop_status trop_dataset_tie(struct trop_dataset *dataset, const char *name, int64_t n,
                                  int64_t T, int64_t d);
/* Room for a part of these sizes, with one label and one query for each input. */
enum trop_status trop_dataset_room(struct trop_dataset_arrays *out, int64_t part,
                                   const struct trop_data *sizes);
void trop_dataset_release(struct trop_dataset_arrays *arrays);

/* Where the file of a result has its data. */
#define TROP_DATASET_KEPT "/input/data"

/* dataset_file.c: the arrays that are there, unchecked. */
enum trop_status trop_dataset_read(struct trop_dataset_arrays *out, const char *path);
/* Writes them as datasets of a group; "" is the root. */
enum trop_status trop_dataset_put(struct trop_h5 *h5, const char *group,
                                  const struct trop_dataset *dataset);

/* dataset_memory.c: a copy; sizes that are not 0 must be the data's. */
enum trop_status trop_dataset_copy(struct trop_dataset **out, const struct trop_dataset *dataset,
                                   int64_t n, int64_t T, int64_t d);

/* dataset_named.c */

/* 1 when name is that of a set. */
int trop_dataset_is_named(const char *name);
/* The arrays of a set; sizes that are 0 become the set's own. */
enum trop_status trop_dataset_fill(struct trop_dataset_arrays *out, const char *name, int64_t n,
                                   int64_t T, int64_t d, uint64_t seed);

/* The seed that a named set was published with; otherwise for what is none. */
uint64_t trop_dataset_own_seed(const char *name, uint64_t otherwise);

/* What a named set fills: every pointer has the room that the set's line of the table says. */
struct trop_dataset_draft {
    double *x, *y, *z, *v, *k, *vocabulary, *ids, *next;
    struct trop_data size; /* n, T, d, dk, words */
    uint64_t seed;
    float *scratch; /* for the largest of the parts, of sets that torch draws */
};

/* dataset_torch.c: sets that their authors drew by PyTorch. */
void trop_dataset_torch_fig_1c(struct trop_dataset_draft *draft);
void trop_dataset_torch_tf_1(struct trop_dataset_draft *draft);
void trop_dataset_torch_tf_1b(struct trop_dataset_draft *draft);
void trop_dataset_torch_attsvm(struct trop_dataset_draft *draft);

/* dataset_drawn.c: sets whose laws are published, drawn by base/rng.h. */
void trop_dataset_drawn_fig_9(struct trop_dataset_draft *draft);
void trop_dataset_drawn_ntp(struct trop_dataset_draft *draft);
void trop_dataset_drawn_benign(struct trop_dataset_draft *draft);
void trop_dataset_drawn_benign2(struct trop_dataset_draft *draft);

#endif
