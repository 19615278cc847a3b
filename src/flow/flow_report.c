/* flow_report.c -- a flow's results by name: the two tables, and what fills them. */
#include "flow/flow.h"

#include "base/status.h"

#include <math.h>
#include <string.h>

/* ---- lists by original token and by cluster --------------------------------------------- */

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

/* members and member_of from the labels (a counting sort), then centres by mass. */
static void list_clusters(const struct trop_flow *f)
{
    memset(f->member_of, 0, (size_t)(f->n + 1) * sizeof *f->member_of);
    for (int64_t i = 0; i < f->n; i++) {
        f->member_of[f->labels[i] + 1]++;
    }
    for (int64_t g = 0; g < f->clusters; g++) {
        f->member_of[g + 1] += f->member_of[g];
        f->order[g] = f->member_of[g];
    }
    for (int64_t i = 0; i < f->n; i++) {
        f->members[f->order[f->labels[i]]++] = i;
    }
    for (int64_t g = 0; g < f->clusters; g++) {
        const double *first = f->full + f->members[f->member_of[g]] * f->d;
        double *centre = f->centres + g * f->d;
        memset(centre, 0, (size_t)f->d * sizeof *centre);
        f->cluster_mass[g] = 0;
        for (int64_t k = f->member_of[g]; k < f->member_of[g + 1]; k++) {
            int64_t i = f->members[k];
            double mass = f->given ? f->given[i] : 1;
            f->cluster_mass[g] += mass;
            for (int64_t c = 0; c < f->d; c++) {
                centre[c] = fma(mass, f->full[i * f->d + c] - first[c], centre[c]);
            }
        }
        for (int64_t c = 0; c < f->d; c++) {
            centre[c] = first[c] + centre[c] / f->cluster_mass[g];
        }
    }
}

/* ---- values ----------------------------------------------------------------------------- */

#define READ(name) static void name(struct trop_value *out, const void *handle, int64_t row)
#define FLOW \
    const struct trop_flow *f = handle; \
    (void)row

static void number(struct trop_value *out, double value)
{
    out->kind = TROP_KIND_NUMBER;
    out->number = value;
}

static void integer(struct trop_value *out, int64_t value)
{
    out->kind = TROP_KIND_INTEGER;
    out->integer = value;
}

static void boolean(struct trop_value *out, int value)
{
    out->kind = TROP_KIND_BOOLEAN;
    out->integer = value;
}

static void text(struct trop_value *out, const char *value)
{
    out->kind = TROP_KIND_TEXT;
    out->text = value;
}

static void tokens_shape(struct trop_value *out, const double *values, const struct trop_flow *f)
{
    *out = (struct trop_value){
        .kind = TROP_KIND_NUMBERS,
        .numbers = values,
        .rank = 2,
        .shape = { f->n, f->d },
        .axes = { "token", "coordinate" },
    };
}

static void integers(struct trop_value *out, const int64_t *values, int64_t count, const char *axis)
{
    *out = (struct trop_value){
        .kind = TROP_KIND_INTEGERS,
        .integers = values,
        .rank = 1,
        .shape = { count },
        .axes = { axis },
    };
}

READ(read_steps)
{
    FLOW;
    integer(out, f->step);
}

READ(read_log_steps)
{
    FLOW;
    number(out, f->step > 0 ? log10((double)f->step) : -INFINITY);
}

READ(read_time)
{
    FLOW;
    if (trop_flow_is_ode(f)) {
        number(out, f->time);
    }
}

READ(read_outcome)
{
    static const char *const names[] = { "running", "steps", "converged", "sliding" };
    FLOW;
    text(out, names[f->outcome]);
}

READ(read_converged)
{
    FLOW;
    boolean(out, f->converged);
}

READ(read_residual)
{
    FLOW;
    number(out, f->residual);
}

READ(read_tokens)
{
    FLOW;
    tokens_shape(out, f->full, f);
}

READ(read_limits)
{
    FLOW;
    if (f->has_limits) {
        tokens_shape(out, f->limits, f);
    }
}

READ(read_clusters)
{
    FLOW;
    integer(out, f->clusters);
}

READ(read_cluster_list)
{
    FLOW;
    list_clusters(f);
    out->kind = TROP_KIND_LIST;
    out->rank = 1;
    out->shape[0] = f->clusters;
}

READ(cluster_members)
{
    const struct trop_flow *f = handle;
    integers(out, f->members + f->member_of[row], f->member_of[row + 1] - f->member_of[row],
             "member");
}

READ(cluster_mass)
{
    const struct trop_flow *f = handle;
    number(out, f->cluster_mass[row]);
}

READ(cluster_centre)
{
    const struct trop_flow *f = handle;
    *out = (struct trop_value){
        .kind = TROP_KIND_NUMBERS,
        .numbers = f->centres + row * f->d,
        .rank = 1,
        .shape = { f->d },
        .axes = { "coordinate" },
    };
}

READ(read_labels)
{
    FLOW;
    integers(out, f->labels, f->n, "token");
}

READ(read_leaders)
{
    FLOW;
    integers(out, f->leader_list, list_leaders(f), "leader");
}

READ(read_target)
{
    FLOW;
    integers(out, f->target, f->n, "token");
}

READ(read_switches)
{
    FLOW;
    integer(out, f->switches);
}

READ(read_last_switch)
{
    FLOW;
    integer(out, f->last_switch);
}

READ(read_diameter)
{
    FLOW;
    number(out, f->diameter);
}

READ(read_gap)
{
    FLOW;
    number(out, f->gap_max);
}

READ(read_energy)
{
    FLOW;
    number(out, f->energy);
}

READ(read_margin)
{
    FLOW;
    number(out, f->margin_min);
}

READ(read_leader_count)
{
    FLOW;
    integer(out, f->leaders);
}

READ(read_merges)
{
    FLOW;
    if (f->options.merge != TROP_MERGE_OFF) {
        integer(out, f->merges);
    }
}

READ(read_merge_bound)
{
    FLOW;
    if (f->options.merge != TROP_MERGE_OFF) {
        number(out, f->merge_bound);
    }
}

READ(read_method)
{
    FLOW;
    text(out, trop_flow_is_piecewise(f) ? "exact" : "stepped");
}

READ(read_kind)
{
    static const char *const names[] = { "none",        "consensus",  "theorem-4.2", "quiescence",
                                         "fixed-point", "metastable", "sliding" };
    FLOW;
    text(out, names[f->certificate]);
}

static int has_proof(const struct trop_flow *f)
{
    return f->has_limits != 0;
}

READ(read_proof_rate)
{
    FLOW;
    if (has_proof(f) && !trop_flow_is_ode(f)) {
        number(out, f->proof.rate);
    } else if (f->certificate == TROP_FLOW_CERTIFICATE_METASTABLE && f->diameter > 0) {
        double gamma = trop_flow_is_ode(f) ? 1 : trop_schedule_at(&f->gamma, (double)f->step);
        number(out, gamma * f->residual / f->diameter);
    }
}

READ(read_proof_distance)
{
    FLOW;
    if (has_proof(f)) {
        number(out, f->proof.distance);
    }
}

READ(read_proof_groups)
{
    FLOW;
    if (has_proof(f)) {
        integer(out, f->proof.groups);
    }
}

READ(read_proof_diameter)
{
    FLOW;
    if (f->certificate == TROP_FLOW_CERTIFICATE_CONSENSUS) {
        number(out, f->diameter);
    }
}

READ(read_slide_token)
{
    FLOW;
    if (f->certificate == TROP_FLOW_CERTIFICATE_SLIDING) {
        integer(out, f->slide[0]);
    }
}

READ(read_slide_wall)
{
    FLOW;
    if (f->certificate == TROP_FLOW_CERTIFICATE_SLIDING) {
        integers(out, f->slide + 1, 2, "side");
    }
}

static const struct trop_field cluster_columns[] = {
    { "members", "token indices", cluster_members, NULL },
    { "mass", "their mass", cluster_mass, NULL },
    { "centre", "their mean by mass", cluster_centre, NULL },
    { 0 },
};

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
    { "cluster_list", "the clusters", read_cluster_list, cluster_columns },
    { "labels", "cluster of each token", read_labels, NULL },
    { "leaders", "tokens that were ever alone in their own set", read_leaders, NULL },
    { "target", "token each one last followed, -1: not unique", read_target, NULL },
    { "switches", "changes of target, in all", read_switches, NULL },
    { "last_switch", "step of the last one, -1: none", read_last_switch, NULL },
    { "diameter", "max |x_i - x_j|", read_diameter, NULL },
    { "gap_max", "largest Frank-Wolfe gap <B x_i, x_l - x_i>", read_gap, NULL },
    { "energy", "mean of J = <B x_i, x_i>/2", read_energy, NULL },
    { "merges", "tokens that merged into another; null unless merging", read_merges, NULL },
    { "merge_bound", "what merging has moved tokens by, at most", read_merge_bound, NULL },
    { "method", "stepped, or exact for the hardmax ODE", read_method, NULL },
    { "limits", "limits of the tokens, when they are proved", read_limits, NULL },
    { "certificate.kind", "what proves convergence, or metastable, sliding, none", read_kind,
      NULL },
    { "certificate.rate", "contraction per step; of metastable: diameters per step",
      read_proof_rate, NULL },
    { "certificate.distance", "largest distance of a token to its limit", read_proof_distance,
      NULL },
    { "certificate.groups", "closed groups", read_proof_groups, NULL },
    { "certificate.diameter", "of a consensus", read_proof_diameter, NULL },
    { "certificate.token", "that slides", read_slide_token, NULL },
    { "certificate.wall", "the two tokens between which it slides", read_slide_wall, NULL },
    { 0 },
};

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
    { "tokens", "the tokens themselves", read_tokens, NULL },
    { 0 },
};

const struct trop_field *trop_flow_field_table(void)
{
    return fields;
}

const struct trop_field *trop_flow_watch_table(void)
{
    return watch;
}

enum trop_status trop_flow_value(struct trop_value *out, const struct trop_flow *flow,
                                 const char *name)
{
    return trop_field_value(out, fields, flow, name);
}

enum trop_status trop_flow_number(double *out, const struct trop_flow *flow, const char *name)
{
    struct trop_value value;
    enum trop_status status = trop_field_value(&value, fields, flow, name);

    if (status != TROP_OK) {
        return status;
    }
    if (value.kind == TROP_KIND_NUMBER) {
        *out = value.number;
    } else if (value.kind == TROP_KIND_INTEGER || value.kind == TROP_KIND_BOOLEAN) {
        *out = (double)value.integer;
    } else {
        return trop_fail(TROP_ERR_ARG, "%s: is not a number here", name);
    }
    return TROP_OK;
}
