/* test_cells.c -- labels and genericity of the cells against rationals; scales, queries,
 * options, threads, memory. */
#include "attend/decide.h"

#include "cells_support.h"

#include "alloc_failing.c"

/* ---- helpers -------------------------------------------------------------------------------- */

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
