/* claims.c -- the list of claims, for people and programs. */
#include "claim/check.h"

#include "base/alloc.h"
#include "base/field.h"
#include "base/status.h"
#include "run/code.h"
#include "run/verb.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Texts that are composed of parts of a claim. */
struct texts {
    const char **list;
    int64_t count;
};

/* The fields of a claim. */
struct listed {
    struct trop_claim claim; /* a copy: what it points to is static */
    char paper[8];
    const char *kind;
    struct texts hypotheses, inputs, seen;
};

struct trop_claims {
    struct trop_outside *outside; /* of which they are; NULL: of the papers */
    struct listed *list;
    int64_t count;
    char *words; /* of all texts */
    const char **texts;
};

static const char *const papers[] = { "fw", "lm", "afz", "mm", "tf", "md", "sp", NULL };

static void release(void *numbers)
{
    struct trop_claims *claims = numbers;

    if (claims) {
        trop_outside_close(claims->outside);
        trop_alloc_free(claims->list);
        trop_alloc_free(claims->words);
        trop_alloc_free(claims->texts);
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
    enum trop_status checked = check_name("paper", paper, papers);

    return checked == TROP_OK ? check_name("status", status, trop_claim_statuses) : checked;
}

static int is_asked(const struct trop_claim *claim, const char *id, const char *paper,
                    const char *status)
{
    char own[8];

    trop_claim_paper(own, claim);
    return (!id || strcmp(id, claim->id) == 0) && (!paper || strcmp(paper, own) == 0) &&
           (!status || strcmp(status, trop_claim_statuses[claim->status]) == 0);
}

/* ---- texts ---- */

/* Where composed texts are written; with words NULL they are only measured. */
struct room {
    char *words;
    size_t size, used; /* of words, in bytes */
    const char **texts;
    int64_t count;
};

TROP_PRINTF(2, 3) static void add_text(struct room *room, const char *format, ...)
{
    char *at = room->words ? room->words + room->used : NULL;
    va_list arguments;

    va_start(arguments, format);
    const int length = vsnprintf(at, at ? room->size - room->used : 0, format, arguments);
    va_end(arguments);
    if (at) {
        room->texts[room->count] = at;
    }
    room->count++;
    room->used += (size_t)length + 1;
}

static struct texts texts_from(const struct room *room, int64_t first)
{
    return (struct texts){ room->texts ? room->texts + first : NULL, room->count - first };
}

static void add_texts(struct listed *at, struct room *room)
{
    int64_t first = room->count;

    for (const struct trop_hypothesis *h = at->claim.hypotheses; h && h->name; h++) {
        add_text(room, "%s: %s", h->name, h->meaning);
    }
    at->hypotheses = texts_from(room, first);
    first = room->count;
    struct trop_input in;
    for (int64_t k = 0; trop_claim_input(&in, &at->claim, k); k++) {
        add_text(room, "%s%s%s: %s", in.name, in.shape[0] ? " " : "", in.shape, in.meaning);
    }
    at->inputs = texts_from(room, first);
    first = room->count;
    struct trop_spoil s;
    for (int64_t k = 0; trop_claim_spoil(&s, &at->claim, k); k++) {
        add_text(room, "%s%s%s", s.meaning, s.hypothesis ? ": leaves " : ": violates it",
                 s.hypothesis ? s.hypothesis : "");
    }
    at->seen = texts_from(room, first);
}

/* Measured first, then written. */
static enum trop_status write_texts(struct trop_claims *claims)
{
    struct room room = { 0 };

    for (int64_t k = 0; k < claims->count; k++) {
        add_texts(claims->list + k, &room);
    }
    claims->words = trop_alloc((int64_t)room.used, 1);
    claims->texts = trop_alloc(room.count, sizeof *claims->texts);
    if (!claims->words || !claims->texts) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a list of claims");
    }
    room = (struct room){ .words = claims->words, .size = room.used, .texts = claims->texts };
    for (int64_t k = 0; k < claims->count; k++) {
        add_texts(claims->list + k, &room);
    }
    return TROP_OK;
}

/* ---- making ---- */

static const struct trop_claim *claim_at(const struct trop_claims *claims, int64_t k)
{
    return claims->outside ? trop_outside_at(claims->outside, k) : trop_claim_at(k);
}

static enum trop_status fill(struct trop_claims *claims, const char *id, const char *paper,
                             const char *status)
{
    const struct trop_claim *claim = NULL;
    int64_t all = 0;

    while (claim_at(claims, all)) {
        all++;
    }
    claims->list = trop_alloc(all, sizeof *claims->list);
    if (!claims->list) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a list of claims");
    }
    for (int64_t k = 0; (claim = claim_at(claims, k)) != NULL; k++) {
        if (is_asked(claim, id, paper, status)) {
            struct listed *at = claims->list + claims->count++;
            at->claim = *claim;
            at->claim.trials = trop_claim_trials(claim);
            at->kind = trop_claim_kind(claim);
            trop_claim_paper(at->paper, claim);
        }
    }
    return id && claims->count == 0
               ? trop_fail(TROP_ERR_ARG, "%s: is not of this paper and status", id)
               : write_texts(claims);
}

static enum trop_status open_and_fill(struct trop_claims *claims,
                                      const struct trop_claims_options *o)
{
    const struct trop_claim *claim = NULL;
    const char *id = o->claim;
    enum trop_status status =
        trop_code_is_file(o->claim) ? trop_outside_open(&claims->outside, &id, o->claim) : TROP_OK;

    if (status == TROP_OK && id) {
        status = trop_check_find(&claim, claims->outside, id);
    }
    return status == TROP_OK ? fill(claims, id, o->paper, o->status) : status;
}

static enum trop_status create(void **out, struct trop_setup *setup, struct trop_job *job)
{
    const struct trop_claims_options *o = trop_setup_claims(setup);
    enum trop_status status = check_names(o->paper, o->status);

    (void)job;
    if (status != TROP_OK) {
        return status;
    }
    struct trop_claims *claims = trop_alloc(1, sizeof *claims);
    status = claims ? open_and_fill(claims, o)
                    : trop_fail(TROP_ERR_MEMORY, "no memory for a list of claims");
    if (status != TROP_OK) {
        release(claims);
        return status;
    }
    *out = claims;
    return TROP_OK;
}

static const char *notice(const void *numbers)
{
    return trop_outside_notice(((const struct trop_claims *)numbers)->outside);
}

/* ---- fields ---- */

static void give_texts(struct trop_value *out, const void *member)
{
    const struct texts *texts = member;

    *out = (struct trop_value){
        .kind = TROP_KIND_TEXTS,
        .texts = texts->list,
        .rank = 1,
        .shape = { texts->count },
    };
}

static int can_be_checked(const void *handle, int64_t row)
{
    return !trop_claim_needs_data(&((const struct trop_claims *)handle)->list[row].claim);
}

#define ROW(member) TROP_FIELD_THROUGH(struct trop_claims, list, struct listed, member)
#define TEXT(member) .kind = TROP_KIND_TEXT, ROW(member)
static const struct trop_field columns[] = {
    { "id", "paper, kind and label", TEXT(claim.id) },
    { "paper", "fw, lm, afz, mm, tf, md or sp", TEXT(paper), .inside = 1 },
    { "kind", "lemma, proposition, theorem, remark, rate, figure or table", TEXT(kind) },
    { "title", "title of the claim, a few words", TEXT(claim.title) },
    { "statement", "statement of the claim, one sentence", TEXT(claim.statement) },
    { "hypotheses", "hypotheses of the claim: name and meaning of each", ROW(hypotheses),
      .form = give_texts },
    { "status", "proved, conjectured, false-as-printed, refuted, artifact, needs-data or measured",
      TEXT(claim.status), .names = trop_claim_statuses },
    { "source",
      "paper; or derived: our own statement about its model, of a figure or table numbers of an "
      "independent program",
      TEXT(claim.source), .names = trop_claim_sources },
    { "remark", "what is wrong in the printed form, or how we read it; null: nothing",
      ROW(claim.remark), .form = trop_field_said },
    { "repaired", "id of the form that holds; null: none", TEXT(claim.repaired) },
    { "inputs", "parts of an instance, which a person may give", ROW(inputs), .form = give_texts },
    { "seen", "faults that its check is tested to detect", ROW(seen), .form = give_texts },
    { "trials", "instances that check asks for; null: it cannot be checked here",
      .kind = TROP_KIND_INTEGER, ROW(claim.trials), .when = can_be_checked },
    { 0 },
};

static const struct trop_field fields[] = {
    { "claims", "the claims of the papers, an object for each", .kind = TROP_KIND_LIST,
      TROP_FIELD_AT(struct trop_claims, count), .columns = columns },
    { 0 },
};

const struct trop_field *trop_claims_field_table(void)
{
    return fields;
}

const struct trop_noun trop_claims_noun = {
    .create = create,
    .free = release,
    .notice = notice,
    .fields = trop_claims_field_table,
    .bare = 1,
};

/* ---- options ---- */

struct trop_claims_options trop_claims_options_default(void)
{
    return (struct trop_claims_options){ 0 };
}

#define AT(member) #member, offsetof(struct trop_claims_options, member)
static const struct trop_option options[] = {
    { AT(claim), TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "only the one with this id. Or a file of your own claims, ./mine.so or ./mine.so:ID, whose "
      "code is then run",
      "ID", NULL },
    { AT(paper), TROP_TYPE_TEXT, 0, 0, 0, NULL, "only those of fw, lm, afz, mm, tf, md or sp",
      "PAPER", NULL },
    { AT(status), TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "only those proved, conjectured, false-as-printed, refuted, artifact, needs-data or measured",
      "STATUS", NULL },
    { 0 },
};
#undef AT

const struct trop_option *trop_claims_option_table(void)
{
    return options;
}
