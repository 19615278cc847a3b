/* merge_table.c -- pairs of words by a table of hashes with open addressing, at most half full. */
#include "base/alloc.h"
#include "base/status.h"
#include "model/text/merge.h"

enum trop_status trop_merge_table_create(struct trop_merge_table *out, int64_t pairs)
{
    struct trop_merge_table table = { .slots = 2 };

    while (table.slots < 2 * pairs) {
        table.slots *= 2;
    }
    table.pair = trop_alloc(table.slots, sizeof *table.pair);
    if (!table.pair) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld merges", (long long)pairs);
    }
    for (int64_t k = 0; k < table.slots; k++) {
        table.pair[k].left = -1;
    }
    *out = table;
    return TROP_OK;
}

/* The slot of a pair, or the free one where it would stand. */
static struct trop_merge_pair *slot_of(const struct trop_merge_table *table, int32_t left,
                                       int32_t right)
{
    /* Fibonacci's constant spreads the low bits, which neighbours share, over the high ones. */
    const uint64_t key = ((uint64_t)(uint32_t)left << 32 | (uint32_t)right) * 0x9e3779b97f4a7c15u;
    uint64_t at = (key ^ key >> 29) & (uint64_t)(table->slots - 1);

    while (table->pair[at].left >= 0 &&
           (table->pair[at].left != left || table->pair[at].right != right)) {
        at = (at + 1) & (uint64_t)(table->slots - 1);
    }
    return table->pair + at;
}

void trop_merge_table_add(struct trop_merge_table *table, const struct trop_merge_pair *pair)
{
    struct trop_merge_pair *slot = slot_of(table, pair->left, pair->right);

    table->count += slot->left < 0;
    *slot = *pair;
}

int32_t trop_merge_table_rule(double *rank, const void *context, int32_t left, int32_t right)
{
    const struct trop_merge_table *table = context;

    if (table->slots == 0) {
        return -1;
    }
    const struct trop_merge_pair *slot = slot_of(table, left, right);
    *rank = slot->rank;
    return slot->left < 0 ? -1 : slot->word;
}

void trop_merge_table_free(struct trop_merge_table *table)
{
    trop_alloc_free(table->pair);
    *table = (struct trop_merge_table){ 0 };
}
