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

#include "base/status.h"

#include <math.h>
#include <string.h>

#define USE 72

static enum trop_status draw_tokens(struct trop_case *c)
{
    static const double tokens[] = { 0, 0, -1, -.5, -1.1, -.1 };
    double *x = NULL, *v = NULL, *y = NULL, *alpha = NULL;
    enum trop_status status = trop_case_make(&x, c, "X", 1, 3, 2);

    if (status == TROP_OK) {
        for (int64_t k = 0; k < 6; k++) {
            x[k] = tokens[k] * (1 + .02 * (2 * trop_case_uniform(c, USE, k) - 1));
        }
        status = trop_case_make(&v, c, "v", 2, 0, 0);
    }
    if (status == TROP_OK) {
        v[0] = -1;
        v[1] = 5;
        status = trop_case_make(&y, c, "y", 1, 0, 0);
    }
    if (status == TROP_OK) {
        y[0] = 1;
        status = trop_case_make(&alpha, c, "alpha", 1, 0, 0);
    }
    return status;
}

static enum trop_status draw(struct trop_case *c)
{
    enum trop_status status = trop_case_has(c, "X") ? TROP_OK : draw_tokens(c);

    if (status == TROP_OK) {
        status = trop_case_default(c, "p", 2);
    }
    if (status == TROP_OK) {
        status = trop_case_default(c, "other_p", 1.25);
    }
    if (status == TROP_OK) {
        status = trop_examples_sphere(c, 1, 3, 2, 1);
    }
    if (status == TROP_OK) {
        status = trop_md_check(c, 1);
    }
    if (status == TROP_OK && trop_case_size(c, "X", 1) < 3) {
        status = trop_fail(TROP_ERR_ARG, "X: must have three tokens or more for each input");
    }
    return status == TROP_OK ? trop_md_optimal(c) : status;
}

static enum trop_status work(struct trop_case *c)
{
    const enum trop_status status =
        trop_md_solve(c, trop_case_number(c, "p"), TROP_MODEL_CROSS, "W_mm");

    return status == TROP_OK
               ? trop_md_solve(c, trop_case_number(c, "other_p"), TROP_MODEL_CROSS, "other")
               : status;
}

static enum trop_status is_solved(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_truth(judge, "the problem for the other p is solved", -1,
                     trop_case_integer(c, "other_outcome") == TROP_OUTCOME_SOLVED);
    return trop_md_is_solved(judge, c);
}

static enum trop_status is_different(struct trop_judge *judge, const struct trop_case *c)
{
    const double p = trop_case_number(c, "p"), other = trop_case_number(c, "other_p");

    trop_judge_truth(judge, "both exponents are above 1", -1, p > 1 && other > 1);
    trop_judge_truth(judge, "they differ", -1, p != other);
    return TROP_OK;
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

static enum trop_status is_example(struct trop_judge *judge, const struct trop_case *c)
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
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    { "two-exponents", "two exponents above 1 that differ", is_different, 0 },
    { "example", "the third token would be lost for p and not for the other one", is_example, 0 },
    { "solved", "both problems have proved solutions", is_solved, 1 },
    { 0 },
};

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

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t first = is_local(c, "W_mm"), second = is_local(c, "other");

    trop_judge_at_most(judge, "p: margin of token 2", -1, margin_of(c, "W_mm", 2), 1, 1e-6);
    trop_judge_at_least(judge, "other p: margin of token 2", -1, margin_of(c, "other", 2), 1 + 1e-3,
                        0);
    trop_judge_truth(judge, "not locally optimal for p", -1, first < 0 ? -1 : !first);
    trop_judge_truth(judge, "locally optimal for the other p", -1, second);
    return TROP_OK;
}

/* The solution of the problem without token 2. */
static enum trop_status drop_constraint(struct trop_case *c)
{
    struct trop_case *copy = NULL;
    enum trop_status status = trop_case_copy(&copy, c);

    if (status == TROP_OK) {
        double *x = trop_case_array(copy, "X");
        memcpy(x + 4, x + 2, 2 * sizeof *x);
        status = trop_md_solve(copy, trop_case_number(c, "p") - .7, TROP_MODEL_CROSS, "W_mm");
    }
    if (status == TROP_OK) {
        memcpy(trop_case_array(c, "W_mm"), trop_case_array(copy, "W_mm"), 4 * sizeof(double));
    }
    trop_case_free(copy);
    return status;
}

static enum trop_status same(struct trop_case *c)
{
    return trop_case_put(c, "other_p", trop_case_number(c, "p"));
}

static enum trop_status exchange(struct trop_case *c)
{
    const double p = trop_case_number(c, "p"), other = trop_case_number(c, "other_p");
    const enum trop_status status = trop_case_put(c, "p", other);

    return status == TROP_OK ? trop_case_put(c, "other_p", p) : status;
}

static enum trop_status swap(struct trop_case *c)
{
    memcpy(trop_case_array(c, "other"), trop_case_array(c, "W_mm"), 4 * sizeof(double));
    return TROP_OK;
}

static const struct trop_spoil spoils[] = {
    { "the solution for p - .7 without token 2 in the place of that for p", NULL, drop_constraint },
    { "the solution for p in the place of that for the other one", NULL, swap },
    { "both exponents the same", "two-exponents", same },
    { "both exponents exchanged", "example", exchange },
    { "the gap of a solution is not proved", "solved", trop_md_spoil_solved },
    { 0 },
};

static const struct trop_input inputs[] = {
    TROP_MD_INPUTS,
    { "other_p", "", "a second exponent" },
    { "alpha", "(1)", "the token that is selected" },
    { 0 },
};

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
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 20,
};
