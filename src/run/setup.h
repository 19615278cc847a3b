/* setup.h -- what the files of src/run share of a setup. */
#ifndef TROP_RUN_SETUP_H
#define TROP_RUN_SETUP_H

#include "tropism_lab.h"

/* Options that a setup can hold: those of a run, then those of a flow. */
#define TROP_SETUP_MAX 64

enum trop_setup_source { TROP_SETUP_DEFAULT, TROP_SETUP_FILE, TROP_SETUP_TEXT };

struct trop_setup {
    struct trop_run_options run;
    struct trop_flow_options flow;
    int reading;                    /* options come from a file just now */
    int sources[2][TROP_SETUP_MAX]; /* enum trop_setup_source; of run and of flow */
    char *texts[2][TROP_SETUP_MAX]; /* copies: texts of the run, files of the flow */
    double *arrays[TROP_SETUP_MAX]; /* read from the files of the flow */
    double *tokens, *masses;        /* read from run.tokens and run.masses */
};

/* 1 when the option was set by text or file. */
int trop_setup_given(const struct trop_setup *setup, const char *name);

/* 1 when the text is a name with this ending. */
int trop_setup_ends(const char *text, const char *ending);

/* setup_files.c: reads every file that the options name and points the options of
 * the flow to what was read. */
enum trop_status trop_setup_resolve(struct trop_setup *setup);

#endif
