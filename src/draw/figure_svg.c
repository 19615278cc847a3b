/* figure_svg.c -- an SVG with numbers of its own.
 *
 * Cairo calls the pages and pictures of an SVG surfaceN and imageN, N counting over all surfaces of
 * the process, so that the second of two equal figures would differ from the first. They are
 * numbered anew, in the order in which they come. The names stand after a quotation mark, or after
 * one and a #, and nothing else in the file does: texts are outlines, and pictures are written in
 * base64.
 */
#include "draw/figure_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

struct names {
    long *old; /* (count) in the order of their coming */
    int64_t count;
};

/* Where the digits begin of a name that stands at text, after its quotation mark; or NULL. */
static const char *digits_at(const char *text)
{
    static const char *const kinds[] = { "image", "surface" };

    text += *text == '#';
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const char *after = text + strlen(kinds[k]);
        if (strncmp(text, kinds[k], strlen(kinds[k])) == 0 && *after >= '0' && *after <= '9') {
            return after;
        }
    }
    return NULL;
}

/* The digits of the next such name in the text; NULL when there is none. */
static const char *find(const char *text)
{
    for (const char *at = strchr(text, '"'); at; at = strchr(at + 1, '"')) {
        const char *digits = digits_at(at + 1);
        if (digits) {
            return digits;
        }
    }
    return NULL;
}

static int64_t number_of(struct names *names, long old)
{
    for (int64_t k = 0; k < names->count; k++) {
        if (names->old[k] == old) {
            return k;
        }
    }
    names->old[names->count] = old;
    return names->count++;
}

static int rewrite(struct trop_figure_bytes *out, const char *text, struct names *names)
{
    for (const char *digits = find(text); digits; digits = find(text)) {
        char number[24];
        char *after = NULL;
        long old = strtol(digits, &after, 10);
        snprintf(number, sizeof number, "%lld", (long long)number_of(names, old));
        trop_figure_append(out, (const unsigned char *)text, digits - text);
        trop_figure_append(out, (const unsigned char *)number, (int64_t)strlen(number));
        text = after;
    }
    return trop_figure_append(out, (const unsigned char *)text, (int64_t)strlen(text));
}

enum trop_status trop_figure_renumber(struct trop_figure_bytes *bytes)
{
    struct trop_figure_bytes out = { 0 };
    struct names names = { 0 };
    int64_t most = 0;

    for (const char *at = find((const char *)bytes->bytes); at; at = find(at)) {
        most++;
    }
    if (most == 0) {
        return TROP_OK;
    }
    names.old = trop_alloc(most, sizeof *names.old);
    if (!names.old || !rewrite(&out, (const char *)bytes->bytes, &names)) {
        TROP_FREE(names.old, out.bytes);
        return TROP_ERR_MEMORY;
    }
    TROP_FREE(names.old, bytes->bytes);
    *bytes = out;
    return TROP_OK;
}
