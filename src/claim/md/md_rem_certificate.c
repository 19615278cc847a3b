/* md_rem_certificate.c -- bounds on the least norm from any multipliers and any weights
 * (mirror-descent paper, lp-AttSVM and its dual).
 *
 *   1'lambda / |A'lambda|_q <= min {|W|_p : A W >= 1} <= |W|_p / min_j (A W)_j,
 *
 * for every lambda >= 0 that is not 0 and every W with a positive least margin: 1'lambda <= lambda'
 * A W <= |A'lambda|_q |W|_p for feasible W. What is judged is the solver: its proved interval
 * [lower, upper] must meet both sides for multipliers and weights that it did not choose. Trial 0
 * takes the solver's own multipliers, scaled, for which the left side is the norm itself, so that
 * a norm that is wrong by 1e-6 is seen.
 *
 * Rounding: (N + m + 16) u of either side.
 */
#include "claim/md/md.h"

#include "base/alloc.h"
#include "base/status.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define USE 68

static enum trop_status draw(struct trop_case *c)
{
    enum trop_status status = trop_md_draw(c, 3, 4, 4);
    const int64_t n = trop_case_size(c, "X", 0), T = trop_case_size(c, "X", 1);
    const int64_t d = trop_case_size(c, "X", 2);

    if (status == TROP_OK) {
        status = trop_md_check_matrix(c, "W", d, d);
    }
    if (status == TROP_OK && trop_case_has(c, "lambda") &&
        trop_case_size(c, "lambda", 0) != n * (T - 1)) {
        status = trop_fail(TROP_ERR_ARG, "lambda: must have a number for each of %lld constraints",
                           (long long)(n * (T - 1)));
    }
    return status;
}

/* The solver's multipliers, "lambda" (m), unless the case has some. */
static enum trop_status take_multipliers(struct trop_case *c)
{
    struct trop_margin_options o = trop_margin_options_default();
    struct trop_margin *margin = NULL;
    struct trop_value value = { 0 };
    struct trop_data data;
    double *lambda = NULL;

    trop_examples_data(&data, c);
    o.data = &data;
    o.norm = TROP_MARGIN_LP;
    o.p = trop_case_number(c, "p");
    o.threads = 1;
    enum trop_status status = trop_margin_create(&margin, &o);
    if (status == TROP_OK) {
        status = trop_margin_run(margin, NULL, NULL);
    }
    if (status == TROP_OK) {
        status = trop_margin_value(&value, margin, "multipliers");
    }
    if (status == TROP_OK && value.kind == TROP_KIND_NUMBERS) {
        status = trop_case_make(&lambda, c, "lambda", value.shape[0], 0, 0);
    }
    for (int64_t j = 0; lambda && j < value.shape[0]; j++) {
        lambda[j] = c->trial == 0 ? 2.5 * value.numbers[j]
                                  : value.numbers[j] +
                                        .1 * (double)(c->trial % 3) * trop_case_uniform(c, USE, j);
    }
    trop_margin_free(margin);
    return status;
}

static enum trop_status work(struct trop_case *c)
{
    double *near = NULL;
    enum trop_status status = trop_md_solve(c, trop_case_number(c, "p"), TROP_MODEL_CROSS, "W_mm");
    const int64_t d = trop_case_size(c, "W_mm", 0);

    if (status == TROP_OK && !trop_case_has(c, "lambda")) {
        status = take_multipliers(c);
    }
    if (status != TROP_OK || trop_case_has(c, "W")) {
        return status;
    }
    status = trop_case_make(&near, c, "W", d, d, 0);
    const double *solution = trop_case_array(c, "W_mm");
    for (int64_t k = 0; status == TROP_OK && k < d * d; k++) {
        near[k] = solution[k] * (1 + .05 * trop_case_normal(c, USE + 1, k));
    }
    return status;
}

static enum trop_status is_nonnegative(struct trop_judge *judge, const struct trop_case *c)
{
    const double *lambda = trop_case_array(c, "lambda");
    double sum = 0;

    for (int64_t j = 0; j < trop_case_size(c, "lambda", 0); j++) {
        trop_judge_at_least(judge, "a multiplier", -1, lambda[j], 0, 0);
        sum += lambda[j];
    }
    trop_judge_truth(judge, "they are not all 0", -1, !(sum <= 0));
    return TROP_OK;
}

static enum trop_status is_separating(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_least(judge, "least margin of W", -1,
                        trop_md_least(c, trop_case_array(c, "W"), trop_case_array(c, "alpha")), 0,
                        1e-9);
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    TROP_MD_EXPONENT,
    TROP_MD_UNIQUE,
    TROP_MD_SOLVED,
    { "nonnegative", "lambda >= 0, and not 0", is_nonnegative, 1 },
    { "separates", "W has a positive least margin", is_separating, 1 },
    { 0 },
};

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const double *lambda = trop_case_array(c, "lambda"), *alpha = trop_case_array(c, "alpha");
    const double *w = trop_case_array(c, "W"), p = trop_case_number(c, "p");
    const int64_t d = trop_case_size(c, "X", 2), m = trop_case_size(c, "lambda", 0);
    const double rounding = (double)(d * d + m + 16) * DBL_EPSILON;
    double *pull = trop_alloc(d * d, sizeof *pull);
    double sum = 0;

    if (!pull) {
        return TROP_ERR_MEMORY;
    }
    for (int64_t j = 0; j < m; j++) {
        sum += lambda[j];
    }
    trop_md_pull(pull, c, alpha, lambda);
    const double below = sum / trop_md_norm(pull, d * d, trop_md_dual(p));
    const double above = trop_md_norm(w, d * d, p) / trop_md_least(c, w, alpha);
    trop_judge_at_most(judge, "1'lambda / |A'lambda|_q against the norm", -1, below,
                       trop_case_number(c, "W_mm_upper"), rounding * below);
    trop_judge_at_least(judge, "|W|_p / min A W against the norm", -1, above,
                        trop_case_number(c, "W_mm_lower"), rounding * above);
    trop_alloc_free(pull);
    return TROP_OK;
}

/* Solves the data without the tokens that are last: fewer constraints, a smaller norm. */
static enum trop_status drop_constraints(struct trop_case *c)
{
    const double *alpha = trop_case_array(c, "alpha"), *lambda = trop_case_array(c, "lambda");
    const int64_t n = trop_case_size(c, "X", 0), T = trop_case_size(c, "X", 1);
    const int64_t d = trop_case_size(c, "X", 2);
    struct trop_case *copy = NULL;
    int64_t most = 0, row = 0;
    enum trop_status status = trop_case_copy(&copy, c);

    for (int64_t j = 1; j < trop_case_size(c, "lambda", 0); j++) {
        most = lambda[j] > lambda[most] ? j : most;
    }
    /* That token takes the place of a copy of another one, so that its constraint is gone. */
    for (int64_t i = 0; status == TROP_OK && i < n; i++) {
        double *x = trop_case_array(copy, "X") + i * T * d;
        for (int64_t t = 0; t < T; t++) {
            if (t != (int64_t)alpha[i] && row++ == most) {
                int64_t other = (t + 1) % T;
                other = other == (int64_t)alpha[i] ? (other + 1) % T : other;
                memcpy(x + t * d, x + other * d, (size_t)d * sizeof *x);
            }
        }
    }
    if (status == TROP_OK) {
        status = trop_md_solve(copy, trop_case_number(c, "p"), TROP_MODEL_CROSS, "W_mm");
    }
    if (status == TROP_OK) {
        status = trop_case_put(c, "W_mm_lower", trop_case_number(copy, "W_mm_lower"));
    }
    if (status == TROP_OK) {
        status = trop_case_put(c, "W_mm_upper", trop_case_number(copy, "W_mm_upper"));
    }
    trop_case_free(copy);
    return status;
}

static enum trop_status smaller(struct trop_case *c)
{
    enum trop_status status =
        trop_case_put(c, "W_mm_lower", trop_case_number(c, "W_mm_lower") * (1 - 1e-6));

    return status == TROP_OK
               ? trop_case_put(c, "W_mm_upper", trop_case_number(c, "W_mm_upper") * (1 - 1e-6))
               : status;
}

static enum trop_status negative(struct trop_case *c)
{
    trop_case_array(c, "lambda")[0] = -.1;
    return TROP_OK;
}

static enum trop_status turn_round(struct trop_case *c)
{
    double *w = trop_case_array(c, "W");

    for (int64_t k = 0; k < trop_case_size(c, "W", 0) * trop_case_size(c, "W", 1); k++) {
        w[k] = -w[k];
    }
    return TROP_OK;
}

static const struct trop_spoil spoils[] = {
    { "the problem solved without the constraint of the largest multiplier", NULL,
      drop_constraints },
    { "the norm smaller by 1e-6 of it", NULL, smaller },
    { "p = 1", "exponent", trop_md_spoil_exponent },
    { "all scores equal", "unique-best", trop_md_spoil_scores },
    { "the gap of the solution is not proved", "solved", trop_md_spoil_solved },
    { "a multiplier -1/10", "nonnegative", negative },
    { "-W in the place of W", "separates", turn_round },
    { 0 },
};

static const struct trop_input inputs[] = {
    TROP_MD_INPUTS,
    { "lambda", "(m)", "multipliers, input after input and token after token" },
    { "W", "(d, d)", "weights that separate" },
    { 0 },
};

const struct trop_claim trop_md_rem_certificate = {
    .id = "md-rem-certificate",
    .title = "any multipliers and any weights bound the least norm",
    .statement = "For lambda >= 0 and W with positive margins, 1'lambda / |A'lambda|_q <= "
                 "|W_mm|_p <= |W|_p / min A W.",
    .status = TROP_CLAIM_PROVED,
    .remark = "The solver's proved interval is judged by multipliers and weights that it did not "
              "choose, and in trial 0 by its own multipliers.",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 40,
};
