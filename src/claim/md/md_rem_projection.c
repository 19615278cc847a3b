/* md_rem_projection.c -- projections onto lp balls are radial (mirror-descent paper, regularisation
 * paths).
 *
 * argmin of D_psi(P, W) over |P|_p <= R is W min(1, R/|W|_p). The objective is strictly convex, and
 * P is its minimum exactly when |P|_p <= R and <g, Y - P> <= 0 for every Y of the ball, where g =
 * grad psi(W) - grad psi(P). The largest <g, Y> is R |g|_q, so that this is the single equation
 * <g, P> = R |g|_q, which is judged, as are other points of the ball, none of which has a smaller
 * divergence.
 *
 * Rounding: powers are good to u, g to u (|grad psi(W)| + |grad psi(P)|) a term, the products to
 * (N + 8) u of R (|grad psi(W)|_q + |grad psi(P)|_q); P itself is right to (N + 8) u, its powers to
 * p times that. A divergence from W has terms of |W|^p, 8 u (|W|_p^p + |P|_p^p) in all, however
 * small it is; points a share (N + 8) u away have one that differs by that of |W|_p^(p-1) R at
 * most: 4 (N + 16) u |W|_p^p for two of them, since R < |W|_p.
 */
#include "claim/md/md.h"

#include "claim/tokens.h"

#include "base/math/pow.h"

#include <float.h>
#include <math.h>

#define USE 56
#define OTHERS 20

static double entry(const struct trop_case *c, int64_t k)
{
    return 3 * trop_case_normal(c, USE + 1, k);
}

static void draw(struct trop_case *c)
{
    static const double exponents[] = { 1.75, 3, 2, 1.25, 4 };

    trop_case_default(c, "p", exponents[c->trial % 5]);
    trop_case_default(c, "R", .5 + trop_case_uniform(c, USE, 1));
    trop_md_check_matrix(c, "W", 0, 0);
    trop_md_draw_matrix(c, "W", 2 + trop_case_pick(c, USE, 0, 4), entry);
}

static int64_t entries(const struct trop_case *c)
{
    return trop_case_size(c, "W", 0) * trop_case_size(c, "W", 1);
}

static void work(struct trop_case *c)
{
    const struct trop_view w = trop_case_view(c, "W");
    double *projection = trop_case_copy_in(c, "projection", w.at, w.rows, w.columns, 0);
    const double norm = trop_md_norm(w.at, entries(c), trop_case_number(c, "p"));

    for (int64_t k = 0; k < entries(c); k++) {
        projection[k] *= fmin(1, trop_case_number(c, "R") / norm);
    }
}

static void is_outside(struct trop_judge *judge, const struct trop_case *c)
{
    const double p = trop_case_number(c, "p");

    trop_judge_truth(judge, "R is positive", -1, trop_case_number(c, "R") > 0);
    if (p > 1) {
        trop_judge_at_least(judge, "|W|_p is beyond R", -1,
                            trop_md_norm(trop_case_array(c, "W"), entries(c), p),
                            trop_case_number(c, "R"), 1e-9);
    }
}

/* Random points of the ball have no smaller divergence: half of them near the projection. */
static void conclude_others(struct trop_judge *judge, const struct trop_case *c, double *other)
{
    const double *w = trop_case_array(c, "W"), *at = trop_case_array(c, "projection");
    const double p = trop_case_number(c, "p"), R = trop_case_number(c, "R");
    const int64_t n = entries(c);
    const double least = trop_md_divergence(at, w, n, p);
    const double rounding = 4 * (double)(n + 16) * DBL_EPSILON * trop_pow(trop_md_norm(w, n, p), p);

    for (int64_t k = 0; k < OTHERS; k++) {
        const double spread = k % 2 ? 1 : 1e-3;
        for (int64_t e = 0; e < n; e++) {
            other[e] = (k % 2 ? 0 : at[e]) + spread * trop_case_normal(c, USE + 2, k * n + e);
        }
        const double norm = trop_md_norm(other, n, p);
        for (int64_t e = 0; e < n; e++) {
            other[e] *= fmin(1, R / norm);
        }
        const double value = trop_md_divergence(other, w, n, p);
        trop_judge_at_least(judge, "divergence of another point of the ball", -1, value, least,
                            rounding);
    }
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const double *w = trop_case_array(c, "W"), *at = trop_case_array(c, "projection");
    const double p = trop_case_number(c, "p"), R = trop_case_number(c, "R");
    const int64_t n = entries(c);
    double *g = trop_case_scratch(c, n), sizes = 0;

    for (int64_t k = 0; k < n; k++) {
        const double before = trop_md_signed(w[k], p - 1), after = trop_md_signed(at[k], p - 1);
        g[k] = before - after;
        sizes = fmax(sizes, fabs(before) + fabs(after));
    }
    const double allowance = (double)(n + 8) * DBL_EPSILON;
    const double norm = trop_md_norm(g, n, trop_md_dual(p));
    trop_judge_at_most(judge, "|P|_p", -1, trop_md_norm(at, n, p), R, allowance * R);
    trop_judge_near(judge, "<g, P> against R |g|_q", -1, trop_tokens_dot(g, at, n), R * norm,
                    4 * p * allowance * R * (norm + (double)n * sizes));
    conclude_others(judge, c, g);
}

const struct trop_claim trop_md_rem_projection = {
    .id = "md-rem-projection",
    .title = "Bregman projections onto lp balls are radial",
    .statement = "The point of the ball |P|_p <= R with the least divergence D_psi(P, W) from a W "
                 "outside it is R W / |W|_p.",
    .status = TROP_CLAIM_PROVED,
    .inputs = "W R p",
    .hypotheses = TROP_HYPOTHESES(TROP_MD_EXPONENT,
                                  { "outside", "W lies outside the ball", .judge = is_outside,
                                    .broken = "R = 1e6", .edit = "R = 1e6" }),
    .run = { draw, work, conclude },
    .spoils = TROP_SPOILS({ "an entry of the projection moved outwards by 1e-6", NULL,
                            .edit = "projection[0,0] *= 1+1e-6" },
                          { "entries of W cut at one size until they fit", NULL }),
    .trials = 100,
};
