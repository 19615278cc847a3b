/* test_h5_fields.c -- a table of fields as datasets of an HDF5 file. */
#include "io/h5/h5.h"
#include "io/h5/h5_fields.h"
#include "scratch.h"

#include "h5_support.h"

#include "alloc_failing.c"

/* ---- fields ---------------------------------------------------------------------- */

#define FIELD(name, ...) \
    static enum trop_status name(struct trop_value *out, void *handle, int64_t row) \
    { \
        (void)handle; \
        (void)row; \
        *out = (struct trop_value){ __VA_ARGS__ }; \
        return TROP_OK; \
    }
FIELD(read_gap, .kind = TROP_KIND_NUMBER, .number = 0.25)
FIELD(read_null, .kind = TROP_KIND_NULL)
FIELD(read_tokens, .kind = TROP_KIND_NUMBERS, .numbers = tokens, .rank = 2, .shape = { 3, 2 })
FIELD(read_list, .kind = TROP_KIND_LIST, .shape = { 3 }, .axes = { "cluster" })
static const char *const words[] = { "<s>", "", " Once" };
FIELD(read_words, .kind = TROP_KIND_TEXTS, .texts = words, .rank = 1, .shape = { 3 })
FIELD(read_none, .kind = TROP_KIND_LIST, .shape = { 0 })
FIELD(read_mass, .kind = TROP_KIND_NUMBER, .number = (double)row + 0.5)
FIELD(read_size, .kind = TROP_KIND_INTEGER, .integer = row * row)
FIELD(read_some, .kind = row == 1 ? TROP_KIND_NULL : TROP_KIND_INTEGER, .integer = row)
FIELD(read_name, .kind = TROP_KIND_TEXT, .text = row == 1 ? "second" : "other")
FIELD(read_members, .kind = TROP_KIND_INTEGERS, .integers = labels, .rank = 1, .shape = { row })
FIELD(read_centre, .kind = TROP_KIND_NUMBERS, .numbers = tokens + row, .rank = 1, .shape = { 2 })
FIELD(read_polygon, .kind = TROP_KIND_NUMBERS, .numbers = tokens, .rank = 2,
      .shape = { row + 1, 2 })
FIELD(read_uneven, .kind = TROP_KIND_NUMBERS, .numbers = tokens, .rank = 1 + (row > 1),
      .shape = { 1, 1 })
FIELD(read_mixed, .kind = row == 1 ? TROP_KIND_TEXT : TROP_KIND_NUMBERS, .text = "",
      .numbers = tokens, .rank = 1, .shape = { 1 })

static const struct trop_field columns[] = {
    { "mass", "", .read = read_mass },       { "size", "", .read = read_size },
    { "some", "", .read = read_some },       { "name", "", .read = read_name },
    { "members", "", .read = read_members }, { "centre", "", .read = read_centre },
    { "polygon", "", .read = read_polygon }, { 0 },
};

static const struct trop_field table[] = {
    { "gap", "", .read = read_gap },
    { "nothing", "", .read = read_null },
    { "certificate.rate", "", .read = read_gap },
    { "certificate.absent", "", .read = read_null },
    { "tokens", "", .read = read_tokens },
    { "words", "", .read = read_words },
    { "cluster_list", "", .read = read_list, .columns = columns },
    { "none", "", .read = read_none, .columns = columns },
    { 0 },
};

static void expect(struct trop_h5 *h5, const char *name, int64_t rank, int64_t rows,
                   const double *data)
{
    struct trop_array array;

    assert_int_equal(trop_h5_numbers(&array, h5, name), TROP_OK);
    assert_int_equal(array.rank, rank);
    assert_int_equal(rank > 0 ? array.shape[0] : 1, rows);
    int64_t count = trop_array_count(array.rank, array.shape);
    for (int64_t i = 0; i < count; i++) {
        assert_true(array.data[i] == data[i] || (isnan(array.data[i]) && isnan(data[i])));
    }
    trop_array_free(&array);
}

static void a_table_becomes_datasets_by_name(void **state)
{
    (void)state;
    const char *path = scratch("i.h5");
    struct trop_h5 *h5;
    int64_t *integers;
    int64_t count;
    const double centre[] = { 1.5, -0.0, -0.0, 1e300, 1e300, 0.1 };
    double polygon[12];
    memcpy(polygon, tokens, 2 * sizeof *tokens);
    memcpy(polygon + 2, tokens, 4 * sizeof *tokens);
    memcpy(polygon + 6, tokens, 6 * sizeof *tokens);
    assert_int_equal(trop_h5_create(&h5, path), TROP_OK);
    assert_int_equal(trop_h5_fields(h5, "/result", table, NULL), TROP_OK);
    assert_int_equal(trop_h5_close(h5), TROP_OK);
    assert_int_equal(trop_h5_open(&h5, path), TROP_OK);
#define LIST "/result/cluster_list/"
    expect(h5, "/result/gap", 0, 1, (double[]){ 0.25 });
    expect(h5, "/result/certificate/rate", 0, 1, (double[]){ 0.25 });
    expect(h5, "/result/tokens", 2, 3, tokens);
    expect(h5, LIST "mass", 1, 3, (double[]){ 0.5, 1.5, 2.5 });
    expect(h5, LIST "size", 1, 3, (double[]){ 0, 1, 4 });
    expect(h5, LIST "some", 1, 3, (double[]){ 0, NAN, 2 });
    expect(h5, LIST "centre", 2, 3, centre);
    expect(h5, LIST "polygon", 2, 6, polygon);
    expect(h5, LIST "polygon_offsets", 1, 4, (double[]){ 0, 1, 3, 6 });
    expect(h5, "/result/none/mass", 1, 0, NULL);
    assert_int_equal(trop_h5_integers(&integers, &count, h5, LIST "members"), TROP_OK);
    assert_int_equal(count, 3);
    assert_memory_equal(integers, ((int64_t[]){ 3, 3, -1 }), 3 * sizeof *integers);
    trop_alloc_free(integers);
    assert_int_equal(trop_h5_integers(&integers, &count, h5, LIST "members_offsets"), TROP_OK);
    assert_memory_equal(integers, ((int64_t[]){ 0, 0, 1, 3 }), 4 * sizeof *integers);
    trop_alloc_free(integers);
    assert_int_equal(trop_h5_integers(&integers, &count, h5, LIST "size"), TROP_OK);
    trop_alloc_free(integers);
    assert_true(trop_h5_exists(h5, "/result/nothing") && trop_h5_exists(h5, LIST "name"));
    assert_false(trop_h5_exists(h5, "/result/certificate/absent"));
    assert_false(trop_h5_exists(h5, LIST "centre_offsets"));
    trop_h5_abandon(h5);
    unlink(path);
}

static void texts_of_a_list_keep_their_rows(void **state)
{
    (void)state;
    const char *path = scratch("j.h5");
    struct trop_h5 *h5;
    char texts[3][6];
    assert_int_equal(trop_h5_create(&h5, path), TROP_OK);
    assert_int_equal(trop_h5_fields(h5, "", table, NULL), TROP_OK);
    assert_int_equal(trop_h5_close(h5), TROP_OK);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t dataset = H5Dopen2(file, "cluster_list/name", H5P_DEFAULT);
    hid_t type = H5Dget_type(dataset);
    assert_int_equal(H5Tget_size(type), 6);
    assert_true(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts) >= 0);
    assert_memory_equal(texts, "other\0secondother\0", sizeof texts);
    H5Tclose(type);
    H5Dclose(dataset);
    H5Fclose(file);
    unlink(path);
}

static void a_field_of_several_texts_comes_back(void **state)
{
    (void)state;
    const char *path = scratch("k.h5");
    struct trop_h5 *h5;
    char *read;
    int64_t rows, width;
    assert_int_equal(trop_h5_create(&h5, path), TROP_OK);
    assert_int_equal(trop_h5_fields(h5, "/result", table, NULL), TROP_OK);
    assert_int_equal(trop_h5_close(h5), TROP_OK);
    assert_int_equal(trop_h5_open(&h5, path), TROP_OK);
    assert_int_equal(trop_h5_texts(&read, &rows, &width, h5, "/result/words"), TROP_OK);
    assert_int_equal(rows, 3);
    for (int64_t k = 0; k < rows; k++) {
        assert_string_equal(read + k * width, words[k]);
    }
    trop_alloc_free(read);
    trop_h5_abandon(h5);
    unlink(path);
}

static void rows_that_do_not_fit_together_are_refused(void **state)
{
    (void)state;
    struct trop_h5 *h5;
    const struct trop_field uneven[] = { { "x", "", .read = read_uneven }, { 0 } };
    const struct trop_field mixed[] = { { "x", "", .read = read_mixed }, { 0 } };
    const struct trop_field inner[] = { { "x", "", .read = read_none, .columns = uneven }, { 0 } };
    const struct trop_field *wrong[] = { uneven, mixed, inner };
    const char *reasons[] = { "rank or width", "kind", "list inside a list" };
    for (int k = 0; k < 3; k++) {
        const struct trop_field outer[] = { { "list", "", .read = read_list, .columns = wrong[k] },
                                            { 0 } };
        assert_int_equal(trop_h5_create(&h5, scratch("k.h5")), TROP_OK);
        refused(trop_h5_fields(h5, "g", outer, NULL), "g/list/x", reasons[k]);
        trop_h5_abandon(h5);
    }
    assert_int_equal(alloc_live, 0);
}

static enum trop_status write_and_read(void)
{
    const char *path = scratch("m.h5");
    struct trop_h5 *h5;
    struct trop_array array;
    char *text;
    enum trop_status status = trop_h5_create(&h5, path);
    if (status != TROP_OK) {
        return status;
    }
    status = trop_h5_fields(h5, "", table, NULL);
    if (status != TROP_OK) {
        trop_h5_abandon(h5);
        return status;
    }
    status = trop_h5_close(h5);
    if (status == TROP_OK) {
        make_foreign(path);
        status = trop_h5_open(&h5, path);
    }
    if (status == TROP_OK) {
        status = trop_h5_numbers(&array, h5, "single");
        if (status == TROP_OK) {
            trop_array_free(&array);
            status = trop_h5_text(&text, h5, "word", NULL);
        }
        if (status == TROP_OK) {
            trop_alloc_free(text);
            status = trop_h5_text(&text, h5, "padded", NULL);
        }
        if (status == TROP_OK) {
            trop_alloc_free(text);
        }
        trop_h5_abandon(h5);
    }
    unlink(path);
    return status;
}

static void every_refused_allocation_is_survived(void **state)
{
    (void)state;
    alloc_refuse_each(write_and_read);
    assert_int_equal(scratch_count(), 0);
    assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_becomes_datasets_by_name),
        cmocka_unit_test(texts_of_a_list_keep_their_rows),
        cmocka_unit_test(a_field_of_several_texts_comes_back),
        cmocka_unit_test(rows_that_do_not_fit_together_are_refused),
        cmocka_unit_test(every_refused_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_remove);
}
