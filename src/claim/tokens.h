/* tokens.h -- clouds of tokens for claims.
 *
 * The drawing functions set "tokens" (n, d) unless the case has them, as every draw does.
 */
#ifndef TROP_CLAIM_TOKENS_H
#define TROP_CLAIM_TOKENS_H

#include "claim/case.h"

void trop_tokens_gaussian(struct trop_case *c, int64_t n, int64_t d); /* N(0, I) */
void trop_tokens_uniform(struct trop_case *c, int64_t n, int64_t d);  /* [-1, 1]^d */
void trop_tokens_sphere(struct trop_case *c, int64_t n, int64_t d);
/* 2 half points x and -x: the origin is in every hull on the way. */
void trop_tokens_symmetric(struct trop_case *c, int64_t half, int64_t d);
/* A cloud of theorem 4.2 for B = I: kappa vertices on the unit sphere, each of which owns its cell,
 * and n - kappa tokens inside their convex hull and off the walls, by a margin. Vertices are drawn
 * again until they are well apart. */
void trop_tokens_own_cells(struct trop_case *c, int64_t kappa, int64_t n, int64_t d);

/* ---- what a person gave ----
 *
 * Judges compare with rounding errors, u |A| R^2 of a score, and some square scores: numbers from
 * 1e-50 to 1e50 keep all of these in the range of double. */

/* Refuses tokens, and matrices A, B, V and Q of the case, whose largest entry is not of such a size
 * (nothing but zeros is fine), and matrices that are not square as the tokens are long. The drawing
 * functions above do; a draw that places tokens itself calls it. */
void trop_tokens_check(const struct trop_case *c);
/* Refuses an entry whose largest number is not of such a size. */
enum trop_status trop_tokens_size(const struct trop_case *c, const char *name);
/* trop_case_default of a whole number from least to most; another one is refused. */
enum trop_status trop_tokens_count(struct trop_case *c, const char *name, double value,
                                   double least, double most);
/* 1 for factors that may scale tokens: from 1e-50 to 1e50 in size. */
int trop_tokens_moderate(double factor);
/* The allowance for rounding in a line about numbers of this size. It is infinity, which leaves the
 * line open, where the allowance would hide a thousandth of the size. */
double trop_tokens_allow(double allowance, double size);

/* ---- sizes: neither overflow nor underflow on the way ---- */

double trop_tokens_dot(const double *x, const double *y, int64_t d);
double trop_tokens_norm(const double *x, int64_t d);
double trop_tokens_distance(const double *x, const double *y, int64_t d);
/* The largest distance of two tokens, and the largest norm. */
double trop_tokens_diameter(const double *x, int64_t n, int64_t d);
double trop_tokens_radius(const double *x, int64_t n, int64_t d);
/* The same of clouds (n, d) as views. */
double trop_tokens_diameter_of(struct trop_view x);
double trop_tokens_radius_of(struct trop_view x);

#endif
