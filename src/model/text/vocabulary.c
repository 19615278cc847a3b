/* vocabulary.c -- words and their numbers, by a table of hashes (FNV-1a) with open addressing. */
#include "model/text/vocabulary.h"

#include <string.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "base/status.h"
#include "io/archive.h"
#include "io/utf8.h"

#define WORDS_MOST (INT32_MAX - 1)

static uint64_t hash(const char *word, int64_t size)
{
    uint64_t sum = 0xcbf29ce484222325u;

    for (int64_t k = 0; k < size; k++) {
        sum = (sum ^ (unsigned char)word[k]) * 0x100000001b3u;
    }
    return sum ^ sum >> 32;
}

static enum trop_status no_memory(const struct trop_vocabulary *v)
{
    return trop_fail(TROP_ERR_MEMORY, "no memory for a vocabulary of more than %lld words",
                     (long long)v->words);
}

/* The slot of a word, or the free one where it would stand; there is always a free one. */
static int64_t slot_of(const struct trop_vocabulary *v, const char *word, int64_t size)
{
    uint64_t at = hash(word, size) & (uint64_t)(v->slots - 1);

    for (; v->slot[at]; at = (at + 1) & (uint64_t)(v->slots - 1)) {
        const char *name = v->text + v->place[v->slot[at] - 1];
        if (strncmp(name, word, (size_t)size) == 0 && !name[size]) {
            break;
        }
    }
    return (int64_t)at;
}

/* Twice the words, in a table that is at most half full. */
static enum trop_status grow(struct trop_vocabulary *v)
{
    struct trop_vocabulary more = *v;
    more.room = v->room ? 2 * v->room : 64;
    more.slots = 2 * more.room;
    if (!TROP_ALLOC(TROP_PART(more.count, more.room), TROP_PART(more.place, more.room),
                    TROP_PART(more.slot, more.slots))) {
        TROP_FREE(more.count, more.place, more.slot);
        return no_memory(v);
    }
    if (v->words > 0) {
        memcpy(more.count, v->count, (size_t)v->words * sizeof *v->count);
        memcpy(more.place, v->place, (size_t)v->words * sizeof *v->place);
    }
    TROP_FREE(v->count, v->place, v->slot);
    *v = more;
    for (int64_t w = 0; w < v->words; w++) {
        const char *name = v->text + v->place[w];
        v->slot[slot_of(v, name, (int64_t)strlen(name))] = (int32_t)(w + 1);
    }
    return TROP_OK;
}

static enum trop_status grow_text(struct trop_vocabulary *v, int64_t size)
{
    int64_t room = v->room_text ? 2 * v->room_text : 1024;
    while (room < v->used + size + 1) {
        room *= 2;
    }
    char *text = trop_alloc(room, 1);
    if (!text) {
        return no_memory(v);
    }
    if (v->used > 0) {
        memcpy(text, v->text, (size_t)v->used);
    }
    trop_alloc_free(v->text);
    v->text = text;
    v->room_text = room;
    return TROP_OK;
}

enum trop_status trop_vocabulary_add(int32_t *out, struct trop_vocabulary *v, const char *word,
                                     int64_t size, int64_t times)
{
    enum trop_status status = v->words == v->room ? grow(v) : TROP_OK;

    if (status != TROP_OK) {
        return status;
    }
    const int64_t slot = slot_of(v, word, size);
    if (!v->slot[slot]) {
        if (v->words == WORDS_MOST) {
            return trop_fail(TROP_ERR_ARG, "a vocabulary has at most %d words", WORDS_MOST);
        }
        status = v->used + size + 1 > v->room_text ? grow_text(v, size) : TROP_OK;
        if (status != TROP_OK) {
            return status;
        }
        v->place[v->words] = v->used;
        v->count[v->words] = 0;
        memcpy(v->text + v->used, word, (size_t)size);
        v->text[v->used + size] = 0;
        v->used += size + 1;
        v->slot[slot] = (int32_t)++v->words;
    }
    const int32_t id = v->slot[slot] - 1;
    v->count[id] += times;
    *out = id;
    return TROP_OK;
}

int32_t trop_vocabulary_find(const struct trop_vocabulary *v, const char *word, int64_t size)
{
    return v->slots ? v->slot[slot_of(v, word, size)] - 1 : -1;
}

const char *trop_vocabulary_name(const struct trop_vocabulary *v, int64_t word)
{
    return v->text + v->place[word];
}

void trop_vocabulary_free(struct trop_vocabulary *v)
{
    TROP_FREE(v->count, v->place, v->text, v->slot);
    *v = (struct trop_vocabulary){ 0 };
}

/* ---- the most frequent ----------------------------------------------------------------------- */

static int more_frequent(const void *context, int64_t a, int64_t b)
{
    const struct trop_vocabulary *v = context;

    return v->count[a] != v->count[b]
               ? v->count[a] > v->count[b]
               : strcmp(trop_vocabulary_name(v, a), trop_vocabulary_name(v, b)) < 0;
}

static enum trop_status take_ranked(struct trop_vocabulary *out, int32_t *new_id,
                                    const struct trop_vocabulary *all, const int64_t *order,
                                    int64_t most, int64_t least)
{
    for (int64_t k = 0; k < all->words; k++) {
        const int64_t w = order[k];
        const char *name = trop_vocabulary_name(all, w);
        if (all->count[w] < (least > 1 ? least : 1) || (most > 0 && out->words >= most)) {
            break;
        }
        enum trop_status status =
            trop_vocabulary_add(new_id + w, out, name, (int64_t)strlen(name), all->count[w]);
        if (status != TROP_OK) {
            return status;
        }
    }
    return TROP_OK;
}

enum trop_status trop_vocabulary_rank(struct trop_vocabulary *out, int32_t *new_id,
                                      const struct trop_vocabulary *all, const char *unknown,
                                      int64_t most, int64_t least)
{
    struct trop_vocabulary ranked = { 0 };
    int32_t first;
    int64_t *order = trop_alloc(all->words, sizeof *order);

    if (!order) {
        return no_memory(all);
    }
    for (int64_t w = 0; w < all->words; w++) {
        order[w] = w;
        new_id[w] = 0;
    }
    trop_sort(order, all->words, more_frequent, all);
    enum trop_status status =
        trop_vocabulary_add(&first, &ranked, unknown, (int64_t)strlen(unknown), 0);
    if (status == TROP_OK) {
        status = take_ranked(&ranked, new_id, all, order, most, least);
    }
    trop_alloc_free(order);
    if (status != TROP_OK) {
        trop_vocabulary_free(&ranked);
        return status;
    }
    *out = ranked;
    return TROP_OK;
}

/* ---- from a file ----------------------------------------------------------------------------- */

static enum trop_status take_line(struct trop_vocabulary *v, const char *word, int64_t size,
                                  const char *name, int64_t line)
{
    int32_t id;

    if (size == 0) {
        return trop_fail(TROP_ERR_IO, "%s: line %lld: is empty: must be a word", name,
                         (long long)line);
    }
    enum trop_status status = trop_vocabulary_add(&id, v, word, size, 1);
    if (status == TROP_OK && id != line - 1) {
        return trop_fail(TROP_ERR_IO, "%s: line %lld: repeats the word of line %lld", name,
                         (long long)line, (long long)id + 1);
    }
    return status;
}

enum trop_status trop_vocabulary_parse(struct trop_vocabulary *out, const char *text, int64_t size,
                                       const char *name)
{
    struct trop_vocabulary v = { 0 };
    const char *at = text, *end = text + size;
    enum trop_status status = trop_utf8_check(text, size, name, 1);

    for (int64_t line = 1; status == TROP_OK && at < end; line++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end;
        const char *last = stop > at && stop[-1] == '\r' ? stop - 1 : stop;
        status = take_line(&v, at, last - at, name, line);
        at = newline ? newline + 1 : end;
    }
    if (status == TROP_OK && v.words == 0) {
        status = trop_fail(TROP_ERR_IO, "%s: has no word", name);
    }
    if (status != TROP_OK) {
        trop_vocabulary_free(&v);
        return status;
    }
    *out = v;
    return TROP_OK;
}

enum trop_status trop_vocabulary_read(struct trop_vocabulary *out, const char *path)
{
    struct trop_archive *archive;
    enum trop_status status = trop_archive_read(&archive, path);

    if (status != TROP_OK) {
        return status;
    }
    status = archive->count == 1 ? trop_vocabulary_parse(out, (char *)archive->member->bytes,
                                                         archive->member->size, path)
                                 : trop_fail(TROP_ERR_IO, "%s: holds %lld files: must be one", path,
                                             (long long)archive->count);
    trop_archive_free(archive);
    return status;
}
