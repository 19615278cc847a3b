/* list_fw.c -- the Frank-Wolfe paper: hardmax. */
#include "claim/fw.h"

const struct trop_claim *const trop_list_fw[] = {
    &trop_fw_rem_argmax,
    &trop_fw_rem_sparsity,
    &trop_fw_rem_sparsity_repaired,
    &trop_fw_lem_leader,
    &trop_fw_rem_merge,
    &trop_fw_lem_hull,
    &trop_fw_lem_hull_repaired,
    &trop_fw_thm_3_1,
    &trop_fw_thm_3_1_repaired,
    &trop_fw_thm_3_1_gap,
    &trop_fw_prop_trash,
    &trop_fw_rem_energy,
    &trop_fw_thm_4_2,
    &trop_fw_rate_exponential,
    &trop_fw_rate_exponential_repaired,
    &trop_fw_rate_superexp,
    &trop_fw_rem_own_cell,
    &trop_fw_rem_own_cell_repaired,
    &trop_fw_rem_angle,
    &trop_fw_lem_cells,
    &trop_fw_lem_cells_general,
    &trop_fw_prop_4_5,
    &trop_fw_rem_power,
    NULL,
};
