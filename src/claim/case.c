/* case.c -- named numbers and arrays of one instance. */
#include "claim/case.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "base/status.h"
#include "claim/search/latent.h"
#include "io/array.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum trop_status trop_case_create(struct trop_case **out, uint64_t seed, int64_t trial,
                                  int64_t effort, int64_t threads)
{
    struct trop_case *c = trop_alloc(1, sizeof *c);

    if (!c) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a case");
    }
    c->seed = seed;
    c->trial = trial;
    c->effort = effort;
    c->threads = threads;
    *out = c;
    return TROP_OK;
}

void trop_case_free(struct trop_case *c)
{
    for (int64_t k = 0; c && k < c->count; k++) {
        trop_alloc_free(c->entries[k].values);
    }
    trop_alloc_free(c);
}

/* ---- reading ---- */

static const struct trop_case_entry *find(const struct trop_case *c, const char *name)
{
    for (int64_t k = 0; k < c->count; k++) {
        if (strcmp(c->entries[k].name, name) == 0) {
            return c->entries + k;
        }
    }
    return NULL;
}

int trop_case_has(const struct trop_case *c, const char *name)
{
    return find(c, name) != NULL;
}

double *trop_case_array(const struct trop_case *c, const char *name)
{
    const struct trop_case_entry *entry = find(c, name);

    return entry ? entry->values : NULL;
}

double trop_case_number(const struct trop_case *c, const char *name)
{
    const struct trop_case_entry *entry = find(c, name);

    return entry && entry->rank == 0 ? entry->values[0] : NAN;
}

int64_t trop_case_integer(const struct trop_case *c, const char *name)
{
    const double value = trop_case_number(c, name);

    return fabs(value) < 0x1p53 ? (int64_t)value : 0;
}

int64_t trop_case_size(const struct trop_case *c, const char *name, int64_t axis)
{
    const struct trop_case_entry *entry = find(c, name);

    return entry && axis < entry->rank ? entry->shape[axis] : 0;
}

struct trop_view trop_case_view(const struct trop_case *c, const char *name)
{
    const struct trop_case_entry *entry = find(c, name);

    if (!entry) {
        return (struct trop_view){ 0 };
    }
    return (struct trop_view){
        .at = entry->values,
        .rows = entry->rank > 0 ? entry->shape[0] : 1,
        .columns = entry->rank > 1 ? entry->shape[1] : 1,
        .depth = entry->rank > 2 ? entry->shape[2] : 1,
    };
}

double *trop_case_view_row(struct trop_view view, int64_t row)
{
    return view.at + (row < 0 ? view.rows + row : row) * view.columns * view.depth;
}

struct trop_view trop_case_view_part(struct trop_view view, int64_t row)
{
    return (struct trop_view){ trop_case_view_row(view, row), view.columns, view.depth, 1 };
}

/* ---- writing ---- */

void trop_case_drop(struct trop_case *c, const char *name)
{
    const struct trop_case_entry *entry = find(c, name);

    if (entry) {
        const int64_t k = entry - c->entries;
        trop_alloc_free(c->entries[k].values);
        c->count--;
        memmove(c->entries + k, c->entries + k + 1, (size_t)(c->count - k) * sizeof c->entries[0]);
    }
}

/* Makes an entry for count values under the name, in the place of an old one of that name. */
static enum trop_status make_entry(struct trop_case_entry **out, struct trop_case *c,
                                   const char *name, int64_t count)
{
    trop_case_drop(c, name);
    if (c->count == TROP_CASE_ENTRIES || strlen(name) >= sizeof c->entries[0].name) {
        return trop_fail(TROP_ERR_ARG, "%s: a case has room for %d entries with names below %d",
                         name, TROP_CASE_ENTRIES, (int)sizeof c->entries[0].name);
    }
    double *values = trop_alloc(count, sizeof *values);
    if (!values) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for %s", name);
    }
    struct trop_case_entry *entry = c->entries + c->count++;
    *entry = (struct trop_case_entry){ .values = values };
    snprintf(entry->name, sizeof entry->name, "%s", name);
    *out = entry;
    return TROP_OK;
}

static enum trop_status add(struct trop_case_entry **out, struct trop_case *c, const char *name,
                            int64_t count)
{
    return trop_case_settle(c, make_entry(out, c, name, count));
}

enum trop_status trop_case_put(struct trop_case *c, const char *name, double value)
{
    struct trop_case_entry *entry = NULL;
    enum trop_status status = add(&entry, c, name, 1);

    if (status == TROP_OK) {
        entry->values[0] = value;
    }
    return status;
}

enum trop_status trop_case_default(struct trop_case *c, const char *name, double value)
{
    return trop_case_has(c, name) ? TROP_OK : trop_case_put(c, name, value);
}

enum trop_status trop_case_make(double **out, struct trop_case *c, const char *name, int64_t a,
                                int64_t b, int64_t k)
{
    const int64_t rank = k > 0 ? 3 : b > 0 ? 2 : 1;
    const int64_t count =
        trop_alloc_product(trop_alloc_product(a, rank > 1 ? b : 1), rank > 2 ? k : 1);
    struct trop_case_entry *entry = NULL;
    enum trop_status status = add(&entry, c, name, count);

    if (status == TROP_OK) {
        entry->rank = rank;
        entry->shape[0] = a;
        entry->shape[1] = rank > 1 ? b : 0;
        entry->shape[2] = rank > 2 ? k : 0;
        *out = entry->values;
    }
    return status;
}

double *trop_case_zeros(struct trop_case *c, const char *name, int64_t a, int64_t b, int64_t k)
{
    double *out = NULL;

    trop_case_try(c, trop_case_make(&out, c, name, a, b, k));
    return out;
}

double *trop_case_absent(struct trop_case *c, const char *name, int64_t a, int64_t b, int64_t k)
{
    return trop_case_has(c, name) ? NULL : trop_case_zeros(c, name, a, b, k);
}

double *trop_case_copy_in(struct trop_case *c, const char *name, const double *values, int64_t a,
                          int64_t b, int64_t k)
{
    const int64_t count = a * (b > 0 ? b : 1) * (k > 0 ? k : 1);
    double *out = trop_case_zeros(c, name, a, b, k);

    memcpy(out, values, (size_t)count * sizeof *out);
    return out;
}

enum trop_status trop_case_copy(struct trop_case **out, const struct trop_case *c)
{
    struct trop_case *copy = NULL;
    enum trop_status status = trop_case_create(&copy, c->seed, c->trial, c->effort, c->threads);

    if (status == TROP_OK) {
        copy->progress = c->progress;
        copy->context = c->context;
        copy->latents = c->latents;
    }
    for (int64_t k = 0; status == TROP_OK && k < c->count; k++) {
        const struct trop_case_entry *from = c->entries + k;
        struct trop_case_entry *to = NULL;
        status = add(&to, copy, from->name, trop_array_count(from->rank, from->shape));
        if (status == TROP_OK) {
            memcpy(to->values, from->values,
                   (size_t)trop_array_count(from->rank, from->shape) * sizeof(double));
            to->rank = from->rank;
            memcpy(to->shape, from->shape, sizeof to->shape);
        }
    }
    if (status != TROP_OK) {
        trop_case_free(copy);
        return status;
    }
    *out = copy;
    return TROP_OK;
}

/* ---- random numbers ---- */

static uint64_t name_of(int64_t use, int64_t k)
{
    return (uint64_t)use << 24 | (uint64_t)k;
}

static double ask(const struct trop_case *c, int64_t kind, int64_t use, int64_t k, int64_t count,
                  double other)
{
    double value = other;

    if (c->latents) {
        trop_case_try(c,
                      trop_latents_ask(&value, c->latents,
                                       (struct trop_latent){ kind, use, k, count, 0, 0 }, other));
    }
    return value;
}

double trop_case_uniform(const struct trop_case *c, int64_t use, int64_t k)
{
    return ask(c, TROP_LATENT_UNIFORM, use, k, 0,
               trop_rng_uniform(c->seed, TROP_RNG_CLAIMS, (uint64_t)c->trial, name_of(use, k)));
}

double trop_case_normal(const struct trop_case *c, int64_t use, int64_t k)
{
    return ask(c, TROP_LATENT_NORMAL, use, k, 0,
               trop_rng_normal(c->seed, TROP_RNG_CLAIMS, (uint64_t)c->trial, name_of(use, k)));
}

int64_t trop_case_pick(const struct trop_case *c, int64_t use, int64_t k, int64_t count)
{
    const double u =
        trop_rng_uniform(c->seed, TROP_RNG_CLAIMS, (uint64_t)c->trial, name_of(use, k));

    return (int64_t)ask(c, TROP_LATENT_PICK, use, k, count, (double)(int64_t)(u * (double)count));
}
