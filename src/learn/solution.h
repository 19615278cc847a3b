/* solution.h -- max-margin solutions that trained weights are compared with. */
#ifndef TROP_LEARN_SOLUTION_H
#define TROP_LEARN_SOLUTION_H

#include "tropism.h"

/* The problem whose constraints the weights of a model (enum trop_train_model) are to satisfy; the
 * selection and the norm are the caller's to set. */
struct trop_margin_options trop_solution_options(const struct trop_data *data, int64_t model,
                                                 int64_t mask, int64_t row, int64_t threads);
/* Solves it, after *out, which may be NULL, is released. *out is NULL when there is no solution, or
 * none was found, also because progress, which may be NULL, asked to stop: that is no failure of
 * the run that asks. */
enum trop_status trop_solution_make(struct trop_margin **out,
                                    const struct trop_margin_options *options,
                                    trop_progress *progress, void *context);
/* "3,2,6" of (count) tokens, owned by the caller; NULL when there is no memory. */
char *trop_solution_select(const int64_t *alpha, int64_t count);

#endif
