/* proof_cloud.h -- members that claims about clouds and flows have in common. */
#ifndef TROP_RUN_PROOF_CLOUD_H
#define TROP_RUN_PROOF_CLOUD_H

#include "flow/flow_witness.h"
#include "run/proof/proof.h"

/* tokens (n, d), an input of that name; key_query and scale, of which one is null. */
void trop_proof_cloud(struct trop_proof *proof, const struct trop_cloud_options *cloud,
                      const char *input, const double *x, int64_t n);
/* masses of the live tokens, or null. */
void trop_proof_masses(struct trop_proof *proof, const struct trop_flow *flow);

/* Of neighbour sets that last: what a claim is of; the witness. */
void trop_proof_sets(struct trop_proof *proof, const struct trop_flow_witness *witness,
                     const struct trop_flow *flow, const char *input);
void trop_proof_groups(struct trop_proof *proof, const struct trop_flow_witness *witness);

/* 1 when the flow has a proof of this enum trop_quiescence_kind that can be written; the whole
 * claim of it. */
int trop_proof_lasts(const struct trop_flow *flow, int64_t kind);
enum trop_status trop_proof_lasting(struct trop_proof *proof, const struct trop_flow *flow,
                                    const char *input);
/* The same of groups that are known. */
void trop_proof_known(struct trop_proof *proof, const struct trop_flow_witness *witness,
                      const struct trop_flow *flow, int64_t kind, const char *input);

/* A whole claim: the present tokens are within the present diameter. */
enum trop_status trop_proof_consensus(struct trop_proof *proof, const struct trop_flow *flow,
                                      const char *input);

#endif
