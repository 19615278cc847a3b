/* case_work.c -- what the library computes for a case: options by text, results as entries. */
#include "claim/case_work.h"

#include "base/status.h"
#include "claim/examples.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define STEPS_MOST 1000000 /* of a flow whose every step is kept */

/* ---- options ---- */

/* Entry "a b c" as "1,2,3", each number so that it reads back to the same bits. */
static const char *list_text(const struct trop_case *c, const char *entry)
{
    const struct trop_view v = trop_case_view(c, entry);
    const int64_t count = v.rows * v.columns * v.depth, room = 26 * count + 1;
    char *out = (char *)trop_case_scratch(c, room / 8 + 1);
    int64_t used = 0;

    for (int64_t k = 0; k < count; k++) {
        used += snprintf(out + used, (size_t)(room - used), "%s%.17g", k > 0 ? "," : "", v.at[k]);
    }
    return out;
}

static void set_entry(const struct trop_case *c, void *options, const struct trop_option *table,
                      const char *name, const char *entry)
{
    const struct trop_option *option = trop_option_find(table, name);
    const struct trop_view v = trop_case_view(c, entry);

    if (!option) {
        trop_case_refuse(c, "%s: is not an option", name);
    }
    void *member = (char *)options + option->offset;
    if (!v.at) {
        return;
    }
    if (option->type == TROP_TYPE_MATRIX && trop_case_size(c, entry, 0) > 0) {
        *(struct trop_matrix *)member = (struct trop_matrix){ .scale = NAN, .values = v.at };
    } else if (option->type == TROP_TYPE_ARRAY) {
        *(const double **)member = v.at;
    } else if (option->type == TROP_TYPE_SCHEDULE && trop_case_size(c, entry, 0) > 0) {
        *(struct trop_schedule *)member =
            (struct trop_schedule){ .kind = TROP_SCHEDULE_VALUES, .values = v.at, .count = v.rows };
    } else {
        trop_case_try(c, trop_option_set(options, table, name, list_text(c, entry)));
    }
}

static void set_all(const struct trop_case *c, void *options, const struct trop_option *table,
                    const char *format, va_list arguments)
{
    char text[1024];
    const int length = vsnprintf(text, sizeof text, format, arguments);

    if (length >= (int)sizeof text) {
        trop_case_refuse(c, "options: too long");
    }
    /* Texts of options are not copied, so that the words stay with the part. */
    char *at = (char *)trop_case_scratch(c, length / 8 + 1);
    memcpy(at, text, (size_t)length + 1);
    for (char *word = strtok_r(at, " \n", &at); word; word = strtok_r(NULL, " \n", &at)) {
        char *value = strchr(word, '=');
        if (!value) {
            trop_case_refuse(c, "options: %s is no NAME=TEXT", word);
        }
        *value++ = '\0';
        if (*value == '@') {
            set_entry(c, options, table, word, value + 1);
        } else {
            trop_case_try(c, trop_option_set(options, table, word, value));
        }
    }
}

void trop_case_options(const struct trop_case *c, void *options, const struct trop_option *table,
                       const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    set_all(c, options, table, format, arguments);
    va_end(arguments);
}

/* ---- results ---- */

static double outcome_of(const char *text)
{
    static const char *const names[] = { "solved", "infeasible", "stalled", "iteration-limit" };

    for (int64_t k = 0; k < 4; k++) {
        if (strcmp(text, names[k]) == 0) {
            return (double)k;
        }
    }
    return TROP_OUTCOME_NONE;
}

static double number_of(const struct trop_value *value)
{
    return value->kind == TROP_KIND_NUMBER ? value->number
           : value->kind == TROP_KIND_INTEGER || value->kind == TROP_KIND_BOOLEAN
               ? (double)value->integer
           : value->kind == TROP_KIND_TEXT ? outcome_of(value->text)
                                           : (double)NAN;
}

static void copy_numbers(double *out, const struct trop_value *value, int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        out[k] = value->kind == TROP_KIND_NUMBERS ? value->numbers[k] : (double)value->integers[k];
    }
}

void trop_case_take(struct trop_case *c, const char *entry, const struct trop_field *table,
                    const void *handle, const char *field)
{
    struct trop_value value = { 0 };

    trop_case_try(c, trop_field_value(&value, table, handle, field));
    if (value.kind != TROP_KIND_NUMBERS && value.kind != TROP_KIND_INTEGERS) {
        trop_case_try(c, trop_case_put(c, entry, number_of(&value)));
        return;
    }
    const int64_t b = value.rank > 1 ? value.shape[1] : 0, k = value.rank > 2 ? value.shape[2] : 0;
    double *out = trop_case_zeros(c, entry, value.shape[0], b, k);
    copy_numbers(out, &value, value.shape[0] * (b ? b : 1) * (k ? k : 1));
}

double trop_case_told(const struct trop_case *c, const struct trop_field *table, const void *handle,
                      const char *field)
{
    struct trop_value value = { 0 };

    trop_case_try(c, trop_field_value(&value, table, handle, field));
    return number_of(&value);
}

double trop_case_told_cell(const struct trop_case *c, const struct trop_field *table,
                           const void *handle, const char *list, const char *column, int64_t row)
{
    struct trop_value value = { 0 };

    trop_case_try(c, trop_field_cell(&value, table, handle, list, column, row));
    return number_of(&value);
}

static void take_column(struct trop_case *c, const struct trop_field *table, const void *handle,
                        const char *list, const char *column, const char *entry, int64_t rows)
{
    struct trop_value value = { 0 };

    trop_case_try(c, trop_field_cell(&value, table, handle, list, column, 0));
    const int64_t kind = value.kind;
    const int is_array = kind == TROP_KIND_NUMBERS || kind == TROP_KIND_INTEGERS;
    const int64_t size = is_array ? value.shape[0] : 1;
    double *out = trop_case_zeros(c, entry, rows, is_array ? size : 0, 0);
    for (int64_t row = 0; row < rows; row++) {
        trop_case_try(c, trop_field_cell(&value, table, handle, list, column, row));
        if (is_array && value.kind == kind && value.shape[0] == size) {
            copy_numbers(out + row * size, &value, size);
        } else {
            out[row * size] = number_of(&value);
        }
    }
}

void trop_case_take_list(struct trop_case *c, const struct trop_field *table, const void *handle,
                         const char *list, const char *columns)
{
    struct trop_value value = { 0 };
    char words[256], *at = words;

    snprintf(words, sizeof words, "%s", columns);
    trop_case_try(c, trop_field_value(&value, table, handle, list));
    for (char *word = strtok_r(words, " ", &at); word; word = strtok_r(NULL, " ", &at)) {
        char *entry = strchr(word, '=');
        if (entry) {
            *entry++ = '\0';
        }
        take_column(c, table, handle, list, word, entry ? entry : word, value.shape[0]);
    }
}

void trop_case_reshape(struct trop_case *c, const char *entry, int64_t a, int64_t b, int64_t k)
{
    const struct trop_view v = trop_case_view(c, entry);
    double *kept = trop_case_scratch(c, v.rows * v.columns * v.depth);

    if (a * (b > 0 ? b : 1) * (k > 0 ? k : 1) > v.rows * v.columns * v.depth) {
        trop_case_refuse(c, "%s: has fewer numbers than its other shape", entry);
    }
    memcpy(kept, v.at, (size_t)(v.rows * v.columns * v.depth) * sizeof *kept);
    trop_case_copy_in(c, entry, kept, a, b, k);
}

/* ---- flows ---- */

/* The tokens of the case, where it has them. */
static void set_cloud(struct trop_cloud_options *cloud, const struct trop_case *c)
{
    const struct trop_view x = trop_case_view(c, "tokens");

    if (x.at) {
        cloud->n = x.rows;
        cloud->d = x.columns;
        cloud->tokens = x.at;
    }
}

static void free_flow(void *flow)
{
    trop_flow_free(flow);
}

static struct trop_flow *make_flow(const struct trop_case *c, struct trop_flow_options *o)
{
    struct trop_flow *flow = NULL;

    set_cloud(&o->cloud, c);
    o->threads = c->threads;
    trop_case_try(c, trop_flow_create(&flow, o));
    trop_case_keep(c, flow, free_flow);
    return flow;
}

struct trop_flow *trop_case_flow(const struct trop_case *c, const char *format, ...)
{
    struct trop_flow_options o = trop_flow_options_default();
    va_list arguments;

    va_start(arguments, format);
    set_all(c, &o, trop_flow_option_table(), format, arguments);
    va_end(arguments);
    return make_flow(c, &o);
}

void trop_case_path(struct trop_case *c, const char *entry, int64_t steps, const char *format, ...)
{
    struct trop_flow_options o = trop_flow_options_default();
    const struct trop_view x = trop_case_view(c, "tokens");
    const int64_t size = x.rows * x.columns;
    va_list arguments;

    if (!x.at || steps < 0 || steps > STEPS_MOST) {
        trop_case_refuse(c, "steps = %lld: must be from 0 to %d, of tokens that are there",
                         (long long)steps, STEPS_MOST);
    }
    o.closed_form = TROP_CLOSED_FORM_NEVER;
    trop_case_try(c, trop_option_set(&o, trop_flow_option_table(), "steps", "inf"));
    va_start(arguments, format);
    set_all(c, &o, trop_flow_option_table(), format, arguments);
    va_end(arguments);
    struct trop_flow *flow = make_flow(c, &o);
    double *out = trop_case_zeros(c, entry, steps + 1, x.rows, x.columns);
    for (int64_t t = 0; t <= steps; t++) {
        trop_case_try(c, t > 0 ? trop_flow_step(flow, 1) : TROP_OK);
        memcpy(out + t * size, trop_flow_tokens(flow), (size_t)size * sizeof *out);
    }
}

/* ---- exits ---- */

static void free_escape(void *escape)
{
    trop_escape_free(escape);
}

struct trop_escape *trop_case_escape(const struct trop_case *c, const char *format, ...)
{
    struct trop_escape_options o = trop_escape_options_default();
    struct trop_escape *escape = NULL;
    va_list arguments;

    va_start(arguments, format);
    set_all(c, &o, trop_escape_option_table(), format, arguments);
    va_end(arguments);
    set_cloud(&o.cloud, c);
    o.threads = c->threads;
    trop_case_try(c, trop_escape_create(&escape, &o));
    trop_case_keep(c, escape, free_escape);
    trop_case_try(c, trop_escape_run(escape, NULL, NULL));
    return escape;
}

/* ---- hulls and cells ---- */

static void free_cells(void *cells)
{
    trop_cells_free(cells);
}

struct trop_cells *trop_case_cells(const struct trop_case *c, struct trop_view points,
                                   const char *queries, const char *format, ...)
{
    const struct trop_view query = queries ? trop_case_view(c, queries) : (struct trop_view){ 0 };
    struct trop_cells_options o = trop_cells_options_default();
    struct trop_cells *cells = NULL;
    va_list arguments;

    va_start(arguments, format);
    set_all(c, &o, trop_cells_option_table(), format, arguments);
    va_end(arguments);
    o.cloud.n = points.rows;
    o.cloud.d = points.columns;
    o.cloud.tokens = points.at;
    o.query = query.at;
    o.queries = query.rows;
    o.threads = c->threads;
    trop_case_try(c, trop_cells_create(&cells, &o));
    trop_case_keep(c, cells, free_cells);
    return cells;
}

static void free_hull(void *hull)
{
    trop_hull_free(hull);
}

struct trop_hull *trop_case_hull(const struct trop_case *c, const double *points, int64_t n,
                                 int64_t d)
{
    struct trop_hull *hull = NULL;

    trop_case_try(c, trop_hull_create(&hull, points, n, d, 1));
    trop_case_keep(c, hull, free_hull);
    return hull;
}

struct trop_hull_position trop_case_place(const struct trop_case *c, struct trop_hull *hull,
                                          const double *point)
{
    struct trop_hull_position place;

    trop_case_try(c, trop_hull_place(&place, NULL, NULL, NULL, hull, point));
    return place;
}

/* ---- training data ---- */

static void free_margin(void *margin)
{
    trop_margin_free(margin);
}

static void free_train(void *train)
{
    trop_train_free(train);
}

static void free_path(void *path)
{
    trop_path_free(path);
}

/* A run that was stopped at its iteration limit has results that hold. */
static void try_or_stopped(const struct trop_case *c, enum trop_status status)
{
    trop_case_try(c, status == TROP_ERR_STOPPED ? TROP_OK : status);
}

struct trop_margin *trop_case_margin(const struct trop_case *c,
                                     const struct trop_margin_options *options)
{
    struct trop_margin_options o = *options;
    struct trop_margin *margin = NULL;

    o.threads = c->threads;
    trop_case_try(c, trop_margin_create(&margin, &o));
    trop_case_keep(c, margin, free_margin);
    try_or_stopped(c, trop_margin_run(margin, NULL, NULL));
    return margin;
}

struct trop_margin *trop_case_solve(struct trop_case *c, const char *entry, const char *fields,
                                    const char *format, ...)
{
    struct trop_margin_options o = trop_margin_options_default();
    struct trop_data data;
    char words[256], name[64], *at = words;
    va_list arguments;

    va_start(arguments, format);
    set_all(c, &o, trop_margin_option_table(), format, arguments);
    va_end(arguments);
    trop_examples_data(&data, c);
    o.data = &data;
    struct trop_margin *margin = trop_case_margin(c, &o);
    const struct trop_problem *problem = trop_margin_problem(margin);
    trop_case_copy_in(c, entry, trop_margin_weights(margin), problem->rows,
                      problem->columns > 1 ? problem->columns : 0, 0);
    snprintf(words, sizeof words, "%s", fields);
    for (char *word = strtok_r(words, " ", &at); word; word = strtok_r(NULL, " ", &at)) {
        char *field = strchr(word, '=');
        if (field) {
            *field++ = '\0';
        }
        snprintf(name, sizeof name, "%s_%s", entry, word);
        trop_case_take(c, name, trop_margin_field_table(), margin, field ? field : word);
    }
    return margin;
}

struct trop_train *trop_case_train(const struct trop_case *c, const char *format, ...)
{
    struct trop_train_options o = trop_train_options_default();
    struct trop_train *train = NULL;
    struct trop_data data;
    va_list arguments;

    o.compare = TROP_TRAIN_COMPARE_NONE;
    va_start(arguments, format);
    set_all(c, &o, trop_train_option_table(), format, arguments);
    va_end(arguments);
    o.start = o.start_weights ? TROP_TRAIN_GIVEN : o.start;
    trop_examples_data(&data, c);
    o.data = &data;
    o.threads = c->threads;
    trop_case_try(c, trop_train_create(&train, &o));
    trop_case_keep(c, train, free_train);
    trop_case_try(c, trop_train_run(train, c->progress, c->context));
    return train;
}

void trop_case_records(struct trop_case *c, const struct trop_train *train, const char *columns)
{
    trop_case_take_list(c, trop_train_field_table(), train, "history", columns);
}

int64_t trop_case_row(const struct trop_case *c, const char *steps, int64_t step)
{
    const struct trop_view v = trop_case_view(c, steps);

    for (int64_t row = 0; row < v.rows; row++) {
        if ((int64_t)v.at[row] == step) {
            return row;
        }
    }
    return -1;
}

struct trop_path *trop_case_radii(struct trop_case *c, const char *columns, const char *format, ...)
{
    struct trop_path_options o = trop_path_options_default();
    struct trop_path *path = NULL;
    struct trop_data data;
    va_list arguments;

    va_start(arguments, format);
    set_all(c, &o, trop_path_option_table(), format, arguments);
    va_end(arguments);
    trop_examples_data(&data, c);
    o.data = &data;
    o.threads = c->threads;
    trop_case_try(c, trop_path_create(&path, &o));
    trop_case_keep(c, path, free_path);
    try_or_stopped(c, trop_path_run(path, NULL, NULL));
    trop_case_take_list(c, trop_path_field_table(), path, "radii", columns);
    return path;
}
