/* flow_report.c -- a flow's results by name: the table, and what fills it. */
#include "flow/flow_read.h"

#include "base/log.h"
#include "base/schedule.h"

#include <math.h>
#include <string.h>

/* ---- lists by original token --------------------------------------------- */

void trop_flow_expand(struct trop_flow *f)
{
    for (int64_t i = 0; i < f->n; i++) {
        memcpy(f->full + i * f->d, f->x + f->owner[i] * f->d, (size_t)f->d * sizeof *f->full);
    }
}

static int64_t list_leaders(const struct trop_flow *f)
{
    int64_t count = 0;
    for (int64_t i = 0; i < f->n; i++) {
        if (f->led[i]) {
            f->leader_list[count++] = i;
        }
    }
    return count;
}

/* ---- values ----------------------------------------------------------------------------- */

NUMBER(read_residual, residual)
INTEGER(read_clusters, clusters)
INTEGER(read_switches, switches)
NUMBER(read_diameter, diameter)
NUMBER(read_gap, gap_max)
NUMBER(read_energy, energy)

static void tokens_shape(struct trop_value *out, const double *values, const struct trop_flow *f)
{
    trop_field_table_of(out, values, f->n, f->d, "token", "coordinate");
}

TROP_FIELD(read_last_switch)
{
    FLOW;
    if (f->last_switch <= (int64_t)1 << 53) {
        trop_field_integer(out, f->last_switch);
    }
}

/* Beyond 2^53 the count is no exact number any more; its value stays for programs. */
TROP_FIELD(read_steps)
{
    FLOW;
    trop_field_integer(out, f->step);
    if (f->step > (int64_t)1 << 53) {
        out->kind = TROP_KIND_NULL;
    }
}

TROP_FIELD(read_log_steps)
{
    FLOW;
    double counted = f->step > 0 ? trop_log10((double)f->step) : -INFINITY;
    trop_field_number(out, isnan(f->log10_steps) ? counted : f->log10_steps);
}

TROP_FIELD(read_time)
{
    FLOW;
    if (trop_flow_is_ode(f)) {
        trop_field_number(out, f->time);
    }
}

TROP_FIELD(read_outcome)
{
    static const char *const names[] = { "running", "steps", "converged", "sliding" };
    FLOW;
    trop_field_text(out, names[f->outcome]);
}

TROP_FIELD(read_converged)
{
    FLOW;
    trop_field_boolean(out, f->converged);
}

TROP_FIELD(read_tokens)
{
    FLOW;
    tokens_shape(out, f->full, f);
}

TROP_FIELD(read_limits)
{
    FLOW;
    /* Steps of a finite sum end on the way. */
    if (f->has_limits && (trop_flow_is_ode(f) || trop_schedule_diverges(&f->gamma))) {
        tokens_shape(out, f->limits, f);
    }
}

TROP_FIELD(read_cluster_list)
{
    FLOW;
    trop_flow_describe((struct trop_flow *)f); /* found once, kept for later reads */
    trop_field_list(out, f->clusters);
}

TROP_FIELD(read_hull_vertices)
{
    FLOW;
    trop_flow_describe((struct trop_flow *)f);
    if (f->hull_count >= 0) {
        trop_field_integers(out, f->hull_list, f->hull_count, "vertex");
    }
}

TROP_FIELD(read_labels)
{
    FLOW;
    trop_field_integers(out, f->labels, f->n, "token");
}

TROP_FIELD(read_leaders)
{
    FLOW;
    trop_field_integers(out, f->leader_list, list_leaders(f), "leader");
}

TROP_FIELD(read_target)
{
    FLOW;
    trop_field_integers(out, f->target, f->n, "token");
}

TROP_FIELD(read_merges)
{
    FLOW;
    if (f->options.merge != TROP_MERGE_OFF) {
        trop_field_integer(out, f->merges);
    }
}

TROP_FIELD(read_merge_bound)
{
    FLOW;
    if (f->options.merge != TROP_MERGE_OFF) {
        trop_field_number(out, f->merge_bound);
    }
}

/* The methods that steps were taken by, in the order of their enum, joined by +. */
TROP_FIELD(read_attention)
{
    static const char *const names[] = { "direct",      "tree",      "direct+tree",     "hull",
                                         "direct+hull", "tree+hull", "direct+tree+hull" };
    FLOW;
    int64_t set = f->methods >> TROP_METHOD_DIRECT;
    if (set > 0) {
        trop_field_text(out, names[set - 1]);
    }
}

TROP_FIELD(read_attention_error)
{
    FLOW;
    if (f->methods >> TROP_METHOD_DIRECT && f->error > 0) {
        trop_field_number(out, f->error);
    }
}

TROP_FIELD(read_method)
{
    FLOW;
    if (f->leapt) {
        trop_field_text(out, "leap");
        return;
    }
    if (f->jumped || (trop_flow_is_piecewise(f) && f->proved && f->from == 0)) {
        trop_field_text(out, "closed-form");
        return;
    }
    trop_field_text(out, trop_flow_is_piecewise(f) ? "exact" : "stepped");
}

TROP_FIELD(read_kind)
{
    static const char *const names[] = { "none",        "consensus",  "theorem-4.2", "quiescence",
                                         "fixed-point", "metastable", "sliding" };
    FLOW;
    trop_field_text(out, names[f->certificate]);
}

static int has_proof(const struct trop_flow *f)
{
    return f->has_limits != 0;
}

TROP_FIELD(read_proof_step)
{
    FLOW;
    if (f->proved && f->has_limits) {
        trop_field_integer(out, f->from);
    }
}

TROP_FIELD(read_proof_still)
{
    FLOW;
    if (trop_flow_jumps(f) || (trop_flow_is_piecewise(f) && f->proved && f->has_limits)) {
        trop_field_number(out, f->still);
    }
}

TROP_FIELD(read_proof_rate)
{
    FLOW;
    if (has_proof(f)) {
        trop_field_number(out, trop_flow_is_ode(f) ? 0.36787944117144233 : f->proof.rate);
    } else if (f->certificate == TROP_FLOW_CERTIFICATE_METASTABLE && f->diameter > 0) {
        double gamma = trop_flow_is_ode(f) ? 1 : trop_schedule_at(&f->gamma, (double)f->step);
        trop_field_number(out, gamma * f->residual / f->diameter);
    }
}

TROP_FIELD(read_proof_distance)
{
    FLOW;
    if (has_proof(f)) {
        trop_field_number(out, f->proof.distance);
    }
}

TROP_FIELD(read_proof_groups)
{
    FLOW;
    if (has_proof(f)) {
        trop_field_integer(out, f->proof.groups);
    }
}

TROP_FIELD(read_proof_q1)
{
    FLOW;
    if (has_proof(f) && f->rule == &trop_rule_localmax) {
        trop_field_number(out, f->proof.q1);
    }
}

TROP_FIELD(read_proof_q2)
{
    FLOW;
    if (has_proof(f)) {
        trop_field_number(out, f->proof.q2);
    }
}

TROP_FIELD(read_proof_decays)
{
    FLOW;
    if (has_proof(f) && f->rule == &trop_rule_localmax) {
        trop_field_boolean(out, f->proof.decays != 0);
    }
}

TROP_FIELD(read_proof_diameter)
{
    FLOW;
    if (f->certificate == TROP_FLOW_CERTIFICATE_CONSENSUS) {
        trop_field_number(out, f->diameter);
    }
}

TROP_FIELD(read_slide_token)
{
    FLOW;
    if (f->certificate == TROP_FLOW_CERTIFICATE_SLIDING) {
        trop_field_integer(out, f->slide[0]);
    }
}

TROP_FIELD(read_slide_wall)
{
    FLOW;
    if (f->certificate == TROP_FLOW_CERTIFICATE_SLIDING) {
        trop_field_integers(out, f->slide + 1, 2, "side");
    }
}

/* ---- the neighbour graph ------------------------------------------------------------------ */

/* The graph of the present state, NULL when the rule has none. */
static const struct trop_graph *graph_of(const void *handle)
{
    trop_flow_describe((struct trop_flow *)handle);
    return ((const struct trop_flow *)handle)->graph;
}

#define GRAPH(name, member) \
    TROP_FIELD(name) \
    { \
        (void)row; \
        if (graph_of(handle)) { \
            trop_field_integer(out, graph_of(handle)->member); \
        } \
    }

GRAPH(read_components, components)
GRAPH(read_sinks, sinks)
GRAPH(read_arcs, arcs)
GRAPH(read_one_way, one_way)
GRAPH(read_remaining, remaining)
GRAPH(read_acting, acting)

TROP_FIELD(read_component)
{
    FLOW;
    if (graph_of(f)) {
        trop_field_integers(out, f->graph->component, f->n, "token");
    }
}

TROP_FIELD(read_aligned)
{
    FLOW;
    if (graph_of(f)) {
        trop_field_booleans(out, f->graph->self, f->n, "token");
    }
}

TROP_FIELD(read_classes)
{
    FLOW;
    if (graph_of(f)) {
        trop_field_list(out, f->graph->sinks);
    }
}

TROP_FIELD(read_captured)
{
    FLOW;
    if (graph_of(f)) {
        trop_field_integers(out, f->graph->captured, f->n, "token");
    }
}

/* ---- leaps ---------------------------------------------------------------------------------- */

TROP_FIELD(read_log_time)
{
    FLOW;
    if (f->slow && trop_flow_is_sphere(f)) {
        trop_field_number(out, f->log10_time);
    }
}

TROP_FIELD(read_merge_list)
{
    FLOW;
    if (f->slow) {
        trop_field_list(out, f->slow->merged);
    }
}

TROP_FIELD(read_plateaus)
{
    FLOW;
    if (f->slow) {
        trop_field_list(out, trop_flow_plateaus((struct trop_flow *)f));
    }
}

TROP_FIELD(read_skip_distance)
{
    FLOW;
    if (f->skip) {
        trop_field_number(out, trop_skip_distance(f->skip));
    }
}

static const struct trop_field fields[] = {
    { "steps", "steps taken", read_steps, NULL },
    { "log10_steps", "their decimal logarithm", read_log_steps, NULL },
    { "time", "time reached by an ODE; null otherwise", read_time, NULL },
    { "outcome", "what ended the run: steps, converged or sliding; running: it was stopped",
      read_outcome, NULL },
    { "converged", "the residual is small and a certificate holds", read_converged, NULL },
    { "residual", "max_i |avg_i - x_i| (speed, on the sphere)", read_residual, NULL },
    { "tokens", "final tokens", read_tokens, NULL },
    { "clusters", "number of clusters", read_clusters, NULL },
    { "cluster_list", "the clusters", read_cluster_list, trop_flow_cluster_columns },
    { "labels", "cluster of each token", read_labels, NULL },
    { "leaders", "tokens that were ever alone in their own set", read_leaders, NULL },
    { "target", "token each one last followed while sets could still change, -1: not unique",
      read_target, NULL },
    { "switches", "changes of target, in all", read_switches, NULL },
    { "last_switch", "step of the last one, -1: none", read_last_switch, NULL },
    { "diameter", "max |x_i - x_j|", read_diameter, NULL },
    { "hull_vertices",
      "tokens at the vertices of the hull; null when n^2 d exceeds 2^24 in more than 3 dimensions",
      read_hull_vertices, NULL },
    { "graph.components", "strongly connected components of the neighbour graph of a set rule",
      read_components, NULL },
    { "graph.sinks", "closed ones: no arc leaves them", read_sinks, NULL },
    { "graph.classes", "the closed components, which listen to themselves alone", read_classes,
      trop_flow_class_columns },
    { "graph.arcs", "pairs i, j with j in the set of i, j not i", read_arcs, NULL },
    { "graph.one_way", "arcs without their reverse", read_one_way, NULL },
    { "graph.aligned", "whether a token's own score is the largest of its row", read_aligned,
      NULL },
    { "graph.component", "component of each token", read_component, NULL },
    { "graph.captured", "vertex whose cap has captured the token, -1: none", read_captured, NULL },
    { "graph.remaining", "tokens that are not captured", read_remaining, NULL },
    { "graph.acting", "of those: tokens in the set of a captured one", read_acting, NULL },
    { "gap_max", "largest Frank-Wolfe gap <B x_i, x_l - x_i>", read_gap, NULL },
    { "energy", "mean of J = <B x_i, x_i>/2", read_energy, NULL },
    { "merges", "tokens that merged into another; null unless merging", read_merges, NULL },
    { "merge_bound", "what merging has moved tokens by, at most", read_merge_bound, NULL },
    { "log10_time", "decimal logarithm of the time of leaps on the sphere", read_log_time, NULL },
    { "merge_list", "merges of a flow that leaps", read_merge_list, trop_flow_merge_columns },
    { "plateaus", "times between merges that outlast all the time before", read_plateaus,
      trop_flow_plateau_columns },
    { "skip_distance", "what freezing has changed of the chain's law, in total variation, at most",
      read_skip_distance, NULL },
    { "method",
      "stepped, leap, closed-form once the sets were proved to last, exact for the hardmax ODE",
      read_method, NULL },
    { "attention", "methods that steps were computed by: direct, tree, hull", read_attention,
      NULL },
    { "attention_error",
      "proved error of every average so far, relative to its farthest token; null: rounding of "
      "double alone",
      read_attention_error, NULL },
    { "limits", "limits of the tokens, when they are proved", read_limits, NULL },
    { "certificate.kind", "what proves convergence, or metastable, sliding, none", read_kind,
      NULL },
    { "certificate.rate",
      "contraction per step (of the ODE: per unit of time); of metastable: diameters per step",
      read_proof_rate, NULL },
    { "certificate.distance", "largest distance of a token to its limit", read_proof_distance,
      NULL },
    { "certificate.groups", "closed groups", read_proof_groups, NULL },
    { "certificate.step", "from which on the sets are proved to last", read_proof_step, NULL },
    { "certificate.still",
      "step from which on the residual is below the tolerance, by the closed form",
      read_proof_still, NULL },
    { "certificate.q1", "least slack of Q1: epsilon less the spread of scores inside a group",
      read_proof_q1, NULL },
    { "certificate.q2", "least slack of Q2: lowest score inside less highest outside less epsilon",
      read_proof_q2, NULL },
    { "certificate.decays", "Q1 needed T8: epsilon falls no faster than the group shrinks",
      read_proof_decays, NULL },
    { "certificate.diameter", "of a consensus", read_proof_diameter, NULL },
    { "certificate.token", "that slides", read_slide_token, NULL },
    { "certificate.wall", "the two tokens between which it slides", read_slide_wall, NULL },
    { 0 },
};

const struct trop_field *trop_flow_field_table(void)
{
    return fields;
}

enum trop_status trop_flow_value(struct trop_value *out, const struct trop_flow *flow,
                                 const char *name)
{
    return trop_field_value(out, fields, flow, name);
}

enum trop_status trop_flow_number(double *out, const struct trop_flow *flow, const char *name)
{
    return trop_field_as_number(out, fields, flow, name);
}
