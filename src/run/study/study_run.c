/* study_run.c -- a study computed: into the logs of a folder, or into memory. */
#include "run/study/study_work.h"

#include "base/alloc.h"
#include "base/parallel.h"
#include "base/status.h"
#include "flow/flow.h"
#include "run/stamp.h"
#include "run/study/study_log.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define FLUSH_EVERY 0.5 /* seconds that a kill may lose */

/* How many of its points have which mark. */
static void tally(int64_t out[4], const struct trop_study_work *work,
                  const struct trop_study_done *done)
{
    memset(out, 0, 4 * sizeof *out);
    for (int64_t b = 0; b < work->blocks; b++) {
        const int64_t first = work->first + (b * work->shards + work->shard) * work->block;
        const int64_t last = first + work->block < work->last ? first + work->block : work->last;
        for (int64_t point = first; point < last; point++) {
            const int64_t next = trop_study_done_skip(done, point);
            if (next > point) { /* nothing of a whole piece is done */
                point = (next < last ? next : last) - 1;
                continue;
            }
            out[trop_study_done_at(done, point)]++;
        }
    }
}

/* Points whose proof is there. */
static int64_t tally_proofs(const struct trop_study_work *work, const struct trop_study_done *done)
{
    int64_t found[4];

    tally(found, work, done->proved);
    return found[TROP_STUDY_IS_DONE];
}

/* What the logs of done->dir say, with room for the marks of proofs. */
static enum trop_status read_done(struct trop_study_done *done, const struct trop_study_spec *spec,
                                  double *seconds)
{
    enum trop_status status = trop_study_done_open(done, spec->count);

    done->proved = status == TROP_OK ? trop_alloc(1, sizeof *done->proved) : NULL;
    if (status == TROP_OK) {
        status = done->proved ? trop_study_done_open(done->proved, spec->count)
                              : trop_fail(TROP_ERR_MEMORY, "no memory for the proofs of a study");
    }
    return status == TROP_OK
               ? trop_study_log_scan(seconds, done->dir, spec, 0, trop_study_done_visit, done)
               : status;
}

static void close_done(struct trop_study_done *done)
{
    if (done->proved) {
        trop_study_done_close(done->proved);
        trop_alloc_free(done->proved);
    }
    trop_study_done_close(done);
}

static void count_up(struct trop_study_counts *out, const struct trop_study_work *work,
                     const int64_t before[4], int64_t proofs, double seconds)
{
    int64_t all[4];

    for (int k = 0; k < 4; k++) {
        all[k] = before[k] + (k > 0 ? atomic_load(work->tally + k) : 0);
    }
    const int64_t rows =
        all[TROP_STUDY_IS_DONE] + all[TROP_STUDY_IS_FAILED] + all[TROP_STUDY_IS_LATE];
    *out = (struct trop_study_counts){
        .points = work->total,
        .done = all[TROP_STUDY_IS_DONE],
        .failed = all[TROP_STUDY_IS_FAILED] + all[TROP_STUDY_IS_LATE],
        .late = all[TROP_STUDY_IS_LATE],
        .left = work->total - rows,
        .seconds = seconds,
        .proofs = proofs + atomic_load(&work->proofs),
    };
}

/* ---- into a folder ----------------------------------------------------------------------------
 */

struct folder {
    const char *dir;
    const struct trop_study_spec *spec;
    struct trop_study_source source;
    char name[128], machine[192], shard[64];
    double start;
    struct trop_study_writer **writer; /* (workers) made with the first record */
    double *flushed;                   /* (workers) of the clock */
};

/* A name that no other run has: the second, the machine, the process, and how many came before. */
static void name_run(struct folder *f, const struct trop_study_work *work, const char *command)
{
    static atomic_int runs;
    struct utsname machine;
    struct tm day;
    const time_t now = time(NULL);
    char when[32];

    if (uname(&machine) != 0) {
        strcpy(machine.nodename, "machine");
        strcpy(machine.machine, "unknown");
    }
    gmtime_r(&now, &day);
    strftime(when, sizeof when, "%Y%m%dT%H%M%SZ", &day);
    snprintf(f->machine, sizeof f->machine, "%.60s, %.30s, %.30s", machine.nodename,
             machine.machine, trop_kernel_in_use());
    for (char *c = machine.nodename; *c; c++) {
        *c = *c == '/' || *c == '-' ? '_' : *c;
    }
    snprintf(f->name, sizeof f->name, "%s-%.40s-%lld-%d", when, machine.nodename,
             (long long)getpid(), atomic_fetch_add(&runs, 1));
    snprintf(f->shard, sizeof f->shard, "%lld/%lld", (long long)work->shard,
             (long long)work->shards);
    f->source = (struct trop_study_source){
        .name = f->name,
        .version = trop_version(),
        .command = command ? command : "",
        .machine = f->machine,
        .shard = f->shard,
        .started = (int64_t)now,
    };
}

static enum trop_status write_record(void *context, int64_t worker,
                                     const struct trop_study_record *record)
{
    struct folder *f = context;
    const double now = trop_stamp_now();
    enum trop_status status = TROP_OK;

    if (!f->writer[worker]) {
        status = trop_study_write_create(f->writer + worker, f->dir, f->spec, &f->source, worker);
        f->flushed[worker] = now;
    }
    if (status == TROP_OK) {
        status = trop_study_write_put(f->writer[worker], record);
    }
    if (status == TROP_OK && now - f->flushed[worker] >= FLUSH_EVERY) {
        f->flushed[worker] = now;
        status = trop_study_write_flush(f->writer[worker], now - f->start);
    }
    return status;
}

/* Closes every log; the first failure of any. */
static enum trop_status close_logs(struct folder *f, int64_t workers, enum trop_status status)
{
    char sentence[512];

    snprintf(sentence, sizeof sentence, "%s", trop_error());
    for (int64_t k = 0; f->writer && k < workers; k++) {
        const enum trop_status closed =
            trop_study_write_close(f->writer[k], trop_stamp_now() - f->start);
        if (closed != TROP_OK && (status == TROP_OK || status == TROP_ERR_STOPPED)) {
            status = closed;
            snprintf(sentence, sizeof sentence, "%s", trop_error());
        }
    }
    TROP_FREE(f->writer, f->flushed);
    return status == TROP_OK ? TROP_OK : trop_fail(status, "%s", sentence);
}

/* Computes what the logs lack. */
static enum trop_status run_in(struct trop_study_work *work, struct trop_study_done *done,
                               const char *dir, const char *command, double start)
{
    struct folder f = { .dir = dir, .spec = work->spec, .start = start };
    enum trop_status status = TROP_OK;

    name_run(&f, work, command);
    if (!TROP_ALLOC(TROP_PART(f.writer, work->workers), TROP_PART(f.flushed, work->workers))) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for the logs of a study");
    }
    work->done = done;
    work->take = write_record;
    work->sink = &f;
    status = trop_study_work_run(work);
    return close_logs(&f, work->workers, status);
}

/* What was computed but not written is not there: the logs say what is. */
static void count_again(struct trop_study_work *work, int64_t before[4], int64_t *proofs,
                        const char *folder)
{
    struct trop_study_done done = { .limit = -1, .dir = folder };
    char sentence[512];

    snprintf(sentence, sizeof sentence, "%s", trop_error());
    if (read_done(&done, work->spec, NULL) == TROP_OK) {
        tally(before, work, &done);
        *proofs = tally_proofs(work, &done);
        for (int k = 0; k < 4; k++) {
            atomic_store(work->tally + k, 0);
        }
        atomic_store(&work->proofs, 0);
    }
    close_done(&done);
    trop_fail(TROP_ERR_IO, "%s", sentence);
}

static enum trop_status run(struct trop_study_counts *counts, struct trop_study *study,
                            const char *folder, const struct trop_study_run_options *o,
                            struct trop_study_work *work)
{
    struct trop_study_done done = { .limit = o->point_limit,
                                    .dir = folder,
                                    .proof = o->proof != 0 };
    const double start = trop_stamp_now();
    int64_t before[4] = { 0 }, proofs = 0;

    enum trop_status status = o->proof ? trop_study_proof_check(&study->spec) : TROP_OK;
    if (status == TROP_OK) {
        status = trop_study_folder_take(folder, &study->spec, o->extend != 0);
    }
    if (status == TROP_OK) {
        status = trop_study_files_take(folder, &study->spec);
    }
    if (status == TROP_OK) {
        status = read_done(&done, &study->spec, NULL);
    }
    if (status == TROP_OK) {
        tally(before, work, &done);
        proofs = tally_proofs(work, &done);
        work->proof_dir = o->proof ? folder : NULL;
        work->proof_folder = trop_study_proof_folder(folder);
        const int64_t total = work->total;
        work->total -= before[1] + before[2] + before[3];
        status = work->total > 0 ? run_in(work, &done, folder, o->command, start) : TROP_OK;
        work->total = total;
        if (status == TROP_ERR_IO) {
            count_again(work, before, &proofs, folder);
        }
    }
    if (counts) {
        count_up(counts, work, before, proofs, trop_stamp_now() - start);
    }
    close_done(&done);
    return status;
}

enum trop_status trop_study_run(struct trop_study_counts *counts, struct trop_study *study,
                                const char *folder, const struct trop_study_run_options *options,
                                trop_progress *progress, void *context)
{
    struct trop_study_work work;
    int64_t ranks;

    trop_study_ranks_begin(&study->rank, &ranks);
    enum trop_status status = trop_study_work_begin(&work, study, options, ranks);
    if (status == TROP_OK) {
        work.progress = progress;
        work.context = context;
        status = run(counts, study, folder, options, &work);
    }
    if (ranks > 1) {
        char sentence[512];
        snprintf(sentence, sizeof sentence, "%s", trop_error());
        trop_study_ranks_end();
        if (status == TROP_OK && counts && study->rank == 0) {
            return trop_study_count(counts, folder);
        }
        return status == TROP_OK ? TROP_OK : trop_fail(status, "%s", sentence);
    }
    trop_study_ranks_end();
    return status;
}

enum trop_status trop_study_count(struct trop_study_counts *out, const char *folder)
{
    struct trop_study_done done = { .limit = -1, .dir = folder };
    struct trop_study study = { 0 };
    struct trop_study_work work;
    const struct trop_study_run_options whole = { 0 };
    int64_t found[4];
    double seconds = 0;

    enum trop_status status = trop_study_spec_open(&study.spec, folder, 0);
    if (status == TROP_OK) {
        status = read_done(&done, &study.spec, &seconds);
    }
    if (status == TROP_OK) {
        status = trop_study_work_begin(&work, &study, &whole, 1);
    }
    if (status == TROP_OK) {
        tally(found, &work, &done);
        count_up(out, &work, found, tally_proofs(&work, &done), seconds);
    }
    close_done(&done);
    trop_study_spec_free(&study.spec);
    return status;
}
