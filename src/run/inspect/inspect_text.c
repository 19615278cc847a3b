/* inspect_text.c -- the texts that a model reads, in its tokens. */
#include "run/inspect/inspect.h"

#include "base/alloc.h"
#include "base/status.h"
#include "io/archive.h"
#include "run/corpus/corpus.h"
#include "run/setup/setup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void trop_inspect_text_free(struct trop_inspect_text *text)
{
    TROP_FREE(text->ids, text->tokens, text->words);
}

const char *trop_inspect_kind(const struct trop_inspect_text *text, int64_t token)
{
    static const char *const separators[] = { "[SEP]", "</s>", "<|endoftext|>", "<eos>", ".",
                                              ",",     "\n" };
    const char *word = text->tokens ? text->tokens[token] : "";

    if (token == 0) {
        return "first";
    }
    word += *word == ' ';
    for (size_t k = 0; k < sizeof separators / sizeof separators[0]; k++) {
        if (strcmp(word, separators[k]) == 0) {
            return "separator";
        }
    }
    return "ordinary";
}

/* ---- one text -------------------------------------------------------------------------------- */

static enum trop_status check_length(const struct trop_inspect *inspect, int64_t n,
                                     const char *what)
{
    const int64_t limit = trop_transformer_limit(inspect->model);

    if (n < 1) {
        return trop_fail(TROP_ERR_ARG, "%s: there is no token in it", what);
    }
    return n > limit ? trop_fail(TROP_ERR_ARG, "%s: has %lld tokens, the model takes %lld", what,
                                 (long long)n, (long long)limit)
                     : TROP_OK;
}

/* Copies what the tokenizer found. */
static enum trop_status take_list(struct trop_inspect_text *out,
                                  const struct trop_tokenizer_list *list)
{
    int64_t size = 0;

    out->n = list->count;
    for (int64_t t = 0; t < list->count; t++) {
        size += list->token[t].size + 1;
    }
    if (!TROP_ALLOC(TROP_PART(out->ids, out->n), TROP_PART(out->tokens, out->n),
                    TROP_PART(out->words, size))) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld tokens", (long long)out->n);
    }
    char *at = out->words;
    for (int64_t t = 0; t < list->count; t++) {
        const struct trop_tokenizer_token *token = list->token + t;
        memcpy(at, list->forms + token->form, (size_t)token->size + 1);
        out->ids[t] = token->id;
        out->tokens[t] = at;
        at += token->size + 1;
    }
    return TROP_OK;
}

static enum trop_status encode(struct trop_inspect *inspect, const struct trop_tokenizer *tokenizer,
                               const char *text, int64_t size, const char *what)
{
    struct trop_tokenizer_list list = { 0 };
    enum trop_status status = trop_tokenizer_encode(&list, tokenizer, text, size);

    if (status == TROP_OK) {
        status = check_length(inspect, list.count, what);
    }
    if (status == TROP_OK) {
        status = take_list(inspect->text + inspect->texts++, &list);
    }
    trop_tokenizer_release(&list);
    return status;
}

static enum trop_status take_ids(struct trop_inspect *inspect, const char *list)
{
    struct trop_inspect_text *text = inspect->text;
    int64_t count = 1;

    for (const char *at = list; *at; at++) {
        count += *at == ',';
    }
    enum trop_status status = check_length(inspect, *list ? count : 0, "ids");
    if (status != TROP_OK) {
        return status;
    }
    text->ids = trop_alloc(count, sizeof *text->ids);
    if (!text->ids) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld tokens", (long long)count);
    }
    inspect->texts = 1;
    for (const char *at = list; text->n < count; at++) {
        char *end = NULL;
        text->ids[text->n++] = strtoll(at, &end, 10);
        if (end == at || (*end && *end != ',')) {
            return trop_fail(TROP_ERR_ARG, "ids = %s: must be numbers separated by commas", list);
        }
        at = end;
    }
    return TROP_OK;
}

/* ---- several texts --------------------------------------------------------------------------- */

static enum trop_status make_room(struct trop_inspect *inspect, int64_t texts)
{
    inspect->text = trop_alloc(texts, sizeof *inspect->text);
    return inspect->text ? TROP_OK
                         : trop_fail(TROP_ERR_MEMORY, "no memory for %lld texts", (long long)texts);
}

/* Text k (from 0) of what. */
static enum trop_status encode_of_many(struct trop_inspect *inspect,
                                       const struct trop_tokenizer *tokenizer, const char *text,
                                       int64_t k, const char *what)
{
    char name[256];

    snprintf(name, sizeof name, "%.200s, text %lld (from 0)", what, (long long)k);
    return encode(inspect, tokenizer, text, (int64_t)strlen(text), name);
}

static enum trop_status take_texts(struct trop_inspect *inspect,
                                   const struct trop_tokenizer *tokenizer, const char *const *texts,
                                   int64_t count)
{
    enum trop_status status = make_room(inspect, count);

    for (int64_t k = 0; k < count && status == TROP_OK; k++) {
        status = encode_of_many(inspect, tokenizer, texts[k], k, "text");
    }
    return status;
}

static enum trop_status take_corpus(struct trop_inspect *inspect,
                                    const struct trop_tokenizer *tokenizer)
{
    const char *file = inspect->options.file;
    struct trop_corpus *corpus = NULL;
    enum trop_status status = trop_corpus_create(&corpus, file, NULL);
    const int64_t all = status == TROP_OK ? trop_corpus_sequences(corpus)->n : 0;
    const int64_t most = inspect->options.texts, n = most > 0 && most < all ? most : all;

    if (status == TROP_OK && !trop_corpus_text(corpus, 0)) {
        status = trop_fail(TROP_ERR_ARG, "file: %s has no texts", file);
    }
    status = status == TROP_OK ? make_room(inspect, n) : status;
    /* Files often have their classes one behind the other: texts are taken all over it. */
    for (int64_t k = 0; k < n && status == TROP_OK; k++) {
        status = encode_of_many(inspect, tokenizer, trop_corpus_text(corpus, k * all / n),
                                k * all / n, file);
    }
    trop_corpus_free(corpus);
    return status;
}

static enum trop_status take_file(struct trop_inspect *inspect,
                                  const struct trop_tokenizer *tokenizer)
{
    const char *file = inspect->options.file;
    struct trop_archive *archive = NULL;

    if (trop_corpus_takes(file)) {
        return take_corpus(inspect, tokenizer);
    }
    enum trop_status status = trop_archive_read(&archive, file);
    if (status == TROP_OK && archive->count != 1) {
        status = trop_fail(TROP_ERR_ARG, "file: %s holds %lld files, must be one", file,
                           (long long)archive->count);
    }
    if (status == TROP_OK && archive->member[0].size == 0) {
        status = trop_fail(TROP_ERR_ARG, "file: %s is empty", file);
    }
    status = status == TROP_OK ? make_room(inspect, 1) : status;
    if (status == TROP_OK) {
        status = encode(inspect, tokenizer, (const char *)archive->member[0].bytes,
                        archive->member[0].size, file);
    }
    trop_archive_free(archive);
    return status;
}

enum trop_status trop_inspect_read(struct trop_inspect *inspect, const struct trop_setup *setup,
                                   const char *folder)
{
    const struct trop_inspect_options *o = &inspect->options;
    struct trop_tokenizer *tokenizer = NULL;
    int64_t count = 0;
    const char *const *texts = trop_setup_texts_of(&count, setup);

    if ((o->text != NULL) + (o->file != NULL) + (o->ids != NULL) != 1) {
        return trop_fail(TROP_ERR_ARG, "text, file, ids: one of them must be given");
    }
    if (o->ids) {
        enum trop_status status = make_room(inspect, 1);
        return status == TROP_OK ? take_ids(inspect, o->ids) : status;
    }
    enum trop_status status = trop_tokenizer_open(&tokenizer, o->tokenizer ? o->tokenizer : folder,
                                                  trop_transformer_config(inspect->model)->vocab);
    if (status == TROP_OK && o->file) {
        status = take_file(inspect, tokenizer);
    } else if (status == TROP_OK && texts) {
        status = take_texts(inspect, tokenizer, texts, count);
    } else if (status == TROP_OK) {
        status = make_room(inspect, 1);
        if (status == TROP_OK) {
            status = encode(inspect, tokenizer, o->text, (int64_t)strlen(o->text), "text");
        }
    }
    trop_tokenizer_close(tokenizer);
    return status;
}
