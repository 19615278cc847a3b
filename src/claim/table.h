/* table.h -- a figure or table of random runs as a description: what one run measures, how many
 * runs a row has by effort, what is published of each column, and how it is drawn.
 *
 * A claim whose .table is set needs no draw, work, conclude and picture; one that it has goes
 * first. draw puts "runs", "settings" where rows have some and, where a table takes more rows at
 * more effort, the entry that .rows_entry names; work fills .entry (rows, runs, columns); conclude
 * writes a line for each published number; picture draws a panel for each column that has a label.
 */
#ifndef TROP_CLAIM_TABLE_H
#define TROP_CLAIM_TABLE_H

#include "claim/sample.h"

#define TROP_TABLE_ROWS 24

/* A line of the judge of a column; trop_sample_mean, _share, _median, _few or one of the paper. */
typedef void trop_table_judge(struct trop_judge *judge, const char *line, const struct trop_case *c,
                              const char *name, int64_t row, int64_t column,
                              struct trop_sample_published published);

struct trop_table_column {
    const char *line; /* "1 - cos, m = %g" of the row's x or settings, %s of its name; NULL ends the
                         list */
    const double *published; /* (rows); NaN: none; NULL: the judge knows it, or each */
    const struct trop_sample_published *each; /* (rows), where rows differ in the rest too */
    trop_table_judge *judge;                  /* NULL: trop_sample_mean */
    int64_t column;                           /* of a run */
    double theirs, unit, least;               /* struct trop_sample_published */
    const char *label;                        /* of the y axis of its panel; NULL: none */
    int64_t scale;                            /* enum trop_scale */
    double factor;                            /* what means are multiplied by in the panel; 0: 1 */
};

/* .shown = TROP_TABLE_COLUMNS({ ... }, { ... }) */
/* clang-format off */
#define TROP_TABLE_COLUMNS(...) (const struct trop_table_column[]){ __VA_ARGS__, { 0 } }
/* clang-format on */

struct trop_table {
    const char *entry;      /* (rows, runs, columns) */
    trop_sample_run *one;   /* run of a row */
    int64_t columns;        /* 0: 1 */
    int64_t runs[3];        /* by effort */
    const char *rows_entry; /* NULL: all rows at every effort */
    int64_t rows[3];        /* by effort */
    const double *settings; /* (rows[2], width), entry "settings": what a row is run with */
    int64_t width;
    const int64_t *told;      /* (4): the settings that lines tell; NULL: the first ones */
    const double *x;          /* (rows[2]) */
    const char *const *names; /* (rows[2]) of bars; NULL: a line over x */
    int64_t dots;             /* 1: a line with dots, over names too */
    const char *x_label;
    int64_t x_scale;    /* enum trop_scale */
    const char *legend; /* of what is published; NULL: by the source of the claim */
    const struct trop_table_column *shown;
    const struct trop_table *next; /* another one of the same figure, worked and judged after this
                                      one; this one draws for both */
};

/* What a row is run with: its row of "settings". */
const double *trop_table_settings(const struct trop_case *c, int64_t row);

void trop_table_draw(const struct trop_table *table, struct trop_case *c);
void trop_table_work(const struct trop_table *table, struct trop_case *c);
void trop_table_conclude(const struct trop_table *table, struct trop_judge *judge,
                         const struct trop_case *c);
/* 1 when both draw and work alike: of the same runs they show other columns. */
int trop_table_begins_as(const struct trop_table *a, const struct trop_table *b);
/* How many columns have a label. */
int64_t trop_table_panels(const struct trop_table *table);
/* legend: of the numbers beside ours, where the table has none. */
void trop_table_picture(const struct trop_table *table, struct trop_figure *figure,
                        const struct trop_case *c, const char *legend);

/* Numbers published one by one, each beside an element of an entry: "norm[0,2]", indices as in
 * edit.h, -1 from the end. One that is out of range is left out: smaller efforts have fewer rows.
 */
struct trop_table_number {
    const char *line; /* NULL ends the list */
    const char *at;
    double published, allowance;
};

void trop_table_compare(struct trop_judge *judge, const struct trop_case *c,
                        const struct trop_table_number *numbers);

#endif
