/* run.h -- what the files of a recorded run share. */
#ifndef TROP_RUN_RUN_H
#define TROP_RUN_RUN_H

#include "run/kept.h"
#include "run/out.h"
#include "run/parts.h"
#include "run/record.h"
#include "run/setup.h"

struct trop_run {
    struct trop_stamp stamp; /* first, for its fields; seconds of earlier sittings included */
    struct trop_flow *flow;
    int64_t n, d;
    char *out; /* NULL: none */
    int out_is_h5;
    int unwritten; /* 1: out could not be written */
    int64_t every, checkpoint, print_tokens;
    int64_t total; /* steps at most, as far as they are known */
    int takes_all; /* 1: nothing but a request ends it sooner */
    double time_limit;

    struct trop_kept kept;     /* what it was given */
    struct trop_record record; /* since the last part; all of it when joined */
    struct trop_parts parts;
    int joined;
    int64_t recorded, saved; /* last step in record, in a part; -1: none */
    char *json;
    char notice[512];
};

/* run_file.c: HDF5 files. */
enum trop_status trop_run_write_part(struct trop_run *run);
enum trop_status trop_run_write_result(struct trop_run *run, const char *path);
enum trop_status trop_run_join(struct trop_run *run);

/* run_resume.c: what a part says, back into a setup and a flow. */
enum trop_status trop_run_resume(struct trop_run **out, struct trop_setup *setup);

/* run_resume.c: the options and the input of a run, from its file into a setup for flow. */
enum trop_status trop_run_setup(struct trop_setup *setup, struct trop_h5 *h5);

/* run.c: steps taken. */
int64_t trop_run_moves(const struct trop_run *run);

/* run.c: a run from a setup whose files are read. */
enum trop_status trop_run_begin(struct trop_run **out, struct trop_setup *setup);

/* run_json.c: how many numbers of an array JSON shows. */
int64_t trop_run_limit(const struct trop_run *run);

#endif
