/* h5_support.h -- what the tests of HDF5 files share. */
#ifndef TROP_TESTS_H5_SUPPORT_H
#define TROP_TESTS_H5_SUPPORT_H

#include <hdf5.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static const double tokens[] = { 1.5, -0.0, 1e300, 0.1, 5e-324, -2.25 };
static const int64_t labels[] = { 3, -1, INT64_MIN, INT64_MAX };

static inline void refused(enum trop_status status, const char *object, const char *reason)
{
    assert_int_not_equal(status, TROP_OK);
    assert_non_null(strstr(trop_error(), object));
    assert_non_null(strstr(trop_error(), reason));
    assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL & ~(unsigned)H5F_OBJ_FILE),
                     0);
}

static inline void make_dataset(hid_t file, const char *name, hid_t type, int rank,
                                const hsize_t *shape, hid_t creation, const void *data)
{
    hid_t space = rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, shape, NULL);
    hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);

    assert_true(dataset >= 0);
    if (data) {
        assert_true(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    }
    H5Dclose(dataset);
    H5Sclose(space);
}

/* A file with what other programs write, and with what nobody should. */
static inline void make_foreign(const char *path)
{
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const float singles[] = { 0.5f, -1.0f };
    const unsigned char bytes[] = { 0, 255 };
    const uint64_t huge[] = { UINT64_MAX };
    const hsize_t two[] = { 2 }, one[] = { 1 };
    make_dataset(file, "single", H5T_NATIVE_FLOAT, 1, two, H5P_DEFAULT, singles);
    make_dataset(file, "big", H5T_IEEE_F32BE, 1, two, H5P_DEFAULT, singles);
    make_dataset(file, "bytes", H5T_NATIVE_UCHAR, 1, two, H5P_DEFAULT, bytes);
    make_dataset(file, "huge", H5T_NATIVE_UINT64, 1, one, H5P_DEFAULT, huge);
    make_dataset(file, "five", H5T_NATIVE_INT, 5, (hsize_t[]){ 1, 1, 1, 1, 1 }, H5P_DEFAULT, NULL);
    make_dataset(file, "long", H5T_NATIVE_LDOUBLE, 1, two, H5P_DEFAULT, NULL);
    hid_t words = H5Tcopy(H5T_C_S1);
    H5Tset_size(words, H5T_VARIABLE);
    make_dataset(file, "word", words, 0, NULL, H5P_DEFAULT, (const char *[]){ "variable" });
    make_dataset(file, "words", words, 1, two, H5P_DEFAULT, (const char *[]){ "a", "b" });
    make_dataset(file, "unset", words, 0, NULL, H5P_DEFAULT, NULL);
    H5Tclose(words);
    hid_t padded = H5Tcopy(H5T_FORTRAN_S1);
    H5Tset_size(padded, 6);
    make_dataset(file, "padded", padded, 0, NULL, H5P_DEFAULT, "ab    ");
    H5Tclose(padded);
    hid_t compound = H5Tcreate(H5T_COMPOUND, 8);
    H5Tinsert(compound, "x", 0, H5T_NATIVE_DOUBLE);
    make_dataset(file, "compound", compound, 1, two, H5P_DEFAULT, NULL);
    H5Tclose(compound);
    /* Claims 2^50 numbers in chunks that were never written. */
    hid_t chunked = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(chunked, 1, (hsize_t[]){ 100 });
    make_dataset(file, "absurd", H5T_NATIVE_DOUBLE, 1, (hsize_t[]){ (hsize_t)1 << 50 }, chunked,
                 NULL);
    make_dataset(file, "filled", H5T_NATIVE_DOUBLE, 1, (hsize_t[]){ 100 }, chunked, NULL);
    H5Pclose(chunked);
    hid_t late = H5Pcreate(H5P_DATASET_CREATE);
    make_dataset(file, "wrap", H5T_NATIVE_CHAR, 2,
                 (hsize_t[]){ (hsize_t)1 << 31, (hsize_t)1 << 31 }, late, NULL);
    H5Pset_external(late, "/etc/hostname", 0, H5F_UNLIMITED);
    make_dataset(file, "elsewhere", H5T_NATIVE_CHAR, 1, one, late, NULL);
    H5Pclose(late);
    H5Gclose(H5Gcreate2(file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Lcreate_soft("/nowhere", file, "dangling", H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
}

#endif
