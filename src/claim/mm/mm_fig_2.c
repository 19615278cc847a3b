/* mm_fig_2.c -- the cone around a locally optimal direction (max-margin paper, figure 2 and
 * equation 32), with numbers.
 *
 * The figure is a sketch. Its numbers for the example of figure 1(b), in closed form: the selected
 * token is (1, 0), p_mm = (1, 0), Theta = 1; its neighbour is (0, 0), at a lead of 1, and (-.1, 1)
 * is behind by 1.1, so that delta = .05; A = sqrt(1.01); Gamma = 1 and gap = .9:
 *
 *   mu = (.05/A)^2 / 8,     R = 20 log(64 * 3 * A / .9).
 */
#include "claim/mm/mm_figures.h"

#include "base/math/cos.h"
#include "base/math/log.h"
#include "base/math/sin.h"
#include "tropism_lab.h"

#include <float.h>
#include <math.h>

static enum trop_status draw(struct trop_case *c)
{
    double *alpha = NULL;
    enum trop_status status = trop_examples_named(c, "mm-fig-1b", 0, 0, 0, TROP_DATASET_SEED);

    status = status == TROP_OK && !trop_case_has(c, "alpha")
                 ? trop_case_make(&alpha, c, "alpha", 1, 0, 0)
                 : status;
    if (alpha) {
        alpha[0] = 1;
    }
    return status;
}

static enum trop_status work(struct trop_case *c)
{
    return trop_mm_solve(c, "alpha", "p_mm");
}

static enum trop_status same_data(struct trop_judge *judge, const struct trop_case *c)
{
    trop_mm_figures_same_data(judge, c, "mm-fig-1b");
    return TROP_OK;
}

static enum trop_status same_token(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_truth(judge, "the second token is selected", -1,
                     trop_case_array(c, "alpha")[0] == 1);
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    { "same-data", "the tokens are those of figure 1(b)", same_data, 0 },
    { "same-token", "the second token is selected", same_token, 0 },
    { 0 },
};

/* Solutions are good to 1e-10 and delta is a difference of two leads. */
static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const double A = sqrt(1.01), share = .05 / A;

    trop_judge_near(judge, "mu", -1, trop_case_number(c, "p_mm_mu"), share * share / 8, 1e-9);
    trop_judge_near(judge, "R", -1, trop_case_number(c, "p_mm_radius"),
                    20 * trop_log(64 * 3 * A / .9), 1e-6);
    return TROP_OK;
}

/* The sector of the cone, which is a hundredth as wide as the one that is drawn dashed to show it.
 */
static enum trop_status picture(struct trop_figure *figure, const struct trop_case *c)
{
    struct trop_panel *panel = trop_figure_panel(figure, 0, 0);
    const double mu = trop_case_number(c, "p_mm_mu"), R = trop_case_number(c, "p_mm_radius");
    const double half = sqrt(mu * (2 - mu)) / (1 - mu); /* tangent of the half angle */
    const double far = 1.6 * R;
    double x[32], y[32];

    for (int k = 0; k < 30; k++) { /* the arc |p| = R */
        const double angle = half * (1 - 2 * k / 29.);
        x[k] = R * trop_cos(angle);
        y[k] = R * trop_sin(angle);
    }
    x[30] = far;
    y[30] = -far * half;
    x[31] = far;
    y[31] = far * half;
    trop_panel_x(panel, "p₁", TROP_SCALE_LINEAR);
    trop_panel_y(panel, "p₂", TROP_SCALE_LINEAR);
    trop_panel_range_x(panel, 0, far);
    trop_panel_range_y(panel, -1.2 * far * half, 1.2 * far * half);
    trop_panel_polygon(panel, x, y, 32, 0, .6, (struct trop_pen){ .width = 1 },
                       "cone: 1 − cos ≤ μ, |p| ≥ R");
    trop_panel_ray(panel, 0, 0, 1, 0,
                   (struct trop_pen){ .colour = TROP_COLOUR_GREY, .width = 2, .dash = 2 },
                   "local max-margin direction");
    trop_panel_line(panel, (double[]){ 0, R }, (double[]){ 0, R * half }, 2,
                    (struct trop_pen){ .colour = TROP_COLOUR_BLACK, .dash = 1 }, NULL);
    trop_panel_line(panel, (double[]){ 0, R }, (double[]){ 0, -R * half }, 2,
                    (struct trop_pen){ .colour = TROP_COLOUR_BLACK, .dash = 1 }, NULL);
    return TROP_OK;
}

static enum trop_status wider(struct trop_case *c)
{
    return trop_case_put(c, "p_mm_mu", trop_case_number(c, "p_mm_mu") * 1.0001);
}

static enum trop_status move_token(struct trop_case *c)
{
    trop_case_array(c, "X")[0] += 1e-6;
    return TROP_OK;
}

static enum trop_status best_token(struct trop_case *c)
{
    trop_case_array(c, "alpha")[0] = 0;
    return TROP_OK;
}

static const struct trop_spoil spoils[] = {
    { "mu is larger by 1e-4 of it", NULL, wider },
    { "a token moved by 1e-6", "same-data", move_token },
    { "the best token is selected", "same-token", best_token },
    { 0 },
};

const struct trop_claim trop_mm_fig_2 = {
    .id = "mm-fig-2",
    .title = "the cone of a local direction",
    .statement = "Around the local max-margin direction (1, 0) of figure 1(b) the cone of equation "
                 "32 has mu = (.05/A)^2/8 and R = 20 log(192 A/.9), A^2 = 1.01.",
    .status = TROP_CLAIM_MEASURED,
    .remark = "The figure is a sketch without numbers; these are of the paper's own formula on its "
              "own example. The axes of ours differ in scale: the cone is 1.4 degrees narrow to "
              "either side and begins at |p| = 107.",
    .old_inputs = trop_mm_inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .old_picture = picture,
    .spoils = spoils,
    .trials = 1,
};
