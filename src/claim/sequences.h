/* sequences.h -- real sequences in a case: texts as words, images as vectors.
 *
 * Entries: offsets (n + 1) and labels (n); of texts ids (tokens), each below the number of entries
 * of lexicon (words), which are 1 for words that should matter; else vectors (tokens, width). The
 * words themselves are no numbers and stay outside.
 */
#ifndef TROP_CLAIM_SEQUENCES_H
#define TROP_CLAIM_SEQUENCES_H

#include "claim/case_work.h"
#include "claim/judge.h"
#include "learn/fit/fit.h"

/* Copies n of the items, those of list, into the entries; list NULL: all of them. */
void trop_sequences_take(struct trop_case *c, const struct trop_sequences *from,
                         const int64_t *list, int64_t n);
/* The items of a file or a named set (trop_corpus_create): texts as words that occur twice, at most
 * 256 of an item, marked by the opinion lexicon; images as patches of so many pixels a side. */
enum trop_status trop_sequences_read(struct trop_case *c, const char *data, int64_t patch);
/* Refuses entries that do not fit together. */
enum trop_status trop_sequences_check(const struct trop_case *c);
/* What a draw does: reads unless there are items, and refuses what does not fit. */
void trop_sequences_begin(struct trop_case *c, const char *data, int64_t patch);

/* n items of the case, those of list in this order, each with so many of its first tokens at most
 * (0: all of them); memory of the part. */
struct trop_sequences trop_sequences_items(const struct trop_case *c, const int64_t *list,
                                           int64_t n, int64_t length);
/* At most as many as the entry "items" says, in a random order. */
struct trop_sequences trop_sequences_draw(const struct trop_case *c, int64_t length);
/* A random order of n items: draw use of the case. */
void trop_sequences_shuffle(int64_t *order, int64_t n, const struct trop_case *c, int64_t use);

/* Options of a fit to these items and of its training, by text as in case_work.h; one thread. */
struct trop_fit_options trop_sequences_options(const struct trop_case *c,
                                               const struct trop_sequences *items,
                                               const char *format, ...) TROP_CASE_TEXT(3);
/* A fit that has not begun, of the part. */
struct trop_fit *trop_sequences_fit(const struct trop_case *c,
                                    const struct trop_fit_options *options);

/* Hypotheses: two classes, each with a quarter of the items; of the tokens 1% or more are marked,
 * and 1% or more are not. */
void trop_sequences_two_classes(struct trop_judge *judge, const struct trop_case *c);
void trop_sequences_has_marks(struct trop_judge *judge, const struct trop_case *c);

/* clang-format off: rows. */
#define TROP_SEQUENCES_TWO_CLASSES \
    { \
        "two-classes", "items are of two classes, each with a quarter of them", \
            .judge = trop_sequences_two_classes, .broken = "all items are of one class", \
            .edit = "labels = 0" \
    }
#define TROP_SEQUENCES_MARKS \
    { \
        "marks", "of the tokens 1% or more are of the lexicon, and 1% or more are not", \
            .judge = trop_sequences_has_marks, .broken = "a lexicon without words", \
            .edit = "lexicon = 0" \
    }
/* clang-format on */

#endif
