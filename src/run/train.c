/* train.c -- the noun of the verb train: a training run, saved on the way (session.h). */
#include "base/alloc.h"
#include "base/status.h"
#include "run/dataset/dataset.h"
#include "run/session.h"

#include <string.h>

struct training {
    struct trop_train *train;
    int64_t steps;
    double *start; /* (total) weights that were given; NULL: none */
    int64_t total;
};

/* ---- checkpoints ----------------------------------------------------------------------------- */

static enum trop_status put_start(struct trop_h5 *h5, const struct training *t)
{
    const struct trop_value start = {
        .kind = TROP_KIND_NUMBERS,
        .numbers = t->start,
        .rank = 1,
        .shape = { t->total },
        .axes = { "entry" },
    };

    return t->start ? trop_h5_put(h5, "/checkpoint/start", &start) : TROP_OK;
}

/* Of a checkpoint and of a result, which can be gone on with too. */
static enum trop_status put(struct trop_h5 *h5, const void *session)
{
    const struct training *t = ((const struct trop_session *)session)->numbers;
    const int64_t count = trop_train_state_size(t->train);
    int64_t *words = trop_alloc(count, sizeof *words);

    if (!words) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a checkpoint of %lld words",
                         (long long)count);
    }
    trop_train_state_save(words, t->train);
    const struct trop_value state = {
        .kind = TROP_KIND_INTEGERS,
        .integers = words,
        .rank = 1,
        .shape = { count },
        .axes = { "word" },
    };
    const struct trop_value step = { .kind = TROP_KIND_INTEGER,
                                     .integer = trop_train_steps(t->train) };
    enum trop_status status = trop_h5_put(h5, "/checkpoint/state", &state);
    if (status == TROP_OK) {
        status = trop_h5_put(h5, "/checkpoint/step", &step);
    }
    trop_alloc_free(words);
    return status == TROP_OK ? put_start(h5, t) : status;
}

static enum trop_status get(void *numbers, struct trop_h5 *h5)
{
    int64_t *words = NULL, count = 0;
    enum trop_status status = trop_h5_integers(&words, &count, h5, "/checkpoint/state");

    if (status == TROP_OK) {
        status = trop_train_state_load(((struct training *)numbers)->train, words, count);
    }
    trop_alloc_free(words);
    return status == TROP_ERR_ARG ? trop_fail(status, "%s: %s", trop_h5_path(h5), trop_error())
                                  : status;
}

static enum trop_status age(int64_t *out, struct trop_h5 *h5)
{
    int64_t *step = NULL, count = 0;
    const enum trop_status status = trop_h5_integers(&step, &count, h5, "/checkpoint/step");

    *out = status == TROP_OK && count == 1 ? *step : -1;
    trop_alloc_free(step);
    return status;
}

/* ---- the run again --------------------------------------------------------------------------- */

/* Entries of all tensors. */
static int64_t total_of(const struct trop_train *train)
{
    const double *values;
    double log_scale;
    int64_t size[2], total = 0;

    for (int64_t k = 0; trop_train_tensor(&values, &log_scale, size, train, k); k++) {
        total += size[0] * size[1];
    }
    return total;
}

/* The weights that the run was started with, in the place of their file. */
static enum trop_status read_start(struct trop_setup *setup, struct trop_h5 *h5)
{
    struct trop_train_options *o = trop_setup_train(setup), shape = *o;
    struct trop_train *model = NULL;
    struct trop_array start = { 0 };

    shape.start = TROP_TRAIN_NORMAL; /* a run that never starts knows the shapes */
    shape.steps = 0;
    enum trop_status status = trop_train_create(&model, &shape);
    if (status == TROP_OK) {
        status = trop_h5_numbers(&start, h5, "/checkpoint/start");
    }
    if (status == TROP_OK && trop_array_count(start.rank, start.shape) != total_of(model)) {
        status = trop_fail(TROP_ERR_IO, "%s: /checkpoint/start: must have %lld numbers",
                           trop_h5_path(h5), (long long)total_of(model));
    }
    trop_train_free(model);
    if (status != TROP_OK) {
        trop_array_free(&start);
        return status;
    }
    o->start = TROP_TRAIN_GIVEN;
    o->start_weights = setup->weights = start.data;
    return TROP_OK;
}

/* The data are those that the checkpoint has, whatever became of their file. */
static enum trop_status read_data(struct trop_setup *setup, struct trop_h5 *h5)
{
    struct trop_dataset *kept = NULL;
    enum trop_status status =
        trop_dataset_create(&kept, trop_h5_path(h5), 0, 0, 0, TROP_DATASET_SEED);

    if (status == TROP_OK) {
        setup->given_data = kept;
        status = trop_setup_resolve(setup);
        setup->given_data = NULL;
    }
    trop_dataset_free(kept);
    return status;
}

static enum trop_status again(struct trop_setup *out, struct trop_setup *setup, struct trop_h5 *h5)
{
    struct trop_job_options *files = trop_setup_job(out);
    const int given = files->start && strcmp(files->start, "given") == 0;

    (void)setup;
    files->start = given ? NULL : files->start;
    enum trop_status status = read_data(out, h5);
    return status == TROP_OK && given ? read_start(out, h5) : status;
}

/* ---- the noun -------------------------------------------------------------------------------- */

static void release(void *numbers)
{
    struct training *t = numbers;

    trop_train_free(t->train);
    TROP_FREE(t->start, t);
}

static enum trop_status make(void **out, struct trop_setup *setup)
{
    const struct trop_train_options *o = trop_setup_train(setup);
    struct training *t = trop_alloc(1, sizeof *t);

    if (!t) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a run");
    }
    t->steps = o->steps;
    enum trop_status status = trop_train_create(&t->train, o);
    if (status == TROP_OK && o->start == TROP_TRAIN_GIVEN) {
        t->total = total_of(t->train);
        t->start = trop_alloc(t->total, sizeof *t->start);
        if (t->start) {
            memcpy(t->start, o->start_weights, (size_t)t->total * sizeof *t->start);
        } else {
            status = trop_fail(TROP_ERR_MEMORY, "no memory for the weights at the start");
        }
    }
    if (status != TROP_OK) {
        release(t);
        return status;
    }
    *out = t;
    return TROP_OK;
}

static enum trop_status step(int *done, void *numbers, int64_t checkpoint, trop_progress *progress,
                             void *context)
{
    const struct training *t = numbers;
    const int64_t count = checkpoint - trop_train_steps(t->train) % checkpoint;
    enum trop_status status = trop_train_step(t->train, count, progress, context);

    *done = trop_train_steps(t->train) == t->steps;
    return status;
}

const struct trop_session_kind trop_train_session = {
    .format = "tropism train checkpoint",
    .result = "tropism train",
    .create = make,
    .free = release,
    .get = get,
    .age = age,
    .step = step,
    .again = again,
    .changes = "steps, threads, report and time-limit",
    .steps = "steps",
};

static enum trop_status create(void **out, struct trop_setup *setup, struct trop_job *job)
{
    return trop_session_create(out, &trop_train_session, setup, job);
}

static const void *result(const void *session)
{
    return ((const struct training *)((const struct trop_session *)session)->numbers)->train;
}

static const char *const answer[] = {
    "After {steps} steps the mean loss is {loss}; the largest weight of an input is {saturation} "
    "in "
    "the mean.",
    "Its infimum is {loss_infimum}.",
    "{undecided} inputs have no token with more than half of the attention.",
    "The optimiser is {--optimizer} with p = {--p}; it maximises the margin in the {own.norm} "
    "norm.",
    "The optimiser is {--optimizer}{!--p}; it maximises the margin in the {own.norm} norm.",
    "There the weights have {own.ratio} of the best margin of the tokens that they select.",
    "The cosine of the weights with the l2 max-margin solution is {correlation}.",
    "The directional Bregman divergence from the solution in the lp norm, p = {--p}, is {bregman}.",
    "The directional Bregman divergence from the same solution{!--p} is {bregman}.",
    "Locally optimal selection: {locally_optimal}.",
    NULL
};

const struct trop_noun trop_train_noun = {
    .answer = answer,
    .format = "tropism train",
    .endings = { ".h5", ".json", ".csv" },
    .csv = "history",
    .check = trop_session_check,
    .create = create,
    .begin = trop_session_begin,
    .free = trop_session_free,
    .run = trop_session_run,
    .end = trop_session_end,
    .fields = trop_train_field_table,
    .result = result,
    .put = put,
    .notice = trop_session_notice,
    .resumable = trop_session_resumable,
};
