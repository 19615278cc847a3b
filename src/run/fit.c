/* fit.c -- the noun of the verb train on sequences: a fit, saved on the way.
 *
 * A checkpoint is the whole state at the end of an epoch. Two are kept, written in turn, so that
 * one is whole whenever the other is being written; the newer of those that can be believed is gone
 * on from, and the run then takes the way that it would have taken (docs/files.md).
 */
#include "learn/fit/fit.h"

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/status.h"
#include "io/h5/h5_seal.h"
#include "run/job.h"
#include "run/parts.h"
#include "run/resume.h"

#include <stdio.h>
#include <string.h>

#define FORMAT "tropism fit checkpoint"
#define PARTS 2

struct session {
    struct trop_job *job;
    struct trop_fit *fit;
    struct trop_parts parts;
    int64_t checkpoint; /* epochs from one to the next; 0: none */
    int64_t turn;       /* checkpoints that were written */
};

static void release(void *numbers)
{
    struct session *s = numbers;

    trop_parts_close(&s->parts);
    trop_fit_free(s->fit);
    trop_alloc_free(s);
}

static enum trop_status check(struct trop_setup *setup)
{
    const struct trop_job_options *o = trop_setup_job(setup);

    return o->checkpoint > 0 && !(o->out && trop_out_is_h5(o->out))
               ? trop_fail(TROP_ERR_ARG, "checkpoint = %lld: needs an out that ends in .h5",
                           (long long)o->checkpoint)
               : TROP_OK;
}

static enum trop_status create(void **out, struct trop_setup *setup, struct trop_job *job)
{
    const struct trop_job_options *o = trop_setup_job(setup);
    enum trop_status status = o->resume ? TROP_OK : trop_resume_refuse(job->out);

    if (status != TROP_OK) {
        return status;
    }
    struct session *s = trop_alloc(1, sizeof *s);
    if (!s) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a run");
    }
    s->job = job;
    s->checkpoint = o->checkpoint;
    status = trop_fit_create(&s->fit, trop_setup_fit(setup));
    if (status != TROP_OK) {
        release(s);
        return status;
    }
    *out = s;
    return TROP_OK;
}

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

static enum trop_status save(struct session *s)
{
    struct walk walk = { NULL, 0 };
    enum trop_status status = s->parts.open ? TROP_OK : trop_parts_open(&s->parts, s->job->out);
    char *path = trop_parts_path(s->job->out, s->turn % PARTS + 1);

    if (status == TROP_OK) {
        status = path ? trop_out_open(&walk.h5, path, FORMAT)
                      : trop_fail(TROP_ERR_MEMORY, "no memory for a checkpoint");
    }
    if (status == TROP_OK) {
        int64_t sum = sum_of_items(s->fit->sequences);
        status = trop_job_put(walk.h5, s->job);
        if (status == TROP_OK) {
            status = put_array(&walk, "items", NULL, &sum, 1);
        }
        if (status == TROP_OK) {
            status = trop_fit_walk(s->fit, put_array, &walk);
        }
        if (status == TROP_OK) {
            status = trop_h5_seal(walk.h5);
        }
        status = trop_out_close(walk.h5, status);
    }
    trop_alloc_free(path);
    if (status == TROP_OK) {
        s->turn++;
        s->parts.last = s->turn < PARTS ? s->turn : PARTS;
    }
    return status;
}

/* fold and epoch of a part that can be believed, as one number; -1: it cannot. */
static int64_t age_of(const char *out, int64_t part)
{
    struct trop_h5 *h5 = NULL;
    int sealed = 0;
    int64_t *counts = NULL, count = 0, age = -1;

    if (trop_resume_open(&h5, &sealed, out, part) == TROP_OK && sealed &&
        trop_h5_integers(&counts, &count, h5, "/checkpoint/counts") == TROP_OK && count > 1) {
        age = (counts[0] << 32) + counts[1] + 1;
    }
    trop_alloc_free(counts);
    trop_h5_abandon(h5);
    return age;
}

static int64_t newest(const char *out)
{
    const int64_t one = age_of(out, 1), two = age_of(out, 2);

    return one < 0 && two < 0 ? 0 : one > two ? 1 : 2;
}

static enum trop_status load(struct session *s)
{
    struct walk walk = { NULL, 0 };
    const int64_t part = newest(s->job->out);
    int sealed = 0;
    int64_t sum = 0;
    enum trop_status status = trop_parts_open(&s->parts, s->job->out);

    if (status == TROP_OK) {
        status = trop_resume_open(&walk.h5, &sealed, s->job->out, part);
    }
    if (status == TROP_OK) {
        status = get_array(&walk, "items", NULL, &sum, 1);
    }
    if (status == TROP_OK && sum != sum_of_items(s->fit->sequences)) {
        status = trop_fail(TROP_ERR_IO, "%s: the data are not those that the run was begun with",
                           s->job->out);
    }
    if (status == TROP_OK) {
        status = trop_fit_walk(s->fit, get_array, &walk);
    }
    struct trop_array seconds = { 0 };
    if (status == TROP_OK) {
        status = trop_h5_numbers(&seconds, walk.h5, "/clock/seconds");
    }
    if (status == TROP_OK) {
        s->job->stamp.seconds = seconds.data[0];
        s->turn = part; /* the other one is written next */
        status = trop_fit_resume(s->fit);
    }
    trop_array_free(&seconds);
    trop_h5_abandon(walk.h5);
    return status;
}

static enum trop_status begin(void *numbers, struct trop_setup *setup)
{
    return trop_setup_job(setup)->resume ? load(numbers) : TROP_OK;
}

/* ---- running --------------------------------------------------------------------------------- */

static enum trop_status go(void *numbers, trop_progress *progress, void *context)
{
    struct session *s = numbers;
    const int64_t stride = s->checkpoint > 0 ? s->checkpoint : INT64_MAX;
    const double start = trop_stamp_now(), before = s->job->stamp.seconds;
    enum trop_status status = TROP_OK;
    int done = 0;

    while (status == TROP_OK && !done) {
        status = trop_fit_step(&done, s->fit, stride, progress, context);
        s->job->stamp.seconds = before + (trop_stamp_now() - start);
        const int stopped =
            status == TROP_ERR_STOPPED && s->job->out && trop_out_is_h5(s->job->out);
        if ((status == TROP_OK && !done) || stopped) {
            char sentence[256];
            snprintf(sentence, sizeof sentence, "%s", trop_error());
            const enum trop_status saved = save(s);
            status = saved != TROP_OK ? saved
                     : stopped        ? trop_fail(TROP_ERR_STOPPED, "%s", sentence)
                                      : TROP_OK;
        }
    }
    return status;
}

static void end(void *numbers)
{
    trop_parts_remove(&((struct session *)numbers)->parts);
}

static const void *result(const void *numbers)
{
    return ((const struct session *)numbers)->fit;
}

/* Vectors of words are many. */
static int shows(const void *numbers, const struct trop_field *field, int64_t limit)
{
    const struct trop_fit *fit = ((const struct session *)numbers)->fit;
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

static int resumable(const void *numbers)
{
    const struct session *s = numbers;

    return s->parts.open && s->turn > 0;
}

/* ---- the run again --------------------------------------------------------------------------- */

/* Options that differ from their defaults, from a part. */
static enum trop_status read_options(struct trop_setup *setup, struct trop_h5 *h5)
{
    enum trop_status status = TROP_OK;

    for (int64_t p = 0; p < setup->count; p++) {
        const struct trop_option *o = setup->parts[p].table;
        for (; o->name && status == TROP_OK; o++) {
            status = trop_resume_option(setup, h5, o);
        }
    }
    return status == TROP_ERR_ARG ? trop_fail(TROP_ERR_IO, "%s", trop_error()) : status;
}

enum trop_status trop_fit_again(struct trop_setup **out, struct trop_setup *setup)
{
    const char *path = trop_setup_job(setup)->resume;
    struct trop_setup *again = NULL;
    struct trop_h5 *h5 = NULL;
    int sealed = 0;

    if (!path) {
        return TROP_OK;
    }
    enum trop_status status = trop_resume_alone(setup);
    const int64_t part = status == TROP_OK ? newest(path) : 0;
    if (status == TROP_OK && part == 0) {
        status = trop_resume_missing(path);
    }
    if (status == TROP_OK) {
        status = trop_setup_create(&again, "train");
    }
    if (status == TROP_OK) {
        status = trop_resume_open(&h5, &sealed, path, part);
    }
    if (status == TROP_OK) {
        status = trop_resume_version(h5);
    }
    if (status == TROP_OK) {
        again->given_corpus = setup->given_corpus;
        status = read_options(again, h5);
    }
    trop_h5_abandon(h5);
    if (status == TROP_OK && !trop_setup_is_corpus(again)) {
        status = trop_fail(TROP_ERR_ARG, "data: those of the run were in memory: give them again");
    }
    if (status == TROP_OK) {
        const struct trop_job_options *files = trop_setup_job(setup);
        trop_setup_job(again)->out = trop_setup_job(again)->resume = files->resume;
        trop_setup_job(again)->time_limit = files->time_limit;
        if (trop_setup_given(setup, "threads")) {
            trop_setup_train(again)->threads = trop_setup_train(setup)->threads;
        }
        status = trop_setup_resolve(again);
    }
    if (status != TROP_OK) {
        trop_setup_free(again);
        return status;
    }
    *out = again;
    return TROP_OK;
}

const struct trop_noun trop_fit_noun = {
    .format = "tropism fit",
    .endings = { ".h5", ".json", ".html" },
    .check = check,
    .create = create,
    .begin = begin,
    .free = release,
    .run = go,
    .end = end,
    .fields = trop_fit_field_table,
    .result = result,
    .shows = shows,
    .html = trop_fit_html,
    .resumable = resumable,
};
