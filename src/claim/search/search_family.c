/* search_family.c -- instances that a search begins with: those of the draw, and of families that
 * refute what random ones do not. */
#include "claim/search/search_internal.h"

#include "base/status.h"
#include "claim/check.h"
#include "io/array.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Arrays that a person may give, so that draw and work refuse those that do not fit. */
static int is_open(const char *name)
{
    static const char *const names[] = { "tokens", "A", "B", "V", "Q",     "X",
                                         "y",      "v", "z", "K", "gamma", "W0" };

    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        if (strcmp(name, names[k]) == 0) {
            return 1;
        }
    }
    return 0;
}

static enum trop_status put_copy(struct trop_case *given, const struct trop_case_entry *entry)
{
    double *values = NULL;

    if (entry->rank == 0) {
        return trop_case_put(given, entry->name, entry->values[0]);
    }
    enum trop_status status = trop_case_make(&values, given, entry->name, entry->shape[0],
                                             entry->shape[1], entry->shape[2]);
    if (status == TROP_OK) {
        memcpy(values, entry->values,
               (size_t)trop_array_count(entry->rank, entry->shape) * sizeof *values);
    }
    return status;
}

enum trop_status trop_search_pin(struct trop_search_point *point, const struct trop_claim *claim,
                                 const struct trop_case *c, int numbers_alone)
{
    enum trop_status status = TROP_OK;

    for (int64_t e = 0; e < c->count && status == TROP_OK; e++) {
        const struct trop_case_entry *entry = c->entries + e;
        const int wanted = entry->rank == 0 || (!numbers_alone && is_open(entry->name));
        if (wanted && trop_check_takes(claim, entry->name) &&
            !trop_case_has(point->given, entry->name) &&
            trop_array_count(entry->rank, entry->shape) > 0) {
            status = put_copy(point->given, entry);
        }
    }
    return status;
}

/* ---- axes, by the names that inputs have for them ---- */

/* The name of axis k of an input, "T" of axis 1 of "(n, T, d)"; 0: it has none. */
static int axis_of(char out[16], const struct trop_claim *claim, const char *name, int64_t k)
{
    struct trop_input input;
    int length = 0;

    for (int64_t i = 0; trop_claim_input(&input, claim, i); i++) {
        if (strcmp(input.name, name) == 0) {
            const char *at = input.shape;
            for (; *at && k > 0; at++) {
                k -= *at == ',';
            }
            at += strspn(at, "( ");
            length = (int)strcspn(at, ",)");
            snprintf(out, 16, "%.*s", length < 15 ? length : 15, at);
            return *at && length > 0 && !strpbrk(out, " +");
        }
    }
    return 0;
}

struct axis {
    char name[16];
    int64_t length;
};

/* Axes of what is given and not of base, those of one length in all entries. */
static int64_t find_axes(struct axis out[16], const struct trop_case *given,
                         const struct trop_claim *claim)
{
    int64_t count = 0;

    for (int64_t e = 0; e < given->count; e++) {
        const struct trop_case_entry *entry = given->entries + e;
        for (int64_t k = 0; k < entry->rank; k++) {
            struct axis axis = { .length = entry->shape[k] };
            int64_t at = 0;
            if (!axis_of(axis.name, claim, entry->name, k)) {
                continue;
            }
            while (at < count && strcmp(out[at].name, axis.name) != 0) {
                at++;
            }
            if (at < count) {
                out[at].length = out[at].length == axis.length ? axis.length : 0;
            } else if (count < 16) {
                out[count++] = axis;
            }
        }
    }
    return count;
}

/* An entry without place `at` of axis k, or with it twice. */
static enum trop_status resize_entry(struct trop_case *given, const struct trop_case_entry *from,
                                     int64_t k, int64_t at, int twice)
{
    const struct trop_case_entry entry = *from;
    int64_t shape[3] = { entry.shape[0], entry.shape[1], entry.shape[2] }, inner = 1, outer = 1;
    struct trop_case *old = NULL;
    double *values = NULL;

    for (int64_t a = 0; a < entry.rank; a++) {
        inner *= a > k ? shape[a] : 1;
        outer *= a < k ? shape[a] : 1;
    }
    enum trop_status status = trop_case_copy(&old, given);
    const int64_t length = shape[k], next = length + (twice ? 1 : -1);
    shape[k] = next;
    if (status == TROP_OK) {
        status = trop_case_make(&values, given, entry.name, shape[0], shape[1], shape[2]);
    }
    for (int64_t o = 0; status == TROP_OK && o < outer; o++) {
        for (int64_t p = 0; p < next; p++) {
            const int64_t source = twice ? (p == length ? at : p) : p + (p >= at);
            memcpy(values + (o * next + p) * inner,
                   trop_case_array(old, entry.name) + (o * length + source) * inner,
                   (size_t)inner * sizeof *values);
        }
    }
    trop_case_free(old);
    return status;
}

static enum trop_status resize(struct trop_case *given, const struct trop_claim *claim,
                               const struct axis *axis, int64_t at, int twice)
{
    enum trop_status status = TROP_OK;
    const char *names[TROP_CASE_ENTRIES];
    char kept[TROP_CASE_ENTRIES][32], name[16];
    const int64_t count = given->count;

    for (int64_t e = 0; e < count; e++) {
        memcpy(kept[e], given->entries[e].name, sizeof kept[e]);
        names[e] = kept[e];
    }
    for (int64_t e = 0; e < count && status == TROP_OK; e++) {
        for (int64_t k = 0; k < TROP_CASE_RANK && status == TROP_OK; k++) {
            const struct trop_case_entry *entry = given->entries;
            while (strcmp(entry->name, names[e]) != 0) {
                entry++;
            }
            if (k < entry->rank && axis_of(name, claim, names[e], k) &&
                strcmp(name, axis->name) == 0) {
                status = resize_entry(given, entry, k, at, twice);
            }
        }
    }
    if (status == TROP_OK && trop_case_number(given, axis->name) == (double)axis->length) {
        status = trop_case_put(given, axis->name, (double)(axis->length + (twice ? 1 : -1)));
    }
    return status;
}

/* 1 when some entry that stays has the axis. */
static int is_kept(const struct axis *axis, const struct trop_claim *claim,
                   const struct trop_case *base)
{
    struct axis axes[16];
    const int64_t count = find_axes(axes, base, claim);

    for (int64_t k = 0; k < count; k++) {
        if (strcmp(axes[k].name, axis->name) == 0) {
            return 1;
        }
    }
    return trop_case_has(base, axis->name);
}

int trop_search_resize(struct trop_case *given, const struct trop_claim *claim,
                       const struct trop_case *base, struct trop_search_dice *dice)
{
    struct axis axes[16];
    const int64_t count = find_axes(axes, given, claim);

    if (count == 0) {
        return 0;
    }
    const struct axis *axis = axes + trop_search_pick(dice, count);
    const int twice = trop_search_uniform(dice) < .4;
    if (is_kept(axis, claim, base) || axis->length < (twice ? 1 : 2) || axis->length > 64) {
        return 0;
    }
    return resize(given, claim, axis, trop_search_pick(dice, axis->length), twice) == TROP_OK;
}

/* Every axis down to one or two places: of tokens "n", of inputs "T" and so on. */
static enum trop_status make_few(struct trop_case *given, const struct trop_claim *claim,
                                 const struct trop_case *base, struct trop_search_dice *dice)
{
    struct axis axes[16];
    const int64_t count = find_axes(axes, given, claim);
    enum trop_status status = TROP_OK;

    for (int64_t k = 0; k < count && status == TROP_OK; k++) {
        const double u = trop_search_uniform(dice);
        const int64_t to = u < .25 ? 1 : u < .7 ? 2 : u < .85 ? 3 : axes[k].length;
        while (status == TROP_OK && axes[k].length > to && axes[k].length <= 64 &&
               !is_kept(axes + k, claim, base)) {
            status = resize(given, claim, axes + k, axes[k].length - 1, 0);
            axes[k].length--;
        }
    }
    return status;
}

/* ---- values ---- */

static int is_free_array(const struct trop_case_entry *entry, const struct trop_claim *claim,
                         const struct trop_case *base)
{
    return entry->rank > 0 && trop_check_takes(claim, entry->name) &&
           !trop_case_has(base, entry->name) && strcmp(entry->name, "y") != 0 &&
           strcmp(entry->name, "gamma") != 0;
}

/* Whole numbers up to m, m from 1 to 9, and some rows several times. */
static void round_entry(struct trop_case_entry *entry, struct trop_search_dice *dice)
{
    const int64_t count = trop_array_count(entry->rank, entry->shape),
                  row = count / entry->shape[0];
    const double m = 1 + (double)trop_search_pick(dice, 9);
    double largest = 0;

    for (int64_t k = 0; k < count; k++) {
        largest = fmax(largest, fabs(entry->values[k]));
    }
    for (int64_t k = 0; k < count && largest > 0; k++) {
        entry->values[k] = round(entry->values[k] * (m / largest));
    }
    for (int64_t i = 0; i < entry->shape[0] && entry->rank == 2 && entry->shape[0] != row; i++) {
        if (trop_search_uniform(dice) < .15) {
            memmove(entry->values + i * row,
                    entry->values + trop_search_pick(dice, entry->shape[0]) * row,
                    (size_t)row * sizeof *entry->values);
        }
    }
}

/* One query for all inputs. */
static void share_rows(struct trop_case_entry *entry)
{
    const int64_t row = trop_array_count(entry->rank, entry->shape) / entry->shape[0];

    for (int64_t i = 1; i < entry->shape[0]; i++) {
        memcpy(entry->values + i * row, entry->values, (size_t)row * sizeof *entry->values);
    }
}

/* Rows on a line, or some entries equal, opposite or 0. */
static void tie_entry(struct trop_case_entry *entry, struct trop_search_dice *dice)
{
    const int64_t count = trop_array_count(entry->rank, entry->shape),
                  row = count / entry->shape[0];
    const double u = trop_search_uniform(dice);
    double *x = entry->values;

    if (u < .3 && entry->rank == 2) {
        for (int64_t i = 1; i < entry->shape[0]; i++) {
            const double by = trop_search_normal(dice);
            for (int64_t k = 0; k < row; k++) {
                x[i * row + k] = by * x[k];
            }
        }
        return;
    }
    for (int64_t k = 0; k < count; k++) {
        const double w = trop_search_uniform(dice);
        const double other = x[trop_search_pick(dice, count)];
        x[k] = w < .25 ? other : w < .35 ? -other : w < .5 ? 0 : x[k];
    }
}

enum trop_status trop_search_shape(struct trop_case *given, const struct trop_claim *claim,
                                   const struct trop_case *base, int64_t family,
                                   struct trop_search_dice *dice)
{
    const int few = family == TROP_SEARCH_FEW || trop_search_uniform(dice) < .25;
    enum trop_status status = few ? make_few(given, claim, base, dice) : TROP_OK;
    const int ties = family == TROP_SEARCH_TIES || trop_search_uniform(dice) < .2;
    const int shared = trop_search_uniform(dice) < .5;
    const int wholes = family == TROP_SEARCH_WHOLES || trop_search_uniform(dice) < .5;

    for (int64_t e = 0; e < given->count && status == TROP_OK; e++) {
        if (is_free_array(given->entries + e, claim, base)) {
            if (ties) {
                tie_entry(given->entries + e, dice);
            }
            if (wholes) {
                round_entry(given->entries + e, dice);
            }
            if (shared && strcmp(given->entries[e].name, "z") == 0) {
                share_rows(given->entries + e);
            }
        }
    }
    return status;
}
