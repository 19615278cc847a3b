/* shrink_jump.c -- a few small instances that are not found step by step: a few places of every
 * axis, with small whole numbers.
 *
 * A cloud in the plane around the origin, say, is not brought to a line by leaving out tokens: both
 * that are left have to lie on it.
 */
#include "claim/search/shrink_internal.h"

#include "base/rng.h"

#include <string.h>

#define LONGEST 4 /* axis */
#define TRIES 40  /* of one shape */
#define AXES 4

struct shape {
    char names[AXES][16];
    int64_t count, length[AXES];
};

static struct shape shape_of(const struct trop_shrink *s)
{
    struct shape shape = { 0 };
    char name[16];

    for (int64_t k = 0; trop_shrink_axis_at(name, s->claim, k); k++) {
        int is_new = trop_shrink_length(s->best, s->claim, name) > 0 && shape.count < AXES;
        for (int64_t at = 0; at < shape.count; at++) {
            is_new = is_new && strcmp(shape.names[at], name) != 0;
        }
        if (is_new && strcmp(name, "steps") != 0) {
            memcpy(shape.names[shape.count], name, sizeof name);
            shape.length[shape.count++] = trop_shrink_length(s->best, s->claim, name);
        }
    }
    return shape;
}

static uint64_t bits(int64_t attempt, int64_t k)
{
    return trop_rng_bits(1, TROP_RNG_CLAIMS, (uint64_t)attempt, (uint64_t)k);
}

/* Mostly 0, 1 and -1, and up to 3; at half of the attempts the numbers there are, rounded. */
static void fill(struct trop_case *c, int64_t attempt)
{
    static const double small[] = { 0, 1, -1, 0, 1, -1, 2, -2, 3, -3, 1, -1, 2, -2, 0, 4 };

    for (int64_t e = 0; e < c->count; e++) {
        const struct trop_case_entry *entry = c->entries + e;
        const int64_t count = trop_shrink_elements(entry);
        const int is_square = entry->rank == 2 && entry->shape[0] == entry->shape[1];
        const int is_plain = is_square && bits(attempt, 1000000 + e) % 4 < 3;
        const double sign = bits(attempt, 2000000 + e) % 2 ? 1 : -1;
        for (int64_t k = 0; entry->rank > 0 && !trop_shrink_is_index(entry) && k < count; k++) {
            entry->values[k] = is_plain ? (k % (entry->shape[0] + 1) ? 0 : sign)
                                        : small[bits(attempt, 1000 * e + k) % 16];
        }
    }
}

static int try_shape(struct trop_shrink *s, const struct shape *shape, const int64_t *length)
{
    for (int64_t attempt = 0; attempt < TRIES && !trop_shrink_is_over(s); attempt++) {
        struct trop_case *c = trop_shrink_copy(s);
        int fits = c != NULL;
        for (int64_t k = 0; k < shape->count && fits; k++) {
            const int64_t out = shape->length[k] - length[k];
            fits = out == 0 || trop_shrink_leave_out(c, s->claim, shape->names[k], length[k], out);
        }
        if (!fits) {
            trop_case_free(c);
            return 0;
        }
        fill(c, attempt);
        if (trop_shrink_try(s, c)) {
            return 1;
        }
    }
    return 0;
}

/* Shapes in the order of their numbers: the last axis first. */
int trop_shrink_jump(struct trop_shrink *s)
{
    const struct shape shape = shape_of(s);
    int64_t length[AXES] = { 1, 1, 1, 1 };

    while (shape.count > 0 && !trop_shrink_is_over(s)) {
        if (try_shape(s, &shape, length)) {
            return 1;
        }
        int64_t k = shape.count - 1;
        for (; k >= 0; k--) {
            const int64_t most = shape.length[k] < LONGEST ? shape.length[k] : LONGEST;
            if (++length[k] <= most) {
                break;
            }
            length[k] = 1;
        }
        if (k < 0) {
            return 0;
        }
    }
    return 0;
}
