/* inspect_options.c -- the options of inspect: defaults, table, lists. */
#include "run/inspect/inspect.h"

#include "base/option.h"
#include "base/status.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct trop_inspect_options trop_inspect_options_default(void)
{
    return (struct trop_inspect_options){ .at = -1, .tolerance = .1, .nulls = 20, .seed = 1 };
}

const char *const trop_inspect_measures[] = { "reach",   "margin",       "flip", "hardmax",
                                              "leaders", "temperature",  "keys", "patch",
                                              "depth",   "hypothetical", NULL };

/* In the orders of enum trop_inspect_mask and enum trop_inspect_norm. */
static const char *const mask_names[] = { "none", "causal", NULL };
static const char *const norm_names[] = { "l2", "nuclear", NULL };

#define AT(member) #member, offsetof(struct trop_inspect_options, member)
#define TEXT(member, argument, when, meaning) \
    { \
        AT(member), TROP_TYPE_TEXT, 0, 0, 0, NULL, meaning, argument, when \
    }
static const struct trop_option table[] = {
    TEXT(model, "PATH", "!q",
         "folder with config.json and .safetensors (BERT, GPT-2, Llama and kin), or a file of "
         "llama2.c"),
    TEXT(text, "TEXT", "model", "text that the model reads"),
    TEXT(file, "FILE", "model",
         "file with the text: .txt, or texts as train reads them (.tsv, .csv, .zip, mr)"),
    { AT(texts), TROP_TYPE_INT64, 0, 1e6, 0, NULL,
      "how many texts to take from a file of several, spread evenly; 0: all", NULL, "file" },
    TEXT(ids, "LIST", "model", "the text as numbers of tokens: 101,2023,102"),
    TEXT(tokenizer, "PATH", "model",
         "tokenizer.json, vocab.txt, vocab.json or llama2.c's file, where it is not beside the "
         "model"),
    TEXT(names, "FILE", "model",
         "what tensors are called in a model of other names: .json, such as {\"query\": "
         "\"blocks.{l}.wq\"}"),
    { AT(mask), TROP_TYPE_CHOICE, 0, 0, 0, mask_names, "arrays: which tokens a token can attend to",
      NULL, "q" },
    { AT(scale), TROP_TYPE_DOUBLE, 0, 1e6, 0, NULL, "arrays: factor of the scores; 0: 1/sqrt(d)",
      NULL, "q" },
    TEXT(layers, "LIST", NULL, "layers to look at: 0,3:5, ends included; all when not given"),
    TEXT(heads, "LIST", NULL,
         "heads to look at in each of these layers, in the same form; all when not given"),
    { AT(rows), TROP_TYPE_FLAG, 0, 0, 0, NULL, "one text: also tells what is measured in every row",
      NULL, NULL },
    { AT(inputs), TROP_TYPE_FLAG, 0, 0, 0, NULL,
      "one text: also tells queries, keys and values of each head, the streams and the last hidden "
      "states",
      NULL, "model" },
    TEXT(measure, "LIST", NULL,
         "what is measured: reach, margin, flip, hardmax, leaders, temperature, keys, patch, "
         "depth, hypothetical, or all; when not given, all but reach, margin and hypothetical"),
    { AT(norm), TROP_TYPE_CHOICE, 0, 0, 0, norm_names, "margin: the norm of the max-margin problem",
      NULL, "measure" },
    { AT(nulls), TROP_TYPE_INT64, 0, TROP_HEAD_MARGIN_NULLS, 0, NULL,
      "margin: number of random heads to compare with", NULL, "measure" },
    { AT(at), TROP_TYPE_INT64, -1, 1e9, 0, NULL,
      "reach in a causal head: the position of the query; -1: the last", NULL, "measure" },
    { AT(tolerance), TROP_TYPE_DOUBLE, 0, 1e6, 0, NULL,
      "clusters: distance of neighbours, relative to the median length of tokens", NULL, "model" },
    { AT(seed), TROP_TYPE_SEED, 0, 0, 0, NULL, "seed of the random heads", NULL, NULL },
    TROP_OPTION_THREADS(AT(threads)),
    { 0 },
};
#undef TEXT
#undef AT

const struct trop_option *trop_inspect_option_table(void)
{
    return table;
}

/* ---- lists ----------------------------------------------------------------------------------- */

static enum trop_status refuse(const char *option, const char *list, int64_t total)
{
    return trop_fail(TROP_ERR_ARG, "%s = %s: must be numbers from 0 to %lld, as 0,3:5", option,
                     list, (long long)total - 1);
}

/* Reads a number at *at, and moves it on; -1: there is none below total. */
static int64_t number_at(const char **at, int64_t total)
{
    char *end = NULL;

    if (**at < '0' || **at > '9') {
        return -1;
    }
    const long long value = strtoll(*at, &end, 10);
    *at = end;
    return value < total ? value : -1;
}

enum trop_status trop_inspect_list(char *wanted, int64_t total, const char *list,
                                   const char *option)
{
    if (!list) {
        memset(wanted, 1, (size_t)total);
        return TROP_OK;
    }
    for (const char *at = list;; at++) {
        const int64_t first = number_at(&at, total);
        int64_t last = first;
        if (*at == ':') {
            at++;
            last = number_at(&at, total);
        }
        if (first >= 0 && last >= 0 && last < first) {
            return trop_fail(TROP_ERR_ARG, "%s = %s: %lld:%lld is reversed; a range goes upwards",
                             option, list, (long long)first, (long long)last);
        }
        if (first < 0 || last < 0 || (*at && *at != ',')) {
            return refuse(option, list, total);
        }
        memset(wanted + first, 1, (size_t)(last - first + 1));
        if (!*at) {
            return TROP_OK;
        }
    }
}

enum trop_status trop_inspect_which(int64_t *out, const struct trop_inspect_options *o)
{
    *out = 0;
    if (!o->measure) {
        *out = TROP_INSPECT_ALL &
               ~(TROP_INSPECT_REACH | TROP_INSPECT_MARGIN | TROP_INSPECT_HYPOTHETICAL);
    } else if (strcmp(o->measure, "all") == 0) {
        *out = TROP_INSPECT_ALL;
    }
    for (const char *at = *out ? NULL : o->measure; at;) {
        const size_t size = strcspn(at, ",");
        int64_t k = 0;
        while (trop_inspect_measures[k] && (strlen(trop_inspect_measures[k]) != size ||
                                            strncmp(trop_inspect_measures[k], at, size) != 0)) {
            k++;
        }
        if (!trop_inspect_measures[k]) {
            return trop_fail(TROP_ERR_ARG,
                             "measure: %.*s is none of reach, margin, flip, hardmax, leaders, "
                             "temperature, keys, patch, depth, hypothetical and all",
                             (int)size, at);
        }
        *out |= (int64_t)1 << k;
        at = at[size] ? at + size + 1 : NULL;
    }
    const int64_t of_models = TROP_INSPECT_MARGIN | TROP_INSPECT_PATCH | TROP_INSPECT_DEPTH;
    if (!o->model && o->measure && *out != TROP_INSPECT_ALL && *out & of_models) {
        return trop_fail(TROP_ERR_ARG,
                         "measure = %s: margin, patch and depth need a model, not arrays alone",
                         o->measure);
    }
    *out &= o->model ? TROP_INSPECT_ALL : ~of_models;
    return TROP_OK;
}
