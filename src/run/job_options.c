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

/* argument: what stands for the value in help. */
#define AT(member) #member, offsetof(struct trop_job_options, member)
#define TEXT(member, argument, when, meaning) \
    { \
        AT(member), TROP_TYPE_TEXT, 0, 0, 0, NULL, meaning, argument, when \
    }
#define WHOLE(member, least, most, argument, when, meaning) \
    { \
        AT(member), TROP_TYPE_INT64, least, most, 0, NULL, meaning, argument, when \
    }
#define TIME_LIMIT(meaning) \
    { \
        AT(time_limit), TROP_TYPE_DOUBLE, 0, INFINITY, 0, NULL, meaning, "SECONDS", NULL \
    }
#define TOKENS \
    TEXT(tokens, "FILE", NULL, \
         "the tokens, a row each: .npy, .csv, FILE.h5:/path or - (standard input)")
#define MASSES \
    TEXT(masses, "FILE", NULL, \
         "masses of the tokens (1 each when not given): .npy, .csv, FILE.h5:/path or - (standard " \
         "input)")
#define REPORT \
    TEXT(report, "FILE.html", NULL, "the result as one page to read, which needs no other file")
#define PROOF \
    TEXT(proof, "FILE.json", NULL, \
         "what is proved of the result, for tropism_verify.py to check (docs/proofs.md)")
#define OUT TEXT(out, "FILE", NULL, "result: .h5 (everything) or .json (as --json)")
/* table: what a .csv of it has */
#define OUT_OR(table) \
    TEXT(out, "FILE", NULL, \
         "result: .h5 (everything), .json (as --json) or .csv (" table \
         "; FILE.csv:NAME has another list or array)")
#define PRINT_TOKENS \
    { \
        AT(print_tokens), TROP_TYPE_FLAG, 0, 0, 0, NULL, \
            "prints the tokens in JSON also when n d exceeds 10000", NULL, NULL \
    }
#define DATA \
    TEXT(data, "DATA", NULL, \
         "training data: .json, .h5, a folder of .npy, or the name of a set (see below)"), \
        WHOLE(n, 0, 1e9, NULL, "data!=sequences", \
              "inputs of a set that is drawn; 0: its own number"), \
        WHOLE(T, 0, 1e9, NULL, "data!=sequences", "tokens of an input, likewise"), \
        WHOLE(d, 0, 1e9, NULL, "data!=sequences", "dimension, when tokens or data are drawn")

static const struct trop_option flow_table[] = {
    TEXT(tokens, "FILE", NULL,
         "initial tokens, a row each: .npy, .csv, FILE.h5:/path or - (standard input); of shape "
         "(m, n, d): m copies, "
         "each from its own"),
    MASSES,
    TEXT(out, "FILE", NULL,
         "result: .h5 (everything), .json (as --json), .npy (final tokens) or .csv (what was "
         "recorded, else the final tokens, of copies a row each; FILE.csv:NAME has another list or "
         "array)"),
    REPORT,
    PROOF,
    TEXT(record, "FIELDS", NULL, "names of what to record at each step, separated by commas"),
    WHOLE(every, 1, 1e18, "STEPS", "record", "steps from one record to the next"),
    WHOLE(checkpoint, 0, 1e18, "STEPS", "out & !copies",
          "steps from one checkpoint to the next, 0: none; needs an out in .h5"),
    TEXT(resume, "FILE", "!copies", "continues the run that wrote this result file"),
    PRINT_TOKENS,
    TIME_LIMIT("seconds after which the run ends with what it has, 0: none; checked between steps"),
    WHOLE(copies, 0, 1e9, "N", NULL,
          "number of copies of the flow, computed together with seeds seed, seed + 1, ...; 0: one "
          "flow, described in full"),
    TEXT(betas, "LIST", "copies ; tokens", "runs all copies at each beta of the list (0.1:9:0.1)"),
    TEXT(epsilons, "LIST", "copies ; tokens",
         "runs all copies at each epsilon of the list; of several lists all combinations, betas "
         "slowest, then epsilons, alphas or gammas"),
    TEXT(alphas, "LIST", "copies ; tokens", "the same for alpha"),
    TEXT(gammas, "LIST", "copies ; tokens", "the same for gamma"),
    { 0 },
};

static const struct trop_option cells_table[] = {
    TOKENS,
    TEXT(query, "FILE", NULL,
         "further points to label, a row each: .npy, .csv, FILE.h5:/path or - (standard input)"),
    OUT_OR("arrays over the tokens"),
    REPORT,
    PROOF,
    PRINT_TOKENS,
    { 0 },
};

static const struct trop_option escape_table[] = {
    TOKENS,
    OUT_OR("a row for each beta"),
    REPORT,
    PRINT_TOKENS,
    TIME_LIMIT("seconds after which the study ends with the runs that are done; 0: none"),
    { 0 },
};

static const struct trop_option threshold_table[] = {
    TOKENS,
    MASSES,
    OUT,
    REPORT,
    PROOF,
    PRINT_TOKENS,
    TIME_LIMIT("seconds after which the search ends with what it knows; 0: none"),
    { 0 },
};

static const struct trop_option margin_table[] = {
    DATA,
    { AT(seed), TROP_TYPE_SEED, 0, 0, 0, NULL,
      "seed of a data set that is drawn; when it is not given, the one that the set was published "
      "with",
      NULL, NULL },
    TEXT(problem, "FILE", NULL, "a problem that --dump wrote, instead of data"),
    TEXT(equal, "FILE", "!problem",
         "selected sets of tokens (Gen-SVM): .json with sets or weights"),
    TEXT(direction, "FILE", NULL,
         "weights to be looked at: .json or .h5 with p, W or v, also results, or one array: .npy, "
         ".csv or - (standard input)"),
    TEXT(dump, "FILE", NULL, "writes the exact problem: .json or .h5"),
    OUT_OR("the weights"),
    REPORT,
    PROOF,
    TIME_LIMIT("seconds after which the solver ends with the bounds it has; 0: none"),
    { 0 },
};

static const struct trop_option train_table[] = {
    DATA,
    TEXT(start, "START", NULL,
         "weights at the start: zeros, normal, uniform, or a .json or .h5 with p, W, K and Q, v, "
         "also "
         "results, or one array: .npy, .csv or - (standard input)"),
    TEXT(out, "FILE", NULL,
         "result: .h5 (everything), .json (as --json), .csv (the history, of sequences the splits; "
         "FILE.csv:NAME has another list or array) or, on sequences, .html (a page to read)"),
    REPORT,
    WHOLE(checkpoint, 0, 1e18, "STEPS", "out",
          "steps, of sequences epochs, from one checkpoint to the next, 0: none; needs an out in "
          ".h5"),
    TEXT(resume, "FILE", NULL,
         "continues the run that wrote this result file; --steps may be larger"),
    TIME_LIMIT("seconds after which the run ends with what it has; 0: none"),
    { 0 },
};

static const struct trop_option path_table[] = {
    DATA,
    OUT_OR("a row for each radius"),
    REPORT,
    PROOF,
    TIME_LIMIT("seconds after which the path ends with the radii that are done; 0: none"),
    { 0 },
};

static const struct trop_option inspect_table[] = {
    TEXT(q, "FILE", "!model",
         "queries of any model, (layers, heads, n, d), (heads, n, d) or (n, d): .npy, "
         "FILE.npz:NAME, "
         "FILE.safetensors:NAME, FILE.h5:/path or - (standard input)"),
    TEXT(k, "FILE", "q", "keys that belong to the queries"),
    TEXT(v, "FILE", "q", "values that belong to the keys"),
    OUT_OR("the heads"),
    REPORT,
    PROOF,
    TIME_LIMIT("seconds after which it ends with the texts that are done; 0: none"),
    { 0 },
};

const struct trop_option *trop_job_option_table(const char *verb)
{
    static const struct {
        const char *verb;
        const struct trop_option *table;
    } tables[] = {
        { "flow", flow_table },     { "cells", cells_table },     { "threshold", threshold_table },
        { "escape", escape_table }, { "margin", margin_table },   { "train", train_table },
        { "path", path_table },     { "inspect", inspect_table },
    };

    for (size_t k = 0; k < sizeof tables / sizeof tables[0]; k++) {
        if (strcmp(tables[k].verb, verb) == 0) {
            return tables[k].table;
        }
    }
    return NULL;
}
