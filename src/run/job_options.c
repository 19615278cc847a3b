/* job_options.c -- what a verb takes beside the options of its numbers: how it meets files. One
 * struct, of which each verb has the part that its own table lists. */
#include "tropism_lab.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

struct trop_job_options trop_job_options_default(void)
{
    return (struct trop_job_options){ .seed = 1, .every = 1 };
}

#define AT(member) #member, offsetof(struct trop_job_options, member)
#define TOKENS \
    { \
        AT(tokens), TROP_TYPE_TEXT, 0, 0, 0, NULL, \
            "the tokens, a row each: .npy, .csv or FILE.h5:/path", "FILE", NULL \
    }
#define OUT \
    { \
        AT(out), TROP_TYPE_TEXT, 0, 0, 0, NULL, "result: .h5 (everything) or .json (as --json)", \
            "FILE", NULL \
    }
#define PRINT_TOKENS \
    { \
        AT(print_tokens), TROP_TYPE_FLAG, 0, 0, 0, NULL, \
            "JSON has the tokens also when n d exceeds 10000", NULL, NULL \
    }

#define MASSES \
    { \
        AT(masses), TROP_TYPE_TEXT, 0, 0, 0, NULL, \
            "masses of the tokens (1 each when not given): .npy, .csv or FILE.h5:/path", "FILE", \
            NULL \
    }

static const struct trop_option flow_table[] = {
    { AT(tokens), TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "initial tokens, a row each: .npy, .csv or FILE.h5:/path", "FILE", NULL },
    MASSES,
    { AT(out), TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "result: .h5 (everything), .json (as --json) or .npy (final tokens)", "FILE", NULL },
    { AT(record), TROP_TYPE_TEXT, 0, 0, 0, NULL, "what to record of the steps, parted by commas",
      "FIELDS", "!copies" },
    { AT(every), TROP_TYPE_INT64, 1, 1e18, 0, NULL, "steps from one record to the next", "STEPS",
      "record" },
    { AT(checkpoint), TROP_TYPE_INT64, 0, 1e18, 0, NULL,
      "steps from one checkpoint to the next, 0: none; needs an out in .h5", "STEPS",
      "out & !copies" },
    { AT(resume), TROP_TYPE_TEXT, 0, 0, 0, NULL, "goes on with the run whose out this was", "FILE",
      "!copies" },
    PRINT_TOKENS,
    { AT(time_limit), TROP_TYPE_DOUBLE, 0, INFINITY, 0, NULL,
      "seconds after which the run ends with what it has, 0: none; looked at between steps",
      "SECONDS", NULL },
    { AT(copies), TROP_TYPE_INT64, 0, 1e9, 0, NULL,
      "copies of the flow with seeds seed, seed + 1, ..., in bulk; 0: one flow, described in full",
      "N", NULL },
    { AT(betas), TROP_TYPE_TEXT, 0, 0, 0, NULL, "all copies at each beta of the list (0.1:9:0.1)",
      "LIST", "copies" },
    { 0 },
};

static const struct trop_option cells_table[] = {
    TOKENS,
    { AT(query), TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "further points to label, a row each: .npy, .csv or FILE.h5:/path", "FILE", NULL },
    OUT,
    PRINT_TOKENS,
    { 0 },
};

static const struct trop_option escape_table[] = {
    TOKENS,
    OUT,
    PRINT_TOKENS,
    { AT(time_limit), TROP_TYPE_DOUBLE, 0, INFINITY, 0, NULL,
      "seconds after which the study ends with the runs that are done; 0: none", "SECONDS", NULL },
    { 0 },
};

static const struct trop_option threshold_table[] = {
    TOKENS,
    MASSES,
    OUT,
    PRINT_TOKENS,
    { AT(time_limit), TROP_TYPE_DOUBLE, 0, INFINITY, 0, NULL,
      "seconds after which the search ends with what it knows; 0: none", "SECONDS", NULL },
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
      "DATA", \
      NULL }, \
        { AT(n), \
          TROP_TYPE_INT64, \
          0, \
          1e9, \
          0, \
          NULL, \
          "inputs of a set that is drawn; 0: its own number", \
          NULL, \
          NULL }, \
        { AT(T), TROP_TYPE_INT64, 0, 1e9, 0, NULL, "tokens of an input, likewise", NULL, NULL }, \
    { \
        AT(d), TROP_TYPE_INT64, 0, 1e9, 0, NULL, "dimension, likewise", NULL, NULL \
    }

static const struct trop_option margin_table[] = {
    DATA,
    { AT(seed), TROP_TYPE_SEED, 0, 0, 0, NULL,
      "of a set that is drawn; when it is not given, the one that the set was published with", NULL,
      NULL },
    { AT(problem), TROP_TYPE_TEXT, 0, 0, 0, NULL, "a problem that --dump wrote, instead of data",
      "FILE", NULL },
    { AT(equal), TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "selected sets of tokens (Gen-SVM): .json with sets or weights", "FILE", "!problem" },
    { AT(direction), TROP_TYPE_TEXT, 0, 0, 0, NULL, "weights to be looked at: .json with p, W or v",
      "FILE", NULL },
    { AT(dump), TROP_TYPE_TEXT, 0, 0, 0, NULL, "writes the exact problem: .json or .h5", "FILE",
      NULL },
    OUT,
    { AT(time_limit), TROP_TYPE_DOUBLE, 0, INFINITY, 0, NULL,
      "seconds after which the solver ends with the bounds it has; 0: none", "SECONDS", NULL },
    { 0 },
};

static const struct trop_option train_table[] = {
    DATA,
    { AT(start), TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "weights at the start: zeros, normal, uniform, or a .json with p, W, K and Q, v", "START",
      NULL },
    OUT,
    { AT(time_limit), TROP_TYPE_DOUBLE, 0, INFINITY, 0, NULL,
      "seconds after which the run ends with what it has; 0: none", "SECONDS", NULL },
    { 0 },
};

static const struct trop_option path_table[] = {
    DATA,
    OUT,
    { AT(time_limit), TROP_TYPE_DOUBLE, 0, INFINITY, 0, NULL,
      "seconds after which the path ends with the radii that are done; 0: none", "SECONDS", NULL },
    { 0 },
};
#undef AT
#undef DATA
#undef TOKENS
#undef MASSES
#undef OUT
#undef PRINT_TOKENS

const struct trop_option *trop_job_option_table(const char *verb)
{
    static const struct {
        const char *verb;
        const struct trop_option *table;
    } tables[] = {
        { "flow", flow_table },     { "cells", cells_table },   { "threshold", threshold_table },
        { "escape", escape_table }, { "margin", margin_table }, { "train", train_table },
        { "path", path_table },
    };

    for (size_t k = 0; k < sizeof tables / sizeof tables[0]; k++) {
        if (strcmp(tables[k].verb, verb) == 0) {
            return tables[k].table;
        }
    }
    return NULL;
}
