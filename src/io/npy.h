/* npy.h -- NumPy's .npy files. */
#ifndef TROP_IO_NPY_H
#define TROP_IO_NPY_H

#include "io/array.h"

/* Floating point of 2, 4 and 8 bytes and integers of 1 to 8 bytes, either byte order,
 * C or Fortran order, rank 0 to 4. Integers beyond 2^53 are rounded to double. */
enum trop_status trop_npy_read(struct trop_array *out, const char *path);
/* The same from memory; name is for the sentence. */
enum trop_status trop_npy_parse(struct trop_array *out, const unsigned char *bytes, int64_t size,
                                const char *name);
enum trop_status trop_npy_write(const char *path, const double *data, int64_t rank,
                                const int64_t *shape);

#endif
