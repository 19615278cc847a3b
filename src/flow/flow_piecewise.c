/* flow_piecewise.c -- the hardmax ODE, solved piece by piece.
 *
 *   dx_i/dt = x_l - x_i,   l = sigma(i) a maximiser of <B x_i, x_j> over visible j
 *
 * (equation hardmax.ode of the Frank-Wolfe paper; classical solutions). Between
 * switches sigma is constant, the system is linear, and its solution is a Poisson
 * average along the orbit of sigma:
 *
 *   x_i(tau) = sum_k e^-tau tau^k / k!  x_{sigma^k(i)}(0).
 *
 * All weights are positive, so nothing cancels. A token whose leader rests has the
 * closed form x_l + e^-tau (x_i - x_l). Differences are taken from the token, or from
 * the resting end of its orbit once most of the weight is there: a token at its leader
 * does not move by a bit, and tau = infinity gives the leader itself.
 *
 * Switches. Token i leaves l for j when F = <B x_i, x_j - x_l> becomes positive. In the
 * variable u = 1 - e^-tau, with v the velocities,
 *
 *   F_u  = F' = <B v_i, x_j - x_l> + <B x_i, v_j - v_l>,
 *   F_uu = e^{2 tau} (<B v_si, x_j - x_l> + 2 <B v_i, v_j - v_l> + <B x_i, v_sj - v_sl>),
 *
 * si, sj, sl being the leaders of i, j, l. When those rest, F is the quadratic
 * F + F' u + <B v_i, v_j - v_l> u^2, exactly, and so is its first root: the generic case
 * is solved without a step. Otherwise each speed is at most the largest along its orbit
 * (velocities are Poisson averages too), the hull shrinks, and for u <= 1/2
 * |F_uu| <= 4 |B| (V_si D + 2 V_i (V_j + V_l) + R (V_sj + V_sl)): no root comes before
 * that of the parabola with this bound. Every token has such a safe time; the token
 * whose time comes first is looked at again there, on the exact solution from the start
 * of the piece, so that steps add no errors. The approach is quadratic, from the safe
 * side. Where F and F' vanish together the bound gives no step; a short one is taken
 * then, and a root that it passed is found by bisection.
 *
 * At a switch every pair with F = 0 and F' > 0 changes sides. If, under the new field, F
 * falls again, the trajectory is pushed back from both sides: the run ends as sliding.
 * (F' grows by <B (x_j - x_l), x_j - x_l> when i changes from l to j, so a positive
 * definite B never slides on leaders that keep their course.)
 *
 * Errors. A token carries an error of about u R, u = 2^-53 and R the radius, so F is
 * known to NOISE u (|B x_i| R + |B| R |x_j - x_l|) and F' to 4 NOISE u |B| R^2, where NOISE
 * = d + 16 covers the chains of d terms too. Below these F and F' count as zero, and a
 * switch time is known to the first divided by F'. The sum along an orbit stops when what
 * is left is below 2^-60; its weights have relative errors of a few k u, and tau is at
 * most LONGEST = 32 there: a longer piece starts again from its own state.
 *
 * Scratch: the stages of the ODE engine and the integer arrays of the judge, neither of
 * which is in use during a step.
 */
#include "flow/flow.h"

#include "attend/decide.h"
#include "base/exp.h"
#include "base/linalg.h"
#include "base/log.h"
#include "base/parallel.h"
#include "shape/cloud.h"

#include <math.h>
#include <string.h>

#define UNIT 0x1p-53
#define LONGEST 32.0
#define HALF_LIFE 0x1.62e42fefa39efp-1 /* log 2 */
#define STILL 0x1p-48                  /* speed of a cycle that has closed, over the radius */
#define ROUNDS 64                      /* switches of one token at one instant */
#define CYCLE INT64_MAX
#define NEVER INFINITY

/* x, v and what follows are at time tau of the piece; f->x is its start. v, y, w and the
 * sizes are scaled by powers of two, so that no product leaves double. */
struct piece {
    struct trop_flow *f;
    int64_t n, d;
    double tau;
    double floor;         /* least step in u, when steps have become too many */
    double *x;            /* (n, d) */
    double *v;            /* (n, d) */
    double *query;        /* (n, 2, d) y = B x_i and w = B v_i */
    double *safe;         /* (n) no switch of i comes before; -1: it is due */
    double *from;         /* (n) when i was last looked at */
    double *speed;        /* (n) largest |v| along the orbit */
    double *spare;        /* (2, d) */
    int64_t *leader;      /* (n) sigma, and i itself for a token that rests */
    int64_t *depth;       /* (n) steps to a resting token, or CYCLE */
    int64_t *next;        /* (n) scratch */
    int64_t *due;         /* (n) 0, 1: a switch is due, 2: it is overdue */
    double scale, weight; /* of tokens and of B */
    double norm, radius, spread;
    double slack; /* noise of a rate */
    int64_t deepest;
};

/* ---- the exact solution ----------------------------------------------------------------- */

static void begin(struct piece *p, struct trop_flow *f)
{
    int64_t n = f->live, d = f->d;
    double *stages = f->ode->k; /* (7, n d) */

    *p = (struct piece){
        .f = f,
        .n = n,
        .d = d,
        .x = f->ode->trial,
        .v = f->ode->next,
        .query = stages,
        .safe = stages + 2 * n * d,
        .from = stages + 3 * n * d,
        .speed = stages + 4 * n * d,
        .spare = stages + 5 * n * d,
        .leader = f->order,
        .depth = f->parent,
        .next = f->picks,
        .due = f->labels,
    };
}

/* 1 when i and its leaders are at one point, up to one that follows itself. */
static int rests(const struct piece *p, int64_t i)
{
    const int64_t *follows = p->f->follows;
    int64_t m = i;

    for (int64_t k = 0; k < p->n && follows[m] != m; k++) {
        if (!trop_decide_equal(p->f->x + m * p->d, p->f->x + follows[m] * p->d, p->d)) {
            return 0;
        }
        m = follows[m];
    }
    return 1;
}

static void find_orbits(struct piece *p)
{
    int found = 1;

    for (int64_t i = 0; i < p->n; i++) {
        int fixed = rests(p, i);
        p->leader[i] = fixed ? i : p->f->follows[i];
        p->depth[i] = fixed ? 0 : CYCLE;
    }
    p->deepest = 0;
    while (found) {
        found = 0;
        for (int64_t i = 0; i < p->n; i++) {
            int64_t ahead = p->depth[p->leader[i]];
            if (p->depth[i] == CYCLE && ahead != CYCLE) {
                p->depth[i] = ahead + 1;
                found = 1;
            }
        }
    }
    for (int64_t i = 0; i < p->n; i++) {
        p->deepest = p->depth[i] > p->deepest ? p->depth[i] : p->deepest;
    }
}

/* out (d) = anchor + sum_k e^-tau tau^k / k! (x_{sigma^k(i)} - anchor). The resting end of
 * the orbit is the anchor once the Poisson median, about depth - 1/3, has passed. */
static void average_orbit(double *out, const struct piece *p, int64_t i, double tau)
{
    int64_t d = p->d, m = i, end = i;
    int far = p->depth[i] != CYCLE && tau > (double)p->depth[i] - 1.0 / 3;
    double weight = trop_exp(-tau);

    while (far && p->leader[end] != end) {
        end = p->leader[end];
    }
    const double *anchor = p->f->x + end * d;
    memset(out, 0, (size_t)d * sizeof *out);
    for (int64_t k = 0; !(far && m == end); k++) {
        const double *xm = p->f->x + m * d;
        for (int64_t c = 0; c < d; c++) {
            out[c] = fma(weight, xm[c] - anchor[c], out[c]);
        }
        m = p->leader[m];
        weight *= tau / (double)(k + 1);
        /* Past twice tau the weights fall by halves: the next bounds what is left. */
        if ((double)k > 2 * tau && weight < 0x1p-61) {
            break;
        }
    }
    for (int64_t c = 0; c < d; c++) {
        out[c] += anchor[c];
    }
}

/* A leader at rest: from the nearer end, by the small weight. */
static void approach(double *out, const double *x, const double *goal, int64_t d, double tau)
{
    int near = tau <= HALF_LIFE;
    const double *anchor = near ? x : goal, *other = near ? goal : x;
    double weight = near ? -trop_expm1(-tau) : trop_exp(-tau);

    for (int64_t c = 0; c < d; c++) {
        out[c] = fma(weight, other[c] - anchor[c], anchor[c]);
    }
}

/* Velocities at p->x, and the largest speed along each orbit, by doubling: speed_i covers
 * the orbit from i up to next_i. */
static void find_velocities(struct piece *p)
{
    int64_t d = p->d;

    for (int64_t i = 0; i < p->n; i++) {
        int64_t l = p->leader[i];
        double square = 0;
        for (int64_t c = 0; c < d; c++) {
            double v = (p->x[l * d + c] - p->x[i * d + c]) * p->scale;
            p->v[i * d + c] = v;
            square = fma(v, v, square);
        }
        p->speed[i] = sqrt(square);
        p->next[i] = l;
    }
    for (int64_t covered = 1; covered < p->deepest && covered <= p->n; covered *= 2) {
        for (int64_t i = 0; i < p->n; i++) {
            int64_t m = p->next[i];
            p->speed[i] = p->speed[m] > p->speed[i] ? p->speed[m] : p->speed[i];
            p->next[i] = p->next[m];
        }
    }
}

/* The state at tau. */
static void place(struct piece *p, double tau)
{
    int64_t d = p->d;

    p->tau = tau;
    for (int64_t i = 0; i < p->n; i++) {
        const double *x = p->f->x + i * d;
        if (tau == 0 || p->leader[i] == i) {
            memcpy(p->x + i * d, x, (size_t)d * sizeof *x);
        } else if (p->depth[i] == 1) {
            approach(p->x + i * d, x, p->f->x + p->leader[i] * d, d, tau);
        } else {
            average_orbit(p->x + i * d, p, i, tau);
        }
    }
    find_velocities(p);
}

/* The power of two that brings size into [1/2, 1). */
static double power_for(double size)
{
    int exponent = 0;

    frexp(size, &exponent);
    return size > 0 ? ldexp(1.0, exponent < -1000 ? 1000 : -exponent) : 1.0;
}

/* Sizes at the start of the piece; the hull shrinks, so they hold to its end. */
static void measure(struct piece *p)
{
    const struct trop_matrix *matrix = &p->f->options.key_query;
    double radius = trop_cloud_radius(p->f->x, p->n, p->d), far = 0;
    double norm =
        matrix->values ? trop_linalg_norm(matrix->values, p->d * p->d) : fabs(matrix->scale);

    for (int64_t i = 1; i < p->n; i++) {
        double distance = trop_cloud_distance(p->f->x, p->f->x + i * p->d, p->d);
        far = distance > far ? distance : far;
    }
    p->scale = power_for(radius);
    p->weight = power_for(norm);
    p->radius = radius * p->scale;
    p->norm = norm * p->weight;
    p->spread = 2 * (far * p->scale);
    p->slack = 4 * (double)(p->d + 16) * UNIT * p->norm * p->radius * p->radius;
}

static void prepare(struct piece *p)
{
    measure(p);
    find_orbits(p);
    place(p, 0);
}

/* ---- when a token switches ----------------------------------------------------------------- */

/* F and its derivatives in u at p->tau, for token i and the pair (j, l). */
struct pair {
    int64_t i, j, l;
    double value, rate, curve;
    int exact; /* F is the quadratic; otherwise curve bounds F_uu / 2 */
};

static double noise_of_value(const struct piece *p, const struct pair *pair)
{
    const double *y = p->query + 2 * pair->i * p->d;
    const double *xj = p->x + pair->j * p->d, *xl = p->x + pair->l * p->d;
    double apart = 0, reach = 0;

    for (int64_t c = 0; c < p->d; c++) {
        apart += fabs((xj[c] - xl[c]) * p->scale);
        reach += fabs(y[c]);
    }
    return (double)(p->d + 16) * UNIT * p->radius * (reach + p->norm * apart);
}

/* Products and sums are rounded apart: fma is a call where the machine may lack it, and
 * this is the inner loop. */
static struct pair compare(const struct piece *p, int64_t i, int64_t j, int64_t l)
{
    int64_t d = p->d, si = p->leader[i], sj = p->leader[j], sl = p->leader[l];
    const double *xj = p->x + j * d, *xl = p->x + l * d, *vj = p->v + j * d, *vl = p->v + l * d;
    const double *y = p->query + 2 * i * d, *w = y + d;
    struct pair pair = { .i = i, .j = j, .l = l };

    for (int64_t c = 0; c < d; c++) {
        double t = (xj[c] - xl[c]) * p->scale, dv = vj[c] - vl[c];
        pair.value += y[c] * t;
        pair.rate += w[c] * t + y[c] * dv;
        pair.curve += w[c] * dv;
    }
    pair.exact = p->depth[si] == 0 && p->depth[sj] == 0 && p->depth[sl] == 0;
    if (!pair.exact) {
        pair.curve = 2 * p->norm *
                     (p->speed[si] * p->spread + 2 * p->speed[i] * (p->speed[j] + p->speed[l]) +
                      p->radius * (p->speed[sj] + p->speed[sl]));
    }
    return pair;
}

/* 1 when j and l are one point and stay one. */
static int stay_together(const struct piece *p, int64_t j, int64_t l)
{
    return (p->leader[j] == p->leader[l] || (p->depth[j] == 0 && p->depth[l] == 0)) &&
           trop_decide_equal(p->x + j * p->d, p->x + l * p->d, p->d);
}

/* The least positive root of value + rate u + curve u^2, value < 0. */
static double parabola_root(double value, double rate, double curve)
{
    double inside = rate * rate - 4 * curve * value;

    if (inside < 0) {
        return NEVER;
    }
    double root = sqrt(inside);
    if (rate > 0) {
        return -2 * value / (rate + root);
    }
    return curve > 0 ? (root - rate) / (2 * curve) : NEVER;
}

/* The largest value of the quadratic on [0, 1], less what is at 0. */
static double peak(const struct pair *pair)
{
    double top = pair->curve < 0 ? pair->rate / (-2 * pair->curve) : 1;
    return top > 0 && top < 1 ? pair->value + pair->rate * top / 2
                              : pair->value + pair->rate + pair->curve;
}

/* A lower bound of the u at which F becomes positive, where it is less than `before`; 0: it
 * does so now, and it is overdue when F is positive already. */
static double horizon(const struct piece *p, const struct pair *pair, double before, int *overdue)
{
    double value = pair->value, rate = pair->rate, curve = pair->curve, u;
    double reach = pair->exact ? 1 : 0.5, most = pair->exact ? NEVER : 0.5;
    double slack = p->slack;

    /* Nearly every pair: no root within reach. */
    reach = before < reach ? before : reach;
    if (value + (rate > 0 ? rate * reach : 0) + (curve > 0 ? curve * reach * reach : 0) < -slack) {
        return most;
    }
    double noise = noise_of_value(p, pair);
    *overdue = value > noise;
    if (*overdue) {
        return 0;
    }
    /* Tokens with one leader meet: F falls to 0 as u goes to 1, which is no switch. */
    if (stay_together(p, pair->j, pair->l) || (pair->exact && peak(pair) <= slack)) {
        return NEVER;
    }
    if (value < -noise) {
        u = parabola_root(value, rate, curve);
    } else if (rate > slack || (rate >= -slack && pair->exact)) {
        return 0; /* F = 0 and rises; if F' = 0, its exact curve does so */
    } else if (rate >= -slack) {
        u = 0x1p-3; /* nothing is known of the next moment: bisection will mend it */
    } else {
        u = curve > 0 ? -rate / curve : NEVER;
    }
    u = u > p->floor ? u : p->floor;
    return u < most ? u : most;
}

static int64_t visible(const struct piece *p, int64_t i)
{
    return p->f->options.mask == TROP_MASK_CAUSAL ? i + 1 : p->n;
}

/* out (d) = B point, scaled; point (d) is scaled already. */
static void apply(double *out, const struct piece *p, const double *point)
{
    trop_attend_query(out, point, p->d, &p->f->options.key_query);
    for (int64_t c = 0; c < p->d; c++) {
        out[c] *= p->weight;
    }
}

/* Looks at the row of token i at p->tau: safe_i, due_i. */
static void look_at(struct piece *p, int64_t i)
{
    int64_t d = p->d, l = p->f->follows[i], seen = visible(p, i);
    double *y = p->query + 2 * i * d, *w = y + d, u = NEVER;

    for (int64_t c = 0; c < d; c++) {
        w[c] = p->x[i * d + c] * p->scale;
    }
    apply(y, p, w);
    apply(w, p, p->v + i * d);
    p->due[i] = 0;
    for (int64_t j = 0; j < seen; j++) {
        if (j == l) {
            continue;
        }
        struct pair pair = compare(p, i, j, l);
        int overdue = 0;
        double next = horizon(p, &pair, u, &overdue);
        u = next < u ? next : u;
        if (next == 0 && p->due[i] < 1 + overdue) {
            p->due[i] = 1 + overdue;
        }
    }
    if (p->due[i]) {
        p->safe[i] = -1;
        return;
    }
    double step = u < 1 ? -trop_log1p(-u) : NEVER;
    double least = nextafter(p->tau, INFINITY);
    p->safe[i] = p->tau + step > least ? p->tau + step : least;
    p->from[i] = p->tau;
}

static void look_at_rows(void *context, int64_t first, int64_t last, int64_t worker)
{
    struct piece *p = context;
    (void)worker;

    for (int64_t i = first; i < last; i++) {
        if (p->due[i]) {
            look_at(p, i);
        }
    }
}

/* Looks at every token, or at those that are due. */
static void look_around(struct piece *p, int all)
{
    for (int64_t i = 0; i < p->n && all; i++) {
        p->due[i] = 1;
    }
    trop_parallel(p->f->workers, p->n, look_at_rows, p);
}

/* ---- switching --------------------------------------------------------------------------------
 */

static void slide(struct piece *p, int64_t i, int64_t one, int64_t other)
{
    struct trop_flow *f = p->f;

    f->outcome = TROP_FLOW_SLIDING;
    f->slide[0] = f->head[i];
    f->slide[1] = f->head[one];
    f->slide[2] = f->head[other];
}

/* d/dt <B x_i, x_k - x_j> while token i follows j. */
static double rate_against(const struct piece *p, int64_t i, int64_t k, int64_t j)
{
    int64_t d = p->d;
    const double *y = p->query + 2 * i * d;
    double *v = p->spare, *w = p->spare + d, turn = 0, drift = 0;

    for (int64_t c = 0; c < d; c++) {
        v[c] = (p->x[j * d + c] - p->x[i * d + c]) * p->scale;
    }
    apply(w, p, v);
    for (int64_t c = 0; c < d; c++) {
        double t = (p->x[k * d + c] - p->x[j * d + c]) * p->scale;
        double vk = k == i ? v[c] : p->v[k * d + c], vj = j == i ? v[c] : p->v[j * d + c];
        turn = fma(w[c], t, turn);
        drift = fma(y[c], vk - vj, drift);
    }
    return turn + drift;
}

static int is_due(const struct piece *p, int64_t i, int64_t j)
{
    int64_t l = p->f->follows[i];
    struct pair pair = compare(p, i, j, l);
    int overdue = 0;
    return j != l && horizon(p, &pair, NEVER, &overdue) == 0;
}

static int one_point(const struct piece *p, int64_t j, int64_t k)
{
    return trop_decide_equal(p->x + j * p->d, p->x + k * p->d, p->d);
}

/* 1 when j stays ahead of every other candidate, once token i follows it. */
static int stays_ahead(const struct piece *p, int64_t i, int64_t j)
{
    int64_t seen = visible(p, i);

    for (int64_t k = 0; k < seen; k++) {
        if (k != j && is_due(p, i, k) && !one_point(p, j, k) &&
            rate_against(p, i, k, j) > p->slack) {
            return 0;
        }
    }
    return 1;
}

/* The new leader of token i, or -1: none, or more than one, can be followed. */
static int64_t choose(struct piece *p, int64_t i)
{
    int64_t first = -1, best = -1, seen = visible(p, i);

    for (int64_t j = 0; j < seen; j++) {
        if (!is_due(p, i, j)) {
            continue;
        }
        first = first < 0 ? j : first;
        if (!stays_ahead(p, i, j)) {
            continue;
        }
        if (best >= 0 && p->f->options.ties != TROP_TIES_FIRST && !one_point(p, best, j)) {
            slide(p, i, best, j);
            return -1;
        }
        best = best < 0 ? j : best;
    }
    if (best < 0) {
        slide(p, i, p->f->follows[i], first);
    }
    return best;
}

/* Lets every token that is due switch, all at once; 0 when the run slides. due <- the
 * leader that was left, or -1. */
static int switch_leaders(struct piece *p)
{
    int64_t *follows = p->f->follows;

    for (int64_t i = 0; i < p->n; i++) {
        int64_t now = p->due[i] ? choose(p, i) : follows[i];
        if (now < 0) {
            return 0;
        }
        p->due[i] = p->due[i] ? follows[i] : -1;
        p->next[i] = now;
    }
    memcpy(follows, p->next, (size_t)p->n * sizeof *follows);
    find_orbits(p);
    find_velocities(p);
    for (int64_t i = 0; i < p->n; i++) {
        int64_t left = p->due[i];
        if (left >= 0 && !one_point(p, left, follows[i]) &&
            rate_against(p, i, left, follows[i]) > p->slack) {
            slide(p, i, left, follows[i]);
            return 0;
        }
        p->due[i] = left >= 0;
    }
    return 1;
}

/* Lets the tokens that are due (or any: all) switch until none is; with all, leaves the
 * safe times of the piece that begins. 0 when the run slides. */
static int settle(struct piece *p, int all)
{
    for (int round = 0;; round++) {
        int64_t due = -1;
        prepare(p);
        look_around(p, all);
        for (int64_t i = 0; i < p->n && due < 0; i++) {
            due = p->due[i] ? i : -1;
        }
        if (due < 0) {
            return 1;
        }
        int64_t left = p->f->follows[due];
        if (!switch_leaders(p)) {
            return 0;
        }
        if (round == ROUNDS) {
            slide(p, due, left, p->f->follows[due]);
            return 0;
        }
    }
}

/* ---- one piece ------------------------------------------------------------------------------ */

/* Leaders of tokens that have none yet; 0 when distinct points tie for one. */
static int find_leaders(struct piece *p)
{
    struct trop_flow *f = p->f;

    for (int64_t i = 0; i < p->n; i++) {
        const struct trop_attend_note *note = f->notes + i;
        if (f->follows[i] >= 0) {
            continue;
        }
        f->follows[i] = note->best;
        if (!note->unique && f->options.ties != TROP_TIES_FIRST) {
            const double *y = trop_attend_scene(f->attend)->y + i * f->d;
            const struct trop_row *row = trop_attend_look(f->attend, y, visible(p, i));
            int64_t k = 1;
            while (trop_decide_equal(f->x + row->best * f->d, f->x + row->tied[k] * f->d, f->d)) {
                k++;
            }
            slide(p, i, row->best, row->tied[k]);
            return 0;
        }
    }
    return 1;
}

static int64_t earliest(const struct piece *p)
{
    int64_t first = 0;

    for (int64_t i = 1; i < p->n; i++) {
        first = p->safe[i] < p->safe[first] ? i : first;
    }
    return first;
}

/* Token i was free to stay at from_i and is overdue now: to the first double at which a
 * switch is due. */
static void bisect(struct piece *p, int64_t i)
{
    double low = p->from[i], high = p->tau;

    for (double middle = low + (high - low) / 2; middle > low && middle < high;
         middle = low + (high - low) / 2) {
        place(p, middle);
        look_at(p, i);
        low = p->due[i] ? low : middle;
        high = p->due[i] ? middle : high;
    }
    place(p, high);
}

/* Looks again at the tokens whose safe time is now; 1 when a switch is due. */
static int look_again(struct piece *p, double tau)
{
    int found = 0;

    place(p, tau);
    for (int64_t i = 0; i < p->n && !found; i++) {
        if (p->safe[i] <= tau) {
            look_at(p, i);
            found = p->due[i] != 0;
        }
        if (found && p->due[i] == 2) {
            bisect(p, i);
        }
    }
    /* Others may be due at this very time, to rounding: the start of the next piece would
     * find them, but they belong to this switch. */
    for (int64_t i = 0; i < p->n && found; i++) {
        p->due[i] = p->safe[i] <= p->tau + 0x1p-40 * p->tau;
    }
    return found;
}

/* 1 when the tokens that run in circles have met, as far as double can tell. */
static int is_still(const struct piece *p)
{
    double speed = 0;

    for (int64_t i = 0; i < p->n; i++) {
        speed = p->speed[i] > speed ? p->speed[i] : speed;
    }
    return p->deepest == CYCLE && speed <= STILL * p->radius;
}

static void commit(struct piece *p)
{
    memcpy(p->f->x, p->x, (size_t)(p->n * p->d) * sizeof *p->x);
    p->f->time += p->tau;
}

/* From a settled state to the next switch (1) or to the end (0). */
static int march(struct piece *p)
{
    struct trop_flow *f = p->f;
    int64_t looks = 0;

    for (;;) {
        double end = f->options.time - f->time, tau = p->safe[earliest(p)];
        double most = p->deepest > 1 ? LONGEST : NEVER;
        if (is_still(p)) {
            tau = end = p->tau;
        }
        if (end <= tau && end <= most) {
            place(p, end);
            commit(p);
            f->time = f->options.time;
            return 0;
        }
        if (most < tau) {
            place(p, most);
            commit(p);
            prepare(p);
            look_around(p, 1);
            continue;
        }
        p->floor = ++looks > 1000 + 64 * p->n ? 0x1p-24 : 0;
        if (look_again(p, tau)) {
            commit(p);
            return 1;
        }
    }
}

/* Targets and their changes, by original token, as flow_look.c counts them. */
static void remember(struct trop_flow *f)
{
    for (int64_t i = 0; i < f->n; i++) {
        int64_t before = f->target[i], now = f->follows[f->owner[i]];
        if (before >= 0 &&
            trop_decide_equal(f->x + f->owner[before] * f->d, f->x + now * f->d, f->d)) {
            continue;
        }
        if (before >= 0) {
            f->switches++;
            f->last_switch = f->step + 1;
        }
        f->target[i] = f->head[now];
    }
}

enum trop_status trop_flow_piece(struct trop_flow *flow)
{
    struct piece p;
    enum trop_status status = TROP_OK;

    begin(&p, flow);
    for (int64_t i = 0; i < p.n && status == TROP_OK; i++) {
        if (flow->follows[i] < 0) {
            status = trop_flow_look(flow);
        }
    }
    if (status != TROP_OK) {
        return status;
    }
    if (find_leaders(&p) && settle(&p, 1) && march(&p) && settle(&p, 0)) {
        remember(flow);
    }
    return TROP_OK;
}
