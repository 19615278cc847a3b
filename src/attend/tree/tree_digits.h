/* tree_digits.h -- tokens as whole numbers, so that sums over them are exact.
 *
 * Coordinates are counted from the low corner of the cloud, in units of 2^-57 of (a power of
 * two above) its longest side: q_jc in [0, 2^57]. Without masses the columns of a token are
 * its q_jc, and an average less its token is
 *
 *   ( sum_C q_jc - |C| q_ic ) / |C|   units,
 *
 * whole numbers up to the division. Masses are whole numbers mu_j <= 2^56, in units of 2^-56
 * of a power of two above the largest; the columns are mu_j and the two halves of mu_j q_jc,
 * p = p_high 2^56 + p_low, and the average less the token is
 *
 *   ( sum_C mu_j q_jc - q_ic sum_C mu_j ) / sum_C mu_j   units.
 */
#ifndef TROP_ATTEND_TREE_DIGITS_H
#define TROP_ATTEND_TREE_DIGITS_H

#include "attend/tree/tree_wide.h"

/* Sums of that many tokens fit what holds them. */
#define TROP_TREE_DIGITS_MOST (INT64_C(1) << 27)

struct trop_tree_digits {
    double low[TROP_KERNEL_HALF_D];  /* corners of the cloud of tokens */
    double high[TROP_KERNEL_HALF_D]; /* (not of keys) */
    int halves;                      /* 1: differences are taken of halves, or would overflow */
    int shift;                       /* q = (x - low, or half of it) 2^shift */
    double unit[2];                  /* two factors whose product is 2^shift */
    double mass_unit[2];             /* the same for masses */
    double mass_error;               /* max |mu - mass in units| */
};

/* Units for the tokens of a scene. */
void trop_tree_digits_measure(struct trop_tree_digits *digits, const struct trop_scene *scene);

/* How many columns a scene's tokens have. */
int64_t trop_tree_digits_columns(const struct trop_scene *scene);

/* Hashes and columns of every token into the digits of the tree. */
void trop_tree_digits_fill(struct trop_tree_wide *wide, struct trop_tree_digits *digits,
                           const struct trop_scene *scene, int64_t workers);

/* A set's average less token i, from the totals of the set (count, hash, low parts, high
 * parts): out (d). Returns a bound of its error, divided by max_j |x_j - x_i|. */
double trop_tree_digits_displace(double *out, const struct trop_tree_digits *digits,
                                 const struct trop_scene *scene, const uint64_t *total, int64_t i);

#endif
