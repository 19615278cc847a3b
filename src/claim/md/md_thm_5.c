/* md_thm_5.c -- the joint regularisation path (mirror-descent paper, theorem 5).
 *
 *   (v(r), W(R)) = argmin {L(W, v) : |v|_p <= r, |W|_p <= R},
 *   v(r)/r -> v_mm/|v_mm|_p,   W(R)/R -> W_mm/|W_mm|_p
 *
 * with v_mm the lp solution of the label problem y_i x_{i alpha_i}' v >= 1 and W_mm the lp
 * max-margin solution for alpha. The hypothesis is that attention to other tokens shrinks the label
 * margin in proportion: to first order it does when every input supports the label problem and
 * every other token has y_i x_it' v_mm < 1, which is what is judged.
 *
 * Read on r = R = 10, 100, 1000, on random unit tokens and queries of two or three inputs in two to
 * four dimensions: both divergences fall by half at least from 100 to 1000, to 1e-3 at most, W
 * separates the selected tokens, and v the labels. Of 158 drawn instances the largest share is .35,
 * the largest D 6e-5; where alpha is the best selection another token has a lower label margin by
 * itself, since v_mm would else be feasible for that selection too. The path is stationary to
 * 1e-10; divergences below 1e-9 are not compared.
 */
#include "claim/md/md.h"

#include "claim/tokens.h"

#define USE 84

/* Two or three inputs, in as many dimensions or one more. */
static void draw(struct trop_case *c)
{
    static const double exponents[] = { 1.75, 2, 3 };
    const int64_t n = 2 + trop_case_pick(c, USE, 0, 2);

    trop_case_default(c, "p", exponents[c->trial % 3]);
    trop_case_try(c, trop_examples_sphere(c, n, 3, n + trop_case_pick(c, USE, 1, 2), 1));
    trop_case_drop(c, "v");
    trop_md_check(c, 0);
}

static void work(struct trop_case *c)
{
    trop_md_radii(c, "model=joint p=@p radius=10,100,1000");
    trop_md_select(c, "path_alpha");
    trop_md_solution(c, "W_mm", trop_case_number(c, "p"));
    trop_case_solve(c, "v_mm", "lower upper outcome", "model=label norm=lp p=@p select=@alpha");
}

static double label_of(const struct trop_case *c, const double *v, int64_t i, int64_t t)
{
    const struct trop_view x = trop_case_view(c, "X");

    return trop_case_array(c, "y")[i] *
           trop_tokens_dot(x.at + (i * x.columns + t) * x.depth, v, x.depth);
}

static void is_shrinking(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view x = trop_case_view(c, "X");
    const double *v = trop_case_array(c, "v_mm"), *alpha = trop_case_array(c, "alpha");

    trop_judge_truth(judge, "the label problem is solved", -1,
                     trop_case_integer(c, "v_mm_outcome") == TROP_OUTCOME_SOLVED);
    for (int64_t i = 0; i < x.rows; i++) {
        trop_judge_at_most(judge, "label margin of a selected token", -1,
                           label_of(c, v, i, (int64_t)alpha[i]), 1 + 1e-6, 0);
        for (int64_t t = 0; t < x.columns; t++) {
            if (t != (int64_t)alpha[i]) {
                trop_judge_at_most(judge, "label margin of another token", -1, label_of(c, v, i, t),
                                   1 - 1e-3, 0);
            }
        }
    }
}

/* The divergence of part (size) of the weights at a row, which begin at first. */
static double divergence_at(const struct trop_case *c, int64_t row, int64_t first, int64_t size,
                            const char *solution)
{
    return trop_md_direction(trop_case_array(c, solution),
                             trop_case_view_row(trop_case_view(c, "path"), row) + first, size,
                             trop_case_number(c, "p"));
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    static const char *const solutions[] = { "W_mm", "v_mm" };
    static const char *const names[] = { "D of W against half that at a tenth of the radius",
                                         "D of v against half that at a tenth of the radius" };
    static const char *const ends[] = { "D of W at the last radius", "D of v at the last radius" };
    const struct trop_view path = trop_case_view(c, "path");
    const int64_t d = trop_case_size(c, "X", 2), rows = path.rows;
    const double *radius = trop_case_array(c, "radius"), *alpha = trop_case_array(c, "alpha");
    const double *last = trop_case_view_row(path, -1);

    for (int64_t k = 0; k < 2; k++) {
        const int64_t first = k ? d * d : 0, size = k ? d : d * d;
        const double end = divergence_at(c, rows - 1, first, size, solutions[k]);
        trop_judge_at_most(judge, names[k], (int64_t)radius[rows - 1], end,
                           divergence_at(c, rows - 2, first, size, solutions[k]) / 2, 1e-9);
        trop_judge_at_most(judge, ends[k], (int64_t)radius[rows - 1], end, 1e-3, 0);
    }
    for (int64_t i = 0; i < trop_case_size(c, "X", 0); i++) {
        trop_judge_at_least(judge, "label margin of v", -1,
                            label_of(c, last + d * d, i, (int64_t)alpha[i]), 0, 0);
    }
    trop_judge_at_least(judge, "least margin of W", -1, trop_md_least(c, last, alpha), 0, 0);
}

const struct trop_claim trop_md_thm_5 = {
    .id = "md-thm-5",
    .title = "the joint lp regularisation path",
    .statement = "When attention to other tokens shrinks the label margin in proportion, the joint "
                 "regularisation path of decoder and attention goes to the lp solutions of the "
                 "label problem and of the token problem.",
    .status = TROP_CLAIM_PROVED,
    .remark = "Read on r = R = 10, 100, 1000 and random tokens: both divergences fall by half at "
              "least from 100 to 1000, to at most 1e-3. The hypothesis is judged to first order: "
              "every input supports the label problem and other tokens have lower label margins.",
    .inputs = "X y v z p",
    .hypotheses = TROP_HYPOTHESES(
        TROP_MD_EXPONENT, TROP_MD_SOLVED,
        { "far", "the last radius is 30 times the norm of the solution, or more",
          .holds = "last radius over |W_mm|_p: radius[-1] / W_mm_upper >= 30", .late = 1,
          .broken = "a solution 100 times as long",
          .edit = "W_mm_upper *= 100; W_mm_lower *= 100" },
        { "margin-shrinks", "all inputs support the label problem, and other tokens score lower",
          .judge = is_shrinking, .late = 1, .broken = "label margins of 2", .edit = "v_mm *= 2" }),
    .run = { draw, work, conclude },
    .spoils = TROP_SPOILS({ "an entry of v at the last radius moved by 1% of the radius", NULL,
                            .edit = "path[-1,-2] += 10" },
                          { "the path of p + 1 in the place of that of p", NULL }),
    .asymptotic = 1,
    .trials = 9,
};
