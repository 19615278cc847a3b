/* norm_lp.c -- the entrywise lp norm, 1 < p < infinity: a path from l2 to lp.
 *
 * Let spow(w, t) = sign(w) |w|^t and 1/p + 1/q = 1. W is optimal in
 *
 *   min |W|_p   s.t.   <A_j, W> >= r_j  (or = r_j)
 *
 * when, up to scale, (w, u, lambda, v) with lambda, v >= 0 satisfy
 *
 *   A' lambda = u,    A w - v = gamma r,    u = spow(w, p - 1),    lambda_j v_j = 0.
 *
 * w and u are separate unknowns: one from the other loses every digit when p is large or near 1.
 * Each pair on a curve is written by one number: (w_i, u_i) by z_i = w_i + u_i, of which both
 * are increasing with slopes in [0, 1] (norm_lp_curve.c), (lambda_j, v_j) by y_j = lambda_j - v_j.
 * The curves are smoothed,
 *
 *   (w + mu u, u + mu w)  with  u = spow(w, p - 1),      lambda v = nu,
 *
 * and mu, nu go to 0. mu = 1 is the l2 problem for every p, whose solution is given; slopes dw/du
 * stay within [mu, 1/mu], so that p = 1.01 and p = 64 are as good as p = 3. The two linear
 * equations are left, and Newton's method for them (norm_lp_system.c). This is a smoothing Newton
 * (Chen, Harker, Kanzow, Smale) or non-interior path-following method; what it has of an
 * interior-point method is the weighted Gram matrix, A diag(dw/du) A' + diag(v/lambda).
 *
 * For p >= 2 gamma is an unknown and r' lambda = c is given, for p < 2 gamma is given: both fix
 * the scale where an error in it does least harm (norm_lp_start.c).
 *
 * Steps are halved until the simplified Newton step that follows, with the same matrix, is shorter
 * (Deuflhard's natural monotonicity test). Residuals would be no measure: of nearly contradicting
 * rows they are 1e-7 of the error. When that next step is short, mu and nu are lowered, faster
 * and faster while whole steps are taken; a lowering that leads to tiny steps is taken back. When
 * rounding is what spoils the steps, the matrix is factored in double-double (norm_lp_hard.c).
 *
 * Accuracy. At a point of the smoothed path w and A' lambda give
 *
 *   |w|_p |u|_q - <w, u> = O(mu) (|w|^2 + |u|^2),    lambda' v <= nu count,
 *
 * and <w, u> = gamma r' lambda + lambda' v: the relative gap is O(mu + nu) and mu = 1e-3 of the
 * tolerance is small enough. Rounding moves A w by u |A_j| |w|, hence the gap by u kappa.
 * Residuals are summed in double-double, and lambda has two parts, because the path is needed to
 * that accuracy where lambda is 1e7 times A' lambda.
 *
 * While p is near 2 and rows are in general position, a few Newton steps without smoothing go all
 * the way (norm_lp_quick.c); the path is for what they do not solve.
 *
 * W and lambda are kept apart at their best: each bound holds by itself. W is returned as a
 * multiple of w by a power of 2 where it can be scaled; rows that must hold as they are (right side
 * 0, or beside an equality that fixes the scale) keep a room of 2^-49 |w| for rounding. */
#include "margin/lp/norm_lp.h"

#include "base/linalg.h"

#include <math.h>
#include <string.h>

#define UNIT 0x1p-53
#define NOISE 0x1p-50 /* of (A w)_j relative to |w|, rows having lengths below 2 */

/* The length of a step is the root mean square of dz, entries of z being about 1. */
#define NEAR 0.02     /* next to the path: mu may be lowered */
#define CLOSE 1e-6    /* when it falls no further, this is where rounding begins */
#define SMALL 1e-5    /* of mu */
#define TRACK 10.0    /* times mu: the gap on the path is below mu */
#define QUIET 1e-13   /* rounding: any such step is as good */
#define SHORT 0x1p-10 /* steps are not shortened further */
#define POOR 0.0625   /* a step shortened this much says that mu was lowered too far */
#define ROUGH_LEAST 1e-10
#define ROUGH_MOST 1e-4 /* whole steps of these lengths rarely fail but by rounding */
#define FASTEST 1e-3    /* lowering of mu in one step */
#define NU_START 0.1    /* lambda v, lambda and v being about 1 */
#define STALLS 6.0      /* iterations without progress */

static double tolerance(double p)
{
    return p < 1.05 ? 1e-8 : p <= 4.0 ? 1e-10 : p <= 8.0 ? 1e-9 : 1e-8;
}

/* What the walk remembers. */
struct walk {
    struct trop_norm_answer *out;
    double upper, lower; /* of the best pair, in units of lp->unit */
    double gap, best;    /* upper / lower - 1; when progress was last made */
    double least;        /* mu is not lowered further */
    double factor;       /* by which mu is lowered next */
    double mu, nu;       /* of lp->kept */
    double expected;     /* length of the next step */
    int is_kept;         /* lp->kept is where mu was lowered last, */
    int is_first;        /* just now */
    double stalls;
};

/* ---- bounds --------------------------------------------------------------------------------- */

/* The scale that w can be divided by: the least margin, or gamma where equalities fix it. 0 when w
 * does not satisfy the constraints with room for the rounding of A w. */
static double least_of(const struct trop_norm_lp *lp, const struct trop_norm_lp_point *point)
{
    const double noise = NOISE * trop_linalg_norm(point->w, lp->size);
    double least = INFINITY;

    for (int64_t j = 0; j < lp->count; j++) {
        const int is_tight = trop_norm_lp_is_tight(lp, j);
        const double over = point->slack[j] + point->primal[j] + (is_tight ? lp->room : 0.0);
        if (lp->kind[j] == TROP_NORM_LP_EQUAL && fabs(over) > 8.0 * noise) {
            return 0.0;
        }
        if (is_tight && !(over >= noise)) {
            return 0.0;
        }
        if (lp->kind[j] == TROP_NORM_LP_LEAST && lp->right[j] > 0) {
            least = fmin(least, point->gamma + over / lp->right[j]);
        }
    }
    return lp->is_fixed || !isfinite(least) ? point->gamma : least;
}

static void upper_try(struct walk *walk, const struct trop_norm_lp *lp,
                      const struct trop_norm_lp_point *point)
{
    const double least = least_of(lp, point);
    const double upper =
        least > 0 ? trop_norm_length(point->w, NULL, lp->size, lp->p) / least : INFINITY;

    if (!(upper < walk->upper)) {
        return;
    }
    walk->upper = upper;
    const double times =
        lp->is_fixed ? lp->unit / point->gamma : ldexp(lp->unit, -ilogb(point->gamma));
    for (int64_t i = 0; i < lp->size; i++) {
        walk->out->w[i] = times * point->w[i];
    }
}

/* The bound of lambda as it will be stored, without its low parts. */
static void lower_try(struct walk *walk, struct trop_norm_lp *lp)
{
    const struct trop_norm_lp_point *point = &lp->at;
    double *dual = lp->entry[1];

    trop_norm_lp_dual(dual, lp, point->lambda, NULL, point->u);
    const double length = trop_norm_length(point->u, dual, lp->size, lp->q);
    const double lower = trop_linalg_dot(lp->right, point->lambda, lp->count) / length;
    if (!(lower > walk->lower) || !isfinite(lower)) {
        return;
    }
    walk->lower = lower;
    for (int64_t j = 0; j < lp->count; j++) {
        walk->out->lambda[j] = lp->scale[j] * point->lambda[j];
    }
}

static void bounds_try(struct walk *walk, struct trop_norm_lp *lp)
{
    upper_try(walk, lp, &lp->at);
    if (lp->after.length < CLOSE) {
        /* w with the last simplified step added, rounded once: w as a function of z has three
         * roundings, and near infeasibility each costs u kappa. The step is in lp->entry[1], where
         * it was made. */
        struct trop_norm_lp_point point = lp->at;
        double *less = lp->row[1];
        point.w = lp->entry[0];
        point.primal = lp->row[0];
        point.gamma += lp->after.gamma;
        for (int64_t i = 0; i < lp->size; i++) {
            point.w[i] = lp->at.w[i] + lp->entry[1][i];
        }
        for (int64_t j = 0; j < lp->count; j++) {
            less[j] = point.slack[j] + (trop_norm_lp_is_tight(lp, j) ? lp->room : 0.0);
        }
        trop_norm_lp_primal(point.primal, lp, point.w, less, point.gamma);
        upper_try(walk, lp, &point);
    }
    lower_try(walk, lp);
    walk->gap = walk->lower > 0 ? walk->upper / walk->lower - 1.0 : INFINITY;
}

/* ---- steps ---------------------------------------------------------------------------------- */

static void point_make(struct trop_norm_lp *lp, struct trop_norm_lp_point *point)
{
    trop_norm_lp_curve(lp, point);
    if (point == &lp->at) {
        lp->room = 2.0 * NOISE * trop_linalg_norm(point->w, lp->size);
    }
    trop_norm_lp_pairs(lp, point);
    trop_norm_lp_residual(lp, point);
}

static void unknowns_copy(struct trop_norm_lp *lp, struct trop_norm_lp_point *to,
                          const struct trop_norm_lp_point *from)
{
    memcpy(to->z, from->z, (size_t)lp->size * sizeof *to->z);
    memcpy(to->y, from->y, (size_t)lp->count * sizeof *to->y);
    memcpy(to->y_low, from->y_low, (size_t)lp->count * sizeof *to->y_low);
    to->gamma = from->gamma;
}

/* Finds lp->next along the step; the share of it that was taken. */
static double search(struct trop_norm_lp *lp)
{
    double share = 1.0;

    for (;; share *= 0.5) {
        /* next = at + share step. */
        const struct trop_norm_lp_point *at = &lp->at;
        struct trop_norm_lp_point *next = &lp->next;
        for (int64_t i = 0; i < lp->size; i++) {
            next->z[i] = fma(share, lp->step.z[i], at->z[i]);
        }
        for (int64_t j = 0; j < lp->count; j++) {
            /* share is a power of 2. */
            const struct trop_dd by = { share * lp->step.y[j], share * lp->step.y_low[j] };
            const struct trop_dd y = trop_dd_add((struct trop_dd){ at->y[j], at->y_low[j] }, by);
            next->y[j] = y.high;
            next->y_low[j] = y.low;
        }
        next->gamma = fma(share, lp->step.gamma, at->gamma);
        point_make(lp, next);
        (void)trop_norm_lp_newton(&lp->after, lp, next);
        if (lp->after.length <= fmax((1.0 - 0.25 * share) * lp->step.length, QUIET) ||
            share <= SHORT) {
            return share;
        }
    }
}

/* ---- the path ------------------------------------------------------------------------------- */

static void smooth(struct walk *walk, struct trop_norm_lp *lp, double mu, double nu)
{
    lp->mu = fmax(mu * walk->factor, walk->least);
    lp->nu = fmax(nu * walk->factor, NU_START * walk->least);
    point_make(lp, &lp->at);
}

/* Goes back to where mu was lowered, to lower it less. Where mu is small it is rounding that has
 * led astray: then the factor is made in double-double, or mu is lowered no further. */
static void take_back(struct walk *walk, struct trop_norm_lp *lp)
{
    const int is_small = walk->mu < SMALL, can_harden = lp->wide && !lp->is_hard;

    if (is_small && can_harden) {
        lp->is_hard = 1;
    } else {
        walk->factor = sqrt(walk->factor);
    }
    if (is_small && walk->factor > 0.8) {
        walk->least = walk->mu;
        walk->is_kept = 0;
    }
    unknowns_copy(lp, &lp->at, &lp->kept);
    smooth(walk, lp, walk->mu, walk->nu);
    walk->expected = INFINITY;
}

/* Whether mu may be lowered: Newton's method converges, and the bounds have come as near to each
 * other as mu lets them; or it has converged. */
static int is_on_path(const struct walk *walk, const struct trop_norm_lp *lp, double share)
{
    const double length = lp->after.length, before = lp->step.length;

    if (length <= CLOSE && length >= 0.25 * before) {
        return 1;
    }
    return share == 1.0 && length <= NEAR && length <= 0.25 * before && walk->gap <= TRACK * lp->mu;
}

/* The Newton step from where we are. */
static enum trop_status step_make(struct trop_norm_lp *lp)
{
    enum trop_status status = trop_norm_lp_factor(lp);
    const int is_solved = status == TROP_OK && trop_norm_lp_newton(&lp->step, lp, &lp->at);

    if (status == TROP_OK && !is_solved && !lp->is_hard && lp->wide) {
        lp->is_hard = 1;
        status = trop_norm_lp_factor(lp);
        if (status == TROP_OK) {
            (void)trop_norm_lp_newton(&lp->step, lp, &lp->at);
        }
    }
    return status == TROP_OK && !isfinite(lp->step.length) ? TROP_ERR_NUMERIC : status;
}

/* Lowers mu when the point is near enough to the path, and counts iterations without progress.
 * Progress is a smaller gap or a lower mu; a step that still moves counts as a fifth of a stall. */
static void look_ahead(struct walk *walk, struct trop_norm_lp *lp, double share)
{
    const int is_least = lp->mu <= walk->least;
    const int is_moving = lp->step.length > CLOSE && share > SHORT &&
                          (!is_least || lp->after.length <= 0.9 * lp->step.length);
    int is_better = walk->gap < 0.9 * walk->best;

    if (!is_least && is_on_path(walk, lp, share)) {
        /* Lowers mu and nu from where we are, faster after whole steps. */
        const double faster = walk->factor < 0.3 ? walk->factor * walk->factor : 0.5 * walk->factor;
        if (share == 1.0) {
            walk->factor = fmax(faster, FASTEST);
        }
        walk->is_kept = 1;
        walk->is_first = 1;
        walk->expected = INFINITY;
        walk->mu = lp->mu;
        walk->nu = lp->nu;
        unknowns_copy(lp, &lp->kept, &lp->at);
        smooth(walk, lp, walk->mu, walk->nu);
        is_better = 1;
    } else if (share < 0.5) {
        walk->factor = fmin(sqrt(walk->factor), 0.7);
    }
    walk->stalls = is_better ? 0.0 : walk->stalls + (is_moving ? 0.2 : 1.0);
    walk->best = fmin(walk->best, walk->gap);
}

/* One iteration. */
static enum trop_status advance(struct walk *walk, struct trop_norm_lp *lp)
{
    enum trop_status status = step_make(lp);
    if (status != TROP_OK) {
        return status;
    }
    /* The last simplified step predicted the length of this one. A step that is much longer, where
     * mu is small, is made of rounding errors. */
    if (walk->is_kept && lp->mu < SMALL && lp->step.length > CLOSE &&
        lp->step.length > 1e3 * walk->expected) {
        take_back(walk, lp);
        return TROP_OK;
    }
    const double share = search(lp);
    if (walk->is_kept && walk->is_first && share < POOR && walk->factor <= 0.8) {
        take_back(walk, lp);
        return TROP_OK;
    }
    /* So may be a short step that has to be shortened, where mu is small. */
    lp->is_hard |= lp->wide && lp->mu < SMALL && share < 1.0 && lp->step.length > ROUGH_LEAST &&
                   lp->step.length < ROUGH_MOST;
    walk->is_first = 0;
    walk->expected = lp->after.length;
    const struct trop_norm_lp_point swap = lp->at;
    lp->at = lp->next;
    lp->next = swap;
    bounds_try(walk, lp);
    look_ahead(walk, lp, share);
    return TROP_OK;
}

static enum trop_status follow(struct walk *walk, struct trop_norm_lp *lp)
{
    const struct trop_norm_task *task = lp->task;
    struct trop_norm_answer *out = walk->out;
    enum trop_status status = TROP_OK;

    out->end = TROP_NORM_STALLED;
    while (status == TROP_OK && walk->stalls < STALLS) {
        if (walk->gap <= 0.25 * task->tolerance) {
            break;
        }
        if (out->iterations >= task->iterations ||
            (task->progress && task->progress(task->context, out->iterations, task->iterations))) {
            out->end = TROP_NORM_LIMIT;
            break;
        }
        status = advance(walk, lp);
        out->iterations++;
    }
    /* Largest u kappa that rounding may cost: kappa = max |A_j|_q |W|_p. */
    const double rounding =
        isfinite(walk->upper) ? UNIT * lp->widest * walk->upper * lp->unit : 0.0;
    if (walk->gap <= task->tolerance ||
        (out->end == TROP_NORM_STALLED && walk->gap <= 8.0 * rounding)) {
        out->end = TROP_NORM_DONE;
    }
    return status == TROP_ERR_NUMERIC ? TROP_OK : status;
}

/* By norm_lp_quick.c where that gives an answer, else along the path. */
static enum trop_status solve(struct trop_norm_answer *out, const struct trop_norm_task *task)
{
    out->iterations = 0;
    trop_norm_fallback(out, task, TROP_NORM_STALLED);
    enum trop_status status = trop_norm_lp_quick(out, task);
    if (status != TROP_OK || out->end != TROP_NORM_STALLED) {
        return status;
    }
    trop_norm_fallback(out, task, TROP_NORM_STALLED);
    struct trop_norm_lp lp;
    struct walk walk = {
        .out = out, .upper = INFINITY, .gap = INFINITY, .best = INFINITY, .expected = INFINITY
    };
    const int64_t threads = task->rows->threads;
    status = trop_norm_lp_open(&lp, task);
    if (status != TROP_OK) {
        return status;
    }
    /* No right side but 0: W = 0 and any lambda with A' lambda = 0, such as 0. */
    out->end = lp.unit > 0 ? TROP_NORM_STALLED : TROP_NORM_DONE;
    walk.factor = 0.1;
    walk.least = fmin(fmax(1e-3 * task->tolerance, 1e-15), 1e-6);
    if (lp.unit > 0 && trop_norm_lp_start(&lp)) {
        /* The l2 pair itself first, lambda v being 0 there. */
        lp.after.length = INFINITY;
        lp.mu = 1.0;
        lp.nu = 1e-300;
        point_make(&lp, &lp.at);
        bounds_try(&walk, &lp);
        lp.nu = NU_START;
        point_make(&lp, &lp.at);
        status = follow(&walk, &lp);
    }
    task->rows->threads = threads;
    trop_norm_lp_close(&lp);
    return status;
}

const struct trop_norm trop_norm_lp = {
    .name = "lp",
    .meaning = "(sum |W_ab|^p)^(1/p), 1 < p < infinity",
    .exponent = TROP_NORM_P,
    .judged = TROP_MARGIN_CHECK_LP,
    .test = "margin, l3",
    .test_norm = 0.17907506515321023, /* 1 / (3^1.5 + 4^1.5)^(2/3) */
    .tolerance_of = tolerance,
    .solve = solve,
};
