/* plot_study.h -- a table of a study as axes and cells, for the pictures of studies. */
#ifndef TROP_RUN_PLOT_STUDY_H
#define TROP_RUN_PLOT_STUDY_H

#include "run/plot/plot.h"

/* The values of a column, ascending; those of texts are 0, 1, ... with names. */
struct trop_plot_axis {
    const char *name;
    double *values;
    const char **names; /* NULL: numbers */
    int64_t count;
    int is_log; /* 1: geometric rather than even */
};

struct trop_plot_study {
    struct trop_study_table *table;
    struct trop_plot_axis x, y;  /* y.count 1 and name NULL: there is none */
    double *mean, *deviation;    /* (y, x); NaN where there is no point */
    double *low, *middle, *high; /* (y, x) quantiles; NULL: not asked for */
};

/* Means of options->of over x and, where it is given, y; in bands also what the option band asks
 * for. */
enum trop_status trop_plot_study_read(struct trop_plot_study *out, struct trop_plot *plot);
/* For histograms: the values of options->of, apart for those of y, with how many points have them.
 */
enum trop_status trop_plot_study_values(struct trop_plot_study *out, struct trop_plot *plot);
/* Row of it: which value of y, -1 none; NaN is no value. */
int64_t trop_plot_study_value(double *value, double *points, const struct trop_plot_study *study,
                              int64_t row);
void trop_plot_study_free(struct trop_plot_study *study);
/* "alpha = 0.5", for legends. */
void trop_plot_study_legend(char out[96], const struct trop_plot_axis *axis, int64_t k);
/* The edges of the cells around its values, (count + 1). NULL: no memory. */
double *trop_plot_study_edges(const struct trop_plot_axis *axis);
/* Label, scale and names. */
void trop_plot_study_label(struct trop_panel *panel, const struct trop_plot_axis *axis, int is_y);

#endif
