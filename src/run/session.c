/* session.c -- trainings that are saved on the way (session.h). */
#include "run/session.h"

#include "base/alloc.h"
#include "base/status.h"
#include "io/h5/h5_seal.h"
#include "run/layout.h"
#include "run/resume.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PARTS 2

void trop_session_free(void *session)
{
    struct trop_session *s = session;

    trop_parts_close(&s->parts);
    if (s->numbers) {
        s->kind->free(s->numbers);
    }
    trop_alloc_free(s);
}

enum trop_status trop_session_check(struct trop_setup *setup)
{
    const struct trop_job_options *o = trop_setup_job(setup);

    return o->checkpoint > 0 && !(o->out && trop_out_is_h5(o->out))
               ? trop_fail(TROP_ERR_ARG, "checkpoint = %lld: needs an out that ends in .h5",
                           (long long)o->checkpoint)
               : TROP_OK;
}

enum trop_status trop_session_create(void **out, const struct trop_session_kind *kind,
                                     struct trop_setup *setup, struct trop_job *job)
{
    const struct trop_job_options *o = trop_setup_job(setup);
    enum trop_status status = o->resume ? TROP_OK : trop_resume_refuse(job->out);

    if (status != TROP_OK) {
        return status;
    }
    struct trop_session *s = trop_alloc(1, sizeof *s);
    if (!s) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a run");
    }
    s->kind = kind;
    s->job = job;
    s->checkpoint = o->checkpoint;
    status = kind->create(&s->numbers, setup);
    if (status != TROP_OK) {
        trop_session_free(s);
        return status;
    }
    *out = s;
    return TROP_OK;
}

/* ---- checkpoints ----------------------------------------------------------------------------- */

static enum trop_status save(struct trop_session *s)
{
    struct trop_h5 *h5 = NULL;
    enum trop_status status = s->parts.open ? TROP_OK : trop_parts_open(&s->parts, s->job->out);
    char *path = trop_parts_path(s->job->out, s->turn % PARTS + 1);

    if (status == TROP_OK) {
        status = path ? trop_out_open(&h5, path, s->kind->format)
                      : trop_fail(TROP_ERR_MEMORY, "no memory for a checkpoint");
    }
    if (status == TROP_OK) {
        status = trop_job_put(h5, s->job);
        if (status == TROP_OK && s->kind->put) {
            status = s->kind->put(h5, s->numbers);
        }
        if (status == TROP_OK) {
            status = trop_h5_seal(h5);
        }
        status = trop_out_close(h5, status);
    }
    trop_alloc_free(path);
    if (status == TROP_OK) {
        s->turn++;
        s->parts.last = s->turn < PARTS ? s->turn : PARTS;
    }
    return status;
}

/* Part 0 is the result itself, which has no seal. */
static enum trop_status open_part(struct trop_h5 **out, const char *file, int64_t part)
{
    struct trop_h5 *h5 = NULL;
    int sealed = 0;

    if (part > 0) {
        return trop_resume_open(out, &sealed, file, part);
    }
    enum trop_status status = trop_h5_open(&h5, file);
    if (status == TROP_OK) {
        status = trop_layout_check(h5, file);
    }
    if (status != TROP_OK) {
        trop_h5_abandon(h5);
        return status;
    }
    *out = h5;
    return TROP_OK;
}

/* Of a part that is of this kind and can be believed; -1: it cannot. No memory says nothing of a
 * part. */
static enum trop_status age_of(int64_t *age, const struct trop_session_kind *kind, const char *out,
                               int64_t part)
{
    struct trop_h5 *h5 = NULL;
    char *format = NULL;
    int sealed = 0;

    *age = -1;
    enum trop_status status = trop_resume_open(&h5, &sealed, out, part);
    if (status == TROP_OK && !sealed) {
        status = trop_fail(TROP_ERR_IO, "it has no seal");
    }
    if (status == TROP_OK) {
        status = trop_h5_text(&format, h5, "/", "format");
    }
    if (status == TROP_OK && strcmp(format, kind->format) == 0) {
        status = kind->age(age, h5);
    }
    trop_alloc_free(format);
    trop_h5_abandon(h5);
    return status == TROP_ERR_MEMORY ? status : TROP_OK;
}

/* *part 0: there is none. */
static enum trop_status newest(int64_t *part, const struct trop_session_kind *kind, const char *out)
{
    int64_t one = -1, two = -1;
    enum trop_status status = age_of(&one, kind, out, 1);

    if (status == TROP_OK) {
        status = age_of(&two, kind, out, 2);
    }
    *part = one < 0 && two < 0 ? 0 : one > two ? 1 : 2;
    return status;
}

/* Says when the other part is there and cannot be used. */
static enum trop_status tell_of_other(struct trop_session *s, int64_t part)
{
    const int64_t other = PARTS + 1 - part;
    int64_t parts = 0, age = 0;
    enum trop_status status = trop_parts_count(&parts, s->job->out);

    if (status == TROP_OK && parts == PARTS) {
        status = age_of(&age, s->kind, s->job->out, other);
    }
    if (status == TROP_OK && age < 0) {
        snprintf(s->notice, sizeof s->notice,
                 "checkpoint %lld cannot be used, going on from the other (%.300s)",
                 (long long)other, trop_error());
    }
    return status;
}

enum trop_status trop_session_begin(void *session, struct trop_setup *setup)
{
    struct trop_session *s = session;
    struct trop_array seconds = { 0 };
    struct trop_h5 *h5 = NULL;
    int64_t part = 0;

    if (!trop_setup_job(setup)->resume) {
        return TROP_OK;
    }
    enum trop_status status = trop_parts_open(&s->parts, s->job->out);
    if (status == TROP_OK) {
        status = newest(&part, s->kind, s->job->out);
    }
    if (status == TROP_OK) {
        status = open_part(&h5, s->job->out, part);
    }
    if (status == TROP_OK) {
        status = s->kind->get(s->numbers, h5);
    }
    if (status == TROP_OK) {
        status = trop_h5_numbers(&seconds, h5, "/clock/seconds");
    }
    if (status == TROP_OK) {
        s->job->stamp.seconds = seconds.data[0];
        s->turn = part; /* the other one is written next */
        status = tell_of_other(s, part);
    }
    trop_array_free(&seconds);
    trop_h5_abandon(h5);
    return status;
}

/* ---- running --------------------------------------------------------------------------------- */

enum trop_status trop_session_run(void *session, trop_progress *progress, void *context)
{
    struct trop_session *s = session;
    const int64_t stride = s->checkpoint > 0 ? s->checkpoint : INT64_MAX;
    const double start = trop_stamp_now(), before = s->job->stamp.seconds;
    enum trop_status status = TROP_OK;
    int done = 0;

    while (status == TROP_OK && !done) {
        status = s->kind->step(&done, s->numbers, stride, progress, context);
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

void trop_session_end(void *session)
{
    trop_parts_remove(&((struct trop_session *)session)->parts);
}

const char *trop_session_notice(const void *session)
{
    return ((const struct trop_session *)session)->notice;
}

int trop_session_resumable(const void *session)
{
    const struct trop_session *s = session;

    return s->parts.open && s->turn > 0;
}

/* ---- the run again --------------------------------------------------------------------------- */

/* A result that has its state: of a training that is over, which more steps go on with. */
static enum trop_status open_result(struct trop_h5 **h5, const struct trop_session_kind **kind,
                                    const char *out)
{
    struct trop_h5 *file = NULL;
    char *format = NULL;

    *kind = &trop_train_session;
    enum trop_status status =
        trop_out_is_h5(out) ? open_part(&file, out, 0) : trop_resume_missing(out);
    if (status == TROP_OK) {
        status = trop_h5_text(&format, file, "/", "format");
    }
    if (status == TROP_OK &&
        (strcmp(format, (*kind)->result) != 0 || !trop_h5_exists(file, "/checkpoint/state"))) {
        status = trop_resume_missing(out);
    } else if (status != TROP_OK && status != TROP_ERR_MEMORY && access(out, F_OK) != 0) {
        status = trop_resume_missing(out);
    }
    trop_alloc_free(format);
    if (status != TROP_OK) {
        trop_h5_abandon(file);
        return status;
    }
    *h5 = file;
    return TROP_OK;
}

/* The newest checkpoint of out that can be believed, and what it is of; without any, its result. */
static enum trop_status open_newest(struct trop_h5 **h5, const struct trop_session_kind **kind,
                                    const char *out)
{
    static const struct trop_session_kind *const kinds[] = { &trop_train_session,
                                                             &trop_fit_session };
    struct trop_h5 *first = NULL;
    int64_t parts = 0;
    int sealed = 0;

    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        int64_t part = 0;
        enum trop_status status = newest(&part, kinds[k], out);
        if (status != TROP_OK || part > 0) {
            *kind = kinds[k];
            return status == TROP_OK ? trop_resume_open(h5, &sealed, out, part) : status;
        }
    }
    enum trop_status status = trop_parts_count(&parts, out);
    if (status != TROP_OK || parts == 0) {
        return status == TROP_OK ? open_result(h5, kind, out) : status;
    }
    status = trop_resume_open(&first, &sealed, out, 1); /* what is wrong with it */
    trop_h5_abandon(first);
    return trop_fail(TROP_ERR_IO,
                     "%s.parts: no checkpoint of a training run can be used; remove the folder and "
                     "start again (%.300s)",
                     out, status == TROP_OK ? "they are of another verb" : trop_error());
}

/* The options of a checkpoint that are not as they are by default. */
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

/* What came with resume wins over the checkpoint. done: steps of a result. */
static enum trop_status take_over(struct trop_setup *again, struct trop_setup *setup, int64_t done)
{
    const struct trop_job_options *files = trop_setup_job(setup);
    int64_t *steps = &trop_setup_train(again)->steps;

    trop_setup_job(again)->out = trop_setup_job(again)->resume = files->resume;
    trop_setup_job(again)->time_limit = files->time_limit;
    trop_setup_job(again)->report = files->report;
    if (trop_setup_given(setup, "threads")) {
        trop_setup_train(again)->threads = trop_setup_train(setup)->threads;
    }
    const int64_t had = *steps;
    *steps = trop_setup_given(setup, "steps") ? trop_setup_train(setup)->steps : had;
    if (done >= *steps && had == *steps) {
        return trop_fail(TROP_ERR_ARG, "steps = %lld: the run has taken them all; more goes on",
                         (long long)*steps);
    }
    return *steps < had ? trop_fail(TROP_ERR_ARG,
                                    "steps = %lld: the run was to take %lld, must be at least as "
                                    "many",
                                    (long long)*steps, (long long)had)
                        : TROP_OK;
}

enum trop_status trop_session_again(struct trop_setup **out, struct trop_setup *setup)
{
    const char *path = trop_setup_job(setup)->resume;
    const struct trop_session_kind *kind = NULL;
    struct trop_setup *again = NULL;
    struct trop_h5 *h5 = NULL;

    if (!path) {
        return TROP_OK;
    }
    enum trop_status status = open_newest(&h5, &kind, path);
    if (status == TROP_OK) {
        status = trop_resume_alone(setup, kind->steps, kind->changes);
    }
    if (status == TROP_OK) {
        status = trop_resume_version(h5);
    }
    int64_t done = -1;
    if (status == TROP_OK && strcmp(trop_h5_path(h5), path) == 0) {
        status = kind->age(&done, h5);
    }
    if (status == TROP_OK) {
        status = trop_setup_create(&again, "train");
    }
    if (status == TROP_OK) {
        status = read_options(again, h5);
    }
    if (status == TROP_OK) {
        status = take_over(again, setup, done);
    }
    if (status == TROP_OK) {
        status = kind->again(again, setup, h5);
    }
    trop_h5_abandon(h5);
    if (status != TROP_OK) {
        trop_setup_free(again);
        return status;
    }
    *out = again;
    return TROP_OK;
}
