/* tf_lem_1.c -- solutions live in the span of the queries (lemma 1).
 *
 * With P the projection on span{z_i}, W P satisfies the same constraints as W. In the Frobenius
 * and the nuclear norm |W|^2 >= |W P|^2 + |W (I - P)|^2 (for the nuclear norm by Bhatia and
 * Kittaneh 1990), and lower <= |W P| since W P is feasible; so a W of norm at most upper has
 *
 *   |W (I - P)| <= sqrt(upper^2 - lower^2),
 *
 * which is 0 for an exact solution, and for ours the square root of the proved gap. Rounding adds
 * 16 d u |W|. The rank is at most n because P has rank n at most; draws have n < d.
 */
#include "claim/tf/tf.h"

#include "base/alloc.h"
#include "claim/examples.h"
#include "claim/tokens.h"

#include <float.h>
#include <math.h>
#include <string.h>

static enum trop_status draw(struct trop_case *c)
{
    const int64_t n = 1 + trop_case_pick(c, 41, 0, 3), T = 2 + trop_case_pick(c, 41, 1, 3);

    return trop_tf_draw(c, n, T, (n > T - 2 ? n + 1 : T - 1) + trop_case_pick(c, 41, 2, 2));
}

static enum trop_status work(struct trop_case *c)
{
    enum trop_status status = trop_tf_solve(c, NULL, TROP_MARGIN_L2, "W_mm");

    return status == TROP_OK ? trop_tf_solve(c, NULL, TROP_MARGIN_NUCLEAR, "W_nuc") : status;
}

static enum trop_status solved(struct trop_judge *judge, const struct trop_case *c)
{
    const double outcome = trop_case_number(c, "W_nuc_outcome");

    trop_judge_truth(judge, "the nuclear problem is solved", -1,
                     outcome == TROP_OUTCOME_SOLVED       ? 1
                     : outcome == TROP_OUTCOME_INFEASIBLE ? 0
                                                          : -1);
    return trop_tf_solved(judge, c);
}

static const struct trop_hypothesis hypotheses[] = {
    { "feasible", "some W selects the best tokens", solved, 1 },
    { 0 },
};

/* w becomes w (I - P). */
static enum trop_status leave_span(double *w, const struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "z", 0), d = trop_case_size(c, "z", 1);
    double *basis = trop_alloc(n * d, sizeof *basis);

    if (!basis) {
        return TROP_ERR_MEMORY;
    }
    memcpy(basis, trop_case_array(c, "z"), (size_t)(n * d) * sizeof *basis);
    trop_tf_basis(basis, n, d);
    for (int64_t k = 0; k < n * d; k++) {
        const double *u = basis + k / d * d;
        double *row = w + k % d * d;
        const double along = trop_tokens_dot(row, u, d);
        for (int64_t a = 0; a < d; a++) {
            row[a] -= along * u[a];
        }
    }
    trop_alloc_free(basis);
    return TROP_OK;
}

static enum trop_status conclude_one(struct trop_judge *judge, const struct trop_case *c,
                                     const char *name, double lower, double upper)
{
    const int64_t d = trop_case_size(c, name, 0);
    const double *w = trop_case_array(c, name);
    const double slack = sqrt(fmax(0, upper * upper - lower * lower));
    double *rest = trop_alloc(d * d, sizeof *rest);

    if (!rest) {
        return TROP_ERR_MEMORY;
    }
    memcpy(rest, w, (size_t)(d * d) * sizeof *rest);
    enum trop_status status = leave_span(rest, c);
    trop_judge_at_most(judge,
                       strcmp(name, "W_mm") == 0 ? "Frobenius: part of W across the queries"
                                                 : "nuclear: part of W across the queries",
                       -1, trop_tokens_norm(rest, d * d), slack,
                       16 * (double)d * DBL_EPSILON * trop_tokens_norm(w, d * d));
    trop_alloc_free(rest);
    return status;
}

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    enum trop_status status = conclude_one(judge, c, "W_mm", trop_case_number(c, "W_mm_lower"),
                                           trop_case_number(c, "W_mm_upper"));

    return status == TROP_OK ? conclude_one(judge, c, "W_nuc", trop_case_number(c, "W_nuc_lower"),
                                            trop_case_number(c, "W_nuc_upper"))
                             : status;
}

/* Adds 1e-3 |W| in a direction that no query sees. */
static enum trop_status leave(struct trop_case *c, const char *name)
{
    const int64_t d = trop_case_size(c, name, 0);
    double *w = trop_case_array(c, name);
    double *rest = trop_alloc(d * d, sizeof *rest);

    if (!rest) {
        return TROP_ERR_MEMORY;
    }
    for (int64_t k = 0; k < d * d; k++) {
        rest[k] = trop_case_normal(c, 42, k);
    }
    enum trop_status status = leave_span(rest, c);
    const double size = 1e-3 * trop_tokens_norm(w, d * d) / trop_tokens_norm(rest, d * d);
    for (int64_t k = 0; k < d * d; k++) {
        w[k] += size * rest[k];
    }
    trop_alloc_free(rest);
    return status;
}

static enum trop_status leave_frobenius(struct trop_case *c)
{
    return leave(c, "W_mm");
}

static enum trop_status leave_nuclear(struct trop_case *c)
{
    return leave(c, "W_nuc");
}

static enum trop_status double_best(struct trop_case *c)
{
    enum trop_status status = trop_tf_double_best(c);

    return status == TROP_OK ? work(c) : status;
}

static const struct trop_spoil spoils[] = {
    { "1e-3 of the norm is added to the Frobenius solution across the queries", NULL,
      leave_frobenius },
    { "1e-3 of the norm is added to the nuclear solution across the queries", NULL, leave_nuclear },
    { "a token equals the best one of its input", "feasible", double_best },
    { 0 },
};

const struct trop_claim trop_tf_lem_1 = {
    .id = "tf-lem-1",
    .title = "solutions live in the span of the queries",
    .statement = "Every solution W of the max-margin problem, in the Frobenius and in the nuclear "
                 "norm, has its rows in the span of the queries z_i, hence a rank of at most n.",
    .status = TROP_CLAIM_PROVED,
    .remark = "Of the solution that the solver returns; the part across the queries is compared "
              "with the square root of its proved gap.",
    .old_inputs = trop_tf_inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 50,
};
