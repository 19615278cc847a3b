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

#include "claim/tokens.h"

#include "base/math/log.h"

#include <float.h>
#include <math.h>

static enum trop_status draw(struct trop_case *c)
{
    const int64_t n = 1 + trop_case_pick(c, 16, 0, 3), T = 2 + trop_case_pick(c, 16, 1, 3);
    struct trop_mm m;
    double epsilon = 1, most = 0;
    enum trop_status status = trop_mm_draw(c, n, T, n * (T - 1) + 1, 0);

    status = status == TROP_OK ? trop_mm_alpha(c) : status;
    trop_mm_open(&m, c);
    for (int64_t at = 0; at < m.n * m.T && status == TROP_OK; at++) {
        const int64_t i = at / m.T, a = trop_mm_optimal(&m, i);
        const double ratio = trop_mm_score(&m, i, at % m.T) / trop_mm_score(&m, i, a);
        epsilon = at % m.T == a ? epsilon : fmin(epsilon, 1 - ratio);
        most = fmax(most, fabs(trop_mm_score(&m, i, at % m.T)));
    }
    status = status == TROP_OK ? trop_case_default(c, "epsilon", epsilon) : status;
    status = status == TROP_OK ? trop_case_default(c, "C", most) : status;
    return status == TROP_OK ? trop_case_default(c, "Delta", .2 + trop_case_uniform(c, 17, 0))
                             : status;
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
static enum trop_status work(struct trop_case *c)
{
    struct trop_mm m;
    double *p = NULL, *other = NULL;
    enum trop_status status = trop_mm_solve(c, "alpha", "p_mm");

    trop_mm_open(&m, c);
    status = status == TROP_OK ? trop_case_make(&p, c, "p", m.dk, 0, 0) : status;
    status = status == TROP_OK ? trop_case_make(&other, c, "other", m.dk, 0, 0) : status;
    if (status != TROP_OK || trop_case_number(c, "p_mm_solved") != 1) {
        return status;
    }
    const double *best = trop_case_array(c, "p_mm");
    const double near = 6 * trop_case_uniform(c, 18, 0);
    trop_mm_unit(other, c, 0, m.dk);
    for (int64_t k = 0; k < m.dk; k++) {
        other[k] = 3 * trop_case_uniform(c, 18, 1) * other[k] + near * best[k];
    }
    const double wanted =
        fmin((1 + trop_case_number(c, "Delta")) * trop_log(largest_rest(&m, other)), rho(&m, c));
    for (int64_t k = 0; k < m.dk; k++) {
        p[k] = best[k] * (trop_log((double)m.T) - wanted + 1e-3);
    }
    status = trop_case_put(c, "log_gap", trop_mm_log_gap(&m, p));
    return status == TROP_OK ? trop_case_put(c, "other_log_gap", trop_mm_log_gap(&m, other))
                             : status;
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

static enum trop_status mixing(struct trop_judge *judge, const struct trop_case *c)
{
    struct trop_mm m;

    trop_mm_open(&m, c);
    for (int64_t i = 0; i < m.n; i++) {
        trop_judge_at_least(judge, "nu", i, trop_mm_score(&m, i, trop_mm_optimal(&m, i)), 0, 1e-9);
    }
    judge_mixing(judge, c, &m, trop_case_array(c, "p"));
    judge_mixing(judge, c, &m, trop_case_array(c, "other"));
    return TROP_OK;
}

static enum trop_status premise(struct trop_judge *judge, const struct trop_case *c)
{
    struct trop_mm m;

    trop_mm_open(&m, c);
    const double q = trop_log(largest_rest(&m, trop_case_array(c, "p")));
    const double other = trop_log(largest_rest(&m, trop_case_array(c, "other")));
    trop_judge_at_most(judge, "log q(p) against (1 + Delta) log q(p')", -1, q,
                       (1 + trop_case_number(c, "Delta")) * other, 1e-9);
    trop_judge_at_most(judge, "log q(p) against rho", -1, q, rho(&m, c), 1e-9);
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    { "separable", "the best tokens can be separated", trop_mm_old_separable, 1 },
    { "mixing", "y f = nu (1 - q_i) + Z_i with -C q <= Z_i <= (1 - epsilon) nu q_i", mixing, 1 },
    { "premise", "log q(p) <= min((1 + Delta) log q(p'), rho)", premise, 1 },
    { 0 },
};

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    struct trop_mm m;
    const double *p = trop_case_array(c, "p"), *other = trop_case_array(c, "other");

    trop_mm_open(&m, c);
    trop_judge_at_most(
        judge, "log(L(p) - L*) against that of p'", -1, trop_case_number(c, "log_gap"),
        trop_case_number(c, "other_log_gap"),
        64 * DBL_EPSILON *
            (2 + (trop_tokens_norm(p, m.dk) + trop_tokens_norm(other, m.dk)) * trop_mm_reach(&m)));
    return TROP_OK;
}

static enum trop_status exchange(struct trop_case *c)
{
    const double kept = trop_case_number(c, "log_gap");
    enum trop_status status = trop_case_put(c, "log_gap", trop_case_number(c, "other_log_gap"));

    return status == TROP_OK ? trop_case_put(c, "other_log_gap", kept) : status;
}

static enum trop_status shorter(struct trop_case *c)
{
    for (int64_t k = 0; k < trop_case_size(c, "p", 0); k++) {
        trop_case_array(c, "p")[k] *= .1;
    }
    return TROP_OK;
}

static enum trop_status too_strong(struct trop_case *c)
{
    struct trop_mm m;

    trop_mm_open(&m, c);
    return trop_case_put(c, "C", -.5 * trop_mm_score(&m, 0, trop_mm_optimal(&m, 0)));
}

static const struct trop_spoil spoils[] = {
    { "the two losses are exchanged", NULL, exchange },
    { "p is a tenth as long", "premise", shorter },
    { "C = -nu/2", "mixing", too_strong },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "X", "(n, T, d)", "tokens" },     { "y", "(n)", "labels, -1 or 1" },
    { "v", "(d)", "decoder" },          { "K", "(n, T, dk)", "keys; the tokens when absent" },
    { "Delta", "", "of assumption D" }, { "epsilon", "", "of the mixing" },
    { "C", "", "of the mixing" },       { 0 },
};

const struct trop_claim trop_mm_lem_14 = {
    .id = "mm-lem-14",
    .title = "linear mixing hurts",
    .statement = "Where outputs mix linearly, y f = nu (1 - q_i) + Z_i with -C q <= Z_i <= "
                 "(1 - epsilon) nu q_i, less attention outside the best tokens by a power above 1 "
                 "means a smaller loss, once it is small enough (assumption D).",
    .status = TROP_CLAIM_PROVED,
    .remark =
        "Judged with the rho that the proof gives, on linear heads with positive best scores.",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 100,
};
