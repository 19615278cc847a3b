/* lm_thm_t1.c -- the hull shrinks under every rule that averages.
 *
 *   x_i' = (1 - gamma) x_i + gamma sum_j p_ij x_j,   p_ij >= 0,   sum_j p_ij = 1
 *
 * is a convex combination of tokens, so K(t+1) is in K(t), and the maximum of a convex function
 * over the tokens does not rise: of <f, x>, of |x|, of |x - q|, and the diameter. Every rule of the
 * library is drawn, with an arbitrary A; the weights of each step are kept, so that it can be seen
 * that they are an average.
 *
 * Rounding: a step is off by trop_lm_step_error and rows of n weights add up to 1 within 2 n u; a
 * convex function with constant 1 (2 for the diameter) rises by no more than that.
 */
#include "claim/lm/lm.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define DIRECTIONS 6

enum { USE_RULE = 32, USE_DIRECTION, USE_SIZE };

static void draw(struct trop_case *c)
{
    int64_t rules = 0;

    while (trop_rule_names()[rules]) {
        rules++;
    }
    trop_tokens_count(c, "steps", 12, 1, 1e6);
    trop_lm_draw_cloud(c, 5 + trop_case_pick(c, USE_SIZE, 0, 8),
                       2 + trop_case_pick(c, USE_SIZE, 1, 3), .05, .5);
    trop_lm_draw_matrix(c, c->trial % 2 ? 1 : -1, 1);
    trop_tokens_count(c, "rule", (double)trop_case_pick(c, USE_RULE, 0, rules), 0,
                      (double)(rules - 1));
}

/* The path, and the weights of every step: "rows" (steps, n, n). */
static void work(struct trop_case *c)
{
    const struct trop_view x = trop_case_view(c, "tokens");
    const int64_t steps = trop_case_integer(c, "steps"), n = x.rows, size = n * x.columns;
    struct trop_flow *flow =
        trop_case_flow(c, "%s rule=%s k=2 closed_form=never", trop_lm_options(c),
                       trop_rule_names()[trop_case_integer(c, "rule")]);
    double *path = trop_case_zeros(c, "path", steps + 1, n, x.columns);
    double *rows = trop_case_zeros(c, "rows", steps, n, n);

    for (int64_t t = 0; t <= steps; t++) {
        memcpy(path + t * size, trop_flow_tokens(flow), (size_t)size * sizeof *path);
        for (int64_t i = 0; i < n && t < steps; i++) {
            trop_case_try(c, trop_flow_weights(rows + (t * n + i) * n, flow, i));
        }
        trop_case_try(c, t < steps ? trop_flow_step(flow, 1) : TROP_OK);
    }
}

/* ---- hypotheses ---- */

static void averages(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view rows = trop_case_view(c, "rows");
    const int64_t n = rows.columns;

    for (int64_t row = 0; row < rows.rows * n; row++) {
        double sum = 0, least = 0;
        for (int64_t j = 0; j < n; j++) {
            sum += rows.at[row * n + j];
            least = fmin(least, rows.at[row * n + j]);
        }
        trop_judge_at_least(judge, "least weight of a row", row / n, least, 0, 0);
        trop_judge_near(judge, "sum of a row", row / n, sum, 1, 4 * (double)n * DBL_EPSILON);
    }
}

/* ---- the conclusion ---- */

/* The maximum over the tokens of a convex function: k < DIRECTIONS a linear one, then |x - q| with
 * q = 0 and q a random point, and the diameter. */
static double largest(const struct trop_case *c, const double *x, int64_t k, int64_t n, int64_t d)
{
    double value = -INFINITY;

    if (k == DIRECTIONS + 2) {
        return trop_tokens_diameter(x, n, d);
    }
    for (int64_t i = 0; i < n; i++) {
        double sum = 0, squares = 0;
        for (int64_t a = 0; a < d; a++) {
            const double f = trop_case_normal(c, USE_DIRECTION, k * d + a);
            const double gap = x[i * d + a] - (k == DIRECTIONS ? 0 : f);
            sum += f * x[i * d + a] / sqrt((double)d);
            squares += gap * gap;
        }
        value = fmax(value, k < DIRECTIONS ? sum : sqrt(squares));
    }
    return value;
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view path = trop_case_view(c, "path");
    const int64_t n = path.columns, d = path.depth;
    const double error = trop_lm_step_error(c);

    for (int64_t t = 1; t < path.rows; t++) {
        const double *before = trop_case_view_row(path, t - 1), *after = before + n * d;
        struct trop_hull *hull = trop_case_hull(c, before, n, d);
        for (int64_t i = 0; i < n; i++) {
            trop_judge_at_most(judge, "distance of a token from the hull before", t,
                               trop_case_place(c, hull, after + i * d).lower, 0, 2 * error);
        }
        for (int64_t k = 0; k < DIRECTIONS + 3; k++) {
            /* |f| / sqrt(d) is below 4, and the function is evaluated with an error of its own. */
            trop_judge_at_most(judge, "largest value of a convex function", t,
                               largest(c, after, k, n, d), largest(c, before, k, n, d), 16 * error);
        }
    }
}

const struct trop_claim trop_lm_thm_t1 = {
    .id = "lm-thm-t1",
    .title = "the hull shrinks under every average",
    .statement = "Whatever row-stochastic weights a rule has, the convex hull of the tokens after "
                 "a step lies in the hull before it, and the largest value of a convex function on "
                 "the tokens does not rise.",
    .status = TROP_CLAIM_PROVED,
    .source = TROP_CLAIM_DERIVED,
    .remark = "Convex functions that are looked at: six linear ones, the distance to the origin "
              "and to a random point, and the diameter.",
    .inputs = "tokens A gamma epsilon rule steps",
    .hypotheses = TROP_HYPOTHESES(
        TROP_LM_STEP_SIZE,
        { "row-stochastic", "weights are not negative and add up to 1", .judge = averages,
          .late = 1, .broken = "a weight is larger by 1e-6", .edit = "rows[0,0,0] += 1e-6" }),
    .run = { draw, work, conclude },
    .spoils = TROP_SPOILS(
        { "the farthest token of the last step is 1e-6 farther out than before", NULL }),
    .trials = 100,
};
