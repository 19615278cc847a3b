/* test_nearest.c -- distances to hulls against closed forms, enumeration of faces and linear
 * programs. Sides are test_nearest_side.c's. */
#include "support.h"

#include <coin/Clp_C_Interface.h>
#include <float.h>

#include "alloc_failing.c"
#include "enumerated_hull.h"
#include "nearest_judge.h"

/* ---- closed forms ------------------------------------------------------------------------ */

/* What the proved lower bound gives away: (d / 4 + 6) u of |v| |z_j| for the sums, (d / 16 + 8) u
 * of the distance for the quotient, 8 u at which rows stop counting and as much again for p. */
static double lower_error(int64_t n, int64_t d)
{
    return ((double)(d / 4 + d / 16) + 32) * UNIT * reach(n, d) + 0x1p-1073;
}

static void distance_is(double truth, const double *rows, int64_t n, int64_t d, const double *query)
{
    /* Sizes from 1e-310 to 1e300, by powers of two so that the data stay what they are. */
    int exponents[] = { 0, 490, -665, 990, -1000 };
    struct trop_nearest *nearest = nearest_of(d);

    for (int k = 0; k < 5; k++) {
        struct trop_nearest_answer answer;
        for (int64_t i = 0; i < n * d; i++) {
            x[i] = ldexp(rows[i], exponents[k]);
        }
        for (int64_t c = 0; c < d; c++) {
            q[c] = ldexp(query[c], exponents[k]);
        }
        double tolerance = 4 * UNIT * ldexp(fmax(truth, 1), exponents[k]) + 0x1p-1073;
        trop_nearest_find(&answer, nearest, x, NULL, n, q, 0);
        assert_near(answer.distance, ldexp(truth, exponents[k]), tolerance);
        assert_int_equal(answer.side, truth > 0 ? TROP_SIDE_OUTSIDE : TROP_SIDE_INSIDE);
        assert_true(answer.lower <= ldexp(truth * (1 + 2 * UNIT), exponents[k]));
        assert_near(answer.lower, ldexp(truth, exponents[k]), lower_error(n, d));
    }
    trop_nearest_free(nearest);
}

static void distances_of_simple_bodies_are_those_of_geometry(void **state)
{
    (void)state;
    double point[] = { 1, 2, 3 }, origin[] = { 0, 0, 0 }, at[] = { 1, 2, 3 };
    distance_is(sqrt(14), point, 1, 3, origin);
    distance_is(0, point, 1, 3, at);

    double segment[] = { -1, 1, 3, 1 }, above[] = { 0.5, 3 }, beyond[] = { 6, 5 }, on[] = { 0, 1 };
    distance_is(2, segment, 2, 2, above);
    distance_is(5, segment, 2, 2, beyond);
    distance_is(0, segment, 2, 2, on);

    double triangle[] = { 0, 0, 0, 4, 0, 0, 0, 4, 0 }, over[] = { 1, 1, 7 }, side[] = { 3, 3, 0 };
    double middle[] = { 1, 1, 0 };
    distance_is(7, triangle, 3, 3, over);
    distance_is(sqrt(2), triangle, 3, 3, side);
    distance_is(0, triangle, 3, 3, middle);

    struct trop_nearest *nearest = nearest_of(0); /* a space of one point */
    struct trop_nearest_answer answer;
    trop_nearest_find(&answer, nearest, x, NULL, 3, q, 0);
    assert_true(answer.side == TROP_SIDE_INSIDE && answer.distance == 0);
    trop_nearest_free(nearest);

    double pair[] = { 1, 4 }, left[] = { -2 }, between[] = { 2.3 };
    distance_is(3, pair, 2, 1, left);
    distance_is(0, pair, 2, 1, between);
}

/* The unit vectors of R^d: the origin is at 1 / sqrt(d), with equal weights; the centre of
 * the cross polytope is inside, a far point above a face at (t - 1) / sqrt(d). */
static void distances_of_simplices_cubes_and_cross_polytopes_in_any_dimension(void **state)
{
    (void)state;
    double rows[2 * WIDE * WIDE], query[WIDE];

    for (int64_t d = 1; d <= WIDE; d = d < 8 ? d + 1 : 2 * d) {
        memset(rows, 0, sizeof rows);
        memset(query, 0, sizeof query);
        for (int64_t c = 0; c < d; c++) {
            rows[c * d + c] = 1;
            rows[(d + c) * d + c] = -1;
        }
        distance_is(1 / sqrt((double)d), rows, d, d, query);
        distance_is(0, rows, 2 * d, d, query);
        for (int64_t c = 0; c < d; c++) {
            query[c] = 1;
        }
        distance_is(((double)d - 1) / sqrt((double)d), rows, 2 * d, d, query);
    }
    for (int64_t d = 1; d <= 6; d++) { /* a cube, from beside, from a corner and from within */
        for (int64_t j = 0; j < (int64_t)1 << d; j++) {
            for (int64_t c = 0; c < d; c++) {
                rows[j * d + c] = (double)(2 * (j >> c & 1) - 1);
            }
        }
        for (int64_t c = 0; c < d; c++) {
            query[c] = c == 0 ? 3 : 0.25;
        }
        distance_is(2, rows, (int64_t)1 << d, d, query);
        query[0] = -0.3;
        distance_is(0, rows, (int64_t)1 << d, d, query);
        for (int64_t c = 0; c < d; c++) {
            query[c] = 2;
        }
        distance_is(sqrt((double)d), rows, (int64_t)1 << d, d, query);
    }
}

/* ---- against other methods --------------------------------------------------------------- */

static void distances_are_those_of_all_faces_enumerated(void **state)
{
    (void)state;
    double worst = 0;
    for (int64_t trial = 0; trial < cases(1500, 30000); trial++) {
        int family = (int)(trial % FAMILIES);
        int64_t d = 1 + trial / FAMILIES % 4, n = 1 + whole(1, (uint64_t)trial, 7);
        struct trop_nearest_answer answer;
        struct trop_nearest *nearest = nearest_of(d);
        cloud(family, n, d, (uint64_t)trial);
        trop_nearest_find(&answer, nearest, x, NULL, n, q, 0);
        double truth = enumerated(x, n, d, q), size = reach(n, d);
        /* 8 u where rows stop counting, and as much for p. */
        worst = fmax(worst, fabs(answer.distance - truth) / (UNIT * size));
        assert_near(answer.distance, truth, 16 * UNIT * size);
        assert_true(mpf_cmp_d(enumerated_least, answer.lower) >=
                    0); /* proved: without any allowance */
        trop_nearest_free(nearest);
    }
    if (getenv("TROP_TEST_SHOW")) {
        printf("distance: worst error %.2f u of the reach\n", worst);
    }
}

/* A cluster of width 1e-9 around the query and rows at 1 (all 0 is in no way special: 1 + t has 6
 * digits of t left, exactly): the distance is as good as the width allows, not the size. p is made
 * from the nearest atom, fresh factors and all. A row stops counting at 8 u of its own distance,
 * so that only most of the cases need be this good: 2e-15 of the width in 98 of 100. */
static void distances_inside_clusters_are_as_good_as_the_cluster_is_small(void **state)
{
    (void)state;
    int64_t good = 0, trials = cases(400, 5000);
    for (int64_t trial = 0; trial < trials; trial++) {
        int64_t d = 2 + trial % 3, n = 7;
        struct trop_nearest_answer answer;
        struct trop_nearest *nearest = nearest_of(d);
        cloud(0, n, d, (uint64_t)trial);
        for (int64_t c = 0; c < d; c++) {
            q[c] = 1 + 1e-9 * q[c];
            for (int64_t j = 0; j < 4; j++) {
                x[j * d + c] = 1 + 1e-9 * x[j * d + c];
            }
        }
        trop_nearest_find(&answer, nearest, x, NULL, n, q, 0);
        double truth = enumerated(x, n, d, q);
        if (getenv("TROP_TEST_SHOW")) {
            printf("cluster %.3g\n", fabs(answer.distance - truth) / 1e-9);
        }
        good += fabs(answer.distance - truth) <= 2e-15 * 1e-9;
        assert_near(answer.distance, truth, 16 * UNIT * reach(n, d));
        trop_nearest_free(nearest);
    }
    assert_true(good >= trials * 98 / 100);
}

/* The least sum of |q - point|_c over the hull, by CLP. */
static double clp_distance(int64_t n, int64_t d)
{
    Clp_Simplex *model = Clp_newModel();
    int rows[WIDE + 1];
    double values[WIDE + 1], right[WIDE + 1];

    Clp_setLogLevel(model, 0);
    Clp_resize(model, (int)d + 1, 0);
    for (int64_t c = 0; c <= d; c++) {
        rows[c] = (int)c;
        right[c] = c < d ? q[c] : 1;
    }
    Clp_chgRowLower(model, right);
    Clp_chgRowUpper(model, right);
    for (int64_t j = 0; j < n + 2 * d; j++) {
        double low = 0, high = DBL_MAX, cost = j >= n;
        CoinBigIndex starts[2] = { 0, j < n ? (int)d + 1 : 1 };
        int which = (int)((j - n) / 2);
        double sign = (j - n) % 2 ? -1 : 1;
        for (int64_t c = 0; j < n && c <= d; c++) {
            values[c] = c < d ? x[j * d + c] : 1;
        }
        Clp_addColumns(model, 1, &low, &high, &cost, starts, j < n ? rows : &which,
                       j < n ? values : &sign);
    }
    Clp_setPrimalTolerance(model, 1e-9);
    Clp_setDualTolerance(model, 1e-9);
    assert_int_equal(Clp_primal(model, 0), 0);
    double value = Clp_objectiveValue(model);
    Clp_deleteModel(model);
    return value;
}

/* |t|_2 <= |t|_1 <= sqrt(d) |t|_2, and both vanish together. CLP is good to 1e-9 per row. */
static void sides_are_those_of_linear_programs(void **state)
{
    (void)state;
    int64_t inside = 0, outside = 0;
    for (int64_t trial = 0; trial < cases(120, 3000); trial++) {
        int64_t d = 2 + trial % 12, n = d + 1 + whole(2, (uint64_t)trial, 150);
        struct trop_nearest_answer answer;
        struct trop_nearest *nearest = nearest_of(d);
        cloud(trial % 2 ? 1 : 0, n, d, (uint64_t)trial);
        for (int64_t c = 0; c < d; c++) {
            q[c] *= 0.3;
        }
        double along = clp_distance(n, d);
        trop_nearest_find(&answer, nearest, x, NULL, n, q, 0);
        judge(&answer, nearest, n, d);
        assert_true(answer.distance <= along + 1e-7);
        assert_true(along <= sqrt((double)d) * answer.distance + 1e-7);
        assert_int_equal(answer.side, along > 1e-7 ? TROP_SIDE_OUTSIDE : TROP_SIDE_INSIDE);
        inside += answer.side == TROP_SIDE_INSIDE;
        outside += answer.side == TROP_SIDE_OUTSIDE;
        trop_nearest_free(nearest);
    }
    assert_true(inside > 20 && outside > 20);
}

/* ---- large ones, order, lists ------------------------------------------------------------ */

/* What can be checked at any size: the judge, and that the proved lower bound meets the
 * distance within its own error. */
static void large_problems_end_at_the_nearest_point_in_few_steps(void **state)
{
    (void)state;
    int64_t sizes[][2] = { { 2, 2000 }, { 3, 500 }, { 10, 300 }, { 32, 2000 }, { 64, 400 } };
    for (int64_t trial = 0; trial < cases(60, 1200); trial++) {
        int64_t d = sizes[trial % 5][0], n = sizes[trial % 5][1];
        int family = (int)(trial / 5 % FAMILIES);
        struct trop_nearest_answer answer;
        struct trop_nearest *nearest = nearest_of(d);
        cloud(family, n, d, (uint64_t)trial);
        trop_nearest_find(&answer, nearest, x, NULL, n, q, 0);
        judge(&answer, nearest, n, d);
        if (getenv("TROP_TEST_SHOW")) {
            printf("d %3d n %5d family %d side %d iterations %d gap %.1f u\n", (int)d, (int)n,
                   family, (int)answer.side, (int)answer.iterations,
                   (answer.distance - answer.lower) / (UNIT * reach(n, d)));
        }
        /* Twice the worst of 1200, 66 steps at d = 10; the mean is about d. */
        assert_true(answer.iterations <= 12 * (d + 1));
        if (answer.side == TROP_SIDE_OUTSIDE) {
            assert_near(answer.lower, answer.distance, lower_error(n, d));
        }
        trop_nearest_free(nearest);
    }
}

static void a_list_is_its_rows(void **state)
{
    (void)state;
    static double copy[100 * 5], all[200 * 5];
    int64_t list[100];
    struct trop_nearest_answer a, b;
    struct trop_nearest *one = nearest_of(5), *two = nearest_of(5);

    for (uint64_t trial = 0; trial < 50; trial++) {
        cloud(0, 200, 5, trial);
        memcpy(all, x, sizeof all);
        for (int64_t j = 0; j < 100; j++) { /* some of them twice */
            list[j] = whole(trial, (uint64_t)j, 200);
            memcpy(copy + 5 * j, x + 5 * list[j], 5 * sizeof *copy);
        }
        trop_nearest_find(&a, one, all, list, 100, q, 0);
        trop_nearest_find(&b, two, copy, NULL, 100, q, 0);
        assert_memory_equal(&a, &b, sizeof a);
        assert_memory_equal(trop_nearest_point(one), trop_nearest_point(two), 5 * sizeof *q);
        for (int64_t i = 0; i < a.atoms; i++) {
            const double *row = all + 5 * trop_nearest_rows(one)[i];
            assert_memory_equal(row, copy + 5 * trop_nearest_rows(two)[i], 5 * sizeof *row);
        }
    }
    trop_nearest_free(one);
    trop_nearest_free(two);
}

/* Scratch is used again and again: the last question leaves no trace. */
static void answers_do_not_depend_on_earlier_questions(void **state)
{
    (void)state;
    struct trop_nearest_answer a, b;
    struct trop_nearest *old = nearest_of(6);

    for (uint64_t trial = 0; trial < 50; trial++) {
        struct trop_nearest *fresh = nearest_of(6);
        cloud((int)(trial % FAMILIES), 60, 6, trial);
        trop_nearest_find(&a, old, x, NULL, 60, q, (int)(trial % 2));
        trop_nearest_find(&b, fresh, x, NULL, 60, q, (int)(trial % 2));
        assert_memory_equal(&a, &b, sizeof a);
        assert_memory_equal(trop_nearest_point(old), trop_nearest_point(fresh), 6 * sizeof *q);
        trop_nearest_free(fresh);
    }
    trop_nearest_free(old);
}

/* Multiplied by 2^k the answer is the same, bit for bit; a lattice moved by a power of two too,
 * where differences are exact. In another order of the rows it is the same up to rounding. */
static void answers_scale_move_and_permute_with_the_cloud(void **state)
{
    (void)state;
    int exponents[] = { 40, -40, 400, -400, 900, -900 };
    for (uint64_t trial = 0; trial < (uint64_t)cases(140, 3000); trial++) {
        int64_t d = 1 + (int64_t)trial % 6, n = 1 + whole(3, trial, 30);
        int family = (int)(trial % FAMILIES);
        struct trop_nearest_answer a, b;
        struct trop_nearest *nearest = nearest_of(d);
        cloud(family, n, d, trial);
        trop_nearest_find(&a, nearest, x, NULL, n, q, 0);
        double size = reach(n, d);
        for (int k = 0; k < 6 + (family == 5); k++) {
            int e = k < 6 ? exponents[k] : 0;
            cloud(family, n, d, trial);
            for (int64_t i = 0; i < (n + 1) * d; i++) {
                double *at = i < n * d ? x + i : q + (i - n * d);
                *at = k < 6 ? ldexp(*at, e) : *at + 0x1p45;
            }
            trop_nearest_find(&b, nearest, x, NULL, n, q, 0);
            assert_true(b.side == a.side && b.atoms == a.atoms && b.iterations == a.iterations);
            assert_true(b.distance == ldexp(a.distance, e) && b.lower == ldexp(a.lower, e));
        }
        cloud(family, n, d, trial);
        for (int64_t i = n - 1; i > 0; i--) {
            int64_t j = whole(4, (uint64_t)i + 100 * trial, i + 1);
            for (int64_t c = 0; c < d; c++) {
                double t = x[i * d + c];
                x[i * d + c] = x[j * d + c];
                x[j * d + c] = t;
            }
        }
        trop_nearest_find(&b, nearest, x, NULL, n, q, 0);
        assert_near(b.distance, a.distance, 16 * UNIT * size);
        assert_int_equal(b.side, a.side);
        trop_nearest_free(nearest);
    }
}

/* ---- memory ------------------------------------------------------------------------------ */

static enum trop_status make_and_free(void)
{
    struct trop_nearest *nearest = NULL;
    enum trop_status status = trop_nearest_create(&nearest, 7);
    trop_nearest_free(nearest);
    return status;
}

static void a_refused_allocation_is_reported_and_a_search_asks_for_none(void **state)
{
    (void)state;
    struct trop_nearest_answer answer;
    struct trop_nearest *nearest = NULL;
    int64_t before = alloc_live;

    alloc_refuse_each(make_and_free);
    assert_ok(trop_nearest_create(&nearest, 4));
    cloud(0, 50, 4, 1);
    alloc_refused = 0;
    trop_nearest_find(&answer, nearest, x, NULL, 50, q, 0);
    assert_int_equal(alloc_refused, 0);
    alloc_refused = -1;
    trop_nearest_free(nearest);
    assert_int_equal(alloc_live, before);
    struct trop_nearest *none = nearest;
    assert_int_equal(trop_nearest_create(&none, INT64_MAX / 4), TROP_ERR_MEMORY);
    assert_ptr_equal(none, nearest);
    trop_nearest_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_of_simple_bodies_are_those_of_geometry),
        cmocka_unit_test(distances_of_simplices_cubes_and_cross_polytopes_in_any_dimension),
        cmocka_unit_test(distances_are_those_of_all_faces_enumerated),
        cmocka_unit_test(distances_inside_clusters_are_as_good_as_the_cluster_is_small),
        cmocka_unit_test(sides_are_those_of_linear_programs),
        cmocka_unit_test(large_problems_end_at_the_nearest_point_in_few_steps),
        cmocka_unit_test(a_list_is_its_rows),
        cmocka_unit_test(answers_do_not_depend_on_earlier_questions),
        cmocka_unit_test(answers_scale_move_and_permute_with_the_cloud),
        cmocka_unit_test(a_refused_allocation_is_reported_and_a_search_asks_for_none),
    };
    return cmocka_run_group_tests(tests, enumerated_open, enumerated_close);
}
