/* list_afz.c -- claims, in the order of the paper. */
#include "claim/afz/afz.h"

const struct trop_claim *const trop_list_afz[] = {
    &trop_afz_lem_leaders, &trop_afz_lem_exists,  &trop_afz_thm_limit, &trop_afz_rem_projection,
    &trop_afz_fig_2,       &trop_afz_tab_leaders, &trop_afz_tab_imdb,  NULL,
};
