/* lm_thm_t7.c -- the energy inequality.
 *
 * A symmetric positive semidefinite, J(x) = <A x, x> / 2:
 *
 *   J(x_i(t+1)) - J(x_i(t)) >= |dx_i|_A^2 / 2 - gamma eps(t) (1 - 1/|C_i(t)|),
 *
 * since J(x + dx) - J(x) = <A x, dx> + |dx|_A^2 / 2 and <A x_i, dx_i> is gamma times the mean over
 * C_i of S_ij - S_ii, where one score is the largest and the others are at most eps below it.
 * Summed,
 *
 *   sum_t |dx_i|_A^2 <= 2 (max_{K(0)} J - J(x_i(0)) + gamma sum_t eps(t)).
 *
 * |C_i| is counted here; a pair in doubt counts as in, which makes the bound lower. Rounding: J and
 * the form of dx are within trop_lm_score_error each, and what the step rounds moves J by |A| R
 * times that.
 */
#include "claim/lm/lm.h"

#include <math.h>

enum { USE_KIND = 33, USE_RATIO };

/* A third of the draws each: constant epsilon, 0, and epsilon ratio^t, which is summable. */
static void draw(struct trop_case *c)
{
    const int64_t kind = c->trial % 3;

    trop_lm_draw_cloud(c, trop_lm_draw_n(c, 5, 12), trop_lm_draw_d(c, 2, 4), kind == 1 ? 0 : .05,
                       kind == 1 ? 0 : .4);
    if (kind == 2) {
        trop_case_default(c, "ratio", .5 + .45 * trop_case_uniform(c, USE_RATIO, 0));
    }
    if (trop_case_pick(c, USE_KIND, 0, 2)) {
        trop_lm_draw_matrix(c, 1, 0);
    }
}

/* ---- the conclusion ---- */

static double energy(const struct trop_case *c, const double *x)
{
    return .5 * trop_lm_score(c, x, x);
}

static double allowance_of(const struct trop_case *c)
{
    return 8 * trop_lm_score_error(c) +
           4 * trop_lm_size(c) * trop_lm_radius(c) * trop_lm_step_error(c);
}

/* Step t of token i; returns |dx_i|_A^2. */
static double judge_step(struct trop_judge *judge, const struct trop_case *c, const int64_t *set,
                         int64_t t, int64_t i)
{
    const struct trop_view path = trop_case_view(c, "path");
    const double *x = trop_lm_token(path, t, i), *y = trop_lm_token(path, t + 1, i);
    const double fall = trop_case_number(c, "gamma") * trop_lm_epsilon(c, t);
    double *dx = trop_case_scratch(c, path.depth), count = 0;

    for (int64_t a = 0; a < path.depth; a++) {
        dx[a] = y[a] - x[a];
    }
    for (int64_t j = 0; j < path.columns; j++) {
        count += set[j] != 0;
    }
    const double moved = trop_lm_score(c, dx, dx);
    trop_judge_at_least(judge, "rise of the energy of a token", t + 1, energy(c, y) - energy(c, x),
                        .5 * moved - fall * (1 - 1 / count), allowance_of(c));
    return moved;
}

/* J is convex, so its maximum over K(0) is at a token. */
static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view path = trop_case_view(c, "path");
    const int64_t steps = path.rows - 1, n = path.columns;
    double *sums = trop_case_scratch(c, n), top = 0, total = 0;

    for (int64_t t = 0; t < steps; t++) {
        const int64_t *sets = trop_lm_sets(c, t);
        for (int64_t i = 0; i < n; i++) {
            sums[i] += judge_step(judge, c, sets + i * n, t, i);
        }
        total += trop_lm_epsilon(c, t);
    }
    for (int64_t i = 0; i < n; i++) {
        top = fmax(top, energy(c, trop_lm_token(path, 0, i)));
    }
    for (int64_t i = 0; i < n; i++) {
        const double rise = top - energy(c, trop_lm_token(path, 0, i));
        trop_judge_at_most(judge, "sum of squared steps of a token", steps, sums[i],
                           2 * (rise + trop_case_number(c, "gamma") * total),
                           2 * (double)(steps + 1) * allowance_of(c));
    }
}

const struct trop_claim trop_lm_thm_t7 = {
    .id = "lm-thm-t7",
    .title = "energy inequality",
    .statement = "With A symmetric positive semidefinite the energy <A x, x>/2 of a token rises in "
                 "a step by at least half its squared A-length, less gamma eps (1 - 1/|C_i|).",
    .status = TROP_CLAIM_PROVED,
    .source = TROP_CLAIM_DERIVED,
    .remark = "Drawn with A positive definite. The sum of squared steps is compared with its bound "
              "2 (max J - J_i + gamma sum eps) as well.",
    .inputs = "tokens A gamma epsilon swing ratio steps",
    .hypotheses = TROP_HYPOTHESES(TROP_LM_STEP_SIZE, TROP_LM_EPSILON, TROP_LM_DEFINITE),
    .run = { draw, trop_lm_path, conclude },
    .spoils = TROP_SPOILS(/* Under it the token of largest energy is drawn inwards. */
                          { "the path of epsilon + 1", NULL, .edit = "work with epsilon += 1" },
                          { "the token of most energy is at the origin in the last step", NULL }),
    .trials = 100,
};
