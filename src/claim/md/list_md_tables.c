/* list_md_tables.c -- the mirror-descent paper: figures and tables. */
#include "claim/md/md_tables.h"

const struct trop_claim *const trop_list_md_tables[] = {
    &trop_md_fig_4,         &trop_md_fig_4_repaired,
    &trop_md_fig_joint,     &trop_md_tab_seed1,
    &trop_md_tab_growth,    &trop_md_tab_normalised,
    &trop_md_tab_path,      &trop_md_tab_optimisers,
    &trop_md_tab_constants, &trop_md_tab_imdb,
    &trop_md_tab_weights,   &trop_md_tab_pivot,
    &trop_md_tab_vit,       NULL,
};
