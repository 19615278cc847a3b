/* cells_report.c -- the cells' results by name: the table, and what fills it. */
#include "shape/cells_internal.h"

#include "base/field.h"

#include <math.h>

#define CELLS \
    const struct trop_cells *c = handle; \
    (void)row

/* ---- kinds --------------------------------------------------------------------------------- */

/* What is not known is null. */
static void number(struct trop_value *out, double value)
{
    if (!isnan(value)) {
        trop_field_number(out, value);
    }
}

/* Polygon row of shapes, (corners, 2). */
static void polygon(struct trop_value *out, const struct trop_cells_shapes *shapes, int64_t row)
{
    trop_field_table_of(out, shapes->corner + 2 * shapes->start[row],
                        shapes->start[row + 1] - shapes->start[row], 2, "corner", "coordinate");
}

/* ---- vertices and the hull ----------------------------------------------------------------- */

TROP_FIELD(read_vertices)
{
    CELLS;
    trop_field_integers(out, c->vertex, c->vertices, "vertex");
}

TROP_FIELD(read_owns)
{
    CELLS;
    trop_field_booleans(out, c->owns, c->vertices, "vertex");
}

TROP_FIELD(read_dimension)
{
    CELLS;
    trop_field_integer(out, trop_hull_dimension(c->hull));
}

TROP_FIELD(read_edges)
{
    CELLS;
    if (c->edges) {
        *out = (struct trop_value){
            .kind = TROP_KIND_INTEGERS,
            .integers = c->edges,
            .rank = 2,
            .shape = { c->edge_count, 2 },
            .axes = { "edge", "end" },
        };
    }
}

TROP_FIELD(read_candidates)
{
    CELLS;
    trop_field_integers(out, c->candidates, c->candidate_count, "candidate");
}

TROP_FIELD(read_diameter)
{
    CELLS;
    number(out, c->measures.diameter);
}

TROP_FIELD(read_width_lower)
{
    CELLS;
    number(out, c->measures.width_lower);
}

TROP_FIELD(read_width)
{
    CELLS;
    number(out, c->measures.width);
}

TROP_FIELD(read_volume)
{
    CELLS;
    number(out, c->measures.volume);
}

TROP_FIELD(read_contains)
{
    CELLS;
    if (c->origin.side != TROP_SIDE_TOUCHING) {
        trop_field_boolean(out, c->origin.side == TROP_SIDE_INSIDE);
    }
}

TROP_FIELD(read_origin_side)
{
    static const char *const names[] = {
        [TROP_SIDE_OUTSIDE] = "outside",
        [TROP_SIDE_INSIDE] = "inside",
        [TROP_SIDE_TOUCHING] = "touching",
    };
    CELLS;
    trop_field_text(out, names[c->origin.side]);
}

TROP_FIELD(read_origin_distance)
{
    CELLS;
    number(out, c->origin.distance);
}

TROP_FIELD(read_origin_lower)
{
    CELLS;
    number(out, c->origin.lower);
}

TROP_FIELD(read_origin_direction)
{
    CELLS;
    trop_field_numbers(out, c->origin_direction, c->d, "coordinate");
}

TROP_FIELD(read_origin_atoms)
{
    CELLS;
    trop_field_integers(out, c->origin_atoms, c->origin.atoms, "atom");
}

TROP_FIELD(read_origin_weights)
{
    CELLS;
    trop_field_numbers(out, c->origin_weights, c->origin.atoms, "atom");
}

/* ---- tokens -------------------------------------------------------------------------------- */

TROP_FIELD(read_labels)
{
    CELLS;
    trop_field_integers(out, c->labels, c->n, "token");
}

TROP_FIELD(read_margins)
{
    CELLS;
    trop_field_numbers(out, c->margins, c->n, "token");
}

TROP_FIELD(read_walls)
{
    CELLS;
    trop_field_numbers(out, c->walls, c->n, "token");
}

TROP_FIELD(read_near)
{
    CELLS;
    if (c->symmetric) {
        trop_field_integers(out, c->near, c->n, "token");
    }
}

TROP_FIELD(read_gaps)
{
    CELLS;
    trop_field_numbers(out, c->gaps, c->n, "token");
}

TROP_FIELD(read_gap_max)
{
    CELLS;
    number(out, c->gap_max);
}

TROP_FIELD(read_energies)
{
    CELLS;
    trop_field_numbers(out, c->energies, c->n, "token");
}

TROP_FIELD(read_dominance)
{
    CELLS;
    if (c->scene.eta >= 0) {
        trop_field_integers(out, c->dominance, c->n, "token");
    }
}

TROP_FIELD(read_eroded)
{
    CELLS;
    if (c->scene.erode >= 0 && c->depths) {
        trop_field_integers(out, c->eroded, c->n, "token");
    }
}

TROP_FIELD(read_query_labels)
{
    CELLS;
    if (c->query) {
        trop_field_integers(out, c->query_labels, c->options.queries, "query");
    }
}

TROP_FIELD(read_query_margins)
{
    CELLS;
    if (c->query) {
        trop_field_numbers(out, c->query_margins, c->options.queries, "query");
    }
}

TROP_FIELD(read_query_walls)
{
    CELLS;
    if (c->query) {
        trop_field_numbers(out, c->query_walls, c->options.queries, "query");
    }
}

TROP_FIELD(read_query_inside)
{
    CELLS;
    if (c->query) {
        trop_field_integers(out, c->query_inside, c->options.queries, "query");
    }
}

/* ---- the whole ----------------------------------------------------------------------------- */

TROP_FIELD(read_generic)
{
    CELLS;
    trop_field_boolean(out, c->generic);
}

TROP_FIELD(read_obstacle)
{
    CELLS;
    if (!c->generic) {
        trop_field_text(out, c->obstacle);
    }
}

TROP_FIELD(read_voronoi)
{
    CELLS;
    trop_field_boolean(out, c->voronoi);
}

TROP_FIELD(read_partition)
{
    CELLS;
    trop_field_boolean(out, c->partition);
}

TROP_FIELD(read_c0)
{
    CELLS;
    number(out, c->c0);
}

TROP_FIELD(read_band)
{
    CELLS;
    if (c->plane) {
        number(out, c->band);
    }
}

TROP_FIELD(read_inset_band)
{
    CELLS;
    if (c->plane && c->scene.eta >= 0) {
        number(out, c->inset_band);
    }
}

/* ---- polygons ------------------------------------------------------------------------------ */

TROP_FIELD(read_cells)
{
    CELLS;
    if (c->plane) {
        out->kind = TROP_KIND_LIST;
        out->rank = 1;
        out->shape[0] = c->vertices;
        out->axes[0] = "vertex";
    }
}

TROP_FIELD(cell_vertex)
{
    const struct trop_cells *c = handle;
    trop_field_integer(out, c->vertex[row]);
}

TROP_FIELD(cell_polygon)
{
    const struct trop_cells *c = handle;
    polygon(out, &c->cell, row);
}

TROP_FIELD(cell_area)
{
    const struct trop_cells *c = handle;
    number(out, c->cell.area[row]);
}

TROP_FIELD(cell_cone)
{
    const struct trop_cells *c = handle;
    if (c->scene.eta >= 0) {
        polygon(out, &c->cone, row);
    }
}

TROP_FIELD(cell_cone_area)
{
    const struct trop_cells *c = handle;
    if (c->scene.eta >= 0) {
        number(out, c->cone.area[row]);
    }
}

TROP_FIELD(cell_core)
{
    const struct trop_cells *c = handle;
    if (c->scene.erode >= 0) {
        polygon(out, &c->core, row);
    }
}

TROP_FIELD(cell_core_area)
{
    const struct trop_cells *c = handle;
    if (c->scene.erode >= 0) {
        number(out, c->core.area[row]);
    }
}

static const struct trop_field cell_columns[] = {
    { "vertex", "the token that owns it", cell_vertex, NULL },
    { "polygon", "its corners, counterclockwise; none when it is empty", cell_polygon, NULL },
    { "area", "its area", cell_area, NULL },
    { "dominance", "corners of I_i(eta); null unless eta or erode was given", cell_cone, NULL },
    { "dominance_area", "its area", cell_cone_area, NULL },
    { "eroded", "corners of I_i(eta) eroded; null unless erode was given", cell_core, NULL },
    { "eroded_area", "its area", cell_core_area, NULL },
    { 0 },
};

static const struct trop_field fields[] = {
    { "vertices", "tokens that are vertices of the hull", read_vertices, NULL },
    { "owns_cell", "whether each vertex is in its own cell and in no other", read_owns, NULL },
    { "labels", "token that owns each token's cell, -1: on a wall", read_labels, NULL },
    { "margins", "best score less the best of another vertex; 0 on a wall", read_margins, NULL },
    { "generic", "hypotheses (1) and (2) of theorem 4.2 hold", read_generic, NULL },
    { "obstacle", "why they do not; null when they do", read_obstacle, NULL },
    { "voronoi",
      "B is symmetric and the vertices have equal energy, up to the rounding of their "
      "coordinates: the cells are the B-Voronoi cells",
      read_voronoi, NULL },
    { "partition", "cells have disjoint interiors: no B'(v_i - v_j) is 0", read_partition, NULL },
    { "c0", "min <B v_i, v_i - v_j> over vertices i != j", read_c0, NULL },
    { "contains_origin", "whether 0 is in the hull; null: too near its boundary to say",
      read_contains, NULL },
    { "dimension", "of the hull", read_dimension, NULL },
    { "diameter", "of the hull", read_diameter, NULL },
    { "width", "of the hull; above 3 dimensions a bound from above; null when not known",
      read_width, NULL },
    { "width_lower", "proved bound of the width from below", read_width_lower, NULL },
    { "volume", "of the hull in its own dimension; null when not known", read_volume, NULL },
    { "edges",
      "pairs of vertices joined by an edge; null above 6 dimensions with more than 32 vertices",
      read_edges, NULL },
    { "candidates", "tokens that may attain the maximum of a linear functional", read_candidates,
      NULL },
    { "walls", "distance of each token to the nearest wall of its cell", read_walls, NULL },
    { "voronoi_labels",
      "vertex nearest to each token in the B-norm, -1: not unique; null unless B is symmetric",
      read_near, NULL },
    { "gaps", "Frank-Wolfe gap of each token, max_j <B x_i, x_j - x_i>", read_gaps, NULL },
    { "gap_max", "the largest", read_gap_max, NULL },
    { "energies", "J = <B x, x>/2 of each token", read_energies, NULL },
    { "dominance",
      "vertex in whose I_i(eta) each token is, -1: none; null unless eta or erode was given",
      read_dominance, NULL },
    { "eroded", "the same, eroded; null unless erode was given and the hull's facets are known",
      read_eroded, NULL },
    { "query_labels", "labels of the queries; null without them, as the next three",
      read_query_labels, NULL },
    { "query_margins", "their margins", read_query_margins, NULL },
    { "query_walls", "their distances to the nearest wall", read_query_walls, NULL },
    { "query_inside", "1: in the hull, -1: outside, 0: too near its boundary to say",
      read_query_inside, NULL },
    { "origin.side", "inside, outside or touching", read_origin_side, NULL },
    { "origin.distance", "from 0 to the hull", read_origin_distance, NULL },
    { "origin.lower", "proved: the distance is at least this", read_origin_lower, NULL },
    { "origin.direction", "unit, from the hull to 0; zero when 0 is inside", read_origin_direction,
      NULL },
    { "origin.atoms", "tokens whose combination is the point of the hull nearest to 0",
      read_origin_atoms, NULL },
    { "origin.weights", "their weights", read_origin_weights, NULL },
    { "cells", "the cells as polygons, d = 2; null otherwise", read_cells, cell_columns },
    { "band", "corners of the cells are within this of the true ones, d = 2", read_band, NULL },
    { "inset_band", "sides of dominance and eroded polygons are within this of the true lines",
      read_inset_band, NULL },
    { 0 },
};

const struct trop_field *trop_cells_field_table(void)
{
    return fields;
}

enum trop_status trop_cells_value(struct trop_value *out, const struct trop_cells *cells,
                                  const char *name)
{
    return trop_field_value(out, fields, cells, name);
}

enum trop_status trop_cells_number(double *out, const struct trop_cells *cells, const char *name)
{
    return trop_field_as_number(out, fields, cells, name);
}
