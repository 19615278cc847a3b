/* table.c -- tables of text: .tsv and .csv.
 *
 * A cell of a .csv that begins with a quote ends with the next single one; two are one (RFC 4180).
 * Separators and line ends between quotes are text. Cells are closed by zeros in place: a table of
 * texts takes no room beside the file.
 */
#include "io/table.h"

#include <string.h>

#include "base/alloc.h"
#include "base/status.h"
#include "io/utf8.h"

#define COLUMNS_MOST 100000

struct scan {
    const char *name;
    char separator;
    char *at, *end;
    int64_t line;
};

static enum trop_status refuse_line(const struct scan *scan, int64_t line, const char *what)
{
    return trop_fail(TROP_ERR_IO, "%s: line %lld: %s", scan->name, (long long)line, what);
}

/* Passes what ends a cell, the separator or the line; returns 1 when a further cell follows. */
static int pass_end(struct scan *scan)
{
    if (scan->at == scan->end) {
        return 0;
    }
    const int more = *scan->at != '\n';
    scan->line += !more;
    scan->at++;
    return more;
}

/* From behind the opening quote; the text moves to the front as quotes are left out. */
static enum trop_status take_quoted(int *more, char **cell, struct scan *scan)
{
    const int64_t opened = scan->line;
    char *put = ++scan->at;

    *cell = put;
    for (;; scan->at++) {
        if (scan->at == scan->end) {
            return refuse_line(scan, opened, "a quote that opens is not closed");
        }
        if (*scan->at == '"') {
            if (scan->at + 1 == scan->end || scan->at[1] != '"') {
                break;
            }
            scan->at++;
        }
        scan->line += *scan->at == '\n';
        *put++ = *scan->at;
    }
    scan->at++;
    if (scan->at < scan->end && *scan->at == '\r') {
        scan->at++;
    }
    if (scan->at < scan->end && *scan->at != scan->separator && *scan->at != '\n') {
        return refuse_line(scan, scan->line, "a quote closes inside a cell: write it twice");
    }
    *more = pass_end(scan);
    *put = 0;
    return TROP_OK;
}

static enum trop_status take_cell(int *more, char **cell, struct scan *scan)
{
    if (scan->separator == ',' && scan->at < scan->end && *scan->at == '"') {
        return take_quoted(more, cell, scan);
    }
    *cell = scan->at;
    for (; scan->at < scan->end && *scan->at != scan->separator && *scan->at != '\n'; scan->at++) {
        if (scan->separator == ',' && *scan->at == '"') {
            return refuse_line(scan, scan->line,
                               "a quote inside a cell: the whole cell must be in quotes");
        }
    }
    char *stop = scan->at;
    *more = pass_end(scan);
    if (!*more && stop > *cell && stop[-1] == '\r') {
        stop--;
    }
    *stop = 0;
    return TROP_OK;
}

/* How many cells the first row has. The bytes are only read. */
static int64_t count_columns(const struct scan *scan)
{
    int64_t count = 1;
    int quoted = 0;

    for (const char *at = scan->at; at < scan->end && (quoted || *at != '\n'); at++) {
        quoted ^= scan->separator == ',' && *at == '"';
        count += !quoted && *at == scan->separator;
    }
    return count;
}

static enum trop_status grow(struct trop_table *table, const char *name)
{
    const int64_t room = table->room ? 2 * table->room : 64;
    struct trop_table more = { .rows = table->rows, .columns = table->columns, .room = room };
    const int64_t cells = trop_alloc_product(room, table->columns);

    if (!TROP_ALLOC(TROP_PART(more.cell, cells), TROP_PART(more.line, room))) {
        trop_table_free(&more);
        return trop_fail(TROP_ERR_MEMORY, "%s: no memory for %lld rows", name, (long long)room);
    }
    if (table->rows > 0) {
        memcpy(more.cell, table->cell, (size_t)(table->rows * table->columns) * sizeof *more.cell);
        memcpy(more.line, table->line, (size_t)table->rows * sizeof *more.line);
    }
    trop_table_free(table);
    *table = more;
    return TROP_OK;
}

static enum trop_status take_row(struct trop_table *table, struct scan *scan)
{
    const int64_t line = scan->line;
    int64_t cells = 0;

    if (table->rows == table->room) {
        enum trop_status status = grow(table, scan->name);
        if (status != TROP_OK) {
            return status;
        }
    }
    for (int more = 1; more; cells++) {
        char *cell;
        enum trop_status status = take_cell(&more, &cell, scan);
        if (status != TROP_OK) {
            return status;
        }
        if (cells < table->columns) {
            table->cell[table->rows * table->columns + cells] = cell;
        }
    }
    if (cells != table->columns) {
        return trop_fail(TROP_ERR_IO, "%s: line %lld: has %lld cells, line %lld has %lld",
                         scan->name, (long long)line, (long long)cells,
                         (long long)(table->rows ? table->line[0] : line),
                         (long long)table->columns);
    }
    table->line[table->rows++] = line;
    return TROP_OK;
}

static int take_empty(struct scan *scan)
{
    const int64_t left = scan->end - scan->at;
    const int wide = left >= 2 && scan->at[0] == '\r' && scan->at[1] == '\n';

    if (!wide && !(left >= 1 && scan->at[0] == '\n')) {
        return 0;
    }
    scan->at += 1 + wide;
    scan->line++;
    return 1;
}

static enum trop_status take_rows(struct trop_table *table, struct scan *scan)
{
    while (scan->at < scan->end) {
        if (take_empty(scan)) {
            continue;
        }
        if (table->columns == 0) {
            table->columns = count_columns(scan);
            if (table->columns > COLUMNS_MOST) {
                return refuse_line(scan, scan->line, "has more than 100000 cells");
            }
        }
        enum trop_status status = take_row(table, scan);
        if (status != TROP_OK) {
            return status;
        }
    }
    return table->rows ? TROP_OK : trop_fail(TROP_ERR_IO, "%s: has no row", scan->name);
}

enum trop_status trop_table_parse(struct trop_table *out, unsigned char *bytes, int64_t size,
                                  char separator, const char *name)
{
    struct trop_table table = { 0 };
    struct scan scan = { .name = name, .separator = separator, .line = 1 };
    enum trop_status status = trop_utf8_check((const char *)bytes, size, name, 1);

    if (status != TROP_OK) {
        return status;
    }
    scan.at = (char *)bytes;
    scan.end = scan.at + size;
    if (size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) {
        scan.at += 3; /* the mark that some programs put in front of UTF-8 */
    }
    status = take_rows(&table, &scan);
    if (status != TROP_OK) {
        trop_table_free(&table);
        return status;
    }
    *out = table;
    return TROP_OK;
}

void trop_table_free(struct trop_table *table)
{
    TROP_FREE(table->cell, table->line);
    *table = (struct trop_table){ 0 };
}
