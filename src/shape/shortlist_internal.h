/* shortlist_internal.h -- what the files of the shortlist share. */
#ifndef TROP_SHAPE_SHORTLIST_INTERNAL_H
#define TROP_SHAPE_SHORTLIST_INTERNAL_H

#include "attend/fan.h"
#include "shape/shortlist.h"

/* A polytope inside the hull, by its facets: shortlist_sieve.c. */
struct trop_shortlist_sieve;

enum trop_status trop_shortlist_sieve_create(struct trop_shortlist_sieve **out, int64_t d,
                                             int64_t workers);
void trop_shortlist_sieve_free(struct trop_shortlist_sieve *sieve);

/* The polytope of a few of the tokens list (count) of x, the outermost ones. */
enum trop_status trop_shortlist_sieve_make(struct trop_shortlist_sieve *sieve, const double *x,
                                           const int64_t *list, int64_t count);
/* 1 when its corners are where they were. */
int trop_shortlist_sieve_holds(const struct trop_shortlist_sieve *sieve, const double *x,
                               int64_t n);
/* The tokens of list (count), or of 0 .. count - 1 when list is NULL, that are not proved to be
 * strictly inside: out (count), in order; out may be list. Returns how many. */
int64_t trop_shortlist_sieve_run(int64_t *out, const struct trop_shortlist_sieve *sieve,
                                 const double *x, const int64_t *list, int64_t count);

/* map: lower triangular, such that map scale (x - centre) is round for the points at (m, d);
 * returns how much it magnifies rounding (shortlist_map.c). */
double trop_shortlist_map(double map[][TROP_FAN_DIMENSIONS], const double *at, int64_t m, int64_t d,
                          const double *centre, double scale);

#endif
