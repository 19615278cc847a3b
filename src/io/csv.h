/* csv.h -- rows of numbers as text. */
#ifndef TROP_IO_CSV_H
#define TROP_IO_CSV_H

#include "io/array.h"

/* A row per line, numbers separated by commas, semicolons or blanks (one kind per
 * file), '#' lines and blank lines skipped, a first line of words alone taken as
 * header, of which the array tells the line; one with a field of digits and signs that is no
 * number, as 1,5 is, is refused. The array has rank 2. The words nan and inf are read as those
 * values. */
enum trop_status trop_csv_read(struct trop_array *out, const char *path);
/* The same from memory; name is for the sentence. */
enum trop_status trop_csv_parse(struct trop_array *out, const unsigned char *bytes, int64_t size,
                                const char *name);

#endif
