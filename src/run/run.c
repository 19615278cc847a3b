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

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* ---- making --------------------------------------------------------------------------- */

void trop_run_free(struct trop_run *run)
{
    if (!run) {
        return;
    }
    trop_parts_close(&run->parts);
    trop_record_close(&run->record);
    trop_flow_free(run->flow);
    trop_run_forget(run);
    trop_alloc_free(run->json);
    trop_alloc_free(run->out);
    trop_alloc_free(run);
}

static int is_h5(const char *path)
{
    return trop_setup_ends(path, ".h5") || trop_setup_ends(path, ".hdf5");
}

/* A device or pipe, which takes JSON whatever it is called. */
static int is_special(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode);
}

static enum trop_status check_options(const struct trop_setup *setup)
{
    const char *out = setup->run.out;
    enum trop_status status = trop_option_check(&setup->run, trop_run_option_table());

    if (status != TROP_OK) {
        return status;
    }
    if (out && !is_h5(out) && !trop_setup_ends(out, ".json") && !trop_setup_ends(out, ".npy") &&
        !is_special(out)) {
        return trop_fail(TROP_ERR_ARG, "out = %s: must end in .h5, .json or .npy", out);
    }
    if (setup->run.checkpoint > 0 && !(out && is_h5(out))) {
        return trop_fail(TROP_ERR_ARG, "checkpoint = %lld: needs an out that ends in .h5",
                         (long long)setup->run.checkpoint);
    }
    return TROP_OK;
}

/* What can be known of out before a long run. */
static enum trop_status check_out(const char *out)
{
    int64_t parts = 0;

    if (!out) {
        return TROP_OK;
    }
    enum trop_status status = trop_file_check(out);
    if (status == TROP_OK && is_h5(out)) {
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

static enum trop_status copy_text(char **out, const char *text)
{
    if (!text) {
        return TROP_OK;
    }
    *out = trop_alloc((int64_t)strlen(text) + 1, 1);
    if (!*out) {
        return trop_fail(TROP_ERR_MEMORY, "%s: no memory for its name", text);
    }
    strcpy(*out, text);
    return TROP_OK;
}

enum trop_status trop_run_begin(struct trop_run **out, const struct trop_setup *setup)
{
    const struct trop_run_options *o = &setup->run;
    struct trop_run *run = trop_alloc(1, sizeof *run);

    if (!run) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a run");
    }
    run->n = setup->flow.n;
    run->d = setup->flow.d;
    run->seed = setup->flow.seed;
    /* How many steps an ODE takes depends on its integrator. */
    run->total = setup->flow.dynamics == TROP_DYNAMICS_LAYER ||
                         setup->flow.dynamics == TROP_DYNAMICS_RESIDUAL ||
                         setup->flow.dynamics == TROP_DYNAMICS_CHAIN
                     ? setup->flow.steps.value
                     : INT64_MAX;
    run->every = o->every;
    run->checkpoint = o->checkpoint;
    run->print_tokens = o->print_tokens;
    run->time_limit = o->time_limit;
    run->recorded = run->saved = -1;
    enum trop_status status = copy_text(&run->out, o->out);
    run->out_is_h5 = run->out && is_h5(run->out);
    if (status == TROP_OK) {
        status = trop_flow_create(&run->flow, &setup->flow);
    }
    if (status == TROP_OK) {
        status = trop_record_open(&run->record, run->flow, o->record);
    }
    if (status == TROP_OK) {
        status = trop_run_keep(run, setup);
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

    if (setup->run.resume) {
        return trop_run_resume(out, setup);
    }
    enum trop_status status = check_options(setup);
    if (status == TROP_OK) {
        status = trop_setup_resolve(setup);
    }
    if (status == TROP_OK) {
        status = check_out(setup->run.out);
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
    return run->out;
}

int64_t trop_run_step(const struct trop_run *run)
{
    struct trop_value steps = { 0 };

    trop_flow_value(&steps, run->flow, "steps");
    return steps.integer;
}

/* ---- the loop ----------------------------------------------------------------------------- */

struct loop {
    trop_progress *progress;
    void *context;
    double start, before; /* clock at the start of this call; seconds of earlier ones */
};

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void read_clock(struct trop_run *run, const struct loop *loop)
{
    run->seconds = loop->before + (now() - loop->start);
}

static enum trop_status record_if_due(struct trop_run *run)
{
    int64_t step = trop_run_step(run);

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
        run->saved = trop_run_step(run);
        status = trop_run_write_part(run);
    }
    return status;
}

static enum trop_status save_if_due(struct trop_run *run)
{
    int64_t step = trop_run_step(run);

    if (run->checkpoint == 0 || step % run->checkpoint != 0 || step <= run->saved) {
        return TROP_OK;
    }
    return save(run);
}

/* Steps until something is due, but not more than about 1e7 products between two
 * questions whether to stop. How they are cut changes no result. */
static int64_t stride(const struct trop_run *run)
{
    int64_t step = trop_run_step(run);
    double products = (double)run->n * (double)run->n * (double)(run->d + 8);
    int64_t steps = products < 1e7 ? (int64_t)(1e7 / products) : 1;

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
    if (run->time_limit > 0 && now() - loop->start >= run->time_limit) {
        return "the time limit";
    }
    if (loop->progress && loop->progress(loop->context, trop_run_step(run), run->total)) {
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
        if (*reason) {
            return TROP_OK;
        }
        status = trop_flow_step(run->flow, stride(run));
        if (status != TROP_OK) {
            return status;
        }
    }
}

/* ---- the end ------------------------------------------------------------------------------ */

static enum trop_status write_out(struct trop_run *run)
{
    const char *json = NULL;

    if (!run->out) {
        return TROP_OK;
    }
    if (run->out_is_h5) {
        return trop_run_write_result(run);
    }
    if (trop_setup_ends(run->out, ".npy")) {
        const int64_t shape[] = { run->n, run->d };
        return trop_npy_write(run->out, trop_flow_tokens(run->flow), 2, shape);
    }
    enum trop_status status = trop_run_json(&json, run);
    if (status != TROP_OK) {
        return status;
    }
    /* The line ends where the terminating zero was. */
    size_t length = strlen(run->json);
    run->json[length] = '\n';
    status = trop_file_write(run->out, run->json, (int64_t)length + 1);
    run->json[length] = '\0';
    return status;
}

/* Puts everything recorded into one place: what is left goes into a last part, so
 * that a run killed from here on loses nothing. */
static enum trop_status gather(struct trop_run *run, int stopped)
{
    enum trop_status status = TROP_OK;

    if (run->parts.open || (stopped && run->out_is_h5)) {
        if (run->saved != trop_run_step(run) || run->record.rows > 0) {
            status = save(run);
        }
        if (status == TROP_OK) {
            status = trop_run_join(run);
        }
    }
    return status;
}

enum trop_status trop_run_go(struct trop_run *run, trop_progress *progress, void *context)
{
    struct loop loop = { progress, context, now(), run->seconds };
    const char *reason = NULL;

    if (run->joined) { /* a run that goes on: its records are in the parts */
        trop_record_clear(&run->record);
        run->joined = 0;
    }
    enum trop_status status = steps(&reason, run, &loop);
    read_clock(run, &loop);
    if (status == TROP_OK) {
        status = gather(run, reason != NULL);
    }
    if (status == TROP_OK) {
        status = trop_flow_judge(run->flow);
    }
    read_clock(run, &loop);
    if (status == TROP_OK) {
        status = write_out(run);
    }
    if (status == TROP_OK && reason) {
        return trop_fail(TROP_ERR_STOPPED, "stopped at step %lld by %s",
                         (long long)trop_run_step(run), reason);
    }
    if (status == TROP_OK) {
        trop_parts_remove(&run->parts);
    }
    return status;
}
