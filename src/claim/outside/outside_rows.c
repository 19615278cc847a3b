/* outside_rows.c -- the rows of a file of claims, looked through before anything calls them.
 *
 * Those of the papers are compared by tests (test_claims.c); of these, a person reads what is
 * wrong.
 */
#include "claim/outside/outside.h"

#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LONGEST 60 /* letters of an id, which becomes part of the name of a file */

struct rows {
    const char *path;
    const struct trop_claim *const *claims;
    int64_t count;
};

/* "./mine.so: my-lem-ball: ..." */
TROP_PRINTF(3, 4)
static enum trop_status refuse(const struct rows *rows, const struct trop_claim *claim,
                               const char *format, ...)
{
    char sentence[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return trop_fail(TROP_ERR_IO, "%s: %s: %s", rows->path, claim->id, sentence);
}

/* ---- ids ---- */

static const struct trop_claim *find(const struct rows *rows, int64_t count, const char *id)
{
    for (int64_t k = 0; k < count; k++) {
        if (strcmp(rows->claims[k]->id, id) == 0) {
            return rows->claims[k];
        }
    }
    return NULL;
}

static enum trop_status check_id(const struct rows *rows, int64_t k)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-.";
    const struct trop_claim *claim = rows->claims[k];

    if (!claim || !claim->id) {
        return trop_fail(TROP_ERR_IO, "%s: claim %lld has no %s", rows->path, (long long)k,
                         claim ? "id" : "row: its address is NULL");
    }
    const size_t length = strlen(claim->id);
    if (length == 0 || length > LONGEST || strspn(claim->id, letters) != length ||
        strchr("-.", claim->id[0])) {
        return trop_fail(TROP_ERR_IO,
                         "%s: \"%.80s\" is not an id: 1 to %d small letters, digits, '-' and '.', "
                         "with a letter or digit first, as my-lem-ball",
                         rows->path, claim->id, LONGEST);
    }
    if (find(rows, k, claim->id)) {
        return refuse(rows, claim, "two claims have this id");
    }
    return trop_claim_find(claim->id)
               ? refuse(rows, claim, "is the id of a claim of the papers: take another")
               : TROP_OK;
}

/* ---- hypotheses and spoils ---- */

static int64_t find_hypothesis(const struct trop_claim *claim, const char *name)
{
    const struct trop_hypothesis *h = claim->hypotheses;

    for (int64_t k = 0; h && h[k].name; k++) {
        if (strcmp(h[k].name, name) == 0) {
            return k;
        }
    }
    return -1;
}

static enum trop_status check_hypotheses(const struct rows *rows, const struct trop_claim *claim)
{
    for (const struct trop_hypothesis *h = claim->hypotheses; h && h->name; h++) {
        if (!h->meaning) {
            return refuse(rows, claim, "hypothesis %s has no meaning", h->name);
        }
        if (!h->judge == !h->holds) {
            return refuse(rows, claim, "hypothesis %s has %s: .judge is a function, .holds a text",
                          h->name, h->judge ? "two judges" : "no judge");
        }
        if (!h->broken != !h->edit) {
            return refuse(rows, claim, "hypothesis %s has .%s without .%s", h->name,
                          h->edit ? "edit" : "broken", h->edit ? "broken" : "edit");
        }
        if (find_hypothesis(claim, h->name) != h - claim->hypotheses) {
            return refuse(rows, claim, "two hypotheses have the name %s", h->name);
        }
    }
    return TROP_OK;
}

static enum trop_status check_spoils(const struct rows *rows, const struct trop_claim *claim)
{
    for (const struct trop_spoil *s = claim->spoils; s && s->meaning; s++) {
        if (!s->edit) {
            return refuse(rows, claim, "spoil \"%.200s\" has no edit", s->meaning);
        }
        if (s->hypothesis && find_hypothesis(claim, s->hypothesis) < 0) {
            return refuse(rows, claim,
                          "spoil \"%.200s\" is of the hypothesis %s, which is not there",
                          s->meaning, s->hypothesis);
        }
    }
    return TROP_OK;
}

/* ---- the rest of a row ---- */

static enum trop_status check_inputs(const struct rows *rows, const struct trop_claim *claim)
{
    struct trop_input in;

    for (const struct trop_input *w = claim->words; w && w->name; w++) {
        if (!w->shape || !w->meaning) {
            return refuse(rows, claim, "the word %s has no %s", w->name,
                          w->shape ? "meaning" : "shape: \"\" of a number, or \"(n, d)\"");
        }
    }
    for (int64_t k = 0; trop_claim_input(&in, claim, k); k++) {
        if (strcmp(in.meaning, "?") == 0) {
            return refuse(rows, claim,
                          "the input %.40s is no word that is known: .words says what "
                          "it is",
                          in.name);
        }
    }
    return TROP_OK;
}

static enum trop_status check_functions(const struct rows *rows, const struct trop_claim *claim)
{
    if (!claim->run.draw || !claim->run.conclude) {
        return refuse(rows, claim, "has no function %s", claim->run.draw ? "conclude" : "draw");
    }
    if (claim->table || claim->suppose || claim->published ||
        claim->status == TROP_CLAIM_NEEDS_DATA) {
        return refuse(rows, claim,
                      "table, suppose, published and needs-data are of claims of the papers");
    }
    if (claim->exhibits < 0 || (claim->exhibits > 0 && !claim->exhibit && !claim->exhibited)) {
        return refuse(rows, claim, "has %lld exhibits, and neither .exhibit nor .exhibited",
                      (long long)claim->exhibits);
    }
    if (claim->trials < 0) {
        return refuse(rows, claim, "trials = %lld: must not be negative", (long long)claim->trials);
    }
    return TROP_OK;
}

static enum trop_status check_row(const struct rows *rows, const struct trop_claim *claim)
{
    if (!claim->title || !claim->statement) {
        return refuse(rows, claim, "has no %s", claim->title ? "statement" : "title");
    }
    if (claim->status < 0 || claim->status > TROP_CLAIM_REFUTED || claim->source < 0 ||
        claim->source > TROP_CLAIM_DERIVED) {
        return refuse(rows, claim, "there is no such status or source: %lld, %lld",
                      (long long)claim->status, (long long)claim->source);
    }
    if (claim->repaired && !find(rows, rows->count, claim->repaired)) {
        return refuse(rows, claim, "its repaired form %s is not in this file", claim->repaired);
    }
    enum trop_status status = check_functions(rows, claim);
    if (status == TROP_OK) {
        status = check_inputs(rows, claim);
    }
    if (status == TROP_OK) {
        status = check_hypotheses(rows, claim);
    }
    return status == TROP_OK ? check_spoils(rows, claim) : status;
}

enum trop_status trop_outside_rows(const char *path, const struct trop_claim *const *claims,
                                   int64_t count)
{
    const struct rows rows = { path, claims, count };
    enum trop_status status = TROP_OK;

    if (count < 1) {
        return trop_fail(TROP_ERR_IO, "%s: has no claims", path);
    }
    for (int64_t k = 0; k < count && status == TROP_OK; k++) {
        status = check_id(&rows, k);
    }
    for (int64_t k = 0; k < count && status == TROP_OK; k++) {
        status = check_row(&rows, claims[k]);
    }
    return status;
}
