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

#include <float.h>
#include <math.h>

/* Every second B that is drawn gets a skew part, so that it is not symmetric. */
static void draw(struct trop_case *c)
{
    const int given = trop_case_has(c, "B");

    trop_fw_draw_own_cells(c);
    if (!given && c->trial % 2 == 1) {
        const struct trop_view b = trop_case_view(c, "B");
        b.at[1] += .02;
        b.at[b.columns] -= .02;
    }
    trop_fw_draw_gamma(c, 24, .01, .6);
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view path = trop_case_view(c, "path");
    const int64_t n = path.columns, d = path.depth, *labels = trop_fw_work_owners(c);
    const double radius = trop_tokens_radius_of(trop_case_view_part(path, 0)), u = DBL_EPSILON / 2;
    double *gap = trop_case_scratch(c, d);

    for (int64_t t = 0; t < path.rows; t++) {
        const double left = trop_fw_left(c, t);
        const double allowance =
            (8 * sqrt((double)d) * trop_fw_errors(c, t) + 4 * (double)(t + 2) * left + 2) * u *
            radius;
        for (int64_t i = 0; i < n; i++) {
            const double *x = trop_case_view_row(path, t) + i * d;
            const double *x0 = path.at + i * d, *v = path.at + labels[i] * d;
            for (int64_t a = 0; a < d; a++) {
                gap[a] = x[a] - (v[a] + left * (x0[a] - v[a]));
            }
            trop_judge_at_most(judge, "distance of a token from the closed form", t,
                               trop_tokens_norm(gap, d), 0, allowance);
        }
    }
}

const struct trop_claim trop_fw_thm_4_2 = {
    .id = "fw-thm-4.2",
    .title = "hardmax in closed form",
    .statement = "When every vertex of the hull owns its cell and every token is in one cell only, "
                 "the vertices stay and what is left of every token's way to the vertex of its "
                 "cell is the product of the factors 1 - gamma.",
    .status = TROP_CLAIM_PROVED,
    .remark = "B is printed as positive definite; the closed form needs only the two hypotheses on "
              "cells, which are decided exactly.",
    .inputs = "tokens B gamma steps",
    .hypotheses = TROP_HYPOTHESES(TROP_FW_OWN_CELLS, TROP_FW_ONE_CELL, TROP_FW_STEPS),
    .run = { draw, trop_fw_work_path, conclude },
    .spoils = TROP_SPOILS(TROP_FW_NUDGE, { "every gamma smaller by a millionth", NULL,
                                           .edit = "work with gamma *= 1 - 1e-6" }),
    .trials = 100,
};
