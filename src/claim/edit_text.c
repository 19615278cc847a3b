/* edit_text.c -- what is given of a case as a line of text that trop_edit reads back. */
#include "claim/edit.h"

#include "base/alloc.h"
#include "base/status.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a text that grows ---- */

struct text {
    char *at; /* NULL after a failure */
    size_t used, room;
};

static void add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct text *text, const char *format, ...)
{
    char piece[128];
    va_list arguments;

    va_start(arguments, format);
    const size_t length = (size_t)vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);
    if (text->at && text->used + length + 1 > text->room) {
        char *more = trop_alloc((int64_t)(2 * text->room), 1);
        if (more) {
            memcpy(more, text->at, text->used + 1);
        }
        trop_alloc_free(text->at);
        text->at = more;
        text->room *= 2;
    }
    if (text->at) {
        memcpy(text->at + text->used, piece, length + 1);
        text->used += length;
    }
}

/* The shortest that reads back to the same bits. */
static void add_number(struct text *text, double value)
{
    char number[40];
    int precision = 0;

    do {
        snprintf(number, sizeof number, "%.*g", ++precision, value);
    } while (precision < 17 && strtod(number, NULL) != value);
    if (value == floor(value) && fabs(value) < 1e6) {
        snprintf(number, sizeof number, "%.0f", value); /* 1000, not 1e+03 */
    }
    add(text, "%s", number);
}

/* ---- entries ---- */

static void add_rows(struct text *text, const struct trop_case_entry *entry)
{
    const int64_t rows = entry->rank > 1 ? entry->shape[0] : 1;
    const int64_t columns = entry->shape[entry->rank - 1];

    add(text, "%s = {", entry->name);
    for (int64_t k = 0; k < rows * columns; k++) {
        add(text, "%s", k == 0 ? "" : k % columns == 0 ? "; " : " ");
        add_number(text, entry->values[k]);
    }
    add(text, "}");
}

/* Where braces do not say the shape: its zeros, and what is not 0. */
static void add_elements(struct text *text, const struct trop_case_entry *entry)
{
    const int64_t *shape = entry->shape;
    int64_t count = 1;

    add(text, "%s = zeros(", entry->name);
    for (int64_t axis = 0; axis < entry->rank; axis++) {
        add(text, "%s%lld", axis ? ", " : "", (long long)shape[axis]);
        count *= shape[axis];
    }
    add(text, ")");
    for (int64_t k = 0; k < count; k++) {
        int64_t inner = count;
        if (entry->values[k] == 0) {
            continue;
        }
        add(text, "; %s[", entry->name);
        for (int64_t axis = 0; axis < entry->rank; axis++) {
            inner /= shape[axis];
            add(text, "%s%lld", axis ? "," : "", (long long)(k / inner % shape[axis]));
        }
        add(text, "] = ");
        add_number(text, entry->values[k]);
    }
}

static void add_entry(struct text *text, const struct trop_case_entry *entry)
{
    add(text, "%s", text->used ? "; " : "");
    if (entry->rank == 0) {
        add(text, "%s = ", entry->name);
        add_number(text, entry->values[0]);
    } else if (entry->rank == 1 || (entry->rank == 2 && entry->shape[0] > 1)) {
        add_rows(text, entry);
    } else {
        add_elements(text, entry);
    }
}

enum trop_status trop_edit_text(char **out, const struct trop_claim *claim,
                                const struct trop_case *c)
{
    struct text text = { trop_alloc(256, 1), 0, 256 };
    struct trop_input in;

    for (int64_t k = 0; trop_claim_input(&in, claim, k); k++) {
        for (int64_t e = 0; e < c->count; e++) {
            if (strcmp(c->entries[e].name, in.name) == 0) {
                add_entry(&text, c->entries + e);
            }
        }
    }
    if (!text.at) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a text");
    }
    *out = text.at;
    return TROP_OK;
}
