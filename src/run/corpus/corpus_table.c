/* corpus_table.c -- texts in tables.
 *
 * Which column is which is said by the first line when it has cells called label and text, else by
 * the option columns, else by their number: two are label and text; five, the first of them a
 * split, are split, label, id, rating and text, as aclImdb in one file has them. A .csv whose first
 * line is three or more numbers is a table of images.
 */
#include "run/corpus/corpus.h"

#include <string.h>

#include "base/alloc.h"
#include "base/status.h"

/* The columns of a table; -1: there is none. */
struct columns {
    int64_t label, text, split;
    int64_t first; /* row of the first item */
};

static int same_word(const char *cell, const char *word)
{
    for (; *cell && (*cell | 32) == *word; cell++, word++) {
    }
    return !*cell && !*word;
}

static enum trop_status refuse_columns(const struct trop_corpus *corpus)
{
    return trop_fail(TROP_ERR_ARG,
                     "%s: which of its %lld columns is the label, and which the text? The first "
                     "line, or --columns, must name label and text",
                     corpus->name, (long long)corpus->table.columns);
}

/* A column's name; twice is once too often. */
static enum trop_status name_column(struct columns *out, const struct trop_corpus *corpus,
                                    const char *word, int64_t column)
{
    int64_t *place = same_word(word, "label")   ? &out->label
                     : same_word(word, "text")  ? &out->text
                     : same_word(word, "split") ? &out->split
                                                : NULL;

    if (place && *place >= 0) {
        return trop_fail(TROP_ERR_ARG, "%s: two columns are called %s", corpus->name, word);
    }
    if (place) {
        *place = column;
    }
    return TROP_OK;
}

static enum trop_status by_header(struct columns *out, const struct trop_corpus *corpus)
{
    enum trop_status status = TROP_OK;

    for (int64_t c = 0; c < corpus->table.columns && status == TROP_OK; c++) {
        status = name_column(out, corpus, corpus->table.cell[c], c);
    }
    out->first = 1;
    if (status == TROP_OK && corpus->options.columns) {
        return trop_fail(TROP_ERR_ARG, "columns = %s: but the first line of %s names them",
                         corpus->options.columns, corpus->name);
    }
    return status;
}

static enum trop_status by_option(struct columns *out, const struct trop_corpus *corpus)
{
    const char *at = corpus->options.columns;
    enum trop_status status = TROP_OK;
    int64_t column = 0;

    for (int more = 1; more && status == TROP_OK; column++) {
        char word[64] = "";
        const size_t length = strcspn(at, ",");
        if (length > 0 && length < sizeof word) {
            memcpy(word, at, length);
        }
        status = name_column(out, corpus, word, column);
        more = at[length] == ',';
        at += length + (size_t)more;
    }
    if (status == TROP_OK && column != corpus->table.columns) {
        return trop_fail(TROP_ERR_ARG, "columns = %s: are %lld, but %s has %lld",
                         corpus->options.columns, (long long)column, corpus->name,
                         (long long)corpus->table.columns);
    }
    return status;
}

static int has_header(const struct trop_table *table)
{
    int label = 0, text = 0;

    for (int64_t c = 0; c < table->columns; c++) {
        label |= same_word(table->cell[c], "label");
        text |= same_word(table->cell[c], "text");
    }
    return label && text;
}

static enum trop_status find_columns(struct columns *out, const struct trop_corpus *corpus)
{
    const struct trop_table *table = &corpus->table;
    enum trop_status status = TROP_OK;

    *out = (struct columns){ .label = -1, .text = -1, .split = -1 };
    if (has_header(table)) {
        status = by_header(out, corpus);
    } else if (corpus->options.columns) {
        status = by_option(out, corpus);
    } else if (table->columns == 2) {
        *out = (struct columns){ .label = 0, .text = 1, .split = -1 };
    } else if (table->columns == 5 && trop_corpus_split(table->cell[0]) >= 0) {
        *out = (struct columns){ .split = 0, .label = 1, .text = 4 };
    }
    if (status != TROP_OK) {
        return status;
    }
    return out->label < 0 || out->text < 0 ? refuse_columns(corpus) : TROP_OK;
}

static enum trop_status take_row(struct trop_corpus *corpus, const struct columns *columns,
                                 int64_t row)
{
    char *const *cell = corpus->table.cell + row * corpus->table.columns;
    struct trop_corpus_item item = { .text = cell[columns->text],
                                     .label = cell[columns->label],
                                     .file = corpus->name,
                                     .line = corpus->table.line[row],
                                     .split = -1 };

    if (columns->split >= 0) {
        item.split = trop_corpus_split(cell[columns->split]);
        if (item.split < 0) {
            return trop_fail(TROP_ERR_IO,
                             "%s: line %lld: split '%.32s': must be train, validation or test",
                             item.file, (long long)item.line, cell[columns->split]);
        }
    }
    return trop_corpus_push(corpus, item);
}

/* A line of three or more numbers, by its characters. */
static int is_numeric(const struct trop_archive_member *member)
{
    const char *text = (const char *)member->bytes;
    const size_t length = strcspn(text, "\r\n");
    int64_t cells = 1;

    for (size_t k = 0; k < length; k++) {
        cells += text[k] == ',';
    }
    return cells > 2 && strspn(text, "0123456789.,+-eE ") == length;
}

enum trop_status trop_corpus_read_table(struct trop_corpus *corpus,
                                        struct trop_archive_member *member, char separator)
{
    struct columns columns = { 0 };

    if (separator == ',' && !corpus->options.columns && is_numeric(member)) {
        return trop_corpus_read_numbers(corpus, member);
    }
    enum trop_status status =
        trop_table_parse(&corpus->table, member->bytes, member->size, separator, corpus->name);
    if (status == TROP_OK) {
        status = find_columns(&columns, corpus);
    }
    for (int64_t row = columns.first; status == TROP_OK && row < corpus->table.rows; row++) {
        status = take_row(corpus, &columns, row);
    }
    return status == TROP_OK && corpus->n == 0
               ? trop_fail(TROP_ERR_IO, "%s: has a header and no item", corpus->name)
               : status;
}
