/* test_field.c -- fields as rows of a table: plain members, lists, forms, readers that fail. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/field.h"
#include "base/status.h"

struct row {
    double mass;
    int64_t size;
};

struct result {
    double gap, unknown;
    int64_t count, kind, none;
    int is_done;
    const char *word, *silence;
    char inside[8], blank[8];
    double pair[2];
    int64_t n, d;
    const double *tokens; /* (n, d) */
    const double *absent;
    const struct row *rows;
    const int64_t *blocks; /* (count, n) */
    const int64_t *each;   /* (count) */
};

static const double tokens[] = { 1, 2, 3, 4, 5, 6 };
static const int64_t blocks[] = { 10, 11, 12, 20, 21, 22 };
static const int64_t each[] = { 1, -1 };
static const struct row rows[] = { { 0.5, 3 }, { 1.5, 4 } };
static const struct result result = {
    .gap = 0.25,
    .unknown = NAN,
    .count = 2,
    .kind = 1,
    .none = -1,
    .is_done = 1,
    .word = "word",
    .silence = "",
    .inside = "inner",
    .pair = { 7, 8 },
    .n = 3,
    .d = 2,
    .tokens = tokens,
    .rows = rows,
    .blocks = blocks,
    .each = each,
};

static int never(const void *handle, int64_t row)
{
    (void)handle;
    (void)row;
    return 0;
}

TROP_FIELD_READ(read_failing)
{
    (void)out;
    (void)handle;
    return row == 0 ? trop_fail(TROP_ERR_NUMERIC, "the sum overflows") : TROP_OK;
}

static int asked;

static enum trop_status complete(void *handle)
{
    (void)handle;
    return asked++ == 0 ? trop_fail(TROP_ERR_NUMERIC, "not yet") : TROP_OK;
}

static int after_asking(const void *handle, int64_t row)
{
    (void)handle;
    (void)row;
    return asked > 0;
}

#define AT(member) TROP_FIELD_AT(struct result, member)
#define ROW(member) TROP_FIELD_THROUGH(struct result, rows, struct row, member)
#define EACH(array) TROP_FIELD_EACH(struct result, array)
#define N offsetof(struct result, n)
#define D offsetof(struct result, d)

static const char *const kinds[] = { "first", "second" };

static const struct trop_field columns[] = {
    { "mass", "", .kind = TROP_KIND_NUMBER, ROW(mass) },
    { "size", "", .kind = TROP_KIND_INTEGER, ROW(size) },
    { "block", "", .kind = TROP_KIND_INTEGERS, AT(blocks), .by_row = 1,
      .axes = { { "token", 0, N } } },
    { "each", "", .kind = TROP_KIND_INTEGER, EACH(each) },
    { "decided", "", EACH(each), .form = trop_field_decided },
    { 0 },
};

static const struct trop_field table[] = {
    { "gap", "", .kind = TROP_KIND_NUMBER, AT(gap) },
    { "unknown", "", AT(unknown), .form = trop_field_known },
    { "known", "", AT(gap), .form = trop_field_known },
    { "count", "", .kind = TROP_KIND_INTEGER, AT(count) },
    { "none", "", AT(none), .form = trop_field_counted },
    { "done", "", .kind = TROP_KIND_BOOLEAN, AT(is_done) },
    { "word", "", .kind = TROP_KIND_TEXT, AT(word) },
    { "silence", "", AT(silence), .form = trop_field_said },
    { "inside", "", .kind = TROP_KIND_TEXT, AT(inside), .inside = 1 },
    { "said", "", AT(inside), .form = trop_field_said_inside },
    { "unsaid", "", AT(blank), .form = trop_field_said_inside },
    { "kind", "", .kind = TROP_KIND_TEXT, AT(kind), .names = kinds },
    { "pair", "", .kind = TROP_KIND_NUMBERS, AT(pair), .inside = 1, .axes = { { "end", 2, 0 } } },
    { "tokens", "", .kind = TROP_KIND_NUMBERS, AT(tokens),
      .axes = { { "token", 0, N }, { "coordinate", 0, D } } },
    { "absent", "", .kind = TROP_KIND_NUMBERS, AT(absent), .axes = { { "token", 0, N } } },
    { "never", "", .kind = TROP_KIND_NUMBER, AT(gap), .when = never },
    { "failing", "", .read = read_failing },
    { "completed", "", .kind = TROP_KIND_NUMBER, AT(gap), .before = complete,
      .when = after_asking },
    { "list", "", .kind = TROP_KIND_LIST, AT(count), .columns = columns },
    { 0 },
};

static struct trop_value value_of(const char *name)
{
    struct trop_value value;

    assert_int_equal(trop_field_value(&value, table, &result, name), TROP_OK);
    return value;
}

static void plain_members_need_no_reader(void **state)
{
    (void)state;
    assert_true(value_of("gap").number == 0.25);
    assert_int_equal(value_of("count").integer, 2);
    assert_int_equal(value_of("done").kind, TROP_KIND_BOOLEAN);
    assert_int_equal(value_of("done").integer, 1);
    assert_string_equal(value_of("word").text, "word");
    assert_string_equal(value_of("inside").text, "inner");
    assert_string_equal(value_of("said").text, "inner");
    assert_string_equal(value_of("kind").text, "second");
    assert_true(value_of("known").number == 0.25);
}

static void what_is_not_there_is_null(void **state)
{
    static const char *const names[] = {
        "unknown", "none", "silence", "unsaid", "absent", "never"
    };

    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        assert_int_equal(value_of(names[k]).kind, TROP_KIND_NULL);
        assert_int_equal(value_of(names[k]).rank, 0);
    }
}

static void arrays_have_the_shape_of_their_members(void **state)
{
    (void)state;
    struct trop_value value = value_of("tokens");
    assert_int_equal(value.rank, 2);
    assert_int_equal(value.shape[0], 3);
    assert_int_equal(value.shape[1], 2);
    assert_string_equal(value.axes[1], "coordinate");
    assert_ptr_equal(value.numbers, tokens);
    value = value_of("pair");
    assert_int_equal(value.shape[0], 2);
    assert_true(value.numbers[1] == 8);
}

static void cells_are_found_by_list_and_column(void **state)
{
    struct trop_value value;
    double number;

    (void)state;
    assert_int_equal(value_of("list").shape[0], 2);
    assert_int_equal(trop_field_cell(&value, table, &result, "list", "mass", 1), TROP_OK);
    assert_true(value.number == 1.5);
    assert_int_equal(trop_field_cell(&value, table, &result, "list", "block", 1), TROP_OK);
    assert_int_equal(value.shape[0], 3);
    assert_int_equal(value.integers[0], 20);
    assert_int_equal(trop_field_cell_number(&number, table, &result, "list", "size", 1), TROP_OK);
    assert_true(number == 4);
    assert_int_equal(trop_field_cell_number(&number, table, &result, "list", "block", 1), TROP_OK);
    assert_true(isnan(number));
    assert_int_equal(trop_field_cell(&value, table, &result, "list", "each", 1), TROP_OK);
    assert_int_equal(value.integer, -1);
    assert_int_equal(trop_field_cell(&value, table, &result, "list", "decided", 0), TROP_OK);
    assert_int_equal(value.kind, TROP_KIND_BOOLEAN);
    assert_int_equal(value.integer, 1);
    assert_int_equal(trop_field_cell(&value, table, &result, "list", "decided", 1), TROP_OK);
    assert_int_equal(value.kind, TROP_KIND_NULL);
    assert_int_equal(trop_field_cell(&value, table, &result, "list", "mass", 2), TROP_ERR_ARG);
    assert_string_equal(trop_error(), "row 2 of list: there are 2");
    assert_int_equal(trop_field_cell(&value, table, &result, "list", "mess", 0), TROP_ERR_ARG);
    assert_string_equal(trop_error(), "mess of list: no such column");
    assert_int_equal(trop_field_cell(&value, table, &result, "gap", "mass", 0), TROP_ERR_ARG);
}

static void a_reader_that_fails_says_so(void **state)
{
    struct trop_value value;
    double number;

    (void)state;
    assert_int_equal(trop_field_value(&value, table, &result, "failing"), TROP_ERR_NUMERIC);
    assert_string_equal(trop_error(), "the sum overflows");
    assert_int_equal(trop_field_as_number(&number, table, &result, "failing"), TROP_ERR_NUMERIC);
    assert_int_equal(trop_field_value(&value, table, &result, "other"), TROP_ERR_ARG);
}

static void a_handle_is_completed_before_a_member_is_read(void **state)
{
    struct trop_value value;

    (void)state;
    assert_int_equal(trop_field_value(&value, table, &result, "completed"), TROP_ERR_NUMERIC);
    assert_string_equal(trop_error(), "not yet");
    asked = 1;
    assert_true(value_of("completed").number == 0.25);
    assert_int_equal(asked, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_members_need_no_reader),
        cmocka_unit_test(what_is_not_there_is_null),
        cmocka_unit_test(arrays_have_the_shape_of_their_members),
        cmocka_unit_test(cells_are_found_by_list_and_column),
        cmocka_unit_test(a_reader_that_fails_says_so),
        cmocka_unit_test(a_handle_is_completed_before_a_member_is_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
