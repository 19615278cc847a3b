/* flow_watch.c -- what can be watched of a step, by name. */
#include "flow/flow_read.h"

#include "base/log.h"
#include "base/status.h"

#include <math.h>

NUMBER(read_residual, residual)
INTEGER(read_clusters, clusters)
INTEGER(read_switches, switches)
NUMBER(read_diameter, diameter)
NUMBER(read_gap, gap_max)
NUMBER(read_energy, energy)
NUMBER(read_margin, margin_min)
INTEGER(read_leader_count, leaders)
NUMBER(read_potential, observed[TROP_FLOW_POTENTIAL].value)
NUMBER(read_potential_rise, observed[TROP_FLOW_POTENTIAL].rise)
NUMBER(read_spread, observed[TROP_FLOW_SPREAD].value)
NUMBER(read_spread_rise, observed[TROP_FLOW_SPREAD].rise)
NUMBER(read_support_rise, observed[TROP_FLOW_SUPPORT].rise)
NUMBER(read_energy_fall, energy_fall)
NUMBER(read_gap_worst, gap_worst)
NUMBER(read_origin_distance, origin_distance)
NUMBER(read_volume, volume)
NUMBER(read_outside, outside)
INTEGER(read_vertices, vertices)
INTEGER(read_origin, origin)

INTEGER(read_steps, step)

TROP_FIELD(read_time)
{
    FLOW;
    if (trop_flow_is_ode(f)) {
        trop_field_number(out, f->time);
    }
}

TROP_FIELD(read_log_step)
{
    FLOW;
    double counted = f->step > 0 ? trop_log10((double)f->step) : -INFINITY;
    trop_field_number(out, isnan(f->log10_steps) ? counted : f->log10_steps);
}

TROP_FIELD(read_log_time)
{
    FLOW;
    if (f->slow && trop_flow_is_sphere(f)) {
        trop_field_number(out, f->log10_time);
    }
}

TROP_FIELD(read_tokens)
{
    FLOW;
    trop_field_table_of(out, f->full, f->n, f->d, "token", "coordinate");
}

TROP_FIELD(read_dirichlet)
{
    FLOW;
    if (trop_flow_has_sets(f)) {
        trop_field_number(out, f->observed[TROP_FLOW_DIRICHLET].value);
    }
}

TROP_FIELD(read_dirichlet_rise)
{
    FLOW;
    if (trop_flow_has_sets(f)) {
        trop_field_number(out, f->observed[TROP_FLOW_DIRICHLET].rise);
    }
}

TROP_FIELD(read_support)
{
    FLOW;
    trop_field_numbers(out, f->support, 2 * f->d, "direction");
}

/* The bound speaks of a constant step, and of the layer. */
static int has_bound(const struct trop_flow *f)
{
    return f->options.dynamics == TROP_DYNAMICS_LAYER && f->rule == &trop_rule_hardmax &&
           f->gamma.kind == TROP_SCHEDULE_CONSTANT && !f->step_map;
}

TROP_FIELD(read_gap_bound)
{
    FLOW;
    if (has_bound(f)) {
        trop_field_number(out, f->gap_bound);
    }
}

TROP_FIELD(read_gap_ratio)
{
    FLOW;
    if (has_bound(f)) {
        trop_field_number(out, f->gap_ratio);
    }
}

/* In the order of enum trop_flow_watched. */
static const struct trop_field watch[] = {
    { "step", "steps taken", read_steps, NULL },
    { "time", "time of an ODE", read_time, NULL },
    { "residual", "max_i |avg_i - x_i|", read_residual, NULL },
    { "diameter", "max |x_i - x_j|", read_diameter, NULL },
    { "energy", "mean of J", read_energy, NULL },
    { "gap", "largest Frank-Wolfe gap", read_gap, NULL },
    { "margin", "smallest lead of a best score over the next point's", read_margin, NULL },
    { "leaders", "tokens that were ever alone in their own set", read_leader_count, NULL },
    { "switches", "changes of target so far", read_switches, NULL },
    { "clusters", "number of clusters", read_clusters, NULL },
    { "potential",
      "Hegselmann-Krause: sum of min(|x_i - x_j|^2, r^2), r^2 = 2 epsilon for localmax, "
      "confidence^2 otherwise",
      read_potential, NULL },
    { "potential_rise", "largest rise of it in one step so far, beyond rounding",
      read_potential_rise, NULL },
    { "dirichlet", "sum of |x_i - x_j|^2 over j in the set of i", read_dirichlet, NULL },
    { "dirichlet_rise", "largest rise of it in one step so far", read_dirichlet_rise, NULL },
    { "spread", "largest distance to the mean of the initial tokens", read_spread, NULL },
    { "spread_rise", "largest rise of it in one step so far", read_spread_rise, NULL },
    { "support", "max <u, x_i> for u = +e_1, -e_1, +e_2, ...", read_support, NULL },
    { "support_rise", "largest rise of one of them in one step so far", read_support_rise, NULL },
    { "energy_fall", "largest fall of a token's J in one step so far", read_energy_fall, NULL },
    { "gap_least", "largest over tokens of the least gap so far", read_gap_worst, NULL },
    { "gap_bound", "its bound, (max J - J_i at the start)/(gamma t), largest over tokens",
      read_gap_bound, NULL },
    { "gap_ratio", "largest over tokens of least gap over bound: at most 1 for B >= 0",
      read_gap_ratio, NULL },
    { "vertices", "vertices of the hull", read_vertices, NULL },
    { "contains_origin",
      "1: the origin is in the hull, 0: it is not, -1: within rounding of its boundary",
      read_origin, NULL },
    { "origin_distance", "from the origin to the hull", read_origin_distance, NULL },
    { "volume", "of the hull, 0 when it is flat", read_volume, NULL },
    { "outside", "largest distance of a token to the hull of the initial ones", read_outside,
      NULL },
    { "log10_step", "decimal logarithm of the steps taken", read_log_step, NULL },
    { "log10_time", "decimal logarithm of the time of leaps on the sphere", read_log_time, NULL },
    { "tokens", "the tokens themselves", read_tokens, NULL },
    { 0 },
};

const struct trop_field *trop_flow_watch_table(void)
{
    return watch;
}

enum trop_status trop_flow_watch(struct trop_flow *flow, uint64_t fields)
{
    if (fields >> (TROP_FLOW_WATCH_TOKENS + 1)) {
        return trop_fail(TROP_ERR_ARG, "watch: there are %d fields", TROP_FLOW_WATCH_TOKENS + 1);
    }
    flow->watched = fields;
    flow->looked = 0;
    return TROP_OK;
}
