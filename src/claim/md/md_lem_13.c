/* md_lem_13.c -- the divergence bounds the distance (mirror-descent paper, lemma 13).
 *
 *   1 < p <= 2, |A|_p, |B|_p <= 1:   D_psi(A, B) >= (p - 1)/2 |A - B|_F^2
 *   p >= 2:                          D_psi(A, B) >= c_p |A - B|_p^p,
 *   c_p = inf over y of |y + 1|^p/p - |y|^p/p - sgn(y) |y|^(p-1)
 *
 * The first because psi'' = (p - 1) |w|^(p-2) >= p - 1 where |w| <= 1; the second term by term,
 * since d(a, b) = |a - b|^p d(y + 1, y) with y = b/(a - b). It is attained by A = (y + 1) s, B = y
 * s with the y of the infimum, which is what trial 0 draws: a constant that is too large by 1e-6 is
 * seen. The constant in the case is what is judged; the divergence is summed from its definition,
 * with an error of 8 u (|A|_p^p + |B|_p^p) in its terms. A term is at most 3 times these sizes,
 * since |b|^(p-1) |a - b| <= |a|^p + 2 |b|^p (Young), so that n additions lose 3 n u of them; those
 * of the distance lose no more of a side that is smaller.
 */
#include "claim/md/md.h"

#include "base/math/pow.h"

#include <float.h>
#include <math.h>

#define USE 52
#define ENTRIES 6

/* The y of the infimum, by bisection of f'(t) = -(1-t)^(p-1) - t^(p-1) + (p-1) t^(p-2), t = -y. */
static double extremal(double p)
{
    double low = 0, high = .5;

    for (int64_t k = 0; k < 60; k++) {
        const double t = (low + high) / 2;
        const double slope =
            (p - 1) * trop_pow(t, p - 2) - trop_pow(1 - t, p - 1) - trop_pow(t, p - 1);
        *(slope < 0 ? &low : &high) = t;
    }
    return -(low + high) / 2;
}

static void draw_pair(struct trop_case *c, double p)
{
    const double y = p > 2 ? extremal(p) : 1;
    const double near = c->trial % 2 ? 1 : 1e-3; /* apart, or close to each other */
    double *a = trop_case_zeros(c, "A", 2, ENTRIES / 2, 0);
    double *b = trop_case_zeros(c, "B", 2, ENTRIES / 2, 0);

    for (int64_t k = 0; p > 1 && k < ENTRIES; k++) {
        const double s = .1 + .2 * trop_case_uniform(c, USE, k);
        const double normal = trop_case_normal(c, USE + 1, k);
        a[k] = c->trial == 0 ? (1 + y) * s : normal;
        b[k] = c->trial == 0 ? y * s : normal + near * trop_case_normal(c, USE + 2, k);
    }
    const double size =
        p > 1 ? 1.0001 * fmax(trop_md_norm(a, ENTRIES, p), trop_md_norm(b, ENTRIES, p)) : 1;
    for (int64_t k = 0; k < ENTRIES; k++) {
        a[k] /= size;
        b[k] /= size;
    }
}

static void draw(struct trop_case *c)
{
    static const double exponents[] = { 3, 1.5, 2, 4, 1.1, 2.5, 1.75, 6 };

    trop_case_default(c, "p", exponents[c->trial % 8]);
    trop_md_check_matrix(c, "A", 0, 0);
    trop_md_check_matrix(c, "B", trop_case_size(c, "A", 0), trop_case_size(c, "A", 1));
    if (trop_case_has(c, "A") != trop_case_has(c, "B")) {
        trop_case_refuse(c, "A, B: must be given both, or none");
    }
    if (!trop_case_has(c, "A")) {
        draw_pair(c, trop_case_number(c, "p"));
    }
}

static void work(struct trop_case *c)
{
    const double p = trop_case_number(c, "p");

    trop_case_put(c, "constant", p > 2 ? trop_md_constant(p) : (p - 1) / 2);
}

static void is_unit(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view a = trop_case_view(c, "A");
    const double p = trop_case_number(c, "p");

    if (!(p > 1)) { /* another hypothesis reports it */
        trop_judge_truth(judge, "no norm", -1, 1);
        return;
    }
    trop_judge_at_most(judge, "|A|_p", -1, trop_md_norm(a.at, a.rows * a.columns, p), 1, 1e-12);
    trop_judge_at_most(judge, "|B|_p", -1,
                       trop_md_norm(trop_case_array(c, "B"), a.rows * a.columns, p), 1, 1e-12);
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view view = trop_case_view(c, "A");
    const double *a = view.at, *b = trop_case_array(c, "B");
    const double p = trop_case_number(c, "p"), constant = trop_case_number(c, "constant");
    const double power = p > 2 ? p : 2;
    const int64_t n = view.rows * view.columns;
    double distance = 0, sizes = 0;

    for (int64_t k = 0; k < n; k++) {
        distance += a[k] == b[k] ? 0 : trop_pow(fabs(a[k] - b[k]), power);
        sizes += trop_pow(fabs(a[k]), p) + trop_pow(fabs(b[k]), p);
    }
    trop_judge_at_least(judge, "divergence", -1, trop_md_divergence(a, b, n, p),
                        constant * distance, (8 + 3 * (double)n) * DBL_EPSILON * sizes);
    /* The infimum is never below the constant 1/(p 2^p), which is simpler. */
    trop_judge_at_least(judge, "constant", -1, constant, p > 2 ? trop_pow(2, -p) / p : (p - 1) / 2,
                        4 * DBL_EPSILON);
}

const struct trop_claim trop_md_lem_13 = {
    .id = "md-lem-13",
    .title = "the Bregman divergence bounds a distance",
    .statement = "At norms of at most 1, D_psi(A, B) is at least (p - 1)/2 |A - B|_F^2 for 1 < p "
                 "<= 2, and at least c_p |A - B|_p^p for p >= 2.",
    .status = TROP_CLAIM_PROVED,
    .remark = "The paper's constants are not at hand; these are the largest that hold: c_p is the "
              "infimum over y of |y + 1|^p/p - |y|^p/p - sgn(y) |y|^(p-1), and for p >= 2 no "
              "bound on the norms is needed.",
    .inputs = "A B p",
    .hypotheses =
        TROP_HYPOTHESES(TROP_MD_EXPONENT, { "unit", "both norms are at most 1", .judge = is_unit,
                                            .broken = "A three times as large", .edit = "A *= 3" }),
    .run = { draw, work, conclude },
    .spoils = TROP_SPOILS({ "c_p larger by 1e-6 of it, on the pair that attains it", NULL,
                            .edit = "constant *= 1+1e-6" }),
    .trials = 200,
};
