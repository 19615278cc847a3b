/* flow_options.c -- the options of a token flow: defaults and table. */
#include "flow/flow.h"

#include "base/option.h"
#include "shape/cloud_options.h"

#include <math.h>

struct trop_flow_options trop_flow_options_default(void)
{
    return (struct trop_flow_options){
        .cloud = trop_cloud_options_default(),
        .beta = { .kind = TROP_SCHEDULE_CONSTANT, .a = 1 },
        .epsilon = { .kind = TROP_SCHEDULE_CONSTANT, .a = 0.1 },
        .k = 1,
        .a = 1.5,
        .confidence = 1,
        .value = { .scale = NAN },
        .steps = { .value = 10000, .log10 = 4 },
        .tolerance = 1e-12,
        .dt = 0.01,
        .time = 10,
        .accuracy = 1e-9,
        .merge = TROP_MERGE_OFF,
        .cluster = 1e-6,
        .leap_tolerance = 1e-6,
    };
}

static const char *const form_names[] = { "additive", "relative", "cosine", "probability", NULL };
static const char *const ties_names[] = { "points", "indices", "first", NULL };
static const char *const mask_names[] = { "full", "causal", NULL };
static const char *const until_names[] = { "steps", "converged", NULL };
static const char *const usa_names[] = { "survey", "shifted", NULL };
static const char *const clock_names[] = { "time", "gradient", NULL };
static const char *const draw_key_query_names[] = { "none", "gaussian", "goe", NULL };
static const char *const draw_value_names[] = { "none", "gram", "ascent", "descent", NULL };
static const char *const closed_form_names[] = { "auto", "never", "only", NULL };
static const char *const method_names[] = { "auto", "direct", "tree", "hull", "rows", NULL };
static const char *const precision_names[] = { "double", "single", NULL };
static const char *const merge_names[] = { "off", "auto", NULL };

#define AT(member) #member, offsetof(struct trop_flow_options, member)
static const struct trop_option table[] = {
    TROP_CLOUD_TOKENS(trop_flow_options),
    TROP_CLOUD_MASSES(trop_flow_options),
    TROP_CLOUD_DRAWN(trop_flow_options, "seed of every random number"),
    { AT(dynamics), TROP_TYPE_CHOICE, 0, 0, 0, trop_dynamics_name, "equation by which tokens move",
      NULL, NULL },
    { AT(rule), TROP_TYPE_CHOICE, 0, 0, 0, trop_rule_name,
      "rule that turns scores into attention weights", NULL, NULL },
    { AT(beta), TROP_TYPE_SCHEDULE, -1e300, 1e300, 0, NULL, "inverse temperature of the softmax",
      NULL, "rule=" TROP_RULE_IF_BETA " ; rule=localmax & form=probability" },
    { AT(epsilon), TROP_TYPE_SCHEDULE, 0, 1e300, 0, NULL, "tolerance of localmax and minp", NULL,
      "rule=" TROP_RULE_IF_EPSILON },
    { AT(form), TROP_TYPE_CHOICE, 0, 0, 0, form_names, "how epsilon is compared with the scores",
      NULL, "rule=" TROP_RULE_IF_EPSILON },
    { AT(k), TROP_TYPE_INT64, 1, 1e12, 0, NULL, "number of tokens that topk keeps", NULL,
      "rule=topk" },
    { AT(a), TROP_TYPE_DOUBLE, 1, 64, 0, NULL, "exponent of entmax", NULL, "rule=entmax" },
    { AT(confidence), TROP_TYPE_DOUBLE, 0, 1e300, 0, NULL, "radius of bounded confidence", NULL,
      "rule=confidence ; record & rule!=localmax" },
    { AT(ties), TROP_TYPE_CHOICE, 0, 0, 0, ties_names, "how hardmax treats equal scores", NULL,
      "rule=hardmax" },
    { AT(mask), TROP_TYPE_CHOICE, 0, 0, 0, mask_names, "which tokens a token can attend to", NULL,
      NULL },
    { AT(gamma), TROP_TYPE_SCHEDULE, 0, 1, 1, NULL, "step size (0.5 when nothing sets it)", NULL,
      "dynamics=" TROP_DYNAMICS_IF_GAMMA },
    { AT(alpha), TROP_TYPE_DOUBLE, 0, 1e300, 0, NULL, "sets gamma = alpha/(1+alpha); 0: not used",
      NULL, "dynamics=" TROP_DYNAMICS_IF_GAMMA },
    TROP_CLOUD_SCORES(trop_flow_options),
    { AT(value), TROP_TYPE_MATRIX, 0, 0, 0, NULL, "V: the step is (I+V)^-1 V instead of gamma I",
      NULL, "dynamics=" TROP_DYNAMICS_IF_VALUE },
    { AT(steps), TROP_TYPE_COUNT, 0, 0, 0, NULL, "largest number of steps", NULL,
      "dynamics!=" TROP_DYNAMICS_IF_SPHERE " ; !leap" },
    { AT(tolerance), TROP_TYPE_DOUBLE, 0, 1, 0, NULL,
      "residual below which a run may converge, relative to the initial diameter", NULL,
      "dynamics!=" TROP_DYNAMICS_UNLESS_AVERAGES },
    { AT(until), TROP_TYPE_CHOICE, 0, 0, 0, until_names, "what ends a run before its last step",
      NULL, "dynamics!=" TROP_DYNAMICS_UNLESS_AVERAGES "|" TROP_DYNAMICS_IF_RANDOM " ; leap" },
    { AT(integrator), TROP_TYPE_CHOICE, 0, 0, 0, trop_integrator_name,
      "integrator of ode, sa and usa", NULL, "dynamics=" TROP_DYNAMICS_IF_INTEGRATED " & !leap" },
    { AT(dt), TROP_TYPE_DOUBLE, 0, 1e6, 1, NULL, "time step (the first one, when adaptive)", NULL,
      "dynamics=" TROP_DYNAMICS_IF_CONTINUOUS " & rule!=hardmax & !leap" },
    { AT(time), TROP_TYPE_DOUBLE, 0, 1e300, 0, NULL,
      "end time of ode, sa, usa and sa-step; with steps alone there is none", NULL,
      "dynamics=" TROP_DYNAMICS_IF_CONTINUOUS },
    { AT(accuracy), TROP_TYPE_DOUBLE, 0, 1, 1, NULL,
      "local error of adaptive integrators, relative to the radius; of method = tree: error of "
      "an average, relative to the farthest token",
      NULL,
      "dynamics=" TROP_DYNAMICS_IF_INTEGRATED
      " & integrator=auto|dopri5|cvode & rule!=hardmax & !leap ; "
      "rule=" TROP_RULE_IF_TREE " & method=tree ; "
      "rule=" TROP_RULE_IF_TREE " & method=auto & n>=16384" },
    { AT(usa), TROP_TYPE_CHOICE, 0, 0, 0, usa_names, "weights exp(beta s)/n or exp(beta (s-1))/n",
      NULL, "dynamics=" TROP_DYNAMICS_IF_UNNORMALISED },
    { AT(clock), TROP_TYPE_CHOICE, 0, 0, 0, clock_names,
      "gradient: divides all velocities by their common length, so that time is the length of the "
      "path",
      NULL, "dynamics=" TROP_DYNAMICS_IF_INTEGRATED " & rule!=hardmax & !leap" },
    { AT(draw_key_query), TROP_TYPE_CHOICE, 0, 0, 0, draw_key_query_names,
      "B drawn by the seed: G_1 G_2/sqrt(d), or (G + G')/sqrt(2), of normal G", NULL,
      "key_query=identity" },
    { AT(draw_value), TROP_TYPE_CHOICE, 0, 0, 0, draw_value_names,
      "V drawn by the seed: G G'/sqrt(d); or B, or -B, over sqrt(d) (goe: sqrt(d + 1))", NULL,
      "dynamics=" TROP_DYNAMICS_IF_VALUE " & !value" },
    { AT(merge), TROP_TYPE_DOUBLE, 0, 1e300, 0, merge_names,
      "joins tokens that are this close; auto: 8 ulp of radius/gamma", "DISTANCE",
      "dynamics!=" TROP_DYNAMICS_IF_RANDOM },
    { AT(cluster), TROP_TYPE_DOUBLE, 0, 1, 0, NULL,
      "linking distance of clusters, relative to the initial diameter", NULL, NULL },
    { AT(closed_form), TROP_TYPE_CHOICE, 0, 0, 0, closed_form_names,
      "jumps by the closed form once the neighbour sets are proved to last; only: refuses a run "
      "that has none at its start",
      NULL,
      "dynamics=" TROP_DYNAMICS_IF_CLOSED_FORM "|" TROP_DYNAMICS_IF_PIECES
      " & rule=hardmax ; dynamics=" TROP_DYNAMICS_IF_CLOSED_FORM " & rule=localmax & "
      "form=additive|probability" },
    { AT(leap), TROP_TYPE_FLAG, 0, 0, 0, NULL,
      "leaps over slow times of softmax (layer, sa, usa) and of the chain", NULL,
      "dynamics=" TROP_DYNAMICS_IF_LEAPS " & rule=softmax" },
    { AT(leap_tolerance), TROP_TYPE_DOUBLE, 1e-10, 1e-2, 0, NULL,
      "relative error that leaps may make in the time of every event", NULL, "leap" },
    { AT(method), TROP_TYPE_CHOICE, 0, 0, 0, method_names,
      "how averages are computed: from every pair of tokens (direct), by a tree or the hull, or "
      "row by row; auto: the cheapest",
      NULL, "rule=" TROP_RULE_IF_TILE " ; method=rows" },
    { AT(precision), TROP_TYPE_CHOICE, 0, 0, 0, precision_names,
      "single: softmax in single precision with a proved error bound; hardmax and localmax are "
      "unchanged",
      NULL, "rule=" TROP_RULE_IF_TILE },
    TROP_OPTION_THREADS(AT(threads)),
    { AT(kernel), TROP_TYPE_CHOICE, 0, 0, 0, trop_kernel_name,
      "instruction set; never changes a result", NULL, NULL },
    { AT(device), TROP_TYPE_CHOICE, 0, 0, 0, trop_device_name,
      "machine that computes the rows of attention; cuda: a GPU, the bits of method = rows", NULL,
      NULL },
    { 0 },
};
#undef AT

const struct trop_option *trop_flow_option_table(void)
{
    return table;
}
