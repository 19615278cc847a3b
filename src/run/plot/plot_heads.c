/* plot_heads.c -- layers x heads: one number of every head of an inspection as colours.
 *
 * Of several texts it is the mean. A head without the number is crossed out; an infinite one has
 * the colour of the largest finite one and the sign of infinity.
 */
#include "run/plot/plot.h"

#include "base/alloc.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SIGNS 2048 /* heads that are marked one by one, at most */

struct heads {
    struct trop_array layer, head, value; /* (rows) */
    double *cell;                         /* (layers, heads) */
    int64_t layers, heads;                /* that were looked at */
    char name[96];                        /* of the number, for the bar */
};

/* NAME or, of several texts, NAME.mean of the list; dots are groups in the file. */
static int find_name(char out[128], struct trop_plot_file *file, const char *name)
{
    static const char *const ends[] = { "", "/mean" };

    for (int k = 0; k < 2; k++) {
        snprintf(out, 128, "/result/heads/%.80s%s", name, ends[k]);
        for (char *at = out + strlen("/result/heads/"); *at; at++) {
            *at = *at == '.' ? '/' : *at;
        }
        struct trop_array shape = { 0 };
        if (trop_h5_exists(file->h5, out) &&
            trop_h5_shape(&shape, file->h5, out, TROP_KIND_NUMBERS) == TROP_OK) {
            return 1;
        }
    }
    return 0;
}

static enum trop_status read_value(struct heads *h, struct trop_plot_file *file, const char *of)
{
    char path[128];

    if (!of) {
        of = find_name(path, file, "flip_relative") ? "flip_relative" : "flip";
    }
    if (strlen(of) > 80 || !find_name(path, file, of)) {
        return trop_fail(TROP_ERR_ARG, "of = %.80s: %s has no such number of a head", of,
                         file->path);
    }
    snprintf(h->name, sizeof h->name, "%s", of);
    enum trop_status status = trop_h5_numbers(&h->value, file->h5, path);
    return status;
}

/* How often the first number of the column stands at its beginning. */
static int64_t run_of(const struct trop_array *column)
{
    int64_t length = 1;

    while (length < column->shape[0] && column->data[length] == column->data[0]) {
        length++;
    }
    return length;
}

static enum trop_status read_heads(struct heads *h, struct trop_plot_file *file, const char *of)
{
    static const char why[] = "it is not a result of inspect";
    enum trop_status status = read_value(h, file, of);

    if (status == TROP_OK) {
        status = trop_plot_numbers(&h->layer, file, "/result/heads/layer", 1, why);
    }
    if (status == TROP_OK) {
        status = trop_plot_numbers(&h->head, file, "/result/heads/head", 1, why);
    }
    if (status != TROP_OK) {
        return status;
    }
    const int64_t rows = h->layer.shape[0];
    if (h->value.rank != 1 || h->value.shape[0] != rows) {
        return trop_fail(
            TROP_ERR_ARG,
            "of = %s: %s has more than one for each head; --rows of inspect keeps those "
            "of rows",
            h->name, file->path);
    }
    /* Layers in turn, the heads of each in turn. */
    h->heads = rows > 0 ? run_of(&h->layer) : 0;
    h->layers = h->heads > 0 ? rows / h->heads : 0;
    if (h->heads * h->layers != rows || h->head.shape[0] != rows || rows < 1) {
        return trop_fail(TROP_ERR_IO, "%s: /result/heads is not layers by heads", file->path);
    }
    return TROP_OK;
}

static void range_of(double *low, double *high, const struct heads *h)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (int64_t k = 0; k < h->value.shape[0]; k++) {
        const double value = h->value.data[k];
        *low = isfinite(value) ? fmin(*low, value) : *low;
        *high = isfinite(value) ? fmax(*high, value) : *high;
    }
    if (*low > *high) {
        *low = *high = 0;
    }
}

/* What has no colour of its own. */
static void mark(struct trop_panel *panel, const struct heads *h, int64_t k)
{
    const double x = (double)(k % h->heads), y = (double)(k / h->heads);
    const double xs[] = { x - .5, x + .5, x + .5, x - .5 },
                 ys[] = { y - .5, y - .5, y + .5, y + .5 };
    const struct trop_pen thin = { .colour = TROP_COLOUR_GREY, .width = .6 };

    if (isnan(h->value.data[k])) {
        trop_panel_polygon(panel, xs, ys, 4, TROP_COLOUR_LIGHT, 0, thin, NULL);
        trop_panel_line(panel, (const double[]){ x - .5, x + .5 },
                        (const double[]){ y - .5, y + .5 }, 2, thin, NULL);
    } else if (isinf(h->value.data[k])) {
        trop_panel_text(panel, x, y, "∞", 0, 0, TROP_COLOUR_BLACK);
    }
}

/* Numbers of layers or heads as names of an axis. */
static enum trop_status name_axis(struct trop_panel *panel, const struct trop_array *column,
                                  int64_t count, int64_t step, int is_y)
{
    char(*text)[24] = trop_alloc(count, sizeof *text);
    const char **names = trop_alloc(count, sizeof *names);

    for (int64_t k = 0; text && names && k < count; k++) {
        snprintf(text[k], sizeof text[k], "%.0f", column->data[k * step]);
        names[k] = text[k];
    }
    if (text && names) {
        (is_y ? trop_panel_names_y : trop_panel_names_x)(panel, names, count);
    }
    const enum trop_status status =
        text && names ? TROP_OK : trop_fail(TROP_ERR_MEMORY, "no memory for the names of an axis");
    TROP_FREE(text, names);
    return status;
}

static enum trop_status draw(struct trop_panel *panel, struct heads *h)
{
    double low, high;
    int64_t missing = 0, marked = 0;

    range_of(&low, &high, h);
    for (int64_t k = 0; k < h->value.shape[0]; k++) {
        const double value = h->value.data[k];
        h->cell[k] = isinf(value) ? value > 0 ? high : low : value;
        missing += isnan(value) != 0;
    }
    trop_panel_image(panel, h->cell, h->layers, h->heads, -.5, (double)h->heads - .5, -.5,
                     (double)h->layers - .5, low, high, h->name);
    for (int64_t k = 0; k < h->value.shape[0] && marked < SIGNS; k++) {
        if (!isfinite(h->value.data[k])) {
            mark(panel, h, k);
            marked++;
        }
    }
    if (missing > 0) {
        trop_panel_title(panel, "crossed out: there is none");
    }
    trop_panel_range_x(panel, -.5, (double)h->heads - .5);
    trop_panel_range_y(panel, (double)h->layers - .5, -.5);
    enum trop_status status = name_axis(panel, &h->head, h->heads, 1, 0);
    if (status == TROP_OK) {
        status = name_axis(panel, &h->layer, h->layers, h->heads, 1);
    }
    trop_panel_x(panel, "head", TROP_SCALE_LINEAR);
    trop_panel_y(panel, "layer", TROP_SCALE_LINEAR);
    return status;
}

enum trop_status trop_plot_heads(struct trop_figure *figure, struct trop_plot *plot)
{
    struct heads h = { 0 };
    enum trop_status status = read_heads(&h, plot->files, plot->options.of);

    if (status == TROP_OK) {
        h.cell = trop_alloc(h.value.shape[0], sizeof *h.cell);
        status =
            h.cell ? draw(trop_figure_panel(figure, 0, 0), &h)
                   : trop_fail(TROP_ERR_MEMORY, "%s: no memory for its heads", plot->files[0].path);
    }
    trop_array_free(&h.layer);
    trop_array_free(&h.head);
    trop_array_free(&h.value);
    trop_alloc_free(h.cell);
    return status;
}
