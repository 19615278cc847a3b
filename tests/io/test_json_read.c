/* test_json_read.c -- JSON files as arrays, texts and lists. */
#include "support.h"

#include <unistd.h>

#include "alloc_failing.c"
#include "io/json/json.h"
#include "io/json/json_read.h"
#include "scratch.h"

static struct trop_json_read *parsed(const char *text)
{
    struct trop_json_read *doc = NULL;

    assert_ok(trop_json_read_parse(&doc, (const unsigned char *)text, (int64_t)strlen(text), "f"));
    return doc;
}

/* The document of a text that is refused, with all of these words in the sentence. */
static void assert_refused(const char *text, int64_t size, const char *words)
{
    struct trop_json_read *doc = NULL;
    enum trop_status status = trop_json_read_parse(&doc, (const unsigned char *)text, size, "f");

    assert_int_equal(status, TROP_ERR_IO);
    assert_null(doc);
    if (!strstr(trop_error(), words)) {
        fail_msg("\"%s\" is not in: %s", words, trop_error());
    }
}

static void every_double_reads_back_to_its_bits(void **state)
{
    static const double edges[] = { 0.0,       -0.0,      1.0 / 3,
                                    0x1p-1074, 0x1p-1022, 0x1.fffffffffffffp1023,
                                    1e22,      0x1p53,    0x1p53 + 2,
                                    -0.1,      1e-310,    123456789012345678.0 };
    int64_t count = cases(2000, 200000);

    (void)state;
    for (int64_t k = 0; k < count; k++) {
        uint64_t bits = trop_rng_bits(5, TROP_RNG_TEST, (uint64_t)k, 0);
        char number[32], text[64];
        double value, back;
        memcpy(&value, &bits, sizeof value);
        value = k < (int64_t)(sizeof edges / sizeof *edges) ? edges[k] : value;
        if (isnan(value)) {
            continue;
        }
        trop_json_double(number, value);
        snprintf(text, sizeof text, "{\"a\": [%s]}", number);
        struct trop_json_read *doc = parsed(text);
        struct trop_array array;
        assert_ok(trop_json_read_numbers(&array, doc, "a"));
        back = array.data[0];
        assert_memory_equal(&back, &value, sizeof back);
        trop_array_free(&array);
        trop_json_read_close(doc);
    }
}

static void infinite_numbers_and_nan_are_texts(void **state)
{
    struct trop_json_read *doc = parsed("{\"a\": [\"inf\", \"-inf\", \"nan\", 1]}");
    struct trop_array array;

    (void)state;
    assert_ok(trop_json_read_numbers(&array, doc, "a"));
    assert_true(array.data[0] == INFINITY && array.data[1] == -INFINITY && isnan(array.data[2]));
    trop_array_free(&array);
    trop_json_read_close(doc);
}

static void arrays_have_the_shape_of_their_brackets(void **state)
{
    static const struct {
        const char *text;
        int64_t rank, shape[4];
    } cases_of[] = {
        { "{\"a\": 7}", 0, { 0 } },
        { "{\"a\": []}", 1, { 0 } },
        { "{\"a\": [1, 2, 3]}", 1, { 3 } },
        { "{\"a\": [[], []]}", 2, { 2, 0 } },
        { "{\"a\": [[1, 2, 3], [4, 5, 6]]}", 2, { 2, 3 } },
        { "{\"a\": [[[1], [2]], [[3], [4]], [[5], [6]]]}", 3, { 3, 2, 1 } },
        { "{\"a\": [[[[1, 2]]]]}", 4, { 1, 1, 1, 2 } },
    };

    (void)state;
    for (size_t k = 0; k < sizeof cases_of / sizeof *cases_of; k++) {
        struct trop_json_read *doc = parsed(cases_of[k].text);
        struct trop_array array, shape;
        int64_t *integers;
        assert_ok(trop_json_read_numbers(&array, doc, "a"));
        assert_int_equal(array.rank, cases_of[k].rank);
        assert_memory_equal(array.shape, cases_of[k].shape, (size_t)array.rank * 8);
        assert_ok(trop_json_read_integers(&integers, &shape, doc, "a"));
        assert_int_equal(shape.rank, cases_of[k].rank);
        int64_t count = trop_array_count(array.rank, array.shape);
        for (int64_t j = 0; j < count; j++) {
            assert_true(array.data[j] == (double)integers[j]);
            assert_true(integers[j] == (array.rank == 0 ? 7 : j + 1));
        }
        trop_array_free(&array);
        trop_alloc_free(integers);
        trop_json_read_close(doc);
    }
}

static void values_that_do_not_fit_are_refused_with_their_place(void **state)
{
    static const struct {
        const char *text, *words;
    } refused[] = {
        { "{\"a\": [[1, 2], [3]]}", "a[1] has 1 entries: must have 2" },
        { "{\"a\": [[1, 2], 3]}", "a[1] is a number: must be an array" },
        { "{\"a\": [1, [2]]}", "a[1] is an array: must be a number" },
        { "{\"a\": [[[1], [2]], [[3], [4, 5]]]}", "a[1][1] has 2 entries: must have 1" },
        { "{\"a\": [1, true]}", "a[1] is a truth value" },
        { "{\"a\": [1, null]}", "a[1] is null" },
        { "{\"a\": [1, {}]}", "a[1] is an object" },
        { "{\"a\": [1, \"Inf\"]}", "a[1] is a text: must be a number, \"inf\"" },
        { "{\"a\": [[[[[1]]]]]}", "more than 4 levels" },
        { "{\"a\": [9007199254740993]}", "a[0] is 9007199254740993, which double would round" },
        { "{\"a\": [9223372036854775807]}", "double would round" },
        { "{\"b\": 1}", "a: is missing" },
        { "{\"a\": null}", "a: is missing" },
    };

    (void)state;
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        struct trop_json_read *doc = parsed(refused[k].text);
        struct trop_array array = { 0 };
        assert_int_equal(trop_json_read_numbers(&array, doc, "a"), TROP_ERR_IO);
        assert_null(array.data);
        if (!strstr(trop_error(), refused[k].words) || strncmp(trop_error(), "f: ", 3) != 0) {
            fail_msg("\"%s\" is not in: %s", refused[k].words, trop_error());
        }
        trop_json_read_close(doc);
    }
}

static void whole_numbers_are_exact_or_refused(void **state)
{
    struct trop_json_read *doc =
        parsed("{\"a\": [9223372036854775807, -9223372036854775808, 3.0, 1e2, -0.0], \"b\": [0.5], "
               "\"c\": [1e300], \"d\": [\"inf\"], \"e\": [9007199254740994.0]}");
    static const int64_t expected[] = { INT64_MAX, INT64_MIN, 3, 100, 0 };
    struct trop_array shape;
    int64_t *integers = NULL;

    (void)state;
    assert_ok(trop_json_read_integers(&integers, &shape, doc, "a"));
    assert_memory_equal(integers, expected, sizeof expected);
    trop_alloc_free(integers);
    for (const char *key = "bcde"; *key; key++) {
        const char name[2] = { *key, 0 };
        assert_int_equal(trop_json_read_integers(&integers, &shape, doc, name), TROP_ERR_IO);
        assert_non_null(strstr(trop_error(), "must be a whole number"));
    }
    trop_json_read_close(doc);
}

static void lists_may_be_ragged(void **state)
{
    struct trop_json_read *doc = parsed("{\"s\": [[0, 1], [], [2]], \"e\": [], \"x\": [[0], 1], "
                                        "\"y\": [[0], [1.5]], \"z\": 3}");
    static const int64_t first[] = { 0, 2, 2, 3 }, values[] = { 0, 1, 2 };
    struct trop_json_read_lists lists;

    (void)state;
    assert_ok(trop_json_read_lists(&lists, doc, "s"));
    assert_int_equal(lists.count, 3);
    assert_memory_equal(lists.first, first, sizeof first);
    assert_memory_equal(lists.values, values, sizeof values);
    trop_json_read_lists_free(&lists);
    assert_ok(trop_json_read_lists(&lists, doc, "e"));
    assert_int_equal(lists.count, 0);
    trop_json_read_lists_free(&lists);
    assert_int_equal(trop_json_read_lists(&lists, doc, "x"), TROP_ERR_IO);
    assert_non_null(strstr(trop_error(), "x[1] is a number: must be an array"));
    assert_int_equal(trop_json_read_lists(&lists, doc, "y"), TROP_ERR_IO);
    assert_non_null(strstr(trop_error(), "y[1][0] is 1.5: must be a whole number"));
    assert_int_equal(trop_json_read_lists(&lists, doc, "z"), TROP_ERR_IO);
    trop_json_read_close(doc);
}

static void texts_are_texts(void **state)
{
    struct trop_json_read *doc = parsed("{\"t\": \"l\\u00e9vy\", \"n\": 3}");
    const char *text = NULL;

    (void)state;
    assert_ok(trop_json_read_text(&text, doc, "t"));
    assert_string_equal(text, "l\xc3\xa9vy");
    assert_int_equal(trop_json_read_text(&text, doc, "n"), TROP_ERR_IO);
    assert_int_equal(trop_json_read_text(&text, doc, "m"), TROP_ERR_IO);
    assert_true(trop_json_read_has(doc, "n") && !trop_json_read_has(doc, "m"));
    trop_json_read_close(doc);
}

static void unknown_keys_are_refused_with_a_suggestion(void **state)
{
    static const char *const known[] = { "X", "y", "weights", NULL };
    static const struct {
        const char *text, *words;
    } refused[] = {
        { "{\"X\": 1, \"Y\": 2}", "Y: unknown key; did you mean y?" },
        { "{\"wieghts\": 1}", "did you mean weights?" },
        { "{\"q\": 1}", "q: unknown key; known are X, y, weights" },
        { "{\"\": 1}", "unknown key; known are" },
    };

    (void)state;
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        struct trop_json_read *doc = parsed(refused[k].text);
        assert_int_equal(trop_json_read_keys(doc, known), TROP_ERR_IO);
        if (!strstr(trop_error(), refused[k].words)) {
            fail_msg("\"%s\" is not in: %s", refused[k].words, trop_error());
        }
        trop_json_read_close(doc);
    }
    struct trop_json_read *doc = parsed("{\"y\": 1}");
    assert_ok(trop_json_read_keys(doc, known));
    trop_json_read_close(doc);
}

static void what_is_not_one_object_is_refused_with_line_and_column(void **state)
{
    static const struct {
        const char *text, *words;
    } refused[] = {
        { "", "line 1, column 0" },
        { "[1]", "must be an object" },
        { "{\"a\": 1,\n \"a\": 2}", "line 2" },
        { "{\"a\": 1}\n{}", "line 2" },
        { "{\"a\": NaN}", "line 1" },
        { "{\"a\": 1e400}", "line 1" },
        { "{\"a\": 92233720368547758080}", "too big" },
        { "{\"a\": \"\xff\"}", "line 1" },
        { "{\"a\": \"\\u0000\"}", "line 1" },
        { "{'a': 1}", "line 1" },
    };

    (void)state;
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        assert_refused(refused[k].text, (int64_t)strlen(refused[k].text), refused[k].words);
    }
    char deep[8000];
    memset(deep, '[', sizeof deep);
    memcpy(deep, "{\"a\":", 5);
    assert_refused(deep, sizeof deep, "line 1");
}

/* The first row claims 3000 x 3000 numbers in 6000: no memory is taken for them. */
static void the_first_row_is_not_believed(void **state)
{
    enum { SIDE = 3000 };
    static char text[16 * SIDE];
    size_t used = (size_t)snprintf(text, sizeof text, "{\"a\": [[");

    (void)state;
    for (int k = 0; k < SIDE; k++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s0", k ? "," : "");
    }
    used += (size_t)snprintf(text + used, sizeof text - used, "]");
    for (int k = 1; k < SIDE; k++) {
        used += (size_t)snprintf(text + used, sizeof text - used, ",[]");
    }
    snprintf(text + used, sizeof text - used, "]}");
    struct trop_json_read *doc = parsed(text);
    struct trop_array array;
    alloc_refused = 0; /* a request would be an answer of its own */
    assert_int_equal(trop_json_read_numbers(&array, doc, "a"), TROP_ERR_IO);
    assert_int_equal(alloc_refused, 0);
    alloc_refused = -1;
    assert_non_null(strstr(trop_error(), "a[1] has 0 entries: must have 3000"));
    trop_json_read_close(doc);
}

static void a_text_cut_at_any_byte_is_refused(void **state)
{
    const char *text = "{\"X\": [[1.5, -2e3], [\"inf\", 4]], \"s\": [[0], []], \"t\": \"a\\nb\"}";
    int64_t size = (int64_t)strlen(text);

    (void)state;
    for (int64_t k = 0; k < size; k++) {
        assert_refused(text, k, "f: line");
    }
}

/* One byte changed: read or refused, and everything that is there can be asked for. */
static void a_changed_byte_does_no_harm(void **state)
{
    const char *text = "{\"X\": [[1.5, -2e3], [\"inf\", 4]], \"s\": [[0], []], \"t\": \"a\\nb\"}";
    int64_t size = (int64_t)strlen(text), count = cases(5000, 500000), read = 0;
    static const char *const keys[] = { "X", "s", "t" };
    static const char grammar[] = "0159.,eE-[]{}\": ";

    (void)state;
    for (int64_t k = 0; k < count; k++) {
        char copy[128];
        struct trop_json_read *doc = NULL;
        memcpy(copy, text, (size_t)size);
        int64_t byte = whole(7, (uint64_t)(2 * k + 1), 256);
        /* Mostly letters of the grammar: others rarely get past the first look. */
        copy[whole(7, (uint64_t)(2 * k), size)] = byte < 192 ? grammar[byte % 16] : (char)byte;
        if (trop_json_read_parse(&doc, (unsigned char *)copy, size, "f") != TROP_OK) {
            continue;
        }
        read++;
        for (int j = 0; j < 3; j++) {
            struct trop_array array = { 0 }, shape;
            struct trop_json_read_lists lists = { 0 };
            int64_t *integers = NULL;
            const char *words;
            trop_json_read_numbers(&array, doc, keys[j]);
            trop_json_read_integers(&integers, &shape, doc, keys[j]);
            trop_json_read_lists(&lists, doc, keys[j]);
            trop_json_read_text(&words, doc, keys[j]);
            trop_array_free(&array);
            trop_alloc_free(integers);
            trop_json_read_lists_free(&lists);
        }
        trop_json_read_close(doc);
    }
    assert_true(read > count / 10);
}

static void files_are_read_and_missing_ones_named(void **state)
{
    const char *path = scratch("a.json");
    struct trop_json_read *doc = NULL;

    (void)state;
    scratch_fill(path, "{\"a\": 1}\n", 9);
    assert_ok(trop_json_read_open(&doc, path));
    assert_true(trop_json_read_has(doc, "a"));
    trop_json_read_close(doc);
    unlink(path);
    assert_int_equal(trop_json_read_open(&doc, path), TROP_ERR_IO);
    assert_non_null(strstr(trop_error(), "a.json"));
    trop_json_read_close(NULL);
}

static enum trop_status read_all(void)
{
    const char *text = "{\"X\": [[1.5, -2e3]], \"s\": [[0], []], \"i\": [1]}";
    struct trop_json_read *doc = NULL;
    struct trop_array array = { 0 }, shape;
    struct trop_json_read_lists lists = { 0 };
    int64_t *integers = NULL;
    enum trop_status status =
        trop_json_read_parse(&doc, (const unsigned char *)text, (int64_t)strlen(text), "f");

    if (status == TROP_OK) {
        status = trop_json_read_numbers(&array, doc, "X");
    }
    if (status == TROP_OK) {
        status = trop_json_read_lists(&lists, doc, "s");
    }
    if (status == TROP_OK) {
        status = trop_json_read_integers(&integers, &shape, doc, "i");
    }
    trop_array_free(&array);
    trop_alloc_free(integers);
    trop_json_read_lists_free(&lists);
    trop_json_read_close(doc);
    return status;
}

static void no_memory_is_told(void **state)
{
    (void)state;
    alloc_refuse_each(read_all);
}

/* An endless device: room for its first bytes is enough to see that they are no text. */
static void zero_bytes_are_refused_as_they_come(void **state)
{
    struct trop_json_read *doc;
    const char *path = scratch("zero.json");

    (void)state;
    assert_int_equal(symlink("/dev/zero", path), 0);
    alloc_refused = 1;
    const enum trop_status status = trop_json_read_open(&doc, path);
    alloc_refused = -1;
    assert_int_equal(status, TROP_ERR_IO);
    assert_non_null(strstr(trop_error(), "zero byte"));
    assert_int_equal(alloc_live, 0);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_double_reads_back_to_its_bits),
        cmocka_unit_test(infinite_numbers_and_nan_are_texts),
        cmocka_unit_test(arrays_have_the_shape_of_their_brackets),
        cmocka_unit_test(values_that_do_not_fit_are_refused_with_their_place),
        cmocka_unit_test(whole_numbers_are_exact_or_refused),
        cmocka_unit_test(lists_may_be_ragged),
        cmocka_unit_test(texts_are_texts),
        cmocka_unit_test(unknown_keys_are_refused_with_a_suggestion),
        cmocka_unit_test(what_is_not_one_object_is_refused_with_line_and_column),
        cmocka_unit_test(the_first_row_is_not_believed),
        cmocka_unit_test(a_text_cut_at_any_byte_is_refused),
        cmocka_unit_test(a_changed_byte_does_no_harm),
        cmocka_unit_test(files_are_read_and_missing_ones_named),
        cmocka_unit_test(no_memory_is_told),
        cmocka_unit_test(zero_bytes_are_refused_as_they_come),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_remove);
}
