/* list_tf_figures.c -- "Transformers as Support Vector Machines": its figures. */
#include "claim/tf/tf_figures.h"

/* clang-format off: one line each. */
const struct trop_claim *const trop_list_tf_figures[] = {
    &trop_tf_fig_1, &trop_tf_fig_2,          &trop_tf_fig_4,  &trop_tf_fig_4_repaired,
    &trop_tf_fig_5, &trop_tf_fig_6,          &trop_tf_fig_7,  &trop_tf_fig_8,
    &trop_tf_fig_9, &trop_tf_fig_9_repaired, &trop_tf_fig_10, &trop_tf_fig_12,
    NULL,
};
/* clang-format on */
