/* sequences.h -- real sequences in a case: texts as words, images as vectors.
 *
 * Entries: offsets (n + 1) and labels (n); of texts ids (tokens), each below the number of entries
 * of lexicon (words), which are 1 for words that should matter; else vectors (tokens, width). The
 * words themselves are no numbers and stay outside.
 */
#ifndef TROP_CLAIM_SEQUENCES_H
#define TROP_CLAIM_SEQUENCES_H

#include "claim/case.h"
#include "claim/judge.h"

/* Copies n of the items, those of list, into the entries; list NULL: all of them. */
enum trop_status trop_sequences_take(struct trop_case *c, const struct trop_sequences *from,
                                     const int64_t *list, int64_t n);
/* The items of a file or a named set (trop_corpus_create): texts as words that occur twice, at most
 * 256 of an item, marked by the opinion lexicon; images as patches of so many pixels a side. */
enum trop_status trop_sequences_read(struct trop_case *c, const char *data, int64_t patch);
/* Refuses entries that do not fit together. */
enum trop_status trop_sequences_check(const struct trop_case *c);

/* Items with memory of their own. */
struct trop_sequences_set {
    struct trop_sequences items;
    int64_t *offsets, *labels, *lexicon;
    int32_t *ids;
    double *vectors;
};

/* Makes n items of the case, those of list, in this order. */
enum trop_status trop_sequences_make(struct trop_sequences_set *out, const struct trop_case *c,
                                     const int64_t *list, int64_t n);
void trop_sequences_release(struct trop_sequences_set *set);

/* Hypotheses: two classes, each with a quarter of the items; of the tokens 1% or more are marked,
 * and 1% or more are not. And the spoils: all items become of one class; no word is marked. */
enum trop_status trop_sequences_two_classes(struct trop_judge *judge, const struct trop_case *c);
enum trop_status trop_sequences_has_marks(struct trop_judge *judge, const struct trop_case *c);
enum trop_status trop_sequences_one_class(struct trop_case *c);
enum trop_status trop_sequences_no_marks(struct trop_case *c);

/* A random order of n items: draw use of the case. */
void trop_sequences_shuffle(int64_t *order, int64_t n, const struct trop_case *c, int64_t use);

#endif
