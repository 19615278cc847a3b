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

#include <float.h>
#include <math.h>

static void draw(struct trop_case *c)
{
    trop_md_draw(c, 3, 4, 4);
}

/* The solution is the one for what the run selects in the end, as the run compares with it: for a
 * large p the norm hardly says how small a small entry is, and two solvers agree in it alone. */
static void work(struct trop_case *c)
{
    const struct trop_train *train = trop_md_run(
        c, "run", "optimizer=nmirror p=@p eta=.1 steps=300 compare=all start=normal seed=%lld",
        (long long)c->trial + 1);

    trop_case_records(c, train, "bregman");
    trop_md_select(c, "run_alpha");
    trop_md_solution(c, "W_mm", trop_case_number(c, "p"));
    trop_case_take(c, "W_mm", trop_train_field_table(), train, "solution.weights");
}

static void is_decided(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view alpha = trop_case_view(c, "run_alpha");

    for (int64_t i = 0; i < alpha.rows; i++) {
        trop_judge_truth(judge, "a token has more than half of the attention", -1,
                         alpha.at[i] >= 0);
    }
}

static double cosine(const double *a, const double *b, int64_t n)
{
    return trop_tokens_dot(a, b, n) / (trop_md_norm(a, n, 2) * trop_md_norm(b, n, 2));
}

/* Judges the last record, whose solution is the one in the case. */
static void conclude_last(struct trop_judge *judge, const struct trop_case *c, double measured)
{
    const struct trop_view weights = trop_case_view(c, "run_weights");
    const int64_t n = weights.columns;
    const double p = trop_case_number(c, "p");
    const double *w = trop_case_view_row(weights, -1), *solution = trop_case_array(c, "W_mm");
    const double allowance = (double)(32 + n) * DBL_EPSILON + 1e-9 * measured;
    double *unit = trop_case_scratch(c, 2 * n);

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
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view bregman = trop_case_view(c, "bregman");
    const double *steps = trop_case_array(c, "run_step");

    /* There is no D in records whose selection has no solution. */
    for (int64_t row = 0; row < bregman.rows; row++) {
        if (!isnan(bregman.at[row])) {
            const int64_t k = (int64_t)steps[row];
            trop_judge_at_least(judge, "D is at least 0", k, bregman.at[row], 0, 0);
            trop_judge_at_most(judge, "D is at most 2", k, bregman.at[row], 2, 0);
        }
    }
    conclude_last(judge, c, *trop_case_view_row(bregman, -1));
}

const struct trop_claim trop_md_rem_bregman = {
    .id = "md-rem-bregman",
    .title = "the directional Bregman divergence",
    .statement = "The divergence of two directions at unit norms is 1 - sum sgn(B) |B|^(p-1) A, "
                 "lies between 0 and 2, and for p = 2 is 1 - cos(A, B).",
    .status = TROP_CLAIM_PROVED,
    .remark = "Judged on what training runs record, max-margin solution first.",
    .inputs = "X y v z p",
    .hypotheses = TROP_HYPOTHESES(
        TROP_MD_EXPONENT, TROP_MD_SOLVED,
        { "decided", "the run selects a token of every input", .judge = is_decided, .late = 1,
          .broken = "input 0 selects no token", .edit = "run_alpha[0] = -1" }),
    .run = { draw, work, conclude },
    .spoils = TROP_SPOILS(
        { "D of the last record with its arguments exchanged", NULL },
        { "D of the last record larger by 1e-6 of it", NULL, .edit = "bregman[-1] *= 1+1e-6" }),
    .trials = 40,
};
