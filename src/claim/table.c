/* table.c -- a figure or table of random runs as a description. */
#include "claim/table.h"

#include "claim/tokens.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const double *trop_table_settings(const struct trop_case *c, int64_t row)
{
    return trop_case_view_row(trop_case_view(c, "settings"), row);
}

void trop_table_draw(const struct trop_table *table, struct trop_case *c)
{
    trop_tokens_count(c, "runs", (double)table->runs[c->effort], 1, 1e6);
    if (table->rows_entry) {
        trop_tokens_count(c, table->rows_entry, (double)table->rows[c->effort], 1,
                          (double)table->rows[TROP_CASE_FULL]);
    }
    if (table->settings && !trop_case_has(c, "settings")) {
        trop_case_copy_in(c, "settings", table->settings, table->rows[c->effort], table->width, 0);
    } else if (table->settings) {
        trop_sample_shape(c, "settings", table->rows[c->effort], table->width, 0);
    }
}

void trop_table_work(const struct trop_table *table, struct trop_case *c)
{
    for (; table; table = table->next) {
        const int64_t rows = table->rows_entry ? trop_case_integer(c, table->rows_entry)
                             : table->settings ? trop_case_size(c, "settings", 0)
                                               : table->rows[TROP_CASE_FULL];
        trop_sample_runs(c, table->entry, rows, trop_case_integer(c, "runs"),
                         table->columns > 0 ? table->columns : 1, table->one);
    }
}

static const char *line_of(struct trop_judge *judge, const struct trop_table *table,
                           const char *line, int64_t row)
{
    double told[4] = { 0 };

    if (strstr(line, "%s")) {
        return trop_judge_name(judge, line, table->names[row]);
    }
    if (!table->settings) {
        return trop_judge_name(judge, line, table->x[row]);
    }
    for (int64_t k = 0; k < 4 && k < table->width; k++) {
        told[k] = table->settings[row * table->width + (table->told ? table->told[k] : k)];
    }
    return trop_judge_name(judge, line, told[0], told[1], told[2], told[3]);
}

static struct trop_sample_published published_of(const struct trop_table_column *shown, int64_t row)
{
    if (shown->each) {
        return shown->each[row];
    }
    return (struct trop_sample_published){ shown->published ? shown->published[row] : 0,
                                           shown->theirs, shown->unit, shown->least };
}

static void conclude_row(const struct trop_table *table, struct trop_judge *judge,
                         const struct trop_case *c, int64_t row)
{
    for (const struct trop_table_column *shown = table->shown; shown->line; shown++) {
        const struct trop_sample_published published = published_of(shown, row);
        trop_table_judge *judge_line = shown->judge ? shown->judge : trop_sample_mean;
        if (!isnan(published.value)) {
            judge_line(judge, line_of(judge, table, shown->line, row), c, table->entry, row,
                       shown->column, published);
        }
    }
}

void trop_table_conclude(const struct trop_table *table, struct trop_judge *judge,
                         const struct trop_case *c)
{
    for (; table; table = table->next) {
        const int64_t rows = trop_case_size(c, table->entry, 0);
        for (int64_t row = 0; row < rows && row < table->rows[TROP_CASE_FULL]; row++) {
            conclude_row(table, judge, c, row);
        }
    }
}

/* ---- the picture ---- */

static void draw_line(struct trop_panel *panel, const struct trop_table *table,
                      const struct trop_table_column *shown, const struct trop_case *c,
                      const double *published, int64_t rows)
{
    static const char legend[] = "ours, with 4 deviations";
    double x[TROP_TABLE_ROWS], y[TROP_TABLE_ROWS], error[TROP_TABLE_ROWS];
    const double factor = shown->factor != 0 ? shown->factor : 1;

    for (int64_t row = 0; row < table->rows[TROP_CASE_FULL]; row++) {
        x[row] = table->names ? (double)row : table->x[row];
    }
    for (int64_t row = 0; row < rows; row++) {
        struct trop_sample_summary s;
        trop_sample_summary(&s, c, table->entry, row, shown->column);
        y[row] = factor * s.mean;
        error[row] = 4 * factor * s.deviation / sqrt((double)s.runs);
    }
    if (table->names) {
        trop_panel_names_x(panel, table->names, rows);
    }
    trop_panel_errors(panel, x, y, error, rows, trop_figure_pen(0));
    trop_panel_line(panel, x, y, rows, trop_figure_pen(0), table->dots ? NULL : legend);
    if (table->dots) {
        trop_panel_dots(panel, x, y, rows, trop_figure_dot(0), legend);
    }
    trop_panel_dots(panel, x, published, table->rows[TROP_CASE_FULL],
                    (struct trop_dot){ .colour = TROP_COLOUR_BLACK, .mark = TROP_MARK_CROSS },
                    table->legend);
}

int trop_table_begins_as(const struct trop_table *a, const struct trop_table *b)
{
    if (!a || !b) {
        return a == b;
    }
    return a->one == b->one && a->settings == b->settings && a->rows_entry == b->rows_entry &&
           strcmp(a->entry, b->entry) == 0 && memcmp(a->runs, b->runs, sizeof a->runs) == 0 &&
           memcmp(a->rows, b->rows, sizeof a->rows) == 0 && trop_table_begins_as(a->next, b->next);
}

int64_t trop_table_panels(const struct trop_table *table)
{
    int64_t panels = 0;

    for (; table; table = table->next) {
        for (const struct trop_table_column *shown = table->shown; shown && shown->line; shown++) {
            panels += shown->label != NULL;
        }
    }
    return panels;
}

static void draw_panel(struct trop_panel *panel, const struct trop_table *table,
                       const struct trop_table_column *shown, const struct trop_case *c)
{
    const int64_t rows = trop_case_size(c, table->entry, 0) < TROP_TABLE_ROWS
                             ? trop_case_size(c, table->entry, 0)
                             : TROP_TABLE_ROWS;
    double published[TROP_TABLE_ROWS];

    for (int64_t row = 0; row < table->rows[TROP_CASE_FULL]; row++) {
        published[row] = published_of(shown, row).value;
    }
    trop_panel_x(panel, table->x_label ? table->x_label : "", table->x_scale);
    trop_panel_y(panel, shown->label, shown->scale);
    if (table->names && !table->dots) {
        trop_sample_bars(panel, c, table->entry, shown->column,
                         shown->factor != 0 ? shown->factor : 1, published, table->legend,
                         table->names, rows);
    } else {
        draw_line(panel, table, shown, c, published, rows);
    }
}

void trop_table_picture(const struct trop_table *table, struct trop_figure *figure,
                        const struct trop_case *c, const char *legend)
{
    int64_t at = 0;

    trop_figure_grid(figure, 1, trop_table_panels(table));
    for (; table; table = table->next) {
        struct trop_table told = *table;
        told.legend = table->legend ? table->legend : legend;
        for (const struct trop_table_column *shown = table->shown; shown->line; shown++) {
            if (shown->label) {
                draw_panel(trop_figure_panel(figure, 0, at++), &told, shown, c);
            }
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
