/* test_path_cli.c -- the verb path, from outside: the keys of its JSON, published divergences,
 * files, refusals, and paths that are ended early.
 *
 * TROP_BUILD is the folder of the program. */
#include "cli_support.h"
#include "io/h5/h5.h"

static int make_files(void **state)
{
    (void)state;
    put("path.yaml", "data: mm-fig-1a\nradius: 5,10\np: 3\n");
    /* One input with two tokens that differ by (3, 4): the minimum is at R times the direction that
     * l2 duality says. */
    put("two.json", "{\"X\": [[[3, 4], [0, 0]]], \"v\": [1, 0], \"y\": [1]}");
    put("plateau.json",
        "{\"X\": [[[1.25390625, -0.0859375], [0.8671875, -0.1171875], [0.7734375, -1.15625], "
        "[-0.7578125, -1.375], [-0.92578125, 0.17578125], [0.30078125, -1.16015625]]], "
        "\"K\": [[[0.1015625, 0.1953125], [-0.21484375, 1.0625], [-0.33203125, 0.6484375], "
        "[-0.70703125, -0.09765625], [0.1484375, -0.18359375], [1.05078125, 0.71875]]], "
        "\"v\": [1.93359375, -0.33984375]}");
    return 0;
}

static json_t *row_of(const json_t *object, size_t k)
{
    return json_array_get(json_object_get(object, "radii"), k);
}

/* ---- answers --------------------------------------------------------------------------------- */

static void every_radius_has_its_keys(void **state)
{
    static const char *const keys[] = { "radius",  "loss",      "correlation",
                                        "bregman", "alignment", "alpha" };
    json_t *object = object_of("path --data mm-fig-1a --radius 5,10 --json", 0);
    (void)state;

    assert_int_equal(json_array_size(json_object_get(object, "radii")), 2);
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
        assert_non_null(json_object_get(row_of(object, 1), keys[k]));
    }
    assert_true(number_of(row_of(object, 1), "radius") == 10);
    assert_non_null(json_object_get(object, "version"));
    json_decref(object);
}

/* Claim md-tab-path. */
static void divergences_are_the_published_ones(void **state)
{
    static const double published[] = { .126, .0479, .0105 };
    json_t *object = object_of("path --data attsvm --p 1.75 --radius 10,20,50 --json", 0);
    (void)state;

    for (size_t k = 0; k < 3; k++) {
        assert_true(fabs(number_of(row_of(object, k), "bregman") / published[k] - 1) < 5e-3);
        assert_string_equal(json_string_value(json_object_get(row_of(object, k), "kind")),
                            "bracketed");
    }
    json_decref(object);
}

/* Another token than the best one has won, all but e^-397 of the loss is a constant, and the point
 * is far from where its gradient points: G = (2.39893e-173, 1.21979e-174) at W = (-50.1813,
 * 966.1197), by sums of 60 digits, so that <-G, W> / (|G|_11 |W|_1.1) is 0.00106. It is not
 * stationary. */
static void a_plateau_is_not_stationary(void **state)
{
    json_t *object = object_of("path --data plateau.json --model prompt --p 1.1 --radius 1000 "
                               "--starts 0 --iterations 1000 --json",
                               1);
    (void)state;

    assert_string_equal(json_string_value(json_object_get(row_of(object, 0), "kind")),
                        "unfinished");
    assert_true(fabs(number_of(row_of(object, 0), "alignment") - 0.00106) < 5e-6);
    json_decref(object);
}

static void two_tokens_have_their_closed_form(void **state)
{
    json_t *object = object_of("path --data two.json --radius 2 --json", 0);
    const json_t *weights = json_object_get(row_of(object, 0), "weights");
    (void)state;

    assert_true(fabs(json_number_value(json_array_get(weights, 0)) - 1.2) < 1e-9);
    assert_true(fabs(json_number_value(json_array_get(weights, 1)) - 1.6) < 1e-9);
    /* L - L* for the margin 2 * 5 and scores 3 and 0. */
    const double s = 1 / (1 + exp(10)), gap = log1p(exp(-3 * (1 - s))) - log1p(exp(-3));
    assert_true(fabs(number_of(row_of(object, 0), "log_gap") - log(gap)) < 1e-6);
    json_decref(object);
}

/* ---- files, words, the clock --------------------------------------------------------------- */

static void options_come_from_a_file_and_results_go_to_one(void **state)
{
    struct trop_h5 *h5 = NULL;
    struct trop_array radius = { 0 };
    (void)state;

    assert_int_equal(tropism("path --from path.yaml --out path.h5"), 0);
    assert_non_null(strstr(answer.out, "radius"));
    assert_int_equal(trop_h5_open(&h5, scratch("path.h5")), TROP_OK);
    assert_int_equal(trop_h5_numbers(&radius, h5, "/result/radii/radius"), TROP_OK);
    assert_true(radius.shape[0] == 2 && radius.data[1] == 10);
    trop_array_free(&radius);
    trop_h5_close(h5);
}

static void threads_change_no_bit(void **state)
{
    static char first[sizeof answer.out];
    (void)state;

    assert_int_equal(tropism("path --data attsvm --radius 10,20 --starts 2 --threads 1 --json"), 0);
    *strstr(answer.out, "\"seconds\"") = '\0';
    snprintf(first, sizeof first, "%s", answer.out);
    assert_int_equal(tropism("path --data attsvm --radius 10,20 --starts 2 --threads 2 --json"), 0);
    *strstr(answer.out, "\"seconds\"") = '\0';
    assert_string_equal(answer.out, first);
}

static void a_time_limit_ends_it_with_the_radii_that_are_done(void **state)
{
    json_t *object = object_of(
        "path --data attsvm --p 3 --starts 50 --radius 1:4000 --time-limit 0.2 --json", 1);
    (void)state;

    assert_non_null(strstr(answer.err, "time limit"));
    assert_true(json_array_size(json_object_get(object, "radii")) < 4000);
    json_decref(object);
}

static void radii_that_are_not_finished_are_told(void **state)
{
    json_t *object = object_of("path --data attsvm --radius 10,20 --iterations 3 --json", 1);
    (void)state;

    assert_non_null(strstr(answer.err, "unfinished"));
    assert_string_equal(json_string_value(json_object_get(row_of(object, 1), "kind")),
                        "unfinished");
    assert_true(number_of(row_of(object, 1), "bracket_lower") <=
                number_of(row_of(object, 1), "rate"));
    json_decref(object);
}

static void wrong_lines_are_refused_by_name(void **state)
{
    static const struct wrong wrong[] = {
        { "path --radius 10", 2, "data" },
        { "path --data attsvm --radius ten", 2, "radius" },
        { "path --data attsvm --radius 20,10", 2, "radius" },
        { "path --data attsvm --radius 10 --p 1", 2, "p = 1" },
        { "path --data attsvm --radius 10 --modle cross", 2, "--model" },
        { "path --data attsvm --radius 10 --model kq", 2, "model" },
        { "path --data atsvm --radius 10", 2, "attsvm" },
    };
    (void)state;

    assert_refused(wrong, sizeof wrong / sizeof wrong[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_radius_has_its_keys),
        cmocka_unit_test(divergences_are_the_published_ones),
        cmocka_unit_test(a_plateau_is_not_stationary),
        cmocka_unit_test(two_tokens_have_their_closed_form),
        cmocka_unit_test(options_come_from_a_file_and_results_go_to_one),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(a_time_limit_ends_it_with_the_radii_that_are_done),
        cmocka_unit_test(radii_that_are_not_finished_are_told),
        cmocka_unit_test(wrong_lines_are_refused_by_name),
    };

    return cmocka_run_group_tests(tests, make_files, remove_files);
}
