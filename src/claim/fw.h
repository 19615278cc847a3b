/* fw.h -- the claims of the Frank-Wolfe paper, one file each, and what they share. */
#ifndef TROP_CLAIM_FW_H
#define TROP_CLAIM_FW_H

#include "claim/claim.h"

extern const struct trop_claim trop_fw_lem_hull, trop_fw_lem_hull_repaired;

#endif
