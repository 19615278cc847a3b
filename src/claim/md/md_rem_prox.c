/* md_rem_prox.c -- a mirror step is a proximal step (mirror-descent paper, lp-AttGD).
 *
 *   W(k+1) = argmin of F(W) = eta <G(k), W> + D_psi(W, W(k))
 *
 * F is strictly convex with grad F = eta G + grad psi(W) - grad psi(W(k)), so that the step is its
 * minimum exactly where that residual is 0. The gradient comes from the definition (md.c), the step
 * from the optimiser. Allowed in a component are 64 u of eta |G| (sums of n T d terms) and, of the
 * powers, 8 p u of |W|^(p-1) before and after. F is also evaluated at other points: none is lower.
 */
#include "claim/md/md.h"

#include "claim/tokens.h"

#include "base/math/pow.h"

#include <float.h>
#include <math.h>

#define USE 64
#define OTHERS 12

static void draw(struct trop_case *c)
{
    trop_md_draw(c, 3, 4, 4);
    trop_case_default(c, "eta", .1 + trop_case_uniform(c, USE, 0));
}

static void work(struct trop_case *c)
{
    trop_md_run(c, "run", "optimizer=mirror p=@p eta=@eta steps=1 start=normal seed=%lld",
                (long long)c->trial + 1);
}

/* F at w, with D from its definition. */
static double objective(const double *w, const double *before, const double *g, double eta,
                        int64_t n, double p)
{
    return eta * trop_tokens_dot(g, w, n) + trop_md_divergence(w, before, n, p);
}

static void conclude_others(struct trop_judge *judge, const struct trop_case *c, const double *g,
                            double *other)
{
    const int64_t n = trop_case_size(c, "run_weights", 1);
    const double *before = trop_case_array(c, "run_weights"), *after = before + n;
    const double p = trop_case_number(c, "p"), eta = trop_case_number(c, "eta");
    const double least = objective(after, before, g, eta, n, p);
    const double size = trop_md_norm(before, n, p);
    const double allowance = 1e-13 * (1 + 2 * trop_pow(size, p));

    for (int64_t k = 0; k < OTHERS; k++) {
        for (int64_t e = 0; e < n; e++) {
            other[e] = after[e] + (k % 2 ? .1 : 1e-4) * trop_case_normal(c, USE + 1, k * n + e);
        }
        trop_judge_at_least(judge, "F at another point", -1, objective(other, before, g, eta, n, p),
                            least, allowance);
    }
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "run_weights", 1);
    const double *before = trop_case_array(c, "run_weights"), *after = before + n;
    const double p = trop_case_number(c, "p"), eta = trop_case_number(c, "eta");
    double *g = trop_case_scratch(c, 2 * n);

    trop_md_gradient(g, c, before);
    for (int64_t k = 0; k < n; k++) {
        const double from = trop_md_signed(before[k], p - 1), to = trop_md_signed(after[k], p - 1);
        trop_judge_near(judge, "eta G + grad psi(W') - grad psi(W)", -1, eta * g[k] + to - from, 0,
                        DBL_EPSILON * (64 * eta + 8 * p * (fabs(from) + fabs(to))));
    }
    conclude_others(judge, c, g, g + n);
}

const struct trop_claim trop_md_rem_prox = {
    .id = "md-rem-prox",
    .title = "a mirror step minimises a proximal objective",
    .statement = "The step of lp mirror descent minimises eta <G, W> + D_psi(W, W(k)) over all W, "
                 "where G is the gradient at W(k).",
    .status = TROP_CLAIM_PROVED,
    .inputs = "X y v z p eta",
    .hypotheses = TROP_HYPOTHESES(TROP_MD_EXPONENT,
                                  { "step-size", "eta > 0", .holds = "eta is positive: eta > 0",
                                    .broken = "eta = 0", .edit = "eta = 0" }),
    .run = { draw, work, conclude },
    .spoils = TROP_SPOILS(
        { "the step of an eta that is larger by 1e-6 of it", NULL,
          .edit = "work with eta *= 1+1e-6" },
        { "one weight after the step moved by 1e-6", NULL, .edit = "run_weights[1,0] += 1e-6" }),
    .trials = 40,
};
