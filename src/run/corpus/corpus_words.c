/* corpus_words.c -- the texts of a corpus become tokens.
 *
 * Every text is tokenised once: words get numbers in the order in which they come, and these are
 * replaced when the words have been counted. What max_length leaves out is not counted either, nor
 * is what stands outside the training split, where the items have splits.
 */
#include "run/corpus/corpus.h"

#include <string.h>

#include "base/alloc.h"
#include "base/status.h"
#include "io/utf8.h"

static enum trop_status no_memory(const struct trop_corpus *corpus, int64_t count)
{
    return trop_fail(TROP_ERR_MEMORY, "%s: no memory for %lld tokens", corpus->name,
                     (long long)count);
}

/* The tokens of one text, in corpus->list; ids of words are not known yet. */
static enum trop_status tokenize(struct trop_corpus *corpus, const char *text)
{
    const int64_t size = (int64_t)strlen(text), most = corpus->options.max_length;

    if (corpus->options.tokenizer == TROP_CORPUS_WORDPIECE) {
        return trop_tokenizer_wordpiece(&corpus->list, &corpus->vocabulary, &corpus->special, most,
                                        text, size);
    }
    enum trop_status status = trop_tokenizer_words(&corpus->list, text, size);
    if (status == TROP_OK && most > 0 && corpus->list.count > most) {
        corpus->list.count = most;
    }
    return status;
}

/* Tokens of the text alone: [CLS] and [SEP] are none. */
static int64_t own_tokens(const struct trop_corpus *corpus)
{
    return corpus->list.count - (corpus->options.tokenizer == TROP_CORPUS_WORDPIECE ? 2 : 0);
}

/* ---- building ----------------------------------------------------------------------------------
 */

static enum trop_status grow_ids(struct trop_corpus *corpus, int64_t *room, int64_t needed)
{
    int64_t larger = *room ? *room : 1024;
    const int64_t used = *room;

    while (larger < needed) {
        larger *= 2;
    }
    int32_t *ids = larger > used ? trop_alloc(larger, sizeof *ids) : corpus->ids;
    if (!ids) {
        return no_memory(corpus, larger);
    }
    if (ids != corpus->ids) {
        if (used > 0) {
            memcpy(ids, corpus->ids, (size_t)used * sizeof *ids);
        }
        trop_alloc_free(corpus->ids);
        corpus->ids = ids;
    }
    *room = larger;
    return TROP_OK;
}

/* The tokens of item i behind those of the items before it. */
static enum trop_status take_item(struct trop_corpus *corpus, struct trop_vocabulary *found,
                                  int64_t *room, int64_t i)
{
    const int counted = !corpus->splits || corpus->splits[i] == TROP_SPLIT_TRAIN;
    enum trop_status status = tokenize(corpus, corpus->item[i].text);
    char place[512];

    if (status == TROP_OK && own_tokens(corpus) == 0) {
        trop_corpus_place(place, corpus, i);
        return trop_fail(TROP_ERR_IO, "%s: the text has no token", place);
    }
    const int64_t first = corpus->offsets[i], count = corpus->list.count;
    if (status == TROP_OK) {
        status = grow_ids(corpus, room, first + count);
    }
    for (int64_t k = 0; k < count && status == TROP_OK; k++) {
        const struct trop_tokenizer_token *token = corpus->list.token + k;
        corpus->ids[first + k] = token->id;
        if (corpus->options.tokenizer == TROP_CORPUS_WORDS) {
            status = trop_vocabulary_add(corpus->ids + first + k, found,
                                         corpus->list.forms + token->form, token->size, counted);
        }
    }
    corpus->offsets[i + 1] = first + count;
    return status;
}

/* The numbers that words have by their frequency, in place of those of their first appearance. */
static enum trop_status rank_words(struct trop_corpus *corpus, const struct trop_vocabulary *found)
{
    int32_t *new_id = trop_alloc(found->words, sizeof *new_id);

    if (!new_id) {
        return no_memory(corpus, found->words);
    }
    enum trop_status status =
        trop_vocabulary_rank(&corpus->vocabulary, new_id, found, TROP_CORPUS_UNKNOWN,
                             corpus->options.vocabulary, corpus->options.min_count);
    for (int64_t k = 0; status == TROP_OK && k < corpus->offsets[corpus->n]; k++) {
        corpus->ids[k] = new_id[corpus->ids[k]];
    }
    trop_alloc_free(new_id);
    return status;
}

static enum trop_status point_names(struct trop_corpus *corpus)
{
    const int64_t words = corpus->vocabulary.words;

    corpus->names = trop_alloc(words, sizeof *corpus->names);
    if (!corpus->names) {
        return no_memory(corpus, words);
    }
    for (int64_t w = 0; w < words; w++) {
        corpus->names[w] = trop_vocabulary_name(&corpus->vocabulary, w);
    }
    corpus->sequences.words = words;
    corpus->sequences.names = corpus->names;
    return TROP_OK;
}

/* The pieces are there before the first text is looked at. */
static enum trop_status read_pieces(struct trop_corpus *corpus)
{
    const char *file = corpus->options.wordpiece;

    if (!file) {
        return trop_fail(TROP_ERR_ARG, "wordpiece: which vocabulary? Name the file vocab.txt");
    }
    if (corpus->options.max_length > 0 && corpus->options.max_length < 3) {
        return trop_fail(TROP_ERR_ARG,
                         "max_length = %lld: must be at least 3 with wordpiece: [CLS], a piece, "
                         "[SEP]",
                         (long long)corpus->options.max_length);
    }
    enum trop_status status = trop_vocabulary_read(&corpus->vocabulary, file);
    return status == TROP_OK ? trop_tokenizer_special(&corpus->special, &corpus->vocabulary, file)
                             : status;
}

enum trop_status trop_corpus_tokenize(struct trop_corpus *corpus)
{
    const int words = corpus->options.tokenizer == TROP_CORPUS_WORDS;
    struct trop_vocabulary found = { 0 };
    int64_t room = 0;
    enum trop_status status = words ? TROP_OK : read_pieces(corpus);

    if (status != TROP_OK) {
        return status;
    }
    corpus->offsets = trop_alloc(corpus->n + 1, sizeof *corpus->offsets);
    if (!corpus->offsets) {
        return no_memory(corpus, corpus->n);
    }
    for (int64_t i = 0; i < corpus->n && status == TROP_OK; i++) {
        status = take_item(corpus, &found, &room, i);
    }
    if (status == TROP_OK && words) {
        status = rank_words(corpus, &found);
    }
    trop_vocabulary_free(&found);
    return status == TROP_OK ? point_names(corpus) : status;
}

/* ---- asking ------------------------------------------------------------------------------------
 */

static enum trop_status make_room(struct trop_corpus *corpus, int64_t size)
{
    const int64_t count = corpus->list.count, bytes = size + corpus->list.used + count;

    if (count > corpus->room_asked || bytes > corpus->room_words) {
        TROP_FREE(corpus->asked, corpus->word, corpus->words);
        corpus->room_asked = 0;
        corpus->room_words = 0;
        if (!TROP_ALLOC(TROP_PART(corpus->asked, 2 * count), TROP_PART(corpus->word, 2 * count),
                        TROP_PART(corpus->words, 2 * bytes))) {
            return no_memory(corpus, count);
        }
        corpus->room_asked = 2 * count;
        corpus->room_words = 2 * bytes;
    }
    return TROP_OK;
}

/* What is shown of a token: the form of one that is known, and what stood in the text of one that
 * is not. */
static void tell_tokens(struct trop_corpus *corpus, const char *text)
{
    const int words = corpus->options.tokenizer == TROP_CORPUS_WORDS;
    const int32_t unknown = words ? 0 : corpus->special.unknown;
    char *at = corpus->words;

    for (int64_t k = 0; k < corpus->list.count; k++) {
        const struct trop_tokenizer_token *token = corpus->list.token + k;
        const char *form = corpus->list.forms + token->form;
        int32_t id = token->id;
        if (words) {
            id = trop_vocabulary_find(&corpus->vocabulary, form, token->size);
            id = id < 0 ? 0 : id;
        }
        const int known = id != unknown;
        const int64_t length = known ? token->size : token->last - token->first;
        memcpy(at, known ? form : text + token->first, (size_t)length);
        at[length] = 0;
        corpus->asked[k] = id;
        corpus->word[k] = at;
        at += length + 1;
    }
}

enum trop_status trop_corpus_encode(const int32_t **ids, const char *const **words, int64_t *count,
                                    struct trop_corpus *corpus, const char *text)
{
    if (!corpus->item) {
        return trop_fail(TROP_ERR_ARG, "%s: is not made of texts", corpus->name);
    }
    enum trop_status status = trop_utf8_check(text, (int64_t)strlen(text), "text", 1);
    if (status == TROP_OK) {
        status = tokenize(corpus, text);
    }
    if (status == TROP_OK && own_tokens(corpus) == 0) {
        status = trop_fail(TROP_ERR_ARG, "text: has no token");
    }
    if (status == TROP_OK) {
        status = make_room(corpus, (int64_t)strlen(text));
    }
    if (status != TROP_OK) {
        return status;
    }
    tell_tokens(corpus, text);
    *ids = corpus->asked;
    *words = corpus->word;
    *count = corpus->list.count;
    return TROP_OK;
}

enum trop_status trop_corpus_words(const char *const **words, int64_t *count,
                                   struct trop_corpus *corpus, int64_t i)
{
    const int32_t *ids;
    const char *text = trop_corpus_text(corpus, i);

    if (!text) {
        return trop_fail(TROP_ERR_ARG, "%s: has no text %lld", corpus->name, (long long)i);
    }
    return trop_corpus_encode(&ids, words, count, corpus, text);
}
