/* flow_describe.c -- the shape of the present state: hull, clusters, neighbour graph.
 *
 * Found when a result is read, once for a state, and never while a run goes on. What is too
 * large to be found in passing is left out: `tropism cells` takes any cloud.
 */
#include "flow/flow_read.h"

#include "base/alloc.h"
#include "shape/boxes.h"
#include "shape/cloud.h"
#include "shape/nearest/nearest.h"

#include <math.h>
#include <string.h>

#define LARGE 0x1p24   /* n^2 d, beyond three dimensions */
#define CROWDED 0x1p20 /* distances, from which on a tree of boxes pays */
#define DEEP 0x1p24    /* distances, beyond which shallow vertices are not looked for */
#define PAIRS 0x1p34   /* tokens looking at tokens for a neighbour graph */
#define ARCS (1 << 24) /* entries of a neighbour graph */

/* ---- clusters: members, mass, centre --------------------------------------------------------- */

/* Mean by mass of the tokens listed, taken from the first of them; returns the mass. */
static double mean_of(double *centre, const struct trop_flow *f, const int64_t *list, int64_t count)
{
    const double *first = f->seen.full + list[0] * f->d;
    double total = 0;

    memset(centre, 0, (size_t)f->d * sizeof *centre);
    for (int64_t k = 0; k < count; k++) {
        double mass = f->options.cloud.masses ? f->options.cloud.masses[list[k]] : 1;
        total += mass;
        for (int64_t c = 0; c < f->d; c++) {
            centre[c] = fma(mass, f->seen.full[list[k] * f->d + c] - first[c], centre[c]);
        }
    }
    for (int64_t c = 0; c < f->d; c++) {
        centre[c] = first[c] + centre[c] / total;
    }
    return total;
}

static enum trop_status find_origins(struct trop_flow *f)
{
    struct trop_tree *tree = NULL;
    int crowded = (double)f->n * (double)f->seen.clusters > CROWDED;
    enum trop_status status = crowded ? trop_tree_create(&tree, f->n, f->d) : TROP_OK;

    if (tree) {
        trop_tree_build(tree, f->initial, f->n, f->workers);
    }
    for (int64_t g = 0; g < f->seen.clusters && status == TROP_OK; g++) {
        const double *centre = f->verdict.centres + g * f->d;
        if (tree) { /* a token of the cluster is often the one */
            f->verdict.cluster_from[g] =
                trop_boxes_nearest(&f->verdict.cluster_moved[g], tree, f->initial, centre,
                                   f->verdict.members[f->verdict.member_of[g]]);
            continue;
        }
        f->verdict.cluster_from[g] = 0;
        f->verdict.cluster_moved[g] = INFINITY;
        for (int64_t i = 0; i < f->n; i++) {
            const double *from = f->initial + i * f->d;
            if (trop_cloud_beyond(centre, from, f->d, f->verdict.cluster_moved[g])) {
                continue;
            }
            double r = trop_cloud_distance(centre, from, f->d);
            if (r < f->verdict.cluster_moved[g]) {
                f->verdict.cluster_moved[g] = r;
                f->verdict.cluster_from[g] = i;
            }
        }
    }
    trop_tree_free(tree);
    return status;
}

/* ---- the hull -------------------------------------------------------------------------------- */

/* 1 at the vertices of the hull of the points; -1 throughout when it is not known, which is a
 * failure only for want of memory. */
static enum trop_status flag_vertices(int64_t *out, const struct trop_flow *f, const double *points,
                                      int64_t n)
{
    struct trop_hull *hull = NULL;
    const int64_t *vertices;
    enum trop_status status = (f->d <= 3 || (double)n * (double)n * (double)f->d <= LARGE)
                                  ? trop_hull_create(&hull, points, n, f->d, f->workers)
                                  : TROP_ERR_UNSUPPORTED;
    int known = status == TROP_OK;

    for (int64_t i = 0; i < n; i++) {
        out[i] = known ? 0 : -1;
    }
    for (int64_t k = 0; known && k < trop_hull_vertices(&vertices, hull); k++) {
        out[vertices[k]] = 1;
    }
    trop_hull_free(hull);
    return status == TROP_ERR_MEMORY ? status : TROP_OK;
}

/* 0 when there are so many vertices that looking at each would take hours; then none is known
 * to be one. */
static int worth_looking(struct trop_flow *f)
{
    double vertices = 0;

    for (int64_t g = 0; g < f->seen.clusters; g++) {
        vertices += f->verdict.cluster_vertex[g] == 1;
    }
    if (vertices * (double)f->seen.clusters <= DEEP) {
        return 1;
    }
    for (int64_t g = 0; g < f->seen.clusters; g++) {
        f->verdict.cluster_vertex[g] = -1;
    }
    return 0;
}

/* A centre on the segment between two others is none of the hull's corners, though rounding may
 * push it out: one within the clusters' own linking distance of the hull of the others is not
 * called a vertex. */
static enum trop_status drop_shallow(struct trop_flow *f)
{
    struct trop_nearest *nearest = NULL;
    struct trop_nearest_answer answer;
    double least = f->options.cluster * f->diameter0;

    if (f->verdict.cluster_vertex[0] < 0 || f->seen.clusters == 1 || !worth_looking(f)) {
        return TROP_OK;
    }
    enum trop_status status = trop_nearest_create(&nearest, f->d);
    for (int64_t g = 0; g < f->seen.clusters && status == TROP_OK; g++) {
        int64_t others = 0;
        for (int64_t h = 0; h < f->seen.clusters && f->verdict.cluster_vertex[g] == 1; h++) {
            if (h != g) {
                f->engines.order[others++] = h;
            }
        }
        if (others == 0) {
            continue;
        }
        trop_nearest_find(&answer, nearest, f->verdict.centres, f->engines.order, others,
                          f->verdict.centres + g * f->d, 0);
        f->verdict.cluster_vertex[g] = answer.distance > least;
    }
    trop_nearest_free(nearest);
    return status;
}

static enum trop_status list_vertices(struct trop_flow *f)
{
    enum trop_status status = flag_vertices(f->engines.order, f, f->seen.full, f->n);

    f->seen.hull_count = f->engines.order[0] < 0 ? -1 : 0;
    for (int64_t i = 0; i < f->n && f->seen.hull_count >= 0; i++) {
        if (f->engines.order[i] == 1) {
            f->seen.hull_list[f->seen.hull_count++] = i;
        }
    }
    return status;
}

/* ---- the neighbour graph --------------------------------------------------------------------- */

static enum trop_status find_graph(struct trop_flow *f)
{
    int64_t vertices = f->seen.hull_count > 0 ? f->seen.hull_count : 0;

    trop_graph_free(f->engines.graph);
    f->engines.graph = NULL;
    if (!trop_flow_has_sets(f) || f->state.live < f->n || (double)f->n * (double)f->n > PAIRS) {
        return TROP_OK; /* merged tokens stand for several: their graph is another one */
    }
    enum trop_status status = trop_flow_look(f);
    if (status == TROP_OK) {
        status = trop_flow_load(f, f->state.x, trop_flow_clock(f));
    }
    if (status == TROP_OK) {
        status = trop_graph_create(&f->engines.graph, f->engines.attend, f->seen.notes,
                                   vertices ? f->seen.hull_list : NULL, vertices, ARCS);
    }
    return status == TROP_ERR_UNSUPPORTED ? TROP_OK : status;
}

/* Tokens of every sink of the graph, in the order of components: a counting sort. */
static void list_classes(struct trop_flow *f)
{
    const struct trop_graph *g = f->engines.graph;
    int64_t count = 0;

    for (int64_t k = 0; g && k < g->components; k++) {
        f->engines.order[k] = g->sink[k] ? count++ : -1; /* class of a component */
    }
    memset(f->verdict.class_of, 0, (size_t)(f->n + 1) * sizeof *f->verdict.class_of);
    for (int64_t i = 0; g && i < f->n; i++) {
        int64_t class = f->engines.order[g->component[i]];
        if (class >= 0) {
            f->verdict.class_of[class + 1]++;
        }
    }
    for (int64_t k = 0; k < count; k++) {
        f->verdict.class_of[k + 1] += f->verdict.class_of[k];
        f->engines.parent[k] = f->verdict.class_of[k];
    }
    for (int64_t i = 0; g && i < f->n; i++) {
        int64_t class = f->engines.order[g->component[i]];
        if (class >= 0) {
            f->verdict.class_members[f->engines.parent[class]++] = i;
        }
    }
    for (int64_t k = 0; k < count; k++) {
        f->verdict.class_mass[k] = mean_of(f->verdict.class_centres + k * f->d, f,
                                           f->verdict.class_members + f->verdict.class_of[k],
                                           f->verdict.class_of[k + 1] - f->verdict.class_of[k]);
    }
}

enum trop_status trop_flow_describe(struct trop_flow *f)
{
    if (f->seen.described) {
        return TROP_OK;
    }
    f->seen.hull_count = -1;
    enum trop_status status = trop_flow_judge(f);
    if (status != TROP_OK) {
        f->seen.clusters = 0;
        return status;
    }
    /* members and member_of from the labels: a counting sort. */
    memset(f->verdict.member_of, 0, (size_t)(f->n + 1) * sizeof *f->verdict.member_of);
    for (int64_t i = 0; i < f->n; i++) {
        f->verdict.member_of[f->verdict.labels[i] + 1]++;
    }
    for (int64_t g = 0; g < f->seen.clusters; g++) {
        f->verdict.member_of[g + 1] += f->verdict.member_of[g];
        f->engines.order[g] = f->verdict.member_of[g];
    }
    for (int64_t i = 0; i < f->n; i++) {
        f->verdict.members[f->engines.order[f->verdict.labels[i]]++] = i;
    }
    for (int64_t g = 0; g < f->seen.clusters; g++) {
        f->verdict.cluster_mass[g] =
            mean_of(f->verdict.centres + g * f->d, f, f->verdict.members + f->verdict.member_of[g],
                    f->verdict.member_of[g + 1] - f->verdict.member_of[g]);
    }
    status = find_origins(f);
    if (status == TROP_OK) {
        status = flag_vertices(f->verdict.cluster_vertex, f, f->verdict.centres, f->seen.clusters);
    }
    if (status == TROP_OK) {
        status = drop_shallow(f);
    }
    if (status == TROP_OK) {
        status = list_vertices(f);
    }
    if (status == TROP_OK) {
        status = find_graph(f);
    }
    list_classes(f);
    f->seen.described = status == TROP_OK;
    return status;
}

/* ---- columns of the lists -------------------------------------------------------- */

#define CENTRE(member) \
    .kind = TROP_KIND_NUMBERS, AT(member), .by_row = 1, .axes = { { "coordinate", LENGTH(d) } }

TROP_FIELD_READ(cluster_members)
{
    const struct trop_flow *f = handle;
    trop_field_integers(out, f->verdict.members + f->verdict.member_of[row],
                        f->verdict.member_of[row + 1] - f->verdict.member_of[row], "member");
    return TROP_OK;
}

TROP_FIELD_READ(class_members)
{
    const struct trop_flow *f = handle;
    trop_field_integers(out, f->verdict.class_members + f->verdict.class_of[row],
                        f->verdict.class_of[row + 1] - f->verdict.class_of[row], "member");
    return TROP_OK;
}

const struct trop_field trop_flow_class_columns[] = {
    { "members", "indices of these tokens", .read = class_members },
    { "mass", "total mass of these tokens", .kind = TROP_KIND_NUMBER, EACH(verdict.class_mass) },
    { "centre", "mean of these tokens, weighted by mass", CENTRE(verdict.class_centres) },
    { 0 },
};

const struct trop_field trop_flow_cluster_columns[] = {
    { "members", "indices of these tokens", .read = cluster_members },
    { "mass", "total mass of these tokens", .kind = TROP_KIND_NUMBER, EACH(verdict.cluster_mass) },
    { "centre", "mean of these tokens, weighted by mass", CENTRE(verdict.centres) },
    { "vertex", "the centre is a vertex of the hull of all centres", EACH(verdict.cluster_vertex),
      .form = trop_field_decided },
    { "nearest", "index of the initial token that is nearest to the centre",
      .kind = TROP_KIND_INTEGER, EACH(verdict.cluster_from) },
    { "moved", "distance from the centre to that initial token", .kind = TROP_KIND_NUMBER,
      EACH(verdict.cluster_moved) },
    { 0 },
};
