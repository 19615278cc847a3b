/* fit_tensor.c -- steps of tensors, whole or by rows (fit_tensor.h). */
#include "learn/fit/fit_tensor.h"

#include "base/alloc.h"
#include "base/math/exp.h"
#include "base/math/log.h"
#include "base/status.h"
#include "kernel/kernel_gradient.h"

#include <math.h>
#include <string.h>

/* ---- making ---------------------------------------------------------------------------------- */

void trop_fit_tensor_close(struct trop_fit_tensor *t)
{
    for (int k = 0; k < 2 + TROP_OPTIMIZER_STATES; k++) {
        trop_alloc_free(t->part[k]);
    }
    for (int k = 0; k < TROP_OPTIMIZER_STATES; k++) {
        trop_alloc_free(t->state[k]);
    }
    TROP_FREE(t->values, t->start, t->best, t->scratch, t->shrunk);
}

/* Half the squared norm maps every entry by a norm of all. */
static int by_rows(const struct trop_fit_tensor *t)
{
    return t->some && !t->optimizer->whole;
}

enum trop_status trop_fit_tensor_open(struct trop_fit_tensor *t, int64_t most, double decay)
{
    const int64_t size = trop_alloc_product(t->rows, t->columns);
    const int64_t rows = by_rows(t) ? (most < t->rows ? most : t->rows) : 0;
    const int64_t states = t->trained ? t->optimizer->states : 0;
    int whole =
        TROP_ALLOC(TROP_PART(t->values, size), TROP_PART(t->start, size), TROP_PART(t->best, size));

    t->most = rows;
    /* A dual variable is homogeneous in the weights of mirror and nmirror: u^(1/(p-1)). */
    t->power = t->optimizer->dual ? t->settings.powers[1].value : 1;
    for (int64_t k = 0; whole && k < states; k++) {
        t->state[k] = trop_alloc(size, sizeof(double));
        whole = t->state[k] != NULL;
    }
    for (int64_t k = 0; whole && t->trained && k < 2 + states; k++) {
        const int64_t count = by_rows(t) ? rows * t->columns : t->some && k == 1 ? size : 0;
        t->part[k] = trop_alloc(count, sizeof(double));
        whole = t->part[k] != NULL;
    }
    if (whole && t->trained && t->optimizer->room) {
        t->scratch =
            trop_alloc(t->optimizer->room(by_rows(t) ? rows : t->rows, t->columns), sizeof(double));
        whole = t->scratch != NULL;
    }
    if (whole && decay > 0 && t->trained) {
        t->shrunk = trop_alloc(t->rows, sizeof(double));
        whole = t->shrunk != NULL;
    }
    return whole ? TROP_OK
                 : trop_fail(TROP_ERR_MEMORY, "no memory for %s, %lld by %lld numbers", t->name,
                             (long long)t->rows, (long long)t->columns);
}

void trop_fit_tensor_begin(struct trop_fit_tensor *t)
{
    struct trop_tensor weight = { t->name, t->rows, t->columns, t->values, 0 };
    struct trop_optimizer_step step = { .settings = &t->settings, .weight = &weight };
    const size_t bytes = (size_t)(t->rows * t->columns) * sizeof(double);

    memcpy(t->start, t->values, bytes);
    memcpy(t->best, t->values, bytes);
    memset(t->number, 0, sizeof t->number);
    t->log_shrunk = 0;
    if (t->shrunk) {
        memset(t->shrunk, 0, (size_t)t->rows * sizeof *t->shrunk);
    }
    for (int64_t k = 0; t->trained && k < t->optimizer->states; k++) {
        memset(t->state[k], 0, bytes);
        step.state[k] = t->state[k];
    }
    if (t->trained && t->optimizer->start) {
        t->optimizer->start(&step);
        memcpy(t->number, step.number, sizeof t->number);
    }
}

/* ---- decay ----------------------------------------------------------------------------------- */

static void shrink(struct trop_fit_tensor *t, int64_t row)
{
    const double missed = t->log_shrunk - t->shrunk[row];
    const double factor = trop_exp(missed), of_weights = trop_exp(missed * t->power);

    if (missed == 0) {
        return;
    }
    for (int64_t c = 0; c < t->columns; c++) {
        t->values[row * t->columns + c] *= of_weights;
    }
    for (int64_t c = 0; t->optimizer->dual && c < t->columns; c++) {
        t->state[0][row * t->columns + c] *= factor;
    }
    t->shrunk[row] = t->log_shrunk;
}

void trop_fit_tensor_fresh(struct trop_fit_tensor *t, const struct trop_fit_rows *rows)
{
    if (!t->shrunk) {
        return;
    }
    for (int64_t k = 0; k < (rows ? rows->count : t->rows); k++) {
        shrink(t, rows ? rows->row[k] : k);
    }
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Rows of from to consecutive ones, or back. */
static void carry(double *part, double *whole, const struct trop_fit_rows *rows, int64_t columns,
                  int back)
{
    const size_t bytes = (size_t)columns * sizeof *part;

    for (int64_t k = 0; k < rows->count; k++) {
        double *small = part + k * columns, *large = whole + rows->row[k] * columns;
        memcpy(back ? large : small, back ? small : large, bytes);
    }
}

static enum trop_status step_of(struct trop_fit_tensor *t, struct trop_tensor *weight,
                                double *gradient, double *const *state,
                                const struct trop_fit_move *move)
{
    struct trop_tensor slope = { t->name, weight->rows, weight->columns, gradient, 0 };
    struct trop_optimizer_step step = {
        .settings = &t->settings,
        .weight = weight,
        .gradient = &slope,
        .scratch = t->scratch,
        .k = move->k,
        .eta = move->eta * t->eta,
        .log_gap = move->log_gap,
    };

    for (int64_t k = 0; k < t->optimizer->states; k++) {
        step.state[k] = state[k];
    }
    memcpy(step.number, t->number, sizeof step.number);
    enum trop_status status = t->optimizer->step(&step);
    memcpy(t->number, step.number, sizeof step.number);
    const int64_t size = weight->rows * weight->columns;
    if (status == TROP_OK && (weight->log_scale != 0 ||
                              !trop_kernel_choose(0)->gradient->finite(weight->values, size))) {
        status = trop_fail(TROP_ERR_NUMERIC,
                           "%s left the range of double at step %lld: take a smaller eta", t->name,
                           (long long)move->k);
    }
    return status;
}

/* The gradient of some rows as that of all, for a map that moves all. */
static double *whole_gradient(struct trop_fit_tensor *t, double *gradient,
                              const struct trop_fit_rows *rows)
{
    if (!t->some) {
        return gradient;
    }
    memset(t->part[1], 0, (size_t)(t->rows * t->columns) * sizeof(double));
    carry(gradient, t->part[1], rows, t->columns, 1);
    return t->part[1];
}

/* States of some rows in units of their own would not fit to those of the others. */
static void settle(struct trop_fit_tensor *t, int64_t rows)
{
    for (int64_t k = 0; k < t->optimizer->scaled; k++) {
        const double factor = trop_exp(t->number[k]);
        for (int64_t e = 0; factor != 1 && factor > 0 && e < rows * t->columns; e++) {
            t->part[2 + k][e] *= factor;
        }
        t->number[k] = factor > 0 ? 0 : t->number[k]; /* -infinity: it has not begun */
    }
}

enum trop_status trop_fit_tensor_move(struct trop_fit_tensor *t, double *gradient, double *near,
                                      const struct trop_fit_rows *rows,
                                      const struct trop_fit_move *move)
{
    if (t->shrunk) {
        t->log_shrunk += trop_log1p(-move->eta * t->eta * move->decay);
        trop_fit_tensor_fresh(t, t->some ? rows : NULL);
    }
    if (!by_rows(t)) {
        struct trop_tensor weight = { t->name, t->rows, t->columns, t->values, 0 };
        return step_of(t, &weight, whole_gradient(t, gradient, rows), t->state, move);
    }
    struct trop_tensor weight = { t->name, rows->count, t->columns, near ? near : t->part[0], 0 };
    if (!near) {
        carry(t->part[0], t->values, rows, t->columns, 0);
    }
    for (int64_t k = 0; k < t->optimizer->states; k++) {
        carry(t->part[2 + k], t->state[k], rows, t->columns, 0);
    }
    enum trop_status status = step_of(t, &weight, gradient, t->part + 2, move);
    settle(t, rows->count);
    carry(weight.values, t->values, rows, t->columns, 1);
    for (int64_t k = 0; k < t->optimizer->states; k++) {
        carry(t->part[2 + k], t->state[k], rows, t->columns, 1);
    }
    return status;
}
