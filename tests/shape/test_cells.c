/* test_cells.c -- labels, ownership, genericity and sizes of the cells, against rationals,
 * brute force, closed forms and published numbers. */
#include "support.h"

#include <gmp.h>

#include "alloc_failing.c"
#include "attend/decide.h"
#include "shape/cells/cells_internal.h"

#define UNIT 0x1p-53
#define MOST 96 /* tokens of a random instance */
#define WIDE 6  /* dimensions */

/* ---- helpers -------------------------------------------------------------------------------- */

static struct trop_cells_options setup(const double *x, int64_t n, int64_t d, const double *b)
{
    struct trop_cells_options o = trop_cells_options_default();

    o.cloud.tokens = x;
    o.cloud.n = n;
    o.cloud.d = d;
    o.cloud.key_query.values = b;
    o.threads = 1;
    return o;
}

static struct trop_cells *cells_of(const double *x, int64_t n, int64_t d, const double *b)
{
    struct trop_cells_options o = setup(x, n, d, b);
    struct trop_cells *cells = NULL;

    assert_ok(trop_cells_create(&cells, &o));
    return cells;
}

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

/* <B x, v - w> as a rational; b NULL: the identity. */
static void rational_lead(mpq_t out, const double *b, const double *x, const double *v,
                          const double *w, int64_t d)
{
    mpq_t term, factor;

    mpq_inits(term, factor, NULL);
    mpq_set_ui(out, 0, 1);
    for (int64_t a = 0; a < d; a++) {
        for (int64_t c = 0; c < d; c++) {
            mpq_set_d(term, v[a]);
            mpq_set_d(factor, w[a]);
            mpq_sub(term, term, factor);
            mpq_set_d(factor, x[c]);
            mpq_mul(term, term, factor);
            mpq_set_d(factor, b ? b[a * d + c] : a == c);
            mpq_mul(term, term, factor);
            mpq_add(out, out, term);
        }
    }
    mpq_clears(term, factor, NULL);
}

static int rational_sign(const double *b, const double *x, const double *v, const double *w,
                         int64_t d)
{
    mpq_t sum;

    mpq_init(sum);
    rational_lead(sum, b, x, v, w, d);
    int sign = mpq_sgn(sum);
    mpq_clear(sum);
    return (sign > 0) - (sign < 0);
}

/* The cell of x by rationals: the token of its vertex, -1 when several attain the maximum. */
static int64_t rational_label(const double *b, const double *x, const double *tokens,
                              const int64_t *vertex, int64_t count, int64_t d)
{
    int64_t best = vertex[0];
    int unique = 1;

    for (int64_t p = 1; p < count; p++) {
        int sign = rational_sign(b, x, tokens + vertex[p] * d, tokens + best * d, d);
        best = sign > 0 ? vertex[p] : best;
        unique = sign > 0 ? 1 : sign == 0 ? 0 : unique;
    }
    return unique ? best : -1;
}

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

/* 0 identity, 1 -identity, 2 diagonal, 3 indefinite, 4 singular, 5 any, 6 quarter turns,
 * 7 zero, 8 symmetric of any signature. */
#define KINDS 9
static void fill_matrix(double *b, int kind, int64_t d, uint64_t seed)
{
    for (int64_t a = 0; a < d; a++) {
        for (int64_t c = 0; c < d; c++) {
            double g = normal(seed, (uint64_t)(1000 + a * d + c));
            double h = normal(seed, (uint64_t)(1000 + c * d + a));
            double one = a == c;
            double sheet = fabs(g) * (a % 2 ? -1 : 1) * one;
            double turn = (a == c + 1 && a % 2 ? 1 : 0) - (c == a + 1 && c % 2 ? 1 : 0);
            double rank1 = floor(4 * normal(seed, (uint64_t)(2000 + a))) *
                           floor(4 * normal(seed, (uint64_t)(3000 + c)));
            double all[KINDS] = { one, -one, fabs(g) * one, sheet, rank1, g, turn, 0, g + h };
            b[a * d + c] = all[kind];
        }
    }
}

/* 0 Gaussian, 1 on a sphere, 2 lattice with duplicates, 3 a small cloud far away. */
static void fill_tokens(double *x, int kind, int64_t n, int64_t d, uint64_t seed)
{
    normals(x, n * d, seed);
    for (int64_t k = 0; k < n * d; k++) {
        x[k] = kind == 2 ? floor(x[k] * 2) : kind == 3 ? 1 + 1e-7 * x[k] : x[k];
    }
    for (int64_t i = 0; kind == 1 && i < n; i++) {
        trop_rng_sphere(x + i * d, d, seed, TROP_RNG_TEST, (uint64_t)i);
    }
}

/* ---- decisions ------------------------------------------------------------------------------ */

static void bilinear_signs_are_those_of_rationals(void **state)
{
    (void)state;
    double scales[] = { 1, 1e100, 1e-100, 0x1p-500, 0x1p300 };
    int64_t zeros = 0;

    for (int64_t trial = 0; trial < cases(20000, 400000); trial++) {
        uint64_t at = (uint64_t)trial * 64;
        int64_t d = 1 + trial % 4;
        double b[16], x[4], v[4], w[4], s = scales[trial % 5];
        for (int64_t k = 0; k < d * d; k++) {
            b[k] =
                trial % 3 ? normal(1, at + (uint64_t)k) : (double)whole(1, at + (uint64_t)k, 7) - 3;
        }
        for (int64_t c = 0; c < d; c++) {
            uint64_t k = at + 16 + 4 * (uint64_t)c;
            x[c] = (trial % 3 ? normal(1, k) : (double)whole(1, k, 7) - 3) * s;
            w[c] = (double)whole(1, k + 1, 9) / 3 * s;
            v[c] = trial % 3 ? w[c] : (double)whole(1, k + 2, 9) / 3 * s;
        }
        if (trial % 3 && d > 1) { /* v - w nearly orthogonal to B x */
            double y0 = 0, y1 = 0, t = normal(1, at + 60);
            for (int64_t c = 0; c < d; c++) {
                y0 += b[c] * x[c];
                y1 += b[d + c] * x[c];
            }
            double size = fabs(y0) + fabs(y1);
            v[0] += y1 / size * t * s;
            v[1] -= y0 / size * t * s;
            v[1] = trial % 7 == 0 ? nextafter(v[1], INFINITY) : v[1];
        }
        struct trop_matrix m = { .values = b }, unit = { .scale = trial % 2 ? -s : s };
        int truth = rational_sign(b, x, v, w, d);
        zeros += truth == 0;
        assert_int_equal(trop_decide_bilinear(&m, x, v, w, d), truth);
        assert_int_equal(trop_decide_bilinear(&unit, x, v, w, d),
                         (trial % 2 ? -1 : 1) * rational_sign(NULL, x, v, w, d));
    }
    assert_true(zeros > 100);
    /* A product that underflows, 1.5 2^-1074, against a difference that makes it matter. */
    double b[] = { 1.5 * 0x1p-1000, 0, 0, 1 }, x[] = { 0x1p-74, -1.75 * 0x1p-74 };
    double v[] = { 0x1p1000, 1 }, w[] = { 0, 0 };
    assert_int_equal(trop_decide_bilinear(&(struct trop_matrix){ .values = b }, x, v, w, 2), -1);
    struct trop_matrix zero = { .scale = 0 };
    assert_int_equal(trop_decide_bilinear(&zero, x, v, w, 2), 0);
}

/* Every label, and genericity, against rationals. */
static int64_t compare_labels(const double *x, int64_t n, int64_t d, const double *b)
{
    struct trop_cells *cells = cells_of(x, n, d, b);
    struct trop_value vertices = value_of(cells, "vertices"), labels = value_of(cells, "labels");
    struct trop_value owns = value_of(cells, "owns_cell"), margins = value_of(cells, "margins");
    int64_t walls = 0, generic = 1, p = 0;

    for (int64_t i = 0; i < n; i++) {
        int64_t truth = rational_label(b, x + i * d, x, vertices.integers, vertices.shape[0], d);
        assert_int_equal(labels.integers[i], truth);
        assert_true(truth < 0 ? margins.numbers[i] == 0 : margins.numbers[i] > 0);
        walls += truth < 0;
        generic &= truth >= 0;
        if (p < vertices.shape[0] && vertices.integers[p] == i) {
            assert_int_equal(owns.integers[p], truth == i);
            generic &= truth == i;
            p++;
        }
    }
    assert_int_equal(amount(cells, "generic"), generic);
    assert_int_equal(value_of(cells, "obstacle").kind, generic ? TROP_KIND_NULL : TROP_KIND_TEXT);
    assert_true((amount(cells, "c0") > 0) >= generic);
    trop_cells_free(cells);
    return walls;
}

/* A lattice of thirds in a box, so that walls of the box pass through lattice points, with
 * rotations and singular matrices; then points moved by one ulp to either side. */
static void genericity_is_decided_as_rationals_decide_it(void **state)
{
    (void)state;
    double matrices[][4] = { { 1, 0, 0, 1 },       { 0, -1, 1, 0 },        { 1, 2, 2, 4 },
                             { -1, 0, 0, -1 },     { 1, 1, 0, 1 },         { 0, 0, 0, 0 },
                             { 1.0 / 3, 0, 0, 1 }, { 0.1, 0.3, 0.3, 0.9 }, { 1, 0, 0, -1 },
                             { 0, 0, 1, 0 } };
    int64_t walls = 0;

    for (size_t m = 0; m < sizeof matrices / sizeof matrices[0]; m++) {
        for (int move = 0; move < 5; move++) {
            double x[2 * 49];
            int64_t n = 0;
            for (int i = -3; i <= 3; i++) {
                for (int j = -3; j <= 3; j++) {
                    x[2 * n] = i / 3.0;
                    x[2 * n++ + 1] = j / 3.0;
                }
            }
            for (int64_t i = 8; i < n && move; i++) { /* the box's corners may stay vertices */
                double *c = x + 2 * i + (move > 2);
                *c = fabs(*c) < 1 ? nextafter(*c, move % 2 ? 2 : -2) : *c;
            }
            walls += compare_labels(x, n, 2, matrices[m]);
        }
    }
    assert_true(walls > 200);
}

/* Scores of whole numbers below 2^22 and matrices of them: products of three have 66 bits, so
 * ties are exact and double cannot see them; some are broken by the least bit. */
static void ties_that_rounding_hides_are_found(void **state)
{
    (void)state;
    int64_t walls = 0;

    for (int64_t trial = 0; trial < cases(100, 3000); trial++) {
        uint64_t at = (uint64_t)trial * 128;
        double b[4], x[2 * 12];
        for (int k = 0; k < 4; k++) {
            b[k] = (double)(whole(2, at + (uint64_t)k, 1 << 22) - (1 << 21));
        }
        double p = (double)whole(2, at + 5, 1 << 10), q = (double)whole(2, at + 6, 1 << 10);
        double y[] = { b[0] * p + b[1] * q, b[2] * p + b[3] * q }; /* exact: below 2^33 */
        /* Four vertices with equal scores for (p, q), two on each side: a + m (y_1, -y_0). */
        double m[] = { -(double)whole(2, at + 7, 1 << 10) - 1,
                       (double)whole(2, at + 8, 1 << 10) + 1 };
        for (int k = 0; k < 2; k++) {
            x[2 * k] = y[0] + m[k] * y[1];
            x[2 * k + 1] = y[1] - m[k] * y[0];
            if (trial % 3 == k) {
                x[2 * k] = nextafter(x[2 * k], trial % 2 ? INFINITY : -INFINITY);
            }
        }
        for (int k = 2; k < 4; k++) {
            x[2 * k] = -x[2 * k - 4];
            x[2 * k + 1] = -x[2 * k - 3];
        }
        for (int k = 4; k < 12; k++) { /* the tie, and its neighbours by an ulp */
            x[2 * k] = k % 3 == 1 ? nextafter(p, INFINITY) : k % 3 == 2 ? nextafter(p, 0) : p;
            x[2 * k + 1] = k > 8 ? nextafter(q, INFINITY) : q;
        }
        walls += compare_labels(x, 12, 2, b);
    }
    assert_true(walls > 30);
}

static void labels_of_random_clouds_are_those_of_rationals(void **state)
{
    (void)state;
    double x[40 * WIDE], b[WIDE * WIDE];

    for (int64_t trial = 0; trial < cases(72, 1500); trial++) {
        int64_t d = 1 + trial % WIDE, n = d == 1 ? 20 : 24;
        fill_tokens(x, (int)(trial / 6 % 4), n, d, 100 + (uint64_t)trial);
        fill_matrix(b, (int)(trial % KINDS), d, (uint64_t)trial);
        compare_labels(x, n, d, trial % KINDS == 0 ? NULL : b);
    }
}

/* ---- ownership, Voronoi, power diagram, partition -------------------------------------------- */

/* All-pairs and edge-local ownership, and the first against brute force. */
static int64_t compare_ownership(struct trop_cells *cells, const double *b)
{
    int64_t owns[2][2 * MOST], d = cells->d, owners = 0;

    assert_non_null(cells->edges);
    trop_cells_own_pairs(owns[0], cells);
    trop_cells_own_edges(owns[1], &cells->scene, cells->edges, cells->edge_count);
    for (int64_t p = 0; p < cells->vertices; p++) {
        const double *v = cells->x + cells->vertex[p] * d;
        int own = 1;
        for (int64_t q = 0; q < cells->vertices && own; q++) {
            struct trop_matrix m = { .values = b };
            const double *w = cells->x + cells->vertex[q] * d;
            own = q == p || trop_decide_bilinear(&m, v, v, w, d) > 0;
        }
        assert_int_equal(owns[0][p], own);
        assert_int_equal(owns[1][p], own);
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

/* ---- ranges, threads, memory --------------------------------------------------------------- */

/* Scaling by powers of two changes no label; far and tiny clouds keep theirs. */
static void labels_survive_any_scale(void **state)
{
    (void)state;
    double x[2 * 40], big[2 * 40], b[4];
    int scales[] = { 500, -500, -600, 100 };

    fill_tokens(x, 0, 40, 2, 5);
    fill_matrix(b, 5, 2, 5);
    struct trop_cells *cells = cells_of(x, 40, 2, b);
    for (int s = 0; s < 4; s++) {
        for (int k = 0; k < 80; k++) {
            big[k] = ldexp(x[k], scales[s]);
        }
        struct trop_cells *other = cells_of(big, 40, 2, b);
        assert_memory_equal(cells->labels, other->labels, 40 * sizeof *cells->labels);
        assert_int_equal(cells->vertices, other->vertices);
        assert_memory_equal(cells->owns, other->owns,
                            (size_t)cells->vertices * sizeof *cells->owns);
        for (int64_t i = 0; i < 40; i++) {
            assert_near(ldexp(other->walls[i], -scales[s]), cells->walls[i],
                        1e-12 * cells->walls[i]);
        }
        trop_cells_free(other);
    }
    trop_cells_free(cells);
}

/* Of two clouds, one being the other by a power of two: numbers that leave double keep their
 * signs, walls and decisions do not leave it. */
static void compare_scaled(const struct trop_cells *one, const struct trop_cells *other, int power)
{
    assert_memory_equal(one->labels, other->labels, (size_t)one->n * 8);
    assert_memory_equal(one->near, other->near, (size_t)one->n * 8);
    assert_memory_equal(one->dominance, other->dominance, (size_t)one->n * 8);
    assert_memory_equal(one->eroded, other->eroded, (size_t)one->n * 8);
    assert_int_equal(one->voronoi, other->voronoi);
    for (int64_t i = 0; i < one->n; i++) {
        /* Either is right to 1/32; B = 0 has no walls. */
        double wall = one->walls[i], same = ldexp(other->walls[i], -power);
        assert_true(wall == same || fabs(wall - same) <= wall / 16);
        assert_true((one->gaps[i] > 0) == (other->gaps[i] > 0));
        assert_true((one->energies[i] > 0) == (other->energies[i] > 0));
        assert_true((one->energies[i] < 0) == (other->energies[i] < 0));
        assert_true((one->margins[i] > 0) == (other->margins[i] > 0));
    }
}

/* Scores of 2^1980 and 2^-1980, B that takes them farther or brings them back. Walls, erosions and
 * equal norms do not depend on B's size. */
static void walls_and_decisions_survive_scores_outside_double(void **state)
{
    (void)state;
    int powers[][2] = { { 990, 0 },    { -990, 0 },   { 990, 900 }, { -990, -900 },
                        { 990, -900 }, { -990, 900 }, { 0, 1000 },  { 0, -1000 } };

    for (uint64_t trial = 0; trial < 18; trial++) {
        double x[3 * 30], far[3 * 30], b[9], wide[9];
        int64_t d = 2 + (int64_t)trial % 2, n = 30;
        fill_tokens(x, trial % 3 == 1, n, d, trial);
        fill_matrix(b, (int)(trial / 2), d, trial);
        struct trop_cells_options o = setup(x, n, d, b);
        o.eta = 0;
        o.erode = 0.125;
        struct trop_cells *one = NULL;
        assert_ok(trop_cells_create(&one, &o));
        for (size_t s = 0; s < sizeof powers / sizeof powers[0]; s++) {
            struct trop_cells *other = NULL;
            for (int64_t k = 0; k < n * d; k++) {
                far[k] = ldexp(x[k], powers[s][0]);
            }
            for (int64_t k = 0; k < d * d; k++) {
                wide[k] = ldexp(b[k], powers[s][1]);
            }
            struct trop_cells_options p = setup(far, n, d, wide);
            p.eta = 0;
            p.erode = ldexp(0.125, powers[s][0]);
            assert_ok(trop_cells_create(&other, &p));
            compare_scaled(one, other, powers[s][0]);
            trop_cells_free(other);
        }
        trop_cells_free(one);
    }
}

/* The right triangle a(1, 0), a(-1, 0), a(0, 1): the wall of two corners passes through 0 and the
 * middle of their side, at a distance of a/sqrt(2) from either. Norms are equal; those of a(1, 0),
 * a(-1, 0), a(0, 2) are not. And with the norms at 0 in one direction, B = diag(1, -1), the
 * square's energies are 0, not the difference of two infinities. */
static void the_triangle_of_any_size_has_its_walls_and_norms(void **state)
{
    (void)state;
    const double sizes[] = { 1, 1e300, 1e-300, 1e150, 1e-170, 1e-310 };

    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        double a = sizes[s], sheet[] = { 1, 0, 0, -1 };
        double triangle[] = { a, 0, -a, 0, 0, a }, tall[] = { a, 0, -a, 0, 0, 2 * a };
        double square[] = { a, a, -a, a, -a, -a, a, -a };
        struct trop_cells *cells = cells_of(triangle, 3, 2, NULL);
        assert_int_equal(cells->voronoi, 1);
        for (int i = 0; i < 3; i++) {
            assert_near(cells->walls[i], a / sqrt(2), 4 * UNIT * a + 0x1p-1074);
        }
        trop_cells_free(cells);
        cells = cells_of(tall, 3, 2, NULL);
        assert_int_equal(cells->voronoi, 0);
        trop_cells_free(cells);
        cells = cells_of(square, 4, 2, sheet);
        assert_true(cells->energies[0] == 0 && cells->energies[3] == 0);
        assert_int_equal(cells->voronoi, 1);
        trop_cells_free(cells);
    }
}

static void one_token_and_one_dimension_are_ordinary(void **state)
{
    (void)state;
    double one[] = { 0.5, -2, 1 }, line[] = { -1, 3, 0, 2, 3 };

    for (int64_t d = 1; d <= 3; d++) {
        struct trop_cells *cells = cells_of(one, 1, d, NULL);
        assert_true(cells->generic && cells->partition && cells->labels[0] == 0);
        assert_true(isinf(amount(cells, "c0")) && isinf(cells->margins[0]));
        assert_true(isinf(cells->walls[0]) && cells->gaps[0] == 0);
        assert_int_equal(amount(cells, "dimension"), 0);
        assert_int_equal(amount(cells, "contains_origin"), 0);
        trop_cells_free(cells);
    }
    struct trop_cells *cells = cells_of(line, 5, 1, NULL);
    int64_t labels[] = { 0, 1, -1, 1, 1 };
    assert_memory_equal(cells->labels, labels, sizeof labels);
    assert_near(cells->walls[3], 2, 0);
    assert_near(amount(cells, "c0"), 4, 0);
    assert_int_equal(amount(cells, "contains_origin"), 1);
    assert_true(value_of(cells, "cells").kind == TROP_KIND_NULL);
    trop_cells_free(cells);
    /* The same point many times. */
    double same[] = { 2, 1, 2, 1, 2, 1 };
    cells = cells_of(same, 3, 2, NULL);
    assert_true(cells->vertices == 1 && cells->generic && cells->labels[2] == 0);
    trop_cells_free(cells);
}

static void queries_are_labelled_as_tokens_are(void **state)
{
    (void)state;
    double x[3 * 30];
    struct trop_cells *cells = NULL;

    fill_tokens(x, 0, 30, 3, 11);
    struct trop_cells_options o = setup(x, 30, 3, NULL);
    assert_ok(trop_cells_create(&cells, &o));
    assert_int_equal(value_of(cells, "query_labels").kind, TROP_KIND_NULL);
    trop_cells_free(cells);
    double query[3 * 32];
    memcpy(query, x, sizeof x);
    for (int c = 0; c < 3; c++) {
        query[90 + c] = 100;
        query[93 + c] = 0;
    }
    o.query = query;
    o.queries = 32;
    assert_ok(trop_cells_create(&cells, &o));
    assert_memory_equal(cells->query_labels, cells->labels, 30 * sizeof *cells->labels);
    assert_memory_equal(cells->query_margins, cells->margins, 30 * sizeof *cells->margins);
    assert_memory_equal(cells->query_walls, cells->walls, 30 * sizeof *cells->walls);
    assert_int_equal(cells->query_inside[30], -1);
    assert_int_equal(cells->query_labels[31], -1);
    trop_cells_free(cells);
    o.queries = -1;
    assert_int_equal(trop_cells_create(&cells, &o), TROP_ERR_ARG);
    o.queries = 32;
    query[5] = NAN;
    assert_int_equal(trop_cells_create(&cells, &o), TROP_ERR_ARG);
    query[5] = 0;
    o.cloud.masses = x; /* cells have no use for them, so they are not passed over in silence */
    assert_int_equal(trop_cells_create(&cells, &o), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "masses"));
}

static void options_come_from_text(void **state)
{
    (void)state;
    struct trop_cells *cells = NULL;
    const char *pairs[] = { "n",  "12",  "d",   "3",     "init", "sphere", "key_query",
                            "-1", "eta", "0.1", "erode", "off",  NULL };
    const char *wrong[] = { "eta", "-0.5", NULL }, *odd[] = { "eta", NULL };

    assert_ok(trop_cells_create_from(&cells, pairs));
    assert_int_equal(value_of(cells, "dominance").kind, TROP_KIND_INTEGERS);
    assert_int_equal(value_of(cells, "eroded").kind, TROP_KIND_NULL);
    for (const struct trop_field *f = trop_cells_field_table(); f->name; f++) {
        assert_true(value_of(cells, f->name).kind >= TROP_KIND_NULL && strlen(f->meaning) > 3);
    }
    double number;
    assert_int_equal(trop_cells_number(&number, cells, "labels"), TROP_ERR_ARG);
    assert_int_equal(trop_cells_number(&number, cells, "label"), TROP_ERR_ARG);
    trop_cells_free(cells);
    assert_int_equal(trop_cells_create_from(&cells, wrong), TROP_ERR_ARG);
    assert_int_equal(trop_cells_create_from(&cells, odd), TROP_ERR_ARG);
}

/* The table names every member of the struct but `queries`, the rows of query, and the masses,
 * which are refused. */
static void no_option_is_missing_from_the_table(void **state)
{
    (void)state;
    size_t expected = sizeof(int64_t) + sizeof(const double *);

    for (const struct trop_option *o = trop_cells_option_table(); o->name; o++) {
        expected += o->type == TROP_TYPE_MATRIX ? sizeof(struct trop_matrix) : 8;
    }
    assert_int_equal(expected, sizeof(struct trop_cells_options));
    struct trop_cells_options defaults = trop_cells_options_default();
    assert_ok(trop_option_check(&defaults, trop_cells_option_table()));
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    int64_t n = 700;
    double *x = malloc((size_t)(n * 4) * sizeof *x), b[16];
    struct trop_cells *first = NULL;

    fill_tokens(x, 0, n, 4, 21);
    fill_matrix(b, 8, 4, 21);
    for (int64_t threads = 1; threads <= 7; threads += 2) {
        struct trop_cells_options o = setup(x, n, 4, b);
        struct trop_cells *cells = NULL;
        o.threads = threads;
        o.eta = 0.01;
        assert_ok(trop_cells_create(&cells, &o));
        if (!first) {
            first = cells;
            continue;
        }
        size_t size = (size_t)n * 8;
        assert_memory_equal(first->labels, cells->labels, size);
        assert_memory_equal(first->near, cells->near, size);
        assert_memory_equal(first->dominance, cells->dominance, size);
        assert_memory_equal(first->margins, cells->margins, size);
        assert_memory_equal(first->walls, cells->walls, size);
        assert_memory_equal(first->gaps, cells->gaps, size);
        assert_memory_equal(first->energies, cells->energies, size);
        trop_cells_free(cells);
    }
    trop_cells_free(first);
    free(x);
}

static enum trop_status attempt(void)
{
    static double x[3 * 12], query[] = { 0.1, 0.2, 0.3, 4, 5, 6 }, b[9];
    enum trop_status status = TROP_OK;

    fill_tokens(x, 0, 12, 3, 31);
    fill_matrix(b, 8, 3, 31);
    for (int64_t d = 2; d <= 3 && status == TROP_OK; d++) {
        struct trop_cells_options o = setup(x, 12, d, b);
        struct trop_cells *cells = NULL;
        o.eta = 0.01;
        o.erode = 0.01;
        o.query = query;
        o.queries = 2;
        status = trop_cells_create(&cells, &o);
        trop_cells_free(cells);
    }
    return status;
}

static void every_refused_allocation_is_reported(void **state)
{
    (void)state;
    alloc_refuse_each(attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bilinear_signs_are_those_of_rationals),
        cmocka_unit_test(genericity_is_decided_as_rationals_decide_it),
        cmocka_unit_test(ties_that_rounding_hides_are_found),
        cmocka_unit_test(labels_of_random_clouds_are_those_of_rationals),
        cmocka_unit_test(ownership_diagrams_and_partition_hold_on_random_instances),
        cmocka_unit_test(cells_of_vertices_of_equal_energy_are_voronoi_cells),
        cmocka_unit_test(constructed_matrices_do_what_they_must),
        cmocka_unit_test(the_square_and_the_triangle_have_their_closed_forms),
        cmocka_unit_test(sizes_are_those_of_brute_force),
        cmocka_unit_test(self_leaders_are_as_frequent_as_published),
        cmocka_unit_test(labels_survive_any_scale),
        cmocka_unit_test(walls_and_decisions_survive_scores_outside_double),
        cmocka_unit_test(the_triangle_of_any_size_has_its_walls_and_norms),
        cmocka_unit_test(one_token_and_one_dimension_are_ordinary),
        cmocka_unit_test(queries_are_labelled_as_tokens_are),
        cmocka_unit_test(options_come_from_text),
        cmocka_unit_test(no_option_is_missing_from_the_table),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(every_refused_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
