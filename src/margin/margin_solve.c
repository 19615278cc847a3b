/* margin_solve.c -- one max-margin problem in one norm: solver, judge, outcome.
 *
 * The l2 problem comes first, whatever the norm: feasibility does not depend on the norm, and its
 * solution is where the other solvers start. What is returned is decided by the judge alone:
 *
 *   upper: the better of the two W, lower: the better of the two lambda (bounds hold one by one);
 *   solved when upper / lower - 1 <= max(tolerance, 8 u kappa), kappa = max_j |A_j|_dual |W|,
 *   since storing W in double already moves A W by u kappa;
 *   infeasible when there is a proof (margin_farkas.c); else what the solver says of its end.
 */
#include "margin/margin_solve.h"

#include "base/alloc.h"
#include "base/lapack.h"
#include "base/status.h"
#include "margin/norm.h"

#include <math.h>
#include <string.h>

#define UNIT 0x1p-53

/* ---- memory ------------------------------------------------------------------------------- */

void trop_margin_solve_close(struct trop_margin_solved *solved)
{
    trop_model_free(&solved->made);
    TROP_FREE(solved->w, solved->left, solved->right, solved->lambda, solved->judged, solved->size,
              solved->shown);
    *solved = (struct trop_margin_solved){ 0 };
}

static int64_t least(const struct trop_problem *problem)
{
    return problem->rows < problem->columns ? problem->rows : problem->columns;
}

enum trop_status trop_margin_solve_open(struct trop_margin_solved *out,
                                        struct trop_model_problem *made)
{
    struct trop_margin_solved solved = { .made = *made, .outcome = TROP_OUTCOME_NONE };
    const struct trop_problem *problem = &solved.made.problem;
    const int64_t size = trop_alloc_product(problem->rows, problem->columns);

    *made = (struct trop_model_problem){ 0 };
    if (!TROP_ALLOC(
            TROP_PART(solved.w, size), TROP_PART(solved.lambda, problem->count),
            TROP_PART(solved.judged, problem->count), TROP_PART(solved.size, problem->count),
            TROP_PART(solved.shown, problem->count),
            TROP_PART(solved.left, trop_alloc_product(problem->rows, least(problem))),
            TROP_PART(solved.right, trop_alloc_product(problem->columns, least(problem))))) {
        trop_margin_solve_close(&solved);
        return trop_fail(TROP_ERR_MEMORY, "no memory for the solution of %lld constraints",
                         (long long)problem->count);
    }
    *out = solved;
    return TROP_OK;
}

/* ---- the judge's words --------------------------------------------------------------------- */

/* What a pair proves, after W has been scaled to a least margin of 1. With left the factors are
 * scaled, and W with them. */
static enum trop_status judge(struct trop_margin_proof *out, const struct trop_problem *problem,
                              const struct trop_margin_settings *settings,
                              struct trop_norm_answer *pair)
{
    const struct trop_norm *norm = trop_norm_of(settings->norm);
    struct trop_margin_claim claim = {
        .norm = norm->judged,
        .p = trop_norm_exponent(norm, settings->p),
        .w = pair->w,
        .lambda = pair->lambda,
    };

    if (pair->rank > 0) {
        claim.left = pair->left;
        claim.right = pair->right;
        claim.rank = pair->rank;
    }
    int ones = 0; /* right sides that a scale of W can meet */
    for (int64_t j = 0; j < problem->count; j++) {
        ones |= !problem->equal[j] && problem->right[j] == 1;
    }
    if (ones && trop_rows_scalable(problem)) {
        return trop_margin_check_scaling(out, problem, &claim, pair->w,
                                         pair->rank > 0 ? pair->left : NULL);
    }
    return trop_margin_check(out, problem, &claim);
}

/* ---- the two solves ------------------------------------------------------------------------- */

static struct trop_norm_task task_of(const struct trop_margin_solved *solved,
                                     struct trop_rows *rows,
                                     const struct trop_margin_settings *settings)
{
    return (struct trop_norm_task){
        .problem = &solved->made.problem,
        .rows = rows,
        .p = settings->p,
        .tolerance = solved->tolerance,
        .iterations = settings->iterations,
        .threads = settings->threads,
        .progress = settings->progress,
        .context = settings->context,
    };
}

/* The better W and the better lambda of the two go to solved. */
static void keep_better(struct trop_margin_solved *solved, const struct trop_norm_answer *other,
                        const struct trop_margin_proof *proof)
{
    const struct trop_problem *problem = &solved->made.problem;
    struct trop_margin_proof *mine = &solved->proof;
    const double lower = fmax(mine->lower, proof->lower);

    /* Better: a smaller norm, or factors that say its rank and are within the tolerance. */
    if (proof->upper <= mine->upper ||
        (other->rank > 0 && trop_margin_solve_gap(lower, proof->upper) <= solved->tolerance)) {
        memcpy(solved->w, other->w, (size_t)(problem->rows * problem->columns) * sizeof(double));
        memcpy(solved->left, other->left, (size_t)(problem->rows * other->rank) * sizeof(double));
        memcpy(solved->right, other->right,
               (size_t)(problem->columns * other->rank) * sizeof(double));
        solved->rank = other->rank;
        mine->upper = proof->upper;
        mine->margin = proof->margin;
        mine->norm = proof->norm;
        mine->kappa = proof->kappa;
    }
    if (proof->lower >= mine->lower) {
        memcpy(solved->lambda, other->lambda, (size_t)problem->count * sizeof(double));
        mine->lower = proof->lower;
    }
}

/* The quotient and the difference are each rounded once, within u; nextafter rounds them up. */
double trop_margin_solve_gap(double lower, double upper)
{
    if (!(lower > 0) || !isfinite(upper)) {
        return upper == 0 ? 0 : INFINITY;
    }
    double ratio = nextafter(upper / lower, INFINITY);
    return nextafter(ratio - 1, INFINITY);
}

/* Solves in the norm asked for, from the l2 solution that solved holds. */
static enum trop_status solve_norm(struct trop_margin_solved *solved, struct trop_rows *rows,
                                   const struct trop_margin_settings *settings, int64_t *end)
{
    const struct trop_problem *problem = &solved->made.problem;
    struct trop_norm_task task = task_of(solved, rows, settings);
    struct trop_margin_proof proof = { 0 };
    const int64_t size = problem->rows * problem->columns, r = least(problem);
    const int64_t total = size + problem->count + (problem->rows + problem->columns) * r;
    double *memory = trop_alloc(total, sizeof *memory);

    if (!memory) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a second solution");
    }
    struct trop_norm_answer answer = {
        .w = memory,
        .lambda = memory + size,
        .left = memory + size + problem->count,
        .right = memory + size + problem->count + problem->rows * r,
    };
    task.w = solved->w;
    task.lambda = solved->lambda;
    enum trop_status status = trop_norm_of(settings->norm)->solve(&answer, &task);
    const int stopped = status == TROP_ERR_STOPPED;
    if (status == TROP_OK) {
        status = judge(&proof, problem, settings, &answer);
    }
    if (stopped) { /* stopped without an answer: that of l2 stays */
        *end = TROP_NORM_LIMIT;
        status = TROP_OK;
    } else if (status == TROP_OK) {
        keep_better(solved, &answer, &proof);
        solved->iterations += answer.iterations;
        *end = answer.end;
    }
    trop_alloc_free(memory);
    return status;
}

static int is_l2(const struct trop_margin_settings *settings)
{
    return trop_norm_exponent(trop_norm_of(settings->norm), settings->p) == 2;
}

static enum trop_status solve_l2(struct trop_margin_solved *solved, struct trop_rows *rows,
                                 const struct trop_margin_settings *settings, int64_t *end)
{
    struct trop_norm_task task = task_of(solved, rows, settings);
    struct trop_norm_answer answer = {
        .w = solved->w, .lambda = solved->lambda, .left = solved->left, .right = solved->right
    };
    enum trop_status status = trop_norm_l2.solve(&answer, &task);

    if (status == TROP_OK) {
        status = judge(&solved->proof, &solved->made.problem, settings, &answer);
    }
    solved->iterations = answer.iterations;
    *end = answer.end;
    return status;
}

/* ---- the outcome ---------------------------------------------------------------------------- */

/* Tries to prove that there is no W; the multipliers that show it replace lambda. */
static enum trop_status refute(struct trop_margin_solved *solved)
{
    const struct trop_problem *problem = &solved->made.problem;
    double *weights = trop_alloc(problem->count, sizeof *weights);

    if (!weights) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a proof of infeasibility");
    }
    enum trop_status status =
        trop_margin_farkas(&solved->farkas, solved->shown, weights, problem, solved->lambda);
    if (status == TROP_OK && solved->farkas.kind != TROP_MARGIN_FARKAS_NONE) {
        memset(solved->lambda, 0, (size_t)problem->count * sizeof *solved->lambda);
        for (int64_t k = 0; k < solved->farkas.count; k++) {
            solved->lambda[solved->shown[k]] = weights[k];
        }
        memset(solved->w, 0, (size_t)(problem->rows * problem->columns) * sizeof *solved->w);
        solved->outcome = TROP_OUTCOME_INFEASIBLE;
        solved->proof.upper = INFINITY;
        solved->rank = 0;
    }
    trop_alloc_free(weights);
    return status;
}

/* A gap of more than 1 is no solution, however ill-conditioned the data are. */
#define WIDEST 1.0

static void decide(struct trop_margin_solved *solved, int64_t end)
{
    const struct trop_problem *problem = &solved->made.problem;
    const double rounding = fmin(8 * UNIT * solved->proof.kappa, WIDEST);
    double total = 0;

    solved->proof.gap = trop_margin_solve_gap(solved->proof.lower, solved->proof.upper);
    solved->tolerance = fmax(solved->tolerance, rounding);
    solved->outcome = solved->proof.gap <= solved->tolerance ? TROP_OUTCOME_SOLVED
                      : end == TROP_NORM_LIMIT || end == TROP_NORM_LARGE
                          ? TROP_OUTCOME_ITERATION_LIMIT
                          : TROP_OUTCOME_STALLED;
    solved->large = end == TROP_NORM_LARGE;
    memcpy(solved->judged, solved->lambda, (size_t)problem->count * sizeof *solved->judged);
    /* lambda as multipliers of min |W|: |A' lambda|_dual <= 1 and r' lambda = lower. */
    for (int64_t j = 0; j < problem->count; j++) {
        if (solved->lambda[j] != 0) {
            total = fma(problem->right[j], solved->lambda[j], total);
        }
    }
    const double factor = solved->proof.lower / total;
    for (int64_t j = 0; total > 0 && isfinite(factor) && j < problem->count; j++) {
        solved->lambda[j] *= factor;
    }
}

enum trop_status trop_margin_solve(struct trop_margin_solved *solved,
                                   const struct trop_margin_settings *settings)
{
    const struct trop_norm *norm = trop_norm_of(settings->norm);
    struct trop_rows *rows = NULL;
    int64_t end = TROP_NORM_DONE;
    const struct trop_problem *problem = &solved->made.problem;
    /* Where W is a vector, the l2 solver seldom needs the differences of points. */
    enum trop_status status = is_l2(settings) && problem->columns == 1 && problem->queries == 1
                                  ? trop_rows_create_bare(&rows, problem, settings->threads)
                                  : trop_rows_create(&rows, problem, settings->threads);

    if (status != TROP_OK) {
        return status;
    }
    memcpy(solved->size, rows->size, (size_t)problem->count * sizeof *solved->size);
    trop_lapack_threads_one(); /* the last bits of BLAS depend on its number of threads */
    solved->tolerance = settings->tolerance > 0 ? settings->tolerance
                        : norm->tolerance_of    ? norm->tolerance_of(settings->p)
                                                : norm->tolerance;
    solved->rank = 0;
    solved->outcome = TROP_OUTCOME_NONE;
    solved->large = 0;
    solved->proof = (struct trop_margin_proof){ 0 };
    solved->farkas = (struct trop_margin_farkas){ 0 };
    status = solve_l2(solved, rows, settings, &end);
    if (status == TROP_OK && end == TROP_NORM_INFEASIBLE) {
        status = refute(solved);
    } else if (status == TROP_OK && !is_l2(settings) &&
               (end == TROP_NORM_DONE ||
                (end == TROP_NORM_STALLED && isfinite(solved->proof.upper)))) {
        /* Another solver can start from a W that is feasible, if not as close as was asked for. */
        status = solve_norm(solved, rows, settings, &end);
    }
    trop_rows_free(rows);
    if (status == TROP_OK && solved->outcome != TROP_OUTCOME_INFEASIBLE) {
        decide(solved, end);
    }
    return status;
}
