/* test_measure.c -- sparsity and ranking: closed forms, numbers by hand, a second computation. */
#include "support.h"

#include "learn/measure.h"

/* ---- sparsity ------------------------------------------------------------------------------- */

static void hoyer_is_0_for_equal_sizes_and_1_for_one_entry(void **state)
{
    double x[64];
    (void)state;

    for (int64_t n = 2; n <= 64; n++) {
        for (int64_t k = 0; k < n; k++) {
            x[k] = k % 2 ? -0.1 : 0.1;
        }
        assert_near(trop_measure_hoyer(x, n), 0, 1e-14); /* rounding of n sums */
        memset(x, 0, sizeof x);
        x[n / 2] = -3e-200;
        assert_near(trop_measure_hoyer(x, n), 1, 1e-15);
    }
}

/* m equal entries among n: |x|_1 / |x|_2 = sqrt m. */
static void hoyer_of_m_equal_entries_is_known(void **state)
{
    double x[100] = { 0 };
    (void)state;

    for (int64_t m = 1; m <= 100; m++) {
        x[(m * 37) % 100] = 7; /* 37 and 100 are coprime: a new place each time */
        assert_near(trop_measure_hoyer(x, 100), (10 - sqrt((double)m)) / 9, 1e-14);
    }
}

/* Sum of sizes 44, of squares 232: (sqrt 12 - 44 / sqrt 232) / (sqrt 12 - 1). Sorted: 9, 6, 5, 5,
 * 5, 4, 3, 3, 2, 1, 1, 0, with sums 9, 15, 20, 25, 30, 34, 37, 40, 42, 43, 44, 44: 90%, 39.6, need
 * 8 entries, half need 4, 15/44 two, all 11. */
static const double by_hand[12] = { 3, -1, 0, 4, -1, 5, -9, 2, 6, -5, 3, 5 };

static void sparsity_is_what_was_computed_by_hand(void **state)
{
    (void)state;
    assert_near(trop_measure_hoyer(by_hand, 12), (sqrt(12) - 44 / sqrt(232)) / (sqrt(12) - 1),
                1e-15);
    assert_true(trop_measure_share(by_hand, 12, 0.9) == 8. / 12);
    assert_true(trop_measure_share(by_hand, 12, 0.5) == 4. / 12);
    assert_true(trop_measure_share(by_hand, 12, 15. / 44) == 2. / 12);
    assert_true(trop_measure_share(by_hand, 12, 1) == 11. / 12);
    assert_true(trop_measure_share(by_hand, 12, 1e-9) == 1. / 12);
}

/* Of n equal entries ceil(part n) are needed, and part n = 9 is 9, not 9 + rounding. */
static void share_of_equal_entries_is_part(void **state)
{
    double x[1000];
    (void)state;

    for (int64_t n = 10; n <= 1000; n += 10) {
        for (int64_t k = 0; k < n; k++) {
            x[k] = k % 3 ? 0.1 : -0.1;
        }
        assert_true(trop_measure_share(x, n, 0.9) == (double)(9 * n / 10) / (double)n);
        x[0] = 0.3;
        /* 0.3 + 0.1 (k - 1) >= 0.09 (n + 2), so k >= 0.9 n - 0.2 */
        const int64_t need = (9 * n - 2 + 9) / 10;
        assert_true(trop_measure_share(x, n, 0.9) == (double)need / (double)n);
    }
}

static int descending(const void *a, const void *b)
{
    const double x = fabs(*(const double *)a), y = fabs(*(const double *)b);
    return (x < y) - (x > y);
}

/* The definition, by sorting; 0 where a partial sum is too near the part to tell. */
static double sorted_share(const double *x, int64_t n, double part)
{
    double *copy = malloc((size_t)n * sizeof *copy), total = 0, sum = 0;
    int64_t k = 0;

    memcpy(copy, x, (size_t)n * sizeof *copy);
    qsort(copy, (size_t)n, sizeof *copy, descending);
    for (int64_t i = n; i-- > 0;) {
        total += fabs(copy[i]);
    }
    while (k < n && sum < part * total && fabs(sum - part * total) > 1e-10 * total) {
        sum += fabs(copy[k++]);
    }
    free(copy);
    return fabs(sum - part * total) > 1e-10 * total ? (double)k / (double)n : 0;
}

static void share_agrees_with_sorting_and_forgets_scale_and_order(void **state)
{
    double x[500], y[500];
    int64_t told = 0;
    (void)state;

    for (uint64_t seed = 1; seed <= 300; seed++) {
        const int64_t n = 1 + whole(seed, 0, 500);
        for (int64_t k = 0; k < n; k++) {
            const double z = normal(seed, (uint64_t)k);
            x[k] = seed % 3 == 0 ? z * z * z : seed % 3 == 1 ? z : floor(3 * z);
        }
        x[0] = 1;
        for (int64_t k = 0; k < n; k++) {
            y[k] = -ldexp(x[n - 1 - k], -300);
        }
        const double part = uniform(seed, 1000);
        const double share = trop_measure_share(x, n, part), other = sorted_share(x, n, part);
        assert_true(share == trop_measure_share(y, n, part));
        assert_true(other == 0 || share == other);
        told += other > 0;
        if (n > 1) {
            assert_near(trop_measure_hoyer(x, n), trop_measure_hoyer(y, n), 1e-13);
        }
    }
    assert_true(told > 250);
}

static void sparsity_of_nothing_is_nan(void **state)
{
    const double zero[3] = { 0 }, bad[3] = { 1, NAN, 2 }, endless[3] = { 1, INFINITY, 2 };
    const double huge[3] = { 1e308, -1e308, 0 };
    (void)state;

    assert_true(isnan(trop_measure_hoyer(zero, 3)) && isnan(trop_measure_share(zero, 3, 0.9)));
    assert_true(isnan(trop_measure_hoyer(bad, 3)) && isnan(trop_measure_share(bad, 3, 0.9)));
    assert_true(isnan(trop_measure_hoyer(endless, 3)) &&
                isnan(trop_measure_share(endless, 3, 0.9)));
    assert_true(isnan(trop_measure_hoyer(by_hand, 1)) && isnan(trop_measure_hoyer(by_hand, 0)));
    assert_true(isnan(trop_measure_share(by_hand, 0, 0.9)));
    assert_true(isnan(trop_measure_share(by_hand, 3, 0)) &&
                isnan(trop_measure_share(by_hand, 3, 2)));
    assert_near(trop_measure_hoyer(huge, 3), (sqrt(3) - sqrt(2)) / (sqrt(3) - 1), 1e-15);
    assert_true(isnan(trop_measure_share(huge, 3, 0.9)));
    assert_true(trop_measure_share(by_hand, 1, 0.9) == 1);
}

/* ---- ranking -------------------------------------------------------------------------------- */

/* Weights 4 1 2 2 3, marked 4 and the first 2: of the 6 pairs 4 wins 3, 2 wins one and ties one:
 * 4.5 / 6. */
static void auc_is_what_was_computed_by_hand(void **state)
{
    const double weight[5] = { 4, 1, 2, 2, 3 }, equal[5] = { 0 };
    const int64_t marked[5] = { 1, 0, 1, 0, 0 }, none[5] = { 0 }, all[5] = { 1, 1, 1, 1, 1 };
    const int64_t top[5] = { 1, 0, 0, 0, 1 }, bottom[5] = { 0, 1, 0, 0, 0 };
    (void)state;

    assert_true(trop_measure_auc(weight, marked, 5) == 0.75);
    assert_true(trop_measure_auc(weight, top, 5) == 1);
    assert_true(trop_measure_auc(weight, bottom, 5) == 0);
    assert_true(trop_measure_auc(equal, marked, 5) == 0.5);
    assert_true(isnan(trop_measure_auc(weight, none, 5)) &&
                isnan(trop_measure_auc(weight, all, 5)));
    assert_true(isnan(trop_measure_auc(weight, all, 0)));
}

/* Mann and Whitney: with mid-ranks r, (sum of r over the m marked - m (m + 1) / 2) / (m (n - m)).
 */
static double auc_by_ranks(const double *weight, const int64_t *marked, int64_t n)
{
    double sum = 0;
    int64_t m = 0;

    for (int64_t i = 0; i < n; i++) {
        int64_t below = 0, equal = 0;
        for (int64_t j = 0; j < n; j++) {
            below += weight[j] < weight[i];
            equal += weight[j] == weight[i];
        }
        sum += marked[i] ? (double)below + 0.5 * (double)(equal + 1) : 0;
        m += marked[i] != 0;
    }
    return (sum - 0.5 * (double)(m * (m + 1))) / (double)(m * (n - m));
}

static void auc_agrees_with_ranks_and_forgets_temperature(void **state)
{
    double weight[60], other[60];
    int64_t marked[60], opposite[60];
    (void)state;

    for (uint64_t seed = 1; seed <= 300; seed++) {
        const int64_t n = 2 + whole(seed, 0, 59), levels = 1 + whole(seed, 1, 80);
        for (int64_t k = 0; k < n; k++) {
            weight[k] = (double)whole(seed, (uint64_t)(10 + k), levels) / 7;
            other[k] = weight[k] * weight[k] * weight[k] - 5;
            marked[k] = whole(seed, (uint64_t)(100 + k), 3) == 0;
        }
        marked[0] = 1;
        marked[1] = 0;
        for (int64_t k = 0; k < n; k++) {
            opposite[k] = !marked[k];
        }
        const double auc = trop_measure_auc(weight, marked, n);
        assert_near(auc, auc_by_ranks(weight, marked, n), 1e-14);
        assert_true(auc == trop_measure_auc(other, marked, n));
        assert_near(auc + trop_measure_auc(weight, opposite, n), 1, 1e-15);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hoyer_is_0_for_equal_sizes_and_1_for_one_entry),
        cmocka_unit_test(hoyer_of_m_equal_entries_is_known),
        cmocka_unit_test(sparsity_is_what_was_computed_by_hand),
        cmocka_unit_test(share_of_equal_entries_is_part),
        cmocka_unit_test(share_agrees_with_sorting_and_forgets_scale_and_order),
        cmocka_unit_test(sparsity_of_nothing_is_nan),
        cmocka_unit_test(auc_is_what_was_computed_by_hand),
        cmocka_unit_test(auc_agrees_with_ranks_and_forgets_temperature),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
