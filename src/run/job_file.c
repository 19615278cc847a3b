/* job_file.c -- the result of a job as JSON and as files. */
#include "run/job.h"

#include "base/alloc.h"
#include "base/status.h"
#include "io/file.h"
#include "io/h5/h5_fields.h"
#include "io/npy.h"
#include "run/dataset/dataset.h"
#include "run/proof/proof.h"
#include "run/report/report.h"

#define FIELDS_MAX 64

/* ---- JSON ------------------------------------------------------------------------------------ */

static int64_t limit_of(const struct trop_job *job)
{
    return job->print_tokens ? INT64_MAX : TROP_OUT_SHOWN;
}

enum trop_status trop_job_json(const char **out, struct trop_job *job)
{
    struct trop_json json = { 0 };
    struct trop_field shown[FIELDS_MAX];
    char *text = NULL;

    /* The fields that JSON shows: all but arrays of very many numbers. */
    int64_t count = 0;
    for (const struct trop_field *field = trop_job_field_table(job);
         field->name && count < FIELDS_MAX - 1; field++) {
        if (!job->noun->shows || job->noun->shows(job->numbers, field, limit_of(job))) {
            shown[count++] = *field;
        }
    }
    shown[count] = (struct trop_field){ 0 };
    trop_json_open(&json, NULL, '{');
    trop_json_fields(&json, shown, trop_job_result(job), 0);
    /* The tokens are absent, not null, when they are many. */
    struct trop_value tokens = { .kind = TROP_KIND_NUMBERS, .rank = 2 };
    tokens.numbers = job->noun->told_by_a_field ? NULL : trop_job_tokens(tokens.shape, job);
    if (tokens.numbers && tokens.shape[0] * tokens.shape[1] <= limit_of(job)) {
        trop_json_value(&json, "tokens", &tokens);
    }
    if (job->noun->json) {
        job->noun->json(&json, job->numbers, limit_of(job));
    }
    if (!job->noun->bare) {
        trop_kept_json(&job->kept, &json);
        trop_json_fields(&json, trop_stamp_field_table(), &job->stamp, 0);
    }
    trop_json_close(&json, '}');
    enum trop_status status = trop_json_finish(&text, &json);
    if (status != TROP_OK) {
        return status;
    }
    trop_alloc_free(job->json);
    job->json = text;
    *out = text;
    return TROP_OK;
}

/* ---- files ----------------------------------------------------------------------------------- */

enum trop_status trop_job_put(struct trop_h5 *h5, const struct trop_job *job)
{
    struct trop_value seconds = { .kind = TROP_KIND_NUMBER, .number = job->stamp.seconds };
    enum trop_status status = trop_kept_put(&job->kept, h5);

    if (status == TROP_OK && job->dataset) {
        status = trop_dataset_put(h5, TROP_DATASET_KEPT, job->dataset);
    }
    if (status == TROP_OK && job->noun->put) {
        status = job->noun->put(h5, job->numbers);
    }
    return status == TROP_OK ? trop_h5_put(h5, "/clock/seconds", &seconds) : status;
}

/* Of the stamp it is what the numbers of the file do not tell. */
static enum trop_status put_standing(struct trop_h5 *h5, const struct trop_job *job)
{
    struct trop_value standing = { 0 };
    const enum trop_status status = trop_proof_standing(&standing, (void *)job, 0);

    return status == TROP_OK && standing.kind == TROP_KIND_TEXT
               ? trop_h5_put(h5, "/result/standing", &standing)
               : status;
}

enum trop_status trop_job_h5(struct trop_h5 **out, const struct trop_job *job, const char *path)
{
    struct trop_h5 *h5 = NULL;
    enum trop_status status = trop_out_open(&h5, path, job->noun->format);

    if (status == TROP_OK) {
        status = trop_job_put(h5, job);
    }
    if (status == TROP_OK) {
        status = trop_h5_fields(h5, "/result", trop_job_field_table(job), trop_job_result(job));
    }
    if (status == TROP_OK) {
        status = put_standing(h5, job);
    }
    if (status != TROP_OK) {
        trop_h5_abandon(h5);
        return status;
    }
    *out = h5;
    return TROP_OK;
}

enum trop_status trop_job_write(struct trop_job *job, const char *path)
{
    const char *json = NULL;

    if (trop_out_is_h5(path)) {
        struct trop_h5 *h5 = NULL;
        enum trop_status status = trop_job_h5(&h5, job, path);
        return status == TROP_OK ? trop_out_close(h5, status) : status;
    }
    if (trop_out_csv(path)) {
        return trop_job_csv(job, path);
    }
    if (trop_setup_ends(path, ".html")) {
        return job->noun->html ? job->noun->html(job, path) : trop_report_write(job, path);
    }
    if (trop_setup_ends(path, ".npy")) {
        const double *values = NULL;
        int64_t shape[3] = { 0 };
        const int64_t rank = job->noun->tokens(&values, shape, job->numbers);
        return values ? trop_npy_write(path, values, rank, shape)
                      : trop_fail(TROP_ERR_ARG,
                                  "%s: the tokens were not kept; print_tokens keeps them", path);
    }
    enum trop_status status = trop_job_json(&json, job);
    return status == TROP_OK ? trop_out_json(path, job->json) : status;
}

enum trop_status trop_job_prove(int64_t *claims, const struct trop_job *job, const char *path)
{
    const enum trop_status status = trop_proof_check(path, job->noun, job->verb->name);

    return status == TROP_OK ? trop_proof_write(claims, job, path) : status;
}

enum trop_status trop_job_save(struct trop_job *job, const char *path)
{
    if (trop_setup_ends(path, ".html") && !job->noun->bare) {
        const enum trop_status possible = trop_file_check(path);
        return possible == TROP_OK ? trop_job_write(job, path) : possible;
    }
    if (!job->noun->endings[0]) {
        return trop_fail(TROP_ERR_ARG, "%s: its result has no file of its own", job->verb->name);
    }
    enum trop_status status = trop_out_check(path, job->noun->endings);

    status = status == TROP_OK ? trop_job_csv_check(job, path) : status;
    return status == TROP_OK ? trop_job_write(job, path) : status;
}
