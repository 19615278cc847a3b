/* escape_chain.c -- first exits of the random chain: many independent runs.
 *
 * A run goes from change to change (flow/slow/skip.c): over the waiting while every group is one
 * point, step by step while tokens move. Between two changes nothing moves, so every exit and
 * every arrival is at one of them, and its step is exact. Run k at beta has the seed that is
 * number (bits of beta, k) of its stream: it depends on nothing else, neither on the other
 * betas of the list nor on the workers.
 *
 * Freezing a group whose exponents agree to the tolerance changes the law by what
 * trop_skip_distance bounds; a cloud whose groups are bitwise points is not changed at all.
 *
 * Runs are taken in blocks of a fraction of a second, or of one run for each worker; between two
 * blocks the caller may stop the study. The first block is one run, to see how long they are.
 */
#include "flow/escape/escape.h"

#include "base/alloc.h"
#include "base/math/exp.h"
#include "base/linalg.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "base/status.h"
#include "flow/slow/skip.h"

#include <math.h>
#include <stdio.h>

#define BLOCK 2e6 /* products of a worker between two looks at the clock: a tenth of a second */
#define WORTH 1e5 /* products that are worth a worker */

/* The workers of one beta. */
struct crew {
    struct trop_escape *escape;
    double beta;
    int64_t first;            /* run of the block */
    struct trop_skip **skip;  /* (workers) */
    enum trop_status *status; /* (workers) */
    char (*words)[160];       /* (workers) of a failure: sentences belong to a thread */
};

/* Over this length exponents change by less than the tolerance, and so do distances, relative to
 * the radius. */
static double frozen_length(const struct trop_escape *e, double beta)
{
    const struct trop_matrix *b = &e->options.cloud.key_query;
    double norm = b->values ? trop_linalg_norm(b->values, e->d * e->d) : fabs(b->scale);
    double radius = e->constants.radius;
    double length = radius / (1 + fabs(beta) * norm * radius * radius);

    return e->options.tolerance * fmin(length, e->options.radius);
}

static struct trop_escape_time now(const struct trop_skip *skip)
{
    int64_t steps = trop_skip_steps(skip);

    return (struct trop_escape_time){
        (double)steps < TROP_ESCAPE_COUNTED ? (double)steps : (double)INFINITY,
        trop_skip_log_steps(skip),
    };
}

static enum trop_status run_once(struct trop_escape_run *out, const struct trop_escape *e,
                                 struct trop_skip *skip, struct trop_nearest *nearest)
{
    const struct trop_escape_time never = { INFINITY, INFINITY };
    enum trop_status status = TROP_OK;
    int settled = trop_escape_settled(e, e->x, NULL), gone = 0;

    *out = (struct trop_escape_run){ .near = never };
    if (settled) {
        out->near = (struct trop_escape_time){ 0, -INFINITY };
    }
    while (status == TROP_OK && !gone && out->moves < e->options.moves) {
        status = trop_skip_next(skip, INFINITY);
        out->moves++;
        if (status != TROP_OK || trop_skip_log_steps(skip) == INFINITY) {
            break; /* nothing will ever move again */
        }
        const double *x = trop_skip_tokens(skip);
        gone = trop_escape_left(e, nearest, x, NULL);
        if (!gone && !settled && trop_escape_settled(e, x, NULL)) { /* before the exit */
            settled = 1;
            out->near = now(skip);
        }
    }
    out->exit = now(skip);
    out->open = !gone && out->exit.log < INFINITY;
    out->distance = trop_skip_distance(skip);
    return status;
}

static void work(void *context, int64_t first, int64_t last, int64_t worker)
{
    struct crew *crew = context;
    struct trop_escape *e = crew->escape;
    struct trop_skip *skip = crew->skip[worker];

    for (int64_t k = first; k < last && crew->status[worker] == TROP_OK; k++) {
        int64_t run = crew->first + k;
        uint64_t seed = trop_rng_bits(e->options.cloud.seed, TROP_RNG_RUNS,
                                      trop_exp_bits(crew->beta), (uint64_t)run);
        trop_skip_restart(skip, e->x, seed);
        crew->status[worker] = run_once(e->runs + run, e, skip, e->nearest[worker]);
        if (crew->status[worker] != TROP_OK) {
            snprintf(crew->words[worker], sizeof crew->words[worker], "%s", trop_error());
        }
    }
}

/* ---- the crew -------------------------------------------------------------------------------- */

static enum trop_status hire(struct crew *crew)
{
    const struct trop_escape *e = crew->escape;
    const struct trop_escape_options *o = &e->options;
    struct trop_skip_model model = {
        .n = e->n,
        .d = e->d,
        .beta = crew->beta,
        .gamma = o->gamma,
        .key_query = &o->cloud.key_query,
        .delta = frozen_length(e, crew->beta),
    };
    enum trop_status status = TROP_OK;

    if (!TROP_ALLOC(TROP_PART(crew->skip, e->workers), TROP_PART(crew->status, e->workers),
                    TROP_PART(crew->words, e->workers))) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld workers", (long long)e->workers);
    }
    for (int64_t w = 0; w < e->workers && status == TROP_OK; w++) {
        status = trop_skip_create(crew->skip + w, &model, e->x);
    }
    return status;
}

/* Runs first .. first + count, by as many workers as are worth waking; that changes no result. */
static enum trop_status run_block(struct crew *crew, int64_t first, int64_t count, double cost)
{
    double worth = fmin((double)count * cost / WORTH, (double)crew->escape->workers);

    crew->first = first;
    trop_parallel(worth > 1 ? (int64_t)worth : 1, count, work, crew);
    for (int64_t w = 0; w < crew->escape->workers; w++) {
        if (crew->status[w] != TROP_OK) {
            return trop_fail(crew->status[w], "%s", crew->words[w]);
        }
    }
    return TROP_OK;
}

enum trop_status trop_escape_chain(struct trop_escape *e, struct trop_escape_row *row,
                                   trop_progress *progress, void *context)
{
    struct crew crew = { .escape = e, .beta = row->beta };
    int64_t count = 1, place = row - e->rows, all = e->options.runs;
    double cost = 0;
    enum trop_status status = hire(&crew);

    while (status == TROP_OK && row->runs < all) {
        if (progress && progress(context, place * all + row->runs, e->betas * all)) {
            status = trop_fail(TROP_ERR_STOPPED, "stopped after %lld runs at beta = %g",
                               (long long)row->runs, row->beta);
            break;
        }
        count = count < all - row->runs ? count : all - row->runs;
        status = run_block(&crew, row->runs, count, cost);
        if (status == TROP_OK) {
            /* What a run costs, in products, judged by the longest of this block. */
            double longest = 1;
            for (int64_t k = row->runs; k < row->runs + count; k++) {
                longest = fmax(longest, (double)e->runs[k].moves);
            }
            cost = longest * (double)e->n * (double)(e->n + e->d);
            row->runs += count;
            count = e->workers * (int64_t)fmin(fmax(BLOCK / cost, 1), 4096);
        }
    }
    for (int64_t w = 0; crew.skip && w < crew.escape->workers; w++) {
        trop_skip_free(crew.skip[w]);
    }
    TROP_FREE(crew.skip, crew.status, crew.words);
    return status;
}
