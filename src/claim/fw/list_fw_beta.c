/* list_fw_beta.c -- the Frank-Wolfe paper at finite beta, in the order of the paper. */
#include "claim/fw/fw_beta.h"

const struct trop_claim *const trop_list_fw_beta[] = {
    /* section 1: the layers */
    &trop_fw_rem_preconditioner,
    &trop_fw_rem_preconditioner_scalar,
    /* section 5: collapse */
    &trop_fw_prop_origin,
    &trop_fw_prop_origin_printed,
    &trop_fw_prop_origin_sharp,
    /* the chain */
    &trop_fw_rem_chain_gumbel,
    &trop_fw_rem_chain_hull,
    /* clusters form */
    &trop_fw_rem_erosion,
    &trop_fw_thm_5_2_universal,
    &trop_fw_thm_5_2,
    /* and last */
    &trop_fw_lem_group,
    &trop_fw_lem_drift,
    &trop_fw_lem_tail,
    &trop_fw_thm_5_4,
    &trop_fw_thm_5_4_repaired,
    &trop_fw_prop_geometric,
    &trop_fw_rate_escape,
    &trop_fw_rate_escape_flow,
    /* polygons and slow times */
    &trop_fw_rem_polygon,
    &trop_fw_rem_polygon_square,
    &trop_fw_rem_modified,
    &trop_fw_rem_slow_field,
    &trop_fw_rem_slow_time,
    /* tables */
    &trop_fw_tab_beta_arrival,
    &trop_fw_tab_beta_exit,
    &trop_fw_tab_beta_radius,
    /* the end */
    NULL,
};
