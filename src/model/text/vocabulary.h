/* vocabulary.h -- words and their numbers. */
#ifndef TROP_MODEL_VOCABULARY_H
#define TROP_MODEL_VOCABULARY_H

#include "tropism.h"

/* Words in the order in which they came; zeros are an empty one. */
struct trop_vocabulary {
    int64_t words;
    int64_t *count; /* (words) how often each was added, by what the caller said */
    /* Where things stand. */
    int64_t *place; /* (words) where the name of each begins in text */
    char *text;
    int64_t used, room_text, room;
    int32_t *slot; /* (slots) word + 1, 0: free */
    int64_t slots; /* a power of 2 */
};

/* Finds or adds a word, and adds times to its count. */
enum trop_status trop_vocabulary_add(int32_t *out, struct trop_vocabulary *vocabulary,
                                     const char *word, int64_t size, int64_t times);
/* -1: there is no such word. */
int32_t trop_vocabulary_find(const struct trop_vocabulary *vocabulary, const char *word,
                             int64_t size);
/* Valid until a word is added. */
const char *trop_vocabulary_name(const struct trop_vocabulary *vocabulary, int64_t word);
void trop_vocabulary_free(struct trop_vocabulary *vocabulary);

/* The N most frequent words, most = 0: all, that came at least `least` times; words that come
 * equally often in the order of their bytes. Word 0 is unknown. new_id (old words) says what became
 * of each, 0: it is unknown now. */
enum trop_status trop_vocabulary_rank(struct trop_vocabulary *out, int32_t *new_id,
                                      const struct trop_vocabulary *all, const char *unknown,
                                      int64_t most, int64_t least);
/* A file of one word a line, in the order of their numbers (vocab.txt of BERT). */
enum trop_status trop_vocabulary_read(struct trop_vocabulary *out, const char *path);
/* The same from memory; name is for the sentence. */
enum trop_status trop_vocabulary_parse(struct trop_vocabulary *out, const char *text, int64_t size,
                                       const char *name);

#endif
