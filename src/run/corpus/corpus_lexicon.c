/* corpus_lexicon.c -- words that should matter.
 *
 * A word a line; lines that begin with ; or # are comments, and a member of a zip called README is
 * not read. A line that is several tokens (a+, of the opinion lexicon) matches no word.
 */
#include "run/corpus/corpus.h"

#include <string.h>

#include "base/alloc.h"
#include "base/status.h"
#include "io/utf8.h"

struct lexicon {
    struct trop_corpus *corpus;
    const char *name;
    int64_t words, known;
};

static enum trop_status take_word(struct lexicon *lexicon, const char *word, int64_t size)
{
    struct trop_corpus *corpus = lexicon->corpus;
    enum trop_status status = trop_tokenizer_words(&corpus->list, word, size);
    const struct trop_tokenizer_list *list = &corpus->list;

    if (status != TROP_OK || list->count == 0) {
        return status;
    }
    const int32_t id =
        list->count == 1 ? trop_vocabulary_find(&corpus->vocabulary, list->forms, list->token->size)
                         : -1;
    lexicon->words++;
    if (id >= 0) {
        lexicon->known += corpus->lexicon[id] == 0;
        corpus->lexicon[id] = 1;
    }
    return TROP_OK;
}

static enum trop_status take_member(struct lexicon *lexicon,
                                    const struct trop_archive_member *member)
{
    const char *slash = strrchr(member->name, '/');
    const char *at = (const char *)member->bytes, *end = at + member->size;

    if (strncmp(slash ? slash + 1 : member->name, "README", 6) == 0) {
        return TROP_OK;
    }
    enum trop_status status = trop_utf8_check(at, member->size, lexicon->name, 1);
    while (at < end && status == TROP_OK) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end;
        if (*at != ';' && *at != '#') {
            status = take_word(lexicon, at, stop - at);
        }
        at = newline ? newline + 1 : end;
    }
    return status;
}

enum trop_status trop_corpus_read_lexicon(struct trop_corpus *corpus)
{
    struct lexicon lexicon = { .corpus = corpus, .name = corpus->options.lexicon };
    struct trop_archive *archive;
    enum trop_status status = trop_corpus_open(&archive, lexicon.name);

    if (status != TROP_OK) {
        return status;
    }
    corpus->lexicon = trop_alloc(corpus->vocabulary.words, sizeof *corpus->lexicon);
    if (!corpus->lexicon) {
        status = trop_fail(TROP_ERR_MEMORY, "%s: no memory", lexicon.name);
    }
    for (int64_t k = 0; k < archive->count && status == TROP_OK; k++) {
        status = take_member(&lexicon, archive->member + k);
    }
    trop_archive_free(archive);
    if (status == TROP_OK && lexicon.known == 0) {
        status = trop_fail(TROP_ERR_IO, "%s: none of its %lld words is in the vocabulary of %s",
                           lexicon.name, (long long)lexicon.words, corpus->name);
    }
    return status;
}
