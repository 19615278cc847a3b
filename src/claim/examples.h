/* examples.h -- training data in a case.
 *
 * Entries of the data: X (n, T, d), y (n), v (d) or (heads, d), z (n, d), K (n, T, dk), as in
 * docs/data.md.
 */
#ifndef TROP_CLAIM_EXAMPLES_H
#define TROP_CLAIM_EXAMPLES_H

#include "claim/case.h"

/* Draws what the case does not have of X, y, v and (with_queries) z: unit vectors and random
 * labels, as in the papers' experiments. */
enum trop_status trop_examples_sphere(struct trop_case *c, int64_t n, int64_t T, int64_t d,
                                      int with_queries);
/* The entries of a named set (trop_dataset_create), unless the case has X. */
enum trop_status trop_examples_named(struct trop_case *c, const char *name, int64_t n, int64_t T,
                                     int64_t d, uint64_t seed);
/* Copies data into the entries. */
enum trop_status trop_examples_take(struct trop_case *c, const struct trop_data *data);
/* The data of the entries, which stay the case's. */
void trop_examples_data(struct trop_data *out, const struct trop_case *c);

/* Tokens with the highest score y_i <v, x_it>: out (n). */
void trop_examples_optimal(int64_t *out, const struct trop_case *c);
/* Writes tokens (n) as "3,2,6", the form of trop_margin_options; room for 8 n characters. */
void trop_examples_select(char *out, const int64_t *tokens, int64_t n);

#endif
