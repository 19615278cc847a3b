/* test_train_cli.c -- the verb train, from outside. Normalised gradient descent with step eta on
 * one input of two tokens, (1, 0) to win over (0, 0), moves p by eta along (1, 0) in every step:
 * after k steps p = (k eta, 0). TROP_BUILD is the folder of the program. */
#include "cli_support.h"
#include "io/h5/h5.h"
#include "io/npy.h"

#define ONE "train --data one.json --optimizer ngd --eta 0.5 "

static int make_files(void **state)
{
    (void)state;
    put("one.json", "{\"X\": [[[1, 0], [0, 0]]], \"y\": [1], \"v\": [1, 0]}");
    put("cross.json", "{\"X\": [[[1, 0], [0, 0]]], \"z\": [[0, 1]], \"y\": [1], \"v\": [1, 0]}");
    put("p.json", "{\"p\": [2, 0.25]}");
    put("p3.json", "{\"p\": [2, 0.25, 1]}");
    put("w.json", "{\"W\": [[0, 2], [0.25, 0]]}");
    put("wv.json", "{\"W\": [[0, 2], [0.25, 0]], \"v\": [1, 2]}");
    put("down.json", "{\"p\": [0, -1], \"v\": [-1, 0]}");
    put("tiny.json", "{\"X\": [[[1e-200], [0]]], \"v\": [1e-200]}");
    put("kq.json", "{\"K\": [[1], [0.5]], \"Q\": [[0.25], [2]]}");
    put("kq0.json", "{\"K\": [[0], [0]], \"Q\": [[0], [0]]}");
    put("pv.json", "{\"p\": [2, 0.25], \"v\": [0.5, -1]}");
    put("nan.json", "{\"p\": [1e999, 0]}");
    put("garbage.json", "{\"p\": [1, ");
    put("study.yaml", "data: one.json\noptimizer: ngd\neta: 0.5\nsteps: 20\nstart: p.json\n");
    return 0;
}

/* ---- reading an answer --------------------------------------------------------------------- */

static double entry(const json_t *object, const char *tensor, size_t i, size_t j)
{
    const json_t *row =
        json_array_get(json_object_get(json_object_get(object, "weights"), tensor), i);

    return json_number_value(json_is_array(row) ? json_array_get(row, j) : row);
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static void json_has_what_the_manual_promises(void **state)
{
    static const char *const names[] = {
        "loss",     "loss_infimum", "alpha",       "saturation", "norm",
        "log_norm", "weights",      "correlation", "bregman",    "locally_optimal",
        "history",  "version",      "seed",        "seconds",
    };
    static const char *const columns[] = { "step",     "loss",        "saturation", "norm",
                                           "log_norm", "correlation", "bregman",    "weights" };
    json_t *object = object_of(ONE "--steps 40 --json", 0);
    (void)state;

    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        if (!json_object_get(object, names[k])) {
            fail_msg("%s is missing", names[k]);
        }
    }
    /* p = (20, 0): attention 1 / (1 + e^-20), logistic loss of it. */
    const double s = 1 / (1 + exp(-20.0));
    assert_true(fabs(entry(object, "p", 0, 0) - 20) < 1e-13);
    assert_true(fabs(entry(object, "p", 1, 0)) < 1e-13);
    assert_true(fabs(number_of(object, "norm") - 20) < 1e-13);
    assert_true(fabs(number_of(object, "log_norm") - log(20)) < 1e-14);
    assert_true(fabs(number_of(object, "saturation") - s) < 1e-15);
    assert_true(fabs(number_of(object, "loss") - log1p(exp(-s))) < 1e-15);
    assert_true(fabs(number_of(object, "loss_infimum") - log1p(exp(-1))) < 1e-15);
    assert_true(fabs(number_of(object, "correlation") - 1) < 1e-15);
    assert_true(fabs(number_of(object, "bregman")) < 1e-15);
    assert_true(json_is_true(json_object_get(object, "locally_optimal")));
    assert_true(json_integer_value(json_array_get(json_object_get(object, "alpha"), 0)) == 0);
    const json_t *history = json_object_get(object, "history");
    assert_true(json_array_size(history) > 5);
    for (size_t row = 0; row < json_array_size(history); row++) {
        const json_t *record = json_array_get(history, row);
        for (size_t k = 0; k < sizeof columns / sizeof columns[0]; k++) {
            if (!json_object_get(record, columns[k])) {
                fail_msg("history has no %s", columns[k]);
            }
        }
        assert_true(fabs(number_of(record, "norm") - number_of(record, "step") / 2) < 1e-13);
    }
    assert_true(number_of(json_array_get(history, 0), "step") == 0);
    assert_true(number_of(json_array_get(history, json_array_size(history) - 1), "step") == 40);
    json_decref(object);
}

/* Without a token above one half nothing is compared. */
static void an_undecided_run_has_no_solution_beside_it(void **state)
{
    json_t *object = object_of(ONE "--steps 0 --json", 0);
    (void)state;

    assert_true(json_integer_value(json_array_get(json_object_get(object, "alpha"), 0)) == -1);
    assert_true(json_is_null(json_object_get(object, "correlation")));
    assert_true(json_is_null(json_object_get(object, "locally_optimal")));
    assert_string_equal(json_string_value(json_object_get(object, "log_norm")), "-inf");
    json_decref(object);
}

/* ---- starts -------------------------------------------------------------------------------- */

static void a_run_starts_from_the_weights_of_a_file(void **state)
{
    (void)state;
    json_t *p = object_of(ONE "--steps 0 --start p.json --json", 0);
    assert_true(entry(p, "p", 0, 0) == 2 && entry(p, "p", 1, 0) == 0.25);
    json_decref(p);
    p = object_of(ONE "--steps 6 --start p.json --json", 0);
    assert_true(fabs(entry(p, "p", 0, 0) - 5) < 1e-14 && fabs(entry(p, "p", 1, 0) - .25) < 1e-14);
    json_decref(p);
    json_t *w = object_of("train --data cross.json --steps 0 --start w.json --json", 0);
    assert_true(entry(w, "W", 0, 1) == 2 && entry(w, "W", 1, 0) == 0.25);
    json_decref(w);
    json_t *kq =
        object_of("train --data cross.json --model kq --steps 0 --start kq.json --json", 0);
    assert_true(entry(kq, "K", 1, 0) == 0.5 && entry(kq, "Q", 1, 0) == 2);
    assert_int_equal(
        json_array_size(json_array_get(json_object_get(json_object_get(kq, "weights"), "K"), 0)),
        1); /* the width of the file */
    json_decref(kq);
    json_t *pv =
        object_of("train --data one.json --model joint --steps 0 --start pv.json --json", 0);
    assert_true(entry(pv, "p", 0, 0) == 2 && entry(pv, "v", 1, 0) == -1);
    json_decref(pv);
}

/* 20 steps of 0.5 and 20 more are 40: p = (20, 0). (3, 4) and the solution (1, 0) have cosine 0.6,
 * and divergence 0.4. */
static void weights_of_results_and_arrays_are_starts_and_directions(void **state)
{
    static const char *const starts[] = { "half.h5", "half.out.json", "half.npy" };
    static const char *const unusable[][2] = {
        { "train --data one.json --start none.npy", "start: none.npy: No such file" },
        { "train --data one.json --start square.csv", "start: square.csv: p is 2 x 2: must be 2" },
        { "train --data cross.json --model kq --start p.csv", "start: p.csv: is one array" },
        { "train --data cross.json --model kq --start cross.h5", "start: cross.h5: K: is missing" },
        { "train --data one.json --start one.h5", "one.h5: has no weights: p, W, v, K or Q" },
        { "train --data one.json --start large.json", "norm e^2.3e+03, and are stored as a dir" },
        { "margin --data one.json --direction nan.csv", "direction: nan.csv: row 0, column 1" },
    };
    const double half[2] = { 10, 0 };
    char line[256];
    (void)state;

    put("p.csv", "3,4\n");
    put("square.csv", "3,4\n1,2\n");
    put("nan.csv", "3,nan\n");
    put("large.json", "{\"weights\": {\"p\": [1, 0]}, \"log_norm\": 2300}");
    assert_int_equal(trop_npy_write(scratch("half.npy"), half, 1, (int64_t[]){ 2 }), TROP_OK);
    assert_int_equal(tropism(ONE "--steps 20 --out half.h5"), 0);
    assert_int_equal(tropism(ONE "--steps 20 --out half.out.json"), 0);
    assert_int_equal(tropism("train --data cross.json --steps 2 --out cross.h5"), 0);
    assert_int_equal(tropism("flow --n 4 --steps 2 --out one.h5"), 0);
    for (int k = 0; k < 3; k++) {
        snprintf(line, sizeof line, ONE "--steps 20 --json --start %s", starts[k]);
        json_t *object = object_of(line, 0);
        assert_true(fabs(entry(object, "p", 0, 0) - 20) < 1e-13);
        json_decref(object);
        snprintf(line, sizeof line, "margin --data one.json --json --direction %s", starts[k]);
        object = object_of(line, 0);
        assert_true(fabs(number_of(json_object_get(object, "direction"), "cosine") - 1) < 1e-15);
        json_decref(object);
    }
    json_t *object = object_of("margin --data one.json --json --direction p.csv", 0);
    json_t *direction = json_object_get(object, "direction");
    assert_true(fabs(number_of(direction, "cosine") - 0.6) < 1e-15);
    assert_true(fabs(number_of(direction, "bregman") - 0.4) < 1e-15);
    json_decref(object);
    for (size_t k = 0; k < sizeof unusable / sizeof unusable[0]; k++) {
        assert_int_equal(tropism(unusable[k][0]), 1);
        if (!strstr(answer.err, unusable[k][1])) {
            fail_msg("%s", answer.err);
        }
    }
}

static void starts_can_be_drawn(void **state)
{
    (void)state;
    json_t *zeros = object_of(ONE "--steps 0 --start zeros --json", 0);
    assert_true(entry(zeros, "p", 0, 0) == 0 && entry(zeros, "p", 1, 0) == 0);
    json_decref(zeros);
    json_t *one = object_of(ONE "--steps 0 --start normal --json", 0);
    json_t *three = object_of(ONE "--steps 0 --start normal --start-scale 4 --json", 0);
    json_t *other = object_of(ONE "--steps 0 --start normal --seed 2 --json", 0);
    assert_true(entry(one, "p", 0, 0) != 0 && entry(one, "p", 0, 0) != entry(one, "p", 1, 0));
    assert_true(entry(three, "p", 0, 0) == 4 * entry(one, "p", 0, 0));
    assert_true(entry(other, "p", 0, 0) != entry(one, "p", 0, 0));
    assert_true(number_of(other, "seed") == 2);
    json_decref(one);
    json_decref(three);
    json_decref(other);
    json_t *uniform = object_of(ONE "--steps 0 --start uniform --json", 0);
    assert_true(fabs(entry(uniform, "p", 0, 0)) <= 1 && entry(uniform, "p", 0, 0) != 0);
    json_decref(uniform);
}

/* The same line twice, and with other threads: the same bits. */
static void a_run_repeats(void **state)
{
    (void)state;
    assert_same("train --data attsvm --steps 50 --start normal --batch 3 --threads 1 --json",
                "train --data attsvm --steps 50 --start normal --batch 3 --threads 3 --json", NULL);
}

static void weights_that_cannot_be_used_are_refused(void **state)
{
    static const struct {
        const char *line;
        int code;
        const char *sentence;
    } lines[] = {
        { "train --data one.json --start p3.json", 1, "start: p3.json: p is 3: must be 2 numbers" },
        { "train --data one.json --start w.json", 1, "start: w.json: p: is missing" },
        { "train --data cross.json --start wv.json", 1, "wv.json: has v, which this model" },
        { "train --data tiny.json", 2, "leave the range of double" },
        { "margin --data tiny.json", 2, "leave the range of double" },
        { "train --data attsvm --eta-schedule linear:1,-0.1", 2, "eta_schedule: the step size" },
        { "train --data cross.json --start p.json", 1, "start: p.json: W: is missing" },
        { "train --data one.json --model joint --start p.json", 1, "start: p.json: v: is missing" },
        { "train --data cross.json --model kq --start w.json", 1, "start: w.json: K: is missing" },
        { "train --data one.json --start garbage.json", 1, "start: garbage.json: line 1" },
        { "train --data one.json --start nan.json", 1, "start: nan.json" },
        { "train --data one.json --start missing.json", 1, "start: missing.json: No such file" },
        { "train --data one.json --start zero", 2, "start = zero: must be zeros, normal, uniform" },
        { "train --data cross.json --model kq", 2, "K and Q that are both zero never move" },
        { "train --data cross.json --model kq --start zeros", 2, "both zero never move" },
        { "train --data cross.json --model kq --start kq0.json", 2, "both zero never move" },
        { "train --data cross.json --model kq --width 2 --start kq.json", 1,
          "start: kq.json: K is 2 x 1: must be 2 x 2" },
        { "train --steps 5", 2, "data: which data?" },
        { "train --data attsvm --n 1e9 --T 1e9 --d 1e9", 2, "data" },
    };
    (void)state;

    for (size_t k = 0; k < sizeof lines / sizeof lines[0]; k++) {
        if (tropism(lines[k].line) != lines[k].code || !strstr(answer.err, lines[k].sentence) ||
            answer.out[0]) {
            fail_with_answer(lines[k].line, lines[k].sentence);
        }
    }
}

/* ---- ends and files ------------------------------------------------------------------------ */

#define LONG "train --data attsvm --steps 1000000000 --json"

static void a_time_limit_ends_with_what_is_known(void **state)
{
    json_t *object = object_of(LONG " --time-limit 0.01 --out early.json", 1);
    (void)state;

    assert_non_null(strstr(answer.err, "stopped after"));
    assert_non_null(strstr(answer.err, "by the time limit"));
    assert_true(number_of(object, "steps") < 1e9);
    assert_true(number_of(object, "loss") > 0);
    assert_true(json_array_size(json_object_get(object, "history")) >= 1);
    json_decref(object);
    assert_int_equal(access(scratch("early.json"), R_OK), 0);
}

static void ctrl_c_ends_with_what_is_known(void **state)
{
    (void)state;
    json_t *object = interrupted(LONG, 100);
    assert_true(number_of(object, "steps") < 1e9);
    json_decref(object);
}

static void results_are_written_as_json_and_hdf5(void **state)
{
    static char written[200000];
    struct trop_h5 *h5 = NULL;
    struct trop_array array = { 0 };
    (void)state;

    json_t *printed = object_of(ONE "--steps 20 --out run.json --json", 0);
    read_text(written, sizeof written, scratch("run.json"));
    json_t *read = json_loads(written, 0, NULL);
    assert_non_null(read);
    json_object_del(printed, "seconds");
    json_object_del(read, "seconds");
    assert_true(json_equal(printed, read));
    assert_int_equal(tropism(ONE "--steps 20 --out run.h5"), 0);
    assert_non_null(strstr(answer.out, "written to   run.h5"));
    assert_int_equal(trop_h5_open(&h5, scratch("run.h5")), TROP_OK);
    assert_int_equal(trop_h5_numbers(&array, h5, "/result/weights/p"), TROP_OK);
    assert_true(array.data[0] == entry(printed, "p", 0, 0));
    trop_array_free(&array);
    assert_int_equal(trop_h5_numbers(&array, h5, "/result/history/loss"), TROP_OK);
    assert_int_equal(array.shape[0], json_array_size(json_object_get(printed, "history")));
    trop_array_free(&array);
    trop_h5_abandon(h5);
    json_decref(printed);
    json_decref(read);
}

/* The file of a result has the data, and --data takes it: the file alone repeats the run. */
static void the_file_of_a_result_repeats_it(void **state)
{
    (void)state;
    assert_int_equal(tropism("train --data attsvm --n 4 --T 5 --d 6 --seed 3 --steps 9 --out a.h5"),
                     0);
    assert_same("train --data a.h5 --seed 3 --steps 9 --json",
                "train --data attsvm --n 4 --T 5 --d 6 --seed 3 --steps 9 --json", NULL);
    assert_int_equal(tropism("path --data attsvm --n 4 --T 5 --d 6 --seed 3 --radius 3 --out b.h5"),
                     0);
    assert_same("path --data b.h5 --seed 3 --radius 3 --json",
                "path --data attsvm --n 4 --T 5 --d 6 --seed 3 --radius 3 --json", NULL);
}

static void a_study_file_and_the_line_say_the_same(void **state)
{
    (void)state;
    assert_same("train --from study.yaml --json", ONE "--steps 20 --start p.json --json", NULL);
    assert_same("train --from study.yaml --steps 5 --json", ONE "--steps 5 --start p.json --json",
                NULL);
}

static void the_summary_is_for_people(void **state)
{
    (void)state;
    assert_int_equal(tropism(ONE "--steps 40"), 0);
    assert_non_null(strstr(answer.out, "steps        40\n"));
    assert_non_null(strstr(answer.out, "norm         20\n"));
    assert_non_null(strstr(answer.out, "selected     1: 0\n"));
    assert_non_null(strstr(answer.out, "loc. optimal yes\n"));
    assert_non_null(strstr(answer.out, "      step          loss          norm"));
    assert_true(answer.err[0] == '\0');
}

static void help_lists_every_option_and_every_set(void **state)
{
    (void)state;
    assert_help_lists_options("train");
    assert_help_lists_sets();
}

/* With a decoder that is trained the scores of a selection change while it stays. */
static void local_optimality_is_that_of_the_decoder_now(void **state)
{
    static const char *const lines[] = {
        "train --data md-joint --model joint --optimizer nmirror --p 3 --steps 2000",
        "train --data mm-fig-3a --model joint --start down.json --steps 16",
    };
    (void)state;

    for (size_t k = 0; k < 2; k++) {
        char line[256];
        snprintf(line, sizeof line, "%s --json", lines[k]);
        json_t *all = object_of(line, 0);
        snprintf(line, sizeof line, "%s --compare final --json", lines[k]);
        json_t *final = object_of(line, 0);
        const json_t *a = json_object_get(all, "locally_optimal");
        const json_t *b = json_object_get(final, "locally_optimal");
        assert_true(json_is_boolean(a) && json_is_boolean(b));
        assert_int_equal(json_is_true(b), k == 0);
        assert_int_equal(json_is_true(a), k == 0); /* recomputed by hand from the scores */
        json_decref(all);
        json_decref(final);
    }
}

/* While nothing is masked W_fin alone reproduces W, and margins are of nothing that is selected. */
static void a_run_that_has_just_begun_claims_nothing(void **state)
{
    json_t *object = object_of("train --data attsvm --steps 5 --json", 0);
    (void)state;

    assert_null(json_object_get(object, "several"));
    assert_null(json_object_get(object, "margins"));
    json_decref(object);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_has_what_the_manual_promises),
        cmocka_unit_test(an_undecided_run_has_no_solution_beside_it),
        cmocka_unit_test(a_run_starts_from_the_weights_of_a_file),
        cmocka_unit_test(weights_of_results_and_arrays_are_starts_and_directions),
        cmocka_unit_test(starts_can_be_drawn),
        cmocka_unit_test(a_run_repeats),
        cmocka_unit_test(weights_that_cannot_be_used_are_refused),
        cmocka_unit_test(local_optimality_is_that_of_the_decoder_now),
        cmocka_unit_test(a_run_that_has_just_begun_claims_nothing),
        cmocka_unit_test(a_time_limit_ends_with_what_is_known),
        cmocka_unit_test(ctrl_c_ends_with_what_is_known),
        cmocka_unit_test(results_are_written_as_json_and_hdf5),
        cmocka_unit_test(the_file_of_a_result_repeats_it),
        cmocka_unit_test(a_study_file_and_the_line_say_the_same),
        cmocka_unit_test(the_summary_is_for_people),
        cmocka_unit_test(help_lists_every_option_and_every_set),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
