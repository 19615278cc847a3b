/* test_pages.c -- asking for large pages changes no number, whatever the array. */
#include "support.h"

#include "base/alloc.h"
#include "base/pages.h"

#include <stdint.h>

#define MANY ((int64_t)3 << 20) /* 24 MB: a dozen large pages */

/* Arrays that begin and end anywhere, none at all, and one that is too small to ask for: all keep
 * their numbers and can be written. */
static void arrays_keep_their_numbers(void **state)
{
    double *array = trop_alloc(MANY, sizeof *array);

    (void)state;
    assert_non_null(array);
    for (int64_t k = 0; k < MANY; k++) {
        array[k] = (double)k;
    }
    trop_pages_large(NULL, 0);
    trop_pages_large(array, 1);
    trop_pages_large(array + 5, MANY - 9);
    trop_pages_large(array, MANY);
    for (int64_t k = 0; k < MANY; k++) {
        assert_true(array[k] == (double)k);
        array[k] = -1;
    }
    trop_alloc_free(array);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_keep_their_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
