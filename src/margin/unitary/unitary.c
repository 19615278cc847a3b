/* unitary.c -- beginning and end of the solves in unitarily invariant norms. */
#include "margin/unitary/unitary.h"

#include "base/alloc.h"
#include "base/linalg.h"
#include "base/status.h"
#include "margin/dense.h"
#include "margin/unitary/frame.h"

#include <math.h>
#include <string.h>

void trop_unitary_close(struct trop_unitary *unitary)
{
    trop_reduce_free(unitary->reduce);
    TROP_FREE(unitary->memory, unitary->side);
}

/* ---- the beginning -------------------------------------------------------------------------- */

static enum trop_status take_memory(struct trop_unitary *unitary,
                                    const struct trop_problem *problem)
{
    const int64_t h = unitary->height, w = unitary->width, count = unitary->reduce->count;
    const int64_t r = h < w ? h : w, size = h * w;
    const int64_t total = 3 * size + 4 * count + r * (h + w + 1) + h * problem->columns;

    if (!TROP_ALLOC(TROP_PART(unitary->side, count), TROP_PART(unitary->memory, total))) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a W of %lld x %lld", (long long)h,
                         (long long)w);
    }
    unitary->start = unitary->memory;
    unitary->v = unitary->start + size;
    unitary->block = unitary->v + size;
    unitary->lambda = unitary->block + size;
    unitary->values = unitary->lambda + count;
    unitary->multipliers = unitary->values + count;
    unitary->first = unitary->multipliers + count;
    unitary->u = unitary->first + count;
    unitary->s = unitary->u + h * r;
    unitary->vt = unitary->s + r;
    unitary->work = unitary->vt + r * w;
    return TROP_OK;
}

/* The l2 pair in reduced coordinates, and the scale of the problem from its norm. */
static double enter(struct trop_unitary *unitary, const struct trop_norm_task *task)
{
    const struct trop_reduce *reduce = unitary->reduce;

    for (int64_t k = 0; k < reduce->count; k++) {
        unitary->first[k] = task->lambda[reduce->which[k]] * reduce->size[k];
    }
    trop_reduce_enter(unitary->start, reduce, task->w, unitary->work);
    const double norm = trop_unitary_norm(unitary, unitary->start, unitary->is_nuclear);
    for (int64_t k = 0; norm > 0 && k < unitary->height * unitary->width; k++) {
        unitary->start[k] /= norm;
    }
    return norm;
}

/* The order of the system of an iteration: multipliers of the nuclear norm, (t, V) of the
 * spectral one. */
static int64_t order_of(const struct trop_unitary *unitary)
{
    const int64_t size = trop_alloc_product(unitary->height, unitary->width);

    return unitary->is_nuclear ? unitary->reduce->count : size + 1;
}

enum trop_status trop_unitary_open(struct trop_unitary *unitary, int *what,
                                   struct trop_norm_answer *answer,
                                   const struct trop_norm_task *task, int is_nuclear)
{
    *unitary = (struct trop_unitary){ .is_nuclear = is_nuclear, .gap = INFINITY };
    *what = TROP_UNITARY_NOTHING;
    answer->rank = answer->iterations = 0;
    if (is_nuclear && task->problem->count > TROP_UNITARY_MOST) {
        trop_norm_fallback(answer, task, TROP_NORM_LARGE);
        return TROP_OK;
    }
    enum trop_status status = trop_reduce_create(&unitary->reduce, task->rows);
    if (status != TROP_OK) {
        return status;
    }
    struct trop_reduce *reduce = unitary->reduce;
    unitary->height = reduce->height;
    unitary->width = reduce->width;
    if (reduce->empty >= 0) { /* 0 >= 1 */
        trop_norm_fallback(answer, task, TROP_NORM_INFEASIBLE);
        memset(answer->lambda, 0, (size_t)task->problem->count * sizeof *answer->lambda);
        answer->lambda[reduce->empty] = copysign(1.0, task->problem->right[reduce->empty]);
        return TROP_OK;
    }
    if (reduce->count == 0) {
        trop_norm_fallback(answer, task, TROP_NORM_DONE);
        return TROP_OK;
    }
    status = take_memory(unitary, task->problem);
    if (status != TROP_OK) {
        return status;
    }
    for (int64_t k = 0; k < reduce->count; k++) {
        if (!reduce->equal[k]) {
            unitary->side[unitary->sides++] = k;
        }
    }
    const double norm = enter(unitary, task);
    if (!(norm > 0) || !(norm < INFINITY) || order_of(unitary) > TROP_UNITARY_MOST) {
        /* W = 0 solves what it satisfies; a problem too large keeps the bounds of l2. */
        trop_norm_fallback(answer, task,
                           norm == 0                               ? TROP_NORM_DONE
                           : order_of(unitary) > TROP_UNITARY_MOST ? TROP_NORM_LARGE
                                                                   : TROP_NORM_LIMIT);
        return TROP_OK;
    }
    trop_reduce_scale(reduce, norm);
    *what = TROP_UNITARY_SOLVE;
    if (unitary->height == 1 || unitary->width == 1) {
        trop_unitary_look(unitary, unitary->start, unitary->first);
        *what = TROP_UNITARY_KNOWN;
    }
    return TROP_OK;
}

/* ---- norms and gaps ------------------------------------------------------------------------- */

double trop_unitary_norm(struct trop_unitary *unitary, const double *a, int sum)
{
    const int64_t h = unitary->height, w = unitary->width;
    const int64_t r = h < w ? h : w;
    double total = 0;

    if (a != unitary->block) {
        memcpy(unitary->block, a, (size_t)(h * w) * sizeof *unitary->block);
    }
    if (!trop_dense_svd(unitary->u, unitary->s, unitary->vt, unitary->block, h, w)) {
        return NAN;
    }
    for (int64_t k = 0; k < (sum ? r : 1); k++) {
        total += unitary->s[k];
    }
    return total;
}

double trop_unitary_look(struct trop_unitary *unitary, const double *v, const double *lambda)
{
    struct trop_reduce *reduce = unitary->reduce;
    double charge = 0, dual = 0;

    trop_reduce_combine(unitary->block, reduce, lambda);
    const double size = trop_unitary_norm(unitary, unitary->block, !unitary->is_nuclear);
    trop_reduce_values(unitary->values, reduce, v);
    for (int64_t k = 0; k < reduce->count; k++) {
        const double miss = reduce->bound[k] - unitary->values[k];
        charge += fabs(lambda[k]) * (reduce->equal[k] ? fabs(miss) : fmax(miss, 0.0));
        dual += lambda[k] * reduce->bound[k];
    }
    const double norm = trop_unitary_norm(unitary, v, unitary->is_nuclear);
    const double gap = (norm * size + 2 * charge) / dual - 1.0;
    if (!(dual > 0) || !(gap < unitary->gap)) {
        return dual > 0 && gap == gap ? gap : INFINITY;
    }
    unitary->gap = gap;
    unitary->lower = dual / size;
    memcpy(unitary->v, v, (size_t)(unitary->height * unitary->width) * sizeof *v);
    for (int64_t k = 0; k < reduce->count; k++) {
        unitary->lambda[k] = lambda[k] / size;
    }
    return gap;
}

void trop_unitary_multipliers(double *lambda, const struct trop_unitary *unitary)
{
    const struct trop_reduce *reduce = unitary->reduce;

    memset(lambda, 0, (size_t)reduce->rows->problem->count * sizeof *lambda);
    for (int64_t k = 0; k < reduce->count; k++) {
        const double value = unitary->lambda[k] / reduce->size[k];
        lambda[reduce->which[k]] = reduce->equal[k] ? value : fmax(value, 0.0);
    }
}

/* ---- the interior-point method -------------------------------------------------------------- */

enum trop_status trop_unitary_solve(struct trop_norm_answer *answer,
                                    const struct trop_norm_task *task,
                                    const struct trop_lmi_form *form, struct trop_lmi_point *start)
{
    struct trop_lmi_report report;
    double *work = trop_alloc(trop_lmi_work(form), sizeof *work);

    if (!work) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a system of order %lld",
                         (long long)form->count);
    }
    /* A thousandth of what is asked for costs two or three iterations more, and leaves
     * room for the repair and for the rank. */
    trop_lmi_solve(&report, form, start, fmin(1e-3 * task->tolerance, 1e-11),
                   task->iterations - answer->iterations, task->progress, task->context, work);
    trop_alloc_free(work);
    answer->iterations += report.iterations;
    answer->end = report.gap <= task->tolerance ? TROP_NORM_DONE : report.end;
    return TROP_OK;
}

enum trop_status trop_unitary_run(struct trop_norm_answer *answer,
                                  const struct trop_norm_task *task, int is_nuclear,
                                  trop_unitary_interior *interior, trop_unitary_finish *finish)
{
    struct trop_unitary unitary = { 0 };
    struct trop_frame *frame = NULL;
    int what;
    enum trop_status status = trop_unitary_open(&unitary, &what, answer, task, is_nuclear);

    if (status == TROP_OK && what == TROP_UNITARY_SOLVE) {
        status = interior(answer, &unitary, task, NULL);
        /* The method ended by itself, but not with the room below the tolerance that the repair
         * needs. */
        if (status == TROP_OK && answer->end != TROP_NORM_LIMIT &&
            !(unitary.gap <= 0.1 * task->tolerance)) {
            status = trop_frame_create(&frame, &unitary);
        }
        if (status == TROP_OK && frame) {
            status = interior(answer, &unitary, task, frame);
        }
        trop_frame_free(frame);
    }
    answer->end = status == TROP_OK && what == TROP_UNITARY_KNOWN ? TROP_NORM_DONE : answer->end;
    if (status == TROP_OK && what != TROP_UNITARY_NOTHING) {
        status = finish(answer, &unitary, task);
    }
    trop_unitary_close(&unitary);
    return status;
}

void trop_unitary_assemble(double *out, const struct trop_unitary *unitary, double diagonal,
                           const double *v, double off)
{
    const int64_t h = unitary->height, w = unitary->width, n = h + w;

    memset(out, 0, (size_t)(n * n) * sizeof *out);
    for (int64_t i = 0; i < n; i++) {
        out[i * n + i] = diagonal;
    }
    for (int64_t a = 0; a < h; a++) {
        for (int64_t b = 0; b < w; b++) {
            out[a * n + h + b] = out[(h + b) * n + a] = off * v[a * w + b];
        }
    }
}

void trop_unitary_operator(double *out, const struct trop_unitary *unitary, const double *x,
                           const double *y, int64_t k)
{
    const int64_t h = unitary->height, w = unitary->width, n = h + w, a = k / w, b = k % w;

    for (int64_t c = 0; c < h; c++) {
        const double xbc = x[(h + b) * n + c], yca = y[c * n + a];
        const double xac = x[a * n + c], ycb = y[c * n + h + b];
        for (int64_t d = 0; d < w; d++) {
            const double first = xbc * y[a * n + h + d] + x[(h + b) * n + h + d] * yca;
            const double second = xac * y[(h + b) * n + h + d] + x[a * n + h + d] * ycb;
            out[c * w + d] = first + second;
        }
    }
}

void trop_unitary_corner(double *v, const struct trop_unitary *unitary, const double *x)
{
    const int64_t h = unitary->height, w = unitary->width, n = h + w;

    for (int64_t a = 0; a < h; a++) {
        memcpy(v + a * w, x + a * n + h, (size_t)w * sizeof *v);
    }
}
