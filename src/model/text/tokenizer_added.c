/* tokenizer_added.c -- tokens that are found in a text before it is cut: special ones, and others
 * that were added to a vocabulary. The leftmost is taken, of those that begin there the longest.
 */
#include "model/text/tokenizer_internal.h"

#include <string.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "base/status.h"
#include "io/utf8.h"

#define ADDED_MOST 1000 /* bytes of one: the time of a search goes with it */

enum trop_status trop_tokenizer_added_room(struct trop_tokenizer *t, int64_t tokens)
{
    for (int k = 0; k < 2; k++) {
        struct trop_tokenizer_added *added = t->added + k;
        if (!TROP_ALLOC(TROP_PART(added->word, tokens), TROP_PART(added->strip, tokens),
                        TROP_PART(added->length, tokens))) {
            return trop_fail(TROP_ERR_MEMORY, "%s: no memory for %lld added tokens", t->name,
                             (long long)tokens);
        }
    }
    return TROP_OK;
}

enum trop_status trop_tokenizer_added_put(struct trop_tokenizer *t, int which, int32_t word,
                                          int strip)
{
    struct trop_tokenizer_added *added = t->added + which;
    const char *text = trop_vocabulary_name(&t->vocabulary, word);
    const int64_t size = (int64_t)strlen(text);
    int32_t k;

    if (size == 0 || size > ADDED_MOST) {
        return trop_fail(TROP_ERR_IO, "%s: added token %d: must have from 1 to %d bytes", t->name,
                         (int)t->id[word], ADDED_MOST);
    }
    enum trop_status status = trop_vocabulary_add(&k, &added->text, text, size, 1);
    if (status == TROP_OK) {
        added->word[k] = word;
        added->strip[k] = (unsigned char)strip;
        added->starts[(unsigned char)text[0]] = 1;
    }
    return status;
}

static int is_larger(const void *context, int64_t a, int64_t b)
{
    (void)context;
    return a > b;
}

void trop_tokenizer_added_settle(struct trop_tokenizer *t)
{
    for (int k = 0; k < 2; k++) {
        struct trop_tokenizer_added *added = t->added + k;
        int64_t *length = added->length;
        for (int64_t w = 0; w < added->text.words; w++) {
            length[w] = (int64_t)strlen(trop_vocabulary_name(&added->text, w));
        }
        trop_sort(length, added->text.words, is_larger, NULL);
        for (int64_t w = 0; w < added->text.words; w++) {
            if (w == 0 || length[w] != length[added->lengths - 1]) {
                length[added->lengths++] = length[w];
            }
        }
    }
}

void trop_tokenizer_added_free(struct trop_tokenizer_added *added)
{
    trop_vocabulary_free(&added->text);
    TROP_FREE(added->word, added->strip, added->length);
}

/* ---- finding ----------------------------------------------------------------------------------
 */

/* White space, as \s of regular expressions. */
static int is_space(int32_t code)
{
    return (code >= '\t' && code <= 13) || code == 0x85 ||
           (code < 0x80 ? code == ' ' : trop_utf8_class(code) == TROP_UTF8_BLANK);
}

static int64_t before_blanks(const char *text, int64_t at, int64_t first)
{
    while (at > first) {
        int32_t code;
        int64_t begin = at - 1;
        while (begin > first && ((unsigned char)text[begin] & 0xc0) == 0x80) {
            begin--;
        }
        trop_utf8_next(&code, text + begin, at - begin);
        if (!is_space(code)) {
            break;
        }
        at = begin;
    }
    return at;
}

static int64_t behind_blanks(const char *text, int64_t at, int64_t last)
{
    while (at < last) {
        int32_t code;
        const int64_t size = trop_utf8_next(&code, text + at, last - at);
        if (!is_space(code)) {
            break;
        }
        at += size;
    }
    return at;
}

/* The longest that begins here, by its place in the list; -1: none. */
static int32_t longest_at(const struct trop_tokenizer_added *added, const char *text, int64_t size)
{
    if (!added->starts[(unsigned char)text[0]]) {
        return -1;
    }
    for (int64_t k = 0; k < added->lengths; k++) {
        const int32_t found = added->length[k] <= size
                                  ? trop_vocabulary_find(&added->text, text, added->length[k])
                                  : -1;
        if (found >= 0) {
            return found;
        }
    }
    return -1;
}

int32_t trop_tokenizer_added_next(int64_t *begin, int64_t *end,
                                  const struct trop_tokenizer_added *added, const char *text,
                                  int64_t first, int64_t last)
{
    for (int64_t at = first; at < last && added->lengths > 0; at++) {
        const int32_t found = longest_at(added, text + at, last - at);
        if (found >= 0) {
            const int64_t stop = at + (int64_t)strlen(trop_vocabulary_name(&added->text, found));
            *begin = added->strip[found] & 1 ? before_blanks(text, at, first) : at;
            *end = added->strip[found] & 2 ? behind_blanks(text, stop, last) : stop;
            return added->word[found];
        }
    }
    return -1;
}
