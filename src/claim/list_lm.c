/* list_lm.c -- the localmax paper: its dynamics. */
#include "claim/lm.h"

const struct trop_claim *const trop_list_lm[] = {
    &trop_lm_thm_t1,  &trop_lm_thm_t2,  &trop_lm_thm_t3, &trop_lm_thm_t4a, &trop_lm_thm_t4b,
    &trop_lm_thm_t4c, &trop_lm_thm_t4d, &trop_lm_thm_t5, &trop_lm_thm_t12, NULL,
};
