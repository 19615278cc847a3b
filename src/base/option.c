/* option.c -- one table of options per noun, and everything that reads it.
 *
 * Text becomes a member here and nowhere else, and a member becomes text that
 * reads back to the same bits; so the command line, study files and the options
 * stored with a result cannot disagree.
 */
#include "base/option.h"

#include "base/math/log.h"
#include "base/schedule.h"
#include "base/status.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX 4096
#define QUIET 1e300

static int same_name(const char *a, const char *b)
{
    for (; *a && *b; a++, b++) {
        if (*a != *b && !trop_option_same_letter(*a, *b)) {
            return 0;
        }
    }
    return *a == *b;
}

const struct trop_option *trop_option_find(const struct trop_option *table, const char *name)
{
    for (; table->name; table++) {
        /* Names begin with letters; most are told apart by the first. */
        if (table->name[0] == name[0] && same_name(table->name, name)) {
            return table;
        }
    }
    return NULL;
}

/* ---- ranges ------------------------------------------------------------------ */

static int inside(const struct trop_option *option, double value)
{
    /* Written so that NaN fails. */
    return value <= option->max && (option->above ? value > option->min : value >= option->min);
}

/* Limits of 1e300 are not spoken of, unless they are what is broken. */
static enum trop_status refuse_range(const struct trop_option *option, const char *text,
                                     double value)
{
    char words[128];
    int low = value < option->min && option->min <= -QUIET;
    int high = value > option->max && option->max >= QUIET;

    trop_option_words(words, sizeof words, option);
    if ((low || high) && isinf(value)) {
        int either = option->min <= -QUIET; /* "any number" */
        return trop_fail(TROP_ERR_ARG, "%s = %s: must be finite%s%s", option->name, text,
                         either ? "" : " and ", either ? "" : words);
    }
    if (low || high) {
        return trop_fail(TROP_ERR_ARG, "%s = %s: must be %s %g and at most %g", option->name, text,
                         option->above ? "above" : "at least", option->min, option->max);
    }
    return trop_fail(TROP_ERR_ARG, "%s = %s: must be %s", option->name, text, words);
}

/* ---- text to member ------------------------------------------------------------ */

/* The whole of text as a finite or infinite double; NaN does not pass. */
static int read_double(double *out, const char *text)
{
    char *end;
    if (!*text || isspace((unsigned char)*text)) {
        return 0;
    }
    double value = strtod(text, &end);
    if (*end || isnan(value)) {
        return 0;
    }
    *out = value;
    return 1;
}

/* value <- 10 value + digit; 0 when that is no int64_t, or the largest one. */
static int push_digit(int64_t *value, int digit)
{
    if (*value > (INT64_MAX - 1 - digit) / 10) {
        return 0;
    }
    *value = 10 * *value + digit;
    return 1;
}

/* The digits of text, a dot among them passed over, as one number; *point is how many of them are
 * behind the dot. Zeros at the end are left out, and count as taken from *point. Returns what
 * follows, or NULL when the number is too large or there is no digit. */
static const char *read_digits(int64_t *value, int64_t *point, const char *text)
{
    int64_t zeros = 0, places = 0;
    int dot = 0, any = 0;

    *value = 0;
    for (; isdigit((unsigned char)*text) || (*text == '.' && !dot); text++) {
        if (*text == '.') {
            dot = 1;
            continue;
        }
        any = 1;
        places += dot;
        zeros++;
        if (*text == '0') {
            continue; /* pushed when another digit follows */
        }
        for (; zeros > 1; zeros--) {
            if (!push_digit(value, 0)) {
                return NULL;
            }
        }
        if (!push_digit(value, *text - '0')) {
            return NULL;
        }
        zeros = 0;
    }
    *point = places - zeros;
    return any ? text : NULL;
}

/* Whole numbers by their decimal digits, also as 1e17, 2.5e3 or 40.0: never by way of a double. */
static int read_int64(int64_t *out, const char *text)
{
    int64_t value, point;
    int negative = *text == '-';
    const char *rest = read_digits(&value, &point, text + (negative || *text == '+'));

    if (rest && (*rest == 'e' || *rest == 'E')) {
        char *end;
        long power = strtol(rest + 1, &end, 10);
        if (end == rest + 1 || isspace((unsigned char)rest[1]) || power > 100 || power < -100000) {
            return 0;
        }
        point -= power;
        rest = end;
    }
    if (!rest || *rest || (point > 0 && value != 0)) {
        return 0;
    }
    for (; point < 0 && value != 0; point++) {
        if (!push_digit(&value, 0)) {
            return 0;
        }
    }
    *out = negative ? -value : value;
    return 1;
}

static int read_seed(uint64_t *out, const char *text)
{
    char *end;
    if (!isdigit((unsigned char)*text) || strlen(text) > 20) {
        return 0;
    }
    unsigned long long value = strtoull(text, &end, 10);
    if (*end || (value == UINT64_MAX && strcmp(text, "18446744073709551615") != 0)) {
        return 0;
    }
    *out = value;
    return 1;
}

/* 1e400 leaves double: the mantissa and the exponent are read apart. */
static int read_count(struct trop_count *out, const char *text)
{
    char mantissa[TEXT_MAX];
    double m, e = 0;
    const char *mark = strpbrk(text, "eE");
    size_t length = mark ? (size_t)(mark - text) : strlen(text);
    int64_t whole;

    if (strcmp(text, "inf") == 0) {
        *out = (struct trop_count){ INT64_MAX, INFINITY };
        return 1;
    }
    if (read_int64(&whole, text)) {
        if (whole < 0) {
            return 0;
        }
        *out = (struct trop_count){ whole, whole > 0 ? trop_log10((double)whole) : -INFINITY };
        return 1;
    }
    if (length == 0 || length >= sizeof mantissa || !isdigit((unsigned char)*text)) {
        return 0;
    }
    memcpy(mantissa, text, length);
    mantissa[length] = '\0';
    if (!read_double(&m, mantissa) || !(m > 0) || isinf(m) ||
        (mark && (!read_double(&e, mark + 1) || e != floor(e) || !(fabs(e) <= 1e15)))) {
        return 0;
    }
    double log = trop_log10(m) + e;
    if (log < 18.96) {
        return 0; /* below 2^63 read_int64 has decided: this is not whole */
    }
    *out = (struct trop_count){ INT64_MAX, log };
    return 1;
}

static int name_index(const char *const *names, const char *text)
{
    for (int i = 0; names && names[i]; i++) {
        if (same_name(names[i], text)) {
            return i;
        }
    }
    return -1;
}

static enum trop_status refuse_word(const struct trop_option *option, const char *text,
                                    const char *what)
{
    return trop_fail(TROP_ERR_ARG, "%s = %s: %s", option->name, text, what);
}

/* The choice that was meant by a word that is none: one letter in three may be wrong, or "sgd" for
 * "gd"; NULL: none. */
static const char *near_choice(const char *const *names, const char *text)
{
    int64_t least = 1 + (int64_t)strlen(text) / 3;
    const char *nearest = NULL;

    for (; *names; names++) {
        const int64_t distance = trop_option_distance(text, *names);
        if (distance <= least && distance < (int64_t)strlen(*names) &&
            (!nearest || distance < least)) {
            least = distance;
            nearest = *names;
        }
    }
    return nearest;
}

static enum trop_status set_choice(int64_t *out, const struct trop_option *option, const char *text)
{
    char names[256] = "";
    int index = name_index(option->names, text);

    if (index < 0) {
        trop_option_join(names, sizeof names, 0, option->names, ", ");
        const char *nearest = near_choice(option->names, text);
        return trop_fail(TROP_ERR_ARG, "%s = %s: must be one of %s%s%s%s", option->name, text,
                         names, nearest ? "; did you mean " : "", nearest ? nearest : "",
                         nearest ? "?" : "");
    }
    *out = index;
    return TROP_OK;
}

static enum trop_status set_double(double *out, const struct trop_option *option, const char *text)
{
    double value;
    int index = name_index(option->names, text);

    if (index >= 0) {
        *out = -1.0 - index;
        return TROP_OK;
    }
    if (!read_double(&value, text)) {
        return refuse_word(option, text, "not a number");
    }
    if (!inside(option, value)) {
        return refuse_range(option, text, value);
    }
    *out = value;
    return TROP_OK;
}

static enum trop_status set_int64(int64_t *out, const struct trop_option *option, const char *text)
{
    int64_t value;
    double size;

    if (!read_int64(&value, text)) {
        return read_double(&size, text) && isfinite(size) && fabs(size) >= 0x1p63
                   ? refuse_range(option, text, size)
                   : refuse_word(option, text, "not a whole number");
    }
    if (!inside(option, (double)value)) {
        return refuse_range(option, text, (double)value);
    }
    *out = value;
    return TROP_OK;
}

static enum trop_status set_flag(int64_t *out, const struct trop_option *option, const char *text)
{
    int yes = strcmp(text, "yes") == 0 || strcmp(text, "true") == 0 || strcmp(text, "1") == 0;
    int no = strcmp(text, "no") == 0 || strcmp(text, "false") == 0 || strcmp(text, "0") == 0;

    if (!yes && !no) {
        return refuse_word(option, text, "must be yes or no");
    }
    *out = yes;
    return TROP_OK;
}

static enum trop_status set_matrix(struct trop_matrix *out, const struct trop_option *option,
                                   const char *text)
{
    double scale = 1.0;

    if (strcmp(text, "identity") != 0 && (!read_double(&scale, text) || isinf(scale))) {
        return refuse_word(option, text, "must be identity, a finite number or a matrix file");
    }
    *out = (struct trop_matrix){ .scale = scale };
    return TROP_OK;
}

static enum trop_status set_schedule(struct trop_schedule *out, const struct trop_option *option,
                                     const char *text)
{
    struct trop_schedule schedule;
    enum trop_status status = trop_schedule_parse(&schedule, option->name, text);

    if (status != TROP_OK) {
        return status;
    }
    if (schedule.kind == TROP_SCHEDULE_CONSTANT && !inside(option, schedule.a)) {
        return refuse_range(option, text, schedule.a);
    }
    *out = schedule;
    return TROP_OK;
}

enum trop_status trop_option_set(void *options, const struct trop_option *table, const char *name,
                                 const char *text)
{
    const struct trop_option *option = trop_option_find(table, name);

    if (!option || option->type == TROP_TYPE_ARRAY) {
        const char *how = "", *nearest = trop_option_nearest(table, name);
        trop_option_meant(&how, table, name);
        return trop_fail(TROP_ERR_ARG, "%s: unknown option%s%s%s%s", name,
                         nearest ? ", did you mean " : "", nearest ? nearest : "", how,
                         nearest ? "?" : "");
    }
    void *member = (char *)options + option->offset;
    switch ((enum trop_type)option->type) {
    case TROP_TYPE_INT64:
        return set_int64(member, option, text);
    case TROP_TYPE_SEED:
        return read_seed(member, text)
                   ? TROP_OK
                   : refuse_word(option, text,
                                 "must be a whole number from 0 to 18446744073709551615");
    case TROP_TYPE_DOUBLE:
        return set_double(member, option, text);
    case TROP_TYPE_CHOICE:
        return set_choice(member, option, text);
    case TROP_TYPE_FLAG:
        return set_flag(member, option, text);
    case TROP_TYPE_SCHEDULE:
        return set_schedule(member, option, text);
    case TROP_TYPE_MATRIX:
        return set_matrix(member, option, text);
    case TROP_TYPE_COUNT:
        return read_count(member, text)
                   ? TROP_OK
                   : refuse_word(option, text, "must be a whole number, at least 0, or inf");
    case TROP_TYPE_TEXT:
        *(const char **)member = text;
        return TROP_OK;
    case TROP_TYPE_ARRAY:
        break;
    }
    return TROP_OK;
}

/* ---- validation ------------------------------------------------------------------ */

/* 1 when a member has a range to be in, and *value, its number. */
static int has_range(double *value, const void *member, const struct trop_option *option)
{
    const struct trop_schedule *schedule = member;

    switch ((enum trop_type)option->type) {
    case TROP_TYPE_INT64:
        *value = (double)*(const int64_t *)member;
        return 1;
    case TROP_TYPE_DOUBLE:
        *value = *(const double *)member;
        return !trop_option_word(option, *value);
    case TROP_TYPE_SCHEDULE:
        *value = schedule->a;
        return schedule->kind == TROP_SCHEDULE_CONSTANT;
    case TROP_TYPE_CHOICE:
    case TROP_TYPE_FLAG:
    case TROP_TYPE_SEED:
    case TROP_TYPE_MATRIX:
    case TROP_TYPE_COUNT:
    case TROP_TYPE_ARRAY:
    case TROP_TYPE_TEXT:
        break;
    }
    return 0;
}

enum trop_status trop_option_check(const void *options, const struct trop_option *table)
{
    for (const struct trop_option *option = table; option->name; option++) {
        const void *member = (const char *)options + option->offset;
        double value;
        char text[64];
        if (option->type == TROP_TYPE_CHOICE &&
            !trop_option_choice(option, *(const int64_t *)member)) {
            return trop_fail(TROP_ERR_ARG, "%s = %lld: not one of its names", option->name,
                             (long long)*(const int64_t *)member);
        }
        if (has_range(&value, member, option) && !inside(option, value)) {
            trop_option_text(text, sizeof text, options, option);
            return refuse_range(option, text, value);
        }
    }
    return TROP_OK;
}

struct place {
    const void *options;
    const struct trop_option *table;
};

static int look_up(char *out, int64_t size, const void *context, const char *name)
{
    const struct place *place = context;
    const struct trop_option *option = trop_option_find(place->table, name);

    if (!option || option->type == TROP_TYPE_ARRAY) {
        return 0;
    }
    trop_option_text(out, size, place->options, option);
    return 1;
}

enum trop_status trop_option_pairs(void *options, const struct trop_option *table,
                                   const char *const *pairs)
{
    const struct place place = { options, table };

    for (const char *const *pair = pairs; pair[0]; pair += 2) {
        if (!pair[1]) {
            return trop_fail(TROP_ERR_ARG, "%s: has no value", pair[0]);
        }
        enum trop_status status = trop_option_set(options, table, pair[0], pair[1]);
        if (status != TROP_OK) {
            return status;
        }
    }
    for (const char *const *pair = pairs; pair[0]; pair += 2) {
        const struct trop_option *option = trop_option_find(table, pair[0]);
        if (!trop_option_is_off(option, pair[1]) && !trop_option_applies(option, look_up, &place)) {
            return trop_option_refuse(option, look_up, &place);
        }
    }
    return TROP_OK;
}
