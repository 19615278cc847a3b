/* study_work.h -- what the files that compute the points of a study share. */
#ifndef TROP_RUN_STUDY_WORK_H
#define TROP_RUN_STUDY_WORK_H

#include "run/copies_record.h"
#include "run/setup/setup.h"
#include "run/study/study.h"

#include <pthread.h>
#include <stdatomic.h>

struct trop_study {
    struct trop_study_spec spec;
    char notice[1200], refused[1200], failed[1024], seeds[256];
    int64_t rank; /* of the last run: of one mpirun; only rank 0 speaks */
};

/* ---- study_done.c: two bits for each point, in pieces that are made when they are needed ---- */

enum trop_study_mark {
    TROP_STUDY_NONE,
    TROP_STUDY_IS_DONE,
    TROP_STUDY_IS_FAILED,
    TROP_STUDY_IS_LATE
};

struct trop_study_done {
    unsigned char **piece; /* (pieces) */
    int64_t pieces;
    double limit; /* late points that were given less are to be tried again; 0: there is none; -1:
                   * nothing is tried again */
    const char *dir;                /* of the study whose proofs are looked for; NULL: none are */
    int proof;                      /* 1: points without one are to be computed again */
    struct trop_study_done *proved; /* marks points whose proof is there; NULL: not asked */
};

enum trop_status trop_study_done_open(struct trop_study_done *out, int64_t points);
void trop_study_done_close(struct trop_study_done *done);
/* enum trop_study_mark of a point. */
int trop_study_done_at(const struct trop_study_done *done, int64_t point);
/* The point itself, or the first behind a whole piece in which nothing has a mark. */
int64_t trop_study_done_skip(const struct trop_study_done *done, int64_t point);
/* A trop_study_visit; its context is a struct trop_study_done. What was no fault of the point,
 * memory and files, is tried again. */
enum trop_status trop_study_done_visit(void *context, const struct trop_study_source *source,
                                       const struct trop_study_record *record);

/* ---- study_lines.c ---- */

/* A table in right-aligned columns: a line for the names, and (rows) for the rows. out and room,
 * which lines point into, are the caller's (trop_alloc_free), whatever the status. */
enum trop_status trop_study_lines_create(const char ***out, char **room,
                                         const struct trop_study_table *table, int64_t columns);

/* ---- study_seeds.c ---- */

/* That seeds have no effect, where they vary and a training draws nothing; "" otherwise. */
void trop_study_seeds_words(char *out, int64_t size, const struct trop_study_spec *spec);

/* ---- study_code.c ---- */

/* That points run the code of a file; "" otherwise. */
void trop_study_code_words(char *out, int64_t size, const struct trop_study *study);

/* ---- study_failed.c ---- */

/* How many points of the logs of a folder failed, and why the first did; "" when none has. */
enum trop_status trop_study_failed_words(char *out, int64_t size,
                                         const struct trop_study_spec *spec, const char *folder);

/* ---- study_work.c ---- */

struct trop_study_work;

/* Takes a record from a worker, whose number may choose where it goes. */
typedef enum trop_status trop_study_take(void *context, int64_t worker,
                                         const struct trop_study_record *record);

/* One of the threads that compute points. */
struct trop_study_worker {
    struct trop_study_work *work;
    int64_t number;
    struct trop_value *values; /* (keep_count) */
    void **scratch;            /* (keep_count) columns of lists */
    double limit_at;           /* of the clock: when the point in hand is late */
    int is_late;
    /* of lanes */
    int64_t *points; /* (block) those in hand, and what of them is over */
    char *over;
    int64_t count;
    int64_t *member;                   /* (block) of a group: places in points */
    struct trop_copies_record *record; /* of the group; NULL: nothing is recorded */
    int64_t copy;                      /* of the group, whose values are taken */
    double *numbers;                   /* (block, TROP_STUDY_LANES) */
    uint64_t *seeds;                   /* (block) */
    enum trop_status taken;            /* of the first record that could not be kept */
};

#define TROP_STUDY_LANES 4 /* options that lanes have in lists, beside seed */

struct trop_study_work {
    const struct trop_study_spec *spec;
    const struct trop_study_done *done; /* points that have a row; NULL: none */
    int64_t first, last, shard, shards;
    int64_t block, blocks; /* points of a block; blocks of this shard */
    int64_t threads;       /* of each point */
    int64_t workers;
    double point_limit, end; /* of the clock; infinity: never */
    int shares;              /* 1: blocks are shared with other ranks */
    trop_study_take *take;
    void *sink;
    trop_progress *progress;
    void *context;
    double asked; /* of the clock: when progress was called last */

    int reads_h5; /* 1: HDF5 is read by one thread at a time */
    pthread_mutex_t h5;
    int in_lanes; /* 1: lanes are tried */

    const char *proof_dir; /* of the study, for proofs of its points; NULL: none are written */
    int64_t proof_folder;
    _Atomic int64_t proofs;

    atomic_int stop;                              /* 1: nothing more is begun */
    _Atomic int64_t next, rows, active, tally[4]; /* by enum trop_study_mark */
    int64_t total;                                /* points that are to be computed, at most */
    pthread_mutex_t lock;                         /* around the two that follow */
    enum trop_status status;
    char sentence[512];
    const char *reason; /* to stop; NULL: none */
};

/* What the options ask for, before take, sink and progress. ranks: that share it; the same points
 * are in block b on every one of them. */
enum trop_status trop_study_work_begin(struct trop_study_work *out, const struct trop_study *study,
                                       const struct trop_study_run_options *options, int64_t ranks);
/* Computes what is left. TROP_ERR_STOPPED: progress or the time limit asked to stop. */
enum trop_status trop_study_work_run(struct trop_study_work *work);
/* 1: the worker is to leave what it has begun. Asks progress in the thread of the caller. */
int trop_study_work_stopped(struct trop_study_worker *worker);
/* Ends the run with a failure, whose sentence is trop_error(). */
void trop_study_work_fail(struct trop_study_worker *worker, enum trop_status status);
/* Hands a record over. */
void trop_study_work_take(struct trop_study_worker *worker, const struct trop_study_record *record);

/* ---- study_point.c ---- */

/* The setup of a point. */
enum trop_status trop_study_point_setup(struct trop_setup **out, const struct trop_study_spec *spec,
                                        int64_t point, int64_t threads);
/* Computes one point as a job of its own. */
void trop_study_point_run(struct trop_study_worker *worker, int64_t point);
/* The kept fields of a handle into worker->values. job: for what it records; NULL: nothing. */
enum trop_status trop_study_point_values(struct trop_study_worker *worker,
                                         const struct trop_field *table, const void *handle,
                                         const struct trop_job *job);
void trop_study_point_release(struct trop_study_worker *worker);

/* ---- study_proof.c ---- */

/* Writes the proof of a job that is done, and says in the record what became of it. */
enum trop_status trop_study_proof_put(struct trop_study_record *record,
                                      const struct trop_study_work *work,
                                      const struct trop_job *job);

/* ---- study_lanes.c ---- */

/* 1 when lanes may take points of this study. */
int trop_study_lanes_take(const struct trop_study_spec *spec);
/* Why the first point of a flow is not taken; "" when it is. */
void trop_study_lanes_why(char *out, int64_t size, const struct trop_study_spec *spec);
/* Computes the points in hand, count of them: what is over is marked, the rest is left to others.
 */
void trop_study_lanes_run(struct trop_study_worker *worker);

/* ---- study_shard.c ---- */

/* "i/n"; text NULL: as Slurm and mpirun say, told in words. alone: 1 when ranks share nothing. */
enum trop_status trop_study_shard_read(int64_t *shard, int64_t *shards, const char *text);
enum trop_status trop_study_shard_guess(int64_t *shard, int64_t *shards, char *words, int64_t size,
                                        int alone);

#endif
