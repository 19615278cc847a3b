/* h5_seal.h -- a sum over everything in an HDF5 file, kept in the file. */
#ifndef TROP_IO_H5_SEAL_H
#define TROP_IO_H5_SEAL_H

#include "io/h5/h5.h"

/* Puts the attribute `seal` on the root: the checksum (base/checksum.h) of every name, type, shape
 * and value of the file, attributes included. The last thing that is written. */
enum trop_status trop_h5_seal(struct trop_h5 *h5);
/* Refuses a file that is not as it was sealed. *sealed is 0 when it has no seal, and nothing is
 * known. */
enum trop_status trop_h5_seal_check(int *sealed, struct trop_h5 *h5);

#endif
