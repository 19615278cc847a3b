/* tokenizer_open.c -- the tokenizer of a model, from whatever file there is.
 *
 *   tokenizer.json          BPE of bytes (GPT-2, Llama-3, Qwen2) or of characters (Llama-2), and
 *                           WordPiece (BERT): tokenizer_json.c, tokenizer_steps.c
 *   vocab.txt               WordPiece, uncased; [PAD], [UNK], [CLS], [SEP] and [MASK] are found in
 *                           texts
 *   vocab.json, merges.txt  GPT-2's; <|endoftext|> is found in texts
 *   *tok*.bin               llama2.c's: tokenizer_llama.c
 */
#include "model/text/tokenizer_internal.h"

#include <string.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "base/status.h"
#include "io/file.h"
#include "io/folder.h"
#include "io/utf8.h"

#define FILE_LIMIT ((int64_t)1 << 28)
#define ID_MOST (INT32_MAX - 1)

/* ---- words and numbers ------------------------------------------------------------------------
 */

int32_t trop_tokenizer_word(const struct trop_tokenizer *t, const char *text, int64_t size)
{
    const int32_t word = trop_vocabulary_find(&t->vocabulary, text, size);

    return word < t->own ? word : -1;
}

enum trop_status trop_tokenizer_make_room(struct trop_tokenizer *t, int64_t words)
{
    t->id = trop_alloc(words, sizeof *t->id);
    t->room = words;
    return t->id ? TROP_OK
                 : trop_fail(TROP_ERR_MEMORY, "%s: no memory for %lld tokens", t->name,
                             (long long)words);
}

enum trop_status trop_tokenizer_add_word(int32_t *out, struct trop_tokenizer *t, const char *text,
                                         int64_t size, int64_t id)
{
    const int64_t before = t->vocabulary.words;

    if (id < 0 || id > ID_MOST || (t->limit > 0 && id >= t->limit)) {
        return trop_fail(TROP_ERR_IO, "%s: token \"%.*s\" has number %lld: must be from 0 to %lld",
                         t->name, (int)(size < 60 ? size : 60), text, (long long)id,
                         (long long)(t->limit > 0 ? t->limit - 1 : ID_MOST));
    }
    enum trop_status status = trop_vocabulary_add(out, &t->vocabulary, text, size, 1);
    if (status != TROP_OK) {
        return status;
    }
    if (t->vocabulary.words > before) {
        t->id[*out] = (int32_t)id;
    } else if (t->id[*out] != id) {
        return trop_fail(TROP_ERR_IO, "%s: token \"%.*s\" has two numbers, %lld and %lld", t->name,
                         (int)(size < 60 ? size : 60), text, (long long)t->id[*out], (long long)id);
    }
    return TROP_OK;
}

void trop_tokenizer_own(struct trop_tokenizer *t)
{
    t->own = t->vocabulary.words;
    for (int64_t w = 0; w < t->own; w++) {
        const int64_t size = (int64_t)strlen(trop_vocabulary_name(&t->vocabulary, w));
        t->longest = size > t->longest ? size : t->longest;
    }
}

static int has_lower_id(const void *context, int64_t a, int64_t b)
{
    const struct trop_tokenizer *t = context;

    return t->id[a] < t->id[b] || (t->id[a] == t->id[b] && a < b);
}

enum trop_status trop_tokenizer_check_ids(const struct trop_tokenizer *t)
{
    const int64_t words = t->vocabulary.words;
    int64_t *order = trop_alloc(words, sizeof *order);
    enum trop_status status = TROP_OK;

    if (!order) {
        return trop_fail(TROP_ERR_MEMORY, "%s: no memory for %lld tokens", t->name,
                         (long long)words);
    }
    for (int64_t w = 0; w < words; w++) {
        order[w] = w;
    }
    trop_sort(order, words, has_lower_id, t);
    for (int64_t w = 1; w < words && status == TROP_OK; w++) {
        if (t->id[order[w]] == t->id[order[w - 1]]) {
            status =
                trop_fail(TROP_ERR_IO, "%s: tokens \"%.60s\" and \"%.60s\" have one number, %d",
                          t->name, trop_vocabulary_name(&t->vocabulary, order[w - 1]),
                          trop_vocabulary_name(&t->vocabulary, order[w]), (int)t->id[order[w]]);
        }
    }
    trop_alloc_free(order);
    return status;
}

void trop_tokenizer_find_bytes(struct trop_tokenizer *t)
{
    static const char digits[] = "0123456789ABCDEF";

    for (int k = 0; k < 256; k++) {
        char name[] = "<0x00>";
        int64_t size = 6;
        if (t->kind == TROP_TOKENIZER_BYTES) {
            size = trop_utf8_put(name, trop_tokenizer_letter(k));
        } else {
            name[3] = digits[k >> 4];
            name[4] = digits[k & 15];
        }
        t->byte[k] = trop_tokenizer_word(t, name, size);
    }
}

/* ---- other files ------------------------------------------------------------------------------
 */

/* Those of these names that the vocabulary has are found in texts. */
static enum trop_status find_special(struct trop_tokenizer *t, const char *const *names,
                                     int64_t count)
{
    enum trop_status status = trop_tokenizer_added_room(t, count);

    for (int64_t k = 0; k < count && status == TROP_OK; k++) {
        const int32_t word = trop_tokenizer_word(t, names[k], (int64_t)strlen(names[k]));
        if (word >= 0) {
            status = trop_tokenizer_added_put(t, 0, word, 0);
        }
    }
    if (status == TROP_OK) {
        trop_tokenizer_added_settle(t);
    }
    return status;
}

static enum trop_status read_vocab_txt(struct trop_tokenizer *t, const unsigned char *bytes,
                                       int64_t size)
{
    static const char *const names[] = { "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]" };
    enum trop_status status =
        trop_vocabulary_parse(&t->vocabulary, (const char *)bytes, size, t->name);

    if (status == TROP_OK && t->limit > 0 && t->vocabulary.words > t->limit) {
        return trop_fail(TROP_ERR_IO, "%s: has %lld words: must have at most %lld", t->name,
                         (long long)t->vocabulary.words, (long long)t->limit);
    }
    if (status == TROP_OK) {
        status = trop_tokenizer_special(&t->special, &t->vocabulary, t->name);
    }
    if (status == TROP_OK) {
        status = trop_tokenizer_make_room(t, t->vocabulary.words);
    }
    if (status != TROP_OK) {
        return status;
    }
    for (int64_t w = 0; w < t->vocabulary.words; w++) {
        t->id[w] = (int32_t)w;
    }
    trop_tokenizer_own(t);
    t->frame = trop_alloc(2, sizeof *t->frame);
    if (!t->frame) {
        return trop_fail(TROP_ERR_MEMORY, "%s: no memory for its words", t->name);
    }
    t->frame[0] = t->special.first;
    t->frame[1] = t->special.last;
    t->in_front = t->behind = 1;
    return find_special(t, names, 5);
}

/* vocab.json, which has the numbers, with the bytes of merges.txt. */
static enum trop_status read_gpt2(struct trop_tokenizer *t, const struct trop_json_value *vocab,
                                  const char *merges, int64_t size, const char *merges_name)
{
    static const char *const names[] = { "<|endoftext|>" };
    enum trop_status status = trop_tokenizer_read_vocabulary(t, vocab, 0);

    t->kind = TROP_TOKENIZER_BYTES;
    t->split = TROP_TOKENIZER_GPT2;
    t->unknown = -1;
    if (status == TROP_OK) {
        status = trop_utf8_check(merges, size, merges_name, 1);
    }
    if (status == TROP_OK) {
        trop_tokenizer_find_bytes(t);
        status = trop_tokenizer_parse_merges(t, merges, size, merges_name);
    }
    if (status == TROP_OK) {
        status = trop_tokenizer_check_ids(t);
    }
    return status == TROP_OK ? find_special(t, names, 1) : status;
}

/* ---- opening ----------------------------------------------------------------------------------
 */

static enum trop_status make(struct trop_tokenizer **out, const char *name, int64_t limit)
{
    struct trop_tokenizer *t = trop_alloc(1, sizeof *t);
    char *copy = trop_alloc((int64_t)strlen(name) + 1, 1);

    if (!t || !copy) {
        TROP_FREE(t, copy);
        return trop_fail(TROP_ERR_MEMORY, "%s: no memory for a tokenizer", name);
    }
    memcpy(copy, name, strlen(name));
    t->name = copy;
    t->limit = limit;
    memset(t->byte, 0xff, sizeof t->byte); /* -1: no word */
    *out = t;
    return TROP_OK;
}

void trop_tokenizer_close(struct trop_tokenizer *t)
{
    if (t) {
        trop_vocabulary_free(&t->vocabulary);
        trop_tokenizer_added_free(t->added);
        trop_tokenizer_added_free(t->added + 1);
        trop_merge_table_free(&t->merges);
        TROP_FREE(t->name, t->id, t->frame, t->score, t);
    }
}

/* t for the caller, or nothing of it. */
static enum trop_status hand_over(struct trop_tokenizer **out, struct trop_tokenizer *t,
                                  enum trop_status status)
{
    if (status != TROP_OK) {
        trop_tokenizer_close(t);
        return status;
    }
    t->special.words = t->own;
    *out = t;
    return TROP_OK;
}

static int ends_in(const char *name, const char *end)
{
    const size_t size = strlen(name), tail = strlen(end);

    return size >= tail && strcmp(name + size - tail, end) == 0;
}

static enum trop_status parse_json(struct trop_tokenizer *t, const unsigned char *bytes,
                                   int64_t size)
{
    struct trop_json_read *doc;
    enum trop_status status = trop_json_read_parse(&doc, bytes, size, t->name);

    if (status == TROP_OK) {
        status = trop_tokenizer_read_json(t, trop_json_value_root(doc));
        trop_json_read_close(doc);
    }
    return status;
}

enum trop_status trop_tokenizer_parse(struct trop_tokenizer **out, const unsigned char *bytes,
                                      int64_t size, const char *name, int64_t limit)
{
    struct trop_tokenizer *t;
    enum trop_status status = make(&t, name, limit);

    if (status != TROP_OK) {
        return status;
    }
    status = ends_in(name, ".json")  ? parse_json(t, bytes, size)
             : ends_in(name, ".txt") ? read_vocab_txt(t, bytes, size)
             : ends_in(name, ".bin") ? trop_tokenizer_read_llama(t, bytes, size)
                                     : trop_fail(TROP_ERR_IO,
                                                 "%s: must be a tokenizer.json, vocab.txt or, of "
                                                 "llama2.c, .bin",
                                                 name);
    return hand_over(out, t, status);
}

static enum trop_status open_file(struct trop_tokenizer **out, const char *path, int64_t limit)
{
    unsigned char *bytes;
    int64_t size;
    enum trop_status status = trop_file_read_limit(&bytes, &size, path, FILE_LIMIT);

    if (status == TROP_OK) {
        status = trop_tokenizer_parse(out, bytes, size, path, limit);
        trop_alloc_free(bytes);
    }
    return status;
}

static enum trop_status open_gpt2(struct trop_tokenizer **out, const char *vocab_path,
                                  const char *merges_path, int64_t limit)
{
    struct trop_tokenizer *t = NULL;
    struct trop_json_read *doc = NULL;
    unsigned char *merges = NULL;
    int64_t size = 0;
    enum trop_status status = make(&t, vocab_path, limit);

    if (status == TROP_OK) {
        status = trop_json_read_open(&doc, vocab_path);
    }
    if (status == TROP_OK) {
        status = trop_file_read_limit(&merges, &size, merges_path, FILE_LIMIT);
    }
    if (status == TROP_OK) {
        status = read_gpt2(t, trop_json_value_root(doc), (char *)merges, size, merges_path);
    }
    trop_json_read_close(doc);
    trop_alloc_free(merges);
    return hand_over(out, t, status);
}

static enum trop_status open_pair(struct trop_tokenizer **out, const char *folder, int64_t limit)
{
    char *vocab = trop_folder_path(folder, "vocab.json");
    char *merges = trop_folder_path(folder, "merges.txt");
    enum trop_status status =
        vocab && merges ? open_gpt2(out, vocab, merges, limit)
                        : trop_fail(TROP_ERR_MEMORY, "%s: no memory for its names", folder);

    TROP_FREE(vocab, merges);
    return status;
}

/* The file of a folder that is not a pair; *path stays NULL when there is none. */
static enum trop_status choose(char **path, const char *folder)
{
    static const char *const names[] = { "tokenizer.json", "vocab.txt" };

    for (int k = 0; k < 2; k++) {
        if (trop_folder_has(folder, names[k])) {
            *path = trop_folder_path(folder, names[k]);
            return *path ? TROP_OK
                         : trop_fail(TROP_ERR_MEMORY, "%s: no memory for its names", folder);
        }
    }
    return trop_folder_has(folder, "vocab.json") && trop_folder_has(folder, "merges.txt")
               ? TROP_OK
               : trop_folder_find(path, folder, "tok", ".bin");
}

static enum trop_status open_folder(struct trop_tokenizer **out, const char *folder, int64_t limit)
{
    char *path = NULL;
    enum trop_status status = choose(&path, folder);

    if (status == TROP_OK && path) {
        status = open_file(out, path, limit);
    } else if (status == TROP_OK && trop_folder_has(folder, "vocab.json") &&
               trop_folder_has(folder, "merges.txt")) {
        status = open_pair(out, folder, limit);
    } else if (status == TROP_OK) {
        status = trop_fail(TROP_ERR_IO,
                           "%s: has no tokenizer: must have tokenizer.json, vocab.txt, vocab.json "
                           "and merges.txt, or *tok*.bin",
                           folder);
    }
    trop_alloc_free(path);
    return status;
}

enum trop_status trop_tokenizer_open(struct trop_tokenizer **out, const char *path, int64_t limit)
{
    if (limit < 0 || limit > ID_MOST) {
        return trop_fail(TROP_ERR_ARG, "a vocabulary of %lld tokens: must be from 0 to %d",
                         (long long)limit, ID_MOST);
    }
    if (trop_folder_is(path)) {
        return open_folder(out, path, limit);
    }
    if (ends_in(path, "vocab.json") || ends_in(path, "merges.txt")) {
        char *folder = trop_folder_of(path);
        enum trop_status status =
            folder ? open_pair(out, folder, limit)
                   : trop_fail(TROP_ERR_MEMORY, "%s: no memory for its folder", path);
        trop_alloc_free(folder);
        return status;
    }
    return open_file(out, path, limit);
}
