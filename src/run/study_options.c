/* study_options.c -- what a study takes beside the options of its numbers: one struct, of which
 * each verb has the part that its own table lists. */
#include "tropism_lab.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

struct trop_study_options trop_study_options_default(void)
{
    return (struct trop_study_options){ 0 };
}

#define AT(member) #member, offsetof(struct trop_study_options, member)
#define TOKENS \
    { \
        AT(tokens), TROP_TYPE_TEXT, 0, 0, 0, NULL, \
            "the tokens, a row each: .npy, .csv or FILE.h5:/path", "FILE" \
    }
#define OUT \
    { \
        AT(out), TROP_TYPE_TEXT, 0, 0, 0, NULL, "result: .h5 (everything) or .json (as --json)", \
            "FILE" \
    }
#define PRINT_TOKENS \
    { \
        AT(print_tokens), TROP_TYPE_FLAG, 0, 0, 0, NULL, \
            "JSON has the tokens also when n d exceeds 10000", NULL \
    }

static const struct trop_option cells_table[] = {
    TOKENS,
    { AT(query), TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "further points to label, a row each: .npy, .csv or FILE.h5:/path", "FILE" },
    OUT,
    PRINT_TOKENS,
    { 0 },
};

static const struct trop_option escape_table[] = {
    TOKENS,
    OUT,
    PRINT_TOKENS,
    { AT(time_limit), TROP_TYPE_DOUBLE, 0, INFINITY, 0, NULL,
      "seconds after which the study ends with the runs that are done; 0: none", "SECONDS" },
    { 0 },
};

static const struct trop_option threshold_table[] = {
    TOKENS,
    { AT(masses), TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "masses of the tokens (1 each when not given): .npy, .csv or FILE.h5:/path", "FILE" },
    OUT,
    PRINT_TOKENS,
    { AT(time_limit), TROP_TYPE_DOUBLE, 0, INFINITY, 0, NULL,
      "seconds after which the search ends with what it knows; 0: none", "SECONDS" },
    { 0 },
};
#undef AT
#undef TOKENS
#undef OUT
#undef PRINT_TOKENS

const struct trop_option *trop_study_option_table(const char *verb)
{
    return strcmp(verb, "cells") == 0       ? cells_table
           : strcmp(verb, "threshold") == 0 ? threshold_table
           : strcmp(verb, "escape") == 0    ? escape_table
                                            : NULL;
}
