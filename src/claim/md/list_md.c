/* list_md.c -- the mirror-descent paper: potentials, theorems, lemmas, rates and remarks. */
#include "claim/md/md.h"

const struct trop_claim *const trop_list_md[] = {
    &trop_md_rem_bregman,
    &trop_md_rem_dual,
    &trop_md_rem_gd,
    &trop_md_rem_prox,
    &trop_md_rem_unique,
    &trop_md_rem_support,
    &trop_md_rem_projection,
    &trop_md_rem_alignment,
    &trop_md_thm_1,
    &trop_md_thm_2,
    &trop_md_thm_3,
    &trop_md_thm_4,
    &trop_md_rate_t4,
    &trop_md_thm_5,
    &trop_md_lem_12,
    &trop_md_lem_13,
    &trop_md_rate_log,
    &trop_md_rate_normalised,
    &trop_md_rate_normalised_repaired,
    &trop_md_rate_square,
    &trop_md_rem_stall,
    &trop_md_rem_certificate,
    NULL,
};
