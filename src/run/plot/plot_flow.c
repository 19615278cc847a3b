/* plot_flow.c -- tokens in the plane: where they go, the energy below them, whom they follow. */
#include "run/plot/plot.h"

#include "base/alloc.h"
#include "base/status.h"
#include "run/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES 500 /* of a film, at most */
#define GRID 240   /* of the energy, on each side */
#define NODES 400  /* of a graph or matrix, at most */

/* Tokens over time, in the plane. */
struct scene {
    struct trop_array tokens; /* (records, n, d) */
    struct trop_array step;   /* (records) */
    double *x, *y;            /* (records, n) */
    int64_t records, n, d;
    double low_x, high_x, low_y, high_y; /* of all of it, with a margin */
};

static void close_scene(struct scene *s)
{
    trop_array_free(&s->tokens);
    trop_array_free(&s->step);
    TROP_FREE(s->x, s->y);
}

static void widen(double *low, double *high)
{
    const double room = *high > *low ? .05 * (*high - *low) : 1;

    *low -= room;
    *high += room;
}

/* On a line the other axis is time. */
static enum trop_status place(struct scene *s)
{
    const int64_t all = s->records * s->n;
    double *axes = trop_alloc(2 * s->d, sizeof *axes);

    if (!TROP_ALLOC(TROP_PART(s->x, all), TROP_PART(s->y, all)) || !axes) {
        trop_alloc_free(axes);
        return trop_fail(TROP_ERR_MEMORY, "no memory for a picture of %lld tokens",
                         (long long)s->n);
    }
    trop_plot_axes(axes, s->tokens.data, s->n, s->d);
    trop_plot_project(s->x, s->y, axes, s->tokens.data, all, s->d);
    for (int64_t k = 0; s->d == 1 && k < all; k++) {
        s->y[k] = s->x[k];
        s->x[k] = s->step.data[k / s->n];
    }
    trop_alloc_free(axes);
    s->low_x = s->low_y = INFINITY;
    s->high_x = s->high_y = -INFINITY;
    for (int64_t k = 0; k < s->records * s->n; k++) {
        s->low_x = fmin(s->low_x, s->x[k]);
        s->high_x = fmax(s->high_x, s->x[k]);
        s->low_y = fmin(s->low_y, s->y[k]);
        s->high_y = fmax(s->high_y, s->y[k]);
    }
    widen(&s->low_x, &s->high_x);
    widen(&s->low_y, &s->high_y);
    return TROP_OK;
}

static enum trop_status open_scene(struct scene *s, struct trop_plot_file *file)
{
    enum trop_status status =
        trop_plot_numbers(&s->tokens, file, "/record/tokens", 3, "run it with --record tokens");

    if (status == TROP_OK) {
        status =
            trop_plot_numbers(&s->step, file, "/record/step", 1, "run it with --record tokens");
    }
    if (status == TROP_OK) {
        s->records = s->tokens.shape[0];
        s->n = s->tokens.shape[1];
        s->d = s->tokens.shape[2];
        status = s->records > 0 && s->n > 0
                     ? place(s)
                     : trop_fail(TROP_ERR_IO, "%s: has no records of tokens", file->path);
    }
    return status;
}

/* ---- hull and cells ---- */

/* The outline of n points of the plane, around a light area. */
static enum trop_status draw_hull(struct trop_panel *panel, const double *x, const double *y,
                                  int64_t n, double fade, const char *legend)
{
    double *points = trop_alloc(4 * n, sizeof *points);
    struct trop_hull *hull = NULL;
    const int64_t *outline = NULL;

    if (!points) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a hull");
    }
    for (int64_t i = 0; i < n; i++) {
        points[2 * i] = x[i];
        points[2 * i + 1] = y[i];
    }
    enum trop_status status = trop_hull_create(&hull, points, n, 2, 1);
    const int64_t count = status == TROP_OK ? trop_hull_outline(&outline, hull) : 0;
    double *px = points + 2 * n, *py = points + 3 * n;
    for (int64_t k = 0; k < count; k++) {
        px[k] = x[outline[k]];
        py[k] = y[outline[k]];
    }
    if (count > 2) {
        trop_panel_polygon(panel, px, py, count, TROP_COLOUR_LIGHT, fade,
                           (struct trop_pen){ .colour = TROP_COLOUR_GREY, .width = .8 }, legend);
    }
    trop_hull_free(hull);
    trop_alloc_free(points);
    return status;
}

/* B of a run: a matrix of its file, or a number times the identity; *values is to be released. */
static struct trop_matrix key_query_of(double **values, struct trop_plot_file *file)
{
    struct trop_array array = { 0 };
    char text[256];

    *values = NULL;
    if (trop_h5_exists(file->h5, "/input/key_query") &&
        trop_h5_numbers(&array, file->h5, "/input/key_query") == TROP_OK) {
        *values = array.data;
        return (struct trop_matrix){ .scale = 1, .values = array.data };
    }
    trop_plot_option(text, file, "key_query");
    const double scale = strtod(text, NULL);
    return (struct trop_matrix){ .scale = scale != 0 ? scale : 1 };
}

/* The cells of a cloud of the plane; one that is flat, or refused otherwise, has none. */
static enum trop_status draw_cells(struct trop_panel *panel, struct trop_plot_file *file,
                                   const double *tokens, int64_t n)
{
    const struct trop_field *table = trop_cells_field_table();
    struct trop_cells_options o = trop_cells_options_default();
    struct trop_cells *cells = NULL;
    struct trop_value list = { 0 };
    double *matrix = NULL;

    o.cloud.n = n;
    o.cloud.d = 2;
    o.cloud.tokens = tokens;
    o.cloud.key_query = key_query_of(&matrix, file);
    enum trop_status status = trop_cells_create(&cells, &o);
    if (status != TROP_OK) {
        trop_alloc_free(matrix);
        return status == TROP_ERR_MEMORY ? status : TROP_OK;
    }
    status = trop_field_value(&list, table, cells, "cells");
    for (int64_t row = 0; status == TROP_OK && row < list.shape[0]; row++) {
        struct trop_value polygon = { 0 };
        status = trop_field_cell(&polygon, table, cells, "cells", "polygon", row);
        const int64_t count = polygon.kind == TROP_KIND_NUMBERS ? polygon.shape[0] : 0;
        double *x = trop_alloc(2 * count, sizeof *x);
        for (int64_t k = 0; x && k < count; k++) {
            x[k] = polygon.numbers[2 * k];
            x[count + k] = polygon.numbers[2 * k + 1];
        }
        if (x && count > 2) {
            trop_panel_polygon(panel, x, x + count, count, row, .8,
                               (struct trop_pen){ .colour = TROP_COLOUR_WHITE, .width = .6 }, NULL);
        }
        trop_alloc_free(x);
    }
    trop_cells_free(cells);
    trop_alloc_free(matrix);
    return status;
}

/* ---- paths ---- */

static void name_axes(struct trop_panel *panel, int64_t d)
{
    trop_panel_x(panel,
                 d == 1   ? "step"
                 : d == 2 ? "x₁"
                          : "first principal axis",
                 TROP_SCALE_LINEAR);
    trop_panel_y(panel, d == 1 ? "x" : d == 2 ? "x₂" : "second principal axis", TROP_SCALE_LINEAR);
    if (d > 1) {
        trop_panel_equal(panel);
    }
}

/* The way of token i up to a record. */
static enum trop_status draw_way(struct trop_panel *panel, const struct scene *s, int64_t i,
                                 int64_t last)
{
    double *x = trop_alloc(2 * (last + 1), sizeof *x);

    if (!x) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a path");
    }
    for (int64_t r = 0; r <= last; r++) {
        x[r] = s->x[r * s->n + i];
        x[last + 1 + r] = s->y[r * s->n + i];
    }
    trop_panel_line(panel, x, x + last + 1, last + 1,
                    (struct trop_pen){ .colour = 0, .width = .8, .fade = s->n > 50 ? .6 : .3 },
                    NULL);
    trop_alloc_free(x);
    return TROP_OK;
}

/* With a legend, which a film has no room for: its title tells the step. */
static enum trop_status draw_paths(struct trop_panel *panel, struct trop_plot_file *file,
                                   const struct scene *s, int64_t last, int with_legend)
{
    const char *const first_hull = s->d == 2 ? "hull and cells at the start" : "hull at the start";
    const double *x = s->x + last * s->n, *y = s->y + last * s->n;
    enum trop_status status = TROP_OK;

    name_axes(panel, s->d);
    if (s->d == 2) {
        status = draw_cells(panel, file, s->tokens.data, s->n);
    }
    if (status == TROP_OK && s->d > 1) {
        status = draw_hull(panel, s->x, s->y, s->n, 1, with_legend ? first_hull : NULL);
    }
    if (status == TROP_OK && s->d > 1 && last > 0) {
        status = draw_hull(panel, x, y, s->n, .5, with_legend ? "hull at the end" : NULL);
    }
    for (int64_t i = 0; i < s->n && status == TROP_OK; i++) {
        status = draw_way(panel, s, i, last);
    }
    trop_panel_dots(
        panel, s->x, s->y, s->n,
        (struct trop_dot){ .colour = TROP_COLOUR_GREY, .mark = TROP_MARK_CIRCLE, .size = 4 },
        with_legend ? "start" : NULL);
    trop_panel_dots(panel, x, y, s->n, (struct trop_dot){ .colour = 1, .size = 5 },
                    with_legend ? "end" : NULL);
    return status;
}

enum trop_status trop_plot_paths(struct trop_figure *figure, struct trop_plot *plot)
{
    struct scene s = { 0 };
    enum trop_status status = open_scene(&s, plot->files);

    if (status == TROP_OK) {
        status = draw_paths(trop_figure_panel(figure, 0, 0), plot->files, &s, s.records - 1, 1);
    }
    close_scene(&s);
    return status;
}

static enum trop_status add_frame(struct trop_film *film, struct trop_plot *plot,
                                  const struct scene *s, int64_t record)
{
    const struct trop_plot_options *o = &plot->options;
    struct trop_figure *figure = NULL;
    char title[300];
    enum trop_status status = trop_figure_create(&figure, o->width, o->height);

    if (status != TROP_OK) {
        return status;
    }
    struct trop_panel *panel = trop_figure_panel(figure, 0, 0);
    snprintf(title, sizeof title, "%s%sstep %.0f", o->title ? o->title : "", o->title ? ", " : "",
             s->step.data[record]);
    trop_figure_title(figure, title);
    trop_panel_range_x(panel, s->low_x, s->high_x);
    trop_panel_range_y(panel, s->low_y, s->high_y);
    status = draw_paths(panel, plot->files, s, record, 0);
    trop_plot_dress(figure, o);
    if (status == TROP_OK) {
        status = trop_film_add(film, figure, record == s->records - 1 ? 2 : o->seconds);
    }
    trop_figure_free(figure);
    return status;
}

enum trop_status trop_plot_paths_film(struct trop_film *film, struct trop_plot *plot)
{
    struct scene s = { 0 };
    enum trop_status status = open_scene(&s, plot->files);
    const int64_t stride = (s.records + FRAMES - 1) / FRAMES;

    for (int64_t r = 0; r < s.records && status == TROP_OK; r += stride) {
        status = add_frame(film, plot, &s, r);
    }
    close_scene(&s);
    return status;
}

/* ---- energy ---- */

/* 1 when (x, y) is inside a polygon: a ray to the right crosses its sides an odd number of times.
 */
static int is_inside(double x, double y, const double *ring_x, const double *ring_y, int64_t count)
{
    int inside = 0;

    for (int64_t k = 0, last = count - 1; k < count; last = k++) {
        const int above = ring_y[k] > y, was = ring_y[last] > y;
        inside ^= above != was && x < ring_x[k] + (y - ring_y[k]) * (ring_x[last] - ring_x[k]) /
                                                      (ring_y[last] - ring_y[k]);
    }
    return inside;
}

static enum trop_status draw_landscape(struct trop_panel *panel, const struct trop_matrix *b,
                                       const double *ring, int64_t n, int64_t count, double low_x,
                                       double high_x, double low_y, double high_y)
{
    double *grid = trop_alloc((int64_t)GRID * GRID, sizeof *grid);

    if (!grid) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for the energy");
    }
    for (int64_t k = 0; k < (int64_t)GRID * GRID; k++) {
        const double x = low_x + (high_x - low_x) * ((double)(k % GRID) + .5) / GRID;
        const double y = low_y + (high_y - low_y) * ((double)(k / GRID) + .5) / GRID;
        grid[k] = b->values ? .5 * (b->values[0] * x * x + (b->values[1] + b->values[2]) * x * y +
                                    b->values[3] * y * y)
                            : .5 * b->scale * (x * x + y * y);
        if (!isfinite(grid[k])) {
            trop_alloc_free(grid);
            return trop_fail(TROP_ERR_NUMERIC,
                             "kind = energy: the energy of tokens of this size is "
                             "no double; scale them");
        }
    }
    /* Values outside the hull are brought into the range inside, so that colours and levels are
     * those of what is seen. */
    double least = INFINITY, greatest = -INFINITY;
    for (int64_t k = 0; k < (int64_t)GRID * GRID; k++) {
        const double x = low_x + (high_x - low_x) * ((double)(k % GRID) + .5) / GRID;
        const double y = low_y + (high_y - low_y) * ((double)(k / GRID) + .5) / GRID;
        if (is_inside(x, y, ring, ring + n, count)) {
            least = fmin(least, grid[k]);
            greatest = fmax(greatest, grid[k]);
        }
    }
    for (int64_t k = 0; least < greatest && k < (int64_t)GRID * GRID; k++) {
        grid[k] = fmin(fmax(grid[k], least), greatest);
    }
    trop_panel_image(panel, grid, GRID, GRID, low_x, high_x, low_y, high_y, 0, 0, "½⟨Bx, x⟩");
    trop_panel_contours(panel, grid, GRID, GRID, low_x, high_x, low_y, high_y, 12,
                        (struct trop_pen){ .colour = TROP_COLOUR_WHITE, .width = .4 });
    trop_alloc_free(grid);
    return TROP_OK;
}

enum trop_status trop_plot_energy(struct trop_figure *figure, struct trop_plot *plot)
{
    struct trop_plot_file *file = plot->files;
    struct scene s = { .records = 1 };
    enum trop_status status =
        trop_plot_numbers(&s.tokens, file, "/input/tokens", 2, "it is not a result about a cloud");

    if (status == TROP_OK) {
        s.n = s.tokens.shape[0];
        s.d = s.tokens.shape[1];
        status = s.d == 2 ? place(&s)
                          : trop_fail(TROP_ERR_ARG, "kind = energy: %s has d = %lld, must be 2",
                                      file->path, (long long)s.d);
    }
    if (status == TROP_OK) {
        /* The landscape over the hull, which cuts it. */
        struct trop_panel *panel = trop_figure_panel(figure, 0, 0);
        struct trop_hull *hull = NULL;
        const int64_t *outline = NULL;
        double *matrix = NULL;
        const struct trop_matrix b = key_query_of(&matrix, file);
        double *ring = trop_alloc(2 * s.n, sizeof *ring);
        status = ring ? trop_hull_create(&hull, s.tokens.data, s.n, 2, 1)
                      : trop_fail(TROP_ERR_MEMORY, "no memory for a hull");
        const int64_t count = status == TROP_OK ? trop_hull_outline(&outline, hull) : 0;
        for (int64_t k = 0; k < count; k++) {
            ring[k] = s.x[outline[k]];
            ring[s.n + k] = s.y[outline[k]];
        }
        name_axes(panel, 2);
        trop_panel_clip(panel, ring, ring ? ring + s.n : NULL, count);
        if (status == TROP_OK) {
            status =
                draw_landscape(panel, &b, ring, s.n, count, s.low_x, s.high_x, s.low_y, s.high_y);
        }
        trop_panel_clip(panel, NULL, NULL, 0);
        if (status == TROP_OK && count > 2) {
            trop_panel_polygon(panel, ring, ring + s.n, count, TROP_COLOUR_NONE, 1,
                               (struct trop_pen){ .colour = TROP_COLOUR_BLACK, .width = 1 }, NULL);
        }
        trop_panel_dots(panel, s.x, s.y, s.n, (struct trop_dot){ .colour = TROP_COLOUR_BLACK },
                        NULL);
        trop_hull_free(hull);
        TROP_FREE(ring, matrix);
    }
    close_scene(&s);
    return status;
}

/* ---- whom tokens follow ---- */

/* A flow at the state that is drawn, with schedules at their values of that step. */
struct state {
    struct trop_setup *setup;
    struct trop_flow *flow;
    struct trop_array tokens; /* (n, d), or records of them */
    int64_t n, d;
    const double *x; /* (n, d) of them */
};

static void close_state(struct state *s)
{
    trop_flow_free(s->flow);
    trop_setup_free(s->setup);
    trop_array_free(&s->tokens);
}

static void freeze(struct trop_schedule *schedule, double step)
{
    *schedule = (struct trop_schedule){ .kind = TROP_SCHEDULE_CONSTANT,
                                        .a = trop_schedule_at(schedule, step) };
}

/* The tokens of the record, and its step. */
static enum trop_status find_tokens(struct state *s, double *step, struct trop_plot *plot)
{
    struct trop_plot_file *file = plot->files;
    struct trop_array steps = { 0 };
    const int64_t record = plot->options.record;

    if (record < 0) {
        *step = fmax(trop_plot_number(file, "/result/steps"), 0);
        enum trop_status found = trop_plot_numbers(&s->tokens, file, "/result/tokens", 2,
                                                   "it is not a result of a flow");
        s->x = s->tokens.data;
        return found;
    }
    enum trop_status status =
        trop_plot_numbers(&s->tokens, file, "/record/tokens", 3, "run it with --record tokens");
    if (status == TROP_OK) {
        status = trop_plot_numbers(&steps, file, "/record/step", 1, "run it with --record tokens");
    }
    if (status == TROP_OK && record >= s->tokens.shape[0]) {
        status = trop_fail(TROP_ERR_ARG, "record = %lld: %s has %lld of them", (long long)record,
                           file->path, (long long)s->tokens.shape[0]);
    }
    if (status == TROP_OK) {
        *step = steps.data[record];
        s->x = s->tokens.data + record * s->tokens.shape[1] * s->tokens.shape[2];
    }
    trop_array_free(&steps);
    return status;
}

static enum trop_status open_state(struct state *s, struct trop_plot *plot)
{
    double step = 0;
    enum trop_status status = trop_setup_create(&s->setup, "flow");

    if (status == TROP_OK) {
        status = trop_run_setup(s->setup, plot->files[0].h5);
    }
    if (status == TROP_OK) {
        status = find_tokens(s, &step, plot);
    }
    if (status != TROP_OK) {
        return status;
    }
    struct trop_flow_options *o = trop_setup_flow(s->setup);
    s->n = o->cloud.n;
    s->d = o->cloud.d;
    if (s->n > NODES) {
        return trop_fail(TROP_ERR_ARG,
                         "kind: a picture of %lld tokens and whom they follow cannot "
                         "be read; at most %d",
                         (long long)s->n, NODES);
    }
    o->cloud.tokens = s->x;
    o->closed_form = TROP_CLOSED_FORM_NEVER;
    freeze(&o->beta, step);
    freeze(&o->epsilon, step);
    return trop_flow_create(&s->flow, o);
}

/* weights (n, n). */
static enum trop_status attend(double *weights, struct state *s)
{
    enum trop_status status = TROP_OK;

    for (int64_t i = 0; i < s->n && status == TROP_OK; i++) {
        status = trop_flow_weights(weights + i * s->n, s->flow, i);
    }
    return status;
}

enum trop_status trop_plot_graph(struct trop_figure *figure, struct trop_plot *plot)
{
    struct state s = { 0 };
    enum trop_status status = open_state(&s, plot);
    double *room =
        status == TROP_OK ? trop_alloc(s.n * s.n + 2 * s.n + 2 * s.d, sizeof *room) : NULL;

    if (status == TROP_OK && !room) {
        status = trop_fail(TROP_ERR_MEMORY, "no memory for a graph");
    }
    if (status == TROP_OK) {
        status = attend(room, &s);
    }
    if (status == TROP_OK) {
        struct trop_panel *panel = trop_figure_panel(figure, 0, 0);
        double *x = room + s.n * s.n, *y = x + s.n, *axes = y + s.n;
        trop_plot_axes(axes, s.x, s.n, s.d);
        trop_plot_project(x, y, axes, s.x, s.n, s.d);
        name_axes(panel, s.d > 1 ? s.d : 2);
        for (int64_t i = 0; i < s.n; i++) {
            for (int64_t j = 0; j < s.n; j++) {
                const double w = room[i * s.n + j];
                if (w > 1e-3 && i != j && (x[i] != x[j] || y[i] != y[j])) {
                    trop_panel_arrow(
                        panel, x[i], y[i], x[j], y[j],
                        (struct trop_pen){ .colour = 0, .width = .7, .fade = .85 * (1 - w) });
                }
            }
        }
        /* Tokens that listen to themselves alone are leaders. */
        int64_t leaders = 0;
        trop_panel_dots(panel, x, y, s.n,
                        (struct trop_dot){ .colour = TROP_COLOUR_BLACK, .size = 4 }, "token");
        for (int64_t i = 0; i < s.n; i++) {
            if (room[i * s.n + i] > .999) {
                x[leaders] = x[i];
                y[leaders++] = y[i];
            }
        }
        trop_panel_dots(panel, x, y, leaders,
                        (struct trop_dot){ .colour = 1, .mark = TROP_MARK_SQUARE, .size = 7 },
                        "follows itself alone");
    }
    trop_alloc_free(room);
    close_state(&s);
    return status;
}

enum trop_status trop_plot_attention(struct trop_figure *figure, struct trop_plot *plot)
{
    struct state s = { 0 };
    enum trop_status status = open_state(&s, plot);
    double *weights = status == TROP_OK ? trop_alloc(s.n * s.n, sizeof *weights) : NULL;

    if (status == TROP_OK && !weights) {
        status = trop_fail(TROP_ERR_MEMORY, "no memory for a matrix");
    }
    if (status == TROP_OK) {
        status = attend(weights, &s);
    }
    if (status == TROP_OK) {
        struct trop_panel *panel = trop_figure_panel(figure, 0, 0);
        trop_panel_x(panel, "token that is attended to", TROP_SCALE_LINEAR);
        trop_panel_y(panel, "token that attends", TROP_SCALE_LINEAR);
        trop_panel_equal(panel);
        trop_panel_image(panel, weights, s.n, s.n, -.5, (double)s.n - .5, -.5, (double)s.n - .5, 0,
                         0, "weight");
        trop_panel_range_y(panel, (double)s.n - .5,
                           -.5); /* token 0 above, as matrices are written */
    }
    trop_alloc_free(weights);
    close_state(&s);
    return status;
}
