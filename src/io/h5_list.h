/* h5_list.h -- the names in an HDF5 file. */
#ifndef TROP_IO_H5_LIST_H
#define TROP_IO_H5_LIST_H

#include "io/h5.h"

/* Receives one name, valid during the call only; a status that is not TROP_OK ends the list. */
typedef enum trop_status trop_h5_list_take(void *context, const char *name);

/* Every link of the root group, in ascending order of names. Returns the first status of take that
 * is not TROP_OK. */
enum trop_status trop_h5_list(struct trop_h5 *h5, trop_h5_list_take *take, void *context);

/* Every dataset below a group, by its path from there ("bound/exact"), likewise. */
enum trop_status trop_h5_list_datasets(struct trop_h5 *h5, const char *group,
                                       trop_h5_list_take *take, void *context);

#endif
