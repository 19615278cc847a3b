/* tokenizer_json.c -- the vocabulary, merges and added tokens of a tokenizer.json.
 *
 * The file is an object: added_tokens, normalizer, pre_tokenizer, post_processor, decoder, and
 * model, which is {"type": "BPE", "vocab": {token: number}, "merges": [...], ...} or
 * {"type": "WordPiece", "vocab": ..., "unk_token": ...}; older files leave the type out. The
 * format is that of the package tokenizers.
 */
#include "model/text/tokenizer_internal.h"

#include <string.h>

#include "base/alloc.h"
#include "base/status.h"

/* ---- vocabulary -------------------------------------------------------------------------------
 */

static enum trop_status take_word(void *context, const char *key,
                                  const struct trop_json_value *number)
{
    struct trop_tokenizer *t = context;
    int32_t word;

    if (trop_json_value_kind(number) != TROP_JSON_INTEGER) {
        return trop_fail(TROP_ERR_IO, "%s: vocab: %.60s: must be a whole number", t->name, key);
    }
    return trop_tokenizer_add_word(&word, t, key, (int64_t)strlen(key),
                                   trop_json_value_integer(number));
}

enum trop_status trop_tokenizer_read_vocabulary(struct trop_tokenizer *t,
                                                const struct trop_json_value *vocab, int64_t more)
{
    const int64_t count = trop_json_value_count(vocab);

    if (trop_json_value_kind(vocab) != TROP_JSON_OBJECT || count == 0) {
        return trop_fail(TROP_ERR_IO, "%s: vocab: must be an object {\"token\": number, ...}",
                         t->name);
    }
    enum trop_status status = trop_tokenizer_make_room(t, count + more);
    if (status == TROP_OK) {
        status = trop_json_value_each(vocab, take_word, t);
    }
    if (status == TROP_OK) {
        trop_tokenizer_own(t);
    }
    return status;
}

/* ---- merges -----------------------------------------------------------------------------------
 */

struct maker {
    struct trop_tokenizer *t;
    const char *name, *unit; /* of the file; what its places are called */
    char *both;              /* (longest + 1) */
};

static enum trop_status unknown_token(const struct maker *m, int64_t place, const char *text,
                                      int64_t size)
{
    return trop_fail(TROP_ERR_IO, "%s: %s %lld: \"%.*s\" is not in the vocabulary", m->name,
                     m->unit, (long long)place, (int)(size < 60 ? size : 60), text);
}

/* The pair a b at this place. */
static enum trop_status add_merge(const struct maker *m, int64_t place, const char *const text[2],
                                  const int64_t size[2], int64_t rank)
{
    struct trop_merge_pair pair = { .rank = (int32_t)rank };

    for (int k = 0; k < 2; k++) {
        const int32_t word = trop_tokenizer_word(m->t, text[k], size[k]);
        if (word < 0) {
            return unknown_token(m, place, text[k], size[k]);
        }
        *(k ? &pair.right : &pair.left) = word;
    }
    /* Each is at most as long as the longest, and so is what they must become. */
    const int64_t all = size[0] + size[1];
    memcpy(m->both, text[0], (size_t)size[0]);
    memcpy(m->both + size[0], text[1], (size_t)size[1]);
    pair.word = trop_tokenizer_word(m->t, m->both, all);
    if (pair.word < 0) {
        return unknown_token(m, place, m->both, all);
    }
    trop_merge_table_add(&m->t->merges, &pair);
    return TROP_OK;
}

static enum trop_status add_line(const struct maker *m, int64_t place, const char *line,
                                 int64_t size, int64_t rank)
{
    const char *blank = memchr(line, ' ', (size_t)size);
    const char *second = blank ? blank + 1 : line;
    const int64_t behind = size - (second - line);

    if (!blank || memchr(second, ' ', (size_t)behind)) {
        return trop_fail(TROP_ERR_IO, "%s: %s %lld: must be two tokens and a blank between them",
                         m->name, m->unit, (long long)place);
    }
    return add_merge(m, place, (const char *const[]){ line, second },
                     (const int64_t[]){ blank - line, behind }, rank);
}

static enum trop_status add_item(const struct maker *m, const struct trop_json_value *item,
                                 int64_t k)
{
    const char *line = trop_json_value_text(item);
    const char *const text[] = { trop_json_value_text(trop_json_value_item(item, 0)),
                                 trop_json_value_text(trop_json_value_item(item, 1)) };

    if (line) {
        return add_line(m, k, line, (int64_t)strlen(line), k);
    }
    if (!text[0] || !text[1] || trop_json_value_count(item) != 2) {
        return trop_fail(TROP_ERR_IO, "%s: merges %lld: must be \"a b\" or [\"a\", \"b\"]", m->name,
                         (long long)k);
    }
    return add_merge(m, k, text,
                     (const int64_t[]){ (int64_t)strlen(text[0]), (int64_t)strlen(text[1]) }, k);
}

static enum trop_status maker_create(struct maker *m, int64_t merges)
{
    enum trop_status status = trop_merge_table_create(&m->t->merges, merges);

    if (status == TROP_OK) {
        m->both = trop_alloc(2 * m->t->longest + 1, 1);
        if (!m->both) {
            return trop_fail(TROP_ERR_MEMORY, "%s: no memory for its merges", m->name);
        }
    }
    return status;
}

enum trop_status trop_tokenizer_read_merges(struct trop_tokenizer *t,
                                            const struct trop_json_value *merges)
{
    struct maker m = { .t = t, .name = t->name, .unit = "merges" };
    const int64_t count = trop_json_value_count(merges);

    if (trop_json_value_kind(merges) != TROP_JSON_LIST) {
        return trop_fail(TROP_ERR_IO, "%s: merges: must be a list", t->name);
    }
    enum trop_status status = maker_create(&m, count);
    for (int64_t k = 0; k < count && status == TROP_OK; k++) {
        status = add_item(&m, trop_json_value_item(merges, k), k);
    }
    trop_alloc_free(m.both);
    return status;
}

enum trop_status trop_tokenizer_parse_merges(struct trop_tokenizer *t, const char *text,
                                             int64_t size, const char *name)
{
    struct maker m = { .t = t, .name = name, .unit = "line" };
    const char *at = text, *end = text + size;
    int64_t lines = 1, rank = 0;

    for (int64_t k = 0; k < size; k++) {
        lines += text[k] == '\n';
    }
    enum trop_status status = maker_create(&m, lines);
    for (int64_t line = 1; at < end && status == TROP_OK; line++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end;
        const char *last = stop > at && stop[-1] == '\r' ? stop - 1 : stop;
        const int note = line == 1 && last - at >= 8 && memcmp(at, "#version", 8) == 0;
        if (last > at && !note) {
            status = add_line(&m, line, at, last - at, rank++);
        }
        at = newline ? newline + 1 : end;
    }
    trop_alloc_free(m.both);
    return status;
}

/* ---- added tokens -----------------------------------------------------------------------------
 */

static enum trop_status take_added(struct trop_tokenizer *t, const struct trop_json_value *token,
                                   int64_t k)
{
    const char *content = trop_json_value_text(trop_json_value_member(token, "content"));
    const struct trop_json_value *id = trop_json_value_member(token, "id");
    const int strip = (int)trop_json_value_integer(trop_json_value_member(token, "lstrip")) +
                      2 * (int)trop_json_value_integer(trop_json_value_member(token, "rstrip"));
    const int normal = trop_json_value_integer(trop_json_value_member(token, "normalized")) == 1;
    int32_t word;

    if (!content || trop_json_value_kind(id) != TROP_JSON_INTEGER || strip < 0 || strip > 3) {
        return trop_fail(TROP_ERR_IO, "%s: added_tokens %lld: must have an id and a content",
                         t->name, (long long)k);
    }
    if (trop_json_value_integer(trop_json_value_member(token, "single_word")) == 1) {
        return trop_fail(TROP_ERR_IO, "%s: added_tokens %lld: single_word: must be false here",
                         t->name, (long long)k);
    }
    if (normal && (t->kind == TROP_TOKENIZER_WORDPIECE || t->nfc || t->marked)) {
        return trop_fail(TROP_ERR_IO,
                         "%s: added_tokens %lld: normalized: must be false with this normalizer",
                         t->name, (long long)k);
    }
    enum trop_status status = trop_tokenizer_add_word(&word, t, content, (int64_t)strlen(content),
                                                      trop_json_value_integer(id));
    return status == TROP_OK ? trop_tokenizer_added_put(t, normal, word, strip) : status;
}

static enum trop_status read_added(struct trop_tokenizer *t, const struct trop_json_value *tokens)
{
    const int64_t count = trop_json_value_count(tokens);
    enum trop_status status = trop_tokenizer_added_room(t, count);

    if (tokens && trop_json_value_kind(tokens) != TROP_JSON_LIST) {
        return trop_fail(TROP_ERR_IO, "%s: added_tokens: must be a list", t->name);
    }
    for (int64_t k = 0; k < count && status == TROP_OK; k++) {
        status = take_added(t, trop_json_value_item(tokens, k), k);
    }
    if (status == TROP_OK) {
        trop_tokenizer_added_settle(t);
    }
    return status;
}

/* ---- the model --------------------------------------------------------------------------------
 */

static int is_empty(const struct trop_json_value *text)
{
    return !text || (trop_json_value_text(text) && !trop_json_value_text(text)[0]);
}

static enum trop_status read_unknown(struct trop_tokenizer *t, const struct trop_json_value *model)
{
    const char *name = trop_json_value_text(trop_json_value_member(model, "unk_token"));

    t->unknown = name ? trop_tokenizer_word(t, name, (int64_t)strlen(name)) : -1;
    t->fuse_unknown = trop_json_value_integer(trop_json_value_member(model, "fuse_unk")) == 1;
    if (t->unknown < 0 && name && name[0]) {
        return trop_fail(TROP_ERR_IO, "%s: unk_token: \"%.60s\" is not in the vocabulary", t->name,
                         name);
    }
    return TROP_OK;
}

static enum trop_status read_wordpiece(struct trop_tokenizer *t,
                                       const struct trop_json_value *model)
{
    const char *prefix =
        trop_json_value_text(trop_json_value_member(model, "continuing_subword_prefix"));
    const struct trop_json_value *most = trop_json_value_member(model, "max_input_chars_per_word");

    if ((prefix && strcmp(prefix, "##") != 0) || (most && trop_json_value_integer(most) != 100)) {
        return trop_fail(TROP_ERR_IO,
                         "%s: continuing_subword_prefix and max_input_chars_per_word: must be ## "
                         "and 100",
                         t->name);
    }
    if (t->unknown < 0) {
        return trop_fail(TROP_ERR_IO, "%s: unk_token: is missing", t->name);
    }
    t->special.unknown = t->unknown;
    return TROP_OK;
}

static enum trop_status read_bpe(struct trop_tokenizer *t, const struct trop_json_value *model)
{
    const struct trop_json_value *dropout = trop_json_value_member(model, "dropout");
    const int fallback =
        trop_json_value_integer(trop_json_value_member(model, "byte_fallback")) == 1;

    if (dropout && (trop_json_value_kind(dropout) != TROP_JSON_INTEGER ||
                    trop_json_value_integer(dropout) != 0)) {
        return trop_fail(TROP_ERR_IO, "%s: dropout: must be null: tokens would be random", t->name);
    }
    if (!is_empty(trop_json_value_member(model, "continuing_subword_prefix")) ||
        !is_empty(trop_json_value_member(model, "end_of_word_suffix"))) {
        return trop_fail(
            TROP_ERR_IO,
            "%s: continuing_subword_prefix and end_of_word_suffix: must be empty with BPE",
            t->name);
    }
    t->ignore_merges = trop_json_value_integer(trop_json_value_member(model, "ignore_merges")) == 1;
    if (fallback && t->kind == TROP_TOKENIZER_BYTES) {
        return trop_fail(TROP_ERR_IO, "%s: byte_fallback: must be false with ByteLevel", t->name);
    }
    if (fallback || t->kind == TROP_TOKENIZER_BYTES) {
        trop_tokenizer_find_bytes(t);
    }
    for (int k = 0; fallback && k < 256; k++) {
        if (t->byte[k] < 0) {
            return trop_fail(TROP_ERR_IO, "%s: byte_fallback: the vocabulary has no <0x%02X>",
                             t->name, (unsigned)k);
        }
    }
    return trop_tokenizer_read_merges(t, trop_json_value_member(model, "merges"));
}

/* BPE or WordPiece. */
static enum trop_status read_kind(struct trop_tokenizer *t, const struct trop_json_value *model)
{
    const char *type = trop_json_value_text(trop_json_value_member(model, "type"));

    if (trop_json_value_kind(model) != TROP_JSON_OBJECT) {
        return trop_fail(TROP_ERR_IO, "%s: model: is missing: must be a tokenizer.json", t->name);
    }
    if (!type) {
        type = trop_json_value_member(model, "merges")                     ? "BPE"
               : trop_json_value_member(model, "max_input_chars_per_word") ? "WordPiece"
                                                                           : "";
    }
    if (strcmp(type, "BPE") != 0 && strcmp(type, "WordPiece") != 0) {
        return trop_fail(TROP_ERR_IO, "%s: model: type \"%.40s\": must be BPE or WordPiece",
                         t->name, type);
    }
    t->kind = type[0] == 'B' ? TROP_TOKENIZER_PIECES : TROP_TOKENIZER_WORDPIECE;
    return TROP_OK;
}

enum trop_status trop_tokenizer_read_json(struct trop_tokenizer *t,
                                          const struct trop_json_value *root)
{
    const struct trop_json_value *model = trop_json_value_member(root, "model");
    const struct trop_json_value *added = trop_json_value_member(root, "added_tokens");
    enum trop_status status = read_kind(t, model);

    if (status == TROP_OK) {
        status = t->kind == TROP_TOKENIZER_WORDPIECE ? trop_tokenizer_read_bert(t, root)
                                                     : trop_tokenizer_read_steps(t, root);
    }
    if (status == TROP_OK) {
        status = trop_tokenizer_read_vocabulary(t, trop_json_value_member(model, "vocab"),
                                                trop_json_value_count(added));
    }
    if (status == TROP_OK) {
        status = read_unknown(t, model);
    }
    if (status == TROP_OK) {
        status =
            t->kind == TROP_TOKENIZER_WORDPIECE ? read_wordpiece(t, model) : read_bpe(t, model);
    }
    if (status == TROP_OK) {
        status = read_added(t, added);
    }
    if (status == TROP_OK) {
        status = trop_tokenizer_check_ids(t);
    }
    return status == TROP_OK ? trop_tokenizer_read_frame(t, root) : status;
}
