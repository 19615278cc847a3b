/* proof_path.c -- what is proved of a regularisation path: the bracket at each radius.
 *
 * Below, from the multipliers that prove the norm of the max-margin solution for the best tokens
 * (path_bracket.c says how); above, by the loss at the weights of the row, or at the solution
 * itself where these were not kept. */
#include "run/proof/proof_margin.h"

#include "base/alloc.h"
#include "base/status.h"
#include "learn/path/path.h"
#include "margin/norm.h"

#include <math.h>

/* Weights are made smaller by this share, more than the rounding of their norm, so that they are in
 * the ball; rates are widened by more than that and the rounding of the loss change them. */
#define SHRUNK 0x1p-48
#define WIDENED 1e-11

static const char *const losses[] = { "logistic", "exponential", "correlation" };

static const struct trop_path *path_of(const struct trop_job *job)
{
    return job->numbers;
}

/* The rate that is attained: of the weights of the row, or of the solution. */
static double rate_of(const struct trop_path *path, const struct trop_path_row *row)
{
    return path->weights ? row->log_gap / row->radius : row->upper;
}

static int64_t bracket_count(const struct trop_job *job)
{
    const struct trop_path *path = path_of(job);
    int64_t count = 0;

    for (int64_t k = 0; k < path->done; k++) {
        count += trop_path_checkable(path, path->rows + k);
    }
    return count;
}

/* The row of claim k. */
static int64_t row_of(const struct trop_path *path, int64_t k)
{
    int64_t at = 0;

    while (!trop_path_checkable(path, path->rows + at) || k-- > 0) {
        at++;
    }
    return at;
}

/* Weights in the ball. */
static enum trop_status put_weights(struct trop_proof *proof, const struct trop_path *path,
                                    int64_t at)
{
    const struct trop_problem *problem = &path->optimal.lp->solved.made.problem;
    const double *w = path->weights ? path->weights + at * path->total : path->optimal.lp->solved.w;
    const double radius = path->rows[at].radius;
    double factor = 1 - SHRUNK;
    double *made = trop_alloc(path->total, sizeof *made);

    if (!made) {
        return trop_fail(TROP_ERR_MEMORY, "proof: no memory for the weights of a path");
    }
    if (!path->weights) {
        factor *= radius / path->optimal.lp->solved.proof.norm; /* rounded up */
    }
    for (int64_t e = 0; e < path->total; e++) {
        made[e] = w[e] * factor;
    }
    trop_proof_doubles(proof, "weights", made, problem->rows, problem->columns);
    trop_alloc_free(made);
    return TROP_OK;
}

static enum trop_status bracket_write(struct trop_proof *proof, const struct trop_job *job,
                                      int64_t k)
{
    const struct trop_path *path = path_of(job);
    const struct trop_margin *lp = path->optimal.lp;
    const int64_t at = row_of(path, k);
    const struct trop_path_row *row = path->rows + at;
    const char *loss = losses[path->options.loss], *norm = trop_norm_of(lp->options.norm)->name;
    const double low = row->lower, rate = rate_of(path, row);
    const double high = rate + WIDENED * (1 + fabs(rate));

    trop_proof_says(proof,
                    "Over the W with %s norm at most %.17g, the least of log(L(W) - L*)/%.17g is "
                    "from %.17g to %.17g, for the %s loss L and its infimum L*.",
                    norm, row->radius, row->radius, low, high, loss);
    trop_proof_symbols(proof, "e^(%.17g R) <= min_(|W| <= R) L(W) - L* <= e^(%.17g R), R = %.17g",
                       low, high, row->radius);
    enum trop_status status = trop_proof_margin_problem(proof, lp);
    trop_proof_margin_norm(proof, lp);
    trop_proof_text(proof, "loss", loss);
    trop_proof_double(proof, "radius", row->radius);
    trop_proof_double(proof, "low", low);
    trop_proof_double(proof, "high", high);
    trop_proof_witness(proof);
    trop_proof_double(proof, "lower", lp->solved.proof.lower);
    if (status == TROP_OK) {
        status = trop_proof_margin_multipliers(proof, lp, lp->solved.judged);
    }
    return status == TROP_OK ? put_weights(proof, path, at) : status;
}

const struct trop_proof_kind trop_proof_path[] = {
    { "path-bracket", bracket_count, bracket_write, NULL },
    { 0 },
};
