/* copies.c -- the noun of the verb flow with copies: many small flows, and what they are on
 * average.
 */
#include "base/alloc.h"
#include "base/list.h"
#include "base/status.h"
#include "run/job.h"

#include <string.h>

struct batch {
    struct trop_copies *copies;
    struct trop_flow *first; /* its tokens stand for all that are drawn */
    int64_t n, d;
};

static void release(void *numbers)
{
    struct batch *batch = numbers;

    trop_copies_free(batch->copies);
    trop_flow_free(batch->first);
    trop_alloc_free(batch);
}

static enum trop_status check(struct trop_setup *setup)
{
    const struct trop_job_options *o = trop_setup_job(setup);

    if (o->copies < 1) {
        return trop_fail(TROP_ERR_ARG, "betas: needs copies, those of each beta");
    }
    return o->betas && trop_setup_given(setup, "beta")
               ? trop_fail(TROP_ERR_ARG, "beta and betas: give one of them")
               : TROP_OK;
}

/* Final tokens are kept where they can be shown or written. */
static int keeps(const struct trop_job_options *o, const struct trop_cloud_options *cloud)
{
    int written = o->out && !trop_setup_ends(o->out, ".json");
    int64_t betas = 1;

    if (o->betas && trop_list_read(NULL, &betas, 0, "betas", o->betas) != TROP_OK) {
        return 0; /* refused when the copies are made */
    }
    double numbers = (double)(betas * o->copies) * (double)cloud->n * (double)cloud->d;
    return written || o->print_tokens || numbers <= TROP_OUT_SHOWN;
}

static enum trop_status create(void **out, struct trop_setup *setup, struct trop_job *job)
{
    const struct trop_job_options *o = trop_setup_job(setup);
    const struct trop_flow_options *flow = trop_setup_flow(setup);
    struct trop_copies_options options = trop_copies_options_default();
    struct batch *batch = trop_alloc(1, sizeof *batch);

    if (!batch) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for copies");
    }
    batch->n = job->n;
    batch->d = job->d;
    options.flow = *flow;
    options.copies = o->copies;
    options.betas = o->betas;
    options.keep = keeps(o, &flow->cloud);
    enum trop_status status = trop_copies_create(&batch->copies, &options);
    if (status == TROP_OK) {
        status = trop_flow_create(&batch->first, flow);
    }
    if (status != TROP_OK) {
        release(batch);
        return status;
    }
    *out = batch;
    return TROP_OK;
}

static enum trop_status run(void *numbers, trop_progress *progress, void *context)
{
    struct trop_copies *copies = ((struct batch *)numbers)->copies;
    enum trop_status status = trop_copies_run(copies, progress, context);

    return status == TROP_ERR_STOPPED
               ? trop_fail(status, "stopped after %lld copies", (long long)trop_copies_done(copies))
               : status;
}

/* ---- what it tells --------------------------------------------------------------------------- */

static const void *result(const void *numbers)
{
    return ((const struct batch *)numbers)->copies;
}

static const double *cloud(const void *numbers)
{
    return trop_flow_tokens(((const struct batch *)numbers)->first);
}

static int64_t tokens(const double **values, int64_t shape[3], const void *numbers)
{
    const struct batch *batch = numbers;

    shape[0] = trop_copies_done(batch->copies);
    shape[1] = batch->n;
    shape[2] = batch->d;
    *values = trop_copies_tokens(batch->copies);
    return 3;
}

/* JSON has lists and means always, and arrays with an entry for each copy when there are few. */
static int shows(const void *numbers, const struct trop_field *field, int64_t limit)
{
    const struct batch *batch = numbers;
    const int64_t done = trop_copies_done(batch->copies);
    const int is_large = strcmp(field->name, "tokens") == 0;
    struct trop_value value;

    if (trop_field_read(&value, field, batch->copies, 0) != TROP_OK) {
        return 1; /* JSON says why */
    }
    const double size = (double)done * (is_large ? (double)batch->n * (double)batch->d : 1);
    return !trop_array_holds(&value) || value.shape[0] != done || size <= (double)limit;
}

const struct trop_noun trop_copies_noun = {
    .format = "tropism flow copies",
    .endings = { ".h5", ".json", ".npy" },
    .check = check,
    .create = create,
    .free = release,
    .run = run,
    .fields = trop_copies_field_table,
    .result = result,
    .shows = shows,
    .cloud = cloud,
    .told_by_a_field = 1,
    .tokens = tokens,
};
