/* test_csv_cli.c -- tables of numbers from outside: a row of words that is passed over. TROP_BUILD
 * is the folder of the program. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_header_is_passed_over_and_told),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_remove);
}
