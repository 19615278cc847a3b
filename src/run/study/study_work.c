/* study_work.c -- the points of a study by threads.
 *
 * Points are handed out in blocks of neighbours; which thread, shard or rank has a block changes
 * nothing, for a point is computed from its own options alone. The thread of the caller works too,
 * and is the one that asks progress: between points, inside long ones, and while it waits for
 * others.
 */
#include "run/study/study_work.h"

#include "base/alloc.h"
#include "base/parallel.h"
#include "base/status.h"
#include "run/stamp.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define ASK_EVERY 0.05 /* seconds from one question to the next */
#define SHARES 64      /* blocks that each shard has at least, where there are points enough */
#define BLOCK 1024     /* points of a block at most */
#define LANES 8        /* and at least, where lanes take them */

/* ---- the part that is asked for ---------------------------------------------------------------
 */

static enum trop_status check(const struct trop_study *study,
                              const struct trop_study_run_options *o)
{
    const int64_t points = study->spec.count, last = o->last ? o->last : points;

    if (!(o->first >= 0 && last <= points && o->first <= last)) {
        return trop_fail(TROP_ERR_ARG, "points %lld to %lld: there are points 0 to %lld",
                         (long long)o->first, (long long)last - 1, (long long)points - 1);
    }
    if (o->shards < 0 || o->shard < 0 || (o->shards > 0 && o->shard >= o->shards)) {
        return trop_fail(TROP_ERR_ARG, "shard %lld of %lld: must be 0 to one less than there are",
                         (long long)o->shard, (long long)o->shards);
    }
    if (!(o->point_limit >= 0 && o->time_limit >= 0)) {
        return trop_fail(TROP_ERR_ARG, "a limit must be at least 0 seconds");
    }
    return o->threads >= 0 && o->threads <= 1024
               ? TROP_OK
               : trop_fail(TROP_ERR_ARG, "threads = %lld: must be from 0 to 1024",
                           (long long)o->threads);
}

/* 1 when a text of the study names a file of HDF5, which one thread at a time may read. */
static int names_h5(const struct trop_study_spec *spec)
{
    int found = 0;

    for (int64_t k = 0; k < spec->fixed_count; k++) {
        found |= strstr(spec->fixed[2 * k + 1], ".h5") != NULL ||
                 strstr(spec->fixed[2 * k + 1], ".hdf5") != NULL;
    }
    for (int64_t a = 0; a < spec->axes_count; a++) {
        const struct trop_study_axis *axis = spec->axes + a;
        for (int64_t k = 0; axis->texts && !found && k < axis->count * axis->width; k++) {
            found |= strstr(axis->texts[k], ".h5") != NULL || strstr(axis->texts[k], ".hdf5");
        }
    }
    return found;
}

enum trop_status trop_study_work_begin(struct trop_study_work *work, const struct trop_study *study,
                                       const struct trop_study_run_options *o, int64_t ranks)
{
    enum trop_status status = check(study, o);

    if (status != TROP_OK) {
        return status;
    }
    *work = (struct trop_study_work){
        .spec = &study->spec,
        .first = o->first,
        .last = o->last ? o->last : study->spec.count,
        .shard = o->shards > 0 ? o->shard : 0,
        .shards = o->shards > 0 ? o->shards : 1,
        .point_limit = o->point_limit,
        .end = o->time_limit > 0 ? trop_stamp_now() + o->time_limit : (double)INFINITY,
        .shares = ranks > 1,
        .reads_h5 = names_h5(&study->spec),
        .in_lanes = !o->proof && trop_study_lanes_take(&study->spec),
    };
    const int64_t count = work->last - work->first;
    const int64_t even = count / (SHARES * work->shards * ranks);
    /* A register full, but no shard goes without for that. */
    const int64_t share = (count + work->shards * ranks - 1) / (work->shards * ranks);
    const int64_t least = !work->in_lanes || share < 1 ? 1 : share < LANES ? share : LANES;
    work->block = even < least ? least : even > BLOCK ? BLOCK : even;
    const int64_t all = (count + work->block - 1) / work->block;
    work->blocks = all > work->shard ? (all - work->shard - 1) / work->shards + 1 : 0;
    /* The last block of all may be short. */
    const int64_t short_by = work->blocks > 0 && (all - 1 - work->shard) % work->shards == 0
                                 ? all * work->block - count
                                 : 0;
    work->total = work->blocks * work->block - short_by;
    const int64_t threads = o->threads > 0 ? o->threads : trop_parallel_cores();
    work->workers = threads < work->blocks ? threads : work->blocks > 0 ? work->blocks : 1;
    work->threads = threads / work->workers;
    return TROP_OK;
}

/* ---- computing ---- */

static void stop(struct trop_study_work *work, enum trop_status status, const char *sentence)
{
    pthread_mutex_lock(&work->lock);
    if (work->status == TROP_OK) {
        work->status = status;
        snprintf(work->sentence, sizeof work->sentence, "%s", sentence);
    }
    pthread_mutex_unlock(&work->lock);
    atomic_store(&work->stop, 1);
}

/* Whoever asked for it says why: a verb adds "by the time limit" or "by a request". */
static void stop_early(struct trop_study_work *work)
{
    char sentence[96];

    snprintf(sentence, sizeof sentence, "stopped after %lld of %lld points",
             (long long)atomic_load(&work->rows), (long long)work->total);
    stop(work, TROP_ERR_STOPPED, sentence);
}

int trop_study_work_stopped(struct trop_study_worker *worker)
{
    struct trop_study_work *work = worker->work;
    const double now = trop_stamp_now();

    if (now >= work->end) {
        stop_early(work);
    }
    if (worker->number == 0 && work->progress && now - work->asked >= ASK_EVERY) {
        work->asked = now;
        if (work->progress(work->context, atomic_load(&work->rows), work->total)) {
            stop_early(work);
        }
    }
    return atomic_load(&work->stop);
}

void trop_study_work_fail(struct trop_study_worker *worker, enum trop_status status)
{
    stop(worker->work, status, trop_error());
}

void trop_study_work_take(struct trop_study_worker *worker, const struct trop_study_record *record)
{
    struct trop_study_work *work = worker->work;
    const int mark = record->state == TROP_STUDY_DONE     ? TROP_STUDY_IS_DONE
                     : record->state == TROP_STUDY_FAILED ? TROP_STUDY_IS_FAILED
                                                          : TROP_STUDY_IS_LATE;
    const enum trop_status status = work->take(work->sink, worker->number, record);

    if (status != TROP_OK) {
        stop(work, status, trop_error());
        return;
    }
    atomic_fetch_add(&work->rows, 1);
    atomic_fetch_add(&work->tally[mark], 1);
    atomic_fetch_add(&work->proofs, record->proof == TROP_STUDY_PROVED);
}

/* The points of a block that have no row yet. */
static void gather(struct trop_study_worker *worker, int64_t block)
{
    const struct trop_study_work *work = worker->work;
    const int64_t first = work->first + (block * work->shards + work->shard) * work->block;
    const int64_t last = first + work->block < work->last ? first + work->block : work->last;

    worker->count = 0;
    for (int64_t point = first; point < last; point++) {
        if (!work->done || trop_study_done_at(work->done, point) == TROP_STUDY_NONE) {
            worker->over[worker->count] = 0;
            worker->points[worker->count++] = point;
        }
    }
}

static int64_t next_block(struct trop_study_work *work)
{
    return work->shares ? trop_study_ranks_next() : atomic_fetch_add(&work->next, 1);
}

static enum trop_status open_worker(struct trop_study_worker *worker)
{
    const int64_t keep = worker->work->spec->keep_count, block = worker->work->block;

    return TROP_ALLOC(TROP_PART(worker->values, keep), TROP_PART(worker->scratch, keep),
                      TROP_PART(worker->points, block), TROP_PART(worker->over, block),
                      TROP_PART(worker->numbers, block * TROP_STUDY_LANES),
                      TROP_PART(worker->seeds, block), TROP_PART(worker->member, block))
               ? TROP_OK
               : trop_fail(TROP_ERR_MEMORY, "no memory for a worker of a study");
}

/* What the caller's thread does when there is nothing left but what others have begun. */
static void wait_for_others(struct trop_study_worker *worker)
{
    const struct timespec while_short = { .tv_nsec = 2000000 };

    while (atomic_load(&worker->work->active) > 0) {
        trop_study_work_stopped(worker);
        nanosleep(&while_short, NULL);
    }
}

static void run_worker(void *context, int64_t first, int64_t last, int64_t number)
{
    struct trop_study_worker worker = { .work = context, .number = number };
    struct trop_study_work *work = context;

    (void)first;
    (void)last;
    atomic_fetch_add(&work->active, 1);
    if (open_worker(&worker) != TROP_OK) {
        stop(work, TROP_ERR_MEMORY, trop_error());
    }
    while (!trop_study_work_stopped(&worker)) {
        const int64_t block = next_block(work);
        if (block >= work->blocks) {
            break;
        }
        gather(&worker, block);
        if (work->in_lanes && worker.count > 1) {
            trop_study_lanes_run(&worker);
        }
        for (int64_t k = 0; k < worker.count && !trop_study_work_stopped(&worker); k++) {
            if (!worker.over[k]) {
                trop_study_point_run(&worker, worker.points[k]);
            }
        }
    }
    trop_study_point_release(&worker);
    atomic_fetch_sub(&work->active, 1);
    if (number == 0) {
        wait_for_others(&worker);
    }
}

enum trop_status trop_study_work_run(struct trop_study_work *work)
{
    pthread_mutex_init(&work->lock, NULL);
    pthread_mutex_init(&work->h5, NULL);
    trop_parallel(work->workers, work->workers, run_worker, work);
    pthread_mutex_destroy(&work->lock);
    pthread_mutex_destroy(&work->h5);
    if (work->progress) {
        work->progress(work->context, atomic_load(&work->rows), work->total);
    }
    return work->status == TROP_OK ? TROP_OK : trop_fail(work->status, "%s", work->sentence);
}
