/* cells_plane_support.h -- polygons of the cells of a cloud in the plane. */
#ifndef TROP_TESTS_CELLS_PLANE_SUPPORT_H
#define TROP_TESTS_CELLS_PLANE_SUPPORT_H

#include "cells_value.h"

#define UNIT 0x1p-53
#define MOST 64 /* tokens of a cloud here */

/* What a test needs of one cloud: its polygons, copied out by field. */
struct scene {
    struct trop_cells *cells;
    int64_t n, k;
    double x[2 * MOST], b[4];
    int64_t vertex[MOST];
    const double *polygon[MOST]; /* by rank */
    int64_t corners[MOST];
    double area[MOST], band, radius, diameter;
    const int64_t *outline;
    double eta, erode; /* negative: not asked for */
};

/* Column `name` of the list of cells. */
static inline struct trop_value cell_value(const struct trop_cells *cells, const char *name,
                                           int64_t row)
{
    struct trop_value value = { 0 };

    assert_ok(trop_field_cell(&value, trop_cells_field_table(), cells, "cells", name, row));
    return value;
}

/* The polygons of one kind ("polygon", "dominance", "eroded") into the scene. */
static inline void take_polygons(struct scene *s, const char *name)
{
    char area[32];

    snprintf(area, sizeof area, strcmp(name, "polygon") ? "%s_area" : "area", name);
    for (int64_t p = 0; p < s->k; p++) {
        struct trop_value polygon = cell_value(s->cells, name, p);
        assert_int_equal(polygon.kind, TROP_KIND_NUMBERS);
        s->polygon[p] = polygon.numbers;
        s->corners[p] = polygon.shape[0];
        s->area[p] = cell_value(s->cells, area, p).number;
    }
}

/* x, n and b are set. */
static inline void make(struct scene *s)
{
    struct trop_cells_options o = trop_cells_options_default();

    o.cloud.tokens = s->x;
    o.cloud.n = s->n;
    o.cloud.d = 2;
    o.cloud.key_query.values = s->b;
    o.threads = 1;
    if (s->eta >= 0) {
        o.eta = s->eta;
    }
    if (s->erode >= 0) {
        o.erode = s->erode;
    }
    assert_ok(trop_cells_create(&s->cells, &o));
    struct trop_value vertices = value_of(s->cells, "vertices");
    s->k = vertices.shape[0];
    memcpy(s->vertex, vertices.integers, (size_t)s->k * sizeof *s->vertex);
    assert_int_equal(value_of(s->cells, "cells").kind, TROP_KIND_LIST);
    assert_int_equal(value_of(s->cells, "cells").shape[0], s->k);
    s->band = amount(s->cells, "band");
    s->diameter = amount(s->cells, "diameter");
    trop_hull_outline(&s->outline, trop_cells_hull(s->cells));
    s->radius = 0;
    for (int64_t p = 0; p < s->k; p++) {
        assert_int_equal(cell_value(s->cells, "vertex", p).integer, s->vertex[p]);
        s->radius = fmax(s->radius, hypot(s->x[2 * s->vertex[p]], s->x[2 * s->vertex[p] + 1]));
    }
    take_polygons(s, "polygon");
}

/* identity, -identity, diagonal, indefinite, singular, any, quarter turn, nearly singular. */
#define KINDS 8
static const char *const kind_names[KINDS] = { "identity",     "-identity",      "diagonal",
                                               "indefinite",   "singular",       "any",
                                               "quarter turn", "nearly singular" };
static inline void fill_matrix(double *b, int kind, uint64_t seed)
{
    double g[4];

    normals(g, 4, 600 + seed);
    double all[KINDS][4] = {
        { 1, 0, 0, 1 },
        { -1, 0, 0, -1 },
        { fabs(g[0]), 0, 0, fabs(g[1]) },
        { fabs(g[0]), g[1], g[1], -fabs(g[2]) },
        { 3, -1, 6, -2 },
        { g[0], g[1], g[2], g[3] },
        { 0, -1, 1, 0 },
        { g[0], g[1], 2 * g[0], 2 * g[1] * (1 + 0x1p-50) },
    };
    memcpy(b, all[kind], sizeof all[kind]);
}

/* 0 Gaussian, 1 on the unit circle, 2 in a ring (.4, 1), 3 Gaussian away from the origin,
 * 4 a lattice around the origin. */
static inline void fill_tokens(struct scene *s, int kind, uint64_t seed)
{
    normals(s->x, 2 * s->n, seed);
    for (int64_t i = 0; i < s->n; i++) {
        double *x = s->x + 2 * i, r = hypot(x[0], x[1]);
        double scale = kind == 1   ? 1 / r
                       : kind == 2 ? (0.4 + 0.6 * uniform(seed, (uint64_t)i)) / r
                                   : 1;
        x[0] = kind == 4 ? floor(2 * x[0]) / 3 : scale * x[0] + (kind == 3 ? 4 : 0);
        x[1] = kind == 4 ? floor(2 * x[1]) / 3 : scale * x[1] + (kind == 3 ? 1 : 0);
    }
}

/* Sum of the areas against the hull's, when cells have disjoint interiors: every corner may be
 * off by a band, so an area by band times perimeter; and sums of n terms round. */
static inline void check_areas(const struct scene *s)
{
    double sum = 0, tolerance = 0;

    for (int64_t p = 0; p < s->k; p++) {
        sum += s->area[p];
        tolerance += 4 * s->diameter * s->band +
                     (double)(s->corners[p] + 4) * UNIT * s->diameter * s->diameter;
    }
    if (s->k > 2 && amount(s->cells, "partition") == 1) {
        assert_near(sum, amount(s->cells, "volume"), tolerance);
    }
}

#endif
