/* mm_figures.c -- what figures of the max-margin paper share: runs from several starts, and their
 * picture. */
#include "claim/mm/mm_figures.h"

#include "tropism_lab.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void trop_mm_figures_same_data(struct trop_judge *judge, const struct trop_case *c,
                               const char *name)
{
    struct trop_dataset *set = NULL;
    struct trop_data ours;
    int same = 0;

    trop_examples_data(&ours, c);
    if (trop_dataset_create(&set, name, 0, 0, 0, TROP_DATASET_SEED) == TROP_OK) {
        const struct trop_data *data = trop_dataset_data(set);
        same = ours.n == data->n && ours.T == data->T && ours.d == data->d && ours.x &&
               memcmp(ours.x, data->x, (size_t)(data->n * data->T * data->d) * sizeof(double)) == 0;
    }
    trop_dataset_free(set);
    trop_judge_truth(judge, "the tokens are those of the figure", -1, same);
}

enum trop_status trop_mm_figures_runs(struct trop_case *c, int64_t model)
{
    const int64_t count = trop_case_size(c, "starts", 0), size = trop_case_size(c, "starts", 1);
    struct trop_train_options o;
    enum trop_status status = trop_mm_options(&o, "ngd", .1, trop_case_integer(c, "steps"));

    o.model = model;
    o.start = TROP_TRAIN_GIVEN;
    o.records = 1000; /* every step up to 434 */
    for (int64_t k = 0; k < count && status == TROP_OK; k++) {
        char name[32];
        snprintf(name, sizeof name, "run%lld", (long long)k);
        o.start_weights = trop_case_array(c, "starts") + k * size;
        status = trop_mm_train(c, &o, name);
    }
    return status;
}

const double *trop_mm_figures_at(const struct trop_case *c, int64_t k, int64_t step)
{
    char name[32];

    snprintf(name, sizeof name, "run%lld", (long long)k);
    const double *run = trop_case_array(c, name);
    const int64_t row = step < 0 ? trop_case_size(c, name, 0) - 1 : trop_mm_row(c, name, step);
    return run && row >= 0 ? run + row * trop_case_size(c, name, 1) : NULL;
}

enum trop_status trop_mm_figures_stretch(struct trop_case *c, int64_t k, double factor)
{
    const double *last = trop_mm_figures_at(c, k, -1);
    char name[32];

    snprintf(name, sizeof name, "run%lld", (long long)k);
    double *run = trop_case_array(c, name);
    for (int64_t a = 0; a < trop_case_size(c, name, 1); a++) {
        run[(last - run) + a] *= factor;
    }
    return TROP_OK;
}

enum trop_status trop_mm_figures_steps(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_truth(judge, "1000 steps", -1, trop_case_integer(c, "steps") == 1000);
    return TROP_OK;
}

enum trop_status trop_mm_figures_fewer(struct trop_case *c)
{
    return trop_case_put(c, "steps", 100);
}

void trop_mm_figures_paths(struct trop_panel *panel, const struct trop_case *c, int64_t offset,
                           int64_t steps)
{
    double x[512], y[512];

    for (int64_t k = 0; trop_mm_figures_at(c, k, 0); k++) {
        const double *p = NULL;
        int64_t count = 0;
        for (int64_t t = 0; t <= steps && count < 512; t++) {
            if ((p = trop_mm_figures_at(c, k, t)) != NULL) {
                x[count] = p[offset];
                y[count++] = p[offset + 1];
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
