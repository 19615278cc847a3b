/* list_sp.c -- claims, in the order of the papers. */
#include "claim/sp/sp.h"

const struct trop_claim *const trop_list_sp[] = {
    &trop_sp_fig_density, &trop_sp_fig_phase,     &trop_sp_fig_usa,
    &trop_sp_fig_random,  &trop_sp_fig_staircase, NULL,
};

const struct trop_input trop_list_sp_words[] = {
    { "tokens", "(n, 2)", "on the circle" },
    { "betas", "(rows)", "inverse temperatures" },
    { "times", "", "at which pairs are counted, beside the start" },
    { "dt", "", "step" },
    { "time", "", "at which pairs are counted" },
    { 0 },
};
