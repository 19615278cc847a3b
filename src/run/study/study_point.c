/* study_point.c -- one point of a study: a job of its verb, and what is kept of its result. */
#include "run/study/study_work.h"

#include "base/alloc.h"
#include "base/field.h"
#include "base/status.h"
#include "run/job.h"
#include "run/proof/proof.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define RECORD "record."

/* ---- options ----------------------------------------------------------------------------------
 */

static enum trop_status set_axes(struct trop_setup *setup, const struct trop_study_spec *spec,
                                 int64_t point)
{
    char room[TROP_STUDY_NUMBER];
    enum trop_status status = TROP_OK;

    for (int64_t a = 0; a < spec->axes_count && status == TROP_OK; a++) {
        const int64_t value = trop_study_spec_place(spec, a, point);
        for (int64_t k = 0; k < spec->axes[a].width && status == TROP_OK; k++) {
            status = trop_setup_set(setup, spec->axes[a].names[k],
                                    trop_study_spec_value(room, spec->axes + a, k, value));
        }
    }
    return status;
}

enum trop_status trop_study_point_setup(struct trop_setup **out, const struct trop_study_spec *spec,
                                        int64_t point, int64_t threads)
{
    struct trop_setup *setup = NULL;
    struct trop_setup_place place;
    char text[32];
    enum trop_status status = trop_setup_create(&setup, spec->verb);

    for (int64_t k = 0; k < spec->fixed_count && status == TROP_OK; k++) {
        status = trop_setup_set(setup, spec->fixed[2 * k], spec->fixed[2 * k + 1]);
    }
    if (status == TROP_OK) {
        status = set_axes(setup, spec, point);
    }
    snprintf(text, sizeof text, "%lld", (long long)threads);
    if (status == TROP_OK && trop_setup_find(&place, setup, "threads")) {
        status = trop_setup_set(setup, "threads", text);
    }
    if (status == TROP_OK && trop_setup_find(&place, setup, "counterexample")) {
        status = trop_setup_set(setup, "counterexample", "none");
    }
    if (status != TROP_OK) {
        trop_setup_free(setup);
        return status;
    }
    *out = setup;
    return TROP_OK;
}

/* ---- results ----------------------------------------------------------------------------------
 */

static const struct trop_field *find(const struct trop_field *table, const char *name,
                                     size_t length)
{
    for (const struct trop_field *field = table; field && field->name; field++) {
        if (strncmp(field->name, name, length) == 0 && !field->name[length]) {
            return field;
        }
    }
    return NULL;
}

/* A column of a list as an array: of numbers, or of texts when one of them is a text. */
static enum trop_status column(struct trop_value *out, void **scratch,
                               const struct trop_field *list, const char *name, const void *handle)
{
    const struct trop_field *field = find(list->columns, name, strlen(name));
    struct trop_value rows, cell;
    enum trop_status status = trop_field_read(&rows, list, handle, 0);
    int is_text = 0;

    if (status != TROP_OK || rows.kind != TROP_KIND_LIST || !field) {
        return status;
    }
    trop_alloc_free(*scratch);
    *scratch = trop_alloc(rows.shape[0], 8);
    if (!*scratch) {
        return trop_fail(TROP_ERR_MEMORY, "%s: no memory for its rows", list->name);
    }
    double *numbers = *scratch;
    const char **texts = *scratch;
    for (int64_t row = 0; row < rows.shape[0] && status == TROP_OK; row++) {
        status = trop_field_read(&cell, field, handle, row);
        if (status == TROP_OK && row == 0) {
            is_text = cell.kind == TROP_KIND_TEXT;
        }
        if (status == TROP_OK && is_text) {
            texts[row] = cell.kind == TROP_KIND_TEXT ? cell.text : "";
        } else if (status == TROP_OK) {
            numbers[row] = cell.kind == TROP_KIND_NUMBER ? cell.number
                           : cell.kind == TROP_KIND_INTEGER || cell.kind == TROP_KIND_BOOLEAN
                               ? (double)cell.integer
                               : (double)NAN;
        }
    }
    *out = (struct trop_value){ .kind = is_text ? TROP_KIND_TEXTS : TROP_KIND_NUMBERS,
                                .numbers = numbers,
                                .texts = texts,
                                .rank = 1,
                                .shape = { rows.shape[0] } };
    return status;
}

static enum trop_status one(struct trop_value *out, void **scratch,
                            const struct trop_study_worker *worker, const char *name,
                            const struct trop_field *table, const void *handle,
                            const struct trop_job *job)
{
    const char *slash = strchr(name, '/'), *recorded;

    *out = (struct trop_value){ 0 };
    if (strncmp(name, RECORD, strlen(RECORD)) == 0) {
        struct trop_value value = { 0 };
        if (worker->record) {
            return trop_copies_record_one(out, scratch, worker->record, worker->copy,
                                          name + strlen(RECORD));
        }
        for (int64_t k = 0; job && (recorded = trop_job_record(&value, job, k)); k++) {
            if (strcmp(recorded, name + strlen(RECORD)) == 0) {
                *out = value;
                return TROP_OK;
            }
        }
        return TROP_OK;
    }
    const struct trop_field *field =
        find(table, name, slash ? (size_t)(slash - name) : strlen(name));
    if (!field && strcmp(name, "standing") == 0 && job) {
        return trop_proof_standing(out, (void *)job, 0);
    }
    if (!field) { /* of another table than the verb's usual one */
        return TROP_OK;
    }
    return slash ? column(out, scratch, field, slash + 1, handle)
                 : trop_field_read(out, field, handle, 0);
}

enum trop_status trop_study_point_values(struct trop_study_worker *worker,
                                         const struct trop_field *table, const void *handle,
                                         const struct trop_job *job)
{
    const struct trop_study_spec *spec = worker->work->spec;
    enum trop_status status = TROP_OK;

    for (int64_t k = 0; k < spec->keep_count && status == TROP_OK; k++) {
        status =
            one(worker->values + k, worker->scratch + k, worker, spec->keep[k], table, handle, job);
        /* What a field is, some say only when they are read. */
        if (worker->values[k].kind == TROP_KIND_LIST ||
            (spec->keeps_all && worker->values[k].rank > 0)) {
            worker->values[k] = (struct trop_value){ 0 };
        }
    }
    return status;
}

void trop_study_point_release(struct trop_study_worker *worker)
{
    for (int64_t k = 0; worker->scratch && k < worker->work->spec->keep_count; k++) {
        trop_alloc_free(worker->scratch[k]);
    }
    TROP_FREE(worker->scratch, worker->values, worker->points, worker->over, worker->member,
              worker->numbers, worker->seeds);
}

/* ---- the job ----------------------------------------------------------------------------------
 */

static int watch(void *context, int64_t done, int64_t total)
{
    struct trop_study_worker *worker = context;

    (void)done;
    (void)total;
    worker->is_late = trop_stamp_now() >= worker->limit_at;
    return trop_study_work_stopped(worker) || worker->is_late;
}

static enum trop_status make(struct trop_job **out, struct trop_study_worker *worker, int64_t point)
{
    struct trop_study_work *work = worker->work;
    struct trop_setup *setup = NULL;

    if (work->reads_h5) {
        pthread_mutex_lock(&work->h5);
    }
    enum trop_status status = trop_study_point_setup(&setup, work->spec, point, work->threads);
    if (status == TROP_OK) {
        setup->proves = work->proof_dir != NULL;
        status = trop_job_create(out, setup);
    }
    trop_setup_free(setup);
    if (work->reads_h5) {
        pthread_mutex_unlock(&work->h5);
    }
    return status;
}

void trop_study_point_run(struct trop_study_worker *worker, int64_t point)
{
    struct trop_study_work *work = worker->work;
    struct trop_study_record record = { .point = point, .sentence = "" };
    struct trop_job *job = NULL;
    char sentence[512];

    worker->limit_at =
        work->point_limit > 0 ? trop_stamp_now() + work->point_limit : (double)INFINITY;
    worker->is_late = 0;
    enum trop_status status = make(&job, worker, point);
    if (status == TROP_OK) {
        status = trop_job_run(job, watch, worker);
        if (status == TROP_ERR_STOPPED && atomic_load(&work->stop)) {
            trop_job_free(job); /* nobody's fault: it is computed another time */
            return;
        }
    }
    if (status != TROP_OK) {
        snprintf(sentence, sizeof sentence, "%s", trop_error());
        record.sentence = sentence;
        record.status = status;
        record.state = TROP_STUDY_FAILED;
    }
    if (status == TROP_ERR_STOPPED && worker->is_late) {
        snprintf(sentence, sizeof sentence, "left after %g seconds, the limit of a point",
                 work->point_limit);
        record.state = TROP_STUDY_LATE;
        record.limit = work->point_limit;
    } else if (status == TROP_OK || status == TROP_ERR_STOPPED) {
        /* A solver that came to no end has a result that says so. */
        const enum trop_status read =
            trop_study_point_values(worker, trop_job_field_table(job), trop_job_result(job), job);
        record.state = read == TROP_OK ? TROP_STUDY_DONE : TROP_STUDY_FAILED;
        record.values = read == TROP_OK ? worker->values : NULL;
        if (read != TROP_OK) {
            snprintf(sentence, sizeof sentence, "%s", trop_error());
            record.sentence = sentence;
            record.status = read;
        }
    }
    const enum trop_status proved =
        record.state == TROP_STUDY_DONE ? trop_study_proof_put(&record, work, job) : TROP_OK;
    if (proved != TROP_OK) { /* a file that could not be written: no fault of the point */
        trop_study_work_fail(worker, proved);
        trop_job_free(job);
        return;
    }
    trop_study_work_take(worker, &record);
    trop_job_free(job);
}
