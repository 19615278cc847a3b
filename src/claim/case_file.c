/* case_file.c -- cases as HDF5 files: /NAME holds an entry, and the root says of which claim.
 *
 * A judge trusts the shapes of a case, so a file that lacks an entry or was changed is refused: its
 * checksum is over names, shapes and values, in the order of the names, and its seal over
 * everything (early files of 0.1 have no seal).
 */
#include "claim/case.h"

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/status.h"
#include "io/h5/h5.h"
#include "io/h5/h5_seal.h"

#include <stdio.h>
#include <string.h>

static struct trop_value text_of(const char *text)
{
    return (struct trop_value){ .kind = TROP_KIND_TEXT, .text = text };
}

/* ---- the checksum ---- */

static uint64_t fold_entry(uint64_t sum, const struct trop_case_entry *entry)
{
    int64_t count = 1;

    for (const char *letter = entry->name; *letter; letter++) {
        const uint64_t word = (unsigned char)*letter;
        sum = trop_checksum_words(sum, &word, 1);
    }
    for (int64_t k = 0; k < entry->rank; k++) {
        sum = trop_checksum_words(sum, entry->shape + k, 1);
        count *= entry->shape[k];
    }
    return trop_checksum_words(sum, entry->values, count);
}

/* The entry whose name comes after the given one; NULL: none. */
static const struct trop_case_entry *next_entry(const struct trop_case *c, const char *after)
{
    const struct trop_case_entry *next = NULL;

    for (int64_t k = 0; k < c->count; k++) {
        const struct trop_case_entry *at = c->entries + k;
        if (strcmp(at->name, after) > 0 && (!next || strcmp(at->name, next->name) < 0)) {
            next = at;
        }
    }
    return next;
}

static int64_t checksum(const struct trop_case *c)
{
    uint64_t sum = 0;

    for (const struct trop_case_entry *at = next_entry(c, ""); at; at = next_entry(c, at->name)) {
        sum = fold_entry(sum, at);
    }
    return (int64_t)(sum >> 1); /* a number that every reader of HDF5 takes */
}

/* ---- writing ---- */

static enum trop_status put_entry(struct trop_h5 *h5, const struct trop_case_entry *entry)
{
    struct trop_value value = { .kind = TROP_KIND_NUMBER, .number = entry->values[0] };
    char name[64];

    if (entry->rank > 0) {
        value = (struct trop_value){ .kind = TROP_KIND_NUMBERS,
                                     .numbers = entry->values,
                                     .rank = entry->rank };
        memcpy(value.shape, entry->shape, sizeof value.shape);
    }
    snprintf(name, sizeof name, "/%s", entry->name);
    return trop_h5_put(h5, name, &value);
}

static enum trop_status put_all(struct trop_h5 *h5, const struct trop_case *c, const char *id)
{
    const struct trop_value format = text_of("tropism case"), claim = text_of(id),
                            version = text_of(trop_version());
    const struct trop_value sum = { .kind = TROP_KIND_INTEGER, .integer = checksum(c) };
    enum trop_status status = trop_h5_attribute(h5, "/", "format", &format);

    if (status == TROP_OK) {
        status = trop_h5_attribute(h5, "/", "claim", &claim);
    }
    if (status == TROP_OK) {
        status = trop_h5_attribute(h5, "/", "version", &version);
    }
    if (status == TROP_OK) {
        status = trop_h5_attribute(h5, "/", "checksum", &sum);
    }
    for (int64_t k = 0; status == TROP_OK && k < c->count; k++) {
        status = put_entry(h5, c->entries + k);
    }
    return status;
}

enum trop_status trop_case_write(const struct trop_case *c, const char *path, const char *id)
{
    struct trop_h5 *h5 = NULL;
    enum trop_status status = trop_h5_create(&h5, path);

    if (status != TROP_OK) {
        return status;
    }
    status = put_all(h5, c, id);
    if (status == TROP_OK) {
        status = trop_h5_seal(h5);
    }
    if (status != TROP_OK) {
        trop_h5_abandon(h5);
        return status;
    }
    return trop_h5_close(h5);
}

/* ---- reading ---- */

struct reading {
    struct trop_case *c;
    struct trop_h5 *h5;
    const char *path;
};

static enum trop_status take_array(struct reading *r, const char *name, struct trop_array *array)
{
    const int64_t count = trop_array_count(array->rank, array->shape);
    double *values = NULL;

    if (array->rank == 0) {
        return trop_case_put(r->c, name, array->data[0]);
    }
    if (array->rank > TROP_CASE_RANK || count <= 0) {
        return trop_fail(TROP_ERR_IO, "%s: /%s has a shape that no case has", r->path, name);
    }
    enum trop_status status =
        trop_case_make(&values, r->c, name, array->shape[0], array->rank > 1 ? array->shape[1] : 0,
                       array->rank > 2 ? array->shape[2] : 0);
    if (status == TROP_OK) {
        memcpy(values, array->data, (size_t)count * sizeof *values);
    }
    return status;
}

static enum trop_status take(void *context, const char *name)
{
    struct reading *r = context;
    struct trop_array array = { 0 };
    char path[128];

    snprintf(path, sizeof path, "/%s", name);
    enum trop_status status = trop_h5_numbers(&array, r->h5, path);
    if (status == TROP_OK) {
        status = take_array(r, name, &array);
    }
    trop_array_free(&array);
    return status;
}

static enum trop_status check_claim(struct trop_h5 *h5, const char *path, const char *id)
{
    char *claim = NULL;
    enum trop_status status = trop_h5_text(&claim, h5, "/", "claim");

    if (status == TROP_OK && strcmp(claim, id) != 0) {
        status = trop_fail(TROP_ERR_IO, "%s: is a case of %s, not of %s", path, claim, id);
    } else if (status != TROP_OK) {
        status = trop_fail(TROP_ERR_IO, "%s: is not a case of a claim", path);
    }
    trop_alloc_free(claim);
    return status;
}

static enum trop_status check_sum(const struct trop_case *c, struct trop_h5 *h5, const char *path)
{
    int64_t sum = 0;
    int sealed = 0;

    if (trop_h5_seal_check(&sealed, h5) != TROP_OK ||
        trop_h5_attribute_integer(&sum, h5, "/", "checksum") != TROP_OK || sum != checksum(c)) {
        return trop_fail(TROP_ERR_IO,
                         "%s: was changed since it was written; take parts of it by --tokens "
                         "FILE:/tokens or --set instead",
                         path);
    }
    return TROP_OK;
}

enum trop_status trop_case_read(struct trop_case *c, const char *path, const char *id)
{
    struct reading r = { .c = c, .path = path };
    enum trop_status status = trop_h5_open(&r.h5, path);

    if (status != TROP_OK) {
        return status;
    }
    status = check_claim(r.h5, path, id);
    if (status == TROP_OK) {
        status = trop_h5_list(r.h5, take, &r);
    }
    if (status == TROP_OK) {
        status = check_sum(c, r.h5, path);
    }
    trop_h5_abandon(r.h5);
    return status;
}
