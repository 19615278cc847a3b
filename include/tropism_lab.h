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

/* What a verb takes beside the options of its numbers: how it meets files. */
struct trop_job_options {
    const char *tokens;   /* file of the tokens, (n, d), of flow also (copies, n, d); NULL: drawn */
    const char *masses;   /* of flow and threshold: file of their masses, (n); NULL: all 1 */
    const char *query;    /* of cells: file of further points, (queries, d); NULL: none */
    const char *out;      /* file of the result; NULL: none */
    int64_t print_tokens; /* 1: JSON has the tokens, whatever their number */
    double time_limit;    /* seconds; 0: none */

    /* Of flow. */
    const char *record; /* names of trop_flow_watch_table(), separated by commas */
    int64_t every;      /* steps from one record to the next */
    int64_t checkpoint; /* steps from one checkpoint to the next; 0: none */
    const char *resume; /* goes on with the run whose out this was */
    int64_t copies;     /* of the flow, in bulk; 0: one flow, described in full */
    /* With copies: lists of which the product is taken, the last fastest; NULL: none. */
    const char *betas, *epsilons, *alphas, *gammas;
    int64_t starts; /* how many clouds the tokens were, (starts, n, d); 0: one, (n, d) */

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

    const char *q, *k, *v; /* of inspect: files of queries, keys and values, instead of a model */
    const char *report;    /* the result as a page, .html; NULL: none */
    const char *proof;     /* what is proved of it, .json; NULL: none */
};

TROP_API struct trop_job_options trop_job_options_default(void);
/* The part of them that a verb has; NULL when it has none. */
TROP_API const struct trop_option *trop_job_option_table(const char *verb);

/* A verb is what is to be done with the options, by trop_job_create. Verb k = 0, 1, ..., NULL
 * behind the last; what it does, in a line; the option that a word without a name sets, NULL: none;
 * the fields of its result, NULL: no such verb. */
TROP_API const char *trop_verb_name(int64_t k);
TROP_API const char *trop_verb_meaning(const char *verb);
TROP_API const char *trop_verb_subject(const char *verb);
/* The option that all further words set, separated by commas; NULL: none. */
TROP_API const char *trop_verb_object(const char *verb);
TROP_API const struct trop_field *trop_verb_field_table(const char *verb);

TROP_API enum trop_status trop_setup_create(struct trop_setup **out, const char *verb);
TROP_API void trop_setup_free(struct trop_setup *setup);

/* The tables of the options that a verb takes: part 0, 1, ...; NULL when there are no
 * more, or no such verb. */
TROP_API const struct trop_option *trop_setup_table(const char *verb, int64_t part);

/* One option of any of these tables. Matrices may also be files (.npy, .csv,
 * FILE.h5:/path), schedules @FILE: they are read when the options are used. */
TROP_API enum trop_status trop_setup_set(struct trop_setup *setup, const char *name,
                                         const char *text);
/* The same options from a YAML file, "name: value" each, or from the .h5 of a result of
 * this verb, with the arrays and data in it. What is set afterwards by
 * trop_setup_set wins over the file, also where the two exclude each other. */
TROP_API enum trop_status trop_setup_read(struct trop_setup *setup, const char *path);

/* An array in the place of a file: tokens, masses, query, direction and equal of the files, and
 * every matrix and schedule; a tensor of start is "start.p", "start.W", "start.v", "start.K" or
 * "start.Q". Copied; checked as a file is, when the options are used. rank is at most 4. */
TROP_API enum trop_status trop_setup_array(struct trop_setup *setup, const char *name,
                                           const double *values, int64_t rank,
                                           const int64_t *shape);
/* Several texts in the place of the one of an option: text, of inspect. Copied. */
TROP_API enum trop_status trop_setup_texts(struct trop_setup *setup, const char *name,
                                           const char *const *texts, int64_t count);
struct trop_dataset;
/* Training data in the place of the option data: kept by reference, so they must live until the
 * options are used. */
TROP_API enum trop_status trop_setup_data(struct trop_setup *setup,
                                          const struct trop_dataset *dataset);
struct trop_corpus;
/* The same for sequences: train then learns from them; they must live as long as the job. */
TROP_API enum trop_status trop_setup_sequences(struct trop_setup *setup,
                                               struct trop_corpus *corpus);
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
TROP_API struct trop_cells_options *trop_setup_cells(struct trop_setup *setup);
TROP_API struct trop_threshold_options *trop_setup_threshold(struct trop_setup *setup);
TROP_API struct trop_escape_options *trop_setup_escape(struct trop_setup *setup);
TROP_API struct trop_margin_options *trop_setup_margin(struct trop_setup *setup);
TROP_API struct trop_train_options *trop_setup_train(struct trop_setup *setup);
TROP_API struct trop_fit_options *trop_setup_fit(struct trop_setup *setup);
TROP_API struct trop_corpus_options *trop_setup_corpus(struct trop_setup *setup);
TROP_API struct trop_path_options *trop_setup_path(struct trop_setup *setup);
TROP_API struct trop_job_options *trop_setup_job(struct trop_setup *setup);
TROP_API struct trop_plot_options *trop_setup_plot(struct trop_setup *setup);
TROP_API struct trop_inspect_options *trop_setup_inspect(struct trop_setup *setup);
TROP_API struct trop_claims_options *trop_setup_claims(struct trop_setup *setup);
TROP_API struct trop_check_options *trop_setup_check(struct trop_setup *setup);
TROP_API struct trop_reproduction_options *trop_setup_reproduction(struct trop_setup *setup);
TROP_API struct trop_study_options *trop_setup_study(struct trop_setup *setup);

/* ---- job: a verb with its options, from its files to its result --------------------- */

struct trop_job;

/* Reads every file that setup names, refuses what cannot work, an out that cannot be written
 * included, and computes what takes no long time. setup may go after the call. */
TROP_API enum trop_status trop_job_create(struct trop_job **out, struct trop_setup *setup);
/* Pairs of option name and text, NULL-ended: { "n", "64", "out", "run.h5", NULL }. */
TROP_API enum trop_status trop_job_create_from(struct trop_job **out, const char *verb,
                                               const char *const *pairs);
TROP_API void trop_job_free(struct trop_job *job);

/* Computes the rest and writes out. With TROP_ERR_STOPPED, asked for by progress or the time limit,
 * or because a solver came to no end, the result is what is known, and written (of a flow with an
 * out in HDF5 a checkpoint as well): a further call goes on. After TROP_ERR_IO, a file that could
 * not be written, the result is there too. progress may be NULL. */
TROP_API enum trop_status trop_job_run(struct trop_job *job, trop_progress *progress,
                                       void *context);
/* Of flow: takes at most so many further steps, recording and checkpointing what is due, and judges
 * the state; the file of the result is trop_job_run's. */
TROP_API enum trop_status trop_job_step(struct trop_job *job, int64_t steps,
                                        trop_progress *progress, void *context);
/* Of flow: trop_flow_extend, and the job's options are those of a run that was asked for that end.
 * Not of one that writes checkpoints, whose parts have the options that it began with. */
TROP_API enum trop_status trop_job_extend(struct trop_job *job, const char *name, const char *text);
/* Writes what there is to a further file: .h5, .json, or .npy for the tokens of flows. */
TROP_API enum trop_status trop_job_save(struct trop_job *job, const char *path);

/* Writes what is proved of the result, as the option proof does, to a .json; *claims 0: nothing is,
 * and there is no file. */
TROP_API enum trop_status trop_job_prove(int64_t *claims, const struct trop_job *job,
                                         const char *path);

/* The fields of the result, and their handle: a struct trop_flow, trop_copies, trop_cells,
 * trop_threshold (threshold), trop_escape, trop_margin, trop_train or trop_path, or what only these
 * tables read. Owned by job. */
TROP_API const struct trop_field *trop_job_field_table(const struct trop_job *job);
TROP_API const void *trop_job_result(const struct trop_job *job);
/* The same by name, with what stands beside them. */
TROP_API enum trop_status trop_job_value(struct trop_value *out, const struct trop_job *job,
                                         const char *name);
TROP_API enum trop_status trop_job_number(double *out, const struct trop_job *job,
                                          const char *name);
TROP_API enum trop_status trop_job_cell(struct trop_value *out, const struct trop_job *job,
                                        const char *list, const char *column, int64_t row);
/* Option k = 0, 1, ... of those that have a part in the result: its name and its value as text, a
 * model that was auto as what it stands for; NULL behind the last. given: 1 when it was given, or
 * is a choice. Owned by job. */
TROP_API const char *trop_job_option(const char **text, const struct trop_job *job, int64_t k);
TROP_API int trop_job_given(const struct trop_job *job, int64_t k);
/* What JSON has beside the fields and options: version, seed, seconds. Their handle is the job. */
TROP_API const struct trop_field *trop_job_stamp_table(void);
/* The result as one JSON object: the fields, the tokens unless they are many, what was recorded,
 * the options, version, seed and seconds. Owned by job, valid until the next call or its end. */
TROP_API enum trop_status trop_job_json(const char **out, struct trop_job *job);
/* The cloud that it is about, (n, d), with its shape; NULL when it is about none. Owned by job. */
TROP_API const double *trop_job_tokens(int64_t shape[2], const struct trop_job *job);
/* Of flow: recorded column k = 0, 1, ...: its name and all its rows, (rows, ...); NULL when there
 * are no more. Valid until the next step. */
TROP_API const char *trop_job_record(struct trop_value *out, const struct trop_job *job, int64_t k);
/* What the person should know though nothing failed, such as a damaged checkpoint that was passed
 * over; "" when there is nothing. Owned by job. */
TROP_API const char *trop_job_notice(const struct trop_job *job);
/* 1 when it is a flow that can be taken up again with the option resume. */
TROP_API int trop_job_resumable(const struct trop_job *job);
/* The file of the result; NULL when there is none, or it could not be written. Owned by job. */
TROP_API const char *trop_job_out(const struct trop_job *job);
/* The page of the option report, likewise. */
TROP_API const char *trop_job_report(const struct trop_job *job);
/* The file of the option proof, likewise; NULL also when nothing is proved of the result. */
TROP_API const char *trop_job_proof(const struct trop_job *job);

/* ---- result: the file of a result, .h5, read again -------------------------------------- */

struct trop_result;

TROP_API enum trop_status trop_result_open(struct trop_result **out, const char *path);
TROP_API void trop_result_free(struct trop_result *result);
/* "tropism flow run", "tropism train", ...; owned by result. */
TROP_API const char *trop_result_format(const struct trop_result *result);
/* Dataset k = 0, 1, ... by its path (docs/files.md), such as "result/tokens"; NULL behind the last.
 * Owned by result. */
TROP_API const char *trop_result_name(const struct trop_result *result, int64_t k);
/* A dataset as a number, truth, text, or an array of one of these. Owned by result, valid until the
 * next call. */
TROP_API enum trop_status trop_result_value(struct trop_value *out, struct trop_result *result,
                                            const char *name);
/* Option k = 0, 1, ... of those that apply and have a value, as trop_job_option tells them of a
 * job: its name and its text, valid likewise; NULL when there are no more. */
TROP_API const char *trop_result_option(const char **text, struct trop_result *result, int64_t k);
/* The text of an attribute: of "/options" an option of the run, of "/" the version; NULL: there is
 * none. Likewise. */
TROP_API const char *trop_result_text(struct trop_result *result, const char *group,
                                      const char *name);

/* What the verbs of the lab tell that have no noun in tropism.h: doctor, plot, claims, check,
 * reproduce of one figure or table and of all. The handle is trop_job_result. */
TROP_API const struct trop_field *trop_doctor_field_table(void);
TROP_API const struct trop_field *trop_plot_field_table(void);
TROP_API const struct trop_field *trop_claims_field_table(void);
TROP_API const struct trop_field *trop_check_field_table(void);
TROP_API const struct trop_field *trop_reproduction_field_table(void);
TROP_API const struct trop_field *trop_reproduction_all_table(void);

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

/* ---- corpus: texts, images and ragged tensors, as sequences ------------------------------- */

struct trop_corpus;

enum trop_corpus_tokenizer { TROP_CORPUS_WORDS, TROP_CORPUS_WORDPIECE };

struct trop_corpus_options {
    int64_t tokenizer;     /* enum trop_corpus_tokenizer */
    const char *wordpiece; /* file of the pieces, vocab.txt */
    int64_t vocabulary;    /* most frequent words, the unknown word among them; 0: all */
    int64_t min_count;     /* of a word that is known */
    int64_t max_length;    /* tokens of an item, the first ones; 0: all */
    int64_t patch;         /* of images: side of the square patches; 0: rows are tokens */
    const char *lexicon;   /* file of words that should matter, or opinion; NULL: none */
    const char *columns;   /* of a table without a header: "split,label,,,text"; NULL: by number */
};

TROP_API struct trop_corpus_options trop_corpus_options_default(void);
TROP_API const struct trop_option *trop_corpus_option_table(void);

/* 1 when data is, by its name alone, one of these rather than a data set: mr, digits, .tsv, .csv
 * (and those packed as .gz or .xz), .zip, .npz, FILE.h5:/group, IDX files (-ubyte, .gz too). */
TROP_API int trop_corpus_takes(const char *data);
/* docs/data.md has the layouts. options may be NULL: the defaults. */
TROP_API enum trop_status trop_corpus_create(struct trop_corpus **out, const char *data,
                                             const struct trop_corpus_options *options);
/* Pairs of option name and text, NULL-ended. */
TROP_API enum trop_status trop_corpus_create_from(struct trop_corpus **out, const char *data,
                                                  const char *const *pairs);
/* n texts in memory, which are copied, with the numbers of their classes and enum trop_split of
 * each, NULL: there are none. */
TROP_API enum trop_status trop_corpus_create_texts(struct trop_corpus **out,
                                                   const char *const *texts, const int64_t *labels,
                                                   const int64_t *splits, int64_t n,
                                                   const struct trop_corpus_options *options);
TROP_API enum trop_status trop_corpus_create_texts_from(struct trop_corpus **out,
                                                        const char *const *texts,
                                                        const int64_t *labels,
                                                        const int64_t *splits, int64_t n,
                                                        const char *const *pairs);
/* The same with the names of the classes, as files have them: neg, pos. */
TROP_API enum trop_status trop_corpus_create_labelled_from(struct trop_corpus **out,
                                                           const char *const *texts,
                                                           const char *const *labels,
                                                           const int64_t *splits, int64_t n,
                                                           const char *const *pairs);
/* Ragged arrays in memory, which are copied, by the names that they have in files (docs/data.md):
 * keys[k], NULL-ended, values[k] its numbers (whole numbers as doubles too), shapes[4 k .. 4 k +
 * ranks[k] - 1] its shape. */
TROP_API enum trop_status
trop_corpus_create_arrays_from(struct trop_corpus **out, const char *const *keys,
                               const double *const *values, const int64_t *ranks,
                               const int64_t *shapes, const char *const *pairs);
TROP_API void trop_corpus_free(struct trop_corpus *corpus);
/* Owned by corpus, valid until trop_corpus_free; so is what the next three return. */
TROP_API const struct trop_sequences *trop_corpus_sequences(const struct trop_corpus *corpus);
/* Where it came from: data as it was given, "texts" of texts in memory. */
TROP_API const char *trop_corpus_name(const struct trop_corpus *corpus);
/* The name of class k = 0, 1, ...; NULL behind the last. */
TROP_API const char *trop_corpus_class(const struct trop_corpus *corpus, int64_t k);
/* The text of item i; NULL when it has none. */
TROP_API const char *trop_corpus_text(const struct trop_corpus *corpus, int64_t i);
/* The words of all items one behind the other, (count); NULL when it has vectors. */
TROP_API const int32_t *trop_corpus_ids(int64_t *count, const struct trop_corpus *corpus);
/* Its name, sizes and the other arrays of trop_sequences by name: null when absent. */
TROP_API const struct trop_field *trop_corpus_field_table(void);
TROP_API enum trop_status trop_corpus_value(struct trop_value *out,
                                            const struct trop_corpus *corpus, const char *name);
/* The tokens of any text in the words of this corpus, (count) each: their ids, and the words, those
 * that are unknown as they stand in the text. Owned by corpus, valid until the next call. */
TROP_API enum trop_status trop_corpus_encode(const int32_t **ids, const char *const **words,
                                             int64_t *count, struct trop_corpus *corpus,
                                             const char *text);
/* The same words for item i, as many as the sequences have tokens there. */
TROP_API enum trop_status trop_corpus_words(const char *const **words, int64_t *count,
                                            struct trop_corpus *corpus, int64_t i);

/* ---- reading: what trained attention says of other items ---------------------------------- */

struct trop_reading;

/* job: train on sequences that has run; the weights are those of the chosen epoch, of a run that
 * was stopped the last ones. The texts are taken in the words of the corpus that it learnt from. */
TROP_API enum trop_status trop_reading_create_texts(struct trop_reading **out, struct trop_job *job,
                                                    const char *const *texts, int64_t n);
/* The items of a corpus: texts likewise, ids and vectors as they are. */
TROP_API enum trop_status trop_reading_create(struct trop_reading **out, struct trop_job *job,
                                              const struct trop_corpus *corpus);
TROP_API void trop_reading_free(struct trop_reading *reading);
/* Its fields: the classes, the scores of each item and the class that they predict, the tokens and
 * what each of them gets of the attention. Owned by reading, which needs neither job nor corpus any
 * more. */
TROP_API const struct trop_field *trop_reading_field_table(void);
TROP_API enum trop_status trop_reading_value(struct trop_value *out,
                                             const struct trop_reading *reading, const char *name);

/* ---- inspect: what the heads of a trained transformer select -------------------------------- */

enum trop_inspect_mask { TROP_INSPECT_NONE, TROP_INSPECT_CAUSAL };
enum trop_inspect_norm { TROP_INSPECT_L2, TROP_INSPECT_NUCLEAR };

struct trop_inspect_options {
    const char *model;             /* folder or file; NULL: arrays alone (options q, k and v) */
    const char *text, *file, *ids; /* what it reads, one of them */
    int64_t texts;                 /* of a file of several, at most; 0: all */
    const char *tokenizer;         /* folder or file; NULL: beside the model */
    const char *names;             /* .json with names of tensors; NULL: those of the family */
    int64_t mask;                  /* enum trop_inspect_mask, of arrays */
    double scale;                  /* of the scores of arrays; 0: 1/sqrt(d) */
    const char *layers, *heads;    /* "0,3:5", ends included; NULL: all */
    int64_t rows;                  /* 1: of one text what every row has is told too */
    int64_t inputs;                /* 1: of one text q, k, v and the streams are told too */
    const char *measure; /* names separated by commas, or "all"; NULL: all but reach, margin and
                            hypothetical */
    int64_t norm;        /* enum trop_inspect_norm, of margin */
    int64_t nulls;       /* of margin: random heads */
    int64_t at;          /* of reach in a causal head: the position; -1: the last */
    double tolerance;    /* of clusters, relative to the median length of tokens */
    uint64_t seed;       /* of random heads */
    int64_t threads;     /* workers, 0: every core; never changes a result */
};

TROP_API struct trop_inspect_options trop_inspect_options_default(void);
TROP_API const struct trop_option *trop_inspect_option_table(void);
/* The fields of the verb inspect with --rows and without; which of them a result has depends on
 * what was measured and of what. */
TROP_API const struct trop_field *trop_inspect_field_table(void);

/* ---- plot: a picture of a result --------------------------------------------------------- */

enum trop_plot_band { TROP_PLOT_DEVIATION, TROP_PLOT_QUANTILES, TROP_PLOT_ERROR };

/* Which axes are logarithmic; auto: as the kind says. */
enum trop_plot_log {
    TROP_PLOT_LOG_AUTO,
    TROP_PLOT_LOG_NONE,
    TROP_PLOT_LOG_X,
    TROP_PLOT_LOG_Y,
    TROP_PLOT_LOG_XY
};

struct trop_plot_options {
    const char *file;  /* of a result, .h5; several, separated by commas, where kinds compare them;
                          or  the folder of a study */
    int64_t kind;      /* index into the names of the table; auto: what the file is about */
    const char *out;   /* .pdf, .svg or .png; .gif of what moves */
    const char *title; /* NULL: none */
    const char *x_label, *y_label; /* of the axes; NULL: as the kind says */
    int64_t log;                   /* enum trop_plot_log */
    double width, height;          /* in points, 1/72 inch */
    const char *x, *y;             /* of curve: columns of a list, such as history/step */
    const char *against;           /* of clusters: the option that differs from file to file */
    const char *axes;              /* of training: two entries of the weights, "0,1" */
    int64_t record;    /* of graph and attention: which record; -1: the state at the end */
    double seconds;    /* of a film: for each record */
    const char *of;    /* of heads: a number of a head, such as flip; NULL: flip_relative or flip;
                          of a study: the field that is drawn over x and y */
    const char *where; /* of a study: a condition of SQL; NULL: none */
    int64_t band;      /* of bands: enum trop_plot_band */
};

TROP_API struct trop_plot_options trop_plot_options_default(void);
TROP_API const struct trop_option *trop_plot_option_table(void);

/* ---- claims: every theorem and figure of the papers ----------------------------------- */

struct trop_claims_options {
    const char *claim;  /* the one with this id; NULL: any */
    const char *paper;  /* "fw", "lm", "afz", "mm", "tf", "md" or "sp"; NULL: any */
    const char *status; /* "proved", "conjectured", "false-as-printed", "artifact", "needs-data" or
                           "measured"; NULL: any */
};

TROP_API struct trop_claims_options trop_claims_options_default(void);
TROP_API const struct trop_option *trop_claims_option_table(void);

/* ---- check: a claim against instances ---------------------------------------------------- */

struct trop_check_options {
    const char *claim;     /* its id */
    const char *tokens;    /* file of a cloud (n, d); NULL: drawn */
    const char *data;      /* as in trop_job_options; NULL: drawn */
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
    double search;        /* seconds of a search for a counterexample; 0: instances are drawn */
    int64_t restarts;     /* of that search at most; 0: no limit */
    uint64_t seed;
    int64_t full; /* 1: figures and tables at the size of the paper */
    const char
        *counterexample; /* file of the first one; NULL: ID-counterexample.h5, "none": none */
    int64_t shrink;      /* 1: the counterexample is made small */
    const char *out;     /* file of the result, .json; NULL: none */
    const char *report;  /* the result as a page, .html; NULL: none */
    const char *proof;   /* what its counterexample proves, .json; NULL: none */
    double time_limit;   /* seconds; 0: none */
    int64_t threads;     /* 0: every core; never changes a result */
};

TROP_API struct trop_check_options trop_check_options_default(void);
TROP_API const struct trop_option *trop_check_option_table(void);
/* ---- reproduction: figures and tables, ours beside the published --------------------------- */

struct trop_reproduction_options {
    const char *claim; /* id of a figure or table, or "all" */
    const char *data;  /* of those that take texts: a file or a named set; NULL: their own */
    const char *out;   /* folder of the pictures, and of report.html with all */
    int64_t quick;     /* 1: fewer runs */
    uint64_t seed;
    double time_limit; /* seconds; 0: none */
    int64_t threads;   /* 0: every core; never changes a result */
};

TROP_API struct trop_reproduction_options trop_reproduction_options_default(void);
TROP_API const struct trop_option *trop_reproduction_option_table(void);

/* ---- study: a verb at every point of a product of axes --------------------------------- */

struct trop_study;

/* From YAML text; name is what sentences call it, NULL: "study". From a file, or the one that a
 * folder of results keeps. What is asked is judged, nothing is computed. */
TROP_API enum trop_status trop_study_create(struct trop_study **out, const char *text,
                                            const char *name);
TROP_API enum trop_status trop_study_read(struct trop_study **out, const char *path);
TROP_API void trop_study_free(struct trop_study *study);
/* The YAML text, the verb, and field k = 0, 1, ... that is kept, NULL behind the last. Owned by
 * study. */
TROP_API const char *trop_study_text(const struct trop_study *study);
TROP_API const char *trop_study_verb(const struct trop_study *study);
TROP_API const char *trop_study_keep(const struct trop_study *study, int64_t k);
/* Option k = 0, 1, ... that is the same at every point, and its text; NULL behind the last. */
TROP_API const char *trop_study_fixed(const char **text, const struct trop_study *study, int64_t k);

/* Points are 0 .. points - 1, the last axis fastest. */
TROP_API int64_t trop_study_points(const struct trop_study *study);
/* How many values axis 0, 1, ... has; 0 behind the last. */
TROP_API int64_t trop_study_axis(const struct trop_study *study, int64_t axis);
/* Option k = 0, 1, ... of an axis, several where they go side by side; NULL behind the last. */
TROP_API const char *trop_study_axis_name(const struct trop_study *study, int64_t axis, int64_t k);
/* 1 when all its values are finite numbers. */
TROP_API int trop_study_axis_numeric(const struct trop_study *study, int64_t axis, int64_t k);
/* The text of option k at value 0, 1, ... of the axis; returns the length it needs, as snprintf. */
TROP_API int64_t trop_study_axis_text(char *out, int64_t size, const struct trop_study *study,
                                      int64_t axis, int64_t k, int64_t value);
/* Which value of the axis a point has. */
TROP_API int64_t trop_study_place(const struct trop_study *study, int64_t axis, int64_t point);

/* How points are computed: nothing here changes a result. */
struct trop_study_run_options {
    int64_t first, last;   /* points first .. last - 1 alone; last 0: to the end */
    int64_t shard, shards; /* of these those of shard 0 .. shards - 1; shards 0: all */
    double point_limit;  /* seconds after which a point is left, with a row that says so; 0: none */
    double time_limit;   /* seconds after which no further point is begun; 0: none */
    int64_t extend;      /* 1: a changed file may have new points */
    int64_t threads;     /* workers, 0: every core */
    const char *command; /* told beside the results; NULL: none */
    int64_t proof;       /* 1: what is proved of each point goes to a file in folder/proof */
};

struct trop_study_counts {
    int64_t points; /* done + failed + left */
    int64_t done;   /* points with a result */
    int64_t failed; /* with a row that says why there is none; */
    int64_t late;   /* of these, beyond the point limit */
    int64_t left;   /* without a row */
    double seconds; /* of the clock, summed over the runs */
    int64_t proofs; /* points whose proof is in the folder; -1: not counted */
};

TROP_API struct trop_study_run_options trop_study_run_options_default(void);
/* Computes the points that have no row yet, into logs in folder, which is made; the study is kept
 * there as study.yaml. A point that is refused, fails or takes too long is a row with its sentence;
 * what had no memory or no file is tried again by the next call, and what was late by one with a
 * larger limit, and what has no proof by one that asks for it. counts, which may be NULL, is of the
 * points that the call is for, rows of before among them, and is written also when the call fails.
 * progress counts what is to be computed. TROP_ERR_STOPPED: a further call goes on. */
TROP_API enum trop_status trop_study_run(struct trop_study_counts *counts, struct trop_study *study,
                                         const char *folder,
                                         const struct trop_study_run_options *options,
                                         trop_progress *progress, void *context);
/* Why its points are computed one by one where lanes could take several, or that they run the code
 * of a file (claims of one's own); "" when there is nothing to say. Owned by study. */
TROP_API const char *trop_study_notice(struct trop_study *study);
/* How many points have a value that its option refuses, and why: they become rows that failed. ""
 * when there is none. Owned by study. */
TROP_API const char *trop_study_refused(struct trop_study *study);
/* That its seeds have no effect, since a training has all that it needs without a draw; ""
 * otherwise. Reads the data. Owned by study. */
TROP_API const char *trop_study_seedless(struct trop_study *study);
/* How many points of it failed in a folder, and why the first one did; "" when none has, or the
 * folder cannot be read. Owned by study. */
TROP_API const char *trop_study_failed(struct trop_study *study, const char *folder);
/* What the logs of a folder say. */
TROP_API enum trop_status trop_study_count(struct trop_study_counts *out, const char *folder);

enum trop_study_state {
    TROP_STUDY_DONE,
    TROP_STUDY_FAILED, /* refused, or failed */
    TROP_STUDY_LATE    /* beyond the point limit */
};

struct trop_study_block; /* rows in memory, of a block of points */

/* Computes points options->first .. last - 1 (of the shard) without any folder. */
TROP_API enum trop_status trop_study_block_create(struct trop_study_block **out,
                                                  struct trop_study *study,
                                                  const struct trop_study_run_options *options,
                                                  trop_progress *progress, void *context);
/* The rows that logs in folder have of points first .. last - 1 (last 0: to the end), one for each
 * point: of several the one that is done, else the latest. */
TROP_API enum trop_status trop_study_block_read(struct trop_study_block **out,
                                                const struct trop_study *study, const char *folder,
                                                int64_t first, int64_t last);
TROP_API void trop_study_block_free(struct trop_study_block *block);
/* Rows in the order of their points. */
TROP_API int64_t trop_study_block_rows(const struct trop_study_block *block);
TROP_API int64_t trop_study_block_point(const struct trop_study_block *block, int64_t row);
TROP_API int64_t trop_study_block_state(const struct trop_study_block *block, int64_t row);
/* Why it failed; "" when it did not. Owned by block. */
TROP_API const char *trop_study_block_sentence(const struct trop_study_block *block, int64_t row);
/* Field k of those kept; null when the point failed. What it points to is owned by block. */
TROP_API enum trop_status trop_study_block_value(struct trop_value *out,
                                                 const struct trop_study_block *block, int64_t row,
                                                 int64_t k);

/* Brings the catalogue of folder up to what its logs and those of others (NULL-ended; NULL: none)
 * say; docs/study.md has its tables. progress counts records. */
TROP_API enum trop_status trop_study_merge(const char *folder, const char *const *others,
                                           trop_progress *progress, void *context);

struct trop_study_table; /* rows of a question */

struct trop_study_table_options {
    const char *by;   /* names of columns, separated by commas: a row for each of their values */
    const char *mean; /* fields whose mean over the points of a row is shown, likewise; NULL: of all
                         numbers that are kept. By and mean NULL: a row for each point, as it is */
    int64_t deviation; /* 1: the standard deviation of the sample beside each mean */
    const char *where; /* a condition of SQL on the columns; NULL: none */
};

TROP_API struct trop_study_table_options trop_study_table_options_default(void);
/* From the catalogue, which is merged first where logs are newer. Columns: those of by, count, and
 * FIELD_mean, FIELD_deviation and, where points lack the field, FIELD_count. Points that failed are
 * left out unless by or where has state. */
TROP_API enum trop_status trop_study_table_create(struct trop_study_table **out, const char *folder,
                                                  const struct trop_study_table_options *options);
TROP_API void trop_study_table_free(struct trop_study_table *table);
TROP_API int64_t trop_study_table_rows(const struct trop_study_table *table);
/* The name of column k = 0, 1, ...; NULL behind the last. Owned by table. */
TROP_API const char *trop_study_table_column(const struct trop_study_table *table, int64_t k);
/* A number, integer, truth, text or null. What it points to is owned by table. */
TROP_API enum trop_status trop_study_table_cell(struct trop_value *out,
                                                const struct trop_study_table *table, int64_t row,
                                                int64_t k);

/* What the verb study takes; by its action some of it. */
enum trop_study_action {
    TROP_STUDY_RUN,
    TROP_STUDY_STATUS,
    TROP_STUDY_MERGE,
    TROP_STUDY_TABLE,
    TROP_STUDY_SLURM
};

struct trop_study_options {
    int64_t action;   /* enum trop_study_action */
    const char *file; /* of run and slurm that of the study; of others the folder, or several parted
                         by commas */
    const char *out;  /* of run and slurm: the folder; of table: a file of the table, NULL: none */
    const char *shard;              /* of run: "i/n"; NULL: as Slurm or mpirun say, or all */
    double point_limit, time_limit; /* of run */
    int64_t extend;
    const char *by, *mean, *where; /* of table */
    int64_t deviation;
    int64_t tasks;      /* of slurm */
    const char *time;   /* of slurm: of a task, "1:00:00" */
    int64_t threads;    /* workers, 0: every core; never changes a result */
    const char *report; /* of run and table: the study as a page, .html; NULL: none */
    int64_t proof;      /* of run and slurm: a proof of each point */
};

TROP_API struct trop_study_options trop_study_options_default(void);
TROP_API const struct trop_option *trop_study_option_table(void);
/* What the verb tells of run, status and merge; of table; of slurm. */
TROP_API const struct trop_field *trop_study_field_table(void);
TROP_API const struct trop_field *trop_study_answer_table(void);
TROP_API const struct trop_field *trop_study_script_table(void);
/* A job script for Slurm that runs the study of options->file into options->out in options->tasks
 * tasks; owned by the caller, for trop_study_text_free. */
TROP_API enum trop_status trop_study_slurm(char **out, const struct trop_study *study,
                                           const struct trop_study_options *options);
TROP_API void trop_study_text_free(char *text);

/* The same for languages that do not know the structs above. Options are pairs of a member's name
 * and its text, NULL-ended; counts, as there, are points, done, failed, late, left, seconds and
 * proofs. */
#define TROP_STUDY_COUNTS 7
TROP_API enum trop_status trop_study_run_from(double counts[TROP_STUDY_COUNTS],
                                              struct trop_study *study, const char *folder,
                                              const char *const *pairs, trop_progress *progress,
                                              void *context);
TROP_API enum trop_status trop_study_count_numbers(double counts[TROP_STUDY_COUNTS],
                                                   const char *folder);
TROP_API enum trop_status trop_study_block_create_from(struct trop_study_block **out,
                                                       struct trop_study *study,
                                                       const char *const *pairs,
                                                       trop_progress *progress, void *context);
TROP_API enum trop_status trop_study_table_create_from(struct trop_study_table **out,
                                                       const char *folder,
                                                       const char *const *pairs);

/* ---- what a program has itself, in the look of the results ------------------------------ */

/* Writes a page, .html, that needs no other file, in the style of the reports. content: HTML, which
 * stands in it as it is. */
TROP_API enum trop_status trop_report_page(const char *path, const char *title,
                                           const char *content);
/* Draws count dots (x[i], y[i]) of series[i] = 0, 1, ... with a line at y = 0: .pdf, .svg or .png.
 * labels: title, x, y, then a name for each series, NULL-ended. */
TROP_API enum trop_status trop_plot_dots(const char *path, const char *const *labels,
                                         const double *x, const double *y, const int64_t *series,
                                         int64_t count);

#ifdef __cplusplus
}
#endif

#endif
