/* lyapunov.h -- candidates for a quantity that does not rise. */
#ifndef TROP_SHAPE_LYAPUNOV_H
#define TROP_SHAPE_LYAPUNOV_H

#include "attend/attend.h"

/* A value and a bound of its rounding error, so that a rise can be told from noise. */
struct trop_lyapunov {
    double value, error;
};

/* Hegselmann-Krause: sum_ij m_i m_j min(|x_i - x_j|^2, r2), i and j over all pairs, both
 * orders. mass NULL: all 1. */
struct trop_lyapunov trop_lyapunov_potential(const double *x, const double *mass, int64_t n,
                                             int64_t d, double r2);
/* Directed Dirichlet energy: sum_i m_i sum_{j in C_i} m_j |x_i - x_j|^2, over the sets of
 * the loaded set rule: hardmax's maximisers, localmax's neighbours. NaN for other rules. */
struct trop_lyapunov trop_lyapunov_dirichlet(struct trop_attend *attend);
/* max_i |x_i - centre|. */
struct trop_lyapunov trop_lyapunov_spread(const double *x, int64_t n, int64_t d,
                                          const double *centre);
/* Support function along +e_1, -e_1, +e_2, ...: out (2 d); exact. */
void trop_lyapunov_support(double *out, const double *x, int64_t n, int64_t d);

#endif
