/* sequences_read.c -- real sequences from a file or by name. */
#include "claim/sequences.h"

#include "tropism_lab.h"

struct source {
    const char *data;
    int64_t patch;
};

static void free_corpus(void *corpus)
{
    trop_corpus_free(corpus);
}

static void read_part(void *context, struct trop_case *c)
{
    const struct source *from = context;
    struct trop_corpus_options options = trop_corpus_options_default();
    struct trop_corpus *corpus = NULL;

    options.patch = from->patch;
    options.min_count = 2; /* a word that is met once has nothing to be known by */
    options.max_length = 256;
    options.lexicon = from->patch > 0 ? NULL : "opinion";
    trop_case_try(c, trop_corpus_create(&corpus, from->data, &options));
    trop_case_keep(c, corpus, free_corpus);
    const struct trop_sequences *all = trop_corpus_sequences(corpus);
    trop_sequences_take(c, all, NULL, all->n);
}

enum trop_status trop_sequences_read(struct trop_case *c, const char *data, int64_t patch)
{
    return trop_case_settle(c, trop_case_part(c, read_part, &(struct source){ data, patch }));
}

void trop_sequences_begin(struct trop_case *c, const char *data, int64_t patch)
{
    if (!trop_case_has(c, "labels")) {
        trop_sequences_read(c, data, patch);
    }
    trop_sequences_check(c);
}
