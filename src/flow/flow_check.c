/* flow_check.c -- what the options of a flow must satisfy, one by one and together. */
#include "flow/flow.h"

#include "base/status.h"
#include "shape/cloud_options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NAMES 64 /* characters of a list of dynamics, with what words take */

/* "layer, chain and sa" of "layer|chain|sa". */
static const char *words(char out[NAMES], const char *list)
{
    int64_t at = 0;

    for (; *list && at < NAMES - 6; list++) {
        const char *text = strchr(list + 1, '|') ? ", " : " and ";
        at += snprintf(out + at, (size_t)(NAMES - at), *list == '|' ? "%s" : "%.1s",
                       *list == '|' ? text : list);
    }
    return out;
}

static enum trop_status check_rule(const struct trop_flow_options *o)
{
    const struct trop_rule *rule = trop_rule_at(o->rule);
    const struct trop_dynamics *dynamics = trop_dynamics_at(o->dynamics);

    if (dynamics->unnormalised && !rule->exponential) {
        return trop_fail(TROP_ERR_ARG, "dynamics = %s: needs rule = softmax, not %s",
                         dynamics->name, rule->name);
    }
    if (dynamics->continuous && !rule->continuous && !(dynamics->pieces && rule->best_only)) {
        return trop_fail(
            TROP_ERR_ARG,
            "rule = %s: jumps as tokens move, so it has no classical ODE; use dynamics = layer",
            rule->name);
    }
    if (o->form == TROP_FORM_PROBABILITY && o->epsilon.kind == TROP_SCHEDULE_CONSTANT &&
        (rule->uses & TROP_RULE_USES_EPSILON) && !(o->epsilon.a > 0 && o->epsilon.a <= 1)) {
        return trop_fail(TROP_ERR_ARG,
                         "epsilon = %g: form = probability needs it above 0 and at "
                         "most 1",
                         o->epsilon.a);
    }
    if (o->form == TROP_FORM_RELATIVE && o->epsilon.kind == TROP_SCHEDULE_CONSTANT &&
        (rule->uses & TROP_RULE_USES_EPSILON) && !(o->epsilon.a <= 1)) {
        return trop_fail(TROP_ERR_ARG, "epsilon = %g: form = relative needs it from 0 to 1",
                         o->epsilon.a);
    }
    return TROP_OK;
}

static enum trop_status check_step(const struct trop_flow_options *o)
{
    int has_gamma = o->gamma.kind != TROP_SCHEDULE_UNSET, has_alpha = o->alpha > 0;
    int has_value =
        o->value.values || !isnan(o->value.scale) || o->draw_value != TROP_DRAW_VALUE_NONE;
    const struct trop_dynamics *dynamics = trop_dynamics_at(o->dynamics);
    char names[NAMES];

    if (!dynamics->gamma && (has_gamma || has_alpha)) {
        return trop_fail(TROP_ERR_ARG, "%s: is for dynamics = %s", has_gamma ? "gamma" : "alpha",
                         words(names, TROP_DYNAMICS_IF_GAMMA));
    }
    if (has_gamma && has_alpha) {
        return trop_fail(TROP_ERR_ARG, "gamma and alpha: give one of them, alpha sets gamma = "
                                       "alpha/(1+alpha)");
    }
    if (has_value && (has_gamma || has_alpha) && dynamics->value) {
        return trop_fail(TROP_ERR_ARG, "value: sets the step (I+V)^-1 V, so gamma and alpha have "
                                       "no part in it");
    }
    if (has_value && !dynamics->value && o->draw_value == TROP_DRAW_VALUE_NONE) {
        return trop_fail(TROP_ERR_ARG, "value: does not apply to dynamics = %s", dynamics->name);
    }
    if (o->merge != TROP_MERGE_OFF && (o->mask == TROP_MASK_CAUSAL || dynamics->random)) {
        return trop_fail(TROP_ERR_ARG,
                         "merge: tokens at one place separate again %s%s, so they cannot be merged",
                         o->mask == TROP_MASK_CAUSAL ? "under a causal mask" : "in the ",
                         o->mask == TROP_MASK_CAUSAL ? "" : dynamics->name);
    }
    return TROP_OK;
}

static enum trop_status check_integrator(const struct trop_flow_options *o)
{
    const char *name = trop_integrator_names()[o->integrator];
    int exact = o->integrator == TROP_INTEGRATOR_EXACT;
    const struct trop_dynamics *dynamics = trop_dynamics_at(o->dynamics);
    int piecewise = dynamics->pieces && trop_rule_at(o->rule)->best_only;
    char names[NAMES];

    if (o->integrator != TROP_INTEGRATOR_AUTO && !dynamics->integrated) {
        return trop_fail(TROP_ERR_ARG, "integrator = %s: is for dynamics = %s", name,
                         words(names, TROP_DYNAMICS_IF_INTEGRATED));
    }
    if (o->integrator != TROP_INTEGRATOR_AUTO && exact != piecewise) {
        return trop_fail(TROP_ERR_ARG,
                         exact
                             ? "integrator = exact: is for dynamics = ode with rule = hardmax"
                             : "integrator = %s: the hardmax ODE jumps; it has integrator = exact",
                         name);
    }
    return TROP_OK;
}

/* Leaps follow one field forever: nothing may vary in time. */
static enum trop_status check_leap(const struct trop_flow_options *o)
{
    int varies = o->beta.kind != TROP_SCHEDULE_CONSTANT ||
                 (o->gamma.kind != TROP_SCHEDULE_UNSET && o->gamma.kind != TROP_SCHEDULE_CONSTANT);

    const struct trop_dynamics *dynamics = trop_dynamics_at(o->dynamics);
    char names[NAMES];

    if (!o->leap) {
        return TROP_OK;
    }
    if (!dynamics->leaps) {
        return trop_fail(TROP_ERR_ARG, "leap: is for dynamics = %s",
                         words(names, TROP_DYNAMICS_IF_LEAPS));
    }
    if (!trop_rule_at(o->rule)->exponential) {
        return trop_fail(TROP_ERR_ARG, "leap: is for rule = softmax; hardmax and localmax have "
                                       "their closed forms");
    }
    if (varies || o->mask != TROP_MASK_FULL || o->value.values || !isnan(o->value.scale)) {
        return trop_fail(TROP_ERR_ARG, "leap: needs constant beta and gamma, mask = full and no "
                                       "value matrix");
    }
    if (o->merge != TROP_MERGE_OFF && o->merge != TROP_MERGE_AUTO) {
        return trop_fail(TROP_ERR_ARG, "leap: merges tokens itself, so merge is off or auto");
    }
    if (dynamics->random && o->cloud.masses) {
        return trop_fail(TROP_ERR_ARG, "leap: the %s takes no masses", dynamics->name);
    }
    return TROP_OK;
}

/* What a method is for: others would be wrong with it, not only slow. */
static enum trop_status check_method(const struct trop_flow_options *o)
{
    const struct trop_rule *rule = trop_rule_at(o->rule);
    int tree = o->method == TROP_METHOD_TREE, hull = o->method == TROP_METHOD_HULL;

    if (o->precision == TROP_PRECISION_SINGLE && (tree || hull || o->method == TROP_METHOD_ROWS)) {
        return trop_fail(TROP_ERR_ARG, "precision = single: is for method = direct");
    }
    if (!tree && !hull) {
        return TROP_OK;
    }
    if (tree ? !rule->tree : !rule->best_only) {
        return trop_fail(TROP_ERR_ARG, "method = %s: is for rule = %s, not %s",
                         tree ? "tree" : "hull", tree ? "softmax and localmax" : "hardmax",
                         rule->name);
    }
    if (o->cloud.d > TROP_FLOW_BOX_DIMENSION) {
        return trop_fail(TROP_ERR_ARG, "method = %s: is for d up to %d, not %lld",
                         tree ? "tree" : "hull", TROP_FLOW_BOX_DIMENSION, (long long)o->cloud.d);
    }
    if (o->mask != TROP_MASK_FULL || trop_dynamics_at(o->dynamics)->random || o->leap) {
        return trop_fail(
            TROP_ERR_ARG,
            "method = %s: needs mask = full, and neither dynamics = " TROP_DYNAMICS_IF_RANDOM
            " nor leap",
            tree ? "tree" : "hull");
    }
    return TROP_OK;
}

/* What runs on a device; the rest is refused by name, never done elsewhere unasked. */
static enum trop_status check_device(const struct trop_flow_options *o)
{
    const struct trop_rule *rule = trop_rule_at(o->rule);
    const struct trop_dynamics *dynamics = trop_dynamics_at(o->dynamics);
    const char *name = trop_device_name[o->device];

    if (o->device == TROP_DEVICE_CPU) {
        return TROP_OK;
    }
    if (!rule->device) {
        return trop_fail(TROP_ERR_ARG, "device = %s: is for rule = " TROP_RULE_IF_DEVICE ", not %s",
                         name, rule->name);
    }
    if (o->form == TROP_FORM_COSINE && (rule->uses & TROP_RULE_USES_EPSILON)) {
        return trop_fail(TROP_ERR_ARG,
                         "device = %s: has form = additive, relative and probability, not cosine",
                         name);
    }
    if (dynamics->random || o->leap || (dynamics->pieces && rule->best_only)) {
        return trop_fail(TROP_ERR_ARG, "device = %s: %s; device = cpu does", name,
                         o->leap            ? "takes no leaps"
                         : dynamics->random ? "draws no tokens, as dynamics = chain does"
                                            : "does not go from piece to piece, as dynamics = ode "
                                              "with rule = hardmax does");
    }
    if (o->precision == TROP_PRECISION_SINGLE) {
        return trop_fail(TROP_ERR_ARG, "device = %s: has precision = double, not single", name);
    }
    if (o->method != TROP_METHOD_AUTO && o->method != TROP_METHOD_ROWS) {
        return trop_fail(TROP_ERR_ARG,
                         "device = %s: has method = rows, which auto is there; not another", name);
    }
    return TROP_OK;
}

static enum trop_status check_clock(const struct trop_flow_options *o)
{
    const struct trop_dynamics *dynamics = trop_dynamics_at(o->dynamics);
    char names[NAMES];

    if (o->clock == TROP_CLOCK_TIME) {
        return TROP_OK;
    }
    if (!dynamics->integrated || o->leap || trop_rule_at(o->rule)->best_only) {
        return trop_fail(TROP_ERR_ARG,
                         "clock = gradient: is for dynamics = %s, without leap and "
                         "not for rule = hardmax",
                         words(names, TROP_DYNAMICS_IF_INTEGRATED));
    }
    return TROP_OK;
}

enum trop_status trop_flow_check(const struct trop_flow_options *o)
{
    enum trop_status (*const checks[])(const struct trop_flow_options *) = {
        check_rule,   check_step,   check_integrator, check_leap,
        check_method, check_device, check_clock,      trop_flow_draw_check
    };
    enum trop_status status = trop_option_check(o, trop_flow_option_table());
    for (size_t k = 0; status == TROP_OK && k < sizeof checks / sizeof checks[0]; k++) {
        status = checks[k](o);
    }
    if (status == TROP_OK) {
        status = trop_cloud_check(&o->cloud);
    }
    return status == TROP_OK ? trop_cloud_check_values(&o->value, o->cloud.d, "value") : status;
}
