/* run.c -- a token flow with its files: made, run, stopped, written.
 *
 * The loop is record, checkpoint, step. A checkpoint is written before anything is
 * judged, so that a run that goes on from it takes the same way as one that was
 * never stopped.
 */
#include "run/run.h"

#include "base/alloc.h"
#include "base/status.h"
#include "io/file.h"
#include "io/npy.h"

/* ---- making --------------------------------------------------------------------------- */

void trop_run_free(struct trop_run *run)
{
    if (!run) {
        return;
    }
    trop_parts_close(&run->parts);
    trop_record_close(&run->record);
    trop_flow_free(run->flow);
    trop_kept_close(&run->kept);
    trop_alloc_free(run->json);
    trop_alloc_free(run->out);
    trop_alloc_free(run);
}

/* Of files that a result can be written to. */
static const char *const endings[] = { ".h5", ".json", ".npy", NULL };

static enum trop_status check_options(const struct trop_run_options *o,
                                      const struct trop_flow_options *flow)
{
    int endless = flow->steps.value == INT64_MAX && flow->until == TROP_UNTIL_STEPS && !flow->leap;
    enum trop_status status = trop_option_check(o, trop_run_option_table());

    if (status == TROP_OK) {
        status = trop_out_check(o->out, endings);
    }
    if (status == TROP_OK && o->checkpoint > 0 && !(o->out && trop_out_is_h5(o->out))) {
        return trop_fail(TROP_ERR_ARG, "checkpoint = %lld: needs an out that ends in .h5",
                         (long long)o->checkpoint);
    }
    if (status == TROP_OK && o->record && endless && flow->dynamics == TROP_DYNAMICS_LAYER) {
        return trop_fail(TROP_ERR_ARG, "record: has no end when steps has none; give fewer steps "
                                       "than 9e18, or until = converged");
    }
    return status;
}

/* What can be known of out before a long run. */
static enum trop_status check_out(const char *out)
{
    int64_t parts = 0;

    if (!out) {
        return TROP_OK;
    }
    enum trop_status status = trop_file_check(out);
    if (status == TROP_OK && trop_out_is_h5(out)) {
        status = trop_parts_count(&parts, out);
    }
    if (status == TROP_OK && parts > 0) {
        return trop_fail(TROP_ERR_IO,
                         "%s.parts: holds the checkpoints of a run that is not finished; resume it "
                         "(--resume %s) or remove the folder",
                         out, out);
    }
    return status;
}

enum trop_status trop_run_begin(struct trop_run **out, struct trop_setup *setup)
{
    const struct trop_run_options *o = trop_setup_run(setup);
    const struct trop_flow_options *flow = trop_setup_flow(setup);
    struct trop_run *run = trop_alloc(1, sizeof *run);

    if (!run) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a run");
    }
    run->n = flow->cloud.n;
    run->d = flow->cloud.d;
    trop_stamp_open(&run->stamp, flow->cloud.seed);
    /* How many steps an ODE takes depends on its integrator. */
    run->total = flow->dynamics == TROP_DYNAMICS_LAYER ||
                         flow->dynamics == TROP_DYNAMICS_RESIDUAL ||
                         flow->dynamics == TROP_DYNAMICS_CHAIN
                     ? flow->steps.value
                     : INT64_MAX;
    run->takes_all = flow->until == TROP_UNTIL_STEPS && !flow->leap && o->time_limit == 0;
    run->every = o->every;
    run->checkpoint = o->checkpoint;
    run->print_tokens = o->print_tokens;
    run->time_limit = o->time_limit;
    run->recorded = run->saved = -1;
    enum trop_status status = trop_out_copy(&run->out, o->out);
    run->out_is_h5 = run->out && trop_out_is_h5(run->out);
    if (status == TROP_OK) {
        status = trop_flow_create(&run->flow, flow);
    }
    if (status == TROP_OK) {
        status = trop_record_open(&run->record, run->flow, o->record);
    }
    if (status == TROP_OK) {
        status = trop_kept_open(&run->kept, setup, trop_flow_tokens(run->flow));
    }
    if (status != TROP_OK) {
        trop_run_free(run);
        return status;
    }
    *out = run;
    return TROP_OK;
}

/* A folder without a first part may hold what a killed run left; it goes. */
static enum trop_status open_parts(struct trop_run *run)
{
    enum trop_status status = trop_parts_open(&run->parts, run->out);

    if (status == TROP_OK) {
        trop_parts_trim(&run->parts);
    }
    return status;
}

enum trop_status trop_run_create(struct trop_run **out, struct trop_setup *setup)
{
    struct trop_run *run = NULL;
    enum trop_status status = trop_setup_expect(setup, "flow");

    if (status != TROP_OK) {
        return status;
    }
    const struct trop_run_options *o = trop_setup_run(setup);
    if (o->copies > 0 || o->betas) {
        return trop_fail(TROP_ERR_ARG, o->betas && o->copies == 0
                                           ? "betas: needs copies, those of each beta"
                                           : "copies: is for many flows in bulk");
    }
    if (o->resume) {
        return trop_run_resume(out, setup);
    }
    status = check_options(o, trop_setup_flow(setup));
    if (status == TROP_OK) {
        status = trop_setup_resolve(setup);
    }
    if (status == TROP_OK) {
        status = check_out(o->out);
    }
    if (status == TROP_OK) {
        status = trop_run_begin(&run, setup);
    }
    if (status == TROP_OK && run->checkpoint > 0) {
        status = open_parts(run);
    }
    if (status != TROP_OK) {
        trop_run_free(run);
        return status;
    }
    *out = run;
    return TROP_OK;
}

/* ---- what it tells ----------------------------------------------------------------------- */

const struct trop_flow *trop_run_flow(const struct trop_run *run)
{
    return run->flow;
}

const char *trop_run_notice(const struct trop_run *run)
{
    return run->notice;
}

int trop_run_resumable(const struct trop_run *run)
{
    return run->parts.open && run->parts.last > 0;
}

const char *trop_run_out(const struct trop_run *run)
{
    return run->unwritten ? NULL : run->out;
}

int64_t trop_run_moves(const struct trop_run *run)
{
    return trop_flow_moves(run->flow);
}

/* ---- the loop ----------------------------------------------------------------------------- */

struct loop {
    int64_t end; /* moves to take at most, in all; INT64_MAX: no limit */
    trop_progress *progress;
    void *context;
    double start, before; /* clock at the start of this call; seconds of earlier ones */
};

/* Without a limit, from now on. */
static struct loop loop_of(const struct trop_run *run, trop_progress *progress, void *context)
{
    return (struct loop){
        .end = INT64_MAX,
        .progress = progress,
        .context = context,
        .start = trop_stamp_now(),
        .before = run->stamp.seconds,
    };
}

static void read_clock(struct trop_run *run, const struct loop *loop)
{
    run->stamp.seconds = loop->before + (trop_stamp_now() - loop->start);
}

static enum trop_status record_if_due(struct trop_run *run)
{
    int64_t step = trop_run_moves(run);

    if (run->record.columns == 0 || step % run->every != 0 || step <= run->recorded) {
        return TROP_OK;
    }
    run->recorded = step;
    return trop_record_take(&run->record, run->flow);
}

static enum trop_status save(struct trop_run *run)
{
    enum trop_status status = TROP_OK;

    if (!run->parts.open) {
        status = open_parts(run);
    }
    if (status == TROP_OK) {
        run->saved = trop_run_moves(run);
        status = trop_run_write_part(run);
    }
    return status;
}

static enum trop_status save_if_due(struct trop_run *run)
{
    int64_t step = trop_run_moves(run);

    if (run->checkpoint == 0 || step % run->checkpoint != 0 || step <= run->saved) {
        return TROP_OK;
    }
    return save(run);
}

/* Steps until something is due, but not more than the flow does between two questions
 * whether to stop. How they are cut changes no result. */
static int64_t stride(const struct trop_run *run, const struct loop *loop)
{
    int64_t step = trop_run_moves(run), steps = trop_flow_stride(run->flow);

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

/* Why to stop now; NULL: go on. */
static const char *reason_to_stop(struct trop_run *run, const struct loop *loop)
{
    if (run->time_limit > 0 && trop_stamp_now() - loop->start >= run->time_limit) {
        return "the time limit";
    }
    if (loop->progress && loop->progress(loop->context, trop_run_moves(run), run->total)) {
        return "a request";
    }
    return NULL;
}

static enum trop_status steps(const char **reason, struct trop_run *run, const struct loop *loop)
{
    for (;;) {
        /* No step, but the run learns here that it has come to its end. */
        enum trop_status status = trop_flow_step(run->flow, 0);
        if (status == TROP_OK) {
            status = record_if_due(run);
        }
        if (status != TROP_OK || trop_flow_done(run->flow)) {
            return status;
        }
        read_clock(run, loop);
        status = save_if_due(run);
        if (status != TROP_OK) {
            return status;
        }
        *reason = reason_to_stop(run, loop);
        if (*reason || trop_run_moves(run) >= loop->end) {
            return TROP_OK;
        }
        status = trop_flow_step(run->flow, stride(run, loop));
        if (status != TROP_OK) {
            return status;
        }
    }
}

/* ---- the end ------------------------------------------------------------------------------ */

static enum trop_status write_out(struct trop_run *run, const char *path)
{
    const char *json = NULL;

    if (trop_out_is_h5(path)) {
        return trop_run_write_result(run, path);
    }
    if (trop_setup_ends(path, ".npy")) {
        const int64_t shape[] = { run->n, run->d };
        return trop_npy_write(path, trop_flow_tokens(run->flow), 2, shape);
    }
    enum trop_status status = trop_run_json(&json, run);
    return status == TROP_OK ? trop_out_json(path, run->json) : status;
}

enum trop_status trop_run_save(struct trop_run *run, const char *path)
{
    enum trop_status status = trop_out_check(path, endings);

    return status == TROP_OK ? write_out(run, path) : status;
}

/* Puts everything recorded into one place: what is left goes into a last part, so
 * that a run killed from here on loses nothing. */
static enum trop_status gather(struct trop_run *run, int stopped)
{
    enum trop_status status = TROP_OK;

    if (run->parts.open || (stopped && run->out_is_h5)) {
        if (run->saved != trop_run_moves(run) || run->record.rows > 0) {
            status = save(run);
        }
        if (status == TROP_OK) {
            status = trop_run_join(run);
        }
    }
    return status;
}

/* A run that will take all its steps asks for the memory of its records before the first. One that
 * may end sooner, or whose steps are not known, asks as they come. */
static enum trop_status expect_records(struct trop_run *run)
{
    const int known = run->takes_all && run->record.columns > 0 && run->total < INT64_MAX;

    return known ? trop_record_expect(&run->record, run->total / run->every + 1) : TROP_OK;
}

/* A run that goes on after it was stopped: its records are in the parts. */
static void take_up(struct trop_run *run)
{
    if (run->joined) {
        trop_record_clear(&run->record);
        run->joined = 0;
    }
}

enum trop_status trop_run_step(struct trop_run *run, int64_t count, trop_progress *progress,
                               void *context)
{
    int64_t step = trop_run_moves(run);
    struct loop loop = loop_of(run, progress, context);
    const char *reason = NULL;

    if (count < 0) {
        return trop_fail(TROP_ERR_ARG, "steps = %lld: must be at least 0", (long long)count);
    }
    loop.end = count < INT64_MAX - step ? step + count : INT64_MAX;
    take_up(run);
    enum trop_status status = steps(&reason, run, &loop);
    if (status == TROP_OK) {
        status = trop_flow_describe(run->flow);
    }
    read_clock(run, &loop);
    if (status == TROP_OK && reason) {
        return trop_fail(TROP_ERR_STOPPED, "stopped at step %lld by %s",
                         (long long)trop_run_moves(run), reason);
    }
    return status;
}

enum trop_status trop_run_go(struct trop_run *run, trop_progress *progress, void *context)
{
    const struct loop loop = loop_of(run, progress, context);
    const char *reason = NULL;

    take_up(run);
    enum trop_status status = expect_records(run);
    if (status == TROP_OK) {
        status = steps(&reason, run, &loop);
    }
    read_clock(run, &loop);
    if (status == TROP_OK) {
        status = gather(run, reason != NULL);
    }
    /* What was computed is told also when a file has no room for it. */
    if (status == TROP_OK || status == TROP_ERR_IO) {
        const enum trop_status described = trop_flow_describe(run->flow);
        status = described == TROP_OK ? status : described;
    }
    read_clock(run, &loop);
    if (status == TROP_OK && run->out) {
        status = write_out(run, run->out);
    }
    run->unwritten = status != TROP_OK;
    if (status == TROP_OK && reason) {
        return trop_fail(TROP_ERR_STOPPED, "stopped at step %lld by %s",
                         (long long)trop_run_moves(run), reason);
    }
    if (status == TROP_OK) {
        trop_parts_remove(&run->parts);
    }
    return status;
}
