/* list.c -- lists of numbers as text. */
#include "base/list.h"

#include "base/status.h"

#include <math.h>
#include <stdlib.h>

#define NUMBERS_MAX 100000

/* What is read, for the sentence of a refusal. */
struct source {
    const char *name, *text;
};

static enum trop_status wrong(const struct source *source, const char *rule)
{
    return trop_fail(TROP_ERR_ARG, "%s = %.80s: %s", source->name, source->text, rule);
}

/* A number at *at, which moves behind it. */
static enum trop_status take_number(double *out, const char **at, const struct source *source)
{
    char *end;

    *out = strtod(*at, &end);
    if (end == *at) {
        return wrong(source,
                     "must be numbers and ranges from:to or from:to:step, separated by commas");
    }
    if (!(fabs(*out) <= 1e300)) {
        return wrong(source, "must be finite numbers, at most 1e300 in modulus");
    }
    *at = end;
    return TROP_OK;
}

/* from, from:to or from:to:step; how many numbers it stands for. */
static enum trop_status take_item(double *from, double *step, double *count, const char **at,
                                  const struct source *source)
{
    double to;
    enum trop_status status = take_number(from, at, source);

    *step = 1;
    *count = 1;
    if (status != TROP_OK || **at != ':') {
        return status;
    }
    ++*at;
    status = take_number(&to, at, source);
    if (status == TROP_OK && **at == ':') {
        ++*at;
        status = take_number(step, at, source);
    }
    if (status != TROP_OK) {
        return status;
    }
    if (!(*step > 0 && to >= *from)) {
        return wrong(source, "a range must go upwards, by a step above 0");
    }
    /* A range such as 0:0.3:0.1 has its end, whatever 0.1 rounds to. */
    *count = floor((to - *from) / *step + 1e-9) + 1;
    return TROP_OK;
}

enum trop_status trop_list_read(double *out, int64_t *count, int64_t room, const char *name,
                                const char *text)
{
    const struct source source = { name, text ? text : "" };
    const char *at = source.text;
    int64_t found = 0;

    for (;; at++) {
        double from, step, many;
        enum trop_status status = take_item(&from, &step, &many, &at, &source);
        if (status != TROP_OK) {
            return status;
        }
        if (!(many + (double)found <= NUMBERS_MAX)) {
            return wrong(&source, "must be at most 100000 numbers");
        }
        for (int64_t k = 0; k < (int64_t)many; k++, found++) {
            if (found < room) {
                out[found] = fma((double)k, step, from);
            }
        }
        if (*at != ',') {
            break;
        }
    }
    if (*at) {
        return wrong(&source,
                     "must be numbers and ranges from:to or from:to:step, separated by commas");
    }
    *count = found;
    return TROP_OK;
}
