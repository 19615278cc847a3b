/* study_range.c -- ranges of a study: 0:1:0.02 and 1..1000.
 *
 * A range is kept as whole numbers of a power of ten, so that value k is the decimal that a person
 * would write, rounded to a double once, when the option is set. Ends are included where a step
 * meets them.
 */
#include "run/study/spec/study_read.h"

#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS_MAX INT64_C(100000000000000000) /* 10^17: sums of two stay in range */

struct decimal {
    int64_t mantissa, decimals; /* mantissa / 10^decimals */
};

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The digits at *at, which moves behind them; 0 when there are none, or too many. */
static int take_digits(struct decimal *out, const char **at, int64_t decimals)
{
    const char *start = *at;

    for (; is_digit(**at); ++*at) {
        if (out->mantissa >= DIGITS_MAX / 10) {
            return 0;
        }
        out->mantissa = 10 * out->mantissa + (**at - '0');
        out->decimals += decimals;
    }
    return *at > start;
}

static int take_exponent(struct decimal *out, const char **at)
{
    if (**at != 'e' && **at != 'E') {
        return 1;
    }
    char *end;
    const long exponent = strtol(*at + 1, &end, 10);
    if (end == *at + 1 || exponent < -30 || exponent > 30) {
        return 0;
    }
    *at = end;
    out->decimals -= exponent;
    return 1;
}

/* A decimal at *at, which moves behind it; 0 when there is none that fits. */
static int take_decimal(struct decimal *out, const char **at)
{
    const int negative = **at == '-';

    *out = (struct decimal){ 0 };
    *at += **at == '-' || **at == '+';
    int found = take_digits(out, at, 0);
    if (**at == '.') {
        ++*at;
        found = (take_digits(out, at, 1) || found);
    }
    if (!found || is_digit(**at) || !take_exponent(out, at)) {
        return 0;
    }
    while (out->decimals > 0 && out->mantissa % 10 == 0) {
        out->mantissa /= 10;
        out->decimals--;
    }
    out->mantissa = negative ? -out->mantissa : out->mantissa;
    return 1;
}

/* With so many decimals, at least its own; 0 when it does not fit. */
static int scale(struct decimal *d, int64_t decimals)
{
    if (decimals - d->decimals > 17 && d->mantissa != 0) {
        return 0;
    }
    for (; d->decimals < decimals; d->decimals++) {
        if (llabs(d->mantissa) >= DIGITS_MAX / 10) {
            return 0;
        }
        d->mantissa *= 10;
    }
    return 1;
}

static enum trop_status set(struct trop_study_axis *axis, const char *name, const char *text,
                            struct decimal part[3])
{
    int64_t decimals = 0;

    for (int k = 0; k < 3; k++) {
        decimals = part[k].decimals > decimals ? part[k].decimals : decimals;
    }
    if (decimals > 17 || !scale(part, decimals) || !scale(part + 1, decimals) ||
        !scale(part + 2, decimals)) {
        return trop_fail(TROP_ERR_ARG, "%s = %.80s: a range may have 17 digits", name, text);
    }
    const int64_t from = part[0].mantissa, to = part[1].mantissa, step = part[2].mantissa;
    if (step == 0) {
        return trop_fail(TROP_ERR_ARG, "%s = %.80s: the step of a range must not be 0", name, text);
    }
    if ((to > from && step < 0) || (to < from && step > 0)) {
        return trop_fail(TROP_ERR_ARG, "%s = %.80s: a range that goes %s has a step %s 0", name,
                         text, to > from ? "up" : "down", to > from ? "above" : "below");
    }
    axis->first = from;
    axis->step = step;
    axis->decimals = decimals;
    axis->count = (to - from) / step + 1;
    return TROP_OK;
}

/* from..to, whole numbers; 0: it is none. */
static int take_whole(struct decimal part[3], const char *text)
{
    const char *at = text;

    part[0] = part[1] = (struct decimal){ 0 };
    part[2] = (struct decimal){ .mantissa = 1 };
    for (int k = 0; k < 2; k++) {
        const int negative = *at == '-';
        at += negative;
        if (!take_digits(part + k, &at, 0)) {
            return 0;
        }
        part[k].mantissa = negative ? -part[k].mantissa : part[k].mantissa;
        if (k == 0 && strncmp(at, "..", 2) != 0) {
            return 0;
        }
        at += k == 0 ? 2 : 0;
    }
    return !*at;
}

/* from:to or from:to:step; 0: it is none. */
static int take_steps(struct decimal part[3], const char *text)
{
    const char *at = text;

    part[2] = (struct decimal){ .mantissa = 1 };
    for (int k = 0; k < 3; k++) {
        if (!take_decimal(part + k, &at)) {
            return 0;
        }
        if (!*at) {
            return k > 0;
        }
        if (*at++ != ':') {
            return 0;
        }
    }
    return 0;
}

enum trop_status trop_study_range_read(struct trop_study_axis *axis, int *is, const char *name,
                                       const char *text)
{
    struct decimal part[3];

    *is = take_whole(part, text) || take_steps(part, text);
    return *is ? set(axis, name, text, part) : TROP_OK;
}

int64_t trop_study_range_text(char *out, int64_t size, const struct trop_study_axis *axis,
                              int64_t value)
{
    const int64_t v = axis->first + value * axis->step, places = axis->decimals;
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%0*lld", (int)places + 1, llabs((long long)v));

    if (places > 0) {
        memmove(digits + length - places + 1, digits + length - places, (size_t)places + 1);
        digits[length - places] = '.';
        length++;
        while (digits[length - 1] == '0') {
            length--;
        }
        length -= digits[length - 1] == '.';
        digits[length] = '\0';
    }
    return snprintf(out, (size_t)size, "%s%s", v < 0 ? "-" : "", digits);
}

int trop_study_range_number(double *out, const char *text)
{
    char *end;

    *out = strtod(text, &end);
    return end != text && !*end && isfinite(*out);
}
