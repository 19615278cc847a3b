/* md_rem_bregman.c -- the directional Bregman divergence (mirror-descent paper, its measure of
 * convergence).
 *
 *   D(A, B) = D_psi(A/|A|_p, B/|B|_p) = 1 - sum sgn(B) |B|^(p-1) A / (|B|_p^(p-1) |A|_p),
 *
 * between 0 and 2 by Hoelder's inequality, and 1 - cos(A, B) for p = 2. What is judged are the
 * numbers "bregman" that a training run records, the max-margin solution first and the weights
 * second; they are compared with the definition, the sum over entries of psi(a) - psi(b) - psi'(b)
 * (a - b) at unit norms. Rounding: N terms of 8 u (|a|^p + |b|^p), and of norms (N + 8) u: 32 u in
 * all at unit norms, and N u more of the norms.
 */
#include "claim/md/md.h"

#include "claim/tokens.h"

#include "base/alloc.h"

#include <float.h>
#include <math.h>

static enum trop_status draw(struct trop_case *c)
{
    return trop_md_draw(c, 3, 4, 4);
}

static enum trop_status work(struct trop_case *c)
{
    const double p = trop_case_number(c, "p");
    struct trop_train_options o = trop_md_options(p, "nmirror", .1, 300);
    struct trop_train *train = NULL;
    double *bregman = NULL;

    o.compare = TROP_TRAIN_COMPARE_ALL;
    o.start = TROP_TRAIN_NORMAL;
    o.seed = (uint64_t)c->trial + 1;
    enum trop_status status = trop_md_trained(&train, c, &o);
    if (status == TROP_OK) {
        status = trop_md_history(c, train, "run");
    }
    const int64_t rows = trop_case_size(c, "run_step", 0);
    if (status == TROP_OK) {
        status = trop_case_make(&bregman, c, "bregman", rows, 0, 0);
    }
    for (int64_t row = 0; status == TROP_OK && row < rows; row++) {
        status = trop_md_record(bregman + row, train, row, "bregman");
    }
    trop_train_free(train);
    /* The solution for what the run selects in the end. */
    trop_case_drop(c, "alpha");
    double *alpha = NULL;
    const int64_t n = trop_case_size(c, "run_alpha", 0);
    if (status == TROP_OK) {
        status = trop_case_make(&alpha, c, "alpha", n, 0, 0);
    }
    for (int64_t i = 0; status == TROP_OK && i < n; i++) {
        alpha[i] = fmax(0, trop_case_array(c, "run_alpha")[i]);
    }
    return status == TROP_OK ? trop_md_solve(c, p, TROP_MODEL_CROSS, "W_mm") : status;
}

static enum trop_status is_decided(struct trop_judge *judge, const struct trop_case *c)
{
    const double *alpha = trop_case_array(c, "run_alpha");

    for (int64_t i = 0; i < trop_case_size(c, "run_alpha", 0); i++) {
        trop_judge_truth(judge, "a token has more than half of the attention", -1, alpha[i] >= 0);
    }
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    TROP_MD_EXPONENT,
    TROP_MD_SOLVED,
    { "decided", "the run selects a token of every input", is_decided, 1 },
    { 0 },
};

static double cosine(const double *a, const double *b, int64_t n)
{
    return trop_tokens_dot(a, b, n) / (trop_md_norm(a, n, 2) * trop_md_norm(b, n, 2));
}

/* Judges the last record, whose solution is the one in the case. */
static enum trop_status conclude_last(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t rows = trop_case_size(c, "run_step", 0), n = trop_case_size(c, "run_weights", 1);
    const double p = trop_case_number(c, "p");
    const double *w = trop_case_array(c, "run_weights") + (rows - 1) * n;
    const double *solution = trop_case_array(c, "W_mm");
    const double measured = trop_case_array(c, "bregman")[rows - 1];
    const double allowance = (double)(32 + n) * DBL_EPSILON + 1e-9 * measured;
    double *unit = trop_alloc(2 * n, sizeof *unit);

    if (!unit) {
        return TROP_ERR_MEMORY;
    }
    const double of_solution = trop_md_norm(solution, n, p), of_w = trop_md_norm(w, n, p);
    for (int64_t k = 0; k < n; k++) {
        unit[k] = solution[k] / of_solution;
        unit[n + k] = w[k] / of_w;
    }
    trop_judge_near(judge, "D against its definition", -1, measured,
                    trop_md_divergence(unit, unit + n, n, p), allowance);
    if (p == 2) {
        trop_judge_near(judge, "D against 1 - cos", -1, measured, 1 - cosine(solution, w, n),
                        allowance);
    }
    trop_alloc_free(unit);
    return TROP_OK;
}

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const double *bregman = trop_case_array(c, "bregman");
    const double *steps = trop_case_array(c, "run_step");

    /* There is no D in records whose selection has no solution. */
    for (int64_t row = 0; row < trop_case_size(c, "bregman", 0); row++) {
        if (!isnan(bregman[row])) {
            trop_judge_at_least(judge, "D is at least 0", (int64_t)steps[row], bregman[row], 0, 0);
            trop_judge_at_most(judge, "D is at most 2", (int64_t)steps[row], bregman[row], 2, 0);
        }
    }
    return conclude_last(judge, c);
}

/* D with its arguments the other way round. */
static enum trop_status swap(struct trop_case *c)
{
    const int64_t rows = trop_case_size(c, "run_step", 0), n = trop_case_size(c, "run_weights", 1);
    const double *w = trop_case_array(c, "run_weights") + (rows - 1) * n;

    trop_case_array(c, "bregman")[rows - 1] =
        trop_md_direction(w, trop_case_array(c, "W_mm"), n, trop_case_number(c, "p"));
    return TROP_OK;
}

static enum trop_status nudge(struct trop_case *c)
{
    trop_case_array(c, "bregman")[trop_case_size(c, "bregman", 0) - 1] *= 1 + 1e-6;
    return TROP_OK;
}

static enum trop_status undecided(struct trop_case *c)
{
    trop_case_array(c, "run_alpha")[0] = -1;
    return TROP_OK;
}

static const struct trop_spoil spoils[] = {
    { "D of the last record with its arguments exchanged", NULL, swap },
    { "D of the last record larger by 1e-6 of it", NULL, nudge },
    { "p = 1", "exponent", trop_md_spoil_exponent },
    { "the gap of the solution is not proved", "solved", trop_md_spoil_solved },
    { "input 0 selects no token", "decided", undecided },
    { 0 },
};

static const struct trop_input inputs[] = { TROP_MD_INPUTS, { 0 } };

const struct trop_claim trop_md_rem_bregman = {
    .id = "md-rem-bregman",
    .title = "the directional Bregman divergence",
    .statement = "The divergence of two directions at unit norms is 1 - sum sgn(B) |B|^(p-1) A, "
                 "lies between 0 and 2, and for p = 2 is 1 - cos(A, B).",
    .status = TROP_CLAIM_PROVED,
    .remark = "Judged on what training runs record, max-margin solution first.",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 40,
};
