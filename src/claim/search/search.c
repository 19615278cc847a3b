/* search.c -- restarts side by side, until one refutes the claim or the time is over.
 *
 * Restarts come in blocks, and a block's are taken one by one by whichever worker is free. The
 * first restart with a counterexample counts; those after it are given up, those before it end.
 */
#include "claim/search/search_internal.h"

#include "base/alloc.h"
#include "base/parallel.h"
#include "base/status.h"
#include "run/stamp.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define BLOCK 64

struct block {
    struct trop_search *search;
    struct trop_search_restart *list;
    int64_t count;
    double start, end;
    _Atomic int64_t next, refuted; /* the first that is, or count */
    _Atomic int stopped;
};

/* What a restart knows of the others. */
struct view {
    struct block *block;
    int64_t at;
    int64_t worker;
};

static int is_over(void *context)
{
    const struct view *view = context;
    struct block *block = view->block;
    struct trop_search *search = block->search;
    const double now = trop_stamp_now();

    if (view->worker == 0 && search->progress &&
        search->progress(search->context, (int64_t)(now - block->start), (int64_t)search->limit)) {
        atomic_store(&block->stopped, 1);
    }
    return atomic_load(&block->stopped) || now >= block->end ||
           view->at > atomic_load(&block->refuted);
}

static int ask(void *context, int64_t done, int64_t total)
{
    (void)done;
    (void)total;
    return is_over(context);
}

/* "there is a constant C" is searched for a C that is large, and for smaller ones. */
static enum trop_status make_base(struct trop_case **out, const struct trop_search *search,
                                  int64_t restart)
{
    static const double constants[] = { 1000, 100, 10 };
    struct trop_input input;
    enum trop_status status = trop_case_copy(out, search->given);

    if (status == TROP_OK) {
        (*out)->threads = 1;
    }
    for (int64_t k = 0; status == TROP_OK && trop_claim_input(&input, search->claim, k); k++) {
        if (strcmp(input.name, "C") == 0 && input.shape[0] == '\0') {
            status = trop_case_default(*out, "C", constants[restart % 3]);
        }
    }
    return status;
}

static void run_one(struct trop_search_restart *r, struct view *view)
{
    r->is_over = is_over;
    r->progress = ask;
    r->context = view;
    r->status = make_base(&r->base, r->search, r->dice.restart);
    if (r->status == TROP_OK) {
        trop_search_climb(r);
    } else {
        snprintf(r->error, sizeof r->error, "%s", trop_error());
    }
    if (r->refuted) {
        int64_t first = atomic_load(&view->block->refuted);
        while (view->at < first &&
               !atomic_compare_exchange_weak(&view->block->refuted, &first, view->at)) {
        }
    }
}

static void run_some(void *context, int64_t first, int64_t last, int64_t worker)
{
    struct block *block = context;

    (void)first;
    (void)last;
    for (;;) {
        struct view view = { block, atomic_fetch_add(&block->next, 1), worker };
        if (view.at >= block->count || is_over(&view)) {
            return;
        }
        run_one(block->list + view.at, &view);
    }
}

/* ---- merging, in the order of restarts ---- */

static enum trop_status merge(struct trop_search *search, struct trop_search_restart *r)
{
    struct trop_search_evidence evidence = { search->evidence, search->evidence_count,
                                             search->evidence_capacity };
    enum trop_status status = TROP_OK;

    for (int64_t k = 0; k < r->evidence.count && status == TROP_OK; k++) {
        status = trop_search_add(&evidence, r->evidence.list + k);
    }
    search->evidence = evidence.list;
    search->evidence_count = evidence.count;
    search->evidence_capacity = evidence.capacity;
    search->evaluations += r->evaluations;
    search->applicable += r->applicable;
    search->restarts += r->evaluations > 0;
    if (r->nearest && (!search->nearest || r->refuted || r->best.ratio > search->best.ratio)) {
        trop_case_free(search->nearest);
        search->nearest = r->nearest;
        search->best = r->best;
        r->nearest = NULL;
    }
    search->refuted = r->refuted;
    return status == TROP_OK && r->status == TROP_ERR_MEMORY ? trop_fail(r->status, "%s", r->error)
                                                             : status;
}

static enum trop_status merge_all(struct trop_search *search, struct block *block)
{
    enum trop_status status = TROP_OK;

    for (int64_t k = 0; k < block->count && status == TROP_OK && !search->refuted; k++) {
        status = merge(search, block->list + k);
        if (search->refuted) {
            search->refuted_after = block->list[k].refuted_at - block->start;
        }
    }
    return status;
}

static void release(struct block *block)
{
    for (int64_t k = 0; k < block->count; k++) {
        struct trop_search_restart *r = block->list + k;
        trop_case_free(r->base);
        trop_case_free(r->nearest);
        trop_alloc_free(r->evidence.list);
    }
    trop_alloc_free(block->list);
}

static enum trop_status run_block(struct trop_search *search, int64_t first, int64_t count,
                                  double start, int *stopped)
{
    const int64_t workers = search->threads < count ? search->threads : count;
    struct block block = { .search = search,
                           .list = trop_alloc(count, sizeof *block.list),
                           .count = count,
                           .start = start,
                           .end = start + search->limit };

    if (!block.list) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a search");
    }
    atomic_store(&block.refuted, count);
    for (int64_t k = 0; k < count; k++) {
        block.list[k].search = search;
        block.list[k].dice.seed = search->given->seed;
        block.list[k].dice.restart = first + k;
    }
    trop_parallel(workers, workers, run_some, &block);
    const enum trop_status status = merge_all(search, &block);
    *stopped = atomic_load(&block.stopped);
    release(&block);
    return status;
}

/* ---- the whole ---- */

enum trop_status trop_search_check(const struct trop_claim *claim)
{
    if (trop_claim_needs_data(claim)) {
        return trop_fail(TROP_ERR_ARG, "search: %s is about outside data, which nothing here draws",
                         claim->id);
    }
    if (trop_claim_is_shown(claim) || trop_claim_is_asked(claim) || claim->table) {
        return trop_fail(TROP_ERR_ARG,
                         "search: %s is about published numbers or experiments, and no instance "
                         "can violate it",
                         claim->id);
    }
    return TROP_OK;
}

enum trop_status trop_search_run(struct trop_search *search)
{
    const double start = trop_stamp_now();
    enum trop_status status = trop_search_check(search->claim);
    int stopped = 0;

    for (int64_t at = 0;
         status == TROP_OK && !search->refuted && !stopped &&
         trop_stamp_now() < start + search->limit && (search->most == 0 || at < search->most);
         at += BLOCK) {
        const int64_t left = search->most - at;
        status =
            run_block(search, at, search->most > 0 && left < BLOCK ? left : BLOCK, start, &stopped);
    }
    search->seconds = trop_stamp_now() - start;
    return status == TROP_OK && stopped
               ? trop_fail(TROP_ERR_STOPPED, "%s: stopped after %lld instances", search->claim->id,
                           (long long)search->evaluations)
               : status;
}

void trop_search_free(struct trop_search *search)
{
    trop_case_free(search->nearest);
    trop_alloc_free(search->evidence);
    search->nearest = NULL;
    search->evidence = NULL;
}

void trop_search_describe(char *out, int64_t room, const struct trop_claim *claim,
                          const struct trop_case *c)
{
    struct trop_input input;
    int64_t used = 0;

    out[0] = '\0';
    for (int64_t k = 0; c && trop_claim_input(&input, claim, k); k++) {
        const char *comma = used > 0 ? ", " : "";
        if (!trop_case_has(c, input.name) || used >= room) {
            continue;
        }
        const struct trop_view v = trop_case_view(c, input.name);
        const int64_t rank = trop_case_size(c, input.name, 2) > 0   ? 3
                             : trop_case_size(c, input.name, 1) > 0 ? 2
                             : trop_case_size(c, input.name, 0) > 0 ? 1
                                                                    : 0;
        char *at = out + used;
        const size_t left = (size_t)(room - used);
        used += rank == 0 ? snprintf(at, left, "%s%s = %.6g", comma, input.name, v.at[0])
                : rank == 1
                    ? snprintf(at, left, "%s%s (%lld)", comma, input.name, (long long)v.rows)
                : rank == 2 ? snprintf(at, left, "%s%s (%lld, %lld)", comma, input.name,
                                       (long long)v.rows, (long long)v.columns)
                            : snprintf(at, left, "%s%s (%lld, %lld, %lld)", comma, input.name,
                                       (long long)v.rows, (long long)v.columns, (long long)v.depth);
    }
}
