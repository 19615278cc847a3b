/* mm_lem_2.c -- a max-margin solution exists, with a witness (max-margin paper, lemmas 2 and 11).
 *
 * Keys k_t = W x_t with W invertible, labels 1, one best token in each input. Then p with W'p = v /
 * g, g the least lead of a best score, has (k_a - k_t)'p = (x_a - x_t)'v / g >= 1: the problem has
 * a solution, of norm at most |p|.
 *
 * The witness is made by Gaussian elimination, whose backward error is a few d u |W|: leads differ
 * from the formula by 64 d^2 u |k| |p|. The norm of the solution is a proved lower bound.
 */
#include "claim/mm/mm.h"

#include "claim/tokens.h"

#include "base/status.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MOST 16 /* largest d */

static enum trop_status draw(struct trop_case *c)
{
    const int64_t d = 2 + trop_case_pick(c, 16, 1, 4);
    double *w = NULL;
    enum trop_status status = trop_examples_sphere(c, 2 + trop_case_pick(c, 16, 0, 4), 4, d, 0);
    const int64_t size = trop_case_size(c, "X", 2), n = trop_case_size(c, "X", 0);

    for (int64_t i = 0; i < n && status == TROP_OK; i++) {
        trop_case_array(c, "y")[i] = 1;
    }
    if (status != TROP_OK || trop_case_has(c, "W")) {
        return status;
    }
    status = trop_case_make(&w, c, "W", size, size, 0);
    for (int64_t k = 0; k < size * size && status == TROP_OK; k++) {
        w[k] = trop_case_normal(c, 17, k) + (k % (size + 1) == 0 ? 1.5 : 0);
    }
    return status;
}

/* Solves A x = b by elimination with row pivots; returns the least pivot in modulus. */
static double eliminate(double *x, const double *matrix, const double *b, int64_t d)
{
    double a[MOST * (MOST + 1)], least = INFINITY;
    const int64_t wide = d + 1;

    for (int64_t r = 0; r < d; r++) {
        memcpy(a + r * wide, matrix + r * d, (size_t)d * sizeof *a);
        a[r * wide + d] = b[r];
    }
    for (int64_t k = 0; k < d; k++) {
        int64_t best = k;
        for (int64_t r = k + 1; r < d; r++) {
            best = fabs(a[r * wide + k]) > fabs(a[best * wide + k]) ? r : best;
        }
        for (int64_t q = 0; q < wide; q++) {
            const double kept = a[k * wide + q];
            a[k * wide + q] = a[best * wide + q];
            a[best * wide + q] = kept;
        }
        least = fmin(least, fabs(a[k * wide + k]));
        for (int64_t r = k + 1; r < d && a[k * wide + k] != 0; r++) {
            const double ratio = a[r * wide + k] / a[k * wide + k];
            for (int64_t q = k; q < wide; q++) {
                a[r * wide + q] -= ratio * a[k * wide + q];
            }
        }
    }
    for (int64_t k = d - 1; k >= 0 && least > 0; k--) {
        double rest = a[k * wide + d];
        for (int64_t q = k + 1; q < d; q++) {
            rest -= a[k * wide + q] * x[q];
        }
        x[k] = rest / a[k * wide + k];
    }
    return least;
}

/* The least lead of a best score. */
static double least_lead(const struct trop_mm *m)
{
    double least = INFINITY;

    for (int64_t i = 0; i < m->n; i++) {
        const int64_t a = trop_mm_optimal(m, i);
        for (int64_t t = 0; t < m->T; t++) {
            const double lead = trop_mm_score(m, i, a) - trop_mm_score(m, i, t);
            least = t == a ? least : fmin(least, lead);
        }
    }
    return least;
}

static void transpose(double *out, const double *w, int64_t d)
{
    for (int64_t k = 0; k < d * d; k++) {
        out[(k % d) * d + k / d] = w[k];
    }
}

static enum trop_status make_witness(struct trop_case *c)
{
    double turned[MOST * MOST], *p = NULL;
    struct trop_mm m;

    trop_mm_open(&m, c);
    enum trop_status status = trop_case_make(&p, c, "witness", m.d, 0, 0);
    if (status == TROP_OK) {
        transpose(turned, trop_case_array(c, "W"), m.d);
        eliminate(p, turned, m.v, m.d);
        for (int64_t k = 0; k < m.d; k++) {
            p[k] /= least_lead(&m);
        }
    }
    return status;
}

static enum trop_status work(struct trop_case *c)
{
    struct trop_mm m;
    const double *w = trop_case_array(c, "W");
    double *key = NULL;

    trop_mm_open(&m, c);
    enum trop_status status = make_witness(c);
    status = status == TROP_OK ? trop_case_make(&key, c, "K", m.n, m.T, m.d) : status;
    for (int64_t k = 0; status == TROP_OK && k < m.n * m.T * m.d; k++) {
        key[k] = trop_tokens_dot(w + (k % m.d) * m.d, m.x + (k / m.d) * m.d, m.d);
    }
    status = status == TROP_OK ? trop_mm_alpha(c) : status;
    return status == TROP_OK ? trop_mm_solve(c, "alpha", "p_mm") : status;
}

static enum trop_status small(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_most(judge, "dimension", -1, (double)trop_case_size(c, "X", 2), MOST, 0);
    return TROP_OK;
}

static enum trop_status positive_labels(struct trop_judge *judge, const struct trop_case *c)
{
    for (int64_t i = 0; i < trop_case_size(c, "y", 0); i++) {
        trop_judge_truth(judge, "the label is 1", i, trop_case_array(c, "y")[i] == 1);
    }
    return TROP_OK;
}

static enum trop_status strict_best(struct trop_judge *judge, const struct trop_case *c)
{
    struct trop_mm m;

    trop_mm_open(&m, c);
    trop_judge_at_least(judge, "least lead of a best score", -1, least_lead(&m), 0, 1e-4);
    return TROP_OK;
}

static enum trop_status full_rank(struct trop_judge *judge, const struct trop_case *c)
{
    double x[MOST] = { 0 };
    const int64_t d = trop_case_size(c, "X", 2);

    if (d <= MOST) {
        trop_judge_at_least(judge, "least pivot of W", -1,
                            eliminate(x, trop_case_array(c, "W"), trop_case_array(c, "v"), d), .05,
                            1e-3);
    }
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    { "dimension", "at most 16 dimensions, for the elimination", small, 0 },
    { "labels", "every label is 1", positive_labels, 0 },
    { "unique-best", "every input has one token of the highest score", strict_best, 0 },
    { "full-rank", "W is invertible, the least pivot above .05", full_rank, 0 },
    { 0 },
};

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    struct trop_mm m;
    const double *p = trop_case_array(c, "witness"), *alpha = trop_case_array(c, "alpha");

    trop_mm_open(&m, c);
    const double size = trop_tokens_norm(p, m.dk), d = (double)m.d;
    trop_judge_truth(judge, "the max-margin problem has a solution", -1,
                     trop_case_number(c, "p_mm_solved") == 1);
    trop_judge_at_least(judge, "least lead of the witness", -1, trop_mm_margin(&m, alpha, p), 1,
                        64 * d * d * DBL_EPSILON * size * trop_mm_reach(&m));
    trop_judge_at_most(judge, "norm of the solution against the witness", -1,
                       trop_case_number(c, "p_mm_lower"), size, 64 * d * d * DBL_EPSILON * size);
    return TROP_OK;
}

static enum trop_status shrink(struct trop_case *c)
{
    for (int64_t k = 0; k < trop_case_size(c, "witness", 0); k++) {
        trop_case_array(c, "witness")[k] *= 1 - 1e-6;
    }
    return TROP_OK;
}

static enum trop_status negative_label(struct trop_case *c)
{
    trop_case_array(c, "y")[0] = -1;
    return TROP_OK;
}

static enum trop_status lower_rank(struct trop_case *c)
{
    const int64_t d = trop_case_size(c, "W", 0);
    double *w = trop_case_array(c, "W");

    memcpy(w, w + d, (size_t)d * sizeof *w);
    return TROP_OK;
}

static const struct trop_spoil spoils[] = {
    { "the witness is shorter by 1e-6", NULL, shrink },
    { "label 0 is -1", "labels", negative_label },
    { "two rows of W are the same", "full-rank", lower_rank },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "X", "(n, T, d)", "tokens" },
    { "v", "(d)", "decoder" },
    { "W", "(d, d)", "keys are W x" },
    { 0 },
};

const struct trop_claim trop_mm_lem_2 = {
    .id = "mm-lem-2",
    .title = "a max-margin solution exists",
    .statement =
        "With labels 1, one best token in each input and keys W x of an invertible W, the "
        "max-margin problem for the best tokens has a solution, and p with W'p = v / (least "
        "lead of a score) satisfies its constraints.",
    .status = TROP_CLAIM_PROVED,
    .remark = "",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 100,
};
