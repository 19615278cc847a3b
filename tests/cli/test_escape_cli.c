/* test_escape_cli.c -- the verb escape, from outside. The numbers are those of
 * claim fw-tab-exit: exits of the triangle. TROP_BUILD is the folder of the program. */
#include "cli_support.h"

#define TRIANGLE "escape --init polygon --n 3 "

static int make_files(void **state)
{
    (void)state;
    put("study.yaml", "init: polygon\nn: 3\nbeta: 2,4:6:2\nruns: 50\n");
    /* The square with a second token halfway to each vertex: groups that take long to collapse. */
    put("slow.csv", "1,0\n0,1\n-1,0\n0,-1\n0.5,0\n0,0.5\n-0.5,0\n0,-0.5\n");
    return 0;
}

static json_t *row_of(const json_t *object, size_t row)
{
    return json_array_get(json_object_get(object, "betas"), row);
}

static void json_has_what_the_manual_promises(void **state)
{
    const double exact[] = { 3, 11, 47, 209, 937 };
    json_t *object = object_of(TRIANGLE "--beta 2:6 --runs 500 --json", 0);
    static const char *const names[] = { "betas",  "exponent", "constants", "hypotheses", "labels",
                                         "tokens", "version",  "seed",      "seconds" };
    (void)state;

    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        assert_non_null(json_object_get(object, names[k]));
    }
    assert_int_equal(json_array_size(json_object_get(object, "betas")), 5);
    for (size_t k = 0; k < 5; k++) {
        json_t *row = row_of(object, k), *bound = json_object_get(row, "bound");
        assert_true(number_of(row, "beta") == (double)k + 2);
        assert_true(json_is_integer(json_object_get(row, "median")));
        assert_true(fabs(number_of(row, "log10_median") - log10(number_of(row, "median"))) < 1e-14);
        assert_true(number_of(bound, "exact") == exact[k]);
        assert_true(number_of(bound, "repaired") <= exact[k]);
        assert_null(json_object_get(bound, "printed")); /* radius/gamma < 2 d(K) */
        assert_int_equal(json_array_size(json_object_get(row, "interval")), 2);
        assert_true(number_at(row, "survival", 0, 1) < 1);
    }
    assert_true(fabs(number_of(json_object_get(object, "exponent"), "fit") - 1.44) < 0.1);
    assert_true(number_of(json_object_get(object, "exponent"), "standard_error") > 0);
    assert_true(number_of(json_object_get(object, "constants"), "c0") == 1.5);
    assert_true(json_is_true(json_object_get(json_object_get(object, "hypotheses"), "acute")));
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(object, "hypotheses"), "failed")),
        "radius_over_gamma");
    json_decref(object);
}

static void times_beyond_double_have_logarithms(void **state)
{
    json_t *object = object_of(TRIANGLE "--beta 40,10000 --runs 50 --json", 0);
    json_t *row = row_of(object, 1);
    (void)state;

    assert_true(fabs(number_of(json_object_get(row_of(object, 0), "bound"), "exact") / 1.3193e25 -
                     1) < 5e-5);
    assert_true(json_is_null(json_object_get(row, "median")));
    assert_true(fabs(number_of(row, "log10_median") - 6513.5) < 0.5);
    /* Steps of the curve are "inf", their logarithms are numbers. */
    assert_string_equal(
        json_string_value(json_array_get(json_array_get(json_object_get(row, "survival"), 0), 0)),
        "inf");
    json_decref(object);
}

/* What is always there, and what is left out when it is not known. */
static void objects_are_there_when_their_members_are_not(void **state)
{
    json_t *object = object_of("escape --tokens slow.csv --beta 30 --runs 10 --json", 0);
    const json_t *bound = json_object_get(row_of(object, 0), "bound");
    const json_t *exponent = json_object_get(object, "exponent");
    (void)state;

    assert_string_equal(json_string_value(json_object_get(bound, "law")), "unknown");
    assert_null(json_object_get(bound, "exact"));
    assert_true(number_of(exponent, "betas") == 1);
    assert_null(json_object_get(exponent, "fit"));
    json_decref(object);
}

static void a_cloud_of_one_group_never_leaves(void **state)
{
    (void)state;
    put("far.csv", "10,0\n9,1\n9,-1\n");
    json_t *object = object_of("escape --tokens far.csv --beta 5 --json", 0);
    assert_string_equal(json_string_value(json_object_get(row_of(object, 0), "median")), "inf");
    json_decref(object);
    assert_int_equal(tropism("escape --tokens far.csv --beta 5"), 0);
    assert_non_null(strstr(answer.out, "never"));
}

static void the_summary_is_a_table(void **state)
{
    (void)state;
    assert_int_equal(tropism(TRIANGLE "--beta 4,400"), 0);
    assert_non_null(strstr(answer.out, "3 in 3 groups"));
    assert_non_null(strstr(answer.out, "fails: radius_over_gamma of theorem 5.4"));
    assert_non_null(strstr(answer.out, "median"));
    assert_non_null(strstr(answer.out, " 47 "));  /* exact, at beta = 4 */
    assert_non_null(strstr(answer.out, "e+259")); /* log 2 e^600/6, at beta = 400 */
    assert_int_equal(tropism(TRIANGLE "--beta 6 --dynamics flow"), 0);
    assert_non_null(strstr(answer.out, "917")); /* steps of the recursion to r < .95 */
}

static void a_study_file_and_the_line_say_the_same(void **state)
{
    json_t *file = object_of("escape --from study.yaml --json", 0);
    json_t *line = object_of(TRIANGLE "--beta 2,4,6 --runs 50 --json", 0);
    (void)state;

    assert_true(json_equal(json_object_get(file, "betas"), json_object_get(line, "betas")));
    json_decref(file);
    json_decref(line);
}

static void threads_change_nothing(void **state)
{
    json_t *one = object_of("escape --tokens slow.csv --beta 4,30 --runs 40 --threads 1 --json", 0);
    json_t *four =
        object_of("escape --tokens slow.csv --beta 4,30 --runs 40 --threads 4 --json", 0);
    (void)state;

    json_object_del(one, "seconds");
    json_object_del(four, "seconds");
    assert_true(json_equal(one, four));
    json_decref(one);
    json_decref(four);
}

/* The file alone repeats the study. */
static void files_hold_the_result_and_the_tokens(void **state)
{
    json_t *first = object_of(TRIANGLE "--beta 3,5 --runs 30 --out study.h5 --json", 0);
    json_t *again =
        object_of("escape --tokens study.h5:/input/tokens --beta 3,5 --runs 30 --json", 0);
    static char written[100000];
    (void)state;

    assert_true(json_equal(json_object_get(first, "betas"), json_object_get(again, "betas")));
    json_decref(first);
    json_decref(again);
    json_t *printed = object_of(TRIANGLE "--beta 3,5 --runs 30 --out study.json --json", 0);
    read_text(written, sizeof written, scratch("study.json"));
    json_t *read = json_loads(written, 0, NULL);
    assert_true(json_equal(json_object_get(printed, "betas"), json_object_get(read, "betas")));
    json_decref(printed);
    json_decref(read);
}

/* More runs than there is time for. */
#define LONG "escape --tokens slow.csv --beta 20 --runs 1000000 --json"

static void a_time_limit_ends_with_what_is_known(void **state)
{
    json_t *object = object_of(LONG " --time-limit 0.3", 1);
    (void)state;

    assert_non_null(strstr(answer.err, "stopped after"));
    assert_non_null(strstr(answer.err, "the time limit"));
    double runs = number_of(row_of(object, 0), "runs");
    assert_true(runs >= 1 && runs < 1e6);
    assert_true(number_of(row_of(object, 0), "log10_median") > 1);
    json_decref(object);
}

/* On a terminal, which script(1) is. */
static void a_long_study_tells_how_long_it_will_take(void **state)
{
    static char shown[100000];
    char command[1200];
    (void)state;

    if (system("command -v script >/dev/null") != 0) {
        skip();
    }
    snprintf(command, sizeof command,
             "cd '%s' && script -qec '%s/tropism " LONG " --time-limit 2' /dev/null >screen",
             scratch_folder, getenv("TROP_BUILD"));
    assert_int_not_equal(system(command), -1);
    read_text(shown, sizeof shown, scratch("screen"));
    const char *runs = strstr(shown, " of 1000000 runs, ");
    assert_non_null(runs);
    assert_non_null(strstr(runs, " a second, "));
    assert_non_null(strstr(runs, " left"));
}

static void ctrl_c_ends_with_what_is_known(void **state)
{
    (void)state;
    json_t *object = interrupted(LONG, 200); /* a few runs */
    assert_true(number_of(row_of(object, 0), "runs") < 1e6);
    json_decref(object);
}

static void help_lists_every_option(void **state)
{
    (void)state;
    assert_help_lists_options("escape");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_has_what_the_manual_promises),
        cmocka_unit_test(times_beyond_double_have_logarithms),
        cmocka_unit_test(objects_are_there_when_their_members_are_not),
        cmocka_unit_test(a_cloud_of_one_group_never_leaves),
        cmocka_unit_test(the_summary_is_a_table),
        cmocka_unit_test(a_study_file_and_the_line_say_the_same),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(files_hold_the_result_and_the_tokens),
        cmocka_unit_test(a_time_limit_ends_with_what_is_known),
        cmocka_unit_test(a_long_study_tells_how_long_it_will_take),
        cmocka_unit_test(ctrl_c_ends_with_what_is_known),
        cmocka_unit_test(help_lists_every_option),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
