/* test_threshold_cli.c -- the verb threshold, from outside: clouds whose answers are known by
 * hand (test_threshold.c derives them), input, output, and searches that are ended early.
 *
 * TROP_BUILD is the folder of the program. */
#include "cli_support.h"
#include "io/h5/h5.h"

static const double pair[] = { 1, -0.5 };

static int make_files(void **state)
{
    (void)state;
    put("pair.csv", "1\n-0.5\n");       /* consensus from 0.5 * 1.5 on */
    put("follower.csv", "x\n1\n0.5\n"); /* from 0 on */
    put("pair2.csv", "1,1\n-0.5,3\n");  /* with weight.csv the same as pair.csv */
    put("swap.csv", "1\n-1\n");
    put("weight.csv", "1,0\n0,0\n");
    put("mass.csv", "3\n0.25\n");
    put("pair.yaml", "tokens: pair.csv\nmasses: mass.csv\nwidth: 0\nalpha: 3\n");
    put_npy("pair.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 1), }\n", pair,
            sizeof pair);
    return 0;
}

/* ---- reading an answer -------------------------------------------------------------------- */

static void assert_text(const json_t *object, const char *member, const char *name,
                        const char *expected)
{
    const json_t *found = json_object_get(json_object_get(object, member), name);

    if (!json_is_string(found) || strcmp(json_string_value(found), expected) != 0) {
        fail_msg("%s.%s is %s, must be %s", member, name,
                 json_is_string(found) ? json_string_value(found) : "no text", expected);
    }
}

/* ---- known clouds ------------------------------------------------------------------------- */

static void two_tokens_have_their_closed_form(void **state)
{
    static const char *const lines[] = {
        "threshold --tokens pair.csv --width 0 --json",
        "threshold --tokens pair.npy --width 0 --masses mass.csv --alpha 7 --json",
        "threshold --tokens pair.csv --width 0 --gamma 0.9 --json",
        "threshold --tokens pair2.csv --key-query weight.csv --width 0 --json",
        "threshold --from pair.yaml --json",
        "threshold --from pair.yaml --gamma 0.25 --json",
    };
    (void)state;
    for (size_t k = 0; k < sizeof lines / sizeof lines[0]; k++) {
        json_t *object = object_of(lines[k], 0);
        assert_true(number_of(object, "high") == 0.75);
        assert_true(number_of(object, "low") == nextafter(0.75, 0));
        assert_true(number_of(object, "complete") == 1.5);
        assert_true(number_of(object, "first") == 0.75);
        /* 1.5^2 / 2, rounded upwards by a few ulps */
        assert_true(number_of(object, "bound") >= 1.125 && number_of(object, "bound") < 1.12501);
        assert_true(number_of(object, "runs") > 50);
        assert_true(json_is_null(json_object_get(object, "undecided")));
        assert_text(object, "certificate", "kind", "bracket");
        assert_text(object, "certificate", "low", "quiescence");
        assert_true(json_is_string(json_object_get(object, "version")));
        assert_true(number_of(object, "seed") == 1 && number_of(object, "seconds") >= 0);
        json_decref(object);
    }
}

static void the_width_is_kept(void **state)
{
    (void)state;
    json_t *wide = object_of("threshold --init uniform --n 20 --json", 0);
    double low = number_of(wide, "low"), high = number_of(wide, "high");
    double size = fmin(number_of(wide, "complete"), number_of(wide, "bound"));
    assert_true(high - low <= 1e-6 * size && high - low > 0.4e-6 * size && low > 0.1);
    assert_int_equal(json_array_size(json_object_get(wide, "tokens")), 20);
    json_decref(wide);
    json_t *coarse = object_of("threshold --init uniform --n 20 --width 0.5 --json", 0);
    assert_true(number_of(coarse, "runs") <= 3);
    json_decref(coarse);
}

static void consensus_at_zero_is_the_least(void **state)
{
    (void)state;
    json_t *object = object_of("threshold --tokens follower.csv --json", 0);
    assert_true(json_is_null(json_object_get(object, "low")) && number_of(object, "high") == 0);
    assert_true(number_of(object, "runs") == 1);
    assert_text(object, "certificate", "kind", "least");
    assert_null(json_object_get(json_object_get(object, "certificate"), "low"));
    json_decref(object);
    json_t *zero = object_of("threshold --n 12 --key-query 0 --json", 0);
    assert_true(json_is_null(json_object_get(zero, "low")) && number_of(zero, "high") == 0);
    assert_text(zero, "certificate", "kind", "least");
    json_decref(zero);
    json_t *one = object_of("threshold --n 1 --d 3 --json", 0);
    assert_true(number_of(one, "high") == 0 && number_of(one, "runs") == 0);
    assert_string_equal(json_string_value(json_object_get(one, "first")), "inf");
    json_decref(one);
}

/* With B = -1 and gamma = 1 the tokens 1 and -1 change places forever, below 2. What comes to no
 * proof is an answer. */
static void what_is_not_decided_is_said(void **state)
{
    const char *line = "threshold --tokens swap.csv --key-query -1 --gamma 1 --width 0.01";
    char words[200];
    (void)state;
    snprintf(words, sizeof words, "%s --json", line);
    json_t *object = object_of(words, 0);
    const json_t *band = json_object_get(object, "undecided");
    assert_int_equal(json_array_size(band), 2);
    assert_true(json_number_value(json_array_get(band, 0)) == 0);
    assert_true(json_number_value(json_array_get(band, 1)) >= 1.98);
    assert_true(number_of(object, "high") == 2);
    assert_true(json_is_null(json_object_get(object, "low")));
    assert_null(json_object_get(json_object_get(object, "certificate"), "kind"));
    json_decref(object);
    assert_int_equal(tropism(line), 0);
    assert_non_null(strstr(answer.out, "apart at     not known\n"));
    assert_non_null(strstr(answer.out, "no proof     from 0 to "));
}

static void the_summary_is_in_words(void **state)
{
    static const char *const lines[] = {
        "apart at     epsilon = 0.74999999999999989 (quiescence)\n",
        "together at  epsilon = 0.75 (",
        "runs         5",
        "complete     from 1.5 on every token attends to every other (T12)\n",
        "bound        above 1.125 tokens meet, if gamma < 1 (T4)\n",
        "first        below 0.75 localmax is hardmax in its first step\n",
    };
    (void)state;
    assert_int_equal(tropism("threshold --tokens pair.csv --width 0"), 0);
    for (size_t k = 0; k < sizeof lines / sizeof lines[0]; k++) {
        if (!strstr(answer.out, lines[k])) {
            fail_with_answer("threshold --tokens pair.csv --width 0", lines[k]);
        }
    }
    assert_string_equal(answer.err, "");
    assert_int_equal(tropism("threshold --tokens follower.csv"), 0);
    assert_non_null(strstr(answer.out, "together at  epsilon = 0 ("));
    assert_null(strstr(answer.out, "apart"));
}

/* ---- output ---------------------------------------------------------------------------------- */

static void results_go_to_files_and_threads_change_nothing(void **state)
{
    static char printed[20000], written[20000];
    struct trop_array array = { 0 };
    struct trop_h5 *h5 = NULL;
    char *text = NULL;
    (void)state;
    print_result(printed, sizeof printed, "threshold --init uniform --n 20 --json --out x.json");
    read_text(written, sizeof written, scratch("x.json"));
    *strstr(written, "\"seconds\"") = '\0';
    assert_string_equal(printed, written);
    print_result(written, sizeof written,
                 "threshold --init uniform --n 20 --json --threads 3 --kernel baseline");
    assert_string_equal(printed, written);
    assert_int_equal(tropism("threshold --tokens pair.csv --masses mass.csv --alpha 3 --out x.h5"),
                     0);
    assert_non_null(strstr(answer.out, "x.h5"));
    assert_int_equal(trop_h5_open(&h5, scratch("x.h5")), TROP_OK);
    assert_int_equal(trop_h5_text(&text, h5, "/", "format"), TROP_OK);
    assert_string_equal(text, "tropism threshold");
    trop_alloc_free(text);
    assert_int_equal(trop_h5_text(&text, h5, "/options", "alpha"), TROP_OK);
    assert_string_equal(text, "3");
    trop_alloc_free(text);
    assert_int_equal(trop_h5_numbers(&array, h5, "/input/tokens"), TROP_OK);
    assert_memory_equal(array.data, pair, sizeof pair);
    trop_array_free(&array);
    assert_int_equal(trop_h5_numbers(&array, h5, "/input/masses"), TROP_OK);
    assert_true(array.shape[0] == 2 && array.data[1] == 0.25);
    trop_array_free(&array);
    assert_int_equal(trop_h5_numbers(&array, h5, "/result/high"), TROP_OK);
    assert_true(array.data[0] >= 0.75 && array.data[0] < 0.7501);
    trop_array_free(&array);
    trop_h5_abandon(h5);
    unlink(scratch("x.json"));
    unlink(scratch("x.h5"));
}

/* ---- ended early --------------------------------------------------------------------------- */

/* A search of minutes: what it knows is printed, and written. */
#define LONG "threshold --init uniform --n 1500 --d 3 --gamma 0.001 --steps 1e6 --threads 1 --json"

static void check_partial(const char *line, const char *reason)
{
    static char written[2000000];
    json_error_t error;
    json_t *object = json_loads(answer.out, 0, &error);

    if (answer.code != 1 || !json_is_object(object) || !strstr(answer.err, reason)) {
        fail_with_answer(line, reason);
    }
    assert_true(number_of(object, "high") == number_of(object, "complete"));
    assert_true(json_is_null(json_object_get(object, "low")));
    json_decref(object);
    read_text(written, sizeof written, scratch("x.json"));
    assert_string_equal(written, answer.out);
    unlink(scratch("x.json"));
}

static void a_time_limit_ends_it_with_what_it_knows(void **state)
{
    (void)state;
    tropism(LONG " --out x.json --time-limit 0.05");
    check_partial(LONG, "stopped after 0 runs by the time limit");
}

static void ctrl_c_ends_it_with_what_it_knows(void **state)
{
    (void)state;
    pid_t child = start(LONG " --out x.json", 0);
    nanosleep(&(struct timespec){ .tv_nsec = 500000000 }, NULL);
    kill(child, SIGINT);
    finish(child);
    check_partial(LONG, "stopped after 0 runs by a request");
}

/* ---- the library ---------------------------------------------------------------------------- */

static int stop_at_once(void *context, int64_t done, int64_t total)
{
    (void)context;
    (void)total;
    return done == 0;
}

static void a_program_gives_arrays_and_goes_on(void **state)
{
    struct trop_setup *setup = NULL;
    struct trop_job *study = NULL;
    double high = 0;
    (void)state;
    assert_int_equal(trop_setup_create(&setup, "threshold"), TROP_OK);
    assert_null(trop_setup_flow(setup));
    assert_null(trop_setup_cells(setup));
    assert_int_equal(trop_setup_set(setup, "query", "x.csv"), TROP_ERR_ARG);
    trop_setup_threshold(setup)->cloud.tokens = pair;
    trop_setup_threshold(setup)->cloud.n = 2;
    trop_setup_threshold(setup)->cloud.d = 1;
    trop_setup_threshold(setup)->width = 0;
    assert_int_equal(trop_job_create(&study, setup), TROP_OK);
    assert_ptr_equal(trop_job_field_table(study), trop_threshold_field_table());
    assert_int_equal(trop_job_run(study, stop_at_once, NULL), TROP_ERR_STOPPED);
    assert_int_equal(trop_threshold_number(&high, trop_job_result(study), "high"), TROP_OK);
    assert_true(high == 1.5);
    assert_int_equal(trop_job_run(study, NULL, NULL), TROP_OK);
    assert_int_equal(trop_threshold_number(&high, trop_job_result(study), "high"), TROP_OK);
    assert_true(high == 0.75);
    trop_job_free(study);
    trop_setup_free(setup);
    assert_null(trop_job_option_table("plot"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_tokens_have_their_closed_form),
        cmocka_unit_test(the_width_is_kept),
        cmocka_unit_test(consensus_at_zero_is_the_least),
        cmocka_unit_test(what_is_not_decided_is_said),
        cmocka_unit_test(the_summary_is_in_words),
        cmocka_unit_test(results_go_to_files_and_threads_change_nothing),
        cmocka_unit_test(a_time_limit_ends_it_with_what_it_knows),
        cmocka_unit_test(ctrl_c_ends_it_with_what_it_knows),
        cmocka_unit_test(a_program_gives_arrays_and_goes_on),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
