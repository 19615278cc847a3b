/* study.h -- what the files of a study share.
 *
 * A study is a verb at every point of a product of axes. A point is an index into that product and
 * nothing else: its result depends on no thread, shard, order or restart. What is computed goes to
 * logs, one file for each writer, to which records are appended and in which nothing is ever
 * changed; the catalogue (SQLite, arrays in HDF5) is made of them and can be made again.
 *
 *   DIR/study.yaml       what was asked, as it was written
 *   DIR/log/RUN-W.log    records of worker W of run RUN
 *   DIR/catalogue.sqlite, DIR/arrays.h5    merged
 */
#ifndef TROP_RUN_STUDY_STUDY_H
#define TROP_RUN_STUDY_STUDY_H

#include "tropism_lab.h"

/* ---- spec.c: the file, read -------------------------------------------------------------------
 *
 * Values of a range are computed when they are asked for, so that 10^9 seeds take no room. */

struct trop_study_axis {
    char **names;       /* (width) options that vary side by side, as written */
    int64_t width;      /* 1, or the options of a group of together or of the columns of points */
    int64_t count;      /* of values */
    int numeric;        /* 1: every value is a finite number, for catalogues and pictures */
    char **texts;       /* (count, width); NULL: a range */
    double first, step; /* of a range: value k is first + k step, rounded once from decimals */
    int whole;          /* 1: a range of whole numbers */
};

struct trop_study_spec {
    char *text; /* of the file */
    char *verb;
    char **fixed;                 /* pairs of name and text, NULL-ended */
    struct trop_study_axis *axes; /* (axes_count), the last one fastest */
    int64_t axes_count;
    char **keep; /* (keep_count) fields of the verb, record.* among them */
    int64_t keep_count;
    int64_t points; /* product of the counts */
};

enum trop_status trop_study_spec_read(struct trop_study_spec *out, const char *text,
                                      const char *file);
void trop_study_spec_free(struct trop_study_spec *spec);
/* out: the text of name k of an axis at a point. */
void trop_study_spec_text(char *out, int64_t size, const struct trop_study_spec *spec, int64_t axis,
                          int64_t k, int64_t point);

/* ---- log.c ------------------------------------------------------------------------------------
 */

enum trop_study_state { TROP_STUDY_DONE, TROP_STUDY_FAILED, TROP_STUDY_LATE };

struct trop_study_record {
    int64_t point;
    int64_t state;                   /* enum trop_study_state */
    const char *sentence;            /* why it failed; "" when it did not */
    const struct trop_value *values; /* (keep_count), kind as the field's; of a failed point NULL */
};

/* Of a file of records: who wrote it. */
struct trop_study_source {
    const char *name; /* of the file, without its folder and ending */
    const char *version, *command, *machine, *shard;
    int64_t started; /* seconds since 1970 */
};

typedef enum trop_status trop_study_visit(void *context, const struct trop_study_source *source,
                                          const struct trop_study_record *record);
/* Shows every whole record of every log in dir, in the order of names and of writing; a torn end of
 * a file ends that file. values: 0 leaves the values out, for a quick look at what is there. */
enum trop_status trop_study_log_each(const char *dir, const struct trop_study_spec *spec,
                                     int values, trop_study_visit *visit, void *context);

/* ---- catalogue.c: the only file that knows SQLite; arrays.c: HDF5 ------------------------------
 */

/* Brings the catalogue of dir up to what the logs of dir and of others (NULL-ended) say. A point
 * that is done somewhere is done; bits do not depend on the order of logs. */
enum trop_status trop_study_merge(const char *dir, const char *const *others,
                                  trop_progress *progress, void *context);

/* ---- study_ranks.c (MPI) or study_ranks_none.c ------------------------------------------------
 *
 * The processes of one mpirun, which share one study. Where count is above 1, block b must be the
 * same points for every rank, whatever each of them found done, and rank 0 alone speaks and merges.
 * After begin comes end, on every rank and whatever happened between, for the others wait there. */
void trop_study_ranks_begin(int64_t *rank, int64_t *count);
/* Hands out blocks 0, 1, ... each once over all ranks; any thread may ask. */
int64_t trop_study_ranks_next(void);
/* Returns when every rank is here: what they have written can be read. */
void trop_study_ranks_end(void);

#endif
