/* hull_report.c -- what is known of a hull and of a point's place, by name. */
#include "base/field.h"
#include "shape/hull_internal.h"

#include <math.h>

/* Lists and measures are found when they are first asked for. */
static struct trop_hull *hull_of(const void *handle)
{
    return (struct trop_hull *)handle;
}

static void write_number(struct trop_value *out, double value)
{
    if (!isnan(value)) {
        trop_field_number(out, value);
    }
}

/* ---- the hull ----------------------------------------------------------------------------------
 */

TROP_FIELD(read_dimension)
{
    (void)row;
    trop_field_integer(out, trop_hull_dimension(handle));
}

TROP_FIELD(read_vertices)
{
    const int64_t *list = NULL;
    int64_t count = trop_hull_vertices(&list, handle);

    (void)row;
    trop_field_integers(out, list, count, "vertex");
}

TROP_FIELD(read_outline)
{
    const int64_t *list = NULL;

    (void)row;
    if (trop_hull_dimension(handle) == 2) {
        int64_t count = trop_hull_outline(&list, handle);
        trop_field_integers(out, list, count, "corner");
    }
}

TROP_FIELD(read_candidates)
{
    const int64_t *list = NULL;
    int64_t count = 0;

    (void)row;
    if (trop_hull_candidates(&list, &count, hull_of(handle)) == TROP_OK) {
        trop_field_integers(out, list, count, "candidate");
    }
}

TROP_FIELD(read_edges)
{
    const int64_t *list = NULL;
    int64_t count = 0;

    (void)row;
    if (trop_hull_edges(&list, &count, hull_of(handle)) == TROP_OK) {
        trop_field_integers(out, list, count, "edge");
        out->rank = 2;
        out->shape[1] = 2;
        out->axes[1] = "end";
    }
}

#define MEASURE(name) \
    TROP_FIELD(read_##name) \
    { \
        struct trop_hull_measures measures; \
        (void)row; \
        if (trop_hull_measure(&measures, hull_of(handle)) == TROP_OK) { \
            write_number(out, measures.name); \
        } \
    }
MEASURE(diameter)
MEASURE(width)
MEASURE(width_lower)
MEASURE(volume)
#undef MEASURE

static const struct trop_field fields[] = {
    { "dimension", "of the hull", read_dimension, NULL },
    { "vertices", "points that are vertices", read_vertices, NULL },
    { "outline", "in two dimensions: the vertices counterclockwise from the lowest index",
      read_outline, NULL },
    { "candidates", "points that may attain the maximum of a linear functional", read_candidates,
      NULL },
    { "edges", "pairs of vertices joined by an edge", read_edges, NULL },
    { "diameter", "largest distance of two points", read_diameter, NULL },
    { "width",
      "least distance of two parallel planes around it; above 3 dimensions a bound from "
      "above; null when not known",
      read_width, NULL },
    { "width_lower", "proved bound of the width from below", read_width_lower, NULL },
    { "volume", "in its own dimension; null when not known", read_volume, NULL },
    { 0 },
};

const struct trop_field *trop_hull_field_table(void)
{
    return fields;
}

enum trop_status trop_hull_value(struct trop_value *out, struct trop_hull *hull, const char *name)
{
    return trop_field_value(out, fields, hull, name);
}

/* ---- a place -----------------------------------------------------------------------------------
 */

TROP_FIELD(read_side)
{
    static const char *const names[] = { "outside", "inside", "touching" };

    (void)row;
    trop_field_text(out, names[((const struct trop_hull_place *)handle)->side]);
}

#define MEMBER(name, write) \
    TROP_FIELD(read_##name) \
    { \
        (void)row; \
        write(out, ((const struct trop_hull_place *)handle)->name); \
    }
MEMBER(distance, write_number)
MEMBER(lower, write_number)
MEMBER(depth, write_number)
MEMBER(atoms, trop_field_integer)
#undef MEMBER

static const struct trop_field place_fields[] = {
    { "side", "inside, outside or touching: within rounding of the boundary", read_side, NULL },
    { "distance", "to the nearest point of the hull", read_distance, NULL },
    { "lower", "proved: the distance is at least this", read_lower, NULL },
    { "depth", "of a point inside: to the boundary; null when not known", read_depth, NULL },
    { "atoms", "vertices in the combination that makes the nearest point", read_atoms, NULL },
    { 0 },
};

const struct trop_field *trop_hull_place_table(void)
{
    return place_fields;
}

int64_t trop_hull_place_size(void)
{
    return (int64_t)sizeof(struct trop_hull_place);
}
