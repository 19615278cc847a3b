/* cells.c -- the cells of a token cloud: made, filled, freed.
 *
 *   C_i = { x in K : <B x, v_i - v_j> >= 0 for all j },  v_i the vertices of K = conv of the tokens
 *
 * (Alcalde, Geshkovski, Ruiz-Balet, "Attention's forward pass and Frank-Wolfe", 4.1.) Everything is
 * computed in trop_cells_create: the hull; a scan of every token and query over the vertices
 * (cells_score.c: n k d for k vertices); ownership, genericity and the Voronoi property
 * (cells_own.c); in two dimensions the polygons (cells_plane.c, cells_inset.c). Every sign
 * is decided for the real numbers that B and the tokens stand for; what is a size is in double.
 */
#include "shape/cells/cells_internal.h"

#include "base/alloc.h"
#include "base/option.h"
#include "base/parallel.h"
#include "base/status.h"
#include "shape/cloud_options.h"

#include <math.h>
#include <string.h>

#define CROWD 16 /* workers that are granted on any machine */
#define FACETS 6 /* dimensions up to which edges come from facets */
#define FEW 32   /* vertices whose pairs are tried above that: a program each, 0.1 ms or so */

void trop_cells_free(struct trop_cells *cells)
{
    if (!cells) {
        return;
    }
    TROP_FREE(cells->x, cells->key_query, cells->query, cells->scores, cells->owns, cells->labels,
              cells->dominance, cells->eroded, cells->near, cells->margins, cells->walls,
              cells->gaps, cells->energies, cells->query_labels, cells->query_inside,
              cells->query_margins, cells->query_walls, cells->origin_direction,
              cells->origin_atoms, cells->origin_weights);
    trop_cells_scene_free(&cells->scene);
    trop_cells_shapes_free(&cells->cell);
    trop_cells_shapes_free(&cells->cone);
    trop_cells_shapes_free(&cells->core);
    trop_hull_free(cells->hull);
    trop_alloc_free(cells);
}

/* ---- making -------------------------------------------------------------------------------- */

static enum trop_status no_memory(const struct trop_cells *c)
{
    return trop_fail(TROP_ERR_MEMORY, "no memory for the cells of %lld tokens of dimension %lld",
                     (long long)c->n, (long long)c->d);
}

/* Copies count numbers; 0 when there is no memory. Nothing to copy is fine. */
static int copy(double **out, const double *from, int64_t count)
{
    if (!from) {
        return 1;
    }
    *out = trop_alloc(count, sizeof **out);
    if (*out) {
        memcpy(*out, from, (size_t)count * sizeof **out);
    }
    return *out != NULL;
}

/* The tokens, and everything else the options point to, become the cells' own. */
static enum trop_status adopt(struct trop_cells *c)
{
    struct trop_cells_options *o = &c->options;
    int64_t n = c->n, queries = o->queries;

    if (!TROP_ALLOC(TROP_PART(c->x, n * c->d), TROP_PART(c->labels, n), TROP_PART(c->dominance, n),
                    TROP_PART(c->eroded, n), TROP_PART(c->near, n), TROP_PART(c->margins, n),
                    TROP_PART(c->walls, n), TROP_PART(c->gaps, n), TROP_PART(c->energies, n),
                    TROP_PART(c->query_labels, queries), TROP_PART(c->query_inside, queries),
                    TROP_PART(c->query_margins, queries), TROP_PART(c->query_walls, queries),
                    TROP_PART(c->origin_direction, c->d)) ||
        !copy(&c->key_query, o->cloud.key_query.values, c->d * c->d) ||
        !copy(&c->query, o->query, queries * c->d)) {
        return no_memory(c);
    }
    enum trop_status status = trop_cloud_start(c->x, &o->cloud);
    o->cloud.tokens = c->x;
    o->query = c->query;
    o->cloud.key_query.values = c->key_query;
    return status;
}

/* Workers that have 2^21 products each to do, when the user leaves it to us. */
static int64_t workers_for(const struct trop_cells *c)
{
    double points = (double)c->n + (double)c->options.queries;
    double worth = points * (double)c->vertices * (double)(c->d + 8) * 0x1p-21;
    int64_t cores = trop_parallel_cores(), most = cores > CROWD ? cores : CROWD;

    if (c->options.threads > 0) {
        return c->options.threads < most ? c->options.threads : most;
    }
    return worth >= (double)cores ? cores : worth < 1 ? 1 : (int64_t)worth;
}

static enum trop_status make_scene(struct trop_cells *c)
{
    double eta = c->options.eta, erode = c->options.erode;

    c->scene = (struct trop_cells_scene){
        .d = c->d,
        .count = c->vertices,
        .x = c->x,
        .vertex = c->vertex,
        .b = c->options.cloud.key_query,
        .eta = erode >= 0 && eta < 0 ? 0 : eta,
        .erode = erode,
    };
    c->workers = workers_for(c);
    c->owns = trop_alloc(c->vertices, sizeof *c->owns);
    if (!c->owns || !trop_cells_scene_make(&c->scene)) {
        return no_memory(c);
    }
    c->scores = trop_alloc(trop_alloc_product(c->workers, trop_cells_scene_scratch(&c->scene)),
                           sizeof *c->scores);
    c->partition = trop_cells_twins(&c->scene);
    return c->scores && c->partition >= 0 ? TROP_OK : no_memory(c);
}

/* ---- points -------------------------------------------------------------------------------- */

static double *scratch_of(const struct trop_cells *c, int64_t worker)
{
    return c->scores + worker * trop_cells_scene_scratch(&c->scene);
}

static void scan_tokens(void *context, int64_t first, int64_t last, int64_t worker)
{
    struct trop_cells *c = context;

    for (int64_t i = first; i < last; i++) {
        struct trop_cells_mark mark;
        trop_cells_scan(&mark, &c->scene, c->x + i * c->d, 1, scratch_of(c, worker));
        int64_t best = c->vertex[mark.best];
        c->labels[i] = mark.unique ? best : -1;
        c->margins[i] = mark.margin;
        c->walls[i] = mark.wall;
        c->gaps[i] = mark.gap;
        c->energies[i] = mark.energy;
        c->dominance[i] = mark.dominant ? best : -1;
        c->eroded[i] = mark.deep ? best : -1;
        if (c->symmetric) {
            int64_t p = trop_cells_nearest(&c->scene, c->x + i * c->d, scratch_of(c, worker));
            c->near[i] = p < 0 ? -1 : c->vertex[p];
        }
    }
}

static void scan_queries(void *context, int64_t first, int64_t last, int64_t worker)
{
    struct trop_cells *c = context;

    for (int64_t i = first; i < last; i++) {
        struct trop_cells_mark mark;
        trop_cells_scan(&mark, &c->scene, c->query + i * c->d, 0, scratch_of(c, worker));
        c->query_labels[i] = mark.unique ? c->vertex[mark.best] : -1;
        c->query_margins[i] = mark.margin;
        c->query_walls[i] = mark.wall;
    }
}

/* Of the tokens that are deep in a cone, those that are deep in K: a disc around x of radius
 * erode has to lie in K. In a flat hull none does. */
static enum trop_status place_eroded(struct trop_cells *c)
{
    double erode = c->scene.erode;
    int flat = c->dimension < c->d;
    enum trop_status status = TROP_OK;

    c->depths = 1;
    for (int64_t i = 0; i < c->n && erode > 0 && status == TROP_OK; i++) {
        struct trop_hull_position place = { .depth = 0 };
        if (c->eroded[i] < 0) {
            continue;
        }
        if (c->d == 2) {
            place.depth = trop_cells_depth(c, c->x + 2 * i);
        } else if (!flat) {
            status = trop_hull_place(&place, NULL, NULL, NULL, c->hull, c->x + i * c->d);
        }
        c->eroded[i] = !flat && place.depth >= erode ? c->eroded[i] : -1;
        c->depths = c->depths && !isnan(place.depth);
    }
    return status;
}

/* ---- the hull's part ----------------------------------------------------------------------- */

static enum trop_status place_origin(struct trop_cells *c)
{
    double *zero, *weights;
    enum trop_status status =
        TROP_ALLOC(TROP_PART(zero, c->d), TROP_PART(weights, c->n))
            ? trop_hull_place(&c->origin, NULL, c->origin_direction, weights, c->hull, zero)
            : no_memory(c);

    if (status == TROP_OK && !TROP_ALLOC(TROP_PART(c->origin_atoms, c->origin.atoms),
                                         TROP_PART(c->origin_weights, c->origin.atoms))) {
        status = no_memory(c);
    }
    int64_t atoms = 0;
    for (int64_t i = 0; i < c->n && status == TROP_OK && atoms < c->origin.atoms; i++) {
        if (weights[i] != 0) {
            c->origin_atoms[atoms] = i;
            c->origin_weights[atoms++] = weights[i];
        }
    }
    c->origin.atoms = atoms;
    TROP_FREE(zero, weights);
    return status;
}

/* ---- create -------------------------------------------------------------------------------- */

static enum trop_status build(struct trop_cells *c)
{
    enum trop_status status = adopt(c);

    if (status == TROP_OK) {
        status = trop_hull_create(&c->hull, c->x, c->n, c->d, c->options.threads);
    }
    if (status == TROP_OK) {
        c->dimension = trop_hull_dimension(c->hull);
        c->vertices = trop_hull_vertices(&c->vertex, c->hull);
        status = make_scene(c);
    }
    if (status == TROP_OK) {
        status = trop_hull_measure(&c->measures, c->hull);
        if (status == TROP_OK) {
            status = trop_hull_candidates(&c->candidates, &c->candidate_count, c->hull);
        }
        /* Edges where they are cheap: from facets, or by few linear programs. Above, the field is
         * null, and whoever wants them asks the hull. */
        if (status == TROP_OK && (c->dimension <= FACETS || c->vertices <= FEW)) {
            status = trop_hull_edges(&c->edges, &c->edge_count, c->hull);
            status = status == TROP_ERR_UNSUPPORTED ? TROP_OK : status; /* edges stay NULL */
        }
        status = status == TROP_OK ? place_origin(c) : status;
    }
    if (status != TROP_OK) {
        return status;
    }
    c->symmetric = trop_cells_symmetric(c);
    trop_parallel(c->workers, c->n, scan_tokens, c);
    trop_parallel(c->workers, c->options.queries, scan_queries, c);
    trop_cells_judge(c);
    /* Where the queries are: 1 inside, 0 on the boundary or too near to say, -1 outside. */
    for (int64_t i = 0; i < c->options.queries && status == TROP_OK; i++) {
        struct trop_hull_position place;
        status = trop_hull_place(&place, NULL, NULL, NULL, c->hull, c->query + i * c->d);
        if (status == TROP_OK) {
            c->query_inside[i] = place.side == TROP_SIDE_INSIDE    ? 1
                                 : place.side == TROP_SIDE_OUTSIDE ? -1
                                                                   : 0;
        }
    }
    if (status == TROP_OK && c->scene.erode >= 0) {
        status = place_eroded(c);
    }
    c->plane = c->d == 2;
    return status == TROP_OK && c->plane ? trop_cells_plane(c) : status;
}

enum trop_status trop_cells_create(struct trop_cells **out,
                                   const struct trop_cells_options *options)
{
    enum trop_status status = trop_cells_check(options);
    if (status != TROP_OK) {
        return status;
    }
    struct trop_cells *c = trop_alloc(1, sizeof *c);
    if (!c) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for cells");
    }
    c->options = *options;
    c->n = options->cloud.n;
    c->d = options->cloud.d;
    status = build(c);
    if (status != TROP_OK) {
        trop_cells_free(c);
        return status;
    }
    *out = c;
    return TROP_OK;
}

enum trop_status trop_cells_create_from(struct trop_cells **out, const char *const *pairs)
{
    struct trop_cells_options options = trop_cells_options_default();
    enum trop_status status = trop_option_pairs(&options, trop_cells_option_table(), pairs);

    return status == TROP_OK ? trop_cells_create(out, &options) : status;
}

struct trop_hull *trop_cells_hull(struct trop_cells *cells)
{
    return cells->hull;
}

const double *trop_cells_tokens(const struct trop_cells *cells)
{
    return cells->x;
}
