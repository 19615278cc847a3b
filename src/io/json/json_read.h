/* json_read.h -- arrays, texts and lists from a JSON file, by key. */
#ifndef TROP_IO_JSON_READ_H
#define TROP_IO_JSON_READ_H

#include "io/array.h"
#include "tropism.h"

/* A JSON object that was read; its members are asked for by key. */
struct trop_json_read;

/* Reads the whole file. Refused are files that are not one JSON object, that say a key
 * twice, or that are larger than 256 MiB; the sentence names line and column. */
enum trop_status trop_json_read_open(struct trop_json_read **out, const char *path);
/* The same from memory; name is for the sentences, and copied. */
enum trop_status trop_json_read_parse(struct trop_json_read **out, const unsigned char *bytes,
                                      int64_t size, const char *name);
/* NULL is fine. */
void trop_json_read_close(struct trop_json_read *doc);

/* 1 when the object has this key; a member that is null counts as absent. */
int trop_json_read_has(const struct trop_json_read *doc, const char *key);
/* Refuses a key that is not among the known ones, NULL-ended, and suggests the nearest. */
enum trop_status trop_json_read_keys(const struct trop_json_read *doc, const char *const *known);

/* A number, or arrays of arrays of numbers with equal lengths, rank 0 to 4. The texts "inf",
 * "-inf" and "nan" are numbers, as trop_json_double writes them. A whole number that double
 * would round is refused. */
enum trop_status trop_json_read_numbers(struct trop_array *out, const struct trop_json_read *doc,
                                        const char *key);
/* The same for whole numbers, up to 2^63 - 1 when written without point and exponent. shape->data
 * stays NULL; *out is flat and owned by the caller (trop_alloc_free). */
enum trop_status trop_json_read_integers(int64_t **out, struct trop_array *shape,
                                         const struct trop_json_read *doc, const char *key);
/* A text. Owned by doc, valid until trop_json_read_close. */
enum trop_status trop_json_read_text(const char **out, const struct trop_json_read *doc,
                                     const char *key);

/* Lists of whole numbers, of any lengths: list g is values[first[g]] .. values[first[g + 1] - 1].
 * Owned by the caller; trop_json_read_lists_free releases them. */
struct trop_json_read_lists {
    int64_t count;
    int64_t *first; /* (count + 1) */
    int64_t *values;
};
enum trop_status trop_json_read_lists(struct trop_json_read_lists *out,
                                      const struct trop_json_read *doc, const char *key);
void trop_json_read_lists_free(struct trop_json_read_lists *lists);

/* A member that is an object itself, as a document of its own; the sentences name file and key. */
enum trop_status trop_json_read_inside(struct trop_json_read **out,
                                       const struct trop_json_read *doc, const char *key);
/* true or false, as 1 or 0. */
enum trop_status trop_json_read_truth(int64_t *out, const struct trop_json_read *doc,
                                      const char *key);
/* Text k of a list of texts, which has *count of them; *out stays as it is when k is *count or
 * more. Owned by doc. */
enum trop_status trop_json_read_listed(const char **out, int64_t *count,
                                       const struct trop_json_read *doc, const char *key,
                                       int64_t k);

/* The version of jansson, such as 2.14. */
const char *trop_json_read_version(void);

#endif
