/* tf_lem_3.c -- a convex solution of low rank solves the problem with a bound on the rank (lemma
 * 3), and factors of least length (lemma 15).
 *
 *   min |W|_*  over  rank(W) <= m  is at least the same without the bound on the rank,
 *
 * so that a solution W = K Q' of the convex problem with at most m columns is a solution of both:
 * it satisfies the constraints, and its norm is within the proved gap of the proved lower bound.
 * The problem with the bound is also solved on its own, by a search over the factors that knows of
 * no convex problem (tf_rank.c), with as many columns as the convex solution has rank: its minimum
 * is the same, up to 1e-6, ten times where the search stops. A search that ends in other local
 * minima decides nothing.
 *
 * With W = U S V' and K = U S^1/2, Q = V S^1/2, |K|_F^2 = |Q|_F^2 = |W|_*, and any other factors of
 * W have (|K|_F^2 + |Q|_F^2)/2 >= |W|_*.
 *
 * The factors that the solver returns are those of singular vectors up to what it moved them by to
 * satisfy the constraints, which is of the order of its proved gap: at norms near 1e9 the gap can
 * be 2e-5, and |K|_F^2 and |Q|_F^2 differ by that. Lemma 15 is judged on solutions with a gap of
 * 1e-9.
 *
 * |W|_* is recomputed here by one-sided Jacobi rotations: 100 d u |W|_* covers its rounding and
 * that of the solver's factors. Their leads are 1 up to the rounding of leads, u |x| |W| |z|, and
 * so is |K Q'|_* the bound: what is proved is that |K Q'|_* over the least lead is at most `upper`.
 * In rational numbers that held on 96 instances of norms up to 7e9, where |K Q'|_* was above
 * `upper` by up to 5e-9 of it.
 */
#include "claim/tf/tf.h"

#include "base/math/exp.h"
#include "claim/tokens.h"

#include <float.h>
#include <math.h>

#define OTHERS 4

static void draw(struct trop_case *c)
{
    const int64_t n = 2 + trop_case_pick(c, 41, 0, 3), T = 2 + trop_case_pick(c, 41, 1, 3);

    trop_tf_draw(c, n, T, (n > T - 1 ? n : T - 1) + trop_case_pick(c, 41, 2, 3));
    trop_case_default(c, "m", (double)n);
}

/* Other factors K M and Q M^-1, M diagonal and then sheared: "K_others" (OTHERS, d, r). */
static void work_others(struct trop_case *c)
{
    const struct trop_view k_mm = trop_case_view(c, "K_mm"), q_mm = trop_case_view(c, "Q_mm");
    const int64_t d = k_mm.rows, r = k_mm.columns;
    double *k = trop_case_zeros(c, "K_others", OTHERS, d, r);
    double *q = trop_case_zeros(c, "Q_others", OTHERS, d, r);

    for (int64_t at = 0; at < OTHERS * d * r; at++) {
        const int64_t other = at / (d * r), row = at / r % d, column = at % r;
        const double scale = trop_exp(trop_case_normal(c, 44, other * r + column));
        const double shear = trop_case_normal(c, 45, other);
        const double *from_k = k_mm.at + row * r, *from_q = q_mm.at + row * r;
        /* M = D (I + shear e_0 e_1'), M^-T = D^-1 (I - shear e_1 e_0'), on columns 0 and 1. */
        const double first = trop_exp(trop_case_normal(c, 44, other * r));
        const double second = trop_exp(trop_case_normal(c, 44, other * r + 1));
        k[at] = from_k[column] * scale + (column == 1 ? shear * from_k[0] * first : 0);
        q[at] = from_q[column] / scale - (column == 0 && r > 1 ? shear * from_q[1] / second : 0);
    }
}

/* The nuclear solution "W_mm" with its factors "K_mm" and "Q_mm" (d, rank). */
static void work(struct trop_case *c)
{
    struct trop_margin *margin = trop_tf_solution(c, "W_mm", NULL, "nuclear");

    trop_case_take(c, "K_mm", trop_margin_field_table(), margin, "factors.K");
    trop_case_take(c, "Q_mm", trop_margin_field_table(), margin, "factors.Q");
    trop_case_put(c, "rank", (double)trop_case_size(c, "K_mm", 1));
    if (trop_case_size(c, "K_mm", 1) > 0) {
        work_others(c);
    }
}

/* The search has as many columns as the convex solution: the least bound that the lemma allows. */
static void work_rank(struct trop_case *c)
{
    work(c);
    const double enough = trop_case_number(c, "W_mm_upper") * (1 + 1e-7);
    const int64_t rank = trop_case_integer(c, "rank");
    trop_case_put(c, "is_found",
                  rank > 0 && trop_tf_rank_search(c, "K_found", "Q_found", rank, enough) <= enough);
}

/* ---- conclusions ---- */

static void conclude_rank(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_tf m = trop_tf_of(c);
    const double *w = trop_tf_product(c, trop_case_view(c, "K_mm"), trop_case_view(c, "Q_mm"));
    const double upper = trop_case_number(c, "W_mm_upper"),
                 lower = trop_case_number(c, "W_mm_lower");
    double rounding = (100 * (double)m.d * DBL_EPSILON + trop_tf_rounding(&m, w)) * upper;

    /* The factors satisfy the constraints up to the gap that was proved. */
    trop_judge_at_least(judge, "least lead of K Q'", -1, trop_tf_margin(&m, w), 1,
                        (upper - lower) / lower + 100 * trop_tf_rounding(&m, w));
    trop_judge_at_most(judge, "|K Q'|_* against the convex minimum", -1,
                       trop_tf_nuclear(c, w, m.d, m.d), lower, (upper - lower) + rounding);
    if (trop_case_number(c, "is_found") != 1) {
        trop_judge_truth(judge, "a search over the rank comes to the convex minimum", -1, -1);
        return;
    }
    w = trop_tf_product(c, trop_case_view(c, "K_found"), trop_case_view(c, "Q_found"));
    rounding = (100 * (double)m.d * DBL_EPSILON + trop_tf_rounding(&m, w)) * upper;
    trop_judge_at_least(judge, "least lead of what a search over the rank finds", -1,
                        trop_tf_margin(&m, w), 1, 100 * trop_tf_rounding(&m, w));
    trop_judge_near(judge, "its |K Q'|_* and the convex minimum", -1,
                    trop_tf_nuclear(c, w, m.d, m.d), lower,
                    (upper - lower) + 1e-6 * upper + rounding);
}

static void accurate(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_most(judge, "relative gap of the solution", -1,
                       trop_case_number(c, "W_mm_upper") / trop_case_number(c, "W_mm_lower") - 1,
                       1e-9, 0);
}

/* (|K|_F^2 + |Q|_F^2)/2. */
static double half_squares(struct trop_view k, struct trop_view q)
{
    const int64_t size = k.rows * k.columns;

    return (trop_tokens_dot(k.at, k.at, size) + trop_tokens_dot(q.at, q.at, size)) / 2;
}

static void conclude_factors(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view k = trop_case_view(c, "K_mm"), q = trop_case_view(c, "Q_mm");
    const struct trop_view others = trop_case_view(c, "K_others");
    const int64_t d = k.rows;
    const double size = trop_tf_nuclear(c, trop_tf_product(c, k, q), d, d);
    const double rounding = 100 * (double)d * DBL_EPSILON * size;

    trop_judge_near(judge, "(|K|^2 + |Q|^2)/2 and |W|_*", -1, half_squares(k, q), size, rounding);
    trop_judge_near(judge, "|K|_F^2 and |Q|_F^2", -1, half_squares(k, k), half_squares(q, q),
                    2 * sqrt(2 * size * rounding));
    for (int64_t other = 0; other < others.rows; other++) {
        const struct trop_view ko = trop_case_view_part(others, other);
        const struct trop_view qo = trop_case_view_part(trop_case_view(c, "Q_others"), other);
        const double half = half_squares(ko, qo);
        const double nuclear = trop_tf_nuclear(c, trop_tf_product(c, ko, qo), d, d);
        /* Errors of W grow with the lengths of the factors. */
        trop_judge_at_least(judge, "(|K|^2 + |Q|^2)/2 of other factors of W", other, half, nuclear,
                            100 * (double)d * DBL_EPSILON * half);
        trop_judge_near(judge, "|K Q'|_* of other factors", other, nuclear, size,
                        100 * (double)d * DBL_EPSILON * half);
    }
}

const struct trop_claim trop_tf_lem_3 = {
    .id = "tf-lem-3",
    .title = "low-rank solutions of the convex problem",
    .statement =
        "If some solution of the nuclear max-margin problem without a bound on the rank has "
        "rank at most m, then it solves the problem over rank at most m as well.",
    .status = TROP_CLAIM_PROVED,
    .remark =
        "A search over K Q' with as many columns as the convex solution has rank, from random "
        "starts and without the solvers, comes to its norm, to 1e-6; and the factors that the "
        "solver returns satisfy the constraints at the proved lower bound.",
    .inputs = "X y v z m",
    .hypotheses = TROP_HYPOTHESES(
        TROP_TF_FEASIBLE, { "rank-fits", "the convex solution has rank at most m",
                            .holds = "rank of the convex solution against m: rank <= m", .late = 1,
                            .broken = "m is one less than the rank", .edit = "m = rank - 1" }),
    .run = { draw, work_rank, conclude_rank },
    .spoils = TROP_SPOILS(
        { "K is longer by 1e-4", NULL, .edit = "K_mm *= 1+1e-4" },
        { "K is shorter by 1e-4", NULL, .edit = "K_mm *= 1-1e-4" },
        { "what the search finds is longer by 1e-5", NULL, .edit = "K_found *= 1+1e-5" },
        { "what the search finds is shorter by 1e-5", NULL, .edit = "K_found *= 1-1e-5" }),
    .trials = 50,
};

const struct trop_claim trop_tf_lem_15 = {
    .id = "tf-lem-15",
    .title = "factors of least length",
    .statement = "A matrix W = K Q' has (|K|_F^2 + |Q|_F^2)/2 >= |W|_* for all its factors, with "
                 "equality and |K|_F^2 = |Q|_F^2 for those made of its singular vectors.",
    .status = TROP_CLAIM_PROVED,
    .remark = "The identity behind lemma 15, by which the path of (K, Q) is that of W over nuclear "
              "balls, on the nuclear max-margin solution and four other factorisations of it.",
    .inputs = "X y v z m",
    .hypotheses = TROP_HYPOTHESES(TROP_TF_FEASIBLE,
                                  { "accurate", "the norm of the solution is known to 1e-9 of it",
                                    .judge = accurate, .late = 1, .broken = "its gap is 1e-3",
                                    .edit = "W_mm_upper *= 1.001" }),
    .run = { draw, work, conclude_factors },
    .spoils = TROP_SPOILS(
        { "K is longer and Q shorter by 1e-5, the same W", NULL,
          .edit = "K_mm *= 1+1e-5; Q_mm /= 1+1e-5" },
        { "K is longer by 1e-4", NULL, .edit = "K_mm *= 1+1e-4" },
        { "the other factors are of a W longer by 1e-4", NULL, .edit = "K_others *= 1+1e-4" }),
    .trials = 50,
};
