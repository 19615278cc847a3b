/* latent.c -- the random numbers of a draw, kept and changed. */
#include "claim/search/latent.h"

#include "base/alloc.h"
#include "base/status.h"

#include <string.h>

void trop_latents_free(struct trop_latents *table)
{
    trop_alloc_free(table->list);
    *table = (struct trop_latents){ 0 };
}

static enum trop_status make_room(struct trop_latents *table, int64_t capacity)
{
    struct trop_latent *list = trop_alloc(capacity, sizeof *list);

    if (!list) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for the numbers of a draw");
    }
    if (table->count > 0) {
        memcpy(list, table->list, (size_t)table->count * sizeof *list);
    }
    trop_alloc_free(table->list);
    table->list = list;
    table->capacity = capacity;
    return TROP_OK;
}

enum trop_status trop_latents_copy(struct trop_latents *out, const struct trop_latents *table)
{
    const struct trop_latents copy = *table;

    *out = (struct trop_latents){ 0 };
    enum trop_status status = make_room(out, copy.count + 16);
    if (status == TROP_OK && copy.count > 0) {
        memcpy(out->list, copy.list, (size_t)copy.count * sizeof *copy.list);
    }
    if (status == TROP_OK) {
        out->count = copy.count;
        out->draws = copy.draws;
    }
    return status;
}

void trop_latents_begin(struct trop_latents *table)
{
    table->draws++;
    table->next = 0;
}

/* From where the last one was found: draws ask in an order that seldom changes. */
static struct trop_latent *find(struct trop_latents *table, const struct trop_latent *asked)
{
    for (int64_t turn = 0; turn < table->count; turn++) {
        const int64_t at = (table->next + turn) % table->count;
        struct trop_latent *l = table->list + at;
        if (l->use == asked->use && l->k == asked->k && l->kind == asked->kind) {
            table->next = at + 1;
            return l;
        }
    }
    return NULL;
}

enum trop_status trop_latents_ask(double *out, struct trop_latents *table, struct trop_latent asked,
                                  double other)
{
    struct trop_latent *l = find(table, &asked);

    if (!l) {
        enum trop_status status =
            table->count < table->capacity ? TROP_OK : make_room(table, 2 * table->capacity + 64);
        if (status != TROP_OK) {
            return status;
        }
        l = table->list + table->count++;
        *l = asked;
        l->value = other;
        table->next = table->count;
    }
    l->asked = table->draws;
    l->count = asked.count;
    *out = l->kind == TROP_LATENT_PICK && l->value >= (double)l->count ? (double)(l->count - 1)
                                                                       : l->value;
    return TROP_OK;
}
