/* test_copies_cli.c -- flow --copies from outside: each copy is what flow prints for its seed;
 * files, limits, refusals.
 *
 * TROP_BUILD is the folder of the program. */
#include "cli_support.h"

#define RUN "flow --n 5 --d 2 --rule localmax --epsilon 0.4 --steps 20 --json "

static void each_copy_is_what_flow_prints_for_its_seed(void **state)
{
    (void)state;
    json_t *all = object_of(RUN "--seed 40 --copies 3", 0);

    for (size_t k = 0; k < 3; k++) {
        char line[200];
        snprintf(line, sizeof line, RUN "--seed %d", 40 + (int)k);
        json_t *one = object_of(line, 0);
        assert_true(json_equal(json_array_get(json_object_get(all, "tokens"), k),
                               json_object_get(one, "tokens")));
        assert_true(json_equal(json_array_get(json_object_get(all, "clusters"), k),
                               json_object_get(one, "clusters")));
        assert_true(json_equal(json_array_get(json_object_get(all, "residual"), k),
                               json_object_get(one, "residual")));
        json_decref(one);
    }
    assert_int_equal(json_integer_value(json_object_get(all, "copies")), 3);
    assert_int_equal(json_integer_value(json_object_get(all, "seed")), 40);
    json_decref(all);
}

static void betas_and_files(void **state)
{
    (void)state;
    json_t *all = object_of("flow --n 4 --copies 3 --betas 1,2 --steps 5 --json --out a.json", 0);

    assert_int_equal(json_integer_value(json_object_get(all, "copies")), 6);
    assert_int_equal(json_array_size(json_object_get(all, "means")), 2);
    assert_true(json_real_value(json_array_get(json_object_get(all, "beta"), 4)) == 2 ||
                json_integer_value(json_array_get(json_object_get(all, "beta"), 4)) == 2);
    json_decref(all);
    assert_int_equal(access(scratch("a.json"), R_OK), 0);
    assert_int_equal(tropism("flow --n 4 --copies 9 --steps 5 --out a.h5"), 0);
    assert_non_null(strstr(answer.out, "written to   a.h5"));
    assert_int_equal(access(scratch("a.h5"), R_OK), 0);
    /* 9 copies of 4 tokens in the plane: 72 doubles behind a header of 128 bytes. */
    struct stat file;
    assert_int_equal(tropism("flow --n 4 --copies 9 --steps 5 --out a.npy"), 0);
    assert_int_equal(stat(scratch("a.npy"), &file), 0);
    assert_int_equal(file.st_size, 128 + 72 * 8);
}

static void a_time_limit_leaves_what_is_done(void **state)
{
    (void)state;
    json_t *part = object_of("flow --n 64 --copies 1000000 --steps 1000000 --time-limit 0.05 "
                             "--json",
                             1);

    assert_true(json_integer_value(json_object_get(part, "copies")) < 1000000);
    assert_int_equal(json_integer_value(json_object_get(part, "asked")), 1000000);
    assert_non_null(strstr(answer.err, "by the time limit"));
    json_decref(part);
}

static void what_is_for_one_flow_is_refused(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        { "flow --copies 3 --record residual", "record: applies without copies" },
        { "flow --copies 3 --checkpoint 10 --out a.h5",
          "checkpoint: applies with out and without copies" },
        { "flow --betas 1,2", "betas: applies with copies" },
        { "flow --copies 2 --betas 1,2 --beta 3", "beta and betas: give one of them" },
        { "flow --copies 2 --betas 2:1", "a range must go upwards" },
        { "flow --copies -1", "copies" },
        { "flow --copies 2 --out a.csv", "a.csv" },
    };

    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        if (tropism(rows[k][0]) != 2 || !strstr(answer.err, rows[k][1])) {
            fail_with_answer(rows[k][0], rows[k][1]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_copy_is_what_flow_prints_for_its_seed),
        cmocka_unit_test(betas_and_files),
        cmocka_unit_test(a_time_limit_leaves_what_is_done),
        cmocka_unit_test(what_is_for_one_flow_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, remove_files);
}
