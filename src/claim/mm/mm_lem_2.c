/* mm_lem_2.c -- a max-margin solution exists, with a witness (max-margin paper, lemmas 2 and 11).
 *
 * Keys k_t = W x_t with W invertible, labels 1, one best token in each input. Then p with W'p = v /
 * g, g the least lead of a best score, has (k_a - k_t)'p = (x_a - x_t)'v / g >= 1: the problem has
 * a solution, of norm at most |p|.
 *
 * The witness is made by Gaussian elimination, whose backward error is a few d^2 u |W|; keys are
 * right to d u |W| |x|, and g, a difference of scores, to 2 d u |v| |x|, where |v| <= |W| |p| g. So
 * leads differ from the formula by e = 64 d^2 u |W| |x| |p|, |x| the largest token, and p / (1 - e)
 * satisfies the constraints: the solution may be longer by e / (1 - e) of |p|. The norm of the
 * solution is a proved lower bound.
 */
#include "claim/mm/mm.h"

#include "claim/pivots.h"

#include <float.h>
#include <math.h>

#define MOST 16 /* largest d */

static void draw(struct trop_case *c)
{
    const int64_t d = 2 + trop_case_pick(c, 16, 1, 4);

    trop_examples_sphere(c, 2 + trop_case_pick(c, 16, 0, 4), 4, d, 0);
    const struct trop_mm m = trop_mm_of(c);
    double *w = trop_case_absent(c, "W", m.d, m.d, 0);
    for (int64_t k = 0; w && k < m.d * m.d; k++) {
        w[k] = trop_case_normal(c, 17, k) + (k % (m.d + 1) == 0 ? 1.5 : 0);
    }
    for (int64_t i = 0; i < m.n; i++) {
        trop_case_array(c, "y")[i] = 1;
    }
}

/* Solves W'x = b, or W x = b; returns the least pivot in modulus. */
static double eliminate(double *x, const double *w, int turned, const double *b, int64_t d)
{
    double a[MOST * (MOST + 1)];
    const int64_t wide = d + 1;

    for (int64_t r = 0; r < d; r++) {
        for (int64_t q = 0; q < d; q++) {
            a[r * wide + q] = turned ? w[q * d + r] : w[r * d + q];
        }
        a[r * wide + d] = b[r];
    }
    const double least = trop_pivots_eliminate(a, d, wide).least;
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

    for (int64_t at = 0; at < m->n * m->T; at++) {
        const int64_t i = at / m->T, t = at % m->T, a = trop_mm_optimal(m, i);
        const double lead = trop_mm_score(m, i, a) - trop_mm_score(m, i, t);
        least = t == a ? least : fmin(least, lead);
    }
    return least;
}

static void work(struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);
    const double *w = trop_case_array(c, "W");
    double *p = trop_case_zeros(c, "witness", m.d, 0, 0);
    double *key = trop_case_zeros(c, "K", m.n, m.T, m.d);

    eliminate(p, w, 1, m.v, m.d);
    for (int64_t k = 0; k < m.d; k++) {
        p[k] /= least_lead(&m);
    }
    for (int64_t k = 0; k < m.n * m.T * m.d; k++) {
        key[k] = trop_tokens_dot(w + (k % m.d) * m.d, m.x + (k / m.d) * m.d, m.d);
    }
    trop_mm_alpha(c);
    trop_mm_solve(c);
}

static void small(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_most(judge, "dimension", -1, (double)trop_case_size(c, "X", 2), MOST, 0);
}

static void positive_labels(struct trop_judge *judge, const struct trop_case *c)
{
    for (int64_t i = 0; i < trop_case_size(c, "y", 0); i++) {
        trop_judge_truth(judge, "the label is 1", i, trop_case_array(c, "y")[i] == 1);
    }
}

static void strict_best(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);

    trop_judge_at_least(judge, "least lead of a best score", -1, least_lead(&m), 0, 1e-4);
}

static void full_rank(struct trop_judge *judge, const struct trop_case *c)
{
    double x[MOST] = { 0 };
    const int64_t d = trop_case_size(c, "X", 2);

    if (d <= MOST) {
        trop_judge_at_least(judge, "least pivot of W", -1,
                            eliminate(x, trop_case_array(c, "W"), 0, trop_case_array(c, "v"), d),
                            .05, 1e-3);
    }
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);
    const double *p = trop_case_array(c, "witness"), d = (double)m.d;
    const double size = trop_tokens_norm(p, m.dk);
    const double tokens = trop_tokens_radius(m.x, m.n * m.T, m.d);
    const double matrix = trop_tokens_norm(trop_case_array(c, "W"), m.d * m.d);
    const double rounding = trop_tokens_allow(64 * d * d * DBL_EPSILON * matrix * tokens * size, 1);

    trop_mm_separable(judge, c);
    trop_judge_at_least(judge, "least lead of the witness", -1, trop_mm_margin(&m, p), 1, rounding);
    trop_judge_at_most(judge, "norm of the solution against the witness", -1,
                       trop_case_number(c, "p_mm_lower"), size,
                       rounding < 1 ? rounding / (1 - rounding) * size : INFINITY);
}

const struct trop_claim trop_mm_lem_2 = {
    .id = "mm-lem-2",
    .title = "a max-margin solution exists",
    .statement =
        "With labels 1, one best token in each input and keys W x of an invertible W, the "
        "max-margin problem for the best tokens has a solution, and p with W'p = v / (least "
        "lead of a score) satisfies its constraints.",
    .status = TROP_CLAIM_PROVED,
    .inputs = "X v W",
    .hypotheses = TROP_HYPOTHESES(
        { "dimension", "at most 16 dimensions, for the elimination", .judge = small },
        { "labels", "every label is 1", .judge = positive_labels, .broken = "label 0 is -1",
          .edit = "y[0] = -1" },
        { "unique-best", "every input has one token of the highest score", .judge = strict_best },
        { "full-rank", "W is invertible, the least pivot above .05", .judge = full_rank,
          .broken = "two rows of W are the same", .edit = "W[0] = W[1]" }),
    .run = { draw, work, conclude },
    .spoils =
        TROP_SPOILS({ "the witness is shorter by 1e-6", NULL, .edit = "witness *= 1 - 1e-6" }),
    .trials = 100,
};
