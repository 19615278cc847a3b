/* test_margin_cli.c -- the verb margin, from outside. Data are small enough for answers by hand:
 * keys that are unit vectors, so that norms are roots of whole numbers. TROP_BUILD is the folder
 * of the program. */
#include "cli_support.h"
#include "io/h5/h5.h"

/* Two inputs of two tokens: p_1 >= 1 and p_2 >= 1, norm sqrt(2). */
#define AXES "{\"X\": [[[1, 0], [0, 0]], [[0, 1], [0, 0]]], \"y\": [1, 1], \"v\": [1, 1]}"

static int make_files(void **state)
{
    static const char *const paths[] = { "drawn.json", "drawn.h5", "drawn" };
    struct trop_dataset *dataset = NULL;
    (void)state;

    put("axes.json", AXES);
    put("bare.json", "{\"X\": [[[1, 0], [0, 0]], [[0, 1], [0, 0]]]}");
    put("cross.json", "{\"X\": [[[2, 0], [0, 0]]], \"z\": [[0, 1]]}");
    put("twins.json", "{\"X\": [[[1, 0], [0, 0], [1, 0]]]}");
    put("tied.json", "{\"X\": [[[1, 0], [-1, 0], [0, 0]]], \"K\": [[[1], [-1], [0]]], "
                     "\"v\": [0, 1]}");
    put("sets.json", "{\"sets\": [[0], [0, 1]]}");
    put("shares.json", "{\"weights\": [[1, 0], [0.25, 0.75]]}");
    put("p.json", "{\"p\": [3, 1]}");
    put("other.json", "{\"p\": [-1, 2]}");
    put("study.yaml", "data: axes.json\nnorm: lp\np: 3\n");
    if (trop_dataset_create(&dataset, "attsvm", 3, 4, 5, 7) != TROP_OK) {
        return 1;
    }
    for (int k = 0; k < 3; k++) {
        if (trop_dataset_write(dataset, scratch(paths[k])) != TROP_OK) {
            return 1;
        }
    }
    trop_dataset_free(dataset);
    return 0;
}

/* ---- reading an answer --------------------------------------------------------------------- */

/* Everything but the clock, version and seed. */
static void strip(json_t *object)
{
    json_object_del(object, "seconds");
    json_object_del(object, "seed");
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static void json_has_what_the_manual_promises(void **state)
{
    static const char *const names[] = {
        "outcome",     "norm",  "margin", "weights", "support",    "multipliers",
        "lower",       "upper", "gap",    "rank",    "rank_upper", "iterations",
        "certificate", "seed",  "alpha",  "version", "seconds",
    };
    json_t *object = object_of("margin --data axes.json --json", 0);
    (void)state;

    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        if (!json_object_get(object, names[k])) {
            fail_msg("%s is missing", names[k]);
        }
    }
    assert_string_equal(text_of(object, "outcome"), "solved");
    assert_true(fabs(number_of(object, "norm") - sqrt(2)) < 1e-14);
    assert_true(fabs(number_of(object, "margin") - sqrt(0.5)) < 1e-14);
    assert_true(number_of(object, "lower") <= sqrt(2) && number_of(object, "upper") >= sqrt(2));
    assert_true(fabs(number_of(object, "gap") -
                     (number_of(object, "upper") / number_of(object, "lower") - 1)) < 1e-15);
    assert_string_equal(text_of(json_object_get(object, "certificate"), "kind"), "duality");
    const json_t *weights = json_object_get(object, "weights");
    assert_int_equal(json_object_size(weights), 1);
    const json_t *p = json_object_get(weights, "p");
    assert_int_equal(json_array_size(p), 2);
    assert_true(fabs(json_number_value(json_array_get(p, 0)) - 1) < 1e-15);
    assert_int_equal(json_array_size(json_object_get(object, "support")), 2);
    assert_true(number_at(object, "support", 1, 0) == 1 && number_at(object, "support", 1, 1) == 1);
    assert_int_equal(json_array_size(json_object_get(object, "multipliers")), 2);
    /* r' lambda = lower: half of sqrt(2) each. */
    const json_t *lambda = json_object_get(object, "multipliers");
    assert_true(fabs(json_number_value(json_array_get(lambda, 0)) - sqrt(0.5)) < 1e-14);
    json_decref(object);
}

static void weights_have_the_name_of_the_model(void **state)
{
    static const struct {
        const char *line, *name;
        size_t size; /* of its first axis */
    } models[] = {
        { "margin --data bare.json --select 0,0 --json", "p", 2 },
        { "margin --data cross.json --select 0 --json", "W", 2 },
        { "margin --data axes.json --model label --json", "v", 2 },
        { "margin --data axes.json --model self --json", "W", 2 },
        { "margin --data ntp --json", "W", 8 },
        { "margin --data drawn.h5 --norm nuclear --json", "W", 5 },
    };
    (void)state;

    for (size_t k = 0; k < sizeof models / sizeof models[0]; k++) {
        json_t *object = object_of(models[k].line, 0);
        const json_t *weights = json_object_get(object, "weights");
        assert_int_equal(json_object_size(weights), 1);
        assert_int_equal(json_array_size(json_object_get(weights, models[k].name)), models[k].size);
        json_decref(object);
    }
    /* <(2, 0)' (0, 1), W> = 2 W_01: W = 1/2 there, of rank 1. */
    json_t *object = object_of("margin --data cross.json --select 0 --json", 0);
    const json_t *w = json_object_get(json_object_get(object, "weights"), "W");
    assert_true(fabs(json_number_value(json_array_get(json_array_get(w, 0), 1)) - 0.5) < 1e-15);
    assert_true(number_of(object, "rank") == 1 && number_of(object, "rank_upper") == 1);
    json_decref(object);
}

/* Inputs of one token: <(1, 1/2), v> >= 1 and <(1/2, -2), v> >= 1, both tight at (10/9, -2/9). */
static void one_token_of_each_input_leaves_nothing_to_select(void **state)
{
    static const double expected[] = { 10. / 9, -2. / 9 };
    (void)state;

    put("single.json", "{\"X\": [[[1, 0.5]], [[-0.5, 2]]], \"y\": [1, -1]}");
    json_t *object = object_of("margin --data single.json --model label --json", 0);
    const json_t *v = json_object_get(json_object_get(object, "weights"), "v");
    for (size_t c = 0; c < 2; c++) {
        assert_true(fabs(json_number_value(json_array_get(v, c)) - expected[c]) < 1e-14);
    }
    json_decref(object);
}

static void infeasible_is_an_answer(void **state)
{
    json_t *object = object_of("margin --data twins.json --select 0 --json", 0);
    const json_t *certificate = json_object_get(object, "certificate");
    (void)state;

    assert_string_equal(text_of(object, "outcome"), "infeasible");
    assert_string_equal(text_of(object, "norm"), "inf");
    assert_string_equal(text_of(object, "upper"), "inf");
    assert_true(number_of(object, "margin") == 0);
    assert_string_equal(text_of(object, "lower"), "inf"); /* the row is 0 >= 1 itself */
    assert_null(json_object_get(object, "weights"));
    assert_string_equal(text_of(certificate, "kind"), "zero-row");
    assert_true(json_integer_value(json_array_get(json_object_get(certificate, "rows"), 0)) == 1);
    json_decref(object);
    assert_int_equal(tropism("margin --data twins.json --select 0"), 0);
    assert_non_null(strstr(answer.out, "infeasible"));
    assert_non_null(strstr(answer.out, "zero-row"));
}

/* ---- exit codes ---------------------------------------------------------------------------- */

static void an_early_end_is_exit_1_with_a_result(void **state)
{
    json_t *object = object_of("margin --data drawn.json --iterations 1 --json", 1);
    (void)state;

    assert_string_equal(text_of(object, "outcome"), "iteration-limit");
    assert_non_null(strstr(answer.err, "the solver was stopped"));
    json_decref(object);
    object = object_of("margin --data attsvm --time-limit 1e-9 --out early.json --json", 1);
    assert_string_equal(text_of(object, "outcome"), "iteration-limit");
    assert_true(json_is_null(json_object_get(object, "norm")));
    assert_string_equal(text_of(object, "upper"), "inf");
    assert_non_null(strstr(answer.err, "the solver was stopped by the time limit"));
    json_decref(object);
    assert_int_equal(access(scratch("early.json"), R_OK), 0);
    assert_int_equal(tropism("margin --data attsvm --time-limit 1e-9"), 1);
    assert_non_null(strstr(answer.out, "iteration-limit"));
}

/* Rows (1, 0) and (-1, e) with e = 1e-9: the norm is about 2e9. A tolerance below what rounding
 * allows is widened to it, and no more. */
static void the_accuracy_of_a_hard_problem_is_told(void **state)
{
    (void)state;
    put("hard.json", "{\"X\": [[[1, 0], [0, 0]], [[-1, 1e-9], [0, 0]]]}");
    json_t *object = object_of("margin --data hard.json --select 0,0 --tolerance 1e-15 --json", 0);
    assert_string_equal(text_of(object, "outcome"), "solved");
    assert_true(fabs(number_of(object, "norm") / sqrt(1 + 4e18) - 1) < 1e-6);
    assert_true(number_of(object, "lower") <= sqrt(1 + 4e18) * (1 + 1e-15));
    assert_true(fabs(number_of(object, "tolerance") / (8 * 0x1p-53 * number_of(object, "kappa")) -
                     1) < 1e-15);
    json_decref(object);
}

/* More selections than there is time for. */
#define LONG "margin --data attsvm --n 5 --T 9 --d 20 --enumerate --json"

static void ctrl_c_and_the_clock_end_a_list(void **state)
{
    (void)state;
    json_t *object = object_of(LONG " --time-limit 0.2", 1);
    assert_non_null(strstr(answer.err, "selections by the time limit"));
    assert_true(number_of(object, "combinations") < 59049);
    json_decref(object);
    object = interrupted(LONG, 100);
    json_decref(object);
}

/* ---- files --------------------------------------------------------------------------------- */

static void files_of_every_format_give_the_same_bits(void **state)
{
    (void)state;
    assert_same("margin --data drawn.json --json", "margin --data drawn.h5 --json", NULL);
    assert_same("margin --data drawn.json --json", "margin --data drawn --json", NULL);
    assert_same("margin --data drawn.json --json",
                "margin --data attsvm --n 3 --T 4 --d 5 --seed 7 --json",
                (const char *const[]){ "seed", NULL });
}

/* What a problem cannot know: which token was chosen, and the scores. */
static const char *const unknown[] = {
    "options", /* of data, or of a problem */
    "alpha",   "locally_optimal", "score_gap", "score_gap_at", "assumptions", "cone", "finite", NULL
};

static void a_dump_gives_the_same_bits(void **state)
{
    static const char *const options[] = {
        "--norm l2",     "--norm lp --p 1.5", "--norm lp --p 7", "--norm l1",
        "--norm linf",   "--norm nuclear",    "--norm spectral", "--relaxed 1",
        "--model label", "--relaxed auto",    "--select 1,0,1",  "--equal sets3.json",
    };
    (void)state;
    put("sets3.json", "{\"sets\": [[0, 1], [2], [3, 0]]}");
    for (size_t k = 0; k < sizeof options / sizeof options[0]; k++) {
        for (int h5 = 0; h5 < 2; h5++) {
            const char *path = h5 ? "dump.h5" : "dump.json";
            char one[200], two[200];
            snprintf(one, sizeof one, "margin --data drawn.json %s --dump %s --json", options[k],
                     path);
            snprintf(two, sizeof two, "margin --problem %s --json", path);
            json_t *a = object_of(one, 0), *b = object_of(two, 0);
            strip(a);
            strip(b);
            for (const char *const *name = unknown; *name; name++) {
                json_object_del(a, *name);
                json_object_del(b, *name);
            }
            /* A vector of a problem is p: of a label problem its name is lost. */
            if (strstr(options[k], "label")) {
                json_t *weights = json_object_get(a, "weights");
                json_object_set_new(weights, "p", json_incref(json_object_get(weights, "v")));
                json_object_del(weights, "v");
            }
            if (!json_equal(a, b)) {
                fail_msg("%s: %s and %s differ", options[k], json_dumps(a, 0), json_dumps(b, 0));
            }
            json_decref(a);
            json_decref(b);
        }
    }
}

/* The norm of a dump is what it was made for; one that is given wins, and so does an exponent. */
static void the_line_wins_over_the_dump(void **state)
{
    (void)state;
    assert_int_equal(tropism("margin --data axes.json --norm lp --p 3 --dump lp.json"), 0);
    json_t *own = object_of("margin --problem lp.json --json", 0);
    assert_true(fabs(number_of(own, "norm") - cbrt(2)) < 1e-9);
    json_decref(own);
    json_t *given = object_of("margin --problem lp.json --norm l1 --json", 0);
    assert_true(fabs(number_of(given, "norm") - 2) < 1e-9);
    json_decref(given);
    json_t *two = object_of("margin --problem lp.json --norm lp --json", 0);
    assert_true(fabs(number_of(two, "norm") - cbrt(2)) < 1e-9); /* with the exponent of the dump */
    json_decref(two);
    json_t *p = object_of("margin --problem lp.json --p 4 --json", 0);
    assert_true(fabs(number_of(p, "norm") - pow(2, 0.25)) < 1e-9);
    json_decref(p);
    p = object_of("margin --data axes.json --p 4 --json", 0);
    assert_true(fabs(number_of(p, "norm") - pow(2, 0.25)) < 1e-9);
    json_decref(p);
}

static void results_are_written_as_json_and_hdf5(void **state)
{
    static char written[100000];
    struct trop_h5 *h5 = NULL;
    struct trop_array array = { 0 };
    (void)state;

    json_t *printed = object_of("margin --data drawn.json --out one.json --json", 0);
    read_text(written, sizeof written, scratch("one.json"));
    json_t *read = json_loads(written, 0, NULL);
    assert_non_null(read);
    strip(printed);
    strip(read);
    assert_true(json_equal(printed, read));
    assert_int_equal(tropism("margin --data drawn.json --out one.h5"), 0);
    assert_int_equal(trop_h5_open(&h5, scratch("one.h5")), TROP_OK);
    assert_int_equal(trop_h5_numbers(&array, h5, "/result/weights/W"), TROP_OK);
    const json_t *w = json_object_get(json_object_get(printed, "weights"), "W");
    for (size_t e = 0; e < 25; e++) {
        assert_true(array.data[e] ==
                    json_number_value(json_array_get(json_array_get(w, e / 5), e % 5)));
    }
    trop_array_free(&array);
    assert_int_equal(trop_h5_numbers(&array, h5, "/input/problem/point"), TROP_OK);
    assert_int_equal(array.shape[1], 5);
    trop_array_free(&array);
    trop_h5_abandon(h5);
    json_decref(printed);
    json_decref(read);
}

static void a_study_file_and_the_line_say_the_same(void **state)
{
    (void)state;
    assert_same("margin --from study.yaml --json", "margin --data axes.json --norm lp --p 3 --json",
                NULL);
    assert_same("margin --from study.yaml --p 4 --json",
                "margin --data axes.json --norm lp --p 4 --json", NULL);
}

static void threads_change_nothing(void **state)
{
    (void)state;
    assert_same("margin --data attsvm --norm lp --p 3 --threads 1 --json",
                "margin --data attsvm --norm lp --p 3 --threads 5 --json", NULL);
}

/* ---- tokens -------------------------------------------------------------------------------- */

static void tied_tokens_may_both_win(void **state)
{
    (void)state;
    put("both.json", "{\"X\": [[[1], [1], [0]]], \"K\": [[[1], [-1], [0]]], \"v\": [1]}");
    json_t *object = object_of("margin --data both.json --select optimal --json", 0);
    assert_true(number_of(object, "combinations") == 2 && number_of(object, "feasible") == 2);
    assert_true(fabs(number_of(object, "norm") - 1) < 1e-14);
    json_decref(object);
    assert_int_equal(tropism("margin --data both.json"), 0);
    assert_non_null(strstr(answer.out, "the best of 2 choices, 2 of them feasible"));
    assert_int_equal(tropism("margin --data both.json --dump never.json"), 2);
    assert_non_null(strstr(answer.err, "dump: 2 selections are problems of their own"));
    assert_int_not_equal(access(scratch("never.json"), R_OK), 0);
}

static void selected_sets_come_from_files(void **state)
{
    (void)state;
    json_t *object = object_of("margin --data axes.json --equal sets.json --json", 0);
    /* p_1 >= 1, p_2 = 0. */
    assert_true(fabs(number_of(object, "norm") - 1) < 1e-14);
    json_decref(object);
    object = object_of("margin --data axes.json --equal shares.json --json", 0);
    assert_true(fabs(number_of(object, "norm") - 1) < 1e-14);
    const json_t *finite = json_object_get(object, "finite");
    assert_string_equal(text_of(finite, "outcome"), "solved");
    assert_true(fabs(number_of(finite, "norm") - log(3)) < 1e-14); /* -p_2 = log(3) */
    json_decref(object);
    assert_int_equal(tropism("margin --data axes.json --equal shares.json"), 0);
    assert_non_null(strstr(answer.out, "|W_fin|"));
}

static void a_direction_comes_from_a_file(void **state)
{
    (void)state;
    json_t *object = object_of("margin --data axes.json --direction p.json --json", 0);
    const json_t *direction = json_object_get(object, "direction");
    /* Leads 3 and 1 over a length of sqrt(10). */
    assert_true(fabs(number_of(direction, "margin") - 1 / sqrt(10)) < 1e-15);
    assert_true(number_of(direction, "neighbours") == 1);
    assert_true(json_is_true(json_object_get(direction, "optimal")));
    json_decref(object);
    assert_int_equal(tropism("margin --data axes.json --direction p.json"), 0);
    assert_non_null(strstr(answer.out, "direction    2: 0, 0"));
    assert_non_null(strstr(answer.out, "its margin"));
    assert_non_null(strstr(answer.out, "neighbours   1 at its margin, with lower scores"));
    assert_null(strstr(answer.out, "--select"));
}

/* (3, 1) has the margin 1 / 3 in l-infinity, where 1 is the best. */
static void a_direction_is_measured_in_the_norm_of_the_problem(void **state)
{
    (void)state;
    json_t *object = object_of("margin --data axes.json --direction p.json --norm linf --json", 0);
    const json_t *direction = json_object_get(object, "direction");
    assert_true(fabs(number_of(direction, "margin") - 1 / sqrt(10)) < 1e-15);
    assert_true(fabs(number_of(direction, "norm_margin") - 1.0 / 3) < 1e-15);
    assert_true(fabs(number_of(direction, "ratio") - 1.0 / 3) < 1e-14);
    assert_true(number_of(direction, "others") == 0);
    json_decref(object);
    /* sqrt(5) of the best margin, 1 / sqrt(2). */
    object = object_of("margin --data axes.json --direction p.json --json", 0);
    direction = json_object_get(object, "direction");
    assert_true(fabs(number_of(direction, "ratio") - sqrt(0.2)) < 1e-14);
    json_decref(object);
}

static void a_direction_that_selects_other_tokens_is_told(void **state)
{
    (void)state;
    assert_int_equal(tropism("margin --data axes.json --direction other.json"), 0);
    assert_non_null(strstr(answer.out, "W does not select the token of the solution in 1 of 2"));
    assert_non_null(strstr(answer.out, "neighbours   1 at its margin, not all with lower scores"));
    assert_non_null(strstr(answer.out, "For its own tokens: --select 1,0\n"));
    assert_int_equal(tropism("margin --data axes.json --direction other.json --select 1,0"), 0);
    assert_null(strstr(answer.out, "does not select"));
    assert_int_equal(tropism("margin --data axes.json --direction other.json --report other.html"),
                     0);
    FILE *file = fopen(scratch("other.html"), "r");
    static char page[100000];
    assert_non_null(file);
    page[fread(page, 1, sizeof page - 1, file)] = '\0';
    fclose(file);
    assert_non_null(strstr(page, "in <strong>1</strong> inputs that is not the token"));
}

/* ---- words --------------------------------------------------------------------------------- */

static void the_summary_is_for_people(void **state)
{
    (void)state;
    assert_int_equal(tropism("margin --data axes.json"), 0);
    assert_non_null(strstr(answer.out, "outcome      solved\n"));
    assert_non_null(strstr(answer.out, "norm         1.414213562"));
    assert_non_null(strstr(answer.out, "support      2 of 2 constraints: (0, 1), (1, 1)\n"));
    assert_non_null(strstr(answer.out, "selected     2: 0, 0\n"));
    assert_true(answer.err[0] == '\0');
    assert_int_equal(tropism("margin --data mm-fig-8 --enumerate"), 0);
    assert_non_null(strstr(answer.out, "4 of 4 selections have a solution; locally optimal:"));
    assert_non_null(strstr(answer.out, "1  0,1\n"));
    assert_non_null(strstr(answer.out, "3.16228  0,0\n"));
}

/* What is wrong with files and their names is said before anything is solved. */
static void wrong_files_are_refused(void **state)
{
    static const struct wrong wrong[] = {
        { "margin --data axes.json --out one.json --dump ./one.json", 2,
          "out and dump: one.json is one file, must be two" },
        { "margin --data axes.json --out .//one.json --dump one.json", 2, "out and dump:" },
        { "margin --data attsvm --seed 18446744073709551615", 2,
          "seed = 18446744073709551615: stands for the own seed of a set, must be less" },
        { "margin --data rows.json", 2,
          "select: the decoder v has several rows and must have one to score tokens by" },
        { "margin --data rows.json --select 0,0 --enumerate", 2,
          "enumerate: the decoder v has several rows and must have one" },
        { "margin --data labels.json", 2, "2 labels of an input, the prompt model needs 1" },
        { "margin --problem old.json", 1, "layout is 2: must be 1" },
        { "margin --problem bare_layout.json", 1, "layout: is missing" },
    };
    static char text[10000];
    (void)state;

    put("rows.json", "{\"X\": [[[1, 0], [0, 0]], [[0, 1], [0, 0]]], \"v\": [[1, 1], [1, 2]]}");
    put("labels.json", "{\"X\": [[[1, 0], [0, 0]], [[0, 1], [0, 0]]], \"y\": [[1, 1], [1, -1]]}");
    assert_int_equal(tropism("margin --data axes.json --dump layout.json"), 0);
    read_text(text, sizeof text, scratch("layout.json"));
    json_t *object = json_loads(text, 0, NULL);
    json_object_set_new(object, "layout", json_integer(2));
    char *old = json_dumps(object, 0);
    put("old.json", old);
    free(old);
    json_object_del(object, "layout");
    char *bare = json_dumps(object, 0);
    put("bare_layout.json", bare);
    free(bare);
    json_decref(object);
    assert_refused(wrong, sizeof wrong / sizeof wrong[0]);
}

/* What a file could not take is printed all the same, for every verb that has one. */
static void an_answer_is_printed_when_its_file_is_not_written(void **state)
{
    static const char *const lines[] = {
        "margin --data axes.json --out /dev/full",
        "margin --data axes.json --out /dev/full --json",
        "margin --data axes.json --out full.h5",
        "cells --n 4 --d 2 --out /dev/full",
        "cells --n 4 --d 2 --out full.h5 --json",
        "path --data axes.json --out /dev/full --json",
        "flow --n 4 --out /dev/full",
        "flow --n 4 --out full.h5 --json",
        "flow --copies 2 --n 4 --out /dev/full",
        "flow --copies 2 --n 4 --out full.h5 --json",
    };
    (void)state;

    if (access("/dev/full", W_OK) != 0) {
        skip();
    }
    assert_int_equal(symlink("/dev/full", scratch("full.h5")), 0);
    for (size_t k = 0; k < sizeof lines / sizeof lines[0]; k++) {
        if (tropism(lines[k]) != 1 || !answer.out[0] || strstr(answer.out, "written to") ||
            !strstr(answer.err, "No space")) {
            fail_with_answer(lines[k], "the answer on stdout, the failure on stderr");
        }
    }
    unlink(scratch("full.h5"));
}

/* The optimal tokens of mm-fig-9 apart, a selection that was not solved is not called locally
 * optimal, in a list and by itself; solved, the second is not. */
static void early_ends_are_ambiguous(void **state)
{
    json_t *object =
        object_of("margin --data mm-fig-9 --enumerate --norm l1 --iterations 2 --json", 1);
    const json_t *list = json_object_get(object, "selections");
    size_t firm = 0, open = 0;
    (void)state;

    for (size_t k = 0; k < json_array_size(list); k++) {
        const json_t *one = json_array_get(list, k);
        const int early = strcmp(text_of(one, "outcome"), "solved") != 0;
        firm += early && json_is_true(json_object_get(one, "locally_optimal"));
        open += early && json_is_string(json_object_get(one, "locally_optimal"));
    }
    assert_true(firm <= 1 && open > 1);
    json_decref(object);
    object = object_of(
        "margin --data attsvm --select 4,3,1,0,0,0 --norm nuclear --iterations 5 --json", 1);
    assert_string_equal(text_of(object, "locally_optimal"), "ambiguous");
    assert_true(number_of(object, "support_doubtful") == number_of(object, "constraints"));
    json_decref(object);
    object = object_of("margin --data attsvm --select 4,3,1,0,0,0 --norm nuclear --json", 0);
    assert_true(json_is_false(json_object_get(object, "locally_optimal")));
    json_decref(object);
}

static void a_contradiction_is_named(void **state)
{
    (void)state;
    put("middle.json", "{\"X\": [[[1, 0], [0, 0], [2, 0]]]}");
    assert_int_equal(tropism("margin --data middle.json --select 0"), 0);
    assert_non_null(strstr(answer.out, "proof        farkas-exact\nconstraints  0, 1\n"));
    json_t *object = object_of("margin --data middle.json --select 0 --json", 0);
    assert_null(json_object_get(json_object_get(object, "certificate"), "tau"));
    json_decref(object);
}

/* 380 constraints of 25,600 unknowns are more than 2^23 numbers. */
static void a_solver_that_is_not_started_says_why(void **state)
{
    (void)state;
    assert_int_equal(tropism("margin --data attsvm --n 20 --T 20 --d 160 --norm l1"), 1);
    assert_non_null(strstr(answer.err, "constraints times unknowns exceed 2^23, and the solver of "
                                       "l1 and linf was not started"));
}

static void help_lists_every_option_and_every_set(void **state)
{
    (void)state;
    assert_help_lists_options("margin");
    assert_help_lists_sets();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_has_what_the_manual_promises),
        cmocka_unit_test(weights_have_the_name_of_the_model),
        cmocka_unit_test(one_token_of_each_input_leaves_nothing_to_select),
        cmocka_unit_test(infeasible_is_an_answer),
        cmocka_unit_test(an_early_end_is_exit_1_with_a_result),
        cmocka_unit_test(the_accuracy_of_a_hard_problem_is_told),
        cmocka_unit_test(ctrl_c_and_the_clock_end_a_list),
        cmocka_unit_test(files_of_every_format_give_the_same_bits),
        cmocka_unit_test(a_dump_gives_the_same_bits),
        cmocka_unit_test(the_line_wins_over_the_dump),
        cmocka_unit_test(results_are_written_as_json_and_hdf5),
        cmocka_unit_test(a_study_file_and_the_line_say_the_same),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(tied_tokens_may_both_win),
        cmocka_unit_test(selected_sets_come_from_files),
        cmocka_unit_test(a_direction_comes_from_a_file),
        cmocka_unit_test(a_direction_is_measured_in_the_norm_of_the_problem),
        cmocka_unit_test(a_direction_that_selects_other_tokens_is_told),
        cmocka_unit_test(the_summary_is_for_people),
        cmocka_unit_test(wrong_files_are_refused),
        cmocka_unit_test(an_answer_is_printed_when_its_file_is_not_written),
        cmocka_unit_test(early_ends_are_ambiguous),
        cmocka_unit_test(a_contradiction_is_named),
        cmocka_unit_test(a_solver_that_is_not_started_says_why),
        cmocka_unit_test(help_lists_every_option_and_every_set),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
