/* bench_shape.c -- the geometry of a cloud, and closed forms: each operation at two sizes.
 *
 * A line per case: operation, cloud, n, d, what was found, milliseconds, and the ratio to an
 * outsider timed in the same run:
 *
 *   Qhull       the library itself, on the same points (facets; no exact vertices);
 *   all pairs   the obvious double loop over the tokens, in plain double arithmetic;
 *   a grid      labels of 1000 x 1000 points by their largest score (the way of the
 *               paper's own figures; areas are then off by about 1e-3);
 *   stepping    the same flow with closed_form = never;
 *   a step      one evaluation of attention on the same cloud: not an outsider, but what the
 *               operation is added to.
 *
 * One thread. The smallest of at least three runs counts. */
#include "job.h"

#include "shape/flat.h"
#include "shape/graph.h"
#include "shape/lyapunov.h"
#include "shape/nearest/nearest.h"
#include "shape/tolerance.h"

#include <libqhull_r/qhull_ra.h>

#define QUERIES 100
#define GRID 1000
#define THOUSAND 1000

/* ---- hull ---------------------------------------------------------------------------------- */

static void make_hull(struct job *job)
{
    const int64_t *vertices;
    check(trop_hull_create(&job->hull, job->x, job->n, job->d, 1));
    job->found = trop_hull_vertices(&vertices, job->hull);
}

static void free_hull(struct job *job)
{
    trop_hull_free(job->hull);
}

/* Facets by Qhull with its default options. */
static void outside_qhull(struct job *job)
{
    qhT state, *qh = &state;
    int freed_long, freed_short;

    qh_zero(qh, stderr);
    if (qh_new_qhull(qh, (int)job->d, (int)job->n, job->x, False, (char[]){ "qhull Pp" }, NULL,
                     stderr) != 0) {
        exit(1);
    }
    qh_freeqhull(qh, !qh_ALL);
    qh_memfreeshort(qh, &freed_long, &freed_short);
}

static void ask_candidates(struct job *job)
{
    const int64_t *list;
    check(trop_hull_candidates(&list, &job->found, job->hull));
}

static void ask_edges(struct job *job)
{
    const int64_t *list;
    check(trop_hull_edges(&list, &job->found, job->hull));
}

static void ask_measures(struct job *job)
{
    struct trop_hull_measures measures;
    check(trop_hull_measure(&measures, job->hull));
}

static void make_flat(struct job *job)
{
    struct trop_flat *flat;
    check(trop_flat_create(&flat, job->x, job->n, job->d, 8));
    job->found = flat->k;
    trop_flat_free(flat);
}

/* ---- nearest point: QUERIES queries ---------------------------------------------------------- */

/* Tokens times `push`: most of those far out are outside, those near 0 inside. */
static void find_nearest(struct job *job, double push)
{
    struct trop_nearest_answer answer;
    struct trop_nearest *nearest;
    double *query = job->out;

    check(trop_nearest_create(&nearest, job->d));
    job->found = 0;
    for (int64_t k = 0; k < QUERIES; k++) {
        for (int64_t c = 0; c < job->d; c++) {
            query[c] = push * job->x[k * job->d + c];
        }
        trop_nearest_find(&answer, nearest, job->x, NULL, job->n, query, 0);
        job->found += answer.side == TROP_SIDE_INSIDE;
    }
    trop_nearest_free(nearest);
}

static void find_outside(struct job *job)
{
    find_nearest(job, 8);
}

static void find_inside(struct job *job)
{
    find_nearest(job, 1. / 8);
}

/* ---- cells --------------------------------------------------------------------------------- */

static void make_cells(struct job *job)
{
    struct trop_cells_options options = trop_cells_options_default();
    struct trop_value vertices;

    options.cloud.n = job->n;
    options.cloud.d = job->d;
    options.cloud.tokens = job->x;
    options.threads = 1;
    check(trop_cells_create(&job->cells, &options));
    check(trop_cells_value(&vertices, job->cells, "vertices"));
    job->found = vertices.shape[0];
}

static void free_cells(struct job *job)
{
    trop_cells_free(job->cells);
}

/* The n points are queries, labelled with the cells of the first THOUSAND points. */
static void make_queries(struct job *job)
{
    struct trop_cells_options options = trop_cells_options_default();

    options.cloud.n = THOUSAND;
    options.cloud.d = job->d;
    options.cloud.tokens = job->x;
    options.query = job->x;
    options.queries = job->n;
    options.threads = 1;
    check(trop_cells_create(&job->cells, &options));
    job->found = job->n;
}

/* Four scores at a time, so that additions need not wait for each other; n is a multiple of 4. */
static int64_t label(const double *point, const double *x, int64_t n, int64_t d)
{
    double top = -INFINITY;
    int64_t best = 0;
    for (int64_t j = 0; j < n; j += 4) {
        double s[4] = { 0 };
        const double *row = x + j * d;
        for (int64_t c = 0; c < d; c++) {
            s[0] += point[c] * row[c];
            s[1] += point[c] * row[d + c];
            s[2] += point[c] * row[2 * d + c];
            s[3] += point[c] * row[3 * d + c];
        }
        for (int64_t l = 0; l < 4; l++) {
            best = s[l] > top ? j + l : best;
            top = s[l] > top ? s[l] : top;
        }
    }
    return best;
}

/* The largest score of every point, among the first `tokens` tokens. */
static void label_all(struct job *job, int64_t tokens)
{
    for (int64_t i = 0; i < job->n; i++) {
        job->out[i] = (double)label(job->x + i * job->d, job->x, tokens, job->d);
    }
}

static void outside_labels(struct job *job)
{
    label_all(job, job->n);
}

static void outside_queries(struct job *job)
{
    label_all(job, THOUSAND);
}

static void outside_grid(struct job *job)
{
    memset(job->out, 0, (size_t)job->n * sizeof *job->out);
    for (int64_t i = 0; i < GRID * GRID; i++) {
        double point[2] = { (double)(2 * (i % GRID) - GRID) / GRID,
                            (double)(2 * (i / GRID) - GRID) / GRID };
        job->out[label(point, job->x, job->n, 2)] += 1;
    }
}

/* ---- what is asked of a loaded cloud --------------------------------------------------------- */

static const struct trop_matrix identity = { .scale = 1 };

static void load(struct job *job)
{
    struct trop_rule_numbers numbers = { .rule = &trop_rule_localmax, .epsilon = 0.1 };
    check(trop_attend_create(&job->attend, job->n, job->d, 1, trop_kernel_choose(0), 0));
    check(trop_attend_load(job->attend, job->x, NULL, job->n, &identity, &numbers));
    check(trop_attend_rows(job->out, job->notes, job->attend, 0));
    check(trop_quiescence_create(&job->scratch, job->n, job->d));
}

static void unload(struct job *job)
{
    trop_attend_free(job->attend);
    trop_quiescence_free(job->scratch);
}

static void step_once(struct job *job)
{
    check(trop_attend_rows(job->out, job->notes, job->attend, 0));
}

static void make_graph(struct job *job)
{
    struct trop_graph *graph;
    check(trop_graph_create(&graph, job->attend, job->notes, NULL, 0, INT64_MAX));
    job->found = graph->arcs;
    trop_graph_free(graph);
}

static void find_threshold(struct job *job)
{
    struct trop_tolerance threshold;
    check(trop_tolerance_find(&threshold, job->attend, &identity));
}

static void prove(struct job *job)
{
    struct trop_quiescence_future future = { 0.5, 0.5, 0.1, 0.1, 0.1, 1 };
    struct trop_quiescence proof;
    trop_quiescence_check(&proof, job->out, job->scratch, job->attend, job->notes, &identity,
                          &future, 1);
    job->found = proof.groups;
}

static void find_potential(struct job *job)
{
    job->out[0] = trop_lyapunov_potential(job->x, NULL, job->n, job->d, 0.2).value;
}

static void find_dirichlet(struct job *job)
{
    job->out[0] = trop_lyapunov_dirichlet(job->attend).value;
}

static void outside_potential(struct job *job)
{
    double sum = 0;
    for (int64_t i = 0; i < job->n; i++) {
        for (int64_t j = 0; j < job->n; j++) {
            double square = 0;
            for (int64_t c = 0; c < job->d; c++) {
                double t = job->x[i * job->d + c] - job->x[j * job->d + c];
                square += t * t;
            }
            sum += square < 0.2 ? square : 0.2;
        }
    }
    job->out[0] = sum;
}

/* ---- flows ----------------------------------------------------------------------------------- */

static struct trop_flow_options options_of(const struct job *job, const char *rule)
{
    struct trop_flow_options o = trop_flow_options_default();
    o.cloud.n = job->n;
    o.cloud.d = job->d;
    o.cloud.tokens = job->x;
    o.threads = 1;
    for (o.rule = 0; strcmp(trop_rule_names()[o.rule], rule) != 0; o.rule++) {
    }
    return o;
}

/* Hardmax; the size is the number of steps. */
static void run_flow(struct job *job, int64_t closed_form)
{
    struct trop_flow_options o = options_of(job, "hardmax");
    o.closed_form = closed_form;
    o.steps = (struct trop_count){ job->steps, log10((double)job->steps) };
    check(trop_flow_create(&job->flow, &o));
    check(trop_flow_run(job->flow, NULL, NULL));
    trop_flow_free(job->flow);
    job->found = job->steps;
}

static void run_closed(struct job *job)
{
    run_flow(job, TROP_CLOSED_FORM_ONLY);
}

static void run_stepping(struct job *job)
{
    run_flow(job, TROP_CLOSED_FORM_NEVER);
}

static void start_flow(struct job *job)
{
    struct trop_flow_options o = options_of(job, "localmax");
    o.until = TROP_UNTIL_CONVERGED;
    check(trop_flow_create(&job->flow, &o));
    check(trop_flow_run(job->flow, NULL, NULL));
}

static void end_flow(struct job *job)
{
    trop_flow_free(job->flow);
}

static void describe(struct job *job)
{
    double clusters;
    check(trop_flow_describe(job->flow));
    check(trop_flow_number(&clusters, job->flow, "clusters"));
    job->found = (int64_t)clusters;
}

static void bisect(struct job *job)
{
    struct trop_threshold_options options = trop_threshold_options_default();
    struct trop_threshold *consensus;
    double runs;

    options.cloud.n = job->n;
    options.cloud.d = job->d;
    options.cloud.tokens = job->x;
    options.threads = 1;
    check(trop_threshold_create(&consensus, &options));
    check(trop_threshold_run(consensus, NULL, NULL));
    check(trop_threshold_number(&runs, consensus, "runs"));
    job->found = (int64_t)runs;
    trop_threshold_free(consensus);
}

/* ---- the tables ------------------------------------------------------------------------------ */

static const struct way way_hull = { "hull",        NULL,    make_hull, free_hull,
                                     outside_qhull, "Qhull", "vertices" };
static const struct way way_hull_high = {
    "hull", NULL, make_hull, free_hull, NULL, NULL, "vertices"
};
static const struct way way_candidates = { "candidates", make_hull, ask_candidates, free_hull,
                                           NULL,         NULL,      "tokens" };
static const struct way way_edges = {
    "edges", make_hull, ask_edges, free_hull, NULL, NULL, "edges"
};
static const struct way way_measures = { "measures", make_hull, ask_measures, free_hull,
                                         NULL,       NULL,      NULL };
static const struct way way_flat = { "dimension", NULL, make_flat, NULL, NULL, NULL, "dimensions" };
static const struct way way_outside = { "nearest, outside", NULL, find_outside, NULL, NULL, NULL,
                                        "of 100 inside" };
static const struct way way_inside = { "nearest, inside", NULL, find_inside, NULL, NULL, NULL,
                                       "of 100 inside" };
static const struct way way_cells = { "cells",        NULL,        make_cells, free_cells,
                                      outside_labels, "all pairs", "vertices" };
static const struct way way_polygons = { "cells, polygons", NULL,     make_cells, free_cells,
                                         outside_grid,      "a grid", "polygons" };
static const struct way way_queries = { "cells, queries", NULL,        make_queries, free_cells,
                                        outside_queries,  "all pairs", "queries" };
static const struct way way_graph = {
    "graph", load, make_graph, unload, step_once, "a step", "arcs"
};
static const struct way way_thresholds = { "thresholds", load, find_threshold, unload, step_once,
                                           "a step",     NULL };
static const struct way way_quiescence = { "quiescence", load,     prove,   unload,
                                           step_once,    "a step", "groups" };
static const struct way way_potential = {
    "potential", load, find_potential, unload, outside_potential, "all pairs", NULL
};
static const struct way way_dirichlet = { "dirichlet", load, find_dirichlet, unload, step_once,
                                          "a step",    NULL };
static const struct way way_describe_end = { "describe", start_flow, describe,  end_flow,
                                             NULL,       NULL,       "clusters" };
static const struct way way_consensus = { "consensus", NULL, bisect, NULL, NULL, NULL, "runs" };
static const struct way way_closed = { "closed form", NULL,       run_closed, NULL,
                                       run_stepping,  "stepping", "steps" };

static const struct trial trials[] = {
    { &way_hull, GAUSS, 10000, 100000, 2 },
    { &way_hull, SPHERE, 1000, 10000, 2 },
    { &way_hull, GAUSS, 10000, 100000, 3 },
    { &way_hull, SPHERE, 1000, 10000, 3 },
    { &way_hull, GAUSS, 2000, 20000, 4 },
    { &way_hull, FEW, 2000, 20000, 6 },
    { &way_hull, GAUSS, 50, 150, 8 },
    { &way_hull_high, FEW, 2000, 20000, 32 },
    { &way_candidates, GAUSS, 10000, 100000, 3 },
    { &way_candidates, SPHERE, 1000, 10000, 3 },
    { &way_edges, SPHERE, 1000, 10000, 3 },
    { &way_edges, GAUSS, 16, 32, 8 },
    { &way_measures, GAUSS, 10000, 100000, 3 },
    { &way_measures, SPHERE, 1000, 10000, 3 },
    { &way_flat, SHEET, 10000, 100000, 32 },
    { &way_outside, GAUSS, 1000, 10000, 3 },
    { &way_inside, GAUSS, 1000, 10000, 3 },
    { &way_outside, GAUSS, 1000, 10000, 32 },
    { &way_inside, GAUSS, 1000, 10000, 32 },
    { &way_cells, GAUSS, 2000, 20000, 2 },
    { &way_cells, GAUSS, 2000, 20000, 3 },
    { &way_cells, FEW, 2000, 20000, 8 },
    { &way_polygons, SPHERE, 100, 1000, 2 },
    { &way_queries, GAUSS, 10000, 100000, 2 },
    { &way_graph, GAUSS, 1000, 4000, 2 },
    { &way_thresholds, GAUSS, 1000, 4000, 3 },
    { &way_quiescence, PAIRS, 1000, 4000, 3 },
    { &way_potential, GAUSS, 1000, 4000, 3 },
    { &way_dirichlet, GAUSS, 1000, 4000, 3 },
    { &way_describe_end, GAUSS, 1000, 4000, 2 },
    { &way_consensus, GAUSS, 16, 64, 2 },
    { &way_closed, RING, 1000, 10000, 2 },
};

/* ---- measuring ------------------------------------------------------------------------------- */

static void measure(const struct trial *trial, int64_t size)
{
    struct job job = { .n = size, .d = trial->d, .cloud = trial->cloud, .steps = size };
    const struct way *way = trial->way;
    char found[40] = "";

    job.n = way->work == run_closed ? 256 : size;
    job.x = malloc((size_t)(job.n * job.d) * sizeof *job.x);
    job.out = malloc((size_t)(job.n * job.d + GRID) * sizeof *job.out);
    job.notes = malloc((size_t)job.n * sizeof *job.notes);
    if (!job.x || !job.out || !job.notes) {
        exit(1);
    }
    check(bench_cloud_fill(job.x, job.cloud, job.n, job.d));
    double ours = best_of(way, way->work, &job);
    if (way->what) {
        snprintf(found, sizeof found, "%lld %s", (long long)job.found, way->what);
    }
    printf("%-20s %-6s n %6lld d %2lld  %-18s %11.3f ms", way->name, bench_cloud_names[job.cloud],
           (long long)job.n, (long long)job.d, found, 1e3 * ours);
    if (way->outsider) {
        double other = best_of(way, way->outsider, &job);
        printf("   %s: %.3f ms, %.3g times ours", way->who, 1e3 * other, other / ours);
    }
    printf("\n");
    fflush(stdout);
    free(job.x);
    free(job.out);
    free(job.notes);
}

int main(void)
{
    for (size_t k = 0; k < sizeof trials / sizeof trials[0]; k++) {
        measure(trials + k, trials[k].small);
        measure(trials + k, trials[k].large);
    }
    return 0;
}
