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
    char pooled[120];            /* ", over seed": options that points of one cell differ in */
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

/* plot_study_series.c: *is_one 1, and x, y and cells are those of an array over another; otherwise
 * nothing is changed. */
enum trop_status trop_plot_study_series(int *is_one, struct trop_plot_study *out,
                                        struct trop_plot *plot);
/* plot_study_pool.c: over which options each cell is taken. */
enum trop_status trop_plot_study_pool(struct trop_plot_study *study, const struct trop_plot *plot);

/* The distinct values of a column of the table; option: which one asks for them. */
enum trop_status trop_plot_study_axis(struct trop_plot_axis *out, struct trop_plot *plot,
                                      const struct trop_study_table *table, int64_t column,
                                      const char *option);
/* 1 when quotients of neighbours differ less than differences do, and little. */
int trop_plot_study_is_geometric(const struct trop_plot_axis *axis);
/* Cells of NaN for the values of x and y. */
enum trop_status trop_plot_study_make_cells(struct trop_plot_study *s, const struct trop_plot *plot,
                                            int has_quantiles);
/* Of a row of a table: a number, NaN where it is none, and which value of the axis, -1 none. */
double trop_plot_study_number(const struct trop_study_table *table, int64_t row, int64_t column);
int64_t trop_plot_study_place(const struct trop_plot_axis *axis,
                              const struct trop_study_table *table, int64_t row, int64_t column);
/* What a deviation of so many points is divided by: more than 1 where their standard error is asked
 * for. */
double trop_plot_study_divisor(const struct trop_plot *plot, int64_t points);
/* "alpha = 0.5", for legends. */
void trop_plot_study_legend(char out[96], const struct trop_plot_axis *axis, int64_t k);
/* The edges of the cells around its values, (count + 1). NULL: no memory. */
double *trop_plot_study_edges(const struct trop_plot_axis *axis);
/* Label, scale and names. */
void trop_plot_study_label(struct trop_panel *panel, const struct trop_plot_axis *axis, int is_y);

#endif
