/* list_mm.c -- claims of the max-margin paper, in its order; those of its appendix at the end. */
#include "claim/mm/mm.h"

/* clang-format off */
const struct trop_claim *const trop_list_mm[] = {
    &trop_mm_lem_1, &trop_mm_thm_1, &trop_mm_thm_2, &trop_mm_rem_tight, &trop_mm_lem_2,
    &trop_mm_thm_3, &trop_mm_thm_4, &trop_mm_thm_5, &trop_mm_thm_6, &trop_mm_thm_6_repaired,
    &trop_mm_lem_3, &trop_mm_lem_4, &trop_mm_lem_5, &trop_mm_lem_cone, &trop_mm_lem_smooth,
    &trop_mm_rate_descent, &trop_mm_rate_norm, &trop_mm_lem_8, &trop_mm_lem_9, &trop_mm_lem_10,
    &trop_mm_thm_8, &trop_mm_lem_14, NULL,
};
/* clang-format on */

const struct trop_input trop_list_mm_words[] = {
    { "dimensions", "", "how many of d = 2, 5, 10, 100, 300, 500 are taken" },
    { "pi", "", "of lemma 5: by how much the step along p_mm may be less" },
    { "u", "(d)", "the query that W is applied to" },
    { "p0", "(d)", "start" },
    { "Delta", "", "of assumption D" },
    { "epsilon", "", "of the mixing" },
    { "C", "", "of the mixing" },
    { "W", "(d, d)", "keys are W x" },
    { "a", "(T)", "logits of a direction" },
    { "g", "(T)", "scores" },
    { "s", "(T)", "attention weights, the selected token first" },
    { "q1", "(dk)", "unit vector, of lemma 8" },
    { "q2", "(dk)", "unit vector" },
    { "exponent", "", "q of r = ratio R^q; 0: r = ratio e^(R/|p_mm|)" },
    { "ratio", "", "of r = ratio R^q" },
    { "M0", "", "bound on |l''|" },
    { "M1", "", "bound on |l'|" },
    { 0 },
};
