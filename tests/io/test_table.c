/* test_table.c -- tables of text, UTF-8 and IDX: closed forms and refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "alloc_failing.c"
#include "base/status.h"
#include "io/idx.h"
#include "io/table.h"
#include "io/utf8.h"

static char buffer[4096];

static enum trop_status parse(struct trop_table *table, const char *text, char separator)
{
    snprintf(buffer, sizeof buffer, "%s", text);
    return trop_table_parse(table, (unsigned char *)buffer, (int64_t)strlen(text), separator,
                            "t.csv");
}

/* rows x columns cells, in order. */
static void expect(const char *text, char separator, int64_t rows, int64_t columns,
                   const char *const *cells)
{
    struct trop_table table;

    assert_int_equal(parse(&table, text, separator), TROP_OK);
    assert_int_equal(table.rows, rows);
    assert_int_equal(table.columns, columns);
    for (int64_t k = 0; k < rows * columns; k++) {
        assert_string_equal(table.cell[k], cells[k]);
    }
    trop_table_free(&table);
    assert_int_equal(alloc_live, 0);
}

static void refused(const char *text, char separator, const char *sentence)
{
    struct trop_table table;

    assert_int_equal(parse(&table, text, separator), TROP_ERR_IO);
    assert_string_equal(trop_error(), sentence);
    assert_int_equal(alloc_live, 0);
}

static void cells_are_read_as_rfc_4180_has_them(void **state)
{
    (void)state;
    const char *plain[] = { "a", "b", "c", "d" };
    expect("a,b\nc,d\n", ',', 2, 2, plain);
    expect("a,b\r\nc,d", ',', 2, 2, plain);
    expect("\xef\xbb\xbf\n\na,b\n\r\nc,d\n\n", ',', 2, 2, plain);
    const char *quoted[] = { "1", "a \"b\", c\nd", "2", "" };
    expect("1,\"a \"\"b\"\", c\nd\"\r\n2,\"\"\n", ',', 2, 2, quoted);
    const char *empty[] = { "", "", "x", "" };
    expect(",\nx,", ',', 2, 2, empty);
}

static void a_tsv_has_no_quotes(void **state)
{
    (void)state;
    const char *cells[] = { "1", "\"he said, \"no\"", "0", "x\"" };
    expect("1\t\"he said, \"no\"\n0\tx\"\n", '\t', 2, 2, cells);
}

static void lines_are_counted_through_quotes(void **state)
{
    (void)state;
    struct trop_table table;

    assert_int_equal(parse(&table, "\na,\"1\n2\n3\"\n\nb,c\n", ','), TROP_OK);
    assert_int_equal(table.line[0], 2);
    assert_int_equal(table.line[1], 6);
    trop_table_free(&table);
}

static void what_is_no_table_is_refused_with_its_line(void **state)
{
    (void)state;
    refused("", ',', "t.csv: has no row");
    refused("\n\n", ',', "t.csv: has no row");
    refused("a,b\nc\n", ',', "t.csv: line 2: has 1 cells, line 1 has 2");
    refused("a,b\n\nc,d,e\n", ',', "t.csv: line 3: has 3 cells, line 1 has 2");
    refused("a,\"b\n", ',', "t.csv: line 1: a quote that opens is not closed");
    refused("a,b\nc,\"d\"e\n", ',', "t.csv: line 2: a quote closes inside a cell: write it twice");
    refused("a,b\"c\n", ',',
            "t.csv: line 1: a quote inside a cell: the whole cell must be in quotes");
    refused("a,b\nc,\xe9\n", ',', "t.csv: line 2: byte 0xe9: must be UTF-8");
    refused("a,b\nc,\xed\xa0\x80\n", ',', "t.csv: line 2: byte 0xed: must be UTF-8");
}

static void a_zero_byte_is_no_text(void **state)
{
    (void)state;
    struct trop_table table;
    unsigned char bytes[] = "a,b\nc,\0d\n";

    assert_int_equal(trop_table_parse(&table, bytes, sizeof bytes - 1, ',', "t.csv"), TROP_ERR_IO);
    assert_string_equal(trop_error(), "t.csv: line 2: byte 0x00: is not text");
}

static void too_many_marks_are_no_writing(void **state)
{
    (void)state;
    static char text[2 * TROP_UTF8_MARKS + 4] = "a";

    for (int k = 0; k <= TROP_UTF8_MARKS; k++) {
        memcpy(text + 1 + 2 * k, "\xcc\x81", 2);
    }
    assert_int_equal(trop_utf8_check(text, 1 + 2 * TROP_UTF8_MARKS, "m", 1), TROP_OK);
    assert_int_equal(trop_utf8_check(text, 3 + 2 * TROP_UTF8_MARKS, "m", 7), TROP_ERR_IO);
    assert_string_equal(trop_error(), "m: line 7: more than 1000 marks on one letter");
}

static void characters_have_their_classes_and_forms(void **state)
{
    (void)state;
    int32_t parts[TROP_UTF8_PARTS], codes[64];
    char bytes[4];

    assert_int_equal(trop_utf8_class('a'), TROP_UTF8_LETTER);
    assert_int_equal(trop_utf8_class(0x301), TROP_UTF8_ACCENT);
    assert_int_equal(trop_utf8_class(0x2014), TROP_UTF8_PUNCTUATION);
    assert_int_equal(trop_utf8_class(0x20ac), TROP_UTF8_SYMBOL);
    assert_int_equal(trop_utf8_class(0x3000), TROP_UTF8_BLANK);
    assert_int_equal(trop_utf8_class(0x97), TROP_UTF8_CONTROL);
    assert_int_equal(trop_utf8_class(0xad), TROP_UTF8_FORMAT);
    assert_int_equal(trop_utf8_class(0xe000), TROP_UTF8_PRIVATE);
    assert_int_equal(trop_utf8_class(0x378), TROP_UTF8_UNASSIGNED);
    assert_int_equal(trop_utf8_lower(0x3a9), 0x3c9);
    assert_int_equal(trop_utf8_lower('Z'), 'z');
    assert_int_equal(trop_utf8_decompose(parts, 0x1ed9), 3); /* o, dot below, circumflex */
    assert_int_equal(parts[0], 'o');
    assert_int_equal(parts[1], 0x323);
    assert_int_equal(trop_utf8_compose(codes, "e\xcc\x81", 3), 1);
    assert_int_equal(codes[0], 0xe9);
    assert_int_equal(trop_utf8_put(bytes, 0x1f600), 4);
    assert_memory_equal(bytes, "\xf0\x9f\x98\x80", 4);
}

static const unsigned char idx[] = { 0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 3, 1, 2, 3, 4, 5, 255 };

static void idx_is_read_and_cut_anywhere_refused(void **state)
{
    (void)state;
    struct trop_array array;

    assert_int_equal(trop_idx_parse(&array, idx, sizeof idx, "i"), TROP_OK);
    assert_int_equal(array.rank, 2);
    assert_int_equal(array.shape[1], 3);
    assert_true(array.data[0] == 1 && array.data[5] == 255);
    trop_array_free(&array);
    for (size_t cut = 0; cut < sizeof idx; cut++) {
        unsigned char *part = malloc(cut ? cut : 1);
        memcpy(part, idx, cut);
        assert_int_equal(trop_idx_parse(&array, part, (int64_t)cut, "i"), TROP_ERR_IO);
        assert_ptr_equal(strstr(trop_error(), "i: "), trop_error());
        free(part);
    }
    assert_string_equal(trop_error(), "i: its shape needs 6 bytes of data, the file has 5");
    assert_int_equal(alloc_live, 0);
}

static void idx_of_other_kinds_is_refused(void **state)
{
    (void)state;
    struct trop_array array;
    unsigned char other[sizeof idx];

    memcpy(other, idx, sizeof idx);
    other[2] = 0x0d;
    assert_int_equal(trop_idx_parse(&array, other, sizeof idx, "i"), TROP_ERR_UNSUPPORTED);
    memcpy(other, idx, sizeof idx);
    other[3] = 9;
    assert_int_equal(trop_idx_parse(&array, other, sizeof idx, "i"), TROP_ERR_UNSUPPORTED);
    memcpy(other, idx, sizeof idx);
    memset(other + 4, 0xff, 8); /* a shape of 2^64 bytes */
    assert_int_equal(trop_idx_parse(&array, other, sizeof idx, "i"), TROP_ERR_IO);
}

static enum trop_status many_rows(void)
{
    struct trop_table table = { 0 };
    char text[1000] = "";

    for (int k = 0; k < 200; k++) {
        strcat(text, "a,b\n");
    }
    const enum trop_status status = parse(&table, text, ',');
    trop_table_free(&table);
    return status;
}

static void every_refused_allocation_is_survived(void **state)
{
    (void)state;
    alloc_refuse_each(many_rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_read_as_rfc_4180_has_them),
        cmocka_unit_test(a_tsv_has_no_quotes),
        cmocka_unit_test(lines_are_counted_through_quotes),
        cmocka_unit_test(what_is_no_table_is_refused_with_its_line),
        cmocka_unit_test(a_zero_byte_is_no_text),
        cmocka_unit_test(too_many_marks_are_no_writing),
        cmocka_unit_test(characters_have_their_classes_and_forms),
        cmocka_unit_test(idx_is_read_and_cut_anywhere_refused),
        cmocka_unit_test(idx_of_other_kinds_is_refused),
        cmocka_unit_test(every_refused_allocation_is_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
