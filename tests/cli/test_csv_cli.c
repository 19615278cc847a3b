/* test_csv_cli.c -- tables of numbers from outside: a row of words that is passed over, results as
 * tables. TROP_BUILD is the folder of the program. */
#include "cli_support.h"

/* ---- reading ------------------------------------------------------------------------------- */

/* Words above the numbers are told once, on stderr, and change no number. */
static void a_header_is_passed_over_and_told(void **state)
{
    static const char *const but[] = { "options", NULL };

    (void)state;
    put("plain.csv", "1;2\n0;1\n-1;3\n");
    put("named.csv", "# x\nlength;width\n1;2\n0;1\n-1;3\n");
    put("b.csv", "u\tv\n0\t1\n-1\t0\n");
    assert_same("flow --tokens named.csv --steps 4 --json",
                "flow --tokens plain.csv --steps 4 "
                "--json",
                but);
    assert_string_equal(answer.err, "");
    assert_int_equal(tropism("flow --tokens named.csv --steps 4 --key-query b.csv --json"), 0);
    assert_string_equal(answer.err,
                        "tropism: tokens: named.csv: line 2 has words alone, taken as the names of "
                        "the columns; key_query: b.csv: line 1 has words alone, taken as the names "
                        "of the columns\n");
    put("p.csv", "a b c\n1 2 3\n");
    assert_int_equal(tropism("train --data mm-fig-1a --start p.csv --steps 1 --json"), 0);
    assert_non_null(strstr(answer.err, "start: p.csv: line 1 has words alone"));
    assert_int_equal(tropism("margin --data mm-fig-1a --direction p.csv --json"), 0);
    assert_non_null(strstr(answer.err, "direction: p.csv: line 1 has words alone"));
}

static void help_names_standard_input(void **state)
{
    static const char *const help[][2] = {
        { "flow", "tokens" },      { "flow", "masses" },     { "cells", "query" },
        { "threshold", "tokens" }, { "escape", "tokens" },   { "margin", "direction" },
        { "train", "start" },      { "inspect", "q" },       { "check", "tokens" },
        { "flow", "key-query" },   { "cells", "key-query" },
    };

    (void)state;
    for (size_t k = 0; k < sizeof help / sizeof help[0]; k++) {
        char line[64], option[64];
        snprintf(line, sizeof line, "help %s", help[k][0]);
        snprintf(option, sizeof option, "\n  --%s ", help[k][1]);
        assert_int_equal(tropism(line), 0);
        const char *found = strstr(answer.out, option), *at = found ? strstr(found, "standard") : 0;
        assert_non_null(at);
        if (!strstr(help[k][1], "key") && strstr(found + 3, "\n  --") < at) {
            fail_msg("help %s says nothing of - at --%s", help[k][0], help[k][1]);
        }
    }
}

/* ---- files that are read ------------------------------------------------------------------- */

/* Through a name, a link, a part of a file, or another option than tokens. */
static void a_result_never_replaces_its_input(void **state)
{
    static const char *const lines[][2] = {
        { "flow --tokens io.csv --steps 4 --out io.csv", "tokens" },
        { "flow --tokens ./io.csv --steps 4 --out io.csv:record", "tokens" },
        { "flow --tokens link.csv --steps 4 --out io.csv", "tokens" },
        { "flow --tokens io.csv --steps 4 --out link.csv", "tokens" },
        { "flow --n 2 --d 2 --key-query io.csv --out io.csv", "key_query" },
        { "flow --n 2 --gamma @io.csv --out io.csv", "gamma" },
        { "escape --tokens io.csv --out io.csv", "tokens" },
        { "cells --tokens plain.csv --query io.csv --out io.csv", "query" },
        { "flow --tokens io.h5:/input/tokens --steps 4 --out io.h5", "tokens" },
        { "margin --data io.json --dump io.json", "data" },
    };
    char before[200], after[200], words[64];

    (void)state;
    put("plain.csv", "1;2\n0;1\n-1;3\n");
    put("io.csv", "1;.5\n.5;1\n");
    put("io.json", "{\"X\": [[[1, 0], [0, 0]]], \"y\": [1], \"v\": [1, 1]}");
    assert_int_equal(symlink(scratch("io.csv"), scratch("link.csv")), 0);
    assert_int_equal(tropism("flow --tokens io.csv --steps 4 --out io.h5"), 0);
    read_text(before, sizeof before, scratch("io.csv"));
    for (size_t k = 0; k < sizeof lines / sizeof lines[0]; k++) {
        snprintf(words, sizeof words, "is read too (%s)", lines[k][1]);
        if (tropism(lines[k][0]) != 2 || !strstr(answer.err, words)) {
            fail_with_answer(lines[k][0], words);
        }
    }
    read_text(after, sizeof after, scratch("io.csv"));
    assert_string_equal(before, after);
}

/* What was read, what ended the run, and the step size that nobody gave. */
static void a_flow_says_what_it_was_run_with(void **state)
{
    static const char sphere[] = "flow --n 5 --d 3 --init sphere --dynamics sa-step --dt 1";
    char line[200];

    (void)state;
    put("plane.csv", "x;y\n1;2\n0;1\n-1;3\n");
    assert_int_equal(tropism("flow --tokens plane.csv --steps 4"), 0);
    assert_non_null(strstr(answer.out, "\ntokens       3 x 2 from plane.csv\n"));
    assert_int_equal(tropism("flow --tokens plane.csv --steps 4 --json"), 0);
    assert_non_null(strstr(answer.out, "\"gamma\": 0.5"));
    assert_same("flow --tokens plane.csv --steps 4 --json",
                "flow --tokens plane.csv --steps 4 --gamma 0.5 --json", NULL);
    assert_int_equal(tropism("flow --tokens plane.csv --steps 4 --alpha 1 --json"), 0);
    assert_null(strstr(answer.out, "\"gamma\""));
    snprintf(line, sizeof line, "%s --steps 20", sphere); /* beyond the default time of 10 */
    assert_int_equal(tropism(line), 0);
    assert_non_null(strstr(answer.out, "20, to time 20 (took all its steps)\n"));
    snprintf(line, sizeof line, "%s --steps 20 --time 5", sphere);
    assert_int_equal(tropism(line), 0);
    assert_non_null(strstr(answer.out, "5, to time 5 (reached its time)\n"));
    assert_int_equal(tropism(sphere), 0);
    assert_non_null(strstr(answer.out, "10, to time 10 (reached its time)\n"));
    /* A result is repeated as it was, and goes on with another pace. */
    snprintf(line, sizeof line, "%s --steps 20 --out long.h5", sphere);
    assert_int_equal(tropism(line), 0);
    assert_int_equal(tropism("flow --from long.h5"), 0);
    assert_non_null(strstr(answer.out, "20, to time 20 (took all its steps)\n"));
    assert_int_equal(tropism("flow --tokens plane.csv --steps 4 --out short.h5"), 0);
    assert_int_equal(tropism("flow --from short.h5 --alpha 1"), 0);
    assert_int_equal(tropism("flow --from short.h5 --dynamics ode"), 0);
}

/* ---- writing ------------------------------------------------------------------------------- */

static char text[100000];

static const char *written(const char *line, const char *name)
{
    if (tropism(line) != 0) {
        fail_with_answer(line, "must work");
    }
    read_text(text, sizeof text, scratch(name));
    return text;
}

/* The cell in a row below the names, as a number. */
static double cell(const char *table, int row, int column)
{
    for (; row >= 0; row--) {
        table = strchr(table, '\n') + 1;
    }
    for (; column > 0; column--) {
        table = strchr(table, ',') + 1;
    }
    return strtod(table, NULL);
}

static double at(const json_t *array, size_t row, size_t column)
{
    return json_number_value(json_array_get(json_array_get(array, row), column));
}

/* One step of hardmax with gamma = 1/2 from (0, 0), (2, 0), (0, 4): each goes half way to the token
 * of the largest product, the first to the mean of all three, as they tie. */
static void final_tokens_are_a_table(void **state)
{
    (void)state;
    put("t.csv", "0,0\n2,0\n0,4\n");
    assert_string_equal(
        written("flow --tokens t.csv --rule hardmax --gamma .5 --steps 1 --out o.csv", "o.csv"),
        "tokens_0,tokens_1\n0.3333333333333333,0.6666666666666666\n2,0\n0,4\n");
    /* It is read again, to the last bit. */
    assert_string_equal(written("flow --tokens o.csv --steps 0 --out p.csv", "p.csv"),
                        "tokens_0,tokens_1\n0.3333333333333333,0.6666666666666666\n2,0\n0,4\n");
}

static void what_was_recorded_is_a_table(void **state)
{
    (void)state;
    json_t *run = object_of("flow --n 3 --rule softmax --gamma .5 --steps 2 --record "
                            "residual,tokens --json --out r.csv",
                            0);
    const json_t *record = json_object_get(run, "record");
    const char *table = written("flow --n 3 --rule softmax --gamma .5 --steps 2 --record "
                                "residual,tokens --out r.csv",
                                "r.csv");

    assert_memory_equal(table, "step,residual,tokens_0_0,tokens_0_1,tokens_1_0,", 47);
    for (int row = 0; row < 3; row++) {
        assert_true(cell(table, row, 0) == row);
        assert_true(cell(table, row, 1) == json_number_value(json_array_get(
                                               json_object_get(record, "residual"), (size_t)row)));
        for (int k = 0; k < 6; k++) {
            const json_t *tokens = json_array_get(json_object_get(record, "tokens"), (size_t)row);
            assert_true(cell(table, row, 2 + k) == at(tokens, (size_t)k / 2, (size_t)k % 2));
        }
    }
    json_decref(run);
}

static void lists_and_axes_are_tables(void **state)
{
    (void)state;
    json_t *run = object_of("train --data mm-fig-1a --steps 9 --json", 0);
    const json_t *history = json_object_get(run, "history");
    const char *table = written("train --data mm-fig-1a --steps 9 --out h.csv", "h.csv");

    assert_memory_equal(table, "step,loss,log_gap,norm,", 23);
    for (int row = 0; row < (int)json_array_size(history); row++) {
        const json_t *one = json_array_get(history, (size_t)row);
        assert_true(cell(table, row, 0) == number_of(one, "step"));
        assert_true(cell(table, row, 1) == number_of(one, "loss"));
    }
    json_decref(run);
    run = object_of("flow --n 3 --copies 4 --steps 2 --json", 0);
    table = written("flow --n 3 --copies 4 --steps 2 --out c.csv", "c.csv");
    assert_memory_equal(table, "steps,converged,residual,diameter,clusters,tokens_0_0,", 54);
    for (int row = 0; row < 4; row++) {
        assert_true(cell(table, row, 3) == json_number_value(json_array_get(
                                               json_object_get(run, "diameter"), (size_t)row)));
    }
    json_decref(run);
    /* What differs in length has blanks inside, what is not there is an empty cell. */
    put("q.csv", "1,0\n.9,0\n-1,0\n");
    assert_string_equal(written("flow --tokens q.csv --rule hardmax --gamma 1 --steps 1 --out "
                                "l.csv:cluster_list",
                                "l.csv"),
                        "members,mass,centre_0,centre_1,vertex,nearest,moved\n0 1,2,1,0,1,0,0\n"
                        "2,1,-1,0,1,2,0\n");
    table = written("flow --n 3 --copies 4 --rule hardmax --steps 2 --out m.csv:means", "m.csv");
    assert_memory_equal(strchr(table, '\n'), "\n,,,,4,", 7);
}

static void what_is_no_table_is_refused(void **state)
{
    (void)state;
    assert_int_equal(tropism("flow --steps inf --gamma 2 --out x.csv:nosuch"), 2);
    assert_int_equal(tropism("flow --steps 1 --out x.csv:nosuch"), 2);
    assert_non_null(strstr(answer.err, "has no list or array called nosuch"));
    assert_int_equal(tropism("flow --steps 1 --out x.csv:record"), 2);
    assert_non_null(strstr(answer.err, "nothing is recorded"));
    assert_int_equal(tropism("flow --steps 1 --out x.csv:plateaus"), 1);
    assert_non_null(strstr(answer.err, "x.csv:plateaus: the result has no plateaus"));
    assert_int_equal(tropism("threshold --n 4 --out x.csv"), 2);
    assert_non_null(strstr(answer.err, "must end in .h5 or .json"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_header_is_passed_over_and_told),
        cmocka_unit_test(help_names_standard_input),
        cmocka_unit_test(a_result_never_replaces_its_input),
        cmocka_unit_test(a_flow_says_what_it_was_run_with),
        cmocka_unit_test(final_tokens_are_a_table),
        cmocka_unit_test(what_was_recorded_is_a_table),
        cmocka_unit_test(lists_and_axes_are_tables),
        cmocka_unit_test(what_is_no_table_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_remove);
}
