/* h5.h -- HDF5 files: arrays, scalars and texts by name. */
#ifndef TROP_IO_H5_H
#define TROP_IO_H5_H

#include "io/array.h"
#include "tropism.h"

struct trop_h5;

/* ---- writing: equal contents give equal bytes --------------------------------- */

/* The file is made in memory and written by trop_h5_close; a path that cannot be
 * written is refused here already. */
enum trop_status trop_h5_create(struct trop_h5 **out, const char *path);
/* A dataset; groups in name are made on the way. NULL becomes a dataset without
 * value, a text one of fixed length in UTF-8, arrays carry the names of their axes
 * as DIMENSION_LABELS. A list is refused: trop_h5_fields writes those. */
enum trop_status trop_h5_put(struct trop_h5 *h5, const char *name, const struct trop_value *value);
/* A dataset of rows texts, each of width bytes and padded with zeros. */
enum trop_status trop_h5_put_texts(struct trop_h5 *h5, const char *name, const char *texts,
                                   int64_t rows, int64_t width);
/* A group without datasets, to carry attributes. */
enum trop_status trop_h5_group(struct trop_h5 *h5, const char *name);
/* A scalar or text attached to an object that exists; "/" is the file itself. */
enum trop_status trop_h5_attribute(struct trop_h5 *h5, const char *object, const char *name,
                                   const struct trop_value *value);

/* Closes the file, after create with everything on disk and under its name. On
 * failure too h5 is gone, and nothing is left on disk. NULL is fine. */
enum trop_status trop_h5_close(struct trop_h5 *h5);
/* Closes without writing. NULL is fine. */
void trop_h5_abandon(struct trop_h5 *h5);

/* ---- reading ------------------------------------------------------------------- */

enum trop_status trop_h5_open(struct trop_h5 **out, const char *path);
/* Its name, owned by h5. */
const char *trop_h5_path(const struct trop_h5 *h5);
int trop_h5_exists(struct trop_h5 *h5, const char *name);
/* 1 when the object is there and has no such attribute. */
int trop_h5_lacks(struct trop_h5 *h5, const char *object, const char *attribute);
/* 1 when the name is a dataset without value, as NULL is written. */
int trop_h5_empty(struct trop_h5 *h5, const char *name);
/* The shape of a dataset, whose elements are not read and stay NULL. kind: TROP_KIND_NUMBERS or
 * TROP_KIND_INTEGERS as the two below take them, TROP_KIND_NULL for elements of any kind. */
enum trop_status trop_h5_shape(struct trop_array *out, struct trop_h5 *h5, const char *name,
                               int64_t kind);
/* float16, float32, float64 or integers, rank 0 to 4. */
enum trop_status trop_h5_numbers(struct trop_array *out, struct trop_h5 *h5, const char *name);
/* Integers of any rank up to 4, flat; owned by the caller (trop_alloc_free). */
enum trop_status trop_h5_integers(int64_t **out, int64_t *count, struct trop_h5 *h5,
                                  const char *name);
/* One text, of fixed or variable length: the object's attribute, or the dataset
 * itself when attribute is NULL. Owned by the caller (trop_alloc_free). */
enum trop_status trop_h5_text(char **out, struct trop_h5 *h5, const char *object,
                              const char *attribute);
/* A list of texts, as trop_h5_put_texts writes it: text k is at *out + k *width, zero-ended. Owned
 * by the caller (trop_alloc_free). */
enum trop_status trop_h5_texts(char **out, int64_t *rows, int64_t *width, struct trop_h5 *h5,
                               const char *name);
/* One integer, an attribute of the object. */
enum trop_status trop_h5_attribute_integer(int64_t *out, struct trop_h5 *h5, const char *object,
                                           const char *name);

/* Receives one name, valid during the call only; a status that is not TROP_OK ends the list. */
typedef enum trop_status trop_h5_list_take(void *context, const char *name);

/* Every link of the root group, in ascending order of names. Returns the first status of take that
 * is not TROP_OK. */
enum trop_status trop_h5_list(struct trop_h5 *h5, trop_h5_list_take *take, void *context);

/* Every dataset below a group, by its path from there ("bound/exact"), likewise. */
enum trop_status trop_h5_list_datasets(struct trop_h5 *h5, const char *group,
                                       trop_h5_list_take *take, void *context);

/* ---- h5_value.c: a dataset as the value that trop_h5_put wrote ---- */

struct trop_h5_value {
    struct trop_value value; /* owned by the struct; zero-initialised by the caller */
    void *data;
    char *text;
    const char **texts;
    char axes[3][64];
};

/* A number, truth, text, array of one of these, or null; what the struct had is released. */
enum trop_status trop_h5_value_read(struct trop_h5_value *out, struct trop_h5 *h5,
                                    const char *name);
void trop_h5_value_free(struct trop_h5_value *value);

/* The version of libhdf5, such as 1.10.8. */
void trop_h5_version(char out[32]);

#endif
