/* list_fw_figures.c -- claims, in the order of the paper. */
#include "claim/fw/fw_figures.h"

const struct trop_claim *const trop_list_fw_figures[] = {
    &trop_fw_fig_quadratic,
    &trop_fw_tab_collapse,
    &trop_fw_tab_constant,
    &trop_fw_tab_wendel,
    &trop_fw_fig_cells,
    &trop_fw_fig_voronoi,
    &trop_fw_tab_clusters,
    &trop_fw_tab_leaders,
    &trop_fw_fig_dominance,
    &trop_fw_fig_erosion,
    &trop_fw_tab_slopes,
    &trop_fw_fig_staircase,
    NULL,
};
