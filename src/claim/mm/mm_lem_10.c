/* mm_lem_10.c -- a direction has at most d neighbours (max-margin paper, lemma 10).
 *
 * The neighbours of q are the rows k_alpha - k_t whose product with q is the margin G > 0. If d + 1
 * of them had it, the vector of ones would be in the range of these rows. Keys in general position
 * forbid that: no determinant of d + 1 rows, each followed by a 1, is 0.
 *
 * With x = (q, -G) and M these d + 1 rows, M x = e with |e_j| <= 1e-7, the tolerance below. By
 * Cramer's rule G |det M| <= 1e-7 times the sum of the d + 1 cofactors of the ones, each at most
 * D^d (Hadamard), D the longest row. So |det M| > 1e-7 (d + 1) D^d is what general position asks
 * for, twice that with rounding; without it two tokens a hundredth of that apart count as three.
 *
 * The direction with the most neighbours is a max-margin solution, so that is what is counted:
 * tokens whose lead is within 1e-7 of the least (a solution is good to 1e-10).
 */
#include "claim/mm/mm.h"

#include "base/math/pow.h"

#include <math.h>

#define ROWS 16
#define NEAR 1e-7 /* neighbours lead by that little more than the least lead */

/* alpha is what a random direction selects, so that it has a solution. */
static void draw(struct trop_case *c)
{
    const int64_t dk = 2 + trop_case_pick(c, 16, 0, 2), n = 1 + trop_case_pick(c, 16, 1, 2);

    trop_mm_draw(c, n, n == 1 ? 6 : 4, dk, 0);
    if (!trop_case_has(c, "alpha")) {
        double *q = trop_case_scratch(c, trop_mm_of(c).dk);
        trop_mm_unit(q, c, 0, trop_mm_of(c).dk);
        trop_mm_select(c, q);
    }
}

/* "neighbours" (count, 2): input and token of every row within 1e-7 of the least lead. */
static void work(struct trop_case *c)
{
    double found[2 * ROWS];
    int64_t count = 0;

    trop_mm_solve(c);
    const struct trop_mm m = trop_mm_of(c);
    const double least = trop_mm_margin(&m, m.p_mm);
    for (int64_t at = 0; at < m.n * m.T && count < ROWS; at++) {
        const int64_t i = at / m.T, a = (int64_t)m.alpha[i];
        if (at % m.T != a && trop_mm_lead(&m, i, a, at % m.T, m.p_mm) <= least + NEAR) {
            found[2 * count] = (double)i;
            found[2 * count + 1] = (double)(at % m.T);
            count++;
        }
    }
    trop_case_copy_in(c, "neighbours", found, count, 2, 0);
}

/* ---- hypotheses ---- */

static void general_position(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);
    const double needed = 2 * NEAR * (double)(m.dk + 1) * trop_pow(trop_mm_reach(&m), (double)m.dk);

    trop_judge_at_least(judge, "least determinant of d + 1 rows with a 1", -1,
                        trop_mm_least_determinant(&m, 1), fmax(1e-5, needed), needed / 100);
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);
    const struct trop_view found = trop_case_view(c, "neighbours");

    if (m.T > 1) {
        trop_judge_at_least(judge, "neighbours", -1, (double)found.rows, 1, 0);
    }
    trop_judge_at_most(judge, "neighbours against d", -1, (double)found.rows, (double)m.dk, 0);
    for (int64_t j = 0; j < found.rows && found.rows <= m.dk; j++) {
        const double *pair = trop_case_view_row(found, j);
        const int64_t i = (int64_t)pair[0], t = (int64_t)pair[1];
        trop_judge_at_most(judge, "lead of a neighbour", j,
                           trop_mm_lead(&m, i, (int64_t)m.alpha[i], t, m.p_mm), 1, NEAR);
    }
}

const struct trop_claim trop_mm_lem_10 = {
    .id = "mm-lem-10",
    .title = "at most d neighbours",
    .statement = "With keys in general position a direction with a positive margin has at most d "
                 "neighbours, tokens that attain it.",
    .status = TROP_CLAIM_PROVED,
    .remark = "Counted for max-margin solutions, which have the most.",
    .inputs = "X K alpha",
    .hypotheses =
        TROP_HYPOTHESES({ "general-position", "no d + 1 rows have the ones in their range",
                          .judge = general_position, .broken = "three tokens have the same key",
                          .edit = "K[0,0] = K[0,2]; K[0,1] = K[0,2]" },
                        TROP_MM_SEPARABLE("the selection has a max-margin solution")),
    .run = { draw, work, conclude },
    .spoils = TROP_SPOILS(
        { "nine tokens count as neighbours", NULL, .edit = "neighbours = zeros(9, 2)" }),
    .trials = 100,
};
