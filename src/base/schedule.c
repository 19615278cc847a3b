/* schedule.c -- numbers that vary in time: step sizes, temperatures, tolerances.
 *
 * A schedule is data (a kind and two parameters), so that it can be stored with a
 * result and asked for its bounds over all later times, which certificates need.
 */
#include "base/schedule.h"

#include "base/math/cos.h"
#include "base/math/exp.h"
#include "base/math/pow.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The names, with how many parameters each takes. */
static const struct {
    const char *name;
    int64_t kind;
    int parameters;
    const char *form;
} kinds[] = {
    { "fw", TROP_SCHEDULE_FW, 0, "fw (2/(t+2))" },
    { "harmonic", TROP_SCHEDULE_HARMONIC, 0, "harmonic (1/(t+1))" },
    { "superexp", TROP_SCHEDULE_SUPEREXP, 1, "superexp:a (1-exp(-a(t+1)))" },
    { "geometric", TROP_SCHEDULE_GEOMETRIC, 2, "geometric:e0,rho (e0 rho^t)" },
    { "power", TROP_SCHEDULE_POWER, 2, "power:e0,s (e0 (t+1)^-s)" },
    { "cosine", TROP_SCHEDULE_COSINE, 2, "cosine:a,b (a + b cos t)" },
    { "linear", TROP_SCHEDULE_LINEAR, 2, "linear:b0,b1 (b0 + b1 t)" },
};
#define KINDS (sizeof kinds / sizeof kinds[0])

double trop_schedule_at(const struct trop_schedule *schedule, double t)
{
    switch ((enum trop_schedule_kind)schedule->kind) {
    case TROP_SCHEDULE_UNSET:
    case TROP_SCHEDULE_CONSTANT:
        return schedule->a;
    case TROP_SCHEDULE_FW:
        return 2.0 / (t + 2.0);
    case TROP_SCHEDULE_HARMONIC:
        return 1.0 / (t + 1.0);
    case TROP_SCHEDULE_SUPEREXP:
        return -trop_expm1(-schedule->a * (t + 1.0));
    case TROP_SCHEDULE_GEOMETRIC:
        return schedule->a * trop_pow(schedule->b, t);
    case TROP_SCHEDULE_POWER:
        return schedule->a * trop_pow(t + 1.0, -schedule->b);
    case TROP_SCHEDULE_COSINE:
        return fma(schedule->b, trop_cos(t), schedule->a);
    case TROP_SCHEDULE_LINEAR:
        return fma(schedule->b, t, schedule->a);
    case TROP_SCHEDULE_VALUES: {
        double last = (double)(schedule->count - 1);
        double at = floor(t);
        return schedule->values[(int64_t)(at < last ? at : last)];
    }
    }
    return schedule->a;
}

static enum trop_status unknown_kind(const char *name, const char *text)
{
    char forms[400] = "";
    for (size_t i = 0; i < KINDS; i++) {
        size_t length = strlen(forms);
        snprintf(forms + length, sizeof forms - length, "%s%s", i ? ", " : "", kinds[i].form);
    }
    return trop_fail(TROP_ERR_ARG,
                     "%s = %s: neither a number nor a schedule; schedules are %s, @FILE", name,
                     text, forms);
}

/* Up to two numbers after the colon; returns how many, -1 when one is none. */
static int parameters(double out[2], const char *text)
{
    int count = 0;

    if (*text != ':') {
        return *text ? -1 : 0;
    }
    do {
        char *end;
        if (count == 2) {
            return -1;
        }
        out[count] = strtod(text + 1, &end);
        if (end == text + 1 || !isfinite(out[count]) || (*end && *end != ',')) {
            return -1;
        }
        count++;
        text = end;
    } while (*text == ',');
    return count;
}

enum trop_status trop_schedule_parse(struct trop_schedule *out, const char *name, const char *text)
{
    double p[2] = { 0, 0 };
    char *end;
    double value = strtod(text, &end);

    if (*text && end != text && !*end) {
        if (!isfinite(value)) {
            return trop_fail(TROP_ERR_ARG, "%s = %s: must be finite", name, text);
        }
        *out = (struct trop_schedule){ .kind = TROP_SCHEDULE_CONSTANT, .a = value };
        return TROP_OK;
    }
    for (size_t i = 0; i < KINDS; i++) {
        size_t length = strlen(kinds[i].name);
        if (strncmp(text, kinds[i].name, length) != 0 || (text[length] && text[length] != ':')) {
            continue;
        }
        if (parameters(p, text + length) != kinds[i].parameters) {
            return trop_fail(TROP_ERR_ARG, "%s = %s: must be written %s", name, text,
                             kinds[i].form);
        }
        *out = (struct trop_schedule){ .kind = kinds[i].kind, .a = p[0], .b = p[1] };
        return TROP_OK;
    }
    return unknown_kind(name, text);
}

/* The fewest digits that read back to the same bits. */
static void number_text(char out[40], double value)
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(out, 40, "%.*g", digits, value);
        if (strtod(out, NULL) == value) {
            break;
        }
    }
}

int64_t trop_schedule_text(char *out, int64_t size, const struct trop_schedule *schedule)
{
    char a[40], b[40];

    number_text(a, schedule->a);
    number_text(b, schedule->b);
    if (schedule->kind == TROP_SCHEDULE_CONSTANT) {
        return snprintf(out, (size_t)size, "%s", a);
    }
    if (schedule->kind == TROP_SCHEDULE_VALUES) {
        return snprintf(out, (size_t)size, "@values");
    }
    for (size_t i = 0; i < KINDS; i++) {
        if (kinds[i].kind != schedule->kind) {
            continue;
        }
        switch (kinds[i].parameters) {
        case 0:
            return snprintf(out, (size_t)size, "%s", kinds[i].name);
        case 1:
            return snprintf(out, (size_t)size, "%s:%s", kinds[i].name, a);
        default:
            return snprintf(out, (size_t)size, "%s:%s,%s", kinds[i].name, a, b);
        }
    }
    return snprintf(out, (size_t)size, "%s", "");
}

void trop_schedule_range(double *low, double *high, const struct trop_schedule *schedule, double t)
{
    double now = trop_schedule_at(schedule, t);
    double limit = now;

    switch ((enum trop_schedule_kind)schedule->kind) {
    case TROP_SCHEDULE_UNSET:
    case TROP_SCHEDULE_CONSTANT:
        break;
    case TROP_SCHEDULE_FW:
    case TROP_SCHEDULE_HARMONIC:
        limit = 0;
        break;
    case TROP_SCHEDULE_SUPEREXP:
        limit = schedule->a > 0 ? 1 : schedule->a < 0 ? -INFINITY : 0;
        break;
    case TROP_SCHEDULE_GEOMETRIC:
        limit = schedule->b == 1                      ? schedule->a
                : schedule->b >= 0 && schedule->b < 1 ? 0
                : schedule->b > 1 && schedule->a != 0 ? copysign(INFINITY, schedule->a)
                : schedule->a == 0                    ? 0
                                                      : NAN;
        break;
    case TROP_SCHEDULE_POWER:
        limit = schedule->b > 0 ? 0 : schedule->b == 0 ? now : copysign(INFINITY, schedule->a);
        break;
    case TROP_SCHEDULE_LINEAR:
        limit = schedule->b == 0 ? now : copysign(INFINITY, schedule->b);
        break;
    case TROP_SCHEDULE_COSINE:
        *low = schedule->a - fabs(schedule->b);
        *high = schedule->a + fabs(schedule->b);
        return;
    case TROP_SCHEDULE_VALUES:
        /* Over all k >= t of the listed values, the last of which holds on. */
        *low = *high = trop_schedule_at(schedule, t);
        for (int64_t k = schedule->count - 1; k >= 0 && (double)k >= t; k--) {
            *low = fmin(*low, schedule->values[k]);
            *high = fmax(*high, schedule->values[k]);
        }
        return;
    }
    if (isnan(limit)) { /* a negative ratio: alternating, no bound is promised */
        *low = -INFINITY;
        *high = INFINITY;
        return;
    }
    *low = fmin(now, limit);
    *high = fmax(now, limit);
}

double trop_schedule_decay(const struct trop_schedule *schedule, double t)
{
    double low, high;

    switch ((enum trop_schedule_kind)schedule->kind) {
    case TROP_SCHEDULE_GEOMETRIC:
        return schedule->b >= 0 ? fmin(schedule->b, 1) : 0;
    case TROP_SCHEDULE_POWER: /* ((k+1)/(k+2))^s grows with k: the first ratio is the least */
        return schedule->b > 0 ? trop_pow((t + 1) / (t + 2), schedule->b) : 1;
    case TROP_SCHEDULE_FW:
        return (t + 2) / (t + 3);
    case TROP_SCHEDULE_HARMONIC:
        return (t + 1) / (t + 2);
    case TROP_SCHEDULE_UNSET:
    case TROP_SCHEDULE_CONSTANT:
    case TROP_SCHEDULE_SUPEREXP:
    case TROP_SCHEDULE_COSINE:
    case TROP_SCHEDULE_LINEAR:
    case TROP_SCHEDULE_VALUES:
        break;
    }
    trop_schedule_range(&low, &high, schedule, t);
    return low == high ? 1 : 0;
}

int trop_schedule_diverges(const struct trop_schedule *schedule)
{
    switch ((enum trop_schedule_kind)schedule->kind) {
    case TROP_SCHEDULE_FW:
    case TROP_SCHEDULE_HARMONIC:
        return 1;
    case TROP_SCHEDULE_GEOMETRIC:
        return schedule->a > 0 && schedule->b >= 1;
    case TROP_SCHEDULE_POWER:
        return schedule->a > 0 && schedule->b <= 1;
    case TROP_SCHEDULE_LINEAR:
        return schedule->b > 0 || (schedule->b == 0 && schedule->a > 0);
    case TROP_SCHEDULE_VALUES:
        return schedule->values[schedule->count - 1] > 0;
    case TROP_SCHEDULE_UNSET:
    case TROP_SCHEDULE_CONSTANT:
    case TROP_SCHEDULE_SUPEREXP:
    case TROP_SCHEDULE_COSINE:
        break;
    }
    return schedule->a > 0;
}

int trop_schedule_settled(const struct trop_schedule *schedule, double t)
{
    double low, high;
    trop_schedule_range(&low, &high, schedule, t);
    return low == high;
}
