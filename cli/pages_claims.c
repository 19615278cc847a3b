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
      "Figures alone. The papers show pictures; numbers are those of the authors' programs, or "
      "closed forms\nof what a picture shows." },
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
        print_entry(claims, "takes", "inputs", k);
        print_entry(claims, "its checker is tested to see", "seen", k);
    }
    trop_job_free(claims);
}

void cli_pages_claims(void)
{
    printf("# Claims\n\n"
           "<!-- Written by `tropism help --generate claims`; `make docs` renews it. -->\n\n"
           "What the papers say, or what follows for their models, in our words, and what became "
           "of it. `tropism check ID` decides a\n"
           "claim on instances, `tropism reproduce ID` makes a figure or table again. Statuses:\n"
           "`proved`; `conjectured`, stated without proof; `false-as-printed`, with a\n"
           "counterexample and mostly a repaired form; `refuted`, the same of what suggests itself "
           "and no\n"
           "paper prints; `artifact`, a published number that comes\n"
           "from how it was computed; `needs-data`, an experiment with outside data or networks, "
           "or one\n"
           "whose set-up is not public;\n"
           "`measured`, a number or picture that can be made again.\n"
           "What is marked `derived` is in no paper: a statement of ours about its model, or a "
           "figure or table\n"
           "whose numbers are those of an independent program.\n\n"
           "*Its check* says how much it can see: on how many instances every hypothesis was true, "
           "the line that came\n"
           "nearest to its bound, and how many ways to be wrong it is tested to see. `loose` is "
           "one that holds with every bound\n"
           "more than a factor of 10 away on every instance: it would also pass if the claim were "
           "somewhat wrong. The ways to be\n"
           "wrong, which are all seen, show by how much. `scripts/claims.py seen` measures it "
           "anew.\n");
    for (size_t k = 0; k < sizeof papers / sizeof papers[0]; k++) {
        print_paper(papers[k].paper, papers[k].title, papers[k].note);
    }
}
