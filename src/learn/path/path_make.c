/* path_make.c -- everything before the first radius: data, radii, workers, the first solution. */
#include "learn/path/path.h"

#include "base/alloc.h"
#include "base/list.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

#define OWN_MAX 3.0 /* largest p whose own potential makes the steps */

static enum trop_status no_memory(void)
{
    return trop_fail(TROP_ERR_MEMORY, "no memory for a regularisation path");
}

/* ---- radii ----------------------------------------------------------------------------------- */

static enum trop_status check_radii(const struct trop_path *path)
{
    for (int64_t k = 0; k < path->count; k++) {
        const double R = path->radii[2 * k], r = path->radii[2 * k + 1];
        if (!(R >= 1e-12 && R <= 1e12)) {
            return trop_fail(TROP_ERR_ARG, "radius: %g must be from 1e-12 to 1e12", R);
        }
        if (!(r >= 1e-12 && r <= 1e12)) {
            return trop_fail(TROP_ERR_ARG, "decoder_radius: %g must be from 1e-12 to 1e12", r);
        }
        if (k > 0 && !(R > path->radii[2 * k - 2])) {
            return trop_fail(TROP_ERR_ARG, "radius: %g after %g: must ascend", R,
                             path->radii[2 * k - 2]);
        }
        if (k > 0 && !(r >= path->radii[2 * k - 1])) {
            return trop_fail(TROP_ERR_ARG, "decoder_radius: %g after %g: must not descend", r,
                             path->radii[2 * k - 1]);
        }
    }
    return TROP_OK;
}

/* list: scratch for both lists. */
static enum trop_status fill_radii(struct trop_path *path, double *list, int64_t room)
{
    const struct trop_path_options *o = &path->options;
    int64_t others = 0;
    enum trop_status status = trop_list_read(list, &path->count, room, "radius", o->radius);

    for (int64_t k = 0; k < path->count; k++) {
        path->radii[2 * k] = list[k];
        path->radii[2 * k + 1] = list[k];
    }
    if (status == TROP_OK && o->decoder_radius) {
        status = trop_list_read(list, &others, room, "decoder_radius", o->decoder_radius);
        if (status == TROP_OK && others != 1 && others != path->count) {
            return trop_fail(TROP_ERR_ARG,
                             "decoder_radius: %lld numbers for %lld radii, must be one or as many",
                             (long long)others, (long long)path->count);
        }
        for (int64_t k = 0; status == TROP_OK && k < path->count; k++) {
            path->radii[2 * k + 1] = list[others == 1 ? 0 : k];
        }
    }
    return status == TROP_OK ? check_radii(path) : status;
}

static enum trop_status make_radii(struct trop_path *path)
{
    const struct trop_path_options *o = &path->options;
    int64_t others = 0;
    enum trop_status status = trop_list_read(NULL, &path->count, 0, "radius", o->radius);

    if (status == TROP_OK && o->decoder_radius) {
        status = trop_list_read(NULL, &others, 0, "decoder_radius", o->decoder_radius);
    }
    if (status != TROP_OK) {
        return status;
    }
    const int64_t room = path->count > others ? path->count : others;
    double *list = trop_alloc(room, sizeof *list);
    path->radii = trop_alloc(2 * path->count, sizeof *path->radii);
    status = list && path->radii ? fill_radii(path, list, room) : no_memory();
    trop_alloc_free(list);
    return status;
}

/* ---- workers and arrays ---------------------------------------------------------------------- */

static enum trop_status make_room(struct trop_path *path)
{
    const int64_t threads =
        path->options.threads > 0 ? path->options.threads : trop_parallel_cores();
    enum trop_status status = TROP_OK;

    path->most = path->options.starts + 3; /* previous, optimal, own; or zero at the first */
    const int64_t workers = threads < path->most ? threads : path->most;
    path->worker = trop_alloc(workers, sizeof *path->worker);
    if (!path->worker) {
        return no_memory();
    }
    for (; path->workers < workers && status == TROP_OK; path->workers++) {
        status =
            trop_path_worker_create(path->worker + path->workers, &path->data.data, &path->options);
    }
    if (status != TROP_OK) {
        return status;
    }
    path->total = path->worker->total;
    path->asks = trop_attention_asks(path->worker->attention);
    const int64_t total = path->total, asks = path->asks, count = path->count;
    const int64_t kept = trop_alloc_product(count, total);
    if (!TROP_ALLOC(TROP_PART(path->previous, total), TROP_PART(path->warm, total),
                    TROP_PART(path->axis, total),
                    TROP_PART(path->starts, trop_alloc_product(path->most, total)),
                    TROP_PART(path->ends, path->most), TROP_PART(path->rows, count),
                    TROP_PART(path->alpha, trop_alloc_product(count, asks)),
                    TROP_PART(path->own.alpha, asks))) {
        return no_memory();
    }
    path->own.alpha[0] = -2;
    if (kept >= 0 && kept <= TROP_PATH_WEIGHTS) {
        path->weights = trop_alloc(kept, sizeof *path->weights);
        return path->weights ? TROP_OK : no_memory();
    }
    return TROP_OK;
}

/* ---- the first solution --------------------------------------------------------------------- */

/* The solution for the best scores, or for select of a local path. */
static enum trop_status make_solution(struct trop_path *path)
{
    const struct trop_path_options *o = &path->options;

    if (o->model == TROP_TRAIN_JOINT) {
        return TROP_OK; /* scores depend on the decoder */
    }
    memset(path->worker->weights.memory, 0, (size_t)path->total * sizeof(double));
    trop_attention_set(path->worker->attention, &path->worker->weights, NULL, 0);
    path->infimum = trop_attention_infimum(path->worker->attention);
    path->unique = !o->local && trop_path_unique(path);
    if (!o->local && !path->unique) {
        return TROP_OK;
    }
    enum trop_status status =
        trop_path_solution_make(&path->optimal, path, o->local ? o->select : NULL, NULL);
    if (status != TROP_OK) {
        return status;
    }
    const int found = trop_path_solution_start(path->warm, &path->optimal, path);
    if (!found && o->local) {
        return trop_fail(TROP_ERR_ARG, "select: there is no max-margin solution for these tokens, "
                                       "so no cone around it");
    }
    for (int64_t e = 0; found && e < path->total; e++) {
        path->axis[e] = trop_power_signed(path->warm[e], &path->powers.up);
    }
    return TROP_OK;
}

enum trop_status trop_path_make(struct trop_path *path)
{
    struct trop_path_options *o = &path->options;
    enum trop_status status = trop_data_copy(&path->data, o->data);

    path->infimum = NAN;
    struct trop_path_powers *powers = &path->powers;
    powers->p = trop_power_of(o->p);
    powers->q = trop_power_dual(powers->p);
    powers->less = trop_power_less_one(powers->p);
    powers->more = trop_power_reciprocal(powers->less);
    powers->own = o->p <= OWN_MAX;
    powers->e = powers->own ? powers->less : trop_power_of(1);
    powers->up = trop_power_reciprocal(powers->e);
    powers->norm = powers->own ? powers->q : powers->p;
    powers->dual = powers->own ? trop_power_of(1) : powers->less;
    if (status != TROP_OK) {
        return status;
    }
    const struct trop_data *data = &path->data.data;
    if (!data->x) {
        return trop_fail(TROP_ERR_ARG, "data: paths need tokens x, not next-token data");
    }
    if (o->model == TROP_TRAIN_JOINT && !data->y) {
        return trop_fail(TROP_ERR_ARG, "data: joint needs labels y");
    }
    if (data->T < 2) {
        return trop_fail(TROP_ERR_ARG, "data: T = 1: attention has nothing to select");
    }
    status = make_radii(path);
    if (status != TROP_OK) {
        return status;
    }
    o->model = o->model == TROP_TRAIN_AUTO ? trop_train_auto(data) : o->model;
    status = make_room(path);
    return status == TROP_OK ? make_solution(path) : status;
}
