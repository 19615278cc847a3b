/* study.c -- the description of one cloud, or of training data, with its files.
 *
 * What describes it is the noun of the verb (study_kinds.c). The file of the result has the
 * layout of a run's (docs/files.md), without records.
 */
#include "run/study.h"

#include "base/alloc.h"
#include "base/status.h"
#include "io/file.h"
#include "io/h5_fields.h"
#include "io/json.h"
#include "run/dataset.h"
#include "run/kept.h"
#include "run/out.h"
#include "run/watch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

struct trop_study {
    struct trop_stamp stamp; /* first, for its fields */
    const struct trop_study_kind *kind;
    void *numbers; /* of the kind */
    int64_t n, d, print_tokens;
    double time_limit;
    char *out;     /* NULL: none */
    int unwritten; /* 1: out could not be written */
    struct trop_kept kept;
    struct trop_dataset *dataset; /* training data that were read or drawn; NULL: none */
    char *json;
};

/* ---- making --------------------------------------------------------------------------- */

void trop_study_free(struct trop_study *study)
{
    if (!study) {
        return;
    }
    if (study->kind) {
        study->kind->free(study->numbers);
    }
    trop_kept_close(&study->kept);
    trop_dataset_free(study->dataset);
    trop_alloc_free(study->json);
    trop_alloc_free(study->out);
    trop_alloc_free(study);
}

/* The next character of a path; where a name begins, after what means nothing: "/" and "./". */
static const char *step(const char *path, int begins)
{
    while (begins && (path[0] == '/' || (path[0] == '.' && path[1] == '/'))) {
        path++;
    }
    return path;
}

/* 1 when two paths are one file: by their letters, or because it is there. */
static int is_same(const char *a, const char *b)
{
    struct stat one, two;

    if (stat(a, &one) == 0 && stat(b, &two) == 0) {
        return one.st_dev == two.st_dev && one.st_ino == two.st_ino;
    }
    if ((a[0] == '/') != (b[0] == '/')) {
        return 0;
    }
    for (int begins = 1;; a++, b++) {
        a = step(a, begins);
        b = step(b, begins);
        if (*a != *b || !*a) {
            return *a == *b;
        }
        begins = *a == '/';
    }
}

/* Of files that a result can be written to. */
static const char *const endings[] = { ".h5", ".json", NULL };

/* Everything that can be refused before anything is computed. */
static enum trop_status read_files(struct trop_setup *setup)
{
    const char *verb = setup->verb->name;

    if (!trop_study_kind(verb)) {
        return trop_fail(TROP_ERR_ARG, "the setup is made for %s, which is no study", verb);
    }
    const struct trop_study_options *o = trop_setup_study(setup);
    const char *out = o->out;
    enum trop_status status = trop_option_check(o, trop_study_option_table(verb));
    if (status == TROP_OK) {
        status = trop_out_check(out, endings);
    }
    if (status == TROP_OK && out && o->dump && is_same(out, o->dump)) {
        status = trop_fail(TROP_ERR_ARG, "out and dump: %s is one file, must be two", out);
    }
    if (status == TROP_OK) {
        status = trop_setup_resolve(setup);
    }
    return status == TROP_OK && out ? trop_file_check(out) : status;
}

/* NULL when it is not about a cloud. */
static const double *tokens_of(const struct trop_study *study)
{
    return study->kind->tokens ? study->kind->tokens(study->numbers) : NULL;
}

/* The seed is an option of the numbers, or of the files where only data are drawn. */
static uint64_t seed_of(struct trop_setup *setup)
{
    const struct trop_cloud_options *cloud = trop_setup_cloud(setup);
    const struct trop_train_options *train = trop_setup_train(setup);
    const struct trop_path_options *path = trop_setup_path(setup);
    const struct trop_study_options *files = trop_setup_study(setup);

    return cloud   ? cloud->seed
           : train ? train->seed
           : path  ? path->seed
           : files->data && !trop_setup_given(setup, "seed")
               ? trop_dataset_own_seed(files->data, files->seed)
               : files->seed;
}

static enum trop_status fill(struct trop_study *study, struct trop_setup *setup)
{
    const struct trop_study_options *o = trop_setup_study(setup);
    const struct trop_cloud_options *cloud = trop_setup_cloud(setup);
    double start = trop_stamp_now();

    trop_stamp_open(&study->stamp, seed_of(setup));
    study->kind = trop_study_kind(setup->verb->name);
    study->print_tokens = o->print_tokens;
    study->time_limit = o->time_limit;
    study->n = cloud ? cloud->n : 0;
    study->d = cloud ? cloud->d : 0;
    enum trop_status status = trop_out_copy(&study->out, o->out);
    if (status == TROP_OK) {
        status = study->kind->create(&study->numbers, setup);
    }
    if (status == TROP_OK && study->kind->begin) {
        status = study->kind->begin(study->numbers, setup);
    }
    if (status == TROP_OK) {
        status = trop_kept_open(&study->kept, setup, tokens_of(study));
    }
    if (status == TROP_OK) { /* taken over: the file alone repeats the study */
        study->dataset = setup->dataset;
        setup->dataset = NULL;
    }
    study->stamp.seconds = trop_stamp_now() - start;
    return status;
}

enum trop_status trop_study_create(struct trop_study **out, struct trop_setup *setup)
{
    enum trop_status status = read_files(setup);

    if (status != TROP_OK) {
        return status;
    }
    struct trop_study *study = trop_alloc(1, sizeof *study);
    if (!study) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a study");
    }
    status = fill(study, setup);
    if (status != TROP_OK) {
        trop_study_free(study);
        return status;
    }
    *out = study;
    return TROP_OK;
}

/* ---- what is left to compute ------------------------------------------------------------- */

enum trop_status trop_study_go(struct trop_study *study, trop_progress *progress, void *context)
{
    double start = trop_stamp_now();
    struct trop_watch watch = trop_watch_start(progress, context, study->time_limit);

    if (!study->kind->run) {
        return TROP_OK;
    }
    enum trop_status status = study->kind->run(study->numbers, trop_watch_ask, &watch);
    study->stamp.seconds += trop_stamp_now() - start;
    return trop_watch_told(&watch, status);
}

/* ---- what it tells ---------------------------------------------------------------------- */

static const void *numbers_of(const struct trop_study *study, const char *verb)
{
    return strcmp(study->kind->verb, verb) == 0 ? study->numbers : NULL;
}

const struct trop_cells *trop_study_cells(const struct trop_study *study)
{
    return numbers_of(study, "cells");
}

const struct trop_consensus *trop_study_consensus(const struct trop_study *study)
{
    return numbers_of(study, "threshold");
}

const struct trop_escape *trop_study_escape(const struct trop_study *study)
{
    return numbers_of(study, "escape");
}

const struct trop_margin *trop_study_margin(const struct trop_study *study)
{
    return numbers_of(study, "margin");
}

const struct trop_train *trop_study_train(const struct trop_study *study)
{
    return numbers_of(study, "train");
}

const struct trop_path *trop_study_path(const struct trop_study *study)
{
    return numbers_of(study, "path");
}

const char *trop_study_out(const struct trop_study *study)
{
    return study->unwritten ? NULL : study->out;
}

const struct trop_field *trop_study_field_table(void)
{
    return trop_stamp_field_table();
}

const double *trop_study_tokens(int64_t shape[2], const struct trop_study *study)
{
    shape[0] = study->n;
    shape[1] = study->d;
    return tokens_of(study);
}

/* Absent, not null, when they are many. */
static void put_tokens(struct trop_json *json, const struct trop_study *study)
{
    struct trop_value tokens = {
        .kind = TROP_KIND_NUMBERS,
        .numbers = tokens_of(study),
        .rank = 2,
        .shape = { study->n, study->d },
    };

    if (tokens.numbers && (study->print_tokens || study->n * study->d <= TROP_OUT_SHOWN)) {
        trop_json_value(json, "tokens", &tokens);
    }
}

enum trop_status trop_study_json(const char **out, struct trop_study *study)
{
    struct trop_json json = { 0 };
    char *text = NULL;

    trop_json_open(&json, NULL, '{');
    trop_json_fields(&json, study->kind->fields(), study->numbers, 0);
    put_tokens(&json, study);
    trop_json_fields(&json, trop_stamp_field_table(), &study->stamp, 0);
    trop_json_close(&json, '}');
    enum trop_status status = trop_json_finish(&text, &json);
    if (status != TROP_OK) {
        return status;
    }
    trop_alloc_free(study->json);
    study->json = text;
    *out = text;
    return TROP_OK;
}

/* ---- the file ----------------------------------------------------------------------------- */

static enum trop_status write_h5(struct trop_study *study, const char *path)
{
    struct trop_value seconds = { .kind = TROP_KIND_NUMBER, .number = study->stamp.seconds };
    struct trop_h5 *h5 = NULL;
    char format[64];

    snprintf(format, sizeof format, "tropism %s", study->kind->verb);
    enum trop_status status = trop_out_open(&h5, path, format);
    if (status != TROP_OK) {
        return status;
    }
    status = trop_kept_put(&study->kept, h5);
    if (status == TROP_OK && study->dataset) {
        status = trop_dataset_put(h5, TROP_DATASET_KEPT, study->dataset);
    }
    if (status == TROP_OK && study->kind->put) {
        status = study->kind->put(h5, study->numbers);
    }
    if (status == TROP_OK) {
        status = trop_h5_fields(h5, "/result", study->kind->fields(), study->numbers);
    }
    if (status == TROP_OK) {
        status = trop_h5_put(h5, "/clock/seconds", &seconds);
    }
    return trop_out_close(h5, status);
}

static enum trop_status write_json(struct trop_study *study, const char *path)
{
    const char *json = NULL;
    enum trop_status status = trop_study_json(&json, study);

    return status == TROP_OK ? trop_out_json(path, study->json) : status;
}

static enum trop_status write_out(struct trop_study *study, const char *path)
{
    return trop_out_is_h5(path) ? write_h5(study, path) : write_json(study, path);
}

enum trop_status trop_study_save(struct trop_study *study, const char *path)
{
    enum trop_status status = trop_out_check(path, endings);

    return status == TROP_OK ? write_out(study, path) : status;
}

enum trop_status trop_study_write(struct trop_study *study)
{
    if (!study->out) {
        return TROP_OK;
    }
    enum trop_status status = write_out(study, study->out);
    study->unwritten = status != TROP_OK;
    return status;
}
