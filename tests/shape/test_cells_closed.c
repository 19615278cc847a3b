/* test_cells_closed.c -- the polygons of the cells and of dominance cones against closed forms. */
#include "cells_plane_support.h"

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
        cmocka_unit_test(the_square_has_its_closed_forms),
        cmocka_unit_test(triangles_with_the_origin_elsewhere_have_theirs),
        cmocka_unit_test(flat_clouds_have_segments),
        cmocka_unit_test(the_regular_polygon_is_cut_into_equal_kites),
        cmocka_unit_test(polygons_scale_to_the_bit),
        cmocka_unit_test(entries_of_all_sizes_cut_the_square_in_quarters),
        cmocka_unit_test(the_square_has_the_cones_it_must),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
