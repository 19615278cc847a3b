/* test_hull.c -- the convex hull against closed forms, qconvex and linear programs. */
#include "support.h"

#include <coin/Clp_C_Interface.h>
#include <gmp.h>

#include "alloc_failing.c"
#include "scratch.h"
#include "shape/hull/hull_internal.h"

#define MOST 20000
#define WIDEST 8
#define TURN 6.283185307179586

static double x[MOST * WIDEST];

/* ---- linear programs ----------------------------------------------------------------------- */

/* A program in columns: minimise cost . v, rows between low and high, v likewise. Returns
 * CLP's status (0: optimal, 1: infeasible) and the optimum in *value. */
static int solve(double *value, int rows, int columns, const double *dense, const double *cost,
                 const double *low, const double *high, const double *row_low,
                 const double *row_high)
{
    static int start[MOST + 1], index[MOST * 10];
    Clp_Simplex *model = Clp_newModel();

    for (int c = 0; c <= columns; c++) {
        start[c] = c * rows;
    }
    for (int e = 0; e < columns * rows; e++) {
        index[e] = e % rows;
    }
    Clp_setLogLevel(model, 0);
    Clp_loadProblem(model, columns, rows, start, index, dense, low, high, cost, row_low, row_high);
    Clp_dual(model, 0);
    int status = Clp_status(model);
    *value = Clp_objectiveValue(model);
    Clp_deleteModel(model);
    return status;
}

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

/* Is there a direction in which points a and b tie and all others are lower? Found by the
 * largest t with <y, a - u> >= t, |y_c| <= 1. */
static int supports(const double *p, const int64_t *vertex, int64_t count, int64_t d, int64_t a,
                    int64_t b)
{
    static double dense[MOST * 10];
    double low[WIDEST + 1], high[WIDEST + 1], cost[WIDEST + 1] = { 0 }, value;
    static double row_low[MOST], row_high[MOST];
    int rows = (int)count;

    for (int64_t r = 0; r < count; r++) {
        int64_t u = vertex[r];
        for (int64_t c = 0; c < d; c++) {
            dense[c * rows + r] =
                u == a ? p[a * d + c] - p[b * d + c] : p[a * d + c] - p[u * d + c];
        }
        dense[d * rows + r] = u == a || u == b ? 0 : -1;
        row_low[r] = 0;
        row_high[r] = u == a || u == b ? 0 : 1e30;
    }
    for (int64_t c = 0; c < d; c++) {
        low[c] = -1;
        high[c] = 1;
    }
    low[d] = 0;
    high[d] = 1;
    cost[d] = -1;
    return solve(&value, rows, (int)d + 1, dense, cost, low, high, row_low, row_high) == 0 &&
           -value > 1e-6;
}

/* ---- clouds -------------------------------------------------------------------------------- */

enum cloud {
    GAUSS,
    SPHERE,
    LATTICE,
    LINE,
    PLANE,
    POINT,
    COSPHERICAL,
    AWAY,
    HUGE_CLOUD,
    TINY,
    KINDS
};

/* Lattices are small: a lattice point outside of a lattice polytope is at least 1 / |a| away
 * from it, a being a normal in whole numbers, |a| < 1e5 here, where CLP's tolerance is 1e-7. */
static void fill(enum cloud kind, int64_t n, int64_t d, uint64_t seed)
{
    normals(x, n * d, seed);
    for (int64_t i = 0; i < n; i++) {
        double *p = x + i * d;
        uint64_t key = (uint64_t)i;
        if (kind == SPHERE) {
            trop_rng_sphere(p, d, seed, TROP_RNG_TEST, key);
        }
        for (int64_t c = 0; c < d; c++) {
            uint64_t name = key * 16 + (uint64_t)c;
            double factor = kind == HUGE_CLOUD ? 1e150 : kind == TINY ? 1e-200 : 1;
            p[c] = kind == LATTICE ? (double)whole(seed, name, 3)
                   : kind == POINT ? 0.1
                   : kind == AWAY  ? 1e6 + p[c]
                                   : factor * p[c];
        }
        /* On a line and in a plane, in whole numbers; two coordinates on a circle of radius 25,
         * the others 0 or 7. */
        double s = (double)whole(seed, key, 1000), t = (double)whole(seed + 1, key, 1000);
        static const double ring[][2] = { { 7, 24 }, { 24, 7 },  { 15, 20 }, { 20, 15 },
                                          { 25, 0 }, { -25, 0 }, { 0, 25 },  { 0, 1 } };
        const double *r = ring[whole(seed, key, 8)];
        for (int64_t c = 0; c < d && (kind == LINE || kind == PLANE || kind == COSPHERICAL); c++) {
            double other = (double)whole(seed, key * 16 + (uint64_t)c, 2) * 7;
            p[c] = kind == LINE    ? 3 + s * (double)(c + 1)
                   : kind == PLANE ? s * (double)(c + 1) + t * (double)(c * c % 3)
                                   : (c < 2 ? (s < 500 ? 0 - r[c] : r[c]) : other);
        }
    }
}

static struct trop_hull *hull_of(const double *p, int64_t n, int64_t d, int facets)
{
    struct trop_hull *hull = NULL;
    assert_ok(trop_hull_make(&hull, p, n, d, 2, facets));
    return hull;
}

static int has_qhull(void)
{
    double p[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 };
    struct trop_hull *hull = hull_of(p, 4, 3, 1);
    int found = hull->facets != NULL;
    trop_hull_free(hull);
    return found;
}

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
                trop_hull_sort(theirs, count);
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

/* ---- edges --------------------------------------------------------------------------------- */

static int64_t count_edges(const double *p, int64_t n, int64_t d, int facets)
{
    struct trop_hull *hull = hull_of(p, n, d, facets);
    const int64_t *edge;
    int64_t count;
    assert_ok(trop_hull_edges(&edge, &count, hull));
    trop_hull_free(hull);
    return count;
}

static void edges_of_known_polytopes_are_counted_right(void **state)
{
    (void)state;
    for (int64_t d = 2; d <= 7; d++) {
        for (int facets = 0; facets < 2; facets++) {
            memset(x, 0, sizeof x);
            for (int64_t i = 0; i < 2 * d; i++) {
                x[i * d + i / 2] = i % 2 == 0 ? 1 : -1;
            }
            assert_int_equal(count_edges(x, 2 * d, d, facets), 2 * d * (d - 1));
            memset(x, 0, sizeof x);
            for (int64_t i = 0; i < d; i++) {
                x[i * d + i] = 1;
            }
            assert_int_equal(count_edges(x, d + 1, d, facets), d * (d + 1) / 2);
            /* Cyclic: neighbourly from four dimensions on, in three it has 3 n - 6 edges. */
            int64_t n = 2 * d + 3;
            for (int64_t i = 0; i < n; i++) {
                for (int64_t c = 0; c < d; c++) {
                    x[i * d + c] =
                        pow(((double)i - (double)d - 1) / (double)(d + 1), (double)c + 1);
                }
            }
            assert_int_equal(count_edges(x, n, d, facets), d == 2   ? n
                                                           : d == 3 ? 3 * n - 6
                                                                    : n * (n - 1) / 2);
        }
    }
}

/* Edges of every true pair, and of no pair that a program says has none by a clear margin. On
 * lattices the margin is there or it is 0. */
static void edges_are_those_of_linear_programs(void **state)
{
    (void)state;
    static const enum cloud kinds[] = { GAUSS, LATTICE, COSPHERICAL };
    for (int kind = 0; kind < 3; kind++) {
        for (int64_t d = 3; d <= 5; d++) {
            for (int64_t t = 0; t < 2 * cases(1, 10); t++) {
                fill(kinds[kind], 16, d, (uint64_t)(t / 2 + 3));
                struct trop_hull *hull = hull_of(x, 16, d, t % 2 == 0);
                const int64_t *vertex, *edge;
                int64_t vertices = trop_hull_vertices(&vertex, hull), count, e = 0;
                assert_ok(trop_hull_edges(&edge, &count, hull));
                for (int64_t a = 0; a < vertices; a++) {
                    for (int64_t b = a + 1; b < vertices; b++) {
                        int listed =
                            e < count && edge[2 * e] == vertex[a] && edge[2 * e + 1] == vertex[b];
                        assert_int_equal(listed,
                                         supports(x, vertex, vertices, d, vertex[a], vertex[b]));
                        e += listed;
                    }
                }
                assert_int_equal(e, count);
                trop_hull_free(hull);
            }
        }
    }
}

/* A cube turned so that its faces are no planes any more: its own edges are there, and what
 * else is listed lies in a face. */
static void no_edge_of_a_turned_cube_is_missing(void **state)
{
    (void)state;
    for (int64_t d = 3; d <= 5; d++) {
        int64_t n = (int64_t)1 << d, count, own = 0;
        for (int64_t i = 0; i < n; i++) {
            for (int64_t c = 0; c < d; c++) {
                x[i * d + c] = (double)(i >> c & 1);
            }
            for (int64_t c = 0; c + 1 < d; c++) {
                double a = x[i * d + c], b = x[i * d + c + 1];
                x[i * d + c] = 0.8253356149096783 * a - 0.5646424733950354 * b;
                x[i * d + c + 1] = 0.5646424733950354 * a + 0.8253356149096783 * b;
            }
        }
        struct trop_hull *hull = hull_of(x, n, d, d % 2 == 0);
        const int64_t *edge;
        assert_ok(trop_hull_edges(&edge, &count, hull));
        for (int64_t e = 0; e < count; e++) {
            int64_t differ = edge[2 * e] ^ edge[2 * e + 1];
            own += (differ & (differ - 1)) == 0;
            assert_true(differ != n - 1);
        }
        assert_int_equal(own, d << (d - 1));
        trop_hull_free(hull);
    }
}

/* A prism over a polygon of 40 sides: faces that are planes exactly, with corners that are not
 * on a lattice. */
static void a_prism_has_its_edges_and_no_diagonal(void **state)
{
    (void)state;
    if (!has_qhull()) {
        skip();
    }
    for (int64_t i = 0; i < 80; i++) {
        x[3 * i] = cos(TURN * (double)(i / 2) / 40);
        x[3 * i + 1] = sin(TURN * (double)(i / 2) / 40);
        x[3 * i + 2] = (double)(i % 2);
    }
    struct trop_hull *hull = hull_of(x, 80, 3, 1);
    const int64_t *edge;
    int64_t count, diagonals = 0;
    assert_ok(trop_hull_edges(&edge, &count, hull));
    for (int64_t e = 0; e < count; e++) {
        int64_t a = edge[2 * e], b = edge[2 * e + 1], apart = (b - a) / 2;
        diagonals += a % 2 == b % 2 && apart != 1 && apart != 39;
    }
    assert_int_equal(diagonals, 0);
    trop_hull_free(hull);
}

/* The sign of det[b - a; c - a; e - a], in units of 2^-80. */
static int exact_turn(const double *a, const double *b, const double *c, const double *e)
{
    const double *row[3] = { b, c, e };
    mpz_t m[3][3], base, product, sum;
    mpz_inits(base, product, sum, NULL);
    for (int r = 0; r < 3; r++) {
        for (int k = 0; k < 3; k++) {
            mpz_init(m[r][k]);
            mpz_set_d(m[r][k], ldexp(row[r][k], 80));
            mpz_set_d(base, ldexp(a[k], 80));
            mpz_sub(m[r][k], m[r][k], base);
        }
    }
    for (int k = 0; k < 6; k++) {
        int p = k % 3, q = (p + 1 + k / 3) % 3;
        mpz_mul(product, m[0][p], m[1][q]);
        mpz_mul(product, product, m[2][3 - p - q]);
        (k < 3 ? mpz_add : mpz_sub)(sum, sum, product);
    }
    int sign = mpz_sgn(sum);
    for (int k = 0; k < 9; k++) {
        mpz_clear(m[k / 3][k % 3]);
    }
    mpz_clears(base, product, sum, NULL);
    return sign;
}

/* 1 when the plane of three points has all others strictly on one side. */
static int is_facet(int64_t n, int64_t a, int64_t b, int64_t c)
{
    int sign = 0;
    for (int64_t i = 0; i < n; i++) {
        int turn = i == a || i == b || i == c
                       ? sign
                       : exact_turn(x + 3 * a, x + 3 * b, x + 3 * c, x + 3 * i);
        if (i != a && i != b && i != c && (turn == 0 || turn == -sign)) {
            return 0;
        }
        sign = turn;
    }
    return 1;
}

/* Turned cubes: their faces are two triangles each, by a few units in the last place, and the
 * diagonal between these is an edge. */
static void no_edge_is_missing_in_the_last_place(void **state)
{
    (void)state;
    for (int64_t t = 0; t < cases(8, 300); t++) {
        for (int64_t i = 0; i < 8; i++) {
            double *p = x + 3 * i, size = t % 2 == 0 ? 1 : 1 / 3.0;
            for (int c = 0; c < 3; c++) {
                p[c] = size * (double)(i >> c & 1);
            }
            for (int c = 0; c < 3; c++) {
                double angle = 0.1 + (double)t * 0.37 + c, a = p[c], b = p[(c + 1) % 3];
                p[c] = cos(angle) * a - sin(angle) * b;
                p[(c + 1) % 3] = sin(angle) * a + cos(angle) * b;
            }
        }
        for (int facets = 0; facets < 2; facets++) {
            struct trop_hull *hull = hull_of(x, 8, 3, facets);
            const int64_t *edge;
            int64_t count, joined[8][8] = { { 0 } };
            assert_ok(trop_hull_edges(&edge, &count, hull));
            for (int64_t e = 0; e < count; e++) {
                joined[edge[2 * e]][edge[2 * e + 1]] = 1;
            }
            for (int64_t a = 0; a < 8; a++) {
                for (int64_t b = a + 1; b < 8; b++) {
                    for (int64_t c = b + 1; c < 8; c++) {
                        int all = joined[a][b] && joined[a][c] && joined[b][c];
                        assert_true(all || !is_facet(8, a, b, c));
                    }
                }
            }
            trop_hull_free(hull);
        }
    }
}

/* ---- candidates ---------------------------------------------------------------------------- */

/* The token with the largest computed score, one chain over the coordinates. */
static int64_t computed_best(const double *w, int64_t n, int64_t d)
{
    double top = -INFINITY;
    int64_t best = 0;
    for (int64_t i = 0; i < n; i++) {
        double score = 0;
        for (int64_t c = 0; c < d; c++) {
            score = fma(w[c], x[i * d + c], score);
        }
        if (score > top) {
            top = score;
            best = i;
        }
    }
    return best;
}

static int has(const int64_t *list, int64_t count, int64_t i)
{
    int64_t low = 0;
    while (low < count && list[low] < i) {
        low++;
    }
    return low < count && list[low] == i;
}

/* Random directions, and normals of facets turned by a few u, in clouds with many tokens on
 * or just below the facets. */
static void every_computed_maximiser_is_a_candidate(void **state)
{
    (void)state;
    for (int64_t d = 2; d <= 5; d++) {
        int64_t n = 300, count;
        const int64_t *list;
        fill(GAUSS, n, d, (uint64_t)d);
        for (int64_t i = 100; i < n; i++) {
            /* Between tokens that are far out, rounded: on a face, or 1e-16 off it. */
            int64_t a = computed_best(x + i * d, 100, d), b = whole(5, (uint64_t)i, 100);
            double t = uniform(6, (uint64_t)i);
            for (int64_t c = 0; c < d; c++) {
                x[i * d + c] = t * x[a * d + c] + (1 - t) * x[b * d + c];
            }
        }
        struct trop_hull *hull = hull_of(x, n, d, 1);
        assert_ok(trop_hull_candidates(&list, &count, hull));
        for (int64_t t = 0; t < cases(2000, 100000); t++) {
            double w[WIDEST];
            normals(w, d, (uint64_t)t + 50);
            assert_true(has(list, count, computed_best(w, n, d)));
        }
        for (int64_t f = 0; hull->facets && f < hull->facets->facets; f++) {
            for (int64_t t = 0; t < 4; t++) {
                double w[WIDEST];
                for (int64_t c = 0; c < d; c++) {
                    double turn = normal((uint64_t)t, (uint64_t)(f * d + c));
                    w[c] = hull->facets->normals[f * d + c] + 1e-15 * (double)t * turn;
                }
                assert_true(has(list, count, computed_best(w, n, d)));
            }
        }
        trop_hull_free(hull);
    }
}

/* In a cube of side 2 the tokens within the bound of a face are known. */
static void tokens_below_the_bound_are_no_candidates(void **state)
{
    (void)state;
    for (int64_t d = 2; d <= 8; d += 3) {
        int64_t corners = (int64_t)1 << d, count;
        const int64_t *list;
        double reach = sqrt((double)d), bound = 2.02 * (double)(d + 4) * 0x1p-53 * reach;
        for (int64_t i = 0; i < corners * d; i++) {
            x[i] = i / d >> i % d & 1 ? 1 : -1;
        }
        for (int64_t i = 0; i < 20; i++) {
            for (int64_t c = 0; c < d; c++) {
                x[(corners + i) * d + c] = 0.5 * uniform(4, (uint64_t)(i * d + c));
            }
            /* Half of the bound below a face, or a thousand times. */
            double depth = i < 10 ? 0.5 * bound : 1000 * bound;
            x[(corners + i) * d + i % d] = (1 - depth) * (i % 2 == 0 ? 1 : -1);
        }
        for (int facets = 0; facets < 2; facets++) {
            struct trop_hull *hull = hull_of(x, corners + 20, d, facets);
            assert_ok(trop_hull_candidates(&list, &count, hull));
            assert_int_equal(count, corners + 10);
            assert_int_equal(list[count - 1], corners + 9);
            trop_hull_free(hull);
        }
    }
}

static void in_a_flat_cloud_every_token_is_a_candidate(void **state)
{
    (void)state;
    int64_t count;
    const int64_t *list;
    fill(PLANE, 50, 4, 1);
    struct trop_hull *hull = hull_of(x, 50, 4, 1);
    assert_int_equal(trop_hull_dimension(hull), 2);
    assert_ok(trop_hull_candidates(&list, &count, hull));
    assert_int_equal(count, 50);
    trop_hull_free(hull);
}

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
        cmocka_unit_test(clouds_whose_distances_overflow_are_refused),
        cmocka_unit_test(vertices_are_those_of_linear_programs),
        cmocka_unit_test(vertices_are_those_of_qconvex),
        cmocka_unit_test(a_grid_has_its_corners_edges_and_boundary),
        cmocka_unit_test(both_ways_find_the_same_vertices),
        cmocka_unit_test(few_vertices_among_many_tokens_are_found),
        cmocka_unit_test(outlines_on_lattices_are_exact),
        cmocka_unit_test(outlines_are_exact_in_the_last_place),
        cmocka_unit_test(near_vertices_on_a_circle_stay_candidates),
        cmocka_unit_test(edges_of_known_polytopes_are_counted_right),
        cmocka_unit_test(edges_are_those_of_linear_programs),
        cmocka_unit_test(no_edge_of_a_turned_cube_is_missing),
        cmocka_unit_test(a_prism_has_its_edges_and_no_diagonal),
        cmocka_unit_test(no_edge_is_missing_in_the_last_place),
        cmocka_unit_test(every_computed_maximiser_is_a_candidate),
        cmocka_unit_test(tokens_below_the_bound_are_no_candidates),
        cmocka_unit_test(in_a_flat_cloud_every_token_is_a_candidate),
        cmocka_unit_test(places_over_a_box_are_in_closed_form),
        cmocka_unit_test(far_places_name_the_nearest_vertex),
        cmocka_unit_test(places_over_a_flat_cloud_are_those_of_its_projection),
        cmocka_unit_test(places_over_a_point_and_a_line_are_distances),
        cmocka_unit_test(measures_of_boxes_simplices_and_cross_polytopes_are_in_closed_form),
        cmocka_unit_test(widths_in_space_are_those_of_brute_force),
        cmocka_unit_test(measures_scale_with_the_cloud),
        cmocka_unit_test(support_is_that_of_all_tokens),
        cmocka_unit_test(threads_change_no_list),
        cmocka_unit_test(every_refused_allocation_is_an_error),
        cmocka_unit_test(wrong_arguments_are_refused_by_name),
        cmocka_unit_test(a_token_on_a_side_of_a_flat_cloud_is_no_vertex),
        cmocka_unit_test(what_is_in_a_flat_cloud_is_proved),
        cmocka_unit_test(tiny_clouds_have_their_dimension),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_remove);
}
