/* list_lm.c -- the localmax paper: its dynamics. */
#include "claim/lm.h"

const struct trop_claim *const trop_list_lm[] = {
    &trop_lm_thm_t1,
    &trop_lm_thm_t2,
    NULL,
};
