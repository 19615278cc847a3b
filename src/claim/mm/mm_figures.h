/* mm_figures.h -- figures and tables of the max-margin paper. */
#ifndef TROP_CLAIM_MM_FIGURES_H
#define TROP_CLAIM_MM_FIGURES_H

#include "claim/mm/mm.h"

#define TROP_MM_FIGURES_STARTS 8 /* runs in a picture of paths */

/* ---- mm_figures.c: what several of them take ---- */

/* The tokens of the case are those of the named set, to the last bit. */
void trop_mm_figures_same_data(struct trop_judge *judge, const struct trop_case *c,
                               const char *name);
/* Normalised gradient descent from every row of "starts" (count, weights): "run0", "run1", ...
 * record every step up to 400 and then log-spaced ones, for as many steps as "steps" says. */
enum trop_status trop_mm_figures_runs(struct trop_case *c, int64_t model);
/* The weights of run k at that step; the last record with -1. NULL: none. */
const double *trop_mm_figures_at(const struct trop_case *c, int64_t k, int64_t step);
/* The run scaled by this factor at its last record: a spoil. */
enum trop_status trop_mm_figures_stretch(struct trop_case *c, int64_t k, double factor);
/* Steps as in the paper. */
enum trop_status trop_mm_figures_steps(struct trop_judge *judge, const struct trop_case *c);
enum trop_status trop_mm_figures_fewer(struct trop_case *c); /* spoil: 100 steps */

/* Paths of all runs in the first two coordinates from offset on, up to that many steps. */
void trop_mm_figures_paths(struct trop_panel *panel, const struct trop_case *c, int64_t offset,
                           int64_t steps);

/* ---- mm_runs.c: runs on random data ---- */

#define TROP_MM_RUNS_DIMENSIONS 6
#define TROP_MM_RUNS_FACTS 5 /* saturated, global, local (1, 0, -1), cosine, least lead */

extern const int64_t trop_mm_runs_dimensions[TROP_MM_RUNS_DIMENSIONS];

struct trop_mm_runs_shares {
    double saturated, local, global; /* of all runs */
    double cosine;                   /* mean over saturated runs */
    double negative;                 /* share of saturated runs with a least lead below 0 */
    double count;                    /* saturated runs */
};

/* Runs of a sample: rows are dimensions, or the gradients of trop_mm_runs_all. */
void trop_mm_runs_of_dimension(double *out, const struct trop_case *c, int64_t row, int64_t run);
void trop_mm_runs_of_gradient(double *out, const struct trop_case *c, int64_t row, int64_t run);
/* "runs" (groups, runs_each, FACTS): groups are dimensions, or at d = 100 gradients: exact, plain
 * with 2.2e-16 in its norm, plain. */
enum trop_status trop_mm_runs_all(struct trop_case *c, int64_t groups, int by_arithmetic);
struct trop_mm_runs_shares trop_mm_runs_measure(const struct trop_case *c, int64_t group);

extern const struct trop_claim trop_mm_fig_1a, trop_mm_fig_1b, trop_mm_fig_1c, trop_mm_fig_2,
    trop_mm_fig_3a, trop_mm_fig_3b, trop_mm_fig_3c, trop_mm_fig_4, trop_mm_fig_5, trop_mm_fig_6,
    trop_mm_fig_7, trop_mm_fig_8, trop_mm_fig_9, trop_mm_fig_10, trop_mm_tab_loss,
    trop_mm_tab_gradient;

#endif
