/* mm_thm_5.c -- the joint regularisation path (max-margin paper, theorem 5).
 *
 *   (v, p)(r, R) = argmin of L over |v| <= r, |p| <= R,   logistic loss
 *
 * Theorem 5 under assumption C: with label margin G of the selected tokens x_a there is nu > 0 such
 * that the label margin of the attended tokens is at most G - nu max_i(1 - s_ia), for every p. The
 * paper's example, drawn here: x_ia = y_i a, and |x_it| <= |a| - nu for the others; then v_mm =
 * a/|a|^2, G = |a|. Keys are apart from the tokens.
 *
 * A rate that can be decided: Xi = 1/|p_mm|, M the largest |x|, and r = e^(R Xi) (rounded). The
 * point (r v_mm/|v_mm|, R p_mm/|p_mm|) has all outputs at least r (G - 2 M (T-1) e^(-R Xi)). If the
 * point of the path has no larger loss, its least output is at least that less log(2 n); it is at
 * most r (G - nu max(1 - s)) by C, so that
 *
 *   max(1 - s) <= C e^(-R Xi),   C = (2 M (T-1) + log(2n) e^(R Xi)/r) / nu,
 *   1 - cos(p, p_mm) <= log(2 C)/(R Xi)                    when C e^(-R Xi) <= 1/2,
 *   1 - cos(v, v_mm) <= (nu + 2 M) C e^(-R Xi) / G,
 *
 * since 1 - s >= e^-margin/2, and v has a label margin of at least its least output less 2 M r
 * max(1 - s) on the selected tokens. The comparison of losses is a line of its own, in logarithms,
 * from our own evaluation; outputs round by 16 u r M, and the library calls points stationary at 1
 * - cos <= 1e-10, which leaves r M 1e-10 in an output, over r in the bounds.
 */
#include "claim/mm/mm.h"

#include "claim/tokens.h"

#include "base/math/exp.h"
#include "base/math/log.h"
#include "base/status.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define RADII 4
#define MOST 64 /* weights */

/* ---- assumption C ---- */

/* Token 0 is y a, a of length about 1; the others are shorter than .6 of it. */
static enum trop_status draw_tokens(struct trop_case *c, int64_t n, int64_t T, int64_t d)
{
    double *x = NULL, *y = NULL, *v = NULL;
    enum trop_status status = trop_case_make(&x, c, "X", n, T, d);

    status = status == TROP_OK ? trop_case_make(&y, c, "y", n, 0, 0) : status;
    status = status == TROP_OK ? trop_case_make(&v, c, "v", d, 0, 0) : status;
    if (status != TROP_OK) {
        return status;
    }
    trop_mm_unit(v, c, 0, d);
    for (int64_t at = 0; at < n * T; at++) {
        const int64_t i = at / T;
        const double length = .2 + .4 * trop_case_uniform(c, 17, at);
        y[i] = i == 0 ? 1 : i == 1 || trop_case_uniform(c, 18, i) < .5 ? -1 : 1;
        trop_mm_unit(x + at * d, c, 1 + at, d);
        for (int64_t k = 0; k < d; k++) {
            x[at * d + k] = at % T == 0 ? y[i] * v[k] : length * x[at * d + k];
        }
    }
    return TROP_OK;
}

static enum trop_status draw_example(struct trop_case *c)
{
    const int64_t n = 2, T = 2 + trop_case_pick(c, 16, 0, 2), d = 2;
    struct trop_mm m;
    double *key = NULL, *alpha = NULL;
    enum trop_status status = trop_case_has(c, "X") ? TROP_OK : draw_tokens(c, n, T, d);

    trop_mm_open(&m, c);
    if (status == TROP_OK && !trop_case_has(c, "K")) {
        const int64_t dk = m.n * (m.T - 1) + 1;
        status = trop_case_make(&key, c, "K", m.n, m.T, dk);
        for (int64_t k = 0; k < m.n * m.T * dk && status == TROP_OK; k++) {
            key[k] = trop_case_normal(c, 19, k);
        }
    }
    return status == TROP_OK ? trop_case_make(&alpha, c, "alpha", m.n, 0, 0) : status; /* 0 */
}

/* ---- the loss of (p, v) ---- */

/* y_i <v, attended token>. */
static double output(const struct trop_mm *m, int64_t i, const double *p, const double *v)
{
    const int64_t top = trop_mm_selected(m, i, p);
    const double *first = m->x + (i * m->T + top) * m->d;
    double sum = 0, shift = 0;

    for (int64_t t = 0; t < m->T; t++) {
        const double weight = trop_exp(-trop_mm_lead(m, i, top, t, p));
        const double *x = m->x + (i * m->T + t) * m->d;
        sum += weight;
        for (int64_t k = 0; k < m->d; k++) {
            shift += weight * v[k] * (x[k] - first[k]);
        }
    }
    return m->y[i] * (trop_tokens_dot(v, first, m->d) + shift / sum);
}

static double log_loss(const struct trop_mm *m, const double *p, const double *v)
{
    double sum = -INFINITY;

    for (int64_t i = 0; i < m->n; i++) {
        const double z = output(m, i, p, v);
        /* log(1 + e^-z) is e^-z to all digits beyond 40. */
        sum = trop_log_add(sum, z > 40 ? -z : trop_log(trop_log1p(trop_exp(-z))));
    }
    return sum - trop_log((double)m->n);
}

/* ---- hypotheses of theorem 5 ---- */

static double longest_other(const struct trop_mm *m, const double *alpha)
{
    double most = 0;

    for (int64_t at = 0; at < m->n * m->T; at++) {
        if (at % m->T != (int64_t)alpha[at / m->T]) {
            most = fmax(most, trop_tokens_norm(m->x + at * m->d, m->d));
        }
    }
    return most;
}

static enum trop_status mixing_hurts(struct trop_judge *judge, const struct trop_case *c)
{
    struct trop_mm m;
    const double *alpha = trop_case_array(c, "alpha");

    trop_mm_open(&m, c);
    const double *first = m.x + (int64_t)alpha[0] * m.d;
    const double size = trop_tokens_norm(first, m.d);
    for (int64_t i = 0; i < m.n; i++) {
        const double *own = m.x + (i * m.T + (int64_t)alpha[i]) * m.d;
        double most = 0;
        for (int64_t k = 0; k < m.d; k++) {
            most = fmax(most, fabs(m.y[i] * own[k] - m.y[0] * first[k]));
        }
        trop_judge_truth(judge, "the selected token is y a", i, most <= 4 * DBL_EPSILON * size);
    }
    trop_judge_at_least(judge, "|a| less the longest other token", -1,
                        size - longest_other(&m, alpha), .05, 1e-9);
    return TROP_OK;
}

static enum trop_status minimiser(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_truth(judge, "no loss of the path was above that of (v_mm, p_mm)", -1,
                     trop_case_number(c, "found") == 1);
    return TROP_OK;
}

static const struct trop_hypothesis example_hypotheses[] = {
    { "mixing-hurts", "selected tokens are y a, others shorter (C)", mixing_hurts, 0 },
    { "separable", "the selection has a max-margin solution", trop_mm_old_separable, 1 },
    { "minimiser", "the solver found no worse points than (v_mm, p_mm)", minimiser, 1 },
    { 0 },
};

/* ---- the conclusion of theorem 5 ---- */

struct facts {
    double G, M, nu; /* label margin, longest token, of assumption C */
    double upper;    /* |p_mm| */
};

/* (R p_mm/|p_mm|, r v_mm/|v_mm|) of a row. */
static void make_pair(double *pair, const struct trop_case *c, const struct trop_mm *m, int64_t row)
{
    const double *alpha = trop_case_array(c, "alpha"), *best = trop_case_array(c, "p_mm");
    const double *a = m->x + (int64_t)alpha[0] * m->d;

    for (int64_t k = 0; k < m->dk; k++) {
        pair[k] = trop_case_array(c, "radius")[row] * best[k] / trop_tokens_norm(best, m->dk);
    }
    for (int64_t k = 0; k < m->d; k++) {
        pair[m->dk + k] =
            trop_case_array(c, "decoder_radius")[row] * m->y[0] * a[k] / trop_tokens_norm(a, m->d);
    }
}

static void judge_point(struct trop_judge *judge, const struct trop_case *c,
                        const struct trop_mm *m, const struct facts *f, int64_t row, double *pair)
{
    const double *p = trop_case_array(c, "path") + row * (m->dk + m->d), *v = p + m->dk;
    const double *alpha = trop_case_array(c, "alpha"), *best = trop_case_array(c, "p_mm");
    const double R = trop_case_array(c, "radius")[row];
    const double r = trop_case_array(c, "decoder_radius")[row], far = R / f->upper;
    const double allowance = (1e-10 + 16 * DBL_EPSILON) * r * f->M * (1 + far);
    const double small = trop_exp(-far);
    const double C =
        (2 * f->M * (double)(m->T - 1) + (trop_log(2 * (double)m->n) + allowance) / (r * small)) /
        f->nu;
    double rest = 0;

    make_pair(pair, c, m, row);
    trop_judge_at_most(judge, "log of the loss against (v_mm, p_mm)", row, log_loss(m, p, v),
                       log_loss(m, pair, pair + m->dk), allowance);
    for (int64_t i = 0; i < m->n; i++) {
        rest = fmax(rest, trop_mm_rest(m, i, (int64_t)alpha[i], p));
    }
    trop_judge_at_most(judge, "attention that is not selected, times e^(R Xi)", row, rest / small,
                       C, 1e-9 * C);
    if (C * small <= .5) {
        trop_judge_at_most(judge, "1 - cos of p to p_mm", row, trop_mm_turn(p, best, m->dk),
                           trop_log(2 * C) / far, 1e-9);
    }
    trop_judge_at_most(judge, "1 - cos of v to v_mm", row, trop_mm_turn(v, pair + m->dk, m->d),
                       (f->nu + 2 * f->M) * C * small / f->G, 64 * DBL_EPSILON);
}

static enum trop_status conclude_example(struct trop_judge *judge, const struct trop_case *c)
{
    struct trop_mm m;
    const double *alpha = trop_case_array(c, "alpha");
    double pair[MOST];

    trop_mm_open(&m, c);
    const double size = trop_tokens_norm(m.x + (int64_t)alpha[0] * m.d, m.d);
    const double other = longest_other(&m, alpha);
    const struct facts f = { size, fmax(size, other), size - other,
                             trop_case_number(c, "p_mm_upper") };
    for (int64_t row = 0; row < trop_case_size(c, "path", 0); row++) {
        judge_point(judge, c, &m, &f, row, pair);
    }
    return TROP_OK;
}

/* 1 when no row of the path has a larger loss than the pair of solutions scaled to its radii. */
static int is_found(const struct trop_case *c)
{
    struct trop_mm m;
    double pair[MOST];

    trop_mm_open(&m, c);
    for (int64_t row = 0; row < trop_case_size(c, "path", 0); row++) {
        const double *p = trop_case_array(c, "path") + row * (m.dk + m.d);
        make_pair(pair, c, &m, row);
        if (log_loss(&m, p, p + m.dk) > log_loss(&m, pair, pair + m.dk) + 1e-6) {
            return 0;
        }
    }
    return 1;
}

/* The problem is not convex: random starts of three seeds, until no row is worse than its pair. */
static enum trop_status work_example(struct trop_case *c)
{
    double radius[RADII], decoder[RADII];
    int found = 0;
    enum trop_status status = trop_mm_solve(c, "alpha", "p_mm");

    if (trop_case_size(c, "K", 2) + trop_case_size(c, "X", 2) > MOST) {
        return trop_fail(TROP_ERR_UNSUPPORTED, "more than %d weights", MOST);
    }
    if (status != TROP_OK || trop_case_number(c, "p_mm_solved") != 1) {
        return status;
    }
    for (int64_t k = 0; k < RADII; k++) { /* R Xi = 4, 8, 12, 16 */
        radius[k] = 4 * (double)(k + 1) * trop_case_number(c, "p_mm_upper");
        decoder[k] = floor(trop_exp(4 * (double)(k + 1)));
    }
    for (uint64_t seed = 1; seed <= 3 && !found && status == TROP_OK; seed++) {
        status = trop_mm_path_joint(c, radius, decoder, RADII, seed);
        found = status == TROP_OK && is_found(c);
    }
    return status == TROP_OK ? trop_case_put(c, "found", found) : status;
}

/* ---- spoils ---- */

static enum trop_status turn_example(struct trop_case *c)
{
    const int64_t size = trop_case_size(c, "path", 1);
    double *p = trop_case_array(c, "path") + (RADII - 1) * size;
    const double a = p[0], b = p[1];

    p[0] = a - .5 * b;
    p[1] = b + .5 * a;
    return TROP_OK;
}

static enum trop_status long_token(struct trop_case *c)
{
    struct trop_mm m;

    trop_mm_open(&m, c);
    for (int64_t k = 0; k < m.d; k++) {
        trop_case_array(c, "X")[m.d + k] *= 10;
    }
    return TROP_OK;
}

static const struct trop_spoil example_spoils[] = {
    { "p of the last radius is turned by .5 in its first two coordinates", NULL, turn_example },
    { "token 1 of input 0 is ten times as long", "mixing-hurts", long_token },
    { 0 },
};

static const struct trop_input example_inputs[] = {
    { "X", "(n, T, d)", "tokens, of which the first is y a" },
    { "y", "(n)", "labels, -1 or 1" },
    { "K", "(n, T, dk)", "keys" },
    { 0 },
};

const struct trop_claim trop_mm_thm_5 = {
    .id = "mm-thm-5",
    .title = "the joint path tends to both max margins",
    .statement = "Where mixing tokens costs label margin in proportion to the attention that is "
                 "mixed in, minimisers over |v| <= r, |p| <= R tend in direction to the label "
                 "solution v_mm and the attention solution p_mm as r and R grow.",
    .status = TROP_CLAIM_PROVED,
    .remark =
        "On the paper's example of its assumption C, with a rate of ours for r = e^(R/|p_mm|): "
        "1 - cos(p, p_mm) <= log(2 C) |p_mm| / R, 1 - cos(v, v_mm) <= (nu + 2 M) C e^(-R/|p_mm|)"
        " / G, C = (2 M (T - 1) + log 2n) / nu.",
    .old_inputs = example_inputs,
    .hypotheses = example_hypotheses,
    .old_draw = draw_example,
    .old_work = work_example,
    .old_conclude = conclude_example,
    .spoils = example_spoils,
    .trials = 10,
};
