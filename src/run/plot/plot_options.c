/* plot_options.c -- what a plot takes. */
#include "tropism_lab.h"

#include <stddef.h>

/* In the order of the table of plot.c. */
static const char *const kinds[] = {
    "auto",     "paths",     "cells",    "energy",      "graph",     "attention", "clusters",
    "survival", "staircase", "training", "correlation", "bregman",   "loss",      "norm",
    "outcomes", "heat",      "curve",    "learning",    "sentences", "words",     "sparsity",
    "heads",    "curves",    "bands",    "histogram",   NULL
};

/* Kinds with axes, and of them those whose axes may be logarithmic. */
#define CURVES \
    "auto|clusters|survival|staircase|training|correlation|bregman|loss|norm|curve|curves|bands|" \
    "histogram"
#define IF_AXES "kind=" CURVES "|paths|cells|energy|graph|attention|outcomes|heat"
#define IF_CURVES "kind=" CURVES

static const char *const logs[] = { "auto", "none", "x", "y", "xy", NULL };
static const char *const bands[] = { "deviation", "quantiles", "error", NULL };

struct trop_plot_options trop_plot_options_default(void)
{
    return (struct trop_plot_options){
        .width = 360, .height = 270, .axes = "0,1", .record = -1, .seconds = .12
    };
}

#define AT(member) #member, offsetof(struct trop_plot_options, member)

static const struct trop_option table[] = {
    { AT(file), TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "result that --out FILE.h5 of another verb wrote, or the folder of a study", "FILE.h5",
      NULL },
    { AT(kind), TROP_TYPE_CHOICE, 0, 0, 0, kinds,
      "kind of picture; auto: the usual one for this file", "KIND", NULL },
    { AT(out), TROP_TYPE_TEXT, 0, 0, 0, NULL, "the picture: .pdf, .svg, .png, or .gif of paths",
      "FILE", NULL },
    { AT(title), TROP_TYPE_TEXT, 0, 0, 0, NULL, "title above the picture", "TEXT", NULL },
    { AT(x_label), TROP_TYPE_TEXT, 0, 0, 0, NULL, "label of the horizontal axis", "TEXT", IF_AXES },
    { AT(y_label), TROP_TYPE_TEXT, 0, 0, 0, NULL, "label of the vertical axis", "TEXT", IF_AXES },
    { AT(log), TROP_TYPE_CHOICE, 0, 0, 0, logs,
      "which axes are logarithmic; auto: as is usual for this kind", NULL, IF_CURVES },
    { AT(width), TROP_TYPE_DOUBLE, 72, 7200, 0, NULL,
      "width of the picture, in points (1/72 inch); learning, sentences, words, sparsity and heads "
      "have default sizes of their own",
      NULL, NULL },
    { AT(height), TROP_TYPE_DOUBLE, 72, 7200, 0, NULL, "height of the picture, in points", NULL,
      NULL },
    { AT(x), TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "kind curve: numbers along the axis, such as history/step or /record/step; a study: the "
      "option along the axis",
      "NAME", "kind=auto|curve|heat|curves|bands" },
    { AT(y), TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "kind curve: numbers to draw, several separated by commas; a study: the other axis, or an "
      "option with a curve for each of its values",
      "NAME,...", "kind=auto|heat|curve|curves|bands|histogram" },
    { AT(against), TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "kinds clusters and outcomes: the option that differs from file to file, such as epsilon; "
      "other differences make separate curves",
      "OPTION", "kind=auto|clusters|outcomes" },
    { AT(axes), TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "kind training: the two entries of the weights that are drawn, counted from 0", "I,J",
      "kind=training" },
    { AT(record), TROP_TYPE_INT64, -1, 1e15, 0, NULL,
      "kinds graph and attention: the record that is drawn; -1: the state at the end", NULL,
      "kind=graph|attention" },
    { AT(seconds), TROP_TYPE_DOUBLE, .01, 60, 0, NULL, "films: seconds for each record", "SECONDS",
      "kind=auto|paths & out=*.gif" },
    { AT(of), TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "kind heads: the number to draw, such as flip, kappa or sinks.share; flip_relative (flip of "
      "arrays) when not given; a study: the field whose mean is drawn",
      "NAME", "kind=auto|heads|heat|curves|bands|histogram" },
    { AT(where), TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "a study: draws only the points for which this condition holds, in SQL", "TEXT",
      "kind=auto|heat|curves|bands|histogram" },
    { AT(band), TROP_TYPE_CHOICE, 0, 0, 0, bands,
      "kind bands: mean and standard deviation, median and the range between 10 and 90 per cent "
      "of the points, or mean and standard error of the mean",
      NULL, "kind=bands" },
    { 0 },
};
#undef AT

const struct trop_option *trop_plot_option_table(void)
{
    return table;
}
