/* margin_check_products.c -- A W, A'lambda and r'lambda from raw data, with bounds of their errors.
 *
 * The raw points, the queries, W (or its factors) and lambda are scaled by powers of two, so that
 * the largest entry of each is in [1/2, 1); entries of lambda below 2^-200 are dropped, which any
 * lambda may suffer. Sums then run in double-double, with u = 2^-53 and the bounds of dd.h:
 *
 *   y = W z           products exact, each addition within 3 u^2 of its result:
 *                     |error_a| <= 3 columns u^2 sum_b |W_ab z_b|
 *   (A W)_j = left.y  left = x_plus - x_minus exact, products 5 u^2, additions 3 u^2:
 *                     |error| <= (3 columns + 3 rows + 5) u^2 sum_ab |left_a W_ab z_b|
 *   W = L R'          t = R'z, y = L t: 3 (columns + rank + rows) + 10 in place of that
 *   A'lambda          c_q = sum_{j asks q} lambda_j left_j, then sum_q c_q z_q':
 *                     3 (count + queries) + 10
 *
 * each up to terms of order u^3, with 16 or 24 for 5 or 10 and a factor 1 + 2^-10 for those and
 * for the rounding of the absolute sums, which are counted in double.
 *
 * Underflow. When no entry but 0 is below 2^-200, every exact number is a multiple of 2^-253 for
 * each of its (at most four) factors, 2^-1012: all products and their errors are normal or 0 and
 * nothing is lost. Else each operation loses at most 2^-1074, and fewer than 2^60 of them with
 * factors below 2^50 lose less than TINY = 2^-960, which is then added to every bound.
 */
#include "margin/margin_check_internal.h"

#include "base/linalg.h"

#include <string.h>

#define UNIT TROP_MARGIN_CHECK_UNIT
#define SLACK TROP_MARGIN_CHECK_SLACK
#define TINY 0x1p-960
#define DEEP 0x1p-200

/* ---- scaling ------------------------------------------------------------------------------ */

int trop_margin_check_scale(struct trop_margin_check_scaled *out, const double *from, int64_t count)
{
    double top = 0.0;
    int shift = 0;

    for (int64_t k = 0; k < count; k++) {
        if (!(fabs(from[k]) < (double)INFINITY)) {
            return 0;
        }
        top = fabs(from[k]) > top ? fabs(from[k]) : top;
    }
    if (top > 0.0) {
        (void)frexp(top, &shift);
    }
    out->shift = shift;
    out->deep = 0;
    for (int64_t k = 0; k < count; k++) {
        out->values[k] = ldexp(from[k], -shift);
        out->deep |= from[k] != 0.0 && fabs(out->values[k]) < DEEP;
    }
    return 1;
}

void trop_margin_check_left(struct trop_dd *out, const struct trop_margin_check_data *data,
                            int64_t j)
{
    const int64_t d = data->problem->rows;
    const int64_t plus = data->problem->plus[j], minus = data->problem->minus[j];

    for (int64_t a = 0; a < d; a++) {
        const double from = plus >= 0 ? data->point.values[plus * d + a] : 0.0;
        const double less = minus >= 0 ? data->point.values[minus * d + a] : 0.0;
        out[a] = trop_dd_sum(from, -less);
    }
}

/* |A_j|_F and whether A_j is 0, which is decided from the numbers as they were given. */
void trop_margin_check_measure(struct trop_margin_check_judge *judge, int64_t j, double *length)
{
    const struct trop_problem *problem = judge->problem;
    const int64_t d = problem->rows, columns = problem->columns;
    const int64_t plus = problem->plus[j], minus = problem->minus[j];
    int same = 1, none = 1;

    trop_margin_check_left(judge->data.left, &judge->data, j);
    for (int64_t a = 0; a < d; a++) {
        const double from = plus >= 0 ? problem->point[plus * d + a] : 0.0;
        const double less = minus >= 0 ? problem->point[minus * d + a] : 0.0;
        length[a] = judge->data.left[a].high;
        same &= from == less;
    }
    for (int64_t b = 0; b < columns; b++) {
        none &= problem->query[problem->asked[j] * columns + b] == 0.0;
    }
    judge->data.zero[j] = same || none;
    judge->data.size[j] =
        trop_linalg_norm(length, d) *
        trop_linalg_norm(judge->data.query.values + problem->asked[j] * columns, columns);
}

/* ---- A W ---------------------------------------------------------------------------------- */

/* sum_b matrix_b x_b, and the sum of the moduli. */
static void chain(struct trop_dd *sum, double *moduli, const double *matrix, const double *x,
                  int64_t n)
{
    struct trop_dd s = trop_dd_of(0.0);
    double t = 0.0;

    for (int64_t b = 0; b < n; b++) {
        s = trop_dd_add(s, trop_dd_product(matrix[b], x[b]));
        t = fma(fabs(matrix[b]), fabs(x[b]), t);
    }
    *sum = s;
    *moduli = t;
}

/* y = W z of query q. */
static void apply_dense(struct trop_margin_check_judge *judge, int64_t q)
{
    const int64_t d = judge->problem->rows, columns = judge->problem->columns;
    const double *z = judge->data.query.values + q * columns;

    for (int64_t a = 0; a < d; a++) {
        chain(&judge->sum[q * d + a], &judge->moduli[q * d + a], judge->w.values + a * columns, z,
              columns);
    }
}

/* y = L (R'z) of query q. */
static void apply_factors(struct trop_margin_check_judge *judge, int64_t q)
{
    const int64_t d = judge->problem->rows, columns = judge->problem->columns;
    const int64_t rank = judge->claim->rank;
    const double *z = judge->data.query.values + q * columns;

    for (int64_t k = 0; k < rank; k++) {
        struct trop_dd s = trop_dd_of(0.0);
        double t = 0.0;
        for (int64_t b = 0; b < columns; b++) {
            const double r = judge->right.values[b * rank + k];
            s = trop_dd_add(s, trop_dd_product(r, z[b]));
            t = fma(fabs(r), fabs(z[b]), t);
        }
        judge->inner[k] = s;
        judge->inner_moduli[k] = t;
    }
    for (int64_t a = 0; a < d; a++) {
        struct trop_dd s = trop_dd_of(0.0);
        double t = 0.0;
        for (int64_t k = 0; k < rank; k++) {
            const double l = judge->left.values[a * rank + k];
            s = trop_dd_fma(trop_dd_of(l), judge->inner[k], s);
            t = fma(fabs(l), judge->inner_moduli[k], t);
        }
        judge->sum[q * d + a] = s;
        judge->moduli[q * d + a] = t;
    }
}

static void row_value(struct trop_margin_check_judge *judge, int64_t j, double unit, double tiny)
{
    const int64_t d = judge->problem->rows, q = judge->problem->asked[j];
    struct trop_dd s = trop_dd_of(0.0);
    double t = 0.0;

    trop_margin_check_left(judge->data.left, &judge->data, j);
    for (int64_t a = 0; a < d; a++) {
        s = trop_dd_fma(judge->data.left[a], judge->sum[q * d + a], s);
        t = fma(fabs(judge->data.left[a].high), judge->moduli[q * d + a], t);
    }
    judge->values.value[j] = judge->data.zero[j] ? trop_dd_of(0.0) : s;
    judge->values.error[j] = judge->data.zero[j] ? 0.0 : t * unit * SLACK + tiny;
}

void trop_margin_check_evaluate(struct trop_margin_check_judge *judge)
{
    const struct trop_problem *problem = judge->problem;
    const int factors = judge->claim->left != NULL;
    const int deep = judge->data.point.deep || judge->data.query.deep ||
                     (factors ? judge->left.deep || judge->right.deep : judge->w.deep);
    const double rank = factors ? (double)judge->claim->rank + 3.0 : 0.0;
    const double terms = 3.0 * ((double)(problem->rows + problem->columns) + rank) + 16.0;

    for (int64_t q = 0; q < problem->queries; q++) {
        if (factors) {
            apply_factors(judge, q);
        } else {
            apply_dense(judge, q);
        }
    }
    for (int64_t j = 0; j < problem->count; j++) {
        row_value(judge, j, terms * UNIT * UNIT, deep ? TINY : 0.0);
    }
}

/* ---- A'lambda ----------------------------------------------------------------------------- */

/* What of lambda counts: not negative on inequalities, not lost beside the largest. Returns 0 when
 * an entry is not finite. */
int trop_margin_check_lambda(struct trop_margin_check_scaled *lambda, const double *from,
                             const struct trop_problem *problem)
{
    double top = 0.0;

    for (int64_t j = 0; j < problem->count; j++) {
        if (!(fabs(from[j]) < (double)INFINITY)) {
            return 0;
        }
        lambda->values[j] = !problem->equal[j] && from[j] < 0.0 ? 0.0 : from[j];
        top = fabs(lambda->values[j]) > top ? fabs(lambda->values[j]) : top;
    }
    for (int64_t j = 0; j < problem->count; j++) {
        if (fabs(lambda->values[j]) < top * (2.0 * DEEP)) {
            lambda->values[j] = 0.0;
        }
    }
    return trop_margin_check_scale(lambda, lambda->values, problem->count);
}

/* sum_{j asks q} lambda_j left_j, for every q. */
static void gather(struct trop_margin_check_judge *judge)
{
    const struct trop_problem *problem = judge->problem;
    const int64_t d = problem->rows;

    memset(judge->sum, 0, (size_t)(problem->queries * d) * sizeof *judge->sum);
    memset(judge->moduli, 0, (size_t)(problem->queries * d) * sizeof *judge->moduli);
    memset(judge->used, 0, (size_t)problem->queries * sizeof *judge->used);
    for (int64_t j = 0; j < problem->count; j++) {
        const double lambda = judge->lambda.values[j];
        const int64_t q = problem->asked[j];
        if (lambda == 0.0) {
            continue;
        }
        judge->used[q] = 1.0;
        trop_margin_check_left(judge->data.left, &judge->data, j);
        for (int64_t a = 0; a < d; a++) {
            const struct trop_dd left = judge->data.left[a];
            judge->sum[q * d + a] = trop_dd_fma(left, trop_dd_of(lambda), judge->sum[q * d + a]);
            judge->moduli[q * d + a] = fma(fabs(left.high), fabs(lambda), judge->moduli[q * d + a]);
        }
    }
}

/* Entry (a, b) of sum_q c_q z_q', rounded, with a bound of what that lost. */
static void combine_entry(struct trop_margin_check_judge *judge, int64_t a, int64_t b, double unit,
                          double tiny)
{
    const struct trop_problem *problem = judge->problem;
    const int64_t d = problem->rows, columns = problem->columns;
    struct trop_dd s = trop_dd_of(0.0);
    double t = 0.0;

    for (int64_t q = 0; q < problem->queries; q++) {
        const double z = judge->data.query.values[q * columns + b];
        if (judge->used[q] != 0.0) {
            s = trop_dd_fma(judge->sum[q * d + a], trop_dd_of(z), s);
            t = fma(judge->moduli[q * d + a], fabs(z), t);
        }
    }
    judge->matrix[a * columns + b] = s.high;
    judge->error[a * columns + b] = trop_margin_check_up(fabs(s.low) + (t * unit * SLACK + tiny));
    if (s.low == 0.0 && t == 0.0 && tiny == 0.0) {
        judge->error[a * columns + b] = 0.0;
    }
}

void trop_margin_check_combine(struct trop_margin_check_judge *judge)
{
    const struct trop_problem *problem = judge->problem;
    const double terms = 3.0 * (double)(problem->count + problem->queries) + 24.0;
    const double tiny = judge->data.point.deep || judge->data.query.deep ? TINY : 0.0;

    gather(judge);
    for (int64_t a = 0; a < problem->rows; a++) {
        for (int64_t b = 0; b < problem->columns; b++) {
            combine_entry(judge, a, b, terms * UNIT * UNIT, tiny);
        }
    }
}

/* r'lambda, rounded down: products exact but for underflow, sums within 3 count u^2. */
double trop_margin_check_payoff(const struct trop_margin_check_judge *judge)
{
    const struct trop_problem *problem = judge->problem;
    struct trop_dd s = trop_dd_of(0.0);
    double t = 0.0;

    for (int64_t j = 0; j < problem->count; j++) {
        const double lambda = judge->lambda.values[j];
        s = trop_dd_add(s, trop_dd_product(problem->right[j], lambda));
        t = fma(fabs(problem->right[j]), fabs(lambda), t);
    }
    const double unit = (3.0 * (double)problem->count + 16.0) * UNIT * UNIT;
    return trop_margin_check_least(s, t * unit * SLACK + TINY);
}

/* L R' entry by entry, with what rounding lost. */
void trop_margin_check_multiply(struct trop_margin_check_judge *judge)
{
    const int64_t rank = judge->claim->rank, columns = judge->problem->columns;
    const double tiny = judge->left.deep || judge->right.deep ? TINY : 0.0;
    const double unit = (3.0 * (double)rank + 16.0) * UNIT * UNIT;

    for (int64_t k = 0; k < judge->problem->rows * columns; k++) {
        struct trop_dd s;
        double t;
        chain(&s, &t, judge->left.values + k / columns * rank,
              judge->right.values + k % columns * rank, rank);
        judge->matrix[k] = s.high;
        judge->error[k] = trop_margin_check_up(fabs(s.low) + (t * unit * SLACK + tiny));
    }
}
