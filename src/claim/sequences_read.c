/* sequences_read.c -- real sequences from a file or by name. */
#include "claim/sequences.h"

#include "tropism_lab.h"

enum trop_status trop_sequences_read(struct trop_case *c, const char *data, int64_t patch)
{
    struct trop_corpus_options options = trop_corpus_options_default();
    struct trop_corpus *corpus = NULL;

    options.patch = patch;
    options.min_count = 2; /* a word that is met once has nothing to be known by */
    options.max_length = 256;
    options.lexicon = patch > 0 ? NULL : "opinion";
    enum trop_status status = trop_corpus_create(&corpus, data, &options);
    if (status == TROP_OK) {
        const struct trop_sequences *all = trop_corpus_sequences(corpus);
        status = trop_sequences_take(c, all, NULL, all->n);
    }
    trop_corpus_free(corpus);
    return status;
}
