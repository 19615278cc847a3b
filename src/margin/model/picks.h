/* picks.h -- which tokens are to win, as text: a token for each input, or several of which any may.
 */
#ifndef TROP_MARGIN_PICKS_H
#define TROP_MARGIN_PICKS_H

#include "tropism.h"

/* token[first[i]] .. token[first[i + 1] - 1] are those of input i, ascending where any of them may
 * win; none when the list has no entry for i. */
struct trop_picks {
    int64_t inputs;
    int64_t *first; /* (inputs + 1) */
    int64_t *token;
};

/* "3,0|2,6" for three inputs, of T tokens each. */
enum trop_status trop_picks_read(struct trop_picks *out, const char *text, int64_t inputs,
                                 int64_t T);
/* For each input the tokens of the largest score, ties included. scores: (inputs, T); allowed:
 * tokens of input i that may be picked, the first of them, NULL: T. */
enum trop_status trop_picks_best(struct trop_picks *out, const double *scores, int64_t inputs,
                                 int64_t T, const int64_t *allowed);
/* For each input the token alpha, and after it those that score exactly the same; NULL: no scores,
 * none do. */
enum trop_status trop_picks_tied(struct trop_picks *out, const int64_t *alpha, const double *scores,
                                 int64_t inputs, int64_t T, const int64_t *allowed);
void trop_picks_free(struct trop_picks *picks);

/* The product of the numbers of tokens; INT64_MAX when it is larger. */
int64_t trop_picks_combinations(const struct trop_picks *picks);
/* Combination c = 0, 1, ...: a token for each input, the last input varying fastest. */
void trop_picks_combination(int64_t *alpha, const struct trop_picks *picks, int64_t c);

/* Inputs of a list "1,4" as 0 and 1. out: (inputs), zero on entry. */
enum trop_status trop_picks_inputs(int64_t *out, const char *text, int64_t inputs);

#endif
