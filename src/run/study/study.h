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

/* ---- study_spec.c: the file, read ----
 *
 * Values of a range are computed when they are asked for, so that 10^9 seeds take no room. */

struct trop_study_axis {
    const char **names; /* (width) options that vary side by side, as the verb calls them */
    int64_t width;      /* 1, or the options of a group of together or of the columns of points */
    int64_t count;      /* of values */
    int64_t stride;     /* points from one value to the next */
    char *numeric;      /* (width) 1: every value is a finite number, for catalogues and pictures */
    char **texts;       /* (count, width); NULL: a range */
    int64_t first, step, decimals;   /* of a range: value k is (first + k step) / 10^decimals */
    char *refused;                   /* (count) 1: its option refuses the value; NULL: none is */
    const char *sentence;            /* of the first such value */
    int64_t refused_count, accepted; /* values that are refused; the first one that is not */
};

struct trop_study_spec {
    const char *text;   /* of the file */
    const char *points; /* text of the file of points; NULL: none */
    const char *verb;
    const char **fixed;           /* pairs of name and text, NULL-ended */
    int64_t fixed_count;          /* of pairs */
    struct trop_study_axis *axes; /* (axes_count), the last one fastest */
    int64_t axes_count;
    const char **keep; /* (keep_count) fields of the verb, record.* among them */
    int64_t keep_count;
    int keeps_all; /* 1: the file names none, and arrays are left out */
    int64_t count; /* of points: product of the counts */
    uint64_t id;   /* of all that decides the points and what is kept, however it is written */
    void **owned;  /* (owned_count) what all these point to */
    int64_t owned_count, owned_room;
};

/* points: text of the file of points instead of reading it; NULL: it is read. */
enum trop_status trop_study_spec_read(struct trop_study_spec *out, const char *text,
                                      const char *file, const char *points);
/* That of a folder: the present one of generation 0; 1, 2, ... are those of before it was extended,
 * TROP_ERR_ARG behind the last. */
enum trop_status trop_study_spec_open(struct trop_study_spec *out, const char *dir,
                                      int64_t generation);
void trop_study_spec_free(struct trop_study_spec *spec);
/* Text of option k of an axis at one of its values; returns the length it needs, as snprintf. */
int64_t trop_study_spec_text(char *out, int64_t size, const struct trop_study_spec *spec,
                             int64_t axis, int64_t k, int64_t value);
/* The same text whole: the study's own, or one of a range in room. */
#define TROP_STUDY_NUMBER 64
const char *trop_study_spec_value(char room[TROP_STUDY_NUMBER], const struct trop_study_axis *axis,
                                  int64_t k, int64_t value);
/* Which value of the axis a point has. */
int64_t trop_study_spec_place(const struct trop_study_spec *spec, int64_t axis, int64_t point);

/* ---- study_log.c: DIR/log/RUN-W.log ---- */

struct trop_study_record {
    int64_t point;
    int64_t state;                     /* enum trop_study_state */
    int64_t status;                    /* enum trop_status: why it failed */
    double limit;                      /* of a late one: seconds it was given */
    const char *sentence;              /* likewise; "" where nothing failed */
    const struct trop_value *values;   /* (keep_count); NULL when there are none: not done, or not
                                          asked for */
    int64_t proof;                     /* enum trop_study_proof */
    int64_t proof_folder, proof_point; /* of one that was read: which file it is */
};

/* What became of the proof of a point; numbers are stored. */
enum trop_study_proof {
    TROP_STUDY_UNASKED,
    TROP_STUDY_UNPROVED, /* asked for, but nothing is proved that a file could hold */
    TROP_STUDY_PROVED    /* its file is written */
};

/* Of a log: who wrote it. */
struct trop_study_source {
    const char *name; /* of the file, without its folder and ending */
    const char *version, *command, *machine, *shard;
    int64_t started; /* seconds since 1970 */
};

typedef enum trop_status trop_study_visit(void *context, const struct trop_study_source *source,
                                          const struct trop_study_record *record);
/* Shows every whole record of every log in dir that is of a point of spec, in the order of names
 * and of writing; a torn end of a file ends that file. Points of an earlier generation, or of the
 * spec of another folder, are told as points of spec. values: 0 leaves the values out, for a quick
 * look at what is there. */
enum trop_status trop_study_log_each(const char *dir, const struct trop_study_spec *spec,
                                     int values, trop_study_visit *visit, void *context);

/* ---- study_proof.c: DIR/proof/001/001234.json ----
 *
 * A file for each point of which something is proved. After an extension points have other numbers:
 * what is then computed goes to DIR/proof-1, after another to DIR/proof-2. */

#define TROP_STUDY_PROOF_PATH 4400
void trop_study_proof_path(char out[TROP_STUDY_PROOF_PATH], const char *dir, int64_t folder,
                           int64_t point);
/* Refuses a study of whose results nothing can be proved. */
enum trop_status trop_study_proof_check(const struct trop_study_spec *spec);
/* How often the study of a folder was extended. */
int64_t trop_study_proof_folder(const char *dir);
/* 1 when the record of a log tells what became of its proof, and the file, if there is one, is
 * there. */
int trop_study_proof_is_there(const char *dir, const struct trop_study_record *record);

/* ---- study_catalogue.h: the catalogue, and questions to it
 * ---------------------------------------
 *
 * trop_study_merge and trop_study_table_* of tropism_lab.h. A point that is done somewhere is done;
 * bits do not depend on the order of logs. SQLite is behind io/sqlite.h. study_slurm.c:
 * trop_study_slurm. */

/* ---- study_ranks.c (MPI) or study_ranks_none.c ------------------------------------------------
 *
 * The processes of one mpirun, which share one study. Where count is above 1, block b must be the
 * same points for every rank, whatever each of them found done, and rank 0 alone speaks.
 * After begin comes end, on every rank and whatever happened between, for the others wait there. */
void trop_study_ranks_begin(int64_t *rank, int64_t *count);
/* Hands out blocks 0, 1, ... each once over all ranks; any thread may ask. */
int64_t trop_study_ranks_next(void);
/* Returns when every rank is here: what they have written can be read. */
void trop_study_ranks_end(void);

#endif
