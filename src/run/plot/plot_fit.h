/* plot_fit.h -- pictures of a fit, from numbers in memory: files have them, and so have pages. */
#ifndef TROP_RUN_PLOT_FIT_H
#define TROP_RUN_PLOT_FIT_H

#include "draw/figure.h"

#define TROP_PLOT_FIT_SPLITS 3

/* A fit over its epochs, by enum trop_split. */
struct trop_plot_fit_run {
    char name[64];  /* of several in one picture */
    int64_t epochs; /* the start among them */
    int64_t chosen; /* the epoch whose weights were taken */
    const double *loss[TROP_PLOT_FIT_SPLITS], *accuracy[TROP_PLOT_FIT_SPLITS]; /* (epochs) */
};

/* The sizes of the picture that suit it, in points. */
#define TROP_PLOT_FIT_WIDTH 460.0
#define TROP_PLOT_FIT_HEIGHT 210.0

/* Loss and accuracy over epochs, side by side. */
enum trop_status trop_plot_fit_learning(struct trop_figure *figure,
                                        const struct trop_plot_fit_run *runs, int64_t count);

#endif
