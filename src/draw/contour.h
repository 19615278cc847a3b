/* contour.h -- lines of equal value of an array. */
#ifndef TROP_DRAW_CONTOUR_H
#define TROP_DRAW_CONTOUR_H

#include "tropism.h"

/* A point of a line: column u and row v, as real numbers; start: a new line begins. */
typedef void trop_contour_point(void *context, double u, double v, int start);

/* Every line of values (rows, columns) at this level, through visit. Squares with a corner that is
 * NaN or infinite have none. TROP_ERR_MEMORY without room for rows x columns bytes. */
enum trop_status trop_contour(const double *values, int64_t rows, int64_t columns, double level,
                              trop_contour_point *visit, void *context);

#endif
