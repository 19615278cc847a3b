/* list_lm_tables.c -- claims, in the order of the paper. */
#include "claim/lm_tables.h"

const struct trop_claim *const trop_list_lm_tables[] = {
    &trop_lm_tab_clusters,
    &trop_lm_tab_sizes,
    &trop_lm_tab_alpha,
    NULL,
};
