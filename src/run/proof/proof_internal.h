/* proof_internal.h -- what proof.c and proof_value.c share. */
#ifndef TROP_RUN_PROOF_INTERNAL_H
#define TROP_RUN_PROOF_INTERNAL_H

#include "run/proof/proof.h"

struct trop_proof {
    const char *path;
    struct trop_json claims, inputs;
    char (*input)[64]; /* (input_room) names that are taken */
    int64_t input_count, input_room;
    int64_t inside;          /* numbers of inputs that stand in the file itself */
    enum trop_status status; /* the first failure */
};

/* Remembers a failure. */
static inline void trop_proof_fail(struct trop_proof *proof, enum trop_status status)
{
    proof->status = proof->status == TROP_OK ? status : proof->status;
}

#endif
