/* lm_thm_t11.c -- what localmax does not notice.
 *
 *   (x, A, eps) -> (s x, A, s^2 eps)              path times s
 *   (x, A, eps) -> (x, c A, c eps), c > 0         the same path
 *   (x, A, eps) -> (L x, L^-T A L^-1, eps)        path times L
 *   tokens in another order                       path in that order
 *
 * since scores are multiplied by s^2, c, 1 and 1. L is lower triangular with ones on the diagonal.
 * All five flows are run by the library. A step of each flow rounds by its own trop_lm_step_error
 * e, averaging does not amplify it, and L multiplies by its norm. In exact arithmetic the sets
 * agree; rounding leaves them alone when no pair of the path is near its cut. With q = |L| |L^-1|
 * (Frobenius): L^-T A L^-1 by two substitutions is off by 4 d u q |L^-1|^2 |A|, L x by d u |L| R,
 * and a score of (d + 2) products as large as |L^-1|^2 |A| |L|^2 R^2 by as many u; in all at most
 * 16 d u q^3 |A| R^2, q >= d. After t steps the path of L x is within 4 (t + 1) |L| e of L times
 * that of x, that is within 4 (t + 1) q e in the coordinates of x, which moves a score by 2 |A| R
 * times that. The other flows have q = 1. Twice this and 1e-9 must be between a pair and its cut.
 */
#include "claim/lm/lm.h"

#include "claim/edit.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { USE_NUMBER = 33, USE_MAP };

#define CLEAR 1e-9

static void draw(struct trop_case *c)
{
    trop_tokens_count(c, "steps", 20, 1, 1e6);
    trop_lm_draw_cloud(c, trop_lm_draw_n(c, 5, 12), trop_lm_draw_d(c, 2, 4), .05, .5);
    trop_lm_draw_matrix(c, 1, c->trial % 2 ? .3 : 0);
    trop_case_default(c, "s", .3 + 3 * trop_case_uniform(c, USE_NUMBER, 0));
    trop_case_default(c, "factor", .3 + 3 * trop_case_uniform(c, USE_NUMBER, 1));
    const int64_t d = trop_case_size(c, "tokens", 1);
    double *L = trop_case_absent(c, "L", d, d, 0);
    for (int64_t k = 0; L && k < d * d; k++) {
        L[k] = k % d < k / d ? .5 * trop_case_normal(c, USE_MAP, k) : k % d == k / d;
    }
    if (trop_case_size(c, "L", 0) != d || trop_case_size(c, "L", 1) != d) {
        trop_case_refuse(c, "L: must be (%lld, %lld)", (long long)d, (long long)d);
    }
}

/* ---- the other flows ---- */

/* Puts the path of another case into this one. */
static void take_path(struct trop_case *c, const char *name, struct trop_case *other)
{
    trop_lm_path(other);
    const struct trop_view path = trop_case_view(other, "path");
    trop_case_copy_in(c, name, path.at, path.rows, path.columns, path.depth);
}

/* L x for each of so many rows x. */
static double *map_rows(const struct trop_case *c, const double *x, int64_t rows)
{
    const struct trop_view L = trop_case_view(c, "L");
    double *out = trop_case_scratch(c, rows * L.rows);

    for (int64_t k = 0; k < rows * L.rows; k++) {
        for (int64_t b = 0; b <= k % L.rows; b++) {
            out[k] += trop_case_view_row(L, k % L.rows)[b] * x[k / L.rows * L.rows + b];
        }
    }
    return out;
}

/* A becomes L^-T A L^-1: first B = A L^-1 by columns from the last, then L' out = B from the last
 * row. */
static void pull_back(struct trop_case *c)
{
    const int64_t d = trop_case_size(c, "L", 0);
    const double *L = trop_case_array(c, "L");
    double *A = trop_case_array(c, "A");

    for (int64_t a = 0; a < d; a++) {
        for (int64_t b = d - 1; b >= 0; b--) {
            for (int64_t k = b + 1; k < d; k++) {
                A[a * d + b] -= A[a * d + k] * L[k * d + b];
            }
        }
    }
    for (int64_t b = 0; b < d; b++) {
        for (int64_t a = d - 1; a >= 0; a--) {
            for (int64_t k = a + 1; k < d; k++) {
                A[a * d + b] -= A[k * d + b] * L[k * d + a];
            }
        }
    }
}

static void work(struct trop_case *c)
{
    const struct trop_view x = trop_case_view(c, "tokens");
    struct trop_case *scaled = trop_case_aside(c), *multiplied = trop_case_aside(c);
    struct trop_case *reversed = trop_case_aside(c), *mapped = trop_case_aside(c);

    trop_lm_path(c);
    trop_case_try(c, trop_edit(scaled, NULL, "tokens *= s; epsilon *= s * s"));
    take_path(c, "scaled", scaled);
    trop_case_try(c, trop_edit(multiplied, NULL, "A *= factor; epsilon *= factor"));
    take_path(c, "multiplied", multiplied);
    for (int64_t i = 0; i < x.rows; i++) {
        memcpy(trop_case_view_row(trop_case_view(reversed, "tokens"), i),
               trop_case_view_row(x, x.rows - 1 - i), (size_t)x.columns * sizeof *x.at);
    }
    take_path(c, "reversed", reversed);
    trop_case_copy_in(mapped, "tokens", map_rows(c, x.at, x.rows), x.rows, x.columns, 0);
    pull_back(mapped);
    take_path(c, "mapped", mapped);
}

/* ---- hypotheses ---- */

static void triangular(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view L = trop_case_view(c, "L");

    for (int64_t k = 0; k < L.rows * L.rows; k++) {
        const int64_t row = k / L.rows, column = k % L.rows;
        trop_judge_truth(judge, "L is lower triangular with ones on the diagonal", -1,
                         column < row || L.at[k] == (double)(column == row));
    }
}

/* |L| |L^-1|: |L^-1|^2 is the trace of L^-T I L^-1. */
static double condition(const struct trop_case *c)
{
    const struct trop_view L = trop_case_view(c, "L");
    struct trop_case *other = trop_case_aside(c);
    double *A = trop_case_zeros(other, "A", L.rows, L.rows, 0), trace = 0;

    for (int64_t k = 0; k < L.rows; k++) {
        A[k * (L.rows + 1)] = 1;
    }
    pull_back(other);
    for (int64_t k = 0; k < L.rows; k++) {
        trace += A[k * (L.rows + 1)];
    }
    return sqrt(trace * trop_tokens_dot(L.at, L.at, L.rows * L.rows));
}

static void generic(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view path = trop_case_view(c, "path");
    const double q = condition(c), R = trop_lm_radius(c), size = trop_lm_size(c) * R;
    const double scores = 32 * (double)path.depth * DBL_EPSILON * q * q * q * size * R;
    const double moved = 16 * q * size * trop_lm_step_error(c);

    for (int64_t t = 0; t + 1 < path.rows; t++) {
        const double *below = trop_lm_below(c, trop_case_view_row(path, t));
        double least = INFINITY;
        for (int64_t k = 0; k < path.columns * path.columns; k++) {
            least = fmin(least, fabs(below[k] - trop_lm_epsilon(c, t)));
        }
        trop_judge_at_least(judge, "distance of a pair from its cut", t, least,
                            CLEAR + scores + (double)(t + 1) * moved, 0);
    }
}

/* ---- the conclusion ---- */

/* Another path, beside what it should be: x (rows, d), for all steps. */
static void compare(struct trop_judge *judge, const char *line, const struct trop_case *c,
                    const double *x, const char *name, double unit)
{
    const struct trop_view other = trop_case_view(c, name);
    const int64_t state = other.columns * other.depth;

    for (int64_t t = 0; t < other.rows; t++) {
        trop_lm_judge_same(judge, line, c, t, x + t * state, other.at + t * state,
                           (double)(t + 1) * 4 * unit);
    }
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view path = trop_case_view(c, "path"), L = trop_case_view(c, "L");
    const int64_t rows = path.rows * path.columns, d = path.depth;
    const double s = trop_case_number(c, "s"), error = trop_lm_step_error(c);
    double *scaled = trop_case_scratch(c, rows * d), *reversed = trop_case_scratch(c, rows * d);
    double squares = 0;

    for (int64_t k = 0; k < rows * d; k++) {
        const int64_t row = k / d, i = row % path.columns;
        scaled[k] = s * path.at[k];
        reversed[k] = path.at[(row + path.columns - 1 - 2 * i) * d + k % d];
    }
    for (int64_t k = 0; k < d * d; k++) {
        squares += L.at[k] * L.at[k];
    }
    compare(judge, "path of s x from s times the path", c, scaled, "scaled", fabs(s) * error);
    compare(judge, "path of c A from the path", c, path.at, "multiplied", error);
    compare(judge, "path in reverse order from the path reversed", c, reversed, "reversed", error);
    compare(judge, "path of L x from L times the path", c, map_rows(c, path.at, rows), "mapped",
            sqrt(squares) * error);
}

const struct trop_claim trop_lm_thm_t11 = {
    .id = "lm-thm-t11",
    .title = "invariances",
    .statement = "Localmax takes (s x, A, s^2 eps), (x, c A, c eps) and (L x, L^-T A L^-1, eps) to "
                 "s, 1 and L times the path of (x, A, eps), and permuted tokens to the permuted "
                 "path.",
    .status = TROP_CLAIM_PROVED,
    .source = TROP_CLAIM_DERIVED,
    .remark = "The permutation that is tried reverses the tokens. Localmax is not invariant under "
              "translations: moved by 10, the tokens 1 and .5 of the first golden test have other "
              "sets.",
    .inputs = "tokens A gamma epsilon s factor L",
    .hypotheses = TROP_HYPOTHESES(
        TROP_LM_STEP_SIZE, TROP_LM_EPSILON,
        { "positive", "the factors s and c are positive",
          .holds = "s and c are positive: s > 0 and factor > 0; "
                   "s and c are from 1e-50 to 1e50: s >= 1e-50 and s <= 1e50 and "
                   "factor >= 1e-50 and factor <= 1e50",
          .broken = "c = -1", .edit = "factor = -1" },
        { "triangular", "L is lower triangular with ones on the diagonal", .judge = triangular,
          .broken = "L has an entry above its diagonal", .edit = "L[0,1] = .5" },
        { "generic", "no score of the path is within 1e-9, and what may be rounding, of its cut",
          .judge = generic, .late = 1, .broken = "epsilon is the gap of a pair at step 0" }),
    .run = { draw, work, conclude },
    .spoils = TROP_SPOILS(
        { "the path of 2 x with epsilon as it was", NULL },
        { "a token of the mapped path is off by 1e-6", NULL, .edit = "mapped[0,1,0] += 1e-6" }),
    .trials = 60,
};
