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
 * optimum within a ball of that order (|ds| <= |dlogits| / 2).
 */
#include "claim/tf/tf.h"

#include "claim/examples.h"
#include "claim/tokens.h"

#include <math.h>
#include <string.h>

#define STEPS 4000

/* ---- the instance ---- */

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

static enum trop_status make_tokens(struct trop_case *c, int64_t T)
{
    double *x = NULL, *y = NULL, *z = NULL;
    enum trop_status status = trop_case_make(&x, c, "X", 1, T, T);

    if (status == TROP_OK) {
        status = trop_case_make(&y, c, "y", 1, 0, 0);
    }
    if (status == TROP_OK) {
        status = trop_case_make(&z, c, "z", 1, T, 0);
    }
    for (int64_t k = 0; status == TROP_OK && k < T * T; k++) {
        x[k] = trop_case_normal(c, 120, k);
        z[k % T] = trop_case_normal(c, 121, k % T) / sqrt((double)T);
    }
    if (status == TROP_OK) {
        y[0] = 1;
        trop_tf_basis(x, T, T);
    }
    return status;
}

/* Decoders are drawn until there is a tau; lambda is the middle of its interval. */
static enum trop_status draw(struct trop_case *c)
{
    const int64_t T = 6;
    double sorted[16], scores[16], *v = NULL;
    struct trop_data data;
    int64_t tau = 0;

    if (trop_case_has(c, "X")) {
        return TROP_OK;
    }
    enum trop_status status = make_tokens(c, T);
    if (status == TROP_OK) {
        status = trop_case_make(&v, c, "v", T, 0, 0);
    }
    for (int64_t again = 0; status == TROP_OK && tau == 0; again++) {
        for (int64_t k = 0; k < T; k++) {
            v[k] = trop_case_normal(c, 122 + again, k) / sqrt((double)T);
        }
        trop_examples_data(&data, c);
        for (int64_t t = 0; t < T; t++) {
            scores[t] = trop_tf_score(&data, 0, t);
        }
        trop_tf_project_sort(sorted, scores, T);
        tau = find_tau(sorted, T);
    }
    if (status == TROP_OK) {
        status = trop_tokens_count(c, "tau", (double)tau, 1, 1e9);
    }
    return status == TROP_OK
               ? trop_case_default(
                     c, "lambda",
                     (sorted[0] - sorted[1] + (double)tau * (sorted[tau - 1] - sorted[tau]) / 2) /
                         2)
               : status;
}

static enum trop_status work(struct trop_case *c)
{
    struct trop_tf_project_end end = { NAN, NAN };
    struct trop_data data;
    double *s = NULL;

    trop_examples_data(&data, c);
    enum trop_status status = trop_case_make(&s, c, "s", data.T, 0, 0);
    if (status == TROP_OK) {
        status = trop_tf_project_train(&end, s, data.x, data.v, data.z, data.T, data.d,
                                       trop_case_number(c, "lambda"), STEPS);
    }
    if (status == TROP_OK) {
        status = trop_case_put(c, "direction", end.direction);
    }
    return status == TROP_OK ? trop_case_put(c, "both", end.both) : status;
}

/* ---- hypotheses ---- */

static enum trop_status orthonormal(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t T = trop_case_size(c, "X", 1), d = trop_case_size(c, "X", 2);
    const double *x = trop_case_array(c, "X");

    for (int64_t k = 0; k < T * T; k++) {
        trop_judge_truth(
            judge, "tokens are orthonormal", k,
            fabs(trop_tokens_dot(x + k / T * d, x + k % T * d, d) - (k / T == k % T)) <= 1e-12);
    }
    return TROP_OK;
}

static void sorted_scores(double *out, const struct trop_case *c)
{
    struct trop_data data;
    double scores[64];

    trop_examples_data(&data, c);
    for (int64_t t = 0; t < data.T; t++) {
        scores[t] = trop_tf_score(&data, 0, t);
    }
    trop_tf_project_sort(out, scores, data.T);
}

static enum trop_status interval(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t tau = trop_case_integer(c, "tau");
    double sorted[64];

    sorted_scores(sorted, c);
    trop_judge_at_least(judge, "lambda against g_1", -1, trop_case_number(c, "lambda"),
                        sorted[0] - sorted[1], 1e-12);
    trop_judge_at_most(judge, "lambda against tau g_tau / 2", -1, trop_case_number(c, "lambda"),
                       (double)tau * (sorted[tau - 1] - sorted[tau]) / 2, 1e-12);
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    { "orthonormal", "the tokens are orthonormal", orthonormal, 0 },
    { "interval", "g_1 < lambda < tau g_tau / 2", interval, 0 },
    { 0 },
};

/* ---- conclusions ---- */

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const double *s = trop_case_array(c, "s"), tau = trop_case_number(c, "tau");
    double scores[64], exact[64];
    struct trop_data data;
    int64_t kept = 0;

    trop_examples_data(&data, c);
    for (int64_t t = 0; t < data.T; t++) {
        scores[t] = trop_tf_score(&data, 0, t);
        kept += s[t] > 1e-3;
    }
    const int64_t positive = trop_tf_project(exact, scores, data.T, trop_case_number(c, "lambda"));
    trop_judge_at_least(judge, "tokens of the exact projection", -1, (double)positive, 2, 0);
    trop_judge_at_most(judge, "tokens of the exact projection, against tau", -1, (double)positive,
                       tau, 0);
    trop_judge_at_least(judge, "tokens that training keeps", -1, (double)kept, 2, 0);
    trop_judge_at_most(judge, "tokens that training keeps, against tau", -1, (double)kept, tau, 0);
    for (int64_t t = 0; t < data.T; t++) {
        trop_judge_near(judge, "attention of a token and its exact value", t, s[t], exact[t], .05);
    }
    return TROP_OK;
}

static enum trop_status conclude_both(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_least(judge, "correlation with W_fin + R W_mm, against W_mm alone", -1,
                        trop_case_number(c, "both"), trop_case_number(c, "direction"), 1e-9);
    trop_judge_at_least(judge, "correlation with W_fin + R W_mm", -1, trop_case_number(c, "both"),
                        .95, 0);
    return TROP_OK;
}

/* ---- ways to be wrong ---- */

static enum trop_status one_token(struct trop_case *c)
{
    for (int64_t t = 0; t < trop_case_size(c, "s", 0); t++) {
        trop_case_array(c, "s")[t] = t == 0;
    }
    return TROP_OK;
}

static enum trop_status all_tokens(struct trop_case *c)
{
    for (int64_t t = 0; t < trop_case_size(c, "s", 0); t++) {
        trop_case_array(c, "s")[t] = 1 / (double)trop_case_size(c, "s", 0);
    }
    return TROP_OK;
}

/* Adds .002 to every token: not enough to be far from the exact values, but then more than tau
 * tokens count as kept. */
static enum trop_status faint_tokens(struct trop_case *c)
{
    for (int64_t t = 0; t < trop_case_size(c, "s", 0); t++) {
        trop_case_array(c, "s")[t] += .002;
    }
    return TROP_OK;
}

/* The first token and the last take each other's attention. */
static enum trop_status exchange(struct trop_case *c)
{
    const int64_t T = trop_case_size(c, "s", 0);
    double *s = trop_case_array(c, "s");
    int64_t most = 0, least = 0;

    for (int64_t t = 0; t < T; t++) {
        most = s[t] > s[most] ? t : most;
        least = s[t] < s[least] ? t : least;
    }
    const double kept = s[most];
    s[most] = s[least];
    s[least] = kept;
    return TROP_OK;
}

static enum trop_status large_lambda(struct trop_case *c)
{
    return trop_case_put(c, "lambda", 100);
}

static enum trop_status skew(struct trop_case *c)
{
    trop_case_array(c, "X")[0] += 1e-3;
    return TROP_OK;
}

static enum trop_status without_finite(struct trop_case *c)
{
    return trop_case_put(c, "both", .9 * trop_case_number(c, "direction"));
}

static const struct trop_spoil spoils[] = {
    { "attention on one token", NULL, one_token },
    { "attention on all tokens", NULL, all_tokens },
    { "every token has .002 more", NULL, faint_tokens },
    { "the most and the least attended token are exchanged", NULL, exchange },
    { "lambda = 100", "interval", large_lambda },
    { "a coordinate of a token moved by 1e-3", "orthonormal", skew },
    { 0 },
};

static const struct trop_spoil both_spoils[] = {
    { "W_fin makes it worse by a tenth", NULL, without_finite },
    { "lambda = 100", "interval", large_lambda },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "X", "(1, T, d)", "orthonormal tokens" },
    { "v", "(d)", "decoder" },
    { "z", "(1, d)", "query" },
    { "lambda", "", "of the head v'o - lambda |o|^2" },
    { "tau", "", "bound on the number of tokens" },
    { 0 },
};

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
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = spoils,
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
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude_both,
    .spoils = both_spoils,
    .trials = 30,
};
