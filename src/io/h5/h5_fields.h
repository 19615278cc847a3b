/* h5_fields.h -- the fields of a result as HDF5 datasets. */
#ifndef TROP_IO_H5_FIELDS_H
#define TROP_IO_H5_FIELDS_H

#include "io/h5/h5.h"

/* Every field of the table as group/name, a dot in the name being a group. As in
 * JSON, a field without value is written as such, or left out when it has a dot.
 *
 * A list becomes a group with a dataset per column. Numbers become (rows); whole
 * numbers and truths stay so unless a row has none, which makes them numbers with NaN there, and
 * the attribute `kind` says "integer" or "truth".
 * Texts become (rows) texts. Arrays of numbers with one length become (rows,
 * length). Other arrays are joined along their first axis, and `column_offsets`
 * (rows + 1) says where each row begins; integers and truth values are always stored like this. A
 * list without rows has empty columns and no offsets. */
enum trop_status trop_h5_fields(struct trop_h5 *h5, const char *group,
                                const struct trop_field *table, const void *handle);

#endif
