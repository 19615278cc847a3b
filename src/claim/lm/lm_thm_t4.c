/* lm_thm_t4.c -- when localmax must come to consensus (T4b, T4c).
 *
 *   T4b  A positive definite and limsup eps > diam_A(K(0))^2 / 2
 *   T4c  the symmetric part of A negative semidefinite and limsup eps > 0
 *
 * Two vertices v, w of the limit would satisfy (v-w)'A(v-w) >= 2 limsup eps by T3, which both
 * exclude. Consensus is a limit; what shows it after finitely many steps is T12: once every
 * token hears every other (with epsilon at its least from then on), the distances to the mean fall
 * by exactly 1 - gamma a step, for ever. So the conclusion of T4 is read as: at the end of the path
 * the graph is complete, and from the first such step on the diameter has fallen by (1-gamma) a
 * step. A path that ends before that while tokens still move decides nothing.
 */
#include "claim/lm/lm.h"

#include "base/alloc.h"
#include "base/status.h"
#include "claim/tokens.h"

#include <math.h>

enum { USE_SIZE = 32, USE_FACTOR, USE_KIND };

/* ---- quantities ---- */

/* The squared diameter in the form of A. */
static double square_diameter(const struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const double *A = trop_case_array(c, "A"), *x = trop_case_array(c, "tokens");
    double most = 0;

    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < i; j++) {
            const double *p = x + i * d, *q = x + j * d;
            most = fmax(most, trop_lm_form(A, p, p, d) + trop_lm_form(A, q, q, d) -
                                  trop_lm_form(A, p, q, d) - trop_lm_form(A, q, p, d));
        }
    }
    return most;
}

/* ---- instances ---- */

static enum trop_status draw_tokens(struct trop_case *c, double low, double high)
{
    return trop_lm_draw_cloud(c, 4 + trop_case_pick(c, USE_SIZE, 0, 9),
                              2 + trop_case_pick(c, USE_SIZE, 1, 2), low, high);
}

/* epsilon is 1.01 to 1.5 times bound; in every third draw it swings up to that. */
static enum trop_status draw_above(struct trop_case *c, int has, double bound)
{
    const double top = (1.01 + .5 * trop_case_uniform(c, USE_FACTOR, 0)) * bound;
    const int swings = c->trial % 3 == 2 && !has;

    if (has) {
        return TROP_OK;
    }
    enum trop_status status = trop_case_put(c, "epsilon", swings ? .75 * top : top);
    return status == TROP_OK && swings ? trop_case_default(c, "swing", .25 * top) : status;
}

static enum trop_status draw_b(struct trop_case *c)
{
    const int has = trop_case_has(c, "epsilon");
    enum trop_status status = draw_tokens(c, 1, 1);

    if (status == TROP_OK && trop_case_pick(c, USE_KIND, 0, 2)) {
        status = trop_lm_draw_definite(c);
    }
    return status == TROP_OK ? draw_above(c, has, square_diameter(c) / 2) : status;
}

/* Half of them skew, A = N - N', half with a negative definite part as well. */
static enum trop_status draw_c(struct trop_case *c)
{
    enum trop_status status = trop_tokens_count(c, "steps", 300, 1, 1e6);

    if (status == TROP_OK) {
        status = draw_tokens(c, .1, .5);
    }
    return status == TROP_OK
               ? trop_lm_draw_matrix(c, trop_case_pick(c, USE_KIND, 0, 2) ? -1 : 0, .5)
               : status;
}

/* ---- hypotheses ---- */

static enum trop_status above_diameter(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_least(judge, "limsup epsilon against diam_A^2 / 2", -1, trop_lm_epsilon_limsup(c),
                        square_diameter(c) / 2, 4 * trop_lm_score_error(c));
    return TROP_OK;
}

/* -x'Ax >= 0: the pivots of a Cholesky factor of -(A + A')/2, up to their rounding; the row of a
 * pivot that is 0 within it must be 0 too. */
static enum trop_status not_positive(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t d = trop_case_size(c, "tokens", 1);
    const double *A = trop_case_array(c, "A");
    const double zero = 4 * (double)(d * d) * 2.2e-16 * trop_lm_size(c);
    double *s = trop_alloc(d * d, sizeof *s);

    if (!s) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a factor of A");
    }
    for (int64_t k = 0; k < d * d; k++) {
        s[k] = A ? -.5 * (A[k] + A[k % d * d + k / d]) : -(double)(k % (d + 1) == 0);
    }
    for (int64_t a = 0; a < d; a++) {
        trop_judge_truth(judge, "pivot of -(A + A')/2 is not negative", -1, s[a * d + a] >= -zero);
        for (int64_t b = a + 1; b < d && s[a * d + a] > zero; b++) {
            for (int64_t k = a + 1; k < d; k++) {
                s[b * d + k] -= s[b * d + a] * s[a * d + k] / s[a * d + a];
            }
        }
        for (int64_t b = a + 1; b < d && s[a * d + a] <= zero; b++) {
            trop_judge_truth(judge, "row of a pivot 0 is 0", -1, fabs(s[a * d + b]) <= zero);
        }
    }
    trop_alloc_free(s);
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses_b[] = {
    TROP_LM_STEP_SIZE,
    TROP_LM_EPSILON,
    TROP_LM_DEFINITE,
    { "above-diameter", "limsup epsilon exceeds half the squared A-diameter", above_diameter, 0 },
    { 0 },
};

static const struct trop_hypothesis hypotheses_c[] = {
    TROP_LM_STEP_SIZE,
    TROP_LM_POSITIVE,
    { "not-positive", "the symmetric part of A is negative semidefinite", not_positive, 0 },
    { 0 },
};

/* ---- conclusions ---- */

/* Whether the last step still moved a token, by more than 1e-12 of the first diameter: then the
 * path is too short to say that tokens do not meet. */
static int is_moving(const double *path, int64_t steps, int64_t n, int64_t d)
{
    const double *x = path + steps * n * d;
    double most = 0;

    for (int64_t i = 0; i < n && steps > 0; i++) {
        most = fmax(most, trop_tokens_distance(x + i * d, x + (i - n) * d, d));
    }
    return steps == 0 || most > 1e-12 * trop_tokens_diameter(path, n, d);
}

static enum trop_status conclude_consensus(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t steps = trop_case_size(c, "path", 0) - 1;
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    const double *path = trop_case_array(c, "path");
    const double low = trop_lm_epsilon_low(c), shrink = 1 - trop_case_number(c, "gamma");
    double bound = NAN;
    int64_t first = -1;

    for (int64_t t = 0; t <= steps; t++) {
        const double *x = path + t * n * d;
        const double allowance = (double)(t + 1) * trop_lm_step_error(c);
        if (first < 0 && trop_lm_complete(c, x) + 4 * trop_lm_score_error(c) <= low) {
            first = t;
            bound = trop_tokens_diameter(x, n, d);
        }
        if (first >= 0) {
            trop_judge_near(judge, "diameter against (1-gamma)^k of the complete graph", t,
                            trop_tokens_diameter(x, n, d), bound, 2 * allowance);
            bound *= shrink;
        }
    }
    /* Where epsilon is of the size of rounding errors, rounding decides the sets. */
    const int is_blurred = !(low > 64 * trop_lm_score_error(c));
    trop_judge_truth(judge, "the graph becomes complete", first,
                     first >= 0                                   ? 1
                     : is_blurred || is_moving(path, steps, n, d) ? -1
                                                                  : 0);
    return TROP_OK;
}

/* ---- ways to be wrong ---- */

/* The path with epsilon = 0, under which tokens do not meet, until it stands still. */
static enum trop_status path_of_hardmax(struct trop_case *c)
{
    const double epsilon = trop_case_number(c, "epsilon");
    const double swing = trop_case_number(c, "swing");
    const int swings = trop_case_has(c, "swing");

    trop_case_drop(c, "swing");
    enum trop_status status = trop_case_put(c, "epsilon", 0);
    if (status == TROP_OK) {
        status = trop_case_put(c, "steps", 400);
    }
    if (status == TROP_OK) {
        status = trop_lm_flow(c);
    }
    if (status == TROP_OK) {
        status = trop_case_put(c, "epsilon", epsilon);
    }
    return status == TROP_OK && swings ? trop_case_put(c, "swing", swing) : status;
}

static enum trop_status small_epsilon(struct trop_case *c)
{
    trop_case_drop(c, "swing");
    return trop_case_put(c, "epsilon", .99 * square_diameter(c) / 2);
}

static enum trop_status identity(struct trop_case *c)
{
    trop_case_drop(c, "A");
    return TROP_OK;
}

static const struct trop_spoil spoils_b[] = {
    { "the path of epsilon = 0", NULL, path_of_hardmax },
    { "the path of gamma + 1e-6", NULL, trop_lm_draw_other_gamma },
    { "gamma = 1.25", "step-size", trop_lm_draw_wrong_gamma },
    { "A = diag(1, ..., 1, -1)", "definite", trop_lm_draw_wrong_definite },
    { "epsilon a hundredth below the bound", "above-diameter", small_epsilon },
    { 0 },
};

static const struct trop_spoil spoils_c[] = {
    { "the path of gamma + 1e-6", NULL, trop_lm_draw_other_gamma },
    { "gamma = 1.25", "step-size", trop_lm_draw_wrong_gamma },
    { "epsilon = -.1", "epsilon", trop_lm_draw_wrong_epsilon },
    { "A = I", "not-positive", identity },
    { 0 },
};

const struct trop_claim trop_lm_thm_t4b = {
    .id = "lm-thm-t4b",
    .title = "consensus above half the squared diameter",
    .statement = "With A positive definite and limsup eps above half the squared A-diameter of the "
                 "first tokens, localmax brings all tokens to one point.",
    .status = TROP_CLAIM_PROVED,
    .remark = "Read as: within the path every token hears every other, which lasts (T12), and from "
              "then on the diameter falls by exactly 1 - gamma a step.",
    .old_inputs = trop_lm_judge_inputs,
    .hypotheses = hypotheses_b,
    .old_draw = draw_b,
    .old_work = trop_lm_flow,
    .old_conclude = conclude_consensus,
    .spoils = spoils_b,
    .trials = 100,
};

const struct trop_claim trop_lm_thm_t4c = {
    .id = "lm-thm-t4c",
    .title = "consensus without a positive direction",
    .statement = "With the symmetric part of A negative semidefinite and limsup eps > 0, localmax "
                 "brings all tokens to one point.",
    .status = TROP_CLAIM_PROVED,
    .remark = "Read as: within the path every token hears every other, which lasts (T12), and from "
              "then on the diameter falls by exactly 1 - gamma a step.",
    .old_inputs = trop_lm_judge_inputs,
    .hypotheses = hypotheses_c,
    .old_draw = draw_c,
    .old_work = trop_lm_flow,
    .old_conclude = conclude_consensus,
    .spoils = spoils_c,
    .trials = 100,
};
