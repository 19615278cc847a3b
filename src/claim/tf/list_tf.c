/* list_tf.c -- "Transformers as Support Vector Machines": lemmas, theorems and remarks. */
#include "claim/tf/tf.h"

/* clang-format off: one line each. */
const struct trop_claim *const trop_list_tf[] = {
    &trop_tf_lem_1,
    &trop_tf_thm_1,
    &trop_tf_lem_2,
    &trop_tf_thm_2,
    &trop_tf_lem_3,
    &trop_tf_thm_3,
    &trop_tf_thm_4,
    &trop_tf_thm_4_repaired,
    &trop_tf_thm_5,
    &trop_tf_thm_5_repaired,
    &trop_tf_thm_6,
    &trop_tf_thm_7,
    &trop_tf_thm_9,
    &trop_tf_lem_5,
    &trop_tf_lem_5_repaired,
    &trop_tf_lem_6,
    &trop_tf_lem_15,
    &trop_tf_rem_conjecture,
    &trop_tf_rem_d,
    &trop_tf_rem_hard,
    &trop_tf_rem_decomposition,
    &trop_tf_rem_smooth,
    &trop_tf_rem_ntp,
    &trop_tf_rem_graph,
    NULL,
};
/* clang-format on */

const struct trop_input trop_list_tf_words[] = {
    { "dims", "", "how many of the figure's sizes are taken" },
    { "inputs", "", "how many of n = 5, 10, 15 are taken" },
    { "m", "", "bound on the rank" },
    { "lambda", "", "of the head v'o - lambda |o|^2" },
    { "tau", "", "bound on the number of tokens" },
    { "E", "(words, d)", "embeddings" },
    { "kind", "(6, 6)", "of each query word: 1 for optimal words, -1 others, 0 not compared" },
    { "ids", "(n, T)", "words of every input" },
    { "next", "(n)", "the word that follows" },
    { "W", "(points, d, d)", "where the gradient is taken" },
    { "delta", "", "of theorem 5: largest difference of scores other than the best" },
    { 0 },
};
