/* list_afz.c -- claims, in the order of the paper. */
#include "claim/afz/afz.h"

const struct trop_claim *const trop_list_afz[] = {
    &trop_afz_lem_leaders,    &trop_afz_lem_exists,   &trop_afz_thm_limit,
    &trop_afz_rem_projection, &trop_afz_rem_follower, &trop_afz_fig_2,
    &trop_afz_tab_leaders,    &trop_afz_tab_imdb,     NULL,
};

const struct trop_input trop_list_afz_words[] = {
    { "tokens", "(n, d)", "the cloud at layer 0; d at most 16" },
    { "A", "(d, d)", "of the scores <A z_i, z_j>" },
    { "alpha", "", "weight of the attended mean against the token" },
    { "triangle", "(9, 2)", "tokens; likewise emerging (8, 2), square and inner (10, 2)" },
    { "length", "", "of an item: words that are read, at most" },
    { 0 },
};
