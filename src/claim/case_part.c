/* case_part.c -- parts of a case: what they ask for, and how they are left.
 *
 * A part is left by longjmp to where it was begun. That is safe because a part owns nothing by
 * itself: scratch and handles belong to the part, in the order in which they came, and are given
 * back in the opposite one. Parts that run side by side have cases of their own, so that no jump
 * leaves its thread. Whoever asked for progress may stop a part where it asks for memory.
 */
#include "claim/case.h"

#include "base/alloc.h"
#include "base/parallel.h"
#include "base/status.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct kept {
    struct kept *before;
    void (*release)(void *handle);
    void *handle;
};

struct trop_case_part {
    jmp_buf start;
    enum trop_status status;
    struct kept *kept; /* the last one */
};

static _Noreturn void leave(const struct trop_case *c, enum trop_status status)
{
    if (!c->part) {
        fprintf(stderr, "tropism: a case fails outside of its parts: %s\n", trop_error());
        abort();
    }
    c->part->status = status;
    longjmp(c->part->start, 1);
}

void trop_case_try(const struct trop_case *c, enum trop_status status)
{
    if (status != TROP_OK) {
        leave(c, status);
    }
}

enum trop_status trop_case_settle(const struct trop_case *c, enum trop_status status)
{
    if (c->part) {
        trop_case_try(c, status);
    }
    return status;
}

void trop_case_refuse(const struct trop_case *c, const char *format, ...)
{
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    leave(c, trop_fail(TROP_ERR_ARG, "%s", text));
}

void *trop_case_mark(const struct trop_case *c)
{
    return c->part->kept;
}

void trop_case_release(const struct trop_case *c, void *mark)
{
    while (c->part->kept != mark) {
        struct kept *last = c->part->kept;
        c->part->kept = last->before;
        last->release(last->handle);
        trop_alloc_free(last);
    }
}

void trop_case_keep(const struct trop_case *c, void *handle, void (*release)(void *handle))
{
    struct kept *kept = trop_alloc(1, sizeof *kept);

    if (!kept) {
        release(handle);
        leave(c, trop_fail(TROP_ERR_MEMORY, "no memory for what a case keeps"));
    }
    *kept = (struct kept){ c->part->kept, release, handle };
    c->part->kept = kept;
    /* Every part may be left here. */
    if (c->progress && c->progress(c->context, 0, 1)) {
        leave(c, trop_fail(TROP_ERR_STOPPED, "stopped"));
    }
}

static void *scratch(const struct trop_case *c, int64_t count, size_t size)
{
    void *values = trop_alloc(count > 0 ? count : 1, size);

    if (!values) {
        leave(c, trop_fail(TROP_ERR_MEMORY, "no memory for %lld numbers", (long long)count));
    }
    trop_case_keep(c, values, trop_alloc_free);
    return values;
}

double *trop_case_scratch(const struct trop_case *c, int64_t count)
{
    return scratch(c, count, sizeof(double));
}

int64_t *trop_case_scratch_integers(const struct trop_case *c, int64_t count)
{
    return scratch(c, count, sizeof(int64_t));
}

static void free_case(void *c)
{
    trop_case_free(c);
}

struct trop_case *trop_case_aside(const struct trop_case *c)
{
    struct trop_case *copy = NULL;

    trop_case_try(c, trop_case_copy(&copy, c));
    trop_case_keep(c, copy, free_case);
    copy->part = c->part;
    return copy;
}

struct trop_case *trop_case_apart(const struct trop_case *c)
{
    struct trop_case *other = NULL;

    trop_case_try(c, trop_case_create(&other, c->seed, c->trial, c->effort, c->threads));
    trop_case_keep(c, other, free_case);
    other->part = c->part;
    other->latents = c->latents;
    return other;
}

/* The part itself is a variable of the caller: after a jump those of this function that have
 * changed are not determined. */
static void run_or_leave(struct trop_case_part *own,
                         void (*part)(void *context, struct trop_case *c), void *context,
                         struct trop_case *c)
{
    if (setjmp(own->start) == 0) {
        part(context, c);
    }
}

enum trop_status trop_case_part(struct trop_case *c,
                                void (*part)(void *context, struct trop_case *c), void *context)
{
    struct trop_case_part inner = { .status = TROP_OK };
    struct trop_case_part *const outer = c->part;

    c->part = &inner;
    run_or_leave(&inner, part, context, c);
    trop_case_release(c, NULL);
    c->part = outer;
    return inner.status;
}

/* ---- side by side ---- */

struct side {
    void (*part)(struct trop_case *c, int64_t k);
    struct trop_case *c;
    int64_t k;
    enum trop_status status;
};

static void part_of_side(void *context, struct trop_case *c)
{
    const struct side *s = context;

    s->part(c, s->k);
}

static void run_sides(void *context, int64_t first, int64_t last, int64_t worker)
{
    (void)worker;
    for (struct side *s = (struct side *)context + first; first < last; first++, s++) {
        s->status = trop_case_part(s->c, part_of_side, s);
    }
}

static int is_in(const struct trop_case *c, const struct trop_case_entry *entry)
{
    const double *values = trop_case_array(c, entry->name);
    int64_t count = 1;

    for (int64_t axis = 0; axis < TROP_CASE_RANK; axis++) {
        if (trop_case_size(c, entry->name, axis) != entry->shape[axis]) {
            return 0;
        }
        count *= entry->shape[axis] > 0 ? entry->shape[axis] : 1;
    }
    return values && memcmp(values, entry->values, (size_t)count * sizeof *values) == 0;
}

static void take_over(struct trop_case *c, const struct trop_case *from,
                      const struct trop_case *before)
{
    for (const struct trop_case_entry *e = from->entries; e < from->entries + from->count; e++) {
        if (!is_in(before, e) && e->rank == 0) {
            trop_case_put(c, e->name, e->values[0]);
        } else if (!is_in(before, e)) {
            trop_case_copy_in(c, e->name, e->values, e->shape[0], e->shape[1], e->shape[2]);
        }
    }
}

void trop_case_side_by_side(struct trop_case *c, int64_t count,
                            void (*part)(struct trop_case *c, int64_t k))
{
    const struct trop_case *before = trop_case_aside(c);
    struct side *sides = trop_alloc(count, sizeof *sides);

    if (!sides) {
        leave(c, trop_fail(TROP_ERR_MEMORY, "no memory for %lld parts", (long long)count));
    }
    trop_case_keep(c, sides, trop_alloc_free);
    for (int64_t k = 0; k < count; k++) {
        sides[k] = (struct side){ part, trop_case_aside(c), k, TROP_OK };
        sides[k].c->threads = 1;
        sides[k].c->progress = NULL;
        sides[k].c->latents = NULL; /* a table is no matter of several threads */
    }
    trop_parallel(c->threads, count, run_sides, sides);
    for (int64_t k = 0; k < count; k++) {
        /* The sentence of a failure belongs to the thread of its worker: it is made again here. */
        if (sides[k].status != TROP_OK) {
            part(sides[k].c, k);
        }
        take_over(c, sides[k].c, before);
    }
}
