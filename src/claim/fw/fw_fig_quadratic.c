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
#include "claim/tokens.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define PI 3.14159265358979323846
#define SETS 3
#define MOST 10

static const int64_t sizes[SETS] = { 5, 7, 10 };
static const char *const names[SETS] = { "J5", "J7", "J10" };

static enum trop_status draw(struct trop_case *c)
{
    double *points = NULL;
    enum trop_status status =
        trop_tokens_count(c, "grid", (double)trop_sample_effort(c, 40, 200, 500), 1, 1e6);

    if (status == TROP_OK) {
        status = trop_sample_shape(c, "points", SETS, MOST, 2);
    }
    if (status != TROP_OK || trop_case_has(c, "points")) {
        return status;
    }
    status = trop_case_make(&points, c, "points", SETS, MOST, 2);
    for (int64_t s = 0; s < SETS && status == TROP_OK; s++) {
        status = trop_fw_figures_points(points + s * MOST * 2, sizes[s], 0, 0);
    }
    return status;
}

/* The coordinate of grid point k of grid along a side of [-1, 1]^2: the middle of its cell. */
static void place(double *z, int64_t k, int64_t grid)
{
    z[0] = -1 + (2 * (double)(k % grid) + 1) / (double)grid;
    z[1] = -1 + (2 * (double)(k / grid) + 1) / (double)grid;
}

/* J on the grid, NaN outside K; outline and corners of K; the distance of 0. */
static enum trop_status take(struct trop_case *c, int64_t s)
{
    const double *x = trop_case_array(c, "points") + s * MOST * 2;
    const double origin[] = { 0, 0 };
    const int64_t grid = trop_case_integer(c, "grid");
    double *values = NULL, *outline = trop_case_array(c, "outlines") + s * MOST * 2;
    int64_t corners = 0;
    struct trop_hull *hull = NULL;
    struct trop_hull_position at;
    enum trop_status status = trop_hull_create(&hull, x, sizes[s], 2, 1);

    if (status == TROP_OK) {
        status = trop_hull_place(&at, NULL, NULL, NULL, hull, origin);
    }
    if (status == TROP_OK) {
        trop_case_array(c, "distances")[s] = at.distance;
        status = trop_fw_figures_outline(outline, &corners, hull, x);
    }
    trop_hull_free(hull);
    if (status == TROP_OK) {
        status = trop_case_make(&values, c, names[s], grid, grid, 0);
    }
    for (int64_t k = 0; k < grid * grid && status == TROP_OK; k++) {
        double z[2];
        place(z, k, grid);
        values[k] =
            trop_fw_figures_depth(outline, corners, z) >= 0 ? (z[0] * z[0] + z[1] * z[1]) / 2 : NAN;
    }
    return status;
}

static enum trop_status work(struct trop_case *c)
{
    double *unused = NULL;
    enum trop_status status = trop_case_make(&unused, c, "outlines", SETS, MOST, 2);

    if (status == TROP_OK) {
        status = trop_case_make(&unused, c, "distances", SETS, 0, 0);
    }
    for (int64_t s = 0; s < SETS && status == TROP_OK; s++) {
        status = take(c, s);
    }
    return status;
}

/* ---- lines ---- */

static void conclude_set(struct trop_judge *judge, const struct trop_case *c, int64_t s)
{
    const double *x = trop_case_array(c, "points") + s * MOST * 2;
    const double *values = trop_case_array(c, names[s]);
    const int64_t grid = trop_case_integer(c, "grid");
    const double distance = trop_case_array(c, "distances")[s], h = 2 * sqrt(2.) / (double)grid;
    double least = INFINITY, largest = 0, off = .5; /* off: the J that differs most from 1/2 */
    char line[64];

    for (int64_t i = 0; i < sizes[s]; i++) {
        const double energy = (x[2 * i] * x[2 * i] + x[2 * i + 1] * x[2 * i + 1]) / 2;
        off = fabs(energy - .5) > fabs(off - .5) ? energy : off;
    }
    snprintf(line, sizeof line, "k %lld: J of the points", (long long)sizes[s]);
    trop_judge_near(judge, line, -1, off, .5, 4 * DBL_EPSILON);
    for (int64_t k = 0; k < grid * grid; k++) {
        least = fmin(least, values[k]);
        largest = fmax(largest, isnan(values[k]) ? 0 : values[k]);
    }
    snprintf(line, sizeof line, "k %lld: least J on the grid", (long long)sizes[s]);
    trop_judge_near(judge, line, -1, least, distance * distance / 2, h * (distance + h));
    snprintf(line, sizeof line, "k %lld: largest J on the grid", (long long)sizes[s]);
    trop_judge_at_most(judge, line, -1, largest, .5, 0);
}

/* The first two numbers of numpy.random.default_rng(42), as numpy prints them, are the angles of
 * the first two points over 2 pi. */
static void conclude_stream(struct trop_judge *judge, const struct trop_case *c)
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
}

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    conclude_stream(judge, c);
    for (int64_t s = 0; s < SETS; s++) {
        conclude_set(judge, c, s);
    }
    return TROP_OK;
}

/* ---- the picture ---- */

static void draw_set(struct trop_panel *panel, const struct trop_case *c, int64_t s)
{
    const double *values = trop_case_array(c, names[s]);
    const double *x = trop_case_array(c, "points") + s * MOST * 2;
    const double *outline = trop_case_array(c, "outlines") + s * MOST * 2;
    const int64_t grid = trop_case_integer(c, "grid"), n = sizes[s];
    double px[MOST], py[MOST], qx[MOST], qy[MOST];
    char title[32];

    for (int64_t i = 0; i < n; i++) {
        px[i] = outline[2 * i];
        py[i] = outline[2 * i + 1];
        qx[i] = x[2 * i];
        qy[i] = x[2 * i + 1];
    }
    snprintf(title, sizeof title, "k = %lld", (long long)n);
    trop_panel_title(panel, title);
    trop_panel_equal(panel);
    trop_panel_bare(panel);
    trop_panel_clip(panel, px, py, n);
    trop_panel_image(panel, values, grid, grid, -1, 1, -1, 1, 0, .5, s == 2 ? "J(x)" : NULL);
    trop_panel_contours(panel, values, grid, grid, -1, 1, -1, 1, 8,
                        (struct trop_pen){ .colour = TROP_COLOUR_WHITE, .width = .5 });
    trop_panel_clip(panel, NULL, NULL, 0);
    trop_panel_polygon(panel, px, py, n, TROP_COLOUR_NONE, 0,
                       (struct trop_pen){ .colour = TROP_COLOUR_BLACK }, NULL);
    trop_panel_dots(panel, qx, qy, n,
                    (struct trop_dot){ .colour = TROP_COLOUR_BLACK, .mark = TROP_MARK_CROSS },
                    NULL);
}

static enum trop_status picture(struct trop_figure *figure, const struct trop_case *c)
{
    trop_figure_grid(figure, 1, SETS);
    for (int64_t s = 0; s < SETS; s++) {
        draw_set(trop_figure_panel(figure, 0, s), c, s);
    }
    return TROP_OK;
}

/* ---- hypotheses, and ways to be wrong ---- */

static enum trop_status fine_grid(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_least(judge, "points along a side of the grid", -1, trop_case_number(c, "grid"),
                        20, 0);
    return TROP_OK;
}

static enum trop_status coarse(struct trop_case *c)
{
    return trop_case_put(c, "grid", 3);
}

static enum trop_status longer(struct trop_case *c)
{
    trop_case_array(c, "points")[0] *= 1 + 1e-6;
    return TROP_OK;
}

static enum trop_status higher(struct trop_case *c)
{
    const int64_t grid = trop_case_integer(c, "grid");

    for (int64_t k = 0; k < grid * grid; k++) {
        trop_case_array(c, names[0])[k] += .25;
    }
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    { "fine-grid", "the grid has at least 20 points along a side", fine_grid, 0 },
    { 0 },
};

static const struct trop_spoil spoils[] = {
    { "one point is longer by 1e-6", NULL, longer },
    { "J is larger by 1/4", NULL, higher },
    { "a grid of 3 x 3", "fine-grid", coarse },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "points", "(3, 10, 2)", "5, 7 and 10 points" },
    { "grid", "", "points along each side of the grid" },
    { 0 },
};

const struct trop_claim trop_fw_fig_quadratic = {
    .id = "fw-fig-quadratic",
    .title = "the energy over the hull",
    .statement = "Over the hull of random points of the circle the energy is 1/2 at every vertex, "
                 "its maximum, and least at the point nearest to the origin.",
    .status = TROP_CLAIM_MEASURED,
    .remark = "k = 5, 7 and 10 points of numpy's default_rng(42), as in the authors' code.",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .old_picture = picture,
    .spoils = spoils,
    .trials = 1,
    .width = 500,
    .height = 190,
};
