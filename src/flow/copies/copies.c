/* copies.c -- many copies of one small flow: made, run in blocks, kept.
 *
 * Copy k is the flow with the same options, the seed of place k and, where they are given, its own
 * tokens and its own beta: bit for bit what trop_flow computes for it alone. The lanes of a
 * register hold copies (copies_group.c, copies_field.c); what they do not know runs as flows, one
 * copy after the other, by the same workers.
 *
 * Copies are done in blocks, in order. A run that is stopped keeps the blocks that are done, and
 * goes on with the next one when it is called again.
 */
#include "flow/copies/copies.h"

#include "attend/exact.h"
#include "base/alloc.h"
#include "base/field.h"
#include "base/parallel.h"
#include "base/schedule.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BLOCK_COST 0x1p29 /* products of a block, for each worker: a quarter of a second */
#define COUNTED (INT64_C(1) << 53)

/* ---- making ---------------------------------------------------------------------------------- */

void trop_copies_free(struct trop_copies *c)
{
    if (!c) {
        return;
    }
    for (int64_t w = 0; c->crew && w < c->workers; w++) {
        trop_copies_worker_free(c->crew + w);
    }
    trop_flow_free(c->model);
    for (int a = 0; a < TROP_COPIES_AXES; a++) {
        trop_alloc_free(c->axis[a]);
    }
    TROP_FREE(c->crew, c->given, c->seed, c->final, c->steps, c->clusters, c->converged, c->aligned,
              c->residual, c->diameter, c->fraction, c->betas, c->histogram, c->means, c);
}

enum trop_status trop_copies_check_device(const struct trop_flow_options *o)
{
    return o->device == TROP_DEVICE_CPU
               ? TROP_OK
               : trop_fail(TROP_ERR_ARG,
                           "device = %s: has single flows; copies are for device = cpu",
                           trop_device_name[o->device]);
}

static enum trop_status check(const struct trop_copies_options *o)
{
    enum trop_status status = trop_option_check(o, trop_copies_option_table());

    if (status != TROP_OK) {
        return status;
    }
    status = trop_copies_axes_check(o);
    if (status != TROP_OK) {
        return status;
    }
    if (!(o->flow.steps.value <= COUNTED)) {
        return trop_fail(TROP_ERR_ARG, "steps = 10^%g: copies count theirs, up to 2^53",
                         o->flow.steps.log10);
    }
    return o->visitor ? TROP_OK : trop_copies_check_device(&o->flow);
}

static enum trop_status check_tokens(const struct trop_copies_options *o, int64_t points)
{
    int64_t size = trop_alloc_product(o->flow.cloud.n, o->flow.cloud.d);
    int64_t all = trop_alloc_product(size, o->copies);

    if (all < 0 || trop_alloc_product(all, 8 * points) < 0) {
        return trop_fail(TROP_ERR_ARG, "copies = %lld: as many times n d is too large",
                         (long long)o->copies);
    }
    for (int64_t k = 0; o->tokens && k < all; k++) {
        if (!isfinite(o->tokens[k])) {
            return trop_fail(TROP_ERR_ARG,
                             "tokens: copy %lld, row %lld, column %lld (from 0) is %g, must be "
                             "finite",
                             (long long)(k / size), (long long)(k % size / o->flow.cloud.d),
                             (long long)(k % size % o->flow.cloud.d), o->tokens[k]);
        }
    }
    return TROP_OK;
}

static int allocate(struct trop_copies *c, const struct trop_copies_options *o)
{
    int64_t count = c->copies, all = trop_alloc_product(count, c->n * c->d);
    const int varies = o->beta || o->epsilon || o->alpha || o->gamma || o->betas || o->epsilons ||
                       o->alphas || o->gammas;

    c->bins = 1;
    return TROP_ALLOC(TROP_PART(c->steps, count), TROP_PART(c->clusters, count),
                      TROP_PART(c->converged, count), TROP_PART(c->aligned, count),
                      TROP_PART(c->residual, count), TROP_PART(c->diameter, count),
                      TROP_PART(c->fraction, count), TROP_PART(c->betas, count),
                      TROP_PART(c->means, varies ? count : 1), TROP_PART(c->histogram, c->n + 1),
                      TROP_PART(c->crew, c->workers)) &&
           (!o->keep || TROP_ALLOC(TROP_PART(c->final, all)));
}

/* Tokens and numbers of the copies: the caller's arrays are copied, lists are read. */
static int adopt(struct trop_copies *c, const struct trop_copies_options *o)
{
    int64_t size = c->n * c->d;

    c->pace = o->tokens ? size : 0;
    return (o->tokens ? trop_flow_copy(&c->given, o->tokens, c->cycle * size)
                      : trop_flow_copy(&c->given, o->flow.cloud.tokens, size)) &&
           trop_copies_axes_adopt(c, o);
}

static int is_constant(const struct trop_schedule *schedule)
{
    return schedule->kind == TROP_SCHEDULE_CONSTANT || schedule->kind == TROP_SCHEDULE_UNSET;
}

/* The first copy that can be made: with a visitor others may fail without harm to the rest. */
static enum trop_status make_model(struct trop_copies *c, const struct trop_copies_options *o)
{
    enum trop_status status = TROP_ERR_ARG;

    for (int64_t k = 0; k < c->copies && status == TROP_ERR_ARG && !c->model; k++) {
        struct trop_flow_options one = trop_copies_options_of(c, k);
        status = trop_flow_create(&c->model, &one);
        if (status != TROP_OK && !o->visitor) {
            return status;
        }
        c->first = k;
    }
    return status;
}

/* What all copies have in common is read off the model. */
static void learn(struct trop_copies *c)
{
    const struct trop_flow *f = c->model;
    int sets = f->dynamics->closed_form && trop_flow_has_sets(f);
    int averages = trop_flow_averages(f);

    const uint64_t seed = c->options.cloud.seed;
    c->options = f->options; /* its arrays are our own now */
    c->options.cloud.seed = seed;
    trop_copies_judge_lanes(c);
    c->in_lanes = !c->alone[0];
    c->varies = !(is_constant(&f->options.beta) && is_constant(&f->options.epsilon) &&
                  is_constant(&f->gamma));
    /* The residual is all that softmax is judged by, beside the tokens. */
    c->measured = f->rule->exponential && !c->varies && !(c->visitor.end && c->attends);
    c->suited = sets && averages && f->options.closed_form == TROP_CLOSED_FORM_AUTO;
    c->looks =
        f->options.until == TROP_UNTIL_CONVERGED || c->suited || (c->visitor.end && c->shows_ends);
}

static enum trop_status build(struct trop_copies *c, const struct trop_copies_options *o,
                              int64_t points)
{
    c->options = o->flow;
    c->align = o->align;
    c->cycle = o->copies;
    c->copies = o->copies * points;
    c->n = o->flow.cloud.n;
    c->d = o->flow.cloud.d;
    c->workers = trop_flow_workers(o->flow.threads);
    c->workers = c->workers < c->copies ? c->workers : c->copies;
    atomic_init(&c->stop, 0);
    if (!allocate(c, o) || !adopt(c, o)) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld copies", (long long)c->copies);
    }
    enum trop_status status = trop_copies_visit_read(c, o->visitor);
    if (status == TROP_OK && !o->visitor) {
        status = trop_copies_axes_fit(c, o);
    }
    if (status == TROP_OK) {
        status = make_model(c, o);
    }
    if (status != TROP_OK) {
        return status;
    }
    learn(c);
    for (int64_t w = 0; w < c->workers && status == TROP_OK; w++) {
        status = trop_copies_worker_create(c->crew + w, c);
    }
    return status;
}

enum trop_status trop_copies_create(struct trop_copies **out,
                                    const struct trop_copies_options *options)
{
    int64_t points = 1;
    enum trop_status status = check(options);

    if (status == TROP_OK) {
        status = trop_flow_check(&options->flow);
    }
    if (status == TROP_OK) {
        status = trop_copies_axes_count(&points, options);
    }
    if (status == TROP_OK) {
        status = check_tokens(options, points);
    }
    if (status != TROP_OK) {
        return status;
    }
    struct trop_copies *c = trop_alloc(1, sizeof *c);
    if (!c) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for copies");
    }
    status = build(c, options, points);
    if (status != TROP_OK) {
        trop_copies_free(c);
        return status;
    }
    *out = c;
    return TROP_OK;
}

/* ---- what is kept of a copy ------------------------------------------------------------------ */

/* 1 when <a, b> > align for the real numbers. Products and sums are off by at most d u sum
 * |a_c b_c|, for which (d + 2) 2^-52 of it is ample; closer than that it is added up without
 * error. */
static int is_aligned(const double *a, const double *b, int64_t d, double align)
{
    double value = 0, size = 0;
    struct trop_exact sum;

    for (int64_t c = 0; c < d; c++) {
        double product = a[c] * b[c];
        value += product;
        size += fabs(product);
    }
    if (fabs(value - align) > (double)(d + 2) * 0x1p-52 * (size + fabs(align)) + 0x1p-1000) {
        return value > align;
    }
    trop_exact_clear(&sum);
    for (int64_t c = 0; c < d; c++) {
        trop_exact_add(&sum, a[c], b[c], 1.0);
    }
    trop_exact_subtract(&sum, align, 1.0, 1.0);
    return trop_exact_sign(&sum) > 0;
}

void trop_copies_keep(struct trop_copies *c, int64_t k, const struct trop_flow *flow)
{
    double pairs = 0.5 * (double)c->n * (double)(c->n - 1);

    c->steps[k] = flow->state.step;
    c->clusters[k] = flow->seen.clusters;
    c->converged[k] = flow->verdict.converged;
    c->residual[k] = flow->seen.residual;
    c->diameter[k] = flow->seen.diameter;
    c->betas[k] = flow->options.beta.a;
    c->aligned[k] = 0;
    for (int64_t i = 0; flow->dynamics->sphere && i < c->n; i++) {
        for (int64_t j = 0; j < i; j++) {
            c->aligned[k] +=
                is_aligned(flow->seen.full + i * c->d, flow->seen.full + j * c->d, c->d, c->align);
        }
    }
    c->fraction[k] = pairs > 0 ? (double)c->aligned[k] / pairs : 1;
    if (c->final) {
        memcpy(c->final + k * c->n * c->d, flow->seen.full,
               (size_t)(c->n * c->d) * sizeof *c->final);
    }
}

void trop_copies_lose(struct trop_copies *c, int64_t k)
{
    c->steps[k] = c->clusters[k] = c->converged[k] = c->aligned[k] = 0;
    c->residual[k] = c->diameter[k] = c->fraction[k] = NAN;
    c->betas[k] = trop_copies_options_of(c, k).beta.a;
    for (int64_t m = 0; c->final && m < c->n * c->d; m++) {
        c->final[k * c->n * c->d + m] = NAN;
    }
}

/* ---- running --------------------------------------------------------------------------------- */

int trop_copies_stopped(struct trop_copies *c, int64_t worker)
{
    /* The first worker is the thread that called. */
    if (worker == 0 && c->progress && !atomic_load(&c->stop) &&
        c->progress(c->context, c->done, c->copies)) {
        atomic_store(&c->stop, 1);
    }
    return atomic_load(&c->stop);
}

static void work(void *context, int64_t first, int64_t last, int64_t worker)
{
    struct trop_copies *c = context;

    trop_copies_work(c->crew + worker, c->done + first, c->done + last);
}

/* Copies of a block: whole groups for every worker, about a second's work. */
static int64_t block_of(const struct trop_copies *c)
{
    const struct trop_flow_options *o = &c->options;
    double steps = (double)o->steps.value, left = (double)(c->copies - c->done);
    double pairs = (double)c->n * (double)c->n * (double)(c->d + 8);

    steps = c->model->dynamics->continuous ? fmin(steps, o->time / o->dt) : steps;
    double groups = fmax(1, floor(BLOCK_COST / (pairs * fmax(steps, 1) * TROP_LANES)));
    double block = groups * TROP_LANES * (double)c->workers;
    return (int64_t)fmin(block, left);
}

enum trop_status trop_copies_run(struct trop_copies *c, trop_progress *progress, void *context)
{
    enum trop_status status = TROP_OK;

    c->progress = progress;
    c->context = context;
    atomic_store(&c->stop, 0);
    while (c->done < c->copies && status == TROP_OK) {
        int64_t block = block_of(c);
        trop_parallel(c->workers, block, work, c);
        for (int64_t w = 0; w < c->workers && status == TROP_OK; w++) {
            status = c->crew[w].status;
            c->crew[w].status = TROP_OK;
            if (status != TROP_OK) {
                trop_fail(status, "%s", c->crew[w].sentence);
            }
        }
        if (status == TROP_OK && atomic_load(&c->stop)) {
            status = trop_fail(TROP_ERR_STOPPED, "stopped after %lld of %lld copies",
                               (long long)c->done, (long long)c->copies);
        }
        c->done += status == TROP_OK ? block : 0;
    }
    trop_copies_sum_up(c);
    return status;
}

const double *trop_copies_tokens(const struct trop_copies *copies)
{
    return copies->final;
}

int64_t trop_copies_done(const struct trop_copies *copies)
{
    return copies->done;
}

enum trop_status trop_copies_number(double *out, const struct trop_copies *copies, const char *name)
{
    return trop_field_as_number(out, trop_copies_field_table(), copies, name);
}
