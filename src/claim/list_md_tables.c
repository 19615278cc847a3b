/* list_md_tables.c -- the mirror-descent paper: figures and tables. */
#include "claim/md_tables.h"

const struct trop_claim *const trop_list_md_tables[] = {
    &trop_md_tab_growth,
    &trop_md_tab_normalised,
    NULL,
};
