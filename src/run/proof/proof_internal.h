/* proof_internal.h -- what proof.c and proof_value.c share. */
#ifndef TROP_RUN_PROOF_INTERNAL_H
#define TROP_RUN_PROOF_INTERNAL_H

#include "run/proof/proof.h"

#define TROP_PROOF_INPUTS 16

struct trop_proof {
    const char *path;
    struct trop_json claims, inputs;
    char input[TROP_PROOF_INPUTS][64]; /* names that are taken */
    int64_t input_count;
    enum trop_status status; /* the first failure */
};

/* Remembers a failure. */
static inline void trop_proof_fail(struct trop_proof *proof, enum trop_status status)
{
    proof->status = proof->status == TROP_OK ? status : proof->status;
}

#endif
