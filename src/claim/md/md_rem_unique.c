/* md_rem_unique.c -- the max-margin solution is unique (mirror-descent paper, lp-AttSVM).
 *
 * |.|_p^p is strictly convex for 1 < p < infinity, and quantitatively so: if A W >= 1 and A W' >= 1
 * and both norms are at most (1 + g) N with N the least norm, their mean is feasible and has a norm
 * of at least N, so that
 *
 *   p >= 2 (Clarkson):             |(W - W')/2|_p^p <= N^p ((1 + g)^p - 1),
 *   p <= 2 (Ball, Carlen, Lieb):   (p - 1) |(W - W')/2|_p^2 <= N^2 ((1 + g)^2 - 1).
 *
 * Two answers of the solver are compared: of the problem as it is, and of the one whose tokens
 * stand in reverse order and whose coordinates have changed places and signs, turned back. With
 * gaps near 1e-12 the bound is near 1e-6 (p <= 2) and 1e-4 (p = 3). The gaps are those of the
 * solver's proofs, and both answers are feasible to 1e-12, which is added to g.
 */
#include "claim/md/md.h"

#include "base/alloc.h"
#include "base/math/pow.h"

#include <math.h>
#include <string.h>

static enum trop_status draw(struct trop_case *c)
{
    return trop_md_draw(c, 3, 4, 4);
}

/* Coordinate a of the tokens and queries becomes coordinate d - 1 - a, with its sign changed. */
static void turn_data(struct trop_case *out, const struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "X", 0), T = trop_case_size(c, "X", 1);
    const int64_t d = trop_case_size(c, "X", 2);

    for (int64_t i = 0; i < n; i++) {
        for (int64_t a = 0; a < d; a++) {
            for (int64_t t = 0; t < T; t++) {
                trop_case_array(out, "X")[(i * T + T - 1 - t) * d + d - 1 - a] =
                    -trop_case_array(c, "X")[(i * T + t) * d + a];
            }
            trop_case_array(out, "z")[i * d + d - 1 - a] = trop_case_array(c, "z")[i * d + a];
        }
        trop_case_array(out, "alpha")[i] = (double)(T - 1) - trop_case_array(c, "alpha")[i];
    }
}

static enum trop_status solve_turned(struct trop_case *c)
{
    const int64_t d = trop_case_size(c, "X", 2);
    struct trop_case *copy = NULL;
    double *again = NULL;
    enum trop_status status = trop_case_copy(&copy, c);

    if (status == TROP_OK) {
        turn_data(copy, c);
        status = trop_md_solve(copy, trop_case_number(c, "p"), TROP_MODEL_CROSS, "W");
    }
    if (status == TROP_OK) {
        status = trop_case_make(&again, c, "again", d, d, 0);
    }
    for (int64_t k = 0; status == TROP_OK && k < d * d; k++) {
        again[k] = -trop_case_array(copy, "W")[d * d - 1 - k];
    }
    if (status == TROP_OK) {
        status = trop_case_put(c, "again_upper", trop_case_number(copy, "W_upper"));
    }
    trop_case_free(copy);
    return status;
}

static enum trop_status work(struct trop_case *c)
{
    const enum trop_status status =
        trop_md_solve(c, trop_case_number(c, "p"), TROP_MODEL_CROSS, "W_mm");

    return status == TROP_OK ? solve_turned(c) : status;
}

static enum trop_status is_feasible(struct trop_judge *judge, const struct trop_case *c)
{
    const double *alpha = trop_case_array(c, "alpha");

    trop_judge_at_least(judge, "least margin of the first", -1,
                        trop_md_least(c, trop_case_array(c, "W_mm"), alpha), 1 - 1e-12, 0);
    trop_judge_at_least(judge, "least margin of the second", -1,
                        trop_md_least(c, trop_case_array(c, "again"), alpha), 1 - 1e-12, 0);
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    TROP_MD_EXPONENT,
    TROP_MD_UNIQUE,
    TROP_MD_SOLVED,
    { "feasible", "both answers satisfy the constraints", is_feasible, 1 },
    { 0 },
};

/* Largest |W - W'|_p of two answers with relative gap g. */
static double bound_of(double norm, double g, double p)
{
    const double power = p >= 2 ? p : 2, factor = p >= 2 ? 1 : p - 1;

    return 2 * norm * trop_pow((trop_pow(1 + g, power) - 1) / factor, 1 / power);
}

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const double *w = trop_case_array(c, "W_mm"), *again = trop_case_array(c, "again");
    const double p = trop_case_number(c, "p"), least = trop_case_number(c, "W_mm_lower");
    const int64_t d = trop_case_size(c, "X", 2);
    double *apart = trop_alloc(d * d, sizeof *apart);

    if (!apart) {
        return TROP_ERR_MEMORY;
    }
    for (int64_t k = 0; k < d * d; k++) {
        apart[k] = w[k] - again[k];
    }
    const double upper = fmax(trop_md_norm(w, d * d, p), trop_md_norm(again, d * d, p));
    const double g = fmax(0, upper / least - 1) + 2e-12;
    trop_judge_at_most(judge, "norm of an answer against the least", -1, upper / least, 1 + 1e-6,
                       0);
    trop_judge_at_most(judge, "distance of two answers", -1, trop_md_norm(apart, d * d, p),
                       bound_of(least, g, p), 0);
    trop_alloc_free(apart);
    return TROP_OK;
}

/* The moved answer is feasible; it is farther away than the gap allows only because it is longer,
 * which the first line sees. */
static enum trop_status move(struct trop_case *c)
{
    double *again = trop_case_array(c, "again");
    const int64_t d = trop_case_size(c, "X", 2);

    for (int64_t k = 0; k < d * d; k++) {
        again[k] *= 1.001;
    }
    return TROP_OK;
}

/* The solution of another exponent is feasible too. */
static enum trop_status other_norm(struct trop_case *c)
{
    const int64_t d = trop_case_size(c, "X", 2);
    struct trop_case *copy = NULL;
    enum trop_status status = trop_case_copy(&copy, c);

    if (status == TROP_OK) {
        status = trop_md_solve(copy, trop_case_number(c, "p") + .25, TROP_MODEL_CROSS, "W");
    }
    if (status == TROP_OK) {
        memcpy(trop_case_array(c, "again"), trop_case_array(copy, "W"),
               (size_t)(d * d) * sizeof(double));
    }
    trop_case_free(copy);
    return status;
}

static enum trop_status break_constraint(struct trop_case *c)
{
    double *again = trop_case_array(c, "again");
    const int64_t d = trop_case_size(c, "X", 2);

    for (int64_t k = 0; k < d * d; k++) {
        again[k] *= .999;
    }
    return TROP_OK;
}

static const struct trop_spoil spoils[] = {
    { "the second answer longer by 1e-3", NULL, move },
    { "the solution of p + 1/4 in its place", NULL, other_norm },
    { "p = 1", "exponent", trop_md_spoil_exponent },
    { "all scores equal", "unique-best", trop_md_spoil_scores },
    { "the gap of the solution is not proved", "solved", trop_md_spoil_solved },
    { "the second answer shorter by 1e-3", "feasible", break_constraint },
    { 0 },
};

static const struct trop_input inputs[] = { TROP_MD_INPUTS, { 0 } };

const struct trop_claim trop_md_rem_unique = {
    .id = "md-rem-unique",
    .title = "the lp max-margin solution is unique",
    .statement = "For 1 < p < infinity a feasible max-margin problem has one solution, and two "
                 "feasible points near the least norm are near each other.",
    .status = TROP_CLAIM_PROVED,
    .remark = "Judged by the inequalities of uniform convexity on two answers of the solver, the "
              "second for tokens in reverse order and coordinates with places and signs changed.",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 40,
};
