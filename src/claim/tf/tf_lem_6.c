/* tf_lem_6.c -- heads that keep several tokens (lemma 6), and W_fin + R W_mm (section 6).
 *
 * One input of T orthonormal tokens, h(o) = v'o - lambda |o|^2, scores gamma_1 > gamma_2 > ...,
 * gaps g_t = gamma_t - gamma_t+1. The best attention is a simplex projection (tf_project.c). It has
 * more than one token when 2 lambda > g_1, and at most tau when sum_{t <= tau} (gamma_t -
 * gamma_tau+1) >= 2 lambda, for which tau g_tau >= 2 lambda is enough: with g_1 < lambda < tau
 * g_tau / 2 between 2 and tau.
 *
 * What is judged is the attention that training has found: tokens above 1e-3 are counted, and it
 * is to be within .05 of the exact projection, as normalised steps of .1 go on around a finite
 * optimum within a ball of that order (|ds| <= |dlogits| / 2 <= .05 |z|). So the query is to be
 * short: with |z| = 75 a step moves logits by 7.5, and most of the attention.
 */
#include "claim/tf/tf.h"

#include "claim/tokens.h"

#include <math.h>

#define STEPS 4000
#define TOKENS 6

/* ---- the instance ---- */

/* The scores of the input in descending order. */
static struct trop_tf sort_scores(double sorted[TROP_TF_MOST], const struct trop_case *c)
{
    const struct trop_tf m = trop_tf_of(c);
    double scores[TROP_TF_MOST];

    for (int64_t t = 0; t < m.T; t++) {
        scores[t] = trop_tf_score(&m.data, 0, t);
    }
    trop_tf_project_sort(sorted, scores, m.T);
    return m;
}

/* The least tau that leaves room for lambda; 0 when none does. */
static int64_t find_tau(const double *sorted, int64_t T)
{
    for (int64_t tau = 2; tau < T; tau++) {
        if ((double)tau * (sorted[tau - 1] - sorted[tau]) / 2 > 1.2 * (sorted[0] - sorted[1])) {
            return tau;
        }
    }
    return 0;
}

/* Decoders are drawn until there is a tau. */
static void draw_input(struct trop_case *c)
{
    double *x = trop_case_zeros(c, "X", 1, TOKENS, TOKENS);
    double *v = trop_case_zeros(c, "v", TOKENS, 0, 0), *z = trop_case_zeros(c, "z", 1, TOKENS, 0);
    double sorted[TROP_TF_MOST] = { 0 };

    trop_case_copy_in(c, "y", (const double[]){ 1 }, 1, 0, 0);
    for (int64_t k = 0; k < TOKENS * TOKENS; k++) {
        x[k] = trop_case_normal(c, 120, k);
        z[k % TOKENS] = trop_case_normal(c, 121, k % TOKENS) / sqrt((double)TOKENS);
    }
    trop_tf_basis(x, TOKENS, TOKENS);
    for (int64_t again = 0; find_tau(sorted, TOKENS) == 0; again++) {
        for (int64_t k = 0; k < TOKENS; k++) {
            v[k] = trop_case_normal(c, 122 + again, k) / sqrt((double)TOKENS);
        }
        sort_scores(sorted, c);
    }
}

/* lambda is the middle of its interval. */
static void draw(struct trop_case *c)
{
    double sorted[TROP_TF_MOST] = { 0 };

    if (!trop_case_has(c, "X")) {
        draw_input(c);
    }
    const struct trop_tf m = sort_scores(sorted, c);
    const int64_t found = find_tau(sorted, m.T), tau = found > 0 ? found : 1;
    trop_tokens_count(c, "tau", (double)tau, 1, (double)m.T - 1);
    trop_case_default(c, "lambda",
                      (sorted[0] - sorted[1] + (double)tau * (sorted[tau - 1] - sorted[tau]) / 2) /
                          2);
}

static void work(struct trop_case *c)
{
    double *s = trop_case_zeros(c, "s", trop_case_size(c, "X", 1), 0, 0);
    const struct trop_tf_project_end end =
        trop_tf_project_run(s, c, trop_case_number(c, "lambda"), STEPS);

    trop_case_put(c, "direction", end.direction);
    trop_case_put(c, "both", end.both);
}

/* ---- hypotheses ---- */

static void orthonormal(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view x = trop_case_view(c, "X");

    trop_tf_is_orthonormal(judge, "tokens are orthonormal", x.at, x.columns, x.depth);
}

static void interval(struct trop_judge *judge, const struct trop_case *c)
{
    const double lambda = trop_case_number(c, "lambda");
    const int64_t tau = trop_case_integer(c, "tau");
    double sorted[TROP_TF_MOST] = { 0 };

    sort_scores(sorted, c);
    trop_judge_at_least(judge, "lambda against g_1", -1, lambda, sorted[0] - sorted[1], 1e-12);
    trop_judge_at_most(judge, "lambda against tau g_tau / 2", -1, lambda,
                       (double)tau * (sorted[tau - 1] - sorted[tau]) / 2, 1e-12);
}

static const struct trop_hypothesis hypotheses[] = {
    { "orthonormal", "the tokens are orthonormal", .judge = orthonormal,
      .broken = "a coordinate of a token moved by 1e-3", .edit = "X[0,0,0] += 1e-3" },
    { "interval", "g_1 < lambda < tau g_tau / 2", .judge = interval, .broken = "lambda = 100",
      .edit = "lambda = 100" },
    { "short-query", "|z| <= 2, so that a step of training moves attention by little",
      .holds = "length of the query: norm(z) <= 2", .broken = "a query of length 10 and more",
      .edit = "z[0,0] = 10" },
    { 0 },
};

/* ---- conclusions ---- */

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const double *s = trop_case_array(c, "s"), tau = trop_case_number(c, "tau");
    const struct trop_tf m = trop_tf_of(c);
    double scores[TROP_TF_MOST], exact[TROP_TF_MOST], kept = 0;

    for (int64_t t = 0; t < m.T; t++) {
        scores[t] = trop_tf_score(&m.data, 0, t);
        kept += s[t] > 1e-3;
    }
    const double positive =
        (double)trop_tf_project(exact, scores, m.T, trop_case_number(c, "lambda"));
    trop_judge_at_least(judge, "tokens of the exact projection", -1, positive, 2, 0);
    trop_judge_at_most(judge, "tokens of the exact projection, against tau", -1, positive, tau, 0);
    trop_judge_at_least(judge, "tokens that training keeps", -1, kept, 2, 0);
    trop_judge_at_most(judge, "tokens that training keeps, against tau", -1, kept, tau, 0);
    for (int64_t t = 0; t < m.T; t++) {
        trop_judge_near(judge, "attention of a token and its exact value", t, s[t], exact[t], .05);
    }
}

static void conclude_both(struct trop_judge *judge, const struct trop_case *c)
{
    const double both = trop_case_number(c, "both");

    trop_judge_at_least(judge, "correlation with W_fin + R W_mm, against W_mm alone", -1, both,
                        trop_case_number(c, "direction"), 1e-9);
    trop_judge_at_least(judge, "correlation with W_fin + R W_mm", -1, both, .95, 0);
}

const struct trop_claim trop_tf_lem_6 = {
    .id = "tf-lem-6",
    .title = "concave heads keep several tokens",
    .statement =
        "With orthonormal tokens and the head v'o - lambda |o|^2, g_1 < lambda < tau g_tau / 2 "
        "for the gaps g_t of the sorted scores, the best attention has between 2 and tau "
        "tokens.",
    .status = TROP_CLAIM_PROVED,
    .remark =
        "Of the exact simplex projection, and of the attention after 4000 normalised steps, in "
        "which tokens above 1e-3 count.",
    .inputs = "X v z lambda tau",
    .hypotheses = hypotheses,
    .run = { draw, work, conclude },
    .spoils = TROP_SPOILS({ "attention on one token", NULL, .edit = "s = 0; s[0] = 1" },
                          { "attention on all tokens", NULL, .edit = "s = 1/6" },
                          /* Not enough to be far from the exact values, but then more than tau
                             tokens count as kept. */
                          { "every token has .002 more", NULL, .edit = "s += .002" },
                          { "the most and the least attended token are exchanged", NULL }),
    .asymptotic = 1,
    .trials = 30,
};

const struct trop_claim trop_tf_rem_decomposition = {
    .id = "tf-rem-decomposition",
    .title = "several tokens: W is W_fin + R W_mm",
    .statement =
        "Where training keeps several tokens of an input, its weights are W_fin + R W_mm: a "
        "finite part that fixes the ratios of attention, and a growing multiple of the "
        "direction that separates the kept tokens from the others.",
    .status = TROP_CLAIM_CONJECTURED,
    .remark =
        "Section 6 states it from experiments. Read as a correlation of at least .95, and no less "
        "than with W_mm alone, after 4000 normalised steps; R is fitted by least squares.",
    .inputs = "X v z lambda tau",
    .hypotheses = hypotheses,
    .run = { draw, work, conclude_both },
    .spoils =
        TROP_SPOILS({ "W_fin makes it worse by a tenth", NULL, .edit = "both = .9 * direction" }),
    .asymptotic = 1,
    .trials = 30,
};
