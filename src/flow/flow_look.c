/* flow_look.c -- what is seen of the present state: residual, gap, energy, leaders.
 *
 * A leader is a token that was ever alone in its own set. The flag is kept once set:
 * followers reach their leader to the last bit, after which the leader is no longer
 * alone.
 *
 * The target of a token is the one its query scores highest, when that is one point.
 * Several tokens at that point are one target: the one followed before stays.
 */
#include "flow/flow_read.h"

#include "attend/decide.h"
#include "base/math/exp.h"
#include "base/status.h"
#include "shape/cloud.h"

#include <math.h>
#include <string.h>

static void follow(struct trop_flow *f, int64_t i, const struct trop_attend_note *note)
{
    int64_t before = f->state.target[i], now = note->unique ? f->state.head[note->best] : -1;

    if (trop_flow_is_piecewise(f) && before >= 0) {
        return; /* the pieces keep the targets: at a switch two points are equally good */
    }
    if (now >= 0 && before >= 0 &&
        trop_decide_equal(f->state.x + f->state.owner[before] * f->d,
                          f->state.x + note->best * f->d, f->d)) {
        return;
    }
    if (before >= 0 && now >= 0) {
        f->state.switches++;
        f->state.last_switch = f->state.step;
    }
    f->state.target[i] = now;
}

void trop_flow_notice(struct trop_flow *f)
{
    if (f->state.proved) {
        return;
    }
    for (int64_t i = 0; i < f->n; i++) {
        const struct trop_attend_note *note = f->seen.notes + f->state.owner[i];
        follow(f, i, note);
        if (note->alone && f->state.crowd[f->state.owner[i]] == 1) {
            f->state.led[i] = 1;
        }
    }
}

/* E = sum_ij m_i m_j exp(beta (s_ij - 1)) / (2 beta M^2), whose gradient is the velocity of USA
 * (Geshkovski, Koubbi, Polyanskiy, Rigollet, "Dynamic metastability in the self-attention model",
 * with exp(-beta) as there: 1/(2 beta) when all tokens of the sphere are in one place). The sum
 * over j is known: the scale of a row is its logarithm. */
static double interaction(const struct trop_flow *f, double mass)
{
    const double beta = trop_schedule_at(&f->options.beta, trop_flow_clock(f));
    double sum = 0;

    for (int64_t i = 0; i < f->state.live; i++) {
        sum = fma(f->state.mass[i] / mass, trop_exp(f->seen.notes[i].scale - beta) / mass, sum);
    }
    return sum / (2 * beta);
}

enum trop_status trop_flow_look(struct trop_flow *f)
{
    if (f->seen.looked) {
        return TROP_OK;
    }
    enum trop_status status =
        trop_flow_velocity(f, f->seen.displacement, f->state.x, trop_flow_clock(f),
                           trop_flow_watches(f, TROP_FLOW_WATCH_MARGIN) != 0);
    if (status != TROP_OK) {
        return status;
    }
    trop_flow_notice(f);
    /* Sums over tokens run in index order: n additions, once per look. */
    double energy = 0, mass = 0;
    f->seen.gap_max = f->seen.residual = 0;
    f->seen.margin_min = INFINITY;
    for (int64_t i = 0; i < f->state.live; i++) {
        double r = 0;
        for (int64_t c = 0; c < f->d; c++) {
            r = fma(f->seen.displacement[i * f->d + c], f->seen.displacement[i * f->d + c], r);
        }
        /* Squares that leave double are taken again with care. */
        r = r > 0x1p-900 && r < 0x1p900
                ? sqrt(r)
                : trop_cloud_radius(f->seen.displacement + i * f->d, 1, f->d);
        f->seen.residual = r > f->seen.residual ? r : f->seen.residual;
        f->seen.gap_max =
            f->seen.notes[i].gap > f->seen.gap_max ? f->seen.notes[i].gap : f->seen.gap_max;
        f->seen.margin_min = f->seen.notes[i].margin < f->seen.margin_min ? f->seen.notes[i].margin
                                                                          : f->seen.margin_min;
        energy = fma(f->state.mass[i], f->seen.notes[i].energy, energy);
        mass += f->state.mass[i];
    }
    f->seen.energy = energy / mass;
    if (!(fabs(energy) > 0x1p-900 && isfinite(f->seen.energy))) { /* the sum may have left double */
        f->seen.energy = 0;
        for (int64_t i = 0; i < f->state.live; i++) {
            f->seen.energy = fma(f->state.mass[i] / mass, f->seen.notes[i].energy, f->seen.energy);
        }
    }
    if (trop_flow_has_interaction(f, 0)) {
        f->seen.interaction = interaction(f, mass);
    }
    f->seen.leaders = 0;
    for (int64_t i = 0; i < f->n; i++) {
        f->seen.leaders += f->state.led[i];
    }
    if (trop_flow_watches(f, TROP_FLOW_WATCH_DIAMETER)) {
        f->seen.diameter = trop_cloud_diameter(f->state.x, f->state.live, f->d, f->engines.order,
                                               f->engines.far, f->engines.attend);
    }
    if (trop_flow_watches(f, TROP_FLOW_WATCH_CLUSTERS)) {
        f->seen.clusters = trop_cloud_clusters(f->verdict.labels, f->state.x, f->state.live, f->d,
                                               f->options.cluster * f->diameter0, f->engines.order,
                                               f->engines.parent);
    }
    f->seen.looked = 1;
    return f->watched ? trop_flow_observe(f) : TROP_OK;
}
