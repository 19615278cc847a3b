/* known.c -- names that a file may use, and what is said of others. */
#include "io/known.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/option.h"
#include "base/status.h"

static int same_letters(const char *a, const char *b)
{
    for (; *a && tolower((unsigned char)*a) == tolower((unsigned char)*b); a++, b++) {
    }
    return !*a && !*b;
}

const char *trop_known_nearest(const char *name, const char *const *known)
{
    const char *best = NULL;
    int64_t least = ((int64_t)strlen(name) + 1) / 3;

    for (; *known; known++) {
        int64_t distance = trop_option_distance(name, *known);
        if (same_letters(name, *known)) {
            return *known;
        }
        if (distance <= least && (!best || distance < least)) {
            best = *known;
            least = distance;
        }
    }
    return best;
}

enum trop_status trop_known_check(const char *file, const char *kind, const char *name,
                                  const char *const *known)
{
    char words[256] = "";

    for (int64_t k = 0; known[k]; k++) {
        size_t used = strlen(words);
        if (strcmp(known[k], name) == 0) {
            return TROP_OK;
        }
        snprintf(words + used, sizeof words - used, "%s%s", k ? ", " : "", known[k]);
    }
    const char *meant = trop_known_nearest(name, known);
    if (meant) {
        return trop_fail(TROP_ERR_IO, "%s: %.64s: unknown %s; did you mean %s?", file, name, kind,
                         meant);
    }
    return trop_fail(TROP_ERR_IO, "%s: %.64s: unknown %s; known are %s", file, name, kind, words);
}
