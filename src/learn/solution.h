/* solution.h -- max-margin solutions that trained weights are compared with. */
#ifndef TROP_LEARN_SOLUTION_H
#define TROP_LEARN_SOLUTION_H

#include "tropism.h"

/* The data that the model reads: sequences ask by every token where there is no query for each. */
struct trop_data trop_solution_data(const struct trop_data *data, int64_t model);
/* The problem whose constraints the weights of a model (enum trop_train_model) are to satisfy; the
 * selection and the norm are the caller's to set. */
struct trop_margin_options trop_solution_options(const struct trop_data *data, int64_t model,
                                                 int64_t mask, int64_t row, int64_t threads);
/* Solves it, after *out, which may be NULL, is released; alpha and tied are as for
 * trop_margin_create_for. *out is NULL when there is no solution, or
 * none was found, also because progress, which may be NULL, asked to stop: that is no failure of
 * the run that asks. */
enum trop_status trop_solution_make(struct trop_margin **out,
                                    const struct trop_margin_options *options, const int64_t *alpha,
                                    int tied, trop_progress *progress, void *context);
#endif
