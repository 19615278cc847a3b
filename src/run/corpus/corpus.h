/* corpus.h -- what the files of a corpus share. */
#ifndef TROP_RUN_CORPUS_H
#define TROP_RUN_CORPUS_H

#include "io/archive.h"
#include "io/array.h"
#include "io/table.h"
#include "model/text/tokenizer.h"
#include "tropism_lab.h"

#define TROP_CORPUS_CLASSES 10000 /* at most */
#define TROP_CORPUS_UNKNOWN "[UNK]"

/* One text as its source has it. */
struct trop_corpus_item {
    const char *text;
    const char *label;
    const char *file; /* for sentences: the source, or its member */
    int64_t line;     /* 0: the item counts, from 0 */
    int64_t split;    /* enum trop_split; -1: there is none */
};

struct trop_corpus {
    struct trop_sequences sequences; /* points into what follows */
    struct trop_corpus_options options;
    char *name; /* of the source */
    /* Texts, parts of the archive, and what is read off it. */
    struct trop_archive *archive;
    struct trop_table table;
    struct trop_corpus_item *item; /* (n); NULL: no texts */
    int64_t n, room;
    /* Words. */
    struct trop_vocabulary vocabulary;
    struct trop_tokenizer_special special;
    const char **names;
    int64_t *lexicon;
    /* Tokens. */
    int64_t *offsets, *labels, *splits;
    int32_t *ids;
    double *vectors;
    struct trop_vocabulary classes; /* by their names, in order */
    const char **class_names;       /* (classes.words) in them */
    /* The answer of trop_corpus_encode. */
    struct trop_tokenizer_list list;
    int32_t *asked;
    char *words; /* surface forms, each with a zero behind it */
    const char **word;
    int64_t room_asked, room_words;
};

/* corpus.c */

/* "FILE: line 7", or "FILE: item 7", of an item. */
void trop_corpus_place(char out[512], const struct trop_corpus *corpus, int64_t i);
/* A further item; its text and label live as long as the corpus. */
enum trop_status trop_corpus_push(struct trop_corpus *corpus, struct trop_corpus_item item);
/* 1 when text ends so. */
int trop_corpus_ends(const char *text, const char *ending);

/* corpus_label.c: labels become classes, splits their array. */
enum trop_status trop_corpus_classify(struct trop_corpus *corpus);
/* The same for items that are numbers in memory: whole ones, ascending. */
enum trop_status trop_corpus_classify_numbers(struct trop_corpus *corpus, const double *labels,
                                              const char *place);
/* A split by its name; -1: it is none. */
int64_t trop_corpus_split(const char *word);
enum trop_status trop_corpus_check_splits(struct trop_corpus *corpus);

/* corpus_table.c: .tsv and .csv; a table of numbers goes to images. */
enum trop_status trop_corpus_read_table(struct trop_corpus *corpus,
                                        struct trop_archive_member *member, char separator);
/* corpus_zip.c: sentence_polarity.zip and subjectivity.zip. */
enum trop_status trop_corpus_read_zip(struct trop_corpus *corpus);
/* corpus_image.c */
enum trop_status trop_corpus_read_idx(struct trop_corpus *corpus);
enum trop_status trop_corpus_read_numbers(struct trop_corpus *corpus,
                                          const struct trop_archive_member *member);
/* corpus_ragged.c: tokens or ids, offsets and labels. */
enum trop_status trop_corpus_read_npz(struct trop_corpus *corpus);
enum trop_status trop_corpus_read_h5(struct trop_corpus *corpus);
enum trop_status trop_corpus_read_arrays(struct trop_corpus *corpus, const char *const *given,
                                         const double *const *values, const int64_t *ranks,
                                         const int64_t *shapes);

/* corpus_words.c: items to tokens. */
enum trop_status trop_corpus_tokenize(struct trop_corpus *corpus);
/* corpus_lexicon.c */
enum trop_status trop_corpus_read_lexicon(struct trop_corpus *corpus);

/* The file of a name: what is shipped, made by the build of the files in data/. */
struct trop_corpus_shipped {
    const char *name, *file;
    const unsigned char *bytes;
    int64_t size;
};
extern const struct trop_corpus_shipped trop_corpus_shipped[]; /* a NULL name behind the last */
/* A shipped file by its name, or one by its path. */
enum trop_status trop_corpus_open(struct trop_archive **out, const char *name);

#endif
