/* margin_check_products.c -- A W, A'lambda and r'lambda from raw data, with bounds of their errors.
 *
 * The raw points, the queries, W (or its factors) and lambda are scaled by powers of two, so that
 * the largest entry of each is in [1/2, 1); points whose largest is between 2^-8 and 2^8 are used
 * as they are, which saves a copy and moves no bound by more than that. Entries of lambda below
 * 2^-200 are dropped, which any lambda may suffer. Sums then run in double-double, with u = 2^-53
 * and the bounds of dd.h:
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
#include "margin/check/margin_check_internal.h"

#include <string.h>

#define UNIT TROP_MARGIN_CHECK_UNIT
#define SLACK TROP_MARGIN_CHECK_SLACK
#define TINY 0x1p-960
#define DEEP 0x1p-200
#define NEAR 0x1p8
#define DOUBT 0x1p-40
#define FAR 500

/* ---- scaling ------------------------------------------------------------------------------ */

int trop_margin_check_near(struct trop_margin_check_scaled *out, const double *from, int64_t count)
{
    double least;
    const double top = trop_kernel_choose(0)->judge->range(&least, from, count);

    if (!(top >= 1.0 / NEAR && top < NEAR)) {
        return 0;
    }
    out->values = from;
    out->shift = 0;
    out->deep = least < DEEP;
    return 1;
}

int trop_margin_check_scale(struct trop_margin_check_scaled *out, const double *from, int64_t count)
{
    double least;
    const double top = trop_kernel_choose(0)->judge->range(&least, from, count);
    int shift = 0;

    if (!(top < (double)INFINITY)) {
        return 0;
    }
    if (top > 0.0) {
        (void)frexp(top, &shift);
    }
    out->values = out->memory;
    out->shift = shift;
    /* A product with a power of two is what ldexp gives; two of them where one is too large. */
    const double first = ldexp(1.0, shift < -1000 ? 1000 : -shift);
    const double second = ldexp(1.0, shift < -1000 ? -shift - 1000 : 0);
    for (int64_t k = 0; k < count; k++) {
        out->memory[k] = from[k] * first * second;
    }
    out->deep = least * first * second < DEEP;
    return 1;
}

void trop_margin_check_left(struct trop_margin_check_judge *judge, int64_t j)
{
    const double *point = judge->data.point.values;
    const int64_t d = judge->problem->rows;
    const int64_t plus = judge->problem->plus[j], minus = judge->problem->minus[j];

    judge->kernel->differences(judge->data.left, judge->data.left_low,
                               plus >= 0 ? point + plus * d : judge->origin,
                               minus >= 0 ? point + minus * d : judge->origin, d);
}

/* |x| of numbers of at most 2, within (n / 8 + 8) u. */
static double length(const struct trop_margin_check_judge *judge, const double *x, int64_t n)
{
    const double square = judge->kernel->dot(x, x, n);

    return square > 0x1p-900 ? sqrt(square) : trop_margin_check_length(x, n);
}

/* Leaves the lengths of the queries in used, and marks in data.zero the rows that are 0. */
static void queries_measure(struct trop_margin_check_judge *judge)
{
    const struct trop_problem *problem = judge->problem;
    const int64_t d = problem->rows, columns = problem->columns;

    for (int64_t q = 0; q < problem->queries; q++) {
        int none = 1;
        for (int64_t b = 0; b < columns && none; b++) {
            none = problem->query[q * columns + b] == 0.0;
        }
        judge->moduli[q * d] = none;
        judge->used[q] = length(judge, judge->data.query.values + q * columns, columns);
    }
    for (int64_t j = 0; j < problem->count; j++) {
        const int64_t plus = problem->plus[j], minus = problem->minus[j];
        int same = 1; /* x_plus = x_minus, by the numbers as they were given */
        for (int64_t a = 0; a < d && same; a++) {
            const double from = plus >= 0 ? problem->point[plus * d + a] : 0.0;
            const double less = minus >= 0 ? problem->point[minus * d + a] : 0.0;
            same = from == less;
        }
        judge->data.zero[j] = same || judge->moduli[problem->asked[j] * d] != 0.0;
    }
}

/* |A_j|_F = |x_plus - x_minus| |z|, and whether A_j is 0, which is decided from the numbers as they
 * were given. */
void trop_margin_check_measure(struct trop_margin_check_judge *judge)
{
    const struct trop_problem *problem = judge->problem;

    queries_measure(judge);
    for (int64_t j = 0; j < problem->count; j++) {
        trop_margin_check_left(judge, j);
        judge->data.size[j] =
            length(judge, judge->data.left, problem->rows) * judge->used[problem->asked[j]];
    }
}

/* ---- A W ---------------------------------------------------------------------------------- */

/* y = L (R'z) of query q. */
static void apply_factors(struct trop_margin_check_judge *judge, int64_t q)
{
    const struct trop_kernel_judge *kernel = judge->kernel;
    const int64_t d = judge->problem->rows, columns = judge->problem->columns;
    const int64_t rank = judge->claim->rank;
    const double *z = judge->data.query.values + q * columns;

    memset(judge->inner, 0, (size_t)rank * sizeof *judge->inner);
    memset(judge->inner_low, 0, (size_t)rank * sizeof *judge->inner_low);
    memset(judge->inner_moduli, 0, (size_t)rank * sizeof *judge->inner_moduli);
    for (int64_t b = 0; b < columns; b++) {
        kernel->grow_by_pair(judge->inner, judge->inner_low, judge->inner_moduli, trop_dd_of(z[b]),
                             fabs(z[b]), judge->right.values + b * rank, rank);
    }
    for (int64_t a = 0; a < d; a++) {
        const struct trop_dd y = kernel->sum_of_pairs(
            &judge->moduli[q * d + a], judge->left.values + a * rank, judge->origin, judge->inner,
            judge->inner_low, judge->inner_moduli, rank);
        judge->sum[q * d + a] = y.high;
        judge->sum_low[q * d + a] = y.low;
    }
}

/* Pointers to the points of the rows of a list; the origin where a row has none. */
static void points_of(const double **plus, const double **minus,
                      const struct trop_margin_check_judge *judge, const int64_t *list,
                      int64_t rows)
{
    const struct trop_problem *problem = judge->problem;
    const double *point = judge->data.point.values;
    const int64_t d = problem->rows;

    for (int64_t r = 0; r < rows; r++) {
        const int64_t from = problem->plus[list[r]], to = problem->minus[list[r]];
        plus[r] = from >= 0 ? point + from * d : judge->origin;
        minus[r] = to >= 0 ? point + to * d : judge->origin;
    }
}

/* Values and error bounds of the rows of a list, which all ask the same query. */
static void rows_value(struct trop_margin_check_judge *judge, const int64_t *list, int64_t rows,
                       double unit, double tiny)
{
    const struct trop_problem *problem = judge->problem;
    const int64_t d = problem->rows, from = problem->asked[list[0]] * d;
    const double *plus[TROP_LANES] = { 0 }, *minus[TROP_LANES] = { 0 };
    double high[TROP_LANES], low[TROP_LANES], t[TROP_LANES];

    points_of(plus, minus, judge, list, rows);
    judge->kernel->sums_of_differences(high, low, t, plus, minus, rows, judge->sum + from,
                                       judge->sum_low + from, judge->moduli + from, d);
    for (int64_t r = 0; r < rows; r++) {
        const int zero = judge->data.zero[list[r]];
        judge->values.value[list[r]] = zero ? trop_dd_of(0.0) : (struct trop_dd){ high[r], low[r] };
        judge->values.error[list[r]] = zero ? 0.0 : t[r] * unit * SLACK + tiny;
    }
}

/* Lists the next rows from j on, all of one query and at most TROP_LANES of them, that have to be
 * evaluated; rows that cannot be the least are passed over. Returns the row after them. */
static int64_t rows_next(int64_t *list, int64_t *rows, struct trop_margin_check_judge *judge,
                         int64_t j)
{
    const struct trop_problem *problem = judge->problem;

    for (*rows = 0; j < problem->count && *rows < TROP_LANES; j++) {
        if (judge->about[j] > judge->enough) {
            judge->values.value[j] = trop_dd_of((double)INFINITY);
            judge->values.error[j] = 0.0;
        } else if (*rows > 0 && problem->asked[j] != problem->asked[list[0]]) {
            break;
        } else {
            list[(*rows)++] = j;
        }
    }
    return j;
}

void trop_margin_check_evaluate(struct trop_margin_check_judge *judge)
{
    const struct trop_problem *problem = judge->problem;
    const int factors = judge->claim->left != NULL;
    const int deep = judge->data.point.deep || judge->data.query.deep ||
                     (factors ? judge->left.deep || judge->right.deep : judge->w.deep);
    const double rank = factors ? (double)judge->claim->rank + 3.0 : 0.0;
    const double terms = 3.0 * ((double)(problem->rows + problem->columns) + rank) + 16.0;
    int64_t list[TROP_LANES], rows;

    for (int64_t q = 0; q < problem->queries; q++) {
        if (factors) {
            apply_factors(judge, q);
        } else {
            const int64_t d = problem->rows, columns = problem->columns;
            judge->kernel->sums(judge->sum + q * d, judge->sum_low + q * d, judge->moduli + q * d,
                                judge->w.values, columns, d, judge->data.query.values + q * columns,
                                columns);
        }
    }
    for (int64_t j = 0; j < problem->count;) {
        j = rows_next(list, &rows, judge, j);
        if (rows > 0) {
            rows_value(judge, list, rows, terms * UNIT * UNIT, deep ? TINY : 0.0);
        }
    }
}

/* ---- about A W --------------------------------------------------------------------------------
 *
 * In double, of W before it is divided by its least margin, to find that and the rows that can be
 * the least afterwards. With s_j >= sum_ab |left_a W_ab z_b|, made of lengths of the rows of W, the
 * value v_j is within doubt = max_j (rows + columns + 8) u s_j of (A W)_j. The W' that is judged in
 * the end is t W with entries rounded once more, so that (A W')_j is within u s_j t of t (A W)_j:
 * when v_j > least + 8 doubt,
 *
 *   (A W')_j >= t (v_j - 2 doubt) > t (least + 2 doubt) >= min_k (A W')_k,
 *
 * that is, row j is not the least, and need not be evaluated. This needs that nothing underflows,
 * W' not either, and that only the least counts: all constraints are inequalities with right side
 * 1. The entries of W' but 0 are above 2^-200 / least 2^-shift of the data.
 */

/* 1 when only the least margin counts, and products do not underflow. */
static int is_plain(const struct trop_margin_check_judge *judge)
{
    const struct trop_problem *problem = judge->problem;
    const int64_t shift = judge->data.point.shift + judge->data.query.shift;
    int plain = !judge->data.point.deep && !judge->data.query.deep && !judge->w.deep &&
                shift > -FAR && shift < FAR;

    for (int64_t j = 0; j < problem->count && plain; j++) {
        plain = !problem->equal[j] && problem->right[j] == 1.0;
    }
    return plain;
}

/* Values, s_j and lengths of a group of rows of one query; the least value of those that ask for a
 * margin, NaN coming through, and the largest s_j. */
static void rows_measure(double *least, double *most, struct trop_margin_check_judge *judge,
                         const int64_t *list, int64_t rows)
{
    const struct trop_problem *problem = judge->problem;
    const int64_t d = problem->rows, q = problem->asked[list[0]];
    const double *plus[TROP_LANES] = { 0 }, *minus[TROP_LANES] = { 0 };
    double value[TROP_LANES], size[TROP_LANES], square[TROP_LANES];

    points_of(plus, minus, judge, list, rows);
    judge->kernel->measures_of_differences(value, size, square, plus, minus, rows,
                                           judge->sum + q * d, judge->moduli + q * d, d);
    for (int64_t r = 0; r < rows; r++) {
        const int64_t j = list[r];
        judge->about[j] = value[r];
        if (square[r] > 0x1p-900) {
            judge->data.size[j] = sqrt(square[r]) * judge->used[q];
        } else {
            trop_margin_check_left(judge, j);
            judge->data.size[j] = length(judge, judge->data.left, d) * judge->used[q];
        }
        if (!problem->equal[j] && problem->right[j] > 0.0) {
            *least = !(value[r] >= *least) ? value[r] : *least;
            *most = size[r] > *most ? size[r] : *most;
        }
    }
}

double trop_margin_check_about(struct trop_margin_check_judge *judge)
{
    const struct trop_problem *problem = judge->problem;
    const int64_t d = problem->rows, columns = problem->columns;
    double least = (double)INFINITY, most = 0.0;
    int64_t list[TROP_LANES], rows;

    queries_measure(judge);
    for (int64_t q = 0; q < problem->queries; q++) {
        const double *z = judge->data.query.values + q * columns;
        for (int64_t a = 0; a < d; a++) {
            const double *row = judge->w.values + a * columns;
            judge->sum[q * d + a] = judge->kernel->dot(row, z, columns);
            judge->moduli[q * d + a] = sqrt(judge->kernel->dot(row, row, columns)) * judge->used[q];
        }
    }
    for (int64_t j = 0; j < problem->count;) {
        j = rows_next(list, &rows, judge, j);
        rows_measure(&least, &most, judge, list, rows);
    }
    const double doubt = most * ((double)(d + columns + 8) * UNIT);
    if (!(least < (double)INFINITY && doubt < DOUBT * least)) {
        return -1.0;
    }
    judge->enough = is_plain(judge) ? least + 8.0 * doubt : (double)INFINITY;
    return least;
}

/* ---- A'lambda ----------------------------------------------------------------------------- */

/* Scales lambda, with negative entries of inequalities and entries that are negligible beside the
 * largest set to 0. Returns 0 when an entry is not finite. */
int trop_margin_check_lambda(struct trop_margin_check_scaled *lambda, const double *from,
                             const struct trop_problem *problem)
{
    double top = 0.0;

    for (int64_t j = 0; j < problem->count; j++) {
        if (!(fabs(from[j]) < (double)INFINITY)) {
            return 0;
        }
        lambda->memory[j] = !problem->equal[j] && from[j] < 0.0 ? 0.0 : from[j];
        top = fabs(lambda->memory[j]) > top ? fabs(lambda->memory[j]) : top;
    }
    for (int64_t j = 0; j < problem->count; j++) {
        if (fabs(lambda->memory[j]) < top * (2.0 * DEEP)) {
            lambda->memory[j] = 0.0;
        }
    }
    return trop_margin_check_scale(lambda, lambda->memory, problem->count);
}

/* sum_{j asks q} lambda_j left_j, for every q. */
static void gather(struct trop_margin_check_judge *judge)
{
    const struct trop_problem *problem = judge->problem;
    const int64_t d = problem->rows;

    memset(judge->sum, 0, (size_t)(problem->queries * d) * sizeof *judge->sum);
    memset(judge->sum_low, 0, (size_t)(problem->queries * d) * sizeof *judge->sum_low);
    memset(judge->moduli, 0, (size_t)(problem->queries * d) * sizeof *judge->moduli);
    memset(judge->used, 0, (size_t)problem->queries * sizeof *judge->used);
    for (int64_t j = 0; j < problem->count; j++) {
        const double lambda = judge->lambda.values[j];
        const int64_t q = problem->asked[j];
        if (lambda == 0.0) {
            continue;
        }
        judge->used[q] = 1.0;
        trop_margin_check_left(judge, j);
        judge->kernel->grow(judge->sum + q * d, judge->sum_low + q * d, judge->moduli + q * d,
                            judge->data.left, judge->data.left_low, lambda, d);
    }
}

/* Row a of sum_q c_q z_q', rounded, with a bound of what that lost. */
static void combine_row(struct trop_margin_check_judge *judge, int64_t a, double unit, double tiny)
{
    const struct trop_problem *problem = judge->problem;
    const int64_t d = problem->rows, columns = problem->columns;
    const int64_t rank = judge->claim->left ? judge->claim->rank : 0;
    double *sum = judge->matrix + a * columns, *error = judge->error + a * columns;
    double *low = judge->inner_low + rank, *moduli = judge->inner + rank;

    memset(sum, 0, (size_t)columns * sizeof *sum);
    memset(low, 0, (size_t)columns * sizeof *low);
    memset(moduli, 0, (size_t)columns * sizeof *moduli);
    for (int64_t q = 0; q < problem->queries; q++) {
        if (judge->used[q] != 0.0) {
            const struct trop_dd c = { judge->sum[q * d + a], judge->sum_low[q * d + a] };
            judge->kernel->grow_by_pair(sum, low, moduli, c, judge->moduli[q * d + a],
                                        judge->data.query.values + q * columns, columns);
        }
    }
    for (int64_t b = 0; b < columns; b++) {
        const int exact = low[b] == 0.0 && moduli[b] == 0.0 && tiny == 0.0;
        const double lost = fabs(low[b]) + (moduli[b] * unit * SLACK + tiny);
        error[b] = exact ? 0.0 : trop_margin_check_up(lost);
    }
}

void trop_margin_check_combine(struct trop_margin_check_judge *judge)
{
    const struct trop_problem *problem = judge->problem;
    const double terms = 3.0 * (double)(problem->count + problem->queries) + 24.0;
    const double tiny = judge->data.point.deep || judge->data.query.deep ? TINY : 0.0;

    gather(judge);
    for (int64_t a = 0; a < problem->rows; a++) {
        combine_row(judge, a, terms * UNIT * UNIT, tiny);
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
        if (lambda == 0.0) { /* as 0 times a right side, which is finite */
            continue;
        }
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
        double t;
        const struct trop_dd s = judge->kernel->sum(&t, judge->left.values + k / columns * rank,
                                                    judge->right.values + k % columns * rank, rank);
        judge->matrix[k] = s.high;
        judge->error[k] = trop_margin_check_up(fabs(s.low) + (t * unit * SLACK + tiny));
    }
}
