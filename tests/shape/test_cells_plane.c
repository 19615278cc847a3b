/* test_cells_plane.c -- the polygons of the cells against labels of a grid, and against closed
 * forms; dominance cones and their erosions. */
#include "support.h"

#include "attend/decide.h"

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

static struct trop_value value_of(const struct trop_cells *cells, const char *name)
{
    struct trop_value value;

    assert_ok(trop_cells_value(&value, cells, name));
    return value;
}

static double amount(const struct trop_cells *cells, const char *name)
{
    double value = NAN;

    assert_ok(trop_cells_number(&value, cells, name));
    return value;
}

/* Column `name` of the list of cells. */
static struct trop_value cell_value(const struct trop_cells *cells, const char *name, int64_t row)
{
    struct trop_value value = { 0 };

    assert_ok(trop_field_cell(&value, trop_cells_field_table(), cells, "cells", name, row));
    return value;
}

/* The polygons of one kind ("polygon", "dominance", "eroded") into the scene. */
static void take_polygons(struct scene *s, const char *name)
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
static void make(struct scene *s)
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

static const double *at(const struct scene *s, int64_t p)
{
    return s->x + 2 * s->vertex[p];
}

/* ---- the truth, point by point ------------------------------------------------------------- */

static long double score(const struct scene *s, const double *x, const double *v)
{
    long double y0 = (long double)s->b[0] * x[0] + (long double)s->b[1] * x[1];
    long double y1 = (long double)s->b[2] * x[0] + (long double)s->b[3] * x[1];

    return y0 * v[0] + y1 * v[1];
}

/* x in K: left of every side. Long double; a point on the boundary is in the band of a side. */
static int in_hull(const struct scene *s, const double *x)
{
    if (s->k < 3) {
        return 0;
    }
    for (int64_t m = 0; m < s->k; m++) {
        const double *v = s->x + 2 * s->outline[m];
        const double *w = s->x + 2 * s->outline[(m + 1) % s->k];
        long double turn = ((long double)w[0] - v[0]) * ((long double)x[1] - v[1]) -
                           ((long double)w[1] - v[1]) * ((long double)x[0] - v[0]);
        if (turn < 0) {
            return 0;
        }
    }
    return 1;
}

/* member (k): vertices that attain max <B x, v>. Long double, and the exact decision (which
 * test_cells.c holds against rationals) where that is within its rounding. */
static void members(char *member, const struct scene *s, const double *x)
{
    long double t[MOST], top = -INFINITY, size = 0;
    struct trop_matrix b = { .values = s->b };
    int64_t best = -1;

    for (int64_t p = 0; p < s->k; p++) {
        t[p] = score(s, x, at(s, p));
        top = t[p] > top ? t[p] : top;
    }
    for (int c = 0; c < 2; c++) {
        size +=
            (fabsl((long double)s->b[2 * c] * x[0]) + fabsl((long double)s->b[2 * c + 1] * x[1])) *
            s->radius;
    }
    for (int64_t p = 0; p < s->k; p++) {
        member[p] = t[p] >= top - 0x1p-58L * size;
        best = member[p] && best < 0 ? p : best;
        if (member[p] && trop_decide_bilinear(&b, x, at(s, p), at(s, best), 2) > 0) {
            best = p;
        }
    }
    for (int64_t p = 0; p < s->k; p++) {
        member[p] = member[p] && trop_decide_bilinear(&b, x, at(s, p), at(s, best), 2) == 0;
    }
}

/* ---- polygons, plainly --------------------------------------------------------------------- */

/* Crossings of the ray to the right. */
static int in_polygon(const double *q, int64_t count, const double *x)
{
    int inside = 0;

    for (int64_t k = 0; k < count; k++) {
        const double *v = q + 2 * k, *w = q + 2 * ((k + 1) % count);
        if ((v[1] <= x[1]) != (w[1] <= x[1])) {
            long double turn = ((long double)w[0] - v[0]) * ((long double)x[1] - v[1]) -
                               ((long double)w[1] - v[1]) * ((long double)x[0] - v[0]);
            inside ^= (turn > 0) == (w[1] > v[1]);
        }
    }
    return inside;
}

/* From x to the sides of the polygon. */
static double distance_to(const double *q, int64_t count, const double *x)
{
    long double least = INFINITY;

    for (int64_t k = 0; k < count; k++) {
        const double *v = q + 2 * k, *w = q + 2 * ((k + 1) % count);
        long double e0 = (long double)w[0] - v[0], e1 = (long double)w[1] - v[1];
        long double f0 = (long double)x[0] - v[0], f1 = (long double)x[1] - v[1];
        long double along = e0 * e0 + e1 * e1 > 0 ? (e0 * f0 + e1 * f1) / (e0 * e0 + e1 * e1) : 0;
        along = along < 0 ? 0 : along > 1 ? 1 : along;
        f0 -= along * e0;
        f1 -= along * e1;
        long double r = sqrtl(f0 * f0 + f1 * f1);
        least = r < least ? r : least;
    }
    return (double)least;
}

struct tally {
    int64_t points, in_band, mismatches;
    double widest; /* mismatch, in bands */
};

/* One point against every polygon; member says where it belongs. */
static void compare(struct tally *tally, const struct scene *s, const double *x, const char *member,
                    double band)
{
    int counted = 0;

    tally->points++;
    for (int64_t p = 0; p < s->k; p++) {
        int inside = in_polygon(s->polygon[p], s->corners[p], x);
        if (inside == member[p]) {
            continue;
        }
        double r = distance_to(s->polygon[p], s->corners[p], x);
        tally->mismatches++;
        tally->widest = fmax(tally->widest, r / band);
        counted = 1;
        if (!(r <= band * (1 + 0x1p-8) + 0x1p-60 * s->radius)) {
            fail_msg("point %a, %a: %s polygon %lld and should not be; off by %g, band %g", x[0],
                     x[1], inside ? "in" : "not in", (long long)p, r, band);
        }
    }
    for (int64_t p = 0; p < s->k && !counted; p++) {
        if (s->corners[p] > 1 && member[p] &&
            distance_to(s->polygon[p], s->corners[p], x) <= band) {
            counted = 1;
        }
    }
    tally->in_band += counted;
}

typedef void membership(char *member, const struct scene *s, const double *x);

static void in_cells(char *member, const struct scene *s, const double *x)
{
    if (in_hull(s, x)) {
        members(member, s, x);
    } else {
        memset(member, 0, (size_t)s->k);
    }
}

/* side x side points over the bounding box, and points near every side of every polygon: up to
 * 4 bands on either side of it. */
static void scan(struct tally *tally, const struct scene *s, int64_t side, double band,
                 membership *of)
{
    double low[] = { INFINITY, INFINITY }, high[] = { -INFINITY, -INFINITY };
    char member[MOST];

    for (int64_t p = 0; p < s->k; p++) {
        for (int c = 0; c < 2; c++) {
            low[c] = fmin(low[c], at(s, p)[c]);
            high[c] = fmax(high[c], at(s, p)[c]);
        }
    }
    for (int64_t k = 0; k < side * side; k++) {
        double x[2];
        int64_t place[] = { k % side, k / side };
        for (int c = 0; c < 2; c++) {
            x[c] = low[c] + (high[c] - low[c]) * ((double)place[c] / (double)(side - 1));
        }
        of(member, s, x);
        compare(tally, s, x, member, band);
    }
    for (int64_t p = 0; p < s->k; p++) {
        for (int64_t m = 0; m < s->corners[p]; m++) {
            const double *v = s->polygon[p] + 2 * m;
            const double *w = s->polygon[p] + 2 * ((m + 1) % s->corners[p]);
            double length = hypot(w[0] - v[0], w[1] - v[1]);
            for (int k = 0; k < 40 && length > 0; k++) {
                double along = uniform(8, (uint64_t)k),
                       off = (k % 2 ? 8 : 1.5) * (uniform(9, (uint64_t)k) - 0.5);
                along = k < 10 ? ldexp(along, -5 * k) : along; /* near the first corner, too */
                double x[2] = { v[0] + along * (w[0] - v[0]), v[1] + along * (w[1] - v[1]) };
                x[0] += off * band * (v[1] - w[1]) / length;
                x[1] += off * band * (w[0] - v[0]) / length;
                of(member, s, x);
                compare(tally, s, x, member, band);
            }
        }
    }
}

/* ---- clouds and matrices ------------------------------------------------------------------- */

/* identity, -identity, diagonal, indefinite, singular, any, quarter turn, nearly singular. */
#define KINDS 8
static const char *const kind_names[KINDS] = { "identity",     "-identity",      "diagonal",
                                               "indefinite",   "singular",       "any",
                                               "quarter turn", "nearly singular" };
static void fill_matrix(double *b, int kind, uint64_t seed)
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
static void fill_tokens(struct scene *s, int kind, uint64_t seed)
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
static void check_areas(const struct scene *s)
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

static void polygons_agree_with_the_labels_of_a_grid(void **state)
{
    (void)state;
    struct tally all = { 0 };
    int64_t polygons = cases(10, 100), side = cases(316, 1000), empty = 0, degenerate = 0;

    for (int64_t trial = 0; trial < polygons; trial++) {
        struct scene s = { .eta = -1, .erode = -1 };
        struct tally tally = { 0 };
        int kind = (int)(trial % KINDS);
        s.n = 3 + whole(5, (uint64_t)trial, 38);
        fill_tokens(&s, (int)(trial % 5), (uint64_t)trial);
        fill_matrix(s.b, kind, (uint64_t)trial);
        make(&s);
        scan(&tally, &s, side, s.band, in_cells);
        check_areas(&s);
        for (int64_t p = 0; p < s.k; p++) {
            empty += s.corners[p] == 0;
            degenerate += s.corners[p] == 1 || s.corners[p] == 2;
        }
        if (getenv("TROP_TEST_FULL")) {
            print_message("%s, %lld tokens, %lld vertices: %lld points, %lld in the band of %.2g, "
                          "%lld mismatches, widest %.2f bands\n",
                          kind_names[kind], (long long)s.n, (long long)s.k, (long long)tally.points,
                          (long long)tally.in_band, s.band, (long long)tally.mismatches,
                          tally.widest);
        }
        all.points += tally.points;
        all.in_band += tally.in_band;
        all.mismatches += tally.mismatches;
        all.widest = fmax(all.widest, tally.widest);
        trop_cells_free(s.cells);
    }
    print_message(
        "%lld points, %lld in the band, %lld mismatches, widest %.2f bands; %lld empty and "
        "%lld degenerate cells\n",
        (long long)all.points, (long long)all.in_band, (long long)all.mismatches, all.widest,
        (long long)empty, (long long)degenerate);
    assert_true(all.in_band > 100 && all.mismatches > 10 && empty > 0);
}

/* Many small clouds, whose tokens and matrices tie in every way, with few points each. */
static void polygons_of_lattice_clouds_agree_with_labels(void **state)
{
    (void)state;
    struct tally all = { 0 };

    for (int64_t trial = 0; trial < cases(400, 20000); trial++) {
        struct scene s = { .eta = -1, .erode = -1 };
        uint64_t at_ = (uint64_t)trial * 64;
        s.n = 1 + whole(6, at_, 9);
        for (int64_t k = 0; k < 2 * s.n; k++) {
            s.x[k] = (double)(whole(6, at_ + 1 + (uint64_t)k, 5) - 2) / (trial % 2 ? 1 : 3);
        }
        for (int64_t k = 0; k < 4; k++) {
            s.b[k] = (double)(whole(6, at_ + 40 + (uint64_t)k, 3) - 1);
        }
        make(&s);
        scan(&all, &s, 21, s.band > 0 ? s.band : 1, in_cells);
        check_areas(&s);
        trop_cells_free(s.cells);
    }
    print_message("%lld points, %lld mismatches, widest %.2f bands\n", (long long)all.points,
                  (long long)all.mismatches, all.widest);
}

/* ---- closed forms ---------------------------------------------------------------- */

/* The polygon of token i has these corners, whichever comes first. */
static void check_polygon(const struct scene *s, int64_t i, const double *corners, int64_t count,
                          double area, double tolerance)
{
    int64_t p = 0, first = 0;

    while (s->vertex[p] != i) {
        p++;
    }
    assert_int_equal(s->corners[p], count);
    for (int64_t k = 0; k < count; k++) {
        if (hypot(s->polygon[p][2 * k] - corners[0], s->polygon[p][2 * k + 1] - corners[1]) <
            1e-6) {
            first = k;
        }
    }
    for (int64_t k = 0; k < 2 * count; k++) {
        assert_near(s->polygon[p][(k + 2 * first) % (2 * count)], corners[k], tolerance);
    }
    assert_near(s->area[p], area, tolerance * (1 + s->diameter));
}

static void make_from(struct scene *s, const double *x, int64_t n, double b0, double b1, double b2,
                      double b3)
{
    *s = (struct scene){ .n = n, .b = { b0, b1, b2, b3 }, .eta = -1, .erode = -1 };
    memcpy(s->x, x, (size_t)(2 * n) * sizeof *x);
    make(s);
}

static void the_square_has_its_closed_forms(void **state)
{
    (void)state;
    double square[] = { 1, 1, -1, 1, -1, -1, 1, -1 };
    double quadrant[] = { 0, 0, 1, 0, 1, 1, 0, 1 }, opposite[] = { 0, 0, -1, 0, -1, -1, 0, -1 };
    double below[] = { 0, 0, 0, -1, 1, -1, 1, 0 }, upper[] = { -1, 0, 1, 0, 1, 1, -1, 1 };
    struct scene s;

    make_from(&s, square, 4, 1, 0, 0, 1);
    check_polygon(&s, 0, quadrant, 4, 1, 0);
    trop_cells_free(s.cells);
    make_from(&s, square, 4, -1, 0, 0, -1);
    check_polygon(&s, 0, opposite, 4, 1, 0);
    trop_cells_free(s.cells);
    make_from(&s, square, 4, 0, -1, 1, 0); /* B x = (-y, x) */
    check_polygon(&s, 0, below, 4, 1, 0);
    trop_cells_free(s.cells);
    make_from(&s, square, 4, 0, 0, 0, 1); /* two vertices share the upper half */
    check_polygon(&s, 0, upper, 4, 2, 0);
    check_polygon(&s, 1, upper, 4, 2, 0);
    trop_cells_free(s.cells);
    make_from(&s, square, 4, 0, 0, 0, 0); /* every cell is K */
    for (int64_t i = 0; i < 4; i++) {
        double whole_square[] = { 1, 1, -1, 1, -1, -1, 1, -1 };
        check_polygon(&s, i, whole_square, 4, 4, 0);
    }
    trop_cells_free(s.cells);
    /* The diamond under diag(0, 1): the cell of the left vertex is the segment y = 0. */
    double diamond[] = { 1, 0, 0, 1, -1, 0, 0, -1 }, segment[] = { -1, 0, 1, 0 };
    double top[] = { 1, 0, 0, 1, -1, 0 };
    make_from(&s, diamond, 4, 0, 0, 0, 1);
    check_polygon(&s, 2, segment, 2, 0, 0);
    check_polygon(&s, 1, top, 3, 1, 0);
    trop_cells_free(s.cells);
}

static void triangles_with_the_origin_elsewhere_have_theirs(void **state)
{
    (void)state;
    struct scene s;
    /* The origin is a vertex: it owns nothing but itself. The wall between (2, 0) and (0, 2) is the
     * diagonal. */
    double corner[] = { 0, 0, 2, 0, 0, 2 }, origin[] = { 0, 0 };
    double right[] = { 0, 0, 2, 0, 1, 1 }, left[] = { 0, 0, 1, 1, 0, 2 };
    make_from(&s, corner, 3, 1, 0, 0, 1);
    check_polygon(&s, 0, origin, 1, 0, 0);
    check_polygon(&s, 1, right, 3, 1, 0);
    check_polygon(&s, 2, left, 3, 1, 0);
    trop_cells_free(s.cells);
    /* The origin on a side. */
    double sided[] = { -1, 0, 1, 0, 0, 2 };
    make_from(&s, sided, 3, 1, 0, 0, 1);
    double share[] = { 0, 0, 1, 0, 0.8, 0.4 }; /* x = 2 y on the side 2 x + y = 2 */
    check_polygon(&s, 1, share, 3, 0.2, 4 * UNIT);
    check_areas(&s);
    trop_cells_free(s.cells);
    /* Far from the origin: the farthest vertex has it all, the others nothing. */
    double far[] = { 10, 0, 12, 0, 11, 0.5 };
    make_from(&s, far, 3, 1, 0, 0, 1);
    check_polygon(&s, 0, far, 0, 0, 0);
    check_polygon(&s, 1, (double[]){ 12, 0, 11, 0.5, 10, 0 }, 3, 0.5, 0);
    check_polygon(&s, 2, far, 0, 0, 0);
    trop_cells_free(s.cells);
    /* And under -I the nearest. */
    make_from(&s, far, 3, -1, 0, 0, -1);
    check_polygon(&s, 0, (double[]){ 12, 0, 11, 0.5, 10, 0 }, 3, 0.5, 0);
    trop_cells_free(s.cells);
}

static void flat_clouds_have_segments(void **state)
{
    (void)state;
    struct scene s;
    double two[] = { -1, -1, 3, 3 }, three[] = { 0.5, 0.5, -1, -1, 3, 3 }, one[] = { 2, 5 };
    double low[] = { -1, -1, 0, 0 }, high[] = { 0, 0, 3, 3 };

    make_from(&s, two, 2, 1, 0, 0, 1);
    check_polygon(&s, 0, low, 2, 0, 0);
    check_polygon(&s, 1, high, 2, 0, 0);
    trop_cells_free(s.cells);
    make_from(&s, three, 3, 1, 0, 0, 1);
    assert_int_equal(s.k, 2);
    check_polygon(&s, 1, low, 2, 0, 0);
    trop_cells_free(s.cells);
    /* Through the origin, in numbers whose cut would not round to it. */
    double tenths[] = { -0.1, -0.2, 0.7, 1.4 }, part[] = { -0.1, -0.2, 0, 0 };
    make_from(&s, tenths, 2, 1, 0, 0, 1);
    check_polygon(&s, 0, part, 2, 0, 0);
    trop_cells_free(s.cells);
    make_from(&s, two, 2, 0, -1, 1, 0); /* the quarter turn: all scores on the line are 0 */
    check_polygon(&s, 0, two, 2, 0, 0);
    trop_cells_free(s.cells);
    make_from(&s, one, 1, 1, 0, 0, 1);
    check_polygon(&s, 0, one, 1, 0, 0);
    trop_cells_free(s.cells);
}

/* The regular 12-gon: cells are kites of the half angle, areas equal; c0 = 1 - cos(pi/6). */
static void the_regular_polygon_is_cut_into_equal_kites(void **state)
{
    (void)state;
    struct trop_cells_options o = trop_cells_options_default();
    struct scene s = { .n = 12, .b = { 1, 0, 0, 1 }, .eta = -1, .erode = -1 };
    struct trop_cells *drawn = NULL;

    o.cloud.n = 12;
    o.cloud.init = TROP_INIT_POLYGON;
    assert_ok(trop_cells_create(&drawn, &o));
    memcpy(s.x, trop_cells_tokens(drawn), 24 * sizeof *s.x);
    trop_cells_free(drawn);
    make(&s);
    for (int64_t p = 0; p < 12; p++) {
        assert_int_equal(s.corners[p], 4);
        assert_near(s.area[p], 0.25, 16 * UNIT); /* sin(30 deg)/2 */
    }
    assert_near(amount(s.cells, "c0"), 1 - sqrt(0.75), 8 * UNIT);
    assert_int_equal(amount(s.cells, "voronoi"), 1);
    trop_cells_free(s.cells);
}

/* The same polygons by a power of two, and areas by its square, where that is a double. */
static void compare_scaled(struct scene *s, struct scene *t, const char *name, int power)
{
    take_polygons(s, name);
    take_polygons(t, name);
    for (int64_t p = 0; p < s->k; p++) {
        assert_int_equal(s->corners[p], t->corners[p]);
        for (int64_t k = 0; k < 2 * s->corners[p]; k++) {
            assert_true(t->polygon[p][k] == ldexp(s->polygon[p][k], power));
        }
        assert_true(t->area[p] == ldexp(s->area[p], 2 * power));
    }
}

/* The area of a polygon by 2^-power. */
static double area_by(const double *p, int64_t count, int power)
{
    double twice = 0;

    for (int64_t k = 0; k < count; k++) {
        const double *a = p + 2 * k, *b = p + 2 * ((k + 1) % count);
        twice +=
            ldexp(a[0], -power) * ldexp(b[1], -power) - ldexp(a[1], -power) * ldexp(b[0], -power);
    }
    return twice / 2;
}

/* Lengths, which erosions need, are off by an ulp or so in other ways at other scales, and corners
 * within sides come and go with that: the polygons enclose the same area. */
static void compare_eroded(struct scene *s, struct scene *t, int power)
{
    take_polygons(s, "eroded");
    take_polygons(t, "eroded");
    for (int64_t p = 0; p < s->k; p++) {
        assert_true((s->corners[p] > 0) == (t->corners[p] > 0));
        assert_near(area_by(t->polygon[p], t->corners[p], power),
                    area_by(s->polygon[p], s->corners[p], 0), 1e-12 * s->diameter * s->diameter);
    }
}

static void polygons_scale_to_the_bit(void **state)
{
    (void)state;
    int scales[] = { 500, -500, -650, 60, 990, -960 };

    for (int64_t trial = 0; trial < 72; trial++) {
        struct scene s = { .n = 25, .eta = 0, .erode = 0.125 }, t;
        int power = scales[trial % 6];
        fill_tokens(&s, (int)(trial % 4), (uint64_t)trial);
        fill_matrix(s.b, (int)(trial % KINDS), (uint64_t)trial);
        make(&s);
        t = s;
        for (int k = 0; k < 50; k++) {
            t.x[k] = ldexp(s.x[k], power);
        }
        t.erode = ldexp(s.erode, power);
        make(&t);
        assert_int_equal(t.k, s.k);
        compare_scaled(&s, &t, "polygon", power);
        compare_scaled(&s, &t, "dominance", power);
        compare_eroded(&s, &t, power);
        trop_cells_free(s.cells);
        trop_cells_free(t.cells);
    }
}

/* B = diag(1e300, 1e-300) has the walls of B = I on the square, and its determinant is not 0. */
static void entries_of_all_sizes_cut_the_square_in_quarters(void **state)
{
    (void)state;
    struct scene s = { .n = 4, .b = { 1e300, 0, 0, 1e-300 }, .eta = -1, .erode = -1 };
    double x[] = { 1, 1, -1, 1, -1, -1, 1, -1 };

    memcpy(s.x, x, sizeof x);
    make(&s);
    take_polygons(&s, "polygon");
    check_polygon(&s, 0, (double[]){ 0, 0, 1, 0, 1, 1, 0, 1 }, 4, 1, 0);
    check_polygon(&s, 2, (double[]){ 0, 0, -1, 0, -1, -1, 0, -1 }, 4, 1, 0);
    trop_cells_free(s.cells);
}

/* ---- dominance cones and erosion ------------------------------------------------- */

/* |B'(v - w)| in long double. */
static long double normal_length(const struct scene *s, const double *v, const double *w)
{
    long double t0 = (long double)v[0] - w[0], t1 = (long double)v[1] - w[1];
    long double h0 = s->b[0] * t0 + s->b[2] * t1, h1 = s->b[1] * t0 + s->b[3] * t1;

    return sqrtl(h0 * h0 + h1 * h1);
}

/* By the definitions, over all pairs. */
static void in_cones(char *member, const struct scene *s, const double *x)
{
    int inside = in_hull(s, x);

    for (int64_t p = 0; p < s->k; p++) {
        member[p] = (char)inside;
        for (int64_t q = 0; q < s->k && member[p]; q++) {
            member[p] = q == p || score(s, x, at(s, p)) - score(s, x, at(s, q)) >= s->eta;
        }
    }
}

static void in_cores(char *member, const struct scene *s, const double *x)
{
    long double depth = in_hull(s, x) ? INFINITY : -1;

    for (int64_t m = 0; m < s->k; m++) {
        const double *v = s->x + 2 * s->outline[m];
        const double *w = s->x + 2 * s->outline[(m + 1) % s->k];
        long double e0 = (long double)w[0] - v[0], e1 = (long double)w[1] - v[1];
        long double turn = e0 * ((long double)x[1] - v[1]) - e1 * ((long double)x[0] - v[0]);
        turn /= sqrtl(e0 * e0 + e1 * e1);
        depth = turn < depth ? turn : depth;
    }
    for (int64_t p = 0; p < s->k; p++) {
        member[p] = depth >= s->erode;
        for (int64_t q = 0; q < s->k && member[p]; q++) {
            member[p] = q == p || score(s, x, at(s, p)) - score(s, x, at(s, q)) >=
                                      s->eta + s->erode * normal_length(s, at(s, p), at(s, q));
        }
    }
}

/* The fields `dominance` and `eroded` of the tokens, outside the rounding of their decisions. */
static void check_tokens(const struct scene *s, const char *name, membership *of)
{
    const int64_t *field = value_of(s->cells, name).integers;

    for (int64_t i = 0; i < s->n; i++) {
        char member[MOST];
        int64_t truth = -1;
        of(member, s, s->x + 2 * i);
        for (int64_t p = s->k - 1; p >= 0; p--) {
            truth = member[p] ? s->vertex[p] : truth;
        }
        assert_int_equal(field[i], truth);
    }
}

/* The figures' set-up: k = 7 on the unit circle, eta = .05, erosion .03; then others. */
static void cones_and_their_erosions_agree_with_their_definitions(void **state)
{
    (void)state;
    struct tally cones = { 0 }, cores = { 0 };
    int64_t kept[2] = { 0 };

    for (int64_t trial = 0; trial < cases(8, 80); trial++) {
        struct scene s = { .n = trial == 0 ? 7 : 5 + trial % 20, .eta = 0.05, .erode = 0.03 };
        fill_tokens(&s, trial == 0 ? 1 : (int)(trial % 4), 42 + (uint64_t)trial);
        fill_matrix(s.b, trial == 0 ? 0 : (int)(trial % KINDS), (uint64_t)trial);
        for (int64_t i = s.n / 2; i < s.n && trial > 3; i++) { /* tokens inside */
            s.x[2 * i] *= 0.5;
            s.x[2 * i + 1] *= 0.5;
        }
        make(&s);
        double band = amount(s.cells, "inset_band");
        take_polygons(&s, "dominance");
        scan(&cones, &s, cases(150, 500), band, in_cones);
        check_tokens(&s, "dominance", in_cones);
        for (int64_t p = 0; p < s.k; p++) {
            kept[0] += s.corners[p] > 2;
            assert_true(s.area[p] <= cell_value(s.cells, "area", p).number * (1 + 1e-12));
        }
        take_polygons(&s, "eroded");
        scan(&cores, &s, cases(150, 500), band, in_cores);
        check_tokens(&s, "eroded", in_cores);
        for (int64_t p = 0; p < s.k; p++) {
            kept[1] += s.corners[p] > 2;
            /* The definition: the disc around a corner of the erosion is in the cone, less a band.
             */
            for (int64_t m = 0; m < s.corners[p]; m++) {
                for (int k = 0; k < 32; k++) {
                    double turn = 6.283185307179586 * k / 32, r = s.erode - 4 * band;
                    double x[] = { s.polygon[p][2 * m] + r * cos(turn),
                                   s.polygon[p][2 * m + 1] + r * sin(turn) };
                    char member[MOST];
                    in_cones(member, &s, x);
                    assert_true(member[p]);
                }
            }
        }
        trop_cells_free(s.cells);
    }
    print_message(
        "cones: %lld points, %lld mismatches, widest %.2f bands; eroded: %lld, %lld, %.2f\n",
        (long long)cones.points, (long long)cones.mismatches, cones.widest, (long long)cores.points,
        (long long)cores.mismatches, cores.widest);
    assert_true(kept[0] > 10 && kept[1] > 10 && kept[1] < kept[0]);
}

/* I_i(eta) of the square: the quadrant square moved in by eta/2 from both walls; eroded by delta,
 * moved in by delta on all four sides. A token on its edge belongs to it, one ulp below does not.
 */
static void the_square_has_the_cones_it_must(void **state)
{
    (void)state;
    struct scene s = { .n = 7, .b = { 1, 0, 0, 1 }, .eta = 0.25, .erode = 0.125 };
    double x[] = { 1, 1, -1, 1, -1, -1, 1, -1, 0.125, 0.5, nextafter(0.125, 0), 0.5, 0.25, 0.875 };
    double cone[] = { 0.125, 0.125, 1, 0.125, 1, 1, 0.125, 1 };
    double core[] = { 0.25, 0.25, 0.875, 0.25, 0.875, 0.875, 0.25, 0.875 };
    int64_t dominance[] = { 0, 1, 2, 3, 0, -1, 0 }, eroded[] = { -1, -1, -1, -1, -1, -1, 0 };

    memcpy(s.x, x, sizeof x);
    make(&s);
    assert_memory_equal(value_of(s.cells, "dominance").integers, dominance, sizeof dominance);
    assert_memory_equal(value_of(s.cells, "eroded").integers, eroded, sizeof eroded);
    take_polygons(&s, "dominance");
    check_polygon(&s, 0, cone, 4, 0.765625, 4 * UNIT);
    take_polygons(&s, "eroded");
    check_polygon(&s, 0, core, 4, 0.390625, 4 * UNIT);
    trop_cells_free(s.cells);
    s.eta = 3; /* more than any lead */
    make(&s);
    take_polygons(&s, "dominance");
    check_polygon(&s, 0, cone, 0, 0, 0);
    assert_int_equal(value_of(s.cells, "dominance").integers[0], -1);
    trop_cells_free(s.cells);
    s.eta = -1; /* erode alone: eta is 0 */
    s.erode = 0;
    make(&s);
    take_polygons(&s, "eroded");
    check_polygon(&s, 0, (double[]){ 0, 0, 1, 0, 1, 1, 0, 1 }, 4, 1, 0);
    trop_cells_free(s.cells);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polygons_agree_with_the_labels_of_a_grid),
        cmocka_unit_test(polygons_of_lattice_clouds_agree_with_labels),
        cmocka_unit_test(the_square_has_its_closed_forms),
        cmocka_unit_test(triangles_with_the_origin_elsewhere_have_theirs),
        cmocka_unit_test(flat_clouds_have_segments),
        cmocka_unit_test(the_regular_polygon_is_cut_into_equal_kites),
        cmocka_unit_test(polygons_scale_to_the_bit),
        cmocka_unit_test(entries_of_all_sizes_cut_the_square_in_quarters),
        cmocka_unit_test(cones_and_their_erosions_agree_with_their_definitions),
        cmocka_unit_test(the_square_has_the_cones_it_must),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
