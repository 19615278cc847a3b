/* plot_study_series.c -- arrays of the points of a study over one another, such as the history of a
 * training over its steps: at each place the mean or the quantiles of the points that have one.
 */
#include "run/plot/plot_study.h"

#include "base/alloc.h"
#include "base/sort.h"
#include "base/status.h"
#include "run/study/catalogue/study_arrays.h"
#include "run/study/catalogue/study_catalogue.h"
#include "run/study/catalogue/study_moments.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PLACES 100000 /* of x, at most */

/* Numbers of a series, each with its place on x and, after that, the cell in which it is. */
struct entries {
    double *x, *value;
    int64_t *cell, *order;
    int64_t count;
};

struct series {
    struct trop_array x, of; /* (points, length), NaN behind the end of a row */
};

static enum trop_status no_memory(const struct trop_plot *plot)
{
    return trop_fail(TROP_ERR_MEMORY, "%s: no memory for a picture", plot->folder);
}

/* ---- what the arrays have ---- */

static int has(struct trop_h5 *arrays, const char *field)
{
    char name[256];

    return trop_study_arrays_has(name, arrays, field);
}

static enum trop_status read_array(struct trop_array *out, struct trop_h5 *arrays,
                                   const char *field)
{
    char name[256];

    trop_study_arrays_has(name, arrays, field);
    enum trop_status status = trop_h5_numbers(out, arrays, name);
    return status == TROP_OK && out->rank != 2
               ? trop_fail(TROP_ERR_ARG, "%s: a point has a table of it, and a series is one row",
                           field)
               : status;
}

/* One of the two is no array. */
static enum trop_status refuse_pair(struct trop_h5 *arrays, const struct trop_plot_options *o)
{
    const int length = (int)(strcspn(o->of, "./"));
    char beside[256];

    snprintf(beside, sizeof beside, "%.*s%c%.100s", length < 100 ? length : 100, o->of,
             o->of[length] ? o->of[length] : '/', o->x);
    if (has(arrays, o->x)) {
        return trop_fail(TROP_ERR_ARG,
                         "of = %s: is one value of a point, and %s an array at every point; give "
                         "an array, such as history/loss over history/step",
                         o->of, o->x);
    }
    return trop_fail(TROP_ERR_ARG, "x = %s: is not an array, and %s is one at every point; %s%s%s",
                     o->x, o->of,
                     has(arrays, beside) ? "did you mean " : "x must be another that keep names, ",
                     has(arrays, beside) ? beside : "such as history/step for history/loss",
                     has(arrays, beside) ? "?" : "");
}

static enum trop_status read_series(struct series *out, struct trop_h5 *arrays,
                                    const struct trop_plot *plot)
{
    const struct trop_plot_options *o = &plot->options;

    if (!has(arrays, o->x) || !has(arrays, o->of)) {
        return refuse_pair(arrays, o);
    }
    enum trop_status status = read_array(&out->x, arrays, o->x);
    return status == TROP_OK ? read_array(&out->of, arrays, o->of) : status;
}

/* ---- places and cells ---- */

static int by_x(const void *context, int64_t a, int64_t b)
{
    const struct entries *e = context;

    return e->x[a] < e->x[b] || (e->x[a] == e->x[b] && a < b);
}

static int by_cell(const void *context, int64_t a, int64_t b)
{
    const struct entries *e = context;

    return e->cell[a] != e->cell[b]     ? e->cell[a] < e->cell[b]
           : e->value[a] != e->value[b] ? e->value[a] < e->value[b]
                                        : a < b;
}

/* The numbers of the points that the table has; cell is the curve for now. */
static enum trop_status gather(struct entries *e, const struct trop_plot_study *s,
                               const struct trop_plot *plot, const struct series *series)
{
    const int64_t points = series->of.shape[0], rows = trop_study_table_rows(s->table);
    const int64_t length =
        series->of.shape[1] < series->x.shape[1] ? series->of.shape[1] : series->x.shape[1];
    const int64_t room = trop_alloc_product(rows, length);

    if (!TROP_ALLOC(TROP_PART(e->x, room), TROP_PART(e->value, room), TROP_PART(e->cell, room),
                    TROP_PART(e->order, room))) {
        return no_memory(plot);
    }
    for (int64_t row = 0; row < rows; row++) {
        const int64_t point = (int64_t)trop_plot_study_number(s->table, row, 0);
        const int64_t curve = s->y.name ? trop_plot_study_place(&s->y, s->table, row, 1) : 0;
        for (int64_t k = 0;
             point < points && point < series->x.shape[0] && curve >= 0 && k < length; k++) {
            const double x = series->x.data[point * series->x.shape[1] + k];
            const double value = series->of.data[point * series->of.shape[1] + k];
            if (isfinite(x) && !isnan(value)) {
                e->x[e->count] = x;
                e->value[e->count] = value;
                e->order[e->count] = e->count;
                e->cell[e->count++] = curve;
            }
        }
    }
    return TROP_OK;
}

/* The places of x in ascending order, and of every number its cell. */
static enum trop_status place_all(struct trop_plot_study *s, struct entries *e,
                                  const struct trop_plot *plot)
{
    int64_t places = 0;

    trop_sort(e->order, e->count, by_x, e);
    for (int64_t k = 0; k < e->count; k++) {
        places += k == 0 || e->x[e->order[k]] != e->x[e->order[k - 1]];
    }
    if (places > PLACES) {
        return trop_fail(TROP_ERR_ARG, "x = %s: has more than %d values", plot->options.x, PLACES);
    }
    s->x.values = trop_alloc(places, sizeof *s->x.values);
    if (!s->x.values) {
        return no_memory(plot);
    }
    for (int64_t k = 0; k < e->count; k++) {
        const int64_t at = e->order[k];
        if (k == 0 || e->x[at] != s->x.values[s->x.count - 1]) {
            s->x.values[s->x.count++] = e->x[at];
        }
        e->cell[at] = e->cell[at] * places + s->x.count - 1;
    }
    s->x.is_log = trop_plot_study_is_geometric(&s->x);
    trop_sort(e->order, e->count, by_cell, e);
    return TROP_OK;
}

/* The first of count sorted numbers that at least the share of them do not exceed. */
static double quantile(const struct entries *e, int64_t first, int64_t count, double share)
{
    int64_t k = 0;

    while ((double)(k + 1) < share * (double)count) {
        k++;
    }
    return e->value[e->order[first + k]];
}

static enum trop_status take_cells(struct trop_plot_study *s, const struct entries *e,
                                   const struct trop_plot *plot)
{
    const int64_t cells = s->x.count * s->y.count;
    const int is_quantiles =
        strcmp(plot->kind->name, "bands") == 0 && plot->options.band == TROP_PLOT_QUANTILES;

    enum trop_status status = trop_plot_study_make_cells(s, plot, is_quantiles);
    for (int64_t k = 0, next; status == TROP_OK && k < e->count; k = next) {
        const int64_t at = e->cell[e->order[k]];
        struct trop_study_moments moments = { 0 };
        for (next = k; next < e->count && e->cell[e->order[next]] == at; next++) {
            trop_study_moments_add(&moments, e->value[e->order[next]]);
        }
        if (at < cells) {
            s->mean[at] = trop_study_moments_mean(&moments);
            s->deviation[at] =
                trop_study_moments_deviation(&moments) / trop_plot_study_divisor(plot, next - k);
        }
        if (is_quantiles) {
            s->low[at] = quantile(e, k, next - k, .1);
            s->middle[at] = quantile(e, k, next - k, .5);
            s->high[at] = quantile(e, k, next - k, .9);
        }
    }
    return status;
}

/* ---- the whole ---- */

static enum trop_status take(struct trop_plot_study *s, struct trop_plot *plot, struct trop_h5 *h5)
{
    struct series series = { 0 };
    struct entries e = { 0 };
    enum trop_status status = read_series(&series, h5, plot);

    if (status == TROP_OK) {
        status = gather(&e, s, plot, &series);
    }
    if (status == TROP_OK && e.count == 0) {
        status = trop_fail(TROP_ERR_IO, "%s: there is nothing to draw: no point has %s",
                           plot->folder, plot->options.of);
    }
    if (status == TROP_OK) {
        status = place_all(s, &e, plot);
    }
    if (status == TROP_OK) {
        status = take_cells(s, &e, plot);
    }
    TROP_FREE(e.x, e.value, e.cell, e.order);
    trop_array_free(&series.x);
    trop_array_free(&series.of);
    return status;
}

enum trop_status trop_plot_study_series(int *is_one, struct trop_plot_study *out,
                                        struct trop_plot *plot)
{
    const struct trop_plot_options *o = &plot->options;
    struct trop_h5 *h5 = NULL;
    char by[300];

    snprintf(by, sizeof by, "point%s%.250s", o->y ? "," : "", o->y ? o->y : "");
    const struct trop_study_table_options question = { .by = by, .where = o->where };
    enum trop_status status = trop_study_table_refresh(plot->folder);
    if (status == TROP_OK) {
        status = trop_study_arrays_open(&h5, plot->folder);
    }
    *is_one = status == TROP_OK && (has(h5, o->of) || has(h5, o->x));
    if (status == TROP_OK && *is_one) {
        status = trop_study_table_create(&out->table, plot->folder, &question);
        out->x.name = o->x;
        out->y.count = 1;
        if (status == TROP_OK && o->y) {
            status = trop_plot_study_axis(&out->y, plot, out->table, 1, "y");
        }
        if (status == TROP_OK) {
            status = take(out, plot, h5);
        }
    }
    trop_h5_abandon(h5);
    return status;
}
