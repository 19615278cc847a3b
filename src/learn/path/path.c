/* path.c -- regularisation paths: the least loss over balls of growing radius.
 *
 *   W(R) = argmin of L over |W|_p <= R;  joint: over |W|_p <= R and |v|_p <= r.
 *
 * L is not convex. At every radius several starts go downhill (path_solve.c) and the least value
 * is kept:
 *
 *   the point at the radius before, scaled to the new radius, or as it is where that is better, so
 *       that the loss never rises along the path;
 *   R W_mm / |W_mm|_p of the max-margin solution for the tokens of the highest scores, and for
 * those that the radius before selects (T1 of P1 and of MD: where W(R) / R goes); 0, at the first
 * radius; random ones.
 *
 * P1 is Ataee Tarzanagh, Li, Zhang, Oymak, "Max-margin token selection in attention mechanism", MD
 * Julistiono, Ataee Tarzanagh, Azizan, "Optimizing attention with mirror descent". Starts are
 * independent of each other and of the workers that make them.
 */
#include "learn/path/path.h"

#include "base/alloc.h"
#include "base/math/exp.h"
#include "base/field.h"
#include "base/option.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

/* Two values of the objective closer than this, relatively, are the same. */
#define SAME 1e-12

/* ---- making ---------------------------------------------------------------------------------- */

void trop_path_free(struct trop_path *path)
{
    if (!path) {
        return;
    }
    for (int64_t k = 0; k < path->workers; k++) {
        trop_path_worker_free(path->worker + k);
    }
    trop_path_solution_free(&path->optimal);
    trop_path_solution_free(&path->own);
    trop_data_free(&path->data);
    TROP_FREE(path->worker, path->own.alpha, path->radii, path->previous, path->warm, path->axis,
              path->starts, path->ends, path->rows, path->alpha, path->weights, path);
}

enum trop_status trop_path_create(struct trop_path **out, const struct trop_path_options *options)
{
    enum trop_status status = trop_path_options_check(options);

    if (status != TROP_OK) {
        return status;
    }
    struct trop_path *path = trop_alloc(1, sizeof *path);
    if (!path) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a regularisation path");
    }
    path->options = *options;
    status = trop_path_make(path);
    path->options.data = NULL;
    path->options.radius = NULL;
    path->options.decoder_radius = NULL;
    path->options.select = NULL;
    if (status != TROP_OK) {
        trop_path_free(path);
        return status;
    }
    *out = path;
    return TROP_OK;
}

enum trop_status trop_path_create_from(struct trop_path **out, const struct trop_data *data,
                                       const char *const *pairs)
{
    struct trop_path_options options = trop_path_options_default();
    enum trop_status status = trop_option_pairs(&options, trop_path_option_table(), pairs);

    options.data = data;
    return status == TROP_OK ? trop_path_create(out, &options) : status;
}

/* ---- starts ---------------------------------------------------------------------------------- */

/* The point of the radius before, out to the new one in direction or where it stands. */
static void from_previous(double *x, struct trop_path *path, const struct trop_path_task *task)
{
    const double *before = path->radii + 2 * (path->done - 1);
    const struct trop_weights *weights = &path->worker->weights;
    const size_t bytes = (size_t)path->total * sizeof *x;

    const int64_t block = path->worker->joint;
    const double scaled = trop_path_objective(path->worker, path->previous, task, block);
    memcpy(x, path->previous, bytes);
    for (int64_t k = 0, at = 0; k < weights->count; k++) {
        const double factor = trop_power(before[k] / task->radius[k], &path->powers.e);
        for (int64_t e = 0; e < weights->tensor[k].rows * weights->tensor[k].columns; e++) {
            x[at++] *= factor;
        }
    }
    if (scaled <= trop_path_objective(path->worker, x, task, block)) {
        memcpy(x, path->previous, bytes);
    }
}

/* 1: the solution for what the radius before selected is another one. */
static int is_other(const struct trop_path *path)
{
    const int64_t *alpha = path->alpha + (path->done - 1) * path->asks;

    if (path->options.local || path->rows[path->done - 1].undecided > 0) {
        return 0;
    }
    if (!path->unique) {
        return 1;
    }
    for (int64_t q = 0; q < path->asks; q++) {
        const double *score = trop_attention_scores(path->worker->attention, q);
        for (int64_t t = 0; t < path->data.data.T; t++) {
            if (score[t] > score[alpha[q]]) {
                return 1;
            }
        }
    }
    return 0;
}

/* Fills path->starts; how many there are. */
static int64_t make_starts(struct trop_path *path, const struct trop_path_task *task)
{
    const int64_t n = path->total;
    int64_t count = 0;

    if (path->done > 0) {
        from_previous(path->starts, path, task);
        count++;
    } else if (!path->options.local) {
        memset(path->starts, 0, (size_t)n * sizeof *path->starts);
        count++;
    }
    if (path->optimal.lp) {
        memcpy(path->starts + count++ * n, path->warm, (size_t)n * sizeof *path->starts);
    }
    if (path->done > 0 && is_other(path)) {
        count += trop_path_solution_start(path->starts + count * n, &path->own, path);
    }
    for (int64_t k = 0; k < path->options.starts; k++) {
        /* Random start number k: W of normal entries, out to the sphere. */
        double *x = path->starts + count++ * n;
        const uint64_t name = 1 + (uint64_t)(path->done * path->options.starts + k);
        const struct trop_weights *weights = &path->worker->weights;
        uint64_t at = 0;
        for (int64_t j = 0; j < weights->count; j++) {
            const int64_t size = weights->tensor[j].rows * weights->tensor[j].columns;
            for (int64_t e = 0; e < size; e++, at++) {
                const double normal =
                    trop_rng_normal(path->options.seed, TROP_RNG_WEIGHTS, at, name);
                x[e] = trop_power_signed(normal, &path->powers.e);
            }
            const double norm = trop_power_norm(x, size, &path->powers.norm);
            for (int64_t e = 0; e < size; e++) {
                x[e] /= norm;
            }
            x += size;
        }
    }
    return count;
}

/* ---- one radius ------------------------------------------------------------------------------ */

struct crew {
    struct trop_path *path;
    const struct trop_path_task *task;
};

static void work(void *context, int64_t first, int64_t last, int64_t worker)
{
    const struct crew *crew = context;
    struct trop_path *path = crew->path;

    for (int64_t k = first; k < last; k++) {
        trop_path_solve(path->ends + k, path->starts + k * path->total, path->worker + worker,
                        crew->task);
    }
}

static int is_less(double a, double b)
{
    return a < b - SAME * (1 + fabs(b));
}

/* Least value first. Where values agree to rounding, because attention is saturated, what the loss
 * is above or below that of the selected tokens; then nearest to stationary. */
static int is_better(const struct trop_path_end *a, const struct trop_path_end *b)
{
    if (is_less(a->value, b->value) || is_less(b->value, a->value)) {
        return a->value < b->value;
    }
    if (a->below != b->below) {
        return a->below > b->below;
    }
    if (is_less(a->excess, b->excess) || is_less(b->excess, a->excess)) {
        return a->excess < b->excess;
    }
    return a->off < b->off;
}

/* What is known of x, the answer. */
static enum trop_status look(struct trop_path *path, const double *x,
                             const struct trop_path_end *end, const struct trop_path_task *task,
                             int64_t starts)
{
    struct trop_path_row *row = path->rows + path->done;
    const struct trop_tensor *first = path->worker->weights.tensor;

    *row = (struct trop_path_row){
        .radius = task->radius[0],
        .decoder_radius = task->radius[1],
        .correlation = NAN,
        .bregman = NAN,
        .decoder_correlation = NAN,
        .decoder_bregman = NAN,
        .relaxed_correlation = NAN,
        .relaxed_bregman = NAN,
        .cone = NAN,
        .lower = NAN,
        .upper = NAN,
        .off = end->off,
        .alignment = end->alignment,
        .iterations = end->iterations,
        .starts = starts,
        .inside = !end->edge,
    };
    trop_path_bracket(path, row, task);
    row->value = trop_path_objective(path->worker, x, task, path->worker->joint);
    row->loss = trop_attention_loss(path->worker->attention);
    row->log_gap = trop_attention_log_gap(path->worker->attention);
    row->norm = trop_power_norm(first->values, first->rows * first->columns, &path->powers.p);
    row->kind = path->options.local && end->edge             ? TROP_PATH_EDGE
                : !(end->off <= path->options.tolerance)     ? TROP_PATH_UNFINISHED
                : !isnan(row->lower) && !path->options.local ? TROP_PATH_BRACKETED
                                                             : TROP_PATH_STATIONARY;
    /* Selected are tokens that outweigh all others together. */
    int64_t *alpha = path->alpha + path->done * path->asks;
    struct trop_attention *attention = path->worker->attention;
    for (int64_t q = 0; q < path->asks; q++) {
        const int64_t best = trop_attention_best(attention, q);
        const double weight = trop_exp(trop_attention_log_weights(attention, q)[best]);
        alpha[q] = weight > 0.5 ? best : -1;
        row->undecided += alpha[q] < 0;
    }
    if (path->weights) {
        memcpy(path->weights + path->done * path->total, path->worker->weights.memory,
               (size_t)path->total * sizeof(double));
    }
    return trop_path_compare(path, row, alpha);
}

/* ---- the run -------------------------------------------------------------------------------- */

enum trop_status trop_path_run(struct trop_path *path, trop_progress *progress, void *context)
{
    enum trop_status status = TROP_OK;
    int64_t unfinished = 0;

    while (path->done < path->count && status == TROP_OK) {
        if (progress && progress(context, path->done, path->count)) {
            return trop_fail(TROP_ERR_STOPPED, "stopped after %lld of %lld radii",
                             (long long)path->done, (long long)path->count);
        }
        const struct trop_path_task task = {
            .powers = &path->powers,
            .radius = { path->radii[2 * path->done], path->radii[2 * path->done + 1] },
            .cone = { path->options.local ? path->axis : NULL, path->warm, path->options.cone },
            .tolerance = path->options.tolerance,
            .iterations = path->options.iterations,
        };
        const int64_t count = make_starts(path, &task);
        struct crew crew = { path, &task };
        trop_parallel(path->workers, count, work, &crew);
        int64_t best = 0;
        for (int64_t k = 1; k < count; k++) {
            best = is_better(path->ends + k, path->ends + best) ? k : best;
        }
        const double *x = path->starts + best * path->total;
        status = look(path, x, path->ends + best, &task, count);
        if (status == TROP_OK) {
            memcpy(path->previous, x, (size_t)path->total * sizeof *x);
            path->done++;
        }
    }
    for (int64_t k = 0; k < path->done; k++) {
        unfinished += path->rows[k].kind == TROP_PATH_UNFINISHED;
    }
    if (status == TROP_OK && unfinished > 0) {
        return trop_fail(TROP_ERR_STOPPED,
                         "%lld of %lld radii are unfinished after %lld iterations: their brackets "
                         "hold",
                         (long long)unfinished, (long long)path->done,
                         (long long)path->options.iterations);
    }
    return status;
}

enum trop_status trop_path_value(struct trop_value *out, const struct trop_path *path,
                                 const char *name)
{
    return trop_field_value(out, trop_path_field_table(), path, name);
}

enum trop_status trop_path_number(double *out, const struct trop_path *path, const char *name)
{
    return trop_field_as_number(out, trop_path_field_table(), path, name);
}
