/* model_internal.h -- what the files of model.h share. */
#ifndef TROP_MARGIN_MODEL_INTERNAL_H
#define TROP_MARGIN_MODEL_INTERNAL_H

#include "margin/model/model.h"

/* Sizes of a problem to be made. */
struct trop_model_sizes {
    int64_t rows, columns, points, queries;
    int64_t count;       /* of constraints, at most; negative: they cannot be counted */
    const double *point; /* (points, rows) of another, who keeps them; NULL: to be filled in */
};

/* A constraint <(x_plus - x_minus) z_asked', W> = or >= right. */
struct trop_model_row {
    int64_t plus, minus, asked, equal;
    double right;
    int64_t input, token;
};

/* A problem with room for the sizes, all zero, and no constraint yet. */
enum trop_status trop_model_begin(struct trop_model_problem *out,
                                  const struct trop_model_sizes *sizes);
/* The points (points, rows) and queries (queries, columns), to be filled in. */
double *trop_model_points(struct trop_model_problem *made);
double *trop_model_queries(struct trop_model_problem *made);
/* One more constraint; there is room. */
void trop_model_add(struct trop_model_problem *made, const struct trop_model_row *row);

/* Graph-SVM; the data have been checked. */
enum trop_status trop_model_graph(struct trop_model_problem *out, const struct trop_data *data);

#endif
