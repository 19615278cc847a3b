/* plot_study.c -- pictures of studies: what points have, over one or two of the options that vary.
 *
 * Points that differ in other options are taken together: a cell or a place of a curve is their
 * mean. An axis whose values are geometric is logarithmic.
 */
#include "run/plot/plot_study.h"

#include "base/alloc.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SINGLE 40000 /* cells that are drawn one by one, at most */
#define CURVES 16    /* in a picture */
#define BINS 30
#define UNDER .05 /* of the next cell */

/* ---- heat ---- */

/* 1 when one image shows the axis: its cells are equally wide. */
static int is_even(const struct trop_plot_axis *axis)
{
    const double *v = axis->values;
    const double step =
        axis->count > 1 ? (v[axis->count - 1] - v[0]) / (double)(axis->count - 1) : 1;

    for (int64_t k = 1; k < axis->count; k++) {
        if (axis->is_log || fabs(v[k] - v[k - 1] - step) > 1e-6 * step) {
            return 0;
        }
    }
    return 1;
}

/* One cell, a little under the next ones, which are drawn later: edges that only touch let light
 * through. Nothing under a neighbour that is not there, nor at the corner of one. */
static void draw_cell(struct trop_panel *panel, const struct trop_plot_study *s, int64_t at,
                      const double *x, const double *y, const double range[2], const char *label)
{
    const int64_t columns = s->x.count;
    const double *value = s->mean + at;
    const int has_right = at % columns + 1 < columns && !isnan(value[1]);
    const int has_up = at / columns + 1 < s->y.count && !isnan(value[columns]);
    const double right = x[1] + (has_right ? UNDER * (x[2] - x[1]) : 0);
    const double up = y[1] + (has_up ? UNDER * (y[2] - y[1]) : 0);

    if (has_right && has_up && isnan(value[columns + 1])) {
        trop_panel_image(panel, value, 1, 1, x[0], right, y[0], y[1], range[0], range[1], label);
        trop_panel_image(panel, value, 1, 1, x[0], x[1], y[0], up, range[0], range[1], NULL);
        return;
    }
    trop_panel_image(panel, value, 1, 1, x[0], right, y[0], up, range[0], range[1], label);
}

static void draw_cells(struct trop_panel *panel, const struct trop_plot_study *s, const double *x,
                       const double *y, const double range[2], const char *label)
{
    const int64_t columns = s->x.count, rows = s->y.count;

    if (is_even(&s->x) && is_even(&s->y)) {
        trop_panel_image(panel, s->mean, rows, columns, x[0], x[columns], y[0], y[rows], range[0],
                         range[1], label);
        return;
    }
    for (int64_t k = 0; k < rows * columns; k++) {
        draw_cell(panel, s, k, x + k % columns, y + k / columns, range, k == 0 ? label : NULL);
    }
}

static enum trop_status draw_heat(struct trop_panel *panel, const struct trop_plot_study *s,
                                  const char *of)
{
    double range[2] = { INFINITY, -INFINITY };
    double *x = trop_plot_study_edges(&s->x), *y = trop_plot_study_edges(&s->y);
    char label[220];

    for (int64_t k = 0; k < s->x.count * s->y.count; k++) {
        if (isfinite(s->mean[k])) {
            range[0] = fmin(range[0], s->mean[k]);
            range[1] = fmax(range[1], s->mean[k]);
        }
    }
    char words[128];
    trop_plot_words_of(words, of, (int64_t)strlen(of));
    snprintf(label, sizeof label, "mean of %.70s%s", words, s->pooled);
    if (x && y) {
        draw_cells(panel, s, x, y, range, label);
        trop_panel_range_x(panel, x[0], x[s->x.count]);
        trop_panel_range_y(panel, y[0], y[s->y.count]);
    }
    const enum trop_status status =
        x && y ? TROP_OK : trop_fail(TROP_ERR_MEMORY, "no memory for a picture");
    TROP_FREE(x, y);
    return status;
}

enum trop_status trop_plot_study_heat(struct trop_figure *figure, struct trop_plot *plot)
{
    struct trop_panel *panel = trop_figure_panel(figure, 0, 0);
    struct trop_plot_study s = { 0 };

    if (!plot->options.y) {
        return trop_fail(TROP_ERR_ARG, "kind = heat: of a study needs --x, --y and --of, such as "
                                       "--x epsilon --y alpha --of clusters");
    }
    enum trop_status status = trop_plot_study_read(&s, plot);
    if (status == TROP_OK && s.x.count * s.y.count > SINGLE && !(is_even(&s.x) && is_even(&s.y))) {
        status = trop_fail(TROP_ERR_ARG,
                           "kind = heat: %lld x %lld cells that are not equally wide "
                           "are too many",
                           (long long)s.x.count, (long long)s.y.count);
    }
    if (status == TROP_OK) {
        status = draw_heat(panel, &s, plot->options.of);
        trop_plot_study_label(panel, &s.x, 0);
        trop_plot_study_label(panel, &s.y, 1);
    }
    trop_plot_study_free(&s);
    return status;
}

/* ---- curves and bands ---- */

static enum trop_status check_curves(const struct trop_plot_axis *y)
{
    return y->count <= CURVES ? TROP_OK
                              : trop_fail(TROP_ERR_ARG,
                                          "y = %s: has %lld values; %d curves are drawn at most "
                                          "(--where takes some of the points)",
                                          y->name, (long long)y->count, CURVES);
}

/* One stretch of a band for each run of places that have one. */
static enum trop_status draw_band(struct trop_panel *panel, const double *x, const double *low,
                                  const double *high, int64_t count, int64_t k)
{
    double *px = trop_alloc(2 * count, sizeof *px), *py = trop_alloc(2 * count, sizeof *py);

    for (int64_t first = 0, next; px && py && first < count; first = next + 1) {
        for (next = first; next < count && isfinite(low[next] + high[next]); next++) {
            px[next - first] = x[next];
            py[next - first] = low[next];
        }
        const int64_t places = next - first;
        for (int64_t i = 0; i < places; i++) {
            px[places + i] = x[next - 1 - i];
            py[places + i] = high[next - 1 - i];
        }
        if (places > 1) {
            trop_panel_polygon(panel, px, py, 2 * places, k, .75,
                               (struct trop_pen){ .colour = TROP_COLOUR_NONE }, NULL);
        }
    }
    const enum trop_status status =
        px && py ? TROP_OK : trop_fail(TROP_ERR_MEMORY, "no memory for a band");
    TROP_FREE(px, py);
    return status;
}

static enum trop_status draw_curve(struct trop_panel *panel, const struct trop_plot_study *s,
                                   int64_t k)
{
    const int64_t at = k * s->x.count;
    char legend[96] = "";

    if (s->y.name) {
        trop_plot_study_legend(legend, &s->y, k);
    }
    struct trop_pen pen = trop_figure_pen(k);
    struct trop_dot dot = trop_figure_dot(k);
    pen.width = 1.3;
    dot.size = 4;
    trop_panel_line(panel, s->x.values, (s->middle ? s->middle : s->mean) + at, s->x.count, pen,
                    s->y.name ? legend : NULL);
    if (s->x.count <= 40) {
        trop_panel_dots(panel, s->x.values, (s->middle ? s->middle : s->mean) + at, s->x.count, dot,
                        NULL);
    }
    return TROP_OK;
}

/* What the bands reach from and to. */
static enum trop_status draw_bands(struct trop_panel *panel, struct trop_plot_study *s)
{
    enum trop_status status = TROP_OK;

    for (int64_t k = 0; k < s->y.count && status == TROP_OK; k++) {
        const int64_t at = k * s->x.count;
        double *low = trop_alloc(s->x.count, sizeof *low);
        double *high = trop_alloc(s->x.count, sizeof *high);
        for (int64_t i = 0; low && high && i < s->x.count; i++) {
            low[i] = s->low ? s->low[at + i] : s->mean[at + i] - s->deviation[at + i];
            high[i] = s->low ? s->high[at + i] : s->mean[at + i] + s->deviation[at + i];
        }
        status = low && high ? draw_band(panel, s->x.values, low, high, s->x.count, k)
                             : trop_fail(TROP_ERR_MEMORY, "no memory for a band");
        TROP_FREE(low, high);
    }
    return status;
}

/* A deviation below a mean of positive numbers may end below 0, a quantile does not. */
static enum trop_status check_log(const struct trop_plot_study *s,
                                  const struct trop_plot_options *o)
{
    double least = INFINITY, mean = INFINITY;

    for (int64_t k = 0; k < s->x.count * s->y.count && !s->low; k++) {
        least = fmin(least, s->mean[k] - s->deviation[k]);
        mean = fmin(mean, s->mean[k]);
    }
    return (o->log == TROP_PLOT_LOG_Y || o->log == TROP_PLOT_LOG_XY) && least <= 0 && mean > 0
               ? trop_fail(TROP_ERR_ARG,
                           "log = %s: a mean minus its deviation is %.6g, which a logarithmic axis "
                           "has no place for; --band quantiles has numbers of points alone",
                           o->log == TROP_PLOT_LOG_Y ? "y" : "xy", least)
               : TROP_OK;
}

enum trop_status trop_plot_study_curves(struct trop_figure *figure, struct trop_plot *plot)
{
    const int is_band = strcmp(plot->kind->name, "bands") == 0;
    struct trop_panel *panel = trop_figure_panel(figure, 0, 0);
    struct trop_plot_study s = { 0 };
    char label[300];
    enum trop_status status = trop_plot_study_read(&s, plot);

    if (status == TROP_OK) {
        status = check_curves(&s.y);
    }
    if (status == TROP_OK && is_band) {
        status = check_log(&s, &plot->options);
    }
    if (status == TROP_OK && is_band) {
        status = draw_bands(panel, &s);
    }
    for (int64_t k = 0; k < s.y.count && status == TROP_OK; k++) {
        status = draw_curve(panel, &s, k);
    }
    if (status == TROP_OK) {
        char words[128];
        trop_plot_words_of(words, plot->options.of, (int64_t)strlen(plot->options.of));
        snprintf(label, sizeof label, "%s of %.100s%s%s", s.low ? "median" : "mean", words,
                 !is_band                                ? ""
                 : s.low                                 ? ", 10 % to 90 %"
                 : plot->options.band == TROP_PLOT_ERROR ? " ± standard error"
                                                         : " ± deviation",
                 s.pooled);
        trop_plot_study_label(panel, &s.x, 0);
        trop_panel_y(panel, label, TROP_SCALE_LINEAR);
    }
    trop_plot_study_free(&s);
    return status;
}

/* ---- histogram ---- */

struct bins {
    double first, width;
    int64_t count;
};

/* Of few whole numbers one each, otherwise BINS of one width. count 0: there is no value. */
static struct bins bins_of(const struct trop_plot_study *s)
{
    double least = INFINITY, most = -INFINITY;
    int whole = 1;

    for (int64_t row = 0; row < trop_study_table_rows(s->table); row++) {
        double value, points;
        const int64_t k = trop_plot_study_value(&value, &points, s, row);
        if (k >= 0 && isfinite(value)) {
            least = fmin(least, value);
            most = fmax(most, value);
            whole &= value == floor(value);
        }
    }
    if (!(least <= most)) {
        return (struct bins){ 0 };
    }
    if (whole && most - least <= 2 * BINS) {
        return (struct bins){ least - .5, 1, (int64_t)(most - least) + 1 };
    }
    return most > least ? (struct bins){ least, (most - least) / BINS, BINS }
                        : (struct bins){ least - .5, 1, 1 };
}

/* Shares of the points of one curve, as stairs and what is under them. */
static void draw_shares(struct trop_panel *panel, const double *shares, struct bins bins, int64_t k,
                        const char *legend)
{
    double x[2 * (2 * BINS + 1) + 4], y[2 * (2 * BINS + 1) + 4];
    int64_t count = 0;

    x[count] = bins.first;
    y[count++] = 0;
    for (int64_t b = 0; b < bins.count; b++) {
        for (int end = 0; end < 2; end++) {
            x[count] = bins.first + (double)(b + end) * bins.width;
            y[count++] = shares[b];
        }
    }
    x[count] = bins.first + (double)bins.count * bins.width;
    y[count++] = 0;
    struct trop_pen pen = trop_figure_pen(k);
    pen.width = 1.3;
    trop_panel_polygon(panel, x, y, count, k, .8, (struct trop_pen){ .colour = TROP_COLOUR_NONE },
                       NULL);
    trop_panel_line(panel, x, y, count, pen, legend);
}

static void draw_histogram(struct trop_panel *panel, const struct trop_plot_study *s,
                           struct bins bins)
{
    for (int64_t k = 0; k < s->y.count; k++) {
        double total = 0, shares[2 * BINS + 1] = { 0 };
        char legend[96] = "";
        for (int64_t row = 0; row < trop_study_table_rows(s->table); row++) {
            double value, points;
            if (trop_plot_study_value(&value, &points, s, row) == k && isfinite(value)) {
                const int64_t bin = (int64_t)((value - bins.first) / bins.width);
                shares[bin < bins.count ? bin : bins.count - 1] += points;
                total += points;
            }
        }
        for (int64_t b = 0; b < bins.count && total > 0; b++) {
            shares[b] /= total;
        }
        if (s->y.name) {
            trop_plot_study_legend(legend, &s->y, k);
        }
        draw_shares(panel, shares, bins, k, s->y.name ? legend : NULL);
    }
}

enum trop_status trop_plot_study_histogram(struct trop_figure *figure, struct trop_plot *plot)
{
    struct trop_panel *panel = trop_figure_panel(figure, 0, 0);
    struct trop_plot_study s = { 0 };
    struct bins bins = { 0 };
    enum trop_status status = trop_plot_study_values(&s, plot);

    if (status == TROP_OK) {
        status = check_curves(&s.y);
    }
    if (status == TROP_OK) {
        bins = bins_of(&s);
        status = bins.count > 0 ? TROP_OK
                                : trop_fail(TROP_ERR_IO,
                                            "%s: there is nothing to draw: no point "
                                            "has %s",
                                            plot->folder, plot->options.of);
    }
    if (status == TROP_OK) {
        draw_histogram(panel, &s, bins);
        char words[128];
        trop_plot_words_of(words, plot->options.of, (int64_t)strlen(plot->options.of));
        trop_panel_x(panel, words, TROP_SCALE_LINEAR);
        trop_panel_y(panel, "share of the points", TROP_SCALE_LINEAR);
    }
    trop_plot_study_free(&s);
    return status;
}
