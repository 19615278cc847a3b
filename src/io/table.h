/* table.h -- tables of text: .tsv and .csv. */
#ifndef TROP_IO_TABLE_H
#define TROP_IO_TABLE_H

#include "tropism.h"

struct trop_table {
    int64_t rows, columns;
    char **cell;   /* (rows, columns) texts inside the bytes that were parsed */
    int64_t *line; /* (rows) where each row begins, from 1 */
    int64_t room;  /* rows that there is memory for */
};

/* separator: '\t', cells as they stand, or ',', cells in quotes as in RFC 4180. Lines end with LF
 * or CRLF, empty lines are passed over, and every row has as many cells as the first. The cells are
 * parts of bytes (size, and a zero behind them), which are changed and must live as long. name is
 * for the sentence. */
enum trop_status trop_table_parse(struct trop_table *out, unsigned char *bytes, int64_t size,
                                  char separator, const char *name);
void trop_table_free(struct trop_table *table);

#endif
