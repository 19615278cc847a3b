/* shrink_size.c -- how small an instance is, and what its entries are. */
#include "claim/search/shrink_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_among(const char *name, const char *const *names)
{
    while (*names && strcmp(*names, name) != 0) {
        names++;
    }
    return *names != NULL;
}

int trop_shrink_is_count(const struct trop_case_entry *entry)
{
    static const char *const names[] = { "steps", "runs", "n",     "d",    "T",
                                         "m",     "N",    "times", "dims", NULL };

    return entry->rank == 0 && is_among(entry->name, names) && entry->values[0] >= 1 &&
           entry->values[0] == floor(entry->values[0]);
}

int trop_shrink_is_index(const struct trop_case_entry *entry)
{
    static const char *const names[] = { "alpha", "labels", "order", "offsets",
                                         "ids",   "next",   "kind",  NULL };

    return entry->rank > 0 && is_among(entry->name, names);
}

int64_t trop_shrink_elements(const struct trop_case_entry *entry)
{
    int64_t count = 1;

    for (int64_t axis = 0; axis < entry->rank; axis++) {
        count *= entry->shape[axis];
    }
    return count;
}

struct trop_case_entry *trop_shrink_entry(const struct trop_case *c, const char *name)
{
    for (int64_t k = 0; k < c->count; k++) {
        if (strcmp(c->entries[k].name, name) == 0) {
            return (struct trop_case_entry *)c->entries + k;
        }
    }
    return NULL;
}

/* ---- axes: "(n, T, d)" ---- */

/* Word k of a shape, and 1; 0: it has no such word, or it is not one word ("n + 1"). */
static int word_of(char out[16], const char *shape, int64_t k)
{
    const char *at = shape + strspn(shape, "(");

    while (k-- > 0) {
        at += strcspn(at, ",");
        at += strspn(at, ", ");
    }
    const size_t length = strcspn(at, ",)");
    if (length == 0 || length > 15 || strcspn(at, " ,)") != length) {
        return 0;
    }
    snprintf(out, 16, "%.*s", (int)length, at);
    return 1;
}

static int64_t rank_of(const char *shape)
{
    int64_t rank = *shape == '(';

    for (; *shape; shape++) {
        rank += *shape == ',';
    }
    return rank;
}

int trop_shrink_axis(char out[16], const struct trop_claim *claim,
                     const struct trop_case_entry *entry, int64_t axis)
{
    struct trop_input in;

    for (int64_t k = 0; trop_claim_input(&in, claim, k); k++) {
        if (strcmp(in.name, entry->name) == 0) {
            return rank_of(in.shape) == entry->rank && word_of(out, in.shape, axis);
        }
    }
    return 0;
}

int trop_shrink_axis_at(char out[16], const struct trop_claim *claim, int64_t k)
{
    struct trop_input in;

    for (int64_t at = 0; trop_claim_input(&in, claim, at); at++) {
        for (int64_t axis = 0; axis < rank_of(in.shape); axis++) {
            if (k-- == 0) {
                return word_of(out, in.shape, axis) || snprintf(out, 16, "?");
            }
        }
    }
    return 0;
}

/* ---- the measure ---- */

/* Letters of the shortest text that reads back, without its sign: "12", ".25", "1e-9". */
static int64_t digits_of(double value)
{
    char text[40];
    int precision = 0;
    int64_t digits = 0;

    if (value == 0 || !isfinite(value)) {
        return value == 0 ? 0 : (int64_t)sizeof text;
    }
    do {
        snprintf(text, sizeof text, "%.*e", precision++, fabs(value));
    } while (precision < 17 && strtod(text, NULL) != fabs(value));
    const int64_t exponent = strtol(strchr(text, 'e') + 1, NULL, 10);
    digits = precision;
    const int64_t scientific = digits + (digits > 1) + 3, plain = exponent < 0 ? digits - exponent
                                                                  : exponent >= digits - 1
                                                                      ? exponent + 1
                                                                      : digits + 1;
    return plain < scientific ? plain : scientific;
}

static double magnitude_of(double value)
{
    const double size = fabs(value);

    return size == 0 ? 0 : size < 1 ? 1 / size : size;
}

struct trop_shrink_size trop_shrink_measure(const struct trop_case *c)
{
    struct trop_shrink_size size = { 0 };

    for (int64_t k = 0; k < c->count; k++) {
        const struct trop_case_entry *entry = c->entries + k;
        const int64_t count = trop_shrink_elements(entry);
        size.numbers += entry->rank > 0 ? count : 0;
        if (trop_shrink_is_count(entry)) {
            size.counts += entry->values[0];
            continue;
        }
        for (int64_t e = 0; e < count && !trop_shrink_is_index(entry); e++) {
            size.digits += digits_of(entry->values[e]);
            size.magnitude += magnitude_of(entry->values[e]);
            size.minus += entry->values[e] < 0;
        }
    }
    return size;
}

int trop_shrink_is_smaller(const struct trop_shrink_size *a, const struct trop_shrink_size *b)
{
    return a->numbers != b->numbers       ? a->numbers < b->numbers
           : a->digits != b->digits       ? a->digits < b->digits
           : a->counts != b->counts       ? a->counts < b->counts
           : a->magnitude != b->magnitude ? a->magnitude < b->magnitude
                                          : a->minus < b->minus;
}
