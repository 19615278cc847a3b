/* fw_tab_beta_picture.c -- pictures of the tables of polygons at finite beta. */
#include "claim/fw/fw_beta.h"

#include "base/math/exp.h"

#include <math.h>

#define LN10 0x1.26bb1bbb55516p+1

/* Steps until arrival against beta; the three polygons have the same, so marks grow inwards. */
enum trop_status trop_fw_tab_beta_picture_arrival(struct trop_figure *figure,
                                                  const struct trop_case *c)
{
    static const char *const names[] = { "triangle", "square", "pentagon" };
    const double betas[] = { 16, 32, 64, 128 };
    struct trop_panel *panel = trop_figure_panel(figure, 0, 0);

    trop_panel_x(panel, "inverse temperature β", TROP_SCALE_LOG);
    trop_panel_y(panel, "steps until all are within 0.05", TROP_SCALE_LINEAR);
    trop_panel_range_x(panel, 12, 170);
    trop_panel_range_y(panel, 15, 35);
    for (int64_t k = 0; k < 3; k++) {
        struct trop_dot dot = trop_figure_dot(k);
        dot.size = 13 - 4 * (double)k;
        trop_panel_dots(panel, betas, trop_case_array(c, "arrivals") + 5 * k + 1, 4, dot, names[k]);
    }
    return TROP_OK;
}

/* Medians against beta, with the exact law and the bound of the repaired theorem 5.4. */
enum trop_status trop_fw_tab_beta_picture_exit(struct trop_figure *figure,
                                               const struct trop_case *c)
{
    const double betas[] = { 2, 3, 4, 5, 6 }, c0 = 1.5, n = 3;
    const double *medians = trop_case_array(c, "medians");
    struct trop_panel *panel = trop_figure_panel(figure, 0, 0);
    double runs[5], law[5], proved[5];

    for (int64_t k = 0; k < 5; k++) {
        runs[k] = trop_exp(LN10 * medians[3 * k]);
        law[k] = trop_exp(LN10 * medians[3 * k + 1]);
        /* 1/2 = exp(1 + log(t n^2) - beta c0/2), M = 1; an exit takes a step in any case. */
        proved[k] = fmax(trop_exp(betas[k] * c0 / 2 - 1) / (2 * n * n), 1);
    }
    trop_panel_x(panel, "inverse temperature β", TROP_SCALE_LINEAR);
    trop_panel_y(panel, "median of the first exit (steps)", TROP_SCALE_LOG);
    trop_panel_line(panel, betas, law, 5, trop_figure_pen(0), "exact law");
    trop_panel_dots(panel, betas, runs, 5, trop_figure_dot(1), "runs of the chain");
    trop_panel_line(panel, betas, proved, 5, trop_figure_pen(2),
                    "at least (theorem 5.4, repaired)");
    return TROP_OK;
}

/* First steps below each radius against beta. */
enum trop_status trop_fw_tab_beta_picture_radius(struct trop_figure *figure,
                                                 const struct trop_case *c)
{
    static const char *const names[] = { "r < 0.5", "r < 0.9", "r < 0.99" };
    const double betas[] = { 4, 6, 8 };
    struct trop_panel *panel = trop_figure_panel(figure, 0, 0);

    trop_panel_x(panel, "inverse temperature β", TROP_SCALE_LINEAR);
    trop_panel_y(panel, "first step", TROP_SCALE_LOG);
    for (int64_t k = 0; k < 3; k++) {
        double times[3];
        for (int64_t b = 0; b < 3; b++) {
            times[b] = trop_case_array(c, "times")[3 * b + 2 - k];
        }
        trop_panel_line(panel, betas, times, 3, trop_figure_pen(k), NULL);
        trop_panel_dots(panel, betas, times, 3, trop_figure_dot(k), names[k]);
    }
    return TROP_OK;
}
