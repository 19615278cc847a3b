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

#include "base/math/exp.h"
#include "base/math/log.h"

#include <float.h>
#include <math.h>

#define RADII 4
#define MOST 64 /* weights */

/* ---- assumption C ---- */

/* Token 0 is y a, a of length about 1; the others are shorter than .6 of it. */
static void draw_tokens(struct trop_case *c, int64_t n, int64_t T, int64_t d)
{
    double *x = trop_case_zeros(c, "X", n, T, d), *y = trop_case_zeros(c, "y", n, 0, 0);
    double *v = trop_case_zeros(c, "v", d, 0, 0);

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
}

static void draw(struct trop_case *c)
{
    if (!trop_case_has(c, "X")) {
        draw_tokens(c, 2, 2 + trop_case_pick(c, 16, 0, 2), 2);
    }
    const int64_t n = trop_case_size(c, "X", 0), T = trop_case_size(c, "X", 1);
    trop_mm_normals(c, "K", 19, 1, n, T, n * (T - 1) + 1);
    trop_case_zeros(c, "alpha", n, 0, 0);
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

static double longest_other(const struct trop_mm *m)
{
    double most = 0;

    for (int64_t at = 0; at < m->n * m->T; at++) {
        if (at % m->T != (int64_t)m->alpha[at / m->T]) {
            most = fmax(most, trop_tokens_norm(m->x + at * m->d, m->d));
        }
    }
    return most;
}

static void mixing_hurts(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);
    const double *first = m.x + (int64_t)m.alpha[0] * m.d;
    const double size = trop_tokens_norm(first, m.d);

    for (int64_t i = 0; i < m.n; i++) {
        const double *own = m.x + (i * m.T + (int64_t)m.alpha[i]) * m.d;
        double most = 0;
        for (int64_t k = 0; k < m.d; k++) {
            most = fmax(most, fabs(m.y[i] * own[k] - m.y[0] * first[k]));
        }
        trop_judge_truth(judge, "the selected token is y a", i, most <= 4 * DBL_EPSILON * size);
    }
    trop_judge_at_least(judge, "|a| less the longest other token", -1, size - longest_other(&m),
                        .05, 1e-9);
}

/* ---- the path ---- */

/* (R p_mm/|p_mm|, r v_mm/|v_mm|) of a row. */
static void make_pair(double pair[MOST], const struct trop_case *c, int64_t row)
{
    const struct trop_mm m = trop_mm_of(c);
    const double *a = m.x + (int64_t)m.alpha[0] * m.d;
    const double R = trop_case_array(c, "radius")[row];
    const double r = trop_case_array(c, "decoder_radius")[row];

    for (int64_t k = 0; k < m.dk; k++) {
        pair[k] = R * m.p_mm[k] / trop_tokens_norm(m.p_mm, m.dk);
    }
    for (int64_t k = 0; k < m.d; k++) {
        pair[m.dk + k] = r * m.y[0] * a[k] / trop_tokens_norm(a, m.d);
    }
}

/* 1 when no row of the path has a larger loss than the pair of solutions scaled to its radii. */
static int is_found(const struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);
    const struct trop_view path = trop_case_view(c, "path");
    double pair[MOST];

    for (int64_t row = 0; row < path.rows; row++) {
        const double *p = trop_case_view_row(path, row);
        make_pair(pair, c, row);
        if (log_loss(&m, p, p + m.dk) > log_loss(&m, pair, pair + m.dk) + 1e-6) {
            return 0;
        }
    }
    return 1;
}

/* The problem is not convex: random starts of three seeds, until no row is worse than its pair. */
static void work(struct trop_case *c)
{
    trop_mm_solve(c);
    if (trop_case_size(c, "K", 2) + trop_case_size(c, "X", 2) > MOST) {
        trop_case_refuse(c, "more than %d weights", MOST);
    }
    if (trop_case_number(c, "p_mm_outcome") != TROP_OUTCOME_SOLVED) {
        return;
    }
    double *radius = trop_case_zeros(c, "radius", RADII, 0, 0);
    double *decoder = trop_case_zeros(c, "decoder_radius", RADII, 0, 0);
    for (int64_t k = 0; k < RADII; k++) { /* R Xi = 4, 8, 12, 16 */
        radius[k] = 4 * (double)(k + 1) * trop_case_number(c, "p_mm_upper");
        decoder[k] = floor(trop_exp(4 * (double)(k + 1)));
    }
    trop_case_put(c, "found", 0);
    for (int seed = 1; seed <= 3 && trop_case_number(c, "found") == 0; seed++) {
        trop_case_radii(c, "weights=path",
                        "model=joint radius=@radius decoder_radius=@decoder_radius starts=2 "
                        "seed=%d",
                        seed);
        trop_case_put(c, "found", is_found(c));
    }
}

/* ---- the conclusion ---- */

static void judge_point(struct trop_judge *judge, const struct trop_case *c, int64_t row)
{
    const struct trop_mm m = trop_mm_of(c);
    const double *p = trop_case_array(c, "path") + row * (m.dk + m.d), *v = p + m.dk;
    const double size = trop_tokens_norm(m.x + (int64_t)m.alpha[0] * m.d, m.d); /* G, |a| */
    const double M = fmax(size, longest_other(&m)), nu = size - longest_other(&m);
    const double far = trop_case_array(c, "radius")[row] / trop_case_number(c, "p_mm_upper");
    const double r = trop_case_array(c, "decoder_radius")[row], small = trop_exp(-far);
    const double allowance = (1e-10 + 16 * DBL_EPSILON) * r * M * (1 + far);
    const double C =
        (2 * M * (double)(m.T - 1) + (trop_log(2 * (double)m.n) + allowance) / (r * small)) / nu;
    double pair[MOST], rest = 0;

    make_pair(pair, c, row);
    trop_judge_at_most(judge, "log of the loss against (v_mm, p_mm)", row, log_loss(&m, p, v),
                       log_loss(&m, pair, pair + m.dk), allowance);
    for (int64_t i = 0; i < m.n; i++) {
        rest = fmax(rest, trop_mm_rest(&m, i, (int64_t)m.alpha[i], p));
    }
    trop_judge_at_most(judge, "attention that is not selected, times e^(R Xi)", row, rest / small,
                       C, 1e-9 * C);
    if (C * small <= .5) {
        trop_judge_at_most(judge, "1 - cos of p to p_mm", row, trop_mm_turn(p, m.p_mm, m.dk),
                           trop_log(2 * C) / far, 1e-9);
    }
    trop_judge_at_most(judge, "1 - cos of v to v_mm", row, trop_mm_turn(v, pair + m.dk, m.d),
                       (nu + 2 * M) * C * small / size, 64 * DBL_EPSILON);
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    for (int64_t row = 0; row < trop_case_size(c, "path", 0); row++) {
        judge_point(judge, c, row);
    }
}

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
    .inputs = "X y K",
    .hypotheses = TROP_HYPOTHESES(
        { "mixing-hurts", "selected tokens are y a, others shorter (C)", .judge = mixing_hurts,
          .broken = "token 1 of input 0 is ten times as long", .edit = "X[0,1] *= 10" },
        TROP_MM_SEPARABLE("the selection has a max-margin solution"),
        { "minimiser", "the solver found no worse points than (v_mm, p_mm)",
          .holds = "no loss of the path was above that of (v_mm, p_mm): found == 1", .late = 1 }),
    .draw = draw,
    .work = work,
    .conclude = conclude,
    .spoils =
        TROP_SPOILS({ "p of the last radius is turned by .5 in its first two coordinates", NULL,
                      .edit = "path[-1,0] -= .5 * path[-1,1]; path[-1,1] += .5 * path[-1,0]" }),
    .trials = 10,
};
