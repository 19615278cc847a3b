/* test_safetensors.c -- files of tensors: those that are read, and hostile ones. */
#include "support.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alloc_failing.c"
#include "io/safetensors.h"
#include "scratch.h"

static unsigned char file[4096];

/* A file of this header and these data, in `file`; returns its size. */
static int64_t build(const char *header, const void *data, int64_t size)
{
    const uint64_t length = strlen(header);

    for (int k = 0; k < 8; k++) {
        file[k] = (unsigned char)(length >> 8 * k & 255);
    }
    memcpy(file + 8, header, length);
    if (size > 0) {
        memcpy(file + 8 + length, data, (size_t)size);
    }
    return 8 + (int64_t)length + size;
}

static struct trop_safetensors *parsed(const char *header, const void *data, int64_t size)
{
    struct trop_safetensors *set = NULL;

    assert_ok(trop_safetensors_parse(&set, file, build(header, data, size), "f"));
    return set;
}

#define TENSOR(name, type, shape, range) \
    "\"" name "\":{\"dtype\":\"" type "\",\"shape\":" shape ",\"data_offsets\":" range "}"

/* ---- what is read --------------------------------------------------------------------------- */

static void every_type_becomes_double(void **state)
{
    static const struct {
        const char *type;
        unsigned char bytes[8];
        double value;
    } numbers[] = {
        { "F64", { 0, 0, 0, 0, 0, 0, 0xf8, 0xbf }, -1.5 },
        { "F32", { 0, 0, 0x20, 0x40 }, 2.5 },
        { "F32", { 1, 0, 0, 0 }, 0x1p-149 },
        { "F16", { 0x00, 0x3c }, 1.0 },
        { "F16", { 0x01, 0x00 }, 0x1p-24 },
        { "F16", { 0xff, 0x83 }, -0x1.ff8p-15 },
        { "F16", { 0x00, 0x04 }, 0x1p-14 },
        { "F16", { 0xff, 0x7b }, 65504.0 },
        { "F16", { 0x00, 0xfc }, -INFINITY },
        { "BF16", { 0x80, 0x3f }, 1.0 },
        { "BF16", { 0x49, 0xc0 }, -3.140625 },
        { "BF16", { 0x80, 0x7f }, INFINITY },
        { "BF16", { 0x01, 0x00 }, 0x1p-133 },
        { "I64", { 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff }, -2.0 },
        { "I32", { 0, 0, 0, 0x80 }, -0x1p31 },
        { "I16", { 0xff, 0x7f }, 32767.0 },
        { "I8", { 0x80 }, -128.0 },
        { "U8", { 0xff }, 255.0 },
        { "BOOL", { 1 }, 1.0 },
    };

    (void)state;
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        const int64_t width = trop_number_width[trop_number_find(numbers[k].type)];
        char header[128];
        double value = 0;
        snprintf(header, sizeof header,
                 "{\"a\":{\"dtype\":\"%s\",\"shape\":[],\"data_offsets\":[0,%d]}}", numbers[k].type,
                 (int)width);
        struct trop_safetensors *set = parsed(header, numbers[k].bytes, width);
        const struct trop_safetensors_entry *entry = trop_safetensors_find(set, "a");
        assert_int_equal(entry->rank, 0);
        assert_int_equal(entry->count, 1);
        assert_ok(trop_safetensors_copy(&value, entry, 0, 1));
        assert_true(value == numbers[k].value);
        trop_safetensors_close(set);
    }
}

/* Against the formula, all 65536 of them. */
static void every_half_is_its_formula(void **state)
{
    unsigned char bytes[2];

    (void)state;
    for (int bits = 0; bits < 65536; bits++) {
        const int exponent = bits >> 10 & 31, fraction = bits & 1023;
        double value, want = exponent == 0 ? fraction * 0x1p-24
                                           : (1 + fraction / 1024.0) * pow(2, exponent - 15);
        bytes[0] = (unsigned char)(bits & 255);
        bytes[1] = (unsigned char)(bits >> 8);
        trop_number_copy(&value, bytes, TROP_NUMBER_F16, 1);
        if (exponent == 31) {
            assert_true(fraction ? isnan(value) : isinf(value));
        } else {
            assert_true(value == (bits >> 15 ? -want : want));
        }
    }
}

static void tensors_are_found_at_any_address_and_in_any_order(void **state)
{
    static const unsigned char data[] = { 9, 0, 0, 0x80, 0x3f, 0, 0, 0, 0x40, 7, 8 };
    struct trop_safetensors *set = parsed(
        "{\"__metadata__\":{\"format\":\"pt\"}," TENSOR("z", "U8", "[2]", "[9,11]") "," TENSOR(
            "w", "F32", "[1,2]", "[1,9]") "," TENSOR("a", "U8", "[1]",
                                                     "[0,1]") "," TENSOR("none", "F32", "[0,7]",
                                                                         "[1,1]") "}",
        data, sizeof data);
    double value[2] = { 0 };

    (void)state;
    assert_int_equal(trop_safetensors_count(set), 4);
    assert_string_equal(trop_safetensors_entry(set, 0)->name, "a");
    const struct trop_safetensors_entry *w = trop_safetensors_find(set, "w");
    assert_int_equal(w->shape[0], 1);
    assert_int_equal(w->shape[1], 2);
    assert_ok(trop_safetensors_copy(value, w, 0, 2));
    assert_true(value[0] == 1 && value[1] == 2);
    assert_ok(trop_safetensors_copy(value, w, 1, 1));
    assert_true(value[0] == 2);
    assert_int_equal(trop_safetensors_find(set, "none")->count, 0);
    assert_null(trop_safetensors_find(set, "__metadata__"));
    assert_null(trop_safetensors_find(set, "y"));
    assert_int_equal(trop_safetensors_copy(value, w, 1, 2), TROP_ERR_ARG);
    assert_int_equal(trop_safetensors_copy(value, w, -1, 1), TROP_ERR_ARG);
    assert_int_equal(trop_safetensors_copy(value, w, INT64_MAX, INT64_MAX), TROP_ERR_ARG);
    trop_safetensors_close(set);
    assert_int_equal(alloc_live, 0);
}

/* ---- what is refused ------------------------------------------------------------------------ */

static void hostile_headers_are_refused_with_file_and_tensor(void **state)
{
    static const struct {
        const char *header;
        int64_t data;
        const char *words;
    } refused[] = {
        { "{" TENSOR("a", "F32", "[2]", "[0,4]") "}", 4, "f: tensor a: data_offsets give it 4" },
        { "{" TENSOR("a", "F32", "[1]", "[0,4]") "}", 8, "has 8 bytes of data, its tensors 4" },
        { "{" TENSOR("a", "F32", "[1]", "[4,8]") "}", 8, "tensor a: begins at byte 4" },
        { "{" TENSOR("a", "F32", "[1]", "[0,4]") "}", 3, "tensor a: data_offsets 0 to 4" },
        { "{" TENSOR("a", "F32", "[1]", "[4,0]") "}", 4, "must ascend" },
        { "{" TENSOR("a", "U8", "[2]", "[0,2]") "," TENSOR("b", "U8", "[2]", "[1,3]") "}", 3,
          "tensor b: begins at byte 1 of the data, inside" },
        { "{" TENSOR("a", "U8", "[2]", "[0,2]") "," TENSOR("b", "U8", "[2]", "[0,2]") "}", 2,
          "inside" },
        { "{" TENSOR("a", "U8", "[1]", "[0,1]") "," TENSOR("b", "U8", "[1]", "[2,3]") "}", 3,
          "tensor b: begins at byte 2 of the data, behind a hole" },
        { "{" TENSOR("a", "F64", "[4294967296,4294967296]", "[0,0]") "}", 0, "exceeds 64 bits" },
        { "{" TENSOR("a", "F64", "[2305843009213693952]", "[0,0]") "}", 0,
          "shape and dtype exceed 64 bits" },
        { "{" TENSOR("a", "F64", "[0,4294967296,4294967296]", "[0,0]") "}", 0, "exceeds 64 bits" },
        { "{" TENSOR("a", "F32", "[-1]", "[0,4]") "}", 4, "not a whole number from 0 on" },
        { "{" TENSOR("a", "F32", "[1.5]", "[0,4]") "}", 4, "not a whole number from 0 on" },
        { "{" TENSOR("a", "F32", "[1e300]", "[0,4]") "}", 4, "not a whole number from 0 on" },
        { "{" TENSOR("a", "F32", "[99999999999999999999]", "[0,4]") "}", 4, "too big integer" },
        { "{" TENSOR("a", "F32", "[1]", "[0,4,8]") "}", 4, "not two whole numbers" },
        { "{" TENSOR("a", "F32", "[1]", "[-4,0]") "}", 4, "not two whole numbers" },
        { "{" TENSOR("a", "F32", "[1,1,1,1,1,1,1,1,1]", "[0,4]") "}", 4,
          "9 axes: must be at most" },
        { "{" TENSOR("a", "F8_E4M3", "[1]", "[0,1]") "}", 1, "tensor a: dtype \"F8_E4M3\"" },
        { "{" TENSOR("a", "F32", "[1]", "[0,4]") "," TENSOR("a", "F32", "[1]", "[0,4]") "}", 4,
          "duplicate" },
        { "{\"a\":3}", 0, "tensor a: must be an object" },
        { "{\"a\":{\"shape\":[],\"data_offsets\":[0,4]}}", 4, "dtype is missing" },
        { "{\"a\":{\"dtype\":\"F32\",\"data_offsets\":[0,4]}}", 4, "shape is missing" },
        { "{\"a\":{\"dtype\":\"F32\",\"shape\":[1]}}", 4, "data_offsets are not" },
        { "{\"__metadata__\":{\"a\":1}}", 0, "__metadata__" },
        { "[]", 0, "must be an object" },
        { "{", 0, "header: line 1" },
        { "", 0, "header: line 1" },
    };

    (void)state;
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        struct trop_safetensors *set = NULL;
        static const char data[16];
        const int64_t size = build(refused[k].header, data, refused[k].data);
        assert_true(trop_safetensors_parse(&set, file, size, "f") != TROP_OK);
        assert_null(set);
        if (!strstr(trop_error(), refused[k].words) || strncmp(trop_error(), "f: ", 3) != 0) {
            fail_msg("case %d: \"%s\" is not in: %s", (int)k, refused[k].words, trop_error());
        }
    }
    assert_int_equal(alloc_live, 0);
}

static void a_header_of_any_length_is_judged_before_it_is_read(void **state)
{
    static const uint64_t lengths[] = { 3,
                                        ((uint64_t)100 << 20) + 1,
                                        (uint64_t)1 << 62,
                                        (uint64_t)1 << 63,
                                        UINT64_MAX,
                                        UINT64_MAX - 7 };

    (void)state;
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        struct trop_safetensors *set = NULL;
        build("{}", NULL, 0);
        for (int b = 0; b < 8; b++) {
            file[b] = (unsigned char)(lengths[k] >> 8 * b & 255);
        }
        assert_int_equal(trop_safetensors_parse(&set, file, 10, "f"), TROP_ERR_IO);
        assert_non_null(strstr(trop_error(), "f: not a safetensors file"));
    }
}

/* The file ends with its data, so that no part of it is a whole file. */
static void a_file_cut_at_any_byte_is_refused(void **state)
{
    static const char data[12];
    struct trop_safetensors *set = NULL;
    const int64_t size =
        build("{" TENSOR("a", "F32", "[2]", "[0,8]") "," TENSOR("b", "I8", "[4]", "[8,12]") "}",
              data, sizeof data);

    (void)state;
    for (int64_t cut = 0; cut < size; cut++) {
        unsigned char *part = malloc((size_t)cut + 1); /* whose end the sanitizer knows */
        memcpy(part, file, (size_t)cut);
        unsigned char *exact = realloc(part, (size_t)(cut ? cut : 1));
        assert_true(trop_safetensors_parse(&set, exact, cut, "f") == TROP_ERR_IO);
        free(exact);
    }
    assert_ok(trop_safetensors_parse(&set, file, size, "f"));
    trop_safetensors_close(set);
    assert_int_equal(alloc_live, 0);
}

static void a_whole_number_beyond_2_to_the_53_is_refused(void **state)
{
    static const unsigned char data[8] = { 1, 0, 0, 0, 0, 0, 0x40, 0 };
    struct trop_safetensors *set = parsed("{" TENSOR("i", "I64", "[1]", "[0,8]") "}", data, 8);
    double value;

    (void)state;
    assert_int_equal(trop_safetensors_copy(&value, trop_safetensors_find(set, "i"), 0, 1),
                     TROP_ERR_IO);
    assert_non_null(strstr(trop_error(), "f: tensor i: "));
    trop_safetensors_close(set);
}

/* ---- several files -------------------------------------------------------------------------- */

static void write_part(const char *name, const char *header, const void *data, int64_t size)
{
    scratch_fill(scratch(name), file, (size_t)build(header, data, size));
}

static enum trop_status open_index(struct trop_safetensors **set, const char *text)
{
    scratch_fill(scratch("m.index.json"), text, strlen(text));
    return trop_safetensors_open(set, scratch("m.index.json"));
}

static void write_two_parts(void)
{
    write_part("1.safetensors", "{" TENSOR("a", "U8", "[1]", "[0,1]") "}", "\5", 1);
    write_part("2.safetensors", "{" TENSOR("b", "U8", "[2]", "[0,2]") "}", "\6\7", 2);
}

static void an_index_joins_files(void **state)
{
    struct trop_safetensors *set = NULL;
    double value[2];

    (void)state;
    write_two_parts();
    assert_ok(open_index(&set, "{\"metadata\":{\"total_size\":3},\"weight_map\":{\"b\":"
                               "\"2.safetensors\",\"a\":\"1.safetensors\"}}"));
    assert_int_equal(trop_safetensors_count(set), 2);
    assert_ok(trop_safetensors_copy(value, trop_safetensors_find(set, "b"), 0, 2));
    assert_true(value[0] == 6 && value[1] == 7);
    assert_string_equal(strrchr(trop_safetensors_find(set, "a")->file, '/'), "/1.safetensors");
    trop_safetensors_close(set);
    assert_ok(trop_safetensors_open(&set, scratch("1.safetensors")));
    assert_int_equal(trop_safetensors_count(set), 1);
    trop_safetensors_close(set);
    scratch_empty();
    assert_int_equal(alloc_live, 0);
}

static void an_index_that_lies_is_refused(void **state)
{
    static const struct {
        const char *text, *words;
    } refused[] = {
        { "{\"weight_map\":{\"a\":\"../1.safetensors\"}}", "tensor a: file \"../1.safetensors\"" },
        { "{\"weight_map\":{\"a\":\"/etc/passwd\"}}", "must be the name of a file beside" },
        { "{\"weight_map\":{\"a\":\"..\"}}", "must be the name of a file beside" },
        { "{\"weight_map\":{\"a\":\"\"}}", "must be the name of a file beside" },
        { "{\"weight_map\":{\"a\":7}}", "must be the name of a file beside" },
        { "{\"weight_map\":{\"a\":\"2.safetensors\"}}", "tensor a: is not in 2.safetensors" },
        { "{\"weight_map\":{\"a\":\"3.safetensors\"}}", "3.safetensors: No such file" },
        { "{\"weight_map\":{\"a\":\"1.safetensors\",\"x\":\"4.safetensors\"}}",
          "4.safetensors: tensor a: is in " },
        { "{\"weight_map\":{\"a\":\"empty\"}}", "empty: is empty" },
        { "{\"weight_map\":{\"a\":\"folder\"}}", "folder: is not a regular file" },
        { "{\"weight_map\":{}}", "lists no tensor" },
        { "{\"weight_map\":[]}", "weight_map: is missing or no object" },
        { "{}", "weight_map: is missing" },
        { "[1]", "weight_map: is missing" },
        { "{\"weight_map\":", "line 1" },
    };

    (void)state;
    write_two_parts();
    write_part("4.safetensors", "{" TENSOR("a", "U8", "[1]", "[0,1]") "}", "\5", 1);
    scratch_fill(scratch("empty"), "", 0);
    assert_int_equal(mkdir(scratch("folder"), 0700), 0);
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        struct trop_safetensors *set = NULL;
        assert_int_equal(open_index(&set, refused[k].text), TROP_ERR_IO);
        assert_null(set);
        if (!strstr(trop_error(), refused[k].words)) {
            fail_msg("\"%s\" is not in: %s", refused[k].words, trop_error());
        }
    }
    scratch_empty();
    assert_int_equal(alloc_live, 0);
}

static enum trop_status open_two_parts(void)
{
    struct trop_safetensors *set = NULL;
    const enum trop_status status = trop_safetensors_open(&set, scratch("m.index.json"));

    trop_safetensors_close(set);
    return status;
}

static void every_refusal_of_memory_is_survived(void **state)
{
    struct trop_safetensors *set = NULL;

    (void)state;
    write_two_parts();
    assert_ok(open_index(&set, "{\"weight_map\":{\"b\":\"2.safetensors\",\"a\":"
                               "\"1.safetensors\"}}"));
    trop_safetensors_close(set);
    alloc_refuse_each(open_two_parts);
    scratch_empty();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_becomes_double),
        cmocka_unit_test(every_half_is_its_formula),
        cmocka_unit_test(tensors_are_found_at_any_address_and_in_any_order),
        cmocka_unit_test(hostile_headers_are_refused_with_file_and_tensor),
        cmocka_unit_test(a_header_of_any_length_is_judged_before_it_is_read),
        cmocka_unit_test(a_file_cut_at_any_byte_is_refused),
        cmocka_unit_test(a_whole_number_beyond_2_to_the_53_is_refused),
        cmocka_unit_test(an_index_joins_files),
        cmocka_unit_test(an_index_that_lies_is_refused),
        cmocka_unit_test(every_refusal_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_remove);
}
