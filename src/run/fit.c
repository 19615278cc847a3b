/* fit.c -- the noun of the verb train on sequences: a fit, saved on the way (session.h). */
#include "learn/fit/fit.h"

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/status.h"
#include "run/resume.h"
#include "run/session.h"

#include <stdio.h>
#include <string.h>

/* ---- checkpoints ----------------------------------------------------------------------------- */

struct walk {
    struct trop_h5 *h5;
    uint64_t sum;
};

static enum trop_status put_array(void *context, const char *name, double *numbers,
                                  int64_t *integers, int64_t count)
{
    char path[64];
    const struct trop_value value = {
        .kind = numbers ? TROP_KIND_NUMBERS : TROP_KIND_INTEGERS,
        .numbers = numbers,
        .integers = integers,
        .rank = 1,
        .shape = { count },
        .axes = { "entry" },
    };

    snprintf(path, sizeof path, "/checkpoint/%s", name);
    return trop_h5_put(((struct walk *)context)->h5, path, &value);
}

static enum trop_status wrong_size(const char *name, int64_t found, int64_t wanted)
{
    return trop_fail(TROP_ERR_IO, "/checkpoint/%s has %lld numbers, must have %lld", name,
                     (long long)found, (long long)wanted);
}

static enum trop_status get_array(void *context, const char *name, double *numbers,
                                  int64_t *integers, int64_t count)
{
    struct trop_h5 *h5 = ((struct walk *)context)->h5;
    char path[64];
    struct trop_array array = { 0 };
    int64_t *whole = NULL, found = 0;

    snprintf(path, sizeof path, "/checkpoint/%s", name);
    enum trop_status status =
        numbers ? trop_h5_numbers(&array, h5, path) : trop_h5_integers(&whole, &found, h5, path);
    found = status == TROP_OK && numbers ? trop_array_count(array.rank, array.shape) : found;
    if (status == TROP_OK && found != count) {
        status = wrong_size(name, found, count);
    }
    if (status == TROP_OK && numbers) {
        memcpy(numbers, array.data, (size_t)count * sizeof *numbers);
    } else if (status == TROP_OK) {
        memcpy(integers, whole, (size_t)count * sizeof *integers);
    }
    trop_array_free(&array);
    trop_alloc_free(whole);
    return status;
}

/* A sum over the items: a run goes on with the data that it was begun with. */
static int64_t sum_of_items(const struct trop_sequences *q)
{
    uint64_t sum = trop_checksum_words(0, q->offsets, q->n + 1);

    sum = trop_checksum_words(sum, q->labels, q->n);
    for (int64_t t = 0; q->ids && t < q->offsets[q->n]; t++) {
        const int64_t word = q->ids[t];
        sum = trop_checksum_words(sum, &word, 1);
    }
    for (int64_t t = 0; q->vectors && t < q->offsets[q->n] * q->width; t++) {
        int64_t word;
        memcpy(&word, q->vectors + t, sizeof word);
        sum = trop_checksum_words(sum, &word, 1);
    }
    return (int64_t)sum;
}

static enum trop_status put(struct trop_h5 *h5, void *numbers)
{
    struct trop_fit *fit = numbers;
    struct walk walk = { h5, 0 };
    int64_t sum = sum_of_items(fit->sequences);
    enum trop_status status = put_array(&walk, "items", NULL, &sum, 1);

    return status == TROP_OK ? trop_fit_walk(fit, put_array, &walk) : status;
}

static enum trop_status get(void *numbers, struct trop_h5 *h5)
{
    struct trop_fit *fit = numbers;
    struct walk walk = { h5, 0 };
    int64_t sum = 0;
    enum trop_status status = get_array(&walk, "items", NULL, &sum, 1);

    if (status == TROP_OK && sum != sum_of_items(fit->sequences)) {
        status = trop_fail(TROP_ERR_IO, "%s: the data are not those that the run was started with",
                           trop_h5_path(h5));
    }
    if (status == TROP_OK) {
        status = trop_fit_walk(fit, get_array, &walk);
    }
    return status == TROP_OK ? trop_fit_resume(fit) : status;
}

/* Fold and epoch as one number. */
static enum trop_status age(int64_t *out, struct trop_h5 *h5)
{
    int64_t *counts = NULL, count = 0;
    const enum trop_status status = trop_h5_integers(&counts, &count, h5, "/checkpoint/counts");

    *out = status == TROP_OK && count > 1 ? (counts[0] << 32) + counts[1] + 1 : -1;
    trop_alloc_free(counts);
    return status;
}

/* ---- the noun -------------------------------------------------------------------------------- */

static enum trop_status make(void **out, struct trop_setup *setup)
{
    struct trop_fit *fit = NULL;
    enum trop_status status = trop_fit_create(&fit, trop_setup_fit(setup));

    *out = fit;
    return status;
}

static void release(void *numbers)
{
    trop_fit_free(numbers);
}

static enum trop_status step(int *done, void *numbers, int64_t checkpoint, trop_progress *progress,
                             void *context)
{
    return trop_fit_step(done, numbers, checkpoint, progress, context);
}

static enum trop_status again(struct trop_setup *out, struct trop_setup *setup, struct trop_h5 *h5)
{
    (void)h5;
    out->given_corpus = setup->given_corpus;
    return trop_setup_is_corpus(out)
               ? trop_setup_resolve(out)
               : trop_fail(TROP_ERR_ARG, "data: those of the run were in memory: give them again");
}

const struct trop_session_kind trop_fit_session = {
    .format = "tropism fit checkpoint",
    .changes = "threads, report and time-limit",
    .create = make,
    .free = release,
    .put = put,
    .get = get,
    .age = age,
    .step = step,
    .again = again,
};

static enum trop_status create(void **out, struct trop_setup *setup, struct trop_job *job)
{
    return trop_session_create(out, &trop_fit_session, setup, job);
}

static const void *result(const void *session)
{
    return ((const struct trop_session *)session)->numbers;
}

/* Vectors of words are many. */
static int shows(const void *numbers, const struct trop_field *field, int64_t limit)
{
    const struct trop_fit *fit = ((const struct trop_session *)numbers)->numbers;
    const char *letter = strncmp(field->name, "weights.", 8) == 0 ? field->name + 8 : "";
    const double *values;
    int64_t shape[2];

    for (int64_t k = 0; trop_fit_tensor(&values, shape, fit, k); k++) {
        if (strcmp(trop_fit_tensor(&values, shape, fit, k), letter) == 0) {
            return shape[0] * shape[1] <= limit;
        }
    }
    return 1;
}

const struct trop_noun trop_fit_noun = {
    .format = "tropism fit",
    .endings = { ".h5", ".json", ".html", ".csv" },
    .csv = "splits",
    .check = trop_session_check,
    .create = create,
    .begin = trop_session_begin,
    .free = trop_session_free,
    .run = trop_session_run,
    .end = trop_session_end,
    .fields = trop_fit_field_table,
    .result = result,
    .shows = shows,
    .html = trop_fit_html,
    .notice = trop_session_notice,
    .resumable = trop_session_resumable,
};
