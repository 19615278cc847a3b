/* escape_groups.c -- the groups of an escape study, and how far tokens are from them.
 *
 * A group is the tokens of one cell at step 0 (shape/cells/cells.c): those that hardmax sends to
 * one vertex. A vertex that does not own its cell is in the group of the vertex that does. A token
 * on a wall between cells has no group, and the study is refused: which exit would be its first
 * is then a matter of taste.
 *
 * A token is inside while its distance from conv of its group's places at step 0 is at most the
 * radius. The distance is that of shape/nearest/nearest.c, within 16 u of the distance to the
 * farthest place; of a group at one point it is the plain distance. Two bounds from above spare
 * most of these: the distance to its own place at step 0, and to its vertex.
 */
#include "flow/escape/escape.h"

#include "attend/decide.h"
#include "base/alloc.h"
#include "base/status.h"
#include "shape/cloud.h"

#include <math.h>
#include <string.h>

/* ---- making groups -------------------------------------------------------------------------- */

static enum trop_status no_memory(const struct trop_escape *e)
{
    return trop_fail(TROP_ERR_MEMORY, "no memory for the groups of %lld tokens", (long long)e->n);
}

/* The least distance of two groups, when all are points: only then it is wanted. */
static void measure_gap(struct trop_escape *e)
{
    e->apart = INFINITY;
    for (int64_t g = 0; g < e->groups; g++) {
        if (!e->single[g]) {
            e->apart = NAN;
            return;
        }
    }
    for (int64_t g = 0; g < e->groups; g++) {
        const double *place = e->x + e->member[e->start[g]] * e->d;
        for (int64_t h = 0; h < g; h++) {
            const double *other = e->x + e->member[e->start[h]] * e->d;
            e->apart = fmin(e->apart, trop_cloud_distance(place, other, e->d));
        }
    }
}

static enum trop_status adopt(struct trop_escape *e, const struct trop_cells *cells)
{
    struct trop_value labels, vertices;

    trop_cells_value(&labels, cells, "labels");
    trop_cells_value(&vertices, cells, "vertices");
    for (int64_t i = 0; i < e->n; i++) {
        if (labels.integers[i] < 0) {
            return trop_fail(TROP_ERR_UNSUPPORTED,
                             "tokens: token %lld (from 0) is on a wall between cells, so it has no "
                             "group to escape from",
                             (long long)i);
        }
    }
    e->vertices = vertices.shape[0];
    if (!TROP_ALLOC(TROP_PART(e->x, e->n * e->d), TROP_PART(e->label, e->n),
                    TROP_PART(e->group, e->n), TROP_PART(e->member, e->n),
                    TROP_PART(e->vertex, e->vertices))) {
        return no_memory(e);
    }
    memcpy(e->x, trop_cells_tokens(cells), (size_t)(e->n * e->d) * sizeof *e->x);
    memcpy(e->label, labels.integers, (size_t)e->n * sizeof *e->label);
    memcpy(e->vertex, vertices.integers, (size_t)e->vertices * sizeof *e->vertex);
    /* Groups are numbered in the order of their first tokens. */
    int64_t *of = trop_alloc(e->n, sizeof *of); /* 1 + group of an owner */

    if (!of) {
        return no_memory(e);
    }
    for (int64_t i = 0; i < e->n; i++) {
        int64_t owner = e->label[i];
        of[owner] = of[owner] ? of[owner] : ++e->groups;
        e->group[i] = of[owner] - 1;
    }
    trop_alloc_free(of);
    return TROP_ALLOC(TROP_PART(e->start, e->groups + 1), TROP_PART(e->single, e->groups))
               ? TROP_OK
               : no_memory(e);
}

static double number(const struct trop_cells *cells, const char *name)
{
    double value;

    return trop_cells_number(&value, cells, name) == TROP_OK ? value : (double)NAN;
}

enum trop_status trop_escape_group(struct trop_escape *e)
{
    const struct trop_escape_options *o = &e->options;
    struct trop_cells_options options = trop_cells_options_default();
    struct trop_cells *cells = NULL;

    options.cloud = o->cloud;
    options.threads = o->threads;
    enum trop_status status = trop_cells_create(&cells, &options);
    if (status == TROP_OK) {
        status = adopt(e, cells);
    }
    if (status == TROP_OK) {
        /* Members by group, ascending, by counting. */
        for (int64_t i = 0; i < e->n; i++) {
            e->start[e->group[i] + 1]++;
        }
        for (int64_t g = 0; g < e->groups; g++) {
            e->start[g + 1] += e->start[g];
        }
        for (int64_t i = e->n - 1; i >= 0; i--) {
            e->member[--e->start[e->group[i] + 1]] = i;
        }
        /* Each end has come down to its own group's start: one place too late. */
        memmove(e->start, e->start + 1, (size_t)e->groups * sizeof *e->start);
        e->start[e->groups] = e->n;
        for (int64_t g = 0; g < e->groups; g++) {
            const double *first = e->x + e->member[e->start[g]] * e->d;
            e->single[g] = 1;
            for (int64_t k = e->start[g]; k < e->start[g + 1]; k++) {
                e->single[g] =
                    e->single[g] && trop_decide_equal(first, e->x + e->member[k] * e->d, e->d);
            }
        }
        measure_gap(e);
        trop_escape_constants(e, number(cells, "c0"), number(cells, "diameter"));
    }
    trop_cells_free(cells);
    return status;
}

/* ---- distances ------------------------------------------------------------------------------ */

static int left(const struct trop_escape *e, struct trop_nearest *nearest, int64_t i,
                const double *place)
{
    int64_t d = e->d, g = e->group[i];
    double radius = e->options.radius;
    struct trop_nearest_answer answer;

    if (trop_cloud_distance(place, e->x + i * d, d) <= radius) {
        return 0;
    }
    if (e->single[g]) {
        return 1;
    }
    /* The owner need not be a member of its group when it does not own its own place. */
    if (e->group[e->label[i]] == g &&
        trop_cloud_distance(place, e->x + e->label[i] * d, d) <= radius) {
        return 0;
    }
    trop_nearest_find(&answer, nearest, e->x, e->member + e->start[g],
                      e->start[g + 1] - e->start[g], place, 0);
    return answer.distance > radius;
}

int trop_escape_left(const struct trop_escape *e, struct trop_nearest *nearest, const double *x,
                     const int64_t *owner)
{
    for (int64_t i = 0; i < e->n; i++) {
        if (left(e, nearest, i, x + (owner ? owner[i] : i) * e->d)) {
            return 1;
        }
    }
    return 0;
}

int trop_escape_settled(const struct trop_escape *e, const double *x, const int64_t *owner)
{
    for (int64_t i = 0; i < e->n; i++) {
        const double *place = x + (owner ? owner[i] : i) * e->d;
        if (!(trop_cloud_distance(place, e->x + e->label[i] * e->d, e->d) <= e->near)) {
            return 0;
        }
    }
    return 1;
}
