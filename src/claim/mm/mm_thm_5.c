/* mm_thm_5.c -- the joint regularisation path (max-margin paper, theorem 5).
 *
 *   (v, p)(r, R) = argmin of L over |v| <= r, |p| <= R,   logistic loss
 *
 * Assumption C: with label margin G of the selected tokens x_a there is nu > 0 such that the label
 * margin of the attended tokens is at most G - nu max_i(1 - s_ia), for every p. The paper's
 * example, drawn here: x_ia = y_i a, and |x_it| <= |a| - nu for the others; then v_mm = a/|a|^2, G
 * = |a|. Keys are apart from the tokens. Judged by the bound of mm_joint.c without slack, where w =
 * p_mm however r and R grow.
 */
#include "claim/mm/mm.h"

#include <string.h>

static void draw(struct trop_case *c)
{
    trop_mm_joint_draw(c, 0);
}

static void work(struct trop_case *c)
{
    trop_mm_solve(c);
    if (trop_case_number(c, "p_mm_outcome") != TROP_OUTCOME_SOLVED) {
        return;
    }
    trop_mm_joint_radii(c);
    const struct trop_view p = trop_case_view(c, "p_mm");
    const int64_t rows = trop_case_size(c, "radius", 0);
    double *w = trop_case_zeros(c, "w", rows, p.rows, 0);
    for (int64_t row = 0; row < rows; row++) {
        memcpy(w + row * p.rows, p.at, (size_t)p.rows * sizeof *w);
    }
    trop_mm_joint_run(c);
}

/* Every input supports the label problem. */
static void no_slack(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);

    for (int64_t i = 0; i < m.n; i++) {
        trop_judge_truth(judge, "there is no label slack", i,
                         trop_mm_joint_length(&m, i) <= trop_mm_joint_least(&m) * (1 + 1e-14));
    }
}

const struct trop_claim trop_mm_thm_5 = {
    .id = "mm-thm-5",
    .title = "the joint path tends to both max margins",
    .statement = "Where mixing tokens costs label margin in proportion to the attention that is "
                 "mixed in, minimisers over |v| <= r, |p| <= R tend in direction to the label "
                 "solution v_mm and the attention solution p_mm as r and R grow.",
    .status = TROP_CLAIM_PROVED,
    .remark =
        "On the paper's example of its assumption C. r = ratio R^q, q = 2, 1, 1/2, or r = ratio "
        "e^(R/|p_mm|), in turn. Read with a bound of ours on the attention that is not "
        "selected, and what follows: 1 - cos(p, p_mm) <= B |p_mm|/R, B of order log r.",
    .inputs = "X y K exponent ratio",
    .hypotheses = TROP_HYPOTHESES(
        TROP_MM_ALIGNED,
        { "no-slack", "selected tokens are of one length", .judge = no_slack,
          .broken = "that of input 0 is longer by a tenth", .edit = "X[0,0] *= 1.1" },
        TROP_MM_SEPARABLE("the selection has a max-margin solution"), TROP_MM_MINIMISER),
    .run = { draw, work, trop_mm_joint_conclude },
    .spoils =
        TROP_SPOILS({ "p of the last radius is turned by .5 in its first two coordinates", NULL,
                      .edit = "path[-1,0] -= .5 * path[-1,1]; path[-1,1] += .5 * path[-1,0]" },
                    { "p of the last radius is shorter by 5%", NULL }),
    .trials = 20,
};
