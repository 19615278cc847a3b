/* claim.c -- every claim, by number and by id. */
#include "claim/claim.h"
#include "claim/table.h"

#include "base/field.h"

#include <stdio.h>
#include <string.h>

static const struct trop_claim *const *const lists[] = {
    trop_list_fw,  trop_list_fw_beta,   trop_list_fw_figures, trop_list_lm, trop_list_lm_tables,
    trop_list_afz, trop_list_mm,        trop_list_mm_figures, trop_list_tf, trop_list_tf_figures,
    trop_list_md,  trop_list_md_tables, trop_list_sp,
};

#define LISTS (sizeof lists / sizeof lists[0])

const struct trop_claim *trop_claim_at(int64_t k)
{
    for (size_t list = 0; list < LISTS; list++) {
        for (int64_t at = 0; lists[list][at]; at++) {
            if (k-- == 0) {
                return lists[list][at];
            }
        }
    }
    return NULL;
}

int64_t trop_claim_count(void)
{
    int64_t count = 0;

    while (trop_claim_at(count)) {
        count++;
    }
    return count;
}

const struct trop_claim *trop_claim_find(const char *id)
{
    const struct trop_claim *claim = NULL;

    for (int64_t k = 0; (claim = trop_claim_at(k)) != NULL; k++) {
        if (strcmp(claim->id, id) == 0) {
            return claim;
        }
    }
    return NULL;
}

void trop_claim_paper(char out[8], const struct trop_claim *claim)
{
    snprintf(out, 8, "%.*s", (int)strcspn(claim->id, "-"), claim->id);
}

const char *trop_claim_kind(const struct trop_claim *claim)
{
    static const char *const kinds[][2] = {
        { "-lem-", "lemma" },  { "-prop-", "proposition" }, { "-thm-", "theorem" },
        { "-rem-", "remark" }, { "-rate-", "rate" },        { "-fig-", "figure" },
        { "-tab-", "table" },
    };
    const char *at = strchr(claim->id, '-');

    for (size_t k = 0; at && k < sizeof kinds / sizeof kinds[0]; k++) {
        if (strncmp(at, kinds[k][0], strlen(kinds[k][0])) == 0) {
            return kinds[k][1];
        }
    }
    return "claim";
}

const char *const trop_claim_statuses[] = {
    [TROP_CLAIM_PROVED] = "proved",          [TROP_CLAIM_CONJECTURED] = "conjectured",
    [TROP_CLAIM_FALSE] = "false-as-printed", [TROP_CLAIM_ARTIFACT] = "artifact",
    [TROP_CLAIM_NEEDS_DATA] = "needs-data",  [TROP_CLAIM_MEASURED] = "measured",
    [TROP_CLAIM_REFUTED] = "refuted",        [TROP_CLAIM_REFUTED + 1] = NULL,
};

const char *const trop_claim_sources[] = {
    [TROP_CLAIM_PAPER] = "paper",
    [TROP_CLAIM_DERIVED] = "derived",
    NULL,
};

void trop_claim_told(struct trop_value *out, const void *member)
{
    trop_field_text(out, (*(const struct trop_claim *const *)member)->id);
}

int trop_claim_is_shown(const struct trop_claim *claim)
{
    return strstr(claim->id, "-fig-") || strstr(claim->id, "-tab-");
}

int trop_claim_needs_data(const struct trop_claim *claim)
{
    return claim->status == TROP_CLAIM_NEEDS_DATA;
}

int64_t trop_claim_trials(const struct trop_claim *claim)
{
    return claim->trials > 0 ? claim->trials : trop_claim_is_shown(claim) ? 1 : 100;
}

int trop_claim_has_work(const struct trop_claim *claim)
{
    return claim->run.work || claim->table;
}

int trop_claim_has_picture(const struct trop_claim *claim)
{
    return claim->run.picture || (claim->table && trop_table_panels(claim->table));
}

int trop_claim_is_asked(const struct trop_claim *claim)
{
    return claim->suppose != NULL;
}

int trop_claim_begins_as(const struct trop_claim *a, const struct trop_claim *b)
{
    return a->run.work == b->run.work && a->run.draw == b->run.draw &&
           trop_table_begins_as(a->table, b->table);
}

/* ---- inputs ---- */

static const struct trop_input *find_word(const struct trop_input *words, const char *name,
                                          size_t length)
{
    for (; words->name; words++) {
        if (strlen(words->name) == length && strncmp(words->name, name, length) == 0) {
            return words;
        }
    }
    return NULL;
}

static const struct trop_input *words_of(const struct trop_claim *claim)
{
    static const struct {
        const char *paper;
        const struct trop_input *words;
    } papers[] = { { "fw", trop_list_fw_words },   { "lm", trop_list_lm_words },
                   { "afz", trop_list_afz_words }, { "mm", trop_list_mm_words },
                   { "tf", trop_list_tf_words },   { "md", trop_list_md_words },
                   { "sp", trop_list_sp_words } };
    char paper[8];

    trop_claim_paper(paper, claim);
    for (size_t k = 0; k < sizeof papers / sizeof papers[0]; k++) {
        if (strcmp(papers[k].paper, paper) == 0) {
            return papers[k].words;
        }
    }
    return trop_vocabulary;
}

int trop_claim_input(struct trop_input *out, const struct trop_claim *claim, int64_t k)
{
    const char *at = claim->inputs ? claim->inputs : "";
    for (; k > 0 && *at; k--) {
        at += strcspn(at, " ");
        at += strspn(at, " ");
    }
    const size_t length = strcspn(at, " ");
    if (length == 0) {
        return 0;
    }
    const struct trop_input *word =
        find_word(claim->words ? claim->words : words_of(claim), at, length);
    word = word ? word : find_word(trop_vocabulary, at, length);
    *out = word ? *word : (struct trop_input){ at, "", "?" };
    return 1;
}

/* ---- spoils ---- */

int trop_claim_spoil(struct trop_spoil *out, const struct trop_claim *claim, int64_t k)
{
    for (const struct trop_spoil *s = claim->spoils; s && s->meaning; s++) {
        if (k-- == 0) {
            *out = *s;
            return 1;
        }
    }
    for (const struct trop_hypothesis *h = claim->hypotheses; h && h->name; h++) {
        if (h->broken && k-- == 0) {
            *out = (struct trop_spoil){ h->broken, h->name, h->edit };
            return 1;
        }
    }
    return 0;
}
