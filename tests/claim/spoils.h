/* spoils.h -- ways to make a case wrong that a line of text (claim/edit.h) does not say. */
#ifndef TROP_TESTS_CLAIM_SPOILS_H
#define TROP_TESTS_CLAIM_SPOILS_H

#include "claim/case.h"

struct spoiler {
    const char *id;      /* of the claim, or how the ids of several begin; NULL ends the list */
    const char *meaning; /* of the spoil */
    void (*spoil)(struct trop_case *c);
};

extern const struct spoiler spoils_fw[], spoils_fw_beta[], spoils_fw_figures[], spoils_lm[],
    spoils_afz[], spoils_mm[], spoils_mm_figures[], spoils_tf[], spoils_tf_figures[], spoils_md[];

#endif
