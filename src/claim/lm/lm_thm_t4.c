/* lm_thm_t4.c -- when localmax must come to consensus (T4b, T4c).
 *
 *   T4b  A positive definite and limsup eps > diam_A(K(0))^2 / 2
 *   T4c  the symmetric part of A negative semidefinite and limsup eps > 0
 *
 * Two vertices v, w of the limit would satisfy (v-w)'A(v-w) >= 2 limsup eps by T3, which both
 * exclude. Consensus is a limit; what shows it after finitely many steps is T12: once every
 * token hears every other (with epsilon at its least from then on), the distances to the mean fall
 * by exactly 1 - gamma a step, forever. So the conclusion of T4 is read as: at the end of the path
 * the graph is complete, and from the first such step on the diameter has fallen by (1-gamma) a
 * step. A path that ends before that while tokens still move decides nothing.
 */
#include "claim/lm/lm.h"

#include <math.h>

enum { USE_FACTOR = 33, USE_KIND };

/* ---- instances ---- */

/* The squared diameter in the form of A. */
static double square_diameter(const struct trop_case *c)
{
    const struct trop_view x = trop_case_view(c, "tokens");
    double most = 0;

    for (int64_t i = 0; i < x.rows; i++) {
        for (int64_t j = 0; j < i; j++) {
            const double *p = trop_case_view_row(x, i), *q = trop_case_view_row(x, j);
            most = fmax(most, trop_lm_score(c, p, p) + trop_lm_score(c, q, q) -
                                  trop_lm_score(c, p, q) - trop_lm_score(c, q, p));
        }
    }
    return most;
}

static void draw_tokens(struct trop_case *c, double low, double high)
{
    trop_lm_draw_cloud(c, trop_lm_draw_n(c, 4, 12), trop_lm_draw_d(c, 2, 3), low, high);
}

/* epsilon is 1.01 to 1.5 times the bound; in every third draw it swings up to that. */
static void draw_b(struct trop_case *c)
{
    const int has = trop_case_has(c, "epsilon"), swings = c->trial % 3 == 2;

    draw_tokens(c, 1, 1);
    if (trop_case_pick(c, USE_KIND, 0, 2)) {
        trop_lm_draw_matrix(c, 1, 0);
    }
    const double top = (1.01 + .5 * trop_case_uniform(c, USE_FACTOR, 0)) * (square_diameter(c) / 2);
    if (!has) {
        trop_case_put(c, "epsilon", swings ? .75 * top : top);
    }
    if (!has && swings) {
        trop_case_default(c, "swing", .25 * top);
    }
}

/* Half of them skew, A = N - N', half with a negative definite part as well. */
static void draw_c(struct trop_case *c)
{
    trop_tokens_count(c, "steps", 300, 1, 1e6);
    draw_tokens(c, .1, .5);
    trop_lm_draw_matrix(c, trop_case_pick(c, USE_KIND, 0, 2) ? -1 : 0, .5);
}

/* ---- hypotheses ---- */

static void above_diameter(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_least(judge, "limsup epsilon against diam_A^2 / 2", -1, trop_lm_epsilon_limsup(c),
                        square_diameter(c) / 2, 4 * trop_lm_score_error(c));
}

/* -x'Ax >= 0: the pivots of a Cholesky factor of -(A + A')/2, up to their rounding; the row of a
 * pivot that is 0 within it must be 0 too. */
static void not_positive(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t d = trop_case_size(c, "tokens", 1);
    const double *A = trop_case_array(c, "A");
    const double zero = 4 * (double)(d * d) * 2.2e-16 * trop_lm_size(c);
    double *s = trop_case_scratch(c, d * d);

    for (int64_t k = 0; k < d * d; k++) {
        s[k] = A ? -.5 * (A[k] + A[k % d * d + k / d]) : -(double)(k % (d + 1) == 0);
    }
    for (int64_t a = 0; a < d; a++) {
        const double pivot = s[a * d + a];
        trop_judge_truth(judge, "pivot of -(A + A')/2 is not negative", -1, pivot >= -zero);
        for (int64_t b = a + 1; b < d; b++) {
            if (pivot <= zero) {
                trop_judge_truth(judge, "row of a pivot 0 is 0", -1, fabs(s[a * d + b]) <= zero);
            }
            for (int64_t k = a + 1; k < d && pivot > zero; k++) {
                s[b * d + k] -= s[b * d + a] * s[a * d + k] / pivot;
            }
        }
    }
}

/* ---- conclusions ---- */

/* Whether tokens may still move: the last step moved one by more than 1e-12 of the first diameter,
 * or epsilon swings, so that what rests at one step need not rest at another. Then the path is too
 * short to say that tokens do not meet. */
static int is_moving(const struct trop_case *c, struct trop_view path)
{
    double most = 0;

    for (int64_t i = 0; i < path.columns && path.rows > 1; i++) {
        most = fmax(most, trop_tokens_distance(trop_lm_token(path, -1, i),
                                               trop_lm_token(path, path.rows - 2, i), path.depth));
    }
    return path.rows == 1 || (trop_case_has(c, "swing") && trop_case_number(c, "swing") != 0) ||
           most > 1e-12 * trop_tokens_diameter_of(trop_case_view_part(path, 0));
}

static void conclude_consensus(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view path = trop_case_view(c, "path");
    const double low = trop_lm_epsilon_low(c), shrink = 1 - trop_case_number(c, "gamma");
    const double score_error = trop_lm_score_error(c), step_error = trop_lm_step_error(c);
    double bound = NAN;
    int64_t first = -1;

    for (int64_t t = 0; t < path.rows; t++) {
        const double *x = trop_case_view_row(path, t);
        const double diameter = trop_tokens_diameter(x, path.columns, path.depth);
        if (first < 0 && trop_lm_complete(c, x) + 4 * score_error <= low) {
            first = t;
            bound = diameter;
        }
        if (first >= 0) {
            trop_judge_near(judge, "diameter against (1-gamma)^k of the complete graph", t,
                            diameter, bound, 2 * ((double)(t + 1) * step_error));
            bound *= shrink;
        }
    }
    /* Where epsilon is of the size of rounding errors, rounding decides the sets, and where steps
     * are, it decides whether tokens move. */
    const int is_blurred = !(low > 64 * score_error && trop_case_number(c, "gamma") > 1e-6);
    trop_judge_truth(judge, "the graph becomes complete", first,
                     first >= 0                         ? 1
                     : is_blurred || is_moving(c, path) ? -1
                                                        : 0);
}

const struct trop_claim trop_lm_thm_t4b = {
    .id = "lm-thm-t4b",
    .title = "consensus above half the squared diameter",
    .statement = "With A positive definite and limsup eps above half the squared A-diameter of the "
                 "first tokens, localmax brings all tokens to one point.",
    .status = TROP_CLAIM_PROVED,
    .source = TROP_CLAIM_DERIVED,
    .remark =
        "Read as: within the path every token attends to every other, which lasts (T12), and from "
        "then on the diameter falls by exactly 1 - gamma a step.",
    .inputs = "tokens A gamma epsilon swing steps",
    .hypotheses = TROP_HYPOTHESES(
        TROP_LM_STEP_SIZE,
        /* A negative epsilon is not above half the squared diameter either. */
        { "epsilon", "epsilon is not negative at any time", .judge = trop_lm_judge_epsilon },
        TROP_LM_DEFINITE,
        { "above-diameter", "limsup epsilon exceeds half the squared A-diameter",
          .judge = above_diameter, .broken = "epsilon a hundredth below the bound" }),
    .run = { draw_b, trop_lm_path, conclude_consensus },
    .spoils =
        TROP_SPOILS(/* Tokens do not meet under it; the path is so long that it stands still. */
                    { "the path of epsilon = 0", NULL,
                      .edit = "work with epsilon = 0, swing = 0, steps = 400" },
                    { "the path of gamma + 1e-6", NULL, .edit = "work with gamma += 1e-6" }),
    .trials = 100,
};

const struct trop_claim trop_lm_thm_t4c = {
    .id = "lm-thm-t4c",
    .title = "consensus without a positive direction",
    .statement = "With the symmetric part of A negative semidefinite and limsup eps > 0, localmax "
                 "brings all tokens to one point.",
    .status = TROP_CLAIM_PROVED,
    .source = TROP_CLAIM_DERIVED,
    .remark =
        "Read as: within the path every token attends to every other, which lasts (T12), and from "
        "then on the diameter falls by exactly 1 - gamma a step.",
    .inputs = "tokens A gamma epsilon swing steps",
    .hypotheses =
        TROP_HYPOTHESES(TROP_LM_STEP_SIZE, TROP_LM_POSITIVE,
                        { "not-positive", "the symmetric part of A is negative semidefinite",
                          .judge = not_positive, .broken = "A = I", .edit = "drop A" }),
    .run = { draw_c, trop_lm_path, conclude_consensus },
    .spoils = TROP_SPOILS({ "the path of gamma + 1e-6", NULL, .edit = "work with gamma += 1e-6" }),
    .trials = 100,
};
