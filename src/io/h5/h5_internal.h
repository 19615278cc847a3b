/* h5_internal.h -- what the h5 files share; nobody else includes it. */
#ifndef TROP_IO_H5_INTERNAL_H
#define TROP_IO_H5_INTERNAL_H

#include <hdf5.h>

#include "io/h5/h5.h"

struct trop_h5 {
    hid_t file;
    char *path;
    int writing;
    int64_t size; /* that it may claim: of a file that is read its own */
};

/* The program's own error handler of HDF5, put back when we leave. */
struct trop_h5_quiet {
    H5E_auto2_t handler;
    void *context;
};

struct trop_h5_quiet trop_h5_quiet_begin(void);
void trop_h5_quiet_end(struct trop_h5_quiet quiet);

/* HDF5's last error as our sentence. Every call of HDF5 forgets the error before
 * it, so this comes before anything is closed. */
enum trop_status trop_h5_refuse(const char *path, const char *object);
enum trop_status trop_h5_refuse_memory(const char *path, const char *object);

/* Shape and elements of a dataset of numbers, converted to type, which has 8 bytes
 * (H5T_NATIVE_DOUBLE, or H5T_NATIVE_INT64 for integers only). shape->data stays
 * unused; *out is owned by the caller. out NULL: the shape alone, and H5I_INVALID_HID as type
 * takes elements of any kind. */
enum trop_status trop_h5_dataset(void **out, struct trop_array *shape, int64_t *count,
                                 struct trop_h5 *h5, const char *name, hid_t type);
/* What the elements of a class are called in a sentence. */
const char *trop_h5_dataset_class(H5T_class_t class);

#endif
