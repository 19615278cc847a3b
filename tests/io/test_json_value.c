/* test_json_value.c -- values of a JSON document, and what a folder holds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "alloc_failing.c"
#include "base/status.h"
#include "io/folder.h"
#include "io/json/json_value.h"

static const char text[] =
    "{\"z\":1,\"list\":[\"x\",true,null,2.5],\"a\":{\"inner\":-7},\"none\":null,\"no\":false}";

static void values_are_what_the_document_says(void **state)
{
    (void)state;
    struct trop_json_read *doc;

    assert_int_equal(
        trop_json_read_parse(&doc, (const unsigned char *)text, (int64_t)strlen(text), "d.json"),
        TROP_OK);
    const struct trop_json_value *root = trop_json_value_root(doc);
    const struct trop_json_value *list = trop_json_value_member(root, "list");
    assert_int_equal(trop_json_value_kind(root), TROP_JSON_OBJECT);
    assert_int_equal(trop_json_value_count(root), 5);
    assert_int_equal(trop_json_value_kind(list), TROP_JSON_LIST);
    assert_int_equal(trop_json_value_count(list), 4);
    assert_string_equal(trop_json_value_text(trop_json_value_item(list, 0)), "x");
    assert_int_equal(trop_json_value_kind(trop_json_value_item(list, 1)), TROP_JSON_TRUTH);
    assert_int_equal(trop_json_value_integer(trop_json_value_item(list, 1)), 1);
    assert_null(trop_json_value_item(list, 2));
    assert_int_equal(trop_json_value_kind(trop_json_value_item(list, 3)), TROP_JSON_REAL);
    assert_null(trop_json_value_item(list, 4));
    assert_null(trop_json_value_item(list, -1));
    assert_int_equal(
        trop_json_value_integer(trop_json_value_member(trop_json_value_member(root, "a"), "inner")),
        -7);
    assert_null(trop_json_value_member(root, "none"));
    assert_int_equal(trop_json_value_integer(trop_json_value_member(root, "no")), 0);
    trop_json_read_close(doc);
    assert_int_equal(alloc_live, 0);
}

static void nothing_has_nothing(void **state)
{
    (void)state;
    assert_int_equal(trop_json_value_kind(NULL), TROP_JSON_NONE);
    assert_null(trop_json_value_member(NULL, "x"));
    assert_null(trop_json_value_item(NULL, 0));
    assert_null(trop_json_value_text(NULL));
    assert_int_equal(trop_json_value_count(NULL), 0);
    assert_int_equal(trop_json_value_integer(NULL), 0);
}

static enum trop_status until_a(void *context, const char *key, const struct trop_json_value *value)
{
    char *keys = context;

    (void)value;
    strcat(keys, key);
    return strcmp(key, "a") == 0 ? TROP_ERR_STOPPED : TROP_OK;
}

static void members_come_in_the_order_of_the_file(void **state)
{
    (void)state;
    struct trop_json_read *doc;
    char keys[100] = "";

    assert_int_equal(
        trop_json_read_parse(&doc, (const unsigned char *)text, (int64_t)strlen(text), "d.json"),
        TROP_OK);
    assert_int_equal(trop_json_value_each(trop_json_value_root(doc), until_a, keys),
                     TROP_ERR_STOPPED);
    assert_string_equal(keys, "zlista");
    assert_int_equal(trop_json_value_each(NULL, until_a, keys), TROP_OK);
    trop_json_read_close(doc);
}

static void a_folder_is_what_a_path_stands_in(void **state)
{
    (void)state;
    static const char *const paths[][2] = { { "a/b/c", "a/b" }, { "c", "." }, { "/c", "/" } };

    for (int k = 0; k < 3; k++) {
        char *folder = trop_folder_of(paths[k][0]);
        assert_string_equal(folder, paths[k][1]);
        trop_alloc_free(folder);
    }
    char *path = trop_folder_path("a/b", "c");
    assert_string_equal(path, "a/b/c");
    trop_alloc_free(path);
    assert_true(trop_folder_is("/"));
    assert_false(trop_folder_is("/dev/null"));
    assert_true(trop_folder_has("/dev", "null"));
    assert_false(trop_folder_has("/dev", "no such thing"));
    assert_int_equal(trop_folder_find(&path, "/no such folder", "a", "b"), TROP_ERR_IO);
    assert_int_equal(alloc_live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_what_the_document_says),
        cmocka_unit_test(nothing_has_nothing),
        cmocka_unit_test(members_come_in_the_order_of_the_file),
        cmocka_unit_test(a_folder_is_what_a_path_stands_in),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
