/* lm_thm_t10.c -- localmax on a sphere is bounded confidence.
 *
 *   S_ij >= m_i - eps   <=>   |x_i - x_j|_A^2 <= |x_i|_A^2 + |x_j|_A^2 - 2 m_i + 2 eps,
 *
 * A symmetric. With equal norms and A positive definite m_i = |x_i|_A^2 (Cauchy-Schwarz), so C_i is
 * the ball of radius sqrt(2 eps) in the norm of A, and the graph is symmetric. The sets are read
 * from the weights of the library; the distances are computed here. With A = I the rows are also
 * compared with those of the library's bounded-confidence rule.
 *
 * Equal norms means within 8 u of 1: that moves S_ij - m_i + eps and 2 eps - |x_i - x_j|^2 by a few
 * score errors, and pairs that close to the radius leave the hypotheses.
 */
#include "claim/lm/lm.h"

#include "claim/tokens.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { USE_SIZE = 32, USE_KIND };

static enum trop_status draw(struct trop_case *c)
{
    const int64_t d = 2 + trop_case_pick(c, USE_SIZE, 1, 3);
    const int has = trop_case_has(c, "tokens");
    enum trop_status status = trop_tokens_sphere(c, 6 + trop_case_pick(c, USE_SIZE, 0, 15), d);

    if (status == TROP_OK && trop_case_pick(c, USE_KIND, 0, 2)) {
        status = trop_lm_draw_definite(c);
    }
    if (status == TROP_OK) {
        status = trop_tokens_check(c);
    }
    for (int64_t i = 0; status == TROP_OK && !has && i < trop_case_size(c, "tokens", 0); i++) {
        double *x = trop_case_array(c, "tokens") + i * d;
        const double norm = sqrt(trop_lm_form(trop_case_array(c, "A"), x, x, d));
        for (int64_t a = 0; a < d; a++) {
            x[a] /= norm;
        }
    }
    if (status == TROP_OK) {
        status = trop_case_default(c, "gamma", .5);
    }
    return status == TROP_OK
               ? trop_case_default(c, "epsilon", .05 + trop_case_uniform(c, USE_KIND, 1))
               : status;
}

static enum trop_status work(struct trop_case *c)
{
    struct trop_flow_options o = trop_lm_options(c);
    enum trop_status status = trop_lm_rows(c, "rows", &o);

    if (status == TROP_OK && !trop_case_has(c, "A")) {
        o.rule = TROP_RULE_CONFIDENCE;
        o.confidence = sqrt(2 * trop_case_number(c, "epsilon"));
        status = trop_lm_rows(c, "balls", &o);
    }
    return status;
}

/* ---- hypotheses ---- */

static enum trop_status equal_norms(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const double *x = trop_case_array(c, "tokens"), *A = trop_case_array(c, "A");
    const double first = trop_lm_form(A, x, x, d);

    for (int64_t i = 0; i < n; i++) {
        trop_judge_near(judge, "|x_i|_A^2 against |x_0|_A^2", -1,
                        trop_lm_form(A, x + i * d, x + i * d, d), first,
                        4 * trop_lm_score_error(c));
    }
    return TROP_OK;
}

/* |x_i - x_j|_A^2 from the difference, which has no cancellation. */
static double square(const struct trop_case *c, int64_t i, int64_t j)
{
    const int64_t d = trop_case_size(c, "tokens", 1);
    const double *x = trop_case_array(c, "tokens"), *A = trop_case_array(c, "A");
    double sum = 0;

    for (int64_t a = 0; a < d; a++) {
        for (int64_t b = 0; b < d; b++) {
            const double entry = A ? A[a * d + b] : (double)(a == b);
            sum += (x[i * d + a] - x[j * d + a]) * entry * (x[i * d + b] - x[j * d + b]);
        }
    }
    return sum;
}

static enum trop_status generic(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "tokens", 0);
    const double eps = trop_case_number(c, "epsilon");

    for (int64_t k = 0; k < n * n; k++) {
        trop_judge_at_least(judge, "| |x_i - x_j|_A^2 - 2 eps |", -1,
                            fabs(square(c, k / n, k % n) - 2 * eps), 0,
                            32 * trop_lm_score_error(c));
    }
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    TROP_LM_POSITIVE,
    TROP_LM_DEFINITE,
    { "equal-norms", "all tokens have the same norm in A", equal_norms, 0 },
    { "generic", "no pair is as far apart as the radius, up to rounding", generic, 0 },
    { 0 },
};

/* ---- the conclusion ---- */

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "tokens", 0);
    const double *rows = trop_case_array(c, "rows"), *balls = trop_case_array(c, "balls");
    const double eps = trop_case_number(c, "epsilon");

    for (int64_t i = 0; i < n; i++) {
        double count = 0;
        for (int64_t j = 0; j < n; j++) {
            const int is_near = square(c, i, j) <= 2 * eps;
            count += is_near;
            trop_judge_truth(judge, "j is in the set of i exactly when it is in its ball", -1,
                             is_near == (rows[i * n + j] > 0));
            trop_judge_truth(judge, "the graph is symmetric", -1,
                             (rows[i * n + j] > 0) == (rows[j * n + i] > 0));
            if (balls) {
                trop_judge_near(judge, "weight against that of bounded confidence", -1,
                                rows[i * n + j], balls[i * n + j], 2 * DBL_EPSILON);
            }
        }
        for (int64_t j = 0; j < n; j++) {
            trop_judge_near(judge, "weight against 1/|N_i|", -1, rows[i * n + j],
                            square(c, i, j) <= 2 * eps ? 1 / count : 0, 2 * DBL_EPSILON);
        }
    }
    return TROP_OK;
}

/* ---- ways to be wrong ---- */

/* The rows of a cloud one token of which is twice as long. */
static enum trop_status other_rows(struct trop_case *c)
{
    double *x = trop_case_array(c, "tokens");
    const int64_t d = trop_case_size(c, "tokens", 1);

    for (int64_t a = 0; a < d; a++) {
        x[a] *= 2;
    }
    enum trop_status status = work(c);
    for (int64_t a = 0; a < d; a++) {
        x[a] /= 2;
    }
    return status;
}

static enum trop_status swap_weight(struct trop_case *c)
{
    double *rows = trop_case_array(c, "rows");

    rows[1] = rows[1] > 0 ? 0 : 1e-6;
    return TROP_OK;
}

static enum trop_status longer(struct trop_case *c)
{
    double *x = trop_case_array(c, "tokens");
    const int64_t d = trop_case_size(c, "tokens", 1);

    for (int64_t a = 0; a < d; a++) {
        x[a] *= 1 + 1e-6;
    }
    return TROP_OK;
}

static const struct trop_spoil spoils[] = {
    { "the rows of a cloud with a token twice as long", NULL, other_rows },
    { "one pair is in or out wrongly", NULL, swap_weight },
    { "epsilon = -.1", "epsilon", trop_lm_draw_wrong_epsilon },
    { "a token longer by 1e-6", "equal-norms", longer },
    { 0 },
};

const struct trop_claim trop_lm_thm_t10 = {
    .id = "lm-thm-t10",
    .title = "localmax on a sphere is bounded confidence",
    .statement = "When all tokens have the same A-norm, A positive definite, the localmax set of a "
                 "token is the ball of radius sqrt(2 eps) around it in that norm, so that the "
                 "neighbour graph is symmetric.",
    .status = TROP_CLAIM_PROVED,
    .remark = "Weights of the library against distances computed apart; with A = I also against "
              "its bounded-confidence rule.",
    .old_inputs = trop_lm_judge_inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 200,
};
