/* table.c -- a figure or table of random runs as a description. */
#include "claim/table.h"

#include "claim/tokens.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void trop_table_draw(const struct trop_table *table, struct trop_case *c)
{
    trop_tokens_count(c, "runs", (double)table->runs[c->effort], 1, 1e6);
    if (table->rows_entry) {
        trop_tokens_count(c, table->rows_entry, (double)table->rows[c->effort], 1,
                          (double)table->rows[TROP_CASE_FULL]);
    }
}

void trop_table_work(const struct trop_table *table, struct trop_case *c)
{
    const int64_t rows =
        table->rows_entry ? trop_case_integer(c, table->rows_entry) : table->rows[TROP_CASE_FULL];

    trop_sample_runs(c, table->entry, rows, trop_case_integer(c, "runs"),
                     table->columns > 0 ? table->columns : 1, table->one);
}

void trop_table_conclude(const struct trop_table *table, struct trop_judge *judge,
                         const struct trop_case *c)
{
    const int64_t rows = trop_case_size(c, table->entry, 0);

    for (int64_t row = 0; row < rows && row < table->rows[TROP_CASE_FULL]; row++) {
        for (const struct trop_table_column *shown = table->shown; shown->line; shown++) {
            trop_table_judge *judge_line = shown->judge ? shown->judge : trop_sample_mean;
            if (!isnan(shown->published[row])) {
                judge_line(judge, trop_judge_name(judge, shown->line, table->x[row]), c,
                           table->entry, row, shown->column,
                           (struct trop_sample_published){ shown->published[row], shown->theirs,
                                                           shown->unit, shown->least });
            }
        }
    }
}

/* ---- the picture ---- */

static void draw_line(struct trop_panel *panel, const struct trop_table *table,
                      const struct trop_table_column *shown, const struct trop_case *c,
                      int64_t rows)
{
    double y[TROP_TABLE_ROWS], error[TROP_TABLE_ROWS];
    const double factor = shown->factor != 0 ? shown->factor : 1;

    for (int64_t row = 0; row < rows; row++) {
        struct trop_sample_summary s;
        trop_sample_summary(&s, c, table->entry, row, shown->column);
        y[row] = factor * s.mean;
        error[row] = 4 * factor * s.deviation / sqrt((double)s.runs);
    }
    trop_panel_errors(panel, table->x, y, error, rows, trop_figure_pen(0));
    trop_panel_line(panel, table->x, y, rows, trop_figure_pen(0), "ours, with 4 deviations");
    trop_panel_dots(panel, table->x, shown->published, table->rows[TROP_CASE_FULL],
                    (struct trop_dot){ .colour = TROP_COLOUR_BLACK, .mark = TROP_MARK_CROSS },
                    table->legend ? table->legend : "published");
}

void trop_table_picture(const struct trop_table *table, struct trop_figure *figure,
                        const struct trop_case *c)
{
    const int64_t rows = trop_case_size(c, table->entry, 0) < TROP_TABLE_ROWS
                             ? trop_case_size(c, table->entry, 0)
                             : TROP_TABLE_ROWS;
    int64_t panels = 0, at = 0;

    for (const struct trop_table_column *shown = table->shown; shown->line; shown++) {
        panels += shown->label != NULL;
    }
    trop_figure_grid(figure, 1, panels);
    for (const struct trop_table_column *shown = table->shown; shown->line; shown++) {
        if (!shown->label) {
            continue;
        }
        struct trop_panel *panel = trop_figure_panel(figure, 0, at++);
        trop_panel_x(panel, table->x_label ? table->x_label : "", table->x_scale);
        trop_panel_y(panel, shown->label, shown->scale);
        if (table->names) {
            trop_sample_bars(panel, c, table->entry, shown->column,
                             shown->factor != 0 ? shown->factor : 1, shown->published, table->names,
                             rows);
        } else {
            draw_line(panel, table, shown, c, rows);
        }
    }
}

/* ---- numbers one by one ---- */

/* The element "name[i,j]" of a case; NULL when it is out of range. */
static const double *element(const struct trop_case *c, const char *at)
{
    const size_t length = strcspn(at, "[");
    char name[32];
    int64_t index = 0, axis = 0;

    snprintf(name, sizeof name, "%.*s", (int)length, at);
    const double *values = trop_case_array(c, name);
    if (!values) {
        return NULL;
    }
    for (at += length; *at == '[' || *at == ','; axis++) {
        char *end = NULL;
        const int64_t size = trop_case_size(c, name, axis);
        const int64_t own = strtoll(at + 1, &end, 10), k = own < 0 ? own + size : own;
        if (k < 0 || k >= size) {
            return NULL;
        }
        index = index * size + k;
        at = end;
    }
    for (; axis < TROP_CASE_RANK && trop_case_size(c, name, axis) > 0; axis++) {
        index *= trop_case_size(c, name, axis);
    }
    return values + index;
}

void trop_table_compare(struct trop_judge *judge, const struct trop_case *c,
                        const struct trop_table_number *numbers)
{
    for (; numbers->line; numbers++) {
        const double *ours = element(c, numbers->at);
        if (ours) {
            trop_judge_near(judge, numbers->line, -1, *ours, numbers->published,
                            numbers->allowance);
        }
    }
}
