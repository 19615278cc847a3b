/* md_rem_dual.c -- mirror map and inverse (mirror-descent paper, the potential).
 *
 *   grad psi(W) = sgn(W) |W|^(p-1),   (grad psi)^-1(U) = sgn(U) |U|^(q-1),
 *   |grad psi(W)|_q = |W|_p^(p-1)
 *
 * What is judged is the optimiser: a step whose length is 1e-300 takes W to the dual variable and
 * back. U is within u of its value, and |U|^(1/(p-1)) within u/(p - 1) + u of W: with the rounding
 * of the exponent, allowed is 8 u (1 + 1/(p - 1)). The norm is the library's, (N + 8) u, raised to
 * p - 1.
 */
#include "claim/md/md.h"

#include "base/alloc.h"
#include "base/math/pow.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define USE 60

static enum trop_status draw(struct trop_case *c)
{
    static const double exponents[] = { 3, 1.1, 1.75, 1.25, 2, 4, 8, 1.5 };
    const int64_t d = 2 + trop_case_pick(c, USE, 0, 5);
    double *w = NULL;
    enum trop_status status = trop_case_default(c, "p", exponents[c->trial % 8]);

    if (status != TROP_OK || trop_case_has(c, "W")) {
        return status == TROP_OK ? trop_md_check_matrix(c, "W", trop_case_size(c, "W", 0),
                                                        trop_case_size(c, "W", 0))
                                 : status;
    }
    status = trop_case_make(&w, c, "W", d, d, 0);
    for (int64_t k = 0; status == TROP_OK && k < d * d; k++) {
        w[k] = trop_case_normal(c, USE + 1, k) *
               trop_pow(10, 4 * trop_case_uniform(c, USE + 2, k) - 3);
    }
    return status;
}

static int64_t entries(const struct trop_case *c)
{
    return trop_case_size(c, "W", 0) * trop_case_size(c, "W", 1);
}

static enum trop_status work(struct trop_case *c)
{
    struct trop_train_options o = trop_md_options(trop_case_number(c, "p"), "mirror", 1e-300, 1);
    enum trop_status status = trop_examples_sphere(c, 1, 2, trop_case_size(c, "W", 0), 1);

    o.start = TROP_TRAIN_GIVEN;
    o.start_weights = trop_case_array(c, "W");
    return status == TROP_OK ? trop_md_train(c, &o, "run") : status;
}

static enum trop_status is_in_range(struct trop_judge *judge, const struct trop_case *c)
{
    const double *w = trop_case_array(c, "W"), p = trop_case_number(c, "p");

    for (int64_t k = 0; k < entries(c); k++) {
        const double u = p > 1 ? fabs(trop_md_signed(w[k], p - 1)) : 1;
        trop_judge_truth(judge, "|W|^(p-1) is a normal number", -1,
                         w[k] == 0 || (u > 1e-290 && u < 1e300));
    }
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    TROP_MD_EXPONENT,
    { "in-range", "no dual variable leaves the normal numbers", is_in_range, 0 },
    { 0 },
};

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const double *w = trop_case_array(c, "W"), p = trop_case_number(c, "p");
    const int64_t n = entries(c), last = trop_md_row(c, "run", 1);
    const double allowance = 8 * DBL_EPSILON * (1 + 1 / (p - 1));
    double *u = trop_alloc(n, sizeof *u);

    if (!u || last < 0) {
        trop_alloc_free(u);
        return TROP_ERR_MEMORY;
    }
    for (int64_t k = 0; k < n; k++) {
        const double back = trop_case_array(c, "run_weights")[last * n + k];
        trop_judge_near(judge, "an entry there and back", -1, back, w[k], allowance * fabs(w[k]));
        u[k] = trop_md_signed(w[k], p - 1);
    }
    const double dual = trop_md_norm(u, n, trop_md_dual(p));
    trop_judge_near(judge, "|W|_p^(p-1) against |U|_q", -1,
                    trop_pow(trop_case_array(c, "run_norm")[0], p - 1), dual,
                    (double)(n + 8) * p * DBL_EPSILON * dual);
    trop_alloc_free(u);
    return TROP_OK;
}

static enum trop_status move_entry(struct trop_case *c)
{
    const int64_t n = entries(c);

    trop_case_array(c, "run_weights")[trop_md_row(c, "run", 1) * n] *= 1 + 1e-9;
    return TROP_OK;
}

static enum trop_status other_norm(struct trop_case *c)
{
    trop_case_array(c, "run_norm")[0] *= 1 + 1e-9;
    return TROP_OK;
}

static enum trop_status underflow(struct trop_case *c)
{
    trop_case_array(c, "W")[0] = 1e-200;
    return TROP_OK;
}

static const struct trop_spoil spoils[] = {
    { "an entry that came back moved by 1e-9 of it", NULL, move_entry },
    { "the norm wrong by 1e-9 of it", NULL, other_norm },
    { "p = 1", "exponent", trop_md_spoil_exponent },
    { "an entry 1e-200 and p = 3", "in-range", underflow },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "W", "(d, d)", "the weights" },
    { "p", "", "exponent of the potential" },
    { 0 },
};

const struct trop_claim trop_md_rem_dual = {
    .id = "md-rem-dual",
    .title = "the mirror maps invert each other",
    .statement = "sgn(U) |U|^(q-1) is the inverse of sgn(W) |W|^(p-1), and the q-norm of the dual "
                 "variable is the (p-1)-st power of the p-norm of W.",
    .status = TROP_CLAIM_PROVED,
    .remark = "Judged on a step of length 1e-300 of the optimiser, which is there and back.",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 100,
};
