/* test_hull.c -- vertices of the convex hull against closed forms, qconvex and linear
 * programs; outlines in the plane, threads, memory, refusals. */
#include "base/sort.h"
#include "scratch.h"

#include "hull_clouds.h"

#include "alloc_failing.c"

/* ---- linear programs ----------------------------------------------------------------------- */

/* Is q a convex combination of the points other than those equal to q? */
static int in_hull_of_others(const double *p, int64_t n, int64_t d, const double *q)
{
    static double dense[MOST * 10], zero[MOST], one[MOST];
    double side[WIDEST + 1], value;
    int columns = 0, rows = (int)d + 1;

    for (int64_t j = 0; j < n; j++) {
        if (memcmp(p + j * d, q, (size_t)d * sizeof *q) != 0) {
            memcpy(dense + columns * rows, p + j * d, (size_t)d * sizeof *q);
            dense[columns * rows + d] = 1;
            one[columns++] = 1;
        }
    }
    memcpy(side, q, (size_t)d * sizeof *q);
    side[d] = 1;
    return columns > 0 && solve(&value, rows, columns, dense, zero, zero, one, side, side) == 0;
}

/* ---- clouds -------------------------------------------------------------------------------- */

static int64_t first_equal(const double *p, int64_t i, int64_t d)
{
    int64_t j = 0;
    while (memcmp(p + i * d, p + j * d, (size_t)d * sizeof *p) != 0) {
        j++;
    }
    return j;
}

/* ---- vertices ------------------------------------------------------------------------------ */

/* The programs see the points less `away`, times scale: of a size that suits them. */
static void check_vertices(int kind, int64_t n, int64_t d, int facets, double away, double scale)
{
    static double scaled[MOST * WIDEST];
    struct trop_hull *hull = hull_of(x, n, d, facets);
    const int64_t *vertex;
    int64_t count = trop_hull_vertices(&vertex, hull), v = 0;

    for (int64_t k = 0; k < n * d; k++) {
        scaled[k] = (x[k] - away) * scale;
    }
    for (int64_t i = 0; i < n; i++) {
        int listed = v < count && vertex[v] == i;
        int truth = first_equal(x, i, d) == i && !in_hull_of_others(scaled, n, d, scaled + i * d);
        if (listed != truth) {
            fail_msg("cloud %d, n = %d, d = %d, facets %d: point %d is %sa vertex", kind, (int)n,
                     (int)d, facets, (int)i, truth ? "" : "not ");
        }
        v += listed;
    }
    assert_int_equal(v, count);
    trop_hull_free(hull);
}

static void vertices_are_those_of_linear_programs(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        for (int64_t d = 1; d <= 7; d++) {
            for (int64_t t = 0; t < cases(1, 20); t++) {
                int64_t n = 5 + whole(77, (uint64_t)(kind * 1000 + d * 100 + t), 40);
                /* Three whole numbers in the plane are often on a line. */
                int dull = (kind == PLANE || kind == LINE) && d < 2;
                double scale = kind == HUGE_CLOUD ? 1e-150 : kind == TINY ? 1e200 : 1;
                fill((enum cloud)kind, n, d, (uint64_t)(t * 100 + kind));
                for (int facets = 0; !dull && facets < 2; facets++) {
                    check_vertices(kind, n, d, facets, kind == AWAY ? 1e6 : 0, scale);
                }
            }
        }
    }
}

/* What `qconvex Fx` lists: out (n); returns how many, or -1 when it is not there. */
static int64_t qconvex(int64_t *out, int64_t n, int64_t d)
{
    char command[512];
    FILE *file = fopen(scratch("points"), "w");
    long long count = -1, index;

    fprintf(file, "%lld\n%lld\n", (long long)d, (long long)n);
    for (int64_t k = 0; k < n * d; k++) {
        fprintf(file, "%.17g%c", x[k], k % d == d - 1 ? '\n' : ' ');
    }
    fclose(file);
    snprintf(command, sizeof command, "qconvex Fx < %s 2> /dev/null", scratch("points"));
    FILE *pipe = popen(command, "r");
    if (fscanf(pipe, "%lld", &count) != 1) {
        count = -1;
    }
    for (long long v = 0; v < count; v++) {
        assert_int_equal(fscanf(pipe, "%lld", &index), 1);
        out[v] = first_equal(x, index, d);
    }
    pclose(pipe);
    remove(scratch("points"));
    return count;
}

/* Qhull names points in the middle of a face too when it merges facets on a lattice: where the
 * lists differ, a linear program is the judge. */
static void compare_lists(const int64_t *ours, int64_t m, const int64_t *theirs, int64_t n,
                          int64_t points, int64_t d)
{
    for (int64_t a = 0, b = 0; a < m || b < n;) {
        int64_t i = a < m ? ours[a] : MOST, j = b < n ? theirs[b] : MOST;
        if (i < j) {
            fail_msg("d = %d: qconvex does not have vertex %d", (int)d, (int)i);
        }
        if (j < i && !in_hull_of_others(x, points, d, x + j * d)) {
            fail_msg("d = %d: vertex %d is missing", (int)d, (int)j);
        }
        a += i <= j;
        b++;
    }
}

static void vertices_are_those_of_qconvex(void **state)
{
    (void)state;
    static int64_t theirs[MOST];
    static const enum cloud kinds[] = { GAUSS, SPHERE, LATTICE, COSPHERICAL };
    for (int kind = 0; kind < 4; kind++) {
        for (int64_t d = 2; d <= 6; d++) {
            int64_t most = d <= 3 ? 2000 : d == 4 ? 400 : d == 5 ? 120 : 60;
            for (int64_t t = 0; t < cases(1, 10); t++) {
                int64_t n = most / (t + 1) + 10;
                fill(kinds[kind], n, d, (uint64_t)(t + 5));
                int64_t count = qconvex(theirs, n, d);
                if (count < 0) {
                    skip();
                }
                trop_sort_ascending(theirs, count);
                struct trop_hull *hull = hull_of(x, n, d, 1);
                const int64_t *vertex;
                int64_t vertices = trop_hull_vertices(&vertex, hull);
                assert_true(kind > 1 || vertices == count);
                compare_lists(vertex, vertices, theirs, count, n, d);
                trop_hull_free(hull);
            }
        }
    }
}

static void a_grid_has_its_corners_edges_and_boundary(void **state)
{
    (void)state;
    for (int64_t d = 1; d <= 5; d++) {
        int64_t m = d == 1 ? 50 : d == 2 ? 20 : d == 3 ? 8 : d == 4 ? 5 : 4;
        int64_t n = 1, inner = 1;
        for (int64_t c = 0; c < d; c++) {
            n *= m;
            inner *= m - 2;
        }
        for (int64_t i = 0; i < n; i++) {
            for (int64_t c = 0, t = i; c < d; c++, t /= m) {
                x[i * d + c] = (double)(t % m);
            }
        }
        for (int facets = 0; facets < 2; facets++) {
            struct trop_hull *hull = hull_of(x, n, d, facets);
            const int64_t *list;
            int64_t count;
            assert_int_equal(trop_hull_dimension(hull), d);
            assert_int_equal(trop_hull_vertices(&list, hull), (int64_t)1 << d);
            assert_ok(trop_hull_edges(&list, &count, hull));
            assert_int_equal(count, d << (d - 1));
            assert_ok(trop_hull_candidates(&list, &count, hull));
            assert_int_equal(count, n - inner);
            trop_hull_free(hull);
        }
    }
}

/* Clarkson's way and Qhull's way on clouds too large for a linear program per token. */
static void both_ways_find_the_same_vertices(void **state)
{
    (void)state;
    for (int64_t d = 3; d <= 6; d++) {
        int64_t n = cases(600, 5000);
        fill(GAUSS, n, d, (uint64_t)d);
        struct trop_hull *one = hull_of(x, n, d, 1), *two = hull_of(x, n, d, 0);
        const int64_t *a, *b;
        int64_t count = trop_hull_vertices(&a, one);
        assert_int_equal(trop_hull_vertices(&b, two), count);
        assert_memory_equal(a, b, (size_t)count * sizeof *a);
        int64_t candidates, others;
        assert_ok(trop_hull_candidates(&a, &candidates, one));
        assert_ok(trop_hull_candidates(&b, &others, two));
        assert_int_equal(candidates, others);
        assert_memory_equal(a, b, (size_t)candidates * sizeof *a);
        trop_hull_free(one);
        trop_hull_free(two);
    }
}

static void few_vertices_among_many_tokens_are_found(void **state)
{
    (void)state;
    int64_t d = 8, n = cases(1500, 2500), count;
    const int64_t *list;
    /* A cross-polytope and combinations of its 16 vertices, well inside. */
    memset(x, 0, sizeof x);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t c = 0; c < d; c++) {
            double t = (uniform(3, (uint64_t)(i * d + c)) - 0.5) / 8;
            x[i * d + c] = i < n - 16 ? t : (i - n + 16) / 2 == c ? (i % 2 == 0 ? 1 : -1) : 0;
        }
    }
    struct trop_hull *hull = hull_of(x, n, d, 1);
    assert_int_equal(trop_hull_vertices(&list, hull), 16);
    assert_int_equal(list[0], n - 16);
    assert_ok(trop_hull_candidates(&list, &count, hull));
    assert_int_equal(count, 16);
    assert_ok(trop_hull_edges(&list, &count, hull));
    assert_int_equal(count, 16 * 14 / 2);
    trop_hull_free(hull);
}

/* ---- two dimensions ------------------------------------------------------------------------ */

/* By whole numbers: every turn of the outline is to the left, and every token is on the left
 * of, or on, every side. */
static void outlines_on_lattices_are_exact(void **state)
{
    (void)state;
    for (int64_t t = 0; t < cases(200, 20000); t++) {
        int64_t n = 3 + whole(1, (uint64_t)t, 60), size = 2 + whole(2, (uint64_t)t, 30);
        for (int64_t k = 0; k < 2 * n; k++) {
            /* Far away, so that no product is exact in double. */
            x[k] = 0x1p52 - (double)whole((uint64_t)t + 10, (uint64_t)k, size);
        }
        struct trop_hull *hull = hull_of(x, n, 2, 1);
        const int64_t *o;
        int64_t count = trop_hull_outline(&o, hull);
        for (int64_t s = 0; trop_hull_dimension(hull) == 2 && s < count; s++) {
            const double *a = x + 2 * o[s], *b = x + 2 * o[(s + 1) % count];
            assert_true(s == 0 || o[s] > o[0]);
            for (int64_t i = 0; i < n; i++) {
                int64_t turn = (int64_t)(b[0] - a[0]) * (int64_t)(x[2 * i + 1] - a[1]) -
                               (int64_t)(b[1] - a[1]) * (int64_t)(x[2 * i] - a[0]);
                assert_true(turn >= 0);
                assert_true(turn > 0 || i != o[(s + 2) % count]);
            }
        }
        trop_hull_free(hull);
    }
}

/* Tokens on a line but for a few units in the last place, where a turn in double has no sign
 * that can be trusted: in units of 2^-53 all are whole numbers below 2^58. */
__extension__ typedef __int128 wide;
#define W(a) ((wide)((a)*0x1p53))

static void outlines_are_exact_in_the_last_place(void **state)
{
    (void)state;
    for (int64_t t = 0; t < cases(50, 2000); t++) {
        int64_t n = 40;
        for (int64_t i = 0; i < n; i++) {
            double far = i < 30 ? 0.5 : (double)(12 + (i - 30) * 4);
            double unit = i < 30 ? 0x1p-53 : far * 0x1p-52;
            x[2 * i] = far + unit * (double)whole((uint64_t)t, (uint64_t)(2 * i), 20);
            x[2 * i + 1] = far + unit * (double)whole((uint64_t)t, (uint64_t)(2 * i + 1), 20);
        }
        /* Width, so that the cloud is not flat. */
        x[2 * n] = 20;
        x[2 * n + 1] = t % 2 == 0 ? 3 : 40;
        struct trop_hull *hull = hull_of(x, n + 1, 2, 1);
        const int64_t *o;
        int64_t count = trop_hull_outline(&o, hull);
        assert_int_equal(trop_hull_dimension(hull), 2);
        for (int64_t s = 0; s < count; s++) {
            const double *a = x + 2 * o[s], *b = x + 2 * o[(s + 1) % count];
            for (int64_t i = 0; i <= n; i++) {
                const double *c = x + 2 * i;
                wide turn = (W(b[0]) - W(a[0])) * (W(c[1]) - W(a[1])) -
                            (W(b[1]) - W(a[1])) * (W(c[0]) - W(a[0]));
                assert_true(turn >= 0);
                assert_true(turn > 0 || i != o[(s + 2) % count]);
            }
        }
        trop_hull_free(hull);
    }
}

static void near_vertices_on_a_circle_stay_candidates(void **state)
{
    (void)state;
    int64_t n = 10000, near = 200, deep = 200, count;
    const int64_t *list;
    for (int64_t i = 0; i < n; i++) {
        x[2 * i] = cos(TURN * (double)i / (double)n);
        x[2 * i + 1] = sin(TURN * (double)i / (double)n);
    }
    for (int64_t i = 0; i < near + deep; i++) {
        /* 1e-15 below the middle of a side, and 1e-12 below it. */
        const double *a = x + 2 * (37 * i % n), *b = x + 2 * ((37 * i + 1) % n);
        double down = 1 - (i < near ? 1e-15 : 1e-12);
        x[2 * (n + i)] = 0.5 * (a[0] + b[0]) * down;
        x[2 * (n + i) + 1] = 0.5 * (a[1] + b[1]) * down;
    }
    struct trop_hull *hull = hull_of(x, n + near + deep, 2, 1);
    assert_ok(trop_hull_candidates(&list, &count, hull));
    assert_int_equal(count, n + near);
    assert_int_equal(list[count - 1], n + near - 1);
    trop_hull_free(hull);
}

/* ---- threads, memory, refusals ------------------------------------------------------------- */

static void check_same(const int64_t *a, int64_t m, const int64_t *b, int64_t n)
{
    assert_int_equal(m, n);
    assert_memory_equal(a, b, (size_t)m * sizeof *a);
}

static void threads_change_no_list(void **state)
{
    (void)state;
    for (int64_t d = 3; d <= 8; d += 5) {
        int64_t n = d == 3 ? 5000 : 70, e[2], c[2];
        struct trop_hull *hull[2];
        const int64_t *v[2], *edge[2], *candidate[2];
        fill(d == 3 ? SPHERE : GAUSS, n, d, 3);
        for (int64_t threads = 2; threads <= 5; threads += 3) {
            for (int h = 0; h < 2; h++) {
                assert_ok(trop_hull_create(&hull[h], x, n, d, h == 0 ? 1 : threads));
                /* Without facets, 5000 vertices have too many pairs. */
                e[h] = 0;
                if (hull[h]->facets || d > 3) {
                    assert_ok(trop_hull_edges(&edge[h], &e[h], hull[h]));
                }
                assert_ok(trop_hull_candidates(&candidate[h], &c[h], hull[h]));
            }
            int64_t vertices = trop_hull_vertices(&v[0], hull[0]);
            int64_t others = trop_hull_vertices(&v[1], hull[1]);
            check_same(v[0], vertices, v[1], others);
            if (e[0] > 0) {
                check_same(edge[0], 2 * e[0], edge[1], 2 * e[1]);
            }
            check_same(candidate[0], c[0], candidate[1], c[1]);
            trop_hull_free(hull[0]);
            trop_hull_free(hull[1]);
        }
    }
}

static int64_t refused_d;

static enum trop_status make_all(void)
{
    struct trop_hull *hull = NULL;
    struct trop_hull_measures m;
    struct trop_hull_position place;
    const int64_t *list;
    int64_t count;
    enum trop_status status = trop_hull_create(&hull, x, 20, refused_d, 2);

    if (status == TROP_OK) {
        status = trop_hull_edges(&list, &count, hull);
    }
    if (status == TROP_OK) {
        status = trop_hull_candidates(&list, &count, hull);
    }
    if (status == TROP_OK) {
        status = trop_hull_measure(&m, hull);
    }
    if (status == TROP_OK) {
        status = trop_hull_place(&place, NULL, NULL, NULL, hull, x);
    }
    trop_hull_free(hull);
    return status;
}

/* The same by name: a field is null only where the hull says so. */
static enum trop_status read_all(void)
{
    struct trop_hull *hull = NULL;
    enum trop_status status = trop_hull_create(&hull, x, 20, refused_d, 2);

    for (const struct trop_field *f = trop_hull_field_table(); status == TROP_OK && f->name; f++) {
        struct trop_value value;
        status = trop_field_read(&value, f, hull, 0);
    }
    trop_hull_free(hull);
    return status;
}

static void every_refused_allocation_is_an_error(void **state)
{
    (void)state;
    for (refused_d = 1; refused_d <= 7; refused_d += 2) {
        fill(LATTICE, 20, refused_d, 1);
        alloc_refuse_each(make_all);
        alloc_refuse_each(read_all);
    }
    fill(GAUSS, 20, 2, 1);
    refused_d = 2;
    alloc_refuse_each(make_all);
}

static void wrong_arguments_are_refused_by_name(void **state)
{
    (void)state;
    struct trop_hull *hull = NULL;
    struct trop_hull_position place;
    double p[] = { 0, 0, 1, NAN };
    assert_int_equal(trop_hull_create(&hull, p, 0, 2, 1), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "0 points"));
    assert_int_equal(trop_hull_create(&hull, p, 1, 0, 1), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "dimension 0"));
    assert_int_equal(trop_hull_create(&hull, p, 1, 2, -1), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "threads = -1"));
    assert_int_equal(trop_hull_create(&hull, p, 2, 2, 1), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "point 1"));
    assert_null(hull);
    assert_ok(trop_hull_create(&hull, p, 1, 2, 1));
    assert_int_equal(trop_hull_place(&place, NULL, NULL, NULL, hull, p + 2), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "query"));
    trop_hull_free(hull);
    fill(GAUSS, 1500, 8, 1);
    for (int64_t i = 0; i < 1500; i++) {
        trop_rng_sphere(x + 8 * i, 8, 1, TROP_RNG_TEST, (uint64_t)i);
    }
    const int64_t *list;
    int64_t count;
    assert_ok(trop_hull_create(&hull, x, 1500, 8, 2));
    assert_int_equal(trop_hull_edges(&list, &count, hull), TROP_ERR_UNSUPPORTED);
    assert_non_null(strstr(trop_error(), "pairs"));
    trop_hull_free(hull);
}

static void clouds_whose_distances_overflow_are_refused(void **state)
{
    (void)state;
    const double far[] = { 1e308, 0, -1e308, 0, 1, 1 };
    struct trop_hull *hull = NULL;
    assert_int_equal(trop_hull_create(&hull, far, 3, 2, 1), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "overflow"));
    const double near[] = { 1e307, 0, -1e307, 0, 0, 1e307 };
    assert_ok(trop_hull_create(&hull, near, 3, 2, 1));
    assert_int_equal(trop_hull_dimension(hull), 2);
    trop_hull_free(hull);
}

/* Six points of a plane in nine dimensions, in whole numbers, x_1 = (2 x_3 + x_5)/3: what is a
 * vertex does not depend on how the plane is turned. */
static void a_token_on_a_side_of_a_flat_cloud_is_no_vertex(void **state)
{
    (void)state;
    const double token[] = { 0,   -8, 4,   8,  -16, -12, 4,  24, 8,  -8, -4,  4,  0, 4,
                             12,  -4, -12, 0,  -10, -11, 8,  6,  -7, 6,  -2,  3,  6, -12,
                             -10, 8,  4,   -2, 12,  -4,  -6, 4,  14, 13, -10, -6, 5, -12,
                             4,   3,  -6,  0,  8,   -4,  -8, 16, 12, -4, -24, -8 };
    const int64_t expected[] = { 0, 2, 3, 4, 5 }, *vertices, *edges;
    int64_t count;
    struct trop_hull *hull = NULL;

    for (int c = 0; c < 9; c++) {
        assert_true(3 * token[9 + c] == 2 * token[27 + c] + token[45 + c]);
    }
    assert_ok(trop_hull_create(&hull, token, 6, 9, 1));
    assert_int_equal(trop_hull_vertices(&vertices, hull), 5);
    assert_memory_equal(vertices, expected, sizeof expected);
    assert_ok(trop_hull_edges(&edges, &count, hull));
    assert_int_equal(count, 5);
    trop_hull_free(hull);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clouds_whose_distances_overflow_are_refused),
        cmocka_unit_test(vertices_are_those_of_linear_programs),
        cmocka_unit_test(vertices_are_those_of_qconvex),
        cmocka_unit_test(a_grid_has_its_corners_edges_and_boundary),
        cmocka_unit_test(both_ways_find_the_same_vertices),
        cmocka_unit_test(few_vertices_among_many_tokens_are_found),
        cmocka_unit_test(outlines_on_lattices_are_exact),
        cmocka_unit_test(outlines_are_exact_in_the_last_place),
        cmocka_unit_test(near_vertices_on_a_circle_stay_candidates),
        cmocka_unit_test(threads_change_no_list),
        cmocka_unit_test(every_refused_allocation_is_an_error),
        cmocka_unit_test(wrong_arguments_are_refused_by_name),
        cmocka_unit_test(a_token_on_a_side_of_a_flat_cloud_is_no_vertex),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_remove);
}
