/* test_hull_edges.c -- edges and candidates of the convex hull, against known polytopes, linear
 * programs and exact determinants. */
#include <gmp.h>

#include "hull_clouds.h"

/* ---- linear programs ----------------------------------------------------------------------- */

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_of_known_polytopes_are_counted_right),
        cmocka_unit_test(edges_are_those_of_linear_programs),
        cmocka_unit_test(no_edge_of_a_turned_cube_is_missing),
        cmocka_unit_test(a_prism_has_its_edges_and_no_diagonal),
        cmocka_unit_test(no_edge_is_missing_in_the_last_place),
        cmocka_unit_test(every_computed_maximiser_is_a_candidate),
        cmocka_unit_test(tokens_below_the_bound_are_no_candidates),
        cmocka_unit_test(in_a_flat_cloud_every_token_is_a_candidate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
