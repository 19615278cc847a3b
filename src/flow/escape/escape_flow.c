/* escape_flow.c -- the first exit of the deterministic flow: one run by steps and leaps.
 *
 * The mean of the chain, x_i' = x_i + gamma sum_j a_ij (x_j - x_i), followed by flow/slow/slow.c:
 * steps while something moves fast, leaps along the modified field otherwise. The exit and the
 * arrival near the vertices are its events, found to the tolerance; below a few hundred steps the
 * map is stepped, and they are exact. Tokens become one when their distance no longer changes an
 * exponent by a hundredth of the tolerance.
 */
#include "flow/escape/escape.h"

#include "base/linalg.h"
#include "base/math/log.h"
#include "base/status.h"
#include "flow/escape/shadow.h"

#include <math.h>

#define LOOK 1e6 /* products between two looks at the clock */

/* What the event looks at. */
struct watch {
    const struct trop_escape *escape;
    int settled; /* everybody has been near */
    int gone;    /* somebody has left */
};

static double event(void *context, const struct trop_slow *slow)
{
    const struct watch *watch = context;
    const struct trop_escape *e = watch->escape;

    return (!watch->settled && trop_escape_settled(e, slow->x, slow->owner)) ||
                   trop_escape_left(e, e->nearest[0], slow->x, slow->owner)
               ? 1
               : -1;
}

/* The step that has just been reached, or the first one after a place within a leap. */
static struct trop_escape_time now(const struct trop_slow *slow)
{
    double count = slow->clock.count;

    if (count < TROP_ESCAPE_COUNTED) {
        count = ceil(count);
        return (struct trop_escape_time){ count, trop_log(count) };
    }
    return (struct trop_escape_time){ INFINITY, slow->clock.log };
}

static struct trop_slow_options options_at(const struct trop_escape *e, double beta)
{
    const struct trop_escape_options *o = &e->options;
    const struct trop_matrix *b = &o->cloud.key_query;
    double norm = b->values ? trop_linalg_norm(b->values, e->d * e->d) : fabs(b->scale);
    double radius = e->constants.radius;

    return (struct trop_slow_options){
        .x = e->x,
        .model = {
            .n = e->n,
            .d = e->d,
            .beta = beta,
            .gamma = o->gamma,
            .key_query = b,
        },
        .tolerance = o->tolerance,
        .merge = 0.01 * o->tolerance *
                 fmin(radius / (1 + fabs(beta) * norm * radius * radius), o->radius),
    };
}

/* One move, and what it has come to. */
static enum trop_status move(struct trop_escape_run *run, struct watch *watch,
                             struct trop_slow *slow)
{
    const struct trop_escape *e = watch->escape;
    struct trop_slow_event look = { event, watch, 0 };
    enum trop_status status = trop_slow_move(slow, INFINITY, &look);

    run->moves++;
    if (status != TROP_OK || !look.happened) {
        return status;
    }
    watch->gone = trop_escape_left(e, e->nearest[0], slow->x, slow->owner);
    if (!watch->gone && !watch->settled &&
        trop_escape_settled(e, slow->x, slow->owner)) { /* before the exit */
        watch->settled = 1;
        run->near = now(slow);
    }
    return TROP_OK;
}

/* 1, now and then, when the caller wants to stop. */
static int is_stopped(const struct trop_escape *e, const struct trop_escape_row *row, int64_t moves,
                      trop_progress *progress, void *context)
{
    double products = (double)e->n * (double)e->n * (double)e->d;
    int64_t pause = products < LOOK ? (int64_t)(LOOK / products) : 1;

    return progress && moves % pause == 0 && progress(context, row - e->rows, e->betas);
}

enum trop_status trop_escape_flow(struct trop_escape *e, struct trop_escape_row *row,
                                  trop_progress *progress, void *context)
{
    const struct trop_escape_time never = { INFINITY, INFINITY };
    struct trop_slow_options options = options_at(e, row->beta);
    struct trop_escape_run *run = e->runs;
    struct watch watch = { e, trop_escape_settled(e, e->x, NULL), 0 };
    struct trop_slow *slow = NULL;

    *run = (struct trop_escape_run){ .near = never };
    if (watch.settled) {
        run->near = (struct trop_escape_time){ 0, -INFINITY };
    }
    enum trop_status status = trop_slow_create(&slow, &options);
    while (status == TROP_OK && !watch.gone && !slow->resting && run->moves < e->options.moves) {
        if (is_stopped(e, row, run->moves, progress, context)) {
            status = trop_fail(TROP_ERR_STOPPED, "stopped at beta = %g", row->beta);
        } else {
            status = move(run, &watch, slow);
        }
    }
    if (status == TROP_OK) {
        run->open = !watch.gone && !slow->resting;
        run->exit = slow->resting && !watch.gone ? never : now(slow);
        row->runs = 1;
    }
    trop_slow_free(slow);
    return status;
}

enum trop_status trop_escape_shadow(struct trop_escape *e, struct trop_escape_row *row)
{
    struct trop_slow_options options = options_at(e, row->beta);
    struct trop_shadow found;

    if (e->options.shadow == TROP_ESCAPE_OFF) {
        return TROP_OK;
    }
    enum trop_status status =
        trop_shadow_find(&found, e->x, &options.model, e->options.shadow, e->options.tolerance);
    if (status == TROP_OK) {
        row->shadow = (struct trop_escape_time){ found.until.count, found.until.log };
        row->shadow_token = found.token;
    }
    return status;
}
