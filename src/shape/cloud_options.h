/* cloud_options.h -- the options that are a cloud of tokens: their rows in the table of a noun
 * that embeds them as its member `cloud`, what they must satisfy, and the tokens themselves. */
#ifndef TROP_SHAPE_CLOUD_OPTIONS_H
#define TROP_SHAPE_CLOUD_OPTIONS_H

#include "shape/tokens.h"

#include <stddef.h>

/* Rows of the option table of `noun`, a struct, under the names of the members. A noun has the row
 * of the masses if it reads them, and says what it draws by the seed. */
#define TROP_CLOUD_ROW(noun, member, type, min, max, names, meaning, when) \
    { \
#member, offsetof(struct noun, cloud.member), type, min, max, 0, names, meaning, NULL, \
            when \
    }
#define TROP_CLOUD_TOKENS(noun) \
    TROP_CLOUD_ROW(noun, n, TROP_TYPE_INT64, 1, 1e12, NULL, \
                   "number of tokens, when they are drawn", NULL), \
        TROP_CLOUD_ROW(noun, d, TROP_TYPE_INT64, 1, 1e9, NULL, "dimension, when tokens are drawn", \
                       NULL), \
        TROP_CLOUD_ROW(noun, tokens, TROP_TYPE_ARRAY, 0, 0, NULL, "the tokens", NULL)
#define TROP_CLOUD_MASSES(noun) \
    TROP_CLOUD_ROW(noun, masses, TROP_TYPE_ARRAY, 0, 0, NULL, "masses of the tokens", NULL)
#define TROP_CLOUD_DRAWN(noun, by_seed) \
    TROP_CLOUD_ROW(noun, init, TROP_TYPE_CHOICE, 0, 0, trop_tokens_name, \
                   "distribution from which the initial tokens are drawn", "!tokens"), \
        TROP_CLOUD_ROW(noun, seed, TROP_TYPE_SEED, 0, 0, NULL, by_seed, NULL)
#define TROP_CLOUD_SCORES(noun) \
    TROP_CLOUD_ROW(noun, key_query, TROP_TYPE_MATRIX, 0, 0, NULL, "B of the scores <B x_i, x_j>", \
                   NULL)

/* What the ranges of the table cannot say: sizes that fit, numbers that are finite, masses above
 * 0. */
enum trop_status trop_cloud_check(const struct trop_cloud_options *cloud);
/* The same of other arrays that stand beside a cloud: points (rows, d), NULL: none; and a matrix
 * (d, d). */
enum trop_status trop_cloud_check_points(const double *points, int64_t rows, int64_t d,
                                         const char *name);
enum trop_status trop_cloud_check_values(const struct trop_matrix *matrix, int64_t d,
                                         const char *name);

/* x (n, d): the tokens, copied or drawn. */
enum trop_status trop_cloud_start(double *x, const struct trop_cloud_options *cloud);

#endif
