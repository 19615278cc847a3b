/* cells_report.c -- the cells' results by name: the table, and what fills it. */
#include "shape/cells/cells_internal.h"

#include "base/field.h"

#define AT(member) TROP_FIELD_AT(struct trop_cells, member)
#define EACH(array) TROP_FIELD_EACH(struct trop_cells, array)
#define KNOWN(member) AT(member), .form = trop_field_known /* what is not known is null */
#define BOOLEAN(member) .kind = TROP_KIND_BOOLEAN, AT(member)
#define LIST(type, member, axis, count) \
    .kind = TROP_KIND_##type, AT(member), \
    .axes = { { axis, 0, offsetof(struct trop_cells, count) } }
#define BY_TOKEN(type, member) LIST(type, member, "token", n)
#define BY_QUERY(type, member) LIST(type, member, "query", options.queries), .when = has_queries
#define ATOMS(type, member) LIST(type, member, "atom", origin.atoms)
#define AREA(shapes) EACH(shapes.area), .form = trop_field_known

/* ---- when there is a value ----------------------------------------------------------------- */

#define WHEN(name, condition) \
    static int name(const void *handle, int64_t row) \
    { \
        const struct trop_cells *c = handle; \
        (void)row; \
        return condition; \
    }
WHEN(is_symmetric, c->symmetric)
WHEN(is_special, !c->generic)
WHEN(has_cones, c->scene.eta >= 0)
WHEN(has_cores, c->scene.erode >= 0)
WHEN(has_depths, c->scene.erode >= 0 && c->depths)
WHEN(has_queries, c->query != NULL)
WHEN(is_plane, c->plane)
WHEN(has_insets, c->plane && c->scene.eta >= 0)
#undef WHEN

/* ---- forms and readers --------------------------------------------------------------------- */

static const char *const sides[] = {
    [TROP_SIDE_OUTSIDE] = "outside",
    [TROP_SIDE_INSIDE] = "inside",
    [TROP_SIDE_TOUCHING] = "touching",
};

static void contained(struct trop_value *out, const void *member)
{
    int64_t side = *(const int64_t *)member;

    if (side != TROP_SIDE_TOUCHING) {
        trop_field_boolean(out, side == TROP_SIDE_INSIDE);
    }
}

/* Polygons, (corners, 2), one for each row. */
#define POLYGON(shapes) \
    TROP_FIELD_READ(read_##shapes) \
    { \
        const struct trop_cells *c = handle; \
        return polygon(out, &c->shapes, row); \
    }
static enum trop_status polygon(struct trop_value *out, const struct trop_cells_shapes *shapes,
                                int64_t row)
{
    trop_field_table_of(out, shapes->corner + 2 * shapes->start[row],
                        shapes->start[row + 1] - shapes->start[row], 2, "corner", "coordinate");
    return TROP_OK;
}
POLYGON(cell)
POLYGON(cone)
POLYGON(core)

/* ---- the table ----------------------------------------------------------------------------- */

static const struct trop_field cell_columns[] = {
    { "vertex", "the token that owns it", .kind = TROP_KIND_INTEGER, EACH(vertex) },
    { "polygon", "corners of the cell, counterclockwise; none when it is empty",
      .read = read_cell },
    { "area", "area of the cell", AREA(cell) },
    { "dominance", "corners of I_i(eta); null unless eta or erode was given", .read = read_cone,
      .when = has_cones },
    { "dominance_area", "area of the dominance cone", AREA(cone), .when = has_cones },
    { "eroded", "corners of I_i(eta) eroded; null unless erode was given", .read = read_core,
      .when = has_cores },
    { "eroded_area", "area of the eroded cone", AREA(core), .when = has_cores },
    { 0 },
};

static const struct trop_field fields[] = {
    { "vertices", "tokens that are vertices of the hull",
      LIST(INTEGERS, vertex, "vertex", vertices) },
    { "owns_cell", "whether each vertex is in its own cell and in no other",
      LIST(BOOLEANS, owns, "vertex", vertices) },
    { "labels", "token that owns each token's cell, -1: on a wall", BY_TOKEN(INTEGERS, labels) },
    { "margins", "best score less the best of another vertex; 0 on a wall",
      BY_TOKEN(NUMBERS, margins) },
    { "generic", "hypotheses (1) and (2) of theorem 4.2 hold", BOOLEAN(generic) },
    { "obstacle", "why they do not; null when they do", .kind = TROP_KIND_TEXT, AT(obstacle),
      .inside = 1, .when = is_special },
    { "voronoi",
      "B is symmetric and the vertices have equal energy, up to the rounding of their "
      "coordinates: the cells are the B-Voronoi cells",
      BOOLEAN(voronoi) },
    { "partition", "cells have disjoint interiors: no B'(v_i - v_j) is 0", BOOLEAN(partition) },
    { "c0", "min <B v_i, v_i - v_j> over vertices i != j", KNOWN(c0) },
    { "contains_origin", "whether 0 is in the hull; null: too near its boundary to say",
      AT(origin.side), .form = contained },
    { "dimension", "dimension of the hull", .kind = TROP_KIND_INTEGER, AT(dimension) },
    { "diameter", "diameter of the hull", KNOWN(measures.diameter) },
    { "width",
      "width of the hull, the least distance of two parallel planes around it; above 3 dimensions "
      "an upper bound; null when not known",
      KNOWN(measures.width) },
    { "width_lower", "proved bound of the width from below", KNOWN(measures.width_lower) },
    { "volume", "volume of the hull in its own dimension; null when not known",
      KNOWN(measures.volume) },
    { "edges",
      "pairs of vertices joined by an edge; null above 6 dimensions with more than 32 vertices",
      .kind = TROP_KIND_INTEGERS, AT(edges),
      .axes = { { "edge", 0, offsetof(struct trop_cells, edge_count) }, { "end", 2, 0 } } },
    { "candidates", "tokens that may attain the maximum of a linear functional",
      LIST(INTEGERS, candidates, "candidate", candidate_count) },
    { "walls", "distance of each token to the nearest wall of its cell", BY_TOKEN(NUMBERS, walls) },
    { "voronoi_labels",
      "vertex nearest to each token in the B-norm, -1: not unique; null unless B is symmetric",
      BY_TOKEN(INTEGERS, near), .when = is_symmetric },
    { "gaps", "Frank-Wolfe gap of each token, max_j <B x_i, x_j - x_i>", BY_TOKEN(NUMBERS, gaps) },
    { "gap_max", "the largest of the Frank-Wolfe gaps", KNOWN(gap_max) },
    { "energies", "J = <B x, x>/2 of each token", BY_TOKEN(NUMBERS, energies) },
    { "dominance",
      "vertex in whose I_i(eta) each token is, -1: none; null unless eta or erode was given",
      BY_TOKEN(INTEGERS, dominance), .when = has_cones },
    { "eroded",
      "the same for dominance cones eroded by erode; null unless erode was given and the hull's "
      "facets are known",
      BY_TOKEN(INTEGERS, eroded), .when = has_depths },
    { "query_labels", "labels of the queries; null without them, as the next three",
      BY_QUERY(INTEGERS, query_labels) },
    { "query_margins", "margins of the query points", BY_QUERY(NUMBERS, query_margins) },
    { "query_walls", "distances of the query points to the nearest wall",
      BY_QUERY(NUMBERS, query_walls) },
    { "query_inside", "1: in the hull, -1: outside, 0: too near its boundary to say",
      BY_QUERY(INTEGERS, query_inside) },
    { "origin.side", "inside, outside or touching", .kind = TROP_KIND_TEXT, AT(origin.side),
      .names = sides },
    { "origin.distance", "distance from 0 to the hull", KNOWN(origin.distance) },
    { "origin.lower", "proved: the distance is at least this", KNOWN(origin.lower) },
    { "origin.direction", "unit, from the hull to 0; zero when 0 is inside",
      LIST(NUMBERS, origin_direction, "coordinate", d) },
    { "origin.atoms", "tokens whose combination is the point of the hull nearest to 0",
      ATOMS(INTEGERS, origin_atoms) },
    { "origin.weights", "weights of these tokens in the combination",
      ATOMS(NUMBERS, origin_weights) },
    { "cells", "the cells as polygons, d = 2; null otherwise", .kind = TROP_KIND_LIST, AT(vertices),
      .axes = { { "vertex", 0, 0 } }, .when = is_plane, .columns = cell_columns },
    { "band", "corners of the cells are within this of the true ones, d = 2", KNOWN(band),
      .when = is_plane },
    { "inset_band", "sides of dominance and eroded polygons are within this of the true lines",
      KNOWN(inset_band), .when = has_insets },
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
