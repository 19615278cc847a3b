/* csv.c -- rows of numbers as text.
 *
 * A number is what strtod reads in the C locale: correctly rounded, decimal or
 * hexadecimal, nan and inf. uselocale (POSIX 2008) sets that locale for the
 * calling thread alone while a file is parsed, so neither the decimal point of
 * the user's language nor another thread can change a value.
 */
#include "io/csv.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "io/file.h"

/* Exact decimal expansions of a double have at most 767 significant digits;
 * longer fields are refused. */
#define FIELD_SIZE 1200

struct table {
    const char *name; /* of the file */
    char separator;   /* ',', ';' or ' ' for blanks; 0 before the first row */
    int64_t rows, columns;
    int64_t first;                 /* line of the first row, for the sentence */
    int64_t header;                /* line that has words alone; 0: none */
    const char *names, *names_end; /* the text of that line */
    double *data;                  /* (rows, columns) */
    int64_t count, capacity;
};

/* One line, and the field that is being read. Lines and columns count from 1. */
struct line {
    const char *at, *end;
    int64_t number;
    int64_t column;
};

static int is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Takes the next line off the text, without its end (LF or CRLF) and without
 * blanks on either side. */
static struct line next_line(const char **at, const char *end, int64_t number)
{
    const char *newline = memchr(*at, '\n', (size_t)(end - *at));
    const char *stop = newline ? newline : end;
    struct line line = { .at = *at, .end = stop, .number = number };

    *at = newline ? newline + 1 : end;
    if (line.end > line.at && line.end[-1] == '\r') {
        line.end--;
    }
    while (line.at < line.end && is_blank(*line.at)) {
        line.at++;
    }
    while (line.end > line.at && is_blank(line.end[-1])) {
        line.end--;
    }
    return line;
}

static char separator_of(const struct line *line)
{
    size_t length = (size_t)(line->end - line->at);

    return memchr(line->at, ';', length) ? ';' : memchr(line->at, ',', length) ? ',' : ' ';
}

/* The next field of the line, without blanks around it; 0 after the last. */
static int next_field(const char **first, const char **last, struct line *line, char separator)
{
    if (!line->at) {
        return 0;
    }
    const char *stop = line->at;
    while (stop < line->end && (separator == ' ' ? !is_blank(*stop) : *stop != separator)) {
        stop++;
    }
    *first = line->at;
    *last = stop;
    while (*first < *last && is_blank(**first)) {
        (*first)++;
    }
    while (*last > *first && is_blank((*last)[-1])) {
        (*last)--;
    }
    line->column++;
    if (stop == line->end) {
        line->at = NULL;
        return 1;
    }
    line->at = stop + 1;
    while (separator == ' ' && is_blank(*line->at)) {
        line->at++;
    }
    return 1;
}

static int parse_number(double *out, const char *first, const char *last)
{
    char text[FIELD_SIZE];
    size_t length = (size_t)(last - first);
    if (length == 0 || length >= sizeof text) {
        return 0;
    }
    /* strtod would skip white space that is not ours, such as a form feed. */
    if ((unsigned char)*first <= ' ') {
        return 0;
    }
    memcpy(text, first, length);
    text[length] = 0;
    char *stop;
    *out = strtod(text, &stop);
    return stop == text + length;
}

/* The field as far as it can be shown in a sentence. */
static enum trop_status refuse_field(const struct table *table, const struct line *line,
                                     const char *first, const char *last)
{
    char shown[32] = { 0 };
    int64_t length = last - first;

    if (length == 0) {
        return trop_fail(TROP_ERR_IO,
                         "%s: line %lld, column %lld (from 1) is empty: must be a number",
                         table->name, (long long)line->number, (long long)line->column);
    }
    for (int64_t k = 0; k < length && k < (int64_t)sizeof shown - 1; k++) {
        shown[k] = first[k];
        if (first[k] < ' ' || first[k] > '~') {
            shown[k] = '?';
        }
    }
    const char *comma = table->separator != ' ' && memchr(first, ',', (size_t)length)
                            ? " with a point where it has a comma"
                            : "";
    return trop_fail(TROP_ERR_IO, "%s: line %lld, column %lld (from 1): '%s': must be a number%s",
                     table->name, (long long)line->number, (long long)line->column, shown, comma);
}

/* 1 for what was meant as a number: 1,5 and 1.000.000 and 3-, not pixel1 and 1x1. */
static int is_like_number(const char *first, const char *last)
{
    int digits = 0;

    for (; first < last; first++) {
        if (*first == '\0' || !strchr("0123456789+-.,'eE", *first)) {
            return 0;
        }
        digits |= *first >= '0' && *first <= '9';
    }
    return digits;
}

/* A line of words alone, or one that begins with an empty field (a table with named
 * rows); words among numbers, and numbers that are not read as such, are a row with a mistake. */
static int is_header(struct line line)
{
    char separator = separator_of(&line);
    const char *first, *last;
    double value;

    for (int k = 0; next_field(&first, &last, &line, separator); k++) {
        if (k == 0 && first == last) {
            return 1;
        }
        if (parse_number(&value, first, last) || is_like_number(first, last)) {
            return 0;
        }
    }
    return 1;
}

static enum trop_status parse_row(struct table *table, struct line line)
{
    const char *first, *last;
    double value;
    if (table->rows == 0) {
        table->separator = separator_of(&line);
        table->first = line.number;
    }
    while (next_field(&first, &last, &line, table->separator)) {
        if (!parse_number(&value, first, last)) {
            return refuse_field(table, &line, first, last);
        }
        /* Room grows by doubling: the number of lines times the width of the first one is
         * not to be believed before the rows have been seen. */
        if (table->count == table->capacity) {
            int64_t capacity = table->capacity ? 2 * table->capacity : 64;
            double *data = trop_alloc(capacity, sizeof *data);
            if (!data) {
                return trop_fail(TROP_ERR_MEMORY, "%s: no memory for %lld numbers", table->name,
                                 (long long)capacity);
            }
            if (table->count > 0) {
                memcpy(data, table->data, (size_t)table->count * sizeof *data);
            }
            trop_alloc_free(table->data);
            table->data = data;
            table->capacity = capacity;
        }
        table->data[table->count++] = value;
    }
    if (table->rows > 0 && line.column != table->columns) {
        return trop_fail(TROP_ERR_IO, "%s: line %lld: has %lld columns, line %lld has %lld",
                         table->name, (long long)line.number, (long long)line.column,
                         (long long)table->first, (long long)table->columns);
    }
    table->columns = line.column;
    table->rows++;
    return TROP_OK;
}

/* Names on the line between separators; what stands in quotes is one. */
static int64_t count_names(const char *at, const char *end, char separator)
{
    int64_t count = 1;
    int quoted = 0;

    for (; at < end; at++) {
        const int parts = separator == ' ' ? is_blank(*at) && !is_blank(at[-1]) : *at == separator;
        quoted ^= *at == '"';
        count += !quoted && parts;
    }
    return count;
}

/* A name above each column: one name above two is a column of numbers with decimal commas. Names
 * may be parted otherwise than the numbers, and hold blanks above a single column. */
static enum trop_status check_names(const struct table *table)
{
    const char *at = table->names, *end = table->names_end;
    const char own = separator_of(&(struct line){ .at = at, .end = end });
    const int64_t names = count_names(at, end, own), columns = table->columns;
    const int named_rows = *at == own && names == columns + 1;

    if (named_rows || names == columns || count_names(at, end, table->separator) == columns ||
        count_names(at, end, '\t') == columns || (own == ' ' && columns == 1)) {
        return TROP_OK;
    }
    return trop_fail(TROP_ERR_IO, "%s: line %lld has %lld name%s, line %lld has %lld columns%s",
                     table->name, (long long)table->header, (long long)names, names == 1 ? "" : "s",
                     (long long)table->first, (long long)columns,
                     table->separator == ',' ? ": must be as many; decimals have a point, no comma"
                                             : ": must be as many");
}

static enum trop_status parse_lines(struct table *table, const char *at, const char *end)
{
    int begun = 0; /* a header or a row was seen */

    for (int64_t number = 1; at < end; number++) {
        struct line line = next_line(&at, end, number);
        if (line.at == line.end || *line.at == '#') {
            continue;
        }
        if (!begun && is_header(line)) {
            table->header = number;
            table->names = line.at;
            table->names_end = line.end;
        } else {
            enum trop_status status = parse_row(table, line);
            if (status == TROP_OK && table->rows == 1 && table->header) {
                status = check_names(table);
            }
            if (status != TROP_OK) {
                return status;
            }
        }
        begun = 1;
    }
    if (table->rows == 0) {
        return trop_fail(TROP_ERR_IO, "%s: has no row of numbers", table->name);
    }
    return TROP_OK;
}

enum trop_status trop_csv_parse(struct trop_array *out, const unsigned char *bytes, int64_t size,
                                const char *name)
{
    struct table table = { .name = name };
    const char *text = (const char *)bytes;
    const char *end = text + size;
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        text += 3; /* the mark that some programs put in front of UTF-8 */
    }
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!plain) {
        return trop_fail(TROP_ERR_MEMORY, "%s: no memory for a locale", name);
    }
    locale_t before = uselocale(plain);
    enum trop_status status = parse_lines(&table, text, end);
    uselocale(before);
    freelocale(plain);
    if (status != TROP_OK) {
        trop_alloc_free(table.data);
        return status;
    }
    *out = (struct trop_array){
        .data = table.data,
        .rank = 2,
        .shape = { table.rows, table.columns },
        .header = table.header,
    };
    return TROP_OK;
}

enum trop_status trop_csv_read(struct trop_array *out, const char *path)
{
    unsigned char *bytes;
    int64_t size;
    enum trop_status status =
        trop_file_read_judged(&bytes, &size, path, TROP_FILE_LIMIT, trop_file_text);
    if (status != TROP_OK) {
        return status;
    }
    status = trop_csv_parse(out, bytes, size, path);
    trop_alloc_free(bytes);
    return status;
}
