/* setup_data.c -- training data, problems, selected sets and directions that options name. */
#include "run/setup/setup.h"

#include "base/alloc.h"
#include "base/status.h"
#include "margin/norm.h"
#include "run/dataset/dataset.h"

#include <stdio.h>
#include <string.h>

void trop_setup_free_data(struct trop_setup *setup)
{
    trop_dataset_free(setup->dataset);
    trop_corpus_free(setup->corpus);
    trop_dump_free(setup->dump);
    TROP_FREE(setup->equal, setup->weights);
    setup->dataset = NULL;
    setup->corpus = NULL;
    setup->dump = NULL;
    setup->equal = NULL;
    setup->weights = NULL;
}

/* The sentence of a failure with the option in front; an option may be wrong, or the file. */
static enum trop_status name_it(enum trop_status status, const char *option)
{
    const size_t length = strlen(option);

    /* "data = x: ..." has it already, "data.json: ..." has not. */
    if (status == TROP_OK ||
        (strncmp(trop_error(), option, length) == 0 && strchr(": ", trop_error()[length]))) {
        return status;
    }
    return trop_fail(status, "%s: %s", option, trop_error());
}

/* ---- data or a problem ----------------------------------------------------------------------- */

/* A set has a seed of its own; one that is given is that of everything that is drawn. */
static enum trop_status read_data(const struct trop_data **out, struct trop_setup *setup,
                                  const struct trop_job_options *files, uint64_t given)
{
    const int is_given = trop_setup_given(setup, "seed");
    const uint64_t seed = is_given ? given : TROP_DATASET_SEED;

    if (is_given && given == TROP_DATASET_SEED) {
        return trop_fail(TROP_ERR_ARG,
                         "seed = %llu: stands for the own seed of a set, must be less",
                         (unsigned long long)given);
    }
    enum trop_status status =
        setup->given_data
            ? trop_dataset_copy(&setup->dataset, setup->given_data, files->n, files->T, files->d)
            : trop_dataset_create(&setup->dataset, files->data, files->n, files->T, files->d, seed);

    if (status == TROP_OK) {
        *out = trop_dataset_data(setup->dataset);
    }
    return name_it(status, "data");
}

static enum trop_status ask_for_data(void)
{
    return trop_fail(TROP_ERR_ARG,
                     "data: which data? Name a file, a folder or a set, such as attsvm");
}

/* Data that are named, or in memory already. */
static enum trop_status read_or_ask(const struct trop_data **out, struct trop_setup *setup,
                                    const struct trop_job_options *files, uint64_t given)
{
    return files->data ? read_data(out, setup, files, given) : *out ? TROP_OK : ask_for_data();
}

static int has_exponent(int64_t norm)
{
    return trop_norm_of(norm)->exponent == TROP_NORM_P;
}

/* The norm of a dump holds unless another one was asked for, and so does its exponent. */
static enum trop_status read_problem(struct trop_setup *setup, const struct trop_job_options *files,
                                     struct trop_margin_options *o)
{
    static const char *const drawn[] = { "n",    "T",   "d",      "seed",    "model",
                                         "mask", "row", "select", "relaxed", "enumerate" };

    for (size_t k = 0; k < sizeof drawn / sizeof drawn[0]; k++) {
        if (trop_setup_given(setup, drawn[k])) {
            return trop_fail(TROP_ERR_ARG, "%s: is for data; a problem has its constraints already",
                             drawn[k]);
        }
    }
    enum trop_status status = trop_dump_read(&setup->dump, files->problem);
    if (status != TROP_OK) {
        return name_it(status, "problem");
    }
    o->problem = trop_dump_problem(setup->dump);
    if (!trop_setup_given(setup, "norm")) {
        o->norm = trop_dump_norm(setup->dump);
    }
    if (!trop_setup_given(setup, "p") && has_exponent(trop_dump_norm(setup->dump))) {
        o->p = trop_dump_p(setup->dump);
    }
    return TROP_OK;
}

/* ---- what belongs to them ---- */

/* The shape of the weights, as margin/model/model.c makes it: the model decides. */
static void shape_of(int64_t *part, int64_t *rows, int64_t *columns,
                     const struct trop_margin_options *o)
{
    const struct trop_data *data = o->data;
    int64_t model = o->model;

    if (!data) {
        *rows = o->problem->rows;
        *columns = o->problem->columns;
        *part = *columns == 1 ? TROP_WEIGHTS_P : TROP_WEIGHTS_W;
        return;
    }
    model = model == TROP_MODEL_AUTO ? trop_margin_auto(data) : model;
    *part = model == TROP_MODEL_PROMPT  ? TROP_WEIGHTS_P
            : model == TROP_MODEL_LABEL ? TROP_WEIGHTS_V
                                        : TROP_WEIGHTS_W;
    *rows = model == TROP_MODEL_PROMPT && data->k ? data->dk : data->d;
    *columns = *part == TROP_WEIGHTS_W ? data->d : 1;
}

static enum trop_status read_direction(struct trop_setup *setup, const char *path,
                                       struct trop_margin_options *o)
{
    int64_t part = 0, rows = 0, columns = 0;
    struct trop_weights_file given = { 0 };

    shape_of(&part, &rows, &columns, o);
    enum trop_status status = trop_setup_array_of(given.part + part, setup, "direction");
    if (status == TROP_OK && !given.part[part].data) {
        status = trop_weights_file_read(&given, path);
        trop_setup_note_header(setup, &given.bare, "direction", path);
        trop_weights_file_name(&given, part);
    }
    if (status == TROP_OK) {
        status = trop_weights_file_take(&setup->weights, &given, path, part, rows, columns);
    }
    trop_weights_file_free(&given);
    o->direction = setup->weights;
    return name_it(status, "direction");
}

static enum trop_status read_equal(struct trop_setup *setup, const char *path,
                                   struct trop_margin_options *o)
{
    if (!o->data) {
        return trop_fail(TROP_ERR_ARG, "equal: is for data; a problem has its constraints already");
    }
    struct trop_array given = { 0 };
    enum trop_status status = trop_setup_array_of(&given, setup, "equal");
    if (status == TROP_OK && given.data) {
        setup->equal = given.data;
        status = trop_weights_file_check(&given, path, o->data->n, o->data->T);
    } else if (status == TROP_OK) {
        status = trop_weights_file_equal(&setup->equal, path, o->data->n, o->data->T);
    }
    o->weights = setup->equal;
    return name_it(status, "equal");
}

static enum trop_status read_source(struct trop_setup *setup, const struct trop_job_options *files,
                                    struct trop_margin_options *o)
{
    if (files->data && files->problem) {
        return trop_fail(TROP_ERR_ARG, "data and problem: give one of them");
    }
    if (files->data) {
        return read_data(&o->data, setup, files, files->seed);
    }
    if (files->problem) {
        return read_problem(setup, files, o);
    }
    return o->data || o->problem ? TROP_OK : ask_for_data();
}

static enum trop_status resolve_margin(struct trop_setup *setup,
                                       const struct trop_job_options *files,
                                       struct trop_margin_options *o)
{
    enum trop_status status = read_source(setup, files, o);

    if (status == TROP_OK && trop_setup_given(setup, "p")) {
        /* An exponent asks for the norm that has one. */
        const char *const *names = trop_option_find(trop_margin_option_table(), "norm")->names;
        o->norm = trop_setup_given(setup, "norm") ? o->norm : TROP_MARGIN_LP;
        if (!has_exponent(o->norm)) {
            return trop_fail(TROP_ERR_ARG, "p = %g: is the exponent of norm = lp, not of %s", o->p,
                             names[o->norm]);
        }
    }
    if (status == TROP_OK && files->equal) {
        status = read_equal(setup, files->equal, o);
    }
    return status == TROP_OK && files->direction ? read_direction(setup, files->direction, o)
                                                 : status;
}

/* ---- sequences ------------------------------------------------------------------------- */

/* What is not given is what fit takes, where that differs from training on tokens. */
static void fill_defaults(struct trop_setup *setup, struct trop_train_options *o)
{
    const struct trop_train_options own = trop_fit_options_default().train;
    const struct {
        const char *name;
        int64_t *to, from;
    } whole[] = { { "optimizer", &o->optimizer, own.optimizer },
                  { "batch", &o->batch, own.batch },
                  { "model", &o->model, TROP_TRAIN_CROSS } };

    for (size_t k = 0; k < sizeof whole / sizeof whole[0]; k++) {
        *whole[k].to = trop_setup_given(setup, whole[k].name) ? *whole[k].to : whole[k].from;
    }
    o->eta = trop_setup_given(setup, "eta") ? o->eta : own.eta;
    o->adam_epsilon = trop_setup_given(setup, "adam_epsilon") ? o->adam_epsilon : own.adam_epsilon;
    o->start_scale = trop_setup_given(setup, "start_scale") ? o->start_scale : own.start_scale;
}

/* Sequences in memory are what they are. */
static enum trop_status check_given(const struct trop_setup *setup)
{
    for (int64_t p = 0; p < setup->count && setup->given_corpus; p++) {
        const struct trop_setup_part *part = setup->parts + p;
        for (int64_t k = 0; part->table == trop_corpus_option_table() && part->table[k].name; k++) {
            if (part->sources[k]) {
                return trop_fail(TROP_ERR_ARG, "%s: is for data that are read; these are made",
                                 part->table[k].name);
            }
        }
    }
    return TROP_OK;
}

static enum trop_status resolve_corpus(struct trop_setup *setup,
                                       const struct trop_job_options *files,
                                       struct trop_train_options *o)
{
    struct trop_fit_options *fit = trop_setup_fit(setup);
    const struct trop_corpus *corpus = setup->given_corpus;
    enum trop_status status =
        corpus ? check_given(setup)
               : trop_corpus_create(&setup->corpus, files->data, trop_setup_corpus(setup));

    if (status != TROP_OK) {
        return name_it(status, "data");
    }
    fit->sequences = trop_corpus_sequences(corpus ? corpus : setup->corpus);
    fill_defaults(setup, o);
    o->start = files->start && strcmp(files->start, "uniform") == 0 ? TROP_TRAIN_UNIFORM
                                                                    : TROP_TRAIN_NORMAL;
    if (files->start && strcmp(files->start, "uniform") != 0 &&
        strcmp(files->start, "normal") != 0) {
        return trop_fail(TROP_ERR_ARG, "start = %s: must be normal or uniform for sequences",
                         files->start);
    }
    fit->train = *o;
    return TROP_OK;
}

/* ---- training -------------------------------------------------------------------------- */

int trop_setup_draws_nothing(struct trop_setup *setup)
{
    const struct trop_train_options *o = trop_setup_train(setup);
    const struct trop_job_options *files = trop_setup_job(setup);

    return o && o->data && !trop_setup_is_corpus(setup) &&
           !(files->data && !setup->given_data && trop_dataset_is_named(files->data)) &&
           (o->start == TROP_TRAIN_ZEROS || o->start == TROP_TRAIN_GIVEN) &&
           (o->batch == 0 || o->batch == o->data->n);
}

/* Of a training that was resolved. */
static enum trop_status note_seed(struct trop_setup *setup, enum trop_status status)
{
    const size_t used = strlen(setup->notice);

    if (status == TROP_OK && trop_setup_given(setup, "seed") && trop_setup_draws_nothing(setup)) {
        snprintf(setup->notice + used, sizeof setup->notice - used,
                 "%sseed: has no effect: data, start and batches are given, nothing is drawn",
                 used ? "; " : "");
    }
    return status;
}

static enum trop_status resolve_train(struct trop_setup *setup,
                                      const struct trop_job_options *files,
                                      struct trop_train_options *o)
{
    static const char *const words[] = { "zeros", "normal", "uniform" };

    if (trop_setup_is_corpus(setup)) {
        return resolve_corpus(setup, files, o);
    }
    enum trop_status status = read_or_ask(&o->data, setup, files, o->seed);

    if (status != TROP_OK || !files->start) {
        return status;
    }
    for (int64_t k = 0; k < 3; k++) {
        if (strcmp(files->start, words[k]) == 0) {
            o->start = k;
            return TROP_OK;
        }
    }
    if (!trop_setup_array_start(setup) && !strchr(files->start, '.')) {
        return trop_fail(TROP_ERR_ARG,
                         "start = %s: must be zeros, normal, uniform or a file: .json, .h5, .npy",
                         files->start);
    }
    return trop_setup_start(setup, files->start, o);
}

enum trop_status trop_setup_resolve_data(struct trop_setup *setup)
{
    struct trop_margin_options *margin = trop_setup_margin(setup);
    struct trop_train_options *train = trop_setup_train(setup);
    struct trop_path_options *path = trop_setup_path(setup);

    trop_setup_free_data(setup);
    return margin  ? resolve_margin(setup, trop_setup_job(setup), margin)
           : train ? note_seed(setup, resolve_train(setup, trop_setup_job(setup), train))
           : path  ? read_or_ask(&path->data, setup, trop_setup_job(setup), path->seed)
                   : TROP_OK;
}

const char *trop_setup_model(const struct trop_setup *setup)
{
    struct trop_setup_place place;

    if (!trop_setup_find(&place, setup, "model")) {
        return NULL;
    }
    const struct trop_option *option = trop_option_find(place.part->table, "data");
    const void *member = (const char *)place.part->options + option->offset;
    const struct trop_data *data = *(const struct trop_data *const *)member;
    return !data ? NULL
                 : place.option->names[place.part->table == trop_margin_option_table()
                                           ? trop_margin_auto(data)
                                           : trop_train_auto(data)];
}
