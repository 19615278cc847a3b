/* study_options.c -- what a study takes beside the options of its numbers: one struct, of which
 * each verb has the part that its own table lists. */
#include "tropism_lab.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

struct trop_study_options trop_study_options_default(void)
{
    return (struct trop_study_options){ .seed = 1 };
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

#define DATA \
    { AT(data), \
      TROP_TYPE_TEXT, \
      0, \
      0, \
      0, \
      NULL, \
      "training data: .json, .h5, a folder of .npy, or the name of a set (see below)", \
      "DATA" }, \
        { AT(n), \
          TROP_TYPE_INT64, \
          0, \
          1e9, \
          0, \
          NULL, \
          "inputs of a set that is drawn; 0: its own number", \
          NULL }, \
        { AT(T), TROP_TYPE_INT64, 0, 1e9, 0, NULL, "tokens of an input, likewise", NULL }, \
    { \
        AT(d), TROP_TYPE_INT64, 0, 1e9, 0, NULL, "dimension, likewise", NULL \
    }

static const struct trop_option margin_table[] = {
    DATA,
    { AT(seed), TROP_TYPE_SEED, 0, 0, 0, NULL,
      "of a set that is drawn; when it is not given, the one that the set was published with",
      NULL },
    { AT(problem), TROP_TYPE_TEXT, 0, 0, 0, NULL, "a problem that --dump wrote, instead of data",
      "FILE" },
    { AT(equal), TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "selected sets of tokens (Gen-SVM): .json with sets or weights", "FILE" },
    { AT(direction), TROP_TYPE_TEXT, 0, 0, 0, NULL, "weights to be looked at: .json with p, W or v",
      "FILE" },
    { AT(dump), TROP_TYPE_TEXT, 0, 0, 0, NULL, "writes the exact problem: .json or .h5", "FILE" },
    OUT,
    { AT(time_limit), TROP_TYPE_DOUBLE, 0, INFINITY, 0, NULL,
      "seconds after which the solver ends with the bounds it has; 0: none", "SECONDS" },
    { 0 },
};

static const struct trop_option train_table[] = {
    DATA,
    { AT(start), TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "weights at the start: zeros, normal, uniform, or a .json with p, W, K and Q, v", "START" },
    OUT,
    { AT(time_limit), TROP_TYPE_DOUBLE, 0, INFINITY, 0, NULL,
      "seconds after which the run ends with what it has; 0: none", "SECONDS" },
    { 0 },
};

static const struct trop_option path_table[] = {
    DATA,
    OUT,
    { AT(time_limit), TROP_TYPE_DOUBLE, 0, INFINITY, 0, NULL,
      "seconds after which the path ends with the radii that are done; 0: none", "SECONDS" },
    { 0 },
};
#undef AT
#undef DATA
#undef TOKENS
#undef OUT
#undef PRINT_TOKENS

const struct trop_option *trop_study_option_table(const char *verb)
{
    return strcmp(verb, "cells") == 0       ? cells_table
           : strcmp(verb, "threshold") == 0 ? threshold_table
           : strcmp(verb, "escape") == 0    ? escape_table
           : strcmp(verb, "margin") == 0    ? margin_table
           : strcmp(verb, "train") == 0     ? train_table
           : strcmp(verb, "path") == 0      ? path_table
                                            : NULL;
}
