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

#include "base/alloc.h"
#include "base/status.h"
#include "claim/tokens.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define DIRECTIONS 6

enum { USE_RULE = 32, USE_DIRECTION, USE_SIZE };

static enum trop_status draw(struct trop_case *c)
{
    enum trop_status status = trop_tokens_count(c, "steps", 12, 1, 1e6);
    int64_t rules = 0;

    if (status == TROP_OK) {
        status = trop_lm_draw_cloud(c, 5 + trop_case_pick(c, USE_SIZE, 0, 8),
                                    2 + trop_case_pick(c, USE_SIZE, 1, 3), .05, .5);
    }
    while (trop_rule_names()[rules]) {
        rules++;
    }
    if (status == TROP_OK && !trop_case_has(c, "A")) {
        status = trop_lm_draw_matrix(c, c->trial % 2 ? 1 : -1, 1);
    }
    if (status == TROP_OK) {
        status = trop_tokens_count(c, "rule", (double)trop_case_pick(c, USE_RULE, 0, rules), 0,
                                   (double)(rules - 1));
    }
    return status;
}

/* ---- work: the path, and the weights of every step ---- */

static enum trop_status step_along(struct trop_flow *flow, double *path, double *rows,
                                   int64_t steps, int64_t n, int64_t d)
{
    const size_t bytes = (size_t)(n * d) * sizeof *path;
    enum trop_status status = TROP_OK;

    memcpy(path, trop_flow_tokens(flow), bytes);
    for (int64_t t = 0; t < steps && status == TROP_OK; t++) {
        for (int64_t i = 0; i < n && status == TROP_OK; i++) {
            status = trop_flow_weights(rows + (t * n + i) * n, flow, i);
        }
        if (status == TROP_OK) {
            status = trop_flow_step(flow, 1);
        }
        memcpy(path + (t + 1) * n * d, trop_flow_tokens(flow), bytes);
    }
    return status;
}

static enum trop_status work(struct trop_case *c)
{
    struct trop_flow_options o = trop_lm_options(c);
    const int64_t steps = trop_case_integer(c, "steps");
    struct trop_flow *flow = NULL;
    double *path = NULL, *rows = NULL;

    o.rule = trop_case_integer(c, "rule");
    o.k = 2;
    o.closed_form = TROP_CLOSED_FORM_NEVER;
    enum trop_status status = trop_flow_create(&flow, &o);
    if (status == TROP_OK) {
        status = trop_case_make(&path, c, "path", steps + 1, o.cloud.n, o.cloud.d);
    }
    if (status == TROP_OK) {
        status = trop_case_make(&rows, c, "rows", steps, o.cloud.n, o.cloud.n);
    }
    if (status == TROP_OK) {
        status = step_along(flow, path, rows, steps, o.cloud.n, o.cloud.d);
    }
    trop_flow_free(flow);
    return status;
}

/* ---- hypotheses ---- */

static enum trop_status averages(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t steps = trop_case_size(c, "rows", 0), n = trop_case_size(c, "rows", 1);
    const double *rows = trop_case_array(c, "rows");

    for (int64_t row = 0; row < steps * n; row++) {
        double sum = 0, least = 0;
        for (int64_t j = 0; j < n; j++) {
            sum += rows[row * n + j];
            least = fmin(least, rows[row * n + j]);
        }
        trop_judge_at_least(judge, "least weight of a row", row / n, least, 0, 0);
        trop_judge_near(judge, "sum of a row", row / n, sum, 1, 4 * (double)n * DBL_EPSILON);
    }
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    TROP_LM_STEP_SIZE,
    { "row-stochastic", "weights are not negative and add up to 1", averages, 1 },
    { 0 },
};

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

static enum trop_status conclude_hull(struct trop_judge *judge, const struct trop_case *c,
                                      const double *before, const double *after, int64_t t)
{
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    struct trop_hull *hull = NULL;
    struct trop_hull_position place;
    enum trop_status status = trop_hull_create(&hull, before, n, d, 1);

    for (int64_t i = 0; i < n && status == TROP_OK; i++) {
        status = trop_hull_place(&place, NULL, NULL, NULL, hull, after + i * d);
        if (status == TROP_OK) {
            trop_judge_at_most(judge, "distance of a token from the hull before", t, place.lower, 0,
                               2 * trop_lm_step_error(c));
        }
    }
    trop_hull_free(hull);
    return status;
}

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const double *path = trop_case_array(c, "path");
    const int64_t steps = trop_case_size(c, "path", 0) - 1;
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    enum trop_status status = TROP_OK;

    for (int64_t t = 0; t < steps && status == TROP_OK; t++) {
        const double *before = path + t * n * d, *after = before + n * d;
        status = conclude_hull(judge, c, before, after, t + 1);
        for (int64_t k = 0; k < DIRECTIONS + 3; k++) {
            /* |f| / sqrt(d) is below 4, and the function is evaluated with an error of its own. */
            trop_judge_at_most(judge, "largest value of a convex function", t + 1,
                               largest(c, after, k, n, d), largest(c, before, k, n, d),
                               16 * trop_lm_step_error(c));
        }
    }
    return status;
}

static enum trop_status heavy_row(struct trop_case *c)
{
    trop_case_array(c, "rows")[0] += 1e-6;
    return TROP_OK;
}

static const struct trop_spoil spoils[] = {
    { "the farthest token of the last step is 1e-6 farther out than before", NULL,
      trop_lm_draw_move_token },
    { "gamma = 1.25", "step-size", trop_lm_draw_wrong_gamma },
    { "a weight is larger by 1e-6", "row-stochastic", heavy_row },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "tokens", "(n, d)", "the cloud at step 0" },
    { "A", "(d, d)", "matrix of the scores, any" },
    { "gamma", "", "step size" },
    { "epsilon", "", "of localmax and minp" },
    { "rule", "", "index into the rules of the library" },
    { "steps", "", "of the flow" },
    { 0 },
};

const struct trop_claim trop_lm_thm_t1 = {
    .id = "lm-thm-t1",
    .title = "the hull shrinks under every average",
    .statement = "Whatever row-stochastic weights a rule has, the convex hull of the tokens after "
                 "a step lies in the hull before it, and the largest value of a convex function on "
                 "the tokens does not rise.",
    .status = TROP_CLAIM_PROVED,
    .remark = "Convex functions that are looked at: six linear ones, the distance to the origin "
              "and to a random point, and the diameter.",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 100,
};
