/* flow_piece_path.c -- the exact solution of the hardmax ODE while leaders stay.
 *
 * Between switches sigma is constant, dx_i/dt = x_{sigma(i)} - x_i is linear, and its solution
 * is a Poisson average along the orbit of sigma:
 *
 *   x_i(tau) = sum_k e^-tau tau^k / k!  x_{sigma^k(i)}(0).
 *
 * (equation hardmax.ode of the Frank-Wolfe paper; classical solutions). All weights are
 * positive, so nothing cancels. A token whose leader rests has the closed form
 * x_l + e^-tau (x_i - x_l). Differences are taken from the token, or from the resting end of
 * its orbit once most of the weight is there: a token at its leader does not move by a bit,
 * and tau = infinity gives the leader itself.
 *
 * Errors. The sum along an orbit stops when what is left is below 2^-60; its weights have
 * relative errors of a few k u, u = 2^-53, and tau is at most LONGEST there: a longer piece
 * starts again from its own state.
 */
#include "flow/piece/flow_piece.h"

#include "base/math/exp.h"
#include "base/linalg.h"
#include "shape/cloud.h"

#include <math.h>
#include <string.h>

#define UNIT 0x1p-53
#define LONGEST 32.0
#define HALF_LIFE 0x1.62e42fefa39efp-1 /* log 2 */
#define STILL 0x1p-48                  /* speed of a cycle that has closed, over the radius */
#define FORGOTTEN 0x1p53               /* the radius of the run over that of the piece */
#define CYCLE INT64_MAX                /* the depth of a token whose orbit never rests */

void trop_flow_piece_begin(struct trop_flow_piece *p, struct trop_flow *flow)
{
    int64_t n = flow->state.live, d = flow->d;
    double *stages = flow->engines.ode->k; /* (7, n d) */

    *p = (struct trop_flow_piece){
        .f = flow,
        .n = n,
        .d = d,
        .x = flow->engines.ode->trial,
        .v = flow->engines.ode->next,
        .query = stages,
        .safe = stages + 2 * n * d,
        .from = stages + 3 * n * d,
        .speed = stages + 4 * n * d,
        .size = flow->engines.far,
        .spare = stages + 5 * n * d,
        .leader = flow->engines.order,
        .depth = flow->engines.parent,
        .next = flow->engines.picks,
        .due = flow->verdict.labels,
    };
}

/* 1 when i and its leaders are at one point, up to one that follows itself. */
static int rests(const struct trop_flow_piece *p, int64_t i)
{
    const int64_t *follows = p->f->state.follows;
    int64_t m = i;

    for (int64_t k = 0; k < p->n && follows[m] != m; k++) {
        if (!trop_decide_equal(p->f->state.x + m * p->d, p->f->state.x + follows[m] * p->d, p->d)) {
            return 0;
        }
        m = follows[m];
    }
    return 1;
}

/* leader, depth: the resting tokens have depth 0, and it spreads backwards along sigma. */
static void find_orbits(struct trop_flow_piece *p)
{
    int found = 1;

    for (int64_t i = 0; i < p->n; i++) {
        int fixed = rests(p, i);
        p->leader[i] = fixed ? i : p->f->state.follows[i];
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
 * the orbit is the anchor once the Poisson median, about depth - 1/3, has passed. x: (n, d) */
static void average_orbit(double *out, const double *x, int64_t d, const struct trop_flow_piece *p,
                          int64_t i, double tau)
{
    int64_t m = i, end = i;
    int far = p->depth[i] != CYCLE && tau > (double)p->depth[i] - 1.0 / 3;
    double weight = trop_exp(-tau);

    while (far && p->leader[end] != end) {
        end = p->leader[end];
    }
    const double *anchor = x + end * d;
    memset(out, 0, (size_t)d * sizeof *out);
    for (int64_t k = 0; !(far && m == end); k++) {
        const double *xm = x + m * d;
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
static void find_velocities(struct trop_flow_piece *p)
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

void trop_flow_piece_place(struct trop_flow_piece *p, double tau)
{
    int64_t d = p->d;

    const double *x = p->f->state.x, *size = p->f->state.size;

    p->tau = tau;
    for (int64_t i = 0; i < p->n; i++) {
        int64_t l = p->leader[i];
        if (tau == 0 || l == i) {
            memcpy(p->x + i * d, x + i * d, (size_t)d * sizeof *x);
            p->size[i] = size[i];
        } else if (p->depth[i] == 1) {
            approach(p->x + i * d, x + i * d, x + l * d, d, tau);
            approach(p->size + i, size + i, size + l, 1, tau);
        } else {
            average_orbit(p->x + i * d, x, d, p, i, tau);
            average_orbit(p->size + i, size, 1, p, i, tau);
        }
    }
    /* Past FORGOTTEN nothing is left of a cloud but rounding. */
    for (int64_t i = 0; i < p->n; i++) {
        double scaled = p->size[i] * p->scale;
        p->size[i] = scaled < FORGOTTEN ? scaled : FORGOTTEN;
    }
    find_velocities(p);
}

void trop_flow_piece_keep(struct trop_flow_piece *p)
{
    struct trop_flow_state *s = &p->f->state;

    memcpy(s->x, p->x, (size_t)(p->n * p->d) * sizeof *s->x);
    for (int64_t i = 0; i < p->n; i++) {
        s->size[i] = p->size[i] / p->scale;
    }
    s->time += p->tau;
}

/* The power of two that brings size into [1/2, 1). */
static double power_for(double size)
{
    int exponent = 0;

    frexp(size, &exponent);
    return size > 0 ? ldexp(1.0, exponent < -1000 ? 1000 : -exponent) : 1.0;
}

void trop_flow_piece_prepare(struct trop_flow_piece *p)
{
    /* Sizes at the start of the piece; the hull shrinks, so they hold to its end. */
    const struct trop_matrix *matrix = &p->f->options.cloud.key_query;
    double radius = trop_cloud_radius(p->f->state.x, p->n, p->d), far = 0, largest = 0;
    double norm =
        matrix->values ? trop_linalg_norm(matrix->values, p->d * p->d) : fabs(matrix->scale);

    for (int64_t i = 1; i < p->n; i++) {
        double distance = trop_cloud_distance(p->f->state.x, p->f->state.x + i * p->d, p->d);
        far = distance > far ? distance : far;
    }
    p->scale = power_for(radius);
    p->weight = power_for(norm);
    p->radius = radius * p->scale;
    p->norm = norm * p->weight;
    p->spread = 2 * (far * p->scale);
    find_orbits(p);
    trop_flow_piece_place(p, 0);
    for (int64_t i = 0; i < p->n; i++) {
        largest = p->size[i] > largest ? p->size[i] : largest;
    }
    p->noise = (double)(p->d + 16) * UNIT;
    p->slack = 4 * p->noise * p->norm * p->radius * largest;
}

void trop_flow_piece_redirect(struct trop_flow_piece *p)
{
    find_orbits(p);
    find_velocities(p);
}

double trop_flow_piece_longest(const struct trop_flow_piece *p)
{
    return p->deepest > 1 ? LONGEST : INFINITY;
}

int trop_flow_piece_is_still(const struct trop_flow_piece *p)
{
    double speed = 0;

    for (int64_t i = 0; i < p->n; i++) {
        speed = p->speed[i] > speed ? p->speed[i] : speed;
    }
    return p->deepest == CYCLE && speed <= STILL * p->radius;
}
