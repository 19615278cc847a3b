/* fit_make.c -- everything before the first epoch: items are checked, network and tensors made. */
#include "learn/fit/fit.h"

#include "base/alloc.h"
#include "base/option.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "base/sort.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- items ----------------------------------------------------------------------------------- */

static enum trop_status check_tokens(const struct trop_sequences *s, int64_t i)
{
    for (int64_t t = s->offsets[i]; t < s->offsets[i + 1]; t++) {
        if (s->ids && (s->ids[t] < 0 || s->ids[t] >= s->words)) {
            return trop_fail(TROP_ERR_ARG, "item %lld: word %ld, must be from 0 to %lld",
                             (long long)i, (long)s->ids[t], (long long)s->words - 1);
        }
        for (int64_t c = 0; !s->ids && c < s->width; c++) {
            if (!isfinite(s->vectors[t * s->width + c])) {
                return trop_fail(TROP_ERR_ARG, "item %lld: a coordinate is %g, must be finite",
                                 (long long)i, s->vectors[t * s->width + c]);
            }
        }
    }
    return TROP_OK;
}

static enum trop_status check_item(const struct trop_sequences *s, int64_t i)
{
    if (s->offsets[i + 1] <= s->offsets[i]) {
        return trop_fail(TROP_ERR_ARG, "item %lld: has no tokens", (long long)i);
    }
    if (s->labels[i] < 0 || s->labels[i] >= s->classes) {
        return trop_fail(TROP_ERR_ARG, "item %lld: class %lld, must be from 0 to %lld",
                         (long long)i, (long long)s->labels[i], (long long)s->classes - 1);
    }
    if (s->splits && (s->splits[i] < 0 || s->splits[i] >= TROP_FIT_SPLITS)) {
        return trop_fail(TROP_ERR_ARG, "item %lld: split %lld, must be from 0 to 2", (long long)i,
                         (long long)s->splits[i]);
    }
    return check_tokens(s, i);
}

static enum trop_status check_items(const struct trop_sequences *s)
{
    enum trop_status status = TROP_OK;

    if (s->n < 1 || !s->offsets || !s->labels || s->offsets[0] != 0) {
        return trop_fail(TROP_ERR_ARG, "sequences: items, offsets from 0 on and labels are needed");
    }
    if (!s->ids == !s->vectors || (s->ids ? s->words < 1 : s->width < 1)) {
        return trop_fail(TROP_ERR_ARG, "sequences: words or vectors are needed, and not both");
    }
    if (s->classes < 2) {
        return trop_fail(TROP_ERR_ARG, "classes = %lld: must be at least 2", (long long)s->classes);
    }
    for (int64_t i = 0; i < s->n && status == TROP_OK; i++) {
        status = check_item(s, i);
    }
    return status;
}

/* Items that are learnt from must be of two classes at least. */
static enum trop_status check_split(const struct trop_fit *fit)
{
    const struct trop_fit_split *train = fit->split;

    for (int64_t j = 1; j < train->items; j++) {
        if (fit->sequences->labels[train->list[j]] != fit->sequences->labels[train->list[0]]) {
            return TROP_OK;
        }
    }
    return trop_fail(TROP_ERR_ARG,
                     "%lld items to learn from, of %s class: at least two of two classes are "
                     "needed",
                     (long long)train->items, train->items > 0 ? "one" : "no");
}

/* ---- the network ----------------------------------------------------------------------------- */

static void measure_items(struct trop_fit_shape *shape, const struct trop_sequences *s,
                          int64_t *scratch)
{
    int64_t sum = 0;

    for (int64_t i = 0; i < s->n; i++) {
        scratch[i] = s->offsets[i + 1] - s->offsets[i];
    }
    trop_sort_ascending(scratch, s->n);
    for (int64_t i = 0; i < shape->batch; i++) { /* the longest items may meet in one batch */
        sum += scratch[s->n - 1 - i];
    }
    shape->longest = scratch[s->n - 1];
    shape->tokens = sum;
}

static enum trop_status make_network(struct trop_fit *fit)
{
    const struct trop_sequences *s = fit->sequences;
    const struct trop_fit_options *o = &fit->options;
    const int64_t batch = o->train.batch, d = s->ids || o->embed > 0 ? o->embed : s->width;
    struct trop_fit_shape *shape = &fit->shape;

    if (s->ids && o->embed == 0) {
        return trop_fail(TROP_ERR_ARG, "embed = 0: words have no vectors of their own");
    }
    *shape = (struct trop_fit_shape){
        .words = s->ids ? s->words : 0,
        .inputs = s->ids ? 0 : s->width,
        .d = d,
        .embeds = o->embed > 0,
        .heads = o->heads,
        .width = o->train.model != TROP_TRAIN_KQ ? 0
                 : o->train.width > 0            ? o->train.width
                                                 : d,
        .query = o->query,
        .layers = o->layers,
        .beta = o->beta,
        .bias = o->bias,
        .outputs = s->classes == 2 ? 1 : s->classes,
        .batch = batch > 0 && batch < s->n ? batch : s->n,
        .threads = o->train.threads > 0 ? o->train.threads : trop_parallel_cores(),
        .loss = trop_loss_of(o->train.loss),
    };
    measure_items(shape, s, fit->order);
    shape->places = o->positions ? shape->longest : 0;
    return trop_fit_network_create(&fit->network, shape);
}

/* ---- tensors --------------------------------------------------------------------------------- */

/* 1 when the list separated by commas has the word. */
static int lists(const char *list, const char *word)
{
    const size_t length = strlen(word);

    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        if (strncmp(at, word, length) == 0 && (at[length] == ',' || at[length] == '\0')) {
            return 1;
        }
    }
    return 0;
}

static int letter_of(const char *name, size_t length)
{
    for (int k = 0; k < TROP_FIT_LETTERS; k++) {
        if (strlen(trop_fit_network_names[k]) == length &&
            strncmp(trop_fit_network_names[k], name, length) == 0) {
            return k;
        }
    }
    return -1;
}

/* Every name of the list must be a tensor of the network. */
static enum trop_status check_trained(const struct trop_fit *fit, const char *list)
{
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        const size_t length = strcspn(at, ",");
        const int k = letter_of(at, length);
        if (k < 0 || !fit->tensor[k].name) {
            return trop_fail(TROP_ERR_ARG, "trained: %.*s is not a tensor of this model",
                             (int)length, at);
        }
    }
    return TROP_OK;
}

static void prepare(struct trop_fit_tensor *t, const struct trop_train_options *o,
                    int64_t optimizer, double eta)
{
    t->optimizer = trop_optimizer_of(optimizer);
    t->eta = eta / o->eta;
    t->settings = trop_optimizer_settings_of(o);
}

/* One entry of each: NAME=OPTIMIZER or NAME=OPTIMIZER:ETA. */
static enum trop_status apply_one(struct trop_fit *fit, const char *at)
{
    const size_t length = strcspn(at, ",="), all = strcspn(at, ",");
    const int k = letter_of(at, length);
    char name[32] = "";
    double eta = fit->options.train.eta;
    int64_t optimizer = 0;

    if (k < 0 || !fit->tensor[k].name || at[length] != '=') {
        return trop_fail(TROP_ERR_ARG,
                         "each: %.*s: must be a tensor of this model and its optimiser, as "
                         "E=adam:0.001",
                         (int)all, at);
    }
    snprintf(name, sizeof name, "%.*s", (int)strcspn(at + length + 1, ",:"), at + length + 1);
    const char *colon = memchr(at, ':', all);
    if (colon) {
        char *end = NULL;
        eta = strtod(colon + 1, &end);
        if (end != at + all || !(eta > 0 && eta < INFINITY)) {
            return trop_fail(TROP_ERR_ARG, "each: %.*s: the step size must be above 0", (int)all,
                             at);
        }
    }
    while (trop_optimizer_names[optimizer] && strcmp(trop_optimizer_names[optimizer], name) != 0) {
        optimizer++;
    }
    if (!trop_optimizer_names[optimizer]) {
        return trop_fail(TROP_ERR_ARG, "each: %s is not an optimiser", name);
    }
    prepare(fit->tensor + k, &fit->options.train, optimizer, eta);
    return TROP_OK;
}

static enum trop_status make_tensors(struct trop_fit *fit)
{
    const struct trop_fit_options *o = &fit->options;
    enum trop_status status = TROP_OK;

    for (int k = 0; k < TROP_FIT_LETTERS; k++) {
        struct trop_fit_tensor *t = fit->tensor + k;
        t->name = fit->network->rows[k] > 0 ? trop_fit_network_names[k] : NULL;
        t->rows = fit->network->rows[k];
        t->columns = fit->network->columns[k];
        t->trained = t->name && (!o->trained || lists(o->trained, t->name));
        t->some = (k == TROP_FIT_LETTER_E && fit->shape.words > 0) || k == TROP_FIT_LETTER_P;
        prepare(t, &o->train, o->train.optimizer, o->train.eta);
    }
    status = check_trained(fit, o->trained);
    for (const char *at = o->each; at && status == TROP_OK;
         at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        status = apply_one(fit, at);
    }
    for (int k = 0; k < TROP_FIT_LETTERS && status == TROP_OK; k++) {
        if (fit->tensor[k].name) {
            status = trop_fit_tensor_open(fit->tensor + k, fit->shape.tokens, o->train.decay);
            fit->value[k] = fit->tensor[k].values;
        }
    }
    return status;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int make_arrays(struct trop_fit *fit)
{
    const int64_t n = fit->sequences->n, epochs = fit->options.epochs + 1;
    const int64_t folds = fit->options.folds > 0 && fit->options.fold < 0 ? fit->options.folds : 1;
    int whole = TROP_ALLOC(
        TROP_PART(fit->part, n), TROP_PART(fit->order, n), TROP_PART(fit->folds, folds),
        TROP_PART(fit->split, TROP_FIT_SPLITS), TROP_PART(fit->sparsity, TROP_FIT_LETTERS),
        TROP_PART(fit->pruned, TROP_FIT_PRUNED), TROP_PART(fit->theory, TROP_FIT_THEORIES),
        TROP_PART(fit->classes, fit->sequences->classes));
    static const char *const names[] = { "train", "validation", "test" };

    fit->split_count = TROP_FIT_SPLITS;
    for (int k = 0; k < TROP_FIT_SPLITS && whole; k++) {
        struct trop_fit_split *split = fit->split + k;
        split->name = names[k];
        whole = TROP_ALLOC(TROP_PART(split->list, n), TROP_PART(split->loss, epochs),
                           TROP_PART(split->accuracy, epochs));
    }
    return whole;
}

static void count_classes(struct trop_fit *fit)
{
    const struct trop_sequences *s = fit->sequences;

    fit->class_count = s->classes;
    for (int64_t k = 0; s->class_names && k < s->classes; k++) {
        fit->classes[k].name = s->class_names[k];
    }
    for (int64_t i = 0; i < s->n; i++) {
        fit->classes[s->labels[i]].items++;
    }
}

/* Texts and the values of a schedule, which are the caller's. */
static int copy_options(struct trop_fit *fit)
{
    struct trop_schedule *schedule = &fit->options.train.eta_schedule;
    const char **texts[] = { &fit->options.trained, &fit->options.each, &fit->options.theory };

    for (int k = 0; k < 3; k++) {
        if (*texts[k]) {
            const size_t size = strlen(*texts[k]) + 1;
            fit->texts[k] = trop_alloc((int64_t)size, 1);
            if (!fit->texts[k]) {
                return 0;
            }
            memcpy(fit->texts[k], *texts[k], size);
            *texts[k] = fit->texts[k];
        }
    }
    if (schedule->values) {
        fit->schedule = trop_alloc(schedule->count, sizeof *fit->schedule);
        if (!fit->schedule) {
            return 0;
        }
        memcpy(fit->schedule, schedule->values, (size_t)schedule->count * sizeof *fit->schedule);
        schedule->values = fit->schedule;
    }
    return 1;
}

enum trop_status trop_fit_make(struct trop_fit *fit)
{
    enum trop_status status = check_items(fit->sequences);

    if (status != TROP_OK) {
        return status;
    }
    if (!copy_options(fit) || !make_arrays(fit)) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld items", (long long)fit->sequences->n);
    }
    count_classes(fit);
    status = make_network(fit);
    if (status == TROP_OK) {
        status = make_tensors(fit);
    }
    if (status != TROP_OK) {
        return status;
    }
    fit->outputs =
        trop_alloc(trop_alloc_product(fit->sequences->n, fit->shape.outputs), sizeof(double));
    fit->touched = trop_alloc(fit->tensor[TROP_FIT_LETTER_E].rows, 1);
    if (!fit->outputs || !fit->touched) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld items", (long long)fit->sequences->n);
    }
    fit->fold = fit->options.fold > 0 ? fit->options.fold : 0;
    return trop_fit_begin(fit);
}

void trop_fit_touch(struct trop_fit *fit)
{
    const struct trop_sequences *s = fit->sequences;
    const int64_t rows = fit->tensor[TROP_FIT_LETTER_E].rows;

    memset(fit->touched, !s->ids, (size_t)rows);
    for (int64_t j = 0; s->ids && j < fit->split[TROP_SPLIT_TRAIN].items; j++) {
        const int64_t i = fit->split[TROP_SPLIT_TRAIN].list[j];
        for (int64_t t = s->offsets[i]; t < s->offsets[i + 1]; t++) {
            fit->touched[s->ids[t]] = 1;
        }
    }
}

/* Entry e of tensor k at the start. A draw is named by tensor, fold and entry. */
static double start_of(const struct trop_fit *fit, int k, int64_t e)
{
    const struct trop_train_options *o = &fit->options.train;
    const uint64_t draw = (uint64_t)(fit->fold * TROP_FIT_LETTERS + k);

    if (k == TROP_FIT_LETTER_B) {
        return 0;
    }
    if (o->start == TROP_TRAIN_NORMAL && k != TROP_FIT_LETTER_A) {
        return o->start_scale * trop_rng_normal(o->seed, TROP_RNG_WEIGHTS, (uint64_t)e, draw);
    }
    const double u = trop_rng_uniform(o->seed, TROP_RNG_WEIGHTS, (uint64_t)e, draw);
    return k == TROP_FIT_LETTER_A ? u : o->start_scale * (2 * u - 1); /* a weighs, it has no sign */
}

enum trop_status trop_fit_begin(struct trop_fit *fit)
{
    trop_fit_split_draw(fit);
    trop_fit_touch(fit);
    for (int k = 0; k < TROP_FIT_LETTERS; k++) {
        struct trop_fit_tensor *t = fit->tensor + k;
        for (int64_t e = 0; t->name && e < t->rows * t->columns; e++) {
            t->values[e] = start_of(fit, k, e);
        }
        if (t->name) {
            trop_fit_tensor_begin(t);
        }
    }
    for (int k = 0; k < TROP_FIT_SPLITS; k++) {
        for (int64_t e = 0; e <= fit->options.epochs; e++) {
            fit->split[k].loss[e] = fit->split[k].accuracy[e] = NAN;
        }
        fit->split[k].chosen_loss = fit->split[k].chosen_accuracy = NAN;
        fit->split[k].hard_loss = fit->split[k].hard_accuracy = NAN;
    }
    fit->epoch = -1; /* the start is not looked at yet */
    fit->recorded = 0;
    fit->k = 0;
    fit->chosen = 0;
    fit->since = 0;
    fit->best[0] = -1;
    fit->best[1] = INFINITY;
    fit->ended = 0;
    return check_split(fit);
}
