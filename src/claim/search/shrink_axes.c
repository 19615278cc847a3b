/* shrink_axes.c -- fewer tokens, inputs, dimensions and steps.
 *
 * Halves of an axis are left out first, then quarters, down to single places (delta debugging), and
 * of a short one pairs, for clouds that are symmetric.
 */
#include "claim/search/shrink_internal.h"

#include <math.h>
#include <string.h>

#define FEW 12 /* places of which pairs are tried */

/* ---- leaving out ---- */

static int has_axis(const struct trop_claim *claim, const struct trop_case_entry *entry,
                    int64_t axis, const char *name)
{
    char own[16];

    return axis < entry->rank && trop_shrink_axis(own, claim, entry, axis) &&
           strcmp(own, name) == 0;
}

int64_t trop_shrink_length(const struct trop_case *c, const struct trop_claim *claim,
                           const char *axis)
{
    int64_t length = 0;

    for (int64_t k = 0; k < c->count; k++) {
        for (int64_t a = 0; a < c->entries[k].rank; a++) {
            const int64_t own = c->entries[k].shape[a];
            if (has_axis(claim, c->entries + k, a, axis)) {
                if (length > 0 && own != length) {
                    return 0;
                }
                length = own;
            }
        }
    }
    return length;
}

/* Of one axis of one entry; the values move to the front. */
static void leave_out(struct trop_case_entry *entry, int64_t axis, int64_t first, int64_t count)
{
    const int64_t length = entry->shape[axis];
    int64_t inner = 1, used = 0;

    for (int64_t a = axis + 1; a < entry->rank; a++) {
        inner *= entry->shape[a];
    }
    const int64_t all = trop_shrink_elements(entry);
    for (int64_t k = 0; k < all; k++) {
        const int64_t place = k / inner % length;
        if (place < first || place >= first + count) {
            entry->values[used++] = entry->values[k];
        }
    }
    entry->shape[axis] -= count;
}

/* Arrays that the claim does not take have no axes that are known: they are drawn again. */
static void forget_others(struct trop_case *c, const struct trop_claim *claim)
{
    char name[16];

    for (int64_t k = 0; k < c->count;) {
        if (c->entries[k].rank > 0 && !trop_shrink_axis(name, claim, c->entries + k, 0)) {
            trop_case_drop(c, c->entries[k].name);
        } else {
            k++;
        }
    }
}

/* Places that the tokens of an axis T have in an array of indices; 0: one of them is left out. */
static int move_indices(struct trop_case *c, int64_t first, int64_t count)
{
    struct trop_case_entry *alpha = trop_shrink_entry(c, "alpha");

    for (int64_t k = 0; alpha && alpha->rank > 0 && k < trop_shrink_elements(alpha); k++) {
        if (alpha->values[k] >= (double)(first + count)) {
            alpha->values[k] -= (double)count;
        } else if (alpha->values[k] >= (double)first) {
            return 0;
        }
    }
    return 1;
}

int trop_shrink_leave_out(struct trop_case *c, const struct trop_claim *claim, const char *axis,
                          int64_t first, int64_t count)
{
    const int64_t length = trop_shrink_length(c, claim, axis);
    struct trop_case_entry *same = trop_shrink_entry(c, axis);

    if (count >= length || (strcmp(axis, "T") == 0 && !move_indices(c, first, count))) {
        return 0;
    }
    /* Their values are places of this axis. */
    for (int64_t k = 0; k < c->count; k++) {
        const int is_moved = strcmp(c->entries[k].name, "alpha") == 0;
        if (trop_shrink_is_index(c->entries + k) && !is_moved &&
            has_axis(claim, c->entries + k, 0, axis)) {
            return 0;
        }
    }
    for (int64_t k = 0; k < c->count; k++) {
        for (int64_t a = 0; a < c->entries[k].rank; a++) {
            if (has_axis(claim, c->entries + k, a, axis)) {
                leave_out(c->entries + k, a, first, count);
            }
        }
    }
    if (same && same->rank == 0 && same->values[0] == (double)length) {
        same->values[0] -= (double)count;
    }
    forget_others(c, claim);
    return 1;
}

static int try_without(struct trop_shrink *s, const char *axis, int64_t first, int64_t count,
                       int64_t other)
{
    struct trop_case *c = trop_shrink_copy(s);

    if (!c || !trop_shrink_leave_out(c, s->claim, axis, first, count) ||
        (other >= 0 && !trop_shrink_leave_out(c, s->claim, axis, other, 1))) {
        trop_case_free(c);
        return 0;
    }
    return trop_shrink_try(s, c);
}

/* ---- passes ---- */

static int shrink_chunks(struct trop_shrink *s, const char *axis)
{
    int any = 0;

    for (int64_t chunk = trop_shrink_length(s->best, s->claim, axis) / 2; chunk > 0; chunk /= 2) {
        /* From the end: what comes first is kept where either would do. */
        for (int64_t end = trop_shrink_length(s->best, s->claim, axis); end > 0; end -= chunk) {
            const int64_t first = end > chunk ? end - chunk : 0;
            any |= try_without(s, axis, first, end - first, -1);
        }
    }
    return any;
}

static int shrink_pairs(struct trop_shrink *s, const char *axis)
{
    const int64_t length = trop_shrink_length(s->best, s->claim, axis);

    if (length > FEW) {
        return 0;
    }
    for (int64_t i = length - 1; i > 0; i--) {
        for (int64_t j = i - 1; j >= 0; j--) {
            if (try_without(s, axis, i, 1, j)) {
                return 1;
            }
        }
    }
    return 0;
}

int trop_shrink_axes(struct trop_shrink *s)
{
    char axis[16];
    int any = 0;

    for (int64_t k = 0; trop_shrink_axis_at(axis, s->claim, k); k++) {
        any |= shrink_chunks(s, axis);
        while (shrink_pairs(s, axis)) {
            any = 1;
        }
    }
    return any;
}

/* ---- counts ---- */

static int try_count(struct trop_shrink *s, const char *name, double value)
{
    struct trop_case *c = trop_shrink_copy(s);

    if (c) {
        trop_shrink_entry(c, name)->values[0] = value;
        forget_others(c, s->claim);
    }
    return trop_shrink_try(s, c);
}

/* Down by halves of what is left, as far as it goes. */
static int shrink_count(struct trop_shrink *s, const char *name)
{
    int any = 0;

    any |= try_count(s, name, 1);
    for (double by = floor(trop_shrink_entry(s->best, name)->values[0] / 2); by >= 1;) {
        const double value = trop_shrink_entry(s->best, name)->values[0];
        const int stays = value - by >= 1 && try_count(s, name, value - by);
        any |= stays;
        by = stays ? fmin(by, floor((value - by) / 2)) : floor(by / 2);
    }
    return any;
}

int trop_shrink_counts(struct trop_shrink *s)
{
    int any = 0;

    for (int64_t k = 0; k < s->best->count; k++) {
        char name[32];
        memcpy(name, s->best->entries[k].name, sizeof name);
        any |= trop_shrink_is_count(s->best->entries + k) && shrink_count(s, name);
    }
    return any;
}
