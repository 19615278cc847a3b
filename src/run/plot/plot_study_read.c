/* plot_study_read.c -- a table of a study as axes and cells.
 *
 * Quantiles come from the same kind of table: by x, y and the field itself it has the values of a
 * cell in ascending order, each with how many points have it.
 */
#include "run/plot/plot_study.h"

#include "base/alloc.h"
#include "base/math/log.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define VALUES 2000 /* of an axis, at most */

static enum trop_status no_memory(const struct trop_plot *plot)
{
    return trop_fail(TROP_ERR_MEMORY, "%s: no memory for a picture", plot->folder);
}

/* ---- axes ---- */

static struct trop_value cell(const struct trop_study_table *table, int64_t row, int64_t column)
{
    struct trop_value value = { .kind = TROP_KIND_NULL };

    trop_study_table_cell(&value, table, row, column);
    return value;
}

static double number(struct trop_value value)
{
    return value.kind == TROP_KIND_NUMBER    ? value.number
           : value.kind == TROP_KIND_INTEGER ? (double)value.integer
                                             : NAN;
}

/* How many values are below. */
static int64_t below(const struct trop_plot_axis *axis, double value)
{
    int64_t low = 0, high = axis->count;

    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (axis->values[middle] < value) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Which value of the axis it is; -1: none. */
static int64_t place(const struct trop_plot_axis *axis, struct trop_value value)
{
    if (value.kind != TROP_KIND_TEXT) {
        const int64_t k = below(axis, number(value));
        return k < axis->count && axis->values[k] == number(value) ? k : -1;
    }
    for (int64_t k = 0; axis->names && k < axis->count; k++) {
        if (strcmp(axis->names[k], value.text) == 0) {
            return k;
        }
    }
    return -1;
}

double trop_plot_study_number(const struct trop_study_table *table, int64_t row, int64_t column)
{
    return number(cell(table, row, column));
}

int64_t trop_plot_study_place(const struct trop_plot_axis *axis,
                              const struct trop_study_table *table, int64_t row, int64_t column)
{
    return place(axis, cell(table, row, column));
}

/* Texts in the order in which they come, numbers in ascending order. */
static void insert(struct trop_plot_axis *axis, struct trop_value value)
{
    const int64_t at = value.kind == TROP_KIND_TEXT ? axis->count : below(axis, number(value));

    memmove(axis->values + at + 1, axis->values + at,
            (size_t)(axis->count - at) * sizeof *axis->values);
    axis->values[at] = value.kind == TROP_KIND_TEXT ? (double)at : number(value);
    axis->names[axis->count] = value.text;
    axis->count++;
}

/* 1 when quotients of neighbours differ less than differences do, and little. */
int trop_plot_study_is_geometric(const struct trop_plot_axis *axis)
{
    double least[2] = { INFINITY, INFINITY }, most[2] = { 0, 0 };

    if (axis->names || axis->count < 3 || !(axis->values[0] > 0)) {
        return 0;
    }
    for (int64_t k = 1; k < axis->count; k++) {
        const double step[2] = { axis->values[k] - axis->values[k - 1],
                                 trop_log(axis->values[k] / axis->values[k - 1]) };
        for (int s = 0; s < 2; s++) {
            least[s] = fmin(least[s], step[s]);
            most[s] = fmax(most[s], step[s]);
        }
    }
    return most[1] <= 1.5 * least[1] && most[1] / least[1] < .99 * most[0] / least[0];
}

/* The distinct values of a column of the table. */
enum trop_status trop_plot_study_axis(struct trop_plot_axis *out, struct trop_plot *plot,
                                      const struct trop_study_table *table, int64_t column,
                                      const char *option)
{
    struct trop_plot_axis axis = { .name = trop_study_table_column(table, column) };
    int64_t texts = 0, numbers = 0;

    if (!TROP_ALLOC(TROP_PART(axis.values, VALUES), TROP_PART(axis.names, VALUES))) {
        return no_memory(plot);
    }
    *out = axis;
    for (int64_t row = 0; row < trop_study_table_rows(table); row++) {
        const struct trop_value value = cell(table, row, column);
        const int is_text = value.kind == TROP_KIND_TEXT;
        texts += is_text;
        numbers += !is_text && isfinite(number(value));
        if (texts > 0 && numbers > 0) {
            return trop_fail(TROP_ERR_ARG, "%s = %s: has numbers and texts", option, axis.name);
        }
        if ((!is_text && !isfinite(number(value))) || place(&axis, value) >= 0) {
            continue;
        }
        if (axis.count == VALUES) {
            return trop_fail(TROP_ERR_ARG,
                             "%s = %s: has more than %d values; choose an option "
                             "that has fewer, or fewer points with --where",
                             option, axis.name, VALUES);
        }
        insert(&axis, value);
    }
    if (texts == 0) {
        trop_alloc_free(axis.names);
        axis.names = NULL;
    }
    axis.is_log = trop_plot_study_is_geometric(&axis);
    *out = axis;
    return TROP_OK;
}

double *trop_plot_study_edges(const struct trop_plot_axis *axis)
{
    const int64_t n = axis->count;
    const double *v = axis->values;
    double *edges = trop_alloc(n + 1, sizeof *edges);

    for (int64_t k = 1; edges && k < n; k++) {
        edges[k] = axis->is_log ? sqrt(v[k - 1]) * sqrt(v[k]) : v[k - 1] / 2 + v[k] / 2;
    }
    if (edges && n == 1) {
        edges[0] = v[0] - .5;
        edges[1] = v[0] + .5;
    } else if (edges) {
        edges[0] = axis->is_log ? v[0] * (v[0] / edges[1]) : v[0] - (edges[1] - v[0]);
        edges[n] = axis->is_log ? v[n - 1] * (v[n - 1] / edges[n - 1])
                                : v[n - 1] + (v[n - 1] - edges[n - 1]);
    }
    return edges;
}

void trop_plot_study_legend(char out[96], const struct trop_plot_axis *axis, int64_t k)
{
    if (axis->names) {
        snprintf(out, 96, "%.80s", axis->names[k]);
    } else {
        char words[128];
        trop_plot_words_of(words, axis->name, (int64_t)strlen(axis->name));
        snprintf(out, 96, "%.60s = %.6g", words, axis->values[k]);
    }
}

void trop_plot_study_label(struct trop_panel *panel, const struct trop_plot_axis *axis, int is_y)
{
    const int64_t scale = axis->is_log ? TROP_SCALE_LOG : TROP_SCALE_LINEAR;

    char words[128];

    trop_plot_words_of(words, axis->name, (int64_t)strlen(axis->name));
    (is_y ? trop_panel_y : trop_panel_x)(panel, words, scale);
    if (axis->names) {
        (is_y ? trop_panel_names_y : trop_panel_names_x)(panel, axis->names, axis->count);
        return;
    }
    (is_y ? trop_panel_marks_y : trop_panel_marks_x)(panel, axis->values, axis->count);
}

/* ---- cells ---- */

enum trop_status trop_plot_study_make_cells(struct trop_plot_study *s, const struct trop_plot *plot,
                                            int has_quantiles)
{
    const int64_t cells = s->x.count * s->y.count, more = has_quantiles ? cells : 0;

    if (!TROP_ALLOC(TROP_PART(s->mean, cells), TROP_PART(s->deviation, cells)) ||
        (has_quantiles && !TROP_ALLOC(TROP_PART(s->low, cells), TROP_PART(s->middle, cells),
                                      TROP_PART(s->high, cells)))) {
        return no_memory(plot);
    }
    for (int64_t k = 0; k < cells; k++) {
        s->mean[k] = s->deviation[k] = NAN;
    }
    for (int64_t k = 0; k < more; k++) {
        s->low[k] = s->middle[k] = s->high[k] = NAN;
    }
    return TROP_OK;
}

/* Of the row: which cell; -1: none. */
static int64_t cell_of(const struct trop_plot_study *s, const struct trop_study_table *table,
                       int64_t row)
{
    const int64_t x = place(&s->x, cell(table, row, 0));
    const int64_t y = s->y.name ? place(&s->y, cell(table, row, 1)) : 0;

    return x < 0 || y < 0 ? -1 : y * s->x.count + x;
}

/* The first value of those from row on that at least the share of count points do not exceed. */
static double quantile(const struct trop_study_table *table, int64_t row, int64_t columns,
                       double count, double share)
{
    double seen = 0;

    for (;; row++) {
        seen += number(cell(table, row, columns));
        if (seen >= share * count) {
            return number(cell(table, row, columns - 1));
        }
    }
}

/* table: by x, y and the field; columns of by. */
static void take_quantiles(struct trop_plot_study *s, const struct trop_study_table *table,
                           int64_t columns)
{
    for (int64_t row = 0, next; row < trop_study_table_rows(table); row = next) {
        const int64_t at = cell_of(s, table, row);
        int64_t first = row;
        double count = 0;
        for (next = row; next < trop_study_table_rows(table) && cell_of(s, table, next) == at;
             next++) {
            const double value = number(cell(table, next, columns - 1));
            first += isnan(value) != 0; /* nulls come first */
            count += isnan(value) ? 0 : number(cell(table, next, columns));
        }
        if (at >= 0 && count > 0) {
            s->low[at] = quantile(table, first, columns, count, .1);
            s->middle[at] = quantile(table, first, columns, count, .5);
            s->high[at] = quantile(table, first, columns, count, .9);
        }
    }
}

/* Asks for a table; a sentence about by or mean names the option of the picture instead. */
static enum trop_status ask(struct trop_study_table **out, const struct trop_plot *plot,
                            const struct trop_study_table_options *question)
{
    const struct trop_plot_options *o = &plot->options;
    const enum trop_status status = trop_study_table_create(out, plot->folder, question);
    char sentence[1024];

    snprintf(sentence, sizeof sentence, "%s", status == TROP_OK ? "" : trop_error());
    const int is_mean = strncmp(sentence, "mean = ", 7) == 0;
    const char *behind = is_mean ? sentence + 7 : sentence + 5;
    if (!is_mean && strncmp(sentence, "by = ", 5) != 0) {
        return status;
    }
    const struct {
        const char *name, *column;
    } options[] = { { "x", o->x }, { "y", o->y }, { "of", o->of } };
    for (int k = is_mean ? 2 : 0; k < 3; k++) {
        const size_t length = options[k].column ? strlen(options[k].column) : 0;
        if (length > 0 && strncmp(behind, options[k].column, length) == 0 &&
            behind[length] == ':') {
            return trop_fail(status, "%s = %s", options[k].name, behind);
        }
    }
    return status;
}

static enum trop_status read_quantiles(struct trop_plot_study *s, struct trop_plot *plot)
{
    const struct trop_plot_options *o = &plot->options;
    struct trop_study_table *table = NULL;
    char by[800];

    snprintf(by, sizeof by, "%.250s%s%.250s,%.250s", o->x, o->y ? "," : "", o->y ? o->y : "",
             o->of);
    const struct trop_study_table_options question = { .by = by, .mean = o->of, .where = o->where };
    enum trop_status status = ask(&table, plot, &question);
    if (status == TROP_OK) {
        take_quantiles(s, table, o->y ? 3 : 2);
    }
    trop_study_table_free(table);
    return status;
}

double trop_plot_study_divisor(const struct trop_plot *plot, int64_t points)
{
    const int is_error =
        strcmp(plot->kind->name, "bands") == 0 && plot->options.band == TROP_PLOT_ERROR;

    return is_error ? sqrt((double)points) : 1;
}

static enum trop_status fill(struct trop_plot_study *s, struct trop_plot *plot, int has_quantiles)
{
    const int64_t by = plot->options.y ? 2 : 1;
    enum trop_status status = trop_plot_study_axis(&s->x, plot, s->table, 0, "x");

    if (status == TROP_OK && plot->options.y) {
        status = trop_plot_study_axis(&s->y, plot, s->table, 1, "y");
    } else {
        s->y.count = 1;
    }
    if (status == TROP_OK) {
        status = trop_plot_study_make_cells(s, plot, has_quantiles);
    }
    int64_t known = 0;
    for (int64_t row = 0; status == TROP_OK && row < trop_study_table_rows(s->table); row++) {
        const int64_t at = cell_of(s, s->table, row);
        if (at >= 0) { /* behind by and count */
            s->mean[at] = number(cell(s->table, row, by + 1));
            s->deviation[at] =
                number(cell(s->table, row, by + 2)) /
                trop_plot_study_divisor(plot, (int64_t)number(cell(s->table, row, by)));
            known += isfinite(s->mean[at]);
        }
    }
    if (status == TROP_OK && known == 0) {
        status = trop_fail(TROP_ERR_IO, "%s: there is nothing to draw: no point has %s",
                           plot->folder, plot->options.of);
    }
    return status;
}

static enum trop_status check_names(const struct trop_plot *plot, int needs_x)
{
    const struct trop_plot_options *o = &plot->options;
    const char *names[] = { o->x, o->y, o->of };

    if ((needs_x && !o->x) || !o->of) {
        return trop_fail(TROP_ERR_ARG, "kind = %s: of a study needs %s", plot->kind->name,
                         needs_x ? "--x and --of, such as --x epsilon --of clusters"
                                 : "--of, such as --of clusters");
    }
    for (int k = 0; k < 3; k++) {
        if (names[k] && (strchr(names[k], ',') || strlen(names[k]) > 200)) {
            return trop_fail(TROP_ERR_ARG, "kind = %s: x, y and of are one name each",
                             plot->kind->name);
        }
    }
    return TROP_OK;
}

enum trop_status trop_plot_study_values(struct trop_plot_study *out, struct trop_plot *plot)
{
    const struct trop_plot_options *o = &plot->options;
    struct trop_plot_study s = { .y.count = 1 };
    char by[800];
    enum trop_status status = check_names(plot, 0);

    if (status != TROP_OK) {
        return status;
    }
    snprintf(by, sizeof by, "%.250s%s%.250s", o->y ? o->y : "", o->y ? "," : "", o->of);
    const struct trop_study_table_options question = { .by = by, .mean = o->of, .where = o->where };
    status = ask(&s.table, plot, &question);
    if (status == TROP_OK && o->y) {
        status = trop_plot_study_axis(&s.y, plot, s.table, 0, "y");
    }
    if (status != TROP_OK) {
        trop_plot_study_free(&s);
        return status;
    }
    *out = s;
    return TROP_OK;
}

int64_t trop_plot_study_value(double *value, double *points, const struct trop_plot_study *study,
                              int64_t row)
{
    const int64_t column = study->y.name ? 1 : 0;

    *value = number(cell(study->table, row, column));
    *points = number(cell(study->table, row, column + 1));
    return study->y.name ? place(&study->y, cell(study->table, row, 0)) : 0;
}

enum trop_status trop_plot_study_read(struct trop_plot_study *out, struct trop_plot *plot)
{
    const struct trop_plot_options *o = &plot->options;
    const int has_quantiles =
        strcmp(plot->kind->name, "bands") == 0 && o->band == TROP_PLOT_QUANTILES;
    struct trop_plot_study s = { 0 };
    char by[800];
    int is_series = 0;
    enum trop_status status = check_names(plot, 1);

    if (status != TROP_OK) {
        return status;
    }
    snprintf(by, sizeof by, "%.250s%s%.250s", o->x, o->y ? "," : "", o->y ? o->y : "");
    const struct trop_study_table_options question = {
        .by = by, .mean = o->of, .deviation = 1, .where = o->where
    };
    status = trop_plot_study_series(&is_series, &s, plot);
    if (status == TROP_OK && !is_series) {
        status = ask(&s.table, plot, &question);
    }
    if (status == TROP_OK && !is_series) {
        status = fill(&s, plot, has_quantiles);
    }
    if (status == TROP_OK && !is_series && has_quantiles) {
        status = read_quantiles(&s, plot);
    }
    if (status == TROP_OK) {
        status = trop_plot_study_pool(&s, plot);
    }
    if (status != TROP_OK) {
        trop_plot_study_free(&s);
        return status;
    }
    *out = s;
    return TROP_OK;
}

void trop_plot_study_free(struct trop_plot_study *study)
{
    TROP_FREE(study->x.values, study->x.names, study->y.values, study->y.names, study->mean,
              study->deviation, study->low, study->middle, study->high);
    trop_study_table_free(study->table);
    *study = (struct trop_plot_study){ 0 };
}
