/* margin_check.c -- the judge: lower <= optimal norm <= upper from a claimed pair (W, lambda).
 *
 *   lower = r'lambda / |A'lambda|_dual      (any lambda, not negative on inequalities)
 *   upper = |W| / min_j (A W)_j             (right sides 1; others in margin_check_mend.c)
 *
 * A W and A'lambda come with error bounds (margin_check_products.c), norms are rounded up
 * (margin_check_size.c, margin_check_dense.c). Here the last operations are rounded outwards: each
 * is a single operation rounded to nearest, and the next double up or down is taken. All numbers
 * are scaled by powers of two, which are put back at the end: overflow and underflow there make a
 * bound trivial, not wrong.
 */
#include "margin/check/margin_check_internal.h"

#include "base/alloc.h"
#include "base/status.h"

#define UNIT TROP_MARGIN_CHECK_UNIT

/* ---- the two bounds ----------------------------------------------------------------------- */

static enum trop_status lower_bound(struct trop_margin_proof *out,
                                    struct trop_margin_check_judge *judge)
{
    const struct trop_problem *problem = judge->problem;
    const struct trop_margin_claim *claim = judge->claim;
    double size;

    const double paid = trop_margin_check_payoff(judge);
    if (!(paid > 0.0 && paid < (double)INFINITY)) {
        return TROP_OK;
    }
    trop_margin_check_combine(judge);
    enum trop_status status = trop_margin_check_size(&size, claim->norm, claim->p, 1, judge->matrix,
                                                     judge->error, problem->rows, problem->columns);
    if (status != TROP_OK) {
        return status;
    }
    const int64_t shift = judge->data.point.shift + judge->data.query.shift;
    const double scaled = trop_margin_check_down(paid / size);
    const double lower = trop_margin_check_down(ldexp(scaled, (int)-shift));
    out->lower = size == 0.0 ? (double)INFINITY : lower > 0.0 ? lower : 0.0;
    return TROP_OK;
}

/* sum_k |l_k| |r_k| >= |L R'|_*, for columns of the factors; scaled. */
static double factor_bound(const struct trop_margin_check_judge *judge, double *column)
{
    const int64_t d = judge->problem->rows, columns = judge->problem->columns;
    const int64_t rank = judge->claim->rank;
    double sum = 0.0;

    for (int64_t k = 0; k < rank; k++) {
        for (int64_t a = 0; a < d; a++) {
            column[a] = judge->left.values[a * rank + k];
        }
        const double l = trop_margin_check_length(column, d);
        for (int64_t b = 0; b < columns; b++) {
            column[b] = judge->right.values[b * rank + k];
        }
        const double r = trop_margin_check_length(column, columns);
        sum = trop_margin_check_up(sum + trop_margin_check_up(l * r));
    }
    return sum;
}

/* |W| of the scaled W, rounded up. */
static enum trop_status norm_bound(double *out, struct trop_margin_check_judge *judge,
                                   double *column)
{
    const struct trop_problem *problem = judge->problem;
    const struct trop_margin_claim *claim = judge->claim;

    if (!claim->left) {
        return trop_margin_check_size(out, claim->norm, claim->p, 0, judge->w.values, NULL,
                                      problem->rows, problem->columns);
    }
    if (claim->norm == TROP_MARGIN_CHECK_NUCLEAR) {
        *out = factor_bound(judge, column);
        return TROP_OK;
    }
    trop_margin_check_multiply(judge);
    return trop_margin_check_size(out, claim->norm, claim->p, 0, judge->matrix, judge->error,
                                  problem->rows, problem->columns);
}

/* c with |X| <= c |X|_F for every X. */
static double equivalence(const struct trop_margin_check_judge *judge)
{
    const int64_t d = judge->problem->rows, columns = judge->problem->columns;
    const double p = judge->claim->norm == TROP_MARGIN_CHECK_L1 ? 1.0 : judge->claim->p;
    const int64_t norm = judge->claim->norm;

    if (norm == TROP_MARGIN_CHECK_NUCLEAR) {
        return sqrt((double)(d < columns ? d : columns)) * (1.0 + 4.0 * UNIT);
    }
    if (norm == TROP_MARGIN_CHECK_L1 || (norm == TROP_MARGIN_CHECK_LP && p < 2.0)) {
        const double entries = (double)(d * columns);
        double power;
        judge->kernel->powers(&power, &entries, 1.0 / p - 0.5, 1);
        return power * (1.0 + 0x1p-40);
    }
    return 1.0;
}

/* What kinds of right sides there are. */
static void kinds(const struct trop_problem *problem, int *positive, int *nonzero)
{
    *positive = *nonzero = 0;
    for (int64_t j = 0; j < problem->count; j++) {
        *positive |= !problem->equal[j] && problem->right[j] > 0.0;
        *nonzero |= problem->equal[j] && problem->right[j] != 0.0;
    }
}

/* upper, from the norm of the scaled W and its shift. As long as no equality has a right side other
 * than 0, W may be rescaled, and its norm is divided by the least margin. */
static enum trop_status upper_bound(struct trop_margin_proof *out,
                                    struct trop_margin_check_judge *judge, double size,
                                    int64_t w_shift)
{
    const int64_t shift = judge->data.point.shift + judge->data.query.shift;
    struct trop_margin_check_mending mending;
    int positive, nonzero;

    const double one = ldexp(1.0, (int)-(shift + w_shift));
    int good = 1; /* 0: a scaled right side leaves the range of exact scaling */
    for (int64_t j = 0; j < judge->problem->count; j++) {
        const double r = judge->problem->right[j];
        judge->target[j] = r == 1.0 ? one : ldexp(r, (int)-(shift + w_shift));
        good &= r == 0.0 || (fabs(judge->target[j]) > 0x1p-900 && fabs(judge->target[j]) < 0x1p900);
    }
    kinds(judge->problem, &positive, &nonzero);
    if (!good && nonzero) {
        return TROP_OK;
    }
    enum trop_status status =
        trop_margin_check_mend(&mending, &judge->data, &judge->values, judge->target, nonzero);
    if (status != TROP_OK || !(mending.distance < (double)INFINITY)) {
        return status;
    }
    const double extra = trop_margin_check_up(equivalence(judge) * mending.distance);
    const double grown = extra == 0.0 ? size : trop_margin_check_up(size + extra);
    if (nonzero) {
        out->upper = trop_margin_check_up(ldexp(grown, (int)w_shift));
    } else if (mending.margin > 0.0) {
        const double scaled = trop_margin_check_up(grown / mending.margin);
        out->upper = trop_margin_check_up(ldexp(scaled, (int)-shift));
    }
    return TROP_OK;
}

/* ---- kappa -------------------------------------------------------------------------------- */

/* |x|_s in plain double, for kappa, on which no proof depends. */
#define CHUNK 64
static double vector_norm(const struct trop_kernel_judge *kernel, const double *x, int64_t n,
                          double s)
{
    double top = 0.0, sum = 0.0;

    for (int64_t k = 0; k < n; k++) {
        top = fabs(x[k]) > top ? fabs(x[k]) : top;
    }
    if (!(top > 0.0 && top < (double)INFINITY && s < (double)INFINITY)) {
        return top;
    }
    for (int64_t from = 0; from < n; from += CHUNK) {
        const int64_t some = n - from < CHUNK ? n - from : CHUNK;
        double share[CHUNK];
        for (int64_t k = 0; k < some; k++) {
            share[k] = fabs(x[from + k]) / top;
        }
        kernel->powers(share, share, s, some);
        for (int64_t k = 0; k < some; k++) {
            sum += share[k];
        }
    }
    kernel->powers(&sum, &sum, 1.0 / s, 1);
    return top * sum;
}

/* max_j |left_j| |z_j| in the vector norm whose product is the dual norm of rank one. */
static double widest(struct trop_margin_check_judge *judge)
{
    const struct trop_problem *problem = judge->problem;
    const int64_t norm = judge->claim->norm, d = problem->rows, columns = problem->columns;
    const double p = judge->claim->p;
    const double s = norm == TROP_MARGIN_CHECK_L1     ? (double)INFINITY
                     : norm == TROP_MARGIN_CHECK_LINF ? 1.0
                     : norm == TROP_MARGIN_CHECK_LP   ? p / (p - 1.0)
                                                      : 2.0;
    double top = 0.0;

    for (int64_t j = 0; j < problem->count && s == 2.0; j++) {
        top = judge->data.size[j] > top ? judge->data.size[j] : top;
    }
    if (s == 2.0) {
        return top;
    }
    for (int64_t q = 0; q < problem->queries; q++) {
        judge->used[q] =
            vector_norm(judge->kernel, judge->data.query.values + q * columns, columns, s);
    }
    for (int64_t j = 0; j < problem->count; j++) {
        trop_margin_check_left(judge, j);
        const double size =
            vector_norm(judge->kernel, judge->data.left, d, s) * judge->used[problem->asked[j]];
        top = size > top ? size : top;
    }
    return top;
}

/* ---- the call ----------------------------------------------------------------------------- */

static void judge_free(struct trop_margin_check_judge *judge)
{
    TROP_FREE(judge->data.point.memory, judge->data.query.memory, judge->data.left,
              judge->data.left_low, judge->data.size, judge->data.zero, judge->w.memory,
              judge->left.memory, judge->right.memory, judge->lambda.memory, judge->values.value,
              judge->values.error, judge->about, judge->origin, judge->target, judge->sum,
              judge->sum_low, judge->moduli, judge->used, judge->inner, judge->inner_low,
              judge->inner_moduli, judge->matrix, judge->error);
}

static int judge_take(struct trop_margin_check_judge *judge, const struct trop_problem *problem)
{
    const int64_t d = problem->rows, columns = problem->columns, m = problem->count;
    const int64_t rank = judge->claim->left ? judge->claim->rank : 0;
    const int64_t sums = trop_alloc_product(problem->queries, d);
    const int64_t points = trop_alloc_product(problem->points, d);
    const int64_t entries = trop_alloc_product(d, columns);

    if (!trop_margin_check_near(&judge->data.point, problem->point, points)) {
        judge->data.point.memory = trop_alloc(points, sizeof(double));
        judge->data.point.values = judge->data.point.memory;
    }
    return judge->data.point.values &&
           TROP_ALLOC(
               TROP_PART(judge->data.query.memory, trop_alloc_product(problem->queries, columns)),
               TROP_PART(judge->data.left, d), TROP_PART(judge->data.left_low, d),
               TROP_PART(judge->data.size, m), TROP_PART(judge->data.zero, m),
               TROP_PART(judge->w.memory, entries),
               TROP_PART(judge->left.memory, trop_alloc_product(d, rank)),
               TROP_PART(judge->right.memory, trop_alloc_product(columns, rank)),
               TROP_PART(judge->lambda.memory, m), TROP_PART(judge->values.value, m),
               TROP_PART(judge->values.error, m), TROP_PART(judge->about, m),
               TROP_PART(judge->origin, rank > d ? rank : d), TROP_PART(judge->target, m),
               TROP_PART(judge->sum, sums), TROP_PART(judge->sum_low, sums),
               TROP_PART(judge->moduli, sums), TROP_PART(judge->used, problem->queries),
               TROP_PART(judge->inner, rank + columns), TROP_PART(judge->inner_low, rank + columns),
               TROP_PART(judge->inner_moduli, rank + d + columns),
               TROP_PART(judge->matrix, entries), TROP_PART(judge->error, entries));
}

/* W and its least margin, unless it is not finite (or not there): then 0 is returned. */
static int judge_margin(double *out, struct trop_margin_check_judge *judge)
{
    const struct trop_problem *problem = judge->problem;
    const struct trop_margin_claim *claim = judge->claim;
    double margin = (double)INFINITY;
    int finite = claim->left || claim->w;

    if (claim->left) {
        finite &= trop_margin_check_scale(&judge->left, claim->left, problem->rows * claim->rank);
        finite &=
            trop_margin_check_scale(&judge->right, claim->right, problem->columns * claim->rank);
    } else if (claim->w) {
        finite &= trop_margin_check_scale(&judge->w, claim->w, problem->rows * problem->columns);
    }
    if (!finite) {
        return 0;
    }
    trop_margin_check_evaluate(judge);
    for (int64_t j = 0; j < problem->count; j++) {
        if (!problem->equal[j] && problem->right[j] > 0.0) {
            const double least =
                trop_margin_check_least(judge->values.value[j], judge->values.error[j]);
            margin = least < margin ? least : margin;
        }
    }
    const int64_t w_shift = claim->left ? judge->left.shift + judge->right.shift : judge->w.shift;
    const int64_t shift = judge->data.point.shift + judge->data.query.shift + w_shift;
    *out = margin < (double)INFINITY ? trop_margin_check_down(ldexp(margin, (int)shift)) : margin;
    return 1;
}

/* The margin and the upper bound. */
static enum trop_status judge_primal(struct trop_margin_proof *out,
                                     struct trop_margin_check_judge *judge)
{
    const struct trop_margin_claim *claim = judge->claim;
    double size;

    if (!judge_margin(&out->margin, judge)) {
        return TROP_OK;
    }
    const int64_t w_shift = claim->left ? judge->left.shift + judge->right.shift : judge->w.shift;
    const int64_t shift = judge->data.point.shift + judge->data.query.shift + w_shift;
    enum trop_status status =
        norm_bound(&size, judge, judge->inner_moduli + (claim->left ? claim->rank : 0));
    if (status != TROP_OK) {
        return status;
    }
    out->norm = trop_margin_check_up(ldexp(size, (int)w_shift));
    out->kappa = ldexp(widest(judge) * size, (int)shift);
    return upper_bound(out, judge, size, w_shift);
}

/* An approximation of the least margin, by which W is to be divided: what is proved of the quotient
 * does not depend on its accuracy. 0 when W is not finite. */
static int judge_about(double *out, struct trop_margin_check_judge *judge)
{
    const struct trop_problem *problem = judge->problem;

    if (judge->claim->left || !judge->claim->w ||
        !trop_margin_check_scale(&judge->w, judge->claim->w, problem->rows * problem->columns)) {
        trop_margin_check_measure(judge);
        return judge_margin(out, judge);
    }
    const double about = trop_margin_check_about(judge);
    const int64_t shift = judge->data.point.shift + judge->data.query.shift + judge->w.shift;
    if (!(about > 0.0)) {
        return judge_margin(out, judge);
    }
    *out = ldexp(about, (int)shift);
    return 1;
}

/* The numbers of the problem, scaled; 0: one is not finite. */
static int judge_read(struct trop_margin_check_judge *judge)
{
    const struct trop_problem *problem = judge->problem;

    return (!judge->data.point.memory ||
            trop_margin_check_scale(&judge->data.point, problem->point,
                                    problem->points * problem->rows)) &&
           trop_margin_check_scale(&judge->data.query, problem->query,
                                   problem->queries * problem->columns);
}

/* Both bounds. With w, W is first scaled to a least margin of about 1. */
static enum trop_status judge_all(struct trop_margin_proof *out,
                                  struct trop_margin_check_judge *judge, double *w, double *left)
{
    const struct trop_problem *problem = judge->problem;
    const struct trop_margin_claim *claim = judge->claim;
    enum trop_status status = TROP_OK;
    int positive, nonzero;
    double margin;

    if (!judge_read(judge)) {
        return TROP_OK;
    }
    if (!w) {
        trop_margin_check_measure(judge);
    } else if (judge_about(&margin, judge) && margin > 0.0 && margin < (double)INFINITY &&
               1.0 / margin < (double)INFINITY) { /* W is divided by its least margin */
        for (int64_t k = 0; k < problem->rows * problem->columns; k++) {
            w[k] *= 1.0 / margin;
        }
        for (int64_t k = 0; left && k < problem->rows * claim->rank; k++) {
            left[k] *= 1.0 / margin;
        }
    }
    status = judge_primal(out, judge);
    kinds(problem, &positive, &nonzero);
    if (!positive && !nonzero) {
        out->upper = 0.0; /* W = 0 */
    }
    if (status != TROP_OK || !claim->lambda ||
        !trop_margin_check_lambda(&judge->lambda, claim->lambda, problem)) {
        return status;
    }
    return lower_bound(out, judge);
}

enum trop_status trop_margin_check_scaling(struct trop_margin_proof *out,
                                           const struct trop_problem *problem,
                                           const struct trop_margin_claim *claim, double *w,
                                           double *left)
{
    struct trop_margin_check_judge judge = { .kernel = trop_kernel_choose(0)->judge,
                                             .problem = problem,
                                             .claim = claim,
                                             .data.problem = problem,
                                             .enough = (double)INFINITY };
    struct trop_margin_proof proof = { .upper = (double)INFINITY,
                                       .gap = (double)INFINITY,
                                       .margin = -(double)INFINITY,
                                       .norm = (double)INFINITY,
                                       .kappa = (double)INFINITY };

    if (claim->norm == TROP_MARGIN_CHECK_LP && !(claim->p > 1.0 && claim->p < (double)INFINITY)) {
        return trop_fail(TROP_ERR_ARG, "p = %g: must be above 1 and finite", claim->p);
    }
    if (!judge_take(&judge, problem)) {
        judge_free(&judge);
        return trop_fail(TROP_ERR_MEMORY, "no memory to check %lld constraints",
                         (long long)problem->count);
    }
    enum trop_status status = judge_all(&proof, &judge, w, left);
    judge_free(&judge);
    if (status != TROP_OK) {
        return status;
    }
    if (!(proof.upper >= 0.0)) {
        proof.upper = (double)INFINITY;
    }
    if (proof.upper < (double)INFINITY && proof.lower > 0.0) {
        proof.gap = trop_margin_check_up(trop_margin_check_up(proof.upper / proof.lower) - 1.0);
    } else if (proof.upper == 0.0) {
        proof.gap = 0.0;
    }
    *out = proof;
    return TROP_OK;
}

enum trop_status trop_margin_check(struct trop_margin_proof *out,
                                   const struct trop_problem *problem,
                                   const struct trop_margin_claim *claim)
{
    return trop_margin_check_scaling(out, problem, claim, NULL, NULL);
}

enum trop_status trop_margin_check_basis_dual(double *v, const struct trop_problem *problem,
                                              const double *lambda)
{
    const struct trop_margin_claim claim = { .norm = TROP_MARGIN_CHECK_SPECTRAL };
    struct trop_margin_check_judge judge = { .kernel = trop_kernel_choose(0)->judge,
                                             .problem = problem,
                                             .claim = &claim,
                                             .data.problem = problem };
    enum trop_status status = TROP_OK;

    if (!judge_take(&judge, problem)) {
        status = trop_fail(TROP_ERR_MEMORY, "no memory for the multipliers of %lld constraints",
                           (long long)problem->count);
    } else if (!judge_read(&judge) || !trop_margin_check_lambda(&judge.lambda, lambda, problem)) {
        status = trop_fail(TROP_ERR_NUMERIC, "a number of the problem is not finite");
    } else {
        trop_margin_check_combine(&judge);
        status = trop_margin_check_basis(v, judge.matrix, problem->rows, problem->columns);
    }
    judge_free(&judge);
    return status;
}
