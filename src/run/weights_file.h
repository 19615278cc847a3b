/* weights_file.h -- weights of a model in files. */
#ifndef TROP_RUN_WEIGHTS_FILE_H
#define TROP_RUN_WEIGHTS_FILE_H

#include "io/array.h"
#include "tropism.h"

/* The members of a weights file: {"p": [...]}, {"W": [[...]]}, {"v": [...]}, {"K": ..., "Q": ...}
 * or several of them. */
enum trop_weights_part {
    TROP_WEIGHTS_P,
    TROP_WEIGHTS_W,
    TROP_WEIGHTS_V,
    TROP_WEIGHTS_K,
    TROP_WEIGHTS_Q,
    TROP_WEIGHTS_PARTS
};

struct trop_weights_file {
    struct trop_array part[TROP_WEIGHTS_PARTS]; /* data NULL: absent */
    struct trop_array bare;                     /* one array without a name; data NULL: none */
    double log_norm; /* of a result, whose weights are a unit direction where it is large; else 0 */
};

/* Reads what is there, every number finite: JSON and HDF5 with these members, results of train and
 * margin in either, or one array of any file that trop_array_read knows. */
enum trop_status trop_weights_file_read(struct trop_weights_file *out, const char *path);
/* An array without a name becomes this part. */
void trop_weights_file_name(struct trop_weights_file *file, int64_t part);
void trop_weights_file_free(struct trop_weights_file *file);
/* Refuses a part that is absent or not (rows, columns); with one column (rows) and (1, rows) are
 * right too. */
enum trop_status trop_weights_file_shape(const struct trop_weights_file *file, int64_t part,
                                         const char *path, int64_t rows, int64_t columns);

/* The place of a key, "p", "W", "v", "K" or "Q"; -1 when it is none. */
int64_t trop_weights_file_part(const char *key);
const char *trop_weights_file_key(int64_t part);
/* One W, (rows, columns), owned by the caller, out of what was read: the part that is asked for,
 * or K Q' in place of a W that is absent. */
enum trop_status trop_weights_file_take(double **out, struct trop_weights_file *file,
                                        const char *path, int64_t part, int64_t rows,
                                        int64_t columns);
/* Gen-SVM's selected tokens as weights (n, T), owned by the caller: {"sets": [[0, 1], [2], ...]},
 * the tokens of each input, which share it equally, or {"weights": [[...], ...]}, selected where
 * above 0. */
enum trop_status trop_weights_file_equal(double **out, const char *path, int64_t n, int64_t T);
/* Refuses weights that are not (n, T), negative, or select no token of an input. */
enum trop_status trop_weights_file_check(const struct trop_array *array, const char *path,
                                         int64_t n, int64_t T);

#endif
