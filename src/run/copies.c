/* copies.c -- the noun of the verb flow with copies: many small flows, and what they are on
 * average.
 */
#include "base/alloc.h"
#include "base/list.h"
#include "base/status.h"
#include "flow/copies/copies.h"
#include "flow/dynamics/dynamics.h"
#include "run/copies_record.h"
#include "run/job.h"

#include <stdio.h>
#include <string.h>

struct batch {
    struct trop_copies *copies;
    struct trop_flow *first; /* its tokens stand for all that are drawn */
    int64_t n, d;
    struct trop_copies_record record;
    char notice[128];
};

static void release(void *numbers)
{
    struct batch *batch = numbers;

    trop_copies_free(batch->copies);
    trop_copies_record_free(&batch->record);
    trop_flow_free(batch->first);
    trop_alloc_free(batch);
}

/* ---- lists ----------------------------------------------------------------------------------- */

#define LISTS 4

struct list {
    const char *name, *one, *text; /* of the option; of the one that it takes the place of */
};

static void lists_of(struct list out[LISTS], const struct trop_job_options *o)
{
    const struct list lists[LISTS] = { { "betas", "beta", o->betas },
                                       { "epsilons", "epsilon", o->epsilons },
                                       { "alphas", "alpha", o->alphas },
                                       { "gammas", "gamma", o->gammas } };

    memcpy(out, lists, sizeof lists);
}

/* is_read: the tokens are, and have told how many copies they start. */
static enum trop_status check_all(struct trop_setup *setup, int is_read)
{
    const struct trop_job_options *o = trop_setup_job(setup);
    struct list lists[LISTS];

    lists_of(lists, o);
    for (int k = 0; k < LISTS; k++) {
        if (lists[k].text && o->copies < 1 && (is_read || !o->tokens)) {
            return trop_fail(TROP_ERR_ARG, "%s: needs copies, those of each %s", lists[k].name,
                             lists[k].one);
        }
        if (lists[k].text && trop_setup_given(setup, lists[k].one)) {
            return trop_fail(TROP_ERR_ARG, "%s and %s: give one of them", lists[k].one,
                             lists[k].name);
        }
    }
    if (o->checkpoint > 0 || o->resume) {
        return trop_fail(TROP_ERR_ARG, "%s: is for one flow, not for copies",
                         o->resume ? "resume" : "checkpoint");
    }
    return TROP_OK;
}

static enum trop_status check(struct trop_setup *setup)
{
    return check_all(setup, 0);
}

/* All of them; -1 when a list is none, or they are too many, which is refused when they are made.
 */
static int64_t count_of(const struct trop_job_options *o)
{
    struct list lists[LISTS];
    int64_t all = o->copies;

    lists_of(lists, o);
    for (int k = 0; k < LISTS; k++) {
        int64_t count = 1;
        if (lists[k].text &&
            trop_list_read(NULL, &count, 0, lists[k].name, lists[k].text) != TROP_OK) {
            return -1;
        }
        all = trop_alloc_product(all, count);
    }
    return all;
}

/* Final tokens are kept where they can be shown or written, and where those at the start had to be
 * there too. */
static int keeps(const struct trop_job_options *o, const struct trop_cloud_options *cloud)
{
    int written = o->out && !trop_setup_ends(o->out, ".json");
    const int64_t all = count_of(o);
    const double numbers = (double)all * (double)cloud->n * (double)cloud->d;

    return all >= 0 && (written || o->print_tokens || o->starts > 0 || numbers <= TROP_OUT_SHOWN);
}

/* ---- records --------------------------------------------------------------------------------- */

static enum trop_status take(void *context, int64_t copy, struct trop_flow *flow)
{
    return trop_copies_record_take(&((struct batch *)context)->record, copy, flow);
}

static enum trop_status end(void *context, int64_t copy, enum trop_status status,
                            struct trop_flow *flow)
{
    (void)context;
    (void)flow;
    return status == TROP_OK ? TROP_OK
                             : trop_fail(status, "copy %lld: %s", (long long)copy, trop_error());
}

/* Refuses records that have no end, or no room. */
static enum trop_status check_records(const struct batch *batch, const struct trop_job_options *o,
                                      const struct trop_flow_options *flow, int64_t copies)
{
    const int known = flow->until == TROP_UNTIL_STEPS && !flow->leap &&
                      !trop_dynamics_at(flow->dynamics)->continuous;
    const int64_t rows = known ? flow->steps.value / o->every : 0;

    return rows >= INT64_MAX / (copies + 1) / 2
               ? trop_fail(TROP_ERR_ARG, "record: %lld copies have too many steps for it",
                           (long long)copies)
               : trop_record_afford(&batch->record.model, copies * (rows + 1));
}

/* ---- making ---------------------------------------------------------------------------------- */

/* out: the options of all copies, with a visitor where something is recorded. */
static enum trop_status prepare(struct trop_copies_options *out, struct batch *batch,
                                struct trop_copies_visitor *visitor,
                                const struct trop_job_options *o,
                                const struct trop_flow_options *flow)
{
    *out = trop_copies_options_default();
    out->flow = *flow;
    out->copies = o->copies;
    out->betas = o->betas;
    out->epsilons = o->epsilons;
    out->alphas = o->alphas;
    out->gammas = o->gammas;
    out->keep = keeps(o, &flow->cloud);
    if (o->starts > 0) {
        out->tokens = flow->cloud.tokens;
        out->flow.cloud.tokens = NULL;
    }
    if (!o->record) {
        return TROP_OK;
    }
    const int64_t copies = count_of(o);
    *visitor = (struct trop_copies_visitor){
        .context = batch,
        .end = end,
        .fields = "steps",
        .look = take,
        .watch = o->record,
        .every = o->every,
    };
    out->visitor = visitor;
    /* A flow of its own is watched: the tokens of first are those at the start. */
    enum trop_status status =
        copies < 0 ? trop_fail(TROP_ERR_ARG, "record: there are too many copies")
                   : trop_copies_record_open(&batch->record, batch->first, o->record, copies);
    return status == TROP_OK ? check_records(batch, o, flow, copies) : status;
}

/* Given tokens, and nothing that a seed draws: every copy is the same flow. */
static void note_same(struct batch *batch, const struct trop_job_options *o,
                      const struct trop_flow_options *flow)
{
    const int one = o->starts == 0 && (flow->cloud.tokens || flow->cloud.init == TROP_INIT_POLYGON);

    if (o->copies > 1 && one && !trop_dynamics_at(flow->dynamics)->random &&
        flow->draw_key_query == TROP_DRAW_KEY_QUERY_NONE &&
        flow->draw_value == TROP_DRAW_VALUE_NONE) {
        snprintf(batch->notice, sizeof batch->notice,
                 "copies: all %lld start from the same tokens and nothing is drawn, so they are "
                 "the same",
                 (long long)o->copies);
    }
}

static enum trop_status create(void **out, struct trop_setup *setup, struct trop_job *job)
{
    const struct trop_job_options *o = trop_setup_job(setup);
    const struct trop_flow_options *flow = trop_setup_flow(setup);
    struct trop_copies_options options;
    struct trop_copies_visitor visitor;
    enum trop_status status = check_all(setup, 1);

    if (status == TROP_OK) {
        status = trop_copies_check_device(flow);
    }
    if (status != TROP_OK) {
        return status;
    }
    struct batch *batch = trop_alloc(1, sizeof *batch);
    if (!batch) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for copies");
    }
    batch->n = job->n;
    batch->d = job->d;
    options = trop_copies_options_default();
    status = trop_flow_create(&batch->first, flow);
    if (status == TROP_OK) {
        status = prepare(&options, batch, &visitor, o, flow);
    }
    if (status == TROP_OK) {
        note_same(batch, o, flow);
        status = trop_copies_create(&batch->copies, &options);
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
    struct batch *batch = numbers;
    struct trop_copies *copies = batch->copies;
    enum trop_status status = trop_copies_run(copies, progress, context);
    const int stopped = status == TROP_ERR_STOPPED;

    if (batch->record.each && (status == TROP_OK || stopped)) {
        const enum trop_status joined =
            trop_copies_record_join(&batch->record, trop_copies_done(copies));
        status = joined == TROP_OK ? status : joined;
    }
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

static void json(struct trop_json *out, const void *numbers, int64_t limit)
{
    trop_copies_record_json(&((const struct batch *)numbers)->record, out, limit);
}

static enum trop_status put(struct trop_h5 *h5, const void *numbers)
{
    return trop_copies_record_put(&((const struct batch *)numbers)->record, h5);
}

static const char *record(struct trop_value *out, const void *numbers, int64_t k)
{
    return trop_copies_record_column(out, &((const struct batch *)numbers)->record, k);
}

static const char *notice(const void *numbers)
{
    return ((const struct batch *)numbers)->notice;
}

static const char *const answer[] = {
    "{copies} of {asked} copies are done.",
    "They have {means} settings of the options that vary: the table means has a row for each.", NULL
};

const struct trop_noun trop_copies_noun = {
    .answer = answer,
    .format = "tropism flow copies",
    .endings = { ".h5", ".json", ".npy", ".csv" },
    .csv = "copy",
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
    .json = json,
    .put = put,
    .record = record,
    .notice = notice,
};
