/* run.c -- the noun of the verb flow: a token flow that is recorded, and saved on the way.
 *
 * The loop is record, checkpoint, step. A checkpoint is written before anything is
 * judged, so that a run that goes on from it takes the same way as one that was
 * never stopped.
 */
#include "run/run.h"

#include "base/alloc.h"
#include "base/status.h"
#include "flow/dynamics/dynamics.h"
#include "flow/ode/ode.h"
#include "run/proof/proof.h"
#include "run/resume.h"

#include <math.h>
#include <string.h>

/* ---- making --------------------------------------------------------------------------- */

#define REPORTED 2e6 /* numbers of a record that a report costs at most */

static void release(void *numbers)
{
    struct trop_run *run = numbers;

    trop_parts_close(&run->parts);
    trop_record_close(&run->record);
    trop_flow_free(run->flow);
    trop_alloc_free(run);
}

static enum trop_status check(struct trop_setup *setup)
{
    const struct trop_job_options *o = trop_setup_job(setup);
    const struct trop_flow_options *flow = trop_setup_flow(setup);
    int endless = flow->steps.value == INT64_MAX && flow->until == TROP_UNTIL_STEPS && !flow->leap;

    if (o->checkpoint > 0 && !(o->out && trop_out_is_h5(o->out))) {
        return trop_fail(TROP_ERR_ARG, "checkpoint = %lld: needs an out that ends in .h5",
                         (long long)o->checkpoint);
    }
    if (o->record && endless && trop_dynamics_at(flow->dynamics)->closed_form) {
        return trop_fail(TROP_ERR_ARG,
                         "record: would have no end, because steps is infinite; give fewer steps "
                         "than 9e18, or until = converged");
    }
    return TROP_OK;
}

/* A folder without a first part may hold what a killed run left; it goes. */
static enum trop_status open_parts(struct trop_run *run)
{
    enum trop_status status = trop_parts_open(&run->parts, run->job->out);

    if (status == TROP_OK) {
        trop_parts_trim(&run->parts);
    }
    return status;
}

/* A report has the ways of the tokens where they are few numbers, whatever else was asked for. */
static void record_for_report(struct trop_setup *setup)
{
    struct trop_job_options *o = trop_setup_job(setup);
    const struct trop_flow_options *flow = trop_setup_flow(setup);
    const struct trop_integrator *ode = trop_integrator_at(flow->integrator);
    const int by_time = trop_dynamics_at(flow->dynamics)->continuous;
    const double steps = !by_time ? (double)flow->steps.value
                         : ode && ode->order && flow->dt > 0
                             ? fmin(flow->time / flow->dt, (double)flow->steps.value)
                             : (double)INFINITY;

    if (o->report && !o->record && !o->resume && !flow->leap &&
        steps * (double)(flow->cloud.n * flow->cloud.d) <= REPORTED) {
        o->record = "tokens";
    }
}

static enum trop_status create(void **out, struct trop_setup *setup, struct trop_job *job)
{
    enum trop_status status =
        trop_setup_job(setup)->resume ? TROP_OK : trop_resume_refuse(job->out);

    if (status != TROP_OK) {
        return status;
    }
    struct trop_run *run = trop_alloc(1, sizeof *run);
    if (!run) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a run");
    }
    run->job = job;
    record_for_report(setup);
    const struct trop_job_options *o = trop_setup_job(setup);
    const struct trop_flow_options *flow = trop_setup_flow(setup);
    /* How many steps an ODE takes depends on its integrator. */
    run->total = trop_dynamics_at(flow->dynamics)->continuous ? INT64_MAX : flow->steps.value;
    run->takes_all = flow->until == TROP_UNTIL_STEPS && !flow->leap && o->time_limit == 0;
    run->every = o->every;
    run->checkpoint = o->checkpoint;
    run->recorded = run->saved = -1;
    run->out_is_h5 = run->job->out && trop_out_is_h5(run->job->out);
    status = trop_run_draw(&run->flow, setup);
    if (status == TROP_OK) {
        status = trop_record_open(&run->record, run->flow, o->record);
    }
    if (status != TROP_OK) {
        release(run);
        return status;
    }
    *out = run;
    return TROP_OK;
}

/* The folder of checkpoints: a new one, or that of the run that goes on. */
static enum trop_status begin(void *numbers, struct trop_setup *setup)
{
    struct trop_run *run = numbers;

    return trop_setup_job(setup)->resume ? trop_run_load(run)
           : run->checkpoint > 0         ? open_parts(run)
                                         : TROP_OK;
}

/* ---- the loop ----------------------------------------------------------------------------- */

struct loop {
    const struct trop_run *run;
    int64_t end; /* moves to take at most, in all; INT64_MAX: no limit */
    trop_progress *progress;
    void *context;
    double start, before; /* clock at the start of this call; seconds of earlier ones */
    int stopped;
};

/* Without a limit, from now on. */
static struct loop loop_of(const struct trop_run *run, trop_progress *progress, void *context)
{
    return (struct loop){
        .run = run,
        .end = INT64_MAX,
        .progress = progress,
        .context = context,
        .start = trop_stamp_now(),
        .before = run->job->stamp.seconds,
    };
}

static enum trop_status save(struct trop_run *run)
{
    enum trop_status status = TROP_OK;

    if (!run->parts.open) {
        status = open_parts(run);
    }
    if (status == TROP_OK) {
        run->saved = trop_flow_moves(run->flow);
        status = trop_run_write_part(run);
    }
    return status;
}

/* Steps until something is due, but not more than the flow does between two questions
 * whether to stop. How they are cut changes no result. */
static int64_t stride(const struct trop_run *run, const struct loop *loop)
{
    int64_t step = trop_flow_moves(run->flow), steps = trop_flow_stride(run->flow);

    if (loop->end < INT64_MAX && loop->end - step < steps) {
        steps = loop->end - step;
    }
    if (run->record.columns > 0 && run->every - step % run->every < steps) {
        steps = run->every - step % run->every;
    }
    if (run->checkpoint > 0 && run->checkpoint - step % run->checkpoint < steps) {
        steps = run->checkpoint - step % run->checkpoint;
    }
    return steps;
}

/* A trop_progress: whoever runs the loop is asked, with the steps that there will be. */
static int ask(void *context, int64_t done, int64_t total)
{
    struct loop *loop = context;

    (void)done;
    (void)total;
    loop->stopped =
        loop->progress &&
        loop->progress(loop->context, trop_flow_moves(loop->run->flow), loop->run->total);
    return loop->stopped;
}

/* Some steps; within one that is long the caller is asked too. A step that is given up never was.
 */
static enum trop_status take(struct trop_run *run, struct loop *loop)
{
    trop_flow_listen(run->flow, ask, loop);
    const enum trop_status status = trop_flow_step(run->flow, stride(run, loop));
    trop_flow_listen(run->flow, NULL, NULL);
    return status == TROP_ERR_STOPPED ? TROP_OK : status;
}

static enum trop_status steps(struct trop_run *run, struct loop *loop)
{
    for (;;) {
        /* No step, but the run learns here that it has come to its end. */
        enum trop_status status = trop_flow_step(run->flow, 0);
        const int64_t step = trop_flow_moves(run->flow);
        if (status == TROP_OK && run->record.columns > 0 && step % run->every == 0 &&
            step > run->recorded) {
            run->recorded = step;
            status = trop_record_take(&run->record, run->flow);
        }
        if (status != TROP_OK || trop_flow_done(run->flow)) {
            return status;
        }
        run->job->stamp.seconds = loop->before + (trop_stamp_now() - loop->start);
        if (run->checkpoint > 0 && step % run->checkpoint == 0 && step > run->saved) {
            status = save(run);
        }
        if (status != TROP_OK) {
            return status;
        }
        if (ask(loop, step, run->total) || step >= loop->end) {
            return TROP_OK;
        }
        status = take(run, loop);
        if (status != TROP_OK || loop->stopped) {
            return status;
        }
    }
}

/* ---- the end ------------------------------------------------------------------------------ */

/* A run that goes on after it was stopped: its records are in the parts. */
static void take_up(struct trop_run *run)
{
    if (run->joined) {
        trop_record_clear(&run->record);
        run->joined = 0;
    }
}

static enum trop_status told(const struct trop_run *run, const struct loop *loop,
                             enum trop_status status)
{
    return status == TROP_OK && loop->stopped ? trop_fail(TROP_ERR_STOPPED, "stopped at step %lld",
                                                          (long long)trop_flow_moves(run->flow))
                                              : status;
}

static enum trop_status step(void *numbers, int64_t count, trop_progress *progress, void *context)
{
    struct trop_run *run = numbers;
    struct loop loop = loop_of(run, progress, context);
    const int64_t moves = trop_flow_moves(run->flow);

    loop.end = count < INT64_MAX - moves ? moves + count : INT64_MAX;
    take_up(run);
    enum trop_status status = steps(run, &loop);
    return told(run, &loop, status == TROP_OK ? trop_flow_describe(run->flow) : status);
}

/* Options that are kept are told as those of a run that was asked for this end at first. */
static enum trop_status extend(void *numbers, const char *name, const char *text)
{
    struct trop_run *run = numbers;
    const struct trop_option *table = trop_flow_option_table();
    struct trop_flow_options options = trop_flow_options_default();

    if (run->parts.open || run->joined) {
        return trop_fail(TROP_ERR_ARG,
                         "%s: the end of a run that wrote checkpoints cannot be moved", name);
    }
    enum trop_status status = trop_option_set(&options, table, name, text);
    if (status != TROP_OK) {
        return status;
    }
    const struct trop_option *option = trop_option_find(table, name);
    const int64_t size = trop_option_text(NULL, 0, &options, option) + 1;
    char *kept = trop_alloc(size, 1);
    if (!kept) {
        return trop_fail(TROP_ERR_MEMORY, "%s: no memory to keep it", name);
    }
    trop_option_text(kept, size, &options, option);
    status = trop_flow_extend(run->flow, name, text);
    if (status != TROP_OK) {
        trop_alloc_free(kept);
        return status;
    }
    trop_kept_replace(&run->job->kept, name, kept);
    if (run->total < INT64_MAX && option->type == TROP_TYPE_COUNT) {
        run->total = options.steps.value;
    }
    return TROP_OK;
}

static enum trop_status go(void *numbers, trop_progress *progress, void *context)
{
    struct trop_run *run = numbers;
    struct loop loop = loop_of(run, progress, context);

    take_up(run);
    /* A run that will take all its steps asks for the memory of its records before the first. One
     * that may end sooner, or whose steps are not known, asks as they come. */
    const int known = run->takes_all && run->record.columns > 0 && run->total < INT64_MAX;
    enum trop_status status =
        known ? trop_record_expect(&run->record, run->total / run->every + 1) : TROP_OK;
    if (status == TROP_OK) {
        status = steps(run, &loop);
    }
    run->job->stamp.seconds = loop.before + (trop_stamp_now() - loop.start);
    if (status == TROP_OK) {
        /* Puts everything recorded into one place: what is left goes into a last part, so
         * that a run killed from here on loses nothing. */
        if (run->parts.open || (loop.stopped && run->out_is_h5)) {
            if (run->saved != trop_flow_moves(run->flow) || run->record.rows > 0) {
                status = save(run);
            }
            if (status == TROP_OK) {
                status = trop_run_join(run);
            }
        }
    }
    /* What was computed is told also when a file has no room for it. */
    if (status == TROP_OK || status == TROP_ERR_IO) {
        const enum trop_status described = trop_flow_describe(run->flow);
        status = described == TROP_OK ? status : described;
    }
    return told(run, &loop, status);
}

static void end(void *numbers)
{
    trop_parts_remove(&((struct trop_run *)numbers)->parts);
}

/* ---- what it tells ------------------------------------------------------------------------ */

static const void *result(const void *numbers)
{
    return ((const struct trop_run *)numbers)->flow;
}

static const double *cloud(const void *numbers)
{
    return trop_flow_tokens(((const struct trop_run *)numbers)->flow);
}

static int64_t tokens(const double **values, int64_t shape[3], const void *numbers)
{
    const struct trop_run *run = numbers;

    shape[0] = run->job->n;
    shape[1] = run->job->d;
    *values = trop_flow_tokens(run->flow);
    return 2;
}

static int shows(const void *numbers, const struct trop_field *field, int64_t limit)
{
    const struct trop_job *job = ((const struct trop_run *)numbers)->job;
    const int is_large = strcmp(field->name, "tokens") == 0 || strcmp(field->name, "limits") == 0;

    return !is_large || job->n * job->d <= limit;
}

static void json(struct trop_json *out, const void *numbers, int64_t limit)
{
    trop_record_json(&((const struct trop_run *)numbers)->record, out, limit);
}

static enum trop_status put(struct trop_h5 *h5, const void *numbers)
{
    return trop_record_put(&((const struct trop_run *)numbers)->record, h5);
}

static const char *record(struct trop_value *out, const void *numbers, int64_t k)
{
    return trop_record_column(out, &((const struct trop_run *)numbers)->record, k);
}

static const char *notice(const void *numbers)
{
    return ((const struct trop_run *)numbers)->notice;
}

static int resumable(const void *numbers)
{
    const struct trop_run *run = numbers;

    return run->parts.open && run->parts.last > 0;
}

static const char *const answer[] = {
    "Clusters: {clusters}, after {steps} steps.",
    "{!steps}Clusters: {clusters}, after 10 to the power {log10_steps} steps.",
    "Converged with a proof: {converged} (certificate: {certificate.kind}).",
    "The diameter of the tokens is {diameter}, the residual, which is 0 at rest, {residual}.", NULL
};

const struct trop_noun trop_run_noun = {
    .answer = answer,
    .format = "tropism flow run",
    .proofs = trop_proof_flow,
    .endings = { ".h5", ".json", ".npy", ".csv" },
    .csv = "record tokens",
    .check = check,
    .create = create,
    .begin = begin,
    .free = release,
    .run = go,
    .step = step,
    .extend = extend,
    .end = end,
    .fields = trop_flow_field_table,
    .result = result,
    .shows = shows,
    .cloud = cloud,
    .told_by_a_field = 1,
    .tokens = tokens,
    .json = json,
    .put = put,
    .record = record,
    .notice = notice,
    .resumable = resumable,
};
