/* option.h -- what the layers above share of option tables. */
#ifndef TROP_BASE_OPTION_H
#define TROP_BASE_OPTION_H

#include "tropism.h"

/* The row of whoever starts workers: name and place of its member. */
#define TROP_OPTION_THREADS(...) \
    { \
        __VA_ARGS__, TROP_TYPE_INT64, 0, 1024, 0, NULL, \
            "number of threads, 0: all cores, at most OMP_NUM_THREADS; never changes a result", \
            NULL, NULL \
    }

/* In names '-' and '_' are the same. */
int trop_option_same_letter(char a, char b);
/* Typing errors (insert, delete, replace, swap) between two names. Exported for
 * the suggestions of the lab and the program. */
TROP_API int64_t trop_option_distance(const char *a, const char *b);
/* The option of the table that programs of others call name, or NULL; how: what to write behind it,
 * such as " = 1/temperature", or "". */
TROP_API const char *trop_option_meant(const char **how, const struct trop_option *table,
                                       const char *name);

/* The name that a double stands for: -1 the first of its option, -2 the second, ...; NULL: it is a
 * number. */
const char *trop_option_word(const struct trop_option *option, double value);
/* "from 0 to 1", "above 0 and at most 1", "at least 1": the range of a number. */
int64_t trop_option_words(char *out, int64_t size, const struct trop_option *option);
/* The names, from place `at` of out on; returns their length. */
int64_t trop_option_join(char *out, int64_t size, int64_t at, const char *const *names,
                         const char *between);

/* ---- option_when.c: exported for setups of the lab ---- */

/* The present text of the option called name; 0: there is none of that name. */
typedef int trop_option_lookup(char *out, int64_t size, const void *context, const char *name);

/* 1 when its condition holds, or it has none. */
TROP_API int trop_option_applies(const struct trop_option *option, trop_option_lookup *lookup,
                                 const void *context);
/* 1 when its condition asks for the option called name. */
TROP_API int trop_option_asks(const struct trop_option *option, const char *name);
/* 1 when a text turns the option off, so that it asks for nothing; 0 does so where it is the
 * least of a count alone. */
TROP_API int trop_option_is_off(const struct trop_option *option, const char *text);
/* TROP_ERR_ARG with a sentence that says what would make it apply. */
TROP_API enum trop_status trop_option_refuse(const struct trop_option *option,
                                             trop_option_lookup *lookup, const void *context);

/* Sets one member after the other: name, text, name, text, ..., NULL. Exported for the lab. */
TROP_API enum trop_status trop_option_pairs(void *options, const struct trop_option *table,
                                            const char *const *pairs);

#endif
