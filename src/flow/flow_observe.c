/* flow_observe.c -- what is watched over a run, step by step.
 *
 *   Lyapunov candidates (claims lm-thm-hk, lm-thm-t1): Hegselmann-Krause potential,
 *   directed Dirichlet energy, largest distance to the initial mean, support functions along
 *   the axes. Each keeps its largest one-step rise, so that a rise between two records is
 *   found and not averaged away.
 *
 *   Energies: the largest one-step fall of a token's J = <Bx, x>/2, which for hardmax and
 *   B >= 0 is none (claim fw-rem-energy).
 *
 *   Gaps: from the same claim, with E = <Bx, x>/2 and a constant gamma,
 *
 *     gamma gap_i^s <= E_i^{s+1} - E_i^s,   so
 *     min_{s<t} gap_i^s <= (max_j E_j^t - E_i^0) / (gamma t),
 *
 *   the maximum over the hull of a convex E being one over tokens.
 *
 *   The hull: its vertices, whether it holds the origin, its volume, and how far a token is
 *   outside the initial hull (V that is no multiple of I can make it grow: claim fw-lem-hull).
 *
 * A rise counts when it exceeds what rounding can make: the error of the sum itself, and the
 * rounding of the last two states, 2 u R in a coordinate each. A function that moves by at most
 * G when every token moves by 1 has 4 u R G of that: G = 1 for spread and support; for sums of
 * m_i m_j |x_i - x_j|^2 over pairs, G = 4 M sqrt(sum) by Cauchy and Schwarz, M the whole mass.
 */
#include "flow/flow.h"

#include "base/alloc.h"
#include "base/status.h"
#include "shape/cloud.h"
#include "shape/lyapunov.h"

#include <math.h>
#include <string.h>

#define BIT(field) ((uint64_t)1 << TROP_FLOW_WATCH_##field)
#define LYAPUNOV \
    (BIT(POTENTIAL) | BIT(POTENTIAL_RISE) | BIT(DIRICHLET) | BIT(DIRICHLET_RISE) | BIT(SPREAD) | \
     BIT(SPREAD_RISE) | BIT(SUPPORT) | BIT(SUPPORT_RISE))
#define ENERGIES (BIT(ENERGY_FALL) | BIT(GAP_LEAST) | BIT(GAP_BOUND) | BIT(GAP_RATIO))
#define HULL (BIT(VERTICES) | BIT(ORIGIN) | BIT(ORIGIN_DISTANCE) | BIT(VOLUME) | BIT(OUTSIDE))

void trop_flow_observe_free(struct trop_flow *f)
{
    TROP_FREE(f->state.support, f->centre0, f->state.energy_first, f->state.energy_last,
              f->state.gap_least);
    trop_hull_free(f->engines.hull0);
}

enum trop_status trop_flow_observe_create(struct trop_flow *f)
{
    f->directions = 2 * f->d;
    if (!TROP_ALLOC(TROP_PART(f->state.support, 2 * f->directions), TROP_PART(f->centre0, f->d),
                    TROP_PART(f->state.energy_first, f->n), TROP_PART(f->state.energy_last, f->n),
                    TROP_PART(f->state.gap_least, f->n))) {
        return trop_fail(TROP_ERR_MEMORY, "no memory to watch %lld tokens", (long long)f->n);
    }
    f->state.observed_at = -1;
    return TROP_OK;
}

int trop_flow_observes_each(const struct trop_flow *f)
{
    return (f->watched & (LYAPUNOV | ENERGIES)) != 0;
}

/* ---- Lyapunov candidates --------------------------------------------------------------------- */

static int watches_either(const struct trop_flow *f, enum trop_flow_watched value)
{
    return trop_flow_watches(f, value) || trop_flow_watches(f, value + 1);
}

/* first says that no step came before. */
static void take(struct trop_flow_observed *out, struct trop_lyapunov now, int64_t step, int first)
{
    double rise = now.value - out->value;

    if (!first && rise > out->error + now.error) {
        out->rises++;
        if (rise > out->rise) {
            out->rise = rise;
            out->rise_step = step;
        }
    }
    out->value = now.value;
    out->error = now.error;
}

/* What the rounding of a state does to a sum of squares over pairs. */
static struct trop_lyapunov with_rounding(struct trop_lyapunov sum, const struct trop_flow *f)
{
    double mass = 0;

    for (int64_t i = 0; i < f->state.live; i++) {
        mass += f->state.mass[i];
    }
    sum.error += 16 * 0x1p-53 * f->radius0 * mass * sqrt(sum.value);
    return sum;
}

/* r^2: 2 epsilon for localmax (claim lm-thm-t10), the radius of confidence elsewhere. */
static double reach(const struct trop_flow *f)
{
    struct trop_rule_numbers numbers;

    if (f->rule->neighbours && (f->rule->uses & TROP_RULE_USES_EPSILON) &&
        trop_flow_numbers(&numbers, f, trop_flow_clock(f)) == TROP_OK) {
        return 2 * numbers.epsilon;
    }
    return f->options.confidence * f->options.confidence;
}

static enum trop_status observe_lyapunov(struct trop_flow *f, int first)
{
    const double *mass = f->options.cloud.masses || f->state.live < f->n ? f->state.mass : NULL;

    if (watches_either(f, TROP_FLOW_WATCH_POTENTIAL)) {
        struct trop_lyapunov now =
            trop_lyapunov_potential(f->state.x, mass, f->state.live, f->d, reach(f));
        take(f->state.observed + TROP_FLOW_POTENTIAL, with_rounding(now, f), f->state.step, first);
    }
    if (watches_either(f, TROP_FLOW_WATCH_DIRICHLET) && trop_flow_has_sets(f)) {
        /* What was loaded may have gone with the diameter. */
        enum trop_status status = trop_flow_load(f, f->state.x, trop_flow_clock(f));
        if (status != TROP_OK) {
            return status;
        }
        struct trop_lyapunov now = trop_lyapunov_dirichlet(f->engines.attend);
        take(f->state.observed + TROP_FLOW_DIRICHLET, with_rounding(now, f), f->state.step, first);
    }
    if (watches_either(f, TROP_FLOW_WATCH_SPREAD)) {
        struct trop_lyapunov now =
            trop_lyapunov_spread(f->state.x, f->state.live, f->d, f->centre0);
        now.error += 4 * 0x1p-53 * f->radius0;
        take(f->state.observed + TROP_FLOW_SPREAD, now, f->state.step, first);
    }
    if (watches_either(f, TROP_FLOW_WATCH_SUPPORT)) {
        /* All 2 d directions at once; the value shown is the largest rise among them. */
        struct trop_flow_observed *out = f->state.observed + TROP_FLOW_SUPPORT;
        double *now = f->state.support, *before = f->state.support + f->directions, rise = 0;

        trop_lyapunov_support(now, f->state.x, f->state.live, f->d);
        for (int64_t k = 0; k < f->directions; k++) {
            rise = fmax(rise, first ? 0 : now[k] - before[k]);
            before[k] = now[k];
        }
        if (rise > 4 * 0x1p-53 * f->radius0) {
            out->rises++;
            out->rise_step = rise > out->rise ? f->state.step : out->rise_step;
            out->rise = fmax(rise, out->rise);
        }
    }
    return TROP_OK;
}

/* ---- energies and gaps ----------------------------------------------------------------------- */

static void observe_energies(struct trop_flow *f, int first)
{
    double top = -INFINITY;

    for (int64_t i = 0; i < f->n; i++) {
        const struct trop_attend_note *note = f->seen.notes + f->state.owner[i];
        top = fmax(top, note->energy);
        if (first) {
            f->state.energy_first[i] = note->energy;
            f->state.gap_least[i] = INFINITY;
        } else {
            f->state.energy_fall =
                fmax(f->state.energy_fall, f->state.energy_last[i] - note->energy);
        }
        f->state.energy_last[i] = note->energy;
    }
    /* The gaps seen so far are those of the steps before this one: none at the start. */
    f->seen.gap_worst = f->seen.gap_bound = f->state.step > 0 ? 0 : INFINITY;
    f->seen.gap_ratio = f->state.step > 0 ? 0 : NAN;
    double gamma = trop_schedule_at(&f->gamma, (double)f->state.step);
    for (int64_t i = 0; i < f->n && f->state.step > 0; i++) {
        double bound = (top - f->state.energy_first[i]) / (gamma * (double)f->state.step);
        f->seen.gap_worst = fmax(f->seen.gap_worst, f->state.gap_least[i]);
        f->seen.gap_bound = fmax(f->seen.gap_bound, bound);
        f->seen.gap_ratio =
            fmax(f->seen.gap_ratio, f->state.gap_least[i] > 0 ? f->state.gap_least[i] / bound : 0);
    }
    for (int64_t i = 0; i < f->n; i++) {
        f->state.gap_least[i] = fmin(f->state.gap_least[i], f->seen.notes[f->state.owner[i]].gap);
    }
}

/* ---- the hull -------------------------------------------------------------------- */

static enum trop_status observe_outside(struct trop_flow *f)
{
    struct trop_hull_position place;
    enum trop_status status = TROP_OK;

    f->seen.outside = 0;
    if (!f->engines.hull0) {
        status = trop_hull_create(&f->engines.hull0, f->initial, f->n, f->d, f->workers);
    }
    for (int64_t i = 0; i < f->state.live && status == TROP_OK; i++) {
        status = trop_hull_place(&place, NULL, NULL, NULL, f->engines.hull0, f->state.x + i * f->d);
        if (status == TROP_OK && place.side == TROP_SIDE_OUTSIDE) {
            f->seen.outside = fmax(f->seen.outside, place.distance);
        }
    }
    return status;
}

static enum trop_status observe_hull(struct trop_flow *f)
{
    struct trop_hull *hull = NULL;
    struct trop_hull_position place;
    struct trop_hull_measures measures;
    const int64_t *vertices;
    enum trop_status status = trop_hull_create(&hull, f->state.x, f->state.live, f->d, f->workers);

    if (status == TROP_OK) {
        memset(f->engines.far, 0, (size_t)f->d * sizeof *f->engines.far);
        f->seen.vertices = trop_hull_vertices(&vertices, hull);
        status = trop_hull_place(&place, NULL, NULL, NULL, hull, f->engines.far);
    }
    if (status == TROP_OK && trop_flow_watches(f, TROP_FLOW_WATCH_VOLUME)) {
        status = trop_hull_measure(&measures, hull);
        f->seen.volume =
            status == TROP_OK && trop_hull_dimension(hull) == f->d ? measures.volume : 0;
    }
    if (status == TROP_OK) {
        f->seen.origin = place.side == TROP_SIDE_INSIDE    ? 1
                         : place.side == TROP_SIDE_OUTSIDE ? 0
                                                           : -1;
        f->seen.origin_distance = place.distance;
    }
    trop_hull_free(hull);
    if (status == TROP_OK && trop_flow_watches(f, TROP_FLOW_WATCH_OUTSIDE)) {
        status = observe_outside(f);
    }
    return status;
}

/* ---- all of them ----------------------------------------------------------------- */

enum trop_status trop_flow_observe(struct trop_flow *f)
{
    int first = f->state.observed_at < 0;

    if ((f->watched & HULL) != 0) {
        enum trop_status status = observe_hull(f);
        if (status != TROP_OK) {
            return status;
        }
    }
    /* Each step once: a second look at it is no step. */
    if (f->state.step == f->state.observed_at || !trop_flow_observes_each(f)) {
        return TROP_OK;
    }
    if (first) {
        double total = 0;
        for (int64_t i = 0; i < f->n; i++) {
            total += f->options.cloud.masses ? f->options.cloud.masses[i] : 1;
        }
        for (int64_t c = 0; c < f->d; c++) {
            double sum = 0;
            for (int64_t i = 0; i < f->n; i++) {
                sum = fma((f->options.cloud.masses ? f->options.cloud.masses[i] : 1) / total,
                          f->initial[i * f->d + c], sum);
            }
            f->centre0[c] = sum;
        }
    }
    f->state.observed_at = f->state.step;
    if ((f->watched & ENERGIES) != 0) {
        observe_energies(f, first);
    }
    return (f->watched & LYAPUNOV) != 0 ? observe_lyapunov(f, first) : TROP_OK;
}
