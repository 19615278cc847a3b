/* claims.c -- the verb claims: what the papers say, and what became of it. */
#include "cli.h"

#include <stdio.h>

#define VERB "claims"
#define COLUMN 12

static struct trop_value cell(const struct trop_claims *claims, const char *column, int64_t row)
{
    return cli_print_cell(trop_claims_field_table(), claims, "claims", column, row);
}

static int64_t count_of(const struct trop_claims *claims)
{
    struct trop_value list = { 0 };

    trop_claims_value(&list, claims, "claims");
    return list.shape[0];
}

static void print_list(const struct trop_claims *claims)
{
    const int64_t count = count_of(claims);

    for (int64_t k = 0; k < count; k++) {
        printf("%-28s %-17s %s\n", cell(claims, "id", k).text, cell(claims, "status", k).text,
               cell(claims, "title", k).text);
    }
    printf("\n%lld claims. 'tropism claims ID' tells more, 'tropism check ID' decides one.\n",
           (long long)count);
}

static void print_one(const struct trop_claims *claims)
{
    static const char *const columns[] = { "statement", "hypotheses", "status", "remark",
                                           "repaired",  "inputs",     "seen" };

    printf("%s, %s: %s\n\n", cell(claims, "id", 0).text, cell(claims, "kind", 0).text,
           cell(claims, "title", 0).text);
    for (size_t k = 0; k < sizeof columns / sizeof columns[0]; k++) {
        const struct trop_value value = cell(claims, columns[k], 0);
        for (int64_t at = 0; value.kind == TROP_KIND_TEXTS && at < value.shape[0]; at++) {
            printf("%-*s", COLUMN, at ? "" : columns[k]);
            cli_print_words(value.texts[at], COLUMN);
        }
        if (value.kind == TROP_KIND_TEXT) {
            printf("%-*s", COLUMN, columns[k]);
            cli_print_words(value.text, COLUMN);
        }
    }
}

static int print_all(struct trop_claims *claims, int is_one, int json)
{
    const char *text = NULL;

    if (!json) {
        if (is_one) {
            print_one(claims);
        } else {
            print_list(claims);
        }
        return CLI_DONE;
    }
    enum trop_status status = trop_claims_json(&text, claims);
    if (status == TROP_OK) {
        printf("%s\n", text);
    }
    return cli_status(VERB, status);
}

static int run(int argc, char **argv)
{
    struct cli_options options;
    struct cli_line line;
    struct trop_claims *claims = NULL;

    int code = cli_options_begin(&line, &options, &cli_claims, argc, argv);
    if (code != CLI_GOES_ON) {
        return code;
    }
    enum trop_status status =
        trop_claims_create(&claims, line.words ? line.word[0] : NULL,
                           cli_options_value(&line, "paper"), cli_options_value(&line, "status"));
    code = status == TROP_OK ? print_all(claims, line.words, cli_options_flag(&line, "json"))
                             : cli_status(VERB, status);
    trop_claims_free(claims);
    return code;
}

static const char notes[] =
    "Papers: fw (attention's forward pass and Frank-Wolfe), lm (localmax dynamics),\n"
    "afz (clustering under hardmax), mm (max-margin token selection), tf\n"
    "(transformers as support vector machines), md (optimizing attention with mirror\n"
    "descent).\n";

static const struct cli_section sections[] = {
    { "", "`docs/claims.md` has all of them.", trop_claims_field_table, NULL },
    { 0 },
};

const struct cli_verb cli_claims = {
    .name = VERB,
    .meaning = "lists the papers' theorems and figures, and what became of them",
    .run = run,
    .own = "json help paper status",
    .words = "[ID] ",
    .subject = "claim",
    .notes = notes,
    .examples = "tropism claims --status false-as-printed\n"
                "tropism claims fw-thm-3.1\n"
                "tropism claims --paper lm --json\n",
    .sections = sections,
};
