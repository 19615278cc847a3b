/* copies_group.c -- one worker and its lanes: copies taken in, stepped, judged.
 *
 * A lane does what trop_flow_step does, look and move, and leaves to a flow of the worker's own
 * whatever is more than a plain step: doubts of the kernels, the attempt at a proof that the sets
 * last, the attempt to end. That flow is given the copy's state, takes one step, and the state goes
 * back into the lane; when it knows the rest in closed form, or is done, the copy ends there.
 *
 * Every attempt is made at the steps at which the flow alone would make it (next_try and
 * next_proof), so that a copy ends, or jumps, at the same step.
 */
#include "flow/copies/copies.h"

#include "base/alloc.h"
#include "base/status.h"
#include "shape/cloud.h"
#include "shape/cloud_options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_PAIRED 96 /* tokens whose weights of all pairs stay in a core's cache */
#define LOOKS 0x1p23   /* products between two questions whether to stop */
#define FEW 33         /* tokens of which trop_cloud_diameter is the largest distance of a pair */

/* ---- making ---------------------------------------------------------------------------------- */

void trop_copies_worker_free(struct trop_copies_worker *w)
{
    struct trop_kernel_group *g = &w->group;

    TROP_FREE(w->x, w->next, w->trial, w->y, w->k, w->reach_x, w->reach_y, w->edge, w->stash,
              g->row, g->shift, g->total, g->best, g->count, g->member, g->tied, w->candidates,
              g->pairs, w->initial, w->limits);
    trop_flow_free(w->flow);
}

static int allocate(struct trop_copies_worker *w)
{
    struct trop_kernel_group *g = &w->group;
    int64_t n = g->n, d = g->d, width = g->width;

    return TROP_ALLOC(
               TROP_PART(w->x, TROP_LANES * width * d), TROP_PART(w->next, TROP_LANES * width * d),
               TROP_PART(w->trial, TROP_LANES * width * d), TROP_PART(w->y, TROP_LANES * n * d),
               TROP_PART(w->k, TROP_LANES * TROP_COPIES_STAGES * n * d),
               TROP_PART(w->reach_x, TROP_LANES * d), TROP_PART(w->reach_y, TROP_LANES * d),
               TROP_PART(w->edge, 2 * d), TROP_PART(w->stash, TROP_LANES * n * d),
               TROP_PART(g->row, TROP_LANES * width), TROP_PART(g->shift, TROP_LANES * n),
               TROP_PART(g->total, TROP_LANES * n), TROP_PART(g->best, TROP_LANES * n),
               TROP_PART(g->count, TROP_LANES * n), TROP_PART(g->member, n * width),
               TROP_PART(g->tied, n), TROP_PART(w->candidates, n)) &&
           (n > MOST_PAIRED || TROP_ALLOC(TROP_PART(g->pairs, TROP_LANES * width * (width + 1)))) &&
           (!w->copies->visitor.end || TROP_ALLOC(TROP_PART(w->initial, TROP_LANES * n * d),
                                                  TROP_PART(w->limits, TROP_LANES * n * d)));
}

enum trop_status trop_copies_worker_create(struct trop_copies_worker *w, struct trop_copies *copies)
{
    struct trop_flow_options options = trop_copies_options_of(copies, copies->first);
    enum trop_status status = trop_flow_create(&w->flow, &options);

    w->copies = copies;
    w->holds = -1;
    if (status != TROP_OK || !copies->in_lanes) {
        return status;
    }
    w->kernel = w->flow->kernel->copies;
    w->group.n = copies->n;
    w->group.d = copies->d;
    w->group.width = (copies->n + TROP_LANES - 1) / TROP_LANES * TROP_LANES;
    for (int l = 0; l < TROP_LANES; l++) {
        w->lanes[l].copy = -1;
    }
    return allocate(w) ? TROP_OK
                       : trop_fail(TROP_ERR_MEMORY,
                                   "no memory for copies of %lld tokens of "
                                   "dimension %lld",
                                   (long long)copies->n, (long long)copies->d);
}

/* The first failure of a worker, kept for the thread that called; a visitor is told of each. */
static void fail(struct trop_copies_worker *w, enum trop_status status, int64_t copy)
{
    if (status == TROP_OK || w->status != TROP_OK) {
        return;
    }
    if (w->copies->visitor.end) {
        trop_copies_lose(w->copies, copy);
        trop_copies_show(w, copy, status, NULL);
        return;
    }
    w->status = status;
    snprintf(w->sentence, sizeof w->sentence, "copy %lld: %s", (long long)copy, trop_error());
    atomic_store(&w->copies->stop, 1);
}

/* ---- lanes and the flow ---------------------------------------------------------------------- */

static void scatter(double *x, const double *from, int64_t count, int l)
{
    for (int64_t m = 0; m < count; m++) {
        x[m * TROP_LANES + l] = from[m];
    }
}

/* What a visitor may ask the flow of a lane for beside its state: the copy's initial tokens, and
 * nothing that is left of another copy. */
static void inject_shown(struct trop_copies_worker *w, int l)
{
    const struct trop_copies_lane *lane = w->lanes + l;
    struct trop_flow *f = w->flow;
    const size_t size = (size_t)(f->n * f->d) * sizeof *f->initial;

    if (w->holds != lane->copy) {
        memcpy(f->initial, w->initial + l * f->n * f->d, size);
        trop_hull_free(f->engines.hull0);
        f->engines.hull0 = NULL;
        w->holds = lane->copy;
    }
    f->state.from = lane->from;
    f->state.proof = lane->proof;
    f->state.has_limits = lane->has_limits;
    if (lane->has_limits) {
        memcpy(f->state.limits, w->limits + l * f->n * f->d, size);
    }
    f->state.methods =
        1 << (f->options.method == TROP_METHOD_ROWS ? TROP_METHOD_ROWS : TROP_METHOD_DIRECT);
    f->state.error = 0;
    f->state.observed_at = -1;
}

/* The worker's flow becomes the copy of a lane; 0 when its last step has left double. */
static int inject(struct trop_copies_worker *w, int l)
{
    struct trop_copies_lane *lane = w->lanes + l;
    struct trop_flow *f = w->flow;

    trop_copies_gather(f->state.x, w->x, f->n * f->d, l);
    for (int64_t m = 0; m < f->n * f->d; m++) {
        if (!isfinite(f->state.x[m])) {
            trop_fail(TROP_ERR_NUMERIC, "token %lld left the range of double at step %lld",
                      (long long)(m / f->d), (long long)lane->step);
            fail(w, TROP_ERR_NUMERIC, lane->copy);
            lane->copy = -1;
            return 0;
        }
    }
    trop_copies_point_put(f, &lane->point);
    f->state.step = lane->step;
    f->state.time = lane->time;
    f->state.h = f->options.dt;
    f->state.next_try = lane->next_try;
    f->state.next_proof = lane->next_proof;
    f->state.proved = lane->proved;
    f->radius0 = lane->radius0;
    f->diameter0 = lane->diameter0;
    f->state.log10_steps = NAN;
    f->state.outcome = TROP_FLOW_RUNNING;
    f->state.closed = f->state.jumped = f->state.has_limits = 0;
    f->seen.looked = f->seen.judged = f->seen.described = 0;
    if (w->initial) {
        inject_shown(w, l);
    }
    return 1;
}

/* What the flow has proved of a lane. */
static void keep_proof(struct trop_copies_worker *w, int l)
{
    struct trop_copies_lane *lane = w->lanes + l;
    const struct trop_flow_state *s = &w->flow->state;
    const int64_t size = w->flow->n * w->flow->d;

    lane->proved = s->proved;
    if (w->limits && s->proved) {
        lane->from = s->from;
        lane->proof = s->proof;
        lane->has_limits = s->has_limits;
        memcpy(w->limits + l * size, s->limits, (size_t)size * sizeof *w->limits);
    }
}

/* Ends the copy that the flow has, and with it its lane. */
static void end(struct trop_copies_worker *w, int l)
{
    struct trop_copies_lane *lane = w->lanes + l;
    enum trop_status status = TROP_OK;

    if (w->copies->visitor.look) {
        status = trop_copies_walk(w, lane->copy, w->flow, &lane->looked);
    } else {
        status = trop_flow_step(w->flow, INT64_MAX);
        status = status == TROP_OK ? trop_flow_judge(w->flow) : status;
    }
    if (status == TROP_OK) {
        trop_copies_keep(w->copies, lane->copy, w->flow);
        trop_copies_show(w, lane->copy, TROP_OK, w->flow);
    } else if (status != TROP_ERR_STOPPED) {
        fail(w, status, lane->copy);
    }
    lane->copy = -1;
}

/* One step of a lane by the flow; its tokens go to the stash. */
static void step_alone(struct trop_copies_worker *w, int l)
{
    struct trop_copies_lane *lane = w->lanes + l;
    struct trop_flow *f = w->flow;

    if (!inject(w, l)) {
        return;
    }
    w->alone++;
    enum trop_status status = trop_flow_step(f, 1);
    if (status != TROP_OK) {
        fail(w, status, lane->copy);
        lane->copy = -1;
        return;
    }
    if (trop_flow_done(f) || trop_flow_jumps(f)) {
        end(w, l);
        return;
    }
    lane->step = f->state.step;
    lane->time = f->state.time;
    lane->next_try = f->state.next_try;
    lane->next_proof = f->state.next_proof;
    keep_proof(w, l);
    memcpy(w->stash + l * f->n * f->d, f->state.x, (size_t)(f->n * f->d) * sizeof *f->state.x);
}

/* ---- a copy's beginning and end -------------------------------------------------------------- */

/* The diameter of the tokens x of lane l, square being the largest square of a distance: for few
 * tokens trop_cloud_diameter looks at all pairs that matter, and a root keeps the order of squares.
 * Squares that may have lost digits, or overflow, are for it; it uses the flow's tokens. */
static double diameter_of(struct trop_copies_worker *w, const double *x, double square, int l)
{
    struct trop_flow *f = w->flow;

    if (f->n <= FEW && square > 0x1p-900 && square < 0x1p900) {
        return sqrt(square);
    }
    trop_copies_gather(f->state.x, x, f->n * f->d, l);
    return trop_cloud_diameter(f->state.x, f->n, f->d, f->engines.order, f->engines.far,
                               f->engines.attend);
}

/* The initial diameters of copies that have been taken in. */
static void measure(struct trop_copies_worker *w)
{
    double square[TROP_LANES];
    int fresh = 0;

    for (int l = 0; l < TROP_LANES; l++) {
        fresh |= w->lanes[l].copy >= 0 && w->lanes[l].fresh;
    }
    if (fresh && w->group.n <= FEW) {
        w->kernel->widest(square, w->x, w->group.n, w->group.d);
    }
    for (int l = 0; fresh && l < TROP_LANES; l++) {
        struct trop_copies_lane *lane = w->lanes + l;
        if (lane->copy < 0 || !lane->fresh) {
            continue;
        }
        lane->fresh = 0;
        lane->diameter0 = diameter_of(w, w->x, w->group.n <= FEW ? square[l] : 0, l);
        if (!isfinite(lane->radius0) || !isfinite(lane->diameter0)) {
            fail(w, trop_fail(TROP_ERR_ARG, "tokens: their distances overflow"), lane->copy);
            lane->copy = -1;
        }
    }
}

/* The state at step 0, as flow.c makes it. */
static enum trop_status start(struct trop_copies_worker *w, int l, int64_t copy)
{
    struct trop_copies_lane *lane = w->lanes + l;
    struct trop_flow *f = w->flow;
    struct trop_flow_options o = trop_copies_options_of(w->copies, copy);
    double *const *axis = w->copies->axis;
    /* With a value there is neither alpha nor gamma. */
    const int paced = isnan(o.value.scale) && (axis[TROP_COPIES_ALPHA] || axis[TROP_COPIES_GAMMA]);
    /* Without a visitor all of them were looked at before the first. */
    enum trop_status status = w->initial ? trop_flow_check(&o) : TROP_OK;

    if (status == TROP_OK) {
        status = trop_cloud_start(f->state.x, &o.cloud);
    }
    if (status == TROP_OK && f->dynamics->sphere) {
        status = trop_flow_project(f, f->state.x);
    }
    if (status != TROP_OK) {
        return status;
    }
    *lane = (struct trop_copies_lane){
        .copy = copy,
        .point = { o.beta, o.epsilon, paced ? trop_flow_pace(&o) : w->copies->model->gamma },
        .fresh = 1,
        .looked = -1,
    };
    if (w->initial) {
        memcpy(w->initial + l * f->n * f->d, f->state.x,
               (size_t)(f->n * f->d) * sizeof *w->initial);
    }
    lane->radius0 = trop_cloud_radius(f->state.x, f->n, f->d);
    scatter(w->x, f->state.x, f->n * f->d, l);
    return TROP_OK;
}

/* 1 when the copy of a lane has taken its last step. */
static int is_over(const struct trop_copies_worker *w, int l)
{
    const struct trop_flow_options *o = &w->flow->options;
    const struct trop_copies_lane *lane = w->lanes + l;

    return lane->step >= o->steps.value || (w->flow->dynamics->continuous && lane->time >= o->time);
}

/* Takes copies into lane l until one has a step to take, or none waits. */
static void fill(struct trop_copies_worker *w, int l)
{
    while (w->status == TROP_OK) {
        if (w->lanes[l].copy >= 0) {
            if (!is_over(w, l)) {
                return;
            }
            if (w->copies->measured) {
                w->lanes[l].last = 1;
                return;
            }
            measure(w);
            if (w->status == TROP_OK && w->lanes[l].copy >= 0 && inject(w, l)) {
                end(w, l);
            }
        } else if (w->waiting == w->last) {
            return;
        } else {
            int64_t copy = w->waiting++;
            fail(w, start(w, l, copy), copy);
        }
    }
}

/* ---- the steps ------------------------------------------------------------------------------- */

/* The square of the largest distance of a lane's tokens to those first .. last-1. */
static double spread_of(const struct trop_copies_worker *w, int l, int64_t first, int64_t last)
{
    const struct trop_kernel_group *g = &w->group;
    double most = 0;

    for (int64_t i = first; i < last; i++) {
        for (int64_t j = i + 1; j < g->n; j++) {
            double r = 0;
            for (int64_t c = 0; c < g->d; c++) {
                const double *x = w->x + c * TROP_LANES + l;
                double t = x[j * g->d * TROP_LANES] - x[i * g->d * TROP_LANES];
                r = fma(t, t, r);
            }
            most = r > most ? r : most;
        }
    }
    return most;
}

/* Judges a lane of softmax, which has no sets to prove anything of, where what the flow would find
 * is certain; 0: it is not. The residual is small, but not 0, and tokens are too far apart for a
 * consensus, or all close enough for one, which does not end the run. */
static int is_judged(struct trop_copies_worker *w, int l, double square, double goal)
{
    struct trop_copies_lane *lane = w->lanes + l;
    struct trop_flow *f = w->flow;
    const double least = 0.99 * goal * goal, most = 1.01 * goal * goal;

    if (!f->rule->exponential || !f->dynamics->averages ||
        !(square >= 0x1p-890 && square <= least && goal < 1)) {
        return 0;
    }
    double spread = spread_of(w, l, 0, 1);
    if (4 * spread > least && spread <= most) { /* the diameter may be on either side */
        spread = spread_of(w, l, 0, f->n);
    } else if (spread <= most) {
        spread *= 4;
    }
    trop_copies_point_put(f, &lane->point);
    f->state.step = lane->step;
    if (spread <= least && f->options.until == TROP_UNTIL_STEPS && trop_flow_averages(f)) {
        lane->proved = TROP_FLOW_CERTIFICATE_CONSENSUS;
        lane->from = lane->step;
        lane->proof = (struct trop_quiescence){ 0 };
        lane->has_limits = 0;
    } else if (spread <= most) {
        return 0;
    }
    lane->next_try = trop_flow_later(f);
    return 1;
}

/* 1 when the flow alone would do more in this step than look and move. */
static int is_special(struct trop_copies_worker *w, int l, double square)
{
    struct trop_copies_lane *lane = w->lanes + l;
    const struct trop_flow_options *o = &w->flow->options;
    double goal = o->tolerance * lane->diameter0;
    int until = o->until == TROP_UNTIL_CONVERGED;
    int tries = lane->proved ? until : w->copies->looks && lane->step >= lane->next_try;

    tries = tries && !is_judged(w, l, square, goal);
    /* The residual itself is for the flow to round. */
    if (tries && (square <= goal * goal * 1.001 || square < 0x1p-890)) {
        return 1;
    }
    if (!w->copies->suited || lane->proved || lane->step < lane->next_proof) {
        return 0;
    }
    if ((w->group.ties >> l & 1) || trop_copies_settled(w, l)) {
        return 1;
    }
    w->flow->state.step = lane->step;
    lane->next_proof = trop_flow_later(w->flow);
    return 0;
}

/* Ends a lane whose steps are over: square is that of the longest displacement, where it is not in
 * doubt, and wide that of the largest distance. Squares that may have lost digits are for the flow.
 */
static void end_measured(struct trop_copies_worker *w, int l, double square, double wide, int doubt)
{
    struct trop_flow *f = w->flow;
    double diameter = diameter_of(w, w->x, wide, l);

    if (!inject(w, l)) {
        return;
    }
    if (!doubt && square > 0x1p-900 && square < 0x1p900) {
        f->seen.residual = sqrt(square);
        f->seen.looked = 1;
        f->seen.gap_max = f->seen.energy = f->seen.interaction = NAN; /* not asked for */
        enum trop_status status = trop_flow_judge_wide(f, diameter);
        if (status != TROP_OK) {
            fail(w, status, w->lanes[l].copy);
            w->lanes[l].copy = -1;
            return;
        }
    }
    end(w, l);
}

/* One step of every lane that has a copy. */
static void step_lanes(struct trop_copies_worker *w)
{
    struct trop_kernel_group *g = &w->group;
    int64_t count = g->n * g->d;
    unsigned doubt = trop_copies_move(w), alone = 0;
    double square[TROP_LANES] = { 0 }, wide[TROP_LANES] = { 0 }, *x = w->x;
    int ends = 0;

    for (int l = 0; l < TROP_LANES; l++) {
        ends |= w->lanes[l].copy >= 0 && w->lanes[l].last;
    }
    if (ends && g->n <= FEW) {
        w->kernel->widest(wide, w->x, g->n, g->d);
    }
    if (ends || w->copies->looks) {
        w->kernel->longest(square, w->k, g->n, g->d);
    }
    for (int l = 0; l < TROP_LANES; l++) {
        if (w->lanes[l].copy < 0) {
            continue;
        }
        if (w->lanes[l].last) {
            end_measured(w, l, square[l], wide[l], (int)(doubt >> l & 1));
        } else if ((doubt >> l & 1) || is_special(w, l, square[l])) {
            step_alone(w, l);
            alone |= 1u << l;
        } else {
            struct trop_copies_lane *lane = w->lanes + l;
            const struct trop_flow_options *o = &w->flow->options;

            if (w->flow->dynamics->continuous) {
                lane->time = lane->gamma_now == o->dt ? lane->time + o->dt : o->time;
            }
            lane->step++;
        }
    }
    w->x = w->next;
    w->next = x;
    for (int l = 0; l < TROP_LANES; l++) {
        if ((alone >> l & 1) && w->lanes[l].copy >= 0) {
            scatter(w->x, w->stash + l * count, count, l);
        }
    }
}

static int asked(struct trop_copies_worker *w)
{
    return trop_copies_stopped(w->copies, w - w->copies->crew);
}

/* Shows the lanes that are at a step to be shown. */
static void look(struct trop_copies_worker *w)
{
    for (int l = 0; l < TROP_LANES && w->status == TROP_OK; l++) {
        struct trop_copies_lane *lane = w->lanes + l;
        const int due = lane->step % w->copies->visitor.every == 0 && lane->step > lane->looked;
        if (lane->copy < 0 || !due || !inject(w, l)) {
            continue;
        }
        const enum trop_status status = trop_copies_look(w, lane->copy, w->flow, &lane->looked);
        if (status != TROP_OK && status != TROP_ERR_STOPPED) {
            fail(w, status, lane->copy);
            lane->copy = -1;
        }
    }
}

/* Copies that the lanes do not know, each a flow of its own. */
static void work_alone(struct trop_copies_worker *w, int64_t first, int64_t last)
{
    for (int64_t copy = first; copy < last && !asked(w); copy++) {
        struct trop_flow_options o = trop_copies_options_of(w->copies, copy);
        struct trop_flow *flow = NULL;
        int64_t looked = -1;
        enum trop_status status = trop_flow_create(&flow, &o);
        if (status == TROP_OK) {
            flow->watched = w->copies->watched;
            status = trop_copies_walk(w, copy, flow, &looked);
        }
        if (status == TROP_OK) {
            trop_copies_keep(w->copies, copy, flow);
            trop_copies_show(w, copy, TROP_OK, flow);
        } else if (status != TROP_ERR_STOPPED) {
            fail(w, status, copy);
        }
        trop_flow_free(flow);
    }
}

void trop_copies_work(struct trop_copies_worker *w, int64_t first, int64_t last)
{
    if (!w->copies->in_lanes) {
        work_alone(w, first, last);
        return;
    }
    double products = (double)(w->group.n * w->group.n) * (double)(w->group.d + 8);
    int64_t each = 1 + (int64_t)(LOOKS / products), steps = 0;
    w->waiting = first;
    w->last = last;
    while (w->status == TROP_OK && (steps++ % each || !asked(w))) {
        int busy = 0;
        for (int l = 0; l < TROP_LANES; l++) {
            fill(w, l);
            busy |= w->lanes[l].copy >= 0;
        }
        measure(w);
        if (w->copies->visitor.look) {
            look(w);
        }
        if (!busy || w->status != TROP_OK) {
            break;
        }
        step_lanes(w);
    }
    for (int l = 0; l < TROP_LANES; l++) {
        w->lanes[l].copy = -1; /* those that were stopped begin again */
    }
}
