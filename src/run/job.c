/* job.c -- the one runner: a verb with its options, from its files to its result.
 *
 * What is computed is the noun of the verb (verb.h). A job reads every file that the options name
 * and refuses what cannot work before anything is computed; computes; writes the file of the result
 * and keeps it for readers. The layout of the file is that of docs/files.md.
 */
#include "run/job.h"

#include "base/alloc.h"
#include "base/field.h"
#include "base/status.h"
#include "io/file.h"
#include "run/dataset/dataset.h"
#include "run/proof/proof.h"
#include "run/report/report.h"
#include "run/watch.h"

#include <stdio.h>
#include <string.h>

/* ---- making ---------------------------------------------------------------------------------- */

void trop_job_free(struct trop_job *job)
{
    if (!job) {
        return;
    }
    if (job->noun && job->numbers) {
        job->noun->free(job->numbers);
    }
    trop_kept_close(&job->kept);
    trop_dataset_free(job->dataset);
    trop_corpus_free(job->corpus);
    TROP_FREE(job->json, job->out, job->report, job->proof, job->call.text, job);
}

const struct trop_noun *trop_job_noun(struct trop_setup *setup)
{
    const struct trop_noun *other = setup->verb->other ? setup->verb->other(setup) : NULL;

    return other ? other : setup->verb->noun;
}

/* A member of the options, whatever struct it is in; NULL: the verb has no such option. */
static const void *member_of(const struct trop_setup *setup, const char *name)
{
    struct trop_setup_place place;

    return trop_setup_find(&place, setup, name) ? place.member : NULL;
}

/* The file of the result, where it is a file and not a folder. */
static const char *out_of(const struct trop_setup *setup, const struct trop_noun *noun)
{
    const char *const *out = member_of(setup, "out");

    return out && noun->endings[0] ? *out : NULL;
}

/* A file that stands beside that of the result: report, proof. (That of a study is a flag.) */
static const char *file_of(const struct trop_setup *setup, const char *option)
{
    struct trop_setup_place place;
    const int is_file =
        trop_setup_find(&place, setup, option) && place.option->type == TROP_TYPE_TEXT;

    return is_file ? *(const char *const *)place.member : NULL;
}

static enum trop_status check_report(const char *report, const char *out)
{
    if (!report) {
        return TROP_OK;
    }
    if (!trop_setup_ends(report, ".html")) {
        return trop_fail(TROP_ERR_ARG, "report = %s: must end in .html", report);
    }
    if (out && trop_out_is_same(report, out)) {
        return trop_fail(TROP_ERR_ARG, "out and report: %s is one file, must be two", out);
    }
    return trop_file_check(report);
}

static enum trop_status check_beside(const struct trop_setup *setup, const struct trop_noun *noun)
{
    const char *out = out_of(setup, noun), *proof = file_of(setup, "proof");
    const enum trop_status status = check_report(file_of(setup, "report"), out);

    if (status == TROP_OK && proof && out && trop_out_is_same(proof, out)) {
        return trop_fail(TROP_ERR_ARG, "out and proof: %s is one file, must be two", out);
    }
    return status == TROP_OK ? trop_proof_check(proof, noun, setup->verb->name) : status;
}

/* Everything that can be refused before anything is computed. */
static enum trop_status read_files(struct trop_setup *setup, const struct trop_noun *noun)
{
    const char *out = out_of(setup, noun);
    enum trop_status status = TROP_OK;

    if (setup->count > 1) { /* the numbers, which come last, check their own */
        status = trop_option_check(setup->parts[0].options, setup->parts[0].table);
    }
    if (status == TROP_OK) {
        status = trop_out_check(out, noun->endings);
    }
    if (status == TROP_OK) {
        status = trop_setup_outputs(setup);
    }
    if (status == TROP_OK) {
        status = trop_setup_apply(setup, 0);
    }
    if (status == TROP_OK && noun->check) {
        status = noun->check(setup);
    }
    if (status == TROP_OK) {
        status = trop_setup_resolve(setup);
    }
    if (status == TROP_OK) {
        status = trop_setup_apply(setup, 1);
    }
    if (status == TROP_OK) {
        trop_setup_settle(setup);
    }
    if (status == TROP_OK && out) {
        status = trop_file_check(out);
    }
    return status == TROP_OK ? check_beside(setup, noun) : status;
}

enum trop_status trop_job_read(struct trop_setup *setup)
{
    return read_files(setup, trop_job_noun(setup));
}

/* Of its files and of its numbers. */
static void notice_of(struct trop_job *job, const struct trop_setup *setup)
{
    const char *numbers = job->noun->notice ? job->noun->notice(job->numbers) : "";

    snprintf(job->notice, sizeof job->notice, "%s%s%s", setup->notice,
             setup->notice[0] && numbers[0] ? "; " : "", numbers);
}

static enum trop_status make(struct trop_job **out, struct trop_setup *setup)
{
    struct trop_job *job = trop_alloc(1, sizeof *job);

    if (!job) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for the verb %s", setup->verb->name);
    }
    job->noun = trop_job_noun(setup);
    const struct trop_cloud_options *cloud = trop_setup_cloud(setup);
    const double *time_limit = member_of(setup, "time_limit");
    const int64_t *print_tokens = member_of(setup, "print_tokens");
    const double start = trop_stamp_now();
    trop_stamp_open(&job->stamp, trop_setup_seed(setup));
    job->verb = setup->verb;
    job->print_tokens = print_tokens ? *print_tokens : 0;
    job->time_limit = time_limit ? *time_limit : 0;
    job->n = cloud ? cloud->n : 0;
    job->d = cloud ? cloud->d : 0;
    enum trop_status status = trop_out_copy(&job->out, out_of(setup, job->noun));
    if (status == TROP_OK) {
        status = trop_out_copy(&job->report, file_of(setup, "report"));
    }
    if (status == TROP_OK) {
        status = trop_out_copy(&job->proof, file_of(setup, "proof"));
    }
    if (status == TROP_OK && !job->noun->bare) {
        status = trop_report_call(&job->call, setup);
    }
    if (status == TROP_OK) {
        status = job->noun->create(&job->numbers, setup, job);
    }
    if (status == TROP_OK && job->out) {
        status = trop_job_csv_check(job, job->out);
    }
    if (status == TROP_OK && !job->noun->bare) {
        status = trop_kept_open(&job->kept, setup,
                                job->noun->cloud ? job->noun->cloud(job->numbers) : NULL);
    }
    if (status == TROP_OK && job->noun->begin) {
        status = job->noun->begin(job->numbers, setup);
    }
    if (status == TROP_OK) { /* taken over: the file alone repeats the job */
        job->dataset = setup->dataset;
        setup->dataset = NULL;
        job->corpus = setup->corpus;
        setup->corpus = NULL;
        job->learnt = setup->given_corpus ? setup->given_corpus : job->corpus;
        notice_of(job, setup);
    }
    job->stamp.seconds += trop_stamp_now() - start;
    if (status != TROP_OK) {
        trop_job_free(job);
        return status;
    }
    *out = job;
    return TROP_OK;
}

enum trop_status trop_job_create(struct trop_job **out, struct trop_setup *setup)
{
    struct trop_setup *again = NULL;
    enum trop_status status = setup->verb->again ? setup->verb->again(&again, setup) : TROP_OK;

    if (status == TROP_OK && !again) {
        status = read_files(setup, trop_job_noun(setup));
    }
    if (status == TROP_OK && again) { /* all else was judged when the run was begun */
        status = check_beside(again, trop_job_noun(again));
    }
    if (status == TROP_OK) {
        status = make(out, again ? again : setup);
    }
    /* A wrong option that was read from a file is a fault of the file. */
    if (status == TROP_ERR_ARG && again) {
        status = trop_fail(TROP_ERR_IO, "%s", trop_error());
    }
    trop_setup_free(again);
    return status;
}

enum trop_status trop_job_create_from(struct trop_job **out, const char *verb,
                                      const char *const *pairs)
{
    struct trop_setup *setup = NULL;
    enum trop_status status = trop_setup_create(&setup, verb);

    for (; status == TROP_OK && pairs[0]; pairs += 2) {
        status = pairs[1] ? trop_setup_set(setup, pairs[0], pairs[1])
                          : trop_fail(TROP_ERR_ARG, "%s: has no value", pairs[0]);
    }
    if (status == TROP_OK) {
        status = trop_job_create(out, setup);
    }
    trop_setup_free(setup);
    return status;
}

/* ---- computing ------------------------------------------------------------------------------- */

/* Without a claim there is no file, and the person is told. */
static enum trop_status write_proof(struct trop_job *job)
{
    int64_t claims = 0;
    const enum trop_status status = trop_proof_write(&claims, job, job->proof);

    job->unproved = status == TROP_OK && claims == 0;
    if (job->unproved) {
        const char *why = job->noun->unproved
                              ? job->noun->unproved(job->numbers)
                              : "nothing is proved of this result that a proof file "
                                "could hold";
        snprintf(job->notice, sizeof job->notice, "%s: %.600s was not written", why, job->proof);
    }
    return status;
}

static enum trop_status write_files(struct trop_job *job)
{
    enum trop_status status = job->out ? trop_job_write(job, job->out) : TROP_OK;

    if (status == TROP_OK && job->report) {
        status = trop_job_write(job, job->report);
    }
    return status == TROP_OK && job->proof ? write_proof(job) : status;
}

/* What was computed is there also when it was stopped, or a file could not be written: it may have
 * taken long. */
enum trop_status trop_job_run(struct trop_job *job, trop_progress *progress, void *context)
{
    const double start = trop_stamp_now(), before = job->stamp.seconds;
    struct trop_watch watch = trop_watch_start(progress, context, job->time_limit);
    enum trop_status status =
        job->noun->run ? job->noun->run(job->numbers, trop_watch_ask, &watch) : TROP_OK;

    status = trop_watch_told(&watch, status);
    job->stamp.seconds = before + (trop_stamp_now() - start);
    job->unwritten = status != TROP_OK && status != TROP_ERR_STOPPED;
    if (job->unwritten) {
        return status;
    }
    if (job->out || job->report || job->proof) {
        char sentence[512];
        snprintf(sentence, sizeof sentence, "%s", trop_error());
        const enum trop_status written = write_files(job);
        job->unwritten = written != TROP_OK;
        if (written != TROP_OK) {
            return written;
        }
        status = status == TROP_OK ? TROP_OK : trop_fail(status, "%s", sentence);
    }
    if (status == TROP_OK && job->noun->end) {
        job->noun->end(job->numbers);
    }
    return status;
}

enum trop_status trop_job_step(struct trop_job *job, int64_t steps, trop_progress *progress,
                               void *context)
{
    const double start = trop_stamp_now(), before = job->stamp.seconds;
    struct trop_watch watch = trop_watch_start(progress, context, job->time_limit);

    if (!job->noun->step) {
        return trop_fail(TROP_ERR_ARG, "%s: cannot be run step by step", job->verb->name);
    }
    if (steps < 0) {
        return trop_fail(TROP_ERR_ARG, "steps = %lld: must be at least 0", (long long)steps);
    }
    enum trop_status status = job->noun->step(job->numbers, steps, trop_watch_ask, &watch);
    job->stamp.seconds = before + (trop_stamp_now() - start);
    return trop_watch_told(&watch, status);
}

enum trop_status trop_job_extend(struct trop_job *job, const char *name, const char *text)
{
    return job->noun->extend ? job->noun->extend(job->numbers, name, text)
                             : trop_fail(TROP_ERR_ARG, "%s: has one end", job->verb->name);
}

/* ---- what it tells --------------------------------------------------------------------------- */

const struct trop_field *trop_job_field_table(const struct trop_job *job)
{
    static const struct trop_field none[] = { { 0 } };

    return job->noun->chosen   ? job->noun->chosen(job->numbers)
           : job->noun->fields ? job->noun->fields()
                               : none;
}

const void *trop_job_result(const struct trop_job *job)
{
    return job->noun->result ? job->noun->result(job->numbers) : job->numbers;
}

enum trop_status trop_job_value(struct trop_value *out, const struct trop_job *job,
                                const char *name)
{
    const struct trop_field *table = trop_job_field_table(job);

    for (const struct trop_field *field = trop_stamp_field_table(); field->name && !job->noun->bare;
         field++) {
        if (strcmp(field->name, name) == 0) {
            return trop_field_read(out, field, job, 0);
        }
    }
    return trop_field_value(out, table, trop_job_result(job), name);
}

enum trop_status trop_job_number(double *out, const struct trop_job *job, const char *name)
{
    return trop_field_as_number(out, trop_job_field_table(job), trop_job_result(job), name);
}

enum trop_status trop_job_cell(struct trop_value *out, const struct trop_job *job, const char *list,
                               const char *column, int64_t row)
{
    return trop_field_cell(out, trop_job_field_table(job), trop_job_result(job), list, column, row);
}

const struct trop_field *trop_job_stamp_table(void)
{
    return trop_stamp_field_table();
}

const char *trop_job_option(const char **text, const struct trop_job *job, int64_t k)
{
    const struct trop_kept_text *kept = trop_kept_at(&job->kept, k);

    *text = kept ? kept->text : NULL;
    return kept ? kept->name : NULL;
}

int trop_job_given(const struct trop_job *job, int64_t k)
{
    const struct trop_kept_text *kept = trop_kept_at(&job->kept, k);

    return kept && (kept->given || kept->option->type == TROP_TYPE_CHOICE);
}

const char *trop_job_out(const struct trop_job *job)
{
    return job->unwritten ? NULL : job->out;
}

const char *trop_job_report(const struct trop_job *job)
{
    return job->unwritten ? NULL : job->report;
}

const char *trop_job_proof(const struct trop_job *job)
{
    return job->unwritten || job->unproved ? NULL : job->proof;
}

const double *trop_job_tokens(int64_t shape[2], const struct trop_job *job)
{
    shape[0] = job->n;
    shape[1] = job->d;
    return job->noun->cloud ? job->noun->cloud(job->numbers) : NULL;
}

const char *trop_job_record(struct trop_value *out, const struct trop_job *job, int64_t k)
{
    return job->noun->record ? job->noun->record(out, job->numbers, k) : NULL;
}

const char *trop_job_notice(const struct trop_job *job)
{
    return job->notice;
}

int trop_job_resumable(const struct trop_job *job)
{
    return job->noun->resumable && job->noun->resumable(job->numbers);
}
