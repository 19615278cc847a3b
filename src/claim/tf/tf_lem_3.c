/* tf_lem_3.c -- a convex solution of low rank solves the problem with a bound on the rank (lemma
 * 3), and factors of least length (lemma 15).
 *
 *   min |W|_*  over  rank(W) <= m  is at least the same without the bound on the rank,
 *
 * so that a solution W = K Q' of the convex problem with at most m columns is a solution of both:
 * it satisfies the constraints, and its norm is within the proved gap of the proved lower bound.
 * With W = U S V' and K = U S^1/2, Q = V S^1/2, |K|_F^2 = |Q|_F^2 = |W|_*, and any other
 * factors of W have (|K|_F^2 + |Q|_F^2)/2 >= |W|_*.
 *
 * |W|_* is recomputed here by one-sided Jacobi rotations: 100 d u |W|_* covers its rounding and
 * that of the solver's factors.
 */
#include "claim/tf/tf.h"

#include "base/alloc.h"
#include "base/math/exp.h"
#include "claim/examples.h"
#include "claim/tokens.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define OTHERS 4

static enum trop_status draw(struct trop_case *c)
{
    const int64_t n = 2 + trop_case_pick(c, 41, 0, 3), T = 2 + trop_case_pick(c, 41, 1, 3);
    enum trop_status status =
        trop_tf_draw(c, n, T, (n > T - 1 ? n : T - 1) + trop_case_pick(c, 41, 2, 3));

    return status == TROP_OK ? trop_case_default(c, "m", (double)n) : status;
}

static enum trop_status keep(struct trop_case *c, const struct trop_margin *margin,
                             const char *field, const char *name)
{
    struct trop_value value = { 0 };
    double *out = NULL;
    enum trop_status status = trop_margin_value(&value, margin, field);

    if (status == TROP_OK && value.kind == TROP_KIND_NUMBERS) {
        status = trop_case_make(&out, c, name, value.shape[0], value.shape[1], 0);
        if (status == TROP_OK) {
            memcpy(out, value.numbers,
                   (size_t)(value.shape[0] * value.shape[1]) * sizeof *value.numbers);
        }
    }
    return status;
}

/* The nuclear solution with its factors: W_mm, K, Q. */
static enum trop_status work_factors(struct trop_case *c)
{
    struct trop_margin_options o = trop_margin_options_default();
    struct trop_margin *margin = NULL;
    struct trop_data data;
    enum trop_status status = trop_tf_solve(c, NULL, TROP_MARGIN_NUCLEAR, "W_mm");

    trop_examples_data(&data, c);
    o.data = &data;
    o.norm = TROP_MARGIN_NUCLEAR;
    o.threads = c->threads;
    if (status == TROP_OK) {
        status = trop_margin_create(&margin, &o);
    }
    if (status == TROP_OK) {
        status = trop_margin_run(margin, NULL, NULL);
    }
    if (status == TROP_OK) {
        status = keep(c, margin, "factors.K", "K_mm");
    }
    if (status == TROP_OK) {
        status = keep(c, margin, "factors.Q", "Q_mm");
    }
    trop_margin_free(margin);
    return status == TROP_ERR_STOPPED ? TROP_OK : status;
}

/* Other factors K M and Q M^-1, M diagonal and then sheared: "K_others" (OTHERS, d, r). */
static enum trop_status work_others(struct trop_case *c)
{
    const int64_t d = trop_case_size(c, "K_mm", 0), r = trop_case_size(c, "K_mm", 1);
    double *k = NULL, *q = NULL;
    enum trop_status status = trop_case_make(&k, c, "K_others", OTHERS, d, r);

    if (status == TROP_OK) {
        status = trop_case_make(&q, c, "Q_others", OTHERS, d, r);
    }
    for (int64_t at = 0; status == TROP_OK && at < OTHERS * d * r; at++) {
        const int64_t other = at / (d * r), row = at / r % d, column = at % r;
        const double scale = trop_exp(trop_case_normal(c, 44, other * r + column));
        const double shear = trop_case_normal(c, 45, other);
        const double *from_k = trop_case_array(c, "K_mm") + row * r;
        const double *from_q = trop_case_array(c, "Q_mm") + row * r;
        /* M = D (I + shear e_0 e_1'), M^-T = D^-1 (I - shear e_1 e_0'), on columns 0 and 1. */
        const double first = trop_exp(trop_case_normal(c, 44, other * r));
        const double second = trop_exp(trop_case_normal(c, 44, other * r + 1));
        k[at] = from_k[column] * scale + (column == 1 ? shear * from_k[0] * first : 0);
        q[at] = from_q[column] / scale - (column == 0 && r > 1 ? shear * from_q[1] / second : 0);
    }
    return status;
}

static enum trop_status work(struct trop_case *c)
{
    enum trop_status status = work_factors(c);

    return status == TROP_OK && trop_case_has(c, "K_mm") ? work_others(c) : status;
}

/* ---- hypotheses ---- */

static enum trop_status fits(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_most(judge, "rank of the convex solution against m", -1,
                       (double)trop_case_size(c, "K_mm", 1), trop_case_number(c, "m"), 0);
    return TROP_OK;
}

static const struct trop_hypothesis rank_hypotheses[] = {
    { "feasible", "some W selects the best tokens", trop_tf_solved, 1 },
    { "rank-fits", "the convex solution has rank at most m", fits, 1 },
    { 0 },
};

static const struct trop_hypothesis factor_hypotheses[] = {
    { "feasible", "some W selects the best tokens", trop_tf_solved, 1 },
    { 0 },
};

/* ---- conclusions ---- */

/* w (d, d) = K Q'. */
static void product(double *w, const double *k, const double *q, int64_t d, int64_t r)
{
    for (int64_t at = 0; at < d * d; at++) {
        w[at] = trop_tokens_dot(k + at / d * r, q + at % d * r, r);
    }
}

static enum trop_status conclude_rank(struct trop_judge *judge, const struct trop_case *c)
{
    struct trop_data data;
    int64_t alpha[64];

    trop_examples_data(&data, c);
    trop_tf_alpha(alpha, c);
    double *w = trop_alloc(data.d * data.d, sizeof *w);
    if (!w) {
        return TROP_ERR_MEMORY;
    }
    product(w, trop_case_array(c, "K_mm"), trop_case_array(c, "Q_mm"), data.d,
            trop_case_size(c, "K_mm", 1));
    const double size = trop_tf_nuclear(w, data.d, data.d);
    const double upper = trop_case_number(c, "W_mm_upper"),
                 lower = trop_case_number(c, "W_mm_lower");
    /* The factors satisfy the constraints up to the gap that was proved. */
    trop_judge_at_least(judge, "least lead of K Q'", -1, trop_tf_margin(&data, w, alpha), 1,
                        (upper - lower) / lower + 100 * trop_tf_rounding(&data, w));
    trop_judge_at_most(judge, "|K Q'|_* against the convex minimum", -1, size, lower,
                       (upper - lower) + 100 * (double)data.d * DBL_EPSILON * upper);
    trop_alloc_free(w);
    return TROP_OK;
}

static enum trop_status conclude_factors(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t d = trop_case_size(c, "K_mm", 0), r = trop_case_size(c, "K_mm", 1);
    const double *k = trop_case_array(c, "K_mm"), *q = trop_case_array(c, "Q_mm");
    double *w = trop_alloc(d * d, sizeof *w);

    if (!w) {
        return TROP_ERR_MEMORY;
    }
    product(w, k, q, d, r);
    const double size = trop_tf_nuclear(w, d, d), rounding = 100 * (double)d * DBL_EPSILON * size;
    const double kk = trop_tokens_dot(k, k, d * r), qq = trop_tokens_dot(q, q, d * r);
    trop_judge_near(judge, "(|K|^2 + |Q|^2)/2 and |W|_*", -1, (kk + qq) / 2, size, rounding);
    trop_judge_near(judge, "|K|_F^2 and |Q|_F^2", -1, kk, qq, 2 * sqrt(2 * size * rounding));
    for (int64_t other = 0; other < trop_case_size(c, "K_others", 0); other++) {
        const double *ko = trop_case_array(c, "K_others") + other * d * r;
        const double *qo = trop_case_array(c, "Q_others") + other * d * r;
        const double half = (trop_tokens_dot(ko, ko, d * r) + trop_tokens_dot(qo, qo, d * r)) / 2;
        /* Errors of W grow with the lengths of the factors. */
        product(w, ko, qo, d, r);
        trop_judge_at_least(judge, "(|K|^2 + |Q|^2)/2 of other factors of W", other, half,
                            trop_tf_nuclear(w, d, d), 100 * (double)d * DBL_EPSILON * half);
        trop_judge_near(judge, "|K Q'|_* of other factors", other, trop_tf_nuclear(w, d, d), size,
                        100 * (double)d * DBL_EPSILON * half);
    }
    trop_alloc_free(w);
    return TROP_OK;
}

/* ---- ways to be wrong ---- */

static enum trop_status longer(struct trop_case *c)
{
    for (int64_t k = 0; k < trop_case_size(c, "K_mm", 0) * trop_case_size(c, "K_mm", 1); k++) {
        trop_case_array(c, "K_mm")[k] *= 1 + 1e-4;
    }
    return TROP_OK;
}

static enum trop_status shorter(struct trop_case *c)
{
    for (int64_t k = 0; k < trop_case_size(c, "K_mm", 0) * trop_case_size(c, "K_mm", 1); k++) {
        trop_case_array(c, "K_mm")[k] *= 1 - 1e-4;
    }
    return TROP_OK;
}

/* K grows and Q shrinks: the same W, of another length. */
static enum trop_status unbalance(struct trop_case *c)
{
    for (int64_t k = 0; k < trop_case_size(c, "K_mm", 0) * trop_case_size(c, "K_mm", 1); k++) {
        trop_case_array(c, "K_mm")[k] *= 1 + 1e-5;
        trop_case_array(c, "Q_mm")[k] /= 1 + 1e-5;
    }
    return TROP_OK;
}

/* The other factors are those of a W that is longer by 1e-4. */
static enum trop_status other_matrix(struct trop_case *c)
{
    for (int64_t k = 0;
         k < OTHERS * trop_case_size(c, "K_others", 1) * trop_case_size(c, "K_others", 2); k++) {
        trop_case_array(c, "K_others")[k] *= 1 + 1e-4;
    }
    return TROP_OK;
}

static enum trop_status narrow(struct trop_case *c)
{
    return trop_case_put(c, "m", (double)trop_case_size(c, "K_mm", 1) - 1);
}

static enum trop_status infeasible(struct trop_case *c)
{
    return trop_case_put(c, "W_mm_outcome", TROP_OUTCOME_INFEASIBLE);
}

static const struct trop_spoil rank_spoils[] = {
    { "K is longer by 1e-4", NULL, longer },
    { "K is shorter by 1e-4", NULL, shorter },
    { "m is one less than the rank", "rank-fits", narrow },
    { 0 },
};

static const struct trop_spoil factor_spoils[] = {
    { "K is longer and Q shorter by 1e-5", NULL, unbalance },
    { "K is longer by 1e-4", NULL, longer },
    { "the other factors are of a W longer by 1e-4", NULL, other_matrix },
    { "the problem is said to have no solution", "feasible", infeasible },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "X", "(n, T, d)", "tokens" }, { "y", "(n)", "labels, 1 or -1" }, { "v", "(d)", "decoder" },
    { "z", "(n, d)", "queries" },   { "m", "", "bound on the rank" },  { 0 },
};

const struct trop_claim trop_tf_lem_3 = {
    .id = "tf-lem-3",
    .title = "low-rank solutions of the convex problem",
    .statement =
        "If some solution of the nuclear max-margin problem without a bound on the rank has "
        "rank at most m, then it solves the problem over rank at most m as well.",
    .status = TROP_CLAIM_PROVED,
    .remark =
        "The factors that the solver returns have at most m columns, satisfy the constraints, "
        "and reach the proved lower bound of the convex problem within its gap.",
    .old_inputs = inputs,
    .hypotheses = rank_hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude_rank,
    .spoils = rank_spoils,
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
    .old_inputs = inputs,
    .hypotheses = factor_hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude_factors,
    .spoils = factor_spoils,
    .trials = 50,
};
