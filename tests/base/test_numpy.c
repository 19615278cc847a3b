/* test_numpy.c -- numpy's default generator, bit for bit.
 *
 * The numbers are those that numpy prints of default_rng(seed).random(), which read back to the
 * same bits. */
#include "base/numpy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void see(uint32_t seed, const double *numbers, int64_t count)
{
    struct trop_numpy g;

    trop_numpy_seed(&g, seed);
    for (int64_t k = 0; k < count; k++) {
        assert_true(trop_numpy_uniform(&g) == numbers[k]);
    }
}

static void test_uniform_numbers_are_those_of_numpy(void **state)
{
    static const double zero[] = { 0.6369616873214543, 0.2697867137638703, 0.04097352393619469,
                                   0.016527635528529094, 0.8132702392002724 };
    static const double docs[] = { 0.22733602246716966, 0.31675833970975287, 0.7973654573327341 };
    static const double forty_two[] = { 0.7739560485559633,  0.4388784397520523,
                                        0.8585979199113825,  0.6973680290593639,
                                        0.09417734788764953, 0.9756223516367559,
                                        0.761139701990353,   0.7860643052769538,
                                        0.12811363267554587, 0.45038593789556713 };

    (void)state;
    see(0, zero, 5);
    see(12345, docs, 3);
    see(42, forty_two, 10);
}

static void test_a_copy_goes_its_own_way(void **state)
{
    struct trop_numpy g, copy;

    (void)state;
    trop_numpy_seed(&g, UINT32_MAX);
    copy = g;
    const double first = trop_numpy_uniform(&g), second = trop_numpy_uniform(&g);
    assert_true(trop_numpy_uniform(&copy) == first && trop_numpy_uniform(&copy) == second);
    assert_true(first != second && first >= 0 && first < 1 && second >= 0 && second < 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_uniform_numbers_are_those_of_numpy),
        cmocka_unit_test(test_a_copy_goes_its_own_way),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
