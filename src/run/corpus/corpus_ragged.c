/* corpus_ragged.c -- items of different lengths as arrays, one behind the other.
 *
 *   tokens (total, width) or ids (total), offsets (n + 1), labels (n), and if need be splits (n; 0
 *   train, 1 validation, 2 test) and words (one number, the size of the vocabulary; else the
 *   largest id + 1)
 *
 * members of an .npz or datasets of a group of an HDF5 file.
 */
#include "run/corpus/corpus.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/status.h"
#include "io/h5/h5.h"
#include "io/known.h"
#include "io/npy.h"

enum part { TOKENS, IDS, OFFSETS, LABELS, SPLITS, WORDS, PARTS };
static const char *const keys[] = { "tokens", "ids", "offsets", "labels", "splits", "words", NULL };

struct ragged {
    struct trop_array part[PARTS]; /* data NULL: absent */
    struct trop_corpus *corpus;
};

static void release(struct ragged *r)
{
    for (int k = 0; k < PARTS; k++) {
        trop_array_free(r->part + k);
    }
}

static enum trop_status no_memory(const struct ragged *r)
{
    return trop_fail(TROP_ERR_MEMORY, "%s: no memory for its items", r->corpus->name);
}

/* ---- whether the arrays belong together
 * ---------------------------------------------------------- */

static enum trop_status refuse_shape(const struct ragged *r, enum part k, const char *must)
{
    char shape[96];

    trop_array_words(shape, r->part + k);
    return trop_fail(TROP_ERR_IO, "%s: %s: is %s: must be %s", r->corpus->name, keys[k], shape,
                     must);
}

static enum trop_status check_presence(const struct ragged *r)
{
    static const enum part needed[] = { OFFSETS, LABELS };

    for (int k = 0; k < 2; k++) {
        if (!r->part[needed[k]].data) {
            return trop_fail(TROP_ERR_IO,
                             "%s: %s: is missing: texts and other sequences have tokens or ids, "
                             "offsets and labels; X, y, z, v are read from .json, .h5 or a folder "
                             "of .npy",
                             r->corpus->name, keys[needed[k]]);
        }
    }
    if (!r->part[TOKENS].data == !r->part[IDS].data) {
        return trop_fail(TROP_ERR_IO, "%s: must have either tokens or ids", r->corpus->name);
    }
    return TROP_OK;
}

static enum trop_status check_shapes(const struct ragged *r)
{
    const struct trop_array *part = r->part;
    const int64_t n = part[LABELS].shape[0];

    if (part[LABELS].rank != 1 || n < 1) {
        return refuse_shape(r, LABELS, "(n), at least one");
    }
    if (part[OFFSETS].rank != 1 || part[OFFSETS].shape[0] != n + 1) {
        return refuse_shape(r, OFFSETS, "one longer than labels");
    }
    if (part[TOKENS].data && (part[TOKENS].rank != 2 || part[TOKENS].shape[1] < 1)) {
        return refuse_shape(r, TOKENS, "(total, width)");
    }
    if (part[IDS].data && part[IDS].rank != 1) {
        return refuse_shape(r, IDS, "(total)");
    }
    if (part[SPLITS].data && (part[SPLITS].rank != 1 || part[SPLITS].shape[0] != n)) {
        return refuse_shape(r, SPLITS, "as long as labels");
    }
    if (part[WORDS].data && trop_array_count(part[WORDS].rank, part[WORDS].shape) != 1) {
        return refuse_shape(r, WORDS, "one number");
    }
    return TROP_OK;
}

/* Whole numbers from 0 to most, of any part. */
static enum trop_status check_whole(const struct ragged *r, enum part k, double most)
{
    const struct trop_array *array = r->part + k;
    const int64_t count = trop_array_count(array->rank, array->shape);

    for (int64_t i = 0; i < count; i++) {
        const double value = array->data[i];
        if (!(value >= 0.0 && value <= most) || value != floor(value)) {
            return trop_fail(TROP_ERR_IO,
                             "%s: %s[%lld] is %g: must be a whole number from 0 to %.0f",
                             r->corpus->name, keys[k], (long long)i, value, most);
        }
    }
    return TROP_OK;
}

static enum trop_status check_offsets(const struct ragged *r)
{
    const struct trop_array *offsets = r->part + OFFSETS;
    const int64_t total = r->part[r->part[IDS].data ? IDS : TOKENS].shape[0];
    enum trop_status status = check_whole(r, OFFSETS, (double)total);

    for (int64_t i = 1; i < offsets->shape[0] && status == TROP_OK; i++) {
        if (!(offsets->data[i] > offsets->data[i - 1])) {
            status = trop_fail(
                TROP_ERR_IO, "%s: offsets[%lld] is %g after %g: must ascend, an item has a token",
                r->corpus->name, (long long)i, offsets->data[i], offsets->data[i - 1]);
        }
    }
    if (status == TROP_OK &&
        (offsets->data[0] != 0.0 || offsets->data[offsets->shape[0] - 1] != (double)total)) {
        status = trop_fail(TROP_ERR_IO, "%s: offsets: must go from 0 to %lld, the number of tokens",
                           r->corpus->name, (long long)total);
    }
    return status;
}

/* The number of words, by which ids are judged. */
static enum trop_status check_ids(struct ragged *r)
{
    const struct trop_array *ids = r->part + IDS, *words = r->part + WORDS;
    const double limit = INT32_MAX - 1;
    double largest = 0.0;

    if (!ids->data) {
        return words->data ? trop_fail(TROP_ERR_IO, "%s: words: is for ids", r->corpus->name)
                           : TROP_OK;
    }
    enum trop_status status = words->data ? check_whole(r, WORDS, limit) : TROP_OK;
    if (status == TROP_OK) {
        status = check_whole(r, IDS, words->data ? words->data[0] - 1 : limit - 1);
    }
    for (int64_t i = 0; status == TROP_OK && i < ids->shape[0]; i++) {
        largest = ids->data[i] > largest ? ids->data[i] : largest;
    }
    r->corpus->sequences.words = (int64_t)(words->data ? words->data[0] : largest + 1);
    return status;
}

/* A file is to blame here, not an option. */
static enum trop_status check_tokens(const struct ragged *r)
{
    if (!r->part[TOKENS].data || trop_array_finite(r->part + TOKENS, r->corpus->name) == TROP_OK) {
        return TROP_OK;
    }
    return trop_fail(TROP_ERR_IO, "%s", trop_error());
}

static enum trop_status check(struct ragged *r)
{
    enum trop_status status = check_presence(r);

    if (status == TROP_OK) {
        status = check_shapes(r);
    }
    if (status == TROP_OK) {
        status = check_offsets(r);
    }
    if (status == TROP_OK) {
        status = check_ids(r);
    }
    if (status == TROP_OK && r->part[SPLITS].data) {
        status = check_whole(r, SPLITS, TROP_SPLIT_TEST);
    }
    return status == TROP_OK ? check_tokens(r) : status;
}

/* ---- the corpus
 * ---------------------------------------------------------------------------------- */

/* Moves the tokens of the items that are too long together. */
static void shorten(struct ragged *r)
{
    struct trop_corpus *c = r->corpus;
    const double *offsets = r->part[OFFSETS].data;
    const int64_t most = c->options.max_length, width = c->ids ? 1 : c->sequences.width;

    for (int64_t i = 0; i < c->n; i++) {
        const int64_t first = (int64_t)offsets[i];
        int64_t length = (int64_t)offsets[i + 1] - first;
        length = most > 0 && most < length ? most : length;
        for (int64_t k = 0; k < length * width; k++) {
            if (c->ids) {
                c->ids[c->offsets[i] + k] = (int32_t)r->part[IDS].data[first + k];
            } else {
                c->vectors[c->offsets[i] * width + k] = r->part[TOKENS].data[first * width + k];
            }
        }
        c->offsets[i + 1] = c->offsets[i] + length;
    }
}

static enum trop_status fill(struct ragged *r)
{
    struct trop_corpus *c = r->corpus;
    const struct trop_array *tokens = r->part + TOKENS;

    c->n = r->part[LABELS].shape[0];
    c->sequences.width = tokens->data ? tokens->shape[1] : 0;
    c->offsets = trop_alloc(c->n + 1, sizeof *c->offsets);
    c->ids = tokens->data ? NULL : trop_alloc(r->part[IDS].shape[0], sizeof *c->ids);
    c->vectors =
        tokens->data ? trop_alloc(tokens->shape[0] * tokens->shape[1], sizeof *c->vectors) : NULL;
    c->splits = r->part[SPLITS].data ? trop_alloc(c->n, sizeof *c->splits) : NULL;
    if (!c->offsets || (!c->ids && !c->vectors) || (r->part[SPLITS].data && !c->splits)) {
        return no_memory(r);
    }
    shorten(r);
    for (int64_t i = 0; c->splits && i < c->n; i++) {
        c->splits[i] = (int64_t)r->part[SPLITS].data[i];
    }
    enum trop_status status = trop_corpus_check_splits(c);
    return status == TROP_OK ? trop_corpus_classify_numbers(c, r->part[LABELS].data, "the label")
                             : status;
}

static enum trop_status finish(struct ragged *r, enum trop_status status)
{
    if (status == TROP_OK) {
        status = check(r);
    }
    if (status == TROP_OK) {
        status = fill(r);
    }
    release(r);
    return status;
}

static enum trop_status read_member(struct ragged *r, const struct trop_archive_member *member)
{
    char stem[64];
    const size_t length = strlen(member->name);
    char where[512];

    if (!trop_corpus_ends(member->name, ".npy") || length - 4 >= sizeof stem) {
        return trop_fail(TROP_ERR_IO, "%s: %.64s: must be NAME.npy", r->corpus->name, member->name);
    }
    snprintf(stem, sizeof stem, "%.*s", (int)(length - 4), member->name);
    enum trop_status status = trop_known_check(r->corpus->name, "array", stem, keys);
    for (int k = 0; k < PARTS && status == TROP_OK; k++) {
        if (strcmp(stem, keys[k]) == 0) {
            snprintf(where, sizeof where, "%.400s: %s", r->corpus->name, member->name);
            return r->part[k].data
                       ? trop_fail(TROP_ERR_IO, "%s: occurs twice", where)
                       : trop_npy_parse(r->part + k, member->bytes, member->size, where);
        }
    }
    return status;
}

enum trop_status trop_corpus_read_npz(struct trop_corpus *corpus)
{
    struct ragged r = { .corpus = corpus };
    enum trop_status status = TROP_OK;

    for (int64_t k = 0; k < corpus->archive->count && status == TROP_OK; k++) {
        status = read_member(&r, corpus->archive->member + k);
    }
    return finish(&r, status);
}

/* corpus->name is FILE.h5:/group. */
enum trop_status trop_corpus_read_h5(struct trop_corpus *corpus)
{
    struct ragged r = { .corpus = corpus };
    const char *group = strstr(corpus->name, ":/") + 1;
    char *file = trop_alloc(group - corpus->name, 1);
    struct trop_h5 *h5;

    if (!file) {
        return no_memory(&r);
    }
    memcpy(file, corpus->name, (size_t)(group - corpus->name - 1));
    enum trop_status status = trop_h5_open(&h5, file);
    trop_alloc_free(file);
    if (status != TROP_OK) {
        return status;
    }
    for (int k = 0; k < PARTS && status == TROP_OK; k++) {
        char name[512];
        snprintf(name, sizeof name, "%.400s%s%s", group, trop_corpus_ends(group, "/") ? "" : "/",
                 keys[k]);
        if (trop_h5_exists(h5, name)) {
            status = trop_h5_numbers(r.part + k, h5, name);
        }
    }
    trop_h5_abandon(h5);
    return finish(&r, status);
}

enum trop_status trop_corpus_read_arrays(struct trop_corpus *corpus, const char *const *given,
                                         const double *const *values, const int64_t *ranks,
                                         const int64_t *shapes)
{
    struct ragged r = { .corpus = corpus };
    enum trop_status status = TROP_OK;

    for (int64_t g = 0; given[g] && status == TROP_OK; g++) {
        int k = 0;
        status = trop_known_check(corpus->name, "array", given[g], keys);
        while (status == TROP_OK && strcmp(keys[k], given[g]) != 0) {
            k++;
        }
        if (status == TROP_OK && r.part[k].data) {
            status = trop_fail(TROP_ERR_ARG, "%s: %s occurs twice", corpus->name, given[g]);
        } else if (status == TROP_OK) {
            status = trop_array_copy(r.part + k, given[g], values[g], ranks[g], shapes + 4 * g);
        }
    }
    return finish(&r, status);
}
