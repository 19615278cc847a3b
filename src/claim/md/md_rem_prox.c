/* md_rem_prox.c -- a mirror step is a proximal step (mirror-descent paper, lp-AttGD).
 *
 *   W(k+1) = argmin of F(W) = eta <G(k), W> + D_psi(W, W(k))
 *
 * F is strictly convex with grad F = eta G + grad psi(W) - grad psi(W(k)), so that the step is its
 * minimum exactly where that residual is 0. The gradient comes from the definition (md.c), the step
 * from the optimiser. With |x|, |z| the largest token and query, |v| the decoder, l = |x| |z| |W|
 * and f = |v| |x|, which no logit and no score exceed, a component of G is a mean of sums of l' s
 * (2 f) (2 |x|) |z|, s right to 4 d l u, l' to 4 d f u and the rest to 64 u: e = u (64 + 8 d (l +
 * f)) 4 f |x| |z| in all. Allowed in a component are eta e and, of the powers, 8 p u of |W|^(p-1)
 * before and after.
 *
 * F is also evaluated at other points: none is lower. Its terms are good to 8 u of |W|_p^p of each
 * of the points, and <eta G, W> to (N + 8) u of sizes and eta e sqrt(N) of the distance. For p near
 * 1 a dual variable of .1 is a weight of 1e-333 (p = 1.003): weights after the step, and their
 * shares of the norm, must be normal numbers, or 0 where nothing moved them.
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

static void is_in_range(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "run_weights", 1);
    const double *before = trop_case_array(c, "run_weights"), *after = before + n;
    double *g = trop_case_scratch(c, n);

    trop_md_gradient(g, c, before);
    /* The run keeps them as shares of their norm. */
    const double norm = trop_case_array(c, "run_norm")[1];
    trop_judge_truth(judge, "the norm of the weights is one", -1, norm < 1e290);
    for (int64_t k = 0; k < n; k++) {
        const double size = fabs(after[k]);
        trop_judge_truth(judge, "a weight after the step is a normal number", -1,
                         (size > 1e-290 * fmax(1, norm) && size < 1e290) ||
                             (before[k] == 0 && g[k] == 0));
    }
}

/* e of the file comment, without the step size. */
static double gradient_error(const struct trop_case *c, const double *w)
{
    const struct trop_view x = trop_case_view(c, "X"), z = trop_case_view(c, "z");
    const double token = trop_tokens_radius(x.at, x.rows * x.columns, x.depth);
    const double query = trop_tokens_radius_of(z);
    const double logit = token * query * trop_tokens_norm(w, x.depth * x.depth);
    const double score = token * trop_tokens_norm(trop_case_array(c, "v"), x.depth);

    return DBL_EPSILON * (64 + 8 * (double)x.depth * (logit + score)) * 4 * score * token * query;
}

/* |w|_p^p. */
static double power_of(const double *w, int64_t n, double p)
{
    return trop_pow(trop_md_norm(w, n, p), p);
}

static void conclude_others(struct trop_judge *judge, const struct trop_case *c, const double *g,
                            double *other)
{
    const int64_t n = trop_case_size(c, "run_weights", 1);
    const double *before = trop_case_array(c, "run_weights"), *after = before + n;
    const double p = trop_case_number(c, "p"), eta = trop_case_number(c, "eta");
    const double least = objective(after, before, g, eta, n, p);
    const double powers = 2 * power_of(before, n, p) + power_of(after, n, p);
    const double error = eta * gradient_error(c, before) * sqrt((double)n);
    const double along = (double)(n + 8) * DBL_EPSILON * eta * trop_tokens_norm(g, n);

    for (int64_t k = 0; k < OTHERS; k++) {
        for (int64_t e = 0; e < n; e++) {
            other[e] = after[e] + (k % 2 ? .1 : 1e-4) * trop_case_normal(c, USE + 1, k * n + e);
        }
        const double sizes = trop_tokens_norm(after, n) + trop_tokens_norm(other, n);
        trop_judge_at_least(judge, "F at another point", -1, objective(other, before, g, eta, n, p),
                            least,
                            8 * DBL_EPSILON * (powers + power_of(other, n, p)) + along * sizes +
                                error * trop_tokens_distance(after, other, n));
    }
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "run_weights", 1);
    const double *before = trop_case_array(c, "run_weights"), *after = before + n;
    const double p = trop_case_number(c, "p"), eta = trop_case_number(c, "eta");
    double *g = trop_case_scratch(c, 2 * n);

    const double error = eta * gradient_error(c, before);

    trop_md_gradient(g, c, before);
    for (int64_t k = 0; k < n; k++) {
        const double from = trop_md_signed(before[k], p - 1), to = trop_md_signed(after[k], p - 1);
        trop_judge_near(judge, "eta G + grad psi(W') - grad psi(W)", -1, eta * g[k] + to - from, 0,
                        error + DBL_EPSILON * 8 * p * (fabs(from) + fabs(to)));
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
    .hypotheses = TROP_HYPOTHESES(
        TROP_MD_EXPONENT,
        { "step-size", "eta > 0", .holds = "eta is positive: eta > 0", .broken = "eta = 0",
          .edit = "eta = 0" },
        { "in-range", "no weight leaves the normal numbers", .judge = is_in_range, .late = 1,
          .broken = "a weight after the step is 1e-300", .edit = "run_weights[1,0] = 1e-300" }),
    .run = { draw, work, conclude },
    .spoils = TROP_SPOILS(
        { "the step of an eta that is larger by 1e-6 of it", NULL,
          .edit = "work with eta *= 1+1e-6" },
        { "one weight after the step moved by 1e-6", NULL, .edit = "run_weights[1,0] += 1e-6" }),
    .trials = 40,
};
