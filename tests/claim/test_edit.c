/* test_edit.c -- texts that change a case: what they mean, and that those without a meaning are
 * refused. */
#include "claim/edit.h"
#include "support.h"

#include <string.h>

/* "a" (2, 3) of 1 .. 6, "n" = 2 and an "empty" without elements. */
static struct trop_case *made(void)
{
    struct trop_case *c = NULL;
    double *values = NULL;

    assert_ok(trop_case_create(&c, 1, 0, TROP_CASE_TINY, 1));
    assert_ok(trop_case_make(&values, c, "a", 2, 3, 0));
    for (int k = 0; k < 6; k++) {
        values[k] = 1 + k;
    }
    assert_ok(trop_case_put(c, "n", 2));
    assert_ok(trop_case_make(&values, c, "empty", 0, 0, 0));
    return c;
}

static void sees(const char *text, const char *entry, int64_t k, double expected)
{
    struct trop_case *c = made();

    assert_ok(trop_edit(c, trop_claim_at(0), text));
    assert_true(trop_case_has(c, entry));
    assert_true(trop_case_array(c, entry)[k] == expected);
    trop_case_free(c);
}

static void refuses(const char *text, const char *word)
{
    struct trop_case *c = made();

    assert_int_equal(trop_edit(c, trop_claim_at(0), text), TROP_ERR_ARG);
    if (!strstr(trop_error(), word)) {
        fail_msg("\"%s\" is refused by: %s", text, trop_error());
    }
    trop_case_free(c);
}

static void test_right_sides_see_what_was_there_before(void **state)
{
    (void)state;
    sees("a = {a[1,2] a[0,0] n; 7 8 9}", "a", 0, 6);
    sees("a = {a[1,2] a[0,0] n; 7 8 9}", "a", 1, 1);
    sees("n = {n n^2 -n}", "n", 2, -2);
    sees("a = a / largest(a)", "a", 5, 1);
    sees("a[-1,0:2] = 2 - -a[0,0:2]", "a", 4, 4);
    sees("n = 2^-3^2 * (1 + 1)", "n", 0, 0x1p-8);
    sees("abcdefghijklmnopqrstuvwxyz01234 = 5", "abcdefghijklmnopqrstuvwxyz01234", 0, 5);
}

static void test_what_has_no_meaning_is_refused(void **state)
{
    static const char *const texts[][2] = {
        { "", "a name" },
        { ";", "a name" },
        { "n", "=" },
        { "n = ", "a number or a name" },
        { "n = 1 1", "the end" },
        { "n = (1", ")" },
        { "n = nothing(1)", "no such function" },
        { "n = norm(1)", "no such entry" },
        { "n = missing", "no such entry" },
        { "n = a", "another number" },
        { "missing *= 2", "no such entry" },
        { "missing[0] = 2", "=" },
        { "abcdefghijklmnopqrstuvwxyz012345 = 5", "a name" },
        { "a[2] = 0", "no such element" },
        { "a[99999999999999999999] = 0", "no such element" },
        { "a[-99999999999999999999] = 0", "no such element" },
        { "a[0:-9223372036854775808] = 0", "no such element" },
        { "a[0,0,0] = 0", "no such axis" },
        { "a[] = 0", "a whole number" },
        { "a[0 = 0", "]" },
        { "a[0] = {1 2 3}", "a number or a name" },
        { "a = {}", "rows of one length" },
        { "a = {1 2; 3}", "rows of one length" },
        { "a = {1 2", "a number or a name" },
        { "a = zeros(0)", "an axis" },
        { "a = zeros(2, -1, 3)", "an axis" },
        { "a = zeros(1, 1, 1, 1)", "too many axes" },
        { "empty = 1", "without elements" },
        { "n = empty", "without elements" },
        { "n = least(empty)", "without elements" },
        { "swap a n", "another number" },
        { "swap a", "a name" },
        { "drop", "a name" },
        { "work with", "a name" },
        { "\xff\x01 = 2", "a name" },
    };

    (void)state;
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        refuses(texts[k][0], texts[k][1]);
    }
}

/* ---- hypotheses ---- */

struct asked {
    const char *text;
    struct trop_judge judge;
};

static void ask(void *context, struct trop_case *c)
{
    struct asked *asked = context;

    trop_edit_judge(&asked->judge, c, asked->text);
}

static void judges(const char *text, int64_t verdict)
{
    struct asked asked = { text, { .side = TROP_JUDGE_HYPOTHESIS } };
    struct trop_case *c = made();

    assert_ok(trop_case_part(c, ask, &asked));
    assert_int_equal(trop_judge_verdict(&asked.judge), verdict);
    trop_case_free(c);
}

/* Of what work has not come to, for it saw that there is nothing to do, nothing is said. */
static void test_lines_about_what_is_not_there_are_open(void **state)
{
    (void)state;
    judges("n >= 2", TROP_JUDGE_TRUE);
    judges("twice: n <= 1 and n > 0", TROP_JUDGE_FALSE);
    judges("missing >= 2", TROP_JUDGE_OPEN);
    judges("n >= missing[-1,0:2]", TROP_JUDGE_OPEN);
    judges("norm(missing[3]) / norm(a) <= 2", TROP_JUDGE_OPEN);
    judges("least(missing) >= 0", TROP_JUDGE_OPEN);
    judges("n > 0 and largest(missing) < 3", TROP_JUDGE_OPEN);
    judges("n < 0 and missing < 3", TROP_JUDGE_FALSE);
    judges("missing >= 0; n >= 3", TROP_JUDGE_FALSE);
}

/* Texts that go deeper than any reader has a stack for. */
static void test_texts_that_go_too_deep_are_refused(void **state)
{
    static char text[1000020];
    static const char *const letters[] = { "(", "-", "2^" };

    (void)state;
    for (int k = 0; k < 3; k++) {
        const size_t length = strlen(letters[k]);
        memcpy(text, "n = ", 5);
        for (size_t at = 4; at + length < sizeof text - 10; at += length) {
            memcpy(text + at, letters[k], length + 1);
        }
        refuses(text, "too deep");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right_sides_see_what_was_there_before),
        cmocka_unit_test(test_what_has_no_meaning_is_refused),
        cmocka_unit_test(test_lines_about_what_is_not_there_are_open),
        cmocka_unit_test(test_texts_that_go_too_deep_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
