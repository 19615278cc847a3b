/* fw_thm_4_2.c -- hardmax in closed form (Frank-Wolfe paper, theorem 4.2).
 *
 * When every vertex owns its cell, no vertex moves; a token of the cell of v moves towards v, stays
 * in that cell, and
 *
 *   x_i^t - v = prod over r < t of (1 - gamma^r) (x_i^0 - v)
 *
 * for any step sizes in (0, 1). Positive definiteness of B is in the printed theorem but not used:
 * the two hypotheses on cells say all that is needed.
 *
 * Rounding. A step x + gamma (v - x) makes an error of at most u |x'| + 3 u gamma |v - x| <= 7 u R
 * in each coordinate, where R is the largest norm, and later steps shrink it by 1 - gamma: a path
 * is within 8 u R sqrt(d) sum_s prod_{r > s} (1 - gamma^r) of the formula. The formula itself is
 * evaluated with a relative error of 2 (t + 2) u in what is left of |x_i^0 - v| <= 2 R.
 */
#include "claim/fw/fw.h"

#include "base/alloc.h"
#include "base/status.h"
#include "claim/tokens.h"

#include <float.h>
#include <math.h>

#define STEPS 24

/* Every second B that is drawn gets a skew part, so that it is not symmetric. */
static enum trop_status draw(struct trop_case *c)
{
    const int given = trop_case_has(c, "B");
    enum trop_status status = trop_fw_draw_own_cells(c);

    if (status == TROP_OK && !given && c->trial % 2 == 1) {
        trop_case_array(c, "B")[1] += .02;
        trop_case_array(c, "B")[trop_case_size(c, "B", 0)] -= .02;
    }
    return status == TROP_OK ? trop_fw_draw_gamma(c, STEPS, .01, .6) : status;
}

/* |x_i^t - v - left (x_i^0 - v)|, with x (n, d) of step t. */
static double deviation(const double *x, const double *x0, const double *v, double left, int64_t d)
{
    double squares = 0;

    for (int64_t a = 0; a < d; a++) {
        const double gap = x[a] - (v[a] + left * (x0[a] - v[a]));
        squares += gap * gap;
    }
    return sqrt(squares);
}

static void conclude_step(struct trop_judge *judge, const struct trop_case *c,
                          const int64_t *labels, int64_t t)
{
    const double *path = trop_case_array(c, "path");
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    const double left = trop_fw_left(c, t), u = DBL_EPSILON / 2,
                 radius = trop_tokens_radius(path, n, d),
                 allowance =
                     (8 * sqrt((double)d) * trop_fw_errors(c, t) + 4 * (double)(t + 2) * left + 2) *
                     u * radius;

    for (int64_t i = 0; i < n; i++) {
        trop_judge_at_most(
            judge, "distance of a token from the closed form", t,
            deviation(path + (t * n + i) * d, path + i * d, path + labels[i] * d, left, d), 0,
            allowance);
    }
}

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t steps = trop_case_size(c, "path", 0) - 1, n = trop_case_size(c, "path", 1);
    int64_t *labels = trop_alloc(n, sizeof *labels);

    if (!labels) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld labels", (long long)n);
    }
    enum trop_status status = trop_fw_work_labels(labels, c);
    for (int64_t t = 0; t <= steps && status == TROP_OK; t++) {
        conclude_step(judge, c, labels, t);
    }
    trop_alloc_free(labels);
    return status;
}

static enum trop_status slower(struct trop_case *c)
{
    return trop_fw_work_with(c, 1 - 1e-6);
}

static const struct trop_hypothesis hypotheses[] = {
    { "own-cells", "every vertex is in its own cell and in no other", trop_fw_assume_own_cells, 0 },
    { "one-cell-each", "every token is in exactly one cell", trop_fw_assume_one_cell, 0 },
    { "step-sizes", "every gamma is between 0 and 1", trop_fw_assume_steps, 0 },
    { 0 },
};

static const struct trop_spoil spoils[] = {
    { "one token of the last step moved by 1e-6", NULL, trop_fw_assume_nudge },
    { "every gamma smaller by a millionth", NULL, slower },
    { "a vertex that follows another one", "own-cells", trop_fw_assume_not_own },
    { "a square with a token on a wall", "one-cell-each", trop_fw_assume_not_one },
    { "one gamma is 1", "step-sizes", trop_fw_assume_not_steps },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "tokens", "(n, d)", "the cloud at step 0" },
    { "B", "(d, d)", "key-query matrix" },
    { "gamma", "(steps)", "step sizes" },
    { "steps", "", "of the flow" },
    { 0 },
};

const struct trop_claim trop_fw_thm_4_2 = {
    .id = "fw-thm-4.2",
    .title = "hardmax in closed form",
    .statement = "When every vertex of the hull owns its cell and every token is in one cell only, "
                 "the vertices stay and what is left of every token's way to the vertex of its "
                 "cell is the product of the factors 1 - gamma.",
    .status = TROP_CLAIM_PROVED,
    .remark = "B is printed as positive definite; the closed form needs only the two hypotheses on "
              "cells, which are decided exactly.",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = trop_fw_work,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 100,
};
