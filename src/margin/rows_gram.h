/* rows_gram.h -- inner products of constraints, weighted entry by entry. */
#ifndef TROP_MARGIN_ROWS_GRAM_H
#define TROP_MARGIN_ROWS_GRAM_H

#include "margin/rows.h"

/* out_st = <A_j, H o A_k>, j = list[s], k = list[t], with the weights H of the entries of W;
 * both triangles. list NULL: all constraints, count of them; else any order, repeats allowed.
 * weight NULL: H = 1. out: (count, count), weight: (rows, columns), list: (count).
 * Uses rows->made as scratch. */
void trop_rows_gram(double *out, struct trop_rows *rows, const double *weight, const int64_t *list,
                    int64_t count);

#endif
