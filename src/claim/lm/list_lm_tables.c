/* list_lm_tables.c -- claims, in the order of the paper. */
#include "claim/lm/lm_tables.h"

const struct trop_claim *const trop_list_lm_tables[] = {
    &trop_lm_fig_1,
    &trop_lm_fig_2,
    &trop_lm_fig_3,
    &trop_lm_fig_4,
    &trop_lm_fig_5,
    &trop_lm_tab_clusters,
    &trop_lm_tab_sizes,
    &trop_lm_tab_alpha,
    &trop_lm_tab_nonvertex,
    &trop_lm_tab_kept,
    &trop_lm_tab_schedules,
    &trop_lm_tab_convergence,
    NULL,
};
