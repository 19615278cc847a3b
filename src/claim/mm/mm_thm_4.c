/* mm_thm_4.c -- only locally optimal directions attract (max-margin paper, theorems 4 and 7).
 *
 * A direction q that is not the max-margin direction of a locally optimal selection is not where
 * the regularised problem, even in a cone around q, goes. Read on training: a run of normalised
 * gradient descent that saturates ends
 *
 *   - with a selection alpha whose max-margin problem has a solution,
 *   - that is locally optimal: in every input g_alpha > g_t for all t with (k_alpha - k_t)'p_mm =
 * 1,
 *   - along that solution: 1 - cos <= 1e-2 after 20000 steps of .1.
 *
 * The part of p across p_mm stays bounded, so that 1 - cos falls as 1/|p|^2; at |p| = 200 it was
 * .06 at most in 600 draws. Neighbours are the tokens whose lead is at most 1 + 1e-7 at a solution
 * that is good to 1e-10; a doubtful one (up to 1 + 1e-3) makes the instance undecided.
 */
#include "claim/mm/mm.h"

#include "claim/tokens.h"

#include <float.h>
#include <math.h>
#include <string.h>

static enum trop_status draw(struct trop_case *c)
{
    const int64_t n = 1 + trop_case_pick(c, 16, 0, 3), T = 3 + trop_case_pick(c, 16, 1, 2);

    enum trop_status status = trop_mm_draw(c, n, T, n * (T - 1) + trop_case_pick(c, 16, 2, 2), 0);

    return status == TROP_OK
               ? trop_tokens_count(c, "steps", c->effort == TROP_CASE_TINY ? 4000 : 20000, 1, 1e9)
               : status;
}

static enum trop_status work(struct trop_case *c)
{
    struct trop_train_options o;
    struct trop_mm m;
    double *alpha = NULL;
    enum trop_status status = trop_mm_options(&o, "ngd", .1, trop_case_integer(c, "steps"));

    o.start = TROP_TRAIN_NORMAL;
    o.start_scale = 2;
    o.seed = c->seed + (uint64_t)c->trial;
    status = status == TROP_OK ? trop_mm_train(c, &o, "p") : status;
    trop_mm_open(&m, c);
    status = status == TROP_OK ? trop_case_make(&alpha, c, "alpha", m.n, 0, 0) : status;
    if (status != TROP_OK) {
        return status;
    }
    const double *last = trop_case_array(c, "p") + (trop_case_size(c, "p", 0) - 1) * m.dk;
    for (int64_t i = 0; i < m.n; i++) {
        alpha[i] = (double)trop_mm_selected(&m, i, last);
    }
    return trop_mm_solve(c, "alpha", "p_mm");
}

static const double *end_of(const struct trop_case *c)
{
    return trop_case_array(c, "p") + (trop_case_size(c, "p", 0) - 1) * trop_case_size(c, "p", 1);
}

/* ---- hypotheses ---- */

static enum trop_status distinct_scores(struct trop_judge *judge, const struct trop_case *c)
{
    struct trop_mm m;

    trop_mm_open(&m, c);
    for (int64_t i = 0; i < m.n; i++) {
        double least = INFINITY;
        for (int64_t t = 0; t < m.T; t++) {
            for (int64_t s = 0; s < t; s++) {
                least = fmin(least, fabs(trop_mm_score(&m, i, t) - trop_mm_score(&m, i, s)));
            }
        }
        trop_judge_at_least(judge, "least difference of two scores", i, least, .01, 1e-9);
    }
    return TROP_OK;
}

/* Rows k_alpha - k_t are independent: what is left of each across those before it. */
static enum trop_status general_position(struct trop_judge *judge, const struct trop_case *c)
{
    struct trop_mm m;
    double basis[32][32];
    int64_t count = 0;

    trop_mm_open(&m, c);
    for (int64_t at = 0; at < m.n * m.T && m.dk <= 32 && count < m.dk; at++) {
        const int64_t i = at / m.T, a = (int64_t)trop_case_array(c, "alpha")[i];
        double *row = basis[count];
        if (at % m.T == a) {
            continue;
        }
        for (int64_t k = 0; k < m.dk; k++) {
            row[k] = m.key[(i * m.T + a) * m.dk + k] - m.key[at * m.dk + k];
        }
        const double size = trop_tokens_norm(row, m.dk);
        for (int64_t j = 0; j < count; j++) {
            const double along = trop_tokens_dot(row, basis[j], m.dk);
            for (int64_t k = 0; k < m.dk; k++) {
                row[k] -= along * basis[j][k];
            }
        }
        const double left = trop_tokens_norm(row, m.dk);
        trop_judge_at_least(judge, "share of a row across those before it", at, left / size, .01,
                            1e-6);
        for (int64_t k = 0; k < m.dk; k++) {
            row[k] /= left;
        }
        count++;
    }
    return TROP_OK;
}

static enum trop_status saturated(struct trop_judge *judge, const struct trop_case *c)
{
    struct trop_mm m;
    double rest = 0;

    trop_mm_open(&m, c);
    for (int64_t i = 0; i < m.n; i++) {
        rest += trop_mm_rest(&m, i, (int64_t)trop_case_array(c, "alpha")[i], end_of(c));
    }
    trop_judge_at_most(judge, "mean attention of what is not selected", -1, rest / (double)m.n,
                       1e-5, 0);
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    { "distinct-scores", "scores of an input differ by .01 at least", distinct_scores, 0 },
    { "general-position", "the first d rows k_alpha - k_t are independent", general_position, 1 },
    { "saturated", "the mean attention that is selected is 1 - 1e-5 or more", saturated, 1 },
    { 0 },
};

/* ---- the conclusion ---- */

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    struct trop_mm m;
    const double *best = trop_case_array(c, "p_mm"), *alpha = trop_case_array(c, "alpha");

    trop_mm_open(&m, c);
    trop_judge_truth(judge, "the selection has a max-margin solution", -1,
                     trop_case_number(c, "p_mm_solved") == 1);
    for (int64_t i = 0; i < m.n; i++) {
        const int64_t a = (int64_t)alpha[i];
        for (int64_t t = 0; t < m.T; t++) {
            const double lead = trop_mm_lead(&m, i, a, t, best);
            const double gap = trop_mm_score(&m, i, a) - trop_mm_score(&m, i, t);
            if (t != a && lead <= 1 + 1e-7) {
                trop_judge_at_least(judge, "score above a neighbour", i, gap, 0, 0);
            } else if (t != a && lead <= 1 + 1e-3 && gap < 0) {
                trop_judge_truth(judge, "score above a doubtful neighbour", i, -1);
            }
        }
    }
    trop_judge_at_most(judge, "1 - cos to the max-margin solution", -1,
                       trop_mm_turn(end_of(c), best, m.dk), 1e-2, 0);
    return TROP_OK;
}

/* ---- spoils ---- */

/* Input 0 takes its worst token, and the run ends along the solution of that selection. */
static enum trop_status other_selection(struct trop_case *c)
{
    struct trop_mm m;
    int64_t worst = 0;

    trop_mm_open(&m, c);
    for (int64_t t = 1; t < m.T; t++) {
        worst = trop_mm_score(&m, 0, t) < trop_mm_score(&m, 0, worst) ? t : worst;
    }
    trop_case_array(c, "alpha")[0] = (double)worst;
    enum trop_status status = trop_mm_solve(c, "alpha", "p_mm");
    double *p = trop_case_array(c, "p") + (trop_case_size(c, "p", 0) - 1) * m.dk;
    for (int64_t k = 0; k < m.dk && status == TROP_OK; k++) {
        p[k] = 100 * trop_case_array(c, "p_mm")[k];
    }
    return status;
}

/* p_mm turned in every second plane of coordinates. */
static enum trop_status turned(struct trop_case *c)
{
    const int64_t dk = trop_case_size(c, "p", 1);
    double *p = trop_case_array(c, "p") + (trop_case_size(c, "p", 0) - 1) * dk;
    const double *best = trop_case_array(c, "p_mm");
    const double size = trop_tokens_norm(p, dk), own = trop_tokens_norm(best, dk);

    for (int64_t k = 0; k < dk; k++) {
        p[k] = size * best[k] / own;
    }
    for (int64_t k = 0; k + 1 < dk; k += 2) {
        const double a = p[k], b = p[k + 1];
        p[k] = .98 * a - .2 * b;
        p[k + 1] = .98 * b + .2 * a;
    }
    return TROP_OK;
}

static enum trop_status equal_scores(struct trop_case *c)
{
    struct trop_mm m;

    trop_mm_open(&m, c);
    trop_case_array(c, "X")[m.d - 1] = m.x[2 * m.d - 1];
    return TROP_OK;
}

static enum trop_status short_run(struct trop_case *c)
{
    const int64_t rows = trop_case_size(c, "p", 0), dk = trop_case_size(c, "p", 1);

    for (int64_t k = 0; k < dk; k++) {
        trop_case_array(c, "p")[(rows - 1) * dk + k] *= .01;
    }
    return TROP_OK;
}

static const struct trop_spoil spoils[] = {
    { "the run ends along the solution of a selection with the worst token", NULL,
      other_selection },
    { "the run ends at an angle of about .2 to its solution", NULL, turned },
    { "two scores are the same", "distinct-scores", equal_scores },
    { "the end of the run is a hundredth as long", "saturated", short_run },
    { 0 },
};

const struct trop_claim trop_mm_thm_4 = {
    .id = "mm-thm-4",
    .title = "only locally optimal directions attract",
    .statement =
        "With distinct scores and keys in general position, the directions to which "
        "training with growing norm can go are those of the max-margin solutions of locally "
        "optimal selections.",
    .status = TROP_CLAIM_PROVED,
    .remark = "The paper's theorem is about regularisation paths in cones. Read on normalised "
              "gradient descent from random starts: a run that saturates ends along the max-margin "
              "solution of what it selects (1 - cos <= .01 after 20000 steps of .1), and that "
              "selection is "
              "locally optimal.",
    .old_inputs = trop_mm_inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 40,
};
