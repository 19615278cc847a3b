/* h5_rows.h -- arrays of many rows in one HDF5 file that grows: a row now, a row later. */
#ifndef TROP_IO_H5_ROWS_H
#define TROP_IO_H5_ROWS_H

#include "tropism.h"

struct trop_h5_rows;

/* The file at path, which is another writer's work or empty; rows: how many there may be.
 *
 * An array called NAME becomes values/NAME (rows, ...), as long and wide as the largest row, NaN or
 * -1 (of truths too) where a row has nothing, and shape/NAME (rows, rank), the shape of each row,
 * -1 where there is none. Parts of a name between dots are groups. What no row has written takes no
 * room in the file.
 *
 * It is written in place, so path is that of a file beside the one that others read
 * (trop_file_beside). */
enum trop_status trop_h5_rows_open(struct trop_h5_rows **out, const char *path, int64_t rows);
/* Numbers, integers or truths of rank 1 to 3, of one kind and rank under a name. about: how long
 * rows are, where that varies and the first one may be short; 0: as long as the first. */
enum trop_status trop_h5_rows_put(struct trop_h5_rows *rows, const char *name, int64_t about,
                                  int64_t row, const struct trop_value *value);
/* Whatever fails, rows is gone. */
enum trop_status trop_h5_rows_close(struct trop_h5_rows *rows);
/* Without what is still to be written. NULL is fine. */
void trop_h5_rows_abandon(struct trop_h5_rows *rows);

#endif
