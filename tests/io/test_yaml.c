/* test_yaml.c -- options from a YAML file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "alloc_failing.c"
#include "base/status.h"
#include "io/yaml.h"
#include "scratch.h"

/* Collects "name=text;" of every option; refuses the one called wrong. */
static char taken[4096];

static enum trop_status take(void *context, const char *name, const char *text)
{
    size_t used = strlen(taken);

    assert_ptr_equal(context, taken);
    if (strcmp(name, "wrong") == 0) {
        return trop_fail(TROP_ERR_ARG, "wrong = %s: must be right", text);
    }
    snprintf(taken + used, sizeof taken - used, "%s=%s;", name, text);
    return TROP_OK;
}

static enum trop_status parse(const char *text)
{
    taken[0] = 0;
    return trop_yaml_parse((const unsigned char *)text, (int64_t)strlen(text), "run.yaml", take,
                           taken);
}

static void expect(const char *text, const char *options)
{
    assert_int_equal(parse(text), TROP_OK);
    assert_string_equal(taken, options);
    assert_int_equal(alloc_live, 0);
}

static void refused(const char *text, const char *sentence)
{
    assert_int_equal(parse(text), TROP_ERR_IO);
    assert_string_equal(trop_error(), sentence);
    assert_int_equal(alloc_live, 0);
}

static void a_flat_mapping_arrives_in_order(void **state)
{
    (void)state;
    expect("n: 64\nd: 2   # dimension\nbeta: 9.0\n", "n=64;d=2;beta=9.0;");
    expect("---\nrule: 'soft max'\nname: \"a:b\"\n...\n", "rule=soft max;name=a:b;");
    expect("{n: 1, m: 2}", "n=1;m=2;");
    expect("beta: [1, 2.5, x]\nradius:\n- 0.1\n- 0.2\nnone: []\n",
           "beta=1,2.5,x;radius=0.1,0.2;none=;");
    expect("steps:\n", "steps=;");
    expect("a: 1\r\nb: 2\r\n", "a=1;b=2;");
}

static void a_file_of_comments_has_no_options(void **state)
{
    (void)state;
    expect("", "");
    expect("# beta: 9\n\n", "");
}

static void what_no_option_needs_is_refused_with_its_place(void **state)
{
    (void)state;
    refused("n: 1\na:\n  b: 1\n",
            "run.yaml: line 3, column 3: a mapping inside an option: must be a value or a list");
    refused("n: [1, [2]]\n", "run.yaml: line 1, column 8: a list must hold numbers or words");
    refused("n: [{a: 1}]\n", "run.yaml: line 1, column 5: a list must hold numbers or words");
    refused("n: 1\nm: 2\nn: 3\n", "run.yaml: line 3, column 1: n is given twice");
    refused("key-query: 1\nkey_query: 3\n", "run.yaml: line 2, column 1: key_query is given twice");
    refused("a: &x 1\n", "run.yaml: line 1, column 4: anchors and aliases are not supported");
    refused("a: *x\n", "run.yaml: line 1, column 4: anchors and aliases are not supported");
    refused("a: &x [1]\n", "run.yaml: line 1, column 4: anchors and aliases are not supported");
    refused("&x {a: 1}\n", "run.yaml: line 1, column 1: anchors and aliases are not supported");
    refused("a: 1\n---\nb: 2\n", "run.yaml: line 2, column 1: more than one document");
    refused("'': 1\n", "run.yaml: line 1, column 1: an option without a name");
    refused("? \n: 1\n", "run.yaml: line 1, column 2: an option without a name");
    refused("? [a]\n: 1\n", "run.yaml: line 1, column 3: the name of an option must be a word");
    refused("- 1\n- 2\n", "run.yaml: line 1, column 1: must be a mapping, option: value");
    refused("word\n", "run.yaml: line 1, column 1: must be a mapping, option: value");
    refused("a: \"x\\0y\"\n", "run.yaml: line 1, column 4: a zero byte in a text");
}

static void what_is_not_yaml_is_refused_with_its_place(void **state)
{
    (void)state;
    refused("a: [1\nb: 2\n", "run.yaml: line 2, column 2: did not find expected ',' or ']'");
    refused("a: 1\n\tb: 2\n",
            "run.yaml: line 2, column 1: found a tab character that violates indentation");
    assert_int_equal(parse("a: \xff\n"), TROP_ERR_IO);
    assert_non_null(strstr(trop_error(), "UTF-8"));
    assert_int_equal(alloc_live, 0);
}

static void a_refused_option_gets_file_and_line(void **state)
{
    (void)state;
    taken[0] = 0;
    assert_int_equal(parse("n: 1\n\nwrong: 7\nm: 2\n"), TROP_ERR_ARG);
    assert_string_equal(trop_error(), "run.yaml: line 3: wrong = 7: must be right");
    assert_string_equal(taken, "n=1;");
    assert_int_equal(alloc_live, 0);
}

static enum trop_status ignore(void *context, const char *name, const char *text)
{
    (void)context, (void)name, (void)text;
    return TROP_OK;
}

static void large_files_are_refused(void **state)
{
    (void)state;
    int64_t size = (1 << 20) + 1;
    char *text = malloc((size_t)size);
    const char *path = scratch("large.yaml");

    memset(text, '#', (size_t)size);
    scratch_fill(path, text, (size_t)size);
    assert_int_equal(trop_yaml_read(path, ignore, NULL), TROP_ERR_IO);
    assert_non_null(strstr(trop_error(), "larger than 1048576 bytes"));
    assert_int_equal(trop_yaml_parse((unsigned char *)text, size, "x", ignore, NULL), TROP_ERR_IO);
    assert_int_equal(trop_yaml_parse((unsigned char *)text, size - 1, "x", ignore, NULL), TROP_OK);
    int64_t used = 0;
    for (int k = 0; k < 1001; k++) {
        used += snprintf(text + used, (size_t)(size - used), "o%d: 1\n", k);
    }
    assert_int_equal(trop_yaml_parse((unsigned char *)text, used, "x", ignore, NULL), TROP_ERR_IO);
    assert_string_equal(trop_error(), "x: line 1001, column 1: more than 1000 options");
    free(text);
    unlink(path);
}

static void a_file_cut_at_any_byte_never_crashes(void **state)
{
    (void)state;
    const char text[] = "---\nn: 64\nbeta: [1, \"t\\u00e9\"]\ntext: |\n  a\n  b\nx: &a 1\n";

    for (size_t size = 0; size < sizeof text; size++) {
        unsigned char *cut = malloc(size > 0 ? size : 1);
        memcpy(cut, text, size);
        trop_yaml_parse(cut, (int64_t)size, "x", ignore, NULL);
        free(cut);
        assert_int_equal(alloc_live, 0);
    }
}

static enum trop_status read_options(void)
{
    const char *path = scratch("m.yaml");
    const char text[] = "n: 64\nbeta: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, "
                        "18, 19, 20, 21, 22, 23, 24, 25]\nrule: softmax\n";

    scratch_fill(path, text, sizeof text - 1);
    enum trop_status status = trop_yaml_read(path, ignore, NULL);
    unlink(path);
    return status;
}

static void every_refused_allocation_is_survived(void **state)
{
    (void)state;
    alloc_refuse_each(read_options);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flat_mapping_arrives_in_order),
        cmocka_unit_test(a_file_of_comments_has_no_options),
        cmocka_unit_test(what_no_option_needs_is_refused_with_its_place),
        cmocka_unit_test(what_is_not_yaml_is_refused_with_its_place),
        cmocka_unit_test(a_refused_option_gets_file_and_line),
        cmocka_unit_test(large_files_are_refused),
        cmocka_unit_test(a_file_cut_at_any_byte_never_crashes),
        cmocka_unit_test(every_refused_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_remove);
}
