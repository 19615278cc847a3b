/* flow_watch.c -- what can be watched of a step, by name. */
#include "flow/flow_read.h"

#include "base/math/log.h"
#include "base/option.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define OBSERVED(quantity, member) NUMBER(state.observed[TROP_FLOW_##quantity].member)

int trop_flow_has_time(const void *flow, int64_t row)
{
    (void)row;
    return ((const struct trop_flow *)flow)->dynamics->continuous;
}

int trop_flow_has_log_time(const void *flow, int64_t row)
{
    const struct trop_flow *f = flow;

    (void)row;
    return f->engines.slow && f->dynamics->sphere;
}

int trop_flow_has_interaction(const void *flow, int64_t row)
{
    const struct trop_flow *f = flow;

    (void)row;
    return f->dynamics->sphere && f->rule->exponential && f->options.mask == TROP_MASK_FULL;
}

enum trop_status trop_flow_read_log_steps(struct trop_value *out, void *flow, int64_t row)
{
    const struct trop_flow *f = flow;
    double counted = f->state.step > 0 ? trop_log10((double)f->state.step) : -INFINITY;

    (void)row;
    trop_field_number(out, isnan(f->state.log10_steps) ? counted : f->state.log10_steps);
    return TROP_OK;
}

static int has_sets(const void *handle, int64_t row)
{
    (void)row;
    return trop_flow_has_sets(handle);
}

/* The bound speaks of a constant step, and of the layer. */
static int has_bound(const void *handle, int64_t row)
{
    const struct trop_flow *f = handle;

    (void)row;
    return f->dynamics->closed_form && f->rule->best_only &&
           f->gamma.kind == TROP_SCHEDULE_CONSTANT && !f->step_map;
}

/* In the order of enum trop_flow_watched. */
static const struct trop_field watch[] = {
    { "step", "number of steps taken", INTEGER(state.step) },
    { "time", "time of an ODE", NUMBER(state.time), .when = trop_flow_has_time },
    { "residual", "max_i |avg_i - x_i|", NUMBER(seen.residual) },
    { "diameter", "max |x_i - x_j|", NUMBER(seen.diameter) },
    { "energy", "mean of J", NUMBER(seen.energy) },
    { "gap", "largest Frank-Wolfe gap", NUMBER(seen.gap_max) },
    { "margin", "smallest lead of a best score over the next point's", NUMBER(seen.margin_min) },
    { "leaders", "tokens that were alone in their own neighbour set at some step",
      INTEGER(seen.leaders) },
    { "switches", "changes of target so far", INTEGER(state.switches) },
    { "clusters", "number of clusters", INTEGER(seen.clusters) },
    { "potential",
      "Hegselmann-Krause: sum of min(|x_i - x_j|^2, r^2), r^2 = 2 epsilon for localmax, "
      "confidence^2 otherwise",
      OBSERVED(POTENTIAL, value) },
    { "potential_rise", "largest rise of it in one step so far, beyond rounding",
      OBSERVED(POTENTIAL, rise) },
    { "dirichlet", "sum of |x_i - x_j|^2 over j in the set of i", OBSERVED(DIRICHLET, value),
      .when = has_sets },
    { "dirichlet_rise", "largest rise of it in one step so far", OBSERVED(DIRICHLET, rise),
      .when = has_sets },
    { "spread", "largest distance to the mean of the initial tokens", OBSERVED(SPREAD, value) },
    { "spread_rise", "largest rise of it in one step so far", OBSERVED(SPREAD, rise) },
    { "support", "max <u, x_i> for u = +e_1, -e_1, +e_2, ...", .kind = TROP_KIND_NUMBERS,
      AT(state.support), .axes = { { "direction", LENGTH(directions) } } },
    { "support_rise", "largest rise of one of them in one step so far", OBSERVED(SUPPORT, rise) },
    { "energy_fall", "largest fall of a token's J in one step so far", NUMBER(state.energy_fall) },
    { "gap_least", "largest over tokens of the least gap so far", NUMBER(seen.gap_worst) },
    { "gap_bound", "bound of gap_least, (max J - J_i at the start)/(gamma t), largest over tokens",
      NUMBER(seen.gap_bound), .when = has_bound },
    { "gap_ratio", "largest over tokens of least gap over bound: at most 1 for B >= 0",
      NUMBER(seen.gap_ratio), .when = has_bound },
    { "vertices", "vertices of the hull", INTEGER(seen.vertices) },
    { "contains_origin",
      "1: the origin is in the hull, 0: it is not, -1: within rounding of its boundary",
      INTEGER(seen.origin) },
    { "origin_distance", "distance from the origin to the hull", NUMBER(seen.origin_distance) },
    { "volume", "volume of the hull, 0 when it is flat", NUMBER(seen.volume) },
    { "outside", "largest distance of a token to the hull of the initial ones",
      NUMBER(seen.outside) },
    { "log10_step", "decimal logarithm of the steps taken", .read = trop_flow_read_log_steps },
    { "log10_time", "decimal logarithm of the time of leaps on the sphere",
      NUMBER(state.log10_time), .when = trop_flow_has_log_time },
    { "tokens", "the tokens themselves", TOKENS(seen.full) },
    { "interaction",
      "energy of the flow on the sphere: sum_ij m_i m_j exp(beta (s_ij - 1)) / (2 beta M^2)",
      NUMBER(seen.interaction), .when = trop_flow_has_interaction },
    { 0 },
};

const struct trop_field *trop_flow_watch_table(void)
{
    return watch;
}

/* ---- by name ------------------------------------------------------------------------------- */

enum trop_status trop_flow_watch_next(const struct trop_field **out, const char **names,
                                      const char *option)
{
    char name[64];
    int64_t k = 0;
    size_t length = strcspn(*names, ",");

    snprintf(name, sizeof name, "%.*s", (int)(length < 63 ? length : 63), *names);
    while (watch[k].name && strcmp(watch[k].name, name) != 0) {
        k++;
    }
    if (!watch[k].name) {
        const char *nearest = NULL;
        int64_t least = 1 + (int64_t)strlen(name) / 3;
        char list[640] = "";
        size_t used = 0;

        for (const struct trop_field *field = watch; field->name; field++) {
            int64_t distance = trop_option_distance(name, field->name);
            if (*name && distance <= least && (!nearest || distance < least)) {
                least = distance;
                nearest = field->name;
            }
            int put =
                snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", field->name);
            used += (size_t)put < sizeof list - used ? (size_t)put : 0;
        }
        return trop_fail(TROP_ERR_ARG, "%s = %s: not a field%s%s%s; there are %s", option, name,
                         nearest ? ", did you mean " : "", nearest ? nearest : "",
                         nearest ? "?" : "", list);
    }
    *out = watch + k;
    *names = (*names)[length] ? *names + length + 1 : NULL;
    return TROP_OK;
}

enum trop_status trop_flow_watch(struct trop_flow *flow, const char *names)
{
    const struct trop_field *field;
    uint64_t watched = 0;

    for (const char *left = names && *names ? names : NULL; left;) {
        enum trop_status status = trop_flow_watch_next(&field, &left, "watch");
        if (status != TROP_OK) {
            return status;
        }
        watched |= UINT64_C(1) << (field - watch);
    }
    flow->watched = watched;
    flow->seen.looked = 0;
    return TROP_OK;
}
