/* test_cells_sizes.c -- ownership, diagrams and sizes of the cells, against rationals, brute
 * force, closed forms and published numbers. */
#include "attend/decide.h"

#include "cells_support.h"

/* ---- helpers -------------------------------------------------------------------------------- */

/* <B x, v - w> in long double; b NULL: the identity. */
static long double long_lead(const double *b, const double *x, const double *v, const double *w,
                             int64_t d)
{
    long double sum = 0;

    for (int64_t a = 0; a < d; a++) {
        long double y = b ? 0 : x[a];
        for (int64_t c = 0; b && c < d; c++) {
            y += (long double)b[a * d + c] * x[c];
        }
        sum += y * ((long double)v[a] - w[a]);
    }
    return sum;
}

/* ---- ownership, Voronoi, power diagram, partition -------------------------------------------- */

/* Ownership against brute force, and against the edges of the hull: it is enough to look at the
 * neighbours of v_p, for any B. The edges at v_p generate the tangent cone of K there, so v_q - v_p
 * = sum a_w (w - v_p) with a_w >= 0, not all zero, over the neighbours w, and <B v_p, .> is
 * negative on all of them iff it is on every v_q - v_p. */
static int64_t compare_ownership(struct trop_cells *cells, const double *b)
{
    int64_t d = cells->d, owners = 0;
    const struct trop_matrix matrix = { .values = b };

    assert_non_null(cells->edges);
    for (int64_t p = 0; p < cells->vertices; p++) {
        int by_edges = 1;
        for (int64_t k = 0; k < 2 * cells->edge_count; k++) {
            const double *v = cells->x + cells->edges[k] * d,
                         *w = cells->x + cells->edges[k ^ 1] * d;
            by_edges = by_edges && (cells->edges[k] != cells->vertex[p] ||
                                    trop_decide_bilinear(&matrix, v, v, w, d) > 0);
        }
        const double *v = cells->x + cells->vertex[p] * d;
        int own = 1;
        for (int64_t q = 0; q < cells->vertices && own; q++) {
            const double *w = cells->x + cells->vertex[q] * d;
            own = q == p || trop_decide_bilinear(&matrix, v, v, w, d) > 0;
        }
        assert_int_equal(cells->owns[p], own);
        assert_int_equal(by_edges, own);
        owners += own;
    }
    return owners;
}

/* <B z, z> in long double, z = x - v. */
static long double long_form(const double *b, const double *x, const double *v, int64_t d)
{
    long double sum = 0;

    for (int64_t a = 0; a < d; a++) {
        for (int64_t c = 0; c < d; c++) {
            sum +=
                (long double)b[a * d + c] * ((long double)x[a] - v[a]) * ((long double)x[c] - v[c]);
        }
    }
    return sum;
}

/* max |B| max |x|^2 d^2: what scores are made of. */
static double size_of(const struct trop_cells *cells, const double *b)
{
    double most = 0, entry = 0;

    for (int64_t k = 0; k < cells->n * cells->d; k++) {
        most = fmax(most, fabs(cells->x[k]));
    }
    for (int64_t k = 0; k < cells->d * cells->d; k++) {
        entry = fmax(entry, fabs(b[k]));
    }
    return entry * most * most * (double)(cells->d * cells->d);
}

/* Power diagram, |x - v|_B^2 - |v|_B^2, and Voronoi labels by brute force in long double. A label
 * may differ only where the two best are within rounding. */
static void compare_diagrams(const struct trop_cells *cells, const double *b)
{
    int64_t d = cells->d;
    double zero[WIDE] = { 0 };
    long double tolerance = 64 * 0x1p-63L * size_of(cells, b);

    for (int64_t i = 0; i < cells->n; i++) {
        const double *x = cells->x + i * d;
        long double best[2] = { INFINITY, INFINITY }, mine[2] = { INFINITY, INFINITY };
        for (int64_t p = 0; p < cells->vertices; p++) {
            const double *v = cells->x + cells->vertex[p] * d;
            long double form[2] = { long_form(b, x, v, d), 0 };
            form[1] = form[0] - long_form(b, v, zero, d);
            int64_t label[2] = { cells->near[i], cells->labels[i] };
            for (int k = 0; k < 2; k++) {
                best[k] = form[k] < best[k] ? form[k] : best[k];
                mine[k] = label[k] == cells->vertex[p] ? form[k] : mine[k];
            }
        }
        assert_true(cells->near[i] < 0 || mine[0] - best[0] <= tolerance);
        assert_true(cells->labels[i] < 0 || mine[1] - best[1] <= tolerance);
    }
}

/* No B'(v_i - v_j) is zero, by rationals: entry c is <B e_c, v_i - v_j>. */
static int rational_partition(const struct trop_cells *cells, const double *b)
{
    int64_t d = cells->d;

    for (int64_t p = 0; p < cells->vertices; p++) {
        for (int64_t q = 0; q < p; q++) {
            int zero = 1;
            for (int64_t c = 0; c < d && zero; c++) {
                double e[WIDE] = { 0 };
                e[c] = 1;
                zero = rational_sign(b, e, cells->x + cells->vertex[p] * d,
                                     cells->x + cells->vertex[q] * d, d) == 0;
            }
            if (zero) {
                return 0;
            }
        }
    }
    return 1;
}

static void ownership_diagrams_and_partition_hold_on_random_instances(void **state)
{
    (void)state;
    double x[MOST * WIDE], b[WIDE * WIDE];
    int64_t owners = 0, vertices = 0, split[2] = { 0 };

    for (int64_t trial = 0; trial < cases(300, 10000); trial++) {
        int64_t d = 2 + trial % 5, n = d + 2 + whole(3, (uint64_t)trial, 30);
        int kind = (int)(trial / 5 % KINDS);
        fill_tokens(x, (int)(trial / 3 % 4), n, d, 7000 + (uint64_t)trial);
        fill_matrix(b, kind, d, (uint64_t)trial);
        struct trop_cells *cells = cells_of(x, n, d, b);
        owners += compare_ownership(cells, b);
        vertices += cells->vertices;
        int symmetric = kind != 4 && kind != 5 && kind != 6;
        if (symmetric) {
            assert_int_equal(cells->symmetric, 1);
            compare_diagrams(cells, b);
        }
        if (trial % 9 == 0 || kind == 4) {
            split[rational_partition(cells, b)]++;
            assert_int_equal(cells->partition, rational_partition(cells, b));
        }
        trop_cells_free(cells);
    }
    assert_true(owners > vertices / 20 && owners < vertices);
    assert_true(split[0] > 0 && split[1] > 0);
}

/* Proposition 4.5: vertices of equal energy. Tokens of the unit sphere mapped by B^-1/2 for B =
 * Q D Q' and brought to the level set J = 1/2; small ones inside. */
static void cells_of_vertices_of_equal_energy_are_voronoi_cells(void **state)
{
    (void)state;
    double x[MOST * WIDE], b[WIDE * WIDE], q[WIDE * WIDE];
    int64_t compared = 0;

    for (int64_t trial = 0; trial < cases(100, 3000); trial++) {
        int64_t d = 2 + trial % 5, outer = d + 3, n = outer + 30;
        fill_tokens(x, 1, outer, d, 9000 + (uint64_t)trial);
        fill_tokens(q, 1, 1, d, 500 + (uint64_t)trial); /* Q = I - 2 q q' */
        for (int64_t a = 0; a < d; a++) {
            for (int64_t c = a; c < d; c++) {
                double sum = 0;
                for (int64_t k = 0; k < d; k++) {
                    double qa = (a == k) - 2 * q[a] * q[k], qc = (c == k) - 2 * q[c] * q[k];
                    sum += qa * qc * (1 + 7 * (double)k / (double)d);
                }
                b[a * d + c] = b[c * d + a] = sum;
            }
        }
        for (int64_t i = 0; i < outer; i++) {
            double zero[WIDE] = { 0 };
            double scale = (double)sqrtl(long_form(b, x + i * d, zero, d));
            for (int64_t c = 0; c < d; c++) {
                x[i * d + c] /= scale;
            }
        }
        for (int64_t i = outer; i < n; i++) { /* inside: combinations of the others */
            double sum = 0;
            for (int64_t j = 0; j < outer; j++) {
                sum += uniform((uint64_t)trial, (uint64_t)(i * outer + j));
            }
            for (int64_t c = 0; c < d; c++) {
                x[i * d + c] = 0;
                for (int64_t j = 0; j < outer; j++) {
                    double share = uniform((uint64_t)trial, (uint64_t)(i * outer + j)) / sum;
                    x[i * d + c] += share * x[j * d + c];
                }
            }
        }
        struct trop_cells *cells = cells_of(x, n, d, b);
        assert_int_equal(cells->vertices, outer);
        assert_int_equal(amount(cells, "voronoi"), 1);
        for (int64_t i = 0; i < n; i++) {
            /* J differs by 8 (d + 2) u size at most where `voronoi` says so. */
            if (cells->margins[i] > 8 * (double)(d + 2) * UNIT * size_of(cells, b)) {
                assert_int_equal(cells->labels[i], cells->near[i]);
                compared++;
            }
        }
        trop_cells_free(cells);
        for (int64_t c = 0; c < d; c++) {
            x[c] *= 1 + 1e-9; /* off the level set */
        }
        cells = cells_of(x, n, d, b);
        assert_int_equal(amount(cells, "voronoi"), 0);
        trop_cells_free(cells);
    }
    assert_true(compared > 1000);
}

static void constructed_matrices_do_what_they_must(void **state)
{
    (void)state;
    double square[] = { 1, 1, -1, 1, -1, -1, 1, -1, 0.25, 0.5 };
    double line[] = { 1, 2 }, minus[] = { -1, 0, 0, -1 }, zero[] = { 0, 0, 0, 0 };
    double flat[] = { 0, 0, 0, 1 }; /* scores are products of second coordinates */

    /* B = -1 on [1, 2]: the vertex 1 owns its cell, 2 does not (the remark in 2.5). */
    struct trop_cells_options o = setup(line, 2, 1, NULL);
    struct trop_cells *cells = NULL;
    o.cloud.key_query.scale = -1;
    assert_ok(trop_cells_create(&cells, &o));
    assert_true(cells->owns[0] == 1 && cells->owns[1] == 0);
    assert_near(amount(cells, "c0"), -2, 0);
    assert_string_equal(value_of(cells, "obstacle").text,
                        "vertex 1 does not own its cell: <B x, x_0> is not smaller");
    trop_cells_free(cells);
    /* -I on the square: the opposite vertex leads. */
    cells = cells_of(square, 5, 2, minus);
    int64_t opposite[] = { 2, 3, 0, 1, 2 };
    assert_memory_equal(cells->labels, opposite, sizeof opposite);
    assert_true(!cells->generic && cells->partition);
    assert_near(amount(cells, "c0"), -4, 0);
    trop_cells_free(cells);
    /* B = 0: every point is in every cell; no wall anywhere. */
    cells = cells_of(square, 5, 2, zero);
    assert_true(!cells->generic && !cells->partition && cells->voronoi);
    for (int64_t i = 0; i < 5; i++) {
        assert_true(cells->labels[i] == -1 && cells->margins[i] == 0 && cells->gaps[i] == 0);
        assert_true(isinf(cells->walls[i]));
    }
    trop_cells_free(cells);
    /* Singular: two pairs of vertices share their cells, the wall is the first axis. */
    cells = cells_of(square, 5, 2, flat);
    assert_true(!cells->partition && cells->labels[4] == -1);
    assert_near(cells->walls[4], 0.5, 4 * UNIT);
    assert_true(cells->margins[4] == 0);
    trop_cells_free(cells);
    /* Normals that vanish, and that do not by the last bit of B. */
    for (int bit = 0; bit < 2; bit++) {
        double ones[] = { 1, 1, 1, 1 + bit * 0x1p-52 };
        cells = cells_of(square, 5, 2, ones);
        assert_int_equal(cells->partition, bit);
        trop_cells_free(cells);
    }
    /* A token on the wall, and moved off it by the least number there is. */
    for (int step = -1; step <= 1; step++) {
        double near[] = { 1, 1, -1, 1, -1, -1, 1, -1, step * 0x1p-1074, 0.5 };
        cells = cells_of(near, 5, 2, NULL);
        assert_int_equal(cells->labels[4], step < 0 ? 1 : step > 0 ? 0 : -1);
        assert_int_equal(cells->near[4], cells->labels[4]); /* equal norms */
        assert_int_equal(cells->generic, step != 0);
        if (step == 0) {
            assert_string_equal(value_of(cells, "obstacle").text,
                                "token 4 is on a wall between vertices 0 and 1");
        }
        trop_cells_free(cells);
    }
}

/* ---- sizes ----------------------------------------------------------------------------------- */

static void the_square_and_the_triangle_have_their_closed_forms(void **state)
{
    (void)state;
    double square[] = { 1, 1, -1, 1, -1, -1, 1, -1, 0.5, 0.25 };
    struct trop_cells *cells = cells_of(square, 5, 2, NULL);

    assert_near(amount(cells, "c0"), 2, 0);
    assert_near(cells->margins[0], 2, 0);
    assert_near(cells->walls[0], 1, 2 * UNIT);
    assert_int_equal(cells->labels[4], 0);
    assert_near(cells->margins[4], 0.5, 0); /* <x, (0, 2)> */
    assert_near(cells->walls[4], 0.25, UNIT);
    assert_near(cells->gaps[4], 0.4375, 0); /* 0.75 - 0.3125 */
    assert_near(cells->energies[4], 0.15625, 0);
    assert_near(amount(cells, "gap_max"), 0.4375, 0);
    assert_true(cells->generic && cells->voronoi && cells->partition);
    assert_int_equal(amount(cells, "contains_origin"), 1);
    assert_int_equal(amount(cells, "dimension"), 2);
    assert_near(amount(cells, "diameter"), sqrt(8), 4 * UNIT * 3);
    assert_near(amount(cells, "volume"), 4, 16 * UNIT);
    trop_cells_free(cells);

    struct trop_cells_options o = trop_cells_options_default();
    o.cloud.n = 3;
    o.cloud.init = TROP_INIT_POLYGON;
    assert_ok(trop_cells_create(&cells, &o));
    assert_near(amount(cells, "c0"), 1.5, 8 * UNIT); /* 1 - cos(2 pi/3) */
    for (int64_t i = 0; i < 3; i++) {
        assert_near(cells->margins[i], 1.5, 8 * UNIT);
        assert_near(cells->walls[i], sqrt(0.75), 8 * UNIT); /* 1.5/sqrt(3) */
    }
    assert_true(cells->generic && cells->voronoi);
    trop_cells_free(cells);
}

/* Margins, walls, gaps, energies and c0 by brute force in long double. Scores are within
 * (2 d + 8) u size in the library and 2^-11 of that here; walls divide them by |B'(v - w)|. */
static void sizes_are_those_of_brute_force(void **state)
{
    (void)state;
    double x[MOST * WIDE], b[WIDE * WIDE];

    for (int64_t trial = 0; trial < cases(150, 4000); trial++) {
        int64_t d = 1 + trial % WIDE, n = d + 2 + whole(4, (uint64_t)trial, 40);
        fill_tokens(x, (int)(trial % 2), n, d, 300 + (uint64_t)trial);
        fill_matrix(b, (int)(trial % KINDS), d, (uint64_t)trial);
        struct trop_cells *cells = cells_of(x, n, d, b);
        double tolerance = 4 * (double)(2 * d + 8) * UNIT * size_of(cells, b), c0 = INFINITY;
        for (int64_t i = 0; i < n; i++) {
            const double *xi = x + i * d;
            long double margin = INFINITY, wall = INFINITY, gap = 0, least = INFINITY;
            int64_t label = cells->labels[i];
            for (int64_t p = 0; p < cells->vertices; p++) {
                const double *v = x + cells->vertex[p] * d;
                long double g = long_lead(b, xi, v, xi, d), length = 0;
                gap = g > gap ? g : gap;
                least = cells->vertex[p] != i && -g < least ? -g : least;
                if (label < 0 || label == cells->vertex[p]) {
                    continue;
                }
                long double m = long_lead(b, xi, x + label * d, v, d);
                for (int64_t c = 0; c < d; c++) {
                    double e[WIDE] = { 0 };
                    e[c] = 1;
                    long double h = long_lead(b, e, x + label * d, v, d);
                    length += h * h;
                }
                margin = m < margin ? m : margin;
                wall = m / sqrtl(length) < wall ? m / sqrtl(length) : wall;
                if (m / sqrtl(length) < wall + tolerance) {
                    assert_true(cells->walls[i] <= (double)(m / sqrtl(length)) * (1 + 1e-12) +
                                                       tolerance / (double)sqrtl(length));
                }
            }
            assert_near(cells->gaps[i], (double)gap, tolerance);
            assert_near(cells->energies[i],
                        (double)long_lead(b, xi, xi, (double[WIDE]){ 0 }, d) / 2, tolerance);
            if (label >= 0 && isfinite((double)margin)) {
                assert_near(cells->margins[i], (double)margin, tolerance);
                assert_true(cells->walls[i] >= (double)wall * (1 - 1e-9) - 1e-12);
            }
            for (int64_t p = 0; p < cells->vertices; p++) {
                c0 = cells->vertex[p] == i ? fmin(c0, (double)least) : c0;
            }
        }
        if (isfinite(c0)) {
            assert_near(amount(cells, "c0"), c0, tolerance);
        } else {
            assert_true(isinf(amount(cells, "c0")));
        }
        trop_cells_free(cells);
    }
}

/* P(all n Gaussian tokens are their own leaders), B = I: claim fw-tab-leaders. The published
 * numbers are taken as those of 200 draws, and rounded to two digits; five standard errors. */
static void self_leaders_are_as_frequent_as_published(void **state)
{
    (void)state;
    struct {
        int64_t n, d;
        double published;
    } rows[] = { { 8, 4, 0.035 }, { 8, 8, 0.56 },   { 8, 16, 0.97 },
                 { 8, 32, 1 },    { 64, 16, 0.15 }, { 64, 32, 0.99 } };

    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        int64_t runs = rows[k].n == 8 ? cases(100, 4000) : cases(20, 1000), count = 0;
        for (int64_t run = 0; run < runs; run++) {
            struct trop_cells_options o = trop_cells_options_default();
            struct trop_cells *cells = NULL;
            o.cloud.n = rows[k].n;
            o.cloud.d = rows[k].d;
            o.cloud.seed = (uint64_t)(1 + run);
            o.threads = 1;
            assert_ok(trop_cells_create(&cells, &o));
            int64_t owners = 0;
            for (int64_t p = 0; p < cells->vertices; p++) {
                owners += cells->owns[p];
            }
            count += owners == o.cloud.n;
            trop_cells_free(cells);
        }
        double p = rows[k].published, share = (double)count / (double)runs;
        double error = sqrt(fmax(p * (1 - p), 0.005) * (1 / (double)runs + 1.0 / 200));
        print_message("n = %lld, d = %lld: %.3f of %lld, published %.3f\n", (long long)rows[k].n,
                      (long long)rows[k].d, share, (long long)runs, p);
        assert_near(share, p, 5 * error + 0.005);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ownership_diagrams_and_partition_hold_on_random_instances),
        cmocka_unit_test(cells_of_vertices_of_equal_energy_are_voronoi_cells),
        cmocka_unit_test(constructed_matrices_do_what_they_must),
        cmocka_unit_test(the_square_and_the_triangle_have_their_closed_forms),
        cmocka_unit_test(sizes_are_those_of_brute_force),
        cmocka_unit_test(self_leaders_are_as_frequent_as_published),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
