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
