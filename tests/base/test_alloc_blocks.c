/* test_alloc_blocks.c -- what trop_alloc gives: zeros, aligned, or nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/alloc.h"

#include <string.h>

/* From a few bytes to blocks that come from the system, each size again after it was used. */
static void blocks_are_zero_and_aligned(void **state)
{
    (void)state;
    for (int64_t count = 0; count < 40000000; count = count * 7 / 3 + 1) {
        for (int again = 0; again < 3; again++) {
            unsigned char *block = trop_alloc(count, 1);
            assert_non_null(block);
            assert_int_equal((uintptr_t)block % 64, 0);
            for (int64_t k = 0; k < count; k++) {
                if (block[k] != 0) {
                    fail_msg("byte %lld of %lld is %d", (long long)k, (long long)count, block[k]);
                }
            }
            memset(block, 0xff, (size_t)count);
            trop_alloc_free(block);
        }
    }
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    assert_null(trop_alloc(-1, 8));
    assert_null(trop_alloc(8, 0));
    assert_null(trop_alloc(INT64_MAX, 8));
    assert_null(trop_alloc(INT64_MAX, 1));
    assert_null(trop_alloc(INT64_MAX / 8, 8));
    trop_alloc_free(NULL);
}

static void arrays_made_together_are_all_there_or_not(void **state)
{
    double *x = NULL, *y = NULL;
    int32_t *z = NULL;

    (void)state;
    assert_int_equal(TROP_ALLOC(TROP_PART(x, 3), TROP_PART(z, 0), TROP_PART(y, 5)), 1);
    assert_true(x && y && z);
    x[2] = y[4] = 1; /* elements have the size of their type */
    TROP_FREE(x, z, NULL, y);
    assert_int_equal(TROP_ALLOC(TROP_PART(x, 3), TROP_PART(z, -1), TROP_PART(y, 5)), 0);
    assert_true(x && !z && !y);
    TROP_FREE(x, z, y);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_zero_and_aligned),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(arrays_made_together_are_all_there_or_not),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
