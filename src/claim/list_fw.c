/* list_fw.c -- the Frank-Wolfe paper: hardmax. */
#include "claim/fw.h"

const struct trop_claim *const trop_list_fw[] = {
    &trop_fw_lem_hull,
    &trop_fw_lem_hull_repaired,
    NULL,
};
