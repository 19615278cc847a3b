/* check_options.c -- what a check takes. */
#include "tropism_lab.h"

#include "base/option.h"

#include <math.h>
#include <stddef.h>

struct trop_check_options trop_check_options_default(void)
{
    return (struct trop_check_options){
        .gamma = NAN, .beta = NAN, .epsilon = NAN, .p = NAN, .steps = NAN, .seed = 1
    };
}

#define AT(member) #member, offsetof(struct trop_check_options, member)

static const struct trop_option table[] = {
    { AT(claim), TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "which claim; 'tropism claims' lists them. Or a file of your own claims, ./mine.so or "
      "./mine.so:ID, whose code is then run",
      "ID", NULL },
    { AT(tokens), TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "your cloud instead of drawn ones, a row each: .npy, .csv, FILE.h5:/path or - (standard "
      "input)",
      "FILE", "!instance" },
    { AT(data), TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "your training data instead of drawn ones: .json, .h5, a folder of .npy, or a named set",
      "DATA", "!instance" },
    { AT(n), TROP_TYPE_INT64, 0, 1e9, 0, NULL, "inputs of a named set that is drawn", NULL,
      "data" },
    { AT(T), TROP_TYPE_INT64, 0, 1e9, 0, NULL, "tokens of an input, likewise", NULL, "data" },
    { AT(d), TROP_TYPE_INT64, 0, 1e9, 0, NULL, "dimension, when tokens or data are drawn", NULL,
      "data" },
    { AT(key_query), TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "matrix B (or A): a file, identity, or a number times it", "MATRIX", "!instance" },
    { AT(value), TROP_TYPE_TEXT, 0, 0, 0, NULL, "matrix V, likewise", "MATRIX", "!instance" },
    { AT(gamma), TROP_TYPE_DOUBLE, -INFINITY, INFINITY, 0, NULL, "step size of the flow", NULL,
      "!instance" },
    { AT(beta), TROP_TYPE_DOUBLE, -INFINITY, INFINITY, 0, NULL,
      "inverse temperature of the softmax", NULL, "!instance" },
    { AT(epsilon), TROP_TYPE_DOUBLE, -INFINITY, INFINITY, 0, NULL, "tolerance of localmax", NULL,
      "!instance" },
    { AT(p), TROP_TYPE_DOUBLE, -INFINITY, INFINITY, 0, NULL, "exponent of the norm", NULL,
      "!instance" },
    { AT(steps), TROP_TYPE_DOUBLE, 0, 1e9, 0, NULL, "number of steps of the flow or of training",
      "N", "!instance" },
    { AT(set), TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "further numbers that the claim takes ('tropism claims ID' lists them)", "NAME=X,...",
      "!instance" },
    { AT(instance), TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "judges an instance that a check wrote, as it is in the file", "FILE.h5", NULL },
    { AT(trials), TROP_TYPE_INT64, 0, 1e9, 0, NULL,
      "instances on which every hypothesis is true; 0: what the claim asks for", NULL,
      "!instance & !tokens & !data" },
    { AT(search), TROP_TYPE_DOUBLE, 0, 1e9, 0, NULL,
      "searches for a counterexample for so many seconds instead of sampling; 0: no search",
      "SECONDS", "!instance & !tokens & !data" },
    { AT(restarts), TROP_TYPE_INT64, 0, 1e9, 0, NULL,
      "ends the search after so many restarts; 0: time alone ends it", "N", "search" },
    { AT(seed), TROP_TYPE_SEED, 0, 0, 0, NULL, "seed of what is drawn", NULL, NULL },
    { AT(full), TROP_TYPE_FLAG, 0, 0, 0, NULL, "figures and tables at the size of the paper", NULL,
      "!instance" },
    { AT(counterexample), TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "file of the first counterexample (when not given ID-counterexample.h5), or none", "FILE.h5",
      "!instance ; shrink" },
    { AT(shrink), TROP_TYPE_FLAG, 0, 0, 0, NULL,
      "makes the counterexample small: fewer tokens, dimensions and digits (of an instance: "
      "ID-shrunk.h5); a search does so unless it is no",
      NULL, NULL },
    { AT(out), TROP_TYPE_TEXT, 0, 0, 0, NULL, "result: .json (as --json)", "FILE", NULL },
    { AT(report), TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "the result as one page to read, which needs no other file", "FILE.html", NULL },
    { AT(proof), TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "what the counterexample proves, for tropism_verify.py to check (docs/proofs.md)",
      "FILE.json", NULL },
    { AT(time_limit), TROP_TYPE_DOUBLE, 0, INFINITY, 0, NULL,
      "seconds after which the check ends with what it has judged; 0: none", "SECONDS", NULL },
    TROP_OPTION_THREADS(AT(threads)),
    { 0 },
};
#undef AT

const struct trop_option *trop_check_option_table(void)
{
    return table;
}
