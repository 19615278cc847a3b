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

static const char *const bands[] = { "deviation", "quantiles", NULL };

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
    { AT(kind), TROP_TYPE_CHOICE, 0, 0, 0, kinds, "what is drawn; auto: by what the file is about",
      "KIND", NULL },
    { AT(out), TROP_TYPE_TEXT, 0, 0, 0, NULL, "the picture: .pdf, .svg, .png, or .gif of paths",
      "FILE", NULL },
    { AT(title), TROP_TYPE_TEXT, 0, 0, 0, NULL, "above the picture", "TEXT", NULL },
    { AT(width), TROP_TYPE_DOUBLE, 72, 7200, 0, NULL,
      "of the picture, in points (1/72 inch); learning, sentences, words, sparsity and heads "
      "have their own",
      NULL, NULL },
    { AT(height), TROP_TYPE_DOUBLE, 72, 7200, 0, NULL, "likewise", NULL, NULL },
    { AT(x), TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "of curve: numbers of the result, such as history/step or /record/step; of a study: the "
      "option along the axis",
      "NAME", "kind=auto|curve|heat|curves|bands" },
    { AT(y), TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "of curve: likewise, several separated by commas; of a study: the other axis, or an option "
      "each "
      "of whose values is a curve",
      "NAME,...", "kind=auto|heat|curve|curves|bands|histogram" },
    { AT(against), TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "of clusters and outcomes: the option that differs from file to file, such as epsilon; what "
      "else the files differ in makes curves of their own",
      "OPTION", "kind=auto|clusters|outcomes" },
    { AT(axes), TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "of training: which two entries of the weights are drawn, counted from 0", "I,J",
      "kind=training" },
    { AT(record), TROP_TYPE_INT64, -1, 1e15, 0, NULL,
      "of graph and attention: which record is drawn; -1: the state at the end", NULL,
      "kind=graph|attention" },
    { AT(seconds), TROP_TYPE_DOUBLE, .01, 60, 0, NULL, "of a film: for each record", "SECONDS",
      "kind=auto|paths & out=*.gif" },
    { AT(of), TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "of heads: which number, such as flip, kappa or sinks.share; flip_relative (flip of arrays) "
      "when not given; of a study: the field, whose mean is drawn",
      "NAME", "kind=auto|heads|heat|curves|bands|histogram" },
    { AT(where), TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "of a study: takes points alone for which this holds, as SQL", "TEXT",
      "kind=auto|heat|curves|bands|histogram" },
    { AT(band), TROP_TYPE_CHOICE, 0, 0, 0, bands,
      "of bands: mean and standard deviation, or median and what is between 10 and 90 per cent of "
      "the points",
      NULL, "kind=bands" },
    { 0 },
};
#undef AT

const struct trop_option *trop_plot_option_table(void)
{
    return table;
}
