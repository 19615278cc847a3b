/* lm_thm_t11.c -- what localmax does not notice.
 *
 *   (x, A, eps) -> (s x, A, s^2 eps)              path times s
 *   (x, A, eps) -> (x, c A, c eps), c > 0         the same path
 *   (x, A, eps) -> (L x, L^-T A L^-1, eps)        path times L
 *   tokens in another order                       path in that order
 *
 * since scores are multiplied by s^2, c, 1 and 1. L is lower triangular with ones on the diagonal.
 * All five flows are run by the library. In exact arithmetic the sets agree; rounding leaves them
 * alone when no pair of the path is within 1e-9 of its cut, since scores of the other flows are off
 * by much less, relative to their size. A step of each flow rounds by its own trop_lm_step_error,
 * averaging does not amplify it, and L multiplies by its norm.
 */
#include "claim/lm/lm.h"

#include "base/alloc.h"
#include "base/status.h"
#include "claim/tokens.h"

#include <math.h>
#include <string.h>

enum { USE_SIZE = 32, USE_NUMBER, USE_MAP };

#define CLEAR 1e-9

/* ---- the instance ---- */

/* L, unless there is one. */
static enum trop_status draw_map(struct trop_case *c)
{
    const int64_t d = trop_case_size(c, "tokens", 1);
    double *L = NULL;

    if (trop_case_has(c, "L")) {
        return trop_case_size(c, "L", 0) == d && trop_case_size(c, "L", 1) == d
                   ? TROP_OK
                   : trop_fail(TROP_ERR_ARG, "L: must be (%lld, %lld)", (long long)d, (long long)d);
    }
    enum trop_status status = trop_case_make(&L, c, "L", d, d, 0);
    for (int64_t k = 0; status == TROP_OK && k < d * d; k++) {
        L[k] = k % d < k / d ? .5 * trop_case_normal(c, USE_MAP, k) : (double)(k % d == k / d);
    }
    return status;
}

static enum trop_status draw(struct trop_case *c)
{
    enum trop_status status = trop_tokens_count(c, "steps", 20, 1, 1e6);

    if (status == TROP_OK) {
        status = trop_lm_draw_cloud(c, 5 + trop_case_pick(c, USE_SIZE, 0, 8),
                                    2 + trop_case_pick(c, USE_SIZE, 1, 3), .05, .5);
    }
    if (status == TROP_OK) {
        status = trop_lm_draw_matrix(c, 1, c->trial % 2 ? .3 : 0);
    }
    if (status == TROP_OK) {
        status = trop_case_default(c, "s", .3 + 3 * trop_case_uniform(c, USE_NUMBER, 0));
    }
    if (status == TROP_OK) {
        status = trop_case_default(c, "factor", .3 + 3 * trop_case_uniform(c, USE_NUMBER, 1));
    }
    return status == TROP_OK ? draw_map(c) : status;
}

/* ---- the other flows ---- */

/* Runs localmax on x (n, d) and A (d, d) and puts its path into c under name. */
static enum trop_status run_as(struct trop_case *c, const char *name, const double *x,
                               const double *A, double eps)
{
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const int64_t steps = trop_case_integer(c, "steps");
    struct trop_case *other = NULL;
    double *to = NULL;
    enum trop_status status = trop_case_copy(&other, c);

    if (status == TROP_OK) {
        memcpy(trop_case_array(other, "tokens"), x, (size_t)(n * d) * sizeof *x);
        memcpy(trop_case_array(other, "A"), A, (size_t)(d * d) * sizeof *A);
        status = trop_case_put(other, "epsilon", eps);
    }
    if (status == TROP_OK) {
        status = trop_lm_flow(other);
    }
    if (status == TROP_OK) {
        status = trop_case_make(&to, c, name, steps + 1, n, d);
    }
    if (status == TROP_OK) {
        memcpy(to, trop_case_array(other, "path"), (size_t)((steps + 1) * n * d) * sizeof *to);
    }
    trop_case_free(other);
    return status;
}

/* out = L x for each row x. */
static void map_rows(double *out, const double *L, const double *x, int64_t rows, int64_t d)
{
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t a = 0; a < d; a++) {
            out[i * d + a] = 0;
            for (int64_t b = 0; b <= a; b++) {
                out[i * d + a] += L[a * d + b] * x[i * d + b];
            }
        }
    }
}

/* out = L^-T A L^-1: first B = A L^-1 by columns from the last, then L' out = B from the last row.
 */
static void pull_back(double *out, const double *L, const double *A, int64_t d)
{
    memcpy(out, A, (size_t)(d * d) * sizeof *out);
    for (int64_t a = 0; a < d; a++) {
        for (int64_t b = d - 1; b >= 0; b--) {
            for (int64_t k = b + 1; k < d; k++) {
                out[a * d + b] -= out[a * d + k] * L[k * d + b];
            }
        }
    }
    for (int64_t b = 0; b < d; b++) {
        for (int64_t a = d - 1; a >= 0; a--) {
            for (int64_t k = a + 1; k < d; k++) {
                out[a * d + b] -= out[k * d + b] * L[k * d + a];
            }
        }
    }
}

static enum trop_status run_all(struct trop_case *c, double *x, double *A)
{
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const double *tokens = trop_case_array(c, "tokens"), *matrix = trop_case_array(c, "A");
    const double s = trop_case_number(c, "s"), factor = trop_case_number(c, "factor");
    const double eps = trop_case_number(c, "epsilon");

    for (int64_t k = 0; k < n * d; k++) {
        x[k] = s * tokens[k];
    }
    enum trop_status status = run_as(c, "scaled", x, matrix, s * s * eps);
    for (int64_t k = 0; k < d * d; k++) {
        A[k] = factor * matrix[k];
    }
    if (status == TROP_OK) {
        status = run_as(c, "multiplied", tokens, A, factor * eps);
    }
    for (int64_t k = 0; k < n * d; k++) {
        x[k] = tokens[(n - 1 - k / d) * d + k % d];
    }
    if (status == TROP_OK) {
        status = run_as(c, "reversed", x, matrix, eps);
    }
    map_rows(x, trop_case_array(c, "L"), tokens, n, d);
    pull_back(A, trop_case_array(c, "L"), matrix, d);
    return status == TROP_OK ? run_as(c, "mapped", x, A, eps) : status;
}

static enum trop_status work(struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    double *x = trop_alloc(n * d, sizeof *x), *A = trop_alloc(d * d, sizeof *A);
    enum trop_status status =
        x && A ? trop_lm_flow(c) : trop_fail(TROP_ERR_MEMORY, "no memory for a cloud");

    if (status == TROP_OK) {
        status = run_all(c, x, A);
    }
    trop_alloc_free(x);
    trop_alloc_free(A);
    return status;
}

/* ---- hypotheses ---- */

static enum trop_status positive(struct trop_judge *judge, const struct trop_case *c)
{
    const double s = trop_case_number(c, "s"), factor = trop_case_number(c, "factor");

    trop_judge_truth(judge, "s and c are positive", -1, s > 0 && factor > 0);
    trop_judge_truth(judge, "s and c are from 1e-50 to 1e50", -1,
                     trop_tokens_moderate(s) && trop_tokens_moderate(factor));
    return TROP_OK;
}

static enum trop_status triangular(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t d = trop_case_size(c, "L", 0);
    const double *L = trop_case_array(c, "L");

    for (int64_t k = 0; k < d * d; k++) {
        trop_judge_truth(judge, "L is lower triangular with ones on the diagonal", -1,
                         k % d < k / d || L[k] == (double)(k % d == k / d));
    }
    return TROP_OK;
}

static enum trop_status generic(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t steps = trop_case_size(c, "path", 0) - 1;
    const int64_t state = trop_case_size(c, "path", 1) * trop_case_size(c, "path", 2);

    for (int64_t t = 0; t < steps; t++) {
        const double slack =
            trop_lm_slack(c, trop_case_array(c, "path") + t * state, trop_lm_epsilon(c, t));
        trop_judge_truth(judge, "no pair is within 1e-9 of its cut", t, slack > CLEAR);
    }
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    TROP_LM_STEP_SIZE,
    TROP_LM_EPSILON,
    { "positive", "the factors s and c are positive", positive, 0 },
    { "triangular", "L is lower triangular with ones on the diagonal", triangular, 0 },
    { "generic", "no score of the path is within 1e-9 of its cut", generic, 1 },
    { 0 },
};

/* ---- the conclusion ---- */

static void compare(struct trop_judge *judge, const char *name, const struct trop_case *c,
                    const double *x, const double *y, double unit)
{
    const int64_t steps = trop_case_size(c, "path", 0) - 1;
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);

    for (int64_t t = 0; t <= steps; t++) {
        for (int64_t i = 0; i < n; i++) {
            trop_judge_at_most(judge, name, t,
                               trop_tokens_distance(x + (t * n + i) * d, y + (t * n + i) * d, d), 0,
                               (double)(t + 1) * 4 * unit);
        }
    }
}

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t rows = trop_case_size(c, "path", 0), n = trop_case_size(c, "path", 1);
    const int64_t d = trop_case_size(c, "path", 2);
    const double *path = trop_case_array(c, "path"), *L = trop_case_array(c, "L");
    const double s = trop_case_number(c, "s"), error = trop_lm_step_error(c);
    double *room = trop_alloc(rows * n * d, sizeof *room), norm = 0;

    if (!room) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a path");
    }
    for (int64_t k = 0; k < rows * n * d; k++) {
        room[k] = s * path[k];
    }
    compare(judge, "path of s x from s times the path", c, room, trop_case_array(c, "scaled"),
            fabs(s) * error);
    compare(judge, "path of c A from the path", c, path, trop_case_array(c, "multiplied"), error);
    for (int64_t k = 0; k < rows * n * d; k++) {
        const int64_t t = k / (n * d), i = k / d % n;
        room[k] = path[(t * n + n - 1 - i) * d + k % d];
    }
    compare(judge, "path in reverse order from the path reversed", c, room,
            trop_case_array(c, "reversed"), error);
    for (int64_t k = 0; k < d * d; k++) {
        norm += L[k] * L[k];
    }
    map_rows(room, L, path, rows * n, d);
    compare(judge, "path of L x from L times the path", c, room, trop_case_array(c, "mapped"),
            sqrt(norm) * error);
    trop_alloc_free(room);
    return TROP_OK;
}

/* ---- ways to be wrong ---- */

/* s x with epsilon as it was: the sets are others unless s = 1. */
static enum trop_status unscaled(struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    double *x = trop_alloc(n * d, sizeof *x);
    enum trop_status status = x ? TROP_OK : trop_fail(TROP_ERR_MEMORY, "no memory for a cloud");

    for (int64_t k = 0; x && k < n * d; k++) {
        x[k] = 2 * trop_case_array(c, "tokens")[k];
    }
    if (status == TROP_OK) {
        status = trop_case_put(c, "s", 2);
    }
    if (status == TROP_OK) {
        status = run_as(c, "scaled", x, trop_case_array(c, "A"), trop_case_number(c, "epsilon"));
    }
    trop_alloc_free(x);
    return status;
}

static enum trop_status move_mapped(struct trop_case *c)
{
    trop_case_array(c, "mapped")[trop_case_size(c, "path", 2)] += 1e-6;
    return TROP_OK;
}

static enum trop_status negative(struct trop_case *c)
{
    return trop_case_put(c, "factor", -1);
}

static enum trop_status upper(struct trop_case *c)
{
    trop_case_array(c, "L")[1] = .5;
    return TROP_OK;
}

/* epsilon is exactly the gap of a pair at step 0. */
static enum trop_status at_the_cut(struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const double *x = trop_case_array(c, "tokens"), *A = trop_case_array(c, "A");
    double low = INFINITY, high = -INFINITY;

    for (int64_t j = 0; j < n; j++) {
        low = fmin(low, trop_lm_form(A, x, x + j * d, d));
        high = fmax(high, trop_lm_form(A, x, x + j * d, d));
    }
    return trop_case_put(c, "epsilon", high - low);
}

static const struct trop_spoil spoils[] = {
    { "the path of 2 x with epsilon as it was", NULL, unscaled },
    { "a token of the mapped path is off by 1e-6", NULL, move_mapped },
    { "gamma = 1.25", "step-size", trop_lm_draw_wrong_gamma },
    { "epsilon = -.1", "epsilon", trop_lm_draw_wrong_epsilon },
    { "c = -1", "positive", negative },
    { "L has an entry above its diagonal", "triangular", upper },
    { "epsilon is the gap of a pair at step 0", "generic", at_the_cut },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "tokens", "(n, d)", "the cloud at step 0" },
    { "A", "(d, d)", "matrix of the scores" },
    { "gamma", "", "step size" },
    { "epsilon", "", "alignment sensitivity, constant" },
    { "s", "", "factor of the tokens" },
    { "factor", "", "c, of A and epsilon" },
    { "L", "(d, d)", "lower triangular with ones on the diagonal" },
    { 0 },
};

const struct trop_claim trop_lm_thm_t11 = {
    .id = "lm-thm-t11",
    .title = "invariances",
    .statement = "Localmax takes (s x, A, s^2 eps), (x, c A, c eps) and (L x, L^-T A L^-1, eps) to "
                 "s, 1 and L times the path of (x, A, eps), and permuted tokens to the permuted "
                 "path.",
    .status = TROP_CLAIM_PROVED,
    .remark = "The permutation that is tried reverses the tokens. Localmax is not invariant under "
              "translations: moved by 10, the tokens 1 and .5 of the first golden test have other "
              "sets.",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 60,
};
