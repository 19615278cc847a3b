/* proof_margin.c -- what is proved of a max-margin problem: kinds of claims of the verb margin.
 *
 * W proves upper, the multipliers as they were judged prove lower, and both together what follows
 * from being near the optimum. Several selections (ATT-SVM') have a lower bound each: only that of
 * a single one is written. */
#include "run/proof/proof_margin.h"

#include "base/alloc.h"
#include "base/status.h"
#include "margin/norm.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_MULTIPLIERS 150 /* that the checker eliminates, of an enclosed proof */
#define MOST_EQUATIONS 120   /* that it mends */
#define NEGLIGIBLE 0x1p-199  /* of the largest multiplier: what the judge leaves out */

static const struct trop_margin *margin_of(const struct trop_job *job)
{
    return job->numbers;
}

/* The same with what it tells of its solution, which is found when a field of that is read; what
 * is not found is not known, and proves nothing. */
static const struct trop_margin *told_of(const struct trop_job *job)
{
    struct trop_value told;

    (void)trop_margin_value(&told, margin_of(job), "rank");
    return margin_of(job);
}

static int is_feasible(const struct trop_margin *margin)
{
    return margin->solved.outcome != TROP_OUTCOME_NONE && isfinite(margin->solved.proof.upper);
}

/* Of one selection, whose multipliers are at hand; 0 is a bound as well. */
static int is_bounded(const struct trop_margin *margin)
{
    const struct trop_margin_solved *solved = &margin->solved;

    return solved->outcome != TROP_OUTCOME_NONE && solved->outcome != TROP_OUTCOME_INFEASIBLE &&
           margin->combinations <= 1 && isfinite(solved->proof.lower);
}

int trop_proof_margin_bounded(const struct trop_margin *margin)
{
    return is_bounded(margin) && margin->solved.proof.lower > 0;
}

/* The norm in words, as the checker says it. */
static const char *norm_words(char words[80], const struct trop_margin *margin)
{
    if (margin->options.norm == TROP_MARGIN_LP) {
        snprintf(words, 80, "l_p norm, p = %.17g,", margin->options.p);
    } else {
        snprintf(words, 80, "%s norm", trop_norm_of(margin->options.norm)->name);
    }
    return words;
}

static void put_doubles(struct trop_proof *proof, const char *name, const double *values,
                        int64_t rows, int64_t columns)
{
    if (values) {
        trop_proof_doubles(proof, name, values, rows, columns);
    } else {
        trop_proof_null(proof, name);
    }
}

/* ---- weights and multipliers ----------------------------------------------------------------- */

/* W, or its factors where it was judged by them. */
static void put_weights(struct trop_proof *proof, const struct trop_margin *margin)
{
    const struct trop_margin_solved *solved = &margin->solved;
    const struct trop_problem *problem = &solved->made.problem;
    const int64_t rank = solved->rank;

    put_doubles(proof, "weights", rank > 0 ? NULL : solved->w, problem->rows, problem->columns);
    put_doubles(proof, "left", rank > 0 ? solved->left : NULL, problem->rows, rank);
    put_doubles(proof, "right", rank > 0 ? solved->right : NULL, problem->columns, rank);
}

/* 1 when multiplier j counts: the judge leaves out what is negligible, and what an inequality
 * must not have. */
static int counts(const struct trop_problem *problem, const double *values, int64_t j, double top)
{
    return values[j] != 0 && fabs(values[j]) >= top && (problem->equal[j] || values[j] > 0);
}

static double least_that_counts(const struct trop_problem *problem, const double *values)
{
    double top = 0;

    for (int64_t j = 0; j < problem->count; j++) {
        if (problem->equal[j] || values[j] > 0) {
            top = fmax(top, fabs(values[j]));
        }
    }
    return top * NEGLIGIBLE;
}

enum trop_status trop_proof_margin_multipliers(struct trop_proof *proof,
                                               const struct trop_margin *margin,
                                               const double *values)
{
    const struct trop_problem *problem = &margin->solved.made.problem;
    const double top = least_that_counts(problem, values);
    double *kept = trop_alloc(problem->count, sizeof *kept);
    int64_t *at = trop_alloc(problem->count, sizeof *at), count = 0;
    enum trop_status status = TROP_OK;

    if (kept && at) {
        for (int64_t j = 0; j < problem->count; j++) {
            if (counts(problem, values, j, top)) {
                at[count] = j;
                kept[count++] = values[j];
            }
        }
        trop_proof_integers(proof, "at", at, count, -1);
        trop_proof_doubles(proof, "multipliers", kept, count, -1);
    } else {
        status = trop_fail(TROP_ERR_MEMORY, "proof: no memory for %lld multipliers",
                           (long long)problem->count);
    }
    TROP_FREE(kept, at);
    return status;
}

/* ---- bases ----------------------------------------------------------------------------------- */

static int is_singular(const struct trop_margin *margin)
{
    return trop_norm_of(margin->options.norm)->singular != 0;
}

/* Of the shorter side of W. */
static int64_t side_of(const struct trop_margin *margin)
{
    const struct trop_problem *problem = &margin->solved.made.problem;

    return problem->rows < problem->columns ? problem->rows : problem->columns;
}

/* The first `columns` vectors of the basis of W or, dual, of A'lambda of the multipliers as they
 * were judged. */
static enum trop_status put_basis(struct trop_proof *proof, const struct trop_margin *margin,
                                  int dual, int64_t columns)
{
    const struct trop_margin_solved *solved = &margin->solved;
    const struct trop_problem *problem = &solved->made.problem;
    const int64_t n = side_of(margin);
    double *basis = trop_alloc(trop_alloc_product(n, n), sizeof *basis);

    if (!basis) {
        return trop_fail(TROP_ERR_MEMORY, "proof: no memory for a basis of %lld", (long long)n);
    }
    const enum trop_status status =
        dual ? trop_margin_check_basis_dual(basis, problem, solved->judged)
             : trop_margin_check_basis(basis, solved->w, problem->rows, problem->columns);
    if (status == TROP_OK) {
        for (int64_t k = 0; k < n * columns; k++) {
            basis[k] = basis[k / columns * n + k % columns];
        }
        trop_proof_doubles(proof, "basis", basis, n, columns);
    }
    trop_alloc_free(basis);
    return status;
}

/* ---- margin-upper and margin-lower ----------------------------------------------------------- */

static enum trop_status put_of(struct trop_proof *proof, const struct trop_margin *margin)
{
    const enum trop_status status = trop_proof_margin_problem(proof, margin);

    trop_proof_margin_norm(proof, margin);
    return status;
}

static int64_t upper_count(const struct trop_job *job)
{
    const struct trop_problem *problem = &margin_of(job)->solved.made.problem;
    int64_t equations = 0;

    for (int64_t j = 0; j < problem->count; j++) {
        equations += problem->equal[j] != 0;
    }
    return is_feasible(margin_of(job)) && equations <= MOST_EQUATIONS;
}

static enum trop_status upper_write(struct trop_proof *proof, const struct trop_job *job, int64_t k)
{
    const struct trop_margin *margin = margin_of(job);
    const struct trop_margin_solved *solved = &margin->solved;
    const struct trop_problem *problem = &solved->made.problem;
    char words[80];

    (void)k;
    trop_proof_says(proof, "A W with %s at most %.17g satisfies the %lld constraints.",
                    norm_words(words, margin), solved->proof.upper, (long long)problem->count);
    trop_proof_symbols(proof, "|W| <= %.17g, A W >= r", solved->proof.upper);
    enum trop_status status = put_of(proof, margin);
    trop_proof_double(proof, "value", solved->proof.upper);
    trop_proof_witness(proof);
    put_weights(proof, margin);
    if (is_singular(margin) && solved->rank == 0) {
        return status == TROP_OK ? put_basis(proof, margin, 0, side_of(margin)) : status;
    }
    trop_proof_null(proof, "basis");
    return status;
}

static int64_t lower_count(const struct trop_job *job)
{
    return is_bounded(margin_of(job));
}

static enum trop_status lower_write(struct trop_proof *proof, const struct trop_job *job, int64_t k)
{
    const struct trop_margin *margin = margin_of(job);
    const double lower = margin->solved.proof.lower;
    char words[80];

    (void)k;
    trop_proof_says(proof, "Every W that satisfies the %lld constraints has %s at least %.17g.",
                    (long long)margin->solved.made.problem.count, norm_words(words, margin), lower);
    trop_proof_symbols(proof, "A W >= r implies |W| >= %.17g", lower);
    enum trop_status status = put_of(proof, margin);
    trop_proof_double(proof, "value", lower);
    trop_proof_witness(proof);
    if (status == TROP_OK) {
        status = trop_proof_margin_multipliers(proof, margin, margin->solved.judged);
    }
    if (status == TROP_OK && is_singular(margin)) {
        return put_basis(proof, margin, 1, side_of(margin));
    }
    trop_proof_null(proof, "basis");
    return status;
}

/* ---- margin-infeasible ----------------------------------------------------------------------- */

static int64_t infeasible_count(const struct trop_job *job)
{
    const struct trop_margin *margin = margin_of(job);

    return margin->solved.outcome == TROP_OUTCOME_INFEASIBLE && margin->combinations <= 1 &&
           (margin->solved.farkas.kind != TROP_MARGIN_FARKAS_SOLVE ||
            margin->solved.farkas.count <= MOST_MULTIPLIERS);
}

static enum trop_status infeasible_write(struct trop_proof *proof, const struct trop_job *job,
                                         int64_t k)
{
    const struct trop_margin *margin = margin_of(job);

    (void)k;
    trop_proof_says(proof, "No W satisfies the %lld constraints.",
                    (long long)margin->solved.made.problem.count);
    trop_proof_symbols(proof, "A W >= r has no solution");
    const enum trop_status status = trop_proof_margin_problem(proof, margin);
    trop_proof_witness(proof);
    return status == TROP_OK ? trop_proof_margin_multipliers(proof, margin, margin->solved.lambda)
                             : status;
}

/* ---- what follows from being near the optimum ------------------------------------------------ */

/* 1 when the W of least norm is one, near ours, by norms of entries: margin_check's distance. */
static int is_near(const struct trop_margin *margin)
{
    const struct trop_problem *problem = &margin->solved.made.problem;
    const int64_t norm = margin->options.norm;
    int plain = (norm == TROP_MARGIN_L2 || norm == TROP_MARGIN_LP) && is_feasible(margin) &&
                trop_proof_margin_bounded(margin) && margin->solved.rank == 0;

    for (int64_t j = 0; plain && j < problem->count; j++) {
        plain = !problem->equal[j] && problem->right[j] == 1;
    }
    return plain;
}

static enum trop_status put_both(struct trop_proof *proof, const struct trop_margin *margin)
{
    put_weights(proof, margin);
    trop_proof_double(proof, "upper", margin->solved.proof.upper);
    trop_proof_double(proof, "lower", margin->solved.proof.lower);
    return trop_proof_margin_multipliers(proof, margin, margin->solved.judged);
}

static int64_t local_count(const struct trop_job *job)
{
    const struct trop_margin *margin = told_of(job);
    const struct trop_data *data = &margin->data.data;

    return is_near(margin) && margin->view.local == TROP_SELECTION_YES && data->n > 0 && data->x &&
           data->y && data->v && data->labels <= 1 && data->heads <= 1;
}

static enum trop_status local_write(struct trop_proof *proof, const struct trop_job *job, int64_t k)
{
    const struct trop_margin *margin = margin_of(job);
    char words[80];

    (void)k;
    norm_words(words, margin);
    if (margin->options.norm == TROP_MARGIN_LP) {
        words[strlen(words) - 1] = '\0'; /* its comma */
    }
    trop_proof_says(proof,
                    "The selection is locally optimal in the %s: at the W of least norm, "
                    "tokens with as high a score have a margin above 1.",
                    words);
    trop_proof_symbols(proof, "y_i v'x_it >= y_i v'x_ia implies <x_ia - x_it, W* z_i> > 1");
    enum trop_status status = put_of(proof, margin);
    trop_proof_witness(proof);
    trop_proof_null(proof, "basis");
    return status == TROP_OK ? put_both(proof, margin) : status;
}

static int64_t rank_count(const struct trop_job *job)
{
    const struct trop_margin *margin = told_of(job);

    return is_near(margin) && margin->options.norm == TROP_MARGIN_L2 && margin->view.rank >= 0;
}

static enum trop_status rank_write(struct trop_proof *proof, const struct trop_job *job, int64_t k)
{
    const struct trop_margin *margin = margin_of(job);
    const int64_t low = margin->view.rank, high = margin->view.rank_upper;

    (void)k;
    trop_proof_says(proof, "The W of least l2 norm has a rank from %lld to %lld.", (long long)low,
                    (long long)high);
    trop_proof_symbols(proof, "%lld <= rank W* <= %lld", (long long)low, (long long)high);
    enum trop_status status = put_of(proof, margin);
    trop_proof_integer(proof, "low", low);
    trop_proof_integer(proof, "high", high);
    trop_proof_witness(proof);
    if (status == TROP_OK && low > 0) {
        status = put_basis(proof, margin, 0, low);
    } else {
        trop_proof_null(proof, "basis");
    }
    return status == TROP_OK ? put_both(proof, margin) : status;
}

static int64_t tail_count(const struct trop_job *job)
{
    const struct trop_margin *margin = told_of(job);

    return margin->options.norm == TROP_MARGIN_NUCLEAR && is_feasible(margin) &&
           trop_proof_margin_bounded(margin) && margin->solved.rank > 0 &&
           margin->view.rank_upper >= 0 && isfinite(margin->view.rank_tail);
}

static enum trop_status tail_write(struct trop_proof *proof, const struct trop_job *job, int64_t k)
{
    const struct trop_margin *margin = margin_of(job);
    const int64_t rank = margin->view.rank_upper;
    const double tail = margin->view.rank_tail;

    (void)k;
    trop_proof_says(proof,
                    "Of the nuclear norm of a W of least norm, at most the share %.17g lies beyond "
                    "its largest %lld singular values.",
                    tail, (long long)rank);
    trop_proof_symbols(proof, "sum_(k > %lld) sigma_k <= %.17g |W*|", (long long)rank, tail);
    enum trop_status status = put_of(proof, margin);
    trop_proof_double(proof, "tail", tail);
    trop_proof_integer(proof, "rank", rank);
    trop_proof_witness(proof);
    if (status == TROP_OK) {
        status = put_basis(proof, margin, 1, side_of(margin));
    }
    return status == TROP_OK ? put_both(proof, margin) : status;
}

const struct trop_proof_kind trop_proof_margin[] = {
    { "margin-upper", upper_count, upper_write, "duality" },
    { "margin-lower", lower_count, lower_write, "duality lower-bound" },
    { "margin-infeasible", infeasible_count, infeasible_write,
      "zero-row farkas-exact farkas-enclosed" },
    { "margin-local", local_count, local_write, NULL },
    { "margin-rank", rank_count, rank_write, NULL },
    { "margin-tail", tail_count, tail_write, NULL },
    { 0 },
};
