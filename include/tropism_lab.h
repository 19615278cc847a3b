/* tropism_lab.h -- files, recorded runs, figures and claims.
 *
 * The public interface of libtropism-lab, where the numbers of tropism.h meet files:
 * options from texts and YAML, tokens and matrices from .npy, .csv and .h5, recorded
 * runs in HDF5 with checkpoints, results as JSON.
 *
 * What tropism.h says of every function holds here too. In addition:
 *   - texts are copied;
 *   - a file is written beside its name, synced and renamed: under its name it is
 *     whole or it is not there;
 *   - TROP_ERR_ARG is a wrong option, TROP_ERR_IO a file that cannot be read or
 *     written, or whose contents are wrong.
 */
#ifndef TROPISM_LAB_H
#define TROPISM_LAB_H

#include "tropism.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- setup: the options of a verb, gathered from texts and files ----------------- */

struct trop_setup;

/* What a recorded run takes beside the options of its flow. */
struct trop_run_options {
    const char *tokens;   /* file of the initial tokens, (n, d); NULL: drawn */
    const char *masses;   /* file of their masses, (n); NULL: all 1 */
    const char *out;      /* file of the result; NULL: none */
    const char *record;   /* names of trop_flow_watch_table(), parted by commas */
    int64_t every;        /* steps from one record to the next */
    int64_t checkpoint;   /* steps from one checkpoint to the next; 0: none */
    const char *resume;   /* goes on with the run whose out this was */
    int64_t print_tokens; /* 1: JSON has the tokens, whatever their number */
    double time_limit;    /* seconds; 0: none */
    int64_t copies;       /* of trop_bulk_create; 0: one flow, by trop_run_create */
    const char *betas;    /* with copies: a list of betas; NULL: none */
};

TROP_API struct trop_run_options trop_run_options_default(void);
TROP_API const struct trop_option *trop_run_option_table(void);

/* What a study takes beside the options of its numbers. */
struct trop_study_options {
    const char *tokens;   /* file of the tokens, (n, d); NULL: drawn */
    const char *masses;   /* of threshold: file of their masses, (n); NULL: all 1 */
    const char *query;    /* of cells: file of further points, (queries, d); NULL: none */
    const char *out;      /* file of the result; NULL: none */
    int64_t print_tokens; /* 1: JSON has the tokens, whatever their number */
    double time_limit;    /* of threshold, escape and margin: seconds; 0: none */

    /* Of margin, train and path. */
    const char *data; /* a file, a folder, or a named set (trop_dataset_create) */
    int64_t n, T, d;  /* of a named set that is drawn; 0: its own size */
    uint64_t seed;    /* likewise; its own when it is not set by text */

    /* Of margin. */
    const char *problem;   /* file of a problem, instead of data */
    const char *equal;     /* file of selected sets (Gen-SVM) */
    const char *direction; /* file of weights to be looked at */
    const char *dump;      /* file to write the problem to */

    const char *start; /* of train: zeros, normal, uniform, or a file of weights */
};

TROP_API struct trop_study_options trop_study_options_default(void);
/* The options that the study of this verb has; NULL when the verb is no study. */
TROP_API const struct trop_option *trop_study_option_table(const char *verb);

/* A verb is what is to be done with the options: "flow" (trop_run_create), "cells",
 * "threshold", "escape", "margin", "train" or "path" (trop_study_create), "plot"
 * (trop_plot_run), "check" (trop_check_create), "reproduce" (trop_reproduction_create). */
TROP_API enum trop_status trop_setup_create(struct trop_setup **out, const char *verb);
TROP_API void trop_setup_free(struct trop_setup *setup);

/* The tables of the options that a verb takes: part 0, 1, ...; NULL when there are no
 * more, or no such verb. */
TROP_API const struct trop_option *trop_setup_table(const char *verb, int64_t part);

/* One option of any of these tables. Matrices may also be files (.npy, .csv,
 * FILE.h5:/path), schedules @FILE: they are read when the options are used. */
TROP_API enum trop_status trop_setup_set(struct trop_setup *setup, const char *name,
                                         const char *text);
/* The same options from a YAML file, "name: value" each. What is set afterwards by
 * trop_setup_set wins over the file, also where the two exclude each other. */
TROP_API enum trop_status trop_setup_read(struct trop_setup *setup, const char *path);

/* An array in the place of a file: tokens, masses, query, direction and equal of the files, and
 * every matrix and schedule; a tensor of start is "start.p", "start.W", "start.v", "start.K" or
 * "start.Q". Copied; checked as a file is, when the options are used. rank is at most 4. */
TROP_API enum trop_status trop_setup_array(struct trop_setup *setup, const char *name,
                                           const double *values, int64_t rank,
                                           const int64_t *shape);
struct trop_dataset;
/* Training data in the place of the option data: kept by reference, so they must live until the
 * options are used. */
TROP_API enum trop_status trop_setup_data(struct trop_setup *setup,
                                          const struct trop_dataset *dataset);
/* An option that is a schedule, for trop_schedule_at; NULL when it is none, or a file that was not
 * read yet. Owned by setup. */
TROP_API const struct trop_schedule *trop_setup_schedule(const struct trop_setup *setup,
                                                         const char *name);

/* What an option is now, as trop_option_text; "" when there is none of that name. */
TROP_API int64_t trop_setup_text(char *out, int64_t size, const struct trop_setup *setup,
                                 const char *name);

/* The structs themselves, for a program that has arrays in memory; NULL when the verb
 * does not take them. Owned by setup; arrays that they point to are copied when the
 * options are used. */
TROP_API struct trop_flow_options *trop_setup_flow(struct trop_setup *setup);
TROP_API struct trop_run_options *trop_setup_run(struct trop_setup *setup);
TROP_API struct trop_cells_options *trop_setup_cells(struct trop_setup *setup);
TROP_API struct trop_consensus_options *trop_setup_consensus(struct trop_setup *setup);
TROP_API struct trop_escape_options *trop_setup_escape(struct trop_setup *setup);
TROP_API struct trop_margin_options *trop_setup_margin(struct trop_setup *setup);
TROP_API struct trop_train_options *trop_setup_train(struct trop_setup *setup);
TROP_API struct trop_path_options *trop_setup_path(struct trop_setup *setup);
TROP_API struct trop_study_options *trop_setup_study(struct trop_setup *setup);
TROP_API struct trop_plot_options *trop_setup_plot(struct trop_setup *setup);
TROP_API struct trop_check_options *trop_setup_check(struct trop_setup *setup);
TROP_API struct trop_reproduction_options *trop_setup_reproduction(struct trop_setup *setup);

/* ---- run: a token flow with its files ------------------------------------------- */

struct trop_run;

/* Reads every file that setup names and refuses what cannot work, an out that cannot
 * be written included, before anything is computed. setup may go after the call. */
TROP_API enum trop_status trop_run_create(struct trop_run **out, struct trop_setup *setup);
TROP_API void trop_run_free(struct trop_run *run);

/* Runs to the end, or until progress asks to stop or the time limit has passed
 * (TROP_ERR_STOPPED: the result so far is there, and written; with an out in HDF5
 * a checkpoint as well). After TROP_ERR_IO, a file that could not be written, the result
 * is there too. progress may be NULL. */
TROP_API enum trop_status trop_run_go(struct trop_run *run, trop_progress *progress, void *context);
/* Takes at most so many further steps, recording and checkpointing what is due, and judges the
 * state; the file of the result is trop_run_go's. */
TROP_API enum trop_status trop_run_step(struct trop_run *run, int64_t steps,
                                        trop_progress *progress, void *context);
/* Writes what there is to a further file: .h5, .json, or .npy for the tokens. */
TROP_API enum trop_status trop_run_save(struct trop_run *run, const char *path);

/* The flow, for its fields. Owned by run. */
TROP_API const struct trop_flow *trop_run_flow(const struct trop_run *run);
/* The result as one JSON object: the fields of the flow, the record, version, seed
 * and seconds. Owned by run, valid until the next call or the end of run. */
TROP_API enum trop_status trop_run_json(const char **out, struct trop_run *run);
/* What JSON has beside trop_flow_field_table(): version, seed, seconds. Their handle is the run, or
 * a bulk, check or reproduction, whose JSON has them too. */
TROP_API const struct trop_field *trop_run_field_table(void);
/* Recorded column k = 0, 1, ...: its name and all its rows, (rows, ...); NULL when there are no
 * more. Valid until the next step. */
TROP_API const char *trop_run_record(struct trop_value *out, const struct trop_run *run, int64_t k);
/* What the person should know though nothing failed, such as a damaged checkpoint
 * that was passed over; "" when there is nothing. Owned by run. */
TROP_API const char *trop_run_notice(const struct trop_run *run);
/* 1 when the run can be taken up again with the option resume. */
TROP_API int trop_run_resumable(const struct trop_run *run);
/* The file of the result; NULL when there is none, or it could not be written. Owned by run. */
TROP_API const char *trop_run_out(const struct trop_run *run);

/* ---- bulk: many copies of a small flow, with their files -------------------------- */

struct trop_bulk;

/* A setup for "flow" whose copies is above 0; the rest as for trop_run_create. */
TROP_API enum trop_status trop_bulk_create(struct trop_bulk **out, struct trop_setup *setup);
TROP_API void trop_bulk_free(struct trop_bulk *bulk);
/* Runs all copies and writes out, also when it is stopped (TROP_ERR_STOPPED): then with the copies
 * that are done. After TROP_ERR_IO, a file that could not be written, they are there too. */
TROP_API enum trop_status trop_bulk_go(struct trop_bulk *bulk, trop_progress *progress,
                                       void *context);
/* The copies, for their fields. Owned by bulk. */
TROP_API const struct trop_copies *trop_bulk_copies(const struct trop_bulk *bulk);
/* The result as one JSON object: the fields of the copies, version, seed and seconds; arrays with
 * an entry for each copy up to 10000 copies, or with print_tokens. Owned by bulk, valid until the
 * next call. */
TROP_API enum trop_status trop_bulk_json(const char **out, struct trop_bulk *bulk);
/* Writes what there is to a further file: .h5, .json, or .npy for the tokens. */
TROP_API enum trop_status trop_bulk_save(struct trop_bulk *bulk, const char *path);
/* The file of the result; NULL when there is none, or it could not be written. Owned by bulk. */
TROP_API const char *trop_bulk_out(const struct trop_bulk *bulk);

/* ---- study: the description of a cloud, or of training data, with its files ------- */

struct trop_study;

/* Reads every file that setup names, refuses what cannot work, an out that cannot be
 * written included, and computes what takes no long time. setup may go after the call. */
TROP_API enum trop_status trop_study_create(struct trop_study **out, struct trop_setup *setup);
TROP_API void trop_study_free(struct trop_study *study);
/* Computes the rest: nothing of cells, the bracket of threshold, the runs of escape, the solution
 * of margin, the steps of train, the radii of path. progress may be NULL. With TROP_ERR_STOPPED,
 * asked for by progress or the time limit, or because a solver came to no end, the result is what
 * is known. */
TROP_API enum trop_status trop_study_go(struct trop_study *study, trop_progress *progress,
                                        void *context);
/* Writes the file of the result; nothing when there is none. */
TROP_API enum trop_status trop_study_write(struct trop_study *study);
/* Writes what there is to a further file, .h5 or .json. */
TROP_API enum trop_status trop_study_save(struct trop_study *study, const char *path);

/* What it has computed, for its fields; NULL when that is not what its verb computes. Owned by
 * study. */
TROP_API const struct trop_cells *trop_study_cells(const struct trop_study *study);
TROP_API const struct trop_consensus *trop_study_consensus(const struct trop_study *study);
TROP_API const struct trop_escape *trop_study_escape(const struct trop_study *study);
TROP_API const struct trop_margin *trop_study_margin(const struct trop_study *study);
TROP_API const struct trop_train *trop_study_train(const struct trop_study *study);
TROP_API const struct trop_path *trop_study_path(const struct trop_study *study);
/* The cloud that it is about, (n, d), with its shape; NULL when it is about none. Owned by study.
 */
TROP_API const double *trop_study_tokens(int64_t shape[2], const struct trop_study *study);
/* The result as one JSON object: the fields of what it has computed, the tokens unless they
 * are many, version, seed and seconds. Owned by study, valid until the next call or its end. */
TROP_API enum trop_status trop_study_json(const char **out, struct trop_study *study);
/* What JSON has beside these fields; their handle is the study. */
TROP_API const struct trop_field *trop_study_field_table(void);
/* The file of the result; NULL when there is none, or it could not be written. Owned by study. */
TROP_API const char *trop_study_out(const struct trop_study *study);

/* ---- doctor: what this build and this machine can do ------------------------------ */

struct trop_doctor;

/* Looks around and runs small flows with known answers on every kernel. */
TROP_API enum trop_status trop_doctor_create(struct trop_doctor **out);
TROP_API void trop_doctor_free(struct trop_doctor *doctor);
TROP_API const struct trop_field *trop_doctor_field_table(void);
TROP_API enum trop_status trop_doctor_value(struct trop_value *out,
                                            const struct trop_doctor *doctor, const char *name);
/* As JSON. Owned by doctor. */
TROP_API enum trop_status trop_doctor_json(const char **out, struct trop_doctor *doctor);

/* ---- dataset: training data from files, and the papers' by name ------------------------ */

/* As seed: the one that the named set was published with. */
#define TROP_DATASET_SEED UINT64_MAX

/* name: a file .json or .h5, a folder of .npy, or a named set (trop_dataset_names), which wins over
 * a folder of that name. n, T, d (0: the set's own size) and seed are for named sets that are
 * drawn; a size given for a file or a fixed set must agree with it. docs/data.md has the layouts.
 */
TROP_API enum trop_status trop_dataset_create(struct trop_dataset **out, const char *name,
                                              int64_t n, int64_t T, int64_t d, uint64_t seed);
/* From arrays in memory, which are copied: keys[k] is one of trop_dataset_keys(), NULL-ended,
 * values[k] its numbers (whole numbers as doubles too), shapes[4 k .. 4 k + ranks[k] - 1] its
 * shape. */
TROP_API enum trop_status trop_dataset_create_arrays(struct trop_dataset **out,
                                                     const char *const *keys,
                                                     const double *const *values,
                                                     const int64_t *ranks, const int64_t *shapes);
TROP_API void trop_dataset_free(struct trop_dataset *dataset);
/* The arrays by their keys, X, y, z, v, K, E, ids, next: null when absent. Owned by dataset. */
TROP_API const char *const *trop_dataset_keys(void); /* NULL-ended */
TROP_API const struct trop_field *trop_dataset_field_table(void);
TROP_API enum trop_status trop_dataset_value(struct trop_value *out,
                                             const struct trop_dataset *dataset, const char *name);
/* Owned by dataset, valid until trop_dataset_free. */
TROP_API const struct trop_data *trop_dataset_data(const struct trop_dataset *dataset);
/* NULL-ended; meaning: one line each, NULL when there is no such set. */
TROP_API const char *const *trop_dataset_names(void);
TROP_API const char *trop_dataset_meaning(const char *name);
/* Writes .json, .h5 or a folder of .npy (a name without ending; nothing, or an empty folder, may
 * be there) that trop_dataset_create reads back to the same bits. */
TROP_API enum trop_status trop_dataset_write(const struct trop_dataset *dataset, const char *path);

/* ---- plot: a picture of a result --------------------------------------------------------- */

struct trop_plot_options {
    const char *file;  /* of a result, .h5; several, parted by commas, where kinds compare them */
    int64_t kind;      /* index into the names of the table; auto: what the file is about */
    const char *out;   /* .pdf, .svg or .png; .gif of what moves */
    const char *title; /* NULL: none */
    double width, height; /* in points, 1/72 inch */
    const char *x, *y;    /* of curve: columns of a list, such as history/step */
    const char *against;  /* of clusters: the option that differs from file to file */
    const char *axes;     /* of training: two entries of the weights, "0,1" */
    int64_t record;       /* of graph and attention: which record; -1: the state at the end */
    double seconds;       /* of a film: for each record */
};

TROP_API struct trop_plot_options trop_plot_options_default(void);
TROP_API const struct trop_option *trop_plot_option_table(void);
/* Reads the file of the result, draws it and writes out. */
TROP_API enum trop_status trop_plot_run(struct trop_setup *setup);

/* ---- claims: every theorem and figure of the papers ----------------------------------- */

struct trop_claims;

/* The one called id, or those of a paper ("fw", "lm", "afz", "mm", "tf", "md") and with a status
 * ("proved", "conjectured", "false-as-printed", "artifact", "needs-data", "measured"); NULL: any.
 */
TROP_API enum trop_status trop_claims_create(struct trop_claims **out, const char *id,
                                             const char *paper, const char *status);
TROP_API void trop_claims_free(struct trop_claims *claims);
TROP_API const struct trop_field *trop_claims_field_table(void);
TROP_API enum trop_status trop_claims_value(struct trop_value *out,
                                            const struct trop_claims *claims, const char *name);
/* As JSON. Owned by claims. */
TROP_API enum trop_status trop_claims_json(const char **out, struct trop_claims *claims);

/* ---- check: a claim against instances ---------------------------------------------------- */

struct trop_check;

struct trop_check_options {
    const char *claim;     /* its id */
    const char *tokens;    /* file of a cloud (n, d); NULL: drawn */
    const char *data;      /* as in trop_study_options; NULL: drawn */
    int64_t n, T, d;       /* of a named set */
    const char *key_query; /* B: a file, or a number times the identity */
    const char *value;     /* V likewise */
    double gamma;          /* these five and set: NaN or NULL when not given */
    double beta;
    double epsilon;
    double p;
    double steps;
    const char *set;      /* further numbers: "radius=.2,kappa=5" */
    const char *instance; /* file of a case that a check wrote */
    int64_t trials;       /* instances on which every hypothesis is true; 0: the claim's own */
    uint64_t seed;
    int64_t full; /* 1: figures and tables at the size of the paper */
    const char
        *counterexample; /* file of the first one; NULL: ID-counterexample.h5, "none": none */
    const char *out;     /* file of the result, .json; NULL: none */
    double time_limit;   /* seconds; 0: none */
    int64_t threads;     /* 0: every core; never changes a result */
};

TROP_API struct trop_check_options trop_check_options_default(void);
TROP_API const struct trop_option *trop_check_option_table(void);
/* Reads the files that the setup names. */
TROP_API enum trop_status trop_check_create(struct trop_check **out, struct trop_setup *setup);
TROP_API void trop_check_free(struct trop_check *check);
/* Judges the instances. With TROP_ERR_STOPPED the result is about those that were judged; with
 * TROP_ERR_IO it is whole, and a file could not be written. */
TROP_API enum trop_status trop_check_run(struct trop_check *check, trop_progress *progress,
                                         void *context);
TROP_API const struct trop_field *trop_check_field_table(void);
TROP_API enum trop_status trop_check_value(struct trop_value *out, const struct trop_check *check,
                                           const char *name);
TROP_API enum trop_status trop_check_json(const char **out, struct trop_check *check);

/* ---- reproduction: figures and tables, ours beside the published --------------------------- */

struct trop_reproduction;

struct trop_reproduction_options {
    const char *claim; /* id of a figure or table, or "all" */
    const char *out;   /* folder of the pictures, and of report.html with all */
    int64_t quick;     /* 1: fewer runs */
    uint64_t seed;
    double time_limit; /* seconds; 0: none */
    int64_t threads;   /* 0: every core; never changes a result */
};

TROP_API struct trop_reproduction_options trop_reproduction_options_default(void);
TROP_API const struct trop_option *trop_reproduction_option_table(void);
TROP_API enum trop_status trop_reproduction_create(struct trop_reproduction **out,
                                                   struct trop_setup *setup);
TROP_API void trop_reproduction_free(struct trop_reproduction *reproduction);
/* Computes, draws and writes one after the other. With TROP_ERR_STOPPED the result has those that
 * are done. */
TROP_API enum trop_status trop_reproduction_run(struct trop_reproduction *reproduction,
                                                trop_progress *progress, void *context);
TROP_API const struct trop_field *trop_reproduction_field_table(void); /* of one */
TROP_API const struct trop_field *trop_reproduction_all_table(void);   /* of all */
TROP_API enum trop_status trop_reproduction_value(struct trop_value *out,
                                                  const struct trop_reproduction *reproduction,
                                                  const char *name);
TROP_API enum trop_status trop_reproduction_json(const char **out,
                                                 struct trop_reproduction *reproduction);

#ifdef __cplusplus
}
#endif

#endif
