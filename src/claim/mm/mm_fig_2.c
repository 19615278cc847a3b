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

#include <math.h>

static void draw(struct trop_case *c)
{
    trop_mm_figures_draw(c, "mm-fig-1b", NULL, 0, 0);
    if (!trop_case_has(c, "alpha")) {
        trop_case_zeros(c, "alpha", 1, 0, 0)[0] = 1;
    }
}

static void work(struct trop_case *c)
{
    trop_mm_figures_solve(c, "p_mm", "alpha");
}

static void same_token(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_truth(judge, "the second token is selected", -1,
                     trop_case_array(c, "alpha")[0] == 1);
}

static const struct trop_hypothesis hypotheses[] = {
    TROP_MM_FIGURES_DATA("the tokens are those of figure 1(b)"),
    { "same-token", "the second token is selected", .judge = same_token,
      .broken = "the best token is selected", .edit = "alpha = 0" },
    { 0 },
};

/* Solutions are good to 1e-10 and delta is a difference of two leads. */
static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const double A = sqrt(1.01), share = .05 / A;

    trop_judge_near(judge, "mu", -1, trop_case_number(c, "p_mm_mu"), share * share / 8, 1e-9);
    trop_judge_near(judge, "R", -1, trop_case_number(c, "p_mm_radius"),
                    20 * trop_log(64 * 3 * A / .9), 1e-6);
}

/* The sector of the cone, which is a hundredth as wide as the one that is drawn dashed to show it.
 */
static void picture(struct trop_figure *figure, const struct trop_case *c)
{
    struct trop_panel *panel = trop_figure_axes(figure, 0, 0, NULL, "p₁", "p₂");
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
}

static const struct trop_spoil spoils[] = {
    { "mu is larger by 1e-4 of it", .edit = "p_mm_mu *= 1.0001" },
    { 0 },
};

const struct trop_claim trop_mm_fig_2 = {
    .id = "mm-fig-2",
    .title = "the cone of a local direction",
    .statement = "Around the local max-margin direction (1, 0) of figure 1(b) the cone of equation "
                 "32 has mu = (.05/A)^2/8 and R = 20 log(192 A/.9), A^2 = 1.01.",
    .status = TROP_CLAIM_MEASURED,
    .source = TROP_CLAIM_DERIVED,
    .remark = "The figure is a sketch without numbers; these are of the paper's own formula on its "
              "own example. The axes of ours differ in scale: the cone is 1.4 degrees narrow to "
              "either side and begins at |p| = 107.",
    .inputs = "X y v K",
    .hypotheses = hypotheses,
    .run = { draw, work, conclude, picture },
    .spoils = spoils,
    .trials = 1,
};
