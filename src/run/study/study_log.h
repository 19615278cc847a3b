/* study_log.h -- logs of a study, their folder, and points of one study in another. */
#ifndef TROP_RUN_STUDY_LOG_H
#define TROP_RUN_STUDY_LOG_H

#include "run/study/study.h"

/* ---- study_write.c: one log ---- */

struct trop_study_writer;

/* Makes DIR/log/RUN-W.log; run and worker are its name. */
enum trop_status trop_study_write_create(struct trop_study_writer **out, const char *dir,
                                         const struct trop_study_spec *spec,
                                         const struct trop_study_source *source, int64_t worker);
/* Appends a record. It is in the file after the next flush. */
enum trop_status trop_study_write_put(struct trop_study_writer *writer,
                                      const struct trop_study_record *record);
/* seconds: of the clock since the run began. */
enum trop_status trop_study_write_flush(struct trop_study_writer *writer, double seconds);
/* Syncs and closes the file; its first failure. NULL is fine. */
enum trop_status trop_study_write_close(struct trop_study_writer *writer, double seconds);

/* The layout of a log, in the byte order of x86 and ARM:
 *
 *   magic (8)
 *   frame*: size of the payload (4), kind (4), payload, checksum of kind and payload (8)
 *
 * The first frame is the head. */
#define TROP_STUDY_MAGIC "tropstu1"
#define TROP_STUDY_MAGIC_SIZE 8
#define TROP_STUDY_FRAME 16 /* bytes of a frame beside its payload */

enum trop_study_frame {
    TROP_STUDY_HEAD,   /* id, started, keep_count; version, command, machine, shard, zero-ended */
    TROP_STUDY_RECORD, /* struct trop_study_fixed; sentence, values */
    TROP_STUDY_CLOCK   /* seconds */
};

/* The beginning of a record. */
struct trop_study_fixed {
    int64_t point;
    uint8_t state, status;
    uint8_t has_values;
    uint8_t proof;     /* enum trop_study_proof; 0 in logs of before there were proofs */
    uint32_t sentence; /* its bytes, the zero included */
    double limit;
};

uint64_t trop_study_write_sum(uint32_t kind, const void *payload, int64_t size);

/* ---- study_log.c ---- */

/* The same as trop_study_log_each; seconds, which may be NULL: of the clock, summed over the runs,
 * of each that of its last writer. */
enum trop_status trop_study_log_scan(double *seconds, const char *dir,
                                     const struct trop_study_spec *spec, int values,
                                     trop_study_visit *visit, void *context);

/* ---- study_map.c: where the points of one study are in another ---- */

struct trop_study_map;

/* TROP_ERR_ARG when some of the points of `from` are not points of `to`, unless partial. */
enum trop_status trop_study_map_create(struct trop_study_map **out,
                                       const struct trop_study_spec *from,
                                       const struct trop_study_spec *to, int partial);
void trop_study_map_free(struct trop_study_map *map);
/* The point of the other study; -1: it has none. */
int64_t trop_study_map_point(const struct trop_study_map *map, int64_t point);

/* ---- study_change.c ---- */

/* What was one study and is another, in words. */
void trop_study_change_words(char *out, int64_t size, const struct trop_study_spec *was,
                             const struct trop_study_spec *is);

/* ---- study_folder.c ---- */

/* Makes the folder, or finds the study in it: refused when it is another one, unless extend and it
 * lacks only points. */
enum trop_status trop_study_folder_take(const char *dir, const struct trop_study_spec *spec,
                                        int extend);

/* ---- study_files.c ---- */

/* Remembers what the files hold that options name; refused when one has changed since. */
enum trop_status trop_study_files_take(const char *dir, const struct trop_study_spec *spec);
/* Refuses another folder whose files of the same names held something else. */
enum trop_status trop_study_files_compare(const char *dir, const char *other);

#endif
