/* claims.c -- the list of claims, for people and programs. */
#include "claim/check.h"

#include "base/alloc.h"
#include "base/field.h"
#include "base/status.h"
#include "io/json.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct trop_claims {
    const struct trop_claim **list;
    int64_t count;
    char (*papers)[8];
    char *json;
};

static const char *const papers[] = { "fw", "lm", "afz", "mm", "tf", "md", NULL };

void trop_claims_free(struct trop_claims *claims)
{
    if (claims) {
        trop_alloc_free(claims->list);
        trop_alloc_free(claims->papers);
        trop_alloc_free(claims->json);
        trop_alloc_free(claims);
    }
}

/* Refuses a name that is none of the names, NULL-ended. */
static enum trop_status check_name(const char *option, const char *name, const char *const *names)
{
    char all[128] = "";
    size_t used = 0;

    for (int64_t k = 0; name && names[k]; k++) {
        if (strcmp(names[k], name) == 0) {
            return TROP_OK;
        }
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", k ? ", " : "", names[k]);
    }
    return name ? trop_fail(TROP_ERR_ARG, "%s = %s: must be one of %s", option, name, all)
                : TROP_OK;
}

static enum trop_status check_names(const char *paper, const char *status)
{
    const char *names[TROP_CLAIM_MEASURED + 2] = { NULL };
    enum trop_status checked = check_name("paper", paper, papers);

    for (int64_t k = 0; k <= TROP_CLAIM_MEASURED; k++) {
        names[k] = trop_claim_status_name(k);
    }
    return checked == TROP_OK ? check_name("status", status, names) : checked;
}

static int is_asked(const struct trop_claim *claim, const char *id, const char *paper,
                    const char *status)
{
    char own[8];

    trop_claim_paper(own, claim);
    return (!id || strcmp(id, claim->id) == 0) && (!paper || strcmp(paper, own) == 0) &&
           (!status || strcmp(status, trop_claim_status_name(claim->status)) == 0);
}

static enum trop_status fill(struct trop_claims *claims, const char *id, const char *paper,
                             const char *status)
{
    const int64_t all = trop_claim_count();

    claims->list = trop_alloc(all, sizeof *claims->list);
    claims->papers = trop_alloc(all, sizeof *claims->papers);
    if (!claims->list || !claims->papers) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a list of claims");
    }
    for (int64_t k = 0; k < all; k++) {
        const struct trop_claim *claim = trop_claim_at(k);
        if (is_asked(claim, id, paper, status)) {
            trop_claim_paper(claims->papers[claims->count], claim);
            claims->list[claims->count++] = claim;
        }
    }
    return id && claims->count == 0
               ? trop_fail(TROP_ERR_ARG, "%s: is not of this paper and status", id)
               : TROP_OK;
}

enum trop_status trop_claims_create(struct trop_claims **out, const char *id, const char *paper,
                                    const char *status)
{
    const struct trop_claim *claim = NULL;
    enum trop_status checked = check_names(paper, status);

    if (checked == TROP_OK && id) {
        checked = trop_check_claim(&claim, id);
    }
    if (checked != TROP_OK) {
        return checked;
    }
    struct trop_claims *claims = trop_alloc(1, sizeof *claims);
    checked = claims ? fill(claims, id, paper, status)
                     : trop_fail(TROP_ERR_MEMORY, "no memory for a list of claims");
    if (checked != TROP_OK) {
        trop_claims_free(claims);
        return checked;
    }
    *out = claims;
    return TROP_OK;
}

/* ---- fields ---- */

#define CLAIM (((const struct trop_claims *)handle)->list[row])

TROP_FIELD(read_id)
{
    trop_field_text(out, CLAIM->id);
}

TROP_FIELD(read_paper)
{
    trop_field_text(out, ((const struct trop_claims *)handle)->papers[row]);
}

TROP_FIELD(read_kind)
{
    trop_field_text(out, trop_claim_kind(CLAIM));
}

TROP_FIELD(read_title)
{
    trop_field_text(out, CLAIM->title);
}

TROP_FIELD(read_statement)
{
    trop_field_text(out, CLAIM->statement);
}

TROP_FIELD(read_status)
{
    trop_field_text(out, trop_claim_status_name(CLAIM->status));
}

TROP_FIELD(read_remark)
{
    if (CLAIM->remark[0]) {
        trop_field_text(out, CLAIM->remark);
    }
}

TROP_FIELD(read_repaired)
{
    if (CLAIM->repaired) {
        trop_field_text(out, CLAIM->repaired);
    }
}

/* Texts that a reader puts together, valid until the next one. */
#define TEXTS 32

struct texts {
    char room[8192];
    size_t used;
    const char *list[TEXTS];
    int64_t count;
};

static _Thread_local struct texts texts;

TROP_PRINTF(1, 2) static void add_text(const char *format, ...)
{
    const size_t left = sizeof texts.room - texts.used;
    va_list arguments;

    va_start(arguments, format);
    const int length = vsnprintf(texts.room + texts.used, left, format, arguments);
    va_end(arguments);
    if (texts.count < TEXTS && length >= 0 && (size_t)length < left) {
        texts.list[texts.count++] = texts.room + texts.used;
        texts.used += (size_t)length + 1;
    }
}

static void give_texts(struct trop_value *out)
{
    *out = (struct trop_value){
        .kind = TROP_KIND_TEXTS,
        .texts = texts.list,
        .rank = 1,
        .shape = { texts.count },
    };
}

TROP_FIELD(read_hypotheses)
{
    texts = (struct texts){ 0 };
    for (const struct trop_hypothesis *h = CLAIM->hypotheses; h && h->name; h++) {
        add_text("%s: %s", h->name, h->meaning);
    }
    give_texts(out);
}

TROP_FIELD(read_inputs)
{
    texts = (struct texts){ 0 };
    for (const struct trop_input *in = CLAIM->inputs; in && in->name; in++) {
        add_text("%s%s%s: %s", in->name, in->shape[0] ? " " : "", in->shape, in->meaning);
    }
    give_texts(out);
}

TROP_FIELD(read_seen)
{
    texts = (struct texts){ 0 };
    for (const struct trop_spoil *s = CLAIM->spoils; s && s->meaning; s++) {
        add_text("%s%s%s", s->meaning, s->hypothesis ? ": leaves " : ": violates it",
                 s->hypothesis ? s->hypothesis : "");
    }
    give_texts(out);
}

TROP_FIELD(read_trials)
{
    if (CLAIM->work) {
        trop_field_integer(out, CLAIM->trials);
    }
}

static const struct trop_field columns[] = {
    { "id", "paper, kind and label", read_id, NULL },
    { "paper", "fw, lm, afz, mm, tf or md", read_paper, NULL },
    { "kind", "lemma, proposition, theorem, remark, rate, figure or table", read_kind, NULL },
    { "title", "in a few words", read_title, NULL },
    { "statement", "in one sentence", read_statement, NULL },
    { "hypotheses", "what it assumes: name and meaning of each predicate", read_hypotheses, NULL },
    { "status", "proved, conjectured, false-as-printed, artifact, needs-data or measured",
      read_status, NULL },
    { "remark", "what is wrong as printed, or how it is read; null: nothing", read_remark, NULL },
    { "repaired", "id of the form that holds; null: none", read_repaired, NULL },
    { "inputs", "what an instance has, and may be given", read_inputs, NULL },
    { "seen", "mistakes that its checker is tested to see", read_seen, NULL },
    { "trials", "instances that check asks for; null: it cannot be checked here", read_trials,
      NULL },
    { 0 },
};

TROP_FIELD(read_claims)
{
    (void)row;
    trop_field_list(out, ((const struct trop_claims *)handle)->count);
}

static const struct trop_field fields[] = {
    { "claims", "of the papers", read_claims, columns },
    { 0 },
};

const struct trop_field *trop_claims_field_table(void)
{
    return fields;
}

enum trop_status trop_claims_value(struct trop_value *out, const struct trop_claims *claims,
                                   const char *name)
{
    return trop_field_value(out, fields, claims, name);
}

enum trop_status trop_claims_json(const char **out, struct trop_claims *claims)
{
    char *text = NULL;
    enum trop_status status = trop_json_text(&text, fields, claims);

    if (status == TROP_OK) {
        trop_alloc_free(claims->json);
        claims->json = text;
        *out = text;
    }
    return status;
}
