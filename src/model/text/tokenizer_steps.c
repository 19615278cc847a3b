/* tokenizer_steps.c -- what a tokenizer.json does to a text before and after its model: normalizer,
 * pre_tokenizer, post_processor. A step that is not known here is refused by its name, since
 * without it the tokens would be others.
 */
#include "model/text/tokenizer_internal.h"

#include <string.h>

#include "base/alloc.h"
#include "base/status.h"

#define MARK "\xe2\x96\x81" /* U+2581 */
#define FRAME_MOST 64       /* tokens around a text */

static const char *type_of(const struct trop_json_value *step)
{
    const char *type = trop_json_value_text(trop_json_value_member(step, "type"));

    return type ? type : "";
}

static int is_type(const struct trop_json_value *step, const char *type)
{
    return strcmp(type_of(step), type) == 0;
}

static int is_text(const struct trop_json_value *text, const char *wanted)
{
    const char *found = trop_json_value_text(text);

    return found && strcmp(found, wanted) == 0;
}

/* A member that is true; absent is what it is then. */
static int is_true(const struct trop_json_value *object, const char *key, int absent)
{
    const struct trop_json_value *truth = trop_json_value_member(object, key);

    return truth ? trop_json_value_integer(truth) == 1 : absent;
}

static enum trop_status refuse(const struct trop_tokenizer *t, const char *step,
                               const struct trop_json_value *what, const char *rule)
{
    return trop_fail(TROP_ERR_IO, "%s: %s: type \"%.40s\": %s", t->name, step, type_of(what), rule);
}

/* ---- normalizer -------------------------------------------------------------------------------
 */

static enum trop_status read_normalizer(struct trop_tokenizer *t,
                                        const struct trop_json_value *step)
{
    const struct trop_json_value *pattern = trop_json_value_member(step, "pattern");

    if (is_type(step, "NFC")) {
        t->nfc = 1;
    } else if (is_type(step, "Prepend") && is_text(trop_json_value_member(step, "prepend"), MARK)) {
        t->prefix = TROP_TOKENIZER_ALWAYS;
    } else if (is_type(step, "Replace") &&
               is_text(trop_json_value_member(pattern, "String"), " ") &&
               is_text(trop_json_value_member(step, "content"), MARK)) {
        t->marked = 1;
    } else {
        return refuse(t, "normalizer", step,
                      "must be NFC, Prepend of U+2581, Replace of a blank by it, or none");
    }
    return TROP_OK;
}

static enum trop_status read_normalizers(struct trop_tokenizer *t,
                                         const struct trop_json_value *step)
{
    const struct trop_json_value *steps = trop_json_value_member(step, "normalizers");
    enum trop_status status = TROP_OK;

    if (!step) {
        return TROP_OK;
    }
    if (!is_type(step, "Sequence")) {
        status = read_normalizer(t, step);
    }
    for (int64_t k = 0; k < trop_json_value_count(steps) && status == TROP_OK; k++) {
        status = read_normalizer(t, trop_json_value_item(steps, k));
    }
    if (status == TROP_OK && (t->nfc + t->marked == 2 || (t->prefix && !t->marked))) {
        return trop_fail(TROP_ERR_IO,
                         "%s: normalizer: must be NFC, or Prepend and Replace, or Replace, alone",
                         t->name);
    }
    return status;
}

/* ---- pre_tokenizer ----------------------------------------------------------------------------
 */

static const struct {
    const char *regex;
    enum trop_tokenizer_split split;
} patterns[] = {
    { "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+",
      TROP_TOKENIZER_GPT2 },
    { "'(?:[sdmt]|ll|ve|re)| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+",
      TROP_TOKENIZER_GPT2 },
    { "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}"
      "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
      TROP_TOKENIZER_LLAMA3 },
    { "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}"
      "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
      TROP_TOKENIZER_QWEN2 },
};

static enum trop_status read_split(struct trop_tokenizer *t, const struct trop_json_value *step)
{
    const char *regex = trop_json_value_text(
        trop_json_value_member(trop_json_value_member(step, "pattern"), "Regex"));

    if (!is_text(trop_json_value_member(step, "behavior"), "Isolated") ||
        is_true(step, "invert", 0)) {
        return refuse(t, "pre_tokenizer", step, "must have behavior Isolated, not inverted");
    }
    for (size_t k = 0; regex && k < sizeof patterns / sizeof *patterns; k++) {
        if (strcmp(regex, patterns[k].regex) == 0) {
            t->split = patterns[k].split;
            return TROP_OK;
        }
    }
    return trop_fail(TROP_ERR_IO,
                     "%s: pre_tokenizer: Split by \"%.100s\": must be the pattern of GPT-2, "
                     "Llama-3 or Qwen2",
                     t->name, regex ? regex : "");
}

static enum trop_status read_byte_level(struct trop_tokenizer *t,
                                        const struct trop_json_value *step)
{
    t->kind = TROP_TOKENIZER_BYTES;
    if (is_true(step, "add_prefix_space", 1)) {
        t->prefix = TROP_TOKENIZER_UNLESS;
    }
    if (is_true(step, "use_regex", 1)) {
        t->split = TROP_TOKENIZER_GPT2;
    }
    return t->marked ? refuse(t, "pre_tokenizer", step,
                              "must not follow a normalizer that replaces blanks")
                     : TROP_OK;
}

static enum trop_status read_metaspace(struct trop_tokenizer *t, const struct trop_json_value *step)
{
    const struct trop_json_value *scheme = trop_json_value_member(step, "prepend_scheme");
    const int prefix = is_true(step, "add_prefix_space", 1);

    if (!is_text(trop_json_value_member(step, "replacement"), MARK) || t->marked || t->nfc) {
        return refuse(t, "pre_tokenizer", step,
                      "must have the replacement U+2581, and no normalizer in front");
    }
    t->marked = 1;
    t->split = is_true(step, "split", 1) ? TROP_TOKENIZER_BLANKS : TROP_TOKENIZER_WHOLE;
    if (is_text(scheme, "always") || (!scheme && prefix)) {
        t->prefix = TROP_TOKENIZER_UNLESS;
    } else if (is_text(scheme, "first")) {
        t->prefix = TROP_TOKENIZER_FIRST;
    } else if (scheme && !is_text(scheme, "never")) {
        return refuse(t, "pre_tokenizer", step, "prepend_scheme: must be always, first or never");
    }
    return TROP_OK;
}

/* A Sequence is a Split, then ByteLevel, which neither splits again nor puts blanks. */
static enum trop_status read_sequence(struct trop_tokenizer *t, const struct trop_json_value *step)
{
    const struct trop_json_value *steps = trop_json_value_member(step, "pretokenizers");
    const struct trop_json_value *split = trop_json_value_item(steps, 0);
    const struct trop_json_value *bytes = trop_json_value_item(steps, 1);

    if (trop_json_value_count(steps) != 2 || !is_type(split, "Split") ||
        !is_type(bytes, "ByteLevel") || is_true(bytes, "add_prefix_space", 1) ||
        is_true(bytes, "use_regex", 1)) {
        return refuse(t, "pre_tokenizer", step,
                      "must be Split and ByteLevel, the latter without regex and prefix");
    }
    enum trop_status status = read_split(t, split);
    return status == TROP_OK ? read_byte_level(t, bytes) : status;
}

enum trop_status trop_tokenizer_read_steps(struct trop_tokenizer *t,
                                           const struct trop_json_value *root)
{
    const struct trop_json_value *step = trop_json_value_member(root, "pre_tokenizer");
    enum trop_status status = read_normalizers(t, trop_json_value_member(root, "normalizer"));

    if (status != TROP_OK || !step) {
        return status;
    }
    if (is_type(step, "Sequence")) {
        return read_sequence(t, step);
    }
    if (is_type(step, "ByteLevel")) {
        return read_byte_level(t, step);
    }
    if (is_type(step, "Metaspace")) {
        return read_metaspace(t, step);
    }
    return refuse(t, "pre_tokenizer", step,
                  "must be ByteLevel, Split and ByteLevel, Metaspace, or none");
}

enum trop_status trop_tokenizer_read_bert(struct trop_tokenizer *t,
                                          const struct trop_json_value *root)
{
    const struct trop_json_value *normal = trop_json_value_member(root, "normalizer");
    const struct trop_json_value *words = trop_json_value_member(root, "pre_tokenizer");
    const int lower = is_true(normal, "lowercase", 1);

    if (!is_type(normal, "BertNormalizer") || !is_true(normal, "clean_text", 1) ||
        !is_true(normal, "handle_chinese_chars", 1) ||
        is_true(normal, "strip_accents", lower) != lower) {
        return refuse(t, "normalizer", normal,
                      "must be BertNormalizer, with clean_text and handle_chinese_chars, and "
                      "strip_accents as lowercase");
    }
    if (!is_type(words, "BertPreTokenizer")) {
        return refuse(t, "pre_tokenizer", words, "must be BertPreTokenizer with WordPiece");
    }
    t->special.cased = !lower;
    return TROP_OK;
}

/* ---- post_processor ---------------------------------------------------------------------------
 */

/* The word of a number, behind the frame; behind says on which side of the text. */
static enum trop_status frame_token(struct trop_tokenizer *t, const struct trop_json_value *number,
                                    int behind)
{
    const int64_t id = trop_json_value_integer(number);
    int64_t word = 0;

    while (word < t->vocabulary.words && t->id[word] != id) {
        word++;
    }
    if (trop_json_value_kind(number) != TROP_JSON_INTEGER || word == t->vocabulary.words) {
        return trop_fail(TROP_ERR_IO, "%s: post_processor: token %lld: is not in the vocabulary",
                         t->name, (long long)id);
    }
    if (t->in_front + t->behind == FRAME_MOST) {
        return trop_fail(TROP_ERR_IO, "%s: post_processor: must put at most %d tokens", t->name,
                         FRAME_MOST);
    }
    t->frame[t->in_front + t->behind] = (int32_t)word;
    *(behind ? &t->behind : &t->in_front) += 1;
    return TROP_OK;
}

/* [token, number] in front and behind. */
static enum trop_status read_bert_frame(struct trop_tokenizer *t,
                                        const struct trop_json_value *step)
{
    enum trop_status status =
        frame_token(t, trop_json_value_item(trop_json_value_member(step, "cls"), 1), 0);

    return status == TROP_OK
               ? frame_token(t, trop_json_value_item(trop_json_value_member(step, "sep"), 1), 1)
               : status;
}

static enum trop_status read_template(struct trop_tokenizer *t, const struct trop_json_value *step)
{
    const struct trop_json_value *single = trop_json_value_member(step, "single");
    const struct trop_json_value *tokens = trop_json_value_member(step, "special_tokens");
    int texts = 0;
    enum trop_status status = TROP_OK;

    for (int64_t k = 0; k < trop_json_value_count(single) && status == TROP_OK; k++) {
        const struct trop_json_value *item = trop_json_value_item(single, k);
        const struct trop_json_value *text = trop_json_value_member(item, "Sequence");
        const char *name = trop_json_value_text(
            trop_json_value_member(trop_json_value_member(item, "SpecialToken"), "id"));
        const struct trop_json_value *ids =
            trop_json_value_member(name ? trop_json_value_member(tokens, name) : NULL, "ids");
        texts += is_text(trop_json_value_member(text, "id"), "A");
        if (!text && trop_json_value_count(ids) == 0) {
            return trop_fail(TROP_ERR_IO, "%s: post_processor: single %lld: must be A or a token",
                             t->name, (long long)k);
        }
        for (int64_t i = 0; !text && i < trop_json_value_count(ids) && status == TROP_OK; i++) {
            status = frame_token(t, trop_json_value_item(ids, i), texts);
        }
    }
    if (status == TROP_OK && texts != 1) {
        return trop_fail(TROP_ERR_IO, "%s: post_processor: single: must have the text A once",
                         t->name);
    }
    return status;
}

static enum trop_status read_processor(struct trop_tokenizer *t, const struct trop_json_value *step)
{
    if (is_type(step, "ByteLevel")) { /* only where tokens begin and end */
        return TROP_OK;
    }
    if (t->in_front + t->behind > 0) {
        return refuse(t, "post_processor", step, "must be the only one that puts tokens");
    }
    if (is_type(step, "TemplateProcessing")) {
        return read_template(t, step);
    }
    if (is_type(step, "BertProcessing") || is_type(step, "RobertaProcessing")) {
        return read_bert_frame(t, step);
    }
    return refuse(t, "post_processor", step,
                  "must be TemplateProcessing, BertProcessing, RobertaProcessing or ByteLevel");
}

enum trop_status trop_tokenizer_read_frame(struct trop_tokenizer *t,
                                           const struct trop_json_value *root)
{
    const struct trop_json_value *step = trop_json_value_member(root, "post_processor");
    const struct trop_json_value *steps = trop_json_value_member(step, "processors");
    enum trop_status status = TROP_OK;

    t->frame = trop_alloc(FRAME_MOST, sizeof *t->frame);
    if (!t->frame) {
        return trop_fail(TROP_ERR_MEMORY, "%s: no memory for its post_processor", t->name);
    }
    if (step && !is_type(step, "Sequence")) {
        return read_processor(t, step);
    }
    for (int64_t k = 0; k < trop_json_value_count(steps) && status == TROP_OK; k++) {
        status = read_processor(t, trop_json_value_item(steps, k));
    }
    return status;
}
