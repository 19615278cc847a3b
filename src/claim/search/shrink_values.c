/* shrink_values.c -- simpler numbers: whole arrays at once, then rows, numbers that are equal but
 * for their sign, and single ones.
 *
 * Groups of numbers that are equal but for their sign keep clouds symmetric, and matrices; rows of
 * small whole numbers of one length keep tokens on a sphere.
 */
#include "claim/search/shrink_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 400 /* numbers of an array whose single ones are tried */

/* ---- one number ---- */

/* To the nearest multiple of 1/parts. */
static double rounded(double value, double parts)
{
    return round(value * parts) / parts;
}

static double significant(double value, int digits)
{
    char text[40];

    snprintf(text, sizeof text, "%.*e", digits - 1, value);
    return strtod(text, NULL);
}

enum { CHANGES = 22 };

/* Change k of a number, the simplest first. */
static double changed(double value, int k)
{
    static const double parts[] = { 1, 2, 4, 8, 10, 100, 1000, 1e4, 1e5, 1e6 };
    const double sign = value > 0 ? 1 : value < 0 ? -1 : 0;

    switch (k) {
    case 0:
        return 0;
    case 1:
        return sign;
    case 2:
        return 2 * sign;
    case 3:
        return trunc(value);
    case 14:
        return significant(value, 1);
    case 15:
        return significant(value, 2);
    case 16:
        return significant(value, 3);
    case 17:
        return trunc(value / 2);
    case 18:
        return value - sign;
    case 19:
        return value / 2;
    case 20:
        return value / 10;
    case 21:
        return fabs(value);
    default:
        return rounded(value, parts[k - 4]);
    }
}

/* ---- groups of the numbers of an array ---- */

enum grouping { ALL, ROWS, EQUALS, SINGLE, GROUPINGS };

static int is_in_group(const struct trop_case_entry *entry, enum grouping grouping, int64_t g,
                       int64_t k)
{
    switch (grouping) {
    case ALL:
        return 1;
    case ROWS:
        return k / (trop_shrink_elements(entry) / entry->shape[0]) == g;
    case EQUALS:
        return fabs(entry->values[k]) == fabs(entry->values[g]);
    default:
        return k == g;
    }
}

static int64_t groups_of(const struct trop_case_entry *entry, enum grouping grouping)
{
    return entry->rank == 0 || grouping == ALL ? grouping == ALL
           : grouping == ROWS                  ? entry->shape[0]
                                               : trop_shrink_elements(entry);
}

/* 1 for the first of a group that is more than one number. */
static int is_worth_it(const struct trop_case_entry *entry, enum grouping grouping, int64_t g)
{
    int64_t equals = 0;

    if (grouping != EQUALS) {
        return 1;
    }
    for (int64_t k = 0; k < trop_shrink_elements(entry); k++) {
        const int is_equal = is_in_group(entry, EQUALS, g, k);
        if (is_equal && k < g) {
            return 0;
        }
        equals += is_equal;
    }
    return equals > 1 && entry->values[g] != 0;
}

static int try_change(struct trop_shrink *s, const char *name, enum grouping grouping, int64_t g,
                      int change)
{
    struct trop_case *c = trop_shrink_copy(s);
    struct trop_case_entry *entry = c ? trop_shrink_entry(c, name) : NULL;
    const struct trop_case_entry *before = trop_shrink_entry(s->best, name);

    if (!c) {
        return 0;
    }
    /* A step size or an inverse temperature of 0 is another question. */
    if (entry->rank == 0 && changed(entry->values[0], change) == 0) {
        trop_case_free(c);
        return 0;
    }
    for (int64_t k = 0; k < trop_shrink_elements(entry); k++) {
        if (is_in_group(before, grouping, g, k)) {
            entry->values[k] = changed(entry->values[k], change) + 0.; /* no -0 */
        }
    }
    return trop_shrink_try(s, c);
}

static int change_groups(struct trop_shrink *s, const char *name, enum grouping grouping)
{
    int any = 0;
    const int64_t groups = groups_of(trop_shrink_entry(s->best, name), grouping);

    for (int64_t g = 0; g < groups && !trop_shrink_is_over(s); g++) {
        int stays = !is_worth_it(trop_shrink_entry(s->best, name), grouping, g);
        for (int change = 0; change < CHANGES && !stays; change++) {
            stays = try_change(s, name, grouping, g, change);
            any |= stays;
        }
    }
    return any;
}

/* ---- whole arrays ---- */

static double largest_of(const struct trop_case_entry *entry)
{
    double largest = 0;

    for (int64_t k = 0; k < trop_shrink_elements(entry); k++) {
        largest = fmax(largest, fabs(entry->values[k]));
    }
    return largest;
}

/* Whole numbers up to m = 1 .. 9 with the proportions of the array. */
static int try_scales(struct trop_shrink *s, const char *name)
{
    const double largest = largest_of(trop_shrink_entry(s->best, name));

    for (int m = 1; m <= 9 && largest > 0; m++) {
        struct trop_case *c = trop_shrink_copy(s);
        struct trop_case_entry *entry = c ? trop_shrink_entry(c, name) : NULL;
        for (int64_t k = 0; c && k < trop_shrink_elements(entry); k++) {
            entry->values[k] = round(entry->values[k] / largest * m) + 0.;
        }
        if (trop_shrink_try(s, c)) {
            return 1;
        }
    }
    return 0;
}

enum matrix { IDENTITY, MINUS_IDENTITY, MULTIPLE, SIGNS, DIAGONAL, MATRICES };

static double entry_of(enum matrix matrix, double old, double corner)
{
    return matrix == IDENTITY         ? 1
           : matrix == MINUS_IDENTITY ? -1
           : matrix == MULTIPLE       ? corner
           : matrix == SIGNS          ? (old > 0 ? 1 : -1)
                                      : old;
}

static int try_matrices(struct trop_shrink *s, const char *name)
{
    const struct trop_case_entry *at = trop_shrink_entry(s->best, name);
    const int64_t d = at->shape[0];

    if (at->rank != 2 || d != at->shape[1]) {
        return 0;
    }
    for (enum matrix matrix = IDENTITY; matrix < MATRICES; matrix++) {
        struct trop_case *c = trop_shrink_copy(s);
        struct trop_case_entry *entry = c ? trop_shrink_entry(c, name) : NULL;
        for (int64_t k = 0; c && k < d * d; k++) {
            const double old = entry->values[k];
            entry->values[k] = k % (d + 1) ? 0 : entry_of(matrix, old, entry->values[0]);
        }
        if (trop_shrink_try(s, c)) {
            return 1;
        }
    }
    return 0;
}

/* ---- rows of one length ---- */

#define BOX 5

/* The whole numbers v with |v|^2 = length, at most 3 of them, whose direction is nearest to a row;
 * of longer rows with length 1 that along its largest number. */
static void place_on_sphere(double *row, int64_t d, int length)
{
    double best[3] = { 0 }, nearest = -INFINITY;
    int64_t top = 0;

    for (int64_t k = 1; k < d; k++) {
        top = fabs(row[k]) > fabs(row[top]) ? k : top;
    }
    for (int64_t at = 0; d <= 3 && at < (2 * BOX + 1) * (2 * BOX + 1) * (2 * BOX + 1); at++) {
        const double v[3] = { (double)(at % (2 * BOX + 1) - BOX),
                              (double)(at / (2 * BOX + 1) % (2 * BOX + 1) - BOX),
                              (double)(at / (2 * BOX + 1) / (2 * BOX + 1) - BOX) };
        double square = 0, product = 0;
        for (int64_t k = 0; k < 3; k++) {
            square += v[k] * v[k];
            product += k < d ? v[k] * row[k] : v[k] == 0 ? 0 : -INFINITY;
        }
        if (square == length && product > nearest) {
            nearest = product;
            memcpy(best, v, sizeof best);
        }
    }
    for (int64_t k = 0; k < d; k++) {
        row[k] = d <= 3 ? best[k] : k == top ? copysign(1, row[k]) : 0;
    }
}

static int try_spheres(struct trop_shrink *s, const char *name)
{
    static const int lengths[] = { 1, 2, 5, 25, 9, 3 };
    const struct trop_case_entry *at = trop_shrink_entry(s->best, name);
    const int64_t d = at->rank > 1 ? at->shape[at->rank - 1] : 0;

    for (size_t l = 0; d > 0 && l < (d <= 3 ? sizeof lengths / sizeof lengths[0] : 1); l++) {
        struct trop_case *c = trop_shrink_copy(s);
        struct trop_case_entry *entry = c ? trop_shrink_entry(c, name) : NULL;
        for (int64_t k = 0; c && k < trop_shrink_elements(entry); k += d) {
            place_on_sphere(entry->values + k, d, lengths[l]);
        }
        if (trop_shrink_try(s, c)) {
            return 1;
        }
    }
    return 0;
}

/* ---- the pass ---- */

/* Pointers into the best do not outlive a change that stays. */
static int64_t elements_of(const struct trop_shrink *s, const char *name)
{
    return trop_shrink_elements(trop_shrink_entry(s->best, name));
}

static int shrink_entry(struct trop_shrink *s, const char *name)
{
    const struct trop_case_entry *entry = trop_shrink_entry(s->best, name);
    const int is_array = entry->rank > 0;
    int any = 0;

    /* "There is a constant C": a smaller one is refuted more easily. */
    if (trop_shrink_is_count(entry) || trop_shrink_is_index(entry) || strcmp(name, "C") == 0) {
        return 0;
    }
    if (is_array) {
        any |= try_matrices(s, name);
        any |= try_scales(s, name);
        any |= try_spheres(s, name);
    }
    for (enum grouping grouping = ALL; grouping < GROUPINGS; grouping++) {
        if (elements_of(s, name) <= MOST || grouping <= ROWS) {
            any |= change_groups(s, name, grouping);
        }
    }
    return any;
}

int trop_shrink_values(struct trop_shrink *s)
{
    int any = 0;

    for (int64_t k = 0; k < s->best->count; k++) {
        char name[32];
        memcpy(name, s->best->entries[k].name, sizeof name);
        any |= shrink_entry(s, name);
    }
    return any;
}
