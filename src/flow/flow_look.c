/* flow_look.c -- what is seen of the present state: residual, gap, energy, leaders.
 *
 * A leader is a token that was ever alone in its own set. The flag is kept once set:
 * followers reach their leader to the last bit, after which the leader is no longer
 * alone.
 *
 * The target of a token is the one its query scores highest, when that is one point.
 * Several tokens at that point are one target: the one followed before stays.
 */
#include "flow/flow.h"

#include "attend/decide.h"
#include "base/status.h"
#include "shape/cloud.h"

#include <math.h>
#include <string.h>

static void follow(struct trop_flow *f, int64_t i, const struct trop_attend_note *note)
{
    int64_t before = f->target[i], now = note->unique ? f->head[note->best] : -1;

    if (trop_flow_is_piecewise(f) && before >= 0) {
        return; /* the pieces keep the targets: at a switch two points are equally good */
    }
    if (now >= 0 && before >= 0 &&
        trop_decide_equal(f->x + f->owner[before] * f->d, f->x + note->best * f->d, f->d)) {
        return;
    }
    if (before >= 0 && now >= 0) {
        f->switches++;
        f->last_switch = f->step;
    }
    f->target[i] = now;
}

void trop_flow_notice(struct trop_flow *f)
{
    if (f->proved) {
        return;
    }
    for (int64_t i = 0; i < f->n; i++) {
        const struct trop_attend_note *note = f->notes + f->owner[i];
        follow(f, i, note);
        if (note->alone && f->crowd[f->owner[i]] == 1) {
            f->led[i] = 1;
        }
    }
}

/* Sums over tokens run in index order: n additions, once per look. */
static void summarise(struct trop_flow *f)
{
    double energy = 0, mass = 0;

    f->gap_max = f->residual = 0;
    f->margin_min = INFINITY;
    for (int64_t i = 0; i < f->live; i++) {
        double r = 0;
        for (int64_t c = 0; c < f->d; c++) {
            r = fma(f->displacement[i * f->d + c], f->displacement[i * f->d + c], r);
        }
        /* Squares that leave double are taken again with care. */
        r = r > 0x1p-900 && r < 0x1p900 ? sqrt(r)
                                        : trop_cloud_radius(f->displacement + i * f->d, 1, f->d);
        f->residual = r > f->residual ? r : f->residual;
        f->gap_max = f->notes[i].gap > f->gap_max ? f->notes[i].gap : f->gap_max;
        f->margin_min = f->notes[i].margin < f->margin_min ? f->notes[i].margin : f->margin_min;
        energy = fma(f->mass[i], f->notes[i].energy, energy);
        mass += f->mass[i];
    }
    f->energy = energy / mass;
    if (!(fabs(energy) > 0x1p-900 && isfinite(f->energy))) { /* the sum may have left double */
        f->energy = 0;
        for (int64_t i = 0; i < f->live; i++) {
            f->energy = fma(f->mass[i] / mass, f->notes[i].energy, f->energy);
        }
    }
    f->leaders = 0;
    for (int64_t i = 0; i < f->n; i++) {
        f->leaders += f->led[i];
    }
    if (trop_flow_watches(f, TROP_FLOW_WATCH_DIAMETER)) {
        f->diameter = trop_cloud_diameter(f->x, f->live, f->d, f->order, f->far, f->attend);
    }
    if (trop_flow_watches(f, TROP_FLOW_WATCH_CLUSTERS)) {
        f->clusters = trop_cloud_clusters(f->labels, f->x, f->live, f->d,
                                          f->options.cluster * f->diameter0, f->order, f->parent);
    }
}

enum trop_status trop_flow_look(struct trop_flow *f)
{
    if (f->looked) {
        return TROP_OK;
    }
    enum trop_status status = trop_flow_velocity(f, f->displacement, f->x, trop_flow_clock(f),
                                                 trop_flow_watches(f, TROP_FLOW_WATCH_MARGIN) != 0);
    if (status != TROP_OK) {
        return status;
    }
    trop_flow_notice(f);
    summarise(f);
    f->looked = 1;
    return f->watched ? trop_flow_observe(f) : TROP_OK;
}
