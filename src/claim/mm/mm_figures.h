/* mm_figures.h -- figures and tables of the max-margin paper. */
#ifndef TROP_CLAIM_MM_FIGURES_H
#define TROP_CLAIM_MM_FIGURES_H

#include "claim/mm/mm.h"
#include "claim/table.h"

/* ---- mm_figures.c: what several of them take ---- */

/* The named set, unless the case has tokens, "figure": its tokens, and 1000 "steps"; "starts" where
 * there are some. */
void trop_mm_figures_draw(struct trop_case *c, const char *name, const double *starts,
                          int64_t count, int64_t size);
/* Normalised gradient descent of steps .1 from every row of "starts", by model: "paths" (starts,
 * records, weights) and "step" (records), every step up to 400 and then log-spaced ones. */
void trop_mm_figures_runs(struct trop_case *c, const char *model);
/* The weights of run k at that step; the last record with -1. NULL: none. */
const double *trop_mm_figures_at(const struct trop_case *c, int64_t k, int64_t step);
/* The max-margin solution for the tokens of entry alpha. */
void trop_mm_figures_solve(struct trop_case *c, const char *entry, const char *alpha);
/* A line about |p|^2/2. */
void trop_mm_figures_half_square(struct trop_judge *judge, const char *line,
                                 const struct trop_case *c, const char *norm, double published,
                                 double digit);

/* Hypotheses: the tokens are "figure" to the last bit; as many steps as in the paper. */
void trop_mm_figures_same_data(struct trop_judge *judge, const struct trop_case *c);
void trop_mm_figures_same_steps(struct trop_judge *judge, const struct trop_case *c);

#define TROP_MM_FIGURES_DATA(said) \
    { \
        "same-data", said, .judge = trop_mm_figures_same_data, .broken = "a token moved by 1e-6", \
                           .edit = "X[0,0,0] += 1e-6" \
    }
#define TROP_MM_FIGURES_STEPS \
    { \
        "same-steps", "the run takes 1000 steps", .judge = trop_mm_figures_same_steps, \
                                                  .broken = "100 steps", .edit = "steps = 100" \
    }

/* ---- pictures ---- */

void trop_mm_figures_ray(struct trop_panel *panel, const double *p, int64_t dash,
                         const char *legend);
/* A panel of the plane with equal axes of these names. */
struct trop_panel *trop_mm_figures_plane(struct trop_figure *figure, const char *x, const char *y);
/* Paths of all runs in the first two coordinates, up to that many steps. */
void trop_mm_figures_paths(struct trop_panel *panel, const struct trop_case *c, int64_t steps);

extern const struct trop_claim trop_mm_fig_1a, trop_mm_fig_1b, trop_mm_fig_1c, trop_mm_fig_2,
    trop_mm_fig_3a, trop_mm_fig_3b, trop_mm_fig_3c, trop_mm_fig_4, trop_mm_fig_5, trop_mm_fig_6,
    trop_mm_fig_7, trop_mm_fig_8, trop_mm_fig_9, trop_mm_fig_10, trop_mm_tab_loss,
    trop_mm_tab_gradient;

#endif
