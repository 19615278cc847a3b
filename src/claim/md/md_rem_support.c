/* md_rem_support.c -- what is locally optimal depends on p (mirror-descent paper, token
 * optimality).
 *
 * Of three tokens in the plane, token 0 = (0, 0) is selected, a = x_0 - x_1 = (1, 1/2) and b = x_0
 * - x_2 = (1.1, .1). With the constraint of a alone W = sgn(a) |a|^(q-1) / |a|_q^q, and
 *
 *   <b, W> = 0.92 < 1 for p = 2,    <b, W> = 1.0727 > 1 for p = 5/4:
 *
 * token 2 supports the solution for p = 2 and not the one for p = 5/4. It scores higher than the
 * selected token, so that the selection is locally optimal for p = 5/4 and not for p = 2. A query z
 * multiplies both constraints alike: |a z'|_q = |a|_q |z|_q. What is drawn are tokens within 2% of
 * these.
 *
 * A constraint is active when its margin is within 1e-6 of 1; it is called inactive at 1 + 1e-3 and
 * above. The margins are recomputed from the solutions, whose gaps, 1e-9, bound their distance from
 * the true ones by 1e-4 (md-rem-unique).
 */
#include "claim/md/md.h"

#include <math.h>

#define USE 72

static void draw_tokens(struct trop_case *c)
{
    static const double tokens[] = { 0, 0, -1, -.5, -1.1, -.1 }, decoder[] = { -1, 5 }, y = 1;
    double *x = trop_case_copy_in(c, "X", tokens, 1, 3, 2);

    for (int64_t k = 0; k < 6; k++) {
        x[k] *= 1 + .02 * (2 * trop_case_uniform(c, USE, k) - 1);
    }
    trop_case_copy_in(c, "v", decoder, 2, 0, 0);
    trop_case_copy_in(c, "y", &y, 1, 0, 0);
    trop_case_zeros(c, "alpha", 1, 0, 0);
}

static void draw(struct trop_case *c)
{
    if (!trop_case_has(c, "X")) {
        draw_tokens(c);
    }
    trop_case_default(c, "p", 2);
    trop_case_default(c, "other_p", 1.25);
    trop_case_try(c, trop_examples_sphere(c, 1, 3, 2, 1));
    trop_md_check(c, 1);
    if (trop_case_size(c, "X", 1) < 3) {
        trop_case_refuse(c, "X: must have three tokens or more for each input");
    }
    trop_md_optimal(c);
}

static void work(struct trop_case *c)
{
    trop_md_solution(c, "W_mm", trop_case_number(c, "p"));
    trop_md_solution(c, "other", trop_case_number(c, "other_p"));
}

/* <b, W> of the solution for the constraint of a alone. */
static double alone(const struct trop_case *c, double p)
{
    const int64_t d = trop_case_size(c, "X", 2);
    const double *x = trop_case_array(c, "X"), q = trop_md_dual(p);
    double above = 0, below = 0;

    for (int64_t k = 0; k < d; k++) {
        const double a = x[k] - x[d + k], b = x[k] - x[2 * d + k];
        above += b * trop_md_signed(a, q - 1);
        below += a * trop_md_signed(a, q - 1);
    }
    return above / below;
}

static void is_example(struct trop_judge *judge, const struct trop_case *c)
{
    const int is_small = trop_case_size(c, "X", 0) == 1 && trop_case_size(c, "X", 1) == 3 &&
                         trop_case_array(c, "alpha")[0] == 0;
    const double p = trop_case_number(c, "p"), other = trop_case_number(c, "other_p");

    trop_judge_truth(judge, "one input of three tokens, the first selected", -1, is_small);
    if (is_small && p > 1 && other > 1 && p != other) {
        trop_judge_at_most(judge, "p: margin of token 2 without its constraint", -1, alone(c, p), 1,
                           1e-3);
        trop_judge_at_least(judge, "other p: the same", -1, alone(c, other), 1, 2e-3);
        trop_judge_at_least(judge, "lead of token 2 over the selected one", -1,
                            trop_md_score(c, 0, 2) - trop_md_score(c, 0, 0), 0, 1e-9);
        trop_judge_at_least(judge, "lead of the selected one over token 1", -1,
                            trop_md_score(c, 0, 0) - trop_md_score(c, 0, 1), 0, 1e-9);
    }
}

/* For input 0: the margin of token t; and whether every active token scores lower than the selected
 * one, -1 when it cannot be decided. */
static double margin_of(const struct trop_case *c, const char *name, int64_t t)
{
    const double *w = trop_case_array(c, name);
    const int64_t selected = (int64_t)trop_case_array(c, "alpha")[0];

    return trop_md_logit(c, w, 0, selected) - trop_md_logit(c, w, 0, t);
}

static int64_t is_local(const struct trop_case *c, const char *name)
{
    const int64_t selected = (int64_t)trop_case_array(c, "alpha")[0];
    int64_t local = 1;

    for (int64_t t = 0; t < trop_case_size(c, "X", 1); t++) {
        const double margin = t == selected ? 2 : margin_of(c, name, t);
        const double gap = trop_md_score(c, 0, selected) - trop_md_score(c, 0, t);
        local = margin <= 1 + 1e-6 && gap <= 0 ? 0 : local;
        local = margin > 1 + 1e-6 && margin < 1 + 1e-3 ? -1 : local; /* cannot be decided */
    }
    return local;
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t first = is_local(c, "W_mm"), second = is_local(c, "other");

    trop_judge_at_most(judge, "p: margin of token 2", -1, margin_of(c, "W_mm", 2), 1, 1e-6);
    trop_judge_at_least(judge, "other p: margin of token 2", -1, margin_of(c, "other", 2), 1 + 1e-3,
                        0);
    trop_judge_truth(judge, "not locally optimal for p", -1, first < 0 ? -1 : !first);
    trop_judge_truth(judge, "locally optimal for the other p", -1, second);
}

const struct trop_claim trop_md_rem_support = {
    .id = "md-rem-support",
    .title = "support tokens depend on p",
    .statement = "Which tokens support a max-margin solution, and with it whether a selection is "
                 "locally optimal, can differ between two exponents on the same data.",
    .status = TROP_CLAIM_PROVED,
    .remark = "By example: tokens (0, 0), (-1, -1/2), (-1.1, -.1), the first selected and the "
              "third scoring higher. It supports the solution for p = 2 and not that for p = 5/4. "
              "Tokens of one's own must be such an example: with the constraint of the second "
              "token alone the third is lost for one exponent only.",
    .inputs = "X y v z p other_p alpha",
    .hypotheses = TROP_HYPOTHESES(
        { "two-exponents", "two exponents above 1 that differ",
          .holds = "both above 1: p > 1 and other_p > 1; they differ: abs(p - other_p) > 0",
          .broken = "both exponents the same", .edit = "other_p = p" },
        { "example", "the third token would be lost for p and not for the other one",
          .judge = is_example, .broken = "both exponents exchanged", .edit = "swap p other_p" },
        { "solved", "both problems have proved solutions",
          .holds = "both are solved: W_mm_outcome == 0 and other_outcome == 0; gap of the norm: "
                   "W_mm_upper / W_mm_lower - 1 <= 1e-6",
          .late = 1, .broken = "the gap of a solution is not proved", .edit = "W_mm_outcome = 2" }),
    .run = { draw, work, conclude },
    .spoils = TROP_SPOILS({ "solutions for p - .7 without token 2 in the place of those for p",
                            NULL, .edit = "work with p -= .7, X[0,2] = X[0,1]" },
                          { "the solution for p in the place of that for the other one", NULL,
                            .edit = "other = W_mm" }),
    .trials = 20,
};
