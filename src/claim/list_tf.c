/* list_tf.c -- claims, in the order of the paper. */
#include "claim/claim.h"

const struct trop_claim *const trop_list_tf[] = { NULL };
