/* corpus_zip.c -- the corpora of Pang and Lee as they are distributed: a text a line, a file a
 * class. rt-polarity.neg and .pos are of sentence_polarity (2005); plot.tok.gt9.5000 (objective)
 * and quote.tok.gt9.5000 (subjective) of subjectivity (2004). Any zip of members NAME.neg and
 * NAME.pos is read the same way. */
#include "run/corpus/corpus.h"

#include <string.h>

#include "base/status.h"
#include "io/utf8.h"

static const char *base_of(const char *name)
{
    const char *slash = strrchr(name, '/');

    return slash ? slash + 1 : name;
}

/* The class of a member's texts; NULL: it has none. */
static const char *label_of(const char *name)
{
    const char *base = base_of(name);

    return trop_corpus_ends(base, ".neg")         ? "neg"
           : trop_corpus_ends(base, ".pos")       ? "pos"
           : strncmp(base, "plot.tok.", 9) == 0   ? "objective"
           : strncmp(base, "quote.tok.", 10) == 0 ? "subjective"
                                                  : NULL;
}

/* Each line becomes a text of its own, in place. */
static enum trop_status take_lines(struct trop_corpus *corpus, struct trop_archive_member *member,
                                   const char *label)
{
    char *at = (char *)member->bytes, *end = at + member->size;
    enum trop_status status = trop_utf8_check(at, member->size, member->name, 1);

    for (int64_t line = 1; at < end && status == TROP_OK; line++) {
        char *newline = memchr(at, '\n', (size_t)(end - at));
        char *stop = newline ? newline : end;
        if (stop > at && stop[-1] == '\r') {
            stop[-1] = 0;
        }
        *stop = 0;
        status = trop_corpus_push(
            corpus,
            (struct trop_corpus_item){
                .text = at, .label = label, .file = member->name, .line = line, .split = -1 });
        at = newline ? newline + 1 : end;
    }
    return status;
}

enum trop_status trop_corpus_read_zip(struct trop_corpus *corpus)
{
    enum trop_status status = TROP_OK;

    for (int64_t k = 0; k < corpus->archive->count && status == TROP_OK; k++) {
        const char *label = label_of(corpus->archive->member[k].name);
        if (label) {
            status = take_lines(corpus, corpus->archive->member + k, label);
        }
    }
    return status == TROP_OK && corpus->n == 0
               ? trop_fail(TROP_ERR_IO,
                           "%s: has neither members .neg and .pos nor plot.tok and quote.tok",
                           corpus->name)
               : status;
}
