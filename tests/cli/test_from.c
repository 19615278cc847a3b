/* test_from.c -- a result as a file of options: the same run once more, from outside. TROP_BUILD is
 * the folder of the program. */
#include "cli_support.h"

static int make_files(void **state)
{
    (void)state;
    put("x.csv", "1,2\n0,1\n-1,3\n");
    put("b.csv", "0,1\n-1,0\n");
    put("beta.csv", "1\n2\n3\n");
    put("one.json", "{\"X\": [[[1, 0], [0, 0]]], \"y\": [1], \"v\": [1, 0]}");
    put("p.csv", "3,4\n");
    return 0;
}

/* ---- the same run -------------------------------------------------------------------------- */

/* The files that it was given are gone by then. */
static void a_result_repeats_its_run(void **state)
{
    static const char *const lines[] = {
        "flow --n 5 --alpha 0.5 --key-query -1 --steps 20",
        "flow --n 5 --rule localmax --epsilon .1 --gamma .2 --steps 20 --seed 4",
        "flow --tokens x.csv --key-query b.csv --beta @beta.csv --steps 20 --record residual",
        "flow --tokens x.csv --masses beta.csv --steps 4",
        "flow --copies 3 --n 5 --steps 20 --seed 7",
        "flow --dynamics ode --n 6 --time 1",
        "cells --tokens x.csv --key-query -1 --query b.csv",
        "escape --n 6 --beta 2,3 --gamma .2 --runs 20 --radius .5 --key-query -1",
        "threshold --tokens x.csv --alpha 2",
        "train --data one.json --steps 9",
        "train --data attsvm --model kq --width 2 --start normal --optimizer muon --steps 9",
        "train --data attsvm --optimizer mirror --p 3 --steps 9 --seed 5",
        "margin --data attsvm --norm lp --p 3",
        "path --data attsvm --radius 10,20 --starts 2",
    };
    static const char *const files[] = { "x.csv", "b.csv", "beta.csv", "one.json" };
    static char before[1 << 20], after[1 << 20];
    char line[256];
    (void)state;

    for (size_t k = 0; k < sizeof lines / sizeof lines[0]; k++) {
        snprintf(line, sizeof line, "%s --json --out z.h5", lines[k]);
        print_result(before, sizeof before, line);
        for (size_t f = 0; f < sizeof files / sizeof files[0]; f++) {
            put(files[f], "gone");
        }
        snprintf(line, sizeof line, "%.*s --json --from z.h5", (int)strcspn(lines[k], " "),
                 lines[k]);
        print_result(after, sizeof after, line);
        if (strcmp(before, after) != 0) {
            fail_msg("%s is not repeated:\n%s\n%s", lines[k], before, after);
        }
        make_files(NULL);
    }
}

static void what_the_line_says_wins(void **state)
{
    (void)state;
    assert_int_equal(tropism("flow --n 5 --steps 3 --beta 2 --seed 3 --out d.h5"), 0);
    assert_same("flow --from d.h5 --n 7 --beta 3 --json",
                "flow --n 7 --steps 3 --beta 3 --seed 3 --json", NULL);
    assert_int_equal(tropism("flow --tokens x.csv --steps 3 --out t.h5"), 0);
    assert_same("flow --from t.h5 --tokens b.csv --json", "flow --tokens b.csv --steps 3 --json",
                NULL);
}

/* ---- refusals ------------------------------------------------------------------------------ */

static void what_cannot_be_repeated_is_refused(void **state)
{
    static const char *const unusable[][2] = {
        { "cells --from d.h5", "d.h5: is a file of 'tropism flow run', not a result of cells" },
        { "flow --from none.h5", "none.h5: No such file" },
        { "margin --from directed.h5", "was made with direction, which a result does not keep" },
        { "margin --from problem.h5", "was made of a problem, which --problem reads" },
    };
    (void)state;

    assert_int_equal(tropism("flow --n 5 --steps 3 --out d.h5"), 0);
    assert_int_equal(tropism("margin --data one.json --direction p.csv --out directed.h5"), 0);
    assert_int_equal(tropism("margin --data one.json --dump problem.json"), 0);
    assert_int_equal(tropism("margin --problem problem.json --out problem.h5"), 0);
    for (size_t k = 0; k < sizeof unusable / sizeof unusable[0]; k++) {
        assert_int_equal(tropism(unusable[k][0]), 1);
        if (!strstr(answer.err, unusable[k][1])) {
            fail_msg("%s", answer.err);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_result_repeats_its_run),
        cmocka_unit_test(what_the_line_says_wins),
        cmocka_unit_test(what_cannot_be_repeated_is_refused),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
