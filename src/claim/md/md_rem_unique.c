/* md_rem_unique.c -- the max-margin solution is unique (mirror-descent paper, lp-AttSVM).
 *
 * |.|_p^p is strictly convex for 1 < p < infinity, and quantitatively so: if A W >= 1 and A W' >= 1
 * and both norms are at most (1 + g) N with N the least norm, their mean is feasible and has a norm
 * of at least N, so that
 *
 *   p >= 2 (Clarkson):             |(W - W')/2|_p^p <= N^p ((1 + g)^p - 1),
 *   p <= 2 (Ball, Carlen, Lieb):   (p - 1) |(W - W')/2|_p^2 <= N^2 ((1 + g)^2 - 1).
 *
 * Two answers of the solver are compared: of the problem as it is, and of the one whose tokens
 * stand in reverse order and whose coordinates have changed places and signs, turned back. With
 * gaps near 1e-12 the bound is near 1e-6 (p <= 2) and 1e-4 (p = 3). The gaps are those of the
 * solver's proofs, and both answers are feasible to 1e-12, which is added to g.
 */
#include "claim/md/md.h"

#include "base/math/pow.h"

#include <math.h>

static void draw(struct trop_case *c)
{
    trop_md_draw(c, 3, 4, 4);
}

/* Coordinate a of the tokens and queries becomes coordinate d - 1 - a, with its sign changed. */
static void turn_data(struct trop_case *out, const struct trop_case *c)
{
    const struct trop_view x = trop_case_view(c, "X"), z = trop_case_view(c, "z");
    const int64_t T = x.columns, d = x.depth;

    for (int64_t i = 0; i < x.rows; i++) {
        double *turned = trop_case_view_row(trop_case_view(out, "X"), i);
        for (int64_t k = 0; k < T * d; k++) {
            turned[T * d - 1 - k] = -trop_case_view_row(x, i)[k];
        }
        for (int64_t a = 0; a < d; a++) {
            trop_case_array(out, "z")[i * d + d - 1 - a] = trop_case_view_row(z, i)[a];
        }
        trop_case_array(out, "alpha")[i] = (double)(T - 1) - trop_case_array(c, "alpha")[i];
    }
}

static void work(struct trop_case *c)
{
    const double p = trop_case_number(c, "p");
    const int64_t d = trop_case_size(c, "X", 2);
    struct trop_case *turned = trop_case_aside(c);

    trop_md_solution(c, "W_mm", p);
    turn_data(turned, c);
    trop_md_solution(turned, "W", p);
    double *again = trop_case_zeros(c, "again", d, d, 0);
    for (int64_t k = 0; k < d * d; k++) {
        again[k] = -trop_case_array(turned, "W")[d * d - 1 - k];
    }
}

static void is_feasible(struct trop_judge *judge, const struct trop_case *c)
{
    const double *alpha = trop_case_array(c, "alpha");

    trop_judge_at_least(judge, "least margin of the first", -1,
                        trop_md_least(c, trop_case_array(c, "W_mm"), alpha), 1 - 1e-12, 0);
    trop_judge_at_least(judge, "least margin of the second", -1,
                        trop_md_least(c, trop_case_array(c, "again"), alpha), 1 - 1e-12, 0);
}

/* Largest |W - W'|_p of two answers with relative gap g. */
static double bound_of(double norm, double g, double p)
{
    const double power = p >= 2 ? p : 2, factor = p >= 2 ? 1 : p - 1;

    return 2 * norm * trop_pow((trop_pow(1 + g, power) - 1) / factor, 1 / power);
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const double *w = trop_case_array(c, "W_mm"), *again = trop_case_array(c, "again");
    const double p = trop_case_number(c, "p"), least = trop_case_number(c, "W_mm_lower");
    const int64_t n = trop_case_size(c, "X", 2) * trop_case_size(c, "X", 2);
    double *apart = trop_case_scratch(c, n);

    for (int64_t k = 0; k < n; k++) {
        apart[k] = w[k] - again[k];
    }
    const double upper = fmax(trop_md_norm(w, n, p), trop_md_norm(again, n, p));
    const double g = fmax(0, upper / least - 1) + 2e-12;
    trop_judge_at_most(judge, "norm of an answer against the least", -1, upper / least, 1 + 1e-6,
                       0);
    trop_judge_at_most(judge, "distance of two answers", -1, trop_md_norm(apart, n, p),
                       bound_of(least, g, p), 0);
}

const struct trop_claim trop_md_rem_unique = {
    .id = "md-rem-unique",
    .title = "the lp max-margin solution is unique",
    .statement = "For 1 < p < infinity a feasible max-margin problem has one solution, and two "
                 "feasible points near the least norm are near each other.",
    .status = TROP_CLAIM_PROVED,
    .remark = "Judged by the inequalities of uniform convexity on two answers of the solver, the "
              "second for tokens in reverse order and coordinates with places and signs changed.",
    .inputs = "X y v z p",
    .hypotheses = TROP_HYPOTHESES(
        TROP_MD_EXPONENT, TROP_MD_UNIQUE, TROP_MD_SOLVED,
        { "feasible", "both answers satisfy the constraints", .judge = is_feasible, .late = 1,
          .broken = "the second answer shorter by 1e-3", .edit = "again *= .999" }),
    .run = { draw, work, conclude },
    .spoils = TROP_SPOILS(/* It is feasible; it is farther away than the gap allows only because it
                           * is longer, which the first line sees. */
                          { "the second answer longer by 1e-3", NULL, .edit = "again *= 1.001" },
                          { "the solution of p + 1/4 in its place", NULL }), /* feasible too */
    .trials = 40,
};
