/* list_lm.c -- the localmax paper: its dynamics. */
#include "claim/lm/lm.h"

const struct trop_claim *const trop_list_lm[] = {
    /* clang-format off */
    &trop_lm_thm_t1,
    &trop_lm_thm_t2,
    &trop_lm_thm_t3,
    &trop_lm_thm_t4a,
    &trop_lm_thm_t4b,
    &trop_lm_thm_t4c,
    &trop_lm_thm_t4d,
    &trop_lm_thm_t5,
    &trop_lm_thm_t6,
    &trop_lm_thm_t7,
    &trop_lm_thm_t8,
    &trop_lm_thm_t9,
    &trop_lm_thm_t10,
    &trop_lm_thm_t11,
    &trop_lm_thm_t12,
    &trop_lm_thm_t13,
    &trop_lm_thm_hk,
    &trop_lm_rem_lyapunov,
    &trop_lm_rem_hardmax,
    &trop_lm_rem_minp,
    &trop_lm_rem_sparsemax,
    &trop_lm_rem_entmax,
    &trop_lm_rem_leader_drag,
    &trop_lm_rem_alignment,
    &trop_lm_rem_golden,
    /* clang-format on */
    NULL,
};
