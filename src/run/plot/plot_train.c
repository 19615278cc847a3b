/* plot_train.c -- what many runs of training end in, and matrices. */
#include "run/plot/plot.h"

#include "base/alloc.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- outcomes of many runs ---- */

enum outcome { LOCAL, OTHER, UNDECIDED, OUTCOMES };

static int64_t outcome_of(struct trop_plot_file *file)
{
    const double local = trop_plot_number(file, "/result/locally_optimal");

    return trop_plot_number(file, "/result/undecided") > 0 ? UNDECIDED : local == 1 ? LOCAL : OTHER;
}

/* Bars: the share of runs of each outcome, a group for every value of an option. */
enum trop_status trop_plot_outcomes(struct trop_figure *figure, struct trop_plot *plot)
{
    static const char *const legends[] = { "locally optimal", "not locally optimal", "undecided" };
    struct trop_panel *panel = trop_figure_panel(figure, 0, 0);
    const char *against = plot->options.against ? plot->options.against : "optimizer";
    char groups[TROP_PLOT_FILES][256];
    const char *names[TROP_PLOT_FILES];
    double shares[TROP_PLOT_FILES * OUTCOMES] = { 0 }, sizes[TROP_PLOT_FILES] = { 0 };
    int64_t count = 0;
    char label[128];
    const enum trop_status status = plot->options.against ? trop_plot_check_against(plot) : TROP_OK;

    if (status != TROP_OK) {
        return status;
    }
    for (int64_t f = 0; f < plot->count; f++) {
        int64_t g = 0;
        trop_plot_option(groups[count], plot->files + f, against);
        if (!groups[count][0]) {
            snprintf(groups[count], sizeof groups[count], "none");
        }
        while (strcmp(groups[g], groups[count]) != 0) {
            g++;
        }
        names[g] = groups[g];
        count += g == count;
        sizes[g]++;
        shares[g * OUTCOMES + outcome_of(plot->files + f)]++;
    }
    for (int64_t k = 0; k < count * OUTCOMES; k++) {
        shares[k] *= 100 / sizes[k / OUTCOMES];
    }
    trop_panel_bars(panel, shares, count, OUTCOMES, legends);
    trop_panel_names_x(panel, names, count);
    trop_plot_words_of(label, against, (int64_t)strlen(against));
    trop_panel_x(panel, label, TROP_SCALE_LINEAR);
    trop_panel_y(panel, "percent of runs", TROP_SCALE_LINEAR);
    return TROP_OK;
}

/* ---- heat maps ---- */

/* A few rows are numbered one by one. */
#define ROWS_NAMED 16
static const char *const row_names[ROWS_NAMED] = { "0", "1", "2",  "3",  "4",  "5",  "6",  "7",
                                                   "8", "9", "10", "11", "12", "13", "14", "15" };

/* The largest absolute value where both signs occur, 1 where all is 0, which is white then as well;
 * otherwise 0. */
static double reach(const struct trop_array *array)
{
    double low = 0, high = 0;

    for (int64_t k = 0; k < array->shape[0] * array->shape[1]; k++) {
        low = isfinite(array->data[k]) ? fmin(low, array->data[k]) : low;
        high = isfinite(array->data[k]) ? fmax(high, array->data[k]) : high;
    }
    return low < 0 && high > 0 ? fmax(-low, high) : low == 0 && high == 0 ? 1 : 0;
}

enum trop_status trop_plot_heat(struct trop_figure *figure, struct trop_plot *plot)
{
    const struct trop_plot_options *o = &plot->options;
    struct trop_panel *panel = trop_figure_panel(figure, 0, 0);
    struct trop_array array = { 0 };
    char name[160];

    snprintf(name, sizeof name, "%s%s", o->y && o->y[0] == '/' ? "" : "/result/",
             o->y ? o->y : "weights/W");
    enum trop_status status = trop_plot_numbers(&array, plot->files, name, 2,
                                                "name a matrix with --y, such as weights/W");
    if (status == TROP_OK) {
        const double rows = (double)array.shape[0], columns = (double)array.shape[1];
        trop_panel_image(panel, array.data, array.shape[0], array.shape[1], -.5, columns - .5, -.5,
                         rows - .5, -reach(&array), reach(&array), o->y ? o->y : "W");
        trop_panel_range_y(panel, rows - .5, -.5); /* row 0 above, as matrices are written */
        if (array.shape[0] <= ROWS_NAMED) {
            trop_panel_names_y(panel, row_names, array.shape[0]);
        }
        trop_panel_x(panel, "column", TROP_SCALE_LINEAR);
        trop_panel_y(panel, "row", TROP_SCALE_LINEAR);
    }
    trop_array_free(&array);
    return status;
}
