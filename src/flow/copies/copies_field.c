/* copies_field.c -- one step of eight copies side by side.
 *
 * The step of dynamics_layer.c, or of ode.c with the field of flow_field.c (Euler and
 * Runge-Kutta, in space and on the sphere), in the same order of operations: a lane has the bits
 * of its copy alone. What the lanes cannot do is found before a bit is used:
 *
 *   - numbers whose products may leave double are scaled in attend_load.c: a cloud of size below
 *     2^-401 or from 2^400 on is in doubt;
 *   - where beta times the rounding error of a score matters, softmax compares scores exactly
 *     (rule_softmax.c). With reach_c = max_j |x_jc| and the like for queries, the bound of decide.c
 *     on these two is at least that of every row, since rounding is monotone; so a copy with beta
 *     times that bound negligible has no such row;
 *   - comparisons of hardmax and localmax that the bound leaves open.
 */
#include "flow/copies/copies.h"

#include "attend/decide.h"
#include "base/math/exp.h"
#include "base/math/log.h"

#include <math.h>
#include <string.h>

/* ---- numbers of the present time ------------------------------------------------------------- */

/* The numbers of a lane at time t; 0 when there are none, which the flow will say. */
static int tell(struct trop_copies_worker *w, struct trop_copies_lane *lane, double t)
{
    struct trop_rule_numbers numbers;
    struct trop_flow *f = w->flow;

    if (lane->ready) {
        return 1;
    }
    trop_copies_point_put(f, &lane->point);
    f->state.step = lane->step;
    if (trop_flow_numbers(&numbers, f, t) != TROP_OK) {
        return 0;
    }
    lane->beta_now = numbers.beta;
    lane->epsilon_now = numbers.epsilon;
    if (!f->dynamics->continuous && trop_flow_gamma(&lane->gamma_now, f) != TROP_OK) {
        return 0;
    }
    lane->ready = !w->copies->varies;
    return 1;
}

/* ---- the field ------------------------------------------------------------------------------- */

static int in_range(double size)
{
    return size == 0 || (size >= 0x1p-401 && size < 0x1p400);
}

/* The smallest and the largest size of the clouds, reach (d) being theirs. */
static void sizes(double *least, double *most, const double *reach, int64_t d)
{
    double size[TROP_LANES] = { 0 };

    for (int64_t c = 0; c < d; c++, reach += TROP_LANES) {
        for (int l = 0; l < TROP_LANES; l++) {
            size[l] = reach[l] > size[l] ? reach[l] : size[l];
        }
    }
    *least = *most = size[0];
    for (int l = 1; l < TROP_LANES; l++) {
        *least = size[l] < *least ? size[l] : *least;
        *most = size[l] > *most ? size[l] : *most;
    }
}

/* 1 when no lane of softmax is in doubt, by the largest of their sizes and of their beta: bounds
 * grow with these, so that each lane's own are smaller. */
static int bound_together(struct trop_copies_worker *w)
{
    struct trop_kernel_group *g = &w->group;
    double least_x, most_x, least_y, most_y, beta = 0;

    sizes(&least_x, &most_x, w->reach_x, g->d);
    least_y = least_x;
    most_y = most_x;
    if (g->y != g->x) {
        sizes(&least_y, &most_y, w->reach_y, g->d);
    }
    if (!w->flow->rule->exponential || !in_range(least_x) || !in_range(least_y) ||
        !in_range(most_x) || !in_range(most_y) || least_x == 0 || least_y == 0) {
        return 0;
    }
    for (int l = 0; l < TROP_LANES; l++) {
        beta = g->beta[l] > beta ? g->beta[l] : beta;
    }
    for (int64_t c = 0; c < g->d; c++) {
        w->edge[c] = most_x;
        w->edge[g->d + c] = most_y;
    }
    struct trop_scene scene = { .numbers.beta = beta };
    struct trop_row row = { .scene = &scene };
    row.bound = trop_decide_bound(w->edge + g->d, w->edge, g->d);
    return 2.01 * (double)g->d * most_x * most_y * beta <= TROP_KERNEL_NEAR &&
           !trop_row_coarse(&row);
}

/* One lane's bounds, from the reach of its tokens and queries; 0: in doubt. */
static int bound_lane(struct trop_copies_worker *w, int l)
{
    struct trop_kernel_group *g = &w->group;
    double *edge_x = w->edge, *edge_y = w->edge + g->d, most_x = 0, most_y = 0, size = 0;

    for (int64_t c = 0; c < g->d; c++) {
        edge_x[c] = w->reach_x[c * TROP_LANES + l];
        edge_y[c] = w->reach_y[c * TROP_LANES + l];
        most_x = fmax(most_x, edge_x[c]);
        most_y = fmax(most_y, edge_y[c]);
        size += edge_x[c] * edge_y[c];
    }
    if (!in_range(most_x) || !in_range(most_y)) {
        return 0;
    }
    g->slack[l] = trop_decide_bound(edge_y, edge_x, g->d);
    /* beta s_j and what is subtracted are at most beta times this, up to rounding: |y| |k| is
     * at most sqrt(d) |y|_max sqrt(d) |k|_max. */
    double most = (double)g->d * most_x * most_y;
    if (!(2.01 * fmax(size, most) * g->beta[l] <= TROP_KERNEL_NEAR)) {
        g->near = 0;
    }
    struct trop_scene scene = { .numbers.beta = g->beta[l] };
    struct trop_row row = { .scene = &scene, .bound = g->slack[l] };
    return !w->flow->rule->exponential || !trop_row_coarse(&row);
}

/* Queries and bounds of the tokens x at the times of the lanes; the lanes in doubt. */
static unsigned load(struct trop_copies_worker *w, const double *x, const double *times)
{
    struct trop_kernel_group *g = &w->group;
    const struct trop_matrix *b = &w->flow->options.cloud.key_query;
    int uses_beta = w->flow->rule->uses & TROP_RULE_USES_BETA;
    double sign[TROP_LANES];
    unsigned doubt = 0, all = (1u << TROP_LANES) - 1;

    g->same = 0;
    g->multiple = b->values ? 0 : fabs(b->scale);
    for (int l = 0; l < TROP_LANES; l++) {
        struct trop_copies_lane *lane = w->lanes + l;
        int fine = lane->copy < 0 || tell(w, lane, times[l]);
        doubt |= (unsigned)!fine << l;
        sign[l] = fine && uses_beta && lane->beta_now < 0 ? -1 : 1;
        g->beta[l] = lane->copy < 0 || !fine ? 0 : fabs(lane->beta_now);
        g->cut[l] = lane->copy < 0 || !fine ? 0 : lane->epsilon_now;
        g->same |= (unsigned)(!b->values && sign[l] * b->scale > 0) << l;
    }
    g->x = x;
    g->y = x;
    w->kernel->reach(w->reach_x, x, g->n, g->d);
    if (g->same == all && g->multiple == 1) {
        memcpy(w->reach_y, w->reach_x, (size_t)(g->d * TROP_LANES) * sizeof *w->reach_y);
    } else {
        w->kernel->query(w->y, x, g->n, g->d, b->values, b->scale, sign);
        w->kernel->reach(w->reach_y, w->y, g->n, g->d);
        g->y = w->y;
    }
    int together = bound_together(w);
    g->near = 1;
    for (int l = 0; l < TROP_LANES && !together; l++) {
        doubt |= (unsigned)(w->lanes[l].copy >= 0 && !bound_lane(w, l)) << l;
    }
    return doubt;
}

/* The factors of USA, in place of the sums of weights; the lanes that have none. */
static unsigned factors(struct trop_copies_worker *w, double *total)
{
    struct trop_kernel_group *g = &w->group;
    int shifted = w->flow->options.usa == TROP_USA_SHIFTED;
    double log_mass = trop_log((double)g->n);
    unsigned doubt = 0;

    for (int64_t k = 0; k < g->n * TROP_LANES; k++) {
        int l = (int)(k % TROP_LANES);
        const struct trop_copies_lane *lane = w->lanes + l;
        if (lane->copy < 0) {
            continue;
        }
        double scale = g->shift[k] + trop_log(total[k]);
        total[k] = trop_exp(scale - (shifted ? lane->beta_now : 0) - log_mass);
        doubt |= (unsigned)!isfinite(total[k]) << l;
    }
    return doubt;
}

/* The factors of dynamics_sa_step.c, from avg - x, likewise. */
static unsigned shortened(struct trop_copies_worker *w, double *factor, const double *move,
                          const double *x, double scale)
{
    const struct trop_kernel_group *g = &w->group;
    unsigned doubt = 0;

    for (int64_t i = 0; i < g->n; i++) {
        for (int l = 0; l < TROP_LANES; l++) {
            double along = 0;
            for (int64_t c = 0; c < g->d; c++) {
                const int64_t at = (i * g->d + c) * TROP_LANES + l;
                along = fma(x[at], scale * move[at], along);
            }
            const double rest = fma(w->lanes[l].gamma_now, along + scale, 1);
            factor[i * TROP_LANES + l] = 1 / rest;
            doubt |= (unsigned)(w->lanes[l].copy >= 0 && !(rest > 0)) << l;
        }
    }
    return doubt;
}

/* ---- rows that the bound leaves open --------------------------------------------------------- */

/* One row of hardmax in one lane, by the exact comparisons of row.c on the flow's copy of the
 * lane. Maximisers at one place are one: whatever is done with ties, the average is that place. */
static void settle_row(struct trop_copies_worker *w, int64_t i, int l)
{
    struct trop_kernel_group *g = &w->group;
    const struct trop_flow *f = w->flow;
    int64_t d = g->d, count = 0;
    double top = -INFINITY, *score = w->stash; /* free until the step is taken */
    struct trop_scene scene = { .d = d, .keys = f->state.x };
    struct trop_row row = { .scene = &scene, .y = w->edge, .tied = w->candidates };

    trop_copies_gather(w->edge, g->y + i * d * TROP_LANES, d, l);
    for (int64_t j = 0; j < g->n; j++) {
        double s = w->edge[0] * f->state.x[j * d];
        for (int64_t c = 1; c < d; c++) {
            s = fma(w->edge[c], f->state.x[j * d + c], s);
        }
        score[j] = s;
        top = s > top ? s : top;
    }
    for (int64_t j = 0; j < g->n; j++) {
        if (score[j] >= top - 2 * g->slack[l]) {
            w->candidates[count++] = j;
        }
    }
    trop_row_settle(&row, count);
    g->doubt |= (unsigned)!row.distinct << l;
    g->best[i * TROP_LANES + l] = (double)row.best;
    for (int64_t c = 0; c < d; c++) {
        double move = (f->state.x[row.best * d + c] - f->state.x[i * d + c]) + 0.0;
        g->move[(i * d + c) * TROP_LANES + l] = move;
    }
}

/* move = the velocity at x; the lanes in doubt. */
static unsigned field(struct trop_copies_worker *w, double *move, const double *x,
                      const double *times)
{
    struct trop_kernel_group *g = &w->group;
    const struct trop_rule *rule = w->flow->rule;
    double value = w->flow->options.value.scale;

    g->move = move;
    g->doubt = load(w, x, times);
    g->ties = 0;
    rule->lanes(w->kernel, g);
    if (rule->best_only) {
        /* Settles what ties there are; then none is left but between distinct places. */
        for (int l = 0; l < TROP_LANES; l++) {
            if (!(g->ties >> l & 1) || w->lanes[l].copy < 0) {
                continue;
            }
            trop_copies_gather(w->flow->state.x, g->x, g->n * g->d, l);
            for (int64_t i = 0; i < g->n && !(g->doubt >> l & 1); i++) {
                if (g->tied[i] >> l & 1) {
                    settle_row(w, i, l);
                }
            }
        }
        g->ties = 0;
    }
    if (!w->flow->dynamics->sphere) {
        return g->doubt;
    }
    if (w->flow->dynamics->unprojected) {
        g->doubt |= shortened(w, g->total, move, x, isnan(value) ? 1 : value);
    }
    w->kernel->tangent(move, x, isnan(value) ? 1 : value, g->n, g->d);
    if (w->flow->dynamics->unprojected) {
        w->kernel->stretch(move, g->total, g->n, g->d);
    }
    if (w->flow->dynamics->unnormalised) {
        g->doubt |= factors(w, g->total);
        w->kernel->stretch(move, g->total, g->n, g->d);
    }
    return g->doubt;
}

/* ---- the step -------------------------------------------------------------------------------- */

static unsigned layer(struct trop_copies_worker *w)
{
    double gamma[TROP_LANES], times[TROP_LANES];
    const struct trop_kernel_group *g = &w->group;

    for (int l = 0; l < TROP_LANES; l++) {
        times[l] = (double)w->lanes[l].step;
    }
    unsigned doubt = field(w, w->k, w->x, times);
    for (int l = 0; l < TROP_LANES; l++) {
        gamma[l] = w->lanes[l].copy < 0 ? 0 : w->lanes[l].gamma_now;
    }
    w->kernel->advance(w->next, w->x, w->k, gamma, g->n * g->d);
    for (int l = 0; l < TROP_LANES; l++) {
        if (gamma[l] == 1) {
            /* Where gamma = 1 and the average is one token's place, it is that place
             * (dynamics_layer.c). */
            int soft = w->flow->rule->exponential, hard = w->flow->rule->best_only;

            for (int64_t i = 0; i < g->n; i++) {
                int one = g->n == 1 || hard || (!soft && g->count[i * TROP_LANES + l] == 1);
                int64_t best = g->n == 1 || soft ? 0 : (int64_t)g->best[i * TROP_LANES + l];
                for (int64_t c = 0; one && c < g->d; c++) {
                    w->next[(i * g->d + c) * TROP_LANES + l] =
                        w->x[(best * g->d + c) * TROP_LANES + l];
                }
            }
        }
    }
    return doubt;
}

/* A fixed-step method from its tableau, as in ode.c: row s of a has s entries. */
static unsigned integrate(struct trop_copies_worker *w, int stages, const double *a,
                          const double *b)
{
    const struct trop_kernel_group *g = &w->group;
    const struct trop_flow_options *o = &w->flow->options;
    int64_t count = g->n * g->d;
    double taken[TROP_LANES], times[TROP_LANES];

    for (int l = 0; l < TROP_LANES; l++) {
        times[l] = w->lanes[l].time;
        taken[l] = trop_ode_taken(times[l], o->dt, o->time);
        w->lanes[l].gamma_now = taken[l];
    }
    unsigned doubt = field(w, w->k, w->x, times);
    for (int s = 1; s < stages; s++) {
        double c = 0, later[TROP_LANES];
        for (int r = 0; r < s; r++) {
            c += a[r];
        }
        for (int l = 0; l < TROP_LANES; l++) {
            later[l] = times[l] + c * taken[l];
        }
        w->kernel->combine(w->trial, w->x, w->k, taken, a, s, count);
        doubt |= field(w, w->k + s * count * TROP_LANES, w->trial, later);
        a += s;
    }
    w->kernel->combine(w->next, w->x, w->k, taken, b, stages, count);
    return w->flow->dynamics->sphere ? doubt | w->kernel->project(w->next, g->n, g->d) : doubt;
}

unsigned trop_copies_move(struct trop_copies_worker *w)
{
    static const double euler[] = { 1 };
    static const double a[] = { 0.5, 0, 0.5, 0, 0, 1 };
    static const double b[] = { 1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6 };

    if (!w->flow->dynamics->continuous) {
        return layer(w);
    }
    return w->flow->integrator == &trop_ode_euler ? integrate(w, 1, NULL, euler)
                                                  : integrate(w, 4, a, b);
}

/* ---- sets ------------------------------------------------------------------------------------ */

/* 1 when two rows of localmax have one set in this lane: eight columns in a word. */
static int same_set(const struct trop_kernel_group *g, int64_t i, int64_t j, int lane)
{
    uint64_t ones = 0x0101010101010101u << lane;

    for (int64_t m = 0; m < g->width; m += 8) {
        uint64_t a, b;
        memcpy(&a, g->member + i * g->width + m, sizeof a);
        memcpy(&b, g->member + j * g->width + m, sizeof b);
        if ((a ^ b) & ones) {
            return 0;
        }
    }
    return 1;
}

/* What flow_proof.c asks before it tries: the one that a token follows and the one that this one
 * follows have equal sets. */
int trop_copies_settled(const struct trop_copies_worker *w, int lane)
{
    const struct trop_kernel_group *g = &w->group;
    int hard = w->flow->rule->best_only;

    for (int64_t i = 0; i < g->n; i++) {
        int64_t leader = (int64_t)g->best[i * TROP_LANES + lane];
        int64_t next = (int64_t)g->best[leader * TROP_LANES + lane];
        int same = hard ? next == (int64_t)g->best[next * TROP_LANES + lane]
                        : same_set(g, leader, next, lane);
        if (!same) {
            return 0;
        }
    }
    return 1;
}
