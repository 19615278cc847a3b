/* list_fw_beta.c -- the Frank-Wolfe paper at finite beta, in the order of the paper. */
#include "claim/fw_beta.h"

const struct trop_claim *const trop_list_fw_beta[] = {
    &trop_fw_prop_origin,       &trop_fw_prop_origin_printed,
    &trop_fw_prop_origin_sharp, &trop_fw_thm_5_2,
    &trop_fw_lem_group,         &trop_fw_lem_drift,
    &trop_fw_lem_tail,          &trop_fw_thm_5_4,
    &trop_fw_thm_5_4_repaired,  NULL,
};
