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
    { "selected", "selected", 8, 0, 1 },
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
};
#define COLUMNS (sizeof columns / sizeof columns[0])

/* Of several texts the mean; of rows there is none here. */
static struct trop_value value_of(const struct trop_job *job, const struct column *column,
                                  int64_t row)
{
    char name[64];

    snprintf(name, sizeof name, "%s.mean", column->name);
    const struct trop_value mean = cli_print_cell(job, "heads", name, row);
    return mean.kind == TROP_KIND_NUMBER ? mean : cli_print_cell(job, "heads", column->name, row);
}

static int is_there(const struct trop_job *job, size_t k)
{
    const int64_t rows = cli_print_value(job, "heads").shape[0];
    int found = 0;

    for (int64_t row = 0; row < rows && !found; row++) {
        found = value_of(job, columns + k, row).kind == TROP_KIND_NUMBER;
    }
    /* One of the two radii is enough: the relative one, where there is a model. */
    return found && !(strcmp(columns[k].name, "flip") == 0 && is_there(job, k - 1));
}

static void print_head(const struct trop_job *job, const int *shown, int64_t row)
{
    printf("%5lld %4lld", (long long)cli_print_cell(job, "heads", "layer", row).integer,
           (long long)cli_print_cell(job, "heads", "head", row).integer);
    for (size_t k = 0; k < COLUMNS; k++) {
        const struct trop_value value = value_of(job, columns + k, row);
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
    const struct trop_value layers = cli_print_value(job, "layers");

    if (layers.kind != TROP_KIND_LIST) {
        return;
    }
    printf("\n%5s %8s %8s %8s %8s\n", "layer", "cosine", "centred", "rank", "clusters");
    for (int64_t row = 0; row < layers.shape[0]; row++) {
        printf("%5lld", (long long)cli_print_cell(job, "layers", "layer", row).integer);
        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
            char name[64];
            snprintf(name, sizeof name, "%s.mean", names[k]);
            struct trop_value value = cli_print_cell(job, "layers", name, row);
            if (value.kind != TROP_KIND_NUMBER) {
                value = cli_print_cell(job, "layers", names[k], row);
            }
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
    const struct trop_value family = cli_print_value(job, "model.family");
    const struct trop_value tokens = cli_print_value(job, "tokens");
    const int64_t texts = cli_print_value(job, "texts").integer;

    printf("%-13s%s%s%lld layers of %lld heads\n", "model",
           family.kind == TROP_KIND_TEXT ? family.text : "arrays alone", ", ",
           (long long)cli_print_value(job, "model.layers").integer,
           (long long)cli_print_value(job, "model.heads").integer);
    if (texts > 1) {
        printf("%-13s%lld; numbers are means over them\n", "texts", (long long)texts);
    } else if (tokens.kind == TROP_KIND_TEXTS) {
        printf("%-13s%lld\n", "tokens", (long long)tokens.shape[0]);
    }
    cli_print_out(job);
    print_heads(job);
    print_layers(job);
}

const struct cli_verb cli_inspect = {
    .name = "inspect",
    .print = print_summary,
    .notes =
        "A line a head: tokens that rows select; flip%, the least change of the stream that\n"
        "changes a selection, in percent of its length; gap, in logits; the largest weight;\n"
        "perplexity; kappa, the factor of the scores with which one token has 99%; the share of\n"
        "rows that have it now; of the scores' variation that keys alone make; of rows on the\n"
        "most selected token; and patch, how near the output stays when the head takes hardmax.\n"
        "docs/heads.md has the definitions.\n",
    .examples = "tropism inspect MODEL_DIR --text \"The film was dull until the last scene.\"\n"
                "tropism inspect MODEL_DIR --file review.txt --out heads.h5\n"
                "tropism inspect MODEL_DIR --file mr --texts 50 --layers 0,3:5 --json\n"
                "tropism inspect --q q.npy --k k.npy --v v.npy --mask causal --rows --json\n",
};
