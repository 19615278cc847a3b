/* test_json_read_inside.c -- objects, truths and lists of texts inside JSON files. */
#include "support.h"

#include "alloc_failing.c"
#include "io/json/json_read.h"

static const char text[] = "{\"a\": {\"b\": {\"c\": 5}, \"t\": true, \"n\": null}, \"f\": false, "
                           "\"l\": [\"x\", \"y\"], \"m\": [\"x\", 1], \"s\": \"x\"}";

static struct trop_json_read *parsed(void)
{
    struct trop_json_read *doc = NULL;

    assert_ok(trop_json_read_parse(&doc, (const unsigned char *)text, sizeof text - 1, "f"));
    return doc;
}

static void objects_inside_are_documents_that_outlive_the_outer_one(void **state)
{
    struct trop_json_read *doc = parsed(), *a = NULL, *b = NULL;
    struct trop_array number;

    (void)state;
    assert_ok(trop_json_read_inside(&a, doc, "a"));
    trop_json_read_close(doc);
    assert_ok(trop_json_read_inside(&b, a, "b"));
    trop_json_read_close(a);
    assert_ok(trop_json_read_numbers(&number, b, "c"));
    assert_true(number.data[0] == 5);
    trop_array_free(&number);
    assert_int_equal(trop_json_read_numbers(&number, b, "d"), TROP_ERR_IO);
    assert_string_equal(trop_error(), "f: a: b: d: is missing");
    trop_json_read_close(b);
    assert_int_equal(alloc_live, 0);
}

static void truths_and_texts_are_what_stands_there(void **state)
{
    struct trop_json_read *doc = parsed(), *a = NULL;
    int64_t truth = -1, count = -1;
    const char *entry = "before";

    (void)state;
    assert_ok(trop_json_read_truth(&truth, doc, "f"));
    assert_int_equal(truth, 0);
    assert_ok(trop_json_read_inside(&a, doc, "a"));
    assert_ok(trop_json_read_truth(&truth, a, "t"));
    assert_int_equal(truth, 1);
    assert_ok(trop_json_read_listed(&entry, &count, doc, "l", 2));
    assert_string_equal(entry, "before");
    assert_ok(trop_json_read_listed(&entry, &count, doc, "l", 1));
    assert_string_equal(entry, "y");
    assert_int_equal(count, 2);
    trop_json_read_close(a);
    trop_json_read_close(doc);
}

static void other_kinds_are_refused_with_their_key(void **state)
{
    struct trop_json_read *doc = parsed(), *a = NULL;
    int64_t truth, count;
    const char *entry;

    (void)state;
    assert_int_equal(trop_json_read_inside(&a, doc, "s"), TROP_ERR_IO);
    assert_string_equal(trop_error(), "f: s: must be an object");
    assert_int_equal(trop_json_read_inside(&a, doc, "z"), TROP_ERR_IO);
    assert_string_equal(trop_error(), "f: z: is missing");
    assert_int_equal(trop_json_read_truth(&truth, doc, "s"), TROP_ERR_IO);
    assert_string_equal(trop_error(), "f: s: must be true or false");
    assert_int_equal(trop_json_read_listed(&entry, &count, doc, "m", 1), TROP_ERR_IO);
    assert_string_equal(trop_error(), "f: m: must be a list of texts");
    assert_int_equal(trop_json_read_listed(&entry, &count, doc, "s", 0), TROP_ERR_IO);
    trop_json_read_close(doc);
    assert_int_equal(alloc_live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_inside_are_documents_that_outlive_the_outer_one),
        cmocka_unit_test(truths_and_texts_are_what_stands_there),
        cmocka_unit_test(other_kinds_are_refused_with_their_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
