/* path_solve.c -- the least loss over a ball, from one start.
 *
 * Minimises F = log(L - L*) over |W|_p <= R. L - L* falls exponentially in R, so that steps go by
 * the direction of the gradient alone. With the variable x of path.h, e = p - 1, a normalised
 * mirror step with radial scaling is
 *
 *   x <- P(x + tau g),   g = -G / |G|_q,   P(y) = y / max(1, |y|_q).
 *
 * tau is halved until F falls by ARMIJO times what its slope promises, and doubled after a step
 * that needed no halving. On the sphere this is x + beta (g - x), scaled, beta = tau / (1 + tau): a
 * damped iteration for x = g, the condition of a stationary point. Along what the active
 * constraints do not see the residual r = g - x is minus the error; along what they see it is of
 * the order R times the error, because weights exp(-R margin) answer to it: the linear rate of
 * mirror steps is 1 - O(1/R), but only as many directions are stiff as there are active
 * constraints. Anderson acceleration (path_step.c) learns them from past steps. Its points are
 * taken where F falls, or stays within its rounding while 1 - alignment falls: F never rises by
 * more.
 *
 * With another e (p > 3) the residual is r = g - a u, u = sgn(w) |w|^(p-1) the dual variable and a
 * = <g, w>: what of g is tangent to the sphere. x + tau r, scaled back to the sphere, is a
 * direction of descent, since w changes by J r - <u, J r> w with a diagonal J >= 0, and <g, that> =
 * <r, J r>.
 *
 * Where the tokens that a point selects are not those of the highest scores, as in a local path or
 * when no W selects those, L - L* is a constant and something exponentially small, which F loses in
 * rounding. There log(L - L') takes the place of F, L' the loss of the tokens that are selected, or
 * -log(L' - L) where L is below.
 *
 * Joint: L(v, W) over a product of balls. W moves log L by less than rounding once attention is
 * saturated, so that v and W take turns: v with F = log L, W with F = log(L - L*(v)), L*(v) the
 * loss of the best tokens under this v; both make L fall. Turns end when both tensors are
 * stationary.
 *
 * Stationarity, per tensor:
 *
 *   on the sphere  1 - <g, w> = D(w, w_g) with w_g = sgn(g) |g|^(q-1): Hoelder's inequality is an
 *                  equality, and the point is stationary, when it is 0. Summed as sum_k g_k (w_g -
 *                  w)_k, without the cancellation of 1 - <g, w>;
 *   inside         R |G|_q e^-F, what F can fall by over the ball at this slope.
 *
 * That such a point is a minimum, let alone the least one, is not proved by it.
 */
#include "learn/path/path.h"

#include "base/math/exp.h"
#include "base/math/log.h"

#include <math.h>
#include <string.h>

#define ARMIJO 0.01
#define HALVINGS 60
#define ROUNDING 4e-16 /* of F, over 1 + |F| */
#define FLAT 1e-12     /* what F can fall by, over 1 + |F|, where it cannot tell */
#define NEARER 0.9     /* what 1 - alignment must shrink to where F cannot tell */
#define TURNS 8
#define PATIENCE 64 /* steps without acceleration after it failed, at most */

/* ---- the gradient ---------------------------------------------------------------------------- */

/* A tensor that moves, and where. */
struct descent {
    int64_t block, at; /* which tensor, and where its entries begin */
    double *values;    /* its weights */
    double radius;
    double value, tau;
    double slope;           /* R |G|_q e^-F */
    double off;             /* 1 - alignment */
    int64_t sphere;         /* 1: |w|_p = 1 */
    int64_t edge;           /* 1: on the edge of the cone */
    int64_t wait, patience; /* steps until acceleration is tried again */
};

/* 1 - <g, w> on the sphere. */
static double misaligned(const double *g, const struct descent *now, int64_t size,
                         const struct trop_path_powers *powers)
{
    double sum = 0;

    for (int64_t e = 0; e < size; e++) {
        sum += g[e] * (trop_power_signed(g[e], &powers->more) - now->values[e] / now->radius);
    }
    return fmax(0, sum);
}

/* 1: steps go along the sphere, because x is no dual variable and -G points outward. */
static int is_tangent(const struct descent *now, const struct trop_path_powers *powers)
{
    return !powers->own && now->sphere && now->off < 1;
}

/* g, the slope and how far x is from stationary; the attention has been set there. */
static void look(struct trop_path_worker *worker, const double *x, struct descent *now,
                 const struct trop_path_task *task)
{
    trop_attention_gradient(&worker->gradient, worker->attention);
    const struct trop_tensor *tensor = worker->gradient.tensor + now->block;
    const double norm = trop_power_norm(tensor->values, worker->size, &task->powers->q);
    const double size =
        worker->refers == TROP_PATH_BELOW ? -now->value : now->value; /* log|L - L*| */
    const int points = norm > 0 && tensor->log_scale > -INFINITY;
    const int moves = points && now->value != -INFINITY; /* F may have nothing left to fall by */

    for (int64_t e = 0; e < worker->size; e++) {
        worker->pull[e] = points ? -tensor->values[e] / norm : 0;
    }
    now->slope = moves ? now->radius * trop_exp(trop_log(norm) + tensor->log_scale - size) : 0;
    now->off = !points       ? 0
               : now->sphere ? misaligned(worker->pull, now, worker->size, task->powers)
                             : now->slope;
    now->off = isnan(now->off) ? INFINITY : now->off; /* inside, where F is not known */
    /* Where mirror steps go, and the residual that acceleration makes small. */
    const double *g = worker->pull;
    const double a = task->powers->own ? 1 : 1 - now->off;
    for (int64_t e = 0; e < worker->size; e++) {
        const double u = now->sphere ? trop_power_signed(x[now->at + e], &task->powers->dual) : 0;
        worker->residual[e] = now->sphere ? g[e] - a * u : now->slope * g[e];
        worker->push[e] = is_tangent(now, task->powers) ? worker->residual[e] : g[e];
    }
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* The trial point into ball and cone, or with hold onto the sphere; F there. */
static double try_it(struct trop_path_worker *worker, struct descent *trial, int hold,
                     const struct trop_path_task *task)
{
    double *y = worker->trial + trial->at;

    trial->edge = trial->block == 0 && task->cone.axis &&
                  trop_path_cone(y, worker->scratch, worker->size, &task->cone, task->powers);
    const double norm = trop_power_norm(y, worker->size, &task->powers->norm);
    trial->sphere = hold || norm >= 1 - 1e-14;
    for (int64_t e = 0; e < worker->size && (hold || norm > 1); e++) {
        y[e] /= norm;
    }
    trial->value = trop_path_objective(worker, worker->trial, task, trial->block);
    return trial->value;
}

/* <slope of F, W' - W> from the weights before and now: what F should change by, at most 0. */
static double promised(const struct trop_path_worker *worker, const struct descent *now)
{
    double sum = 0;

    for (int64_t e = 0; e < worker->size; e++) {
        sum += worker->pull[e] * (now->values[e] - worker->kept[e]);
    }
    return fmin(0, -now->slope / now->radius * sum);
}

static void take(double *x, struct trop_path_worker *worker, struct descent *now,
                 const struct descent *trial)
{
    memcpy(x, worker->trial, (size_t)worker->total * sizeof *x);
    *now = *trial;
}

/* 1: a mirror step was taken. 0: none makes F fall. */
static int mirror_step(double *x, struct trop_path_worker *worker, struct descent *now,
                       const struct trop_path_task *task)
{
    const int hold = is_tangent(now, task->powers);
    struct descent trial = *now;

    for (int halvings = 0; halvings <= HALVINGS; halvings++) {
        memcpy(worker->trial, x, (size_t)worker->total * sizeof *x);
        for (int64_t e = 0; e < worker->size; e++) {
            worker->trial[now->at + e] += trial.tau * worker->push[e];
        }
        const double value = try_it(worker, &trial, hold, task);
        if (value < now->value && value <= now->value + ARMIJO * promised(worker, now)) {
            trial.tau = halvings == 0 ? fmin(2 * trial.tau, 1e6) : trial.tau;
            take(x, worker, now, &trial);
            return 1;
        }
        trial.tau *= 0.5;
    }
    return 0;
}

/* 1: the trial point is as low as x up to the rounding of F, and nearer to stationary. Else the
 * worker is as it was. */
static int is_level(const double *x, struct trop_path_worker *worker, struct descent *trial,
                    struct descent *now, const struct trop_path_task *task)
{
    if (!(trial->value <= now->value + ROUNDING * (1 + fabs(now->value)))) {
        return 0;
    }
    look(worker, worker->trial, trial, task);
    if (trial->off < NEARER * now->off) {
        return 1;
    }
    trop_path_objective(worker, x, task, now->block);
    look(worker, x, now, task);
    return 0;
}

static int accelerated_step(double *x, struct trop_path_worker *worker, struct descent *now,
                            const struct trop_path_task *task)
{
    if (now->wait > 0 || (now->sphere && !(now->off < 0.5))) {
        now->wait -= now->wait > 0;
        return 0;
    }
    const double mixings[2] = { 1, now->tau / (1 + now->tau) };
    for (int k = 0; k < 2; k++) {
        struct descent trial = *now;
        memcpy(worker->trial, x, (size_t)worker->total * sizeof *x);
        if (!trop_path_accelerate(worker->trial + now->at, worker, mixings[k])) {
            return 0;
        }
        if (try_it(worker, &trial, now->sphere != 0, task) < now->value ||
            is_level(x, worker, &trial, now, task)) {
            trial.patience = 1;
            take(x, worker, now, &trial);
            return 1;
        }
    }
    now->wait = now->patience;
    now->patience = now->patience < PATIENCE ? 2 * now->patience : PATIENCE;
    return 0;
}

/* ---- one tensor ------------------------------------------------------------------------------ */

static struct descent begin(double *x, struct trop_path_worker *worker, int64_t block,
                            const struct trop_path_task *task)
{
    const struct trop_tensor *tensor = worker->weights.tensor + block;
    struct descent now = {
        .block = block,
        .values = tensor->values,
        .radius = task->radius[block],
        .tau = 1,
        .patience = 1,
    };

    now.at = now.values - worker->weights.memory;
    worker->size = tensor->rows * tensor->columns;
    memcpy(worker->trial, x, (size_t)worker->total * sizeof *x);
    try_it(worker, &now, 0, task);
    memcpy(x, worker->trial, (size_t)worker->total * sizeof *x);
    look(worker, x, &now, task);
    return now;
}

/* Steps of one tensor until it is stationary; how many. */
static int64_t descend(struct descent *out, double *x, struct trop_path_worker *worker,
                       int64_t block, const struct trop_path_task *task, int64_t steps)
{
    struct descent now = begin(x, worker, block, task);
    int64_t k = 0;

    trop_path_forget(worker);
    for (; k < steps && now.off > task->tolerance; k++) {
        memcpy(worker->kept, now.values, (size_t)worker->size * sizeof(double));
        trop_path_remember(worker, x + now.at, now.sphere);
        if (!accelerated_step(x, worker, &now, task) && !mirror_step(x, worker, &now, task)) {
            break;
        }
        look(worker, x, &now, task);
    }
    *out = now;
    return k;
}

/* From now on losses are compared with that of the tokens that x selects; F there. */
static double refer(struct trop_path_worker *worker, const double *x,
                    const struct trop_path_task *task)
{
    trop_path_objective(worker, x, task, 0);
    for (int64_t q = 0; q < trop_attention_asks(worker->attention); q++) {
        worker->chosen[q] = trop_attention_best(worker->attention, q);
    }
    worker->refers = TROP_PATH_ABOVE;
    const double above = trop_path_objective(worker, x, task, 0);
    worker->refers = isnan(above) ? TROP_PATH_BELOW : TROP_PATH_ABOVE;
    return isnan(above) ? trop_path_objective(worker, x, task, 0) : above;
}

/* Steps of the attention: with L*, and where that leaves F flat to rounding, with the loss of the
 * tokens that are selected instead of L*. */
static int64_t descend_attention(struct descent *out, double *x, struct trop_path_worker *worker,
                                 const struct trop_path_task *task, int64_t steps)
{
    int64_t k = 0, beside = 1;

    for (int turn = 0; turn < TURNS && beside > 0; turn++) {
        k += descend(out, x, worker, 0, task, steps - k);
        const int flat = out->sphere && out->slope * out->off <= FLAT * (1 + fabs(out->value));
        if (!(out->off > task->tolerance) || k >= steps || !flat) {
            break;
        }
        refer(worker, x, task);
        beside = descend(out, x, worker, 0, task, steps - k);
        worker->refers = 0;
        out->value = trop_path_objective(worker, x, task, 0);
        k += beside;
        if (!(out->off > task->tolerance)) {
            break;
        }
    }
    return k;
}

/* ---- all of them ---------------------------------------------------------------------------- */

void trop_path_solve(struct trop_path_end *out, double *x, struct trop_path_worker *worker,
                     const struct trop_path_task *task)
{
    struct descent first, second = { 0 };
    int64_t steps = 0, moved;

    do {
        moved = worker->joint ? descend(&second, x, worker, 1, task, task->iterations - steps) : 0;
        moved += descend_attention(&first, x, worker, task, task->iterations - steps - moved);
        steps += moved;
        if (worker->joint) {
            second = begin(x, worker, 1, task);
        }
    } while (worker->joint && moved > 0 && steps < task->iterations &&
             fmax(first.off, second.off) > task->tolerance);
    const double excess = refer(worker, x, task);
    const int64_t below = worker->refers == TROP_PATH_BELOW;
    worker->refers = 0;
    *out = (struct trop_path_end){
        .value = worker->joint ? second.value : first.value,
        .excess = excess,
        .below = below,
        .off = fmax(first.off, second.off),
        .alignment = first.sphere ? 1 - first.off : NAN,
        .iterations = steps,
        .edge = first.edge,
    };
}
