/* ticks.c -- round numbers.
 *
 * A tick of a linear axis is k m 10^e with m one of 1, 2, 5, so it is known as the whole number k m
 * and the exponent e: its text is made from these two and is exact, and its place is one product or
 * quotient of doubles, rounded once, as long as |e| <= 22 (10^22 is the last power that is a
 * double), and within an ulp or two beyond.
 */
#include "draw/ticks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/math/log.h"

#define LN10 2.302585092994045684
/* The whole numbers k m have to be exact as doubles, and there are at most 40 of them: beyond this
 * the range is too narrow for its place. */
#define LARGEST 9e15

/* 10^exponent, the nearest double: read from its text. */
static double power_of_ten(int64_t exponent)
{
    char text[16];
    snprintf(text, sizeof text, "1e%d", (int)exponent);
    return strtod(text, NULL);
}

/* The largest exponent with 10^exponent <= x, for x > 0. */
static int64_t decade(double x)
{
    int64_t exponent = (int64_t)floor(trop_log(x) / LN10);

    if (exponent < 308 && power_of_ten(exponent + 1) <= x) {
        exponent++;
    } else if (power_of_ten(exponent) > x) {
        exponent--;
    }
    return exponent;
}

static double place(int64_t number, int64_t exponent)
{
    if (exponent >= 0) {
        return (double)number * power_of_ten(exponent);
    }
    if (exponent >= -300) {
        return (double)number / power_of_ten(-exponent);
    }
    return (double)number * power_of_ten(exponent);
}

/* ---- texts ---- */

static void append(char *out, const char *text)
{
    size_t used = strlen(out);
    snprintf(out + used, TROP_TICKS_TEXT - used, "%s", text);
}

/* digits with a decimal point before the last `after` of them. */
static void append_point(char *out, const char *digits, int64_t after)
{
    int64_t length = (int64_t)strlen(digits);
    char part[2] = { 0 };

    if (after >= length) {
        append(out, "0");
    }
    for (int64_t k = length - after < 0 ? length - after : 0; k < length; k++) {
        if (k == length - after && after > 0) {
            append(out, ".");
        }
        part[0] = k < 0 ? '0' : digits[k];
        append(out, part);
    }
}

void trop_ticks_format(char out[TROP_TICKS_TEXT], int64_t number, int64_t exponent, int powers)
{
    char digits[32];

    out[0] = 0;
    if (number == 0) {
        append(out, "0");
        return;
    }
    if (number < 0) {
        append(out, "−");
    }
    while (number % 10 == 0 && (powers || exponent < 0)) {
        number /= 10;
        exponent++;
    }
    snprintf(digits, sizeof digits, "%lld", (long long)(number < 0 ? -number : number));
    if (powers) {
        /* d.ddd×10ⁿ, without the factor when it is 1. */
        int64_t after = (int64_t)strlen(digits) - 1;
        if (strcmp(digits, "1") != 0) {
            append_point(out, digits, after);
            append(out, "×");
        }
        append(out, "10");
        static const char *const raised[10] = { "⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹" };
        char plain[24];
        snprintf(plain, sizeof plain, "%lld", (long long)(exponent + after));
        for (const char *c = plain; *c; c++) {
            append(out, *c == '-' ? "⁻" : raised[*c - '0']);
        }
        return;
    }
    append_point(out, digits, exponent < 0 ? -exponent : 0);
    for (int64_t k = 0; k < exponent; k++) {
        append(out, "0");
    }
}

/* Plain texts of one axis carry the same number of decimals: 0, 0.5, 1 as 0.0, 0.5, 1.0. */
static void format_even(char out[TROP_TICKS_TEXT], int64_t number, int64_t exponent)
{
    char digits[32];

    if (exponent >= 0) {
        trop_ticks_format(out, number, exponent, 0);
        return;
    }
    out[0] = 0;
    append(out, number < 0 ? "−" : "");
    snprintf(digits, sizeof digits, "%lld", (long long)(number < 0 ? -number : number));
    append_point(out, digits, -exponent);
}

/* ---- a linear axis ---- */

struct grid {
    int64_t factor, exponent; /* the step is factor 10^exponent */
    int64_t first, last;      /* multiples of the step inside the range */
};

/* Rounding of a quotient of up to 2^53 may lose a multiple at the very end of the range, or take
 * one just beyond; a relative 1e-9 of a step is nothing on paper. */
static int fit(struct grid *grid, double low, double high)
{
    double step = place(grid->factor, grid->exponent);
    double first = ceil(low / step - 1e-9);
    double last = floor(high / step + 1e-9);

    if (!(step > 0.0) || !(fabs(first) < LARGEST / 5) || !(fabs(last) < LARGEST / 5)) {
        return 0;
    }
    grid->first = (int64_t)first;
    grid->last = (int64_t)last;
    return 1;
}

/* The finest grid with at most `most` lines: from below the finest conceivable step upwards. */
static int choose(struct grid *grid, double low, double high, int64_t most, int whole)
{
    static const int64_t factors[3] = { 1, 2, 5 };
    double span = high * 0.25 - low * 0.25; /* a quarter of it, which does not overflow */
    int64_t start = span > 0.0 ? decade(span) - 2 : -324;

    if (whole && start < 0) {
        start = 0;
    }
    if (start < -307) {
        start = -307;
    }
    for (int64_t k = 0; k < 18; k++) {
        grid->factor = factors[k % 3];
        grid->exponent = start + k / 3;
        if (grid->exponent <= 308 && fit(grid, low, high) && grid->last - grid->first + 1 <= most) {
            return grid->last >= grid->first;
        }
    }
    return 0;
}

void trop_ticks_linear(struct trop_ticks *ticks, double low, double high, int64_t most, int whole)
{
    struct grid grid;

    memset(ticks, 0, sizeof *ticks);
    if (most > TROP_TICKS_MOST) {
        most = TROP_TICKS_MOST;
    }
    if (!choose(&grid, low, high, most < 2 ? 2 : most, whole)) {
        /* The two ends, for a range so narrow that it holds no round numbers. */
        ticks->count = 2;
        ticks->at[0] = low;
        ticks->at[1] = high;
        snprintf(ticks->text[0], TROP_TICKS_TEXT, "%.17g", low);
        snprintf(ticks->text[1], TROP_TICKS_TEXT, "%.17g", high);
        return;
    }
    /* Powers of ten from a million on, and where more than five decimals would be needed. */
    double top =
        fmax(fabs((double)grid.first), fabs((double)grid.last)) * place(grid.factor, grid.exponent);
    int powers = top >= 999999.0 || (grid.exponent < -4 && top < 0.01) || grid.exponent < -9;
    for (int64_t k = grid.first; k <= grid.last; k++) {
        int64_t number = k * grid.factor;
        ticks->at[ticks->count] = place(number, grid.exponent);
        if (powers) {
            trop_ticks_format(ticks->text[ticks->count], number, grid.exponent, 1);
        } else {
            format_even(ticks->text[ticks->count], number, grid.exponent);
        }
        ticks->count++;
    }
    if (!whole || grid.exponent > 0) {
        /* Five parts of a step of 1 or 5, four of 2. */
        int64_t parts = grid.factor == 2 ? 4 : 5;
        double step = place(grid.factor, grid.exponent);
        for (int64_t k = grid.first - 1; k <= grid.last; k++) {
            for (int64_t part = 1; part < parts; part++) {
                double at = ((double)k + (double)part / (double)parts) * step;
                if (at >= low && at <= high && ticks->minors < TROP_TICKS_MINOR) {
                    ticks->minor[ticks->minors++] = at;
                }
            }
        }
    }
}

/* ---- a logarithmic axis ---- */

static void add_minor(struct trop_ticks *ticks, double at, double low, double high)
{
    if (at >= low && at <= high && ticks->minors < TROP_TICKS_MINOR) {
        ticks->minor[ticks->minors++] = at;
    }
}

/* Distances of labelled powers, and of the small ticks between them: 0 stands for 2, ..., 9 times
 * each power. */
static const int64_t strides[][2] = { { 1, 0 },    { 2, 1 },    { 3, 1 },    { 4, 1 },   { 5, 1 },
                                      { 10, 2 },   { 15, 5 },   { 20, 5 },   { 30, 10 }, { 50, 10 },
                                      { 100, 20 }, { 200, 50 }, { 700, 100 } };

/* As far as they can be seen: the nine of each power on at most a dozen of them. */
static void fill(struct trop_ticks *ticks, double low, double high, const int64_t stride[2],
                 int64_t first, int64_t last)
{
    for (int64_t e = first - 1; e <= last; e++) {
        if (stride[1] > 0 && e % stride[1] == 0 && e % stride[0] != 0 && e >= -307) {
            add_minor(ticks, power_of_ten(e), low, high);
        }
        for (int64_t n = 2; n <= 9 && stride[1] == 0 && last - first < 12; n++) {
            add_minor(ticks, place(n, e), low, high);
        }
    }
}

/* 1, 2 and 5 times a power of ten, in the range. */
static void one_two_five(struct trop_ticks *ticks, double low, double high, int64_t most)
{
    static const int64_t factors[3] = { 1, 2, 5 };
    int64_t first = decade(low);
    int64_t last = decade(high);
    int powers = first < -3 || last > 4;

    for (int64_t e = first; e <= last; e++) {
        for (int64_t k = 0; k < 3; k++) {
            double at = place(factors[k], e);
            if (at >= low && at <= high && ticks->count < most) {
                ticks->at[ticks->count] = at;
                trop_ticks_format(ticks->text[ticks->count++], factors[k], e, powers);
            }
        }
    }
    fill(ticks, low, high, strides[0], first, last + 1);
}

static void choose_log(struct trop_ticks *ticks, double low, double high, int64_t most, int whole)
{
    memset(ticks, 0, sizeof *ticks);
    if (most > TROP_TICKS_MOST) {
        most = TROP_TICKS_MOST;
    }
    if (most < 2) {
        most = 2;
    }
    /* 1e-9: an end that is a power but for rounding counts as one. */
    int64_t first = decade(low * (1.0 - 1e-9));
    int64_t last = decade(high < 1e308 ? high * (1.0 + 1e-9) : high);
    if (place(1, first) < low * (1.0 - 1e-9)) {
        first++;
    }
    if (last - first >= 1) {
        int64_t k = 0;
        while ((last - first) / strides[k][0] + 1 > most) {
            k++; /* ends: all of double is shorter than the last stride */
        }
        const int64_t *stride = strides[k];
        /* Small numbers are easier to read than powers. */
        int plain = first >= -3 && last <= 4;
        for (int64_t e = first; e <= last; e++) {
            if (e % stride[0] == 0 && ticks->count < TROP_TICKS_MOST) {
                ticks->at[ticks->count] = power_of_ten(e);
                trop_ticks_format(ticks->text[ticks->count++], 1, e, !plain);
            }
        }
        fill(ticks, low, high, stride, first, last);
        return;
    }
    one_two_five(ticks, low, high, most);
    if (ticks->count < 2) {
        trop_ticks_linear(ticks, low, high, most, whole);
    }
}

/* Ticks below 1 are the ones that are no whole numbers. */
static void keep_whole(struct trop_ticks *ticks)
{
    int64_t kept = 0;

    for (int64_t k = 0; k < ticks->count; k++) {
        if (ticks->at[k] >= 1) {
            ticks->at[kept] = ticks->at[k];
            memmove(ticks->text[kept++], ticks->text[k], TROP_TICKS_TEXT);
        }
    }
    ticks->count = kept;
    kept = 0;
    for (int64_t k = 0; k < ticks->minors; k++) {
        if (ticks->minor[k] >= 1) {
            ticks->minor[kept++] = ticks->minor[k];
        }
    }
    ticks->minors = kept;
}

void trop_ticks_log(struct trop_ticks *ticks, double low, double high, int64_t most, int whole)
{
    choose_log(ticks, low, high, most, whole);
    if (whole) {
        keep_whole(ticks);
    }
}
