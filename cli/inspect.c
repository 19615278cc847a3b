/* inspect.c -- the verb inspect: what the heads of a trained transformer select. */
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A column of the table of heads; those that the result does not have are left out. */
static const struct column {
    const char *title, *name;
    int width, digits;
    double times;
} columns[] = {
    { "distinct", "selected", 8, 0, 1 },
    { "reach", "reachable", 5, 0, 1 },
    { "flip%", "flip_relative", 6, 1, 100 },
    { "flip", "flip", 6, 2, 1 },
    { "gap", "gap", 5, 2, 1 },
    { "top", "top_weight", 5, 2, 1 },
    { "perpl", "perplexity", 6, 1, 1 },
    { "kappa", "kappa", 6, 1, 1 },
    { "hard", "hard_rows", 5, 2, 1 },
    { "keys", "key_only", 5, 2, 1 },
    { "sink", "sinks.share", 5, 2, 1 },
    { "patch", "patch.cosine", 6, 3, 1 },
    { "share", "margin.share", 6, 3, 1 },
    { "null", "margin.null_mean", 6, 3, 1 },
    { "sets", "hypothetical.sets", 4, 0, 1 },
    { "eps", "hypothetical.epsilon", 5, 2, 1 },
    { "flow", "hypothetical.log10_steps", 5, 1, 1 },
};
#define COLUMNS (sizeof columns / sizeof columns[0])

/* A number of a row of a list, of several texts its mean; null where the result has none. */
static struct trop_value number_of(const struct trop_job *job, const char *list, const char *name,
                                   int64_t row)
{
    struct trop_value value = { 0 };
    char mean[64];

    snprintf(mean, sizeof mean, "%s.mean", name);
    if (trop_job_cell(&value, job, list, mean, row) != TROP_OK &&
        trop_job_cell(&value, job, list, name, row) != TROP_OK) {
        value.kind = TROP_KIND_NULL;
    }
    return value;
}

static int is_there(const struct trop_job *job, size_t k)
{
    const int64_t rows = cli_print_value(job, "heads").shape[0];
    int found = 0;

    for (int64_t row = 0; row < rows && !found; row++) {
        found = number_of(job, "heads", columns[k].name, row).kind == TROP_KIND_NUMBER;
    }
    /* One of the two radii is enough: the relative one, where there is a model. */
    return found && !(strcmp(columns[k].name, "flip") == 0 && is_there(job, k - 1));
}

static void print_head(const struct trop_job *job, const int *shown, int64_t row)
{
    printf("%5lld %4lld", (long long)cli_print_cell(job, "heads", "layer", row).integer,
           (long long)cli_print_cell(job, "heads", "head", row).integer);
    for (size_t k = 0; k < COLUMNS; k++) {
        const struct trop_value value = number_of(job, "heads", columns[k].name, row);
        if (!shown[k]) {
            continue;
        }
        if (value.kind == TROP_KIND_NUMBER && isfinite(value.number)) {
            printf(" %*.*f", columns[k].width, columns[k].digits, columns[k].times * value.number);
        } else {
            printf(" %*s", columns[k].width, value.kind == TROP_KIND_NUMBER ? "inf" : "-");
        }
    }
    printf("\n");
}

static void print_heads(const struct trop_job *job)
{
    const int64_t rows = cli_print_value(job, "heads").shape[0];
    int shown[COLUMNS];

    printf("\n%5s %4s", "layer", "head");
    for (size_t k = 0; k < COLUMNS; k++) {
        shown[k] = is_there(job, k);
        if (shown[k]) {
            printf(" %*s", columns[k].width, columns[k].title);
        }
    }
    printf("\n");
    for (int64_t row = 0; row < rows; row++) {
        print_head(job, shown, row);
    }
}

static void print_layers(const struct trop_job *job)
{
    static const char *const names[] = { "cosine", "cosine_centred", "effective_rank", "clusters" };
    struct trop_value layers = { 0 };

    if (trop_job_value(&layers, job, "layers") != TROP_OK) {
        return;
    }
    printf("\n%5s %8s %8s %8s %8s\n", "layer", "cosine", "centred", "rank", "clusters");
    for (int64_t row = 0; row < layers.shape[0]; row++) {
        printf("%5lld", (long long)cli_print_cell(job, "layers", "layer", row).integer);
        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
            const struct trop_value value = number_of(job, "layers", names[k], row);
            if (value.kind == TROP_KIND_NUMBER) {
                printf(" %8.4g", value.number);
            } else {
                printf(" %8s", "-");
            }
        }
        printf("\n");
    }
}

static void print_summary(const struct trop_job *job)
{
    struct trop_value family = { 0 }, tokens = { 0 };
    const int is_model = trop_job_value(&family, job, "model.family") == TROP_OK;
    const int has_tokens = trop_job_value(&tokens, job, "tokens") == TROP_OK;
    const int64_t texts = cli_print_value(job, "texts").integer;

    const int64_t layers = cli_print_value(job, "model.layers").integer;
    const int64_t heads = cli_print_value(job, "model.heads").integer;
    printf("%-13s%s, %lld layer%s of %lld head%s\n", "model",
           is_model ? family.text : "arrays alone", (long long)layers, layers == 1 ? "" : "s",
           (long long)heads, heads == 1 ? "" : "s");
    if (texts > 1) {
        printf("%-13s%lld; the numbers are means over all texts\n", "texts", (long long)texts);
    } else if (has_tokens) {
        printf("%-13s%lld\n", "tokens", (long long)tokens.shape[0]);
    }
    cli_print_out(job);
    print_heads(job);
    print_layers(job);
}

const struct cli_verb cli_inspect = {
    .name = "inspect",
    .print = print_summary,
    .notes = "Each line is a head. distinct: how many tokens its rows select. flip%:\n"
             "the least change of the residual stream that changes a selection, in percent of\n"
             "its length. gap: largest score less the weighted mean score, in logits. top:\n"
             "largest weight. perpl: perplexity. kappa: factor of the scores at which one\n"
             "token has 99% of the weight. hard: share of rows where one token has it now.\n"
             "keys: share of the scores' variation that does not depend on the query. sink:\n"
             "share of rows on the most selected token. patch: cosine with the output under\n"
             "hardmax. docs/heads.md has the definitions.\n",
    .examples = "tropism inspect MODEL_DIR --text \"The film was dull until the last scene.\"\n"
                "tropism inspect MODEL_DIR --file review.txt --out heads.h5\n"
                "tropism inspect MODEL_DIR --file mr --texts 50 --layers 0,3:5 --json\n"
                "tropism inspect --q q.npy --k k.npy --v v.npy --mask causal --rows --json\n",
};
