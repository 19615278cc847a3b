/* slow.c -- a softmax flow followed through slow times: leaps, steps, merges, events.
 *
 * Tokens that have come together are one heavy token. What is left moves slowly most of the
 * time and fast for a few hundred steps when two heavy tokens meet. A move is
 *
 *   a leap    while g changes by q per step with q^2 below the tolerance (flow/slow/leap.c), and
 *             always on the sphere, whose flow is an ODE at any speed;
 *   a step    of the map otherwise, and for the first 256, which are exact therefore; after leaps,
 *             from a whole number of steps on, as far as the tolerance knows it.
 *
 * Beyond 1/tolerance steps it is not known between which two of them a fast phase begins. Where
 * the map jumps (gamma near 1) the places after it depend on that, and so do the times of later
 * events (by up to 6% in 29 clouds at gamma = 0.9; below the tolerance at 0.1). A smaller
 * tolerance knows for longer.
 *
 * On the sphere two tokens that join do so at a rate of order one, which an explicit method has to
 * follow however slow the rest is: there they become one at a distance that changes exponents by
 * less than the tolerance, above the noise of the method's own errors.
 *
 * The clock is a count while it is below 2^53 and a logarithm always: leaps add their time by
 * log(e^a + e^b). An event (a token that leaves its group, say) is met inside a move; a leap is
 * then repeated from its start with shorter and shorter arcs until the place is found. Progress
 * decides: the time of an event is right relative to itself, which is all that can be asked where
 * speeds grow by e^(c beta) at every merge.
 */
#include "flow/slow/slow.h"

#include "attend/attend.h"
#include "base/alloc.h"
#include "base/math/exp.h"
#include "base/linalg.h"
#include "base/math/log.h"
#include "base/status.h"
#include "shape/cloud.h"

#include <math.h>
#include <string.h>

#define COUNTED 0x1p53
#define HALVINGS 60 /* of an arc, to find an event */
#define EXACT 256   /* steps of the map that are always taken one by one */
#define PATIENCE 64 /* leaps without progress */
#define CLOSE 1e-9  /* of the time: a clock this near stands there */

void trop_slow_free(struct trop_slow *slow)
{
    if (!slow) {
        return;
    }
    trop_leap_free(slow->leap);
    TROP_FREE(slow->x, slow->low, slow->mass, slow->owner, slow->speed, slow->saved, slow->labels,
              slow->order, slow->parent, slow->merges, slow->mark, slow);
}

static int allocate(struct trop_slow *s)
{
    int64_t n = s->n, size = trop_alloc_product(n, s->d);

    return TROP_ALLOC(TROP_PART(s->x, size), TROP_PART(s->low, size), TROP_PART(s->mass, n),
                      TROP_PART(s->owner, n), TROP_PART(s->speed, size),
                      TROP_PART(s->saved, trop_alloc_product(2, size)), TROP_PART(s->labels, n),
                      TROP_PART(s->order, n), TROP_PART(s->parent, n), TROP_PART(s->merges, n),
                      TROP_PART(s->mark, size)) &&
           trop_leap_create(&s->leap, n, s->d) == TROP_OK;
}

/* Exponents beta <B x, y> are right to an ulp of themselves: beyond 1e12 that is no small part
 * of one, and times are noise. Squares of distances must be numbers. */
static enum trop_status check(const struct trop_slow_options *options)
{
    const struct trop_leap_model *m = &options->model;
    const struct trop_matrix *b = m->key_query;
    double radius = trop_cloud_radius(options->x, m->n, m->d);
    double size = b->values ? trop_linalg_norm(b->values, m->d * m->d) : fabs(b->scale);

    if (!(fabs(m->beta) * size * radius * radius <= 1e12)) {
        return trop_fail(TROP_ERR_NUMERIC,
                         "beta = %g: beta |B| |x|^2 is %g, leaps need it at most 1e12", m->beta,
                         fabs(m->beta) * size * radius * radius);
    }
    if (radius > 0 && !(radius > 1e-150 && radius < 1e150)) {
        return trop_fail(TROP_ERR_NUMERIC,
                         "tokens: the largest is %g long, leaps need it "
                         "between 1e-150 and 1e150",
                         radius);
    }
    return TROP_OK;
}

enum trop_status trop_slow_create(struct trop_slow **out, const struct trop_slow_options *options)
{
    enum trop_status fine = check(options);
    if (fine != TROP_OK) {
        return fine;
    }
    struct trop_slow *s = trop_alloc(1, sizeof *s);
    if (!s) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a slow flow");
    }
    s->model = options->model;
    s->n = s->live = options->model.n;
    s->d = options->model.d;
    if (!allocate(s)) {
        trop_slow_free(s);
        return trop_fail(TROP_ERR_MEMORY, "no memory for a slow flow of %lld tokens",
                         (long long)options->model.n);
    }
    memcpy(s->x, options->x, (size_t)(s->n * s->d) * sizeof *s->x);
    s->model.mass = s->mass;
    s->model.total_mass = 0;
    for (int64_t i = 0; i < s->n; i++) {
        s->mass[i] = options->mass ? options->mass[i] : 1;
        s->model.total_mass += s->mass[i];
        s->owner[i] = i;
    }
    s->clock = (struct trop_slow_clock){ 0, -INFINITY };
    s->tolerance = options->tolerance;
    s->merge = options->merge;
    memcpy(s->mark, s->x, (size_t)(s->n * s->d) * sizeof *s->x);
    /* The lengths of the problem. |B x| is convex and tokens stay in their hull (or on the sphere):
     * exponents never change faster than at the start. */
    double query = 0;
    s->radius = trop_cloud_radius(s->x, s->n, s->d);
    for (int64_t i = 0; i < s->n; i++) {
        trop_attend_query(s->speed, s->x + i * s->d, s->d, s->model.key_query);
        query = fmax(query, trop_linalg_norm(s->speed, s->d));
    }
    double change = 1 + fabs(s->model.beta) * s->radius * query, quick = s->model.gamma * change;
    s->length = s->radius / change;
    s->reach = 0.1 * s->length;
    /* Where leaps, not steps, follow tokens that join: see above. */
    if (s->model.sphere || quick * quick < s->tolerance) {
        s->merge = fmax(s->merge, s->tolerance * s->length);
    }
    *out = s;
    return TROP_OK;
}

/* ---- the clock ------------------------------------------------------------------------------- */

/* log(e^a + e^b). */
static double log_sum(double a, double b)
{
    double top = fmax(a, b), gap = -fabs(a - b);

    return top == -INFINITY ? top : top + trop_log1p(trop_exp(gap));
}

static void advance(struct trop_slow_clock *clock, double log_time)
{
    if (log_time < 40) {
        clock->count += trop_exp(log_time);
    }
    clock->log = log_sum(clock->log, log_time);
    if (!(clock->count < COUNTED && log_time < 40)) {
        clock->count = INFINITY;
    } else if (clock->count > 1) {
        clock->log = trop_log(clock->count); /* the count is the better number */
    }
}

int trop_slow_is_over(const struct trop_slow *s, double log_most)
{
    return s->clock.log >= log_most - CLOSE;
}

/* ---- merging --------------------------------------------------------------------------------- */

/* The mean of J by mass, J as the flow has it: with -B when beta is negative. */
static double mean_energy(struct trop_slow *s)
{
    double sum = 0, total = 0, half = s->model.beta < 0 ? -0.5 : 0.5;

    for (int64_t i = 0; i < s->live; i++) {
        const double *x = s->x + i * s->d;
        trop_attend_query(s->speed, x, s->d, s->model.key_query);
        sum = fma(s->mass[i], half * trop_linalg_dot(s->speed, x, s->d), sum);
        total += s->mass[i];
    }
    return sum / total;
}

/* |x + low|^2 - 1 of a token, to more than double precision (squares and sums without error). */
static double excess(const double *x, const double *low, int64_t d)
{
    double sum = -1, rest = 0;

    for (int64_t c = 0; c < d; c++) {
        double square = x[c] * x[c], next = sum + square, part = next - sum;
        rest += fma(x[c], x[c], -square) + 2 * x[c] * low[c];
        rest += (sum - (next - part)) + (square - part);
        sum = next;
    }
    return sum + rest;
}

/* Back to the sphere, without rounding away what is below an ulp. */
static void project(struct trop_slow *s)
{
    for (int64_t i = 0; s->model.sphere && i < s->live; i++) {
        double *x = s->x + i * s->d, *low = s->low + i * s->d;
        double e = excess(x, low, s->d), factor = -e / (1 + e + sqrt(1 + e));
        for (int64_t c = 0; c < s->d; c++) {
            double moved = fma(factor, x[c], low[c]), sum = x[c] + moved;
            low[c] = moved - (sum - x[c]);
            x[c] = sum;
        }
    }
}

static void merge(struct trop_slow *s)
{
    int64_t count =
        trop_cloud_clusters(s->labels, s->x, s->live, s->d, s->merge, s->order, s->parent);

    if (count == s->live) {
        return;
    }
    /* Live tokens with one label become one at their mean by mass, taken from the first. */
    int64_t d = s->d;
    for (int64_t g = 0; g < count; g++) {
        int64_t first = -1;
        double total = 0;
        double *mean = s->speed + g * d;
        memset(mean, 0, (size_t)d * sizeof *mean);
        for (int64_t i = 0; i < s->live; i++) {
            if (s->labels[i] != g) {
                continue;
            }
            first = first < 0 ? i : first;
            total += s->mass[i];
            for (int64_t c = 0; c < d; c++) {
                mean[c] = fma(s->mass[i], s->x[i * d + c] - s->x[first * d + c], mean[c]);
            }
        }
        /* Labels count in the order of first members: first >= g, nothing is overwritten early. */
        for (int64_t c = 0; c < d; c++) {
            s->x[g * d + c] = s->x[first * d + c] + mean[c] / total;
            s->low[g * d + c] = s->low[first * d + c];
        }
        s->order[g] = first;
        s->saved[g] = total;
    }
    memcpy(s->mass, s->saved, (size_t)count * sizeof *s->mass);
    for (int64_t i = 0; i < s->n; i++) {
        s->owner[i] = s->labels[s->owner[i]];
    }
    s->live = s->model.n = count;
    project(s);
    s->merges[s->merged++] = (struct trop_slow_merge){ s->clock.log, count, mean_energy(s) };
    s->marked = s->leaps;
    memcpy(s->mark, s->x, (size_t)(s->live * s->d) * sizeof *s->x);
    /* Speeds are others now; so is the arc that suits them. */
    s->reach = fmax(s->reach, 0.1 * s->length);
}

/* ---- moves ----------------------------------------------------------------------------------- */

static void restore(struct trop_slow *s)
{
    size_t size = (size_t)(s->live * s->d) * sizeof *s->x;

    memcpy(s->x, s->saved, size);
    memcpy(s->low, s->saved + s->n * s->d, size);
}

/* An arc of at most reach from the saved state; *reach becomes the next one's. */
static enum trop_status leap(struct trop_slow *s, double *log_time, double *reach, double log_most)
{
    /* Errors of a few leaps add up within the tolerance. */
    struct trop_leap_goal goal = { log_most, s->clock.log, 0.25 * s->tolerance, 0.1 * s->length };
    enum trop_status status =
        trop_leap_run(log_time, s->leap, &s->model, s->x, s->low, reach, &goal);

    if (status == TROP_OK) {
        project(s);
    }
    return status;
}

static double event_value(const struct trop_slow_event *event, const struct trop_slow *s)
{
    return event ? event->value(event->context, s) : -1;
}

/* The event lies within the arc that was just taken: the least arc that ends past it. */
static enum trop_status pin_down(struct trop_slow *s, double *log_time, double taken,
                                 struct trop_slow_event *event)
{
    double below = 0, above = taken;
    enum trop_status status = TROP_OK;

    for (int k = 0; k < HALVINGS && above - below > 1e-3 * s->tolerance * above; k++) {
        double middle = 0.5 * (below + above), arc = middle;
        restore(s);
        status = leap(s, log_time, &arc, INFINITY);
        if (status != TROP_OK) {
            return status;
        }
        if (event_value(event, s) > 0) {
            above = trop_leap_arc(s->leap);
        } else {
            below = trop_leap_arc(s->leap);
        }
    }
    restore(s);
    status = leap(s, log_time, &above, INFINITY);
    /* Should the last leap have come short, the next move goes on from there. */
    event->happened = status == TROP_OK && event_value(event, s) > 0;
    return status;
}

/* 1 when g changes by so little per step that leaps follow the map to `factor` times the
 * tolerance. On the sphere there is no map. */
static int is_slow(struct trop_slow *s, double factor)
{
    struct trop_leap_speed speed;

    if (s->model.sphere) {
        return 1;
    }
    speed = trop_leap_velocity(s->speed, s->leap, &s->model, s->x);
    return speed.quick * speed.quick < factor * s->tolerance;
}

/* The longest leap that neither passes the time nor ends where the map is no longer slow. */
static enum trop_status longest_leap(struct trop_slow *s, double *log_time, double room,
                                     double factor)
{
    enum trop_status status = TROP_OK;

    size_t size = (size_t)(s->live * s->d) * sizeof *s->x;
    memcpy(s->saved, s->x, size);
    memcpy(s->saved + s->n * s->d, s->low, size);
    for (int k = 0; k < HALVINGS; k++) {
        double arc = s->reach;
        restore(s);
        status = leap(s, log_time, &arc, room);
        if (status != TROP_OK) {
            return status;
        }
        double taken = trop_leap_arc(s->leap);
        if (*log_time > room + 1e-12) {
            s->reach = taken * trop_exp(room - *log_time); /* it slowed down on the way */
        } else if (!is_slow(s, factor) && taken > 0x1p-40 * s->length) {
            /* (A token that symmetry keeps at rest is let go by the least of arcs.) */
            s->reach = 0.5 * taken;
        } else {
            s->reach = k > 0 ? taken : arc;
            break;
        }
    }
    return status;
}

/* Leaps end in a dance around a stable equilibrium: tokens that have not moved by more than the
 * tolerance in PATIENCE leaps (not counting those that time cut short) are at rest. */
static void watch(struct trop_slow *s, int cut)
{
    double moved = 0;

    s->marked += cut;
    if (s->leaps - s->marked < PATIENCE) {
        return;
    }
    for (int64_t k = 0; k < s->live * s->d; k++) {
        moved = fmax(moved, fabs(s->x[k] - s->mark[k]));
    }
    s->resting = moved < s->tolerance * s->length;
    s->marked = s->leaps;
    memcpy(s->mark, s->x, (size_t)(s->live * s->d) * sizeof *s->x);
}

static enum trop_status move_by_leap(struct trop_slow *s, double room, double factor,
                                     struct trop_slow_event *event)
{
    double log_time;
    enum trop_status status = longest_leap(s, &log_time, room, factor);

    if (status == TROP_OK && event_value(event, s) > 0) {
        status = pin_down(s, &log_time, trop_leap_arc(s->leap), event);
    }
    if (status == TROP_OK) {
        s->leaps++;
        advance(&s->clock, log_time);
        watch(s, log_time > room - 1);
    }
    return status;
}

enum trop_status trop_slow_move(struct trop_slow *s, double log_most, struct trop_slow_event *event)
{
    enum trop_status status = TROP_OK;

    if (s->leaps + s->steps == 0) {
        merge(s); /* tokens that start at one place */
    }
    if (event_value(event, s) > 0) {
        event->happened = 1;
        return TROP_OK;
    }
    struct trop_leap_speed speed = trop_leap_velocity(s->speed, s->leap, &s->model, s->x);
    double room = log_most > s->clock.log
                      ? log_most + trop_log(-trop_expm1(s->clock.log - log_most))
                      : -INFINITY;
    s->resting = speed.log == -INFINITY;
    if (s->resting || room == -INFINITY) {
        return TROP_OK;
    }
    double q2 = s->model.sphere ? 0 : speed.quick * speed.quick;
    int steps = !s->model.sphere && s->clock.count < EXACT;
    double part = ceil(s->clock.count) - s->clock.count;
    if (!steps && q2 < s->tolerance) {
        status = move_by_leap(s, room, 4, event);
    } else if (!steps && q2 < 4 * s->tolerance && part > CLOSE * s->clock.count) {
        /* Steps begin at a whole number of them: a map that jumps shows it forever. */
        status = move_by_leap(s, fmin(room, trop_log(part)), 16, event);
    } else {
        /* One step of the map, from the velocity that is known, or as much of it as there is time
         * for. */
        double log_time = room > -CLOSE ? 0 : room, factor = trop_exp(speed.log + log_time);
        for (int64_t k = 0; k < s->live * s->d; k++) {
            double moved = fma(factor, s->speed[k], s->low[k]), sum = s->x[k] + moved;
            s->low[k] = moved - (sum - s->x[k]);
            s->x[k] = sum;
        }
        s->steps++;
        advance(&s->clock, log_time);
        if (event_value(event, s) > 0) {
            event->happened = 1;
        }
    }
    if (status == TROP_OK) {
        merge(s);
    }
    return status;
}
