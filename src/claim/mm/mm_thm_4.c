/* mm_thm_4.c -- only locally optimal directions attract (max-margin paper, theorems 4 and 7).
 *
 * A direction q that is not the max-margin direction of a locally optimal selection is not where
 * the regularised problem, even in a cone around q, goes. Scores of an input differ, and keys are
 * in general position: any d rows k_alpha - k_t are independent (all of them, where there are
 * fewer), and no d + 1 of them have the vector of ones in their range, so that at most d are
 * neighbours (lemma 10). Both are tried on every choice of rows; the number of rows, n (T - 1), is
 * drawn on either side of d. Read on training: a run of normalised gradient descent that saturates
 * ends
 *
 *   - with a selection alpha whose max-margin problem has a solution,
 *   - that is locally optimal: in every input g_alpha > g_t for all t with (k_alpha - k_t)'p_mm =
 *     1,
 *   - along that solution: 1 - cos <= 1e-2 after 20000 steps of .1.
 *
 * Attention also saturates at a minimum that is at a finite p, if |p| is 20 or so there: the path
 * is bounded, as the theorem allows, and the run goes to and fro. So |p| has to grow: records are
 * ten in each factor of ten of the steps.
 *
 * The part of p across p_mm stays bounded, so that 1 - cos falls as 1/|p|^2; at |p| = 200 it was
 * .06 at most in 600 draws with d >= n (T - 1). Neighbours are the tokens whose lead is at most 1 +
 * 1e-7 at a solution that is good to 1e-10. A neighbour that scores more makes the instance
 * undecided where it is doubtful (up to 1 + 1e-3), or where another token leads by so little more
 * that at the |p| of the end it may still hold the run: of 2,000 runs one would have come to rest
 * at |p| = 1,690, where three leads are within 1.0025 of the least.
 */
#include "claim/mm/mm.h"

#include <float.h>
#include <math.h>

static void draw(struct trop_case *c)
{
    const int64_t n = 1 + trop_case_pick(c, 16, 0, 3), T = 3 + trop_case_pick(c, 16, 1, 2);

    trop_mm_draw(c, n, T, 2 + trop_case_pick(c, 16, 2, n * (T - 1)), 0);
    trop_tokens_count(c, "steps", c->effort == TROP_CASE_TINY ? 4000 : 20000, 10, 1e9);
}

static void work(struct trop_case *c)
{
    trop_case_records(c,
                      trop_case_train(c,
                                      "model=prompt optimizer=ngd eta=.1 steps=@steps "
                                      "start=normal start_scale=2 seed=%llu",
                                      (unsigned long long)c->seed + (uint64_t)c->trial),
                      "weights=p");
    trop_mm_select(c, trop_case_view_row(trop_case_view(c, "p"), -1));
    trop_mm_solve(c);
}

/* ---- hypotheses ---- */

static void distinct_scores(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);

    for (int64_t i = 0; i < m.n; i++) {
        double least = INFINITY;
        for (int64_t t = 0; t < m.T; t++) {
            for (int64_t s = 0; s < t; s++) {
                least = fmin(least, fabs(trop_mm_score(&m, i, t) - trop_mm_score(&m, i, s)));
            }
        }
        trop_judge_at_least(judge, "least difference of two scores", i, least, .01, 1e-9);
    }
}

/* The least share of a row k_alpha - k_t that is across those before it. */
static double least_share(const struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);
    double *basis = trop_case_scratch(c, m.n * m.T * m.dk), least = INFINITY;
    int64_t count = 0;

    for (int64_t at = 0; at < m.n * m.T; at++) {
        const int64_t i = at / m.T, a = (int64_t)m.alpha[i];
        double *row = basis + count * m.dk;
        if (at % m.T == a) {
            continue;
        }
        for (int64_t k = 0; k < m.dk; k++) {
            row[k] = m.key[(i * m.T + a) * m.dk + k] - m.key[at * m.dk + k];
        }
        const double size = trop_tokens_norm(row, m.dk);
        for (int64_t j = 0; j < count; j++) {
            const double along = trop_tokens_dot(row, basis + j * m.dk, m.dk);
            for (int64_t k = 0; k < m.dk; k++) {
                row[k] -= along * basis[j * m.dk + k];
            }
        }
        const double left = trop_tokens_norm(row, m.dk);
        for (int64_t k = 0; k < m.dk; k++) {
            row[k] /= left;
        }
        least = fmin(least, left / size);
        count++;
    }
    return least;
}

static void general_position(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);

    if (m.n * (m.T - 1) <= m.dk) {
        trop_judge_at_least(judge, "least share of a row across those before it", -1,
                            least_share(c), .01, 1e-6);
        return;
    }
    trop_judge_at_least(judge, "least determinant of d rows", -1, trop_mm_least_determinant(&m, 0),
                        1e-5, 1e-9);
    trop_judge_at_least(judge, "least determinant of d + 1 rows with a 1", -1,
                        trop_mm_least_determinant(&m, 1), 1e-5, 1e-9);
}

static void saturated(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);
    const double *end = trop_case_view_row(trop_case_view(c, "p"), -1);
    double rest = 0;

    for (int64_t i = 0; i < m.n; i++) {
        rest += trop_mm_rest(&m, i, (int64_t)m.alpha[i], end);
    }
    trop_judge_at_most(judge, "mean attention of what is not selected", -1, rest / (double)m.n,
                       1e-5, 0);
}

/* ---- the conclusion ---- */

/* 1 when a token leads by so little more than the neighbours that it may still outweigh them at the
 * end of the run, as e^20 to 1. */
static int is_close(const struct trop_mm *m, const double *end)
{
    const double ratio = trop_tokens_norm(end, m->dk) / trop_tokens_norm(m->p_mm, m->dk);

    for (int64_t at = 0; at < m->n * m->T; at++) {
        const int64_t i = at / m->T;
        const double lead = trop_mm_lead(m, i, (int64_t)m->alpha[i], at % m->T, m->p_mm);
        if (lead > 1 + 1e-7 && lead <= 1 + fmax(1e-3, 20 / ratio)) {
            return 1;
        }
    }
    return 0;
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);
    const double *end = trop_case_view_row(trop_case_view(c, "p"), -1);

    trop_judge_truth(judge, "the selection has a max-margin solution", -1,
                     trop_case_number(c, "p_mm_outcome") == TROP_OUTCOME_SOLVED);
    for (int64_t at = 0; at < m.n * m.T; at++) {
        const int64_t i = at / m.T, t = at % m.T, a = (int64_t)m.alpha[i];
        const double lead = trop_mm_lead(&m, i, a, t, m.p_mm);
        const double gap = trop_mm_score(&m, i, a) - trop_mm_score(&m, i, t);
        if (t != a && lead <= 1 + 1e-3 && gap < 0 && is_close(&m, end)) {
            trop_judge_truth(judge, "score above an undecided neighbour", i, -1);
        } else if (t != a && lead <= 1 + 1e-7) {
            trop_judge_at_least(judge, "score above a neighbour", i, gap, 0, 0);
        }
    }
    trop_judge_at_most(judge, "1 - cos to the max-margin solution", -1,
                       trop_mm_turn(end, m.p_mm, m.dk), 1e-2, 0);
}

const struct trop_claim trop_mm_thm_4 = {
    .id = "mm-thm-4",
    .title = "only locally optimal directions attract",
    .statement =
        "With distinct scores and keys in general position, the directions to which "
        "training with growing norm can go are those of the max-margin solutions of locally "
        "optimal selections.",
    .status = TROP_CLAIM_PROVED,
    .remark = "The paper's theorem is about regularisation paths in cones. Read on normalised "
              "gradient descent from random starts, in dimensions from 2 to one more than there "
              "are rows: a run that saturates and still grows ends along the max-margin "
              "solution of what it selects (1 - cos <= .01 after 20000 steps of .1), and that "
              "selection is locally "
              "optimal. General position is tried on all choices of rows.",
    .inputs = "X y v K steps",
    .hypotheses = TROP_HYPOTHESES(
        { "distinct-scores", "scores of an input differ by .01 at least", .judge = distinct_scores,
          .broken = "two scores are the same", .edit = "X[0,0,-1] = X[0,1,-1]" },
        { "general-position",
          "any d rows k_alpha - k_t are independent, and no d + 1 have the ones in their range",
          .judge = general_position, .late = 1, .broken = "three keys of input 0 on a line",
          .edit = "K[0,0] = 2 * K[0,2] - K[0,1]; work" },
        { "long-run", "at least 4000 steps", .holds = "steps >= 4000", .broken = "310 steps",
          .edit = "steps = 310" },
        { "saturated", "the mean attention that is selected is 1 - 1e-5 or more",
          .judge = saturated, .late = 1,
          .broken = "the end is a hundredth as long, and four records before too",
          .edit = "p[-5] *= .01; p[-1] *= .01" },
        { "growing", "|p| still grows, by a fifth in the last four records",
          .holds =
              "norm at the end over that of four records before: norm(p[-1]) / norm(p[-5]) >= 1.2",
          .late = 1, .broken = "the norm of four records before is that of the end",
          .edit = "p[-5] = p[-1]" }),
    .run = { draw, work, conclude },
    .spoils = TROP_SPOILS(
        { "the run ends along the solution of a selection with the worst token", NULL },
        { "the run ends at an angle of about .2 to its solution", NULL },
        { "the others of one input are all neighbours, in the plane", "general-position",
          .edit = "X = zeros(1, 4, 1); X[0,0] = 1; X[0,1] = .3; X[0,2] = .2; y = {1}; v = {1}; "
                  "K = zeros(1, 4, 2); K[0,0,0] = 1; K[0,1,1] = .3; K[0,2,1] = -1; K[0,3,1] = 1; "
                  "work" }),
    .asymptotic = 1,
    .trials = 40,
};
