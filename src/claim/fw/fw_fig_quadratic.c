/* fw_fig_quadratic.c -- the energy J(x) = <x, x>/2 over the hull of random points of the circle.
 *
 * Three figures, k = 5, 7 and 10 points with numpy's default_rng(42), B = I and c = 1. J is convex,
 * so its maximum over K is at the vertices, 1/2 at all of them, and its minimum is half the squared
 * distance from 0 to K. A grid over K sees these within its spacing h: a point of K is within h of
 * a grid point of K unless K is thinner than that, and |grad J| <= 1 there.
 */
#include "claim/fw/fw_figures.h"

#include "base/math/cos.h"
#include "base/math/sin.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#define PI 3.14159265358979323846
#define SETS 3
#define MOST 10

static const int64_t sizes[SETS] = { 5, 7, 10 };
static const char *const names[SETS] = { "J5", "J7", "J10" };

/* "points" (SETS, MOST, 2). */
static void draw(struct trop_case *c)
{
    trop_tokens_count(c, "grid", (double)trop_sample_effort(c, 40, 200, 500), 1, 1e6);
    trop_sample_shape(c, "points", SETS, MOST, 2);
    double *points = trop_case_absent(c, "points", SETS, MOST, 2);
    for (int64_t s = 0; s < SETS && points; s++) {
        trop_fw_figures_points(points + s * MOST * 2, c, sizes[s], 0, 0);
    }
}

/* J5, J7 and J10 (grid, grid): J in the middle of the cells of a grid over [-1, 1]^2, NaN outside
 * K; "outlines" (SETS, MOST, 2) and "distances" (SETS) of K and of 0 from it. */
static void work(struct trop_case *c)
{
    const struct trop_view points = trop_case_view(c, "points");
    const int64_t grid = trop_case_integer(c, "grid");
    double *outlines = trop_case_zeros(c, "outlines", SETS, MOST, 2);
    double *distances = trop_case_zeros(c, "distances", SETS, 0, 0);

    for (int64_t s = 0; s < SETS; s++) {
        const double origin[] = { 0, 0 }, *x = trop_case_view_row(points, s);
        double *outline = outlines + s * MOST * 2;
        distances[s] = trop_case_place(c, trop_case_hull(c, x, sizes[s], 2), origin).distance;
        const int64_t corners = trop_fw_figures_outline(outline, c, x, sizes[s]);
        double *values = trop_case_zeros(c, names[s], grid, grid, 0);
        for (int64_t k = 0; k < grid * grid; k++) {
            const double z[] = { -1 + (2 * (double)(k % grid) + 1) / (double)grid,
                                 -1 + (2 * (double)(k / grid) + 1) / (double)grid };
            values[k] = trop_fw_figures_depth(outline, corners, z) >= 0
                            ? (z[0] * z[0] + z[1] * z[1]) / 2
                            : NAN;
        }
    }
}

/* ---- lines ---- */

static void conclude_set(struct trop_judge *judge, const struct trop_case *c, int64_t s)
{
    const double *x = trop_case_view_row(trop_case_view(c, "points"), s);
    const double *values = trop_case_array(c, names[s]);
    const int64_t grid = trop_case_integer(c, "grid"), n = sizes[s];
    const double distance = trop_case_array(c, "distances")[s], h = 2 * sqrt(2.) / (double)grid;
    double least = INFINITY, largest = 0, off = .5; /* off: the J that differs most from 1/2 */

    for (int64_t i = 0; i < n; i++) {
        const double energy = (x[2 * i] * x[2 * i] + x[2 * i + 1] * x[2 * i + 1]) / 2;
        off = fabs(energy - .5) > fabs(off - .5) ? energy : off;
    }
    for (int64_t k = 0; k < grid * grid; k++) {
        least = fmin(least, values[k]);
        largest = fmax(largest, isnan(values[k]) ? 0 : values[k]);
    }
    trop_judge_compare(judge, off, .5, 4 * DBL_EPSILON, "k %lld: J of the points", (long long)n);
    trop_judge_compare(judge, least, distance * distance / 2, h * (distance + h),
                       "k %lld: least J on the grid", (long long)n);
    trop_judge_at_most(judge, trop_judge_name(judge, "k %lld: largest J on the grid", (long long)n),
                       -1, largest, .5, 0);
}

/* The first two numbers of numpy.random.default_rng(42), as numpy prints them, are the angles of
 * the first two points over 2 pi. */
static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    static const double numbers[] = { .7739560485559633, .4388784397520523 };
    const double *x = trop_case_array(c, "points");

    for (int64_t k = 0; k < 2; k++) {
        const double angle = 2 * PI * numbers[k];
        trop_judge_near(judge, "x of a point by numpy's stream", -1, x[2 * k], trop_cos(angle),
                        4 * DBL_EPSILON);
        trop_judge_near(judge, "y of a point by numpy's stream", -1, x[2 * k + 1], trop_sin(angle),
                        4 * DBL_EPSILON);
    }
    for (int64_t s = 0; s < SETS; s++) {
        conclude_set(judge, c, s);
    }
}

/* ---- the picture ---- */

static void picture(struct trop_figure *figure, const struct trop_case *c)
{
    const int64_t grid = trop_case_integer(c, "grid");
    char title[32];

    trop_figure_grid(figure, 1, SETS);
    for (int64_t s = 0; s < SETS; s++) {
        const double *outline = trop_case_view_row(trop_case_view(c, "outlines"), s);
        const double *values = trop_case_array(c, names[s]);
        double x[MOST], y[MOST];
        snprintf(title, sizeof title, "k = %lld", (long long)sizes[s]);
        struct trop_panel *panel = trop_fw_figures_plane(figure, 0, s, title);
        trop_fw_figures_part(x, y, outline, sizes[s]);
        trop_panel_clip(panel, x, y, sizes[s]);
        trop_panel_image(panel, values, grid, grid, -1, 1, -1, 1, 0, .5, s == 2 ? "J(x)" : NULL);
        trop_panel_contours(panel, values, grid, grid, -1, 1, -1, 1, 8,
                            (struct trop_pen){ .colour = TROP_COLOUR_WHITE, .width = .5 });
        trop_panel_clip(panel, NULL, NULL, 0);
        trop_fw_figures_fill(panel, outline, sizes[s], TROP_COLOUR_NONE, 0, 0, NULL);
        trop_fw_figures_marks(panel, trop_case_view_row(trop_case_view(c, "points"), s), sizes[s],
                              TROP_MARK_CROSS, 0);
    }
}

const struct trop_claim trop_fw_fig_quadratic = {
    .id = "fw-fig-quadratic",
    .title = "the energy over the hull",
    .statement = "Over the hull of random points of the circle the energy is 1/2 at every vertex, "
                 "its maximum, and least at the point nearest to the origin.",
    .status = TROP_CLAIM_MEASURED,
    .remark = "k = 5, 7 and 10 points of numpy's default_rng(42), as in the authors' code.",
    .inputs = "points grid",
    .hypotheses = TROP_HYPOTHESES({ "fine-grid", "the grid has at least 20 points along a side",
                                    .holds = "points along a side of the grid: grid >= 20",
                                    .broken = "a grid of 3 x 3", .edit = "grid = 3" }),
    .run = { draw, work, conclude, picture },
    .spoils = TROP_SPOILS({ "one point is longer by 1e-6", .edit = "points[0,0,0] *= 1+1e-6" },
                          { "J is larger by 1/4", .edit = "J5 += .25" }),
    .size = { 500, 190 },
};
