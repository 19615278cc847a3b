/* list_md.c -- the mirror-descent paper: theorems, lemmas, rates and remarks. */
#include "claim/md.h"

const struct trop_claim *const trop_list_md[] = {
    &trop_md_rem_bregman,
    &trop_md_rem_dual,
    &trop_md_rem_gd,
    &trop_md_rem_prox,
    &trop_md_rem_projection,
    &trop_md_rem_alignment,
    &trop_md_lem_12,
    &trop_md_lem_13,
    &trop_md_rem_certificate,
    &trop_md_rem_unique,
    &trop_md_rem_support,
    &trop_md_rem_stall,
    NULL,
};
