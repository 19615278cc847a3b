/* flow.c -- the life of a token flow: made, stepped, run, freed.
 *
 * A step is look, then move: looking evaluates attention at the present state, once,
 * for the record, for the stopping rule and for the move itself.
 */
#include "flow/flow.h"

#include "base/alloc.h"
#include "base/linalg.h"
#include "base/option.h"
#include "base/schedule.h"
#include "base/status.h"

#include "shape/cloud.h"
#include "shape/cloud_options.h"

#include <math.h>
#include <string.h>

#define MOVES 256         /* with leaps, between two looks at the clock */
#define CROWD 16          /* workers that are granted on any machine */
#define DEVICE_PAUSE 4e12 /* TROP_FLOW_PAUSE of a device, whose tokens come back after each */

void trop_flow_free(struct trop_flow *flow)
{
    if (!flow) {
        return;
    }
    struct trop_flow_state *s = &flow->state;
    struct trop_flow_seen *seen = &flow->seen;
    struct trop_flow_verdict *v = &flow->verdict;
    struct trop_flow_engines *e = &flow->engines;

    for (int k = 0; k < TROP_FLOW_OWNED; k++) {
        trop_alloc_free(flow->owned[k]);
    }
    TROP_FREE(flow->initial, flow->step_map);
    TROP_FREE(s->x, s->mass, s->owner, s->head, s->crowd, s->led, s->target, s->follows, s->size,
              s->limits, s->base);
    TROP_FREE(seen->displacement, seen->notes, seen->full, seen->hull_list);
    TROP_FREE(v->labels, v->leader_list, v->members, v->member_of, v->centres, v->cluster_mass,
              v->cluster_moved, v->cluster_from, v->cluster_vertex, v->class_members, v->class_of,
              v->class_mass, v->class_centres);
    TROP_FREE(e->bounds, e->picks, e->uniform, e->order, e->parent, e->far);
    trop_attend_free(e->attend);
    trop_ode_free(e->ode);
    trop_quiescence_free(e->quiescence);
    trop_flow_observe_free(flow);
    trop_flow_method_free(flow);
    trop_flow_leap_free(flow);
    trop_graph_free(e->graph);
    trop_alloc_free(flow);
}

/* ---- making ---------------------------------------------------------------------------- */

int trop_flow_copy(double **out, const double *from, int64_t count)
{
    if (!from) {
        return 1;
    }
    *out = trop_alloc(count, sizeof **out);
    if (*out) {
        memcpy(*out, from, (size_t)count * sizeof **out);
    }
    return *out != NULL;
}

static int allocate(struct trop_flow *f)
{
    int64_t n = f->n, size = n * f->d;
    struct trop_flow_state *s = &f->state;
    struct trop_flow_seen *seen = &f->seen;
    struct trop_flow_verdict *v = &f->verdict;
    struct trop_flow_engines *e = &f->engines;

    return TROP_ALLOC(TROP_PART(f->initial, size), TROP_PART(s->x, size), TROP_PART(s->mass, n),
                      TROP_PART(s->owner, n), TROP_PART(s->head, n), TROP_PART(s->crowd, n),
                      TROP_PART(s->led, n), TROP_PART(s->target, n), TROP_PART(s->follows, n),
                      TROP_PART(s->size, n), TROP_PART(s->limits, size),
                      TROP_PART(s->base, size)) &&
           TROP_ALLOC(TROP_PART(seen->displacement, size), TROP_PART(seen->notes, n),
                      TROP_PART(seen->full, size), TROP_PART(seen->hull_list, n)) &&
           TROP_ALLOC(TROP_PART(v->labels, n), TROP_PART(v->leader_list, n),
                      TROP_PART(v->members, n), TROP_PART(v->member_of, n + 1),
                      TROP_PART(v->centres, size), TROP_PART(v->cluster_mass, n),
                      TROP_PART(v->cluster_moved, n), TROP_PART(v->cluster_from, n),
                      TROP_PART(v->cluster_vertex, n), TROP_PART(v->class_members, n),
                      TROP_PART(v->class_of, n + 1), TROP_PART(v->class_mass, n),
                      TROP_PART(v->class_centres, size)) &&
           TROP_ALLOC(TROP_PART(e->bounds, n), TROP_PART(e->picks, n), TROP_PART(e->uniform, n),
                      TROP_PART(e->order, n), TROP_PART(e->parent, n), TROP_PART(e->far, n + f->d));
}

/* Everything the options point to becomes the flow's own. */
static int adopt(struct trop_flow *f)
{
    struct trop_flow_options *o = &f->options;
    const double **places[] = { &o->cloud.masses, &o->cloud.key_query.values, &o->value.values,
                                &o->beta.values,  &o->epsilon.values,         &o->gamma.values };
    int64_t square = f->d * f->d;
    int64_t counts[] = { f->n, square, square, o->beta.count, o->epsilon.count, o->gamma.count };
    int fine = 1;

    for (int k = 0; k < TROP_FLOW_OWNED && fine; k++) {
        fine = trop_flow_copy(&f->owned[k], *places[k], counts[k]);
        *places[k] = f->owned[k];
    }
    o->cloud.tokens = f->initial;
    return fine && trop_flow_draw(f);
}

struct trop_schedule trop_flow_pace(const struct trop_flow_options *o)
{
    const double alpha = o->alpha;
    const double fixed = !(alpha > 0) ? 0.5 : alpha > 0x1p60 ? 1 : alpha / (1 + alpha);

    return alpha > 0 || o->gamma.kind == TROP_SCHEDULE_UNSET
               ? (struct trop_schedule){ .kind = TROP_SCHEDULE_CONSTANT, .a = fixed }
               : o->gamma;
}

/* P = (I+V)^-1 V by one solve; a multiple of the identity stays a step size. */
static enum trop_status make_step_map(struct trop_flow *f)
{
    const struct trop_matrix *value = &f->options.value;
    int64_t d = f->d;

    f->gamma = trop_flow_pace(&f->options);
    if (!(f->dynamics->gamma && f->dynamics->value) || (!value->values && isnan(value->scale))) {
        return TROP_OK;
    }
    if (!value->values && value->scale == -1) {
        return trop_fail(TROP_ERR_ARG, "value = -1: I + V is singular");
    }
    if (!value->values) {
        f->gamma = (struct trop_schedule){ .kind = TROP_SCHEDULE_CONSTANT,
                                           .a = value->scale / (1 + value->scale) };
        return TROP_OK;
    }
    double *sum = trop_alloc(d * d, sizeof *sum);
    int64_t *pivot = trop_alloc(d, sizeof *pivot);
    enum trop_status status = TROP_ERR_MEMORY;
    if (sum && pivot && trop_flow_copy(&f->step_map, value->values, d * d)) {
        memcpy(sum, value->values, (size_t)(d * d) * sizeof *sum);
        for (int64_t c = 0; c < d; c++) {
            sum[c * d + c] += 1;
        }
        status = trop_linalg_solve(f->step_map, sum, pivot, d, d);
    }
    TROP_FREE(sum, pivot);
    if (status == TROP_ERR_NUMERIC) {
        return trop_fail(TROP_ERR_ARG, "value: I + V is singular");
    }
    return status == TROP_ERR_MEMORY
               ? trop_fail(status, "no memory for a %lld x %lld matrix", (long long)d, (long long)d)
               : status;
}

static enum trop_status make_engines(struct trop_flow *f)
{
    int unit = f->options.form == TROP_FORM_COSINE;
    enum trop_status status =
        trop_attend_create(&f->engines.attend, f->n, f->d, f->workers, f->kernel, unit);

    if (status == TROP_OK) {
        status = trop_quiescence_create(&f->engines.quiescence, f->n, f->d);
    }
    if (status == TROP_OK && f->options.device != TROP_DEVICE_CPU) {
        status = trop_attend_device(f->engines.attend, f->options.device);
    }
    if (status == TROP_OK && f->dynamics->continuous) {
        status = trop_ode_create(&f->engines.ode, f->n * f->d);
    }
    if (status != TROP_OK || !f->engines.ode) {
        return status;
    }
    f->integrator = trop_integrator_at(f->options.integrator);
    if (!f->integrator) {
        f->integrator = f->dynamics->integrated ? &trop_ode_dopri5 : &trop_ode_euler;
    }
    f->engines.ode->context = f;
    f->engines.ode->field = trop_flow_field;
    f->engines.ode->project = f->dynamics->sphere ? trop_flow_project : NULL;
    f->engines.ode->accuracy = f->options.accuracy;
    return TROP_OK;
}

/* The state at step 0. */
static enum trop_status start(struct trop_flow *f, const struct trop_cloud_options *cloud)
{
    enum trop_status status = trop_cloud_start(f->state.x, cloud);

    if (status == TROP_OK && f->dynamics->sphere) {
        status = trop_flow_project(f, f->state.x);
    }
    if (status != TROP_OK) {
        return status;
    }
    memcpy(f->initial, f->state.x, (size_t)(f->n * f->d) * sizeof *f->state.x);
    f->state.live = f->n;
    for (int64_t i = 0; i < f->n; i++) {
        f->state.mass[i] = f->options.cloud.masses ? f->options.cloud.masses[i] : 1;
        f->state.owner[i] = f->state.head[i] = i;
        f->state.crowd[i] = 1;
        f->state.target[i] = f->state.follows[i] = -1;
        f->state.size[i] = trop_linalg_norm(f->state.x + i * f->d, f->d);
    }
    f->state.h = f->options.dt;
    f->state.last_switch = -1;
    f->state.log10_steps = f->state.log10_time = NAN;
    f->radius0 = trop_cloud_radius(f->state.x, f->n, f->d);
    f->diameter0 = trop_cloud_diameter(f->state.x, f->n, f->d, f->engines.order, f->engines.far,
                                       f->engines.attend);
    if (f->engines.ode) {
        f->engines.ode->scale = f->radius0 > 0 ? f->radius0 : 1;
    }
    if (!isfinite(f->radius0) || !isfinite(f->diameter0)) {
        return trop_fail(TROP_ERR_ARG, "tokens: their distances overflow");
    }
    trop_flow_expand(f);
    return trop_flow_leap_create(f);
}

int64_t trop_flow_workers(int64_t wished)
{
    int64_t cores = trop_parallel_cores(), most = cores > CROWD ? cores : CROWD;

    return wished == 0 ? cores : wished < most ? wished : most;
}

enum trop_status trop_flow_create(struct trop_flow **out, const struct trop_flow_options *options)
{
    enum trop_status status = trop_flow_check(options);
    if (status != TROP_OK) {
        return status;
    }
    const struct trop_kernel *kernel = trop_kernel_choose(options->kernel);
    if (!kernel) {
        return TROP_ERR_UNSUPPORTED;
    }
    struct trop_flow *f = trop_alloc(1, sizeof *f);
    if (!f) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a flow");
    }
    f->options = *options;
    f->n = options->cloud.n;
    f->d = options->cloud.d;
    /* Workers when the user leaves them to us: as many cores as have 2^21 products each to do in a
     * step. Below, waking each other and waiting costs more than the work. */
    double worth = (double)f->n * (double)f->n * (double)(f->d + 8) * 0x1p-21;
    int64_t cores = trop_parallel_cores();
    f->workers = options->threads         ? trop_flow_workers(options->threads)
                 : worth >= (double)cores ? cores
                 : worth < 1              ? 1
                                          : (int64_t)worth;
    if (options->device != TROP_DEVICE_CPU) {
        f->options.method = TROP_METHOD_ROWS; /* what it has the bits of */
    }
    f->kernel = kernel;
    f->rule = trop_rule_at(options->rule);
    f->dynamics = trop_dynamics_at(options->dynamics);
    status = TROP_ERR_MEMORY;
    if (!allocate(f) || !adopt(f)) {
        trop_fail(status, "no memory for %lld tokens of dimension %lld", (long long)f->n,
                  (long long)f->d);
    } else {
        status = make_step_map(f);
    }
    if (status == TROP_OK) {
        status = make_engines(f);
    }
    if (status == TROP_OK) {
        status = trop_flow_observe_create(f);
    }
    if (status == TROP_OK) {
        status = start(f, &options->cloud);
    }
    if (status != TROP_OK) {
        trop_flow_free(f);
        return status;
    }
    *out = f;
    return TROP_OK;
}

enum trop_status trop_flow_create_from(struct trop_flow **out, const char *const *pairs)
{
    struct trop_flow_options options = trop_flow_options_default();
    enum trop_status status = trop_option_pairs(&options, trop_flow_option_table(), pairs);

    return status == TROP_OK ? trop_flow_create(out, &options) : status;
}

/* ---- stepping ------------------------------------------------------------------------------ */

int trop_flow_done(const struct trop_flow *flow)
{
    return flow->state.outcome != TROP_FLOW_RUNNING;
}

/* Ends the run when the last step has been taken or the time is up. */
static void notice_end(struct trop_flow *f)
{
    int over = f->state.step >= f->options.steps.value ||
               (f->dynamics->continuous && f->state.time >= f->options.time);

    /* Leaps tell: their steps may be more than can be counted. */
    if (f->state.outcome == TROP_FLOW_RUNNING && (f->options.leap ? f->state.over != 0 : over)) {
        f->state.outcome = TROP_FLOW_STEPS;
    }
}

enum trop_status trop_flow_extend(struct trop_flow *f, const char *name, const char *text)
{
    const int is_time = strcmp(name, "time") == 0;
    struct trop_flow_options options = f->options;

    if (!is_time && strcmp(name, "steps") != 0) {
        return trop_fail(TROP_ERR_ARG,
                         "%s: only the steps or the time of a run that has begun can be changed",
                         name);
    }
    if (f->options.leap) {
        return trop_fail(TROP_ERR_ARG,
                         "%s: the end of a run that leaps cannot be moved; make a new one", name);
    }
    if (is_time && !f->dynamics->continuous) {
        return trop_fail(TROP_ERR_ARG, "time: this flow goes by steps");
    }
    enum trop_status status =
        trop_option_set(&options, trop_flow_option_table(), is_time ? "time" : "steps", text);
    if (status != TROP_OK) {
        return status;
    }
    if (is_time ? !(options.time > f->state.time) : options.steps.value <= f->state.step) {
        return trop_fail(TROP_ERR_ARG, "%s = %s: must be beyond %.17g, where the flow is", name,
                         text, is_time ? f->state.time : (double)f->state.step);
    }
    f->options.time = options.time;
    f->options.steps = options.steps;
    if (f->state.outcome == TROP_FLOW_STEPS) {
        f->state.outcome = TROP_FLOW_RUNNING;
    }
    return TROP_OK;
}

/* 1 when a look at the present state could end the run. A proof that is kept costs nothing to
 * recall; a failed attempt at one is repeated after a tenth more steps, so that a metastable
 * state costs little. The steps of attempts do not depend on anything but the run. */
int trop_flow_may_end(const struct trop_flow *f)
{
    if (f->options.leap) { /* softmax ends in one point or not at all */
        return f->state.live == 1;
    }
    if (f->state.proved) {
        return f->options.until == TROP_UNTIL_CONVERGED &&
               (!trop_flow_jumps(f) || (double)f->state.step >= f->state.still);
    }
    return f->state.step >= f->state.next_try && !f->dynamics->random;
}

/* Ends the run when the residual is small and a certificate holds, which is kept. */
static enum trop_status try_to_end(struct trop_flow *f)
{
    if (!trop_flow_may_end(f)) {
        return TROP_OK;
    }
    enum trop_status status = trop_flow_look(f);
    if (status != TROP_OK || f->seen.residual > f->options.tolerance * f->diameter0) {
        return status;
    }
    status = trop_flow_judge(f);
    if (status == TROP_OK && f->verdict.converged) {
        if (!f->state.proved) {
            f->state.proved = f->verdict.certificate;
            f->state.from = f->state.step;
        }
        if (f->options.until == TROP_UNTIL_CONVERGED) {
            f->state.outcome = TROP_FLOW_CONVERGED;
        }
    }
    f->state.next_try = trop_flow_later(f);
    return status;
}

enum trop_status trop_flow_check_finite(const struct trop_flow *f)
{
    for (int64_t k = 0; k < f->state.live * f->d; k++) {
        if (!isfinite(f->state.x[k])) {
            return trop_fail(TROP_ERR_NUMERIC, "token %lld left the range of double at step %lld",
                             (long long)f->state.head[k / f->d], (long long)f->state.step);
        }
    }
    return TROP_OK;
}

static enum trop_status one_step(struct trop_flow *f)
{
    enum trop_status status = f->dynamics->step(f);
    int64_t live = f->state.live;

    if (status != TROP_OK) {
        return status;
    }
    if (f->options.merge != TROP_MERGE_OFF) {
        double step = (double)f->state.step;
        trop_flow_merge(f, f->dynamics->continuous ? 1 : trop_schedule_at(&f->gamma, step));
        for (int64_t i = 0; f->state.live < live && i < f->n; i++) {
            f->state.follows[i] = -1; /* live tokens have new numbers */
        }
    }
    f->state.step++;
    return trop_flow_check_finite(f);
}

/* Looks ahead, then goes one step, or several at once; *left is what remains of them. */
static enum trop_status go_on(struct trop_flow *f, int64_t *left)
{
    int64_t walked = 0;
    enum trop_status status = trop_flow_foresee(f);

    if (status == TROP_OK) {
        status = trop_flow_insist(f);
    }
    if (status == TROP_OK) {
        status = trop_flow_walk(&walked, f, *left);
    }
    if (walked > 0) {
        *left -= walked;
        return status;
    }
    if (status == TROP_OK) {
        status = try_to_end(f);
    }
    if (status == TROP_OK && trop_flow_observes_each(f)) {
        status = trop_flow_look(f);
    }
    if (status != TROP_OK || trop_flow_done(f)) {
        return status;
    }
    if (f->options.leap || !trop_flow_jumps(f)) {
        --*left;
        status = f->options.leap ? trop_flow_leap(f) : one_step(f);
    } else {
        *left -= trop_flow_jump(f, *left);
    }
    f->seen.looked = f->seen.judged = f->seen.described = 0;
    return status;
}

enum trop_status trop_flow_step(struct trop_flow *flow, int64_t steps)
{
    enum trop_status status = TROP_OK;

    if (steps < 0) {
        return trop_fail(TROP_ERR_ARG, "steps = %lld: must not be negative", (long long)steps);
    }
    notice_end(flow);
    while (steps > 0 && status == TROP_OK && !trop_flow_done(flow)) {
        status = go_on(flow, &steps);
        notice_end(flow);
    }
    trop_flow_expand(flow);
    return status;
}

double trop_flow_products(const struct trop_flow *flow)
{
    return (double)flow->state.live * (double)flow->state.live * (double)(flow->d + 8);
}

int64_t trop_flow_stride(const struct trop_flow *flow)
{
    const int integrates = flow->integrator && !trop_flow_is_piecewise(flow);
    const double products = trop_flow_products(flow) * (integrates ? flow->integrator->fields : 1);

    if (flow->options.leap) {
        return MOVES;
    }
    if (trop_flow_jumps(flow)) {
        return INT64_MAX;
    }
    const double pause = flow->options.device ? DEVICE_PAUSE : TROP_FLOW_PAUSE;
    return products < pause ? (int64_t)(pause / products) : 1;
}

void trop_flow_listen(struct trop_flow *flow, trop_progress *progress, void *context)
{
    flow->progress = progress;
    flow->context = context;
}

enum trop_status trop_flow_run(struct trop_flow *flow, trop_progress *progress, void *context)
{
    enum trop_status status = trop_flow_step(flow, 0);

    trop_flow_listen(flow, progress, context);
    while (status == TROP_OK && !trop_flow_done(flow)) {
        status = trop_flow_ask(flow);
        if (status == TROP_OK) {
            status = trop_flow_step(flow, trop_flow_jumps(flow)  ? INT64_MAX
                                          : flow->options.device ? trop_flow_stride(flow)
                                                                 : 1);
        }
    }
    trop_flow_listen(flow, NULL, NULL);
    return status == TROP_OK ? trop_flow_judge(flow) : status;
}

const double *trop_flow_tokens(const struct trop_flow *flow)
{
    return flow->seen.full;
}

enum trop_status trop_flow_weights(double *out, struct trop_flow *flow, int64_t i)
{
    if (i < 0 || i >= flow->n) {
        return trop_fail(TROP_ERR_ARG, "token %lld: there are %lld", (long long)i,
                         (long long)flow->n);
    }
    enum trop_status status = trop_flow_load(flow, flow->state.x, trop_flow_clock(flow));
    if (status == TROP_OK) {
        status = trop_attend_weights(flow->engines.far, flow->engines.attend, flow->state.owner[i]);
    }
    if (status != TROP_OK) {
        return status;
    }
    flow->seen.looked = 0;
    /* A live token's weight belongs to the tokens it stands for, by mass. */
    for (int64_t j = 0; j < flow->n; j++) {
        double share = flow->options.cloud.masses ? flow->options.cloud.masses[j] : 1;
        out[j] = flow->engines.far[flow->state.owner[j]] * share /
                 flow->state.mass[flow->state.owner[j]];
    }
    return TROP_OK;
}
