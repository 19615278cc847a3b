/* pages_claims.c -- docs/claims.md, from the registry. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *paper, *title, *note;
} papers[] = {
    { "fw", "Attention's forward pass and Frank-Wolfe (Alcalde, Geshkovski, Ruiz-Balet, 2025)",
      NULL },
    { "lm", "Localmax dynamics for attention in transformers (Cimetiere, Chiri, Gharesifard, 2025)",
      "The rule is the additive reading of the paper's abstract. T1 to T13 and the remarks are "
      "ours:\n"
      "statements about that rule, with proofs in the files, not numbered as in the paper." },
    { "afz", "Clustering in pure-attention hardmax transformers (Alcalde, Fantuzzi, Zuazua, 2024)",
      NULL },
    { "mm",
      "Max-margin token selection in attention mechanism (Ataee Tarzanagh, Li, Zhang, Oymak, "
      "2023)",
      NULL },
    { "tf",
      "Transformers as support vector machines (Ataee Tarzanagh, Li, Thrampoulidis, Oymak, "
      "2023)",
      NULL },
    { "md", "Optimizing attention with mirror descent (Julistiono, Ataee Tarzanagh, Azizan, 2024)",
      NULL },
    { "sp",
      "A mathematical perspective on transformers, and dynamic metastability in the self-attention "
      "model (Geshkovski, Letrouit, Polyanskiy, Rigollet, 2023; with Koubbi, 2024)",
      "These are figures only. The papers print pictures; our reference numbers come from the "
      "authors' programs,\nor are closed forms of what a picture shows." },
};

static struct trop_value cell(const struct trop_job *claims, const char *column, int64_t row)
{
    return cli_print_cell(claims, "claims", column, row);
}

/* Prints words; < would be taken for HTML, and * and _ for emphasis. */
static void print_words(const char *text)
{
    for (; *text; text++) {
        if (strchr("<*_|", *text)) {
            putchar('\\');
        }
        putchar(*text);
    }
}

static void print_entry(const struct trop_job *claims, const char *title, const char *column,
                        int64_t row)
{
    const struct trop_value value = cell(claims, column, row);

    if (value.kind == TROP_KIND_TEXT || (value.kind == TROP_KIND_TEXTS && value.shape[0] > 0)) {
        printf("- %s: ", title);
    }
    for (int64_t k = 0; value.kind == TROP_KIND_TEXTS && k < value.shape[0]; k++) {
        printf("%s", k ? "; " : "");
        print_words(value.texts[k]);
    }
    if (value.kind == TROP_KIND_TEXT) {
        print_words(value.text);
    }
    if (value.kind != TROP_KIND_NULL) {
        printf("\n");
    }
}

static void print_paper(const char *paper, const char *title, const char *note)
{
    const char *pairs[] = { "paper", paper, NULL };
    struct trop_job *claims = NULL;

    if (trop_job_create_from(&claims, "claims", pairs) != TROP_OK) {
        return;
    }
    const int64_t count = cli_print_value(claims, "claims").shape[0];
    printf("\n## %s: %s\n\n%s%s| id | status | |\n|---|---|---|\n", paper, title, note ? note : "",
           note ? "\n\n" : "");
    for (int64_t k = 0; k < count; k++) {
        printf("| [%s](#", cell(claims, "id", k).text);
        /* The anchor that a heading gets: its letters, digits and hyphens. */
        const char *id = cell(claims, "id", k).text;
        for (; *id; id++) {
            if (*id != '.') {
                putchar(*id);
            }
        }
        printf(") | %s | ", cell(claims, "status", k).text);
        print_words(cell(claims, "title", k).text);
        printf(" |\n");
    }
    for (int64_t k = 0; k < count; k++) {
        printf("\n### %s\n\n", cell(claims, "id", k).text);
        printf("*%s, %s%s.* ", cell(claims, "kind", k).text, cell(claims, "status", k).text,
               strcmp(cell(claims, "source", k).text, "derived") == 0 ? ", derived" : "");
        print_words(cell(claims, "statement", k).text);
        printf("\n\n");
        print_entry(claims, "hypotheses", "hypotheses", k);
        print_entry(claims, "remark", "remark", k);
        print_entry(claims, "repaired form", "repaired", k);
        print_entry(claims, "inputs", "inputs", k);
        print_entry(claims, "faults that its check is tested to detect", "seen", k);
    }
    trop_job_free(claims);
}

void cli_pages_claims(void)
{
    printf(
        "# Claims\n\n"
        "<!-- Written by `tropism help --generate claims`; `make docs` renews it. -->\n\n"
        "These are the statements, figures and tables of the papers in our words, what follows "
        "for\n"
        "their models, and the status of each. `tropism check ID` tests a claim on instances;\n"
        "`tropism reproduce ID` computes a figure or table and compares it with the published\n"
        "one. A status is one of these:\n\n"
        "| status | meaning |\n|---|---|\n"
        "| `proved` | a proof exists, in the paper or in our file of the claim |\n"
        "| `conjectured` | the claim is stated without a proof, or is a regularity that was "
        "measured |\n"
        "| `false-as-printed` | the statement that the paper prints has a counterexample; in "
        "most cases there is a *repaired form*, a corrected statement that holds |\n"
        "| `refuted` | a natural guess, which no paper prints, that has a counterexample |\n"
        "| `artifact` | a published number that is an effect of how it was computed |\n"
        "| `needs-data` | an experiment with outside data or networks, or with a set-up that is "
        "not public |\n"
        "| `measured` | a number or picture that can be reproduced |\n\n"
        "A claim marked `derived` is in no paper: it is a statement of ours about the paper's "
        "model, or a\n"
        "figure or table whose reference numbers come from an independent program.\n\n"
        "The line *its check* tells how sensitive a check is: the number of instances on which "
        "every hypothesis\n"
        "was true, the comparison that came nearest to its bound, and the number of faults that "
        "the check is\n"
        "tested to detect. A check is `loose` when every bound is more than a factor of 10 away "
        "on every\n"
        "instance: it would also pass if the claim were somewhat wrong. The list of faults shows "
        "by how much.\n"
        "`scripts/claims.py seen` measures these lines. [glossary.md](glossary.md) explains the "
        "terms.\n\n"
        "The line *in the explorer* opens an instance in [the explorer](explorer.md): on the "
        "site of this\n"
        "manual, and wherever `tropism.html` (`make web`) is beside this page.\n");
    for (size_t k = 0; k < sizeof papers / sizeof papers[0]; k++) {
        print_paper(papers[k].paper, papers[k].title, papers[k].note);
    }
}
