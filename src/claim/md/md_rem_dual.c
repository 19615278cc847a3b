/* md_rem_dual.c -- mirror map and inverse (mirror-descent paper, the potential).
 *
 *   grad psi(W) = sgn(W) |W|^(p-1),   (grad psi)^-1(U) = sgn(U) |U|^(q-1),
 *   |grad psi(W)|_q = |W|_p^(p-1)
 *
 * What is judged is the optimiser: a step whose length is 1e-300 takes W to the dual variable and
 * back. U is within u of its value, and |U|^(1/(p-1)) within u/(p - 1) + u of W: with the rounding
 * of the exponent, allowed is 8 u (1 + 1/(p - 1)). Gradients are at most 1 (unit tokens): the step
 * is below u^2 of a dual variable above 1e-268, and takes an entry 0 to (1e-300)^(1/(p-1)) at most,
 * which is 1e-8 for p = 39 and is allowed. The norm is the library's, (N + 8) u, raised to p - 1.
 */
#include "claim/md/md.h"

#include "base/math/pow.h"

#include <float.h>
#include <math.h>

#define USE 60
#define STEP 1e-300

static double entry(const struct trop_case *c, int64_t k)
{
    return trop_case_normal(c, USE + 1, k) * trop_pow(10, 4 * trop_case_uniform(c, USE + 2, k) - 3);
}

static void draw(struct trop_case *c)
{
    static const double exponents[] = { 3, 1.1, 1.75, 1.25, 2, 4, 8, 1.5 };
    const int64_t given = trop_case_size(c, "W", 0);

    trop_case_default(c, "p", exponents[c->trial % 8]);
    trop_md_check_matrix(c, "W", given, given);
    trop_md_draw_matrix(c, "W", 2 + trop_case_pick(c, USE, 0, 5), entry);
}

static void work(struct trop_case *c)
{
    trop_case_try(c, trop_examples_sphere(c, 1, 2, trop_case_size(c, "W", 0), 1));
    trop_md_run(c, "run", "optimizer=mirror p=@p eta=%g steps=1 start_weights=@W", STEP);
}

static void is_in_range(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view w = trop_case_view(c, "W");
    const double p = trop_case_number(c, "p");

    for (int64_t k = 0; k < w.rows * w.columns; k++) {
        const double u = p > 1 ? fabs(trop_md_signed(w.at[k], p - 1)) : 1;
        trop_judge_truth(judge, "|W|^(p-1) is far in the range of double", -1,
                         w.at[k] == 0 || (u > 1e-268 && u < 1e300));
    }
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const double *w = trop_case_array(c, "W"), *back = trop_md_after(c, 1);
    const double p = trop_case_number(c, "p");
    const int64_t n = trop_case_size(c, "run_weights", 1);
    const double allowance = 8 * DBL_EPSILON * (1 + 1 / (p - 1));
    double *u = trop_case_scratch(c, n);

    for (int64_t k = 0; k < n; k++) {
        const double moved = w[k] == 0 ? (1 + allowance) * trop_pow(STEP, 1 / (p - 1)) : 0;
        trop_judge_near(judge, "an entry there and back", -1, back[k], w[k],
                        allowance * fabs(w[k]) + moved);
        u[k] = trop_md_signed(w[k], p - 1);
    }
    const double dual = trop_md_norm(u, n, trop_md_dual(p));
    trop_judge_near(judge, "|W|_p^(p-1) against |U|_q", -1,
                    trop_pow(trop_case_array(c, "run_norm")[0], p - 1), dual,
                    (double)(n + 8) * p * DBL_EPSILON * dual);
}

const struct trop_claim trop_md_rem_dual = {
    .id = "md-rem-dual",
    .title = "the mirror maps invert each other",
    .statement = "sgn(U) |U|^(q-1) is the inverse of sgn(W) |W|^(p-1), and the q-norm of the dual "
                 "variable is the (p-1)-st power of the p-norm of W.",
    .status = TROP_CLAIM_PROVED,
    .remark = "Judged on a step of length 1e-300 of the optimiser, which is there and back.",
    .inputs = "W p",
    .hypotheses = TROP_HYPOTHESES(TROP_MD_EXPONENT,
                                  { "in-range", "no dual variable leaves the normal numbers",
                                    .judge = is_in_range, .broken = "an entry 1e-200 and p = 3",
                                    .edit = "W[0,0] = 1e-200" }),
    .run = { draw, work, conclude },
    .spoils =
        TROP_SPOILS({ "an entry that came back moved by 1e-9 of it", NULL,
                      .edit = "run_weights[-1,0] *= 1+1e-9" },
                    { "the norm wrong by 1e-9 of it", NULL, .edit = "run_norm[0] *= 1+1e-9" }),
    .trials = 100,
};
