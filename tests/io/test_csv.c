/* test_csv.c -- rows of numbers as text, and arrays by the ending of a file. */
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "alloc_failing.c"
#include "io/array.h"
#include "io/csv.h"
#include "scratch.h"

static enum trop_status parse(struct trop_array *out, const char *text)
{
    /* A copy of exactly this size, so that a read past the end is seen. */
    size_t size = strlen(text);
    unsigned char *bytes = malloc(size > 0 ? size : 1);

    memcpy(bytes, text, size);
    enum trop_status status = trop_csv_parse(out, bytes, (int64_t)size, "x.csv");
    free(bytes);
    return status;
}

static void expect(const char *text, int64_t rows, int64_t columns, const double *data)
{
    struct trop_array array;

    assert_int_equal(parse(&array, text), TROP_OK);
    assert_int_equal(array.rank, 2);
    assert_int_equal(array.shape[0], rows);
    assert_int_equal(array.shape[1], columns);
    assert_memory_equal(array.data, data, (size_t)(rows * columns) * sizeof *data);
    trop_array_free(&array);
}

static void refused(const char *text, const char *sentence)
{
    struct trop_array array = { .rank = 77 };

    assert_int_equal(parse(&array, text), TROP_ERR_IO);
    assert_string_equal(trop_error(), sentence);
    assert_int_equal(array.rank, 77);
    assert_int_equal(alloc_live, 0);
}

static void every_separator_gives_the_same_rows(void **state)
{
    (void)state;
    const double data[] = { 1.0, -2.5, 3e2, 4.0, 5.0, 6.0 };

    expect("1,-2.5,3e2\n4,5,6\n", 2, 3, data);
    expect("1;-2.5;3e2\n4;5;6\n", 2, 3, data);
    expect("1 -2.5 3e2\n4\t5 \t 6\n", 2, 3, data);
    expect("1 , -2.5,3e2 \n 4,\t5,6", 2, 3, data);
    expect("  1 -2.5 3e2  \n4 5 6", 2, 3, data);
}

static void headers_comments_and_line_ends_are_understood(void **state)
{
    (void)state;
    const double data[] = { 1.0, 2.0, 3.0, 4.0 };

    expect("x,y\n1,2\n3,4\n", 2, 2, data);
    expect("x1,x2\n1,2\n3,4\n", 2, 2, data);
    expect("1x1\t1x2\n1\t2\n3\t4\n", 2, 2, data);
    expect("# made by hand\n\nx y\n1,2\n# between\n3,4", 2, 2, data);
    expect("\r\nx,y\r\n1,2\r\n  \r\n3,4\r\n", 2, 2, data);
    expect("\xef\xbb\xbf"
           "1,2\n3,4\n",
           2, 2, data);
    expect(",0,1\n1,2\n3,4\n", 2, 2, data);
    expect("value\n1\n2\n3\n4\n", 4, 1, data);
    expect("my value\n1\n2\n3\n4\n", 4, 1, data);
    expect("my x\tmy y\n1\t2\n3\t4\n", 2, 2, data);
    expect("\"x, y\",z\n1,2\n3,4\n", 2, 2, data);
    expect("1", 1, 1, data);
}

static void numbers_are_rounded_correctly(void **state)
{
    (void)state;
    /* 2^53 + 1 is half-way and goes to even; the next is above half-way. 0x1p-1074
     * is the smallest double, and half of it is half-way to zero. */
    const double data[] = {
        9007199254740992.0, 9007199254740994.0, 0x1p-1074, 0.0, 0x1.999999999999ap-4, 1.5, -0.0
    };

    expect("9007199254740993,9007199254740993.00000000000000000001,4.9406564584124654e-324,"
           "2.4703282292062327e-324,0.1,0x1.8p0,-0\n",
           1, 7, data);
}

static void a_decimal_comma_of_the_locale_changes_nothing(void **state)
{
    (void)state;
    const double data[] = { 1.5, 2.25 };
    const char *names[] = { "de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8" };

    for (size_t k = 0; k < 3 && !setlocale(LC_ALL, names[k]); k++) {
    }
    expect("1.5,2.25\n", 1, 2, data);
    setlocale(LC_ALL, "C");
}

static void words_for_nan_and_infinity_are_values(void **state)
{
    (void)state;
    struct trop_array array;

    assert_int_equal(parse(&array, "1,nan\ninf,-Inf\n"), TROP_OK);
    assert_true(isnan(array.data[1]) && array.data[2] > 1e308 && array.data[3] < -1e308);
    assert_int_equal(trop_array_finite(&array, "x.csv"), TROP_ERR_ARG);
    assert_string_equal(trop_error(), "x.csv: row 0, column 1 (from 0) is nan: must be finite");
    array.data[1] = 0.0;
    assert_int_equal(trop_array_finite(&array, "x.csv"), TROP_ERR_ARG);
    assert_string_equal(trop_error(), "x.csv: row 1, column 0 (from 0) is inf: must be finite");
    array.data[2] = 0.0;
    assert_int_equal(trop_array_finite(&array, "x.csv"), TROP_ERR_ARG);
    assert_string_equal(trop_error(), "x.csv: row 1, column 1 (from 0) is -inf: must be finite");
    array.data[3] = 0.0;
    assert_int_equal(trop_array_finite(&array, "x.csv"), TROP_OK);
    trop_array_free(&array);
    double cube[] = { 0, 0, 0, 0, 0, NAN, 0, 0 };
    array = (struct trop_array){ .data = cube, .rank = 3, .shape = { 1, 2, 4 } };
    assert_int_equal(trop_array_finite(&array, "x"), TROP_ERR_ARG);
    assert_string_equal(trop_error(), "x: index [0][1][1] is nan: must be finite");
}

static void wrong_files_are_refused_with_line_and_column(void **state)
{
    (void)state;
    refused("", "x.csv: has no row of numbers");
    refused("\n\n# only words\n", "x.csv: has no row of numbers");
    refused("x,y\n", "x.csv: has no row of numbers");
    refused("1,5;2,5\n3;4\n",
            "x.csv: line 1, column 1 (from 1): '1,5': must be a number with a point where "
            "it has a comma");
    refused("x\n0,304717\n1,25\n",
            "x.csv: line 1 has 1 name, line 2 has 2 columns: must be as many; decimals have a "
            "point, no comma");
    refused("x y\n\n1 2 3\n", "x.csv: line 1 has 2 names, line 3 has 3 columns: must be as many");
    refused("1.5.2 x\n3 4\n", "x.csv: line 1, column 1 (from 1): '1.5.2': must be a number");
    refused("x;3-\n3;4\n", "x.csv: line 1, column 1 (from 1): 'x': must be a number");
    refused("1,2\n3\n", "x.csv: line 2: has 1 columns, line 1 has 2");
    refused("x\n\n1\n1,2\n", "x.csv: line 4, column 1 (from 1): '1,2': must be a number");
    refused("1,2\n3,4,5\n", "x.csv: line 2: has 3 columns, line 1 has 2");
    refused("1,2o\n3,4\n", "x.csv: line 1, column 2 (from 1): '2o': must be a number");
    refused("1,2\n3,four\n", "x.csv: line 2, column 2 (from 1): 'four': must be a number");
    refused("1,2\n3,\n", "x.csv: line 2, column 2 (from 1) is empty: must be a number");
    refused("1,2\n,3\n", "x.csv: line 2, column 1 (from 1) is empty: must be a number");
    refused("1,2\nx,y\n", "x.csv: line 2, column 1 (from 1): 'x': must be a number");
    refused("1,2\n3;4\n", "x.csv: line 2, column 1 (from 1): '3;4': must be a number");
    refused("1,2\n3,4\x01\n", "x.csv: line 2, column 2 (from 1): '4?': must be a number");
    refused("1,2\n3,\f4\n", "x.csv: line 2, column 2 (from 1): '?4': must be a number");
    refused("1,2\n3,4x\n", "x.csv: line 2, column 2 (from 1): '4x': must be a number");
}

static void a_zero_byte_is_not_a_number(void **state)
{
    (void)state;
    struct trop_array array;

    assert_int_equal(trop_csv_parse(&array, (const unsigned char *)"1,2\n3,4\0\n", 9, "x"),
                     TROP_ERR_IO);
}

/* A long line and many short ones must not be multiplied into a size. */
static void a_wide_first_row_reserves_nothing_for_the_others(void **state)
{
    (void)state;
    int64_t half = 100000;
    char *text = malloc((size_t)(4 * half));
    struct trop_array array;

    for (int64_t k = 0; k < half; k++) {
        memcpy(text + 2 * k, "1,", 2);
        memcpy(text + 2 * half + 2 * k, "1\n", 2);
    }
    text[2 * half - 1] = '\n';
    assert_int_equal(trop_csv_parse(&array, (unsigned char *)text, 4 * half, "x"), TROP_ERR_IO);
    free(text);
}

static void a_file_cut_at_any_byte_gives_whole_rows_or_is_refused(void **state)
{
    (void)state;
    const char text[] = "# c\nx,y\r\n1.5,-2e3\r\n0x1p3,nan\n7,8";
    char cut[sizeof text];

    for (size_t size = 0; size < sizeof text; size++) {
        struct trop_array array;
        memcpy(cut, text, size);
        cut[size] = 0;
        if (parse(&array, cut) == TROP_OK) {
            /* "1" of "1.5,-2e3" is a row of one column, and right as far as it goes. */
            assert_true(array.shape[0] >= 1 && array.shape[1] >= 1 && array.shape[1] <= 2);
            trop_array_free(&array);
        }
        assert_int_equal(alloc_live, 0);
    }
}

static void the_ending_chooses_the_reader(void **state)
{
    (void)state;
    struct trop_array array;
    const char *path = scratch("a.csv");

    scratch_fill(path, "1,2\n", 4);
    assert_int_equal(trop_array_read(&array, path), TROP_OK);
    assert_true(array.data[1] == 2.0);
    trop_array_free(&array);
    unlink(path);
    assert_int_equal(trop_array_read(&array, path), TROP_ERR_IO);
    assert_non_null(strstr(trop_error(), "No such file"));
    assert_int_equal(trop_array_read(&array, "a.dat"), TROP_ERR_ARG);
    assert_string_equal(trop_error(), "a.dat: unknown ending; known are .npy, .csv, .tsv, .txt, "
                                      "FILE.h5:/path/to/dataset, FILE.npz:NAME and "
                                      "FILE.safetensors:NAME");
    assert_int_equal(trop_array_read(&array, "a.pt"), TROP_ERR_ARG);
    assert_string_equal(trop_error(), "a.pt: pickles of PyTorch are not read: save it as "
                                      ".safetensors or .npy");
    assert_int_equal(trop_array_read(&array, "a.h5"), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "name the dataset"));
    assert_int_equal(trop_array_read(&array, "a.h5:x"), TROP_ERR_ARG);
    assert_string_equal(trop_error(), "a.h5:x: the dataset begins with a slash: FILE.h5:/NAME");
    assert_int_equal(trop_array_read(&array, "/no/a.h5:/x"), TROP_ERR_IO);
    assert_non_null(strstr(trop_error(), "/no/a.h5: No such file"));
    assert_int_equal(trop_array_read(&array, "/no/a.npy"), TROP_ERR_IO);
}

/* Standard input is given these bytes; an .npy of halves, and text of three kinds. */
static void a_dash_is_standard_input(void **state)
{
    static const char npy[] = "\x93NUMPY\x01\x00\x36\x00"
                              "{'descr':'<f2','fortran_order':False,'shape':(2, 2), }\x00\x3c"
                              "\x00\x40\x00\x42\x00\x44";
    static const struct {
        const char *bytes;
        size_t size;
    } inputs[] = {
        { "1;2\n3;4\n", 8 }, { "1\t2\n3\t4", 7 }, { "x,y\n1,2\n3,4\n", 12 }, { npy, sizeof npy - 1 }
    };
    const double expected[] = { 1, 2, 3, 4 };
    const int kept = dup(0);
    struct trop_array array;
    int ends[2];
    (void)state;

    for (size_t k = 0; k <= sizeof inputs / sizeof inputs[0]; k++) {
        const int is_empty = k == sizeof inputs / sizeof inputs[0];
        const ssize_t size = is_empty ? 0 : (ssize_t)inputs[k].size;
        assert_int_equal(pipe(ends), 0);
        assert_true(is_empty || write(ends[1], inputs[k].bytes, (size_t)size) == size);
        close(ends[1]);
        dup2(ends[0], 0);
        close(ends[0]);
        assert_int_equal(trop_array_read(&array, "-"), is_empty ? TROP_ERR_IO : TROP_OK);
        if (is_empty) {
            assert_string_equal(trop_error(), "standard input: has no row of numbers");
        } else {
            assert_true(array.rank == 2 && array.shape[0] == 2 && array.shape[1] == 2);
            assert_memory_equal(array.data, expected, sizeof expected);
            trop_array_free(&array);
        }
    }
    dup2(kept, 0);
    close(kept);
}

static enum trop_status read_many(void)
{
    struct trop_array array;
    char text[600] = "";

    for (int k = 0; k < 140; k++) {
        strcat(text, "1,2\n");
    }
    const char *path = scratch("m.txt");
    scratch_fill(path, text, strlen(text));
    enum trop_status status = trop_array_read(&array, path);
    if (status == TROP_OK) {
        trop_array_free(&array);
    }
    unlink(path);
    return status;
}

static void every_refused_allocation_is_survived(void **state)
{
    (void)state;
    alloc_refuse_each(read_many);
}

/* An endless device: room for its first bytes is enough to see that they are no text. */
static void zero_bytes_are_refused_as_they_come(void **state)
{
    struct trop_array array;
    const char *path = scratch("zero.csv");

    (void)state;
    assert_int_equal(symlink("/dev/zero", path), 0);
    alloc_refused = 1;
    const enum trop_status status = trop_csv_read(&array, path);
    alloc_refused = -1;
    assert_int_equal(status, TROP_ERR_IO);
    assert_non_null(strstr(trop_error(), "zero byte"));
    assert_int_equal(alloc_live, 0);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_separator_gives_the_same_rows),
        cmocka_unit_test(headers_comments_and_line_ends_are_understood),
        cmocka_unit_test(numbers_are_rounded_correctly),
        cmocka_unit_test(a_decimal_comma_of_the_locale_changes_nothing),
        cmocka_unit_test(words_for_nan_and_infinity_are_values),
        cmocka_unit_test(wrong_files_are_refused_with_line_and_column),
        cmocka_unit_test(a_zero_byte_is_not_a_number),
        cmocka_unit_test(a_wide_first_row_reserves_nothing_for_the_others),
        cmocka_unit_test(a_file_cut_at_any_byte_gives_whole_rows_or_is_refused),
        cmocka_unit_test(the_ending_chooses_the_reader),
        cmocka_unit_test(a_dash_is_standard_input),
        cmocka_unit_test(every_refused_allocation_is_survived),
        cmocka_unit_test(zero_bytes_are_refused_as_they_come),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_remove);
}
