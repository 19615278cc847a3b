/* test_h5.c -- HDF5 files: what is written, what is read, what is refused.
 *
 * libhdf5 itself is the judge of what our writer made and the maker of what our
 * reader gets. */
#include <signal.h>
#include <sys/resource.h>

#include "io/file.h"
#include "io/h5/h5.h"
#include "scratch.h"

#include "h5_support.h"

#include "alloc_failing.c"

static const struct trop_value token_value = {
    .kind = TROP_KIND_NUMBERS,
    .numbers = tokens,
    .rank = 2,
    .shape = { 3, 2 },
    .axes = { "token", "coordinate" },
};

static void put(struct trop_h5 *h5, const char *name, struct trop_value value)
{
    assert_int_equal(trop_h5_put(h5, name, &value), TROP_OK);
}

static const int64_t truths[] = { 1, 0, 0, 1 };

/* One dataset or attribute of every kind. */
static enum trop_status write_all(const char *path)
{
    static const struct {
        const char *name;
        struct trop_value value;
    } items[] = {
        { "/run/labels",
          { .kind = TROP_KIND_INTEGERS, .integers = labels, .rank = 1, .shape = { 4 } } },
        { "number", { .kind = TROP_KIND_NUMBER, .number = 0.1 } },
        { "integer", { .kind = TROP_KIND_INTEGER, .integer = -5 } },
        { "boolean", { .kind = TROP_KIND_BOOLEAN, .integer = 1 } },
        { "booleans",
          { .kind = TROP_KIND_BOOLEANS, .integers = truths, .rank = 2, .shape = { 2, 2 } } },
        { "text", { .kind = TROP_KIND_TEXT, .text = "h\xc3\xa9" } },
        { "blank", { .kind = TROP_KIND_TEXT, .text = "" } },
        { "null", { .kind = TROP_KIND_NULL } },
        { "empty", { .kind = TROP_KIND_NUMBERS, .rank = 2, .shape = { 0, 3 } } },
        { "scalar", { .kind = TROP_KIND_NUMBERS, .numbers = tokens, .rank = 0 } },
    };
    struct trop_h5 *h5;
    enum trop_status status = trop_h5_create(&h5, path);
    if (status != TROP_OK) {
        return status;
    }
    status = trop_h5_put(h5, "run/state/tokens", &token_value);
    for (size_t k = 0; k < sizeof items / sizeof *items && status == TROP_OK; k++) {
        status = trop_h5_put(h5, items[k].name, &items[k].value);
    }
    struct trop_value version = { .kind = TROP_KIND_TEXT, .text = "1.2.3" };
    struct trop_value seed = { .kind = TROP_KIND_INTEGER, .integer = 7 };
    if (status == TROP_OK) {
        status = trop_h5_attribute(h5, "/", "version", &version);
    }
    if (status == TROP_OK) {
        status = trop_h5_attribute(h5, "run/state/tokens", "seed", &seed);
    }
    if (status != TROP_OK) {
        trop_h5_abandon(h5);
        return status;
    }
    return trop_h5_close(h5);
}

static void libhdf5_reads_what_was_written(void **state)
{
    (void)state;
    const char *path = scratch("a.h5");
    double data[6];
    char text[8] = "";
    assert_int_equal(write_all(path), TROP_OK);
    assert_int_equal(scratch_count(), 1);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    hid_t dataset = H5Dopen2(file, "/run/state/tokens", H5P_DEFAULT);
    hid_t type = H5Dget_type(dataset);
    assert_true(H5Tequal(type, H5T_IEEE_F64LE) > 0);
    assert_true(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    assert_memory_equal(data, tokens, sizeof tokens);
    hid_t attribute = H5Aopen(dataset, "DIMENSION_LABELS", H5P_DEFAULT);
    hid_t labels_type = H5Aget_type(attribute);
    char *names[2];
    assert_true(H5Aread(attribute, labels_type, names) >= 0);
    assert_string_equal(names[0], "token");
    assert_string_equal(names[1], "coordinate");
    H5free_memory(names[0]);
    H5free_memory(names[1]);
    H5Tclose(labels_type);
    H5Aclose(attribute);
    H5Tclose(type);
    H5Dclose(dataset);
    signed char bytes[4];
    dataset = H5Dopen2(file, "booleans", H5P_DEFAULT);
    type = H5Dget_type(dataset);
    assert_true(H5Tequal(type, H5T_STD_I8LE) > 0);
    assert_true(H5Dread(dataset, H5T_NATIVE_INT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) >= 0);
    assert_memory_equal(bytes, ((signed char[]){ 1, 0, 0, 1 }), 4);
    H5Tclose(type);
    H5Dclose(dataset);
    dataset = H5Dopen2(file, "text", H5P_DEFAULT);
    type = H5Dget_type(dataset);
    assert_true(H5Tget_size(type) == 3 && H5Tget_cset(type) == H5T_CSET_UTF8);
    assert_true(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0);
    assert_string_equal(text, "h\xc3\xa9");
    H5Tclose(type);
    H5Dclose(dataset);
    H5Fclose(file);
    unlink(path);
}

static void what_was_written_is_read(void **state)
{
    (void)state;
    const char *path = scratch("b.h5");
    struct trop_h5 *h5;
    struct trop_array array;
    int64_t *integers;
    int64_t count;
    char *text;
    assert_int_equal(write_all(path), TROP_OK);
    assert_int_equal(trop_h5_open(&h5, path), TROP_OK);
    assert_int_equal(trop_h5_numbers(&array, h5, "/run/state/tokens"), TROP_OK);
    assert_true(array.rank == 2 && array.shape[0] == 3 && array.shape[1] == 2);
    assert_memory_equal(array.data, tokens, sizeof tokens);
    trop_array_free(&array);
    assert_int_equal(trop_h5_integers(&integers, &count, h5, "run/labels"), TROP_OK);
    assert_int_equal(count, 4);
    assert_memory_equal(integers, labels, sizeof labels);
    trop_alloc_free(integers);
    const double scalars[] = { 0.1, -5.0, 1.0, 1.5 };
    const char *names[] = { "number", "integer", "boolean", "scalar" };
    for (int k = 0; k < 4; k++) {
        assert_int_equal(trop_h5_numbers(&array, h5, names[k]), TROP_OK);
        assert_true(array.rank == 0 && array.data[0] == scalars[k]);
        trop_array_free(&array);
    }
    assert_int_equal(trop_h5_numbers(&array, h5, "empty"), TROP_OK);
    assert_true(array.rank == 2 && array.shape[0] == 0 && array.shape[1] == 3);
    trop_array_free(&array);
    assert_int_equal(trop_h5_text(&text, h5, "text", NULL), TROP_OK);
    assert_string_equal(text, "h\xc3\xa9");
    trop_alloc_free(text);
    assert_int_equal(trop_h5_text(&text, h5, "blank", NULL), TROP_OK);
    assert_string_equal(text, "");
    trop_alloc_free(text);
    assert_int_equal(trop_h5_text(&text, h5, "/", "version"), TROP_OK);
    assert_string_equal(text, "1.2.3");
    trop_alloc_free(text);
    assert_true(trop_h5_exists(h5, "/run/state") && trop_h5_exists(h5, "null"));
    assert_false(trop_h5_exists(h5, "/run/no/such") || trop_h5_exists(h5, "no"));
    assert_int_equal(trop_h5_close(h5), TROP_OK);
    assert_int_equal(alloc_live, 0);
    unlink(path);
}

static void equal_runs_give_equal_bytes_without_a_clock(void **state)
{
    (void)state;
    const char *one = scratch("one.h5");
    const char *two = scratch("two.h5");
    unsigned char *a, *b;
    int64_t a_size, b_size;
    assert_int_equal(write_all(one), TROP_OK);
    assert_int_equal(write_all(two), TROP_OK);
    assert_int_equal(trop_file_read(&a, &a_size, one), TROP_OK);
    assert_int_equal(trop_file_read(&b, &b_size, two), TROP_OK);
    assert_int_equal(a_size, b_size);
    assert_memory_equal(a, b, (size_t)a_size);
    trop_alloc_free(a);
    trop_alloc_free(b);
    hid_t file = H5Fopen(one, H5F_ACC_RDONLY, H5P_DEFAULT);
    const char *names[] = { "/", "/run", "/run/state/tokens", "text", "null" };
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        H5O_info_t info;
        assert_true(H5Oget_info_by_name2(file, names[k], &info, H5O_INFO_TIME, H5P_DEFAULT) >= 0);
        assert_true(info.ctime == 0 && info.mtime == 0);
    }
    H5Fclose(file);
    unlink(one);
    unlink(two);
}

static void a_wrong_put_is_refused_by_name(void **state)
{
    (void)state;
    struct trop_h5 *h5;
    struct trop_value list = { .kind = TROP_KIND_LIST, .shape = { 1 } };
    struct trop_value number = { .kind = TROP_KIND_NUMBER };
    struct trop_value negative = token_value;
    negative.shape[0] = -1;
    assert_int_equal(trop_h5_create(&h5, scratch("c.h5")), TROP_OK);
    refused(trop_h5_put(h5, "list", &list), "list", "not one dataset");
    refused(trop_h5_put(h5, "x", &negative), "x", "negative");
    put(h5, "a", number);
    refused(trop_h5_put(h5, "a", &number), "a", "exists");
    refused(trop_h5_put(h5, "a/b", &number), "a/b", "");
    refused(trop_h5_attribute(h5, "none", "t", &number), "none", "doesn't exist");
    assert_int_equal(trop_h5_attribute(h5, "a", "t", &number), TROP_OK);
    refused(trop_h5_attribute(h5, "a", "t", &number), "t", "exists");
    trop_h5_abandon(h5);
    assert_int_equal(scratch_count(), 0);
    refused(trop_h5_create(&h5, "/no/such/folder/x.h5"), "/no/such/folder", "No such file");
    trop_h5_abandon(NULL);
    assert_int_equal(trop_h5_close(NULL), TROP_OK);
}

static void a_full_disk_leaves_the_old_file_and_no_other(void **state)
{
    (void)state;
    const char *path = scratch("full.h5");
    static double large[100000];
    struct trop_h5 *h5;
    struct rlimit before;
    scratch_fill(path, "old", 3);
    assert_int_equal(trop_h5_create(&h5, path), TROP_OK);
    put(h5, "large",
        (struct trop_value){
            .kind = TROP_KIND_NUMBERS, .numbers = large, .rank = 1, .shape = { 100000 } });
    getrlimit(RLIMIT_FSIZE, &before);
    struct rlimit small = { .rlim_cur = 5000, .rlim_max = before.rlim_max };
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    enum trop_status status = trop_h5_close(h5);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(status, TROP_ERR_IO);
    assert_non_null(strstr(trop_error(), "File too large"));
    assert_int_equal(scratch_count(), 1);
    unsigned char *bytes;
    int64_t size;
    assert_int_equal(trop_file_read(&bytes, &size, path), TROP_OK);
    assert_string_equal((char *)bytes, "old");
    trop_alloc_free(bytes);
    assert_int_equal(alloc_live, 0);
    unlink(path);
}

/* ---- reading what others wrote ------------------------------------------------- */

static void foreign_types_are_converted(void **state)
{
    (void)state;
    const char *path = scratch("d.h5");
    struct trop_h5 *h5;
    struct trop_array array;
    char *text;
    make_foreign(path);
    assert_int_equal(trop_h5_open(&h5, path), TROP_OK);
    assert_int_equal(trop_h5_numbers(&array, h5, "single"), TROP_OK);
    assert_true(array.data[0] == 0.5 && array.data[1] == -1.0);
    trop_array_free(&array);
    assert_int_equal(trop_h5_numbers(&array, h5, "bytes"), TROP_OK);
    assert_true(array.data[0] == 0.0 && array.data[1] == 255.0);
    trop_array_free(&array);
    assert_int_equal(trop_h5_numbers(&array, h5, "huge"), TROP_OK);
    assert_true(array.data[0] == 0x1p64);
    trop_array_free(&array);
    assert_int_equal(trop_h5_numbers(&array, h5, "filled"), TROP_OK);
    assert_true(array.shape[0] == 100 && array.data[99] == 0.0);
    trop_array_free(&array);
    const char *names[] = { "word", "padded", "unset" };
    const char *texts[] = { "variable", "ab", "" };
    for (int k = 0; k < 3; k++) {
        assert_int_equal(trop_h5_text(&text, h5, names[k], NULL), TROP_OK);
        assert_string_equal(text, texts[k]);
        trop_alloc_free(text);
    }
    trop_h5_abandon(h5);
    char whole[300];
    snprintf(whole, sizeof whole, "%s:/single", path);
    assert_int_equal(trop_array_read(&array, whole), TROP_OK);
    assert_true(array.data[1] == -1.0);
    trop_array_free(&array);
    unlink(path);
}

static void what_cannot_be_read_is_refused_by_name(void **state)
{
    (void)state;
    const char *path = scratch("e.h5");
    static const struct {
        const char *name, *reason;
    } cases[] = {
        { "absent", "doesn't exist" },
        { "group", "not a dataset" },
        { "dangling", "" },
        { "five", "5 axes" },
        { "long", "floating-point numbers of 16 bytes" },
        { "compound", "compounds" },
        { "word", "texts" },
        { "absurd", "claims" },
        { "wrap", "claims" },
        { "elsewhere", "another file" },
    };
    struct trop_h5 *h5;
    struct trop_array array;
    int64_t *integers;
    int64_t count;
    char *text;
    make_foreign(path);
    assert_int_equal(trop_h5_open(&h5, path), TROP_OK);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        refused(trop_h5_numbers(&array, h5, cases[k].name), cases[k].name, cases[k].reason);
    }
    refused(trop_h5_integers(&integers, &count, h5, "single"), "single", "must be integers");
    refused(trop_h5_integers(&integers, &count, h5, "huge"), "huge", "");
    refused(trop_h5_text(&text, h5, "single", NULL), "single", "must be a text");
    refused(trop_h5_text(&text, h5, "words", NULL), "words", "holds 2 texts");
    refused(trop_h5_text(&text, h5, "group", NULL), "group", "not a dataset");
    refused(trop_h5_text(&text, h5, "group", "none"), "none", "");
    refused(trop_h5_text(&text, h5, "absent", "none"), "absent", "doesn't exist");
    trop_h5_abandon(h5);
    assert_int_equal(alloc_live, 0);
    refused(trop_h5_open(&h5, scratch("absent.h5")), "absent.h5", "No such file");
    refused(trop_h5_open(&h5, scratch_folder), scratch_folder, "Is a directory");
    scratch_fill(path, "not HDF5 at all", 15);
    refused(trop_h5_open(&h5, path), path, "signature");
    unlink(path);
}

/* A number without value, and the program's error handler is left as it was. */
static void a_null_is_no_number_and_the_handler_stays(void **state)
{
    (void)state;
    const char *path = scratch("f.h5");
    struct trop_h5 *h5;
    struct trop_array array;
    H5E_auto2_t before, after;
    void *context;
    assert_int_equal(write_all(path), TROP_OK);
    H5Eget_auto2(H5E_DEFAULT, &before, &context);
    assert_int_equal(trop_h5_open(&h5, path), TROP_OK);
    refused(trop_h5_numbers(&array, h5, "null"), "null", "has no value");
    trop_h5_abandon(h5);
    H5Eget_auto2(H5E_DEFAULT, &after, &context);
    assert_true(before == after && after != NULL);
    unlink(path);
}

/* Asks for everything that a file of write_all or make_foreign may hold. */
static void lists_of_texts_come_back(void **state)
{
    static const char texts[] = "one\0\0three\0\0\0\0\0"; /* (3, 5), the last one empty */
    const char *path = scratch("texts.h5");
    struct trop_h5 *h5 = NULL;
    int64_t rows = 0, width = 0;
    char *read = NULL;

    (void)state;
    assert_int_equal(trop_h5_create(&h5, path), TROP_OK);
    assert_int_equal(trop_h5_put_texts(h5, "list/word", texts, 3, 5), TROP_OK);
    assert_int_equal(trop_h5_put(h5, "number", &(struct trop_value){ .kind = TROP_KIND_NUMBER }),
                     TROP_OK);
    assert_int_equal(trop_h5_close(h5), TROP_OK);
    assert_int_equal(trop_h5_open(&h5, path), TROP_OK);
    assert_int_equal(trop_h5_texts(&read, &rows, &width, h5, "list/word"), TROP_OK);
    assert_int_equal(rows, 3);
    assert_string_equal(read, "one");
    assert_string_equal(read + width, "three"); /* it has no zero in the file */
    assert_string_equal(read + 2 * width, "");
    trop_alloc_free(read);
    assert_int_equal(trop_h5_texts(&read, &rows, &width, h5, "number"), TROP_ERR_IO);
    assert_non_null(strstr(trop_error(), "number: must be a list of texts"));
    assert_int_equal(trop_h5_texts(&read, &rows, &width, h5, "absent"), TROP_ERR_IO);
    trop_h5_abandon(h5);
    unlink(path);
}

static void read_anything(const char *path)
{
    static const char *const names[] = { "run/state/tokens",
                                         "run/labels",
                                         "number",
                                         "text",
                                         "null",
                                         "empty",
                                         "single",
                                         "word",
                                         "words",
                                         "compound",
                                         "absurd",
                                         "padded",
                                         "group",
                                         "/",
                                         "bytes",
                                         "huge" };
    struct trop_h5 *h5;
    if (trop_h5_open(&h5, path) != TROP_OK) {
        return;
    }
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        struct trop_array array;
        int64_t *integers;
        int64_t count, width;
        char *text;
        if (trop_h5_numbers(&array, h5, names[k]) == TROP_OK) {
            trop_array_free(&array);
        }
        if (trop_h5_integers(&integers, &count, h5, names[k]) == TROP_OK) {
            trop_alloc_free(integers);
        }
        if (trop_h5_text(&text, h5, names[k], NULL) == TROP_OK) {
            trop_alloc_free(text);
        }
        if (trop_h5_text(&text, h5, names[k], "version") == TROP_OK) {
            trop_alloc_free(text);
        }
        if (trop_h5_texts(&text, &count, &width, h5, names[k]) == TROP_OK) {
            assert_true(count == 0 || strlen(text + (count - 1) * width) < (size_t)width);
            trop_alloc_free(text);
        }
        trop_h5_exists(h5, names[k]);
    }
    trop_h5_abandon(h5);
}

static void a_file_cut_at_every_97th_byte_never_crashes(void **state)
{
    (void)state;
    const char *path = scratch("g.h5");
    for (int foreign = 0; foreign < 2; foreign++) {
        unsigned char *bytes;
        int64_t size;
        if (foreign) {
            make_foreign(path);
        } else {
            assert_int_equal(write_all(path), TROP_OK);
        }
        assert_int_equal(trop_file_read(&bytes, &size, path), TROP_OK);
        for (int64_t cut = 0; cut < size; cut += 97) {
            scratch_fill(path, bytes, (size_t)cut);
            read_anything(path);
            assert_int_equal(alloc_live, 1);
        }
        trop_alloc_free(bytes);
    }
    unlink(path);
}

/* Datasets of random class, width, rank, lengths, layout and presence, then asked
 * for as numbers, integers and text: an answer or a refusal, and nothing kept. */
static void files_of_random_structure_never_crash(void **state)
{
    (void)state;
    const char *path = scratch("h.h5");
    uint64_t word = 1;
    int64_t rounds = getenv("TROP_TEST_FULL") ? 20000 : 200;
    static const char *const names[] = { "number", "text", "run/labels", "single", "words" };
    for (int64_t k = 0; k < rounds; k++) {
        hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        hid_t types[] = { H5T_NATIVE_DOUBLE, H5T_NATIVE_FLOAT,   H5T_NATIVE_SCHAR,
                          H5T_NATIVE_UINT64, H5T_NATIVE_LDOUBLE, H5T_C_S1,
                          H5T_STD_B8LE,      H5T_STD_REF_OBJ,    H5T_FORTRAN_S1 };
        for (int item = 0; item < 5; item++) {
            word = word * 6364136223846793005u + 1442695040888963407u;
            uint64_t dice = word >> 16;
            hsize_t shape[6];
            int rank = (int)(dice % 7);
            for (int axis = 0; axis < rank; axis++) {
                shape[axis] = dice >> 20 & 1 ? (hsize_t)1 << (dice >> (4 * axis) & 31)
                                             : dice >> (3 * axis) & 3;
            }
            hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
            hid_t links = H5Pcreate(H5P_LINK_CREATE);
            H5Pset_create_intermediate_group(links, 1);
            hid_t space = rank == 6   ? H5Screate(H5S_NULL)
                          : rank == 0 ? H5Screate(H5S_SCALAR)
                                      : H5Screate_simple(rank, shape, NULL);
            hid_t dataset = -1;
            H5E_BEGIN_TRY
            {
                if (dice >> 30 & 1) {
                    dataset = H5Dcreate2(file, names[item], types[(dice >> 8) % 9], space, links,
                                         creation, H5P_DEFAULT);
                }
                H5Dclose(dataset);
                H5Sclose(space);
            }
            H5E_END_TRY
            H5Pclose(creation);
            H5Pclose(links);
        }
        H5Fclose(file);
        read_anything(path);
        assert_int_equal(alloc_live, 0);
        assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
    }
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(libhdf5_reads_what_was_written),
        cmocka_unit_test(what_was_written_is_read),
        cmocka_unit_test(equal_runs_give_equal_bytes_without_a_clock),
        cmocka_unit_test(a_wrong_put_is_refused_by_name),
        cmocka_unit_test(a_full_disk_leaves_the_old_file_and_no_other),
        cmocka_unit_test(foreign_types_are_converted),
        cmocka_unit_test(what_cannot_be_read_is_refused_by_name),
        cmocka_unit_test(a_null_is_no_number_and_the_handler_stays),
        cmocka_unit_test(lists_of_texts_come_back),
        cmocka_unit_test(a_file_cut_at_every_97th_byte_never_crashes),
        cmocka_unit_test(files_of_random_structure_never_crash),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_remove);
}
