/* margin_farkas_internal.h -- what the files of the proof of infeasibility share. */
#ifndef TROP_MARGIN_FARKAS_INTERNAL_H
#define TROP_MARGIN_FARKAS_INTERNAL_H

#include "margin/check/margin_check_internal.h"

/* Unknowns of a system that is solved: larger ones are not tried. */
#define TROP_MARGIN_FARKAS_LARGEST 256

/* Constraints that are looked at together, in the coordinates that they use: coordinate c of row k
 * is left_a z_b with a = across[c], b = down[c]; left_a alone when all ask the same query. */
struct trop_margin_farkas_set {
    const struct trop_margin_check_data *data;
    int64_t count; /* of rows */
    int64_t *row;  /* (count) constraints */
    double *sign;  /* (count) -1 for equalities that are used turned round, else 1 */
    int alone;     /* 1: all ask the same query, not 0 */
    int64_t k;     /* coordinates */
    int64_t *across, *down;
    double *column; /* (count, k) rows of length 1 in these coordinates, with their signs */
    double *size;   /* (count) their lengths before; 0: the row is left out */
};

/* A combination of rows of a set that is to vanish: multiplier weight[i] of sign A of row place[i],
 * lambda = sign weight. The first `free` of them are to be solved for, the others stand. */
struct trop_margin_farkas_guess {
    int64_t count, free;
    int64_t *place;
    double *weight;
};

/* Coordinate c of row `place` of a set, with a relative error of 5 u^2 (or none: alone). */
struct trop_dd trop_margin_farkas_entry(const struct trop_margin_farkas_set *set, int64_t place,
                                        int64_t c);

/* A_j = 0, number by number. */
int trop_margin_farkas_zero(const struct trop_problem *problem, int64_t j);
/* Chooses the coordinates of the rows in a set; across and down have room for all. None (k = 0)
 * when nothing can vanish but with all multipliers 0. */
enum trop_status trop_margin_farkas_coordinates(struct trop_margin_farkas_set *set);
/* The unit columns of a set and their lengths. */
enum trop_status trop_margin_farkas_columns(struct trop_margin_farkas_set *set);

/* Of the coordinates in list (count) of the differences of points, or of the queries, keeps those
 * that suffice for a set, by the exact rank; all of them when that takes too long.
 * *independent: 1 when the rows are, in these coordinates. */
enum trop_status trop_margin_farkas_rank_side(int64_t *list, int64_t *count, int *independent,
                                              const struct trop_margin_farkas_set *set,
                                              int queries);
/* Keeps those coordinates of a set that suffice for the rows of a guess (NULL: for all). */
enum trop_status trop_margin_farkas_rank_rows(struct trop_margin_farkas_set *set, int *independent,
                                              const struct trop_margin_farkas_guess *guess);

/* A circuit: rows that are just dependent, by non-negative least squares with r'lambda = 1.
 * Leaves out->count = 0 when none is near. place, weight: (count of the set). */
enum trop_status trop_margin_farkas_circuit(struct trop_margin_farkas_guess *out,
                                            const struct trop_margin_farkas_set *set);
/* All rows with multipliers at least 1 (of unit rows), k of them free and independent. */
enum trop_status trop_margin_farkas_inside(struct trop_margin_farkas_guess *out,
                                           const struct trop_margin_farkas_set *set);

/* Is there a solution near the guess? The weights are improved. *proved: 1 or 0. */
enum trop_status trop_margin_farkas_solve(int *proved, struct trop_margin_farkas_guess *guess,
                                          const struct trop_margin_farkas_set *set);
/* Is a multiple of the guess, rounded to whole numbers, an exact solution? The weights become it.
 */
enum trop_status trop_margin_farkas_whole(int *proved, struct trop_margin_farkas_guess *guess,
                                          const struct trop_margin_farkas_set *set);
/* A'lambda = 0 and r'lambda > 0 for lambda = sign weight, exactly. */
enum trop_status trop_margin_farkas_vanishes(int *proved,
                                             const struct trop_margin_farkas_guess *guess,
                                             const struct trop_margin_farkas_set *set);

#endif
