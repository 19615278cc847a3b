/* mm_lem_14.c -- linear mixing hurts (max-margin paper, lemma 14: it implies assumption D).
 *
 * q_i is the attention outside the best token of input i, q its maximum. Linear mixing:
 *
 *   y_i f(X_i) = nu_i (1 - q_i) + Z_i,   -C q <= Z_i <= (1 - epsilon) nu_i q_i,   nu_i > 0.
 *
 * Assumption D: for every Delta > 0 there is rho < 0 such that log q(p) <= min((1 + Delta) log
 * q(p'), rho) implies L(p) < L(p'). From the mixing, with |l'| <= 1 and l convex,
 *
 *   L(p) - L* <= (max nu + C) q(p),   L(p') - L* >= (1/n) epsilon min nu min|l'(nu_i)| q(p'),
 *
 * and q(p)/q(p') <= q(p)^(Delta/(1 + Delta)), so that
 *
 *   rho = (1 + 1/Delta) log(epsilon min nu min|l'(nu_i)| / (n (max nu + C)))    will do.
 *
 * Both sides are compared as logarithms of L - L*, whose rounding is 64 u (1 + |p| |k|).
 */
#include "claim/mm/mm.h"

#include "base/math/log.h"

#include <float.h>
#include <math.h>

static void draw(struct trop_case *c)
{
    const int64_t n = 1 + trop_case_pick(c, 16, 0, 3), T = 2 + trop_case_pick(c, 16, 1, 3);
    double epsilon = 1, most = 0;

    trop_mm_draw(c, n, T, n * (T - 1) + 1, 0);
    trop_mm_alpha(c);
    const struct trop_mm m = trop_mm_of(c);
    for (int64_t at = 0; at < m.n * m.T; at++) {
        const int64_t i = at / m.T, a = trop_mm_optimal(&m, i);
        const double ratio = trop_mm_score(&m, i, at % m.T) / trop_mm_score(&m, i, a);
        epsilon = at % m.T == a ? epsilon : fmin(epsilon, 1 - ratio);
        most = fmax(most, fabs(trop_mm_score(&m, i, at % m.T)));
    }
    trop_case_default(c, "epsilon", epsilon);
    trop_case_default(c, "C", most);
    trop_case_default(c, "Delta", .2 + trop_case_uniform(c, 17, 0));
}

static double largest_rest(const struct trop_mm *m, const double *p)
{
    double most = 0;

    for (int64_t i = 0; i < m->n; i++) {
        most = fmax(most, trop_mm_rest(m, i, trop_mm_optimal(m, i), p));
    }
    return most;
}

static double rho(const struct trop_mm *m, const struct trop_case *c)
{
    const double Delta = trop_case_number(c, "Delta");
    double least = INFINITY, most = 0, slope = 1;

    for (int64_t i = 0; i < m->n; i++) {
        const double nu = trop_mm_score(m, i, trop_mm_optimal(m, i));
        least = fmin(least, nu);
        most = fmax(most, nu);
        slope = fmin(slope, trop_mm_slope(nu));
    }
    return (1 + 1 / Delta) * trop_log(trop_case_number(c, "epsilon") * least * slope /
                                      ((double)m->n * (most + trop_case_number(c, "C"))));
}

/* p' is anywhere; p is along the max-margin solution, as far out as D requires: q <= T
 * e^(-margin). */
static void work(struct trop_case *c)
{
    const double near = 6 * trop_case_uniform(c, 18, 0), far = 3 * trop_case_uniform(c, 18, 1);

    trop_mm_solve(c);
    const struct trop_mm m = trop_mm_of(c);
    double *p = trop_case_zeros(c, "p", m.dk, 0, 0),
           *other = trop_case_zeros(c, "other", m.dk, 0, 0);
    trop_mm_unit(other, c, 0, m.dk);
    for (int64_t k = 0; k < m.dk; k++) {
        other[k] = far * other[k] + near * m.p_mm[k];
    }
    const double wanted =
        fmin((1 + trop_case_number(c, "Delta")) * trop_log(largest_rest(&m, other)), rho(&m, c));
    for (int64_t k = 0; k < m.dk; k++) {
        p[k] = m.p_mm[k] * (trop_log((double)m.T) - wanted + 1e-3);
    }
    trop_case_put(c, "log_gap", trop_mm_log_gap(&m, p));
    trop_case_put(c, "other_log_gap", trop_mm_log_gap(&m, other));
}

/* ---- hypotheses ---- */

/* Judges one of p and p': Z_i = y f - nu (1 - q_i) is the sum of s_t g_t over the other tokens. */
static void judge_mixing(struct trop_judge *judge, const struct trop_case *c,
                         const struct trop_mm *m, const double *p)
{
    const double most = largest_rest(m, p), C = trop_case_number(c, "C");

    for (int64_t i = 0; i < m->n; i++) {
        const int64_t a = trop_mm_optimal(m, i);
        const double nu = trop_mm_score(m, i, a), rest = trop_mm_rest(m, i, a, p);
        const double Z = nu * rest - trop_mm_deficit(m, i, a, p);
        const double rounding = 64 * DBL_EPSILON * rest * (nu + C) *
                                (1 + trop_tokens_norm(p, m->dk) * trop_mm_reach(m));
        const double room = (1 - trop_case_number(c, "epsilon")) * nu * rest;
        trop_judge_truth(judge, "Z at least -C q", i, Z >= -C * most - rounding);
        trop_judge_truth(judge, "Z at most (1 - epsilon) nu q_i", i, Z <= room + rounding);
    }
}

static void mixing(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);

    for (int64_t i = 0; i < m.n; i++) {
        trop_judge_at_least(judge, "nu", i, trop_mm_score(&m, i, trop_mm_optimal(&m, i)), 0, 1e-9);
    }
    judge_mixing(judge, c, &m, trop_case_array(c, "p"));
    judge_mixing(judge, c, &m, trop_case_array(c, "other"));
}

static void premise(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);
    const double q = trop_log(largest_rest(&m, trop_case_array(c, "p")));
    const double other = trop_log(largest_rest(&m, trop_case_array(c, "other")));

    trop_judge_at_most(judge, "log q(p) against (1 + Delta) log q(p')", -1, q,
                       (1 + trop_case_number(c, "Delta")) * other, 1e-9);
    trop_judge_at_most(judge, "log q(p) against rho", -1, q, rho(&m, c), 1e-9);
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);
    const double *p = trop_case_array(c, "p"), *other = trop_case_array(c, "other");
    const double length = trop_tokens_norm(p, m.dk) + trop_tokens_norm(other, m.dk);

    trop_judge_at_most(judge, "log(L(p) - L*) against that of p'", -1,
                       trop_case_number(c, "log_gap"), trop_case_number(c, "other_log_gap"),
                       64 * DBL_EPSILON * (2 + length * trop_mm_reach(&m)));
}

const struct trop_claim trop_mm_lem_14 = {
    .id = "mm-lem-14",
    .title = "linear mixing hurts",
    .statement = "Where outputs mix linearly, y f = nu (1 - q_i) + Z_i with -C q <= Z_i <= "
                 "(1 - epsilon) nu q_i, less attention outside the best tokens by a power above 1 "
                 "means a smaller loss, once it is small enough (assumption D).",
    .status = TROP_CLAIM_PROVED,
    .remark =
        "Judged with the rho that the proof gives, on linear heads with positive best scores.",
    .inputs = "X y v K Delta epsilon C",
    .hypotheses = TROP_HYPOTHESES(
        TROP_MM_SEPARABLE("the best tokens can be separated"),
        { "positive-delta", "Delta is positive", .holds = "Delta > 0", .broken = "Delta = -1",
          .edit = "Delta = -1" },
        { "mixing", "y f = nu (1 - q_i) + Z_i with -C q <= Z_i <= (1 - epsilon) nu q_i",
          .judge = mixing, .late = 1, .broken = "C = -1", .edit = "C = -1" },
        { "premise", "log q(p) <= min((1 + Delta) log q(p'), rho)", .judge = premise, .late = 1,
          .broken = "p is a tenth as long", .edit = "p *= .1" }),
    .run = { draw, work, conclude },
    .spoils =
        TROP_SPOILS({ "the two losses are exchanged", NULL, .edit = "swap log_gap other_log_gap" }),
    .trials = 100,
};
