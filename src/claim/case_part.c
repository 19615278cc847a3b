/* case_part.c -- parts of a case: what they ask for, and how they are left.
 *
 * A part is left by longjmp to where it was begun. That is safe because a part owns nothing by
 * itself: scratch and handles belong to the part, in the order in which they came, and are given
 * back in the opposite one. Parts that run side by side have cases of their own (trop_sample_fill),
 * so that no jump leaves its thread.
 */
#include "claim/case.h"

#include "base/alloc.h"
#include "base/status.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

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
    return other;
}

enum trop_status trop_case_part(struct trop_case *c,
                                void (*part)(void *context, struct trop_case *c), void *context)
{
    struct trop_case_part inner = { .status = TROP_OK };
    struct trop_case_part *const outer = c->part;

    c->part = &inner;
    if (setjmp(inner.start) == 0) {
        part(context, c);
    }
    trop_case_release(c, NULL);
    c->part = outer;
    return inner.status;
}
