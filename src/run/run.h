/* run.h -- what the files of a recorded run share. */
#ifndef TROP_RUN_RUN_H
#define TROP_RUN_RUN_H

#include "run/job.h"
#include "run/parts.h"
#include "run/record.h"

struct trop_run {
    struct trop_job *job; /* that it belongs to: its file, what it was given, the clock */
    struct trop_flow *flow;
    int out_is_h5;
    int64_t every, checkpoint;
    int64_t total; /* steps at most, as far as they are known */
    int takes_all; /* 1: nothing but a request ends it sooner */

    struct trop_record record; /* since the last part; all of it when joined */
    struct trop_parts parts;
    int joined;
    int64_t recorded, saved; /* last step in record, in a part; -1: none */
    char notice[512];
};

/* run_file.c: checkpoints. */
enum trop_status trop_run_write_part(struct trop_run *run);
enum trop_status trop_run_join(struct trop_run *run);

/* run_resume.c */

/* The options and the input of a run, from its file into a setup for flow. */
enum trop_status trop_run_setup(struct trop_setup *setup, struct trop_h5 *h5);
/* The flow of a setup whose files are read; of one that is resumed, with the tokens that it was
 * begun with. */
enum trop_status trop_run_draw(struct trop_flow **out, struct trop_setup *setup);
/* Goes back to the newest good checkpoint. */
enum trop_status trop_run_load(struct trop_run *run);

#endif
