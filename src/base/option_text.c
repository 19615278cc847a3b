/* option_text.c -- options in words: values that read back to the same bits, and the
 * sentences that say which values an option takes. */
#include "base/option.h"

#include "base/math/pow.h"
#include "base/schedule.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A limit of 1e300 is there to keep infinities out, and is not spoken of. */
#define SPOKEN 1e300

static int64_t double_text(char *out, int64_t size, double value)
{
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) {
            break;
        }
    }
    return snprintf(out, (size_t)size, "%s", text);
}

const char *trop_option_word(const struct trop_option *option, double value)
{
    for (int i = 0; option->names && option->names[i]; i++) {
        if (value == -1.0 - i) {
            return option->names[i];
        }
    }
    return NULL;
}

int64_t trop_option_words(char *out, int64_t size, const struct trop_option *option)
{
    char low[40], high[40];

    double_text(low, sizeof low, option->min);
    double_text(high, sizeof high, option->max);
    if (option->max >= SPOKEN && option->min <= -SPOKEN) {
        return snprintf(out, (size_t)size, "any number");
    }
    if (option->max >= SPOKEN) {
        return snprintf(out, (size_t)size, "%s %s", option->above ? "above" : "at least", low);
    }
    if (option->above) {
        return snprintf(out, (size_t)size, "above %s and at most %s", low, high);
    }
    return snprintf(out, (size_t)size, "from %s to %s", low, high);
}

static int64_t append(char *out, int64_t size, int64_t at, const char *text)
{
    int64_t length = (int64_t)strlen(text);
    for (int64_t i = 0; i < length && at + i + 1 < size; i++) {
        out[at + i] = text[i];
        out[at + i + 1] = '\0';
    }
    return length;
}

int64_t trop_option_join(char *out, int64_t size, int64_t at, const char *const *names,
                         const char *between)
{
    int64_t start = at;
    for (; names && *names; names++) {
        at += at > start ? append(out, size, at, between) : 0;
        at += append(out, size, at, *names);
    }
    return at - start;
}

int64_t trop_option_range(char *out, int64_t size, const struct trop_option *option)
{
    char words[128] = "";
    int64_t at = 0;

    if (size > 0) {
        out[0] = '\0';
    }
    trop_option_words(words, sizeof words, option);
    switch ((enum trop_type)option->type) {
    case TROP_TYPE_CHOICE:
        return trop_option_join(out, size, 0, option->names, " | ");
    case TROP_TYPE_FLAG:
        return append(out, size, 0, "yes | no");
    case TROP_TYPE_SEED:
        return append(out, size, 0, "a whole number from 0 to 18446744073709551615");
    case TROP_TYPE_INT64:
        at += append(out, size, at, "a whole number ");
        return at + append(out, size, at, words);
    case TROP_TYPE_COUNT:
        return append(out, size, 0, "a whole number from 0, 1e400 and inf included");
    case TROP_TYPE_MATRIX:
        return append(out, size, 0,
                      "identity, a number times it, or a .npy or .csv file, - for standard input");
    case TROP_TYPE_SCHEDULE:
        at += append(out, size, at, words);
        return at + append(out, size, at, ", or a schedule name:parameters, or @FILE");
    case TROP_TYPE_DOUBLE:
        at += trop_option_join(out, size, at, option->names, ", ");
        at += at ? append(out, size, at, ", or ") : 0;
        return at + append(out, size, at, words);
    case TROP_TYPE_ARRAY:
    case TROP_TYPE_TEXT:
        break;
    }
    return 0;
}

/* ---- members ------------------------------------------------------------------------ */

static int64_t count_text(char *out, int64_t size, const struct trop_count *count)
{
    if (isinf(count->log10) && count->log10 > 0) {
        return snprintf(out, (size_t)size, "inf");
    }
    if (count->value < INT64_MAX) {
        return snprintf(out, (size_t)size, "%lld", (long long)count->value);
    }
    double exponent = floor(count->log10);
    return snprintf(out, (size_t)size, "%.15ge%.0f", trop_pow(10.0, count->log10 - exponent),
                    exponent);
}

int64_t trop_option_text(char *out, int64_t size, const void *options,
                         const struct trop_option *option)
{
    const void *member = (const char *)options + option->offset;
    const char *text = "";

    switch ((enum trop_type)option->type) {
    case TROP_TYPE_INT64:
        return snprintf(out, (size_t)size, "%lld", (long long)*(const int64_t *)member);
    case TROP_TYPE_SEED:
        return snprintf(out, (size_t)size, "%llu", (unsigned long long)*(const uint64_t *)member);
    case TROP_TYPE_FLAG:
        return snprintf(out, (size_t)size, "%s", *(const int64_t *)member ? "yes" : "no");
    case TROP_TYPE_CHOICE:
        return snprintf(out, (size_t)size, "%s", option->names[*(const int64_t *)member]);
    case TROP_TYPE_DOUBLE:
        text = trop_option_word(option, *(const double *)member);
        return text ? snprintf(out, (size_t)size, "%s", text)
                    : double_text(out, size, *(const double *)member);
    case TROP_TYPE_SCHEDULE:
        return trop_schedule_text(out, size, member);
    case TROP_TYPE_MATRIX: {
        const struct trop_matrix *matrix = member;
        if (!matrix->values && !isnan(matrix->scale) && matrix->scale != 1.0) {
            return double_text(out, size, matrix->scale);
        }
        text = matrix->values ? "matrix" : isnan(matrix->scale) ? "" : "identity";
        break;
    }
    case TROP_TYPE_COUNT:
        return count_text(out, size, member);
    case TROP_TYPE_TEXT:
        text = *(const char *const *)member;
        break;
    case TROP_TYPE_ARRAY:
        break;
    }
    return snprintf(out, (size_t)size, "%s", text ? text : "");
}
