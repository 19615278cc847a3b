/* list_lm.c -- the localmax paper: its dynamics. */
#include "claim/lm/lm.h"

const struct trop_claim *const trop_list_lm[] = {
    &trop_lm_thm_t1,          &trop_lm_thm_t2,
    &trop_lm_thm_t3,          &trop_lm_thm_t4a,
    &trop_lm_thm_t4b,         &trop_lm_thm_t4c,
    &trop_lm_thm_t4d,         &trop_lm_thm_t5,
    &trop_lm_thm_t6,          &trop_lm_thm_t7,
    &trop_lm_thm_t8,          &trop_lm_thm_t9,
    &trop_lm_thm_t10,         &trop_lm_thm_t11,
    &trop_lm_thm_t12,         &trop_lm_thm_t13,
    &trop_lm_thm_hk,          &trop_lm_rem_lyapunov,
    &trop_lm_rem_hardmax,     &trop_lm_rem_minp,
    &trop_lm_rem_sparsemax,   &trop_lm_rem_entmax,
    &trop_lm_rem_leader_drag, &trop_lm_rem_alignment,
    &trop_lm_rem_golden,      NULL,
};

const struct trop_input trop_list_lm_words[] = {
    { "A", "(d, d)", "matrix of the scores <A x_i, x_j>; the identity when absent" },
    { "epsilon", "", "alignment sensitivity" },
    { "swing", "", "epsilon varies as epsilon + swing cos t" },
    { "ratio", "", "epsilon varies as epsilon ratio^t" },
    { "alpha_line", "", "of G1, G2 and G5" },
    { "alpha_plane", "", "of G3 and G4" },
    { "kappa", "", "of min-p" },
    { "a", "", "of entmax" },
    { "radius", "", "of confidence" },
    { "rule", "", "index into the rules of the library" },
    { "s", "", "factor of the tokens" },
    { "factor", "", "c, of A and epsilon" },
    { "L", "(d, d)", "lower triangular with ones on the diagonal" },
    { "points", "(2, d)", "v1 and v2" },
    { "offset", "(d)", "of the token between from the mean of the points by mass" },
    { "settings", "(rows, 6)", "n, d, alpha, and kind, a, b of the schedule of epsilon" },
    { "first", "", "tokens at v1" },
    { "second", "", "tokens at v2" },
    { 0 },
};
