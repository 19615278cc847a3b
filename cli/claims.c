/* claims.c -- the verb claims: what the papers say, and what became of it. */
#include "cli.h"

#include <stdio.h>

#define VERB "claims"
#define COLUMN 12

static struct trop_value cell(const struct trop_job *job, const char *column, int64_t row)
{
    return cli_print_cell(job, "claims", column, row);
}

static void print_one(const struct trop_job *job)
{
    static const char *const columns[] = { "statement", "hypotheses", "status", "remark",
                                           "repaired",  "inputs",     "seen" };

    printf("%s, %s: %s\n\n", cell(job, "id", 0).text, cell(job, "kind", 0).text,
           cell(job, "title", 0).text);
    for (size_t k = 0; k < sizeof columns / sizeof columns[0]; k++) {
        const struct trop_value value = cell(job, columns[k], 0);
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

/* One claim in full, several in a line each. */
static void print_summary(const struct trop_job *job)
{
    if (cli_print_value(job, "claims").shape[0] == 1) {
        print_one(job);
    } else {
        const int64_t count = cli_print_value(job, "claims").shape[0];
        for (int64_t k = 0; k < count; k++) {
            printf("%-28s %-17s %s\n", cell(job, "id", k).text, cell(job, "status", k).text,
                   cell(job, "title", k).text);
        }
        /* What a file has is called by the file, too; the notice says that there is one. */
        const char *file = *trop_job_notice(job) ? "FILE:" : "";
        printf("\n%lld claims. 'tropism claims %sID' explains one, 'tropism check %sID' tests "
               "it.\n",
               (long long)count, file, file);
    }
}

static const char notes[] =
    "Papers: fw (attention's forward pass and Frank-Wolfe), lm (localmax dynamics),\n"
    "afz (clustering under hardmax), mm (max-margin token selection), tf\n"
    "(transformers as support vector machines), md (optimizing attention with mirror\n"
    "descent), sp (attention on the sphere). ./mine.so as ID lists your own claims in\n"
    "that shared object, and runs the code in it.\n";

static const struct cli_section sections[] = {
    { "", "`docs/claims.md` has all of them.", trop_claims_field_table, NULL },
    { 0 },
};

const struct cli_verb cli_claims = {
    .name = VERB,
    .print = print_summary,
    .words = "[ID] ",
    .notes = notes,
    .examples = "tropism claims --status false-as-printed\n"
                "tropism claims fw-thm-3.1\n"
                "tropism claims --paper lm --json\n",
    .sections = sections,
};
