/* tf_figures.h -- the figures of "Transformers as Support Vector Machines". */
#ifndef TROP_CLAIM_TF_FIGURES_H
#define TROP_CLAIM_TF_FIGURES_H

#include "claim/claim.h"
#include "claim/tf/tf_runs.h"

/* ---- what several of them share ---- */

/* Hypothesis "enough-runs": at least five, so that their errors can be estimated. */
enum trop_status trop_tf_figures_enough(struct trop_judge *judge, const struct trop_case *c);
/* A spoil that fails this hypothesis. */
enum trop_status trop_tf_figures_few(struct trop_case *c);
/* "runs" and "dims" (first, how many of the list are taken) by effort, unless the case has them. */
enum trop_status trop_tf_figures_sizes(struct trop_case *c, const double runs[3],
                                       const double dims[3]);
/* The status of the first run that failed. */
enum trop_status trop_tf_figures_status(const struct trop_tf_runs_result *results, int64_t runs);

extern const struct trop_input trop_tf_figures_inputs[];

extern const struct trop_claim trop_tf_fig_1, trop_tf_fig_2, trop_tf_fig_4, trop_tf_fig_4_repaired,
    trop_tf_fig_5, trop_tf_fig_6, trop_tf_fig_7, trop_tf_fig_8, trop_tf_fig_9,
    trop_tf_fig_9_repaired, trop_tf_fig_10, trop_tf_fig_11, trop_tf_fig_12;

#endif
