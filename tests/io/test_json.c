/* test_json.c -- results as JSON, read back by jansson. */
#include <float.h>
#include <jansson.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "alloc_failing.c"
#include "io/json/json.h"

/* A result with every kind of field. */
struct result {
    double gap;
    const char *name;
};

static const double tokens[] = { 1.0, 2.5, -3.0, 0.1, INFINITY, NAN };
static const int64_t labels[] = { 0, -1, 7 };

#define FIELD(name, ...) \
    static enum trop_status name(struct trop_value *out, void *handle, int64_t row) \
    { \
        const struct result *result = handle; \
        (void)result; \
        (void)row; \
        *out = (struct trop_value){ __VA_ARGS__ }; \
        return TROP_OK; \
    }
FIELD(read_gap, .kind = TROP_KIND_NUMBER, .number = result->gap)
FIELD(read_steps, .kind = TROP_KIND_INTEGER, .integer = INT64_MAX)
FIELD(read_true, .kind = TROP_KIND_BOOLEAN, .integer = 1)
FIELD(read_name, .kind = TROP_KIND_TEXT, .text = result->name)
FIELD(read_null, .kind = TROP_KIND_NULL)
FIELD(read_tokens, .kind = TROP_KIND_NUMBERS, .numbers = tokens, .rank = 2, .shape = { 3, 2 })
FIELD(read_labels, .kind = TROP_KIND_INTEGERS, .integers = labels, .rank = 1, .shape = { 3 })
FIELD(read_truths, .kind = TROP_KIND_BOOLEANS, .integers = labels, .rank = 1, .shape = { 3 })
FIELD(read_empty, .kind = TROP_KIND_NUMBERS, .rank = 2, .shape = { 2, 0 })
FIELD(read_cube, .kind = TROP_KIND_NUMBERS, .numbers = tokens, .rank = 3, .shape = { 1, 2, 2 })
FIELD(read_list, .kind = TROP_KIND_LIST, .shape = { 2 })
FIELD(read_none, .kind = TROP_KIND_LIST, .shape = { 0 })
FIELD(read_mass, .kind = TROP_KIND_NUMBER, .number = (double)row + 0.5)
FIELD(read_members, .kind = TROP_KIND_INTEGERS, .integers = labels, .rank = 1, .shape = { row })

static const struct trop_field columns[] = {
    { "mass", "", .read = read_mass },
    { "members", "", .read = read_members },
    { "vertex", "", .read = read_null },
    { "where.centre", "", .read = read_tokens },
    { 0 },
};

static const struct trop_field table[] = {
    { "gap", "", .read = read_gap },
    { "steps", "", .read = read_steps },
    { "converged", "", .read = read_true },
    { "name", "", .read = read_name },
    { "nothing", "", .read = read_null },
    { "certificate.kind", "", .read = read_name },
    { "certificate.absent", "", .read = read_null },
    { "certificate.rate.lower", "", .read = read_gap },
    { "certificate.rate.upper", "", .read = read_gap },
    { "certificated.x", "", .read = read_gap },
    { "unproved.x", "", .read = read_null },
    { "tokens", "", .read = read_tokens },
    { "labels", "", .read = read_labels },
    { "truths", "", .read = read_truths },
    { "empty", "", .read = read_empty },
    { "cube", "", .read = read_cube },
    { "cluster_list", "", .read = read_list, .columns = columns },
    { "none", "", .read = read_none, .columns = columns },
    { 0 },
};

static const struct result result = { 0.1, "a\"b" };

static void the_text_is_this(void **state)
{
    (void)state;
    char *text;
    const char *expected =
        "{\"gap\": 0.1, \"steps\": 9223372036854775807, \"converged\": true, \"name\": \"a\\\"b\", "
        "\"nothing\": null, \"certificate\": {\"kind\": \"a\\\"b\", \"rate\": {\"lower\": 0.1, "
        "\"upper\": 0.1}}, \"certificated\": {\"x\": 0.1}, "
        "\"tokens\": [[1, 2.5], [-3, 0.1], [\"inf\", \"nan\"]], \"labels\": [0, -1, 7], "
        "\"truths\": [false, true, true], \"empty\": [[], []], \"cube\": [[[1, 2.5], [-3, 0.1]]], "
        "\"cluster_list\": "
        "[{\"mass\": 0.5, \"members\": [], \"vertex\": null, \"where\": {\"centre\": [[1, 2.5], "
        "[-3, 0.1], [\"inf\", \"nan\"]]}}, {\"mass\": 1.5, \"members\": [0], \"vertex\": null, "
        "\"where\": {\"centre\": [[1, 2.5], [-3, 0.1], [\"inf\", \"nan\"]]}}], \"none\": []}";

    assert_int_equal(trop_json_text(&text, table, &result), TROP_OK);
    assert_string_equal(text, expected);
    trop_alloc_free(text);
}

static void jansson_reads_the_members(void **state)
{
    (void)state;
    char *text;
    json_error_t error;
    assert_int_equal(trop_json_text(&text, table, &result), TROP_OK);
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    trop_alloc_free(text);
    assert_non_null(root);
    assert_true(json_real_value(json_object_get(root, "gap")) == 0.1);
    assert_true(json_integer_value(json_object_get(root, "steps")) == INT64_MAX);
    assert_true(json_is_true(json_object_get(root, "converged")));
    assert_true(json_is_null(json_object_get(root, "nothing")));
    json_t *certificate = json_object_get(root, "certificate");
    assert_int_equal(json_object_size(certificate), 2);
    assert_null(json_object_get(root, "unproved"));
    json_t *list = json_object_get(root, "cluster_list");
    assert_int_equal(json_array_size(list), 2);
    assert_true(json_real_value(json_object_get(json_array_get(list, 1), "mass")) == 1.5);
    json_decref(root);
}

static void a_table_without_fields_is_an_empty_object(void **state)
{
    (void)state;
    const struct trop_field nothing[] = { { 0 } };
    char *text;

    assert_int_equal(trop_json_text(&text, nothing, NULL), TROP_OK);
    assert_string_equal(text, "{}");
    trop_alloc_free(text);
}

static void shortest(double value, const char *expected)
{
    char text[32];

    trop_json_double(text, value);
    assert_string_equal(text, expected);
}

/* Expected forms are Python's repr, with %g's exponents. */
static void doubles_are_as_short_as_they_can_be(void **state)
{
    (void)state;
    shortest(0.1, "0.1");
    shortest(1.0, "1");
    shortest(-0.0, "-0.0");
    shortest(0.0, "0");
    shortest(1.0 / 3.0, "0.3333333333333333");
    shortest(0.1 + 0.2, "0.30000000000000004");
    shortest(5e-324, "5e-324");
    shortest(DBL_MIN, "2.2250738585072014e-308");
    shortest(DBL_MAX, "1.7976931348623157e+308");
    shortest(1e22, "1e+22");
    shortest(123456789012345680.0, "1.2345678901234568e+17");
    shortest(INFINITY, "\"inf\"");
    shortest(-INFINITY, "\"-inf\"");
    shortest(NAN, "\"nan\"");
}

static uint64_t next(uint64_t *word)
{
    *word = *word * 6364136223846793005u + 1442695040888963407u;
    return *word ^ *word >> 31;
}

static void doubles_of_any_bits_read_back(void **state)
{
    (void)state;
    uint64_t word = 1;
    int64_t rounds = getenv("TROP_TEST_FULL") ? 10000000 : 100000;

    for (int64_t k = 0; k < rounds; k++) {
        uint64_t bits = next(&word);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) {
            continue;
        }
        char text[40];
        trop_json_double(text, value);
        double back = strtod(text, NULL);
        assert_memory_equal(&back, &value, sizeof value);
        if (k % 100 == 0) { /* and another parser agrees that this is a number */
            char array[48];
            snprintf(array, sizeof array, "[%.32s]", text);
            json_t *root = json_loads(array, 0, NULL);
            assert_non_null(root);
            assert_true(json_number_value(json_array_get(root, 0)) == value);
            json_decref(root);
        }
    }
}

/* The locale must exist for this to be seen; the loop says which was found. */
static void a_decimal_comma_of_the_locale_changes_nothing(void **state)
{
    (void)state;
    const char *names[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "ps_AF.UTF-8" };
    for (size_t k = 0; k < 4; k++) {
        if (setlocale(LC_ALL, names[k])) {
            shortest(1.5, "1.5");
            shortest(1e-300, "1e-300");
        }
    }
    setlocale(LC_ALL, "C");
}

static void becomes(const char *given, const char *expected)
{
    struct trop_json json = { 0 };
    char *text;

    trop_json_open(&json, NULL, '[');
    trop_json_value(&json, NULL, &(struct trop_value){ .kind = TROP_KIND_TEXT, .text = given });
    trop_json_close(&json, ']');
    assert_int_equal(trop_json_finish(&text, &json), TROP_OK);
    json_error_t error;
    json_t *root = json_loads(text, 0, &error);
    assert_non_null(root);
    assert_string_equal(json_string_value(json_array_get(root, 0)), expected);
    json_decref(root);
    trop_alloc_free(text);
}

#define U "\xef\xbf\xbd" /* the replacement character */
static void strings_are_escaped_and_made_valid(void **state)
{
    (void)state;
    becomes("", "");
    becomes("\"\\/\b\f\n\r\t\x01\x1f\x7f", "\"\\/\b\f\n\r\t\x01\x1f\x7f");
    becomes("h\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "h\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
    becomes("\xff", U);
    becomes("a\x80z", "a" U "z");
    becomes("\xc0\x80", U U);       /* a zero in two bytes */
    becomes("\xe0\x80\x80", U U U); /* in three */
    becomes("\xed\xa0\x80", U U U); /* a surrogate */
    becomes("\xf4\x90\x80\x80", U U U U);
    becomes("\xf0\x9f\x98", U U U); /* cut */
    becomes("\xe2\x82", U U);
    becomes("\xc3", U);
    becomes("\xed\x9f\xbf\xee\x80\x80", "\xed\x9f\xbf\xee\x80\x80");
}

static void the_builder_needs_no_table(void **state)
{
    (void)state;
    struct trop_json json = { 0 };
    char *text;

    trop_json_open(&json, NULL, '{');
    trop_json_value(&json, "n", &(struct trop_value){ .kind = TROP_KIND_INTEGER, .integer = -5 });
    trop_json_open(&json, "rows", '[');
    trop_json_open(&json, NULL, '{');
    trop_json_close(&json, '}');
    trop_json_value(&json, NULL, &(struct trop_value){ .kind = TROP_KIND_NULL });
    trop_json_close(&json, ']');
    trop_json_value(&json, "z", &(struct trop_value){ .kind = TROP_KIND_BOOLEAN });
    trop_json_close(&json, '}');
    assert_int_equal(trop_json_finish(&text, &json), TROP_OK);
    assert_string_equal(text, "{\"n\": -5, \"rows\": [{}, null], \"z\": false}");
    trop_alloc_free(text);
}

static enum trop_status make_text(void)
{
    char *text;
    enum trop_status status = trop_json_text(&text, table, &result);

    if (status == TROP_OK) {
        trop_alloc_free(text);
    }
    return status;
}

static void every_refused_allocation_is_survived(void **state)
{
    (void)state;
    alloc_refuse_each(make_text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_text_is_this),
        cmocka_unit_test(jansson_reads_the_members),
        cmocka_unit_test(a_table_without_fields_is_an_empty_object),
        cmocka_unit_test(doubles_are_as_short_as_they_can_be),
        cmocka_unit_test(doubles_of_any_bits_read_back),
        cmocka_unit_test(a_decimal_comma_of_the_locale_changes_nothing),
        cmocka_unit_test(strings_are_escaped_and_made_valid),
        cmocka_unit_test(the_builder_needs_no_table),
        cmocka_unit_test(every_refused_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
