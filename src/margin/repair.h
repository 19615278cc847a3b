/* repair.h -- a nearly feasible W made feasible to working precision, its rank kept. */
#ifndef TROP_MARGIN_REPAIR_H
#define TROP_MARGIN_REPAIR_H

#include "margin/rows.h"

struct trop_repair;

/* For factors of up to rank columns; rank 0: for a full W. */
enum trop_status trop_repair_create(struct trop_repair **out, struct trop_rows *rows, int64_t rank);
void trop_repair_free(struct trop_repair *repair);

struct trop_repair_report {
    double margin; /* least value over the inequalities with right side 1; infinity: none */
    double below;  /* how far an equality is missed, of |A_j| |W|; infinity when an inequality is
                      missed that no factor can mend */
};

/* W = left right' moves by little so that every constraint holds that held but for a small error.
 * right NULL: W = left. left: (rows, rank) or (rows, columns), right: (columns, rank). */
void trop_repair_factors(struct trop_repair_report *out, struct trop_repair *repair, double *left,
                         double *right, int64_t rank);

/* The best approximation of W by so many columns, with orthogonal columns in left and in right,
 * |left_k| = |right_k| = sqrt(sigma_k). values: (min(rows, columns)) singular values of W, which is
 * destroyed. work: (rows + columns) min(rows, columns). Returns 0 when W is not finite. */
int trop_repair_balance(double *left, double *right, int64_t rank, double *values, double *w,
                        int64_t rows, int64_t columns, double *work);

#endif
