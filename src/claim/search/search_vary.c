/* search_vary.c -- what a search varies: numbers of the draw, and entries that are given. */
#include "claim/search/search_internal.h"

#include "base/alloc.h"
#include "base/math/exp.h"
#include "base/math/log.h"
#include "base/rng.h"
#include "base/status.h"
#include "claim/check.h"
#include "io/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Entries between these sizes, and numbers by their logarithms. */
#define LARGEST 1e16
#define WHOLE_MOST 64 /* of an array of whole numbers */

/* ---- random numbers ---- */

double trop_search_uniform(struct trop_search_dice *dice)
{
    return trop_rng_uniform(dice->seed, TROP_RNG_SEARCH, (uint64_t)dice->restart,
                            (uint64_t)dice->next++);
}

double trop_search_normal(struct trop_search_dice *dice)
{
    return trop_rng_normal(dice->seed, TROP_RNG_SEARCH, (uint64_t)dice->restart,
                           (uint64_t)dice->next++);
}

int64_t trop_search_pick(struct trop_search_dice *dice, int64_t count)
{
    return (int64_t)(trop_search_uniform(dice) * (double)count);
}

/* ---- points ---- */

void trop_search_point_free(struct trop_search_point *point)
{
    trop_case_free(point->given);
    trop_latents_free(&point->latents);
    point->given = NULL;
}

enum trop_status trop_search_point_copy(struct trop_search_point *out,
                                        const struct trop_search_point *from)
{
    *out = (struct trop_search_point){ .score = from->score };
    enum trop_status status = trop_case_copy(&out->given, from->given);

    if (status == TROP_OK) {
        status = trop_latents_copy(&out->latents, &from->latents);
    }
    if (status != TROP_OK) {
        trop_search_point_free(out);
    }
    return status;
}

/* ---- variables ---- */

void trop_search_space_free(struct trop_search_space *space)
{
    trop_alloc_free(space->list);
    *space = (struct trop_search_space){ 0 };
}

static enum trop_status add(struct trop_search_space *space, struct trop_search_variable variable)
{
    if (space->count == space->capacity) {
        const int64_t capacity = 2 * space->capacity + 64;
        struct trop_search_variable *more = trop_alloc(capacity, sizeof *more);
        if (!more) {
            return trop_fail(TROP_ERR_MEMORY, "no memory for what a search varies");
        }
        if (space->count > 0) {
            memcpy(more, space->list, (size_t)space->count * sizeof *more);
        }
        trop_alloc_free(space->list);
        space->list = more;
        space->capacity = capacity;
    }
    space->list[space->count++] = variable;
    return TROP_OK;
}

static int is_whole(const double *values, int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        if (values[k] != floor(values[k]) || fabs(values[k]) > WHOLE_MOST) {
            return 0;
        }
    }
    return count > 0;
}

static double largest_of(const double *values, int64_t count)
{
    double largest = 0;

    for (int64_t k = 0; k < count; k++) {
        largest = fmax(largest, fabs(values[k]));
    }
    return largest > 0 ? largest : 1;
}

/* A number: what counts is whole from 1 on. Work takes as long as its counts are large. */
static struct trop_search_variable number_of(const struct trop_case_entry *entry,
                                             const struct trop_case *first)
{
    const double value = entry->values[0];
    const int counts = value >= 1 && value == floor(value) && value < 1e6;

    return (struct trop_search_variable){ .at = entry->values,
                                          .kind = counts       ? TROP_SEARCH_COUNT
                                                  : value != 0 ? TROP_SEARCH_LARGE
                                                               : TROP_SEARCH_REAL,
                                          .scale = 1,
                                          .most = 4 * fmax(trop_case_number(first, entry->name), 1),
                                          .group = -1 };
}

static enum trop_status add_entry(struct trop_search_space *space,
                                  const struct trop_case_entry *entry,
                                  const struct trop_case *first, int64_t group, int smooth)
{
    const int64_t count = trop_array_count(entry->rank, entry->shape);
    const int whole = entry->rank > 0 && is_whole(entry->values, count);
    struct trop_search_variable v = entry->rank == 0
                                        ? number_of(entry, first)
                                        : (struct trop_search_variable){
                                              .kind = whole ? TROP_SEARCH_WHOLE : TROP_SEARCH_REAL,
                                              .scale = largest_of(entry->values, count),
                                              .group = group,
                                          };
    enum trop_status status = TROP_OK;

    if ((v.kind == TROP_SEARCH_COUNT || v.kind == TROP_SEARCH_WHOLE) == smooth) {
        return TROP_OK;
    }
    for (int64_t k = 0; k < count && status == TROP_OK; k++) {
        v.at = entry->values + k;
        status = add(space, v);
    }
    return status;
}

/* Those of the last draw. */
static enum trop_status add_latents(struct trop_search_space *space, struct trop_latents *table,
                                    int smooth)
{
    enum trop_status status = TROP_OK;

    for (int64_t k = 0; k < table->count && status == TROP_OK; k++) {
        struct trop_latent *l = table->list + k;
        const int chosen = l->kind == TROP_LATENT_PICK;
        if (l->asked == table->draws && chosen != smooth && (!chosen || l->count > 1)) {
            status = add(space, (struct trop_search_variable){
                                    .at = &l->value,
                                    .kind = chosen                           ? TROP_SEARCH_CHOICE
                                            : l->kind == TROP_LATENT_UNIFORM ? TROP_SEARCH_SHARE
                                                                             : TROP_SEARCH_REAL,
                                    .scale = 1,
                                    .most = (double)l->count,
                                    .group = TROP_CASE_ENTRIES + l->use });
        }
    }
    return status;
}

/* What is not varied: how often a random experiment is made, and the constant of "there is a C". */
static int is_fixed(const char *name, const struct trop_case *base)
{
    return strcmp(name, "runs") == 0 || strcmp(name, "C") == 0 || trop_case_has(base, name);
}

enum trop_status trop_search_space_of(struct trop_search_space *space,
                                      const struct trop_claim *claim,
                                      struct trop_search_point *point, const struct trop_case *base,
                                      const struct trop_case *first)
{
    enum trop_status status = TROP_OK;

    space->count = 0;
    for (int smooth = 1; smooth >= 0; smooth--) {
        for (int64_t e = 0; e < point->given->count && status == TROP_OK; e++) {
            const struct trop_case_entry *entry = point->given->entries + e;
            if (trop_check_takes(claim, entry->name) && !is_fixed(entry->name, base)) {
                status = add_entry(space, entry, first, e, smooth);
            }
        }
        if (status == TROP_OK) {
            status = add_latents(space, &point->latents, smooth);
        }
        space->smooth = smooth ? space->count : space->smooth;
    }
    return status;
}

/* ---- changing one ---- */

double trop_search_encode(const struct trop_search_variable *v)
{
    return v->kind == TROP_SEARCH_LARGE   ? trop_log(fabs(*v->at))
           : v->kind == TROP_SEARCH_SHARE ? trop_log(*v->at / (1 - *v->at))
                                          : *v->at / v->scale;
}

void trop_search_decode(const struct trop_search_variable *v, double coordinate)
{
    if (v->kind == TROP_SEARCH_LARGE) {
        *v->at = copysign(trop_exp(fmin(fmax(coordinate, -trop_log(LARGEST)), trop_log(LARGEST))),
                          *v->at);
    } else if (v->kind == TROP_SEARCH_SHARE) {
        *v->at = fmin(fmax(1 / (1 + trop_exp(-coordinate)), 0x1p-53), 1 - 0x1p-53);
    } else {
        *v->at = fmin(fmax(coordinate, -LARGEST), LARGEST) * v->scale;
    }
}

static double another_of(const struct trop_search_space *space,
                         const struct trop_search_variable *v, struct trop_search_dice *dice)
{
    for (int turn = 0; turn < 8; turn++) {
        const struct trop_search_variable *other =
            space->list + trop_search_pick(dice, space->count);
        if (other != v && other->group == v->group && other->kind == v->kind) {
            return *other->at;
        }
    }
    return *v->at;
}

void trop_search_jump(const struct trop_search_space *space, int64_t k,
                      struct trop_search_dice *dice)
{
    const struct trop_search_variable *v = space->list + k;
    const double by = 1 + (double)trop_search_pick(dice, 3), u = trop_search_uniform(dice);
    double value = *v->at;

    if (v->kind == TROP_SEARCH_CHOICE) {
        value = (double)trop_search_pick(dice, (int64_t)v->most);
    } else if (v->kind == TROP_SEARCH_COUNT) {
        value = u < .25 ? value - by : u < .5 ? value + by : u < .75 ? floor(value / 2) : 2 * value;
        value = fmin(fmax(value, 1), v->most);
    } else {
        value = u < .3   ? value - by
                : u < .6 ? value + by
                : u < .7 ? -value
                : u < .8 ? 0
                         : another_of(space, v, dice);
    }
    *v->at = value;
}

void trop_search_scale(const struct trop_search_space *space, int64_t k,
                       struct trop_search_dice *dice)
{
    const double factor = trop_exp(1.5 * trop_search_normal(dice));

    for (int64_t i = 0; i < space->smooth; i++) {
        const struct trop_search_variable *v = space->list + i;
        if (v->kind == TROP_SEARCH_REAL && v->group == space->list[k].group) {
            trop_search_decode(v, factor * trop_search_encode(v));
        }
    }
}

void trop_search_snap(const struct trop_search_space *space, int64_t k,
                      struct trop_search_dice *dice)
{
    const struct trop_search_variable *v = space->list + k;
    const double u = trop_search_uniform(dice), other = another_of(space, v, dice);

    if (v->kind == TROP_SEARCH_REAL) {
        *v->at = u < .4 ? other : u < .5 ? -other : u < .7 ? 0 : round(*v->at);
    } else if (v->kind == TROP_SEARCH_LARGE) {
        trop_search_decode(v, trop_search_encode(v) + 6 * (u - .5));
    }
}
