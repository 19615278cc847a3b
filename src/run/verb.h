/* verb.h -- what a verb is: one row of the table in verb.c.
 *
 * The command line, its help, completions and manual, Python and the runner (job.c) follow from the
 * row.
 */
#ifndef TROP_RUN_VERB_H
#define TROP_RUN_VERB_H

#include "io/h5/h5.h"
#include "io/json/json.h"
#include "run/setup/setup.h"

struct trop_job;
struct trop_proof_kind;

/* What a verb computes: the functions of a noun, its handle behind a void *, called numbers here.
 * NULL: there is nothing of the kind. */
struct trop_noun {
    const char *format;     /* of its HDF5 files */
    const char *endings[5]; /* of files that its result can be written to, NULL-ended */
    /* What is proved of its results (run/proof/proof.h), ended by a name NULL; NULL: nothing. */
    const struct trop_proof_kind *proofs;
    /* Why nothing is proved of this one, in a sentence; NULL: there is no more to say. */
    const char *(*unproved)(const void *numbers);
    /* Of a result without the words of a certificate: 1: proof files can hold all that it calls
     * proved, 0: they cannot, -1: it calls nothing so. NULL: -1. */
    int (*stands)(const void *numbers);
    const char *csv; /* where .csv is among them: which of its tables, the first that there is */
    /* Refuses options, before any file is read. */
    enum trop_status (*check)(struct trop_setup *setup);
    /* job: for nouns that write files of their own on the way. */
    enum trop_status (*create)(void **out, struct trop_setup *setup, struct trop_job *job);
    /* Writes files that belong to its beginning, or reads those of an earlier one. */
    enum trop_status (*begin)(void *numbers, struct trop_setup *setup);
    void (*free)(void *numbers);
    /* What is left to compute. */
    enum trop_status (*run)(void *numbers, trop_progress *progress, void *context);
    enum trop_status (*step)(void *numbers, int64_t steps, trop_progress *progress, void *context);
    /* Moves its end: trop_job_extend. */
    enum trop_status (*extend)(void *numbers, const char *name, const char *text);
    /* The result is in its file: nothing else is needed of the run. */
    void (*end)(void *numbers);

    /* The fields of the result; where options choose among several tables, which one it is; the
     * handle of the fields (NULL: numbers). */
    const struct trop_field *(*fields)(void);
    const struct trop_field *(*chosen)(const void *numbers);
    const void *(*result)(const void *numbers);
    /* 0 when JSON leaves the field out because it has more than limit numbers. */
    int (*shows)(const void *numbers, const struct trop_field *field, int64_t limit);
    /* The cloud that it is about at the start, (n, d), told beside the fields unless one of them
     * has it. */
    const double *(*cloud)(const void *numbers);
    int told_by_a_field;
    int bare; /* 1: it is told without version, seed and seconds */
    /* Tokens at the end, for .npy; the rank. */
    int64_t (*tokens)(const double **values, int64_t shape[3], const void *numbers);
    /* More of the result: members of the JSON object, groups of the HDF5 file. */
    void (*json)(struct trop_json *json, const void *numbers, int64_t limit);
    enum trop_status (*put)(struct trop_h5 *h5, const void *numbers);
    /* The answer in sentences, NULL-ended, with fields in braces: "{clusters} clusters". One with a
     * field that has no value is left out. */
    const char *const *answer;
    /* The result as a page, where it has one of its own; NULL: that of all (report/report.h). */
    enum trop_status (*html)(const struct trop_job *job, const char *path);
    const char *(*record)(struct trop_value *out, const void *numbers, int64_t k);
    const char *(*notice)(const void *numbers);
    int (*resumable)(const void *numbers);
};

struct trop_verb {
    const char *name, *meaning;
    const char *subject; /* option that a word without a name sets; NULL: none */
    const char *object;  /* and the one that all further words set; NULL: none */
    /* Kinds of options that it takes: how it meets files, and last its numbers. NULL-ended. */
    const struct trop_setup_kind *kinds[TROP_SETUP_PARTS + 1];
    const struct trop_noun *noun;
    /* The noun where options ask for another one; NULL: never. */
    const struct trop_noun *(*other)(struct trop_setup *setup);
    /* A setup to take instead, such as that of a run that is resumed; *out NULL: none. */
    enum trop_status (*again)(struct trop_setup **out, struct trop_setup *setup);
    int alone; /* 1: no study has it at its points */
    const char
        *plots; /* kinds of pictures of its results, separated by blanks; the first is auto's */
    /* The same of results of the other noun where their format, "tropism NAME", has another name;
     * what sentences call it. */
    struct {
        const char *name, *said, *plots;
    } others;
};

/* verb.c: NULL when there is no such verb. */
const struct trop_verb *trop_verb_find(const char *name);

/* Nouns that have files of their own (run.c, copies.c), and those of claim/ and plot. */
extern const struct trop_noun trop_run_noun, trop_train_noun, trop_copies_noun, trop_plot_noun,
    trop_doctor_noun, trop_fit_noun, trop_inspect_noun, trop_claims_noun, trop_check_noun,
    trop_reproduction_noun, trop_study_noun;
enum trop_status trop_run_again(struct trop_setup **out, struct trop_setup *setup);
enum trop_status trop_fit_html(const struct trop_job *job, const char *path);
enum trop_status trop_session_again(struct trop_setup **out, struct trop_setup *setup);

#endif
