/* test_tree_localmax.c -- localmax through a tree: the direct sets, and averages within
 * their own bounds of double-double sums over them. */
#include "support.h"

#include <float.h>

#include "attend/attend.h"
#include "attend/tree/tree_localmax.h"
#include "base/math/dd.h"

#include "alloc_failing.c"

#define MOST 4096
#define MOST_D 6

static double x[MOST * MOST_D], mass[MOST], values[MOST_D * MOST_D];
static double direct[MOST * MOST_D], through[MOST * MOST_D], again[MOST * MOST_D];
static double bounds[MOST], bounds_again[MOST], weight[MOST];
static struct trop_attend_note notes[MOST], tree_notes[MOST], notes_again[MOST];

/* What a case is made of; masses and B are optional. */
struct scene {
    int64_t n, d;
    double epsilon;
    int64_t form;
    int masses;
    struct trop_matrix b;
};

static struct trop_attend *load(const struct scene *s)
{
    struct trop_attend *attend = NULL;
    struct trop_rule_numbers numbers = {
        .rule = &trop_rule_localmax, .epsilon = s->epsilon, .form = s->form, .mask = TROP_MASK_FULL
    };

    assert_ok(trop_attend_create(&attend, s->n, s->d, 1, trop_kernel_choose(0),
                                 s->form == TROP_FORM_COSINE));
    assert_ok(trop_attend_load(attend, x, s->masses ? mass : NULL, s->n, &s->b, &numbers));
    return attend;
}

static enum trop_status walk(double *out, struct trop_attend_note *note, double *bound,
                             struct trop_attend *attend, const struct scene *s, int64_t threads,
                             const struct trop_kernel *kernel)
{
    void *tree = NULL;
    enum trop_status status;

    assert_ok(trop_tree_localmax_engine.create(&tree, s->n, s->d, threads, kernel));
    status = trop_tree_localmax_engine.rows(out, note, bound, tree, attend, 1e-10);
    trop_tree_localmax_engine.free(tree);
    return status;
}

static void assert_notes_equal(const struct trop_attend_note *a, const struct trop_attend_note *b)
{
    assert_int_equal(a->best, b->best);
    assert_int_equal(a->unique, b->unique);
    assert_int_equal(a->alone, b->alone);
    assert_int_equal(a->only, b->only);
    assert_true(a->set == b->set);
    assert_true(a->gap == b->gap && a->energy == b->energy);
}

/* Row i against the double-double average over the direct set. unit, a power of two, brings
 * lengths near 1: large ones before differences are taken, small ones behind. */
static void assert_within(struct trop_attend *attend, const struct scene *s, int64_t i, double unit)
{
    const double *xi = x + i * s->d, *out = through + i * s->d;
    struct trop_dd sum[MOST_D] = { { 0, 0 } }, whole = { 0, 0 };
    double far = 0, error = 0, before = fmin(unit, 1), behind = fmax(unit, 1);

    assert_ok(trop_attend_weights(weight, attend, i));
    for (int64_t j = 0; j < s->n; j++) {
        double square = 0, m = s->masses ? mass[j] : 1;
        for (int64_t c = 0; c < s->d; c++) {
            struct trop_dd t = trop_dd_sum(before * x[j * s->d + c], -before * xi[c]);
            t = (struct trop_dd){ behind * t.high, behind * t.low };
            square = fma(t.high, t.high, square);
            if (weight[j] > 0) {
                sum[c] = trop_dd_fma(t, trop_dd_of(m), sum[c]);
            }
        }
        far = fmax(far, sqrt(square));
        if (weight[j] > 0) {
            whole = trop_dd_add(whole, trop_dd_of(m));
        }
    }
    for (int64_t c = 0; c < s->d; c++) {
        struct trop_dd off = trop_dd_less(trop_dd_over(sum[c], whole), trop_dd_of(unit * out[c]));
        error = fma(off.high, off.high, error);
    }
    /* far is good to (d + 2) u, the square root of the error likewise. */
    assert_true(bounds[i] < 1e-14);
    assert_near(sqrt(error), 0, bounds[i] * far * (1 + 1e-14));
}

/* Sets, notes and averages of a case; every stride-th row against double-double. */
static void judge_scaled(const struct scene *s, int64_t stride, double unit)
{
    struct trop_attend *attend = load(s);

    assert_ok(trop_attend_rows(direct, notes, attend, 0));
    assert_ok(walk(through, tree_notes, bounds, attend, s, 1, trop_kernel_choose(0)));
    for (int64_t i = 0; i < s->n; i++) {
        assert_notes_equal(notes + i, tree_notes + i);
    }
    for (int64_t i = 0; i < s->n; i += stride) {
        assert_within(attend, s, i, unit);
    }
    trop_attend_free(attend);
}

static void judge(const struct scene *s, int64_t stride)
{
    judge_scaled(s, stride, 1);
}

static struct scene plain(int64_t n, int64_t d, double epsilon)
{
    return (struct scene){ .n = n, .d = d, .epsilon = epsilon, .b = { .scale = 1 } };
}

static void whole_points(int64_t n, int64_t d, int64_t side, uint64_t seed)
{
    for (int64_t k = 0; k < n * d; k++) {
        x[k] = (double)(whole(seed, (uint64_t)k, 2 * side + 1) - side);
    }
}

static void some_masses(int64_t n, uint64_t seed)
{
    for (int64_t j = 0; j < n; j++) {
        mass[j] = 0.01 + uniform(seed, (uint64_t)j);
    }
}

/* ---- cases ------------------------------------------------------------------------------- */

static void random_clouds_of_every_dimension(void **state)
{
    (void)state;
    double epsilons[] = { 0, 0.01, 0.3, 2, 7, 100 };

    for (int64_t d = 1; d <= MOST_D; d++) {
        normals(values, d * d, 40 + (uint64_t)d);
        for (int k = 0; k < 6; k++) {
            struct scene s = plain(700, d, epsilons[k]);
            normals(x, s.n * d, 10 * (uint64_t)d + (uint64_t)k);
            some_masses(s.n, 3);
            s.masses = k % 2;
            judge(&s, 29);
            s.b = (struct trop_matrix){ .values = values };
            judge(&s, 29);
        }
    }
}

static void tokens_on_the_very_boundary(void **state)
{
    (void)state;
    /* Whole numbers: scores tie and hit the cut exactly, in rows by the hundred. */
    double quarter[] = { 0, -1, 1, 0 }, shear[] = { 1, 2, -3, 1 };

    for (int64_t d = 1; d <= 4; d++) {
        for (int64_t epsilon = 0; epsilon <= 12; epsilon += 3) {
            struct scene s = plain(600, d, (double)epsilon);
            whole_points(s.n, d, d == 1 ? 300 : 6, (uint64_t)(d * 100 + epsilon));
            judge(&s, 37);
            s.b.scale = -2;
            judge(&s, 37);
        }
    }
    for (int k = 0; k < 2; k++) {
        struct scene s = plain(900, 2, 5);
        for (int64_t j = 0; j < s.n; j++) { /* the whole lattice */
            x[2 * j] = (double)(j % 30 - 15);
            x[2 * j + 1] = (double)(j / 30 - 15);
        }
        s.b = (struct trop_matrix){ .values = k ? shear : quarter };
        judge(&s, 41);
    }
}

static void lines_and_duplicates(void **state)
{
    (void)state;
    double turn[] = { 0, -1, 1, 0 };
    struct scene s = plain(500, 2, 1.0 / 3);

    for (int64_t j = 0; j < s.n; j++) {
        x[2 * j] = (double)whole(5, (uint64_t)j, 91) / 7;
        x[2 * j + 1] = 3 * x[2 * j];
    }
    judge(&s, 23);
    s.b = (struct trop_matrix){ .values = turn }; /* queries across the line: all but tie */
    judge(&s, 23);
    /* Nine places, 4,000 tokens; then the same with one of its own. */
    s = plain(4000, 3, 0.5);
    normals(x, 27, 8);
    for (int64_t j = 9; j < s.n; j++) {
        memcpy(x + 3 * j, x + 3 * whole(6, (uint64_t)j, 9), 3 * sizeof *x);
    }
    some_masses(s.n, 9);
    for (s.masses = 0; s.masses < 2; s.masses++) {
        int64_t still = 0;
        judge(&s, 331);
        /* A token whose set is its own place stays, exactly, whatever the masses. */
        for (int64_t i = 0; i < s.n; i++) {
            if (direct[3 * i] == 0 && direct[3 * i + 1] == 0 && direct[3 * i + 2] == 0) {
                assert_true(through[3 * i] == 0 && through[3 * i + 1] == 0);
                assert_true(through[3 * i + 2] == 0);
                still++;
            }
        }
        assert_true(still > 0);
    }
    x[0] += 0x1p-50;
    judge(&s, 331);
    /* One place: nothing moves, exactly. */
    for (int64_t j = 0; j < s.n; j++) {
        memcpy(x + 3 * j, x + 3, 3 * sizeof *x);
    }
    judge(&s, 1000);
    for (int64_t k = 0; k < s.n * 3; k++) {
        assert_true(through[k] == 0);
    }
}

static void collapsed_clouds(void **state)
{
    (void)state;
    double sizes[] = { 1e-6, 1e-12, 1e-15 };

    for (int k = 0; k < 3; k++) {
        struct scene s = plain(800, 2, sizes[k]);
        normals(x, s.n * 2, 77);
        for (int64_t j = 0; j < s.n; j++) {
            x[2 * j] = 1000 + x[2 * j] * sizes[k] * 1000;
            x[2 * j + 1] = -7 + x[2 * j + 1] * sizes[k] * 1000;
        }
        judge(&s, 61);
        s.form = TROP_FORM_RELATIVE;
        s.epsilon = sizes[k] / 2;
        judge(&s, 61);
    }
    /* Two clusters, one at 0 so tight that it is a point to the other's scores. */
    struct scene s = plain(900, 2, 1e-20);
    normals(x, s.n * 2, 78);
    for (int64_t j = 0; j < s.n; j++) {
        double size = j % 3 ? 1e-20 : 1;
        x[2 * j] = size * x[2 * j] - (j % 3 ? 0 : 5);
        x[2 * j + 1] = size * x[2 * j + 1];
    }
    judge(&s, 61);
    /* The same with the tight cluster on six places: a place is decided once, in and out. */
    for (int64_t j = 9; j < s.n; j++) {
        if (j % 3) {
            memcpy(x + 2 * j, x + 2 * (j % 9), 2 * sizeof *x);
        }
    }
    s.epsilon = 1e-40;
    judge(&s, 61);
}

static void sizes_at_the_ends_of_double(void **state)
{
    (void)state;
    double sizes[] = { 0x1p-1000, 0x1p-700, 0x1p-70, 0x1p70, 0x1p700, 0x1p1022 };

    for (int k = 0; k < 6; k++) {
        struct scene s = plain(400, 2, 0.5 * sizes[k] * sizes[k]);
        if (s.epsilon > DBL_MAX) {
            s.epsilon = DBL_MAX;
        }
        for (int64_t j = 0; j < 800; j++) {
            x[j] = sizes[k] * (2 * uniform(13, (uint64_t)j) - 1) * (k == 5 ? 3.9 : 1);
        }
        judge_scaled(&s, 31, 1 / sizes[k]);
        s.form = TROP_FORM_RELATIVE;
        s.epsilon = 0.4;
        judge_scaled(&s, 31, 1 / sizes[k]);
    }
    /* A coordinate so much smaller that scaling loses it. */
    struct scene s = plain(300, 2, 1e-3);
    for (int64_t j = 0; j < 300; j++) {
        x[2 * j] = 1e200;
        x[2 * j + 1] = 0x1p-700 * normal(14, (uint64_t)j);
    }
    judge_scaled(&s, 31, 0x1p700);
}

static void extreme_epsilons_and_zero_queries(void **state)
{
    (void)state;
    double epsilons[] = { 0, DBL_TRUE_MIN, 1e308 }, singular[] = { 1, 1, 1, 1 };

    for (int k = 0; k < 3; k++) {
        struct scene s = plain(500, 2, epsilons[k]);
        normals(x, s.n * 2, 21);
        x[0] = x[1] = x[40] = x[41] = 0;
        judge(&s, 43);
        s.b = (struct trop_matrix){ .scale = 0 };
        judge(&s, 43);
        s.b = (struct trop_matrix){ .values = singular };
        judge(&s, 43);
        s.n = 1;
        judge(&s, 1);
    }
}

static void relative_and_cosine_forms(void **state)
{
    (void)state;
    double epsilons[] = { 0, 0.05, 0.5, 1, 1.9, 30 };

    for (int64_t d = 1; d <= 3; d++) {
        for (int k = 0; k < 6; k++) {
            struct scene s = plain(500, d, epsilons[k]);
            normals(x, s.n * d, 90 + (uint64_t)k);
            s.form = TROP_FORM_RELATIVE;
            judge(&s, 53);
            s.form = TROP_FORM_COSINE;
            judge(&s, 53);
            whole_points(s.n, d, 4, 5);
            s.form = TROP_FORM_RELATIVE;
            judge(&s, 53);
        }
    }
    /* A largest score below 0 has no relative set: the direct sentence. */
    struct scene s = plain(50, 1, 0.5);
    char sentence[200];
    for (int64_t j = 0; j < s.n; j++) {
        x[j] = 1 + uniform(2, (uint64_t)j);
    }
    s.form = TROP_FORM_RELATIVE;
    s.b.scale = -1;
    struct trop_attend *attend = load(&s);
    assert_int_equal(trop_attend_rows(direct, notes, attend, 0), TROP_ERR_NUMERIC);
    snprintf(sentence, sizeof sentence, "%s", trop_error());
    assert_int_equal(walk(through, NULL, NULL, attend, &s, 2, trop_kernel_choose(0)),
                     TROP_ERR_NUMERIC);
    assert_string_equal(trop_error(), sentence);
    trop_attend_free(attend);
}

static void large_clouds_have_the_direct_sets(void **state)
{
    (void)state;
    double epsilons[] = { 0.1, 4 };

    for (int64_t d = 2; d <= 3; d++) {
        for (int k = 0; k < 2; k++) {
            struct scene s = plain(cases(2500, MOST), d, epsilons[k]);
            normals(x, s.n * d, 60 + (uint64_t)d);
            judge(&s, 499);
        }
    }
    /* A cut through every leaf, at the far end of the cloud: sums of whole numbers near 2^57
     * by the hundred in every lane. */
    double first[] = { 1, 0, 0, 0 };
    struct scene s = plain(MOST, 2, 5e-4);
    s.b = (struct trop_matrix){ .values = first };
    for (int64_t j = 0; j < s.n; j++) {
        x[2 * j] = j ? 1 - 1e-3 * uniform(1, (uint64_t)j) : 0;
        x[2 * j + 1] = uniform(2, (uint64_t)j);
    }
    judge(&s, 499);
    /* Sizes from 1 down to 2^-900: every cut of the binary tree splits off one token, and wide
     * nodes and whole blocks run out. */
    s = plain(900, 1, 0x1p-500);
    s.b.scale = -1; /* row i's cut is at 2^(i - 500) */
    for (int64_t j = 0; j < s.n; j++) {
        x[j] = ldexp(1 + uniform(1, (uint64_t)j), (int)-j);
    }
    judge(&s, 99);
}

static void threads_and_instruction_sets_change_no_bit(void **state)
{
    (void)state;
    int64_t threads[] = { 1, 2, 3, 7 };

    for (int64_t d = 2; d <= 5; d += 3) {
        for (int masses = 0; masses < 2; masses++) {
            struct scene s = plain(1500, d, 1.5);
            normals(x, s.n * d, 4);
            some_masses(s.n, 4);
            s.masses = masses;
            struct trop_attend *attend = load(&s);
            size_t bytes = (size_t)(s.n * d) * sizeof *x;
            assert_ok(walk(through, tree_notes, bounds, attend, &s, 1, trop_kernel_list[0]));
            for (int k = 0; trop_kernel_list[k]; k++) {
                for (int t = 0; t < 4 && trop_kernel_list[k]->available(); t++) {
                    assert_ok(walk(again, notes_again, bounds_again, attend, &s, threads[t],
                                   trop_kernel_list[k]));
                    assert_memory_equal(through, again, bytes);
                    assert_memory_equal(bounds, bounds_again, (size_t)s.n * sizeof *bounds);
                    assert_memory_equal(tree_notes, notes_again, (size_t)s.n * sizeof *notes);
                }
            }
            trop_attend_free(attend);
        }
    }
}

static void a_handle_serves_smaller_clouds_again_and_again(void **state)
{
    (void)state;
    void *tree;

    assert_ok(trop_tree_localmax_engine.create(&tree, 1000, 2, 2, trop_kernel_choose(0)));
    for (int64_t n = 1000; n > 0; n = n * 2 / 3) {
        struct scene s = plain(n, 2, 0.7);
        normals(x, 2 * n, (uint64_t)n);
        some_masses(n, 2);
        s.masses = n % 2 != 0;
        struct trop_attend *attend = load(&s);
        assert_ok(trop_attend_rows(direct, notes, attend, 0));
        assert_ok(trop_tree_localmax_engine.rows(through, tree_notes, bounds, tree, attend, 1e-10));
        for (int64_t i = 0; i < n; i++) {
            assert_notes_equal(notes + i, tree_notes + i);
        }
        for (int64_t i = 0; i < n; i += 97) {
            assert_within(attend, &s, i, 1);
        }
        trop_attend_free(attend);
    }
    trop_tree_localmax_engine.free(tree);
}

static void what_cannot_be_promised_is_refused(void **state)
{
    (void)state;
    void *tree = NULL;
    struct scene s = plain(200, 2, 0.1);

    assert_int_equal(trop_tree_localmax_engine.create(&tree, 10, 7, 1, trop_kernel_choose(0)),
                     TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "d = 7"));
    assert_int_equal(trop_tree_localmax_engine.create(&tree, 0, 2, 1, trop_kernel_choose(0)),
                     TROP_ERR_ARG);
    assert_null(tree);
    normals(x, 400, 1);
    some_masses(s.n, 1);
    struct trop_attend *attend = load(&s);
    assert_ok(trop_tree_localmax_engine.create(&tree, 200, 2, 1, trop_kernel_choose(0)));
    assert_int_equal(trop_tree_localmax_engine.rows(through, NULL, NULL, tree, attend, 1e-17),
                     TROP_ERR_NUMERIC);
    assert_non_null(strstr(trop_error(), "accuracy = 1e-17"));
    trop_attend_free(attend);
    /* A light set among heavy tokens: masses are kept to 2^-56 of the largest. */
    for (int64_t j = 0; j < s.n; j++) {
        mass[j] *= x[2 * j] > 0 ? 1e30 : 1;
    }
    s.masses = 1;
    attend = load(&s);
    assert_int_equal(trop_tree_localmax_engine.rows(through, NULL, NULL, tree, attend, 1e-10),
                     TROP_ERR_NUMERIC);
    trop_attend_free(attend);
    trop_tree_localmax_engine.free(tree);
}

static void costs_fall_as_tokens_cluster(void **state)
{
    (void)state;
    void *tree;
    double last = INFINITY;

    assert_ok(trop_tree_localmax_engine.create(&tree, MOST, 2, 1, trop_kernel_choose(0)));
    /* Half the tokens are members; then the same on 512 and 64 places. */
    for (int64_t places = MOST; places >= 32; places /= 8) {
        struct scene s = plain(MOST, 2, 2);
        normals(x, 2 * places, 3);
        for (int64_t k = 2 * places; k < 2 * s.n; k++) {
            x[k] = x[k % (2 * places)];
        }
        struct trop_attend *attend = load(&s);
        double cost, second;
        assert_ok(trop_tree_localmax_engine.cost(&cost, tree, attend, 1e-10));
        assert_ok(trop_tree_localmax_engine.cost(&second, tree, attend, 1e-10));
        assert_true(cost > 0 && cost < last);
        assert_true(cost == second);
        last = cost;
        trop_attend_free(attend);
    }
    trop_tree_localmax_engine.free(tree);
}

static enum trop_status attempt(void)
{
    void *tree = NULL;
    enum trop_status status =
        trop_tree_localmax_engine.create(&tree, 100, 3, 2, trop_kernel_choose(0));
    trop_tree_localmax_engine.free(tree);
    return status;
}

static void memory_that_ends_is_an_error(void **state)
{
    (void)state;
    alloc_refuse_each(attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_clouds_of_every_dimension),
        cmocka_unit_test(tokens_on_the_very_boundary),
        cmocka_unit_test(lines_and_duplicates),
        cmocka_unit_test(collapsed_clouds),
        cmocka_unit_test(sizes_at_the_ends_of_double),
        cmocka_unit_test(extreme_epsilons_and_zero_queries),
        cmocka_unit_test(relative_and_cosine_forms),
        cmocka_unit_test(large_clouds_have_the_direct_sets),
        cmocka_unit_test(threads_and_instruction_sets_change_no_bit),
        cmocka_unit_test(a_handle_serves_smaller_clouds_again_and_again),
        cmocka_unit_test(what_cannot_be_promised_is_refused),
        cmocka_unit_test(costs_fall_as_tokens_cluster),
        cmocka_unit_test(memory_that_ends_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
