/* hull_report.c -- what is known of a hull and of a point's place, by name. */
#include "base/field.h"
#include "shape/hull/hull_internal.h"

/* ---- the hull -------------------------------------------------------------------------------- */

#define AT(member) TROP_FIELD_AT(struct trop_hull, member)
#define TOKENS(member, axis, count) \
    .kind = TROP_KIND_INTEGERS, AT(member), \
    .axes = { { axis, 0, offsetof(struct trop_hull, count) } }
#define MEASURE(name) AT(measures.name), .form = trop_field_known, .before = measure

static int is_plane(const void *handle, int64_t row)
{
    (void)row;
    return ((const struct trop_hull *)handle)->k == 2;
}

/* Lists and measures are found when they are first asked for. */

static enum trop_status find_candidates(void *handle)
{
    const int64_t *list;
    int64_t count;

    return trop_hull_candidates(&list, &count, handle);
}

static enum trop_status measure(void *handle)
{
    struct trop_hull_measures measures;

    return trop_hull_measure(&measures, handle);
}

TROP_FIELD_READ(read_edges)
{
    const int64_t *list = NULL;
    int64_t count = 0;
    enum trop_status status = trop_hull_edges(&list, &count, handle);

    (void)row;
    if (status == TROP_OK) {
        trop_field_integers(out, list, count, "edge");
        out->rank = 2;
        out->shape[1] = 2;
        out->axes[1] = "end";
    }
    return status == TROP_ERR_UNSUPPORTED ? TROP_OK : status; /* too many pairs to try: null */
}

static const struct trop_field fields[] = {
    { "dimension", "of the hull", .kind = TROP_KIND_INTEGER, AT(k) },
    { "vertices", "points that are vertices", TOKENS(vertex, "vertex", vertices) },
    { "outline", "in two dimensions: the vertices counterclockwise from the lowest index",
      TOKENS(outline, "corner", vertices), .when = is_plane },
    { "candidates", "points that may attain the maximum of a linear functional",
      TOKENS(candidate, "candidate", candidates), .before = find_candidates },
    { "edges", "pairs of vertices joined by an edge", .read = read_edges },
    { "diameter", "largest distance of two points", MEASURE(diameter) },
    { "width",
      "least distance of two parallel planes around it; above 3 dimensions a bound from "
      "above; null when not known",
      MEASURE(width) },
    { "width_lower", "proved bound of the width from below", MEASURE(width_lower) },
    { "volume", "in its own dimension; null when not known", MEASURE(volume) },
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

/* ---- a place --------------------------------------------------------------------------------- */

#define PLACE(member) TROP_FIELD_AT(struct trop_hull_position, member)
#define KNOWN(member) PLACE(member), .form = trop_field_known

static const char *const sides[] = { "outside", "inside", "touching" };

static const struct trop_field place_fields[] = {
    { "side", "inside, outside or touching: within rounding of the boundary",
      .kind = TROP_KIND_TEXT, PLACE(side), .names = sides },
    { "distance", "to the nearest point of the hull", KNOWN(distance) },
    { "lower", "proved: the distance is at least this", KNOWN(lower) },
    { "depth", "of a point inside: to the boundary; null when not known", KNOWN(depth) },
    { "atoms", "vertices in the combination that makes the nearest point",
      .kind = TROP_KIND_INTEGER, PLACE(atoms) },
    { 0 },
};

const struct trop_field *trop_hull_position_table(void)
{
    return place_fields;
}

int64_t trop_hull_position_size(void)
{
    return (int64_t)sizeof(struct trop_hull_position);
}
