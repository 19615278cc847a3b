/* mm_figures.c -- what figures of the max-margin paper share: runs from several starts, and their
 * picture. */
#include "claim/mm/mm_figures.h"

#include "tropism_lab.h"

#include <math.h>
#include <string.h>

void trop_mm_figures_draw(struct trop_case *c, const char *name, const double *starts,
                          int64_t count, int64_t size)
{
    struct trop_case *own = trop_case_apart(c);

    trop_case_try(c, trop_examples_named(own, name, 0, 0, 0, TROP_DATASET_SEED));
    trop_case_try(c, trop_examples_named(c, name, 0, 0, 0, TROP_DATASET_SEED));
    trop_examples_sphere(c, 0, 0, 0, 0); /* what a person did not give beside X */
    const struct trop_view x = trop_case_view(own, "X");
    trop_case_copy_in(c, "figure", x.at, x.rows, x.columns, x.depth);
    trop_tokens_count(c, "steps", 1000, 1, 1e9);
    if (starts) {
        trop_case_copy_in(c, "starts", starts, count, size, 0);
    }
}

void trop_mm_figures_runs(struct trop_case *c, const char *model)
{
    const struct trop_view starts = trop_case_view(c, "starts");
    const int64_t size = starts.columns;
    double *paths = NULL;

    for (int64_t k = 0; k < starts.rows; k++) {
        trop_case_copy_in(c, "start", trop_case_view_row(starts, k), size, 0, 0);
        trop_case_records(c,
                          trop_case_train(c,
                                          "model=%s optimizer=ngd eta=.1 steps=@steps records=1000 "
                                          "start_weights=@start",
                                          model),
                          "weights=path step");
        const struct trop_view path = trop_case_view(c, "path");
        paths = k == 0 ? trop_case_zeros(c, "paths", starts.rows, path.rows, size) : paths;
        memcpy(paths + k * path.rows * size, path.at, (size_t)(path.rows * size) * sizeof *paths);
    }
}

const double *trop_mm_figures_at(const struct trop_case *c, int64_t k, int64_t step)
{
    const struct trop_view paths = trop_case_view(c, "paths");
    const int64_t row = step < 0 ? paths.columns - 1 : trop_case_row(c, "step", step);

    return k < paths.rows && row >= 0 ? trop_case_view_row(trop_case_view_part(paths, k), row)
                                      : NULL;
}

void trop_mm_figures_solve(struct trop_case *c, const char *entry, const char *alpha)
{
    trop_case_solve(c, entry, TROP_MM_SOLVED, "model=prompt select=@%s", alpha);
}

void trop_mm_figures_half_square(struct trop_judge *judge, const char *line,
                                 const struct trop_case *c, const char *norm, double published,
                                 double digit)
{
    const double upper = trop_case_number(c, norm);

    trop_judge_near(judge, line, -1, upper * upper / 2, published, digit);
}

/* ---- hypotheses ---- */

void trop_mm_figures_same_data(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view x = trop_case_view(c, "X"), theirs = trop_case_view(c, "figure");

    trop_judge_truth(
        judge, "the tokens are those of the figure", -1,
        x.rows == theirs.rows && x.columns == theirs.columns && x.depth == theirs.depth &&
            memcmp(x.at, theirs.at, (size_t)(x.rows * x.columns * x.depth) * sizeof *x.at) == 0);
}

void trop_mm_figures_same_steps(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_truth(judge, "1000 steps", -1, trop_case_integer(c, "steps") == 1000);
}

/* ---- pictures ---- */

void trop_mm_figures_ray(struct trop_panel *panel, const double *p, int64_t dash,
                         const char *legend)
{
    trop_panel_ray(panel, 0, 0, p[0], p[1],
                   (struct trop_pen){ .colour = TROP_COLOUR_GREY, .width = 2, .dash = dash },
                   legend);
}

struct trop_panel *trop_mm_figures_plane(struct trop_figure *figure, const char *x, const char *y)
{
    struct trop_panel *panel = trop_figure_axes(figure, 0, 0, NULL, x, y);

    trop_panel_equal(panel);
    return panel;
}

void trop_mm_figures_paths(struct trop_panel *panel, const struct trop_case *c, int64_t steps)
{
    double x[512], y[512];

    for (int64_t k = 0; trop_mm_figures_at(c, k, 0); k++) {
        const double *p = NULL;
        int64_t count = 0;
        for (int64_t t = 0; t <= steps && count < 512; t++) {
            if ((p = trop_mm_figures_at(c, k, t)) != NULL) {
                x[count] = p[0];
                y[count++] = p[1];
            }
        }
        struct trop_pen pen = trop_figure_pen(k);
        pen.width = 1.5;
        trop_panel_line(panel, x, y, count, pen, NULL);
        struct trop_dot dot = trop_figure_dot(k);
        trop_panel_dots(panel, x, y, 1, dot, NULL);
        /* A mark every 20 steps, to tell the lines apart and show their speed. */
        for (int64_t t = 20; t < count; t += 20) {
            dot.size = 3;
            trop_panel_dots(panel, x + t, y + t, 1, dot, NULL);
        }
    }
}
