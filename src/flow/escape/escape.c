/* escape.c -- first exits at finite beta.
 *
 * Theorems 5.2 and 5.4 of the Frank-Wolfe paper (claims fw-thm-5.2, fw-thm-5.4-repaired) and
 * claim fw-rate-escape. The tokens of a cloud stay near the vertices of its hull for about
 * exp(c beta) steps. Groups are the cells at step 0 (escape_groups.c); T2 is the first
 * step, counted from 1, after which some token is farther than radius from the hull of its group
 * at step 0; T1 is the first step, counted from 0, after which every token is near its
 * vertex, if that comes before T2. For each beta of a list:
 *
 *   chain    many runs, their waiting skipped exactly in law (escape_chain.c), the median, its
 *            interval and the survival curve (escape_statistics.c), and beside them what is proved
 *            and what is known exactly (escape_bounds.c);
 *   flow     one run by leaps (escape_flow.c).
 *
 * Times are carried as logarithms beside counts: beta = 1e4 is no more work than beta = 10.
 *
 * Any beta is allowed. At 0 tokens pick each other blindly, below 0 they shun their own: the
 * exit comes within a few steps, and the bounds, which are for beta > 0, are null or 1. A cloud of
 * one group has nowhere to go: hulls do not grow, and its exit never comes.
 *
 * Cost, of the chain: a run whose first crossing is its exit takes n^2 d products; otherwise n^2 d
 * for every step in which tokens move.
 */
#include "flow/escape/escape.h"

#include "base/alloc.h"
#include "base/list.h"
#include "base/option.h"
#include "base/status.h"
#include "flow/flow.h"

#include <math.h>
#include <string.h>

/* ---- making ---------------------------------------------------------------------------------- */

void trop_escape_free(struct trop_escape *e)
{
    if (!e) {
        return;
    }
    for (int64_t w = 0; e->nearest && w < e->workers; w++) {
        trop_nearest_free(e->nearest[w]);
    }
    TROP_FREE(e->x, e->key_query, e->label, e->group, e->member, e->start, e->single, e->vertex,
              e->rows, e->runs, e->curves, e->order, e->nearest, e);
}

static enum trop_status no_memory(const struct trop_escape *e)
{
    return trop_fail(TROP_ERR_MEMORY, "no memory for %lld runs at %lld betas",
                     (long long)e->options.runs, (long long)e->betas);
}

/* The betas, with room for what will be known of each. */
static enum trop_status take_betas(struct trop_escape *e)
{
    enum trop_status status = trop_list_read(NULL, &e->betas, 0, "beta", e->options.beta);
    double *list = NULL;

    if (status != TROP_OK) {
        return status;
    }
    if (!TROP_ALLOC(TROP_PART(list, e->betas), TROP_PART(e->rows, e->betas),
                    TROP_PART(e->curves, e->betas * 5 * TROP_ESCAPE_POINTS))) {
        trop_alloc_free(list);
        return no_memory(e);
    }
    trop_list_read(list, &e->betas, e->betas, "beta", e->options.beta);
    for (int64_t k = 0; k < e->betas; k++) {
        struct trop_escape_row *row = e->rows + k;
        row->beta = list[k];
        row->survival = e->curves + k * 5 * TROP_ESCAPE_POINTS;
        row->band = row->survival + 2 * TROP_ESCAPE_POINTS;
        row->log10_steps = row->band + 2 * TROP_ESCAPE_POINTS;
    }
    trop_alloc_free(list);
    return TROP_OK;
}

static enum trop_status take_runs(struct trop_escape *e)
{
    int64_t runs = e->options.runs;
    enum trop_status status = TROP_OK;

    if (!TROP_ALLOC(TROP_PART(e->runs, runs), TROP_PART(e->order, runs),
                    TROP_PART(e->nearest, e->workers))) {
        return no_memory(e);
    }
    for (int64_t w = 0; w < e->workers && status == TROP_OK; w++) {
        status = trop_nearest_create(e->nearest + w, e->d);
    }
    return status;
}

enum trop_status trop_escape_create(struct trop_escape **out,
                                    const struct trop_escape_options *options)
{
    enum trop_status status = trop_escape_check(options);

    if (status != TROP_OK) {
        return status;
    }
    struct trop_escape *e = trop_alloc(1, sizeof *e);
    if (!e) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for an escape study");
    }
    e->options = *options;
    e->n = options->cloud.n;
    e->d = options->cloud.d;
    if (options->dynamics != TROP_ESCAPE_CHAIN) {
        e->options.runs = 1;
    }
    e->workers = options->dynamics == TROP_ESCAPE_CHAIN ? trop_flow_workers(options->threads) : 1;
    e->workers = e->workers < e->options.runs ? e->workers : e->options.runs;
    trop_escape_regress(e);
    status = take_betas(e);
    if (status == TROP_OK) {
        status = trop_escape_group(e);
    }
    /* flow/slow/leap.c squares distances: below 1e-150 they vanish, and the flow seems to rest. */
    if (status == TROP_OK && options->dynamics == TROP_ESCAPE_FLOW && e->groups > 1 &&
        e->constants.radius < 1e-150) {
        status = trop_fail(TROP_ERR_NUMERIC,
                           "tokens: the largest norm is %g, must be at least 1e-150 for the flow; "
                           "scaling tokens by s and beta by 1/s^2 changes nothing else",
                           e->constants.radius);
    }
    if (status == TROP_OK) {
        int fine = trop_flow_copy(&e->key_query, options->cloud.key_query.values, e->d * e->d);
        e->options.cloud.key_query.values = e->key_query;
        status = fine ? take_runs(e) : no_memory(e);
    }
    for (int64_t k = 0; k < e->betas && status == TROP_OK; k++) {
        status = trop_escape_bound(e, e->rows + k);
    }
    e->options.cloud.tokens = NULL;
    e->options.beta = NULL;
    if (status != TROP_OK) {
        trop_escape_free(e);
        return status;
    }
    *out = e;
    return TROP_OK;
}

enum trop_status trop_escape_create_from(struct trop_escape **out, const char *const *pairs)
{
    struct trop_escape_options options = trop_escape_options_default();
    enum trop_status status = trop_option_pairs(&options, trop_escape_option_table(), pairs);

    return status == TROP_OK ? trop_escape_create(out, &options) : status;
}

const double *trop_escape_tokens(const struct trop_escape *escape)
{
    return escape->x;
}

/* ---- running --------------------------------------------------------------------------------- */

static enum trop_status run_row(struct trop_escape *e, struct trop_escape_row *row,
                                trop_progress *progress, void *context)
{
    enum trop_status status = TROP_OK;

    if (e->groups == 1) {
        /* One group: no run is needed, and none is made for T1. */
        const struct trop_escape_time never = { INFINITY, INFINITY };
        for (int64_t k = 0; k < e->options.runs; k++) {
            e->runs[k] = (struct trop_escape_run){ .exit = never, .near = never };
        }
        row->runs = e->options.runs;
    } else if (e->options.dynamics == TROP_ESCAPE_CHAIN) {
        status = trop_escape_chain(e, row, progress, context);
    } else {
        status = trop_escape_flow(e, row, progress, context);
    }
    if (status == TROP_OK) {
        status = trop_escape_shadow(e, row);
    }
    trop_escape_summarise(e, row);
    return status;
}

enum trop_status trop_escape_run(struct trop_escape *escape, trop_progress *progress, void *context)
{
    enum trop_status status = TROP_OK;

    for (int64_t k = 0; k < escape->betas && status == TROP_OK; k++) {
        struct trop_escape_row *row = escape->rows + k;
        if (row->runs < escape->options.runs) { /* after a stop: the rest */
            status = run_row(escape, row, progress, context);
        }
    }
    trop_escape_regress(escape);
    return status;
}
