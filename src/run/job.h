/* job.h -- what the runner shares with nouns that write files of their own. */
#ifndef TROP_RUN_JOB_H
#define TROP_RUN_JOB_H

#include "io/html.h"
#include "run/kept.h"
#include "run/out.h"
#include "run/verb.h"

struct trop_job {
    struct trop_stamp stamp; /* first, for its fields; seconds of earlier sittings included */
    const struct trop_verb *verb;
    const struct trop_noun *noun;
    void *numbers;                /* of the noun */
    int64_t n, d, print_tokens;   /* of a cloud; 0: it is about none */
    double time_limit;            /* seconds; 0: none */
    char *out;                    /* file of the result; NULL: none */
    char *report;                 /* the same as a page; NULL: none */
    char *proof;                  /* what is proved of it, to be checked; NULL: none */
    int unproved;                 /* 1: nothing is, and no proof was written */
    int unwritten;                /* 1: it could not be written */
    struct trop_kept kept;        /* what it was given */
    struct trop_dataset *dataset; /* training data that were read or drawn; NULL: none */
    struct trop_corpus *corpus;   /* sequences that were read; NULL: none */
    struct trop_corpus *learnt;   /* those that it learns from: corpus, or the caller's */
    struct trop_html call;        /* how to come to the same numbers, for its report */
    char *json;
    char notice[1024]; /* what the person should know though nothing failed; "": nothing */
};

/* Reads every file that the options name, and refuses what cannot work. */
enum trop_status trop_job_read(struct trop_setup *setup);
/* What computes the verb with these options. */
const struct trop_noun *trop_job_noun(struct trop_setup *setup);

/* job_csv.c: a table of the result; whether there is one of the name, where the path has one. */
enum trop_status trop_job_csv(const struct trop_job *job, const char *path);
enum trop_status trop_job_csv_check(const struct trop_job *job, const char *path);
/* job_file.c: the result as a file, by its ending. */
enum trop_status trop_job_write(struct trop_job *job, const char *path);
/* The result in HDF5, in memory: trop_out_close writes it. */
enum trop_status trop_job_h5(struct trop_h5 **out, const struct trop_job *job, const char *path);
/* What a result and its checkpoints have in common. */
enum trop_status trop_job_put(struct trop_h5 *h5, const struct trop_job *job);

#endif
