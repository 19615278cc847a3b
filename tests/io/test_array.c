/* test_array.c -- arrays out of files that hold several. */
#include "io/array.h"
#include "io/npy.h"
#include "packed.h"
#include "scratch.h"
#include "support.h"

static const double numbers[6] = { 1, -2, .5, 4, 0, 3 };
static const int64_t shape[2] = { 2, 3 };

static void check_read(const char *file, const char *name)
{
    struct trop_array array = { 0 };
    char path[512];

    snprintf(path, sizeof path, "%s:%s", file, name);
    assert_ok(trop_array_read(&array, path));
    assert_true(array.rank == 2 && array.shape[0] == 2 && array.shape[1] == 3);
    assert_memory_equal(array.data, numbers, sizeof numbers);
    trop_array_free(&array);
}

static void check_refused(const char *path, const char *word)
{
    struct trop_array array = { 0 };

    assert_int_not_equal(trop_array_read(&array, path), TROP_OK);
    assert_null(array.data);
    if (!strstr(trop_error(), word)) {
        fail_msg("%s: %s", path, trop_error());
    }
}

static void an_npz_has_arrays_by_name(void **state)
{
    static unsigned char bytes[4096], packed[8192];
    const char *file = scratch("a.npz"), *plain = scratch("a.npy");
    char path[512];

    (void)state;
    assert_ok(trop_npy_write(plain, numbers, 2, shape));
    FILE *in = fopen(plain, "rb");
    const size_t size = fread(bytes, 1, sizeof bytes, in);
    fclose(in);
    const struct packed_member members[] = { { "other.npy", "x", 1 }, { "q.npy", bytes, size } };
    scratch_fill(file, packed, pack(packed, sizeof packed, 'z', members, 2));
    check_read(file, "q");
    snprintf(path, sizeof path, "%s:k", file);
    check_refused(path, "has no array k");
    snprintf(path, sizeof path, "%s:other", file);
    check_refused(path, "a.npz");
    check_refused(file, "name the array");
    unlink(file);
    unlink(plain);
}

static void safetensors_have_arrays_by_name(void **state)
{
    static const char head[] = "{\"q\":{\"dtype\":\"F64\",\"shape\":[2,3],\"data_offsets\":[0,48]}"
                               ",\"r\":{\"dtype\":\"U8\",\"shape\":[1,1,1,1,1],\"data_offsets\":"
                               "[48,49]}}";
    unsigned char bytes[8 + sizeof head - 1 + 49] = { sizeof head - 1 };
    const char *file = scratch("a.safetensors");
    char path[512];

    (void)state;
    memcpy(bytes + 8, head, sizeof head - 1);
    memcpy(bytes + 8 + sizeof head - 1, numbers, sizeof numbers);
    scratch_fill(file, bytes, sizeof bytes);
    check_read(file, "q");
    snprintf(path, sizeof path, "%s:k", file);
    check_refused(path, "has no tensor k");
    snprintf(path, sizeof path, "%s:r", file);
    check_refused(path, "dimensions");
    check_refused(file, "name the array");
    check_refused("/nowhere.safetensors:q", "nowhere");
    unlink(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_npz_has_arrays_by_name),
        cmocka_unit_test(safetensors_have_arrays_by_name),
    };

    return cmocka_run_group_tests(tests, NULL, scratch_remove);
}
