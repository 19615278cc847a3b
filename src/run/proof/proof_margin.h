/* proof_margin.h -- what claims of max-margin problems and of paths share. */
#ifndef TROP_RUN_PROOF_MARGIN_H
#define TROP_RUN_PROOF_MARGIN_H

#include "margin/margin.h"
#include "run/proof/proof.h"

/* The member "problem": its constraints, or the data and the selection that they follow from. */
enum trop_status trop_proof_margin_problem(struct trop_proof *proof,
                                           const struct trop_margin *margin);
/* The members norm and p. */
void trop_proof_margin_norm(struct trop_proof *proof, const struct trop_margin *margin);
/* Multipliers that are not 0, as members at and multipliers; of values (count). */
enum trop_status trop_proof_margin_multipliers(struct trop_proof *proof,
                                               const struct trop_margin *margin,
                                               const double *values);
/* 1 when a lower bound above 0 is proved by one vector of multipliers: not of several selections.
 */
int trop_proof_margin_bounded(const struct trop_margin *margin);

#endif
