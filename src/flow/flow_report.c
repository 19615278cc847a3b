/* flow_report.c -- a flow's results by name: the table, and what fills it. */
#include "flow/flow_read.h"

#include "base/schedule.h"

#include <math.h>
#include <string.h>

#define EXACT ((int64_t)1 << 53) /* counts beyond are no exact numbers any more */

/* ---- lists by original token --------------------------------------------- */

void trop_flow_expand(struct trop_flow *f)
{
    for (int64_t i = 0; i < f->n; i++) {
        memcpy(f->seen.full + i * f->d, f->state.x + f->state.owner[i] * f->d,
               (size_t)f->d * sizeof *f->seen.full);
    }
}

/* ---- when there is a value ----------------------------------------------------------------- */

#define WHEN(name, condition) \
    static int name(const void *handle, int64_t row) \
    { \
        const struct trop_flow *f = handle; \
        (void)row; \
        return condition; \
    }
WHEN(counts_switches, f->state.last_switch <= EXACT)
WHEN(merges, f->options.merge != TROP_MERGE_OFF)
WHEN(has_error, f->state.methods != 0 && f->state.error > 0)
/* Steps of a finite sum end on the way. */
WHEN(arrives, f->state.has_limits && (f->dynamics->continuous || trop_schedule_diverges(&f->gamma)))
WHEN(has_proof, f->state.has_limits != 0)
WHEN(has_q2, f->state.has_limits && !isnan(f->state.proof.q2))
WHEN(has_q1, f->state.has_limits && (f->rule->uses & TROP_RULE_USES_EPSILON))
WHEN(lasts, f->state.proved && f->state.has_limits)
WHEN(stills,
     trop_flow_jumps(f) || (trop_flow_is_piecewise(f) && f->state.proved && f->state.has_limits))
WHEN(consents, f->verdict.certificate == TROP_FLOW_CERTIFICATE_CONSENSUS)
WHEN(slides, f->verdict.certificate == TROP_FLOW_CERTIFICATE_SLIDING)
WHEN(has_hull, f->seen.hull_count >= 0)
#undef WHEN

/* ---- forms --------------------------------------------------------------------------------- */

/* A count beyond 2^53 is null; its value stays for programs. */
static void exact_count(struct trop_value *out, const void *member)
{
    trop_field_integer(out, *(const int64_t *)member);
    if (out->integer > EXACT) {
        out->kind = TROP_KIND_NULL;
    }
}

static void skip_distance(struct trop_value *out, const void *member)
{
    const struct trop_skip *skip = *(struct trop_skip *const *)member;

    if (skip) {
        trop_field_number(out, trop_skip_distance(skip));
    }
}

static const char *const outcomes[] = { "running", "steps", "converged", "sliding" };
static const char *const certificates[] = { "none",       "consensus",   "theorem-4.2",
                                            "quiescence", "fixed-point", "metastable",
                                            "sliding" };
/* By the bits of methods, which are those of enum trop_method; bit 0, auto, is never set. */
static const char *const methods[] = {
    [2] = "direct",       [4] = "tree",       [6] = "direct+tree",       [8] = "hull",
    [10] = "direct+hull", [12] = "tree+hull", [14] = "direct+tree+hull", [16] = "rows",
};

/* ---- readers ------------------------------------------------------------------------------- */

TROP_FIELD_READ(read_leaders)
{
    struct trop_flow *f = handle;
    int64_t count = 0;

    (void)row;
    for (int64_t i = 0; i < f->n; i++) {
        if (f->state.led[i]) {
            f->verdict.leader_list[count++] = i;
        }
    }
    trop_field_integers(out, f->verdict.leader_list, count, "leader");
    return TROP_OK;
}

TROP_FIELD_READ(read_method)
{
    const struct trop_flow *f = handle;
    int exact = trop_flow_is_piecewise(f);
    int closed = f->state.jumped || (exact && f->state.proved && f->state.from == 0);

    (void)row;
    trop_field_text(out, f->state.leapt ? "leap"
                         : closed       ? "closed-form"
                         : exact        ? "exact"
                                        : "stepped");
    return TROP_OK;
}

TROP_FIELD_READ(read_rate)
{
    const struct trop_flow *f = handle;

    (void)row;
    if (f->state.has_limits) {
        trop_field_number(out, f->dynamics->continuous ? 0.36787944117144233 : f->state.proof.rate);
    } else if (f->verdict.certificate == TROP_FLOW_CERTIFICATE_METASTABLE && f->seen.diameter > 0) {
        double gamma =
            f->dynamics->continuous ? 1 : trop_schedule_at(&f->gamma, (double)f->state.step);
        trop_field_number(out, gamma * f->seen.residual / f->seen.diameter);
    }
    return TROP_OK;
}

TROP_FIELD_READ(read_plateaus)
{
    struct trop_flow *f = handle;

    (void)row;
    if (f->engines.slow) {
        trop_field_list(out, trop_flow_plateaus(f));
    }
    return TROP_OK;
}

/* Fills its members once for a state. */
static enum trop_status describe(void *handle)
{
    return trop_flow_describe(handle);
}

/* There is no graph when the rule has none. */
#define GRAPH(member) \
    TROP_FIELD_THROUGH(struct trop_flow, engines.graph, struct trop_graph, member), \
        .before = describe
#define COUNTED(member) .kind = TROP_KIND_INTEGER, GRAPH(member)
#define BY_TOKEN(type, member) \
    .kind = TROP_KIND_##type, GRAPH(member), .axes = { { "token", LENGTH(n) } }

/* ---- the table ----------------------------------------------------------------------------- */

#define BOOLEAN(member) .kind = TROP_KIND_BOOLEAN, AT(member)
#define TEXT(member, words) .kind = TROP_KIND_TEXT, AT(member), .names = words

static const struct trop_field fields[] = {
    { "steps", "number of steps taken", AT(state.step), .form = exact_count },
    { "log10_steps", "decimal logarithm of the number of steps", .read = trop_flow_read_log_steps },
    { "time", "time reached by an ODE; null otherwise", NUMBER(state.time),
      .when = trop_flow_has_time },
    { "outcome",
      "what ended the run: steps, converged or sliding; running means that it was stopped",
      TEXT(state.outcome, outcomes) },
    { "converged", "the residual is small and a certificate holds", BOOLEAN(verdict.converged) },
    { "residual", "max_i |avg_i - x_i| (speed, on the sphere)", NUMBER(seen.residual) },
    { "tokens", "the final tokens", TOKENS(seen.full) },
    { "clusters", "number of clusters", INTEGER(seen.clusters) },
    { "cluster_list", "the clusters, an object for each", .kind = TROP_KIND_LIST, AT(seen.clusters),
      .before = describe, .columns = trop_flow_cluster_columns },
    { "labels", "cluster of each token", INTEGERS(verdict.labels, "token", n) },
    { "leaders", "tokens that were alone in their own neighbour set at some step",
      .read = read_leaders },
    { "target",
      "the token that each token followed last, while sets could still change; -1: not unique",
      INTEGERS(state.target, "token", n) },
    { "switches", "total number of changes of target", INTEGER(state.switches) },
    { "last_switch", "step of the last change of target, -1: none", INTEGER(state.last_switch),
      .when = counts_switches },
    { "diameter", "max |x_i - x_j|", NUMBER(seen.diameter) },
    { "hull_vertices",
      "tokens at the vertices of the hull; null when n^2 d exceeds 2^24 in more than 3 dimensions",
      INTEGERS(seen.hull_list, "vertex", seen.hull_count), .before = describe, .when = has_hull },
    { "graph.components", "strongly connected components of the neighbour graph of a set rule",
      COUNTED(components) },
    { "graph.sinks", "number of closed components, which no arc leaves", COUNTED(sinks) },
    { "graph.classes", "the closed components, whose tokens listen only to each other",
      .kind = TROP_KIND_LIST, GRAPH(sinks), .columns = trop_flow_class_columns },
    { "graph.arcs", "number of pairs i, j where token i listens to another token j",
      COUNTED(arcs) },
    { "graph.one_way", "number of arcs whose reverse is not an arc", COUNTED(one_way) },
    { "graph.aligned", "whether a token's own score is the largest of its row",
      BY_TOKEN(BOOLEANS, self) },
    { "graph.component", "strongly connected component of each token",
      BY_TOKEN(INTEGERS, component) },
    { "graph.captured",
      "hull vertex whose neighbour set (its cap) contains all that the token listens to, -1: none",
      BY_TOKEN(INTEGERS, captured) },
    { "graph.remaining", "number of tokens that no vertex has captured", COUNTED(remaining) },
    { "graph.acting", "number of remaining tokens that some captured token still listens to",
      COUNTED(acting) },
    { "gap_max", "largest Frank-Wolfe gap <B x_i, x_l - x_i>", NUMBER(seen.gap_max) },
    { "energy", "mean of J = <B x_i, x_i>/2", NUMBER(seen.energy) },
    { "interaction",
      "energy of softmax on the sphere: sum_ij m_i m_j exp(beta (s_ij - 1)) / (2 beta M^2)",
      NUMBER(seen.interaction), .when = trop_flow_has_interaction },
    { "merges", "tokens that merged into another; null unless merging", INTEGER(state.merges),
      .when = merges },
    { "merge_bound", "upper bound of the distance that merging has moved any token",
      NUMBER(state.merge_bound), .when = merges },
    { "log10_time", "decimal logarithm of the time of leaps on the sphere",
      NUMBER(state.log10_time), .when = trop_flow_has_log_time },
    { "merge_list", "merges of a flow that leaps", .kind = TROP_KIND_LIST,
      TROP_FIELD_THROUGH(struct trop_flow, engines.slow, struct trop_slow, merged),
      .columns = trop_flow_merge_columns },
    { "plateaus", "times between merges that outlast all the time before", .read = read_plateaus,
      .columns = trop_flow_plateau_columns },
    { "skip_distance",
      "bound, in total variation, of how much freezing has changed the law of the chain",
      AT(engines.skip), .form = skip_distance },
    { "method",
      "stepped, leap, closed-form once the sets were proved to last, exact for the hardmax ODE",
      .read = read_method },
    { "attention", "methods that steps were computed by: direct, tree, hull, rows",
      TEXT(state.methods, methods) },
    { "attention_error",
      "proved error of every average so far, relative to its farthest token; null: rounding of "
      "double alone",
      NUMBER(state.error), .when = has_error },
    { "limits", "limits of the tokens, when they are proved", TOKENS(state.limits),
      .when = arrives },
    { "certificate.kind",
      "what proves convergence (consensus, theorem-4.2, quiescence or fixed-point), or metastable, "
      "sliding or none, which prove nothing",
      TEXT(verdict.certificate, certificates) },
    { "certificate.rate",
      "contraction per step (of the ODE: per unit of time); of metastable: diameters per step",
      .read = read_rate },
    { "certificate.distance", "largest distance of a token to its limit",
      NUMBER(state.proof.distance), .when = has_proof },
    { "certificate.groups", "number of closed groups", INTEGER(state.proof.groups),
      .when = has_proof },
    { "certificate.step", "step from which on the neighbour sets are proved to last",
      INTEGER(state.from), .when = lasts },
    { "certificate.still",
      "step from which on the residual is below the tolerance, by the closed form",
      NUMBER(state.still), .when = stills },
    { "certificate.q1", "least slack of Q1: epsilon less the spread of scores inside a group",
      NUMBER(state.proof.q1), .when = has_q1 },
    { "certificate.q2", "least slack of Q2: lowest score inside less highest outside less epsilon",
      NUMBER(state.proof.q2), .when = has_q2 },
    { "certificate.decays",
      "the proof of Q1 used claim T8: epsilon falls no faster than the group shrinks",
      BOOLEAN(state.proof.decays), .when = has_q1 },
    { "certificate.diameter", "diameter of the cloud when consensus was proved",
      NUMBER(seen.diameter), .when = consents },
    { "certificate.token", "the token that slides along a wall", INTEGER(state.slide[0]),
      .when = slides },
    { "certificate.wall", "the two tokens between whose cells it slides",
      .kind = TROP_KIND_INTEGERS, AT(state.slide[1]), .inside = 1, .axes = { { "side", 2, 0 } },
      .when = slides },
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
