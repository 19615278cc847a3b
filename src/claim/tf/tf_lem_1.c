/* tf_lem_1.c -- solutions live in the span of the queries (lemma 1).
 *
 * With P the projection on span{z_i}, W P satisfies the same constraints as W. In the Frobenius
 * and the nuclear norm |W|^2 >= |W P|^2 + |W (I - P)|^2 (for the nuclear norm by Bhatia and
 * Kittaneh 1990), and lower <= |W P| since W P is feasible; so a W of norm at most upper has
 *
 *   |W (I - P)| <= sqrt(upper^2 - lower^2),
 *
 * which is 0 for an exact solution, and for ours the square root of the proved gap. Rounding adds
 * 16 d u |W|. The rank is at most n because P has rank n at most; draws have n < d.
 */
#include "claim/tf/tf.h"

#include "claim/tokens.h"

#include <float.h>
#include <math.h>

static void draw(struct trop_case *c)
{
    const int64_t n = 1 + trop_case_pick(c, 41, 0, 3), T = 2 + trop_case_pick(c, 41, 1, 3);

    trop_tf_draw(c, n, T, (n > T - 2 ? n + 1 : T - 1) + trop_case_pick(c, 41, 2, 2));
}

static void work(struct trop_case *c)
{
    trop_tf_solution(c, "W_mm", NULL, "l2");
    trop_tf_solution(c, "W_nuc", NULL, "nuclear");
}

static void solved(struct trop_judge *judge, const struct trop_case *c)
{
    const double outcome = trop_case_number(c, "W_nuc_outcome");

    trop_judge_truth(judge, "the nuclear problem is solved", -1,
                     outcome == TROP_OUTCOME_SOLVED       ? 1
                     : outcome == TROP_OUTCOME_INFEASIBLE ? 0
                                                          : -1);
    trop_tf_is_feasible(judge, c);
}

static void conclude_one(struct trop_judge *judge, const struct trop_case *c, const char *line,
                         const char *name, double lower, double upper)
{
    const struct trop_tf m = trop_tf_of(c);
    const double *w = trop_case_array(c, name);
    double *across = trop_case_scratch(c, m.size);

    trop_tf_across(across, w, c);
    trop_judge_at_most(judge, line, -1, trop_tokens_norm(across, m.size),
                       sqrt(fmax(0, upper * upper - lower * lower)),
                       16 * (double)m.d * DBL_EPSILON * trop_tokens_norm(w, m.size));
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    conclude_one(judge, c, "Frobenius: part of W across the queries", "W_mm",
                 trop_case_number(c, "W_mm_lower"), trop_case_number(c, "W_mm_upper"));
    conclude_one(judge, c, "nuclear: part of W across the queries", "W_nuc",
                 trop_case_number(c, "W_nuc_lower"), trop_case_number(c, "W_nuc_upper"));
}

const struct trop_claim trop_tf_lem_1 = {
    .id = "tf-lem-1",
    .title = "solutions live in the span of the queries",
    .statement = "Every solution W of the max-margin problem, in the Frobenius and in the nuclear "
                 "norm, has its rows in the span of the queries z_i, hence a rank of at most n.",
    .status = TROP_CLAIM_PROVED,
    .remark = "Of the solution that the solver returns; the part across the queries is compared "
              "with the square root of its proved gap.",
    .inputs = "X y v z",
    .hypotheses =
        TROP_HYPOTHESES({ "feasible", "some W selects the best tokens", .judge = solved, .late = 1,
                          .broken = "a token equals the best one of its input" }),
    .run = { draw, work, conclude },
    .spoils = TROP_SPOILS(
        { "1e-3 of the norm is added to the Frobenius solution across the queries", NULL },
        { "1e-3 of the norm is added to the nuclear solution across the queries", NULL }),
    .trials = 50,
};
