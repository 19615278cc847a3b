/* csv.h -- rows of numbers as text, and tables of anything. */
#ifndef TROP_IO_CSV_H
#define TROP_IO_CSV_H

#include "io/array.h"

#include <stdio.h>

/* A row per line, numbers separated by commas, semicolons or blanks (one kind per
 * file), '#' lines and blank lines skipped, a first line of words alone taken as
 * header, of which the array tells the line; one with a field of digits and signs that is no
 * number, as 1,5 is, is refused. The array has rank 2. The words nan and inf are read as those
 * values. */
enum trop_status trop_csv_read(struct trop_array *out, const char *path);
/* The same from memory; name is for the sentence. */
enum trop_status trop_csv_parse(struct trop_array *out, const unsigned char *bytes, int64_t size,
                                const char *name);

/* ---- csv_write.c: a table, row by row --------------------------------------- */

struct trop_csv {
    FILE *file; /* in memory */
    char *bytes;
    size_t size;
    int begun; /* 1: the row has a cell */
};

enum trop_status trop_csv_open(struct trop_csv *csv);
/* null is an empty cell, entries of an array have blanks between them. */
void trop_csv_cell(struct trop_csv *csv, const struct trop_value *value);
/* The end of a row. */
void trop_csv_row(struct trop_csv *csv);
/* Writes the file where status is TROP_OK; csv is gone whatever fails. */
enum trop_status trop_csv_close(struct trop_csv *csv, const char *path, enum trop_status status);

#endif
