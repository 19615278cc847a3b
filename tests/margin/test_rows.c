/* test_rows.c -- constraints as a linear map, and their Gram matrices, against
 * their entries. */
#include "margin_support.h"

#include "alloc_failing.c"
#include "margin/rows.h"
#include "margin/rows_gram.h"

#define UNIT 0x1p-53

/* Cross data with some constraints against the origin and queries out of order.
 */
static void sample_mixed(struct sample *s, int64_t n, int64_t T, int64_t d, int64_t columns,
                         uint64_t seed)
{
    sample_make(s, n, T, d, columns);
    normals(s->point, n * T * d, seed);
    normals(s->query, n * columns, seed + 1);
    for (int64_t j = 0; j < s->problem.count; j++) {
        s->asked[j] = whole(seed, (uint64_t)j, n);
        s->plus[j] = whole(seed, 100 + (uint64_t)j, n * T);
        s->minus[j] = j % 5 == 0 ? -1 : whole(seed, 200 + (uint64_t)j, n * T);
    }
    if (s->problem.count > 1) { /* a row of zeros, and one that is minus a point */
        s->minus[1] = s->plus[1];
        s->plus[0] = -1;
        s->minus[0] = 0;
    }
}

/* The entries of all rows, (count, rows columns). */
static double *entries_of(const struct trop_problem *problem)
{
    int64_t size = problem->rows * problem->columns;
    double *out = malloc((size_t)(problem->count * size + 1) * sizeof *out);

    for (int64_t j = 0; j < problem->count; j++) {
        sample_row(out + j * size, problem, j);
    }
    return out;
}

static const int64_t sizes[][4] = {
    { 1, 2, 1, 1 }, { 3, 4, 5, 2 }, { 4, 6, 9, 17 }, { 5, 2, 8, 8 }
};
#define SIZES ((int64_t)(sizeof sizes / sizeof sizes[0]))

static void sizes_and_lists_are_right(void **state)
{
    (void)state;
    for (int64_t k = 0; k < SIZES; k++) {
        struct sample s;
        struct trop_rows *rows;
        sample_mixed(&s, sizes[k][0], sizes[k][1], sizes[k][2], sizes[k][3], 10 + (uint64_t)k);
        assert_ok(trop_rows_create(&rows, &s.problem, 1));
        double *entries = entries_of(&s.problem);
        int64_t size = s.problem.rows * s.problem.columns, seen = 0;
        for (int64_t j = 0; j < s.problem.count; j++) {
            long double square = 0;
            for (int64_t i = 0; i < size; i++) {
                square += (long double)entries[j * size + i] * entries[j * size + i];
            }
            /* Two lengths of sums and one product; entries rounded to u each. */
            double tolerance = (double)(size + 10) * UNIT * (double)sqrtl(square);
            assert_near(rows->size[j], (double)sqrtl(square), tolerance);
        }
        for (int64_t q = 0; q < s.problem.queries; q++) {
            for (int64_t i = rows->first[q]; i < rows->first[q + 1]; i++, seen++) {
                assert_int_equal(s.asked[rows->list[i]], q);
                assert_true(i == rows->first[q] || rows->list[i] > rows->list[i - 1]);
            }
        }
        assert_int_equal(seen, s.problem.count);
        free(entries);
        trop_rows_free(rows);
        sample_free(&s);
    }
}

static void values_and_combinations_are_those_of_the_entries(void **state)
{
    (void)state;
    for (int64_t k = 0; k < SIZES; k++) {
        struct sample s;
        struct trop_rows *rows;
        sample_mixed(&s, sizes[k][0], sizes[k][1], sizes[k][2], sizes[k][3], 20 + (uint64_t)k);
        int64_t m = s.problem.count, size = s.problem.rows * s.problem.columns;
        double *entries = entries_of(&s.problem), w[200], lambda[100], values[100], sum[200];
        normals(w, size, 5);
        normals(lambda, m, 6);
        assert_ok(trop_rows_create(&rows, &s.problem, 1));
        trop_rows_values(values, rows, w);
        trop_rows_combine(sum, rows, lambda);
        for (int64_t j = 0; j < m; j++) {
            long double truth = 0, moduli = 0;
            for (int64_t i = 0; i < size; i++) {
                truth += (long double)entries[j * size + i] * w[i];
                moduli += fabsl((long double)entries[j * size + i] * w[i]);
            }
            assert_near(values[j], (double)truth, (double)(30 * UNIT * moduli));
        }
        for (int64_t i = 0; i < size; i++) {
            long double truth = 0, moduli = 0;
            for (int64_t j = 0; j < m; j++) {
                truth += (long double)entries[j * size + i] * lambda[j];
                moduli += fabsl((long double)entries[j * size + i] * lambda[j]);
            }
            assert_near(sum[i], (double)truth, (double)(30 * UNIT * moduli));
        }
        free(entries);
        trop_rows_free(rows);
        sample_free(&s);
    }
}

/* Weighted and not, all constraints and a list with repeats in any order. */
static void gram_matrices_are_those_of_the_entries(void **state)
{
    (void)state;
    for (int64_t k = 0; k < 4 * SIZES; k++) {
        struct sample s;
        struct trop_rows *rows;
        const int64_t *at = sizes[k / 4];
        sample_mixed(&s, at[0], at[1], at[2], at[3], 30 + (uint64_t)k);
        int64_t size = s.problem.rows * s.problem.columns, list[60];
        int64_t count = k % 2 == 0 ? s.problem.count : s.problem.count + 7;
        double *entries = entries_of(&s.problem), weight[200], gram[60 * 60];
        for (int64_t i = 0; i < size; i++) {
            weight[i] = k % 4 < 2 ? 1 : exp(normal(7, (uint64_t)i));
        }
        for (int64_t i = 0; i < count; i++) {
            list[i] = k % 2 == 0 ? i : whole(8, (uint64_t)i, s.problem.count);
        }
        assert_ok(trop_rows_create(&rows, &s.problem, 1));
        trop_rows_gram(gram, rows, k % 4 < 2 ? NULL : weight, k % 2 == 0 ? NULL : list, count);
        for (int64_t i = 0; i < count; i++) {
            for (int64_t j = 0; j < count; j++) {
                const double *x = entries + list[i] * size, *y = entries + list[j] * size;
                long double truth = 0, moduli = 0;
                for (int64_t c = 0; c < size; c++) {
                    truth += (long double)x[c] * y[c] * weight[c];
                    moduli += fabsl((long double)x[c] * y[c] * weight[c]);
                }
                /* rows / 8 + 6, columns / 8 + 6, and the entries' own roundings. */
                assert_near(gram[i * count + j], (double)truth, (double)(30 * UNIT * moduli));
                assert_true(gram[i * count + j] == gram[j * count + i]);
            }
        }
        free(entries);
        trop_rows_free(rows);
        sample_free(&s);
    }
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    struct sample s;
    sample_mixed(&s, 6, 9, 13, 11, 40);
    int64_t m = s.problem.count, size = 13 * 11;
    double w[200], lambda[100], weight[200], first[48 * 48 + 300], next[48 * 48 + 300];
    normals(w, size, 5);
    normals(lambda, m, 6);
    normals(weight, size, 7);
    for (int64_t threads = 1; threads <= 5; threads++) {
        struct trop_rows *rows;
        double *out = threads == 1 ? first : next;
        assert_ok(trop_rows_create(&rows, &s.problem, threads));
        trop_rows_values(out, rows, w);
        trop_rows_combine(out + m, rows, lambda);
        trop_rows_gram(out + m + size, rows, weight, NULL, m);
        assert_memory_equal(first, out, (size_t)(m + size + m * m) * sizeof *out);
        trop_rows_free(rows);
    }
    sample_free(&s);
}

static enum trop_status attempt(void)
{
    struct sample s;
    struct trop_rows *rows = NULL;
    sample_mixed(&s, 3, 4, 5, 6, 50);
    enum trop_status status = trop_rows_create(&rows, &s.problem, 1);
    trop_rows_free(rows);
    sample_free(&s);
    return status;
}

static void memory_may_be_refused_anywhere(void **state)
{
    (void)state;
    alloc_refuse_each(attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_and_lists_are_right),
        cmocka_unit_test(values_and_combinations_are_those_of_the_entries),
        cmocka_unit_test(gram_matrices_are_those_of_the_entries),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(memory_may_be_refused_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
