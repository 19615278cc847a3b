/* list_fw.c -- the Frank-Wolfe paper: hardmax. */
#include "claim/fw/fw.h"

/* In the order of the paper. */
/* clang-format off */
const struct trop_claim *const trop_list_fw[] = {
    &trop_fw_rem_limit, &trop_fw_rem_limit_repaired, &trop_fw_rem_argmax, &trop_fw_rem_gap,
    &trop_fw_rem_sparsity, &trop_fw_rem_sparsity_repaired, &trop_fw_lem_leader, &trop_fw_rem_merge,
    &trop_fw_lem_hull, &trop_fw_lem_hull_repaired,
    &trop_fw_thm_3_1, &trop_fw_thm_3_1_repaired, &trop_fw_thm_3_1_gap, &trop_fw_rem_wendel,
    &trop_fw_prop_trash, &trop_fw_rem_energy, &trop_fw_thm_4_2,
    &trop_fw_rate_exponential, &trop_fw_rate_exponential_repaired, &trop_fw_rate_superexp,
    &trop_fw_rem_sphere, &trop_fw_prop_dimension, &trop_fw_rem_own_cell, &trop_fw_rem_own_cell_weak,
    &trop_fw_rem_own_cell_repaired, &trop_fw_rem_angle, &trop_fw_lem_cells,
    &trop_fw_lem_cells_general, &trop_fw_prop_4_5, &trop_fw_rem_power,
    &trop_fw_thm_ode, &trop_fw_rem_time, &trop_fw_rem_scaling, &trop_fw_rem_scaling_beta, NULL,
};
/* clang-format on */

const struct trop_input trop_list_fw_words[] = {
    { "points", "(m, d)", "of the hull, or to label; of figures with several sets (sets, k, 2)" },
    { "grid", "", "points along each side of the grid" },
    { "eta", "", "of the dominance cone" },
    { "erode", "", "radius of the erosion" },
    { "gamma", "(steps)", "step sizes; one number: of every step" },
    { "vertices", "(kappa, d)", "v_1 .. v_kappa; of figures with several sets (sets, k, 2)" },
    { "B", "(d, d)", "key-query matrix" },
    { "labels", "(n)", "group or vertex of each token, from 0" },
    { "r", "", "radius of the balls" },
    { "V", "(d, d)", "value matrix" },
    { "radius", "", "eps, or of the random shift of every token" },
    { "N", "", "tosses" },
    { "p", "", "chance of a success" },
    { "M", "", "successes" },
    { "low", "", "least eigenvalue of B" },
    { "high", "", "largest eigenvalue of B" },
    { "first", "", "gamma of step 0" },
    { "ratio", "", "of one gamma to the one before" },
    { "c", "", "what every gamma is at least" },
    { "a", "", "of gamma^t = 1 - exp(-a (t + 1))" },
    { "betas", "(k)", "inverse temperatures, ascending" },
    { "delta", "", "radius of the erosion" },
    { "h", "", "V = h I" },
    { "Q", "(d, d)", "orthogonal, commutes with B" },
    { "s", "", "factor" },
    { "order", "(n)", "which token each one becomes" },
    { "masses", "(n)", "of the tokens" },
    { "settings", "(rows, columns)", "n and d of each row; steps and gamma, 0 for 2/(t + 2)" },
    { "kappas", "", "polygons from the triangle on, at most 4" },
    { "kappa", "", "how many of the tokens are the vertices, which come first" },
    { "runs", "", "of the chain, or of each row" },
    { "C", "", "the constant" },
    { "dt", "", "time between two looks" },
    { 0 },
};
