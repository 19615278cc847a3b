/* test_hull_measures.c -- places over the convex hull, its measures and its support, in closed
 * form and by brute force. */
#include "hull_clouds.h"

/* ---- places -------------------------------------------------------------------------------- */

/* A box [0, 1] x [0, 2] x ...: the nearest point is the query clamped to it. */
static void places_over_a_box_are_in_closed_form(void **state)
{
    (void)state;
    for (int64_t d = 1; d <= 7; d++) {
        int64_t n = (int64_t)1 << d;
        for (int64_t i = 0; i < n * d; i++) {
            x[i] = i / d >> i % d & 1 ? (double)(i % d + 1) : 0;
        }
        struct trop_hull *hull = hull_of(x, n, d, 1);
        for (int64_t t = 0; t < cases(50, 2000); t++) {
            struct trop_hull_position place;
            double q[WIDEST], nearest[WIDEST], direction[WIDEST], weights[256];
            double square = 0, depth = INFINITY;
            for (int64_t c = 0; c < d; c++) {
                double side = (double)(c + 1);
                q[c] = side * (t % 2 == 0 ? 1.5 : 1) * uniform(9, (uint64_t)(t * d + c));
                double over = fmax(0, q[c] - side);
                square += over * over;
                depth = fmin(depth, fmin(q[c], side - q[c]));
            }
            assert_ok(trop_hull_place(&place, nearest, direction, weights, hull, q));
            /* Errors of the nearest point: u times the diameter, below 12, and its condition. */
            double tolerance = 1e-14;
            assert_near(place.distance, sqrt(square), tolerance);
            assert_true(place.lower <= sqrt(square) && place.lower >= sqrt(square) - tolerance);
            assert_int_equal(place.side, square > 0 ? TROP_SIDE_OUTSIDE : TROP_SIDE_INSIDE);
            if (square == 0 && (hull->facets || d <= 2)) {
                assert_near(place.depth, depth, tolerance);
            } else if (square == 0) {
                assert_true(isnan(place.depth));
            } else {
                assert_true(place.depth == 0);
            }
            double total = 0, length = 0;
            for (int64_t i = 0; i < n; i++) {
                total += weights[i];
                assert_true(weights[i] >= 0);
            }
            assert_near(total, 1, 1e-14);
            for (int64_t c = 0; c < d; c++) {
                double mix = 0, clamp = fmin(q[c], (double)(c + 1));
                for (int64_t i = 0; i < n; i++) {
                    mix += weights[i] * x[i * d + c];
                }
                assert_near(nearest[c], clamp, tolerance);
                assert_near(mix, clamp, tolerance);
                if (square > 0) {
                    assert_near(direction[c], (q[c] - clamp) / sqrt(square), 1e-14 / sqrt(square));
                }
                length += direction[c] * direction[c];
            }
            assert_near(length, square > 0, 1e-14);
        }
        trop_hull_free(hull);
    }
}

/* A triangle in the plane x_1 + x_2 + x_3 = 3 and queries beside and above it. */
/* The same box from far away: where every coordinate is outside, the query clamped to the box is a
 * vertex, and it is told to the last bit, however little of it a distance of 1e100 shows. */
static void far_places_name_the_nearest_vertex(void **state)
{
    static const double far[] = { 1e3, 1e9, 1e16, 1e20, 1e100, 1e155, 1e300 };

    (void)state;
    for (int64_t d = 1; d <= 7; d++) {
        int64_t n = (int64_t)1 << d;
        for (int64_t i = 0; i < n * d; i++) {
            x[i] = i / d >> i % d & 1 ? (double)(i % d + 1) : 0;
        }
        struct trop_hull *hull = hull_of(x, n, d, 1);
        for (int64_t t = 0; t < 7 * cases(20, 500); t++) {
            struct trop_hull_position place;
            double q[WIDEST], nearest[WIDEST], direction[WIDEST], weights[256];
            int64_t vertex = 0;
            for (int64_t c = 0; c < d; c++) {
                const double u = 2 * uniform(9, (uint64_t)(t * d + c)) - 1;
                q[c] = far[t % 7] * (u < 0 ? u - 1 : u + 1);
                vertex += u > 0 ? (int64_t)1 << c : 0;
            }
            assert_ok(trop_hull_place(&place, nearest, direction, weights, hull, q));
            assert_int_equal(place.side, TROP_SIDE_OUTSIDE);
            assert_memory_equal(nearest, x + vertex * d, (size_t)d * sizeof *x);
            for (int64_t i = 0; i < n; i++) {
                assert_true(weights[i] == (i == vertex));
            }
        }
        trop_hull_free(hull);
    }
}

static void places_over_a_flat_cloud_are_those_of_its_projection(void **state)
{
    (void)state;
    double p[] = { 3, 0, 0, 0, 3, 0, 0, 0, 3 }, nearest[3], direction[3];
    double above[] = { 2, 2, 2 }, inside[] = { 1, 1, 1 }, beside[] = { 3, 3, -3 };
    struct trop_hull_position place;
    struct trop_hull *hull = hull_of(p, 3, 3, 1);
    assert_int_equal(trop_hull_dimension(hull), 2);
    assert_ok(trop_hull_place(&place, nearest, direction, NULL, hull, above));
    assert_int_equal(place.side, TROP_SIDE_OUTSIDE);
    assert_near(place.distance, sqrt(3), 1e-14);
    assert_true(place.lower <= sqrt(3) && place.lower > sqrt(3) - 1e-13);
    for (int c = 0; c < 3; c++) {
        assert_near(nearest[c], 1, 1e-14);
        assert_near(direction[c], 1 / sqrt(3), 1e-14);
    }
    assert_ok(trop_hull_place(&place, nearest, NULL, NULL, hull, inside));
    assert_int_equal(place.side, TROP_SIDE_INSIDE);
    assert_true(place.depth == 0 && place.lower == 0);
    assert_ok(trop_hull_place(&place, nearest, NULL, NULL, hull, beside));
    assert_int_equal(place.side, TROP_SIDE_OUTSIDE);
    assert_near(place.distance, sqrt(1.5 * 1.5 + 1.5 * 1.5 + 9), 1e-14);
    trop_hull_free(hull);
}

static void places_over_a_point_and_a_line_are_distances(void **state)
{
    (void)state;
    double point[] = { 1, 2, 1, 2 }, q[] = { 4, 6 }, nearest[2], weights[2];
    double line[] = { 0, 0, 1, 1, 2, 2, 0.5, 0.5 };
    struct trop_hull_position place;
    struct trop_hull *hull = hull_of(point, 2, 2, 1);
    assert_int_equal(trop_hull_dimension(hull), 0);
    assert_ok(trop_hull_place(&place, nearest, NULL, weights, hull, q));
    assert_true(place.distance == 5 && nearest[0] == 1 && weights[0] == 1 && weights[1] == 0);
    assert_int_equal(place.side, TROP_SIDE_OUTSIDE);
    assert_ok(trop_hull_place(&place, nearest, NULL, NULL, hull, point));
    assert_int_equal(place.side, TROP_SIDE_INSIDE);
    trop_hull_free(hull);
    hull = hull_of(line, 4, 2, 1);
    assert_int_equal(trop_hull_dimension(hull), 1);
    assert_ok(trop_hull_place(&place, nearest, NULL, NULL, hull, q));
    assert_near(place.distance, sqrt(20), 1e-14);
    assert_near(nearest[0], 2, 1e-15);
    trop_hull_free(hull);
}

/* ---- measures ------------------------------------------------------------------------------ */

static struct trop_hull_measures measures_of(const double *p, int64_t n, int64_t d)
{
    struct trop_hull_measures m;
    struct trop_hull *hull = hull_of(p, n, d, 1);
    assert_ok(trop_hull_measure(&m, hull));
    trop_hull_free(hull);
    return m;
}

static void check_measures(int64_t n, int64_t d, int64_t k, double diameter, double width,
                           double volume)
{
    struct trop_hull_measures m = measures_of(x, n, d);
    assert_near(m.diameter, diameter, 1e-14 * diameter);
    /* Widths and volumes by sums over facets: k + 2 roundings per facet, fewer than 1000. */
    if (k <= 2 || (k <= 3 && has_qhull())) {
        assert_near(m.width, width, 1e-13 * diameter);
        assert_true(m.width_lower == m.width);
    }
    assert_true(m.width_lower <= width * (1 + 1e-13) && m.width >= width * (1 - 1e-13));
    assert_true(k > 6 || !has_qhull() || m.width_lower > 0);
    if (k <= 2 || (k <= 6 && has_qhull())) {
        assert_near(m.volume, volume, 1e-13 * volume);
    } else {
        assert_true(isnan(m.volume));
    }
}

static double factorial(int64_t k)
{
    return k <= 1 ? 1 : (double)k * factorial(k - 1);
}

static void measures_of_boxes_simplices_and_cross_polytopes_are_in_closed_form(void **state)
{
    (void)state;
    for (int64_t d = 1; d <= 7; d++) {
        int64_t n = (int64_t)1 << d;
        double square = 0;
        for (int64_t i = 0; i < n * d; i++) {
            x[i] = 5 + (i / d >> i % d & 1 ? (double)(i % d + 1) : 0);
        }
        for (int64_t c = 1; c <= d; c++) {
            square += (double)(c * c);
        }
        check_measures(n, d, d, sqrt(square), 1, factorial(d));
        memset(x, 0, sizeof x);
        for (int64_t i = 0; i < 2 * d; i++) {
            x[i * d + i / 2] = i % 2 == 0 ? 1 : -1;
        }
        check_measures(2 * d, d, d, 2, 2 / sqrt((double)d), pow(2, (double)d) / factorial(d));
        /* The unit vectors: a regular simplex of k = d - 1 dimensions and side sqrt(2), in R^d.
         * Its width (Alexander 1977) lies between the means of its two halves. */
        double k = (double)d - 1;
        memset(x, 0, sizeof x);
        for (int64_t i = 0; i < d; i++) {
            x[i * d + i] = 1;
        }
        if (d > 1) {
            double width = d % 2 == 0 ? 2 / sqrt(k + 1) : 2 * sqrt((k + 1) / (k * (k + 2)));
            check_measures(d, d, d - 1, sqrt(2), width, sqrt(k + 1) / factorial(d - 1));
        }
    }
}

/* The width of n points in the direction of a x b; infinity when that is nearly 0. */
static double width_along(const double *a, const double *b, int64_t n)
{
    double w[3], low = INFINITY, high = -INFINITY;
    for (int c = 0; c < 3; c++) {
        w[c] = a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3];
    }
    double length = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    if (length < 1e-6) {
        return INFINITY;
    }
    for (int64_t i = 0; i < n; i++) {
        double s = (w[0] * x[3 * i] + w[1] * x[3 * i + 1] + w[2] * x[3 * i + 2]) / length;
        low = fmin(low, s);
        high = fmax(high, s);
    }
    return high - low;
}

/* The least width is attained at a direction normal to two differences of points. */
static void widths_in_space_are_those_of_brute_force(void **state)
{
    (void)state;
    if (!has_qhull()) {
        skip();
    }
    for (int64_t t = 0; t < cases(10, 300); t++) {
        int64_t n = 6 + t % 7;
        double difference[66][3], least = INFINITY;
        int pairs = 0;
        fill(t % 3 == 2 ? LATTICE : GAUSS, n, 3, (uint64_t)t);
        for (int64_t i = 0; i < n; i++) {
            for (int64_t j = 0; j < i; j++, pairs++) {
                for (int c = 0; c < 3; c++) {
                    difference[pairs][c] = x[3 * i + c] - x[3 * j + c];
                }
            }
        }
        for (int a = 0; a < pairs; a++) {
            for (int b = 0; b < a; b++) {
                least = fmin(least, width_along(difference[a], difference[b], n));
            }
        }
        struct trop_hull_measures m = measures_of(x, n, 3);
        struct trop_hull *hull = hull_of(x, n, 3, 1);
        if (trop_hull_dimension(hull) == 3) {
            /* A normal is off by u over the sine of the angle, at most 1e6 above. */
            assert_near(m.width, least, 1e-9);
            assert_true(m.width_lower == m.width);
        }
        trop_hull_free(hull);
    }
}

static void measures_scale_with_the_cloud(void **state)
{
    (void)state;
    fill(GAUSS, 60, 3, 2);
    struct trop_hull_measures one = measures_of(x, 60, 3);
    for (int64_t k = 0; k < 180; k++) {
        x[k] = ldexp(x[k], 300);
    }
    struct trop_hull_measures two = measures_of(x, 60, 3);
    assert_true(two.diameter == ldexp(one.diameter, 300) && two.width == ldexp(one.width, 300));
    assert_true(isnan(one.volume) || two.volume == ldexp(one.volume, 900));
    for (int64_t k = 0; k < 180; k++) {
        x[k] = ldexp(x[k], -900);
    }
    two = measures_of(x, 60, 3);
    assert_true(two.diameter == ldexp(one.diameter, -600) && two.width == ldexp(one.width, -600));
}

static void support_is_that_of_all_tokens(void **state)
{
    (void)state;
    for (int64_t d = 1; d <= 8; d++) {
        fill(d % 2 == 0 ? LATTICE : GAUSS, 200, d, (uint64_t)d);
        struct trop_hull *hull = hull_of(x, 200, d, 1);
        for (int64_t t = 0; t < 100; t++) {
            double w[WIDEST], most = -INFINITY;
            int64_t vertex;
            for (int64_t c = 0; c < d; c++) {
                w[c] = d % 2 == 0 ? (double)(whole(3, (uint64_t)(t * d + c), 5) - 2)
                                  : normal(4, (uint64_t)(t * d + c));
            }
            for (int64_t i = 0; i < 200; i++) {
                double score = 0;
                for (int64_t c = 0; c < d; c++) {
                    score = fma(w[c], x[i * d + c], score);
                }
                most = fmax(most, score);
            }
            double support = trop_hull_support(&vertex, hull, w);
            /* Whole numbers are exact; elsewhere a chain is off by d u |w| |x|. */
            assert_near(support, most, d % 2 == 0 ? 0 : 1e-14);
            const int64_t *list;
            int64_t count = trop_hull_vertices(&list, hull);
            for (int64_t v = 0; v < count && list[v] < vertex; v++) {
                double score = 0;
                for (int64_t c = 0; c < d; c++) {
                    score += w[c] * x[list[v] * d + c];
                }
                assert_true(d % 2 != 0 || score < most);
            }
        }
        trop_hull_free(hull);
    }
}

/* ---- threads, memory, refusals ------------------------------------------------------------- */

/* A point an ulp beside a flat cloud is not in it; one on it is, where that can be proved: by small
 * rationals, on a line and in a plane, and where the other coordinates stand still. */
static void what_is_in_a_flat_cloud_is_proved(void **state)
{
    (void)state;
    const double segment[] = { 0, 0, 3, 1 }, triangle[] = { 0, 0, 0, 3, 1, 0, 0, 1, 0 };
    const double slanted[] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }; /* the sum of coordinates is 1 */
    const struct {
        const double *x;
        int64_t n, d;
        double q[3];
        int inside;
    } cases[] = {
        { segment, 2, 2, { 1.5, 0.5 }, 1 },
        { segment, 2, 2, { 1.5, 0.5000000000000001 }, 0 },
        { segment, 2, 2, { 3 * 0x1.9p-3, 0x1.9p-3 }, 1 },
        { triangle, 3, 3, { 0.3, 0.2, 0 }, 1 },
        { triangle, 3, 3, { 0.3, 0.2, 1e-17 }, 0 },
        { slanted, 3, 3, { 0x1.123456789p-2, 0x1.3p-3, 1 - 0x1.123456789p-2 - 0x1.3p-3 }, 1 },
        { slanted, 3, 3, { 0x1.123456789p-2, 0x1.3p-3, 1 - 0x1.123456788p-2 - 0x1.3p-3 }, 0 },
    };

    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        struct trop_hull *hull = NULL;
        struct trop_hull_position place;
        assert_ok(trop_hull_create(&hull, cases[k].x, cases[k].n, cases[k].d, 1));
        assert_ok(trop_hull_place(&place, NULL, NULL, NULL, hull, cases[k].q));
        assert_true((place.side == TROP_SIDE_INSIDE) == cases[k].inside);
        trop_hull_free(hull);
    }
}

/* Thin triangles whose second direction, (0, 1, 1), is wide enough to count and, seen along one
 * axis, no longer is: the third token leaves the vertices and stays in the hull. */
static void tokens_of_a_thin_cloud_are_not_outside_of_it(void **state)
{
    (void)state;
    for (double w = 0x1p-45; w < 0x1p-41; w *= 1.0625) {
        const double token[] = { 0, 0, 0, 1, 0, 0, 0.5, w, w };
        struct trop_hull *hull = NULL;
        struct trop_hull_position place;
        assert_ok(trop_hull_create(&hull, token, 3, 3, 1));
        for (int i = 0; i < 3; i++) {
            assert_ok(trop_hull_place(&place, NULL, NULL, NULL, hull, token + 3 * i));
            assert_true(place.side != TROP_SIDE_OUTSIDE && place.lower == 0);
        }
        assert_ok(trop_hull_place(&place, NULL, NULL, NULL, hull, (double[]){ 0.5, 1, 0 }));
        assert_true(place.side == TROP_SIDE_OUTSIDE && place.lower > 1 - 1e-11);
        assert_true(place.lower <= 1);
        trop_hull_free(hull);
    }
}

/* Points whose coordinates are multiples of 2^-1060: lengths have few bits, counts and directions
 * all of theirs. */
static void tiny_clouds_have_their_dimension(void **state)
{
    (void)state;
    const double token[] = { 0, 0, -0x1.8p-1040, -0x1.8p-1039 }, zero[] = { 0, 0 };
    struct trop_hull *hull = NULL;
    struct trop_hull_position place;
    struct trop_hull_measures measures;
    double direction[2];

    assert_ok(trop_hull_create(&hull, token, 2, 2, 1));
    assert_int_equal(trop_hull_dimension(hull), 1);
    assert_ok(trop_hull_measure(&measures, hull));
    /* sqrt(5) 1.5 2^-1040, in multiples of 2^-1074 */
    assert_near(ldexp(measures.volume, 1040), 1.5 * sqrt(5), 0x1p-33);
    trop_hull_free(hull);
    hull = NULL;
    assert_ok(trop_hull_create(&hull, token + 2, 1, 2, 1));
    assert_ok(trop_hull_place(&place, NULL, direction, NULL, hull, zero));
    assert_near(hypot(direction[0], direction[1]), 1, 1e-15);
    assert_true(ldexp(place.lower, 1040) <= 1.5 * sqrt(5));
    trop_hull_free(hull);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_over_a_box_are_in_closed_form),
        cmocka_unit_test(far_places_name_the_nearest_vertex),
        cmocka_unit_test(places_over_a_flat_cloud_are_those_of_its_projection),
        cmocka_unit_test(places_over_a_point_and_a_line_are_distances),
        cmocka_unit_test(measures_of_boxes_simplices_and_cross_polytopes_are_in_closed_form),
        cmocka_unit_test(widths_in_space_are_those_of_brute_force),
        cmocka_unit_test(measures_scale_with_the_cloud),
        cmocka_unit_test(support_is_that_of_all_tokens),
        cmocka_unit_test(what_is_in_a_flat_cloud_is_proved),
        cmocka_unit_test(tokens_of_a_thin_cloud_are_not_outside_of_it),
        cmocka_unit_test(tiny_clouds_have_their_dimension),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
