/* reading.c -- what trained attention says of items that it did not learn from.
 *
 * A text is cut into the words of the corpus of the fit, its unknown ones among them, and goes
 * through the network with the chosen weights. A reading keeps all that is told of it.
 */
#include "base/alloc.h"
#include "base/field.h"
#include "base/status.h"
#include "learn/fit/fit.h"
#include "run/corpus/corpus.h"
#include "run/job.h"

#include <string.h>

struct trop_reading {
    int64_t n, tokens, class_count;
    int64_t outputs;      /* scores of an item: of two classes one */
    const char **classes; /* (class_count) into class_text */
    char *class_text;
    int64_t *offsets;   /* (n + 1) */
    int32_t *ids;       /* (tokens) of texts; NULL: the caller's are read */
    const char **words; /* (tokens) into text; NULL: they have no names */
    char *text;
    double *scores;     /* (n, outputs) */
    double *attention;  /* (tokens) */
    int64_t *predicted; /* (n) */
};

void trop_reading_free(struct trop_reading *r)
{
    if (r) {
        TROP_FREE(r->classes, r->class_text, r->offsets, r->ids, r->words, r->text, r->scores,
                  r->attention, r->predicted, r);
    }
}

static enum trop_status no_memory(const struct trop_reading *r)
{
    return trop_fail(TROP_ERR_MEMORY, "no memory for a reading of %lld items", (long long)r->n);
}

/* ---- making ---------------------------------------------------------------------------------- */

static enum trop_status begin(struct trop_reading **out, const struct trop_job *job, int64_t n)
{
    if (job->noun != &trop_fit_noun) {
        return trop_fail(TROP_ERR_ARG, "%s: items are read by train on texts, images or vectors",
                         job->verb->name);
    }
    if (((const struct trop_fit *)trop_job_result(job))->recorded < 1) {
        return trop_fail(TROP_ERR_ARG, "train: has not run yet");
    }
    if (n < 1) {
        return trop_fail(TROP_ERR_ARG, "items: there must be one at least");
    }
    struct trop_reading *r = trop_alloc(1, sizeof *r);
    if (!r) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a reading");
    }
    r->n = n;
    *out = r;
    return TROP_OK;
}

/* The names outlive the corpus. */
static enum trop_status copy_classes(struct trop_reading *r, const struct trop_corpus *corpus)
{
    int64_t size = 0;

    for (const char *name; (name = trop_corpus_class(corpus, r->class_count)); r->class_count++) {
        size += (int64_t)strlen(name) + 1;
    }
    if (!TROP_ALLOC(TROP_PART(r->classes, r->class_count), TROP_PART(r->class_text, size))) {
        return no_memory(r);
    }
    char *at = r->class_text;
    for (int64_t k = 0; k < r->class_count; k++) {
        r->classes[k] = at;
        at = stpcpy(at, trop_corpus_class(corpus, k)) + 1;
    }
    r->outputs = r->class_count > 2 ? r->class_count : 1;
    return TROP_OK;
}

/* Scores, weights and classes of items whose offsets are known. */
static enum trop_status predict(struct trop_reading *r, struct trop_job *job,
                                const struct trop_sequences *items)
{
    enum trop_status status = copy_classes(r, job->learnt);

    if (status != TROP_OK) {
        return status;
    }
    r->tokens = items->offsets[r->n];
    if (!TROP_ALLOC(TROP_PART(r->scores, r->n * r->outputs), TROP_PART(r->attention, r->tokens),
                    TROP_PART(r->predicted, r->n))) {
        return no_memory(r);
    }
    status = trop_fit_predict(r->scores, r->attention, trop_job_result(job), items);
    for (int64_t i = 0; i < r->n && status == TROP_OK; i++) {
        const double *f = r->scores + i * r->outputs;
        r->predicted[i] = r->outputs == 1 && f[0] > 0;
        for (int64_t k = 1; k < r->outputs; k++) {
            r->predicted[i] = f[k] > f[r->predicted[i]] ? k : r->predicted[i];
        }
    }
    return status;
}

static enum trop_status end(struct trop_reading **out, struct trop_reading *r,
                            enum trop_status status)
{
    if (status != TROP_OK) {
        trop_reading_free(r);
        return status;
    }
    *out = r;
    return TROP_OK;
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* Cuts every text, twice: first to count the tokens and the bytes of their words. */
static enum trop_status cut(struct trop_reading *r, struct trop_corpus *corpus,
                            const char *const *texts, int64_t *bytes)
{
    char *at = r->text;

    *bytes = 0;
    for (int64_t i = 0; i < r->n; i++) {
        const int32_t *ids;
        const char *const *words;
        int64_t count;
        enum trop_status status = trop_corpus_encode(&ids, &words, &count, corpus, texts[i]);
        if (status != TROP_OK) {
            return trop_fail(status, "item %lld: %s", (long long)i, trop_error());
        }
        r->offsets[i + 1] = r->offsets[i] + count;
        for (int64_t t = 0; t < count; t++) {
            *bytes += (int64_t)strlen(words[t]) + 1;
            if (r->text) {
                r->ids[r->offsets[i] + t] = ids[t];
                r->words[r->offsets[i] + t] = at;
                at = stpcpy(at, words[t]) + 1;
            }
        }
    }
    return TROP_OK;
}

static enum trop_status read_texts(struct trop_reading *r, struct trop_job *job,
                                   const char *const *texts)
{
    int64_t bytes = 0;

    if (!TROP_ALLOC(TROP_PART(r->offsets, r->n + 1))) {
        return no_memory(r);
    }
    enum trop_status status = cut(r, job->learnt, texts, &bytes);
    if (status == TROP_OK &&
        !TROP_ALLOC(TROP_PART(r->ids, r->offsets[r->n]), TROP_PART(r->words, r->offsets[r->n]),
                    TROP_PART(r->text, bytes))) {
        status = no_memory(r);
    }
    if (status == TROP_OK) {
        status = cut(r, job->learnt, texts, &bytes);
    }
    const struct trop_sequences items = { .n = r->n, .offsets = r->offsets, .ids = r->ids };
    return status == TROP_OK ? predict(r, job, &items) : status;
}

enum trop_status trop_reading_create_texts(struct trop_reading **out, struct trop_job *job,
                                           const char *const *texts, int64_t n)
{
    struct trop_reading *r = NULL;
    enum trop_status status = begin(&r, job, n);

    return status == TROP_OK ? end(out, r, read_texts(r, job, texts)) : status;
}

/* ---- a corpus -------------------------------------------------------------------------------- */

static enum trop_status read_numbers(struct trop_reading *r, struct trop_job *job,
                                     const struct trop_sequences *items)
{
    if (!TROP_ALLOC(TROP_PART(r->offsets, r->n + 1))) {
        return no_memory(r);
    }
    memcpy(r->offsets, items->offsets, (size_t)(r->n + 1) * sizeof *r->offsets);
    return predict(r, job, items);
}

static enum trop_status read_own_texts(struct trop_reading *r, struct trop_job *job,
                                       const struct trop_corpus *corpus)
{
    const char **texts = trop_alloc(r->n, sizeof *texts);

    if (!texts) {
        return no_memory(r);
    }
    for (int64_t i = 0; i < r->n; i++) {
        texts[i] = trop_corpus_text(corpus, i);
    }
    enum trop_status status = read_texts(r, job, texts);
    trop_alloc_free(texts);
    return status;
}

enum trop_status trop_reading_create(struct trop_reading **out, struct trop_job *job,
                                     const struct trop_corpus *corpus)
{
    struct trop_reading *r = NULL;
    const struct trop_sequences *items = trop_corpus_sequences(corpus);
    enum trop_status status = begin(&r, job, items->n);

    if (status != TROP_OK) {
        return status;
    }
    return end(out, r,
               trop_corpus_text(corpus, 0) ? read_own_texts(r, job, corpus)
                                           : read_numbers(r, job, items));
}

/* ---- telling --------------------------------------------------------------------------------- */

static void give_texts(struct trop_value *out, const char **texts, int64_t count, const char *axis)
{
    if (texts) {
        *out = (struct trop_value){
            .kind = TROP_KIND_TEXTS,
            .texts = texts,
            .rank = 1,
            .shape = { count },
            .axes = { axis },
        };
    }
}

TROP_FIELD_READ(classes)
{
    const struct trop_reading *r = handle;

    (void)row;
    give_texts(out, r->classes, r->class_count, "class");
    return TROP_OK;
}

TROP_FIELD_READ(scores)
{
    const struct trop_reading *r = handle;

    (void)row;
    if (r->outputs > 1) {
        trop_field_table_of(out, r->scores, r->n, r->outputs, "item", "class");
    } else {
        trop_field_numbers(out, r->scores, r->n, "item");
    }
    return TROP_OK;
}

TROP_FIELD_READ(offsets)
{
    const struct trop_reading *r = handle;

    (void)row;
    trop_field_integers(out, r->offsets, r->n + 1, "item");
    return TROP_OK;
}

TROP_FIELD_READ(words)
{
    const struct trop_reading *r = handle;

    (void)row;
    give_texts(out, r->words, r->tokens, "token");
    return TROP_OK;
}

#define AT(member) TROP_FIELD_AT(struct trop_reading, member)
#define OF(axis, count) .axes = { { axis, 0, offsetof(struct trop_reading, count) } }
static const struct trop_field table[] = {
    { "items", "how many", .kind = TROP_KIND_INTEGER, AT(n) },
    { "classes", "their names", .read = classes },
    { "predicted", "class of each item", .kind = TROP_KIND_INTEGERS, AT(predicted), OF("item", n) },
    { "scores", "of each item: of two classes one number, above 0 for class 1; else one a class",
      .read = scores },
    { "offsets", "tokens of item i are those from offsets[i] to offsets[i + 1] - 1",
      .read = offsets },
    { "words", "the tokens, unknown ones as they are written in the text; null: no names",
      .read = words },
    { "attention", "what each token gets, the mean over heads and queries; 1 in all for an item",
      .kind = TROP_KIND_NUMBERS, AT(attention), OF("token", tokens) },
    { 0 },
};

const struct trop_field *trop_reading_field_table(void)
{
    return table;
}

enum trop_status trop_reading_value(struct trop_value *out, const struct trop_reading *reading,
                                    const char *name)
{
    return trop_field_value(out, table, reading, name);
}
