/* test_norm.c -- the table of the norms, and the norm of a vector. */
#include "margin/norm.h"
#include "support.h"

#include <math.h>
#include <string.h>

static void the_table_is_in_the_order_of_the_enumerators(void **state)
{
    static const char *const names[] = { "l2", "lp", "l1", "linf", "nuclear", "spectral" };

    (void)state;
    assert_int_equal(TROP_NORM_COUNT, sizeof names / sizeof *names);
    assert_null(trop_norm_names[TROP_NORM_COUNT]);
    for (int64_t k = 0; k < TROP_NORM_COUNT; k++) {
        const struct trop_norm *norm = trop_norm_of(k);
        assert_string_equal(norm->name, names[k]);
        assert_string_equal(trop_norm_names[k], names[k]);
        assert_int_equal(trop_norm_id(norm), k);
        assert_true(strlen(norm->meaning) > 10 && norm->test && norm->solve);
        assert_true((norm->tolerance > 0) != (norm->tolerance_of != NULL));
    }
}

/* Of one row, singular values are its length: the dual of (3, 4) is by the exponent alone. */
static void the_self_test_asks_for_one_over_the_dual_norm(void **state)
{
    const double x[] = { 3, 4 };

    (void)state;
    for (int64_t k = 0; k < TROP_NORM_COUNT; k++) {
        const struct trop_norm *norm = trop_norm_of(k);
        const double e = norm->singular ? 2 : trop_norm_exponent(norm, 3);
        const double q = e == 1 ? INFINITY : isinf(e) ? 1 : e / (e - 1);
        assert_near(norm->test_norm * trop_norm_length(x, NULL, 2, q), 1, 1e-14);
    }
}

static void lengths_neither_overflow_nor_lose_what_is_added(void **state)
{
    const double x[] = { -3, 1, 0, 4 }, more[] = { 0, -1, 5, -4 }; /* sum: -3, 0, 5, 0 */
    const double large[] = { 3e300, -4e300, 5e300 };

    (void)state;
    assert_true(trop_norm_length(x, more, 4, 1) == 8);
    assert_true(trop_norm_length(x, more, 4, INFINITY) == 5);
    assert_true(trop_norm_length(x, NULL, 4, INFINITY) == 4);
    assert_near(trop_norm_length(x, more, 4, 2), sqrt(34), 1e-14);
    assert_near(trop_norm_length(x, NULL, 4, 2), sqrt(26), 1e-14);
    assert_near(trop_norm_length(x, more, 4, 3), cbrt(27 + 125), 1e-14);
    assert_near(trop_norm_length(large, NULL, 3, 3) / 6e300, 1, 1e-14); /* 27 + 64 + 125 = 216 */
    assert_true(trop_norm_length(x, NULL, 0, 3) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_is_in_the_order_of_the_enumerators),
        cmocka_unit_test(the_self_test_asks_for_one_over_the_dual_norm),
        cmocka_unit_test(lengths_neither_overflow_nor_lose_what_is_added),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
