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

#include <float.h>
#include <math.h>

enum { USE_KIND = 33 };

static void draw(struct trop_case *c)
{
    const int has = trop_case_has(c, "tokens");

    trop_tokens_sphere(c, trop_lm_draw_n(c, 6, 20), trop_lm_draw_d(c, 2, 4));
    if (trop_case_pick(c, USE_KIND, 0, 2)) {
        trop_lm_draw_matrix(c, 1, 0);
    }
    trop_tokens_check(c);
    const struct trop_view tokens = trop_case_view(c, "tokens");
    for (int64_t i = 0; !has && i < tokens.rows; i++) {
        double *x = trop_case_view_row(tokens, i);
        const double norm = sqrt(trop_lm_score(c, x, x));
        for (int64_t a = 0; a < tokens.columns; a++) {
            x[a] /= norm;
        }
    }
    trop_case_default(c, "gamma", .5);
    trop_case_default(c, "epsilon", .05 + trop_case_uniform(c, USE_KIND, 1));
}

static void work(struct trop_case *c)
{
    trop_lm_rows(c, "rows", trop_case_flow(c, "%s", trop_lm_options(c)));
    if (!trop_case_has(c, "A")) {
        trop_lm_rows(c, "balls",
                     trop_case_flow(c, "%s rule=confidence confidence=%.17g", trop_lm_options(c),
                                    sqrt(2 * trop_case_number(c, "epsilon"))));
    }
}

/* ---- hypotheses ---- */

static void equal_norms(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view x = trop_case_view(c, "tokens");
    const double first = trop_lm_score(c, x.at, x.at);

    for (int64_t i = 0; i < x.rows; i++) {
        const double *point = trop_case_view_row(x, i);
        trop_judge_near(judge, "|x_i|_A^2 against |x_0|_A^2", -1, trop_lm_score(c, point, point),
                        first, 4 * trop_lm_score_error(c));
    }
}

/* |x_i - x_j|_A^2 from the difference, which has no cancellation. */
static double square(const struct trop_case *c, int64_t i, int64_t j)
{
    const struct trop_view tokens = trop_case_view(c, "tokens");
    const int64_t d = tokens.columns;
    const double *x = trop_case_view_row(tokens, i), *y = trop_case_view_row(tokens, j);
    const double *A = trop_case_array(c, "A");
    double sum = 0;

    for (int64_t k = 0; k < d * d; k++) {
        const double entry = A ? A[k] : (double)(k % (d + 1) == 0);
        sum += (x[k / d] - y[k / d]) * entry * (x[k % d] - y[k % d]);
    }
    return sum;
}

static void generic(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "tokens", 0);
    const double eps = trop_case_number(c, "epsilon"), error = trop_lm_score_error(c);

    for (int64_t k = 0; k < n * n; k++) {
        trop_judge_at_least(judge, "| |x_i - x_j|_A^2 - 2 eps |", -1,
                            fabs(square(c, k / n, k % n) - 2 * eps), 0, 32 * error);
    }
}

/* ---- the conclusion ---- */

static void conclude(struct trop_judge *judge, const struct trop_case *c)
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
}

const struct trop_claim trop_lm_thm_t10 = {
    .id = "lm-thm-t10",
    .title = "localmax on a sphere is bounded confidence",
    .statement = "When all tokens have the same A-norm, A positive definite, the localmax set of a "
                 "token is the ball of radius sqrt(2 eps) around it in that norm, so that the "
                 "neighbour graph is symmetric.",
    .status = TROP_CLAIM_PROVED,
    .source = TROP_CLAIM_DERIVED,
    .remark = "Weights of the library against distances computed apart; with A = I also against "
              "its bounded-confidence rule.",
    .inputs = "tokens A epsilon",
    .hypotheses = TROP_HYPOTHESES(
        TROP_LM_POSITIVE,
        /* Tokens of equal norm in A have other norms in another A. */
        { "definite", "A is symmetric and positive definite", .judge = trop_lm_judge_definite },
        { "equal-norms", "all tokens have the same norm in A", .judge = equal_norms,
          .broken = "a token longer by 1e-6", .edit = "tokens[0] *= 1 + 1e-6" },
        { "generic", "no pair is as far apart as the radius, up to rounding", .judge = generic }),
    .run = { draw, work, conclude },
    .spoils = TROP_SPOILS(
        { "the rows of a cloud with a token twice as long", NULL,
          .edit = "work with tokens[0] *= 2" },
        { "one pair is in or out wrongly", NULL, .edit = "rows[0,1] = 1e-6 - rows[0,1]" }),
    .trials = 200,
};
