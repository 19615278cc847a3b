/* merge.c -- byte-pair encoding's loop, with a heap.
 *
 * A row of n symbols has at most n - 1 merges, and each makes two new pairs, so that at most 3 n
 * candidates enter the heap and all of it takes n log n. A candidate is stale when a symbol of its
 * pair has changed since: symbols only grow, so the pair that stands there now makes another word.
 *
 * R. Sennrich, B. Haddow, A. Birch, "Neural machine translation of rare words with subword units"
 * (2016), section 3.2; the order among equal ranks is that of common implementations.
 */
#include "model/text/merge.h"

#include "base/alloc.h"
#include "base/status.h"

static enum trop_status no_memory(int64_t count)
{
    return trop_fail(TROP_ERR_MEMORY, "no memory for %lld symbols of a text", (long long)count);
}

enum trop_status trop_merge_push(struct trop_merge *row, int32_t word, int64_t first, int64_t last)
{
    if (row->count == row->room) {
        const int64_t room = row->room ? 2 * row->room : 64;
        struct trop_merge_symbol *more = trop_alloc(room, sizeof *more);
        if (!more || room > INT32_MAX) {
            trop_alloc_free(more);
            return no_memory(room);
        }
        if (row->count > 0) {
            memcpy(more, row->symbol, (size_t)row->count * sizeof *more);
        }
        trop_alloc_free(row->symbol);
        row->symbol = more;
        row->room = room;
    }
    const int32_t k = (int32_t)row->count++;
    row->symbol[k] = (struct trop_merge_symbol){ word, k - 1, -1, first, last };
    if (k > 0) {
        row->symbol[k - 1].after = k;
    }
    return TROP_OK;
}

void trop_merge_release(struct trop_merge *row)
{
    TROP_FREE(row->symbol, row->heap);
    *row = (struct trop_merge){ 0 };
}

/* ---- the heap ---------------------------------------------------------------------------------
 */

static int goes_first(const struct trop_merge_candidate *a, const struct trop_merge_candidate *b)
{
    return a->rank < b->rank || (a->rank == b->rank && a->at < b->at);
}

static void heap_push(struct trop_merge *row, struct trop_merge_candidate candidate)
{
    int64_t k = row->waiting++;

    for (; k > 0 && goes_first(&candidate, row->heap + (k - 1) / 2); k = (k - 1) / 2) {
        row->heap[k] = row->heap[(k - 1) / 2];
    }
    row->heap[k] = candidate;
}

static struct trop_merge_candidate heap_pop(struct trop_merge *row)
{
    const struct trop_merge_candidate best = row->heap[0];
    const struct trop_merge_candidate last = row->heap[--row->waiting];
    int64_t k = 0;

    for (int64_t child = 1; child < row->waiting; child = 2 * k + 1) {
        if (child + 1 < row->waiting && goes_first(row->heap + child + 1, row->heap + child)) {
            child++;
        }
        if (!goes_first(row->heap + child, &last)) {
            break;
        }
        row->heap[k] = row->heap[child];
        k = child;
    }
    row->heap[k] = last;
    return best;
}

/* ---- merging ----------------------------------------------------------------------------------
 */

struct law {
    trop_merge_rule *rule;
    const void *context;
};

/* The pair of symbol at and the one behind it, if it merges. */
static void consider(struct trop_merge *row, const struct law *law, int32_t at)
{
    struct trop_merge_candidate candidate = { .at = at };

    if (at < 0 || row->symbol[at].after < 0) {
        return;
    }
    const int32_t right = row->symbol[row->symbol[at].after].word;
    candidate.word = law->rule(&candidate.rank, law->context, row->symbol[at].word, right);
    if (candidate.word >= 0) {
        heap_push(row, candidate);
    }
}

static int is_stale(const struct trop_merge *row, const struct law *law,
                    const struct trop_merge_candidate *candidate)
{
    const struct trop_merge_symbol *left = row->symbol + candidate->at;
    double rank;

    return left->word < 0 || left->after < 0 ||
           law->rule(&rank, law->context, left->word, row->symbol[left->after].word) !=
               candidate->word;
}

static void join(struct trop_merge *row, const struct trop_merge_candidate *candidate)
{
    struct trop_merge_symbol *left = row->symbol + candidate->at;
    struct trop_merge_symbol *right = row->symbol + left->after;

    left->word = candidate->word;
    left->last = right->last;
    left->after = right->after;
    right->word = -1;
    if (left->after >= 0) {
        row->symbol[left->after].before = candidate->at;
    }
}

enum trop_status trop_merge_run(struct trop_merge *row, trop_merge_rule *rule, const void *context)
{
    const struct law law = { rule, context };
    const int64_t most = 3 * row->count;

    if (most > row->room_heap) {
        struct trop_merge_candidate *heap = trop_alloc(2 * most, sizeof *heap);
        if (!heap) {
            return no_memory(row->count);
        }
        trop_alloc_free(row->heap);
        row->heap = heap;
        row->room_heap = 2 * most;
    }
    row->waiting = 0;
    for (int64_t k = 0; k + 1 < row->count; k++) {
        consider(row, &law, (int32_t)k);
    }
    while (row->waiting > 0) {
        const struct trop_merge_candidate best = heap_pop(row);
        if (!is_stale(row, &law, &best)) {
            join(row, &best);
            consider(row, &law, row->symbol[best.at].before);
            consider(row, &law, best.at);
        }
    }
    return TROP_OK;
}
