/* basis_pivot.c -- the dual simplex method in double-double, from a basis that is nearly optimal.
 *
 * Every variable has two finite bounds, so every basis is dual feasible once each variable outside
 * of it sits at the bound that the sign of its reduced cost asks for; the method of choice is
 * then the dual one, and it needs no first phase. With R the active rows, C the basic columns:
 *
 *   M_RC' y_R = cost_C,   d = cost - M' y            multipliers, reduced costs
 *   M_RC x_C = bound_R - M_RN x_N                    the point
 *
 * A basic variable v beyond a bound leaves. Its slopes against the variables q outside of the
 * basis come from one more system, M_RC' h = e_v (a column) or M_vC' (a row; then h_v = -1):
 * dv/dx_k = -(M' h)_k, dv/d(activity j) = h_j. The q with the least |d_q / slope_q| among those
 * that can move v back enters (largest slope among ties). Every LAPS-th pass over the basis goes by
 * the smallest indices instead, Bland's rule, which leaves every cycle but is slow.
 *
 * What zero is: x and y are rounded to double in the end, which moves M_j x by u sum_k |M_jk x_k|
 * and d_k by u sum_j |M_jk y_j|, u = 2^-53. A violation of 1/8 of that is none. The errors of
 * double-double lie 2^50 / (order and condition) below.
 */
#include "margin/linear/basis.h"

#include "margin/linear/clp.h"

#include <math.h>
#include <string.h>

#define NONE 0x1p-56

/* Slopes below this part of their terms are no pivots. */
#define FLAT 0x1p-44

/* Every LAPS-th pass over the basis follows Bland's rule. */
#define LAPS 4

/* ---- the point and the multipliers of a basis ---------------------------------------------- */

static double bound_of(const struct trop_basis *basis, int64_t v)
{
    return basis->state[v] == TROP_CLP_UPPER ? basis->upper[v] : basis->lower[v];
}

/* The reduced cost of any variable outside of the basis, 0 when within rounding of it. */
static double slope_of_cost(const struct trop_basis *basis, int64_t v, double largest)
{
    const int row = v >= basis->columns;
    const double d = row ? basis->y[v - basis->columns].high : basis->reduced[v].high;
    const double size = row ? largest : basis->reduced_size[v];
    return fabs(d) <= NONE * size ? 0 : d;
}

static double largest_multiplier(const struct trop_basis *basis)
{
    double largest = 0;
    for (int64_t p = 0; p < basis->rank; p++) {
        largest = fmax(largest, fabs(basis->y[basis->active[p]].high));
    }
    return largest;
}

static void multipliers(struct trop_basis *basis)
{
    memset(basis->y, 0, (size_t)basis->count * sizeof *basis->y);
    for (int64_t p = 0; p < basis->rank; p++) {
        basis->solved[p] = trop_dd_of(basis->cost[basis->basic[p]]);
    }
    trop_basis_factor_transposed(basis->solved, basis);
    for (int64_t p = 0; p < basis->rank; p++) {
        basis->y[basis->active[p]] = basis->solved[p];
    }
    trop_basis_combine(basis->reduced, basis->reduced_size, basis, basis->y);
    for (int64_t k = 0; k < basis->columns; k++) {
        basis->reduced[k] = trop_dd_less(trop_dd_of(basis->cost[k]), basis->reduced[k]);
        basis->reduced_size[k] += fabs(basis->cost[k]);
    }
    /* Each variable outside of the basis to the bound that its reduced cost asks for. */
    const double largest = largest_multiplier(basis);
    for (int64_t v = 0; v < basis->columns + basis->count; v++) {
        const double d = basis->state[v] == TROP_CLP_BASIC ? 0 : slope_of_cost(basis, v, largest);
        if (d != 0) {
            basis->state[v] = d > 0 ? TROP_CLP_LOWER : TROP_CLP_UPPER;
        }
    }
}

static void point(struct trop_basis *basis)
{
    for (int64_t k = 0; k < basis->columns; k++) {
        const int basic = basis->state[k] == TROP_CLP_BASIC;
        basis->x[k] = trop_dd_of(basic ? 0.0 : bound_of(basis, k));
    }
    trop_basis_values(basis);
    for (int64_t p = 0; p < basis->rank; p++) {
        const int64_t j = basis->active[p];
        const struct trop_dd bound = trop_dd_of(bound_of(basis, basis->columns + j));
        basis->solved[p] = trop_dd_less(bound, basis->value[j]);
    }
    trop_basis_factor_solve(basis->solved, basis);
    for (int64_t p = 0; p < basis->rank; p++) {
        basis->x[basis->basic[p]] = basis->solved[p];
    }
    trop_basis_values(basis);
}

/* ---- one pivot ------------------------------------------------------------------------------ */

/* How far variable v is beyond its bounds: negative below, positive above, 0 within rounding. */
static double beyond(const struct trop_basis *basis, int64_t v, double largest)
{
    const int row = v >= basis->columns;
    const struct trop_dd value = row ? basis->value[v - basis->columns] : basis->x[v];
    const double size = row ? basis->value_size[v - basis->columns] : largest;
    const double below = trop_dd_less(value, trop_dd_of(basis->lower[v])).high;
    const double above = trop_dd_less(value, trop_dd_of(basis->upper[v])).high;

    if (below < -NONE * size) {
        return below;
    }
    return above > NONE * size ? above : 0;
}

/* The basic variable farthest beyond its bounds, or with bland the first; -1: none is. */
static int64_t leaving(double *by, const struct trop_basis *basis, int bland)
{
    double largest = 0;
    int64_t best = -1;

    for (int64_t k = 0; k < basis->columns; k++) {
        largest = fmax(largest, fabs(basis->x[k].high));
    }
    *by = 0;
    for (int64_t v = 0; v < basis->columns + basis->count; v++) {
        if (basis->state[v] != TROP_CLP_BASIC) {
            continue;
        }
        const double far = beyond(basis, v, largest);
        if (fabs(far) > fabs(*by) && !(bland && best >= 0)) {
            *by = far;
            best = v;
        }
    }
    return best;
}

/* row = h and slope = M' h for the leaving variable. */
static void slopes(struct trop_basis *basis, int64_t v)
{
    for (int64_t p = 0; p < basis->rank; p++) {
        const int64_t k = basis->basic[p];
        basis->solved[p] = v >= basis->columns ? trop_basis_entry(basis, v - basis->columns, k)
                                               : trop_dd_of(k == v ? 1.0 : 0.0);
    }
    trop_basis_factor_transposed(basis->solved, basis);
    memset(basis->row, 0, (size_t)basis->count * sizeof *basis->row);
    for (int64_t p = 0; p < basis->rank; p++) {
        basis->row[basis->active[p]] = basis->solved[p];
    }
    if (v >= basis->columns) {
        basis->row[v - basis->columns] = trop_dd_of(-1.0);
    }
    trop_basis_combine(basis->slope, basis->slope_size, basis, basis->row);
}

/* How fast v comes back when q moves away from its bound; 0 when it does not. */
static double gain(const struct trop_basis *basis, int64_t q, double by, double largest)
{
    const int row = q >= basis->columns;
    const double slope = row ? basis->row[q - basis->columns].high : -basis->slope[q].high;
    const double size = row ? largest : basis->slope_size[q];
    const double inwards = basis->state[q] == TROP_CLP_UPPER ? -slope : slope;
    const double back = by < 0 ? inwards : -inwards;

    return back > FLAT * size && basis->lower[q] < basis->upper[q] ? back : 0;
}

/* The variable that enters; -1: none can. Ratios that agree to FLAT are ties. */
static int64_t entering(const struct trop_basis *basis, double by, int bland)
{
    const double multiplier = largest_multiplier(basis);
    double least = INFINITY, best_gain = 0, weight = 0;
    int64_t best = -1;

    for (int64_t j = 0; j < basis->count; j++) {
        weight = fmax(weight, fabs(basis->row[j].high));
    }
    for (int64_t q = 0; q < basis->columns + basis->count; q++) {
        const double g = basis->state[q] == TROP_CLP_BASIC ? 0 : gain(basis, q, by, weight);
        if (g == 0) {
            continue;
        }
        const double ratio = fabs(slope_of_cost(basis, q, multiplier)) / g;
        const int tie = best >= 0 && fabs(ratio - least) <= FLAT * least;
        if ((!tie && ratio < least) || (tie && !bland && g > best_gain)) {
            least = ratio;
            best_gain = g;
            best = q;
        }
    }
    return best;
}

int64_t trop_basis_pivot(struct trop_basis *basis, int64_t *pivots, trop_progress *progress,
                         void *context)
{
    const int64_t most = *pivots;

    for (*pivots = 0;; (*pivots)++) {
        const int bland = *pivots / (basis->most + 10) % LAPS == LAPS - 1;
        double by;
        trop_basis_factor(basis);
        multipliers(basis);
        point(basis);
        const int64_t out = leaving(&by, basis, bland);
        if (out < 0) {
            return TROP_BASIS_OPTIMAL;
        }
        if (*pivots >= most) {
            return TROP_BASIS_LIMIT;
        }
        if (progress && progress(context, *pivots, most) != 0) {
            return TROP_BASIS_STOPPED;
        }
        slopes(basis, out);
        const int64_t in = entering(basis, by, bland);
        if (in < 0) {
            return TROP_BASIS_EMPTY;
        }
        basis->state[out] = by < 0 ? TROP_CLP_LOWER : TROP_CLP_UPPER;
        basis->state[in] = TROP_CLP_BASIC;
    }
}
