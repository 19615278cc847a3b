/* norm.c -- the table of the norms, and the one norm of vectors that all of them are made of. */
#include "margin/norm.h"

#include "base/linalg.h"

#include <math.h>
#include <string.h>

#define ENTRY(NAME, name, margin) [TROP_MARGIN_##NAME] = &trop_norm_##name
static const struct trop_norm *const norms[] = { TROP_NORM_LIST(ENTRY) };

#define NAMED(NAME, name, margin) [TROP_MARGIN_##NAME] = #name
const char *const trop_norm_names[] = { TROP_NORM_LIST(NAMED), [TROP_NORM_COUNT] = NULL };

const struct trop_norm *trop_norm_of(int64_t norm)
{
    return norms[norm];
}

int64_t trop_norm_id(const struct trop_norm *norm)
{
    int64_t id = 0;

    while (norms[id] != norm) {
        id++;
    }
    return id;
}

/* Numbers whose powers are taken at a time. */
#define CHUNK 64

/* Of the largest taken out: no power overflows, and what underflows is nothing beside 1. */
static double power_length(const double *x, const double *more, int64_t n, double e, double most)
{
    const struct trop_kernel_linear *linear = trop_kernel_choose(0)->linear;
    double sum = 0, share[CHUNK];

    for (int64_t from = 0; most > 0 && from < n; from += CHUNK) {
        const int64_t some = n - from < CHUNK ? n - from : CHUNK;
        for (int64_t k = 0; k < some; k++) {
            share[k] = fabs(x[from + k] + (more ? more[from + k] : 0.0)) / most;
        }
        linear->powers(share, share, e, some);
        for (int64_t k = 0; k < some; k++) {
            sum += share[k];
        }
    }
    linear->powers(&sum, &sum, 1.0 / e, 1);
    return most * sum;
}

double trop_norm_length(const double *x, const double *more, int64_t n, double e)
{
    if (e == 2 && !more) {
        return trop_linalg_norm(x, n);
    }
    double most = 0, sum = 0;
    for (int64_t k = 0; k < n && e == 1; k++) {
        sum += fabs(more ? x[k] + more[k] : x[k]);
    }
    for (int64_t k = 0; k < n && e != 1; k++) {
        const double size = fabs(more ? x[k] + more[k] : x[k]);
        most = size > most ? size : most;
    }
    return e == 1 ? sum : isinf(e) ? most : power_length(x, more, n, e, most);
}

void trop_norm_fallback(struct trop_norm_answer *out, const struct trop_norm_task *task,
                        int64_t end)
{
    const struct trop_problem *problem = task->problem;

    memcpy(out->w, task->w, (size_t)(problem->rows * problem->columns) * sizeof *out->w);
    memcpy(out->lambda, task->lambda, (size_t)problem->count * sizeof *out->lambda);
    out->rank = 0;
    out->end = end;
}
