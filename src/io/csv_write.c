/* csv_write.c -- tables as text: RFC 4180, numbers so that they read back to the same bits. */
#define _XOPEN_SOURCE 700 /* open_memstream */
#include "io/csv.h"

#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "io/file.h"
#include "io/json/json.h"

enum trop_status trop_csv_open(struct trop_csv *csv)
{
    *csv = (struct trop_csv){ 0 };
    csv->file = open_memstream(&csv->bytes, &csv->size);
    return csv->file ? TROP_OK : trop_fail(TROP_ERR_MEMORY, "no memory for a table");
}

/* inf and nan without the quotes that JSON gives them. */
static void put_number(FILE *file, double value)
{
    char text[32];

    trop_json_double(text, value);
    const int quoted = text[0] == '"';
    text[strlen(text) - (size_t)quoted] = '\0';
    fputs(text + quoted, file);
}

static void put_text(FILE *file, const char *text)
{
    if (!strpbrk(text, ",\"\n\r")) {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (const char *c = text; *c; c++) {
        fprintf(file, "%s%c", *c == '"' ? "\"" : "", *c);
    }
    fputc('"', file);
}

static void put_array(FILE *file, const struct trop_value *value)
{
    const int64_t count = trop_array_count(value->rank, value->shape);

    for (int64_t k = 0; k < count; k++) {
        fputs(k ? " " : "", file);
        if (value->kind == TROP_KIND_NUMBERS) {
            put_number(file, value->numbers[k]);
        } else {
            fprintf(file, "%lld", (long long)value->integers[k]);
        }
    }
}

void trop_csv_cell(struct trop_csv *csv, const struct trop_value *value)
{
    fputs(csv->begun ? "," : "", csv->file);
    csv->begun = 1;
    switch ((enum trop_kind)value->kind) {
    case TROP_KIND_NUMBER:
        put_number(csv->file, value->number);
        break;
    case TROP_KIND_INTEGER:
    case TROP_KIND_BOOLEAN:
        fprintf(csv->file, "%lld", (long long)value->integer);
        break;
    case TROP_KIND_TEXT:
        put_text(csv->file, value->text);
        break;
    case TROP_KIND_NUMBERS:
    case TROP_KIND_INTEGERS:
    case TROP_KIND_BOOLEANS:
        put_array(csv->file, value);
        break;
    case TROP_KIND_TEXTS:
    case TROP_KIND_LIST:
    case TROP_KIND_NULL:
        break;
    }
}

void trop_csv_row(struct trop_csv *csv)
{
    fputc('\n', csv->file);
    csv->begun = 0;
}

enum trop_status trop_csv_close(struct trop_csv *csv, const char *path, enum trop_status status)
{
    if (csv->file && fclose(csv->file) != 0 && status == TROP_OK) {
        status = trop_fail(TROP_ERR_MEMORY, "no memory for a table");
    }
    if (status == TROP_OK) {
        status = trop_file_write(path, csv->bytes, (int64_t)csv->size);
    }
    free(csv->bytes);
    *csv = (struct trop_csv){ 0 };
    return status;
}
