/* test_npy.c -- NumPy's files, from bytes that numpy 1.24 wrote. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "alloc_failing.c"
#include "base/status.h"
#include "io/npy.h"
#include "scratch.h"

static const unsigned char
    numpy_f8[] = { /* 176 bytes */
                   0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 0x01, 0x00, 0x76, 0x00, 0x7b, 0x27, 0x64,
                   0x65, 0x73, 0x63, 0x72, 0x27, 0x3a, 0x20, 0x27, 0x3c, 0x66, 0x38, 0x27, 0x2c,
                   0x20, 0x27, 0x66, 0x6f, 0x72, 0x74, 0x72, 0x61, 0x6e, 0x5f, 0x6f, 0x72, 0x64,
                   0x65, 0x72, 0x27, 0x3a, 0x20, 0x46, 0x61, 0x6c, 0x73, 0x65, 0x2c, 0x20, 0x27,
                   0x73, 0x68, 0x61, 0x70, 0x65, 0x27, 0x3a, 0x20, 0x28, 0x32, 0x2c, 0x20, 0x33,
                   0x29, 0x2c, 0x20, 0x7d, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20,
                   0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20,
                   0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20,
                   0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20,
                   0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x0a, 0x00, 0x00,
                   0x00, 0x00, 0x00, 0x00, 0xf8, 0x3f, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
                   0x80, 0x9c, 0x75, 0x00, 0x88, 0x3c, 0xe4, 0x37, 0x7e, 0x18, 0x2d, 0x44, 0x54,
                   0xfb, 0x21, 0x09, 0x40, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
                   0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0xc0
    };
static const unsigned char
    numpy_f8_fortran[] = { /* 176 bytes */
                           0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 0x02, 0x00, 0x74, 0x00, 0x00, 0x00,
                           0x7b, 0x27, 0x64, 0x65, 0x73, 0x63, 0x72, 0x27, 0x3a, 0x20, 0x27, 0x3c,
                           0x66, 0x38, 0x27, 0x2c, 0x20, 0x27, 0x66, 0x6f, 0x72, 0x74, 0x72, 0x61,
                           0x6e, 0x5f, 0x6f, 0x72, 0x64, 0x65, 0x72, 0x27, 0x3a, 0x20, 0x54, 0x72,
                           0x75, 0x65, 0x2c, 0x20, 0x27, 0x73, 0x68, 0x61, 0x70, 0x65, 0x27, 0x3a,
                           0x20, 0x28, 0x32, 0x2c, 0x20, 0x33, 0x29, 0x2c, 0x20, 0x7d, 0x20, 0x20,
                           0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20,
                           0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20,
                           0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20,
                           0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20,
                           0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x0a, 0x00, 0x00, 0x00, 0x00,
                           0x00, 0x00, 0xf0, 0x3f, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x10, 0x40,
                           0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x40, 0x00, 0x00, 0x00, 0x00,
                           0x00, 0x00, 0x14, 0x40, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x08, 0x40,
                           0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x18, 0x40
    };
static const unsigned char numpy_f4_big[] = { /* 136 bytes */
                                              0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 0x03, 0x00, 0x74,
                                              0x00, 0x00, 0x00, 0x7b, 0x27, 0x64, 0x65, 0x73, 0x63,
                                              0x72, 0x27, 0x3a, 0x20, 0x27, 0x3e, 0x66, 0x34, 0x27,
                                              0x2c, 0x20, 0x27, 0x66, 0x6f, 0x72, 0x74, 0x72, 0x61,
                                              0x6e, 0x5f, 0x6f, 0x72, 0x64, 0x65, 0x72, 0x27, 0x3a,
                                              0x20, 0x46, 0x61, 0x6c, 0x73, 0x65, 0x2c, 0x20, 0x27,
                                              0x73, 0x68, 0x61, 0x70, 0x65, 0x27, 0x3a, 0x20, 0x28,
                                              0x32, 0x2c, 0x29, 0x2c, 0x20, 0x7d, 0x20, 0x20, 0x20,
                                              0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20,
                                              0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20,
                                              0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20,
                                              0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20,
                                              0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20,
                                              0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20,
                                              0x20, 0x0a, 0x3d, 0xcc, 0xcc, 0xcd, 0xc0, 0x60, 0x00,
                                              0x00
};
static const unsigned char numpy_i2[] = { /* 134 bytes */
                                          0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 0x01, 0x00, 0x76,
                                          0x00, 0x7b, 0x27, 0x64, 0x65, 0x73, 0x63, 0x72, 0x27,
                                          0x3a, 0x20, 0x27, 0x3c, 0x69, 0x32, 0x27, 0x2c, 0x20,
                                          0x27, 0x66, 0x6f, 0x72, 0x74, 0x72, 0x61, 0x6e, 0x5f,
                                          0x6f, 0x72, 0x64, 0x65, 0x72, 0x27, 0x3a, 0x20, 0x46,
                                          0x61, 0x6c, 0x73, 0x65, 0x2c, 0x20, 0x27, 0x73, 0x68,
                                          0x61, 0x70, 0x65, 0x27, 0x3a, 0x20, 0x28, 0x33, 0x2c,
                                          0x29, 0x2c, 0x20, 0x7d, 0x20, 0x20, 0x20, 0x20, 0x20,
                                          0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20,
                                          0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20,
                                          0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20,
                                          0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20,
                                          0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20,
                                          0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20,
                                          0x20, 0x0a, 0x00, 0x80, 0xff, 0xff, 0xff, 0x7f
};
static const unsigned char numpy_u8_big[] = { /* 136 bytes */
                                              0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 0x01, 0x00, 0x76,
                                              0x00, 0x7b, 0x27, 0x64, 0x65, 0x73, 0x63, 0x72, 0x27,
                                              0x3a, 0x20, 0x27, 0x3e, 0x75, 0x38, 0x27, 0x2c, 0x20,
                                              0x27, 0x66, 0x6f, 0x72, 0x74, 0x72, 0x61, 0x6e, 0x5f,
                                              0x6f, 0x72, 0x64, 0x65, 0x72, 0x27, 0x3a, 0x20, 0x46,
                                              0x61, 0x6c, 0x73, 0x65, 0x2c, 0x20, 0x27, 0x73, 0x68,
                                              0x61, 0x70, 0x65, 0x27, 0x3a, 0x20, 0x28, 0x29, 0x2c,
                                              0x20, 0x7d, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20,
                                              0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20,
                                              0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20,
                                              0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20,
                                              0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20,
                                              0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20,
                                              0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20,
                                              0x20, 0x0a, 0x80, 0x10, 0x00, 0x00, 0x00, 0x00, 0x00,
                                              0x00
};
static const unsigned char
    numpy_cube_fortran[] = { /* 224 bytes */
                             0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 0x01, 0x00, 0x76, 0x00, 0x7b, 0x27,
                             0x64, 0x65, 0x73, 0x63, 0x72, 0x27, 0x3a, 0x20, 0x27, 0x3c, 0x69, 0x34,
                             0x27, 0x2c, 0x20, 0x27, 0x66, 0x6f, 0x72, 0x74, 0x72, 0x61, 0x6e, 0x5f,
                             0x6f, 0x72, 0x64, 0x65, 0x72, 0x27, 0x3a, 0x20, 0x54, 0x72, 0x75, 0x65,
                             0x2c, 0x20, 0x27, 0x73, 0x68, 0x61, 0x70, 0x65, 0x27, 0x3a, 0x20, 0x28,
                             0x32, 0x2c, 0x20, 0x33, 0x2c, 0x20, 0x34, 0x29, 0x2c, 0x20, 0x7d, 0x20,
                             0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20,
                             0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20,
                             0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20,
                             0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20,
                             0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x0a, 0x00, 0x00, 0x00, 0x00,
                             0x0c, 0x00, 0x00, 0x00, 0x04, 0x00, 0x00, 0x00, 0x10, 0x00, 0x00, 0x00,
                             0x08, 0x00, 0x00, 0x00, 0x14, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00,
                             0x0d, 0x00, 0x00, 0x00, 0x05, 0x00, 0x00, 0x00, 0x11, 0x00, 0x00, 0x00,
                             0x09, 0x00, 0x00, 0x00, 0x15, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00,
                             0x0e, 0x00, 0x00, 0x00, 0x06, 0x00, 0x00, 0x00, 0x12, 0x00, 0x00, 0x00,
                             0x0a, 0x00, 0x00, 0x00, 0x16, 0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00,
                             0x0f, 0x00, 0x00, 0x00, 0x07, 0x00, 0x00, 0x00, 0x13, 0x00, 0x00, 0x00,
                             0x0b, 0x00, 0x00, 0x00, 0x17, 0x00, 0x00, 0x00
    };

/* A file of version 1 from its header and its data. */
static enum trop_status parse(struct trop_array *out, const char *header, const void *data,
                              size_t size)
{
    size_t length = strlen(header);
    unsigned char *bytes = malloc(10 + length + size);

    memcpy(bytes, "\x93NUMPY\x01\x00", 8);
    bytes[8] = (unsigned char)(length % 256);
    bytes[9] = (unsigned char)(length / 256);
    memcpy(bytes + 10, header, length);
    if (size > 0) {
        memcpy(bytes + 10 + length, data, size);
    }
    enum trop_status status = trop_npy_parse(out, bytes, (int64_t)(10 + length + size), "x.npy");
    free(bytes);
    return status;
}

static void refused(const char *header, size_t size, const char *word)
{
    static const unsigned char zeros[4096];
    struct trop_array array = { .rank = 77 };

    assert_int_not_equal(parse(&array, header, zeros, size), TROP_OK);
    assert_non_null(strstr(trop_error(), word));
    assert_non_null(strstr(trop_error(), "x.npy"));
    assert_int_equal(array.rank, 77);
    assert_int_equal(alloc_live, 0);
}

#define PARSE(out, bytes) trop_npy_parse(out, bytes, (int64_t)sizeof bytes, "x.npy")

static void numpy_doubles_are_read_to_the_bit(void **state)
{
    (void)state;
    const double expected[] = { 1.5, -0.0, 1e300, 0x1.921fb54442d18p+1, 5e-324, -2.25 };
    struct trop_array array;

    assert_int_equal(PARSE(&array, numpy_f8), TROP_OK);
    assert_int_equal(array.rank, 2);
    assert_int_equal(array.shape[0], 2);
    assert_int_equal(array.shape[1], 3);
    assert_memory_equal(array.data, expected, sizeof expected);
    trop_array_free(&array);
}

static void fortran_order_is_turned_into_rows(void **state)
{
    (void)state;
    struct trop_array array;

    assert_int_equal(PARSE(&array, numpy_f8_fortran), TROP_OK);
    for (int i = 0; i < 6; i++) {
        assert_true(array.data[i] == i + 1);
    }
    trop_array_free(&array);
    assert_int_equal(PARSE(&array, numpy_cube_fortran), TROP_OK);
    assert_int_equal(array.rank, 3);
    for (int i = 0; i < 24; i++) {
        assert_true(array.data[i] == i);
    }
    trop_array_free(&array);
}

static void narrow_and_big_endian_types_are_read(void **state)
{
    (void)state;
    struct trop_array array;

    assert_int_equal(PARSE(&array, numpy_f4_big), TROP_OK);
    assert_true(array.data[0] == 0.10000000149011612 && array.data[1] == -3.5);
    trop_array_free(&array);
    assert_int_equal(PARSE(&array, numpy_i2), TROP_OK);
    assert_true(array.data[0] == -32768 && array.data[1] == -1 && array.data[2] == 32767);
    trop_array_free(&array);
    assert_int_equal(PARSE(&array, numpy_u8_big), TROP_OK);
    assert_int_equal(array.rank, 0);
    assert_true(array.data[0] == 9.227875636482146e+18);
    trop_array_free(&array);
}

/* Binary16 by its definition: 1 and 10 and 5 bits. 0x3555 is 1365/4096, what rounds to 1/3;
 * 0x0001 the least number, 0x7bff the largest; in both orders of bytes. */
static void halves_are_read_to_the_bit(void **state)
{
    (void)state;
    const unsigned char bytes[] = { 0x00, 0x3c, 0x55, 0x35, 0x01, 0x00, 0xff, 0x7b,
                                    0x00, 0xc0, 0x00, 0x80, 0x00, 0x7c, 0x01, 0xfe };
    const double expected[] = { 1, 1365.0 / 4096, 0x1p-24, 65504, -2, -0.0, HUGE_VAL };
    unsigned char turned[sizeof bytes];
    struct trop_array array;

    for (size_t k = 0; k < sizeof bytes; k++) {
        turned[k] = bytes[k ^ 1];
    }
    for (int big = 0; big < 2; big++) {
        assert_int_equal(parse(&array,
                               big ? "{'descr': '>f2', 'fortran_order': False, 'shape': (8,)}"
                                   : "{'descr': '<f2', 'fortran_order': False, 'shape': (8,)}",
                               big ? turned : bytes, sizeof bytes),
                         TROP_OK);
        assert_memory_equal(array.data, expected, sizeof expected);
        assert_true(isnan(array.data[7]));
        trop_array_free(&array);
    }
}

static void every_integer_width_keeps_its_sign(void **state)
{
    (void)state;
    for (int width = 1; width <= 8; width++) {
        char header[128];
        unsigned char ones[8];
        struct trop_array array;
        memset(ones, 0xff, sizeof ones);
        snprintf(header, sizeof header,
                 "{'descr': '<i%d', 'fortran_order': False, 'shape': (1,), }", width);
        assert_int_equal(parse(&array, header, ones, (size_t)width), TROP_OK);
        assert_true(array.data[0] == -1.0);
        trop_array_free(&array);
        snprintf(header, sizeof header,
                 "{\"descr\":\">u%d\",\"fortran_order\":False,\"shape\":(1,)}", width);
        if (width >= 7) { /* 2^56 - 1 and 2^64 - 1 are no doubles */
            assert_int_equal(parse(&array, header, ones, (size_t)width), TROP_ERR_IO);
            continue;
        }
        assert_int_equal(parse(&array, header, ones, (size_t)width), TROP_OK);
        assert_true(array.data[0] == ldexp(1.0, 8 * width) - 1.0);
        trop_array_free(&array);
    }
}

/* 2^53 + 1 is the least whole number that no double is; 2^53, 2^53 + 2, -2^63 and 2^63 - 1024 are
 * doubles. The place is counted in rows, also where the file is in columns. */
static void whole_numbers_that_double_would_round_are_refused(void **state)
{
    (void)state;
    const int64_t two = INT64_C(1) << 53;
    const int64_t good[] = { two, two + 2, -two - 2, INT64_MIN, INT64_MAX - 1023, 0 };
    const int64_t bad[] = { 1, 2, 3, -two - 1, 5, 6 }, least[] = { two + 1 },
                  most[] = { INT64_MAX };
    struct trop_array array;

    assert_int_equal(parse(&array, "{'descr': '<i8', 'fortran_order': False, 'shape': (2, 3), }",
                           good, sizeof good),
                     TROP_OK);
    assert_true(array.data[1] == 0x1p53 + 2 && array.data[2] == -0x1p53 - 2);
    assert_true(array.data[3] == -0x1p63 && array.data[4] == 0x1p63 - 1024);
    trop_array_free(&array);
    assert_int_equal(parse(&array, "{'descr': '<i8', 'fortran_order': False, 'shape': (2, 3), }",
                           bad, sizeof bad),
                     TROP_ERR_IO);
    assert_non_null(strstr(trop_error(), "x.npy: row 1, column 0 (from 0)"));
    assert_int_equal(parse(&array, "{'descr': '<i8', 'fortran_order': True, 'shape': (2, 3), }",
                           bad, sizeof bad),
                     TROP_ERR_IO);
    assert_non_null(strstr(trop_error(), "x.npy: row 1, column 1 (from 0)"));
    assert_int_equal(parse(&array, "{'descr': '<i8', 'fortran_order': False, 'shape': (1, 2, 3), }",
                           bad, sizeof bad),
                     TROP_ERR_IO);
    assert_non_null(strstr(trop_error(), "x.npy: index [0][1][0]"));
    assert_int_equal(
        parse(&array, "{'descr': '<u8', 'fortran_order': False, 'shape': (), }", least, 8),
        TROP_ERR_IO);
    assert_int_equal(
        parse(&array, "{'descr': '<i8', 'fortran_order': False, 'shape': (1,), }", most, 8),
        TROP_ERR_IO);
    assert_int_equal(alloc_live, 0);
}

static void a_written_file_has_the_bytes_of_numpy(void **state)
{
    (void)state;
    const double data[] = { 1.5, -0.0, 1e300, 0x1.921fb54442d18p+1, 5e-324, -2.25 };
    const char *path = scratch("w.npy");
    unsigned char bytes[sizeof numpy_f8 + 1];

    assert_int_equal(trop_npy_write(path, data, 2, (int64_t[]){ 2, 3 }), TROP_OK);
    FILE *file = fopen(path, "rb");
    assert_int_equal(fread(bytes, 1, sizeof bytes, file), sizeof numpy_f8);
    fclose(file);
    assert_memory_equal(bytes, numpy_f8, sizeof numpy_f8);
    unlink(path);
}

static void every_rank_comes_back_as_written(void **state)
{
    (void)state;
    double data[24];
    const int64_t shape[] = { 2, 3, 1, 4 };
    const char *path = scratch("r.npy");

    for (int i = 0; i < 24; i++) {
        data[i] = 1.0 / (i + 1);
    }
    for (int64_t rank = 0; rank <= 4; rank++) {
        struct trop_array array;
        assert_int_equal(trop_npy_write(path, data, rank, shape), TROP_OK);
        assert_int_equal(trop_npy_read(&array, path), TROP_OK);
        assert_int_equal(array.rank, rank);
        assert_memory_equal(array.shape, shape, (size_t)rank * sizeof *shape);
        int64_t count = trop_array_count(rank, shape);
        assert_memory_equal(array.data, data, (size_t)count * sizeof *data);
        trop_array_free(&array);
    }
    assert_int_equal(trop_npy_write(path, data, 2, (int64_t[]){ 0, 7 }), TROP_OK);
    struct trop_array array;
    assert_int_equal(trop_npy_read(&array, path), TROP_OK);
    assert_true(array.shape[0] == 0 && array.shape[1] == 7);
    trop_array_free(&array);
    unlink(path);
}

static void wrong_shapes_are_not_written(void **state)
{
    (void)state;
    const char *path = scratch("n.npy");
    double x = 1.0;

    assert_int_equal(trop_npy_write(path, &x, 5, (int64_t[]){ 1, 1, 1, 1, 1 }), TROP_ERR_ARG);
    assert_int_equal(trop_npy_write(path, &x, -1, NULL), TROP_ERR_ARG);
    assert_int_equal(trop_npy_write(path, &x, 1, (int64_t[]){ -1 }), TROP_ERR_ARG);
    assert_int_equal(trop_npy_write(path, &x, 2, (int64_t[]){ INT64_MAX, 2 }), TROP_ERR_ARG);
    assert_int_equal(scratch_count(), 0);
}

static void other_types_are_refused_by_name(void **state)
{
    (void)state;
    const char *names[] = { "<c16", "<f3", "<f16", "|b1", "|O",  "<U3", "=f8",  "|f8",
                            "f8",   "<M8", "",     "<i9", "<i0", "<",   "<f88", "|S1" };
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char header[128];
        snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (1,)}",
                 names[k]);
        refused(header, 8, names[k]);
    }
    refused("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,)}", 8, "structured");
}

static void headers_that_are_no_dict_are_refused(void **state)
{
    (void)state;
    refused("", 0, "dict");
    refused("['descr']", 0, "dict");
    refused("{'descr': '<f8' 'fortran_order': False}", 0, "dict");
    refused("{'descr': '<f8', 'fortran_order': False, 'shape': (1,)", 8, "dict");
    refused("{'descr': '<f8', 'fortran_order': False, 'shape': (1,)} x", 8, "follows");
    refused("{'descr': '<f8', 'fortran_order': False}", 8, "needs");
    refused("{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': ()}", 8, "twice");
    refused("{'descr': '<f8', 'fortran_order': 0, 'shape': ()}", 8, "fortran_order");
    refused("{'descr': '<f8', 'fortran_order': False, 'shape': (), 'more': 1}", 8, "unknown key");
    refused("{'descr': 8, 'fortran_order': False, 'shape': ()}", 8, "descr");
    refused("{'descr': '<f\\x38', 'fortran_order': False, 'shape': ()}", 8, "descr");
    refused("{,}", 0, "dict");
}

static void absurd_shapes_are_refused(void **state)
{
    (void)state;
#define SHAPE(text) "{'descr': '<f8', 'fortran_order': False, 'shape': " text "}"
    refused(SHAPE("(-1,)"), 8, "negative");
    refused(SHAPE("(9223372036854775808,)"), 8, "64 bits");
    refused(SHAPE("(4294967296, 4294967296)"), 8, "64 bits");
    refused(SHAPE("(9223372036854775807,)"), 8, "64 bits");
    refused(SHAPE("(4294967296, 4294967296, 0)"), 0, "64 bits");
    refused(SHAPE("(1152921504606846975,)"), 8, "needs");
    refused(SHAPE("(1, 1, 1, 1, 1)"), 8, "more than 4 axes");
    refused(SHAPE("(1)"), 8, "tuple");
    refused(SHAPE("1"), 8, "tuple");
    refused(SHAPE("(1 1)"), 8, "tuple");
    refused(SHAPE("(,)"), 8, "tuple");
    refused(SHAPE("(1.0,)"), 8, "tuple");
    refused(SHAPE("(2,)"), 8, "needs 16 bytes");
    refused(SHAPE("(2,)"), 17, "needs 16 bytes");
#undef SHAPE
}

static void a_file_cut_at_any_byte_is_refused(void **state)
{
    (void)state;
    for (size_t size = 0; size < sizeof numpy_f8; size++) {
        /* A copy of exactly this size, so that a read past the end is seen. */
        unsigned char *cut = malloc(size > 0 ? size : 1);
        struct trop_array array;
        memcpy(cut, numpy_f8, size);
        assert_int_equal(trop_npy_parse(&array, cut, (int64_t)size, "x.npy"), TROP_ERR_IO);
        free(cut);
    }
}

static void versions_and_lengths_that_lie_are_refused(void **state)
{
    (void)state;
    unsigned char bytes[sizeof numpy_f8];
    struct trop_array array;

    memcpy(bytes, numpy_f8, sizeof bytes);
    bytes[6] = 4;
    assert_int_equal(PARSE(&array, bytes), TROP_ERR_UNSUPPORTED);
    assert_non_null(strstr(trop_error(), "version 4"));
    bytes[6] = 3; /* the length becomes four bytes, of which two are text */
    assert_int_equal(PARSE(&array, bytes), TROP_ERR_IO);
    bytes[6] = 1;
    bytes[9] = 0xff;
    assert_int_equal(PARSE(&array, bytes), TROP_ERR_IO);
    assert_non_null(strstr(trop_error(), "ends inside"));
    bytes[9] = 0;
    bytes[8]--;
    assert_int_equal(PARSE(&array, bytes), TROP_ERR_IO);
}

/* Bytes changed at random: any answer, but no crash and nothing left allocated. */
static void damaged_files_never_crash(void **state)
{
    (void)state;
    uint64_t word = 1;
    int64_t rounds = getenv("TROP_TEST_FULL") ? 10000000 : 100000;

    for (int64_t k = 0; k < rounds; k++) {
        unsigned char bytes[sizeof numpy_f8];
        struct trop_array array;
        memcpy(bytes, numpy_f8, sizeof bytes);
        for (int hit = 0; hit < 2; hit++) {
            word = word * 6364136223846793005u + 1442695040888963407u;
            bytes[(word >> 33) % 80] = (unsigned char)(word >> 56);
        }
        if (PARSE(&array, bytes) == TROP_OK) {
            trop_array_free(&array);
        }
        assert_int_equal(alloc_live, 0);
    }
}

/* Room for the first bytes is enough to see that these are none of ours. */
static void refuse_early(const char *path, const char *words)
{
    struct trop_array array;

    alloc_refused = 1;
    const enum trop_status status = trop_npy_read(&array, path);
    alloc_refused = -1;
    if (status != TROP_ERR_IO || !strstr(trop_error(), words)) {
        fail_msg("%s: status %d, \"%s\" should say %s", path, (int)status, trop_error(), words);
    }
    assert_int_equal(alloc_live, 0);
}

static void what_is_no_npy_is_refused_before_it_is_read(void **state)
{
    (void)state;
    const char *path = scratch("zero.npy");

    assert_int_equal(symlink("/dev/zero", path), 0);
    refuse_early(path, "does not begin");
    unlink(path);
    scratch_fill(path, "", 0);
    assert_int_equal(truncate(path, (off_t)1 << 40), 0); /* holes, which take no room */
    refuse_early(path, "does not begin");
    scratch_fill(path, numpy_f8, sizeof numpy_f8);
    assert_int_equal(truncate(path, (off_t)1 << 40), 0);
    refuse_early(path, "its shape needs 48 bytes");
    unlink(path);
}

/* A pipe does not say how long it is; the header does. */
static void a_pipe_that_goes_on_behind_its_data_is_refused(void **state)
{
    char path[64];
    int ends[2];
    unsigned char bytes[60000] = { 0 };

    (void)state;
    if (access("/proc/self/fd", F_OK) != 0) {
        skip();
    }
    memcpy(bytes, numpy_f8, sizeof numpy_f8);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], bytes, sizeof bytes), sizeof bytes);
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
    refuse_early(path, "its shape needs 48 bytes"); /* though its writer lives */
    close(ends[0]);
    close(ends[1]);
}

static enum trop_status write_and_read(void)
{
    const char *path = scratch("m.npy");
    double data[] = { 1.0, 2.0 };
    struct trop_array array;
    enum trop_status status = trop_npy_write(path, data, 1, (int64_t[]){ 2 });

    if (status == TROP_OK) {
        status = trop_npy_read(&array, path);
    }
    if (status == TROP_OK) {
        trop_array_free(&array);
    }
    unlink(path);
    return status;
}

static void every_refused_allocation_is_survived(void **state)
{
    (void)state;
    alloc_refuse_each(write_and_read);
    assert_int_equal(scratch_count(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numpy_doubles_are_read_to_the_bit),
        cmocka_unit_test(fortran_order_is_turned_into_rows),
        cmocka_unit_test(narrow_and_big_endian_types_are_read),
        cmocka_unit_test(halves_are_read_to_the_bit),
        cmocka_unit_test(every_integer_width_keeps_its_sign),
        cmocka_unit_test(whole_numbers_that_double_would_round_are_refused),
        cmocka_unit_test(a_written_file_has_the_bytes_of_numpy),
        cmocka_unit_test(every_rank_comes_back_as_written),
        cmocka_unit_test(wrong_shapes_are_not_written),
        cmocka_unit_test(other_types_are_refused_by_name),
        cmocka_unit_test(headers_that_are_no_dict_are_refused),
        cmocka_unit_test(absurd_shapes_are_refused),
        cmocka_unit_test(a_file_cut_at_any_byte_is_refused),
        cmocka_unit_test(versions_and_lengths_that_lie_are_refused),
        cmocka_unit_test(damaged_files_never_crash),
        cmocka_unit_test(what_is_no_npy_is_refused_before_it_is_read),
        cmocka_unit_test(a_pipe_that_goes_on_behind_its_data_is_refused),
        cmocka_unit_test(every_refused_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_remove);
}
